//! The DXBC container: a header with a checksum, and chunks.
//!
//! | file | what |
//! |---|---|
//! | `checksum.rs` | the hash in the header |
//! | `signature.rs` | inputs and outputs: ISGN, OSGN, OSG5, PCSG, ISG1, OSG1, PSG1 |
//! | `resources.rs` | names and layouts of bound resources: RDEF |
//! | `classes.rs` | classes, their instances and interface slots: IFCE |
//! | `records.rs` | bounds on the records of those two |
//! | `write.rs` | writes chunks into a container |
//! | `aon9.rs` | the second program of feature levels 9.x: Aon9 |
//! | `statistics.rs` | counts (STAT) and feature flags (SFI0) |
//!
//! Parsing copies only names: chunks are slices of the file.

pub mod aon9;
mod checksum;
pub mod classes;
mod records;
pub mod resources;
pub mod signature;
pub mod statistics;
mod write;

pub use aon9::Level9;
pub use checksum::checksum;
pub use classes::ClassLinkage;
pub use resources::ResourceDefinitions;
pub use signature::{Signature, SignatureElement};
pub use statistics::{FeatureFlags, Statistics};
pub use write::write_container;

use crate::faults::errors;
use crate::limits::Limits;
use crate::reader::Reader;

errors! {
    /// Error in a container.
    ContainerError:

    /// The file is empty.
    #[error("the file is empty: a shader would begin at byte {at}")]
    Empty,
    /// Fewer bytes than a field needs.
    #[error("container is truncated at byte {at}: {need} bytes are needed, {have} are left")]
    Truncated { need: u32, have: u32 },
    /// The file does not begin with `DXBC`.
    #[error("no shader container at byte {at}: it begins with {}, not with DXBC", FirstBytes(*found))]
    Magic { found: u32 },
    /// The file is a Direct3D 9 token stream.
    #[error("a Direct3D 9 shader, not supported yet, at byte {at}: version token {version:#010x}")]
    Direct3D9 { version: u32 },
    /// The version of the container is not 1.
    #[error("container version {version} at byte {at}: only version 1 is known")]
    Version { version: u32 },
    /// The stated size does not fit the file.
    #[error("container size {size} at byte {at}: it must be {least} to {most}")]
    Size { size: u32, least: u32, most: u32 },
    /// A chunk does not lie within the container, after the table of chunks.
    #[error("chunk {chunk} at byte {at}: it must lie within bytes {first} to {end}")]
    ChunkRange { chunk: u32, first: u32, end: u32 },
    /// A chunk's size does not match its content.
    #[error("chunk {name} at byte {at}: a size of {size} bytes is not a multiple of 4")]
    ChunkSize { name: FourCc, size: u32 },
    /// There is no program.
    #[error("no program among the {chunks} chunks counted at byte {at}")]
    NoProgram { chunks: u32 },
    /// The checksum is wrong, and the caller requires it to be right.
    #[error("checksum at byte {at} is {}, the content gives {}", Hex(stored), Hex(computed))]
    Checksum { stored: [u8; 16], computed: [u8; 16] },
    /// A name is missing or unterminated.
    #[error("name at byte {at}: offset {offset} does not point to text within the chunk")]
    Name { offset: u32 },
    /// A register number that no stage has.
    #[error("signature register {register} at byte {at}: the largest is 31")]
    SignatureRegister { register: u32 },
    /// A count is over its limit.
    #[error("{what} at byte {at}: {count} are over the limit of {limit}")]
    Limit { what: &'static str, count: u32, limit: u32 },
}

struct Hex<'a>(&'a [u8; 16]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The first word of a file as its bytes, and as letters if all of them are letters.
struct FirstBytes(u32);

impl std::fmt::Display for FirstBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes @ [a, b, c, d] = self.0.to_le_bytes();
        write!(f, "{a:02x} {b:02x} {c:02x} {d:02x}")?;
        match bytes.iter().all(u8::is_ascii_graphic) {
            true => write!(f, " (`{}`)", bytes.map(char::from).iter().collect::<String>()),
            false => Ok(()),
        }
    }
}

/// The name of a chunk: four characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FourCc(pub [u8; 4]);

impl std::fmt::Display for FourCc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl std::fmt::Debug for FourCc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A chunk of a container.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Its name.
    pub name: FourCc,
    /// The byte in the file where its data begin.
    pub at: u32,
    /// Its data.
    pub data: &'a [u8],
}

impl<'a> Chunk<'a> {
    pub(crate) fn reader(&self) -> Reader<'a> {
        Reader::new(self.data, self.at)
    }
}

/// A parsed container.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    chunks: Vec<Chunk<'a>>,
    stored: [u8; 16],
    computed: [u8; 16],
}

const MAGIC: u32 = u32::from_le_bytes(*b"DXBC");
const CHECKSUM_AT: u32 = 4;
const VERSION_AT: u32 = 20;
const SIZE_AT: u32 = 24;
const COUNT_AT: u32 = 28;
const TABLE_AT: u32 = 32;

impl<'a> Container<'a> {
    /// Finds the chunks of a container. Bytes after its stated size are ignored.
    pub fn parse(bytes: &'a [u8], limits: &Limits) -> Result<Self, ContainerError> {
        let file_size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        if file_size > limits.blob_bytes {
            return Err(limit(0, "bytes", file_size, limits.blob_bytes));
        }
        if bytes.is_empty() {
            return Err(ContainerError::Empty { at: 0 });
        }
        let mut reader = Reader::new(bytes, 0);
        match reader.u32()? {
            MAGIC => {}
            version if is_direct3d9(version) => return Err(ContainerError::Direct3D9 { at: 0, version }),
            found => return Err(ContainerError::Magic { at: 0, found }),
        }
        let stored: [u8; 16] = reader.take(16)?.try_into().expect("take gives the length it was asked for");
        let version = reader.u32()?;
        if version != 1 {
            return Err(ContainerError::Version { at: VERSION_AT, version });
        }
        let size = reader.u32()?;
        let count = reader.u32()?;
        if count > limits.chunks {
            return Err(limit(COUNT_AT, "chunks", count, limits.chunks));
        }
        let first = TABLE_AT + 4 * count;
        if size < first || size > file_size {
            return Err(ContainerError::Size { at: SIZE_AT, size, least: first, most: file_size });
        }
        let whole = bytes.get(..size as usize).unwrap_or_default();

        let mut chunks = Vec::with_capacity(count as usize);
        for chunk in 0..count {
            let at = reader.u32()?;
            let outside = ContainerError::ChunkRange { chunk, at, first, end: size };
            if at < first {
                return Err(outside);
            }
            let mut reader = Reader::new(whole, 0).seek(at).map_err(|_| outside.clone())?;
            let name = FourCc(reader.take(4)?.try_into().expect("take gives the length it was asked for"));
            let data_size = reader.u32()?;
            let data_at = reader.at();
            let data = reader.take(data_size as usize).map_err(|_| outside)?;
            chunks.push(Chunk { name, at: data_at, data });
        }
        let computed = checksum(whole.get(VERSION_AT as usize..).unwrap_or_default());
        Ok(Self { chunks, stored, computed })
    }

    /// The chunks in the order of the table.
    pub fn chunks(&self) -> &[Chunk<'a>] {
        &self.chunks
    }

    /// The first chunk with this name.
    pub fn chunk(&self, name: &[u8; 4]) -> Option<&Chunk<'a>> {
        self.chunks.iter().find(|chunk| chunk.name.0 == *name)
    }

    /// The checksum in the header.
    pub fn stored_checksum(&self) -> [u8; 16] {
        self.stored
    }

    /// `true` if the checksum in the header is that of the content.
    pub fn checksum_matches(&self) -> bool {
        self.stored == self.computed
    }

    /// Fails if the checksum in the header is not that of the content.
    pub fn require_checksum(&self) -> Result<(), ContainerError> {
        if self.checksum_matches() {
            return Ok(());
        }
        Err(ContainerError::Checksum { at: CHECKSUM_AT, stored: self.stored, computed: self.computed })
    }

    /// The chunk with the program: the first SHEX, or else the first SHDR.
    pub fn program(&self) -> Result<&Chunk<'a>, ContainerError> {
        let chunk = self
            .chunk(b"SHEX")
            .or_else(|| self.chunk(b"SHDR"))
            .ok_or(ContainerError::NoProgram { at: COUNT_AT, chunks: self.chunks.len() as u32 })?;
        if !chunk.data.len().is_multiple_of(4) {
            let size = chunk.data.len() as u32;
            return Err(ContainerError::ChunkSize { at: chunk.at, name: chunk.name, size });
        }
        Ok(chunk)
    }

    /// The signature of the inputs.
    pub fn inputs(&self, limits: &Limits) -> Result<Option<Signature>, ContainerError> {
        self.signature(&[b"ISG1", b"ISGN"], limits)
    }

    /// The signature of the outputs.
    pub fn outputs(&self, limits: &Limits) -> Result<Option<Signature>, ContainerError> {
        self.signature(&[b"OSG1", b"OSG5", b"OSGN"], limits)
    }

    /// The signature of the patch constants.
    pub fn patch_constants(&self, limits: &Limits) -> Result<Option<Signature>, ContainerError> {
        self.signature(&[b"PSG1", b"PCSG"], limits)
    }

    /// The resource definitions.
    pub fn resources(&self, limits: &Limits) -> Result<Option<ResourceDefinitions>, ContainerError> {
        self.chunk(b"RDEF").map(|chunk| ResourceDefinitions::parse(chunk, limits)).transpose()
    }

    /// The class linkage; only shaders with interfaces have one.
    pub fn classes(&self, limits: &Limits) -> Result<Option<ClassLinkage>, ContainerError> {
        self.chunk(b"IFCE").map(|chunk| ClassLinkage::parse(chunk, limits)).transpose()
    }

    /// The second program, for feature levels 9.x.
    pub fn level9(&self) -> Result<Option<Level9>, ContainerError> {
        self.chunk(b"Aon9").map(Level9::parse).transpose()
    }

    /// The statistics.
    pub fn statistics(&self) -> Option<Statistics> {
        self.chunk(b"STAT").map(Statistics::parse)
    }

    /// The feature flags; none if there is no such chunk.
    pub fn features(&self) -> Result<FeatureFlags, ContainerError> {
        self.chunk(b"SFI0").map_or(Ok(FeatureFlags::default()), FeatureFlags::parse)
    }

    fn signature(&self, names: &[&[u8; 4]], limits: &Limits) -> Result<Option<Signature>, ContainerError> {
        let found = names.iter().find_map(|name| self.chunk(name));
        found.map(|chunk| Signature::parse(chunk, limits)).transpose()
    }
}

/// `true` if a first word is the version token of a Direct3D 9 vertex or pixel shader.
fn is_direct3d9(word: u32) -> bool {
    matches!(word >> 16, 0xfffe | 0xffff)
}

pub(crate) fn limit(at: u32, what: &'static str, count: u32, limit: u32) -> ContainerError {
    ContainerError::Limit { at, what, count, limit }
}
