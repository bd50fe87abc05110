//! What fxc's header comment says about the second program, for feature levels 9.x: where its registers get their
//! values from, and the program itself, which stands behind the tables.

use super::comment::{Comment, Line};
use super::cursor::Cursor;
use super::error::Problem;
use super::program::profile_named;
use super::{AssembleError, Place};
use crate::container::Level9;
use crate::container::aon9::{
    CONVERSIONS, ComponentMapping, FloatMapping, RUNTIME_VALUES, RuntimeMapping, SamplerMapping,
};
use crate::limits::Limits;
use crate::sm3;

/// The line before the second program.
const TITLE: &str = "// Level9 shader bytecode:";

/// A second program as it stands in a text.
pub(super) struct Second {
    /// The program.
    pub program: sm3::Program,
    /// Where its items stand in the text.
    pub places: Vec<Place>,
    /// Where it ends, which is where the main program begins.
    pub end: usize,
}

/// Reads the second program, up to the profile of the main one; `None` if the listing has none.
pub(super) fn second(text: &str, limits: &Limits) -> Result<Option<Second>, AssembleError> {
    let Some(begin) = text.find(TITLE) else { return Ok(None) };
    let mut end = begin;
    let mut lines = text[begin..].split_inclusive('\n');
    let has_profile = lines.any(|line| {
        let is_profile = profile_named(line.split_whitespace().next().unwrap_or_default()).is_some();
        end += if is_profile { 0 } else { line.len() };
        is_profile
    });
    if !has_profile {
        let problem = Problem::Expected {
            expected: "a second program and behind it one of model 4 or 5".into(),
            found: "no profile such as `ps_4_0`".into(),
        };
        return Err(AssembleError::new(text, begin..begin + TITLE.len(), problem));
    }
    let mut cursor = Cursor::new(&text[..end]);
    cursor.seek(begin);
    let (program, places) = sm3::program_text(&mut cursor, limits)?;
    Ok(Some(Second { program, places, end }))
}

/// Reads the tables for a second program.
pub(super) fn level9(comment: &Comment<'_>, program: &sm3::Program) -> Result<Level9, AssembleError> {
    let mut level9 = Level9 {
        version: program.version.token() & 0xffff_0000 | 0x200,
        floats: Vec::new(),
        ints: Vec::new(),
        bools: Vec::new(),
        samplers: Vec::new(),
        runtime: Vec::new(),
        program_at: 0,
        program: sm3::encode(program),
    };
    for line in constants(comment) {
        constant(line.content, &mut level9).ok_or_else(|| comment.wrong(&line, "a row of a mapping of constants"))?;
    }
    for line in comment.rows("Sampler/Resource to DX9 shader sampler mappings:") {
        let mapping = sampler(line.content).ok_or_else(|| comment.wrong(&line, "a row of a mapping of samplers"))?;
        level9.samplers.push(mapping);
    }
    for line in comment.rows("Runtime generated constant mappings:") {
        let mapping = runtime(line.content).ok_or_else(|| comment.wrong(&line, "a row of a mapping of constants"))?;
        level9.runtime.push(mapping);
    }
    Ok(level9)
}

/// The rows of the tables of constants, of which there are up to three below one title.
fn constants<'c, 't>(comment: &'c Comment<'t>) -> impl Iterator<Item = Line<'t>> + use<'c, 't> {
    let lines = comment.behind("Constant buffer to DX9 shader constant mappings:").iter().copied();
    let lines = lines.take_while(|line| !line.content.ends_with(':'));
    lines.filter(|line| !(line.content.is_empty() || ["Target", "-"].iter().any(|head| line.content.starts_with(head))))
}

/// `c2 cb0 5 1 ( FLT, INT, INT, INT)`: target, buffer, first register, how many, what each component is made of; or
/// `i0 cb0 4 0`: target, buffer, register, component.
fn constant(row: &str, level9: &mut Level9) -> Option<()> {
    let (numbers, conversions) = row.split_once('(').unwrap_or((row, ""));
    let mut columns = numbers.split_whitespace();
    let (target, buffer) = (columns.next()?, columns.next()?.strip_prefix("cb")?.parse().ok()?);
    let [first, second] = [columns.next()?.parse().ok()?, columns.next()?.parse().ok()?];
    let number = target.get(1..)?.parse().ok()?;
    let component = ComponentMapping { buffer, register: first, component: second, target: number };
    match &target[..1] {
        "c" => {
            let names = conversions.strip_suffix(')')?.split(',');
            let code = |name: &str| CONVERSIONS.iter().position(|known| *known == name.trim()).map(|code| code as u8);
            let codes: Vec<u8> = names.map(code).collect::<Option<_>>()?;
            let conversions = u32::from_le_bytes(codes.try_into().ok()?);
            level9.floats.push(FloatMapping { buffer, first, count: second, target: number, conversions });
        }
        "i" => level9.ints.push(component),
        "b" => level9.bools.push(component),
        _ => return None,
    }
    Some(())
}

/// `s0 s1 t2`: target, sampler, texture.
fn sampler(row: &str) -> Option<SamplerMapping> {
    let mut columns = row.split_whitespace();
    let mut number = |letter: char| columns.next()?.strip_prefix(letter)?.parse().ok();
    let (target, sampler, texture) = (number('s')?, number('s')?, number('t')?);
    Some(SamplerMapping { texture, sampler, target, unknown: 0 })
}

/// `c0 Vertex Shader position offset`
fn runtime(row: &str) -> Option<RuntimeMapping> {
    let (target, value) = row.split_once(' ')?;
    let kind = RUNTIME_VALUES.iter().position(|known| *known == value.trim())? as u16;
    Some(RuntimeMapping { kind, target: target.strip_prefix('c')?.parse().ok()? })
}
