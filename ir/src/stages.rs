//! Holds one value for each stage of a pipeline: shaders, their bindings, their compile options.

use std::array;
use std::ops::{Index, IndexMut};

pub use brolga_bytecode::sm5::Stage as StageKind;

/// The stages in the order of the pipeline. Compute, which is not part of it, comes last.
const ORDER: [StageKind; 6] =
    [StageKind::Vertex, StageKind::Hull, StageKind::Domain, StageKind::Geometry, StageKind::Pixel, StageKind::Compute];

/// A value for each stage, by its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stages<T>([T; ORDER.len()]);

impl<T> Stages<T> {
    /// Makes each value from its stage.
    pub fn from_fn(mut value: impl FnMut(StageKind) -> T) -> Self {
        Self(array::from_fn(|n| value(ORDER[n])))
    }

    /// The values, in the order of the pipeline.
    pub fn iter(&self) -> impl Iterator<Item = (StageKind, &T)> {
        ORDER.into_iter().zip(&self.0)
    }

    /// Maps the values.
    pub fn map<U>(self, mut value: impl FnMut(StageKind, T) -> U) -> Stages<U> {
        let mut order = ORDER.into_iter();
        Stages(self.0.map(|one| value(order.next().expect("as many as values"), one)))
    }
}

impl<T: Clone> From<T> for Stages<T> {
    /// The same for all stages.
    fn from(value: T) -> Self {
        Self::from_fn(|_| value.clone())
    }
}

impl<T> Stages<Option<T>> {
    /// The values that are present, in the order of the pipeline.
    pub fn present(&self) -> impl Iterator<Item = (StageKind, &T)> {
        self.iter().filter_map(|(kind, value)| Some((kind, value.as_ref()?)))
    }
}

impl<T> Index<StageKind> for Stages<T> {
    type Output = T;

    fn index(&self, kind: StageKind) -> &T {
        &self.0[position(kind)]
    }
}

impl<T> IndexMut<StageKind> for Stages<T> {
    fn index_mut(&mut self, kind: StageKind) -> &mut T {
        &mut self.0[position(kind)]
    }
}

/// The position of a stage in the pipeline, from 0 on.
pub fn position(kind: StageKind) -> usize {
    ORDER.iter().position(|&stage| stage == kind).expect("every stage is there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_own_value() {
        let mut stages = Stages::from_fn(StageKind::text);
        assert!(StageKind::ALL.into_iter().all(|kind| stages[kind] == kind.text()));
        stages[StageKind::Domain] = "other";
        assert_eq!(stages.iter().map(|(_, text)| *text).collect::<Vec<_>>(), ["vs", "hs", "other", "gs", "ps", "cs"]);
        let few = stages.map(|kind, text| (kind.text() == text && kind > StageKind::Geometry).then_some(text));
        assert_eq!(few.present().collect::<Vec<_>>(), [(StageKind::Hull, &"hs"), (StageKind::Compute, &"cs")]);
    }
}
