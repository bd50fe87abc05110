//! The container of a program database, MSF 7.00: numbered streams that are cut into blocks.
//!
//! The super block, at the beginning, has the size and number of the blocks and says where the directory is. The
//! directory has the size of each stream and, one after another, the numbers of its blocks. It is cut into blocks
//! itself, whose numbers are in one more block. LLVM describes all of it (`docs/PDB/MsfFile.rst`).
//!
//! A block belongs to one stream. Files that break this are refused, so that what is read is never more than the file.

use super::error::{Budget, DebugError, DebugFault};
use crate::container::Chunk;
use crate::reader::Reader;
use std::ops::Range;

type Result<T> = std::result::Result<T, DebugError>;

const MAGIC: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";
/// Size of a stream that was deleted.
const NIL: u32 = u32::MAX;

/// A program database, with its directory read.
pub(super) struct Msf<'a> {
    file: &'a [u8],
    /// The byte in the file where the database begins.
    at: u32,
    block_bytes: u32,
    /// Size of each stream, and its part of `blocks`.
    streams: Vec<(u32, Range<usize>)>,
    /// Blocks of the streams, one stream after another.
    blocks: Vec<u32>,
    /// Bytes of streams that may still be read.
    left: u32,
}

/// A stream of a program database.
pub(super) struct Stream {
    bytes: Vec<u8>,
    blocks: Vec<u32>,
    block_bytes: u32,
    at: u32,
}

impl<'a> Msf<'a> {
    /// Reads the super block and the directory.
    pub fn read(chunk: &Chunk<'a>, budget: &mut Budget<'_>) -> Result<Self> {
        let mut reader = chunk.reader();
        if reader.take(MAGIC.len()).ok() != Some(MAGIC) {
            return Err(DebugFault::Magic.at(chunk.at));
        }
        let block_size_at = reader.at();
        let block_bytes = reader.u32()?;
        if !block_bytes.is_power_of_two() || !(512..=1 << 15).contains(&block_bytes) {
            return Err(DebugFault::BlockSize { bytes: block_bytes }.at(block_size_at));
        }
        let _free_map = reader.u32()?;
        let _block_count = reader.u32()?;
        let directory_size_at = reader.at();
        let directory_bytes = reader.u32()?;
        let _unknown = reader.u32()?;
        let map_at = reader.at();
        let map_block = reader.u32()?;

        let size = u32::try_from(chunk.data.len()).unwrap_or(u32::MAX);
        let mut msf =
            Self { file: chunk.data, at: chunk.at, block_bytes, streams: Vec::new(), blocks: Vec::new(), left: size };
        msf.bound(u64::from(directory_bytes), directory_size_at)?;
        let map = u64::from(map_block) * u64::from(block_bytes);
        let map = u32::try_from(map).ok().and_then(|map| chunk.reader().seek(map).ok());
        let mut map = map.ok_or_else(|| msf.no_block(map_block).at(map_at))?;
        let blocks: Vec<u32> =
            (0..directory_bytes.div_ceil(block_bytes)).map(|_| map.u32()).collect::<std::result::Result<_, _>>()?;
        let directory = msf.gather(directory_bytes, blocks, map_at)?;
        directory.read(|reader| msf.read_directory(reader, budget))?;
        Ok(msf)
    }

    fn read_directory(&mut self, mut reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<()> {
        let count = reader.u32()?;
        let mut sizes = reader.part(count.saturating_mul(4))?;
        let mut first = 0;
        for _ in 0..count {
            let at = sizes.at();
            budget.record(at)?;
            let size = sizes.u32()?;
            let size = if size == NIL { 0 } else { size };
            let last = first + size.div_ceil(self.block_bytes);
            self.bound(u64::from(last) * u64::from(self.block_bytes), at)?;
            self.streams.push((size, first as usize..last as usize));
            first = last;
        }
        for _ in 0..first {
            self.blocks.push(reader.u32()?);
        }
        Ok(())
    }

    /// The content of a stream. The streams that are read cannot have more bytes than the file, all together.
    pub fn stream(&mut self, stream: u32) -> Result<Stream> {
        let streams = self.streams.len() as u32;
        let no_stream = DebugFault::Stream { stream, streams };
        let (size, blocks) = self.streams.get(stream as usize).ok_or_else(|| no_stream.at(self.at))?.clone();
        let left = self.left.checked_sub(size);
        self.left = left.ok_or_else(|| DebugFault::Shared { bytes: size.into(), most: self.left }.at(self.at))?;
        let blocks = self.blocks.get(blocks).unwrap_or_default().to_vec();
        self.gather(size, blocks, self.at)
    }

    /// Puts a stream together. `at` is where its blocks are stated.
    fn gather(&self, size: u32, blocks: Vec<u32>, at: u32) -> Result<Stream> {
        let (mut bytes, mut left) = (Vec::with_capacity(size as usize), size as usize);
        for &block in &blocks {
            let taken = left.min(self.block_bytes as usize);
            let first = (block as usize).checked_mul(self.block_bytes as usize);
            let part = first.and_then(|first| self.file.get(first..)?.get(..taken));
            let part = part.ok_or_else(|| self.no_block(block).at(at))?;
            bytes.extend_from_slice(part);
            left -= taken;
        }
        Ok(Stream { bytes, blocks, block_bytes: self.block_bytes, at: self.at })
    }

    fn no_block(&self, block: u32) -> DebugFault {
        let blocks = (self.file.len() / self.block_bytes as usize) as u32;
        DebugFault::Block { block, blocks }
    }

    /// Checks that bytes of blocks are not more than may still be read.
    fn bound(&self, bytes: u64, at: u32) -> Result<()> {
        // The last block may be cut short in a file, and its size counts as whole.
        if bytes > u64::from(self.left) + u64::from(self.block_bytes) - 1 {
            return Err(DebugFault::Shared { bytes, most: self.left }.at(at));
        }
        Ok(())
    }
}

impl Stream {
    /// Parses it. The parser's positions are offsets in the stream; an error has the byte in the file.
    pub fn read<T>(&self, parse: impl FnOnce(Reader<'_>) -> Result<T>) -> Result<T> {
        parse(Reader::new(&self.bytes, 0)).map_err(|error| DebugError { at: self.byte(error.at), ..error })
    }

    /// The byte in the file of an offset in the stream.
    fn byte(&self, offset: u32) -> u32 {
        let (block, within) = (offset / self.block_bytes, offset % self.block_bytes);
        match self.blocks.get(block as usize) {
            Some(block) => block.saturating_mul(self.block_bytes).saturating_add(within).saturating_add(self.at),
            // The end of a stream that fills its last block.
            None => match self.blocks.last() {
                Some(block) => block.saturating_add(1).saturating_mul(self.block_bytes).saturating_add(self.at),
                None => self.at,
            },
        }
    }
}
