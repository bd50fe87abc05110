//! The corpus's executions and the examples as jobs: every compiled form, on both engines, with one thread and with two.
//!
//! The expected results were computed with numpy from the meaning of the HLSL. The engines must agree bit for bit, but for
//! slots whose order is said not to matter. What binds samplers may also say that it is not supported yet.

use std::fs;
use std::path::{Path, PathBuf};

use brolga::job::{Comparison, Job, Kind, Outcome, Prepared, RunOptions};
use brolga::{Device, Engine};
use libtest_mimic::{Arguments, Failed, Trial};

/// Executions that bind no sampler.
const WHOLE: usize = 30;

fn main() {
    let mut trials = Vec::new();
    let mut whole = 0;
    for path in jobs() {
        let job = Job::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let must_run = job.bindings.iter().all(|binding| binding.kind != Kind::Sampler);
        whole += usize::from(must_run && path.extension().is_some_and(|end| end == "json"));
        for (at, shader) in job.shaders.iter().enumerate() {
            let name = format!("{}/{}", job.name, shader.value.display());
            let path = path.clone();
            trials.push(Trial::test(name, move || check(&path, at, must_run)));
        }
    }
    trials.push(Trial::test("every_execution_is_here", move || match whole {
        WHOLE => Ok(()),
        other => Err(format!("{other} executions bind no sampler, {WHOLE} were expected").into()),
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The `case.json` of every execution, and the example that knows its results, in the order of their names.
fn jobs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = fs::read_dir(root.join("tests/data/exec")).expect("the corpus is part of the repository");
    let cases = folders.map(|entry| entry.expect("the folder can be read").path().join("case.json"));
    let mut jobs: Vec<PathBuf> = cases.filter(|path| path.exists()).collect();
    jobs.sort();
    jobs.push(root.join("examples/cube_roots.toml"));
    jobs
}

fn check(path: &Path, shader: usize, must_run: bool) -> Result<(), Failed> {
    let mut first: Option<Outcome> = None;
    for engine in [Engine::Interpreter, Engine::Jit] {
        for threads in [1, 2] {
            let device = Device::builder().threads(threads).build()?;
            let ready = Job::load(path)?.prepare(device.limits())?;
            let mut options = RunOptions::new(engine);
            options.all_slots = true;
            let outcome = match ready.run(&device, shader, &options) {
                Ok(outcome) => outcome,
                Err(error) if !must_run && error.to_string().contains("not supported yet") => return Ok(()),
                Err(error) => return Err(format!("{engine}, {threads} threads: {error}").into()),
            };
            let where_ = format!("{engine}, {threads} threads");
            expect(&ready, &outcome, &where_)?;
            if let Some(register) = first.as_ref().and_then(|first| ready.disagreement(first, &outcome)) {
                return Err(format!("{where_}: {register} has other bits than the interpreter gave").into());
            }
            first.get_or_insert(outcome);
        }
    }
    Ok(())
}

fn expect(ready: &Prepared, outcome: &Outcome, where_: &str) -> Result<(), Failed> {
    let found = ready.compare(outcome);
    if found.is_empty() {
        return Err("the job expects nothing".into());
    }
    match found.iter().find(|found| !found.passed()) {
        None => Ok(()),
        Some(Comparison { register, compared, mismatches, first, counter, .. }) => Err(format!(
            "{where_}: {register}: {mismatches} of {compared} differ, counter {counter:?}, first {first:#?}"
        )
        .into()),
    }
}
