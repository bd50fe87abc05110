//! Runs every step of a test file on every engine.

use std::collections::BTreeMap;

use brolga_bytecode::assembler::{self, AssembleError};
use brolga_bytecode::{Limits, LoadOptions};
use brolga_runtime::{
    Bindings, CompileOptions, Declared, Device, Dimension, Engine, Error, Level, Oversize, Register, ResourceKind,
    Shader as Compiled, View, Width,
};

use super::{Dispatch, Expect, Expected, FileError, Memory, Shader, Step, TestFile};
use crate::bound::backing::{Backing, GUARD_BYTES, Left};
use crate::bound::content::{Content, Form};
use crate::check::{Lab, REFERENCE, Way};

/// The results of a file in one of the ways to run it.
pub(super) struct Run {
    /// The way.
    pub(super) way: Way,
    /// Results of each step.
    pub(super) seen: Vec<Seen>,
}

/// The result of a step.
#[derive(Clone, Default)]
pub(super) struct Seen {
    /// The reason why a shader was refused, or a dispatch failed.
    pub(super) failure: Option<String>,
    /// All memory after a dispatch.
    pub(super) memory: Vec<Left>,
}

/// A shader as a container, or the reason why it is none.
type Assembled = Result<Vec<u8>, String>;

/// Runs a file in every way.
pub(super) fn run(file: &TestFile) -> Result<Vec<Run>, FileError> {
    let containers = assemble(file)?;
    let lab = Lab::new();
    let dispatches =
        || file.steps.iter().filter_map(|step| if let Step::Dispatch(dispatch) = step { Some(dispatch) } else { None });
    let one_group = dispatches().all(|dispatch| dispatch.groups == [1; 3]);
    let in_order = dispatches().any(|dispatch| dispatch.in_order);
    let most_threads = if one_group || in_order { 1 } else { 2 };
    let engines = [Engine::Interpreter, Engine::Jit];
    let engines = if Engine::best() == Engine::Jit { &engines[..] } else { &engines[..1] };
    let mut runs = Vec::new();
    for &engine in engines {
        let shapes = [Level::None, Level::Full].into_iter().flat_map(|level| Width::ALL.map(|width| (level, width)));
        let shapes = shapes.flat_map(|(level, width)| lab.sizes(engine).map(move |size| (level, width, size)));
        for (level, width, vector_bytes) in shapes {
            let options = CompileOptions::new(engine).oversize(Oversize::Refuse).level(level).width(width);
            let compile = |bytes: &Vec<u8>| {
                let shader = lab.device(1, vector_bytes).compile(bytes, &options).map_err(|error| error.to_string())?;
                shader.check_groups().map_err(|error| error.to_string()).map(|()| shader)
            };
            let shaders: Vec<_> =
                containers.iter().map(|made| made.as_ref().map_err(String::clone).and_then(compile)).collect();
            if runs.is_empty() {
                check_registers(file, &shaders)?;
            }
            for threads in 1..=most_threads {
                let device = lab.device(threads, vector_bytes);
                let seen = Machine { device, shaders: &shaders, current: 0, memory: BTreeMap::new() }.run(file)?;
                runs.push(Run { way: Way { engine, level, width, threads, vector_bytes }, seen });
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
                let problem = format!("column {}: {}", error.column, message(&error));
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
            let declared = names.join(", ");
            let problem = format!("no shader of this file declares {register}: expected one of {declared}");
            return Err(FileError { line, problem });
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
            match bound.backing.left(bound.memory.register) {
                Some(left) => memory.push(left),
                None => failure = Some(format!("bytes around {} changed", bound.memory.register)),
            }
        }
        Ok(Seen { failure, memory })
    }
}

/// A problem of some memory.
fn at(memory: &Memory, error: Error) -> FileError {
    FileError { line: memory.line, problem: format!("{}: {error}", memory.register) }
}

/// Memory behind a register.
struct Bound {
    memory: Memory,
    backing: Backing,
}

impl Bound {
    fn new(device: &Device, memory: &Memory) -> Result<Self, Error> {
        // A buffer is seen as the shader declares it, so that it begins as any.
        let form = memory.form.unwrap_or(Form::Raw);
        let content = Content { form, bytes: memory.bytes.clone(), counter: memory.counter };
        Ok(Self { memory: memory.clone(), backing: Backing::new(device, &content, GUARD_BYTES)? })
    }

    /// A view for a shader that declares the register like this.
    fn view(&self, declared: &Declared) -> Result<View, FileError> {
        let layout = |expected: &str| FileError {
            line: self.memory.line,
            problem: format!("{} is declared as {}: expected {expected}", self.memory.register, declared.kind),
        };
        let form = match (self.memory.form, declared.kind) {
            (Some(form), _) => form,
            (None, ResourceKind::Constant { .. }) => Form::Constant,
            (None, ResourceKind::Raw) => Form::Raw,
            (None, ResourceKind::Structured { stride_bytes }) => Form::Structured { stride_bytes },
            (None, ResourceKind::Typed { dimension: Dimension::Buffer, .. }) => {
                return Err(layout("its format in the head, as in `[buffer t0 f32 format R32_FLOAT]`"));
            }
            (None, ResourceKind::Sampler { .. }) => return Err(layout("a sampler")),
            (None, ResourceKind::Typed { .. }) => {
                return Err(layout("a texture, as in `[texture2d t0 R32_FLOAT f32 size 4 4]`"));
            }
        };
        self.backing.view(form).map_err(|error| at(&self.memory, error))
    }
}
