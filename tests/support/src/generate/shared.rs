//! Generates operations of threads on common memory: totals, counters, shared memory.

use brolga_bytecode::sm5::Op;
use brolga_bytecode::sm5::ops::{Type, Width};

use super::Generator;
use super::access::{ATOMICS, scratch};
use super::pure::Scope;
use crate::program::{Block, Instr, Modifier, Node, Operand, Parts, Register};
use crate::views::{COUNTED, SHARED_BYTES_PER_THREAD, TOTALS, TOTALS_EACH, Totals};

/// The use of shared memory in a part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SharedUse {
    /// Each thread its own structure of `g0` and its own bytes of `g1`.
    Own,
    /// No thread writes.
    Read,
    /// All threads update with the commuting operation of this number.
    Update(usize),
}

impl Generator {
    /// A use for a part.
    pub(super) fn shared_use(&mut self) -> SharedUse {
        match self.random.below(5) {
            0 | 1 => SharedUse::Own,
            2 | 3 => SharedUse::Read,
            _ => SharedUse::Update(self.random.below(TOTALS as usize)),
        }
    }

    /// An access to shared memory.
    pub(super) fn shared_access(&mut self, shared: SharedUse) -> Vec<Instr> {
        self.shares = true;
        match shared {
            SharedUse::Own => self.own_shared(),
            SharedUse::Read => self.read_shared(),
            SharedUse::Update(n) => self.update_shared(n),
        }
    }

    /// Gathers in `r0` the final content of shared memory, which cannot be seen after the run.
    pub(super) fn show_shared(&mut self, block: &mut Block) {
        block.push(Node::Sync("_g_t"));
        let index = Operand::new(Register::IndexInGroup, Parts::None);
        let base = Operand::word(4 * self.random.below(5) as u32);
        let offset = self.offset(self.program.layout.shared_bytes);
        let (to, from) = scratch(0);
        let loaded = Operand::to(Register::Temp(1), 0xf);
        let [structured, raw] = [0, 1].map(|n| Operand::whole(Register::Shared(n)));
        block.push(Node::Group(vec![
            Instr::new(Op::IMad, vec![to, index.clone(), Operand::word(SHARED_BYTES_PER_THREAD), base]),
            Instr::new(Op::LdRaw, vec![loaded.clone(), from, raw]),
        ]));
        self.gather(Register::Temp(1), Parts::Mask(0xf), block);
        block.push(Node::Plain(Instr::new(Op::LdStructured, vec![loaded, index, offset, structured])));
        self.gather(Register::Temp(1), Parts::Mask(0xf), block);
    }

    fn own_shared(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let (to, from) = scratch(0);
        let mut index = Operand::new(Register::IndexInGroup, Parts::None);
        if self.program.layout.shared_reverse {
            let last = Operand::new(Register::LastInGroup, Parts::None);
            let negated = Operand { modifier: Modifier::Negate, ..index };
            group.push(Instr::new(Op::IAdd, vec![to.clone(), last, negated]));
            index = from.clone();
        }
        let any_value = self.source(Type::Any, Width::Each, Scope::Any);
        if self.random.one_in(2) {
            let offset = self.offset(self.program.layout.shared_bytes);
            match self.random.below(4) {
                0 | 1 => {
                    let view = self.into(Register::Shared(0));
                    group.push(Instr::new(Op::StoreStructured, vec![view, index, offset, any_value]));
                }
                2 => {
                    let (to, view) = (self.loaded(0xf), self.from(Register::Shared(0)));
                    group.push(Instr::new(Op::LdStructured, vec![to, index, offset, view]));
                }
                _ => self.own_atomic(Register::Shared(0), &[index, offset], &mut group),
            }
            return group;
        }
        let base = Operand::word(4 * self.random.below(5) as u32);
        group.push(Instr::new(Op::IMad, vec![to, index, Operand::word(SHARED_BYTES_PER_THREAD), base]));
        match self.random.below(4) {
            0 | 1 => {
                let view = self.into(Register::Shared(1));
                group.push(Instr::new(Op::StoreRaw, vec![view, from, any_value]));
            }
            2 => {
                let (to, view) = (self.loaded(0xf), self.from(Register::Shared(1)));
                group.push(Instr::new(Op::LdRaw, vec![to, from, view]));
            }
            _ => self.own_atomic(Register::Shared(1), &[from], &mut group),
        }
        group
    }

    fn read_shared(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let threads = self.program.group_threads();
        let to = self.loaded(0xf);
        if self.random.one_in(2) {
            let index = self.address(0, 1, threads, &mut group);
            let offset = self.offset(self.program.layout.shared_bytes);
            let view = self.from(Register::Shared(0));
            group.push(Instr::new(Op::LdStructured, vec![to, index, offset, view]));
        } else {
            let address = self.address(0, SHARED_BYTES_PER_THREAD, threads * SHARED_BYTES_PER_THREAD, &mut group);
            let view = self.from(Register::Shared(1));
            group.push(Instr::new(Op::LdRaw, vec![to, address, view]));
        }
        group
    }

    fn update_shared(&mut self, n: usize) -> Vec<Instr> {
        let mut group = Vec::new();
        let threads = self.program.group_threads();
        let (view, address) = if self.random.one_in(2) {
            let index = self.address(0, 1, threads, &mut group);
            let offset = self.offset(self.program.layout.shared_bytes);
            let [x, y] = [0, 1].map(|component| scratch(component).0);
            // The offset first: the index may be in the scratch register already, which is then moved to itself.
            group.push(Instr::new(Op::Mov, vec![y, offset]));
            group.push(Instr::new(Op::Mov, vec![x, index]));
            (Register::Shared(0), Operand::new(Register::Scratch, Parts::Swizzle([0, 1, 1, 1])))
        } else {
            let end = threads * SHARED_BYTES_PER_THREAD;
            (Register::Shared(1), self.address(0, SHARED_BYTES_PER_THREAD, end, &mut group))
        };
        group.push(self.commuting(n, view, address));
        group
    }

    /// An update whose result goes nowhere.
    fn commuting(&mut self, n: usize, view: Register, address: Operand) -> Instr {
        let (with_result, without) = ATOMICS[n];
        let value = match self.random.below(3) {
            0 => Operand::word(1),
            _ => self.source(Type::Int, Width::One, Scope::Any),
        };
        let operands = vec![Operand::to(view, 1), address, value];
        match without {
            Some(op) if !self.random.one_in(4) => Instr::new(op, operands),
            _ => {
                let before = Operand::to(self.result(), 1 << self.random.below(4));
                Instr::new(with_result, [vec![before], operands].concat())
            }
        }
    }

    /// The register for a result that depends on the order of threads.
    fn result(&mut self) -> Register {
        if self.program.ordered { self.temp() } else { Register::Unused }
    }

    /// An update of one of the words that all threads share.
    pub(super) fn total(&mut self) -> Vec<Instr> {
        let mut group = Vec::new();
        let n = self.random.below(TOTALS as usize);
        let [(x, from_x), (y, from_y)] = [0, 1].map(scratch);
        let any = self.source(Type::Uint, Width::One, Scope::Any);
        let few = if self.random.one_in(3) { Operand::word(0) } else { any };
        let each = TOTALS_EACH;
        let totals = self.program.layout.totals;
        let address = match totals {
            Totals::Structured => {
                group.push(Instr::new(Op::Mov, vec![x.clone(), Operand::word(n as u32)]));
                let offset = if self.random.one_in(4) { few } else { Operand::word(4 * self.random.below(5) as u32) };
                group.push(Instr::new(Op::Mov, vec![y, offset]));
                Operand::new(Register::Scratch, Parts::Swizzle([0, 1, 1, 1]))
            }
            Totals::Raw | Totals::Typed(_) => {
                let unit = if totals == Totals::Raw { 4 } else { 1 };
                let first = n as u32 * each * unit;
                if self.random.one_in(4) {
                    Operand::word(first + unit * self.random.below(each as usize) as u32)
                } else {
                    group.push(Instr::new(Op::And, vec![y.clone(), few, Operand::word((each - 1) * unit)]));
                    group.push(Instr::new(Op::IAdd, vec![x.clone(), from_y, Operand::word(first)]));
                    from_x.clone()
                }
            }
        };
        let address = if self.random.one_in(12) {
            // Far outside.
            let far = Operand::word(self.random.pick(&[0x8000_0000, 0xffff_fffc, 0x1000_0000]));
            group.push(Instr::new(Op::Or, vec![x, Operand { parts: first_of(&address), ..address.clone() }, far]));
            let parts = if totals == Totals::Structured { Parts::Swizzle([0, 1, 1, 1]) } else { Parts::Select(0) };
            Operand::new(Register::Scratch, parts)
        } else {
            address
        };
        group.push(self.commuting(n, Register::Uav(2), address));
        group
    }

    /// A slot from a counter, and always the same written to it.
    pub(super) fn counted(&mut self) -> Vec<Instr> {
        let op = if self.program.layout.consumes { Op::ImmAtomicConsume } else { Op::ImmAtomicAlloc };
        let result = self.result();
        let view = Operand::new(Register::Uav(3), Parts::None);
        let slot = Instr::new(op, vec![Operand::to(result.clone(), 1), view]);
        let view = Operand::to(Register::Uav(3), 1);
        let slot_number = Operand::one(result, 0);
        let operands = vec![view, slot_number, Operand::word(0), Operand::word(COUNTED)];
        vec![slot, Instr::new(Op::StoreStructured, operands)]
    }
}

/// The first component that an address reads.
fn first_of(address: &Operand) -> Parts {
    match address.parts {
        Parts::Swizzle([first, ..]) => Parts::Select(first),
        other => other,
    }
}
