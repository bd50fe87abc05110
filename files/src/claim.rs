//! Writes output files so that nobody ever sees a partial one.
//!
//! An output is claimed before the run: its temporary file is made next to it, which finds a missing folder or a
//! missing permission before any work is lost. After the run the content is written to the temporary file, or is there
//! already, because the shader wrote to it, and the file is renamed. Dropping a claim leaves nothing behind.

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use brolga_runtime::CancelToken;
use same_file::Handle;
use tempfile::NamedTempFile;

use super::until::check;

/// Links to links that are followed; as many as systems do.
const MOST_LINKS: u32 = 40;

/// Bytes that go to the disk at once: few enough that a writer can be stopped soon.
const PIECE: u64 = 4 << 20;

/// Bytes that are reserved at once, so that this can be stopped soon too.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
const RESERVED: u64 = 64 << 20;

/// A file that is going to be written.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Claim {
    /// Makes the temporary file next to `path`. If that is a link, the file that it leads to is replaced or made, and
    /// the link stays.
    pub fn new(path: &Path) -> io::Result<Self> {
        let path = end_of_links(path)?;
        let mut builder = tempfile::Builder::new();
        let mut permissions = None;
        if path.exists() {
            if !path.is_file() {
                // A device is not replaced by a file.
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is something that is no file"));
            }
            // A file that may not be written must not be replaced either.
            permissions = Some(fs::OpenOptions::new().write(true).open(&path)?.metadata()?.permissions());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The user's mask applies, as to any file; by itself the output would be readable by its owner alone.
            let mode = permissions.as_ref().map_or(0o666, |permissions| permissions.mode() & 0o777);
            builder.permissions(fs::Permissions::from_mode(mode));
            // The mask does not apply to a mode that a file has already. Other bits are about its owner.
            permissions = permissions.map(|_| fs::Permissions::from_mode(mode));
        }
        let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.exists() {
            let message = format!("there is no folder {}", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        builder.prefix(&prefix).suffix(".part");
        // Its error names the temporary file, which would confuse: the kind alone says why.
        let temporary = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        if let Some(permissions) = permissions {
            temporary.as_file().set_permissions(permissions)?;
        }
        // One file has one name here, however the job spells it.
        let path = fs::canonicalize(folder)?.join(name);
        Ok(Self { path, temporary })
    }

    /// The file, without links on the way to it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `true` if the file that it would replace is this one, by whatever names.
    pub fn replaces(&self, other: &Path) -> bool {
        matches!([&self.path, other].map(Handle::from_path), [Ok(ours), Ok(theirs)] if ours == theirs)
    }

    /// The temporary file.
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Fills the temporary file with this many zeros, and reserves space on the disk if the system can: a process that
    /// writes to a mapped file on a full disk is killed. The token stops it.
    pub fn reserve(&self, size_bytes: u64, cancel: &CancelToken) -> io::Result<()> {
        let file = self.temporary.as_file();
        file.set_len(size_bytes)?;
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        for at in (0..size_bytes).step_by(RESERVED as usize) {
            // In memory-backed file systems this takes time.
            check(cancel)?;
            let length = RESERVED.min(size_bytes - at);
            match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), at, length) {
                Err(rustix::io::Errno::NOSPC) => return Err(io::Error::from(io::ErrorKind::StorageFull)),
                // The system cannot reserve space here.
                Err(_) => break,
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Writes the content and gives the file its name.
    pub fn commit(self, content: &[u8]) -> io::Result<()> {
        self.commit_with(&CancelToken::new(), |file| file.write_all(content))
    }

    /// The same with content that `write` writes, unless `cancel` is cancelled before the end.
    pub fn commit_with(
        mut self,
        cancel: &CancelToken,
        write: impl FnOnce(&mut Writer<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut writer = Writer { file: self.temporary.as_file_mut(), cancel, unsynced: 0 };
        write(&mut writer)?;
        writer.check()?;
        self.temporary.as_file().sync_data()?;
        self.temporary.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// `true` if links lead a path below a folder to one that is not below it. Missing files lead nowhere.
pub fn leads_out(folder: &Path, path: &Path) -> io::Result<bool> {
    let end = end_of_links(path)?;
    let parent = |path: &Path| path.parent().filter(|parent| !parent.as_os_str().is_empty()).map(Path::to_owned);
    let here = || PathBuf::from(".");
    let folder = if folder.as_os_str().is_empty() { here() } else { folder.to_owned() };
    match [folder, parent(&end).unwrap_or_else(here)].map(fs::canonicalize) {
        [Ok(folder), Ok(place)] => Ok(!place.starts_with(folder)),
        _ => Ok(false),
    }
}

/// The target of a path, if it is a link; the target need not exist.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "its links lead in a circle"))
}

/// Writes a temporary file, and returns an error once it is cancelled.
pub struct Writer<'a> {
    file: &'a mut fs::File,
    cancel: &'a CancelToken,
    /// Bytes that may not be on the disk yet.
    unsynced: u64,
}

impl Writer<'_> {
    fn check(&self) -> io::Result<()> {
        check(self.cancel)
    }

    /// Writes a shader's changes to the mapped file to the disk.
    pub fn flush_mapped(&self, buffer: &brolga_runtime::Buffer) -> io::Result<()> {
        let size = buffer.size_bytes();
        for at in (0..size).step_by(PIECE as usize) {
            self.check()?;
            buffer.flush_range(at, PIECE.min(size - at))?;
        }
        Ok(())
    }
}

impl Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check()?;
        // If this were left to the end, the disk would take long for all of it at once, and nothing could stop it.
        if self.unsynced >= PIECE {
            self.file.sync_data()?;
            self.unsynced = 0;
        }
        let written = self.file.write(&bytes[..bytes.len().min(PIECE as usize)])?;
        self.unsynced += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Writer<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_leaves_the_old_file_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        fs::write(&path, b"old").unwrap();
        drop(Claim::new(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        Claim::new(&path).unwrap().commit(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_found_at_the_claim() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Claim::new(folder.path()).is_err());
        assert!(Claim::new(&folder.path().join("missing/out.bin")).is_err());
        assert!(Claim::new(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn a_file_has_one_name_however_it_is_spelt() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        let [one, other] = ["out.bin", "inner/../out.bin"].map(|name| Claim::new(&folder.path().join(name)).unwrap());
        assert_eq!(one.path(), other.path());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_that_it_names_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Claim::new(&link).unwrap().commit(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_stays_and_leads_to_the_new_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("there")).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("there/file", &link).unwrap();
        Claim::new(&link).unwrap().commit(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(folder.path().join("there/file")).unwrap(), b"new");
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        assert!(Claim::new(&circle).unwrap_err().to_string().contains("in a circle"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for mode in [0o600, 0o640, 0o666, 0o755] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let claim = Claim::new(&path).unwrap();
            assert_eq!(claim.temporary.as_file().metadata().unwrap().permissions().mode() & 0o777, mode);
            claim.commit(b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn what_is_cancelled_while_it_is_written_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, b"old").unwrap();
        for pieces in [1, 2] {
            let cancel = CancelToken::new();
            let written = Claim::new(&path).unwrap().commit_with(&cancel, |file| {
                for _ in 0..pieces {
                    file.write_all(b"new")?;
                    cancel.cancel();
                }
                Ok(())
            });
            assert!(written.is_err());
        }
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Claim::new(&folder.path().join("missing/file")).unwrap_err().to_string();
        assert!(error.starts_with("there is no folder ") && error.ends_with("missing"), "{error}");
    }
}
