//! Functions of vectors and matrices.

use brolga_ir::Op;
use brolga_ir::entity::Value;
use naga::{Expression, Handle};

use super::super::types::Shape;
use super::super::{Result, Translator, Words};

impl Translator<'_, '_> {
    /// The sum of products of integers.
    pub(super) fn int_dot(&mut self, a: &[Value], b: &[Value]) -> Value {
        let products = self.each(Op::IMul, a, b);
        let sum = products.into_iter().reduce(|sum, product| self.b.op(Op::IAdd, &[sum, product]));
        sum.unwrap_or_else(|| self.b.i32(0))
    }

    pub(super) fn cross(&mut self, a: &[Value], b: &[Value]) -> Result<Words> {
        let (&[ax, ay, az], &[bx, by, bz]) = (a, b) else { return Err(self.internal("a cross product of others")) };
        let pairs = [(ay, bz, az, by), (az, bx, ax, bz), (ax, by, ay, bx)];
        Ok(pairs.into_iter().map(|(a, b, c, d)| self.difference_of_products(a, b, c, d)).collect())
    }

    /// a * b - c * d.
    fn difference_of_products(&mut self, a: Value, b: Value, c: Value, d: Value) -> Value {
        let first = self.b.op(Op::FMul, &[a, b]);
        let second = self.b.op(Op::FMul, &[c, d]);
        self.b.op(Op::FSub, &[first, second])
    }

    pub(super) fn length(&mut self, a: &[Value]) -> Value {
        if let &[single] = a {
            return self.b.op(Op::FAbs, &[single]);
        }
        let square = self.dot(a, a);
        self.b.op(Op::FSqrt, &[square])
    }

    /// `e1` if the dot product of the others is negative, else its opposite.
    pub(super) fn face_forward(&mut self, e1: &[Value], e2: &[Value], e3: &[Value]) -> Words {
        let (dot, zero) = (self.dot(e2, e3), self.b.f32(0.0));
        let is_negative = self.b.op(Op::FLt, &[dot, zero]);
        e1.iter()
            .map(|&component| {
                let opposite = self.b.op(Op::FNeg, &[component]);
                self.b.select(is_negative, component, opposite)
            })
            .collect()
    }

    /// `e1 - 2 * dot(e2, e1) * e2`.
    pub(super) fn reflect(&mut self, e1: &[Value], e2: &[Value]) -> Words {
        let (dot, two) = (self.dot(e2, e1), self.b.f32(2.0));
        let scale = self.b.op(Op::FMul, &[two, dot]);
        e1.iter()
            .zip(e2)
            .map(|(&e1, &e2)| {
                let product = self.b.op(Op::FMul, &[scale, e2]);
                self.b.op(Op::FSub, &[e1, product])
            })
            .collect()
    }

    /// `e3 * e1 - (e3 * dot(e2, e1) + sqrt(k)) * e2` with `k = 1 - e3 * e3 * (1 - dot(e2, e1)^2)`, or zero if that is
    /// negative.
    pub(super) fn refract(&mut self, e1: &[Value], e2: &[Value], e3: &[Value]) -> Result<Words> {
        let &[ratio] = e3 else { return Err(self.internal("a ratio is a vector")) };
        let (dot, one, zero) = (self.dot(e2, e1), self.b.f32(1.0), self.b.f32(0.0));
        let square = self.b.op(Op::FMul, &[dot, dot]);
        let rest = self.b.op(Op::FSub, &[one, square]);
        let ratio_square = self.b.op(Op::FMul, &[ratio, ratio]);
        let product = self.b.op(Op::FMul, &[ratio_square, rest]);
        let k = self.b.op(Op::FSub, &[one, product]);
        let is_reflected = self.b.op(Op::FLt, &[k, zero]);
        let root = self.b.op(Op::FSqrt, &[k]);
        let along = self.b.op(Op::FMul, &[ratio, dot]);
        let scale = self.b.op(Op::FAdd, &[along, root]);
        let components = e1.iter().zip(e2).map(|(&e1, &e2)| {
            let first = self.b.op(Op::FMul, &[ratio, e1]);
            let second = self.b.op(Op::FMul, &[scale, e2]);
            let refracted = self.b.op(Op::FSub, &[first, second]);
            self.b.select(is_reflected, zero, refracted)
        });
        Ok(components.collect())
    }

    pub(super) fn transpose(&mut self, words: &[Value], matrix: Handle<Expression>) -> Result<Words> {
        let Shape::Matrix(_, rows, _) = self.shape(matrix) else { return Err(self.internal("no matrix")) };
        let rows = rows as usize;
        Ok((0..rows).flat_map(|row| words.iter().skip(row).step_by(rows).copied()).collect())
    }

    pub(super) fn determinant(&mut self, m: &[Value]) -> Result<Value> {
        match *m {
            [a, b, c, d] => Ok(self.difference_of_products(a, d, c, b)),
            [a, b, c, d, e, f, g, h, i] => Ok(self.determinant_3([a, b, c, d, e, f, g, h, i])),
            [..] if m.len() == 16 => {
                // By the first column, with the minors of the others.
                let mut sum = None;
                for row in 0..4 {
                    let mut minor = [m[0]; 9];
                    let others = (4..16).filter(|n| n % 4 != row);
                    minor.iter_mut().zip(others).for_each(|(entry, n)| *entry = m[n]);
                    let minor = self.determinant_3(minor);
                    let term = self.b.op(Op::FMul, &[m[row], minor]);
                    sum = Some(match sum {
                        None => term,
                        Some(sum) if row % 2 == 1 => self.b.op(Op::FSub, &[sum, term]),
                        Some(sum) => self.b.op(Op::FAdd, &[sum, term]),
                    });
                }
                sum.ok_or_else(|| self.internal("an empty matrix"))
            }
            _ => Err(self.internal("a matrix of another size")),
        }
    }

    /// Columns one after the other.
    fn determinant_3(&mut self, [a, b, c, d, e, f, g, h, i]: [Value; 9]) -> Value {
        let minors = [(a, e, i, h, f), (b, d, i, g, f), (c, d, h, g, e)];
        let [first, second, third] = minors.map(|(scale, a, b, c, d)| {
            let minor = self.difference_of_products(a, b, c, d);
            self.b.op(Op::FMul, &[scale, minor])
        });
        let difference = self.b.op(Op::FSub, &[first, second]);
        self.b.op(Op::FAdd, &[difference, third])
    }
}
