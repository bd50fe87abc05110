//! Says what naga found without what only its own developers know: numbers in its arenas, debug forms of types.

/// What is called otherwise in HLSL and GLSL.
const ELSEWHERE: [(&str, &str); 14] = [
    ("lerp", "mix"),
    ("frac", "fract"),
    ("rsqrt", "inverseSqrt"),
    ("mad", "fma"),
    ("mul", "*"),
    ("mod", "%"),
    ("ddx", "dpdx"),
    ("float", "f32"),
    ("int", "i32"),
    ("uint", "u32"),
    ("half", "f16"),
    ("float2", "vec2f"),
    ("float3", "vec3f"),
    ("float4", "vec4f"),
];

/// The words of the parser about a text: a message, and the first that it says about places and not in the message.
pub(crate) fn of_parser<'l>(text: &str, message: &str, mut labels: impl Iterator<Item = &'l str>) -> String {
    let quoted = |number: usize| message.split('`').nth(2 * number + 1).unwrap_or_default();
    let is = |part: &str| message.contains(part);
    if is("enable extension is not enabled") || is("enable-extension is not yet supported") {
        return format!("`{}` is not supported", quoted(0));
    }
    if is("no definition in scope for identifier") {
        let name = quoted(0);
        return match ELSEWHERE.iter().find(|(other, _)| *other == name) {
            Some((_, own)) => format!("nothing is named `{name}`: in WGSL it is `{own}`"),
            None => format!("nothing is named `{name}` here"),
        };
    }
    if is("xpected global item") {
        let found = message.rsplit_once("found ").map_or("", |(_, found)| found);
        return format!(
            "expected a declaration, as `fn`, `var` or `struct`, found {}{}",
            ended(found),
            looks_like(text)
        );
    }
    if is("found \"/*") {
        return "this comment has no end".to_owned();
    }
    for (part, words) in [
        ("convert expression to a concrete type", "these numbers have no type: give one of them, as in `1.0f`"),
        ("invalid left-hand side of assignment", "this cannot be written: it is no variable"),
    ] {
        if is(part) {
            return words.to_owned();
        }
    }
    let message = ended(message).replace("`{AbstractFloat}`", "a fraction").replace("`{AbstractInt}`", "an integer");
    match labels.find(|label| !message.contains(label)) {
        None | Some("see msg") => tidied(&message),
        Some(label) => format!("{}: {}", tidied(&message), tidied(label)),
    }
}

/// A message in which nothing that is found is the end of the text.
fn ended(message: &str) -> String {
    match message.strip_suffix("\"\"") {
        Some(before) => format!("{before}the end of the text"),
        None => message.to_owned(),
    }
}

/// What a text seems to be that is not WGSL.
fn looks_like(text: &str) -> &'static str {
    if text.contains("[[") {
        ": attributes are written `@group(0)` today, not `[[group(0)]]`"
    } else if text.contains("numthreads") || text.contains("StructuredBuffer") || text.contains(": register(") {
        ": this looks like HLSL, whose files end in .hlsl"
    } else if text.contains("#version") || text.contains("gl_GlobalInvocationID") {
        ": this looks like GLSL, which Brolga does not read"
    } else {
        ""
    }
}

const HOST_SHAREABLE: &str =
    "its type cannot be in a buffer: only numbers, vectors, matrices, atomics, and arrays and structures of these can";

/// Operators by the names that naga has for them.
const OPERATORS: [(&str, &str); 21] = [
    ("Add", "+"),
    ("Subtract", "-"),
    ("Multiply", "*"),
    ("Divide", "/"),
    ("Modulo", "%"),
    ("Equal", "=="),
    ("NotEqual", "!="),
    ("Less", "<"),
    ("LessEqual", "<="),
    ("Greater", ">"),
    ("GreaterEqual", ">="),
    ("And", "&"),
    ("ExclusiveOr", "^"),
    ("InclusiveOr", "|"),
    ("LogicalAnd", "&&"),
    ("LogicalOr", "||"),
    ("ShiftLeft", "<<"),
    ("ShiftRight", ">>"),
    ("Negate", "-"),
    ("LogicalNot", "!"),
    ("BitwiseNot", "~"),
];

/// The words of the validator, from the general to the particular. The last say what is wrong, the others where.
pub(crate) fn of_validator(messages: &[String]) -> String {
    let last = messages.last().map_or("", String::as_str);
    let known = [
        ("HOST_SHAREABLE", HOST_SHAREABLE),
        ("do not meet the required TypeFlags(", "its type cannot be in this address space"),
        ("expression None does not match", "a function that declares a result returns none here, or ends without one"),
        ("expression Some(", "the value that is returned is not of the declared type"),
        ("host-shareable", HOST_SHAREABLE),
        ("t match the type stored in", "the value that is stored is not of the variable's type"),
        ("Array length of", "arrayLength takes a pointer to an array without a size, which is in a buffer"),
        (
            "mage coordinate type of",
            "the coordinates do not fit the texture: whole numbers to load or store, floats to sample, one for each dimension",
        ),
        ("be dynamically-sized", "only the last member of a structure can be an array without a size"),
        ("Multiple `switch` cases", "two cases of the `switch` have one value"),
        ("GlobalUse(", "the variable's declaration does not allow this: a texture that is only written cannot be read"),
        ("is not available at this stage", "this built-in value is not one that compute shaders have"),
        (
            "compatible with address space Handle",
            "a variable outside of functions needs an address space: `var<private>`",
        ),
        ("used with address space WorkGroup", "variables of var<workgroup> begin with zeros, and take no value"),
        (
            "inding decoration is missing or not applicable",
            "variables of buffers, textures and samplers have @group and @binding, others do not",
        ),
        ("must all have bindings", "parameters of an entry point are built-in values, and it returns nothing"),
        (
            "which can't be passed into functions",
            "a pointer to this address space cannot be a parameter: the function can use the variable itself",
        ),
        ("bstract types may only appear", "numbers of different types: convert one of them, as in `f32(n)`"),
        ("conflict with other resource", "another variable has the same @group and @binding"),
        ("valid destination for a store", "this cannot be written: it is no variable, or one that is only read"),
    ];
    if let Some((_, words)) = known.iter().find(|(part, _)| last.contains(part)) {
        return (*words).to_owned();
    }
    let message = tidied(last);
    match message.strip_prefix("operation ").and_then(|rest| rest.split_once(' ')) {
        Some((name, rest)) => {
            let operator = OPERATORS.iter().find(|(known, _)| *known == name).map_or(name, |(_, operator)| operator);
            let operand = if rest.ends_with("with") { " this type" } else { "" };
            format!("`{operator}` {rest}{operand}")
        }
        None => message.replace("composing expects", "this constructor takes").replace(" for expression", ""),
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
        assert_eq!(of_parser("", "Division by zero", ["see msg"].into_iter()), "division by zero");
        let unary = "Operation Negate can't work with [6]".to_owned();
        assert_eq!(of_validator(&[unary]), "`-` can't work with this type");
    }
}
