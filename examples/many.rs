//! Runs many dispatches of one binding: registers are resolved once, and any thread may run groups. `cargo run
//! --example many` starts it.

use std::thread;
use std::time::Instant;

use brolga::bytecode::assembler::assemble;
use brolga::{Bindings, CompileOptions, Device, Dispatch, Register, View};

/// Each thread adds a constant to its word.
const SHADER: &str = "
cs_5_0
dcl_constantbuffer CB0[1], immediateIndexed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadID.x, l(2)
ld_raw r0.y, r0.x, u0.xxxx
iadd r0.y, r0.y, cb0[0].x
store_raw u0.x, r0.x, r0.y
ret
";

const DISPATCHES: u32 = 10_000;
const GROUPS: u64 = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::builder().build()?;
    let container = assemble(SHADER, &Default::default())?.bytes;
    let shader = device.compile(&container, &CompileOptions::default())?;
    let (numbers, step) = (device.buffer(4 * 64 * GROUPS)?, device.buffer(16)?);
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0), View::raw(numbers.clone())?);
    bindings.set(Register::b(0), View::constant(step.clone())?);

    let bound = device.bind(&shader, &bindings)?;
    let dispatch = Dispatch::new([GROUPS as u32, 1, 1]);
    let start = Instant::now();
    for number in 0..DISPATCHES {
        // Bound resources may be written between two dispatches; `BoundShader::set` binds another one.
        step.write(0, &[number])?;
        bound.dispatch(&dispatch)?;
    }
    println!("{DISPATCHES} dispatches: {:?} for each", start.elapsed() / DISPATCHES);

    // Threads that are scheduled otherwise take a worker each, which runs any groups of a dispatch.
    step.write(0, &[1u32])?;
    thread::scope(|scope| -> Result<(), brolga::Error> {
        let halves = [0..GROUPS / 2, GROUPS / 2..GROUPS].map(|groups| {
            let (bound, dispatch) = (&bound, &dispatch);
            scope.spawn(move || bound.worker()?.begin(dispatch)?.run(groups))
        });
        halves.into_iter().try_for_each(|half| half.join().expect("a worker does not panic"))
    })?;

    let expected = (0..DISPATCHES).sum::<u32>() + 1;
    println!("every number is {expected}");
    assert!(numbers.to_vec::<u32>()?.iter().all(|&number| number == expected));
    Ok(())
}
