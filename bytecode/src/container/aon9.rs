//! Reads the second program of a shader, for feature levels 9.x (Aon9): a Direct3D 9 token stream, and the sources of
//! its registers' values.
//!
//! The layout was inferred from the compiler's output. The chunk begins with its size, the version token of shader
//! model 2.0, the size and the offset of the program, and for each of five tables a count and an offset (16 bits each).

use super::{Chunk, ContainerError};
use crate::reader::{Reader, Short};
use std::fmt::{self, Display, Formatter};

/// The second program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level9 {
    /// A version token, so far always that of shader model 2.0; the program has its own.
    pub version: u32,
    /// Float constants that come from constant buffers.
    pub floats: Vec<FloatMapping>,
    /// Integer constants that come from components of constant buffers.
    pub ints: Vec<ComponentMapping>,
    /// Boolean constants that come from components of constant buffers.
    pub bools: Vec<ComponentMapping>,
    /// Samplers.
    pub samplers: Vec<SamplerMapping>,
    /// Float constants that the runtime computes.
    pub runtime: Vec<RuntimeMapping>,
    /// The byte in the file where the program begins.
    pub program_at: u32,
    /// The program.
    pub program: Vec<u8>,
}

macro_rules! records {
    ($( $(#[$doc:meta])* $record:ident { $( $(#[$field_doc:meta])* $field:ident: $read:ident, )* } )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $record {
                $( $(#[$field_doc])* pub $field: $read, )*
            }

            impl TableRecord for $record {
                fn read(reader: &mut Reader<'_>) -> Result<Self, Short> {
                    Ok(Self { $( $field: reader.$read()?, )* })
                }
            }
        )*
    };
}

/// A record of one of the tables: its fields follow each other without gaps.
trait TableRecord: Sized {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Short>;
}

records! {
    /// Registers of a constant buffer that go to float constants.
    FloatMapping {
        /// The constant buffer.
        buffer: u16,
        /// Its first register.
        first: u16,
        /// Number of registers.
        count: u16,
        /// The first constant: c#.
        target: u16,
        /// Source type of each component, x lowest: 0 float, 1 bool, 2 int, 3 uint.
        conversions: u32,
    }

    /// A component of a constant buffer that goes to an integer or boolean constant.
    ComponentMapping {
        /// The constant buffer.
        buffer: u16,
        /// Its register.
        register: u16,
        /// The register's component.
        component: u16,
        /// The constant: i# or b#.
        target: u16,
    }

    /// A texture and a sampler that form a Direct3D 9 sampler.
    SamplerMapping {
        /// The texture: t#.
        texture: u8,
        /// The sampler: s#.
        sampler: u8,
        /// The sampler of the program.
        target: u8,
        /// A byte whose meaning is not known; the compiler writes 0.
        unknown: u8,
    }

    /// A float constant that the runtime computes.
    RuntimeMapping {
        /// Kind of value: 0 the position offset for Direct3D 9's pixel centres, 1 the number of the instance.
        kind: u16,
        /// The constant: c#.
        target: u16,
    }
}

/// The texts of [`FloatMapping::conversions`], by their numbers.
const CONVERSIONS: [&str; 4] = ["FLT", "BOOL", "INT", "UINT"];
/// The texts of [`RuntimeMapping::kind`], by their numbers.
pub(crate) const RUNTIME_VALUES: [&str; 2] = ["Vertex Shader position offset", "Instance ID"];

impl Level9 {
    /// Reads the chunk.
    pub fn parse(chunk: &Chunk<'_>) -> Result<Self, ContainerError> {
        let whole = chunk.reader();
        let mut head = whole;
        // The chunk's size once more, which nothing reads.
        head.u32()?;
        let version = head.u32()?;
        let program_bytes = head.u32()?;
        let mut program = whole.seek(head.u32()?)?;
        Ok(Self {
            version,
            floats: read_table(&mut head, whole)?,
            ints: read_table(&mut head, whole)?,
            bools: read_table(&mut head, whole)?,
            samplers: read_table(&mut head, whole)?,
            runtime: read_table(&mut head, whole)?,
            program_at: program.at(),
            program: program.take(program_bytes as usize)?.to_vec(),
        })
    }
}

/// Reads the table whose count and offset come next in `head`.
fn read_table<T: TableRecord>(head: &mut Reader<'_>, whole: Reader<'_>) -> Result<Vec<T>, Short> {
    let count = head.u16()?;
    let mut records = whole.seek(head.u16()?.into())?;
    (0..count).map(|_| T::read(&mut records)).collect()
}

/// Formats the part of fxc's header with the sources of registers' values.
impl Display for Level9 {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !(self.floats.is_empty() && self.ints.is_empty() && self.bools.is_empty()) {
            writeln!(f, "//\n// Constant buffer to DX9 shader constant mappings:\n//")?;
            components(f, 'b', &self.bools)?;
            components(f, 'i', &self.ints)?;
            if !self.floats.is_empty() {
                writeln!(f, "// Target Reg Buffer  Start Reg # of Regs        Data Conversion")?;
                writeln!(f, "// ---------- ------- --------- --------- ----------------------")?;
                for float in &self.floats {
                    let [x, y, z, w] = float.conversions.to_le_bytes().map(conversion_text);
                    let (target, buffer) = (format!("c{}", float.target), format!("cb{}", float.buffer));
                    let FloatMapping { first, count, .. } = float;
                    writeln!(f, "// {target:10} {buffer:7} {first:9} {count:9}  ({x:>4},{y:>4},{z:>4},{w:>4})")?;
                }
                writeln!(f, "//")?;
            }
        }
        if !self.samplers.is_empty() {
            writeln!(f, "//\n// Sampler/Resource to DX9 shader sampler mappings:\n//")?;
            writeln!(f, "// Target Sampler Source Sampler  Source Resource")?;
            writeln!(f, "// -------------- --------------- ----------------")?;
            for sampler in &self.samplers {
                let [target, source] = [sampler.target, sampler.sampler].map(|number| format!("s{number}"));
                writeln!(f, "// {target:14} {source:15} {:17}", format!("t{}", sampler.texture))?;
            }
            writeln!(f, "//")?;
        }
        if !self.runtime.is_empty() {
            writeln!(f, "//\n// Runtime generated constant mappings:\n//")?;
            writeln!(f, "// Target Reg                               Constant Description")?;
            writeln!(f, "// ---------- --------------------------------------------------")?;
            for constant in &self.runtime {
                let description = RUNTIME_VALUES.get(usize::from(constant.kind)).unwrap_or(&"Unknown Value");
                writeln!(f, "// {:10} {description:>50}", format!("c{}", constant.target))?;
            }
            writeln!(f, "//")?;
        }
        Ok(())
    }
}

fn components(f: &mut Formatter<'_>, file: char, mappings: &[ComponentMapping]) -> fmt::Result {
    if mappings.is_empty() {
        return Ok(());
    }
    writeln!(f, "// Target Reg Buffer  Source Reg Component")?;
    writeln!(f, "// ---------- ------- ---------- ---------")?;
    for mapping in mappings {
        let (target, buffer) = (format!("{file}{}", mapping.target), format!("cb{}", mapping.buffer));
        writeln!(f, "// {target:10} {buffer:7} {:10} {:9}", mapping.register, mapping.component)?;
    }
    writeln!(f, "//")
}

fn conversion_text(code: u8) -> &'static str {
    CONVERSIONS.get(usize::from(code)).unwrap_or(&"UNKN")
}
