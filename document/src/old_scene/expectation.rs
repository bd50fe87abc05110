//! What a scene expects, and whether it holds.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use brolga_runtime::{Buffer, CancelToken, Format, ResourceError, Texture, room};

use super::content::{Content, Folder, Form, needed};
use super::document::{Expect, Order, Plane};
use super::error::{Problem, SceneError, find};
use super::memory::World;
use super::names::QueryKind;
use super::picture::{Picture, PictureCheck, Tolerance};
use super::sections::Document;
use super::step::Step;
use crate::files::{Bytes, FileForm, HEADER, Texels};
use crate::job::NumberType;
use crate::job::sort::{go_on, sorted};
use crate::raster::Statistics;

/// Bytes that are copied, or numbers that are compared, between two questions whether to go on.
const PIECE: u64 = 1 << 16;

/// An expectation whose files are read.
#[derive(Debug)]
pub(super) struct Expected {
    id: String,
    place: String,
    tolerance: Tolerance,
    what: What,
}

#[derive(Debug)]
enum What {
    /// The format is that of the file, whose texels have a byte where stencils are expected.
    Picture {
        resource: String,
        format: Format,
        extents: [u32; 2],
        mip: u32,
        layer: u32,
        plane: Plane,
        texels: Vec<u8>,
    },
    Numbers {
        resource: String,
        bytes: Vec<u8>,
        rules: NumberRules,
    },
    Query {
        name: String,
        values: BTreeMap<String, f64>,
        kind: QueryKind,
    },
}

/// How the numbers of a buffer are compared.
#[derive(Debug)]
struct NumberRules {
    number_type: NumberType,
    /// Numbers of an element, where elements may be in any order.
    shuffled: Option<usize>,
    most_bytes: usize,
}

/// An expectation, held against what came out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The expectation's name in the scene.
    pub id: String,
    /// How it came out.
    pub result: CheckResult,
    bytes: Vec<u8>,
}

/// How an expectation came out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CheckResult {
    /// A picture.
    Picture(PictureCheck),
    /// The numbers of a buffer.
    Numbers {
        /// How many were compared.
        compared: u64,
        /// How many are beyond their slack.
        wrong: u64,
    },
    /// The values of a query.
    Query(Vec<QueryValue>),
}

/// A value of a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryValue {
    /// Its name: `samples`.
    pub name: String,
    /// What it is; none if it is not counted yet.
    pub found: Option<u64>,
    /// What it should be.
    pub expected: f64,
    /// Whether it is within the tolerance, if it is counted.
    pub holds: Option<bool>,
}

impl Checked {
    /// Whether it holds; none if some of it could not be checked and all else holds.
    pub fn holds(&self) -> Option<bool> {
        match &self.result {
            CheckResult::Picture(check) => Some(check.holds()),
            CheckResult::Numbers { wrong, .. } => Some(*wrong == 0),
            CheckResult::Query(values) if values.iter().any(|value| value.holds == Some(false)) => Some(false),
            CheckResult::Query(values) => {
                values.iter().map(|value| value.holds).collect::<Option<Vec<_>>>().map(|_| true)
            }
        }
    }

    /// The bytes that were looked at: those of the buffer, or of the picture without anything between its rows.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn has_same_bits(&self, other: &Self) -> bool {
        let counts = |checked: &Self| match &checked.result {
            CheckResult::Query(values) => values.iter().map(|value| value.found).collect(),
            _ => Vec::new(),
        };
        self.bytes == other.bytes && counts(self) == counts(other)
    }
}

impl Expected {
    /// Reads what an expectation at a place names.
    pub fn load(
        place: String,
        expect: &Expect,
        document: &Document,
        contents: &BTreeMap<String, Content>,
        folder: &Folder<'_>,
    ) -> Result<Self, SceneError> {
        let what = match (&expect.resource, &expect.query) {
            (Some(resource), None) => {
                let content = find(contents, "resource", resource, || format!("{place}.resource"))?;
                let file = needed(&place, "file", expect.file.as_ref())?;
                let at = format!("{place}.file");
                match content.form {
                    Form::Texture(shape) => picture(&at, expect, resource.clone(), shape, file, folder)?,
                    Form::Buffer { size_bytes } => {
                        let bytes = folder.bytes(&at, file, size_bytes)?;
                        What::Numbers { resource: resource.clone(), bytes, rules: NumberRules::new(&place, expect)? }
                    }
                }
            }
            (None, Some(name)) => {
                let mut queries = BTreeMap::new();
                for step in &document.steps {
                    if let Step::Draw(draw) = step
                        && let Some(query) = &draw.query
                    {
                        queries.entry(query.name.as_str()).or_insert(query.kind);
                    }
                }
                let kind = *find(&queries, "query", name, || format!("{place}.query"))?;
                let values = needed(&place, "values", expect.values.clone())?;
                if kind == QueryKind::Occlusion && values.keys().any(|value| value != "samples") {
                    return Err(SceneError::value(place, "an occlusion query has `samples` and nothing else"));
                }
                What::Query { name: name.clone(), values, kind }
            }
            _ => return Err(SceneError::value(place, "an expectation has either `resource` or `query`")),
        };
        Ok(Self { id: expect.id.clone(), place, tolerance: expect.tolerance, what })
    }

    /// Holds it against what a run left, unless the token is cancelled.
    pub fn check(
        &self,
        world: &World<'_>,
        queries: &BTreeMap<&str, Statistics>,
        cancel: &CancelToken,
    ) -> Result<Checked, SceneError> {
        let failed = |error| SceneError::new(&self.place, Problem::of_memory(error, cancel));
        let stop = || cancel.is_cancelled();
        let (bytes, result) = match &self.what {
            What::Query { name, values, kind } => {
                let statistics = queries.get(name.as_str()).copied().unwrap_or_default();
                let value = |(name, &expected): (&String, &f64)| {
                    let found = kind.counter(&statistics, name);
                    let slack = self.tolerance.slack(expected);
                    let holds = found.map(|found| (found as f64 - expected).abs() <= slack);
                    QueryValue { name: name.clone(), found, expected, holds }
                };
                (Vec::new(), CheckResult::Query(values.iter().map(value).collect()))
            }
            What::Numbers { resource, bytes: expected, rules } => {
                let buffer = world.buffer(resource, || self.place.clone())?;
                let found = Bytes::Buffer(buffer).first(u64::MAX, &stop).map_err(failed)?;
                let result = rules.check(&found, expected, &self.tolerance, &stop).map_err(failed)?;
                (found, result)
            }
            What::Picture { resource, format, extents, mip, layer, plane, texels } => {
                let texture: Texture = world.texture(resource, || self.place.clone())?;
                let texel_bytes = texture.shape().format.size_bytes() as usize;
                let level = texture.level_bytes(*mip, *layer).map_err(failed)?;
                let mut found = part(texture.buffer(), level, &stop).map_err(failed)?;
                if *plane == Plane::Stencil {
                    // The last byte of four, or the fifth of eight.
                    let stencil = if texel_bytes == 4 { 3 } else { 4 };
                    let texels = found.len() / texel_bytes;
                    (0..texels).for_each(|n| found[n] = found[n * texel_bytes + stencil]);
                    found.truncate(texels);
                }
                let expected = Picture::new(*format, *extents, texels);
                let check = expected.check(&Picture::new(*format, *extents, &found), &self.tolerance, &stop);
                (found, CheckResult::Picture(check.map_err(failed)?))
            }
        };
        Ok(Checked { id: self.id.clone(), result, bytes })
    }
}

/// A copy of some bytes of a buffer.
fn part(buffer: &Buffer, range: Range<u64>, stop: &dyn Fn() -> bool) -> Result<Vec<u8>, ResourceError> {
    let mut bytes = room::room(range.end - range.start)?;
    let mut piece = room::zeros::<u8>(PIECE.min(range.end - range.start))?;
    for at in range.clone().step_by(PIECE as usize) {
        go_on(stop)?;
        let piece = &mut piece[..PIECE.min(range.end - at) as usize];
        buffer.read(at, piece)?;
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}

/// The expected picture in a file: one level of one layer of a texture.
fn picture(
    place: &str,
    expect: &Expect,
    resource: String,
    shape: brolga_runtime::TextureShape,
    file: &str,
    folder: &Folder<'_>,
) -> Result<What, SceneError> {
    let (mip, layer, plane) = (expect.mip.unwrap_or(0), expect.layer.unwrap_or(0), expect.plane);
    let has_stencil = matches!(shape.format, Format::D24_UNORM_S8_UINT | Format::D32_FLOAT_S8X24_UINT);
    if plane == Plane::Stencil && !has_stencil {
        let message = format!("`{resource}` has the format {}, which has no stencil", shape.format);
        return Err(SceneError::value(place, message));
    }
    let format = if plane == Plane::Stencil { Format::R8_UINT } else { shape.format };
    if mip >= shape.mips || layer >= shape.layers {
        let message = format!(
            "mip level {mip} of layer {layer} is expected, and `{resource}` has {} levels and {} layers",
            shape.mips, shape.layers
        );
        return Err(SceneError::value(place, message));
    }
    if shape.depth > 1 || format.block_extents() != [1, 1] {
        return Err(SceneError::unsupported(place, "pictures of volumes and of compressed formats are"));
    }
    let extents = [shape.width, shape.height].map(|side| (side >> mip).max(1));
    let size_bytes = u64::from(extents[0]) * u64::from(extents[1]) * u64::from(format.size_bytes());
    let is_png = FileForm::of(file.as_ref()) == FileForm::Png;
    let most = if is_png { size_bytes.saturating_add(HEADER) } else { size_bytes };
    let bytes = folder.bytes(place, file, most)?;
    let texels = match is_png {
        false => bytes,
        true => {
            let decoded = Texels::decode_until(FileForm::Png, bytes, Some(format), size_bytes, folder.cancel)
                .and_then(|texels| texels.convert_until(format, size_bytes, folder.cancel));
            let texels = decoded.map_err(|problem| folder.failed(place, file.into(), problem))?;
            if [texels.shape.width, texels.shape.height] != extents {
                let [width, height] = extents;
                let message = format!(
                    "the picture has {} x {} pixels, but `{resource}` has {width} x {height} there",
                    texels.shape.width, texels.shape.height
                );
                return Err(SceneError::value(place, message));
            }
            texels.bytes
        }
    };
    match texels.len() as u64 {
        found if found == size_bytes => Ok(What::Picture { resource, format, extents, mip, layer, plane, texels }),
        found => Err(SceneError::value(place, format!("the file has {found} bytes, but the picture {size_bytes}"))),
    }
}

impl NumberRules {
    fn new(place: &str, expect: &Expect) -> Result<Self, SceneError> {
        let number_type = expect.number_type.map_or(NumberType::U32, |name| name.0);
        let number_bytes = number_type.size_bytes() as u64;
        let element = match expect.element {
            None if expect.order == Order::Any || expect.elements.is_some() => {
                return Err(SceneError::value(place, "`order` and `elements` need `element`, the bytes of an element"));
            }
            Some(bytes) if bytes == 0 || !bytes.is_multiple_of(number_bytes) => {
                let message = format!("`element` is {bytes} bytes, not a multiple of the {number_bytes} of a number");
                return Err(SceneError::value(place, message));
            }
            element => element.unwrap_or(number_bytes),
        };
        let most_bytes = expect.elements.map_or(u64::MAX, |elements| elements.saturating_mul(element));
        let shuffled = (expect.order == Order::Any).then_some((element / number_bytes) as usize);
        Ok(Self { number_type, shuffled, most_bytes: usize::try_from(most_bytes).unwrap_or(usize::MAX) })
    }

    fn check(
        &self,
        found: &[u8],
        expected: &[u8],
        tolerance: &Tolerance,
        stop: &dyn Fn() -> bool,
    ) -> Result<CheckResult, ResourceError> {
        let count = expected.len().min(self.most_bytes);
        let [found, expected] = [found, expected].map(|bytes| &bytes[..count.min(bytes.len())]);
        let (mut compared, mut wrong) = (0, 0);
        let mut compare = |found: f64, expected: f64| {
            let is_same = found == expected || (found.is_nan() && expected.is_nan());
            let holds = is_same || (found - expected).abs() <= tolerance.slack(expected);
            if compared % PIECE == 0 {
                go_on(stop)?;
            }
            compared += 1;
            wrong += u64::from(!holds);
            Ok::<_, ResourceError>(())
        };
        match self.shuffled {
            None => {
                let mut pairs = self.numbers(found).zip(self.numbers(expected));
                pairs.try_for_each(|(found, expected)| compare(found, expected))?;
            }
            Some(count) => {
                let element = count * self.number_type.size_bytes();
                let orders = (self.order(found, element, stop)?, self.order(expected, element, stop)?);
                for (at, expected_at) in orders.0.into_iter().zip(orders.1) {
                    let [found, expected] = [(found, at), (expected, expected_at)]
                        .map(|(bytes, at)| self.numbers(&bytes[at as usize * element..][..element]));
                    found.zip(expected).try_for_each(|(found, expected)| compare(found, expected))?;
                }
            }
        }
        Ok(CheckResult::Numbers { compared, wrong })
    }

    fn numbers(&self, bytes: &[u8]) -> impl Iterator<Item = f64> {
        let numbers = bytes.chunks_exact(self.number_type.size_bytes());
        numbers.map(|number| self.number_type.read(number).as_f64())
    }

    /// The places of elements of so many bytes, in the order of their numbers.
    fn order(&self, bytes: &[u8], element: usize, stop: &dyn Fn() -> bool) -> Result<Vec<u64>, ResourceError> {
        let mut places = room::room((bytes.len() / element) as u64)?;
        places.extend(0..(bytes.len() / element) as u64);
        let numbers = |place: u64| self.numbers(&bytes[place as usize * element..][..element]);
        let compare = |one: u64, other: u64| {
            for (n, (one, other)) in numbers(one).zip(numbers(other)).enumerate() {
                let order = one.total_cmp(&other);
                // An element may be as long as all: any order will do for somebody who wants none.
                if order.is_ne() || (n as u64 % PIECE == PIECE - 1 && stop()) {
                    return order;
                }
            }
            Ordering::Equal
        };
        sorted(places, element as u64, &compare, stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(number_type: NumberType, shuffled: Option<usize>) -> NumberRules {
        NumberRules { number_type, shuffled, most_bytes: usize::MAX }
    }

    fn counts(rules: &NumberRules, found: &[u32], expected: &[u32], tolerance: Tolerance) -> [u64; 2] {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        match rules.check(&bytes(found), &bytes(expected), &tolerance, &|| false).unwrap() {
            CheckResult::Numbers { compared, wrong } => [compared, wrong],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_hold_within_the_tolerance_of_their_type() {
        let exact = Tolerance::default();
        // A buffer may be longer than what is expected of it.
        assert_eq!(counts(&rules(NumberType::U32, None), &[1, 2, 9], &[1, 3], exact), [2, 1]);
        let near = Tolerance { abs: 1.0, rel: 0.1, ..exact };
        assert_eq!(counts(&rules(NumberType::U32, None), &[1, 90, 80], &[2, 100, 100], near), [3, 1]);
        assert_eq!(counts(&rules(NumberType::I32, None), &[u32::MAX], &[0], near), [1, 0]);
        let [nan, other_nan] = [f32::NAN.to_bits(), (-f32::NAN).to_bits()];
        assert_eq!(counts(&rules(NumberType::F32, None), &[nan, nan], &[other_nan, 0], near), [2, 1]);
    }

    #[test]
    fn elements_may_be_in_any_order() {
        let (pairs, exact) = (rules(NumberType::U32, Some(2)), Tolerance::default());
        assert_eq!(counts(&pairs, &[3, 4, 1, 2], &[1, 2, 3, 4], exact), [4, 0]);
        assert_eq!(counts(&pairs, &[3, 2, 1, 4], &[1, 2, 3, 4], exact), [4, 2]);
        let first = NumberRules { most_bytes: 4, ..rules(NumberType::U32, None) };
        assert_eq!(counts(&first, &[1, 7], &[1, 2], exact), [1, 0]);
    }
}
