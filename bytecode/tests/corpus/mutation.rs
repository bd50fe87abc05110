//! Real shaders with a few changed bits, bytes or words: whatever comes of it, nothing panics or allocates much, and
//! what passes can be printed.

use crate::{allocation, data};
use brolga_bytecode::{Limits, LoadOptions, Shader, assembler, listing, sm3, sm5};

/// A small generator of numbers that are the same on every run.
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

/// Loads and looks at everything that loading gives.
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

/// Whatever can be listed exactly assembles to the same bytes.
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
            let mut bytes = shader.bytes.clone();
            // Headers are small beside the program, so that half of the changes are aimed at the program alone.
            let program_at = bytes.windows(4).position(|name| name == b"SHEX" || name == b"SHDR").unwrap();
            for _ in 0..1 + random.below(3) {
                if round % 2 == 0 {
                    mutate(&mut bytes, &mut random);
                } else {
                    let mut program = bytes.split_off(program_at);
                    mutate(&mut program, &mut random);
                    bytes.append(&mut program);
                }
            }
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

/// Decodes, lists, checks and encodes a program of Direct3D 9. Tells whether it keeps the rules.
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
