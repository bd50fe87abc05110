//! Shrinks a failing program: leaves out statements, takes constructs apart and simplifies operands for as long as it
//! still fails in the same way.
//!
//! Any part of the tree may go without the program racing or running for ever (see [`crate::program`]), so that the
//! rest fails for the same reason as the original.

use brolga_bytecode::sm5::Op;

use crate::program::{Block, Exit, Instr, Modifier, Node, Operand, Parts, Program, Register, Rounds};

/// Most programs that are tried.
const TRIES: usize = 8000;

/// Shrinks a program for which `fails` holds.
pub fn shrink(program: &Program, fails: impl FnMut(&Program) -> bool) -> Program {
    let mut shrinker = Shrinker { best: program.clone(), fails, tries: TRIES };
    loop {
        let before = shrinker.tries;
        let changed = shrinker.sizes() | shrinker.statements() | shrinker.constructs() | shrinker.operands();
        if !changed || shrinker.tries == 0 || shrinker.tries == before {
            return shrinker.best;
        }
    }
}

struct Shrinker<F> {
    best: Program,
    fails: F,
    tries: usize,
}

impl<F: FnMut(&Program) -> bool> Shrinker<F> {
    /// Keeps a change if the program still fails.
    fn try_change(&mut self, change: impl FnOnce(&mut Program)) -> bool {
        if self.tries == 0 {
            return false;
        }
        let mut program = self.best.clone();
        change(&mut program);
        self.tries -= 1;
        let keeps = (self.fails)(&program);
        if keeps {
            self.best = program;
        }
        keeps
    }

    /// Fewer groups, threads and registers on show.
    fn sizes(&mut self) -> bool {
        let mut changed = false;
        for axis in 0..3 {
            for size in 1..self.best.groups[axis] {
                if self.try_change(|program| program.groups[axis] = size) {
                    changed = true;
                    break;
                }
            }
            let current = self.best.group[axis];
            for size in [1, 2, 4, 8, 9, 16, 17, current.saturating_sub(1)] {
                if size > 0 && size < self.best.group[axis] && self.try_change(|program| program.group[axis] = size) {
                    changed = true;
                    break;
                }
            }
        }
        for shown in 0..self.best.shown {
            if self.try_change(|program| program.shown = shown) {
                changed = true;
                break;
            }
        }
        for n in 0..self.best.functions.len() {
            if !self.best.functions[n].is_empty() {
                changed |= self.try_change(|program| program.functions[n].clear());
            }
        }
        let is_called = |program: &Program| {
            let mut is_called = false;
            program.each_node(&mut |node| is_called |= matches!(node, Node::Call { .. }));
            is_called
        };
        if !self.best.functions.is_empty() && !is_called(&self.best) {
            changed |= self.try_change(|program| program.functions.clear());
        }
        changed |= !self.best.immediate.is_empty() && self.try_change(|program| program.immediate.clear());
        changed |= !self.best.arrays.is_empty() && self.try_change(|program| program.arrays.clear());
        changed
    }

    /// Leaves out runs of statements, long ones first.
    fn statements(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while let Some(length) = nth_block(&mut self.best, n).map(|block| block.len()) {
            let mut chunk = length;
            while chunk > 0 {
                let mut start = 0;
                while let Some(length) = nth_block(&mut self.best, n).map(|block| block.len())
                    && start < length
                {
                    let end = (start + chunk).min(length);
                    let removed = self.try_change(|program| {
                        nth_block(program, n).expect("it is there").drain(start..end);
                    });
                    changed |= removed;
                    start = if removed { start } else { end };
                }
                chunk /= 2;
            }
            n += 1;
        }
        changed
    }

    /// Replaces a construct by a simpler statement.
    fn constructs(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while nth_block(&mut self.best, n).is_some() {
            let mut at = 0;
            while let Some(node) = nth_block(&mut self.best, n).and_then(|block| block.get(at).cloned()) {
                let mut replaced = false;
                for simpler in simpler_nodes(&node) {
                    if self.try_change(|program| {
                        nth_block(program, n).expect("it is there").splice(at..=at, simpler);
                    }) {
                        replaced = true;
                        break;
                    }
                }
                changed |= replaced;
                at += usize::from(!replaced);
            }
            n += 1;
        }
        changed
    }

    /// Simplifies operands, control bits and masks.
    fn operands(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while let Some(instr) = nth_instr(&mut self.best, n).cloned() {
            for simpler in simpler_instrs(&instr) {
                if self.try_change(|program| *nth_instr(program, n).expect("it is there") = simpler) {
                    changed = true;
                    break;
                }
            }
            n += 1;
        }
        changed
    }
}

/// The `n`-th block of a program: subroutines, the body, then blocks within blocks, outermost first.
fn nth_block(program: &mut Program, n: usize) -> Option<&mut Block> {
    fn find<'a>(block: &'a mut Block, left: &mut usize) -> Option<&'a mut Block> {
        if *left == 0 {
            return Some(block);
        }
        *left -= 1;
        block.iter_mut().flat_map(Node::blocks_mut).find_map(|inner| find(inner, left))
    }
    let mut left = n;
    program.functions.iter_mut().chain([&mut program.body]).find_map(|block| find(block, &mut left))
}

/// The `n`-th instruction that may be changed: one that computes no address.
fn nth_instr(program: &mut Program, n: usize) -> Option<&mut Instr> {
    fn find<'a>(block: &'a mut Block, left: &mut usize) -> Option<&'a mut Instr> {
        for node in block {
            let found = match node {
                Node::Plain(instr) => Some(instr),
                Node::Group(instrs) => instrs.last_mut().filter(|instr| is_store(instr.op)),
                other => match other.blocks_mut().into_iter().find_map(|inner| find(inner, left)) {
                    Some(instr) => return Some(instr),
                    None => None,
                },
            };
            if let Some(instr) = found {
                if *left == 0 {
                    return Some(instr);
                }
                *left -= 1;
            }
        }
        None
    }
    let mut left = n;
    program.functions.iter_mut().chain([&mut program.body]).find_map(|block| find(block, &mut left))
}

fn is_store(op: Op) -> bool {
    matches!(op, Op::StoreRaw | Op::StoreStructured | Op::StoreUavTyped)
}

/// Simpler statements that may replace one.
fn simpler_nodes(node: &Node) -> Vec<Block> {
    let mut simpler = Vec::new();
    let mut one = |node: Node| simpler.push(vec![node]);
    match node {
        Node::If { cond, then, otherwise } => {
            let without = Node::If { cond: cond.clone(), then: then.clone(), otherwise: None };
            if otherwise.is_some() {
                one(without);
            }
            simpler.push(then.clone());
            simpler.extend(otherwise.clone());
        }
        Node::Loop { depth, rounds, exit, head, body } => {
            let with =
                |rounds, exit| Node::Loop { depth: *depth, rounds, exit, head: head.clone(), body: body.clone() };
            let least = match rounds {
                Rounds::Fixed(n) => *n,
                Rounds::Masked(..) => 4,
            };
            (1..least).for_each(|n| one(with(Rounds::Fixed(n), *exit)));
            if *exit != Exit::NonZero {
                one(with(rounds.clone(), Exit::NonZero));
            }
            simpler.push([head.clone(), body.clone()].concat());
        }
        Node::Switch { selector, arms } => {
            for n in 0..arms.len() {
                let mut fewer = arms.clone();
                fewer.remove(n);
                if !fewer.is_empty() {
                    one(Node::Switch { selector: selector.clone(), arms: fewer });
                }
                if arms[n].labels.len() > 1 || arms[n].falls {
                    let mut plain = arms.clone();
                    plain[n].labels.truncate(1);
                    plain[n].falls = false;
                    one(Node::Switch { selector: selector.clone(), arms: plain });
                }
            }
            simpler.extend(arms.iter().map(|arm| arm.body.clone()));
        }
        Node::Call { function, cond: Some(_) } => one(Node::Call { function: *function, cond: None }),
        Node::Jump { jump, cond, shows: true } => one(Node::Jump { jump: *jump, cond: cond.clone(), shows: false }),
        Node::Jump { jump, cond: Some(_), shows: false } => one(Node::Jump { jump: *jump, cond: None, shows: false }),
        Node::Plain(_) | Node::Group(_) | Node::Call { .. } | Node::Jump { .. } | Node::Part(_) | Node::Sync(_) => {}
    }
    simpler
}

/// Simpler instructions that may replace one.
fn simpler_instrs(instr: &Instr) -> Vec<Instr> {
    let mut simpler = Vec::new();
    let mut with = |n: usize, operand: Operand| {
        let mut changed = instr.clone();
        changed.operands[n] = operand;
        simpler.push(changed);
    };
    for (n, operand) in instr.operands.iter().enumerate() {
        match operand.parts {
            // Stores must not reach beyond the thread's own memory: masks stay.
            Parts::Mask(mask) if !is_store(instr.op) && mask.count_ones() > 1 => {
                let halves = [mask & 3, mask & 12].into_iter().filter(|&half| half != 0 && half != mask);
                let single = 1 << mask.trailing_zeros();
                let masks = halves.chain([single, mask & !single]);
                masks.for_each(|mask| with(n, Operand { parts: Parts::Mask(mask), ..operand.clone() }));
            }
            Parts::Mask(_) => {}
            _ if is_store(instr.op) && n + 1 < instr.operands.len() => {}
            _ => {
                if operand.modifier != Modifier::None {
                    with(n, Operand { modifier: Modifier::None, ..operand.clone() });
                }
                match &operand.register {
                    Register::Null => {}
                    Register::Literal(words) if words.len() == 1 => {}
                    Register::Literal(words) => with(n, Operand::word(words[0])),
                    _ => {
                        with(n, Operand::word(0));
                        with(n, Operand::word(1));
                        with(n, Operand::word(0x3f80_0000));
                    }
                }
            }
        }
    }
    if !instr.suffix.is_empty() && instr.op != Op::ResInfo && instr.op != Op::SampleInfo {
        simpler.push(Instr { suffix: String::new(), ..instr.clone() });
    }
    simpler
}
