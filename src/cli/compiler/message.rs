//! Parses messages of compilers about a source: `file(line,first-last): error X3000: …` from fxc, and from
//! vkd3d-compiler `file:line:column: E5000: …`, or `file: E5005: …` and `E5033: …` if it has no position.

use std::ops::Range;

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    /// Empty if it names none.
    pub file: &'a str,
    /// `None` if it is about the whole file.
    pub position: Option<MessagePosition>,
    /// Otherwise it is a warning.
    pub is_error: bool,
    /// The code and the message.
    pub text: &'a str,
}

/// A position, with lines and columns counted from 1, in one of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessagePosition {
    /// The file: a line, and its first and last column; `None` if the message is about the line.
    Source(usize, Option<(usize, usize)>),
    /// The text that vkd3d's preprocessor makes of it: a line and a column.
    Preprocessed(usize, usize),
}

impl<'a> Message<'a> {
    /// Parses a line, if it is a message.
    pub fn parse(line: &'a str) -> Option<Self> {
        Self::of_fxc(line).or_else(|| Self::of_vkd3d(line)).or_else(|| Self::of_colons(line))
    }

    fn of_fxc(line: &'a str) -> Option<Self> {
        let (position, rest) = line.split_once("): ")?;
        let (file, numbers) = position.rsplit_once('(')?;
        let (line, columns) = match numbers.split_once(',') {
            Some((line, columns)) => {
                let (first, last) = columns.split_once('-').unwrap_or((columns, columns));
                (line, Some((first.parse().ok()?, last.parse().ok()?)))
            }
            None => (numbers, None),
        };
        let (severity, text) = rest.trim().split_once(' ')?;
        let is_error = match severity {
            "error" | "fatal" => true,
            "warning" => false,
            _ => return None,
        };
        let position = Some(MessagePosition::Source(line.parse().ok()?, columns));
        Some(Self { file, position, is_error, text: text.trim_start_matches("error ") })
    }

    fn of_vkd3d(line: &'a str) -> Option<Self> {
        let begins = line.match_indices(": ").map(|(at, sign)| at + sign.len());
        let at = [0].into_iter().chain(begins).find(|&at| code(&line[at..]).is_some())?;
        let (is_error, number) = code(&line[at..])?;
        let (file, text) = (line[..at].trim_end_matches(": "), &line[at..]);
        let Some((file, line, column)) = numbered(file) else {
            return Some(Self { file, position: None, is_error, text });
        };
        // The codes of the preprocessor itself, 4000 and more, count in the file.
        let position = match number {
            5000.. => MessagePosition::Preprocessed(line, column),
            _ => MessagePosition::Source(line, Some((column, column))),
        };
        Some(Self { file, position: Some(position), is_error, text })
    }

    fn of_colons(line: &'a str) -> Option<Self> {
        let (position, text) = line.split_once(": ")?;
        let (file, line, column) = numbered(position)?;
        let is_error = match text.as_bytes().first()? {
            b'E' | b'e' | b'f' => true,
            b'W' | b'w' => false,
            _ => return None,
        };
        let text = text.trim_start_matches("error: ").trim_start_matches("warning: ");
        Some(Self { file, position: Some(MessagePosition::Source(line, Some((column, column)))), is_error, text })
    }

    /// The name that it quotes, if any.
    pub fn quoted(&self) -> Option<&'a str> {
        let begin = self.text.find(['"', '\''])?;
        let quote = &self.text[begin..=begin];
        self.text[begin + 1..].split_once(quote).map(|(name, _)| name).filter(|name| !name.is_empty())
    }

    /// The bytes of the source that it is about, if it has a position. A position in preprocessed text is used as one
    /// in the source, except that a name which the message quotes is more reliable than the column.
    pub fn span(&self, source: &str) -> Option<Range<usize>> {
        let (line, columns, name) = match self.position? {
            MessagePosition::Source(line, columns) => (line, columns, None),
            MessagePosition::Preprocessed(line, column) => (line, Some((column, column)), self.quoted()),
        };
        let mut begin = 0;
        for line in source.split_inclusive('\n').take(line.saturating_sub(1)) {
            begin += line.len();
        }
        let line = source[begin..].lines().next().unwrap_or("");
        if let Some(word) = name.and_then(|name| find_word(line, name)) {
            return Some(begin + word.start..begin + word.end);
        }
        let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(byte, _)| byte);
        Some(match columns {
            Some((first, last)) => begin + byte(first.saturating_sub(1))..begin + byte(last.max(first)),
            None => begin + line.len() - line.trim_start().len()..begin + line.trim_end().len(),
        })
    }
}

/// The first occurrence of a word in a text that is not part of a longer one.
pub(super) fn find_word(text: &str, word: &str) -> Option<Range<usize>> {
    let is_letter = |letter: char| letter == '_' || letter.is_alphanumeric();
    let is_part = |at: &Range<usize>| {
        word.starts_with(is_letter) && text[..at.start].ends_with(is_letter)
            || word.ends_with(is_letter) && text[at.end..].starts_with(is_letter)
    };
    text.match_indices(word).map(|(at, word)| at..at + word.len()).find(|at| !is_part(at))
}

/// Severity and number of the code that a text begins with: `E5005: …`.
fn code(text: &str) -> Option<(bool, u32)> {
    let (code, _) = text.split_once(": ")?;
    let is_error = match code.as_bytes() {
        [b'E', digits @ ..] if digits.len() == 4 => true,
        [b'W', digits @ ..] if digits.len() == 4 => false,
        _ => return None,
    };
    Some((is_error, code.get(1..).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?))
}

/// `file:line:column`.
fn numbered(position: &str) -> Option<(&str, usize, usize)> {
    let mut parts = position.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?, line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "RWBuffer<float> o;\r\n[numthreads(1, 1, 1)]\r\nvoid main() { o[0] = foo; }\r\n";

    #[track_caller]
    fn parsed(line: &str) -> (&str, bool, &str, &'static str) {
        let message = Message::parse(line).unwrap();
        (message.file, message.is_error, message.text, message.span(SOURCE).map_or("nowhere", |span| &SOURCE[span]))
    }

    #[test]
    fn the_forms_of_fxc_lead_to_their_places() {
        let found = parsed("Z:\\tmp (x)\\a.hlsl(3,22-24): error X3004: undeclared identifier 'foo'");
        assert_eq!(found, ("Z:\\tmp (x)\\a.hlsl", true, "X3004: undeclared identifier 'foo'", "foo"));
        let found = parsed("a.hlsl(3,15): warning X3206: implicit truncation of vector type");
        assert_eq!(found, ("a.hlsl", false, "X3206: implicit truncation of vector type", "o"));
        assert_eq!(parsed("a.hlsl(2): error X3000: syntax error").3, "[numthreads(1, 1, 1)]");
    }

    /// All but the file names as version 2.1 prints them for this source and others; the last as 1.2 does.
    #[test]
    fn the_forms_of_vkd3d_lead_to_their_places() {
        for (line, expected) in [
            (
                "a.hlsl:3:27: E5005: Identifier \"foo\" is not declared.",
                ("a.hlsl", true, "E5005: Identifier \"foo\" is not declared.", "foo"),
            ),
            (
                "C:\\a: b.hlsl:3:29: E5000: syntax error, unexpected '}', expecting ';'",
                ("C:\\a: b.hlsl", true, "E5000: syntax error, unexpected '}', expecting ';'", "}"),
            ),
            (
                "a.hlsl:3:24: W5300: Implicit truncation of vector type.",
                ("a.hlsl", false, "W5300: Implicit truncation of vector type.", "o"),
            ),
            (
                "a.hlsl:1:1: E4002: Failed to open \"b.hlsli\".",
                ("a.hlsl", true, "E4002: Failed to open \"b.hlsli\".", "R"),
            ),
            (
                "a.hlsl: E5005: Entry point \"nope\" is not defined.",
                ("a.hlsl", true, "E5005: Entry point \"nope\" is not defined.", "nowhere"),
            ),
            ("a.hlsl: W4305: Unterminated #if block.", ("a.hlsl", false, "W4305: Unterminated #if block.", "nowhere")),
            (
                "E5033: Unknown target profile 'xs_9_0'.",
                ("", true, "E5033: Unknown target profile 'xs_9_0'.", "nowhere"),
            ),
            ("a.cso: E0002: Invalid DXBC magic.", ("a.cso", true, "E0002: Invalid DXBC magic.", "nowhere")),
        ] {
            assert_eq!(parsed(line), expected);
        }
        for line in [
            "Failed to compile shader, ret -4.",
            "vkd3d:7:fixme:vkd3d:hlsl_yylex Unsupported preprocessor #pragma directive at line 1.",
            "vkd3d:7:err:vkd3d:default_open_include Unable to open \"b.hlsli\" for reading.",
            "a.hlsl:4:115: \"k\" was previously declared here.",
        ] {
            assert_eq!(Message::parse(line), None, "{line}");
        }
    }

    #[test]
    fn columns_of_other_compilers_are_those_of_the_source() {
        assert_eq!(parsed("a.hlsl:3:22: error: no foo"), ("a.hlsl", true, "no foo", "f"));
        assert!(!parsed("a.hlsl:3:22: warning: no foo").1);
    }

    #[test]
    fn places_outside_of_the_source_and_other_lines_do_no_harm() {
        for line in [
            "a.hlsl(99,1-2): error X1: y",
            "a.hlsl(3,99-5): error X1: y",
            "a.hlsl(0,0): error X1: y",
            "a:9:9: E1: y",
            "a:9:9: E5000: y",
            "a:0:0: E5000: \"ä' y",
            "a:3:9: E5000: \"",
        ] {
            let span = Message::parse(line).unwrap().span(SOURCE).unwrap();
            assert!(SOURCE.get(span.clone()).is_some(), "{line}: {span:?}");
            assert!("".get(Message::parse(line).unwrap().span("").unwrap()).is_some());
        }
        for line in [
            "",
            "compilation failed; no code produced",
            "a.hlsl(x): error X1: y",
            "note: see (1): above",
            "(): ",
            "E500: ",
            "Eäöa: b",
            ": : ",
        ] {
            assert_eq!(Message::parse(line), None, "{line}");
        }
    }
}
