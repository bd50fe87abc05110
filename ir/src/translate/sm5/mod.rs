//! Translates shaders of shader models 4.0 to 5.1 to IR.
//!
//! | file | content |
//! |---|---|
//! | `declare.rs` | declarations to the function's interface |
//! | `stage/` | inputs and outputs of the stages that run in batches |
//! | `control.rs` | the walk over the items: blocks, `if`, `loop`, `switch`, calls |
//! | `classes.rs` | interface calls, `this`, registers of class instances |
//! | `dispatch.rs` | one row per opcode |
//! | `operand.rs` | operands: registers, indices, modifiers |
//! | `componentwise.rs` | instructions that do the same to each component |
//! | `float.rs` `integer.rs` `double.rs` `moves.rs` | the computations of the rows |
//! | `memory.rs` | buffers, shared memory, atomics, counters |
//! | `sample.rs` | sampling and gathers |
//! | `derivative.rs` | derivatives of operands |
//! | `evaluate.rs` | inputs at other points of a pixel |
//! | `typed.rs` | texels and queries |
//!
//! A component of `r#` is the slot `4 * number + component`, an untyped `i32`. All sources of an instruction are read
//! before any destination is written. The origin of each IR instruction is the byte offset of its bytecode instruction.
//!
//! Hostile programs are bounded by [`TranslateOptions`]: inlined calls count like everything else.

mod classes;
mod componentwise;
mod control;
mod declare;
mod derivative;
mod dispatch;
mod double;
mod evaluate;
mod float;
mod integer;
mod memory;
mod moves;
mod operand;
mod sample;
mod stage;
mod typed;

use std::collections::HashMap;

use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{Instruction, Operand, RegisterFile};
use smallvec::SmallVec;

use super::error::{Result, TranslateError};
use super::registers::Registers;
pub use classes::BoundClass;
pub use stage::linked;

use crate::Type;
use crate::builder::Builder;
use crate::entity::MessageId;
use crate::function::{Function, RegisterName};
use crate::interface::Interface;
use crate::message::Message;

/// A program's declarations of resources and other interfaces.
pub fn interface(program: &ValidProgram) -> Result<Interface> {
    Ok(declare::declare(program)?.0)
}

/// Options of a translation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// Limit of IR instructions plus bytecode instructions walked over; inlined calls count each time.
    pub max_instructions: usize,
    /// Limit of the nesting depth of regions, including those of inlined calls; Direct3D allows 64 without calls. Later
    /// stages walk regions recursively, also on threads with small stacks.
    pub max_nesting: usize,
    /// The class instances bound to the program's interface slots, by the number of fp#. Each declared slot needs one.
    pub classes: Vec<Option<BoundClass>>,
    /// Set if `mad` rounds once, instead of rounding its product first.
    pub fused_mad: bool,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self { max_instructions: 1 << 20, max_nesting: 128, classes: Vec::new(), fused_mad: false }
    }
}

/// Translates a shader.
///
/// The function's slots are those of the temporary registers, four for each, then those of the outputs; its resources
/// are in the order of their declarations.
pub fn translate(program: &ValidProgram, options: &TranslateOptions) -> Result<Function> {
    let (interface, names, mut stage) = declare::declare(program)?;
    let mut func = Function::new("main", interface);
    for number in 0..program.declarations().temps {
        func.add_register(RegisterName::Sm5(RegisterFile::Temp, number), Type::I32);
    }
    stage.add_slots(&mut func);
    let b = Builder::new(&mut func);
    let mut translator = Translator {
        program,
        options,
        names,
        stage,
        classes: classes::Classes::new(program, &options.classes)?,
        registers: Registers::new(&b),
        derivatives: Vec::new(),
        evaluations: evaluate::Evaluations::default(),
        messages: HashMap::new(),
        b,
        flow: control::FlowState::new(program),
        at: program.program().at,
        name: "",
    };
    translator.main()?;
    func.list_samples();
    Ok(func)
}

/// State of a translation.
struct Translator<'a, 'f> {
    program: &'a ValidProgram,
    options: &'a TranslateOptions,
    names: declare::OperandNames,
    stage: stage::StageRegisters,
    classes: classes::Classes,
    registers: Registers,
    /// Derivatives of inputs.
    derivatives: Vec<derivative::OfInput>,
    /// The slopes of inputs that are evaluated away from the center.
    evaluations: evaluate::Evaluations,
    /// The messages declared so far.
    messages: HashMap<Message, MessageId>,
    b: Builder<'f>,
    flow: control::FlowState,
    /// The byte offset of the current instruction.
    at: u32,
    /// The name of the current instruction.
    name: &'static str,
}

impl Translator<'_, '_> {
    /// The error for an instruction that Brolga cannot run yet.
    fn not_supported(&self, instruction: &Instruction) -> Result {
        Err(TranslateError::NotSupported { name: instruction.op.text(), at: instruction.at })
    }

    /// An error in an operand of the current instruction.
    fn bad_operand(&self, register: impl Into<String>) -> TranslateError {
        TranslateError::Operand { name: self.name, at: self.at, register: register.into() }
    }

    /// The operands of an instruction, as many as its row in the instruction table declares.
    fn operands<'i, const N: usize>(&self, instruction: &'i Instruction) -> Result<&'i [Operand; N]> {
        instruction.operands.as_slice().try_into().map_err(|_| self.bad_operand("count"))
    }

    /// The operands of a load except the feedback word, a second destination that some have.
    fn load_operands<'i, const N: usize>(
        &self,
        instruction: &'i Instruction,
    ) -> Result<([&'i Operand; N], Option<&'i Operand>)> {
        let has_status = instruction.destinations().count() > 1;
        let mut operands: SmallVec<[&Operand; 6]> = instruction.operands.iter().collect();
        let status = (has_status && operands.len() > 1).then(|| operands.remove(1));
        let operands = operands.as_slice().try_into().map_err(|_| self.bad_operand("count"))?;
        Ok((operands, status))
    }
}
