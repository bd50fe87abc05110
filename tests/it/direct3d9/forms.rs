//! Tests every form of `dcl` in a draw: inputs of every usage, outputs of every usage, registers of ps_2_0, samplers of
//! every kind; and the defaults of samplers and textures.

use brolga::raster::InputElement;
use brolga::{Format, Register, StageKind, View};
use serde_json::{Value, json};

use super::probe::{Probe, assert_near, rectangle};
use super::sketch::{PLACE, Sketch};

/// `D3DDECLUSAGE`, but for transformed positions, with which no vertex shader runs.
const USAGES: [&str; 13] = [
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "texcoord",
    "tangent",
    "binormal",
    "tessfactor",
    "color",
    "fog",
    "depth",
    "sample",
];

/// Draws a rectangle whose second element has a usage, and returns a pixel in the middle.
fn drawn(usage: &str, index: u32, vertex: &str, pixel: &str) -> [f32; 4] {
    let mut vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    vertices.iter_mut().for_each(|[_, value]| *value = [0.25, 0.5, 0.75, 1.0]);
    let mut probe = Probe::new(&vertices).shaders(vertex, pixel);
    probe.layout[1] = InputElement { index, ..InputElement::new(usage, Format::R32G32B32A32_FLOAT, 16) };
    probe.draw()[4][4]
}

#[test]
fn vertices_have_inputs_of_every_usage() {
    for usage in USAGES {
        for (version, outputs, place, value) in [
            ("vs_1_1", "", "oPos", "oT0"),
            ("vs_2_0", "", "oPos", "oT0"),
            ("vs_3_0", "dcl_position o0\ndcl_texcoord o1\n", "o0", "o1"),
        ] {
            let vertex =
                format!("{version}\ndcl_position v0\ndcl_{usage}3 v5\n{outputs}mov {place}, v0\nmov {value}, v5");
            let pixel = match version {
                "vs_3_0" => "ps_3_0\ndcl_texcoord v7\nmov oC0, v7",
                _ => "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0",
            };
            let found = drawn(&usage.to_uppercase(), 3, &vertex, pixel);
            assert_near(found, [0.25, 0.5, 0.75, 1.0], 1e-6);
        }
    }
}

#[test]
fn stages_of_model_3_meet_by_every_usage() {
    // Pixel shaders cannot declare two of them.
    for usage in USAGES.into_iter().filter(|usage| !["tessfactor", "sample"].contains(usage)) {
        let vertex = format!(
            "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o3\ndcl_{usage}2 o7\nmov o3, v0\nmov o7, v1"
        );
        let pixel = format!("ps_3_0\ndcl_{usage}2 v4\nmov oC0, v4");
        assert_near(drawn("TEXCOORD", 0, &vertex, &pixel), [0.25, 0.5, 0.75, 1.0], 1e-6);
    }
}

#[test]
fn pixel_shaders_2_read_all_their_registers() {
    let coordinates = (0..8).map(|n| (format!("oT{n}"), format!("t{n}")));
    for (output, input) in coordinates.chain((0..2).map(|n| (format!("oD{n}"), format!("v{n}")))) {
        let vertex = format!("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov {output}, v1");
        let pixel = format!("ps_2_0\ndcl {input}\nmov r0, {input}\nmov oC0, r0");
        assert_near(drawn("TEXCOORD", 0, &vertex, &pixel), [0.25, 0.5, 0.75, 1.0], 1e-6);
    }
}

/// Kinds of samplers, a coordinate, a texture whose texels have numbers from 1 on, and that of the texel there.
fn kinds() -> [(&'static str, &'static str, Value, f32); 5] {
    let texture = |kind: &str, size: [u32; 3], count: usize| {
        let texels: Vec<f32> = (1..=count).map(|n| n as f32).collect();
        let [width, height, depth] = size;
        json!({"kind": kind, "format": "R32F", "width": width, "height": height, "depth": depth, "f32": texels})
    };
    [
        ("2d", "0.75, 0.25, 0, 0", texture("texture2d", [2, 2, 1], 4), 2.0),
        // A fresh device's samplers wrap and take the nearest texel.
        ("2d", "-0.3, 1.2, 0, 0", texture("texture2d", [2, 2, 1], 4), 2.0),
        // Faces are +x, -x, +y, -y, +z, -z.
        ("cube", "0.1, -0.9, 0.2, 0", texture("texturecube", [1, 1, 1], 6), 4.0),
        ("cube", "0.1, 0.2, -0.9, 0", texture("texturecube", [1, 1, 1], 6), 6.0),
        ("volume", "0.25, 0.5, 0.75, 0", texture("texture3d", [2, 1, 2], 4), 3.0),
    ]
}

/// Shaders of each kind that sample a texture at `place`, and the register that it is bound to.
fn shaders(kind: &str, place: &str) -> [(String, String, &'static str); 3] {
    [
        (
            PLACE.to_owned(),
            format!("ps_2_0\ndef c0, {place}\ndcl_{kind} s2\nmov r0, c0\ntexld r0, r0, s2\nmov oC0, r0"),
            "t2",
        ),
        (
            "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0".to_owned(),
            format!("ps_3_0\ndef c0, {place}\ndcl_{kind} s15\ntexld r0, c0, s15\nmov oC0, r0"),
            "t15",
        ),
        (
            format!(
                "vs_3_0\ndef c0, {place}\ndcl_{kind} s1\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\n\
                 texldl o1, c0, s1"
            ),
            "ps_3_0\ndcl_texcoord v0\nmov oC0, v0".to_owned(),
            "vt1",
        ),
    ]
}

#[test]
fn samplers_of_every_kind_start_like_those_of_a_fresh_device() {
    for (kind, place, texture, texel) in kinds() {
        for (vertex, pixel, register) in shaders(kind, place) {
            let mut sketch = Sketch::new(&vertex, &pixel);
            sketch.scene["resources"]["image"] = texture.clone();
            sketch.draw("bind", json!({register: "image"}));
            assert_eq!(sketch.color(), [texel, 1.0, 1.0, 1.0], "{kind} {register}");
            // Without a texture everything is black and opaque.
            sketch.draw("bind", json!({}));
            assert_eq!(sketch.color(), [0.0, 0.0, 0.0, 1.0], "{kind} {register}");
        }
    }
}

#[test]
fn strict_bindings_still_need_textures() {
    let pixel = "ps_2_0\ndef c0, 0.75, 0, 0, 0\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0";
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    let probe = Probe::new(&vertices).shaders(super::probe::PASS, pixel);
    assert_eq!(probe.error(), "the pixel shader: t0 is declared as texture2d of float but nothing is bound to it");
    let device = brolga::Device::builder().build().unwrap();
    let texture =
        device.texture_from(brolga::TextureShape::texture_2d(Format::R32_FLOAT, 2, 1), &[1.0_f32, 2.0]).unwrap();
    let mut bindings = brolga::Bindings::new();
    bindings.set(Register::t(0), View::texture(texture));
    // It has a lifetime that a closure cannot give to a draw.
    let bindings: &'static brolga::Bindings = Box::leak(Box::new(bindings));
    let picture = probe.with(&|draw| draw.bindings[StageKind::Pixel] = Some(bindings)).draw();
    assert_eq!(picture[3][3], [2.0, 0.0, 0.0, 1.0]);
}
