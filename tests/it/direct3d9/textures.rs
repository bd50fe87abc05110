//! Tests textures as samplers read them: formats and their missing components ("D3DFORMAT"), conversion from sRGB
//! (`D3DSAMP_SRGBTEXTURE`, `D3DRS_SRGBWRITEENABLE`).

use serde_json::json;

use super::probe::assert_near;
use super::sketch::{PLACE, Sketch};

/// Returns the sample.
const SAMPLE: &str = "ps_2_0\ndef c0, 0.5, 0.5, 0, 0\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0";

/// The same, of a vertex shader's texture.
const SAMPLE_BY_VERTEX: [&str; 2] = [
    "vs_3_0\ndef c0, 0.5, 0.5, 0, 0\ndcl_2d s0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\ntexldl o1, c0, s0",
    "ps_3_0\ndcl_texcoord v0\nmov oC0, v0",
];

#[test]
fn formats_have_their_components_and_ones() {
    // A texel as words, and its value in shaders.
    let rows: [(&str, &[u32], [f64; 4]); 25] = [
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
        // 1 and -15 of 5 bits: 8 and -120 of 8.
        ("L6V5U5", &[0b1_10011_10001_00001], [8.0 / 127.0, -120.0 / 127.0, 51.0 / 63.0, 1.0]),
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
            "R5G6B5" | "A1R5G5B5" | "X1R5G5B5" | "A4R4G4B4" | "A8L8" | "L16" | "V8U8" | "L6V5U5" | "R16F" => 2,
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
    // Formats without an sRGB variant stay as they are.
    assert_near(sampled("Q8W8V8U8", json!(true)), [-1.0 / 127.0, 64.0 / 127.0, -68.0 / 127.0, -1.0], 1e-6);

    // 0.5 is 188 along the curve, 0.2 is 124; alpha is linear.
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
    assert!(complaint.starts_with("resources.target.format: there is no format `P8`"), "{complaint}");
    sketch.scene["api"] = json!("d3d11");
    sketch.scene["pipelines"] = json!({});
    sketch.scene["steps"] = json!([]);
    sketch.scene["resources"]["target"]["format"] = json!("R32F");
    let complaint = sketch.complaint();
    assert_eq!(
        complaint,
        "resources.target.format: R32F is a format of Direct3D 9, in a document without `api = \"d3d9\"`"
    );
}

/// Blocks of one number each: 51 first, 102 behind, which ATI2 has as green and red.
#[test]
fn blocks_of_one_and_two_numbers_are_read() {
    for (format, words, expected) in
        [("ATI1", vec![51, 0], [0.2, 0.0, 0.0, 1.0]), ("ATI2", vec![51, 0, 102, 0], [0.4, 0.2, 1.0, 1.0])]
    {
        let mut sketch = Sketch::new(PLACE, SAMPLE);
        sketch.scene["resources"]["image"] =
            json!({"kind": "texture2d", "format": format, "width": 4, "height": 4, "u32": words});
        sketch.draw("bind", json!({"t0": "image"}));
        assert_near(sketch.color(), expected, 1e-6);
    }
}

/// A scene that clears a depth buffer to a depth, then draws with it as a texture.
fn reading(pixel: &str, format: &str, depth: f32, filter: &str) -> Sketch {
    let mut sketch = Sketch::new(PLACE, pixel);
    sketch.scene["resources"]["depths"] = json!({"kind": "texture2d", "format": format, "width": 2, "height": 2});
    sketch.scene["samplers"] = json!({"s": {"mag": filter, "min": filter}});
    sketch.draw("bind", json!({"t0": "depths", "s0": "s"}));
    let draw = sketch.scene["steps"][0].take();
    sketch.scene["steps"] = json!([{"op": "clear", "depth_target": "depths", "depth": depth}, draw]);
    sketch
}

#[test]
fn formats_for_reading_depths_give_them() {
    for (format, expected) in [("INTZ", [0.25; 4]), ("DF24", [0.25, 0.0, 0.0, 1.0]), ("DF16", [0.25, 0.0, 0.0, 1.0])] {
        for filter in ["POINT", "LINEAR"] {
            assert_near(reading(SAMPLE, format, 0.25, filter).color(), expected, 2e-5);
        }
    }
}

/// Samplers of other depth buffers compare the third coordinate with them, as depth textures of NVIDIA's devices do: it
/// passes unless it is behind them.
#[test]
fn depth_buffers_are_compared_with_the_third_coordinate() {
    for format in ["D16", "D16_LOCKABLE", "D24S8", "D24X8", "D32F_LOCKABLE"] {
        for (reference, passes) in [(-1.0, 1.0), (0.2, 1.0), (0.3, 0.0), (2.0, 0.0)] {
            let texts = [
                format!(
                    "ps_2_0\ndef c0, 0.5, 0.5, {reference}, 1\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0"
                ),
                format!(
                    "ps_2_0\ndef c0, 1, 1, {}, 2\ndcl_2d s0\nmov r0, c0\ntexldp r0, r0, s0\nmov oC0, r0",
                    reference * 2.0
                ),
                format!("ps_3_0\ndef c0, 0.5, 0.5, {reference}, 0\ndcl_2d s0\ntexldl r0, c0, s0\nmov oC0, r0"),
            ];
            for text in texts {
                assert_eq!(reading(&text, format, 0.25, "POINT").color(), [passes; 4], "{text} {format}");
            }
        }
        // Equal depth passes; a reference beyond 1 is 1.
        let text = "ps_2_0\ndef c0, 0.5, 0.5, 7, 1\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0";
        assert_eq!(reading(text, format, 1.0, "POINT").color(), [1.0; 4], "{format}");
    }
    // ps_1_x takes coordinates of a stage: z is that of the vertices, 0.5.
    for (depth, passes) in [(0.75, 1.0), (0.25, 0.0)] {
        for text in ["ps_1_1\ntex t0\nmov r0, t0", "ps_1_4\ntexld r0, t0"] {
            assert_eq!(reading(text, "D24S8", depth, "POINT").color(), [passes; 4], "{text} {depth}");
        }
    }
}

/// Filters weigh the results of comparisons: half way between four depths of which two pass.
#[test]
fn compared_depths_are_filtered_afterwards() {
    let text = "ps_2_0\ndef c0, 0.5, 0.5, 0.5, 1\ndcl_2d s0\nmov r0, c0\ntexld r0, r0, s0\nmov oC0, r0";
    let mut sketch = reading(text, "D32F_LOCKABLE", 0.9, "LINEAR");
    // The left half is 0.1 away, by a draw to it.
    let mut left = sketch.scene["steps"][1].clone();
    left["bind"] = json!({});
    left["target"] = json!("halves");
    left["depth_target"] = json!("depths");
    left["scissor"] = json!([0, 0, 1, 2]);
    left["render_states"] = json!({"ZFUNC": "ALWAYS"});
    left["viewport"] = json!([0, 0, 2, 2, 0, 0.2]);
    sketch.scene["resources"]["halves"] = json!({"kind": "texture2d", "format": "A8R8G8B8", "width": 2, "height": 2});
    let [clear, draw] = [0, 1].map(|n| sketch.scene["steps"][n].take());
    sketch.scene["steps"] = json!([clear, left, draw]);
    assert_eq!(sketch.color(), [0.5; 4]);
}

/// "Without a filter between mip levels" (`D3DTEXF_NONE`: "disables mipmapping") there is the first, whatever
/// `D3DSAMP_MAXMIPLEVEL` says.
#[test]
fn the_first_level_is_read_where_none_are_filtered() {
    let first = |sampler: serde_json::Value| {
        let mut sketch = Sketch::new(PLACE, SAMPLE);
        // Levels of 4 x 4, 2 x 2 and 1 texels: white, then 0.2, then black.
        let words: Vec<u32> = [[0xffff_ffff; 16].as_slice(), &[0x3333_3333; 4], &[0]].concat();
        sketch.scene["resources"]["levels"] =
            json!({"kind": "texture2d", "format": "A8R8G8B8", "width": 4, "height": 4, "mips": 3, "u32": words});
        sketch.scene["samplers"] = json!({"s": sampler});
        sketch.draw("bind", json!({"t0": "levels", "s0": "s"}));
        sketch.color()[0]
    };
    for (mip, level, expected) in
        [("NONE", 0, 1.0), ("NONE", 1, 1.0), ("NONE", 2, 1.0), ("POINT", 0, 1.0), ("POINT", 1, 0.2), ("LINEAR", 2, 0.0)]
    {
        let found = first(json!({"min": "LINEAR", "mag": "POINT", "mip": mip, "max_mip_level": level}));
        assert!((found - expected).abs() < 1e-6, "{mip} {level}: {found}");
    }
}

/// `D3DTTFF_PROJECTED`: the last of the coordinates divides the others, where a ps_1_1 to ps_1_3 samples by them.
#[test]
fn stages_divide_their_coordinates() {
    let vertex = "vs_2_0\ndef c0, 0.75, 0.25, 0.5, 2\ndcl_position v0\nmov oPos, v0\nmov oT0, c0";
    let texel = |pixel: &str, projected: serde_json::Value| {
        let mut sketch = Sketch::new(vertex, pixel);
        // Texels are 0 to 7 from left to right, of 8, above such as have 8 more.
        let texels: Vec<f32> = (0..64).map(|n| n as f32).collect();
        sketch.scene["resources"]["image"] =
            json!({"kind": "texture2d", "format": "R32F", "width": 8, "height": 8, "f32": texels});
        sketch.scene["samplers"] = json!({"s": {"address": ["CLAMP", "CLAMP", "CLAMP"]}});
        sketch.draw("bind", json!({"t0": "image", "s0": "s"}));
        if !projected.is_null() {
            sketch.set("/pipelines/main/projected", projected);
        }
        sketch.color()[0]
    };
    let plain = "ps_1_1\ntex t0\nmov r0, t0";
    assert_eq!(texel(plain, json!(null)), 2.0 * 8.0 + 6.0);
    assert_eq!(texel(plain, json!({"0": 4})), 8.0 + 3.0);
    assert_eq!(texel("ps_1_3\ntex t0\nmov r0, t0", json!({"0": 3})), 4.0 * 8.0 + 7.0);
    assert_eq!(texel("ps_1_4\ntexld r0, t0", json!({"0": 4})), 2.0 * 8.0 + 6.0);
    let mut sketch = Sketch::new(vertex, plain);
    sketch.set("/pipelines/main/projected", json!({"4": 3}));
    assert_eq!(
        sketch.complaint(),
        "pipelines.main.projected.4: there are the texture stages 0 to 3 that divide their coordinates"
    );
    sketch.set("/pipelines/main/projected", json!({"0": 1}));
    assert_eq!(
        sketch.complaint(),
        "pipelines.main.projected.0: the last of 1 texture coordinates cannot divide the others: there are 2 to 4 of them"
    );
}
