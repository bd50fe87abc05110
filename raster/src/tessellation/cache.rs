//! Keeps patches that were divided lately: those of a mesh have few different factors, as a rule.

use brolga_ir::pipeline::record::BatchPoint;
use brolga_ir::stage::Domain;

use super::layout::TessellationLayout;
use super::tessellator::{MOST_FACTORS, ONE, tessellate};

/// Patches that are kept: each has some 160 KB at most.
const SLOTS: usize = 32;

/// What decides how a patch is divided: its tessellation factors as bits, and the hull shader's state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Key {
    factors: [u32; MOST_FACTORS],
    state: [u8; 3],
}

impl Key {
    fn slot(&self) -> usize {
        let mix = |hash: u32, word: &u32| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b1);
        self.factors.iter().fold(0, mix) as usize >> 16 & (SLOTS - 1)
    }
}

/// A divided patch.
#[derive(Default, Debug)]
pub struct Divided {
    key: Option<Key>,
    /// The points as domain shaders read them.
    pub points: Vec<[u32; BatchPoint::WORDS]>,
    /// The vertices of its primitives by numbers of points, as many as the output has.
    pub indices: Vec<u32>,
}

/// Divided patches. Of those that share a slot it knows the last.
#[derive(Debug)]
pub struct TessellationCache {
    slots: Box<[Divided; SLOTS]>,
}

impl Default for TessellationCache {
    fn default() -> Self {
        Self { slots: Box::new(std::array::from_fn(|_| Divided::default())) }
    }
}

impl TessellationCache {
    /// Divides a patch, unless it is known.
    pub fn divide(&mut self, layout: &TessellationLayout, factors: [f32; MOST_FACTORS]) -> &Divided {
        let hull = &layout.hull;
        let state = [hull.domain as u8, hull.partitioning as u8, hull.output as u8];
        let key = Key { factors: factors.map(f32::to_bits), state };
        let divided = &mut self.slots[key.slot()];
        if divided.key != Some(key) {
            let found = tessellate(hull.domain, hull.partitioning, hull.output, factors);
            let fixed = |word: u32| word as f32 / ONE as f32;
            let point = |[u, v]: [u32; 2]| {
                // Exact, as all of it is in fixed point.
                let w = if hull.domain == Domain::Triangle { fixed(ONE.wrapping_sub(u).wrapping_sub(v)) } else { 0.0 };
                BatchPoint { location: [fixed(u), fixed(v), w], is_active: 1 }.words()
            };
            *divided = Divided {
                key: Some(key),
                points: found.points.into_iter().map(point).collect(),
                indices: found.indices,
            };
        }
        divided
    }
}
