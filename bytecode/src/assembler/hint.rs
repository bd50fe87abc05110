//! Suggests remedies for problems.

use super::error::{AssembleError, Problem};
use super::program::profile_named;
use crate::sm5::Op;

impl AssembleError {
    /// Suggested remedy, if there is one.
    pub fn hint(&self) -> Option<String> {
        let hint = match &self.problem {
            Problem::Unknown { kind, name, nearest } => unknown(kind, name, nearest.as_deref()),
            Problem::Components { letters } => Some(components(letters)),
            Problem::Number { text, expected } => number(text, expected).map(str::to_owned),
            Problem::Expected { expected, found } => misplaced(expected, found),
            Problem::Lossy { what: "literal" } => {
                Some("zero is written `0`; list the file with `--exact`, which loses nothing".into())
            }
            Problem::Lossy { .. } => Some("list the file with `--exact`, which loses nothing".into()),
            Problem::NoProgram => Some("a program begins with its profile, such as `cs_5_0`".into()),
            Problem::Modifier { .. }
            | Problem::OperandCount { .. }
            | Problem::Rejected(_)
            | Problem::Encode(_)
            | Problem::Limit { .. } => None,
        };
        hint.or_else(|| Some(format!("it is written `{}`", self.example.as_ref()?)))
    }
}

fn unknown(kind: &str, name: &str, nearest: Option<&str>) -> Option<String> {
    if kind == "register" && matches!(name, "l" | "L") {
        return Some("a literal is written `l(1.0)`".into());
    }
    const LINE_NUMBERS: &str = "if line numbers were pasted with the listing, remove them";
    if let Some(nearest) = nearest.filter(|_| !name.contains("s_6_")) {
        return Some(match name.to_ascii_lowercase() == nearest {
            true => format!("names are written in lower case: `{nearest}`"),
            false => format!("did you mean `{nearest}`?"),
        });
    }
    let is_number = name.starts_with(|letter: char| letter.is_ascii_digit());
    match kind {
        "profile" | "instruction" | "version" if is_number => Some(LINE_NUMBERS.into()),
        "instruction" if profile_named(name).is_some() => Some("a text holds only one program".into()),
        "profile" if name.contains("s_6_") => Some("shader model 6 is not assembled, the newest is 5.1".into()),
        "profile" if Op::ALL.iter().any(|op| name.starts_with(op.text())) => {
            Some(format!("a profile such as `cs_5_0` must come before `{name}`"))
        }
        "profile" => Some("a program begins with its profile, such as `cs_5_0` or `ps_4_1`".into()),
        "register" if name == "abs" => Some("an absolute value is written `|r1.x|`".into()),
        "register" => {
            Some("registers are named as in the listing: r0, v1, o0, cb0[2], t0, s0, u0, g0, vThreadID".into())
        }
        "Direct3D 9 register" if is_number => {
            Some("numbers go into constants: `def c0, 1, 0, 0, 0` before the instructions".into())
        }
        "Direct3D 9 register" => Some(
            "registers are named as in the listing: r0, c0, v0, t0, s0, a0, aL, i0, b0, p0, oPos, oT0, o0, oC0".into(),
        ),
        _ => None,
    }
}

fn components(letters: &str) -> String {
    const NAMES: [(char, char); 8] =
        [('x', 'x'), ('y', 'y'), ('z', 'z'), ('w', 'w'), ('r', 'x'), ('g', 'y'), ('b', 'z'), ('a', 'w')];
    let usual =
        |letter: char| NAMES.iter().find(|(name, _)| letter.eq_ignore_ascii_case(name)).map(|(_, usual)| *usual);
    match letters.chars().map(usual).collect::<Option<String>>() {
        Some(usual) if usual.len() > 4 => "there are at most four components".into(),
        Some(usual) if usual != letters => format!("write `.{usual}`"),
        Some(usual) => {
            let in_order: String = "xyzw".chars().filter(|letter| usual.contains(*letter)).collect();
            format!("a mask has each letter once, in the order of xyzw: write `.{in_order}`")
        }
        None => "up to four of x, y, z and w; a mask has them in this order".into(),
    }
}

fn number(text: &str, expected: &str) -> Option<&'static str> {
    let small = text.to_ascii_lowercase();
    let digits = small.trim_start_matches(['-', '+']);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits {
        _ if text.starts_with("0X") => Some("hexadecimal begins with `0x`"),
        _ if expected == "index" && digits.starts_with("0x") => Some("an index is written in decimal"),
        _ if is_decimal && expected.starts_with("32-bit") => Some("it does not fit in 32 bits"),
        _ if digits.strip_prefix("0x").is_some_and(|digits| digits.len() > 8) => Some("it does not fit in 32 bits"),
        "inf" | "infinity" | "1.#inf" => Some("infinity is written as its bits: 0x7f800000, negative 0xff800000"),
        "nan" | "1.#qnan" | "1.#ind" => Some("a NaN is written as its bits, such as 0x7fc00000"),
        _ if digits.strip_suffix('f').is_some_and(|rest| rest.parse::<f32>().is_ok()) => {
            Some("write it without the `f`")
        }
        _ if digits.parse::<f64>().is_ok_and(|value| value > f64::from(f32::MAX)) => {
            Some("the largest 32-bit float is 3.4028235e38")
        }
        _ => None,
    }
}

/// Guesses the intention from a text that is valid nowhere.
fn misplaced(expected: &str, found: &str) -> Option<String> {
    let token = found.strip_prefix('`').and_then(|found| found.strip_suffix('`')).unwrap_or(found);
    let hint = match token {
        ";" | "#" | "/" => "comments begin with `//`",
        ">" | "`" => "if quotation or code block marks were pasted with the listing, remove them",
        "!" => "a condition is negated by the instruction's suffix `_z`, and bits by `not`",
        _ if token.starts_with("U+") => "words are separated by plain spaces",
        _ if expected == "an operand" && token.parse::<f64>().is_ok() => {
            return Some(format!("a literal is written `l({token})`"));
        }
        _ => return None,
    };
    Some(hint.into())
}
