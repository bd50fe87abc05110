//! What is said of a shader is what the compiler's listing says, and what is wrong with one is found.

use crate::data;
use brolga_bytecode::info::Info;
use brolga_bytecode::{Limits, findings};

/// The number of slots in the last line of a listing.
fn slots(listing: &str) -> Option<u32> {
    let (_, count) = listing.rsplit_once("pproximately ")?;
    count.split(' ').next()?.parse().ok()
}

/// The numbers of a declaration in a listing.
fn declared(listing: &str, name: &str) -> Option<Vec<u32>> {
    let line = listing.lines().find_map(|line| line.strip_prefix(name))?;
    line.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[test]
fn compiled_shaders_have_no_fault_and_are_as_their_listings_say() {
    let limits = Limits::default();
    // Those of `dxilconv` have wrong checksums, and listings by another tool.
    let compiled = |shader: &&data::Shader| !shader.name.starts_with("dxilconv/");
    for shader in data::containers().iter().chain(&data::direct3d9()).filter(compiled) {
        let name = &shader.name;
        assert_eq!(findings(&shader.bytes, &limits), [], "{name}");
        let info = Info::read(&shader.bytes, &limits).unwrap();
        let program = &info.program;
        assert_eq!(program.counts.slots, slots(&shader.listing), "{name}");
        let size = declared(&shader.listing, "dcl_thread_group ");
        assert_eq!(program.group_size.map(|size| size.to_vec()), size, "{name}");
        for binding in program.bindings.iter().filter_map(|binding| binding.name.as_ref()) {
            assert!(shader.listing.contains(binding), "{name}: {binding}");
        }
        let variables = program.constants.iter().flat_map(|constants| &constants.variables);
        for variable in variables.filter(|variable| variable.members.is_empty()) {
            let text = format!("{} {}", variable.type_name, variable.name);
            assert!(shader.listing.contains(&text), "{name}: {text}");
        }
        for element in program.signatures.iter().flat_map(|signature| &signature.elements) {
            assert!(shader.listing.contains(&element.name), "{name}: {}", element.name);
        }
        assert!(!info.to_string().is_empty());
    }
}

#[test]
fn what_must_be_rejected_has_a_finding() {
    let limits = Limits::default();
    for row in data::rows(&data::data().join("malformed/manifest.json")) {
        let file = row["file"].as_str().unwrap();
        let bytes = data::read(&data::data().join(file));
        let found = findings(&bytes, &limits);
        match row["must"].as_str().unwrap() {
            // Direct3D 9 programs are among them, of which this reader knows more than the manifest asks.
            _ if row["error"] == "d3d9" => {}
            "accept" => assert_eq!(found, [], "{file}"),
            "reject" | "reject when checksums are verified" => assert!(!found.is_empty(), "{file}"),
            _ => {}
        }
        let _ = Info::read(&bytes, &limits).map(|info| info.to_string());
    }
}
