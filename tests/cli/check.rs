//! Tests what `brolga check` prints, and how it ends.

use serde_json::{Value, json};

use super::{Folder, Run, repository};

fn check(name: &str, options: &[&str]) -> Run {
    let job = repository("tests/data/faulty").join(name).join("job.toml");
    let mut arguments = vec!["check", job.to_str().unwrap()];
    arguments.extend(options);
    Folder::new().brolga(&arguments)
}

#[test]
fn a_finding_names_instructions_and_threads() {
    let run = check("tgsm_no_barrier", &[]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    for line in [
        "race on g0: byte 4\n",
        "\n  written by thread (1, 0, 0) of group (0, 0, 0) at instruction 1 `store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.x` (byte ",
        "\n  read by thread (0, 0, 0) of group (0, 0, 0) at instruction 4 `ld_structured r0.x, r0.x, l(0), g0.xxxx` (byte ",
        "\n  128 pairs of accesses; this is the first\n",
        "\n  help: GroupMemoryBarrierWithGroupSync() between them",
        " --only race --group 0,0,0\n",
        "job.toml: 1 finding in 2 groups\n",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let clean = check("clean_last_group", &[]);
    assert_eq!(clean.code, Some(0), "{}", clean.err);
    assert!(clean.out.contains("job.toml: nothing found in 4 groups\n"));
}

#[test]
fn options_choose_findings() {
    for (options, code) in [
        (&["--only", "race"][..], 1),
        (&["--only", "bounds,uninitialised"], 0),
        (&["--mute", "g0@4"], 0),
        (&["--mute", "g0@5", "--mute", "u0@4"], 1),
        (&["--group", "1,0,0"], 1),
        (&["--most", "0"], 1),
    ] {
        let run = check("tgsm_no_barrier", options);
        assert_eq!(run.code, Some(code), "{options:?}: {}{}", run.out, run.err);
        assert_eq!(run.out.contains("race on"), code == 1 && options[0] != "--most", "{options:?}");
    }
    let muted = check("tgsm_no_barrier", &["--mute", "g0@4", "--mute", "g9@4"]);
    assert_eq!(muted.err, "`--mute g9@4` leaves out nothing: nothing is found about it there\n");
    assert_eq!(check("clean_same_value", &[]).code, Some(0));
    assert_eq!(check("clean_same_value", &["--strict"]).code, Some(1));
    check("tgsm_no_barrier", &["--only", "rase"]).fails(2, &["there is no kind `rase`: race, bounds,"]);
    check("tgsm_no_barrier", &["--mute", "u0"]).fails(2, &["`u0` is no register at an instruction: expected `u0@29`"]);
    check("tgsm_no_barrier", &["--group", "1,2"]).fails(2, &["`1,2` is no group: expected its position, as `2,0,0`"]);
    let lacking = check("tgsm_no_barrier", &["--group", "2,0,0"]);
    assert_eq!(lacking.out, "");
    lacking.fails(2, &["no dispatch of ", "job.toml has a group 2,0,0: they count from 0,0,0"]);
    let missing = Folder::new().brolga(&["check", "missing.toml"]);
    assert_eq!(missing.out, "");
    missing.fails(2, &["missing.toml: cannot read the document"]);
}

/// The fields are those of the expectations in `tests/data/faulty`.
#[test]
fn json_has_all_of_a_finding() {
    let finding = |name: &str| {
        let run = check(name, &["--format", "json"]);
        let document: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(document["clean"], json!(false));
        document["documents"][0]["findings"][0].clone()
    };
    let race = finding("tgsm_no_barrier");
    assert_eq!((&race["bytes"], &race["at"]["4"]["first"]), (&json!(256), &json!([1])));
    let race = finding("uav_between_groups");
    assert_eq!([&race["kind"], &race["space"], &race["between_groups"]], [&json!("race"), &json!("u0"), &json!(true)]);
    assert_eq!([&race["sites"][0]["instruction"], &race["sites"][1]["access"]], [&json!(0), &json!("read")]);
    assert_eq!(race["at"], json!({"256": {"first": ["1/0"], "second": ["0/63"]}}));
    let bounds = finding("bounds_raw_partly");
    let fields = ["kind", "register", "access", "bytes", "at", "words_inside", "words_outside", "instruction"];
    let expected = json!(["bounds", "u0", "write", 120, {"112": [7]}, 2, 2, 3]);
    assert_eq!(Value::from(fields.map(|field| bounds[field].clone()).to_vec()), expected);
    let barrier = finding("barrier_divergent");
    let fields = ["kind", "threads_that_go", "threads_that_do_not", "barrier", "instruction", "text"];
    let expected = json!(["barrier", [0, 31], [32, 63], 3, 2, "if_nz r0.x"]);
    assert_eq!(Value::from(fields.map(|field| barrier[field].clone()).to_vec()), expected);
    let texture = finding("texture_two_writers");
    assert_eq!(texture["texels"], json!({"0,0": {"first": ["0/0"], "second": ["0/1"]}}));
    let register = finding("uninitialised_register");
    assert_eq!([&register["register"], &register["threads"]], [&json!("r0.w"), &json!([0])]);
}

/// A document with `check = true` is a test of that, on either engine.
#[test]
fn a_document_may_ask_to_be_clean() {
    let folder = Folder::new();
    for name in ["tgsm_no_barrier", "clean_last_group"] {
        let faulty = repository("tests/data/faulty").join(name);
        let job = std::fs::read_to_string(faulty.join("job.toml")).unwrap();
        folder.write(&format!("{name}.cso"), std::fs::read(faulty.join("shader.cso")).unwrap());
        let job = job.replace("shader.cso", &format!("{name}.cso"));
        folder.write(&format!("{name}.toml"), format!("check = true\n{job}"));
    }
    let run = folder.brolga(&["run", "--engine", "both", "tgsm_no_barrier.toml", "clean_last_group.toml"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("pass  clean_last_group"), "{}", run.out);
    let finding = "      check: 1 finding\n        race on g0: byte 4\n          written by thread (1, 0, 0) of group ";
    assert_eq!(run.out.matches(finding).count(), 2, "{}", run.out);
    let run = folder.brolga(&["run", "--format", "json", "--junit", "out.xml", "tgsm_no_barrier.toml"]);
    let xml = std::fs::read_to_string(folder.path("out.xml")).unwrap();
    assert!(xml.contains("message=\"check: 1 finding; race on g0: byte 4\""), "{xml}");
    let document: Value = serde_json::from_str(&run.out).unwrap();
    let result = &document["documents"][0]["runs"][0]["expectations"];
    let result = result.as_array().unwrap().iter().find(|result| result["id"] == "check").unwrap();
    assert_eq!((&result["holds"], &result["findings"][0]["kind"]), (&json!(false), &json!("race")));
}
