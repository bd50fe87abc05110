//! Shaders for tests from lines like fxc's listing, as the tokens that fxc would write for them.
//!
//! Only what the tests need: any instruction, with texel offsets as the only extended opcode token; operands `r# x#[] cb#[] icb[] t# u# g#
//! l() d() null label# vThreadID`, with `-`, `|..|`, `abs`, swizzles and indices like `r1.x + 4`. Declarations are
//! `dcl_temps N`, `dcl_indexableTemp x0[N], C`, `dcl_constantbuffer cb0[N]`, `dcl_tgsm_* g0, ...`, `dcl_resource_* t0`
//! and `dcl_uav_* u0`.

use brolga_bytecode::Limits;
use brolga_bytecode::sm5::ops::Slot;
use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{Op, RegisterFile, decode, validate};

/// A checked program of shader model 5.0 with a group of one thread.
pub(crate) fn assemble(text: &str) -> ValidProgram {
    let mut words = vec![0x0005_0050, 0];
    // dcl_globalFlags with doubles and the extensions of 11.1, dcl_thread_group 1, 1, 1.
    words.extend([0x6a | 1 << 24 | (1 << 11 | 1 << 12 | 1 << 17 | 1 << 18), 0x9b | 4 << 24, 1, 1, 1]);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let first = words.len();
        let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
        // `add [precise(xy)] r0.xy, ...`
        let (precise, operands) = match operands.strip_prefix("[precise(").and_then(|rest| rest.split_once(")] ")) {
            Some((components, operands)) => (mask(components), operands),
            None => (0, operands),
        };
        let operands = split(operands);
        match name.strip_prefix("dcl_") {
            Some(declaration) => declare(&mut words, declaration, &operands),
            None => instruction(&mut words, name, &operands),
        }
        let length = (words.len() - first) as u32;
        words[first] |= length << 24 | precise << 19;
    }
    words[1] = words.len() as u32;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let limits = Limits::default();
    let program = decode(&bytes, 0, &limits).expect("the words are well formed");
    validate(program, &limits).expect("the program is valid")
}

/// Splits at commas outside of parentheses and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn position(component: char) -> u32 {
    "xyzw".find(component).expect("a component") as u32
}

fn mask(components: &str) -> u32 {
    components.chars().fold(0, |mask, c| mask | 1 << position(c))
}

fn number(text: &str) -> u32 {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).expect("a hexadecimal number"),
        None if text.contains('.') => text.parse::<f32>().expect("a float").to_bits(),
        None => text.parse::<i64>().expect("a number") as u32,
    }
}

fn declare(words: &mut Vec<u32>, name: &str, operands: &[&str]) {
    let op = |name: &str| {
        let text = format!("dcl_{name}");
        let op = Op::ALL.iter().find(|op| op.text() == text).expect("a declaration");
        u32::from(op.info().code)
    };
    match name {
        "temps" => words.extend([op(name), number(operands[0])]),
        "indexableTemp" => {
            let (register, count) = operands[0][1..].trim_end_matches(']').split_once('[').expect("x#[n]");
            words.extend([op(name), number(register), number(count), number(operands[1])]);
        }
        "constantbuffer" => {
            words.push(op(name));
            // cb#[n] with two immediate indices.
            operand(words, operands[0], false);
        }
        "resource_typed" => {
            // A 2D texture of floats.
            words.push(op("resource") | 3 << 11);
            operand(words, operands[0], true);
            words.push(0x5555);
        }
        "uav_typed" => {
            words.push(op(name) | 3 << 11);
            operand(words, operands[0], true);
            words.push(0x5555);
        }
        _ => {
            words.push(op(name));
            operand(words, operands[0], true);
            words.extend(operands[1..].iter().map(|text| number(text)));
        }
    }
}

fn instruction(words: &mut Vec<u32>, name: &str, operands: &[&str]) {
    let (mut base, mut controls, mut extended) = (name, 0, None);
    if let Some((start, offsets)) = name.split_once("_aoffimmi(") {
        let offsets = offsets.trim_end_matches(')').split(',').map(|offset| number(offset) & 0xf);
        extended = Some(offsets.enumerate().fold(1, |token, (axis, offset)| token | offset << (9 + 4 * axis)));
        base = start;
    }
    // Suffixes come off until a name is left; `round_z` and `dcl_uav_raw` are names of their own.
    let op = loop {
        if let Some(op) = Op::ALL.iter().find(|op| op.text() == base) {
            break op;
        }
        let (start, suffix) = base.rsplit_once('_').unwrap_or_else(|| panic!("no instruction {name}"));
        base = start;
        controls |= match suffix {
            "sat" => 1 << 13,
            "nz" => 1 << 18,
            "z" => 0,
            "rcpFloat" => 1 << 11,
            // Of `resinfo`.
            "uint" => 2 << 11,
            "t" => 1 << 11,
            "g" => 1 << 12,
            "ugroup" => 1 << 13,
            "uglobal" => 1 << 14,
            _ => panic!("no suffix {suffix}"),
        };
    };
    let slots = op.info().slots;
    assert_eq!(slots.len(), operands.len(), "{name}");
    words.push(u32::from(op.info().code) | controls | u32::from(extended.is_some()) << 31);
    words.extend(extended);
    for (slot, text) in slots.iter().zip(operands) {
        match slot {
            Slot::Case => words.extend([0x4001, number(text)]),
            _ => operand(words, text, slot.is_destination()),
        }
    }
}

fn operand(words: &mut Vec<u32>, text: &str, is_destination: bool) {
    let (negate, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let absolute = text.starts_with('|');
    let text = text.trim_matches('|');
    let first = words.len();
    words.push(0);
    let mut token;
    if let Some(values) = text.strip_prefix("l(").or(text.strip_prefix("d(")) {
        let values = values.trim_end_matches(')').split(',');
        let file = if text.starts_with('d') { RegisterFile::Immediate64 } else { RegisterFile::Immediate32 };
        token = file.code() << 12;
        let values: Vec<u32> = match file {
            RegisterFile::Immediate64 => values
                .map(|value| value.trim().parse::<f64>().expect("a double").to_bits())
                .flat_map(|bits| [bits as u32, (bits >> 32) as u32])
                .collect(),
            _ => values.map(number).collect(),
        };
        token |= if values.len() == 1 { 1 } else { 2 | 1 << 2 | 0xe4 << 4 };
        modifiers(words, &mut token, negate, absolute);
        words.extend(values);
        words[first] = token;
        return;
    }
    let (register, components) = match text.rsplit_once('.') {
        Some((register, components)) if components.chars().all(|c| "xyzw".contains(c)) => (register, components),
        _ => (text, ""),
    };
    let (name, indices) = match register.find('[') {
        Some(at) => (&register[..at], &register[at + 1..register.len() - 1]),
        None => (register, ""),
    };
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let prefix = if prefix == "label" { "l" } else { prefix };
    let mut files = RegisterFile::ALL.iter().filter(|file| file.text() == prefix);
    // `l` is also the prefix of immediates.
    let file = if prefix == "l" { &RegisterFile::Label } else { files.next().expect("a register file") };
    token = file.code() << 12
        | match (file, components) {
            (RegisterFile::Null | RegisterFile::Label, _) => 0,
            (RegisterFile::ThreadIndexInGroup, _) => 1,
            (RegisterFile::SharedMemory | RegisterFile::Uav | RegisterFile::Resource, "") if is_destination => 0,
            (_, components) if is_destination => {
                let components = if components.is_empty() { "xyzw" } else { components };
                2 | mask(components) << 4
            }
            (_, components) if components.len() == 1 => {
                2 | 2 << 2 | position(components.chars().next().expect("one")) << 4
            }
            (_, components) => {
                let components = if components.is_empty() { "xyzw" } else { components };
                let last = components.chars().last().expect("not empty");
                let filled = components.chars().chain(std::iter::repeat(last)).take(4);
                2 | 1 << 2 | filled.enumerate().fold(0, |all, (n, c)| all | position(c) << (2 * n)) << 4
            }
        };
    modifiers(words, &mut token, negate, absolute);
    let mut dimensions = 0;
    if let Ok(number) = name[name.trim_end_matches(|c: char| c.is_ascii_digit()).len()..].parse::<u32>() {
        words.push(number);
        dimensions += 1;
    }
    if !indices.is_empty() {
        match indices.split_once('+') {
            _ if indices.starts_with(|c: char| c.is_ascii_digit()) => words.push(number(indices)),
            Some((relative, immediate)) => {
                // An immediate plus a register.
                token |= 3 << (22 + 3 * dimensions);
                words.push(number(immediate));
                operand(words, relative.trim(), false);
            }
            None => {
                token |= 2 << (22 + 3 * dimensions);
                operand(words, indices.trim(), false);
            }
        }
        dimensions += 1;
    }
    words[first] = token | dimensions << 20;
}

fn modifiers(words: &mut Vec<u32>, token: &mut u32, negate: bool, absolute: bool) {
    if negate || absolute {
        *token |= 1 << 31;
        words.push(1 | u32::from(negate) << 6 | u32::from(absolute) << 7);
    }
}
