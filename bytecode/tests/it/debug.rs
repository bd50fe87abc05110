//! Debug information: lines and variables are those of the compiler's own listing, and broken ones are errors.

use crate::corpus::{allocation, data};
use brolga_bytecode::Limits;
use brolga_bytecode::container::Container;
use brolga_bytecode::debug::{DebugInfo, Variable};
use std::path::PathBuf;

/// Shaders with debug information: names, bytes and the compiler's listings, which have the offsets of instructions.
fn shaders() -> Vec<(String, Vec<u8>, String)> {
    let folder = std::env::var_os("ZI").map_or_else(|| data::data().join("debug"), PathBuf::from);
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cso") && path.with_extension("asm").exists())
        .map(|path| {
            let listing = String::from_utf8_lossy(&data::read(&path.with_extension("asm"))).into_owned();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), data::read(&path), listing)
        })
        .collect();
    found.sort();
    found
}

/// The debug information of a shader, and the byte where its program's chunk begins.
fn read(bytes: &[u8]) -> (DebugInfo, u32) {
    let limits = Limits::default();
    let container = Container::parse(bytes, &limits).unwrap();
    let debug = DebugInfo::read(&container, &limits).expect("it has debug information").unwrap();
    (debug, container.program().unwrap().at)
}

/// An instruction of a listing.
struct Listed<'a> {
    /// Its offset in the program's chunk.
    offset: u32,
    /// File and line of the `#line` before it.
    line: Option<(&'a str, u32)>,
    /// What registers hold after it: `("r0.x", "sum.y")`.
    holds: Vec<(&'a str, &'a str)>,
}

fn instructions(listing: &str) -> Vec<Listed<'_>> {
    let (mut found, mut line, mut file) = (Vec::new(), None, "");
    for text in listing.lines() {
        if let Some(directive) = text.strip_prefix("#line ") {
            let (number, name) = directive.split_once(' ').unwrap_or((directive, ""));
            if !name.is_empty() {
                file = name.trim_matches('"');
            }
            line = Some((file, number.parse().unwrap()));
        }
        let Some((before, rest)) = text.split_once(": ") else { continue };
        let Some((number, offset)) = before.trim().split_once("0x") else { continue };
        if number.trim().parse::<u32>().is_err() {
            continue;
        }
        let holds = rest.split_once("  // ").map_or("", |(_, holds)| holds);
        let holds = holds.split(';').filter_map(|hold| hold.trim().split_once(" <- ")).collect();
        found.push(Listed { offset: u32::from_str_radix(offset, 16).unwrap(), line, holds });
    }
    found
}

#[test]
fn statements_are_those_of_the_listing() {
    let (mut seen, mut with_line) = (0, 0);
    let mut bad = 0;
    for (name, bytes, listing) in shaders() {
        let (debug, program_at) = read(&bytes);
        for listed in instructions(&listing) {
            let line = debug.statement_at(program_at + listed.offset);
            let line = line.as_ref().map(|line| (&*line.file, line.line));
            if line != listed.line { bad += 1; println!("{name}: byte {:#x} {:?} {:?}", listed.offset, line, listed.line); }
            seen += 1;
            with_line += u32::from(line.is_some());
        }
    }
    assert!(seen > 100 && with_line > seen * 9 / 10, "{with_line} of {seen} instructions");
    assert_eq!(bad, 0, "{seen}");
}

#[test]
fn variables_are_those_of_the_listing() {
    let mut seen = 0;
    let mut bad = 0;
    for (name, bytes, listing) in shaders() {
        let (debug, program_at) = read(&bytes);
        let instructions = instructions(&listing);
        for pair in instructions.windows(2) {
            for &(register, part) in &pair[0].holds {
                let after = program_at + pair[1].offset;
                let found = debug.variables_at(after).any(|(variable, place)| {
                    place.code.start == after && place.to_string() == register && debug.part_of(variable, place) == part
                });
                if !found { bad += 1; println!("{name}: byte {:#x}: {register} <- {part}", pair[0].offset); 
                  for (v,p) in debug.variables_at(after) { println!("     {p} {} {:?}", debug.part_of(v,p), p.code);} }
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
    assert_eq!(bad, 0, "{seen}");
}
