//! Lowers switches within a segment: to a jump table, or to every arm under its mask.

use brolga_ir::entity::{Inst, Region};
use brolga_ir::function::Case;
use brolga_ir::{Const, Op, Type};
use cranelift_codegen::ir;
use cranelift_frontend::Switch;

use super::super::Lowering;
use super::super::mask::LaneMask;
use super::super::notes::Note;
use crate::ops::{Known, lower_op};
use crate::packet::Packet;

impl Lowering<'_, '_> {
    #[inline(never)]
    pub(super) fn uniform_switch(&mut self, inst: Inst, selector: ir::Value, cases: &[Case], default: Region) {
        let entry = self.open_frame(inst, Note::Branch);
        let entry = self.park(entry);
        let mut table = Switch::new();
        let mut blocks = Vec::with_capacity(cases.len() + 1);
        for case in cases {
            let block = self.builder.create_block();
            for &label in &case.labels {
                table.set_entry(u128::from(label), block);
            }
            blocks.push((block, case.region));
        }
        let otherwise = self.builder.create_block();
        blocks.push((otherwise, default));
        table.emit(&mut self.builder, selector, otherwise);
        self.arms_apart(&blocks, entry);
    }

    #[inline(never)]
    pub(super) fn masked_switch(&mut self, inst: Inst, selector: &Packet, cases: &[Case], default: Region) {
        let entry = self.open_frame(inst, Note::Masks);
        let entry = self.park(entry);
        let remote = self.is_deep();
        let selector = self.new_home(Type::I32, false, &selector.clone().into(), remote);
        // Lanes that no arm has taken yet.
        let left = self.empty_lanes();
        let lanes = self.parked(&entry);
        self.add_lanes(&left, &lanes, true);
        for case in cases {
            if self.is_over() {
                break;
            }
            let number = self.home(&selector);
            let number = self.emit().packet(&number);
            let matches = self.matches(&number, &case.labels);
            let lanes = self.home_lanes(&left);
            let others = self.emit().mask_and_not(&lanes, &matches);
            self.set_home(&left, &others.into(), None);
            let mask = self.emit().mask_and(&lanes, &matches);
            self.arm(case.region, LaneMask::Lanes(mask));
        }
        let mask = self.home_lanes(&left);
        self.variables.release(selector);
        self.variables.release(left);
        self.arm(default, LaneMask::Lanes(mask));
        let frame = self.control.pop();
        self.finish(frame, entry);
    }

    /// Lanes whose selector is one of the labels.
    pub fn matches(&mut self, selector: &Packet, labels: &[u32]) -> Packet {
        let mut matches: Option<Packet> = None;
        for &label in labels {
            let mode = self.facts.mode;
            let mut emit = self.emit();
            let label = emit.constant_packet(Const::i32(label));
            let equal = lower_op(&mut emit, Op::IEq, &[selector.clone().into(), label.into()], &Known::NOTHING, mode);
            let equal = emit.packet(&equal);
            matches = Some(match matches {
                Some(matches) => emit.mask_or(&matches, &equal),
                None => equal,
            });
        }
        matches.unwrap_or_else(|| self.emit().mask_constant(false))
    }
}
