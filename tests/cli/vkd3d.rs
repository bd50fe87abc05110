//! Tests `--compiler vkd3d`: the supported versions, their arguments, the positions in their messages, and their known
//! bugs.
#![cfg(unix)]

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::{Folder, Run};

const SOURCE: &str = "RWByteAddressBuffer u0;\n[numthreads(1, 1, 1)]\nvoid main() { u0.Store(0, foo); }\n";

const JOB: &str = "shader = \"x y.hlsl\"\ndispatch = [1, 1, 1]\n[t0]\nraw = 1024\nfill = \"zero\"\n[t1]\nraw = 1024\nfill = \"zero\"\n[u0]\nraw = 1024\n";

/// The output of Debian's version 2.1, with another version number.
fn version(number: &str) -> String {
    format!("vkd3d shader compiler version {number} using vkd3d-shader {number} (Debian {number}+ds-1)")
}

/// A program that knows its version; `compile` is run where it compiles, with `$out` set, and `preprocess` for `-E`.
fn program(folder: &Folder, version: &str, compile: &str, preprocess: &str) {
    let text = format!(
        "#!/bin/sh\nfor word; do\n  case \"$last\" in -o) out=$word;; esac\n  case \"$word\" in\n  --version) {version}; exit;;\n  \
         -E) only=1;;\n  esac\n  last=$word\ndone\nif [ \"$only\" ]; then {preprocess}; exit; fi\n\
         echo \"$@\" | sed \"s|$out|OUT|\" > \"$TOP/called.txt\"\n{compile}\n"
    );
    fs::create_dir_all(folder.path("bin")).unwrap();
    folder.write("bin/vkd3d-compiler", text);
    fs::set_permissions(folder.path("bin/vkd3d-compiler"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn folder(number: &str, compile: &str) -> Folder {
    let folder = Folder::new();
    folder.write("x y.hlsl", SOURCE).write("job.toml", JOB);
    program(&folder, &format!("echo '{}'", version(number)), compile, "exit 1");
    folder
}

/// Runs a command with the folder's programs before all others.
fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut folders = vec![folder.path("bin")];
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let mut command = folder.command(arguments);
    command.env("PATH", env::join_paths(folders).unwrap()).env("TOP", folder.folder.path());
    command
}

fn brolga(folder: &Folder, arguments: &[&str]) -> Run {
    Run::of(command(folder, arguments).output().unwrap())
}

const RUN: [&str; 4] = ["run", "job.toml", "--compiler", "vkd3d"];
const COPY: &str = "cp \"$TOP/add.cso\" \"$out\"";

#[test]
fn it_is_called_with_the_arguments_for_a_profile() {
    let folder = folder("2.1", COPY);
    let run = brolga(&folder, &RUN);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    let called = || fs::read_to_string(folder.path("called.txt")).unwrap();
    assert_eq!(called(), "-x hlsl -b dxbc-tpf -p cs_5_0 -e main -o OUT x y.hlsl\n");
    // The environment, a path instead of the name, and the other commands.
    let path = folder.path("bin/vkd3d-compiler");
    let run = Run::of(command(&folder, &["run", "job.toml"]).env("BROLGA_COMPILER", "vkd3d").output().unwrap());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    for name in [path.to_str().unwrap(), "./bin/vkd3d-compiler", "vkd3d-compiler"] {
        fs::remove_file(folder.path("called.txt")).unwrap();
        let run = brolga(&folder, &["info", "x y.hlsl", "--compiler", name, "--profile", "cs_4_1", "--entry", "other"]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{name}");
        assert_eq!(called(), "-x hlsl -b dxbc-tpf -p cs_4_1 -e other -o OUT x y.hlsl\n");
    }
    for (profile, target) in [("vs_1_1", "d3dbc"), ("ps_2_b", "d3dbc"), ("ps_3_0", "d3dbc"), ("ps_4_0", "dxbc-tpf")] {
        brolga(&folder, &["info", "x y.hlsl", "--compiler", "vkd3d", "--profile", profile]).fails(0, &[]);
        assert_eq!(called(), format!("-x hlsl -b {target} -p {profile} -e main -o OUT x y.hlsl\n"));
    }
    // Included files are looked for where it runs.
    fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/-a.hlsl", SOURCE);
    brolga(&folder, &["info", "sub/-a.hlsl", "--compiler", "./bin/vkd3d-compiler"]).fails(0, &[]);
    assert_eq!(called(), "-x hlsl -b dxbc-tpf -p cs_5_0 -e main -o OUT ./-a.hlsl\n");
}

#[test]
fn versions_that_cannot_compile_are_refused_before_they_do() {
    for number in ["1.2", "1.18", "2.0", "0.9", "2"] {
        let folder = folder(number, "echo compiled > \"$TOP/compiled.txt\"");
        let found = if number == "2" { "2.0" } else { number };
        let first = format!("bin/vkd3d-compiler` is version {found}, and 2.1 is the first that compiles HLSL");
        brolga(&folder, &RUN).fails(2, &["x y.hlsl is not compiled: `", &first, "docs/compile.md", "[job.toml:1:10]"]);
        brolga(&folder, &["dis", "x y.hlsl", "--compiler", "vkd3d"]).fails(2, &[&first]);
        assert!(!folder.path("compiled.txt").exists());
    }
    for number in ["2.1", "2.10", "2.1-rc1", "3.0", "10.0"] {
        brolga(&folder(number, COPY), &RUN).fails(0, &[]);
    }
}

#[test]
fn programs_that_do_not_say_their_version_are_refused() {
    for (said, part) in [
        (
            "echo 'some tool 7.3'; echo 2",
            "--version` printed `some tool 7.3` instead of `vkd3d shader compiler version 2.1`",
        ),
        ("echo 'vkd3d shader compiler version new' >&2", "printed `vkd3d shader compiler version new` instead of"),
        ("true", "printed nothing instead of"),
        ("exit 1", "printed nothing instead of"),
        ("head -c 100000 /dev/zero | tr '\\0' a", "aaa…` instead of"),
        ("printf '\\377\\033[31m\\n'", "instead of"),
        ("exec yes", "it printed more than 16777216 bytes"),
    ] {
        let folder = folder("2.1", COPY);
        program(&folder, said, COPY, "exit 1");
        let run = brolga(&folder, &RUN);
        run.fails(2, &["x y.hlsl is not compiled: ", part]);
        assert!(run.err.len() < 10_000 && !run.err.contains('\u{1b}'), "{}", run.err);
    }
    let folder = folder("2.1", COPY);
    program(&folder, "exec sleep 1000", COPY, "exit 1");
    let run = brolga(&folder, &[&RUN[..], &["--timeout", "0.05"]].concat());
    run.fails(3, &["x y.hlsl is not compiled: `", "bin/vkd3d-compiler` was stopped after 50.00 ms"]);
}

#[test]
fn where_it_is_absent_or_the_profile_is_not_its_own_the_way_is_told() {
    let folder = folder("2.1", COPY);
    let run = Run::of(folder.command(&RUN).env("PATH", folder.path("absent")).output().unwrap());
    run.fails(2, &["`vkd3d-compiler` is not on the PATH: install version 2.1 or later", "docs/compile.md"]);
    brolga(&folder, &["run", "job.toml", "--compiler", "/absent/vkd3d-compiler"])
        .fails(2, &["`/absent/vkd3d-compiler` cannot be run: "]);
    for profile in ["cs_6_0", "lib_6_3", "ps_6_7"] {
        let run = brolga(&folder, &["info", "x y.hlsl", "--compiler", "vkd3d", "--profile", profile]);
        run.fails(2, &[&format!("{profile} is a profile of shader model 6 or later"), "cs_5_1"]);
    }
    assert!(!folder.path("called.txt").exists());
}

/// Messages are those of 2.1 about `SOURCE`, whose line it counts in other columns.
#[test]
fn messages_lead_to_their_places() {
    let unknown = "echo 'vkd3d:7:fixme:vkd3d:x y.' >&2\n\
        echo 'x y.hlsl:3:34: E5005: Identifier \"foo\" is not declared.' >&2\n\
        echo 'Failed to compile shader, ret -4.' >&2\nexit 1";
    let place = [
        "× E5005: Identifier \"foo\" is not declared.",
        "[x y.hlsl:3:27]",
        "is not compiled: line 3: E5005: Identifier",
    ];
    let first = folder("2.1", unknown);
    brolga(&first, &RUN).fails(2, &place);
    // A warning, and a shader.
    let second =
        folder("2.1", &format!("echo 'x y.hlsl:3:17: W5300: Implicit truncation of vector type.' >&2\n{COPY}"));
    brolga(&second, &RUN).fails(0, &["⚠ W5300: Implicit truncation of vector type.", "[x y.hlsl:3:17]"]);
    // Without a position.
    for (said, part) in [
        (
            "x y.hlsl: E5005: Entry point \"nope\" is not defined.",
            "is not compiled: E5005: Entry point \"nope\" is not",
        ),
        ("E5033: Unknown target profile 'cs_5_9'.", "is not compiled: E5033: Unknown target profile 'cs_5_9'."),
        ("Unable to open 'a' for writing.", "is not compiled: Unable to open 'a' for writing."),
    ] {
        let said = said.replace('\'', "'\\''");
        let folder = folder("2.1", &format!("echo 'vkd3d:7:err:vkd3d:x y.' >&2\necho '{said}' >&2\nexit 1"));
        brolga(&folder, &RUN).fails(2, &[part]);
    }
    let third = folder("2.1", &format!("echo 'x y.hlsl: W4305: Unterminated #if block.' >&2\n{COPY}"));
    brolga(&third, &RUN).fails(0, &["⚠ W4305: Unterminated #if block."]);
}

/// The output of 2.1 for this source. It counts lines in preprocessed text, in which included files are longer than the
/// line that includes them, and comments shorter.
#[test]
fn lines_of_preprocessed_text_lead_to_the_source() {
    let folder = folder("2.1", "");
    let said = "echo 'x y.hlsl:8:34: E5005: Identifier \"foo\" is not declared.'; echo 'x y.hlsl:4:15: W5300: Implicit truncation of vector type.'; \
        exit 1";
    let preprocess = "printf '\\n\\n\\nfloat f ( ) { return float2 ( 0 , 1 ) ; } \\n\\nRWByteAddressBuffer u0 ; \\n[ numthreads ( 1 , 1 , 1 ) ] \\n\
        void main ( ) { u0 . Store ( 0 , foo ) ; } \\n\\n' > \"$out\"";
    program(&folder, &format!("echo '{}'", version("2.1")), said, preprocess);
    folder.write("x y.hlsl", format!("/* One\n * two\n * three */\n#include \"f.hlsli\"\n{SOURCE}"));
    folder.write("f.hlsli", "\nfloat f() { return float2(0, 1); }\n");
    brolga(&folder, &RUN).fails(
        2,
        &["[x y.hlsl:7:27]", "[f.hlsli:2:13]", "is not compiled: line 7: E5005: Identifier \"foo\" is not declared."],
    );
    let said = "echo 'x y.hlsl:4:15: E5002: Expression type is wrong.'; exit 1";
    program(&folder, &format!("echo '{}'", version("2.1")), said, preprocess);
    brolga(&folder, &RUN).fails(2, &["[f.hlsli:2:13]", "f.hlsli, line 2: E5002: Expression type is wrong."]);
}

#[test]
fn arrays_that_it_compiles_wrongly_are_shown() {
    let folder = folder("2.1", COPY);
    folder.write("x y.hlsl", format!("// groupshared float t[2][2];\ngroupshared float tile[8][16];\n{SOURCE}"));
    let parts =
        ["⚠ vkd3d-compiler loses all but the last index", "[x y.hlsl:2:19]", "`tile[8 * 16]`", "`tile[y * 16 + x]`"];
    let line = "vkd3d-compiler -x hlsl -b dxbc-tpf -p {profile} -e {entry} -o {output} {input}";
    for compiler in ["vkd3d", line] {
        let run = brolga(&folder, &["run", "job.toml", "--compiler", compiler]);
        run.fails(0, &parts);
        assert_eq!(run.err.matches('⚠').count(), 1, "{}", run.err);
    }
    // Another compiler knows better.
    folder.write("fxc", COPY.replace("$out", "$7"));
    let run =
        brolga(&folder, &["run", "job.toml", "--compiler", "sh fxc -T {profile} -E {entry} -Fo {input} {output}"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}

#[test]
fn a_compiler_on_the_path_is_named_and_not_started() {
    let folder = folder("2.1", "");
    let on = |folder: &Folder, arguments: &[&str]| {
        Run::of(
            folder
                .command(arguments)
                .env("PATH", folder.path("bin"))
                .env("TOP", folder.folder.path())
                .output()
                .unwrap(),
        )
    };
    let help = "docs/compile.md says how; `vkd3d-compiler` is on the PATH: `--compiler vkd3d` compiles with it";
    for command in ["info", "dis"] {
        on(&folder, &[command, "x y.hlsl"]).fails(2, &["this is HLSL", help]);
    }
    let run = on(&folder, &["validate", "x y.hlsl"]);
    assert!(run.code == Some(1) && run.out.contains(help), "{}{}", run.out, run.err);
    folder.write("bin/fxc", "#!/bin/sh\n");
    let run = on(&folder, &["info", "x y.hlsl"]);
    assert!(run.err.contains("`--compiler vkd3d`"), "only programs count: {}", run.err);
    fs::set_permissions(folder.path("bin/fxc"), fs::Permissions::from_mode(0o755)).unwrap();
    on(&folder, &["info", "x y.hlsl"]).fails(2, &["`fxc` is on the PATH: `--compiler fxc` compiles with it"]);
    let run = Run::of(folder.command(&["info", "x y.hlsl"]).env("PATH", "").output().unwrap());
    run.fails(2, &["this is HLSL"]);
    assert!(!run.err.contains("on the PATH"), "{}", run.err);
    assert!(!folder.path("called.txt").exists());
}

/// The program of this machine, if there is one; the expectation depends on its version.
#[test]
fn the_real_program_compiles_or_is_refused() {
    let Some(path) = env::var_os("PATH").and_then(|folders| {
        env::split_paths(&folders).map(|folder| folder.join("vkd3d-compiler")).find(|path| path.is_file())
    }) else {
        return;
    };
    let said = Command::new(&path).arg("--version").output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    let folder = Folder::new();
    let source = "/* A\n * comment */\n#include \"b.hlsli\"\n[numthreads(1, 1, 1)] void main() { o.Store(0, 7); }\n";
    fs::create_dir(folder.path("sub")).unwrap();
    folder.write("sub/a.hlsl", source).write("sub/b.hlsli", "RWByteAddressBuffer o;\n");
    folder.write(
        "sub/c.hlsl",
        source.replace("o.Store(0, 7)", "float x = smoothstep(0, 1, 2);\n  o.Store(0, x + nothing)"),
    );
    let info = |file: &str| folder.brolga(&["info", file, "--compiler", "vkd3d"]);
    let is_old = ["version 0.", "version 1.", "version 2.0 "].iter().any(|old| said.contains(old));
    if is_old {
        info("sub/a.hlsl").fails(2, &["a.hlsl is not compiled", "is version ", "2.1 is the first that compiles HLSL"]);
    } else {
        let run = info("sub/a.hlsl");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        info("sub/c.hlsl").fails(2, &["E5005", "[sub/c.hlsl:5:18]", "line 5: "]);
    }
}
