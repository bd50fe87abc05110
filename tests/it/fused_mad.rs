//! Tests `mad` that rounds once, if documents of either form ask for it, and twice by default.

use std::fs;

use brolga::document::RunOptions;
use brolga::{Device, Engine, VectorBytes};
use brolga_testing::random::Random;
use brolga_testing::run::assemble;

use super::documents::{load, parse};

const COUNT: usize = 256;

/// `u0` = `mad` of three words of `t0`, a thread each.
const SHADER: &str = "cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, 12
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ld_structured r0.xyz, vThreadID.x, l(0), t0.xyzx
mad [precise(x)] r0.x, r0.x, r0.y, r0.z
store_structured u0.x, vThreadID.x, l(0), r0.x
ret";

/// Factors and addends, half of which cancel everything but the rounding error of the product.
fn operands() -> Vec<[f32; 3]> {
    let mut random = Random(11);
    let mut number = || (1.0 + random.below(1 << 23) as f32 / (1 << 23) as f32) * [1.0, -4.0, 0.125][random.below(3)];
    let operand = |n: usize| {
        let (a, b, c) = (number(), number(), number());
        [a, b, if n.is_multiple_of(2) { -(a * b) } else { c }]
    };
    (0..COUNT).map(operand).collect()
}

fn text_of(numbers: impl Iterator<Item = f32>) -> String {
    numbers.map(|number| format!("{number:?}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn documents_say_how_often_mad_rounds() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("s.cso", &assemble(SHADER));
    let operands = operands();
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    write("operands.bin", &bytes(operands.as_flattened()));
    let once: Vec<f32> = operands.iter().map(|[a, b, c]| a.mul_add(*b, *c)).collect();
    let twice: Vec<f32> = operands.iter().map(|[a, b, c]| a * b + c).collect();
    assert!(once.iter().zip(&twice).filter(|(once, twice)| once != twice).count() > COUNT / 3);

    let vectors = [VectorBytes::Sixteen, VectorBytes::ThirtyTwo, VectorBytes::SixtyFour];
    let devices = vectors.into_iter().filter_map(|bytes| Device::builder().threads(1).vector_bytes(bytes).build().ok());
    for device in devices {
        for (key, expected) in [("", &twice), ("fused_mad = false\n", &twice), ("fused_mad = true\n", &once)] {
            let text = format!(
                "shader = \"s.cso\"\ndispatch = [4, 1, 1]\n{key}[t0]\nstructured = {{ stride = 12 }}\nfile = \"operands.bin\"\n[u0]\n\
                 structured = {{ stride = 4, count = {COUNT} }}\nexpect = {{ f32 = [{}] }}\n",
                text_of(expected.iter().copied())
            );
            let path = folder.path().join("document.toml");
            let prepared = parse(&path, &text).unwrap_or_else(|error| panic!("{error}"));
            for engine in [Engine::Interpreter, Engine::Jit] {
                let outcome = prepared.run(&device, 0, &RunOptions::new(engine)).unwrap();
                assert!(outcome.passed(), "{key}, {engine}: {:?}", outcome.checks);
            }
        }
    }

    for (is_fused, expected) in [(false, &twice), (true, &once)] {
        write("expected.bin", &bytes(expected));
        let scene = serde_json::json!({
            "name": "fused",
            "shaders": {"cs": {"file": "s.cso"}},
            "resources": {
                "operands": {"kind": "structured", "stride": 12, "file": "operands.bin"},
                "sums": {"kind": "structured", "stride": 4, "size": 4 * COUNT}
            },
            "pipelines": {"main": {"cs": "cs", "fused_mad": is_fused}},
            "steps": [{"op": "dispatch", "pipeline": "main", "groups": [4, 1, 1], "bind": {"t0": "operands", "u0": "sums"}}],
            "expect": [{"id": "sums", "resource": "sums", "file": "expected.bin"}]
        });
        write("scene.json", scene.to_string().as_bytes());
        let scene = load(&folder.path().join("scene.json")).unwrap_or_else(|error| panic!("{error}"));
        for engine in [Engine::Interpreter, Engine::Jit] {
            let device = Device::builder().threads(1).build().unwrap();
            assert!(scene.run(&device, 0, &RunOptions::new(engine)).unwrap().passed(), "{is_fused}, {engine}");
        }
    }
}
