//! Registers of Direct3D 9 as steps bind them, each of a shader, and what they are to the engines.

use std::collections::BTreeMap;

use brolga_bytecode::sm5::Stage::{self, Pixel, Vertex};

use super::super::error::SceneError;
use super::super::names::Reference;

/// Constants: the name in a scene, and the engines' register.
const CONSTANTS: [(&str, Stage, &str); 7] = [
    ("vc0", Vertex, "b0"),
    ("vi0", Vertex, "b1"),
    ("vb0", Vertex, "b2"),
    ("pc0", Pixel, "b0"),
    ("pi0", Pixel, "b1"),
    ("pb0", Pixel, "b2"),
    ("bump0", Pixel, "b3"),
];

/// Textures and samplers: what stands before the number in a scene and to the engines, and how many there are.
const NUMBERED: [(&str, Stage, &str, u32); 4] =
    [("vt", Vertex, "t", 4), ("vs", Vertex, "s", 4), ("t", Pixel, "t", 16), ("s", Pixel, "s", 16)];

/// What is bound to a shader: by the engines' registers.
pub(super) type Bound = BTreeMap<String, Reference>;

/// What is bound to the vertex shader, and what to the pixel shader.
pub(super) fn split(place: &str, bind: Bound) -> Result<(Bound, Bound), SceneError> {
    let (mut vertex, mut pixel) = (Bound::new(), Bound::new());
    for (written, reference) in bind {
        let Some((stage, register)) = find(&written) else {
            let message = "registers of the vertex shader are vc0, vi0, vb0 (constants, from the first on), vt0 to vt3 and vs0 to vs3, \
                           those of the pixel shader pc0, pi0, pb0, bump0, t0 to t15 and s0 to s15";
            return Err(SceneError::value(format!("{place}.bind.{written}"), message));
        };
        let bound = if stage == Vertex { &mut vertex } else { &mut pixel };
        bound.insert(register, reference);
    }
    Ok((vertex, pixel))
}

/// The shader and the engines' register of a name.
fn find(written: &str) -> Option<(Stage, String)> {
    if let Some((_, stage, register)) = CONSTANTS.iter().find(|(name, ..)| *name == written) {
        return Some((*stage, (*register).to_owned()));
    }
    let kind = written.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let (_, stage, letter, count) = NUMBERED.iter().find(|(name, ..)| *name == kind)?;
    let number: u32 = written[kind.len()..].parse().ok()?;
    (number < *count).then(|| (*stage, format!("{letter}{number}")))
}

/// The name of an engine's register in a scene, of Direct3D 9 or of 11.
pub(in super::super) fn written(is_direct3d9: bool, stage: Stage, register: &str) -> String {
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
            assert_eq!(written(true, stage, &register), name);
        }
        for wrong in ["", "b0", "vc1", "t", "t16", "vt4", "v0", "t-1", "s99999999999"] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
    }
}
