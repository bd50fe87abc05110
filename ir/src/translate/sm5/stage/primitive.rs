//! Reads the inputs of shaders that take whole primitives or patches: hull, domain and geometry shaders.
//!
//! An invocation of a hull or geometry shader has the numbers of its primitive's vertices. One of a domain shader has
//! that of a patch, and a place in it.

use brolga_bytecode::sm5::{Operand, RegisterFile};

use super::super::{Result, Translator};
use crate::entity::{ArrayId, Value};
use crate::function::{MemoryRef, Object};
use crate::ops::Op;
use crate::pipeline::record::{
    BatchInvocation, BatchPatch, BatchPoint, DomainArray, GeometryArray, HullArray, POINT_GROUP, word,
};
use crate::stage::Stage;
use crate::translate::vector::{Vector, lanes};
use crate::translate::words;

/// An element that no array has: it reads as 0.
const NOTHING: u32 = u32::MAX;

impl Translator<'_, '_> {
    /// Components of an input of a hull or geometry shader: of a vertex, or of the primitive.
    pub(super) fn input_of_primitive(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        let hull = self.b.func.interface.stage.hull();
        let (is_hull, passes_points) = (hull.is_some(), hull.is_some_and(|hull| hull.passes_points));
        match operand.file {
            RegisterFile::InputPrimitiveId => {
                return Ok(Vector::splat(self.word_of_primitive(word!(BatchInvocation.primitive_id))));
            }
            RegisterFile::GsInstanceId => {
                return Ok(Vector::splat(self.word_of_primitive(word!(BatchInvocation.instance))));
            }
            RegisterFile::OutputControlPointId | RegisterFile::ForkInstanceId | RegisterFile::JoinInstanceId => {
                return Ok(Vector::splat(self.instance_of_phase()));
            }
            RegisterFile::PatchConstant if is_hull => {
                let row = self.row(operand, RegisterFile::PatchConstant, |_| &[])?;
                let (start, invocation) = (self.start(row), self.invocation());
                let constants = Object::Array(HullArray::Constants.id());
                return Ok(words::load(&mut self.b, constants, invocation, start, components));
            }
            RegisterFile::OutputControlPoint if !passes_points => {
                let first = self.first_output_point();
                return self.control_point(operand, HullArray::ControlPoints.id(), first, components);
            }
            _ => {}
        }
        let number = self.vertex_of_primitive(operand)?;
        let row = self.row(operand, operand.file, |_| &[])?;
        let start = self.start(row);
        Ok(words::load(&mut self.b, Object::Array(GeometryArray::Vertices.id()), number, start, components))
    }

    /// The number of the vertex that an operand selects of the primitive.
    fn vertex_of_primitive(&mut self, operand: &Operand) -> Result<Value> {
        let [vertex, _] = operand.indices.as_slice() else { return Err(self.bad_operand(operand.file.text())) };
        let count = match &self.b.func.interface.stage {
            Stage::Hull(hull) => hull.input_points,
            Stage::Geometry(geometry) => geometry.input.vertices(),
            _ => 0,
        };
        let first = BatchInvocation::WORDS as u32;
        let nothing = self.b.i32(NOTHING);
        match vertex.as_u32() {
            Some(vertex) if vertex < count => Ok(self.word_of_primitive(first + vertex)),
            Some(_) => Ok(nothing),
            None => {
                let vertex = self.index(vertex)?;
                let [four, first, count] = [4, 4 * first, count].map(|number| self.b.i32(number));
                let bytes = self.b.op(Op::IMul, &[vertex, four]);
                let offset = self.b.op(Op::IAdd, &[bytes, first]);
                let number = self.load_of_primitive(offset);
                let is_there = self.b.op(Op::ULt, &[vertex, count]);
                Ok(self.b.select(is_there, number, nothing))
            }
        }
    }

    pub(super) fn word_of_primitive(&mut self, word: u32) -> Value {
        let offset = self.b.i32(4 * word);
        self.load_of_primitive(offset)
    }

    fn load_of_primitive(&mut self, offset: Value) -> Value {
        let (object, index) = (Object::Array(GeometryArray::Primitives.id()), Some(self.invocation()));
        self.b.load(MemoryRef { object, index, offset }, 1)[0]
    }

    /// Components of an input of a domain shader: of a control point, of the patch, or the place in the domain.
    pub(super) fn input_of_domain(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        match operand.file {
            RegisterFile::InputPrimitiveId => Ok(Vector::splat(self.word_of_patch(word!(BatchPatch.primitive_id)))),
            RegisterFile::DomainPoint => {
                let mut result = Vector::default();
                for component in lanes(components) {
                    // There is no fourth coordinate.
                    let word = match component {
                        3 => self.b.i32(0),
                        _ => self.word_of_point(component as u32),
                    };
                    result.set(component, word);
                }
                Ok(result)
            }
            RegisterFile::PatchConstant => {
                let row = self.row(operand, RegisterFile::PatchConstant, |_| &[])?;
                let (start, patch) = (self.start(row), self.word_of_patch(word!(BatchPatch.patch)));
                let constants = Object::Array(DomainArray::Constants.id());
                Ok(words::load(&mut self.b, constants, patch, start, components))
            }
            _ => {
                let points = self.b.func.interface.stage.domain().map_or(0, |domain| domain.points);
                let (patch, points) = (self.word_of_patch(word!(BatchPatch.patch)), self.b.i32(points));
                let first = self.b.op(Op::IMul, &[patch, points]);
                self.control_point(operand, DomainArray::ControlPoints.id(), first, components)
            }
        }
    }

    /// Components of the control point that an operand selects of those from a number on.
    fn control_point(&mut self, operand: &Operand, array: ArrayId, first: Value, components: u8) -> Result<Vector> {
        let [point, _] = operand.indices.as_slice() else { return Err(self.bad_operand(operand.file.text())) };
        let count = match &self.b.func.interface.stage {
            Stage::Hull(hull) => hull.output_points,
            Stage::Domain(domain) => domain.points,
            _ => 0,
        };
        let (point, count, nothing) = (self.index(point)?, self.b.i32(count), self.b.i32(NOTHING));
        let number = self.b.op(Op::IAdd, &[first, point]);
        let is_there = self.b.op(Op::ULt, &[point, count]);
        let number = self.b.select(is_there, number, nothing);
        let row = self.row(operand, operand.file, |_| &[])?;
        let start = self.start(row);
        Ok(words::load(&mut self.b, Object::Array(array), number, start, components))
    }

    /// A word of the patch of the invocation's group. All of a packet have one.
    pub(super) fn word_of_patch(&mut self, word: u32) -> Value {
        let (invocation, bits) = (self.invocation(), self.b.i32(POINT_GROUP.trailing_zeros()));
        let index = Some(self.b.op(Op::UShr, &[invocation, bits]));
        let (object, offset) = (Object::Array(DomainArray::Patches.id()), self.b.i32(4 * word));
        self.b.load(MemoryRef { object, index, offset }, 1)[0]
    }

    pub(super) fn word_of_point(&mut self, word: u32) -> Value {
        let (object, index) = (Object::Array(DomainArray::Points.id()), Some(self.invocation()));
        let offset = self.b.i32(4 * word);
        self.b.load(MemoryRef { object, index, offset }, 1)[0]
    }

    /// Not 0 if an invocation of a domain shader is for a point.
    pub(super) fn is_point(&mut self) -> Value {
        self.word_of_point(word!(BatchPoint.is_active))
    }
}
