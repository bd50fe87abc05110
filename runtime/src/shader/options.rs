//! How to compile a shader, and forms of it to look at.

use brolga_ir::Width;
use brolga_ir::passes::Level;

use super::instance::{ClassInstance, Instances};
use crate::engine::{Engine, Oversize};

/// When the code of a shader is made.
///
/// Code is made for what is bound: a dispatch whose texels have other formats, or whose groups lie in short rows, runs other
/// code than most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codegen {
    /// What most dispatches run is made at once, so that a shader that compiles can run. Other code is made for the first
    /// dispatch that needs it.
    #[default]
    Eager,
    /// All code is made when it is known what is bound: by [`Shader::compile_for`](crate::Shader::compile_for),
    /// [`BoundShader::prepare`](crate::BoundShader::prepare), or the first dispatch. Then only is it found out whether code
    /// is too large, or needs more private memory than
    /// [`Limits::arena_bytes`](crate::Limits::arena_bytes); everything else that can be wrong with a shader is told
    /// at once.
    Deferred,
}

/// How to compile a shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CompileOptions {
    /// What shall run it; the best for this processor if nothing is said.
    pub engine: Engine,
    /// What becomes of a shader that is too large for machine code.
    pub oversize: Oversize,
    /// Which simplifications are made before. Results are the same.
    pub level: Level,
    /// Threads of a packet; what suits the shader if nothing is said. Shaders whose threads race may see it.
    pub width: Option<Width>,
    /// When code is made.
    pub codegen: Codegen,
    pub(super) instances: Instances,
    pub(super) name: Option<String>,
}

impl CompileOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            oversize: Oversize::default(),
            level: Level::default(),
            width: None,
            codegen: Codegen::default(),
            instances: Instances::default(),
            name: None,
        }
    }

    /// Sets what becomes of a shader that is too large for machine code.
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.oversize = oversize;
        self
    }

    /// Sets which simplifications are made.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Sets how many threads a packet has.
    pub fn width(mut self, width: Width) -> Self {
        self.width = Some(width);
        self
    }

    /// Sets when code is made.
    pub fn codegen(mut self, codegen: Codegen) -> Self {
        self.codegen = codegen;
        self
    }

    /// Chooses what an interface variable of the shader stands for. Each must stand for something; the calls through it
    /// are compiled in place, so that another choice is another shader.
    ///
    /// `variable` is its name in the source, or the listing's `fp#`. The name of an array stands for all of its elements,
    /// but for those that are named by themselves, as in `lights[2]`.
    pub fn instance(mut self, variable: impl Into<String>, instance: impl Into<ClassInstance>) -> Self {
        self.instances.add(variable.into(), instance.into());
        self
    }

    /// Names the shader for profilers, as the file it comes from; without a name they show its checksum.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self::new(Engine::best())
    }
}

/// A form of a shader to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised intermediate representation.
    Ir,
    /// The same as packets run it, with what was decided about each operation.
    Packet,
    /// Cranelift's input.
    Clif,
    /// Machine code below the shader's instructions.
    Asm,
}
