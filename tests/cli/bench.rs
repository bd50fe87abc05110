//! Tests `brolga bench`: the format of its output, never the times.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::Value;

use super::{ADD, ENDLESS, Folder, Run, repository};

const RIGHT: &str = "expect = { u32 = [121, 92, 63, 34] }\n";
/// The stages of compiling.
const STAGES: [&str; 9] = ["decode", "validate", "translate", "passes", "verify", "lower", "codegen", "widen", "link"];
const WRONG: &str = "expect = { u32 = [122] }\n";

/// The document of a command with `--format json`.
#[track_caller]
fn document(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}:\n{}{}", run.out, run.err))
}

/// The keys of an object, between spaces.
fn keys(object: &Value) -> String {
    object.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The tables of a command, each as its lines and those as their cells.
fn tables(out: &str) -> Vec<Vec<Vec<&str>>> {
    // Cells are separated by two spaces or more.
    let cells = |line| str::split(line, "  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    out.split("\n\n").map(|table| table.lines().map(cells).collect()).collect()
}

#[test]
fn tables_have_a_row_for_each_and_no_output_is_written() {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}save = \"out.bin\"\n{RIGHT}"));
    let run = folder.brolga(&["bench", "job.toml", "--rounds", "2", "--threads", "1,2", "--engine", "jit,interpreter"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    let [runs, shaders] = &tables(&run.out)[..] else { panic!("two tables, in {}", run.out) };
    let headings =
        ["document", "engine", "threads", "workers", "run", "least", "spread", "cpu", "ns/thread", "rate", "scaling"];
    assert_eq!(runs[0], headings);
    // One group is work for one worker.
    let firsts: Vec<&[&str]> = runs[1..].iter().map(|line| &line[..4]).collect();
    let row = |engine, threads| ["job", engine, threads, "1"];
    let expected = [row("jit", "1"), row("jit", "2"), row("interpreter", "1"), row("interpreter", "2")];
    assert_eq!(firsts, expected);
    let [stages, code] = [&STAGES[..], &["compile", "code", "frame", "vectors", "spills", "reloads"]];
    assert_eq!(shaders[0], [&["document", "engine"], stages, code].concat());
    // Both engines, whatever the threads. The interpreter has no machine code.
    assert_eq!(shaders[1..].iter().map(|line| line[1]).collect::<Vec<_>>(), ["jit", "interpreter"]);
    assert!(shaders[2].ends_with(&["-"; 5]), "{}", run.out);
    for table in run.out.split("\n\n") {
        let widths: Vec<usize> = table.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{}", run.out);
    }
    assert!(folder.leavings().is_empty());
}

#[test]
fn a_job_of_several_shaders_names_them() {
    let case = repository("tests/data/exec/append_consume");
    let run = Folder::new().brolga(&["bench", case.to_str().unwrap(), "--rounds", "1", "--threads", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for table in tables(&run.out) {
        assert_eq!((table.len(), table[0][1]), (3, "shader"), "{}", run.out);
        assert_eq!(table[2][1], "shader.main.cs_5_1.cso");
    }
}

/// One case of the suite at its full size, with its expected results.
#[test]
fn the_suite_is_checked_and_measured() {
    let folder = Folder::new();
    let arguments = ["bench", "--only", "tiny,saxpy_l2", "--rounds", "1", "--threads", "1,2"];
    let run = folder.brolga(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let document = document(&run);
    let cases = document["documents"].as_array().unwrap();
    // In the order of the suite, not of the option.
    assert_eq!(cases.iter().map(|case| case["document"].as_str().unwrap()).collect::<Vec<_>>(), ["saxpy_l2", "tiny"]);
    let saxpy = cases[0]["results"].as_array().unwrap();
    assert_eq!(saxpy.len(), 2);
    for (result, threads) in saxpy.iter().zip([1.0, 2.0]) {
        assert_eq!(
            (&result["verdict"], &result["groups"], &result["threads"]),
            (&"pass".into(), &256.into(), &65536.into())
        );
        // Two floats in and one out for each.
        let work = serde_json::json!({ "items": 65536, "item": "elements", "bytes": 786_432, "operations": null });
        assert_eq!(result["work"], work);
        let number = |value: &Value| value.as_f64().unwrap();
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} is not {b}");
        let run_ms = number(&result["run"]["wall"]["median_ms"]);
        near(number(&result["bytes_per_second"]), 786_432.0 / (run_ms / 1e3));
        // In a run as quick as this, a second thread may or may not be woken, depending on the machine.
        if number(&result["workers"]) < threads {
            assert_eq!((&result["speedup"], &result["scaling"]), (&Value::Null, &Value::Null));
            continue;
        }
        near(number(&result["speedup"]), number(&saxpy[0]["run"]["wall"]["median_ms"]) / run_ms);
        near(number(&result["scaling"]), number(&result["speedup"]) / threads);
    }
    // One group is work for one worker, whose times say nothing of two.
    let tiny = &cases[1]["results"][1];
    assert_eq!((&tiny["device_threads"], &tiny["workers"]), (&2.into(), &1.into()));
    assert_eq!((&tiny["speedup"], &tiny["scaling"]), (&Value::Null, &Value::Null));
    let run = folder.brolga(&[&arguments[..], &["--format", "peers", "--label", "us"]].concat());
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> =
        lines.iter().map(|line| (line["k"].as_str().unwrap(), line["impl"].as_str().unwrap())).collect();
    assert_eq!(names, [("saxpy_l2", "us_1"), ("saxpy_l2", "us_2"), ("tiny", "us_1"), ("tiny", "us_2")]);
    assert_eq!((&lines[0]["items"], &lines[0]["ok"], &lines[2]["items"]), (&65536.into(), &1.into(), &1.into()));
    assert!(lines.iter().all(|line| line["wall"].as_f64() > Some(0.0) && line["compile_min"].as_f64() > Some(0.0)));
}

/// Bindings of all kinds in the suite: words, bytes, constants, a texture, a sampler.
#[test]
fn cases_are_written_as_jobs_that_run() {
    let folder = Folder::new();
    let cases = "saxpy_l2,base64,search,tex";
    folder.brolga(&["bench", "--export", "jobs/of the suite", "--only", cases]).fails(0, &[]);
    for _again in 0..2 {
        folder.brolga(&["bench", "--export", "jobs", "--only", "tiny"]).fails(0, &[]);
    }
    let jobs = ["base64", "saxpy_l2", "search", "tex"].map(|name| format!("jobs/of the suite/{name}"));
    let run = folder.brolga(&[&["run", "jobs/tiny"], &jobs.each_ref().map(String::as_str)[..]].concat());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(run.out.lines().filter(|line| line.starts_with("pass ")).count(), 5, "{}", run.out);
    folder.write("file", "");
    folder.brolga(&["bench", "--export", "file", "--only", "tiny"]).fails(2, &["cannot write file/tiny"]);
}

#[test]
fn what_is_saved_can_be_compared_with() {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}{RIGHT}")).write("other.toml", ADD);
    let bench =
        |arguments: &[&str]| folder.brolga(&[&["bench", "--rounds", "3", "--threads", "1"], arguments].concat());
    let run = bench(&["job.toml", "--save", "old.json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    // A file that is compared with may be replaced.
    let run = bench(&["job.toml", "other.toml", "--compare", "old.json", "--save", "old.json", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let document = document(&run);
    assert_eq!(serde_json::from_slice::<Value>(&std::fs::read(folder.path("old.json")).unwrap()).unwrap(), document);
    let [job, other] = [0, 1].map(|at| &document["documents"][at]["results"][0]["compared"]);
    assert_eq!((&job[0]["with"], other), (&"old.json".into(), &Value::Array(Vec::new())));
    let run_change = &job[0]["run"];
    assert_eq!(keys(run_change), "what before_ms now_ms ratio verdict");
    let number = |key: &str| run_change[key].as_f64().unwrap();
    assert!((number("ratio") - number("before_ms") / number("now_ms")).abs() < 1e-9);
    assert_eq!(number("now_ms"), document["documents"][0]["results"][0]["run"]["cpu"]["median_ms"].as_f64().unwrap());
    // Measuring it in turns with other documents makes it no faster.
    assert_eq!((&run_change["verdict"], &job[0]["compile"]["verdict"]), (&"other list".into(), &"other list".into()));
    let run = bench(&["job.toml", "--compare", "old.json"]);
    assert!(
        run.out.contains("compared with old.json") && run.out.contains("geometric means of the ratios: run "),
        "{}",
        run.out
    );
    let of_other_list = "it is of another list of documents";
    assert!(run.out.contains(of_other_list) && run.out.contains("  other list"), "{}", run.out);
    for arguments in [["job.toml", "other.toml"], ["other.toml", "job.toml"]] {
        let run = bench(&[&arguments[..], &["--compare", "old.json"]].concat());
        assert!(!run.out.contains("other list") && !run.out.contains(of_other_list), "{}", run.out);
    }
    assert_eq!(folder.leavings(), ["old.json"]);
}

#[test]
fn lines_of_other_runtimes_can_be_compared_with() {
    let folder = Folder::new();
    let line = |runtime: &str, ms: f64| {
        format!("{{\"k\":\"tiny\",\"impl\":\"{runtime}\",\"wall\":{ms},\"cpu\":{ms},\"ok\":1,\"compile_min\":9.5}}\n")
    };
    folder.write("lines.json", line("lvp_1", 1e6) + &line("lvp_1", 1e7) + &line("lvp_2", 1.0) + &line("sws_1", 1e-9));
    let run = folder.brolga(&["bench", "--only", "tiny", "--rounds", "1", "--threads", "1", "--compare", "lines.json"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (Some(0), "warning: lvp_2 has no figures for anything that was measured\n")
    );
    let beside = |runtime: &str| {
        let table =
            run.out.split("\n\n").find(|table| table.starts_with(&format!("compared with {runtime}:"))).unwrap();
        table.lines().nth(2).unwrap().to_owned()
    };
    assert!(beside("lvp_1").contains("1000.00 s") && beside("lvp_1").contains("9.50 ms"), "{}", run.out);
    assert!(beside("sws_1").contains("0.00"), "{}", run.out);
}

#[test]
fn what_cannot_be_compared_with_is_refused_before_anything_runs() {
    let folder = Folder::new();
    folder
        .write("job.toml", ADD)
        .write("empty.json", " \n")
        .write("list.json", "[1, 2]")
        .write("job.json", "{\"shader\": 1}");
    folder
        .write("text.json", "no figures")
        .write("bytes.json", [0xff, 0xfe])
        .write("lines.json", "{\"k\":\"tiny\",\"impl\":\"x\"}");
    folder
        .write("cut.json", "{\"k\":\"tiny\",\"impl\":\"x\",\"wall\":1}\n{\"k\":")
        .write("skipped.json", "{\"k\":\"tiny\",\"skip\":\"error\"}");
    for (file, part) in [
        ("none.json", "cannot read none.json"),
        ("empty.json", "is empty"),
        ("list.json", "list.json: invalid"),
        ("job.json", "missing field `passed`"),
        ("text.json", "line 1 column"),
        ("bytes.json", "is not text"),
        ("lines.json", "line 1: missing field `wall`"),
        ("cut.json", "line 2: "),
        ("skipped.json", "has no figures"),
    ] {
        let run = folder.brolga(&["bench", "job.toml", "--rounds", "1", "--compare", file]);
        run.fails(2, &[file, part, "--save FILE"]);
        assert_eq!(run.out, "", "{file}");
    }
}

#[test]
fn files_that_cannot_be_written_are_refused_before_anything_runs() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    for (file, part) in
        [("none/x.json", "cannot write none/x.json"), (".", "cannot write .: there is something that is no file")]
    {
        let run = folder.brolga(&["bench", "job.toml", "--rounds", "1", "--save", file]);
        run.fails(2, &[part]);
        assert_eq!(run.out, "");
    }
    assert!(folder.leavings().is_empty());
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
    assert_eq!(keys(&document), "passed interrupted machine documents");
    assert_eq!((&document["passed"], &document["interrupted"]), (&Value::from(false), &Value::from(false)));
    assert_eq!(keys(&document["machine"]), "brolga processor processors system reference waited");
    let [job, bad] = [0, 1].map(|at| &document["documents"][at]);
    assert_eq!(keys(job), "document name results error");
    assert_eq!((&job["document"], &job["error"]), (&Value::from("job.toml"), &Value::Null));
    assert_eq!(
        (&bad["error"]["line"], &bad["error"]["help"]),
        (&Value::from(1), &Value::from("did you mean `shader`?"))
    );
    assert_eq!(bad["results"], Value::Array(Vec::new()));
    let results = job["results"].as_array().unwrap();
    let of_each = |key: &str| results.iter().map(|result| result[key].clone()).collect::<Vec<_>>();
    assert_eq!((of_each("device_threads"), of_each("threads")), (vec![1.into(), 2.into()], vec![64.into(), 64.into()]));
    for result in results {
        let promised = "shader engine verdict device_threads workers groups threads expectations code compile \
                        run ns_per_thread cpu_ns_per_thread threads_per_second work bytes_per_second operations_per_second speedup scaling frame compared";
        assert_eq!(keys(result), promised);
        assert_eq!(result["verdict"], "pass");
        assert_eq!(
            (&result["expectations"][0]["id"], &result["expectations"][0]["mismatches"]),
            (&"u0".into(), &0.into())
        );
        assert_eq!(keys(&result["code"]), "bytes instructions frame_bytes vector_bytes is_refused spills reloads");
        assert!(result["code"]["bytes"].as_u64() > result["code"]["instructions"].as_u64());
        let stages = result["compile"]["stages"].as_array().unwrap();
        assert_eq!(stages.iter().map(|stage| stage["stage"].as_str().unwrap()).collect::<Vec<_>>(), STAGES);
        assert!(stages.iter().all(|stage| stage["median_ms"].as_f64() > Some(0.0)));
        assert_eq!(keys(&result["compile"]), "first_ms samples wall cpu stages");
        assert_eq!(keys(&result["run"]), "samples wall cpu");
        for what in ["compile", "run"] {
            let times = &result[what];
            assert_eq!(times["samples"], 3);
            assert_eq!(keys(&times["wall"]), "least_ms lower_ms median_ms upper_ms spread");
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
    let result = &document(&run)["documents"][0]["results"][0];
    assert_eq!(result["verdict"], "done");
    assert!(result["run"]["samples"].as_u64().unwrap() >= 3, "{result}");
    assert!(result["compile"]["samples"].as_u64().unwrap() >= 1, "{result}");
}

#[test]
fn what_is_wrong_is_not_measured() {
    let folder = Folder::new();
    folder.write("wrong.toml", format!("{ADD}{WRONG}")).write("right.toml", format!("{ADD}{RIGHT}"));
    let run = folder.brolga(&["bench", "wrong.toml", "--rounds", "1", "--threads", "1,2"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    // Once, since it is the same on two threads.
    assert_eq!(run.out.matches("FAIL").count(), 1, "{}", run.out);
    assert!(run.out.starts_with("FAIL  wrong  add.cso  jit") && run.out.contains("121 (0x00000079), expected 122"));
    assert!(!run.out.contains("ns/thread"), "{}", run.out);
    let run = folder.brolga(&["bench", "wrong.toml", "right.toml", "--rounds", "1", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let document = document(&run);
    let [wrong, right] = [0, 1].map(|at| &document["documents"][at]["results"][0]);
    assert_eq!((&wrong["verdict"], &wrong["run"]["samples"]), (&"fail".into(), &0.into()));
    assert_eq!((&wrong["run"]["wall"], &wrong["ns_per_thread"]), (&Value::Null, &Value::Null));
    assert_eq!((&right["verdict"], &right["run"]["samples"]), (&"pass".into(), &1.into()));
}

#[test]
fn an_error_leaves_the_other_jobs() {
    let folder = Folder::new();
    folder.write("job.toml", ADD).write("bad.toml", ADD.replace("add.cso", "none.cso"));
    let run = folder.brolga(&["bench", "bad.toml", "job.toml", "--rounds", "1", "--threads", "1,2"]);
    run.fails(2, &["cannot read", "none.cso", "bad.toml:2:10"]);
    assert_eq!(tables(&run.out).iter().map(Vec::len).collect::<Vec<_>>(), [3, 2], "{}", run.out);
}

#[test]
fn wrong_use_is_refused() {
    let folder = Folder::new();
    folder.write("job.toml", ADD);
    for (arguments, parts) in [
        (&["job.toml", "--rounds", "0"][..], &["--rounds"][..]),
        (&["--only", "tiny,huge"], &["huge", "saxpy_l2"]),
        (&["--only", "tiny,tiny"], &["`--only` names a case twice"]),
        (&["job.toml", "--rounds", "1", "--seconds", "1"], &["--rounds", "--seconds"]),
        (&["job.toml", "--export", "jobs"], &["--export", "DOCUMENT"]),
        (&["--export", "jobs", "--save", "old.json"], &["--export", "--save"]),
        (&["job.toml", "--seconds", "0"], &["not a time in seconds"]),
        (&["job.toml", "--seconds", "nan"], &["not a time in seconds"]),
        (&["job.toml", "--threads", "1,1025"], &["1025"]),
        (&["job.toml", "--threads", "1,,2"], &["--threads"]),
        (&["job.toml", "--engine", "both"], &["both", "interpreter"]),
        (&["none.toml"], &["none.toml", "cannot read the document"]),
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
    // The first line is printed right before the endless shader.
    let mut out = BufReader::new(run.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.starts_with("FAIL  wrong"), "{line}");
    assert!(super::interrupt(&run));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    Run::of(run.wait_with_output().unwrap()).fails(3, &["interrupted"]);
    assert!(!rest.contains("ns/thread"), "{rest}");
}

#[test]
fn frames_of_scenes_and_drawings_have_a_table_of_their_own() {
    let folder = Folder::new();
    for file in ["scene.json", "vs.cso", "ps.cso", "target.png"] {
        folder.write(file, std::fs::read(repository("tests/data/scenes/triangle").join(file)).unwrap());
    }
    let run = folder.brolga(&["bench", "scene.json", "--only", "quad", "--rounds", "2", "--threads", "1,2"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    let [frames] = &tables(&run.out)[..] else { panic!("one table, in {}", run.out) };
    let headings = ["document", "engine", "threads", "frame", "least", "spread", "cpu", "pixels", "rate", "first"];
    assert_eq!(frames[0], headings);
    let rows: Vec<_> = frames[1..].iter().map(|line| (line[0], line[1], line[2], line[7])).collect();
    let row = |name, threads, pixels| (name, "jit", threads, pixels);
    // As many as lavapipe counts, and one for each pixel of the target.
    let [triangle, quad] = ["21172", "1048576"];
    let expected = [
        row("triangle", "1", triangle),
        row("triangle", "2", triangle),
        row("quad", "1", quad),
        row("quad", "2", quad),
    ];
    assert_eq!(rows, expected);

    let run = folder.brolga(&["bench", "scene.json", "--rounds", "1", "--format", "json", "--save", "before.json"]);
    let document = document(&run);
    let result = &document["documents"][0]["results"][0];
    assert_eq!((&result["verdict"], &result["frame"]["primitives"]), (&"pass".into(), &1.into()));
    assert!(result["compile"]["first_ms"].as_f64().unwrap() > 0.0, "{}", run.out);
    let run = folder.brolga(&["bench", "scene.json", "--rounds", "1", "--compare", "before.json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);

    // Mistakes are reported, and not measured.
    let text = std::fs::read_to_string(folder.path("scene.json")).unwrap();
    folder.write("scene.json", text.replacen("0.09, 1]", "0.9, 1]", 1));
    let run = folder.brolga(&["bench", "scene.json", "--rounds", "1"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.starts_with("FAIL  triangle  jit"), "{}", run.out);
    assert!(!run.out.contains("frame"), "{}", run.out);
    folder.write("scene.json", text.replacen("vs.cso", "no.cso", 1));
    folder.brolga(&["bench", "scene.json", "--rounds", "1"]).fails(2, &["scene.json:", "\"no.cso\""]);
}
