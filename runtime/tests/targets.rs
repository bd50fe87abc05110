//! Texels of render targets, which only the pipeline writes: what compiled code stores and loads is what the host does, for every
//! format.

mod support;

use brolga_ir::builder::only;
use brolga_ir::entity::ResourceId;
use brolga_ir::function::{Input, MemoryRef, Object};
use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::pipeline::SPACE;
use brolga_ir::srgb::LIMITS;
use brolga_ir::{Builder, Function, Op, VerifiedFunction, verify};
use brolga_runtime::format::Use;
use brolga_runtime::{
    Bindings, CompileOptions, Component, Device, Dimension, Dispatch, Engine, Format, Register, TextureShape, View,
};
use brolga_testing_base::random::Random;
use support::ENGINES;

/// Texels, one a thread.
const COUNT: u32 = 2048;

/// Stores four words of `t0` to the target, and what that is then to `u0`.
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

/// Floats at the limits of codes, others, and any words.
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
    let shader = device.compile_function(&function(component), &CompileOptions::new(engine)).unwrap();
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
