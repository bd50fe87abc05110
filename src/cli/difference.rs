//! Writes pictures of mismatches: for each expectation about texels a picture that shows where they differ.

use std::io;
use std::path::{Path, PathBuf};

use brolga::document::{Outcome, Prepared};
use brolga::files::Claim;

/// Writes a picture for each level with a mismatch: the expected picture in grey, differences within the tolerance in
/// yellow, edges in blue, wrong pixels in red. Returns the files, and the result of writing each.
pub(super) fn write(ready: &Prepared, outcome: &Outcome, folder: &Path) -> Vec<(PathBuf, io::Result<()>)> {
    let pictures = ready.difference_pictures(outcome);
    let write = |(name, png): (String, Vec<u8>)| {
        let path = folder.join(name);
        let written = Claim::new(&path).and_then(|claim| claim.commit(&png));
        (path, written)
    };
    pictures.into_iter().map(write).collect()
}
