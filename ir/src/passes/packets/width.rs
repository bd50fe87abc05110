//! Chooses the width of packets: the number of threads that run in lockstep.
//!
//! More lanes keep more independent chains in flight, and share each address, bounds check and uniform instruction
//! among more threads. They cost registers, and where threads diverge more lanes idle. So a function gets the widest
//! packets
//!
//! * that rows of its groups fill, so that addresses are affine over them (or in octets, or it computes much for each
//!   other access),
//! * with few values live at once,
//! * whose lanes leave loops together (or the loops are short chains, for which narrower packets have too few
//!   operations at a time),
//! * and, for the widest, whose threads do not diverge around scattered accesses: those then go lane by lane.
//!
//! The choice belongs to the function, whatever processor runs it, since both engines must run racing threads in the
//! same order. The figures are of vectors of 256 bits.

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind};
use crate::ops::Op;
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::stage::Stage;
use crate::types::Type;
use crate::uniformity::Uniformity;
use crate::width::Width;

/// Widths, with the highest pressure of varying values at which each is still faster than the next. A value takes four
/// of sixteen registers, or two, but spilled ones cost less than idle units.
const CANDIDATES: [(Width, u32); 2] = [(Width::ThirtyTwo, 14), (Width::Sixteen, 32)];

/// The same in loops that lanes leave one by one.
const MAX_PRESSURE_IF_DIVERGENT: u32 = 12;

/// Instructions beyond which compile time counts for more.
const MAX_INSTS: usize = 2_000;

/// Operations for each access, above which it does not matter that accesses go lane by lane.
const MUCH_ARITHMETIC: u32 = 40;

/// Operations that a sample is worth.
const SAMPLE_OPERATIONS: u32 = 100;

/// The lanes of a vector, and the operations on vectors that processors do in a cycle.
const VECTOR_LANES: u32 = 8;
const OPERATIONS_IN_CYCLE: u32 = 2;

/// The weight of an operation in a loop, as a power of two.
const LOOP_WEIGHT_BITS: u32 = 3;

/// Loops nested deeper than this make no further difference.
const MAX_LOOPS: u32 = 3;

/// Sets the function's width.
pub(in crate::passes) fn run(func: &mut Function) {
    let flow = Flow::new(func);
    for (width, most_values) in CANDIDATES {
        func.width = width;
        if pays(func, &flow, most_values) {
            return;
        }
    }
    func.width = Width::Eight;
}

/// `true` if packets of the function's present width are likely to be faster than narrower ones.
fn pays(func: &Function, flow: &Flow, most_values: u32) -> bool {
    let lanes = func.width.lanes();
    // A packet is part of one row, or of several; a batch is one row.
    let (rows_fill, groups_fill, packing) = match func.interface.stage {
        Stage::Compute { group_size: [x, y, z] } => {
            let threads = x * y * z;
            let fill = |row: u32| threads > 0 && row.is_multiple_of(lanes);
            (fill(x), fill(threads) && x.is_multiple_of(Width::Eight.lanes()), Packing::Group)
        }
        // Vertices chosen by indices are read lane by lane whatever the width, a quad has four vertices, and a picture
        // waits for the code.
        // The same is true of hull and geometry shaders.
        Stage::Vertex(_) | Stage::Hull(_) | Stage::Geometry(_) => (false, false, Packing::Row),
        Stage::Domain(_) | Stage::Pixel(_) => (lanes <= Width::Sixteen.lanes(), false, Packing::Row),
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
        fills_units: false,
        ready: vec![(0, 0); func.value_count()],
        operations: 0,
        accesses: 0,
    };
    let suits = count.region(func.body());
    let most_values = if count.has_divergent_loops { MAX_PRESSURE_IF_DIVERGENT } else { most_values };
    let computes_much = || count.operations / MUCH_ARITHMETIC >= count.accesses;
    // Lanes that have left wait for the others: no more of them than keep the units busy.
    suits && !count.fills_units && (rows_fill || computes_much()) && count.pressure() <= most_values
}

/// The latency of an operation's result in cycles, approximately.
fn latency(op: Op) -> u32 {
    match op {
        Op::IMul | Op::UMulHi | Op::SMulHi => 4,
        _ if op.takes_long() => 12,
        _ if op.is_f32_arithmetic() || op.is_f64_arithmetic() => 4,
        _ => 1,
    }
}

/// `true` if the addresses of an access are affine from lane to lane, at least within octets. Those that are one address
/// in each octet are not: they go lane by lane.
fn is_even(shapes: &Shapes, kind: &InstKind) -> bool {
    let (InstKind::Load { place } | InstKind::Store { place, .. }) = kind else { return false };
    let mut moves = false;
    let mut in_octets = false;
    for value in [place.index, Some(place.offset)].into_iter().flatten() {
        let stride = match shapes.shape(value) {
            Shape::Affine { stride } => stride,
            Shape::Octets { stride } => {
                in_octets = true;
                stride
            }
            Shape::Quad { .. } | Shape::Pairs { .. } | Shape::Scattered => return false,
        };
        moves |= stride != 0;
    }
    moves || !in_octets
}

/// The live range of a value, in instructions.
#[derive(Clone, Copy)]
struct LiveRange {
    start: u32,
    end: u32,
}

/// An open loop of the walk.
#[derive(Default)]
struct Loop {
    start: u32,
    /// The values from before it that are used in it.
    used: Vec<Value>,
    has_loops: bool,
    /// Operations, and cycles until the last of them completes.
    work: u32,
    chain: u32,
}

struct Count<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    /// The shapes, if it matters which accesses go lane by lane.
    shapes: Option<&'a Shapes>,
    /// Set if packets are too wide for such accesses where threads diverge.
    is_widest: bool,
    position: u32,
    /// The enclosing loops, outermost first.
    loops: Vec<Loop>,
    live_ranges: Vec<Option<LiveRange>>,
    /// Number of enclosing constructs in which threads diverge.
    divergent: u32,
    /// Set if there are loops that lanes leave one by one.
    has_divergent_loops: bool,
    /// Set if an innermost one of them keeps the units busy in packets half as wide.
    fills_units: bool,
    /// The loop of each value's computation, and its cycles after the first one of that loop.
    ready: Vec<(u32, u32)>,
    /// Operations, and accesses that are not affine, weighted by how often they run.
    operations: u32,
    accesses: u32,
}

impl Count<'_> {
    /// `true` if wide packets suit the region.
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
            self.loops.push(Loop { start: self.position, ..Loop::default() });
        }
        if !data.kind.regions().into_iter().all(|inner| self.region(inner)) {
            return false;
        }
        self.divergent -= u32::from(diverges);
        if is_loop {
            self.position += 1;
            let done = self.loops.pop().expect("pushed above");
            let narrower_vectors = self.func.width.lanes() / 2 / VECTOR_LANES;
            self.fills_units |=
                diverges && !done.has_loops && done.work * narrower_vectors >= done.chain * OPERATIONS_IN_CYCLE;
            if let Some(around) = self.loops.last_mut() {
                around.has_loops = true;
            }
            for value in done.used {
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

    /// `true` if threads diverge in a construct.
    fn diverges(&self, inst: Inst) -> bool {
        match &self.func.inst(inst).kind {
            InstKind::If { cond, .. } => !self.uniformity.is_packet_uniform(*cond),
            InstKind::Switch { selector, .. } => !self.uniformity.is_packet_uniform(*selector),
            InstKind::Loop { .. } => self.uniformity.jumps_diverge(inst),
            _ => false,
        }
    }

    /// Counts the cost of an instruction; returns `true` if it suits packets of this width at its position.
    fn suits(&mut self, inst: Inst) -> bool {
        let data = self.func.inst(inst);
        let weight = 1 << (LOOP_WEIGHT_BITS * (self.loops.len() as u32).min(MAX_LOOPS));
        let is_uniform = data.results.iter().all(|&result| self.uniformity.is_packet_uniform(result));
        match &data.kind {
            InstKind::Const(_) | InstKind::Input(_) => {}
            InstKind::Op { .. } if is_uniform => {}
            InstKind::Op { op, args } => {
                self.operations += weight;
                self.extend_chain(*op, args, data.results[0]);
            }
            // The texels of a lane cost the same in any packet, and the code around them less in wide ones.
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

    /// Records the time that an operation of a loop waits for its operands. Those from before the loop are ready.
    fn extend_chain(&mut self, op: Op, args: &[Value], result: Value) {
        let Some(around) = self.loops.last_mut() else { return };
        let ready = args.iter().map(|arg| self.ready[arg.index()]).filter(|&(position, _)| position > around.start);
        let done = ready.map(|(_, cycles)| cycles).max().unwrap_or(0) + latency(op);
        self.ready[result.index()] = (self.position, done);
        around.chain = around.chain.max(done);
        around.work += 1;
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
        // A value from before a loop that is used in it lives to its end.
        let start = range.start;
        if let Some(around) = self.loops.iter_mut().find(|around| around.start > start) {
            around.used.push(value);
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

#[cfg(test)]
mod tests {
    use crate::passes::{Level, optimise};
    use crate::text::parse;
    use crate::width::Width;

    /// The width of a loop that lanes leave one by one, with this in its body.
    fn width(body: &str) -> Width {
        let text = format!(
            r#"function "loop" {{
  group 64 1 1
  res0 = u0 structured stride 4
  body {{
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 7
    v3: bool = const true
    loop l0 (v4: i32 = v0) -> v5: i32 {{
      v6: bool = ult v4, v2
      if v6 {{
        break l0 v4
      }}
      else {{
        yield
      }}
{body}
    }}
    store res0[v0 + v1], v5 where v3
    return
  }}
}}
"#
        );
        let mut func = parse(&text).unwrap();
        optimise(&mut func, Level::Full);
        func.width
    }

    #[test]
    fn chains_get_wide_packets_where_lanes_leave_one_by_one() {
        let chain = "v7: i32 = imul v4, v0\nv8: i32 = imul v7, v0\nv9: i32 = imul v8, v0\nyield v9";
        assert_eq!(width(chain), Width::ThirtyTwo);
        // As many operations for each cycle of the chain as there are units.
        let broad = "v7: i32 = ushr v4, v2\nv8: i32 = iadd v4, v0\nv9: i32 = xor v4, v2\nv10: i32 = and v4, v0
            v11: i32 = or v7, v8\nv12: i32 = umin v9, v10\nv13: i32 = iadd v7, v9\nv14: i32 = xor v8, v10
            v15: i32 = umax v11, v12\nv16: i32 = and v13, v14\nv17: i32 = xor v15, v16\nyield v17";
        assert_eq!(width(broad), Width::Eight);
    }
}
