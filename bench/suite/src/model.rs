//! Computes the expected result of each case, item by item in plain Rust.

use std::ops::{Add, Mul, Sub};

use super::cases::{BASE64, Data, SuiteCase};
use super::{accesses, pictures, trades};

/// The content of `u0` after one dispatch.
pub(super) fn expected(case: &SuiteCase) -> Vec<u32> {
    let start = &case.output.words;
    let constant = |n: usize| f32::from_bits(case.constants[n]);
    let each = |run: &dyn Fn(u32) -> u32| case.inputs[0].words.iter().map(|&word| run(word)).collect();
    match case.name {
        "saxpy" | "saxpy_l2" => saxpy(&case.inputs[0], start, constant(0)),
        "mandel" => fractal(1024, |x, y| {
            let (step, rounds) = (constant(2), case.constants[3]);
            escape(constant(0) + step * x as f32, constant(1) + step * y as f32, rounds)
        }),
        "dmandel" => fractal(512, |x, y| {
            let [x0, y0, step] = [0, 1, 2].map(|n| f64::from(constant(n)));
            escape(x0 + step * f64::from(x), y0 + step * f64::from(y), case.constants[3])
        }),
        "nbody" => nbody(&case.inputs[0], constant(1)),
        "matmul" => matmul(&case.inputs[0], &case.inputs[1], 512),
        "reduce" => vec![case.inputs[0].words.iter().fold(0, |sum, word| sum.wrapping_add(*word)), 0, 0, 0],
        "hist" => hist(&case.inputs[0]),
        "gather" => gather(&case.inputs[0], &case.inputs[1]),
        "transc" => each(&transc),
        "tiny" => start.iter().map(|word| word + 1).collect(),
        "bitonic" => sorted(&case.inputs[0], 512),
        "scan" => scan(&case.inputs[0], 256),
        "xxh" => each(&|word| (0..32).fold(word, xxh_round)),
        "pcg" => each(&|word| (0..32).fold(word, |word, _| pcg_round(word))),
        "spmv" => spmv(&case.inputs),
        "radix" => radix(&case.inputs[0], case.constants[0]),
        "base64" => base64(&case.inputs[0]),
        "asian" => each(&|seed| asian(seed, case.constants[0], constant(2).into(), constant(3).into())),
        "search" => search(&case.inputs[0], &case.inputs[1], start.len()),
        "median" => pictures::median(&case.inputs[0]),
        "tex" => pictures::tex(&case.inputs[0]),
        "conv3" => pictures::conv3(&case.inputs[0]),
        "tonemap" => pictures::tonemap(&case.inputs[0], constant(0)),
        "blur" => pictures::blur(&case.inputs[0], constant(0)),
        "resize" => pictures::resize(&case.inputs[0]),
        "join" => accesses::join(&case.inputs),
        "labels" => accesses::labels(&case.inputs),
        "normals" => accesses::normals(&case.inputs),
        "skin" => accesses::skin(&case.inputs),
        "jacobi" => accesses::jacobi(&case.inputs),
        "sobel" => accesses::sobel(&case.inputs[0]),
        "mtf" => accesses::mtf(&case.inputs[0], case.constants[0] as usize),
        "knn" => accesses::knn(&case.inputs[0], &case.inputs[1]),
        "chacha" => trades::chacha(&case.inputs[0], &case.constants),
        "csv" => trades::csv(&case.inputs[0]),
        "sph" => trades::sph(&case.inputs[0]),
        "rays" => trades::rays(&case.inputs[0], &case.inputs[1]),
        "huffman" => trades::huffman(&case.inputs[0], &case.inputs[1]),
        "bisect" => trades::bisect(&case.inputs[0], &case.inputs[1]),
        "bilateral" => trades::bilateral(&case.inputs[0], [constant(0), constant(1)]),
        "kmeans" => trades::kmeans(&case.inputs[0], &case.inputs[1]),
        name => unreachable!("{name} is not in the list of cases"),
    }
}

fn saxpy(x: &Data, y: &[u32], a: f32) -> Vec<u32> {
    x.words.iter().zip(y).map(|(&x, &y)| (a * f32::from_bits(x) + f32::from_bits(y)).to_bits()).collect()
}

fn fractal(size: u32, rounds: impl Fn(u32, u32) -> u32) -> Vec<u32> {
    (0..size * size).map(|n| rounds(n % size, n / size)).collect()
}

/// Rounds until a point of the plane escapes, in single or double precision.
fn escape<T>(cx: T, cy: T, most: u32) -> u32
where
    T: Copy + PartialOrd + From<f32> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    let (mut x, mut y) = (T::from(0.0), T::from(0.0));
    for round in 0..most {
        if x * x + y * y > T::from(4.0) {
            return round;
        }
        (x, y) = (x * x - y * y + cx, T::from(2.0) * x * y + cy);
    }
    most
}

/// The pull of all bodies (position and mass) on each, softened by `softening`.
fn nbody(bodies: &Data, softening: f32) -> Vec<u32> {
    let body = |n: &[u32]| [n[0], n[1], n[2], n[3]].map(|word| f64::from(f32::from_bits(word)));
    let all: Vec<[f64; 4]> = bodies.words.chunks_exact(4).map(body).collect();
    let pull = |me: &[f64; 4]| {
        let mut sum = [0.0; 3];
        for [x, y, z, mass] in &all {
            let way = [x - me[0], y - me[1], z - me[2]];
            let square = way.iter().map(|d| d * d).sum::<f64>() + f64::from(softening);
            let strength = mass / (square * square.sqrt());
            for axis in 0..3 {
                sum[axis] += way[axis] * strength;
            }
        }
        [sum[0] as f32, sum[1] as f32, sum[2] as f32, 0.0].map(f32::to_bits)
    };
    all.iter().flat_map(pull).collect()
}

fn matmul(a: &Data, b: &Data, size: usize) -> Vec<u32> {
    let value = |data: &Data, row: usize, column: usize| f64::from(f32::from_bits(data.words[row * size + column]));
    let mut product = Vec::with_capacity(size * size);
    for row in 0..size {
        let mut sums = vec![0.0; size];
        for k in 0..size {
            let factor = value(a, row, k);
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += factor * value(b, k, column);
            }
        }
        product.extend(sums.iter().map(|&sum| (sum as f32).to_bits()));
    }
    product
}

fn hist(data: &Data) -> Vec<u32> {
    let mut counts = vec![0; 256];
    for byte in data.bytes() {
        counts[usize::from(byte)] += 1;
    }
    counts
}

fn gather(starts: &Data, table: &Data) -> Vec<u32> {
    let walk = |&start: &u32| {
        let (mut at, mut sum) = (start as usize, 0.0f32);
        for _ in 0..8 {
            sum += f32::from_bits(table.words[2 * at]);
            at = table.words[2 * at + 1] as usize;
        }
        sum.to_bits()
    };
    starts.words.iter().map(walk).collect()
}

fn transc(word: u32) -> u32 {
    let (mut v, mut sum) = (f32::from_bits(word), 0.0f64);
    for _ in 0..16 {
        let x = f64::from(v);
        sum += x.sin() * (-x).exp() + x.ln_1p() + x.powf(f64::from(1.3f32));
        v += 0.11;
    }
    (sum as f32).to_bits()
}

/// Every `block` words in rising order.
fn sorted(data: &Data, block: usize) -> Vec<u32> {
    let mut words = data.words.clone();
    words.chunks_mut(block).for_each(<[u32]>::sort_unstable);
    words
}

/// Sums of all words up to each, of every `block` words on their own.
fn scan(data: &Data, block: usize) -> Vec<u32> {
    let mut words = data.words.clone();
    for chunk in words.chunks_mut(block) {
        let mut sum = 0u32;
        for word in chunk {
            sum = sum.wrapping_add(*word);
            *word = sum;
        }
    }
    words
}

fn xxh_round(word: u32, round: u32) -> u32 {
    let mut hash = word.wrapping_add(round.wrapping_mul(2_246_822_519));
    hash = hash.rotate_left(13).wrapping_mul(2_654_435_761);
    hash = (hash ^ (hash >> 15)).wrapping_mul(2_246_822_519);
    hash ^ (hash >> 13)
}

fn pcg_round(word: u32) -> u32 {
    let state = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let mixed = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (mixed >> 22) ^ mixed
}

/// The number that a word's state gives, and the state after it.
fn pcg(state: &mut u32) -> u32 {
    let number = pcg_round(*state);
    *state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    number
}

/// Each row's numbers times those of the vector at their columns.
fn spmv(inputs: &[Data]) -> Vec<u32> {
    let [starts, columns, values, x] = inputs else { unreachable!("the matrix is three of the four inputs") };
    let value = |data: &Data, at: u32| f64::from(f32::from_bits(data.words[at as usize]));
    let product = |at: u32| value(values, at) * value(x, columns.words[at as usize]);
    let row = |row: &[u32]| ((row[0]..row[1]).map(product).sum::<f64>() as f32).to_bits();
    starts.words.windows(2).map(row).collect()
}

/// All keys, sorted stably by four of their bits.
fn radix(keys: &Data, shift: u32) -> Vec<u32> {
    let mut sorted = keys.words.clone();
    sorted.sort_by_key(|key| key >> shift & 15);
    sorted
}

fn base64(text: &Data) -> Vec<u32> {
    let code = |character: u8| BASE64.iter().position(|&known| known == character);
    let codes: Vec<Option<usize>> = (0..=255).map(code).collect();
    let decode = |four: &[u8; 4]| {
        let bits = four.iter().try_fold(0, |bits, &character| Some(bits << 6 | codes[usize::from(character)]?));
        bits.map_or([255; 3], |bits| [bits >> 16, bits >> 8, bits].map(|bits| bits as u8))
    };
    let bytes: Vec<u8> = text.bytes().as_chunks().0.iter().flat_map(decode).collect();
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// The excess of the mean of a path of prices that begins at 100, above 100.
fn asian(seed: u32, steps: u32, drift: f64, spread: f64) -> u32 {
    let (mut state, mut price, mut sum) = (seed, 100.0, 0.0);
    for _ in 0..steps {
        let halves = [pcg(&mut state), pcg(&mut state)].map(|word| (word >> 16) + (word & 0xffff));
        let deviation = f64::from(halves[0] + halves[1]) / 65536.0 - 2.0;
        price *= 1.0 + drift + spread * deviation;
        sum += price;
    }
    ((sum / f64::from(steps) - 100.0).max(0.0) as f32).to_bits()
}

/// A bit for each position in the text.
fn search(text: &Data, word: &Data, words: usize) -> Vec<u32> {
    let (text, word): (_, Vec<u8>) = (text.bytes(), word.words.iter().map(|&character| character as u8).collect());
    let bit = |at: usize| u32::from(text[at..].starts_with(&word));
    (0..words).map(|n| (0..32).fold(0, |bits, at| bits | bit(32 * n + at) << at)).collect()
}
