//! Decides which functions gain from vectors of 64 bytes, and which processors have them at full rate.
//!
//! Half as many instructions do the same arithmetic, and half as many registers hold it. But lanes that are accessed
//! one by one leave vectors in twice as many steps, values of 64 bits gain nothing, and called functions work on
//! vectors of 32 bytes, before which code waits. So functions get them that do nothing but arithmetic on 32 bits and
//! accesses in whole vectors.

use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::flow::Flow;
use brolga_ir::function::{Function, InstKind};
use brolga_ir::ops::Op;
use brolga_ir::shape::{Shape, Shapes};
use brolga_ir::span::Packing;
use brolga_ir::stage::Stage;
use brolga_ir::types::Type;
use brolga_ir::uniformity::Uniformity;

use super::VectorBytes;

/// Operations for each access that is not of whole vectors, from which on such accesses do not matter.
const OPERATIONS_PER_ACCESS: u64 = 200;

/// Other operations for each multiplication of integers, which has half as many units at 64 bytes, and takes them twice
/// as long.
const OPERATIONS_PER_MULTIPLICATION: u64 = 8;

/// Assumed iterations of a loop, as a power of two.
const LOOP_WEIGHT_BITS: u32 = 5;

/// Loops nested deeper than this make no further difference.
const MOST_LOOPS: u32 = 4;

impl VectorBytes {
    /// The size that suits a function, on processors that have 64 bytes at full rate.
    pub fn suitable(func: &Function, packing: Packing) -> Self {
        let is_compute = matches!(func.interface.stage, Stage::Compute { .. });
        if !is_compute || func.width.lanes() * 4 < Self::SixtyFour.count() {
            return Self::ThirtyTwo;
        }
        let flow = Flow::new(func);
        let uniformity = Uniformity::compute(func, &flow, packing);
        let shapes = Shapes::compute(func, &flow, &uniformity);
        let (uniformity, shapes) = (&uniformity, &shapes);
        let mut work = WeightedWork { func, uniformity, shapes, operations: 0, multiplications: 0, accesses: 0 };
        let is_suitable = work.region(func.body(), 0)
            && work.operations > 0
            && work.operations >= work.accesses * OPERATIONS_PER_ACCESS
            && work.operations >= work.multiplications * OPERATIONS_PER_MULTIPLICATION;
        if is_suitable { Self::SixtyFour } else { Self::ThirtyTwo }
    }
}

/// The work of a function's packets, each kind weighted by how often it runs.
struct WeightedWork<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    shapes: &'a Shapes,
    /// Operations on vectors.
    operations: u64,
    /// Integer multiplications among them.
    multiplications: u64,
    /// Accesses lane by lane.
    accesses: u64,
}

impl WeightedWork<'_> {
    /// Counts the work in a region; `false` if something in it does not suit vectors of 64 bytes at all.
    fn region(&mut self, region: Region, loops: u32) -> bool {
        let insts = &self.func.region(region).insts;
        insts.iter().all(|&inst| self.inst(inst, loops))
    }

    fn inst(&mut self, inst: Inst, loops: u32) -> bool {
        let data = self.func.inst(inst);
        let weight = 1 << (LOOP_WEIGHT_BITS * loops.min(MOST_LOOPS));
        let is_uniform = data.results.iter().all(|&result| self.uniformity.is_packet_uniform(result));
        match &data.kind {
            InstKind::Const(_) | InstKind::Input(_) => {}
            InstKind::Op { .. } if is_uniform => {}
            InstKind::Op { op, .. } => {
                self.operations += weight;
                let multiplies = matches!(op, Op::IMul | Op::UMulHi | Op::SMulHi);
                self.multiplications += if multiplies { weight } else { 0 };
            }
            InstKind::Sample { .. } => return false,
            InstKind::Load { .. } if is_uniform => {}
            InstKind::Load { place } | InstKind::Store { place, .. } => {
                let is_even = |value: Value| matches!(self.shapes.shape(value), Shape::Affine { .. });
                let is_even = [place.index, Some(place.offset)].into_iter().flatten().all(is_even);
                self.accesses += if is_even { 0 } else { weight };
            }
            kind if kind.regions().into_iter().next().is_some() => {}
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return => {}
            InstKind::Query { .. } if self.func.is_known_of_view(&data.kind) => {}
            InstKind::Barrier { .. } => {}
            _ => self.accesses += weight,
        }
        let is_wide = |&value: &Value| {
            matches!(self.func.ty(value), Type::I64 | Type::F64) && !self.uniformity.is_packet_uniform(value)
        };
        let inner = loops + u32::from(matches!(data.kind, InstKind::Loop { .. }));
        !data.results.iter().any(is_wide) && data.kind.regions().into_iter().all(|region| self.region(region, inner))
    }
}

/// `true` if this processor does operations of 64 bytes as fast as others: Intel's for servers, and AMD's from Zen 5
/// on.
pub fn has_fast_64_bytes() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use super::Maker;
        let version = std::arch::x86_64::__cpuid(1).eax;
        let [base, extended] = [version >> 8 & 15, version >> 20 & 255];
        let family = if base == 15 { base + extended } else { base };
        let model = version >> 4 & 15 | version >> 12 & 0xf0;
        match Maker::detect() {
            // Skylake, Ice Lake, Sapphire Rapids, Emerald Rapids and Granite Rapids.
            Maker::Intel => family == 6 && [0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae].contains(&model),
            Maker::Amd => family >= 0x1a,
            Maker::Other => false,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size for a function of groups of 64 threads with this in its body.
    fn size(body: &str) -> VectorBytes {
        let text = format!(
            r#"function "main" {{
  group 64 1 1
  res0 = u0 structured stride 4
  body {{
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: bool = const true
{body}
    return
  }}
}}
"#
        );
        let mut func = brolga_ir::text::parse(&text).unwrap();
        func.width = brolga_ir::Width::Sixteen;
        VectorBytes::suitable(&func, Packing::Row)
    }

    #[test]
    fn arithmetic_and_whole_vectors_have_64_bytes() {
        let sum = "v3: i32 = load res0[v0 + v1]\nv4: i32 = iadd v3, v3\nstore res0[v0 + v1], v4 where v2";
        assert_eq!(size(sum), VectorBytes::SixtyFour);
        // Each lane at an address of its own.
        let scattered = "v3: i32 = imul v0, v0\nv4: i32 = load res0[v3 + v1]\nstore res0[v0 + v1], v4 where v2";
        assert_eq!(size(scattered), VectorBytes::ThirtyTwo);
        let wide = "v3: f64 = utod v0\nv4: f64 = dadd v3, v3\nv5: i32 = dtou v4\nstore res0[v0 + v1], v5 where v2";
        assert_eq!(size(wide), VectorBytes::ThirtyTwo);
        let product = "v3: i32 = load res0[v0 + v1]\nv4: i32 = imul v3, v3\nstore res0[v0 + v1], v4 where v2";
        assert_eq!(size(product), VectorBytes::ThirtyTwo);
        // Nothing to do.
        assert_eq!(size(""), VectorBytes::ThirtyTwo);
    }
}
