//! Sorts elements that may take gigabytes: by index, in memory whose allocation may fail, and until the caller stops
//! it.

use std::cmp::Ordering;

use brolga_runtime::{ResourceError, room};

/// Bytes of elements that are sorted, or merged, between two calls of `stop`.
const PIECE: usize = 1 << 16;

/// Sorts the indices of elements of a given size by `compare`. The sort is stable.
pub(super) fn sorted(
    mut indices: Vec<u64>,
    element_bytes: u64,
    compare: &dyn Fn(u64, u64) -> Ordering,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u64>, ResourceError> {
    let breath = (PIECE as u64 / element_bytes.max(1)).clamp(1, 1 << 12) as usize;
    for run in indices.chunks_mut(breath) {
        go_on(stop)?;
        run.sort_by(|&one, &other| compare(one, other));
    }
    let mut merged = room::zeros(indices.len() as u64)?;
    let mut length = breath;
    while length < indices.len() {
        for (pair, to) in indices.chunks(2 * length).zip(merged.chunks_mut(2 * length)) {
            let (mut first, mut second) = pair.split_at(length.min(pair.len()));
            for (n, index) in to.iter_mut().enumerate() {
                if n % breath == 0 {
                    go_on(stop)?;
                }
                let from = match (first, second) {
                    ([one, ..], [other, ..]) if compare(*one, *other).is_gt() => &mut second,
                    ([], _) => &mut second,
                    _ => &mut first,
                };
                // Together they have as many elements as there are indices.
                if let [next, rest @ ..] = *from {
                    (*index, *from) = (*next, rest);
                }
            }
        }
        std::mem::swap(&mut indices, &mut merged);
        length *= 2;
    }
    Ok(indices)
}

/// An error if the caller has stopped what it asked for.
pub(crate) fn go_on(stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
    if stop() { Err(ResourceError::Stopped) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn places_are_sorted_as_by_a_stable_sort() {
        for (count, element_bytes) in [(0, 4), (1, 1 << 40), (1000, 1 << 40), (10_000, 4096), (30_000, 4)] {
            let value = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
            let compare = |one: u64, other: u64| value(one).cmp(&value(other));
            let mut expected: Vec<u64> = (0..count).collect();
            expected.sort_by(|&one, &other| compare(one, other));
            let found = sorted((0..count).collect(), element_bytes, &compare, &|| false).unwrap();
            assert!(found == expected, "{count} of {element_bytes}");
        }
    }

    #[test]
    fn sorting_ends_wherever_it_is() {
        let calls = Cell::new(0);
        let last = |most: usize| {
            calls.set(0);
            let stop = || calls.replace(calls.get() + 1) >= most;
            sorted((0..9000).collect(), 64, &|one, other| other.cmp(&one), &stop)
        };
        assert!(last(usize::MAX).is_ok());
        let all = calls.get();
        assert!(all > 20, "{all}");
        assert!((0..all).all(|most| matches!(last(most), Err(ResourceError::Stopped)) && calls.get() == most + 1));
    }
}
