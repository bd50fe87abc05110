//! Tests broken blobs: each is rejected or accepted as its manifest says, and none makes the crate panic or allocate
//! much.

use super::{allocation, data};
use brolga_bytecode::container::ContainerError;
use brolga_bytecode::{ChecksumPolicy, Error, Limits, LoadOptions, Shader, assembler, listing};

#[test]
fn broken_blobs_are_judged_as_the_manifest_says() {
    let options = LoadOptions::default();
    let mut strict = LoadOptions::default();
    strict.checksum = ChecksumPolicy::Require;
    let mut failures = Vec::new();
    for row in data::rows(&data::data().join("malformed/manifest.json")) {
        let file = row["file"].as_str().unwrap();
        let bytes = data::read(&data::data().join(file));
        let (loaded, peak_bytes) = allocation::peak(|| Shader::load(&bytes, &options).map(|_| ()));
        assert!(peak_bytes < 64 << 20, "{file}: {peak_bytes} bytes were allocated at once");
        let verified = Shader::load(&bytes, &strict).map(|_| ());
        // A blob that can be listed exactly assembles to the same bytes, broken or not.
        let limits = Limits::default();
        let _ = listing::listing(&bytes, &limits);
        if let Ok(text) = listing::exact(&bytes, &limits) {
            let same = assembler::assemble(&text, &limits).is_ok_and(|assembly| assembly.bytes == bytes);
            assert!(same, "{file}: other bytes");
        }
        let names_byte = |error: &Error| error.to_string().contains(&format!("at byte {}", error.at()));
        let right = match row["must"].as_str().unwrap() {
            _ if row["error"] == "d3d9" => loaded.is_err(),
            "reject" => loaded.as_ref().is_err_and(names_byte),
            "accept" => loaded.is_ok() && verified.is_ok(),
            "not crash" => true,
            "reject when checksums are verified" => loaded.is_ok() && verified.as_ref().is_err_and(names_byte),
            must => panic!("{file}: unknown verdict {must}"),
        };
        let answer = loaded.map_or_else(|error| error.to_string(), |()| "accepted".into());
        if !right {
            failures.push(format!("{file}: {} ({}): {answer}", row["must"], row["why"]));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn direct3d_9_shaders_are_told_apart() {
    let mut seen = 0;
    for row in data::rows(&data::data().join("manifest.json")).iter().filter(|row| row["family"] == "d3d9") {
        let file = row["file"].as_str().unwrap();
        let error = Shader::load(&data::read(&data::data().join(file)), &LoadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Container(ContainerError::Direct3D9 { at: 0, .. })), "{file}: {error}");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} shaders were seen");
}

/// The most expensive programs for their size: nothing but instructions of one word, and of one short operand after
/// another.
#[test]
fn the_largest_programs_stay_within_the_stated_memory() {
    let limits = brolga_bytecode::Limits::default();
    let program = |body: &[u32]| -> Vec<u8> {
        let words = 2 + (limits.program_words as usize - 2) / body.len() * body.len();
        let body = body.iter().copied().cycle().take(words - 2);
        [0x0005_0050, words as u32].into_iter().chain(body).flat_map(u32::to_le_bytes).collect()
    };
    let nop = 0x0100_003a;
    // swapc with five operands of one word each, all null.
    let swapc = [0x0600_008e, 0xd000, 0xd000, 0xd000, 0xd000, 0xd000];
    for body in [&[nop][..], &swapc] {
        let data = program(body);
        let (decoded, peak_bytes) = allocation::peak(|| brolga_bytecode::sm5::decode(&data, 0, &limits));
        assert!(decoded.is_ok());
        assert!(peak_bytes < 200 << 20, "{peak_bytes} bytes were allocated at once");
    }
}
