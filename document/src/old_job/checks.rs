//! What each expectation compares: its file is read, its values lie inside of their view, and something is left to compare.

use super::compare::{Segment, compares_something};
use super::document::Span;
use super::error::{JobError, Problem};
use super::load::LoadedView;
use super::load::{Loader, MAPPED_FROM, check_array};
use super::model::*;
use super::prepare::Check;
use super::values::NumberType;
use crate::files::Bytes;

impl Loader<'_> {
    /// What an expectation compares.
    pub fn check(&self, expectation: &Expectation, view: &LoadedView) -> Result<Check, JobError> {
        let rules = &expectation.rules;
        let bad = |span: &Span, message: String| Err(self.job.error(span, Problem::Expectation { message }));
        if expectation.counter.is_some() && self.binding.counter.is_none() {
            let register = self.register();
            return bad(&expectation.span, format!("{register} has no hidden counter: give its binding `counter = 0`"));
        }
        let size = view.content.size_bytes();
        let natural_element = match view.kind {
            Kind::Structured { stride, .. } => u64::from(stride),
            Kind::Typed { format, .. } => u64::from(format.size_bytes()),
            Kind::Texture(shape) => u64::from(shape.format.size_bytes()),
            _ => rules.pattern.first().map_or(4, |number_type| number_type.size_bytes() as u64),
        };
        let element = rules.element.unwrap_or(natural_element);
        let compared = match rules.elements {
            None => size,
            Some(elements) => match elements.saturating_mul(element) {
                bytes if bytes <= size => bytes,
                _ => {
                    let register = self.register();
                    let message =
                        format!("{elements} elements of {element} bytes do not fit into {register}: {size} bytes");
                    return bad(&expectation.span, message);
                }
            },
        };
        let mut segments = Vec::new();
        match &expectation.content {
            None => {}
            Some(Expected::File(file)) => {
                let mut pattern = rules.pattern.clone();
                let path = self.job.resolve(&file.value);
                let large = self.large_file(file, |length| length >= MAPPED_FROM)?;
                let (bytes, element) = match large.filter(|large| large.part.can_be_mapped()) {
                    Some(large) => {
                        let element = large.array.as_ref().map(|array| array.element);
                        let fits =
                            large.array.map_or(Ok(()), |array| check_array(&view.kind, &array, large.part.size_bytes));
                        fits.map_err(|problem| self.bad_file(path.clone(), problem, &file.span))?;
                        let buffer = large.part.map().map_err(|error| {
                            self.job.error(&file.span, Problem::Resource { register: self.register(), error })
                        })?;
                        (Bytes::Buffer(buffer), element)
                    }
                    None => {
                        let (content, _) = self.open(file, view.kind.keys())?;
                        (Bytes::Owned(content.bytes), content.element)
                    }
                };
                if pattern.is_empty() {
                    pattern.extend(element.and_then(NumberType::of_element));
                }
                let found = bytes.size_bytes();
                // A file may leave out what is not compared.
                if found != compared {
                    self.check_file_size(&path, found, size, &file.span)?;
                }
                if pattern.is_empty() {
                    let problem = Problem::MissingKey { place: "an expectation", key: "type` or `words" };
                    return Err(self.job.error(&expectation.span, problem));
                }
                segments.push(Segment { byte: 0, bytes, pattern });
            }
            Some(Expected::Values(runs)) => {
                for run in runs {
                    self.check_run(run, size)?;
                    let pattern = if rules.pattern.is_empty() { vec![run.number_type] } else { rules.pattern.clone() };
                    let bytes = Bytes::Owned(run.bytes.clone());
                    segments.push(Segment { byte: run.byte, bytes, pattern });
                }
            }
        }
        for segment in &segments {
            // All types of a pattern have one size.
            let unit = segment.pattern[0].size_bytes() as u64;
            if !segment.byte.is_multiple_of(unit) || !segment.bytes.size_bytes().is_multiple_of(unit) {
                let (number_type, end) = (segment.pattern[0], segment.byte + segment.bytes.size_bytes());
                let message = format!("bytes {} to {end} are not a whole number of {number_type}", segment.byte);
                return bad(&expectation.span, message);
            }
        }
        if expectation.content.is_some() && !compares_something(&segments, rules, natural_element) {
            let register = self.register();
            let message = format!("this expectation compares nothing of {register}: every number is left out");
            return bad(&expectation.span, message);
        }
        if rules.order == Order::Any {
            self.check_any_order(expectation, &segments, element)?;
        }
        Ok(Check { segments, natural_element })
    }

    fn check_any_order(&self, expectation: &Expectation, segments: &[Segment], element: u64) -> Result<(), JobError> {
        let message = match segments {
            [] => return Ok(()),
            [Segment { byte: 0, bytes, pattern }] => {
                let unit = pattern[0].size_bytes() as u64;
                if element.is_multiple_of(unit) && bytes.size_bytes().is_multiple_of(element) {
                    return Ok(());
                }
                format!(
                    "elements of {element} bytes do not divide the {} expected bytes into numbers",
                    bytes.size_bytes()
                )
            }
            _ => "elements in any order are given as one list from byte 0".into(),
        };
        Err(self.job.error(&expectation.span, Problem::Expectation { message }))
    }
}
