//! Says what naga found without what only its own developers know: numbers in its arenas, debug forms of types.

/// The words of the parser: a message, and the first that it says about places and not in the message.
pub(crate) fn of_parser<'l>(message: &str, mut labels: impl Iterator<Item = &'l str>) -> String {
    match labels.find(|label| !message.contains(label)) {
        None | Some("see msg") => tidied(message),
        Some(label) => format!("{}: {}", tidied(message), tidied(label)),
    }
}

/// The words of the validator, from the general to the particular. The last say what is wrong, the others where.
pub(crate) fn of_validator(messages: &[String]) -> String {
    let last = messages.last().map_or("", String::as_str);
    let known = [
        (
            "HOST_SHAREABLE",
            "its type cannot be in a buffer: only numbers, vectors, matrices, atomics, and arrays and structures of these can",
        ),
        ("do not meet the required TypeFlags(", "its type cannot be in this address space"),
        ("expression None does not match", "a function that declares a result returns none here, or ends without one"),
        ("expression Some(", "the value that is returned is not of the declared type"),
        ("conflict with other resource", "another variable has the same @group and @binding"),
        ("valid destination for a store", "this cannot be written: it is no variable, or one that is only read"),
    ];
    match known.iter().find(|(part, _)| last.contains(part)) {
        Some((_, words)) => (*words).to_owned(),
        None => tidied(last),
    }
}

/// A message without numbers in brackets, with types as WGSL writes them.
fn tidied(message: &str) -> String {
    let mut text = with_types(message);
    while let Some(at) = text.find(" [").filter(|&at| is_number(&text[at + 2..])) {
        let end = at + text[at..].find(']').unwrap_or_default() + 1;
        text.replace_range(at..end, "");
        // `[3] (of type f32)` is a value of that type.
        if let Some(rest) = text[at..].strip_prefix(" (of type ")
            && let Some(len) = rest.find(')')
        {
            let ty = rest[..len].to_owned();
            text.replace_range(at..at + " (of type ".len() + len + 1, &format!(" {ty}"));
        }
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {
            first.to_ascii_lowercase().to_string() + &text[1..]
        }
        _ => text,
    }
}

/// `true` for digits that a bracket closes.
fn is_number(text: &str) -> bool {
    text.split_once(']')
        .is_some_and(|(digits, _)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn with_types(message: &str) -> String {
    let mut text = message.to_owned();
    for (kind, width, name) in [
        ("Sint", 4, "i32"),
        ("Uint", 4, "u32"),
        ("Float", 4, "f32"),
        ("Bool", 1, "bool"),
        ("Float", 2, "f16"),
        ("Sint", 8, "i64"),
        ("Uint", 8, "u64"),
        ("Float", 8, "f64"),
    ] {
        let scalar = format!("Scalar {{ kind: {kind}, width: {width} }}");
        text = text.replace(&format!("Scalar({scalar})"), name).replace(&scalar, name);
        for (rows, n) in [("Bi", 2), ("Tri", 3), ("Quad", 4)] {
            text = text.replace(&format!("Vector {{ size: {rows}, scalar: {name} }}"), &format!("vec{n}<{name}>"));
            for (columns, m) in [("Bi", 2), ("Tri", 3), ("Quad", 4)] {
                let matrix = format!("Matrix {{ columns: {columns}, rows: {rows}, scalar: {name} }}");
                text = text.replace(&matrix, &format!("mat{m}x{n}<{name}>"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_arenas_are_left_out() {
        for (found, said) in [
            ("Accessing index 4 is out of [2] bounds", "accessing index 4 is out of bounds"),
            (
                "Operation Add can't work with [3] (of type Scalar(Scalar { kind: Sint, width: 4 })) and [6] (of type \
                 Vector { size: Tri, scalar: Scalar { kind: Float, width: 4 } })",
                "operation Add can't work with i32 and vec3<f32>",
            ),
            ("index [x] of a[3]", "index [x] of a[3]"),
            ("[ [1", "[ [1"),
        ] {
            assert_eq!(tidied(found), said);
        }
        assert_eq!(of_parser("Division by zero", ["see msg"].into_iter()), "division by zero");
    }
}
