//! Lowers loops within a segment: they run while any lane is active, and carry values from one iteration to the next.
//! The loop's `ConstructFrame` (`flow.rs`) has the running lanes and those waiting for the next iteration.

use brolga_ir::Type;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::Origin;
use cranelift_codegen::ir::{Block, InstBuilder};

use super::super::Lowering;
use super::super::mask::{LaneMask, Parked};
use super::super::notes::Note;

use super::ConstructFrame;

impl Lowering<'_, '_> {
    #[inline(never)]
    pub(super) fn loop_(&mut self, inst: Inst, inits: &[Value], body: Region) {
        let entry = self.control.active();
        let origin = self.origin;
        let mut frame = self.frame(inst);
        frame.is_loop = true;
        frame.latch = self.builder.create_block();
        let varying = self.facts.uniformity.params_need_masks(inst);
        frame.blend_params = varying;
        frame.gathers_run = varying;
        // If all lanes of an iteration reach the next one together, they are active whenever it is reached.
        frame.empty = if varying { frame.latch } else { frame.merge };
        self.loop_homes(&mut frame, inits, body);
        if frame.divergent || frame.after.is_some() {
            let lanes = self.mask_packet(&entry);
            let remote = self.is_deep();
            frame.run = Some(self.new_home(Type::Bool, false, &lanes.into(), remote));
        }
        let entry = self.park(entry);
        let splats = self.splat_for_loop(body);
        let header = self.builder.create_block();
        self.builder.ins().jump(header, &[]);
        self.switch_to(header);
        for (&param, home) in self.func.region(body).params.iter().zip(&frame.params) {
            if let Some(home) = home {
                let value = self.home(home);
                self.define(param, value);
            }
        }
        if let Some(run) = frame.run.clone() {
            self.control.mask = Some(LaneMask::Lanes(self.home_lanes(&run)));
            if frame.gathers_run {
                let none = self.emit().mask_constant(false);
                self.set_home(&run, &none.into(), None);
            }
        }
        self.control.frames.push(frame);
        self.region(body);
        let mut frame = self.control.pop();
        self.available.forget_splats(splats);
        self.latch(&mut frame, header, origin, &entry);
        self.builder.seal_block(header);
        self.finish(frame, entry);
    }

    /// Homes of a loop's parameters and results. If every break passes a parameter unchanged, the two share one home.
    fn loop_homes(&mut self, frame: &mut ConstructFrame, inits: &[Value], body: Region) {
        let (func, facts) = (self.func, self.facts);
        let results = &func.inst(frame.inst).results;
        for (n, &param) in func.region(body).params.iter().enumerate() {
            let uniform = facts.is_uniform(param);
            let wanted = facts.is_used(results[n]);
            let shared = wanted
                && frame.blend_results
                && !uniform
                && !facts.is_uniform(results[n])
                && facts.breaks_bring_param(frame.inst, n, param);
            let home = (shared || facts.is_used(param)).then(|| {
                let initial = self.operand(inits[n]);
                self.new_home(func.ty(param), uniform, &initial, self.pressure.is_home_remote(param))
            });
            let result = match (wanted, shared) {
                (false, _) => None,
                (true, true) => home.clone(),
                (true, false) => {
                    let remote = self.pressure.is_home_remote(results[n]);
                    Some(self.zero_home(func.ty(results[n]), facts.is_uniform(results[n]), remote))
                }
            };
            frame.params.push(home);
            frame.results.push(result);
            frame.shared.push(shared);
        }
    }

    /// Ends an iteration: continues with the remaining lanes, or leaves the loop.
    fn latch(&mut self, frame: &mut ConstructFrame, header: Block, origin: Origin, entry: &Parked) {
        if !frame.latched {
            return;
        }
        self.resume(frame.latch);
        match frame.run.clone().filter(|_| frame.divergent) {
            None => self.note(Note::LeaveTogether),
            Some(_) if !frame.gathers_run => self.note(Note::LeaveApart),
            Some(run) => {
                self.note(Note::AnyTest);
                let lanes = self.home_lanes(&run);
                let any = self.emit().any(&lanes);
                frame.merged = true;
                self.branch_away_unless(any, frame.merge);
            }
        }
        let lanes = match &frame.run {
            // Without spans a fault can only be that of the one group.
            _ if self.layout.threads.is_some() => None,
            Some(run) => Some(LaneMask::Lanes(self.home_lanes(run))),
            None => Some(self.parked(entry)),
        };
        self.end_iteration(frame.before, origin, lanes.as_ref());
        self.builder.ins().jump(header, &[]);
    }
}
