//! Builds the examples with C and C++ compilers against an installed library, and runs them: their pictures have the
//! same bits as those made through Rust.
//!
//! Needs cc, c++, cmake and pkg-config, which `bindings/c/tools` installs: `cargo test -p brolga-c --test programs --
//! --ignored`.

use std::path::{Path, PathBuf};
use std::process::Command;

use brolga::raster::{
    ALPHA_BLEND, DepthState, DepthView, Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, TargetState,
    Targets, VertexBuffer, Viewport,
};
use brolga::{
    Bindings, Comparison, CompileOptions, Device, Dispatch, Engine, Format, Limits, Module, Texture, TextureShape, View,
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A shader of the examples.
fn module(name: &str) -> Module {
    let bytes = std::fs::read(shaders().join(name)).expect("a shader");
    Module::load(&bytes, &Limits::default()).expect("a shader that is right")
}

/// The folder of shaders.
fn shaders() -> PathBuf {
    root().join("../../examples")
}

/// Runs a command, and returns what it prints.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out
}

/// The library that the test was built with, installed, and the flags of pkg-config for it.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let built = std::env::current_exe().expect("the test's own path");
        run(Command::new(root().join("install.sh")).arg(folder.path()).arg(built.parent().expect("its folder")));
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("PKG_CONFIG_PATH", self.path().join("lib/pkgconfig"))
            .env("LD_LIBRARY_PATH", self.path().join("lib"));
        command
    }

    fn flags(&self, arguments: &[&str]) -> Vec<String> {
        let flags = run(self.command("pkg-config").args(arguments).arg("brolga_c"));
        flags.split_whitespace().map(str::to_owned).collect()
    }

    /// Builds an example, and returns the program.
    fn build(&self, compiler: &[&str], source: &str, flags: &[String]) -> PathBuf {
        let program = self.path().join(source.replace('.', "_"));
        let mut command = self.command(compiler[0]);
        command.args(&compiler[1..]).args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
        command.arg(root().join("examples").join(source)).args(flags).arg("-o").arg(&program);
        run(&mut command);
        program
    }

    /// Returns the output of a program with each engine, which must be the same.
    fn printed(&self, program: &Path) -> String {
        let run = |engine| run(self.command(&program.to_string_lossy()).arg(shaders()).arg(engine));
        let printed = run("jit");
        assert_eq!(run("interpreter"), printed, "{}", program.display());
        printed
    }
}

const C: &[&str] = &["cc", "-std=c11"];
const CPP: &[&str] = &["c++", "-std=c++17"];

/// The checksum FNV-1a of a texture's bytes.
fn checksum(texture: &Texture) -> String {
    let bytes: Vec<u8> = texture.buffer().to_vec().expect("its bytes");
    let sum = bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{sum:016x}")
}

/// The output of the scenes, computed by the interpreter through Rust's interface.
fn expected() -> String {
    let read = |name: &str| std::fs::read(shaders().join(name)).expect("a shader");
    let device = Device::builder().build().expect("a device");
    let options = CompileOptions::new(Engine::Interpreter);
    let shape = |format, width, height| TextureShape::texture_2d(format, width, height);

    let shader = device.compile(&read("mandelbrot.cso"), &options).expect("a shader");
    let seen = [(-0.65_f32).to_bits(), 0, 3.0_f32.to_bits(), 512];
    let picture = device.texture(shape(Format::R8G8B8A8_UNORM, 256, 256)).expect("a texture");
    let mut bindings = Bindings::new();
    let constants = View::constant(device.buffer_from(&seen).expect("a buffer")).expect("a view");
    bindings.set("b0".parse().expect("a register"), constants);
    bindings.set("u0".parse().expect("a register"), View::texture(picture.clone()));
    let report = device.dispatch(&shader, &bindings, &Dispatch::new([32, 32, 1])).expect("a dispatch");

    let [vertex, pixel] = ["triangle_vs.cso", "triangle_ps.cso"].map(module);
    let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .target(TargetState::blended(Format::R8G8B8A8_UNORM, ALPHA_BLEND))
        .depth_format(Format::D32_FLOAT);
    desc.depth = DepthState { function: Comparison::LessEqual, ..DepthState::default() };
    desc.options = options.into();
    let pipeline = Pipeline::new(&device, &desc).expect("a pipeline");
    let target = device.texture(shape(Format::R8G8B8A8_UNORM, 640, 480)).expect("a texture");
    let depth = device.texture(shape(Format::D32_FLOAT, 640, 480)).expect("a texture");
    let targets = Targets { colors: vec![View::texture(target.clone())], depth: Some(DepthView::from(depth.clone())) };
    let mut pass = Pass::new(&device, targets).expect("a pass");
    pass.clear_color(0, [0.1, 0.1, 0.15, 1.0]).expect("a clear");
    pass.clear_depth(1.0).expect("a clear");
    let vertices: [[f32; 6]; 3] =
        [[0.0, 0.85, 1.0, 0.1, 0.1, 1.0], [0.9, -0.75, 0.1, 1.0, 0.1, 0.5], [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0]];
    let buffer = device.buffer_from(&vertices).expect("a buffer");
    let indices = device.buffer_from(&[0_u16, 1, 2]).expect("a buffer");
    for (width, height, min_depth, max_depth) in [(640.0, 480.0, 0.5, 1.0), (320.0, 240.0, 0.0, 0.5)] {
        let mut draw = Draw::new(&pipeline, 3);
        draw.vertex_buffers.push(VertexBuffer { buffer: buffer.clone(), offset_bytes: 0, stride_bytes: 24 });
        draw.index_buffer = Some(IndexBuffer { buffer: indices.clone(), offset_bytes: 0, is_short: true });
        draw.viewport = Some(Viewport { left: 0.0, top: 0.0, width, height, min_depth, max_depth });
        pass.draw(&draw).expect("a draw");
    }
    let drawn = pass.finish().expect("draws");
    format!(
        "mandelbrot {} of {} threads\ndraw 0: {} pixels\ndraw 1: {} pixels\ntriangles {}, depths {}\n",
        checksum(&picture),
        report.threads,
        drawn[0].samples,
        drawn[1].samples,
        checksum(&target),
        checksum(&depth)
    )
}

#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn examples_of_c_and_cpp_give_the_bits_of_rust() {
    let (installed, expected) = (Installed::new(), expected());
    let flags = installed.flags(&["--cflags", "--libs"]);
    for (compiler, source) in [(C, "scene.c"), (CPP, "scene.cpp")] {
        assert_eq!(installed.printed(&installed.build(compiler, source, &flags)), expected, "{source}");
    }
}

#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn a_static_library_links() {
    let installed = Installed::new();
    let flags = installed.flags(&["--cflags", "--libs", "--static"]);
    std::fs::remove_file(installed.path().join("lib/libbrolga_c.so")).expect("the shared library");
    assert_eq!(installed.printed(&installed.build(C, "scene.c", &flags)), expected());
}

/// The pixels whose centre is in a triangle, drawn by Brolga's own rasterizer.
fn drawn_by_brolga() -> Vec<[u8; 4]> {
    let device = Device::builder().build().expect("a device");
    let [vertex, pixel] = ["triangle_vs.cso", "triangle_ps.cso"].map(module);
    let desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .target(TargetState::new(Format::R8G8B8A8_UNORM));
    let pipeline = Pipeline::new(&device, &desc).expect("a pipeline");
    let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 256, 256)).expect("a texture");
    let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
    let vertices: [[f32; 6]; 6] = [
        [0.0, 0.85, 1.0, 0.1, 0.1, 1.0],
        [0.9, -0.75, 0.1, 1.0, 0.1, 1.0],
        [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0],
        [-0.9, 0.9, 1.0, 1.0, 0.2, 1.0],
        [-0.3, 0.9, 0.2, 1.0, 1.0, 1.0],
        [-0.9, 0.3, 1.0, 0.2, 1.0, 1.0],
    ];
    let mut pass = Pass::new(&device, targets).expect("a pass");
    let buffer = device.buffer_from(&vertices).expect("a buffer");
    pass.draw(&Draw::new(&pipeline, 6).vertex_buffer(buffer, 24)).expect("a draw");
    pass.finish().expect("draws");
    target.buffer().to_vec().expect("its texels")
}

#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn a_rasterizer_in_cpp_covers_what_brolga_covers() {
    let installed = Installed::new();
    let program = installed.build(CPP, "rasterizer.cpp", &installed.flags(&["--cflags", "--libs"]));
    let printed = installed.printed(&program);
    let count: usize = printed.split(' ').next().and_then(|count| count.parse().ok()).expect("a number of pixels");
    let expected = drawn_by_brolga().into_iter().filter(|texel| texel[3] == 255).count();
    // It does not snap vertices to 256ths of a pixel, as Direct3D does: pixels at the edges may differ.
    assert!(count.abs_diff(expected) <= expected / 500, "{count} pixels, {expected} by Brolga");
}

#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn messages_and_findings_are_told_in_cpp() {
    let installed = Installed::new();
    let program = installed.build(CPP, "checks.cpp", &installed.flags(&["--cflags", "--libs"]));
    let printed = installed.printed(&program);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "thread (0, 0, 0) of group (0, 0, 0): 0 is beside 1");
    assert!(lines[4].starts_with("race on g0: byte "), "{printed}");
    assert_eq!(lines.last(), Some(&"0 messages lost, 1 groups checked"));
}

#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn cmake_finds_the_library() {
    let installed = Installed::new();
    // By its own file, and through pkg-config.
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", installed.path().display());
    for (folder, more) in [("own", &[&*prefix][..]), ("pkg-config", &[])] {
        let build = installed.path().join(folder);
        run(installed.command("cmake").arg("-S").arg(root().join("examples")).arg("-B").arg(&build).args(more));
        run(installed.command("cmake").arg("--build").arg(&build));
        assert_eq!(installed.printed(&build.join("scene_c")), expected());
        assert_eq!(installed.printed(&build.join("scene_cpp")), expected());
        installed.printed(&build.join("rasterizer_cpp"));
        installed.printed(&build.join("checks_cpp"));
    }
    let build = |version: &str| {
        let folder = installed.path().join(format!("version-{version}"));
        std::fs::create_dir(&folder).expect("a folder");
        let text =
            format!("cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(brolga_c {version} REQUIRED)\n");
        std::fs::write(folder.join("CMakeLists.txt"), text).expect("a file");
        let mut cmake = installed.command("cmake");
        cmake.arg("-S").arg(&folder).arg("-B").arg(folder.join("build")).arg(&prefix).output().expect("CMake").status
    };
    let own = env!("CARGO_PKG_VERSION");
    assert!(build(own).success());
    assert!(!build("99.0").success());
}

/// Compiles the programs with instrumentation, which finds all memory that the library allocates and does not free.
#[test]
#[ignore = "needs compilers of C and C++, CMake and pkg-config"]
fn examples_are_clean_under_the_address_sanitizer() {
    let installed = Installed::new();
    let mut flags = installed.flags(&["--cflags", "--libs"]);
    flags.extend(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"].map(str::to_owned));
    for (compiler, source) in [(C, "scene.c"), (CPP, "scene.cpp"), (CPP, "rasterizer.cpp"), (CPP, "checks.cpp")] {
        installed.printed(&installed.build(compiler, source, &flags));
    }
}
