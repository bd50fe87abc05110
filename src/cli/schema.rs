//! `brolga schema`: prints the keys of documents as a JSON schema, for editors.

use std::io::{self, Write};

use brolga::document::json_schema;

use super::Ending;

pub(super) fn run() -> io::Result<Ending> {
    write!(io::stdout().lock(), "{}", json_schema())?;
    Ok(Ending::Fine)
}
