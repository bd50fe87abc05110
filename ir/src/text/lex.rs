//! Cuts text into tokens, with their positions.

use std::fmt;

/// The reason why text is not a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Character in the line, from 1.
    pub column: u32,
    /// The problem at this position.
    pub problem: ParseProblem,
}

/// The problem with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseProblem {
    /// Something other than the grammar requires.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The text that is there.
        found: String,
        /// The alternatives that the grammar allows.
        expected: String,
    },
    /// A value, label or declaration without an earlier definition.
    #[error("{0} is not defined before this")]
    Undefined(String),
    /// A value or label with an earlier definition.
    #[error("{0} is defined already")]
    Redefined(String),
    /// A number that does not fit.
    #[error("number {0} is too large")]
    TooLarge(String),
    /// A number of threads that no packet has.
    #[error("packets have 8 or 16 threads, not {0}")]
    PacketWidth(u32),
    /// More nested blocks than the limit.
    #[error("blocks are nested deeper than {limit}")]
    Nesting {
        /// The limit.
        limit: usize,
    },
    /// More text than the limit.
    #[error("the text has {found} bytes, more than {limit}")]
    Length {
        /// Bytes of the text.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word: letters, digits, `_` and `.`, not beginning with a digit.
    Word(&'a str),
    /// A number, decimal or with `0x`.
    Number(u64),
    /// A text in quotes, without its escapes.
    Text(String),
    /// A punctuation character.
    Sign(char),
    /// `->`.
    Arrow,
    /// The end of a line.
    Newline,
    /// The end of the text.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Long words would drown the message.
            Token::Word(word) if word.len() > 40 => write!(f, "`{}...`", &word[..40]),
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Number(number) => write!(f, "number {number}"),
            Token::Text(_) => f.write_str("a text in quotes"),
            Token::Sign(sign) => write!(f, "`{}`", sign.escape_debug()),
            Token::Arrow => f.write_str("`->`"),
            Token::Newline => f.write_str("the end of the line"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// The position at which a token begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    line: u32,
    column: u32,
}

impl Position {
    pub(super) fn error(self, problem: ParseProblem) -> ParseError {
        ParseError { line: self.line, column: self.column, problem }
    }
}

/// Returns one token after the other.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    position: Position,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, position: Position { line: 1, column: 1 } }
    }

    /// The next token and its position. The last one is returned again and again.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Position), ParseError> {
        self.take(|c| matches!(c, ' ' | '\t' | '\r'));
        if self.rest.starts_with('#') {
            self.take(|c| c != '\n');
        }
        let position = self.position;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, position)) };
        let token = match first {
            '\n' => {
                self.rest = &self.rest[1..];
                self.position = Position { line: position.line.saturating_add(1), column: 1 };
                Token::Newline
            }
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(self.take(is_word)),
            '0'..='9' => number(self.take(is_word), position)?,
            '"' => self.quoted(position)?,
            '-' if self.rest.starts_with("->") => {
                self.skip(2);
                Token::Arrow
            }
            sign => {
                self.skip(sign.len_utf8());
                Token::Sign(sign)
            }
        };
        Ok((token, position))
    }

    /// Takes characters while they are wanted.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        self.skip(length)
    }

    /// Takes this many bytes of one line.
    fn skip(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        let columns = u32::try_from(taken.chars().count()).unwrap_or(u32::MAX);
        self.position.column = self.position.column.saturating_add(columns);
        taken
    }

    fn quoted(&mut self, start: Position) -> Result<Token<'a>, ParseError> {
        let unexpected = |position: Position, found: &str, expected: &str| {
            Err(position.error(ParseProblem::Unexpected { found: found.into(), expected: expected.into() }))
        };
        self.skip(1);
        let mut text = String::new();
        loop {
            text.push_str(self.take(|c| !matches!(c, '"' | '\\' | '\n')));
            if self.rest.starts_with('"') {
                self.skip(1);
                return Ok(Token::Text(text));
            }
            let escape = self.position;
            if !self.rest.starts_with('\\') {
                return unexpected(start, "a text without end", "`\"` in the same line");
            }
            self.skip(1);
            if let Some(hex) = self.rest.strip_prefix("u{").and_then(|rest| rest.split('}').next())
                && hex.len() <= 6
                && self.rest[2 + hex.len()..].starts_with('}')
                && let Some(c) = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)
            {
                self.skip(hex.len() + 3);
                text.push(c);
            } else if self.rest.starts_with(['"', '\\']) {
                text.push_str(self.skip(1));
            } else {
                return unexpected(escape, "an unknown escape", "`\\\"`, `\\\\` or `\\u{...}`");
            }
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

fn number<'a>(text: &str, position: Position) -> Result<Token<'a>, ParseError> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let shown = || text.chars().take(40).collect::<String>();
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        let (found, expected) = (format!("`{}`", shown()), "a decimal number or one after `0x`".into());
        return Err(position.error(ParseProblem::Unexpected { found, expected }));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(number) => Ok(Token::Number(number)),
        Err(_) => Err(position.error(ParseProblem::TooLarge(shown()))),
    }
}
