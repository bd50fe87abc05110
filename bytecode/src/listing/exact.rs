//! Lists a file without loss: the text assembles to the same file, bit for bit.
//!
//! It is the listing with literals in hexadecimal where decimal text is lossy, and directives for the container and its
//! other chunks; see [`crate::assembler`] for the language. Each part is read back when it is written. If the result
//! differs from the file (reserved bits, tokens in an unusual order), the part is written as data instead.

use super::{DecodedParts, header, program};
use crate::assembler::Cursor;
use crate::assembler::program::statement;
use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{Chunk, Container, ContainerError, FourCc, Signature, SignatureElement, write_container};
use crate::limits::Limits;
use crate::sm3;
use crate::sm5::{self, Item, ItemKind, Literals, Program, encode};
use brolga_fenv::in_default_mode;
use std::fmt::{self, Write};

/// Lists a file so that nothing is lost.
///
/// Only bytes that are not a container are an error; chunks that cannot be decoded are written as data.
pub fn exact(bytes: &[u8], limits: &Limits) -> Result<String, ContainerError> {
    in_default_mode(|| {
        if sm3::is_program(bytes) {
            return Ok(exact_direct3d9(bytes, limits));
        }
        let container = Container::parse(bytes, limits)?;
        let mut out = String::new();
        write(&mut out, bytes, &container, limits).expect("a string takes any text");
        Ok(out)
    })
}

/// Lists a program of Direct3D 9; anything else, and a program with bytes after its end, is written as data.
fn exact_direct3d9(bytes: &[u8], limits: &Limits) -> String {
    let program = sm3::decode(bytes, 0, limits).ok().filter(|program| sm3::encode(program) == bytes);
    if let Some(program) = program {
        return sm3::list(&program, sm3::Style::Exact, limits);
    }
    let mut out = String::from(".file\n");
    write_data(&mut out, bytes).expect("a string takes any text");
    out
}

fn write(out: &mut String, bytes: &[u8], container: &Container<'_>, limits: &Limits) -> fmt::Result {
    if let Ok(parts) = DecodedParts::read(container, limits) {
        let mut comment = String::new();
        header::write(&mut comment, &parts)?;
        // The names in it may hold line breaks, which end a comment.
        if comment.lines().all(|line| line.starts_with("//")) {
            out.push_str(&comment);
            out.push_str("// The comment above is for reading: what counts begins below.\n");
        }
    }
    let chunks: Vec<(FourCc, &[u8])> = container.chunks().iter().map(|chunk| (chunk.name, chunk.data)).collect();
    let checksum = (!container.checksum_matches()).then(|| container.stored_checksum());
    if write_container(&chunks, checksum) != bytes {
        out.push_str(".file\n");
        return write_data(out, bytes);
    }
    out.push_str(".dxbc\n");
    if let Some(checksum) = checksum {
        out.push_str(".checksum ");
        checksum.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        out.push('\n');
    }
    container.chunks().iter().try_for_each(|chunk| write_chunk(out, chunk, limits))
}

fn write_chunk(out: &mut String, chunk: &Chunk<'_>, limits: &Limits) -> fmt::Result {
    let name = chunk.name.0;
    if name.iter().all(u8::is_ascii_alphanumeric) {
        writeln!(out, "\n.chunk {}", chunk.name)?;
    } else {
        writeln!(out, "\n.chunk {}", Quoted(&name))?;
    }
    match &name {
        b"SHEX" | b"SHDR" => {
            if let Some(program) = program(chunk, limits) {
                return write_program(out, &program);
            }
        }
        _ if Signature::is_chunk(chunk.name) => {
            let signature = Signature::parse(chunk, limits).ok();
            if let Some(signature) = signature.filter(|signature| signature.encode(chunk.name) == chunk.data) {
                return signature.elements.iter().try_for_each(|element| write_element(out, element));
            }
        }
        _ => {}
    }
    write_data(out, chunk.data)
}

/// The program of a chunk, if its header and length hold nothing beyond the program.
fn program(chunk: &Chunk<'_>, limits: &Limits) -> Option<Program> {
    let program = sm5::decode(chunk.data, chunk.at, limits).ok()?;
    let is_whole = program.words.len() * 4 == chunk.data.len();
    let says_no_more = program.words.first() == Some(&encode::version(program.model, program.stage));
    (is_whole && says_no_more).then_some(program)
}

fn write_program(out: &mut String, program: &Program) -> fmt::Result {
    writeln!(out, "{}_{}", program.stage, program.model)?;
    let mut nesting = program::Nesting::default();
    for item in &program.items {
        let indent = nesting.of(item);
        let start = out.len();
        write_line(out, program, item, indent)?;
        let mut cursor = Cursor::new(out.get(start..).unwrap_or_default());
        cursor.spaces();
        let words = program.words_of(item);
        let is_lossless = statement(&mut cursor, program.model).is_ok_and(|read| read == words);
        if !is_lossless || !cursor.rest().is_empty() {
            let line = out.split_off(start);
            write!(out, "{:indent$}.words", "")?;
            words.iter().try_for_each(|word| write!(out, " {word:#010x}"))?;
            writeln!(out, "  // {}", line.trim().replace('\n', " "))?;
        }
    }
    Ok(())
}

fn write_line(out: &mut String, program: &Program, item: &Item, indent: usize) -> fmt::Result {
    program::write_item(out, program, item, indent, Literals::Exact)?;
    if let ItemKind::Instruction(instruction) = &item.kind
        && let Some(word) = instruction.trailing
    {
        out.pop();
        writeln!(out, " {{trailing {word:#010x}}}")?;
    }
    Ok(())
}

fn write_element(out: &mut String, element: &SignatureElement) -> fmt::Result {
    write!(out, ".element {} index={}", Quoted(element.name.as_bytes()), element.semantic_index)?;
    match element.register {
        Some(register) => write!(out, " register={register}")?,
        None => out.push_str(" register=none"),
    }
    write!(out, " mask={} usage={}", MaskText(element.mask), MaskText(element.usage_mask))?;
    write!(out, " type={}", Named(element.component_type.code(), &ComponentType::NAMES))?;
    write!(out, " value={}", Named(element.system_value, SYSTEM_VALUES))?;
    if element.stream != 0 {
        write!(out, " stream={}", element.stream)?;
    }
    if element.min_precision != 0 {
        write!(out, " precision={}", element.min_precision)?;
    }
    out.push('\n');
    Ok(())
}

/// Writes words with their text; bytes where they are not whole words.
fn write_data(out: &mut String, data: &[u8]) -> fmt::Result {
    const LINE: usize = 32;
    if data.is_empty() {
        out.push_str(".data\n");
    }
    let (words, tail) = data.as_chunks::<4>();
    for line in words.chunks(LINE / 4) {
        out.push_str(".data");
        line.iter().try_for_each(|word| write!(out, " {:#010x}", u32::from_le_bytes(*word)))?;
        let missing = (LINE / 4 - line.len()) * " 0x00000000".len();
        write!(out, "{:missing$}  // ", "")?;
        let is_shown = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        out.extend(line.as_flattened().iter().map(|byte| if is_shown(byte) { char::from(*byte) } else { '.' }));
        out.push('\n');
    }
    if !tail.is_empty() {
        out.push_str(".bytes");
        tail.iter().try_for_each(|byte| write!(out, " {byte:#04x}"))?;
        out.push('\n');
    }
    Ok(())
}

/// A text in quotes, with escapes for other than plain characters.
struct Quoted<'a>(&'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for &byte in self.0 {
            match byte {
                b'"' | b'\\' => write!(f, "\\{}", char::from(byte))?,
                b' '..=b'~' => f.write_char(char::from(byte))?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_str("\"")
    }
}

/// `xyz`, `none`
struct MaskText(u8);

impl fmt::Display for MaskText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("none");
        }
        let letters = ['x', 'y', 'z', 'w'].into_iter().enumerate();
        letters.filter(|(n, _)| self.0 >> n & 1 != 0).try_for_each(|(_, letter)| f.write_char(letter))
    }
}

/// A number by its name, if it has one.
struct Named(u32, &'static [(u32, &'static str)]);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.iter().find(|(number, _)| *number == self.0) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}
