//! Checks when numbers change: Cargo builds a program of four crates again and again, with a different change each
//! time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A workspace in which `program` prints the numbers of `compiler`, which depends on `generator`, which depends on
/// `allocator`; tests of `compiler` need `checker`.
struct Workspace(PathBuf);

const COMPILER: &str = "\
[package]
name = 'compiler'
version = '1.0.0'
edition = '2024'
links = 'compiler'

[dependencies]
generator = { path = '../generator' }

[build-dependencies]
brolga-fingerprint = { path = 'FINGERPRINT' }
";

const PROGRAM: &str = "\
[workspace]
members = ['allocator', 'checker', 'compiler', 'generator']

[package]
name = 'program'
version = '1.0.0'
edition = '2024'

[dependencies]
brolga-fingerprint = { path = 'FINGERPRINT' }
compiler = { path = 'compiler' }
";

/// Prints the number of the build and that of the sources.
const MAIN: &str = "\
fn main() {
    let [build, sources] = [brolga_fingerprint::of_build::<compiler::Compiled>().to_string(), env!(\"SOURCES\").to_owned()];
    println!(\"{build} {sources}\");
}
";

fn crate_named(name: &str, version: &str) -> String {
    format!("[package]\nname = '{name}'\nversion = '{version}'\nedition = '2024'\n\n[features]\nmore = []\n")
}

impl Workspace {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numbers");
        _ = fs::remove_dir_all(&root);
        let workspace = Self(root);
        workspace.write("Cargo.toml", PROGRAM);
        workspace.write("src/main.rs", MAIN);
        workspace.write(
            "build.rs",
            "fn main() { println!(\"cargo::rustc-env=SOURCES={}\", std::env::var(\"DEP_COMPILER_SOURCES\").unwrap()) }",
        );
        workspace.write("compiler/Cargo.toml", COMPILER);
        workspace.write("compiler/build.rs", "fn main() { brolga_fingerprint::publish() }");
        workspace.write("compiler/src/lib.rs", "pub use generator as _;\npub struct Compiled;");
        let dependency = "\n[dependencies]\nallocator = { path = '../allocator' }\n";
        workspace.write("generator/Cargo.toml", &(crate_named("generator", "1.0.0") + dependency));
        workspace.write("generator/src/lib.rs", "");
        workspace.write("allocator/Cargo.toml", &crate_named("allocator", "1.0.0"));
        workspace.write("allocator/src/lib.rs", "");
        workspace.write("checker/Cargo.toml", &crate_named("checker", "1.0.0"));
        workspace.write("checker/src/lib.rs", "");
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("in the workspace")).expect("a folder");
        fs::write(path, text.replace("FINGERPRINT", env!("CARGO_MANIFEST_DIR"))).expect("a file");
    }

    /// Builds and runs the program, then builds all tests; returns both numbers, and true if the compiler was built.
    fn numbers(&self) -> ([String; 2], bool) {
        let cargo = |command: &[&str]| {
            let mut cargo = Command::new(env!("CARGO"));
            cargo
                .args(command)
                .current_dir(&self.0)
                .env("CARGO_TARGET_DIR", self.0.join("target"))
                .env("CARGO_TERM_COLOR", "never");
            let output = cargo.output().expect("Cargo");
            let [out, log] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
            assert!(output.status.success(), "{command:?}: {log}");
            (out, log)
        };
        let (printed, log) = cargo(&["run", "--offline"]);
        cargo(&["test", "--offline", "--workspace", "--no-run"]);
        let (build, sources) = printed.trim().split_once(' ').expect("two numbers");
        ([build.to_owned(), sources.to_owned()], log.contains("Compiling compiler "))
    }
}

#[test]
fn numbers_are_others_for_what_can_change_machine_code_alone() {
    let workspace = Workspace::new();
    let (first, _) = workspace.numbers();

    // Changes without effect: nothing is even built again.
    let with_checker = format!("{COMPILER}\n[dev-dependencies]\nchecker = {{ path = '../checker' }}\n");
    workspace.write("compiler/Cargo.toml", &with_checker);
    assert_eq!(workspace.numbers(), (first.clone(), false), "a development dependency");
    workspace.write("checker/Cargo.toml", &crate_named("checker", "1.0.1"));
    assert_eq!(workspace.numbers(), (first.clone(), false), "another version of it");
    workspace.write("Cargo.toml", &format!("{PROGRAM}\n# Profiles.\n[profile.bench]\nopt-level = 1\n"));
    assert_eq!(workspace.numbers(), (first.clone(), false), "a comment, and a profile that this is not");

    // Changes with an effect.
    workspace.write("allocator/Cargo.toml", &crate_named("allocator", "1.0.1"));
    let (newer, is_built) = workspace.numbers();
    assert!(is_built && newer[0] != first[0] && newer[1] == first[1], "another version of a dependency's dependency");
    workspace.write("compiler/Cargo.toml", &COMPILER.replace("../generator'", "../generator', features = ['more']"));
    let (with_more, is_built) = workspace.numbers();
    assert!(is_built && with_more[0] != newer[0], "another feature of it");
    workspace.write("compiler/src/lib.rs", "pub use generator as _;\npub struct Compiled;\n// Something else.");
    let (other, is_built) = workspace.numbers();
    assert!(is_built && other[1] != first[1], "other sources");
}
