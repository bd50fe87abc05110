//! Compares the results of a run with what was expected.
//!
//! | file | what |
//! |---|---|
//! | `numbers.rs` | numbers in memory |
//! | `picture.rs` | texels |
//! | `sort.rs` | elements in any order |
//! | `difference.rs` | pictures of mismatches |

mod difference;
pub(crate) mod numbers;
pub(crate) mod picture;
pub(crate) mod sort;

use std::fmt;

use brolga_runtime::insight::CheckedRun;

pub use numbers::{Difference, NumberCheck};
pub use picture::{PictureCheck, Pixel};

/// The result of checking one expectation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The expectation's name: the key `id`, else the resource's or the query's.
    pub id: String,
    /// The comparison, by kind of expectation.
    pub result: CheckResult,
    /// The hidden counter, if it is not as expected.
    pub counter: Option<CounterDifference>,
}

/// The result of one expectation, by its kind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CheckResult {
    /// Levels of a texture.
    Pictures(Vec<LevelCheck>),
    /// Numbers in memory.
    Numbers(NumberCheck),
    /// The values of a query.
    Query(Vec<QueryValue>),
    /// What a check of each dispatch and of each stage of draws reports, of a document with `check = true`.
    Clean(Vec<CheckedRun>),
}

/// The result for one level of a texture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelCheck {
    /// The mip level.
    pub mip: u32,
    /// The layer.
    pub layer: u32,
    /// The result of comparing its pixels.
    pub check: PictureCheck,
}

/// A hidden counter that is not as expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CounterDifference {
    /// Its value; `None` if the resource has none.
    pub got: Option<u32>,
    /// The value it should have.
    pub expected: u32,
}

/// A value of a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryValue {
    /// Its name: `samples`.
    pub name: String,
    /// Its value; `None` if it is not counted yet.
    pub found: Option<u64>,
    /// The value it should have.
    pub expected: f64,
    /// `true` if it is within the tolerance; `None` if it is not counted yet.
    pub holds: Option<bool>,
}

impl Checked {
    /// The result of `check = true`.
    pub(crate) fn clean(runs: Vec<CheckedRun>) -> Self {
        Self { id: "check".into(), result: CheckResult::Clean(runs), counter: None }
    }

    /// `true` if the expectation holds; `None` if part of it could not be checked and the rest holds.
    pub fn holds(&self) -> Option<bool> {
        if self.counter.is_some() {
            return Some(false);
        }
        match &self.result {
            CheckResult::Pictures(levels) => Some(levels.iter().all(|level| level.check.holds())),
            CheckResult::Numbers(check) => Some(check.mismatches == 0),
            CheckResult::Query(values) if values.iter().any(|value| value.holds == Some(false)) => Some(false),
            CheckResult::Query(values) => {
                values.iter().map(|value| value.holds).collect::<Option<Vec<_>>>().map(|_| true)
            }
            CheckResult::Clean(runs) => Some(runs.iter().all(|run| run.checked.findings.is_empty())),
        }
    }

    /// `true` if the expectation does not hold.
    pub fn failed(&self) -> bool {
        self.holds() == Some(false)
    }
}

impl fmt::Display for Checked {
    /// The result in numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            CheckResult::Pictures(levels) => {
                let sum = |count: fn(&PictureCheck) -> u64| levels.iter().map(|level| count(&level.check)).sum::<u64>();
                let (pixels, different) = (sum(|check| check.pixels), sum(|check| check.different));
                let (edge, wrong) = (sum(|check| check.edge), sum(|check| check.wrong));
                let share = 100.0 * different as f64 / pixels.max(1) as f64;
                write!(
                    f,
                    "{different} of {pixels} pixels differ ({share:.4} %), {} beyond the slack: {edge} of edges (at most {}), \
                     {wrong} wrong (at most {})",
                    edge + wrong,
                    sum(|check| check.most_edge),
                    sum(|check| check.most_wrong),
                )?;
            }
            CheckResult::Numbers(check) => write!(f, "{} of {} differ", check.mismatches, check.compared)?,
            CheckResult::Query(values) => {
                for (n, QueryValue { name, found, expected, .. }) in values.iter().enumerate() {
                    let between = if n == 0 { "" } else { "; " };
                    match found {
                        Some(found) => write!(f, "{between}{name} is {found}, expected {expected}")?,
                        None => write!(f, "{between}{name} is not counted yet, expected {expected}")?,
                    }
                }
            }
            CheckResult::Clean(runs) => match runs.iter().map(|run| run.checked.findings.len()).sum() {
                0 => write!(f, "nothing found")?,
                1 => write!(f, "1 finding")?,
                count => write!(f, "{count} findings")?,
            },
        }
        match self.counter {
            None => Ok(()),
            Some(CounterDifference { got, expected }) => {
                let got = got.map_or("absent".into(), |got| got.to_string());
                write!(f, "; the hidden counter is {got}, expected {expected}")
            }
        }
    }
}
