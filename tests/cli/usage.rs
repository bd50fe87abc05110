//! Tests the messages for command lines that are wrong, or ask for something impossible.

use super::{ADD, Folder};

#[test]
fn a_wrong_command_line_is_told_what_would_be_right() {
    let folder = Folder::new();
    folder.write("job.toml", ADD).write("m.asm", "cs_5_0\ndcl_thread_group 1, 1, 1\nret\n");
    std::fs::create_dir(folder.path("empty")).unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["dsi", "add.cso"], &["'dsi'", "'dis'"]),
        (&["vaildate", "add.cso"], &["'vaildate'", "'validate'"]),
        (&["asm", "m.asm", "x.cso"], &["unexpected argument 'x.cso'", "`-o x.cso`"]),
        (&["dis", "add.cso", "x.asm"], &["unexpected argument 'x.asm'", "`-o x.asm`"]),
        (&["run", "job.toml", "--threads", "-1"], &["-1 is not in 0..=1024"]),
        (&["bench", "job.toml", "--threads", "-1"], &["-1 is not in 0..=1024"]),
        (&["run", "job.toml", "--timeout", "-1"], &["`-1` is not a time in seconds greater than 0"]),
        (&["bench", "job.toml", "--rounds", "-1"], &["-1 is not in 1..=1000000"]),
        (&["bench", "job.toml", "--engine", "jit,jit"], &["`--engine` names an engine twice", "measured once"]),
        (&["bench", "job.toml", "--threads", "2,1,2"], &["`--threads` has a number twice", "measured once"]),
        (&["run", "job.toml", "--emit", "ir", "--format", "json"], &["mutually exclusive", "leave one of them out"]),
        (
            &["run", "job.toml", "--emit", "asm", "--engine", "interpreter"],
            &["the interpreter", "leave `--engine` out"],
        ),
        (&["run", "job.toml", "--emit", "ir", "--engine", "both"], &["mutually exclusive", "choose one engine"]),
        (
            &["run", "empty"],
            &["empty", "neither a document.toml nor a scene.json nor a case.json", "name any other file"],
        ),
    ];
    for (arguments, parts) in cases {
        let run = folder.brolga(arguments);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{arguments:?}");
        for part in *parts {
            assert!(run.err.contains(part), "{arguments:?}: `{part}` is missing in:\n{}", run.err);
        }
    }
    folder.brolga(&["run", "job.toml", "--emit", "ir", "--engine", "interpreter"]).fails(0, &[]);
}

#[test]
fn each_of_several_listings_names_its_shader() {
    let folder = Folder::new();
    folder.write("job.toml", ADD).write("other.toml", ADD);
    let heads = |arguments: &[&str], mark: char| {
        let run = folder.brolga(&[&["run"], arguments].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{arguments:?}");
        let is_head = |line: &&str| line.starts_with(mark) && line.contains(".cso");
        run.out.lines().filter(is_head).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(heads(&["job.toml", "--emit", "ir"], '#'), [""; 0]);
    for (form, mark) in [("ir", '#'), ("asm", ';')] {
        let expected = ["job.toml: add.cso", "other.toml: add.cso"].map(|name| format!("{mark} {name}"));
        assert_eq!(heads(&["job.toml", "other.toml", "--emit", form], mark), expected);
    }
    folder.write("job.toml", ADD.replace("shader = \"add.cso\"", "shaders = [\"add.cso\", \"add.cso\"]"));
    assert_eq!(heads(&["job.toml", "--emit", "clif"], ';'), ["; add.cso", "; add.cso"]);
}

#[test]
fn the_repair_of_a_broken_rule_comes_first() {
    let folder = Folder::new();
    folder.write("bad.asm", "cs_5_0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\nmov r9.x, l(1)\nret\n");
    let run = folder.brolga(&["asm", "bad.asm", "-o", "bad.cso"]);
    run.fails(2, &["r9 is not declared", "`dcl_temps` says 2; make it 10", "`--unchecked` writes it nevertheless"]);
    assert!(run.err.find("make it 10") < run.err.find("--unchecked"), "{}", run.err);
    folder.brolga(&["asm", "bad.asm", "-o", "bad.cso", "--unchecked"]).fails(0, &[]);
    let run = folder.brolga(&["validate", "bad.cso"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.ends_with(": r9 is not declared; help: `dcl_temps` says 2; make it 10\n"), "{}", run.out);
}

/// With names and without them the tables of `brolga info` are of one language: that of jobs.
#[test]
fn kinds_are_named_alike_with_and_without_names() {
    let folder = Folder::new();
    let named = folder.brolga(&["info", "image.cso"]).out;
    let listing = folder.brolga(&["dis", "image.cso"]).out;
    let bare: Vec<&str> = listing.lines().filter(|line| !line.starts_with("//")).collect();
    folder.write("bare.asm", bare.join("\n")).brolga(&["asm", "bare.asm", "-o", "bare.cso"]).fails(0, &[]);
    let bare = folder.brolga(&["info", "bare.cso"]).out;
    for text in [named, bare] {
        assert!(text.lines().any(|line| line.starts_with("  u0 ") && line.contains("  texture2d  ")), "{text}");
    }
}
