//! Makes random shaders: see [`crate::program`] for their guarantees.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | whole programs: sizes, layouts, first values |
//! | `flow.rs` | blocks, branches, loops, switches, calls, barriers |
//! | `pure.rs` | instructions on registers, from the rows of the instruction table |
//! | `access.rs` | reads of constant input, private and owned memory |
//! | `crowd.rs` | more values than there are registers |
//! | `shared.rs` | operations of threads on common memory: totals, counters, shared memory |
//! | `layout.rs` | the layout of memory |

mod access;
mod crowd;
mod flow;
mod layout;
mod pure;
mod shared;

use brolga_bytecode::sm5::Op;

use crate::program::{Block, Index, Instr, Node, Operand, Parts, Program, Register};
use crate::random::Random;
use flow::Context;
use pure::Scope;
pub use pure::pure_ops;

/// Group sizes: whole and broken packets, one and several, every dimension, rows that packets fill as most shaders
/// have.
const GROUPS: [[u32; 3]; 25] = [
    [1, 1, 1],
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [5, 1, 1],
    [7, 1, 1],
    [8, 1, 1],
    [8, 1, 1],
    [9, 1, 1],
    [15, 1, 1],
    [16, 1, 1],
    [20, 1, 1],
    [33, 1, 1],
    [64, 1, 1],
    [4, 2, 1],
    [8, 2, 1],
    [4, 3, 1],
    [3, 2, 2],
    [2, 2, 4],
    [1, 9, 1],
    [70, 1, 1],
    [8, 8, 1],
    [16, 2, 1],
    [8, 2, 2],
];

/// A shader for the seed.
pub fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let group: [u32; 3] = random.pick(&GROUPS);
    let small = group.iter().product::<u32>() <= 5;
    let groups = match random.below(10) {
        0..=3 => [1, 1, 1],
        4..=6 => [1 + random.below(3) as u32, 1, 1],
        7 => [1, 2, 1],
        8 => [2, 1, 2],
        // Packets may span small groups.
        _ if small => [7 + random.below(10) as u32, 1, 1],
        _ => [3, 1, 1],
    };
    let statements = match random.below(40) {
        0..=27 => 3 + random.below(9),
        28..=38 => 8 + random.below(20),
        _ => 30 + random.below(60),
    };
    let crowded = random.one_in(12);
    let (temps, statements) = match crowded {
        true => (9 + random.below(3) as u32, random.below(3)),
        false => (2 + random.below(4) as u32, statements),
    };
    let layout = layout::layout(&mut random);
    let program = Program {
        seed,
        group,
        groups,
        temps,
        arrays: (0..random.below(3)).map(|_| 1 + random.below(7) as u32).collect(),
        immediate: (0..random.below(5)).map(|_| [0; 4].map(|_: u32| random.word())).collect(),
        shown: temps.min(layout.record_bytes / 16).min(1 + random.below(4) as u32),
        ordered: random.one_in(8),
        layout,
        functions: Vec::new(),
        body: Vec::new(),
    };
    // Flushing is explicit beside doubles only.
    let doubles = if program.is_tiny() { !random.one_in(3) } else { random.one_in(3) };
    let barriers = random.one_in(2);
    let mut generator =
        Generator { random, program, doubles, barriers, shares: false, left: statements, callable: Vec::new() };
    generator.functions();
    let mut body = generator.first_values();
    if crowded {
        generator.crowd(&mut body);
    }
    generator.program_body(&mut body);
    generator.program.body = body;
    generator.program
}

/// The state of a generation.
struct Generator {
    random: Random,
    program: Program,
    /// Set if there is arithmetic on doubles.
    doubles: bool,
    /// Set if there are barriers, so that uniform control flow must be kept uniform.
    barriers: bool,
    /// Set if something uses shared memory.
    shares: bool,
    /// Statements left to make.
    left: usize,
    /// Subroutines; `true` for those that may be called under uniform control flow only.
    callable: Vec<bool>,
}

impl Generator {
    /// Subroutines, the last one first: each calls later ones only.
    fn functions(&mut self) {
        let count = if self.random.one_in(3) { 1 + self.random.below(2) } else { 0 };
        let mut bodies = Vec::new();
        // Numbers grow towards the end of the program; until all are made, they are counted from the end.
        for _ in 0..count {
            let uniform = self.barriers && self.random.one_in(3);
            let context = Context::function(uniform);
            let mut body = Block::new();
            let statements = 1 + self.random.below(4);
            self.left += statements;
            self.statements(context, statements, &mut body);
            bodies.push(body);
            self.callable.push(uniform);
        }
        self.program.functions = bodies;
        renumber(&mut self.program.functions);
        self.callable.reverse();
    }

    /// Something in every register.
    fn first_values(&mut self) -> Block {
        let mut block = Block::new();
        let inputs = [Register::IdInGroup, Register::IndexInGroup, Register::Own];
        let from = match self.random.pick(&[0, 1, 1, 2]) {
            0 => Operand::new(inputs[0].clone(), Parts::Swizzle([0, 1, 2, 0])),
            1 => Operand::new(inputs[1].clone(), Parts::None),
            _ => Operand::new(inputs[2].clone(), Parts::Swizzle([0; 4])),
        };
        let masks = if self.random.one_in(2) { vec![7; 4] } else { vec![1, 2, 7, 31] };
        let mask = Operand::new(Register::Literal(masks), Parts::None);
        block.push(Node::Plain(Instr::new(Op::And, vec![Operand::to(Register::Small, 0xf), from, mask])));
        let uniform = match self.random.below(3) {
            0 => Operand::new(Register::GroupId, Parts::Swizzle([0, 1, 2, 0])),
            1 => Operand::whole(Register::Constant(0, Index::fixed(0))),
            _ => Operand::new(Register::Literal(vec![2, 0, 1, 5]), Parts::None),
        };
        block.push(Node::Plain(Instr::new(Op::Mov, vec![Operand::to(Register::Uniform, 0xf), uniform])));
        if self.random.one_in(if self.barriers { 2 } else { 8 }) {
            block.push(Node::Group(self.uniform_read()));
        }
        for n in 0..self.program.temps {
            let to = Operand::to(Register::Temp(n), 0xf);
            match self.random.below(5) {
                0..=3 if self.program.is_tiny() => block.push(Node::Group(self.read_input_to(to))),
                0 => {
                    let from = Operand::new(Register::IndexInGroup, Parts::None);
                    block.push(Node::Plain(Instr::new(Op::UtoF, vec![to, from])));
                }
                1 => {
                    let from = Operand::new(Register::ThreadId, Parts::Swizzle([0, 1, 2, 0]));
                    block.push(Node::Plain(Instr::new(Op::Mov, vec![to, from])));
                }
                2 if self.doubles => {
                    let from = Operand::whole(Register::Small);
                    block.push(Node::Plain(Instr::new(Op::ItoD, vec![to, from])));
                }
                2 | 3 => {
                    let words = [0; 4].map(|_: u32| self.random.word()).to_vec();
                    let from = Operand::new(Register::Literal(words), Parts::None);
                    block.push(Node::Plain(Instr::new(Op::Mov, vec![to, from])));
                }
                _ => block.push(Node::Group(self.read_raw_to(to))),
            }
        }
        block
    }

    fn program_body(&mut self, body: &mut Block) {
        let context = Context::main(self.barriers);
        let statements = self.left;
        if self.program.is_tiny() {
            // Before other values mix with those of memory.
            for _ in 0..3 {
                self.pure_on_input(body);
            }
        }
        self.statements(context, statements, body);
        if self.program.is_tiny() && self.doubles && !self.random.one_in(4) {
            // One operation that is seen is enough to make flushing explicit.
            body.push(Node::Plain(self.pure_of(Op::DAdd, Scope::Any)));
        }
        if self.shares {
            self.show_shared(body);
        }
    }
}

/// Turns numbers counted from the end into numbers from the start.
fn renumber(functions: &mut [Block]) {
    fn visit(block: &mut Block, last: usize) {
        for node in block {
            if let Node::Call { function, .. } = node {
                *function = last - *function;
            }
            for inner in node.blocks_mut() {
                visit(inner, last);
            }
        }
    }
    let last = functions.len().saturating_sub(1);
    functions.reverse();
    for block in functions {
        visit(block, last);
    }
}
