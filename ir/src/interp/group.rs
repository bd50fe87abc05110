//! Takes all packets of a group, or of a span of groups, through the segments.
//!
//! The threads of a group agree on its control flow, so a thread can only leave it by returning: one mask per packet
//! has the threads that are left, all of them at the same point.

use super::code::{ArenaSlot, At, End, GroupRegion, GroupStep};
use super::observe::Observer;
use super::packet::Runner;
use super::{LaneMask, lanes_of};
use crate::host::{Fault, FaultKind};
use crate::span::Span;

/// Runs a span with a runner whose arena is ready.
pub(super) fn run<O: Observer>(runner: Runner<'_, '_, O>, span: &Span) -> Result<(), Fault> {
    let code = runner.code;
    if code.threads_per_group() > 0 {
        GroupRunner { runner, span, entered: None }.region(&code.body)?;
    }
    Ok(())
}

struct GroupRunner<'a, 'b, O> {
    runner: Runner<'a, 'b, O>,
    span: &'a Span,
    /// The packet whose inputs are in the frame.
    entered: Option<usize>,
}

impl<O: Observer> GroupRunner<'_, '_, O> {
    fn region(&mut self, region: &GroupRegion) -> Result<End, Fault> {
        for step in &region.steps {
            match step {
                GroupStep::Segment(block) => {
                    let mut any = false;
                    self.for_each_packet(|runner, mask| {
                        let left = runner.block(block, mask)?;
                        runner.arena.alive[runner.packet] = left;
                        any |= left != 0;
                        Ok(())
                    })?;
                    if !any {
                        return Ok(End::Return);
                    }
                }
                GroupStep::Wait { at } => self.runner.observer.waited(*at),
                GroupStep::If { cond, then_region, else_region, at } => {
                    let holds = self.agree(*cond, *at, |bits| bits & 1 != 0)?;
                    let (number, region) = if holds { (0, then_region) } else { (1, else_region) };
                    let end = self.inner(*at, number, region)?;
                    if end != End::Yield {
                        return Ok(end);
                    }
                }
                GroupStep::Loop { target, inits, body, at } => {
                    self.for_each_packet(|runner, mask| {
                        runner.show(mask, |observer, packet| observer.began(*at, packet));
                        runner.moves(inits, mask);
                        Ok(())
                    })?;
                    loop {
                        match self.inner(*at, 0, body)? {
                            End::Break(left) if left == *target => break,
                            End::Yield => {}
                            End::Continue(next) if next == *target => {}
                            further => return Ok(further),
                        }
                        self.runner.next_round(at.origin, None)?;
                    }
                }
                GroupStep::Switch { target, selector, arms, at } => {
                    let arm = self.agree(*selector, *at, |bits| arms.choose(bits as u32))?;
                    match self.inner(*at, arm, &arms.arms[arm])? {
                        End::Yield => {}
                        End::Break(left) if left == *target => {}
                        further => return Ok(further),
                    }
                }
            }
        }
        Ok(region.end)
    }

    /// Runs a region of a construct.
    fn inner(&mut self, at: At, number: usize, region: &GroupRegion) -> Result<End, Fault> {
        self.runner.observer.entered(at, number, None);
        let end = self.region(region)?;
        self.runner.observer.left(at, number, None);
        Ok(end)
    }

    /// Switches to the next packet from `from` on that has threads left; returns it with them.
    fn next_packet(&mut self, from: usize) -> Option<(usize, LaneMask)> {
        let packet = (from..self.runner.arena.alive.len()).find(|&packet| self.runner.arena.alive[packet] != 0)?;
        self.runner.packet = packet;
        if self.entered != Some(packet) {
            self.entered = Some(packet);
            self.runner.arena.enter_packet(self.runner.code, self.span, packet);
        }
        Some((packet, self.runner.arena.alive[packet]))
    }

    /// Runs something for each packet that has threads left.
    fn for_each_packet(
        &mut self,
        mut run: impl FnMut(&mut Runner<'_, '_, O>, LaneMask) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut from = 0;
        while let Some((packet, mask)) = self.next_packet(from) {
            run(&mut self.runner, mask)?;
            from = packet + 1;
        }
        Ok(())
    }

    /// The value of a condition on which all threads agree.
    fn agree<T: PartialEq>(&mut self, slot: ArenaSlot, at: At, meaning: impl Fn(u64) -> T) -> Result<T, Fault> {
        let mut agreed: Option<(T, u32)> = None;
        let result = self.for_each_packet(|runner, mask| {
            let value = runner.value(slot);
            for lane in lanes_of(mask) {
                let (way, thread) = (meaning(value[lane]), (runner.packet * runner.code.lanes + lane) as u32);
                match &agreed {
                    None => agreed = Some((way, thread)),
                    Some((first_way, _)) if *first_way == way => {}
                    Some((_, first)) => {
                        let threads = [*first, thread];
                        return Err(Fault::new(FaultKind::DivergentBarrier { threads }, at.origin));
                    }
                }
            }
            Ok(())
        });
        if let Err(fault) = result {
            self.tell_disagreement(slot, at)?;
            return Err(fault);
        }
        agreed.map(|(way, _)| way).ok_or(Fault::new(FaultKind::Internal, at.origin))
    }

    /// Tells the observer which way each thread goes.
    #[cold]
    fn tell_disagreement(&mut self, slot: ArenaSlot, at: At) -> Result<(), Fault> {
        let mut ways = Vec::new();
        self.for_each_packet(|runner, mask| {
            let first = (runner.packet * runner.code.lanes) as u32;
            ways.extend(lanes_of(mask).map(|lane| (first + lane as u32, runner.value(slot)[lane])));
            Ok(())
        })?;
        self.runner.observer.disagreed(at, &ways);
        Ok(())
    }
}
