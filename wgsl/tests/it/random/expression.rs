//! Makes expressions of a type.
//!
//! naga evaluates constant expressions, where an overflow is an error: what is no constructor has an operand that is not
//! constant, and divisors and counts that are constants are in range.

use std::rc::Rc;

use super::make::{Maker, Moment};
use super::text::is_row;
use super::tree::{Argument, Expr, Kind, Node, Place, Space, Step, Type, Var};

const NUMBERS: [Kind; 3] = [Kind::U32, Kind::I32, Kind::F32];

pub fn made(ty: Type, node: Node) -> Expr {
    Expr { ty, is_const: false, node }
}

pub fn named(var: &Rc<Var>) -> Expr {
    Expr { ty: var.ty.clone(), is_const: var.space == Space::Constant, node: Node::Name(Rc::clone(var)) }
}

pub fn literal(kind: Kind, word: u32) -> Expr {
    Expr { ty: Type::Scalar(kind), is_const: true, node: Node::Literal(word) }
}

pub fn binary(op: &'static str, ty: Type, a: Expr, b: Expr) -> Expr {
    made(ty, Node::Binary(op, Box::new([a, b])))
}

/// The type with so many components of a kind.
pub fn wide(count: u32, kind: Kind) -> Type {
    if count == 1 { Type::Scalar(kind) } else { Type::Vector(count, kind) }
}

/// `true` if a type is another, or has a part that is.
pub fn holds(ty: &Type, wanted: &Type) -> bool {
    ty == wanted
        || match ty {
            Type::Scalar(_) => false,
            Type::Struct(of) => of.members.iter().any(|member| holds(member, wanted)),
            _ => holds(&ty.child(0), wanted),
        }
}

impl Maker {
    /// An expression with at most so many levels.
    pub fn expr(&mut self, ty: &Type, depth: usize) -> Expr {
        if depth == 0 || self.r.one_in(6) {
            return self.leaf(ty);
        }
        if self.r.one_in(10)
            && let Some(call) = self.pure_call(ty, depth)
        {
            return call;
        }
        match ty {
            Type::Scalar(kind) => self.components(1, *kind, depth - 1),
            Type::Vector(count, kind) => self.components(*count, *kind, depth - 1),
            Type::Matrix(columns, rows) => self.matrix(*columns, *rows, depth - 1),
            Type::Array(..) | Type::Struct(_) => match self.r.one_in(2) {
                true => self.leaf(ty),
                false => self.build(ty, depth - 1),
            },
        }
    }

    /// All parts of a value.
    fn build(&mut self, ty: &Type, depth: usize) -> Expr {
        let parts: Vec<Expr> = match ty {
            Type::Vector(4, kind) if self.r.one_in(2) => {
                (0..2).map(|_| self.expr(&Type::Vector(2, *kind), depth)).collect()
            }
            Type::Vector(_, kind) if self.r.one_in(3) => vec![self.expr(&Type::Scalar(*kind), depth)],
            _ => (0..ty.children()).map(|number| self.expr(&ty.child(number), depth)).collect(),
        };
        Expr { ty: ty.clone(), is_const: parts.iter().all(|part| part.is_const), node: Node::Build(parts) }
    }

    /// A literal, a name, or a part of one.
    pub fn leaf(&mut self, ty: &Type) -> Expr {
        if let Type::Scalar(kind) = ty
            && self.r.one_in(4)
        {
            return self.number(*kind);
        }
        for _ in 0..8 {
            if let Some(root) = self.readable()
                && holds(&root.ty, ty)
            {
                return match root.space {
                    Space::Value | Space::Constant | Space::Override => self.part_of(named(&root), ty),
                    _ => {
                        let place = self.place(&root, ty, false);
                        made(ty.clone(), Node::Load(place))
                    }
                };
            }
        }
        match ty {
            Type::Scalar(kind) => self.number(*kind),
            _ if self.r.one_in(3) => Expr { ty: ty.clone(), is_const: true, node: Node::Zero },
            _ => self.build(ty, 0),
        }
    }

    fn number(&mut self, kind: Kind) -> Expr {
        let small = self.r.below(9) as u32;
        let word = match kind {
            Kind::Bool => small & 1,
            Kind::F32 => self.moderate(),
            _ if self.r.one_in(2) => small,
            Kind::I32 if self.r.one_in(2) => small.wrapping_neg(),
            _ => self.r.word(),
        };
        literal(kind, word)
    }

    /// The bits of a float, of which sums and products are exact now and then.
    pub fn moderate(&mut self) -> u32 {
        match self.r.below(8) {
            0 => self.r.pick(&[0.0_f32, 1.0, -1.0, 0.5, 3.0e9, -2.5e9, 1.0e20, 7.25e-9]),
            1..4 => self.r.below(17) as f32 - 8.0,
            _ => self.r.below(1 << 20) as f32 / 4096.0 - 128.0,
        }
        .to_bits()
    }

    /// Something that is not constant.
    fn runtime(&mut self, ty: &Type) -> Expr {
        let node = match ty {
            Type::Scalar(kind) => {
                let root = self.scalars.iter().find(|var| var.ty == *ty).unwrap_or_else(|| panic!("no {kind:?}"));
                Node::Load(Place { root: Rc::clone(root), path: Vec::new(), ty: ty.clone() })
            }
            Type::Vector(..) => Node::Build(vec![self.runtime(&ty.child(0))]),
            _ => Node::Build((0..ty.children()).map(|number| self.runtime(&ty.child(number))).collect()),
        };
        made(ty.clone(), node)
    }

    /// An operand that is not constant.
    pub fn varying(&mut self, ty: &Type, depth: usize) -> Expr {
        let expr = self.expr(ty, depth);
        if expr.is_const { self.runtime(ty) } else { expr }
    }

    /// A part of a value, of this type.
    fn part_of(&mut self, mut value: Expr, ty: &Type) -> Expr {
        while value.ty != *ty {
            let parts: Vec<u32> = (0..value.ty.children()).filter(|&n| holds(&value.ty.child(n), ty)).collect();
            let number = self.r.pick(&parts);
            let (child, is_const) = (value.ty.child(number), value.is_const);
            let node = if !matches!(value.ty, Type::Struct(_)) && self.r.one_in(2) {
                let index = self.index(value.ty.children());
                Expr { ty: child, is_const: is_const && index.is_const, node: Node::Index(Box::new([value, index])) }
            } else {
                Expr { ty: child, is_const, node: Node::Part(Box::new(value), number) }
            };
            value = node;
        }
        value
    }

    /// The number of one of several parts; some are out of range.
    fn index(&mut self, count: u32) -> Expr {
        match self.r.below(6) {
            0 => literal(Kind::U32, self.r.below(count as usize) as u32),
            1 if !self.is_in_range => {
                let kind = self.r.pick(&[Kind::U32, Kind::I32]);
                self.varying(&Type::Scalar(kind), 1)
            }
            2 if !self.is_in_range => {
                let value = self.varying(&Type::Scalar(Kind::I32), 1);
                binary("%", Type::Scalar(Kind::I32), value, literal(Kind::I32, count + 1))
            }
            _ => {
                let value = self.varying(&Type::Scalar(Kind::U32), 1);
                binary("%", Type::Scalar(Kind::U32), value, literal(Kind::U32, count))
            }
        }
    }

    /// A part of a variable, of this type.
    pub fn place(&mut self, root: &Rc<Var>, ty: &Type, is_written: bool) -> Place {
        let mut path = Vec::new();
        if is_row(root.space) {
            let own = match root.space {
                Space::Slots => Some(0),
                Space::Shared if root.id != self.common && (is_written || self.moment == Moment::Write) => Some(1),
                _ => None,
            };
            path.push(match own {
                Some(number) => Step::Computed(named(&self.numbers[number])),
                None if root.id == self.common => Step::Known(0),
                None if root.space == Space::Input && !self.is_in_range => {
                    let value = self.varying(&Type::Scalar(Kind::U32), 1);
                    Step::Computed(binary("&", Type::Scalar(Kind::U32), value, literal(Kind::U32, 31)))
                }
                None => {
                    let count = if root.space == Space::Input { self.inputs } else { self.threads };
                    let index = self.index(count);
                    Step::Computed(index)
                }
            });
        }
        let mut at = root.ty.clone();
        while at != *ty {
            let parts: Vec<u32> = (0..at.children()).filter(|&n| holds(&at.child(n), ty)).collect();
            let number = self.r.pick(&parts);
            if !matches!(at, Type::Struct(_)) && self.r.one_in(2) {
                path.push(Step::Computed(self.index(at.children())));
                at = at.child(0);
            } else {
                path.push(Step::Known(number));
                at = at.child(number);
            }
        }
        Place { root: Rc::clone(root), path, ty: ty.clone() }
    }

    /// A call of a function that changes nothing.
    fn pure_call(&mut self, ty: &Type, depth: usize) -> Option<Expr> {
        let fits = |of: &Rc<super::tree::Function>, maker: &Self| {
            of.result.as_ref() == Some(ty) && maker.is_pure(of) && maker.may_call(of)
        };
        let all: Vec<_> = self.functions.iter().filter(|of| fits(of, self)).cloned().collect();
        let function = all.get(self.r.below(all.len().max(1)))?;
        self.pay(function);
        let args = function.parameters.iter().map(|var| Argument::Value(self.expr(&var.ty, depth.min(1)))).collect();
        Some(made(ty.clone(), Node::Call(Rc::clone(function), args)))
    }

    fn function(&mut self, name: &'static str, ty: Type, args: Vec<Expr>) -> Expr {
        made(ty, Node::Builtin(name, args))
    }

    /// A scalar or vector.
    fn components(&mut self, count: u32, kind: Kind, depth: usize) -> Expr {
        let ty = wide(count, kind);
        match self.r.below(12) {
            0 => {
                let condition = wide(if self.r.one_in(2) { 1 } else { count }, Kind::Bool);
                let args = vec![self.expr(&ty, depth), self.expr(&ty, depth), self.varying(&condition, depth)];
                self.function("select", ty, args)
            }
            1 if count > 1 => {
                let from = self.r.below(3) as u32 + 2;
                // naga takes no component of a constant that vectors are put together to.
                let value = self.varying(&wide(from, kind), depth);
                let parts = (0..count).map(|_| self.r.below(from as usize) as u32).collect();
                made(ty, Node::Swizzle(Box::new(value), parts))
            }
            1 | 2 if count > 1 => self.build(&ty, depth),
            1 => {
                let from = self.r.below(3) as u32 + 2;
                let value = self.varying(&wide(from, kind), depth);
                self.part_of(value, &ty)
            }
            2 | 3 => {
                let from = self.r.pick(&[Kind::U32, Kind::I32, Kind::F32, Kind::Bool]);
                let value = self.varying(&wide(count, from), depth);
                made(ty, Node::Convert(Box::new(value)))
            }
            4 if kind != Kind::Bool => {
                // Which NaN an operation gives is told by no rule.
                let kinds: &[Kind] = if self.is_wild { &NUMBERS } else { &[Kind::U32, Kind::I32] };
                let from = if kind == Kind::F32 && !self.is_wild { Kind::F32 } else { self.r.pick(kinds) };
                let value = self.varying(&wide(count, from), depth);
                made(ty, Node::Bitcast(Box::new(value)))
            }
            5..8 => self.operator(count, kind, depth),
            _ => match kind {
                Kind::Bool => self.comparison(count, depth),
                Kind::F32 => self.float_function(count, depth),
                _ => self.integer_function(count, kind, depth),
            },
        }
    }

    fn operator(&mut self, count: u32, kind: Kind, depth: usize) -> Expr {
        let ty = wide(count, kind);
        let op = match kind {
            Kind::Bool if count == 1 => self.r.pick(&["&&", "||", "&", "|", "==", "!=", "!"]),
            Kind::Bool => self.r.pick(&["&", "|", "!"]),
            Kind::F32 => self.r.pick(&["+", "-", "*", "/", "%", "neg", "+", "-", "*"]),
            Kind::I32 => self.r.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "neg", "~"]),
            Kind::U32 => self.r.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "~"]),
        };
        if let "!" | "~" | "neg" = op {
            let value = self.varying(&ty, depth);
            return made(ty, Node::Unary(if op == "neg" { "-" } else { op }, Box::new(value)));
        }
        let is_arithmetic = matches!(op, "+" | "-" | "*" | "/" | "%");
        // Of vectors, one may be a scalar.
        let narrow = if is_arithmetic && count > 1 { self.r.below(4) } else { 3 };
        let left = if narrow == 0 { Type::Scalar(kind) } else { ty.clone() };
        let right = if narrow == 1 { Type::Scalar(kind) } else { ty.clone() };
        if count > 1 && op == "*" && kind == Kind::F32 && self.r.one_in(2) {
            let others = self.r.below(3) as u32 + 2;
            let (matrix, vector) = if self.r.one_in(2) {
                (Type::Matrix(others, count), Type::Vector(others, kind))
            } else {
                let (matrix, vector) = (Type::Matrix(count, others), Type::Vector(others, kind));
                let (a, b) = (self.varying(&vector, depth), self.expr(&matrix, depth));
                return binary(op, ty, a, b);
            };
            let (a, b) = (self.varying(&matrix, depth), self.expr(&vector, depth));
            return binary(op, ty, a, b);
        }
        let a = self.varying(&left, depth);
        let b = self.right(op, &right, kind, depth);
        binary(op, ty, a, b)
    }

    /// A right operand: no constant that is refused.
    pub fn right(&mut self, op: &str, ty: &Type, kind: Kind, depth: usize) -> Expr {
        let is_integer = matches!(kind, Kind::I32 | Kind::U32);
        match op {
            "<<" | ">>" => {
                let ty = wide(ty.words() as u32, Kind::U32);
                match self.r.one_in(2) {
                    true => {
                        let word = self.r.below(32) as u32;
                        self.filled(&ty, Kind::U32, word)
                    }
                    // A constant component would be refused like a constant.
                    false => {
                        let value = self.varying(&ty, depth);
                        binary("&", ty.clone(), value, self.filled(&ty, Kind::U32, 127))
                    }
                }
            }
            "/" | "%" if is_integer => match self.r.one_in(2) {
                true => {
                    let word = self.r.word().max(1);
                    self.filled(ty, kind, word)
                }
                // A constant component would be refused, if it were zero.
                false => {
                    let (value, mask) = (self.expr(ty, depth), self.runtime(ty));
                    if ty.words() == 1 && !value.is_const { value } else { binary("&", ty.clone(), value, mask) }
                }
            },
            _ => self.expr(ty, depth),
        }
    }

    fn filled(&mut self, ty: &Type, kind: Kind, word: u32) -> Expr {
        let scalar = literal(kind, word);
        match ty {
            Type::Scalar(_) => scalar,
            _ => Expr { ty: ty.clone(), is_const: true, node: Node::Build(vec![scalar]) },
        }
    }

    fn comparison(&mut self, count: u32, depth: usize) -> Expr {
        let ty = wide(count, Kind::Bool);
        if count == 1 && self.r.one_in(4) {
            let from = self.r.below(3) as u32 + 2;
            let value = self.varying(&wide(from, Kind::Bool), depth);
            let name = self.r.pick(&["all", "any"]);
            return self.function(name, ty, vec![value]);
        }
        let of = wide(count, self.r.pick(&NUMBERS));
        let op = self.r.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let (a, b) = (self.varying(&of, depth), self.expr(&of, depth));
        binary(op, ty, a, b)
    }

    fn integer_function(&mut self, count: u32, kind: Kind, depth: usize) -> Expr {
        let ty = wide(count, kind);
        let unsigned = Type::Scalar(Kind::U32);
        if count == 1 && self.r.one_in(3) {
            return match self.r.below(5) {
                0 => {
                    let of = wide(self.r.below(3) as u32 + 2, kind);
                    let args = vec![self.varying(&of, depth), self.varying(&of, depth)];
                    self.function("dot", ty, args)
                }
                1 => {
                    let args = vec![self.varying(&unsigned, depth), self.varying(&unsigned, depth)];
                    let name = if kind == Kind::I32 { "dot4I8Packed" } else { "dot4U8Packed" };
                    self.function(name, ty, args)
                }
                2 if kind == Kind::U32 => {
                    let (name, from) = self.r.pick(&[
                        ("pack4xI8", Kind::I32),
                        ("pack4xU8", Kind::U32),
                        ("pack4xI8Clamp", Kind::I32),
                        ("pack4xU8Clamp", Kind::U32),
                    ]);
                    let value = self.varying(&wide(4, from), depth);
                    self.function(name, ty, vec![value])
                }
                3 if kind == Kind::U32 => made(ty, Node::Length),
                4 if kind == Kind::U32 => {
                    let at = self.varying(&wide(2, Kind::U32), depth);
                    let by =
                        Expr { ty: wide(2, Kind::U32), is_const: true, node: Node::Build(vec![literal(Kind::U32, 3)]) };
                    let at = if self.is_in_range { binary("&", wide(2, Kind::U32), at, by) } else { at };
                    let image = made(unsigned, Node::Image);
                    let texel =
                        self.function("textureLoad", wide(4, Kind::U32), vec![image, at, literal(Kind::U32, 0)]);
                    // The others are not there; what they are out of range is left open.
                    made(ty, Node::Part(Box::new(texel), 0))
                }
                _ => self.expr(&ty, depth),
            };
        }
        if count == 4 && self.r.one_in(6) {
            let value = self.varying(&unsigned, depth);
            return self.function(if kind == Kind::I32 { "unpack4xI8" } else { "unpack4xU8" }, ty, vec![value]);
        }
        let name = self.r.pick(&[
            "abs",
            "min",
            "max",
            "clamp",
            "countOneBits",
            "countLeadingZeros",
            "countTrailingZeros",
            "reverseBits",
            "firstLeadingBit",
            "firstTrailingBit",
            "extractBits",
            "insertBits",
            "sign",
        ]);
        let small = |maker: &mut Self| {
            let value = maker.varying(&unsigned, depth);
            binary("&", unsigned.clone(), value, literal(Kind::U32, 63))
        };
        let args = match name {
            "sign" if kind == Kind::U32 => return self.expr(&ty, depth),
            "min" | "max" => vec![self.varying(&ty, depth), self.expr(&ty, depth)],
            "clamp" => (0..3).map(|_| self.varying(&ty, depth)).collect(),
            "extractBits" => vec![self.varying(&ty, depth), small(self), small(self)],
            "insertBits" => vec![self.varying(&ty, depth), self.varying(&ty, depth), small(self), small(self)],
            _ => vec![self.varying(&ty, depth)],
        };
        self.function(name, ty, args)
    }

    fn float_function(&mut self, count: u32, depth: usize) -> Expr {
        let ty = wide(count, Kind::F32);
        if self.is_wild && self.r.one_in(2) {
            return self.wild_function(count, depth);
        }
        if count == 1 && self.r.one_in(6) {
            let of = wide(self.r.below(3) as u32 + 2, Kind::F32);
            let args = vec![self.varying(&of, depth), self.varying(&of, depth)];
            return self.function("dot", ty, args);
        }
        let name = self.r.pick(&[
            "abs", "min", "max", "clamp", "saturate", "floor", "ceil", "trunc", "round", "sign", "step", "sqrt", "fma",
            "mix", "cross",
        ]);
        let args = match name {
            "cross" if count != 3 => 1,
            "min" | "max" | "step" | "cross" => 2,
            "clamp" | "fma" | "mix" => 3,
            _ => 1,
        };
        let name = if name == "cross" && count != 3 { "abs" } else { name };
        let args = (0..args).map(|_| self.varying(&ty, depth)).collect();
        self.function(name, ty, args)
    }

    /// Functions that the model lacks.
    fn wild_function(&mut self, count: u32, depth: usize) -> Expr {
        let ty = wide(count, Kind::F32);
        let unsigned = Type::Scalar(Kind::U32);
        let unpack = match count {
            2 => Some(["unpack2x16float", "unpack2x16snorm", "unpack2x16unorm"]),
            4 => Some(["unpack4x8snorm", "unpack4x8unorm", "unpack4x8unorm"]),
            _ => None,
        };
        if let Some(all) = unpack
            && self.r.one_in(3)
        {
            let value = self.varying(&unsigned, depth);
            let name = self.r.pick(&all);
            return self.function(name, ty, vec![value]);
        }
        if count == 1 && self.r.one_in(3) {
            let of = wide(self.r.below(3) as u32 + 2, Kind::F32);
            let square = self.r.below(3) as u32 + 2;
            return match self.r.below(5) {
                0 => {
                    let value = self.varying(&of, depth);
                    self.function("length", ty, vec![value])
                }
                1 => {
                    let args = vec![self.varying(&of, depth), self.varying(&of, depth)];
                    self.function("distance", ty, args)
                }
                2 => {
                    let value = self.varying(&Type::Matrix(square, square), depth);
                    self.function("determinant", ty, vec![value])
                }
                _ => {
                    let (name, from) = self.r.pick(&[
                        ("pack4x8snorm", 4),
                        ("pack4x8unorm", 4),
                        ("pack2x16snorm", 2),
                        ("pack2x16unorm", 2),
                    ]);
                    let value = self.varying(&wide(from, Kind::F32), depth);
                    let packed = self.function(name, unsigned, vec![value]);
                    made(ty, Node::Bitcast(Box::new(packed)))
                }
            };
        }
        let name = self.r.pick(&[
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "exp",
            "exp2",
            "log",
            "log2",
            "inverseSqrt",
            "fract",
            "degrees",
            "radians",
            "quantizeToF16",
            "atan2",
            "pow",
            "smoothstep",
            "ldexp",
            "normalize",
            "reflect",
            "faceForward",
            "refract",
            "modf",
            "frexp",
        ]);
        let is_of_vectors = matches!(name, "normalize" | "reflect" | "faceForward" | "refract");
        if is_of_vectors && count == 1 || matches!(name, "modf" | "frexp" | "quantizeToF16") {
            let value = self.varying(&ty, depth);
            return self.function("fract", ty, vec![value]);
        }
        if name == "ldexp" {
            let args = vec![self.varying(&ty, depth), self.varying(&wide(count, Kind::I32), depth)];
            return self.function(name, ty, args);
        }
        let args = match name {
            "atan2" | "pow" | "reflect" => 2,
            "smoothstep" | "faceForward" | "refract" => 3,
            _ => 1,
        };
        let mut args: Vec<Expr> = (0..args).map(|_| self.varying(&ty, depth)).collect();
        if name == "refract" {
            args[2] = self.varying(&Type::Scalar(Kind::F32), depth);
        }
        self.function(name, ty, args)
    }

    fn matrix(&mut self, columns: u32, rows: u32, depth: usize) -> Expr {
        let ty = Type::Matrix(columns, rows);
        match self.r.below(6) {
            0 | 1 => self.build(&ty, depth),
            2 => {
                let op = self.r.pick(&["+", "-"]);
                let (a, b) = (self.varying(&ty, depth), self.varying(&ty, depth));
                binary(op, ty, a, b)
            }
            3 => {
                let (a, b) = (self.varying(&ty, depth), self.varying(&Type::Scalar(Kind::F32), depth));
                if self.r.one_in(2) { binary("*", ty, a, b) } else { binary("*", ty, b, a) }
            }
            4 => {
                let inner = self.r.below(3) as u32 + 2;
                let a = self.varying(&Type::Matrix(inner, rows), depth);
                let b = self.varying(&Type::Matrix(columns, inner), depth);
                binary("*", ty, a, b)
            }
            _ => {
                let value = self.varying(&Type::Matrix(rows, columns), depth);
                self.function("transpose", ty, vec![value])
            }
        }
    }
}
