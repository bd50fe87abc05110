//! Reads a text from a current position. Everything that reads text goes through here, so that an error can say where.

use super::error::{AssembleError, Problem, nearest, shown};
use crate::sm5::literal::hexadecimal;
use std::ops::Range;

/// A text and a position in it.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// Result of reading.
pub(crate) type Read<T> = Result<T, AssembleError>;

impl<'t> Cursor<'t> {
    /// At the beginning of a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The position, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Moves to a position in the text.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// The text read since a position.
    pub fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    /// The rest of the text.
    pub fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes characters while `wanted` is true.
    pub fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !wanted(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips spaces within a line.
    pub fn spaces(&mut self) {
        self.take_while(|letter| matches!(letter, ' ' | '\t' | '\r'));
    }

    /// Skips spaces, empty lines and comments.
    pub fn blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|letter| letter != '\n');
        }
    }

    /// Takes a text if it is next, with the spaces after it.
    pub fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
            self.spaces();
        }
        is_next
    }

    /// Takes a text, which must be next, with the spaces after it.
    pub fn expect(&mut self, text: &'static str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// Takes a word: letters, digits and underscores.
    pub fn word(&mut self) -> &'t str {
        self.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    }

    /// Takes everything up to one of the characters, a space or the end of the line.
    pub fn until(&mut self, ends: &[char]) -> &'t str {
        self.take_while(|letter| !(letter.is_whitespace() || ends.contains(&letter)))
    }

    /// Takes the word of a directive if it is next, with the spaces after it.
    pub fn directive(&mut self, name: &str) -> bool {
        let after = self.rest().strip_prefix(name);
        after.is_some_and(|rest| !rest.starts_with(is_word)) && self.eat(name)
    }

    /// Takes a number, decimal or hexadecimal, and the spaces after it.
    pub fn number(&mut self) -> Read<u32> {
        let start = self.at;
        let text = self.word();
        let number = match text.strip_prefix("0x") {
            Some(digits) => hexadecimal(digits),
            None => text.parse().ok(),
        };
        let number = number.ok_or_else(|| self.no_number(start, "32-bit number"))?;
        self.spaces();
        Ok(number)
    }

    /// Takes a word that is one of these names, and the spaces after it.
    pub fn named<'n, T>(&mut self, kind: &'static str, known: impl Iterator<Item = (T, &'n str)> + Clone) -> Read<T> {
        let start = self.at;
        let word = self.word();
        let found = known.clone().find(|(_, name)| *name == word);
        let (value, _) = found.ok_or_else(|| self.unknown(start, kind, known.map(|(_, name)| name)))?;
        self.spaces();
        Ok(value)
    }

    /// Takes a text in quotes with `\n`, `\t`, `\"`, `\\` and `\x41` in it, and the spaces after it.
    pub fn quoted(&mut self) -> Read<Vec<u8>> {
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
                    let byte = rest.get(2..4).and_then(hexadecimal);
                    let Some(byte) = byte else {
                        self.at += 2;
                        return Err(self.expected("two hexadecimal digits"));
                    };
                    escape(4, byte as u8);
                }
                _ => return Err(self.expected("a closing quote")),
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
        let end = start + self.text[start..self.at.max(start)].trim_end().len();
        AssembleError::new(self.text, start..end, problem)
    }

    /// An error about these bytes.
    pub fn error_at(&self, span: Range<usize>, problem: Problem) -> AssembleError {
        AssembleError::new(self.text, span, problem)
    }

    /// An error about the next token.
    pub fn expected(&self, expected: &str) -> AssembleError {
        let token = token(self.rest());
        let problem = Problem::Expected { expected: expected.to_owned(), found: self.found(token) };
        AssembleError::new(self.text, self.at..self.at + token.len(), problem)
    }

    /// An error about the word from `start` to here, which is none of these.
    pub fn unknown<'n>(&self, start: usize, kind: &'static str, known: impl Iterator<Item = &'n str>) -> AssembleError {
        let name = self.since(start).trim_end();
        if name.is_empty() {
            let article = if kind.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
            return self.expected(&format!("{article} {kind}"));
        }
        let problem = Problem::Unknown { kind, name: shown(name), nearest: nearest(name, known) };
        self.error(start, problem)
    }

    /// An error about the text from `start` to here, which is not such a number.
    pub fn no_number(&self, start: usize, expected: &'static str) -> AssembleError {
        match self.since(start).trim_end() {
            "" => self.expected(&format!("a {expected}")),
            text => self.error(start, Problem::Number { text: shown(text), expected }),
        }
    }

    /// An error about the letters after a register, from `start` to here.
    pub fn no_components(&self, start: usize) -> AssembleError {
        match self.since(start).trim_start_matches('.') {
            "" => self.expected("components such as `x`"),
            letters => self.error(start, Problem::Components { letters: shown(letters) }),
        }
    }

    /// The next token, for a message.
    fn found(&self, token: &str) -> String {
        match token.chars().next() {
            None if self.rest().is_empty() => "the end of the text".into(),
            None => "the end of the line".into(),
            Some(letter) if letter.is_whitespace() || letter.is_control() => format!("U+{:04X}", letter as u32),
            Some(_) => format!("`{}`", shown(token)),
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The word, the number or the character at the beginning of a text; nothing at the end of a line. Of a long one only
/// the beginning, to bound the time that it takes.
fn token(rest: &str) -> &str {
    const LONGEST: usize = 64;
    let mut letters = rest.chars();
    let length = match letters.next() {
        None | Some('\r' | '\n') => 0,
        Some(first) => {
            let is_number = first.is_ascii_digit()
                || matches!(first, '-' | '.') && letters.next().is_some_and(|letter| letter.is_ascii_digit());
            let after = rest[first.len_utf8()..].char_indices().take(LONGEST);
            let ends = |letter: char| !(is_word(letter) || is_number && letter == '.');
            let end = match is_word(first) || is_number {
                true => after.take_while(|(_, letter)| !ends(*letter)).last(),
                false => None,
            };
            first.len_utf8() + end.map_or(0, |(at, letter)| at + letter.len_utf8())
        }
    };
    &rest[..length]
}
