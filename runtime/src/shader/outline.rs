//! Defines the outline, a summary of a shader's function: the facts that dispatches need. It is stored with the code,
//! so that the function is made only when needed: for other code, or to be shown.

use brolga_ir::Width;
use brolga_ir::interface::{Array, Sampled};
use brolga_ir::message::Message;
use brolga_ir::span::Packing;
use brolga_ir::stage::Stage;
use brolga_ir::verify::VerifiedFunction;
use serde::{Deserialize, Serialize};

use crate::bindings::Declared;
use crate::engine::usual_packing;

/// A summary of a shader's function: the facts that dispatches need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// Its name.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// The arrays of a batch.
    pub arrays: Vec<Array>,
    /// Threads of a packet.
    pub width: Width,
    /// The usual packing.
    pub packing: Packing,
    /// The declared registers in declaration order.
    pub declared: Vec<Declared>,
    /// The kinds of samples that it takes.
    pub sampled: Vec<Sampled>,
    /// The messages that it sends.
    pub messages: Vec<Message>,
    insts: usize,
}

impl Outline {
    pub fn of(function: &VerifiedFunction) -> Self {
        Self {
            name: function.name.clone(),
            stage: function.interface.stage.clone(),
            arrays: function.interface.arrays.clone(),
            width: function.width,
            packing: usual_packing(function),
            declared: Declared::of(function),
            sampled: function.interface.sampled.clone(),
            messages: function.interface.messages.clone(),
            insts: function.inst_count(),
        }
    }

    /// Instructions of the optimised function.
    pub fn inst_count(&self) -> usize {
        self.insts
    }

    /// Threads in one group.
    pub fn threads_per_group(&self) -> u32 {
        self.stage.group_size().iter().product()
    }
}
