//! Inputs and outputs by usage, which Direct3D 9 links stages by.

use brolga_bytecode::sm3::{Register, Usage, ValidProgram};

use super::TranslateOptions;
use super::stage::{Layout, Placed};
use super::survey::Survey;

/// Components of a register that are linked by a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked {
    /// What it is for.
    pub usage: Usage,
    /// Which of several with that usage.
    pub usage_index: u32,
    /// The row of its register.
    pub row: u32,
    /// The components, x in the lowest bit.
    pub mask: u8,
    /// The register, for messages.
    pub register: Register,
}

/// The inputs and outputs of a program that have a usage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linkage {
    /// Inputs, in the order of the signature.
    pub inputs: Vec<Linked>,
    /// Outputs, likewise. Those of pixel shaders have no usage.
    pub outputs: Vec<Linked>,
}

/// What a program is linked by.
pub fn linkage(program: &ValidProgram) -> Linkage {
    // Options do not move inputs or outputs.
    let survey = Survey::new(program, &TranslateOptions::default());
    let layout = Layout::new(program, &survey);
    Linkage { inputs: linked(&layout.inputs), outputs: linked(&layout.outputs) }
}

fn linked(placed: &[Placed]) -> Vec<Linked> {
    let link = |&Placed { register, usage, row, mask, .. }: &Placed| {
        usage.map(|(usage, usage_index)| Linked { usage, usage_index, row, mask, register })
    };
    placed.iter().filter_map(link).collect()
}
