//! Errors in a text, with their positions.

use crate::sm5::EncodeError;

/// Error in a text that does not assemble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssembleError {
    /// The line, from 1; 0 if the problem has no position in the text.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The bytes of the text that the problem is about.
    pub span: std::ops::Range<usize>,
    /// The problem.
    pub problem: Problem,
    /// The correct form of the statement.
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

    /// A problem without a position in the text.
    pub(crate) fn nowhere(problem: Problem) -> Self {
        Self { line: 0, column: 0, span: 0..0, problem, example: None }
    }

    /// Adds the correct form of the statement, if something is missing or superfluous.
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

    /// `true` if a known name is similar to the one found.
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

/// A problem at a position in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else is expected here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// The expected text.
        expected: String,
        /// The text found.
        found: String,
    },
    /// There is no such instruction, declaration or directive.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// The expected kind.
        kind: &'static str,
        /// The text found.
        name: String,
        /// The most similar known name.
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
    /// An instruction has a wrong number of operands.
    #[error("{op} has {need} operand{}, {}", if *.need == 1 { "" } else { "s" }, are_given(*.have))]
    OperandCount {
        /// The opcode.
        op: &'static str,
        /// Number of operands that it needs.
        need: usize,
        /// Number of operands given.
        have: usize,
    },
    /// The letters after a register do not name components.
    #[error("`.{letters}` does not name components")]
    Components {
        /// The letters.
        letters: String,
    },
    /// A text that is not a number, or a number that does not fit.
    #[error("`{text}` is not a valid {expected}")]
    Number {
        /// The text found.
        text: String,
        /// The expected kind.
        expected: &'static str,
    },
    /// The text cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The text is a shader that breaks a rule.
    #[error("{}", without_offset(.0))]
    Rejected(crate::Error),
    /// The listing does not contain what was here.
    #[error("the listing does not say what this {what} holds")]
    Lossy {
        /// The missing content.
        what: &'static str,
    },
    /// The text ends before the program began.
    #[error("there is no program")]
    NoProgram,
    /// A limit is exceeded.
    #[error("{what}: over the limit of {limit}")]
    Limit {
        /// The limited quantity.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
}

fn are_given(have: usize) -> String {
    if have == 1 { "1 is given".into() } else { format!("{have} are given") }
}

/// A broken rule without the byte offset, which means nothing for a text.
fn without_offset(error: &crate::Error) -> String {
    error.to_string().replacen(&format!(" at byte {}", error.at()), "", 1)
}

/// The name in `known` that is most similar to `name`, if any is similar, for messages about unknown names.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    // Longer texts are similar to nothing, and would be expensive to compare.
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
