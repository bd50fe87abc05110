//! Bounds the records of a chunk that refer to others by offsets.
//!
//! Records may share their targets, so that a small file can state many. All records of a chunk are counted against one
//! limit, and the bytes of all their names against another.

use super::{ContainerError, limit};
use crate::limits::Limits;
use crate::reader::Reader;

/// Bytes of all names of a chunk together.
const NAME_BYTES: u32 = 1 << 22;

/// Budget of records and names that a chunk may still hold.
pub(super) struct Records<'a, 'l> {
    /// The chunk's first byte, which offsets are relative to.
    pub start: Reader<'a>,
    /// Limits of a file.
    pub limits: &'l Limits,
    /// Name of the records in errors.
    what: &'static str,
    records_left: u32,
    names_left: u32,
}

impl<'a, 'l> Records<'a, 'l> {
    /// The budget for the chunk that begins there.
    pub fn new(start: Reader<'a>, limits: &'l Limits, what: &'static str) -> Self {
        Self { start, limits, what, records_left: limits.resource_records, names_left: NAME_BYTES }
    }

    /// Takes `count` records from the chunk's budget.
    pub fn count(&mut self, at: u32, count: u32) -> Result<(), ContainerError> {
        let left = self.records_left.checked_sub(count);
        self.records_left = left.ok_or_else(|| limit(at, self.what, count, self.limits.resource_records))?;
        Ok(())
    }

    /// The name at the offset in the reader's next word.
    pub fn name(&mut self, reader: &mut Reader<'a>) -> Result<String, ContainerError> {
        let at = reader.at();
        let offset = reader.u32()?;
        let text = self.start.seek(offset).ok().and_then(|text| text.text(self.limits.name_bytes));
        let text = text.ok_or(ContainerError::Name { at, offset })?;
        let size = text.len() as u32;
        let left = self.names_left.checked_sub(size);
        self.names_left = left.ok_or_else(|| limit(at, "bytes of names", size, NAME_BYTES))?;
        Ok(text)
    }
}
