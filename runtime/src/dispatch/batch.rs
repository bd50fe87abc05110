//! Runs batches of invocations of a draw's shaders on the caller's own thread.

use brolga_fenv::in_default_mode;
use brolga_ir::batch::ArrayWords;
use brolga_ir::entity::ArrayId;
use brolga_ir::host::Fault;
use brolga_ir::interface::Array;
use brolga_ir::pipeline::record::{DomainArray, GeometryArray, HullArray};
use brolga_ir::stage::Stage;

use super::fault::{Failure, Outcome, error_of};
use super::insight::{CheckedStage, Postbox};
use super::stage::{StageRun, StageSession};
use super::worker::Session;
use crate::engine::{Link, float_guard};
use crate::error::{BatchError, Error};
use crate::host::Reach;
use crate::shader::Shader;
use crate::stop::StopWord;

impl Session<'_> {
    /// Runs a batch of invocations of a shader of another stage than compute. The arrays are those that the shader declares,
    /// in order: the invocations' inputs and outputs (laid out by [`Signature`](crate::Signature)). Each holds an element
    /// for every invocation; those of a hull, domain or geometry shader are [`HullArray`]s, [`DomainArray`]s and
    /// [`GeometryArray`]s. The pixels of a quad are consecutive; pixels with no samples in
    /// [`SystemValue::Coverage`](crate::SystemValue::Coverage) are helper lanes.
    ///
    /// # Errors
    /// If the batch does not fit the shader, or did not finish. The arrays then hold what was written until it stopped.
    #[inline]
    pub fn batch(&mut self, invocations: u32, arrays: &mut [ArrayWords<'_>]) -> Result<(), Error> {
        check(self.shader, invocations, arrays)?;
        self.frame.renew();
        let postbox = self.postbox();
        let link = Link::new(self.code, self.resolved.views(), &self.frame, self.begun.watch.stop(), &postbox);
        let mode = float_guard(self.code);
        let result = self.seat.start(&link, &mode).batch(invocations, arrays, self.fuel.unwrap_or(u64::MAX));
        drop(mode);
        self.frame.changed();
        result.map_err(|fault| failed(self.shader, self.fuel, self.begun.watch.stop(), fault, invocations))
    }
}

impl StageSession<'_> {
    /// Runs a batch of invocations, as [`Session::batch`] does, but the contents of textures must not change from batch
    /// to batch.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn batch(&mut self, invocations: u32, arrays: &mut [ArrayWords<'_>]) -> Result<(), Error> {
        let StageRun { shader, what, draw, code, views, frame, checked, .. } = self.run;
        check(shader, invocations, arrays)?;
        let stop = what.cancel.word();
        let (postbox, fuel) = (Postbox::new(what.messages.as_ref(), shader, *draw), what.fuel.unwrap_or(u64::MAX));
        if let Some(observed) = checked.as_ref().and_then(CheckedStage::shader) {
            let reach = Reach::new(views, frame.constants(), frame.copies(), stop, &postbox);
            let result = in_default_mode(|| observed.batch(&reach, invocations, arrays, fuel));
            return result.map_err(|fault| failed(shader, what.fuel, stop, fault, invocations));
        }
        let link = Link::new(code, views, frame, stop, &postbox);
        let mode = float_guard(code);
        let result = self.seat.start(&link, &mode).batch(invocations, arrays, fuel);
        drop(mode);
        if let Some(checked) = checked {
            checked.count(invocations);
        }
        result.map_err(|fault| failed(shader, what.fuel, stop, fault, invocations))
    }
}

/// The error for a batch that did not finish.
#[cold]
fn failed(shader: &Shader, fuel: Option<u64>, stop: &StopWord, fault: Fault, invocations: u32) -> Error {
    let failure = Some(Failure::Fault { fault, group: [fault.group, 0, 0] });
    error_of(shader, fuel, stop, Outcome { groups_done: 0, failure }, invocations.into())
}

/// Checks a batch against a shader's declarations.
#[inline]
fn check(shader: &Shader, invocations: u32, arrays: &[ArrayWords<'_>]) -> Result<(), BatchError> {
    let stage = match shader.stage() {
        Stage::Compute { .. } => return Err(BatchError::NoBatches),
        Stage::Pixel(_) if !invocations.is_multiple_of(4) => return Err(BatchError::Quads { invocations }),
        stage => stage,
    };
    // How many elements each array has for an invocation. Others that a function reads have counts of their own.
    let elements = |array: usize| match stage {
        Stage::Hull(hull) => match array {
            _ if array == HullArray::Vertices as usize => None,
            _ if array == HullArray::ControlPoints as usize => Some(hull.own_points()),
            _ => Some(1),
        },
        Stage::Domain(_) => match array {
            _ if array == DomainArray::Points as usize || array == DomainArray::Outputs as usize => Some(1),
            _ => None,
        },
        Stage::Geometry(geometry) => match array {
            _ if array == GeometryArray::Vertices as usize => None,
            _ if array == GeometryArray::Emitted as usize => Some(geometry.most_vertices),
            _ if array == GeometryArray::Tags as usize => geometry.is_tagged.then_some(geometry.most_vertices),
            _ => Some(1),
        },
        stage => {
            let own = stage.signature().map(|signature| [signature.input_array, signature.output_array]);
            own?.contains(&Some(ArrayId::new(array))).then_some(1)
        }
    };
    let declared = shader.arrays();
    if arrays.len() != declared.len() {
        return Err(BatchError::ArrayCount { found: arrays.len(), expected: declared.len() });
    }
    for (array, (words, &Array { stride_bytes, is_written })) in arrays.iter().zip(declared).enumerate() {
        if is_written && matches!(words, ArrayWords::Read(_)) {
            return Err(BatchError::ReadOnly { array });
        }
        let Some(elements) = elements(array) else { continue };
        let element_words = u64::from(elements) * u64::from(stride_bytes / 4);
        let (found, expected) = (words.words().len(), u64::from(invocations) * element_words);
        if (found as u64) < expected {
            return Err(BatchError::Words { array, found, invocations, expected });
        }
    }
    Ok(())
}
