//! What is wrong with a text, and where.

use crate::sm5::{EncodeError, Op};

/// Why a text is no shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct AssembleError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The bytes of the text that the problem is about.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub problem: Problem,
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
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        self.problem.hint()
    }
}

/// What is wrong at a place of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: String,
        /// What stands here.
        found: String,
    },
    /// There is no such instruction, declaration or directive.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// What it should be.
        kind: &'static str,
        /// What stands here.
        name: String,
        /// The nearest that there is.
        nearest: Option<String>,
    },
    /// An instruction has not the operands it must have.
    #[error("{op} has {need} operands, {have} are given")]
    OperandCount {
        /// The opcode.
        op: Op,
        /// How many it has.
        need: usize,
        /// How many are given.
        have: usize,
    },
    /// The letters behind a register name no components.
    #[error("`.{letters}` names no components")]
    Components {
        /// The letters.
        letters: String,
    },
    /// A number is no number, or does not fit.
    #[error("`{text}` is no {expected}")]
    Number {
        /// What stands here.
        text: String,
        /// What it should be.
        expected: &'static str,
    },
    /// It cannot be written as words.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// It is a shader, and breaks a rule.
    #[error(transparent)]
    Rejected(crate::Error),
    /// The listing does not say what stood here.
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

impl Problem {
    /// What to do about it.
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::Unknown { kind: "profile", .. } => {
                Some("a program begins with its profile, such as `cs_5_0` or `ps_4_1`".into())
            }
            Self::Unknown { kind: "register", .. } => {
                Some("registers are named as in the listing: r0, v1, o0, cb0[2], t0, s0, u0, g0, vThreadID".into())
            }
            Self::Unknown { kind: "Direct3D 9 register", .. } => Some(
                "registers are named as in the listing: r0, c0, v0, t0, s0, a0, aL, i0, b0, p0, oPos, oT0, o0, oC0"
                    .into(),
            ),
            Self::OperandCount { op, .. } => Some(format!("it is written `{}`", op.info().example())),
            Self::Components { .. } => Some("up to four of x, y, z and w; a mask has them in this order".into()),
            Self::Lossy { .. } => Some("list the file with `--exact`, which loses nothing".into()),
            Self::NoProgram => Some("a program begins with its profile, such as `cs_5_0`".into()),
            Self::Unknown { .. }
            | Self::Rejected(_)
            | Self::Expected { .. }
            | Self::Number { .. }
            | Self::Encode(_)
            | Self::Limit { .. } => None,
        }
    }
}

/// The name of `known` that is nearest to `name`, if any is near.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    // Longer texts are near nothing, and would be dear to compare.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let most = 1 + name.len() / 4;
    let near =
        known.map(|known| (strsim::damerau_levenshtein(name, known), known)).filter(|(distance, _)| *distance <= most);
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known.to_owned())
}
