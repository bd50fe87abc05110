//! A plain model: one thread after the other, straight down the tree of regions, without masks.
//!
//! Knows what random functions are made of: no thread sees another one's writes.

use std::collections::HashMap;

use super::{INPUT, OUTPUT, input_word};
use crate::entity::{Inst, LocalId, Region, Value};
use crate::function::{Function, Input, InstKind, MemoryRef, Object};

/// One store to `u0`: byte offset, rounds of the loops around it, second word if there is one.
pub(super) type Event = (u32, Vec<u32>, Option<u32>);

/// How a region was left, with values for whoever it was left for.
enum Leave {
    Yield(Vec<u64>),
    Break(Inst, Vec<u64>),
    Continue(Inst, Vec<u64>),
    Return,
}

struct Thread<'a> {
    func: &'a Function,
    group_id: [u32; 3],
    index: u32,
    values: HashMap<Value, u64>,
    locals: HashMap<(LocalId, u32, u32), u32>,
    rounds: Vec<u32>,
    events: Vec<Event>,
}

/// What a thread of a group stores, in order.
pub(super) fn events(func: &Function, group_id: [u32; 3], index: u32) -> Vec<Event> {
    let mut thread = Thread {
        func,
        group_id,
        index,
        values: HashMap::new(),
        locals: HashMap::new(),
        rounds: Vec::new(),
        events: Vec::new(),
    };
    assert!(matches!(thread.region(func.body()), Leave::Return));
    thread.events
}

impl Thread<'_> {
    fn word(&self, value: Value) -> u32 {
        self.values[&value] as u32
    }

    fn many(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|value| self.values[value]).collect()
    }

    fn define(&mut self, values: &[Value], bits: Vec<u64>) {
        self.values.extend(values.iter().copied().zip(bits));
    }

    fn region(&mut self, region: Region) -> Leave {
        let func = self.func;
        for &inst in &func.region(region).insts {
            if let Some(leave) = self.inst(inst) {
                return leave;
            }
        }
        unreachable!("regions end in terminators");
    }

    fn inst(&mut self, inst: Inst) -> Option<Leave> {
        let data = self.func.inst(inst);
        match &data.kind {
            InstKind::Const(constant) => self.define(&data.results, vec![constant.bits]),
            InstKind::Input(input) => {
                let bits = self.input(*input);
                self.define(&data.results, vec![bits.into()]);
            }
            InstKind::Op { op, args } => {
                let bits = op.eval(&self.many(args));
                self.define(&data.results, vec![bits]);
            }
            InstKind::Load { place } => {
                let word = match self.place(place) {
                    (Object::Local(id), index, byte) => self.locals.get(&(id, index, byte)).copied().unwrap_or(0),
                    (Object::Resource(resource), _, byte) if resource.id.index() == INPUT => input_word(byte),
                    (object, ..) => unreachable!("no loads from {object:?}"),
                };
                self.define(&data.results, vec![word.into()]);
            }
            InstKind::Store { place, values, effect } => {
                if self.values[effect] != 0 {
                    match self.place(place) {
                        (Object::Local(id), index, byte) => {
                            self.locals.insert((id, index, byte), self.word(values[0]));
                        }
                        (Object::Resource(resource), _, byte) if resource.id.index() == OUTPUT => {
                            let second = values.get(1).map(|&value| self.word(value));
                            self.events.push((byte, self.rounds.clone(), second));
                        }
                        (object, ..) => unreachable!("no stores to {object:?}"),
                    }
                }
            }
            InstKind::Barrier(_) => {}
            InstKind::If { cond, then_region, else_region } => {
                match self.region(if self.values[cond] != 0 { *then_region } else { *else_region }) {
                    Leave::Yield(bits) => self.define(&data.results, bits),
                    further => return Some(further),
                }
            }
            InstKind::Switch { selector, cases, default } => {
                let selector = self.word(*selector);
                let arm =
                    cases.iter().find(|case| case.labels.contains(&selector)).map_or(*default, |case| case.region);
                match self.region(arm) {
                    Leave::Yield(bits) => self.define(&data.results, bits),
                    Leave::Break(target, bits) if target == inst => self.define(&data.results, bits),
                    further => return Some(further),
                }
            }
            InstKind::Loop { inits, body } => {
                let mut bits = self.many(inits);
                self.rounds.push(0);
                let leave = loop {
                    self.define(&self.func.region(*body).params, bits);
                    match self.region(*body) {
                        Leave::Yield(next) => bits = next,
                        Leave::Continue(target, next) if target == inst => bits = next,
                        leave => break leave,
                    }
                    *self.rounds.last_mut().unwrap() += 1;
                };
                self.rounds.pop();
                match leave {
                    Leave::Break(target, bits) if target == inst => self.define(&data.results, bits),
                    further => return Some(further),
                }
            }
            InstKind::Yield(args) => return Some(Leave::Yield(self.many(args))),
            InstKind::Break { target, args } => return Some(Leave::Break(*target, self.many(args))),
            InstKind::Continue { target, args } => return Some(Leave::Continue(*target, self.many(args))),
            InstKind::Return => return Some(Leave::Return),
            other => unreachable!("random functions have no {other:?}"),
        }
        None
    }

    fn place(&self, place: &MemoryRef) -> (Object, u32, u32) {
        (place.object, place.index.map_or(0, |index| self.word(index)), self.word(place.offset))
    }

    fn input(&self, input: Input) -> u32 {
        let [x, y, _] = self.func.interface.group_size();
        let in_group = [self.index % x, self.index / x % y, self.index / (x * y)];
        match input {
            Input::ThreadIndex => self.index,
            Input::GroupId(n) => self.group_id[n as usize],
            Input::ThreadIdInGroup(n) => in_group[n as usize],
            Input::ThreadId(n) => {
                self.group_id[n as usize] * self.func.interface.group_size()[n as usize] + in_group[n as usize]
            }
        }
    }
}
