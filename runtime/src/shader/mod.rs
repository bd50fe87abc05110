//! Compiled shaders.

mod place;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use brolga_bytecode::sm5::{Model, Stage};
use brolga_ir::function::Function;
use brolga_ir::interface::{ResourceClass, ResourceKind};

pub use place::Place;

use crate::bindings::Register;
use crate::error::Error;
use crate::limits::Limits;

/// What runs a shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code.
    #[default]
    Jit,
    /// The interpreter, which defines what is right and runs on every processor.
    Interpreter,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Jit => "jit",
            Engine::Interpreter => "interpreter",
        })
    }
}

/// How to compile a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CompileOptions {
    /// What shall run it.
    pub engine: Engine,
}

impl CompileOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

/// A form of a shader to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised intermediate representation.
    Ir,
    /// What Cranelift is given.
    Clif,
    /// Machine code.
    Asm,
}

/// A range of registers that a shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declared {
    /// The range's first register.
    pub register: Register,
    /// Registers in the range; `None` if it has no end.
    pub count: Option<u32>,
    /// How the shader reads and writes it.
    pub kind: ResourceKind,
    /// The view's hidden counter is used.
    pub uses_counter: bool,
    /// Atomics on its texels are used.
    pub uses_texel_atomics: bool,
    /// Views that the range's table must have: the declared registers, or of a range without an end up to the last one
    /// that the shader names.
    pub(crate) table_len: u32,
}

impl fmt::Display for Declared {
    /// As in messages: `t0`, `u2..u5,space1`, `t4..,space2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Register { class, space, index } = self.register;
        write!(f, "{}{index}", class.letter())?;
        match self.count {
            Some(0 | 1) => {}
            Some(count) => write!(f, "..{}{}", class.letter(), index.saturating_add(count - 1))?,
            None => f.write_str("..")?,
        }
        if space != 0 {
            write!(f, ",space{space}")?;
        }
        Ok(())
    }
}

impl Declared {
    /// Whether the shader may write it.
    pub fn is_writable(&self) -> bool {
        self.register.class == ResourceClass::UnorderedAccess
    }

    /// Whether the range holds a register.
    pub fn contains(&self, register: Register) -> bool {
        let Register { class, space, index } = register;
        class == self.register.class
            && space == self.register.space
            && index >= self.register.index
            && self.count.is_none_or(|count| index - self.register.index < count)
    }
}

/// A compiled compute shader. Cheap to clone and usable from any thread.
#[derive(Clone)]
pub struct Shader {
    inner: Arc<Inner>,
}

struct Inner {
    engine: Engine,
    model: Model,
    stage: Stage,
    function: Function,
    declared: Vec<Declared>,
    compile_time: Duration,
}

impl Shader {
    /// Compiles a container.
    pub(crate) fn compile(_container: &[u8], _options: &CompileOptions, _limits: &Limits) -> Result<Self, Error> {
        Err(Error::Internal { what: "no engine yet".to_owned() })
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.inner.engine
    }

    /// The shader model.
    pub fn model(&self) -> Model {
        self.inner.model
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.inner.stage
    }

    /// Threads of a group along x, y and z.
    pub fn group_size(&self) -> [u32; 3] {
        self.inner.function.interface.group_size
    }

    /// The declared registers in declaration order.
    pub fn bindings(&self) -> &[Declared] {
        &self.inner.declared
    }

    /// Time from bytes to something that runs.
    pub fn compile_time(&self) -> Duration {
        self.inner.compile_time
    }

    /// A form of the shader as text. The interpreter has only [`Emit::Ir`].
    pub fn emit(&self, _form: Emit) -> Result<String, Error> {
        Err(Error::Internal { what: "no engine yet".to_owned() })
    }
}

impl fmt::Debug for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shader")
            .field("engine", &self.inner.engine)
            .field("model", &self.inner.model)
            .field("group_size", &self.group_size())
            .finish_non_exhaustive()
    }
}
