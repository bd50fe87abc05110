//! Messages that a shader sends to whoever runs it (`printf` and `errorf`), and how their texts are made.
//!
//! Direct3D says that a text has the conversions of C's `printf`, each for one operand of 32 bits, and nothing more of
//! it. Of these conversions `%s`, `%n`, `%p` and `%a` have no sense here and stay as they are, and so does one without
//! an operand.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Stage;
use crate::named::named;

/// Words of a message that say which thread sent it, before those of its operands ([`Sender::new`]). Threads come in the
/// order of these words.
pub const SENDER_WORDS: usize = 4;

/// The most operands of a message, in words. Compilers of HLSL allow 8.
pub const MOST_MESSAGE_WORDS: usize = 11;

/// Bytes after which a text is cut off.
const MOST_TEXT_BYTES: usize = 1024;

/// The widest field, and the highest precision.
const MOST_WIDTH: usize = 128;

named! {
    /// What a message is for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum MessageKind {
        /// Of `printf`.
        Info = "info",
        /// Of `errorf`.
        Error = "error",
        /// Of `abort`, which ends the run: it has no text.
        Abort = "abort",
        /// Of a [probe](crate::insight::optimise_with_probes), which has no sender.
        Probe = "probe",
    }
}

/// A message as the shader declares it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// What it is for.
    pub kind: MessageKind,
    /// Set if the text has conversions.
    pub is_format: bool,
    /// The text.
    pub text: String,
}

/// The thread that sent a message.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sender {
    /// A thread of a compute shader.
    Thread {
        /// Its group.
        group: [u32; 3],
        /// Its position in the group.
        thread: [u32; 3],
    },
    /// A vertex.
    Vertex {
        /// SV_VertexID.
        vertex: u32,
        /// SV_InstanceID.
        instance: u32,
    },
    /// A patch in a hull shader.
    Patch {
        /// SV_PrimitiveID.
        patch: u32,
        /// The control point, or the instance of a phase.
        instance: u32,
    },
    /// A point of a patch in a domain shader.
    Point {
        /// SV_PrimitiveID.
        patch: u32,
        /// SV_DomainLocation.
        location: [f32; 3],
    },
    /// A primitive in a geometry shader.
    Primitive {
        /// SV_PrimitiveID.
        primitive: u32,
        /// SV_GSInstanceID.
        instance: u32,
    },
    /// A pixel.
    Pixel {
        /// Its column.
        x: u32,
        /// Its row.
        y: u32,
    },
}

impl Sender {
    /// The sender that these words stand for in a shader of this stage.
    pub fn new(stage: &Stage, words: [u32; SENDER_WORDS]) -> Self {
        let [first, second, third, last] = words;
        match stage {
            Stage::Compute { group_size: [width, height, _] } => {
                let (width, height) = ((*width).max(1), (*height).max(1));
                let thread = [last % width, last / width % height, last / width / height];
                Sender::Thread { group: [third, second, first], thread }
            }
            Stage::Vertex(_) => Sender::Vertex { vertex: second, instance: first },
            Stage::Hull(_) => Sender::Patch { patch: first, instance: second },
            Stage::Domain(_) => Sender::Point { patch: first, location: [second, third, last].map(f32::from_bits) },
            Stage::Geometry(_) => Sender::Primitive { primitive: first, instance: second },
            Stage::Pixel(_) => Sender::Pixel { x: second, y: first },
        }
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Sender::Thread { group: [gx, gy, gz], thread: [x, y, z] } => {
                write!(f, "thread ({x}, {y}, {z}) of group ({gx}, {gy}, {gz})")
            }
            Sender::Vertex { vertex, instance: 0 } => write!(f, "vertex {vertex}"),
            Sender::Vertex { vertex, instance } => write!(f, "vertex {vertex} of instance {instance}"),
            Sender::Patch { patch, instance } => write!(f, "instance {instance} of patch {patch}"),
            Sender::Point { patch, location: [u, v, w] } => write!(f, "point ({u}, {v}, {w}) of patch {patch}"),
            Sender::Primitive { primitive, instance: 0 } => write!(f, "primitive {primitive}"),
            Sender::Primitive { primitive, instance } => write!(f, "instance {instance} of primitive {primitive}"),
            Sender::Pixel { x, y } => write!(f, "pixel ({x}, {y})"),
        }
    }
}

impl Message {
    /// The text with these operands in place of its conversions.
    pub fn with(&self, operands: &[u32]) -> String {
        let mut text = String::new();
        let mut operands = operands.iter().copied();
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find('%').filter(|_| self.is_format && text.len() < MOST_TEXT_BYTES) {
            text.push_str(&rest[..at]);
            let conversion = &rest[at..];
            let (length, shown) = match Conversion::parse(conversion, &mut operands) {
                Some((length, shown)) => (length, shown),
                None => (1, "%".to_owned()),
            };
            text.push_str(&shown);
            rest = &conversion[length..];
        }
        text.push_str(rest);
        if text.len() > MOST_TEXT_BYTES {
            let end = (0..=MOST_TEXT_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            text.truncate(end);
            text.push_str("...");
        }
        text
    }
}

/// A conversion without its letter.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

impl Conversion {
    /// Reads a conversion at the start of a text; returns its length in bytes, and what stands for it. `None` if it is
    /// none, or there are no operands left.
    fn parse(text: &str, operands: &mut impl Iterator<Item = u32>) -> Option<(usize, String)> {
        let bytes = text.as_bytes();
        let (mut at, mut this) = (1, Self::default());
        loop {
            let flag = match bytes.get(at)? {
                b'-' => &mut this.left,
                b'+' => &mut this.plus,
                b' ' => &mut this.space,
                b'#' => &mut this.alternate,
                b'0' => &mut this.zeros,
                _ => break,
            };
            *flag = true;
            at += 1;
        }
        this.width = number(bytes, &mut at);
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            this.precision = Some(number(bytes, &mut at));
        }
        // Sizes of operands, which all have 32 bits.
        while bytes.get(at).is_some_and(|byte| b"hlLqjzt".contains(byte)) {
            at += 1;
        }
        let shown = match *bytes.get(at)? {
            b'%' => "%".to_owned(),
            letter @ (b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c') => this.integer(letter, operands.next()?),
            letter @ (b'f' | b'F' | b'e' | b'E' | b'g' | b'G') => {
                this.float(letter, f32::from_bits(operands.next()?).into())
            }
            _ => return None,
        };
        Some((at + 1, shown))
    }

    fn integer(&self, letter: u8, word: u32) -> String {
        let (sign, mut digits) = match letter {
            b'd' | b'i' => (self.sign((word as i32) < 0), (word as i32).unsigned_abs().to_string()),
            b'x' => (if self.alternate && word != 0 { "0x" } else { "" }, format!("{word:x}")),
            b'X' => (if self.alternate && word != 0 { "0X" } else { "" }, format!("{word:X}")),
            b'o' => (if self.alternate && word != 0 { "0" } else { "" }, format!("{word:o}")),
            b'c' => return self.padded("", &char::from(word as u8).to_string(), false),
            _ => ("", word.to_string()),
        };
        if let Some(precision) = self.precision {
            digits = match (precision, word) {
                (0, 0) => String::new(),
                _ => format!("{digits:0>precision$}"),
            };
        }
        self.padded(sign, &digits, self.precision.is_none())
    }

    fn float(&self, letter: u8, value: f64) -> String {
        let is_upper = letter.is_ascii_uppercase();
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let (size, precision) = (value.abs(), self.precision.unwrap_or(6));
        let digits = match letter.to_ascii_lowercase() {
            _ if value.is_nan() => "nan".to_owned(),
            _ if size.is_infinite() => "inf".to_owned(),
            b'f' => self.with_point(format!("{size:.precision$}")),
            b'e' => self.scientific(size, precision),
            _ => self.shortest(size, precision.max(1)),
        };
        let digits = if is_upper { digits.to_uppercase() } else { digits };
        self.padded(sign, &digits, value.is_finite())
    }

    /// `%e`: one digit before the point, and an exponent of at least two digits.
    fn scientific(&self, size: f64, precision: usize) -> String {
        let text = format!("{size:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |exponent| ("-", exponent));
        format!("{}e{sign}{exponent:0>2}", self.with_point(digits.to_owned()))
    }

    /// `%g`: as many significant digits as the precision says, without zeros at the end.
    fn shortest(&self, size: f64, precision: usize) -> String {
        let rounded = format!("{size:.*e}", precision - 1);
        let exponent: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
        let is_fixed = (-4..precision as i32).contains(&exponent);
        let text = match is_fixed {
            true => format!("{size:.*}", (precision as i32 - 1 - exponent) as usize),
            false => self.scientific(size, precision - 1),
        };
        if self.alternate {
            return text;
        }
        let (digits, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
        match digits.contains('.') {
            true => format!("{}{exponent}", digits.trim_end_matches('0').trim_end_matches('.')),
            false => text,
        }
    }

    fn with_point(&self, digits: String) -> String {
        if self.alternate && !digits.contains('.') { digits + "." } else { digits }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match () {
            _ if is_negative => "-",
            _ if self.plus => "+",
            _ if self.space => " ",
            _ => "",
        }
    }

    fn padded(&self, sign: &str, digits: &str, may_have_zeros: bool) -> String {
        let missing = self.width.saturating_sub(sign.len() + digits.chars().count());
        match () {
            _ if self.left => format!("{sign}{digits}{:missing$}", ""),
            _ if self.zeros && may_have_zeros => format!("{sign}{:0>missing$}{digits}", ""),
            _ => format!("{:missing$}{sign}{digits}", ""),
        }
    }
}

/// A decimal number, as far as widths go.
fn number(bytes: &[u8], at: &mut usize) -> usize {
    let mut number = 0;
    while let Some(digit) = bytes.get(*at).filter(|byte| byte.is_ascii_digit()) {
        number = (10 * number + usize::from(digit - b'0')).min(MOST_WIDTH);
        *at += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, operands: &[u32]) -> String {
        Message { kind: MessageKind::Info, is_format: true, text: text.into() }.with(operands)
    }

    /// What C prints: the expectations are those of glibc.
    #[test]
    fn conversions_are_those_of_c() {
        let minus_three = -3i32 as u32;
        for (text, word, expected) in [
            ("%u", minus_three, "4294967293"),
            ("%d|%%", minus_three, "-3|%"),
            ("%5d|", minus_three, "   -3|"),
            ("%-5i|", minus_three, "-3   |"),
            ("%05d|", minus_three, "-0003|"),
            ("%+d % d", 7, "+7 % d"),
            ("%.3d", 7, "007"),
            ("%8.3d|", minus_three, "    -003|"),
            ("%x", 0xdead_beef, "deadbeef"),
            ("%#X", 0xbeef, "0XBEEF"),
            ("%08x", 0xbeef, "0000beef"),
            ("%#o", 8, "010"),
            ("%c", 65, "A"),
            ("%lu", 9, "9"),
            ("%s %d", 1, "%s 1"),
            ("100%", 1, "100%"),
        ] {
            assert_eq!(shown(text, &[word]), expected, "{text}");
        }
        for (text, value, expected) in [
            ("%f", 31.5, "31.500000"),
            ("%.2f", -0.125, "-0.12"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 3.0, "3."),
            ("%e", 12345.0, "1.234500e+04"),
            ("%.1E", 0.00025, "2.5E-04"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 1e-5, "1e-05"),
            ("%g", 1e6, "1e+06"),
            ("%g", 123456.0, "123456"),
            ("%g", 0.0, "0"),
            ("%.3g", 2.0 / 3.0, "0.667"),
            ("%G", f32::INFINITY, "INF"),
            ("%08.3f|", -1.5, "-001.500|"),
            ("%8f|", f32::NAN, "     nan|"),
            ("%08f|", f32::NEG_INFINITY, "    -inf|"),
            ("%f", -0.0, "-0.000000"),
        ] {
            assert_eq!(shown(text, &[f32::to_bits(value)]), expected, "{text}");
        }
    }

    #[test]
    fn operands_may_be_missing_and_texts_are_bounded() {
        assert_eq!(shown("%u %u", &[1]), "1 %u");
        assert_eq!(shown("%u", &[1, 2]), "1");
        assert_eq!(shown("%99999999999999999999d", &[1]).len(), MOST_WIDTH);
        assert_eq!(shown(&"%128u".repeat(1000), &[1; 1000]).len(), MOST_TEXT_BYTES + 3);
        assert_eq!(shown(&"\u{e9}".repeat(1000), &[]).chars().count(), 512 + 3);
        let plain = Message { kind: MessageKind::Info, is_format: false, text: "%u".into() };
        assert_eq!(plain.with(&[1]), "%u");
        for text in ["%", "%-", "%5", "%.", "%l", "%.3", "%\u{e9}", "%5\u{e9}"] {
            assert_eq!(shown(text, &[1]), text);
        }
    }
}
