//! [`ValidProgram`]: a checked program, with the results of validation.
//!
//! Later stages rely on it: every register is declared, every operand fits its slot, flow control is properly nested.

use super::codes::{SamplerMode, Topology};
use super::custom::{CustomContent, Message};
use super::declaration::{GlobalFlags, RegisterRange, ResourceKind, UavFlags};
use super::instruction::Instruction;
use super::operand::RegisterFile;
use super::{DeclarationKind, codes::Interpolation, codes::SystemValue};
use super::{Item, ItemKind, Model, Program, Stage};
use std::ops::Range;

/// A checked program. [`super::validate()`] is the only way to get one.
#[derive(Clone, Debug)]
pub struct ValidProgram {
    pub(super) program: Program,
    pub(super) declarations: Declarations,
    pub(super) flow: Flow,
}

impl ValidProgram {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The shader model.
    pub fn model(&self) -> Model {
        self.program.model
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.program.stage
    }

    /// All items in the order of the stream. Positions in [`Flow`] count them.
    pub fn items(&self) -> &[Item] {
        &self.program.items
    }

    /// The instruction at a position, if there is one.
    pub fn instruction(&self, position: usize) -> Option<&Instruction> {
        match self.program.items.get(position).map(|item| &item.kind) {
            Some(ItemKind::Instruction(instruction)) => Some(instruction),
            _ => None,
        }
    }

    /// The message at a position, if there is one, with the byte where it begins.
    pub fn message(&self, position: usize) -> Option<(u32, &Message)> {
        match &self.program.items.get(position)?.kind {
            ItemKind::CustomData(data) => match &data.content {
                CustomContent::Message(message) => Some((data.at, message)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The declarations.
    pub fn declarations(&self) -> &Declarations {
        &self.declarations
    }

    /// The structure of the flow instructions.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }
}

/// Everything that is declared, in the order of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Global flags.
    pub flags: GlobalFlags,
    /// Threads of a group in x, y, z; all 1 in other stages than compute.
    pub group_size: [u32; 3],
    /// Number of r#; in a hull shader the largest of its phases.
    pub temps: u32,
    /// The arrays x#; in a hull shader those of all phases, the largest of each number.
    pub indexable_temps: Vec<IndexableTemp>,
    /// Constant buffers.
    pub constant_buffers: Vec<ConstantBuffer>,
    /// Resources t#.
    pub resources: Vec<Resource>,
    /// UAVs u#.
    pub uavs: Vec<Uav>,
    /// Samplers s#.
    pub samplers: Vec<Sampler>,
    /// Thread-group shared memory g#.
    pub shared_memory: Vec<SharedMemory>,
    /// Inputs, including special registers.
    pub inputs: Vec<Input>,
    /// Outputs, including special registers.
    pub outputs: Vec<Output>,
    /// Ranges of inputs and outputs that are indexed.
    pub index_ranges: Vec<IndexRange>,
    /// The immediate constant buffer.
    pub immediate_constants: Vec<[u32; 4]>,
    /// Positions of the items that are messages.
    pub messages: Vec<usize>,
    /// The numbers of the function bodies fb#.
    pub function_bodies: Vec<u32>,
    /// The function tables ft#.
    pub function_tables: Vec<FunctionTable>,
    /// The interfaces fp#.
    pub interfaces: Vec<DeclaredInterface>,
    /// The streams of a geometry shader.
    pub streams: Vec<u32>,
    /// What each of them consists of; a shader that declares no stream has one for stream 0.
    pub topologies: Vec<(u32, Topology)>,
    /// The number of the primitive that a geometry shader takes, as `dcl_inputprimitive` has it.
    pub input_primitive: u32,
    /// The most vertices that an invocation of a geometry shader emits.
    pub most_vertices: u32,
    /// Invocations of a geometry shader for each primitive.
    pub instances: u32,
    /// Declarations of tessellation, as decoded.
    pub stage_specific: Vec<DeclarationKind>,
}

impl Declarations {
    /// The array x#.
    pub fn indexable_temp(&self, register: u32) -> Option<&IndexableTemp> {
        self.indexable_temps.iter().find(|declared| declared.register == register)
    }

    /// The constant buffer that operands name by `id`.
    pub fn constant_buffer(&self, id: u32) -> Option<&ConstantBuffer> {
        self.constant_buffers.iter().find(|declared| declared.range.id == id)
    }

    /// The resource that operands name by `id`.
    pub fn resource(&self, id: u32) -> Option<&Resource> {
        self.resources.iter().find(|declared| declared.range.id == id)
    }

    /// The UAV that operands name by `id`.
    pub fn uav(&self, id: u32) -> Option<&Uav> {
        self.uavs.iter().find(|declared| declared.range.id == id)
    }

    /// The sampler that operands name by `id`.
    pub fn sampler(&self, id: u32) -> Option<&Sampler> {
        self.samplers.iter().find(|declared| declared.range.id == id)
    }

    /// The shared memory g#.
    pub fn shared_memory(&self, register: u32) -> Option<&SharedMemory> {
        self.shared_memory.iter().find(|declared| declared.register == register)
    }

    /// The interface that holds the slot fp#.
    pub fn interface(&self, slot: u32) -> Option<&DeclaredInterface> {
        let holds = |declared: &&DeclaredInterface| {
            slot.checked_sub(declared.interface).is_some_and(|n| n < declared.array_length)
        };
        self.interfaces.iter().find(holds)
    }

    /// Bytes of shared memory, all g# together.
    pub fn shared_memory_bytes(&self) -> u32 {
        self.shared_memory.iter().map(|declared| declared.bytes()).sum()
    }

    /// Threads in a group.
    pub fn group_threads(&self) -> u32 {
        self.group_size.iter().product()
    }
}

/// An array of temporary registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexableTemp {
    /// The number of x#.
    pub register: u32,
    /// Number of registers.
    pub count: u32,
    /// Components of each, 1 to 4.
    pub components: u32,
}

impl IndexableTemp {
    /// The components, bit 0 is x.
    pub const fn mask(&self) -> u8 {
        if self.components < 4 { (1 << self.components) - 1 } else { 0xf }
    }
}

/// A constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantBuffer {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// The registers.
    pub range: RegisterRange,
    /// Size in vectors of 16 bytes, 4,096 at most; 0 if not known.
    pub vectors: u32,
    /// `true` if it is read with computed indices.
    pub dynamic: bool,
}

/// A resource that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// The registers.
    pub range: RegisterRange,
    /// Kind of resource.
    pub kind: ResourceKind,
}

/// A resource that is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uav {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// The registers.
    pub range: RegisterRange,
    /// Kind of resource.
    pub kind: ResourceKind,
    /// Properties.
    pub flags: UavFlags,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// The registers.
    pub range: RegisterRange,
    /// Sampler mode.
    pub mode: SamplerMode,
}

/// A piece of thread-group shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// The number of g#.
    pub register: u32,
    /// Addressing.
    pub kind: SharedMemoryKind,
}

/// Addressing of a piece of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMemoryKind {
    /// By bytes.
    Raw {
        /// Its size.
        bytes: u32,
    },
    /// By structures.
    Structured {
        /// Bytes of a structure, a multiple of 4.
        stride_bytes: u32,
        /// Number of structures.
        count: u32,
    },
}

impl SharedMemory {
    /// Its size in bytes; validation bounds the sum by Direct3D's 32 KiB.
    pub fn bytes(&self) -> u32 {
        match self.kind {
            SharedMemoryKind::Raw { bytes } => bytes,
            SharedMemoryKind::Structured { stride_bytes, count } => stride_bytes * count,
        }
    }
}

/// An input register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// `Input` for v#, or a special register.
    pub file: RegisterFile,
    /// The number; 0 for special registers.
    pub register: u32,
    /// Vertices or control points, if the register has an index for them.
    pub vertices: Option<u32>,
    /// The components, bit 0 is x.
    pub mask: u8,
    /// System value.
    pub system_value: Option<SystemValue>,
    /// Interpolation of a pixel shader's input.
    pub interpolation: Option<Interpolation>,
    /// The phase of a hull shader, counted as in [`Flow::phases`]; 0 in other stages.
    pub phase: u32,
}

/// An output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The byte in the file where it is declared.
    pub at: u32,
    /// `Output` for o#, or a special register.
    pub file: RegisterFile,
    /// The number; 0 for special registers.
    pub register: u32,
    /// The components, bit 0 is x.
    pub mask: u8,
    /// System value.
    pub system_value: Option<SystemValue>,
    /// The stream of a geometry shader that it belongs to.
    pub stream: u32,
    /// The phase of a hull shader, counted as in [`Flow::phases`]; 0 in other stages.
    pub phase: u32,
}

/// A range of registers that is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    /// The register file.
    pub file: RegisterFile,
    /// The first register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// The components, bit 0 is x.
    pub mask: u8,
    /// The phase of a hull shader, counted as in [`Flow::phases`]; 0 in other stages.
    pub phase: u32,
}

/// A table of function bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionTable {
    /// The number of ft#.
    pub table: u32,
    /// The bodies, one for each call site.
    pub bodies: Vec<u32>,
}

/// An interface slot or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredInterface {
    /// The number of fp#.
    pub interface: u32,
    /// `true` if it is called with a computed array index.
    pub dynamic: bool,
    /// Number of call sites.
    pub call_sites: u32,
    /// Number of slots, from this one on.
    pub array_length: u32,
    /// The tables that may be bound.
    pub tables: Vec<u32>,
}

/// The structure of the flow instructions. Positions count the program's items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Items of the main program: from the first to the `ret` that ends it, which programs of graphics stages may lack.
    /// In a hull shader the items before the phases: only data.
    pub main: Range<usize>,
    /// Subroutines and interface bodies, in the order of the stream.
    pub functions: Vec<Function>,
    /// The phases of a hull shader.
    pub phases: Vec<Phase>,
    /// The construct of each item that opens or continues one; sorted by position.
    pub(super) constructs: Vec<(usize, Construct)>,
}

impl Flow {
    /// The construct that the `if`, `loop` or `switch` at this position opens.
    pub fn construct(&self, position: usize) -> Option<&Construct> {
        let found = self.constructs.binary_search_by_key(&position, |(opens, _)| *opens).ok()?;
        self.constructs.get(found).map(|(_, construct)| construct)
    }

    /// The subroutine with this label.
    pub fn label(&self, number: u32) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == FunctionName::Label(number))
    }

    /// The function body with this number.
    pub fn body(&self, number: u32) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == FunctionName::Body(number))
    }
}

/// Parts of a flow construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `if`
    If {
        /// Position of the `else`.
        otherwise: Option<usize>,
        /// Position of the `endif`.
        end: usize,
    },
    /// `loop`
    Loop {
        /// Position of the `endloop`.
        end: usize,
    },
    /// `switch`
    Switch {
        /// The `case` and `default` labels in the order of the stream.
        cases: Vec<Case>,
        /// Position of the `endswitch`.
        end: usize,
    },
}

/// A label of a `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Position of the `case` or `default`.
    pub position: usize,
    /// The value; `None` for `default`.
    pub value: Option<u32>,
}

/// Name by which a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FunctionName {
    /// l#, called by `call` and `callc`.
    Label(u32),
    /// fb#, called by `fcall` through a table.
    Body(u32),
}

/// A subroutine or interface body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: FunctionName,
    /// Position of the `label`.
    pub label: usize,
    /// Its items: from after the `label` to the `ret` that ends it.
    pub items: Range<usize>,
}

/// Kind of a hull shader's phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhaseKind {
    /// Declarations.
    Declarations,
    /// Runs for each output control point.
    ControlPoint,
    /// Runs for each instance, writes patch constants.
    Fork,
    /// Runs after all forks.
    Join,
}

/// A phase of a hull shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The kind.
    pub kind: PhaseKind,
    /// Its items, without the marker.
    pub items: Range<usize>,
    /// Number of r# in it.
    pub temps: u32,
    /// Instances of a fork or join phase.
    pub instances: u32,
}
