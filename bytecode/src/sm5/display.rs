//! Operands and instructions as fxc prints them: `-|r0.xyxx|`, `cb0[r1.x + 2].y`, `T0[3]`, `mad_sat r0.x, r1.x, l(2.000000)`.
//!
//! This is for messages; it is not the listing. What needs the words around it (conversions between precisions) is left
//! out, and where an instruction does not tell whether an immediate is a float, the bits are taken for what they look
//! like.

use super::codes::{MinPrecision, ResinfoReturn, ResourceDimension};
use super::instruction::{Instruction, Test};
use super::operand::{Components, Index, Operand, RegisterFile};
use super::ops::{Carries, Slot, Type};
use std::fmt::{self, Display, Formatter};

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, Number::Guess)
    }
}

impl Operand {
    fn write(&self, f: &mut Formatter<'_>, number: Number) -> fmt::Result {
        if self.negate {
            f.write_str("-")?;
        }
        if self.absolute {
            f.write_str("|")?;
        }
        match self.file {
            RegisterFile::Immediate32 => write_words(f, &self.immediate, number)?,
            RegisterFile::Immediate64 => write_doubles(f, &self.immediate)?,
            _ => self.write_register(f)?,
        }
        write!(f, "{}", self.components_text())?;
        if self.absolute {
            f.write_str("|")?;
        }
        if self.min_precision != MinPrecision::Full {
            write!(f, " {{{}}}", self.min_precision)?;
        }
        if self.non_uniform {
            f.write_str(" { nonuniform }")?;
        }
        Ok(())
    }

    /// Whether the operand has the shape of 5.1, with a range's id before the register's number.
    fn has_range_id(&self) -> bool {
        match self.file {
            RegisterFile::Sampler | RegisterFile::Resource | RegisterFile::Uav => self.indices.len() > 1,
            RegisterFile::ConstantBuffer => self.indices.len() > 2,
            _ => false,
        }
    }

    fn write_register(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.has_range_id() {
            f.write_str(&self.file.text().to_uppercase())?;
        } else {
            f.write_str(self.file.text())?;
        }
        // Files of one array print every index in brackets; the others print a first number without them.
        let all_in_brackets = match self.file {
            RegisterFile::ImmediateConstantBuffer
            | RegisterFile::InputControlPoint
            | RegisterFile::OutputControlPoint
            | RegisterFile::This => true,
            RegisterFile::Input => self.indices.len() > 1,
            _ => false,
        };
        for (n, index) in self.indices.iter().enumerate() {
            match index.as_immediate() {
                Some(number) if n == 0 && !all_in_brackets => write!(f, "{number}")?,
                _ => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }

    fn components_text(&self) -> String {
        let letters: String = match self.components {
            Components::None | Components::One => return String::new(),
            _ if !self.immediate.is_empty() => return String::new(),
            Components::Mask(mask) => mask_letters(mask),
            Components::Swizzle(swizzle) => swizzle.iter().map(|&n| LETTERS[(n & 3) as usize]).collect(),
            Components::Select(component) => LETTERS[(component & 3) as usize].to_string(),
        };
        if letters.is_empty() { letters } else { format!(".{letters}") }
    }
}

impl Display for Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.relative {
            None => write!(f, "{}", self.immediate),
            Some(relative) => write!(f, "{relative} + {}", self.immediate),
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_mnemonic(f)?;
        for (n, (slot, operand)) in self.slots().enumerate() {
            f.write_str(if n == 0 { " " } else { ", " })?;
            match operand.file {
                RegisterFile::Label => write!(f, "label{}", operand.index_u32(0).unwrap_or(0))?,
                RegisterFile::Interface => write!(f, "{operand}[{}]", self.call_site)?,
                _ => operand.write(f, Number::of(slot))?,
            }
        }
        Ok(())
    }
}

impl Instruction {
    fn write_mnemonic(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.op.text())?;
        if self.saturate {
            f.write_str("_sat")?;
        }
        if self.op.info().carries.has(Carries::TEST) {
            f.write_str(match self.test {
                Test::Zero => "_z",
                Test::NonZero => "_nz",
            })?;
        }
        let sync = [
            (self.sync.uav_global, "_uglobal"),
            (self.sync.uav_group, "_ugroup"),
            (self.sync.shared_memory, "_g"),
            (self.sync.threads, "_t"),
        ];
        sync.iter().filter(|(set, _)| *set).try_for_each(|(_, text)| f.write_str(text))?;
        if self.offsets.is_some() {
            f.write_str("_aoffimmi")?;
        }
        if self.resource.is_some() {
            f.write_str("_indexable")?;
        }
        match self.precise {
            0 => {}
            0xf => f.write_str(" [precise]")?,
            mask => write!(f, " [precise({})]", mask_letters(mask))?,
        }
        if let Some([u, v, w]) = self.offsets {
            write!(f, "({u},{v},{w})")?;
        }
        if let Some(resource) = self.resource {
            match resource.dimension {
                ResourceDimension::StructuredBuffer => {
                    write!(f, "({}, stride={})", resource.dimension, resource.stride_bytes)?;
                }
                dimension => write!(f, "({dimension})")?,
            }
        }
        if let Some([x, y, z, w]) = self.returns {
            write!(f, "({x},{y},{z},{w})")?;
        }
        match self.resinfo {
            ResinfoReturn::Float => Ok(()),
            returned => write!(f, "_{returned}"),
        }
    }
}

fn mask_letters(mask: u8) -> String {
    (0..4).filter(|n| mask & (1 << n) != 0).map(|n| LETTERS[n]).collect()
}

/// How the words of an immediate are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Float,
    Integer,
    /// Where the instruction does not tell: by the bits of each word.
    Guess,
}

impl Number {
    fn of(slot: &Slot) -> Self {
        match slot {
            Slot::Read { ty: Type::Float | Type::Double, .. } => Self::Float,
            Slot::Read { ty: Type::Int | Type::Uint | Type::Bool, .. } | Slot::Case => Self::Integer,
            Slot::Read { ty: Type::Any, .. }
            | Slot::Write { .. }
            | Slot::Store(_)
            | Slot::Load(_)
            | Slot::Sampler { .. }
            | Slot::Label
            | Slot::Stream
            | Slot::Interface
            | Slot::Attribute => Self::Guess,
        }
    }
}

fn write_words(f: &mut Formatter<'_>, words: &[u32], number: Number) -> fmt::Result {
    f.write_str("l(")?;
    for (n, &word) in words.iter().enumerate() {
        if n > 0 {
            f.write_str(", ")?;
        }
        // Normal floats and -0. Small integers have the exponent of a denormal, negative ones that of a NaN.
        let looks_like_float = (1..=254).contains(&(word >> 23 & 0xff)) || word == 0x8000_0000;
        match number {
            Number::Float => write!(f, "{:.6}", f32::from_bits(word))?,
            Number::Guess if looks_like_float => write!(f, "{:.6}", f32::from_bits(word))?,
            Number::Integer | Number::Guess if (word as i32).unsigned_abs() < 10_000 => write!(f, "{}", word as i32)?,
            Number::Integer | Number::Guess => write!(f, "{word:#010x}")?,
        }
    }
    f.write_str(")")
}

fn write_doubles(f: &mut Formatter<'_>, words: &[u32]) -> fmt::Result {
    f.write_str("d(")?;
    for (n, pair) in words.chunks(2).enumerate() {
        if n > 0 {
            f.write_str(", ")?;
        }
        let [low, high] = [pair.first(), pair.get(1)].map(|word| u64::from(word.copied().unwrap_or(0)));
        write!(f, "{:.6}l", f64::from_bits(high << 32 | low))?;
    }
    f.write_str(")")
}
