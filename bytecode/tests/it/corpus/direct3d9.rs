//! Tests Direct3D 9 shaders of the real compiler and assembler: they decode to what their listings say, and encode to
//! the same bytes.

use super::{allocation, data};
use brolga_bytecode::container::Container;
use brolga_bytecode::sm3::constants::RegisterSet;
use brolga_bytecode::sm3::{self, ItemKind, Program, Style};
use brolga_bytecode::{Limits, LoadOptions, assembler, check, listing};

fn decode(file: &str, bytes: &[u8]) -> Program {
    sm3::decode(bytes, 0, &Limits::default()).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn list(program: &Program, style: Style) -> String {
    sm3::list(program, style, &Limits::default())
}

#[test]
fn listings_are_those_of_the_compiler() {
    let mut failures = Vec::new();
    let shaders = data::direct3d9();
    for shader in &shaders {
        let listed = list(&decode(&shader.name, &shader.bytes), Style::Listing);
        let expected = shader.listing.replace("\r\n", "\n");
        if let Some((n, pair)) = listed
            .lines()
            .chain([""])
            .zip(expected.lines().chain([""]))
            .enumerate()
            .find(|(_, (ours, theirs))| ours != theirs)
        {
            failures.push(format!("{}:{}: {:?} should be {:?}", shader.name, n + 1, pair.0, pair.1));
        } else if listed != expected {
            failures.push(format!("{}: the ends differ", shader.name));
        }
    }
    assert!(shaders.len() > 50, "only {} shaders were seen", shaders.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn encoding_gives_the_bytes_that_were_decoded() {
    for shader in data::direct3d9() {
        assert_eq!(sm3::encode(&decode(&shader.name, &shader.bytes)), shader.bytes, "{}", shader.name);
    }
}

/// The lines of a listing for feature levels 9.x from after the signatures to the first line of the main program.
fn level9_part<'a>(listing: &'a str, profile: &str) -> &'a str {
    let first = ["// Constant buffer to DX9", "// Sampler/Resource to DX9", "// Runtime generated", "// Level9 shader"];
    let begin = first.iter().filter_map(|title| listing.find(title)).min().expect("there is a second program");
    let main = format!("\n{}\n", &profile[.."vs_4_0".len()]);
    let end = listing.find(&main).expect("there is a main program") + 1;
    &listing[begin - "//\n".len()..end]
}

#[test]
fn second_programs_are_listed_as_the_compiler_does() {
    let mut seen = 0;
    for shader in data::containers().iter().filter(|shader| shader.profile.contains("level_9")) {
        let container = Container::parse(&shader.bytes, &Limits::default()).unwrap();
        let level9 = container.level9().unwrap().expect("there is a second program");
        let program = sm3::decode(&level9.program, level9.program_at, &Limits::default()).unwrap();
        assert_eq!(sm3::encode(&program), level9.program, "{}", shader.name);
        let listed = format!("{level9}//\n// Level9 shader bytecode:\n//\n{}", list(&program, Style::Listing));
        let expected = shader.listing.replace("\r\n", "\n");
        assert_eq!(listed, level9_part(&expected, &shader.profile), "{}", shader.name);
        seen += 1;
    }
    assert_eq!(seen, 4);
}

/// Listings beyond the corpus: types of constants, second programs, and token streams that no compiler writes.
#[test]
fn more_listings_are_those_of_the_compiler() {
    let limits = Limits::default();
    let mut seen = 0;
    for file in std::fs::read_dir(data::data().join("direct3d9")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cso") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = data::read(&path);
        let expected = String::from_utf8(data::read(&path.with_extension("asm"))).unwrap().replace('\r', "");
        assert_eq!(listing::listing(&bytes, &limits).unwrap(), expected, "{name}");
        let exact = listing::exact(&bytes, &limits).unwrap();
        let assembly = assembler::assemble(&exact, &limits).unwrap_or_else(|error| panic!("{name}: {error}\n{exact}"));
        assert!(assembly.bytes == bytes, "{name}:\n{exact}");
        let keeps_rules = check(&bytes, &LoadOptions::default());
        assert_eq!(keeps_rules.is_ok(), !name.starts_with("tokens"), "{name}: {keeps_rules:?}");
        seen += 1;
    }
    assert!(seen > 10, "only {seen} shaders were seen");
}

/// The compiler's table says what the source says.
#[test]
fn constants_are_those_of_the_source() {
    let bytes = data::read(&data::data().join("direct3d9/constants.defaults.ps_3_0.cso"));
    let table = decode("defaults", &bytes).constants(&Limits::default()).unwrap().expect("there is a table");
    assert_eq!((table.target.as_str(), table.version), ("ps_3_0", 0xffff_0300));
    let float = |value: f32| value.to_bits();
    let default = |name: &str| {
        let constant = table.constants.iter().find(|constant| constant.name == name).unwrap();
        (constant.set, constant.type_info.to_string(), constant.default.clone().unwrap())
    };
    let one_to_four = [1.0, 2.0, 3.0, 4.0].map(float).to_vec();
    assert_eq!(default("defaulted"), (RegisterSet::Float4, "float4".into(), one_to_four));
    let rows = [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0].map(float).to_vec();
    assert_eq!(default("table"), (RegisterSet::Float4, "float3".into(), rows));
    // A loop's count, first value and step.
    assert_eq!(default("count"), (RegisterSet::Int4, "int".into(), vec![3, 0, 1, 0]));
}

#[test]
fn what_the_compiler_writes_keeps_the_rules() {
    let limits = Limits::default();
    for shader in data::direct3d9() {
        let valid = sm3::validate(decode(&shader.name, &shader.bytes), &limits);
        let valid = valid.unwrap_or_else(|error| panic!("{}: {error}", shader.name));
        assert_eq!(valid.program().version, sm3::Version::from_text(&shader.profile).unwrap(), "{}", shader.name);
    }
}

#[test]
fn broken_programs_are_judged_as_the_manifest_says() {
    let limits = Limits::default();
    let mut seen = 0;
    for row in data::rows(&data::data().join("malformed/manifest.json")).iter().filter(|row| row["error"] == "d3d9") {
        let file = row["file"].as_str().unwrap();
        let bytes = data::read(&data::data().join(file));
        let (answer, peak_bytes) = allocation::peak(|| match sm3::decode(&bytes, 0, &limits) {
            Err(error) => Some((error.at(), error.to_string())),
            Ok(program) => sm3::validate(program, &limits).err().map(|error| (error.at(), error.to_string())),
        });
        assert!(peak_bytes < 64 << 20, "{file}: {peak_bytes} bytes were allocated at once");
        match (row["must"].as_str().unwrap(), &answer) {
            ("reject", Some((at, text))) => assert!(text.contains(&format!("at byte {at}")), "{file}: {text}"),
            ("not crash", _) => {}
            (must, _) => panic!("{file}: {must} ({}): {answer:?}", row["why"]),
        }
        seen += 1;
    }
    assert!(seen > 10, "only {seen} programs were seen");
}

#[test]
fn exact_listings_assemble_to_the_same_bytes() {
    for shader in data::direct3d9() {
        let text = list(&decode(&shader.name, &shader.bytes), Style::Exact);
        let program = sm3::assemble(&text, &Limits::default());
        let program = program.unwrap_or_else(|error| panic!("{}: {error}\n{text}", shader.name));
        assert_eq!(sm3::encode(&program), shader.bytes, "{}", shader.name);
    }
}

/// The compiler's own listing leaves out comments alone.
#[test]
fn listings_assemble_to_the_same_instructions() {
    for shader in data::direct3d9() {
        let mut expected = decode(&shader.name, &shader.bytes);
        expected.items.retain(|item| !matches!(item.kind, ItemKind::Comment(_)));
        let program = sm3::assemble(&shader.listing, &Limits::default());
        let program = program.unwrap_or_else(|error| panic!("{}: {error}", shader.name));
        assert_eq!(sm3::encode(&program), sm3::encode(&expected), "{}", shader.name);
    }
}

/// fxc prints line numbers or offsets on request.
#[test]
fn numbered_listings_assemble_to_the_same_instructions() {
    let plain = "ps_1_4\n    texld r0, t0\n    mul r2.xyz, r0, c0\n  + mov r2.w, c0.z\n";
    let numbered = "    ps_1_4\n   0:     texld r0, t0\n   1:     mul r2.xyz, r0, c0\n        + mov r2.w, c0.z\n";
    let offsets = "    ps_1_4\n      0x00000004:     texld r0, t0\n      0x00000010:     mul r2.xyz, r0, c0\n      0x00000020:   + mov r2.w, c0.z\n";
    let assembled = |text: &str| sm3::encode(&sm3::assemble(text, &Limits::default()).unwrap());
    assert_eq!(assembled(numbered), assembled(plain));
    assert_eq!(assembled(offsets), assembled(plain));
}

/// The real assembler's sources. It turns `sub` into `add`, except in ps_1_x.
#[test]
fn sources_assemble_as_by_the_real_assembler() {
    let mut seen = 0;
    for shader in data::direct3d9() {
        let source = data::data().join(&shader.name).with_extension("sm1");
        let Ok(text) = std::fs::read_to_string(source) else { continue };
        if text.contains("sub") && !shader.profile.starts_with("ps_1") {
            continue;
        }
        let assembly = assembler::assemble(&text, &Limits::default());
        let assembly = assembly.unwrap_or_else(|error| panic!("{}: {error}", shader.name));
        assert!(assembly.bytes == shader.bytes, "{}", shader.name);
        seen += 1;
    }
    assert!(seen > 15, "only {seen} sources were seen");
}

/// The most expensive programs for their size: nothing but instructions of one word, of one operand, and empty
/// comments.
#[test]
fn the_largest_programs_stay_within_the_stated_memory() {
    let limits = Limits::default();
    for body in
        [&[0x0000_0000][..], &[0x0100_0026, 0xf0e4_0000], &[0x0000_fffe], &[0x0200_0001, 0x800f_0000, 0xa0e4_0000]]
    {
        let body = body.iter().copied().cycle().take((limits.program_words as usize - 2) / body.len() * body.len());
        let words = std::iter::once(0xfffe_0200).chain(body).chain([0xffff]);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let (decoded, peak_bytes) = allocation::peak(|| sm3::decode(&bytes, 0, &limits));
        assert!(peak_bytes < 200 << 20, "{peak_bytes} bytes were allocated at once");
        assert_eq!(sm3::encode(&decoded.unwrap()), bytes);
    }
}

/// A line break in a name would end the comment that a header is.
#[test]
fn names_may_hold_line_breaks() {
    let limits = Limits::default();
    for (file, name, broken) in [
        ("level9.conversions.vs_4_0_level_9_1.cso", b"b4\0", b"b\n\0"),
        ("constants.twice.ps_3_0.cso", b"$af", b"$\nf"),
    ] {
        let mut bytes = data::read(&data::data().join("direct3d9").join(file));
        let at = bytes.windows(3).position(|window| window == name).expect("the name is there");
        bytes[at..at + 3].copy_from_slice(broken);
        let exact = listing::exact(&bytes, &limits).unwrap();
        let assembly = assembler::assemble(&exact, &limits).unwrap_or_else(|error| panic!("{file}: {error}\n{exact}"));
        assert!(assembly.bytes == bytes, "{file}:\n{exact}");
    }
}
