//! Tests render targets and depth buffers, which only the pipeline writes: compiled code stores and loads as the host
//! does, for every format, and pixel functions leave the same bits on every engine.

use brolga_ir::builder::only;
use brolga_ir::entity::ResourceId;
use brolga_ir::function::{Input, MemoryRef, Object};
use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::pipeline::record::{BatchAttribute, BatchPrimitive, BatchQuad, BatchState};
use brolga_ir::pipeline::state::{
    Blend, BlendOp, Comparison, DepthFormat, DepthTest, Equation, Factor, PixelState, Range, Target,
};
use brolga_ir::pipeline::{self, DEPTH, SPACE};
use brolga_ir::srgb::LIMITS;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::{Builder, Function, Op, VerifiedFunction, verify};
use brolga_runtime::format::Use;
use brolga_runtime::{
    ArrayWords, Bindings, CompileOptions, Component, Device, Dimension, Dispatch, Engine, Format, Module, Register,
    TextureShape, View,
};
use brolga_testing_base::random::Random;

use crate::support::ENGINES;

/// Texels, one a thread.
const COUNT: u32 = 2048;

/// Stores four words of `t0` to the target, and the texel read back to `u0`.
fn function(component: Component) -> VerifiedFunction {
    let typed = ResourceKind::Typed { dimension: Dimension::Texture2d, component };
    let resources = vec![
        Resource::new(ResourceClass::ShaderResource, ResourceKind::Raw, 0),
        Resource::new(ResourceClass::UnorderedAccess, ResourceKind::Raw, 0),
        Resource { space: SPACE, ..Resource::new(ResourceClass::UnorderedAccess, typed, 0) },
    ];
    let mut func = Function::new("targets", Interface { resources, ..Interface::compute([64, 1, 1]) });
    let mut b = Builder::new(&mut func);
    let (thread, zero, sixteen, always) = (b.input(Input::ThreadId(0)), b.i32(0), b.i32(16), b.bool(true));
    let offset = b.op(Op::IMul, &[thread, sixteen]);
    let raw = |id| MemoryRef { object: Object::Resource(only(ResourceId::new(id))), index: None, offset };
    let words = b.load(raw(0), 4);
    let target = only(ResourceId::new(2));
    b.texel_store(target, &[thread, zero], std::array::from_fn(|n| words[n]), always);
    let texel = b.texel_load(target, &[thread, zero], None);
    b.store(raw(1), &texel, always);
    b.return_();
    passes::optimise(&mut func, Level::None);
    verify(func).unwrap()
}

/// Floats at the limits of the formats' codes, others, and arbitrary words.
fn words() -> Vec<[u32; 4]> {
    let mut random = Random(1);
    let edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-40, -1e-40, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 65504.0];
    let mut words: Vec<u32> = edges.into_iter().map(f32::to_bits).collect();
    words.extend(LIMITS[..255].iter().flat_map(|limit| [limit - 1, *limit, limit + 1]));
    words.resize_with(4 * COUNT as usize, || match random.below(3) {
        0 => random.word(),
        1 => random.float(),
        _ => (random.below(1 << 20) as f32 / (1 << 19) as f32 - 0.5).to_bits(),
    });
    words.as_chunks().0.to_vec()
}

fn run(device: &Device, engine: Engine, format: Format, words: &[[u32; 4]]) -> (Vec<u8>, Vec<[u32; 4]>) {
    let component = match format.encoding().is_integer() {
        true => Component::Mixed,
        false => Component::Float,
    };
    let shader =
        device.compile_module(&Module::new(function(component)).unwrap(), &CompileOptions::new(engine)).unwrap();
    let texture = device.texture(TextureShape::texture_2d(format, COUNT, 1)).unwrap();
    let seen = device.buffer(16 * u64::from(COUNT)).unwrap();
    let mut bindings = Bindings::new();
    bindings.set(Register::t(0), View::raw(device.buffer_from(words).unwrap()).unwrap());
    bindings.set(Register::u(0), View::raw(seen.clone()).unwrap());
    bindings.set(Register::u(0).in_space(SPACE), View::texture(texture.clone()));
    device.dispatch(&shader, &bindings, &Dispatch::new([COUNT / 64, 1, 1])).unwrap();
    (texture.buffer().to_vec().unwrap(), seen.to_vec().unwrap())
}

#[test]
fn every_target_is_written_as_the_host_converts() {
    let (device, words) = (Device::builder().threads(1).build().unwrap(), words());
    let mut count = 0;
    for &format in Format::ALL.iter().filter(|format| format.allows(Use::Target) && format.allows(Use::Texture2d)) {
        count += 1;
        let texels: Vec<u128> = words.iter().map(|&words| format.encode(words)).collect();
        let size = format.size_bytes() as usize;
        let bytes: Vec<u8> = texels.iter().flat_map(|texel| texel.to_le_bytes().into_iter().take(size)).collect();
        let seen: Vec<[u32; 4]> = texels.into_iter().map(|texel| format.decode(texel)).collect();
        for &engine in ENGINES {
            let found = run(&device, engine, format, &words);
            assert!(found.0 == bytes, "{format}: {engine} stores something else");
            assert!(found.1 == seen, "{format}: {engine} loads something else");
        }
    }
    // Counted by hand in the table.
    assert_eq!(count, 51);
}

/// A shader that gives `v0` as its colour and some of it as its depth, and discards some pixels.
const SHADER: &str = "ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps constant v0.xyzw
dcl_output o0.xyzw
dcl_output oDepth
dcl_temps 1
lt r0.x, v0.w, l(0.1)
discard_nz r0.x
mov o0.xyzw, v0.xyzw
mov oDepth, v0.x
ret";

/// Draws quads over a target and a depth buffer, each with a primitive of its own; returns the reports on pixels, and
/// the bytes of both.
fn draw(device: &Device, engine: Engine, late: DepthTest, format: Format, seen: Format) -> [Vec<u8>; 3] {
    let over = Equation { source: Factor::SourceAlpha, destination: Factor::InverseSourceAlpha, op: BlendOp::Add };
    let blend = Some(Blend { color: over, alpha: over });
    let target = Target { output: 0, range: Range::Unorm, blend, logic: None, write_mask: 0b1101 };
    let state = PixelState {
        vertex_rows: 1,
        targets: vec![target],
        depth: Some(late),
        reports_live: true,
        ..PixelState::default()
    };
    let bytes = brolga_testing::run::assemble(SHADER);
    let program = brolga_bytecode::Shader::load(&bytes, &brolga_bytecode::LoadOptions::default()).unwrap().program;
    let mut func = translate(&program, &TranslateOptions::default()).unwrap();
    pipeline::pixel(&mut func, &state);
    passes::optimise(&mut func, Level::None);
    let shader =
        device.compile_module(&Module::new(verify(func).unwrap()).unwrap(), &CompileOptions::new(engine)).unwrap();

    let mut random = Random(3);
    let (mut quads, mut primitives) = (Vec::new(), Vec::new());
    for n in 0..COUNT / 4 {
        quads.extend(BatchQuad { corner: [2 * n, 0], primitive: n, coverage: random.below(16) as u32 }.words());
        primitives.extend(BatchPrimitive::default().words());
        let leading = [0; 4].map(|_: u32| (random.below(1 << 10) as f32 / 1023.0).to_bits());
        primitives.extend(BatchAttribute { leading, ..BatchAttribute::default() }.words());
    }
    let mut texture = |format: Format| {
        let texels: Vec<u8> = (0..COUNT * format.size_bytes()).map(|_| random.bits() as u8 & 0x3f).collect();
        device.texture_from(TextureShape::texture_2d(format, COUNT / 2, 2), &texels).unwrap()
    };
    let (color, depth) = (texture(Format::R8G8B8A8_UNORM_SRGB), texture(format));
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0).in_space(SPACE), View::texture(color.clone()));
    bindings.set(Register::u(DEPTH).in_space(SPACE), View::texture(depth.clone()).with_format(seen).unwrap());
    let words = BatchState { depths: [0.0, 1.0], ..BatchState::default() }.words();
    let mut live = vec![7; COUNT as usize];
    let mut arrays = Vec::from([&quads[..], &primitives, &words].map(ArrayWords::Read));
    arrays.push(ArrayWords::Write(&mut live));
    let bound = device.bind(&shader, &bindings).unwrap();
    bound.worker().unwrap().begin(&Dispatch::new([0; 3])).unwrap().batch(COUNT, &mut arrays).unwrap();
    let reported = live.iter().map(|&word| u8::try_from(word).unwrap()).collect();
    [reported, color.buffer().to_vec().unwrap(), depth.buffer().to_vec().unwrap()]
}

#[test]
fn depths_are_tested_alike_on_every_engine() {
    let device = Device::builder().threads(1).build().unwrap();
    let formats = [
        (DepthFormat::D16, Format::D16_UNORM, Format::R16_UINT),
        (DepthFormat::D24, Format::D24_UNORM_S8_UINT, Format::R32_UINT),
        (DepthFormat::D32, Format::D32_FLOAT, Format::R32_UINT),
        (DepthFormat::D32S8, Format::D32_FLOAT_S8X24_UINT, Format::R32G32_UINT),
    ];
    for (depth, format, seen) in formats {
        for test in [Comparison::Less, Comparison::GreaterEqual, Comparison::NotEqual] {
            let late = DepthTest { format: depth, test, writes: true, stencil: None };
            let [first, rest @ ..] = ENGINES else { unreachable!("there are engines") };
            let expected = draw(&device, *first, late, format, seen);
            assert!([0, 1].iter().all(|word| expected[0].contains(word)), "{late:?}: all pixels pass, or none");
            for &engine in rest {
                assert!(draw(&device, engine, late, format, seen) == expected, "{late:?} on {engine}");
            }
        }
    }
}
