//! Tests constants that a scene sets by name, and the values of the source for others: `values.hlsl`, computed here as
//! it is written.

use serde_json::{Value, json};

use super::probe::assert_near;
use super::sketch::Sketch;

/// The vertex shader writes its colour, which is the same for all vertices if the matrices leave positions out.
fn sketch() -> Sketch {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/direct3d9/values.main.vs_3_0.cso");
    let text = "ps_3_0\ndcl_color v0\nmov oC0, v0";
    let pixel = brolga::bytecode::sm3::assemble(text, &Default::default()).unwrap();
    let mut sketch = Sketch::of_shaders(&std::fs::read(path).unwrap(), &brolga::bytecode::sm3::encode(&pixel));
    // All positions are those of a triangle over everything, which the shader computes from vertices whose x and y it
    // takes apart.
    sketch.scene["resources"]["corners"]["f32"] = json!([-1, 1, 0.5, 1, 7, 1, 0.5, 1, -1, -7, 0.5, 1]);
    sketch
}

/// `world` and `view` that leave positions alone, with a scale of 1.
fn still() -> Value {
    let rows = json!([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]);
    json!({"world": rows, "view": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], "scale": 1})
}

fn with(more: Value) -> Value {
    let mut all = still();
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    all
}

#[test]
fn constants_have_names_and_default_values() {
    // No rounds and no lights: only `whole` is added, which is (-7, 9).
    let mut sketch = sketch();
    sketch.draw("vs_constants", with(json!({"rounds": 0, "flags": [false, false]})));
    assert_near(sketch.color(), [-7.0, 9.0, 0.0, 0.0], 1e-6);
    sketch.draw("vs_constants", with(json!({"rounds": 0, "flags": [false, false], "whole": [2, 3]})));
    assert_near(sketch.color(), [2.0, 3.0, 0.0, 0.0], 1e-6);
    // The second light is on by default, and its matrix gives w alone in all its columns, so 1; its weight is 4. The
    // first one's colour is weighted by the second one's range.
    let lights = json!({
        "rounds": 0, "whole": [0, 0],
        "lights[1].place": [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3],
        "lights[1].weights": [9, 4],
        "lights[1].range": [8, 0.5],
        "lights[0].color": [0.5, 0.25, 1],
    });
    sketch.draw("vs_constants", with(lights));
    assert_near(sketch.color(), [4.25, 8.125, 12.5, 0.0], 1e-6);
}

#[test]
fn buffers_come_before_default_values_and_exclude_names() {
    let mut sketch = sketch();
    let mut registers = vec![[0.0_f32; 4]; 26];
    for (n, row) in [(14, 0), (15, 1), (16, 2), (17, 3), (18, 0), (19, 1), (20, 2)] {
        registers[n][row] = 1.0;
    }
    registers[24] = [1.0; 4];
    registers[25] = [0.5, 0.25, 0.0, 0.0];
    sketch.scene["resources"]["registers"] = json!({"kind": "constant", "f32": registers.as_flattened()});
    sketch.scene["resources"]["off"] = json!({"kind": "constant", "u32": [0, 0, 0, 0]});
    sketch.draw("bind", json!({"vc0": "registers", "vb0": "off", "vi0": "off"}));
    assert_near(sketch.color(), [0.5, 0.25, 0.0, 0.0], 1e-6);
    sketch.draw("vs_constants", json!({"scale": 1}));
    let complaint = sketch.complaint();
    assert_eq!(complaint, "steps[0].vs_constants.scale: `vc0` is bound: constants have either a buffer or names");
}

#[test]
fn names_that_are_not_there_are_said() {
    let complaint = |key: &str, value: Value| {
        let mut sketch = sketch();
        sketch.draw(key, value);
        sketch.complaint()
    };
    let known = "only flags, lights, rounds, scale, tints, view, whole, world";
    assert_eq!(
        complaint("vs_constants", json!({"scal": 1})),
        format!("steps[0].vs_constants.scal: the shader has no constant `scal`, {known}; did you mean `scale`?")
    );
    assert_eq!(
        complaint("vs_constants", json!({"scale": [1, 2]})),
        "steps[0].vs_constants.scale: 2 numbers for `scale`, which has 1"
    );
    assert_eq!(
        complaint("vs_constants", json!({"scale": "large"})),
        "steps[0].vs_constants.scale: a constant is numbers, true or false, or lists of these, not a string"
    );
    assert_eq!(
        complaint("ps_constants", json!({"scale": 1})),
        "steps[0].ps_constants.scale: the shader has no constant `scale`, as its file has no names: \
         bind a buffer with its registers, as `pc0`"
    );
}
