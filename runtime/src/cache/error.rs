//! Defines the reasons why a folder is not used as a cache.

use std::io;
use std::path::PathBuf;

/// Reason why a folder is not used as a cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// Another user could put code there.
    #[error("{} {why}: a cache needs a folder of this user that nobody else can write to", path.display())]
    NotPrivate {
        /// The folder.
        path: PathBuf,
        /// The reason.
        why: NotPrivate,
    },
    /// It cannot be inspected, created or written.
    #[error("the cache in {} cannot be used: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Reason why a file or folder is not private.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotPrivate {
    /// A file, a link, or anything else.
    #[error("is not a folder")]
    Kind,
    /// Another user owns it.
    #[error("belongs to another user")]
    Owner,
    /// Its permissions let others write.
    #[error("can be written by others")]
    Writable,
}
