//! Operators and conversions, by the rules of WGSL: nothing that a number can be is undefined.
//!
//! * `x / 0` is `x` and `x % 0` is 0 for integers; the lowest integer divided by -1 is itself, with remainder 0.
//! * Shifts count by the low five bits.
//! * Floats become integers towards zero, clamped to the greatest that is a float and the lowest one; a NaN becomes 0.

use brolga_ir::Op;
use brolga_ir::entity::Value;
use naga::{BinaryOperator, Expression, Handle, RelationalFunction, Scalar, ScalarKind, UnaryOperator};
use smallvec::smallvec;

use super::types::Shape;
use super::{Result, Translator, Words};

impl Translator<'_, '_> {
    pub(super) fn unary(&mut self, op: UnaryOperator, operand: Handle<Expression>) -> Result<Words> {
        let kind = self.scalar(operand)?.kind;
        let words = self.words(operand)?;
        Ok(words.into_iter().map(|word| self.unary_word(op, kind, word)).collect())
    }

    fn unary_word(&mut self, op: UnaryOperator, kind: ScalarKind, word: Value) -> Value {
        match (op, kind) {
            (UnaryOperator::Negate, ScalarKind::Float) => self.b.op(Op::FNeg, &[word]),
            (UnaryOperator::Negate, _) => {
                let zero = self.b.i32(0);
                self.b.op(Op::ISub, &[zero, word])
            }
            (UnaryOperator::LogicalNot, ScalarKind::Bool) => self.b.op(Op::BNot, &[word]),
            (UnaryOperator::LogicalNot | UnaryOperator::BitwiseNot, _) => {
                let ones = self.b.i32(u32::MAX);
                self.b.op(Op::Xor, &[word, ones])
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Words> {
        let scalar = self.scalar(left)?;
        let (a, b) = (self.words(left)?, self.words(right)?);
        if op == BinaryOperator::Multiply {
            match (self.shape(left), self.shape(right)) {
                (Shape::Matrix(_, rows, _), Shape::Matrix(..) | Shape::Vector(..)) => {
                    return Ok(self.matrix_product(&a, &b, rows as usize));
                }
                // A row times each column.
                (Shape::Vector(rows, _), Shape::Matrix(..)) => {
                    return Ok(b.chunks(rows as usize).map(|column| self.dot(&a, column)).collect());
                }
                _ => {}
            }
        }
        // A scalar goes with each component.
        let count = a.len().max(b.len());
        let of = |words: &Words, n: usize| words.get(n).or(words.first()).copied();
        let words: Result<Words> = (0..count)
            .map(|n| match (of(&a, n), of(&b, n)) {
                (Some(a), Some(b)) => self.binary_word(op, scalar, a, b),
                _ => Err(self.internal("an operand is missing")),
            })
            .collect();
        words
    }

    /// A matrix, with columns of so many rows, times each column of another or a vector.
    fn matrix_product(&mut self, a: &[Value], b: &[Value], rows: usize) -> Words {
        let columns = a.len() / rows;
        let mut words = Words::new();
        for column in b.chunks(columns) {
            for row in 0..rows {
                let row: Words = a.iter().skip(row).step_by(rows).copied().collect();
                words.push(self.dot(&row, column));
            }
        }
        words
    }

    /// The sum of products of floats, in order.
    pub(super) fn dot(&mut self, a: &[Value], b: &[Value]) -> Value {
        let mut sum = None;
        for (&a, &b) in a.iter().zip(b) {
            let product = self.b.op(Op::FMul, &[a, b]);
            sum = Some(match sum {
                Some(sum) => self.b.op(Op::FAdd, &[sum, product]),
                None => product,
            });
        }
        sum.unwrap_or_else(|| self.b.f32(0.0))
    }

    fn binary_word(&mut self, op: BinaryOperator, scalar: Scalar, a: Value, b: Value) -> Result<Value> {
        use BinaryOperator as B;
        let direct = match (op, scalar.kind) {
            (B::Add, ScalarKind::Float) => Op::FAdd,
            (B::Subtract, ScalarKind::Float) => Op::FSub,
            (B::Multiply, ScalarKind::Float) => Op::FMul,
            (B::Divide, ScalarKind::Float) => Op::FDiv,
            (B::Equal, ScalarKind::Float) => Op::FEq,
            (B::NotEqual, ScalarKind::Float) => Op::FNe,
            (B::Less, ScalarKind::Float) => Op::FLt,
            (B::GreaterEqual, ScalarKind::Float) => Op::FGe,
            (B::Greater, ScalarKind::Float) => return Ok(self.b.op(Op::FLt, &[b, a])),
            (B::LessEqual, ScalarKind::Float) => return Ok(self.b.op(Op::FGe, &[b, a])),
            (B::Modulo, ScalarKind::Float) => return Ok(self.float_remainder(a, b)),

            (B::And | B::LogicalAnd, ScalarKind::Bool) => Op::BAnd,
            (B::InclusiveOr | B::LogicalOr, ScalarKind::Bool) => Op::BOr,
            (B::Equal, ScalarKind::Bool) => {
                let not = self.b.op(Op::BNot, &[b]);
                return Ok(self.b.select(a, b, not));
            }
            (B::NotEqual | B::ExclusiveOr, ScalarKind::Bool) => {
                let not = self.b.op(Op::BNot, &[b]);
                return Ok(self.b.select(a, not, b));
            }

            (B::Add, _) => Op::IAdd,
            (B::Subtract, _) => Op::ISub,
            (B::Multiply, _) => Op::IMul,
            (B::Divide, ScalarKind::Sint) => return Ok(self.signed_quotient(a, b)),
            (B::Divide, _) => return Ok(self.quotient(a, b)),
            (B::Modulo, ScalarKind::Sint) => return Ok(self.signed_remainder(a, b)),
            (B::Modulo, _) => return Ok(self.remainder(a, b)),
            (B::Equal, _) => Op::IEq,
            (B::NotEqual, _) => Op::INe,
            (B::Less, ScalarKind::Sint) => Op::SLt,
            (B::Less, _) => Op::ULt,
            (B::GreaterEqual, ScalarKind::Sint) => Op::SGe,
            (B::GreaterEqual, _) => Op::UGe,
            (B::Greater, ScalarKind::Sint) => return Ok(self.b.op(Op::SLt, &[b, a])),
            (B::Greater, _) => return Ok(self.b.op(Op::ULt, &[b, a])),
            (B::LessEqual, ScalarKind::Sint) => return Ok(self.b.op(Op::SGe, &[b, a])),
            (B::LessEqual, _) => return Ok(self.b.op(Op::UGe, &[b, a])),
            (B::And, _) => Op::And,
            (B::InclusiveOr, _) => Op::Or,
            (B::ExclusiveOr, _) => Op::Xor,
            (B::ShiftLeft, _) => Op::Shl,
            (B::ShiftRight, ScalarKind::Sint) => Op::SShr,
            (B::ShiftRight, _) => Op::UShr,
            (B::LogicalAnd | B::LogicalOr, _) => return Err(self.internal("a condition is a number")),
        };
        Ok(self.b.op(direct, &[a, b]))
    }

    /// `a - b * trunc(a / b)`, as WGSL defines it.
    fn float_remainder(&mut self, a: Value, b: Value) -> Value {
        let quotient = self.b.op(Op::FDiv, &[a, b]);
        let whole = self.b.op(Op::FTrunc, &[quotient]);
        let product = self.b.op(Op::FMul, &[b, whole]);
        self.b.op(Op::FSub, &[a, product])
    }

    fn is_zero(&mut self, value: Value) -> Value {
        let zero = self.b.i32(0);
        self.b.op(Op::IEq, &[value, zero])
    }

    fn quotient(&mut self, a: Value, b: Value) -> Value {
        let quotient = self.b.op(Op::UDiv, &[a, b]);
        let is_zero = self.is_zero(b);
        self.b.select(is_zero, a, quotient)
    }

    fn remainder(&mut self, a: Value, b: Value) -> Value {
        let remainder = self.b.op(Op::UMod, &[a, b]);
        let (is_zero, zero) = (self.is_zero(b), self.b.i32(0));
        self.b.select(is_zero, zero, remainder)
    }

    /// Of the magnitudes, which the lowest integer has too as an unsigned one.
    fn signed_quotient(&mut self, a: Value, b: Value) -> Value {
        let magnitudes = [self.int_abs(a), self.int_abs(b)];
        let quotient = self.b.op(Op::UDiv, &magnitudes);
        let signs = self.b.op(Op::Xor, &[a, b]);
        let quotient = self.with_sign(signs, quotient);
        let is_zero = self.is_zero(b);
        self.b.select(is_zero, a, quotient)
    }

    fn signed_remainder(&mut self, a: Value, b: Value) -> Value {
        let magnitudes = [self.int_abs(a), self.int_abs(b)];
        let remainder = self.b.op(Op::UMod, &magnitudes);
        let remainder = self.with_sign(a, remainder);
        let (is_zero, zero) = (self.is_zero(b), self.b.i32(0));
        self.b.select(is_zero, zero, remainder)
    }

    /// The magnitude of a signed integer; the lowest one stays.
    pub(super) fn int_abs(&mut self, value: Value) -> Value {
        let zero = self.b.i32(0);
        let negative = self.b.op(Op::ISub, &[zero, value]);
        self.b.op(Op::SMax, &[value, negative])
    }

    /// A magnitude, negated if another number is negative.
    fn with_sign(&mut self, sign: Value, magnitude: Value) -> Value {
        let zero = self.b.i32(0);
        let is_negative = self.b.op(Op::SLt, &[sign, zero]);
        let negative = self.b.op(Op::ISub, &[zero, magnitude]);
        self.b.select(is_negative, negative, magnitude)
    }

    pub(super) fn relational(&mut self, fun: RelationalFunction, argument: Handle<Expression>) -> Result<Words> {
        let words = self.words(argument)?;
        let joined = match fun {
            RelationalFunction::All => Op::BAnd,
            RelationalFunction::Any => Op::BOr,
            RelationalFunction::IsNan => {
                return Ok(words.into_iter().map(|word| self.b.op(Op::FNe, &[word, word])).collect());
            }
            RelationalFunction::IsInf => {
                let infinity = self.b.f32(f32::INFINITY);
                let is_infinite = |word| {
                    let size = self.b.op(Op::FAbs, &[word]);
                    self.b.op(Op::FEq, &[size, infinity])
                };
                return Ok(words.into_iter().map(is_infinite).collect());
            }
        };
        let joined = words.into_iter().reduce(|a, b| self.b.op(joined, &[a, b]));
        joined.map(|word| smallvec![word]).ok_or_else(|| self.internal("an operand is missing"))
    }

    /// A conversion, or the same bits as another type.
    pub(super) fn convert(
        &mut self,
        operand: Handle<Expression>,
        kind: ScalarKind,
        width: Option<u8>,
    ) -> Result<Words> {
        let from = self.scalar(operand)?;
        self.scalar_type(Scalar { kind, width: width.unwrap_or(from.width) })?;
        let words = self.words(operand)?;
        Ok(words
            .into_iter()
            .map(|word| match width {
                Some(_) => self.convert_word(from.kind, kind, word),
                None => self.cast_word(from.kind, kind, word),
            })
            .collect())
    }

    fn cast_word(&mut self, from: ScalarKind, to: ScalarKind, word: Value) -> Value {
        match (from == ScalarKind::Float, to == ScalarKind::Float) {
            (true, false) => self.b.op(Op::BitsF32, &[word]),
            (false, true) => self.b.op(Op::AsF32, &[word]),
            _ => word,
        }
    }

    fn convert_word(&mut self, from: ScalarKind, to: ScalarKind, word: Value) -> Value {
        use ScalarKind::{Bool, Float, Sint};
        match (from, to) {
            (Bool, Bool) => word,
            (Bool, Float) => {
                let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
                self.b.select(word, one, zero)
            }
            (Bool, _) => {
                let (one, zero) = (self.b.i32(1), self.b.i32(0));
                self.b.select(word, one, zero)
            }
            (Float, Bool) => {
                let zero = self.b.f32(0.0);
                self.b.op(Op::FNe, &[word, zero])
            }
            (_, Bool) => {
                let zero = self.b.i32(0);
                self.b.op(Op::INe, &[word, zero])
            }
            (Float, Float) => word,
            (Float, Sint) => {
                let (whole, most) = (self.b.op(Op::FToS, &[word]), self.b.i32(0x7fff_ff80));
                self.b.op(Op::SMin, &[whole, most])
            }
            (Float, _) => {
                let (whole, most) = (self.b.op(Op::FToU, &[word]), self.b.i32(0xffff_ff00));
                self.b.op(Op::UMin, &[whole, most])
            }
            (Sint, Float) => self.b.op(Op::SToF, &[word]),
            (_, Float) => self.b.op(Op::UToF, &[word]),
            _ => word,
        }
    }
}
