//! Finds the instructions that are listed in program order.
//!
//! Machine code does not follow the shader's order: a value shared by several instructions is computed with the first,
//! loop-invariant code moves out of loops, and cold paths go to the end. A listing should still read from top to
//! bottom. So the longest run of pieces that is in order becomes its backbone, and all others are marked.

/// Finds a longest strictly increasing subsequence; returns for each number `true` if it belongs to it.
pub(super) fn in_order(numbers: &[usize]) -> Vec<bool> {
    // `ends[n]` is the position that ends the best subsequence of n + 1 numbers, the one with the smallest end.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; numbers.len()];
    for (at, &number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|&end| numbers[end] < number);
        before[at] = length.checked_sub(1).map(|n| ends[n]);
        match ends.get_mut(length) {
            Some(end) if numbers[*end] > number => *end = at,
            // The first of equal numbers: rare paths come last.
            Some(_) => {}
            None => ends.push(at),
        }
    }
    let mut chosen = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        chosen[at] = true;
        next = before[at];
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(numbers: &[usize]) -> Vec<usize> {
        let chosen = in_order(numbers);
        numbers.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(&number, _)| number).collect()
    }

    #[test]
    fn what_is_moved_away_leaves_the_order() {
        assert_eq!(kept(&[]), []);
        assert_eq!(kept(&[1, 2, 3]), [1, 2, 3]);
        assert_eq!(kept(&[9, 1, 2, 9, 3, 4, 0, 5]), [1, 2, 3, 4, 5]);
        assert_eq!(kept(&[2, 2, 2]), [2]);
        assert_eq!(in_order(&[0, 1, 2, 1, 2]), [true, true, true, false, false]);
    }
}
