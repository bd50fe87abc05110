//! Tests that denormal numbers in samplers and views count as zeros, as those of shaders do.

use brolga_bytecode::assembler;
use brolga_runtime::{
    AddressMode, Bindings, CompileOptions, Device, Dispatch, Engine, Filter, Format, Register, Sampler, Tap,
    TextureShape, VectorBytes, View,
};

/// Samples `t0` a third of the way between two texels, at the level read from `u0`.
const SAMPLE: &str = "cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadID.x, l(2)
ld_raw r0.y, r0.x, u0.xxxx
sample_l r1.x, l(0.4375, 0.25, 0.0, 0.0), t0.xyzw, s0, r0.y
store_raw u0.x, r0.x, r1.x
ret";

#[test]
fn denormal_levels_are_zeros() {
    let container = assembler::assemble(SAMPLE, &brolga_bytecode::Limits::default()).unwrap().bytes;
    let mut plain = Sampler { address: [AddressMode::Clamp; 3], ..Sampler::default() };
    plain.filter = Filter { minify: Tap::Linear, magnify: Tap::Point, mip: Tap::Point, ..plain.filter };
    let tiny = f32::from_bits(7);
    // Each with the level that is asked for.
    let states = [
        (plain, 0.0, 0.0),
        (plain, 0.0, tiny),
        (plain, tiny, 0.0),
        (Sampler { min_level: tiny, ..plain }, 0.0, 0.0),
        (Sampler { min_level: tiny, ..plain }, 0.0, -3.0),
        (Sampler { max_level: tiny, ..plain }, 0.0, 1.0),
        (Sampler { min_level: -tiny, max_level: tiny, ..plain }, 0.0, tiny),
        (Sampler { level_bias: tiny, ..plain }, 0.0, 0.0),
        (Sampler { level_bias: 1.0, ..plain }, 0.0, -1.0),
    ];
    for vectors in [VectorBytes::Sixteen, VectorBytes::ThirtyTwo, VectorBytes::SixtyFour] {
        let Ok(device) = Device::builder().threads(1).vector_bytes(vectors).build() else { continue };
        for engine in [Engine::Interpreter, Engine::Jit] {
            let shader = device.compile(&container, &CompileOptions::new(engine)).unwrap();
            for (format, texels) in [
                (Format::R8_UNORM, vec![0, 255, 0, 255, 77]),
                (Format::R32_FLOAT, [0.0, 1.0, 0.0, 1.0, 0.3f32].into_iter().flat_map(f32::to_le_bytes).collect()),
            ] {
                let texture = device.texture_from(TextureShape::texture_2d(format, 2, 2).mips(2), &texels).unwrap();
                for (n, &(sampler, least, level)) in states.iter().enumerate() {
                    let levels = device.buffer_from(&[level; 64]).unwrap();
                    let mut bindings = Bindings::new();
                    let view = View::texture(texture.clone()).with_min_level(least).unwrap();
                    bindings.set(Register::t(0), view);
                    bindings.set(Register::s(0), View::sampler(sampler).unwrap());
                    bindings.set(Register::u(0), View::raw(levels.clone()).unwrap());
                    device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])).unwrap();
                    // The nearest texel is the left one; between both it would be more.
                    assert_eq!(levels.to_vec::<f32>().unwrap(), [0.0; 64], "{format}, state {n}, {engine}");
                }
            }
        }
    }
}
