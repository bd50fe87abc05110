//! Finds programs in the folders of PATH. Nothing here starts them.

use std::env;
use std::path::{Path, PathBuf};

/// The name of vkd3d-compiler for `--compiler`, and its program.
pub(super) const VKD3D: (&str, &str) = ("vkd3d", "vkd3d-compiler");
/// The compilers that `--compiler` knows by name, the best first.
const NAMED: [(&str, &str); 2] = [("fxc", "fxc"), VKD3D];

/// A program's path, if a folder of PATH has it.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders = env::var_os("PATH")?;
    let mut paths = env::split_paths(&folders).map(|folder| folder.join(&file));
    let found = paths.find(|path| is_program(path))?;
    // PATH may name folders as seen from here, and the program may run in another.
    std::path::absolute(found).ok()
}

/// Advice for a source without a compiler, if one is on the PATH.
pub(in crate::cli) fn on_path() -> Option<String> {
    let (name, program) = NAMED.into_iter().find(|(_, program)| find(program).is_some())?;
    Some(format!("`{program}` is on the PATH: `--compiler {name}` compiles with it"))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
