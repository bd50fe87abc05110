//! Tests as files: a shader as assembly text, what it runs on, and what must come out.
//!
//! | file | what |
//! |---|---|
//! | `parse.rs` | from the text to steps |
//! | `number.rs` | numbers |
//! | `run.rs` | every step on every engine |
//! | `judge.rs` | what came out against what is expected |
//! | `bless.rs` | expectations rewritten |
//!
//! `tests/shaders/README.md` describes the format. A file is a list of steps that are executed in order: once for each
//! engine, with and without passes, with one and with two threads, each time on fresh memory. After each dispatch, all
//! memory must be the same for all of them, whether something is expected of it or not.

mod bless;
mod judge;
mod number;
mod parse;
mod run;

use std::ops::Range;

use brolga_runtime::Register;

pub use number::NumberType;

use crate::bound::content::Form;

/// What keeps a file from being a test.
#[derive(Debug)]
struct FileError {
    /// The line, from 1.
    line: usize,
    problem: String,
}

/// A test file.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// A section of a file.
#[derive(Clone, Debug)]
pub enum Step {
    /// `[shader …]`: what later dispatches run.
    Shader(Shader),
    /// `[buffer …]` and `[texture… …]`: memory behind a register, in place of what was there.
    Memory(Memory),
    /// `[dispatch …]`
    Dispatch(Dispatch),
    /// `[expect …]`
    Expect(Expect),
}

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The line of the file that its text begins on.
    pub line: usize,
    /// Its text, the profile first.
    pub text: String,
}

/// Memory behind a register.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The line of its head.
    pub line: usize,
    /// The register.
    pub register: Register,
    /// How it is seen; `None` for as the shader declares it.
    pub form: Option<Form>,
    /// The first value of its counter, if it has one.
    pub counter: Option<u32>,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A dispatch.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The line of its head.
    pub line: usize,
    /// Groups along x, y and z.
    pub groups: [u32; 3],
    /// The first group.
    pub first: [u32; 3],
    /// Rounds that the loops of a group may take.
    pub fuel: u64,
    /// Whether what comes out depends on the order of groups, so that one thread must run them all.
    pub in_order: bool,
}

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expect {
    /// The line of its head.
    pub line: usize,
    /// The bytes of the file after its head, up to the next section.
    pub body: Range<usize>,
    /// Why it cannot be met yet.
    pub todo: Option<String>,
    /// What is expected.
    pub what: Expected,
}

/// What is expected.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The content of a register's memory, all of it.
    Numbers {
        /// The register.
        register: Register,
        /// What the numbers are.
        kind: NumberType,
        /// The numbers.
        items: Vec<Item>,
    },
    /// The value of a hidden counter.
    Counter {
        /// The register.
        register: Register,
        /// The number.
        item: Item,
    },
    /// That the shader is refused, or that the dispatch fails, with a message that has these parts in order.
    Error(Vec<String>),
}

/// Numbers that are written together in a file: one, or several with `x` or `..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Where in the file.
    pub at: Range<usize>,
    /// The line.
    pub line: usize,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

/// What came of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Not everything is: a text for people, and the file with its expectations rewritten, where that makes sense.
    Failed {
        /// What is not as expected.
        report: String,
        /// The text that would pass.
        blessed: Option<String>,
    },
}

/// Does what a test file says. `name` is what messages call the file.
pub fn check(name: &str, text: &str) -> Verdict {
    let failed = |report| Verdict::Failed { report, blessed: None };
    match parse::parse(text) {
        Err(error) => failed(format!("{name}:{}: {}", error.line, error.problem)),
        Ok(file) => match run::run(&file) {
            Err(error) => failed(format!("{name}:{}: {}", error.line, error.problem)),
            Ok(runs) => judge::judge(name, text, &file, &runs),
        },
    }
}
