//! Numbers the sources, for the keys of the disk cache.

fn main() {
    brolga_fingerprint::publish();
}
