//! Debug information: lines and variables are those of the compiler's own listing and of the source, and what is broken
//! is an error that names a byte.

use crate::corpus::{allocation, data};
use brolga_bytecode::container::{Container, write_container};
use brolga_bytecode::debug::{DebugError, DebugFault, DebugInfo, SourceLine, Variable};
use brolga_bytecode::{Limits, assembler, listing};

/// A shader with debug information: its name, its bytes and the compiler's listing, with the offsets of instructions.
struct Shader {
    name: &'static str,
    bytes: Vec<u8>,
    listing: String,
}

const NAMES: [&str; 6] =
    ["barrier.cs_5_0", "shading.cs_5_0", "shading.cs_5_0.od", "shading.cs_5_1", "stages.gs_4_0", "types.cs_5_0"];

fn shader(name: &'static str) -> Shader {
    let path = data::data().join("debug").join(name);
    let listing = String::from_utf8(data::read(&path.with_added_extension("asm"))).unwrap();
    Shader { name, bytes: data::read(&path.with_added_extension("cso")), listing }
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
        // Declarations have no number.
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
    for Shader { name, bytes, listing } in NAMES.map(shader) {
        let (debug, program_at) = read(&bytes);
        let listed = instructions(&listing);
        assert!(listed.len() > 10);
        for Listed { offset, line, .. } in listed {
            let found = debug.statement_at(program_at + offset);
            let found = found.as_ref().map(|line| (&*line.file, line.line));
            assert_eq!(found, line, "{name}: byte {offset:#x}");
            let expression = debug.line_at(program_at + offset).unwrap();
            assert!(expression.column.is_some(), "{name}: byte {offset:#x}");
        }
        // Declarations have no line, nor has what lies outside the program.
        assert_eq!(debug.statement_at(program_at + 8), None);
        assert_eq!(debug.line_at(program_at - 1), None);
        assert_eq!(debug.line_at(bytes.len() as u32), None);
    }
}

#[test]
fn variables_are_those_of_the_listing() {
    let mut seen = 0;
    for Shader { name, bytes, listing } in NAMES.map(shader) {
        let (debug, program_at) = read(&bytes);
        for pair in instructions(&listing).windows(2) {
            for &(register, part) in &pair[0].holds {
                // The listing names one register of two that hold a double, and does not know one type.
                let part = part.trim_end_matches("<unknown HLSL built-in 544 offset 0>");
                let begins = program_at + pair[1].offset;
                let mut places = debug.variables_at(begins);
                let is_it = |(variable, place): (&Variable, &_)| debug.part_of(variable, place) == part;
                let found = places.any(|(variable, place)| {
                    place.to_string().starts_with(register) && place.code.start == begins && is_it((variable, place))
                });
                assert!(found, "{name}: byte {:#x}: {register} <- {part}", pair[0].offset);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// `file:line`, and the column.
fn position(line: Option<SourceLine>) -> (String, Option<u32>) {
    line.map_or_else(Default::default, |line| (line.to_string(), line.column))
}

#[test]
fn expressions_have_the_lines_of_the_source() {
    let Shader { bytes, .. } = shader("barrier.cs_5_0");
    let (debug, program_at) = read(&bytes);
    // The instruction that each is: the expression's line and column, and the statement's line.
    let expected = [
        (0x60, (10, 18), 10),  // xor: t ^ 5, out of the loop
        (0x98, (7, 12), 7),    // loop
        (0xc4, (8, 18), 8),    // imad: k * 32 + t
        (0xe4, (8, 16), 8),    // ld_structured: x[k * 32 + t]
        (0x110, (8, 9), 8),    // store_structured: s[t] = ...
        (0x130, (9, 9), 9),    // sync_g_t
        (0x134, (10, 16), 10), // ld_structured: s[t ^ 5]
        (0x174, (7, 36), 11),  // iadd: k++, which the compiler counts to the end of the body
        (0x194, (12, 5), 12),  // store_structured: o[t] = sum
    ];
    for (offset, (line, column), statement) in expected {
        let byte = program_at + offset;
        assert_eq!(position(debug.line_at(byte)), (format!("barrier.hlsl:{line}"), Some(column)), "{offset:#x}");
        assert_eq!(position(debug.statement_at(byte)).0, format!("barrier.hlsl:{statement}"), "{offset:#x}");
    }
    // A byte within an instruction counts as its first.
    assert_eq!(debug.line_at(program_at + 0x136), debug.line_at(program_at + 0x134));
    let line = debug.line_at(program_at + 0x134).unwrap();
    assert_eq!(debug.text_of(&line), Some("        sum += s[t ^ 5];"));
    assert_eq!(debug.sources().len(), 1);
    let source = String::from_utf8(data::read(&data::data().join("debug/barrier.hlsl"))).unwrap();
    assert_eq!(debug.sources()[0].text.as_deref(), Some(&*source));
}

#[test]
fn inlined_functions_have_callers_and_includes_have_names() {
    let Shader { bytes, .. } = shader("shading.cs_5_0");
    let (debug, program_at) = read(&bytes);
    let names: Vec<(&str, bool)> = debug.sources().iter().map(|file| (&*file.name, file.text.is_some())).collect();
    assert_eq!(names, [(r"Z:\shaders\shading.hlsl", true), ("inc/noise.hlsli", true), ("generated.hlsl", false)]);
    // Two calls of `hash` within one of `noise`, `noise` itself, a call of `shade`, and none.
    let expected: [(u32, &str, &[&str]); 5] = [
        (0x294, "noise.hlsli:4", &["noise.hlsli:11", "shading.hlsl:38"]),
        (0x32c, "noise.hlsli:4", &["noise.hlsli:12", "shading.hlsl:38"]),
        (0x268, "noise.hlsli:10", &["shading.hlsl:38"]),
        (0x3fc, "shading.hlsl:24", &["shading.hlsl:41"]),
        (0x20c, "shading.hlsl:37", &[]),
    ];
    for (offset, line, callers) in expected {
        let byte = program_at + offset;
        assert_eq!(position(debug.line_at(byte)).0, line);
        let found: Vec<String> = debug.callers(byte).map(|line| line.to_string()).collect();
        assert_eq!(found, callers, "{offset:#x}");
    }
    let text = |offset| debug.text_of(&debug.line_at(program_at + offset).unwrap()).unwrap().trim();
    assert_eq!(text(0x268), "float2 f = p - cell;");
    // Line 100 of a file that does not exist is what stands behind the `#line` directive that names it.
    assert_eq!(position(debug.line_at(program_at + 0x548)).0, "generated.hlsl:100");
    assert_eq!(text(0x548), "float4 other = tile[7 - local.y][local.x];");
    assert_eq!(text(0x5c0), "result[flat] = float4(sum, other.w) + picture[id.xy];");
    let beyond = SourceLine { file: "generated.hlsl".into(), line: 99, column: None };
    assert_eq!(debug.text_of(&beyond), None);
}

/// `name: type, in register`, for the first register.
fn described(debug: &DebugInfo, name: &str) -> String {
    let found: Vec<&Variable> = debug.variables().iter().filter(|variable| variable.name == name).collect();
    let [variable] = found[..] else { panic!("{} are called {name}", found.len()) };
    let place = variable.places.first().map_or_else(|| "none".to_owned(), ToString::to_string);
    format!("{name}: {}, in {place}", debug.type_of(variable).as_deref().unwrap_or("?"))
}

#[test]
fn variables_have_types_and_registers() {
    let expected: [(&str, &[&str]); 4] = [
        (
            "types.cs_5_0",
            &[
                "thread: uint, in vThreadIDInGroupFlattened.x",
                "group: uint3, in vThreadGroupID.x",
                "item: Item, in r0.y",
                "whole: float2x2, in r0.x",
                "is_small: bool, in r2.x",
                "exact: double, in r0.zw",
                "moved: float2x3, in r0.x",
                "<product return value>: float2x2, in r3.y",
                "items: StructuredBuffer<Item>, in t0",
                "sums: AppendStructuredBuffer<float>, in u0",
                "linear_sampler: SamplerState, in s0",
                "cubes: TextureCubeArray<float4>, in t3",
                "volume: RWTexture3D<float2>, in u1",
                "offset: float2x3, in cb2[2].x",
                "chosen: int, in cb2[3].w",
            ],
        ),
        (
            "shading.cs_5_0",
            &[
                "table: float[4], in x0",
                "tile: float4[8][8], in g0",
                "world: float4x4, in cb0[0].x",
                "scale: float2, in cb0[4].x",
                "steps: uint, in cb0[4].z",
                "lamp: Lamp, in r2.x",
            ],
        ),
        (
            "shading.cs_5_1",
            &["steps: uint, in cb0[4].z", "picture: Texture2D<float4>, in t1", "tile: float4[][], in none"],
        ),
        ("stages.gs_4_0", &["ends: Point[2], in v[0][0].x", "primitive: uint, in vPrim", "size: float4, in cb0[0].x"]),
    ];
    for (name, variables) in expected {
        let (debug, _) = read(&shader(name).bytes);
        for &variable in variables {
            assert_eq!(described(&debug, variable.split(": ").next().unwrap()), variable, "{name}");
        }
    }
}

#[test]
fn gaps_divide_ranges() {
    let (debug, program_at) = read(&shader("types.cs_5_0").bytes);
    let whole = debug.variables().iter().find(|variable| variable.name == "whole").unwrap();
    // Between the two assignments that may be the last, another register has the value.
    let code: Vec<_> =
        whole.places.iter().filter(|place| place.to_string() == "r0.x").map(|place| &place.code).collect();
    let expected = [0x248..0x2b8, 0x310..0x350].map(|code| program_at + code.start..program_at + code.end);
    assert_eq!(code, expected.iter().collect::<Vec<_>>());
}

#[test]
fn comments_change_nothing() {
    let limits = Limits::default();
    for Shader { name, bytes, .. } in NAMES.map(shader) {
        let (debug, _) = read(&bytes);
        let text = listing::with_source(&bytes, &debug, &limits).unwrap();
        let plain = listing::listing(&bytes, &limits).unwrap();
        let [text, plain] = [text, plain].map(|text| assembler::assemble(&text, &limits).unwrap().bytes);
        assert!(text == plain, "{name}");
    }
    let Shader { bytes, .. } = shader("shading.cs_5_0");
    let text = listing::with_source(&bytes, &read(&bytes).0, &limits).unwrap();
    let expected = "// noise.hlsli:4 (called at noise.hlsli:11, shading.hlsl:38): \
                    return frac(sin(dot(p, float2(12.9898, 78.233))) * 43758.5453);\ndp2 r1.y, ";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("\n// generated.hlsl:100: float4 other = tile[7 - local.y][local.x];\n"), "{text}");
    let begin = "// vThreadID.x <- id.x; vThreadID.y <- id.y; vThreadID.z <- id.z\n\
                 // vThreadIDInGroup.x <- local.x; vThreadIDInGroup.y <- local.y; vThreadIDInGroup.z <- local.z\n\
                 // vThreadIDInGroupFlattened.x <- flat\n// x0 <- table\n// shading.hlsl:34: ";
    assert!(text.contains(begin), "{text}");
}

/// Reads debug information, and asks for everything in it. Returns its error.
fn exercise(bytes: &[u8]) -> Option<DebugError> {
    let limits = Limits::default();
    let container = Container::parse(bytes, &limits).unwrap();
    let (read, peak_bytes) = allocation::peak(|| DebugInfo::read(&container, &limits));
    assert!(peak_bytes < 64 * bytes.len(), "{peak_bytes} bytes were allocated for {}", bytes.len());
    let debug = match read? {
        Ok(debug) => debug,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {}", error.at())), "{text}");
            assert!(error.at() as usize <= bytes.len(), "{text}");
            return Some(error);
        }
    };
    for byte in (0..bytes.len() as u32).step_by(4) {
        for line in [debug.line_at(byte), debug.statement_at(byte)].into_iter().flatten().chain(debug.callers(byte)) {
            assert!(!line.to_string().is_empty());
            debug.text_of(&line);
        }
    }
    for variable in debug.variables() {
        debug.type_of(variable);
        for place in &variable.places {
            assert!(!place.to_string().is_empty());
            assert!(debug.part_of(variable, place).starts_with(&variable.name));
        }
    }
    None
}

/// The byte where the debug information begins, and its size.
fn chunk(bytes: &[u8]) -> (usize, usize) {
    let container = Container::parse(bytes, &Limits::default()).unwrap();
    let chunk = container.chunk(b"SPDB").unwrap();
    (chunk.at as usize, chunk.data.len())
}

/// A shader whose debug information is replaced.
fn with_debug(bytes: &[u8], debug: &[u8]) -> Vec<u8> {
    let container = Container::parse(bytes, &Limits::default()).unwrap();
    let chunks = container.chunks().iter();
    let chunks: Vec<_> =
        chunks.map(|chunk| (chunk.name, if &chunk.name.0 == b"SPDB" { debug } else { chunk.data })).collect();
    write_container(&chunks, None)
}

#[test]
fn every_changed_byte_is_survived() {
    let original = shader("barrier.cs_5_0").bytes;
    let (first, size) = chunk(&original);
    let (mut refused, mut bytes) = (0, original.clone());
    for at in first..first + size {
        bytes[at] ^= [0xff, 0x01, 0x80, 0x10][at / 4 % 4];
        refused += usize::from(exercise(&bytes).is_some());
        bytes[at] = original[at];
    }
    assert!(refused > 100 && refused < size / 2, "{refused} of {size} bytes");
}

#[test]
fn every_truncation_is_survived() {
    let original = shader("barrier.cs_5_0").bytes;
    let (first, size) = chunk(&original);
    // The last block has the numbers of the directory's blocks: one word.
    let needed = size - 512 + 4;
    for end in (0..needed).filter(|end| end % 16 == 3 || *end < 600) {
        let bytes = with_debug(&original, &original[first..first + end]);
        assert!(exercise(&bytes).is_some(), "{end} of {size} bytes");
    }
}

#[test]
fn random_words_are_survived() {
    const WORDS: [u32; 8] = [0, 1, 2, 0x7f, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff];
    let mut state = 1_u64;
    let mut random = move |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end as u64) as usize
    };
    for name in ["shading.cs_5_0", "types.cs_5_0"] {
        let original = shader(name).bytes;
        let (first, size) = chunk(&original);
        for _ in 0..1000 {
            let mut bytes = original.clone();
            for _ in 0..1 + random(4) {
                let at = first + random(size / 4) * 4;
                let word = match random(3) {
                    0 => WORDS[random(WORDS.len())],
                    1 => random(64) as u32,
                    _ => random(1 << 32) as u32,
                };
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            exercise(&bytes);
        }
        let noise: Vec<u8> = (0..size).map(|_| random(256) as u8).collect();
        let noise = [&original[first..first + 32], &noise].concat();
        assert!(exercise(&with_debug(&original, &noise)).is_some());
    }
}

#[test]
fn faults_say_what_and_where() {
    let original = shader("barrier.cs_5_0").bytes;
    let (first, size) = chunk(&original);
    let blocks = (size / 512) as u32;
    let changed = |at: usize, word: u32| {
        let mut bytes = original.clone();
        bytes[first + at..first + at + 4].copy_from_slice(&word.to_le_bytes());
        exercise(&bytes).unwrap()
    };
    let expected = |at: usize, fault| DebugError { at: (first + at) as u32, fault };
    let map = 512 * (blocks - 1) as usize;
    let directory = 512 * u32::from_le_bytes(original[first + map..first + map + 4].try_into().unwrap()) as usize;

    assert_eq!(changed(0, 0), expected(0, DebugFault::Magic));
    assert_eq!(changed(32, 511), expected(32, DebugFault::BlockSize { bytes: 511 }));
    assert_eq!(changed(44, 1 << 20), expected(44, DebugFault::Shared { bytes: 1 << 20, most: size as u32 }));
    // The block that names those of the directory, and a block of that.
    assert_eq!(changed(52, blocks), expected(size, DebugFault::Truncated { need: 4, have: 0 }));
    assert_eq!(changed(map, blocks), expected(52, DebugFault::Block { block: blocks, blocks }));
    // The number that stream 1 has for `/names`: that stream's block follows sizes of 16 streams and a block of stream 0.
    let block = first + directory + 4 * (1 + 16 + 1);
    let names = 512 * u32::from_le_bytes(original[block..block + 4].try_into().unwrap()) as usize;
    assert_eq!(changed(names + 0x85, 99), expected(0, DebugFault::Stream { stream: 99, streams: 16 }));
    let large = DebugFault::Shared { bytes: 23 * 512 + 512, most: size as u32 };
    assert_eq!(changed(directory + 4, 23 * 512 + 1), expected(directory + 4, large));
}

#[test]
fn types_that_hold_themselves_have_no_name() {
    let mut bytes = shader("shading.cs_5_0").bytes;
    let mut replace = |from: [u8; 10], to: [u8; 10]| {
        let at = bytes.windows(10).position(|window| window == from).unwrap();
        bytes[at..at + 10].copy_from_slice(&to);
    };
    // A `StructuredBuffer`, type 0x1017, of arrays, type 0x1004, of it.
    replace([14, 0, 0x17, 0x15, 0x08, 0x10, 0, 0, 0x1a, 2], [14, 0, 0x17, 0x15, 0x04, 0x10, 0, 0, 0x1a, 2]);
    replace([18, 0, 0x16, 0x15, 0x40, 0, 0, 0, 0x22, 0], [18, 0, 0x16, 0x15, 0x17, 0x10, 0, 0, 0x22, 0]);
    assert_eq!(exercise(&bytes), None);
    assert_eq!(described(&read(&bytes).0, "table"), "table: StructuredBuffer[4], in x0");
}

#[test]
fn a_shader_without_debug_information_has_none() {
    let bytes = data::read(&data::data().join("compute/atomics.tgsm.cs_5_0.cso"));
    let container = Container::parse(&bytes, &Limits::default()).unwrap();
    assert!(DebugInfo::read(&container, &Limits::default()).is_none());
}

#[test]
fn records_are_limited() {
    let bytes = shader("shading.cs_5_0").bytes;
    let mut limits = Limits::default();
    limits.debug_records = 100;
    let container = Container::parse(&bytes, &limits).unwrap();
    let error = DebugInfo::read(&container, &limits).unwrap().unwrap_err();
    assert_eq!(error.fault, DebugFault::Limit { what: "records", limit: 100 });
}
