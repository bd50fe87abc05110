//! Errors of debug information, and what bounds it.

use crate::limits::Limits;
use crate::reader::{Reader, Short};

/// Debug information breaks its format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("debug information at byte {at}: {fault}")]
pub struct DebugError {
    /// The byte in the file that the error is about.
    pub at: u32,
    /// The fault.
    pub fault: DebugFault,
}

/// A fault of debug information.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DebugFault {
    /// Fewer bytes than a field needs.
    #[error("{need} bytes are needed, {have} are left")]
    Truncated {
        /// Bytes that are needed.
        need: u32,
        /// Bytes that are left.
        have: u32,
    },
    /// The chunk does not begin as a program database.
    #[error("no program database (MSF 7.00)")]
    Magic,
    /// A size that blocks do not have.
    #[error("blocks of {bytes} bytes: it must be a power of two from 512 to 32768")]
    BlockSize {
        /// The stated size.
        bytes: u32,
    },
    /// A block that the chunk does not have.
    #[error("block {block} does not exist: there are {blocks}")]
    Block {
        /// Its number.
        block: u32,
        /// Blocks in the chunk.
        blocks: u32,
    },
    /// The streams have more blocks than there are, or are read more than once.
    #[error("{bytes} bytes are taken from {most}: each block belongs to one stream")]
    Shared {
        /// Bytes that are needed.
        bytes: u64,
        /// Bytes that are left.
        most: u32,
    },
    /// A stream that does not exist.
    #[error("stream {stream} does not exist: there are {streams}")]
    Stream {
        /// Its number.
        stream: u32,
        /// Streams in the directory.
        streams: u32,
    },
    /// A version that is not known.
    #[error("{what} of version {version}: {known} is known")]
    Version {
        /// The part that has the version.
        what: &'static str,
        /// The stated version.
        version: u32,
        /// The known version.
        known: u32,
    },
    /// A record is too small to hold its own header.
    #[error("a record of {bytes} bytes")]
    Record {
        /// The stated size.
        bytes: u32,
    },
    /// A name is missing or not terminated.
    #[error("offset {offset} does not point to a name")]
    Name {
        /// The offset.
        offset: u32,
    },
    /// A line names a file that the table of files does not have.
    #[error("no file is described at byte {file} of their table")]
    File {
        /// The offset in the table of files.
        file: u32,
    },
    /// The lines of an inlined function have an unknown code.
    #[error("annotation {code} of an inlined function is not known")]
    Annotation {
        /// The code.
        code: u32,
    },
    /// A count is over its limit.
    #[error("{what} are over the limit of {limit}")]
    Limit {
        /// The things that are counted.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
}

impl DebugError {
    /// The byte in the file that the error is about.
    pub fn at(&self) -> u32 {
        self.at
    }
}

impl DebugFault {
    /// The error that says where it is.
    pub(super) fn at(self, at: u32) -> DebugError {
        DebugError { at, fault: self }
    }
}

impl From<Short> for DebugError {
    fn from(Short { at, need, have }: Short) -> Self {
        DebugFault::Truncated { need, have }.at(at)
    }
}

/// Bytes of all names together. Records may share a name, so that a small file can state many.
const NAME_BYTES: u32 = 1 << 22;

/// The records and names that may still be read.
pub(super) struct Budget<'l> {
    limits: &'l Limits,
    records: u32,
    name_bytes: u32,
}

impl<'l> Budget<'l> {
    pub fn new(limits: &'l Limits) -> Self {
        Self { limits, records: limits.debug_records, name_bytes: NAME_BYTES }
    }

    /// Takes a record.
    pub fn record(&mut self, at: u32) -> Result<(), DebugError> {
        self.records(at, 1)
    }

    /// Takes some records.
    pub fn records(&mut self, at: u32, count: u32) -> Result<(), DebugError> {
        let limit = self.limits.debug_records;
        let left = self.records.checked_sub(count);
        self.records = left.ok_or_else(|| DebugFault::Limit { what: "records", limit }.at(at))?;
        Ok(())
    }

    /// Checks a depth of nesting.
    pub fn depth(&self, at: u32, depth: usize) -> Result<(), DebugError> {
        let limit = self.limits.flow_depth;
        if depth as u64 > u64::from(limit) {
            return Err(DebugFault::Limit { what: "levels of inlined functions", limit }.at(at));
        }
        Ok(())
    }

    /// The name that begins at the reader, which is moved behind it.
    pub fn name(&mut self, reader: &mut Reader<'_>) -> Result<String, DebugError> {
        let at = reader.at();
        let bytes = reader.until_zero(self.limits.name_bytes).ok_or_else(|| DebugFault::Name { offset: at }.at(at))?;
        let limit = DebugFault::Limit { what: "bytes of names", limit: NAME_BYTES };
        let left = self.name_bytes.checked_sub(bytes.len() as u32 + 1);
        self.name_bytes = left.ok_or_else(|| limit.at(at))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}
