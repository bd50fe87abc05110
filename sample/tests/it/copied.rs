//! Samples compressed textures with copies, complete ones and ones that lack room for some bands, beside the general
//! path, which reads blocks.
//!
//! `BROLGA_ROUNDS` sets the number of textures of each format, instead of a few.

use std::array;
use std::thread;

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_resource::format::{Layout, Use};
use brolga_resource::{
    BAND_SHIFT, Buffer, Comparison, CopyBudget, ExpandedCopy, Texture, TextureShape, View, ViewKind,
};
use brolga_sample::Isa;

use crate::invariants::{any_args, any_sampler, any_sampling};
use crate::*;

/// Number of packets for each texture.
const PACKETS: usize = 3;

/// The largest extent of a texture.
const MOST_TEXELS: u32 = 16384;

/// Every format whose blocks are expanded.
fn formats() -> impl Iterator<Item = Format> {
    let all = Format::ALL.iter().chain(Format::DIRECT3D9).copied();
    all.filter(|format| format.expander().is_some() && format.allows(Use::Sample))
}

/// Extents of whole blocks on the first level, of one band and of several, and any possible number of levels.
fn shape_of(format: Format, dimension: Dimension, numbers: &mut Numbers) -> TextureShape {
    let [block_width, block_height] = format.block_extents();
    let mut blocks = || numbers.pick(&[1, 2, 3, 5, 9, 17]);
    let (width, height, depth) = (blocks() * block_width, blocks() * block_height, blocks());
    let is_flat = dimension != Dimension::Texture3d && !dimension.is_cube();
    let width = if is_flat && numbers.below(16) == 0 { MOST_TEXELS } else { width };
    let shape = TextureShape::new(dimension, format, width);
    let shape = match dimension {
        Dimension::Texture1d => shape,
        Dimension::Texture1dArray => shape.layers(3),
        Dimension::Texture2dArray => shape.height(height).layers(3),
        Dimension::Texture3d => shape.height(height).depth(depth),
        Dimension::TextureCube => shape.height(width),
        Dimension::TextureCubeArray => shape.height(width).layers(12),
        _ => shape.height(height),
    };
    let most = full_chain([shape.width, shape.height, shape.depth]);
    let mips = 1 + numbers.below(most);
    shape.mips(mips)
}

/// A texture of any blocks, up to a guard page. The lowest bits of some select a mode of BC6H or BC7, since random ones
/// hardly ever have most of them.
fn texture(shape: TextureShape, numbers: &mut Numbers) -> Texture {
    let size_bytes = shape.size_bytes().unwrap();
    let mut bytes: Vec<u8> = (0..size_bytes).map(|_| numbers.word() as u8).collect();
    for block in bytes.chunks_exact_mut(shape.format.size_bytes() as usize) {
        match numbers.below(3) {
            0 => block[0] = 1 << numbers.below(8),
            1 => {
                block[0] =
                    numbers.pick(&[0x02, 0x03, 0x06, 0x07, 0x0a, 0x0b, 0x0e, 0x0f, 0x12, 0x13, 0x16, 0x17, 0x1a, 0x1b])
            }
            _ => {}
        }
    }
    let buffer = Buffer::zeroed(size_bytes, GuardPages::After).unwrap();
    buffer.write(0, &bytes).unwrap();
    Texture::new(buffer, shape).unwrap()
}

/// All of a texture, or some of its levels and layers.
fn view(texture: Texture, numbers: &mut Numbers) -> Surface {
    let &TextureShape { dimension, mips, layers, .. } = texture.shape();
    let mut view = View::texture(texture);
    if numbers.below(3) == 0 {
        let first = numbers.below(mips);
        view = view.with_mips(first, 1 + numbers.below(mips - first)).unwrap();
    }
    if numbers.below(3) == 0 && dimension.is_array() && !dimension.is_cube() {
        let first = numbers.below(layers);
        view = view.with_layers(first, 1 + numbers.below(layers - first)).unwrap();
    }
    let ViewKind::Texture(view) = view.kind() else { unreachable!("a view of a texture") };
    let mut surface = view.surface(false);
    surface.min_level = numbers.pick(&[0.0, 0.0, 0.3]);
    surface
}

/// Samples a packet with each instruction set, with each copy and with none, in each float mode: all have the bits of
/// the general path.
fn compare(surface: &Surface, state: &Sampler, copies: &[Option<&ExpandedCopy>], numbers: &mut Numbers) {
    let dimension = surface.dimension;
    let sampling = any_sampling(dimension, numbers);
    let lanes: Vec<_> = (0..LANES).map(|_| any_args(sampling, dimension, numbers)).collect();
    let rows: Vec<Row> = (0..lanes[0].len()).map(|arg| array::from_fn(|lane| lanes[lane][arg])).collect();
    let mask = numbers.pick(&[0xffff, 0xff, 0x5a01]);
    let general = Prepared::general(surface, state);
    let mut expected = [[0xdead; LANES]; 4];
    sample(&general, sampling, mask, &rows, &mut expected);
    for prepared in Isa::present().map(|isa| general.clone().with_fast_paths(isa)) {
        for (n, &copy) in copies.iter().enumerate() {
            for mode in [FloatMode::Default, FloatMode::Flush] {
                let mut results = [[0xdead; LANES]; 4];
                {
                    let _mode = FloatGuard::new(mode);
                    let args = Rows::new(rows.as_flattened(), LANES);
                    prepared.sample(sampling, copy, mask, args, results.as_flattened_mut());
                }
                assert_eq!(results, expected, "copy {n}, {mode:?}: {surface:?} {state:?} {sampling:?} {lanes:x?}");
            }
        }
    }
}

/// Samples so many textures of a format. Returns the number of copies that had all bands that were needed, and of those
/// that lacked room for some bands beside ones that they have.
fn sample_format(format: Format, seed: u64, rounds: usize) -> (usize, usize) {
    let mut numbers = Numbers::new(seed);
    let possible: Vec<_> =
        DIMENSIONS.into_iter().filter(|&dimension| format.allows(Use::of_dimension(dimension))).collect();
    let (mut whole, mut partial) = (0, 0);
    for round in 0..rounds {
        let shape = shape_of(format, possible[round % possible.len()], &mut numbers);
        let surface = view(texture(shape, &mut numbers), &mut numbers);
        let expansion = surface.expansion.as_ref().expect("a compressed texture in memory of ours");
        // Room for everything; for a band or two of the first level; for those of the smallest levels alone; for one
        // byte.
        let row_bytes = u64::from(shape.width.next_multiple_of(4)) * u64::from(Layout::of(format).size_bytes);
        let band = row_bytes << BAND_SHIFT;
        let budgets = [u64::MAX, band + band / 2, row_bytes * 4, 1].map(CopyBudget::new);
        let copies = budgets.each_ref().map(|budget| expansion.copy(budget));
        let copies = copies.each_ref().map(Option::as_deref);
        for _ in 0..PACKETS {
            let mut state = any_sampler(&mut numbers);
            state.comparison = numbers.pick(&Comparison::ALL);
            compare(&surface, &state, &[&copies[..], &[None]].concat(), &mut numbers);
        }
        for (budget, copy) in budgets.iter().zip(copies) {
            let made = copy.map_or(0, ExpandedCopy::made_bytes);
            assert!(budget.used_bytes() == made && made <= budget.most_bytes());
        }
        let [all, some, ..] = copies.map(|copy| copy.map_or(0, ExpandedCopy::made_bytes));
        whole += usize::from(all > 0);
        partial += usize::from(some > 0 && some < all);
    }
    (whole, partial)
}

#[test]
fn copies_come_to_the_same_bits_however_much_of_them_there_is() {
    let rounds = std::env::var("BROLGA_ROUNDS").map_or(28, |rounds| rounds.parse().unwrap());
    // A thread stops expanding for a moment after very many blocks: each format has a thread of its own.
    let spawn = |(seed, format)| (format, thread::spawn(move || sample_format(format, seed, rounds)));
    let threads: Vec<_> = (20..).zip(formats()).map(spawn).collect();
    assert!(threads.len() > 14, "BC1 to BC7, and pairs of texels");
    for (format, thread) in threads {
        let (whole, partial) = thread.join().unwrap_or_else(|_| panic!("{format}"));
        assert!(2 * whole > rounds, "{format}: {whole} copies of {rounds} were made");
        // Only a texture with more than one band in a level, or with several levels, can have a part.
        assert!(partial > 0, "{format}: no copy had room for a part only");
    }
}

/// A surface is data that anybody may change: a copy is only read where all offsets of its description are inside.
#[test]
fn what_a_surface_says_of_its_copy_is_not_trusted() {
    let texture = |size| {
        let shape = TextureShape::texture_2d(Format::BC1_UNORM, size, size).mips(3);
        texture(shape, &mut Numbers::new(size.into()))
    };
    let surface = |texture: Texture| {
        let view = View::texture(texture);
        let ViewKind::Texture(view) = view.kind() else { unreachable!("a view of a texture") };
        view.surface(false)
    };
    let (seen, smaller) = (surface(texture(256)), surface(texture(64)));
    let copy = seen.expansion.as_ref().unwrap().copy(&CopyBudget::new(u64::MAX)).unwrap();
    type Lie = fn(&mut Surface);
    let lies: [Lie; 9] = [
        |surface| surface.expansion.as_mut().unwrap().levels.clear(),
        |surface| surface.expansion.as_mut().unwrap().levels.truncate(2),
        |surface| surface.expansion.as_mut().unwrap().levels[0].offset_bytes = 0x7000_0000,
        |surface| surface.expansion.as_mut().unwrap().levels[1].row_bytes = 1 << 40,
        |surface| surface.expansion.as_mut().unwrap().levels[2].slice_bytes = u64::MAX,
        |surface| surface.expansion.as_mut().unwrap().levels[2].offset_bytes += 1,
        |surface| surface.expansion.as_mut().unwrap().size_bytes = u64::MAX,
        |surface| surface.expansion.as_mut().unwrap().size_bytes = 4,
        |surface| surface.expansion.as_mut().unwrap().layer_bytes = 3,
    ];
    let false_ones = lies.map(|lie| {
        let mut surface = seen.clone();
        lie(&mut surface);
        surface
    });
    let of_another = Surface { expansion: smaller.expansion.clone(), ..seen.clone() };
    let mut numbers = Numbers::new(8);
    for surface in false_ones.iter().chain([&of_another]) {
        for _ in 0..50 {
            compare(surface, &any_sampler(&mut numbers), &[Some(&copy), None], &mut numbers);
        }
    }
}

/// A texture of 128 MiB, whose copy would have 1 GiB, and a budget of some of its 512 bands. Only some blocks are not
/// zero.
#[test]
#[ignore = "takes 200 MiB: a long run, see docs/testing.md"]
fn the_largest_texture_has_a_copy_of_some_bands() {
    let mut numbers = Numbers::new(19);
    let shape = TextureShape::texture_2d(Format::BC1_UNORM, MOST_TEXELS, MOST_TEXELS);
    let texture = Texture::new(Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::After).unwrap(), shape).unwrap();
    let size_bytes = texture.buffer().size_bytes();
    assert_eq!(size_bytes, 1 << 27);
    let blocks = size_bytes / 8;
    let some = (0..1 << 17).map(|_| u64::from(numbers.word()) % blocks);
    let indices: Vec<_> = some.chain([0, blocks - 1]).collect();
    for index in indices {
        let block = [numbers.word(), numbers.word()];
        texture.buffer().write(8 * index, &block).unwrap();
    }
    let view = View::texture(texture);
    let ViewKind::Texture(view) = view.kind() else { unreachable!("a view of a texture") };
    let surface = view.surface(false);
    let budget = CopyBudget::new(64 << 20);
    let copy = surface.expansion.as_ref().and_then(|expansion| expansion.copy(&budget));
    for _ in 0..20_000 {
        compare(&surface, &any_sampler(&mut numbers), &[copy.as_deref(), None], &mut numbers);
    }
    // All that the budget has room for: bands are of 2 MiB.
    assert_eq!(budget.used_bytes(), 64 << 20);
}
