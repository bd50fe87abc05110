//! Tests functions that access texels by themselves: their results are the same as with a host that is asked for each,
//! and assumptions about packets inside an image change nothing.
//!
//! The host is a plain model: it finds texels by their coordinates, and words by the number of an element.

use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::builder::only;
use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{AtomicOp, CounterOp, Input, MemoryRef, Object, Query, ResourceRef};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::{Component, Dimension, Interface, Resource, ResourceClass, ResourceKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise_for};
use brolga_ir::sampling::SampleCall;
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_ir::text::{Names, print};
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Function, Op, Type, Width};
use brolga_testing_base::random::Random;

const OUT: u32 = 0;
const IMAGE: u32 = 1;

/// Words that each thread outputs.
const SEEN: u32 = 4;

const GROUP: [u32; 3] = [16, 2, 2];

/// Texels of integers, and their memory: an image in rows and layers that lie apart, and raw words.
struct Model {
    dimension: Dimension,
    format: TexelFormat,
    /// The answer to [`Query::Layout`].
    layout: [u32; 4],
    words: Vec<AtomicU32>,
    out: Vec<AtomicU32>,
}

impl Model {
    /// Texels up to the last one of the view. Behind each layer is room for other levels.
    fn count(&self) -> u32 {
        let [width, height, layers, layer_texels] = self.layout;
        (layers - 1) * layer_texels + width * height
    }

    /// The words of an element: a texel, or a word of several.
    fn element(&self, index: u32) -> Option<&[AtomicU32]> {
        let words = self.format.words as usize;
        let count = self.count().div_ceil(1 << self.format.word_shift);
        (index < count).then(|| &self.words[index as usize * words..][..words])
    }

    /// The words of a texel, and the first of its bits there.
    fn texel(&self, coords: [u32; 3]) -> Option<(&[AtomicU32], u32)> {
        let [width, height, layers, layer_texels] = self.layout;
        let [x, y, layer] = match self.dimension {
            Dimension::Texture1dArray => [coords[0], 0, coords[1]],
            _ => coords,
        };
        let texels = 1 << self.format.word_shift;
        (x < width && y < height && layer < layers).then(|| {
            let index = layer * layer_texels + y * width + x;
            (self.element(index / texels).expect("it is in the view"), index % texels * (32 / texels))
        })
    }

    fn word(&self, at: Address, n: usize) -> Option<&AtomicU32> {
        let n = at.offset_bytes as usize / 4 + n;
        match at.index {
            None => self.out.get(n),
            Some(index) => self.element(index)?.get(n),
        }
    }
}

/// A word of a texel's words: bits from `shift` on.
fn bits(words: &[u32], channel: Channel) -> u32 {
    (u64::from(words[channel.shift as usize / 32]) >> (channel.shift % 32)) as u32 & u32::MAX >> (32 - channel.bits)
}

impl Host for Model {
    fn load(&self, at: Address, words: &mut [u32]) {
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.word(at, n).map_or(0, |word| word.load(Ordering::Relaxed));
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        for (n, &word) in words.iter().enumerate() {
            if let Some(place) = self.word(at, n) {
                place.store(word, Ordering::Relaxed);
            }
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        let Some(word) = self.word(at, 0) else { return 0 };
        let before = word.load(Ordering::Relaxed);
        word.store(op.apply(before, value, compare), Ordering::Relaxed);
        before
    }

    fn counter(&self, _: CounterOp, _: ViewSlot) -> u32 {
        unreachable!("there are none")
    }

    fn texel_load(&self, _: ViewSlot, coords: [u32; 3], level: u32) -> [u32; 4] {
        assert_eq!(level, 0);
        let words = match self.texel(coords) {
            Some((words, first)) => words.iter().map(|word| word.load(Ordering::Relaxed) >> first).collect(),
            None => vec![0; self.format.words as usize],
        };
        std::array::from_fn(|n| match self.format.channels[n] {
            None => u32::from(n == 3),
            Some(channel) => {
                let code = bits(&words, channel);
                let is_negative = code >> (channel.bits - 1) == 1 && channel.kind == ChannelKind::Sint;
                if is_negative { code | !(u32::MAX >> (32 - channel.bits)) } else { code }
            }
        })
    }

    fn texel_store(&self, _: ViewSlot, coords: [u32; 3], values: [u32; 4]) {
        let Some((words, first)) = self.texel(coords) else { return };
        let others = !(u32::MAX >> (32 - (32 >> self.format.word_shift)) << first);
        for word in words {
            word.fetch_and(others, Ordering::Relaxed);
        }
        for (channel, value) in self.format.channels.into_iter().zip(values) {
            let Some(Channel { shift, bits, kind }) = channel else { continue };
            let most = u32::MAX >> (32 - bits);
            let code = match kind {
                ChannelKind::Sint => (value as i32).clamp(-((most >> 1) as i32) - 1, (most >> 1) as i32) as u32 & most,
                _ => value.min(most),
            };
            words[shift as usize / 32].fetch_or(code << (shift % 32 + first), Ordering::Relaxed);
        }
    }

    fn texel_atomic(&self, op: AtomicOp, _: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        let Some((words, _)) = self.texel(coords) else { return 0 };
        let before = words[0].load(Ordering::Relaxed);
        words[0].store(op.apply(before, value, compare), Ordering::Relaxed);
        before
    }

    fn sample(&self, _: SampleCall<'_>) {
        unreachable!("there are none")
    }

    fn query(&self, query: Query, _: ViewSlot, _: u32) -> [u32; 4] {
        match query {
            Query::Layout => self.layout,
            Query::BufferSize => [self.count(); 4],
            Query::TextureSize if self.dimension == Dimension::Texture1dArray => [self.layout[0], self.layout[2], 0, 1],
            Query::TextureSize => [self.layout[0], self.layout[1], self.layout[2], 1],
            _ => unreachable!("not asked"),
        }
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// Consecutive channels of these widths, none of them split between two words, in texels of whole words or of 16 or 8
/// bits.
fn format(kind: ChannelKind, widths: &[u32]) -> TexelFormat {
    let (mut channels, mut shift) = ([None; 4], 0);
    for (channel, &bits) in channels.iter_mut().zip(widths) {
        *channel = Some(Channel { shift, bits, kind });
        shift += bits;
    }
    let word_shift = match shift {
        8 => 2,
        16 => 1,
        _ => 0,
    };
    TexelFormat { words: shift.div_ceil(32), word_shift, channels, missing_alpha: 1 }
}

fn formats() -> Vec<TexelFormat> {
    let widths: [&[u32]; 11] =
        [&[32], &[16, 16], &[10, 10, 10, 2], &[8; 4], &[32, 32], &[16; 4], &[32; 4], &[16], &[8], &[8, 8], &[5, 6, 5]];
    let kinds = [ChannelKind::Uint, ChannelKind::Sint];
    widths.into_iter().flat_map(|widths| kinds.map(|kind| format(kind, widths))).collect()
}

/// Writes a random function.
struct Writer<'a> {
    b: Builder<'a>,
    random: &'a mut Random,
    dimension: Dimension,
    /// Set if coordinates leave the image at its edges only.
    calm: bool,
    is_word: bool,
    thread: [Value; 3],
    extents: [Value; 4],
}

fn image() -> ResourceRef {
    only(ResourceId::new(IMAGE as usize))
}

impl Writer<'_> {
    fn add(&mut self, value: Value, word: i32) -> Value {
        let word = self.b.i32(word as u32);
        self.b.op(Op::IAdd, &[value, word])
    }

    /// A coordinate: the thread's own, clamped as shaders do, or an unrelated one.
    fn coordinate(&mut self, axis: usize, tap: i32) -> Value {
        let thread = self.thread[axis];
        let zero = self.b.i32(0);
        let last = self.add(self.extents[axis], -1);
        match self.random.below(if self.calm { 5 } else { 8 }) {
            0 => self.add(thread, tap),
            1 | 2 => {
                let moved = self.add(thread, tap);
                let moved = self.b.op(Op::SMax, &[moved, zero]);
                self.b.op(Op::SMin, &[last, moved])
            }
            3 => {
                let moved = self.add(thread, tap);
                self.b.op(Op::UMin, &[moved, last])
            }
            4 if axis > 0 => self.b.i32(1),
            4 | 5 => {
                let step = self.b.i32(3);
                let moved = self.b.op(Op::IMul, &[thread, step]);
                self.add(moved, tap)
            }
            6 => {
                let word = self.random.word();
                self.b.i32(word)
            }
            _ => self.add(last, tap),
        }
    }

    /// Loads, stores and atomics; returns the values read.
    fn accesses(&mut self, mut seen: Vec<Value>) -> Vec<Value> {
        let always = self.b.bool(true);
        for tap in -1..=1 {
            let coords: Vec<Value> = (0..self.dimension.coordinates()).map(|axis| self.coordinate(axis, tap)).collect();
            match self.random.below(4) {
                0 => {
                    let values = std::array::from_fn(|n| seen[n]);
                    self.b.texel_store(image(), &coords, values, always);
                }
                1 if self.is_word => {
                    let value = self.thread[0];
                    seen[0] = self.b.texel_atomic(AtomicOp::Add, image(), &coords, value, None, always);
                }
                _ => {
                    let texel = self.b.texel_load(image(), &coords, None);
                    let factor = self.b.i32(0x0100_0193);
                    for (word, value) in seen.iter_mut().zip(texel) {
                        let product = self.b.op(Op::IMul, &[*word, factor]);
                        *word = self.b.op(Op::IAdd, &[product, value]);
                    }
                }
            }
        }
        seen
    }

    /// The same in some of the threads.
    fn branch(&mut self, seen: Vec<Value>) -> Vec<Value> {
        let bit = self.b.i32(1 << self.random.below(3));
        let odd = self.b.op(Op::And, &[self.thread[0], bit]);
        let zero = self.b.i32(0);
        let cond = self.b.op(Op::IEq, &[odd, zero]);
        let (inst, then_region, else_region) = self.b.if_else(cond, &[Type::I32; 4]);
        let outer = self.b.switch_to(then_region);
        let left = self.accesses(seen.clone());
        self.b.yield_(&left);
        self.b.switch_to(else_region);
        let right = if self.random.one_in(2) { self.accesses(seen) } else { seen };
        self.b.yield_(&right);
        self.b.switch_to(outer);
        self.b.func.inst(inst).results.to_vec()
    }
}

/// A random function on an image, before any pass.
fn function(dimension: Dimension, is_word: bool, calm: bool, random: &mut Random) -> Function {
    let typed = ResourceKind::Typed { dimension, component: Component::Mixed };
    let kinds = [(ResourceKind::Raw, OUT), (typed, IMAGE)];
    let resources = kinds.map(|(kind, lower)| Resource::new(ResourceClass::UnorderedAccess, kind, lower)).to_vec();
    let mut func = Function::new("test", Interface { resources, ..Interface::compute(GROUP) });
    func.width = random.pick(&Width::ALL);
    let mut b = Builder::new(&mut func);
    let thread = [0, 1, 2].map(|axis| b.input(Input::ThreadId(axis)));
    let index = b.input(Input::ThreadIndex);
    let extents = match dimension {
        Dimension::Buffer => b.query(Query::BufferSize, image(), None),
        _ => {
            let level = b.i32(0);
            b.query(Query::TextureSize, image(), Some(level))
        }
    };
    let first = (0..SEEN).map(|word| b.i32(word)).collect();
    let mut writer = Writer { b, random, dimension, calm, is_word, thread, extents };
    let mut seen = writer.accesses(first);
    for _ in 0..2 {
        seen = if writer.random.one_in(2) { writer.branch(seen) } else { writer.accesses(seen) };
    }
    let bytes = writer.b.i32(4 * SEEN);
    let offset = writer.b.op(Op::IMul, &[index, bytes]);
    let object = Object::Resource(only(ResourceId::new(OUT as usize)));
    let always = writer.b.bool(true);
    writer.b.store(MemoryRef { object, index: None, offset }, &seen, always);
    writer.b.return_();
    func
}

/// Runs a function after the passes; returns all memory, and the function as text.
fn run(mut func: Function, level: Level, formats: &[Option<TexelFormat>], model: &Model) -> (Vec<u32>, String) {
    let width = func.width;
    optimise_for(&mut func, level, formats);
    // Threads race for texels: packets of one width have one order.
    func.width = width;
    let text = print(&func, Names::Arena);
    let func = verify(func).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let (interpreter, mut arena) = (Interpreter::new(&func), Arena::default());
    interpreter.run_group(model, [0; 3], &mut arena, &mut { u64::MAX }).expect("nothing faults");
    let words = model.words.iter().chain(&model.out).map(|word| word.load(Ordering::Relaxed)).collect();
    (words, text)
}

#[test]
fn what_goes_to_texels_by_itself_does_what_the_host_does() {
    use Dimension::{Buffer, Texture1d, Texture1dArray, Texture2d, Texture2dArray, Texture3d};
    let mut supposed = 0;
    for (n, format) in formats().into_iter().enumerate() {
        for (m, dimension) in
            [Buffer, Texture1d, Texture1dArray, Texture2d, Texture2dArray, Texture3d].into_iter().enumerate()
        {
            for calm in [false, true] {
                let seed = 100 * n as u64 + 2 * m as u64 + u64::from(calm);
                let mut random = Random(seed);
                let width = if calm { random.pick(&[16, 17, 18, 33]) } else { random.pick(&[1, 3, 7, 16]) };
                let height = if calm { 3 } else { random.pick(&[1, 2, 3]) };
                let layers = random.pick(&[1, 2, 3]);
                let layout = match dimension {
                    Buffer | Texture1d => [width, 1, 1, width],
                    Texture1dArray => [width, 1, layers, width + 5],
                    Texture2d => [width, height, 1, width * height],
                    _ => [width, height, layers, width * height + 7],
                };
                let model = |random: &mut Random| Model {
                    dimension,
                    format,
                    layout,
                    words: (0..layout[2] * layout[3] * format.words).map(|_| random.word().into()).collect(),
                    out: (0..GROUP.iter().product::<u32>() * SEEN).map(|_| 0.into()).collect(),
                };
                let is_word = format.channels[0].is_some_and(|channel| channel.bits == 32) && format.words == 1;
                let func = function(dimension, is_word, calm, &mut random);
                let memory = random.clone();
                let asked = run(func.clone(), Level::None, &[], &model(&mut memory.clone())).0;
                for level in [Level::None, Level::Full] {
                    let (by_itself, text) =
                        run(func.clone(), level, &[None, Some(format)], &model(&mut memory.clone()));
                    let asked_for = if format.is_writable() { "texel_" } else { "texel_load" };
                    assert!(!text.contains(asked_for), "seed {seed}: the host is asked\n{text}");
                    assert_eq!(by_itself, asked, "seed {seed}, {level:?}, {layout:?}, {format:?}\n{text}");
                    supposed += usize::from(text.contains("packet_all"));
                }
            }
        }
    }
    assert!(supposed > 60, "something is supposed of packets in {supposed} functions");
}
