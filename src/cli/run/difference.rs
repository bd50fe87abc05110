//! Writes pictures of mismatches: for each expectation about texels a picture that shows where they differ.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use brolga::document::{Outcome, Prepared};

/// Writes a picture for each level with a mismatch: the expected picture in grey, differences within the tolerance in
/// yellow, edges in blue, wrong pixels in red. Returns the files, or why there is none.
pub(super) fn write(
    ready: &Prepared,
    outcome: &Outcome,
    folder: &Path,
    taken: &mut BTreeSet<PathBuf>,
) -> Vec<Result<PathBuf, String>> {
    let pictures = ready.difference_pictures(outcome);
    let write = |(name, png): (String, Vec<u8>)| {
        let path = folder.join(&name);
        let claim =
            ready.claim_another(folder, Path::new(&name), taken).map_err(|error| error.problem().to_string())?;
        match claim.commit(&png) {
            Ok(()) => Ok(path),
            Err(error) => Err(format!("cannot write {}: {error}", path.display())),
        }
    };
    pictures.into_iter().map(write).collect()
}
