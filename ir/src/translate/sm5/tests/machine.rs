//! One thread, run step by step over the regions: registers and `x#` only. Says what translated code does without any
//! engine.

use std::collections::HashMap;

use crate::entity::{Inst, LocalId, Region};
use crate::function::{Function, InstKind, MemoryRef, Object};

/// How a region ended.
enum End {
    Yield,
    Break(Inst),
    Continue(Inst),
    Return,
}

/// State of the thread.
pub(crate) struct Machine<'f> {
    func: &'f Function,
    values: Vec<u64>,
    /// The slots, four for each register.
    pub(crate) registers: Vec<u32>,
    arrays: HashMap<(LocalId, u32, u32), u32>,
    fuel: u32,
}

impl<'f> Machine<'f> {
    pub(crate) fn new(func: &'f Function) -> Self {
        let registers = vec![0; func.slot_count()];
        Self { func, values: vec![0; func.value_count()], registers, arrays: HashMap::new(), fuel: 100_000 }
    }

    /// Sets a register.
    pub(crate) fn set(&mut self, register: usize, words: [u32; 4]) {
        self.registers[4 * register..][..4].copy_from_slice(&words);
    }

    /// A register.
    pub(crate) fn get(&self, register: usize) -> [u32; 4] {
        self.registers[4 * register..][..4].try_into().expect("four words")
    }

    /// Runs the body.
    pub(crate) fn run(&mut self) {
        match self.region(self.func.body()) {
            End::Return => {}
            End::Yield | End::Break(_) | End::Continue(_) => panic!("a body ends in a return"),
        }
    }

    fn word(&self, value: crate::entity::Value) -> u32 {
        self.values[value.index()] as u32
    }

    fn array(&self, place: &MemoryRef) -> Option<(LocalId, u32, u32)> {
        let Object::Local(local) = place.object else { panic!("no memory here: {place:?}") };
        let index = self.word(place.index.expect("x# has an index"));
        let in_range = index < self.func.interface.local(local).registers;
        in_range.then(|| (local, index, self.word(place.offset) / 4))
    }

    fn region(&mut self, region: Region) -> End {
        let func = self.func;
        for &inst in &func.region(region).insts {
            self.fuel = self.fuel.checked_sub(1).expect("the program ends");
            let data = func.inst(inst);
            match &data.kind {
                InstKind::Const(value) => self.values[data.results[0].index()] = value.bits,
                InstKind::Input(_) => self.values[data.results[0].index()] = 0,
                InstKind::Op { op, args } => {
                    let args: Vec<u64> = args.iter().map(|arg| self.values[arg.index()]).collect();
                    self.values[data.results[0].index()] = op.eval(&args);
                }
                InstKind::SlotGet(slot) => {
                    self.values[data.results[0].index()] = u64::from(self.registers[slot.index()]);
                }
                InstKind::SlotSet(slot, value) => self.registers[slot.index()] = self.word(*value),
                InstKind::Load { place } => {
                    for (n, result) in data.results.iter().enumerate() {
                        let at = self.array(place).map(|(x, index, word)| (x, index, word + n as u32));
                        let word = at.and_then(|at| self.arrays.get(&at).copied()).unwrap_or(0);
                        self.values[result.index()] = u64::from(word);
                    }
                }
                InstKind::Store { place, values, .. } => {
                    for (n, value) in values.iter().enumerate() {
                        if let Some((x, index, word)) = self.array(place) {
                            self.arrays.insert((x, index, word + n as u32), self.word(*value));
                        }
                    }
                }
                InstKind::If { cond, then_region, else_region } => {
                    let taken = if self.word(*cond) != 0 { *then_region } else { *else_region };
                    match self.region(taken) {
                        End::Yield => {}
                        end => return end,
                    }
                }
                InstKind::Loop { body, .. } => loop {
                    match self.region(*body) {
                        End::Yield => {}
                        End::Continue(target) if target == inst => {}
                        End::Break(target) if target == inst => break,
                        end => return end,
                    }
                },
                InstKind::Switch { selector, cases, default } => {
                    let selector = self.word(*selector);
                    let case = cases.iter().find(|case| case.labels.contains(&selector));
                    match self.region(case.map_or(*default, |case| case.region)) {
                        End::Yield => {}
                        End::Break(target) if target == inst => {}
                        end => return end,
                    }
                }
                InstKind::Yield(_) => return End::Yield,
                InstKind::Break { target, .. } => return End::Break(*target),
                InstKind::Continue { target, .. } => return End::Continue(*target),
                InstKind::Return => return End::Return,
                other => panic!("no part of these tests: {other:?}"),
            }
        }
        panic!("a region ends in a terminator")
    }
}
