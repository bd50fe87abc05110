//! The disk cache: keeps machine code of shaders from one process to the next.
//!
//! An entry is a file named by its key, a hash of everything that determines the code: the shader's file, how it is
//! compiled, the device's limits, the processor's features, and the sources of the compiler itself. It holds the code
//! after a hash of it, keyed with the entry's key. So an entry that was damaged, cut off by a crash, or belongs under
//! another name is detected: it is not used, and the next one for its key replaces it. The check is made on the copy in
//! memory that is used afterwards.
//!
//! Any number of processes may use a folder at once. Entries appear atomically, by a rename, and never change; a
//! process that needs room removes the least recently used. A cache that cannot be read or written costs time and
//! nothing else.
//!
//! | file | what |
//! |---|---|
//! | `entry.rs` | the format of an entry |
//! | `error.rs` | reasons why a folder is not used |
//! | `folder.rs` | the files: private, complete, within the size limit |
//! | `key.rs` | the keys of entries |

mod entry;
mod error;
mod folder;
mod key;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use error::{CacheError, NotPrivate};
pub use folder::CacheEntry;
pub(crate) use key::{Key, KeyBuilder};

use folder::Folder;

/// A folder of compiled shaders, for [`DeviceBuilder::cache`](crate::DeviceBuilder::cache). Cheap to clone; clones
/// share the counters.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use brolga_runtime::{Cache, Device};
///
/// let cache = Cache::open("/home/me/.cache/my-program/shaders")?;
/// let device = Device::builder().cache(cache.clone()).build()?;
/// // Compile and run shaders.
/// println!("{} shaders needed no compiling", cache.counters().hits);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Cache {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    folder: Folder,
    cap_bytes: u64,
    /// Bytes that may be stored before the folder must be listed again.
    room: Mutex<u64>,
    counters: Mutex<CacheCounters>,
}

/// Counts of a cache's requests since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheCounters {
    /// Code that was found and is used.
    pub hits: u64,
    /// Code that was not found.
    pub misses: u64,
    /// Code that was found and is not used: damaged, not the code of its name, or in a file that another user could
    /// have written.
    pub rejected: u64,
    /// Code that was stored.
    pub stored: u64,
    /// Code that could not be stored: the disk is full, or the folder read-only.
    pub failed: u64,
}

impl Cache {
    /// The default cap on a cache's size: 256 MiB.
    pub const CAP_BYTES: u64 = 256 << 20;

    /// A cache in a folder, which is created when something is first stored. An existing folder must belong to this
    /// user and be writable by nobody else: anyone who can write to it could put code there that this process runs.
    ///
    /// # Errors
    /// If the folder is not private to this user, or cannot be inspected.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, CacheError> {
        Self::with_cap(folder, Self::CAP_BYTES)
    }

    /// The same with another cap on the bytes of its files. Several processes may exceed it by a sixteenth each.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn with_cap(folder: impl AsRef<Path>, cap_bytes: u64) -> Result<Self, CacheError> {
        let folder = Folder::open(folder.as_ref())?;
        let (room, counters) = (Mutex::new(0), Mutex::default());
        Ok(Self { inner: Arc::new(Inner { folder, cap_bytes, room, counters }) })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.inner.folder.path()
    }

    /// The cap on the bytes of its files.
    pub fn cap_bytes(&self) -> u64 {
        self.inner.cap_bytes
    }

    /// Counts of its requests since it was opened.
    pub fn counters(&self) -> CacheCounters {
        *lock(&self.inner.counters)
    }

    /// Its entries, most recently used first, from builds of any version; they, and the names in them, may be damaged.
    ///
    /// # Errors
    /// If the folder cannot be read. A missing one has no entries.
    pub fn entries(&self) -> io::Result<Vec<CacheEntry>> {
        self.inner.folder.entries()
    }

    /// Removes all entries and returns them. Other files in the folder stay.
    ///
    /// # Errors
    /// If the folder cannot be read, or an entry cannot be removed.
    pub fn clear(&self) -> io::Result<Vec<CacheEntry>> {
        self.inner.folder.clear()
    }

    /// The result of `read` for the content stored for a key, if that exists, is undamaged, and `read` can use it.
    /// Undamaged content may still lack what is wanted: `Some(None)`.
    pub(crate) fn load<T>(&self, key: &Key, read: impl FnOnce(&[u8]) -> Option<Option<T>>) -> Option<T> {
        let file = self.inner.folder.read(&key.file_name());
        let is_missing = matches!(&file, Err(error) if error.kind() == io::ErrorKind::NotFound);
        let found = file.ok().and_then(|bytes| entry::open(key, &bytes).and_then(read));
        let mut counters = lock(&self.inner.counters);
        match &found {
            Some(Some(_)) => counters.hits += 1,
            Some(None) => counters.misses += 1,
            None if is_missing => counters.misses += 1,
            None => counters.rejected += 1,
        }
        found.flatten()
    }

    /// The same for data that accompany code: nothing is counted.
    pub(crate) fn look<T>(&self, key: &Key, read: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let bytes = self.inner.folder.read(&key.file_name()).ok()?;
        entry::open(key, &bytes).and_then(read)
    }

    /// Stores content for a key, replacing any. Ignores failure. The name, if not empty, is for people who inspect the
    /// cache.
    pub(crate) fn store(&self, key: &Key, name: &str, content: &[u8]) {
        let stored = self.try_store(key, name, content);
        let mut counters = lock(&self.inner.counters);
        match stored {
            Ok(()) => counters.stored += 1,
            Err(_) => counters.failed += 1,
        }
    }

    /// The same for data that accompany code: nothing is counted.
    pub(crate) fn put(&self, key: &Key, name: &str, content: &[u8]) {
        // The next process that needs it makes it anew.
        let _ = self.try_store(key, name, content);
    }

    fn try_store(&self, key: &Key, name: &str, content: &[u8]) -> Result<(), CacheError> {
        let Inner { folder, cap_bytes, room, .. } = &*self.inner;
        folder.make()?;
        let bytes = entry::seal(key, name, content);
        let size = bytes.len() as u64;
        let mut room = lock(room);
        if *room < size {
            *room = folder.make_room(size, *cap_bytes)?;
        }
        *room -= size;
        drop(room);
        folder.write(&key.file_name(), &bytes)?;
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
