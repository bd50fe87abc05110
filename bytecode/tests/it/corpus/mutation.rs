//! Mutates real shaders in a few bits, bytes or words: nothing may panic or allocate much, and accepted shaders can be
//! printed.

use super::{allocation, data};
use brolga_bytecode::info::Info;
use brolga_bytecode::{Error, Limits, LoadOptions, Shader, assembler, findings, listing, sm3, sm5};
use std::collections::BTreeMap;

/// A small random number generator with the same sequence on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Names the blob if the test fails while this lives.
struct Trying<'a>(&'a str, u64);

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with {} and seed {}", self.0, self.1);
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const WORDS: [u32; 8] = [0, 1, 2, 0x7f, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff];
    let at = random.below(bytes.len());
    let word_at = (at & !3).min(bytes.len() - 4);
    match random.below(8) {
        0..=2 => bytes[at] ^= 1 << random.below(8),
        3 => bytes[at] = random.next() as u8,
        4 => bytes[word_at..word_at + 4].copy_from_slice(&WORDS[random.below(WORDS.len())].to_le_bytes()),
        5 => {
            let from = random.below(bytes.len() - 3);
            bytes.copy_within(from..from + 4, word_at);
        }
        6 => {
            bytes.drain(word_at..word_at + 4);
            bytes.extend([0; 4]);
        }
        _ => bytes[word_at..word_at + 4].rotate_left(1),
    }
}

/// Loads a blob and reads everything that loading gives.
fn exercise(bytes: &[u8], options: &LoadOptions) -> bool {
    match Shader::load(bytes, options) {
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {}", error.at())), "{text}");
            false
        }
        Ok(shader) => {
            let program = shader.program.program();
            for item in &program.items {
                assert!(!program.words_of(item).is_empty());
                if let sm5::ItemKind::Instruction(instruction) = &item.kind {
                    assert!(!instruction.to_string().is_empty());
                }
            }
            let declared = shader.program.declarations();
            assert!(declared.group_threads() <= 1024 && declared.shared_memory_bytes() <= 32 << 10);
            true
        }
    }
}

/// Checks that a blob that can be listed exactly assembles to the same bytes.
fn round_trip(bytes: &[u8]) {
    let limits = Limits::default();
    let _ = listing::listing(bytes, &limits);
    if let Ok(text) = listing::exact(bytes, &limits) {
        let assembly = assembler::assemble(&text, &limits).unwrap_or_else(|error| panic!("{error}"));
        assert!(assembly.bytes == bytes, "other bytes:\n{text}");
    }
}

#[test]
fn changed_texts_never_panic() {
    const CHANGED_PER_SHADER: u64 = 10;
    const PIECES: [&str; 12] = ["", ",", "r0", "l(", ".", "[", "{", "|", "\n", "0x", "9999999999999999999999", "µ"];
    let limits = Limits::default();
    let (mut assembled, mut tried) = (0, 0);
    for (n, shader) in
        data::containers().iter().chain(&data::direct3d9()).enumerate().filter(|(_, shader)| shader.bytes.len() < 4000)
    {
        let texts = [listing::exact(&shader.bytes, &limits).unwrap(), shader.listing.clone()];
        for round in 0..CHANGED_PER_SHADER {
            let seed = (n as u64) << 16 | round | 1 << 40;
            let _trying = Trying(&shader.name, seed);
            let mut random = Random(seed);
            let mut text = texts[round as usize % texts.len()].clone();
            for _ in 0..1 + random.below(3) {
                let mut at = random.below(text.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                let end = (at + random.below(4)).min(text.len());
                if text.is_char_boundary(end) {
                    text.replace_range(at..end, PIECES[random.below(PIECES.len())]);
                }
            }
            match assembler::assemble(&text, &limits) {
                Ok(_) => assembled += 1,
                Err(error) => assert!(text.get(error.span.clone()).is_some(), "{error}: {:?}", error.span),
            }
            tried += 1;
        }
    }
    assert!(assembled > 0 && assembled < tried, "{assembled} of {tried} were assembled");
}

/// A shader with a few changes. Headers are small beside the program, so that half of the changes are aimed at the
/// program alone.
fn mutant(whole: &[u8], is_aimed: bool, random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let is_program = |name: &[u8]| name == b"SHEX" || name == b"SHDR";
    let program_at = bytes.windows(4).position(is_program).unwrap_or(0);
    for _ in 0..1 + random.below(3) {
        let mut part = bytes.split_off(if is_aimed { program_at } else { 0 });
        mutate(&mut part, random);
        bytes.append(&mut part);
    }
    bytes
}

#[test]
fn changed_shaders_never_panic() {
    const CHANGED_PER_SHADER: u64 = 40;
    let options = LoadOptions::default();
    let (mut passed, mut tried) = (0, 0);
    for (n, shader) in data::containers().iter().enumerate() {
        for round in 0..CHANGED_PER_SHADER {
            let seed = (n as u64) << 16 | round | 1 << 40;
            let _trying = Trying(&shader.name, seed);
            let mut random = Random(seed);
            let bytes = mutant(&shader.bytes, round % 2 != 0, &mut random);
            let (is_valid, peak_bytes) = allocation::peak(|| exercise(&bytes, &options));
            assert!(peak_bytes < 64 << 20, "{peak_bytes} bytes were allocated at once");
            if round % 8 < 2 {
                round_trip(&bytes);
            }
            passed += u64::from(is_valid);
            tried += 1;
        }
    }
    assert!(passed > 0 && passed < tried, "{passed} of {tried} passed");
}

/// Decodes, lists, checks and encodes a program of Direct3D 9. Returns `true` if it keeps the rules.
fn exercise_direct3d9(bytes: &[u8], limits: &Limits) -> bool {
    let program = match sm3::decode(bytes, 0, limits) {
        Ok(program) => program,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {}", error.at())), "{text}");
            return false;
        }
    };
    let encoded = sm3::encode(&program);
    assert_eq!(bytes.get(..encoded.len()), Some(&*encoded));
    assert!(!sm3::list(&program, sm3::Style::Listing, limits).is_empty());
    let exact = sm3::list(&program, sm3::Style::Exact, limits);
    let assembled = sm3::assemble(&exact, limits).unwrap_or_else(|error| panic!("{error}\n{exact}"));
    assert_eq!(sm3::encode(&assembled), encoded);
    match sm3::validate(program, limits) {
        Ok(_) => true,
        Err(error) => {
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {}", error.at())), "{text}");
            false
        }
    }
}

#[test]
fn changed_direct3d9_shaders_never_panic_and_lose_nothing() {
    const CHANGED_PER_SHADER: u64 = 60;
    let limits = Limits::default();
    let (mut passed, mut tried) = (0, 0);
    for (n, shader) in data::direct3d9().iter().enumerate() {
        for round in 0..CHANGED_PER_SHADER {
            let seed = (n as u64) << 16 | round | 1 << 41;
            let _trying = Trying(&shader.name, seed);
            let mut random = Random(seed);
            let mut bytes = shader.bytes.clone();
            for _ in 0..1 + random.below(3) {
                mutate(&mut bytes, &mut random);
            }
            // The version decides on everything else.
            if round % 4 != 0 {
                bytes[..4].copy_from_slice(&shader.bytes[..4]);
            }
            round_trip(&bytes);
            let (is_valid, peak_bytes) = allocation::peak(|| exercise_direct3d9(&bytes, &limits));
            assert!(peak_bytes < 64 << 20, "{peak_bytes} bytes were allocated at once");
            passed += u64::from(is_valid);
            tried += 1;
        }
    }
    assert!(passed > 0 && passed < tried, "{passed} of {tried} passed");
}

/// Outcomes of files that went through every reader.
#[derive(Debug, Default)]
struct Outcome {
    tried: u32,
    listed: u32,
    assembled: u32,
    described: u32,
    faultless: u32,
}

impl Outcome {
    /// Sends a file through everything that the commands do with one. Each step gives a result or an error that names a
    /// byte.
    fn observe(&mut self, bytes: &[u8]) {
        let limits = Limits::default();
        let names_byte = |error: &Error| {
            let text = error.to_string();
            assert!(text.contains(&format!("at byte {}", error.at())), "{text}");
        };
        self.tried += 1;
        let listed = listing::listing(bytes, &limits);
        let document = brolga_json::listing(bytes, &limits);
        // The listing shows other chunks too, which may be broken when the program is whole.
        assert!(document.is_ok() || listed.is_err());
        match listed {
            Ok(text) => {
                self.listed += 1;
                match assembler::assemble(&text, &limits) {
                    Ok(_) => self.assembled += 1,
                    Err(error) => assert!(text.get(error.span.clone()).is_some(), "{error}: {:?}", error.span),
                }
            }
            Err(error) => names_byte(&error),
        }
        match document {
            Ok(document) => {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&document);
                parsed.unwrap_or_else(|error| panic!("{error}:\n{document}"));
            }
            Err(error) => names_byte(&error),
        }
        round_trip(bytes);
        match Info::read(bytes, &limits) {
            Ok(info) => {
                self.described += 1;
                assert!(!info.to_string().is_empty() && brolga_json::info(&info).is_object());
            }
            Err(error) => names_byte(&error),
        }
        let found = findings(bytes, &limits);
        found.found.iter().for_each(names_byte);
        assert!(found.found.len() <= limits.findings as usize && (!found.is_cut || !found.found.is_empty()));
        // A file that the loader rejects has a finding.
        if !sm3::is_program(bytes) && found.found.is_empty() {
            assert_eq!(Shader::load(bytes, &LoadOptions::default()).err(), None);
        }
        self.faultless += u32::from(found.found.is_empty());
    }
}

/// Sends this many mutants of each family, and every broken blob, through everything; prints the outcomes.
fn observe_families(mutants: u64) {
    let mut families: BTreeMap<String, Vec<data::Shader>> = BTreeMap::new();
    for shader in data::containers().into_iter().chain(data::direct3d9()) {
        families.entry(shader.family.clone()).or_default().push(shader);
    }
    for (n, (family, shaders)) in families.iter().enumerate() {
        let mut outcome = Outcome::default();
        for round in 0..mutants {
            let shader = &shaders[(round % shaders.len() as u64) as usize];
            let seed = (n as u64) << 32 | round | 1 << 42;
            let _trying = Trying(&shader.name, seed);
            let bytes = mutant(&shader.bytes, round % 2 != 0, &mut Random(seed));
            let ((), peak_bytes) = allocation::peak(|| outcome.observe(&bytes));
            assert!(peak_bytes < 64 << 20, "{peak_bytes} bytes were allocated at once");
        }
        println!("{family}: {outcome:?}");
        assert_eq!(outcome.tried as u64, mutants);
    }
    let mut outcome = Outcome::default();
    for row in data::rows(&data::data().join("malformed/manifest.json")) {
        let file = row["file"].as_str().unwrap();
        let _trying = Trying(file, 0);
        outcome.observe(&data::read(&data::data().join(file)));
    }
    println!("malformed: {outcome:?}");
    assert!(outcome.tried > 150);
}

#[test]
fn a_few_mutants_of_every_family_end_in_a_result_or_an_error() {
    observe_families(100);
}

/// ```sh
/// cargo test --release -p brolga-bytecode --test it corpus::mutation -- --ignored --nocapture
/// ```
#[test]
#[ignore = "takes minutes"]
fn two_thousand_mutants_of_every_family_end_in_a_result_or_an_error() {
    observe_families(2000);
}
