//! Options of reading a shader.

use std::collections::BTreeMap;

/// What to read from a text, and how.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The entry point. `None` takes the only one.
    pub entry: Option<String>,
    /// Values of overrides, by name, or by number in decimals where they have an `@id`.
    pub overrides: BTreeMap<String, f64>,
    /// The name of the text's file, which messages name; without one they do not.
    pub file: Option<String>,
    /// Bounds on the shader.
    pub limits: Limits,
}

/// Upper bounds on a shader. A text at every limit is read or refused within a tenth of a second and 100 MB.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the text.
    pub text_bytes: usize,
    /// Declarations outside functions.
    pub declarations: usize,
    /// Steps of the parser: the squares of the numbers of words and operators, of each function and of all values outside
    /// of functions. The parser's time grows as these do.
    pub parser_steps: u64,
    /// Nested parentheses, operators and suffixes of an expression: parsers recurse over them.
    pub expression_depth: usize,
    /// Nested statements, inlined functions included. Later stages walk them recursively.
    pub statement_depth: usize,
    /// Instructions, with those of inlined functions each time.
    pub instructions: usize,
    /// Functions that wait for each other's results.
    pub call_depth: usize,
    /// Words of private arrays of one thread.
    pub private_words: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Vectors of constant arrays that are indexed.
    pub constant_vectors: usize,
    /// Threads in a group.
    pub group_threads: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 256 << 10,
            declarations: 4096,
            parser_steps: 1 << 27,
            expression_depth: 1000,
            statement_depth: 128,
            instructions: 1 << 18,
            call_depth: 128,
            private_words: 1 << 16,
            workgroup_bytes: 1 << 20,
            constant_vectors: 1 << 14,
            group_threads: 1024,
        }
    }
}
