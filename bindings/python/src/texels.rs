//! Views arrays as textures: finds the format of their elements, and the meaning of each axis.
//!
//! The first axes are those of the texture, the outermost first: layers or slices, rows, texels of a row. The remaining
//! axes are one texel. Rows may have padding, as in a part of a larger picture.

use brolga::files::shape_of_array;
use brolga::{Component, Dimension, Format, Texture, View};

use crate::array::{Array, Numbers};
use crate::error::Failure;

/// A view of an array as texels for a register that declares them so; in a given format, or in that of its elements.
pub fn view(array: Array, dimension: Dimension, component: Component, format: Option<Format>) -> Result<View, Failure> {
    let format = match format {
        Some(format) => format,
        None => format_of(&array, dimension, component)?,
    };
    if dimension == Dimension::Buffer {
        check_texel(&array, dimension, format)?;
        return Ok(View::typed(array.into_buffer()?, format)?);
    }
    Ok(View::texture(texture(array, dimension, format)?))
}

/// Rejects a target whose numbers are not those of its format; whole texels may be integers.
pub fn check_target(array: &Array, format: Format) -> Result<(), Failure> {
    let Some((numbers, bits)) = Numbers::of_format(format.name()) else { return Ok(()) };
    let is_packed = array.numbers() == Some(Numbers::Unsigned) && array.item_bytes() == format.size_bytes() as usize;
    if array.holds((numbers, bits)) || is_packed {
        return Ok(());
    }
    let (found, wanted) = (array.type_name(), numbers.name(bits));
    Err(Failure::resource(format!(
        "a target of {format} is an array of {wanted}, not of {found}: numpy.zeros(shape, numpy.{wanted}) makes one"
    )))
}

/// An array as a texture of one mip level.
pub fn texture(array: Array, dimension: Dimension, format: Format) -> Result<Texture, Failure> {
    let texel_bytes = check_texel(&array, dimension, format)?;
    let axes = dimension.coordinates();
    let extents: Vec<u32> =
        array.shape()[..axes].iter().map(|&extent| u32::try_from(extent).unwrap_or(u32::MAX)).collect();
    let shape = shape_of_array(dimension, format, &extents).ok_or_else(|| too_large(&array))?;
    let row_bytes = texel_bytes as u64 * u64::from(extents[axes - 1]);
    let pitch = row_pitch(&array, axes, row_bytes)?;
    let shape = if pitch == row_bytes { shape } else { shape.row_pitch(pitch) };
    let size_bytes = usize::try_from(shape.size_bytes()?).map_err(|_| too_large(&array))?;
    Ok(Texture::new(array.into_bytes(size_bytes)?, shape)?)
}

/// The format of an array's elements, if the shader declares such components: `R8G8B8A8_UNORM` for four bytes that are
/// floats to it.
fn format_of(array: &Array, dimension: Dimension, component: Component) -> Result<Format, Failure> {
    let (axes, bits) = (dimension.coordinates(), 8 * array.item_bytes());
    let components = match array.shape().get(axes..) {
        Some([]) => Some(1),
        Some(&[components]) if (1..=4).contains(&components) => Some(components),
        _ => None,
    };
    let is_integer = matches!(component, Component::Sint | Component::Uint);
    let meaning = match array.numbers() {
        Some(Numbers::Float) => "FLOAT",
        Some(Numbers::Signed) if is_integer => "SINT",
        Some(Numbers::Unsigned) if is_integer => "UINT",
        Some(Numbers::Signed) => "SNORM",
        Some(Numbers::Unsigned) => "UNORM",
        None => "",
    };
    let named = |count: usize| {
        let channels: String = ["R", "G", "B", "A"][..count].iter().map(|letter| format!("{letter}{bits}")).collect();
        format!("{channels}_{meaning}")
    };
    let name = components.map(named);
    name.as_ref().and_then(|name| name.parse().ok()).ok_or_else(|| {
        let shape = array.shape();
        // Formats have numbers of up to 32 bits, and if they are floats to the shader no integers of 32.
        let has_no_format = bits > 32 || bits == 32 && !is_integer && array.numbers() != Some(Numbers::Float);
        let wanted = match component {
            Component::Sint => "int32",
            Component::Uint => "uint32",
            _ => "float32",
        };
        let cast = match array.numbers().is_some() && has_no_format {
            true => format!("array.astype(numpy.{wanted}) makes a copy that fits; "),
            false => String::new(),
        };
        let found = match name {
            Some(_) if meaning.is_empty() => "whose elements are no numbers".to_owned(),
            Some(name) => format!("with texels {name}"),
            None => format!("of shape {shape:?}"),
        };
        Failure::resource(format!(
            "an array {found} is no {dimension} of {component}: {cast}its {axes} first axes are those of the {dimension}, and \
             one more may be up to four components; brolga.View(array, format) names another format"
        ))
    })
}

/// Bytes of a texel, which must be contiguous and match the format.
fn check_texel(array: &Array, dimension: Dimension, format: Format) -> Result<usize, Failure> {
    let (axes, shape) = (dimension.coordinates(), array.shape());
    let Some(inner) = shape.get(axes..) else {
        let message = format!("a {dimension} has at least {axes} axes, the array has shape {shape:?}");
        return Err(Failure::resource(message));
    };
    let found = inner.iter().product::<usize>() * array.item_bytes();
    if found != format.size_bytes() as usize {
        let (bytes, blocks) = (format.size_bytes(), format.block_extents());
        let what = if blocks == [1, 1] { "texel" } else { "block of texels" };
        return Err(Failure::resource(format!(
            "a {what} of {format} has {bytes} bytes, after {axes} axes the array of shape {shape:?} has {found}"
        )));
    }
    Ok(found)
}

/// The row pitch. All else must be contiguous.
fn row_pitch(array: &Array, axes: usize, row_bytes: u64) -> Result<u64, Failure> {
    let (shape, strides) = (array.shape(), array.strides());
    let mut pitch = row_bytes;
    let mut packed = array.item_bytes() as u64;
    for axis in (0..shape.len()).rev() {
        if shape[axis] > 1 {
            let stride = u64::try_from(strides[axis]).unwrap_or(0);
            let is_row = axis + 2 == axes;
            if is_row && stride >= packed {
                (pitch, packed) = (stride, stride);
            } else if stride != packed {
                return Err(Failure::resource(format!(
                    "only rows of a texture may lie apart: axis {axis} of the array of shape {shape:?} has a stride of {} \
                     bytes, not {packed}; numpy.ascontiguousarray makes a copy that fits",
                    strides[axis]
                )));
            }
        }
        packed = packed.saturating_mul(shape[axis] as u64);
    }
    Ok(pitch)
}

fn too_large(array: &Array) -> Failure {
    Failure::resource(format!("an array of shape {:?} is too large for a texture", array.shape()))
}
