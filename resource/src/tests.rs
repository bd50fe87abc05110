//! Checks textures and their views against a walk over all texels in storage order that counts bytes.

use std::cell::Cell;

use brolga_ir::interface::Dimension;

use super::*;
use crate::format::Format;
use crate::shape::SurfaceLevel;

/// Shapes of every kind, with one and with many of each count that the kind has.
fn shapes() -> Vec<TextureShape> {
    let formats = [Format::R8_UINT, Format::R8G8_SNORM, Format::R32G32B32_FLOAT, Format::R32G32B32A32_UINT];
    let mut shapes = Vec::new();
    for (n, dimension) in Dimension::textures().enumerate() {
        let new = |width| TextureShape::new(dimension, formats[(n + width as usize) % formats.len()], width);
        shapes.push(new(1));
        shapes.extend(match dimension {
            Dimension::Texture1d => vec![new(9).mips(4), new(6)],
            Dimension::Texture1dArray => vec![new(9).layers(3).mips(3), new(4).layers(7)],
            Dimension::Texture2d => vec![new(7).height(12).mips(4), new(5).height(3), new(1).height(9).mips(4)],
            Dimension::Texture2dArray => vec![new(9).height(6).layers(5).mips(2), new(8).height(8).layers(13).mips(4)],
            Dimension::Texture2dMs => [2, 4, 8, 16].map(|samples| new(5).height(3).samples(samples)).to_vec(),
            Dimension::Texture2dMsArray => vec![new(5).height(3).layers(4).samples(4)],
            Dimension::Texture3d => vec![new(4).height(3).depth(7).mips(3), new(2).height(9).depth(3)],
            Dimension::TextureCube => vec![new(4).height(4).mips(3)],
            _ => vec![new(4).height(4).layers(18).mips(2)],
        });
    }
    // Blocks of 4 by 4 texels and of 2 by 1: some levels have half a block, or less.
    let new = |dimension, format, width, height| TextureShape::new(dimension, format, width).height(height);
    shapes.extend([
        new(Dimension::Texture2d, Format::BC1_UNORM, 20, 12).mips(5),
        new(Dimension::Texture2dArray, Format::BC7_UNORM_SRGB, 4, 8).layers(3).mips(4),
        new(Dimension::Texture3d, Format::BC4_SNORM, 8, 12).depth(3).mips(4),
        new(Dimension::TextureCube, Format::BC6H_UF16, 8, 8).mips(4),
        new(Dimension::Texture2d, Format::R8G8_B8G8_UNORM, 6, 3).mips(3),
        new(Dimension::Texture1dArray, Format::G8R8_G8B8_UNORM, 10, 1).layers(2).mips(4),
    ]);
    shapes
}

fn texture(shape: TextureShape) -> Texture {
    Texture::new(Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap(), shape).unwrap()
}

/// Every block of a texture in storage order, by its position in the whole texture and its first texel.
fn walk(shape: &TextureShape, mut visit: impl FnMut(Texel, u64)) -> u64 {
    let ([block_width, block_height], mut at) = (shape.format.block_extents(), 0);
    // Samples are planes.
    for (layer, sample) in (0..shape.layers).flat_map(|layer| (0..shape.samples).map(move |sample| (layer, sample))) {
        for level in 0..shape.mips {
            let [width, height, depth] = [shape.width, shape.height, shape.depth].map(|n| (n >> level).max(1));
            for z in 0..depth {
                for y in (0..height).step_by(block_height as usize) {
                    for x in (0..width).step_by(block_width as usize) {
                        visit(Texel { level, at: [x, y, z], layer, sample }, at);
                        at += u64::from(shape.format.size_bytes());
                    }
                }
            }
        }
    }
    at
}

fn surface(view: &View, writable: bool) -> Surface {
    let ViewKind::Texture(view) = view.kind() else { panic!("no view of a texture") };
    view.surface(writable)
}

#[test]
fn texels_are_packed_in_storage_order() {
    for shape in shapes() {
        let texture = texture(shape);
        let view = View::texture(texture.clone());
        let surface = surface(&view, false);
        let [block_width, block_height] = shape.format.block_extents();
        let size = walk(&shape, |texel, at| {
            let [width, height, _] = surface.levels[texel.level as usize].extents;
            let [x, y, z] = texel.at;
            // Every texel of the block.
            for (x, y) in (x..x + block_width).flat_map(|x| (y..y + block_height).map(move |y| (x, y))) {
                let expected = (x < width && y < height).then_some(at);
                assert_eq!(surface.block_offset(Texel { at: [x, y, z], ..texel }), expected, "{shape:?} {texel:?}");
            }
        });
        assert_eq!(size, texture.buffer().size_bytes(), "{shape:?}");
        for (level, SurfaceLevel { extents: [width, height, depth], .. }) in (0..).zip(&surface.levels) {
            for at in [[*width, 0, 0], [0, *height, 0], [0, 0, *depth], [u32::MAX; 3]] {
                assert_eq!(surface.block_offset(Texel { level, at, ..Texel::default() }), None);
            }
        }
        for texel in [
            Texel { level: shape.mips, ..Texel::default() },
            Texel { layer: shape.layers, ..Texel::default() },
            Texel { sample: shape.samples, ..Texel::default() },
            Texel { level: u32::MAX, at: [u32::MAX; 3], layer: u32::MAX, sample: u32::MAX },
        ] {
            assert_eq!(surface.block_offset(texel), None, "{shape:?} {texel:?}");
        }
    }
}

/// Checks the bytes that a view of some levels and layers, or of some slices of one level, must see, and the offsets of
/// its texels.
fn check_part(view: &View, texture: &Texture, mips: [u32; 2], layers: [u32; 2], writable: bool) -> Vec<bool> {
    let shape = texture.shape();
    let (surface, is_3d) = (surface(view, writable), shape.dimension == Dimension::Texture3d);
    let last_mip = if writable { mips[0] } else { mips[0] + mips[1] - 1 };
    let mut seen = vec![false; texture.buffer().size_bytes() as usize];
    walk(shape, |mut texel, at| {
        let position = if is_3d { &mut texel.at[2] } else { &mut texel.layer };
        let inside = (mips[0]..=last_mip).contains(&texel.level)
            && (layers[0]..layers[0].saturating_add(layers[1])).contains(position);
        if inside {
            *position -= layers[0];
            texel.level -= mips[0];
            assert_eq!(surface.block_offset(texel), Some(at), "{view} {texel:?}");
            seen[at as usize..][..shape.format.size_bytes() as usize].fill(true);
        }
    });
    let mut ranges = vec![false; seen.len()];
    let mut end_bytes = 0;
    for range in surface.byte_ranges() {
        assert!(end_bytes <= range.start, "in increasing order");
        end_bytes = range.end;
        ranges[range.start as usize..range.end as usize].fill(true);
    }
    assert!(ranges == seen, "{view}");
    assert_eq!(surface.levels.len() as u32, last_mip - mips[0] + 1);
    seen
}

#[test]
fn views_see_parts() {
    for shape in shapes() {
        let texture = texture(shape);
        let whole = View::texture(texture.clone());
        let layer_counts =
            if shape.dimension.is_array() && !shape.dimension.is_cube() { 1..=shape.layers } else { 0..=0 };
        for first_mip in 0..shape.mips {
            for mips in 1..=shape.mips - first_mip {
                let view = whole.clone().with_mips(first_mip, mips).unwrap();
                let range = [first_mip, mips];
                check_part(&view, &texture, range, [0, u32::MAX], false);
                check_part(&view, &texture, range, [0, u32::MAX], true);
                for layers in layer_counts.clone().filter(|&layers| layers > 0) {
                    for first in 0..=shape.layers - layers {
                        let view = view.clone().with_layers(first, layers).unwrap();
                        check_part(&view, &texture, range, [first, layers], false);
                        check_part(&view, &texture, range, [first, layers], true);
                    }
                }
                if shape.dimension == Dimension::Texture3d {
                    let depth = (shape.depth >> first_mip).max(1);
                    for (first, slices) in (0..depth).flat_map(|first| (1..=depth - first).map(move |n| (first, n))) {
                        let view = view.clone().with_layers(first, slices).unwrap();
                        check_part(&view, &texture, range, [first, slices], true);
                    }
                }
            }
        }
    }
}

/// Two views overlap if and only if a byte that one writes is a byte that the other reads.
#[test]
fn views_overlap_where_they_share_bytes() {
    let shape = TextureShape::texture_2d(Format::R8_UINT, 4, 4).mips(3).array(4);
    let texture = texture(shape);
    let ranges = |most: u32| (0..most).flat_map(move |first| (1..=most - first).map(move |count| [first, count]));
    let mut views = Vec::new();
    for (mips, layers) in ranges(3).flat_map(|mips| ranges(4).map(move |layers| (mips, layers))) {
        let view = View::texture(texture.clone()).with_mips(mips[0], mips[1]).unwrap();
        let view = view.with_layers(layers[0], layers[1]).unwrap();
        let seen = [false, true].map(|writable| check_part(&view, &texture, mips, layers, writable));
        views.push((view, seen));
    }
    for (written, [_, bytes_written]) in &views {
        for (read, [bytes_read, _]) in &views {
            let shared = bytes_written.iter().zip(bytes_read).any(|(a, b)| *a && *b);
            assert_eq!(written.overlaps(read), shared, "{written}; {read}");
        }
    }
    // The whole buffer as bytes.
    let bytes = View::raw(texture.buffer().clone()).unwrap();
    assert!(bytes.overlaps(&views[0].0) && views[0].0.overlaps(&bytes));
    let other = View::raw(Buffer::zeroed(64, GuardPages::default()).unwrap()).unwrap();
    assert!(!other.overlaps(&views[0].0) && !views[0].0.overlaps(&other));
}

#[test]
fn a_texture_is_seen_as_other_kinds() {
    use Dimension::*;
    let faces = texture(TextureShape::texture_2d(Format::R8_UINT, 4, 4).mips(2).array(14));
    let layers = |view: View, first: u64| {
        let surface = surface(&view, false);
        // A layer has 16 + 4 texels of a byte.
        assert_eq!(surface.block_offset(Texel::default()), Some(20 * first), "{view}");
        (surface.dimension, surface.layers)
    };
    let view = View::texture(faces.clone());
    let seen_as = |dimension| view.clone().with_dimension(dimension).unwrap();
    assert_eq!(layers(view.clone(), 0), (Texture2dArray, 14));
    assert_eq!(layers(seen_as(Texture2d), 0), (Texture2d, 1));
    assert_eq!(layers(seen_as(TextureCube), 0), (TextureCube, 6));
    assert_eq!(layers(seen_as(TextureCubeArray), 0), (TextureCubeArray, 12));
    // In either order, and a cube may begin at any layer.
    assert_eq!(layers(seen_as(TextureCube).with_layers(8, 6).unwrap(), 8), (TextureCube, 6));
    assert_eq!(
        layers(view.clone().with_layers(8, 6).unwrap().with_dimension(TextureCube).unwrap(), 8),
        (TextureCube, 6)
    );
    assert_eq!(layers(seen_as(TextureCubeArray).with_layers(1, 12).unwrap(), 1), (TextureCubeArray, 12));
    assert_eq!(layers(seen_as(Texture2d).with_layers(13, 1).unwrap(), 13), (Texture2d, 1));

    let one = |dimension| View::texture(texture(TextureShape::new(dimension, Format::R8_UINT, 4)));
    for (from, to) in [(Texture1d, Texture1dArray), (Texture1dArray, Texture1d), (Texture2d, Texture2dArray)] {
        assert_eq!(layers(one(from).with_dimension(to).unwrap(), 0), (to, 1));
    }
    let multisampled = TextureShape::texture_2d(Format::R8_UINT, 4, 4).samples(4).array(3);
    let view = View::texture(texture(multisampled)).with_dimension(Texture2dMs).unwrap().with_layers(2, 1).unwrap();
    let seen = surface(&view, false);
    assert_eq!((seen.block_offset(Texel::default()), seen.pattern.count(), seen.layers), (Some(2 * 64), 4, 1));
}

#[test]
fn least_levels_are_counted_in_the_view() {
    let view = View::texture(texture(TextureShape::texture_2d(Format::R8_UINT, 128, 128).mips(8)));
    let least = |view: &View, level| surface(&view.clone().with_min_level(level).unwrap(), false).min_level;
    assert_eq!([0.0, 0.5, 7.0].map(|level| least(&view, level)), [0.0, 0.5, 7.0]);
    let part = view.with_mips(1, 6).unwrap();
    // Functional specification 5.8.6.1.
    assert_eq!([3.5, 1.0, 0.5].map(|level| least(&part, level)), [2.5, 0.0, 0.0]);
    assert_eq!(surface(&part.with_min_level(3.5).unwrap(), true).min_level, 0.0);
}

#[test]
fn rows_lie_a_pitch_apart() {
    let shape = TextureShape::texture_2d(Format::R8G8_UNORM, 3, 2).array(2).row_pitch(10);
    // Two layers of two rows, the last of which ends with its texels.
    assert_eq!(shape.size_bytes().unwrap(), 3 * 10 + 3 * 2);
    let surface = surface(&View::texture(texture(shape)), false);
    let at = |x, y, layer| surface.block_offset(Texel { at: [x, y, 0], layer, ..Texel::default() });
    assert_eq!([at(2, 0, 0), at(0, 1, 0), at(1, 1, 1), at(3, 0, 0)], [Some(4), Some(10), Some(32), None]);
    let blocks = TextureShape::texture_2d(Format::BC1_UNORM, 8, 8).row_pitch(24);
    assert_eq!(blocks.size_bytes().unwrap(), 24 + 16);
}

#[test]
fn boxes_are_copied_row_by_row() {
    for shape in shapes() {
        let from = texture(shape);
        let bytes: Vec<u8> = (0..from.buffer().size_bytes()).map(|n| (n % 250 + 1) as u8).collect();
        from.buffer().write(0, &bytes).unwrap();
        let block_bytes = shape.format.size_bytes() as usize;
        let [block_width, block_height] = shape.format.block_extents();
        let planes = shape.layers * shape.samples;
        for (mip, plane) in (0..shape.mips).flat_map(|mip| (0..planes).map(move |plane| (mip, plane))) {
            let whole = from.level(mip, plane).unwrap();
            let [width, height, depth] = whole.extents;
            let second = [block_width, block_height, 1];
            let origin = [0, 1, 2].map(|axis| if whole.extents[axis] > second[axis] { second[axis] } else { 0 });
            let extents = [width - origin[0], height - origin[1], depth - origin[2]];
            for part in [whole, TexelBox { origin, extents, ..whole }] {
                let (mut expected, mut left) = (Vec::new(), vec![0; bytes.len()]);
                walk(&shape, |texel, at| {
                    let is_in = |axis: usize| {
                        (part.origin[axis]..part.origin[axis] + part.extents[axis]).contains(&texel.at[axis])
                    };
                    let its_plane = texel.layer * shape.samples + texel.sample;
                    if (texel.level, its_plane) == (mip, plane) && (0..3).all(is_in) {
                        let at = at as usize..at as usize + block_bytes;
                        expected.extend(&bytes[at.clone()]);
                        left[at.clone()].copy_from_slice(&bytes[at]);
                    }
                });
                let mut packed = vec![0u8; expected.len()];
                from.read(&part, &mut packed, None).unwrap();
                assert_eq!(packed, expected, "{shape:?} {part:?}");

                let row = part.extents[0].div_ceil(block_width) as usize * block_bytes;
                let mut apart = vec![0xffu8; expected.len() / row * (row + 3) - 3];
                from.read(&part, &mut apart, Some(row as u64 + 3)).unwrap();
                let rows = expected.chunks(row).map(<[u8]>::to_vec).collect::<Vec<_>>();
                assert_eq!(apart, rows.join(&[0xff; 3][..]), "{shape:?} {part:?}");

                let to = texture(shape);
                to.write(&part, &apart, Some(row as u64 + 3)).unwrap();
                assert_eq!(to.buffer().to_vec::<u8>().unwrap(), left, "{shape:?} {part:?}");
            }
        }
    }
}

#[test]
fn boxes_outside_are_errors() {
    let plain = texture(TextureShape::texture_2d(Format::R32_UINT, 8, 4).mips(2));
    let blocks = texture(TextureShape::texture_2d(Format::BC1_UNORM, 8, 8).mips(2));
    let part = |mip, layer, origin, extents| TexelBox { mip, layer, origin, extents };
    let cases = [
        (
            &plain,
            part(2, 0, [0; 3], [1; 3]),
            "mip level 2 of layer 0 does not exist, the texture has 2 mip levels and 1 layers",
        ),
        (
            &plain,
            part(0, 1, [0; 3], [1; 3]),
            "mip level 0 of layer 1 does not exist, the texture has 2 mip levels and 1 layers",
        ),
        (
            &plain,
            part(1, 0, [3, 1, 0], [2, 1, 1]),
            "a box of 2 x 1 x 1 texels at (3, 1, 0) is not in the mip level, which has 4 x 2 x 1",
        ),
        (
            &plain,
            part(0, 0, [u32::MAX, 0, 0], [2, 1, 1]),
            "a box of 2 x 1 x 1 texels at (4294967295, 0, 0) is not in the mip level, which has 8 x 4 x 1",
        ),
        (
            &blocks,
            part(0, 0, [4, 2, 0], [4, 4, 1]),
            "a box of 4 x 4 x 1 texels at (4, 2, 0) is not in the mip level, which has 8 x 8 x 1 in whole blocks of 4 x 4",
        ),
        (&plain, part(0, 0, [0; 3], [8, 4, 1]), "100 bytes are too few for a box of 8 x 4 x 1 texels, which takes 128"),
    ];
    for (texture, part, message) in cases {
        let bytes = [0u8; 100];
        assert_eq!(texture.write(&part, &bytes, None).unwrap_err().to_string(), message);
        assert_eq!(texture.read(&part, &mut { bytes }, None).unwrap_err().to_string(), message);
    }
    let row = part(0, 0, [0; 3], [8, 1, 1]);
    assert!(matches!(plain.write(&row, &[0u32; 8], Some(31)), Err(ResourceError::RowPitch { .. })));
    plain.write(&part(0, 0, [8, 4, 1], [0; 3]), &[0u8; 0], None).unwrap();
}

#[test]
fn ranges_are_copied_and_filled_in_pieces() {
    // Three pieces and a bit, from odd offsets.
    let (size, pattern) = (200_003, |n: u64| (n * 7 % 251) as u8);
    let bytes: Vec<u8> = (0..size).map(pattern).collect();
    let buffer = |size| Buffer::zeroed(size, GuardPages::default()).unwrap();
    let (from, to) = (buffer(size), buffer(size));
    from.write(0, &bytes).unwrap();
    from.copy_until(3..size, &to, 1, &|| false).unwrap();
    assert!(to.to_vec::<u8>().unwrap()[..size as usize - 2] == [&[0], &bytes[3..]].concat());
    assert!(matches!(from.copy_until(0..size, &to, 1, &|| false), Err(ResourceError::OutOfRange { .. })));
    to.fill_until(1..size, &[1, 2, 3], &|| false).unwrap();
    let filled: Vec<u8> = std::iter::once(0).chain([1, 2, 3].into_iter().cycle()).take(size as usize).collect();
    // The first byte is the one that the copy left.
    assert!(to.to_vec::<u8>().unwrap() == filled);
    to.fill_until(0..size, &[], &|| false).unwrap();
    assert!(to.to_vec::<u8>().unwrap() == filled);
    assert!(matches!(to.fill_until(5..size + 1, &[1], &|| false), Err(ResourceError::OutOfRange { .. })));
}

/// Operations that call `stop` before each piece or row stop at once, and leave the rest as it is.
#[test]
fn what_takes_long_can_be_stopped() {
    let shape = TextureShape::texture_2d(Format::R8_UNORM, 16, 16).mips(5);
    let texture = || {
        let buffer = Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap();
        buffer.fill_until(0..256, &[8], &|| false).unwrap();
        Texture::new(buffer, shape).unwrap()
    };
    let whole = texture().level(0, 0).unwrap();
    let value = ClearValue::Color([1.0; 4]);
    type Work<'a> = &'a dyn Fn(&Texture, &dyn Fn() -> bool) -> Result<(), ResourceError>;
    let kinds: [Work<'_>; 5] = [
        &|one, stop| one.generate_mips_until(stop),
        &|one, stop| View::texture(one.clone()).generate_mips_until(stop),
        &|one, stop| View::texture(one.clone()).clear_until(value, stop),
        &|one, stop| texture().copy_box_until(&whole, one, &whole, stop),
        &|one, stop| one.buffer().fill_until(0..shape.size_bytes()?, &[9], stop),
    ];
    for (n, kind) in kinds.into_iter().enumerate() {
        let (changed, asked) = (texture(), Cell::new(0));
        let stop = || asked.replace(asked.get() + 1) == 3;
        // A fill of so few bytes is one piece.
        let (stop, calls): (&dyn Fn() -> bool, _) = if n == 4 { (&|| true, 0) } else { (&stop, 4) };
        assert!(matches!(kind(&changed, stop), Err(ResourceError::Stopped)), "{n}");
        assert_eq!(asked.get(), calls, "{n}");
        let bytes = changed.buffer().to_vec::<u8>().unwrap();
        assert_eq!(*bytes.last().unwrap(), 0, "{n}: the last level is made last");
        kind(&changed, &|| false).unwrap();
    }
    let ended = Buffer::zeroed(8, GuardPages::default()).unwrap();
    assert!(matches!(ended.copy_until(0..8, &ended, 0, &|| true), Err(ResourceError::Stopped)));
}

#[test]
fn impossible_shapes_are_errors() {
    let square = TextureShape::texture_2d(Format::R32_UINT, 16, 8);
    assert_eq!(square.mips(5).size_bytes().unwrap(), 4 * (128 + 32 + 8 + 2 + 1));
    let cube = TextureShape::new(Dimension::TextureCube, Format::R32_UINT, 2).height(2);
    let of = |dimension| TextureShape::new(dimension, Format::R8_UINT, 2);
    let bad = [
        (square.mips(6), "the number of mip levels of a texture2d is 1 to 5, not 6"),
        (square.mips(0), "the number of mip levels of a texture2d is 1 to 5, not 0"),
        (square.height(0), "the height of a texture2d is 1 to 16384, not 0"),
        (square.depth(2), "the depth of a texture2d is 1, not 2"),
        (square.layers(2), "the number of layers of a texture2d is 1, not 2"),
        (square.array(2049), "the number of layers of a texture2darray is 1 to 2048, not 2049"),
        (TextureShape::texture_2d(Format::R32_UINT, 16385, 1), "the width of a texture2d is 1 to 16384, not 16385"),
        (of(Dimension::Texture3d).depth(2049), "the depth of a texture3d is 1 to 2048, not 2049"),
        (of(Dimension::Texture1d).height(2), "the height of a texture1d is 1, not 2"),
        (cube.layers(5), "a cube has 6 faces, 5 layers are not whole cubes"),
        (cube.height(1), "the faces of a cube are squares, not 2 by 1 texels"),
        (cube.array(2052), "the number of layers of a texturecubearray is 1 to 2046, not 2052"),
        (of(Dimension::Buffer), "a typed buffer is not a texture: it is a typed view of a buffer"),
        (square.samples(3), "a texture2dms has 1, 2, 4, 8 or 16 samples, not 3"),
        (square.samples(32), "a texture2dms has 1, 2, 4, 8 or 16 samples, not 32"),
        (square.samples(0), "a texture2dms has 1, 2, 4, 8 or 16 samples, not 0"),
        (
            square.row_pitch(62),
            "rows of 64 bytes cannot lie 62 bytes apart: the pitch is at least as large, and a multiple of 4",
        ),
        (
            square.row_pitch(70),
            "rows of 64 bytes cannot lie 70 bytes apart: the pitch is at least as large, and a multiple of 4",
        ),
        (square.row_pitch(64).mips(2), "a texture with a row pitch has 1 mip level, not 2"),
        (square.samples(4).mips(2), "the number of mip levels of a texture2dms is 1, not 2"),
        (of(Dimension::Texture3d).samples(2), "a texture3d has 1 sample, not 2"),
        (
            TextureShape::texture_2d(Format::BC1_UNORM, 6, 8),
            "the width of a texture of format BC1_UNORM must be a multiple of 4 texels, not 6",
        ),
        (
            TextureShape::texture_2d(Format::BC3_UNORM, 8, 2),
            "the height of a texture of format BC3_UNORM must be a multiple of 4 texels, not 2",
        ),
        (
            TextureShape::texture_2d(Format::R8G8_B8G8_UNORM, 5, 2),
            "the width of a texture of format R8G8_B8G8_UNORM must be a multiple of 2 texels, not 5",
        ),
        (
            TextureShape::new(Dimension::TextureCube, Format::BC1_UNORM, 4).height(4).layers(6).samples(4),
            "a texturecube has 1 sample, not 4",
        ),
        (
            TextureShape::texture_2d(Format::BC7_UNORM, 4, 4).samples(4),
            "a texture of format BC7_UNORM is a texture2d or texture3d or texturecube, not a texture2dms",
        ),
        (
            TextureShape::new(Dimension::Texture3d, Format::D32_FLOAT, 4),
            "a texture of format D32_FLOAT is a texture1d or texture2d or texture2dms or texturecube, not a texture3d",
        ),
    ];
    for (shape, message) in bad {
        assert_eq!(shape.size_bytes().unwrap_err().to_string(), message, "{shape:?}");
    }
    for (size, shape, is_possible) in [
        (511, square, false),
        (513, square, false),
        (7 * 100 + 64, square.row_pitch(100), true),
        (7 * 100 + 63, square.row_pitch(100), false),
        (8 * 100, square.row_pitch(100), true),
    ] {
        assert_eq!(
            Texture::new(Buffer::zeroed(size, GuardPages::default()).unwrap(), shape).is_ok(),
            is_possible,
            "{size}"
        );
    }
}

#[test]
fn no_extent_overflows() {
    let extents = [0, 1, 6, 1 << 14, 1 << 16, 1 << 31, u32::MAX - 1, u32::MAX];
    for dimension in Dimension::textures() {
        for [width, height, depth, layers] in each(extents) {
            for [mips, samples] in each(extents) {
                let shape = TextureShape::new(dimension, Format::R32G32B32A32_UINT, width).height(height);
                let mut shape = shape.depth(depth).layers(layers).mips(mips);
                shape.samples = samples;
                // The largest of all: 2,048 layers of 16,384 by 16,384 texels of 16 samples.
                assert!(shape.size_bytes().is_ok_and(|size| size <= 1 << 47) || shape.size_bytes().is_err());
            }
        }
    }
    let view = View::texture(texture(TextureShape::texture_2d(Format::R8_UINT, 4, 4).mips(3).array(6)));
    for [first, count] in each(extents) {
        let inside = |most| u64::from(first) + u64::from(count) <= most && count > 0;
        assert_eq!(view.clone().with_mips(first, count).is_ok(), inside(3), "{first} {count}");
        assert_eq!(view.clone().with_layers(first, count).is_ok(), inside(6), "{first} {count}");
    }
}

/// Every list of this many values.
fn each<const N: usize>(values: [u32; 8]) -> impl Iterator<Item = [u32; N]> {
    (0..8usize.pow(N as u32)).map(move |n| std::array::from_fn(|position| values[n >> (3 * position) & 7]))
}

#[test]
fn impossible_views_are_errors() {
    use Dimension::{Texture2d, Texture2dArray, Texture3d, TextureCube, TextureCubeArray};
    let layers = View::texture(texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 8, 8).mips(4).array(5)));
    let volume = View::texture(texture(TextureShape::new(Texture3d, Format::R8_UINT, 4).height(4).depth(4).mips(3)));
    let flat = View::texture(texture(TextureShape::texture_2d(Format::R8_UINT, 8, 4).array(6)));
    let buffer = View::raw(Buffer::zeroed(16, GuardPages::default()).unwrap()).unwrap();
    let (a, b) = (|| layers.clone(), || volume.clone());
    let errors = [
        (
            a().with_dimension(Texture3d),
            "a texture2darray can be seen as texture2d or texture2darray or texturecube or \
            texturecubearray, not as texture3d",
        ),
        (b().with_dimension(Texture2dArray), "a texture3d can be seen as texture3d, not as texture2darray"),
        (
            a().with_dimension(Dimension::Buffer),
            "a texture2darray can be seen as texture2d or texture2darray or texturecube or \
            texturecubearray, not as typed buffer",
        ),
        (a().with_dimension(TextureCube), "a texturecube sees 6 layers, not 5"),
        (a().with_dimension(TextureCubeArray), "a texturecubearray sees 6 layers for each cube, not 0"),
        (flat.with_dimension(TextureCube), "the faces of a cube are squares, not 8 by 4 texels"),
        (a().with_layers(1, 2).unwrap().with_dimension(Texture2d), "a texture2d sees 1 layer, not 2"),
        (a().with_mips(1, 4), "a view of mip levels 1 to 4, and the texture has 0 to 3"),
        (a().with_mips(0, 0), "a view of no mip levels: it takes one at least"),
        (a().with_layers(4, 2), "a view of layers 4 to 5, and the texture has 0 to 4"),
        (b().with_layers(3, 2), "a view of slices 3 to 4, and the texture has 0 to 3"),
        (b().with_layers(2, 2).unwrap().with_mips(1, 1), "a view of slices 2 to 3, and the texture has 0 to 1"),
        (
            a().with_format(Format::R16_UINT),
            "texels of format R8G8B8A8_UNORM cannot be seen as R16_UINT, only as other formats of R8G8B8A8",
        ),
        (a().with_min_level(-1.0), "a minimum level of detail must be 0 or more, not -1"),
        (a().with_min_level(f32::NAN), "a minimum level of detail must be 0 or more, not NaN"),
        (buffer.clone().with_mips(0, 1), "only views of textures have mip levels"),
        (buffer.with_format(Format::R8_UINT), "only views of textures have another format"),
        (a().with_range(0, 4), "only views of buffers have a range of bytes"),
    ];
    for (result, message) in errors {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
}

#[test]
fn depth_is_seen_in_the_format_that_shaders_read() {
    let formats = [
        (Format::D32_FLOAT, Format::R32_FLOAT),
        (Format::D16_UNORM, Format::R16_UNORM),
        (Format::D24_UNORM_S8_UINT, Format::R24_UNORM_X8_TYPELESS),
        (Format::D32_FLOAT_S8X24_UINT, Format::R32_FLOAT_X8X24_TYPELESS),
        (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM),
    ];
    for (format, seen) in formats {
        let texture = texture(TextureShape::texture_2d(format, 4, 4));
        let view = View::texture(texture.clone());
        assert_eq!((texture.shape().format, view.format()), (format, Some(seen)));
        let again = view.with_format(seen).unwrap().with_format(format).unwrap();
        assert_eq!(again.format(), Some(seen));
    }
    let stencil = View::texture(texture(TextureShape::texture_2d(Format::D24_UNORM_S8_UINT, 4, 4)));
    assert_eq!(stencil.with_format(Format::X24_TYPELESS_G8_UINT).unwrap().format(), Some(Format::X24_TYPELESS_G8_UINT));
}

#[test]
fn views_say_what_they_see() {
    let view = View::texture(texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 8, 8).mips(4).array(7)));
    assert_eq!(view.to_string(), "texture2darray of format R8G8B8A8_UNORM");
    let part = view.with_mips(1, 2).unwrap().with_layers(3, 1).unwrap().with_format(Format::R8G8B8A8_UINT).unwrap();
    assert_eq!(part.to_string(), "texture2darray of format R8G8B8A8_UINT, mip levels 1 to 2, layer 3");
    let cube = part.with_layers(1, 6).unwrap().with_dimension(Dimension::TextureCube).unwrap();
    assert_eq!(
        cube.with_mips(3, 1).unwrap().with_min_level(1.5).unwrap().to_string(),
        "texturecube of format R8G8B8A8_UINT, mip level 3, layers 1 to 6, from level 1.5 on"
    );
    let volume = View::texture(texture(TextureShape::new(Dimension::Texture3d, Format::R8_UINT, 4).depth(4)));
    assert_eq!(volume.with_layers(1, 2).unwrap().to_string(), "texture3d of format R8_UINT, slices 1 to 2");
}

#[test]
fn boxes_are_cleared_and_copied_as_if_they_were_written() {
    let shape = TextureShape::texture_2d(Format::R16G16_UINT, 7, 5).array(3).mips(2);
    let bytes: Vec<u8> = (0..shape.size_bytes().unwrap()).map(|n| (n * 7) as u8).collect();
    let fresh = || {
        let texture = Texture::new(Buffer::zeroed(bytes.len() as u64, GuardPages::default()).unwrap(), shape).unwrap();
        texture.buffer().write(0, &bytes).unwrap();
        texture
    };
    let part = TexelBox { mip: 0, layer: 1, origin: [2, 1, 0], extents: [4, 3, 1] };
    let (cleared, written) = (fresh(), fresh());
    // Floats become whole numbers, and those that do not fit the largest one.
    cleared.clear_box(&part, ClearValue::Color([3.9, 1e9, 0.0, 0.0])).unwrap();
    written.write(&part, &[[3_u16, 0xffff]; 12], None).unwrap();
    assert!(cleared.buffer().to_vec::<u8>().unwrap() == written.buffer().to_vec::<u8>().unwrap());
    cleared.clear(ClearValue::Uint([1, 2, 0, 0])).unwrap();
    assert!(cleared.buffer().to_vec::<[u16; 2]>().unwrap().iter().all(|texel| *texel == [1, 2]));

    let (from, copied, written) = (fresh(), fresh(), fresh());
    let at = TexelBox { layer: 2, origin: [1, 0, 0], ..part };
    from.copy_box(&part, &copied, &at).unwrap();
    let mut texels = [0_u32; 12];
    from.read(&part, &mut texels, None).unwrap();
    written.write(&at, &texels, None).unwrap();
    assert!(copied.buffer().to_vec::<u8>().unwrap() == written.buffer().to_vec::<u8>().unwrap());

    let message = |result: Result<(), ResourceError>| result.unwrap_err().to_string();
    let depth = ClearValue::DepthStencil { depth: Some(1.0), stencil: None };
    let expected = "a texture of format R16G16_UINT cannot be cleared to a depth, but to a colour";
    assert_eq!(message(from.clear(depth)), expected);
    let other = TextureShape::texture_2d(Format::R32_UINT, 7, 5);
    let other = Texture::new(Buffer::zeroed(140, GuardPages::default()).unwrap(), other).unwrap();
    let expected =
        "texels of format R16G16_UINT cannot be copied to a texture of format R32_UINT: the formats must be the same";
    assert_eq!(message(from.copy_box(&part, &other, &TexelBox::default())), expected);
}
