//! Binds memory to a function's resources, and runs the function on both engines over equal copies of it.
//!
//! Buffers lie between guard words that must not be written and an inaccessible page (`Walled`), and so does the arena.
//! Typed views answer from a small table, so that their accesses are told apart without formats. All unsafe code of
//! these tests is here.

use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::batch::ArrayWords;
use brolga_ir::entity::MessageId;
use brolga_ir::function::{AtomicOp, CounterOp, Origin, Query};
use brolga_ir::host::{Address, Fault, Host, ViewSlot};
use brolga_ir::interface::{Dimension, Resource, ResourceClass, ResourceKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::sampling::{SampleCall, SampleEntry};
use brolga_ir::span::Packing;
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_ir::{Function, Width};
use brolga_jit::abi::{self, Bindings, Context, Range, View};
use brolga_jit::{CompileError, Compiled, FloatGuard, FloatMode, Options, Run, VectorBytes, compile};

/// Guard words before each buffer.
pub const GUARD: usize = 16;
const GUARD_WORD: u32 = 0xfeed_f00d;
/// Words of memory under a typed view.
const TEXELS: usize = 16;
/// Registers that an unbounded range gets.
const UNBOUNDED: u32 = 3;

/// Memory bound to one register.
struct Buffer {
    /// Guard and content; empty if nothing is bound.
    words: Walled,
    counter: AtomicU32,
}

impl Buffer {
    fn new(content: &[u32], words: usize) -> Self {
        let guard = std::iter::repeat_n(GUARD_WORD, GUARD);
        let words = Walled::new(guard.chain(content.iter().copied()), GUARD + words);
        Self { words, counter: AtomicU32::new(5) }
    }

    fn unbound() -> Self {
        Self { words: Walled::new([], 0), counter: AtomicU32::new(0) }
    }

    fn content(&self) -> &[AtomicU32] {
        self.words.get(GUARD..).unwrap_or(&[])
    }
}

/// Memory for every declared resource.
pub struct Bound {
    /// Registers of each range.
    ranges: Vec<Vec<Buffer>>,
    kinds: Vec<ResourceKind>,
    pub stop: AtomicU32,
    /// Number of texels that were read.
    pub texels_read: AtomicU32,
    /// Number of texel reads after which the host asks for a stop.
    pub patience: u32,
    /// Set if the host panics when asked for a counter.
    pub panics: bool,
    /// Messages, one after the other: number, origin, words.
    messages: Mutex<Vec<u32>>,
}

impl Bound {
    /// Buffers with this content: for each range the registers, for each register the words. An empty one is unbound.
    pub fn new(func: &Function, content: &[Vec<Vec<u32>>]) -> Self {
        let range = |registers: &Vec<Vec<u32>>| {
            registers
                .iter()
                .map(|words| if words.is_empty() { Buffer::unbound() } else { Buffer::new(words, words.len()) })
                .collect()
        };
        Self {
            ranges: content.iter().map(range).collect(),
            kinds: func.interface.resources.iter().map(|resource| resource.kind).collect(),
            stop: AtomicU32::new(0),
            texels_read: AtomicU32::new(0),
            patience: u32::MAX,
            panics: false,
            messages: Mutex::default(),
        }
    }

    /// Gives the first register of a range this many words of zeros.
    pub fn enlarge(&mut self, range: usize, words: usize) {
        self.ranges[range][0] = Buffer::new(&[], words);
    }

    /// A word of the first register of a range.
    pub fn word_of(&self, range: usize, word: usize) -> &AtomicU32 {
        &self.ranges[range][0].content()[word]
    }

    /// All that can be seen after a run: memory, then messages.
    pub fn snapshot(&self) -> Vec<Vec<Vec<u32>>> {
        let words = |buffer: &Buffer| -> Vec<u32> {
            let words = buffer.words.iter().chain([&buffer.counter]);
            words.map(|word| word.load(Ordering::Relaxed)).collect()
        };
        let messages = vec![self.messages.lock().unwrap().clone()];
        self.ranges.iter().map(|range| range.iter().map(words).collect()).chain([messages]).collect()
    }

    /// The words of the first register of a range.
    pub fn words(&self, range: usize) -> Vec<u32> {
        self.ranges[range][0].content().iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    fn check_guards(&self) {
        for (n, buffer) in self.ranges.iter().flatten().filter(|buffer| !buffer.words.is_empty()).enumerate() {
            let guards = &buffer.words[..GUARD];
            assert!(guards.iter().all(|word| word.load(Ordering::Relaxed) == GUARD_WORD), "guards of buffer {n}");
        }
    }

    fn buffer(&self, view: ViewSlot) -> Option<&Buffer> {
        self.ranges[view.id.index()].get(view.element as usize)
    }

    fn word(&self, at: Address, n: usize) -> Option<&AtomicU32> {
        let content = self.buffer(at.view)?.content();
        let byte = u64::from(at.offset_bytes & !3) + 4 * n as u64;
        let position = match self.kinds[at.view.id.index()].stride_bytes().map(u64::from) {
            None => byte,
            Some(stride) => {
                let index = u64::from(at.index.expect("elements have an index"));
                if byte >= stride || index >= content.len() as u64 * 4 / stride {
                    return None;
                }
                index * stride + byte
            }
        };
        content.get((position / 4) as usize)
    }

    fn texel(&self, view: ViewSlot, coords: [u32; 3]) -> Option<&AtomicU32> {
        let content = self.buffer(view)?.content();
        let [x, y, z] = coords;
        content.get((x ^ y.rotate_left(9) ^ z.rotate_left(19)) as usize)
    }
}

impl Host for Bound {
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
        self.word(at, 0).map_or(0, |word| update(op, word, value, compare))
    }

    fn counter(&self, op: CounterOp, view: ViewSlot) -> u32 {
        assert!(!self.panics, "asked for a counter");
        match self.buffer(view) {
            None => 0,
            Some(buffer) => match op {
                CounterOp::Alloc => buffer.counter.fetch_add(1, Ordering::Relaxed),
                CounterOp::Consume => buffer.counter.fetch_sub(1, Ordering::Relaxed).wrapping_sub(1),
            },
        }
    }

    fn texel_load(&self, view: ViewSlot, coords: [u32; 3], level: u32) -> [u32; 4] {
        if self.texels_read.fetch_add(1, Ordering::Relaxed) >= self.patience {
            self.stop.store(1, Ordering::Relaxed);
        }
        self.texel(view, coords).map_or([0; 4], |word| [word.load(Ordering::Relaxed), coords[0], level, 1])
    }

    fn texel_store(&self, view: ViewSlot, coords: [u32; 3], words: [u32; 4]) {
        if let Some(word) = self.texel(view, coords) {
            let mixed = words.into_iter().fold(7u32, |mixed, word| mixed.rotate_left(5) ^ word);
            word.store(mixed, Ordering::Relaxed);
        }
    }

    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        self.texel(view, coords).map_or(0, |word| update(op, word, value, compare))
    }

    fn sample(&self, call: SampleCall<'_>) {
        mix_samples(call);
    }

    fn message(&self, message: MessageId, origin: Origin, words: &[u32]) {
        let head = [message.index() as u32, origin.0];
        self.messages.lock().unwrap().extend(head.iter().chain(words));
    }

    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4] {
        self.buffer(view).map_or([0; 4], |buffer| answer(buffer, query, level, view.element))
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }
}

/// Answers samples with a mixture of all their operands. NaNs are all the same, since their bits are unspecified.
fn mix_samples(call: SampleCall<'_>) {
    let SampleCall { sampling, texture, sampler, lanes, args, results } = call;
    for lane in (0..u64::BITS as usize).filter(|lane| lanes >> lane & 1 == 1) {
        let ids = [texture.0.index() as u32, texture.1.of(lane), sampler.0.index() as u32, sampler.1.of(lane)];
        let args = args.iter().map(|row| match f32::from_bits(row[lane]) {
            number if number.is_nan() => 0x7fc0_0000,
            _ => row[lane],
        });
        let mut mixed = sampling.encode();
        for (n, word) in ids.into_iter().chain(args).enumerate() {
            mixed = mixed.wrapping_mul(0x9e37_79b1).rotate_left(7) ^ word.wrapping_add(n as u32);
        }
        for (n, row) in results.chunks_exact_mut(results.len() / 4).enumerate() {
            row[lane] = mixed.wrapping_mul(2 * n as u32 + 1);
        }
    }
}

fn update(op: AtomicOp, word: &AtomicU32, value: u32, compare: u32) -> u32 {
    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(op.apply(old, value, compare)))
        .expect("the closure gives a value")
}

/// A resource of this many registers.
pub fn resource(class: ResourceClass, kind: ResourceKind, count: u32) -> Resource {
    Resource {
        class,
        kind,
        space: 0,
        lower: 0,
        count: Some(count),
        uses_counter: false,
        is_ordered: false,
        element_bytes: None,
    }
}

/// Contents for all resources of a function from a source of words.
pub fn contents(func: &Function, mut word: impl FnMut() -> u32) -> Vec<Vec<Vec<u32>>> {
    let mut content = |resource: &Resource, element: u32| -> Vec<u32> {
        // The last register of a longer range stays unbound.
        let count = resource.count.unwrap_or(UNBOUNDED);
        if element > 0 && element + 1 == count {
            return Vec::new();
        }
        let words = match resource.kind {
            ResourceKind::Constant { vectors } => vectors as usize * 4 + 4,
            ResourceKind::Raw => 53,
            ResourceKind::Structured { stride_bytes } => stride_bytes as usize / 4 * 11,
            ResourceKind::Typed { .. } => TEXELS,
            ResourceKind::Sampler { .. } => 0,
        };
        (0..words).map(|_| word()).collect()
    };
    func.interface
        .resources
        .iter()
        .map(|resource| (0..resource.count.unwrap_or(UNBOUNDED)).map(|n| content(resource, n)).collect())
        .collect()
}

/// The result of a run: memory, the end of each group, fuel.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub memory: Vec<Vec<Vec<u32>>>,
    pub ends: Vec<Result<(), Fault>>,
    pub fuel: u64,
}

/// Runs groups on the interpreter, up to the first fault.
pub fn interpret(func: &VerifiedFunction, bound: &Bound, groups: &[[u32; 3]], mut fuel: u64) -> Outcome {
    let _mode = FloatGuard::new(FloatMode::Default);
    let interpreter = Interpreter::new(func);
    let mut arena = Arena::new();
    let mut ends = Vec::new();
    for &group in groups {
        ends.push(interpreter.run_group(bound, group, &mut arena, &mut fuel));
    }
    Outcome { memory: bound.snapshot(), ends, fuel }
}

/// Runs all groups of a compiled function, even if some fault.
pub fn run(func: &Function, compiled: &Compiled, bound: &Bound, groups: &[[u32; 3]], fuel: u64) -> Outcome {
    let mut left = fuel;
    let ends = with_run(func, compiled, bound, fuel, |mut run| {
        let end = |&group| {
            let end = run.group(group, left);
            left = run.fuel();
            end
        };
        groups.iter().map(end).collect()
    });
    Outcome { memory: bound.snapshot(), ends, fuel: left }
}

/// Passes a run of compiled code that is ready to `f`.
pub fn with_run<T>(func: &Function, compiled: &Compiled, bound: &Bound, fuel: u64, f: impl FnOnce(Run<'_>) -> T) -> T {
    let views: Vec<Vec<View>> = bound.ranges.iter().zip(&func.interface.resources).map(views).collect();
    let ranges: Vec<Range> =
        views.iter().map(|views| Range { views: views.as_ptr(), count: views.len() as u32 }).collect();
    let arena = dirty_arena(compiled);
    let samples = vec![SampleEntry::NONE; func.interface.sampled.len()];
    let mut context = Context::new(Bindings {
        ranges: ranges.as_ptr(),
        helpers: abi::helpers::<Bound>(),
        samples: samples.as_ptr(),
        host: ptr::from_ref(bound).cast(),
        stop: &bound.stop,
        arena: arena.base(),
        fuel,
    });
    let mode = FloatGuard::new(compiled.float_mode());
    // SAFETY: the records above are as the ABI asks for this function's interface, live to the end of this function,
    // and the code was compiled for this processor.
    let result = f(unsafe { compiled.start(&mut context, &mode) });
    bound.check_guards();
    result
}

/// The result of a batch: memory, the words of each array, its end.
#[derive(Debug, PartialEq)]
pub struct BatchOutcome {
    pub memory: Vec<Vec<Vec<u32>>>,
    pub arrays: Vec<Vec<u32>>,
    pub end: Result<(), Fault>,
}

/// Runs a batch with the bound memory and the arrays.
type RunBatch<'a> = dyn Fn(&Bound, &mut [ArrayWords<'_>]) -> Result<(), Fault> + 'a;

/// Runs a batch on both engines, in packets of several widths, compares the results and returns the first. The arrays
/// lie right before inaccessible pages.
#[track_caller]
pub fn compare_batch(
    func: &Function,
    content: &[Vec<Vec<u32>>],
    arrays: &[Vec<u32>],
    invocations: u32,
    fuel: u64,
    which: Variants,
) -> BatchOutcome {
    let outcomes = which
        .of(func)
        .into_iter()
        .map(|(width, targets)| compare_batch_in(func, content, arrays, invocations, fuel, (width, &targets)));
    first(outcomes)
}

/// The same in packets of one width, with several options.
#[track_caller]
fn compare_batch_in(
    func: &Function,
    content: &[Vec<Vec<u32>>],
    arrays: &[Vec<u32>],
    invocations: u32,
    fuel: u64,
    (width, targets): (Width, &[Options]),
) -> BatchOutcome {
    let run_with_arrays = |func: &Function, run: &RunBatch<'_>| {
        let bound = Bound::new(func, content);
        let mut walled: Vec<Walled> =
            arrays.iter().map(|words| Walled::new(words.iter().copied(), words.len())).collect();
        let mut words: Vec<ArrayWords<'_>> = walled
            .iter_mut()
            .zip(&func.interface.arrays)
            .map(|(words, array)| match array.is_written {
                true => ArrayWords::Write(words.words_mut()),
                false => ArrayWords::Read(words.words_mut()),
            })
            .collect();
        let end = run(&bound, &mut words);
        let arrays = words.iter().map(|words| words.words().to_vec()).collect();
        BatchOutcome { memory: bound.snapshot(), arrays, end }
    };
    let mut func = func.clone();
    func.width = width;
    let func = verify(func).expect("the test's function is valid");
    let expected = run_with_arrays(&func, &|bound, arrays| {
        let _mode = FloatGuard::new(FloatMode::Default);
        let interpreter = Interpreter::with_packing(&func, Packing::Row);
        interpreter.run_batch(bound, invocations, arrays, &mut Arena::new(), &mut fuel.clone())
    });
    for target in targets {
        let options = Options { packing: Packing::Row, ..*target };
        let Some(compiled) = compiled(&func, &options) else { continue };
        let got = run_with_arrays(&func, &|bound, arrays| {
            with_run(&func, &compiled, bound, fuel, |mut run| run.batch(invocations, arrays, fuel))
        });
        assert_eq!(got, expected, "{width:?}, {options:?}");
    }
    expected
}

/// An arena with something in it.
fn dirty_arena(compiled: &Compiled) -> Walled {
    let layout = compiled.arena_layout();
    let words = layout.size_bytes.next_multiple_of(layout.align.max(4)) / 4;
    let arena = Walled::new(std::iter::repeat_n(0xabab_abab, words), words);
    assert!(arena.base().addr().is_multiple_of(layout.align.max(1)));
    arena
}

/// The result of a query.
fn answer(buffer: &Buffer, query: Query, level: u32, element: u32) -> [u32; 4] {
    [buffer.content().len() as u32, query as u32, level, element]
}

fn views((buffers, resource): (&Vec<Buffer>, &Resource)) -> Vec<View> {
    let view = |(element, buffer): (usize, &Buffer)| {
        let content = buffer.content();
        let is_texture =
            matches!(resource.kind, ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer);
        let query = if is_texture { Query::TextureSize } else { Query::BufferSize };
        let size = answer(buffer, query, 0, element as u32);
        if content.is_empty() || matches!(resource.kind, ResourceKind::Typed { .. }) {
            return View { size, ..View::UNBOUND };
        }
        let bytes = content.len() as u64 * 4;
        View {
            base: content.as_ptr().cast_mut().cast(),
            size_bytes: bytes,
            count: resource.kind.stride_bytes().map_or(0, |stride| bytes / u64::from(stride)),
            counter: buffer.counter.as_ptr(),
            layout: [0; 4],
            size,
        }
    };
    buffers.iter().enumerate().map(view).collect()
}

/// Words right before an inaccessible page: reading or writing beyond them ends the process.
struct Walled {
    pages: memmap2::MmapRaw,
    first: usize,
    words: usize,
}

impl Walled {
    fn new(content: impl IntoIterator<Item = u32>, words: usize) -> Self {
        let page = region::page::size();
        let room = (words * 4).next_multiple_of(page);
        let pages = memmap2::MmapOptions::new().len(room + page).no_reserve_swap().map_anon().expect("a few pages");
        let walled = Self { pages: pages.into(), first: room - words * 4, words };
        // SAFETY: the last page of the mapping, to which nobody has an address.
        unsafe { region::protect(walled.pages.as_mut_ptr().add(room), page, region::Protection::NONE) }
            .expect("a page");
        for (place, word) in walled.iter().zip(content) {
            place.store(word, Ordering::Relaxed);
        }
        walled
    }

    fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: within the accessible pages, aligned to a word, and nobody else has them meanwhile.
        unsafe { std::slice::from_raw_parts_mut(self.base().cast(), self.words) }
    }

    fn base(&self) -> *mut u8 {
        self.pages.as_mut_ptr().wrapping_add(self.first)
    }
}

impl std::ops::Deref for Walled {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        // SAFETY: within the accessible pages, aligned to a word; only atomics and compiled code touch them.
        unsafe { std::slice::from_raw_parts(self.base().cast(), self.words) }
    }
}

/// Options to test: every set of features that the processor has with its largest vectors, all of its own first, and
/// those with the vectors that are usual and with the smallest.
pub fn targets() -> Vec<Options> {
    let host = Options::host().expect("tests run on x86-64 with SSE4.2");
    let best = host.features;
    // The largest vectors that the features allow: all sizes come up.
    let sets = best.subsets().into_iter().map(|features| (features, VectorBytes::most(features)));
    let usual = Some(VectorBytes::default()).filter(|&size| size < VectorBytes::most(best)).map(|size| (best, size));
    sets.chain(usual)
        .chain([(best, VectorBytes::Sixteen)])
        .map(|(features, vector_bytes)| Options { features, vector_bytes, ..host })
        .collect()
}

/// The widths a function is tested with, and the options for each.
#[derive(Clone, Copy)]
pub enum Variants {
    /// The widths that are chosen with all options, and one of the wide ones with the best.
    All,
    /// One of the chosen widths with the best options, the other one with the smallest vectors; for functions of the
    /// other lengths the other way round. All if `BROLGA_TARGETS` is `all`: `docs/testing.md` lists the faults that
    /// finds.
    OfMany,
    /// One of the widths, another one for each seed, with one of the options.
    One(usize),
}

impl Variants {
    fn of(self, func: &Function) -> Vec<(Width, Vec<Options>)> {
        let ([narrow, wide], [.., first, second]) = (Width::CHOSEN, Width::ALL);
        let targets = targets();
        let rare = if func.inst_count().is_multiple_of(2) { first } else { second };
        let [best, .., smallest] = &targets[..] else { unreachable!("the best options with two sizes of vectors") };
        let best = vec![*best];
        match self {
            Self::OfMany if !every_target() => {
                let is_even = func.inst_count().is_multiple_of(2);
                let (one, other) = if is_even { (narrow, wide) } else { (wide, narrow) };
                vec![(one, best), (other, vec![*smallest])]
            }
            Self::All | Self::OfMany => vec![(narrow, targets.clone()), (wide, targets), (rare, best)],
            Self::One(seed) => {
                let (width, all) = [(narrow, &targets), (wide, &targets), (rare, &best)][seed % 3];
                vec![(width, vec![all[seed / 3 % all.len()]])]
            }
        }
    }
}

fn every_target() -> bool {
    std::env::var("BROLGA_TARGETS").is_ok_and(|targets| targets == "all")
}

/// The result of the first variant, once all have run.
fn first<T>(outcomes: impl Iterator<Item = T>) -> T {
    outcomes.collect::<Vec<_>>().into_iter().next().expect("a function has variants")
}

/// Compiles a function; nothing if its packets are so wide that they take up the frame, as vectors of 16 bytes are many
/// then.
fn compiled(func: &VerifiedFunction, options: &Options) -> Option<Compiled> {
    match compile(func, options) {
        Err(CompileError::Frame { .. }) if !Width::CHOSEN.contains(&func.width) => None,
        compiled => Some(compiled.expect("the test's function compiles")),
    }
}

/// A compiled function with other machine code of the same length.
///
/// # Safety
/// The code does nothing that the function's may not do.
pub unsafe fn with_code(compiled: &Compiled, code: &[u8], options: &Options) -> Compiled {
    let mut bytes = compiled.to_bytes();
    let start = bytes.len() - code.len();
    assert_eq!(bytes[start..], *compiled.code(), "code comes last");
    bytes[start..].copy_from_slice(code);
    // SAFETY: the bytes are those of a compiled function but for its code, which the caller answers for.
    unsafe { Compiled::from_bytes(&bytes, options, "changed") }.expect("bytes of the same form")
}

/// Runs a function on both engines, in packets of several widths, compares the results and returns that of narrow
/// packets.
#[track_caller]
pub fn compare(func: Function, content: &[Vec<Vec<u32>>], groups: &[[u32; 3]], fuel: u64, which: Variants) -> Outcome {
    let outcomes = which.of(&func).into_iter().map(|(width, targets)| {
        let mut func = func.clone();
        func.width = width;
        let func = verify(func).expect("the test's function is valid");
        let bound = Bound::new(&func, content);
        let expected = interpret(&func, &bound, groups, fuel);
        for options in targets {
            let Some(compiled) = compiled(&func, &options) else { continue };
            let bound = Bound::new(&func, content);
            let got = run(&func, &compiled, &bound, groups, fuel);
            assert_eq!(got, expected, "{width:?}, {options:?}");
        }
        expected
    });
    first(outcomes)
}
