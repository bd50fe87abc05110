//! Collects what probes suspect, and chooses the groups that a check looks at.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use brolga_ir::entity::MessageId;
use brolga_ir::function::Origin;
use brolga_ir::insight::group_of_entry;
use brolga_ir::span::{Grid, Span};

use crate::host::Outbox;

/// Of each probe, the first and the last groups that it suspects are looked at. Where all that these did was well, so is
/// what the others did, as a rule: a read past an end that the shader throws away, writers of the same word.
const FIRST: usize = 4;
const LAST: usize = 2;

/// A run with so few groups, or threads, is looked at as a whole, if anything is suspected.
const FEW_GROUPS: u64 = 8;
const FEW_THREADS: u64 = 1024;

/// What probes suspect, of the groups of one dispatch.
#[derive(Debug)]
pub(super) struct Suspects {
    grid: Grid,
    threads_per_group: u32,
    /// The groups that run now.
    start: AtomicU64,
    end: AtomicU64,
    /// Set in a run whose suspicions are known.
    is_known: AtomicBool,
    /// By probe: its message and its instruction.
    sites: Mutex<BTreeMap<(MessageId, Origin), Site>>,
}

/// What a probe suspects.
#[derive(Debug, Default)]
struct Site {
    first: Vec<Suspicion>,
    last: Vec<Suspicion>,
    spans: u64,
}

/// Groups that ran together, and one that they may race with.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Suspicion {
    groups: Range<u64>,
    other: Option<u64>,
}

impl Suspects {
    /// Nothing yet.
    pub fn new(grid: Grid, threads_per_group: u32) -> Self {
        Self {
            grid,
            threads_per_group,
            start: AtomicU64::new(0),
            end: AtomicU64::new(0),
            is_known: AtomicBool::new(false),
            sites: Mutex::default(),
        }
    }

    /// Notes that a span is about to run.
    #[inline]
    pub fn begin(&self, span: &Span) {
        self.start.store(span.start, Ordering::Relaxed);
        self.end.store(span.start + u64::from(span.groups), Ordering::Relaxed);
    }

    /// Suspects these groups of something that no probe sees.
    pub fn add(&self, groups: Range<u64>, origin: Origin) {
        self.suspect(MessageId::new(0), origin, Suspicion { groups, other: None });
    }

    /// Ignores what comes from now on.
    pub fn close(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }

    fn suspect(&self, message: MessageId, origin: Origin, suspicion: Suspicion) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let site = sites.entry((message, origin)).or_default();
        let latest = site.last.last().or(site.first.last());
        let is_same_span = latest.is_some_and(|latest| latest.groups == suspicion.groups);
        if is_same_span && (suspicion.other.is_none() || latest == Some(&suspicion)) {
            return;
        }
        site.spans += u64::from(!is_same_span);
        if site.first.len() < FIRST {
            site.first.push(suspicion);
        } else {
            if site.last.len() >= LAST {
                site.last.remove(0);
            }
            site.last.push(suspicion);
        }
    }

    /// The groups to look at, and the number of suspected ones that are not: those that the probe with the most of them
    /// suspects.
    pub fn chosen(&self) -> (BTreeSet<u64>, u64) {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.grid.count();
        if sites.is_empty() {
            return (BTreeSet::new(), 0);
        }
        if count <= FEW_GROUPS || count.saturating_mul(self.threads_per_group.into()) <= FEW_THREADS {
            return ((0..count).collect(), 0);
        }
        let chosen = sites.values().flat_map(|site| site.first.iter().chain(&site.last));
        let chosen = chosen.flat_map(|suspicion| suspicion.groups.clone().chain(suspicion.other)).collect();
        let left = sites.values().map(|site| site.spans.saturating_sub((FIRST + LAST) as u64)).max();
        (chosen, left.unwrap_or(0))
    }

    /// The number in the run of the group of the thread that an entry names.
    fn group_of(&self, entry: u32) -> Option<u64> {
        let [x, y, z] = self.grid.first.map(u64::from);
        let [width, height, _] = self.grid.groups.map(u64::from);
        let first = x.wrapping_add(y.wrapping_mul(width)).wrapping_add(z.wrapping_mul(width.wrapping_mul(height)));
        // An entry has only the low bits of the thread's number.
        let group = group_of_entry(entry, self.threads_per_group)?.checked_sub(first)?;
        (group < self.grid.count()).then_some(group)
    }
}

impl Outbox for Suspects {
    #[cold]
    fn send(&self, message: MessageId, origin: Origin, words: &[u32]) {
        if self.is_known.load(Ordering::Relaxed) {
            return;
        }
        let groups = self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed);
        let other = words.first().and_then(|&entry| self.group_of(entry)).filter(|other| !groups.contains(other));
        self.suspect(message, origin, Suspicion { groups, other });
    }
}
