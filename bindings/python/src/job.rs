//! Jobs and scenes: files that say all that a run needs.

use std::path::PathBuf;

use brolga::job::{Prepared, RunOptions};
use brolga::scene::CheckResult;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{bytes_to_numpy, to_numpy};
use crate::device::{Device, parse_engine};
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::shader::{CancelToken, Report, seconds};

/// What a run of a job or a scene gave.
#[pyclass(frozen, module = "brolga", get_all)]
pub struct Outcome {
    /// Whether every expectation that can be checked holds.
    passed: bool,
    /// A line for each expectation that does not hold.
    failures: Vec<String>,
    /// The results as arrays, by register ("u0") or by the name of the resource. They keep the memory of the run.
    arrays: Py<PyDict>,
    /// Hidden counters after the run, by register.
    counters: Py<PyDict>,
    /// What the dispatch did; none of a scene.
    report: Option<Py<Report>>,
}

/// Job(path)
///
/// A job file, or a folder with a case.json, as `brolga run` takes it (docs/job.md). Its files are read at once.
#[pyclass(frozen, module = "brolga")]
pub struct Job {
    prepared: Prepared,
}

#[pymethods]
impl Job {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let load = || brolga::job::Job::load(&path)?.prepare(&brolga::Limits::default());
        Ok(Self { prepared: py.detach(load).map_err(Failure::from)? })
    }

    /// How many shaders it runs, one after the other on fresh resources.
    #[getter]
    fn shaders(&self) -> usize {
        self.prepared.shaders()
    }

    /// Runs one of its shaders and compares the results with what is expected. No files are written.
    #[pyo3(signature = (device, shader=0, *, engine=None, time_limit=None, cancel=None))]
    fn run(
        &self,
        py: Python<'_>,
        device: &Device,
        shader: usize,
        engine: Option<&str>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Outcome> {
        if shader >= self.prepared.shaders() {
            let message =
                format!("the job has {} shaders, there is none with number {shader}", self.prepared.shaders());
            return Err(Failure::new(brolga::ErrorKind::Call, message).into());
        }
        let (mut options, cancel) = options(engine, time_limit, cancel)?;
        options.all_slots = true;
        let run = |token: &brolga::CancelToken| {
            options.cancel = token.clone();
            let outcome = self.prepared.run(&device.device, shader, &options)?;
            let found = self.prepared.compare_until(&outcome, token)?;
            Ok::<_, brolga::job::JobError>((outcome, found))
        };
        let (outcome, found) = interruptible(py, &cancel, run)?;
        let (arrays, counters) = (PyDict::new(py), PyDict::new(py));
        for slot in &outcome.slots {
            let Some(layout) = self.prepared.array(slot.register) else { continue };
            arrays.set_item(slot.register.to_string(), bytes_to_numpy(py, &slot.bytes, &layout)?)?;
        }
        for counter in &outcome.counters {
            counters.set_item(counter.register.to_string(), counter.value)?;
        }
        let failed = found.iter().filter(|found| !found.passed());
        let failures = failed.map(|found| {
            let counter = if found.counter.is_some() { ", and so does its counter" } else { "" };
            format!("{}: {} of {} numbers differ{counter}", found.register, found.mismatches, found.compared)
        });
        let failures: Vec<_> = failures.collect();
        let report = Some(Py::new(py, Report::from(outcome.report))?);
        Ok(Outcome {
            passed: failures.is_empty(),
            failures,
            arrays: arrays.unbind(),
            counters: counters.unbind(),
            report,
        })
    }
}

/// Scene(path)
///
/// A scene file, or its folder, as `brolga run` takes it (docs/scenes.md). Its files are read at once.
#[pyclass(frozen, module = "brolga")]
pub struct Scene {
    scene: brolga::scene::Scene,
}

#[pymethods]
impl Scene {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let path = brolga::scene::Scene::find(&path).unwrap_or(path);
        let load = || brolga::scene::Scene::load(&path, &brolga::Limits::default());
        Ok(Self { scene: py.detach(load).map_err(Failure::from)? })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.scene.name()
    }

    /// Runs it on fresh resources. What it saves are the arrays of the outcome, by resource; no files are written.
    #[pyo3(signature = (device, *, engine=None, time_limit=None, cancel=None))]
    fn run(
        &self,
        py: Python<'_>,
        device: &Device,
        engine: Option<&str>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Outcome> {
        let (mut options, cancel) = options(engine, time_limit, cancel)?;
        let run = |token: &brolga::CancelToken| {
            options.cancel = token.clone();
            self.scene.run(&device.device, &options)
        };
        let outcome = interruptible(py, &cancel, run)?;
        let arrays = PyDict::new(py);
        for saved in self.scene.saved(&outcome) {
            let whole = 0..saved.buffer.size_bytes();
            arrays.set_item(saved.resource, to_numpy(py, saved.buffer, whole, &saved.array)?)?;
        }
        let failed = outcome.checks.iter().filter(|check| check.holds() == Some(false));
        let failures = failed.map(|check| {
            let what = match &check.result {
                CheckResult::Picture(_) => "the picture",
                CheckResult::Query(_) => "the query",
                _ => "the numbers",
            };
            format!("{}: {what} not as expected", check.id)
        });
        let (failures, counters) = (failures.collect(), PyDict::new(py).unbind());
        Ok(Outcome { passed: outcome.passed(), failures, arrays: arrays.unbind(), counters, report: None })
    }
}

/// How to run, and the token of the caller.
fn options(
    engine: Option<&str>,
    time_limit: Option<f64>,
    cancel: Option<&CancelToken>,
) -> PyResult<(RunOptions, brolga::CancelToken)> {
    let mut options = RunOptions::new(parse_engine(engine)?);
    options.time_limit = time_limit.map(seconds).transpose()?;
    Ok((options, cancel.map_or_else(Default::default, |cancel| cancel.token.clone())))
}
