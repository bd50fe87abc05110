//! Tests completions and the manual.

use super::Folder;

const COMMANDS: [&str; 10] = ["run", "bench", "new", "dis", "asm", "info", "validate", "cache", "completions", "man"];

#[test]
fn every_shell_gets_completions_of_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = folder.brolga(&["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{shell}");
        for word in COMMANDS.iter().chain(&["timeout", "exact"]) {
            assert!(run.out.contains(word), "{shell} has no `{word}`");
        }
    }
    folder.brolga(&["completions", "tcsh"]).fails(2, &["'tcsh'", "bash"]);
}

/// Asks `bash` itself for completions.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_the_name_of_a_command() {
    let folder = Folder::new();
    folder.write("brolga.bash", folder.brolga(&["completions", "bash"]).out);
    let script =
        "source ./brolga.bash; COMP_WORDS=(brolga va); COMP_CWORD=1; _brolga brolga va brolga; echo ${COMPREPLY[@]}";
    let bash = std::process::Command::new("bash").args(["-c", script]).current_dir(folder.folder.path()).output();
    // Without bash there is nothing to test.
    if let Ok(bash) = bash {
        assert_eq!(String::from_utf8(bash.stdout).unwrap(), "validate\n");
    }
}

#[test]
fn help_has_examples_the_environment_and_exit_codes() {
    let folder = Folder::new();
    for command in COMMANDS {
        let run = folder.brolga(&[command, "--help"]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        for part in ["Examples:", &format!("  brolga {command}"), "Environment:", "NO_COLOR", "Exit codes:", "  0  "] {
            assert!(run.out.contains(part), "{command}: `{part}` is missing in:\n{}", run.out);
        }
        assert_eq!(run.out.contains("BROLGA_CACHE"), matches!(command, "run" | "bench" | "cache"), "{}", run.out);
        // The short help is short.
        assert!(!folder.brolga(&[command, "-h"]).out.contains("Examples:"));
    }
    let run = folder.brolga(&["--help"]);
    assert!(
        run.out.contains("Examples:") && run.out.contains("BROLGA_COMPILER") && run.out.contains("130"),
        "{}",
        run.out
    );
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let folder = Folder::new();
    let first = folder.brolga(&["man"]);
    assert_eq!(first.code, Some(0));
    assert!(first.out.contains(".TH brolga 1"), "{}", first.out);
    assert!(first.out.contains("Runs Direct3D shader bytecode and WGSL on the CPU"), "{}", first.out);
    folder.brolga(&["man", "share/man1"]).fails(0, &[]);
    for command in COMMANDS {
        let page = std::fs::read_to_string(folder.path(&format!("share/man1/brolga-{command}.1"))).unwrap();
        assert!(page.contains(&format!("brolga\\-{command}")), "{page}");
    }
    assert!(folder.path("share/man1/brolga.1").exists());
    for (command, parts) in [
        ("brolga-run", &["EXIT STATUS", "130", "BROLGA_CACHE", "BROLGA_COMPILER", "NO_COLOR", "EXAMPLES"][..]),
        ("brolga-bench", &["EXIT STATUS", "brolga bench blur.toml \\-\\-compare before.json"]),
        ("brolga", &["EXIT STATUS", "ENVIRONMENT", "EXAMPLES"]),
    ] {
        let page = std::fs::read_to_string(folder.path(&format!("share/man1/{command}.1"))).unwrap();
        for part in parts {
            assert!(page.contains(part), "`{part}` is missing in:\n{page}");
        }
    }
    folder.brolga(&["man", "add.cso/man1"]).fails(2, &["cannot write to add.cso/man1"]);
}
