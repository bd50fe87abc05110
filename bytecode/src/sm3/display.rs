//! Formats operands and instructions as fxc prints them: `-c8[a0.z]_abs.x`, `(!p0.x) mad_sat r0.xy, r1, c2, r0`.

use super::instruction::{Declaration, Definition, Instruction, Value};
use super::operand::{Destination, Operand, Relative, Source, Swizzle};
use super::ops::Op;
use crate::sm5::Stage;
use std::fmt::{self, Display, Formatter};

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The components of a mask, with the dot; empty if all are written.
pub(super) fn mask_text(mask: u8) -> String {
    if mask == 0xf {
        return String::new();
    }
    let letters = LETTERS.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0);
    std::iter::once('.').chain(letters.map(|(_, letter)| *letter)).collect()
}

/// `_x2` and so on.
pub(super) fn shift_text(shift: i8) -> &'static str {
    match shift {
        1 => "_x2",
        2 => "_x4",
        3 => "_x8",
        -1 => "_d2",
        -2 => "_d4",
        -3 => "_d8",
        _ => "",
    }
}

impl Display for Swizzle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Self::IDENTITY {
            return Ok(());
        }
        let letters = self.components().map(|component| LETTERS[usize::from(component)]);
        match self.repeated() {
            Some(_) => write!(f, ".{}", letters[0]),
            None => write!(f, ".{}", letters.iter().collect::<String>()),
        }
    }
}

impl Display for Relative {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "[{}{}]", self.register, self.swizzle)
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (prefix, suffix) = self.modifier.texts();
        write!(f, "{prefix}{}", self.register)?;
        if let Some(relative) = self.relative {
            write!(f, "{relative}")?;
        }
        write!(f, "{suffix}{}", self.swizzle)
    }
}

impl Display for Destination {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.register)?;
        if let Some(relative) = self.relative {
            write!(f, "{relative}")?;
        }
        f.write_str(&mask_text(self.mask))
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Destination(destination) => destination.fmt(f),
            Self::Source(source) => source.fmt(f),
        }
    }
}

impl Destination {
    /// Writes the modifiers that a destination adds to the instruction's name.
    pub(super) fn write_modifiers(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(shift_text(self.shift))?;
        for (is_set, text) in [(self.saturate, "_sat"), (self.partial_precision, "_pp"), (self.centroid, "_centroid")] {
            if is_set {
                f.write_str(text)?;
            }
        }
        Ok(())
    }
}

/// Formats without the `+` of a co-issued instruction, which belongs to the line.
impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(predicate) = &self.predicate {
            write!(f, "({predicate}) ")?;
        }
        f.write_str(self.op.text())?;
        if let Some(comparison) = self.comparison {
            write!(f, "_{}", comparison.text())?;
        }
        if let Some(Operand::Destination(destination)) = self.operands.first() {
            destination.write_modifiers(f)?;
        }
        for (n, operand) in self.operands.iter().enumerate() {
            f.write_str(if n == 0 { " " } else { ", " })?;
            operand.fmt(f)?;
        }
        Ok(())
    }
}

impl Declaration {
    /// Text that the listing puts after `dcl`.
    fn usage_text(&self, stage: Stage) -> String {
        if self.usage_token == Self::PLAIN && stage == Stage::Pixel {
            return String::new();
        }
        if self.texture_code() != 0 {
            return format!("_{}", self.texture().map_or("unknown", |texture| texture.text()));
        }
        // The compiler's listing reads four of the five bits.
        let usage = super::Usage::from_code(self.usage_code() & 0xf).map_or("unknown", |usage| usage.text());
        match self.usage_index() {
            0 => format!("_{usage}"),
            index => format!("_{usage}{index}"),
        }
    }

    /// The declaration's line, in a program of this stage.
    pub(super) fn line(&self, stage: Stage) -> impl Display {
        std::fmt::from_fn(move |f| {
            write!(f, "dcl{}", self.usage_text(stage))?;
            self.register.write_modifiers(f)?;
            write!(f, " {}", self.register)
        })
    }
}

impl Display for Definition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.value.op().text())?;
        self.register.write_modifiers(f)?;
        write!(f, " {}, ", self.register)?;
        match self.value {
            Value::Float(words) => f.write_str(&words.map(|word| float_text(f32::from_bits(word))).join(", ")),
            Value::Int(values) => f.write_str(&values.map(|value| value.to_string()).join(", ")),
            Value::Bool(value) => write!(f, "{}", value != 0),
        }
    }
}

/// A definition with hexadecimal numbers where the usual text does not determine their bits.
pub(super) fn exact_definition(definition: &Definition) -> impl Display {
    std::fmt::from_fn(move |f| match definition.value {
        Value::Float(words) if words.iter().any(|word| f32::from_bits(*word).is_nan()) => {
            let texts = words.map(|word| format!("{word:#010x}")).join(", ");
            write!(f, "def {}, {texts}", definition.register)
        }
        Value::Bool(value @ 2..) => write!(f, "defb {}, {value:#010x}", definition.register),
        _ => definition.fmt(f),
    })
}

/// An instruction as fxc's listing has it. It differs from the language for `breakp`, whose operand fxc prints as if it
/// were a destination, and whose name it prints as `break`.
pub(super) fn listed(instruction: &Instruction) -> impl Display {
    std::fmt::from_fn(move |f| {
        let [Operand::Source(source)] = instruction.operands[..] else { return instruction.fmt(f) };
        if instruction.op != Op::BreakP {
            return instruction.fmt(f);
        }
        let modifiers = source.swizzle.0 >> 4;
        let as_destination = Destination {
            register: source.register,
            relative: source.relative,
            mask: source.swizzle.0 & 0xf,
            saturate: modifiers & 1 != 0,
            partial_precision: modifiers & 2 != 0,
            centroid: modifiers & 4 != 0,
            shift: (source.modifier as i8) << 4 >> 4,
        };
        f.write_str("break")?;
        as_destination.write_modifiers(f)?;
        write!(f, " {as_destination}")
    })
}

/// Nine significant digits, as the C library of fxc prints `%.9g`.
pub(super) fn float_text(value: f32) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        // The default NaN of x86 has a name of its own.
        let kind = if value.to_bits() == 0xffc0_0000 { "IND" } else { "QNAN" };
        return format!("{sign}1.#{kind}");
    }
    if value.is_infinite() {
        return format!("{sign}1.#INF");
    }
    const DIGITS: i32 = 9;
    let scientific = format!("{:.8e}", f64::from(value));
    let (mantissa, exponent) = scientific.split_once('e').expect("`e` formats with an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return without_trailing_zeros(&format!("{:.decimals$}", f64::from(value))).to_owned();
    }
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{exponent_sign}{:03}", without_trailing_zeros(mantissa), exponent.abs())
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::float_text;

    /// The texts are those of fxc's own listing for these constants.
    #[test]
    fn floats_are_printed_as_the_compiler_does() {
        let cases: [(u32, &str); 24] = [
            (0x0000_0000, "0"),
            (0x8000_0000, "-0"),
            (0x3f80_0000, "1"),
            (0xbf80_0000, "-1"),
            (0x3dcc_cccd, "0.100000001"),
            (0x3586_37bd, "9.99999997e-007"),
            (0x5015_02f9, "1e+010"),
            (0x4ceb_79a3, "123456792"),
            (0x4e6e_6b28, "1e+009"),
            (0x4cbe_bc20, "100000000"),
            (0x4b80_0000, "16777216"),
            (0x7f7f_c99e, "3.39999995e+038"),
            (0x006c_e3ee, "9.99999935e-039"),
            (0x0000_0001, "1.40129846e-045"),
            (0x7f80_0000, "1.#INF"),
            (0xff80_0000, "-1.#INF"),
            (0x7fc0_0000, "1.#QNAN"),
            (0xffc0_0000, "-1.#IND"),
            (0xff80_0001, "-1.#QNAN"),
            (0x3eaa_aaab, "0.333333343"),
            (0x38d1_b717, "9.99999975e-005"),
            (0x4974_23fe, "999999.875"),
            (0x4f00_0000, "2.14748365e+009"),
            (0x3f00_0000, "0.5"),
        ];
        for (bits, text) in cases {
            assert_eq!(float_text(f32::from_bits(bits)), text, "{bits:#010x}");
        }
    }
}
