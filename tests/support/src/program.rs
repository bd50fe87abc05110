//! Represents a random shader as a tree, before it becomes tokens.
//!
//! The tree's form, not its content, makes a program end, and do the same in any order of its threads, so that leaving
//! out any part of the tree leaves a program with the same properties:
//!
//! * A loop owns its counter, which nothing else writes; `head` comes before the counter's test and holds no
//!   `continue`.
//! * A thread writes only memory of its own. [`Register::Own`] is its number in the dispatch, and each view is laid out
//!   so that different numbers never meet. Memory updated by all threads is updated by one commuting operation a word,
//!   and the results go to [`Register::Unused`], unless the program is [`Program::ordered`].
//! * Shared memory is used inside [`Node::Part`] only, each of which ends in a barrier. Within a part each thread
//!   writes its own words, or all update it by commuting operations, or it is only read.
//! * Parts occur under uniform control flow only. [`Register::Uniform`] is written under uniform control flow from
//!   uniform sources.

use brolga_bytecode::sm5::Op;

use crate::views::Layout;

/// Statements one after the other.
pub type Block = Vec<Node>;

/// A whole compute shader and its dispatch.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed it was made of; selects the content of memory too.
    pub seed: u64,
    /// Threads of a group.
    pub group: [u32; 3],
    /// Groups.
    pub groups: [u32; 3],
    /// General registers `r0..`; those of [`Register`] follow them.
    pub temps: u32,
    /// Vectors of each `x#`.
    pub arrays: Vec<u32>,
    /// The immediate constant buffer.
    pub immediate: Vec<[u32; 4]>,
    /// The layout of memory.
    pub layout: Layout,
    /// Subroutines. One calls only later ones.
    pub functions: Vec<Block>,
    /// The main program.
    pub body: Block,
    /// General registers that each thread writes to its record at the end.
    pub shown: u32,
    /// Set if results that depend on the order of threads are used. One thread of this machine has one order on every
    /// engine; several have none, and the plain model has another.
    pub ordered: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Node {
    /// Any instruction on registers.
    Plain(Instr),
    /// Instructions that belong together: an address and an access.
    Group(Vec<Instr>),
    /// Both arms.
    If {
        /// The condition for the first arm.
        cond: Condition,
        /// The first arm.
        then: Block,
        /// The other arm, if there is one.
        otherwise: Option<Block>,
    },
    /// A counted loop.
    Loop {
        /// Nesting in the function, which tells its counter.
        depth: usize,
        /// The most iterations.
        rounds: Rounds,
        /// The test of the counter.
        exit: Exit,
        /// Before the test.
        head: Block,
        /// After the test.
        body: Block,
    },
    /// A switch.
    Switch {
        /// A single component.
        selector: Operand,
        /// Its arms.
        arms: Vec<Arm>,
    },
    /// A call of a subroutine.
    Call {
        /// The subroutine.
        function: usize,
        /// The condition, if any.
        cond: Option<Condition>,
    },
    /// Leaves something.
    Jump {
        /// The target.
        jump: Jump,
        /// The condition, if any.
        cond: Option<Condition>,
        /// Set if the thread's registers are written to its record first; only if the thread ends.
        shows: bool,
    },
    /// Statements that may use shared memory in one way, and a barrier.
    Part(Block),
    /// `sync` without a meeting of threads, or a superfluous one under uniform control flow.
    Sync(&'static str),
}

/// An arm of a switch.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its labels; `None` is `default`.
    pub labels: Vec<Option<u32>>,
    /// Its statements.
    pub body: Block,
    /// Set if it falls through to the next arm.
    pub falls: bool,
}

/// A condition of flow.
#[derive(Clone, Debug)]
pub struct Condition {
    /// One component.
    pub operand: Operand,
    /// Set if a non-zero component makes it hold, rather than zero.
    pub non_zero: bool,
}

/// Number of iterations of a loop.
#[derive(Clone, Debug)]
pub enum Rounds {
    /// So many.
    Fixed(u32),
    /// The low bits of a component, under this mask, on entry to the loop.
    Masked(Operand, u32),
}

/// The way that a loop is left when its iterations are over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// `breakc_nz`
    NonZero,
    /// `breakc_z`
    Zero,
    /// `break` in an `if`.
    If,
    /// `break` in an `else`, the loop's rest in the `if`.
    Else,
}

/// The target of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jump {
    /// The innermost loop or switch.
    Break,
    /// The iteration of the innermost loop.
    Continue,
    /// The function.
    Return,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instr {
    /// The opcode.
    pub op: Op,
    /// The text after the opcode's name: `_sat`, `_uint`, `_aoffimmi(1,2,3)`, ` [precise(x)]`.
    pub suffix: String,
    /// In the order of the stream.
    pub operands: Vec<Operand>,
}

impl Instr {
    /// An instruction without a suffix.
    pub fn new(op: Op, operands: Vec<Operand>) -> Self {
        Self { op, suffix: String::new(), operands }
    }
}

/// An operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    /// The register.
    pub register: Register,
    /// Its components.
    pub parts: Parts,
    /// Its modifier.
    pub modifier: Modifier,
}

impl Operand {
    /// An operand without modifier.
    pub fn new(register: Register, parts: Parts) -> Self {
        Self { register, parts, modifier: Modifier::None }
    }

    /// A destination.
    pub fn to(register: Register, mask: u8) -> Self {
        Self::new(register, Parts::Mask(mask))
    }

    /// One component.
    pub fn one(register: Register, component: u8) -> Self {
        Self::new(register, Parts::Select(component))
    }

    /// All components as they are.
    pub fn whole(register: Register) -> Self {
        Self::new(register, Parts::Swizzle([0, 1, 2, 3]))
    }

    /// A scalar literal.
    pub fn word(word: u32) -> Self {
        Self::new(Register::Literal(vec![word]), Parts::None)
    }
}

/// Components of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// No components to select.
    None,
    /// A destination's.
    Mask(u8),
    /// A source's.
    Swizzle([u8; 4]),
    /// One of a source.
    Select(u8),
}

/// Source modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    /// No modifier.
    None,
    /// `-x`
    Negate,
    /// `|x|`
    Absolute,
    /// `-|x|`
    NegateAbsolute,
}

impl Modifier {
    /// All four.
    pub const ALL: [Modifier; 4] = [Modifier::None, Modifier::Negate, Modifier::Absolute, Modifier::NegateAbsolute];

    /// An operand with it, as text.
    pub fn around(self, operand: &str) -> String {
        match self {
            Self::None => operand.to_owned(),
            Self::Negate => format!("-{operand}"),
            Self::Absolute => format!("|{operand}|"),
            Self::NegateAbsolute => format!("-|{operand}|"),
        }
    }
}

/// The register of an operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Register {
    /// `null`
    Null,
    /// A general register.
    Temp(u32),
    /// Small numbers that differ from thread to thread, for indices and conditions.
    Small,
    /// The thread's number in the dispatch, in `.x`.
    Own,
    /// For addresses.
    Scratch,
    /// Results that depend on the order of threads.
    Unused,
    /// Group-uniform values.
    Uniform,
    /// `x#[index]`
    Array(u32, Index),
    /// `cb#[index]`
    Constant(u32, Index),
    /// `icb[index]`
    Immediate(Index),
    /// `t#`
    Resource(u32),
    /// `u#`
    Uav(u32),
    /// `s#`
    Sampler(u32),
    /// `g#`
    Shared(u32),
    /// `vThreadID`
    ThreadId,
    /// `vThreadGroupID`
    GroupId,
    /// `vThreadIDInGroup`
    IdInGroup,
    /// `vThreadIDInGroupFlattened`
    IndexInGroup,
    /// `l(...)`, one word or four.
    Literal(Vec<u32>),
    /// `d(...)`
    Doubles([u64; 2]),
    /// A literal: threads of a group.
    GroupThreads,
    /// A literal: the largest number of a thread in the dispatch.
    LastThread,
    /// A literal: the largest number of a thread in its group.
    LastInGroup,
}

/// A vector's index: `base + register.component`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// The number.
    pub base: u32,
    /// The register, if there is one.
    pub relative: Option<(Box<Register>, u8)>,
}

impl Index {
    /// A number.
    pub fn fixed(base: u32) -> Self {
        Self { base, relative: None }
    }
}

impl Program {
    /// `true` if memory holds mostly floats about the smallest normal one, where rules of denormals show.
    pub fn is_tiny(&self) -> bool {
        self.seed % 7 == 3
    }

    /// Threads of a group.
    pub fn group_threads(&self) -> u32 {
        self.group.iter().product()
    }

    /// Threads of the dispatch.
    pub fn threads(&self) -> u32 {
        self.group_threads() * self.groups.iter().product::<u32>()
    }

    /// Every instruction of the tree.
    pub fn each_instr(&self, visit: &mut impl FnMut(&Instr)) {
        for block in self.functions.iter().chain([&self.body]) {
            each_instr(block, visit);
        }
    }

    /// Every statement of the tree.
    pub fn each_node(&self, visit: &mut impl FnMut(&Node)) {
        for block in self.functions.iter().chain([&self.body]) {
            each_node(block, visit);
        }
    }

    /// Statements of the tree.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.each_node(&mut |_| size += 1);
        size
    }
}

impl Node {
    /// The blocks within.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Node::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).collect(),
            Node::Loop { head, body, .. } => vec![head, body],
            Node::Switch { arms, .. } => arms.iter().map(|arm| &arm.body).collect(),
            Node::Part(body) => vec![body],
            Node::Plain(_) | Node::Group(_) | Node::Call { .. } | Node::Jump { .. } | Node::Sync(_) => Vec::new(),
        }
    }

    /// The blocks within, to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Node::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).collect(),
            Node::Loop { head, body, .. } => vec![head, body],
            Node::Switch { arms, .. } => arms.iter_mut().map(|arm| &mut arm.body).collect(),
            Node::Part(body) => vec![body],
            Node::Plain(_) | Node::Group(_) | Node::Call { .. } | Node::Jump { .. } | Node::Sync(_) => Vec::new(),
        }
    }
}

fn each_node(block: &Block, visit: &mut impl FnMut(&Node)) {
    for node in block {
        visit(node);
        for inner in node.blocks() {
            each_node(inner, visit);
        }
    }
}

fn each_instr(block: &Block, visit: &mut impl FnMut(&Instr)) {
    each_node(block, &mut |node| match node {
        Node::Plain(instr) => visit(instr),
        Node::Group(instrs) => instrs.iter().for_each(&mut *visit),
        _ => {}
    });
}
