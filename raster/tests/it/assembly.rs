//! Checks primitive assembly against the figures of the functional specification (8.10 and 8.12).

use brolga_raster::state::Topology;
use brolga_raster::vertices::assembly::Positions;
use brolga_testing_base::random::{Random, seeds};
use brolga_testing_base::strips;

/// Positions that a batch may read per primitive before it ends at a restart.
const RESTARTED: u32 = 8;

/// The primitives of a sequence of indices, with their numbers, in batches of at most `most`.
fn assemble(topology: Topology, indices: &[u32], most: u32) -> Vec<(u32, Positions)> {
    let is_restart = |position: u32| indices[position as usize] == u32::MAX;
    let mut found = Vec::new();
    topology.batches(indices.len() as u32, most, Some(is_restart), |batch| {
        let before = found.len();
        topology.primitives(batch, indices.len() as u32, Some(is_restart), |positions| {
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

/// There may be many more restarts than primitives: batches end nevertheless, so that their receiver can end the draw.
#[test]
fn batches_are_short_whatever_is_between_their_primitives() {
    const CUT: u32 = u32::MAX;
    for topology in
        [Topology::PointList, Topology::LineList, Topology::LineStrip, Topology::TriangleList, Topology::TriangleStrip]
    {
        let mut indices = vec![CUT; 3000];
        indices[700..710].copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        indices[2990..2994].copy_from_slice(&[9, 8, 7, 6]);
        // Vertices of incomplete primitives count too.
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
            // Nothing is read after the last primitive.
            assert!(vertices >= 600 + 10 + 3, "{topology:?} {most}: {vertices}");
        }
    }
}

#[test]
fn a_list_has_a_triangle_for_every_three_vertices() {
    for most in [1, 2, 3, 100] {
        let expected = vec![(0, [4, 5, 6]), (1, [1, 2, 0]), (2, [9, 9, 9])];
        assert_eq!(assemble(Topology::TriangleList, &[4, 5, 6, 1, 2, 0, 9, 9, 9, 7, 8], most), expected);
        // A restart drops an incomplete primitive (8.12).
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
    // (0,1) (1,2) (2,3), all in the same direction.
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

/// Every vertex is read by one batch, or counted in one: the numbers of the examples in section 20.4.7, for other
/// topologies.
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

/// Primitives as geometry shaders see them, and as they are rasterized, in batches of at most `most`.
fn with_adjacent(topology: Topology, indices: &[u32], most: u32) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let is_restart = |position: u32| indices[position as usize] == strips::CUT;
    let (count, mut whole, mut own) = (indices.len() as u32, Vec::new(), Vec::new());
    let vertices = topology.kind() as usize + 1;
    topology.batches(count, most, Some(is_restart), |batch| {
        assert_eq!(batch.primitive as usize, whole.len());
        topology.whole_primitives(batch, count, Some(is_restart), |positions| {
            whole.push(positions.iter().map(|&position| indices[position as usize]).collect());
        });
        topology.primitives(batch, count, Some(is_restart), |positions| {
            own.push(positions[..vertices].iter().map(|&position| indices[position as usize]).collect());
        });
        true
    });
    (whole, own)
}

/// The table of `pipeline.md`, which two other implementations confirm, as a plain model of whole strips.
#[test]
fn random_strips_have_the_primitives_of_the_table() {
    let mut seen = 0;
    for seed in seeds(0..20_000) {
        let mut random = Random(seed);
        let name = random.pick(&strips::TOPOLOGIES);
        let patches = format!("{}_CONTROL_POINT_PATCHLIST", 1 + random.below(32));
        let name = if random.one_in(8) { &patches } else { name };
        let topology = Topology::from_name(name).unwrap();
        let cuts = random.pick(&[0, 2, 6, 20]);
        let mut index = |n| if cuts > 0 && random.one_in(cuts) { strips::CUT } else { n };
        let indices: Vec<u32> = (0..70).map(&mut index).collect();
        let indices = &indices[..random.below(71)];
        let expected = strips::primitives(name, indices);
        let own: Vec<_> = match name.contains("PATCH") {
            true => expected.iter().flatten().map(|&vertex| vec![vertex]).collect(),
            false => expected.iter().map(|primitive| strips::own_vertices(name, primitive)).collect(),
        };
        seen += expected.len();
        for most in [1, 2, 3, 5, 1000] {
            assert_eq!(with_adjacent(topology, indices, most), (expected.clone(), own.clone()), "{seed} {name} {most}");
        }
        // Without restarts lists take a shorter way.
        if cuts == 0 {
            let mut found = Vec::new();
            topology.batches(indices.len() as u32, 4, None::<fn(u32) -> bool>, |batch| {
                let visit = |positions: &[u32]| found.push(positions.to_vec());
                topology.whole_primitives(batch, indices.len() as u32, None::<fn(u32) -> bool>, visit);
                true
            });
            assert_eq!(found, expected, "{seed} {name}");
        }
    }
    println!("{seen} primitives");
}
