//! Defines cases from many fields: cryptography, parsing, physics, geometry, coding, searching, pictures, statistics.
//! Each has its inputs, and its expected result, computed item by item in plain Rust.

use brolga_runtime::{Format, TextureShape};

use super::cases::{Amount, Compare, Data, InputGenerator, SuiteCase, bytes, float, position};
use brolga_document::MadeKind as Kind;

/// Cells along each axis of `sph`'s grid.
const GRID: usize = 16;
/// The triangles against which each ray of `rays` is tested.
const TRIANGLES: usize = 256;
/// Symbols of a stream of `huffman`, and the maximum length of a code in bits.
const SYMBOLS: usize = 64;
const LONGEST: u32 = 9;
/// The width and height of `bilateral`'s picture.
const SIZE: usize = 512;
/// The centres of `kmeans`.
const CENTRES: usize = 32;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

impl SuiteCase {
    /// 64 Ki blocks of 64 bytes. The constants are a key of eight words, the first block's number and a nonce of three
    /// words.
    pub(super) fn chacha(&mut self, numbers: &mut InputGenerator) {
        let blocks = 64 << 10;
        self.constants = numbers.words(12);
        self.inputs = vec![Data::raw(&bytes(&numbers.words(16 * blocks)))];
        self.output = Data::raw(&vec![0; 64 * blocks]);
        self.groups = [(blocks / 64) as u32, 1, 1];
        // A quarter round is twelve operations, eight are a double round.
        (self.items, self.amount) = ((blocks as u64, "blocks"), Amount::Operations((10 * 8 * 12 + 32) * blocks as u64));
    }

    /// 64 Ki records of one to eight fields, of which one in eight is a word and the others are whole numbers.
    pub(super) fn csv(&mut self, numbers: &mut InputGenerator) {
        let records = 64 << 10;
        let (mut text, mut starts) = (String::new(), Vec::new());
        for _ in 0..records {
            starts.push(text.len() as u32);
            let fields: Vec<String> = (0..=numbers.word() % 8)
                .map(|_| match numbers.word() % 8 {
                    0 => "none".to_owned(),
                    _ => (numbers.word() as i32 >> (14 + numbers.word() % 17)).to_string(),
                })
                .collect();
            text += &fields.join(",");
            text.push('\n');
        }
        let length = text.len() as u64;
        text += &"\0".repeat(4 - text.len() % 4);
        self.inputs = vec![Data::raw(text.as_bytes()), Data::new(starts, 4)];
        self.output = Data::zeros(2 * records, 8);
        self.groups = [(records / 64) as u32, 1, 1];
        (self.items, self.amount) = ((length, "characters"), Amount::Bytes(length + 12 * records as u64));
    }

    /// 32 Ki particles, some eight in a cell.
    pub(super) fn sph(&mut self, numbers: &mut InputGenerator) {
        let count = 32 << 10;
        let mut cells = vec![Vec::new(); GRID.pow(3)];
        for _ in 0..count {
            let at = [(); 3].map(|()| numbers.unit() * GRID as f32);
            let [x, y, z] = at.map(|x| x as usize);
            cells[(z * GRID + y) * GRID + x].push([at[0], at[1], at[2], numbers.unit()].map(f32::to_bits));
        }
        let mut starts = vec![0];
        starts.extend(cells.iter().scan(0, |end, cell| {
            *end += cell.len() as u32;
            Some(*end)
        }));
        self.inputs = vec![Data::new(cells.concat().concat(), 16), Data::new(starts, 4)];
        self.output = Data::zeros(count, 4);
        self.groups = [(count / 64) as u32, 1, 1];
        self.items = (count as u64, "particles");
        self.compare = Compare::Near(1e-4);
    }

    /// 16 Ki rays. All inputs are whole numbers, so that products are exact and no ray is on either side of an edge by
    /// chance.
    pub(super) fn rays(&mut self, numbers: &mut InputGenerator) {
        let rays = 16 << 10;
        let mut within = |most: u32| (numbers.word() % (2 * most + 1)) as f32 - most as f32;
        let mut words = Vec::new();
        for _ in 0..rays {
            words.extend([within(60), within(60), within(60), 1000.0]);
            words.extend([within(30), within(30), within(30), 0.0]);
        }
        let mut triangles = Vec::new();
        for _ in 0..TRIANGLES {
            for most in [50, 30, 30] {
                triangles.extend([within(most), within(most), within(most), 0.0]);
            }
        }
        let [words, triangles] = [words, triangles].map(|floats| floats.into_iter().map(f32::to_bits).collect());
        self.inputs = vec![Data::new(words, 32), Data::new(triangles, 16)];
        self.output = Data::zeros(rays, 4);
        self.groups = [(rays / 64) as u32, 1, 1];
        let pairs = (rays * TRIANGLES) as u64;
        (self.items, self.amount) = ((pairs, "pairs"), Amount::Unsaid);
        self.compare = Compare::Near(1e-5);
    }

    /// 16 Ki streams, one behind the other. The symbols are 32, whose codes have 2 to 9 bits.
    pub(super) fn huffman(&mut self, numbers: &mut InputGenerator) {
        let streams = 16 << 10;
        let codes = codes();
        // By the next bits: each code occupies all entries whose index begins with it.
        let mut table = vec![0; 1 << LONGEST];
        for (symbol, &(code, length)) in codes.iter().enumerate() {
            for rest in 0..1 << (LONGEST - length) {
                table[(code | rest << length) as usize] = length << 8 | symbol as u32;
            }
        }
        let (mut bits, mut starts, mut at) = (vec![0], Vec::new(), 0);
        for _ in 0..streams {
            starts.push(at);
            for _ in 0..SYMBOLS {
                // As often as its code is short.
                let (code, length) = codes[(table[(numbers.word() >> (32 - LONGEST)) as usize] & 255) as usize];
                let code = u64::from(code) << (at % 32);
                *bits.last_mut().expect("there is one") |= code as u32;
                if at % 32 + length >= 32 {
                    bits.push((code >> 32) as u32);
                }
                at += length;
            }
        }
        bits.push(0);
        self.inputs = [bits, starts, table].map(|words| Data::new(words, 4)).into();
        self.output = Data::zeros(streams * SYMBOLS / 4, 4);
        self.groups = [(streams / 64) as u32, 1, 1];
        let symbols = (streams * SYMBOLS) as u64;
        (self.items, self.amount) = ((symbols, "symbols"), Amount::Bytes(u64::from(at) / 8 + symbols));
    }

    /// Half a million keys and a list of 64 Ki numbers.
    pub(super) fn bisect(&mut self, numbers: &mut InputGenerator) {
        let mut sorted = numbers.words(64 << 10);
        sorted.sort_unstable();
        self.constants = vec![sorted.len() as u32, 0, 0, 0];
        let keys = self.per_thread(numbers.words(512 << 10));
        self.inputs.push(Data::new(sorted, 4));
        (self.items, self.amount) = ((keys, "keys"), Amount::Unsaid);
    }

    /// A picture of two shades with noise.
    pub(super) fn bilateral(&mut self, numbers: &mut InputGenerator) {
        let texels = SIZE * SIZE;
        let shade = |at: usize| if (at % SIZE / 40 + at / SIZE / 40).is_multiple_of(2) { 60 } else { 160 };
        let codes: Vec<u8> = (0..texels).map(|at| shade(at) + (numbers.word() % 40) as u8).collect();
        let words = codes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let shape = TextureShape::texture_2d(Format::R8_UNORM, SIZE as u32, SIZE as u32);
        self.inputs = vec![Data { words, kind: Kind::Texture(shape) }];
        self.output = Data::zeros(texels, 4);
        self.constants = vec![0.15f32.to_bits(), 25f32.to_bits(), 0, 0];
        self.groups = [SIZE as u32 / 16, SIZE as u32 / 8, 1];
        (self.items, self.amount) = ((25 * texels as u64, "weights"), Amount::Operations(8 * 25 * texels as u64));
        self.compare = Compare::Near(1e-4);
    }

    /// 256 Ki points, whose positions are whole numbers, so that distances are exact.
    pub(super) fn kmeans(&mut self, numbers: &mut InputGenerator) {
        let count = 256 << 10;
        let mut positions = |count: usize| (0..4 * count).map(|_| ((numbers.word() >> 22) as f32).to_bits()).collect();
        self.inputs = vec![Data::new(positions(count), 16), Data::new(positions(CENTRES), 16)];
        self.output = Data::zeros(count, 4);
        self.groups = [(count / 64) as u32, 1, 1];
        let pairs = (count * CENTRES) as u64;
        (self.items, self.amount) = ((pairs, "pairs"), Amount::Operations(13 * pairs));
    }
}

/// The canonical codes of 32 symbols, in the bit order of a stream that begins with the lowest bit, and their lengths.
fn codes() -> Vec<(u32, u32)> {
    let lengths = [(2, 2), (3, 1), (4, 2), (5, 2), (6, 4), (7, 12), (8, 7), (9, 2)];
    let (mut next, mut codes) = (0u32, Vec::new());
    for (length, count) in lengths {
        next <<= length - codes.last().map_or(length, |&(_, length)| length);
        for _ in 0..count {
            codes.push((next.reverse_bits() >> (32 - length), length));
            next += 1;
        }
    }
    codes
}

/// Word by word, as in RFC 8439.
pub(super) fn chacha(plain: &Data, constants: &[u32]) -> Vec<u32> {
    const COLUMNS: [[usize; 4]; 4] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
    const DIAGONALS: [[usize; 4]; 4] = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
    let begin: Vec<u32> = b"expand 32-byte k".as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let block = |(n, plain): (usize, &[u32])| {
        let mut first = [&begin[..], constants].concat();
        first[12] = first[12].wrapping_add(n as u32);
        let mut state = first.clone();
        for _ in 0..10 {
            for [a, b, c, d] in COLUMNS.into_iter().chain(DIAGONALS) {
                for (sum, more, turned, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                    state[sum] = state[sum].wrapping_add(state[more]);
                    state[turned] = (state[turned] ^ state[sum]).rotate_left(by);
                }
            }
        }
        (0..16).map(|word| plain[word] ^ state[word].wrapping_add(first[word])).collect::<Vec<_>>()
    };
    plain.words.chunks_exact(16).enumerate().flat_map(block).collect()
}

pub(super) fn csv(text: &Data) -> Vec<u32> {
    let text = text.bytes();
    let text = std::str::from_utf8(&text).expect("it was made as text").trim_end_matches('\0');
    let record = |line: &str| {
        let sum = line.split(',').filter_map(|field| field.parse::<i32>().ok()).fold(0, i32::wrapping_add);
        [line.split(',').count() as u32, sum as u32]
    };
    text.lines().flat_map(record).collect()
}

/// Each particle with all others.
pub(super) fn sph(particles: &Data) -> Vec<u32> {
    let all: Vec<([f64; 3], f64)> =
        particles.words.chunks_exact(4).map(|words| (position(words), float(words[3]))).collect();
    // By slices, since others are no further than the next one.
    let mut slices = vec![Vec::new(); GRID + 2];
    for &(at, mass) in &all {
        slices[at[2] as usize + 1].push((at, mass));
    }
    let density = |&(here, _): &([f64; 3], f64)| {
        let near = slices[here[2] as usize..][..3].iter().flatten();
        let sum: f64 = near
            .map(|&(at, mass)| {
                let way = minus(at, here);
                mass * (1.0 - dot(way, way)).max(0.0).powi(3)
            })
            .sum();
        ((sum * 315.0 / (64.0 * std::f64::consts::PI)) as f32).to_bits()
    };
    all.iter().map(density).collect()
}

/// A ray meets a triangle if both barycentric coordinates are positive and add up to less than 1.
pub(super) fn rays(rays: &Data, triangles: &Data) -> Vec<u32> {
    let triangles: Vec<[[f64; 3]; 3]> = triangles
        .words
        .chunks_exact(12)
        .map(|words| [position(words), position(&words[4..]), position(&words[8..])])
        .collect();
    let far = |ray: &[u32]| {
        let (start, way, far) = (position(ray), position(&ray[4..]), float(ray[3]));
        let met = triangles.iter().filter_map(|&[vertex, first, second]| {
            let from = minus(start, vertex);
            let [area, u, v, t] = [
                -dot(way, cross(first, second)),
                -dot(way, cross(from, second)),
                -dot(way, cross(first, from)),
                dot(from, cross(first, second)),
            ];
            (area > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= area && t > 0.0).then_some(t / area)
        });
        let nearest = met.fold(f64::INFINITY, f64::min);
        if nearest < far { (nearest as f32).to_bits() } else { 0 }
    };
    rays.words.chunks_exact(8).map(far).collect()
}

/// Bit by bit, up to the first code that matches.
pub(super) fn huffman(bits: &Data, starts: &Data) -> Vec<u32> {
    let codes = codes();
    let stream = |&start: &u32| {
        let mut at = start;
        let mut symbol = || {
            let (mut code, mut length) = (0, 0);
            loop {
                code |= (bits.words[at as usize / 32] >> (at % 32) & 1) << length;
                (at, length) = (at + 1, length + 1);
                if let Some(symbol) = codes.iter().position(|&known| known == (code, length)) {
                    return symbol as u32;
                }
            }
        };
        (0..SYMBOLS / 4).map(|_| (0..4).fold(0, |four, n| four | symbol() << (8 * n))).collect::<Vec<_>>()
    };
    starts.words.iter().flat_map(stream).collect()
}

pub(super) fn bisect(keys: &Data, sorted: &Data) -> Vec<u32> {
    keys.words.iter().map(|key| sorted.words.partition_point(|word| word < key) as u32).collect()
}

pub(super) fn bilateral(picture: &Data, [by_distance, by_difference]: [f32; 2]) -> Vec<u32> {
    let codes = picture.bytes();
    let at = |x: i32, y: i32| {
        let [x, y] = [x, y].map(|x| x.clamp(0, SIZE as i32 - 1) as usize);
        f64::from(codes[y * SIZE + x]) / 255.0
    };
    let texel = |n: usize| {
        let (here_x, here_y) = ((n % SIZE) as i32, (n / SIZE) as i32);
        let (here, mut sum, mut weights) = (at(here_x, here_y), 0.0, 0.0);
        for (x, y) in (-2..=2).flat_map(|y| (-2..=2).map(move |x| (x, y))) {
            let other = at(here_x + x, here_y + y);
            let weight = (-f64::from(by_distance) * f64::from(x * x + y * y)
                - f64::from(by_difference) * (other - here).powi(2))
            .exp();
            sum += weight * other;
            weights += weight;
        }
        ((sum / weights) as f32).to_bits()
    };
    (0..codes.len()).map(texel).collect()
}

/// Of centres at the same distance, the first.
pub(super) fn kmeans(points: &Data, centres: &Data) -> Vec<u32> {
    let nearest = |point: &[u32]| {
        let square =
            |centre: &[u32]| centre.iter().zip(point).map(|(&a, &b)| (float(a) - float(b)).powi(2)).sum::<f64>();
        let squares = centres.words.chunks_exact(4).map(square);
        squares.zip(0..).min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are centres").1
    };
    points.words.chunks_exact(4).map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8439, section 2.3.2.
    #[test]
    fn blocks_are_those_of_the_document() {
        let bytes: Vec<u8> = (0..32).collect();
        let mut constants: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        constants.extend([1, 0x0900_0000, 0x4a00_0000, 0]);
        let found = chacha(&Data::raw(&[0; 64]), &constants);
        assert_eq!(found[..4], [0xe4e7_f110, 0x1559_3bd1, 0x1fdd_0f50, 0xc471_20a3]);
        assert_eq!(found[12..], [0xd19c_12b5, 0xb94e_16de, 0xe883_d0cb, 0x4e3c_50a2]);
    }

    /// Every entry of a table has one code.
    #[test]
    fn codes_are_complete() {
        let codes = codes();
        assert_eq!(codes.len(), 32);
        for bits in 0..1 << LONGEST {
            let begins = |&&(code, length): &&(u32, u32)| bits & ((1 << length) - 1) == code;
            assert_eq!(codes.iter().filter(begins).count(), 1, "{bits:b}");
        }
    }
}
