//! Measures samples by format and kind: time on one thread, with a shader of one sample a thread around it.
//!
//! `cargo bench --bench samples` runs all, `-- cube` those with that name. Read ratios within one run.

use std::hint::black_box;

use brolga::{
    Bindings, Comparison, CompileOptions, Device, Dimension, Dispatch, Filter, Format, Reduction, Register, Sampler,
    Tap, Texture, TextureShape, View,
};
use brolga_bytecode::{Limits, assembler};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Extent in threads along x and y.
const SIDE: u32 = 256;

/// Extent in texels along x and y: more than a first-level cache holds.
const TEXELS: u32 = 256;

/// A kind of sample: the name, the texture's dimension, the instruction, its operands after the sampler.
struct Kind {
    name: &'static str,
    dimension: &'static str,
    instruction: &'static str,
    operands: &'static str,
    mip: Tap,
}

const BILINEAR: Kind =
    Kind { name: "bilinear", dimension: "texture2d", instruction: "sample_l", operands: ", l(0)", mip: Tap::Point };
const TRILINEAR: Kind =
    Kind { name: "trilinear", dimension: "texture2d", instruction: "sample_l", operands: ", l(1.3)", mip: Tap::Linear };
/// Levels from derivatives: 1.7 texels to the next pixel.
const DERIVED: Kind = Kind {
    name: "derived",
    dimension: "texture2d",
    instruction: "sample_d",
    operands: ", l(0.0066, 0, 0, 0), l(0, 0.0066, 0, 0)",
    mip: Tap::Linear,
};
const COMPARED: Kind = Kind {
    name: "compared",
    dimension: "texture2d",
    instruction: "sample_c_lz",
    operands: ", l(0.5)",
    mip: Tap::Point,
};
const CUBE: Kind =
    Kind { name: "cube", dimension: "texturecube", instruction: "sample_l", operands: ", l(1.3)", mip: Tap::Linear };

const CASES: [(&str, Format, &Kind); 13] = [
    ("rgba8", Format::R8G8B8A8_UNORM, &BILINEAR),
    ("rgba8", Format::R8G8B8A8_UNORM, &TRILINEAR),
    ("rgba8", Format::R8G8B8A8_UNORM, &DERIVED),
    ("rgba8", Format::R8G8B8A8_UNORM, &CUBE),
    ("srgb", Format::R8G8B8A8_UNORM_SRGB, &BILINEAR),
    ("srgb", Format::R8G8B8A8_UNORM_SRGB, &TRILINEAR),
    ("rgba16f", Format::R16G16B16A16_FLOAT, &BILINEAR),
    ("rgba16f", Format::R16G16B16A16_FLOAT, &TRILINEAR),
    ("r32f", Format::R32_FLOAT, &BILINEAR),
    ("r32f", Format::R32_FLOAT, &COMPARED),
    ("r16", Format::R16_UNORM, &COMPARED),
    ("r24", Format::R24_UNORM_X8_TYPELESS, &COMPARED),
    ("r8", Format::R8_UNORM, &BILINEAR),
];

/// A shader that takes one sample a thread, at positions on a grid turned a little against the texels.
fn shader(kind: &Kind) -> Vec<u8> {
    let Kind { dimension, instruction, operands, .. } = kind;
    let compares = instruction.starts_with("sample_c");
    let (mode, into, from) =
        if compares { ("comparison", "r1.x", "t0.xxxx") } else { ("default", "r1.xyzw", "t0.xyzw") };
    let text = format!(
        "cs_5_0
dcl_sampler s0, mode_{mode}
dcl_resource_{dimension} (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 2
dcl_thread_group 16, 16, 1
utof r0.xy, vThreadID.xyxx
mul r0.z, r0.y, l(0.0007)
mad r0.x, r0.x, l(0.0037), r0.z
mul r0.y, r0.y, l(0.0035)
mov r0.z, l(0.6)
{instruction}_indexable({dimension})(float,float,float,float) {into}, r0.xyzx, {from}, s0{operands}
imad r0.w, vThreadID.y, l({SIDE}), vThreadID.x
ishl r0.w, r0.w, l(2)
store_raw u0.x, r0.w, r1.x
ret
"
    );
    assembler::assemble(&text, &Limits::default()).expect("a good shader").bytes
}

/// A texture with all of its levels, of bytes that look random and are small halves and floats.
fn texture(device: &Device, format: Format, kind: &Kind) -> Texture {
    let shape = match kind.dimension {
        "texturecube" => TextureShape::new(Dimension::TextureCube, format, TEXELS).height(TEXELS),
        _ => TextureShape::texture_2d(format, TEXELS, TEXELS),
    };
    let shape = shape.mips(TEXELS.ilog2() + 1);
    let texture = device.texture(shape).expect("a good shape");
    let mut word = 1_u32;
    let bytes: Vec<u8> = std::iter::repeat_with(|| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (word >> 24) as u8 & 0x3b
    })
    .take(texture.buffer().size_bytes() as usize)
    .collect();
    texture.buffer().write(0, &bytes).expect("as large as the texture");
    texture
}

fn samples(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("one thread needs no pool");
    let results = device.buffer(u64::from(4 * SIDE * SIDE)).expect("little memory");
    let mut group = c.benchmark_group("samples");
    group.throughput(Throughput::Elements(u64::from(SIDE * SIDE)));
    for (name, format, kind) in CASES {
        let shader = device.compile(&shader(kind), &CompileOptions::default()).expect("supported");
        let filter = Filter { minify: Tap::Linear, magnify: Tap::Linear, mip: kind.mip, ..Filter::default() };
        let mut sampler = Sampler { filter, ..Sampler::default() };
        if kind.instruction.starts_with("sample_c") {
            sampler.filter.reduction = Reduction::Comparison;
            sampler.comparison = Comparison::LessEqual;
        }
        let mut bindings = Bindings::new();
        bindings.set(Register::t(0), View::texture(texture(&device, format, kind)));
        bindings.set(Register::s(0), View::sampler(sampler).expect("a good sampler"));
        bindings.set(Register::u(0), View::raw(results.clone()).expect("whole words"));
        let bound = device.bind(&shader, &bindings).expect("it is as declared");
        let run = Dispatch::new([SIDE / 16, SIDE / 16, 1]);
        group.bench_function(format!("{name}_{}", kind.name), |b| {
            b.iter(|| bound.dispatch(black_box(&run)).expect("it ends"));
        });
    }
}

criterion_group!(benches, samples);
criterion_main!(benches);
