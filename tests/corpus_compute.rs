//! Every compute shader of the corpus, on random memory: both engines leave the same bits.
//!
//! One thread runs the groups in order and both engines use packets of the same width, so that even shaders whose
//! result depends on the order of threads must agree. Shaders that sample textures or call interfaces are told apart by
//! what the real compiler's listing says, and must be refused with the instruction's name.

#[path = "support/programs.rs"]
#[allow(dead_code, reason = "only its random numbers are wanted")]
mod programs;

use std::path::{Path, PathBuf};

use brolga::{
    Bindings, CompileOptions, Component, Counter, Declared, Device, Dimension, Dispatch, Engine, Error, Format,
    ResourceKind, Shader, Texture, TextureShape, View,
};
use programs::Random;

const GROUPS: [u32; 3] = [3, 2, 1];
/// Registers bound of a range without an end.
const UNBOUNDED: u32 = 5;

/// Instructions that later versions will run.
const LATER: [&str; 5] = ["sample", "gather4", "lod", "fcall", "dcl_interface"];

#[test]
fn both_engines_leave_the_same_bits() {
    let device = Device::builder().threads(1).build().expect("a small pool");
    let shaders = compute_shaders();
    assert!(shaders.len() > 200, "the corpus has that many compute shaders, found {}", shaders.len());
    let (mut ran, mut refused) = (0, 0);
    for path in shaders {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let container = std::fs::read(&path).expect("listed a moment ago");
        let listing = std::fs::read_to_string(path.with_extension("asm")).expect("a listing stands beside each");
        let later = listing.lines().find_map(later_instruction);
        let compile = |engine| device.compile(&container, &CompileOptions::new(engine));
        match (compile(Engine::Interpreter), compile(Engine::Jit), later) {
            (Ok(interpreter), Ok(jit), None) => {
                for seed in 0..3 {
                    let expected = run(&device, &interpreter, seed, &name);
                    let got = run(&device, &jit, seed, &name);
                    compare(&interpreter, &expected, &got, &format!("{name}, seed {seed}"));
                }
                ran += 1;
            }
            (Err(a), Err(b), Some(later)) => {
                for error in [a, b] {
                    let text = chain(&error);
                    assert!(text.contains("not supported yet"), "{name}: {text}");
                    assert!(text.contains(later), "{name} has {later}: {text}");
                }
                refused += 1;
            }
            (interpreter, jit, later) => {
                let text = |result: Result<Shader, Error>| result.map_or_else(|error| chain(&error), |_| "fine".into());
                panic!("{path:?}: interpreter: {}; jit: {}; needs later: {later:?}", text(interpreter), text(jit));
            }
        }
    }
    println!("{ran} shaders ran, {refused} need what is not there yet");
    assert!(ran > 180, "only {ran} ran");
}

/// The containers of compute shaders: those of the repository, and `dxilconv` where the whole corpus is at hand.
fn compute_shaders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = root.join("tests/data");
    let mut folders = vec![data.join("compute"), data.join("patched"), root.join("../shared/corpus/dxilconv")];
    let cases = std::fs::read_dir(data.join("exec")).expect("the corpus is part of the repository");
    folders.extend(cases.map(|entry| entry.expect("a readable folder").path()).filter(|path| path.is_dir()));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let files = entries.map(|entry| entry.expect("a readable folder").path());
    let is_compute = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "cso")
            && std::fs::read_to_string(path.with_extension("asm"))
                .is_ok_and(|listing| listing.lines().any(|line| line.starts_with("cs_")))
    };
    let mut shaders: Vec<PathBuf> = files.filter(is_compute).collect();
    shaders.sort();
    shaders
}

fn later_instruction(line: &str) -> Option<&'static str> {
    let word = line.split_whitespace().next()?;
    LATER
        .into_iter()
        .find(|later| word.starts_with(later) && !word.starts_with("sampleinfo") && !word.starts_with("samplepos"))
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

/// Words and counters of everything that was bound, after the run.
fn run(device: &Device, shader: &Shader, seed: u64, name: &str) -> Vec<(String, Vec<u8>, Option<u32>)> {
    let mut random = Random(seed);
    let mut bindings = Bindings::new();
    for declared in shader.bindings() {
        for n in 0..declared.count.unwrap_or(UNBOUNDED) {
            let mut register = declared.register;
            register.index += n;
            bindings.set(register, view(device, declared, &mut random));
        }
    }
    // Loops of random length end in this many rounds, on both engines in the same one.
    let dispatch = Dispatch::new(GROUPS).fuel(200_000);
    if let Err(error) = device.dispatch(shader, &bindings, &dispatch) {
        panic!("{name}, seed {seed}: {}: {}", shader.engine(), chain(&error));
    }
    let counter = |view: &View| view.counter().map(Counter::get);
    bindings.iter().map(|(register, view)| (register.to_string(), view.to_vec(), counter(view))).collect()
}

fn compare(
    shader: &Shader,
    expected: &[(String, Vec<u8>, Option<u32>)],
    got: &[(String, Vec<u8>, Option<u32>)],
    what: &str,
) {
    for ((register, a, count_a), (_, b, count_b)) in expected.iter().zip(got) {
        let difference = a.iter().zip(b).position(|(a, b)| a != b);
        if let Some(at) = difference {
            let word = |bytes: &[u8]| bytes[at & !3..].iter().take(4).rev().fold(0u32, |w, &b| w << 8 | u32::from(b));
            panic!(
                "{what}: {register} differs at byte {at}: {:#010x} on the interpreter, {:#010x} on the jit ({:?})",
                word(a),
                word(b),
                shader.group_size()
            );
        }
        assert_eq!(count_a, count_b, "{what}: counter of {register}");
    }
}

fn view(device: &Device, declared: &Declared, random: &mut Random) -> View {
    // Small numbers in every other buffer: indices that hit, loops that end.
    let small = random.one_in(2);
    let mut bytes = |count: usize| -> Vec<u8> {
        let mut word = || if small { random.next() as u32 & 0x1f } else { random.word() };
        (0..count.div_ceil(4)).flat_map(|_| word().to_le_bytes()).take(count).collect()
    };
    let made = match declared.kind {
        ResourceKind::Constant { vectors } => {
            let bytes = bytes(16 * vectors.max(1) as usize);
            device.buffer_from_bytes(&bytes).map(View::constant).expect("a small buffer")
        }
        ResourceKind::Raw => device.buffer_from_bytes(&bytes(1024)).map(View::raw).expect("a small buffer"),
        ResourceKind::Structured { stride_bytes } => {
            let bytes = bytes(100 * stride_bytes as usize);
            let buffer = device.buffer_from_bytes(&bytes).expect("a small buffer");
            let view = View::structured(buffer, stride_bytes);
            if declared.uses_counter { view.and_then(|view| view.with_counter(Counter::new(50))) } else { view }
        }
        ResourceKind::Typed { dimension, component } => {
            let format = format(component, declared);
            if dimension == Dimension::Buffer {
                device.buffer_from_bytes(&bytes(1600)).map(|buffer| View::typed(buffer, format)).expect("small")
            } else {
                Ok(View::texture(texture(device, dimension, format, &mut bytes)))
            }
        }
    };
    made.expect("a view of the declared kind")
}

fn texture(device: &Device, dimension: Dimension, format: Format, bytes: &mut dyn FnMut(usize) -> Vec<u8>) -> Texture {
    let mut shape = TextureShape::new(dimension, format, 13);
    if !matches!(dimension, Dimension::Texture1d | Dimension::Texture1dArray) {
        shape = shape.height(if matches!(dimension, Dimension::TextureCube | Dimension::TextureCubeArray) {
            13
        } else {
            7
        });
    }
    shape = match dimension {
        Dimension::Texture3d => shape.depth(5),
        Dimension::Texture1dArray | Dimension::Texture2dArray | Dimension::Texture2dMsArray => shape.layers(3),
        Dimension::TextureCubeArray => shape.layers(12),
        _ => shape,
    };
    let size = shape.size_bytes().expect("a small texture");
    device.texture_from_bytes(shape, &bytes(size as usize)).expect("a small texture")
}

fn format(component: Component, declared: &Declared) -> Format {
    match component {
        Component::Uint if declared.uses_texel_atomics => Format::R32_UINT,
        Component::Sint if declared.uses_texel_atomics => Format::R32_SINT,
        Component::Uint => Format::R32G32B32A32_UINT,
        Component::Sint => Format::R32G32B32A32_SINT,
        Component::Unorm => Format::R8G8B8A8_UNORM,
        Component::Snorm => Format::R8G8B8A8_SNORM,
        Component::Float | Component::Mixed | Component::Double => Format::R32G32B32A32_FLOAT,
    }
}
