//! Built-in functions of numbers, composed of the IR's operations, so that the bits are the same everywhere.
//!
//! | file | content |
//! |---|---|
//! | `elementary.rs` | exponentials, trigonometric and hyperbolic functions |
//! | `float.rs` | other functions of floats |
//! | `integer.rs` | functions of integers and their bits |
//! | `geometry.rs` | functions of vectors and matrices |
//! | `pack.rs` | numbers packed in words |

mod elementary;
mod float;
mod geometry;
mod integer;
mod pack;

use brolga_ir::Op;
use brolga_ir::entity::Value;
use naga::{Expression, Handle, MathFunction, ScalarKind};
use smallvec::smallvec;

use super::{Result, Translator, Words};

impl Translator<'_, '_> {
    /// The result of a built-in function.
    pub(super) fn math(&mut self, fun: MathFunction, operands: &[Handle<Expression>]) -> Result<Words> {
        let Some(&first) = operands.first() else { return Err(self.internal("an operand is missing")) };
        let kind = self.scalar(first)?.kind;
        let arguments = operands.iter().map(|&operand| self.words(operand)).collect::<Result<Vec<_>>>()?;
        if let Some(words) = self.of_vectors(fun, kind, &arguments, operands)? {
            return Ok(words);
        }
        let count = arguments.iter().map(|words| words.len()).max().unwrap_or(0);
        let mut results = Vec::with_capacity(count);
        for n in 0..count {
            let components: Option<Words> =
                arguments.iter().map(|words| words.get(n).or(words.first()).copied()).collect();
            let components = components.ok_or_else(|| self.internal("an operand is missing"))?;
            results.push(self.of_components(fun, kind, &components)?);
        }
        // Those with two results give all of the first, then all of the second.
        let parts = results.first().map_or(0, |words| words.len());
        Ok((0..parts).flat_map(|part| results.iter().filter_map(move |words| words.get(part)).copied()).collect())
    }

    /// A function that takes its operands as a whole; `None` for those of components.
    fn of_vectors(
        &mut self,
        fun: MathFunction,
        kind: ScalarKind,
        arguments: &[Words],
        operands: &[Handle<Expression>],
    ) -> Result<Option<Words>> {
        use MathFunction as F;
        let is_float = kind == ScalarKind::Float;
        Ok(Some(match (fun, arguments) {
            (F::Dot, [a, b]) if is_float => smallvec![self.dot(a, b)],
            (F::Dot, [a, b]) => smallvec![self.int_dot(a, b)],
            (F::Cross, [a, b]) => self.cross(a, b)?,
            (F::Length, [a]) => smallvec![self.length(a)],
            (F::Distance, [a, b]) => {
                let difference = self.each(Op::FSub, a, b);
                smallvec![self.length(&difference)]
            }
            (F::Normalize, [a]) => {
                let length = self.length(a);
                a.iter().map(|&component| self.b.op(Op::FDiv, &[component, length])).collect()
            }
            (F::FaceForward, [a, b, c]) => self.face_forward(a, b, c),
            (F::Reflect, [a, b]) => self.reflect(a, b),
            (F::Refract, [a, b, c]) => self.refract(a, b, c)?,
            (F::Transpose, [a]) => self.transpose(a, operands[0])?,
            (F::Determinant, [a]) => smallvec![self.determinant(a)?],
            (F::Outer | F::Inverse, _) => return self.unsupported("a function that WGSL does not have"),
            (F::Dot4I8Packed, [a, b]) => smallvec![self.dot_packed(a, b, true)?],
            (F::Dot4U8Packed, [a, b]) => smallvec![self.dot_packed(a, b, false)?],
            _ => match self.packing(fun, arguments)? {
                Some(words) => words,
                None => return Ok(None),
            },
        }))
    }

    /// A function of each component.
    fn of_components(&mut self, fun: MathFunction, kind: ScalarKind, args: &[Value]) -> Result<Words> {
        match kind {
            ScalarKind::Float => match self.elementary(fun, args) {
                Some(value) => Ok(smallvec![value]),
                None => self.of_floats(fun, args),
            },
            ScalarKind::Sint | ScalarKind::Uint => {
                self.of_integers(fun, kind == ScalarKind::Sint, args).map(|value| smallvec![value])
            }
            _ => Err(self.internal("a function of conditions")),
        }
    }

    /// An operation on each pair of components.
    fn each(&mut self, op: Op, a: &[Value], b: &[Value]) -> Words {
        a.iter().zip(b).map(|(&a, &b)| self.b.op(op, &[a, b])).collect()
    }
}
