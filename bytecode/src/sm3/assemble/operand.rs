//! Assembles operands.

use super::Read;
use crate::assembler::{Cursor, Problem, shown};
use crate::sm3::operand::{Destination, Modifier, Relative, Source, Swizzle};
use crate::sm3::register::{Register, RegisterFile};
use crate::sm3::version::Version;
use crate::sm5::Stage;

pub(super) fn destination(cursor: &mut Cursor<'_>, version: Version) -> Read<Destination> {
    let start = cursor.at();
    let word = cursor.word();
    let (register, relative) = register(cursor, version, start, word)?;
    let mut mask = 0xf;
    if cursor.peek() == Some('.') {
        let start = cursor.at();
        let letters = letters(cursor);
        let components = components(cursor, start, letters)?;
        mask = components.iter().fold(0, |mask, component| mask | 1 << component);
        let is_in_order = components.is_sorted_by(|one, next| one < next);
        if !is_in_order {
            return Err(cursor.no_components(start));
        }
    }
    cursor.spaces();
    Ok(Destination { mask, relative, ..Destination::whole(register) })
}

/// The register of a declaration or definition, which has no relative address.
pub(super) fn plain_destination(cursor: &mut Cursor<'_>, version: Version) -> Read<Destination> {
    let start = cursor.at();
    let destination = destination(cursor, version)?;
    match destination.relative {
        None => Ok(destination),
        Some(_) => {
            let problem =
                Problem::Expected { expected: "a register without an address".into(), found: "one with it".into() };
            Err(cursor.error(start, problem))
        }
    }
}

pub(super) fn source(cursor: &mut Cursor<'_>, version: Version) -> Read<Source> {
    let prefix = ["-", "1-", "!"].into_iter().find(|prefix| cursor.eat(prefix)).unwrap_or("");
    let start = cursor.at();
    let word = cursor.word();
    let (name, mut suffix) = word.split_at(word.find('_').unwrap_or(word.len()));
    let (register, relative) = register(cursor, version, start, name)?;
    if relative.is_some() {
        suffix = cursor.word();
    }
    let is_written = |modifier: &Modifier| {
        let (before, after) = modifier.texts();
        before == prefix && after.eq_ignore_ascii_case(suffix)
    };
    let modifier = Modifier::ALL.iter().copied().find(is_written);
    let unknown =
        || Problem::Unknown { kind: "modifier", name: shown(&format!("{prefix}{name}{suffix}")), nearest: None };
    let modifier = modifier.ok_or_else(|| cursor.error(start, unknown()))?;
    let swizzle = swizzle(cursor)?.unwrap_or(Swizzle::IDENTITY);
    cursor.spaces();
    Ok(Source { register, relative, swizzle, modifier })
}

/// `.x`, `.xy` for `.xyyy`, `.wzyx`
fn swizzle(cursor: &mut Cursor<'_>) -> Read<Option<Swizzle>> {
    if cursor.peek() != Some('.') {
        return Ok(None);
    }
    let start = cursor.at();
    let letters = letters(cursor);
    let components = components(cursor, start, letters)?;
    let Some(last) = components.last() else {
        return Err(cursor.no_components(start));
    };
    Ok(Some(Swizzle::new([0, 1, 2, 3].map(|n| *components.get(n).unwrap_or(last)))))
}

/// The word after a dot.
fn letters<'t>(cursor: &mut Cursor<'t>) -> &'t str {
    cursor.take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')).trim_start_matches('.')
}

fn components(cursor: &Cursor<'_>, start: usize, letters: &str) -> Read<Vec<u8>> {
    let names = ["xrXR", "ygYG", "zbZB", "waWA"];
    let component = |letter: char| names.iter().position(|names| names.contains(letter));
    let found: Option<Vec<u8>> = letters.chars().map(|letter| component(letter).map(|n| n as u8)).collect();
    let found = found.filter(|components| components.len() <= 4);
    found.ok_or_else(|| cursor.no_components(start))
}

/// The register whose name is `name`, and the relative address in brackets after it.
fn register(cursor: &mut Cursor<'_>, version: Version, start: usize, name: &str) -> Read<(Register, Option<Relative>)> {
    if name.is_empty() {
        return Err(cursor.expected("an operand"));
    }
    let unknown = || Problem::Unknown { kind: "Direct3D 9 register", name: shown(name), nearest: None };
    let is_indexed = cursor.peek() == Some('[');
    let found = named(name, is_indexed, version);
    let mut register = found.ok_or_else(|| cursor.error(start, unknown()))?;
    let mut relative = None;
    if cursor.eat("[") {
        let (offset, index) = index(cursor, version)?;
        relative = index;
        let number = u32::from(register.number).checked_add(offset).and_then(|number| u16::try_from(number).ok());
        let too_large = || Problem::Number { text: offset.to_string(), expected: "number of a register" };
        register.number = number.ok_or_else(|| cursor.error(start, too_large()))?;
    }
    if register.exists_in(version) {
        return Ok((register, relative));
    }
    let expected = match register.file.count(version) {
        0 => format!("a register that {version} has"),
        count => {
            let [first, last] = [0, count - 1].map(|number| Register { number, ..register });
            format!("{first} to {last}, which {version} has")
        }
    };
    Err(cursor.error(start, Problem::Expected { expected, found: format!("`{register}`") }))
}

/// A register by its name, in upper or lower case. The number may be missing where an index follows.
fn named(name: &str, is_indexed: bool, version: Version) -> Option<Register> {
    let rasterizer = |number| Register { file: RegisterFile::Rasterizer, number };
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "opos" => return Some(rasterizer(0)),
        "ofog" => return Some(rasterizer(1)),
        "opts" => return Some(rasterizer(2)),
        "vpos" => return Some(Register::POSITION),
        "vface" => return Some(Register::FACE),
        "al" => return Some(Register { file: RegisterFile::Loop, number: 0 }),
        "odepth" => return Some(Register { file: RegisterFile::DepthOut, number: 0 }),
        _ => {}
    }
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = match &name[letters.len()..] {
        "" if is_indexed => 0,
        digits => digits.parse().ok()?,
    };
    let file = match letters {
        "o" if version.stage() == Stage::Vertex && version.major() >= 3 => RegisterFile::Output,
        // Files whose registers have names of their own.
        "o" | "al" | "odepth" => return None,
        _ => RegisterFile::ALL.iter().copied().find(|file| file.info().text.eq_ignore_ascii_case(letters))?,
    };
    Some(Register { file, number })
}

/// The terms of a sum in brackets: numbers, and at most one address register.
fn index(cursor: &mut Cursor<'_>, version: Version) -> Read<(u32, Option<Relative>)> {
    let (mut offset, mut relative) = (0_u32, None);
    loop {
        let start = cursor.at();
        if cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            let number = cursor.number()?;
            let too_large = || Problem::Number { text: number.to_string(), expected: "number of a register" };
            offset = offset.checked_add(number).ok_or_else(|| cursor.error(start, too_large()))?;
        } else {
            let word = cursor.word();
            let letters = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let address = ["a", "aL"].iter().any(|known| known.eq_ignore_ascii_case(letters));
            let register = named(word, false, version).filter(|register| register.exists_in(version));
            let register = register.filter(|_| address && relative.is_none());
            let problem =
                || Problem::Expected { expected: "a0, aL or a number".into(), found: format!("`{}`", shown(word)) };
            let register = register.ok_or_else(|| cursor.error(start, problem()))?;
            let swizzle = swizzle(cursor)?.unwrap_or(Swizzle::IDENTITY);
            let found = Relative { register, swizzle };
            if !version.has_lengths() && found != Relative::A0_X {
                let problem = Problem::Expected {
                    expected: "a0.x, the only address there is".into(),
                    found: format!("`{word}{swizzle}`"),
                };
                return Err(cursor.error(start, problem));
            }
            relative = Some(found);
            cursor.spaces();
        }
        if cursor.eat("]") {
            return Ok((offset, relative));
        }
        cursor.expect("+")?;
    }
}
