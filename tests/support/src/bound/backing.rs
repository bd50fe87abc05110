//! Keeps the memory behind a register, a buffer between guard bytes or a texture, and compares the memory that two runs
//! left.

use std::fmt;

use brolga_runtime::{Buffer, Counter, Device, Error, Register, Texture, View};

use super::content::{Content, Form};

/// Bytes before and after a guarded buffer; a multiple of every alignment of a view.
pub const GUARD_BYTES: usize = 256;
/// The value of a guard byte.
const GUARD: u8 = 0xa5;

/// The memory behind a register.
pub struct Backing {
    held: Held,
    guard_bytes: usize,
    size_bytes: usize,
    counter: Option<Counter>,
}

enum Held {
    Buffer(Buffer),
    Texture(Texture),
    /// Samplers have no memory.
    Nothing,
}

impl Backing {
    /// Memory with this content. A buffer has this many guard bytes before and after it.
    pub fn new(device: &Device, content: &Content, guard_bytes: usize) -> Result<Self, Error> {
        let held = match content.form {
            Form::Sampler(_) => Held::Nothing,
            Form::Texture(picture) => Held::Texture(device.texture_from(picture.shape, &content.bytes)?),
            Form::Constant | Form::Raw | Form::Structured { .. } | Form::Typed(_) => {
                let guard = vec![GUARD; guard_bytes];
                Held::Buffer(device.buffer_from(&[&guard[..], &content.bytes, &guard].concat())?)
            }
        };
        let (size_bytes, counter) = (content.bytes.len(), content.counter.map(Counter::new));
        Ok(Self { held, guard_bytes, size_bytes, counter })
    }

    /// The view to bind to the register. Buffers may be seen in any form of a buffer.
    pub fn view(&self, form: Form) -> Result<View, Error> {
        let buffer = match (&self.held, form) {
            (Held::Texture(texture), Form::Texture(picture)) => return Ok(picture.view(texture.clone())?),
            (Held::Nothing, Form::Sampler(sampler)) => return Ok(View::sampler(sampler)?),
            (Held::Buffer(buffer), _) => buffer.clone(),
            (Held::Texture(_) | Held::Nothing, _) => unreachable!("memory is seen as what it was made for"),
        };
        let view = match form {
            Form::Constant => View::constant(buffer)?,
            Form::Raw => View::raw(buffer)?,
            Form::Structured { stride_bytes } => View::structured(buffer, stride_bytes)?,
            Form::Typed(format) => View::typed(buffer, format)?,
            Form::Texture(_) | Form::Sampler(_) => unreachable!("a buffer is no texture and no sampler"),
        };
        let view = view.with_range(self.guard_bytes as u64, self.size_bytes as u64)?;
        match &self.counter {
            Some(counter) => Ok(view.with_counter(counter.clone())?),
            None => Ok(view),
        }
    }

    /// The current content; `None` if guard bytes were written.
    pub fn left(&self, register: Register) -> Option<Left> {
        let bytes = match &self.held {
            Held::Nothing => Vec::new(),
            Held::Texture(texture) => texture.buffer().to_vec().expect("a small buffer"),
            Held::Buffer(buffer) => {
                let all: Vec<u8> = buffer.to_vec().expect("a small buffer");
                let (head, rest) = all.split_at(self.guard_bytes);
                let (bytes, tail) = rest.split_at(self.size_bytes);
                if head.iter().chain(tail).any(|&byte| byte != GUARD) {
                    return None;
                }
                bytes.to_vec()
            }
        };
        Some(Left { register, bytes, counter: self.counter.as_ref().map(Counter::get) })
    }
}

/// The content that a run left behind a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// The register.
    pub register: Register,
    /// The content.
    pub bytes: Vec<u8>,
    /// The value of the hidden counter, if there is one.
    pub counter: Option<u32>,
}

/// A difference between two memories.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The register.
    pub register: Register,
    /// Byte offset of the first word that differs, or `None` for the hidden counter.
    pub at: Option<usize>,
    /// Words that differ behind this register.
    pub words: usize,
    /// The expected first word that differs.
    pub expected: u32,
    /// The word found there.
    pub got: u32,
}

impl Difference {
    /// The first register whose memory differs.
    pub fn first(expected: &[Left], got: &[Left]) -> Option<Self> {
        let (expected, got) = expected.iter().zip(got).find(|(a, b)| a != b)?;
        let register = expected.register;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let pairs = expected.bytes.chunks(4).zip(got.bytes.chunks(4)).enumerate();
        let different: Vec<_> = pairs.filter(|(_, (a, b))| a != b).collect();
        Some(match different.first() {
            Some(&(n, (a, b))) => {
                Self { register, at: Some(4 * n), words: different.len(), expected: word(a), got: word(b) }
            }
            None => {
                let [expected, got] = [expected, got].map(|left| left.counter.unwrap_or(0));
                Self { register, at: None, words: 0, expected, got }
            }
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { register, at, words, expected, got } = self;
        match at {
            Some(at) => write!(f, "{register} differs in {words} words, first at byte {at}")?,
            None => write!(f, "the counter of {register} differs")?,
        }
        write!(f, ": expected {expected:#010x}, got {got:#010x}")
    }
}
