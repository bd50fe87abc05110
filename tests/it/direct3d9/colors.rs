//! Tests operations on colours after the pixel shader, and flat shading before it: "Alpha Testing State", "Fog
//! Formulas", "Shading Modes", "Face Register".

use brolga::Comparison;
use brolga::raster::{Direct3D9Values, Distance, FogMode, PipelineDesc};

use serde_json::{Value, json};

use super::probe::{NOTHING, PASS, Probe, assert_near, rectangle};
use super::sketch::{PLACE, Sketch};

#[test]
fn alpha_functions_compare_codes() {
    use Comparison::*;
    // The pixel shader writes its constant's alpha.
    let of_code = |code: f32, function, reference: u8| {
        let pixel = format!("ps_2_0\ndef c0, 1, 1, 1, {}\nmov r0, c0\nmov oC0, r0", code / 255.0);
        let set = move |desc: &mut PipelineDesc| desc.direct3d9.alpha_test = Some(function);
        let probe = Probe::new(&rectangle([0.0, 0.0, 8.0, 8.0], 0.5));
        let with = |draw: &mut brolga::raster::Draw<'_>| draw.direct3d9.alpha_reference = reference;
        probe.shaders(PASS, &pixel).set(&set).with(&with).draw()[3][3] != NOTHING
    };
    let table = [
        (Never, [false, false, false]),
        (Less, [true, false, false]),
        (Equal, [false, true, false]),
        (LessEqual, [true, true, false]),
        (Greater, [false, false, true]),
        (NotEqual, [true, false, true]),
        (GreaterEqual, [false, true, true]),
        (Always, [true, true, true]),
    ];
    for (function, expected) in table {
        let passes = [127.0, 128.0, 129.0].map(|code| of_code(code, function, 128));
        assert_eq!(passes, expected, "{function:?}");
    }
    // Alpha is rounded to a code first. Values that a target of floats can hold are not clamped.
    assert!(of_code(127.6, Equal, 128) && !of_code(127.4, Equal, 128));
    assert!(of_code(300.0, Greater, 255) && !of_code(300.0, Equal, 255) && !of_code(300.0, LessEqual, 255));
    assert!(of_code(-4.0, Less, 0) && !of_code(-4.0, Equal, 0) && !of_code(-4.0, GreaterEqual, 0));
    assert!(of_code(1e30, Greater, 255) && of_code(-1e30, Less, 0) && of_code(255.0, Equal, 255));
}

/// Fixed-point values are between 0 and 1, and so is the alpha that is compared. The reference is the lowest 8 bits of
/// its state.
#[test]
fn alpha_is_compared_as_targets_of_fixed_point_have_it() {
    let passes = |alpha: &str, function: &str, reference: u32| {
        let mut sketch = Sketch::new(PLACE, &format!("ps_2_0\ndef c0, 1, 1, 1, {alpha}\nmov oC0, c0"));
        sketch.set("/resources/target/format", json!("A8R8G8B8"));
        sketch.set("/expect/0/file", json!("small.bin"));
        sketch.draw("render_states", json!({"ALPHATESTENABLE": true, "ALPHAFUNC": function, "ALPHAREF": reference}));
        sketch.pixel()[0] == 255
    };
    assert!(passes("1.5", "EQUAL", 255) && !passes("1.5", "GREATER", 255));
    assert!(passes("-0.5", "EQUAL", 0) && !passes("-0.5", "LESS", 0));
    assert!(passes("0.5", "EQUAL", 0x180) && passes("0.5", "EQUAL", 0xffff_ff80) && !passes("0.5", "EQUAL", 0x1ff));
}

fn fogged(mode: FogMode, pixel: &str, z: f32, values: &Direct3D9Values) -> [f32; 4] {
    // The third component of the value, 0.25, is the factor.
    let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oFog.x, v1.z";
    let set = move |desc: &mut PipelineDesc| desc.direct3d9.fog = Some(mode);
    let with = |draw: &mut brolga::raster::Draw<'_>| draw.direct3d9 = values.clone();
    Probe::new(&rectangle([0.0, 0.0, 8.0, 8.0], z)).shaders(vertex, pixel).set(&set).with(&with).draw()[4][4]
}

#[test]
fn fog_takes_the_place_of_colours() {
    let pixel = "ps_2_0\ndef c0, 1, 0.5, 0, 0.75\nmov r0, c0\nmov oC0, r0";
    let color = [0.25, 0.5, 0.75];
    let usual = Direct3D9Values { fog_color: color, ..Direct3D9Values::default() };
    let expect = |factor: f64, of: [f32; 4]| {
        let mix = |own: f64, fog: f32| factor * own + (1.0 - factor) * f64::from(fog);
        assert_near(of, [mix(1.0, color[0]), mix(0.5, color[1]), mix(0.0, color[2]), 0.75], 1e-5);
    };
    expect(0.25, fogged(FogMode::Vertex, pixel, 0.5, &usual));
    let range = |fog_start, fog_end| Direct3D9Values { fog_start, fog_end, ..usual.clone() };
    let depth = Distance::Depth;
    for (start, end, factor) in
        [(0.0, 1.0, 0.5), (0.25, 0.75, 0.5), (0.0, 0.8, 0.375), (0.6, 0.8, 1.0), (0.1, 0.4, 0.0)]
    {
        expect(factor, fogged(FogMode::Linear(depth), pixel, 0.5, &range(start, end)));
    }
    // A range without extent is an edge.
    expect(1.0, fogged(FogMode::Linear(depth), pixel, 0.5, &range(0.6, 0.6)));
    for density in [0.0, 0.5, 2.0, 30.0] {
        let values = Direct3D9Values { fog_density: density, ..usual.clone() };
        let product = f64::from(density) * 0.5;
        expect((-product).exp(), fogged(FogMode::Exponential(depth), pixel, 0.5, &values));
        expect((-product * product).exp(), fogged(FogMode::ExponentialSquared(depth), pixel, 0.5, &values));
        // w is 1 all over.
        let product = f64::from(density);
        expect((-product).exp(), fogged(FogMode::Exponential(Distance::W), pixel, 0.5, &values));
    }
    // Without a factor it is 0: all is fog, but for alpha.
    let set = |desc: &mut PipelineDesc| desc.direct3d9.fog = Some(FogMode::Vertex);
    let with = |draw: &mut brolga::raster::Draw<'_>| draw.direct3d9 = usual.clone();
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    expect(0.0, Probe::new(&vertices).shaders(PASS, pixel).set(&set).with(&with).draw()[4][4]);
    // ps_3_0 does its own.
    let own = "ps_3_0\ndef c0, 1, 0.5, 0, 0.75\nmov oC0, c0";
    assert_near(fogged(FogMode::Vertex, own, 0.5, &usual), [1.0, 0.5, 0.0, 0.75], 0.0);
}

/// A scene of transformed vertices: x, y, z, 1/w, and the rest of a stride of 8 floats. The fog is white, the colour
/// behind it (0.25, 0.5, 0.75).
fn transformed(z: f32, rhw: f32, elements: &[(&str, u32)], states: Value) -> Sketch {
    let mut sketch = Sketch::new(PLACE, "ps_2_0\ndef c0, 0.25, 0.5, 0.75, 1\nmov oC0, c0");
    let corners = [[-1.0, -1.0], [16.0, -1.0], [-1.0, 16.0]].map(|[x, y]| [x, y, z, rhw, 1.0, 1.0, 1.0, 0.75]);
    sketch.set("/resources/corners/f32", json!(corners.as_flattened()));
    sketch.set("/steps/0/vertex_buffers/0/stride", json!(32));
    let mut layout = vec![json!({"usage": "POSITIONT", "type": "FLOAT4"})];
    layout.extend(
        elements.iter().map(|&(usage, index)| json!({"usage": usage, "index": index, "type": "FLOAT4", "offset": 16})),
    );
    sketch.set("/pipelines/main/input_layout", json!(layout));
    sketch.set(
        "/pipelines/main/render_states",
        json!({"CULLMODE": "NONE", "FOGENABLE": true, "FOGCOLOR": 0xffff_ffff_u32}),
    );
    sketch.draw("render_states", states);
    sketch
}

/// "Pixel Fog": "Direct3D takes the reciprocal of the RHW element"; "Vertex Fog": the factor is "the alpha component of
/// the specular color".
#[test]
fn fog_of_transformed_vertices_is_of_their_w() {
    let mixed = |factor: f64| [0.25, 0.5, 0.75].map(|own| own * factor + 1.0 - factor);
    let expect = |sketch: &Sketch, factor| {
        let [red, green, blue] = mixed(factor);
        assert_near(sketch.color(), [red, green, blue, 1.0], 1e-5);
    };
    // From the second colour, or all fog.
    expect(&transformed(0.5, 1.0, &[("COLOR", 1)], json!({})), 0.75);
    expect(&transformed(0.5, 1.0, &[("COLOR", 0)], json!({})), 0.0);
    let linear = json!({"FOGTABLEMODE": "LINEAR", "FOGSTART": 0, "FOGEND": 20});
    // w is 10.
    expect(&transformed(0.5, 0.1, &[], linear.clone()), 0.5);
    let exponential = json!({"FOGTABLEMODE": "EXP", "FOGDENSITY": 0.05});
    expect(&transformed(0.5, 0.1, &[], exponential), (-0.5_f64).exp());
    let squared = json!({"FOGTABLEMODE": "EXP2", "FOGDENSITY": 0.05});
    expect(&transformed(0.5, 0.1, &[], squared), (-0.25_f64).exp());
    // A 1/w of 0 is a w of 1.
    expect(&transformed(0.5, 0.0, &[], linear), 0.95);
    // Scenes choose the other distance.
    let linear = json!({"FOGTABLEMODE": "LINEAR", "FOGSTART": 0, "FOGEND": 2});
    let mut sketch = transformed(0.5, 0.1, &[], linear.clone());
    sketch.set("/pipelines/main/fog_distance", json!("DEPTH"));
    expect(&sketch, 0.75);
    sketch.set("/pipelines/main/fog_distance", json!("W"));
    sketch.set("/steps/0/render_states/FOGEND", json!(40));
    expect(&sketch, 0.75);
    sketch.set("/pipelines/main/fog_distance", json!("Z"));
    assert_eq!(
        sketch.complaint(),
        "pipelines.main.fog_distance: there is no distance of fog `Z` [expected one of DEPTH, W]"
    );
    // Vertices of vertex shaders have their depth, unless a scene says otherwise: w is 1.
    let mut sketch = Sketch::new(PLACE, "ps_2_0\ndef c0, 0.25, 0.5, 0.75, 1\nmov oC0, c0");
    sketch.draw(
        "render_states",
        json!({"FOGENABLE": true, "FOGCOLOR": 0xffff_ffff_u32, "FOGTABLEMODE": "LINEAR", "FOGEND": 4}),
    );
    expect(&sketch, 0.875);
    sketch.set("/pipelines/main/fog_distance", json!("W"));
    expect(&sketch, 0.75);
}

/// "If the vertex does not contain a diffuse color, the default color is 0xffffffff."
#[test]
fn transformed_vertices_without_a_diffuse_colour_are_white() {
    for pixel in ["ps_1_1\nmov r0, v0", "ps_2_0\ndcl v0\nmov oC0, v0", "ps_3_0\ndcl_color v0\nmov oC0, v0"] {
        let mut sketch = Sketch::new(PLACE, pixel);
        let corners = [[-1.0, -1.0], [16.0, -1.0], [-1.0, 16.0]].map(|[x, y]| [x, y, 0.5, 1.0]);
        sketch.set("/resources/corners/f32", json!(corners.as_flattened()));
        sketch.set("/pipelines/main/input_layout/0/usage", json!("POSITIONT"));
        assert_eq!(sketch.color(), [1.0; 4], "{pixel}");
    }
}

#[test]
fn flat_shading_is_of_colours_alone() {
    let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oD0, v1\nmov oT0, v1";
    let pixel = "ps_2_0\ndcl v0\ndcl t0\nmov r0, v0\nmov r0.zw, t0.xyxy\nmov oC0, r0";
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    let drawn = |is_flat| {
        let set = move |desc: &mut PipelineDesc| desc.direct3d9.is_flat = is_flat;
        Probe::new(&vertices).shaders(vertex, pixel).set(&set).draw()
    };
    assert_near(drawn(false)[2][4], [0.5, 0.25, 0.5, 0.25], 1e-5);
    // The first triangle begins at the upper left, the second at the lower left.
    assert_near(drawn(true)[2][4], [0.0, 0.0, 0.5, 0.25], 1e-5);
    assert_near(drawn(true)[6][4], [0.0, 1.0, 0.5, 0.75], 1e-5);
}

#[test]
fn colors_are_clamped_on_their_way_unless_a_vs_3_0_gives_them() {
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    let pixel = "ps_2_0\ndcl v0\nmov r0, v0\nmov oC0, r0";
    let vertex = "vs_2_0\ndef c0, 2, -1, 0.5, 1\ndcl_position v0\nmov oPos, v0\nmov oD0, c0";
    assert_near(Probe::new(&vertices).shaders(vertex, pixel).draw()[1][1], [1.0, 0.0, 0.5, 1.0], 1e-6);
    let vertex =
        "vs_3_0\ndef c0, 2, -1, 0.5, 1\ndcl_position v0\ndcl_position o0\ndcl_color o1\nmov o0, v0\nmov o1, c0";
    let pixel = "ps_3_0\ndcl_color v0\nmov oC0, v0";
    assert_near(Probe::new(&vertices).shaders(vertex, pixel).draw()[1][1], [2.0, -1.0, 0.5, 1.0], 1e-6);
}

#[test]
fn faces_have_signs_and_pixels_whole_numbers() {
    let vertex = "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0";
    let pixel = "ps_3_0\ndef c0, 0, 1, 0, 0\ndcl vFace\ndcl vPos.xy\nmov r0, c0.xxxy\nmov r0.xy, vPos\ncmp r0.z, vFace, c0.y, -c0.y\nmov oC0, r0";
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    assert_near(Probe::new(&vertices).shaders(vertex, pixel).draw()[3][5], [5.0, 3.0, 1.0, 1.0], 0.0);
    let mut back = vertices.clone();
    back.chunks_mut(3).for_each(|triangle| triangle.swap(1, 2));
    assert_near(Probe::new(&back).shaders(vertex, pixel).draw()[3][5], [5.0, 3.0, -1.0, 1.0], 0.0);
}

/// The page of `rcp` has infinity for 0, and nothing times 0 is anything but 0; in IEEE 754 it is NaN.
#[test]
fn scenes_choose_the_rules_for_floats() {
    let pixel = "ps_2_0\ndef c0, 0, 1, 0, 0\nrcp r0.x, c0.x\nmul r0.y, r0.x, c0.x\nmov r0.zw, c0.y\nmov oC0, r0";
    let mut sketch = Sketch::new(PLACE, pixel);
    assert_eq!(sketch.color(), [f32::INFINITY, 0.0, 1.0, 1.0]);
    sketch.scene["pipelines"]["main"]["float_rules"] = "IEEE".into();
    let bytes = sketch.bytes();
    let [quotient, product] = [0, 4].map(|at| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()));
    assert!(quotient == f32::INFINITY && product.is_nan(), "{quotient} {product}");
}
