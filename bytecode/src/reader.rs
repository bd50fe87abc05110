//! Reads untrusted bytes or words within bounds: every access to them goes through here.
//!
//! A [`Reader`] knows the offset of its slice in the file, so that an error can name the byte.

/// Bytes of a file, read from a position that only moves forward within bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    base: u32,
    pos: usize,
}

/// There are fewer bytes than a read needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// Byte offset in the file of the read.
    pub at: u32,
    /// Bytes the read needs.
    pub need: u32,
    /// Bytes that are left.
    pub have: u32,
}

impl<'a> Reader<'a> {
    /// A reader over `bytes`, whose first byte is at `base` in the file.
    pub fn new(bytes: &'a [u8], base: u32) -> Self {
        Self { bytes, base, pos: 0 }
    }

    /// The position in the file.
    pub fn at(&self) -> u32 {
        self.base.saturating_add(u32::try_from(self.pos).unwrap_or(u32::MAX))
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.pos)
    }

    /// A second reader over the same bytes at `offset` from their beginning.
    pub fn seek(&self, offset: u32) -> Result<Self, Short> {
        let pos = offset as usize;
        if pos > self.bytes.len() {
            let have = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
            return Err(Short { at: self.base, need: offset, have });
        }
        Ok(Self { pos, ..*self })
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Short> {
        let short = Short {
            at: self.at(),
            need: u32::try_from(count).unwrap_or(u32::MAX),
            have: u32::try_from(self.left()).unwrap_or(u32::MAX),
        };
        let end = self.pos.checked_add(count).ok_or(short)?;
        let taken = self.bytes.get(self.pos..end).ok_or(short)?;
        self.pos = end;
        Ok(taken)
    }

    /// A reader over the next `count` bytes.
    pub fn part(&mut self, count: u32) -> Result<Self, Short> {
        let base = self.at();
        Ok(Self::new(self.take(count as usize)?, base))
    }

    /// Skips to a multiple of four bytes from the beginning, or to the end.
    pub fn align(&mut self) {
        self.pos = self.pos.next_multiple_of(4).min(self.bytes.len());
    }

    /// The bytes up to the next zero byte, which is skipped; `None` when there is no zero within the bytes or `max`
    /// bytes.
    pub fn until_zero(&mut self, max: u32) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.pos..)?;
        let end = rest.iter().take(max as usize + 1).position(|&byte| byte == 0)?;
        self.pos += end + 1;
        rest.get(..end)
    }

    /// The next byte.
    pub fn u8(&mut self) -> Result<u8, Short> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// The next 16-bit word, little-endian.
    pub fn u16(&mut self) -> Result<u16, Short> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// The next 32-bit word, little-endian.
    pub fn u32(&mut self) -> Result<u32, Short> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// The text from here to the next zero byte; `None` when there is no zero within the bytes or `max` bytes.
    pub fn text(&self, max: u32) -> Option<String> {
        let bytes = { *self }.until_zero(max)?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("take gives the length it was asked for"))
    }
}
