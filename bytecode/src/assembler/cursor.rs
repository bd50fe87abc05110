//! Where reading a text has got to. Everything that reads text goes through here, so that an error can say where.

use super::error::{AssembleError, Problem};
use std::ops::Range;

/// A text and a place in it.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// What reading gives.
pub(crate) type Read<T> = Result<T, AssembleError>;

impl<'t> Cursor<'t> {
    /// At the beginning of a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The place, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on at a place of the text.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// What was read from a place on.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    /// What is left.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes characters while they are wanted.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Passes over spaces within a line.
    pub fn spaces(&mut self) {
        self.take_while(|letter| matches!(letter, ' ' | '\t' | '\r'));
    }

    /// Passes over spaces, empty lines and comments.
    pub fn blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|letter| letter != '\n');
        }
    }

    /// Takes a text if it stands here, with the spaces behind it.
    pub fn eat(&mut self, text: &str) -> bool {
        let stands_here = self.rest().starts_with(text);
        if stands_here {
            self.at += text.len();
            self.spaces();
        }
        stands_here
    }

    /// Takes a text, which must stand here, with the spaces behind it.
    pub fn expect(&mut self, text: &'static str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes a word: letters, digits and underscores.
    pub fn word(&mut self) -> &'t str {
        self.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    }

    /// Takes everything up to one of the letters, a space or the end of the line.
    pub fn until(&mut self, ends: &[char]) -> &'t str {
        self.take_while(|letter| !(letter.is_whitespace() || ends.contains(&letter)))
    }

    /// Takes a number, decimal or hexadecimal, and the spaces behind it.
    pub fn number(&mut self) -> Read<u32> {
        let start = self.at;
        let text = self.word();
        let number = match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let number = number.ok_or_else(|| match text {
            "" => self.expected("a number"),
            text => self.error(start, Problem::Number { text: text.into(), expected: "32-bit number" }),
        })?;
        self.spaces();
        Ok(number)
    }

    /// Takes a text in quotes with `\n`, `\t`, `\"`, `\\` and `\x41` in it, and the spaces behind it.
    pub fn quoted(&mut self) -> Read<Vec<u8>> {
        let start = self.at;
        if self.peek() != Some('"') {
            return Err(self.expected("a text in quotes"));
        }
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let plain = self.take_while(|letter| !matches!(letter, '"' | '\\' | '\n'));
            bytes.extend(plain.as_bytes());
            let rest = self.rest();
            let mut escape = |length: usize, byte: u8| {
                bytes.push(byte);
                self.at += length;
            };
            match rest.as_bytes() {
                [b'"', ..] => {
                    self.at += 1;
                    self.spaces();
                    return Ok(bytes);
                }
                [b'\\', b'n', ..] => escape(2, b'\n'),
                [b'\\', b'r', ..] => escape(2, b'\r'),
                [b'\\', b't', ..] => escape(2, b'\t'),
                [b'\\', quoted @ (b'"' | b'\\'), ..] => escape(2, *quoted),
                [b'\\', b'x', ..] => {
                    let byte = rest.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    let problem =
                        Problem::Expected { expected: "two hexadecimal digits".into(), found: found(&rest[2..]) };
                    escape(4, byte.ok_or_else(|| AssembleError::new(self.text, start..start + 1, problem))?);
                }
                _ => {
                    return Err(
                        self.error(start, Problem::Expected { expected: "a closing quote".into(), found: found(rest) })
                    );
                }
            }
        }
    }

    /// The end of the line, with a comment before it.
    pub fn end_of_line(&mut self) -> Read<()> {
        self.spaces();
        if self.rest().starts_with("//") {
            self.take_while(|letter| letter != '\n');
        }
        match self.peek() {
            None => Ok(()),
            Some('\n') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    /// An error about the bytes from `start` to here.
    pub fn error(&self, start: usize, problem: Problem) -> AssembleError {
        let end = self.at.max(start);
        AssembleError::new(self.text, start..end, problem)
    }

    /// An error about what stands here.
    pub fn expected(&self, expected: &str) -> AssembleError {
        let rest = self.rest();
        let length = rest.chars().next().filter(|letter| *letter != '\n').map_or(0, char::len_utf8);
        let span: Range<usize> = self.at..self.at + length;
        AssembleError::new(self.text, span, Problem::Expected { expected: expected.to_owned(), found: found(rest) })
    }
}

/// What stands at the beginning of a text, for a message.
fn found(rest: &str) -> String {
    const SHOWN: usize = 16;
    let line = rest.lines().next().unwrap_or("");
    if rest.is_empty() {
        return "the end of the text".into();
    }
    if line.is_empty() {
        return "the end of the line".into();
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end =
        line.find(|letter| !is_word(letter)).unwrap_or(line.len()).max(line.chars().next().map_or(0, char::len_utf8));
    format!("`{}`", line[..end].chars().take(SHOWN).collect::<String>())
}
