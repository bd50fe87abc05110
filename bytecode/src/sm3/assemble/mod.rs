//! Text to [`Program`]: fxc's own listings, exact ones, and the language of Direct3D 9's assembler.
//!
//! A text is a version, then an instruction, declaration or definition on each line. `//` and `;` begin a comment.
//! Registers, swizzles and masks may be written as the assembler takes them: `c[a0.x + 3]`, `.rgb`, and `.xy` for
//! `.xyyy`. `.words` has the words of items as they stand in the token stream; several such lines in a row are read as
//! one. What a listing's header comment says about constants is not read.
//!
//! Registers must exist in the version; the other rules are left to validation.

use super::decode::{END, decode};
use super::encode::push_item;
use super::instruction::{Comparison, Declaration, Definition, Instruction, TextureType, Usage, Value};
use super::operand::{Destination, Modifier, Operand, Relative, Source, Swizzle};
use super::ops::Op;
use super::register::{Register, RegisterFile};
use super::version::Version;
use super::{Item, ItemKind, Program};
use crate::assembler::program::skip;
use crate::assembler::{AssembleError, Cursor, Place, Problem, Read, nearest};
use crate::limits::Limits;
use crate::sm5::Stage;

/// Assembles a text.
///
/// ```
/// use brolga_bytecode::{Limits, sm3};
///
/// let program = sm3::assemble("ps_2_0\nmov r0, c0\nmov oC0, r0", &Limits::default()).unwrap();
/// assert_eq!(sm3::encode(&program).len(), 8 * 4);
///
/// let error = sm3::assemble("ps_2_0\nmow r0, c0", &Limits::default()).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 1));
/// assert_eq!(error.hint().unwrap(), "did you mean `mov`?");
/// ```
pub fn assemble(text: &str, limits: &Limits) -> Result<Program, AssembleError> {
    assemble_with_places(text, limits).map(|(program, _)| program)
}

/// Assembles a text, and tells where each item stands in it.
pub(crate) fn assemble_with_places(text: &str, limits: &Limits) -> Read<(Program, Vec<Place>)> {
    let text = without_semicolons(text);
    let mut cursor = Cursor::new(&text);
    let (program, places) = program(&mut cursor, limits)?;
    match cursor.rest() {
        "" => Ok((program, places)),
        _ => Err(cursor.expected("an instruction")),
    }
}

/// Reads a program that is a part of a text.
pub(crate) fn program_text(cursor: &mut Cursor<'_>, limits: &Limits) -> Read<Program> {
    let (program, _) = program(cursor, limits)?;
    Ok(program)
}

/// Puts spaces where comments are that begin with a semicolon; places in the text stay the same.
fn without_semicolons(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.split(';').next().unwrap_or_default();
        out.push_str(code);
        out.extend(line[code.len()..].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    out
}

/// Whether a text's first word is a version of Direct3D 9.
pub(crate) fn is_program(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.blanks();
    while ahead.peek() == Some(';') {
        ahead.take_while(|letter| letter != '\n');
        ahead.blanks();
    }
    Version::from_text(ahead.word()).is_some()
}

/// Reads a program, from its version up to a directive that is none of a program's, or the end of the text.
fn program(cursor: &mut Cursor<'_>, limits: &Limits) -> Read<(Program, Vec<Place>)> {
    skip(cursor);
    let start = cursor.at();
    if cursor.rest().is_empty() {
        return Err(cursor.error(start, Problem::NoProgram));
    }
    let name = cursor.word();
    let unknown = || Problem::Unknown {
        kind: "version",
        name: name.into(),
        nearest: nearest(name, Version::ALL.iter().map(|version| version.text())),
    };
    let version = Version::from_text(name).ok_or_else(|| cursor.error(start, unknown()))?;
    cursor.end_of_line()?;

    let mut program = Program { version, at: 0, items: Vec::new() };
    let mut places = Vec::new();
    // The version token.
    let mut words = 1;
    let mut scratch = Vec::new();
    loop {
        skip(cursor);
        let rest = cursor.rest();
        if rest.is_empty() || rest.starts_with('.') && !rest.starts_with(".words") {
            return Ok((program, places));
        }
        let start = cursor.at();
        for kind in statement(cursor, version)? {
            scratch.clear();
            push_item(&mut scratch, version, &kind);
            program.items.push(Item { at: words * 4, kind });
            places.push(Place { first_word: words, span: start..start + rest.lines().next().map_or(0, str::len) });
            words = words.saturating_add(scratch.len() as u32);
        }
        // The end token is one more.
        if words >= limits.program_words {
            let problem = Problem::Limit { what: "words of the program", limit: limits.program_words };
            return Err(cursor.error(start, problem));
        }
    }
}

/// Reads a line up to its end. Only `.words` gives other than one item.
pub(super) fn statement(cursor: &mut Cursor<'_>, version: Version) -> Read<Vec<ItemKind>> {
    if cursor.rest().starts_with(".words") {
        return words(cursor, version);
    }
    let coissue = cursor.eat("+");
    let mut predicate = None;
    if cursor.eat("(") {
        predicate = Some(source(cursor, version)?);
        cursor.expect(")")?;
    }
    let start = cursor.at();
    let word = cursor.word();
    let mnemonic = Mnemonic::of(word);
    let is_plain = !coissue && predicate.is_none();
    let item = match mnemonic.name {
        "def" | "defi" | "defb" if is_plain => ItemKind::Definition(definition(cursor, version, &mnemonic)?),
        name if is_plain && (name == "dcl" || name.starts_with("dcl_")) => {
            ItemKind::Declaration(declaration(cursor, version, &mnemonic, start)?)
        }
        _ => {
            let instruction = instruction(cursor, version, &mnemonic, start)?;
            ItemKind::Instruction(Instruction { coissue, predicate, ..instruction })
        }
    };
    cursor.end_of_line()?;
    Ok(vec![item])
}

/// `.words 0x0002fffe 0x00000000`, and the lines of the same kind that follow.
fn words(cursor: &mut Cursor<'_>, version: Version) -> Read<Vec<ItemKind>> {
    let start = cursor.at();
    let mut words = vec![version.token()];
    let mut end = cursor.clone();
    while cursor.eat(".words") {
        while cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
            words.push(cursor.number()?);
        }
        cursor.end_of_line()?;
        end = cursor.clone();
        cursor.blanks();
    }
    *cursor = end;
    words.push(END);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let found = match decode(&bytes, 0, &Limits::default()) {
        Ok(program) if super::encode(&program) == bytes => {
            return Ok(program.items.into_iter().map(|item| item.kind).collect());
        }
        Ok(_) => "an end token among them".into(),
        Err(error) => format!("others ({error})"),
    };
    Err(cursor.error(start, Problem::Expected { expected: "the words of items".into(), found }))
}

/// A first word taken apart.
#[derive(Clone, Copy)]
struct Mnemonic<'t> {
    name: &'t str,
    saturate: bool,
    partial_precision: bool,
    centroid: bool,
    shift: i8,
}

impl<'t> Mnemonic<'t> {
    fn of(word: &'t str) -> Self {
        let mut mnemonic = Self { name: word, saturate: false, partial_precision: false, centroid: false, shift: 0 };
        while let Some((name, suffix)) = mnemonic.name.rsplit_once('_') {
            match suffix {
                "sat" if !mnemonic.saturate => mnemonic.saturate = true,
                "pp" if !mnemonic.partial_precision => mnemonic.partial_precision = true,
                "centroid" if !mnemonic.centroid => mnemonic.centroid = true,
                "x2" | "x4" | "x8" | "d2" | "d4" | "d8" if mnemonic.shift == 0 => {
                    let power = match &suffix[1..] {
                        "2" => 1,
                        "4" => 2,
                        _ => 3,
                    };
                    mnemonic.shift = if suffix.starts_with('x') { power } else { -power };
                }
                _ => break,
            }
            mnemonic.name = name;
        }
        mnemonic
    }

    fn has_modifiers(&self) -> bool {
        self.saturate || self.partial_precision || self.centroid || self.shift != 0
    }

    /// A destination with the modifiers of the first word.
    fn apply(&self, destination: Destination) -> Destination {
        Destination {
            saturate: self.saturate,
            partial_precision: self.partial_precision,
            centroid: self.centroid,
            shift: self.shift,
            ..destination
        }
    }

    /// The name without its comparison.
    fn comparison(&self) -> (&'t str, Option<Comparison>) {
        let taken_apart = self.name.split_once('_').and_then(|(name, comparison)| {
            let found = Comparison::ALL.iter().copied().find(|known| known.text() == comparison);
            found.map(|comparison| (name, Some(comparison)))
        });
        taken_apart.unwrap_or((self.name, None))
    }
}

fn instruction(cursor: &mut Cursor<'_>, version: Version, mnemonic: &Mnemonic<'_>, start: usize) -> Read<Instruction> {
    let (name, comparison) = mnemonic.comparison();
    let exists = |op: &Op| op.info().versions.contains(version) && op.has_comparison() == comparison.is_some();
    let unknown = || {
        if Op::ALL.iter().any(|op| op.text() == name && op.has_comparison() == comparison.is_some()) {
            let expected = format!("an instruction that {version} has");
            return Problem::Expected { expected, found: format!("`{}`", mnemonic.name) };
        }
        let known = Op::ALL.iter().filter(|op| op.info().versions.contains(version)).map(|op| op.text());
        Problem::Unknown { kind: "instruction", name: mnemonic.name.into(), nearest: nearest(name, known) }
    };
    let op = Op::ALL.iter().copied().find(|op| op.text() == name && exists(op));
    let op = op.ok_or_else(|| cursor.error(start, unknown()))?;
    cursor.spaces();
    if op == Op::Break && !at_end(cursor) {
        return break_with_predicate(cursor, version, mnemonic);
    }

    let slots = op.info().slots;
    let mut operands = Vec::with_capacity(slots.len());
    for (n, slot) in slots.iter().enumerate() {
        if at_end(cursor) {
            let operands: Vec<&str> = slots.iter().map(|slot| slot.description()).collect();
            let expected = format!("{} operands ({})", slots.len(), operands.join(", "));
            return Err(cursor.error(start, Problem::Expected { expected, found: n.to_string() }));
        }
        if n > 0 {
            cursor.expect(",")?;
        }
        operands.push(match slot.is_destination() {
            true => Operand::Destination(mnemonic.apply(destination(cursor, version)?)),
            false => Operand::Source(source(cursor, version)?),
        });
    }
    if mnemonic.has_modifiers() && !matches!(operands.first(), Some(Operand::Destination(_))) {
        let problem =
            Problem::Expected { expected: "no modifiers, as it writes no register".into(), found: "some".into() };
        return Err(cursor.error(start, problem));
    }
    Ok(Instruction { op, comparison, coissue: false, predicate: None, operands })
}

fn at_end(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek(), None | Some('\n')) || cursor.rest().starts_with("//")
}

/// What fxc lists for `breakp`: the operand's token as if it were a destination's. One bit of the swizzle is lost on
/// the way; it is that of a swizzle which a predicate can have.
fn break_with_predicate(cursor: &mut Cursor<'_>, version: Version, mnemonic: &Mnemonic<'_>) -> Read<Instruction> {
    let start = cursor.at();
    let listed = mnemonic.apply(destination(cursor, version)?);
    let modifiers =
        u8::from(listed.saturate) | u8::from(listed.partial_precision) << 1 | u8::from(listed.centroid) << 2;
    let bits = modifiers << 4 | listed.mask;
    let is_usual = |swizzle: &Swizzle| *swizzle == Swizzle::IDENTITY || swizzle.repeated().is_some();
    let swizzle = [Swizzle(bits), Swizzle(bits | 0x80)].into_iter().find(is_usual);
    let modifier = Modifier::from_code(listed.shift as u32 & 0xf);
    let (Some(swizzle), Some(modifier)) = (swizzle, modifier) else {
        return Err(cursor.error(start, Problem::Lossy { what: "predicate" }));
    };
    let source = Source { register: listed.register, relative: listed.relative, swizzle, modifier };
    let operands = vec![Operand::Source(source)];
    Ok(Instruction { op: Op::BreakP, comparison: None, coissue: false, predicate: None, operands })
}

fn declaration(cursor: &mut Cursor<'_>, version: Version, mnemonic: &Mnemonic<'_>, start: usize) -> Read<Declaration> {
    let what = mnemonic.name["dcl".len()..].trim_start_matches('_');
    let usage_token = match usage_token(what) {
        Some(token) => token,
        None => {
            let known = Usage::ALL.iter().map(|usage| usage.text());
            let nearest = nearest(what, known.chain(TextureType::ALL.iter().map(|texture| texture.text())));
            return Err(cursor.error(start, Problem::Unknown { kind: "usage", name: what.into(), nearest }));
        }
    };
    if !Op::Dcl.info().versions.contains(version) {
        let expected = format!("an instruction that {version} has");
        return Err(cursor.error(start, Problem::Expected { expected, found: "`dcl`".into() }));
    }
    cursor.spaces();
    Ok(Declaration { usage_token, register: mnemonic.apply(plain_destination(cursor, version)?) })
}

/// The usage token of `texcoord1`, `2d` or nothing.
fn usage_token(what: &str) -> Option<u32> {
    if what.is_empty() {
        return Some(Declaration::PLAIN);
    }
    if let Some(texture) = TextureType::ALL.iter().find(|texture| texture.text() == what) {
        return Some(Declaration::texture_token(*texture));
    }
    let name = what.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let usage = Usage::ALL.iter().find(|usage| usage.text() == name)?;
    let index = match &what[name.len()..] {
        "" => 0,
        digits => digits.parse().ok().filter(|index| *index < 16)?,
    };
    Some(Declaration::usage_token(*usage, index))
}

fn definition(cursor: &mut Cursor<'_>, version: Version, mnemonic: &Mnemonic<'_>) -> Read<Definition> {
    cursor.spaces();
    let register = mnemonic.apply(plain_destination(cursor, version)?);
    let value = match mnemonic.name {
        "def" => Value::Float(four(cursor, float)?),
        "defi" => Value::Int(four(cursor, int)?),
        _ => {
            cursor.expect(",")?;
            let mut word = cursor.clone();
            match word.word() {
                "true" | "false" => Value::Bool(u32::from(cursor.word() == "true")),
                _ => Value::Bool(cursor.number()?),
            }
        }
    };
    Ok(Definition { register, value })
}

fn four<T: Copy + Default>(cursor: &mut Cursor<'_>, read: impl Fn(&str) -> Option<T>) -> Read<[T; 4]> {
    let mut values = [T::default(); 4];
    for value in &mut values {
        cursor.expect(",")?;
        let start = cursor.at();
        let text = cursor.until(&[',']);
        let problem = || Problem::Number { text: text.into(), expected: "number" };
        *value = read(text).ok_or_else(|| cursor.error(start, problem()))?;
        cursor.spaces();
    }
    Ok(values)
}

/// The bits of a float: a decimal number, what the compiler prints for numbers that are none, or the bits.
fn float(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    match text {
        "1.#INF" => return Some(f32::INFINITY.to_bits()),
        "-1.#INF" => return Some(f32::NEG_INFINITY.to_bits()),
        "1.#QNAN" => return Some(0x7fc0_0000),
        "-1.#IND" => return Some(0xffc0_0000),
        _ => {}
    }
    let is_number = text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.'));
    let digits = text.strip_suffix(['f', 'F']).unwrap_or(text);
    // The names of infinities and NaNs that Rust reads are no numbers of the language.
    let value = digits.parse::<f32>().ok().filter(|_| is_number && !digits.contains(['n', 'N']))?;
    Some(value.to_bits())
}

fn int(text: &str) -> Option<i32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(|word| word as i32),
        None => text.parse().ok(),
    }
}

fn destination(cursor: &mut Cursor<'_>, version: Version) -> Read<Destination> {
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
            return Err(cursor.error(start, Problem::Components { letters: letters.into() }));
        }
    }
    cursor.spaces();
    Ok(Destination { mask, relative, ..Destination::whole(register) })
}

/// The register of a declaration or definition, which has no address.
fn plain_destination(cursor: &mut Cursor<'_>, version: Version) -> Read<Destination> {
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

fn source(cursor: &mut Cursor<'_>, version: Version) -> Read<Source> {
    let prefix = ["-", "1-", "!"].into_iter().find(|prefix| cursor.eat(prefix)).unwrap_or("");
    let start = cursor.at();
    let word = cursor.word();
    let (name, mut suffix) = word.split_at(word.find('_').unwrap_or(word.len()));
    let (register, relative) = register(cursor, version, start, name)?;
    if relative.is_some() {
        suffix = cursor.word();
    }
    let modifier = Modifier::ALL.iter().copied().find(|modifier| modifier.texts() == (prefix, suffix));
    let unknown = || Problem::Unknown { kind: "modifier", name: format!("{prefix}{name}{suffix}"), nearest: None };
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
        return Err(cursor.error(start, Problem::Components { letters: letters.into() }));
    };
    Ok(Some(Swizzle::new([0, 1, 2, 3].map(|n| *components.get(n).unwrap_or(last)))))
}

/// The word behind a dot.
fn letters<'t>(cursor: &mut Cursor<'t>) -> &'t str {
    cursor.take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')).trim_start_matches('.')
}

fn components(cursor: &Cursor<'_>, start: usize, letters: &str) -> Read<Vec<u8>> {
    let component = |letter: char| ["xr", "yg", "zb", "wa"].iter().position(|names| names.contains(letter));
    let found: Option<Vec<u8>> = letters.chars().map(|letter| component(letter).map(|n| n as u8)).collect();
    let found = found.filter(|components| components.len() <= 4);
    found.ok_or_else(|| cursor.error(start, Problem::Components { letters: letters.into() }))
}

/// The register whose name is `name`, and the address in brackets behind it.
fn register(cursor: &mut Cursor<'_>, version: Version, start: usize, name: &str) -> Read<(Register, Option<Relative>)> {
    let unknown = || Problem::Unknown { kind: "Direct3D 9 register", name: name.into(), nearest: None };
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

/// A register by its name. The number may be missing where an index follows.
fn named(name: &str, is_indexed: bool, version: Version) -> Option<Register> {
    let rasterizer = |number| Register { file: RegisterFile::Rasterizer, number };
    match name {
        "oPos" => return Some(rasterizer(0)),
        "oFog" => return Some(rasterizer(1)),
        "oPts" => return Some(rasterizer(2)),
        "vPos" => return Some(Register::POSITION),
        "vFace" => return Some(Register::FACE),
        "aL" => return Some(Register { file: RegisterFile::Loop, number: 0 }),
        "oDepth" => return Some(Register { file: RegisterFile::DepthOut, number: 0 }),
        _ => {}
    }
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = match &name[letters.len()..] {
        "" if is_indexed => 0,
        digits => digits.parse().ok()?,
    };
    let file = match letters {
        "o" if version.stage() == Stage::Vertex && version.major() >= 3 => RegisterFile::Output,
        // What has names of its own.
        "o" | "aL" | "oDepth" => return None,
        _ => RegisterFile::ALL.iter().copied().find(|file| file.info().text == letters)?,
    };
    Some(Register { file, number })
}

/// The terms of a sum in brackets: numbers, and at most one address.
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
            let address = ["a", "aL"].contains(&word.trim_end_matches(|letter: char| letter.is_ascii_digit()));
            let register = named(word, false, version).filter(|register| register.exists_in(version));
            let register = register.filter(|_| address && relative.is_none());
            let problem = || Problem::Expected { expected: "a0, aL or a number".into(), found: format!("`{word}`") };
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
