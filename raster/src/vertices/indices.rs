//! Reads index buffers in place, an index at a time: a draw takes no memory for its indices, however many.

use brolga_runtime::{Buffer, ResourceError};

use crate::error::DrawError;

/// An index buffer.
#[derive(Clone, Debug)]
pub struct IndexBuffer {
    /// Its bytes.
    pub buffer: Buffer,
    /// The offset of the first index.
    pub offset_bytes: u64,
    /// `true` if indices have 16 bits, not 32.
    pub is_short: bool,
}

impl IndexBuffer {
    /// The index of primitive restart (functional specification, 8.12).
    pub(crate) fn restart(&self) -> u32 {
        if self.is_short { u16::MAX.into() } else { u32::MAX }
    }

    /// The `count` indices from `first` on, as far as the buffer has them.
    pub(crate) fn indices(&self, first: u32, count: u32) -> Result<Indices, DrawError> {
        let &Self { ref buffer, offset_bytes, is_short } = self;
        let unit_bytes = if is_short { 2 } else { 4 };
        if !offset_bytes.is_multiple_of(unit_bytes) {
            return Err(DrawError::IndexOffset { offset_bytes, unit_bytes });
        }
        let first_bytes = offset_bytes.saturating_add(u64::from(first) * unit_bytes).min(buffer.size_bytes());
        let there = (buffer.size_bytes() - first_bytes) / unit_bytes;
        let count = there.min(count.into()) as u32;
        Ok(Indices { buffer: buffer.clone(), first_bytes, count, is_short })
    }
}

/// The indices that a draw reads.
#[derive(Clone, Debug)]
pub struct Indices {
    buffer: Buffer,
    first_bytes: u64,
    count: u32,
    is_short: bool,
}

/// Number of indices scanned between two calls of `stop`.
const PIECE: u32 = 1 << 16;

impl Indices {
    /// Number of indices.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The index at a position; 0 past the end of the buffer.
    #[inline]
    pub fn get(&self, position: u32) -> u32 {
        if position >= self.count {
            return 0;
        }
        let unit_bytes = if self.is_short { 2 } else { 4 };
        self.buffer.memory().load(self.first_bytes + u64::from(position) * u64::from(unit_bytes), unit_bytes)
    }

    /// `true` if one of the indices is this one. Fails once `stop` returns `true`.
    pub(crate) fn contain(&self, index: u32, stop: &dyn Fn() -> bool) -> Result<bool, ResourceError> {
        for first in (0..self.count).step_by(PIECE as usize) {
            if stop() {
                return Err(ResourceError::Stopped);
            }
            let mut piece = first..first.saturating_add(PIECE).min(self.count);
            if piece.any(|position| self.get(position) == index) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use brolga_runtime::Device;

    use super::*;

    #[test]
    fn what_is_past_the_end_is_0() {
        let device = Device::builder().threads(1).build().unwrap();
        let bytes: Vec<u8> = (1..=11).collect();
        let indices = |is_short, offset_bytes, first, count| {
            let buffer = device.buffer_from(&bytes).unwrap();
            let found = IndexBuffer { buffer, offset_bytes, is_short }.indices(first, count).unwrap();
            (0..4).map(|n| found.get(n)).collect::<Vec<_>>()
        };
        assert_eq!(indices(true, 2, 1, 3), [0x0605, 0x0807, 0x0a09, 0]);
        assert_eq!(indices(true, 2, 1, 2), [0x0605, 0x0807, 0, 0]);
        assert_eq!(indices(false, 4, 0, 9), [0x0807_0605, 0, 0, 0]);
        assert_eq!(indices(false, u64::MAX - 3, u32::MAX, 9), [0; 4]);
        let buffer = device.buffer_from(&bytes).unwrap();
        let misplaced = IndexBuffer { buffer, offset_bytes: 2, is_short: false }.indices(0, 1);
        assert!(matches!(misplaced, Err(DrawError::IndexOffset { offset_bytes: 2, unit_bytes: 4 })));
    }

    #[test]
    fn looking_for_a_restart_asks_at_every_piece() {
        let device = Device::builder().threads(1).build().unwrap();
        let buffer = device.buffer(4 * 3 * u64::from(PIECE) + 4).unwrap();
        buffer.write(4 * 3 * u64::from(PIECE), &[u32::MAX]).unwrap();
        let indices = IndexBuffer { buffer, offset_bytes: 0, is_short: false }.indices(0, u32::MAX).unwrap();
        let asked = Cell::new(0);
        let count = |most: i32| move |asked: &Cell<i32>| asked.replace(asked.get() + 1) >= most;
        let (never, third) = (count(i32::MAX), count(2));
        assert!(indices.contain(u32::MAX, &|| never(&asked)).unwrap());
        assert_eq!(asked.replace(0), 4);
        assert!(matches!(indices.contain(u32::MAX, &|| third(&asked)), Err(ResourceError::Stopped)));
        assert_eq!(asked.get(), 3);
    }
}
