//! The suite: compute shaders and draws with fixed inputs and sizes. `scripts/peers.py` measures another runtime with the shaders.
//!
//! | file | what |
//! |---|---|
//! | `cases.rs` | inputs and sizes of each case |
//! | `model.rs` | what must come out |
//! | `pictures.rs` | the same of cases with textures |
//! | `accesses.rs` | inputs and models of cases whose threads read here and there |
//! | `trades.rs` | the same of cases of many trades |
//! | `export.rs` | cases as jobs in files |
//! | `draws.rs` | draws |
//! | `shaders/` | the shaders in HLSL and as fxc compiles them, with its listings |

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
pub use draws::{DRAWINGS, Drawing};

use super::Work;
use crate::job::{Kind, NumberType, Prepared, Tolerance};
use crate::job::{MemoryExpectation, MemoryJob, MemoryView};
use cases::{Amount, Case, Compare};

/// A case that is ready to run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Ready {
    /// As a job, with what must come out.
    pub job: Prepared,
    /// What a dispatch does.
    pub work: Work,
    /// Dispatches in one sample, for [`Series::measure_together`](super::Series::measure_together): what they find in memory does not
    /// change their work.
    pub batch: NonZeroU32,
}

/// Makes the inputs of a case and computes what must come out; `None` if no case in [`NAMES`] is called so. The larger
/// ones take some 200 MiB while they are made and half of that afterwards.
pub fn prepare(name: &str) -> Option<Ready> {
    let case = Case::new(name)?;
    let expected = model::expected(&case);
    Some(Ready { job: job(&case, &expected).prepare(), work: work(&case, &expected), batch: case.batch })
}

/// Writes a case as a job, with all its files, to a folder, which is made if there is none; `None` if no case in [`NAMES`] is called so.
///
/// # Errors
/// If a file cannot be written.
pub fn export(name: &str, folder: &Path) -> Option<io::Result<()>> {
    let case = Case::new(name)?;
    Some(export::write(&job(&case, &model::expected(&case)), folder))
}

fn job(case: &Case, expected: &[u32]) -> MemoryJob<'static> {
    let mut views = Vec::new();
    if !case.constants.is_empty() {
        views.push(MemoryView { register: "b0", kind: Kind::Constant, content: cases::bytes(&case.constants) });
    }
    if let Some(sampler) = case.sampler {
        views.push(MemoryView { register: "s0", kind: Kind::Sampler(sampler), content: Vec::new() });
    }
    for (register, data) in ["t0", "t1", "t2", "t3"].into_iter().zip(&case.inputs).chain([("u0", &case.output)]) {
        views.push(MemoryView { register, kind: data.kind, content: data.bytes() });
    }
    let (number_type, tolerance) = match case.compare {
        Compare::Exact => (NumberType::U32, Tolerance::EXACT),
        Compare::Codes(codes) => (NumberType::U8, Tolerance { abs: Some(codes.into()), ..Tolerance::EXACT }),
        Compare::Near(share) => {
            let size = |&word: &u32| f64::from(f32::from_bits(word).abs());
            let mean = expected.iter().map(size).sum::<f64>() / expected.len() as f64;
            (NumberType::F32, Tolerance { abs: Some(0.1 * mean * share), rel: Some(share), ulp: None })
        }
    };
    let expectation = MemoryExpectation { register: "u0", content: cases::bytes(expected), number_type, tolerance };
    MemoryJob { name: case.name, shader: case.container, dispatch: case.groups, views, expectation }
}

fn work(case: &Case, results: &[u32]) -> Work {
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
