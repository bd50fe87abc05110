//! Tests passes without targets, whose shaders only write to views: functional specification, 16.11 and 3.5.6.4.

use brolga::raster::{Bounds, Draw, PipelineDesc, Targets, Viewport};
use brolga::{Bindings, Device, Format, TextureShape, View};
use brolga_testing::samples::STANDARD_PATTERNS;

use super::canvas::{Canvas, Item, Vertex, everywhere, on_both, triangle};
use super::shaders::{pixel, vertex};

/// Width and height of the view in pixels.
const SIDE: u32 = 40;

/// Adds 1 to the texel of each pixel.
const COUNTS: &str = "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_uav_typed_texture2d (uint,uint,uint,uint) u0\n\
    dcl_temps 1\nftou r0.xy, v0.xyxx\natomic_iadd u0, r0.xyxx, l(1)";

/// The number of times that each pixel was shaded, and the number that passed.
fn shaded(vertices: &[Vertex], with: impl Fn(&Device, &mut Draw<'_>)) -> (Vec<u32>, u64) {
    added(COUNTS, vertices, |_| {}, with)
}

/// What a shader added to the texel of each pixel, and the number of samples that passed.
fn added(
    code: &str,
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> (Vec<u32>, u64) {
    let (vertex, pixel) = (vertex(), pixel(code));
    on_both(|device, engine| {
        let texture = device.texture(TextureShape::texture_2d(Format::R32_UINT, SIDE, SIDE)).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("u0".parse().unwrap(), View::texture(texture.clone()));
        let canvas = Canvas::of(device, engine, Targets::default());
        let item = Item { bindings: Some(&bindings), ..Item::new(&vertex, &pixel, vertices) };
        let set = |desc: &mut PipelineDesc| {
            desc.targets.clear();
            set(desc);
        };
        let passed = canvas.draw(item.set(&set).with(&with));
        (texture.buffer().to_vec().unwrap(), passed)
    })
}

/// Pixels of a rectangle of columns and rows.
fn rectangle([left, top, right, bottom]: [u32; 4]) -> Vec<u32> {
    let is_in = |n: u32| (left..right).contains(&(n % SIDE)) && (top..bottom).contains(&(n / SIDE));
    (0..SIDE * SIDE).map(|n| u32::from(is_in(n))).collect()
}

fn viewport([left, top, width, height]: [f32; 4]) -> Option<Viewport> {
    Some(Viewport { left, top, width, height, min_depth: 0.0, max_depth: 1.0 })
}

#[test]
fn the_viewport_says_how_large_the_picture_is() {
    let everything = everywhere(0.5, [0.0; 4]);
    // Edges between pixels round down; the view's size does not matter, and pixels outside of it are not written.
    for (size, seen, passed) in [
        ([0.0, 0.0, 20.0, 10.0], [0, 0, 20, 10], 200),
        ([3.5, 4.0, 20.25, 10.9], [3, 4, 23, 14], 200),
        ([0.0, 0.0, 100.0, 50.0], [0, 0, SIDE, SIDE], 5000),
        ([-5.0, -5.0, 10.0, 10.0], [0, 0, 5, 5], 25),
    ] {
        let found = shaded(&everything, |_, draw| draw.viewport = viewport(size));
        assert_eq!(found, (rectangle(seen), passed), "{size:?}");
    }
    // Without a viewport there is no pixel, as in Direct3D.
    assert_eq!(shaded(&everything, |_, _| {}), (rectangle([0; 4]), 0));
}

#[test]
fn scissors_bound_it_and_masks_of_samples_do_not_matter() {
    let everything = everywhere(0.5, [0.0; 4]);
    let found = shaded(&everything, |_, draw| {
        draw.viewport = viewport([0.0, 0.0, 32.0, 32.0]);
        draw.scissor = Some(Bounds { left: 5, top: 6, right: 90, bottom: 8 });
        draw.sample_mask = 0;
    });
    assert_eq!(found, (rectangle([5, 6, 32, 8]), 54));
}

/// Samples are forced without targets too: whatever covers one of them is shaded once, and the mask does not matter
/// (3.5.6.4).
#[test]
fn samples_may_be_forced() {
    const COVERAGES: &str = "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_input vCoverage\n\
        dcl_uav_typed_texture2d (uint,uint,uint,uint) u0\ndcl_temps 1\nftou r0.xy, v0.xyxx\n\
        atomic_iadd u0, r0.xyxx, vCoverage";
    // Everything to the left of a column of pixels, and of an edge in it.
    let vertices = triangle([[5.4375, -100.0], [5.4375, 200.0], [-200.0, 50.0]], 0.5, [0.0; 4]);
    for positions in STANDARD_PATTERNS.into_iter().filter(|positions| positions.len() != 2) {
        let force = |desc: &mut PipelineDesc| desc.rasterizer.forced_samples = positions.len() as u32;
        let (counts, passed) = added(COVERAGES, &vertices, force, |_, draw| {
            draw.viewport = viewport([0.0, 0.0, 16.0, 16.0]);
            draw.sample_mask = 0;
        });
        let bit = |(sample, [x, _]): (u32, &[i8; 2])| u32::from(0.5 + f64::from(*x) / 16.0 < 0.4375) << sample;
        let (all, edge) = ((1 << positions.len()) - 1, (0..).zip(positions).map(bit).sum::<u32>());
        let expected = |n: u32| match (n % SIDE, n / SIDE) {
            (0..5, 0..16) => all,
            (5, 0..16) => edge,
            _ => 0,
        };
        assert_eq!(counts, (0..SIDE * SIDE).map(expected).collect::<Vec<_>>(), "{}", positions.len());
        assert_eq!(passed, 16 * u64::from(5 * (positions.len() as u32) + edge.count_ones()));
    }
}

/// An implicit scissor rectangle ends at 16384, though viewports may go on.
#[test]
fn no_picture_is_larger_than_a_texture() {
    let everything = everywhere(0.5, [0.0; 4]);
    let (_, passed) = shaded(&everything, |_, draw| draw.viewport = viewport([16380.0, 0.0, 16.0, 2.0]));
    assert_eq!(passed, 4 * 2);
}
