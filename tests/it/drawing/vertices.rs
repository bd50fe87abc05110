//! Tests vertex assembly and the system values of vertex shaders: functional specification, 8.3 to 8.6 and 8.12 to
//! 8.18.

use brolga::raster::{Cull, Draw, IndexBuffer, PipelineDesc, Topology};
use brolga::{Device, Engine, Format};

use super::canvas::{Canvas, Item, SIZE, Vertex, on_both, position};
use super::shaders::{INPUTS, OUTPUTS, pixel, vertex, vertex_with};

/// Vertices that go up and down from left to right: triangles of three consecutive ones alternate their facing,
/// beginning with a front-facing one. Each covers some pixels. The attributes are the number of the vertex.
fn zigzag(count: u32) -> Vec<Vertex> {
    let place = |n: u32| [n as f32, if n.is_multiple_of(2) { 8.0 } else { 6.0 }];
    (0..count)
        .map(|n| {
            let number = [n as f32, 0.0, 0.0, 0.0].map(f32::to_bits);
            [position(place(n), 0.5, 1.0).map(f32::to_bits), number, number, number]
        })
        .collect()
}

/// The leading vertex's number and the primitive's, of each visible triangle, by primitives.
fn triangles(
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> Vec<[u32; 2]> {
    let shader = pixel(
        "dcl_input_ps constant v1.xyzw\ndcl_input_ps_sgv constant v5.x, primitive_id\ndcl_output o0.xyzw\ndcl_temps 1\n\
         utof r0.x, v5.x\nmov o0.x, v1.x\nmov o0.y, r0.x\nmov o0.zw, l(0,0,1.0,1.0)",
    );
    let (texels, _) = super::canvas::picture(&shader, vertices, set, with);
    let mut found: Vec<[u32; 2]> = texels
        .iter()
        .filter(|texel| texel[3] != 0)
        .map(|texel| [texel[1], texel[0]].map(|word| f32::from_bits(word) as u32))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|[primitive, leading]| [leading, primitive]).collect()
}

fn is_strip(desc: &mut PipelineDesc) {
    desc.topology = Topology::TriangleStrip;
    // An odd triangle that is not turned shows its back.
    desc.rasterizer.cull = Cull::Back;
}

fn indexed(device: &Device, draw: &mut Draw<'_>, indices: &[u32], is_short: bool) {
    let buffer = if is_short {
        device.buffer_from(&indices.iter().map(|&index| index as u16).collect::<Vec<_>>())
    } else {
        device.buffer_from(indices)
    };
    draw.count = indices.len() as u32;
    draw.index_buffer = Some(IndexBuffer { buffer: buffer.unwrap(), offset_bytes: 0, is_short });
}

#[test]
fn strips_lead_with_their_first_vertex_and_turn_every_other_triangle() {
    // Triangle n begins with vertex n, whatever its winding.
    let found = triangles(&zigzag(8), is_strip, |_, _| {});
    assert_eq!(found, [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]);
}

#[test]
fn restarts_begin_a_strip_anew_and_primitives_count_on() {
    for (is_short, restart) in [(true, 0xffff), (false, u32::MAX)] {
        // One triangle, none, and two with the first one's winding.
        let indices = [0, 1, 2, restart, 4, 5, restart, restart, 6, 7, 8, 9, restart];
        let found = triangles(&zigzag(12), is_strip, |device, draw| indexed(device, draw, &indices, is_short));
        assert_eq!(found, [[0, 0], [6, 1], [7, 2]], "{is_short}");
    }
}

/// The base vertex is added after an index was compared with the one that restarts.
#[test]
fn restarts_are_found_before_the_base_vertex_is_added() {
    let with = |device: &Device, draw: &mut Draw<'_>| {
        indexed(device, draw, &[0xfffe, 0xffff, 1, 2, 3], true);
        draw.base_vertex = 1;
    };
    let all = |desc: &mut PipelineDesc| desc.topology = Topology::TriangleStrip;
    // 0xffff restarts, though it is not the last vertex; 0xfffe + 1 does not.
    assert_eq!(triangles(&zigzag(8), all, with), [[2, 0]]);
    let with = |device: &Device, draw: &mut Draw<'_>| {
        indexed(device, draw, &[0xffff, 0x1_0000, 0x1_0001], false);
        draw.base_vertex = -0xffff;
    };
    // With indices of 32 bits 0xffff is one like others.
    assert_eq!(triangles(&zigzag(8), all, with), [[0, 0]]);
}

/// 8.12: "Even if the current Primitive Topology is not a strip, then the cut index value still takes effect".
#[test]
fn restarts_cut_lists_too() {
    let indices = [0, 1, 0xffff, 2, 3, 4, 5, 0xffff, 6, 7, 8];
    let found = triangles(&zigzag(10), |_| {}, |device, draw| indexed(device, draw, &indices, true));
    assert_eq!(found, [[2, 0], [6, 1]]);
}

/// The system values that a vertex shader gets: each of some triangles shows those of its leading vertex and instance.
fn numbers(count: u32, with: impl Fn(&Device, &mut Draw<'_>)) -> Vec<[u32; 4]> {
    let inputs: Vec<&str> =
        INPUTS.into_iter().chain(["SV_VertexID 0 x 4 VERTID uint", "SV_InstanceID 0 x 5 INSTID uint"]).collect();
    // Instances lie one below the other, a pixel each.
    let vertex = vertex_with(
        &inputs,
        &OUTPUTS,
        "dcl_input_sgv v4.x, vertex_id\ndcl_input_sgv v5.x, instance_id\n\
         dcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw",
        "utof r0.x, v5.x\nmad o0.y, r0.x, l(-0.125), v0.y\nmov o2.x, v4.x\nmov o2.y, v5.x\nmov o2.zw, v2.xxxx",
    );
    let pixel = pixel(
        "dcl_input_ps constant v2.xyzw\ndcl_input_ps_sgv constant v5.x, primitive_id\ndcl_output o0.xyzw\ndcl_temps 1\n\
         mov o0.xyz, v2.xyzx\nmov o0.w, v5.x",
    );
    // A pixel each.
    let vertices: Vec<Vertex> = (0..count)
        .map(|n| {
            let [x, corner] = [n / 3, n % 3].map(|n| n as f32);
            let place = [x + 0.4 + 0.4 * f32::from(corner == 1.0), 0.4 + 0.4 * f32::from(corner == 2.0)];
            [position(place, 0.5, 1.0).map(f32::to_bits), [0; 4], [100 + n; 4], [0; 4]]
        })
        .collect();
    let texels = on_both(|device, engine: Engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_UINT]);
        canvas.draw(Item::new(&vertex, &pixel, &vertices).with(&with));
        canvas.texels(0)
    });
    texels.into_iter().filter(|texel| texel[2] != 0).collect()
}

/// Without indices vertices are numbered from 0 on whatever the first is; primitives and vertices restart with each
/// instance, and instances begin at 0.
#[test]
fn vertices_primitives_and_instances_are_numbered() {
    let found = numbers(9, |_, draw| (draw.first, draw.count, draw.instances, draw.first_instance) = (3, 6, 2, 5));
    // For each leading vertex: number, instance, attribute, primitive.
    assert_eq!(found, [[0, 0, 103, 0], [3, 0, 106, 1], [0, 1, 103, 0], [3, 1, 106, 1]]);
}

/// With indices a vertex's number is its index, before the base vertex is added.
#[test]
fn indexed_vertices_have_their_indices() {
    let found = numbers(9, |device, draw| {
        indexed(device, draw, &[1, 1, 1, 3, 4, 5, 0, 1, 2], false);
        (draw.first, draw.count, draw.base_vertex, draw.instances) = (3, 6, 3, 2);
    });
    assert_eq!(found, [[0, 0, 103, 1], [3, 0, 106, 0], [0, 1, 103, 1], [3, 1, 106, 0]]);
}

/// Elements of instances advance with them from the first instance on, and not with vertices.
#[test]
fn elements_of_instances_begin_at_the_first_instance() {
    for (step, expected) in [(1, [102, 103]), (2, [102, 102]), (0, [102, 102])] {
        let pixel = pixel("dcl_input_ps constant v2.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v2.xyzw");
        let inputs: Vec<&str> = INPUTS.into_iter().chain(["SV_InstanceID 0 x 4 INSTID uint"]).collect();
        let declarations =
            "dcl_input_sgv v4.x, instance_id\ndcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw";
        let move_down = "utof r0.x, v4.x\nmad o0.y, r0.x, l(-0.125), v0.y";
        let vertex = vertex_with(&inputs, &OUTPUTS, declarations, move_down);
        let places = [[0.4, 0.4], [0.8, 0.4], [0.4, 0.8]];
        let vertices = places.map(|place| [position(place, 0.5, 1.0).map(f32::to_bits), [0; 4], [7; 4], [0; 4]]);
        let set =
            |desc: &mut PipelineDesc| desc.input_layout[2] = desc.input_layout[2].clone().slot(1).per_instance(step);
        let texels = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_UINT]);
            let with = |device: &Device, draw: &mut Draw<'_>| {
                let instances: Vec<Vertex> = (100..106).map(|n| [[n; 4]; 4]).collect();
                let buffer = device.buffer_from(&instances).unwrap();
                draw.vertex_buffers.push(brolga::raster::VertexBuffer {
                    buffer,
                    offset_bytes: 0,
                    stride_bytes: size_of::<Vertex>() as u32,
                });
                (draw.instances, draw.first_instance) = (2, 2);
            };
            canvas.draw(Item::new(&vertex, &pixel, &vertices).set(&set).with(&with));
            canvas.texels(0)
        });
        assert_eq!([texels[0][0], texels[SIZE as usize][0]], expected, "step {step}");
    }
}

/// Vertices that do not make a whole triangle are dropped.
#[test]
fn incomplete_triangles_are_dropped() {
    let vertex = vertex();
    let pixel = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    for topology in [Topology::TriangleList, Topology::TriangleStrip] {
        for count in 0..3 {
            let vertices = zigzag(3);
            let passed = on_both(|device, engine| {
                let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
                let with = |_: &Device, draw: &mut Draw<'_>| draw.count = count;
                canvas.draw(Item::new(&vertex, &pixel, &vertices).set(&|desc| desc.topology = topology).with(&with))
            });
            assert_eq!(passed, 0);
        }
    }
}
