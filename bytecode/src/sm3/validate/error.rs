//! Errors in a program that decodes: a variant for each rule.

use crate::faults::rules;
use crate::sm3::display::mask_text;
use crate::sm3::operand::Modifier;
use crate::sm3::{Op, Register, TextureType, Usage, Version};

/// Components in an error: `.xy`, `.xyzw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask(pub u8);

impl std::fmt::Display for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0xf { f.write_str(".xyzw") } else { f.write_str(&mask_text(self.0)) }
    }
}

rules! {
    /// A register that the version does not have.
    #[error("there is no {register}: {version} has {count} such registers")]
    NoRegister { register: Register, version: Version, count: u16 },
    /// A write to a register that cannot be written.
    #[error("{register} cannot be written by it in {version}")]
    NotWritable { register: Register, version: Version },
    /// A read of a register that cannot be read.
    #[error("{register} cannot be read by it in {version}")]
    NotReadable { register: Register, version: Version },
    /// An operand must be another kind of register.
    #[error("{register} is used where {expected} is required")]
    WrongFile { register: Register, expected: &'static str },
    /// An operand must be a single component.
    #[error("{register} must have one component, as in .x")]
    NotScalar { register: Register },
    /// A modifier of a source that the version, or the register, does not have.
    #[error("{version} has no modifier {} for {register} here", modifier_text(modifier))]
    SourceModifier { register: Register, modifier: Modifier, version: Version },
    /// `_sat`, `_pp` or `_centroid` where the version does not have it.
    #[error("{version} has no {modifier} here")]
    ResultModifier { modifier: &'static str, version: Version },
    /// A shift of the result that the version does not have.
    #[error("the result is scaled by two to the power of {shift}, which {version} cannot do")]
    ResultShift { shift: i8, version: Version },
    /// A destination without components.
    #[error("no component of {register} is written")]
    NothingWritten { register: Register },
    /// Components that the instruction cannot write.
    #[error("{register}{mask} is written; the mask must be {expected}")]
    ResultMask { register: Register, mask: Mask, expected: &'static str },
    /// The condition of `cnd` before ps_1_4.
    #[error("its condition must be r0.w in {version}")]
    CndCondition { version: Version },
    /// The loop counter outside of a loop.
    #[error("aL is used outside a loop")]
    LoopCounter,
    /// A register that cannot be addressed relatively.
    #[error("{register} cannot be addressed in {version}")]
    NotAddressable { register: Register, version: Version },
    /// An address register that cannot address this register.
    #[error("{register} cannot be addressed with {index}, only with {expected}")]
    AddressRegister { register: Register, index: Register, expected: &'static str },
    /// An instruction that cannot be predicated.
    #[error("it cannot have a predicate")]
    NotPredicable,
    /// A predicate must be p0 with no swizzle or a single component.
    #[error("its predicate must be p0, one component of it, or the negation")]
    PredicateOperand,
    /// A declaration or definition after the first instruction.
    #[error("it must come before the first instruction")]
    Late,
    /// A register that is not declared that way.
    #[error("{register} has no declaration in {version}")]
    NotDeclarable { register: Register, version: Version },
    /// Bits of a usage token that must be zero.
    #[error("reserved bits {bits:#010x} of the usage token of {register} must be zero")]
    ReservedUsageBits { register: Register, bits: u32 },
    /// An unknown texture type.
    #[error("texture type {code} of {register} is not 2 (2d), 3 (cube) or 4 (volume)")]
    TextureTypeCode { register: Register, code: u32 },
    /// A texture type on a register that is not a sampler.
    #[error("{register} is not a sampler, but has texture type {}", texture.text())]
    TextureTypeOfOther { register: Register, texture: TextureType },
    /// An unknown usage.
    #[error("usage {code} of {register} is not one of 0 (position) to 13 (sample)")]
    UsageCode { register: Register, code: u32 },
    /// A usage that pixel shaders do not have.
    #[error("pixel shaders have no {}{index}, which {register} is declared as", usage.text())]
    PixelUsage { register: Register, usage: Usage, index: u32 },
    /// A register whose declaration has no usage.
    #[error("{register} is declared without a usage; its usage token {token:#010x} must be 0x80000000")]
    NeedlessUsage { register: Register, token: u32 },
    /// A mask that the declaration cannot have.
    #[error("{register} is declared with {mask}; the mask must be {expected}")]
    DeclaredMask { register: Register, mask: Mask, expected: &'static str },
    /// A modifier that the declaration cannot have.
    #[error("{register} is declared with {modifier}, which it cannot have")]
    DeclaredModifier { register: Register, modifier: &'static str },
    /// Components that were already declared.
    #[error("{register}{mask} is already declared")]
    DeclaredTwice { register: Register, mask: Mask },
    /// A usage that was already declared.
    #[error("{}{index} is already declared, for {other}", usage.text())]
    UsageTwice { usage: Usage, index: u32, other: Register },
    /// Components that are not declared.
    #[error("{register}{mask} is not declared")]
    Undeclared { register: Register, mask: Mask },
    /// The register of a definition is of another kind, or not whole.
    #[error("{register}{mask} is defined; it must be {expected}")]
    DefinedRegister { register: Register, mask: Mask, expected: &'static str },
    /// Components that are read before they are written.
    #[error("{register}{mask} is read, but nothing wrote it before")]
    ReadUnwritten { register: Register, mask: Mask },
    /// Components of an output that are never written.
    #[error("the program ends, and nothing wrote {register}{mask}, which {version} must write")]
    NeverWritten { register: Register, mask: Mask, version: Version },
    /// A texture instruction after arithmetic.
    #[error("it must come before the arithmetic instructions{}", if *has_phases { " of its phase" } else { "" })]
    TextureAfterArithmetic { has_phases: bool },
    /// A colour before `phase`.
    #[error("{register} can only be read after phase")]
    ColorBeforePhase { register: Register },
    /// Coordinates computed by the same block of texture instructions.
    #[error("{register} was written by a texture instruction of the same phase: let one of the next phase read it")]
    Dependent { register: Register },
    /// A block end without a beginning.
    #[error("there is no {expected} that it could belong to")]
    NotOpen { expected: &'static str },
    /// A block without an end.
    #[error("it has no end")]
    NotClosed,
    /// Too many levels.
    #[error("more than {limit} nested {what}, which {version} cannot do")]
    Nesting { what: &'static str, limit: u32, version: Version },
    /// An instruction after `ret` that is not a label.
    #[error("only a label may follow ret")]
    AfterReturn,
    /// A label that does not follow a `ret`.
    #[error("label {label} must follow a ret")]
    LabelPlace { label: Register },
    /// A label that is already defined.
    #[error("label {label} is already defined")]
    LabelTwice { label: Register },
    /// A `ret` inside a block.
    #[error("it is inside a block")]
    ReturnInBlock,
    /// A subroutine without `ret`.
    #[error("the subroutine of label {label} ends without ret")]
    NoReturn { label: Register },
    /// A call to a label that does not exist.
    #[error("there is no label {label}")]
    NoLabel { label: Register },
    /// A backward call.
    #[error("label {label} must come after the call")]
    CallBack { label: Register },
    /// A second `phase`.
    #[error("there already is one")]
    PhaseTwice,
    /// An instruction that cannot be co-issued with the one before it.
    #[error("it cannot be co-issued with the instruction before it: {reason}")]
    CoIssue { reason: &'static str },
    /// A count is over its limit.
    #[error("more than {limit} {what}")]
    Limit { what: &'static str, limit: u32 },
}

fn modifier_text(modifier: &Modifier) -> String {
    let (prefix, suffix) = modifier.texts();
    format!("{prefix}{suffix}")
}
