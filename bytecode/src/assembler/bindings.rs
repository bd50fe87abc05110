//! The table of what is bound, in fxc's header comment.

use super::cursor::{Cursor, Read};
use super::error::AssembleError;
use crate::container::resources::{Binding, BindingKind};
use crate::listing::bindings::{DIMENSIONS, RETURN_TYPES};

/// Reads `albedo texture float4 2d T0 t3,space1 1`. The column behind the dimension is there in 5.1.
pub(super) fn binding(cursor: &mut Cursor<'_>, has_ids: bool) -> Read<Binding> {
    const COMPARISON: u32 = 2;
    let [name, ty, format, dimension] = [(); 4].map(|()| Column::of(cursor));
    let id = if has_ids { Some(Column::of(cursor).register_number()?) } else { None };
    let (register, count) = (Column::of(cursor), Column::of(cursor));
    let kind = match (ty.text, format.text, dimension.text) {
        ("cbuffer", ..) => BindingKind::ConstantBuffer,
        ("tbuffer", ..) => BindingKind::TextureBuffer,
        ("sampler" | "sampler_c", ..) => BindingKind::Sampler,
        ("texture", "struct", _) => BindingKind::Structured,
        ("texture", "byte", _) => BindingKind::Raw,
        ("texture", ..) => BindingKind::Texture,
        ("UAV", "byte", _) => BindingKind::UavRaw,
        ("UAV", "struct", "append") => BindingKind::UavAppend,
        ("UAV", "struct", "consume") => BindingKind::UavConsume,
        ("UAV", "struct", "r/w+cnt") => BindingKind::UavCounter,
        ("UAV", "struct", _) => BindingKind::UavStructured,
        ("UAV", ..) => BindingKind::UavTyped,
        _ => return Err(ty.unknown("type", &["cbuffer", "tbuffer", "sampler", "sampler_c", "texture", "UAV"])),
    };
    let bind_point = register.register_number()?;
    let mut binding = Binding {
        name: name.text.to_owned(),
        kind,
        return_type: 0,
        dimension: 0,
        samples_or_stride: 0,
        bind_point,
        bind_count: match count.text {
            "unbounded" => 0,
            digits => digits.parse().map_err(|_| count.behind.no_number(count.start, "number of registers"))?,
        },
        flags: if ty.text == "sampler_c" { COMPARISON } else { 0 },
        space: match register.text.split_once(",space") {
            Some((_, space)) => space.parse().map_err(|_| register.no_register())?,
            None => 0,
        },
        id: id.unwrap_or(bind_point),
    };
    if matches!(kind, BindingKind::Texture | BindingKind::UavTyped) {
        let (return_type, components) = format.format()?;
        binding.return_type = return_type;
        binding.flags = (components - 1) << 2;
        (binding.dimension, binding.samples_or_stride) = dimension.dimension()?;
    }
    cursor.end_of_line()?;
    Ok(binding)
}

/// What stands in a column of a row.
struct Column<'t> {
    text: &'t str,
    start: usize,
    /// The place behind it.
    behind: Cursor<'t>,
}

impl<'t> Column<'t> {
    fn of(cursor: &mut Cursor<'t>) -> Self {
        let start = cursor.at();
        let text = cursor.until(&[]);
        let behind = cursor.clone();
        cursor.spaces();
        Self { text, start, behind }
    }

    fn unknown(&self, kind: &'static str, known: &[&str]) -> AssembleError {
        self.behind.unknown(self.start, kind, known.iter().copied())
    }

    fn no_register(&self) -> AssembleError {
        self.behind.no_number(self.start, "register")
    }

    /// The number of `t3,space1`.
    fn register_number(&self) -> Read<u32> {
        let register = self.text.split(',').next().unwrap_or_default();
        let digits = register.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        digits.parse().map_err(|_| self.no_register())
    }

    /// The return type of `float4`, and how many components it has.
    fn format(&self) -> Read<(u32, u32)> {
        let name = self.text.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let components = match self.text.strip_prefix(name).unwrap_or_default() {
            "" => Some(1),
            "2" => Some(2),
            "3" => Some(3),
            "4" => Some(4),
            _ => None,
        };
        let found = RETURN_TYPES.iter().find(|(_, known)| *known == name).map(|(number, _)| *number);
        let names = || RETURN_TYPES.iter().map(|(_, known)| *known).collect::<Vec<_>>();
        found.zip(components).ok_or_else(|| self.unknown("format", &names()))
    }

    /// The dimension of `2dMS4`, and the number of samples.
    fn dimension(&self) -> Read<(u32, u32)> {
        // The longest name counts: `2d` begins `2darray`.
        let known = DIMENSIONS.iter().filter(|(_, name)| self.text.starts_with(name));
        let found = known.max_by_key(|(_, name)| name.len()).and_then(|(number, name)| {
            let samples = match self.text.strip_prefix(name)? {
                // Without a number it is not known, and what has no samples has all ones.
                "" => Some(if name.ends_with("MS") { 0 } else { u32::MAX }),
                digits if name.ends_with("MS") => digits.parse().ok(),
                _ => None,
            };
            Some((*number, samples?))
        });
        let names = || DIMENSIONS.iter().map(|(_, known)| *known).collect::<Vec<_>>();
        found.ok_or_else(|| self.unknown("dimension", &names()))
    }
}
