//! Maps the registers of Direct3D 9 that steps bind, each of one shader, to the engines' registers.

use brolga_bytecode::sm5::Stage::{self, Pixel, Vertex};
use brolga_runtime::Register;

/// Constants: the name in a document, and the engines' register.
const CONSTANTS: [(&str, Stage, &str); 7] = [
    ("vc0", Vertex, "b0"),
    ("vi0", Vertex, "b1"),
    ("vb0", Vertex, "b2"),
    ("pc0", Pixel, "b0"),
    ("pi0", Pixel, "b1"),
    ("pb0", Pixel, "b2"),
    ("bump0", Pixel, "b3"),
];

/// Textures and samplers: the prefix before the number in a document, the stage, the engines' prefix, and the count.
const NUMBERED: [(&str, Stage, &str, u32); 4] =
    [("vt", Vertex, "t", 4), ("vs", Vertex, "s", 4), ("t", Pixel, "t", 16), ("s", Pixel, "s", 16)];

/// The stage and the engines' register for a name.
pub(crate) fn find(written: &str) -> Option<(Stage, Register)> {
    if let Some((_, stage, register)) = CONSTANTS.iter().find(|(name, ..)| *name == written) {
        return Some((*stage, register.parse().ok()?));
    }
    let kind = written.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let (_, stage, letter, count) = NUMBERED.iter().find(|(name, ..)| *name == kind)?;
    let number: u32 = written[kind.len()..].parse().ok()?;
    let register = format!("{letter}{number}").parse().ok()?;
    (number < *count).then_some((*stage, register))
}

/// The name of an engine's register in a document, of Direct3D 9 or of 11.
pub(crate) fn written(is_direct3d9: bool, stage: Stage, register: &str) -> String {
    if !is_direct3d9 {
        return register.to_owned();
    }
    let is_its = |(_, of, known): &&(&str, Stage, &str)| *of == stage && *known == register;
    match CONSTANTS.iter().find(is_its) {
        Some((name, ..)) => (*name).to_owned(),
        None if stage == Vertex => format!("v{register}"),
        None => register.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_registers_are_each_others() {
        let numbered = NUMBERED.iter().flat_map(|(name, .., count)| (0..*count).map(move |n| format!("{name}{n}")));
        for name in CONSTANTS.iter().map(|(name, ..)| (*name).to_owned()).chain(numbered) {
            let (stage, register) = find(&name).unwrap();
            assert_eq!(written(true, stage, &register.to_string()), name);
        }
        for wrong in ["", "b0", "vc1", "t", "t16", "vt4", "v0", "t-1", "s99999999999"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }
}
