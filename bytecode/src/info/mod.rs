//! What there is to know of a shader without reading its instructions: what it binds, takes and gives, how large it is.
//!
//! | file | what |
//! |---|---|
//! | `program5.rs` | read off a program of models 4.0 to 5.1 and the chunks about it |
//! | `stages.rs` | what only some of them say: tessellator, geometry, interfaces |
//! | `program9.rs` | read off a program of Direct3D 9 and its table of constants |
//! | `text.rs` | the text for people |
//!
//! The program is decoded but not validated, so that there is something to say about broken shaders too. Names are as
//! the file has them: a caller that prints them must remove what would steer a terminal.

mod program5;
mod program9;
mod stages;
mod text;

pub use text::letters;

use crate::container::Container;
use crate::container::classes::{ClassInstance, ClassType};
use crate::limits::Limits;
use crate::shader::Error;
use crate::sm3;
use crate::sm5::Stage;
use crate::sm5::valid::FunctionTable;
use std::collections::BTreeMap;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Its size.
    pub size_bytes: usize,
    /// Whether the checksum is that of the content; `None` where the file has none.
    pub checksum_matches: Option<bool>,
    /// The chunks of a container in the order of its table.
    pub chunks: Vec<Chunk>,
    /// The program.
    pub program: Program,
    /// The second program, for feature levels 9.x.
    pub level9: Option<Program>,
}

/// A chunk of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its four letters.
    pub name: String,
    /// The byte in the file where its data begin.
    pub at: u32,
    /// How many bytes of data.
    pub size_bytes: u32,
}

/// What is known of a program.
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
    /// What a hull or domain shader says of the tessellator.
    pub tessellation: Option<Tessellation>,
    /// What a geometry shader takes and makes.
    pub geometry: Option<Geometry>,
    /// The global flags, as a listing names them.
    pub flags: Vec<&'static str>,
    /// What it needs beyond its model.
    pub features: Vec<&'static str>,
    /// What is bound to registers.
    pub bindings: Vec<Binding>,
    /// Inputs, outputs and patch constants, those that the file has.
    pub signatures: Vec<Signature>,
    /// Constant buffers, the elements of structured buffers, and the table of constants of Direct3D 9.
    pub constants: Vec<Constants>,
    /// The interface variables that it calls.
    pub interfaces: Vec<Interface>,
    /// The classes that may implement them. Others name them by their position here.
    pub classes: Vec<ClassType>,
    /// The instances of them that the source declares.
    pub class_instances: Vec<ClassInstance>,
    /// What a class calls for an interface: the function bodies, one for each call site.
    pub function_tables: Vec<FunctionTable>,
    /// Where a second program's registers get their values from.
    pub mappings: Vec<Mapping>,
    /// How much of everything.
    pub counts: Counts,
}

/// What a hull or domain shader says of the tessellator; `None` where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tessellation {
    /// `isoline`, `tri` or `quad`.
    pub domain: Option<&'static str>,
    /// `integer`, `pow2`, `fractional_odd` or `fractional_even`.
    pub partitioning: Option<&'static str>,
    /// `point`, `line`, `triangle_cw` or `triangle_ccw`.
    pub output: Option<&'static str>,
    /// Control points of the patch that comes in.
    pub control_points_in: Option<u32>,
    /// Control points that a hull shader writes.
    pub control_points_out: Option<u32>,
    /// The bits of the float that bounds factors.
    pub max_factor_bits: Option<u32>,
}

/// What a geometry shader takes and makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    /// The primitive that comes in: `triangle`, `patch3`.
    pub input: Option<String>,
    /// The streams that it writes. One that names none writes stream 0.
    pub streams: Vec<Stream>,
    /// Vertices that one instance writes at most.
    pub max_vertices: Option<u32>,
    /// How often it runs for each primitive.
    pub instances: u32,
}

/// A stream of a geometry shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The number of m#.
    pub number: u32,
    /// What it is made of: `trianglestrip`.
    pub topology: &'static str,
}

/// An interface variable, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name in the source; `None` if the file has none.
    pub name: Option<String>,
    /// The interface; `None` if the file does not say.
    pub type_name: Option<String>,
    /// The first slot: the number of fp#.
    pub first: u32,
    /// How many slots.
    pub count: u32,
    /// Whether it is called with a computed index.
    pub dynamic: bool,
    /// How many call sites.
    pub call_sites: u32,
    /// What may implement it.
    pub choices: Vec<InterfaceChoice>,
}

/// A class that may implement an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceChoice {
    /// Its position in [`Program::classes`]; `None` if the file does not say.
    pub class: Option<u16>,
    /// The number of ft#.
    pub table: u32,
}

/// Something that is bound to registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The name in the source; `None` if the file has none.
    pub name: Option<String>,
    /// The first register: `b0`, `t0`.
    pub register: String,
    /// The register space.
    pub space: u32,
    /// How many registers; `None` for an array without end.
    pub count: Option<u32>,
    /// What is bound there, as a job names it: `constant`, `raw`, `structured`, `typed`, `texture2d`, `sampler`.
    pub kind: &'static str,
    /// The type of its elements: `float4`, `unorm`; of a sampler of Direct3D 9 the kind of its texture. Empty if it has
    /// none.
    pub format: String,
    /// Bytes of a structure.
    pub stride_bytes: Option<u32>,
    /// Samples of a multisampled texture, where the file says it.
    pub samples: Option<u32>,
    /// What its hidden counter is used for.
    pub counter: Option<CounterUse>,
    /// Whether it is a sampler that compares.
    pub is_comparison: bool,
}

/// What a shader does with a hidden counter, as far as the file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterUse {
    /// It appends elements.
    Append,
    /// It takes the last elements away.
    Consume,
    /// It counts, in whatever way.
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
    /// Which of them.
    pub kind: SignatureKind,
    /// The elements in the order of the file.
    pub elements: Vec<Element>,
}

/// What a signature is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureKind {
    /// What the program reads.
    Inputs,
    /// What it writes.
    Outputs,
    /// What a hull shader says once for a patch.
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
    /// Those that the program reads or writes; `None` where the file does not say.
    pub used_mask: Option<u8>,
    /// What it means to the pipeline, as a listing names it.
    pub system_value: Option<&'static str>,
    /// The type of the components; `None` where the file does not say.
    pub format: Option<&'static str>,
}

/// Variables that lie together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// What they are: `cbuffer`, `tbuffer`, `interfaces`, `elements` of a structured buffer, `constants` of Direct3D 9.
    pub kind: &'static str,
    /// The name in the source; empty for the table of Direct3D 9.
    pub name: String,
    /// Their size, where they have one.
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
    /// Elements of an array; `None` if it is none.
    pub elements: Option<u32>,
    /// Where it lies; `None` for members in a table of Direct3D 9.
    pub location: Option<Location>,
    /// Whether the program reads it.
    pub is_used: bool,
    /// The words of its default value.
    pub default: Option<Vec<u32>>,
    /// Members of a structure.
    pub members: Vec<Variable>,
}

/// Where a variable lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a buffer.
    Bytes {
        /// The first byte, counted from the beginning of the buffer.
        offset: u32,
        /// How many; `None` for members.
        size: Option<u32>,
    },
    /// In registers.
    Registers {
        /// The first: `c4`.
        first: String,
        /// How many.
        count: u32,
    },
}

/// A register of a second program and where its value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The first register: `c0`.
    pub register: String,
    /// How many registers.
    pub count: u32,
    /// Where the value comes from: `cb0[2]`, `t0 with s1`.
    pub source: String,
}

/// How much of everything a program has.
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
    /// How often each instruction occurs in the program, the most frequent first.
    pub by_name: Vec<(&'static str, u32)>,
}

impl Counts {
    /// Takes note of the names of all instructions.
    fn name_instructions(&mut self, names: impl Iterator<Item = &'static str>) {
        let mut by_name: BTreeMap<&'static str, u32> = BTreeMap::new();
        for name in names {
            *by_name.entry(name).or_default() += 1;
        }
        self.instructions = by_name.values().sum();
        self.by_name = by_name.into_iter().collect();
        // Equal counts stay in the order of the names.
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
            return Ok(Self { size_bytes: bytes.len(), checksum_matches, chunks, program, level9 });
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
        })
    }
}
