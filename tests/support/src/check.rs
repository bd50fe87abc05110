//! Runs a program in every way there is and compares the resulting memory, bit for bit.
//!
//! The interpreter on freshly translated code is the reference for the others; the plain model of [`crate::scalar`]
//! checks the interpreter itself.

use std::fmt;
use std::time::Duration;

use brolga_bytecode::{LoadOptions, Shader as Loaded};
use brolga_ir::host::Fault;
use brolga_ir::interface::Resource;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::verify;
use brolga_runtime::{CompileOptions, CpuFeatures, Device, Dispatch, Engine, Oversize, Register, VectorBytes, Width};

use crate::bound::backing::{Difference, Left};
use crate::bound::content::{Contents, Guarded};
use crate::program::Program;
use crate::scalar::{self, Memory};

/// Iterations of loops that a group may take; generated programs take far less.
const FUEL: u64 = 200_000;

/// A way to run a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The engine that runs it.
    pub engine: Engine,
    /// The passes that run before.
    pub level: Level,
    /// Threads of a packet. Racing threads may see it, so only ways of one width are compared.
    pub width: Width,
    /// Threads of this machine, 1 or 2.
    pub threads: usize,
    /// The most bytes of vectors of machine code.
    pub vector_bytes: VectorBytes,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passes = if self.level == Level::None { "without passes" } else { "with passes" };
        let Self { engine, width, threads, vector_bytes, .. } = self;
        write!(f, "{engine} {passes}, packets of {}, threads: {threads}", width.lanes())?;
        if *engine == Engine::Jit {
            write!(f, ", vectors of {} bytes", vector_bytes.count())?;
        }
        Ok(())
    }
}

/// The way that the others are compared with.
pub const REFERENCE: Way = Way {
    engine: Engine::Interpreter,
    level: Level::None,
    width: Width::Eight,
    threads: 1,
    vector_bytes: VectorBytes::Sixteen,
};

/// The reference for the other ways to run a program: each width has a part of the programs.
fn reference(program: &Program) -> Way {
    Way { width: Width::ALL[program.seed as usize / 32 % Width::ALL.len()], ..REFERENCE }
}

/// The reason why a check failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The program does not compile.
    #[error("{way}: does not compile: {message}")]
    Compile {
        /// The way it was to run.
        way: Way,
        /// The reason.
        message: String,
    },
    /// The run failed.
    #[error("{way}: does not run: {message}")]
    Run {
        /// The way it was run.
        way: Way,
        /// The reason.
        message: String,
    },
    /// Bytes around a view changed.
    #[error("{way}: bytes around {register} changed")]
    Guard {
        /// The way it was run.
        way: Way,
        /// The register.
        register: Register,
    },
    /// Memory differs from the reference's.
    #[error("{way}: {difference}")]
    Differs {
        /// The way it was run.
        way: Way,
        /// The difference.
        difference: Difference,
    },
    /// The interpreter differs from the plain model.
    #[error("the interpreter ({level:?}) is not as the plain model: {difference}")]
    Model {
        /// The passes that ran before.
        level: Level,
        /// The difference.
        difference: Difference,
    },
    /// The interpreter failed where the plain model did not.
    #[error("the interpreter ({level:?}) fails: {fault:?}")]
    ModelFault {
        /// The passes that ran before.
        level: Level,
        /// The fault.
        fault: Fault,
    },
}

/// Devices to run on, each with the threads and the vectors of the ways that it is for.
#[derive(Debug)]
pub struct Lab(Vec<(usize, VectorBytes, Device)>);

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

impl Lab {
    /// Devices with one and with two threads, for vectors of each size that the processor has.
    pub fn new() -> Self {
        let sizes: Vec<VectorBytes> =
            CpuFeatures::detect().map_or(vec![VectorBytes::Sixteen], |features| VectorBytes::of(features).collect());
        let device = |threads, size| {
            let device = Device::builder()
                .threads(threads)
                .wakes_threads_from(Duration::ZERO)
                .vector_bytes(size)
                .build()
                .expect("a small pool");
            (threads, size, device)
        };
        Self([1, 2].into_iter().flat_map(|threads| sizes.iter().map(move |&size| device(threads, size))).collect())
    }

    /// The sizes of vectors for code of an engine.
    pub fn sizes(&self, engine: Engine) -> impl Iterator<Item = VectorBytes> {
        let count = if engine == Engine::Jit { self.0.len() } else { 1 };
        self.0[..count].iter().filter(|(threads, ..)| *threads == 1).map(|&(_, size, _)| size)
    }

    /// The device with these threads, for vectors of this size.
    ///
    /// # Panics
    /// If there is none.
    pub fn device(&self, threads: usize, size: VectorBytes) -> &Device {
        let mut devices = self.0.iter().filter(|found| (found.0, found.1) == (threads, size));
        devices.next().map(|(.., device)| device).expect("a device for each way")
    }

    /// Checks a program in the ways that its seed chooses: always both engines with vectors of every size, with passes
    /// and without.
    pub fn check(&self, program: &Program) -> Result<(), Failure> {
        let reference = reference(program);
        let largest = self.sizes(Engine::Jit).last().unwrap_or_default();
        let jit = Way { engine: Engine::Jit, level: Level::Full, vector_bytes: largest, ..reference };
        let mut ways = vec![Way { level: Level::Full, ..reference }];
        if Engine::best() == Engine::Jit {
            ways.extend(self.sizes(Engine::Jit).map(|vector_bytes| Way { vector_bytes, ..jit }));
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

    /// Repeats the check that failed, and nothing else.
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
            if let Some(difference) = Difference::first(&expected, &got) {
                return Err(Failure::Differs { way, difference });
            }
        }
        Ok(())
    }

    fn run(&self, program: &Program, container: &[u8], contents: &Contents, way: Way) -> Result<Vec<Left>, Failure> {
        let device = self.device(way.threads, way.vector_bytes);
        // Widths that no pass chooses may need larger frames than machine code may have.
        let oversize = if way.width > Width::Sixteen { Oversize::Interpret } else { Oversize::Refuse };
        let options = CompileOptions::new(way.engine).oversize(oversize).level(way.level).width(way.width);
        let shader = device
            .compile(container, &options)
            .map_err(|error| Failure::Compile { way, message: error.to_string() })?;
        let guarded = Guarded::bind(contents, device);
        let dispatch = Dispatch::new(program.groups).fuel(FUEL);
        device
            .dispatch(&shader, &guarded.bindings, &dispatch)
            .map_err(|error| Failure::Run { way, message: error.to_string() })?;
        guarded.left().map_err(|register| Failure::Guard { way, register })
    }
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
            let content = contents.iter().find(|(register, _)| *register == register_of(resource));
            content.map_or(Vec::new(), |(_, content)| {
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
            let view = |((resource, words), counter): ((&Resource, Vec<u32>), u32)| Left {
                register: register_of(resource),
                bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
                counter: Some(counter),
            };
            resources.map(view).collect()
        };
        if let Some(difference) = Difference::first(&left(&expected), &left(&memory)) {
            return Err(Failure::Model { level, difference });
        }
    }
    Ok(())
}

fn register_of(resource: &Resource) -> Register {
    format!("{}{}", resource.class.letter(), resource.lower).parse().expect("a register name")
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
