//! What samplers see: formats and their missing components ("D3DFORMAT"), colours along the sRGB curve (`D3DSAMP_SRGBTEXTURE`,
//! `D3DRS_SRGBWRITEENABLE`).

use serde_json::json;

use super::probe::assert_near;
use super::sketch::{PLACE, Sketch};

/// Gives what is sampled.
const SAMPLE: &str = "ps_2_0\ndef c0, 0.5, 0.5, 0, 0\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0";

/// The same, of a vertex shader's texture.
const SAMPLE_BY_VERTEX: [&str; 2] = [
    "vs_3_0\ndef c0, 0.5, 0.5, 0, 0\ndcl_2d s0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\ntexldl o1, c0, s0",
    "ps_3_0\ndcl_texcoord v0\nmov oC0, v0",
];

#[test]
fn formats_have_their_components_and_ones() {
    // A texel as words, and what shaders see of it.
    let rows: [(&str, &[u32], [f64; 4]); 24] = [
        ("A8R8G8B8", &[0x33_ff_00_66], [1.0, 0.0, 0.4, 0.2]),
        ("D3DFMT_X8R8G8B8", &[0x33_ff_00_66], [1.0, 0.0, 0.4, 1.0]),
        ("A8B8G8R8", &[0x33_ff_00_66], [0.4, 0.0, 1.0, 0.2]),
        ("X8B8G8R8", &[0x33_ff_00_66], [0.4, 0.0, 1.0, 1.0]),
        ("R5G6B5", &[0xf800], [1.0, 0.0, 0.0, 1.0]),
        ("A1R5G5B5", &[0b0_00000_11111_00000], [0.0, 1.0, 0.0, 0.0]),
        ("X1R5G5B5", &[0b0_00000_11111_00000], [0.0, 1.0, 0.0, 1.0]),
        ("A4R4G4B4", &[0x3_6_9_f], [0.4, 0.6, 1.0, 0.2]),
        ("L8", &[0x33], [0.2, 0.2, 0.2, 1.0]),
        ("A8L8", &[0x66_33], [0.2, 0.2, 0.2, 0.4]),
        ("L16", &[0x3333], [0.2, 0.2, 0.2, 1.0]),
        ("A8", &[0x33], [0.0, 0.0, 0.0, 0.2]),
        ("G16R16", &[0x6666_3333], [0.2, 0.4, 1.0, 1.0]),
        ("A2B10G10R10", &[0x4000_03ff], [1.0, 0.0, 0.0, 1.0 / 3.0]),
        ("V8U8", &[0x81_7f], [1.0, -1.0, 1.0, 1.0]),
        ("V16U16", &[0x7fff_8001], [-1.0, 1.0, 1.0, 1.0]),
        ("Q8W8V8U8", &[0x00_7f_81_7f], [1.0, -1.0, 1.0, 0.0]),
        ("X8L8V8U8", &[0x00_33_81_7f], [1.0, -1.0, 0.2, 1.0]),
        ("R16F", &[0xc000], [-2.0, 1.0, 1.0, 1.0]),
        ("G16R16F", &[0x3800_c000], [-2.0, 0.5, 1.0, 1.0]),
        ("A16B16G16R16F", &[0x3800_c000, 0x3c00_4000], [-2.0, 0.5, 2.0, 1.0]),
        ("R32F", &[0x4040_0000], [3.0, 1.0, 1.0, 1.0]),
        ("G32R32F", &[0x4040_0000, 0x3f00_0000], [3.0, 0.5, 1.0, 1.0]),
        ("R32_FLOAT", &[0x4040_0000], [3.0, 0.0, 0.0, 1.0]),
    ];
    for (format, texel, expected) in rows {
        let bytes = match format {
            "L8" | "A8" => 1,
            "R5G6B5" | "A1R5G5B5" | "X1R5G5B5" | "A4R4G4B4" | "A8L8" | "L16" | "V8U8" | "R16F" => 2,
            _ => 4 * texel.len(),
        };
        // As many equal texels as fill whole words.
        let width = 4usize.div_ceil(bytes);
        let words: Vec<u32> =
            texel.iter().map(|word| (0..width).fold(0, |all, n| all | word << (8 * bytes * n % 32))).collect();
        let texture = json!({"kind": "texture2d", "format": format, "width": width, "height": 1, "u32": words});
        for (vertex, pixel, slots) in
            [(PLACE, SAMPLE, ["t0", "s0"]), (SAMPLE_BY_VERTEX[0], SAMPLE_BY_VERTEX[1], ["vt0", "vs0"])]
        {
            let mut sketch = Sketch::new(vertex, pixel);
            sketch.scene["resources"]["image"] = texture.clone();
            sketch.scene["samplers"] = json!({"smooth": {"mag": "LINEAR", "min": "LINEAR"}});
            sketch.draw("bind", json!({slots[0]: "image", slots[1]: "smooth"}));
            assert_near(sketch.color(), expected, 1e-6);
        }
    }
}

#[test]
fn colours_are_along_the_curve_where_a_state_says_so() {
    let image = |format: &str| json!({"kind": "texture2d", "format": format, "width": 1, "height": 1, "u32": [0x80_bc_40_ff_u32]});
    let sampled = |format: &str, state: serde_json::Value| {
        let mut sketch = Sketch::new(PLACE, SAMPLE);
        sketch.scene["resources"]["image"] = image(format);
        sketch.scene["samplers"] = json!({"curve": {"srgb_texture": state}});
        sketch.draw("bind", json!({"t0": "image", "s0": "curve"}));
        sketch.color()
    };
    let curve = |code: f64| ((code / 255.0 + 0.055) / 1.055).powf(2.4);
    let [blue, green, red, alpha] = [255.0, 64.0, 188.0, 128.0];
    let plain = [red, green, blue, alpha].map(|code| code / 255.0);
    assert_near(sampled("A8R8G8B8", json!(false)), plain, 1e-6);
    assert_near(sampled("A8R8G8B8", json!(1)), [curve(red), curve(green), curve(blue), alpha / 255.0], 1e-6);
    // What has no such form stays as it is.
    assert_near(sampled("Q8W8V8U8", json!(true)), [-1.0 / 127.0, 64.0 / 127.0, -68.0 / 127.0, -1.0], 1e-6);

    // 0.5 is 188 along the curve, 0.2 is 124; alpha is no colour.
    let mut sketch = Sketch::new(PLACE, "ps_2_0\ndef c0, 0.5, 0.2, 1, 0.5\nmov r0, c0\nmov oC0, r0");
    sketch.scene["resources"]["target"]["format"] = json!("A8R8G8B8");
    sketch.scene["expect"][0]["file"] = json!("small.bin");
    let drawn = |sketch: &mut Sketch, state: bool| {
        sketch.draw("render_states", json!({"SRGBWRITEENABLE": state}));
        sketch.pixel()
    };
    assert_eq!(drawn(&mut sketch, true), [255, 124, 188, 128]);
    assert_eq!(drawn(&mut sketch, false), [255, 51, 128, 128]);
}

#[test]
fn names_of_formats_are_those_of_the_scenes_api() {
    let mut sketch = Sketch::new(PLACE, SAMPLE);
    sketch.scene["resources"]["target"]["format"] = json!("P8");
    let complaint = sketch.complaint();
    assert!(complaint.contains("\"P8\" is not a known format"), "{complaint}");
    sketch.scene["api"] = json!("d3d11");
    sketch.scene["pipelines"] = json!({});
    sketch.scene["steps"] = json!([]);
    sketch.scene["resources"]["target"]["format"] = json!("R32F");
    let complaint = sketch.complaint();
    assert_eq!(complaint, "resources.target.format: a format of Direct3D 9, in a scene without `\"api\": \"d3d9\"`");
}
