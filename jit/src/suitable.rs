//! Which functions gain from vectors of 64 bytes, and which processors have them at full rate.
//!
//! Half as many instructions do the same arithmetic, and half as many registers hold it. But lanes that are looked at one by one leave
//! vectors in twice as many steps, values of 64 bits gain nothing, and what is called works on vectors of 32 bytes, before which code
//! waits. So functions get them that do nothing but arithmetic on 32 bits and accesses in whole vectors.

use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::flow::Flow;
use brolga_ir::function::{Function, InstKind};
use brolga_ir::shape::{Shape, Shapes};
use brolga_ir::span::Packing;
use brolga_ir::stage::Stage;
use brolga_ir::types::Type;
use brolga_ir::uniformity::Uniformity;

use crate::options::VectorBytes;

/// Operations for each access that is not of whole vectors, from which on these do not matter.
const OPERATIONS_PER_ACCESS: u64 = 200;

/// How often a loop runs, about, as a power of two.
const LOOP_WEIGHT_BITS: u32 = 3;

/// Loops nested deeper than this make no further difference.
const MOST_LOOPS: u32 = 6;

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
        let mut work = Work { func, uniformity: &uniformity, shapes: &shapes, operations: 0, accesses: 0 };
        let is_suitable = work.region(func.body(), 0) && work.operations >= work.accesses * OPERATIONS_PER_ACCESS;
        if is_suitable && work.operations > 0 { Self::SixtyFour } else { Self::ThirtyTwo }
    }
}

/// What a function does in packets, each by how often it runs.
struct Work<'a> {
    func: &'a Function,
    uniformity: &'a Uniformity,
    shapes: &'a Shapes,
    /// Operations on vectors.
    operations: u64,
    /// Accesses lane by lane.
    accesses: u64,
}

impl Work<'_> {
    /// Counts what is in a region; false if there is something that vectors of 64 bytes do not suit at all.
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
            InstKind::Op { .. } => self.operations += if is_uniform { 0 } else { weight },
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
        !data.results.iter().any(|value| is_wide(value))
            && data.kind.regions().into_iter().all(|region| self.region(region, inner))
    }
}

/// Whether this processor does operations of 64 bytes as fast as others: Intel's for servers, and AMD's from Zen 5 on.
pub fn has_fast_64_bytes() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        let (vendor, version) = (__cpuid(0), __cpuid(1).eax);
        let [base, extended] = [version >> 8 & 15, version >> 20 & 255];
        let family = if base == 15 { base + extended } else { base };
        let model = version >> 4 & 15 | version >> 12 & 0xf0;
        match [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() {
            // Skylake, Ice Lake, Sapphire Rapids, Emerald Rapids and Granite Rapids.
            b"GenuineIntel" => family == 6 && [0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae].contains(&model),
            b"AuthenticAMD" => family >= 0x1a,
            _ => false,
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
