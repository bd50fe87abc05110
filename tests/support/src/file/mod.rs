//! Runs tests given as files: a shader as assembly text, its input, and the expected results.
//!
//! | file | contents |
//! |---|---|
//! | `parse.rs` | from the text to steps |
//! | `number.rs` | numbers |
//! | `run.rs` | every step on every engine |
//! | `judge.rs` | the results against the expectations |
//! | `bless.rs` | expectations rewritten |
//!
//! `tests/shaders/README.md` describes the format. A file is a list of steps that are executed in order: once for each
//! engine, with and without passes, with one and with two threads, each time on fresh memory. After each dispatch, all
//! memory must be the same for all of them, expected or not.

mod bless;
mod judge;
mod number;
mod parse;
mod run;

use std::ops::Range;

use brolga_runtime::Register;

pub use number::NumberType;

use crate::bound::content::Form;

/// The reason why a file is not a test.
#[derive(Debug)]
struct FileError {
    /// The line, from 1.
    line: usize,
    problem: String,
}

/// A test file.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A section of a file.
#[derive(Clone, Debug)]
pub enum Step {
    /// `[shader …]`: the shader that later dispatches run.
    Shader(Shader),
    /// `[buffer …]` and `[texture… …]`: memory behind a register, which replaces its previous memory.
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
    /// The form in which it is seen; `None` for that of the shader's declaration.
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
    /// Iterations that the loops of a group may take.
    pub fuel: u64,
    /// Set if the result depends on the order of groups, so that one thread must run them all.
    pub in_order: bool,
}

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expect {
    /// The line of its head.
    pub line: usize,
    /// The bytes of the file after its head, up to the next section.
    pub body: Range<usize>,
    /// The reason why it cannot be met yet.
    pub todo: Option<String>,
    /// The expectation.
    pub what: Expected,
}

/// The kind of expectation.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The content of a register's memory, all of it.
    Numbers {
        /// The register.
        register: Register,
        /// The type of the numbers.
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
    /// A refusal of the shader, or a failure of the dispatch, with a message that has these parts in order.
    Error(Vec<String>),
}

/// Numbers that are written together in a file: one, or several with `x` or `..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Bytes of the file.
    pub at: Range<usize>,
    /// The line.
    pub line: usize,
    /// Their bytes.
    pub bytes: Vec<u8>,
}

/// The result of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Not everything is: a text for people, and the file with its expectations rewritten, if that makes sense.
    Failed {
        /// The differences.
        report: String,
        /// The text that would pass.
        blessed: Option<String>,
    },
}

/// Runs a test file. `name` is the file's name in messages.
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
