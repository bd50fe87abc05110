//! Turns declarations and signatures of inputs and outputs into the IR's parameters, each with its row.

use std::ops::Range;

use brolga_bytecode::container;
use brolga_bytecode::sm5::RegisterFile;
use brolga_bytecode::sm5::codes::{self, SystemValue as Code};
use brolga_bytecode::sm5::valid::{self, IndexRange, ValidProgram};

use crate::stage::{Interpolation, Parameter, Semantic, SystemValue};

/// A declaration of an input or output.
pub(super) struct DeclaredParameter {
    file: RegisterFile,
    register: u32,
    mask: u8,
    system_value: Option<Code>,
    interpolation: Interpolation,
    stream: u32,
}

impl DeclaredParameter {
    pub(super) fn of_input(input: &valid::Input) -> Self {
        let &valid::Input { file, register, mask, system_value, .. } = input;
        let interpolation = input.interpolation.map_or(Interpolation::Constant, interpolation);
        Self { file, register, mask, system_value, interpolation, stream: 0 }
    }

    pub(super) fn of_output(output: &valid::Output) -> Self {
        let &valid::Output { file, register, mask, system_value, stream, .. } = output;
        Self { file, register, mask, system_value, interpolation: Interpolation::Constant, stream }
    }
}

/// The rows of dynamically indexed outputs.
pub(super) fn indexed_outputs(program: &ValidProgram) -> Vec<Range<u32>> {
    let of_outputs = program.declarations().index_ranges.iter().filter(|range| range.file == RegisterFile::Output);
    of_outputs.map(|&IndexRange { first, count, .. }| first..first.saturating_add(count)).collect()
}

/// Assigns a row to every declaration; registers without a number come last, and are noted.
pub(super) fn parameters(
    declared: impl Iterator<Item = DeclaredParameter> + Clone,
    numbered: RegisterFile,
    special: &mut Vec<(RegisterFile, u32)>,
) -> Vec<Parameter> {
    let is_numbered = |declared: &DeclaredParameter| declared.file == numbered;
    let mut next = declared.clone().filter(is_numbered).map(|declared| declared.register + 1).max().unwrap_or(0);
    let parameter = |declared: DeclaredParameter| {
        let DeclaredParameter { file, register, mask, interpolation, stream, .. } = declared;
        if file == numbered {
            return Parameter {
                semantic: None,
                row: register,
                mask,
                system_value: declared.system_value.and_then(system_value),
                interpolation,
                stream,
            };
        }
        special.push((file, next));
        next += 1;
        Parameter { semantic: None, row: next - 1, mask: 1, system_value: of_file(file), interpolation, stream }
    };
    declared.map(parameter).filter(|parameter| parameter.mask != 0).collect()
}

/// Assigns the rows of their registers to declarations, of which several phases may have the same.
pub(super) fn merged(declared: impl Iterator<Item = DeclaredParameter>) -> Vec<Parameter> {
    let mut merged: Vec<Parameter> = Vec::new();
    for DeclaredParameter { register: row, mask, system_value: value, interpolation, .. } in declared {
        let system_value = value.and_then(system_value);
        match merged.iter_mut().find(|other| other.row == row && other.system_value == system_value) {
            Some(other) => other.mask |= mask,
            None => merged.push(Parameter { semantic: None, row, mask, system_value, interpolation, stream: 0 }),
        }
    }
    merged.retain(|parameter| parameter.mask != 0);
    merged
}

/// From this number on, signatures and declarations number system values differently: tessellation factors.
const FIRST_FACTOR: u32 = 11;

/// The elements of a file's signature, used or not, that have a register with a number.
pub fn linked(signature: &container::Signature) -> Vec<Parameter> {
    let parameter = |element: &container::SignatureElement| {
        Some(Parameter {
            semantic: Some(Semantic::new(&*element.name, element.semantic_index)),
            row: element.register?,
            mask: element.mask,
            system_value: Some(element.system_value)
                .filter(|&code| code < FIRST_FACTOR)
                .and_then(|code| Code::from_code(code).and_then(system_value)),
            interpolation: Interpolation::Constant,
            stream: element.stream,
        })
    };
    signature.elements.iter().filter_map(parameter).collect()
}

fn interpolation(declared: codes::Interpolation) -> Interpolation {
    match declared {
        codes::Interpolation::Linear => Interpolation::Linear,
        codes::Interpolation::LinearCentroid => Interpolation::LinearCentroid,
        codes::Interpolation::LinearSample => Interpolation::LinearSample,
        codes::Interpolation::LinearNoPerspective => Interpolation::NoPerspective,
        codes::Interpolation::LinearNoPerspectiveCentroid => Interpolation::NoPerspectiveCentroid,
        codes::Interpolation::LinearNoPerspectiveSample => Interpolation::NoPerspectiveSample,
        _ => Interpolation::Constant,
    }
}

fn system_value(code: Code) -> Option<SystemValue> {
    Some(match code {
        Code::Position => SystemValue::Position,
        Code::ClipDistance => SystemValue::ClipDistance,
        Code::CullDistance => SystemValue::CullDistance,
        Code::RenderTargetArrayIndex => SystemValue::RenderTargetArrayIndex,
        Code::ViewportArrayIndex => SystemValue::ViewportArrayIndex,
        Code::VertexId => SystemValue::VertexId,
        Code::PrimitiveId => SystemValue::PrimitiveId,
        Code::InstanceId => SystemValue::InstanceId,
        Code::IsFrontFace => SystemValue::IsFrontFace,
        Code::SampleIndex => SystemValue::SampleIndex,
        Code::FinalQuadUEq0EdgeTessFactor | Code::FinalTriUEq0EdgeTessFactor | Code::FinalLineDensityTessFactor => {
            SystemValue::EdgeFactor0
        }
        Code::FinalQuadVEq0EdgeTessFactor | Code::FinalTriVEq0EdgeTessFactor | Code::FinalLineDetailTessFactor => {
            SystemValue::EdgeFactor1
        }
        Code::FinalQuadUEq1EdgeTessFactor | Code::FinalTriWEq0EdgeTessFactor => SystemValue::EdgeFactor2,
        Code::FinalQuadVEq1EdgeTessFactor => SystemValue::EdgeFactor3,
        Code::FinalQuadUInsideTessFactor | Code::FinalTriInsideTessFactor => SystemValue::InsideFactor0,
        Code::FinalQuadVInsideTessFactor => SystemValue::InsideFactor1,
        _ => return None,
    })
}

/// The system value of a register without a number.
fn of_file(file: RegisterFile) -> Option<SystemValue> {
    Some(match file {
        RegisterFile::InputPrimitiveId => SystemValue::PrimitiveId,
        RegisterFile::InputCoverage | RegisterFile::OutputCoverageMask => SystemValue::Coverage,
        RegisterFile::InnerCoverage => SystemValue::InnerCoverage,
        RegisterFile::OutputDepth => SystemValue::Depth,
        RegisterFile::OutputDepthGreaterEqual => SystemValue::DepthGreaterEqual,
        RegisterFile::OutputDepthLessEqual => SystemValue::DepthLessEqual,
        RegisterFile::OutputStencilRef => SystemValue::StencilRef,
        _ => return None,
    })
}
