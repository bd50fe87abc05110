//! Runs a dispatch on the program's own threads, which another thread watches and cancels, and sets limits for what
//! shaders may request. `cargo run --example threads` starts it.

use std::thread;
use std::time::Duration;

use brolga::bytecode::assembler::assemble;
use brolga::{
    Bindings, CancelToken, CompileOptions, Device, Dispatch, Error, Limits, Pool, Progress, Register, StopReason, View,
};

/// Every group writes its number; the last of 4,096 never ends.
const SHADER: &str = "
cs_5_0
dcl_uav_raw u0
dcl_input vThreadGroupID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
ishl r0.x, vThreadGroupID.x, l(2)
store_raw u0.x, r0.x, vThreadGroupID.x
ieq r0.y, vThreadGroupID.x, l(4095)
loop
  breakc_z r0.y
endloop
ret
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any function that runs a task on another thread will do: usually that of a thread pool.
    let pool = Pool::borrowed(4, |task| drop(thread::spawn(task)));
    let mut limits = Limits::default();
    limits.buffer_bytes = 1 << 20;
    let device = Device::builder().pool(pool).limits(limits).build()?;
    let refused = device.buffer(2 << 20).unwrap_err();
    println!("the device's limits: {refused}");

    let container = assemble(SHADER, &Default::default())?.bytes;
    let shader = device.compile(&container, &CompileOptions::default())?;
    let numbers = device.buffer(4 * 4096)?;
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0), View::raw(numbers.clone())?);

    let (cancel, progress) = (CancelToken::new(), Progress::new());
    let dispatch = Dispatch::new([4096, 1, 1]).cancel(cancel.clone()).progress(progress.clone());
    let error = thread::scope(|scope| {
        let running = scope.spawn(|| device.dispatch(&shader, &bindings, &dispatch));
        while progress.groups_done() == 0 {
            thread::yield_now();
        }
        println!("some of the 4096 groups are done: cancelling");
        cancel.cancel();
        running.join().expect("a dispatch does not panic").unwrap_err()
    });
    println!("the run that was cancelled: {error}");

    // Without a watcher: a limit on the time, or on the loop iterations of a group, which every machine counts alike.
    let limited = Dispatch::new([4096, 1, 1]).time_limit(Duration::from_secs(60)).fuel(1_000_000);
    let out_of_fuel = device.dispatch(&shader, &bindings, &limited).unwrap_err();
    println!("the run with limits: {out_of_fuel}");
    assert!(matches!(out_of_fuel, Error::Stopped { why: StopReason::Fuel(_), .. }));
    let written: Vec<u32> = numbers.to_vec()?;
    assert!((0..4095).eq(written[..4095].iter().copied()));
    Ok(())
}
