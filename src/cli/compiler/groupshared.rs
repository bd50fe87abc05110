//! Finds arrays in thread group shared memory that vkd3d-compiler compiles wrongly: when it reads an element, it loses
//! all indices but the last, and the offset of an array in a structure. `t[i.y][2]` becomes element 2 of `t`, whatever
//! `i.y` is. Version 2.1 does so without a message; its writes go to the right address.
//!
//! Types count too: dimensions of a `typedef`, and arrays that structures have as members. Macros and included files
//! are not examined.

use std::collections::HashMap;
use std::ops::Range;

/// Words that may precede a type.
const MODIFIERS: [&str; 11] = [
    "static",
    "const",
    "volatile",
    "precise",
    "row_major",
    "column_major",
    "groupshared",
    "unorm",
    "snorm",
    "unsigned",
    "extern",
];
/// The maximum nesting of structures; those nested more deeply are skipped.
const MOST_NESTED: usize = 32;

/// A declaration that is compiled wrongly.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lost {
    /// The bytes of its name and dimensions.
    pub span: Range<usize>,
    /// The problem, and advice on how to write it instead.
    pub text: String,
}

/// The declarations in a source that are compiled wrongly.
pub(super) fn lost_indices(source: &str) -> Vec<Lost> {
    let words = words(source);
    let mut reader = ArrayFinder { source, words: &words, at: 0, types: HashMap::new(), nesting: 0, lost: Vec::new() };
    reader.read();
    reader.lost
}

/// The words and symbols of a text without its comments and strings.
fn words(source: &str) -> Vec<Range<usize>> {
    let bytes = source.as_bytes();
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let (mut words, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end_of = |end: &str, skipped: usize| {
            source[at + skipped..].find(end).map_or(bytes.len(), |found| at + skipped + found + end.len())
        };
        at = match rest {
            [b'/', b'/', ..] => end_of("\n", 2),
            [b'/', b'*', ..] => end_of("*/", 2),
            [b'"', ..] => {
                rest[1..].iter().position(|&byte| matches!(byte, b'"' | b'\n')).map_or(bytes.len(), |end| at + end + 2)
            }
            // A directive is not a declaration.
            [b'#', ..] => end_of_line(source, at),
            [space, ..] if space.is_ascii_whitespace() => at + 1,
            [_, ..] => {
                let length = rest.iter().take_while(|&&byte| is_word(byte)).count().max(1);
                words.push(at..at + length);
                at + length
            }
            [] => break,
        };
    }
    words
}

/// The end of a line, which continues after each backslash at its end.
fn end_of_line(source: &str, from: usize) -> usize {
    let mut end = from;
    for line in source[from..].split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\r', '\n']).ends_with('\\') {
            break;
        }
    }
    end
}

/// A type, as far as it has arrays.
#[derive(Clone, Copy, Default)]
struct ArrayType {
    dimensions: usize,
    /// Set if a structure in it has an array.
    has_array_member: bool,
}

/// A name with the texts in its brackets.
struct Declarator<'a> {
    name: &'a str,
    dimensions: Vec<&'a str>,
    span: Range<usize>,
}

struct ArrayFinder<'a> {
    source: &'a str,
    words: &'a [Range<usize>],
    at: usize,
    /// Named types with arrays.
    types: HashMap<&'a str, ArrayType>,
    /// The number of enclosing structures.
    nesting: usize,
    lost: Vec<Lost>,
}

impl<'a> ArrayFinder<'a> {
    fn read(&mut self) {
        while let Some(word) = self.word(self.at) {
            match word {
                // Named ones may be used later.
                "struct" => drop(self.read_type()),
                "typedef" => {
                    self.at += 1;
                    let of = self.read_type();
                    for declarator in self.declarators() {
                        self.types.insert(declarator.name, declarator.of(of));
                    }
                }
                "groupshared" => {
                    self.at += 1;
                    let of = self.read_type();
                    for declarator in self.declarators() {
                        let found = declarator.of(of);
                        if found.has_array_member || found.dimensions > 1 {
                            self.lost.push(Lost { text: advice(&declarator, found), span: declarator.span });
                        }
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&self, at: usize) -> Option<&'a str> {
        self.words.get(at).map(|word| &self.source[word.clone()])
    }

    /// `true` if one of these words, or the end, is next.
    fn is_at(&self, words: &[&str]) -> bool {
        self.word(self.at).is_none_or(|word| words.contains(&word))
    }

    fn read_type(&mut self) -> ArrayType {
        while self.word(self.at).is_some_and(|word| MODIFIERS.contains(&word)) {
            self.at += 1;
        }
        if self.word(self.at) == Some("struct") {
            return self.structure();
        }
        let found = self.word(self.at).and_then(|name| self.types.get(name)).copied().unwrap_or_default();
        self.at += 1;
        if self.word(self.at) == Some("<") {
            while !self.is_at(&[">", ";"]) {
                self.at += 1;
            }
            self.at += 1;
        }
        found
    }

    fn structure(&mut self) -> ArrayType {
        self.at += 1;
        let name = self.word(self.at).filter(|&name| name != "{");
        self.at += usize::from(name.is_some());
        let mut found = name.and_then(|name| self.types.get(name)).copied().unwrap_or_default();
        if self.word(self.at) == Some(":") {
            // Its base class.
            self.at += 1;
            found = self.word(self.at).and_then(|name| self.types.get(name)).copied().unwrap_or_default();
            self.at += 1;
        }
        if self.word(self.at) == Some("{") {
            found.has_array_member |= self.members();
            if let Some(name) = name {
                self.types.insert(name, found);
            }
        }
        found
    }

    /// Reads the members of a structure; returns `true` if one has an array.
    fn members(&mut self) -> bool {
        if self.nesting == MOST_NESTED {
            self.at = self.closing(self.at) + 1;
            return false;
        }
        self.nesting += 1;
        self.at += 1;
        let mut has_array = false;
        while !self.is_at(&["}"]) {
            let of = self.read_type();
            for found in self.declarators().iter().map(|declarator| declarator.of(of)) {
                has_array |= found.has_array_member || found.dimensions > 0;
            }
        }
        self.at += 1;
        self.nesting -= 1;
        has_array
    }

    /// Reads the names up to the semicolon, with the text in their brackets.
    fn declarators(&mut self) -> Vec<Declarator<'a>> {
        let mut found = Vec::new();
        while let Some(name) = self.word(self.at).filter(|word| !matches!(*word, ";" | "{" | "}")) {
            let begin = self.at;
            self.at += 1;
            let mut dimensions = Vec::new();
            while let Some(open) = self.words.get(self.at).filter(|_| self.word(self.at) == Some("[")) {
                self.at = self.closing(self.at);
                let close = self.words.get(self.at).map_or(self.source.len(), |close| close.start);
                dimensions.push(self.source[open.end..close].trim());
                self.at += 1;
            }
            let end = self.words[self.at.min(self.words.len()) - 1].end;
            found.push(Declarator { name, dimensions, span: self.words[begin].start..end });
            // A semantic, a value, the parameters of a function.
            let mut is_function = false;
            while !self.is_at(&[",", ";", "}"]) {
                let word = self.word(self.at);
                if matches!(word, Some("(" | "[" | "{")) {
                    self.at = self.closing(self.at);
                }
                self.at += 1;
                if is_function && word == Some("{") {
                    return found;
                }
                is_function |= word == Some("(");
            }
            if self.word(self.at) != Some(",") {
                break;
            }
            self.at += 1;
        }
        if self.word(self.at) == Some(";") {
            self.at += 1;
        }
        found
    }

    /// The bracket that matches one, or the end.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.words.len() {
            match self.word(at) {
                Some("(" | "[" | "{") => depth += 1,
                Some(")" | "]" | "}") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        self.words.len()
    }
}

impl Declarator<'_> {
    /// Its type, after the type specifier `of`.
    fn of(&self, of: ArrayType) -> ArrayType {
        ArrayType { dimensions: of.dimensions + self.dimensions.len(), ..of }
    }
}

/// The problem with a variable of a type, and advice on how to write it instead.
fn advice(declarator: &Declarator<'_>, of: ArrayType) -> String {
    let Declarator { name, dimensions, .. } = declarator;
    if of.has_array_member {
        return format!(
            "vkd3d-compiler loses the index where it reads an array in a groupshared structure, as `{name}` has: give the array a \
             groupshared variable of its own, of one dimension"
        );
    }
    let wrong =
        format!("vkd3d-compiler loses all but the last index where it reads an element of the groupshared `{name}`");
    let letters = match dimensions.len() {
        2 => ["y", "x"].as_slice(),
        3 => &["z", "y", "x"],
        _ => &[],
    };
    if letters.len() != of.dimensions {
        return format!("{wrong}: use one dimension, as in `{name}[y * WIDTH + x]`");
    }
    let is_plain = |text: &str| text.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
    let sizes: Vec<String> =
        dimensions.iter().map(|&text| if is_plain(text) { text.to_owned() } else { format!("({text})") }).collect();
    let mut index = letters[0].to_owned();
    for (n, (size, letter)) in sizes.iter().zip(letters).enumerate().skip(1) {
        let outer = if n > 1 { format!("({index})") } else { index };
        index = format!("{outer} * {size} + {letter}");
    }
    format!("{wrong}: declare one dimension, `{name}[{}]`, and write `{name}[{index}]`", sizes.join(" * "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(source: &str) -> Vec<&str> {
        lost_indices(source).into_iter().map(|lost| &source[lost.span]).collect()
    }

    #[test]
    fn several_dimensions_are_found_however_they_come_about() {
        for (source, expected) in [
            ("groupshared float tile[16][16];", "tile[16][16]"),
            ("static groupshared precise uint4\n\ttile [ N ]\n [N + 1] ;", "tile [ N ]\n [N + 1]"),
            ("groupshared vector<float, 4> v[2][2][2];", "v[2][2][2]"),
            ("groupshared float a, b[4], c[4][4];", "c[4][4]"),
            ("groupshared float a[4] /* [4] */ [2];", "a[4] /* [4] */ [2]"),
            ("typedef float Row[4];\ngroupshared Row rows[4];", "rows[4]"),
            ("typedef float Rows[4][4]; groupshared Rows rows;", "rows"),
            ("struct S { float z; float q[4]; }; groupshared S s;", "s"),
            ("struct S { float q[4]; }; struct T { float f() { return 1; } S s; }; groupshared T t[2];", "t[2]"),
            ("struct S { float f() { return 1; } float q[4] : Q; }; groupshared struct S s;", "s"),
            ("struct S { float q[4]; }; struct T : S { float z; }; groupshared T t;", "t"),
            ("groupshared struct { float q[2]; } s;", "s"),
            ("groupshared struct S { float q[2]; } s[3];", "s[3]"),
            ("void f() {} groupshared float t[f(1, 2)][g[1]]; void main() {}", "t[f(1, 2)][g[1]]"),
        ] {
            assert_eq!(spans(source), [expected], "{source}");
        }
    }

    #[test]
    fn what_is_compiled_rightly_is_not_found() {
        for source in [
            "",
            "groupshared float t[16 * 16];",
            "groupshared float4 t[16]; void main() { t[1][2] = 0; }",
            "groupshared float4x4 t[4]; groupshared float3 a, b;",
            "struct S { float4 a; float4x4 m; }; groupshared S s[4]; float q[4][4];",
            "typedef float Row[4]; groupshared Row row; static float rows[4][4]; Row more[4];",
            "// groupshared float t[4][4];\n/* groupshared float t[4][4]; */ float x;",
            "#define T groupshared float t[4][4]; \\\n groupshared float t[4][4];\nfloat x;",
            "#pragma message(\"groupshared float t[4][4];\")\nstring s = \"groupshared float t[4][4];\";",
            "float mygroupshared[4][4]; float groupshared_t[4][4];",
        ] {
            assert_eq!(spans(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn the_advice_has_the_sizes() {
        let text = |source: &str| lost_indices(source).remove(0).text;
        assert!(
            text("groupshared float t[8][16];")
                .ends_with("declare one dimension, `t[8 * 16]`, and write `t[y * 16 + x]`")
        );
        assert!(
            text("groupshared float t[2][N + 1][4];")
                .ends_with("`t[2 * (N + 1) * 4]`, and write `t[(z * (N + 1) + y) * 4 + x]`")
        );
        assert!(text("typedef float R[4]; groupshared R t[4];").ends_with("`t[y * WIDTH + x]`"));
        assert!(text("struct S { float q[4]; }; groupshared S s;").contains("groupshared structure, as `s` has"));
    }

    #[test]
    fn sources_that_end_anywhere_or_nest_deeply_are_read_to_the_end() {
        let source =
            "typedef float R[4]; struct S : B { float q[4]; }; groupshared vector<float, 4> t[4][4] = { 1 }, ä[\"x\"];";
        for end in (0..=source.len()).filter(|&end| source.is_char_boundary(end)) {
            lost_indices(&source[..end]);
            lost_indices(&source[end..]);
        }
        for part in [
            "struct {",
            "groupshared x(",
            "groupshared [",
            "typedef <",
            "groupshared float a[",
            "}])",
            "/*",
            "\"",
            "#\\\n",
        ] {
            lost_indices(&part.repeat(20_000));
        }
    }
}
