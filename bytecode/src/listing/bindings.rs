//! Lists the bindings to registers as a table.

use crate::container::ResourceDefinitions;
use crate::container::resources::{Binding, BindingKind};
use std::fmt::{self, Write};

/// Writes the table, unless nothing is bound.
pub fn write(out: &mut String, resources: &ResourceDefinitions) -> fmt::Result {
    if resources.bindings.is_empty() {
        return Ok(());
    }
    let has_ids = resources.version >= (5, 1);
    let [id_title, id_rule] = if has_ids { ["ID      ", "------- "] } else { ["", ""] };
    out.push_str("// Resource Bindings:\n//\n");
    writeln!(out, "// Name                                 Type  Format         Dim      {id_title}HLSL Bind  Count")?;
    writeln!(out, "// ------------------------------ ---------- ------- ----------- {id_rule}-------------- ------")?;
    for binding in &resources.bindings {
        let row = BindingRow::of(binding);
        write!(out, "// {:<30} {:>10} {:>7} {:>11} ", binding.name, row.ty, row.format, row.dimension)?;
        if has_ids {
            write!(out, "{:>7} ", format!("{}{}", row.file.to_uppercase(), binding.id))?;
        }
        let mut register = format!("{}{}", row.file, binding.bind_point);
        if binding.space != 0 {
            write!(register, ",space{}", binding.space)?;
        }
        let count = match binding.bind_count {
            0 => "unbounded".to_owned(),
            count => count.to_string(),
        };
        writeln!(out, "{register:>14} {count:>6} ")?;
    }
    out.push_str("//\n//\n");
    Ok(())
}

/// The flag of a comparison sampler.
pub(crate) const COMPARISON: u32 = 2;

/// Columns of a binding's row.
pub(crate) struct BindingRow {
    /// The letters before the register's number.
    pub file: &'static str,
    ty: &'static str,
    pub format: String,
    dimension: String,
}

impl BindingRow {
    /// The columns of this binding.
    pub fn of(binding: &Binding) -> Self {
        let fixed = |file, ty, format: &str, dimension: &str| Self {
            file,
            ty,
            format: format.to_owned(),
            dimension: dimension.to_owned(),
        };
        match binding.kind {
            BindingKind::ConstantBuffer => fixed("cb", "cbuffer", "NA", "NA"),
            BindingKind::TextureBuffer => fixed("t", "tbuffer", "NA", "NA"),
            BindingKind::Sampler if binding.flags & COMPARISON != 0 => fixed("s", "sampler_c", "NA", "NA"),
            BindingKind::Sampler => fixed("s", "sampler", "NA", "NA"),
            BindingKind::Texture => Self { file: "t", ty: "texture", ..Self::typed(binding) },
            BindingKind::UavTyped => Self { file: "u", ty: "UAV", ..Self::typed(binding) },
            BindingKind::Structured => fixed("t", "texture", "struct", "r/o"),
            BindingKind::UavStructured => fixed("u", "UAV", "struct", "r/w"),
            BindingKind::Raw => fixed("t", "texture", "byte", "r/o"),
            BindingKind::UavRaw => fixed("u", "UAV", "byte", "r/w"),
            BindingKind::UavAppend => fixed("u", "UAV", "struct", "append"),
            BindingKind::UavConsume => fixed("u", "UAV", "struct", "consume"),
            BindingKind::UavCounter => fixed("u", "UAV", "struct", "r/w+cnt"),
            BindingKind::Other(_) => fixed("", "unknown", "unknown", "unknown"),
        }
    }

    /// The format and dimension of a texture or typed buffer.
    fn typed(binding: &Binding) -> Self {
        let format = text_of(RETURN_TYPES, binding.return_type);
        // Two bits hold the number of components less one; a single component is printed without a digit.
        let components = match (binding.flags >> 2 & 3) + 1 {
            1 => String::new(),
            count => count.to_string(),
        };
        let dimension = text_of(DIMENSIONS, binding.dimension);
        let samples = match (binding.dimension, binding.samples_or_stride) {
            (6 | 7, samples) if samples != 0 => (samples as i32).to_string(),
            _ => String::new(),
        };
        Self { file: "", ty: "", format: format!("{format}{components}"), dimension: format!("{dimension}{samples}") }
    }
}

/// The text of a number; empty for unknown numbers.
fn text_of(names: &[(u32, &'static str)], number: u32) -> &'static str {
    names.iter().find(|(known, _)| *known == number).map_or("", |(_, text)| *text)
}

/// Return types of textures and typed buffers.
const RETURN_TYPES: &[(u32, &str)] = &[
    (1, "unorm"),
    (2, "snorm"),
    (3, "sint"),
    (4, "uint"),
    (5, "float"),
    (6, "mixed"),
    (7, "double"),
    (8, "<continued>"),
];

/// Dimensions of textures and typed buffers. Their numbers are not those of the token stream.
const DIMENSIONS: &[(u32, &str)] = &[
    (1, "buf"),
    (2, "1d"),
    (3, "1darray"),
    (4, "2d"),
    (5, "2darray"),
    (6, "2dMS"),
    (7, "2darrayMS"),
    (8, "3d"),
    (9, "cube"),
    (10, "cubearray"),
];
