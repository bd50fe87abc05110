//! `brolga check`: runs documents, and reports what their dispatches and draws do wrong: races, accesses past an
//! end, reads of what nothing wrote, barriers that only some threads reach.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::document::{Document, DocumentError, RunOptions};
use brolga::insight::{CheckLog, CheckOptions, CheckSummary, CheckedRun, Finding, FindingKind, Party, Place, Subject};
use brolga::{CancelToken, Device, Engine, Progress, Sender, StageKind};
use clap::Args;
use serde_json::{Map, Value, json};

use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Temporary};
use super::options::{Format, seconds};
use super::progress::Watcher;
use super::report::harmless;
use super::run::sender_json;
use super::style::Styles;
use super::{Ending, documents, report};

#[derive(Args)]
pub(super) struct CheckArguments {
    /// Documents (.toml, .json), folders with a document.toml, scene.json or case.json, or folders with any number of
    /// these
    #[arg(required = true, value_name = "DOCUMENT")]
    documents: Vec<PathBuf>,
    /// Report these kinds only: race, bounds, uninitialised, barrier, misaligned, unbound
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    only: Vec<FindingKind>,
    /// Report too what is defined, but hardly meant: writes of one value by several threads, texels outside of a texture
    #[arg(long)]
    strict: bool,
    /// Leave out what is found about a register, or its name, at an instruction, as `u0@29`
    #[arg(long, value_name = "REGISTER@INSTRUCTION", value_parser = muted)]
    mute: Vec<(String, u32)>,
    /// Look at every group, not only at those that probes suspect: some hundred times as slow, and counts are of all
    /// groups
    #[arg(long)]
    every_group: bool,
    /// Report what threads of one group do, as `2,0,0`
    #[arg(long, value_name = "X,Y,Z", value_parser = group)]
    group: Option<[u32; 3]>,
    /// Report at most so many findings
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Stop an HLSL compiler, or a run, that takes longer
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// Output format: text for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    compiler: CompilerOption,
}

fn kind(text: &str) -> Result<FindingKind, String> {
    FindingKind::from_name(text).ok_or_else(|| {
        let kinds: Vec<_> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("there is no kind `{text}`: {}", kinds.join(", "))
    })
}

fn muted(text: &str) -> Result<(String, u32), String> {
    let wrong = || format!("`{text}` is no register at an instruction: expected `u0@29`");
    let (register, instruction) = text.split_once('@').ok_or_else(wrong)?;
    Ok((register.to_owned(), instruction.parse().map_err(|_| wrong())?))
}

fn group(text: &str) -> Result<[u32; 3], String> {
    let wrong = || format!("`{text}` is no group: expected its position, as `2,0,0`");
    let numbers: Vec<u32> =
        text.split(',').map(|number| number.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
    <[u32; 3]>::try_from(numbers).map_err(|_| wrong())
}

pub(super) fn run(arguments: &CheckArguments, styles: &Styles) -> io::Result<Ending> {
    let paths = match documents::find_all(&arguments.documents) {
        Ok(paths) => paths,
        Err(text) => {
            report::print_plain(text, None, styles.err);
            return Ok(Ending::BadInput);
        }
    };
    // Groups run one after the other.
    let device = match Device::builder().threads(1).build() {
        Ok(device) => device,
        Err(error) => {
            report::print_plain(error.to_string(), None, styles.err);
            return Ok(Ending::Stopped);
        }
    };
    let cancel = CancelToken::new();
    let interrupts = interrupt::cancels(&cancel, &Temporary::default());
    let mut session = CheckSession {
        arguments,
        styles,
        device,
        cancel,
        left: arguments.most,
        used: BTreeSet::new(),
        entries: Vec::new(),
    };
    let mut ending = Ending::Fine;
    for path in &paths {
        if session.cancel.is_cancelled() {
            report::say(INTERRUPTED);
            ending = Ending::Stopped;
            break;
        }
        ending = ending.max(session.document(path)?);
    }
    drop(interrupts);
    for (register, number) in arguments.mute.iter().filter(|mute| !session.used.contains(mute)) {
        report::say(&format!("`--mute {register}@{number}` leaves out nothing: nothing is found about it there\n"));
    }
    if arguments.format == Format::Json {
        writeln!(
            io::stdout().lock(),
            "{:#}",
            json!({ "clean": ending == Ending::Fine, "documents": session.entries })
        )?;
    }
    Ok(ending)
}

struct CheckSession<'a> {
    arguments: &'a CheckArguments,
    styles: &'a Styles,
    device: Device,
    cancel: CancelToken,
    /// Findings that may still be shown.
    left: usize,
    /// Those of `--mute` that left something out.
    used: BTreeSet<&'a (String, u32)>,
    entries: Vec<Value>,
}

impl CheckSession<'_> {
    fn document(&mut self, path: &Path) -> io::Result<Ending> {
        let (arguments, log) = (self.arguments, CheckLog::new(self.options()));
        let result = self.run(path, &log);
        let (mut found, mut json) = (0, Vec::new());
        let mut runs = log.take();
        for CheckedRun { draw, checked, .. } in &mut runs {
            checked.findings.retain(|finding| {
                let mutes: Vec<_> = arguments.mute.iter().filter(|mute| leaves_out(mute, finding)).collect();
                self.used.extend(&mutes);
                mutes.is_empty()
            });
            found += checked.findings.len();
            for finding in &checked.findings {
                let shown = self.left > 0;
                self.left = self.left.saturating_sub(1);
                match self.arguments.format {
                    Format::Json => json.push(finding_json(finding, *draw)),
                    Format::Text if shown => self.write(path, finding)?,
                    Format::Text => {}
                }
            }
        }
        let ran = |of_dispatch: bool| {
            let of_kind = runs.iter().filter(|run| (run.stage == StageKind::Compute) == of_dispatch);
            of_kind.map(|run| run.checked.summary.groups).sum::<u64>()
        };
        let (groups, invocations) = (ran(true), ran(false));
        let summaries: Vec<&CheckSummary> = runs.iter().map(|run| &run.checked.summary).collect();
        let lacks_group = |run: &CheckedRun| run.stage != StageKind::Compute || run.checked.summary.lacks_group;
        if let (Some([x, y, z]), Ok(())) = (arguments.group, &result)
            && runs.iter().all(lacks_group)
        {
            let text = format!("no dispatch of {} has a group {x},{y},{z}: they count from 0,0,0", path.display());
            report::print_plain(text, None, self.styles.err);
            return Ok(Ending::BadInput);
        }
        let error = result.err();
        if self.arguments.format == Format::Text && (error.is_none() || found > 0) {
            self.write_summary(path, found, [groups, invocations], &summaries)?;
        }
        if let Some(error) = &error {
            report::print(error, self.styles.err);
        }
        self.entries.push(json!({
            "document": path.to_string_lossy(),
            "findings": json,
            "groups": groups,
            "invocations": invocations,
            "unused_reads": summaries.iter().map(|summary| summary.unused_reads).sum::<u64>(),
            "error": error.as_ref().map(report::error_json),
        }));
        Ok(match (&error, found) {
            (Some(error), _) => report::ending(error),
            (None, 0) => Ending::Fine,
            (None, _) => Ending::Mismatch,
        })
    }

    fn options(&self) -> CheckOptions {
        let mut options = CheckOptions::default();
        if !self.arguments.only.is_empty() {
            options.kinds.clone_from(&self.arguments.only);
        }
        options.is_strict = self.arguments.strict;
        options.group = self.arguments.group;
        options
    }

    fn run(&self, path: &Path, log: &CheckLog) -> Result<(), DocumentError> {
        let mut document = Document::load(path)?;
        let compiler = self.arguments.compiler.compiler(self.arguments.timeout, self.styles.err);
        compiler.compile_document(&mut document, &self.cancel)?;
        let ready = document.prepare_until(self.device.limits(), &self.cancel)?;
        for variant in 0..ready.variants() {
            let mut options =
                RunOptions::new(if self.arguments.every_group { Engine::Interpreter } else { Engine::best() });
            options.time_limit = self.arguments.timeout;
            options.cancel = self.cancel.clone();
            options.progress = Progress::new();
            options.check = Some(log.clone());
            let _watcher = Watcher::start(options.progress.clone(), ready.document());
            ready.run(&self.device, variant, &options)?;
        }
        Ok(())
    }

    fn write(&self, path: &Path, finding: &Finding) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let text = harmless(&finding.to_string());
        let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
        writeln!(out, "{}\n{rest}", self.styles.out.bad(head))?;
        if let Some(Party { sender: Sender::Thread { group, .. }, .. }) = finding.parties.last() {
            let [x, y, z] = self.arguments.group.unwrap_or(*group);
            let (kind, path) = (finding.kind.name(), harmless(&path.to_string_lossy()));
            writeln!(out, "  again: brolga check {path} --only {kind} --group {x},{y},{z}")?;
        }
        writeln!(out)
    }

    fn write_summary(
        &self,
        path: &Path,
        found: usize,
        [groups, invocations]: [u64; 2],
        summaries: &[&CheckSummary],
    ) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let sum = |number: fn(&CheckSummary) -> u64| summaries.iter().map(|summary| number(summary)).sum::<u64>();
        let name = harmless(&path.to_string_lossy());
        match found {
            0 => write!(out, "{}  {name}: nothing found", self.styles.out.good("clean"))?,
            1 => write!(out, "{}  {name}: 1 finding", self.styles.out.bad("found"))?,
            _ => write!(out, "{}  {name}: {found} findings", self.styles.out.bad("found"))?,
        }
        let ran = [(groups, "group"), (invocations, "invocation")].into_iter().filter(|(count, _)| *count > 0);
        let ran = ran.map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }));
        if let (Some([x, y, z]), 1..) = (self.arguments.group, groups) {
            write!(out, " about group {x},{y},{z}")?;
        }
        match ran.collect::<Vec<_>>().join(" and ") {
            none if none.is_empty() => {}
            ran => write!(out, " in {ran}")?,
        }
        let (unused, unwatched) = (sum(|summary| summary.unused_reads), sum(|summary| summary.unwatched));
        if unused > 0 {
            write!(out, "; {unused} reads past an end or of what nothing wrote were not used")?;
        }
        let alike = sum(|summary| summary.alike);
        if alike > 0 {
            write!(out, "; {alike} more groups seem to do the same as those looked at")?;
        }
        if unwatched > 0 {
            write!(out, "; {unwatched} accesses to views were beyond the limit, and not checked for races")?;
        }
        writeln!(out)
    }
}

/// `true` if one of `--mute` leaves a finding out.
fn leaves_out((register, number): &(String, u32), finding: &Finding) -> bool {
    let is_its_name = |subject: Subject| subject.to_string() == *register || finding.name.as_ref() == Some(register);
    finding.subject.is_some_and(is_its_name)
        && finding.parties.iter().any(|party| party.location.index == Some(*number))
}

/// What a run found, as JSON.
pub(super) fn findings_json(run: &CheckedRun) -> impl Iterator<Item = Value> {
    run.checked.findings.iter().map(|finding| finding_json(finding, run.draw))
}

/// A finding as JSON: the sites of a race in the order of the listing.
fn finding_json(finding: &Finding, draw: u32) -> Value {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    put("kind", finding.kind.name().into());
    put("headline", finding.headline().into());
    put("stage", finding.stage.name().into());
    put("draw", draw.into());
    put("count", finding.count.into());
    let mut parties: Vec<&Party> = finding.parties.iter().collect();
    let subject = finding.subject.map(|subject| subject.to_string());
    let site = |party: &&Party| {
        json!({
            "instruction": party.location.index,
            "text": party.location.text,
            "source": party.location.source.as_ref().map(ToString::to_string),
            "access": party.access.name(),
            "sender": sender_json(&party.sender),
        })
    };
    let is_race = finding.kind == FindingKind::Race;
    if let Some(name) = &finding.name {
        put("name", name.as_str().into());
    }
    if is_race {
        parties.sort_by_key(|party| party.location.byte);
        put("space", json!(subject));
        put("between_groups", finding.between_groups.into());
        put("sites", parties.iter().map(site).collect());
    } else if let Some(first) = parties.first() {
        put("register", json!(subject));
        let Value::Object(of_site) = site(first) else { return Value::Null };
        of_site.into_iter().for_each(|(key, value)| put(&key, value));
    }
    let other = finding.other.as_ref().map(|other| other.index);
    if finding.kind == FindingKind::Barrier {
        let threads: Vec<u32> = parties.iter().map(|party| party.index).collect();
        put("threads_that_go", json!(threads.get(..2)));
        put("threads_that_do_not", json!(threads.get(2..)));
        put("barrier", json!(other));
        return Value::Object(fields);
    }
    put("used_by", json!(other));
    let unit = if matches!(finding.place, Place::Byte(_)) { "bytes" } else { "elements" };
    put(unit, finding.extent.into());
    let of_view = is_race && !matches!(finding.subject, Some(Subject::Shared(_)));
    let threads: Vec<Value> = parties.iter().map(|party| thread_json(party, of_view)).collect();
    let at = |place: String| json!({ place: if is_race { json!({ "first": [threads[0]], "second": [threads[1]] }) } else { json!(threads) } });
    match finding.place {
        Place::Byte(byte) => put("at", at(byte.to_string())),
        Place::Element(element) => put("at", at(element.to_string())),
        Place::Texel([x, y, z]) => put("texels", at(if z == 0 { format!("{x},{y}") } else { format!("{x},{y},{z}") })),
        _ => put("threads", json!(threads)),
    }
    if finding.kind == FindingKind::Bounds {
        let [inside, outside] = finding.words;
        put("words_inside", inside.into());
        put("words_outside", outside.into());
    }
    Value::Object(fields)
}

/// A thread by its number in the group, and the group's where the memory is that of all groups.
fn thread_json(party: &Party, with_group: bool) -> Value {
    match party.sender {
        Sender::Thread { group: [x, 0, 0], .. } if with_group => format!("{x}/{}", party.index).into(),
        Sender::Thread { group: [x, y, z], .. } if with_group => format!("{x},{y},{z}/{}", party.index).into(),
        Sender::Thread { .. } => party.index.into(),
        sender => sender.to_string().into(),
    }
}
