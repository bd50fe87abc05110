//! Tests sample masks with one sample, of draws and from alpha: functional specification, 16.3.2, 16.9.4, 17.17, 17.18
//! and 20.4.6.

use brolga::raster::{
    ALPHA_BLEND, Draw, Fill, Pass, PipelineDesc, Statistics, StencilFace, StencilOp, StencilTest, TargetState, Topology,
};
use brolga::{Bindings, Comparison, Format, Register, StageKind, View};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both};
use super::shaders::{self, pixel, pixel_with};

const COLOR: &[Format] = &[Format::R32G32B32A32_FLOAT];
const ALL: u64 = (SIZE * SIZE) as u64;

/// The results of a draw: the first texel of each target, of four floats, the depth, the stencil, a counter in `u1`,
/// and its statistics. All were 0 before, except the depth, which is 1, and a quarter where something is drawn; the
/// stencil is then 9.
#[derive(Clone, Debug, PartialEq)]
struct Left {
    /// As bits, since NaN is not equal to itself.
    colors: Vec<[u32; 4]>,
    depth: f32,
    stencil: u8,
    counter: u32,
    statistics: Statistics,
}

impl Left {
    /// `true` if anything but the counter shows that something was drawn.
    fn is_drawn(&self) -> bool {
        let is_drawn = self.statistics.samples > 0;
        let state = (self.depth, self.stencil);
        assert_eq!(state, if is_drawn { (0.25, 9) } else { (1.0, 0) }, "{self:?}");
        is_drawn
    }
}

fn left(
    shader: Option<&[u8]>,
    vertices: &[Vertex],
    formats: &[Format],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&mut Draw<'_>),
) -> Left {
    let vertex = shaders::vertex();
    on_both(|device, engine| {
        let buffer = device.buffer_from(&[0_u32; 4]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set(Register::u(formats.len() as u32), View::raw(buffer.clone()).unwrap());
        let far = 1f32.to_bits();
        let canvas = Canvas::new(device, engine, [SIZE; 2], formats);
        let canvas = canvas.with_depth(Format::D32_FLOAT_S8X24_UINT, [SIZE; 2], far);
        let replace = StencilFace {
            test: Comparison::Always,
            fail: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            pass: StencilOp::Replace,
        };
        let set = |desc: &mut PipelineDesc| {
            desc.stencil = Some(StencilTest { read_mask: 255, write_mask: 255, front: replace, back: replace });
            set(desc);
        };
        let pipeline = canvas.pipeline(&Item { pixel: shader, ..Item::new(&vertex, &[], vertices) }.set(&set));
        let mut draw = Draw::new(&pipeline, vertices.len() as u32)
            .vertex_buffer(device.buffer_from(vertices).unwrap(), size_of::<Vertex>() as u32);
        draw.bindings[StageKind::Pixel] = Some(&bindings);
        draw.stencil_reference = 9;
        with(&mut draw);
        let mut pass = Pass::new(device, canvas.targets.clone()).unwrap();
        pass.draw(&draw).unwrap();
        let statistics = pass.finish().unwrap()[0];
        // The pixels counted are those of all primitives here.
        Left {
            colors: (0..formats.len()).map(|n| canvas.texels(n)[0]).collect(),
            depth: f32::from_bits(canvas.depths()[0]),
            stencil: canvas.stencils()[0],
            counter: buffer.to_vec::<u32>().unwrap()[0],
            statistics,
        }
    })
}

/// Shaders that write ones, tested before and after, with memory that they change, and with a mask of their own.
fn shaders_of_all_kinds() -> [Vec<u8>; 4] {
    let ones = "mov o0.xyzw, l(1.0,1.0,1.0,1.0)";
    [
        pixel(&format!("dcl_output o0.xyzw\n{ones}")),
        pixel(&format!("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndiscard_z v1.w\n{ones}")),
        pixel(&format!("dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\n{ones}")),
        pixel(&format!("dcl_output o0.xyzw\ndcl_output oMask\n{ones}\nmov oMask, l(1)")),
    ]
}

/// The lowest bit of a draw's mask is that of the one sample (17.17). Without it nothing is covered: neither drawn, nor
/// shaded, nor counted; though primitives are.
#[test]
fn the_lowest_bit_of_a_mask_counts() {
    for shader in shaders_of_all_kinds().each_ref().map(|shader| Some(shader.as_slice())).into_iter().chain([None]) {
        for (topology, fill) in [
            (Topology::TriangleList, Fill::Solid),
            (Topology::TriangleList, Fill::Wireframe),
            (Topology::LineList, Fill::Solid),
            (Topology::PointList, Fill::Solid),
        ] {
            // Over the first pixel in each form.
            let corners = [[0.5, 0.5], [14.5, 0.5], [0.5, 14.5]];
            let vertices =
                corners.map(|place| super::canvas::vertex(super::canvas::position(place, 0.25, 1.0), [1.0; 4]));
            let set = |desc: &mut PipelineDesc| (desc.topology, desc.rasterizer.fill) = (topology, fill);
            let draw = |mask: u32| left(shader, &vertices, COLOR, set, |draw| draw.sample_mask = mask);
            let plain = left(shader, &vertices, COLOR, set, |_| {});
            assert!(plain.is_drawn());
            for mask in [1, 3, u32::MAX] {
                assert_eq!(draw(mask), plain, "{mask:#x} {topology:?} {fill:?}");
            }
            for mask in [0, 2, 0xffff_fffe] {
                let nothing = draw(mask);
                assert!(!nothing.is_drawn() && nothing.colors[0] == [0; 4], "{mask:#x} {topology:?} {fill:?}");
                let mut expected = plain.statistics;
                (expected.samples, expected.pixel_invocations) = (0, 0);
                assert_eq!((nothing.counter, nothing.statistics), (0, expected), "{mask:#x} {topology:?} {fill:?}");
            }
        }
    }
}

/// A shader that writes the alpha of its attribute, with code before and after that.
fn alpha(declared: &str, code: &str) -> Vec<u8> {
    let declared = format!("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\n{declared}");
    pixel(&format!("{declared}\n{code}\nmov o0.xyzw, v1.xyzw"))
}

fn to_coverage(desc: &mut PipelineDesc) {
    desc.alpha_to_coverage = true;
}

fn with_alpha(alpha: f32) -> [Vertex; 3] {
    everywhere(0.25, [0.5, 0.75, 0.25, alpha])
}

/// 17.18: an alpha of 0 and less covers nothing, one of 1 and more everything, NaN nothing. Our choice: in between, an
/// alpha above a half covers the sample.
#[test]
fn alphas_become_coverage() {
    let shaders = [alpha("", ""), alpha("dcl_input_ps constant v2.xyzw", "discard_z v2.x")];
    let infinity = f32::INFINITY;
    for (value, covers) in [
        (0.0, false),
        (-0.0, false),
        (-1.0, false),
        (-infinity, false),
        (f32::NAN, false),
        (0.25, false),
        (0.5, false),
        (0.5_f32.next_up(), true),
        (1.0, true),
        (2.0, true),
        (infinity, true),
    ] {
        for shader in &shaders {
            let found = left(Some(shader), &with_alpha(value), COLOR, to_coverage, |_| {});
            assert_eq!((found.is_drawn(), found.statistics.samples), (covers, if covers { ALL } else { 0 }), "{value}");
            // The alpha itself is as it was.
            let expected = if covers { [0.5, 0.75, 0.25, value] } else { [0.0; 4] };
            assert_eq!(found.colors[0], expected.map(f32::to_bits), "{value}");
            assert_eq!(found.statistics.pixel_invocations, ALL);
            assert!(left(Some(shader), &with_alpha(value), COLOR, |_| {}, |_| {}).is_drawn());
        }
        // Without a target there is an alpha too, and before a format or a blend clamps it.
        let none = left(Some(&shaders[0]), &with_alpha(value), &[], to_coverage, |_| {});
        assert_eq!(none.is_drawn(), covers, "{value}");
    }
}

/// It is the first output's, whatever others have, and decides for all targets.
#[test]
fn the_first_alpha_covers_all_targets() {
    let shader = pixel(
        "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, v1.xyzw\n\
         add o1.xyzw, l(1.0,1.0,1.0,1.0), -v1.wwww",
    );
    for (value, covers) in [(0.0, false), (1.0, true)] {
        let found = left(Some(&shader), &with_alpha(value), &[COLOR[0]; 2], to_coverage, |_| {});
        assert_eq!(found.is_drawn(), covers);
        let expected = if covers { [[0.5, 0.75, 0.25, 1.0], [0.0; 4]] } else { [[0.0; 4]; 2] };
        assert_eq!(found.colors, expected.map(|color| color.map(f32::to_bits)));
    }
}

/// Blending is independent: covered pixels are blended with the same alpha.
#[test]
fn coverage_leaves_blending_alone() {
    let blended = |desc: &mut PipelineDesc| {
        to_coverage(desc);
        desc.targets = vec![TargetState::blended(COLOR[0], ALPHA_BLEND)];
    };
    let found = left(Some(&alpha("", "")), &with_alpha(0.75), COLOR, blended, |_| {});
    assert!(found.is_drawn());
    assert_eq!(found.colors[0], [0.5 * 0.75, 0.75 * 0.75, 0.25 * 0.75, 0.75].map(f32::to_bits));
    // A target that is not written counts as well.
    let masked = |desc: &mut PipelineDesc| {
        to_coverage(desc);
        desc.targets[0].write_mask = 0;
    };
    assert!(!left(Some(&alpha("", "")), &with_alpha(0.25), COLOR, masked, |_| {}).is_drawn());
}

/// If the shader writes a mask, alpha is ignored (16.9.4), as is an alpha that it does not write. The latter is our
/// choice: such an alpha is undefined.
#[test]
fn masks_of_shaders_and_missing_alphas_switch_it_off() {
    let masks = alpha("dcl_output oMask", "mov oMask, v1.x");
    let three = pixel("dcl_output o0.xyz\nmov o0.xyz, l(1.0,1.0,1.0,0)");
    let other = pixel("dcl_output o1.xyzw\nmov o1.xyzw, l(0,0,0,0)");
    // The bits of a half have no lowest one.
    let [mut covered, hidden] = [0.0; 2].map(with_alpha);
    covered[0][1][0] = 1;
    assert!(left(Some(&masks), &covered, COLOR, to_coverage, |_| {}).is_drawn());
    assert!(!left(Some(&masks), &hidden, COLOR, to_coverage, |_| {}).is_drawn());
    for shader in [Some(three.as_slice()), Some(&other), None] {
        assert!(left(shader, &hidden, COLOR, to_coverage, |_| {}).is_drawn());
    }
}

/// Memory that the shader changed stays. With forced early tests depth, stencil and count stay too, and only colours
/// are dropped.
#[test]
fn effects_come_before_coverage() {
    let counts = alpha("dcl_uav_raw u1", "atomic_iadd u1, l(0), l(1)");
    let found = left(Some(&counts), &with_alpha(0.0), COLOR, to_coverage, |_| {});
    assert!(!found.is_drawn());
    assert_eq!((found.counter, found.colors[0]), (ALL as u32, [0; 4]));
    let early = pixel_with(
        "dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil",
        "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw",
    );
    let found = left(Some(&early), &with_alpha(0.0), COLOR, to_coverage, |_| {});
    assert!(found.is_drawn());
    assert_eq!((found.statistics.samples, found.colors[0]), (ALL, [0; 4]));
}
