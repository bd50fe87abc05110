//! Messages of compilers about a place in a source: `file(line,first-last): error X3000: …` from fxc, and
//! `file:line:column: E5000: …` from vkd3d-compiler.

use std::ops::Range;

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    pub file: &'a str,
    /// Counted from 1.
    pub line: usize,
    /// The first and last column, counted from 1; `None` where the message is about the line.
    columns: Option<(usize, usize)>,
    /// Otherwise it is a warning.
    pub is_error: bool,
    /// The code and the words.
    pub text: &'a str,
}

impl<'a> Message<'a> {
    /// Parses a line, if it is about a place.
    pub fn parse(line: &'a str) -> Option<Self> {
        Self::of_fxc(line).or_else(|| Self::of_colons(line))
    }

    fn of_fxc(line: &'a str) -> Option<Self> {
        let (place, rest) = line.split_once("): ")?;
        let (file, numbers) = place.rsplit_once('(')?;
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
        Some(Self { file, line: line.parse().ok()?, columns, is_error, text: text.trim_start_matches("error ") })
    }

    fn of_colons(line: &'a str) -> Option<Self> {
        let (place, text) = line.split_once(": ")?;
        let mut parts = place.rsplitn(3, ':');
        let (column, line, file) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
        // The letter of the code, or the word.
        let is_error = match text.as_bytes().first()? {
            b'E' | b'e' | b'f' => true,
            b'W' | b'w' => false,
            _ => return None,
        };
        let text = text.trim_start_matches("error: ").trim_start_matches("warning: ");
        Some(Self { file, line, columns: Some((column, column)), is_error, text })
    }

    /// The bytes of the source that it is about.
    pub fn span(&self, source: &str) -> Range<usize> {
        let mut begin = 0;
        for line in source.split_inclusive('\n').take(self.line.saturating_sub(1)) {
            begin += line.len();
        }
        let line = source[begin..].lines().next().unwrap_or("");
        let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(byte, _)| byte);
        match self.columns {
            Some((first, last)) => begin + byte(first.saturating_sub(1))..begin + byte(last.max(first)),
            None => begin + line.len() - line.trim_start().len()..begin + line.trim_end().len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "RWBuffer<float> o;\r\n[numthreads(1, 1, 1)]\r\nvoid main() { o[0] = foo; }\r\n";

    #[track_caller]
    fn parsed(line: &str) -> (&str, usize, bool, &str, &'static str) {
        let Message { file, line: number, is_error, text, .. } = Message::parse(line).unwrap();
        (file, number, is_error, text, &SOURCE[Message::parse(line).unwrap().span(SOURCE)])
    }

    #[test]
    fn the_forms_of_fxc_lead_to_their_places() {
        let found = parsed("Z:\\tmp (x)\\a.hlsl(3,22-24): error X3004: undeclared identifier 'foo'");
        assert_eq!(found, ("Z:\\tmp (x)\\a.hlsl", 3, true, "X3004: undeclared identifier 'foo'", "foo"));
        let found = parsed("a.hlsl(3,15): warning X3206: implicit truncation of vector type");
        assert_eq!(found, ("a.hlsl", 3, false, "X3206: implicit truncation of vector type", "o"));
        assert_eq!(parsed("a.hlsl(2): error X3000: syntax error").4, "[numthreads(1, 1, 1)]");
    }

    #[test]
    fn the_form_of_vkd3d_leads_to_its_place() {
        let found = parsed("a.hlsl:3:22: E5005: Variable \"foo\" is not defined.");
        assert_eq!(found, ("a.hlsl", 3, true, "E5005: Variable \"foo\" is not defined.", "f"));
        assert!(!Message::parse("a.hlsl:3:22: W5300: Implicit truncation of vector type.").unwrap().is_error);
    }

    #[test]
    fn places_outside_of_the_source_and_other_lines_do_no_harm() {
        for line in
            ["a.hlsl(99,1-2): error X1: y", "a.hlsl(3,99-5): error X1: y", "a.hlsl(0,0): error X1: y", "a:9:9: E1: y"]
        {
            let span = Message::parse(line).unwrap().span(SOURCE);
            assert!(SOURCE.get(span.clone()).is_some(), "{line}: {span:?}");
            assert!("".get(Message::parse(line).unwrap().span("")).is_some());
        }
        for line in
            ["", "compilation failed; no code produced", "a.hlsl(x): error X1: y", "note: see (1): above", "(): "]
        {
            assert_eq!(Message::parse(line), None, "{line}");
        }
    }
}
