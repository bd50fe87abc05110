//! Sets float modes of hosts: other rounding, denormals as zeros, exceptions that trap.
//!
//! On other processors than x86-64 nothing is promised, and [`as_host`] changes nothing.

#![allow(unsafe_code)]

use std::env;

/// All exceptions masked, the mode in which programs begin.
pub const DEFAULT: u32 = 0x1f80;

/// Rounding towards zero, up and down; denormals as zeros; and each exception unmasked.
pub const MODES: [u32; 10] = [
    DEFAULT | 0x6000,
    DEFAULT | 0x4000,
    DEFAULT | 0x2000,
    DEFAULT | 0x8040,
    DEFAULT & !0x0080,
    DEFAULT & !0x0100,
    DEFAULT & !0x0200,
    DEFAULT & !0x0400,
    DEFAULT & !0x0800,
    DEFAULT & !0x1000,
];

/// The control bits: all but the flags.
#[cfg(target_arch = "x86_64")]
const CONTROL: u32 = 0xffc0;

/// Runs code in a mode of the host's, which must still be in force afterwards.
///
/// # Panics
/// If it is not.
#[cfg(target_arch = "x86_64")]
pub fn in_mode<T>(host: u32, entry: impl FnOnce() -> T) -> T {
    let before = mode();
    set_mode(host);
    let result = entry();
    let after = mode();
    set_mode(before);
    assert_eq!(after & CONTROL, host & CONTROL, "the host's mode is changed");
    result
}

/// Runs code in the mode that `BROLGA_MODE` gives, in hexadecimal, if it is set.
///
/// # Panics
/// If it says something else, or the mode is changed.
pub fn as_host<T>(entry: impl FnOnce() -> T) -> T {
    match env::var("BROLGA_MODE") {
        #[cfg(target_arch = "x86_64")]
        Ok(text) => in_mode(u32::from_str_radix(&text, 16).expect("a mode is a hexadecimal number"), entry),
        _ => entry(),
    }
}

#[cfg(target_arch = "x86_64")]
fn mode() -> u32 {
    let mut bits = 0_u32;
    // SAFETY: it stores four bytes to `bits`.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
    bits
}

#[cfg(target_arch = "x86_64")]
fn set_mode(bits: u32) {
    // SAFETY: the mode is a valid one, and `in_mode` ends it before anything else is computed.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, preserves_flags)) };
}
