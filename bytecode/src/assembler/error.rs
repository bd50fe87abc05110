//! What is wrong with a text, and where.

use crate::sm5::EncodeError;

/// Why a text is no shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// The line, from 1; 0 if the problem is not at any place in the text.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The bytes of the text that the problem is about.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub problem: Problem,
    /// The correct form of what is there.
    pub example: Option<String>,
}

impl AssembleError {
    /// A problem with these bytes of the text.
    pub(crate) fn new(text: &str, span: std::ops::Range<usize>, problem: Problem) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: count(before.matches('\n').count() + 1),
            column: count(before.get(line_start..).unwrap_or("").chars().count() + 1),
            span,
            problem,
            example: None,
        }
    }

    /// A problem that is not at any place in the text.
    pub(crate) fn nowhere(problem: Problem) -> Self {
        Self { line: 0, column: 0, span: 0..0, problem, example: None }
    }

    /// The same with the correct form of what is there, if something is missing or too much.
    pub(crate) fn with_example(self, example: impl FnOnce() -> String) -> Self {
        let is_incomplete = match &self.problem {
            Problem::OperandCount { .. } => true,
            Problem::Expected { expected, found } => {
                expected.starts_with('`') || found == "the end of the line" || expected == "the end of the line"
            }
            _ => false,
        };
        Self { example: is_incomplete.then(example), ..self }
    }

    /// Whether a known name is close to what is there.
    pub(crate) fn has_nearest(&self) -> bool {
        matches!(self.problem, Problem::Unknown { nearest: Some(_), .. })
    }
}

impl std::fmt::Display for AssembleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, column, problem, .. } = self;
        if *line > 0 {
            write!(f, "line {line}, column {column}: ")?;
        }
        write!(f, "{problem}")
    }
}

impl std::error::Error for AssembleError {}

/// What is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else is expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What is expected.
        expected: String,
        /// What is there.
        found: String,
    },
    /// There is no such instruction, declaration or directive.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// What it should be.
        kind: &'static str,
        /// What is there.
        name: String,
        /// The known name that is closest.
        nearest: Option<String>,
    },
    /// An instruction may not have this suffix.
    #[error("`{op}` may not have `{modifier}`")]
    Modifier {
        /// The opcode.
        op: &'static str,
        /// The suffix of its name.
        modifier: &'static str,
    },
    /// An instruction does not have the operands that it must have.
    #[error("{op} has {need} operand{}, {}", if *.need == 1 { "" } else { "s" }, are_given(*.have))]
    OperandCount {
        /// The opcode.
        op: &'static str,
        /// How many it has.
        need: usize,
        /// How many are given.
        have: usize,
    },
    /// The letters after a register do not name components.
    #[error("`.{letters}` does not name components")]
    Components {
        /// The letters.
        letters: String,
    },
    /// Text that is not a number, or a number that does not fit.
    #[error("`{text}` is not a valid {expected}")]
    Number {
        /// What is there.
        text: String,
        /// What it should be.
        expected: &'static str,
    },
    /// It cannot be written as words.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// It is a shader, and breaks a rule.
    #[error("{}", without_place(.0))]
    Rejected(crate::Error),
    /// The listing does not say what was here.
    #[error("the listing does not say what this {what} holds")]
    Lossy {
        /// What it is.
        what: &'static str,
    },
    /// The text ends before the program began.
    #[error("there is no program")]
    NoProgram,
    /// There is more than a file may hold.
    #[error("{what}: over the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
}

fn are_given(have: usize) -> String {
    if have == 1 { "1 is given".into() } else { format!("{have} are given") }
}

/// A broken rule without the byte offset, which means nothing for a text.
fn without_place(error: &crate::Error) -> String {
    error.to_string().replacen(&format!(" at byte {}", error.at()), "", 1)
}

/// The name of `known` that is closest to `name`, if any is close: for messages about names that do not exist.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    // Longer texts are close to nothing, and would be expensive to compare.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let most = 1 + name.len() / 4;
    let small = name.to_ascii_lowercase();
    let distance = |known: &str| match known.eq_ignore_ascii_case(name) {
        true => 0,
        false => strsim::damerau_levenshtein(&small, &known.to_ascii_lowercase()).max(1),
    };
    let near = known.map(|known| (distance(known), known)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known.to_owned())
}

/// A text for a message: of a long one its beginning.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
