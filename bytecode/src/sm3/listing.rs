//! Lists a whole program as fxc prints it: a header made from the constant table, the instructions, and a count of
//! slots.

use super::assemble::statement;
use super::constants::{Class, Constant, ConstantTable, ConstantsError, TypeInfo};
use super::display::{exact_definition, listed};
use super::encode::push_item;
use super::instruction::Instruction;
use super::ops::Op;
use super::version::Version;
use super::{ItemKind, Program};
use crate::assembler::Cursor;
use crate::limits::Limits;
use std::fmt::{self, Display, Formatter};

/// Style of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// As fxc lists it. Comments are left out, except for the header made from the constant table.
    #[default]
    Listing,
    /// So that assembling gives the same words: comments, and items for which the language has no text, as `.words`;
    /// numbers in hexadecimal where their text does not determine their bits.
    Exact,
}

/// Lists a program. If its constant table cannot be read, a comment says so instead of the header.
///
/// ```
/// use brolga_bytecode::{Limits, sm3};
///
/// let program = sm3::assemble("ps_1_1\nmov_x2_sat r0, v0", &Limits::default()).unwrap();
/// let listing = sm3::list(&program, sm3::Style::Listing, &Limits::default());
/// let lines: Vec<&str> = listing.lines().collect();
/// assert_eq!(lines, ["    ps_1_1", "    mov_x2_sat r0, v0", "", "// approximately 1 instruction slot used"]);
/// ```
pub fn list(program: &Program, style: Style, limits: &Limits) -> String {
    ProgramListing { program, style, constants: program.constants(limits) }.to_string()
}

struct ProgramListing<'a> {
    program: &'a Program,
    style: Style,
    constants: Result<Option<ConstantTable>, ConstantsError>,
}

impl Display for ProgramListing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.constants {
            Ok(Some(constants)) => header(f, constants)?,
            Ok(None) => {}
            Err(error) => writeln!(f, "// {error}")?,
        }
        let version = self.program.version;
        writeln!(f, "    {version}")?;
        let mut depth = Depth(0);
        for item in &self.program.items {
            let before = match &item.kind {
                ItemKind::Instruction(instruction) => depth.before(instruction),
                ItemKind::Declaration(_) | ItemKind::Definition(_) | ItemKind::Comment(_) => depth.indent(),
            };
            match (self.style, item_text(&item.kind, version, self.style)) {
                (Style::Exact, line) if !line.as_deref().is_some_and(|line| says(line, &item.kind, version)) => {
                    words(f, &before, &item.kind, version)?;
                }
                (_, Some(line)) => writeln!(f, "{before}{line}")?,
                (_, None) => {}
            }
        }
        footer(f, self.program)
    }
}

/// Number of open blocks.
struct Depth(usize);

impl Depth {
    /// Levels beyond these are not indented further, so that a listing cannot grow with the square of its program.
    const DEEPEST: usize = 64;

    fn indent(&self) -> String {
        " ".repeat(4 + 2 * self.0.min(Self::DEEPEST))
    }

    /// Indentation before an instruction's line.
    fn before(&mut self, instruction: &Instruction) -> String {
        if matches!(instruction.op, Op::Else | Op::EndIf | Op::EndLoop | Op::EndRep) {
            self.0 = self.0.saturating_sub(1);
        }
        let mut before = self.indent();
        if instruction.coissue {
            before.replace_range(before.len() - 2.., "+ ");
        }
        if matches!(instruction.op, Op::If | Op::IfC | Op::Else | Op::Loop | Op::Rep) {
            self.0 += 1;
        }
        before
    }
}

/// The text of an item; comments have none.
fn item_text(kind: &ItemKind, version: Version, style: Style) -> Option<String> {
    match (kind, style) {
        (ItemKind::Instruction(instruction), Style::Listing) => Some(listed(instruction).to_string()),
        (ItemKind::Instruction(instruction), Style::Exact) => Some(instruction.to_string()),
        (ItemKind::Declaration(declaration), _) => Some(declaration.line(version.stage()).to_string()),
        (ItemKind::Definition(definition), Style::Listing) => Some(definition.to_string()),
        (ItemKind::Definition(definition), Style::Exact) => Some(exact_definition(definition).to_string()),
        (ItemKind::Comment(_), _) => None,
    }
}

/// The line of an item without the spaces around it; comments have none.
pub fn line(program: &Program, item: &super::Item) -> Option<String> {
    let line = item_text(&item.kind, program.version, Style::Listing)?;
    let is_coissued = matches!(&item.kind, ItemKind::Instruction(Instruction { coissue: true, .. }));
    Some(if is_coissued { format!("+ {line}") } else { line })
}

/// `true` if assembling a line gives this item.
fn says(line: &str, kind: &ItemKind, version: Version) -> bool {
    let plus = if matches!(kind, ItemKind::Instruction(Instruction { coissue: true, .. })) { "+" } else { "" };
    let line = format!("{plus}{line}");
    statement(&mut Cursor::new(&line), version, &Limits::default())
        .is_ok_and(|items| items == std::slice::from_ref(kind))
}

/// An item word for word, a few on each line.
fn words(f: &mut Formatter<'_>, before: &str, kind: &ItemKind, version: Version) -> fmt::Result {
    const PER_LINE: usize = 8;
    let mut words = Vec::new();
    push_item(&mut words, version, kind);
    let indent = before.replace('+', " ");
    for line in words.chunks(PER_LINE) {
        write!(f, "{indent}.words")?;
        line.iter().try_for_each(|word| write!(f, " {word:#010x}"))?;
        writeln!(f)?;
    }
    Ok(())
}

/// The slots that the listing counts: those of texture instructions, and those of all others. A predicate costs one,
/// and co-issued arithmetic costs nothing.
pub fn slots(program: &Program) -> (u32, u32) {
    let mut total = (0, 0);
    for item in &program.items {
        if let ItemKind::Instruction(instruction) = &item.kind {
            let (texture, arithmetic) = instruction.op.info().cost.slots(program.version);
            total.0 += texture;
            total.1 += if instruction.coissue { 0 } else { arithmetic } + u32::from(instruction.predicate.is_some());
        }
    }
    total
}

fn footer(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    let (texture, arithmetic) = slots(program);
    let count = texture + arithmetic;
    write!(f, "\n// approximately {count} instruction slot{} used", if count == 1 { "" } else { "s" })?;
    if texture > 0 {
        write!(f, " ({texture} texture, {arithmetic} arithmetic)")?;
    }
    writeln!(f)
}

fn header(f: &mut Formatter<'_>, table: &ConstantTable) -> fmt::Result {
    writeln!(f, "//")?;
    writeln!(f, "// Generated by {}", on_one_line(&table.creator))?;
    if table.constants.is_empty() {
        return Ok(());
    }
    writeln!(f, "//\n// Parameters:\n//")?;
    let mut before = None;
    for (n, constant) in table.constants.iter().enumerate() {
        // A parameter in registers of several sets has consecutive rows, one for each set.
        let is_new = n.checked_sub(1).is_none_or(|last| table.constants[last].name != constant.name);
        if is_new {
            variable(f, &on_one_line(&constant.name), &constant.type_info, &mut before, 0)?;
        }
    }
    writeln!(f, "//\n//\n// Registers:\n//")?;

    let longest = table.constants.iter().map(|constant| constant.name.chars().count()).max().unwrap_or(0);
    let width = longest.max("------------".len());
    writeln!(f, "//   {:width$} Reg   Size", "Name")?;
    writeln!(f, "//   {:-<width$} ----- ----", "")?;
    let mut by_register: Vec<&Constant> = table.constants.iter().collect();
    by_register.sort_by_key(|constant| (constant.set, constant.register));
    for constant in by_register {
        let register = format!("{}{}", constant.set, constant.register);
        writeln!(f, "//   {:width$} {register:5} {:>4}", on_one_line(&constant.name), constant.count)?;
    }
    writeln!(f, "//\n")
}

/// A name that does not end the comment it is in.
fn on_one_line(name: &str) -> String {
    name.replace(char::is_control, "?")
}

/// The lines of a variable or member. There is an empty line between it and the one before, whose class is
/// `before`, if one of them is a structure.
fn variable(
    f: &mut Formatter<'_>,
    name: &str,
    type_info: &TypeInfo,
    before: &mut Option<Class>,
    depth: usize,
) -> fmt::Result {
    let indent = format!("//   {:1$}", "", 4 * depth);
    let class = type_info.class;
    if before.replace(class).is_some_and(|before| before == Class::Struct || class == Class::Struct) {
        writeln!(f, "{indent}")?;
    }
    if class == Class::Struct {
        writeln!(f, "{indent}struct\n{indent}{{")?;
        let mut before = None;
        for member in &type_info.members {
            variable(f, &on_one_line(&member.name), &member.type_info, &mut before, depth + 1)?;
        }
        write!(f, "//\n{indent}}} {name}")?;
    } else {
        write!(f, "{indent}{type_info} {name}")?;
    }
    match type_info.elements {
        0 | 1 => writeln!(f, ";"),
        elements => writeln!(f, "[{elements}];"),
    }
}

impl Display for TypeInfo {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let base = self.base.text();
        match self.class {
            Class::Scalar | Class::Object => f.write_str(base),
            Class::Vector => write!(f, "{base}{}", self.columns),
            Class::MatrixRows => write!(f, "row_major {base}{}x{}", self.rows, self.columns),
            Class::MatrixColumns => write!(f, "{base}{}x{}", self.rows, self.columns),
            Class::Struct => f.write_str("struct"),
        }
    }
}
