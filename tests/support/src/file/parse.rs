//! Parses the text of a test file into steps.

use std::ops::Range;
use std::str::FromStr;

use brolga_runtime::{Dimension, Format, Register, TextureShape};

use super::{Dispatch, Expect, Expected, FileError, Item, Memory, NumberType, Shader, Step, TestFile};
use crate::bound::content::Form;
use crate::picture::Picture;

/// Bytes that a section may hold.
const MOST_BYTES: usize = 1 << 20;
/// Iterations that the loops of a group may take if the file does not say.
const USUAL_FUEL: u64 = 1_000_000;

type Result<T> = std::result::Result<T, FileError>;

/// A line of the file.
#[derive(Clone, Copy)]
struct Line<'a> {
    /// From 1.
    number: usize,
    /// Its first byte in the file.
    start: usize,
    /// Its text without its end; empty if it is a comment.
    text: &'a str,
}

/// A word of a line.
#[derive(Clone, Copy)]
struct Word<'a> {
    line: usize,
    start: usize,
    text: &'a str,
}

impl Word<'_> {
    fn error<T>(self, problem: String) -> Result<T> {
        fail(self.line, problem)
    }

    /// A word of a head that should be something else.
    fn in_head<T>(self, expected: &str) -> Result<T> {
        self.error(format!("`{}` in the head of the section: expected {expected}", self.text))
    }

    fn end(self) -> usize {
        self.start + self.text.len()
    }
}

fn fail<T>(line: usize, problem: impl Into<String>) -> Result<T> {
    Err(FileError { line, problem: problem.into() })
}

/// Reads a file.
pub(super) fn parse(text: &str) -> Result<TestFile> {
    let mut start = 0;
    let lines: Vec<Line<'_>> = (1..)
        .zip(text.split_inclusive('\n'))
        .map(|(number, whole)| {
            let line = Line { number, start, text: whole.trim_end() };
            start += whole.len();
            line
        })
        .collect();
    if !lines.first().is_some_and(|line| line.text.starts_with('#')) {
        return fail(
            1,
            "a test begins with a comment, `# ...`, that says what it shows and where the rule can be found",
        );
    }
    let lines: Vec<Line<'_>> = lines
        .into_iter()
        .map(|line| if line.text.trim_start().starts_with('#') { Line { text: "", ..line } } else { line })
        .collect();
    let heads: Vec<usize> = (0..lines.len()).filter(|&n| lines[n].text.starts_with('[')).collect();
    let before = &lines[..heads.first().copied().unwrap_or(lines.len())];
    if let Some(line) = before.iter().find(|line| !line.text.is_empty()) {
        let problem =
            "is outside of any section: only comments, `# ...`, may come before the first, `[shader PROFILE]`";
        return fail(line.number, format!("`{}` {problem}", line.text));
    }
    let mut steps = Vec::new();
    for (n, &head) in heads.iter().enumerate() {
        let end = heads.get(n + 1).copied().unwrap_or(lines.len());
        let body_start = lines.get(head + 1).map_or(text.len(), |line| line.start);
        let body_end = lines.get(end).map_or(text.len(), |line| line.start);
        let section = Section { body: &lines[head + 1..end], bytes: body_start..body_end };
        steps.push(section.step(Head::new(lines[head])?)?);
    }
    check_order(&steps)?;
    Ok(TestFile { steps })
}

/// A dispatch needs a shader, an expectation of memory a dispatch, and one of an error a step that may fail.
fn check_order(steps: &[Step]) -> Result<()> {
    let (mut shader, mut dispatch, mut expectations) = (false, false, 0);
    for (n, step) in steps.iter().enumerate() {
        match step {
            Step::Shader(_) => shader = true,
            Step::Memory(_) => {}
            Step::Dispatch(Dispatch { line, .. }) if !shader => {
                return fail(*line, "a dispatch needs a `[shader PROFILE]` section before it");
            }
            Step::Dispatch(_) => dispatch = true,
            Step::Expect(Expect { line, what, .. }) => {
                expectations += 1;
                let may_fail = matches!(n.checked_sub(1).map(|n| &steps[n]), Some(Step::Shader(_) | Step::Dispatch(_)));
                match what {
                    Expected::Error(_) if !may_fail => {
                        return fail(*line, "`[expect error]` must follow the `[shader]` or `[dispatch]` that fails");
                    }
                    Expected::Error(_) => {}
                    Expected::Numbers { .. } | Expected::Counter { .. } if dispatch => {}
                    Expected::Numbers { .. } | Expected::Counter { .. } => {
                        return fail(*line, "an expectation of memory needs a `[dispatch X Y Z]` section before it");
                    }
                }
            }
        }
    }
    if expectations == 0 {
        return fail(1, "the file expects nothing: it needs an `[expect ...]` section");
    }
    Ok(())
}

/// The words of a section's head.
struct Head<'a> {
    line: usize,
    name: &'a str,
    words: std::iter::Peekable<std::vec::IntoIter<Word<'a>>>,
}

impl<'a> Head<'a> {
    fn new(line: Line<'a>) -> Result<Self> {
        let inside = line.text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let Some(inside) = inside else {
            return fail(line.number, format!("`{}` is not the head of a section: it must end with `]`", line.text));
        };
        let inside = Line { text: inside, start: line.start + 1, ..line };
        let mut words = words_of(inside).into_iter().peekable();
        let name = words.next().map_or("", |word| word.text);
        Ok(Self { line: line.number, name, words })
    }

    fn word(&mut self, expected: &'static str) -> Result<Word<'a>> {
        let problem = || format!("the head of the section ends where {expected} should follow");
        self.words.next().ok_or_else(|| FileError { line: self.line, problem: problem() })
    }

    fn read<T: FromStr>(&mut self, expected: &'static str) -> Result<T> {
        let word = self.word(expected)?;
        word.text.parse().or_else(|_| word.in_head(expected))
    }

    fn three(&mut self, expected: &'static str) -> Result<[u32; 3]> {
        Ok([self.read(expected)?, self.read(expected)?, self.read(expected)?])
    }

    /// A register as listings name it or as bindings do: `cb0` is `b0`.
    fn register(&mut self) -> Result<Register> {
        let expected = "a register, such as t0, u1 or cb0";
        let word = self.word(expected)?;
        let name = word.text.strip_prefix('c').filter(|name| name.starts_with('b')).unwrap_or(word.text);
        name.parse().or_else(|_| word.in_head(expected))
    }

    /// A kind of numbers, if one follows.
    fn kind(&mut self) -> Option<NumberType> {
        let word = self.words.peek()?;
        let (_, kind) = NumberType::ALL.into_iter().find(|(name, _)| *name == word.text)?;
        self.words.next();
        Some(kind)
    }

    /// The part of a texture that a register sees.
    fn view(&mut self, picture: &mut Picture) -> Result<()> {
        let expected = "`view format F`, `view dimension K`, `view mips A N`, `view layers A N` or `view min_level L`";
        let word = self.word(expected)?;
        let range = |head: &mut Self| Ok([head.read("the first, counted from 0")?, head.read("how many")?]);
        match word.text {
            "format" => picture.format = self.read("a format, such as R32_UINT")?,
            "dimension" => {
                let (expected, word) = ("a kind of texture, such as texturecube", self.word("a kind of texture")?);
                let Some(kind) = Dimension::texture_named(word.text) else {
                    return word.in_head(expected);
                };
                picture.dimension = kind;
            }
            "mips" => picture.mips = range(self)?,
            "layers" => picture.layers = Some(range(self)?),
            "min_level" => picture.min_level = self.read("a level of detail, such as 1.5")?,
            _ => return word.in_head(expected),
        }
        Ok(())
    }

    fn end(&mut self, expected: &'static str) -> Result<()> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => word.in_head(expected),
        }
    }
}

/// The text after a head.
struct Section<'a> {
    body: &'a [Line<'a>],
    bytes: Range<usize>,
}

impl Section<'_> {
    fn step(&self, mut head: Head<'_>) -> Result<Step> {
        Ok(match head.name {
            "shader" => Step::Shader(self.shader(&mut head)?),
            "buffer" => Step::Memory(self.buffer(&mut head)?),
            "dispatch" => Step::Dispatch(self.dispatch(&mut head)?),
            "expect" => Step::Expect(self.expect(&mut head)?),
            name => match Dimension::texture_named(name) {
                Some(dimension) => Step::Memory(self.texture(&mut head, dimension)?),
                None => {
                    let known = "shader, buffer, texture1d, texture2d, texture2dms, texture3d, texturecube or one of them \
                                 in layers (texture1darray), dispatch or expect";
                    return fail(head.line, format!("there is no section `{name}`: expected {known}"));
                }
            },
        })
    }

    fn shader(&self, head: &mut Head<'_>) -> Result<Shader> {
        let profile = head.word("a profile, such as cs_5_0")?;
        head.end("nothing after the profile")?;
        let lines = self.body.iter().map(|line| line.text);
        let text: Vec<&str> = std::iter::once(profile.text).chain(lines).collect();
        Ok(Shader { line: head.line, text: text.join("\n") })
    }

    fn buffer(&self, head: &mut Head<'_>) -> Result<Memory> {
        let expected = "u32, i32, hex, f32, f64, `stride N`, `format F` or `counter N`";
        let register = head.register()?;
        let (mut kind, mut form, mut counter) = (NumberType::U32, None, None);
        while head.words.peek().is_some() {
            if let Some(given) = head.kind() {
                kind = given;
                continue;
            }
            let word = head.word(expected)?;
            match word.text {
                "stride" => {
                    let stride_bytes = head.read("bytes of a structure, such as 16")?;
                    form = Some(Form::Structured { stride_bytes });
                }
                "format" => form = Some(Form::Typed(head.read("a format, such as R32_UINT")?)),
                "counter" => counter = Some(head.read("the counter's first value")?),
                _ => return word.in_head(expected),
            }
        }
        let bytes = self.bytes(kind)?;
        Ok(Memory { line: head.line, register, form, counter, bytes })
    }

    fn texture(&self, head: &mut Head<'_>, dimension: Dimension) -> Result<Memory> {
        let expected = "u32, i32, hex, f32, f64, `size W H D`, `layers N`, `mips N`, `samples N` or `view ...`";
        let register = head.register()?;
        let format = head.read::<Format>("a format, such as R32_UINT")?;
        let (mut kind, mut picture) = (NumberType::U32, Picture::whole(TextureShape::new(dimension, format, 1)));
        while head.words.peek().is_some() {
            if let Some(given) = head.kind() {
                kind = given;
                continue;
            }
            let (word, shape) = (head.word(expected)?, &mut picture.shape);
            match word.text {
                "size" => {
                    let texels = "texels along an axis, such as 4";
                    shape.width = head.read(texels)?;
                    if dimension != Dimension::Texture1d && dimension != Dimension::Texture1dArray {
                        shape.height = head.read(texels)?;
                    }
                    if dimension == Dimension::Texture3d {
                        shape.depth = head.read(texels)?;
                    }
                }
                "layers" => shape.layers = head.read("a number of layers")?,
                "mips" => {
                    shape.mips = head.read("a number of mip levels")?;
                    picture.mips = [0, shape.mips];
                }
                "samples" => shape.samples = head.read("a number of samples")?,
                "view" => head.view(&mut picture)?,
                _ => return word.in_head(expected),
            }
        }
        let bytes = self.bytes(kind)?;
        let form = Some(Form::Texture(picture));
        Ok(Memory { line: head.line, register, form, counter: None, bytes })
    }

    fn dispatch(&self, head: &mut Head<'_>) -> Result<Dispatch> {
        let expected = "`from X Y Z`, `fuel N` or `ordered`";
        let groups = head.three("groups along x, y and z, such as `[dispatch 4 1 1]`")?;
        let (mut first, mut fuel, mut in_order) = ([0; 3], USUAL_FUEL, false);
        while head.words.peek().is_some() {
            let word = head.word(expected)?;
            match word.text {
                "from" => first = head.three("the first group, such as `from 2 0 0`")?,
                "fuel" => fuel = head.read("rounds of loops, such as `fuel 1000`")?,
                "ordered" => in_order = true,
                _ => return word.in_head(expected),
            }
        }
        self.nothing()?;
        Ok(Dispatch { line: head.line, groups, first, fuel, in_order })
    }

    /// No text but comments.
    fn nothing(&self) -> Result<()> {
        match self.body.iter().find(|line| !line.text.is_empty()) {
            None => Ok(()),
            Some(line) => {
                fail(line.number, format!("`{}` in a section that has no text: expected the next section", line.text))
            }
        }
    }

    fn expect(&self, head: &mut Head<'_>) -> Result<Expect> {
        let (todo, body) = self.todo()?;
        let is_error = head.words.peek().is_some_and(|word| word.text == "error");
        let what = if is_error {
            head.words.next();
            let parts = body.iter().map(|line| line.text.trim()).filter(|part| !part.is_empty());
            let parts: Vec<String> = parts.map(str::to_owned).collect();
            if parts.is_empty() {
                let expected = "some of its text, each part on a line of its own";
                return fail(head.line, format!("nothing is expected of the message: expected {expected}"));
            }
            Expected::Error(parts)
        } else {
            let register = head.register()?;
            match head.words.peek() {
                Some(word) if word.text == "counter" => {
                    head.words.next();
                    let items = numbers(body, NumberType::U32)?;
                    let [item] = &items[..] else {
                        return fail(head.line, format!("{} numbers for a counter: expected one", items.len()));
                    };
                    Expected::Counter { register, item: item.clone() }
                }
                _ => {
                    let kind = head.kind().unwrap_or(NumberType::U32);
                    Expected::Numbers { register, kind, items: numbers(body, kind)? }
                }
            }
        };
        head.end("u32, i32, hex, f32, f64 or counter")?;
        Ok(Expect { line: head.line, body: self.bytes.clone(), todo, what })
    }

    /// The reason of a mark in the first line with text, and the lines after it.
    fn todo(&self) -> Result<(Option<String>, &[Line<'_>])> {
        let first = self.body.iter().position(|line| !line.text.is_empty());
        let Some((n, reason)) = first.and_then(|n| Some((n, self.body[n].text.strip_prefix("todo:")?))) else {
            return Ok((None, self.body));
        };
        match reason.trim() {
            "" => fail(self.body[n].number, "`todo:` without a reason: say what is missing"),
            reason => Ok((Some(reason.to_owned()), &self.body[n + 1..])),
        }
    }

    fn bytes(&self, kind: NumberType) -> Result<Vec<u8>> {
        Ok(numbers(self.body, kind)?.into_iter().flat_map(|item| item.bytes).collect())
    }
}

/// Words of a line, up to a comment.
fn words_of(line: Line<'_>) -> Vec<Word<'_>> {
    let text = line.text.split('#').next().unwrap_or("");
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(skip) = text[at..].find(|c: char| !c.is_whitespace()) {
        let start = at + skip;
        let end = text[start..].find(char::is_whitespace).map_or(text.len(), |len| start + len);
        words.push(Word { line: line.number, start: line.start + start, text: &text[start..end] });
        at = end;
    }
    words
}

/// The numbers of a section: `7`, `7 x 3` for three of them, `0 .. 31` for consecutive ones, `zero 8 bytes`.
fn numbers(body: &[Line<'_>], kind: NumberType) -> Result<Vec<Item>> {
    let (mut items, mut total) = (Vec::new(), 0);
    for &line in body {
        let mut words = words_of(line).into_iter().peekable();
        while let Some(word) = words.next() {
            let mut end = word.end();
            let bits = kind.read(word.text);
            let operator = words.peek().filter(|_| bits.is_some()).map_or("", |next| next.text);
            let bytes: Vec<u8> = match (bits, operator) {
                (None, _) if word.text == "zero" => {
                    let count = operand(words.next(), word, "zero", "a number of bytes", most)?;
                    let unit = words.next().filter(|unit| unit.text == "bytes");
                    let Some(unit) = unit else {
                        return operand(Some(word), word, "zero", "a number of bytes, as in `zero 8 bytes`", |_| None);
                    };
                    end = unit.end();
                    vec![0; count]
                }
                (None, _) => return word.error(format!("`{}` is not {}", word.text, kind.example())),
                (Some(bits), "x") => {
                    words.next();
                    let last = words.next();
                    let count = operand(last, word, "x", "how often the number is repeated, at least once", |text| {
                        most(text).filter(|&count| count > 0)
                    })?;
                    end = last.map_or(end, Word::end);
                    let bytes: Vec<u8> = kind.bytes(bits).collect();
                    bytes.repeat(count)
                }
                (Some(first), "..") => {
                    words.next();
                    let last = words.next();
                    let expected = "an integer that is not below the first one, and not too far from it";
                    let is_integer = matches!(kind, NumberType::U32 | NumberType::I32 | NumberType::Hex);
                    let end_bits = operand(last, word, "..", expected, |text| {
                        let bits = kind.read(text).filter(|_| is_integer)?;
                        ((bits as u32).wrapping_sub(first as u32) < (MOST_BYTES / 4) as u32).then_some(bits)
                    })?;
                    end = last.map_or(end, Word::end);
                    let count = (end_bits as u32).wrapping_sub(first as u32);
                    (0..=count).flat_map(|n| (first as u32).wrapping_add(n).to_le_bytes()).collect()
                }
                (Some(bits), _) => kind.bytes(bits).collect(),
            };
            total += bytes.len();
            if total > MOST_BYTES {
                return word.error(format!("more than {MOST_BYTES} bytes: a test that needs them is written in Rust"));
            }
            items.push(Item { at: word.start..end, line: word.line, bytes });
        }
    }
    Ok(items)
}

/// A count within the limit of a section.
fn most(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&count| count <= MOST_BYTES)
}

/// The word after an operator, read.
fn operand<T>(
    word: Option<Word<'_>>,
    before: Word<'_>,
    operator: &'static str,
    expected: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    let found = word.map_or("", |word| word.text);
    let problem = || format!("`{found}` after `{operator}`: expected {expected}");
    read(found).ok_or_else(|| FileError { line: before.line, problem: problem() })
}
