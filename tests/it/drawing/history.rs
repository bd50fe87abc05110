//! Tests the history of a pixel in a draw: each primitive that covers it, in order, and its fate. The draw itself is
//! the same.

use brolga::raster::{
    Bounds, Cull, Draw, Fate, Fill, Fragment, Pass, PipelineDesc, PixelHistory, StencilFace, StencilOp, StencilTest,
    Topology, Viewport,
};
use brolga::{Bindings, Comparison, Device, Engine, Format, StageKind, View};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, position, triangle, vertex};
use super::distances::with_distances;
use super::shaders::{self, pixel};

const COLOR: &[Format] = &[Format::R32G32B32A32_FLOAT];
const WATCHED: [u32; 2] = [3, 5];

/// Draws an item with and without watching a pixel, which leaves the same bits; returns the history.
fn history(canvas: impl Fn(&Device, Engine) -> Canvas<'_>, item: impl Fn() -> Item<'static>) -> PixelHistory {
    on_both(|device, engine| {
        let draw = |watched: bool| {
            let (canvas, item) = (canvas(device, engine), item());
            let (pipeline, counter) = (canvas.pipeline(&item), device.buffer_from(&[0_u32; 4]).unwrap());
            let mut bindings = Bindings::new();
            bindings.set("u1".parse().unwrap(), View::raw(counter.clone()).unwrap());
            let mut pass = Pass::new(device, canvas.targets.clone()).unwrap();
            if watched {
                pass.watch(WATCHED).unwrap();
            }
            let vertices = device.buffer_from(item.vertices).unwrap();
            let count = item.vertices.len() as u32;
            let mut draw = Draw::new(&pipeline, count).vertex_buffer(vertices, size_of::<Vertex>() as u32);
            if item.bindings.is_some() {
                draw.bindings[StageKind::Pixel] = Some(&bindings);
            }
            (item.with)(device, &mut draw);
            pass.draw(&draw).unwrap();
            let histories = pass.histories().to_vec();
            let statistics = pass.finish().unwrap();
            let depths = canvas.targets.depth.as_ref().map(|_| canvas.depths());
            ((canvas.texels(0), depths, statistics, counter.to_vec::<u32>().unwrap()), histories)
        };
        let (plain, none) = draw(false);
        let (same, mut histories) = draw(true);
        assert!(plain == same && none.is_empty(), "watching changes the picture");
        histories.remove(0)
    })
}

/// The first component of a texel of four floats.
fn red(code: u128) -> f32 {
    f32::from_bits(code as u32)
}

/// A short form: primitive, depth, stored depth, fate, colours before and after.
fn told(fragment: &Fragment) -> (u32, f32, Option<f32>, Fate, Vec<[f32; 2]>) {
    let Fragment { primitive, depth, stored_depth, fate, colors, .. } = fragment;
    (*primitive, *depth, *stored_depth, *fate, colors.iter().map(|pair| pair.map(red)).collect())
}

/// Primitives over everything but the third, which is elsewhere. The fourth has a negative attribute.
fn vertices() -> Vec<Vertex> {
    let elsewhere = triangle([[8.0, 8.0], [12.0, 8.0], [8.0, 12.0]], 0.125, [9.0; 4]);
    [
        everywhere(0.25, [1.0; 4]),
        everywhere(0.375, [2.0; 4]),
        elsewhere,
        everywhere(0.125, [-3.0; 4]),
        everywhere(0.125, [4.0; 4]),
    ]
    .concat()
}

fn with_depth(device: &Device, engine: Engine) -> Canvas<'_> {
    Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], 0.5f32.to_bits())
}

fn without_depth(device: &Device, engine: Engine) -> Canvas<'_> {
    Canvas::new(device, engine, [SIZE; 2], COLOR)
}

/// Depths of half the greatest code, stencils of 7.
fn with_stencil(device: &Device, engine: Engine) -> Canvas<'_> {
    let texel = 7 << 24 | 0x80_0000;
    Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D24_UNORM_S8_UINT, [SIZE; 2], texel)
}

/// An item that lives as long as the test program.
fn item(code: &str, vertices: Vec<Vertex>) -> impl Fn() -> Item<'static> {
    let [vertex, pixel]: [&'static [u8]; 2] = [shaders::vertex(), pixel(code)].map(|bytes| &*bytes.leak());
    let vertices: &'static [Vertex] = vertices.leak();
    move || Item::new(vertex, pixel, vertices)
}

#[test]
fn primitives_are_told_in_their_order() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let found = history(with_depth, item(plain, vertices()));
    let expected = [
        (0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]]),
        (1, 0.375, Some(0.25), Fate::FailedDepth, vec![[1.0, 1.0]]),
        (3, 0.125, Some(0.25), Fate::Passed, vec![[1.0, -3.0]]),
        (4, 0.125, Some(0.125), Fate::FailedDepth, vec![[-3.0, -3.0]]),
    ];
    assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!((found.more, found.fragments[0].stored_stencil), (0, None));

    // With a shader that discards, depths are tested after it.
    let discards = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nlt r0.x, v1.x, l(0.0)\ndiscard_nz r0.x\n\
                    mov o0.xyzw, v1.xyzw";
    let found = history(with_depth, item(discards, vertices()));
    let expected = [
        (0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]]),
        (1, 0.375, Some(0.25), Fate::FailedDepth, vec![[1.0, 1.0]]),
        (3, 0.125, Some(0.25), Fate::Discarded, vec![[1.0, 1.0]]),
        (4, 0.125, Some(0.25), Fate::Passed, vec![[1.0, 4.0]]),
    ];
    assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn shaders_with_depths_of_their_own_keep_the_reason() {
    let deep =
        "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, v1.xyzw\nmov oDepth, l(0.75)";
    let found = history(with_depth, item(deep, everywhere(0.25, [1.0; 4]).to_vec()));
    assert_eq!(found.fragments.iter().map(|fragment| fragment.fate).collect::<Vec<_>>(), [Fate::DiscardedOrFailed]);
}

#[test]
fn without_a_depth_buffer_all_pass_and_instances_have_numbers() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let of_one = item(plain, [everywhere(0.25, [1.0; 4]), everywhere(0.5, [2.0; 4])].concat());
    let found = history(without_depth, move || of_one().with(&|_, draw| draw.instances = 2));
    let numbers: Vec<_> = found.fragments.iter().map(|fragment| (fragment.instance, fragment.primitive)).collect();
    assert_eq!(numbers, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert!(found.fragments.iter().all(|fragment| fragment.fate == Fate::Passed && fragment.stored_depth.is_none()));
    assert_eq!(found.fragments[3].depth, 0.5);
}

#[test]
fn stencils_decide_first() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let two = item(plain, [everywhere(0.75, [1.0; 4]), everywhere(0.25, [2.0; 4])].concat());
    let set = |reference: u8| {
        let two = &two;
        let set: &'static dyn Fn(&mut PipelineDesc) = &|desc| {
            let face = StencilFace {
                test: Comparison::Equal,
                fail: StencilOp::Keep,
                depth_fail: StencilOp::Zero,
                pass: StencilOp::Keep,
            };
            desc.stencil = Some(StencilTest { read_mask: 0xff, write_mask: 0xff, front: face, back: face });
        };
        let with: &'static dyn Fn(&Device, &mut Draw<'_>) = match reference {
            7 => &|_, draw| draw.stencil_reference = 7,
            _ => &|_, draw| draw.stencil_reference = 8,
        };
        history(with_stencil, move || two().set(set).with(with))
    };
    let fates = |history: &PixelHistory| history.fragments.iter().map(|one| (one.fate, one.stored_stencil)).collect();
    let found: Vec<_> = fates(&set(8));
    assert_eq!(found, [(Fate::FailedStencil, Some(7)); 2]);
    // The first one fails the depth test and so clears the stencil.
    let found: Vec<_> = fates(&set(7));
    assert_eq!(found, [(Fate::FailedDepth, Some(7)), (Fate::FailedStencil, Some(0))]);
}

#[test]
fn what_shaders_write_to_memory_is_written_once() {
    let counts = "dcl_input_ps linear v1.xyzw\ndcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\n\
                  mov o0.xyzw, v1.xyzw";
    static NONE: std::sync::LazyLock<Bindings> = std::sync::LazyLock::new(Bindings::new);
    let counted = item(counts, everywhere(0.25, [1.0; 4]).to_vec());
    let found = history(with_depth, move || Item { bindings: Some(&NONE), ..counted() });
    assert_eq!(
        found.fragments.iter().map(told).collect::<Vec<_>>(),
        [(0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]])]
    );
}

#[test]
fn a_pixel_outside_of_the_targets_is_refused() {
    let device = Device::builder().threads(1).build().unwrap();
    let canvas = Canvas::new(&device, Engine::best(), [SIZE; 2], COLOR);
    let mut pass = Pass::new(&device, canvas.targets).unwrap();
    let said = pass.watch([SIZE, 0]).unwrap_err().to_string();
    assert_eq!(said, "there is no pixel (16, 0): the targets have 16 x 16");
}

const PLAIN: &str = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";

/// Reasons that keep primitives from a pixel that they would cover: facing, near and far plane. Primitives that are
/// elsewhere, have w <= 0 or a NaN are only counted.
#[test]
fn reasons_without_fragments_are_reported() {
    let turned = |[a, b, c]: [Vertex; 3]| [a, c, b];
    let behind = everywhere(0.5, [7.0; 4]).map(|mut corner| {
        corner[0] = corner[0].map(|word| (-f32::from_bits(word)).to_bits());
        corner
    });
    let mut nan = everywhere(0.5, [6.0; 4]);
    nan[2][0][0] = f32::NAN.to_bits();
    let elsewhere = triangle([[8.0, 8.0], [12.0, 8.0], [8.0, 12.0]], 0.125, [9.0; 4]);
    let between = triangle([[3.6, 5.6], [3.9, 5.6], [3.6, 5.9]], 0.125, [9.0; 4]);
    let vertices = [
        turned(everywhere(0.25, [1.0; 4])),
        everywhere(0.375, [2.0; 4]),
        everywhere(-0.5, [3.0; 4]),
        elsewhere,
        nan,
        everywhere(1.5, [4.0; 4]),
        turned(everywhere(2.0, [5.0; 4])),
        behind,
        between,
        everywhere(0.25, [8.0; 4]),
    ];
    let all = item(PLAIN, vertices.concat());
    let found = history(with_depth, || all().set(&|desc| desc.rasterizer.cull = Cull::Back));
    let expected = [
        (0, 0.25, Some(0.5), Fate::Culled, vec![[0.0, 0.0]]),
        (1, 0.375, Some(0.5), Fate::Passed, vec![[0.0, 2.0]]),
        (2, -0.5, Some(0.375), Fate::BeforeNear, vec![[2.0, 2.0]]),
        (5, 1.5, Some(0.375), Fate::BeyondFar, vec![[2.0, 2.0]]),
        (6, 2.0, Some(0.375), Fate::BeyondFar, vec![[2.0, 2.0]]),
        (9, 0.25, Some(0.375), Fate::Passed, vec![[2.0, 8.0]]),
    ];
    assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(
        found.fragments.iter().map(|one| one.is_front).collect::<Vec<_>>(),
        [false, true, true, true, false, true]
    );
    let counts = found.counts;
    assert_eq!((counts.primitives, counts.drawn, counts.culled, counts.clipped), (10, 3, 1, 3));
    assert_eq!((counts.nan, counts.w_not_positive, counts.elsewhere()), (1, 1, 1));
    // A plane clips the part over the pixel, and leaves the rest.
    let slanted = [[-8.0, -16.0], [24.0, -16.0], [8.0, 48.0]]
        .map(|[x, y]: [f32; 2]| super::canvas::vertex(super::canvas::position([x, y], (x - 6.0) / 8.0, 1.0), [1.0; 4]));
    let found = history(with_depth, item(PLAIN, slanted.to_vec()));
    assert_eq!(told(&found.fragments[0]), (0, -0.3125, Some(0.5), Fate::BeforeNear, vec![[0.0, 0.0]]));
    assert_eq!((found.counts.primitives, found.counts.drawn), (1, 1));
}

/// Rectangles and masks exclude all primitives of a draw, as far as nothing did before.
#[test]
fn rectangles_and_masks_keep_primitives_away() {
    let [a, b, c] = everywhere(0.25, [1.0; 4]);
    let two = item(PLAIN, vec![a, b, c, a, c, b]);
    let set: &'static dyn Fn(&mut PipelineDesc) = &|desc| desc.rasterizer.cull = Cull::Back;
    let check = |with: &'static dyn Fn(&Device, &mut Draw<'_>), fate: Fate| {
        let found = history(with_depth, || two().set(set).with(with));
        let fates: Vec<_> = found.fragments.iter().map(|one| (one.primitive, one.fate)).collect();
        assert_eq!(fates, [(0, fate), (1, Fate::Culled)]);
        assert_eq!((found.counts.primitives, found.counts.drawn, found.counts.culled), (2, 1, 1), "{fate:?}");
    };
    check(&|_, draw| draw.scissor = Some(Bounds { left: 4, top: 0, right: 16, bottom: 16 }), Fate::OutsideScissor);
    let elsewhere: &dyn Fn(&Device, &mut Draw<'_>) = &|_, draw| {
        let [left, top, width, height] = [8.0; 4];
        draw.viewport = Some(Viewport { left, top, width, height, min_depth: 0.0, max_depth: 1.0 });
    };
    check(elsewhere, Fate::OutsideViewport);
    check(&|_, draw| draw.sample_mask = 2, Fate::SampleMask);
}

/// So do distances: clip distances where they are below 0, cull distances if those of all vertices are.
#[test]
fn distances_keep_primitives_away() {
    let input = ["SV_Position 0 xyzw 0 POS float"];
    let white = shaders::shader("ps_5_0", &input, &[], "dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)").leak();
    for (kind, fate, clipped) in [("Clip", Fate::ClipDistance, 1), ("Cull", Fate::CullDistance, 1)] {
        let vertex: &'static [u8] = with_distances(&[(kind, 3, "x")]).leak();
        let with = |distance: f32| everywhere(0.25, [distance; 4]);
        let vertices: &'static [Vertex] = [with(1.0), with(-1.0)].concat().leak();
        let found = history(with_depth, || Item::new(vertex, white, vertices));
        let fates: Vec<_> = found.fragments.iter().map(|one| (one.primitive, one.fate)).collect();
        assert_eq!(fates, [(0, Fate::Passed), (1, fate)]);
        assert_eq!((found.counts.primitives, found.counts.drawn, found.counts.clipped), (2, 1, clipped));
    }
}

/// Lines, points and edges of triangles are told once each.
#[test]
fn lines_points_and_edges_are_kept_away() {
    let corners = [[3.5, 5.5], [9.5, 5.5], [3.5, 11.5]];
    let near = corners.map(|place| super::canvas::vertex(super::canvas::position(place, -0.25, 1.0), [1.0; 4]));
    let set: [&'static dyn Fn(&mut PipelineDesc); 3] =
        [&|desc| desc.topology = Topology::LineList, &|desc| desc.topology = Topology::PointList, &|desc| {
            desc.rasterizer.fill = Fill::Wireframe
        }];
    let vertices = item(PLAIN, near.to_vec());
    for set in set {
        let found = history(with_depth, || vertices().set(set));
        let expected = [(0, -0.25, Some(0.5), Fate::BeforeNear, vec![[0.0, 0.0]])];
        assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
        assert_eq!(found.counts.clipped, found.counts.primitives);
    }
}

/// Each sample that a primitive covers is told by itself, with its depth and its texel, whether the shader runs for pixels
/// or for samples.
#[test]
fn samples_are_told_one_by_one() {
    fn canvas(device: &Device, engine: Engine) -> Canvas<'_> {
        let canvas = Canvas::of_samples(device, engine, [SIZE; 2], 4, COLOR);
        canvas.with_depth(Format::D32_FLOAT, [SIZE; 2], 0.5f32.to_bits())
    }
    // Depths grow by 1/64 from pixel to pixel, and are 0.5 in the middle of the one that is watched.
    let corner = |x, y, z| vertex(position([x, y], z, 1.0), [1.0; 4]);
    let slope = [corner(-28.5, -40.0, 0.0), corner(35.5, -40.0, 1.0), corner(-28.5, 100.0, 0.0)];
    // What is to the left of its middle.
    let half = triangle([[3.5, -40.0], [3.5, 60.0], [-60.0, 8.0]], 0.125, [2.0; 4]);
    let vertices = [slope, half].concat();
    for location in ["", " sample"] {
        let code = format!("dcl_input_ps linear{location} v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw");
        let item = item(&code, vertices.clone());
        let found = history(canvas, move || item().set(&|desc| desc.samples = 4));
        let told = |fragment: &Fragment| {
            let Fragment { primitive, sample, depth, stored_depth, fate, colors, .. } = fragment;
            let offset = ((depth - 0.5) * 1024.0).round() as i32;
            (*primitive, *sample, offset, *stored_depth, *fate, colors[0].map(red))
        };
        let sixteenths = |n: i32| Some(0.5 + n as f32 / 1024.0);
        let expected = [
            (0, 0, -2, sixteenths(0), Fate::Passed, [0.0, 1.0]),
            (0, 1, 6, sixteenths(0), Fate::FailedDepth, [0.0, 0.0]),
            (0, 2, -6, sixteenths(0), Fate::Passed, [0.0, 1.0]),
            (0, 3, 2, sixteenths(0), Fate::FailedDepth, [0.0, 0.0]),
            (1, 0, -384, sixteenths(-2), Fate::Passed, [1.0, 2.0]),
            (1, 2, -384, sixteenths(-6), Fate::Passed, [1.0, 2.0]),
        ];
        assert_eq!((found.samples, found.more), (4, 0));
        assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected, "{location}");
    }
}
