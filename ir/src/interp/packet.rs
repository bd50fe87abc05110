//! Runs one packet through one segment: computation, control flow and masks.

use super::arena::{Arena, write_lanes};
use super::code::{Arms, Block, Code, Moves, Node, Slot, Target};
use super::{Lanes, Mask, lanes_of};
use crate::batch::ArrayWords;
use crate::function::Origin;
use crate::host::{Fault, FaultKind, Host};
use crate::ops::Op;
use crate::width::MAX_LANES;

/// A packet that runs, with all it can reach.
pub(super) struct Runner<'a, 'b> {
    pub(super) code: &'a Code,
    pub(super) host: &'a dyn Host,
    pub(super) arena: &'a mut Arena,
    pub(super) fuel: &'a mut u64,
    /// What came with the batch.
    pub(super) arrays: &'a mut [ArrayWords<'b>],
    /// Which packet of the span.
    pub(super) packet: usize,
}

impl Runner<'_, '_> {
    /// Runs a block for some lanes, at least one, and gives those that reach its end.
    pub(super) fn block(&mut self, block: &Block, mut mask: Mask) -> Result<Mask, Fault> {
        for node in block {
            match node {
                Node::Op { op, to, args } => self.op(*op, *to, args, mask),
                Node::If { cond, then_block, else_block } => {
                    mask = self.if_else(*cond, then_block, else_block, mask)?;
                }
                Node::Loop { target, inits, body, origin } => {
                    self.moves(inits, mask);
                    mask = self.rounds(*target, body, *origin, mask)?;
                }
                Node::Switch { target, selector, arms } => mask = self.switch(*target, *selector, arms, mask)?,
                Node::End(moves) => self.moves(moves, mask),
                Node::Break { target, moves } => {
                    self.moves(moves, mask);
                    self.arena.broken[*target] |= mask;
                    mask = 0;
                }
                Node::Continue { target, moves } => {
                    self.moves(moves, mask);
                    self.arena.continued[*target] |= mask;
                    mask = 0;
                }
                Node::Return => mask = 0,
                Node::Load { .. }
                | Node::Store { .. }
                | Node::Atomic { .. }
                | Node::Counter { .. }
                | Node::TexelLoad { .. }
                | Node::TexelStore { .. }
                | Node::TexelAtomic { .. }
                | Node::Sample { .. }
                | Node::Query { .. } => self.access(node, mask),
                Node::PacketAll { cond, to } => {
                    let all = u64::from(mask & !self.holds(*cond) == 0);
                    self.set(*to, &[all; MAX_LANES], mask);
                }
                Node::QuadRead { from, value, to } => self.quad_read(from, *value, *to, mask),
            }
            if mask == 0 {
                break;
            }
        }
        Ok(mask)
    }

    /// A loop's way back: whether it may go on, with these lanes if a packet is alone in it.
    pub(super) fn next_round(&mut self, origin: Origin, lanes: Option<Mask>) -> Result<(), Fault> {
        let thread = lanes.map_or(0, |lanes| self.packet * self.code.lanes + lanes.trailing_zeros() as usize);
        let group = thread as u32 / self.code.threads_per_group();
        if self.host.stop_requested() {
            return Err(Fault { kind: FaultKind::Stopped, origin, group });
        }
        *self.fuel = self.fuel.checked_sub(1).ok_or(Fault { kind: FaultKind::OutOfFuel, origin, group })?;
        Ok(())
    }

    /// A value in all lanes.
    pub(super) fn value(&self, slot: Slot) -> &[u64] {
        self.arena.value(self.code, self.packet, slot)
    }

    /// The same, with room for the lanes of the widest packet.
    fn copied(&self, slot: Slot) -> Lanes {
        let value = self.value(slot);
        let mut lanes = [0; MAX_LANES];
        lanes[..value.len()].copy_from_slice(value);
        lanes
    }

    /// Sets some lanes of a value.
    pub(super) fn set(&mut self, slot: Slot, lanes: &Lanes, mask: Mask) {
        let value = self.arena.value_mut(self.code, self.packet, slot);
        write_lanes(value, lanes, mask, self.code.all_lanes());
    }

    /// The lanes in which a condition holds.
    pub(super) fn holds(&self, cond: Slot) -> Mask {
        self.value(cond).iter().enumerate().fold(0, |mask, (lane, bits)| mask | ((bits & 1) as Mask) << lane)
    }

    /// Moves values for some lanes.
    pub(super) fn moves(&mut self, moves: &Moves, mask: Mask) {
        if moves.overlap {
            let mut moving = std::mem::take(&mut self.arena.moving);
            moving.extend(moves.pairs.iter().map(|&(from, _)| self.copied(from)));
            for (&(_, to), lanes) in moves.pairs.iter().zip(&moving) {
                self.set(to, lanes, mask);
            }
            moving.clear();
            self.arena.moving = moving;
        } else {
            for &(from, to) in &moves.pairs {
                let lanes = self.copied(from);
                self.set(to, &lanes, mask);
            }
        }
    }

    fn op(&mut self, op: Op, to: Slot, args: &[Slot; 3], mask: Mask) {
        let count = op.args().len();
        let mut operands = [[0; MAX_LANES]; 3];
        for (operand, &arg) in operands.iter_mut().zip(&args[..count]) {
            *operand = self.copied(arg);
        }
        let [a, b, c] = &operands;
        let result = self.arena.value_mut(self.code, self.packet, to);
        for lane in lanes_of(mask) {
            result[lane] = op.eval(&[a[lane], b[lane], c[lane]][..count]);
        }
    }

    fn quad_read(&mut self, from: &[u8; 4], value: Slot, to: Slot, mask: Mask) {
        let lanes = self.copied(value);
        let mut result = lanes;
        for lane in lanes_of(mask) {
            let other = (lane & !3) + usize::from(from[lane & 3]);
            if mask >> other & 1 == 1 {
                result[lane] = lanes[other];
            }
        }
        self.set(to, &result, mask);
    }

    fn if_else(&mut self, cond: Slot, then_block: &Block, else_block: &Block, mask: Mask) -> Result<Mask, Fault> {
        let holds = self.holds(cond);
        let mut left = 0;
        for (block, side) in [(then_block, mask & holds), (else_block, mask & !holds)] {
            if side != 0 {
                left |= self.block(block, side)?;
            }
        }
        Ok(left)
    }

    fn rounds(&mut self, target: Target, body: &Block, origin: Origin, mut mask: Mask) -> Result<Mask, Fault> {
        self.arena.broken[target] = 0;
        loop {
            self.arena.continued[target] = 0;
            mask = self.block(body, mask)? | self.arena.continued[target];
            if mask == 0 {
                return Ok(self.arena.broken[target]);
            }
            self.next_round(origin, Some(mask))?;
        }
    }

    fn switch(&mut self, target: Target, selector: Slot, arms: &Arms<Block>, mask: Mask) -> Result<Mask, Fault> {
        let chosen = self.copied(selector).map(|bits| arms.choose(bits as u32));
        self.arena.broken[target] = 0;
        let (mut waiting, mut left) = (mask, 0);
        while let Some(arm) = lanes_of(waiting).map(|lane| chosen[lane]).min() {
            let here = lanes_of(waiting).filter(|&lane| chosen[lane] == arm).fold(0, |mask, lane| mask | 1 << lane);
            waiting &= !here;
            left |= self.block(&arms.arms[arm], here)?;
        }
        Ok(left | self.arena.broken[target])
    }
}
