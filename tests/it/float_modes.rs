//! Tests hosts that run in float modes of their own: other rounding, denormals as zeros, exceptions that trap. None of
//! that affects Brolga's results, and none of it is changed. Each entry is compared with itself in the default mode.
//!
//! On other processors than x86-64 nothing is promised.

#![cfg(target_arch = "x86_64")]

use std::path::Path;
use std::time::Duration;

use brolga::bytecode::{assembler, listing};
use brolga::document::RunOptions;
use brolga::files::{load_texture, save_texture};
use brolga::{
    Bindings, Cache, CancelToken, ClearValue, CompileOptions, Device, Dispatch, Engine, Format, Texture, TextureShape,
    View,
};
use brolga_testing::modes::{DEFAULT, MODES, in_mode};

use super::documents::{load, parse};

/// Compares the result of an entry in each mode with that in the default one.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(entry: impl Fn() -> T) {
    let expected = in_mode(DEFAULT, &entry);
    for host in MODES {
        assert_eq!(in_mode(host, &entry), expected, "in mode {host:04x}");
    }
}

/// Constants for every operation that is folded, and the same of numbers that are read.
const FOLDED: &str = "
    cs_5_0
    dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps
    dcl_uav_raw u0
    dcl_temps 3
    dcl_thread_group 1, 1, 1
    mul r0.x, l(0.1), l(0.3)
    div r0.y, l(1.0), l(3.0)
    exp r0.z, l(0.7)
    log r0.w, l(0.7)
    store_raw u0.xyzw, l(16), r0.xyzw
    ld_raw r1.xy, l(0), u0.xyxx
    mul r0.x, r1.x, r1.y
    div r0.y, r1.x, r1.y
    sqrt r0.z, r1.x
    sincos r0.w, null, r1.x
    store_raw u0.xyzw, l(32), r0.xyzw
    ftod r0.xy, l(0.1)
    ftod r0.zw, l(3.0)
    ddiv r2.xy, r0.xyxy, r0.zwzw
    dmul r2.zw, r0.xyxy, r0.xyxy
    store_raw u0.xyzw, l(48), r2.xyzw
    div r0.x, l(0.0), l(0.0)
    mul r0.y, l(1.2e-38), l(0.5)
    mul r0.z, l(3e38), l(3e38)
    sqrt r0.w, l(-1.0)
    store_raw u0.xyzw, l(64), r0.xyzw
    ret";

fn folded() -> Vec<u8> {
    assembler::assemble(FOLDED, &Default::default()).expect("the shader is right").bytes
}

/// Its output, compiled and run by a device.
fn written(device: &Device, engine: Engine, is_apart: bool) -> Vec<u32> {
    let options = CompileOptions::new(engine);
    let shader = match is_apart {
        false => device.compile(&folded(), &options),
        true => device.compile_until(&folded(), &options, &CancelToken::new(), None),
    };
    let numbers = device.buffer_from(&[0.1_f32.to_bits(), 0.7_f32.to_bits()].repeat(10)).expect("little memory");
    let mut bindings = Bindings::new();
    bindings.set("u0".parse().expect("a register"), View::raw(numbers.clone()).expect("whole words"));
    device.dispatch(&shader.expect("it compiles"), &bindings, &Dispatch::new([1; 3])).expect("it runs");
    numbers.to_vec().expect("whole words")
}

#[test]
fn shaders_are_compiled_and_run() {
    for engine in [Engine::Jit, Engine::Interpreter] {
        for is_apart in [false, true] {
            check(|| {
                written(
                    &Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().expect("threads"),
                    engine,
                    is_apart,
                )
            });
        }
    }
}

#[test]
fn a_cache_has_the_same_code_whoever_wrote_it() {
    let device = |folder: &Path| {
        let cache = Cache::open(folder).expect("a private folder");
        Device::builder().threads(1).cache(cache).build().expect("no threads")
    };
    let expected = written(&Device::builder().threads(1).build().expect("no threads"), Engine::Jit, false);
    for host in MODES {
        let folder = tempfile::tempdir().expect("a folder");
        in_mode(host, || written(&device(folder.path()), Engine::Jit, false));
        let reader = device(folder.path());
        assert_eq!(written(&reader, Engine::Jit, false), expected, "written in mode {host:04x}");
        assert_eq!(reader.cache().expect("it has one").counters().hits, 1);
    }
}

#[test]
fn texts_are_read_and_written() {
    check(|| {
        let bytes = folded();
        let text = listing::listing(&bytes, &Default::default()).expect("a shader");
        (text, listing::exact(&bytes, &Default::default()).expect("a shader"), bytes)
    });
}

#[test]
fn documents_are_read_run_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("folded.cso"), folded()).expect("a file");
    let text = "shader = \"folded.cso\"\ndispatch = [1, 1, 1]\n[u0]\nf32 = [0.1, 0.7, 1e-39, 16777217.0, 0.30000001192092896, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nexpect = { f32 = [0.1, 0.7], tolerance = { abs = 1e-7 } }\n";
    let device = Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().expect("threads");
    check(|| {
        let prepared = parse(&folder.path().join("document.toml"), text).expect("it is right, and its file is there");
        let outcome = prepared.run(&device, 0, &RunOptions::new(Engine::Jit)).expect("it runs");
        format!("{:?}", outcome.checks)
    });
}

#[test]
fn scenes_are_drawn() {
    for name in ["triangle", "cube_textured", "shadow_map", "strips_restart", "nine_cube", "nine_fixed"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenes").join(name).join("scene.json");
        let scene = load(&path).expect("a good scene");
        let run = |threads| {
            let device =
                Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().expect("threads");
            scene.run(&device, 0, &RunOptions::new(Engine::Jit)).expect("it is drawn")
        };
        let first = run(1);
        for host in MODES {
            for threads in [1, 8] {
                let loaded = in_mode(host, || load(&path).map(drop));
                loaded.expect("a good scene");
                let outcome = in_mode(host, || run(threads));
                assert!(outcome.passed(), "{name} in mode {host:04x}");
                assert_eq!(outcome.disagreement(&first), None, "{name} in mode {host:04x}");
            }
        }
    }
}

fn texture(device: &Device, format: Format) -> Texture {
    let shape = TextureShape::texture_2d(format, 5, 7).mips(3);
    let texture = device.texture(shape).expect("little memory");
    let count = texture.buffer().size_bytes() / 4;
    let words: Vec<u32> = (0..count as u32).map(|n| n.wrapping_mul(0x9e37_79b9) & 0x3fff_3fff).collect();
    texture.buffer().write(0, &words).expect("as large as the texture");
    texture
}

#[test]
fn textures_are_cleared_reduced_and_stored() {
    let device = Device::builder().threads(1).build().expect("no threads");
    let folder = tempfile::tempdir().expect("a folder");
    for format in [Format::R8G8B8A8_UNORM_SRGB, Format::R16G16B16A16_FLOAT, Format::R32G32B32A32_FLOAT] {
        check(|| {
            let texture = texture(&device, format);
            texture.generate_mips().expect("a format with means");
            let means = texture.buffer().to_vec::<u8>().expect("bytes");
            texture.clear(ClearValue::Color([0.1, 0.3, 1e-39, 0.7])).expect("a format with colours");
            (means, texture.buffer().to_vec::<u8>().expect("bytes"))
        });
    }
    for (name, format) in [("a.png", Format::R8G8B8A8_UNORM), ("a.exr", Format::R16G16B16A16_FLOAT)] {
        let path = folder.path().join(name);
        let shape = TextureShape::texture_2d(format, 8, 8);
        let bytes: Vec<u8> = (0..shape.size_bytes().expect("a shape")).map(|n| (n * 7 % 60) as u8).collect();
        let texture = device.texture_from(shape, &bytes).expect("as large");
        check(|| {
            save_texture(&texture, &path).expect("a file");
            let read = load_texture(&device, &path, Some(Format::R32G32B32A32_FLOAT)).expect("the file");
            read.buffer().to_vec::<u32>().expect("words")
        });
    }
}
