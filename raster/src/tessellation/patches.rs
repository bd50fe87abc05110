//! Runs the hull shader for the patches of a batch, and the domain shader for the points that the tessellator divides
//! them into.
//!
//! Factors are only known when the hull shader has run, and a patch may have thousands of triangles. So a batch goes on
//! in parts of whole patches with some thousand points, and may stop between them.

use brolga_ir::pipeline::record::{BatchInvocation, BatchPatch, BatchPoint, POINT_GROUP};
use brolga_ir::stage::InputPrimitive;
use brolga_ir::width::MAX_LANES;
use brolga_runtime::{ArrayWords, Error, StageSession};

use super::cache::TessellationCache;
use super::layout::TessellationLayout;
use super::tessellator::MOST_FACTORS;
use crate::statistics::Statistics;
use crate::vertices::primitives::{IndexedPrimitive, PrimitiveBatch, ROW_WORDS};

/// Patches of a batch.
pub const BATCH_PATCHES: u32 = 64;

/// The most points of a part, if it has more than one patch.
const PART_POINTS: usize = 4096;

/// The working memory for tessellation of one batch after the other.
#[derive(Default)]
pub struct Tessellator {
    /// The patches of a batch, as the hull shader reads them.
    pub patches: Vec<u32>,
    cache: TessellationCache,
    /// The groups of points of a part with their patches, and the points, as the domain shader reads them.
    groups: Vec<u32>,
    points: Vec<u32>,
}

/// The patches of a batch behind the hull shader, as far as they are not divided yet.
#[derive(Default)]
pub struct Patches {
    control_points: Vec<u32>,
    constants: Vec<u32>,
    /// The number of each patch in its instance.
    ids: Vec<u32>,
    /// The first that is not in a part yet.
    next: usize,
    /// Vertices and primitives of the present part.
    pub part: PrimitiveBatch,
    /// Primitives of the part that a geometry shader has taken.
    pub taken: usize,
}

impl Tessellator {
    /// The place in the domain of a vertex of the latest part.
    pub fn location(&self, vertex: u32) -> [f32; 3] {
        let words = &self.points[vertex as usize * BatchPoint::WORDS..];
        std::array::from_fn(|n| f32::from_bits(words[n]))
    }

    /// Runs the hull shader for [`Self::patches`], whose vertices are those of `made`.
    pub fn run_hull(
        &mut self,
        layout: &TessellationLayout,
        made: &mut PrimitiveBatch,
        session: &mut StageSession<'_>,
    ) -> Result<Patches, Error> {
        let hull = &layout.hull;
        let element = BatchInvocation::WORDS + hull.input_points as usize;
        let count = self.patches.len() / element;
        let mut patches =
            Patches { ids: self.patches.iter().step_by(element).copied().collect(), ..Patches::default() };
        // Lanes past the end of the last packet repeat the last patch.
        let room = count.next_multiple_of(MAX_LANES);
        if let Some(last) = count.checked_sub(1) {
            let last = last * element..(last + 1) * element;
            (count..room).for_each(|_| self.patches.extend_from_within(last.clone()));
        }
        let [point_words, constant_words] =
            [layout.point_rows, layout.constant_rows].map(|rows| rows as usize * ROW_WORDS);
        patches.control_points.resize(room * hull.own_points() as usize * point_words, 0);
        patches.constants.resize(room * constant_words, 0);
        if count > 0 {
            let mut arrays = [
                ArrayWords::Read(made.vertices.words()),
                ArrayWords::Read(&self.patches),
                ArrayWords::Write(&mut patches.control_points),
                ArrayWords::Write(&mut patches.constants),
            ];
            session.batch(count as u32, &mut arrays)?;
        }
        if hull.passes_points {
            let numbers =
                self.patches.chunks_exact(element).take(count).flat_map(|patch| &patch[BatchInvocation::WORDS..]);
            for &number in numbers {
                patches.control_points.extend_from_slice(made.vertices.row(number));
                let end = patches.control_points.len().next_multiple_of(point_words);
                patches.control_points.resize(end, 0);
            }
        }
        patches.part.statistics = Statistics { hull_invocations: count as u64, ..std::mem::take(&mut made.statistics) };
        Ok(patches)
    }
}

impl Patches {
    /// `true` if all patches are in parts, and a geometry shader has taken all of the last one.
    pub fn is_done(&self) -> bool {
        self.next == self.ids.len() && self.taken == self.part.primitives.len()
    }

    /// Makes the next part, which may be empty.
    pub fn next_part(
        &mut self,
        layout: &TessellationLayout,
        tessellator: &mut Tessellator,
        session: &mut StageSession<'_>,
    ) -> Result<(), Error> {
        let Tessellator { cache, groups, points, .. } = tessellator;
        let vertices_of_one = layout.kind().vertices() as usize;
        let constant_words = layout.constant_rows as usize * ROW_WORDS;
        groups.clear();
        points.clear();
        self.part.kind = layout.kind();
        self.part.primitives.clear();
        self.taken = 0;
        let mut active = 0;
        while let Some(&primitive_id) = self.ids.get(self.next) {
            let constants = &self.constants[self.next * constant_words..][..constant_words];
            let divided = cache.divide(layout, factors(layout, constants));
            let (first, count) = (points.len() / BatchPoint::WORDS, divided.points.len());
            if first > 0 && first + count > PART_POINTS {
                break;
            }
            if let Some(&[u, v, w, _]) = divided.points.last() {
                let filled = count.next_multiple_of(POINT_GROUP as usize);
                points.extend_from_slice(divided.points.as_flattened());
                (count..filled).for_each(|_| points.extend_from_slice(&[u, v, w, 0]));
                let patch = BatchPatch { patch: self.next as u32, primitive_id }.words();
                (0..filled / POINT_GROUP as usize).for_each(|_| groups.extend_from_slice(&patch));
                let vertex = |n: u32| first as u32 + n;
                let primitive = |indices: &[u32]| {
                    // A line repeats its first vertex, a point has one.
                    let vertices = match *indices {
                        [a, b, c] => [a, b, c],
                        [a, b] => [a, b, a],
                        _ => [indices[0]; 3],
                    };
                    IndexedPrimitive { vertices: vertices.map(vertex), id: primitive_id }
                };
                self.part.primitives.extend(divided.indices.chunks_exact(vertices_of_one).map(primitive));
                active += count;
            }
            self.next += 1;
        }
        let vertices = &mut self.part.vertices;
        let stride = layout.vertex_rows as usize * ROW_WORDS;
        let count = points.len() / BatchPoint::WORDS;
        vertices.begin_filled(stride, count);
        self.part.statistics.domain_invocations += active as u64;
        if count > 0 {
            let mut arrays = [
                ArrayWords::Read(&self.control_points),
                ArrayWords::Read(&self.constants),
                ArrayWords::Read(groups),
                ArrayWords::Read(points),
                ArrayWords::Write(vertices.words_mut()),
            ];
            session.batch(count as u32, &mut arrays)?;
        }
        Ok(())
    }

    /// Takes the next primitives of the part for a geometry shader, at most so many, with all of its instances.
    pub fn take(&mut self, most: usize, input: InputPrimitive, instances: u32, words: &mut Vec<u32>) {
        words.clear();
        let rest = &self.part.primitives[self.taken..];
        let taken = &rest[..most.min(rest.len())];
        for &IndexedPrimitive { vertices, id: primitive_id } in taken {
            for instance in 0..instances {
                words.extend_from_slice(&BatchInvocation { primitive_id, instance }.words());
                words.extend_from_slice(&vertices[..input.vertices() as usize]);
            }
        }
        self.taken += taken.len();
    }
}

/// The tessellation factors among the values of a patch. One that is not written is 0.
fn factors(layout: &TessellationLayout, constants: &[u32]) -> [f32; MOST_FACTORS] {
    let mut factors = [0.0; MOST_FACTORS];
    for (factor, word) in factors.iter_mut().zip(&layout.factor_words) {
        *factor = word.map_or(0.0, |word| f32::from_bits(constants[word]));
    }
    factors
}
