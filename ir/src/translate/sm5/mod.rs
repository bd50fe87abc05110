//! Compute, vertex and pixel shaders of shader models 4.0 to 5.1 as IR.
//!
//! | file | what |
//! |---|---|
//! | `declare.rs` | declarations to the function's interface |
//! | `stage.rs` | inputs and outputs of the stages that run in batches |
//! | `control.rs` | the walk over the items: blocks, `if`, `loop`, `switch`, calls |
//! | `classes.rs` | interface calls, `this`, registers of class instances |
//! | `dispatch.rs` | one row per opcode |
//! | `operand.rs` | operands: registers, indices, modifiers |
//! | `registers.rs` | what `r#` are known to hold |
//! | `componentwise.rs` | instructions that do the same to each component |
//! | `float.rs` `integer.rs` `double.rs` `moves.rs` | what the rows compute |
//! | `memory.rs` | buffers, shared memory, atomics, counters |
//! | `sample.rs` | sampling, gathers, derivatives |
//! | `typed.rs` | texels and queries |
//!
//! A component of `r#` is the slot `4 * number + component`, an untyped `i32`. All sources of an instruction are read
//! before any destination is written. The origin of each IR instruction is the byte offset of its bytecode instruction.
//!
//! What a hostile program can do is bounded by [`TranslateOptions`]: inlined calls count like everything else.

mod classes;
mod componentwise;
mod control;
mod declare;
mod dispatch;
mod double;
mod float;
mod integer;
mod memory;
mod moves;
mod operand;
mod registers;
mod sample;
mod stage;
mod typed;

#[cfg(test)]
mod tests;

use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{Instruction, Stage};

pub use classes::BoundClass;

use crate::builder::Builder;
use crate::function::Function;
use crate::interface::Interface;

/// What a program declares of the world outside it.
pub fn interface(program: &ValidProgram) -> Result<Interface> {
    Ok(declare::declare(program)?.0)
}

/// How a program is translated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// IR instructions and bytecode instructions walked over, together; inlined calls count each time.
    pub max_instructions: usize,
    /// Regions within each other, those of inlined calls included; Direct3D allows 64 without calls. Later stages walk
    /// regions recursively, also on threads with small stacks.
    pub max_nesting: usize,
    /// The class instances that the program's interface slots stand for, by the number of fp#. Each declared slot needs one.
    pub classes: Vec<Option<BoundClass>>,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self { max_instructions: 1 << 20, max_nesting: 128, classes: Vec::new() }
    }
}

/// Why a program could not be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// The shader is for another stage.
    #[error("a {} shader; only compute, vertex and pixel shaders can be translated", stage.name())]
    Stage {
        /// Its stage.
        stage: Stage,
    },
    /// An instruction or declaration that Brolga cannot run yet.
    #[error("not supported yet: `{name}` at byte {at}")]
    NotSupported {
        /// Its name in fxc's listing.
        name: &'static str,
        /// The byte where it begins.
        at: u32,
    },
    /// An operand that its instruction cannot have, in a shader of this stage.
    #[error("`{name}` at byte {at}: operand {register} cannot stand here")]
    Operand {
        /// The instruction's name in fxc's listing.
        name: &'static str,
        /// The byte where it begins.
        at: u32,
        /// The register as far as it is known.
        register: String,
    },
    /// A flow instruction outside of what it belongs to.
    #[error("`{name}` at byte {at}: nothing encloses it that it could belong to")]
    Flow {
        /// The instruction's name in fxc's listing.
        name: &'static str,
        /// The byte where it begins.
        at: u32,
    },
    /// An interface slot that stands for nothing.
    #[error("the interface slot fp{slot} stands for no class instance")]
    Unbound {
        /// The slot.
        slot: u32,
    },
    /// A class that the interface slot cannot stand for.
    #[error("the interface slot fp{slot} does not take the function table ft{table}")]
    Table {
        /// The slot.
        slot: u32,
        /// The number of the class's function table.
        table: u32,
    },
    /// The program grows beyond the limit.
    #[error("at byte {at} the shader is larger than the limit of {limit} instructions, its calls inlined")]
    TooLarge {
        /// The byte of the instruction that no longer fits.
        at: u32,
        /// The limit.
        limit: usize,
    },
    /// Control flow is nested deeper than the limit.
    #[error("at byte {at} control flow is nested deeper than the limit of {limit}, its calls inlined")]
    TooDeep {
        /// The byte of the instruction that opens the innermost construct.
        at: u32,
        /// The limit.
        limit: usize,
    },
}

type Result<T = (), E = TranslateError> = std::result::Result<T, E>;

/// Translates a shader.
///
/// The function's slots are those of the temporary registers, four for each, then those of the outputs; its resources are in
/// the order of their declarations.
pub fn translate(program: &ValidProgram, options: &TranslateOptions) -> Result<Function> {
    let (interface, names, mut stage) = declare::declare(program)?;
    let mut func = Function::new("main", interface);
    for _ in 0..program.declarations().temps.saturating_mul(4) {
        func.add_slot(crate::Type::I32);
    }
    stage.add_slots(&mut func);
    let b = Builder::new(&mut func);
    let mut translator = Translator {
        program,
        options,
        names,
        stage,
        classes: classes::Classes::new(program, &options.classes)?,
        registers: registers::Registers::new(&b),
        b,
        flow: control::FlowState::new(program),
        at: program.program().at,
        name: "",
    };
    translator.main()?;
    Ok(func)
}

/// State of a translation.
struct Translator<'a, 'f> {
    program: &'a ValidProgram,
    options: &'a TranslateOptions,
    names: declare::Names,
    stage: stage::StageRegisters,
    classes: classes::Classes,
    registers: registers::Registers,
    b: Builder<'f>,
    flow: control::FlowState,
    /// The byte of the current instruction.
    at: u32,
    /// The name of the current instruction.
    name: &'static str,
}

impl Translator<'_, '_> {
    /// The instruction waits for a later version.
    fn not_supported(&self, instruction: &Instruction) -> Result {
        Err(TranslateError::NotSupported { name: instruction.op.text(), at: instruction.at })
    }

    /// An error that blames an operand of the current instruction.
    fn bad_operand(&self, register: impl Into<String>) -> TranslateError {
        TranslateError::Operand { name: self.name, at: self.at, register: register.into() }
    }

    /// The operands of an instruction, as many as its row in the instruction table says.
    fn operands<'i, const N: usize>(
        &self,
        instruction: &'i Instruction,
    ) -> Result<&'i [brolga_bytecode::sm5::Operand; N]> {
        instruction.operands.as_slice().try_into().map_err(|_| self.bad_operand("count"))
    }
}
