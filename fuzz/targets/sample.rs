//! Samples any texture: with a copy, with a copy that lacks room, without one, and lane by lane, in each float mode;
//! all have the same bits.
//!
//! The bytes are choices, in this order: of a texture and a view of it, of a sampler, of an instruction, of its
//! operands; texels are noise that they seed, with the bytes in between. Bytes missing at the end are zeros.
#![no_main]

use std::array;

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_ir::interface::Dimension;
use brolga_ir::sampling::{LevelSource, Offsets, Rows, SampleArg, SampleKind, Sampling};
use brolga_resource::format::{Format, Use};
use brolga_resource::{
    AddressMode, Buffer, Comparison, CopyBudget, Filter, GuardPages, Reduction, Sampler, Surface, Tap, Texture,
    TextureShape, View, ViewKind,
};
use brolga_sample::Prepared;
use libfuzzer_sys::fuzz_target;

const LANES: usize = 16;

/// The largest size of a texture in bytes.
const MOST_BYTES: u64 = 1 << 20;

const DIMENSIONS: [Dimension; 7] = [
    Dimension::Texture1d,
    Dimension::Texture1dArray,
    Dimension::Texture2d,
    Dimension::Texture2dArray,
    Dimension::Texture3d,
    Dimension::TextureCube,
    Dimension::TextureCubeArray,
];

const REDUCTIONS: [Reduction; 4] = [Reduction::Weighted, Reduction::Comparison, Reduction::Minimum, Reduction::Maximum];

/// The rest of the input.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(array::from_fn(|_| self.byte()))
    }

    fn is(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// From 1 to about `most`; often small ones and powers of two.
    fn extent(&mut self, most: u32) -> u32 {
        let [low, high] = [self.byte(), self.byte()].map(u32::from);
        let extent = match high % 8 {
            0 => 1 << (low % 15),
            1 => (low << 8 | high) % most + 1,
            _ => low % 40 + 1,
        };
        extent.min(most)
    }

    /// An ordinary float of samples, or any bits.
    fn float(&mut self, scale: f32) -> u32 {
        match self.byte() % 16 {
            0 => self.word(),
            1 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, 1.0, f32::MAX, -1e-12]
                [usize::from(self.byte() % 8)]
            .to_bits(),
            // Centres and edges of texels.
            2..=5 => (f32::from(self.byte()) / 64.0 - 1.0).to_bits(),
            _ => (self.word() as i32 as f32 / i32::MAX as f32 * scale).to_bits(),
        }
    }
}

fn texture(bytes: &mut Bytes<'_>) -> Option<Texture> {
    let formats = || Format::ALL.iter().chain(Format::DIRECT3D9).copied().filter(|format| format.allows(Use::Sample));
    let format = formats().nth(usize::from(bytes.byte()) % formats().count())?;
    let dimension = bytes.pick(&DIMENSIONS);
    let most = if dimension == Dimension::Texture3d { 2048 } else { 16384 };
    let [block_width, block_height] = format.block_extents();
    let mut whole = |block: u32| bytes.extent(most).next_multiple_of(block).min(most);
    let (width, height, depth) = (whole(block_width), whole(block_height), whole(1));
    let layers = u32::from(bytes.byte() % 5 + 1);
    let shape = TextureShape::new(dimension, format, width);
    let shape = match dimension {
        Dimension::Texture1d => shape,
        Dimension::Texture1dArray => shape.layers(layers),
        Dimension::Texture2dArray => shape.height(height).layers(layers),
        Dimension::Texture3d => shape.height(height).depth(depth),
        Dimension::TextureCube => shape.height(width),
        Dimension::TextureCubeArray => shape.height(width).layers(6 * layers),
        _ => shape.height(height),
    };
    let longest = shape.width.max(shape.height).max(shape.depth);
    let shape = shape.mips(1 + u32::from(bytes.byte()) % (u32::BITS - longest.leading_zeros()));
    // Not all formats exist in all dimensions.
    let size_bytes = shape.size_bytes().ok().filter(|&size_bytes| size_bytes <= MOST_BYTES)?;
    let mut noise = bytes.word();
    let texels: Vec<u8> = (0..size_bytes)
        .map(|n| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Now and then bytes of the input itself, which coverage guides to the modes of blocks.
            if noise >> 28 == 0 && !bytes.0.is_empty() {
                bytes.0[n as usize % bytes.0.len()]
            } else {
                (noise >> 20) as u8
            }
        })
        .collect();
    let buffer = Buffer::zeroed(size_bytes, GuardPages::After).ok()?;
    buffer.write(0, &texels).expect("as many as there are");
    Some(Texture::new(buffer, shape).expect("the shape is possible"))
}

fn surface(bytes: &mut Bytes<'_>) -> Option<Surface> {
    let texture = texture(bytes)?;
    let &TextureShape { dimension, mips, layers, .. } = texture.shape();
    let mut view = View::texture(texture);
    if bytes.is() {
        let first = u32::from(bytes.byte()) % mips;
        view = view.with_mips(first, 1 + u32::from(bytes.byte()) % (mips - first)).expect("levels that there are");
    }
    if bytes.is() && dimension.is_array() && !dimension.is_cube() {
        let first = u32::from(bytes.byte()) % layers;
        view = view.with_layers(first, 1 + u32::from(bytes.byte()) % (layers - first)).expect("layers that there are");
    }
    if bytes.byte() % 4 == 0 {
        view = view.with_min_level(f32::from(bytes.byte()) / 16.0).ok()?;
    }
    let ViewKind::Texture(view) = view.kind() else { return None };
    Some(view.surface(false))
}

/// Any sampler that a view can have.
fn sampler(bytes: &mut Bytes<'_>) -> Option<Sampler> {
    let mut tap = || bytes.pick(&[Tap::Point, Tap::Linear]);
    let [minify, magnify, mip] = [tap(), tap(), tap()];
    let filter =
        Filter { minify, magnify, mip, anisotropic: bytes.byte() % 4 == 0, reduction: bytes.pick(&REDUCTIONS) };
    let level = |bytes: &mut Bytes<'_>, usual: f32| match bytes.byte() % 4 {
        0 => f32::from_bits(bytes.float(16.0)),
        _ => usual,
    };
    let sampler = Sampler {
        filter,
        address: [(); 3].map(|()| bytes.pick(&AddressMode::ALL)),
        level_bias: level(bytes, 0.0),
        min_level: level(bytes, f32::MIN),
        max_level: level(bytes, f32::MAX),
        max_anisotropy: u32::from(bytes.byte() % 16) + 1,
        comparison: bytes.pick(&Comparison::ALL),
        border: [(); 4].map(|()| f32::from_bits(bytes.float(2.0))),
    };
    match View::sampler(sampler).ok()?.kind() {
        ViewKind::Sampler(sampler) => Some(**sampler),
        _ => None,
    }
}

fn sampling(bytes: &mut Bytes<'_>, dimension: Dimension) -> Sampling {
    let component = bytes.byte() % 4;
    let kind = bytes.pick(&[
        SampleKind::Filter,
        SampleKind::Compare,
        SampleKind::Gather { component },
        SampleKind::GatherCompare,
        SampleKind::Level,
        SampleKind::Filter,
    ]);
    let gathers = matches!(kind, SampleKind::Gather { .. } | SampleKind::GatherCompare);
    let offsets = match bytes.byte() % 4 {
        0 => Offsets::Fixed([(); 3].map(|()| (bytes.byte() & 15) as i8 - 8)),
        1 if gathers && !dimension.is_cube() => Offsets::Computed,
        _ => Offsets::Fixed([0; 3]),
    };
    let level = bytes.pick(&[LevelSource::Zero, LevelSource::Given, LevelSource::Derivatives]);
    let [has_bias, has_clamp] = [bytes.is(), bytes.is()];
    match gathers {
        true => Sampling { kind, level: LevelSource::Zero, has_bias: false, has_clamp: false, offsets },
        false => Sampling { kind, level, has_bias, has_clamp, offsets },
    }
}

/// A row for each operand.
fn operands(bytes: &mut Bytes<'_>, sampling: Sampling, dimension: Dimension) -> Vec<u32> {
    let mut rows = Vec::new();
    for (arg, count) in sampling.args(dimension) {
        for _ in 0..count * LANES {
            rows.push(match arg {
                SampleArg::Offsets => bytes.word(),
                SampleArg::Coordinates => bytes.float(2.5),
                SampleArg::Reference => bytes.float(1.5),
                SampleArg::AlongX | SampleArg::AlongY => bytes.float(0.3),
                SampleArg::Level | SampleArg::Bias | SampleArg::Clamp => bytes.float(8.0),
            });
        }
    }
    rows
}

fuzz_target!(|bytes: &[u8]| {
    let bytes = &mut Bytes(bytes);
    let Some(surface) = surface(bytes) else { return };
    let Some(sampler) = sampler(bytes) else { return };
    let sampling = sampling(bytes, surface.dimension);
    let operands = operands(bytes, sampling, surface.dimension);
    let lanes = if bytes.is() { 0xffff } else { u64::from(bytes.word() & 0xffff) };
    // Room for all bands of a copy, for some, for none.
    let budgets = [u64::MAX, u64::from(bytes.word() % 0x4_0000), 1].map(CopyBudget::new);
    let copies = budgets.each_ref().map(|budget| surface.expansion.as_ref()?.copy(budget));
    let take = |prepared: &Prepared, copy: Option<usize>, mode| {
        let copy = copy.and_then(|n| copies[n].as_deref());
        let mut results = [0xdead; 4 * LANES];
        let _mode = FloatGuard::new(mode);
        prepared.sample(sampling, copy, lanes, Rows::new(&operands, LANES), &mut results);
        results
    };
    let expected = take(&Prepared::general(&surface, &sampler), None, FloatMode::Default);
    let prepared = Prepared::new(&surface, &sampler);
    for mode in [FloatMode::Default, FloatMode::Flush] {
        for copy in [None, Some(0), Some(1), Some(2)] {
            assert_eq!(take(&prepared, copy, mode), expected, "copy {copy:?}, {mode:?}: {sampling:?} {sampler:?}");
        }
    }
});
