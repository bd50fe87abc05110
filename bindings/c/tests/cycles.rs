//! Objects that are made and destroyed ten thousand times leave nothing behind.

#![cfg(target_os = "linux")]

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::device::*;
use brolga_c::dispatch::*;
use brolga_c::draw::*;
use brolga_c::error::Code;
use brolga_c::reflect::*;
use brolga_c::shader::*;
use brolga_c::stage::*;
use brolga_c::stop::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

const FILL: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_thread_group 1, 1, 1
store_raw u0.x, l(0), l(7)
ret
";

/// Calls that must work.
macro_rules! calls {
    ($($function:ident($($argument:expr),* $(,)?);)*) => {$(
        // SAFETY: the arguments are what the function takes.
        assert_eq!(unsafe { $function($($argument),*) }, Code::Ok, stringify!($function));
    )*};
}

/// Calls a function that makes an object.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut object = null_mut();
        calls! { $function($($argument,)* &mut object, null_mut()); }
        object
    }};
}

/// Everything but the shader, which is made by the caller, and code, which is made once.
fn cycle(container: (*const c_char, usize), shader: *const Shader) {
    let options = DeviceOptions { threads: 2, ..DeviceOptions::default() };
    let device = made!(brolga_device_create(&options));
    let buffer = made!(brolga_buffer_create(device, 4096, null()));
    let texture_options = TextureOptions { format: 28, width: 16, height: 16, ..TextureOptions::default() };
    let texture = made!(brolga_texture_create(device, &texture_options, null(), 0));
    let [view, target] = [made!(brolga_view_of_buffer(buffer, null())), made!(brolga_view_of_texture(texture, null()))];
    let bindings = made!(brolga_bindings_create(0));
    calls! { brolga_bindings_set(bindings, shader, c"u0".as_ptr(), view, null_mut()); }
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let worker = made!(brolga_worker_create(bound));
    let (token, progress) = (made!(brolga_cancel_token_create()), made!(brolga_progress_create()));
    let dispatch = DispatchOptions { cancel: token, progress, ..DispatchOptions::default() };
    let targets = [target.cast_const()];
    let pass_options = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    let pass = made!(brolga_pass_create(device, &pass_options));
    let (text, reflection) = (
        made!(brolga_disassemble(container.0.cast(), container.1, false)),
        made!(brolga_reflection_create(container.0.cast(), container.1)),
    );
    let mut first = 0_u32;
    calls! {
        brolga_bound_dispatch(bound, &dispatch, null_mut(), null_mut());
        brolga_worker_begin(worker, &dispatch, null_mut());
        brolga_worker_run(worker, 0, 1, null_mut());
        brolga_pass_clear_color(pass, 0, [1.0_f32; 4].as_ptr(), null_mut());
        brolga_buffer_read(buffer, 0, (&raw mut first).cast(), 4, null_mut());
    }
    assert_eq!(first, 7);
    // Errors leave nothing either.
    // SAFETY: nothing is there.
    assert_eq!(unsafe { brolga_pass_draw(pass, null(), null_mut(), null_mut()) }, Code::NullHandle);
    calls! {
        brolga_reflection_destroy(reflection); brolga_blob_destroy(text); brolga_pass_destroy(pass);
        brolga_worker_destroy(worker); brolga_bound_destroy(bound); brolga_progress_destroy(progress);
        brolga_cancel_token_destroy(token); brolga_bindings_destroy(bindings); brolga_view_destroy(target);
        brolga_view_destroy(view); brolga_texture_destroy(texture); brolga_buffer_destroy(buffer);
        brolga_device_destroy(device);
    }
}

/// KiB of this process that are in memory.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its resident set");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn ten_thousand_cycles_leave_nothing_behind() {
    let device = made!(brolga_device_create(null()));
    let assembled = made!(brolga_assemble(FILL.as_ptr()));
    let (mut data, mut size) = (null(), 0);
    calls! { brolga_blob_bytes(assembled, &mut data, &mut size, null_mut()); }
    let shader = || made!(brolga_shader_create(device, data.cast(), size, null()));
    let kept = shader();
    let some = |cycles: u32| {
        for n in 0..cycles {
            cycle((data.cast(), size), kept);
            if n % 10 == 0 {
                calls! { brolga_shader_destroy(shader()); }
            }
        }
    };
    // Allocators and pools settle first.
    some(1000);
    let before = resident_kib();
    some(10_000);
    let after = resident_kib();
    println!("{before} KiB before, {after} KiB after");
    // A leak of eight bytes in each object of a cycle would be more. A sanitizer keeps what is freed, and finds leaks by itself.
    let is_sanitized = cfg!(any(brolga_guard_pages = "after", brolga_guard_pages = "before"));
    assert!(is_sanitized || after < before + 1024, "{before} KiB before 10,000 cycles, {after} KiB after");
    calls! { brolga_shader_destroy(kept); brolga_blob_destroy(assembled); brolga_device_destroy(device); }
}
