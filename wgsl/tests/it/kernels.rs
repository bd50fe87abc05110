//! Shaders of the suite (`bench/suite/src/shaders`) in WGSL beside the same in bytecode: all words of their results are
//! equal, and they take the same time.
//!
//! ```text
//! cargo test --release -p brolga-wgsl --test it kernels::times -- --ignored --nocapture
//! ```

use std::time::{Duration, Instant};

use brolga_runtime::{
    AddressMode, Bindings, BoundShader, CompileOptions, Device, Dispatch, Engine, Format, Limits, Module, Register,
    Sampler, TextureShape, View,
};
use brolga_wgsl::{Options, Shader};

use crate::run::{Memory, device};

/// What is bound, in the order of the registers of a class.
enum Data {
    /// Words, and the bytes of an element in bytecode.
    Words(Vec<u32>, u32),
    Texture(Format, Vec<u32>),
}

struct Kernel {
    name: &'static str,
    text: &'static str,
    container: &'static [u8],
    constants: Vec<u32>,
    inputs: Vec<Data>,
    output: Data,
    groups: [u32; 3],
}

macro_rules! kernel {
    ($name:literal, $constants:expr, $inputs:expr, $output:expr, $groups:expr) => {
        Kernel {
            name: $name,
            text: include_str!(concat!("../../../bench/suite/src/shaders/", $name, ".wgsl")),
            container: include_bytes!(concat!("../../../bench/suite/src/shaders/", $name, ".cso")),
            constants: $constants.to_vec(),
            inputs: $inputs.into_iter().collect(),
            output: $output,
            groups: $groups,
        }
    };
}

/// The generator of the suite's inputs.
struct Numbers(u32);

impl Numbers {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x7feb_352d);
        x ^ (x >> 15)
    }

    fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / 16_777_216.0
    }

    fn words(&mut self, count: u32) -> Data {
        Data::Words((0..count).map(|_| self.word()).collect(), 4)
    }

    fn floats(&mut self, count: u32, stride: u32, of: impl Fn(f32) -> f32) -> Data {
        Data::Words((0..count).map(|_| of(self.unit()).to_bits()).collect(), stride)
    }
}

fn zeros(count: u32, stride: u32) -> Data {
    Data::Words(vec![0; count as usize], stride)
}

/// The kernels with the suite's sizes, or with a part of the groups.
fn kernels(part: u32) -> Vec<Kernel> {
    let numbers = &mut Numbers(12_345);
    let line = |groups: u32| [groups / part, 1, 1];
    let square = |groups: u32| [groups, groups / part, 1];
    let table = |numbers: &mut Numbers| {
        let pairs = (0..1 << 17).flat_map(|_| [numbers.unit().to_bits(), numbers.word() & 0x1_ffff]);
        Data::Words(pairs.collect(), 8)
    };
    let starts = |numbers: &mut Numbers| Data::Words((0..1 << 20).map(|_| numbers.word() & 0x1_ffff).collect(), 4);
    let (half, corner, step) = (0.5f32.to_bits(), [-2.0f32, -1.25].map(f32::to_bits), (2.5f32 / 1024.0).to_bits());
    let texels = |numbers: &mut Numbers| {
        Data::Texture(
            Format::R8G8B8A8_UNORM,
            match numbers.words(1 << 20) {
                Data::Words(words, _) | Data::Texture(_, words) => words,
            },
        )
    };
    let colours = |numbers: &mut Numbers| {
        Data::Texture(Format::R32G32B32A32_FLOAT, (0..4 << 20).map(|_| numbers.unit().to_bits()).collect())
    };
    vec![
        kernel!(
            "saxpy",
            [half, 8 << 20, 0, 0],
            [numbers.floats(8 << 20, 4, |x| x)],
            numbers.floats(8 << 20, 4, |x| x),
            line(32768)
        ),
        kernel!("mandel", [corner[0], corner[1], step, 256], [], zeros(1 << 20, 4), square(128)),
        kernel!(
            "nbody",
            [4096, 0.01f32.to_bits(), 0, 0],
            [numbers.floats(4 * 4096, 16, |x| x)],
            zeros(4 * 4096, 16),
            line(16)
        ),
        kernel!(
            "matmul",
            [512, 0, 0, 0],
            [numbers.floats(1 << 18, 4, |x| x - 0.5), numbers.floats(1 << 18, 4, |x| x)],
            zeros(1 << 18, 4),
            square(32)
        ),
        kernel!("reduce", [], [numbers.words(4 << 20)], zeros(4, 4), line(16384)),
        kernel!("hist", [], [numbers.words(1 << 20)], zeros(256, 4), line(256)),
        kernel!("gather", [], [starts(numbers), table(numbers)], zeros(1 << 20, 4), line(4096)),
        kernel!("transc", [], [numbers.floats(1 << 18, 4, |x| x * 4.0 + 0.1)], zeros(1 << 18, 4), line(1024)),
        kernel!("tex", [], [texels(numbers)], Data::Texture(Format::R8G8B8A8_UNORM, vec![0; 1 << 20]), square(128)),
        kernel!("tiny", [], [], zeros(64, 4), [1, 1, 1]),
        kernel!("bitonic", [], [numbers.words(1 << 19)], zeros(1 << 19, 4), line(1024)),
        kernel!("scan", [], [numbers.words(1 << 20)], zeros(1 << 20, 4), line(4096)),
        kernel!(
            "conv3",
            [],
            [colours(numbers)],
            Data::Texture(Format::R32G32B32A32_FLOAT, vec![0; 4 << 20]),
            square(128)
        ),
        kernel!("xxh", [], [numbers.words(1 << 20)], zeros(1 << 20, 4), line(4096)),
        kernel!("pcg", [], [numbers.words(1 << 20)], zeros(1 << 20, 4), line(4096)),
    ]
}

impl Data {
    /// A view, as bytecode declares it or as WGSL does.
    fn view(&self, device: &Device, is_wgsl: bool) -> (View, Memory) {
        match self {
            Data::Words(words, stride) => {
                let buffer = device.buffer_from(words).unwrap();
                let view = match is_wgsl {
                    true => View::raw(buffer.clone()),
                    false => View::structured(buffer.clone(), *stride),
                };
                (view.unwrap(), Memory::Buffer(buffer))
            }
            Data::Texture(format, words) => {
                let side = (4 * words.len() as u32 / format.size_bytes()).isqrt();
                let texture = device.texture_from(TextureShape::texture_2d(*format, side, side), words).unwrap();
                (View::texture(texture.clone()), Memory::Texture(texture))
            }
        }
    }
}

impl Kernel {
    fn module(&self, is_wgsl: bool) -> Module {
        match is_wgsl {
            true => Shader::module(self.text, &Options::default()),
            false => Module::load(self.container, &Limits::default()),
        }
        .unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Ready to run. In WGSL a group is a class of registers: 0 for `u`, 1 for `t`, 2 for `b`, 3 for `s`.
    fn bind(&self, device: &Device, is_wgsl: bool, engine: Engine) -> (BoundShader, Memory) {
        let shader = device.compile_module(&self.module(is_wgsl), &CompileOptions::new(engine)).unwrap();
        let register = |register: Register, group: u32| if is_wgsl { register.in_space(group) } else { register };
        let mut bindings = Bindings::new();
        if !self.constants.is_empty() {
            let buffer = device.buffer_from(&self.constants).unwrap();
            bindings.set(register(Register::b(0), 2), View::constant(buffer).unwrap());
        }
        for (data, number) in self.inputs.iter().zip(0..) {
            bindings.set(register(Register::t(number), 1), data.view(device, is_wgsl).0);
        }
        if self.name == "tex" {
            let sampler = Sampler { address: [AddressMode::Wrap; 3], ..Sampler::default() };
            bindings.set(register(Register::s(0), 3), View::sampler(sampler).unwrap());
        }
        let (view, output) = self.output.view(device, is_wgsl);
        bindings.set(Register::u(0), view);
        (device.bind(&shader, &bindings).unwrap(), output)
    }

    fn results(&self, is_wgsl: bool, engine: Engine) -> Vec<u32> {
        let (bound, output) = self.bind(&device(), is_wgsl, engine);
        bound.dispatch(&Dispatch::new(self.groups)).unwrap();
        output.words()
    }
}

#[test]
fn kernels_give_the_words_of_their_bytecode() {
    for kernel in kernels(16) {
        let expected = kernel.results(false, Engine::Jit);
        let found = kernel.results(true, Engine::Jit);
        let different = expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        assert_eq!(different, 0, "{}: of {} words", kernel.name, expected.len());
    }
}

#[test]
#[ignore = "measures; of a release build"]
fn times() {
    let device = device();
    let only = std::env::var("BROLGA_KERNEL").unwrap_or_default();
    for kernel in kernels(1).iter().filter(|kernel| kernel.name.contains(&only)) {
        let forms = [false, true].map(|is_wgsl| kernel.bind(&device, is_wgsl, Engine::Jit).0);
        let mut least = [Duration::MAX; 2];
        let begun = Instant::now();
        let mut rounds = 0;
        let what = Dispatch::new(kernel.groups);
        let repeats = if kernel.name == "tiny" { 1000 } else { 1 };
        while rounds < 7 || begun.elapsed() < Duration::from_secs(2) {
            for (form, least) in forms.iter().zip(&mut least) {
                let start = Instant::now();
                for _ in 0..repeats {
                    form.dispatch(&what).unwrap();
                }
                *least = start.elapsed().min(*least);
            }
            rounds += 1;
        }
        let [bytecode, wgsl] = least.map(|time| time.as_secs_f64() * 1e3);
        println!(
            "{:8} bytecode {bytecode:9.3} ms, WGSL {wgsl:9.3} ms: {:.3} ({rounds} rounds)",
            kernel.name,
            wgsl / bytecode
        );
    }
}
