//! `--print` of `brolga run`: prints the content of a resource after the run, as numbers.

use std::io::{self, Write};

use brolga::document::Outcome;

use super::super::report::harmless;

/// The default number of elements to print.
const ELEMENTS: u64 = 64;

/// A resource to print, and the number of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrintRequest {
    resource: String,
    elements: u64,
}

impl PrintRequest {
    /// The name of the resource.
    pub fn resource(&self) -> &str {
        &self.resource
    }
}

/// Reads `RESOURCE` or `RESOURCE:COUNT`.
pub(super) fn parse(text: &str) -> Result<PrintRequest, String> {
    let (resource, elements) = match text.rsplit_once(':') {
        Some((resource, count)) => {
            let wrong = |_| format!("`{count}` is no count of elements: expected a number, as in `u0:16`");
            (resource, count.parse().map_err(wrong)?)
        }
        None => (text, ELEMENTS),
    };
    match resource.is_empty() {
        true => Err("a register or the name of a resource is missing".into()),
        false => Ok(PrintRequest { resource: resource.to_owned(), elements }),
    }
}

/// The message about a resource that no step writes.
pub(super) fn absent(wanted: &PrintRequest) -> String {
    format!("no step writes `{}`, so there is nothing of it to print", wanted.resource)
}

/// Writes the first elements of a resource, one in each line.
pub(super) fn write(out: &mut impl Write, wanted: &PrintRequest, outcome: &Outcome) -> io::Result<()> {
    let Some(resource) = outcome.resource(&wanted.resource) else { return Ok(()) };
    let array = &resource.array;
    let (kind, number_bytes) = (array.element.to_string(), array.element.size_bytes);
    // The innermost dimension is that of an element, if there are several.
    let numbers = match array.sides.as_slice() {
        [.., innermost] if array.sides.len() > 1 => *innermost,
        _ => 1,
    };
    let element_bytes = numbers * number_bytes as u64;
    let count = resource.bytes.size_bytes() / element_bytes.max(1);
    let shown = count.min(wanted.elements);
    let bytes = resource.bytes.part(0, shown * element_bytes).map_err(io::Error::other)?;
    let sides = array.sides.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
    writeln!(out, "      {}: {sides} numbers of {kind}", harmless(&resource.name))?;
    for (n, element) in bytes.chunks_exact(element_bytes.max(1) as usize).enumerate() {
        let values = element.chunks_exact(number_bytes).map(|number| array.element.show(number));
        writeln!(out, "        {n}: {}", values.collect::<Vec<_>>().join(" "))?;
    }
    match count - shown {
        0 => Ok(()),
        more => writeln!(out, "        and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_comes_behind_the_name() {
        let wanted = |resource: &str, elements| Ok(PrintRequest { resource: resource.into(), elements });
        assert_eq!(parse("u0"), wanted("u0", ELEMENTS));
        assert_eq!(parse("cells:7"), wanted("cells", 7));
        assert!(parse("u0:x").is_err() && parse(":4").is_err());
    }
}
