//! Holds the memory of a running span of groups, kept from span to span by the worker.

use super::LaneMask;
use super::code::{ArenaSlot, Code};
use crate::function::Input;
use crate::host::Host;
use crate::span::Span;

/// Values, masks, shared memory and private arrays of a running span. Any shader can use any arena: it grows as needed
/// and keeps its size.
#[derive(Debug, Default)]
pub struct Arena {
    /// The shared frame, then the values that each packet keeps; for each value the bits in every lane, as in
    /// [`Const`](crate::Const).
    pub(super) values: Vec<u64>,
    /// Buffer for moves whose sources and targets overlap.
    pub(super) moving: Vec<u64>,
    /// Operands and results of a sample, row after row.
    pub(super) rows: Vec<u32>,
    /// Per packet, the threads that have not returned.
    pub(super) alive: Vec<LaneMask>,
    /// Per loop or switch, the lanes that left it by a break.
    pub(super) broken: Vec<LaneMask>,
    /// Per loop, the lanes that wait for the next iteration.
    pub(super) continued: Vec<LaneMask>,
    pub(super) shared: Vec<u32>,
    /// Private arrays: packet, word, lane.
    pub(super) locals: Vec<u32>,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn bytes_for(code: &Code) -> usize {
        let values = code.frame_len + code.kept_len * code.most_packets;
        let locals = code.local_words * if code.keeps_locals { code.most_packets } else { 1 };
        (values * size_of::<u64>() + locals * size_of::<u32>()) * code.lanes + code.shared_words * size_of::<u32>()
    }

    /// Resets the arena for a span of `groups` groups; returns `false` if the host asked to stop meanwhile.
    pub(super) fn start(&mut self, code: &Code, groups: u32, host: &dyn Host) -> bool {
        let threads = (code.threads_per_group() * groups) as usize;
        let packets = threads.div_ceil(code.lanes);
        let len = (code.frame_len + code.kept_len * packets) * code.lanes;
        if self.values.len() < len && !fill(&mut self.values, len, host) {
            return false;
        }
        for &(slot, bits) in &code.constants {
            self.value_mut(code, 0, slot).fill(bits);
        }
        self.alive.clear();
        self.alive.resize(packets, code.all_lanes());
        let tail = threads % code.lanes;
        if let Some(last) = self.alive.last_mut().filter(|_| tail != 0) {
            *last = (1 << tail) - 1;
        }
        self.broken.resize(self.broken.len().max(code.target_count), 0);
        self.continued.resize(self.broken.len(), 0);
        self.shared.clear();
        self.shared.resize(code.shared_words, 0);
        self.locals.clear();
        !code.keeps_locals || fill(&mut self.locals, code.local_words * packets * code.lanes, host)
    }

    /// Sets the inputs and private arrays of the packet that runs next.
    pub(super) fn enter_packet(&mut self, code: &Code, span: &Span, packet: usize) {
        let [x, y, _] = code.group_size;
        let threads = code.threads_per_group();
        for &(slot, input) in &code.inputs {
            // Lanes beyond the last thread get values too, which are never read.
            for (lane, bits) in self.value_mut(code, 0, slot).iter_mut().enumerate() {
                let number = (packet * code.lanes + lane) as u32;
                let index = number % threads;
                let group_id = |n: u8| span.group(if span.groups == 1 { 0 } else { number / threads })[usize::from(n)];
                let thread_id = |component: u8| match component {
                    0 => index % x,
                    1 => index / x % y,
                    _ => index / x / y,
                };
                *bits = u64::from(match input {
                    Input::ThreadIndex => index,
                    Input::GroupId(n) => group_id(n),
                    Input::GroupCount(n) => span.grid.groups[usize::from(n)],
                    Input::ThreadIdInGroup(n) => thread_id(n),
                    Input::ThreadId(n) => {
                        group_id(n).wrapping_mul(code.group_size[usize::from(n)]).wrapping_add(thread_id(n))
                    }
                });
            }
        }
        if !code.keeps_locals {
            self.locals.clear();
            self.locals.resize(code.local_words * code.lanes, 0);
        }
    }

    /// The index of the first lane of a packet's value among all values.
    pub(super) fn start_of(code: &Code, packet: usize, slot: ArenaSlot) -> usize {
        let slot = slot as usize;
        let at = if slot < code.frame_len { slot } else { slot + packet * code.kept_len };
        at * code.lanes
    }

    /// A value of a packet.
    pub(super) fn value(&self, code: &Code, packet: usize, slot: ArenaSlot) -> &[u64] {
        &self.values[Self::start_of(code, packet, slot)..][..code.lanes]
    }

    /// The same, mutably.
    pub(super) fn value_mut(&mut self, code: &Code, packet: usize, slot: ArenaSlot) -> &mut [u64] {
        &mut self.values[Self::start_of(code, packet, slot)..][..code.lanes]
    }
}

/// Extends a list with zeros; returns `false` if the host asks to stop before it is that long. Hundreds of megabytes
/// take a while.
fn fill<T: Clone + Default>(list: &mut Vec<T>, len: usize, host: &dyn Host) -> bool {
    const AT_ONCE: usize = 1 << 18;
    list.reserve_exact(len.saturating_sub(list.len()));
    while list.len() < len {
        list.resize(len.min(list.len() + AT_ONCE), T::default());
        if list.len() < len && host.stop_requested() {
            return false;
        }
    }
    true
}
