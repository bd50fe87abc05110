//! Computes fingerprints of the sources of a crate and of its build, for the keys of the disk cache.
//!
//! The cache must never run code that another version of the compiler wrote. So its keys have two kinds of numbers:
//!
//! * of the **sources** of every crate from the reading of files to machine code. A crate's build script hashes them
//!   wherever they are: in the workspace, in the folder of a registry, or in a patch of the caller's. The crate has a
//!   `links` key, so that Cargo hands the number to crates that depend on it directly.
//! * of the **build**: Cargo passes rustc a number for each crate, which differs between versions and features of any
//!   crate below it, profiles and compilers, and rustc makes it part of every `TypeId`. So the cache notices another
//!   version of Cranelift without reading a lock file. Dependencies of tests are not in it, and no build script runs
//!   again, with all that follows, because of a comment in a manifest. It excludes flags passed to rustc from outside,
//!   which do not change the behaviour of the code, and the sources of a dependency that somebody edits in situ.

use std::any::TypeId;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

/// Path of the code that the number covers, relative to a crate.
const SOURCES: &str = "src";

/// Prints the number of the sources of the crate whose build script calls this, as metadata `sources` for the crates
/// that depend on it.
///
/// # Panics
///
/// If a file of the crate cannot be read.
pub fn publish() {
    let number = of_sources();
    println!("cargo::metadata=sources={number}");
}

/// The number of the sources of the crate whose build script calls this: 16 hexadecimal digits. It depends on the
/// target.
///
/// # Panics
///
/// If a file of the crate cannot be read.
pub fn of_sources() -> String {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SOURCES}");
    let mut hasher = DefaultHasher::new();
    env::var_os("TARGET").hash(&mut hasher);
    add(Path::new(SOURCES), &mut hasher).unwrap_or_else(|error| panic!("cannot read {SOURCES}: {error}"));
    format!("{:016x}", hasher.finish())
}

/// The number of the build of the crate that defines a type, and of all crates below it.
pub fn of_build<T: 'static>() -> u64 {
    let mut hasher = DefaultHasher::new();
    TypeId::of::<T>().hash(&mut hasher);
    hasher.finish()
}

/// Adds a file, or all files in a folder, with their names.
fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    path.hash(hasher);
    if path.is_dir() {
        let mut inside: Vec<_> = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        inside.sort();
        inside.len().hash(hasher);
        inside.iter().try_for_each(|path| add(path, hasher))
    } else {
        fs::read(path)?.hash(hasher);
        Ok(())
    }
}
