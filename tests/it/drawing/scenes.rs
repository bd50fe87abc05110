//! Tests the state in scenes: the draws have the state that they name. Functional specification, 17.1, 17.17 and 17.18.

use std::fs;

use brolga::Engine;
use brolga::document::RunOptions;
use serde_json::{Value, json};

use super::canvas::{everywhere, on_both};
use super::shaders::{self, pixel};
use crate::documents::{bytes, load};

/// The first pixel of two targets of 8 bits, which are 51, a fifth, in all channels before one triangle is drawn over
/// them: its first output has two fifths and an alpha, its second three fifths and an alpha of 1.
fn drawn(alpha: f32, blend: &Value, step: &Value) -> [[u8; 4]; 2] {
    let code = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\n\
                mov o0.xyzw, v1.xyzw\nmov o1.xyzw, l(0.6,0.6,0.6,1.0)";
    let vertices = everywhere(0.5, [0.4, 0.4, 0.4, alpha]);
    let words: Vec<u32> = vertices.as_flattened().as_flattened().to_vec();
    let element = |(n, semantic): (usize, &str)| json!({"semantic": semantic, "index": n.saturating_sub(1), "format": "R32G32B32A32_FLOAT", "offset": 16 * n});
    let names = ["POSITION", "TEXCOORD", "TEXCOORD", "TEXCOORD"];
    let target = json!({"kind": "texture2d", "format": "R8G8B8A8_UNORM", "width": 4, "height": 4});
    let clear = |name: &str| json!({"op": "clear", "resource": name, "color": [0.2, 0.2, 0.2, 0.2]});
    let mut draw = json!({
        "op": "draw", "pipeline": "main", "targets": ["first", "second"], "vertices": 3,
        "vertex_buffers": [{"buffer": "vertices", "stride": 64}],
    });
    for (key, value) in step.as_object().into_iter().flatten() {
        draw[key] = value.clone();
    }
    let expect = |name: &str| json!({"id": name, "resource": name, "file": "any.bin"});
    let scene = json!({
        "shaders": {"vs": {"file": "vs.cso"}, "ps": {"file": "ps.cso"}},
        "resources": {"vertices": {"kind": "vertex", "u32": words}, "first": target, "second": target},
        "pipelines": {"main": {
            "vs": "vs", "ps": "ps", "topology": "TRIANGLELIST",
            "rasterizer": {"cull_mode": "NONE"},
            "input_layout": names.into_iter().enumerate().map(element).collect::<Vec<_>>(),
            "blend": blend,
        }},
        "steps": [clear("first"), clear("second"), draw],
        "expect": [expect("first"), expect("second")],
    });
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("vs.cso", &shaders::vertex());
    write("ps.cso", &pixel(code));
    write("any.bin", &[0; 64]);
    write("scene.json", scene.to_string().as_bytes());
    let scene = load(&folder.path().join("scene.json")).unwrap();
    on_both(|device, engine: Engine| {
        let outcome = scene.run(device, 0, &RunOptions::new(engine)).unwrap();
        ["first", "second"].map(|name| *bytes(&outcome, name).first_chunk::<4>().unwrap())
    })
}

/// Without independent blending the first target's state is that of all, with its write mask; with it each target has
/// its own, with defaults.
#[test]
fn targets_have_the_first_ones_state_or_their_own() {
    let added = json!({"blend_enable": true, "src_blend": "ONE", "dest_blend": "ONE", "write_mask": 7});
    let blends = |is_independent: Option<bool>, targets: Value| {
        let mut blend = json!({"targets": targets});
        if let Some(is_independent) = is_independent {
            blend["independent_blend_enable"] = is_independent.into();
        }
        drawn(1.0, &blend, &json!({}))
    };
    // Alpha stays; else sums, or the source.
    let [sums, kept] = [[[153, 153, 153, 51], [204, 204, 204, 51]], [[102, 102, 102, 255], [153, 153, 153, 255]]];
    let only_red = json!({"write_mask": 1});
    for said in [None, Some(false)] {
        assert_eq!(blends(said, json!([added, only_red])), sums);
        assert_eq!(blends(said, json!([added])), sums);
        assert_eq!(blends(said, json!([{}, added])), kept);
    }
    assert_eq!(blends(Some(true), json!([added, only_red])), [sums[0], [153, 51, 51, 51]]);
    assert_eq!(blends(Some(true), json!([added])), [sums[0], kept[1]]);
    assert_eq!(blends(Some(true), json!([{}, added])), [kept[0], sums[1]]);
}

#[test]
fn scenes_say_sample_masks_and_alpha_to_coverage() {
    let cleared = [[51; 4]; 2];
    let kept = |alpha: u8| [[102, 102, 102, alpha], [153, 153, 153, 255]];
    for (mask, is_drawn) in [(0_u32, false), (1, true), (0xffff_fffe, false), (u32::MAX, true)] {
        let found = drawn(1.0, &json!({}), &json!({"sample_mask": mask}));
        assert_eq!(found, if is_drawn { kept(255) } else { cleared }, "{mask:#x}");
    }
    for (alpha, code, is_drawn) in [(0.0, 0, false), (0.2, 51, false), (0.6, 153, true), (1.0, 255, true)] {
        let found = drawn(alpha, &json!({"alpha_to_coverage_enable": true}), &json!({}));
        assert_eq!(found, if is_drawn { kept(code) } else { cleared }, "{alpha}");
        assert_eq!(drawn(alpha, &json!({"alpha_to_coverage_enable": false}), &json!({})), kept(code), "{alpha}");
    }
}
