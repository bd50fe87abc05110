//! Tests the cache of the command: used by `run`, shown and cleared by `cache`, never in the way.

use std::fs;

use serde_json::Value;

use super::{ADD, Folder, Run, repository};

/// A folder with a job with expectations, next to a folder for the cache.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("job.toml", format!("{ADD}expect = {{ u32 = [121, 92, 63, 34, 0] }}\n"));
    folder
}

impl Folder {
    /// The JSON that a successful command prints.
    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let run = self.brolga(arguments);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
        serde_json::from_str(&run.out).unwrap()
    }
}

/// Hits, misses, rejected, stored, failed.
fn counters(document: &Value) -> [u64; 5] {
    ["hits", "misses", "rejected", "stored", "failed"].map(|name| document["cache"][name].as_u64().unwrap())
}

#[test]
fn a_second_run_compiles_nothing() {
    let folder = folder();
    let run = ["run", "job.toml", "--engine", "jit", "--cache", "kept", "--format", "json"];
    let first = folder.json(&run);
    assert_eq!((counters(&first), &first["documents"][0]["runs"][0]["cached"]), ([0, 1, 0, 1, 0], &Value::Bool(false)));
    let second = folder.json(&run);
    assert_eq!(
        (counters(&second), &second["documents"][0]["runs"][0]["cached"]),
        ([1, 0, 0, 0, 0], &Value::Bool(true))
    );
    let text = folder.brolga(&["run", "job.toml", "--engine", "jit", "--cache", "kept"]).out;
    assert!(text.starts_with("pass  job  add.cso  jit  cached "), "{text}");
    // Class instances, levels of detail and the like are options of the job; the interpreter keeps nothing.
    let other = folder.json(&["run", "job.toml", "--engine", "interpreter", "--cache", "kept", "--format", "json"]);
    assert_eq!(counters(&other), [0; 5]);
}

#[test]
fn code_for_bound_formats_is_told_from_the_rest() {
    let (folder, job) = (folder(), repository("examples/mandelbrot.toml"));
    folder.json(&["run", job.to_str().unwrap(), "--engine", "jit", "--cache", "kept", "--format", "json"]);
    let document = folder.json(&["cache", "--cache", "kept", "--format", "json"]);
    let entries = document["entries"].as_array().unwrap();
    let mut names: Vec<_> = entries.iter().map(|entry| entry["shader"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["mandelbrot.cso:main cs_5_0, bound formats", "mandelbrot.cso:main cs_5_0, declarations"]);
}

#[test]
fn the_cache_is_shown_and_cleared() {
    let folder = folder();
    let empty = folder.brolga(&["cache", "--cache", "kept"]);
    assert!(empty.out.ends_with("kept: 0 entries, 0 B of at most 256.00 MiB\n"), "{}", empty.out);
    assert!(!folder.path("kept").exists());
    folder.json(&["run", "job.toml", "--engine", "jit", "--cache", "kept", "--format", "json"]);
    fs::write(folder.path("kept/notes.txt"), "mine").unwrap();

    let shown = folder.brolga(&["cache", "--cache", "kept"]).out;
    assert!(shown.contains("kept: 1 entry, ") && shown.contains(" ago  add.cso:main cs_5_0\n"), "{shown}");
    let json = folder.json(&["cache", "--cache", "kept", "--format", "json"]);
    let name = json["entries"][0]["name"].as_str().unwrap();
    assert_eq!(json["entries"][0]["shader"], "add.cso:main cs_5_0");
    let size = fs::metadata(folder.path("kept").join(name)).unwrap().len();
    assert_eq!((json["bytes"].as_u64(), json["entries"][0]["bytes"].as_u64()), (Some(size), Some(size)));
    assert_eq!((json["cap_bytes"].as_u64(), json["cleared"].as_bool()), (Some(256 << 20), Some(false)));

    // One of an earlier version has no name.
    let old = format!("{}.code", "0123456789abcdef".repeat(4));
    fs::write(folder.path("kept").join(&old), [7; 1000]).unwrap();
    let shown = folder.brolga(&["cache", "--cache", "kept"]).out;
    assert!(shown.contains(&format!(" ago  {old}\n")) && shown.contains(" ago  add.cso:main cs_5_0\n"), "{shown}");

    let cleared = folder.brolga(&["cache", "--cache", "kept", "--clear"]).out;
    assert!(cleared.contains("kept: removed 2 entries, "), "{cleared}");
    let left: Vec<_> = fs::read_dir(folder.path("kept")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["notes.txt"]);
}

#[test]
fn the_folder_is_chosen_by_option_variable_and_system() {
    let folder = folder();
    let home = folder.path("home");
    let path = |arguments: &[&str], variable: Option<&str>| {
        let mut command = folder.command(&[&["cache", "--format", "json"], arguments].concat());
        command.env_remove("BROLGA_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", &home);
        command.envs(variable.map(|folder| ("BROLGA_CACHE", folder)));
        let json: Value = serde_json::from_str(&Run::of(command.output().unwrap()).out).unwrap_or_default();
        json["path"].as_str().map(|path| path.to_owned())
    };
    let here = |name: &str| Some(folder.path(name).canonicalize().unwrap_or(folder.path(name)).display().to_string());
    assert_eq!(path(&["--cache", "one"], Some("two")), here("one"));
    assert_eq!(path(&[], Some("two")), here("two"));
    assert_eq!(path(&[], Some("")), None);
    if cfg!(target_os = "linux") {
        assert_eq!(path(&[], None), here("home/.cache/brolga"));
    }
}

#[test]
fn without_a_cache_nothing_is_kept() {
    let folder = folder();
    let run = |arguments: &[&str]| {
        let mut command = folder.command(&[&["run", "job.toml", "--format", "json"], arguments].concat());
        let run = Run::of(command.env("HOME", folder.path("home")).output().unwrap());
        serde_json::from_str::<Value>(&run.out).unwrap()["cache"].clone()
    };
    assert_eq!(run(&[]), Value::Null);
    assert_eq!(run(&["--no-cache"]), Value::Null);
    assert!(!folder.path("home").exists());
    folder.brolga(&["run", "job.toml", "--no-cache", "--cache", "kept"]).fails(2, &["cannot be used with"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_write_to_is_told_of_and_not_used() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    fs::create_dir(folder.path("open")).unwrap();
    fs::set_permissions(folder.path("open"), PermissionsExt::from_mode(0o777)).unwrap();
    let run = folder.brolga(&["run", "job.toml", "--cache", "open"]);
    assert_eq!(run.code, Some(0));
    for part in ["open can be written by others", "chmod go-w ", "`--no-cache`"] {
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert!(run.out.starts_with("pass "), "{}", run.out);
    assert_eq!(fs::read_dir(folder.path("open")).unwrap().count(), 0);
    folder.brolga(&["cache", "--clear", "--cache", "open"]).fails(2, &["can be written by others"]);
}

/// Processes that are killed while they fill a cache leave nothing behind that anybody would run.
#[test]
fn killed_processes_leave_a_good_cache() {
    let folder = folder();
    let jobs = ["bit_ops", "bitonic_sort", "collatz_switch", "float_special", "int_alu", "nbody_step", "prefix_scan"];
    let jobs = jobs.map(|name| super::repository(&format!("tests/data/exec/{name}")).display().to_string());
    let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
    let arguments =
        [&["run", "--engine", "jit", "--threads", "1", "--cache", "kept", "--format", "json"], &jobs[..]].concat();
    let files = || fs::read_dir(folder.path("kept")).map_or(0, Iterator::count);
    for round in 0..20 {
        // Two at once, killed after one of them has begun a file or finished it, and then at any later point.
        let spawn = || folder.command(&arguments).stdout(std::process::Stdio::null()).spawn().unwrap();
        let mut children = [spawn(), spawn()];
        let before = files();
        while files() <= before && children.iter_mut().all(|child| child.try_wait().unwrap().is_none()) {
            std::hint::spin_loop();
        }
        for _ in 0..round {
            files();
        }
        for mut child in children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        if round % 5 == 4 {
            folder.brolga(&["cache", "--clear", "--cache", "kept"]);
        }
    }
    let first = folder.json(&arguments);
    assert_eq!((&first["passed"], counters(&first)[2], counters(&first)[4]), (&Value::Bool(true), 0, 0));
    let [hits, misses, rejected, stored, failed] = counters(&folder.json(&arguments));
    assert!(hits >= jobs.len() as u64);
    assert_eq!([misses, rejected, stored, failed], [0; 4]);
}
