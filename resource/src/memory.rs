//! Owns the bytes that shaders read and write, and accesses them from Rust: no other file does.
//!
//! Several threads may read and write the same bytes at once: shaders may contain data races. Therefore Rust reads and
//! writes them by relaxed atomic operations only, never through references to plain bytes; compiled code uses plain
//! machine instructions, which is the same thing to the processor. Every access here is checked against the size.
//!
//! The first byte is aligned to [`ALIGNMENT`], or with guard pages after the last byte to the largest alignment that
//! the size allows, at least 4; in wrapped memory, and in a file that is mapped from a later byte on, to 4. No byte
//! after the last one is read or written. A mapped file must not be shortened while it is mapped: that is the caller's
//! responsibility, stated at `Device::map_buffer`.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use memmap2::{MmapMut, MmapOptions, MmapRaw};

use crate::error::ResourceError;

/// The access with which a file is mapped, or memory wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Shaders may only read it.
    Read,
    /// Shaders may read and write it; writes reach the file.
    ReadWrite,
}

/// Alignment of the first byte and of the size of owned memory: that of the widest vector.
pub const ALIGNMENT: usize = 64;

/// Sizes from this one on are allocated from the system directly, zeroed on first access.
const MAPPED_FROM: u64 = 1 << 18;

/// Inaccessible pages beside the memory of buffers and workers: a debugging aid and a second line of defence.
///
/// Every access of a shader is checked. Should a check be wrong, an access outside hits a guard page, and the system
/// kills the process instead of letting the shader continue. Each buffer and texture then takes whole pages, plus two
/// guard pages; the memory that workers use while they run (shared memory, private arrays, copies of constant buffers)
/// is guarded too. Mapped files are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GuardPages {
    /// No guard pages.
    Off,
    /// Before and after, so that the first byte after the last word is in the guard.
    After,
    /// Before and after, so that the byte before the first one is in the guard.
    Before,
}

impl Default for GuardPages {
    /// Off, unless Brolga was built with `--cfg brolga_guard_pages="after"` or `"before"`.
    fn default() -> Self {
        if cfg!(brolga_guard_pages = "after") {
            GuardPages::After
        } else if cfg!(brolga_guard_pages = "before") {
            GuardPages::Before
        } else {
            GuardPages::Off
        }
    }
}

/// The bytes of a buffer.
#[derive(Debug)]
pub struct Memory {
    base: NonNull<u8>,
    size_bytes: u64,
    writable: bool,
    owner: Owner,
    changes: Changes,
    /// Where stream output goes on.
    filled_bytes: AtomicU64,
}

/// Tracks changes of the bytes, for data derived from them.
#[derive(Debug, Default)]
struct Changes {
    /// Set if others than Brolga may write the bytes, whose changes are not counted.
    has_other_writers: AtomicBool,
    /// Set if changes are counted.
    is_watched: AtomicBool,
    count: AtomicU64,
}

impl Changes {
    fn by_others() -> Self {
        Self { has_other_writers: AtomicBool::new(true), ..Self::default() }
    }
}

#[derive(Debug)]
enum Owner {
    Heap(Layout),
    Mapping(MmapRaw),
    /// Kept alive for as long as the memory is used.
    Caller {
        _owner: Box<dyn Any + Send + Sync>,
    },
}

// SAFETY: `base` is owned by this value, or lent to it by the caller of `wrap`, and stays valid at its address until it
// drops; Rust accesses the bytes only by atomic operations in this file, so that any thread may hold and use it.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Where stream output goes on.
    pub fn filled_bytes(&self) -> u64 {
        self.filled_bytes.load(Ordering::Relaxed)
    }

    /// Sets where stream output goes on.
    pub fn set_filled_bytes(&self, filled_bytes: u64) {
        self.filled_bytes.store(filled_bytes, Ordering::Relaxed);
    }

    /// Memory of zeros.
    pub fn zeroed(size_bytes: u64, guards: GuardPages) -> Result<Self, ResourceError> {
        let refused = || ResourceError::OutOfMemory { size_bytes };
        if guards != GuardPages::Off {
            return Self::between_guards(size_bytes, guards).ok_or_else(refused);
        }
        if size_bytes >= MAPPED_FROM {
            return Self::zeroed_when_touched(size_bytes);
        }
        let room = Self::room(size_bytes).ok_or_else(refused)?;
        let layout = Layout::from_size_align(room, ALIGNMENT).map_err(|_| refused())?;
        // SAFETY: `room` is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok(Self {
            base,
            size_bytes,
            writable: true,
            owner: Owner::Heap(layout),
            changes: Changes::default(),
            filled_bytes: AtomicU64::new(0),
        })
    }

    /// Memory of zeros that is committed page by page, when first touched.
    pub(super) fn zeroed_when_touched(size_bytes: u64) -> Result<Self, ResourceError> {
        let mapped = || {
            let mapping = MmapRaw::from(MmapMut::map_anon(Self::room(size_bytes)?).ok()?);
            Self::mapped(mapping, size_bytes, true)
        };
        mapped().ok_or(ResourceError::OutOfMemory { size_bytes })
    }

    /// Size rounded up to whole vectors, at least one.
    fn room(size_bytes: u64) -> Option<usize> {
        usize::try_from(size_bytes.max(1).checked_next_multiple_of(ALIGNMENT as u64)?).ok()
    }

    /// Memory of zeros between two guard pages; `None` if the system has no such memory.
    fn between_guards(size_bytes: u64, guards: GuardPages) -> Option<Self> {
        let page = region::page::size();
        // Shaders read and write words.
        let room = usize::try_from(size_bytes.checked_next_multiple_of(4)?).ok()?;
        let inner = room.checked_next_multiple_of(page)?;
        let mapping = MmapRaw::from(MmapMut::map_anon(inner.checked_add(2 * page)?).ok()?);
        for offset in [0, page + inner] {
            let guard = mapping.as_mut_ptr().wrapping_add(offset);
            // SAFETY: a page of the mapping made above, whose address nobody else has yet.
            unsafe { region::protect(guard, page, region::Protection::NONE) }.ok()?;
        }
        let before = match guards {
            GuardPages::After => inner - room,
            GuardPages::Before | GuardPages::Off => 0,
        };
        let base = NonNull::new(mapping.as_mut_ptr().wrapping_add(page + before))?;
        Some(Self {
            base,
            size_bytes,
            writable: true,
            owner: Owner::Mapping(mapping),
            changes: Changes::default(),
            filled_bytes: AtomicU64::new(0),
        })
    }

    /// Wraps the caller's memory. `owner` is dropped with it.
    ///
    /// # Safety
    /// As for [`Buffer::wrap`](crate::Buffer::wrap).
    pub(super) unsafe fn wrap(
        base: NonNull<u8>,
        size_bytes: usize,
        access: Access,
        owner: impl Any + Send + Sync,
    ) -> Result<Self, ResourceError> {
        let address = base.addr().get();
        if !address.is_multiple_of(4) {
            return Err(ResourceError::WrappedAddress { address });
        }
        let (size_bytes, writable) = (size_bytes as u64, access == Access::ReadWrite);
        let owner = Owner::Caller { _owner: Box::new(owner) };
        Ok(Self { base, size_bytes, writable, owner, changes: Changes::by_others(), filled_bytes: AtomicU64::new(0) })
    }

    /// Maps the content of a file from an offset on, which is a multiple of 4.
    pub fn map(path: &Path, access: Access, offset_bytes: u64) -> io::Result<Self> {
        let writable = access == Access::ReadWrite;
        // Opening a pipe would block until somebody writes to it.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = OpenOptions::new().read(true).write(writable).open(path)?;
        let size_bytes = file.metadata()?.len();
        let length = usize::try_from(size_bytes).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        if offset_bytes > size_bytes || !offset_bytes.is_multiple_of(4) {
            let message = format!(
                "it has {size_bytes} bytes, and can be mapped from a multiple of 4 on, not from {offset_bytes}"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if length == 0 {
            let mut empty =
                Self::zeroed(0, GuardPages::Off).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            empty.writable = writable;
            return Ok(empty);
        }
        let mut options = MmapOptions::new();
        options.len(length);
        let mapping = if writable { options.map_raw(&file)? } else { options.map_raw_read_only(&file)? };
        let mapped = Self::mapped(mapping, size_bytes, writable);
        let mut memory = mapped.ok_or_else(|| io::Error::other("mapped at an unexpected address"))?;
        // SAFETY: the bytes before the first one are in the mapping, which has at least as many.
        memory.base = unsafe { memory.base.add(offset_bytes as usize) };
        memory.size_bytes -= offset_bytes;
        memory.changes = Changes::by_others();
        Ok(memory)
    }

    fn mapped(mapping: MmapRaw, size_bytes: u64, writable: bool) -> Option<Self> {
        // Pages are far larger than a vector.
        let base = NonNull::new(mapping.as_mut_ptr()).filter(|base| base.as_ptr().addr() % ALIGNMENT == 0)?;
        Some(Self {
            base,
            size_bytes,
            writable,
            owner: Owner::Mapping(mapping),
            changes: Changes::default(),
            filled_bytes: AtomicU64::new(0),
        })
    }

    /// Size in bytes.
    #[inline]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// True if it may be written.
    #[inline]
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// True if the word around each byte can be read, beyond the last byte as well: false if memory there is the
    /// caller's.
    pub fn has_whole_words(&self) -> bool {
        self.size_bytes.is_multiple_of(4) || !matches!(self.owner, Owner::Caller { .. })
    }

    /// The address of the first byte, for compiled code. Valid for [`size_bytes`](Self::size_bytes) while this value
    /// lives, and not to be written if it is not [writable](Self::is_writable).
    #[inline]
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// True if others than Brolga may write the bytes: through a file, as the owner of wrapped memory, or through a
    /// pointer that was lent.
    pub fn has_other_writers(&self) -> bool {
        self.changes.has_other_writers.load(Ordering::Acquire)
    }

    /// Records that somebody is given a pointer to the bytes, and may write them from now on.
    pub(super) fn lend(&self) {
        self.changes.has_other_writers.store(true, Ordering::Release);
        self.written();
    }

    /// Begins to count changes. Before that they cost nothing.
    pub(super) fn watch(&self) {
        self.changes.is_watched.store(true, Ordering::Relaxed);
        // Pairs with the fence of concurrent writers: either their change is counted, or all that they wrote is visible
        // from now on.
        fence(Ordering::SeqCst);
    }

    /// Counts a change, if changes are watched. To be called after bytes were written: [`write`](Self::write) does so
    /// itself; for bytes that shaders may have written, as with [`store`](Self::store) and [`atomic`](Self::atomic),
    /// whoever runs them does. A writer's last call follows a fence.
    #[inline]
    pub fn changed(&self) {
        if self.changes.is_watched.load(Ordering::Relaxed) {
            self.changes.count.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// The version of the bytes, which each change increments. Data derived from the current bytes is valid while it is
    /// the same, unless there are [other writers](Self::has_other_writers).
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.changes.count.load(Ordering::Acquire)
    }

    /// Writes changes of some bytes of a mapped file, all of which must exist, to disk.
    pub fn flush(&self, offset_bytes: u64, size_bytes: u64) -> io::Result<()> {
        match &self.owner {
            Owner::Mapping(mapping) if self.writable => {
                let before = self.base.as_ptr().addr() - mapping.as_ptr().addr();
                mapping.flush_range(before + offset_bytes as usize, size_bytes as usize)
            }
            _ => Ok(()),
        }
    }

    /// The address of `size` bytes at an offset that is a multiple of `size`, if they are inside.
    #[inline]
    fn at(&self, offset_bytes: u64, size: u64) -> Option<*mut u8> {
        let end = offset_bytes.checked_add(size)?;
        if end > self.size_bytes || !offset_bytes.is_multiple_of(size) {
            return None;
        }
        // SAFETY: the offset is inside, and the size of what is allocated fits `usize`.
        Some(unsafe { self.base.as_ptr().add(offset_bytes as usize) })
    }

    /// A byte, only to be loaded unless the memory is writable.
    #[inline]
    fn byte(&self, offset_bytes: u64) -> Option<&AtomicU8> {
        // SAFETY: inside, valid while `self` lives, and accessed by atomics only.
        self.at(offset_bytes, 1).map(|at| unsafe { AtomicU8::from_ptr(at) })
    }

    /// Half a word, only to be loaded unless the memory is writable.
    #[inline]
    fn half(&self, offset_bytes: u64) -> Option<&AtomicU16> {
        // SAFETY: as above, and aligned since the base and the offset are.
        self.at(offset_bytes, 2).map(|at| unsafe { AtomicU16::from_ptr(at.cast()) })
    }

    /// A word, only to be loaded unless the memory is writable.
    #[inline]
    fn word(&self, offset_bytes: u64) -> Option<&AtomicU32> {
        // SAFETY: as above, and aligned since the base and the offset are.
        self.at(offset_bytes, 4).map(|at| unsafe { AtomicU32::from_ptr(at.cast()) })
    }

    /// Words at a multiple of 4, only to be loaded unless the memory is writable; `None` if one is outside.
    pub(super) fn words(&self, offset_bytes: u64, count: usize) -> Option<&[AtomicU32]> {
        let size = 4 * count as u64;
        let end = offset_bytes.checked_add(size)?;
        if end > self.size_bytes || !offset_bytes.is_multiple_of(4) {
            return None;
        }
        // SAFETY: the offset is inside.
        let first = unsafe { self.base.as_ptr().add(offset_bytes as usize) };
        // SAFETY: all of them are inside, valid while `self` lives, aligned since the base and the offset are, and
        // accessed by atomics only.
        Some(unsafe { std::slice::from_raw_parts(first.cast(), count) })
    }

    /// Reads `unit` = 1, 2 or 4 bytes at a multiple of that; 0 outside.
    #[inline]
    pub fn load(&self, offset_bytes: u64, unit: u32) -> u32 {
        match unit {
            1 => self.byte(offset_bytes).map_or(0, |byte| u32::from(byte.load(Ordering::Relaxed))),
            2 => self.half(offset_bytes).map_or(0, |half| u32::from(half.load(Ordering::Relaxed))),
            _ => self.word(offset_bytes).map_or(0, |word| word.load(Ordering::Relaxed)),
        }
    }

    /// Writes `unit` = 1, 2 or 4 bytes at a multiple of that; nothing outside or if the memory is not writable.
    #[inline]
    pub fn store(&self, offset_bytes: u64, unit: u32, value: u32) {
        if !self.writable {
            return;
        }
        match unit {
            1 => self.byte(offset_bytes).map_or((), |byte| byte.store(value as u8, Ordering::Relaxed)),
            2 => self.half(offset_bytes).map_or((), |half| half.store(value as u16, Ordering::Relaxed)),
            _ => self.word(offset_bytes).map_or((), |word| word.store(value, Ordering::Relaxed)),
        }
    }

    /// Reads 1, 2, 4, 8, 12 or 16 bytes as a little-endian number, at a multiple of their size or of 4; bytes outside
    /// are 0.
    #[inline(always)]
    pub fn load_number(&self, offset_bytes: u64, size_bytes: u32) -> u128 {
        if size_bytes <= 4 {
            return self.load(offset_bytes, size_bytes).into();
        }
        let word = |n: u64| match 4 * n < size_bytes.into() {
            true => u128::from(self.load(offset_bytes + 4 * n, 4)) << (32 * n),
            false => 0,
        };
        word(0) | word(1) | word(2) | word(3)
    }

    /// Writes 1, 2, 4, 8, 12 or 16 bytes of a number; nothing outside or if the memory is not writable.
    #[inline]
    pub fn store_number(&self, offset_bytes: u64, size_bytes: u32, number: u128) {
        let unit = size_bytes.min(4);
        for at in (0..size_bytes).step_by(unit as usize) {
            self.store(offset_bytes + u64::from(at), unit, (number >> (8 * at)) as u32);
        }
    }

    /// A word at a multiple of 4 to change atomically; `None` outside or if the memory is not writable.
    #[inline]
    pub fn atomic(&self, offset_bytes: u64) -> Option<&AtomicU32> {
        self.word(offset_bytes).filter(|_| self.writable)
    }

    /// Copies bytes out; zeros for those outside.
    pub fn read(&self, offset_bytes: u64, bytes: &mut [u8]) {
        let (head, words, tail) = split(offset_bytes, bytes.len());
        let (first, rest) = bytes.split_at_mut(head);
        let (middle, last) = rest.split_at_mut(words);
        let [middle_at, last_at] = [head, head + words].map(|bytes| offset_bytes + bytes as u64);
        debug_assert_eq!(last.len(), tail);
        for (at, byte) in (offset_bytes..).zip(first) {
            *byte = self.load(at, 1) as u8;
        }
        if let Some(words) = self.words(middle_at, middle.len() / 4) {
            for (bytes, word) in middle.chunks_exact_mut(4).zip(words) {
                bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
            }
        } else {
            for (at, bytes) in (middle_at..).step_by(4).zip(middle.chunks_exact_mut(4)) {
                bytes.copy_from_slice(&self.load(at, 4).to_le_bytes());
            }
        }
        for (at, byte) in (last_at..).zip(last) {
            *byte = self.load(at, 1) as u8;
        }
    }

    /// Copies bytes from a multiple of 4 on to the beginning of other memory, as many as both have; none if that is not
    /// writable. It does not count as a [change](Self::changed): the other memory is the caller's alone.
    pub fn copy_to(&self, offset_bytes: u64, to: &Memory, size_bytes: u64) {
        if !to.writable {
            return;
        }
        let most = self.size_bytes.saturating_sub(offset_bytes).min(to.size_bytes).min(size_bytes);
        let whole = most / 4 * 4;
        if let (Some(from), Some(to)) = (self.words(offset_bytes, whole as usize / 4), to.words(0, whole as usize / 4))
        {
            for (to, from) in to.iter().zip(from) {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        for at in whole..most {
            to.store(at, 1, self.load(offset_bytes + at, 1));
        }
    }

    /// Copies bytes in; those outside are dropped.
    pub fn write(&self, offset_bytes: u64, bytes: &[u8]) {
        self.put(offset_bytes, bytes);
        self.written();
    }

    /// Records that a writer outside of shaders is done.
    pub(super) fn written(&self) {
        fence(Ordering::SeqCst);
        self.changed();
    }

    /// Copies bytes in without recording it: the caller does so when it is [done](Self::written).
    pub(super) fn put(&self, offset_bytes: u64, bytes: &[u8]) {
        let (head, words, tail) = split(offset_bytes, bytes.len());
        let (first, rest) = bytes.split_at(head);
        let (middle, last) = rest.split_at(words);
        let [middle_at, last_at] = [head, head + words].map(|bytes| offset_bytes + bytes as u64);
        debug_assert_eq!(last.len(), tail);
        for (at, &byte) in (offset_bytes..).zip(first) {
            self.store(at, 1, byte.into());
        }
        let values = middle.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        match self.words(middle_at, middle.len() / 4).filter(|_| self.writable) {
            Some(words) => words.iter().zip(values).for_each(|(word, value)| word.store(value, Ordering::Relaxed)),
            None => (middle_at..).step_by(4).zip(values).for_each(|(at, value)| self.store(at, 4, value)),
        }
        for (at, &byte) in (last_at..).zip(last) {
            self.store(at, 1, byte.into());
        }
    }
}

/// Splits a range of bytes into those before the first word, whole words, and those after the last word.
fn split(offset_bytes: u64, length: usize) -> (usize, usize, usize) {
    let head = length.min((offset_bytes.next_multiple_of(4) - offset_bytes) as usize);
    let words = (length - head) / 4 * 4;
    (head, words, length - head - words)
}

impl Drop for Memory {
    fn drop(&mut self) {
        match &self.owner {
            // SAFETY: allocated with this layout, and nothing accesses it any more: compiled code runs only while a
            // dispatch holds a reference to this value.
            Owner::Heap(layout) => unsafe { dealloc(self.base.as_ptr(), *layout) },
            Owner::Mapping(_) | Owner::Caller { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Buffer;

    #[test]
    fn memory_may_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Memory>();
    }

    #[test]
    fn bytes_at_any_offset_and_length_come_back() {
        let pattern: Vec<u8> = (1..=13).collect();
        let guards = [GuardPages::Off, GuardPages::After, GuardPages::Before];
        for (size, guards) in [13u64, 16, 17, 40].into_iter().flat_map(|size| guards.map(|guards| (size, guards))) {
            for offset in 0..size - 12 {
                for length in 0..pattern.len() {
                    let memory = Memory::zeroed(size, guards).unwrap();
                    memory.write(offset, &pattern[..length]);
                    let mut all = vec![0xff; size as usize];
                    memory.read(0, &mut all);
                    let mut expected = vec![0; size as usize];
                    expected[offset as usize..][..length].copy_from_slice(&pattern[..length]);
                    assert_eq!(all, expected, "{size} {offset} {length}");
                    let mut part = vec![0xff; length];
                    memory.read(offset, &mut part);
                    assert_eq!(part, pattern[..length]);
                }
            }
        }
    }

    #[test]
    fn nothing_outside_is_reached() {
        let memory = Memory::zeroed(6, GuardPages::Off).unwrap();
        memory.store(4, 4, u32::MAX);
        memory.store(u64::MAX - 3, 4, u32::MAX);
        memory.store(6, 2, u32::MAX);
        memory.store(3, 2, u32::MAX);
        assert_eq!([memory.load(0, 4), memory.load(4, 2), memory.load(4, 4), memory.load(8, 4)], [0; 4]);
        assert!(memory.atomic(4).is_none() && memory.atomic(0).is_some() && memory.atomic(2).is_none());
    }

    #[test]
    fn wrapped_memory_is_the_caller_s() {
        let mut words = [0x0403_0201u32, 0x0807_0605, 0xaaaa_aaaa];
        let base = NonNull::from(&mut words).cast::<u8>();
        let owner = Arc::new(());
        // SAFETY: the words outlive the buffer, and are read when it is gone.
        let wrap = |at, size, access| unsafe { Buffer::wrap(base.add(at), size, access, Arc::clone(&owner)) };
        let error = wrap(2, 4, Access::Read).unwrap_err();
        assert!(matches!(error, ResourceError::WrappedAddress { address } if address == base.addr().get() + 2));
        let read_only = wrap(4, 4, Access::Read).unwrap();
        assert_eq!((read_only.to_vec::<u8>().unwrap(), read_only.is_writable()), (vec![5, 6, 7, 8], false));
        let buffer = wrap(0, 7, Access::ReadWrite).unwrap();
        buffer.write(3, &[9u8; 4]).unwrap();
        buffer.memory().store(4, 4, 0);
        assert!(buffer.memory().atomic(4).is_none() && buffer.write(7, &[1u8]).is_err());
        assert_eq!(Arc::strong_count(&owner), 3);
        drop((read_only, buffer));
        assert_eq!((words, Arc::strong_count(&owner)), ([0x0903_0201, 0x0809_0909, 0xaaaa_aaaa], 1));
    }

    #[test]
    fn large_memory_is_zero_and_aligned() {
        let memory = Memory::zeroed(MAPPED_FROM + 3, GuardPages::Off).unwrap();
        assert_eq!(memory.base().addr() % ALIGNMENT, 0);
        assert_eq!((memory.load(MAPPED_FROM, 2), memory.size_bytes()), (0, MAPPED_FROM + 3));
        for guards in [GuardPages::Off, GuardPages::After, GuardPages::Before] {
            assert!(
                [u64::MAX, u64::MAX - 3, u64::MAX / 2].into_iter().all(|size| Memory::zeroed(size, guards).is_err())
            );
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn guards_lie_right_beside_the_memory() {
        // Start and permissions of each mapping, as Linux reports them.
        let permissions = |address: usize| {
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            let of = |line: &str| {
                let (range, rest) = line.split_once(' ').unwrap();
                let (start, end) = range.split_once('-').unwrap();
                let [start, end] = [start, end].map(|hex| usize::from_str_radix(hex, 16).unwrap());
                (start..end).contains(&address).then(|| rest[..2].to_owned())
            };
            maps.lines().find_map(of).unwrap_or_default()
        };
        for size in [0usize, 1, 4, 64, 4093, 4096, 5000, 1 << 20] {
            let after = Memory::zeroed(size as u64, GuardPages::After).unwrap();
            let end = after.base().addr() + size.next_multiple_of(4);
            assert_eq!((permissions(end), end % region::page::size()), ("--".to_owned(), 0), "{size}");
            let before = Memory::zeroed(size as u64, GuardPages::Before).unwrap();
            let start = before.base().addr();
            assert_eq!((permissions(start - 1), start % region::page::size()), ("--".to_owned(), 0), "{size}");
            if size > 0 {
                assert_eq!([end - 1, end - size, start, start + size - 1].map(permissions), ["rw"; 4], "{size}");
            }
            if size.is_multiple_of(ALIGNMENT) {
                assert_eq!(after.base().addr() % ALIGNMENT, 0, "arenas need it");
            }
        }
    }

    #[test]
    fn files_are_read_and_written_through() {
        let path = std::env::temp_dir().join(format!("brolga-memory-{}", std::process::id()));
        std::fs::write(&path, [1, 2, 3, 4, 5]).unwrap();
        {
            let read_only = Memory::map(&path, Access::Read, 0).unwrap();
            read_only.store(0, 4, 0);
            assert_eq!((read_only.load(0, 4), read_only.load(4, 1)), (0x0403_0201, 5));
            assert!(!read_only.is_writable() && read_only.atomic(0).is_none());
            let written = Memory::map(&path, Access::ReadWrite, 0).unwrap();
            written.write(3, &[9, 8]);
            written.flush(0, written.size_bytes()).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 3, 9, 8]);
        {
            let later = Memory::map(&path, Access::ReadWrite, 4).unwrap();
            assert_eq!((later.size_bytes(), later.load(0, 1), later.load(1, 1)), (1, 8, 0));
            later.store(0, 1, 7);
            later.flush(0, 1).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 3, 9, 7]);
        for offset in [1, 8, u64::MAX - 3] {
            assert!(Memory::map(&path, Access::Read, offset).is_err(), "{offset}");
        }
        std::fs::write(&path, []).unwrap();
        assert_eq!(Memory::map(&path, Access::Read, 0).unwrap().size_bytes(), 0);
        assert!(Memory::map(&path, Access::Read, 4).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(Memory::map(&path, Access::Read, 0).is_err());
    }
}
