//! Numbers the sources, for the keys of the disk cache: `BROLGA_SOURCES`.

fn main() {
    println!("cargo::rustc-env=BROLGA_SOURCES={}", brolga_fingerprint::of_sources());
}
