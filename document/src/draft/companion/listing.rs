//! Writes listings of shaders that are made for a draft, from which they are assembled.

use brolga_bytecode::container::SignatureElement;
use brolga_bytecode::container::signature::ComponentType;
use brolga_bytecode::info::letters;

/// A line of a signature's table in a listing.
pub(super) fn row(element: &SignatureElement, mask: u8) -> String {
    let (kind, mask) = (kind_name(element.component_type), letters(mask));
    let SignatureElement { name, semantic_index, register, .. } = element;
    format!("// {name} {semantic_index} {mask} {} NONE {kind} {mask}\n", register.unwrap_or(0))
}

fn kind_name(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Uint32 => "uint",
        ComponentType::Sint32 => "int",
        _ => "float",
    }
}

/// A listing with both tables.
pub(super) fn listing(model: &str, inputs: &str, outputs: &str, body: &str) -> String {
    listing_of(model, &[("Input", inputs), ("Output", outputs)], body)
}

/// A listing with the tables of signatures.
pub(super) fn listing_of(model: &str, signatures: &[(&str, &str)], body: &str) -> String {
    let head = "// Name Index Mask Register SysValue Format Used\n";
    let table = |(title, rows): &(&str, &str)| format!("// {title} signature:\n{head}{rows}//\n");
    format!("{}{model}\n{body}ret\n", signatures.iter().map(table).collect::<String>())
}
