//! Tests `--compiler`: shaders in HLSL go through another program, and its messages are shown in the source.
#![cfg(unix)]

use std::fs;
use std::process::Stdio;

use super::{Folder, Run};

/// A stub that records its arguments, and copies a compiled shader.
const STUB: &str = "echo \"called with $1 $2 $3\" > called.txt\ncp add.cso \"$4\"\n";

const COMPILER: &str = "sh 'the stub.sh' {profile} {entry} {input} {output}";

const SOURCE: &str = "RWByteAddressBuffer u0;\n[numthreads(1, 1, 1)]\nvoid main() { u0.Store(0, foo); }\n";

const JOB: &str = "shader = \"x y.hlsl\"\ndispatch = [1, 1, 1]\n[t0]\nraw = 1024\nfill = \"zero\"\n[t1]\nraw = 1024\nfill = \"zero\"\n[u0]\nraw = 1024\n";

fn folder(stub: &str) -> Folder {
    let folder = Folder::new();
    folder.write("the stub.sh", stub).write("x y.hlsl", SOURCE).write("job.toml", JOB);
    folder
}

#[test]
fn a_job_of_hlsl_runs_through_the_compiler() {
    let folder = folder(STUB);
    let run = folder.brolga(&["run", "job.toml", "--compiler", COMPILER]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert_eq!(fs::read_to_string(folder.path("called.txt")).unwrap(), "called with cs_5_0 main x y.hlsl\n");
    // The settings of the job, and the environment instead of the option.
    folder.write("job.toml", format!("profile = \"cs_4_1\"\nentry = \"other\"\n{JOB}"));
    let run = Run::of(folder.command(&["run", "job.toml"]).env("BROLGA_COMPILER", COMPILER).output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(folder.path("called.txt")).unwrap(), "called with cs_4_1 other x y.hlsl\n");
    folder.brolga(&["bench", "job.toml", "--rounds", "1", "--compiler", COMPILER]).fails(0, &[]);
}

#[test]
fn the_commands_about_shaders_compile_too() {
    let folder = folder(STUB);
    let [listing, direct] = ["x y.hlsl", "add.cso"].map(|file| folder.brolga(&["dis", file, "--compiler", COMPILER]));
    assert_eq!((listing.code, &listing.out), (Some(0), &direct.out), "{}", listing.err);
    for command in ["info", "validate"] {
        folder.brolga(&[command, "x y.hlsl", "--compiler", COMPILER, "--profile", "cs_5_1"]).fails(0, &[]);
        assert_eq!(fs::read_to_string(folder.path("called.txt")).unwrap(), "called with cs_5_1 main x y.hlsl\n");
    }
    folder.brolga(&["new", "x y.hlsl", "-o", "first.toml", "--compiler", COMPILER, "--entry", "main"]).fails(0, &[]);
    let job = fs::read_to_string(folder.path("first.toml")).unwrap();
    assert!(job.contains("shader = \"x y.hlsl\"\nprofile = \"cs_5_0\"\nentry = \"main\"\n"), "{job}");
    folder.brolga(&["run", "first.toml", "--compiler", COMPILER]).fails(0, &[]);
}

#[test]
fn what_the_compiler_says_is_shown_in_the_source() {
    let stub = "echo 'Z:\\tmp\\x y.hlsl(1,21-22): warning X1: a register'\n\
        echo 'Z:\\tmp\\x y.hlsl(3,27-29): error X3004: undeclared identifier foo' >&2\nexit 1\n";
    let folder = folder(stub);
    let run = folder.brolga(&["run", "job.toml", "--compiler", COMPILER]);
    run.fails(
        2,
        &[
            "⚠ X1: a register",
            "[x y.hlsl:1:21]",
            "× X3004: undeclared identifier foo",
            "[x y.hlsl:3:27]",
            " 3 │ void main() { u0.Store(0, foo); }",
            "                           ───",
            "x y.hlsl is not compiled: line 3: X3004: undeclared identifier foo",
            "[job.toml:1:10]",
        ],
    );
    folder.brolga(&["info", "x y.hlsl", "--compiler", COMPILER]).fails(2, &["[x y.hlsl:3:27]", "is not compiled"]);
    let run = folder.brolga(&["run", "job.toml", "--format", "json", "--compiler", COMPILER]);
    assert!(run.out.contains("line 3: X3004: undeclared identifier foo"), "{}", run.out);
}

#[test]
fn a_compiler_that_fails_otherwise_is_told_of() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "echo 'failed (80004005)'; echo '  error X3501: no entry point'; exit 3",
            COMPILER,
            "is not compiled: error X3501: no entry point",
        ),
        ("exit 3", COMPILER, "is not compiled: the compiler ended with exit status: 3"),
        ("exit 0", COMPILER, "the compiler wrote no {output}: "),
        ("", "absent-compiler", "`absent-compiler` cannot be run: "),
        ("", "sh {input}", "has {input} and no {output}"),
        ("cp job.toml \"$4\"", COMPILER, "wrote to {output} is not a shader: it is text"),
        (": > \"$4\"", COMPILER, "wrote to {output} is not a shader: it is empty"),
        ("mkdir \"$4\"", COMPILER, "wrote to {output} is not a shader: not a regular file"),
        ("printf 'AB\\0\\1' > \"$4\"", COMPILER, "not with DXBC"),
        ("exec yes", COMPILER, "it printed more than 16777216 bytes"),
    ];
    for (stub, compiler, part) in cases {
        folder(stub).brolga(&["run", "job.toml", "--compiler", compiler]).fails(2, &[part]);
    }
    // However long its lines are.
    let run =
        folder("head -c 1000000 /dev/zero | tr '\\0' a; exit 1").brolga(&["run", "job.toml", "--compiler", COMPILER]);
    run.fails(2, &["aaaa…"]);
    assert!(run.err.len() < 10_000, "{}", run.err.len());
}

#[test]
fn a_time_limit_holds_for_the_compiler_too() {
    let folder = folder("sleep 1000");
    for command in [&["run"][..], &["bench", "--rounds", "1"]] {
        let arguments = [command, &["job.toml", "--timeout", "0.01", "--compiler", COMPILER]].concat();
        folder
            .brolga(&arguments)
            .fails(3, &["x y.hlsl is not compiled: `sh` was stopped after 10.00 ms", "[job.toml:1:10]"]);
    }
}

#[test]
fn without_a_compiler_the_way_to_one_is_told() {
    let folder = folder(STUB);
    folder
        .brolga(&["run", "job.toml"])
        .fails(2, &["x y.hlsl is HLSL", "`--compiler`", "BROLGA_COMPILER", "docs/compile.md"]);
    folder.brolga(&["info", "x y.hlsl"]).fails(2, &["this is HLSL", "`--compiler`", "docs/compile.md"]);
    // A compiled shader needs no compiler.
    folder.write("job.toml", JOB.replace("x y.hlsl", "add.cso"));
    folder.brolga(&["run", "job.toml", "--compiler", "absent-compiler"]).fails(0, &[]);
}

/// The stub and its child hold a pipe, whose end is seen when both are gone.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_compiler_and_what_it_started() {
    use std::io::Read;

    let commands: [&[&str]; 5] = [
        &["run", "job.toml"],
        &["info", "x y.hlsl"],
        &["dis", "x y.hlsl"],
        &["validate", "x y.hlsl"],
        &["new", "x y.hlsl"],
    ];
    for command in commands {
        let folder = folder("sleep 1000 & echo started >&9; wait");
        folder.write("call.sh", "exec 9>&1 >out.txt; exec \"$@\"\n");
        let mut arguments = vec!["call.sh", env!("CARGO_BIN_EXE_brolga")];
        arguments.extend(command);
        arguments.extend(["--compiler", COMPILER]);
        let mut shell = std::process::Command::new("sh");
        shell.args(&arguments).current_dir(folder.folder.path()).env("BROLGA_CACHE", "");
        let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut started = [0; 8];
        pipe.read_exact(&mut started).unwrap();
        assert!(super::interrupt(&child));
        let mut rest = Vec::new();
        // Returns when no process holds the pipe any more.
        pipe.read_to_end(&mut rest).unwrap();
        let code = child.wait().unwrap().code();
        assert_eq!(code, Some(3), "{command:?}");
    }
}
