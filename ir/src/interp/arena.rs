//! The memory that a running span of groups needs, kept from span to span by the worker.

use std::ops::Range;

use super::code::{Code, Slot};
use super::{Lanes, Mask, lanes_of};
use crate::function::Input;
use crate::span::Span;
use crate::width::MAX_LANES;

/// Lanes that are stored together: those of the narrowest packet.
pub(super) const ROW: usize = 8;

/// Some lanes of a value.
type Row = [u64; ROW];

/// Values, masks, shared memory and private arrays of what runs. Any shader can use any arena: it grows as
/// needed and keeps its size.
#[derive(Debug, Default)]
pub struct Arena {
    /// The shared frame, then what each packet keeps.
    pub(super) values: Vec<Row>,
    /// Values on their way during a move that overlaps.
    pub(super) moving: Vec<Lanes>,
    /// Per packet, the threads that have not ended.
    pub(super) alive: Vec<Mask>,
    /// Per loop or switch, the lanes that left it by a break.
    pub(super) broken: Vec<Mask>,
    /// Per loop, the lanes that wait for the next round.
    pub(super) continued: Vec<Mask>,
    pub(super) shared: Vec<u32>,
    /// Private arrays: packet, word, lane.
    pub(super) locals: Vec<[u32; MAX_LANES]>,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn bytes_for(code: &Code) -> usize {
        let values = code.frame_len + code.kept_len * code.most_packets;
        let locals = code.local_words * if code.keeps_locals { code.most_packets } else { 1 };
        values * code.rows() * size_of::<Row>() + locals * size_of::<[u32; MAX_LANES]>() + code.shared_words * 4
    }

    /// Brings the arena into the state at the start of a span of so many groups.
    pub(super) fn start(&mut self, code: &Code, groups: u32) {
        let threads = (code.threads_per_group() * groups) as usize;
        let packets = threads.div_ceil(code.lanes);
        let len = (code.frame_len + code.kept_len * packets) * code.rows();
        if self.values.len() < len {
            self.values.resize(len, [0; ROW]);
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
        if code.keeps_locals {
            self.locals.resize(code.local_words * packets, [0; MAX_LANES]);
        }
    }

    /// Makes a packet the one that runs.
    pub(super) fn enter_packet(&mut self, code: &Code, span: &Span, packet: usize) {
        let [x, y, _] = code.group_size;
        let threads = code.threads_per_group();
        let number = |lane: usize| (packet * code.lanes + lane) as u32;
        let group_ids: [[u32; 3]; MAX_LANES] = match span.groups {
            1 => [span.group(0); MAX_LANES],
            _ => std::array::from_fn(|lane| span.group(number(lane.min(code.lanes - 1)) / threads)),
        };
        for &(slot, input) in &code.inputs {
            let value = self.value_mut(code, 0, slot);
            // The tail's lanes get values too, which nobody reads.
            for (lane, bits) in value.iter_mut().enumerate() {
                let (index, group_id) = (number(lane) % threads, group_ids[lane]);
                let place = |component: u8| match component {
                    0 => index % x,
                    1 => index / x % y,
                    _ => index / x / y,
                };
                *bits = u64::from(match input {
                    Input::ThreadIndex => index,
                    Input::GroupId(n) => group_id[usize::from(n)],
                    Input::ThreadIdInGroup(n) => place(n),
                    Input::ThreadId(n) => {
                        let n_ = usize::from(n);
                        group_id[n_].wrapping_mul(code.group_size[n_]).wrapping_add(place(n))
                    }
                });
            }
        }
        if !code.keeps_locals {
            self.locals.clear();
            self.locals.resize(code.local_words, [0; MAX_LANES]);
        }
    }

    /// The rows of a value of a packet.
    fn rows(code: &Code, packet: usize, slot: Slot) -> Range<usize> {
        let slot = slot as usize;
        let at = if slot < code.frame_len { slot } else { slot + packet * code.kept_len };
        at * code.rows()..(at + 1) * code.rows()
    }

    /// A value of a packet.
    pub(super) fn value(&self, code: &Code, packet: usize, slot: Slot) -> &[u64] {
        self.values[Self::rows(code, packet, slot)].as_flattened()
    }

    /// The same to be written.
    pub(super) fn value_mut(&mut self, code: &Code, packet: usize, slot: Slot) -> &mut [u64] {
        self.values[Self::rows(code, packet, slot)].as_flattened_mut()
    }
}

/// Writes some lanes of a value, of so many that the packet has.
pub(super) fn write_lanes(to: &mut [u64], from: &Lanes, mask: Mask, all: Mask) {
    if mask == all {
        to.copy_from_slice(&from[..to.len()]);
    } else {
        for lane in lanes_of(mask) {
            to[lane] = from[lane];
        }
    }
}
