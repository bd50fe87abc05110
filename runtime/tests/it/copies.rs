//! Tests that compressed textures are sampled with their current contents, whoever wrote them last: expanded copies
//! show only in a device's byte counter.

use std::sync::Barrier;
use std::time::Duration;

use brolga_bytecode::assembler;
use brolga_runtime::format::Layout;
use brolga_runtime::{
    Access, AddressMode, Bindings, BoundShader, Buffer, ClearValue, CompileOptions, Device, Dimension, Dispatch,
    Engine, Filter, Format, Register, Sampler, Shader, Tap, TexelBox, Texture, TextureShape, View,
};

use crate::support::ENGINES;

/// `u0[thread] = t0.Sample(s0, thread's texel)`, of a texture of 16 x 48 texels.
const SAMPLE: &str = "cs_5_0
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 2
dcl_thread_group 16, 4, 1
utof r0.xy, vThreadID.xyxx
add r0.xy, r0.xyxx, l(0.500000, 0.500000, 0.000000, 0.000000)
mul r0.xy, r0.xyxx, l(0.062500, 0.020833333, 0.000000, 0.000000)
sample_l r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.000000)
imad r0.x, vThreadID.y, l(16), vThreadID.x
ishl r0.x, r0.x, l(4)
store_raw u0.xyzw, r0.x, r1.xyzw
ret
";
const WIDTH: u32 = 16;
const HEIGHT: u32 = 48;
/// Bytes of an expanded copy with 4 bytes per texel, where samples use one.
const COPY: u64 = if cfg!(target_arch = "x86_64") { 16 * 48 * 4 } else { 0 };
/// Four rows of texels a group.
const GROUPS: u32 = HEIGHT / 4;
/// Bytes of blocks of 16 bytes.
const SIZE: u64 = 4 * 12 * 16;
const WORDS: u32 = SIZE as u32 / 4;

/// A shader in which each thread writes a word: its number times a prime, plus a constant.
fn writer(declaration: &str, store: &str) -> String {
    format!(
        "cs_5_0
dcl_constantbuffer CB0[1], immediateIndexed
{declaration}
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 4, 1, 1
imad r0.xyzw, vThreadID.xxxx, l(715225739), cb0[0].xyzw
ishl r1.x, vThreadID.x, l(2)
{store}
ret
"
    )
}

fn compile(device: &Device, text: &str, engine: Engine) -> Shader {
    let container = assembler::assemble(text, &brolga_bytecode::Limits::default()).unwrap().bytes;
    device.compile(&container, &CompileOptions::new(engine)).unwrap()
}

fn shape(format: Format) -> TextureShape {
    TextureShape::texture_2d(format, WIDTH, HEIGHT)
}

fn noise(seed: u32) -> Vec<u8> {
    let mut word = seed.wrapping_mul(2_654_435_761);
    let next = || {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (word >> 24) as u8
    };
    std::iter::repeat_with(next).take(SIZE as usize).collect()
}

fn texture(device: &Device, format: Format, seed: u32) -> Texture {
    device.texture_from(shape(format), &noise(seed)).unwrap()
}

fn point() -> View {
    let mut sampler = Sampler::default();
    sampler.filter = Filter { minify: Tap::Point, magnify: Tap::Point, mip: Tap::Point, ..sampler.filter };
    sampler.address = [AddressMode::Clamp; 3];
    View::sampler(sampler).unwrap()
}

/// A shader that samples a texture.
struct Sampled {
    device: Device,
    view: View,
    results: Buffer,
    bindings: Bindings,
    bound: BoundShader,
}

/// Ways to run it.
const WAYS: [&str; 3] = ["bound", "once", "worker"];

impl Sampled {
    fn new(device: &Device, view: View, engine: Engine) -> Self {
        let results = device.buffer(u64::from(WIDTH * HEIGHT) * 16).unwrap();
        let mut bindings = Bindings::new();
        bindings.set(Register::t(0), view.clone());
        bindings.set(Register::s(0), point());
        bindings.set(Register::u(0), View::raw(results.clone()).unwrap());
        let bound = device.bind(&compile(device, SAMPLE, engine), &bindings).unwrap();
        Self { device: device.clone(), view, results, bindings, bound }
    }

    fn of(device: &Device, texture: &Texture, engine: Engine) -> Self {
        Self::new(device, View::texture(texture.clone()), engine)
    }

    fn run(&self, way: &str) {
        let dispatch = Dispatch::new([1, GROUPS, 1]);
        match way {
            "bound" => drop(self.bound.dispatch(&dispatch).unwrap()),
            "once" => drop(self.device.dispatch(self.bound.shader(), &self.bindings, &dispatch).unwrap()),
            _ => self.bound.worker().unwrap().begin(&dispatch).unwrap().run(0..u64::from(GROUPS)).unwrap(),
        }
    }

    /// The texels that the texture's current bytes mean.
    fn expected(&self) -> Vec<[u32; 4]> {
        let (bytes, format) = (self.view.to_vec::<u8>().unwrap(), self.view.format().unwrap());
        let size = format.size_bytes() as usize;
        let texels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let texel = |(x, y): (u32, u32)| {
            let mut block = [0; 16];
            let at = (y / 4 * (WIDTH / 4) + x / 4) as usize * size;
            block[..size].copy_from_slice(&bytes[at..at + size]);
            format.decode_texel(u128::from_le_bytes(block), x, y)
        };
        texels.map(texel).collect()
    }

    fn check(&self, way: &str, what: &str) {
        self.run(way);
        self.check_results(&format!("{way}, {what}"));
    }

    fn check_results(&self, what: &str) {
        let results = self.results.to_vec::<[u32; 4]>().unwrap();
        for (n, (found, expected)) in (0..).zip(results.iter().zip(self.expected())) {
            assert_eq!(*found, expected, "{what}: texel ({}, {})", n % WIDTH, n / WIDTH);
        }
    }
}

/// A shader that writes over a texture's bytes through a view.
fn store(device: &Device, declaration: &str, store: &str, view: View, engine: Engine) -> (BoundShader, Buffer) {
    let constants = device.buffer(16).unwrap();
    let mut bindings = Bindings::new();
    bindings.set("b0".parse().unwrap(), View::constant(constants.clone()).unwrap());
    bindings.set(Register::u(0), view);
    (device.bind(&compile(device, &writer(declaration, store), engine), &bindings).unwrap(), constants)
}

#[test]
fn what_is_sampled_is_what_was_written_last() {
    for (&engine, format) in
        ENGINES.iter().flat_map(|engine| [Format::BC7_UNORM, Format::BC5_SNORM].map(|f| (engine, f)))
    {
        for threads in [1, 3] {
            let device = Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap();
            let [seen, other] = [1, 2].map(|seed| texture(&device, format, seed));
            let buffer = seen.buffer().clone();
            let sampled = Sampled::of(&device, &seen, engine);
            let whole = seen.level(0, 0).unwrap();
            let codes = TextureShape::new(Dimension::Texture1d, Format::R16_UNORM, SIZE as u32 / 2);
            let codes = Texture::new(buffer.clone(), codes).unwrap();
            let numbers = TextureShape::texture_2d(Format::R32_UINT, WORDS / 4, 4);
            let numbers = View::texture(Texture::new(buffer.clone(), numbers).unwrap());
            let raw = || View::raw(buffer.clone()).unwrap();
            let words = store(&device, "dcl_uav_raw u0", "store_raw u0.x, r1.x, r0.x", raw(), engine);
            let structured = View::structured(buffer.clone(), 4).unwrap();
            let declared = "dcl_uav_structured u0, 4";
            let structures =
                store(&device, declared, "store_structured u0.x, vThreadID.x, l(0), r0.x", structured, engine);
            let declared = "dcl_uav_typed_buffer (uint,uint,uint,uint) u0";
            let typed = View::typed(buffer.clone(), Format::R32_UINT).unwrap();
            let texels = store(&device, declared, "store_uav_typed u0.xyzw, vThreadID.xxxx, r0.xxxx", typed, engine);
            let declared = "dcl_uav_typed_texture2d (uint,uint,uint,uint) u0";
            let two = "mov r1.xyzw, l(0,0,0,0)\nmov r1.x, vThreadID.x\nstore_uav_typed u0.xyzw, r1.xyyy, r0.xxxx";
            let target = store(&device, declared, two, numbers.clone(), engine);
            let atomics = store(&device, "dcl_uav_raw u0", "atomic_xor u0, r1.x, r0.x", raw(), engine);
            let run = |(bound, constants): &(BoundShader, Buffer), word: u32, way: &str| {
                constants.write(0, &[word]).unwrap();
                let dispatch = Dispatch::new([WORDS / 4, 1, 1]);
                match way {
                    "worker" => {
                        bound.worker().unwrap().begin(&dispatch).unwrap().run(0..u64::from(WORDS / 4)).unwrap();
                    }
                    "once" => drop(device.dispatch(bound.shader(), bound.bindings(), &dispatch).unwrap()),
                    _ => drop(bound.dispatch(&dispatch).unwrap()),
                }
            };
            type Write<'a> = &'a dyn Fn(&str, u32);
            let writes: [(&str, Write<'_>); 15] = [
                ("nothing", &|_, _| {}),
                ("a texture", &|_, n| seen.write(&whole, &noise(n), None).unwrap()),
                ("a box", &|_, n| {
                    let part = TexelBox { origin: [4, 8, 0], extents: [8, 36, 1], ..whole };
                    seen.write(&part, &noise(n), None).unwrap();
                }),
                ("a buffer", &|_, n| buffer.write(0, &noise(n)).unwrap()),
                ("a byte", &|_, n| buffer.write(u64::from(n % 32), &[n as u8 | 1]).unwrap()),
                ("a view", &|_, n| sampled.view.write(32, &noise(n)[..64]).unwrap()),
                ("a copied box", &|_, n| {
                    other.buffer().write(0, &noise(n)).unwrap();
                    other.copy_box(&whole, &seen, &whole).unwrap();
                }),
                ("a copied range", &|_, n| {
                    other.buffer().write(0, &noise(n)).unwrap();
                    other.buffer().copy_until(16..SIZE, &buffer, 0, &|| false).unwrap();
                }),
                ("a fill", &|_, n| buffer.fill_until(0..SIZE, &noise(n)[..24], &|| false).unwrap()),
                ("a clear", &|_, n| {
                    codes.clear(ClearValue::Color([n as f32 / 1e5, 0.0, 0.0, 0.0])).unwrap();
                }),
                ("raw words", &|way, n| run(&words, n, way)),
                ("structures", &|way, n| run(&structures, n, way)),
                ("typed texels", &|way, n| run(&texels, n, way)),
                ("a texture of the same bytes", &|way, n| run(&target, n, way)),
                ("atomics", &|way, n| run(&atomics, n, way)),
            ];
            let mut n = 10;
            for (what, write) in writes {
                for (by, way) in WAYS.iter().flat_map(|by| WAYS.map(|way| (by, way))) {
                    n += 1;
                    sampled.check(way, &format!("before {what} by {by}, {engine}"));
                    write(by, n);
                    sampled.check(way, &format!("{what} by {by}, {engine}"));
                }
            }
            let texel_bytes = Layout::of(format).size_bytes;
            assert_eq!(device.copy_bytes_used(), COPY / 4 * u64::from(texel_bytes), "only the last one is kept");
        }
    }
}

#[test]
fn views_of_other_formats_and_other_bindings_are_not_confused() {
    for &engine in ENGINES {
        let device = Device::builder().threads(1).build().unwrap();
        let mut textures = Vec::new();
        for (n, formats) in (0..).zip([
            [Format::BC7_UNORM, Format::BC7_UNORM_SRGB],
            [Format::BC5_UNORM, Format::BC5_SNORM],
            [Format::BC6H_UF16, Format::BC6H_SF16],
            [Format::BC3_UNORM, Format::BC3_UNORM_SRGB],
        ]) {
            let texture = texture(&device, formats[0], n);
            textures.extend(formats.map(|format| View::texture(texture.clone()).with_format(format).unwrap()));
        }
        let mut sampled = Sampled::new(&device, textures[0].clone(), engine);
        for round in 0..3 {
            for view in &textures {
                // One shader that is bound to all in turn, and one for each.
                sampled.bound.set(Register::t(0), view.clone()).unwrap();
                sampled.bindings.set(Register::t(0), view.clone());
                sampled.view = view.clone();
                WAYS.iter().for_each(|way| sampled.check(way, &format!("{view}, {engine}, round {round}")));
                Sampled::new(&device, view.clone(), engine).check("bound", "another");
            }
        }
        // Nothing bound, then something that has no copies, then the first again.
        let plain = View::texture(device.texture(shape(Format::R32_FLOAT)).unwrap());
        sampled.bound.set(Register::t(0), plain).unwrap();
        sampled.run("bound");
        assert_eq!(sampled.results.to_vec::<[u32; 4]>().unwrap()[5], [0, 0, 0, 1_f32.to_bits()]);
        sampled.bound.set(Register::t(0), textures[0].clone()).unwrap();
        sampled.view = textures[0].clone();
        sampled.check("bound", "again");
    }
}

#[test]
fn a_part_of_a_run_sees_what_was_written_before_it() {
    for &engine in ENGINES {
        let device = Device::builder().threads(1).build().unwrap();
        let seen = texture(&device, Format::BC7_UNORM, 1);
        let sampled = Sampled::of(&device, &seen, engine);
        let raw = View::raw(seen.buffer().clone()).unwrap();
        let (bound, constants) = store(&device, "dcl_uav_raw u0", "store_raw u0.x, r1.x, r0.x", raw, engine);
        constants.write(0, &[77_u32]).unwrap();
        let dispatch = Dispatch::new([WORDS / 4, 1, 1]);
        let mut writer = bound.worker().unwrap();
        let mut writing = writer.begin(&dispatch).unwrap();
        let all = Dispatch::new([1, GROUPS, 1]);
        let mut reader = sampled.bound.worker().unwrap();
        let mut reading = reader.begin(&all).unwrap();
        for n in 0..u64::from(WORDS / 4) {
            writing.run(n..n + 1).unwrap();
            reading.run(0..u64::from(GROUPS)).unwrap();
            sampled.check_results(&format!("{engine}, part {n}"));
            sampled.check("bound", &format!("{engine}, part {n}"));
        }
        // A run that never ends keeps nothing.
        std::mem::forget(reading);
        seen.buffer().write(0, &noise(3)).unwrap();
        WAYS.iter().for_each(|way| sampled.check(way, "after what never ended"));
    }
}

#[test]
#[allow(unsafe_code)]
fn memory_that_others_write_is_read_where_it_is() {
    for &engine in ENGINES {
        let device = Device::builder().threads(1).build().unwrap();
        let format = Format::BC7_UNORM;
        // Written through a borrowed pointer.
        let seen = texture(&device, format, 1);
        let sampled = Sampled::of(&device, &seen, engine);
        sampled.check("bound", "not lent");
        assert_eq!(device.copy_bytes_used(), COPY);
        let pointer = seen.buffer().as_ptr();
        for (n, way) in (0..).zip(WAYS) {
            sampled.check(way, "lent");
            assert_eq!(device.copy_bytes_used(), 0);
            let bytes = noise(n + 20);
            // SAFETY: the buffer lives, has as many bytes, and no shader runs.
            unsafe { pointer.copy_from(bytes.as_ptr(), bytes.len()) };
            sampled.check(way, "through a pointer");
        }
        assert_eq!(device.copy_bytes_used(), 0);
        // Memory of the caller.
        let mut words = vec![0_u128; SIZE as usize / 16];
        let base = std::ptr::NonNull::from(words.as_mut_slice()).cast::<u8>();
        // SAFETY: the words outlive what is bound, and are accessed through this pointer alone until then.
        let wrapped = unsafe { Buffer::wrap(base, SIZE as usize, Access::ReadWrite, ()) }.unwrap();
        let sampled = Sampled::of(&device, &Texture::new(wrapped, shape(format)).unwrap(), engine);
        for way in WAYS {
            sampled.check(way, "wrapped");
            // SAFETY: as above, and no shader runs.
            unsafe { base.add(16).copy_from(std::ptr::NonNull::from(&noise(33)[16..]).cast(), SIZE as usize - 16) };
            sampled.check(way, "through the owner");
        }
        drop(sampled);
        // A file, mapped twice.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), noise(5)).unwrap();
        let [read, written] = [Access::Read, Access::ReadWrite].map(|access| device.map_buffer(file.path(), access));
        let (read, written) = (read.unwrap(), written.unwrap());
        let sampled = Sampled::of(&device, &Texture::new(read, shape(format)).unwrap(), engine);
        for (n, way) in (0..).zip(WAYS) {
            sampled.check(way, "mapped");
            written.write(0, &noise(n + 40)).unwrap();
            sampled.check(way, "through a file");
        }
        assert_eq!(device.copy_bytes_used(), 0);
    }
}

#[test]
fn budgets_are_kept_and_given_back() {
    for &engine in ENGINES {
        for (most, copies) in [(0, 0), (1, 0), (COPY, 1), (7000, 2), (u64::MAX, 5)] {
            let device =
                Device::builder().threads(2).wakes_threads_from(Duration::ZERO).copy_bytes(most).build().unwrap();
            assert_eq!((device.copy_bytes(), device.copy_bytes_used()), (most, 0));
            let textures: Vec<_> = (0..5).map(|n| texture(&device, Format::BC7_UNORM, n)).collect();
            let sampled: Vec<_> = textures.iter().map(|texture| Sampled::of(&device, texture, engine)).collect();
            for round in 0..3 {
                for one in &sampled {
                    one.check("bound", &format!("{most} bytes, round {round}"));
                    assert!(device.copy_bytes_used() <= most);
                }
                assert_eq!(device.copy_bytes_used(), copies * COPY, "{most} bytes, round {round}");
            }
            drop((sampled, textures));
            assert_eq!(device.copy_bytes_used(), 0, "{most}");
        }
        assert_eq!(Device::builder().threads(1).build().unwrap().copy_bytes(), Device::COPY_BYTES);
    }
}

#[test]
fn devices_keep_budgets_of_their_own() {
    for &engine in ENGINES {
        let [one, other] = [1 << 20, 100].map(|most| Device::builder().threads(1).copy_bytes(most).build().unwrap());
        let seen = texture(&one, Format::BC7_UNORM, 1);
        let by = [&one, &other].map(|device| Sampled::of(device, &seen, engine));
        for n in 0..3 {
            by.iter().for_each(|sampled| sampled.check("bound", "by a device"));
            seen.buffer().write(0, &noise(n)).unwrap();
        }
        assert_eq!([&one, &other].map(Device::copy_bytes_used), [COPY, 0]);
        drop(other);
        by.iter().for_each(|sampled| sampled.check("bound", "by the device that is left"));
    }
}

/// Each thread has a texture that it writes and samples; all of them are sampled by all, within little room.
#[test]
fn threads_sample_what_they_wrote_while_others_write_and_evict() {
    const THREADS: usize = 4;
    for &engine in ENGINES {
        for most in [5000, u64::MAX] {
            let device =
                Device::builder().threads(2).wakes_threads_from(Duration::ZERO).copy_bytes(most).build().unwrap();
            let textures: Vec<_> = (0..4).map(|n| texture(&device, Format::BC7_UNORM, n)).collect();
            let start = Barrier::new(THREADS);
            std::thread::scope(|scope| {
                for (n, own) in textures.iter().enumerate() {
                    let (device, textures, start) = (&device, &textures, &start);
                    scope.spawn(move || {
                        let mine = Sampled::of(device, own, engine);
                        let others: Vec<_> = textures.iter().map(|other| Sampled::of(device, other, engine)).collect();
                        start.wait();
                        for round in 0..20 {
                            own.buffer().write(0, &noise((round * THREADS + n) as u32)).unwrap();
                            mine.check(WAYS[round % 3], "own");
                            // Perhaps while it is written: any content will do, as long as it ends.
                            others[(n + round) % THREADS].run("bound");
                            mine.check(WAYS[(round + 1) % 3], "own, again");
                        }
                    });
                }
            });
            assert!(device.copy_bytes_used() <= most);
            drop(textures);
            assert_eq!(device.copy_bytes_used(), 0);
        }
    }
}
