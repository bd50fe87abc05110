//! Tests the text form: printing and parsing are inverses, errors name their position, hostile text does no harm.

use brolga_ir::passes::{Level, optimise};
use brolga_ir::text::{MAX_NESTING, Names, ParseProblem, parse, print};
use brolga_ir::{Function, Op, verify};
use brolga_testing_base::programs::generate_wild;
use brolga_testing_base::random::Random;
use brolga_testing_base::same::assert_same;

/// Every construct once, written by hand.
const EVERYTHING: &str = r#"function "all \"of\" it" {
  group 64 2 1
  res0 = t0 structured stride 16
  res1 = u0 raw
  res2 = b0 constant 4
  res3 = u1 typed texture2d unorm
  res4 = t3[5] typed texture2darray float space 2
  res5 = u2[] structured stride 8 space 1 counter
  res6 = t9 typed texture2dms mixed
  g0 = g0 structured stride 16 count 64
  g1 = g4 raw stride 4 count 256
  x0 = x0 registers 16 components 4
  icb {
    0x00000000 0x3f800000 0xffffffff 0x00000007
    0x00000001 0x00000002 0x00000003 0x00000004
  }
  slots 4 i32
  body {
    v0: i32 = input thread_id.x
    v1: i32 = input group_id.y
    v2: i32 = input thread_id_in_group.z
    v3: i32 = input thread_index
    v4: bool = const true
    v5: f32 = const 0x3fc00000  # 1.5
    v6: f32 = precise fadd v5, v5  @0x1f4
    v7: i64 = pack64 v0, v1  @0x10
    v8: f64 = const 0x3ff0000000000000  # 1.0
    v9, v10: i32 = load res0[v0 + v2]
    v11: i32 = load res1[v0]
    v12, v13, v14, v15: i32 = load res2[v0 + v1]
    v16: i32 = load g0[v0 + v1]
    v17: i32 = load g1[v0]
    v18: i32 = load x0[v0 + v1]
    v19: i32 = load icb[v0 + v1]
    store res5.3[v0 + v1], v2, v3 where v4  @0x20
    store g1[v0], v1, v2, v3, v9 where v4
    v20: i32 = atomic add res1[v0], v1 where v4
    v21: i32 = atomic compare_exchange g0[v0 + v1], v2 compare v3 where v4
    v22: i32 = counter alloc res5.v0 where v4
    v23: i32 = counter consume res5 where v4
    v24, v25, v26, v27: i32 = texel_load res3[v0, v1]
    v28, v29, v30, v31: i32 = texel_load res4.v0[v0, v1, v2] level v3
    texel_store res3[v0, v1], v24, v25, v26, v27 where v4
    v32: i32 = texel_atomic umax res3[v0, v1], v2 where v4
    v33, v34, v35, v36: i32 = query buffer_size res0
    v37, v38, v39, v40: i32 = query texture_size res4.4 level v1
    v41, v42, v43, v44: i32 = query sample_count res6
    v45, v46, v47, v48: i32 = query sample_position res6 level v0
    barrier threads shared views_group views_global
    barrier shared
    note slot3, v0
    precise if v4 -> v49, v50: i32, v51: f32 @0x30 {
      yield v0, v1, v5
    }
    else {
      yield v2, v3, v6
    }
    loop l0 (v52: i32 = v0, v53: f64 = v8) -> v54: i32, v55: f64 {
      v56: bool = ult v52, v1
      if v56 {
        break l0 v52, v53
      }
      else {
        yield
      }
      switch l1 v52 -> v57: i32 {
        case 1, 2 {
          continue l0 v0, v53
        }
        case 4294967295 {
          break l1 v1
        }
        default {
          return
        }
      }
      yield v57, v53
    }
    return
  }
}
"#;

#[test]
fn every_construct_comes_back_as_it_was() {
    let func = parse(EVERYTHING).expect("the grammar's own example");
    assert_eq!(func.to_string(), EVERYTHING);
    assert_eq!(print(&func, Names::Arena), EVERYTHING, "the parser numbers in the order of the text");
    verify(func).expect("follows every rule");
}

#[test]
fn slots_come_back_as_they_were() {
    let text = "function \"s\" {\n  group 1 1 1\n  slots 1 f32\n  slots 3 bool\n  body {\n    v0: f32 = get slot0\n    \
                set slot0, v0\n    return\n  }\n}\n";
    assert_eq!(parse(text).expect("slots are part of the grammar").to_string(), text);
}

/// A random function of every kind of instruction, without slots.
fn function(seed: u64, size: usize) -> Function {
    let mut func = generate_wild(seed, size);
    optimise(&mut func, Level::None);
    func
}

#[test]
fn random_functions_verify_and_come_back_as_they_were() {
    for seed in 0..400 {
        let func = function(seed, 1 + seed as usize % 15);
        let text = func.to_string();
        let func = verify(func).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
        let again = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_same(&func, &again);
        assert_eq!(print(&again, Names::Dense), text, "seed {seed}");
        assert_eq!(print(&again, Names::Arena), text, "seed {seed}");
        verify(again).expect("the same function follows the same rules");
    }
}

/// The generator omits nothing: every operation, and every kind of instruction.
#[test]
fn random_functions_hold_everything() {
    let text: String = (0..400).map(|seed| function(seed, 15).to_string()).collect();
    let has = |word: &str| text.contains(&format!(" {word} "));
    let missing: Vec<&str> = Op::ALL.iter().map(|op| op.name()).filter(|name| !has(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let words = "const input load store atomic counter texel_load texel_store texel_atomic query barrier if loop switch \
                 yield break continue level compare precise compare_exchange";
    let missing: Vec<&str> = words.split(' ').filter(|word| !has(word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Names by arena number parse to the same function too.
#[test]
fn sparse_names_are_read() {
    for seed in 0..20 {
        let func = function(seed, 10);
        assert_same(&func, &parse(&print(&func, Names::Arena)).expect("names are names"));
    }
}

#[test]
fn functions_that_break_rules_are_shown_all_the_same() {
    use brolga_ir::entity::{Inst, Region, Value};
    use brolga_ir::function::{InstKind, Origin};
    let mut func = Function::new("broken", Default::default());
    let body = func.body();
    let cond = Value::new(77);
    let own = func.add_inst(InstKind::If { cond, then_region: body, else_region: Region::new(9) }, &[], Origin(0));
    func.region_mut(body).insts = vec![own, Inst::new(55)];
    let text = func.to_string();
    assert!(text.contains("?v77") && text.contains("printed above") && text.contains("no such region"), "{text}");
}

fn problem(body: &str) -> (u32, u32, ParseProblem) {
    let text = format!("function \"f\" {{\n  res0 = u0 raw\n  body {{\n{body}\n  }}\n}}\n");
    let error = parse(&text).map(|func| func.to_string()).expect_err("is wrong");
    (error.line, error.column, error.problem)
}

fn message(body: &str) -> String {
    let (line, column, problem) = problem(body);
    format!("{line}:{column} {problem}")
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(message("    v0: i32 = fadd v1"), "4:20 v1 is not defined before this");
    assert_eq!(message("v0: i32 = const 1\nv0: i32 = const 1"), "5:1 v0 is defined already");
    assert_eq!(
        message("v0: i32 = frobnicate v1"),
        "4:11 found `frobnicate`, expected an instruction or the name of an operation"
    );
    assert_eq!(message("v0: i33 = const 1"), "4:5 found `i33`, expected a type: `bool`, `i32`, `f32`, `i64` or `f64`");
    assert_eq!(message("v0: i32 = const"), "4:16 found the end of the line, expected a number");
    assert_eq!(message("v0: i32 = const 12z"), "4:17 found `12z`, expected a decimal number or one after `0x`");
    assert_eq!(message("v0: i32 = const 99999999999999999999"), "4:17 number 99999999999999999999 is too large");
    assert_eq!(message("v0: i32 = const 1 v1"), "4:19 found `v1`, expected the end of the line");
    assert_eq!(message("v0: i32 = const 1\nv1: i32 = load res1[v0]"), "5:16 res1 is not defined before this");
    assert_eq!(message("v0: i32 = const 1\nv1: i32 = load g0[v0]"), "5:16 g0 is not defined before this");
    assert_eq!(message("break l0"), "4:7 l0 is not defined before this");
    assert_eq!(message("v0: i32 = get slot0"), "4:15 slot0 is not defined before this");
    assert_eq!(message("return @4294967296"), "4:9 number 4294967296 is too large");
    assert_eq!(
        message("barrier threads fast"),
        "4:17 found `fast`, expected `threads`, `shared`, `views_group` or `views_global`"
    );
    assert_eq!(message("v0: i32 = const 1\nswitch l0 v0 {\n}"), "6:1 found `}`, expected `case` or `default`");
    assert_eq!(message("\u{e9}"), "4:1 found `\u{e9}`, expected a statement or `}`");
    let error = parse("function \"f").expect_err("the quote is open");
    assert_eq!(error.to_string(), "line 1, column 10: found a text without end, expected `\"` in the same line");
    assert!(parse("").expect_err("is empty").to_string().contains("found the end of the text"));
}

#[test]
fn declarations_are_numbered_in_order() {
    let error = parse("function \"f\" {\n res1 = t0 raw\n body { return } }").expect_err("res0 is missing");
    assert_eq!(error.to_string(), "line 2, column 2: found `res1`, expected `res0`");
}

#[test]
fn slots_have_a_limit() {
    let error = parse("function \"f\" {\n slots 16000 i32\n slots 385 f32\n body { return } }").expect_err("too many");
    assert_eq!(error.to_string(), "line 3, column 8: number 385 is too large");
}

/// One line is enough where braces end the statements.
#[test]
fn blocks_may_stand_in_one_line() {
    let text = r#"function "f" { body { v0: bool = const true
        if v0 -> v1: bool { yield v0 } else { yield v0 }
        return } }"#;
    verify(parse(text).expect("lines are not needed here")).expect("follows every rule");
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        let mut text = String::from("v0: bool = const true\n");
        text.push_str(&"if v0 {\n".repeat(depth));
        text.push_str("yield\n");
        text.push_str(&"} else { yield }\nyield\n".repeat(depth));
        text.truncate(text.len() - "yield\n".len());
        format!("function \"deep\" {{ body {{\n{text}return }} }}")
    };
    let deepest = parse(&nested(MAX_NESTING - 1)).expect("as deep as may be");
    let text = deepest.to_string();
    let func = verify(deepest).expect("follows every rule");
    assert_eq!(parse(&text).expect("printed").to_string(), func.to_string());
    let error = parse(&nested(MAX_NESTING)).expect_err("too deep");
    assert_eq!(error.problem, ParseProblem::Nesting { limit: MAX_NESTING });
}

/// Random damage gives an error or another function, never a panic; what parses can be printed and checked.
#[test]
fn damaged_text_does_no_harm() {
    let mut random = Random(7);
    let pieces =
        ["{", "}", "v0", "res0", "g0", "l0", "if v4 {", ",", "\"", "\\u{", "0x", "@", "->", "\n", "#", "\u{10ffff}"];
    for round in 0..3000 {
        let mut text = EVERYTHING.to_string();
        for _ in 0..=random.below(3) {
            let from = random.below(text.len());
            let to = (from + random.below(30)).min(text.len());
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                let piece = if random.below(2) == 0 { "" } else { random.pick(&pieces) };
                text.replace_range(from..to, piece);
            }
        }
        if let Ok(func) = parse(&text) {
            let again = parse(&func.to_string()).unwrap_or_else(|error| panic!("round {round}: {error}\n{func}"));
            assert_same(&func, &again);
            let _ = verify(func);
        }
    }
}
