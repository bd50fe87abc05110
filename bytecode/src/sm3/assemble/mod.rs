//! Assembles text into a [`Program`]: fxc's own listings, exact ones, and the language of Direct3D 9's assembler.
//!
//! A text is a version, then an instruction, declaration or definition on each line. `//` and `;` begin a comment.
//! Registers, swizzles and masks may be written as the assembler takes them: `c[a0.x + 3]`, `.rgb`, and `.xy` for
//! `.xyyy`; in upper or lower case, with `vs.1.1` for `vs_1_1`. `.words` has the words of items as in the token stream;
//! several such lines in a row are read as one. The constants in a listing's header comment are not read.
//!
//! Registers must exist in the version; the other rules are left to validation.

mod operand;

use crate::assembler::program::{at_end as program_ends, skip};
use crate::assembler::{AssembleError, Cursor, ItemSpan, Problem, Read};
use crate::limits::Limits;
use crate::sm3::decode::{END, decode};
use crate::sm3::encode::push_item;
use crate::sm3::instruction::{Comparison, Declaration, Definition, Instruction, TextureType, Usage, Value};
use crate::sm3::operand::{Destination, Modifier, Operand, Source, Swizzle};
use crate::sm3::ops::Op;
use crate::sm3::version::Version;
use crate::sm3::{Item, ItemKind, Program};
use crate::sm5::literal::hexadecimal;
use operand::{destination, plain_destination, source};

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
    assemble_with_spans(text, limits).map(|(program, _)| program)
}

/// Assembles a text, and returns the position of each item in it.
pub(crate) fn assemble_with_spans(text: &str, limits: &Limits) -> Read<(Program, Vec<ItemSpan>)> {
    let text = without_semicolons(text);
    let mut cursor = Cursor::new(&text);
    if program_ends(&mut cursor) && cursor.rest().is_empty() {
        return Err(cursor.error(cursor.at(), Problem::NoProgram));
    }
    let start = cursor.at();
    let unknown = |cursor: &Cursor<'_>| cursor.unknown(start, "version", Version::ALL.iter().map(|known| known.text()));
    let version = version(&mut cursor).ok_or_else(|| unknown(&cursor))?;
    cursor.end_of_line()?;

    let mut program = Program { version, at: 0, items: Vec::new() };
    let mut spans = Vec::new();
    // After the version token.
    let mut at = 4;
    let mut words = Vec::new();
    while !program_ends(&mut cursor) {
        let start = cursor.at();
        let items = statement(&mut cursor, version, limits)?;
        let line = cursor.since(start).lines().next().unwrap_or_default().trim_end();
        let span = start..start + line.len();
        for kind in items {
            words.clear();
            push_item(&mut words, version, &kind);
            program.items.push(Item { at, kind });
            let end = at.saturating_add(words.len() as u32 * 4);
            spans.push(ItemSpan { bytes: at..end, span: span.clone() });
            at = end;
        }
        // The end token adds one word.
        if at / 4 >= limits.program_words {
            let problem = Problem::Limit { what: "words of the program", limit: limits.program_words };
            return Err(cursor.error(start, problem));
        }
    }
    match cursor.rest() {
        "" => Ok((program, spans)),
        _ => Err(cursor.expected("an instruction")),
    }
}

/// Replaces comments that begin with a semicolon by spaces; positions in the text stay the same.
fn without_semicolons(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.split(';').next().unwrap_or_default();
        out.push_str(code);
        out.extend(line[code.len()..].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    out
}

/// `true` if a text's first word is a version of Direct3D 9.
pub(crate) fn is_program(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    skip(&mut ahead);
    while ahead.peek() == Some(';') {
        ahead.take_while(|letter| letter != '\n');
        skip(&mut ahead);
    }
    version(&mut ahead).is_some()
}

/// Takes the name of a version: `vs_1_1`, and `vs.1.1`, the older spelling.
fn version(cursor: &mut Cursor<'_>) -> Option<Version> {
    let name = cursor.take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
    Version::from_text(&name.to_ascii_lowercase().replace('.', "_"))
}

/// Reads a line up to its end. Only `.words` can give more or fewer than one item.
pub(crate) fn statement(cursor: &mut Cursor<'_>, version: Version, limits: &Limits) -> Read<Vec<ItemKind>> {
    if cursor.clone().directive(".words") {
        return words(cursor, version, limits);
    }
    let coissue = cursor.eat("+");
    let mut predicate = None;
    if cursor.eat("(") {
        predicate = Some(source(cursor, version)?);
        cursor.expect(")")?;
    }
    let start = cursor.at();
    let word = cursor.word().to_ascii_lowercase();
    let mnemonic = Mnemonic::of(&word);
    let with_example = |error: AssembleError| match mnemonic.op(version) {
        Some(op) => error.with_example(|| op.example()),
        None => error,
    };
    let is_plain = !coissue && predicate.is_none();
    let item = match mnemonic.name {
        "def" | "defi" | "defb" if is_plain => {
            ItemKind::Definition(definition(cursor, version, &mnemonic).map_err(with_example)?)
        }
        name if is_plain && (name == "dcl" || name.starts_with("dcl_")) => {
            ItemKind::Declaration(declaration(cursor, version, &mnemonic, start).map_err(with_example)?)
        }
        _ => {
            let instruction = instruction(cursor, version, &mnemonic, start).map_err(with_example)?;
            ItemKind::Instruction(Instruction { coissue, predicate, ..instruction })
        }
    };
    cursor.end_of_line().map_err(with_example)?;
    Ok(vec![item])
}

/// `.words 0x0002fffe 0x00000000`, and the lines of the same kind that follow.
fn words(cursor: &mut Cursor<'_>, version: Version, limits: &Limits) -> Read<Vec<ItemKind>> {
    let start = cursor.at();
    let mut words = vec![version.code()];
    let mut end = cursor.clone();
    while cursor.directive(".words") {
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
    let found = match decode(&bytes, 0, limits) {
        Ok(program) if crate::sm3::encode(&program) == bytes => {
            return Ok(program.items.into_iter().map(|item| item.kind).collect());
        }
        Ok(_) => "an end token among them".into(),
        Err(error) => format!("others ({error})"),
    };
    Err(cursor.error(start, Problem::Expected { expected: "the words of items".into(), found }))
}

/// The first word of a line, taken apart.
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

    /// The instruction, declaration or definition with this name.
    fn op(&self, version: Version) -> Option<Op> {
        let (name, _) = self.comparison();
        let name = if name.starts_with("dcl_") { "dcl" } else { name };
        Op::ALL.iter().copied().find(|op| op.text() == name && op.info().versions.contains(version))
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
    let op = Op::ALL.iter().copied().find(|op| op.text() == name && exists(op));
    let op = op.ok_or_else(|| unknown(cursor, version, mnemonic, start))?;
    cursor.spaces();
    if op == Op::Break && !at_end(cursor) {
        return break_with_predicate(cursor, version, mnemonic);
    }
    let operands = operands(cursor, version, mnemonic, op, start)?;
    Ok(Instruction { op, comparison, coissue: false, predicate: None, operands })
}

/// Suffixes that may follow the name of an instruction.
const MODIFIERS: [&str; 9] = ["_sat", "_pp", "_centroid", "_x2", "_x4", "_x8", "_d2", "_d4", "_d8"];

/// An error about the mnemonic from `start` to here, which this version does not have.
fn unknown(cursor: &Cursor<'_>, version: Version, mnemonic: &Mnemonic<'_>, start: usize) -> AssembleError {
    let (name, comparison) = mnemonic.comparison();
    if Op::ALL.iter().any(|op| op.text() == name && op.has_comparison() == comparison.is_some()) {
        let expected = format!("an instruction that {version} has");
        return cursor.error(start, Problem::Expected { expected, found: format!("`{}`", mnemonic.name) });
    }
    let known = Op::ALL.iter().filter(|op| op.info().versions.contains(version));
    let written: Vec<String> = known.map(|op| op.mnemonic()).collect();
    let error = cursor.unknown(start, "instruction", written.iter().map(String::as_str));
    match mnemonic.name.rsplit_once('_') {
        Some((stem, _)) if !error.has_nearest() && Op::ALL.iter().any(|op| op.text() == stem) => {
            cursor.unknown(start + stem.len(), "modifier", MODIFIERS.into_iter())
        }
        _ => error,
    }
}

/// Reads the operands in an instruction's slots.
fn operands(
    cursor: &mut Cursor<'_>,
    version: Version,
    mnemonic: &Mnemonic<'_>,
    op: Op,
    start: usize,
) -> Read<Vec<Operand>> {
    let slots = op.info().slots;
    let mut operands = Vec::with_capacity(slots.len());
    for (n, slot) in slots.iter().enumerate() {
        if at_end(cursor) {
            let problem = Problem::OperandCount { op: op.text(), need: slots.len(), have: n };
            return Err(cursor.error(start, problem));
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
    if cursor.peek() == Some(',') {
        let line = cursor.rest().lines().next().unwrap_or_default();
        let have = slots.len() + line.split("//").next().unwrap_or_default().matches(',').count();
        return Err(cursor.error(start, Problem::OperandCount { op: op.text(), need: slots.len(), have }));
    }
    Ok(operands)
}

fn at_end(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek(), None | Some('\n')) || cursor.rest().starts_with("//")
}

/// Reads fxc's listing of `breakp`, whose operand's token is printed as if it were a destination's. This loses one bit
/// of the swizzle, which is restored to the value that a predicate's swizzle has.
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
            let known = known.chain(TextureType::ALL.iter().map(|texture| texture.text()));
            let usage_at = start + mnemonic.name.len() - what.len();
            return Err(cursor.unknown(usage_at, "usage", known));
        }
    };
    if !Op::Dcl.info().versions.contains(version) {
        let expected = format!("an instruction that {version} has");
        return Err(cursor.error(start, Problem::Expected { expected, found: "`dcl`".into() }));
    }
    cursor.spaces();
    Ok(Declaration { usage_token, register: mnemonic.apply(plain_destination(cursor, version)?) })
}

/// The usage token of `texcoord1`, `2d` or an empty text.
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
            let mut after = cursor.clone();
            let word = after.word();
            match ["false", "true"].iter().position(|known| known.eq_ignore_ascii_case(word)) {
                Some(value) => {
                    *cursor = after;
                    Value::Bool(value as u32)
                }
                None => Value::Bool(cursor.number()?),
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
        *value = read(text).ok_or_else(|| cursor.no_number(start, "number"))?;
        cursor.spaces();
    }
    Ok(values)
}

/// The bits of a float: a decimal number, the compiler's text for infinities and NaN, or the bits.
fn float(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return hexadecimal(digits);
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
    // The names of infinity and NaN that Rust parses are not part of the language, nor are numbers out of range.
    let value = digits.parse::<f32>().ok().filter(|value| is_number && value.is_finite())?;
    Some(value.to_bits())
}

fn int(text: &str) -> Option<i32> {
    match text.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits).map(|word| word as i32),
        None => text.parse().ok(),
    }
}
