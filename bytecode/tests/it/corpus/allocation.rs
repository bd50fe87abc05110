//! Counts the bytes that the current thread has allocated, so that a test can bound them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize) {
    let now = NOW.get().saturating_add(bytes);
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

// SAFETY: every call goes to the system allocator with the caller's own arguments, and its answer comes back unchanged;
// the counters are plain thread-local cells that allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps what `GlobalAlloc::alloc` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.set(NOW.get().saturating_sub(layout.size()));
        // SAFETY: the caller keeps what `GlobalAlloc::dealloc` asks for; the pointer came from the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work` and returns the most bytes that it held. Growing a vector counts both copies, as it may need both.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.get();
    PEAK.set(before);
    let result = work();
    (result, PEAK.get().saturating_sub(before))
}

#[test]
fn the_peak_is_counted() {
    let ((), bytes) = peak(|| {
        drop(std::hint::black_box(vec![0_u8; 1 << 20]));
        drop(std::hint::black_box(vec![0_u8; 1 << 19]));
    });
    assert!((1 << 20..1 << 21).contains(&bytes), "{bytes}");
}
