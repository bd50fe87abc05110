//! Chooses the width of packets: how many threads run in lockstep.
//!
//! Sixteen lanes keep twice as many independent chains in flight, and share each address, bounds check and uniform
//! instruction among twice as many threads. They cost twice the registers, and where threads diverge more lanes idle.
//! So a function gets them where rows of its groups fill them, its loops are packet-uniform, and few values are live at
//! once.

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind};
use crate::span::Packing;
use crate::stage::Stage;
use crate::types::Type;
use crate::uniformity::Uniformity;
use crate::width::Width;

/// The most varying values live at once for which sixteen lanes are still faster. Each takes four of sixteen registers,
/// but spilled ones cost less than idle units.
const MAX_PRESSURE: u32 = 20;

/// Instructions beyond which compile time counts for more.
const MAX_INSTS: usize = 2_000;

/// Sets the function's width.
pub(super) fn run(func: &mut Function) {
    func.width = Width::Sixteen;
    if !pays(func) {
        func.width = Width::Eight;
    }
}

/// Whether packets as wide as the function has them now are likely to be faster than narrower ones.
fn pays(func: &Function) -> bool {
    let lanes = func.width.lanes();
    // A packet is part of one row, so that addresses grow evenly over it; a batch is one row.
    let (rows_fill, packing) = match func.interface.stage {
        Stage::Compute { group_size: [x, y, z] } => (x.is_multiple_of(lanes) && x * y * z > 0, Packing::Group),
        // What indices choose is read lane by lane whatever the width, a quad has four vertices, and a picture waits for the code.
        Stage::Vertex(_) => (false, Packing::Row),
        Stage::Pixel(_) => (true, Packing::Row),
    };
    if !rows_fill || func.inst_count() > MAX_INSTS {
        return false;
    }
    let uniformity = Uniformity::compute(func, &Flow::new(func), packing);
    let mut count = Count { func, uniformity: &uniformity, position: 0, loops: Vec::new(), live_ranges: Vec::new() };
    count.live_ranges.resize(func.value_count(), None);
    count.region(func.body()) && count.pressure() <= MAX_PRESSURE
}

/// The live range of a value, in instructions.
#[derive(Clone, Copy)]
struct LiveRange {
    start: u32,
    end: u32,
}

struct Count<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    position: u32,
    /// The loops around, outermost first: where each starts, and what is used in it from before.
    loops: Vec<(u32, Vec<Value>)>,
    live_ranges: Vec<Option<LiveRange>>,
}

impl Count<'_> {
    /// Whether wide packets suit what is in the region.
    fn region(&mut self, region: Region) -> bool {
        let func = self.func;
        for &param in &func.region(region).params {
            self.define(param);
        }
        func.region(region).insts.iter().all(|&inst| self.inst(inst))
    }

    fn inst(&mut self, inst: Inst) -> bool {
        self.position += 1;
        let data = self.func.inst(inst);
        for value in data.kind.args() {
            self.use_(value);
        }
        let is_loop = matches!(data.kind, InstKind::Loop { .. });
        if is_loop && self.uniformity.jumps_diverge(inst) {
            return false;
        }
        if is_loop {
            self.loops.push((self.position, Vec::new()));
        }
        if !data.kind.regions().into_iter().all(|inner| self.region(inner)) {
            return false;
        }
        if is_loop {
            self.position += 1;
            let (_, used) = self.loops.pop().expect("pushed above");
            for value in used {
                self.use_(value);
            }
        }
        for &result in &data.results {
            self.define(result);
        }
        // A wide value takes twice the registers.
        !data.results.iter().any(|&result| {
            matches!(self.func.ty(result), Type::I64 | Type::F64) && !self.uniformity.is_packet_uniform(result)
        })
    }

    fn define(&mut self, value: Value) {
        let is_made_anew = self.func.as_const(value).is_some();
        if !is_made_anew && !self.uniformity.is_packet_uniform(value) {
            self.live_ranges[value.index()] = Some(LiveRange { start: self.position, end: self.position });
        }
    }

    fn use_(&mut self, value: Value) {
        let Some(range) = &mut self.live_ranges[value.index()] else { return };
        range.end = self.position;
        // What a loop uses from before it lives to its end.
        let start = range.start;
        if let Some((_, used)) = self.loops.iter_mut().find(|(loop_start, _)| *loop_start > start) {
            used.push(value);
        }
    }

    /// Register pressure: the most values live at once.
    fn pressure(&self) -> u32 {
        let mut changes = vec![0i32; self.position as usize + 2];
        for range in self.live_ranges.iter().flatten().filter(|range| range.end > range.start) {
            changes[range.start as usize] += 1;
            changes[range.end as usize] -= 1;
        }
        let sums = changes.iter().scan(0, |alive, change| {
            *alive += change;
            Some(*alive)
        });
        sums.max().unwrap_or(0) as u32
    }
}
