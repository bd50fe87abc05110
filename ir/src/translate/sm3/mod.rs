//! Translates vertex and pixel shaders of shader models 1.1 to 3.0 to IR.
//!
//! | file | content |
//! |---|---|
//! | `survey.rs` | the registers that a program uses |
//! | `stage.rs` | inputs and outputs: their rows, and access to them |
//! | `declare.rs` | constants, textures and samplers as resources |
//! | `control.rs` | the walk over the items: blocks, `if`, `loop`, `rep`, calls |
//! | `dispatch.rs` | one row per opcode |
//! | `operand.rs` | operands: registers, modifiers, addresses |
//! | `constant.rs` | constants, defined and set |
//! | `product.rs` | products under either set of float rules |
//! | `componentwise.rs` | instructions that do the same to each component |
//! | `float.rs` | the computations of the rows |
//! | `vector.rs` | instructions whose components differ |
//! | `texture.rs` | texture instructions from ps_1_4 on |
//! | `texture_stage.rs` | texture instructions up to ps_1_3 |
//! | `derivative.rs` | derivatives of operands |
//!
//! A component of a register is a slot: an untyped `i32`, but a condition for `p0`. All sources of an instruction are
//! read before anything is written. The origin of each IR instruction is the byte offset of its bytecode instruction.
//!
//! Constants are constant buffers: `b0` holds `c#`, `b1` holds `i#`, `b2` a word for each `b#`, `b3` two vectors for
//! bump mapping in each texture stage: the matrix, then scale and offset of the luminance. Sampler `s#` is the texture
//! `t#` and the sampler `s#`.
//!
//! Hostile programs are bounded by [`TranslateOptions`]: inlined calls count like everything else.

mod componentwise;
mod constant;
mod control;
mod declare;
mod derivative;
mod dispatch;
mod float;
mod operand;
mod product;
mod stage;
mod survey;
mod texture;
mod texture_stage;
mod vector;

use brolga_bytecode::sm3::{Instruction, Operand, Source, TextureType, ValidProgram, Version};

use super::error::{Result, TranslateError};
use super::registers::Registers;
use crate::builder::Builder;
use crate::entity::{Slot, Value};
use crate::function::Function;
use crate::interface::Interface;

/// The treatment of zeros, infinities and NaN in arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FloatRules {
    /// Zero times anything is zero, as processors of Direct3D 9's time had it and shaders rely on it. `rcp` and `rsq`
    /// of zero and overflowing `exp` give infinity, `log` of zero the lowest finite number.
    #[default]
    Direct3D9,
    /// The same, but `rcp`, `rsq` and `exp` give the largest finite number instead of infinity, as some of those
    /// processors did.
    Direct3D9Finite,
    /// IEEE 754.
    Ieee,
}

/// Options of a translation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// Limit of IR instructions plus bytecode instructions walked over; inlined calls count each time.
    pub max_instructions: usize,
    /// Limit of the nesting depth of regions, including those of inlined calls.
    pub max_nesting: usize,
    /// The treatment of zeros, infinities and NaN in arithmetic.
    pub float_rules: FloatRules,
    /// The type of the texture that ps_1_x samples in each stage. Later versions declare theirs.
    pub textures: [TextureType; 6],
    /// The samplers of depth textures with comparison, one bit each: a third coordinate is the reference, and all
    /// components are the share of filtered texels that pass. Only samplers of 2D textures can.
    pub compared: u16,
    /// The component by which each stage of ps_1_1 to ps_1_3 divides its coordinates before it samples there, if any
    /// (`D3DTTFF_PROJECTED`).
    pub divisors: [Option<u8>; 4],
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            max_instructions: 1 << 20,
            max_nesting: 128,
            float_rules: FloatRules::default(),
            textures: [TextureType::Texture2D; 6],
            compared: 0,
            divisors: [None; 4],
        }
    }
}

/// A program's resources, inputs and outputs.
pub fn interface(program: &ValidProgram, options: &TranslateOptions) -> Interface {
    declare::declare(program, options).interface
}

/// Translates a shader.
pub fn translate(program: &ValidProgram, options: &TranslateOptions) -> Result<Function> {
    let declared = declare::declare(program, options);
    let mut func = Function::new("main", declared.interface);
    let slots = operand::Slots::new(&mut func, &declared.survey, &declared.layout);
    let b = Builder::new(&mut func);
    let mut translator = Translator {
        program,
        version: program.program().version,
        options,
        resources: declared.resources,
        definitions: declared.definitions,
        layout: declared.layout,
        registers: Registers::new(&b),
        slots,
        derivatives: Vec::new(),
        rows: Vec::new(),
        paired: None,
        b,
        flow: control::FlowState::new(program),
        predicate: None,
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
    version: Version,
    options: &'a TranslateOptions,
    resources: declare::Resources,
    definitions: constant::Definitions,
    layout: stage::StageLayout,
    registers: Registers,
    slots: operand::Slots,
    /// Derivatives of inputs.
    derivatives: Vec<derivative::OfInput>,
    /// The pending dot products of `texm3x2pad` and `texm3x3pad`, with their stages.
    rows: Vec<(u16, Value)>,
    /// Deferred writes of a co-issued instruction: its partner reads the values from before.
    paired: Option<Vec<(Slot, Value)>>,
    b: Builder<'f>,
    flow: control::FlowState,
    /// The predicate of the current instruction.
    predicate: Option<Source>,
    /// The byte offset of the current instruction.
    at: u32,
    /// The name of the current instruction.
    name: &'static str,
}

impl Translator<'_, '_> {
    /// An error in an operand of the current instruction.
    fn bad_operand(&self, register: impl ToString) -> TranslateError {
        TranslateError::Operand { name: self.name, at: self.at, register: register.to_string() }
    }

    /// The operands of an instruction, as many as its row in the instruction table declares.
    fn operands<'i, const N: usize>(&self, instruction: &'i Instruction) -> Result<&'i [Operand; N]> {
        instruction.operands.as_slice().try_into().map_err(|_| self.bad_operand("count"))
    }
}
