//! Packs groups into spans, and their threads into packets.
//!
//! A group with few threads would leave most lanes of its packets idle. Where threads of different groups cannot
//! observe that they run together (no shared memory, no waiting barrier), packets therefore hold threads of several
//! groups: an engine runs a *span* of consecutive groups as if it were one group. Thread `n` of the span is thread `n %
//! t` of its group `n / t`, for groups of `t` threads.
//!
//! Spans that an engine is given start at multiples of [`Packing::quantum`] groups, so which threads share a packet
//! depends on the dispatch alone, not on how it is cut into spans.

use serde::{Deserialize, Serialize};

use crate::function::Function;

/// The threads that may share a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Packing {
    /// Threads of one group.
    #[default]
    Group,
    /// Threads of groups in one row along x, which differ only in x.
    Row,
    /// Threads of any consecutive groups, x fastest.
    Grid,
}

/// The most threads of a span.
pub const SPAN_THREADS: u32 = 1024;

/// The largest group worth packing with others: larger ones leave at most one lane in sixteen idle.
const SMALL_GROUP: u32 = 112;

/// The least number of packets that is worth compiling other code for.
const WORTH_PACKETS: u64 = 1000;

impl Packing {
    /// `true` if packets benefit from threads of several groups, and may have them.
    pub fn may_span(func: &Function) -> bool {
        let threads = func.interface.threads_per_group();
        let some_left_over = threads > 0 && threads <= SMALL_GROUP && !threads.is_multiple_of(func.width.lanes());
        some_left_over && func.interface.shared.is_empty() && !func.waits()
    }

    /// `true` if a component of `vThreadGroupID` differs within a span.
    pub fn varies(self, component: usize) -> bool {
        match self {
            Packing::Group => false,
            Packing::Row => component == 0,
            Packing::Grid => true,
        }
    }

    /// The packing for a dispatch of a shader that may span: threads of a row have consecutive indices, so rows are
    /// preferred unless they are so short that many lanes would be idle.
    pub fn for_grid(grid: Grid, threads_per_group: u32, lanes: u32) -> Self {
        let packets = |groups: u64| groups.saturating_mul(threads_per_group.into()).div_ceil(lanes.into());
        let width = u64::from(grid.groups[0]);
        let rows = packets(width).saturating_mul(grid.count().checked_div(width).unwrap_or(0));
        let whole = packets(grid.count());
        if rows / 3 * 2 > whole && rows - whole >= WORTH_PACKETS { Packing::Grid } else { Packing::Row }
    }

    /// The fewest groups that fill packets of this many lanes, a power of two.
    pub fn quantum(self, threads_per_group: u32, lanes: u32) -> u32 {
        match self {
            Packing::Group => 1,
            Packing::Row | Packing::Grid => (lanes >> threads_per_group.trailing_zeros().min(31)).max(1),
        }
    }

    /// The most groups of a span, a multiple of the quantum.
    pub fn most_groups(self, threads_per_group: u32, lanes: u32) -> u32 {
        let quantum = self.quantum(threads_per_group, lanes);
        match self {
            Packing::Group => 1,
            Packing::Row | Packing::Grid => (SPAN_THREADS / (quantum * threads_per_group.max(1))).max(1) * quantum,
        }
    }
}

/// A box of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Groups along x, y and z.
    pub groups: [u32; 3],
    /// The coordinates of the first group.
    pub first: [u32; 3],
}

impl Grid {
    /// Number of groups in the box, if each extent is at most 2^21.
    pub fn count(&self) -> u64 {
        self.groups.iter().map(|&n| u64::from(n)).product()
    }

    /// The number of the group at these coordinates, if it is in the box.
    pub fn number(&self, group: [u32; 3]) -> Option<u64> {
        let mut number = 0;
        for axis in [2, 1, 0] {
            let at = group[axis].checked_sub(self.first[axis]).filter(|&at| at < self.groups[axis])?;
            number = number * u64::from(self.groups[axis]) + u64::from(at);
        }
        Some(number)
    }

    /// The coordinates of the n-th group, x fastest.
    #[inline]
    pub fn group(&self, n: u64) -> [u32; 3] {
        let [width, height, _] = self.groups.map(u64::from);
        let (row, x) = divide(n, width);
        let (z, y) = divide(row, height);
        let place = [x, y, z];
        [0, 1, 2].map(|axis| self.first[axis].wrapping_add(place[axis] as u32))
    }
}

/// Quotient and remainder. Most dispatches have one row, and a division costs more than many a group's packet.
#[inline]
fn divide(n: u64, by: u64) -> (u64, u64) {
    if n < by { (0, n) } else { (n / by, n % by) }
}

/// Groups that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The dispatch they belong to.
    pub grid: Grid,
    /// The number of the first one in the dispatch.
    pub start: u64,
    /// Number of groups.
    pub groups: u32,
}

impl Span {
    /// One group alone.
    pub fn one(group: [u32; 3]) -> Self {
        Self { grid: Grid { groups: [1; 3], first: group }, start: 0, groups: 1 }
    }

    /// The spans of a batch of invocations, each of which is a group of one thread. The last packet may have to be
    /// full.
    pub fn batch(invocations: u32, lanes: u32, fills_packets: bool) -> impl Iterator<Item = Self> {
        let whole = invocations.checked_next_multiple_of(lanes).filter(|_| fills_packets);
        let invocations = whole.unwrap_or(invocations);
        debug_assert_eq!(Packing::Row.most_groups(1, lanes), SPAN_THREADS, "packets have powers of two of lanes");
        let grid = Grid { groups: [invocations, 1, 1], first: [0; 3] };
        let mut start = 0;
        std::iter::from_fn(move || {
            let groups = SPAN_THREADS.min(invocations - start);
            let span = Self { grid, start: start.into(), groups };
            start += groups;
            (groups > 0).then_some(span)
        })
    }

    /// The coordinates of a group of the span.
    #[inline]
    pub fn group(&self, n: u32) -> [u32; 3] {
        self.grid.group(self.start + u64::from(n))
    }

    /// The coordinates of its groups, in order.
    pub fn positions(&self) -> impl Iterator<Item = [u32; 3]> {
        let Grid { groups, first } = self.grid;
        let end = [0, 1].map(|axis| first[axis].wrapping_add(groups[axis]));
        let mut next = self.group(0);
        (0..self.groups).map(move |_| {
            let group = next;
            next[0] = next[0].wrapping_add(1);
            for axis in [0, 1] {
                if next[axis] == end[axis] {
                    next[axis] = first[axis];
                    next[axis + 1] = next[axis + 1].wrapping_add(1);
                }
            }
            group
        })
    }

    /// `true` if a packing allows it, for groups of this many threads.
    #[inline]
    pub fn is_packed(&self, packing: Packing, threads_per_group: u32, lanes: u32) -> bool {
        let width = u64::from(self.grid.groups[0]);
        let fits = || self.groups <= packing.most_groups(threads_per_group, lanes);
        match packing {
            Packing::Group => self.groups == 1,
            Packing::Row => fits() && self.start % width + u64::from(self.groups) <= width,
            Packing::Grid => fits() && self.start + u64::from(self.groups) <= self.grid.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Sync;
    use crate::interface::{Interface, Shared};

    const LANES: u32 = 8;

    #[test]
    fn groups_are_counted_x_first_from_the_first_one() {
        let grid = Grid { groups: [3, 2, 2], first: [10, 20, 30] };
        let all: Vec<_> = (0..grid.count()).map(|n| grid.group(n)).collect();
        let mut expected = Vec::new();
        for z in 30..32 {
            for y in 20..22 {
                for x in 10..13 {
                    expected.push([x, y, z]);
                }
            }
        }
        assert_eq!(all, expected);
        assert_eq!(Grid { groups: [65535; 3], first: [0; 3] }.count(), 65535u64.pow(3));
        assert_eq!(Grid { groups: [7, 0, 2], first: [0; 3] }.count(), 0);
        let span = Span { grid, start: 4, groups: 3 };
        assert_eq!([0, 1, 2].map(|n| span.group(n)), [[11, 21, 30], [12, 21, 30], [10, 20, 31]]);
        assert_eq!(span.positions().collect::<Vec<_>>(), all[4..7]);
        assert_eq!(Span { grid, start: 0, groups: 12 }.positions().collect::<Vec<_>>(), all);
        assert_eq!(Span::one([7, 8, 9]).group(0), [7, 8, 9]);
    }

    #[test]
    fn a_quantum_fills_packets() {
        for threads in 1..=SMALL_GROUP {
            let quantum = Packing::Row.quantum(threads, LANES);
            let smallest = (1..=LANES).find(|n| (n * threads).is_multiple_of(LANES));
            assert_eq!(Some(quantum), smallest, "{threads} threads");
            let most = Packing::Grid.most_groups(threads, LANES);
            assert!(most.is_multiple_of(quantum) && most * threads <= SPAN_THREADS, "{threads} threads");
            assert!((most + quantum) * threads > SPAN_THREADS, "{threads} threads");
        }
        assert_eq!(Packing::Group.most_groups(1, LANES), 1);
    }

    #[test]
    fn short_rows_are_packed_over_their_ends() {
        let packing = |groups, threads| Packing::for_grid(Grid { groups, first: [0; 3] }, threads, LANES);
        assert_eq!([[4096, 4096, 1], [100, 1000, 1], [1, 100, 1]].map(|groups| packing(groups, 1)), [Packing::Row; 3]);
        assert_eq!([[1, 2000, 1], [3, 10, 1000], [1, 1, 65535]].map(|groups| packing(groups, 1)), [Packing::Grid; 3]);
        assert_eq!([packing([1, 4000, 1], 12), packing([1, 4000, 1], 9)], [Packing::Row, Packing::Grid]);
        assert_eq!([packing([0, 4000, 1], 1), packing([65535; 3], 1)], [Packing::Row; 2]);
    }

    #[test]
    fn what_may_span() {
        let may = |group_size, shared: bool, sync: Option<Sync>| {
            let g0 = Shared { register: 0, raw: true, stride_bytes: 4, count: 1 };
            let shared = shared.then_some(g0).into_iter().collect();
            let mut func = Function::new("test", Interface { shared, ..Interface::compute(group_size) });
            let mut b = Builder::new(&mut func);
            if let Some(sync) = sync {
                b.barrier(sync);
            }
            b.return_();
            Packing::may_span(&func)
        };
        let fence = Sync { views_global: true, ..Sync::default() };
        let wait = Sync { threads: true, ..Sync::default() };
        assert!(may([1, 1, 1], false, None) && may([3, 2, 2], false, Some(fence)) && may([111, 1, 1], false, None));
        assert!(!may([8, 1, 1], false, None) && !may([4, 4, 1], false, None) && !may([113, 1, 1], false, None));
        assert!(!may([0, 1, 1], false, None), "nothing to run");
        assert!(!may([1, 1, 1], true, None) && !may([1, 1, 1], false, Some(wait)));
    }

    #[test]
    fn spans_keep_to_what_their_packing_allows() {
        let grid = Grid { groups: [5, 4, 1], first: [1, 1, 1] };
        let packed = |packing, start, groups| Span { grid, start, groups }.is_packed(packing, 1, LANES);
        assert!(packed(Packing::Group, 7, 1) && !packed(Packing::Group, 7, 2));
        assert!(packed(Packing::Row, 5, 5) && packed(Packing::Row, 8, 2) && !packed(Packing::Row, 8, 3));
        assert!(packed(Packing::Grid, 8, 12) && !packed(Packing::Grid, 8, 13));
    }
}
