//! Reads the layout of a vertex shader's inputs, and checks arrays of vertices against it.

use brolga::ErrorKind;
use brolga::raster::InputElement;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{Array, Numbers};
use crate::error::Failure;
use crate::view::parse_format;

/// The sources of the inputs: the fields of a dtype, or tuples.
pub fn input_layout(inputs: &Bound<'_, PyAny>) -> PyResult<Vec<InputElement>> {
    if inputs.hasattr("fields")? {
        return of_dtype(inputs);
    }
    let mut layout = Vec::new();
    for input in inputs.try_iter()? {
        let input = input?;
        let wrong = |error| {
            let message = format!(
                "an input is a tuple of a semantic, a format, and perhaps an offset in bytes, a slot and a step rate, not \
                 {input}: {error}"
            );
            Failure::new(ErrorKind::Call, message)
        };
        let (semantic, format, [offset, slot, step]) = input_tuple(&input).map_err(wrong)?;
        let element = InputElement::new(&semantic, parse_format(&format)?, offset.unwrap_or(0)).slot(slot.unwrap_or(0));
        layout.push(match step {
            Some(step) => element.per_instance(step),
            None => element,
        });
    }
    Ok(layout)
}

/// A semantic, a format, and up to three numbers.
fn input_tuple(input: &Bound<'_, PyAny>) -> PyResult<(String, String, [Option<u32>; 3])> {
    let input = input.cast::<PyTuple>()?;
    let (semantic, format) = input.get_slice(0, 2).extract()?;
    let number = |at: usize| input.get_item(at).ok().map(|number| number.extract::<u32>()).transpose();
    Ok((semantic, format, [number(2)?, number(3)?, number(4)?]))
}

/// The fields of a dtype, as `R32G32B32_FLOAT` for three floats.
fn of_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<Vec<InputElement>> {
    let fields = dtype.getattr("fields")?;
    let Ok(fields) = fields.cast_into::<pyo3::types::PyMappingProxy>() else {
        let message = "the inputs are a dtype without fields: their names are those of the semantics";
        return Err(Failure::new(ErrorKind::Call, message).into());
    };
    let mut layout = Vec::new();
    for field in fields.items()?.try_iter()? {
        let (name, info): (String, Bound<'_, PyTuple>) = field?.extract()?;
        let (kind, offset) = (info.get_item(0)?, info.get_item(1)?.extract::<u32>()?);
        let base = kind.getattr("base")?;
        let (letter, bytes): (String, usize) = (base.getattr("kind")?.extract()?, base.getattr("itemsize")?.extract()?);
        let count = kind.getattr("itemsize")?.extract::<usize>()? / bytes.max(1);
        let is_native = base.getattr("isnative")?.is_truthy()?;
        let meaning = match letter.as_str() {
            "f" => "FLOAT",
            "i" => "SINT",
            // Bytes in vertices are usually colours.
            "u" if bytes == 1 => "UNORM",
            "u" => "UINT",
            _ => "",
        };
        let letters = ["R", "G", "B", "A"].iter().take(count);
        let channels: String = letters.map(|letter| format!("{letter}{}", 8 * bytes)).collect();
        let format = parse_format(&format!("{channels}_{meaning}"));
        let format = format.ok().filter(|_| (1..=4).contains(&count) && is_native);
        let unknown = || {
            let message = format!(
                "the field {name:?} of type {kind} is no input: it has one to four numbers of 1, 2 or 4 bytes, in this \
                 processor's order; tuples name other formats"
            );
            Failure::resource(message)
        };
        layout.push(InputElement::new(&name, format.ok_or_else(unknown)?, offset));
    }
    Ok(layout)
}

/// Checks that an array of vertices for a slot has what the layout reads: numbers of such types, and if vertices have
/// fields, each of the inputs' names at its offset.
pub fn check(slot: u32, object: &Bound<'_, PyAny>, array: &Array, layout: &[InputElement]) -> PyResult<()> {
    let elements: Vec<_> = layout.iter().filter(|element| element.slot == slot).collect();
    let Some(first) = elements.first() else { return Ok(()) };
    let fields = match object.getattr_opt("dtype")? {
        Some(dtype) => of_fields(&dtype)?,
        None => None,
    };
    let Some(fields) = fields else {
        // Bytes may be anything, and so may arrays whose numbers are those of one of several elements.
        let fits = |element: &&InputElement| number_of(element).is_none_or(|number| array.holds(number));
        if elements.iter().any(fits) {
            return Ok(());
        }
        let found = array.type_name();
        let (semantic, index, format) = (&first.semantic, first.index, first.format);
        let wanted = number_of(first).map_or(String::new(), |(numbers, bits)| numbers.name(bits));
        let message = format!(
            "vertices[{slot}] is an array of {found}, but {semantic}{index} is read from it as {format}: \
             array.astype(numpy.{wanted}) makes a copy that fits"
        );
        return Err(Failure::resource(message).into());
    };
    for (name, offset, kind) in fields {
        let Some(element) = elements.iter().find(|element| is_input(&name, element)) else { continue };
        let InputElement { format, offset_bytes, .. } = element;
        let is_same =
            offset == *offset_bytes && number_of(element).is_none_or(|number| kind == number.0.name(number.1));
        if !is_same {
            let message = format!(
                "the field {name:?} of vertices[{slot}] is {kind} at byte {offset}, but it is read as {format} at byte \
                 {offset_bytes}: array.astype(dtype), with the dtype of the pipeline's inputs, makes a copy that fits"
            );
            return Err(Failure::resource(message).into());
        }
    }
    Ok(())
}

/// `true` if a field's name is that of an input: the semantic, with its number or without.
fn is_input(name: &str, element: &InputElement) -> bool {
    let InputElement { semantic, index, .. } = element;
    let is_plain = *index == 0 && name.eq_ignore_ascii_case(semantic);
    is_plain || name.eq_ignore_ascii_case(&format!("{semantic}{index}"))
}

/// The kind of numbers of an element, and the bits of each, if all are alike; bytes may be used for any.
fn number_of(element: &InputElement) -> Option<(Numbers, usize)> {
    Numbers::of_format(&element.format.to_string()).filter(|(_, bits)| *bits >= 16)
}

/// The fields of a dtype: names, offsets in bytes, and NumPy's names for their numbers; `None` if it has none.
fn of_fields(dtype: &Bound<'_, PyAny>) -> PyResult<Option<Vec<(String, u32, String)>>> {
    let Some(fields) = dtype.getattr_opt("fields")?.filter(|fields| !fields.is_none()) else { return Ok(None) };
    let mut found = Vec::new();
    for field in fields.call_method0("items")?.try_iter()? {
        let (name, info): (String, Bound<'_, PyTuple>) = field?.extract()?;
        let base = info.get_item(0)?.getattr("base")?;
        let kind: String = base.getattr("name")?.extract()?;
        let is_native = base.getattr("isnative")?.is_truthy()?;
        let kind = if is_native { kind } else { format!("{kind} in the other byte order") };
        found.push((name, info.get_item(1)?.extract()?, kind));
    }
    Ok(Some(found))
}
