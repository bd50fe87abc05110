//! Which vertices are a primitive: topologies, restarts, batches (functional specification, 8.10 and 8.12).
//!
//! A draw reads a row of *positions*: places of the index buffer, or the vertices themselves. Batches cut it into pieces that any
//! worker can take on its own.

use std::ops::Range;

use crate::vertices::indices::Indices;

/// Positions that a batch reads for each primitive that it may have, before it ends at a restart: more than any primitive takes.
const RESTARTED: u32 = 8;

/// How vertices make primitives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Topology {
    /// Every vertex is a point.
    PointList,
    /// Two vertices each.
    LineList,
    /// Each vertex from the second on makes a line with the one before it.
    LineStrip,
    /// Three vertices each.
    TriangleList,
    /// Each vertex from the third on makes a triangle with the two before it.
    TriangleStrip,
    /// Each vertex from the third on makes a triangle with the one before it, which leads, and the first one. Only Direct3D 9 has fans,
    /// which do not begin anew.
    TriangleFan,
}

/// What primitives are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Points.
    Point,
    /// Lines.
    Line,
    /// Triangles.
    Triangle,
}

impl Kind {
    /// Vertices of a primitive.
    fn vertices(self) -> u32 {
        match self {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 3,
        }
    }
}

/// Consecutive primitives of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The first position that is read.
    pub first: u32,
    /// Positions that are read, restarts among them.
    pub count: u32,
    /// Whether the first triangle is an odd one of its strip.
    pub is_odd: bool,
    /// The number of the first primitive within the instance.
    pub primitive: u32,
    /// Vertices at its beginning that the batch before it reads, too.
    pub shared: u32,
}

impl Batch {
    /// Vertices that it reads and the batches before it do not.
    pub fn vertices(self, is_restart: Option<impl Fn(u32) -> bool>) -> u64 {
        let positions = self.first..self.first + self.count;
        let restarts = is_restart.map_or(0, |is_restart| positions.filter(|&position| is_restart(position)).count());
        u64::from(self.count) - restarts as u64 - u64::from(self.shared)
    }
}

/// A primitive by the positions of its vertices: the leading one first, and triangles wound as the list or strip is. A line's third
/// position is its first again, and all of a point's are one.
pub type Positions = [u32; 3];

impl Topology {
    /// What it makes of vertices.
    pub fn kind(self) -> Kind {
        match self {
            Topology::PointList => Kind::Point,
            Topology::LineList | Topology::LineStrip => Kind::Line,
            Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan => Kind::Triangle,
        }
    }

    /// Whether primitives share no vertices.
    fn is_list(self) -> bool {
        match self {
            Topology::PointList | Topology::LineList | Topology::TriangleList => true,
            Topology::LineStrip | Topology::TriangleStrip | Topology::TriangleFan => false,
        }
    }

    /// Cuts `count` positions into batches of at most `most` primitives. Where there may be restarts, `is_restart` says which positions
    /// hold one: the primitive before is dropped if it is not whole. A batch has no more than a few times as many positions, so that it
    /// may have no primitive where there are restarts. Ends early where `take` says so.
    pub fn batches(
        self,
        count: u32,
        most: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut take: impl FnMut(Batch) -> bool,
    ) {
        let (is_list, whole) = (self.is_list(), self.kind().vertices());
        if is_list && is_restart.is_none() {
            let primitives = count / whole;
            for primitive in (0..primitives).step_by(most as usize) {
                let batch = Batch {
                    first: primitive * whole,
                    count: most.min(primitives - primitive) * whole,
                    is_odd: false,
                    primitive,
                    shared: 0,
                };
                if !take(batch) {
                    return;
                }
            }
            return;
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let most_positions = most.saturating_mul(RESTARTED);
        let mut batch = Batch { first: 0, count: 0, is_odd: false, primitive: 0, shared: 0 };
        // Vertices since the last restart, and primitives of the batch.
        let (mut vertices, mut primitives) = (0_u32, 0);
        for position in 0..count {
            vertices = if restarts(position) { 0 } else { vertices + 1 };
            let is_whole = vertices >= whole;
            primitives += u32::from(is_whole);
            if is_list && is_whole {
                vertices = 0;
            }
            if primitives == most {
                batch.count = position + 1 - batch.first;
                if !take(batch) {
                    return;
                }
                // The next primitive of a strip shares all vertices but one with this one.
                let first = if is_list { position + 1 } else { position + 2 - whole };
                let is_odd = self == Topology::TriangleStrip && vertices % 2 == 1;
                let shared = position + 1 - first;
                batch = Batch { first, count: 0, is_odd, primitive: batch.primitive + most, shared };
                primitives = 0;
            } else if vertices == 0 && restarts(position) && position - batch.first >= most_positions {
                batch.count = position + 1 - batch.first;
                if !take(batch) {
                    return;
                }
                let primitive = batch.primitive + primitives;
                batch = Batch { first: position + 1, count: 0, is_odd: false, primitive, shared: 0 };
                primitives = 0;
            }
        }
        if primitives > 0 {
            take(Batch { count: count - batch.first, ..batch });
        }
    }

    /// Calls a function for each primitive of a batch, in order.
    pub fn primitives(self, batch: Batch, is_restart: Option<impl Fn(u32) -> bool>, mut visit: impl FnMut(Positions)) {
        let end = batch.first + batch.count;
        let (is_list, whole) = (self.is_list(), self.kind().vertices());
        // From its first position on.
        let positions = |first: u32| match self.kind() {
            Kind::Point => [first; 3],
            Kind::Line => [first, first + 1, first],
            Kind::Triangle => [first, first + 1, first + 2],
        };
        if is_list && is_restart.is_none() {
            return (batch.first..end).step_by(whole as usize).for_each(|first| visit(positions(first)));
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let (mut vertices, mut is_odd) = (0, batch.is_odd);
        for position in batch.first..end {
            if restarts(position) {
                (vertices, is_odd) = (0, false);
                continue;
            }
            vertices += 1;
            if vertices >= whole {
                let [a, b, c] = positions(position + 1 - whole);
                visit(match self {
                    Topology::TriangleFan => [b, c, 0],
                    _ if is_odd => [a, c, b],
                    _ => [a, b, c],
                });
                vertices = if is_list { 0 } else { vertices };
                is_odd = self == Topology::TriangleStrip && !is_odd;
            }
        }
    }
}

/// Vertices of a draw, for one instance or several.
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    /// What the index buffer has, if there is one.
    pub indices: Option<&'a Indices>,
    /// What is added to an index, or the first vertex.
    pub base_vertex: u32,
    /// Their numbers, from 0 on.
    pub numbers: Range<u32>,
    /// The first instance of the draw.
    pub first: u32,
    /// The index that begins a strip anew.
    pub restart: Option<u32>,
}

/// Remembers where vertices of a batch are. Of those whose indices meet in one place the last is known: the others are shaded again.
pub struct Reuse(Box<[(u32, u32); Self::PLACES]>);

impl Default for Reuse {
    fn default() -> Self {
        Self(Box::new([(0, u32::MAX); Self::PLACES]))
    }
}

impl Reuse {
    const PLACES: usize = 1024;

    /// Forgets all of them.
    pub fn forget(&mut self) {
        self.0.fill((0, u32::MAX));
    }

    /// Where the vertex of an index is, if that is known and not before `from`; otherwise `make` makes it.
    pub fn place(&mut self, index: u32, from: u32, make: impl FnOnce() -> u32) -> u32 {
        let known = &mut self.0[index as usize % Self::PLACES];
        if known.0 != index || !(from..u32::MAX).contains(&known.1) {
            *known = (index, make());
        }
        known.1
    }
}

impl Instances<'_> {
    /// The index at a position.
    pub fn index(&self, position: u32) -> u32 {
        self.indices.map_or(position, |indices| indices.get(position))
    }

    /// Which positions begin a strip anew.
    pub fn is_restart(&self) -> Option<impl Fn(u32) -> bool + '_> {
        self.restart.map(|restart| move |position| self.index(position) == restart)
    }
}

#[cfg(test)]
mod tests {
    use super::{Positions, RESTARTED, Topology};

    /// All primitives of a row of indices, with their numbers, by batches of a size.
    fn assemble(topology: Topology, indices: &[u32], most: u32) -> Vec<(u32, Positions)> {
        let is_restart = |position: u32| indices[position as usize] == u32::MAX;
        let mut found = Vec::new();
        topology.batches(indices.len() as u32, most, Some(is_restart), |batch| {
            let before = found.len();
            topology.primitives(batch, Some(is_restart), |positions| {
                let number = batch.primitive + (found.len() - before) as u32;
                found.push((number, positions.map(|position| indices[position as usize])));
            });
            let primitives = found.len() - before;
            assert!(primitives <= most as usize && batch.count <= most * (RESTARTED + 3) + 3);
            assert!(primitives > 0 || is_restart(batch.first + batch.count - 1));
            true
        });
        found
    }

    /// Restarts may be many more than primitives: batches end nevertheless, so that whoever takes them can end the draw.
    #[test]
    fn batches_are_short_whatever_is_between_their_primitives() {
        const CUT: u32 = u32::MAX;
        for topology in [
            Topology::PointList,
            Topology::LineList,
            Topology::LineStrip,
            Topology::TriangleList,
            Topology::TriangleStrip,
        ] {
            let mut indices = vec![CUT; 3000];
            indices[700..710].copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            indices[2990..2994].copy_from_slice(&[9, 8, 7, 6]);
            // Vertices of which nothing becomes whole count nevertheless.
            (800..2000).step_by(2).for_each(|at| indices[at] = 5);
            let all = assemble(topology, &indices, 10_000);
            for most in [1, 2, 7] {
                assert_eq!(assemble(topology, &indices, most), all, "{topology:?} {most}");
                let (mut taken, mut vertices) = (0, 0);
                topology.batches(3000, most, Some(|position: u32| indices[position as usize] == CUT), |batch| {
                    taken += 1;
                    vertices += batch.vertices(Some(|position: u32| indices[position as usize] == CUT));
                    true
                });
                assert!(taken > 3000 / (most * (RESTARTED + 3) + 3), "{topology:?} {most}: {taken}");
                // After the last primitive nothing is looked at.
                assert!(vertices >= 600 + 10 + 3, "{topology:?} {most}: {vertices}");
            }
        }
    }

    #[test]
    fn a_list_has_a_triangle_for_every_three_vertices() {
        for most in [1, 2, 3, 100] {
            let expected = vec![(0, [4, 5, 6]), (1, [1, 2, 0]), (2, [9, 9, 9])];
            assert_eq!(assemble(Topology::TriangleList, &[4, 5, 6, 1, 2, 0, 9, 9, 9, 7, 8], most), expected);
            // A restart drops what is not whole (8.12).
            let indices = [4, 5, 6, 1, u32::MAX, 1, 2, 0, u32::MAX, u32::MAX, 9, 9, 9, 7, 8];
            assert_eq!(assemble(Topology::TriangleList, &indices, most), expected);
        }
    }

    #[test]
    fn a_strip_turns_every_other_triangle() {
        // The figure "primitive topologies": (0,1,2) (1,3,2) (2,3,4) (3,5,4).
        for most in [1, 2, 3, 100] {
            let expected = vec![(0, [0, 1, 2]), (1, [1, 3, 2]), (2, [2, 3, 4]), (3, [3, 5, 4])];
            assert_eq!(assemble(Topology::TriangleStrip, &[0, 1, 2, 3, 4, 5], most), expected);
        }
    }

    #[test]
    fn a_strip_begins_anew_after_a_restart_and_counts_on() {
        const CUT: u32 = u32::MAX;
        let indices = [CUT, 0, 1, 2, 3, 4, CUT, CUT, 5, 6, CUT, 7, CUT, 8, 9, 10, 11, CUT];
        let expected = vec![(0, [0, 1, 2]), (1, [1, 3, 2]), (2, [2, 3, 4]), (3, [8, 9, 10]), (4, [9, 11, 10])];
        for most in [1, 2, 3, 4, 5, 100] {
            assert_eq!(assemble(Topology::TriangleStrip, &indices, most), expected, "{most}");
        }
    }

    #[test]
    fn too_few_vertices_make_nothing() {
        for topology in [Topology::TriangleList, Topology::TriangleStrip] {
            for count in 0..3 {
                assert_eq!(assemble(topology, &[1, 2][..count.min(2)], 8), vec![]);
            }
        }
        for topology in [Topology::LineList, Topology::LineStrip] {
            for count in 0..2 {
                assert_eq!(assemble(topology, &[1][..count], 8), vec![]);
            }
        }
        assert_eq!(assemble(Topology::PointList, &[], 8), vec![]);
    }

    #[test]
    fn points_are_single_vertices() {
        const CUT: u32 = u32::MAX;
        for most in [1, 2, 3, 100] {
            let expected = vec![(0, [7; 3]), (1, [3; 3]), (2, [7; 3])];
            assert_eq!(assemble(Topology::PointList, &[7, 3, 7], most), expected);
            assert_eq!(assemble(Topology::PointList, &[7, CUT, CUT, 3, 7, CUT], most), expected);
        }
    }

    #[test]
    fn lines_are_pairs() {
        // The figure "primitive topologies": (0,1) (2,3); and 8.12 for what a restart leaves alone.
        const CUT: u32 = u32::MAX;
        for most in [1, 2, 3, 100] {
            let expected = vec![(0, [0, 1, 0]), (1, [2, 3, 2]), (2, [9, 8, 9])];
            assert_eq!(assemble(Topology::LineList, &[0, 1, 2, 3, 9, 8, 5], most), expected);
            let indices = [CUT, 0, 1, 2, 3, CUT, 5, CUT, 9, 8, CUT, 6];
            assert_eq!(assemble(Topology::LineList, &indices, most), expected);
        }
    }

    #[test]
    fn strips_of_lines_share_their_ends() {
        // (0,1) (1,2) (2,3), none of which is turned.
        const CUT: u32 = u32::MAX;
        for most in [1, 2, 3, 4, 100] {
            let expected = vec![(0, [0, 1, 0]), (1, [1, 2, 1]), (2, [2, 3, 2])];
            assert_eq!(assemble(Topology::LineStrip, &[0, 1, 2, 3], most), expected);
            let indices = [0, 1, 2, CUT, 5, CUT, CUT, 6, 7, CUT, 8, 9, 10, 11];
            let found = assemble(Topology::LineStrip, &indices, most);
            let expected = [[0, 1, 0], [1, 2, 1], [6, 7, 6], [8, 9, 8], [9, 10, 9], [10, 11, 10]];
            assert_eq!(found, (0..).zip(expected).collect::<Vec<_>>(), "{most}");
        }
    }

    /// Every vertex is read by one batch, or counted in one: the numbers of the examples in section 20.4.7, for other topologies.
    #[test]
    fn batches_count_vertices_once() {
        const CUT: u32 = u32::MAX;
        let indices = [0, 1, CUT, 2, 3, 4, 5, CUT, 6, 7];
        let is_restart = |position: u32| indices[position as usize] == CUT;
        for topology in [Topology::PointList, Topology::LineList, Topology::LineStrip] {
            for most in [1, 2, 3, 100] {
                let mut vertices = 0;
                topology.batches(indices.len() as u32, most, Some(is_restart), |batch| {
                    vertices += batch.vertices(Some(is_restart));
                    true
                });
                assert_eq!(vertices, 8, "{topology:?} {most}");
            }
        }
    }
}
