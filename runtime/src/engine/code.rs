//! Holds shaders in the form that an engine runs, and the key by which a variant is selected.

use brolga_ir::interp::Interpreter;
use brolga_ir::span::Packing;
use brolga_ir::verify::VerifiedFunction;
use brolga_jit::{CompileError, Compiled, CpuFeatures, Options, VectorBytes};

use super::{Engine, Oversize};
use crate::host::TexelFormats;

/// Identifies one code of a shader: everything that selects code and is known only when a shader is bound and
/// dispatched. The key to its code, in the shader as in the disk cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    /// Packing of threads. [`Packing::Row`] means the usual packing.
    pub packing: Packing,
    /// Formats of texels.
    pub texels: TexelFormats,
}

impl Variant {
    /// The variant that most dispatches run, and any could run.
    pub fn usual() -> Self {
        Self { packing: Packing::Row, texels: TexelFormats::default() }
    }

    /// The one for texels of any format.
    pub fn without_texels(&self) -> Self {
        Self { texels: TexelFormats::default(), ..self.clone() }
    }

    /// Its difference from the usual one, as a suffix to a name.
    pub fn difference(&self) -> &'static str {
        match (self.packing == Packing::Grid, self.texels == TexelFormats::default()) {
            (false, true) => "",
            (false, false) => ", bound formats",
            (true, true) => ", short rows",
            (true, false) => ", short rows, bound formats",
        }
    }

    /// `true` if it is the usual one.
    pub fn is_usual(&self) -> bool {
        *self == Self::usual()
    }

    /// Packing of a function's threads in its code.
    pub fn packing_for(&self, function: &VerifiedFunction) -> Packing {
        if self.packing == Packing::Grid { self.packing } else { usual_packing(function) }
    }
}

/// A shader in the form that an engine runs.
#[derive(Debug)]
pub(crate) enum Code {
    Jit(Box<Compiled>),
    Interpreter(Interpreter),
}

impl Code {
    /// Prepares a shader for an engine. The name is for profilers.
    pub fn new(
        function: &VerifiedFunction,
        target: CodeTarget,
        variant: &Variant,
        name: &str,
    ) -> Result<Self, CompileError> {
        let packing = variant.packing_for(function);
        let interpreter = || Code::Interpreter(Interpreter::with_packing(function, packing));
        match target.engine {
            Engine::Interpreter => Ok(interpreter()),
            Engine::Jit => match brolga_jit::compile_named(function, &target.options_for(function, packing)?, name) {
                Ok(compiled) => Ok(Code::Jit(Box::new(compiled))),
                Err(error) if error.is_size() && target.oversize == Oversize::Interpret => Ok(interpreter()),
                Err(error) => Err(error),
            },
        }
    }

    /// Packing of threads.
    pub fn packing(&self) -> Packing {
        match self {
            Code::Jit(compiled) => compiled.packing(),
            Code::Interpreter(interpreter) => interpreter.packing(),
        }
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        match self {
            Code::Jit(_) => Engine::Jit,
            Code::Interpreter(_) => Engine::Interpreter,
        }
    }

    /// The machine code, if there is any.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Code::Jit(compiled) => Some(compiled.code()),
            Code::Interpreter(_) => None,
        }
    }

    /// Private memory that one worker needs.
    pub fn arena_bytes(&self) -> u64 {
        match self {
            Code::Jit(compiled) => compiled.arena_layout().size_bytes as u64,
            Code::Interpreter(interpreter) => interpreter.arena_bytes() as u64,
        }
    }
}

/// The packing that suits most dispatches of a shader.
pub(crate) fn usual_packing(function: &VerifiedFunction) -> Packing {
    if Packing::may_span(function) { Packing::Row } else { Packing::Group }
}

/// The target that code is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeTarget {
    pub engine: Engine,
    /// Instruction sets that machine code may use; `None` where it cannot run.
    pub features: Option<CpuFeatures>,
    /// The most bytes of its vectors; `None` means as many as suit each function.
    pub vector_bytes: Option<VectorBytes>,
    /// The most instructions that the code generator is given.
    pub most_instructions: u32,
    /// Policy for shaders with more.
    pub oversize: Oversize,
}

impl CodeTarget {
    /// The options for the machine code of a function whose threads are packed this way.
    pub fn options_for(self, function: &VerifiedFunction, packing: Packing) -> Result<Options, CompileError> {
        let vector_bytes = self.vector_bytes.unwrap_or_else(|| VectorBytes::suitable(function, packing));
        Self { vector_bytes: Some(vector_bytes), ..self }.options(packing)
    }

    /// The same for existing code, without the size of its vectors.
    pub fn options(self, packing: Packing) -> Result<Options, CompileError> {
        Ok(Options {
            features: self.features.ok_or(CompileError::Unsupported)?,
            vector_bytes: self.vector_bytes.unwrap_or_default(),
            packing,
            most_instructions: self.most_instructions,
        })
    }
}
