//! Tests the verifier: well-formed functions pass, and each broken rule is found, by its name and at its site.
//!
//! Functions that the text form can express are written as text; the rest is built by hand.

use brolga_ir::builder::Builder;
use brolga_ir::entity::{ArrayId, Inst, LocalId, MessageId, Region, ResourceId, SharedId, Slot, Value};
use brolga_ir::function::{AtomicOp, Case, Element, Input, InstKind, MemoryRef, Object, Origin, ResourceRef, Values};
use brolga_ir::interface::{Interface, ResourceClass, ResourceKind};
use brolga_ir::text::parse;
use brolga_ir::verify::{MemoryObject, Problem, Site, Stage, Types, check};
use brolga_ir::{Const, Function, Op, Type, verify};

/// Declarations and values that the texts below use.
const HEAD: &str = r#"function "f" {
  group 1 1 1
  res0 = b0 constant 4
  res1 = t0 raw
  res2 = t1 structured stride 8
  res3 = t2[2] typed texture2d float
  res4 = t4 typed buffer uint
  res5 = u0 raw
  res6 = u1 structured stride 8
  res7 = u2 structured stride 8 counter
  res8 = u3 typed texture3d uint
  g0 = g0 structured stride 16 count 4
  g1 = g1 raw stride 4 count 16
  x0 = x0 registers 4 components 4
  message0 = info format "%u"
  slots 1 f32
  body {
    v0: i32 = const 1
    v1: f32 = const 0x3f800000
    v2: bool = const true
    v3: i64 = const 1
"#;

/// The findings in a body that begins with v0: i32, v1: f32, v2: bool, v3: i64.
fn problems(body: &str, stage: Stage) -> Vec<Problem> {
    let text = format!("{HEAD}{body}\n}}\n}}\n");
    let func = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    match check(&func, stage) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.errors.into_iter().map(|error| error.problem).collect(),
    }
}

fn finds(body: &str, expected: &[Problem]) {
    assert_eq!(problems(body, Stage::Final), expected, "{body}");
}

fn list(types: &[Type]) -> Types {
    Types(types.to_vec())
}

fn ty(what: &'static str, value: usize, found: Type, expected: Type) -> Problem {
    Problem::Type { what, value: Value::new(value), found, expected }
}

fn types(what: &'static str, found: &[Type], expected: &[Type]) -> Problem {
    Problem::TypeList { what, found: list(found), expected: list(expected) }
}

fn view(n: usize) -> MemoryObject {
    use ResourceClass::{Constant, ShaderResource, UnorderedAccess};
    use brolga_ir::interface::{Component, Dimension};
    let typed = |dimension, component| ResourceKind::Typed { dimension, component };
    let structured = ResourceKind::Structured { stride_bytes: 8 };
    let (class, kind) = [
        (Constant, ResourceKind::Constant { vectors: 4 }),
        (ShaderResource, ResourceKind::Raw),
        (ShaderResource, structured),
        (ShaderResource, typed(Dimension::Texture2d, Component::Float)),
        (ShaderResource, typed(Dimension::Buffer, Component::Uint)),
        (UnorderedAccess, ResourceKind::Raw),
        (UnorderedAccess, structured),
        (UnorderedAccess, structured),
        (UnorderedAccess, typed(Dimension::Texture3d, Component::Uint)),
    ][n];
    MemoryObject::Resource(ResourceId::new(n), class, kind)
}

fn wrong(what: &'static str, target: MemoryObject) -> Problem {
    Problem::WrongTarget { what, target }
}

use Type::{Bool, F32, I32, I64};

#[test]
fn a_counting_loop_passes() {
    let mut func = Function::new("count", Interface::default());
    let mut b = Builder::new(&mut func);
    let (zero, one) = (b.i32(0), b.i32(1));
    let end = b.input(Input::ThreadIndex);
    let (outer, body) = b.loop_(&[zero]);
    let before = b.switch_to(body);
    let n = b.func.region(body).params[0];
    let done = b.op(Op::UGe, &[n, end]);
    let (choice, then_region, else_region) = b.if_else(done, &[Type::I32]);
    b.switch_to(then_region);
    b.break_(outer, &[n]);
    b.switch_to(else_region);
    let next = b.op(Op::IAdd, &[n, one]);
    b.yield_(&[next]);
    b.switch_to(body);
    let next = b.func.inst(choice).results[0];
    b.yield_(&[next]);
    b.switch_to(before);
    b.return_();
    verify(func).expect("follows every rule");
}

#[test]
fn all_findings_are_collected_with_their_places() {
    let text = format!("{HEAD}v4: f32 = fadd v0, v1 @0x10\nv5: i32 = iadd v0, v1 @0x20\nyield\n}}\n}}\n");
    let errors = verify(parse(&text).expect("is a function")).expect_err("breaks three rules").errors;
    let places: Vec<_> = errors.iter().map(|error| error.site).collect();
    let site = |inst, origin| Site::Inst { region: Region::new(0), inst: Inst::new(inst), origin: Origin(origin) };
    assert_eq!(places, [site(4, 0x10), site(5, 0x20), site(6, 0)]);
    assert_eq!(errors[0].to_string(), "i4 in region0 (from byte 0x10): operand v0 is i32, not f32");
}

#[test]
fn a_region_ends_in_its_only_terminator() {
    finds("", &[Problem::NotTerminated]);
    finds("return\nreturn", &[Problem::TerminatorInside]);
    finds("if v2 {\nyield\n} else {\nv4: i32 = const 1\n}\nreturn", &[Problem::NotTerminated]);
    finds("if v2 {\n} else {\nyield\n}\nreturn", &[Problem::Empty]);
    let empty = check(&Function::new("empty", Interface::default()), Stage::Final).expect_err("has no instruction");
    assert_eq!(empty.errors[0].problem, Problem::Empty);
    assert_eq!(empty.errors[0].site, Site::Region(Region::new(0)));
}

#[test]
fn only_a_return_ends_the_body() {
    finds("yield", &[Problem::YieldInBody]);
    finds("if v2 { return } else { yield }\nreturn", &[]);
}

#[test]
fn operations_get_what_their_row_says() {
    finds("v4: f32 = fadd v1, v0\nreturn", &[ty("operand", 0, I32, F32)]);
    let count = |found, expected| Problem::Count { what: "operands", found, expected };
    finds("v4: f32 = fadd v1\nreturn", &[count(1, 2)]);
    finds("v4: f32 = fneg v1, v1\nreturn", &[count(2, 1)]);
    finds("v4: i32 = fneg v1\nreturn", &[types("results", &[I32], &[F32])]);
    finds("fneg v1\nreturn", &[types("results", &[], &[F32])]);
    finds("v4, v5: f32 = fneg v1\nreturn", &[types("results", &[F32, F32], &[F32])]);
}

#[test]
fn constants_fit_their_type() {
    finds("v4: i32 = const 0x1ffffffff\nreturn", &[Problem::ConstBits { ty: I32, bits: 0x1_ffff_ffff }]);
    finds("v4: bool = const 2\nreturn", &[Problem::ConstBits { ty: Bool, bits: 2 }]);
    finds("v4: f64 = const 0xffffffffffffffff\nreturn", &[]);
    let mut func = Function::new("f", Interface::default());
    let inst = func.add_inst(InstKind::Const(Const::i32(1)), &[F32], Origin(0));
    let end = func.add_inst(InstKind::Return, &[], Origin(0));
    let body = func.body();
    func.region_mut(body).insts = vec![inst, end];
    assert_eq!(found(&func), [types("results", &[F32], &[I32])]);
}

#[test]
fn inputs_are_words_with_three_components() {
    finds("v4: f32 = input thread_index\nreturn", &[types("results", &[F32], &[I32])]);
    for input in [Input::GroupId(3), Input::GroupCount(3)] {
        let mut func = Function::new("f", Interface::default());
        let mut b = Builder::new(&mut func);
        b.input(input);
        b.return_();
        assert_eq!(found(&func), [Problem::InputComponent(3)]);
    }
}

#[test]
fn uses_come_after_definitions_in_open_regions() {
    let not = |value| Problem::NotDominated(Value::new(value));
    // A value of one arm, used in the other arm and after both.
    finds("if v2 {\nv4: i32 = const 1\nyield\n} else {\nv5: i32 = iadd v4, v4\nyield\n}\nreturn", &[not(4), not(4)]);
    finds("if v2 { v4: i32 = const 1\nyield } else { yield }\nv5: i32 = iadd v4, v0\nreturn", &[not(4)]);
    // A loop's parameter after the loop (the loop's results are v5).
    finds("loop l0 (v4: i32 = v0) -> v5: i32 { yield v4 }\nv6: i32 = iadd v4, v5\nreturn", &[not(4)]);
    // An instruction's own results inside of it.
    finds("if v2 -> v4: i32 { yield v4 } else { yield v0 }\nreturn", &[not(4)]);
    // A later value: parsed in order, then the two are swapped.
    let mut func = parse(&format!("{HEAD}v4: i32 = iadd v0, v0\nv5: i32 = iadd v4, v4\nreturn\n}}\n}}")).expect("fits");
    let body = func.body();
    func.region_mut(body).insts.swap(4, 5);
    assert_eq!(found_but_slots(&func), [not(4), not(4)]);
}

#[test]
fn control_flow_takes_a_condition_or_a_selector() {
    finds("if v0 { yield } else { yield }\nreturn", &[ty("condition", 0, I32, Bool)]);
    finds("switch l0 v1 {\ndefault { yield }\n}\nreturn", &[ty("selector", 1, F32, I32)]);
}

#[test]
fn yields_have_the_types_of_the_results() {
    let yielded = |found: &[Type], expected: &[Type]| types("yielded values", found, expected);
    finds("if v2 -> v4: i32 { yield v0 } else { yield v1 }\nreturn", &[yielded(&[F32], &[I32])]);
    finds(
        "if v2 -> v4: i32 { yield } else { yield v0, v0 }\nreturn",
        &[yielded(&[], &[I32]), yielded(&[I32, I32], &[I32])],
    );
    finds("switch l0 v0 -> v4: f32 { case 1 { yield v0 }\ndefault { yield v1 }\n}\nreturn", &[yielded(&[I32], &[F32])]);
    finds("loop l0 (v4: i32 = v0) -> v5: i32 { yield v1 }\nreturn", &[yielded(&[F32], &[I32])]);
}

#[test]
fn a_loop_has_one_list_of_types() {
    finds("loop l0 (v4: i32 = v1) -> v5: i32 { yield v4 }\nreturn", &[types("initial values", &[F32], &[I32])]);
    finds("loop l0 (v4: f32 = v0) -> v5: i32 { yield v0 }\nreturn", &[types("body parameters", &[F32], &[I32])]);
    let both = [types("initial values", &[I32], &[]), types("body parameters", &[I32], &[])];
    finds("loop l0 (v4: i32 = v0) { yield }\nreturn", &both);
}

#[test]
fn breaks_lead_out_of_loops_and_switches() {
    let values = types("values of the break", &[F32], &[I32]);
    finds("loop l0 (v4: i32 = v0) -> v5: i32 { break l0 v1 }\nreturn", std::slice::from_ref(&values));
    finds("switch l0 v0 -> v4: i32 { default { break l0 v1 }\n}\nreturn", &[values]);
    finds("loop l0 () { yield }\nbreak l0", &[Problem::BreakTarget(Inst::new(4))]);
    let mut func = Function::new("f", Interface::default());
    let mut b = Builder::new(&mut func);
    let cond = b.bool(true);
    let (inst, then_region, else_region) = b.if_else(cond, &[]);
    b.return_();
    b.switch_to(then_region);
    b.break_(inst, &[]);
    b.switch_to(else_region);
    b.break_(Inst::new(1000), &[]);
    assert_eq!(found(&func), [Problem::BreakTarget(inst), Problem::BreakTarget(Inst::new(1000))]);
}

#[test]
fn continues_lead_to_enclosing_loops() {
    let values = types("values of the continue", &[], &[I32]);
    finds("loop l0 (v4: i32 = v0) -> v5: i32 { continue l0 }\nreturn", &[values]);
    finds("switch l0 v0 { default { continue l0 }\n}\nreturn", &[Problem::ContinueTarget(Inst::new(4))]);
    finds("loop l0 () { yield }\ncontinue l0", &[Problem::ContinueTarget(Inst::new(4))]);
    finds("loop l0 () { switch l1 v0 { default { continue l0 }\n}\nyield }\nreturn", &[]);
}

#[test]
fn labels_of_a_switch_are_unique_and_there() {
    finds(
        "switch l0 v0 { case 1, 2 { yield }\ncase 2 { yield }\ndefault { yield }\n}\nreturn",
        &[Problem::LabelTwice(2)],
    );
    finds("switch l0 v0 { case 7, 7 { yield }\ndefault { yield }\n}\nreturn", &[Problem::LabelTwice(7)]);
    let mut func = Function::new("f", Interface::default());
    let mut b = Builder::new(&mut func);
    let selector = b.i32(1);
    let (_, arms, default) = b.switch(selector, vec![vec![]], &[]);
    b.return_();
    for region in arms.into_iter().chain([default]) {
        b.switch_to(region);
        b.yield_(&[]);
    }
    assert_eq!(found(&func), [Problem::NoLabel]);
}

#[test]
fn slots_are_for_the_time_before_ssa_construction() {
    let body = "v4: f32 = get slot0\nset slot0, v4\nreturn";
    assert_eq!(problems(body, Stage::BeforeSsa), []);
    finds(body, &[Problem::SlotLeft(Slot::new(0)), Problem::SlotLeft(Slot::new(0))]);
    let before = |body| problems(body, Stage::BeforeSsa);
    assert_eq!(before("v4: i32 = get slot0\nreturn"), [types("results", &[I32], &[F32])]);
    assert_eq!(before("set slot0, v0\nreturn"), [ty("slot value", 0, I32, F32)]);
    let mut func = Function::new("f", Interface::default());
    let inst = func.add_inst(InstKind::SlotGet(Slot::new(3)), &[I32], Origin(0));
    let end = func.add_inst(InstKind::Return, &[], Origin(0));
    let body = func.body();
    func.region_mut(body).insts = vec![inst, end];
    let errors = check(&func, Stage::BeforeSsa).expect_err("there is no slot").errors;
    assert_eq!(errors[0].problem, Problem::NoSlot(Slot::new(3)));
}

#[test]
fn an_index_is_there_exactly_where_elements_are() {
    for (object, target) in [
        ("res0", view(0)),
        ("res2", view(2)),
        ("res6", view(6)),
        ("g0", MemoryObject::Shared(SharedId::new(0))),
        ("x0", MemoryObject::Local(LocalId::new(0))),
        ("icb", MemoryObject::Immediate),
    ] {
        finds(&format!("v4: i32 = load {object}[v0 + v0]\nreturn"), &[]);
        finds(&format!("v4: i32 = load {object}[v0]\nreturn"), &[Problem::IndexMissing(target)]);
    }
    for (object, target) in [("res1", view(1)), ("res5", view(5)), ("g1", MemoryObject::Shared(SharedId::new(1)))] {
        finds(&format!("v4: i32 = load {object}[v0]\nreturn"), &[]);
        finds(&format!("v4: i32 = load {object}[v0 + v0]\nreturn"), &[Problem::IndexGiven(target)]);
    }
}

#[test]
fn addresses_are_words() {
    finds("v4: i32 = load res2[v1 + v0]\nreturn", &[ty("index", 1, F32, I32)]);
    finds("v4: i32 = load res2[v0 + v3]\nreturn", &[ty("offset", 3, I64, I32)]);
    finds("v4: i32 = load res1.v1[v0]\nreturn", &[ty("element", 1, F32, I32)]);
}

#[test]
fn memory_accesses_move_one_to_four_words() {
    let words = |what, found| Problem::Words { what, found };
    finds("load res1[v0]\nreturn", &[words("results", 0)]);
    finds("v4, v5, v6, v7, v8: i32 = load res1[v0]\nreturn", &[words("results", 5)]);
    finds("v4: f32 = load res1[v0]\nreturn", &[ty("results", 4, F32, I32)]);
    finds("store res5[v0], v0, v0, v0, v0, v0 where v2\nreturn", &[words("stored values", 5)]);
    finds("store res5[v0], v1 where v2\nreturn", &[ty("stored values", 1, F32, I32)]);
    finds("v4: i32 = store res5[v0], v0 where v2\nreturn", &[types("results", &[I32], &[])]);
    let place = MemoryRef { object: Object::Shared(SharedId::new(1)), index: None, offset: Value::new(0) };
    let mut func = parse(&format!("{HEAD}return\n}}\n}}")).expect("fits");
    let kind = InstKind::Store { place, values: Values::new(), effect: Value::new(2) };
    let store = func.add_inst(kind, &[], Origin(0));
    let body = func.body();
    func.region_mut(body).insts.insert(4, store);
    assert_eq!(found(&func), [words("stored values", 0)]);
}

#[test]
fn effects_are_conditions() {
    for access in [
        "store res5[v0], v0 where v0",
        "v4: i32 = atomic add res5[v0], v0 where v0",
        "v4: i32 = counter alloc res7 where v0",
        "texel_store res8[v0, v0, v0], v0, v0, v0, v0 where v0",
        "v4: i32 = texel_atomic add res8[v0, v0, v0], v0 where v0",
    ] {
        finds(&format!("{access}\nreturn"), &[ty("effect", 0, I32, Bool)]);
    }
}

#[test]
fn messages_have_a_sender_and_few_operands() {
    let send = |words: &[&str]| format!("send message0, {} where v2\nreturn", words.join(", "));
    finds(&send(&["v0"; 4]), &[]);
    finds(&send(&["v0"; 15]), &[]);
    finds(&send(&["v0"; 3]), &[Problem::MessageWords(3)]);
    finds(&send(&["v0"; 16]), &[Problem::MessageWords(16)]);
    finds(&send(&["v0", "v0", "v0", "v1"]), &[ty("words of the message", 1, F32, I32)]);
    finds("send message0, v0, v0, v0, v0 where v0\nreturn", &[ty("effect", 0, I32, Bool)]);
    finds("v4: i32 = send message0, v0, v0, v0, v0 where v2\nreturn", &[types("results", &[I32], &[])]);
    let mut func = parse(&format!("{HEAD}{}\n}}\n}}", send(&["v0"; 4]))).expect("fits");
    func.interface.messages.clear();
    assert_eq!(found(&func), [Problem::NoMessage(MessageId::new(0))]);
}

#[test]
fn only_what_can_be_written_is() {
    finds("store res1[v0], v0 where v2\nreturn", &[wrong("store", view(1))]);
    finds("store res0[v0 + v0], v0 where v2\nreturn", &[wrong("store", view(0))]);
    finds("store icb[v0 + v0], v0 where v2\nreturn", &[wrong("store", MemoryObject::Immediate)]);
    finds("store x0[v0 + v0], v0 where v2\nreturn", &[]);
    finds("store res8[v0], v0 where v2\nreturn", &[wrong("store", view(8))]);
    finds("v4: i32 = load res4[v0]\nreturn", &[wrong("load", view(4))]);
    finds("v4: i32 = atomic add res2[v0 + v0], v0 where v2\nreturn", &[wrong("atomic", view(2))]);
    let local = wrong("atomic", MemoryObject::Local(LocalId::new(0)));
    finds("v4: i32 = atomic add x0[v0 + v0], v0 where v2\nreturn", &[local]);
    finds("texel_store res3[v0, v0], v0, v0, v0, v0 where v2\nreturn", &[wrong("texel store", view(3))]);
    finds("v4: i32 = texel_atomic add res4[v0], v0 where v2\nreturn", &[wrong("texel atomic", view(4))]);
}

#[test]
fn a_comparand_belongs_to_compare_exchange() {
    finds("v4: i32 = atomic compare_exchange res5[v0], v0 where v2\nreturn", &[Problem::Comparand]);
    finds("v4: i32 = atomic add res5[v0], v0 compare v0 where v2\nreturn", &[Problem::Comparand]);
    finds("v4: i32 = texel_atomic add res8[v0, v0, v0], v0 compare v0 where v2\nreturn", &[Problem::Comparand]);
    let operands = [ty("operand", 1, F32, I32), ty("comparand", 3, I64, I32)];
    finds("v4: i32 = atomic compare_exchange res5[v0], v1 compare v3 where v2\nreturn", &operands);
    finds("v4: f32 = atomic add res5[v0], v0 where v2\nreturn", &[types("results", &[F32], &[I32])]);
}

#[test]
fn counters_are_declared_on_structured_unordered_views() {
    finds("v4: i32 = counter alloc res7 where v2\nreturn", &[]);
    finds("v4: i32 = counter alloc res6 where v2\nreturn", &[Problem::NoCounter(ResourceId::new(6))]);
    finds("v4: i32 = counter consume res5 where v2\nreturn", &[wrong("counter", view(5))]);
    finds("v4: i32 = counter consume res2 where v2\nreturn", &[wrong("counter", view(2))]);
    finds("v4: f32 = counter consume res7 where v2\nreturn", &[types("results", &[F32], &[I32])]);
}

#[test]
fn texels_have_the_dimensions_coordinates() {
    let count = |found, expected| Problem::Count { what: "coordinates", found, expected };
    finds("v4, v5, v6, v7: i32 = texel_load res3[v0] level v0\nreturn", &[count(1, 2)]);
    finds("texel_store res8[v0, v0], v0, v0, v0, v0 where v2\nreturn", &[count(2, 3)]);
    finds("v4: i32 = texel_atomic add res8[v0], v0 where v2\nreturn", &[count(1, 3)]);
    finds("v4, v5, v6, v7: i32 = texel_load res4[v1]\nreturn", &[ty("coordinate", 1, F32, I32)]);
    finds("v4, v5, v6, v7: i32 = texel_load res3[v0, v0] level v1\nreturn", &[ty("level", 1, F32, I32)]);
    finds("v4, v5, v6, v7: i32 = texel_load res4[v0] level v0\nreturn", &[Problem::LevelGiven(view(4))]);
    finds("v4, v5, v6, v7: i32 = texel_load res8[v0, v0, v0] level v0\nreturn", &[Problem::LevelGiven(view(8))]);
    finds("v4: i32 = texel_load res4[v0]\nreturn", &[types("results", &[I32], &[I32; 4])]);
    finds("texel_store res8[v0, v0, v0], v0, v0 where v2\nreturn", &[types("stored values", &[I32, I32], &[I32; 4])]);
    finds("v4, v5, v6, v7: i32 = texel_load res1[v0]\nreturn", &[wrong("texel load", view(1))]);
}

#[test]
fn questions_fit_their_views() {
    let query = |what: &str| format!("v4, v5, v6, v7: i32 = query {what}\nreturn");
    for fine in ["buffer_size res1", "buffer_size res2", "buffer_size res4", "texture_size res3 level v0"] {
        finds(&query(fine), &[]);
    }
    finds(&query("buffer_size res0"), &[wrong("buffer size", view(0))]);
    finds(&query("buffer_size res3"), &[wrong("buffer size", view(3))]);
    finds(&query("texture_size res4"), &[wrong("texture size", view(4))]);
    finds(&query("sample_count res3"), &[wrong("sample count", view(3))]);
    finds(&query("sample_position res3 level v0"), &[wrong("sample position", view(3))]);
    finds(&query("buffer_size res1 level v0"), &[Problem::LevelGiven(view(1))]);
    finds("v4: i32 = query buffer_size res1\nreturn", &[types("results", &[I32], &[I32; 4])]);
}

#[test]
fn fixed_elements_are_in_their_range() {
    finds("v4, v5, v6, v7: i32 = query texture_size res3.1\nreturn", &[]);
    let outside = Problem::Element { id: ResourceId::new(3), element: 2, count: 2 };
    finds("v4, v5, v6, v7: i32 = query texture_size res3.2\nreturn", &[outside]);
}

#[test]
fn what_returns_nothing_has_no_results() {
    finds("v4: i32 = barrier threads\nreturn", &[types("results", &[I32], &[])]);
    finds("v4: i32 = return", &[types("results", &[I32], &[])]);
}

/// The findings in a function.
fn found(func: &Function) -> Vec<Problem> {
    let errors = check(func, Stage::Final).expect_err("breaks a rule").errors;
    errors.into_iter().map(|error| error.problem).collect()
}

fn found_but_slots(func: &Function) -> Vec<Problem> {
    found(func).into_iter().filter(|problem| !matches!(problem, Problem::SlotLeft(_))).collect()
}

/// A function whose body has the instructions that `fill` returns, and a return.
fn built(fill: impl FnOnce(&mut Function) -> Vec<Inst>) -> Function {
    let mut func = Function::new("f", Interface::default());
    let mut insts = fill(&mut func);
    insts.push(func.add_inst(InstKind::Return, &[], Origin(0)));
    let body = func.body();
    func.region_mut(body).insts = insts;
    func
}

/// A region with nothing but a yield.
fn yielding(func: &mut Function) -> Region {
    let region = func.add_region();
    let end = func.add_inst(InstKind::Yield(Values::new()), &[], Origin(0));
    func.region_mut(region).insts.push(end);
    region
}

#[test]
fn a_region_has_one_owner() {
    let mut shared = None;
    let func = built(|func| {
        let cond = func.add_inst(InstKind::Const(Const::bool(true)), &[Bool], Origin(0));
        let region = yielding(func);
        shared = Some(region);
        let kind = InstKind::If { cond: func.inst(cond).results[0], then_region: region, else_region: region };
        vec![cond, func.add_inst(kind, &[], Origin(0))]
    });
    assert_eq!(Some(found(&func)), shared.map(|region| vec![Problem::RegionTwice(region)]));
    // The body within itself.
    let func = built(|func| {
        vec![func.add_inst(InstKind::Loop { inits: Values::new(), body: Region::new(0) }, &[], Origin(0))]
    });
    assert_eq!(found(&func), [Problem::RegionTwice(Region::new(0))]);
}

#[test]
fn an_instruction_is_in_one_place() {
    let func = built(|func| vec![func.add_inst(InstKind::Const(Const::i32(1)), &[I32], Origin(0)); 2]);
    assert_eq!(found(&func), [Problem::InstTwice]);
}

#[test]
fn only_loops_have_parameters() {
    let mut func = built(|_| Vec::new());
    let body = func.body();
    func.add_param(body, I32);
    assert_eq!(found(&func), [Problem::Params(body)]);
}

#[test]
fn definitions_know_where_they_are() {
    let mut func = built(|func| {
        let one = func.add_inst(InstKind::Const(Const::i32(1)), &[I32], Origin(0));
        let two = func.add_inst(InstKind::Const(Const::i32(2)), &[I32], Origin(0));
        vec![one, two]
    });
    let stolen = func.inst(Inst::new(0)).results[0];
    func.inst_mut(Inst::new(1)).results[0] = stolen;
    assert_eq!(found(&func), [Problem::Definition(stolen)]);
}

/// Dangling indices, in every field that has one.
#[test]
fn indices_that_point_nowhere_are_findings() {
    let nowhere = Value::new(999);
    let mut func = built(|func| {
        let args = Values::from_slice(&[nowhere, nowhere]);
        vec![func.add_inst(InstKind::Op { op: Op::IAdd, args }, &[I32], Origin(0)), Inst::new(500)]
    });
    assert_eq!(found(&func), [Problem::NoValue(nowhere), Problem::NoValue(nowhere), Problem::NoInst(Inst::new(500))]);
    func.inst_mut(Inst::new(0)).results.push(nowhere);
    assert!(found(&func).len() > 3);

    let func = built(|func| {
        let selector = func.add_inst(InstKind::Const(Const::i32(1)), &[I32], Origin(0));
        let kind = InstKind::Switch {
            selector: func.inst(selector).results[0],
            cases: vec![Case { labels: vec![1], region: Region::new(70) }],
            default: Region::new(71),
        };
        vec![selector, func.add_inst(kind, &[], Origin(0))]
    });
    assert_eq!(found(&func), [Problem::NoRegion(Region::new(70)), Problem::NoRegion(Region::new(71))]);

    for (object, expected) in [
        (Object::Shared(SharedId::new(9)), Problem::NoShared(SharedId::new(9))),
        (Object::Local(LocalId::new(9)), Problem::NoLocal(LocalId::new(9))),
        (
            Object::Resource(ResourceRef { id: ResourceId::new(9), element: Element::Fixed(0) }),
            Problem::NoResource(ResourceId::new(9)),
        ),
    ] {
        let func = built(|func| {
            let offset = func.add_inst(InstKind::Const(Const::i32(0)), &[I32], Origin(0));
            let effect = func.add_inst(InstKind::Const(Const::bool(true)), &[Bool], Origin(0));
            let (value, effect) = (func.inst(offset).results[0], func.inst(effect).results[0]);
            let place = MemoryRef { object, index: None, offset: value };
            let kind = InstKind::Atomic { op: AtomicOp::Add, place, value, compare: None, effect };
            vec![Inst::new(0), Inst::new(1), func.add_inst(kind, &[I32], Origin(0))]
        });
        assert_eq!(found(&func), [expected]);
    }
}

/// Deeper than any stack: the walk must not recurse.
#[test]
fn no_nesting_is_too_deep() {
    let mut func = Function::new("deep", Interface::default());
    let mut b = Builder::new(&mut func);
    let cond = b.bool(true);
    for depth in 0..200_000 {
        let (_, then_region, else_region) = b.if_else(cond, &[]);
        if depth == 0 {
            b.return_()
        } else {
            b.yield_(&[])
        }
        b.switch_to(else_region);
        b.yield_(&[]);
        b.switch_to(then_region);
    }
    b.yield_(&[]);
    verify(func).expect("follows every rule");
}

fn declarations(lines: &str) -> Vec<Problem> {
    let func = parse(&format!("function \"f\" {{\n{lines}\nbody {{ return }} }}")).expect("is a function");
    found(&func)
}

#[test]
fn declarations_make_sense() {
    use ResourceClass::{Constant, ShaderResource};
    let id = ResourceId::new(0);
    assert_eq!(declarations("group 65536 65536 1"), [Problem::GroupSize(65536, 65536, 1)]);
    let kind = ResourceKind::Raw;
    assert_eq!(declarations("res0 = b0 raw"), [Problem::ResourceKind { id, class: Constant, kind }]);
    let kind = ResourceKind::Constant { vectors: 1 };
    assert_eq!(declarations("res0 = t0 constant 1"), [Problem::ResourceKind { id, class: ShaderResource, kind }]);
    assert_eq!(declarations("res0 = t0[0] raw"), [Problem::RangeSize(id)]);
    assert_eq!(declarations("res0 = t4294967295[2] raw"), [Problem::RangeSize(id)]);
    assert_eq!(declarations("res0 = u0 raw counter"), [Problem::CounterDeclaration(id)]);
    assert_eq!(declarations("res0 = t0 structured stride 4 counter"), [Problem::CounterDeclaration(id)]);
    assert_eq!(declarations("res0 = t0 structured stride 6"), [Problem::Stride("res0".into(), 6)]);
    assert_eq!(declarations("g0 = g0 raw stride 8 count 1"), [Problem::Stride("g0".into(), 8)]);
    assert_eq!(declarations("g0 = g0 structured stride 0 count 1"), [Problem::Stride("g0".into(), 0)]);
    let large = "g0 = g0 structured stride 65536 count 65536";
    assert_eq!(declarations(large), [Problem::TooLarge("shared memory")]);
    assert_eq!(declarations("x0 = x0 registers 1 components 5"), [Problem::Components(LocalId::new(0), 5)]);
    let large = "x0 = x0 registers 4294967295 components 1";
    assert_eq!(declarations(large), [Problem::TooLarge("the private arrays")]);
}

#[test]
fn stages_have_arrays_for_what_goes_in_and_out() {
    let checked = |text: &str| match check(&parse(text).expect("is a function"), Stage::Final) {
        Ok(()) => Vec::new(),
        Err(errors) => errors.errors.into_iter().map(|error| error.problem).collect(),
    };
    let stage = |lines: &str| checked(&format!("function \"f\" {{\nstage vertex\n{lines}\nbody {{ return }} }}"));
    let array = ArrayId::new(0);
    assert_eq!(stage("array0 = read stride 16\ninputs array0\ninput 0 xyz constant"), []);
    assert_eq!(stage("array0 = written stride 32\noutputs array0\noutput 1 x constant position"), []);
    assert_eq!(stage("input 0 xyz constant"), []);
    assert_eq!(stage("inputs array0"), [Problem::NoArray(array)]);
    assert_eq!(stage("array0 = read stride 16\ninputs array0\ninput 1 x constant"), [Problem::NoRows]);
    let row = u32::MAX;
    assert_eq!(stage(&format!("array0 = read stride 16\ninputs array0\ninput {row} x constant")), [Problem::NoRows]);
    assert_eq!(stage("array0 = read stride 16\noutputs array0"), [Problem::NoRows]);
    assert_eq!(stage("array0 = read stride 6"), [Problem::Stride("array0".into(), 6)]);
    let many: String = (0..9).map(|n| format!("array{n} = read stride 4\n")).collect();
    assert_eq!(stage(&many), [Problem::ArrayCount(9)]);
    assert_eq!(stage("g0 = g0 raw stride 4 count 1"), [Problem::NoGroup("shared memory")]);
    let in_body = |lines: &str, body: &str| {
        checked(&format!("function \"f\" {{\nstage pixel\n{lines}\nbody {{\n{body}\nreturn }} }}"))
    };
    assert_eq!(in_body("", "barrier threads"), [Problem::NoGroup("a barrier that waits")]);
    assert_eq!(in_body("", "barrier views_global"), []);
    let store = "v0: i32 = const 0\nv1: bool = const true\nstore array0[v0 + v0], v0 where v1";
    assert_eq!(in_body("array0 = written stride 4", store), []);
    let target = MemoryObject::Array(array, false);
    assert_eq!(in_body("array0 = read stride 4", store), [Problem::WrongTarget { what: "store", target }]);
    let atomic = "v0: i32 = const 0\nv1: bool = const true\nv2: i32 = atomic add array0[v0 + v0], v0 where v1";
    let target = MemoryObject::Array(array, true);
    assert_eq!(in_body("array0 = written stride 4", atomic), [Problem::WrongTarget { what: "atomic", target }]);
    let flat = "v0: i32 = const 0\nv1: i32 = load array0[v0]";
    assert_eq!(in_body("array0 = written stride 4", flat), [Problem::IndexMissing(target)]);
}
