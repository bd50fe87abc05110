//! Warnings about a text that assembles.

use std::ops::Range;

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// The kind.
    pub kind: WarningKind,
}

/// Kind of a warning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The first of the floats that the listing rounds.
    #[error("floats are rounded to six decimals in this listing")]
    Rounded,
    /// A signature in the header comment has no title that is known.
    #[error("this table of the comment is not read: it has no title such as `{title}`")]
    Table {
        /// A title that such a table may have.
        title: &'static str,
    },
    /// The comment has content that is not read from comments.
    #[error("{what} not read, and the shader has none")]
    Unread {
        /// The content, with its verb.
        what: &'static str,
    },
    /// An integer where a float is read.
    #[error("`{text}` is an integer, and a float is read here")]
    IntegerAsFloat {
        /// The number.
        text: String,
    },
    /// A float where an integer is read.
    #[error("`{text}` is a float, and an integer is read here")]
    FloatAsInteger {
        /// The number.
        text: String,
    },
}

impl WarningKind {
    /// Suggested remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Rounded | Self::Unread { .. } => Some("list the file with `--exact`, which loses nothing".into()),
            Self::Table { .. } => None,
            Self::IntegerAsFloat { text } => Some(format!("the float is written `{text}.0`")),
            Self::FloatAsInteger { .. } => Some("an integer is written without a point".into()),
        }
    }
}

/// The warnings so far: the first of each kind, and no more than a person reads.
#[derive(Default)]
pub(crate) struct Warnings(Vec<Warning>);

impl Warnings {
    pub fn add(&mut self, warning: Warning) {
        const MOST: usize = 20;
        let is_new = !self.0.iter().any(|known| known.kind == warning.kind);
        if is_new && self.0.len() < MOST {
            self.0.push(warning);
        }
    }

    /// All of them, in the order of the text.
    pub fn sorted(mut self) -> Vec<Warning> {
        self.0.sort_by_key(|warning| warning.span.start);
        self.0
    }
}
