//! Formats operands and instructions as fxc lists them: `-|r0.xyxx|`, `cb0[r1.x + 2].y`, `T0[3]`, `mad_sat r0.x, r1.x,
//! l(2.000000)`.

use super::codes::{MinPrecision, ResinfoReturn, ResourceDimension};
use super::instruction::{Instruction, Test};
use super::literal::{Literals, Number, write_double, write_word};
use super::operand::{Components, Index, Operand, RegisterFile};
use super::ops::{Carries, Op, Slot, Type, Width};
use std::fmt::{self, Display, Formatter, Write};

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, Number::Guess, Literals::Listing, None)
    }
}

impl Operand {
    /// Writes the operand. `computed_at` is the precision that the instruction computes at, for an operand that is
    /// converted to it.
    pub(super) fn write(
        &self,
        f: &mut impl Write,
        number: Number,
        literals: Literals,
        computed_at: Option<MinPrecision>,
    ) -> fmt::Result {
        if self.negate {
            f.write_str("-")?;
        }
        if self.absolute {
            f.write_str("|")?;
        }
        match self.file {
            RegisterFile::Immediate32 => self.write_words(f, number, literals)?,
            RegisterFile::Immediate64 => self.write_doubles(f, literals)?,
            _ => self.write_register(f)?,
        }
        write!(f, "{}", self.components_text())?;
        if self.absolute {
            f.write_str("|")?;
        }
        match computed_at {
            Some(precision) if precision != self.min_precision => {
                write!(f, " {{{} as {precision}}}", self.min_precision)?;
            }
            _ if self.min_precision != MinPrecision::Full => write!(f, " {{{}}}", self.min_precision)?,
            _ => {}
        }
        if self.non_uniform {
            f.write_str(" { nonuniform }")?;
        }
        Ok(())
    }

    fn write_words(&self, f: &mut impl Write, number: Number, literals: Literals) -> fmt::Result {
        f.write_str("l(")?;
        for (n, &word) in self.immediate.iter().enumerate() {
            if n > 0 {
                f.write_str(number.separator())?;
            }
            write_word(f, word, number, literals)?;
        }
        f.write_str(")")
    }

    fn write_doubles(&self, f: &mut impl Write, literals: Literals) -> fmt::Result {
        f.write_str("d(")?;
        for (n, pair) in self.immediate.chunks(2).enumerate() {
            if n > 0 {
                f.write_str(", ")?;
            }
            let [low, high] = [pair.first(), pair.get(1)].map(|word| u64::from(word.copied().unwrap_or(0)));
            write_double(f, high << 32 | low, literals)?;
        }
        f.write_str(")")
    }

    /// `true` if the operand has the form of 5.1, with a range's id before the register's number.
    fn has_range_id(&self) -> bool {
        match self.file {
            RegisterFile::Sampler | RegisterFile::Resource | RegisterFile::Uav => self.indices.len() > 1,
            RegisterFile::ConstantBuffer => self.indices.len() > 2,
            _ => false,
        }
    }

    fn write_register(&self, f: &mut impl Write) -> fmt::Result {
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
        self.write(f, Literals::Listing)
    }
}

impl Instruction {
    /// Writes the instruction alone, without indentation and line end.
    pub(crate) fn write(&self, f: &mut impl Write, literals: Literals) -> fmt::Result {
        self.write_mnemonic(f)?;
        let number = Number::of(self.op);
        let precision = self.destinations().next().map(|operand| operand.min_precision);
        for (n, (slot, operand)) in self.slots().enumerate() {
            f.write_str(if n == 0 { " " } else { ", " })?;
            match operand.file {
                RegisterFile::Label => write!(f, "label{}", operand.index_u32(0).unwrap_or(0))?,
                RegisterFile::Interface => write!(f, "{operand}[{}]", self.call_site)?,
                _ => {
                    let computed_at = precision.filter(|_| is_converted(self.op, n, slot));
                    operand.write(f, number, literals, computed_at)?;
                }
            }
        }
        Ok(())
    }

    fn write_mnemonic(&self, f: &mut impl Write) -> fmt::Result {
        f.write_str(self.op.text())?;
        // The bit is also that of `_ugroup`, and fxc prints both.
        if self.saturate || self.sync.uav_group {
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
            // Only the wider of the two is printed.
            (self.sync.uav_group && !self.sync.uav_global, "_ugroup"),
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

/// `true` if the listing marks the operand's conversion to the precision of the result: if both have one type, and it
/// is not a shift amount or bit position. Conversions between types are explicit anyway.
fn is_converted(op: Op, operand: usize, slot: &Slot) -> bool {
    let Some(Slot::Write { ty: result, .. }) = op.info().slots.first() else { return false };
    let (ty, width) = match slot {
        Slot::Attribute => return true,
        Slot::Read { ty, width, .. } => (*ty, *width),
        _ => return false,
    };
    let is_integer = |ty: Type| matches!(ty, Type::Int | Type::Uint);
    match op {
        Op::IShl | Op::IShr | Op::UShr | Op::Ubfe | Op::Ibfe | Op::Bfi => operand == 1,
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::DtoF => true,
        Op::SwapC => false,
        _ => width == Width::Each && (ty == *result || is_integer(ty) && is_integer(*result)),
    }
}

pub(super) fn mask_letters(mask: u8) -> String {
    (0..4).filter(|n| mask & (1 << n) != 0).map(|n| LETTERS[n]).collect()
}
