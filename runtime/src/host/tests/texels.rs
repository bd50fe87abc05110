//! Checks texels of textures and queries of views against the functional specification and plain counting.

use super::*;
use brolga_testing_base::samples::STANDARD_PATTERNS;

/// 1 as a float.
const ONE: u32 = 0x3f80_0000;

fn zeros(shape: TextureShape) -> Texture {
    Texture::new(Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap(), shape).unwrap()
}

/// A texture whose texels are numbered from 1 in storage order, wrapping where they are bytes.
fn numbered(shape: TextureShape) -> Texture {
    let (size, texel) = (shape.size_bytes().unwrap(), u64::from(shape.format.size_bytes()));
    let bytes = (0..size / texel).flat_map(|n| u128::from(n + 1).to_le_bytes().into_iter().take(texel as usize));
    Texture::new(buffer(&bytes.collect::<Vec<_>>()), shape).unwrap()
}

fn bind_as(class: ResourceClass, view: View) -> Reach<'static> {
    let kind = ResourceKind::Typed { dimension: view.dimension().unwrap(), component: Component::Mixed };
    bind(declared(class, kind), view)
}

fn bind_read(view: View) -> Reach<'static> {
    bind_as(ResourceClass::ShaderResource, view)
}

fn bind_written(view: View) -> Reach<'static> {
    bind_as(ResourceClass::UnorderedAccess, view)
}

fn shape(dimension: Dimension, format: Format, [width, height, depth]: [u32; 3]) -> TextureShape {
    TextureShape::new(dimension, format, width).height(height).depth(depth)
}

/// The coordinates that `ld` takes for a texel, by the tables of section 22.4.6 and 22.4.7 of the functional
/// specification: the address, then the mip level or the sample.
fn address(dimension: Dimension, [x, y, z]: [u32; 3], layer: u32, mip: u32, sample: u32) -> ([u32; 3], u32) {
    match dimension {
        Dimension::Buffer | Dimension::Texture1d => ([x, 9, 9], mip),
        Dimension::Texture1dArray => ([x, layer, 9], mip),
        Dimension::Texture2d => ([x, y, 9], mip),
        Dimension::Texture2dArray | Dimension::TextureCube | Dimension::TextureCubeArray => ([x, y, layer], mip),
        Dimension::Texture3d => ([x, y, z], mip),
        Dimension::Texture2dMs => ([x, y, 9], sample),
        Dimension::Texture2dMsArray => ([x, y, layer], sample),
    }
}

#[test]
fn textures_answer_by_their_kind() {
    let format = Format::R32_UINT;
    let cases = [
        (TextureShape::new(Dimension::Texture1d, format, 9).mips(3), [9, 0, 0, 3], [4, 0, 0, 3]),
        (TextureShape::new(Dimension::Texture1dArray, format, 9).mips(3).layers(4), [9, 4, 0, 3], [4, 4, 0, 3]),
        (TextureShape::texture_2d(format, 9, 6).mips(3), [9, 6, 0, 3], [4, 3, 0, 3]),
        (TextureShape::texture_2d(format, 9, 6).mips(3).array(4), [9, 6, 4, 3], [4, 3, 4, 3]),
        (TextureShape::new(Dimension::Texture3d, format, 9).height(6).depth(5).mips(3), [9, 6, 5, 3], [4, 3, 2, 3]),
        (TextureShape::new(Dimension::TextureCube, format, 8).height(8).mips(3), [8, 8, 0, 3], [4, 4, 0, 3]),
    ];
    for (shape, level_0, level_1) in cases {
        let texture = zeros(shape);
        let host = bind_read(View::texture(texture.clone()));
        assert_eq!(host.query(Query::TextureSize, slot(), 0), level_0);
        assert_eq!(host.query(Query::TextureSize, slot(), 1), level_1);
        assert_eq!(host.query(Query::TextureSize, slot(), 3), [0, 0, 0, 3]);
        assert_eq!(host.query(Query::SampleCount, slot(), 0), [1, 0, 0, 0]);
        if shape.dimension.is_cube() {
            continue;
        }
        let host = bind_written(View::texture(texture));
        assert_eq!(host.query(Query::TextureSize, slot(), 0)[3], 1);
        assert_eq!(host.query(Query::TextureSize, slot(), 1), [0, 0, 0, 1]);
    }
}

#[test]
fn texels_of_every_level_layer_and_sample_are_read() {
    use Dimension::*;
    let shapes = [
        shape(Texture1d, Format::R16_UINT, [9, 1, 1]).mips(4),
        shape(Texture1dArray, Format::R8_UINT, [5, 1, 1]).layers(3).mips(2),
        shape(Texture2d, Format::R32_UINT, [6, 5, 1]).mips(3),
        shape(Texture2d, Format::R32_UINT, [1, 1, 1]),
        shape(Texture2dArray, Format::R16_UINT, [5, 4, 1]).layers(3).mips(3),
        shape(Texture2dMs, Format::R32_UINT, [5, 3, 1]).samples(16),
        shape(Texture2dMsArray, Format::R16_UINT, [3, 2, 1]).layers(4).samples(2),
        shape(Texture3d, Format::R32_UINT, [4, 3, 5]).mips(3),
        shape(TextureCube, Format::R16_UINT, [4, 4, 1]).mips(3),
        shape(TextureCubeArray, Format::R32_UINT, [2, 2, 1]).layers(12).mips(2),
    ];
    for shape in shapes {
        let dimension = shape.dimension;
        let host = bind_read(View::texture(numbered(shape)));
        let load = |at, layer, mip, sample| {
            let (coords, level) = address(dimension, at, layer, mip, sample);
            host.texel_load(slot(), coords, level)
        };
        let mut next = 0u32;
        // Samples are planes.
        let planes = (0..shape.layers).flat_map(|layer| (0..shape.samples).map(move |sample| (layer, sample)));
        for ((layer, sample), mip) in planes.flat_map(|plane| (0..shape.mips).map(move |mip| (plane, mip))) {
            let [width, height, depth] = [shape.width, shape.height, shape.depth].map(|n| (n >> mip).max(1));
            for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
                for x in 0..width {
                    next += 1;
                    let number = next & u32::MAX >> (32 - 8 * shape.format.size_bytes());
                    assert_eq!(load([x, y, z], layer, mip, sample), [number, 0, 0, 1], "{shape:?}");
                }
                // Beyond an end, and with a coordinate that an offset brought below zero.
                for beyond in [width, u32::MAX, u32::MAX - 7] {
                    assert_eq!(load([beyond, y, z], layer, mip, 0), [0, 0, 0, 1], "{shape:?}");
                }
            }
            if dimension.coordinates() > 1 && !matches!(dimension, Texture1dArray) {
                assert_eq!(load([0, height, 0], layer, mip, 0), [0, 0, 0, 1]);
            }
            if dimension == Texture3d {
                assert_eq!(load([0, 0, depth], layer, mip, 0), [0, 0, 0, 1]);
            }
        }
        if dimension.is_array() || dimension.is_cube() {
            assert_eq!(load([0; 3], shape.layers, 0, 0), [0, 0, 0, 1]);
        }
        let beyond = if dimension.is_multisampled() { shape.samples } else { shape.mips };
        assert_eq!([beyond, u32::MAX].map(|level| load([0; 3], 0, level, level)), [[0, 0, 0, 1]; 2]);
    }
}

#[test]
fn what_is_out_of_range_is_zero_and_a_missing_alpha_one() {
    let cases = [
        (Format::R32G32B32A32_FLOAT, [0; 4]),
        (Format::R8G8B8A8_UNORM, [0; 4]),
        (Format::R32G32B32_FLOAT, [0, 0, 0, ONE]),
        (Format::R16G16_SNORM, [0, 0, 0, ONE]),
        (Format::R8_SINT, [0, 0, 0, 1]),
        (Format::A8_UNORM, [0; 4]),
    ];
    for (format, expected) in cases {
        let host = bind_read(View::texture(numbered(TextureShape::texture_2d(format, 2, 2))));
        for (coords, level) in [([2, 0, 0], 0), ([0, 2, 0], 0), ([0, 0, 0], 1)] {
            assert_eq!(host.texel_load(slot(), coords, level), expected, "{format}");
        }
    }
}

/// `resinfo` and `sampleinfo` describe the view, not the texture (functional specification 5.2, 22.4.14).
#[test]
fn views_answer_for_themselves() {
    let size = |host: &Reach, level| host.query(Query::TextureSize, slot(), level);
    let texture = numbered(TextureShape::texture_2d(Format::R8_UINT, 16, 16).mips(5).array(14));
    let part = View::texture(texture).with_mips(1, 3).unwrap();
    let host = bind_read(part.clone().with_layers(2, 7).unwrap());
    assert_eq!([0, 2, 3].map(|level| size(&host, level)), [[8, 8, 7, 3], [2, 2, 7, 3], [0, 0, 0, 3]]);
    let host = bind_written(part.clone().with_layers(2, 7).unwrap());
    assert_eq!([0, 1].map(|level| size(&host, level)), [[8, 8, 7, 1], [0, 0, 0, 1]]);
    let host = bind_read(part.clone().with_dimension(Dimension::TextureCube).unwrap());
    assert_eq!(size(&host, 0), [8, 8, 0, 3]);
    let host = bind_read(part.clone().with_dimension(Dimension::TextureCubeArray).unwrap());
    assert_eq!(size(&host, 0), [8, 8, 2, 3]);
    let host = bind_read(part.with_dimension(Dimension::Texture2d).unwrap());
    assert_eq!(size(&host, 0), [8, 8, 0, 3]);

    let volume = numbered(shape(Dimension::Texture3d, Format::R8_UINT, [8, 8, 8]).mips(3));
    let view = View::texture(volume).with_mips(1, 2).unwrap();
    assert_eq!(size(&bind_read(view.clone()), 0), [4, 4, 4, 2]);
    assert_eq!(size(&bind_written(view.with_layers(1, 2).unwrap()), 0), [4, 4, 2, 1]);

    let samples = numbered(TextureShape::texture_2d(Format::R8_UINT, 6, 5).samples(8).array(3));
    let host = bind_read(View::texture(samples));
    assert_eq!(size(&host, 0), [6, 5, 3, 1]);
    assert_eq!(host.query(Query::SampleCount, slot(), 0), [8, 0, 0, 0]);
}

/// The standard patterns of section 19.2.4, as its figures number them.
#[test]
fn samples_are_where_the_standard_patterns_put_them() {
    for pattern in STANDARD_PATTERNS {
        let shape = TextureShape::texture_2d(Format::R8_UINT, 2, 2).samples(pattern.len() as u32);
        let host = bind_read(View::texture(zeros(shape)));
        let position = |sample| host.query(Query::SamplePosition, slot(), sample).map(f32::from_bits);
        for (sample, [x, y]) in (0..).zip(pattern) {
            assert_eq!(position(sample), [f32::from(*x) / 16.0, f32::from(*y) / 16.0, 0.0, 0.0]);
        }
        assert_eq!([pattern.len() as u32, u32::MAX].map(position), [[0.0; 4]; 2]);
    }
}

/// The examples of section 5.8 of the functional specification.
#[test]
fn loads_keep_to_the_least_level() {
    let view = |mips| View::texture(numbered(TextureShape::texture_2d(Format::R16_UINT, 128, 128).mips(mips)));
    let loads = |view: View, least: f32, level: u32| {
        let host = bind_read(view.with_min_level(least).unwrap());
        host.texel_load(slot(), [0; 3], level) != [0, 0, 0, 1]
    };
    // 5.8.6.1: the view's levels 0 and 1 are clamped off, since 3.5 leaves the texture's level 3 there.
    let part = view(8).with_mips(1, 6).unwrap();
    let reached = [0, 1, 2, 3, 5, 6].map(|level| loads(part.clone(), 3.5, level));
    assert_eq!(reached, [false, false, true, true, true, false]);
    // 5.8.4: a fraction needs the level below it.
    assert!(loads(view(8), 0.1, 0) && loads(view(8), 1.1, 1) && !loads(view(8), 1.1, 0));
    // 5.8.5: nothing is left of levels 0 to 3 from 5 on, nor of 0 to 5 from 5.1 on.
    assert!((0..4).all(|level| !loads(view(8).with_mips(0, 4).unwrap(), 5.0, level)));
    assert!((0..6).all(|level| !loads(view(6), 5.1, level)) && loads(view(6), 5.0, 5));
    assert!(!loads(view(6), f32::INFINITY, 5));
    // 5.8.2: writes are not bound by it.
    let host = bind_written(view(8).with_min_level(3.0).unwrap());
    assert_eq!(host.texel_load(slot(), [0; 3], 0), [1, 0, 0, 1]);
}

#[test]
fn texels_are_read_and_written_in_the_format_of_the_view() {
    let texture = zeros(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 2, 1));
    texture.buffer().write(4, &[0u8, 51, 255, 128]).unwrap();
    let read = |format| bind_read(View::texture(texture.clone()).with_format(format).unwrap());
    let floats = |host: &Reach| host.texel_load(slot(), [1, 0, 0], 0).map(f32::from_bits);
    assert_eq!(floats(&read(Format::R8G8B8A8_UNORM)), [0.0, 51.0 / 255.0, 1.0, 128.0 / 255.0]);
    assert_eq!(read(Format::R8G8B8A8_UINT).texel_load(slot(), [1, 0, 0], 0), [0, 51, 255, 128]);
    assert_eq!(read(Format::R8G8B8A8_SINT).texel_load(slot(), [1, 0, 0], 0), [0, 51, u32::MAX, -128i32 as u32]);
    let [_, green, blue, alpha] = floats(&read(Format::R8G8B8A8_UNORM_SRGB));
    // Section 3.2.3.7: ((51 / 255 + 0.055) / 1.055) ^ 2.4, and alpha as it is.
    assert!((green - 0.033_104_767).abs() < 1e-5 && blue == 1.0 && alpha == 128.0 / 255.0, "{green}");
    let written = bind_written(View::texture(texture.clone()).with_format(Format::R8G8B8A8_UINT).unwrap());
    written.texel_store(slot(), [0; 3], [1, 2, 3, 400]);
    assert_eq!(texture.buffer().to_vec::<u8>().unwrap(), [1, 2, 3, 255, 0, 51, 255, 128]);
}

/// The layouts of sections 19.5.6 (BC1) and 19.4 (R8G8_B8G8) of the functional specification.
#[test]
fn texels_of_blocks_are_read() {
    // Colours 5:6:5 of which the first is larger: indices 0 and 1 give them. Row y has its indices in byte 4 + y.
    let red_and_blue = [0x00, 0xf8, 0x1f, 0x00];
    let block = |rows: [u8; 4]| [red_and_blue, rows].concat();
    let blocks = [block([0, 0, 0, 0b0001_0000]), block([0x55; 4]), block([0x55; 4]), block([0; 4])].concat();
    let shape = TextureShape::texture_2d(Format::BC1_UNORM, 8, 8);
    let host = bind_read(View::texture(Texture::new(buffer(&blocks), shape).unwrap()));
    for [x, y, _] in each([8, 8, 1]) {
        let is_blue = (x < 4) != (y < 4) || (x, y) == (2, 3);
        let colour = if is_blue { [0, 0, ONE, ONE] } else { [ONE, 0, 0, ONE] };
        assert_eq!(host.texel_load(slot(), [x, y, 0], 0), colour, "{x} {y}");
    }
    assert_eq!(host.texel_load(slot(), [8, 0, 0], 0), [0; 4]);

    // Red, green of the first, blue, green of the second.
    let shape = TextureShape::texture_2d(Format::R8G8_B8G8_UNORM, 4, 1);
    let texture = Texture::new(buffer(&[255, 0, 0, 255, 0, 255, 255, 0]), shape).unwrap();
    let host = bind_read(View::texture(texture));
    let texels = [0, 1, 2, 3].map(|x| host.texel_load(slot(), [x, 0, 0], 0));
    assert_eq!(texels, [[ONE, 0, 0, ONE], [ONE, ONE, 0, ONE], [0, ONE, ONE, ONE], [0, 0, ONE, ONE]]);
}

#[test]
fn depth_is_red_and_stencil_green() {
    let shape = TextureShape::texture_2d(Format::D24_UNORM_S8_UINT, 1, 1);
    let texture = Texture::new(buffer(&[0xff, 0xff, 0xff, 0x80]), shape).unwrap();
    let load = |view| bind_read(view).texel_load(slot(), [0; 3], 0);
    assert_eq!(load(View::texture(texture.clone())), [ONE, 0, 0, ONE]);
    let stencil = View::texture(texture).with_format(Format::X24_TYPELESS_G8_UINT).unwrap();
    assert_eq!(load(stencil), [0, 0x80, 0, 1]);
}

/// Stores and atomics reach one word each, of the first level of the view, of every kind that can be written.
#[test]
fn texels_of_every_kind_are_written() {
    use Dimension::*;
    let shapes = [
        shape(Texture1d, Format::R32_UINT, [8, 1, 1]).mips(3),
        shape(Texture1dArray, Format::R32_UINT, [8, 1, 1]).layers(3).mips(3),
        shape(Texture2d, Format::R32_SINT, [8, 6, 1]).mips(3),
        shape(Texture2dArray, Format::R32_UINT, [8, 6, 1]).layers(3).mips(3),
        shape(Texture3d, Format::R32_SINT, [8, 6, 10]).mips(3),
    ];
    for shape in shapes {
        let texture = numbered(shape);
        let host = bind_written(View::texture(texture.clone()).with_mips(1, 2).unwrap());
        let mut expected: Vec<u8> = texture.buffer().to_vec().unwrap();
        let mut number = 0u32;
        for (layer, mip) in (0..shape.layers).flat_map(|layer| (0..3).map(move |mip| (layer, mip))) {
            let [width, height, depth] = [shape.width, shape.height, shape.depth].map(|n| (n >> mip).max(1));
            for at in each([width, height, depth]) {
                number += 1;
                let (coords, _) = address(shape.dimension, at, layer, 0, 0);
                if mip == 1 {
                    assert_eq!(host.texel_atomic(AtomicOp::Add, slot(), coords, 1000, 0), number);
                    host.texel_store(slot(), coords, [2 * host.texel_load(slot(), coords, 0)[0], 5, 6, 7]);
                    let word = 4 * (number as usize - 1);
                    expected[word..word + 4].copy_from_slice(&(2 * (number + 1000)).to_le_bytes());
                }
            }
        }
        for beyond in [[4, 0, 0], [u32::MAX; 3]] {
            host.texel_store(slot(), beyond, [1; 4]);
            assert_eq!(host.texel_atomic(AtomicOp::Add, slot(), beyond, 1, 0), 0);
        }
        assert!(texture.buffer().to_vec::<u8>().unwrap() == expected, "{shape:?}");
    }
}

fn each([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..width * height * depth).map(move |n| [n % width, n / width % height, n / width / height])
}

#[test]
fn slices_are_written_from_the_first_of_the_view() {
    let texture = numbered(shape(Dimension::Texture3d, Format::R32_UINT, [3, 2, 5]));
    let host = bind_written(View::texture(texture.clone()).with_layers(2, 2).unwrap());
    host.texel_store(slot(), [1, 1, 0], [77; 4]);
    assert_eq!(host.texel_atomic(AtomicOp::Exchange, slot(), [2, 0, 1], 78, 0), 3 * 6 + 2 + 1);
    host.texel_store(slot(), [0, 0, 2], [79; 4]);
    let words: Vec<u32> = (1..=30)
        .map(|n| {
            if n == 2 * 6 + 4 + 1 {
                77
            } else if n == 3 * 6 + 3 {
                78
            } else {
                n
            }
        })
        .collect();
    assert_eq!(texture.buffer().to_vec::<u32>().unwrap(), words);
}

/// The largest textures that exist; only touched pages of their memory are allocated.
#[test]
fn the_largest_textures_are_reached_to_their_last_texel() {
    let largest = [
        TextureShape::texture_2d(Format::R8_UINT, 16384, 16384),
        TextureShape::texture_2d(Format::R32_UINT, 16384, 16384).mips(15),
        shape(Dimension::Texture1d, Format::R8_UINT, [16384, 1, 1]).array(2048),
        TextureShape::texture_2d(Format::R8_UINT, 256, 256).array(2048),
        shape(Dimension::Texture3d, Format::R8_UINT, [2048, 2048, 64]),
    ];
    for shape in largest {
        let texture = zeros(shape);
        let host = bind_written(View::texture(texture.clone()));
        let [width, height, depth] = [shape.width, shape.height, shape.depth];
        let corners = each([2, 2, 2]).flat_map(|corner| [0, shape.layers - 1].map(|layer| (corner, layer)));
        let positions: std::collections::BTreeSet<_> = corners
            .map(|([x, y, z], layer)| {
                let at = [x * (width - 1), y * (height - 1), z * (depth - 1)];
                // The whole texture's position in storage order, of a texture with a single mip level but for layer 0.
                let texel = |n: u32| u64::from(n);
                let position = (texel(at[2]) * texel(height) + texel(at[1])) * texel(width) + texel(at[0]);
                let size = texel(width) * texel(height) * texel(depth);
                (texel(layer) * size + position, at, layer)
            })
            .collect();
        for (n, (_, at, layer)) in (1..).zip(&positions) {
            let (coords, _) = address(shape.dimension, *at, *layer, 0, 0);
            host.texel_store(slot(), coords, [n; 4]);
        }
        for (n, (position, at, layer)) in (1..).zip(&positions) {
            let (coords, _) = address(shape.dimension, *at, *layer, 0, 0);
            assert_eq!(host.texel_load(slot(), coords, 0), [n, 0, 0, 1]);
            let mut bytes = [0; 4];
            let size = shape.format.size_bytes();
            texture.buffer().read(position * u64::from(size), &mut bytes[..size as usize]).unwrap();
            assert_eq!(u32::from_le_bytes(bytes), n, "{shape:?}");
        }
    }
}

#[test]
fn texel_atomics_need_one_32_bit_integer() {
    for (format, component, changes) in
        [(Format::R32_SINT, Component::Sint, true), (Format::R16_UINT, Component::Uint, false)]
    {
        let buffer = Buffer::zeroed(8, GuardPages::default()).unwrap();
        let kind = ResourceKind::Typed { dimension: Dimension::Buffer, component };
        let view = View::typed(buffer.clone(), format).unwrap();
        let host = bind(declared(ResourceClass::UnorderedAccess, kind), view);
        assert_eq!(host.texel_atomic(AtomicOp::Add, slot(), [1, 0, 0], 3, 0), 0);
        assert_eq!(host.texel_atomic(AtomicOp::Add, slot(), [1, 0, 0], 3, 0), if changes { 3 } else { 0 });
        assert_eq!(host.texel_atomic(AtomicOp::Add, slot(), [5, 0, 0], 3, 0), 0);
        assert_eq!(buffer.to_vec::<u8>().unwrap(), if changes { [0, 0, 0, 0, 6, 0, 0, 0] } else { [0; 8] });
    }
}

/// Packets access texels as their lanes do one by one: in the lanes of a mask, with views of several registers, at
/// several levels, inside and outside.
#[test]
fn packets_go_to_texels_as_their_lanes_do() {
    const LANES: usize = 24;
    let formats = [Format::BC1_UNORM, Format::BC7_UNORM, Format::R8G8_B8G8_UNORM, Format::R8_UNORM];
    let mut bindings = Bindings::new();
    let kind = ResourceKind::Typed { dimension: Dimension::Texture2d, component: Component::Float };
    let range = Declared { count: Some(4), table_len: 4, ..declared(ResourceClass::ShaderResource, kind) };
    for (n, format) in (0..).zip(formats) {
        let shape = TextureShape::texture_2d(format, 40, 8).mips(2);
        let bytes = pattern(shape.size_bytes().unwrap());
        bindings.set(Register::t(n), View::texture(Texture::new(buffer(&bytes), shape).unwrap()));
    }
    let views = keep(BoundViews::new(&[range], &[], (&bindings).into(), &Limits::default()).unwrap());
    let host = Reach::new(views, &[], keep(RunCopies::default()), keep(StopWord::default()), &NOBODY);
    let mut random = 1_u32;
    let mut below = |count: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % count
    };
    for round in 0..200 {
        let row = |value: &mut dyn FnMut(u32) -> u32| -> Vec<u32> { (0..LANES as u32).map(value).collect() };
        let mask = row(&mut |_| if below(4) > 0 && round > 0 { u32::MAX } else { 0 });
        // Mostly the same one; the fifth does not exist.
        let mut element = 0;
        let elements = row(&mut |_| {
            element = if below(6) == 0 { below(5) } else { element };
            element
        });
        let (x, y, levels) = (row(&mut |n| n + below(19)), row(&mut |_| below(9)), row(&mut |_| below(3)));
        let z = vec![0; LANES];
        let call = TexelCall { id: ResourceId::new(0), elements: &elements, mask: &mask, coords: [&x, &y, &z] };
        let mut results = vec![0xdead_beef; 4 * LANES];
        host.texel_loads(call, &levels, &mut results);
        for lane in 0..LANES {
            let view = ViewSlot { id: ResourceId::new(0), element: elements[lane] };
            let wanted = match mask[lane] {
                0 => [0; 4],
                _ => host.texel_load(view, [x[lane], y[lane], 0], levels[lane]),
            };
            assert_eq!([0, 1, 2, 3].map(|row| results[row * LANES + lane]), wanted, "{round} {lane}");
        }
    }
}

/// Lanes write in order, and no others do.
#[test]
fn packets_write_the_texels_of_their_lanes() {
    let shape = TextureShape::texture_2d(Format::R8_UINT, 3, 1);
    let texture = zeros(shape);
    let bytes = texture.buffer().clone();
    let host = bind_written(View::texture(texture));
    // Past the end, twice the same, and in a lane that takes no part.
    let (elements, mask) = ([0; 6], [0, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0]);
    let (x, none, values) = ([0, 3, 1, 1, 2, 0], [0; 6], [1, 2, 3, 4, 5, 6]);
    let call = TexelCall { id: ResourceId::new(0), elements: &elements, mask: &mask, coords: [&x, &none, &none] };
    host.texel_stores(call, [&values; 4]);
    assert_eq!(bytes.to_vec::<u8>().unwrap()[..3], [0, 4, 5]);
}
