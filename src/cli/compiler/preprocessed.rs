//! Maps lines of preprocessed text back to the source. vkd3d-compiler counts lines and columns in the text that its
//! preprocessor makes: without comments, lines excluded by conditions and ends of continued lines, with included files,
//! and with a blank between any two tokens. The text itself has no record of the lines' origin, so they are looked up
//! in the source by their content without blanks.
//!
//! Lines are too high after a call of a function that the compiler itself has in HLSL, such as `smoothstep`: version
//! 2.1 counts the lines of that too. A name quoted by a message leads to the right one.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::child::read_text;
use super::message::find_word;

/// The maximum size of a text that is examined, and of the files that it was made from.
const MOST_BYTES: u64 = 4 << 20;
/// The maximum number of included files that are examined.
const MOST_FILES: usize = 64;

/// A preprocessed text, and the files that it was made from.
pub(super) struct Preprocessed {
    /// The lines that the compiler counts, and their content without blanks.
    lines: Vec<(String, String)>,
    /// The number of occurrences of each content.
    counts: HashMap<String, usize>,
    /// The source, and the files that it includes.
    files: Vec<File>,
}

/// A position in a file.
pub(super) struct SourcePosition<'a> {
    pub file: &'a Path,
    pub text: &'a str,
    pub span: Range<usize>,
}

impl Preprocessed {
    /// The preprocessed text of a source, if it can be read.
    pub fn read(text: &Path, source: &Path) -> Option<Self> {
        Some(Self::new(&read_text(text, MOST_BYTES).ok()?, source))
    }

    fn new(text: &str, source: &Path) -> Self {
        // The compiler does not count lines with pragmas.
        let counted = text.lines().filter(|line| !line.starts_with("#pragma"));
        let lines: Vec<(String, String)> = counted.map(|line| (line.to_owned(), solid(line))).collect();
        let mut counts = HashMap::new();
        for (_, key) in &lines {
            *counts.entry(key.clone()).or_default() += 1;
        }
        Self { lines, counts, files: read_files(source) }
    }

    /// The position for a line and a column, both counted from 1; `name` is the quoted name that should be there.
    pub fn position(&self, line: usize, column: usize, name: Option<&str>) -> Option<SourcePosition<'_>> {
        let (at, byte) = self.locate(line.checked_sub(1)?, column.checked_sub(1)?, name)?;
        let (text, key) = &self.lines[at];
        let (file, found) = self.source_line(at, key)?;
        let line = &file.lines[found];
        let letters = text[..byte].chars().filter(|letter| !letter.is_whitespace()).count();
        let span = match line.bytes.get(letters).filter(|_| line.key == *key) {
            Some(&begin) => begin..begin + word_length(&file.text[begin..]),
            // A macro changed the line.
            None => {
                let whole = line.span(&file.text);
                let word = name.and_then(|name| find_word(&file.text[whole.clone()], name));
                word.map_or(whole.clone(), |word| whole.start + word.start..whole.start + word.end)
            }
        };
        Some(SourcePosition { file: &file.path, text: &file.text, span })
    }

    /// The line and the byte in it for a line, which may be too high, and the byte of a column.
    fn locate(&self, line: usize, byte: usize, name: Option<&str>) -> Option<(usize, usize)> {
        let up_to = &self.lines[..self.lines.len().min(line.saturating_add(1))];
        let begins = |text: &str| text.get(byte..).is_some_and(|rest| rest.starts_with(|first: char| first != ' '));
        let is_token = |text: &str| begins(text) && text[..byte].chars().next_back().is_none_or(|before| before == ' ');
        if let Some(name) = name {
            let has_it =
                |text: &str| is_token(text) && find_word(&text[byte..], name).is_some_and(|word| word.start == 0);
            if let Some(at) = up_to.iter().rposition(|(text, _)| has_it(text)) {
                return Some((at, byte));
            }
            let words = up_to.iter().enumerate().filter_map(|(at, (text, _))| Some((at, find_word(text, name)?.start)));
            if let [only] = words.take(2).collect::<Vec<_>>().as_slice() {
                return Some(*only);
            }
        }
        let (text, _) = self.lines.get(line)?;
        is_token(text).then_some((line, byte))
    }

    /// The line of a file that a line was made from.
    fn source_line(&self, at: usize, key: &str) -> Option<(&File, usize)> {
        let source = self.files.first()?;
        let found = source.at(key);
        if !key.is_empty() && !found.is_empty() && self.counts.get(key) == Some(&found.len()) {
            let before = self.lines[..at].iter().filter(|(_, other)| other == key).count();
            return Some((source, found[before]));
        }
        let included = self.files[1..].iter().filter_map(|file| match file.at(key) {
            [only] => Some((file, *only)),
            _ => None,
        });
        if found.is_empty()
            && let [only] = included.collect::<Vec<_>>().as_slice()
        {
            return Some(*only);
        }
        Some((source, self.between(source, at, key)?))
    }

    /// The line of the source in the same position between others as a line here.
    fn between(&self, source: &File, at: usize, key: &str) -> Option<usize> {
        let anchor = |(_, key): &(String, String)| match source.at(key) {
            [only] if self.counts.get(key) == Some(&1) => Some(*only),
            _ => None,
        };
        let is_full = |(_, key): &&(String, String)| !key.is_empty();
        let (before, after) = (&self.lines[..at], &self.lines[at + 1..]);
        let above = before.iter().rev().filter(is_full).enumerate().find_map(|(n, line)| Some((n, anchor(line)?)));
        let below = after.iter().filter(is_full).enumerate().find_map(|(n, line)| Some((n, anchor(line)?)));
        // If there is none, the text begins or ends there.
        let (above, first) = match above {
            Some((n, found)) => (n, found + 1),
            None => (before.iter().filter(is_full).count(), 0),
        };
        let (below, end) = below.unwrap_or((after.iter().filter(is_full).count(), source.lines.len()));
        let equal: Vec<usize> = source.at(key).iter().copied().filter(|found| (first..end).contains(found)).collect();
        match equal.as_slice() {
            [only] => Some(*only),
            _ if end.checked_sub(first) == Some(above + below + 1) => Some(first + above),
            _ => None,
        }
    }
}

/// A source, and the files that it includes.
fn read_files(source: &Path) -> Vec<File> {
    let folder = source.parent().unwrap_or(Path::new(""));
    let mut files: Vec<File> = File::read(source, MOST_BYTES).into_iter().collect();
    let mut n = 0;
    while let Some(file) = files.get(n) {
        for path in file.includes().into_iter().map(|name| folder.join(name)) {
            let read: u64 = files.iter().map(|file| file.text.len() as u64).sum();
            if files.len() < MOST_FILES && files.iter().all(|file| file.path != path) {
                files.extend(File::read(&path, MOST_BYTES.saturating_sub(read)));
            }
        }
        n += 1;
    }
    files
}

/// A file of a source.
struct File {
    path: PathBuf,
    text: String,
    /// Lines that are neither empty nor directives.
    lines: Vec<SourceLine>,
    /// Indices of lines in `lines`.
    found: HashMap<String, Vec<usize>>,
    /// The byte ranges of the names that it includes.
    includes: Vec<Range<usize>>,
}

impl File {
    fn read(path: &Path, most: u64) -> Option<Self> {
        Some(Self::new(path, read_text(path, most).ok()?))
    }

    fn new(path: &Path, text: String) -> Self {
        let (directives, lines): (Vec<SourceLine>, Vec<SourceLine>) =
            lines(&text).into_iter().partition(|line| line.key.starts_with('#'));
        let name = |line: &SourceLine| {
            let (first, last) = (line.key.find('"')?, line.key.rfind('"')?);
            let byte = |at: usize| line.bytes[line.key[..at].chars().count()];
            (line.key.starts_with("#include\"") && first < last).then(|| byte(first) + 1..byte(last))
        };
        let includes = directives.iter().filter_map(name).collect();
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        for (n, line) in lines.iter().enumerate() {
            found.entry(line.key.clone()).or_default().push(n);
        }
        Self { path: path.to_owned(), text, lines, found, includes }
    }

    fn at(&self, key: &str) -> &[usize] {
        self.found.get(key).map_or(&[], Vec::as_slice)
    }

    fn includes(&self) -> Vec<String> {
        self.includes.iter().map(|name| self.text[name.clone()].to_owned()).collect()
    }
}

/// A line as the preprocessor sees it: without comments, and with its continuations.
#[derive(Default)]
struct SourceLine {
    /// Its content without blanks.
    key: String,
    /// The offset of each letter of that.
    bytes: Vec<usize>,
}

impl SourceLine {
    /// Its span, without the continuations.
    fn span(&self, text: &str) -> Range<usize> {
        let begin = self.bytes.first().copied().unwrap_or(0);
        let line = text[begin..].lines().next().unwrap_or("");
        begin..begin + line.trim_end().len()
    }
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> Vec<SourceLine> {
    let (mut lines, mut line) = (Vec::new(), SourceLine::default());
    let mut end = |line: &mut SourceLine| {
        if !line.bytes.is_empty() {
            lines.push(std::mem::take(line));
        }
    };
    let (mut at, mut is_quoted) = (0, false);
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let continued = ["\\\n", "\\\r\n"].into_iter().find(|end| rest.starts_with(end));
        at += match continued {
            Some(end) => end.len(),
            None if !is_quoted && rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            None if !is_quoted && rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            None => {
                if letter == '\n' {
                    end(&mut line);
                    is_quoted = false;
                } else if !letter.is_whitespace() {
                    is_quoted ^= letter == '"';
                    line.key.push(letter);
                    line.bytes.push(at);
                }
                letter.len_utf8()
            }
        };
    }
    end(&mut line);
    lines
}

fn solid(line: &str) -> String {
    line.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The bytes of the word that a text begins with, or of its first letter.
fn word_length(text: &str) -> usize {
    let end = text.find(|letter: char| letter != '_' && !letter.is_alphanumeric()).unwrap_or(text.len());
    if end > 0 { end } else { text.chars().next().map_or(0, char::len_utf8) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/* Two
   lines */
#define M(x) \\
    1 + x
#if 0
foo
#endif
RWByteAddressBuffer o; // bytes

[numthreads(1,1,1)]
void main() {
    o.Store(0, foo);
#pragma once
#ifndef M
#else

    o.Store(4, M(bar));
    o.Store(0, /* it */
    foo); }
#endif
";

    /// The output of vkd3d-compiler 2.1. It reports `foo` as unknown at 9:17 and 15:1, and `bar` at 13:21.
    const TEXT: &str = "



RWByteAddressBuffer o ;

[ numthreads ( 1 , 1 , 1 ) ]
void main ( ) {
o . Store ( 0 , foo ) ;
#pragma once



o . Store ( 4 , 1 + bar ) ;
o . Store ( 0 ,
foo ) ; }

";

    fn preprocessed(text: &str) -> Preprocessed {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hlsl");
        std::fs::write(&path, SOURCE).unwrap();
        Preprocessed::new(text, &path)
    }

    #[track_caller]
    fn position(text: &str, line: usize, column: usize, name: &str) -> Option<(usize, String)> {
        let preprocessed = preprocessed(text);
        let position = preprocessed.position(line, column, Some(name).filter(|name| !name.is_empty()))?;
        Some((SOURCE[..position.span.start].matches('\n').count() + 1, SOURCE[position.span].to_owned()))
    }

    #[test]
    fn lines_and_columns_lead_to_the_source() {
        assert_eq!(position(TEXT, 9, 17, "foo"), Some((12, "foo".into())));
        assert_eq!(position(TEXT, 15, 1, "foo"), Some((19, "foo".into())));
        assert_eq!(position(TEXT, 5, 1, ""), Some((8, "RWByteAddressBuffer".into())));
        assert_eq!(position(TEXT, 8, 11, ""), Some((11, "(".into())));
        // A macro has changed the line.
        assert_eq!(position(TEXT, 13, 21, "bar"), Some((17, "bar".into())));
        assert_eq!(position(TEXT, 13, 21, ""), Some((17, "o.Store(4, M(bar));".into())));
        for (line, column) in [(0, 0), (9, 0), (0, 1), (9, 18), (9, 9999), (99, 1)] {
            assert_eq!(position(TEXT, line, column, ""), None, "{line}:{column}");
        }
        assert_eq!(position("", 1, 1, ""), None);
    }

    /// As after a call of `smoothstep`, whose four lines are counted.
    #[test]
    fn lines_that_are_too_high_are_found_by_the_name() {
        assert_eq!(position(TEXT, 13, 17, "foo"), Some((12, "foo".into())));
        assert_eq!(position(TEXT, 19, 1, "foo"), Some((19, "foo".into())));
        assert_eq!(position(TEXT, 99, 21, "bar"), Some((17, "bar".into())));
        // The columns of its own line are wrong too.
        assert_eq!(position(TEXT, 17, 50, "bar"), Some((17, "bar".into())));
        assert_eq!(position(TEXT, 99, 21, "absent"), None);
    }

    /// Lines of included files come before those of the source, which are counted on.
    #[test]
    fn included_files_have_their_own_lines() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a b.hlsl", "#include \"in c.hlsli\"\nvoid main() {\n}\nvoid f() {\n}\n");
        write("in c.hlsli", "// one\n# include \"a b.hlsl\"\nfloat g() { return foo; }\nvoid h() {\n}\n");
        let text =
            "\n\n\nfloat g ( ) { return foo ; } \nvoid h ( ) { \n} \n\nvoid main ( ) { \n} \nvoid f ( ) { \n} \n";
        let preprocessed = Preprocessed::new(text, &folder.path().join("a b.hlsl"));
        let found = |line: usize| {
            let position = preprocessed.position(line, 1, None).unwrap();
            let name = position.file.file_name().unwrap().to_str().unwrap();
            (name.to_owned(), position.text[..position.span.start].matches('\n').count() + 1)
        };
        assert_eq!(found(4), ("in c.hlsli".into(), 3));
        assert_eq!(found(5), ("in c.hlsli".into(), 4));
        assert_eq!([found(8), found(9), found(10)], [2, 3, 4].map(|line| ("a b.hlsl".into(), line)));
    }

    #[test]
    fn texts_that_do_not_fit_lead_nowhere_harmful() {
        for text in ["}\n}\n}\n", "o.Store(0,\n\u{1}", "/* x\n", "\"\n\"", &SOURCE.repeat(3), "ä ö ü\n"] {
            let preprocessed = preprocessed(text);
            for (line, column) in (0..30).flat_map(|line| [0, 1, 2, 30, usize::MAX].map(|column| (line, column))) {
                for name in [None, Some("o"), Some("}"), Some("ä"), Some(" ")] {
                    if let Some(position) = preprocessed.position(line, column, name) {
                        assert!(position.text.get(position.span).is_some());
                    }
                }
            }
        }
        for text in ["", "/*", "\"", "\\", "\\\n", "#include \"", "#include \"\\\nx\"", "/*/", "ä/*ö*/ü"] {
            File::new(Path::new("x"), text.to_owned()).includes();
        }
    }
}
