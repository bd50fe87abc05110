//! Shaders as large as Direct3D allows, and a little larger: right on both engines, held in memory and on the stack, and
//! refused with a clear error beyond the limits.
//!
//! The default run takes small sizes of most shapes. `cargo test --release --test extremes -- --ignored` runs all in
//! full size; `cargo bench --bench linear` shows that compile time grows in proportion.

use brolga_testing::run::{Devices, Structured};
use brolga_testing::script::Script;
use brolga_testing::shapes::{self, SHAPES};

/// What a thread has that an application's caller may bring: less than the default of two megabytes.
const STACK_BYTES: usize = 512 << 10;

/// Does something on a thread with a small stack.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("one more thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Runs a program on both engines and compares what it leaves with what the model says.
fn check(devices: &Devices, script: &Script) {
    let what = format!("{} of {} instructions", script.name, script.instructions());
    let shaders = devices.compile(&script.container(), &what);
    let input = script.input();
    let before = vec![0; script.output as usize];
    let views = [
        Structured { register: "t0", stride_bytes: 4, words: &input },
        Structured { register: "u0", stride_bytes: 4, words: &before },
    ];
    let words = devices.run(&shaders, &views, &what);
    let expected = script.expected();
    if let Some(at) = (0..expected.len()).find(|&at| words[1][at] != expected[at]) {
        panic!("{what}: u0[{at}] is {:#x}, the model says {:#x}", words[1][at], expected[at]);
    }
}

fn check_all(sizes: &'static [usize]) {
    on_a_small_stack(move || {
        let devices = Devices::new();
        for shape in &SHAPES {
            for &size in sizes {
                println!("{} with about {size} instructions", shape.name);
                check(&devices, &(shape.make)(size));
            }
        }
    });
}

#[test]
fn every_shape_small() {
    check_all(&[400]);
}

/// Registers and array elements together as many as Direct3D allows, all of them live across barriers.
fn whole_groups(threads: u32, splits: &'static [[u32; 2]]) {
    on_a_small_stack(move || {
        let devices = Devices::new();
        for &[registers, elements] in splits {
            println!("{threads} threads, {registers} registers, {elements} elements");
            check(&devices, &shapes::group(threads, registers, elements));
        }
    });
}

#[test]
fn group_with_barriers_small() {
    whole_groups(64, &[[40, 24], [150, 0]]);
}

#[test]
#[ignore = "minutes without optimisation; see the head"]
fn group_of_1024_threads_with_4096_registers() {
    whole_groups(1024, &[[4096, 0], [3968, 128], [2048, 2048], [64, 4032]]);
}

#[test]
#[ignore = "minutes without optimisation; see the head"]
fn every_shape_in_full_size() {
    check_all(&[1_000, 5_000, 20_000]);
}
