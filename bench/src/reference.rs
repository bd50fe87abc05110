//! Does work that is always the same; its duration shows how fast the machine is at the moment.

use std::hint::black_box;

use super::clock::{Sample, Stopwatch};

/// Words to sort; they leave room in a processor's first caches.
const WORDS: usize = 1 << 14;

/// Sorts fixed numbers. If other programs use the machine, or its clock rate changes, this takes longer at one time
/// than at another; figures of two times can be compared in proportion to it.
pub fn reference() -> Sample {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        state ^ state >> 15
    };
    let mut words: Vec<u32> = (0..WORDS).map(|_| next()).collect();
    let watch = Stopwatch::start();
    black_box(&mut words).sort_unstable();
    black_box(&words);
    watch.stop()
}
