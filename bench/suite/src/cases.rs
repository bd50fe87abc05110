//! Defines the cases: shader, inputs, number of groups. All numbers come from one small generator with a fixed seed, in
//! the order in which the programs of other runtimes draw them, so that all have the same inputs.

use std::num::NonZeroU32;

use brolga_runtime::{AddressMode, Format, Sampler, TextureShape};

use brolga_document::MadeKind as Kind;

/// The comparison of results.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compare {
    /// Every byte, a colour code, may differ by this much.
    Codes(u8),
    /// Every word must be equal.
    Exact,
    /// Every float must be within this fraction of its value or of a tenth of the mean.
    Near(f64),
}

/// The content of a view.
pub(super) struct Data {
    pub words: Vec<u32>,
    pub kind: Kind,
}

impl Data {
    pub fn new(words: Vec<u32>, stride_bytes: u32) -> Self {
        Self { words, kind: Kind::Structured { stride: stride_bytes } }
    }

    pub fn zeros(words: usize, stride_bytes: u32) -> Self {
        Self::new(vec![0; words], stride_bytes)
    }

    /// A square texture.
    fn texture(words: Vec<u32>, format: Format) -> Self {
        let texels = 4 * words.len() as u32 / format.size_bytes();
        Self { words, kind: Kind::Texture(TextureShape::texture_2d(format, texels.isqrt(), texels.isqrt())) }
    }

    pub fn raw(bytes: &[u8]) -> Self {
        Self { words: bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect(), kind: Kind::Raw }
    }

    /// The content in memory order.
    pub fn bytes(&self) -> Vec<u8> {
        bytes(&self.words)
    }
}

/// Words in memory order.
pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A number of the models.
pub(super) fn float(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

/// A position: three of them, the first of `words`.
pub(super) fn position(words: &[u32]) -> [f64; 3] {
    [0, 1, 2].map(|axis| float(words[axis]))
}

/// The amount of work that a rate counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    /// Nothing.
    Unsaid,
    /// Bytes that have to move between views and registers.
    Bytes(u64),
    /// Operations of the source, as `docs/bench.md` counts them.
    Operations(u64),
    /// Operations for each round of the results, whose words are numbers of rounds.
    PerRound(u64),
}

/// A shader and the name of its file.
pub(super) type Container = (&'static str, &'static [u8]);

/// One case.
pub(super) struct SuiteCase {
    pub name: &'static str,
    pub container: Container,
    /// `t0`, `t1` and so on.
    pub inputs: Vec<Data>,
    /// `s0`.
    pub sampler: Option<Sampler>,
    /// `u0`, before the first dispatch.
    pub output: Data,
    /// `b0`; empty if the shader has none.
    pub constants: Vec<u32>,
    pub groups: [u32; 3],
    /// The number of items for throughput, and the name of an item.
    pub items: (u64, &'static str),
    pub amount: Amount,
    /// Dispatches in one sample.
    pub batch: NonZeroU32,
    pub compare: Compare,
}

/// The width and height of the results of the cases with textures.
pub(super) const SIZE: u32 = 1024;

/// The characters of Base64 (RFC 4648, table 1), indexed by code.
pub(super) const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Dispatches in a sample of a case that takes microseconds.
const SHORT: NonZeroU32 = NonZeroU32::new(100).expect("it is not 0");
/// The same for one that takes less.
const TINY: NonZeroU32 = NonZeroU32::new(10_000).expect("it is not 0");

/// Sets up a case.
type Setup = fn(&mut SuiteCase, &mut InputGenerator);

macro_rules! shader {
    ($name:literal) => {
        (concat!($name, ".cso"), include_bytes!(concat!("shaders/", $name, ".cso")))
    };
    (example $name:literal) => {
        (concat!($name, ".cso"), include_bytes!(concat!("../../../examples/", $name, ".cso")))
    };
}

/// All cases, in the order in which they are measured.
const CASES: [(&str, Container, Setup); 42] = [
    ("saxpy", shader!("saxpy"), |case, numbers| case.saxpy(numbers, 8 << 20, NonZeroU32::MIN)),
    ("saxpy_l2", shader!("saxpy"), |case, numbers| case.saxpy(numbers, 64 << 10, SHORT)),
    ("mandel", shader!("mandel"), |case, _| case.fractal(1024)),
    ("nbody", shader!("nbody"), SuiteCase::nbody),
    ("matmul", shader!("matmul"), SuiteCase::matmul),
    ("reduce", shader!("reduce"), SuiteCase::reduce),
    ("hist", shader!("hist"), SuiteCase::hist),
    ("gather", shader!("gather"), SuiteCase::gather),
    ("transc", shader!("transc"), SuiteCase::transc),
    ("dmandel", shader!("dmandel"), |case, _| case.fractal(512)),
    ("tex", shader!("tex"), SuiteCase::tex),
    ("tiny", shader!("tiny"), |case, _| case.tiny()),
    ("bitonic", shader!("bitonic"), SuiteCase::bitonic),
    ("scan", shader!("scan"), SuiteCase::scan),
    ("conv3", shader!("conv3"), SuiteCase::conv3),
    ("xxh", shader!("xxh"), |case, numbers| case.hash(numbers, 8)),
    ("pcg", shader!("pcg"), |case, numbers| case.hash(numbers, 9)),
    ("spmv", shader!("spmv"), SuiteCase::spmv),
    ("radix", shader!("radix"), SuiteCase::radix),
    ("base64", shader!("base64"), SuiteCase::base64),
    ("asian", shader!("asian"), SuiteCase::asian),
    ("search", shader!("search"), SuiteCase::search),
    ("median", shader!("median"), SuiteCase::median),
    ("tonemap", shader!(example "tonemap"), SuiteCase::tonemap),
    ("blur", shader!(example "blur"), |case, numbers| {
        case.constants = vec![3.0f32.to_bits(), 0, 0, 0];
        case.picture(numbers, 1024, 16, 2 * 17)
    }),
    ("resize", shader!(example "resize"), |case, numbers| case.picture(numbers, 256, 8, 16)),
    ("join", shader!("join"), SuiteCase::join),
    ("labels", shader!("labels"), SuiteCase::labels),
    ("normals", shader!("normals"), SuiteCase::normals),
    ("skin", shader!("skin"), SuiteCase::skin),
    ("jacobi", shader!("jacobi"), SuiteCase::jacobi),
    ("sobel", shader!("sobel"), SuiteCase::sobel),
    ("mtf", shader!("mtf"), SuiteCase::mtf),
    ("knn", shader!("knn"), SuiteCase::knn),
    ("chacha", shader!("chacha"), SuiteCase::chacha),
    ("csv", shader!("csv"), SuiteCase::csv),
    ("sph", shader!("sph"), SuiteCase::sph),
    ("rays", shader!("rays"), SuiteCase::rays),
    ("huffman", shader!("huffman"), SuiteCase::huffman),
    ("bisect", shader!("bisect"), SuiteCase::bisect),
    ("bilateral", shader!("bilateral"), SuiteCase::bilateral),
    ("kmeans", shader!("kmeans"), SuiteCase::kmeans),
];

/// The names of all cases.
pub const NAMES: [&str; CASES.len()] = {
    let mut names = [""; CASES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = CASES[at].0;
        at += 1;
    }
    names
};

/// The generator of all inputs.
pub(super) struct InputGenerator(u32);

impl InputGenerator {
    pub fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x7feb_352d);
        x ^ (x >> 15)
    }

    /// From 0 to below 1, in steps of 2^-24.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / 16_777_216.0
    }

    pub fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }
}

impl SuiteCase {
    /// Makes the inputs of a case, if there is one of this name.
    pub fn new(name: &str) -> Option<Self> {
        let (name, container, setup) = CASES.into_iter().find(|(known, ..)| *known == name)?;
        let mut case = Self {
            name,
            container,
            inputs: Vec::new(),
            sampler: None,
            output: Data::zeros(0, 4),
            constants: Vec::new(),
            groups: [1, 1, 1],
            items: (0, ""),
            amount: Amount::Unsaid,
            batch: NonZeroU32::MIN,
            compare: Compare::Exact,
        };
        setup(&mut case, &mut InputGenerator(12_345));
        Some(case)
    }

    /// One word in and one out for each thread, 256 threads a group. Returns their number.
    pub fn per_thread(&mut self, words: Vec<u32>) -> u64 {
        let count = words.len();
        self.groups = [(count / 256) as u32, 1, 1];
        self.output = Data::zeros(count, 4);
        self.inputs.push(Data::new(words, 4));
        count as u64
    }

    fn saxpy(&mut self, numbers: &mut InputGenerator, count: usize, batch: NonZeroU32) {
        let (x, y) = (0..count).map(|_| (numbers.unit().to_bits(), numbers.unit().to_bits())).unzip();
        let items = self.per_thread(x);
        self.output = Data::new(y, 4);
        self.constants = vec![0.5f32.to_bits(), count as u32, 0, 0];
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(12 * items));
        self.batch = batch;
    }

    /// Rounds until each point of a square escapes.
    fn fractal(&mut self, size: u32) {
        self.output = Data::zeros((size * size) as usize, 4);
        let step = 2.5 / size as f32;
        self.constants = vec![(-2.0f32).to_bits(), (-1.25f32).to_bits(), step.to_bits(), 256];
        self.groups = [size / 8, size / 8, 1];
        (self.items, self.amount) = ((u64::from(size * size), "pixels"), Amount::PerRound(8));
    }

    fn nbody(&mut self, numbers: &mut InputGenerator) {
        let count = 4096;
        self.inputs = vec![Data::new((0..count * 4).map(|_| numbers.unit().to_bits()).collect(), 16)];
        self.output = Data::zeros(count * 4, 16);
        self.constants = vec![count as u32, 0.01f32.to_bits(), 0, 0];
        self.groups = [(count / 256) as u32, 1, 1];
        let pairs = (count * count) as u64;
        (self.items, self.amount) = ((pairs, "pairs"), Amount::Operations(19 * pairs));
        self.compare = Compare::Near(2e-3);
    }

    fn matmul(&mut self, numbers: &mut InputGenerator) {
        let size = 512;
        let (a, b) = (0..size * size).map(|_| ((numbers.unit() - 0.5).to_bits(), numbers.unit().to_bits())).unzip();
        self.inputs = vec![Data::new(a, 4), Data::new(b, 4)];
        self.output = Data::zeros(size * size, 4);
        self.constants = vec![size as u32, 0, 0, 0];
        self.groups = [(size / 16) as u32, (size / 16) as u32, 1];
        let products = (size * size * size) as u64;
        (self.items, self.amount) = ((products, "multiply-adds"), Amount::Operations(2 * products));
        self.compare = Compare::Near(1e-3);
    }

    fn reduce(&mut self, numbers: &mut InputGenerator) {
        let items = self.per_thread(numbers.words(4 << 20));
        self.output = Data::zeros(4, 4);
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(4 * items));
    }

    /// Words of four bytes each, small bytes more often than large ones.
    fn hist(&mut self, numbers: &mut InputGenerator) {
        let count = 1 << 20;
        let mut byte = || {
            let x = numbers.unit();
            (x * x * 255.9) as u32
        };
        let words = (0..count).map(|_| (0..4).fold(0, |word, _| word << 8 | byte())).collect();
        self.inputs = vec![Data::new(words, 4)];
        self.output = Data::zeros(256, 4);
        self.groups = [(count / 4096) as u32, 1, 1];
        let bytes = 4 * count as u64;
        (self.items, self.amount) = ((bytes, "bytes"), Amount::Bytes(bytes));
    }

    /// Starts in a table of 2^17 pairs: a float, and the index of the next pair.
    fn gather(&mut self, numbers: &mut InputGenerator) {
        let mask = (128 << 10) - 1;
        let threads = self.per_thread((0..1 << 20).map(|_| numbers.word() & mask).collect());
        let table = (0..=mask).flat_map(|_| [numbers.unit().to_bits(), numbers.word() & mask]).collect();
        self.inputs.push(Data::new(table, 8));
        (self.items, self.amount) = ((8 * threads, "loads"), Amount::Bytes((8 * 8 + 4 + 4) * threads));
    }

    fn transc(&mut self, numbers: &mut InputGenerator) {
        let words = (0..256 << 10).map(|_| (numbers.unit() * 4.0 + 0.1).to_bits()).collect();
        let rounds = 16 * self.per_thread(words);
        (self.items, self.amount) = ((rounds, "rounds"), Amount::Operations(10 * rounds));
        self.compare = Compare::Near(1e-3);
    }

    /// A square of texels with 8 x 8 threads a group, or another size, each of which moves this many bytes.
    fn texels(&mut self, input: Data, output: Format, group: u32, bytes: u64) {
        let words = (SIZE * SIZE * output.size_bytes() / 4) as usize;
        self.inputs = vec![input];
        self.output = Data::texture(vec![0; words], output);
        self.groups = [SIZE / group, SIZE / group, 1];
        let texels = u64::from(SIZE * SIZE);
        (self.items, self.amount) = ((texels, "texels"), Amount::Bytes(bytes * texels));
    }

    /// Four samples of four texels of a picture with gradients and noise.
    fn tex(&mut self, numbers: &mut InputGenerator) {
        let texel = |at: u32, noise: u32| {
            let (x, y) = (at % SIZE, at / SIZE);
            [x / 4 + (noise & 31), y / 4, (x ^ y) / 4, 255]
                .into_iter()
                .rev()
                .fold(0, |word, code| word << 8 | code & 255)
        };
        let words = (0..SIZE * SIZE).map(|at| texel(at, numbers.word())).collect();
        self.texels(Data::texture(words, Format::R8G8B8A8_UNORM), Format::R8G8B8A8_UNORM, 8, 4 * 4 * 4 + 4);
        self.items = (4 * u64::from(SIZE * SIZE), "samples");
        self.sampler = Some(Sampler { address: [AddressMode::Wrap; 3], ..Sampler::default() });
        self.compare = Compare::Codes(2);
    }

    fn conv3(&mut self, numbers: &mut InputGenerator) {
        let words = (0..4 * SIZE * SIZE).map(|_| numbers.unit().to_bits()).collect();
        let format = Format::R32G32B32A32_FLOAT;
        self.texels(Data::texture(words, format), format, 8, 9 * 16 + 16);
        self.compare = Compare::Near(1e-5);
    }

    /// Light from 0 to 16, in halves.
    fn tonemap(&mut self, numbers: &mut InputGenerator) {
        let words =
            (0..2 * SIZE * SIZE).map(|_| numbers.word() % 0x4c00 * 0x1_0000 + numbers.word() % 0x4c00).collect();
        self.constants = vec![0.4f32.to_bits(), 0, 0, 0];
        self.texels(Data::texture(words, Format::R16G16B16A16_FLOAT), Format::R8G8B8A8_UNORM, 8, 8 + 4);
        self.compare = Compare::Codes(1);
    }

    /// A picture of noise; each thread loads this many texels.
    fn picture(&mut self, numbers: &mut InputGenerator, size: usize, group: u32, loads: u64) {
        let source = Data::texture(numbers.words(size * size), Format::R8G8B8A8_UNORM_SRGB);
        self.texels(source, Format::R8G8B8A8_UNORM, group, 4 * loads + 4);
        self.compare = Compare::Codes(1);
    }

    fn tiny(&mut self) {
        self.output = Data::zeros(64, 4);
        self.items = (1, "dispatches");
        self.batch = TINY;
    }

    /// Sorts every 512 keys, in 45 steps of 256 comparisons.
    fn bitonic(&mut self, numbers: &mut InputGenerator) {
        let keys = self.per_thread(numbers.words(512 << 10));
        self.groups = [1024, 1, 1];
        (self.items, self.amount) = ((keys, "keys"), Amount::Operations(45 * keys / 2));
    }

    fn scan(&mut self, numbers: &mut InputGenerator) {
        let items = self.per_thread(numbers.words(1 << 20));
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(8 * items));
    }

    /// 32 rounds of a hash, of this many operations each.
    fn hash(&mut self, numbers: &mut InputGenerator, operations: u64) {
        let rounds = 32 * self.per_thread(numbers.words(1 << 20));
        (self.items, self.amount) = ((rounds, "rounds"), Amount::Operations(operations * rounds));
    }

    /// A square matrix with 0 to 31 numbers in a row, few more often than many, at random columns.
    fn spmv(&mut self, numbers: &mut InputGenerator) {
        let rows = 128 << 10;
        let mut starts = vec![0];
        for row in 0..rows {
            let x = numbers.unit();
            starts.push(starts[row] + (x * x * 32.0) as u32);
        }
        let count = starts[rows];
        let columns = (0..count).map(|_| numbers.word() % rows as u32).collect();
        let [values, x] =
            [count as usize, rows].map(|count| (0..count).map(|_| (numbers.unit() - 0.5).to_bits()).collect());
        self.inputs = [starts, columns, values, x].map(|words| Data::new(words, 4)).into();
        self.output = Data::zeros(rows, 4);
        self.groups = [(rows / 256) as u32, 1, 1];
        (self.items, self.amount) =
            ((count.into(), "non-zeros"), Amount::Bytes(12 * u64::from(count) + 8 * rows as u64));
        self.compare = Compare::Near(1e-4);
    }

    /// A million keys by four bits in their middle; other passes, which are not measured, computed the offsets of each
    /// group's digits.
    fn radix(&mut self, numbers: &mut InputGenerator) {
        let (shift, of_group) = (12, 1024);
        let keys = numbers.words(1 << 20);
        let mut starts = vec![0; keys.len() / of_group * 16];
        let mut at = 0;
        for digit in 0..16 {
            for (group, keys) in keys.chunks(of_group).enumerate() {
                starts[group * 16 + digit] = at;
                at += keys.iter().filter(|&key| (key >> shift) as usize % 16 == digit).count() as u32;
            }
        }
        let count = self.per_thread(keys);
        self.inputs.push(Data::new(starts, 4));
        self.constants = vec![shift, 0, 0, 0];
        self.groups = [(count / of_group as u64) as u32, 1, 1];
        (self.items, self.amount) = ((count, "keys"), Amount::Bytes(8 * count));
    }

    /// Eight million characters, one in a thousand of which Base64 does not have.
    fn base64(&mut self, numbers: &mut InputGenerator) {
        let character = |word: u32| if word >> 6 & 1023 == 0 { b'-' } else { BASE64[word as usize % 64] };
        let text: Vec<u8> = (0..8 << 20).map(|_| character(numbers.word())).collect();
        self.output = Data::raw(&vec![0; text.len() / 4 * 3]);
        self.groups = [(text.len() / (16 * 256)) as u32, 1, 1];
        let characters = text.len() as u64;
        (self.items, self.amount) = ((characters, "characters"), Amount::Bytes(characters / 4 * 7));
        self.inputs = vec![Data::raw(&text)];
    }

    /// Paths of 64 steps of a price, from as many random numbers. A step adds 26 operations on integers to 8 on
    /// doubles.
    fn asian(&mut self, numbers: &mut InputGenerator) {
        let steps = 64;
        let count = steps * self.per_thread(numbers.words(64 << 10));
        self.groups = [1024, 1, 1];
        self.constants = vec![steps as u32, (1.0 / steps as f32).to_bits(), 0.0002f32.to_bits(), 0.01f32.to_bits()];
        (self.items, self.amount) = ((count, "steps"), Amount::Operations(34 * count));
        self.compare = Compare::Near(1e-6);
    }

    /// A text of four letters, which has the word by chance or because it was put there. It is followed by zeros.
    fn search(&mut self, numbers: &mut InputGenerator) {
        let (count, word) = (2 << 20, b"GATTACAGATTC");
        let mut text: Vec<u8> = (0..count).map(|_| b"ACGT"[(numbers.word() % 4) as usize]).collect();
        for page in text.chunks_mut(4096) {
            let at = numbers.word() as usize % (page.len() - word.len());
            page[at..][..word.len()].copy_from_slice(word);
        }
        text.extend([0; 16]);
        self.inputs = vec![Data::raw(&text), Data::new(word.map(u32::from).into(), 4)];
        self.constants = vec![word.len() as u32, 0, 0, 0];
        self.output = Data::zeros(count / 32, 4);
        self.groups = [(count / 256) as u32, 1, 1];
        (self.items, self.amount) = ((count as u64, "places"), Amount::Bytes((count + count / 8) as u64));
    }

    fn median(&mut self, numbers: &mut InputGenerator) {
        let words = numbers.words((SIZE * SIZE) as usize);
        let format = Format::R8G8B8A8_UNORM;
        self.texels(Data::texture(words, format), format, 16, 9 * 4 + 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_case_and_no_other_is() {
        for name in NAMES {
            assert_eq!(SuiteCase::new(name).map(|case| case.name), Some(name));
        }
        assert!(SuiteCase::new("Saxpy").is_none());
    }

    /// The first numbers of the generator in the C harness for the other runtimes.
    #[test]
    fn numbers_are_those_of_other_runtimes() {
        assert_eq!(InputGenerator(12_345).words(4), [0x260f_17e7, 0x5b4e_7d9e, 0x97be_94ed, 0x8fd3_8141]);
    }
}
