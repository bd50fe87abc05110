//! Lists signatures as tables.

use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{Signature, SignatureElement};
use crate::sm5::Stage;
use crate::sm5::codes::MinPrecision;
use std::fmt::{self, Write};

/// Writes a signature. With `is_output` its usage masks are the components that are never written.
pub fn write(out: &mut String, title: &str, signature: &Signature, stage: Stage, is_output: bool) -> fmt::Result {
    write!(out, "// {title} signature:\n//\n")?;
    out.push_str("// Name                 Index   Mask Register SysValue  Format   Used\n");
    out.push_str("// -------------------- ----- ------ -------- -------- ------- ------\n");
    if signature.elements.is_empty() {
        return writeln!(out, "// no {title}");
    }
    let has_streams = signature.elements.iter().any(|element| element.stream != 0);
    for element in &signature.elements {
        let name = if has_streams { format!("m{}:{}", element.stream, element.name) } else { element.name.clone() };
        write!(out, "// {name:<20} {:>5}   ", element.semantic_index)?;
        let system_value = system_value(element, stage);
        let format = format_text(element);
        match element.register {
            Some(register) => {
                let used = if is_output { !element.usage_mask } else { element.usage_mask };
                let (mask, used) = (mask_columns(element.mask), mask_columns(used));
                writeln!(out, "{mask} {register:>8} {system_value:>8} {format:>7}   {used}")?;
            }
            None => {
                let register = register_name(element);
                let is_used = is_output || element.usage_mask != 0;
                let used = if is_used { "YES" } else { "NO" };
                writeln!(out, " N/A {register:>8} {system_value:>8} {format:>7}   {used:>4}")?;
            }
        }
    }
    out.push_str("//\n");
    Ok(())
}

/// A column for each component.
fn mask_columns(mask: u8) -> String {
    ['x', 'y', 'z', 'w'].iter().enumerate().map(|(n, &letter)| if mask >> n & 1 != 0 { letter } else { ' ' }).collect()
}

/// Names that imply the register or the system value of an element that has none in the file.
const NAMED: [(&str, Option<&str>, &str); 7] = [
    ("SV_Target", None, "TARGET"),
    ("SV_Depth", Some("oDepth"), "DEPTH"),
    ("SV_DepthGreaterEqual", Some("oDepthGE"), "DEPTHGE"),
    ("SV_DepthLessEqual", Some("oDepthLE"), "DEPTHLE"),
    ("SV_Coverage", Some("oMask"), "COVERAGE"),
    ("SV_StencilRef", Some("   oStencilRef"), "STENCILREF"),
    ("SV_InnerCoverage", None, "INNERCOV"),
];

fn named(element: &SignatureElement) -> Option<&'static (&'static str, Option<&'static str>, &'static str)> {
    NAMED.iter().find(|(name, ..)| name.eq_ignore_ascii_case(&element.name))
}

/// The name of the register of an element without a register number.
pub(crate) fn register_name(element: &SignatureElement) -> &'static str {
    const PRIMITIVE_ID: u32 = 7;
    if element.system_value == PRIMITIVE_ID {
        return "primID";
    }
    named(element).and_then(|(_, register, _)| *register).unwrap_or("special")
}

/// The system value of an element; `NONE` if it has none.
pub(crate) fn system_value(element: &SignatureElement, stage: Stage) -> &'static str {
    if element.system_value == 0 && stage == Stage::Pixel {
        return named(element).map_or("NONE", |(.., value)| value);
    }
    SYSTEM_VALUES.iter().find(|(number, _)| *number == element.system_value).map_or("NONE", |(_, text)| *text)
}

/// The type of an element's components.
pub(crate) fn format_text(element: &SignatureElement) -> &'static str {
    let precision = MinPrecision::from_code(element.min_precision).filter(|found| *found != MinPrecision::Full);
    match (element.component_type, precision) {
        (ComponentType::Float32, Some(found @ (MinPrecision::Float16 | MinPrecision::Float2_8))) => found.text(),
        (ComponentType::Sint32, Some(found @ MinPrecision::Sint16)) => found.text(),
        (ComponentType::Uint32, Some(found @ MinPrecision::Uint16)) => found.text(),
        (ComponentType::Float32, _) => "float",
        (ComponentType::Sint32, _) => "int",
        (ComponentType::Uint32, _) => "uint",
        (ComponentType::Other(_), _) => "unknown",
    }
}
