//! Checks the owner of a file. A file that another user could have put there is not trusted.

#[cfg(unix)]
use std::fs::DirBuilder;
use std::fs::Metadata;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// `true` if a file or folder belongs to this process's effective user.
#[cfg(unix)]
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// `true` if the permissions of a file or folder let others write to it.
#[cfg(unix)]
pub(crate) fn others_can_write(metadata: &Metadata) -> bool {
    const GROUP_AND_OTHERS: u32 = 0o022;
    metadata.mode() & GROUP_AND_OTHERS != 0
}

/// Creates a folder that is accessible to this user only.
#[cfg(unix)]
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Elsewhere a user's folders are closed to others by default.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Metadata) -> bool {
    true
}

/// As [`is_own`].
#[cfg(not(unix))]
pub(crate) fn others_can_write(_: &Metadata) -> bool {
    false
}

/// As [`is_own`].
#[cfg(not(unix))]
pub(crate) fn create_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}
