//! Tests the links between stages by usage, and the types of vertex elements ("Vertex Declaration", `D3DDECLTYPE`).

use brolga::raster::{ElementFormat, InputElement};

use super::probe::{Probe, SHOW, assert_near, rectangle};

#[test]
fn outputs_and_inputs_meet_by_usage_and_index() {
    let vertex = "vs_3_0\ndef c0, 1, 2, 3, 4\ndef c1, 5, 6, 7, 8\ndcl_position v0\ndcl_normal1 o0\ndcl_texcoord3 o2.xy\ndcl_tangent o2.zw\n\
                  dcl_position o5\nmov o0, c0\nmov o2, c1\nmov o5, v0";
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    let shown = |pixel| Probe::new(&vertices).shaders(vertex, pixel).draw()[2][2];
    assert_near(shown("ps_3_0\ndcl_normal1 v7\nmov oC0, v7"), [1.0, 2.0, 3.0, 4.0], 1e-6);
    // Packed registers keep their components, whatever register has them.
    let packed = "ps_3_0\ndcl_texcoord3 v1.xy\ndcl_tangent v1.zw\nmov oC0, v1";
    assert_near(shown(packed), [5.0, 6.0, 7.0, 8.0], 1e-6);
    let apart = "ps_3_0\ndcl_texcoord3 v1.xy\ndcl_tangent v4.zw\nmov r0.xy, v4.zwzw\nmov r0.zw, v1.xyxy\nmov oC0, r0";
    assert_near(shown(apart), [7.0, 8.0, 5.0, 6.0], 1e-6);
    // Missing components of a register are 0, and 1 for the last one.
    let more = "ps_3_0\ndcl_texcoord3 v1\nmov oC0, v1";
    assert_near(shown(more), [5.0, 6.0, 0.0, 1.0], 1e-6);
}

/// Draws show the defaults of inputs without a source: the first colour is white below model 3 (`D3DTA_DIFFUSE`: "If
/// the vertex does not contain a diffuse color, the default color is 0xffffffff"), all else is 0.
#[test]
fn what_nothing_fills_has_a_default() {
    let vertices = rectangle([0.0, 0.0, 8.0, 8.0], 0.5);
    let shown = |vertex, pixel| Probe::new(&vertices).shaders(vertex, pixel).draw()[2][2];
    let [position_1, position_2] =
        ["vs_1_1", "vs_2_0"].map(|version| format!("{version}\ndcl_position v0\nmov oPos, v0"));
    let position_3 = "vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0";
    let cases = [
        (&*position_1, "ps_1_1\nmov r0, v0", [1.0; 4]),
        (&position_1, "ps_1_1\nmov r0, v1", [0.0; 4]),
        (&position_1, "ps_1_4\nmov r0, v0", [1.0; 4]),
        (&position_1, "ps_1_4\ntexcrd r0.rgb, t0\nmov r0.a, r0.r", [0.0; 4]),
        (&position_2, "ps_2_0\ndcl v0\nmov r0, v0\nmov oC0, r0", [1.0; 4]),
        (&position_2, "ps_2_0\ndcl v1\nmov r0, v1\nmov oC0, r0", [0.0; 4]),
        (&position_2, "ps_2_0\ndcl t2.xy\nmov r0, t2.xyxy\nmov oC0, r0", [0.0; 4]),
        (position_3, "ps_3_0\ndcl_color v0\nmov oC0, v0", [0.0; 4]),
        (position_3, "ps_3_0\ndcl_normal4 v5\nmov oC0, v5", [0.0; 4]),
    ];
    for (vertex, pixel, expected) in cases {
        assert_eq!(shown(vertex, pixel), expected, "{pixel}");
    }
    // The missing components of a partially written oD0 are 1 too, but those of nothing else.
    let vertex = "vs_2_0\ndef c0, 0.25, 0.5, 0.75, 0\ndcl_position v0\nmov oPos, v0\nmov oD0.y, c0\nmov oD1.y, c0\nmov oT0.y, c0";
    let pixels = ["v0", "v1", "t0"].map(|register| format!("ps_2_0\ndcl {register}\nmov r0, {register}\nmov oC0, r0"));
    let rest = [0.0, 0.5, 0.0, 0.0];
    for (pixel, expected) in pixels.iter().zip([[1.0, 0.5, 1.0, 1.0], rest, rest]) {
        assert_near(shown(vertex, pixel), expected, 1e-6);
    }
    // A vertex shader's input without an element is 0, as any other part of it is.
    let vertex = "vs_2_0\ndef c0, 4, 5, 6, 7\ndcl_position v0\ndcl_blendweight1 v3\nmov oPos, v0\nadd oT0, v3, c0";
    assert_eq!(shown(vertex, SHOW), [4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn elements_become_floats() {
    let with_rest = |bytes: &[u8]| {
        let mut all = [0; 16];
        all[..bytes.len()].copy_from_slice(bytes);
        all
    };
    let shorts = |values: &[i16]| with_rest(bytemuck::cast_slice(values));
    let word = |value: u32| with_rest(&value.to_le_bytes());
    let tens = |x: u32, y: u32, z: u32| word(x | y << 10 | z << 20 | 3 << 30);
    let rows: [(&str, [u8; 16], [f64; 4]); 17] = [
        ("FLOAT1", with_rest(&1.5_f32.to_le_bytes()), [1.5, 0.0, 0.0, 1.0]),
        ("FLOAT2", with_rest(bytemuck::cast_slice(&[1.5_f32, -2.0])), [1.5, -2.0, 0.0, 1.0]),
        ("FLOAT3", with_rest(bytemuck::cast_slice(&[1.5_f32, -2.0, 8.0])), [1.5, -2.0, 8.0, 1.0]),
        ("FLOAT4", with_rest(bytemuck::cast_slice(&[1.5_f32, -2.0, 8.0, 0.25])), [1.5, -2.0, 8.0, 0.25]),
        // Alpha, red, green and blue from the uppermost byte down.
        ("D3DCOLOR", word(0x3380_ff00), [128.0 / 255.0, 1.0, 0.0, 0.2]),
        ("UBYTE4", with_rest(&[0, 1, 200, 255]), [0.0, 1.0, 200.0, 255.0]),
        ("SHORT2", shorts(&[-32768, 300]), [-32768.0, 300.0, 0.0, 1.0]),
        ("SHORT4", shorts(&[-1, 2, -3, 32767]), [-1.0, 2.0, -3.0, 32767.0]),
        ("UBYTE4N", with_rest(&[0, 51, 102, 255]), [0.0, 0.2, 0.4, 1.0]),
        ("SHORT2N", shorts(&[-32767, 16384]), [-1.0, 16384.0 / 32767.0, 0.0, 1.0]),
        ("SHORT4N", shorts(&[0, 32767, -16384, 1]), [0.0, 1.0, -16384.0 / 32767.0, 1.0 / 32767.0]),
        ("USHORT2N", shorts(&[-1, 0x3333]), [1.0, 0.2, 0.0, 1.0]),
        ("USHORT4N", shorts(&[-1, 0, 0x3333, 0x6666]), [1.0, 0.0, 0.2, 0.4]),
        ("UDEC3", tens(0, 1023, 512), [0.0, 1023.0, 512.0, 1.0]),
        ("DEC3N", tens(511, 513, 0), [1.0, -1.0, 0.0, 1.0]),
        ("FLOAT16_2", shorts(&[0x3c00, 0xc000_u16 as i16]), [1.0, -2.0, 0.0, 1.0]),
        ("FLOAT16_4", shorts(&[0x3c00, 0x3800, 0, 0x4200]), [1.0, 0.5, 0.0, 3.0]),
    ];
    assert_eq!(rows.map(|(name, ..)| name).to_vec(), ElementFormat::declarations().collect::<Vec<_>>());
    for (name, bytes, expected) in rows {
        let mut probe = Probe::new(&[]);
        probe.layout[1] = InputElement::new("TEXCOORD", ElementFormat::of_declaration(name).unwrap(), 16);
        for [position, _] in rectangle([0.0, 0.0, 8.0, 8.0], 0.5) {
            probe.vertices.extend_from_slice(bytemuck::cast_slice(&position));
            probe.vertices.extend_from_slice(&bytes);
        }
        let [x, ..] = expected;
        let slack = x.abs().max(1.0) * 1e-6;
        assert_near(probe.draw()[3][3], expected, slack);
    }
}
