//! Compares the numbers that a resource holds after a run with what was expected.
//!
//! Any NaN equals any NaN, both zeros are equal, and a number passes if it meets any of the bounds of the tolerance.
//! Elements in any order are compared as multisets; with a tolerance in the order of their numbers, pair by pair.

use std::cmp::Ordering;

use brolga_files::Bytes;
use brolga_runtime::{ResourceError, room};

use super::sort::{go_on, sorted};
use crate::model::expectation::{Order, Rules, Tolerance};
use crate::model::number::{Number, NumberType};

/// Differences that are kept for the report; all are counted.
const KEPT: usize = 8;

/// Expected bytes from a byte of the view on.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedBytes {
    /// The offset of the first one.
    pub byte: u64,
    /// The bytes.
    pub bytes: Bytes,
    /// The types of the numbers, repeated to the end; never empty.
    pub pattern: Vec<NumberType>,
}

/// The result of comparing the numbers of a resource.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct NumberCheck {
    /// Numbers compared; elements where the order does not matter.
    pub compared: u64,
    /// Number of mismatches.
    pub mismatches: u64,
    /// The first few differences.
    pub first: Vec<Difference>,
}

/// A number that is not as expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The element it is in.
    pub element: u64,
    /// The 32-bit word in the element.
    pub word: u64,
    /// The byte in the view.
    pub byte: u64,
    /// The number found. `None` if elements are compared in any order and one of this value is missing.
    pub got: Option<Number>,
    /// The number expected. `None` if elements are compared in any order and this one is superfluous.
    pub expected: Option<Number>,
}

/// Compares the bytes of a view with the expected segments, all of which lie inside it, until `stop` returns `true`.
/// `natural_element` is the size of an element where the rules do not give one.
pub(crate) fn compare(
    got: &Bytes,
    segments: &[ExpectedBytes],
    rules: &Rules,
    natural_element: u64,
    stop: &dyn Fn() -> bool,
) -> Result<NumberCheck, ResourceError> {
    let mut found = NumberCheck::default();
    let element = rules.element.unwrap_or(natural_element).max(1);
    for segment in segments {
        match rules.order {
            Order::Fixed => in_order(&mut found, got, segment, rules, element, stop)?,
            Order::Any => as_multisets(&mut found, got, segment, rules, element, stop)?,
        }
    }
    Ok(found)
}

/// `true` if anything at all would be compared.
pub(crate) fn compares_something(segments: &[ExpectedBytes], rules: &Rules, natural_element: u64) -> bool {
    let element = rules.element.unwrap_or(natural_element).max(1);
    let end = rules.elements.map_or(u64::MAX, |elements| elements.saturating_mul(element));
    segments.iter().any(|segment| {
        let unit = segment.pattern[0].size_bytes() as u64;
        let end = end.min(segment.byte + segment.bytes.size_bytes());
        let mut byte = segment.byte;
        while byte < end {
            let next_element = (byte / element).saturating_add(1).saturating_mul(element);
            if !rules.skips(byte / element) {
                return true;
            }
            // To the first number of another element.
            byte = byte.saturating_add((next_element - byte).div_ceil(unit).saturating_mul(unit));
        }
        false
    })
}

impl Rules {
    /// `true` if an element is not compared.
    fn skips(&self, element: u64) -> bool {
        self.skip_elements.binary_search(&element).is_ok()
    }
}

impl NumberCheck {
    fn differ(&mut self, difference: Difference) {
        self.mismatches += 1;
        if self.first.len() < KEPT {
            self.first.push(difference);
        }
    }
}

fn in_order(
    found: &mut NumberCheck,
    got: &Bytes,
    segment: &ExpectedBytes,
    rules: &Rules,
    element: u64,
    stop: &dyn Fn() -> bool,
) -> Result<(), ResourceError> {
    let end = rules.elements.map_or(u64::MAX, |elements| elements.saturating_mul(element));
    let mut stopped = Ok(());
    segment.bytes.beside(got, segment.byte, |at, want, got| {
        let start = segment.byte + at;
        if want == got && rules.skip_elements.is_empty() {
            // The same bits are the same number of any type.
            let unit = segment.pattern[0].size_bytes() as u64;
            found.compared += (want.len() as u64).min(end.saturating_sub(start)).div_ceil(unit);
        } else {
            piece_in_order(found, start, want, got, segment, rules, (element, end));
        }
        stopped = go_on(stop);
        stopped.is_ok() && start + (want.len() as u64) < end
    });
    stopped
}

/// Compares the numbers from byte `start` of a view on that lie before byte `end`.
fn piece_in_order(
    found: &mut NumberCheck,
    start: u64,
    want: &[u8],
    got: &[u8],
    segment: &ExpectedBytes,
    rules: &Rules,
    (element, end): (u64, u64),
) {
    for (byte, number_type, want) in numbers(want, &segment.pattern, start) {
        if byte >= end {
            break;
        }
        if rules.skips(byte / element) {
            continue;
        }
        let have = number_type.read(&got[(byte - start) as usize..]);
        let exact = rules.mixed && !number_type.is_float();
        let tolerance = if exact { &Tolerance::EXACT } else { &rules.tolerance };
        found.compared += 1;
        if !passes(have, want, tolerance) {
            let (got, expected) = (Some(have), Some(want));
            found.differ(Difference { element: byte / element, word: byte % element / 4, byte, got, expected });
        }
    }
}

/// The numbers of a segment that begins at `start` of its view. A tail shorter than a number is left out; the job's
/// checks have rejected it.
fn numbers<'a>(
    bytes: &'a [u8],
    pattern: &'a [NumberType],
    start: u64,
) -> impl Iterator<Item = (u64, NumberType, Number)> + 'a {
    // A pattern counts from the start of the view, whatever the start of the segment.
    let whole: u64 = pattern.iter().map(|number_type| number_type.size_bytes() as u64).sum();
    let mut turn = 0;
    let mut into = start % whole;
    while into >= pattern[turn].size_bytes() as u64 {
        into -= pattern[turn].size_bytes() as u64;
        turn += 1;
    }
    let mut at = 0;
    std::iter::from_fn(move || {
        let number_type = pattern[turn];
        let rest = &bytes[at..];
        if rest.len() < number_type.size_bytes() {
            return None;
        }
        let byte = start + at as u64;
        turn = (turn + 1) % pattern.len();
        at += number_type.size_bytes();
        Some((byte, number_type, number_type.read(rest)))
    })
}

fn as_multisets(
    found: &mut NumberCheck,
    got: &Bytes,
    segment: &ExpectedBytes,
    rules: &Rules,
    element: u64,
    stop: &dyn Fn() -> bool,
) -> Result<(), ResourceError> {
    let count = rules.elements.unwrap_or(segment.bytes.size_bytes() / element);
    let first = |bytes: &Bytes| bytes.first(count.saturating_mul(element), stop);
    let [wanted, had] = [first(&segment.bytes)?, first(got)?].map(|bytes| ElementBytes { bytes, segment, element });
    let order = |elements: &ElementBytes<'_>| {
        let all = (elements.bytes.len() as u64 / element).min(count);
        let mut indices = room::room(all)?;
        indices.extend((0..all).filter(|index| !rules.skips(*index)));
        sorted(indices, element, &|one, other| elements.compare(one, elements, other, stop), stop)
    };
    let (wanted_order, had_order) = (order(&wanted)?, order(&had)?);
    found.compared += wanted_order.len() as u64;
    if rules.tolerance != Tolerance::EXACT && wanted_order.len() == had_order.len() {
        for (n, (want, have)) in wanted_order.into_iter().zip(had_order).enumerate() {
            if (n as u64).is_multiple_of(1 << 12) || element > 1 << 16 {
                go_on(stop)?;
            }
            let mut pairs = had.numbers(have).zip(wanted.numbers(want));
            if let Some((got, expected)) = pairs.find(|(got, want)| !passes(*got, *want, &rules.tolerance)) {
                let (got, expected) = (Some(got), Some(expected));
                found.differ(Difference { element: want, word: 0, byte: want * element, got, expected });
            }
        }
        return Ok(());
    }
    let (mut want, mut have) = (&wanted_order[..], &had_order[..]);
    let mut seen = 0_u64;
    loop {
        if seen.is_multiple_of(1 << 12) || element > 1 << 16 {
            go_on(stop)?;
        }
        seen += 1;
        let order = match (want, have) {
            ([], []) => return Ok(()),
            ([], _) => Ordering::Greater,
            (_, []) => Ordering::Less,
            ([one, ..], [other, ..]) => wanted.compare(*one, &had, *other, stop),
        };
        if order.is_le() {
            let (missing, rest) = (want[0], &want[1..]);
            want = rest;
            if order.is_lt() {
                found.differ(wanted.difference(missing, false));
            }
        }
        if order.is_ge() {
            let (extra, rest) = (have[0], &have[1..]);
            have = rest;
            if order.is_gt() {
                found.differ(had.difference(extra, true));
            }
        }
    }
}

/// Elements of a fixed size in bytes.
struct ElementBytes<'a> {
    bytes: Vec<u8>,
    segment: &'a ExpectedBytes,
    element: u64,
}

impl ElementBytes<'_> {
    /// The numbers of an element, with those that count as equal made identical.
    fn numbers(&self, index: u64) -> impl Iterator<Item = Number> {
        let start = index * self.element;
        let bytes = &self.bytes[start as usize..][..self.element as usize];
        numbers(bytes, &self.segment.pattern, start).map(|(_, _, number)| number.unified())
    }

    /// An order that depends on the values alone and is consistent with them. An element may be as long as the whole
    /// view: once `stop` returns `true`, any order will do.
    fn compare(&self, index: u64, other: &ElementBytes<'_>, other_index: u64, stop: &dyn Fn() -> bool) -> Ordering {
        // Both have as many numbers.
        for (n, (one, other)) in self.numbers(index).zip(other.numbers(other_index)).enumerate() {
            if one != other || (n % (1 << 16) == (1 << 16) - 1 && stop()) {
                return one.rank().cmp(&other.rank()).then(one.cmp(&other));
            }
        }
        Ordering::Equal
    }

    /// The difference for an element that is superfluous or missing.
    fn difference(&self, index: u64, is_extra: bool) -> Difference {
        let number = self.numbers(index).next();
        let (got, expected) = if is_extra { (number, None) } else { (None, number) };
        Difference { element: index, word: 0, byte: index * self.element, got, expected }
    }
}

impl Number {
    /// The same bits for all numbers that count as equal.
    fn unified(self) -> Self {
        let value = self.as_f64();
        let bits = match self.number_type.is_float() {
            true if value.is_nan() => u64::MAX,
            true if value == 0.0 => 0,
            _ => self.bits,
        };
        Self { bits, ..self }
    }

    /// Its rank among the numbers of its type, so that neighbours differ by one.
    fn rank(self) -> i64 {
        let signed = |bits: u64, sign: u64| {
            let magnitude = (bits & (sign - 1)).cast_signed();
            if bits & sign == 0 { magnitude } else { -magnitude }
        };
        match self.number_type {
            NumberType::F32 => signed(self.bits, 1 << 31),
            NumberType::F64 => signed(self.bits, 1 << 63),
            NumberType::I32 => i64::from((self.bits as u32).cast_signed()),
            NumberType::U8 | NumberType::U16 | NumberType::U32 => self.bits.cast_signed(),
        }
    }
}

/// `true` if `got` is near enough to `want`. Both are of one type.
pub(super) fn passes(got: Number, want: Number, tolerance: &Tolerance) -> bool {
    if got.unified() == want.unified() {
        return true;
    }
    let (g, w) = (got.as_f64(), want.as_f64());
    // Nothing is near an infinity, but the sums below would call it near itself.
    if !g.is_finite() || !w.is_finite() {
        return false;
    }
    let off = (g - w).abs();
    tolerance.abs.is_some_and(|abs| off <= abs)
        || tolerance.rel.is_some_and(|rel| off <= rel * w.abs())
        || tolerance.ulp.is_some_and(|ulp| got.rank().abs_diff(want.rank()) <= ulp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use NumberType::*;

    fn rules(pattern: &[NumberType]) -> Rules {
        Rules { pattern: pattern.to_vec(), mixed: pattern.len() > 1, ..Rules::default() }
    }

    fn run(want: &[u8], got: &[u8], rules: &Rules, element: u64) -> NumberCheck {
        let segment = ExpectedBytes { byte: 0, bytes: Bytes::Owned(want.to_vec()), pattern: rules.pattern.clone() };
        compare(&Bytes::Owned(got.to_vec()), &[segment], rules, element, &|| false).unwrap()
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn words(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn nans_and_zeros_are_equal_among_floats_only() {
        let want = words(&[0x7fc0_0000, 0, 0x8000_0000]);
        let got = words(&[0xffff_ffff, 0x8000_0000, 0]);
        assert!(run(&want, &got, &rules(&[F32]), 4).mismatches == 0);
        assert_eq!(run(&want, &got, &rules(&[U32]), 4).mismatches, 3);
    }

    #[test]
    fn a_number_passes_by_any_one_bound() {
        let (want, got) = (floats(&[1.0, 1000.0, 1e-30]), floats(&[1.05, 1001.0, 1.000_001e-30]));
        let with =
            |abs, rel, ulp| Rules { tolerance: Tolerance { abs, rel, ulp, ..Tolerance::EXACT }, ..rules(&[F32]) };
        assert_eq!(run(&want, &got, &with(Some(0.1), None, None), 4).mismatches, 1);
        assert_eq!(run(&want, &got, &with(None, Some(0.01), None), 4).mismatches, 1);
        assert_eq!(run(&want, &got, &with(None, None, Some(20)), 4).mismatches, 2);
        assert!(run(&want, &got, &with(Some(0.1), Some(0.01), None), 4).mismatches == 0);
    }

    #[test]
    fn ulps_count_across_zero_and_infinity_is_near_nothing() {
        let rules =
            Rules { tolerance: Tolerance { ulp: Some(2), rel: Some(1.0), ..Tolerance::EXACT }, ..rules(&[F32]) };
        assert!(run(&words(&[0x8000_0001]), &words(&[1]), &rules, 4).mismatches == 0);
        assert!(run(&floats(&[f32::INFINITY]), &floats(&[f32::MAX]), &rules, 4).mismatches > 0);
        assert!(run(&floats(&[f32::NAN]), &floats(&[1.0]), &rules, 4).mismatches > 0);
    }

    #[test]
    fn integers_of_a_mixed_pattern_are_exact() {
        let rules = Rules { tolerance: Tolerance { abs: Some(5.0), ..Tolerance::EXACT }, ..rules(&[F32, U32]) };
        let want = [floats(&[1.0]), words(&[10]), floats(&[2.0]), words(&[20])].concat();
        let got = [floats(&[2.0]), words(&[11]), floats(&[3.0]), words(&[20])].concat();
        let found = run(&want, &got, &rules, 8);
        assert_eq!(found.mismatches, 1);
        assert_eq!((found.first[0].element, found.first[0].word, found.first[0].byte), (0, 1, 4));
        // Plain integer types take the tolerance.
        let bytes = Rules { pattern: vec![U8], mixed: false, ..rules };
        assert!(run(&[7], &[9], &bytes, 1).mismatches == 0);
    }

    #[test]
    fn elements_bound_and_skips_leave_numbers_out() {
        let want = words(&[1, 2, 3, 4]);
        let got = words(&[1, 9, 3, 9]);
        let rules = Rules { elements: Some(3), skip_elements: vec![1], ..rules(&[U32]) };
        let found = run(&want, &got, &rules, 4);
        assert!(found.mismatches == 0);
        assert_eq!(found.compared, 2);
    }

    #[test]
    fn multisets_ignore_order_and_count_repeats() {
        let rules = Rules { order: Order::Any, element: Some(8), ..rules(&[U32]) };
        let want = words(&[1, 2, 3, 4, 3, 4]);
        assert!(run(&want, &words(&[3, 4, 1, 2, 3, 4]), &rules, 4).mismatches == 0);
        let found = run(&want, &words(&[3, 4, 1, 2, 1, 2]), &rules, 4);
        assert_eq!(found.mismatches, 2);
        assert_eq!((found.first[0].got.map(|n| n.bits), found.first[0].expected), (Some(1), None));
        assert_eq!((found.first[1].got, found.first[1].expected.map(|n| n.bits)), (None, Some(3)));
    }

    #[test]
    fn integers_may_be_off_as_far_as_floats() {
        let near = Tolerance { abs: Some(1.0), rel: Some(0.1), ..Tolerance::EXACT };
        let near = |number_type| Rules { tolerance: near, ..rules(&[number_type]) };
        // A resource may hold more than is expected of it.
        let found = run(&words(&[2, 100, 100]), &words(&[1, 90, 80, 7]), &near(U32), 4);
        assert_eq!((found.compared, found.mismatches, found.first[0].byte), (3, 1, 8));
        let all_ones = |number_type| run(&words(&[0]), &words(&[u32::MAX]), &near(number_type), 4).mismatches;
        assert_eq!([all_ones(I32), all_ones(U32)], [0, 1]);
    }

    #[test]
    fn multisets_within_a_tolerance_are_compared_by_their_order() {
        let near = Tolerance { abs: Some(0.5), ..Tolerance::EXACT };
        let rules = Rules { order: Order::Any, tolerance: near, ..rules(&[F32]) };
        let mismatches = |got: [f32; 3]| run(&floats(&[1.0, 5.0, 3.0]), &floats(&got), &rules, 4).mismatches;
        assert_eq!([mismatches([3.25, 0.75, 5.0]), mismatches([3.25, 0.25, 5.0])], [0, 1]);
        assert_eq!(mismatches([4.5, 0.5, 4.5]), 1);
    }

    #[test]
    fn a_pattern_counts_from_the_start_of_the_view() {
        let rules = rules(&[F32, U32]);
        let bytes = Bytes::Owned(words(&[0x8000_0000, 0]));
        let segment = ExpectedBytes { byte: 4, bytes, pattern: rules.pattern.clone() };
        let got = Bytes::Owned(words(&[0, 0x8000_0000, 0x8000_0000]));
        let found = compare(&got, &[segment], &rules, 8, &|| false).unwrap();
        assert!(found.mismatches == 0);
    }

    #[test]
    fn comparisons_end_when_they_are_told_to() {
        let bytes = words(&[1; 100_000]);
        for order in [Order::Fixed, Order::Any] {
            let rules = Rules { order, ..rules(&[U32]) };
            let segment =
                || ExpectedBytes { byte: 0, bytes: Bytes::Owned(bytes.clone()), pattern: rules.pattern.clone() };
            let stopped = compare(&Bytes::Owned(bytes.clone()), &[segment()], &rules, 4, &|| true);
            assert!(matches!(stopped, Err(ResourceError::Stopped)), "{order:?}");
        }
    }

    /// The list of skipped elements may be as long as the view: neither is walked once for each number of the other.
    #[test]
    fn all_elements_may_be_skipped_one_by_one() {
        let count = 1_000_000;
        let bytes = words(&vec![7; count]);
        let rules = Rules { skip_elements: (0..count as u64).collect(), ..rules(&[U32]) };
        let segment = ExpectedBytes { byte: 0, bytes: Bytes::Owned(bytes.clone()), pattern: rules.pattern.clone() };
        assert!(!compares_something(std::slice::from_ref(&segment), &rules, 4));
        let last = Rules { skip_elements: (0..count as u64 - 1).collect(), ..rules.clone() };
        assert!(compares_something(std::slice::from_ref(&segment), &last, 4));
        // Elements that begin within a number belong to the element before them.
        let odd = Rules { skip_elements: vec![0, 1], element: Some(6), ..rules };
        let three =
            |length| [ExpectedBytes { byte: 0, bytes: Bytes::Owned(words(&vec![7; length])), pattern: vec![U32] }];
        assert!(!compares_something(&three(3), &odd, 4) && compares_something(&three(4), &odd, 4));
    }
}
