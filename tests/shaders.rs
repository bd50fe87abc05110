//! Shaders as text with what they run on and what must come out: every file under `shaders/` is a test.
//!
//! `shaders/README.md` describes the format. With `BROLGA_BLESS=1` the expectations of files that fail are rewritten.

use std::fs;
use std::path::{Path, PathBuf};

use brolga_testing::file::{self, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

/// The extension of test files.
const EXTENSION: &str = "test";

fn main() {
    let bless = std::env::var_os("BROLGA_BLESS").is_some_and(|value| value == "1");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    collect(&root.join("tests/shaders"), &mut paths);
    paths.sort();
    let trial = |path: PathBuf| {
        let shown = path.strip_prefix(root).expect("it is below").display().to_string().replace('\\', "/");
        let name = shown.trim_start_matches("tests/shaders/").trim_end_matches(".test").to_owned();
        Trial::test(name, move || check(&path, &shown, bless))
    };
    let trials = paths.into_iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The test files of a folder and of those in it.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the tests are part of the repository") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
}

fn check(path: &Path, shown: &str, bless: bool) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    match file::check(shown, &text) {
        Verdict::Passed => Ok(()),
        Verdict::Failed { report, blessed: Some(blessed) } if bless => {
            fs::write(path, blessed)?;
            eprintln!("{report}\n\n{shown} is changed");
            Ok(())
        }
        Verdict::Failed { report, .. } => Err(report.into()),
    }
}
