//! Sets the processor's float mode on entry to a shader, as a whole, and restores it afterwards.
//!
//! Direct3D flushes 32-bit denormals and keeps 64-bit ones, and the control register cannot tell the two apart. So the
//! mode belongs to the compiled shader: without double arithmetic it runs under [`FloatMode::Flush`], otherwise (and in
//! the interpreter, and in helpers) under [`FloatMode::Default`] with explicit flushes. The mode of the host program
//! neither reaches a shader nor is changed by one. All other code that computes floats does so [`in_default_mode`].

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// The treatment of denormals by 32- and 64-bit float instructions. Rounding is to nearest even and no exception traps,
/// always.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatMode {
    /// Denormals are kept, as in IEEE 754.
    Default,
    /// Denormal operands are read as zeros and denormal results become zeros.
    Flush,
}

impl FloatMode {
    /// The control register's value without sticky flags: all exceptions masked.
    #[cfg(target_arch = "x86_64")]
    fn bits(self) -> u32 {
        const MASKS: u32 = 0x1f80;
        const FLUSH_RESULTS: u32 = 0x8000;
        const FLUSH_OPERANDS: u32 = 0x0040;
        match self {
            FloatMode::Default => MASKS,
            FloatMode::Flush => MASKS | FLUSH_RESULTS | FLUSH_OPERANDS,
        }
    }
}

/// The bits of the control register that exceptions leave behind. Nothing here reads them, and a guard restores the
/// host's.
#[cfg(target_arch = "x86_64")]
const STICKY_FLAGS: u32 = 0x3f;

/// Keeps a float mode in force on this thread until dropped.
///
/// Guards nest. One must not be leaked, or the thread stays in its mode.
#[must_use = "the mode ends when the guard is dropped"]
#[derive(Debug)]
pub struct FloatGuard {
    mode: FloatMode,
    #[cfg(target_arch = "x86_64")]
    saved: u32,
    /// The register is per thread, so the guard may not move to another.
    thread: PhantomData<*const ()>,
}

impl FloatGuard {
    /// Sets the mode. On processors other than x86-64 nothing happens: only the interpreter runs there.
    pub fn new(mode: FloatMode) -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let saved = read();
            // Guards nest, and a write takes longer in the dispatch of a small shader than all else that a guard does.
            if saved & !STICKY_FLAGS != mode.bits() {
                write(mode.bits());
            }
            Self { mode, saved, thread: PhantomData }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            Self { mode, thread: PhantomData }
        }
    }

    /// The mode that it keeps in force.
    pub fn mode(&self) -> FloatMode {
        self.mode
    }
}

impl Drop for FloatGuard {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if read() != self.saved {
            write(self.saved);
        }
    }
}

/// Runs a closure in the default mode, for code that computes floats outside shaders: the mode of the caller's thread
/// neither changes its results, nor lets it trap.
pub fn in_default_mode<T>(work: impl FnOnce() -> T) -> T {
    /// A separate call, so that no arithmetic moves into it or out of it.
    #[inline(never)]
    fn call<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let _mode = FloatGuard::new(FloatMode::Default);
    call(work)
}

#[cfg(target_arch = "x86_64")]
fn read() -> u32 {
    let mut bits = 0u32;
    // SAFETY: the instruction stores four bytes to `bits`, which is four bytes of this frame; SSE is part of x86-64.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut bits, options(nostack, preserves_flags)) };
    bits
}

#[cfg(target_arch = "x86_64")]
fn write(bits: u32) {
    // SAFETY: the instruction loads four bytes of this frame. `bits` comes from `read` or from `FloatMode::bits`, so it
    // sets no reserved bit. Compiled Rust assumes default rounding and masked exceptions, which both modes keep;
    // flushing changes float results only, and nothing but shaders runs under it.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const bits, options(nostack, preserves_flags)) };
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn guards_nest_and_restore() {
        let before = read();
        let outer = FloatGuard::new(FloatMode::Flush);
        assert_eq!(read(), 0x9fc0);
        let half = std::hint::black_box(f32::MIN_POSITIVE) * std::hint::black_box(0.5);
        assert_eq!(half.to_bits(), 0);
        {
            let _inner = FloatGuard::new(FloatMode::Default);
            assert_eq!(read(), 0x1f80);
            let half = std::hint::black_box(f32::MIN_POSITIVE) * std::hint::black_box(0.5);
            assert!(half > 0.0);
        }
        assert_eq!(read() & 0x9fc0, 0x9fc0);
        drop(outer);
        assert_eq!(read(), before);
    }
}
