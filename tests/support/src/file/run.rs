//! Every step of a test file on every engine.

use std::collections::BTreeMap;

use brolga_bytecode::assembler::{self, AssembleError};
use brolga_bytecode::{Limits, LoadOptions};
use brolga_runtime::{
    Bindings, Buffer, CompileOptions, Counter, Declared, Device, Dimension, Engine, Error, Level, Oversize, Register,
    ResourceKind, Shader as Compiled, Texture, View, Width,
};

use super::{Dispatch, Expect, Expected, FileError, Layout, Memory, Problem, Shader, Step, TestFile};
use crate::check::{REFERENCE, Way};

/// Bytes around each buffer, which nobody may touch; a multiple of what views may start at.
const GUARD: usize = 256;
/// What they hold.
const GUARD_BYTE: u8 = 0xa5;

/// What a file did in one of the ways to run it.
pub(super) struct Run {
    /// The way.
    pub(super) way: Way,
    /// What was seen after each step.
    pub(super) seen: Vec<Seen>,
}

/// What is seen after a step.
#[derive(Clone, Default)]
pub(super) struct Seen {
    /// Why a shader was refused, or a dispatch failed.
    pub(super) failure: Option<String>,
    /// All memory after a dispatch.
    pub(super) memory: Vec<Left>,
}

/// What a dispatch left behind a register.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) register: Register,
    pub(super) bytes: Vec<u8>,
    pub(super) counter: Option<u32>,
}

/// A shader as a container, or why it is none.
type Assembled = Result<Vec<u8>, String>;

/// Runs a file in every way.
pub(super) fn run(file: &TestFile) -> Result<Vec<Run>, FileError> {
    let containers = assemble(file)?;
    let devices = [1, 2].map(|threads| Device::builder().threads(threads).build().expect("a small pool"));
    let dispatches =
        || file.steps.iter().filter_map(|step| if let Step::Dispatch(dispatch) = step { Some(dispatch) } else { None });
    let one_group = dispatches().all(|dispatch| dispatch.groups == [1; 3]);
    let in_order = dispatches().any(|dispatch| dispatch.in_order);
    let devices = if one_group || in_order { &devices[..1] } else { &devices[..] };
    let engines = [Engine::Interpreter, Engine::Jit];
    let engines = if Engine::best() == Engine::Jit { &engines[..] } else { &engines[..1] };
    let mut runs = Vec::new();
    for &engine in engines {
        let shapes = [Level::None, Level::Full].into_iter().flat_map(|level| Width::ALL.map(|width| (level, width)));
        for (level, width) in shapes {
            let options = CompileOptions::new(engine).oversize(Oversize::Refuse).level(level).width(width);
            let compile = |bytes: &Vec<u8>| {
                let shader = devices[0].compile(bytes, &options).map_err(|error| error.to_string())?;
                shader.check_groups().map_err(|error| error.to_string()).map(|()| shader)
            };
            let shaders: Vec<_> =
                containers.iter().map(|made| made.as_ref().map_err(String::clone).and_then(compile)).collect();
            if runs.is_empty() {
                check_registers(file, &shaders)?;
            }
            for (threads, device) in (1..).zip(devices) {
                let seen = Machine { device, shaders: &shaders, current: 0, memory: BTreeMap::new() }.run(file)?;
                runs.push(Run { way: Way { engine, level, width, threads }, seen });
            }
        }
    }
    debug_assert!(runs[0].way == REFERENCE, "others are compared with the first");
    Ok(runs)
}

/// The container of each shader of the file. A text that is none is an error of the file, unless it is expected.
fn assemble(file: &TestFile) -> Result<Vec<Assembled>, FileError> {
    let mut containers = Vec::new();
    for (n, step) in file.steps.iter().enumerate() {
        let Step::Shader(Shader { line, text }) = step else { continue };
        let made = assembler::assemble(text, &Limits::default())
            .and_then(|assembly| assembly.check(text, &LoadOptions::default()).map(|()| assembly.bytes));
        let fails = matches!(file.steps.get(n + 1), Some(Step::Expect(Expect { what: Expected::Error(_), .. })));
        let message = |error: &AssembleError| match error.hint() {
            Some(hint) => format!("{}; {hint}", error.problem),
            None => error.problem.to_string(),
        };
        containers.push(match made {
            Ok(bytes) => Ok(bytes),
            Err(error) if fails => Err(message(&error)),
            Err(error) => {
                let problem = Problem::Assembly { column: error.column, message: message(&error) };
                return Err(FileError { line: line + error.line as usize - 1, problem });
            }
        });
    }
    Ok(containers)
}

/// Memory that no shader declares is a mistake in the file.
fn check_registers(file: &TestFile, shaders: &[Result<Compiled, String>]) -> Result<(), FileError> {
    if shaders.iter().any(Result::is_err) {
        return Ok(());
    }
    let declared: Vec<&Declared> = shaders.iter().flatten().flat_map(|shader| shader.bindings()).collect();
    for step in &file.steps {
        if let Step::Memory(Memory { line, register, .. }) = *step
            && !declared.iter().any(|declared| declared.contains(register))
        {
            let names: Vec<String> = declared.iter().map(|declared| declared.to_string()).collect();
            return Err(FileError { line, problem: Problem::NotDeclared { register, declared: names.join(", ") } });
        }
    }
    Ok(())
}

/// One run of a file.
struct Machine<'a> {
    device: &'a Device,
    shaders: &'a [Result<Compiled, String>],
    /// Shaders passed so far.
    current: usize,
    memory: BTreeMap<Register, Bound>,
}

impl Machine<'_> {
    fn run(mut self, file: &TestFile) -> Result<Vec<Seen>, FileError> {
        file.steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Result<Seen, FileError> {
        match step {
            Step::Shader(_) => {
                self.current += 1;
                let failure = self.shaders[self.current - 1].as_ref().err().cloned();
                Ok(Seen { failure, memory: Vec::new() })
            }
            Step::Memory(memory) => {
                let bound = Bound::new(self.device, memory).map_err(|error| at(memory, error))?;
                self.memory.insert(memory.register, bound);
                Ok(Seen::default())
            }
            Step::Dispatch(dispatch) => self.dispatch(dispatch),
            Step::Expect(_) => Ok(Seen::default()),
        }
    }

    fn dispatch(&self, dispatch: &Dispatch) -> Result<Seen, FileError> {
        let Ok(shader) = &self.shaders[self.current - 1] else {
            return Ok(Seen { failure: Some("its shader was refused".to_owned()), memory: Vec::new() });
        };
        let mut bindings = Bindings::new();
        for (&register, bound) in &self.memory {
            let declared = shader.bindings().iter().find(|declared| declared.contains(register));
            if let Some(declared) = declared {
                bindings.set(register, bound.view(declared)?);
            }
        }
        let what = brolga_runtime::Dispatch::new(dispatch.groups).first_group(dispatch.first).fuel(dispatch.fuel);
        let mut failure = self.device.dispatch(shader, &bindings, &what).err().map(|error| error.to_string());
        let mut memory = Vec::new();
        for bound in self.memory.values() {
            match bound.left() {
                Some(left) => memory.push(left),
                None => failure = Some(format!("bytes around {} changed", bound.memory.register)),
            }
        }
        Ok(Seen { failure, memory })
    }
}

/// A problem of some memory.
fn at(memory: &Memory, error: impl Into<Error>) -> FileError {
    FileError { line: memory.line, problem: Problem::Resource { register: memory.register, error: error.into() } }
}

/// Memory behind a register.
struct Bound {
    memory: Memory,
    content: Content,
    counter: Counter,
}

enum Content {
    Buffer(Buffer),
    Texture(Texture),
}

impl Bound {
    fn new(device: &Device, memory: &Memory) -> Result<Self, Error> {
        let content = match memory.layout {
            Layout::Texture(picture) => Content::Texture(device.texture_from(picture.shape, &memory.bytes)?),
            Layout::Declared | Layout::Structured(_) | Layout::Typed(_) => {
                let guard = [GUARD_BYTE; GUARD];
                let bytes = [&guard[..], &memory.bytes, &guard].concat();
                Content::Buffer(device.buffer_from(&bytes)?)
            }
        };
        Ok(Self { memory: memory.clone(), content, counter: Counter::new(memory.counter.unwrap_or(0)) })
    }

    /// A view for a shader that declares the register like this.
    fn view(&self, declared: &Declared) -> Result<View, FileError> {
        let buffer = match (&self.content, self.memory.layout) {
            (Content::Texture(texture), Layout::Texture(picture)) => {
                return picture.view(texture.clone()).map_err(|error| at(&self.memory, error));
            }
            (Content::Texture(_), _) => unreachable!("made of a picture"),
            (Content::Buffer(buffer), _) => buffer.clone(),
        };
        let layout = |expected| FileError {
            line: self.memory.line,
            problem: Problem::Layout { register: self.memory.register, kind: declared.kind, expected },
        };
        let view = match (self.memory.layout, declared.kind) {
            (Layout::Texture(_), _) => unreachable!("a texture has texels"),
            (Layout::Structured(stride_bytes), _) => View::structured(buffer, stride_bytes),
            (Layout::Typed(format), _) => View::typed(buffer, format),
            (Layout::Declared, ResourceKind::Constant { .. }) => View::constant(buffer),
            (Layout::Declared, ResourceKind::Raw) => View::raw(buffer),
            (Layout::Declared, ResourceKind::Structured { stride_bytes }) => View::structured(buffer, stride_bytes),
            (Layout::Declared, ResourceKind::Typed { dimension: Dimension::Buffer, .. }) => {
                return Err(layout("its format in the head, as in `[buffer t0 f32 format R32_FLOAT]`"));
            }
            (Layout::Declared, ResourceKind::Sampler { .. }) => return Err(layout("a sampler")),
            (Layout::Declared, ResourceKind::Typed { .. }) => {
                return Err(layout("a texture, as in `[texture2d t0 R32_FLOAT f32 size 4 4]`"));
            }
        };
        let view = view.and_then(|view| view.with_range(GUARD as u64, self.memory.bytes.len() as u64));
        let view = match self.memory.counter {
            Some(_) => view.and_then(|view| view.with_counter(self.counter.clone())),
            None => view,
        };
        view.map_err(|error| at(&self.memory, error))
    }

    /// What it holds; none if bytes around it changed.
    fn left(&self) -> Option<Left> {
        let bytes = match &self.content {
            Content::Texture(texture) => texture.buffer().to_vec().ok()?,
            Content::Buffer(buffer) => {
                let all: Vec<u8> = buffer.to_vec().ok()?;
                let (head, rest) = all.split_at(GUARD);
                let (bytes, tail) = rest.split_at(self.memory.bytes.len());
                if head.iter().chain(tail).any(|&byte| byte != GUARD_BYTE) {
                    return None;
                }
                bytes.to_vec()
            }
        };
        Some(Left { register: self.memory.register, bytes, counter: self.memory.counter.map(|_| self.counter.get()) })
    }
}
