//! Defines the errors that the verifier reports.

use std::fmt;

use crate::entity::{ArrayId, Inst, LocalId, MessageId, Region, ResourceId, SharedId, Slot, Value};
use crate::function::Origin;
use crate::interface::{MOST_ARRAYS, ResourceClass, ResourceKind};
use crate::message::MOST_MESSAGE_WORDS;
use crate::types::Type;

/// All broken rules of a function, in program order; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct VerifyErrors {
    /// The findings.
    pub errors: Vec<VerifyError>,
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.errors.iter().enumerate() {
            let separator = if n == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{site}: {problem}")]
pub struct VerifyError {
    /// The location.
    pub site: Site,
    /// The broken rule.
    pub problem: Problem,
}

/// The location of a broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// In the declarations.
    Interface,
    /// In a region as a whole.
    Region(Region),
    /// At an instruction.
    Inst {
        /// The region that holds it.
        region: Region,
        /// The instruction.
        inst: Inst,
        /// The origin of the instruction.
        origin: Origin,
    },
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Interface => f.write_str("interface"),
            Site::Region(region) => write!(f, "{region}"),
            Site::Inst { region, inst, origin } => write!(f, "{inst} in {region} (from byte {:#x})", origin.0),
        }
    }
}

/// A list of types in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Types(pub Vec<Type>);

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (n, ty) in self.0.iter().enumerate() {
            let separator = if n == 0 { "" } else { ", " };
            write!(f, "{separator}{ty}")?;
        }
        f.write_str(")")
    }
}

/// The memory that an instruction addresses, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryObject {
    /// A range of views.
    Resource(ResourceId, ResourceClass, ResourceKind),
    /// Shared memory.
    Shared(SharedId),
    /// A private array.
    Local(LocalId),
    /// A batch array, and whether it is written.
    Array(ArrayId, bool),
    /// The immediate constant buffer.
    Immediate,
    /// The sRGB curve.
    Curve,
}

impl fmt::Display for MemoryObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryObject::Resource(id, class, kind) => write!(f, "{id} ({}#, {kind})", class.letter()),
            MemoryObject::Shared(id) => write!(f, "{id}"),
            MemoryObject::Local(id) => write!(f, "{id}"),
            MemoryObject::Array(id, _) => write!(f, "{id}"),
            MemoryObject::Immediate => f.write_str("icb"),
            MemoryObject::Curve => f.write_str("srgb"),
        }
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The number of threads in a group does not fit 32 bits.
    #[error("a group of {0} x {1} x {2} threads, a number that does not fit 32 bits")]
    GroupSize(u32, u32, u32),
    /// More arrays than a batch may have.
    #[error("{0} arrays, more than {MOST_ARRAYS}")]
    ArrayCount(usize),
    /// An array that is not declared.
    #[error("{0} is not declared")]
    NoArray(ArrayId),
    /// Inputs or outputs without an array that has rows for them.
    #[error("inputs or outputs that no array has rows for, or outputs whose array is read-only")]
    NoRows,
    /// An item that only compute shaders have.
    #[error("{0} outside of a compute shader")]
    NoGroup(&'static str),
    /// A lane that a quad does not have.
    #[error("reads threads {0:?} of a quad, which has 0 to 3")]
    QuadLane([u8; 4]),
    /// A register file with a kind of resource that it cannot hold.
    #[error("{id} is a {kind}, which a {}# cannot be", class.letter())]
    ResourceKind {
        /// The range.
        id: ResourceId,
        /// Its register file.
        class: ResourceClass,
        /// Its kind.
        kind: ResourceKind,
    },
    /// A range without registers, or whose last register does not fit 32 bits.
    #[error("the register range of {0} is empty, or ends past 2^32")]
    RangeSize(ResourceId),
    /// A counter on something that cannot have one.
    #[error("{0} has a counter, which only a structured u# can have")]
    CounterDeclaration(ResourceId),
    /// A stride that is not a positive multiple of 4 (for raw shared memory: not 4).
    #[error("{0} has a stride of {1} bytes, not a positive multiple of 4 (4 for raw shared memory)")]
    Stride(String, u32),
    /// A vector with no components, or more than 4.
    #[error("{0} has {1} components, not 1 to 4")]
    Components(LocalId, u32),
    /// Sizes whose sum does not fit 32 bits.
    #[error("{0} takes more than 2^32 bytes")]
    TooLarge(&'static str),

    /// A region without instructions.
    #[error("the region is empty")]
    Empty,
    /// The last instruction of a region is not a terminator.
    #[error("the region's last instruction is not a terminator")]
    NotTerminated,
    /// A terminator that is not the last instruction.
    #[error("a terminator is followed by other instructions")]
    TerminatorInside,
    /// A region that the function does not have.
    #[error("{0} does not exist")]
    NoRegion(Region),
    /// An instruction that the function does not have.
    #[error("{0} does not exist")]
    NoInst(Inst),
    /// An instruction that is listed twice.
    #[error("the instruction is already in a region")]
    InstTwice,
    /// A region with two owners.
    #[error("{0} already belongs to an instruction")]
    RegionTwice(Region),
    /// Parameters of a region that cannot have any.
    #[error("{0} has parameters, which only a loop body can have")]
    Params(Region),
    /// A result or parameter whose own record names another definition.
    #[error("{0} is listed as defined here, but its own record disagrees")]
    Definition(Value),
    /// An operand that the function does not have.
    #[error("operand {0} does not exist")]
    NoValue(Value),
    /// An operand that is not defined earlier in the same or an enclosing region.
    #[error("operand {0} is not defined where it is used")]
    NotDominated(Value),

    /// The wrong number of operands.
    #[error("{what}: {found} given, {expected} needed")]
    Count {
        /// The operands.
        what: &'static str,
        /// The number of operands.
        found: usize,
        /// The required number.
        expected: usize,
    },
    /// A number of operands outside of the allowed range.
    #[error("{what}: {found} given, 1 to 4 needed")]
    Words {
        /// The operands.
        what: &'static str,
        /// The number of operands.
        found: usize,
    },
    /// An operand of the wrong type.
    #[error("{what} {value} is {found}, not {expected}")]
    Type {
        /// The role of the operand.
        what: &'static str,
        /// The operand.
        value: Value,
        /// Its type.
        found: Type,
        /// The required type.
        expected: Type,
    },
    /// A list of values with the wrong types.
    #[error("{what}: types {found}, not {expected}")]
    TypeList {
        /// The list.
        what: &'static str,
        /// The values' types.
        found: Types,
        /// The required types.
        expected: Types,
    },
    /// A constant with bits above its type's width.
    #[error("constant {bits:#x} has more bits than {ty}")]
    ConstBits {
        /// The type.
        ty: Type,
        /// The bits.
        bits: u64,
    },
    /// A component that an input does not have.
    #[error("input component {0} is not 0 to 2")]
    InputComponent(u8),
    /// A slot that the function does not have.
    #[error("{0} does not exist")]
    NoSlot(Slot),
    /// A slot after SSA construction.
    #[error("{0} remains after SSA construction")]
    SlotLeft(Slot),

    /// A range that is not declared.
    #[error("{0} is not declared")]
    NoResource(ResourceId),
    /// Shared memory that is not declared.
    #[error("{0} is not declared")]
    NoShared(SharedId),
    /// An array that is not declared.
    #[error("{0} is not declared")]
    NoLocal(LocalId),
    /// A register outside of its range.
    #[error("register {element} of {id}, which has {count}")]
    Element {
        /// The range.
        id: ResourceId,
        /// The element.
        element: u32,
        /// Registers of the range.
        count: u32,
    },
    /// Memory that the instruction cannot access.
    #[error("{what} on {target}")]
    WrongTarget {
        /// The operation of the instruction.
        what: &'static str,
        /// The memory.
        target: MemoryObject,
    },
    /// An access to something with elements that lacks the index.
    #[error("{0} has elements; the index is missing")]
    IndexMissing(MemoryObject),
    /// An index into something raw.
    #[error("{0} is raw and takes no index")]
    IndexGiven(MemoryObject),
    /// A counter whose use is not declared.
    #[error("{0} is declared without a counter")]
    NoCounter(ResourceId),
    /// A message that is not declared.
    #[error("{0} is not declared")]
    NoMessage(MessageId),
    /// A message without a sender, or with too many operands.
    #[error("a message has {0} words, it must have those of its sender and at most {MOST_MESSAGE_WORDS} of operands")]
    MessageWords(usize),
    /// A mip level or sample index for memory that has none.
    #[error("{0} has no mip levels or samples, but one is given")]
    LevelGiven(MemoryObject),
    /// A compare-exchange without a comparand, or a comparand elsewhere.
    #[error("only a compare-exchange has a comparand, and it must have one")]
    Comparand,

    /// A label that two cases have.
    #[error("two cases have the label {0}")]
    LabelTwice(u32),
    /// A case without a label.
    #[error("a case has no label")]
    NoLabel,
    /// A break out of another instruction.
    #[error("break out of {0}, which is not an enclosing loop or switch")]
    BreakTarget(Inst),
    /// A continue of another instruction.
    #[error("continue of {0}, which is not an enclosing loop")]
    ContinueTarget(Inst),
    /// A yield out of the function's body.
    #[error("the body has no owner to yield to; it ends in a return")]
    YieldInBody,
}
