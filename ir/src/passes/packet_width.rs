//! Chooses the width of packets: how many threads run in lockstep.
//!
//! More lanes keep more independent chains in flight, and share each address, bounds check and uniform instruction among
//! more threads. They cost registers, and where threads diverge more lanes idle. So a function gets the widest packets
//!
//! * that rows of its groups fill, so that addresses grow evenly over them (or in octets, or it computes much for each other access),
//! * with few values live at once,
//! * whose lanes leave loops together (or the loops are short chains of arithmetic),
//! * and, for the widest, whose threads do not diverge around scattered accesses: those then go lane by lane.
//!
//! The choice belongs to the function, whatever processor runs it, since both engines must run racing threads in the same order. The
//! figures are of vectors of 256 bits.

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind};
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::stage::Stage;
use crate::types::Type;
use crate::uniformity::Uniformity;
use crate::width::Width;

/// Widths, and the most varying values live at once for which each is still faster than the next. A value takes four of sixteen
/// registers, or two, but spilled ones cost less than idle units.
const CANDIDATES: [(Width, u32); 2] = [(Width::ThirtyTwo, 14), (Width::Sixteen, 32)];

/// The same in loops that lanes leave one by one.
const MAX_PRESSURE_IF_DIVERGENT: u32 = 12;

/// Instructions beyond which compile time counts for more.
const MAX_INSTS: usize = 2_000;

/// Operations for each access, from which on it does not matter that accesses go lane by lane.
const MUCH_ARITHMETIC: u32 = 40;

/// Operations that a sample is worth.
const SAMPLE_OPERATIONS: u32 = 100;

/// An operation in a loop counts as this many, as a power of two.
const LOOP_WEIGHT_BITS: u32 = 3;

/// Loops nested deeper than this make no further difference.
const MAX_LOOPS: u32 = 3;

/// Sets the function's width.
pub(super) fn run(func: &mut Function) {
    let flow = Flow::new(func);
    for (width, most_values) in CANDIDATES {
        func.width = width;
        if pays(func, &flow, most_values) {
            return;
        }
    }
    func.width = Width::Eight;
}

/// Whether packets as wide as the function has them now are likely to be faster than narrower ones.
fn pays(func: &Function, flow: &Flow, most_values: u32) -> bool {
    let lanes = func.width.lanes();
    // A packet is part of one row, or of several; a batch is one row.
    let (rows_fill, groups_fill, packing) = match func.interface.stage {
        Stage::Compute { group_size: [x, y, z] } => {
            let threads = x * y * z;
            let fill = |row: u32| threads > 0 && row.is_multiple_of(lanes);
            (fill(x), fill(threads) && x.is_multiple_of(Width::Eight.lanes()), Packing::Group)
        }
        // What indices choose is read lane by lane whatever the width, a quad has four vertices, and a picture waits for the code.
        Stage::Vertex(_) => (false, false, Packing::Row),
        Stage::Pixel(_) => (lanes <= Width::Sixteen.lanes(), false, Packing::Row),
    };
    if !(rows_fill || groups_fill) || func.inst_count() > MAX_INSTS {
        return false;
    }
    let uniformity = Uniformity::compute(func, flow, packing);
    let shapes = (func.width > Width::Sixteen || !rows_fill).then(|| Shapes::compute(func, flow, &uniformity));
    let mut count = Count {
        func,
        uniformity: &uniformity,
        shapes: shapes.as_ref(),
        is_widest: func.width > Width::Sixteen,
        position: 0,
        loops: Vec::new(),
        live_ranges: vec![None; func.value_count()],
        divergent: 0,
        has_divergent_loops: false,
        operations: 0,
        accesses: 0,
    };
    let suits = count.region(func.body());
    let most_values = if count.has_divergent_loops { MAX_PRESSURE_IF_DIVERGENT } else { most_values };
    let computes_much = || count.operations / MUCH_ARITHMETIC >= count.accesses;
    suits && (rows_fill || computes_much()) && count.pressure() <= most_values
}

/// Whether the addresses of an access grow evenly from lane to lane, at least within octets.
fn is_even(shapes: &Shapes, kind: &InstKind) -> bool {
    let (InstKind::Load { place } | InstKind::Store { place, .. }) = kind else { return false };
    let mut values = [place.index, Some(place.offset)].into_iter().flatten();
    values.all(|value| matches!(shapes.shape(value), Shape::Affine { .. } | Shape::Octets { .. }))
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
    /// Where it matters which accesses go lane by lane.
    shapes: Option<&'a Shapes>,
    /// Packets are too wide for such accesses where threads diverge.
    is_widest: bool,
    position: u32,
    /// The loops around, outermost first: where each starts, and what is used in it from before.
    loops: Vec<(u32, Vec<Value>)>,
    live_ranges: Vec<Option<LiveRange>>,
    /// Constructs around in which threads diverge.
    divergent: u32,
    /// There are loops that lanes leave one by one.
    has_divergent_loops: bool,
    /// Operations, and accesses that are not even, by how often they run.
    operations: u32,
    accesses: u32,
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
        if !self.suits(inst) {
            return false;
        }
        let is_loop = matches!(data.kind, InstKind::Loop { .. });
        let diverges = self.diverges(inst);
        self.divergent += u32::from(diverges);
        if is_loop {
            self.has_divergent_loops |= diverges;
            self.loops.push((self.position, Vec::new()));
        }
        if !data.kind.regions().into_iter().all(|inner| self.region(inner)) {
            return false;
        }
        self.divergent -= u32::from(diverges);
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

    /// Whether threads take different ways through a construct.
    fn diverges(&self, inst: Inst) -> bool {
        match &self.func.inst(inst).kind {
            InstKind::If { cond, .. } => !self.uniformity.is_packet_uniform(*cond),
            InstKind::Switch { selector, .. } => !self.uniformity.is_packet_uniform(*selector),
            InstKind::Loop { .. } => self.uniformity.jumps_diverge(inst),
            _ => false,
        }
    }

    /// Counts what an instruction costs; whether it suits packets of this width where it is.
    fn suits(&mut self, inst: Inst) -> bool {
        let data = self.func.inst(inst);
        let weight = 1 << (LOOP_WEIGHT_BITS * (self.loops.len() as u32).min(MAX_LOOPS));
        let is_uniform = data.results.iter().all(|&result| self.uniformity.is_packet_uniform(result));
        match &data.kind {
            InstKind::Const(_) | InstKind::Input(_) => {}
            InstKind::Op { .. } if is_uniform => {}
            InstKind::Op { .. } => self.operations += weight,
            // The texels of a lane cost the same in any packet, and what is around them less in wide ones.
            InstKind::Sample { .. } => {
                self.operations += SAMPLE_OPERATIONS * weight;
                return self.divergent == 0 || !(self.is_widest || self.has_divergent_loops);
            }
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => {}
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return => {}
            InstKind::Load { .. } if is_uniform => {}
            InstKind::Query { .. } if self.func.is_known_of_view(&data.kind) => {}
            kind => {
                let is_even = self.shapes.is_some_and(|shapes| is_even(shapes, kind));
                self.accesses += if is_even { 0 } else { weight };
                return self.divergent == 0 || !(self.is_widest && !is_even || self.has_divergent_loops);
            }
        }
        true
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
