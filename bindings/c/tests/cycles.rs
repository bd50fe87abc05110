//! Makes and destroys objects ten thousand times, which must leave nothing behind. It is a program of its own, since it
//! measures the memory of the process.

#![cfg(target_os = "linux")]

#[macro_use]
#[path = "it/caller.rs"]
#[allow(unused_macros, dead_code, reason = "used in part")]
mod caller;

use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::check::*;
use brolga_c::device::*;
use brolga_c::dispatch::*;
use brolga_c::draw::*;
use brolga_c::error::Code;
use brolga_c::messages::*;
use brolga_c::query::*;
use brolga_c::reflect::*;
use brolga_c::shader::*;
use brolga_c::stage::*;
use brolga_c::stop::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;
use caller::{NUMBERS, bytes};

/// All objects but the shader, which the caller makes, and code, which is made once.
fn cycle(container: &[u8], shader: *const Shader) {
    let options = DeviceOptions { threads: 2, ..DeviceOptions::default() };
    let device = made!(brolga_device_create(&options));
    let buffer = made!(brolga_buffer_create(device, 4096, null()));
    let texture_options = TextureOptions { format: 28, width: 16, height: 16, ..TextureOptions::default() };
    let texture = made!(brolga_texture_create(device, &texture_options, null(), 0));
    let [view, target] = [made!(brolga_view_of_buffer(buffer, null())), made!(brolga_view_of_texture(texture, null()))];
    let bindings = made!(brolga_bindings_create(0));
    works!(brolga_bindings_set(bindings, shader, c"u0".as_ptr(), view));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let worker = made!(brolga_worker_create(bound));
    let (token, progress) = (made!(brolga_cancel_token_create()), made!(brolga_progress_create()));
    let messages = made!(brolga_messages_create(0));
    let dispatch = DispatchOptions { cancel: token, progress, messages, ..DispatchOptions::default() };
    let targets = [target.cast_const()];
    let pass_options = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    let pass = made!(brolga_pass_create(device, &pass_options));
    let query = made!(brolga_pass_begin_query(pass, MaybeUninit::new(QueryKind::Occlusion)));
    let (text, reflection) = (
        made!(brolga_disassemble(container.as_ptr().cast(), container.len(), false)),
        made!(brolga_reflection_create(container.as_ptr().cast(), container.len())),
    );
    let findings = made!(brolga_bound_check(bound, &dispatch, null()));
    let mut first = 7_u32;
    works! {
        brolga_bound_dispatch(bound, &dispatch, null_mut()); brolga_worker_begin(worker, &dispatch);
        brolga_worker_run(worker, 0, 1); brolga_pass_clear_color(pass, 0, [1.0_f32; 4].as_ptr());
        brolga_buffer_read(buffer, 0, (&raw mut first).cast(), 4); brolga_pass_end_query(pass, query);
        brolga_pass_query_data(pass, query, &mut QueryData::default()); brolga_messages_take(messages, &mut 0);
    }
    assert_eq!(first, 0);
    // Errors leave nothing either.
    // SAFETY: nothing is there.
    assert_eq!(unsafe { brolga_pass_draw(pass, null(), null_mut(), null_mut()) }, Code::NullHandle);
    destroy! {
        brolga_reflection_destroy(reflection); brolga_blob_destroy(text); brolga_pass_destroy(pass);
        brolga_query_destroy(query); brolga_findings_destroy(findings); brolga_messages_destroy(messages);
        brolga_worker_destroy(worker); brolga_bound_destroy(bound); brolga_progress_destroy(progress);
        brolga_cancel_token_destroy(token); brolga_bindings_destroy(bindings); brolga_view_destroy(target);
        brolga_view_destroy(view); brolga_texture_destroy(texture); brolga_buffer_destroy(buffer);
        brolga_device_destroy(device);
    }
}

/// Resident memory of this process in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its resident set");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn ten_thousand_cycles_leave_nothing_behind() {
    let device = made!(brolga_device_create(null()));
    let assembled = made!(brolga_assemble(NUMBERS.as_ptr()));
    let container = bytes(assembled);
    let shader = || made!(brolga_shader_create(device, container.as_ptr().cast(), container.len(), null()));
    let kept = shader();
    let some = |cycles: u32| {
        for n in 0..cycles {
            cycle(container, kept);
            if n % 10 == 0 {
                destroy!(brolga_shader_destroy(shader()));
            }
        }
    };
    // Allocators and pools settle first, also those of the threads that compile.
    some(10_000);
    let before = resident_kib();
    some(10_000);
    let after = resident_kib();
    println!("{before} KiB before, {after} KiB after");
    // A leak of eight bytes in each object of a cycle would be more. A sanitizer keeps freed memory, and finds leaks by
    // itself.
    let is_sanitized = cfg!(any(brolga_guard_pages = "after", brolga_guard_pages = "before"));
    assert!(is_sanitized || after < before + 1024, "{before} KiB before 10,000 cycles, {after} KiB after");
    destroy! { brolga_shader_destroy(kept); brolga_blob_destroy(assembled); brolga_device_destroy(device) }
}
