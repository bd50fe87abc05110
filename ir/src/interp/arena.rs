//! The memory that a running group needs, kept from group to group by the worker.

use super::code::{Code, Slot};
use super::{LANES, Lanes, Mask, lanes_of};
use crate::function::Input;

/// Values, masks, shared memory and private arrays of the group that runs. Any shader can use any arena: it grows as
/// needed and keeps its size.
#[derive(Debug, Default)]
pub struct Arena {
    /// The shared frame, then what each packet keeps.
    pub(super) values: Vec<Lanes>,
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
    pub(super) locals: Vec<[u32; LANES]>,
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn bytes_for(code: &Code) -> usize {
        let values = code.frame_len + code.kept_len * code.packets;
        let locals = code.local_words * if code.keeps_locals { code.packets } else { 1 };
        values * size_of::<Lanes>() + locals * size_of::<[u32; LANES]>() + code.shared_words * 4
    }

    /// Brings the arena into the state at a group's start.
    pub(super) fn start_group(&mut self, code: &Code) {
        let len = code.frame_len + code.kept_len * code.packets;
        if self.values.len() < len {
            self.values.resize(len, [0; LANES]);
        }
        for &(slot, bits) in &code.constants {
            self.values[slot as usize] = [bits; LANES];
        }
        let threads: u32 = code.group_size.iter().product();
        self.alive.clear();
        self.alive.resize(code.packets, Mask::MAX);
        let tail = threads as usize % LANES;
        if let Some(last) = self.alive.last_mut().filter(|_| tail != 0) {
            *last = (1 << tail) - 1;
        }
        self.broken.resize(self.broken.len().max(code.target_count), 0);
        self.continued.resize(self.broken.len(), 0);
        self.shared.clear();
        self.shared.resize(code.shared_words, 0);
        self.locals.clear();
        if code.keeps_locals {
            self.locals.resize(code.local_words * code.packets, [0; LANES]);
        }
    }

    /// Makes a packet the one that runs.
    pub(super) fn enter_packet(&mut self, code: &Code, group_id: [u32; 3], packet: usize) {
        let [x, y, _] = code.group_size;
        for &(slot, input) in &code.inputs {
            let value = &mut self.values[slot as usize];
            // The tail's lanes get values too, which nobody reads.
            for (lane, bits) in value.iter_mut().enumerate() {
                let index = (packet * LANES + lane) as u32;
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
            self.locals.resize(code.local_words, [0; LANES]);
        }
    }

    /// Where a value of a packet lies.
    pub(super) fn position(code: &Code, packet: usize, slot: Slot) -> usize {
        let slot = slot as usize;
        if slot < code.frame_len { slot } else { slot + packet * code.kept_len }
    }
}

/// Writes some lanes of a value.
pub(super) fn write_lanes(to: &mut Lanes, from: &Lanes, mask: Mask) {
    if mask == Mask::MAX {
        *to = *from;
    } else {
        for lane in lanes_of(mask) {
            to[lane] = from[lane];
        }
    }
}
