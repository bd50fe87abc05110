//! Runs a program in every way there is and compares what each leaves in memory, bit for bit.
//!
//! The interpreter on freshly translated code is what the others are held to; the plain model of [`crate::scalar`] holds
//! the interpreter itself to account.

use std::fmt;

use brolga_bytecode::{LoadOptions, Shader as Loaded};
use brolga_ir::host::Fault;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::verify;
use brolga_runtime::{
    BindingRules, Bindings, Buffer, CompileOptions, Counter, Device, Dispatch, Engine, Oversize, Sampler, Texture,
    View, Width,
};

use crate::program::Program;
use crate::scalar::{self, Memory};
use crate::views::{Content, Kind};

/// Bytes around each buffer, which nobody may touch.
const GUARD: usize = 256;
/// What they hold.
const GUARD_BYTE: u8 = 0xa5;
/// Rounds of loops that a group may take; generated programs take far less.
const FUEL: u64 = 200_000;

/// A way to run a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// What runs it.
    pub engine: Engine,
    /// Which passes run before.
    pub level: Level,
    /// Threads of a packet. Racing threads may see it, so only ways of one width are compared.
    pub width: Width,
    /// Threads of this machine, 1 or 2.
    pub threads: usize,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passes = if self.level == Level::None { "without passes" } else { "with passes" };
        write!(f, "{} {passes}, packets of {}, threads: {}", self.engine, self.width.lanes(), self.threads)
    }
}

/// What the others are compared with.
pub const REFERENCE: Way = Way { engine: Engine::Interpreter, level: Level::None, width: Width::Eight, threads: 1 };

/// What the other ways to run a program are compared with: half of the programs run in wide packets.
fn reference(program: &Program) -> Way {
    Way { width: Width::ALL[(program.seed / 32 % 2) as usize], ..REFERENCE }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The program does not compile.
    #[error("{way}: does not compile: {message}")]
    Compile {
        /// How it was to run.
        way: Way,
        /// Why not.
        message: String,
    },
    /// The run failed.
    #[error("{way}: does not run: {message}")]
    Run {
        /// How it was run.
        way: Way,
        /// Why not.
        message: String,
    },
    /// Bytes around a view changed.
    #[error("{way}: bytes around {register} changed")]
    Guard {
        /// How it was run.
        way: Way,
        /// The view's register.
        register: String,
    },
    /// Memory is not what the reference left.
    #[error("{way}: {difference}")]
    Differs {
        /// How it was run.
        way: Way,
        /// Where.
        difference: Difference,
    },
    /// The interpreter does not do what the plain model does.
    #[error("the interpreter ({level:?}) is not as the plain model: {difference}")]
    Model {
        /// Which passes ran before.
        level: Level,
        /// Where.
        difference: Difference,
    },
    /// The interpreter failed where the plain model did not.
    #[error("the interpreter ({level:?}) fails: {fault:?}")]
    ModelFault {
        /// Which passes ran before.
        level: Level,
        /// How.
        fault: Fault,
    },
}

/// Where two memories differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The view's register.
    pub register: String,
    /// Byte offset of the first word that differs, or `None` for the hidden counter.
    pub at: Option<usize>,
    /// Words that differ in this view.
    pub words: usize,
    /// What is expected in the first one.
    pub expected: u32,
    /// What is there.
    pub got: u32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { register, at, words, expected, got } = self;
        match at {
            Some(at) => write!(f, "{register} differs in {words} words, first at byte {at}")?,
            None => write!(f, "the counter of {register} differs")?,
        }
        write!(f, ": expected {expected:#010x}, got {got:#010x}")
    }
}

/// What a run left in a view.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Left {
    register: String,
    bytes: Vec<u8>,
    counter: Option<u32>,
}

/// Devices to run on.
#[derive(Debug)]
pub struct Lab {
    one: Device,
    two: Device,
}

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

impl Lab {
    /// Devices with one and with two threads.
    pub fn new() -> Self {
        let [one, two] = [1, 2].map(|threads| Device::builder().threads(threads).build().expect("a small pool"));
        Self { one, two }
    }

    /// Checks a program in the ways that its seed chooses: always both engines, with passes and without.
    pub fn check(&self, program: &Program) -> Result<(), Failure> {
        let reference = reference(program);
        let jit = Way { engine: Engine::Jit, level: Level::Full, ..reference };
        let mut ways = vec![Way { level: Level::Full, ..reference }];
        if Engine::best() == Engine::Jit {
            ways.push(jit);
            if program.seed.is_multiple_of(8) {
                ways.push(Way { level: Level::None, ..jit });
            }
        }
        if program.seed % 32 == 5 && !program.ordered {
            ways.extend([Way { threads: 2, ..jit }, Way { threads: 2, ..reference }]);
        }
        self.check_ways(program, &ways)?;
        if program.seed % 16 == 9 && !program.ordered && !program.samples() {
            check_model(program)?;
        }
        Ok(())
    }

    /// Checks again what failed, and nothing else.
    pub fn check_again(&self, program: &Program, failure: &Failure) -> Result<(), Failure> {
        match failure {
            Failure::Compile { way, .. }
            | Failure::Run { way, .. }
            | Failure::Guard { way, .. }
            | Failure::Differs { way, .. } => self.check_ways(program, &[*way]),
            Failure::Model { .. } | Failure::ModelFault { .. } => check_model(program),
        }
    }

    fn check_ways(&self, program: &Program, ways: &[Way]) -> Result<(), Failure> {
        let container = program.container();
        let contents = program.contents();
        let expected = self.run(program, &container, &contents, reference(program))?;
        for &way in ways {
            let got = self.run(program, &container, &contents, way)?;
            if let Some(difference) = difference(&expected, &got) {
                return Err(Failure::Differs { way, difference });
            }
        }
        Ok(())
    }

    fn run(&self, program: &Program, container: &[u8], contents: &[Content], way: Way) -> Result<Vec<Left>, Failure> {
        let device = if way.threads == 1 { &self.one } else { &self.two };
        let options = CompileOptions::new(way.engine).oversize(Oversize::Refuse).level(way.level).width(way.width);
        let shader = device
            .compile(container, &options)
            .map_err(|error| Failure::Compile { way, message: error.to_string() })?;
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        let bound: Vec<Bound> = contents.iter().map(|content| Bound::new(device, content)).collect();
        for (content, bound) in contents.iter().zip(&bound) {
            bindings.set(content.name.parse().expect("a register name"), bound.view(content));
        }
        let dispatch = Dispatch::new(program.groups).fuel(FUEL);
        device
            .dispatch(&shader, &bindings, &dispatch)
            .map_err(|error| Failure::Run { way, message: error.to_string() })?;
        contents.iter().zip(&bound).map(|(content, bound)| bound.left(content, way)).collect()
    }
}

/// Memory behind a view.
enum Bound {
    Buffer(Buffer, Counter),
    Texture(Texture),
    Sampler(Sampler),
}

impl Bound {
    fn new(device: &Device, content: &Content) -> Self {
        if let Kind::Texture(picture) = content.kind {
            let texture = device.texture_from(picture.shape, &content.bytes);
            return Bound::Texture(texture.expect("the bytes are those of the shape"));
        }
        if let Kind::Sampler(sampler) = content.kind {
            return Bound::Sampler(sampler);
        }
        let mut bytes = vec![GUARD_BYTE; GUARD];
        bytes.extend(&content.bytes);
        bytes.resize(bytes.len() + GUARD, GUARD_BYTE);
        let buffer = device.buffer_from(&bytes).expect("a small buffer");
        Bound::Buffer(buffer, Counter::new(content.counter.unwrap_or(0)))
    }

    fn view(&self, content: &Content) -> View {
        let (buffer, counter) = match (self, content.kind) {
            (Bound::Texture(texture), Kind::Texture(picture)) => {
                return picture.view(texture.clone()).expect("generated views exist");
            }
            (Bound::Texture(_), _) => unreachable!("made of a picture"),
            (Bound::Sampler(sampler), _) => return View::sampler(*sampler).expect("generated samplers exist"),
            (Bound::Buffer(buffer, counter), _) => (buffer.clone(), counter),
        };
        let view = match content.kind {
            Kind::Constant(_) => View::constant(buffer),
            Kind::Raw => View::raw(buffer),
            Kind::Structured(stride_bytes) => View::structured(buffer, stride_bytes),
            Kind::Typed(format) => View::typed(buffer, format),
            Kind::Texture(_) | Kind::Sampler(_) => unreachable!("no buffer"),
        };
        let view = view.and_then(|view| view.with_range(GUARD as u64, content.bytes.len() as u64));
        let view = match content.counter {
            Some(_) => view.and_then(|view| view.with_counter(counter.clone())),
            None => view,
        };
        view.expect("the range is in the buffer")
    }

    fn left(&self, content: &Content, way: Way) -> Result<Left, Failure> {
        let register = content.name.clone();
        match self {
            Bound::Sampler(_) => Ok(Left { register, bytes: Vec::new(), counter: None }),
            Bound::Texture(texture) => Ok(Left { register, bytes: bytes(texture.buffer()), counter: None }),
            Bound::Buffer(buffer, counter) => {
                let all = bytes(buffer);
                let (head, rest) = all.split_at(GUARD);
                let (bytes, tail) = rest.split_at(content.bytes.len());
                if head.iter().chain(tail).any(|&byte| byte != GUARD_BYTE) {
                    return Err(Failure::Guard { way, register });
                }
                Ok(Left { register, bytes: bytes.to_vec(), counter: content.counter.map(|_| counter.get()) })
            }
        }
    }
}

fn bytes(buffer: &Buffer) -> Vec<u8> {
    buffer.to_vec().expect("a small buffer")
}

/// The first view that differs.
fn difference(expected: &[Left], got: &[Left]) -> Option<Difference> {
    let (expected, got) = expected.iter().zip(got).find(|(a, b)| a != b)?;
    let register = expected.register.clone();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    let pairs = expected.bytes.chunks(4).zip(got.bytes.chunks(4)).enumerate();
    let different: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
    Some(match different.first() {
        Some(&(n, (a, b))) => {
            Difference { register, at: Some(4 * n), words: different.len(), expected: word(a), got: word(b) }
        }
        None => {
            let [expected, got] = [expected, got].map(|left| left.counter.unwrap_or(0));
            Difference { register, at: None, words: 0, expected, got }
        }
    })
}

/// Runs freshly translated code on the plain model, and code with and without passes on the interpreter, over memory
/// whose texels are words.
pub fn check_model(program: &Program) -> Result<(), Failure> {
    let way = reference(program);
    let refused = |message: String| Failure::Compile { way, message };
    let loaded = Loaded::load(&program.container(), &LoadOptions::default()).map_err(|e| refused(e.to_string()))?;
    let translated =
        translate(&loaded.program, &TranslateOptions::default()).map_err(|error| refused(error.to_string()))?;
    let contents = program.contents();
    let views = program.views();
    let words: Vec<Vec<u32>> = translated
        .interface
        .resources
        .iter()
        .map(|resource| {
            let name = format!("{}{}", resource.class.letter(), resource.lower);
            let content = contents.iter().find(|content| content.name == name);
            content.map_or(Vec::new(), |content| {
                content.bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
            })
        })
        .collect();
    debug_assert_eq!(words.len(), views.len(), "every declared view is one that the program uses");

    let groups = groups_of(program.groups);
    let expected = Memory::new(&translated.interface, &words);
    for &group in &groups {
        scalar::run_group(&translated, &expected, group);
    }
    for level in [Level::None, Level::Full] {
        let mut func = translated.clone();
        optimise(&mut func, level);
        func.width = way.width;
        let func = verify(func).map_err(|errors| refused(errors.to_string()))?;
        let memory = Memory::new(&func.interface, &words);
        let interpreter = Interpreter::new(&func);
        let mut arena = Arena::default();
        for &group in &groups {
            interpreter
                .run_group(&memory, group, &mut arena, &mut { FUEL })
                .map_err(|fault| Failure::ModelFault { level, fault })?;
        }
        let left = |memory: &Memory| -> Vec<Left> {
            let resources = func.interface.resources.iter().zip(memory.words()).zip(memory.counters());
            let view = |((resource, words), counter): ((&brolga_ir::interface::Resource, Vec<u32>), u32)| Left {
                register: format!("{}{}", resource.class.letter(), resource.lower),
                bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
                counter: Some(counter),
            };
            resources.map(view).collect()
        };
        if let Some(difference) = difference(&left(&expected), &left(&memory)) {
            return Err(Failure::Model { level, difference });
        }
    }
    Ok(())
}

/// All groups in the order in which one thread runs them.
fn groups_of([width, height, depth]: [u32; 3]) -> Vec<[u32; 3]> {
    let mut groups = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            groups.extend((0..width).map(|x| [x, y, z]));
        }
    }
    groups
}
