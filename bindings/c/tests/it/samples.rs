//! Checks multisampling: the samples that a triangle covers, and means of samples. Expectations are worked out by hand.

use std::mem::MaybeUninit;
use std::ptr::null;

use brolga_c::buffer::*;
use brolga_c::device::*;
use brolga_c::draw::*;
use brolga_c::merger::TargetState;
use brolga_c::pipeline::*;
use brolga_c::state::Dimension;
use brolga_c::statistics::*;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{TriangleParts, device, pass_to};

/// Pixels of a row of the pictures, and rows.
const SIDE: usize = 4;

/// R8G8B8A8_UNORM.
const COLOR: u32 = 28;

/// The samples of a pipeline and its target.
#[derive(Clone, Copy, Default)]
struct Samples {
    count: u32,
    forced: u32,
    are_centered: bool,
    mask: u32,
}

/// Draws white left of x = 1.3125 into a new texture, which it returns with the number of samples that passed.
fn drawn(device: *const Device, samples: Samples) -> (*mut Texture, u64) {
    // R32G32_FLOAT and R32G32B32A32_FLOAT.
    let parts = TriangleParts::new([(16, 0), (2, 8)], TargetState { format: COLOR, ..TargetState::default() });
    let options = PipelineOptions {
        samples: samples.count,
        center_pattern: MaybeUninit::new(samples.are_centered),
        forced_samples: samples.forced,
        ..parts.options()
    };
    let pipeline = made!(brolga_pipeline_create(device, &options));
    let dimension = if samples.count > 1 { Dimension::Texture2dMs } else { Dimension::Texture2d };
    let shape = TextureOptions {
        dimension: MaybeUninit::new(dimension),
        format: COLOR,
        width: SIDE as u32,
        height: SIDE as u32,
        samples: samples.count,
        center_pattern: MaybeUninit::new(samples.are_centered),
        ..TextureOptions::default()
    };
    let (texture, view, pass) = pass_to(device, &shape);
    // Corners in pixels are (1.3125, -8), (1.3125, 12) and (-20, 2): only one edge crosses the picture.
    let corner = |x: f32, y: f32| [x / 2.0 - 1.0, 1.0 - y / 2.0, 1.0, 1.0, 1.0, 1.0];
    let vertices = [corner(1.3125, -8.0), corner(1.3125, 12.0), corner(-20.0, 2.0)];
    let buffer = made!(brolga_buffer_create(device, 72, vertices.as_ptr().cast()));
    let stream = VertexBuffer { buffer, stride_bytes: 24, ..VertexBuffer::default() };
    let draw = DrawOptions {
        pipeline,
        vertex_buffers: &stream,
        vertex_buffer_count: 1,
        count: 3,
        sample_mask: samples.mask,
        ..DrawOptions::default()
    };
    let number = given!(u64: brolga_pass_draw(pass, &draw));
    works!(brolga_pass_flush(pass));
    let statistics = given!(Statistics: brolga_pass_statistics(pass, number));
    destroy! {
        brolga_pass_destroy(pass); brolga_view_destroy(view); brolga_buffer_destroy(buffer);
        brolga_pipeline_destroy(pipeline);
    }
    (texture, statistics.samples)
}

/// The first row of a layer or sample, whose rows are all alike, and whose colours are all grey with as much alpha.
fn row(texture: *const Texture, layer: u32) -> [u8; SIDE] {
    let mut texels = [[[7_u8; 4]; SIDE]; SIDE];
    let whole = given!(TexelBox: brolga_texture_level(texture, 0, layer));
    works!(brolga_texture_read(texture, &whole, texels.as_mut_ptr().cast(), size_of_val(&texels), 0));
    assert!(texels.iter().all(|row| *row == texels[0]) && texels[0].iter().all(|texel| *texel == [texel[0]; 4]));
    texels[0].map(|texel| texel[0])
}

/// The first row of what a texture of several samples is resolved to.
fn resolved(device: *const Device, from: *const Texture) -> [u8; SIDE] {
    let side = SIDE as u32;
    let shape = TextureOptions { format: COLOR, width: side, height: side, ..TextureOptions::default() };
    let to = made!(brolga_texture_create(device, &shape, null(), 0));
    works!(brolga_texture_resolve(from, 0, to, null(), 0));
    let row = row(to, 0);
    destroy!(brolga_texture_destroy(to));
    row
}

/// The samples of a pixel are at -2, 6, -6 and 2 sixteenths of a pixel from its center in x. The center of the second
/// pixel of a row is at 1.5, three sixteenths right of the edge: of its samples only the third is left of it.
#[test]
pub fn edges_cover_samples_and_their_mean_is_smooth() {
    let device = device();
    let four = Samples { count: 4, mask: u32::MAX, ..Samples::default() };
    let (texture, passed) = drawn(device, four);
    // Four rows, of five samples each.
    assert_eq!(passed, 20);
    let samples = [0, 1, 2, 3].map(|sample| row(texture, sample));
    assert_eq!(samples, [[255, 0, 0, 0], [255, 0, 0, 0], [255, 255, 0, 0], [255, 0, 0, 0]]);
    // A quarter of 255, rounded.
    assert_eq!(resolved(device, texture), [255, 64, 0, 0]);
    destroy!(brolga_texture_destroy(texture));

    let (texture, passed) = drawn(device, Samples { mask: 0b0110, ..four });
    assert_eq!((passed, resolved(device, texture)), (12, [128, 64, 0, 0]));
    destroy!(brolga_texture_destroy(texture));

    // At the center all samples are covered together.
    let (texture, passed) = drawn(device, Samples { are_centered: true, ..four });
    assert_eq!((passed, resolved(device, texture)), (16, [255, 0, 0, 0]));
    destroy!(brolga_texture_destroy(texture));

    // A target of one sample has a pixel where any of the forced samples is covered.
    let (texture, passed) = drawn(device, Samples { count: 1, forced: 4, ..four });
    assert_eq!((passed, row(texture, 0)), (20, [255, 255, 0, 0]));
    destroy! { brolga_texture_destroy(texture); brolga_device_destroy(device) }
}

#[test]
pub fn layers_are_resolved_to_levels_of_layers() {
    let device = device();
    // R8_UNORM. Two layers of two samples of two texels.
    let many = TextureOptions {
        dimension: MaybeUninit::new(Dimension::Texture2dMsArray),
        format: 61,
        width: 2,
        layers: 2,
        samples: 2,
        ..TextureOptions::default()
    };
    let from = made!(brolga_texture_create(device, &many, [9_u8, 9, 9, 9, 0, 10, 2, 21].as_ptr().cast(), 8));
    // Layers have a level of four by two texels and one of two by one.
    let levels = TextureOptions {
        dimension: MaybeUninit::new(Dimension::Texture2dArray),
        format: 61,
        width: 4,
        height: 2,
        layers: 2,
        mips: 2,
        ..TextureOptions::default()
    };
    let to = made!(brolga_texture_create(device, &levels, null(), 0));
    let level = given!(TexelBox: brolga_texture_level(to, 1, 1));
    works!(brolga_texture_resolve(from, 1, to, &level, 0));
    let buffer = made!(brolga_texture_buffer(to));
    let mut all = [7_u8; 20];
    works!(brolga_buffer_read(buffer, 0, all.as_mut_ptr().cast(), 20));
    // Halves are rounded up.
    let mut expected = [0; 20];
    expected[18..].copy_from_slice(&[1, 16]);
    assert_eq!(all, expected);
    destroy! {
        brolga_buffer_destroy(buffer); brolga_texture_destroy(to); brolga_texture_destroy(from);
        brolga_device_destroy(device);
    }
}

/// Codes are averaged, or the light that they stand for: the code of half the light of 255 is 255 (1.055 · 0.5^(1/2.4) -
/// 0.055), which is 187.5 and a little (IEC 61966-2-1). Alpha is no light.
#[test]
pub fn the_format_of_a_resolve_says_what_is_averaged() {
    let device = device();
    let one = TextureOptions { format: COLOR, ..TextureOptions::default() };
    let two = TextureOptions { dimension: MaybeUninit::new(Dimension::Texture2dMs), samples: 2, ..one };
    let from = made!(brolga_texture_create(device, &two, [0_u32, u32::MAX].as_ptr().cast(), 8));
    let to = made!(brolga_texture_create(device, &one, null(), 0));
    // As it is, and as R8G8B8A8_UNORM_SRGB.
    for (format, expected) in [(0, [128; 4]), (COLOR, [128; 4]), (29, [188, 188, 188, 128])] {
        works!(brolga_texture_resolve(from, 0, to, null(), format));
        let mut texel = [0_u8; 4];
        works!(brolga_texture_read(to, null(), texel.as_mut_ptr().cast(), 4, 0));
        assert_eq!(texel, expected, "{format}");
    }
    destroy! { brolga_texture_destroy(to); brolga_texture_destroy(from); brolga_device_destroy(device) }
}
