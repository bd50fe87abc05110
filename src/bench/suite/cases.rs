//! The cases: which shader, what is bound, how many groups. All numbers come from one small generator with a fixed seed,
//! in the order in which the programs of other runtimes draw them, so that all have the same inputs.

use std::num::NonZeroU32;

/// How results are compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compare {
    /// Every word is the same.
    Exact,
    /// Every float is within this share of its value or of a tenth of the mean.
    Near(f64),
}

/// A structured buffer's content.
pub(super) struct Data {
    pub words: Vec<u32>,
    pub stride_bytes: u32,
}

impl Data {
    fn new(words: Vec<u32>, stride_bytes: u32) -> Self {
        Self { words, stride_bytes }
    }

    fn zeros(words: usize, stride_bytes: u32) -> Self {
        Self::new(vec![0; words], stride_bytes)
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

/// What a rate counts.
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
pub(super) struct Case {
    pub name: &'static str,
    pub container: Container,
    /// `t0` and `t1`.
    pub inputs: Vec<Data>,
    /// `u0`, before the first dispatch.
    pub output: Data,
    /// `b0`; empty where the shader has none.
    pub constants: Vec<u32>,
    pub groups: [u32; 3],
    /// What throughput counts, and what one is called.
    pub items: (u64, &'static str),
    pub amount: Amount,
    /// Dispatches in one sample.
    pub batch: NonZeroU32,
    pub compare: Compare,
}

/// Dispatches in a sample of a case that takes microseconds.
const SHORT: NonZeroU32 = NonZeroU32::new(100).expect("it is not 0");
/// The same for one that takes less.
const TINY: NonZeroU32 = NonZeroU32::new(10_000).expect("it is not 0");

/// How a case is set up.
type Setup = fn(&mut Case, &mut Numbers);

macro_rules! shader {
    ($name:literal) => {
        (concat!($name, ".cso"), include_bytes!(concat!("shaders/", $name, ".cso")))
    };
}

/// All cases, in the order in which they are measured.
const CASES: [(&str, Container, Setup); 15] = [
    ("saxpy", shader!("saxpy"), |case, numbers| case.saxpy(numbers, 8 << 20, NonZeroU32::MIN)),
    ("saxpy_l2", shader!("saxpy"), |case, numbers| case.saxpy(numbers, 64 << 10, SHORT)),
    ("mandel", shader!("mandel"), |case, _| case.fractal(1024)),
    ("nbody", shader!("nbody"), Case::nbody),
    ("matmul", shader!("matmul"), Case::matmul),
    ("reduce", shader!("reduce"), Case::reduce),
    ("hist", shader!("hist"), Case::hist),
    ("gather", shader!("gather"), Case::gather),
    ("transc", shader!("transc"), Case::transc),
    ("dmandel", shader!("dmandel"), |case, _| case.fractal(512)),
    ("tiny", shader!("tiny"), |case, _| case.tiny()),
    ("bitonic", shader!("bitonic"), Case::bitonic),
    ("scan", shader!("scan"), Case::scan),
    ("xxh", shader!("xxh"), |case, numbers| case.hash(numbers, 8)),
    ("pcg", shader!("pcg"), |case, numbers| case.hash(numbers, 9)),
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
struct Numbers(u32);

impl Numbers {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x7feb_352d);
        x ^ (x >> 15)
    }

    /// From 0 to below 1, in steps of 2^-24.
    fn unit(&mut self) -> f32 {
        (self.word() >> 8) as f32 / 16_777_216.0
    }

    fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }
}

impl Case {
    /// Makes the inputs of a case, if there is one of this name.
    pub fn new(name: &str) -> Option<Self> {
        let (name, container, setup) = CASES.into_iter().find(|(known, ..)| *known == name)?;
        let mut case = Self {
            name,
            container,
            inputs: Vec::new(),
            output: Data::zeros(0, 4),
            constants: Vec::new(),
            groups: [1, 1, 1],
            items: (0, ""),
            amount: Amount::Unsaid,
            batch: NonZeroU32::MIN,
            compare: Compare::Exact,
        };
        setup(&mut case, &mut Numbers(12_345));
        Some(case)
    }

    /// One word in and one out for each thread, 256 threads a group. Gives their number.
    fn per_thread(&mut self, words: Vec<u32>) -> u64 {
        let count = words.len();
        self.groups = [(count / 256) as u32, 1, 1];
        self.output = Data::zeros(count, 4);
        self.inputs.push(Data::new(words, 4));
        count as u64
    }

    fn saxpy(&mut self, numbers: &mut Numbers, count: usize, batch: NonZeroU32) {
        let (x, y) = (0..count).map(|_| (numbers.unit().to_bits(), numbers.unit().to_bits())).unzip();
        let items = self.per_thread(x);
        self.output = Data::new(y, 4);
        self.constants = vec![0.5f32.to_bits(), count as u32, 0, 0];
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(12 * items));
        self.batch = batch;
    }

    /// Rounds until each point of a square escapes.
    fn fractal(&mut self, side: u32) {
        self.output = Data::zeros((side * side) as usize, 4);
        let step = 2.5 / side as f32;
        self.constants = vec![(-2.0f32).to_bits(), (-1.25f32).to_bits(), step.to_bits(), 256];
        self.groups = [side / 8, side / 8, 1];
        (self.items, self.amount) = ((u64::from(side * side), "pixels"), Amount::PerRound(8));
    }

    fn nbody(&mut self, numbers: &mut Numbers) {
        let count = 4096;
        self.inputs = vec![Data::new((0..count * 4).map(|_| numbers.unit().to_bits()).collect(), 16)];
        self.output = Data::zeros(count * 4, 16);
        self.constants = vec![count as u32, 0.01f32.to_bits(), 0, 0];
        self.groups = [(count / 256) as u32, 1, 1];
        let pairs = (count * count) as u64;
        (self.items, self.amount) = ((pairs, "pairs"), Amount::Operations(19 * pairs));
        self.compare = Compare::Near(2e-3);
    }

    fn matmul(&mut self, numbers: &mut Numbers) {
        let side = 512;
        let (a, b) = (0..side * side).map(|_| ((numbers.unit() - 0.5).to_bits(), numbers.unit().to_bits())).unzip();
        self.inputs = vec![Data::new(a, 4), Data::new(b, 4)];
        self.output = Data::zeros(side * side, 4);
        self.constants = vec![side as u32, 0, 0, 0];
        self.groups = [(side / 16) as u32, (side / 16) as u32, 1];
        let products = (side * side * side) as u64;
        (self.items, self.amount) = ((products, "multiply-adds"), Amount::Operations(2 * products));
        self.compare = Compare::Near(1e-3);
    }

    fn reduce(&mut self, numbers: &mut Numbers) {
        let items = self.per_thread(numbers.words(4 << 20));
        self.output = Data::zeros(4, 4);
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(4 * items));
    }

    /// Words of four bytes each, small bytes more often than large ones.
    fn hist(&mut self, numbers: &mut Numbers) {
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

    /// Starts in a table of 2^17 pairs: a float, and which pair is next.
    fn gather(&mut self, numbers: &mut Numbers) {
        let mask = (128 << 10) - 1;
        let threads = self.per_thread((0..1 << 20).map(|_| numbers.word() & mask).collect());
        let table = (0..=mask).flat_map(|_| [numbers.unit().to_bits(), numbers.word() & mask]).collect();
        self.inputs.push(Data::new(table, 8));
        (self.items, self.amount) = ((8 * threads, "loads"), Amount::Bytes((8 * 8 + 4 + 4) * threads));
    }

    fn transc(&mut self, numbers: &mut Numbers) {
        let words = (0..256 << 10).map(|_| (numbers.unit() * 4.0 + 0.1).to_bits()).collect();
        let rounds = 16 * self.per_thread(words);
        (self.items, self.amount) = ((rounds, "rounds"), Amount::Operations(10 * rounds));
        self.compare = Compare::Near(1e-3);
    }

    fn tiny(&mut self) {
        self.output = Data::zeros(64, 4);
        self.items = (1, "dispatches");
        self.batch = TINY;
    }

    /// Sorts every 512 keys, in 45 steps of 256 comparisons.
    fn bitonic(&mut self, numbers: &mut Numbers) {
        let keys = self.per_thread(numbers.words(512 << 10));
        self.groups = [1024, 1, 1];
        (self.items, self.amount) = ((keys, "keys"), Amount::Operations(45 * keys / 2));
    }

    fn scan(&mut self, numbers: &mut Numbers) {
        let items = self.per_thread(numbers.words(1 << 20));
        (self.items, self.amount) = ((items, "elements"), Amount::Bytes(8 * items));
    }

    /// 32 rounds of a hash, of so many operations each.
    fn hash(&mut self, numbers: &mut Numbers, operations: u64) {
        let rounds = 32 * self.per_thread(numbers.words(1 << 20));
        (self.items, self.amount) = ((rounds, "rounds"), Amount::Operations(operations * rounds));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_case_and_no_other_is() {
        for name in NAMES {
            assert_eq!(Case::new(name).map(|case| case.name), Some(name));
        }
        assert!(Case::new("Saxpy").is_none());
    }

    /// What the generator of the other runtimes' harness, in C, gives first.
    #[test]
    fn numbers_are_those_of_other_runtimes() {
        assert_eq!(Numbers(12_345).words(4), [0x260f_17e7, 0x5b4e_7d9e, 0x97be_94ed, 0x8fd3_8141]);
    }
}
