//! Generates blocks, branches, loops, switches, calls and barriers, weighted towards nesting that masks must get right.

use brolga_bytecode::sm5::Op;
use brolga_bytecode::sm5::ops::{Type, Width};

use super::Generator;
use super::pure::Scope;
use super::shared::SharedUse;
use crate::program::{Arm, Block, Condition, Exit, Instr, Jump, Node, Operand, Parts, Register, Rounds};

/// Iterations of nested loops, at most, as far as they are known.
const TRIPS: u32 = 40;

/// The context of a statement.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Constructs that may still be opened within each other.
    depth: usize,
    /// Loops around it in its function.
    loops: usize,
    /// Rough number of times that it runs.
    trips: u32,
    /// Set if `break` has a target, and `continue`.
    can_break: bool,
    can_continue: bool,
    /// Set if a thread may return here by itself.
    can_return: bool,
    /// Set if all threads of the group that have not returned are here together.
    uniform: bool,
    /// The use of shared memory here.
    pub(super) shared: Option<SharedUse>,
    /// Set in a subroutine.
    is_function: bool,
}

impl Context {
    /// The main program's.
    pub fn main(uniform: bool) -> Self {
        Self {
            depth: 4,
            loops: 0,
            trips: 1,
            can_break: false,
            can_continue: false,
            can_return: true,
            uniform,
            shared: None,
            is_function: false,
        }
    }

    /// A subroutine's.
    pub fn function(uniform: bool) -> Self {
        Self { depth: 2, can_return: !uniform, is_function: true, ..Self::main(uniform) }
    }

    fn inner(self) -> Self {
        Self { depth: self.depth - 1, ..self }
    }

    /// Inside of something that threads of a group take by themselves.
    fn divergent(self) -> Self {
        // A loop that holds barriers is left by all threads together.
        let inside = self.inner();
        if self.uniform { Self { uniform: false, can_break: false, can_continue: false, ..inside } } else { inside }
    }
}

impl Generator {
    /// Statements one after the other.
    pub(super) fn statements(&mut self, context: Context, count: usize, block: &mut Block) {
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            if self.statement(context, block) {
                return;
            }
        }
    }

    fn block(&mut self, context: Context) -> Block {
        let mut block = Block::new();
        let count = 1 + self.random.below(4);
        self.statements(context, count, &mut block);
        block
    }

    /// Generates one statement. Returns `true` if nothing after it can run.
    fn statement(&mut self, context: Context, block: &mut Block) -> bool {
        if context.uniform && self.random.one_in(3) {
            return self.uniform_statement(context, block);
        }
        if let Some(shared) = context.shared
            && self.random.one_in(2)
        {
            block.push(Node::Group(self.shared_access(shared)));
            return false;
        }
        match self.random.below(100) {
            0..=27 => block.push(Node::Plain(self.pure())),
            28..=37 => self.pure_on_input(block),
            38..=42 => block.push(Node::Plain(self.small())),
            43..=64 => block.push(Node::Group(self.access(context))),
            65..=77 if context.depth > 0 => self.branch(context, Scope::Any, block),
            78..=86 if context.depth > 0 && context.trips <= TRIPS / 2 => self.repeat(context, Scope::Any, block),
            87..=90 if context.depth > 0 => self.switch(context, Scope::Any, block),
            91 | 92 => self.call(context, Scope::Any, block),
            93..=98 => return self.jump(context, block),
            99 if self.random.one_in(3) => {
                let op = self.random.pick(&[Op::Nop, Op::DebugBreak]);
                block.push(Node::Plain(Instr::new(op, Vec::new())));
            }
            99 => {
                // Fences do not wait.
                let fences = self.random.pick(&["_g", "_ugroup", "_uglobal", "_uglobal_g"]);
                block.push(Node::Sync(fences));
            }
            _ => block.push(Node::Plain(self.pure())),
        }
        false
    }

    /// Statements that only group-uniform control flow may have.
    fn uniform_statement(&mut self, context: Context, block: &mut Block) -> bool {
        match self.random.below(22) {
            0..=2 => block.push(Node::Plain(self.uniform())),
            3 | 4 => block.push(Node::Group(self.uniform_read())),
            5 | 6 if context.depth > 0 => self.branch(context, Scope::Uniform, block),
            7..=9 if context.depth > 0 && context.trips <= TRIPS / 2 => self.repeat(context, Scope::Uniform, block),
            10 if context.depth > 0 => self.switch(context, Scope::Uniform, block),
            11 => self.call(context, Scope::Uniform, block),
            12 => return self.uniform_jump(context, block),
            13 => block.push(Node::Sync(self.random.pick(&["_t", "_g_t", "_sat_uglobal_g_t", "_ugroup_t"]))),
            _ if context.depth > 0 => {
                let shared = Some(self.shared_use());
                let inside =
                    Context { uniform: false, can_break: false, can_continue: false, shared, ..context.inner() };
                block.push(Node::Part(self.block(inside)));
            }
            _ => block.push(Node::Plain(self.pure())),
        }
        false
    }

    /// New small numbers.
    fn small(&mut self) -> Instr {
        let from = self.source(Type::Uint, Width::Each, Scope::Any);
        let mask = self.random.pick(&[1, 3, 7, 7, 15, 31]);
        let to = 1 + self.random.below(15) as u8;
        Instr::new(Op::And, vec![Operand::to(Register::Small, to), from, Operand::word(mask)])
    }

    /// A condition, with the statements that compute it.
    fn condition(&mut self, scope: Scope, block: &mut Block) -> Condition {
        const COMPARE: [Op; 14] = [
            Op::ULt,
            Op::ULt,
            Op::UGe,
            Op::ILt,
            Op::IGe,
            Op::IEq,
            Op::INe,
            Op::INe,
            Op::Lt,
            Op::Ge,
            Op::Eq,
            Op::Ne,
            Op::And,
            Op::And,
        ];
        let non_zero = !self.random.one_in(3);
        let component = self.random.below(4) as u8;
        if self.random.one_in(4) {
            let operand = self.source(Type::Bool, Width::One, scope);
            return Condition { operand, non_zero };
        }
        let register = if scope == Scope::Uniform { Register::Uniform } else { self.temp() };
        let op = self.random.pick(&COMPARE);
        let is_float = matches!(op, Op::Lt | Op::Ge | Op::Eq | Op::Ne);
        let (ty, bound) = if is_float {
            (Type::Float, (self.random.below(20) as f32 - 4.0).to_bits())
        } else {
            (Type::Uint, self.random.below(9) as u32)
        };
        let varying = [
            Operand::new(Register::IndexInGroup, Parts::None),
            Operand::one(Register::Small, component),
            Operand::one(Register::Own, 0),
            Operand::one(Register::IdInGroup, component % 3),
        ];
        let left = match scope {
            // This splits a packet in the middle.
            Scope::Any if !is_float && self.random.one_in(2) => varying[self.random.below(4)].clone(),
            _ => self.source(ty, Width::One, scope),
        };
        let right = if self.random.one_in(3) { self.source(ty, Width::One, scope) } else { Operand::word(bound) };
        let to = Operand::to(register.clone(), 1 << component);
        block.push(Node::Plain(Instr::new(op, vec![to, left, right])));
        Condition { operand: Operand::one(register, component), non_zero }
    }

    fn branch(&mut self, context: Context, scope: Scope, block: &mut Block) {
        let cond = self.condition(scope, block);
        let inside = if scope == Scope::Uniform { context.inner() } else { context.divergent() };
        let then = self.block(inside);
        let otherwise = self.random.one_in(2).then(|| self.block(inside));
        block.push(Node::If { cond, then, otherwise });
    }

    fn repeat(&mut self, context: Context, scope: Scope, block: &mut Block) {
        let (rounds, most) = if self.random.one_in(2) {
            let rounds = 1 + self.random.below(4) as u32;
            (Rounds::Fixed(rounds), rounds)
        } else {
            let mask = self.random.pick(&[1, 3, 3, 3, 7]);
            let operand = if scope == Scope::Any && self.random.one_in(2) {
                Operand::one(Register::Small, self.random.below(4) as u8)
            } else {
                self.source(Type::Uint, Width::One, scope)
            };
            (Rounds::Masked(operand, mask), mask.max(2))
        };
        let exit = self.random.pick(&[Exit::NonZero, Exit::NonZero, Exit::Zero, Exit::If, Exit::Else]);
        let inside = if scope == Scope::Uniform { context.inner() } else { context.divergent() };
        let inside = Context {
            loops: context.loops + 1,
            trips: context.trips * most,
            can_break: true,
            can_continue: true,
            ..inside
        };
        let head =
            if self.random.one_in(4) { self.block(Context { can_continue: false, ..inside }) } else { Block::new() };
        let body = self.block(inside);
        block.push(Node::Loop { depth: context.loops, rounds, exit, head, body });
    }

    fn switch(&mut self, context: Context, scope: Scope, block: &mut Block) {
        const LABELS: [u32; 8] = [0, 1, 2, 3, 4, 5, 7, 0xffff_ffff];
        let selector = if scope == Scope::Any && !self.random.one_in(4) {
            Operand::one(Register::Small, self.random.below(4) as u8)
        } else {
            self.source(Type::Int, Width::One, scope)
        };
        let inside = if scope == Scope::Uniform { context.inner() } else { context.divergent() };
        let inside = Context { can_break: true, ..inside };
        let mut labels: Vec<Option<u32>> = LABELS.map(Some).to_vec();
        if !self.random.one_in(4) {
            labels.push(None);
        }
        let mut arms = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let count = 1 + self.random.below(2);
            let mut own = Vec::new();
            for _ in 0..count {
                own.push(labels.swap_remove(self.random.below(labels.len())));
            }
            let body = self.block(inside);
            arms.push(Arm { labels: own, body, falls: self.random.one_in(5) });
        }
        block.push(Node::Switch { selector, arms });
    }

    fn call(&mut self, context: Context, scope: Scope, block: &mut Block) {
        let callable: Vec<usize> = (0..self.callable.len())
            .filter(|&n| scope == Scope::Uniform && context.uniform || !self.callable[n])
            .collect();
        if callable.is_empty() || context.trips > TRIPS / 4 || context.shared.is_some() {
            return block.push(Node::Plain(self.pure()));
        }
        let function = callable[self.random.below(callable.len())];
        let cond = self.random.one_in(2).then(|| self.condition(scope, block));
        block.push(Node::Call { function, cond });
    }

    /// A jump that threads take by themselves.
    fn jump(&mut self, context: Context, block: &mut Block) -> bool {
        if context.uniform {
            // Only a return does not affect the others.
            if !context.can_return {
                return self.uniform_jump(context, block);
            }
            let cond = Some(self.condition(Scope::Any, block));
            block.push(Node::Jump { jump: Jump::Return, cond, shows: self.shows(context) });
            return false;
        }
        let Some(jump) = self.target(context) else {
            block.push(Node::Plain(self.pure()));
            return false;
        };
        // Leaving the outermost block unconditionally would make the rest unreachable.
        let is_outermost = !context.can_break && !context.is_function && context.shared.is_none();
        let cond = (is_outermost || !self.random.one_in(3)).then(|| self.condition(Scope::Any, block));
        let ends = cond.is_none() && !self.random.one_in(8);
        block.push(Node::Jump { jump, cond, shows: jump == Jump::Return && self.shows(context) });
        ends
    }

    /// A jump of all threads of a group.
    fn uniform_jump(&mut self, context: Context, block: &mut Block) -> bool {
        // Leaving main together would leave little to see.
        let can_return = context.is_function && self.random.one_in(3);
        let Some(jump) = self.target(Context { can_return, ..context }) else {
            block.push(Node::Plain(self.pure()));
            return false;
        };
        let cond = Some(self.condition(Scope::Uniform, block));
        block.push(Node::Jump { jump, cond, shows: false });
        false
    }

    fn target(&mut self, context: Context) -> Option<Jump> {
        let mut targets = Vec::new();
        if context.can_break {
            targets.extend([Jump::Break; 3]);
        }
        if context.can_continue {
            targets.extend([Jump::Continue; 3]);
        }
        if context.can_return {
            targets.push(Jump::Return);
        }
        if targets.is_empty() { None } else { Some(self.random.pick(&targets)) }
    }

    fn shows(&mut self, context: Context) -> bool {
        !context.is_function && self.random.one_in(2)
    }
}
