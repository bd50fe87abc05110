//! Broken blobs: each is rejected or accepted as its manifest says, and none makes the crate panic or allocate much.

mod support;

use brolga_bytecode::{ChecksumPolicy, Error, LoadOptions, Shader};

#[test]
fn broken_blobs_are_judged_as_the_manifest_says() {
    let options = LoadOptions::default();
    let mut strict = LoadOptions::default();
    strict.checksum = ChecksumPolicy::Require;
    let mut failures = Vec::new();
    for row in support::rows(&support::data().join("malformed/manifest.json")) {
        let file = row["file"].as_str().unwrap();
        let bytes = support::read(&support::data().join(file));
        let loaded = Shader::load(&bytes, &options).map(|_| ());
        let verified = Shader::load(&bytes, &strict).map(|_| ());
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
        println!("{file}: {answer} ({})", row["why"]);
        if !right {
            failures.push(format!("{file}: {} ({}): {answer}", row["must"], row["why"]));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
