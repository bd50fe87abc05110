//! Tests scenes with features that Direct3D 9 does not have, or leaves undefined: errors in its words, and warnings.

use serde_json::{Value, json};

use super::sketch::{PLACE, Sketch};
use crate::documents::begin_with;

const GREEN: &str = "ps_2_0\ndef c0, 0, 1, 0, 1\nmov oC0, c0";

fn sketch() -> Sketch {
    Sketch::new(PLACE, GREEN)
}

/// The message about a sketch with changes at paths such as `/steps/0/target`.
fn complaint(changes: &[(&str, Value)]) -> String {
    let mut sketch = sketch();
    sketch.set("/expect", json!([]));
    changes.iter().for_each(|(path, value)| sketch.set(path, value.clone()));
    sketch.complaint()
}

/// Checks the message for one change.
fn check(cases: &[(&str, Value, &str)]) {
    let said = |path: &str, value: &Value| complaint(&[(path, value.clone())]);
    begin_with(cases.iter().map(|(path, value, expected)| (format!("{path} {value}"), said(path, value), *expected)));
}

fn texture(format: &str, side: u32) -> Value {
    json!({"kind": "texture2d", "format": format, "width": side, "height": side})
}

#[test]
fn targets_have_formats_of_targets() {
    for (format, name) in [
        ("R8G8B8A8_UINT", "R8G8B8A8_UINT"),
        ("R32_SINT", "R32_SINT"),
        ("D3DFMT_DXT1", "DXT1"),
        ("D24S8", "D24S8"),
        ("D16", "D16"),
    ] {
        let said = complaint(&[("/resources/target", texture(format, 4))]);
        let expected = format!(
            "steps[0].target: `target` has format {name}, which a render target cannot have: it has one of A8R8G8B8, X8R8G8B8, "
        );
        assert!(said.starts_with(&expected), "{said}");
        assert!(!said.contains("DXT5") && !said.contains("D24X8"), "{said}");
        let said = complaint(&[
            ("/resources/target", texture(format, 4)),
            ("/steps/0", json!({"op": "clear", "target": "target", "color": [0, 0, 0, 0]})),
        ]);
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn depth_buffers_have_formats_of_depths_and_are_large_enough() {
    let said = |depth: Value| complaint(&[("/resources/depth", depth), ("/steps/0/depth_target", json!("depth"))]);
    assert_eq!(
        said(texture("A8R8G8B8", 4)),
        "steps[0].depth_target: `depth` has format A8R8G8B8, which a depth buffer cannot have: it has one of D16, D16_LOCKABLE, \
         D24S8, D24X8, D32F_LOCKABLE, DF16, DF24, INTZ"
    );
    assert_eq!(
        said(texture("D24S8", 3)),
        "steps[0].depth_target: `depth` has 3 x 3 pixels, and the target `target` 4 x 4: a depth buffer must be as large as the \
         target"
    );
    // It may be larger.
    let mut sketch = sketch();
    sketch.set("/resources/depth", texture("D24S8", 5));
    sketch.set("/steps/0/depth_target", json!("depth"));
    // Depths start as 0, and nothing is nearer.
    assert_eq!(sketch.color(), [0.0; 4]);
}

#[test]
fn shaders_stand_where_their_stage_is() {
    check(&[
        (
            "/pipelines/main/vs",
            json!("ps"),
            "pipelines.main.vs: `ps` is a pixel shader, ps_2_0: `vs` names a vertex shader",
        ),
        (
            "/pipelines/main/ps",
            json!("vs"),
            "pipelines.main.ps: `vs` is a vertex shader, vs_2_0: `ps` names a pixel shader",
        ),
    ]);
}

#[test]
fn names_have_the_nearest_ones() {
    let states = "/pipelines/main/render_states";
    check(&[
        (
            states,
            json!({"CULLMOD": "NONE"}),
            "pipelines.main.render_states.CULLMOD: there is no render state `CULLMOD`",
        ),
        (
            states,
            json!({"LIGHTING": true}),
            "pipelines.main.render_states.LIGHTING: this render state is not supported yet",
        ),
        (
            states,
            json!({"D3DRS_CULLMODE": "CWW"}),
            "pipelines.main.render_states.D3DRS_CULLMODE: \"CWW\" is not one of NONE, CW, CCW; by default it is CCW",
        ),
        (
            states,
            json!({"CLIPPLANEENABLE": 64}),
            "pipelines.main.render_states.CLIPPLANEENABLE: the state has a bit for each of the 6 clip planes, so it is at most 63",
        ),
        (
            "/pipelines/main/input_layout/0/usage",
            json!("POSTION"),
            "pipelines.main.input_layout[0].usage: there is no usage",
        ),
        (
            "/pipelines/main/input_layout/0/type",
            json!("FLOAT5"),
            "pipelines.main.input_layout[0].type: there is no type",
        ),
        (
            "/pipelines/main/topology",
            json!("TRIANGLES"),
            "pipelines.main.topology: there is no topology `TRIANGLES` [did you mean `TRIANGLELIST`?]",
        ),
        (
            "/pipelines/main/float_rules",
            json!("D3D9"),
            "pipelines.main.float_rules: there is no set of float rules `D3D9` [expected one of DIRECT3D9, IEEE]",
        ),
        (
            "/steps/0/bind",
            json!({"b0": "corners"}),
            "steps[0].bind.b0: registers of the vertex shader are vc0, vi0, vb0",
        ),
    ]);
    let help = |path: &str, value: Value| {
        let mut sketch = sketch();
        sketch.set(path, value);
        sketch.error().help()
    };
    assert_eq!(help(states, json!({"CULLMOD": "NONE"})).unwrap(), "did you mean `CULLMODE`?");
    assert_eq!(help("/pipelines/main/input_layout/0/usage", json!("POSTION")).unwrap(), "did you mean `position`?");
    assert_eq!(help("/steps/0/primitivs", json!(1)).unwrap(), "did you mean `primitives`?");
    assert_eq!(help("/pipelines/main/rendr_states", json!({})).unwrap(), "did you mean `render_states`?");
    // Keys of Direct3D 9 alone, in a scene that does not name that API.
    let mut sketch = sketch();
    sketch.scene.as_object_mut().unwrap().remove("api");
    assert_eq!(sketch.error().help().unwrap(), "is this a document of Direct3D 9? Then it says `api = \"d3d9\"`");
}

#[test]
fn prefixes_of_names_may_stay() {
    let mut sketch = sketch();
    sketch.set("/pipelines/main/render_states", json!({"D3DRS_CULLMODE": "D3DCULL_CCW"}));
    sketch
        .set("/pipelines/main/input_layout/0", json!({"usage": "D3DDECLUSAGE_POSITION", "type": "D3DDECLTYPE_FLOAT4"}));
    // The triangle is clockwise on the screen.
    assert_eq!(sketch.color(), [0.0, 1.0, 0.0, 1.0]);
    sketch.set("/pipelines/main/render_states", json!({"D3DRS_CULLMODE": "D3DCULL_CW"}));
    assert_eq!(sketch.color(), [0.0; 4]);
}

#[test]
fn draws_read_what_their_buffers_have() {
    let indexed = |more: Value| {
        let mut step = json!({
            "op": "draw_indexed", "pipeline": "main", "target": "target", "primitives": 1,
            "vertex_buffers": [{"buffer": "corners", "stride": 16}],
            "index_buffer": {"buffer": "order", "format": "INDEX16"}
        });
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        [("/resources/order", json!({"kind": "index", "u16": [0, 1, 2]})), ("/steps/0", step)]
    };
    check(&[
        (
            "/steps/0/primitives",
            json!(2),
            "steps[0].primitives: the draw reads vertices 0 to 5, but `corners` has 3 of them",
        ),
        (
            "/steps/0/first_vertex",
            json!(1),
            "steps[0].primitives: the draw reads vertices 1 to 3, but `corners` has 3 of them",
        ),
        (
            "/steps/0/vertex_buffers/0/stride",
            json!(0),
            "steps[0].vertex_buffers[0].stride: the elements of stream 0 take 16 bytes, more than its stride of 0",
        ),
        (
            "/steps/0/vertex_buffers/0/offset",
            json!(4),
            "steps[0].primitives: the draw reads vertices 0 to 2, but `corners` has 2 of them",
        ),
        (
            "/pipelines/main/input_layout/0/stream",
            json!(1),
            "steps[0].vertex_buffers: element 0 of the input layout (POSITION0) is in stream 1, but the draw has 1 of them: the \
             entries of `vertex_buffers` are streams 0, 1 and so on",
        ),
        (
            "/steps/0/base_vertex",
            json!(1),
            "steps[0].base_vertex: unknown key `base_vertex` in a step `draw` [steps that have it are draw_indexed]",
        ),
        (
            "/steps/0/clip_planes",
            Value::from(vec![vec![0.0; 4]; 7]),
            "steps[0].clip_planes: `clip_planes` takes an array of 0 to 6 values, not an array of 7",
        ),
    ]);
    let mut sketch = sketch();
    indexed(json!({})).into_iter().for_each(|(path, value)| sketch.set(path, value));
    assert_eq!(sketch.color(), [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(
        complaint(&indexed(json!({"first_index": 1}))),
        "steps[0].primitives: the draw reads indices 1 to 3, but `order` has 3 of them"
    );
    let said = complaint(&indexed(json!({"first_vertex": 1})));
    assert!(said.starts_with("steps[0].first_vertex: unknown key `first_vertex` in a step `draw_indexed` ["), "{said}");
}

#[test]
fn clears_have_what_they_clear_and_its_value() {
    let said = |more: Value| {
        let mut step = json!({"op": "clear"});
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        complaint(&[("/steps/0", step)])
    };
    assert_eq!(said(json!({"color": [0, 0, 0, 0]})), "steps[0]: `color` is for a `target`, which is missing");
    assert_eq!(said(json!({"target": "target"})), "steps[0]: `target` is cleared to a `color`, which is missing");
    assert_eq!(
        said(json!({"target": "target", "color": [0, 0, 0, 0], "depth": 1})),
        "steps[0]: `depth` or `stencil` is for a `depth_target`, which is missing"
    );
}

#[test]
fn what_a_shader_reads_and_nothing_is_bound_to_is_warned_of() {
    let pixel = "ps_2_0\ndef c1, 0.5, 0.5, 0, 0\ndcl_2d s2\nmov r0, c1\ntexld r0, r0, s2\nadd r0, r0, c0\nmov oC0, r0";
    let vertex = "vs_2_0\ndcl_position v0\nadd oPos, v0, c3";
    let mut sketch = Sketch::new(vertex, pixel);
    assert_eq!(sketch.color(), [0.0, 0.0, 0.0, 1.0]);
    let unbound = |stage: &str, register: &str, what: &str| {
        format!("steps[0].bind: the {stage} shader uses `{register}`, to which nothing is bound: it reads {what}")
    };
    let texture = unbound("pixel", "t2", "black with an alpha of 1");
    assert_eq!(sketch.warnings(), [unbound("vertex", "vc0", "0"), unbound("pixel", "pc0", "0"), texture.clone()]);
    sketch.set("/resources/zeros", json!({"kind": "constant", "size": 64}));
    sketch.draw("bind", json!({"vc0": "zeros", "pc0": "zeros"}));
    assert_eq!(sketch.warnings(), [texture]);
}

#[test]
fn messages_name_the_registers_of_scenes() {
    let vertex = "vs_3_0\ndef c0, 0, 0, 0, 0\ndcl_cube s1\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\ntexldl o1, c0, s1";
    let mut sketch = Sketch::new(vertex, "ps_3_0\ndcl_texcoord v0\nmov oC0, v0");
    sketch.set("/resources/image", texture("A8R8G8B8", 4));
    sketch.draw("bind", json!({"vt1": "image"}));
    let said = sketch.complaint();
    assert!(said.starts_with("steps[0]: vt1 is declared as a texturecube but bound to a texture2d"), "{said}");
    sketch.draw("bind", json!({"vt1": "target"}));
    let said = sketch.complaint();
    assert!(said.contains("vt1"), "{said}");
    sketch.draw("bind", json!({"vs1": "image"}));
    assert_eq!(sketch.complaint(), "steps[0].bind.vs1: there is no sampler `image`");
}

/// A ps_1_x does not declare the texture types that it samples. Texels have numbers from 1 on; faces are +x, -x, +y,
/// -y, +z, -z.
#[test]
fn shaders_of_model_1_sample_the_textures_that_are_bound() {
    let texels: Vec<u32> = (1..=6).map(|n| 0xff00_0000 | (40 * n)).collect();
    let image = |kind: &str, size: [u32; 3]| {
        let count = (size[0] * size[1] * size[2]) as usize * if kind == "texturecube" { 6 } else { 1 };
        let [width, height, depth] = size;
        json!({"kind": kind, "format": "A8R8G8B8", "width": width, "height": height, "depth": depth, "u32": texels[..count]})
    };
    for (kind, size, place, number) in [
        ("texture2d", [2, 2, 1], "0.75, 0.25, 0, 1", 2.0),
        ("texturecube", [1, 1, 1], "0.1, -0.9, 0.2, 1", 4.0),
        ("texturecube", [1, 1, 1], "0.1, 0.2, -0.9, 1", 6.0),
        ("texture3d", [2, 1, 2], "0.25, 0.5, 0.75, 1", 3.0),
    ] {
        for pixel in ["ps_1_1\ntex t1\nmov r0, t1", "ps_1_4\ntexld r1, t1\nmov r0, r1"] {
            let vertex = format!("vs_1_1\ndef c0, {place}\ndcl_position v0\nmov oPos, v0\nmov oT1, c0");
            let mut sketch = Sketch::new(&vertex, pixel);
            sketch.set("/resources/image", image(kind, size));
            sketch.draw("bind", json!({"t1": "image"}));
            let found = sketch.color();
            assert!((found[2] - 40.0 * number / 255.0).abs() < 1e-6, "{kind} {pixel}: {found:?}");
        }
    }
}
