//! Tests that listings assemble to the programs that they list.

use super::data;
use brolga_bytecode::assembler::{AssembleError, Problem, Warning, WarningKind};
use brolga_bytecode::container::{Container, Signature};
use brolga_bytecode::{Limits, assembler, listing, sm5};

#[test]
fn exact_listings_assemble_to_the_same_file() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let (mut lines, mut lossy) = (0, 0);
    for shader in data::containers() {
        let text = listing::exact(&shader.bytes, &limits).unwrap();
        match assembler::assemble(&text, &limits) {
            Ok(assembly) if assembly.bytes == shader.bytes => assert_eq!(assembly.warnings, [], "{}", shader.name),
            Ok(_) => failures.push(format!("{}: other bytes", shader.name)),
            Err(error) => failures.push(format!("{}: {error}: {:?}", shader.name, text.get(error.span.clone()))),
        }
        // Data instead of text is only for chunks that no compiler writes.
        assert!(!text.contains(".file"), "{}", shader.name);
        for line in text.lines().filter(|line| line.trim_start().starts_with(".words")) {
            println!("{}: {line}", shader.name);
            lossy += 1;
        }
        lines += text.lines().count();
    }
    println!("{lines} lines, {lossy} of them items as words");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Shaders whose signatures are not laid out as the compiler does it: these were assembled by other means.
const OTHER_SIGNATURES: [(&str, &str); 2] = [
    ("dxilconv/hs3.dxbc", "the same name occurs several times"),
    ("dxilconv/indexabletemp6.dxbc", "has minimum precisions and signatures without them"),
];

/// Listings that leave out contents of the shader: blocks of custom data, and integers printed as tiny floats.
const LOSSY: [&str; 8] = [
    "exec/crc32_table/shader.main.cs_4_0.cso",
    "exec/crc32_table/shader.main.cs_5_0.cso",
    "exec/crc32_table/shader.main.cs_5_1.cso",
    "exec/sha256_block/shader.main.cs_5_0.cso",
    "exec/sha256_block/shader.main.cs_5_0.od.cso",
    "exec/sha256_block/shader.main.cs_5_1.cso",
    "patched/debuginfo.cso",
    "patched/opaque.cso",
];

/// The words of a container's program.
fn program(bytes: &[u8]) -> sm5::Program {
    let limits = Limits::default();
    let container = Container::parse(bytes, &limits).unwrap();
    let chunk = container.program().unwrap();
    sm5::decode(chunk.data, chunk.at, &limits).unwrap()
}

/// The lines of the program in a text, joined where an item has several.
fn item_lines(text: &str, profile: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().skip_while(|line| *line != profile).skip(1) {
        let line = line.split("//").next().unwrap_or_default().trim();
        let goes_on =
            lines.last().is_some_and(|last| last.starts_with("dcl_immediateConstantBuffer") && last.ends_with(','));
        match lines.last_mut() {
            Some(last) if goes_on => last.push_str(line),
            _ if line.starts_with(".chunk") => break,
            _ if line.is_empty() || line.starts_with("#line") => {}
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

#[test]
fn listings_of_the_compiler_assemble_to_the_same_program_where_they_say_all() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let (mut items, mut lossy_items, mut same_programs, mut all) = (0, 0, 0, 0);
    for shader in data::containers() {
        all += 1;
        let ours = match assembler::assemble(&shader.listing, &limits) {
            Ok(ours) => {
                // Rounded floats and unread comments are the only warnings about a listing.
                let is_other =
                    |warning: &&Warning| !matches!(warning.kind, WarningKind::Rounded | WarningKind::Unread { .. });
                failures.extend(ours.warnings.iter().find(is_other).map(|other| format!("{}: {other:?}", shader.name)));
                ours.bytes
            }
            Err(AssembleError { problem: Problem::Lossy { .. }, .. }) if LOSSY.contains(&shader.name.as_str()) => {
                continue;
            }
            Err(error) => {
                failures.push(format!("{}: {error}", shader.name));
                continue;
            }
        };
        let exact = listing::exact(&shader.bytes, &limits).unwrap();
        let [listed, exact] = [&shader.listing, &exact].map(|text| item_lines(text, &shader.profile[..6]));
        let [ours_program, theirs_program] = [&ours, &shader.bytes].map(|bytes| program(bytes));
        same_programs += u32::from(ours_program.words == theirs_program.words);
        let mut theirs_items = theirs_program.items.iter();
        let mut ours_items = ours_program.items.iter();
        let is_comment = |item: &&sm5::Item| item.kind.text() != "customdata_comment";
        for (listed, exact) in listed.iter().zip(exact.iter().filter(|line| !line.starts_with(".words"))) {
            let (Some(ours), Some(theirs)) = (ours_items.next(), theirs_items.find(is_comment)) else {
                failures.push(format!("{}: fewer items than lines", shader.name));
                break;
            };
            items += 1;
            if listed != exact {
                lossy_items += 1;
            } else if ours_program.words_of(ours) != theirs_program.words_of(theirs) {
                failures.push(format!("{}: {listed}", shader.name));
            }
        }
        assert!(ours_items.next().is_none() && theirs_items.find(is_comment).is_none(), "{}", shader.name);
        // The signatures are read from the comment.
        let [ours, theirs] = [&ours, &shader.bytes].map(|bytes| Container::parse(bytes, &limits).unwrap());
        for chunk in ours.chunks().iter().filter(|chunk| Signature::is_chunk(chunk.name)) {
            let same = theirs.chunk(&chunk.name.0).is_some_and(|other| other.data == chunk.data);
            let is_known = OTHER_SIGNATURES.iter().any(|(name, _)| *name == shader.name);
            if !same && !is_known {
                failures.push(format!("{}: {}", shader.name, chunk.name));
            }
        }
    }
    println!("{items} items, {lossy_items} with lossy text; {same_programs} of {all} programs the same");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The signatures in a listing's comment and the program, without the count after it.
fn read_part(text: &str, profile: &str) -> String {
    const OTHERS: [&str; 5] = ["// Pixel", "// Tess", "// Available", "// Constant", "// Level9"];
    let is_other = |line: &&str| OTHERS.iter().any(|title| line.starts_with(title)) || line == &profile;
    let comment = text.lines().skip_while(|line| *line != "// Input signature:").take_while(|line| !is_other(line));
    let program = text.lines().skip_while(|line| *line != profile).filter(|line| !line.starts_with("// Approx"));
    comment.chain(program).filter(|line| *line != "//").map(|line| format!("{line}\n")).collect()
}

#[test]
fn assembled_listings_have_the_same_signatures_and_program_in_their_listing() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let mut same = 0;
    for shader in data::containers() {
        let listed = listing::listing(&shader.bytes, &limits).unwrap();
        // The hash of a program for the debug layer is unknown.
        if listed.contains("DEBUG SDK LAYER") || listed.contains("undecipherable") || listed.contains("// COMMENT:") {
            continue;
        }
        let assembly = match assembler::assemble(&listed, &limits) {
            Ok(assembly) => assembly,
            Err(AssembleError { problem: Problem::Lossy { what: "literal" }, .. }) => continue,
            Err(error) => panic!("{}: {error}", shader.name),
        };
        let again = listing::listing(&assembly.bytes, &limits).unwrap();
        // Small floats are printed as zero, and a zero word of unknown type as an integer.
        let [listed, again] =
            [listed, again].map(|text| read_part(&text, &shader.profile[..6]).replace("0.000000", "0"));
        match listed.lines().zip(again.lines()).find(|(listed, again)| listed != again) {
            None if listed.len() == again.len() => same += 1,
            difference => failures.push(format!("{}: {difference:?}", shader.name)),
        }
    }
    println!("{same} are listed the same again");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// A listing as fxc writes it with numbers of instructions and offsets of items (`/Ni /No`), with any values: before
/// each line of a program, and before its profile unless it is of Direct3D 9.
fn with_offsets(listing: &str) -> String {
    let mut out = String::new();
    for (n, line) in listing.lines().enumerate() {
        let is_plain = line.is_empty()
            || line.starts_with("//")
            || line.starts_with("#line")
            || line.trim_start().starts_with('{');
        let is_direct3d9_profile = line.starts_with("    ps_") || line.starts_with("    vs_");
        match n % 3 {
            _ if is_plain || is_direct3d9_profile => out += line,
            0 => out += &format!("      0x{:08X}: {line}", 4 * n),
            _ => out += &format!("{n:4}  0x{:08X}: {line}", 4 * n),
        }
        out.push('\n');
    }
    out
}

#[test]
fn listings_with_offsets_assemble_to_what_they_are_without() {
    let limits = Limits::default();
    let mut texts: Vec<(String, String)> =
        data::containers().into_iter().map(|shader| (shader.name, shader.listing)).collect();
    texts.extend(data::direct3d9().into_iter().map(|shader| (shader.name, shader.listing)));
    // Second programs, for feature levels 9.x.
    for entry in std::fs::read_dir(data::data().join("direct3d9")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("level9.") && name.ends_with(".asm") {
            texts.push((name, String::from_utf8(data::read(&path)).unwrap()));
        }
    }
    let mut seen = 0;
    for (name, listing) in texts {
        let listing = listing.replace('\r', "");
        let Ok(plain) = assembler::assemble(&listing, &limits) else { continue };
        let offsets = assembler::assemble(&with_offsets(&listing), &limits);
        let offsets = offsets.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(offsets.bytes == plain.bytes, "{name}");
        seen += 1;
    }
    assert!(seen > 300, "only {seen}");
}
