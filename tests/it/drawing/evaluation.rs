//! Tests inputs at other positions in a pixel than its center, and information about samples with one sample:
//! functional specification, 16.5, 22.4.21 and 22.4.22.

use super::canvas::{SIZE, Vertex, picture, position};
use super::shaders::pixel;

/// Three vertices on whole pixels, with w and an attribute of two components.
const CORNERS: [([f32; 2], f32, [f32; 2]); 3] =
    [([0.0, 0.0], 1.0, [0.0, 7.0]), ([16.0, 2.0], 4.0, [12.0, -1.0]), ([1.0, 16.0], 2.5, [3.0, 40.0])];

/// They as vertices: the attribute in two registers, its negation in the third.
fn vertices() -> [Vertex; 3] {
    CORNERS.map(|(place, w, [a, b])| {
        let [own, negated] = [[a, b, a, b], [-a, -b, -a, -b]].map(|words| words.map(f32::to_bits));
        [position(place, 0.5, w).map(f32::to_bits), own, own, negated]
    })
}

/// A component of the attribute at a position, in doubles.
fn exact(at: [f64; 2], component: usize, is_perspective: bool) -> f64 {
    let places = CORNERS.map(|(place, ..)| place.map(f64::from));
    let area = |[a, b, c]: [[f64; 2]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let whole = area(places);
    let (mut sum, mut weights) = (0.0, 0.0);
    for (n, (_, w, attribute)) in CORNERS.into_iter().enumerate() {
        let mut corners = places;
        corners[n] = at;
        let mut weight = area(corners) / whole;
        if is_perspective {
            weight /= f64::from(w);
        }
        sum += weight * f64::from(attribute[component]);
        weights += weight;
    }
    sum / weights
}

/// The colours of covered pixels, with their columns and rows.
fn drawn(code: &str) -> Vec<([u32; 2], [f32; 4])> {
    let (texels, _) = picture(&pixel(code), &vertices(), |_| {}, |_, _| {});
    // Covered pixels have an alpha: the attribute's second component, which is not 0, or something else.
    let pixels = texels.iter().zip(0..).filter(|(texel, _)| texel[3] != 0);
    pixels.map(|(texel, n)| ([n % SIZE, n / SIZE], texel.map(f32::from_bits))).collect()
}

/// Offsets are sixteenths of a pixel from its center, by the lowest four bits; attributes come from the primitive's
/// planes there. That holds where pixels of a quad diverge, and for registers that a computed index chooses.
#[test]
fn inputs_are_evaluated_in_sixteenths() {
    let offsets = [[0, 0], [-8, -8], [7, 7], [-8, 7], [3, 0], [0, -5]];
    for (mode, [x, y]) in ["linear", "linear centroid", "linear noperspective", "linear noperspective sample"]
        .into_iter()
        .flat_map(|mode| offsets.map(|offset| (mode, offset)))
    {
        let is_perspective = !mode.contains("noperspective");
        // Other bits are ignored.
        let offset = format!("l({}, {}, 0, 0)", x & 15 | 0x70, y);
        let declared = format!(
            "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_input_ps {mode} v1.xyzw\n\
             dcl_input_ps {mode} v2.xyzw\ndcl_input_ps {mode} v3.xyzw\ndcl_output o0.xyzw"
        );
        let plain = format!("{declared}\neval_snapped o0.xyzw, v1.xyzw, {offset}");
        let negated = format!("{declared}\neval_snapped o0.xyzw, -v1.xyzw, {offset}");
        // Every other column, where its neighbours do not.
        let divergent = format!(
            "{declared}\ndcl_temps 1\nftou r0.x, v0.x\nand r0.x, r0.x, l(1)\nif_nz r0.x\n\
             eval_snapped o0.xyzw, v1.xyzw, {offset}\nelse\nmov o0.xyzw, l(0,0,0,0)\nendif"
        );
        // Registers 2 and 3, by columns.
        let computed = format!(
            "{declared}\ndcl_temps 1\ndcl_indexrange v2.xyzw, 2\nftou r0.x, v0.x\nand r0.x, r0.x, l(1)\n\
             eval_snapped o0.xyzw, v[r0.x + 2].xyzw, {offset}"
        );
        for (name, code) in [("plain", plain), ("negated", negated), ("divergent", divergent), ("computed", computed)] {
            let found = drawn(&code);
            assert!(found.len() > 40, "{mode} {name}: {}", found.len());
            for ([column, row], color) in found {
                let at = [f64::from(column) + 0.5 + f64::from(x) / 16.0, f64::from(row) + 0.5 + f64::from(y) / 16.0];
                let is_negated = name == "negated" || (name == "computed" && column % 2 == 1);
                for component in 0..2 {
                    let expected = exact(at, component, is_perspective) * if is_negated { -1.0 } else { 1.0 };
                    let error = (f64::from(color[component]) - expected).abs();
                    assert!(error < 4e-5, "{mode} {name} {x} {y} at {column} {row}: {color:?}, not {expected}");
                }
            }
        }
    }
}

/// Without an offset the result is the input itself, bit for bit; so it is at the centroid and at the only sample.
/// Constant inputs keep their bits, NaN or not.
#[test]
fn at_the_center_inputs_are_themselves() {
    let declared = "dcl_input_ps linear v1.xyzw\ndcl_input_ps linear noperspective v2.xyzw\n\
                    dcl_input_ps constant v3.xyzw\ndcl_output o0.xyzw\ndcl_temps 1";
    let mut vertices = vertices();
    vertices[0][3] = [0x7fc0_1234, 5, u32::MAX, 0x8000_0001];
    for register in 1..=3 {
        let expected =
            picture(&pixel(&format!("{declared}\nmov o0.xyzw, v{register}.xyzw")), &vertices, |_| {}, |_, _| {});
        let at_center = [
            format!("eval_snapped o0.xyzw, v{register}.xyzw, l(16, -16, 7, 7)"),
            format!("eval_centroid o0.xyzw, v{register}.xyzw"),
            format!("eval_sample_index o0.xyzw, v{register}.xyzw, l(0)"),
        ];
        let elsewhere = format!("eval_snapped o0.xyzw, v{register}.xyzw, l(5, -8, 0, 0)");
        for code in at_center.iter().chain((register == 3).then_some(&elsewhere)) {
            let found = picture(&pixel(&format!("{declared}\n{code}")), &vertices, |_| {}, |_, _| {});
            assert!(found == expected, "{code}");
        }
    }
}

/// There is one sample, at the center; no other has a position.
#[test]
fn the_rasterizer_has_one_sample() {
    let code = "dcl_output o0.xyzw\ndcl_temps 1\nsampleinfo o0.x, rasterizer.x\nsampleinfo_uint r0.x, rasterizer.x\n\
                utof o0.y, r0.x\nsamplepos o0.z, rasterizer.xyxx, l(0)\nsamplepos r0.xy, rasterizer.xyxx, l(1)\n\
                add r0.x, r0.x, r0.y\nadd o0.w, r0.x, l(2.0)";
    let found = drawn(code);
    assert!(found.len() > 40 && found.iter().all(|(_, color)| *color == [1.0, 1.0, 0.0, 2.0]));
}

/// No pixel is rasterized conservatively, and only those can be known to be inside as a whole: `SV_InnerCoverage` is 0.
#[test]
fn no_pixel_has_inner_coverage() {
    let code = "dcl_input vInnerCoverage\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, vInnerCoverage\n\
                mov o0.xyz, r0.xxxx\nmov o0.w, l(1.0)";
    let found = drawn(code);
    assert!(found.len() > 40 && found.iter().all(|(_, color)| *color == [0.0, 0.0, 0.0, 1.0]));
}
