//! Translates the phases of hull shaders, and the declarations of hull and domain shaders.
//!
//! A hull shader becomes one function, with an invocation for each patch: the phases follow one another, and each is a
//! loop over its control points or instances (functional specification, 10.5). What a phase writes is stored at once,
//! where later ones read it.

use brolga_bytecode::sm5::codes::{TessellatorDomain, TessellatorOutput, TessellatorPartitioning};
use brolga_bytecode::sm5::valid::{Phase, PhaseKind, ValidProgram};
use brolga_bytecode::sm5::{DeclarationKind, Op as Opcode, RegisterFile};

use super::super::{Result, TranslateError, Translator};
use super::parameters::{DeclaredParameter, merged};
use crate::Type;
use crate::entity::{Slot, Value};
use crate::function::{Function, Object};
use crate::interface::Array;
use crate::ops::Op;
use crate::pipeline::record::{DomainArray, HullArray, domain_arrays, hull_arrays};
use crate::pipeline::state::{DomainState, HullState};
use crate::stage::{Domain, DomainStage, HullStage, OutputPrimitive, Parameter, Partitioning, Signature, Stage};
use crate::translate::vector::Vector;
use crate::translate::words::{self, Start};

/// The phase of a hull shader that is being translated.
pub(in super::super) struct HullPhase {
    kind: PhaseKind,
    /// The number of the control point or of the instance.
    number: Slot,
}

impl HullPhase {
    pub(super) fn new() -> Self {
        Self { kind: PhaseKind::Declarations, number: Slot::new(0) }
    }

    pub(super) fn add_slots(&mut self, func: &mut Function) {
        self.number = func.add_slot(Type::I32);
    }
}

/// The stage of a hull shader with its arrays.
pub(super) fn declare_hull(program: &ValidProgram) -> Result<(Stage, Vec<Array>)> {
    let (declared, phases) = (program.declarations(), &program.flow().phases);
    let is_of_points =
        |phase: u32| phases.get(phase as usize).is_some_and(|phase| phase.kind == PhaseKind::ControlPoint);
    let mut hull = HullStage { domain: domain(program)?, ..HullStage::default() };
    for kind in &declared.stage_specific {
        match *kind {
            DeclarationKind::InputControlPointCount(count) => hull.input_points = count,
            DeclarationKind::OutputControlPointCount(count) => hull.output_points = count,
            DeclarationKind::TessellatorPartitioning(partitioning) => {
                hull.partitioning = match partitioning {
                    TessellatorPartitioning::Integer => Partitioning::Integer,
                    TessellatorPartitioning::Pow2 => Partitioning::PowerOf2,
                    TessellatorPartitioning::FractionalOdd => Partitioning::FractionalOdd,
                    TessellatorPartitioning::FractionalEven => Partitioning::FractionalEven,
                    _ => return Err(undefined(Opcode::DclTessellatorPartitioning)),
                };
            }
            DeclarationKind::TessellatorOutput(output) => {
                hull.output = match output {
                    TessellatorOutput::Point => OutputPrimitive::Point,
                    TessellatorOutput::Line => OutputPrimitive::Line,
                    TessellatorOutput::TriangleCw => OutputPrimitive::TriangleClockwise,
                    TessellatorOutput::TriangleCcw => OutputPrimitive::TriangleCounterClockwise,
                    _ => return Err(undefined(Opcode::DclTessellatorOutputPrimitive)),
                };
            }
            _ => {}
        }
    }
    // Without a phase for them, control points are those that come in.
    hull.passes_points = hull.output_points > 0 && !phases.iter().any(|phase| phase.kind == PhaseKind::ControlPoint);
    if hull.passes_points && hull.output_points != hull.input_points {
        let (taken, made) = (hull.input_points, hull.output_points);
        let what = format!(
            "without a control point phase a hull shader makes as many control points as it takes, but this one takes \
             {taken} and makes {made}"
        );
        return Err(TranslateError::Declaration { name: Opcode::DclOutputControlPointCount.text(), what });
    }
    if hull.input_points == 0 {
        let what = "a hull shader takes 1 to 32 control points, but this one takes none".to_owned();
        return Err(TranslateError::Declaration { name: Opcode::DclInputControlPointCount.text(), what });
    }
    let is_vertex = |file: RegisterFile| matches!(file, RegisterFile::Input | RegisterFile::InputControlPoint);
    let inputs = declared.inputs.iter().filter(|input| is_vertex(input.file));
    let outputs = declared.outputs.iter().filter(|output| is_of_points(output.phase));
    let constants = declared.outputs.iter().filter(|output| !is_of_points(output.phase));
    hull.signature = Signature {
        input_array: Some(HullArray::Vertices.id()),
        output_array: Some(HullArray::ControlPoints.id()),
        inputs: merged(inputs.map(DeclaredParameter::of_input)),
        outputs: merged(outputs.map(DeclaredParameter::of_output)),
        ..Signature::default()
    };
    hull.constants = merged(constants.map(DeclaredParameter::of_output));
    let arrays = hull_arrays(&hull, &HullState::default());
    Ok((Stage::Hull(Box::new(hull)), arrays))
}

/// The stage of a domain shader with its arrays.
pub(super) fn declare_domain(program: &ValidProgram, outputs: Vec<Parameter>) -> Result<(Stage, Vec<Array>)> {
    let declared = program.declarations();
    let of_file = |file: RegisterFile| {
        let inputs = declared.inputs.iter().filter(move |input| input.file == file);
        merged(inputs.map(DeclaredParameter::of_input))
    };
    let points = declared.stage_specific.iter().find_map(|kind| match *kind {
        DeclarationKind::InputControlPointCount(count) => Some(count),
        _ => None,
    });
    let signature = Signature {
        input_array: Some(DomainArray::ControlPoints.id()),
        output_array: Some(DomainArray::Outputs.id()),
        inputs: of_file(RegisterFile::InputControlPoint),
        outputs,
        ..Signature::default()
    };
    let domain = DomainStage {
        signature,
        constants: of_file(RegisterFile::PatchConstant),
        points: points.unwrap_or(0),
        domain: domain(program)?,
        asks_active: !declared.uavs.is_empty(),
    };
    let arrays = domain_arrays(&domain, &DomainState::default());
    Ok((Stage::Domain(Box::new(domain)), arrays))
}

fn domain(program: &ValidProgram) -> Result<Domain> {
    let declared = program.declarations().stage_specific.iter().find_map(|kind| match *kind {
        DeclarationKind::TessellatorDomain(domain) => Some(domain),
        _ => None,
    });
    match declared {
        Some(TessellatorDomain::Isoline) => Ok(Domain::Isoline),
        Some(TessellatorDomain::Tri) => Ok(Domain::Triangle),
        Some(TessellatorDomain::Quad) => Ok(Domain::Quad),
        _ => Err(undefined(Opcode::DclTessellatorDomain)),
    }
}

/// The error for a declaration that is not there, or says nothing.
fn undefined(op: Opcode) -> TranslateError {
    TranslateError::Declaration { name: op.text(), what: "the shader does not say which".to_owned() }
}

impl Translator<'_, '_> {
    /// The phases of a hull shader: control points, then forks, which joins follow.
    pub(in super::super) fn phases(&mut self) -> Result {
        let program = self.program;
        for kind in [PhaseKind::ControlPoint, PhaseKind::Fork, PhaseKind::Join] {
            for phase in program.flow().phases.iter().filter(|phase| phase.kind == kind) {
                self.phase(phase)?;
            }
        }
        Ok(())
    }

    fn phase(&mut self, phase: &Phase) -> Result {
        let output_points = self.b.func.interface.stage.hull().map_or(0, |hull| hull.output_points);
        let count = if phase.kind == PhaseKind::ControlPoint { output_points } else { phase.instances };
        let Some(HullPhase { kind, number }) = &mut self.stage.hull else { return Ok(()) };
        *kind = phase.kind;
        let (number, zero) = (*number, self.b.i32(0));
        self.registers.set(&mut self.b, number, zero);
        if count <= 1 {
            return if count == 1 { self.section(phase.items.clone()) } else { Ok(()) };
        }
        let (inst, body) = self.b.loop_(&[]);
        self.fill(body, |t| {
            t.section(phase.items.clone())?;
            let (before, one, count) = (t.registers.get(&mut t.b, number), t.b.i32(1), t.b.i32(count));
            let next = t.b.op(Op::IAdd, &[before, one]);
            t.registers.set(&mut t.b, number, next);
            let is_last = t.b.op(Op::UGe, &[next, count]);
            t.when(is_last, |t| {
                t.b.break_(inst, &[]);
                Ok(())
            })
        })
    }

    /// The number of the control point, or of the instance, that the phase is for.
    pub(super) fn instance_of_phase(&mut self) -> Value {
        match self.stage.hull {
            Some(HullPhase { number, .. }) => self.registers.get(&mut self.b, number),
            None => self.b.i32(0),
        }
    }

    /// The number of the patch's first control point among those that the shader makes.
    pub(super) fn first_output_point(&mut self) -> Value {
        let count = self.b.func.interface.stage.hull().map_or(0, |hull| hull.output_points);
        let (invocation, count) = (self.invocation(), self.b.i32(count));
        self.b.op(Op::IMul, &[invocation, count])
    }

    /// Rows of what the present phase writes.
    pub(super) fn rows_of_phase(&self) -> u32 {
        let Some(hull) = self.b.func.interface.stage.hull() else { return 0 };
        match self.stage.hull {
            Some(HullPhase { kind: PhaseKind::ControlPoint, .. }) => hull.signature.output_rows(),
            _ => hull.constant_rows(),
        }
    }

    /// Writes components of a row of what the present phase makes.
    pub(super) fn store_of_phase(&mut self, start: Start, mask: u8, words: &Vector) {
        let Some(HullPhase { kind, .. }) = self.stage.hull else { return };
        let (array, index) = match kind {
            PhaseKind::ControlPoint => {
                let (first, point) = (self.first_output_point(), self.instance_of_phase());
                (HullArray::ControlPoints, self.b.op(Op::IAdd, &[first, point]))
            }
            _ => (HullArray::Constants, self.invocation()),
        };
        words::store(&mut self.b, Object::Array(array.id()), index, start, mask, words);
    }
}
