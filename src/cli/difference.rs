//! Pictures of what does not hold: of each expectation about texels a picture that shows where they differ.

use std::io;
use std::path::{Path, PathBuf};

use brolga::document::{Outcome, Prepared};
use brolga::files::Claim;

/// Writes a picture for each level that does not hold: what is expected in grey, what differs within the slack in yellow, edges in blue,
/// what is wrong in red. Gives the files, and what became of them.
pub(super) fn write(ready: &Prepared, outcome: &Outcome, folder: &Path) -> Vec<(PathBuf, io::Result<()>)> {
    let pictures = ready.difference_pictures(outcome);
    let write = |(name, png): (String, Vec<u8>)| {
        let path = folder.join(name);
        let written = Claim::new(&path).and_then(|claim| claim.commit(&png));
        (path, written)
    };
    pictures.into_iter().map(write).collect()
}
