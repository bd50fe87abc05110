//! Holds the memory passed with a batch of invocations: its function's [`Array`](crate::interface::Array)s.

/// The words of one array. A partial element at the end does not exist.
#[derive(Debug)]
pub enum ArrayWords<'a> {
    /// An array that the function only reads.
    Read(&'a [u32]),
    /// An array that it may write too.
    Write(&'a mut [u32]),
}

impl ArrayWords<'_> {
    /// The words.
    pub fn words(&self) -> &[u32] {
        match self {
            ArrayWords::Read(words) => words,
            ArrayWords::Write(words) => words,
        }
    }

    /// The words, if they may be written.
    pub fn words_mut(&mut self) -> Option<&mut [u32]> {
        match self {
            ArrayWords::Read(_) => None,
            ArrayWords::Write(words) => Some(words),
        }
    }
}
