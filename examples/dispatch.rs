//! Runs a dispatch in twenty lines: a shader doubles 1,024 numbers. `cargo run --example dispatch` starts it.

use brolga::bytecode::assembler::assemble;
use brolga::{Bindings, CompileOptions, Device, Dispatch, Register, View};

/// Stands in for `std::fs::read("double.cso")`. Each group has 64 threads, and each thread doubles a word.
const SHADER: &str = "
cs_5_0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadID.x, l(2)
ld_raw r0.y, r0.x, u0.xxxx
iadd r0.y, r0.y, r0.y
store_raw u0.x, r0.x, r0.y
ret
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::builder().build()?;
    let container = assemble(SHADER, &Default::default())?.bytes;
    let shader = device.compile(&container, &CompileOptions::default())?;

    let numbers = device.buffer_from(&(0..1024u32).collect::<Vec<_>>())?;
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0), View::raw(numbers.clone())?);
    let report = device.dispatch(&shader, &bindings, &Dispatch::new([16, 1, 1]))?;

    let doubled: Vec<u32> = numbers.to_vec()?;
    println!("{} threads doubled {} numbers: {:?}, …", report.threads, doubled.len(), &doubled[..6]);
    assert!((0..1024).map(|number| 2 * number).eq(doubled));
    Ok(())
}
