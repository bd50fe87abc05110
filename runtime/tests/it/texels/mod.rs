//! Tests texels that compiled code accesses directly, against the interpreter, which calls the host for each.
//!
//! Random shaders load, store and change texels of every format and every kind of texture that allows it, through views
//! of any mip level, layers and related format, with coordinates inside, at edges, beyond them, and where products
//! wrap. Some kinds and formats are accessed through the host: they are tested too. Buffers lie between guard bytes,
//! textures next to an inaccessible page.
//!
//! The long run: `cargo test --release -p brolga-runtime --test it texels:: -- --ignored --nocapture`.

mod shader;

use brolga_bytecode::{Limits, assembler};
use brolga_runtime::format::{Encoding, Use as FormatUse};
use brolga_runtime::{
    Bindings, Buffer, CompileOptions, Component, CpuFeatures, Device, Dimension, Dispatch, Emit, Engine, Format,
    GuardPages, Level, TextureShape, View, Width,
};
use brolga_testing_base::random::Random;
use shader::{GROUPS, REQUESTS, Shader, Use};

/// Bytes around a typed buffer; a multiple of the alignment of views.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xa5;

/// The resource bound to `t0` or `u1`.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Buffer { texels: u32 },
    Texture { shape: TextureShape, dimension: Dimension, mips: [u32; 2], layers: Option<[u32; 2]>, min_level: f32 },
}

/// A shader and its inputs.
struct Case {
    shader: Shader,
    container: Vec<u8>,
    format: Format,
    bound: Bound,
    to: Use,
    texels: Vec<u8>,
    requests: Vec<u8>,
    constants: Vec<u8>,
}

/// A way to run a case.
struct Lab {
    /// A device for each instruction set; the page after or before memory is inaccessible.
    devices: Vec<Device>,
}

impl Lab {
    fn new() -> Self {
        let subsets = CpuFeatures::detect().map_or(Vec::new(), CpuFeatures::subsets);
        let device = |features| [GuardPages::After, GuardPages::Before].map(|guards| (features, guards));
        let devices = subsets.into_iter().flat_map(device).map(|(features, guards)| {
            Device::builder().threads(1).features(features).guard_pages(guards).build().expect("a small pool")
        });
        Self { devices: devices.collect() }
    }
}

/// `true` if Direct3D has texels of this format in such a resource, and shaders may do this with them.
fn allows(format: Format, dimension: Dimension, to: Use) -> bool {
    let can = match to {
        Use::Load => dimension == Dimension::Buffer || format.allows(FormatUse::Load),
        Use::Store => format.allows(FormatUse::Store),
        Use::Atomic => format.allows(FormatUse::Exchange),
    };
    let is_written = to != Use::Load;
    can && format.allows(FormatUse::of_dimension(dimension))
        // Cubes are only sampled.
        && !dimension.is_cube()
        && !(is_written && dimension.is_multisampled())
}

/// A buffer or texture with the view that is bound, and the extents that coordinates are along.
fn bound(format: Format, dimension: Dimension, to: Use, calm: bool, random: &mut Random) -> (Bound, [u32; 3]) {
    let widths: &[u32] = if calm { &[16, 33, 34, 52, 67] } else { &[1, 3, 5, 8, 9, 13, 16, 33] };
    let heights: &[u32] = if calm { &[3, 7, 8, 11, 16] } else { &[1, 3, 4, 5, 7, 8] };
    if dimension == Dimension::Buffer {
        let texels = random.pick(if calm { widths } else { &[0, 1, 3, 7, 16, 33, 100] });
        return (Bound::Buffer { texels }, [texels, 1, 1]);
    }
    let base = match dimension {
        Dimension::Texture2dArray if random.one_in(3) => Dimension::Texture2d,
        Dimension::Texture1d => random.pick(&[dimension, Dimension::Texture1dArray]),
        Dimension::Texture2d => random.pick(&[dimension, Dimension::Texture2dArray]),
        other => other,
    };
    let relatives = Format::ALL.iter().copied().filter(|&other| {
        let can_see = if to == Use::Load { other.is_castable_to(format) } else { other.is_storable_as(format) };
        can_see && !other.allows(FormatUse::DepthStencil)
    });
    let relatives: Vec<Format> = relatives.collect();
    // Not all combinations there are exist.
    for _ in 0..1000 {
        let mut shape = TextureShape::new(base, random.pick(&relatives), random.pick(widths));
        if !matches!(base, Dimension::Texture1d | Dimension::Texture1dArray) {
            shape = shape.height(random.pick(heights));
        }
        if base == Dimension::Texture3d {
            shape = shape.depth(random.pick(&[1, 2, 3, 5]));
        }
        if base.is_array() {
            shape = shape.layers(random.pick(&[1, 2, 3]));
        }
        match base.is_multisampled() {
            true => shape = shape.samples(4),
            false => shape = shape.mips(random.pick(&[1, 2, 3])),
        }
        let first = random.below(shape.mips as usize) as u32;
        let mips = [first, 1 + random.below((shape.mips - first) as usize) as u32];
        let depth = (shape.depth >> first).max(1);
        let all = if dimension == Dimension::Texture3d { depth } else { shape.layers };
        let first_layer = random.below(all as usize) as u32;
        let some = [first_layer, 1 + random.below((all - first_layer) as usize) as u32];
        let layers = match dimension {
            Dimension::Texture3d if to == Use::Load => None,
            Dimension::Texture3d => Some(some),
            _ if dimension.is_array() => Some(some),
            _ => Some([first_layer, 1]),
        };
        let layers = if random.one_in(4) { None } else { layers };
        let min_level = if random.one_in(8) { random.below(8) as f32 / 4.0 } else { 0.0 };
        let bound = Bound::Texture { shape, dimension, mips, layers, min_level };
        let Ok(size) = shape.size_bytes() else { continue };
        if bound.view(vec![0; size as usize], format, &Device::builder().threads(1).build().unwrap()).is_none() {
            continue;
        }
        let [width, height] = [shape.width, shape.height].map(|texels| (texels >> first).max(1));
        let count = layers.map_or(all, |[_, count]| count);
        let extents = match dimension {
            Dimension::Texture1d | Dimension::Texture1dArray => [width, count, 1],
            _ => [width, height, count],
        };
        return (bound, extents);
    }
    panic!("no {dimension:?} of {format} can be made");
}

impl Bound {
    fn size_bytes(&self, format: Format) -> usize {
        match self {
            Bound::Buffer { texels } => (texels * format.size_bytes()) as usize,
            Bound::Texture { shape, .. } => shape.size_bytes().expect("it was made before") as usize,
        }
    }

    /// A view of these bytes, and the buffer that holds them; `None` if there is no such view.
    fn view(&self, mut bytes: Vec<u8>, format: Format, device: &Device) -> Option<(View, Buffer)> {
        match *self {
            Bound::Buffer { .. } => {
                let size = bytes.len();
                let guard = [GUARD_BYTE; GUARD];
                bytes = [&guard, bytes.as_slice(), &guard].concat();
                let buffer = device.buffer_from(&bytes).expect("a small buffer");
                let view = View::typed(buffer.clone(), format).ok()?.with_range(GUARD as u64, size as u64).ok()?;
                Some((view, buffer))
            }
            Bound::Texture { shape, dimension, mips: [first, count], layers, min_level } => {
                let texture = device.texture_from(shape, &bytes).ok()?;
                let view = View::texture(texture.clone()).with_format(format).ok()?.with_dimension(dimension).ok()?;
                let view = view.with_mips(first, count).ok()?.with_min_level(min_level).ok()?;
                let view = match layers {
                    Some([first, count]) => view.with_layers(first, count).ok()?,
                    None => view,
                };
                Some((view, texture.buffer().clone()))
            }
        }
    }
}

impl Case {
    fn new(format: Format, dimension: Dimension, to: Use, seed: u64) -> Self {
        let mut random = Random(seed);
        let component = match format.encoding() {
            Encoding::Uint => Component::Uint,
            Encoding::Sint => Component::Sint,
            _ => Component::Float,
        };
        let calm = random.one_in(2);
        let shader = shader::write(dimension, component, to, calm, &mut random);
        let assembled = assembler::assemble(&shader.text, &Limits::default());
        let container = assembled.unwrap_or_else(|error| panic!("{error:?}\n{}", shader.text)).bytes;
        let (bound, extents) = bound(format, dimension, to, calm, &mut random);
        let mut texels = Vec::new();
        while texels.len() < bound.size_bytes(format) {
            texels.extend(random.word().to_le_bytes());
        }
        texels.truncate(bound.size_bytes(format));
        let mut requests = Vec::new();
        for _ in 0..shader.threads * REQUESTS {
            let request = [0, 1, 2].map(|axis| {
                let extent = extents[axis];
                match random.below(16) {
                    0 => extent,
                    1 => extent.wrapping_sub(1),
                    2 => random.pick(&[u32::MAX, u32::MAX - 1, 1 << 31, 1 << 30, 1 << 16, 0xffff]),
                    // The coordinate at which a texel's index wraps.
                    3 => (u64::from(u32::MAX) / u64::from(extent.max(1)) + random.below(3) as u64) as u32,
                    4 => random.bits() as u32,
                    _ => random.below(extent.max(1) as usize) as u32,
                }
            });
            let word = if random.one_in(2) { random.below(64) as u32 } else { random.word() };
            requests.extend(request.into_iter().chain([word]).flat_map(u32::to_le_bytes));
        }
        let inside = extents.map(|extent| random.below(extent.max(1) as usize) as u32);
        let levels = [random.pick(&[0, 0, 1, 1, 2, 3, u32::MAX]), 0, 0];
        let constants = [extents, extents.map(|extent| extent.wrapping_sub(1)), inside, levels];
        let constants = constants.into_iter().flat_map(|[x, y, z]| [x, y, z, 0]).flat_map(u32::to_le_bytes).collect();
        Self { shader, container, format, bound, to, texels, requests, constants }
    }

    /// The threads' output, all bytes of the texels' memory, and whether code accessed the texels directly, as the
    /// shader that runs shows.
    fn run(&self, device: &Device, options: &CompileOptions) -> (Vec<u8>, Vec<u8>, bool) {
        let shader = device.compile(&self.container, options).unwrap_or_else(|error| panic!("{error}\n{self}"));
        let mut bindings = Bindings::new();
        let constants = device.buffer_from(&self.constants).expect("a small buffer");
        let requests = device.buffer_from(&self.requests).expect("a small buffer");
        let output = device.buffer(u64::from(self.shader.threads) * 16).expect("a small buffer");
        let (texels, memory) = self.bound.view(self.texels.clone(), self.format, device).expect("it was made before");
        let register = if self.to == Use::Load { "t0" } else { "u1" };
        for (register, view) in [
            ("b0", View::constant(constants).unwrap()),
            ("t1", View::structured(requests, 16).unwrap()),
            ("u0", View::structured(output.clone(), 16).unwrap()),
            (register, texels),
        ] {
            bindings.set(register.parse().expect("a register name"), view);
        }
        device
            .dispatch(&shader, &bindings, &Dispatch::new(GROUPS).fuel(100_000))
            .unwrap_or_else(|error| panic!("{error}\n{self}"));
        let is_inlined = options.engine == Engine::Jit && {
            let listing = shader.emit_for(Emit::Ir, &bindings).expect("it compiled").to_string();
            // Buffers have no layout.
            let is_buffer = matches!(self.bound, Bound::Buffer { .. });
            if is_buffer { !listing.contains("texel_") } else { listing.contains("query layout") }
        };
        (output.to_vec().unwrap(), memory.to_vec().unwrap(), is_inlined)
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {:?}\n{}", self.format, self.bound, self.shader.text)
    }
}

/// Runs a case on the interpreter and as machine code; returns `true` if that accesses texels directly.
fn check(lab: &Lab, format: Format, dimension: Dimension, to: Use, seed: u64, devices: &[usize]) -> bool {
    let case = Case::new(format, dimension, to, seed);
    let width = Width::ALL[seed as usize / 3 % 2];
    let options = |engine, level| CompileOptions::new(engine).width(width).level(level);
    let (output, texels, _) = case.run(&lab.devices[0], &options(Engine::Interpreter, Level::None));
    let level = if seed.is_multiple_of(16) { Level::None } else { Level::Full };
    let mut is_inlined = false;
    for &n in devices {
        let device = &lab.devices[n % lab.devices.len()];
        let (got_output, got_texels, is_direct) = case.run(device, &options(Engine::Jit, level));
        is_inlined |= is_direct;
        let features = device.features().map_or(Vec::new(), |features| features.names());
        let what = format!("seed {seed}, {width:?}, {features:?}, {case}");
        let differs = |a: &[u8], b: &[u8]| a.chunks(4).zip(b.chunks(4)).position(|(a, b)| a != b);
        if let Some(word) = differs(&output, &got_output) {
            panic!("thread {} reads something else ({what}", word / 4);
        }
        if let Some(word) = differs(&texels, &got_texels) {
            panic!("word {word} of the texels is not the same: {what}");
        }
        if let Bound::Buffer { .. } = case.bound {
            let guards = [&got_texels[..GUARD], &got_texels[got_texels.len() - GUARD..]].concat();
            assert!(guards.iter().all(|&byte| byte == GUARD_BYTE), "bytes around the texels changed: {what}");
        }
    }
    is_inlined
}

/// Every format in every kind of resource that it is allowed in: `of` combinations with the first seed, one of them in
/// each run.
fn sweep(to: Use, seed: u64, share: usize, every_device: bool) -> (usize, usize) {
    let lab = Lab::new();
    if lab.devices.is_empty() {
        return (usize::MAX, usize::MAX);
    }
    let (mut count, mut inlined) = (0, 0);
    for (n, &format) in Format::ALL.iter().enumerate() {
        let allowed = Dimension::ALL.into_iter().filter(|&dimension| allows(format, dimension, to));
        for (m, dimension) in allowed.enumerate() {
            if (n + m) % share != 0 {
                continue;
            }
            let seed = seed + 1009 * count as u64;
            let devices: Vec<usize> =
                if every_device { (0..lab.devices.len()).collect() } else { vec![seed as usize / 7] };
            inlined += usize::from(check(&lab, format, dimension, to, seed, &devices));
            count += 1;
        }
    }
    (count, inlined)
}

#[test]
fn loads_are_the_hosts() {
    let (count, inlined) = sweep(Use::Load, 1, 3, false);
    assert!(count > 100 && inlined > count / 5, "{inlined} of {count}");
}

#[test]
fn stores_are_the_hosts() {
    let (count, inlined) = sweep(Use::Store, 2, 3, false);
    assert!(count > 50 && inlined > count / 3, "{inlined} of {count}");
}

#[test]
fn atomics_are_the_hosts() {
    let (count, inlined) =
        (0..3).map(|seed| sweep(Use::Atomic, 3 + seed, 1, false)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!(count >= 36 && inlined == count, "{inlined} of {count}");
}

#[test]
#[ignore = "takes minutes"]
fn every_format_on_every_kind_of_texture_and_processor() {
    for seed in 0..4 {
        for to in [Use::Load, Use::Store, Use::Atomic] {
            let (count, inlined) = sweep(to, 10_000_019 * (seed + 1), 1, true);
            eprintln!("{to:?}: {count} combinations, {inlined} inlined");
        }
    }
}
