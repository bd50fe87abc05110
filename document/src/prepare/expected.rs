//! Prepares expectations: reads their files, and checks that values lie inside their resource and that something is
//! left to compare.

use brolga_files::{Bytes, FileForm, HEADER, Texels};
use brolga_runtime::{Format, TextureShape};

use super::folder::form_of;
use super::load::{Loaded, Loader, MAPPED_FROM, check_array};
use crate::compare::numbers::{ExpectedBytes, compares_something};
use crate::error::{Fault, Problem};
use crate::model::expectation::{Expectation, Expected, Order, Plane, Rules, TexturePart, Tolerance};
use crate::model::number::NumberType;
use crate::model::query::QueryKind;
use crate::model::resource::Kind;
use crate::text::Span;

/// An expectation with its content.
#[derive(Clone, Debug)]
pub(crate) enum Check {
    Numbers {
        segments: Vec<ExpectedBytes>,
        /// Bytes of an element where the rules do not give them.
        natural_element: u64,
    },
    /// Levels of a texture. The format is that of the part compared: stencils are bytes.
    Texels {
        format: Format,
        levels: Vec<LayerLevel>,
        plane: Option<Plane>,
        texels: Vec<u8>,
    },
    Query {
        kind: QueryKind,
    },
}

/// A mip level of one layer of a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerLevel {
    pub mip: u32,
    pub layer: u32,
    /// Columns and rows, with the slices of a volume below each other and the samples of a texel next to each other.
    pub extents: [u32; 2],
}

impl LayerLevel {
    fn texels(&self) -> u64 {
        u64::from(self.extents[0]) * u64::from(self.extents[1])
    }
}

/// The levels in a part of a texture, in the order of memory.
fn levels(shape: &TextureShape, part: TexturePart) -> Vec<LayerLevel> {
    let all = (0..shape.layers).flat_map(|layer| (0..shape.mips).map(move |mip| (mip, layer)));
    let is_in = |(mip, layer): &(u32, u32)| {
        part.mip.is_none_or(|one| one == *mip) && part.layer.is_none_or(|one| one == *layer)
    };
    let level = |(mip, layer): (u32, u32)| {
        let [width, height, depth] = [shape.width, shape.height, shape.depth].map(|side| (side >> mip).max(1));
        LayerLevel { mip, layer, extents: [width * shape.samples.max(1), height * depth] }
    };
    all.filter(is_in).map(level).collect()
}

impl Loader<'_> {
    /// The content of an expectation about the resource.
    pub fn check(&self, expectation: &Expectation, loaded: &Loaded) -> Result<Check, Fault> {
        let Expectation { rules, part, span, content, .. } = expectation;
        let bad = |message: String| Err((Problem::value(message), span.clone()));
        if expectation.counter.is_some() && self.resource.counter.is_none() {
            return bad(format!("{} has no hidden counter: give it `counter = 0`", self.label()));
        }
        if let (Kind::Texture(shape), Some(Expected::File(_))) = (&loaded.kind, content)
            && !rules.are_of_numbers()
            && shape.format.block_extents() == [1, 1]
        {
            return self.texels(expectation, *shape);
        }
        if *part != TexturePart::default() {
            return bad("`mip`, `layer` and `plane` are for a `file` with the texels of a texture".into());
        }
        let Tolerance { codes, edge_share, wrong_share, .. } = rules.tolerance;
        if codes.is_some() || edge_share > 0.0 || wrong_share > 0.0 {
            return bad(format!(
                "`codes`, `edge_share` and `wrong_share` are for the texels of a texture, and {} is compared as numbers",
                self.label()
            ));
        }
        self.numbers(expectation, loaded, rules)
    }

    /// Expected texels in a file: those of the level that is named, of all levels, or of the first one alone.
    fn texels(&self, expectation: &Expectation, shape: TextureShape) -> Result<Check, Fault> {
        let Expectation { part, span, content: Some(Expected::File(file)), .. } = expectation else {
            return Err((Problem::value("texels are expected in a file"), expectation.span.clone()));
        };
        let bad = |message: String| Err((Problem::value(message), file.span.clone()));
        let has_stencil = matches!(shape.format, Format::D24_UNORM_S8_UINT | Format::D32_FLOAT_S8X24_UINT);
        if part.plane == Some(Plane::Stencil) && !has_stencil {
            return bad(format!("{} has the format {}, which has no stencil", self.label(), shape.format));
        }
        let format = if part.plane == Some(Plane::Stencil) { Format::R8_UINT } else { shape.format };
        let is_named = part.mip.is_some() || part.layer.is_some() || part.plane.is_some();
        let part = match is_named {
            true => TexturePart { mip: Some(part.mip.unwrap_or(0)), layer: Some(part.layer.unwrap_or(0)), ..*part },
            false => *part,
        };
        let mut levels = levels(&shape, part);
        if levels.is_empty() {
            let (mip, layer) = (part.mip.unwrap_or(0), part.layer.unwrap_or(0));
            let (label, TextureShape { mips, layers, .. }) = (self.label(), shape);
            let message = format!(
                "mip level {mip} of layer {layer} is expected, and {label} has {mips} levels and {layers} layers"
            );
            return Err((Problem::value(message), span.clone()));
        }
        let bytes_of = |levels: &[LayerLevel]| {
            levels.iter().map(LayerLevel::texels).sum::<u64>().saturating_mul(format.size_bytes().into())
        };
        let path = self.folder.file("expected file", &file.value);
        let failed = |problem| self.folder.failed(&file.span, path.clone(), problem);
        let form = form_of(&path);
        let most = bytes_of(&levels);
        let room = if form == FileForm::Raw { most } else { most.saturating_add(HEADER) };
        let bytes = self.folder.read(&path, room).map_err(failed)?;
        let texels = match form {
            FileForm::Raw => bytes,
            FileForm::Npy => {
                let (array, elements) = brolga_files::Array::read(&bytes).map_err(failed)?;
                if most == elements.len() as u64 && !is_named {
                    check_array(&Kind::Texture(shape), &array, most).map_err(failed)?;
                }
                elements.to_vec()
            }
            form => {
                let decoded = Texels::decode_until(form, bytes, Some(format), most, self.folder.cancel)
                    .and_then(|texels| texels.convert_until(format, most, self.folder.cancel));
                let texels = decoded.map_err(failed)?;
                let found = [texels.shape.width, texels.shape.height];
                if found != levels[0].extents && texels.shape.depth == 1 {
                    let ([width, height], [has_width, has_height]) = (found, levels[0].extents);
                    return bad(format!(
                        "the picture has {width} x {height} pixels, but {} has {has_width} x {has_height} there",
                        self.label()
                    ));
                }
                texels.bytes
            }
        };
        if texels.len() as u64 != most && texels.len() as u64 == bytes_of(&levels[..1]) {
            levels.truncate(1);
        }
        self.check_file_size(&path, texels.len() as u64, bytes_of(&levels), &file.span)?;
        Ok(Check::Texels { format, levels, plane: part.plane, texels })
    }

    fn numbers(&self, expectation: &Expectation, loaded: &Loaded, rules: &Rules) -> Result<Check, Fault> {
        let span = &expectation.span;
        let bad = |message: String| Err((Problem::value(message), span.clone()));
        let size = loaded.content.size_bytes();
        let number_bytes = rules.pattern.first().map_or(4, |number_type| number_type.size_bytes() as u64);
        let natural_element = loaded.kind.element_bytes().unwrap_or(number_bytes);
        let element = rules.element.unwrap_or(natural_element);
        let compared = match rules.elements {
            None => size,
            Some(elements) => match elements.saturating_mul(element) {
                bytes if bytes <= size => bytes,
                _ => {
                    let label = self.label();
                    return bad(format!(
                        "{elements} elements of {element} bytes do not fit into {label}: {size} bytes"
                    ));
                }
            },
        };
        let mut segments = Vec::new();
        match &expectation.content {
            None => {}
            Some(Expected::File(_)) => segments.push(self.segment(expectation, loaded, compared)?),
            Some(Expected::Values(runs)) => {
                for run in runs {
                    self.check_run(run, size)?;
                    let pattern = if rules.pattern.is_empty() { vec![run.number_type] } else { rules.pattern.clone() };
                    segments.push(ExpectedBytes { byte: run.byte, bytes: Bytes::Owned(run.bytes.clone()), pattern });
                }
            }
        }
        for segment in &segments {
            // All types of a pattern have one size.
            let unit = segment.pattern[0].size_bytes() as u64;
            if !segment.byte.is_multiple_of(unit) || !segment.bytes.size_bytes().is_multiple_of(unit) {
                let (number_type, end) = (segment.pattern[0], segment.byte + segment.bytes.size_bytes());
                return bad(format!("bytes {} to {end} are not a whole number of {number_type}", segment.byte));
            }
        }
        if expectation.content.is_some() && !compares_something(&segments, rules, natural_element) {
            let label = self.label();
            return bad(format!("this expectation compares nothing of {label}: every number is left out"));
        }
        if rules.order == Order::Any {
            check_any_order(span, &segments, element)?;
        }
        Ok(Check::Numbers { segments, natural_element })
    }

    /// The expected numbers in a file.
    fn segment(&self, expectation: &Expectation, loaded: &Loaded, compared: u64) -> Result<ExpectedBytes, Fault> {
        let Expectation { rules, span, content: Some(Expected::File(file)), .. } = expectation else {
            return Err((Problem::value("numbers are expected in a file"), expectation.span.clone()));
        };
        let mut pattern = rules.pattern.clone();
        let path = self.folder.file("expected file", &file.value);
        let large = self.large_file(file, &path, |length| length >= MAPPED_FROM)?;
        let (bytes, element) = match large.filter(|large| large.part.can_be_mapped()) {
            Some(large) => {
                let element = large.array.as_ref().map(|array| array.element);
                let size = large.part.size_bytes;
                let fits = large.array.map_or(Ok(()), |array| check_array(&loaded.kind, &array, size));
                fits.map_err(|problem| self.folder.failed(&file.span, path.clone(), problem))?;
                let buffer = large.part.map().map_err(|error| {
                    (Problem::Resource { label: self.label().to_owned(), error }, file.span.clone())
                })?;
                (Bytes::Buffer(buffer), element)
            }
            None => {
                let (content, _) = self.open(file, &path, loaded.kind.keys())?;
                (Bytes::Owned(content.bytes), content.element)
            }
        };
        if pattern.is_empty() {
            pattern.extend(element.and_then(NumberType::of_element));
        }
        let found = bytes.size_bytes();
        // A file may leave out elements that are not compared.
        if found != compared {
            self.check_file_size(&path, found, loaded.content.size_bytes(), &file.span)?;
        }
        if pattern.is_empty() {
            if rules.tolerance != Tolerance::EXACT {
                let problem = Problem::MissingKey {
                    place: "an expectation with a tolerance",
                    key: "type` or `words",
                    meaning: "the type of its numbers",
                };
                return Err((problem, span.clone()));
            }
            pattern.push(NumberType::U32);
        }
        Ok(ExpectedBytes { byte: 0, bytes, pattern })
    }
}

fn check_any_order(span: &Span, segments: &[ExpectedBytes], element: u64) -> Result<(), Fault> {
    let message = match segments {
        [] => return Ok(()),
        [ExpectedBytes { byte: 0, bytes, pattern }] => {
            let unit = pattern[0].size_bytes() as u64;
            let size = bytes.size_bytes();
            if element.is_multiple_of(unit) && size.is_multiple_of(element) {
                return Ok(());
            }
            format!("elements of {element} bytes do not divide the {size} expected bytes into numbers")
        }
        _ => "elements in any order are given as one list from byte 0".into(),
    };
    Err((Problem::value(message), span.clone()))
}
