//! Tests shaders as large as Direct3D allows, and a little larger: right on both engines, bounded in memory and on the
//! stack, and rejected with a clear error beyond the limits.
//!
//! The default run takes small sizes of most shapes. `cargo test --release -p brolga --test it extremes:: -- --ignored`
//! runs all in full size; `cargo bench --bench linear` shows that compile time grows in proportion.

use brolga_testing::run::{Devices, Structured};
use brolga_testing::script::Script;
use brolga_testing::shapes::{self, SHAPES};

/// The stack of a thread that an application may call from: less than the default of two megabytes. Frames are several
/// times as large under the sanitizer, with which all tests have guard pages.
const STACK_BYTES: usize =
    if cfg!(any(brolga_guard_pages = "after", brolga_guard_pages = "before")) { 4 << 20 } else { 512 << 10 };

/// Does something on a thread with a small stack.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).expect("one more thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Runs a program on both engines and compares the results with the model.
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

/// Accesses that are so many that a helper does them.
#[test]
fn accesses_of_large_shaders() {
    on_a_small_stack(|| {
        let devices = Devices::new();
        for make in [shapes::memory, shapes::arrays, shapes::array_accesses] {
            check(&devices, &make(3_000));
        }
    });
}

/// Values that so many paths carry that they stay in memory instead, also over a barrier.
#[test]
fn values_that_stay_in_memory() {
    on_a_small_stack(|| {
        let devices = Devices::new();
        for make in [shapes::carried_by_nested_blocks, shapes::carried_by_jumps] {
            let mut script = make(1_500);
            check(&devices, &script);
            // Among the uses of the values after the blocks.
            script.body.insert(script.body.len() - 100, "sync_g_t".to_owned());
            check(&devices, &script);
        }
    });
}

/// Each maximum runs, and one more is rejected with an error that names the limit.
#[test]
fn at_each_limit_and_beyond() {
    type Make = fn(u32) -> Script;
    let cases: [(Make, u32, &str); 5] = [
        (|n| shapes::last_of_all(n, 3, 0, 0), 1024, "threads in x 1025, it must be 1 to 1024"),
        (|n| shapes::last_of_all(20, n, 0, 0), 4096, "arrays included, 4097, it must be 0 to 4096"),
        (|n| shapes::last_of_all(20, 96, n - 96, 0), 4096, "arrays included, 4097, it must be 0 to 4096"),
        (|n| shapes::last_of_all(20, 3, 0, n), 8192, "bytes of shared memory 32772, it must be 0 to 32768"),
        (shapes::nested_branches, 128, "nested deeper than the limit of 128"),
    ];
    on_a_small_stack(move || {
        let devices = Devices::new();
        for (make, most, expected) in cases {
            check(&devices, &make(most));
            let over = make(most + 1);
            let why = devices.refuse(&over.container(), over.name);
            assert!(why.contains(expected), "{why}");
        }
        // Loops and switches, too; a loop's break is one level more.
        check(&devices, &shapes::nested(2_000, 127));
    });
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
