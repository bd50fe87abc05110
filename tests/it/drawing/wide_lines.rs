//! Tests lines that are rectangles, with `MultisampleEnable` set: functional specification, 3.4.5, 15.11, 15.14.1.
//! Their exact coverage is tested in `raster/src/setup/shape/wide.rs`.

use brolga::raster::{Cull, Fill, PipelineDesc, Topology};

use super::canvas::{SIZE, Vertex, covered, picture, position, rectangle, triangle, vertex};
use super::shaders::{attribute, pixel};

fn line([from, to]: [[f32; 2]; 2], values: [f32; 2]) -> [Vertex; 2] {
    [vertex(position(from, 0.5, 1.0), [values[0]; 4]), vertex(position(to, 0.5, 1.0), [values[1]; 4])]
}

fn wide(desc: &mut PipelineDesc) {
    (desc.topology, desc.rasterizer.multisample) = (Topology::LineList, true);
}

/// A rectangle 1.4 pixels wide, with the centers on its upper and left edges: whichever way the line goes.
#[test]
fn lines_are_rectangles() {
    for ([from, to], expected) in [
        // Rows from 3.8 to 5.2, with the first column's centers and without those of the last one.
        ([[2.5, 4.5], [10.5, 4.5]], rectangle(2..10, 4..5)),
        // Columns from 3.3 to 4.7.
        ([[4.0, 2.5], [4.0, 6.5]], rectangle(3..5, 2..6)),
        // Less than a pixel long, around a center and next to it.
        ([[5.25, 5.5], [5.75, 5.5]], rectangle(5..6, 5..6)),
        ([[5.6, 5.5], [6.4, 5.5]], vec![]),
        ([[7.5, 7.5], [7.5, 7.5]], vec![]),
    ] {
        for ends in [[from, to], [to, from]] {
            assert_eq!(covered(&line(ends, [1.0; 2]), wide, |_, _| {}), expected, "{ends:?}");
        }
    }
    // The centers next to a diagonal are 0.71 away from it.
    let diagonal: Vec<[u32; 2]> = (2..9).map(|n| [n, n]).collect();
    assert_eq!(covered(&line([[2.0, 2.0], [9.0, 9.0]], [1.0; 2]), wide, |_, _| {}), diagonal);
    // The same through many tiles and beyond the target.
    let found = covered(&line([[-3000.0, 4.5], [3000.0, 4.5]], [1.0; 2]), wide, |_, _| {});
    assert_eq!(found, rectangle(0..SIZE, 4..5));
}

/// Attributes change along the line alone.
#[test]
fn attributes_are_constant_across() {
    // 8 to the right and 6 down: 100 times the part of the way.
    let vertices = line([[2.5, 2.5], [10.5, 8.5]], [1.0, 101.0]);
    for mode in ["linear", "linear noperspective"] {
        let (texels, passed) = picture(&attribute(mode), &vertices, wide, |_, _| {});
        let mut beside = 0;
        for ([x, y], texel) in rectangle(0..SIZE, 0..SIZE).into_iter().zip(&texels).filter(|(_, texel)| texel[3] != 0) {
            let [right, down] = [x as f32 - 2.0, y as f32 - 2.0];
            let expected = 1.0 + 8.0 * right + 6.0 * down;
            let value = f32::from_bits(texel[0]);
            assert!((value - expected).abs() < 1e-3, "{mode} at ({x}, {y}): {value}, not {expected}");
            beside += u32::from((6.0 * right - 8.0 * down).abs() > 1.0);
        }
        // A tenth of 1.4 times 10.
        assert!((11..=17).contains(&passed) && beside > 3, "{passed} {beside}");
    }
}

/// Lines are never culled, and show their fronts; triangles and points are as they were, but for the lines of edges.
#[test]
fn nothing_but_lines_changes() {
    let shader = pixel(
        "dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\nmov o0.x, v4.x\nmov o0.yzw, l(0,1.0,1.0,1.0)",
    );
    for cull in Cull::ALL {
        for ends in [[[2.0, 3.0], [9.0, 12.0]], [[9.0, 12.0], [2.0, 3.0]]] {
            let set = |desc: &mut PipelineDesc| {
                wide(desc);
                desc.rasterizer.cull = cull;
            };
            let (texels, passed) = picture(&shader, &line(ends, [1.0; 2]), set, |_, _| {});
            assert!(passed > 9 && texels.iter().all(|texel| texel[1] == 0 || texel[0] == u32::MAX), "{cull:?}");
        }
    }
    let corners = triangle([[2.5, 2.5], [11.5, 3.5], [4.5, 12.5]], 0.5, [1.0; 4]);
    let passed = |topology: Topology, fill: Fill, multisample: bool| {
        let set = |desc: &mut PipelineDesc| {
            (desc.topology, desc.rasterizer.fill, desc.rasterizer.multisample) = (topology, fill, multisample);
        };
        picture(&shader, &corners, set, |_, _| {})
    };
    for topology in [Topology::TriangleList, Topology::PointList] {
        let [thin, wide] = [false, true].map(|multisample| passed(topology, Fill::Solid, multisample));
        assert!(thin == wide, "{topology:?}");
    }
    let [thin, wide] = [false, true].map(|multisample| passed(Topology::TriangleList, Fill::Wireframe, multisample).1);
    assert!(thin < wide && wide < 2 * thin, "{thin} {wide}");
}
