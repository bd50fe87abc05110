//! JSON with the place of every value.
//!
//! Written here because the usual readers drop the places on the way into a tree. Nesting is capped, so that a hostile
//! file cannot use up the stack.

use std::collections::HashSet;

use super::document::{Entry, Node, Span, Value};
use super::error::Problem;

/// Arrays and tables inside each other.
const MAX_DEPTH: usize = 64;

/// Reads one value that fills the whole text.
pub(super) fn parse(text: &str) -> Result<Node, (Problem, Span)> {
    // Editors of some systems put a byte-order mark in front.
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at, depth: 0 };
    let node = reader.value()?;
    reader.space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("the job ends before this")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

type Parsed<T> = Result<T, (Problem, Span)>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// A complaint about the character at the cursor.
    fn wrong(&self, message: &str) -> (Problem, Span) {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        (Problem::Syntax { message: message.into() }, self.at..self.at + width)
    }

    fn value(&mut self) -> Parsed<Node> {
        self.space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::table)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.wrong("a value was expected here")),
            None => return Err(self.wrong("the text ends where a value was expected")),
        };
        Ok(Node { value, span: start..self.at })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Parsed<Value>) -> Parsed<Value> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong("arrays and tables are nested too deeply"));
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Value) -> Parsed<Value> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.wrong("a value was expected here"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn table(&mut self) -> Parsed<Value> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = HashSet::new();
        self.items(b'}', "a `,` or `}` was expected here", |reader| {
            reader.space();
            let start = reader.at;
            if reader.peek() != Some(b'"') {
                return Err(reader.wrong("a key in quotes was expected here"));
            }
            let key = reader.string()?;
            let key_span = start..reader.at;
            if !keys.insert(key.clone()) {
                return Err((Problem::DuplicateKey { key }, key_span));
            }
            reader.space();
            if reader.peek() != Some(b':') {
                return Err(reader.wrong("a `:` was expected here"));
            }
            reader.at += 1;
            let node = reader.value()?;
            entries.push(Entry { key, key_span, node });
            Ok(())
        })?;
        Ok(Value::Table(entries))
    }

    fn array(&mut self) -> Parsed<Value> {
        let mut nodes = Vec::new();
        self.items(b']', "a `,` or `]` was expected here", |reader| {
            nodes.push(reader.value()?);
            Ok(())
        })?;
        Ok(Value::Array(nodes))
    }

    /// Reads items between commas, from the opening bracket to past the closing one.
    fn items(&mut self, close: u8, between: &str, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.at += 1;
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(self.wrong(between)),
            }
        }
    }

    fn number(&mut self) -> Parsed<Value> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let span = start..self.at;
        let digits = &self.text[span.clone()];
        if let Ok(number) = digits.parse::<i64>() {
            return Ok(Value::Integer(number));
        }
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err((Problem::Syntax { message: "this is not a number".into() }, span)),
        }
    }

    fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(next) = self.text[self.at..].chars().next() else {
                return Err((Problem::Syntax { message: "the text in quotes never ends".into() }, start..start + 1));
            };
            match next {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                '\0'..='\x1f' => return Err(self.wrong("a control character must be written as an escape")),
                other => {
                    out.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Parsed<char> {
        self.at += 1;
        let code = self.peek();
        let plain = match code {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => return Err(self.wrong("there is no such escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `\uXXXX`, two of them for what lies above the first 65536 characters.
    fn unicode_escape(&mut self) -> Parsed<char> {
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            match self.four_digits()? {
                second @ 0xdc00..0xe000 => 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                // Half a pair, which is refused below.
                _ => first,
            }
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.wrong("the escape before this is no character"))
    }

    /// Steps over the `u` and four hexadecimal digits.
    fn four_digits(&mut self) -> Parsed<u32> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 5;
                Ok(code)
            }
            None => Err(self.wrong("four hexadecimal digits must follow")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters() {
        let node = parse(r#""a\n\u00e9\ud83d\ude00\/""#).unwrap();
        assert_eq!(node.value, Value::Text("a\né😀/".into()));
    }

    #[test]
    fn broken_text_is_an_error_and_never_a_panic() {
        for text in [
            "",
            "{",
            "[1,",
            "{\"a\"}",
            "{\"a\":}",
            "\"",
            "\"\\",
            "\"\\u12",
            "\"\\ud800",
            "\"\\ud800\\u0041\"",
            "-",
            "1e999",
            "nul",
            "[1] 2",
            "é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_key_may_not_come_twice() {
        let (problem, span) = parse(r#"{"a":1,"a":2}"#).unwrap_err();
        assert!(matches!(problem, Problem::DuplicateKey { .. }));
        assert_eq!(span, 7..10);
    }
}
