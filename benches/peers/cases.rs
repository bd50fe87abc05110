//! The cases: which container, what is bound, how many groups. All numbers come from one small generator with a fixed
//! seed, in the order in which every other runtime's program draws them.

/// All cases that bind buffers only.
pub const NAMES: [&str; 15] = [
    "saxpy", "saxpy_l2", "mandel", "nbody", "matmul", "reduce", "hist", "gather", "transc", "dmandel", "tiny",
    "bitonic", "scan", "xxh", "pcg",
];

/// How results are compared.
#[derive(Clone, Copy, Debug)]
pub enum Compare {
    /// Every word is the same.
    Exact,
    /// Every float is within this share of its value (and of a tenth of the mean).
    Near(f64),
    /// At most this share of the words differs: rounds until escape, where a rounding can decide.
    Mostly(f64),
}

/// A structured buffer's content.
pub struct Data {
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
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// One case.
pub struct Case {
    pub name: &'static str,
    /// The container's file name.
    pub file: &'static str,
    /// `t0` and `t1`.
    pub inputs: Vec<Data>,
    /// `u0`, before the first dispatch.
    pub output: Data,
    /// `b0`; empty where the shader has none.
    pub constants: Vec<u32>,
    pub groups: [u32; 3],
    /// What throughput counts.
    pub items: u64,
    /// Dispatches in one measurement.
    pub at_once: u32,
    pub compare: Compare,
}

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
    /// Makes the inputs of a case in [`NAMES`].
    pub fn new(name: &'static str) -> Self {
        let mut numbers = Numbers(12_345);
        let mut case = Self {
            name,
            file: "",
            inputs: Vec::new(),
            output: Data::zeros(0, 4),
            constants: Vec::new(),
            groups: [1, 1, 1],
            items: 1,
            at_once: 1,
            compare: Compare::Exact,
        };
        match name {
            "saxpy" => case.saxpy(&mut numbers, 8 << 20),
            "saxpy_l2" => {
                case.saxpy(&mut numbers, 64 << 10);
                case.at_once = 100;
            }
            "mandel" => case.fractal("mandel.cso", 1024),
            "dmandel" => case.fractal("dmandel.cso", 512),
            "nbody" => case.nbody(&mut numbers),
            "matmul" => case.matmul(&mut numbers),
            "reduce" => {
                case.file = "reduce.cso";
                case.per_thread(numbers.words(4 << 20));
                case.output = Data::zeros(4, 4);
            }
            "hist" => case.hist(&mut numbers),
            "gather" => case.gather(&mut numbers),
            "transc" => {
                case.file = "transc.cso";
                case.per_thread((0..256 << 10).map(|_| (numbers.unit() * 4.0 + 0.1).to_bits()).collect());
                case.items *= 16;
                case.compare = Compare::Near(1e-3);
            }
            "tiny" => {
                case.file = "tiny.cso";
                case.output = Data::zeros(64, 4);
                case.at_once = 10_000;
            }
            "bitonic" => {
                case.file = "bitonic.cso";
                case.per_thread(numbers.words(512 << 10));
                case.groups = [1024, 1, 1];
            }
            "scan" => {
                case.file = "scan.cso";
                case.per_thread(numbers.words(1 << 20));
            }
            "xxh" | "pcg" => {
                case.file = if name == "xxh" { "xxh.cso" } else { "pcg.cso" };
                case.per_thread(numbers.words(1 << 20));
                case.items *= 32;
            }
            _ => unreachable!("{name} is not in the list of cases"),
        }
        case
    }

    /// One word in and one out for each thread, 256 threads a group.
    fn per_thread(&mut self, words: Vec<u32>) {
        let count = words.len();
        self.groups = [(count / 256) as u32, 1, 1];
        self.items = count as u64;
        self.output = Data::zeros(count, 4);
        self.inputs.push(Data::new(words, 4));
    }

    fn saxpy(&mut self, numbers: &mut Numbers, count: usize) {
        let (x, y) = (0..count).map(|_| (numbers.unit().to_bits(), numbers.unit().to_bits())).unzip();
        self.file = "saxpy.cso";
        self.per_thread(x);
        self.output = Data::new(y, 4);
        self.constants = vec![0.5f32.to_bits(), count as u32, 0, 0];
        self.compare = Compare::Near(1e-6);
    }

    fn fractal(&mut self, file: &'static str, side: u32) {
        self.file = file;
        self.output = Data::zeros((side * side) as usize, 4);
        let step = 2.5 / side as f32;
        self.constants = vec![(-2.0f32).to_bits(), (-1.25f32).to_bits(), step.to_bits(), 256];
        self.groups = [side / 8, side / 8, 1];
        self.items = u64::from(side * side);
        self.compare = Compare::Mostly(0.02);
    }

    fn nbody(&mut self, numbers: &mut Numbers) {
        let count = 4096;
        self.file = "nbody.cso";
        self.inputs = vec![Data::new((0..count * 4).map(|_| numbers.unit().to_bits()).collect(), 16)];
        self.output = Data::zeros(count * 4, 16);
        self.constants = vec![count as u32, 0.01f32.to_bits(), 0, 0];
        self.groups = [(count / 256) as u32, 1, 1];
        self.items = (count * count) as u64;
        self.compare = Compare::Near(2e-3);
    }

    fn matmul(&mut self, numbers: &mut Numbers) {
        let side = 512;
        let (a, b) = (0..side * side).map(|_| ((numbers.unit() - 0.5).to_bits(), numbers.unit().to_bits())).unzip();
        self.file = "matmul.cso";
        self.inputs = vec![Data::new(a, 4), Data::new(b, 4)];
        self.output = Data::zeros(side * side, 4);
        self.constants = vec![side as u32, 0, 0, 0];
        self.groups = [(side / 16) as u32, (side / 16) as u32, 1];
        self.items = (side * side * side) as u64;
        self.compare = Compare::Near(1e-3);
    }

    /// Words of four bytes each, small bytes more often than large ones.
    fn hist(&mut self, numbers: &mut Numbers) {
        let count = 1 << 20;
        let mut byte = || {
            let x = numbers.unit();
            (x * x * 255.9) as u32
        };
        let words = (0..count).map(|_| (0..4).fold(0, |word, _| word << 8 | byte())).collect();
        self.file = "hist.cso";
        self.inputs = vec![Data::new(words, 4)];
        self.output = Data::zeros(256, 4);
        self.groups = [(count / 4096) as u32, 1, 1];
        self.items = 4 * count as u64;
    }

    /// Starts in a table of 2^17 pairs: a float, and which pair is next.
    fn gather(&mut self, numbers: &mut Numbers) {
        let mask = (128 << 10) - 1;
        self.file = "gather.cso";
        self.per_thread((0..1 << 20).map(|_| numbers.word() & mask).collect());
        let table = (0..=mask).flat_map(|_| [numbers.unit().to_bits(), numbers.word() & mask]).collect();
        self.inputs.push(Data::new(table, 8));
        self.items *= 8;
        self.compare = Compare::Near(1e-5);
    }
}
