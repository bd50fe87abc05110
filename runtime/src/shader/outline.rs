//! What dispatches ask of a shader's function. It is stored with the code, so that the function is only made where it is
//! needed: for other code, or to look at.

use brolga_ir::Width;
use brolga_ir::function::Function;
use serde::{Deserialize, Serialize};

use super::Declared;

/// What dispatches ask of a shader's function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// Its name.
    pub name: String,
    /// Threads of a group along x, y and z.
    pub group_size: [u32; 3],
    /// Threads of a packet.
    pub width: Width,
    /// The declared registers in declaration order.
    pub declared: Vec<Declared>,
    insts: usize,
}

impl Outline {
    pub fn of(function: &Function) -> Self {
        Self {
            name: function.name.clone(),
            group_size: function.interface.group_size,
            width: function.width,
            declared: Declared::of(function),
            insts: function.inst_count(),
        }
    }

    /// Instructions of the optimised function.
    pub fn inst_count(&self) -> usize {
        self.insts
    }

    /// Threads in one group.
    pub fn threads_per_group(&self) -> u32 {
        self.group_size.iter().product()
    }
}
