//! Bounds a text before the parser reads it.
//!
//! The parser recurses over chains of operators and suffixes, over `else if`, and over declarations that use each other,
//! and nothing stops it. So this counts, in one pass over the bytes and without understanding them, what the depth of a
//! syntax tree can be at most.
//!
//! Where an expression is used, the parser also walks over all that the function has before it (or the module, outside
//! of functions), so that its time grows with the square of a function's length. That is counted too, and bounded.

use crate::error::{Fault, Quantity};
use crate::options::Limits;

/// What nests in one pair of brackets so far.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Operators and suffixes since the last comma.
    chain: usize,
    /// The deepest inner brackets since then.
    inner: usize,
    /// The deepest operand that a comma has ended.
    deepest: usize,
}

impl Level {
    fn depth(self) -> usize {
        self.deepest.max(self.chain + self.inner)
    }
}

/// Words that are no expressions.
const KEYWORDS: [&[u8]; 16] = [
    b"break",
    b"case",
    b"const",
    b"continue",
    b"continuing",
    b"default",
    b"fn",
    b"for",
    b"if",
    b"let",
    b"loop",
    b"return",
    b"switch",
    b"true",
    b"var",
    b"while",
];

/// The state of the pass.
struct Scan<'a> {
    limits: &'a Limits,
    /// Open parentheses and brackets of the statement.
    levels: Vec<Level>,
    /// For each open brace, the `else` that follow one another.
    braces: Vec<usize>,
    declarations: usize,
    /// Set behind the `=` of a declaration outside of functions.
    is_value: bool,
    /// In the values of such declarations, words and operators, and those that are not numbers, which the parser does not
    /// look up there.
    module: [u64; 2],
    /// Words and operators of the function that is open.
    function: u64,
    /// Steps for the functions before.
    steps: u64,
}

/// Checks a text; the byte where a limit is exceeded.
pub(crate) fn check(text: &str, limits: &Limits) -> Result<(), (u32, Fault)> {
    let too_long =
        |found| Fault::TooMany { quantity: Quantity::Text, found: found as u64, most: limits.text_bytes as u64 };
    if text.len() > limits.text_bytes || u32::try_from(text.len()).is_err() {
        return Err((0, too_long(text.len())));
    }
    let mut scan = Scan {
        limits,
        levels: vec![Level::default()],
        braces: vec![0],
        declarations: 0,
        is_value: false,
        module: [0; 2],
        function: 0,
        steps: 0,
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        let length = match (byte, next) {
            (b'/', Some(b'/')) => line_comment(&bytes[at..]),
            (b'/', Some(b'*')) => block_comment(&bytes[at..]),
            (b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | 0x80.., _) => {
                let word = word(&bytes[at..]);
                scan.word(&bytes[at..at + word]).map_err(|fault| (at as u32, fault))?;
                word
            }
            _ => {
                scan.symbol(byte, &bytes[at + 1..]).map_err(|fault| (at as u32, fault))?;
                1
            }
        };
        at += length.max(1);
    }
    Ok(())
}

fn word(bytes: &[u8]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    bytes.iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len())
}

fn line_comment(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(bytes.len())
}

/// The length of a comment with the comments in it.
fn block_comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// The next byte that is neither space nor in a comment, and what follows from it.
fn behind_space(mut bytes: &[u8]) -> &[u8] {
    loop {
        let length = match bytes {
            [b'/', b'/', ..] => line_comment(bytes),
            [b'/', b'*', ..] => block_comment(bytes),
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            _ => return bytes,
        };
        bytes = &bytes[length..];
    }
}

impl Scan<'_> {
    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        if word == b"else"
            && let Some(count) = self.braces.last_mut()
        {
            *count += 1;
            let found = *count;
            return self.check(Quantity::StatementDepth, found, self.limits.statement_depth);
        }
        if KEYWORDS.contains(&word) { Ok(()) } else { self.count(!word.first().is_some_and(u8::is_ascii_digit)) }
    }

    /// Counts a word or operator.
    fn count(&mut self, is_name: bool) -> Result<(), Fault> {
        match (self.braces.len(), self.is_value) {
            (1, true) => {
                self.module[0] += 1;
                self.module[1] += u64::from(is_name);
            }
            (1, false) => {}
            _ => self.function += 1,
        }
        let found = self.steps + self.module[0] * self.module[1] + self.function * self.function;
        let most = self.limits.parser_steps;
        if found > most {
            return Err(Fault::TooMany { quantity: Quantity::ParserSteps, found, most });
        }
        Ok(())
    }

    fn symbol(&mut self, byte: u8, rest: &[u8]) -> Result<(), Fault> {
        match byte {
            b'(' | b'[' => {
                self.count(true)?;
                self.operator()?;
                self.levels.push(Level::default());
                self.check(Quantity::ExpressionDepth, self.levels.len(), self.limits.expression_depth)?;
            }
            b')' | b']' => {
                let inner = self.levels.pop().unwrap_or_default().depth();
                if self.levels.is_empty() {
                    self.levels.push(Level::default());
                }
                if let Some(level) = self.levels.last_mut() {
                    level.inner = level.inner.max(inner + 1);
                }
                self.check_depth()?;
            }
            b',' => {
                if let Some(level) = self.levels.last_mut() {
                    *level = Level { deepest: level.depth(), ..Level::default() };
                }
            }
            b';' => self.end_of_statement()?,
            b'{' => {
                self.levels.truncate(1);
                self.levels.fill(Level::default());
                self.braces.push(0);
                self.check(Quantity::StatementDepth, self.braces.len(), self.limits.statement_depth)?;
            }
            b'}' => {
                self.braces.pop();
                if self.braces.is_empty() {
                    self.braces.push(0);
                }
                let goes_on = behind_space(rest).starts_with(b"else");
                if let Some(count) = self.braces.last_mut()
                    && !goes_on
                {
                    *count = 0;
                }
                self.end_of_statement()?;
            }
            b'=' | b':' | b'@' => {
                self.is_value |= byte == b'=';
                self.operator()?;
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'<' | b'>' | b'!' | b'~' | b'.' => {
                self.count(true)?;
                self.operator()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn operator(&mut self) -> Result<(), Fault> {
        if let Some(level) = self.levels.last_mut() {
            level.chain += 1;
        }
        self.check_depth()
    }

    fn end_of_statement(&mut self) -> Result<(), Fault> {
        self.levels.truncate(1);
        self.levels.fill(Level::default());
        if self.braces.len() == 1 {
            self.steps += self.function * self.function;
            (self.function, self.is_value) = (0, false);
            self.declarations += 1;
            self.check(Quantity::Declarations, self.declarations, self.limits.declarations)?;
        }
        Ok(())
    }

    /// The depth of the innermost brackets with what is open around them.
    fn check_depth(&self) -> Result<(), Fault> {
        // The sum over all levels is checked when they close.
        let depth = self.levels.last().map_or(0, |level| level.depth()) + self.levels.len();
        self.check(Quantity::ExpressionDepth, depth, self.limits.expression_depth)
    }

    fn check(&self, quantity: Quantity, found: usize, most: usize) -> Result<(), Fault> {
        if found > most {
            return Err(Fault::TooMany { quantity, found: found as u64, most: most as u64 });
        }
        Ok(())
    }
}
