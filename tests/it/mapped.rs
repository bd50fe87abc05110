//! Tests documents over mapped files: they give the same as copies, leave the old output alone until they are done, and
//! reach beyond 4 GiB.
//!
//! The shader is the example `saxpy`: `y[i] = a * x[i] + y[i]`, four numbers a thread.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::document::{Document, Outcome, Outputs, Prepared, Problem, RunOptions, Syntax};
use brolga::{CancelToken, Device, Engine};

use super::documents::bytes as left;

const A: f32 = 0.5;

/// Elements that the document has in one of the tests: a few megabytes.
const COUNT: u64 = 256 * 1024;

struct Setup {
    folder: tempfile::TempDir,
    device: Device,
}

impl Setup {
    fn new(threads: usize) -> Self {
        let device = Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap();
        Self { folder: tempfile::tempdir().unwrap(), device }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn document(&self, groups: &str, keys: [&str; 2]) -> Prepared {
        self.document_of("x.bin", groups, keys)
    }

    fn document_of(&self, x: &str, groups: &str, keys: [&str; 2]) -> Prepared {
        let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/saxpy.cso");
        let text = format!(
            "shader = {shader:?}\n{groups}\n[b0]\nf32 = [{A}]\n[t0]\nstructured = {{ stride = 16 }}\nfile = \"{x}\"\n{}\n\
             [u0]\nstructured = {{ stride = 16 }}\nsave = \"out.bin\"\n{}\n",
            keys[0], keys[1]
        );
        let document = Document::parse(self.path("document.toml"), &text, Syntax::Toml).unwrap();
        document.prepare(self.device.limits()).unwrap()
    }

    /// Runs the document and writes its output.
    fn run(&self, ready: &Prepared, engine: Engine) -> Outcome {
        let mut outputs = ready.claim_outputs(self.folder.path(), &mut Default::default()).unwrap();
        let outcome = outputs.run(&self.device, 0, &RunOptions::new(engine), None).unwrap();
        outputs.write(&outcome).unwrap();
        outcome
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Quarters, so that `a * x + y` is exact.
fn numbers(seed: u64) -> Vec<f32> {
    (0..4 * COUNT).map(|n| ((n * 7919 + seed * 104_729) % 8191) as f32 / 4.0 - 1000.0).collect()
}

#[test]
fn mapped_files_give_what_copies_give() {
    let (x, y) = (numbers(1), numbers(2));
    let expected = bytes(&x.iter().zip(&y).map(|(x, y)| A * x + y).collect::<Vec<_>>());
    let groups = format!("dispatch = [{}, 1, 1]", COUNT / 256);
    for threads in [1, 2] {
        for engine in [Engine::Jit, Engine::Interpreter] {
            for map in [["map = true"; 2], ["map = false"; 2], ["map = true", "map = false"]] {
                let setup = Setup::new(threads);
                fs::write(setup.path("x.bin"), bytes(&x)).unwrap();
                fs::write(setup.path("y.bin"), bytes(&y)).unwrap();
                fs::write(setup.path("out.bin"), b"old").unwrap();
                let ready = setup.document(&groups, [map[0], &format!("file = \"y.bin\"\n{}", map[1])]);
                let outcome = setup.run(&ready, engine);
                let what = format!("{engine}, {threads} threads, {map:?}");
                assert!(fs::read(setup.path("out.bin")).unwrap() == expected, "{what}");
                assert!(left(&outcome, "u0") == expected, "{what}");
                assert!(fs::read(setup.path("y.bin")).unwrap() == bytes(&y), "{what}");
                assert_eq!(setup.names(), ["out.bin", "x.bin", "y.bin"], "{what}");
            }
        }
    }
}

/// Arrays are mapped as raw bytes are: the shader's data begins after the header.
#[test]
fn mapped_arrays_give_what_copies_give() {
    let (x, y) = (numbers(1), numbers(2));
    let expected = bytes(&x.iter().zip(&y).map(|(x, y)| A * x + y).collect::<Vec<_>>());
    let groups = format!("dispatch = [{}, 1, 1]", COUNT / 256);
    // As NumPy writes it.
    let mut array = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1048576,), }".to_vec();
    array.resize(127, b' ');
    array.push(b'\n');
    array.extend(bytes(&x));
    for (engine, map) in
        [Engine::Jit, Engine::Interpreter].into_iter().flat_map(|engine| ["true", "false"].map(|map| (engine, map)))
    {
        let setup = Setup::new(2);
        fs::write(setup.path("x.npy"), &array).unwrap();
        fs::write(setup.path("y.bin"), bytes(&y)).unwrap();
        let ready = setup.document_of("x.npy", &groups, [&format!("map = {map}"), "file = \"y.bin\""]);
        setup.run(&ready, engine);
        assert!(fs::read(setup.path("out.bin")).unwrap() == expected, "{engine}, map = {map}");
        assert!(fs::read(setup.path("x.npy")).unwrap() == array);
    }
}

#[test]
fn values_and_later_runs_are_right_too() {
    let setup = Setup::new(1);
    fs::write(setup.path("x.bin"), bytes(&[2.0; 16])).unwrap();
    let values = "size = 64\nat = [{ byte = 12, f32 = [10.0, 20.0] }]\nmap = true";
    let ready = setup.document("dispatch = [1, 1, 1]", ["map = true", values]);
    let mut expected = [1.0; 16];
    (expected[3], expected[4]) = (11.0, 21.0);
    let mut outputs = ready.claim_outputs(setup.folder.path(), &mut Default::default()).unwrap();
    let run = |outputs: &mut Outputs<'_>| outputs.run(&setup.device, 0, &RunOptions::default(), None).unwrap();
    let (first, second) = (run(&mut outputs), run(&mut outputs));
    assert_eq!(first.disagreement(&second), None);
    assert!([&first, &second].iter().all(|outcome| left(outcome, "u0") == bytes(&expected)));
    // Any outcome of the document may be written.
    outputs.write(&second).unwrap();
    assert_eq!(fs::read(setup.path("out.bin")).unwrap(), bytes(&expected));
}

#[test]
fn a_run_that_stops_leaves_the_old_output() {
    let setup = Setup::new(1);
    fs::write(setup.path("x.bin"), bytes(&[2.0; 16])).unwrap();
    fs::write(setup.path("out.bin"), b"old").unwrap();
    let ready = setup.document("dispatch = [1, 1, 1]", ["", "size = 64\nmap = true"]);
    let mut options = RunOptions::default();
    options.cancel = CancelToken::new();
    options.cancel.cancel();
    let mut outputs = ready.claim_outputs(setup.folder.path(), &mut Default::default()).unwrap();
    outputs.run(&setup.device, 0, &options, None).unwrap_err();
    drop(outputs);
    assert_eq!(setup.names(), ["out.bin", "x.bin"]);
    assert_eq!(fs::read(setup.path("out.bin")).unwrap(), b"old");
}

#[test]
fn writing_that_is_cancelled_leaves_the_old_output() {
    let setup = Setup::new(1);
    fs::write(setup.path("x.bin"), bytes(&[2.0; 16])).unwrap();
    fs::write(setup.path("out.bin"), b"old").unwrap();
    for map in ["true", "false"] {
        let ready = setup.document("dispatch = [1, 1, 1]", ["", &format!("size = 64\nmap = {map}")]);
        let options = RunOptions::default();
        let mut outputs = ready.claim_outputs(setup.folder.path(), &mut Default::default()).unwrap();
        let outcome = outputs.run(&setup.device, 0, &options, None).unwrap();
        options.cancel.cancel();
        let error = outputs.write(&outcome).unwrap_err();
        assert!(matches!(error.problem(), Problem::WriteStopped { .. }), "{error}");
        assert_eq!(setup.names(), ["out.bin", "x.bin"]);
        assert_eq!(fs::read(setup.path("out.bin")).unwrap(), b"old");
    }
}

/// Only the groups around 4 GiB and at the end run, so that the files stay nearly empty.
#[test]
#[ignore = "takes files of 4 GiB"]
fn elements_beyond_4_gib_are_reached() {
    const LAST: u64 = (4 << 30) / 16;
    let setup = Setup::new(2);
    let size = (LAST + 256) * 16;
    let x = File::create(setup.path("x.bin")).unwrap();
    x.set_len(size).unwrap();
    let part: Vec<f32> = (0..2 * 1024).map(|n| n as f32).collect();
    let start = size - 4 * part.len() as u64;
    x.write_all_at(&bytes(&part), start).unwrap();
    let expected = bytes(&part.iter().map(|x| A * x).collect::<Vec<_>>());
    for engine in [Engine::Jit, Engine::Interpreter] {
        // Threads go in rows of 2^18: the last group before 4 GiB, and the first one after.
        let mut found = Vec::new();
        for first in ["[1023, 1023, 0]", "[0, 1024, 0]"] {
            let ready = setup
                .document(&format!("dispatch = [1, 1, 1]\nfirst_group = {first}"), ["", &format!("size = {size}")]);
            setup.run(&ready, engine);
            let out = File::open(setup.path("out.bin")).unwrap();
            let mut end = vec![0; expected.len()];
            out.read_exact_at(&mut end, start).unwrap();
            let mut begin = vec![1; expected.len()];
            out.read_exact_at(&mut begin, 0).unwrap();
            assert!(begin.iter().all(|&byte| byte == 0), "{engine}: nothing comes round to the beginning");
            found.push(end);
        }
        let (before, after) = expected.split_at(expected.len() / 2);
        let zeros = vec![0; before.len()];
        assert!(found[0] == [before, &zeros].concat(), "{engine}");
        assert!(found[1] == [&zeros, after].concat(), "{engine}");
    }
}
