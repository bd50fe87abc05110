//! Tests meshes in scenes of Direct3D 9: their buffers, their layout and their number of primitives.

use serde_json::json;

use super::sketch::Sketch;

/// Two triangles over everything, in space that is clip space.
const SQUARE: &str = "v -1 -1 0.5\nv 1 -1 0.5\nv 1 1 0.5\nv -1 1 0.5\nvt 0.25 0.5\nf 1/1 2/1 3/1 4/1\n";

fn sketch() -> Sketch {
    let mut sketch = Sketch::new(
        "vs_2_0\ndef c0, 0, 0, 0, 0.125\ndcl_position v0\ndcl_normal v1\ndcl_texcoord v2\nmov oPos, v0\nmov oT0.xy, v2\nmov oT0.z, v1.z\nmov oT0.w, c0.w",
        "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0",
    );
    sketch.write("square.obj", SQUARE);
    sketch.scene["resources"]["square"] = json!({"kind": "mesh", "file": "square.obj"});
    sketch.scene["pipelines"]["main"] = json!({"vs": "vs", "ps": "ps", "render_states": {"CULLMODE": "NONE"}});
    sketch.scene["steps"] = json!([{"op": "draw_indexed", "pipeline": "main", "mesh": "square", "target": "target"}]);
    sketch
}

#[test]
fn meshes_need_no_more_than_their_name() {
    let mut sketch = sketch();
    // The face looks at +z, and v is counted from the upper edge.
    assert_eq!(sketch.color(), [0.25, 0.5, 1.0, 0.125]);
    // One triangle of two.
    sketch.draw("primitives", json!(1));
    let bytes = sketch.bytes();
    let (pixels, _) = bytes.as_chunks::<16>();
    let empty = pixels.iter().filter(|pixel| **pixel == [0; 16]).count();
    assert!((1..16).contains(&empty), "{empty}");
}

#[test]
fn mistakes_in_draws_of_meshes_are_told() {
    let complaint = |key: &str, value: serde_json::Value| {
        let mut sketch = sketch();
        sketch.draw(key, value);
        sketch.complaint()
    };
    let said = complaint("index_buffer", json!({"buffer": "corners", "format": "R32_UINT"}));
    assert_eq!(said, "steps[0].mesh: `index_buffer` and `mesh` are mutually exclusive [leave one of them out]");
    let said = complaint("op", json!("draw"));
    assert!(
        said.starts_with("steps[0].mesh: unknown key `mesh` in a step `draw` [steps that have it are draw_indexed"),
        "{said}"
    );
    assert_eq!(complaint("mesh", json!("cube")), "steps[0].mesh: there is no mesh `cube` [expected one of square]");
    assert_eq!(complaint("mesh", json!(null)), "steps[0].mesh: `mesh` takes a string, not null");
}
