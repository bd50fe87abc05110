//! Keeps the files of a cache private, complete and within its size limit.
//!
//! Every file is checked after it has been opened, so that changes to the folders above do no harm. A file of this user
//! that no other user can write to was written by this user.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry;
use super::error::{CacheError, NotPrivate};
use super::key::Key;
use crate::file_owner;

/// Prefix of the names of files that are being written.
const UNFINISHED: &str = ".unfinished-";

/// `true` if a name is that of a temporary file: the prefix and six letters or digits.
fn is_unfinished(name: &str) -> bool {
    let rest = name.strip_prefix(UNFINISHED);
    rest.is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Age at which an unfinished file counts as abandoned by its writer.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The largest entry that is read, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// An entry of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheEntry {
    /// The name of its file.
    pub name: String,
    /// The name of its shader when it was stored: file, entry point and model, as in `add.cso:main cs_5_0`. `None` if
    /// it had none.
    pub shader: Option<String>,
    /// Bytes of the file.
    pub size_bytes: u64,
    /// Time when it was last stored or used.
    pub last_used: SystemTime,
}

/// The files of a cache.
#[derive(Debug, Default)]
struct Listing {
    /// Most recently used first.
    entries: Vec<CacheEntry>,
    /// Files that are being written, or were abandoned.
    unfinished: Vec<CacheEntry>,
}

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder that may be missing, and is private if it is not.
    pub fn open(path: &Path) -> Result<Self, CacheError> {
        // A trailing slash would follow a link.
        let absolute = std::path::absolute(path).map(|path| path.components().collect());
        let folder = Self { path: absolute.map_err(|source| CacheError::Io { path: path.to_owned(), source })? };
        match folder.check() {
            Err(CacheError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(folder),
            checked => checked.map(|()| folder),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the folder if it is missing, accessible to this user only.
    pub fn make(&self) -> Result<(), CacheError> {
        let parents = self.path.parent().map_or(Ok(()), fs::create_dir_all);
        match parents.and_then(|()| file_owner::create_dir(&self.path)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(self.failed(error)),
            _ => self.check(),
        }
    }

    fn check(&self) -> Result<(), CacheError> {
        let metadata = fs::symlink_metadata(&self.path).map_err(|source| self.failed(source))?;
        check(&metadata, metadata.is_dir()).map_err(|why| CacheError::NotPrivate { path: self.path.clone(), why })
    }

    fn failed(&self, source: io::Error) -> CacheError {
        CacheError::Io { path: self.path.clone(), source }
    }

    /// All bytes of a file that only this user can have written; marks it as used now.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let (file, size) = self.open_file(name)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size as usize)?;
        (&file).take(MOST_BYTES).read_to_end(&mut bytes)?;
        // Where that fails, entries are evicted by age.
        let _ = file.set_modified(SystemTime::now());
        Ok(bytes)
    }

    /// The name of the shader in an entry.
    fn shader_name(&self, name: &str) -> Option<String> {
        let mut head = Vec::new();
        let (file, _) = self.open_file(name).ok()?;
        file.take(entry::HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
        entry::name(&head).map(str::to_owned)
    }

    /// A file that only this user can have written, and its size.
    fn open_file(&self, name: &str) -> io::Result<(File, u64)> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            // Never through a link, and never to wait for the other end of a pipe.
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
        }
        let file = options.open(self.path.join(name))?;
        let metadata = file.metadata()?;
        check(&metadata, metadata.is_file()).map_err(|why| io::Error::new(io::ErrorKind::PermissionDenied, why))?;
        if metadata.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok((file, metadata.len()))
    }

    /// Puts a file into the folder atomically. A system crash may leave it truncated.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), CacheError> {
        let write = || {
            let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.path)?;
            file.write_all(bytes)?;
            file.persist(self.path.join(name))?;
            Ok(())
        };
        write().map_err(|source| self.failed(source))
    }

    /// All entries, most recently used first.
    pub fn entries(&self) -> io::Result<Vec<CacheEntry>> {
        let mut entries = self.list()?.entries;
        entries.iter_mut().for_each(|entry| entry.shader = self.shader_name(&entry.name));
        Ok(entries)
    }

    /// Removes all entries and unfinished files. Returns the entries.
    pub fn clear(&self) -> io::Result<Vec<CacheEntry>> {
        let Listing { entries, unfinished } = self.list()?;
        entries.iter().chain(&unfinished).try_for_each(|file| self.remove(file))?;
        Ok(entries)
    }

    /// Ensures that `size` more bytes fit under the cap, if necessary by removing the least recently used entries, a
    /// few more than needed. Returns the bytes that may be stored before this must be called again: not all that
    /// remain, since other processes store here too.
    pub fn make_room(&self, size: u64, cap_bytes: u64) -> Result<u64, CacheError> {
        let make_room = || {
            if size > cap_bytes {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let Listing { mut entries, unfinished } = self.list()?;
            // A time in the future counts as now.
            let is_abandoned = |file: &&CacheEntry| file.last_used.elapsed().unwrap_or_default() >= ABANDONED;
            unfinished.iter().filter(is_abandoned).try_for_each(|file| self.remove(file))?;
            let mut used: u64 = entries.iter().map(|entry| entry.size_bytes).sum();
            if used.saturating_add(size) > cap_bytes {
                let enough = (cap_bytes - cap_bytes / 8).min(cap_bytes - size);
                while used > enough
                    && let Some(entry) = entries.pop()
                {
                    // A file that cannot be removed keeps occupying space.
                    if self.remove(&entry).is_ok() {
                        used -= entry.size_bytes;
                    }
                }
            }
            match cap_bytes.checked_sub(used) {
                Some(left) if left >= size => Ok(left.min(size.max(cap_bytes / 16))),
                _ => Err(io::ErrorKind::StorageFull.into()),
            }
        };
        make_room().map_err(|source| self.failed(source))
    }

    /// Removes a file, unless another process already has.
    fn remove(&self, file: &CacheEntry) -> io::Result<()> {
        match fs::remove_file(self.path.join(&file.name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The cache's files in the folder, which may be missing.
    fn list(&self) -> io::Result<Listing> {
        let mut listing = Listing::default();
        let files = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
            files => files?,
        };
        for file in files {
            let file = file?;
            let Ok(name) = file.file_name().into_string() else { continue };
            let list = match is_unfinished(&name) {
                true => &mut listing.unfinished,
                false if Key::is_file_name(&name) => &mut listing.entries,
                false => continue,
            };
            match file.metadata() {
                // Another process has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                metadata => {
                    let metadata = metadata?;
                    if metadata.is_file() {
                        let (size_bytes, last_used) = (metadata.len(), metadata.modified()?);
                        list.push(CacheEntry { name, shader: None, size_bytes, last_used });
                    }
                }
            }
        }
        listing.entries.sort_by(|a, b| b.last_used.cmp(&a.last_used).then_with(|| a.name.cmp(&b.name)));
        Ok(listing)
    }
}

/// Checks that only this user can have written a file or folder, and that it is of the right kind.
fn check(metadata: &Metadata, right_kind: bool) -> Result<(), NotPrivate> {
    if !right_kind {
        Err(NotPrivate::Kind)
    } else if !file_owner::is_own(metadata) {
        Err(NotPrivate::Owner)
    } else if file_owner::others_can_write(metadata) {
        Err(NotPrivate::Writable)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::open(&parent.path().join("deep/cache/")).unwrap();
        (parent, folder)
    }

    fn name(n: u8) -> String {
        format!("{}.code", format!("{n:02x}").repeat(32))
    }

    /// Stores an entry that was used some minutes ago.
    fn put(folder: &Folder, n: u8, size: usize, minutes: u64) {
        folder.make().unwrap();
        folder.write(&name(n), &vec![n; size]).unwrap();
        let file = File::options().append(true).open(folder.path().join(name(n))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
    }

    fn names(folder: &Folder) -> Vec<String> {
        folder.entries().unwrap().into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn room_is_made_by_removing_what_was_used_longest_ago() {
        let (_parent, folder) = folder();
        put(&folder, 1, 100, 30);
        put(&folder, 2, 100, 20);
        put(&folder, 3, 100, 10);
        fs::write(folder.path().join("notes.txt"), [0; 5000]).unwrap();
        assert_eq!(names(&folder), [name(3), name(2), name(1)]);
        // Everything fits, and a sixteenth of the cap may be stored.
        assert_eq!(folder.make_room(10, 1600).unwrap(), 100);
        assert_eq!(folder.make_room(10, 310).unwrap(), 10);
        assert_eq!(names(&folder).len(), 3);
        // Reading counts as use.
        assert_eq!(folder.read(&name(1)).unwrap(), [1; 100]);
        assert_eq!(folder.make_room(100, 320).unwrap(), 100);
        assert_eq!(names(&folder), [name(1), name(3)]);
        // More than the cap never fits, and nothing is removed for it.
        assert!(folder.make_room(301, 300).is_err());
        assert_eq!(names(&folder).len(), 2);
        assert!(folder.path().join("notes.txt").exists());
    }

    #[test]
    fn what_a_process_left_unfinished_is_removed_once_it_is_old() {
        let (_parent, folder) = folder();
        put(&folder, 1, 1, 0);
        for (name, minutes) in [("aaaaaa", 59), ("bbbbbb", 61)] {
            let file = File::create(folder.path().join(format!("{UNFINISHED}{name}"))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
        }
        // Another program's.
        File::create(folder.path().join(format!("{UNFINISHED}draft"))).unwrap();
        folder.make_room(1, 1000).unwrap();
        let left = || fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left(), 3);
        assert_eq!(folder.clear().unwrap().len(), 1);
        assert_eq!(left(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_private_folders_and_files_are_used() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let (parent, folder) = folder();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let set = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let why = |path: &Path| match Folder::open(path) {
            Err(CacheError::NotPrivate { why, .. }) => Some(why),
            _ => None,
        };
        put(&folder, 1, 1, 0);
        let file = folder.path().join(name(1));
        assert_eq!((mode(folder.path()), mode(&file)), (0o700, 0o600));

        let link = parent.path().join("link");
        symlink(folder.path(), &link).unwrap();
        assert_eq!(why(&link), Some(NotPrivate::Kind));
        assert_eq!(why(&link.join("")), Some(NotPrivate::Kind));
        assert_eq!(why(&file), Some(NotPrivate::Kind));
        for wrong in [0o720, 0o702, 0o777] {
            set(folder.path(), wrong);
            assert_eq!(why(folder.path()), Some(NotPrivate::Writable));
            assert!(folder.make().is_err());
        }
        set(folder.path(), 0o755);
        assert_eq!(why(folder.path()), None);

        for wrong in [0o620, 0o602] {
            set(&file, wrong);
            assert_eq!(folder.read(&name(1)).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
        set(&file, 0o644);
        assert_eq!(folder.read(&name(1)).unwrap(), [1]);
        symlink(&file, folder.path().join(name(2))).unwrap();
        assert!(folder.read(&name(2)).is_err());
        assert_eq!(names(&folder), [name(1)]);
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join(name(3)), rustix::fs::Mode::RUSR).unwrap();
        assert!(folder.read(&name(3)).is_err());
        // Folders of other users cannot be made without privileges; this one already exists.
        if !file_owner::is_own(&fs::metadata("/").unwrap()) {
            assert_eq!(why(Path::new("/")), Some(NotPrivate::Owner));
        }
    }
}
