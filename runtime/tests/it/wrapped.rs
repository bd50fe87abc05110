//! Tests the caller's memory with a row pitch: shaders access the texels, and nothing beside them.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use brolga_bytecode::assembler;
use brolga_runtime::{
    Access, AddressMode, Bindings, Buffer, CompileOptions, Device, Dispatch, Filter, Format, Register, Sampler, Tap,
    Texture, TextureShape, View,
};

use crate::support::ENGINES;

/// `u0[thread] = t0[thread]`, and `u1[thread] = t1` in the middle of that texel.
const COPY: &str = "cs_5_0
dcl_sampler s0, mode_default
dcl_resource_texture2d (uint,uint,uint,uint) t0
dcl_resource_texture2d (float,float,float,float) t1
dcl_uav_typed_texture2d (uint,uint,uint,uint) u0
dcl_uav_typed_texture2d (float,float,float,float) u1
dcl_input vThreadID.xy
dcl_temps 2
dcl_thread_group 8, 4, 1
mov r0.xy, vThreadID.xyxx
mov r0.zw, l(0,0,0,0)
ld r1.xyzw, r0.xyzw, t0.xyzw
store_uav_typed u0.xyzw, vThreadID.xyyy, r1.xyzw
utof r0.xy, vThreadID.xyxx
add r0.xy, r0.xyxx, l(0.500000, 0.500000, 0.000000, 0.000000)
mul r0.xy, r0.xyxx, l(0.200000, 0.333333, 0.000000, 0.000000)
sample_l r1.xyzw, r0.xyxx, t1.xyzw, s0, l(0.000000)
store_uav_typed u1.xyzw, vThreadID.xyyy, r1.xyzw
ret
";

const WIDTH: u32 = 5;
const HEIGHT: u32 = 3;
/// Words from a row to the next.
const PITCH: usize = 7;
/// Words up to the end of the last row's texels.
const WORDS: usize = 2 * PITCH + 5;

/// Wraps words, but for the last one, as a texture of five by three texels.
fn wrap(words: &mut [u32; WORDS + 1], access: Access) -> View {
    let base = NonNull::from(words).cast();
    // SAFETY: the words outlive the test's bindings, and are read only when those are gone.
    let buffer = unsafe { Buffer::wrap(base, WORDS * 4, access, ()) }.unwrap();
    let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, WIDTH, HEIGHT).row_pitch(PITCH as u64 * 4);
    View::texture(Texture::new(buffer, shape).unwrap())
}

#[test]
fn shaders_see_texels_of_the_caller_s_memory_and_nothing_beside_them() {
    for &engine in ENGINES {
        let device = Device::builder().threads(1).build().unwrap();
        let container = assembler::assemble(COPY, &brolga_bytecode::Limits::default()).unwrap().bytes;
        let shader = device.compile(&container, &CompileOptions::new(engine)).unwrap();
        let mut source: [u32; WORDS + 1] = std::array::from_fn(|n| 0x0403_0201 * (n as u32 + 1));
        let mut targets = [[0xdead_beef; WORDS + 1]; 2];
        let mut bindings = Bindings::new();
        let read = wrap(&mut source, Access::Read);
        bindings.set(Register::t(0), read.clone().with_format(Format::R8G8B8A8_UINT).unwrap());
        bindings.set(Register::t(1), read);
        for (n, target) in (0..).zip(&mut targets) {
            let written = wrap(target, Access::ReadWrite);
            let format = if n == 0 { Format::R8G8B8A8_UINT } else { Format::R8G8B8A8_UNORM };
            bindings.set(Register::u(n), written.with_format(format).unwrap());
        }
        let mut sampler = Sampler::default();
        sampler.filter = Filter { minify: Tap::Point, magnify: Tap::Point, mip: Tap::Point, ..sampler.filter };
        sampler.address = [AddressMode::Clamp; 3];
        bindings.set(Register::s(0), View::sampler(sampler).unwrap());
        // More threads than texels: those outside write nothing.
        device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])).unwrap();
        drop(bindings);
        let is_texel = |n: usize| n % PITCH < WIDTH as usize && n < WORDS;
        let expected: [u32; WORDS + 1] = std::array::from_fn(|n| if is_texel(n) { source[n] } else { 0xdead_beef });
        assert_eq!(targets, [expected; 2], "{engine}");
    }
}
