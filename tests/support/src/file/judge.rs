//! Compares the results with the expectations.

use std::fmt::Write as _;

use super::bless::{self, Edit};
use super::run::Run;
use super::{Expect, Expected, Item, NumberType, Step, TestFile, Verdict};
use crate::bound::backing::Left;

/// The findings, for people, and the file as it would have to read.
struct Judge<'a> {
    name: &'a str,
    text: &'a str,
    runs: &'a [Run],
    reports: Vec<String>,
    edits: Vec<Edit>,
    /// Set if something is wrong that no expectation could correct.
    hopeless: bool,
}

/// Judges the runs of a file.
pub(super) fn judge(name: &str, text: &str, file: &TestFile, runs: &[Run]) -> Verdict {
    let mut judge = Judge { name, text, runs, reports: Vec::new(), edits: Vec::new(), hopeless: false };
    let mut dispatch = None;
    for (n, step) in file.steps.iter().enumerate() {
        match step {
            Step::Memory(_) => {}
            Step::Shader(_) | Step::Dispatch(_) => {
                if let Step::Dispatch(_) = step {
                    dispatch = Some(n);
                }
                if !judge.outcome(file, n) {
                    break;
                }
            }
            Step::Expect(expect) => match &expect.what {
                Expected::Error(_) => {}
                Expected::Numbers { .. } | Expected::Counter { .. } => {
                    let after = dispatch.expect("the parser asks for a dispatch before");
                    judge.memory(expect, after);
                }
            },
        }
    }
    judge.verdict()
}

impl Judge<'_> {
    fn say(&mut self, line: usize, what: &str) {
        self.reports.push(format!("{}:{line}: {what}", self.name));
    }

    /// Judges the outcome of a shader or a dispatch; returns `true` if it makes sense to continue.
    fn outcome(&mut self, file: &TestFile, n: usize) -> bool {
        let (line, what) = match &file.steps[n] {
            Step::Shader(shader) => (shader.line, "the shader is refused"),
            Step::Dispatch(dispatch) => (dispatch.line, "the dispatch fails"),
            Step::Memory(_) | Step::Expect(_) => unreachable!("only what can fail has an outcome"),
        };
        let runs = self.runs;
        if let Some(Step::Expect(expect)) = file.steps.get(n + 1)
            && let Expected::Error(parts) = &expect.what
        {
            let met = |run: &Run| run.seen[n].failure.as_ref().is_some_and(|message| has_parts(message, parts));
            self.error(expect, n, runs.iter().all(met));
            return true;
        }
        if runs.iter().any(|run| run.seen[n].failure.is_some()) {
            let is_todo = |step: &Step| match step {
                Step::Expect(expect) => expect.todo.is_some(),
                Step::Shader(_) | Step::Memory(_) | Step::Dispatch(_) => true,
            };
            if !file.steps[n..].iter().all(is_todo) {
                self.say(line, &format!("{what}\n{}", self.failures(n)));
                self.hopeless = true;
            }
            return false;
        }
        let first = &runs[0].seen[n].memory;
        if let Some(other) = runs.iter().find(|run| run.seen[n].memory != *first) {
            let difference = self.difference(n, first, &other.seen[n].memory);
            self.say(line, &difference);
            self.hopeless = true;
        }
        true
    }

    /// Values that the ways to run the file give, in the order of the runs, each with the ways that give it.
    fn by_way(&self, values: impl IntoIterator<Item = String>) -> String {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for (run, value) in self.runs.iter().zip(values) {
            match groups.iter_mut().find(|(known, _)| *known == value) {
                Some((_, ways)) => ways.push(run.way.to_string()),
                None => groups.push((value, vec![run.way.to_string()])),
            }
        }
        let everyone = groups.len() == 1;
        let line = |(value, ways): &(String, Vec<String>)| {
            let who = if everyone { "every engine".to_owned() } else { ways.join("; ") };
            format!("    {value}: {who}")
        };
        groups.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The end of each run of a step.
    fn failures(&self, n: usize) -> String {
        let failure = |run: &Run| run.seen[n].failure.clone().unwrap_or_else(|| "(nothing fails)".to_owned());
        self.by_way(self.runs.iter().map(failure))
    }

    /// The first word in which two memories differ.
    fn difference(&self, n: usize, first: &[Left], other: &[Left]) -> String {
        let (a, b) = first.iter().zip(other).find(|(a, b)| a != b).expect("they differ");
        let register = a.register;
        let left = |run: &Run| run.seen[n].memory.iter().find(|left| left.register == register).cloned();
        let Some(word) = a.bytes.chunks(4).zip(b.bytes.chunks(4)).position(|(a, b)| a != b) else {
            let counter = |run: &Run| format!("{:?}", left(run).and_then(|left| left.counter));
            return format!(
                "the engines differ in the counter of {register}\n{}",
                self.by_way(self.runs.iter().map(counter))
            );
        };
        let value = |run: &Run| match left(run).and_then(|left| NumberType::Hex.split(&left.bytes).nth(word)) {
            Some(bits) => NumberType::Hex.write(bits, true),
            None => "(nothing)".to_owned(),
        };
        let values = self.by_way(self.runs.iter().map(value));
        format!("the engines differ in {register}, first in word {word} (byte {})\n{values}", 4 * word)
    }

    /// Records that an expectation is met or not; `what` describes the failure, and `edit` would correct it.
    fn met(&mut self, expect: &Expect, met: bool, line: usize, what: impl FnOnce() -> String, edits: Vec<Edit>) {
        match (&expect.todo, met) {
            (None, true) | (Some(_), false) => {}
            (Some(reason), true) => {
                self.say(expect.line, &format!("what was to do is done: remove the mark `todo: {reason}`"));
                self.hopeless = true;
            }
            (None, false) => {
                self.say(line, &what());
                self.edits.extend(edits);
            }
        }
    }

    /// An expected error.
    fn error(&mut self, expect: &Expect, n: usize, met: bool) {
        let messages = self.failures(n);
        let first = self.runs[0].seen[n].failure.as_ref();
        let edits: Vec<Edit> = first.map(|first| bless::message(self.text, expect, first)).into_iter().collect();
        self.hopeless |= !met && expect.todo.is_none() && edits.is_empty();
        self.met(expect, met, expect.line, || format!("the error is not as expected\n{messages}"), edits);
    }

    /// Expected memory, or an expected counter.
    fn memory(&mut self, expect: &Expect, after: usize) {
        let runs = self.runs;
        let (register, kind, items) = match &expect.what {
            Expected::Numbers { register, kind, items } => (*register, *kind, &items[..]),
            Expected::Counter { register, item } => (*register, NumberType::U32, std::slice::from_ref(item)),
            Expected::Error(_) => unreachable!("an error is no memory"),
        };
        let is_counter = matches!(expect.what, Expected::Counter { .. });
        let bytes = |run: &Run| -> Result<Vec<u8>, String> {
            let left = run.seen[after].memory.iter().find(|left| left.register == register);
            let left = left.ok_or_else(|| {
                let section = format!("a `[buffer {register}]` or `[texture2d {register} ...]` section");
                format!("there is no memory behind {register}: it needs {section} before this one")
            })?;
            match left.counter {
                _ if !is_counter => Ok(left.bytes.clone()),
                Some(counter) => Ok(counter.to_le_bytes().to_vec()),
                None => Err(format!("{register} has no counter: expected `counter N` in the head of its section")),
            }
        };
        let got: Vec<Vec<u8>> = match runs.iter().map(bytes).collect() {
            Ok(got) => got,
            Err(problem) => {
                self.say(expect.line, &problem);
                self.hopeless = true;
                return;
            }
        };
        let expected: Vec<u8> = items.iter().flat_map(|item| item.bytes.clone()).collect();
        let met = got.iter().all(|got| *got == expected);
        if got[0].len() != expected.len() {
            let (given, size) = (expected.len(), got[0].len());
            let problem = format!("{given} bytes are expected of {register}, which has {size}");
            let problem = format!("{problem}: expected all, so that nothing changes unseen");
            let edit = bless::all(self.text, expect, items, kind, &got[0]);
            return self.met(expect, met, expect.line, || problem, vec![edit]);
        }
        let differs = |got: &Vec<u8>| kind.split(got).zip(kind.split(&expected)).position(|(a, b)| a != b);
        let first = got.iter().filter_map(differs).min().unwrap_or(0);
        let at = first * kind.size_bytes();
        let item = item_at(items, at);
        let hexadecimal = item.is_some_and(|item| self.text[item.at.clone()].contains("0x"));
        let number =
            |bytes: &[u8]| kind.split(bytes).nth(first).map_or(String::new(), |bits| kind.write(bits, hexadecimal));
        let place = match is_counter {
            true => format!("the counter of {register}"),
            false => format!("{register}, number {first} (byte {at})"),
        };
        let by_way = self.by_way(got.iter().map(|got| number(got)));
        let what = format!("{place}: expected {}, got\n{by_way}", number(&expected));
        let edits = if met { Vec::new() } else { bless::some(self.text, items, kind, &got[0]) };
        self.met(expect, met, item.map_or(expect.line, |item| item.line), || what, edits);
    }

    fn verdict(self) -> Verdict {
        if self.reports.is_empty() {
            return Verdict::Passed;
        }
        let mut report = self.reports.join("\n");
        let blessed = (!self.hopeless && !self.edits.is_empty()).then(|| bless::apply(self.text, self.edits));
        if let Some(blessed) = &blessed {
            let diff = bless::diff(self.text, blessed);
            let _ = write!(
                report,
                "\n\n{diff}\nWith BROLGA_BLESS=1 the file is changed like this. Expectations come from the \
                 specification: read the difference before it is committed."
            );
        }
        Verdict::Failed { report, blessed }
    }
}

/// The item that holds a byte.
fn item_at(items: &[Item], at: usize) -> Option<&Item> {
    let mut end = 0;
    items.iter().find(|item| {
        end += item.bytes.len();
        at < end
    })
}

/// `true` if a message has all parts, one after the other.
fn has_parts(message: &str, parts: &[String]) -> bool {
    let rest = parts.iter().try_fold(message, |rest, part| rest.split_once(part.as_str()).map(|(_, rest)| rest));
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use brolga_runtime::{Engine, Level};

    use super::super::parse::parse;
    use super::super::run::Seen;
    use super::*;
    use crate::check::{REFERENCE, Way};

    /// The content of `u0` that two engines leave after the third step.
    fn runs(words: [[u32; 2]; 2]) -> Vec<Run> {
        let ways = [REFERENCE, Way { engine: Engine::Jit, level: Level::Full, ..REFERENCE }];
        let run = |(way, words): (Way, [u32; 2])| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let left = Left { register: "u0".parse().expect("a register"), bytes, counter: None };
            let mut seen = vec![Seen::default(); 4];
            seen[2].memory = vec![left];
            Run { way, seen }
        };
        ways.into_iter().zip(words).map(run).collect()
    }

    #[test]
    fn engines_that_differ_are_named_and_nothing_is_blessed() {
        let text = "# x\n[shader cs_5_0]\n[buffer u0]\n[dispatch 1 1 1]\n[expect u0]\n1 2\n";
        let file = parse(text).expect("a test");
        let judge = |words| judge("a.test", text, &file, &runs(words));
        assert_eq!(judge([[1, 2], [1, 2]]), Verdict::Passed);
        let Verdict::Failed { report, blessed } = judge([[1, 2], [1, 3]]) else { panic!("they differ") };
        assert_eq!(
            report,
            "a.test:4: the engines differ in u0, first in word 1 (byte 4)\n    \
             0x00000002: interpreter without passes, packets of 8, threads: 1\n    \
             0x00000003: jit with passes, packets of 8, threads: 1, vectors of 16 bytes\n\
             a.test:6: u0, number 1 (byte 4): expected 2, got\n    \
             2: interpreter without passes, packets of 8, threads: 1\n    \
             3: jit with passes, packets of 8, threads: 1, vectors of 16 bytes"
        );
        assert_eq!(blessed, None);
    }
}
