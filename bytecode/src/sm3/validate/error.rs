//! What can be wrong with a program that decodes: a variant for each rule.

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

macro_rules! errors {
    ($( $(#[doc = $doc:literal])* #[error($message:literal $($argument:tt)*)] $name:ident { $( $field:ident: $type:ty, )* } )*) => {
        /// A rule of Direct3D 9 that a program breaks.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[non_exhaustive]
        pub enum ValidateError {
            $(
                $(#[doc = $doc])*
                #[error($message $($argument)*)]
                $name {
                    /// The byte in the file.
                    at: u32,
                    $( #[doc = concat!("The ", stringify!($field), ".")] $field: $type, )*
                },
            )*
        }

        impl ValidateError {
            /// The byte in the file that the error is about.
            pub fn at(&self) -> u32 {
                match self {
                    $( Self::$name { at, .. } )|* => *at,
                }
            }
        }
    };
}

errors! {
    /// The version does not have the register.
    #[error("{register} at byte {at}: {version} has {count} such registers")]
    NoRegister { register: Register, version: Version, count: u16, }
    /// A register is written that cannot be.
    #[error("{op} at byte {at}: {register} cannot be written by it in {version}")]
    NotWritable { op: Op, register: Register, version: Version, }
    /// A register is read that cannot be.
    #[error("{op} at byte {at}: {register} cannot be read by it in {version}")]
    NotReadable { op: Op, register: Register, version: Version, }
    /// An operand must be another kind of register.
    #[error("{op} at byte {at}: {register} stands where {expected} must")]
    WrongFile { op: Op, register: Register, expected: &'static str, }
    /// An operand must be a single component.
    #[error("{op} at byte {at}: {register} must have one component, as in .x")]
    NotScalar { op: Op, register: Register, }
    /// A modifier of a source that the version, or the register, does not have.
    #[error("{op} at byte {at}: modifier {} of {register} does not exist there in {version}", modifier_text(modifier))]
    SourceModifier { op: Op, register: Register, modifier: Modifier, version: Version, }
    /// `_sat`, `_pp` or `_centroid` where the version does not have it.
    #[error("{op} at byte {at}: {modifier} does not exist there in {version}")]
    ResultModifier { op: Op, modifier: &'static str, version: Version, }
    /// A shift of the result that the version does not have.
    #[error("{op} at byte {at}: the result is scaled by two to the power of {shift}, which {version} cannot")]
    ResultShift { op: Op, shift: i8, version: Version, }
    /// A destination without components.
    #[error("{op} at byte {at}: no component of {register} is written")]
    NothingWritten { op: Op, register: Register, }
    /// Components that the instruction cannot write.
    #[error("{op} at byte {at}: {register}{mask} is written, it must be {expected}")]
    ResultMask { op: Op, register: Register, mask: Mask, expected: &'static str, }
    /// The condition of `cnd` before ps_1_4.
    #[error("cnd at byte {at}: its condition must be r0.w in {version}")]
    CndCondition { version: Version, }
    /// The loop counter where no loop can be.
    #[error("{op} at byte {at}: aL is used outside of a loop")]
    LoopCounter { op: Op, }
    /// A register that cannot be addressed.
    #[error("{op} at byte {at}: {register} cannot be addressed in {version}")]
    NotAddressable { op: Op, register: Register, version: Version, }
    /// An address that is none, or not for this register.
    #[error("{op} at byte {at}: {register} cannot be addressed with {index}, only with {expected}")]
    AddressRegister { op: Op, register: Register, index: Register, expected: &'static str, }
    /// An instruction that cannot be predicated.
    #[error("{op} at byte {at}: it cannot have a predicate")]
    NotPredicable { op: Op, }
    /// A predicate must be p0 with no swizzle or a single component.
    #[error("{op} at byte {at}: its predicate must be p0, one component of it, or the negation")]
    PredicateOperand { op: Op, }

    /// A declaration or definition behind the first instruction.
    #[error("{op} at byte {at}: it must stand before the first instruction")]
    Late { op: Op, }
    /// A register that is not declared that way.
    #[error("dcl at byte {at}: {register} has no declaration in {version}")]
    NotDeclarable { register: Register, version: Version, }
    /// Bits of a usage token that must be zero.
    #[error("dcl at byte {at}: reserved bits {bits:#010x} of the usage token of {register} must be zero")]
    ReservedUsageBits { register: Register, bits: u32, }
    /// A texture type that is none.
    #[error("dcl at byte {at}: texture type {code} of {register} is none of 2 (2d), 3 (cube) and 4 (volume)")]
    TextureTypeCode { register: Register, code: u32, }
    /// A texture type for what is no sampler.
    #[error("dcl at byte {at}: {register} is no sampler, but has texture type {}", texture.text())]
    TextureTypeOfOther { register: Register, texture: TextureType, }
    /// A usage that is none.
    #[error("dcl at byte {at}: usage {code} of {register} is none of 0 (position) to 13 (sample)")]
    UsageCode { register: Register, code: u32, }
    /// A usage that pixel shaders do not have.
    #[error("dcl at byte {at}: {}{index} of {register} does not exist in pixel shaders", usage.text())]
    PixelUsage { register: Register, usage: Usage, index: u32, }
    /// A register whose declaration has no usage.
    #[error("dcl at byte {at}: {register} is declared without a usage, the usage token {token:#010x} must be 0x80000000")]
    NeedlessUsage { register: Register, token: u32, }
    /// A mask that the declaration cannot have.
    #[error("dcl at byte {at}: {register} is declared with {mask}, it must be {expected}")]
    DeclaredMask { register: Register, mask: Mask, expected: &'static str, }
    /// A modifier that the declaration cannot have.
    #[error("dcl at byte {at}: {register} is declared with {modifier}, which it cannot have")]
    DeclaredModifier { register: Register, modifier: &'static str, }
    /// Components that were declared before.
    #[error("dcl at byte {at}: {register}{mask} is declared already")]
    DeclaredTwice { register: Register, mask: Mask, }
    /// A usage that was declared before.
    #[error("dcl at byte {at}: {}{index} is declared already, for {other}", usage.text())]
    UsageTwice { usage: Usage, index: u32, other: Register, }
    /// Components that are not declared.
    #[error("{op} at byte {at}: {register}{mask} is not declared")]
    Undeclared { op: Op, register: Register, mask: Mask, }
    /// The register of a definition is of another kind, or not whole.
    #[error("{op} at byte {at}: {register}{mask} is defined, it must be {expected}")]
    DefinedRegister { op: Op, register: Register, mask: Mask, expected: &'static str, }

    /// An end of what did not begin.
    #[error("{op} at byte {at}: there is no {expected} that it could belong to")]
    NotOpen { op: Op, expected: &'static str, }
    /// A beginning without an end.
    #[error("{op} at byte {at}: it has no end")]
    NotClosed { op: Op, }
    /// Too many levels.
    #[error("{op} at byte {at}: more than {limit} {what} within each other, which {version} cannot")]
    Nesting { op: Op, what: &'static str, limit: u32, version: Version, }
    /// An instruction behind `ret` that is no label.
    #[error("{op} at byte {at}: behind ret only a label can follow")]
    BehindReturn { op: Op, }
    /// A label that does not follow a `ret`.
    #[error("{label} at byte {at}: a label must follow a ret")]
    LabelPlace { label: Register, }
    /// A label that is there already.
    #[error("{label} at byte {at}: it is there already")]
    LabelTwice { label: Register, }
    /// A `ret` within a block.
    #[error("ret at byte {at}: it stands within a block")]
    ReturnInBlock { }
    /// A subroutine without `ret`.
    #[error("{label} at byte {at}: its subroutine ends without ret")]
    NoReturn { label: Register, }
    /// A call of what is not there.
    #[error("{op} at byte {at}: there is no label {label}")]
    NoLabel { op: Op, label: Register, }
    /// A call of a label that stands before it.
    #[error("{op} at byte {at}: label {label} must stand behind the call")]
    CallBack { op: Op, label: Register, }

    /// A second `phase`.
    #[error("phase at byte {at}: there is one already")]
    PhaseTwice { }
    /// An instruction that cannot run together with the one before it.
    #[error("{op} at byte {at}: it cannot run together with the instruction before it: {reason}")]
    CoIssue { op: Op, reason: &'static str, }
    /// A count is over its limit.
    #[error("{op} at byte {at}: more than {limit} {what}")]
    Limit { op: Op, what: &'static str, limit: u32, }
}

fn modifier_text(modifier: &Modifier) -> String {
    let (prefix, suffix) = modifier.texts();
    format!("{prefix}{suffix}")
}
