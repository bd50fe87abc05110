//! Gives the build a number that is another one for any other source, `BROLGA_SOURCES`: the disk cache must never run
//! code that another version of the compiler wrote.
//!
//! It covers all that decides about machine code: the crates from the reading of files to code, their dependencies, and
//! the target, whose calling convention it follows.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::Path;

/// Relative to the workspace.
const SOURCES: [&str; 10] = [
    "Cargo.lock",
    "Cargo.toml",
    "bytecode/Cargo.toml",
    "bytecode/src",
    "ir/Cargo.toml",
    "ir/src",
    "jit/Cargo.toml",
    "jit/src",
    "runtime/Cargo.toml",
    "runtime/src",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Without the workspace, as where the crates were copied one by one, there is no number, and no cache.
    if let Ok(number) = number() {
        println!("cargo::rustc-env=BROLGA_SOURCES={number:016x}");
    }
}

fn number() -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        let path = Path::new("..").join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        add(&path, &mut hasher)?;
    }
    env::var_os("TARGET").hash(&mut hasher);
    Ok(hasher.finish())
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
