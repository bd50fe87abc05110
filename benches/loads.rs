//! Measures texels that a shader loads or stores without a sampler, by format and kind: time on one thread, with a
//! shader of one texel a thread around it; and the decoding of texels of compressed blocks alone, without shaders.
//!
//! `cargo bench --bench loads` runs all, `-- BC7` those with that name. Read ratios within one run.

use std::hint::black_box;

use brolga::format::{Encoding, Use};
use brolga::{Bindings, CompileOptions, Device, Dimension, Dispatch, Format, Register, TextureShape, View};
use brolga_bytecode::{Limits, assembler};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Extent in texels and threads along x and y.
const SIDE: u32 = 256;

/// An access to texels: the name, the declaration's words, the instructions from `vThreadID` to `r2`.
struct Kind {
    name: &'static str,
    dimension: Dimension,
    declared: &'static str,
    text: String,
    mips: u32,
    /// Number of bytes of padding in a row.
    gap: u64,
}

impl Kind {
    fn new(name: &'static str, dimension: Dimension, declared: &'static str, text: &str) -> Self {
        Self { name, dimension, declared, text: text.to_owned(), mips: 1, gap: 0 }
    }

    fn all() -> Vec<Self> {
        use Dimension::{Buffer, Texture2d, Texture3d};
        let plain = "mov r1.xy, vThreadID.xyxx\nmov r1.zw, l(0,0,0,0)\nld r2.xyzw, r1.xyzw, t0.xyzw";
        let slice = "mov r1.xy, vThreadID.xyxx\nmov r1.zw, l(0,0,2,0)\nld r2.xyzw, r1.xyzw, t0.xyzw";
        let level = "ushr r1.xy, vThreadID.xyxx, l(1,1,0,0)\nmov r1.zw, l(0,0,1,1)\nld r2.xyzw, r1.xyzw, t0.xyzw";
        let element = "imad r1.x, vThreadID.y, l(256), vThreadID.x\nld r2.xyzw, r1.xxxx, t0.xyzw";
        let store = "utof r2.xyzw, vThreadID.xyxy\nmul r2.xyzw, r2.xyzw, l(0.0039, 0.0039, 0.0039, 0.0039)\n\
                     store_uav_typed u1.xyzw, vThreadID.xyyy, r2.xyzw";
        vec![
            Kind::new("buffer", Buffer, "resource_buffer", element),
            Kind::new("2d", Texture2d, "resource_texture2d", plain),
            Kind::new("3d", Texture3d, "resource_texture3d", slice),
            Kind { mips: 2, ..Kind::new("mip_1", Texture2d, "resource_texture2d", level) },
            Kind { gap: 64, ..Kind::new("pitch", Texture2d, "resource_texture2d", plain) },
            Kind::new("uav", Texture2d, "uav_typed_texture2d", "ld_uav_typed r2.xyzw, vThreadID.xyyy, u1.xyzw"),
            Kind::new("store", Texture2d, "uav_typed_texture2d", store),
        ]
    }

    fn is_uav(&self) -> bool {
        self.declared.starts_with("uav")
    }

    fn allows(&self, format: Format) -> bool {
        let access = if self.is_uav() { Use::Store } else { Use::Load };
        let is_buffer = self.dimension == Dimension::Buffer;
        format.allows(Use::of_dimension(self.dimension)) && (is_buffer || format.allows(access))
    }

    fn shader(&self, format: Format) -> Vec<u8> {
        let component = match format.encoding() {
            Encoding::Uint => "uint",
            Encoding::Sint => "sint",
            _ => "float",
        };
        let Self { declared, text, .. } = self;
        let register = if self.is_uav() { "u1" } else { "t0" };
        let text = format!(
            "cs_5_0
dcl_{declared} ({component},{component},{component},{component}) {register}
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 3
dcl_thread_group 16, 16, 1
{text}
xor r2.xy, r2.xyxx, r2.zwzz
xor r2.x, r2.x, r2.y
imad r0.w, vThreadID.y, l({SIDE}), vThreadID.x
ishl r0.w, r0.w, l(2)
store_raw u0.x, r0.w, r2.x
ret
"
        );
        assembler::assemble(&text, &Limits::default()).expect("a good shader").bytes
    }

    fn view(&self, device: &Device, format: Format) -> View {
        if self.dimension == Dimension::Buffer {
            let bytes = bytes(u64::from(SIDE * SIDE * format.size_bytes()));
            return View::typed(device.buffer_from(&bytes).expect("little memory"), format).expect("whole texels");
        }
        let mut shape = TextureShape::new(self.dimension, format, SIDE).height(SIDE).mips(self.mips);
        if self.dimension == Dimension::Texture3d {
            shape = shape.depth(4);
        }
        if self.gap > 0 {
            let [across, _] = format.block_extents();
            shape = shape.row_pitch(u64::from(SIDE / across * format.size_bytes()) + self.gap);
        }
        let texture = device.texture(shape).expect("a good shape");
        texture.buffer().write(0, &bytes(texture.buffer().size_bytes())).expect("as large as the texture");
        View::texture(texture)
    }
}

/// Bytes that look random and are small halves and floats.
fn bytes(count: u64) -> Vec<u8> {
    words().map(|word| (word >> 24) as u8 & 0x3b).take(count as usize).collect()
}

fn words() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(1_u32), |word| Some(word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)))
}

fn loads(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("one thread needs no pool");
    let results = device.buffer(u64::from(4 * SIDE * SIDE)).expect("little memory");
    let mut group = c.benchmark_group("loads");
    group.throughput(Throughput::Elements(u64::from(SIDE * SIDE)));
    let kinds = Kind::all();
    for &format in Format::ALL.iter().filter(|format| !format.allows(Use::DepthStencil)) {
        for kind in kinds.iter().filter(|kind| kind.allows(format)) {
            let shader = device.compile(&kind.shader(format), &CompileOptions::default()).expect("supported");
            let mut bindings = Bindings::new();
            let register = if kind.is_uav() { Register::u(1) } else { Register::t(0) };
            bindings.set(register, kind.view(&device, format));
            bindings.set(Register::u(0), View::raw(results.clone()).expect("whole words"));
            let bound = device.bind(&shader, &bindings).expect("it is as declared");
            let run = Dispatch::new([SIDE / 16, SIDE / 16, 1]);
            group.bench_function(format!("{format}_{}", kind.name), |b| {
                b.iter(|| bound.dispatch(black_box(&run)).expect("it ends"));
            });
        }
    }
}

/// Blocks of all modes.
fn blocks(c: &mut Criterion) {
    const COUNT: usize = 4096;
    let random: Vec<u32> = words().map(|word| word >> 8 ^ word << 24).take(4 * COUNT).collect();
    let mut group = c.benchmark_group("blocks");
    for &format in Format::ALL.iter().filter(|format| format.block_extents() == [4, 4]) {
        let expand = format.expander().expect("blocks have several texels");
        let block = |(n, words): (usize, &[u32])| {
            let bits = words.iter().fold(0, |bits, &word| bits << 32 | u128::from(word));
            // Each mode as often as the others.
            if format.family() == "BC7" { (bits | 1) << (n % 8) } else { bits & !31 | (n % 32) as u128 }
        };
        let blocks: Vec<u128> = random.chunks(4).enumerate().map(block).collect();
        group.throughput(Throughput::Elements(16 * COUNT as u64));
        group.bench_function(format!("{format}_expand"), |b| {
            let mut texels = [0; 16];
            b.iter(|| blocks.iter().for_each(|&block| expand(block, black_box(&mut texels))));
        });
    }
}

criterion_group!(benches, loads, blocks);
criterion_main!(benches);
