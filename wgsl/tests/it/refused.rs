//! Texts that are refused: errors with their places, features by name, limits, hostile texts.

use brolga_runtime::{Engine, Error as RunError, Level};
use brolga_wgsl::{Error, Fault, Options, Position, Quantity, Shader};

use crate::run::Run;

fn error(text: &str) -> Error {
    error_with(text, &Options::default())
}

fn error_with(text: &str, options: &Options) -> Error {
    Shader::read(text, options).map(|_| ()).unwrap_err()
}

/// A main function with this body, behind declarations.
fn main_of(declarations: &str, body: &str) -> String {
    format!(
        "{declarations} @group(0) @binding(0) var<storage, read_write> out: array<u32>; @compute @workgroup_size(1) fn main() {{ {body} }}"
    )
}

#[test]
fn faults_name_line_and_column() {
    let syntax = error("fn main() {\n    let x = ;\n}");
    assert!(matches!(syntax.fault, Fault::Syntax { .. }), "{syntax}");
    assert_eq!(syntax.at, Some(Position { line: 2, column: 13 }));
    let unknown = error("@compute @workgroup_size(1)\nfn main() {\n  let x = y + 1;\n}");
    assert_eq!(unknown.at, Some(Position { line: 3, column: 11 }));
    assert!(unknown.to_string().starts_with("3:11: "), "{unknown}");
    let invalid = error(
        "struct S { a: array<u32> }\n@group(0) @binding(0) var<uniform> s: S;\n@compute @workgroup_size(1) fn main() { _ = s.a[0]; }",
    );
    assert!(matches!(invalid.fault, Fault::Invalid { .. }) && invalid.at.is_some(), "{invalid}");
}

#[test]
fn features_are_refused_by_name() {
    let cases = [
        ("enable f16; @group(0) @binding(1) var<storage> h: array<f16>;", "out[0] = u32(h[0]);", "f16"),
        ("@group(0) @binding(1) var<storage> h: array<u64>;", "out[0] = u32(h[0]);", "u64"),
        ("@group(0) @binding(1) var<storage> h: array<i64>;", "out[0] = u32(h[0]);", "i64"),
        ("@group(0) @binding(1) var<storage> h: array<f64>;", "out[0] = u32(h[0]);", "f64"),
        ("", "out[0] = subgroupAdd(out[1]);", "a subgroup operation"),
        ("@group(0) @binding(1) var<storage, read_write> f: atomic<f32>;", "atomicAdd(&f, 1.0);", "an atomic f32"),
    ];
    for (declarations, body, name) in cases {
        // Directives come first.
        let found = error(&main_of(declarations, body));
        assert_eq!(found.fault, Fault::Unsupported { name: name.to_owned() }, "{body}: {found}");
        assert!(found.at.is_some(), "{found}");
    }
}

#[test]
fn entry_points_are_chosen() {
    let text = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(2) fn b() {} @fragment fn c() {}";
    assert!(matches!(error(text).fault, Fault::WhichEntryPoint { found } if found == ["a", "b"]));
    let mut options = Options::default();
    options.entry = Some("c".to_owned());
    assert!(matches!(error_with(text, &options).fault, Fault::NoEntryPoint { found, .. } if found == ["a", "b"]));
    options.entry = Some("b".to_owned());
    assert_eq!(Shader::read(text, &options).unwrap().function().interface.group_size(), [2, 1, 1]);
}

#[test]
fn overrides_have_values_of_their_types() {
    let text = main_of(
        "override width: u32; @id(7) override scale: f32 = 2.0; override twice = f32(width) * scale; override on = true;
         var<workgroup> list: array<u32, width * 2u>;",
        "list[width] = width; if on { out[0] = u32(twice) + list[width] * 100u; }",
    );
    assert_eq!(error(&text).fault, Fault::OverrideWithoutValue { name: "width".to_owned(), others: Vec::new() });
    assert_eq!(error(&text).at, Some(Position { line: 1, column: 1 }));
    let run = |values: &[(&str, f64)]| {
        let mut run = Run::new(&text).buffer(0, &[0]);
        run.options.overrides = values.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        run
    };
    assert_eq!(run(&[("width", 3.0)]).words(), [306]);
    assert_eq!(run(&[("width", 3.0), ("7", 5.0)]).words(), [315]);
    assert_eq!(run(&[("width", 3.0), ("twice", 1.0)]).words(), [301]);
    assert_eq!(run(&[("width", 3.0), ("on", 0.0)]).words(), [0]);
    let fault = |values: &[(&str, f64)]| error_with(&text, &run(values).options).fault;
    assert_eq!(fault(&[("width", 0.0)]), Fault::Size { found: 0 });
    assert!(matches!(fault(&[("width", 1.5)]), Fault::OverrideValue { ty: "u32", .. }));
    assert!(matches!(fault(&[("width", -1.0)]), Fault::OverrideValue { .. }));
    let found = ["width", "7 (scale)", "twice", "on"].map(str::to_owned).to_vec();
    assert_eq!(fault(&[("scale", 1.0)]), Fault::NoOverride { name: "scale".to_owned(), found });
    let sized = "override n = 8; @compute @workgroup_size(n, n * 2) fn main() {}";
    let mut options = Options::default();
    assert_eq!(Shader::read(sized, &options).unwrap().function().interface.group_size(), [8, 16, 1]);
    options.overrides.insert("n".to_owned(), -1.0);
    assert_eq!(error_with(sized, &options).fault, Fault::Size { found: -1 });
    options.overrides.insert("n".to_owned(), 65536.0);
    assert!(matches!(error_with(sized, &options).fault, Fault::TooMany { quantity: Quantity::GroupThreads, .. }));
}

fn quantity(text: &str) -> Quantity {
    match error(text).fault {
        Fault::TooMany { quantity, .. } => quantity,
        other => panic!("{other}"),
    }
}

#[test]
fn sizes_are_bounded() {
    let text = "@compute @workgroup_size(2048, 16384) fn main() {}";
    assert_eq!(quantity(text), Quantity::GroupThreads);
    let private = main_of(
        "var<private> list: array<array<u32, 65536>, 2048>;",
        "list[out[0]][1] = 1u; out[0] = list[out[1]][2];",
    );
    assert_eq!(quantity(&private), Quantity::PrivateWords);
    let shared = main_of("var<workgroup> list: array<array<u32, 65536>, 2048>;", "list[out[0]][1] = 1u;");
    assert_eq!(quantity(&shared), Quantity::WorkgroupBytes);
    let constant = main_of("const LIST = array<array<u32, 65536>, 2048>();", "out[0] = LIST[out[1]][2];");
    assert_eq!(quantity(&constant), Quantity::ConstantVectors);
    let value = main_of("fn f() -> array<u32, 500000> { return array<u32, 500000>(); }", "out[0] = f()[out[1]];");
    assert_eq!(quantity(&value), Quantity::Instructions);
}

#[test]
fn inlined_calls_are_bounded() {
    let mut text = String::from("@group(0) @binding(1) var<storage, read_write> n: u32; fn f0() { n += 1u; }");
    for level in 1..40 {
        let below = level - 1;
        text += &format!("fn f{level}() {{ f{below}(); f{below}(); }}");
    }
    assert_eq!(quantity(&main_of(&text, "f39(); out[0] = 1u;")), Quantity::Instructions);
    let mut text = String::from("fn f0() -> u32 { return 1u; }");
    for level in 1..1000 {
        text += &format!("fn f{level}() -> u32 {{ return f{}() + 1u; }}", level - 1);
    }
    assert_eq!(quantity(&main_of(&text, "out[0] = f999();")), Quantity::CallDepth);
    // Without an effect too.
    let mut text = String::from("fn f0() {}");
    for level in 1..60 {
        text += &format!("fn f{level}() {{ f{0}(); f{0}(); }}", level - 1);
    }
    assert_eq!(quantity(&main_of(&text, "f59(); out[0] = 1u;")), Quantity::Instructions);
}

#[test]
fn depth_is_bounded_before_the_parser() {
    let many = |part: &str| part.repeat(10_000);
    for body in [
        format!("out[0] = 1u{};", many(" + 1u")),
        format!("out[0] = {}1u;", many("~")),
        format!("out[0] = {}1u{};", many("("), many(")")),
        format!("out[0] = {}1u{};", many("min(1u, "), many(")")),
        format!("let v = vec2u(1); out[0] = v{}.x;", many(".xy")),
        format!("out[0] = out{};", many("[0]")),
        format!("out[0] = 1u{};", many("+(1u,)")),
        format!("out[0] = 1u{};", many("+/*;*/1u")),
        format!("let x: {}u32;", many("array<")),
        format!("out[0] = {}1u;", many("vec2<")),
    ] {
        assert_eq!(quantity(&main_of("", &body)), Quantity::ExpressionDepth, "{}", &body[..30]);
    }
    for body in [
        many("{") + &many("}"),
        many("if true {") + &many("}"),
        format!("if true {{}} {}", many("else if true {}")),
        format!("if true {{}} {}", many("else/**/if true {} // \n")),
    ] {
        assert_eq!(quantity(&main_of("", &body)), Quantity::StatementDepth, "{}", &body[..10]);
    }
    let mut chain = String::from("const c0 = 1;");
    (1..10_000).for_each(|n| chain += &format!("const c{n} = c{};", n - 1));
    assert_eq!(quantity(&main_of(&chain, "out[0] = u32(c9999);")), Quantity::Declarations);
    assert_eq!(quantity(&" ".repeat(1 << 20)), Quantity::Text);
}

#[test]
fn texts_at_the_limits_are_read() {
    let limits = Options::default().limits;
    let depth = limits.expression_depth - 20;
    for body in [
        format!("out[0] = 1u{};", " + out[1]".repeat(depth / 3)),
        format!("out[0] = out[1]{};", " ^ 1u".repeat(depth)),
        format!("out[0] = 1u{};", " + 1u".repeat(depth)),
        format!("var v = vec2u(out[0]); out[0] = v{}.x;", ".yx".repeat(depth)),
        format!("let v = vec2u(1); out[0] = v{}.x;", ".yx".repeat(depth)),
    ] {
        Shader::read(&main_of("", &body), &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    }
    let mut chain = String::from("const c0 = 1;");
    (1..limits.declarations - 3).for_each(|n| chain += &format!("const c{n} = c{};", n - 1));
    let last = limits.declarations - 4;
    Shader::read(&main_of(&chain, &format!("out[0] = u32(c{last});")), &Options::default()).unwrap();
    let mut chain = String::from("struct S0 { x: u32 };");
    (1..1000).for_each(|n| chain += &format!("struct S{n} {{ x: S{} }};", n - 1));
    // Whatever it is, it ends with an answer.
    let _ = Shader::read(&main_of(&chain, "var s: S999; out[0] = 1u;"), &Options::default());
}

#[test]
fn barriers_that_threads_disagree_about_stop_the_run() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            if out[i] == 1u {
                workgroupBarrier();
            }
            out[i] = 2u;
        }";
    let words: Vec<u32> = (0..64).map(|i| u32::from(i == 5)).collect();
    for engine in [Engine::Interpreter, Engine::Jit] {
        let mut run = Run::new(text).buffer(0, &words);
        let error = run.on(engine, Level::Full).unwrap_err();
        assert!(matches!(error, RunError::DivergentBarrier { .. }), "{error}");
        assert!(error.to_string().contains("if out[i] == 1u {"), "{error}");
        run.options.file = Some("shaders/barrier.wgsl".to_owned());
        let error = run.on(engine, Level::Full).unwrap_err();
        assert!(error.to_string().contains(", barrier.wgsl:4)"), "{error}");
    }
}

/// Rules that nothing checks when a text is read: barriers are checked when threads meet them, and what the others leave
/// undefined has a value here.
const UNCHECKED: [&str; 11] = [
    "atomic_plain_write",
    "barrier_after_return",
    "barrier_loop_nonuniform",
    "barrier_nonuniform",
    "const_clamp",
    "const_extract_bits",
    "const_ldexp",
    "const_smoothstep",
    "infinite_loop",
    "mixed_logic",
    "mixed_precedence",
];

#[test]
fn programs_that_are_errors_are_refused() {
    let mut accepted = Vec::new();
    let programs = include_str!("../data/errors.wgsl").split("//// ").filter(|program| !program.is_empty());
    for program in programs.clone() {
        let (name, text) = program.split_once('\n').unwrap();
        match Shader::read(text, &Options::default()).map_err(|error| error.fault) {
            Ok(_) => accepted.push(name),
            Err(Fault::Syntax { .. } | Fault::Invalid { .. } | Fault::TooMany { .. }) => {}
            Err(fault) => panic!("{name}: {fault}"),
        }
    }
    assert_eq!(programs.count(), 45);
    assert_eq!(accepted, UNCHECKED);
}

#[test]
#[ignore = "measures; of a release build"]
fn texts_at_the_limits_take_a_tenth_of_a_second() {
    let limits = Options::default().limits;
    let depth = limits.expression_depth - 20;
    let chain: String = (1..limits.declarations - 3).map(|n| format!("const c{n} = c{};", n - 1)).collect();
    let functions: String =
        (1..limits.declarations - 3).map(|n| format!("fn f{n}() -> u32 {{ return {n}u; }}")).collect();
    let calls = |count: usize| {
        let bodies: String = (1..count).map(|n| format!("fn f{n}() {{ f{0}(); f{0}(); }}", n - 1)).collect();
        format!("@group(0) @binding(1) var<storage, read_write> n: u32; fn f0() {{ n += 1u; }} {bodies}")
    };
    let texts = [
        ("operators", main_of("", &format!("out[0] = out[1]{};", " ^ 1u".repeat(depth)))),
        ("statements", main_of("", &"out[0] += out[1] * 3u;".repeat(500))),
        ("more statements", main_of("", &"out[0] += out[1] * 3u;".repeat(2000))),
        ("comments", main_of(&format!("/*{}*/", "*".repeat(250 << 10)), "out[0] = 1u;")),
        ("constants", main_of(&format!("const c0 = 1;{chain}"), "out[0] = u32(c4000);")),
        ("functions", main_of(&functions, "out[0] = f7();")),
        ("calls", main_of(&calls(40), "f39(); out[0] = 1u;")),
        ("inlined", main_of(&calls(15), "f14(); out[0] = 1u;")),
        ("array", main_of("", "var a: array<u32, 60000>; a[out[1]] = 1u; out[0] = a[out[2]];")),
        ("table", main_of("const T = array<u32, 16000>();", "out[0] = T[out[1]];")),
    ];
    for (name, text) in texts {
        let start = std::time::Instant::now();
        let result = Shader::read(&text, &Options::default()).map(|_| ()).map_err(|error| error.to_string());
        let (elapsed, bytes) = (start.elapsed().as_secs_f64() * 1e3, text.len());
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map_or("unknown", str::trim);
        println!("{name:16} {bytes:7} bytes {elapsed:7.1} ms, {peak} so far; {result:?}");
    }
}

#[test]
fn messages_speak_of_the_text() {
    for (declarations, body, position, message) in [
        ("", "out[0] = 1u + out[0] + i32(out[1]);", 111, "`+` can't work with u32 and i32"),
        ("", "out[0] = -out[0];", 0, "`-` can't work with this type"),
        ("", "var v: vec4f; v = vec3f(1);", 0, "the value that is stored is not of the variable's type"),
        ("", "out[0] = u32(lerp(1.0, 2.0, 0.5));", 0, "nothing is named `lerp`: in WGSL it is `mix`"),
        ("", "let a = 1.5 * out[0];", 0, "numbers of different types: convert one of them"),
        ("", "let a: u32 = 1.5;", 0, "the type of `a` is expected to be `u32`, but got a fraction"),
        (
            "",
            "var a: array<u32, 4>; out[0] = arrayLength(&a);",
            0,
            "arrayLength takes a pointer to an array without a size",
        ),
        ("", "let h: f16 = 1.0h;", 0, "`f16` is not supported"),
        ("", "/* no end", 0, "this comment has no end"),
        ("var w: u32 = 3;", "", 0, "a variable outside of functions needs an address space: `var<private>`"),
        ("struct S { a: u32, b: f32 }", "let s = S(1);", 0, "this constructor takes 2 components but 1 were given"),
        (
            "fn f(p: ptr<storage, u32>) -> u32 { return *p; }",
            "out[0] = f(&out[1]);",
            0,
            "a pointer to this address space cannot be a parameter: ",
        ),
        ("", "let x = out[0] / 0u;", 0, "division by zero"),
        (
            "@group(0) @binding(0) var<storage> p: array<u32>;",
            "out[0] = p[0];",
            0,
            "another variable has the same @group and @binding",
        ),
        ("@group(0) @binding(1) var<storage> p: array<u32>;", "p[0] = out[0];", 0, "this cannot be written: "),
        (
            "@group(0) @binding(1) var<storage> b: array<bool>;",
            "out[0] = u32(b[0]);",
            0,
            "its type cannot be in a buffer: ",
        ),
        (
            "fn f(x: u32) -> u32 { if x > 1 { return 1; } }",
            "out[0] = f(1);",
            0,
            "a function that declares a result returns none",
        ),
        (
            "@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;",
            "out[0] = u32(textureSample(t, s, vec2f(0.5)).x);",
            0,
            "this needs derivatives, which compute shaders do not have",
        ),
    ] {
        let found = error(&main_of(declarations, body));
        assert!(found.fault.to_string().starts_with(message), "{found}");
        assert!(found.at.is_some_and(|at| at.column > position), "{found}");
    }
    for (text, message) in [
        (
            "RWStructuredBuffer<uint> o : register(u0);",
            "\"RWStructuredBuffer\": this looks like HLSL, whose files end in .hlsl",
        ),
        ("#version 450\nvoid main() {}", "\"#\": this looks like GLSL, which Brolga does not read"),
        ("[[stage(compute)]] fn main() {}", "attributes are written `@group(0)` today, not `[[group(0)]]`"),
        ("fn f() {", "found the end of the text"),
        ("\u{feff}fn f() { let a = b; }", "1:21: nothing is named `b` here"),
        ("@fragment fn main() {}", "`main`, a shader of another stage than compute, is not supported"),
        (
            "@compute @workgroup_size(1) fn main() { discard; }",
            "compute shaders have no pixels that they could discard",
        ),
    ] {
        let found = error(text).to_string();
        assert!(found.ends_with(message), "{found}");
    }
}
