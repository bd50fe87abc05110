//! Compares copies with [`Format::decode_texel`], whatever is written in between, and checks their budget.

use std::ptr::NonNull;
use std::sync::Barrier;

use brolga_ir::interface::Dimension;

use super::*;
use crate::buffer::Buffer;
use crate::format::Layout;
use crate::memory::{Access, GuardPages};
use crate::shape::TextureShape;
use crate::surface::Texel;
use crate::texture::{TexelBox, Texture};
use crate::view::{View, ViewKind};
use crate::{ClearValue, Surface};

const BC1: Format = Format::BC1_UNORM;

/// Formats whose blocks are expanded.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| format.expander().is_some())
}

/// Bytes that look random.
fn noise(seed: u64, size_bytes: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..size_bytes).map(|_| next()).collect()
}

fn zeros(shape: TextureShape) -> Texture {
    let buffer = Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap();
    Texture::new(buffer, shape).unwrap()
}

fn texture(shape: TextureShape, seed: u64) -> Texture {
    let texture = zeros(shape);
    texture.buffer().write(0, &noise(seed, texture.buffer().size_bytes())).unwrap();
    texture
}

fn surface(view: &View) -> Surface {
    let ViewKind::Texture(view) = view.kind() else { panic!("no view of a texture") };
    view.surface(false)
}

fn expansion(texture: &Texture) -> Expansion {
    surface(&View::texture(texture.clone())).expansion.expect("it may have copies")
}

fn all() -> Arc<CopyBudget> {
    CopyBudget::new(u64::MAX)
}

/// The bits of a texel in a copy.
fn expanded(surface: &Surface, copy: &ExpandedCopy, Texel { level, at: [x, y, z], layer, .. }: Texel) -> u64 {
    let expansion = surface.expansion.as_ref().unwrap();
    let level_layout = expansion.levels[level as usize];
    let band =
        level_layout.first_band + layer * expansion.layer_bands + z * level_layout.slice_bands + (y >> BAND_SHIFT);
    assert!(copy.make(band) && copy.has(band), "band {band}");
    let size_bytes = Layout::of(surface.format).size_bytes;
    let offset = level_layout.offset_bytes
        + u64::from(layer) * expansion.layer_bytes
        + u64::from(z) * level_layout.slice_bytes
        + u64::from(y) * level_layout.row_bytes
        + u64::from(x * size_bytes);
    assert!(offset + u64::from(size_bytes) <= expansion.size_bytes);
    copy.number(offset, size_bytes)
}

/// Compares texels, decoded by their layout, with the decoder of the format; only every `step`th.
fn check(surface: &Surface, copy: &ExpandedCopy, step: usize) {
    let (format, layout) = (surface.format, Layout::of(surface.format));
    let mut n = 0;
    for (number, level) in (0..).zip(&surface.levels) {
        let [width, height, depth] = level.extents;
        for layer in 0..surface.layers {
            for [z, y, x] in (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| [z, y, x])))
            {
                n += 1;
                if n % step != 0 {
                    continue;
                }
                let texel = Texel { level: number, at: [x, y, z], layer, sample: 0 };
                let bits = expanded(surface, copy, texel);
                let block = surface.memory.load_number(surface.block_offset(texel).unwrap(), format.size_bytes());
                let expected = format.decode_texel(block, x, y);
                for (channel, expected) in layout.channels.iter().zip(expected) {
                    let Some(channel) = channel else { continue };
                    let (value, unit) = (f32::from_bits(channel.value(bits.into())), channel.coding.unit());
                    assert_eq!(value / unit, f32::from_bits(expected), "{format} {texel:?}");
                }
            }
        }
    }
}

fn check_all(texture: &Texture, budget: &Arc<CopyBudget>) {
    let surface = surface(&View::texture(texture.clone()));
    let copy = surface.expansion.as_ref().unwrap().copy(budget).unwrap();
    check(&surface, &copy, 1);
}

#[test]
fn every_texel_of_every_format_is_what_the_format_says() {
    for format in formats() {
        let [width, height] = format.block_extents();
        let shapes = [
            TextureShape::texture_2d(format, 20 * width, 17 * height).mips(4),
            TextureShape::texture_2d(format, 3 * width, 10 * height).array(3).mips(3),
        ];
        for shape in shapes {
            let texture = texture(shape, 1);
            check_all(&texture, &all());
            let part = View::texture(texture).with_mips(1, 2).unwrap();
            let part = if shape.layers == 1 { part } else { part.with_layers(1, 2).unwrap() };
            let part = surface(&part);
            check(&part, &part.expansion.as_ref().unwrap().copy(&all()).unwrap(), 1);
        }
    }
}

#[test]
fn cubes_slices_lines_and_pitches_are_expanded() {
    let volume = |format| TextureShape { depth: 9, ..TextureShape::new(Dimension::Texture3d, format, 12) };
    let shapes = [
        volume(Format::BC4_SNORM).height(72).mips(4),
        volume(Format::BC7_UNORM).height(4),
        TextureShape::new(Dimension::TextureCube, Format::BC3_UNORM, 16).height(16).mips(5),
        TextureShape::new(Dimension::TextureCubeArray, Format::BC5_UNORM, 8).height(8).layers(12).mips(2),
        TextureShape::new(Dimension::Texture1dArray, Format::R8G8_B8G8_UNORM, 10).layers(3).mips(3),
        TextureShape::texture_2d(Format::BC1_UNORM, 12, 8).row_pitch(40),
    ];
    for shape in shapes {
        check_all(&texture(shape, 2), &all());
    }
}

#[test]
fn formats_of_the_same_numbers_share_a_copy_and_others_do_not() {
    let copies = |family: &str| {
        let of_family: Vec<Format> = formats().filter(|format| format.family() == family).collect();
        let texture = texture(TextureShape::texture_2d(of_family[0], 8, 8), 3);
        let budget = all();
        let copies: Vec<_> = of_family
            .iter()
            .map(|&format| {
                let seen = surface(&View::texture(texture.clone()).with_format(format).unwrap());
                let copy = seen.expansion.as_ref().unwrap().copy(&budget).unwrap();
                check(&seen, &copy, 1);
                copy
            })
            .collect();
        (copies.len(), copies.iter().all(|copy| Arc::ptr_eq(copy, &copies[0])))
    };
    for family in ["BC1", "BC2", "BC3", "BC7"] {
        assert_eq!(copies(family), (2, true), "{family}");
    }
    for family in ["BC4", "BC5", "BC6H"] {
        assert_eq!(copies(family), (2, false), "{family}");
    }
}

#[test]
fn what_has_too_many_bytes_or_one_texel_in_a_block_has_no_copies() {
    let plan = |shape: TextureShape| Plan::new(&shape, shape.format).map(|plan| plan.size_bytes);
    // 16384 x 16384 texels of 8 bytes, or of 4, are 2^31 bytes and 2^30.
    let large = |format, extent| plan(TextureShape::texture_2d(format, extent, extent));
    assert_eq!(large(Format::BC6H_UF16, 16384), None);
    assert_eq!(large(Format::BC1_UNORM, 16384), Some(1 << 30));
    assert_eq!(plan(TextureShape::texture_2d(Format::BC1_UNORM, 16384, 8192).array(4)), None);
    assert_eq!(plan(TextureShape::texture_2d(Format::BC1_UNORM, 16384, 8188).array(4)), Some(16384 * 8188 * 16));
    assert_eq!(plan(TextureShape::texture_2d(Format::BC6H_UF16, 16384, 16384).array(2048).mips(15)), None);
    assert_eq!(large(Format::R8G8B8A8_UNORM, 4), None);
    let plain = zeros(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 4, 4));
    assert!(surface(&View::texture(plain)).expansion.is_none());
    // A view for writing is not sampled.
    let ViewKind::Texture(view) = View::texture(zeros(TextureShape::texture_2d(BC1, 4, 4))).kind().clone() else {
        panic!("no view of a texture")
    };
    assert!(view.surface(true).expansion.is_none());
}

#[test]
fn a_chain_of_4096_texels_has_this_many_bytes() {
    let shape = TextureShape::texture_2d(Format::BC7_UNORM, 4096, 4096).mips(13);
    // A third more than the first level; levels of 2 x 2 and of 1 x 1 texels have a block.
    let expected = (0..13).map(|mip| (4096_u64 >> mip).max(4).pow(2) * 4).sum::<u64>();
    assert_eq!(Plan::new(&shape, shape.format).unwrap().size_bytes, expected);
    assert_eq!(expected, 89_478_592);
}

#[test]
fn every_way_of_writing_makes_another_copy() {
    let budget = all();
    let shape = TextureShape::texture_2d(BC1, 16, 40).mips(2);
    let texture = texture(shape, 4);
    // The same bytes as one level of other texels.
    let blocks = |format| TextureShape::texture_2d(format, 4, 10);
    let over = |shape: TextureShape| {
        let size_bytes = shape.size_bytes().unwrap();
        // A texture has all of its buffer.
        (size_bytes == texture.buffer().size_bytes()).then(|| Texture::new(texture.buffer().clone(), shape).unwrap())
    };
    let words = texture.buffer().size_bytes() as u32 / 8;
    let codes = over(TextureShape::new(Dimension::Texture1d, Format::R16G16B16A16_UNORM, words)).unwrap();
    let other = self::texture(shape, 5);
    let bytes = noise(6, 400);
    let whole = texture.level(0, 0).unwrap();
    assert!(over(blocks(Format::R32G32_UINT)).is_none(), "it has two levels");
    let ways: [(&str, &dyn Fn()); 9] = [
        ("a buffer", &|| texture.buffer().write(8, &bytes[..1]).unwrap()),
        ("words", &|| texture.buffer().memory().write(13, &bytes[..7])),
        ("a box", &|| {
            let part = TexelBox { origin: [4, 4, 0], extents: [4, 8, 1], ..whole };
            texture.write(&part, &bytes[..16], None).unwrap();
        }),
        ("a view", &|| View::texture(texture.clone()).write(16, &bytes[20..24]).unwrap()),
        ("a raw view", &|| View::raw(texture.buffer().clone()).unwrap().write(40, &bytes[30..39]).unwrap()),
        ("a copied box", &|| other.copy_box(&whole, &texture, &whole).unwrap()),
        ("a copied range", &|| {
            let from = Buffer::zeroed(64, GuardPages::Off).unwrap();
            from.copy_until(0..64, texture.buffer(), 64, &|| false).unwrap();
        }),
        ("a filled range", &|| texture.buffer().fill_until(0..24, &[1, 2, 3], &|| false).unwrap()),
        ("a clear in another format", &|| codes.clear(ClearValue::Color([0.25, 0.5, 0.75, 1.0])).unwrap()),
    ];
    let expansion = expansion(&texture);
    let mut last = expansion.copy(&budget).unwrap();
    for (way, write) in ways {
        check_all(&texture, &budget);
        assert!(Arc::ptr_eq(&last, &expansion.copy(&budget).unwrap()), "nothing was written before {way}");
        write();
        assert!(!last.is_current(), "{way}");
        last = expansion.copy(&budget).unwrap();
        check_all(&texture, &budget);
    }
    // A mip level made in one texture is the memory of another.
    let halves = TextureShape::new(Dimension::Texture1d, Format::R8_UNORM, 128).mips(2);
    let bc1 = TextureShape::texture_2d(BC1, 4, 96);
    let buffer = Buffer::zeroed(192, GuardPages::Off).unwrap();
    buffer.write(0, &noise(7, 192)).unwrap();
    let (levels, seen) = (Texture::new(buffer.clone(), halves).unwrap(), Texture::new(buffer, bc1).unwrap());
    check_all(&seen, &budget);
    levels.generate_mips().unwrap();
    check_all(&seen, &budget);
}

#[test]
fn who_writes_in_vain_changes_nothing_that_is_seen() {
    let budget = all();
    let texture = texture(TextureShape::texture_2d(BC1, 8, 8), 8);
    check_all(&texture, &budget);
    assert!(texture.buffer().write(30, &[1_u8; 3]).is_err());
    check_all(&texture, &budget);
}

#[test]
#[allow(unsafe_code)]
fn memory_that_others_write_has_no_copies() {
    let budget = all();
    let shape = TextureShape::texture_2d(BC1, 8, 8);
    // Lent, before the texture is made and after.
    let texture = texture(shape, 9);
    let expansion = expansion(&texture);
    let copy = expansion.copy(&budget).unwrap();
    assert!(!texture.buffer().as_ptr().is_null());
    assert!(copy.make(0) && !copy.is_current() && expansion.copy(&budget).is_none());
    drop(copy);
    assert_eq!(budget.used_bytes(), 0);
    let again = Texture::new(texture.buffer().clone(), shape).unwrap();
    assert!(surface(&View::texture(again)).expansion.is_none());
    // Wrapped.
    let mut words = [0_u32; 8];
    // SAFETY: the words outlive the buffer.
    let wrapped = unsafe { Buffer::wrap(NonNull::from(&mut words).cast(), 32, Access::Read, ()) }.unwrap();
    assert!(surface(&View::texture(Texture::new(wrapped, shape).unwrap())).expansion.is_none());
    // Mapped.
    let path = std::env::temp_dir().join(format!("brolga-copies-{}", std::process::id()));
    std::fs::write(&path, [0; 32]).unwrap();
    for access in [Access::Read, Access::ReadWrite] {
        let mapped = Buffer::map(&path, access).unwrap();
        assert!(surface(&View::texture(Texture::new(mapped, shape).unwrap())).expansion.is_none());
    }
    std::fs::remove_file(&path).unwrap();
}

/// A texture of one band of 1024 bytes.
fn small(seed: u64) -> Texture {
    texture(TextureShape::texture_2d(BC1, 8, 32), seed)
}

#[test]
fn the_least_recently_used_go_first_and_none_that_are_used() {
    let budget = CopyBudget::new(3 * 1024);
    let textures: Vec<_> = (0..5).map(small).collect();
    let expansions: Vec<_> = textures.iter().map(expansion).collect();
    let sample = |n: usize| {
        let copy = expansions[n].copy(&budget).unwrap();
        budget.touch([&*copy].into_iter());
        assert!(copy.make(0));
        copy
    };
    let is_there = |n: usize| expansions[n].copies.made().iter().any(|copy| copy.has(0));
    let there = || (0..5).map(is_there).collect::<Vec<_>>();
    [0, 1, 2].into_iter().for_each(|n| drop(sample(n)));
    assert_eq!((there(), budget.used_bytes()), (vec![true, true, true, false, false], 3072));
    drop(sample(0));
    drop(sample(3));
    assert_eq!((there(), budget.used_bytes()), (vec![true, false, true, true, false], 3072));
    // The next to be dropped is used: another is dropped instead.
    let used = expansions[2].copy(&budget).unwrap();
    drop(sample(4));
    assert_eq!((there(), budget.used_bytes()), (vec![false, false, true, true, true], 3072));
    let all_used: Vec<_> = [2, 3, 4].map(|n| expansions[n].copy(&budget).unwrap()).into();
    let refused = expansions[0].copy(&budget).unwrap();
    assert!(!refused.make(0) && !refused.has(0) && refused.made_bytes() == 0);
    drop((used, all_used));
    // Room is not looked for again at each sample, but when a run begins.
    assert!(!refused.make(0));
    budget.touch([&*refused].into_iter());
    assert!(refused.make(0));
    check_all(&textures[0], &budget);
    assert_eq!(budget.used_bytes(), 3072);
}

#[test]
fn room_is_given_back_when_the_texture_goes_or_changes() {
    let budget = all();
    let texture = small(1);
    check_all(&texture, &budget);
    assert_eq!(budget.used_bytes(), 1024);
    let clone = texture.clone();
    drop(texture);
    check_all(&clone, &budget);
    assert_eq!(budget.used_bytes(), 1024);
    clone.buffer().write(0, &[5_u8]).unwrap();
    let old = expansion(&clone).copies.made()[0].clone();
    check_all(&clone, &budget);
    assert_eq!(budget.used_bytes(), 2048, "somebody has the old one still");
    drop(old);
    assert_eq!(budget.used_bytes(), 1024);
    drop(clone);
    assert_eq!(budget.used_bytes(), 0);
}

#[test]
fn a_budget_is_kept_by_each_device() {
    let (one, other, none, tiny) = (all(), all(), CopyBudget::new(0), CopyBudget::new(1023));
    let texture = small(2);
    check_all(&texture, &one);
    check_all(&texture, &other);
    assert_eq!([&one, &other].map(|budget| budget.used_bytes()), [1024; 2]);
    assert!(expansion(&texture).copy(&none).is_none());
    assert!(!expansion(&texture).copy(&tiny).unwrap().make(0));
    drop(one);
    check_all(&texture, &other);
}

#[test]
fn there_are_no_other_bands() {
    let copy = expansion(&small(1)).copy(&all()).unwrap();
    assert!(!copy.has(1) && !copy.make(1) && !copy.has(u32::MAX) && !copy.make(u32::MAX));
}

#[test]
fn threads_that_ask_for_the_same_band_get_it() {
    const THREADS: usize = 8;
    for seed in 0..20 {
        let texture = texture(TextureShape::texture_2d(Format::BC7_UNORM, 64, 96), seed);
        let (seen, budget) = (surface(&View::texture(texture)), all());
        let (start, expansion) = (Barrier::new(THREADS), seen.expansion.as_ref().unwrap());
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    let copy = expansion.copy(&budget).unwrap();
                    assert!((0..3).all(|band| copy.make(band) && copy.has(band)));
                    check(&seen, &copy, 97);
                });
            }
        });
        assert_eq!(budget.used_bytes(), 64 * 96 * 4, "each was made once");
    }
}

#[test]
fn threads_that_write_textures_and_evict_copies_get_in_nobody_s_way() {
    let budget = CopyBudget::new(3 * 1024);
    let textures: Vec<_> = (0..4).map(small).collect();
    std::thread::scope(|scope| {
        for (n, own) in (0..).zip(&textures) {
            let (budget, textures) = (&budget, &textures);
            scope.spawn(move || {
                for round in 0..200 {
                    own.buffer().write(0, &noise(round * 4 + n, 64)).unwrap();
                    let seen = surface(&View::texture(own.clone()));
                    let copy = seen.expansion.as_ref().unwrap().copy(budget).unwrap();
                    budget.touch([&*copy].into_iter());
                    // Without room there is no copy, but never a wrong one.
                    if copy.make(0) {
                        check(&seen, &copy, 1);
                    }
                    // Others are written meanwhile: only checks that nothing breaks.
                    let other = &textures[(n as usize + 1 + round as usize % 3) % 4];
                    expansion(other).copy(budget).unwrap().make(0);
                }
            });
        }
    });
    assert!(budget.used_bytes() <= 3 * 1024);
    drop(textures);
    assert_eq!(budget.used_bytes(), 0);
}

/// One sample may need a whole texture; the thread returns for a check in between.
#[test]
fn a_thread_does_not_expand_a_large_texture_at_a_stretch() {
    let texture = zeros(TextureShape::texture_2d(BC1, 8192, 8192));
    let copy = expansion(&texture).copy(&all()).unwrap();
    let made = (0..256).take_while(|&band| copy.make(band)).count();
    // Bands of 2048 x 8 blocks.
    assert!(((1 << 17) / (2048 * 8)..256).contains(&made), "{made} bands");
    while !copy.make(255) {
        std::thread::yield_now();
    }
}
