//! `brolga bench`: the form of what it prints, never the times.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{ADD, ENDLESS, Folder, Run, repository};

const RIGHT: &str = "expect = { u32 = [121, 92, 63, 34] }\n";
const WRONG: &str = "expect = { u32 = [122] }\n";

/// The document of a command with `--format json`.
#[track_caller]
fn document(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}:\n{}{}", run.out, run.err))
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_table_has_a_row_for_each_and_no_output_is_written() {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}save = \"out.bin\"\n{RIGHT}"));
    let run = folder.brolga(&["bench", "job.toml", "--rounds", "2", "--threads", "1,2", "--engine", "jit,interpreter"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    let lines: Vec<Vec<&str>> = run.out.lines().map(|line| line.split_whitespace().collect()).collect();
    let headings = ["job", "engine", "workers", "compile", "run", "least", "spread", "cpu", "ns/thread", "threads/s"];
    assert_eq!(lines[0], headings);
    // One group is work for one worker.
    let firsts: Vec<&[&str]> = lines[1..].iter().map(|line| &line[..3]).collect();
    let (jit, interpreter) = (["job", "jit", "1"], ["job", "interpreter", "1"]);
    assert_eq!(firsts, [jit, jit, interpreter, interpreter]);
    let widths: Vec<usize> = run.out.lines().map(|line| line.chars().count()).collect();
    assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{}", run.out);
    assert!(folder.leavings().is_empty());
}

#[test]
fn a_job_of_several_shaders_names_them() {
    let case = repository("tests/data/exec/append_consume");
    let run = Folder::new().brolga(&["bench", case.to_str().unwrap(), "--rounds", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().count(), 3, "{}", run.out);
    assert!(run.out.lines().next().unwrap().contains("shader"));
    assert!(run.out.contains("  shader.main.cs_5_1.cso  "), "{}", run.out);
}

#[test]
fn the_document_has_the_form_that_is_promised() {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}{RIGHT}"));
    folder.write("bad.toml", "shadr = 1\n");
    let run =
        folder.brolga(&["bench", "job.toml", "bad.toml", "--rounds", "3", "--threads", "1,2", "--format", "json"]);
    assert_eq!(run.code, Some(2));
    let document = document(&run);
    assert_eq!(keys(&document), ["passed", "interrupted", "jobs"]);
    assert_eq!((&document["passed"], &document["interrupted"]), (&Value::from(false), &Value::from(false)));
    let [job, bad] = [0, 1].map(|at| &document["jobs"][at]);
    assert_eq!(keys(job), ["job", "results", "error"]);
    assert_eq!((&job["job"], &job["error"]), (&Value::from("job.toml"), &Value::Null));
    assert_eq!(
        (&bad["error"]["line"], &bad["error"]["help"]),
        (&Value::from(1), &Value::from("did you mean `shader`?"))
    );
    assert_eq!(bad["results"], Value::Array(Vec::new()));
    let results = job["results"].as_array().unwrap();
    let of_each = |key: &str| results.iter().map(|result| result[key].clone()).collect::<Vec<_>>();
    assert_eq!((of_each("device_threads"), of_each("threads")), (vec![1.into(), 2.into()], vec![64.into(), 64.into()]));
    for result in results {
        let promised = [
            "shader",
            "engine",
            "verdict",
            "device_threads",
            "workers",
            "groups",
            "threads",
            "slots",
            "compile",
            "run",
            "ns_per_thread",
            "cpu_ns_per_thread",
            "threads_per_second",
        ];
        assert_eq!(keys(result), promised);
        assert_eq!(result["verdict"], "pass");
        assert_eq!((&result["slots"][0]["slot"], &result["slots"][0]["mismatches"]), (&"u0".into(), &0.into()));
        for what in ["compile", "run"] {
            let times = &result[what];
            assert_eq!(keys(times), ["samples", "wall", "cpu"]);
            assert_eq!(times["samples"], 3);
            assert_eq!(keys(&times["wall"]), ["least_ms", "median_ms", "spread"]);
            let number = |key: &str| times["wall"][key].as_f64().unwrap();
            assert!(number("least_ms") > 0.0 && number("median_ms") >= number("least_ms") && number("spread") >= 0.0);
        }
        assert!(result["ns_per_thread"].as_f64().unwrap() > 0.0);
        assert!(result["threads_per_second"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_time_gives_three_dispatches_at_least() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    let run = folder.brolga(&["bench", "job.toml", "--seconds", "0.000001", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let result = &document(&run)["jobs"][0]["results"][0];
    assert_eq!(result["verdict"], "done");
    assert!(result["run"]["samples"].as_u64().unwrap() >= 3, "{result}");
    assert!(result["compile"]["samples"].as_u64().unwrap() >= 1, "{result}");
}

#[test]
fn what_is_wrong_is_not_measured() {
    let folder = Folder::new();
    folder.write("wrong.toml", format!("{ADD}{WRONG}")).write("right.toml", format!("{ADD}{RIGHT}"));
    let run = folder.brolga(&["bench", "wrong.toml", "--rounds", "1"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.starts_with("FAIL  wrong  add.cso  jit") && run.out.contains("121 (0x00000079), expected 122"));
    assert!(!run.out.contains("ns/thread"), "{}", run.out);
    let run = folder.brolga(&["bench", "wrong.toml", "right.toml", "--rounds", "1", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let document = document(&run);
    let [wrong, right] = [0, 1].map(|at| &document["jobs"][at]["results"][0]);
    assert_eq!((&wrong["verdict"], &wrong["run"]["samples"]), (&"fail".into(), &0.into()));
    assert_eq!((&wrong["run"]["wall"], &wrong["ns_per_thread"]), (&Value::Null, &Value::Null));
    assert_eq!((&right["verdict"], &right["run"]["samples"]), (&"pass".into(), &1.into()));
}

#[test]
fn an_error_leaves_the_other_jobs() {
    let folder = Folder::new();
    folder.write("job.toml", ADD).write("bad.toml", ADD.replace("add.cso", "none.cso"));
    let run = folder.brolga(&["bench", "bad.toml", "job.toml", "--rounds", "1"]);
    run.fails(2, &["cannot read", "none.cso", "bad.toml:2:10"]);
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
}

#[test]
fn wrong_use_is_refused() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    for (arguments, parts) in [
        (&[][..], &["JOB"][..]),
        (&["job.toml", "--rounds", "0"], &["--rounds"]),
        (&["job.toml", "--rounds", "1", "--seconds", "1"], &["--rounds", "--seconds"]),
        (&["job.toml", "--seconds", "0"], &["no time in seconds"]),
        (&["job.toml", "--seconds", "nan"], &["no time in seconds"]),
        (&["job.toml", "--threads", "1,1025"], &["1025"]),
        (&["job.toml", "--threads", "1,,2"], &["--threads"]),
        (&["job.toml", "--engine", "both"], &["both", "interpreter"]),
        (&["none.toml"], &["none.toml", "cannot read the job"]),
        (&["add.cso"], &["add.cso", ".toml or .json"]),
    ] {
        folder.brolga(&[&["bench"], arguments].concat()).fails(2, parts);
    }
}

#[test]
fn a_time_limit_stops_an_endless_loop() {
    let folder = Folder::new();
    folder.write("job.toml", ENDLESS);
    let run = folder.brolga(&["bench", "job.toml", "--timeout", "0.05"]);
    run.fails(3, &["endless.cso", "time limit", "job.toml:1:10"]);
    assert_eq!(run.out, "");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_it() {
    let folder = Folder::new();
    folder.write("wrong.toml", format!("{ADD}{WRONG}")).write("job.toml", ENDLESS);
    let mut command = folder.command(&["bench", "wrong.toml", "job.toml"]);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first line is said right before the endless shader.
    let mut out = BufReader::new(run.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("FAIL  wrong"), "{line}");
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    Run::of(run.wait_with_output().unwrap()).fails(3, &["interrupted"]);
    assert!(!rest.contains("ns/thread"), "{rest}");
}
