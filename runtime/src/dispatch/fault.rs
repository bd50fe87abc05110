//! Reports why a run did not finish.

use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::span::Span;

use crate::error::Error;
use crate::shader::Shader;
use crate::stop::{StopReason, StopWord};

/// Reason why a run did not finish.
#[derive(Debug)]
pub(super) enum Failure {
    /// A span met a fault, in this group.
    Fault { fault: Fault, group: [u32; 3] },
    /// A thread could not begin, or an internal fault.
    Error(Error),
}

/// Outcome of a run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Groups that finished.
    pub groups_done: u64,
    /// The failure to report.
    pub failure: Option<Failure>,
}

/// A fault of a span.
#[cold]
pub(super) fn fault_in(span: &Span, fault: Fault) -> Failure {
    Failure::Fault { fault, group: span.group(fault.group) }
}

/// The error for a run of this many groups that did not finish.
#[cold]
pub(super) fn error_of(shader: &Shader, fuel: Option<u64>, stop: &StopWord, outcome: Outcome, groups: u64) -> Error {
    let groups_done = outcome.groups_done;
    let why = stop.reason();
    let (fault, group) = match (outcome.failure, why) {
        (Some(Failure::Error(error)), _) => return error,
        (Some(Failure::Fault { fault, group }), _) => (fault, group),
        (None, Some(why)) => return Error::StoppedBetweenGroups { why, groups_done, groups },
        (None, None) => return Error::Internal { what: "groups are missing and none failed".to_owned() },
    };
    let location = shader.location(fault.origin);
    match (fault.kind, why) {
        (FaultKind::Stopped, Some(why)) if fault.origin == Default::default() => {
            Error::StoppedBetweenGroups { why, groups_done, groups }
        }
        (FaultKind::Stopped, Some(why)) => Error::Stopped { why, location, group },
        (FaultKind::OutOfFuel, _) => {
            Error::Stopped { why: StopReason::Fuel(fuel.unwrap_or(u64::MAX)), location, group }
        }
        (FaultKind::DivergentBarrier { threads }, _) => Error::DivergentBarrier {
            location: Box::new(location),
            barrier: shader.barrier_of_branch(fault.origin).map(Box::new),
            group,
            threads: threads.map(|thread| position(shader, thread)),
        },
        (FaultKind::Aborted { thread }, _) => {
            Error::Aborted { location: Box::new(location), group, thread: position(shader, thread) }
        }
        (kind, _) => Error::Internal { what: format!("{kind:?} in group {group:?} at {location}") },
    }
}

/// The position of a thread in its group.
fn position(shader: &Shader, thread: u32) -> [u32; 3] {
    let [width, height, _] = shader.group_size();
    [thread % width, thread / width % height, thread / width / height]
}
