//! Runs one packet through one segment: computation, control flow and masks.

use smallvec::SmallVec;

use super::arena::Arena;
use super::code::{ArenaSlot, Arms, At, Block, Code, Moves, Node, Step, TargetNumber};
use super::observe::{Observer, Packet};
use super::{LaneMask, lanes_of};
use crate::batch::ArrayWords;
use crate::entity::MessageId;
use crate::function::Origin;
use crate::host::{Fault, FaultKind, Host};
use crate::message::SENDER_WORDS;
use crate::ops::Op;

/// The packet that is running, with everything it can access.
pub(super) struct Runner<'a, 'b, O> {
    pub(super) code: &'a Code,
    pub(super) host: &'a dyn Host,
    pub(super) arena: &'a mut Arena,
    pub(super) fuel: &'a mut u64,
    /// The arrays of the batch.
    pub(super) arrays: &'a mut [ArrayWords<'b>],
    /// The number of the packet in the span.
    pub(super) packet: usize,
    pub(super) observer: &'a mut O,
}

impl<O: Observer> Runner<'_, '_, O> {
    /// Runs a block for some lanes, at least one, and returns those that reach its end.
    pub(super) fn block(&mut self, block: &Block, mut mask: LaneMask) -> Result<LaneMask, Fault> {
        for &Step { ref node, at } in block {
            if node.is_jump() {
                self.show(mask, |observer, packet| observer.ran(at, packet));
            }
            match node {
                Node::Op { op, to, args } => self.op(*op, *to, *args, mask),
                Node::If { cond, then_block, else_block } => {
                    mask = self.if_else(at, *cond, [then_block, else_block], mask)?;
                }
                Node::Loop { target, inits, body } => {
                    self.show(mask, |observer, packet| observer.began(at, packet));
                    self.moves(inits, mask);
                    mask = self.rounds(at, *target, body, mask)?;
                }
                Node::Switch { target, selector, arms } => mask = self.switch(at, *target, *selector, arms, mask)?,
                Node::Look => self.look(at.origin, Some(mask))?,
                Node::Pass => {}
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
                Node::Message { message, aborts: false, values, effect } => {
                    self.send(*message, at.origin, values, mask & self.holds(*effect));
                }
                Node::Message { aborts: true, values, effect, .. } => {
                    self.abort(at.origin, values, mask & self.holds(*effect))?;
                }
                Node::PacketAll { cond, to } => {
                    let all = u64::from(mask & !self.holds(*cond) == 0);
                    self.set(*to, mask, |_| all);
                }
                Node::QuadRead { from, value, to } => self.quad_read(from, *value, *to, mask),
            }
            if node.is_straight() {
                self.show(mask, |observer, packet| observer.ran(at, packet));
            }
            if mask == 0 {
                break;
            }
        }
        Ok(mask)
    }

    /// Reports an event of these lanes to the observer.
    #[inline]
    pub(super) fn show(&mut self, lanes: LaneMask, show: impl FnOnce(&mut O, &Packet<'_>)) {
        let &mut Runner { code, host, packet: number, .. } = self;
        show(self.observer, &Packet { code, arena: self.arena, host, arrays: self.arrays, number, lanes });
    }

    /// Runs a region of a construct.
    #[inline]
    fn inner(&mut self, at: At, region: usize, block: &Block, mask: LaneMask) -> Result<LaneMask, Fault> {
        self.show(mask, |observer, packet| observer.entered(at, region, Some(packet)));
        let left = self.block(block, mask)?;
        self.show(left, |observer, packet| observer.left(at, region, Some(packet)));
        Ok(left)
    }

    /// Checks at a loop's back edge that it may continue; with the lanes, if the loop runs packet by packet.
    #[inline]
    pub(super) fn next_round(&mut self, origin: Origin, lanes: Option<LaneMask>) -> Result<(), Fault> {
        self.look(origin, lanes)?;
        *self.fuel = self.fuel.checked_sub(1).ok_or_else(|| self.fault(FaultKind::OutOfFuel, origin, lanes))?;
        Ok(())
    }

    /// Stops if the host asks for it.
    fn look(&self, origin: Origin, lanes: Option<LaneMask>) -> Result<(), Fault> {
        if self.host.stop_requested() { Err(self.fault(FaultKind::Stopped, origin, lanes)) } else { Ok(()) }
    }

    /// A fault of these lanes of the packet, or of the whole group.
    fn fault(&self, kind: FaultKind, origin: Origin, lanes: Option<LaneMask>) -> Fault {
        let thread = lanes.map_or(0, |lanes| self.packet * self.code.lanes + lanes.trailing_zeros() as usize);
        Fault { kind, origin, group: thread as u32 / self.code.threads_per_group() }
    }

    /// Sends a message for some lanes, in order.
    fn send(&self, message: MessageId, origin: Origin, values: &[ArenaSlot], lanes: LaneMask) {
        for lane in lanes_of(lanes) {
            let words: SmallVec<[u32; 16]> = values.iter().map(|&slot| self.value(slot)[lane] as u32).collect();
            self.host.message(message, origin, &words);
        }
    }

    /// Ends the run, if any lanes abort.
    fn abort(&self, origin: Origin, values: &[ArenaSlot], lanes: LaneMask) -> Result<(), Fault> {
        let Some(first) = lanes_of(lanes).next() else { return Ok(()) };
        let thread = values.get(SENDER_WORDS - 1).map_or(0, |&slot| self.value(slot)[first] as u32);
        Err(self.fault(FaultKind::Aborted { thread }, origin, Some(lanes)))
    }

    /// A value in all lanes.
    pub(super) fn value(&self, slot: ArenaSlot) -> &[u64] {
        self.arena.value(self.code, self.packet, slot)
    }

    /// Sets some lanes of a value.
    pub(super) fn set(&mut self, slot: ArenaSlot, mask: LaneMask, bits: impl Fn(usize) -> u64) {
        let value = self.arena.value_mut(self.code, self.packet, slot);
        for lane in lanes_of(mask) {
            value[lane] = bits(lane);
        }
    }

    /// Sets some lanes of a value, each from the same lane of the operands, whose positions are given.
    #[inline]
    fn map<const N: usize>(
        &mut self,
        to: ArenaSlot,
        from: [ArenaSlot; N],
        mask: LaneMask,
        bits: impl Fn(usize, [&[u64]; N]) -> u64,
    ) {
        let (code, packet) = (self.code, self.packet);
        let to = Arena::start_of(code, packet, to);
        let from = from.map(|slot| Arena::start_of(code, packet, slot));
        for lane in lanes_of(mask) {
            let operands = from.map(|start| &self.arena.values[start..]);
            self.arena.values[to + lane] = bits(lane, operands);
        }
    }

    /// The lanes in which a condition holds.
    pub(super) fn holds(&self, cond: ArenaSlot) -> LaneMask {
        self.value(cond).iter().enumerate().fold(0, |mask, (lane, bits)| mask | (bits & 1) << lane)
    }

    /// Moves values for some lanes.
    pub(super) fn moves(&mut self, moves: &Moves, mask: LaneMask) {
        if !moves.overlap {
            for &(from, to) in &moves.pairs {
                self.map(to, [from], mask, |lane, [from]| from[lane]);
            }
            return;
        }
        let mut moving = std::mem::take(&mut self.arena.moving);
        moving.clear();
        moves.pairs.iter().for_each(|&(from, _)| moving.extend_from_slice(self.value(from)));
        for (&(_, to), lanes) in moves.pairs.iter().zip(moving.chunks_exact(self.code.lanes)) {
            self.set(to, mask, |lane| lanes[lane]);
        }
        self.arena.moving = moving;
    }

    #[inline]
    fn op(&mut self, op: Op, to: ArenaSlot, args: [ArenaSlot; 3], mask: LaneMask) {
        let count = op.args().len();
        self.map(to, args, mask, |lane, args| op.eval(&args.map(|arg| arg[lane])[..count]));
    }

    /// The value in other lanes of the quad, or a lane's own value where they are inactive.
    #[inline]
    fn quad_read(&mut self, from: &[u8; 4], value: ArenaSlot, to: ArenaSlot, mask: LaneMask) {
        self.map(to, [value], mask, |lane, [value]| {
            let other = (lane & !3) + usize::from(from[lane & 3]);
            value[if mask >> other & 1 == 1 { other } else { lane }]
        });
    }

    #[inline]
    fn if_else(&mut self, at: At, cond: ArenaSlot, blocks: [&Block; 2], mask: LaneMask) -> Result<LaneMask, Fault> {
        let holds = self.holds(cond);
        let mut left = 0;
        for (n, side) in [mask & holds, mask & !holds].into_iter().enumerate() {
            if side != 0 {
                left |= self.inner(at, n, blocks[n], side)?;
            }
        }
        Ok(left)
    }

    #[inline]
    fn rounds(&mut self, at: At, target: TargetNumber, body: &Block, mut mask: LaneMask) -> Result<LaneMask, Fault> {
        self.arena.broken[target] = 0;
        loop {
            self.arena.continued[target] = 0;
            mask = self.inner(at, 0, body, mask)? | self.arena.continued[target];
            if mask == 0 {
                return Ok(self.arena.broken[target]);
            }
            self.next_round(at.origin, Some(mask))?;
        }
    }

    #[inline]
    fn switch(
        &mut self,
        at: At,
        target: TargetNumber,
        selector: ArenaSlot,
        arms: &Arms<Block>,
        mask: LaneMask,
    ) -> Result<LaneMask, Fault> {
        let chosen: SmallVec<[usize; 16]> = self.value(selector).iter().map(|&bits| arms.choose(bits as u32)).collect();
        self.arena.broken[target] = 0;
        let (mut waiting, mut left) = (mask, 0);
        while let Some(arm) = lanes_of(waiting).map(|lane| chosen[lane]).min() {
            let here = lanes_of(waiting).filter(|&lane| chosen[lane] == arm).fold(0, |mask, lane| mask | 1 << lane);
            waiting &= !here;
            left |= self.inner(at, arm, &arms.arms[arm], here)?;
        }
        Ok(left | self.arena.broken[target])
    }
}
