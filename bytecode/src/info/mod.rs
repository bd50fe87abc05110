//! Summarises a shader without reading its instructions: its bindings, inputs, outputs and size.
//!
//! | file | what |
//! |---|---|
//! | `program5.rs` | read off a program of models 4.0 to 5.1 and the chunks about it |
//! | `stages.rs` | facts of some stages only: tessellator, geometry, interfaces |
//! | `program9.rs` | read off a program of Direct3D 9 and its table of constants |
//! | `text.rs` | the text for people |
//!
//! The program is decoded but not validated, so that broken shaders are described too. Names are as the file has them:
//! a caller that prints them must remove terminal control sequences.

mod program5;
mod program9;
mod stages;
mod text;

pub use text::letters;

use crate::container::Container;
use crate::container::classes::{ClassInstance, ClassType};
use crate::debug::{DebugError, DebugInfo};
use crate::limits::Limits;
use crate::shader::Error;
use crate::sm3;
use crate::sm5::Stage;
use crate::sm5::valid::FunctionTable;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Summary of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its size.
    pub size_bytes: usize,
    /// `true` if the checksum is that of the content; `None` if the file has none.
    pub checksum_matches: Option<bool>,
    /// The chunks of a container in the order of its table.
    pub chunks: Vec<Chunk>,
    /// The program.
    pub program: Program,
    /// The second program, for feature levels 9.x.
    pub level9: Option<Program>,
    /// Debug information, or why it cannot be read; `None` if the file has none.
    pub debug: Option<Result<DebugSummary, DebugError>>,
}

/// Summary of debug information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugSummary {
    /// The sources, and the names that `#line` directives give: each with the lines of its text, if the file has it.
    pub files: Vec<(Arc<str>, Option<u32>)>,
    /// Variables of functions, and global ones.
    pub variables: u32,
}

/// A chunk of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its four letters.
    pub name: String,
    /// The byte in the file where its data begin.
    pub at: u32,
    /// Bytes of data.
    pub size_bytes: u32,
}

/// Summary of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The stage.
    pub stage: Stage,
    /// Stage and model: `cs_5_0`.
    pub profile: String,
    /// The compiler's name.
    pub creator: Option<String>,
    /// Threads of a group in x, y and z, of a compute shader.
    pub group_size: Option<[u32; 3]>,
    /// Bytes of thread-group shared memory.
    pub shared_memory_bytes: u64,
    /// Tessellator state of a hull or domain shader.
    pub tessellation: Option<Tessellation>,
    /// Input and output of a geometry shader.
    pub geometry: Option<Geometry>,
    /// The global flags, as a listing names them.
    pub flags: Vec<&'static str>,
    /// Required features beyond its model.
    pub features: Vec<&'static str>,
    /// Bindings to registers.
    pub bindings: Vec<Binding>,
    /// Inputs, outputs and patch constants, if the file has them.
    pub signatures: Vec<Signature>,
    /// Constant buffers, the elements of structured buffers, and the constant table of Direct3D 9.
    pub constants: Vec<Constants>,
    /// The interface variables that it calls.
    pub interfaces: Vec<Interface>,
    /// The classes that may implement them. Others name them by their position here.
    pub classes: Vec<ClassType>,
    /// The instances of them that the source declares.
    pub class_instances: Vec<ClassInstance>,
    /// Function tables, by which a class implements an interface: function bodies, one for each call site.
    pub function_tables: Vec<FunctionTable>,
    /// Sources of the values of a second program's registers.
    pub mappings: Vec<Mapping>,
    /// Counts of instructions, declarations and so on.
    pub counts: Counts,
}

/// Tessellator state of a hull or domain shader; `None` for parts that it does not state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tessellation {
    /// `isoline`, `tri` or `quad`.
    pub domain: Option<&'static str>,
    /// `integer`, `pow2`, `fractional_odd` or `fractional_even`.
    pub partitioning: Option<&'static str>,
    /// `point`, `line`, `triangle_cw` or `triangle_ccw`.
    pub output: Option<&'static str>,
    /// Control points of the input patch.
    pub control_points_in: Option<u32>,
    /// Control points that a hull shader writes.
    pub control_points_out: Option<u32>,
    /// The largest tessellation factor, as the bits of a float.
    pub max_factor_bits: Option<u32>,
}

/// Input and output of a geometry shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// The input primitive: `triangle`, `patch3`.
    pub input: Option<String>,
    /// The streams that it writes. One that names none writes stream 0.
    pub streams: Vec<Stream>,
    /// The most vertices that one instance writes.
    pub max_vertices: Option<u32>,
    /// Instances for each primitive.
    pub instances: u32,
}

/// A stream of a geometry shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The number of m#.
    pub number: u32,
    /// The output topology: `trianglestrip`.
    pub topology: &'static str,
}

/// An interface variable, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name in the source; `None` if the file has none.
    pub name: Option<String>,
    /// The interface; `None` if the file does not state it.
    pub type_name: Option<String>,
    /// The first slot: the number of fp#.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
    /// `true` if it is called with a computed index.
    pub dynamic: bool,
    /// Number of call sites.
    pub call_sites: u32,
    /// Classes that may implement it.
    pub choices: Vec<InterfaceChoice>,
}

/// A class that may implement an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceChoice {
    /// Its position in [`Program::classes`]; `None` if the file does not state it.
    pub class: Option<u16>,
    /// The number of ft#.
    pub table: u32,
}

/// A resource bound to registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The name in the source; `None` if the file has none.
    pub name: Option<String>,
    /// The first register: `b0`, `t0`.
    pub register: String,
    /// The register space.
    pub space: u32,
    /// Number of registers; `None` for an unbounded array.
    pub count: Option<u32>,
    /// Kind of resource, as a job names it: `constant`, `raw`, `structured`, `typed`, `texture2d`, `sampler`.
    pub kind: &'static str,
    /// The type of its elements: `float4`, `unorm`; of a sampler of Direct3D 9 the kind of its texture. Empty if it has
    /// none.
    pub format: String,
    /// Bytes of a structure.
    pub stride_bytes: Option<u32>,
    /// Samples of a multisampled texture, where the file says it.
    pub samples: Option<u32>,
    /// Use of its hidden counter.
    pub counter: Option<CounterUse>,
    /// `true` if it is a comparison sampler.
    pub is_comparison: bool,
}

/// Use of a hidden counter, as far as the file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterUse {
    /// It appends elements.
    Append,
    /// It consumes elements.
    Consume,
    /// It counts, in either direction.
    Count,
}

impl CounterUse {
    /// The name.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Append => "append",
            Self::Consume => "consume",
            Self::Count => "count",
        }
    }
}

/// Inputs, outputs or patch constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kind.
    pub kind: SignatureKind,
    /// The elements in the order of the file.
    pub elements: Vec<Element>,
}

/// Kind of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureKind {
    /// Inputs of the program.
    Inputs,
    /// Outputs of the program.
    Outputs,
    /// Values that a hull shader outputs once per patch.
    PatchConstants,
}

impl SignatureKind {
    /// The name.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::PatchConstants => "patch constants",
        }
    }
}

/// An element of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The semantic name.
    pub name: String,
    /// The number after the name.
    pub index: u32,
    /// The stream of a geometry shader.
    pub stream: u32,
    /// The register: `v0`, `oDepth`.
    pub register: String,
    /// Its components, bit 0 is x.
    pub mask: u8,
    /// The components that the program reads or writes; `None` if the file does not state them.
    pub used_mask: Option<u8>,
    /// System value, as a listing names it.
    pub system_value: Option<&'static str>,
    /// The type of the components; `None` if the file does not state them.
    pub format: Option<&'static str>,
}

/// A buffer or table of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// The kind: `cbuffer`, `tbuffer`, `interfaces`, `elements` of a structured buffer, `constants` of Direct3D 9.
    pub kind: &'static str,
    /// The name in the source; empty for the table of Direct3D 9.
    pub name: String,
    /// Their size, if they have one.
    pub size_bytes: Option<u32>,
    /// The variables in the order of the file.
    pub variables: Vec<Variable>,
}

/// A variable or a member of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source.
    pub name: String,
    /// Its type, without the length of an array: `float4x4`, `struct Light`.
    pub type_name: String,
    /// Elements of an array; `None` if it is not one.
    pub elements: Option<u32>,
    /// Location; `None` for members in a table of Direct3D 9.
    pub location: Option<Location>,
    /// `true` if the program reads it.
    pub is_used: bool,
    /// The words of its default value.
    pub default: Option<Vec<u32>>,
    /// Members of a structure.
    pub members: Vec<Variable>,
}

/// Location of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a buffer.
    Bytes {
        /// The first byte, counted from the beginning of the buffer.
        offset: u32,
        /// Size in bytes; `None` for members.
        size: Option<u32>,
    },
    /// In registers.
    Registers {
        /// The first: `c4`.
        first: String,
        /// Number of registers.
        count: u32,
    },
}

/// Registers of a second program and the source of their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The first register: `c0`.
    pub register: String,
    /// Number of registers.
    pub count: u32,
    /// Source of the value: `cb0[2]`, `t0 with s1`.
    pub source: String,
}

/// Counts of a program's parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Words of the program.
    pub words: usize,
    /// Instructions.
    pub instructions: u32,
    /// Declarations and definitions.
    pub declarations: u32,
    /// Temporary registers that are declared.
    pub temps: Option<u32>,
    /// Instruction slots as a listing counts them; `None` where the compiler left no count.
    pub slots: Option<u32>,
    /// Occurrences of each instruction in the program, the most frequent first.
    pub by_name: Vec<(&'static str, u32)>,
}

impl Counts {
    /// Counts all instructions by name.
    fn name_instructions(&mut self, names: impl Iterator<Item = &'static str>) {
        let mut by_name: BTreeMap<&'static str, u32> = BTreeMap::new();
        for name in names {
            *by_name.entry(name).or_default() += 1;
        }
        self.instructions = by_name.values().sum();
        self.by_name = by_name.into_iter().collect();
        // Equal counts stay sorted by name.
        self.by_name.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    }
}

impl Program {
    /// The shader model: `5.0`, `2.x`.
    pub fn model(&self) -> String {
        self.profile.split_once('_').map_or(String::new(), |(_, model)| model.replace('_', "."))
    }

    /// A program of which only stage and profile are known.
    fn new(stage: Stage, profile: String) -> Self {
        Self {
            stage,
            profile,
            creator: None,
            group_size: None,
            shared_memory_bytes: 0,
            tessellation: None,
            geometry: None,
            flags: Vec::new(),
            features: Vec::new(),
            bindings: Vec::new(),
            signatures: Vec::new(),
            constants: Vec::new(),
            interfaces: Vec::new(),
            classes: Vec::new(),
            class_instances: Vec::new(),
            function_tables: Vec::new(),
            mappings: Vec::new(),
            counts: Counts::default(),
        }
    }
}

impl Info {
    /// Reads a container or a program of Direct3D 9.
    ///
    /// ```
    /// use brolga_bytecode::{Limits, assembler, info::Info};
    ///
    /// let text = "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 8, 8, 1\nret\n";
    /// let bytes = assembler::assemble(text, &Limits::default()).unwrap().bytes;
    /// let info = Info::read(&bytes, &Limits::default()).unwrap();
    /// assert_eq!(info.program.group_size, Some([8, 8, 1]));
    /// assert_eq!(info.program.bindings[0].register, "u0");
    /// ```
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        if sm3::is_program(bytes) {
            let program = program9::read(&sm3::decode(bytes, 0, limits)?, limits)?;
            let (checksum_matches, chunks, level9) = (None, Vec::new(), None);
            return Ok(Self { size_bytes: bytes.len(), checksum_matches, chunks, program, level9, debug: None });
        }
        let container = Container::parse(bytes, limits)?;
        let chunk = |chunk: &crate::container::Chunk<'_>| Chunk {
            name: chunk.name.to_string(),
            at: chunk.at,
            size_bytes: chunk.data.len() as u32,
        };
        let level9 = container.level9()?.map(|level9| program9::read_level9(&level9, limits)).transpose()?;
        Ok(Self {
            size_bytes: bytes.len(),
            checksum_matches: Some(container.checksum_matches()),
            chunks: container.chunks().iter().map(chunk).collect(),
            program: program5::read(&container, limits)?,
            level9,
            debug: DebugInfo::read(&container, limits).map(|read| read.map(|debug| DebugSummary::new(&debug))),
        })
    }
}

impl DebugSummary {
    fn new(debug: &DebugInfo) -> Self {
        let lines = |text: &Arc<str>| text.lines().count() as u32;
        let files = debug.sources().iter().map(|file| (Arc::clone(&file.name), file.text.as_ref().map(lines)));
        Self { files: files.collect(), variables: debug.variables().len() as u32 }
    }
}
