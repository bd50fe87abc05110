//! Defines the benchmark suite: compute shaders and draws with fixed inputs and sizes. `scripts/peers.py` measures
//! other runtimes with the shaders.
//!
//! | file | what |
//! |---|---|
//! | `cases.rs` | inputs and sizes of each case |
//! | `model.rs` | expected results |
//! | `pictures.rs` | the same of cases with textures |
//! | `accesses.rs` | inputs and models of cases with irregular memory accesses |
//! | `trades.rs` | the same of cases from many fields |
//! | `export.rs` | cases as documents in files |
//! | `draws.rs` | draws |
//! | `shaders/` | the shaders in HLSL and as fxc compiles them, with its listings |

#![forbid(unsafe_code)]

use std::io;
use std::num::NonZeroU32;
use std::path::Path;

mod accesses;
mod cases;
mod draws;
mod export;
mod model;
mod pictures;
mod trades;

pub use cases::NAMES;
pub use draws::{DRAWINGS, Drawing, drawing_series};

use brolga_bench::Work;
use brolga_document::{Made, MadeKind, NumberType, Prepared, Tolerance};
use brolga_runtime::{Register, Sampler};
use cases::{Amount, Compare, SuiteCase};

/// A case that is ready to run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ready {
    /// The case as a document, with the expected result.
    pub document: Prepared,
    /// The work of a dispatch.
    pub work: Work,
    /// Dispatches in one sample, for [`Series::measure_together`](brolga_bench::Series::measure_together): their work
    /// does not depend on the content of memory.
    pub batch: NonZeroU32,
}

/// Makes the inputs of a case and computes its expected result; `None` if no case in [`NAMES`] has this name. The
/// larger ones take some 200 MiB while they are made and half of that afterwards.
pub fn prepare(name: &str) -> Option<Ready> {
    let case = SuiteCase::new(name)?;
    let expected = model::expected(&case);
    Some(Ready { document: CaseParts::of(&case, &expected).prepare(), work: work(&case, &expected), batch: case.batch })
}

/// Writes a case as a document, with all its files, to a folder, which is created if necessary; `None` if no case in
/// [`NAMES`] has this name.
///
/// # Errors
/// If a file cannot be written.
pub fn export(name: &str, folder: &Path) -> Option<io::Result<()>> {
    let case = SuiteCase::new(name)?;
    Some(export::write(&CaseParts::of(&case, &model::expected(&case)), folder))
}

/// The content of a case as a document.
struct CaseParts {
    name: &'static str,
    /// The name of its file, and the file's content.
    shader: (&'static str, &'static [u8]),
    groups: [u32; 3],
    resources: Vec<(Register, MadeKind, Vec<u8>)>,
    sampler: Option<(Register, Sampler)>,
    /// The expected content of `u0`.
    expected: Vec<u8>,
    number_type: NumberType,
    tolerance: Tolerance,
}

/// The register of the output.
const OUTPUT: Register = Register::u(0);

impl CaseParts {
    fn of(case: &SuiteCase, expected: &[u32]) -> Self {
        let mut resources = Vec::new();
        if !case.constants.is_empty() {
            resources.push((Register::b(0), MadeKind::Constant, cases::bytes(&case.constants)));
        }
        for (register, data) in (0..).map(Register::t).zip(&case.inputs).chain([(OUTPUT, &case.output)]) {
            resources.push((register, data.kind, data.bytes()));
        }
        let (number_type, tolerance) = match case.compare {
            Compare::Exact => (NumberType::U32, Tolerance::EXACT),
            Compare::Codes(codes) => (NumberType::U8, Tolerance { abs: Some(codes.into()), ..Tolerance::EXACT }),
            Compare::Near(share) => {
                let size = |&word: &u32| f64::from(f32::from_bits(word).abs());
                let mean = expected.iter().map(size).sum::<f64>() / expected.len() as f64;
                (NumberType::F32, Tolerance { abs: Some(0.1 * mean * share), rel: Some(share), ..Tolerance::EXACT })
            }
        };
        let sampler = case.sampler.map(|sampler| ("s0".parse().expect("it is a register"), sampler));
        let (name, shader, groups) = (case.name, case.container, case.groups);
        Self { name, shader, groups, resources, sampler, expected: cases::bytes(expected), number_type, tolerance }
    }

    fn prepare(self) -> Prepared {
        let made = Made::new(self.name, self.shader, self.groups);
        let made = self
            .resources
            .into_iter()
            .fold(made, |made, (register, kind, content)| made.resource(register, kind, content));
        let made = self.sampler.into_iter().fold(made, |made, (register, sampler)| made.sampler(register, sampler));
        made.expect(OUTPUT, self.expected, self.number_type, self.tolerance).prepare()
    }
}

fn work(case: &SuiteCase, results: &[u32]) -> Work {
    let (items, item) = case.items;
    let (bytes, operations) = match case.amount {
        Amount::Unsaid => (None, None),
        Amount::Bytes(bytes) => (Some(bytes), None),
        Amount::Operations(operations) => (None, Some(operations)),
        Amount::PerRound(each) => (None, Some(each * results.iter().map(|&rounds| u64::from(rounds)).sum::<u64>())),
    };
    Work { items, item, bytes, operations }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted_by_hand() {
        let work = |name| prepare(name).unwrap().work;
        assert_eq!(work("saxpy_l2"), Work { items: 65536, item: "elements", bytes: Some(786_432), operations: None });
        assert_eq!(work("tiny"), Work { items: 1, item: "dispatches", bytes: None, operations: None });
        assert_eq!(work("scan").bytes, Some(8 << 20));
        // Nine texels of 16 bytes in, one out.
        assert_eq!(work("conv3").bytes, Some(160 << 20));
        // Nine texels of 4 bytes in, one out.
        assert_eq!(work("median").bytes, Some(40 << 20));
        // Three bytes of four characters.
        assert_eq!(
            work("base64"),
            Work { items: 8 << 20, item: "characters", bytes: Some(14 << 20), operations: None }
        );
        // 45 steps for 512 keys, each of 256 comparisons, in 1024 groups.
        assert_eq!(work("bitonic").operations, Some(45 * 256 * 1024));
        // 8 operations a round, at most 256 rounds for each of 512 x 512 pixels, at least one.
        let operations = work("dmandel").operations.unwrap() / 8;
        assert!((512 * 512..=256 * 512 * 512).contains(&operations), "{operations}");
    }
}
