//! Defines cases with irregular memory accesses: a word or an element at an index that was read, neighbours that are
//! clamped at the edges, lists of each thread's own. Each has its inputs, and its expected result, computed item by
//! item in plain Rust.

use std::collections::BTreeMap;

use super::cases::{Amount, Compare, Data, InputGenerator, SuiteCase, float, position};

/// The slots of `join`, and the factor by which keys are spread over them.
const SLOTS: usize = 1 << 17;
const SPREAD: u32 = 2_654_435_761;
/// The extents of `jacobi`'s grid of cells.
const BOX: [usize; 3] = [128, 64, 64];
/// The width and height of `sobel`'s picture.
const SIZE: usize = 1024;
/// Codes of a thread of `mtf`, and the symbols of its list.
const CODES: usize = 64;
const SYMBOLS: usize = 16;
/// The number of points that `knn` examines, and the number that it keeps.
const POINTS: usize = 512;
const NEAREST: usize = 8;

impl SuiteCase {
    /// Half a million keys in a table with 80,000 of as many different ones; two of three are there.
    pub(super) fn join(&mut self, numbers: &mut InputGenerator) {
        let (mut keys, mut rows) = (vec![0; SLOTS], vec![0; SLOTS]);
        let known: Vec<u32> = (1..=80_000).map(|n: u32| n.wrapping_mul(0x9e37_79b1)).collect();
        for &key in &known {
            let mut slot = (key.wrapping_mul(SPREAD) >> 15) as usize;
            while keys[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            (keys[slot], rows[slot]) = (key, numbers.word() >> 1);
        }
        let mut wanted = || match numbers.word() % 3 {
            0 => numbers.word() | 1,
            _ => known[numbers.word() as usize % known.len()],
        };
        let wanted = (0..512 << 10).map(|_| wanted()).collect();
        let items = self.per_thread(wanted);
        self.inputs.extend([Data::new(keys, 4), Data::new(rows, 4)]);
        (self.items, self.amount) = ((items, "keys"), Amount::Unsaid);
    }

    /// A graph of 128 Ki vertices with 0 to 31 neighbours each, few more often than many.
    pub(super) fn labels(&mut self, numbers: &mut InputGenerator) {
        let vertices = 128 << 10;
        let mut starts = vec![0];
        for vertex in 0..vertices {
            let x = numbers.unit();
            starts.push(starts[vertex] + (x * x * 32.0) as u32);
        }
        let edges = starts[vertices];
        let neighbours = (0..edges).map(|_| numbers.word() % vertices as u32).collect();
        let labels = (0..vertices).map(|_| numbers.word() % vertices as u32).collect();
        self.inputs = [starts, neighbours, labels].map(|words| Data::new(words, 4)).into();
        self.output = Data::zeros(vertices, 4);
        self.groups = [(vertices / 128) as u32, 1, 1];
        (self.items, self.amount) =
            ((edges.into(), "edges"), Amount::Bytes(8 * u64::from(edges) + 16 * vertices as u64));
    }

    /// Triangles of any three of 128 Ki vertices, whose positions are whole numbers, so that products are exact.
    pub(super) fn normals(&mut self, numbers: &mut InputGenerator) {
        let (triangles, vertices) = (256 << 10, 128 << 10);
        let indices = (0..3 * triangles).map(|_| numbers.word() % vertices as u32).collect();
        let positions = (0..3 * vertices).map(|_| ((numbers.word() >> 24) as f32).to_bits()).collect();
        self.inputs = vec![Data::new(indices, 12), Data::new(positions, 12)];
        self.output = Data::zeros(3 * triangles, 12);
        self.groups = [(triangles / 64) as u32, 1, 1];
        (self.items, self.amount) = ((triangles as u64, "triangles"), Amount::Bytes((12 + 36 + 12) * triangles as u64));
        self.compare = Compare::Near(1e-4);
    }

    /// 128 Ki vertices and 80 bones.
    pub(super) fn skin(&mut self, numbers: &mut InputGenerator) {
        let (vertices, bones) = (128 << 10, 80);
        let mut floats = |count: usize| (0..count).map(|_| numbers.unit().to_bits()).collect::<Vec<u32>>();
        let [positions, weights, rows] = [4 * vertices, 4 * vertices, 12 * bones].map(&mut floats);
        let joints =
            (0..vertices).map(|_| (0..4).fold(0, |word, _| (word << 8) | (numbers.word() % bones as u32))).collect();
        self.inputs = vec![Data::new(positions, 16), Data::new(joints, 4), Data::new(weights, 16), Data::new(rows, 16)];
        self.output = Data::zeros(4 * vertices, 16);
        self.groups = [(vertices / 64) as u32, 1, 1];
        (self.items, self.amount) = ((vertices as u64, "vertices"), Amount::Bytes((52 + 4 * 48) * vertices as u64));
        self.compare = Compare::Near(1e-5);
    }

    pub(super) fn jacobi(&mut self, numbers: &mut InputGenerator) {
        let cells = BOX.iter().product();
        self.inputs = [(); 2].map(|()| Data::new((0..cells).map(|_| numbers.unit().to_bits()).collect(), 4)).into();
        self.output = Data::zeros(cells, 4);
        self.groups = [BOX[0] as u32 / 32, BOX[1] as u32 / 4, BOX[2] as u32];
        (self.items, self.amount) = ((cells as u64, "cells"), Amount::Bytes(32 * cells as u64));
        self.compare = Compare::Near(1e-5);
    }

    pub(super) fn sobel(&mut self, numbers: &mut InputGenerator) {
        let texels = SIZE * SIZE;
        self.inputs = vec![Data::new((0..texels).map(|_| numbers.unit().to_bits()).collect(), 4)];
        self.output = Data::zeros(texels, 4);
        self.groups = [SIZE as u32 / 16, SIZE as u32 / 16, 1];
        (self.items, self.amount) = ((texels as u64, "texels"), Amount::Bytes(36 * texels as u64));
        self.compare = Compare::Near(1e-5);
    }

    /// 16 Ki blocks of codes, of which half are 0, a quarter 1 and so on.
    pub(super) fn mtf(&mut self, numbers: &mut InputGenerator) {
        let threads = 16 << 10;
        let mut code = || numbers.word().leading_zeros().min(SYMBOLS as u32 - 1);
        let words = (0..threads * CODES / 8).map(|_| (0..8).fold(0, |word, _| word << 4 | code())).collect();
        self.inputs = vec![Data::new(words, 4)];
        self.output = Data::zeros(threads * CODES / 8, 4);
        self.constants = vec![threads as u32, 0, 0, 0];
        self.groups = [(threads / 64) as u32, 1, 1];
        let codes = (threads * CODES) as u64;
        (self.items, self.amount) = ((codes, "codes"), Amount::Bytes(codes));
    }

    /// Positions of 8 Ki threads and 512 points, all whole numbers, so that distances are exact.
    pub(super) fn knn(&mut self, numbers: &mut InputGenerator) {
        let threads = 8 << 10;
        let mut positions = |count: usize| (0..2 * count).map(|_| ((numbers.word() >> 21) as f32).to_bits()).collect();
        self.inputs = vec![Data::new(positions(threads), 8), Data::new(positions(POINTS), 8)];
        self.output = Data::zeros(NEAREST * threads, 4);
        self.groups = [(threads / 64) as u32, 1, 1];
        let pairs = (threads * POINTS) as u64;
        (self.items, self.amount) = ((pairs, "pairs"), Amount::Operations(6 * pairs));
    }
}

/// The row of each key, whichever slot it has.
pub(super) fn join(inputs: &[Data]) -> Vec<u32> {
    let [wanted, keys, rows] = inputs else { unreachable!("keys and a table of two parts") };
    let table: BTreeMap<_, _> = keys.words.iter().zip(&rows.words).collect();
    wanted.words.iter().map(|key| table.get(key).map_or(u32::MAX, |&&row| row)).collect()
}

pub(super) fn labels(inputs: &[Data]) -> Vec<u32> {
    let [starts, neighbours, labels] = inputs else { unreachable!("a graph of two parts and labels") };
    let label = |vertex: u32| labels.words[vertex as usize];
    let next = |(vertex, row): (usize, &[u32])| {
        let neighbours = &neighbours.words[row[0] as usize..row[1] as usize];
        let least = neighbours.iter().map(|&n| label(n)).fold(labels.words[vertex], u32::min);
        least.min(label(least))
    };
    starts.words.windows(2).enumerate().map(next).collect()
}

pub(super) fn normals(inputs: &[Data]) -> Vec<u32> {
    let normal = |triangle: &[u32]| {
        let [a, b, c] = [0, 1, 2].map(|n| position(&inputs[1].words[3 * triangle[n] as usize..]));
        let [b, c] = [b, c].map(|to| [0, 1, 2].map(|axis| to[axis] - a[axis]));
        let n = [0, 1, 2].map(|axis| (axis + 1) % 3).map(|x| (x, (x + 1) % 3)).map(|(x, y)| b[x] * c[y] - b[y] * c[x]);
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        n.map(|x| if length > 0.0 { ((x / length) as f32).to_bits() } else { 0 })
    };
    inputs[0].words.chunks_exact(3).flat_map(normal).collect()
}

pub(super) fn skin(inputs: &[Data]) -> Vec<u32> {
    let [positions, joints, weights, bones] = inputs else { unreachable!("three parts of vertices and bones") };
    let moved = |((vertex, joint), weights): ((&[u32], &u32), &[u32])| {
        let [x, y, z] = position(vertex);
        let of_bone = |bone: u8, axis: usize| {
            let row = &bones.words[4 * (3 * usize::from(bone) + axis)..];
            float(row[0]) * x + float(row[1]) * y + float(row[2]) * z + float(row[3])
        };
        let sum =
            |axis| joint.to_le_bytes().iter().zip(weights).map(|(&n, &by)| float(by) * of_bone(n, axis)).sum::<f64>();
        [sum(0), sum(1), sum(2), 1.0].map(|x| (x as f32).to_bits())
    };
    let vertices = positions.words.chunks_exact(4).zip(&joints.words).zip(weights.words.chunks_exact(4));
    vertices.flat_map(moved).collect()
}

pub(super) fn jacobi(inputs: &[Data]) -> Vec<u32> {
    let next = |cell: usize| {
        let at = [cell % BOX[0], cell / BOX[0] % BOX[1], cell / BOX[0] / BOX[1]];
        let mut sum = -float(inputs[1].words[cell]);
        for axis in 0..3 {
            for beside in [at[axis].saturating_sub(1), (at[axis] + 1).min(BOX[axis] - 1)] {
                let mut at = at;
                at[axis] = beside;
                sum += float(inputs[0].words[(at[2] * BOX[1] + at[1]) * BOX[0] + at[0]]);
            }
        }
        ((sum / 6.0) as f32).to_bits()
    };
    (0..inputs[0].words.len()).map(next).collect()
}

pub(super) fn sobel(grey: &Data) -> Vec<u32> {
    let at = |x: usize, y: usize| float(grey.words[y.clamp(1, SIZE) * SIZE - SIZE + x.clamp(1, SIZE) - 1]);
    // The texels around one, from 0 to 2 and with a border of one: `x` and `y` are those of the upper left neighbour.
    let edge = |texel: usize| {
        let (x, y) = (texel % SIZE, texel / SIZE);
        let (mut across, mut down) = (0.0, 0.0);
        for (n, weight) in [1.0, 2.0, 1.0].into_iter().enumerate() {
            across += weight * (at(x + 2, y + n) - at(x, y + n));
            down += weight * (at(x + n, y + 2) - at(x + n, y));
        }
        (across.hypot(down) as f32).to_bits()
    };
    (0..grey.words.len()).map(edge).collect()
}

pub(super) fn mtf(codes: &Data, threads: usize) -> Vec<u32> {
    let mut lists = vec![(0..SYMBOLS as u32).collect::<Vec<_>>(); threads];
    let decode = |(at, &word): (usize, &u32)| {
        let list = &mut lists[at % threads];
        (0..8).map(|n| word >> (4 * n) & 15).enumerate().fold(0, |symbols, (n, code)| {
            let symbol = list.remove(code as usize);
            list.insert(0, symbol);
            symbols | symbol << (4 * n)
        })
    };
    codes.words.iter().enumerate().map(decode).collect()
}

/// Of points at the same distance, the first.
pub(super) fn knn(positions: &Data, points: &Data) -> Vec<u32> {
    let nearest = |position: &[u32]| {
        let square = |point: &[u32]| {
            (float(point[0]) - float(position[0])).powi(2) + (float(point[1]) - float(position[1])).powi(2)
        };
        let mut all: Vec<(u64, u32)> =
            points.words.chunks_exact(2).map(|point| square(point) as u64).zip(0..).collect();
        all.sort_unstable();
        all.into_iter().take(NEAREST).map(|(_, n)| n)
    };
    positions.words.chunks_exact(2).flat_map(nearest).collect()
}
