//! For build scripts: a number that is another one for any other source of a crate.
//!
//! The disk cache must never run code that another version of the compiler wrote, so the number of every crate from the reading of
//! files to machine code is part of its keys. A crate hashes its own sources, wherever they lie: in the workspace, in the folder of
//! a registry, or in a patch of the caller's. It has a `links` key, so that Cargo hands the number to crates that depend on it directly.
//!
//! Versions of other dependencies count in the workspace, whose lock file is there. A published crate names the versions of
//! Cranelift, on which the layout of calls depends, exactly.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::Path;

/// Relative to a crate: what decides about its code. The workspace's files are missing where a crate was published.
const SOURCES: [&str; 4] = ["Cargo.toml", "src", "../Cargo.toml", "../Cargo.lock"];

/// Prints the number of the crate whose build script calls this, as metadata `sources` for the crates that depend on it.
///
/// # Panics
///
/// If a file of the crate cannot be read.
pub fn publish() {
    let number = number();
    println!("cargo::metadata=sources={number}");
}

/// The number of the crate whose build script calls this: 16 hexadecimal digits. It is another one for another target.
///
/// # Panics
///
/// If a file of the crate cannot be read.
pub fn number() -> String {
    println!("cargo::rerun-if-changed=build.rs");
    let mut hasher = DefaultHasher::new();
    env::var_os("TARGET").hash(&mut hasher);
    for path in SOURCES.map(Path::new).into_iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
        add(path, &mut hasher).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    }
    format!("{:016x}", hasher.finish())
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
