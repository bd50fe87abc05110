//! Direct3D 9 shaders of the real compiler and assembler: what decodes is what its listing says, and encodes to the
//! same bytes.

use crate::data;
use brolga_bytecode::Limits;
use brolga_bytecode::sm3::{self, Listing, Program};

fn decode(file: &str, bytes: &[u8]) -> Program {
    sm3::decode(bytes, 0, &Limits::default()).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn list(file: &str, program: &Program) -> String {
    let constants = program.constants(&Limits::default()).unwrap_or_else(|error| panic!("{file}: {error}"));
    Listing { program, constants: constants.as_ref() }.to_string()
}

#[test]
fn listings_are_those_of_the_compiler() {
    let mut failures = Vec::new();
    let shaders = data::direct3d9();
    for shader in &shaders {
        let listed = list(&shader.name, &decode(&shader.name, &shader.bytes));
        let expected = shader.listing.replace("\r\n", "\n");
        if let Some((n, pair)) =
            listed.lines().chain([""]).zip(expected.lines().chain([""])).enumerate().find(|(_, (ours, theirs))| ours != theirs)
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
