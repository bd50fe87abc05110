//! Numbers all sources that decide about machine code, for the keys of the disk cache: `BROLGA_SOURCES`.

use std::env;

fn main() {
    let own = brolga_fingerprint::of_sources();
    let numbers = ["BYTECODE", "FENV", "IR", "JIT"].map(|name| {
        let variable = format!("DEP_BROLGA_{name}_SOURCES");
        env::var(&variable)
            .unwrap_or_else(|_| panic!("{variable} is missing: do the crate's build script and its links key stand?"))
    });
    println!("cargo::rustc-env=BROLGA_SOURCES={own}-{}", numbers.join("-"));
}
