//! Which vertices are a primitive: topologies, restarts, batches (functional specification, 8.10 and 8.12).
//!
//! A draw reads a row of *positions*: places of the index buffer, or the vertices themselves. Batches cut it into pieces that any
//! worker can take on its own.

/// How vertices make triangles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Topology {
    /// Three vertices each.
    TriangleList,
    /// Each vertex from the third on makes a triangle with the two before it.
    TriangleStrip,
}

/// Consecutive primitives of one instance.
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
}

impl Batch {
    /// Vertices that it reads and the batches before it do not.
    pub fn vertices(self, topology: Topology, is_restart: Option<impl Fn(u32) -> bool>) -> u64 {
        let positions = self.first..self.first + self.count;
        let restarts = is_restart.map_or(0, |is_restart| positions.filter(|&position| is_restart(position)).count());
        let is_later = topology == Topology::TriangleStrip && self.primitive > 0;
        let shared = if is_later { 2 } else { 0 };
        u64::from(self.count) - restarts as u64 - shared
    }
}

/// A triangle by the positions of its vertices: the leading one first, and wound as the list or strip is.
pub type Positions = [u32; 3];

impl Topology {
    /// Cuts `count` positions into batches of at most `most` primitives. Where there may be restarts, `is_restart` says which positions
    /// hold one: the primitive before is dropped if it is not whole. Ends early where `take` says so.
    pub fn batches(
        self,
        count: u32,
        most: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut take: impl FnMut(Batch) -> bool,
    ) {
        let is_list = self == Topology::TriangleList;
        if is_list && is_restart.is_none() {
            let triangles = count / 3;
            for primitive in (0..triangles).step_by(most as usize) {
                let batch = Batch {
                    first: primitive * 3,
                    count: most.min(triangles - primitive) * 3,
                    is_odd: false,
                    primitive,
                };
                if !take(batch) {
                    return;
                }
            }
            return;
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let mut batch = Batch { first: 0, count: 0, is_odd: false, primitive: 0 };
        // Vertices since the last restart, and triangles of the batch.
        let (mut vertices, mut triangles) = (0_u32, 0);
        for position in 0..count {
            vertices = if restarts(position) { 0 } else { vertices + 1 };
            let is_whole = vertices >= 3;
            triangles += u32::from(is_whole);
            if is_list && is_whole {
                vertices = 0;
            }
            if triangles == most {
                batch.count = position + 1 - batch.first;
                if !take(batch) {
                    return;
                }
                // The next triangle of a strip shares two vertices with this one.
                let first = if is_list { position + 1 } else { position - 1 };
                let (is_odd, primitive) = (!is_list && vertices % 2 == 1, batch.primitive + most);
                batch = Batch { first, count: 0, is_odd, primitive };
                triangles = 0;
            }
        }
        if triangles > 0 {
            take(Batch { count: count - batch.first, ..batch });
        }
    }

    /// Calls a function for each triangle of a batch, in order.
    pub fn triangles(self, batch: Batch, is_restart: Option<impl Fn(u32) -> bool>, mut visit: impl FnMut(Positions)) {
        let end = batch.first + batch.count;
        let is_list = self == Topology::TriangleList;
        if is_list && is_restart.is_none() {
            return (batch.first..end).step_by(3).for_each(|first| visit([first, first + 1, first + 2]));
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let (mut vertices, mut is_odd) = (0, batch.is_odd);
        for position in batch.first..end {
            if restarts(position) {
                (vertices, is_odd) = (0, false);
                continue;
            }
            vertices += 1;
            if vertices >= 3 {
                let [a, b, c] = [position - 2, position - 1, position];
                visit(if is_odd { [a, c, b] } else { [a, b, c] });
                (vertices, is_odd) = if is_list { (0, false) } else { (vertices, !is_odd) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Positions, Topology};

    /// All triangles of a row of indices, with their numbers, by batches of a size.
    fn assemble(topology: Topology, indices: &[u32], most: u32) -> Vec<(u32, Positions)> {
        let is_restart = |position: u32| indices[position as usize] == u32::MAX;
        let mut found = Vec::new();
        topology.batches(indices.len() as u32, most, Some(is_restart), |batch| {
            let before = found.len();
            topology.triangles(batch, Some(is_restart), |positions| {
                let number = batch.primitive + (found.len() - before) as u32;
                found.push((number, positions.map(|position| indices[position as usize])));
            });
            assert!((1..=most as usize).contains(&(found.len() - before)));
            true
        });
        found
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
    }
}
