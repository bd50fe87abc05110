//! Programs as trees, which are printed and modelled.

use std::rc::Rc;

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    I32,
    U32,
    F32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Scalar(Kind),
    Vector(u32, Kind),
    /// Columns and rows of floats.
    Matrix(u32, u32),
    Array(Rc<Type>, u32),
    Struct(Rc<Struct>),
}

/// A structure; its members are `m0`, `m1`, …
#[derive(Debug, PartialEq)]
pub struct Struct {
    pub name: String,
    pub members: Vec<Type>,
}

impl Type {
    /// The part with this number.
    pub fn child(&self, number: u32) -> Type {
        match self {
            Type::Scalar(_) => unreachable!("a scalar has no parts"),
            Type::Vector(_, kind) => Type::Scalar(*kind),
            Type::Matrix(_, rows) => Type::Vector(*rows, Kind::F32),
            Type::Array(element, _) => (**element).clone(),
            Type::Struct(of) => of.members[number as usize].clone(),
        }
    }

    /// The number of parts.
    pub fn children(&self) -> u32 {
        match self {
            Type::Scalar(_) => 0,
            Type::Vector(count, _) | Type::Matrix(count, _) | Type::Array(_, count) => *count,
            Type::Struct(of) => of.members.len() as u32,
        }
    }

    /// The kinds of its scalars, in order.
    pub fn kinds(&self) -> Vec<Kind> {
        match self {
            Type::Scalar(kind) => vec![*kind],
            _ => (0..self.children()).flat_map(|number| self.child(number).kinds()).collect(),
        }
    }

    /// The number of scalars.
    pub fn words(&self) -> usize {
        self.kinds().len()
    }

    /// Alignment and size in bytes, in memory that the host sees.
    pub fn layout(&self) -> (u32, u32) {
        match self {
            Type::Scalar(_) => (4, 4),
            Type::Vector(2, _) => (8, 8),
            Type::Vector(count, _) => (16, 4 * count),
            Type::Matrix(columns, _) => (self.child(0).layout().0, columns * self.stride()),
            Type::Array(element, count) => (element.layout().0, count * self.stride()),
            Type::Struct(of) => {
                let (mut align, mut end) = (4, 0_u32);
                for (member_align, size) in of.members.iter().map(Type::layout) {
                    align = align.max(member_align);
                    end = end.next_multiple_of(member_align) + size;
                }
                (align, end.next_multiple_of(align))
            }
        }
    }

    /// Bytes from one column or element to the next.
    fn stride(&self) -> u32 {
        let (align, size) = self.child(0).layout();
        size.next_multiple_of(align)
    }

    /// The word in memory of each scalar.
    pub fn offsets(&self) -> Vec<usize> {
        let mut end = 0_u32;
        let mut all = Vec::new();
        for number in 0..self.children() {
            let child = self.child(number);
            let (align, size) = child.layout();
            let start = match self {
                Type::Struct(_) => end.next_multiple_of(align),
                Type::Vector(..) => 4 * number,
                _ => number * self.stride(),
            };
            end = start + size;
            all.extend(child.offsets().into_iter().map(|word| word + start as usize / 4));
        }
        if self.children() == 0 { vec![0] } else { all }
    }
}

/// Where a name's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A value: `let`, a parameter, a counter, which only its loop changes.
    Value,
    /// A constant of the module.
    Constant,
    Override,
    /// A variable of a function.
    Function,
    Private,
    /// Of a group: an element for each thread.
    Shared,
    /// The results: an element for each thread of all groups.
    Slots,
    /// Elements that are only read; as many as the buffer holds.
    Input,
    Uniform,
    /// A pointer to a variable of a function, or a part of one.
    Pointer,
}

/// A name.
#[derive(Debug, PartialEq)]
pub struct Var {
    pub id: usize,
    pub ty: Type,
    pub space: Space,
}

/// An expression that has no effect.
#[derive(Clone, Debug)]
pub struct Expr {
    pub ty: Type,
    /// A constant expression, which naga evaluates.
    pub is_const: bool,
    pub node: Node,
}

#[derive(Clone, Debug)]
pub enum Node {
    Literal(u32),
    /// `T()`.
    Zero,
    Name(Rc<Var>),
    Load(Place),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<[Expr; 2]>),
    /// Parts of a value, from scalars and vectors for a vector; one scalar may fill a vector.
    Build(Vec<Expr>),
    Convert(Box<Expr>),
    Bitcast(Box<Expr>),
    Builtin(&'static str, Vec<Expr>),
    /// A part of a value, by a computed number.
    Index(Box<[Expr; 2]>),
    Part(Box<Expr>, u32),
    Swizzle(Box<Expr>, Vec<u32>),
    /// A function without pointers.
    Call(Rc<Function>, Vec<Argument>),
    /// The length of the input.
    Length,
    /// The texture, as an argument.
    Image,
}

/// A variable and a path into it.
#[derive(Clone, Debug)]
pub struct Place {
    pub root: Rc<Var>,
    pub path: Vec<Step>,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub enum Step {
    Known(u32),
    Computed(Expr),
}

#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expr),
    Pointer(Place),
}

pub type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub enum Statement {
    Let(Rc<Var>, Expr),
    Var(Rc<Var>, Option<Expr>),
    Pointer(Rc<Var>, Place),
    Assign(Place, Expr),
    /// `place op= value`.
    Update(Place, &'static str, Expr),
    /// `place++` or `place--`.
    Step(Place, bool),
    If(Expr, Block, Block),
    /// Cases with their labels, of which `None` is `default`.
    Switch(Expr, Vec<(Vec<Option<u32>>, Block)>),
    For(Rc<Var>, u32, Block),
    /// A counter, its end, a condition.
    While(Rc<Var>, u32, Expr, Block),
    /// A counter, its end, the body, the continuing block, `break if`.
    Loop(Rc<Var>, u32, Block, Block, Option<Expr>),
    Break,
    Continue,
    Return(Option<Expr>),
    Call(Rc<Function>, Vec<Argument>, Option<Rc<Var>>),
    Block(Block),
    Atomic(Atomic),
    /// `textureStore` at the thread's own texel.
    Texel(Expr),
}

/// An atomic operation.
#[derive(Clone, Debug)]
pub struct Atomic {
    pub on: Counter,
    pub name: &'static str,
    pub value: Expr,
    /// What a compare-exchange compares with.
    pub compare: Option<Expr>,
    /// The name of the value before it.
    pub result: Option<Rc<Var>>,
}

/// An atomic variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// One of all groups, whose value nobody asks for.
    Sum(u32),
    /// One of the group.
    Tally(u32),
    /// One of the thread.
    Own(u32),
}

#[derive(Debug)]
pub struct Function {
    pub id: usize,
    pub parameters: Vec<Rc<Var>>,
    pub result: Option<Type>,
    pub body: Block,
    /// What a call costs at most, in statements that run.
    pub cost: u64,
    /// Statements in the text, with those of functions that it calls.
    pub size: u64,
}

/// What all threads of a group do together.
#[derive(Debug)]
pub enum Item {
    Phase(Block),
    Barrier(&'static str),
    /// `workgroupUniformLoad`.
    Load(Rc<Var>, Place),
    For(Rc<Var>, u32, Vec<Item>),
    If(Expr, Vec<Item>, Vec<Item>),
}

#[derive(Debug)]
pub struct Program {
    pub structs: Vec<Rc<Struct>>,
    pub constants: Vec<(Rc<Var>, Expr)>,
    /// With the default, and the value that is set.
    pub overrides: Vec<(Rc<Var>, u32, Option<u32>)>,
    /// Private variables with what they begin with.
    pub privates: Vec<(Rc<Var>, Option<Expr>)>,
    /// An array for the group, with an element for each thread, and a value of all.
    pub shared: Rc<Var>,
    pub common: Rc<Var>,
    pub slots: Rc<Var>,
    pub input: Rc<Var>,
    pub uniform: Rc<Var>,
    pub functions: Vec<Rc<Function>>,
    /// Values of the entry point: the thread's number of all, of the group, and the group's.
    pub numbers: [Rc<Var>; 3],
    pub main: Vec<Item>,
    pub group: [u32; 2],
    pub groups: u32,
    /// Elements of the input.
    pub inputs: usize,
    /// `false` if there are operations that have no model.
    pub is_modelled: bool,
}

/// Operations that the atomics of all threads have, one each, so that their order does not matter. Those below 4 are `u32`.
pub const SHARED_ATOMICS: [&str; 8] =
    ["atomicAdd", "atomicMax", "atomicOr", "atomicXor", "atomicSub", "atomicMin", "atomicAnd", "atomicMax"];

/// The kind of an atomic.
pub fn atomic_kind(counter: Counter) -> Kind {
    match counter {
        Counter::Sum(n) | Counter::Tally(n) if n < 4 => Kind::U32,
        Counter::Own(0) => Kind::U32,
        _ => Kind::I32,
    }
}
