//! Tests how `brolga run` shows what shaders print.

use serde_json::{Value, json};

use super::{Folder, repository};

/// A job for the compute shader of `all.hlsl` with these numbers in t0: 2 x 2 groups of 4 x 2 threads.
fn folder(numbers: &str) -> Folder {
    let folder = Folder::new();
    let shader = repository("tests/data/messages/cs.cso");
    let job = format!("shader = {shader:?}\ndispatch = [2, 2, 1]\n[t0]\nf32 = {numbers}\n[u1]\ncount = 8\n",);
    folder.write("job.toml", &job);
    folder
}

/// Threads print in the order of their groups, then of their numbers in the group.
const TEXTS: [&str; 8] = [
    "3, 0:  2.50|30    |2.500000e+00",
    "3, 1:  2.50|30    |2.500000e+00",
    "4, 0:  3.00|40    |3.000000e+00",
    "4, 1:  3.00|40    |3.000000e+00",
    "3, 2:  2.50|30    |2.500000e+00",
    "3, 3:  2.50|30    |2.500000e+00",
    "4, 2:  3.00|40    |3.000000e+00",
    "4, 3:  3.00|40    |3.000000e+00",
];

#[test]
fn texts_follow_the_results() {
    let folder = folder("[0, 1, 2, 2.5, 3, 0, 0, 0]");
    for engine in ["jit", "interpreter", "both"] {
        for threads in ["1", "8"] {
            let run = folder.brolga(&["run", "job.toml", "--engine", engine, "--threads", threads]);
            assert_eq!(run.code, Some(0), "{}", run.err);
            let lines: Vec<&str> = run.out.lines().filter(|line| !line.starts_with("done  ")).collect();
            assert_eq!(lines, TEXTS, "{engine}");
            assert!(run.out.starts_with("done  job"), "{}", run.out);
            assert_eq!(
                run.err.matches("errorf: three\n  by thread (0, 0, 0) of group (1, 0, 0) at instruction ").count(),
                1
            );
            assert_eq!(run.err.matches("errorf: three").count(), 4, "{}", run.err);
        }
    }
}

#[test]
fn json_has_the_messages() {
    let folder = folder("[0, 0, 0, 0, 0, 3, 0, 0]");
    let run = folder.brolga(&["run", "job.toml", "--format", "json"]);
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let messages = document["documents"][0]["messages"].as_array().unwrap();
    assert_eq!((messages.len(), &document["documents"][0]["lost_messages"]), (8, &json!(0)));
    assert_eq!(
        messages[1],
        json!({
            "severity": "error", "text": "three", "instruction": 8, "byte": messages[1]["byte"],
            "listing": "errorf \"three\"", "source": null, "sender": {"group": [1, 0, 0], "thread": [1, 0, 0]}
        })
    );
    assert_eq!(messages[0]["severity"], json!("info"));
    assert_eq!(run.err, "");
}

#[test]
fn an_abort_is_told_after_what_came_before() {
    let folder = folder("[0, 1, 2, 2.5, 3, 0, 0, 8]");
    for engine in ["jit", "interpreter"] {
        let run = folder.brolga(&["run", "job.toml", "--engine", engine, "--threads", "1"]);
        assert_eq!(run.code, Some(3), "{}", run.err);
        assert!(run.out.starts_with(TEXTS[0]), "{}", run.out);
        let expected = "the shader aborted in thread (3, 1, 0) of group (1, 1, 0) at instruction ";
        assert!(run.err.contains(expected) && run.err.contains("`abort"), "{}", run.err);
    }
}
