//! `brolga run` of scenes: runs them on one engine or on both, and says how each expectation came out.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use brolga::Engine;
use brolga::raster::DrawError;
use brolga::scene::{CheckResult, Checked, Outcome, Outputs, PictureCheck, Problem, QueryValue, Scene, SceneError};
use serde_json::{Value, json};

use super::Ending;
use super::options::Format;
use super::pixel;
use super::report::{self, harmless};
use super::run::Session;
use super::style::Style;
use super::summary::{milliseconds, time};

impl Session<'_> {
    /// Runs the scene in a file, which a path of the command line stands for.
    pub(super) fn scene(&mut self, path: &Path, file: &Path) -> io::Result<Ending> {
        if let Some(option) = self.arguments.only_for_jobs() {
            let text = format!("`{option}` is for jobs, and {} is a scene", path.display());
            report::print_plain(text, Some(format!("leave `{option}` out")), self.styles.err);
            return Ok(Ending::BadInput);
        }
        let mut done = Done::default();
        let Some(run) = self.scene_on_engines(file, &mut done)? else { return Ok(Ending::BadInput) };
        let Done { runs, warnings, outputs } = done;
        if let Err(error) = &run {
            report::print_plain(error.to_string(), error.help(), self.styles.err);
        }
        self.documents.push(json!({
            "scene": path.to_string_lossy(),
            "runs": runs,
            "warnings": warnings,
            "outputs": outputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "error": run.as_ref().err().map(error_json),
        }));
        Ok(match run {
            Err(error) => ending(&error),
            Ok(true) => Ending::Fine,
            Ok(false) => Ending::Mismatch,
        })
    }

    /// Whether everything is as expected; None where nothing runs, and why was said. What the first engine drew is saved.
    fn scene_on_engines(&mut self, file: &Path, done: &mut Done) -> io::Result<Option<Result<bool, SceneError>>> {
        let scene = match Scene::load_until(file, self.device.limits(), &self.cancel) {
            Ok(scene) => scene,
            Err(error) => return Ok(Some(Err(error))),
        };
        let mut claimed =
            match self.claim(|folder, taken| scene.claim_outputs(folder, taken), |claimed| claimed.temporary_paths()) {
                Ok(claimed) => Some(claimed),
                Err(error) => return Ok(Some(Err(error))),
            };
        if claimed.as_ref().is_some_and(Outputs::has_standard) && !self.takes_stdout() {
            return Ok(None);
        }
        let (mut passed, mut first): (bool, Option<Outcome>) = (true, None);
        for engine in self.arguments.engines() {
            let options = self.options(engine);
            let run = match &self.arguments.pixel {
                None => scene.run(&self.device, &options),
                Some(pixel) => scene.run_watching(&self.device, &options, pixel),
            };
            let outcome = match run {
                Ok(outcome) => outcome,
                Err(error) => return Ok(Some(Err(error))),
            };
            if first.is_none() {
                for warning in &outcome.warnings {
                    report::warn_plain(warning.to_string(), warning.help(), self.styles.err);
                }
                done.warnings = outcome.warnings.iter().map(error_json).collect();
            }
            let disagreement = first.as_ref().and_then(|first| first.disagreement(&outcome));
            let line = SceneLine { name: scene.name(), engine, outcome: &outcome, disagreement };
            passed &= line.passed();
            match self.arguments.format {
                Format::Text => {
                    let (mut out, style) = self.out();
                    line.write_text(&mut out, style)?;
                }
                Format::Json => done.runs.push(line.json()),
            }
            if self.arguments.format == Format::Text && first.is_none() && self.arguments.pixel.is_some() {
                let (mut out, style) = self.out();
                pixel::write(&mut out, &outcome.pixel, style)?;
            }
            if let Some(claimed) = claimed.take() {
                match claimed.write(&outcome, &options.cancel) {
                    Ok(paths) => done.outputs = paths,
                    Err(error) => return Ok(Some(Err(error))),
                }
                self.show_outputs(&done.outputs)?;
            }
            first.get_or_insert(outcome);
        }
        Ok(Some(Ok(passed)))
    }
}

/// What is known of a scene as it runs.
#[derive(Default)]
struct Done {
    runs: Vec<Value>,
    warnings: Vec<Value>,
    outputs: Vec<PathBuf>,
}

/// The exit code for an error.
pub(super) fn ending(error: &SceneError) -> Ending {
    let stops = match &*error.problem {
        Problem::Stopped { .. } | Problem::TooLarge { .. } | Problem::Draw(DrawError::Stopped { .. }) => true,
        Problem::Draw(DrawError::Draw { source, .. }) => report::stops(source),
        _ => error.runtime().is_some_and(report::stops),
    };
    if stops { Ending::Stopped } else { Ending::BadInput }
}

pub(super) fn error_json(error: &SceneError) -> Value {
    json!({
        "message": error.problem.to_string(),
        "path": error.path.to_string_lossy(),
        "place": error.place,
        "help": error.help(),
    })
}

/// A scene on one engine.
struct SceneLine<'a> {
    name: &'a str,
    engine: Engine,
    outcome: &'a Outcome,
    /// An expectation for which the engines gave different bits.
    disagreement: Option<&'a str>,
}

impl SceneLine<'_> {
    fn passed(&self) -> bool {
        self.outcome.passed() && self.disagreement.is_none()
    }

    fn verdict(&self) -> &'static str {
        match (self.passed(), self.outcome.checks.is_empty()) {
            (false, _) => "fail",
            (true, false) => "pass",
            (true, true) => "done",
        }
    }

    /// Writes the line, and how each expectation came out below it.
    fn write_text(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        let verdict = match self.passed() {
            true => style.good(self.verdict()),
            false => style.bad("FAIL"),
        };
        let Outcome { compile_time, plan_time, run_time, checks, .. } = self.outcome;
        let name = harmless(self.name);
        let [compile, plan, run] = [compile_time, plan_time, run_time].map(|part| time(*part));
        writeln!(out, "{verdict}  {name}  {}  compile {compile}  plan {plan}  run {run}", self.engine)?;
        for check in checks {
            let verdict = match check.holds() {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "not checked",
            };
            writeln!(out, "      {}: {verdict}: {}", harmless(&check.id), described(check))?;
            if let CheckResult::Picture(PictureCheck { first: Some(first), .. }) = &check.result
                && check.holds() == Some(false)
            {
                let [x, y] = first.at;
                writeln!(out, "        pixel ({x}, {y}): {:?}, expected {:?}", first.found, first.expected)?;
            }
        }
        match self.disagreement {
            Some(id) => writeln!(out, "      {}: the engines give different bits", harmless(id)),
            None => Ok(()),
        }
    }

    fn json(&self) -> Value {
        json!({
            "engine": self.engine.to_string(),
            "verdict": self.verdict(),
            "compile_ms": milliseconds(self.outcome.compile_time),
            "plan_ms": milliseconds(self.outcome.plan_time),
            "run_ms": milliseconds(self.outcome.run_time),
            "expectations": self.outcome.checks.iter().map(check_json).collect::<Vec<_>>(),
            "pixel": self.outcome.pixel.iter().map(pixel::json).collect::<Vec<_>>(),
            "engines_disagree_in": self.disagreement,
        })
    }
}

/// What came out, in numbers.
fn described(check: &Checked) -> String {
    match &check.result {
        CheckResult::Picture(found) => {
            let PictureCheck { pixels, different, edge, most_edge, wrong, most_wrong, .. } = found;
            let share = 100.0 * *different as f64 / (*pixels).max(1) as f64;
            format!(
                "{different} of {pixels} pixels differ ({share:.4} %), {} beyond the slack: {edge} of edges (at most \
                 {most_edge}), {wrong} wrong (at most {most_wrong})",
                edge + wrong
            )
        }
        CheckResult::Numbers { compared, wrong, .. } => format!("{wrong} of {compared} numbers are wrong"),
        CheckResult::Query(values) => {
            let value = |QueryValue { name, found, expected, .. }: &QueryValue| match found {
                Some(found) => format!("{} is {found}, expected {expected}", harmless(name)),
                None => format!("{} is not counted yet, expected {expected}", harmless(name)),
            };
            values.iter().map(value).collect::<Vec<_>>().join("; ")
        }
        _ => String::new(),
    }
}

fn check_json(check: &Checked) -> Value {
    let mut document = json!({ "id": check.id, "holds": check.holds() });
    match &check.result {
        CheckResult::Picture(found) => {
            document["pixels"] = found.pixels.into();
            document["different"] = found.different.into();
            document["edge"] = found.edge.into();
            document["wrong"] = found.wrong.into();
        }
        CheckResult::Numbers { compared, wrong, .. } => {
            document["compared"] = (*compared).into();
            document["wrong"] = (*wrong).into();
        }
        CheckResult::Query(values) => {
            let value = |value: &QueryValue| json!({ "found": value.found, "expected": value.expected });
            document["values"] = values.iter().map(|found| (found.name.clone(), value(found))).collect();
        }
        _ => {}
    }
    document
}
