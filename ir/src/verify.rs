//! Checks that a function obeys the rules that later stages rely on; collects all violations.
//!
//! The rules are those of [`function.rs`](crate::function): the tree of regions, definitions before uses, types from
//! the operation table, jumps to enclosing targets, accesses that fit the declarations. A function that passes becomes
//! a [`VerifiedFunction`], which is immutable. Dangling indices are reported too, never panics; the walk keeps its own
//! stack, so that no nesting is too deep for it.
//!
//! Direct3D's limits (sizes, counts) are not checked here: they belong to the validation of the bytecode.

mod access;
mod problem;

use std::ops::Deref;

pub use problem::{MemoryObject, Problem, Site, Types, VerifyError, VerifyErrors};

use crate::entity::{Inst, Region, Slot, Value};
use crate::function::{Case, Function, Input, InstData, InstKind, Origin, ValueDef};
use crate::types::{Const, Type};

/// A function that obeys every rule of a finished function.
#[derive(Clone, Debug)]
pub struct VerifiedFunction(Function);

impl VerifiedFunction {
    /// Gives the function back, to change it.
    pub fn into_inner(self) -> Function {
        self.0
    }
}

impl Deref for VerifiedFunction {
    type Target = Function;

    fn deref(&self) -> &Function {
        &self.0
    }
}

/// The progress of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Slots are allowed.
    BeforeSsa,
    /// No instruction accesses a slot.
    Final,
}

/// Checks a finished function.
pub fn verify(func: Function) -> Result<VerifiedFunction, VerifyErrors> {
    check(&func, Stage::Final)?;
    Ok(VerifiedFunction(func))
}

/// Checks a function that may still change.
pub fn check(func: &Function, stage: Stage) -> Result<(), VerifyErrors> {
    let mut verifier = Verifier {
        func,
        stage,
        site: Site::Interface,
        errors: Vec::new(),
        visible: vec![false; func.value_count()],
        defined: Vec::new(),
        placed: vec![false; func.inst_count()],
        owned: vec![false; func.region_count()],
        open: Vec::new(),
        is_open: vec![false; func.inst_count()],
    };
    verifier.interface();
    verifier.walk();
    if verifier.errors.is_empty() { Ok(()) } else { Err(VerifyErrors { errors: verifier.errors }) }
}

struct Verifier<'a> {
    func: &'a Function,
    stage: Stage,
    /// The entity that is being checked.
    site: Site,
    errors: Vec<VerifyError>,
    /// Per value: set if it may be used here.
    visible: Vec<bool>,
    /// The visible values in the order of their definitions.
    defined: Vec<Value>,
    /// Per instruction: set once it was seen in a region.
    placed: Vec<bool>,
    /// Per region: set once it was seen below an instruction.
    owned: Vec<bool>,
    /// Enclosing instructions, outermost first.
    open: Vec<Inst>,
    is_open: Vec<bool>,
}

/// A pending task of the walk.
enum WalkTask {
    /// A region from its beginning.
    Enter(Region),
    /// The rest of a region whose values begin at `mark` of the defined ones.
    Resume { region: Region, next: usize, mark: usize },
    /// All regions of an instruction are done.
    Close { region: Region, inst: Inst },
}

impl Verifier<'_> {
    fn report(&mut self, problem: Problem) {
        self.errors.push(VerifyError { site: self.site, problem });
    }

    fn walk(&mut self) {
        let mut tasks = vec![WalkTask::Enter(self.func.body())];
        while let Some(task) = tasks.pop() {
            match task {
                WalkTask::Enter(region) => {
                    if self.enter(region) {
                        let mark = self.defined.len();
                        for &param in &self.func.region(region).params {
                            self.define(param);
                        }
                        tasks.push(WalkTask::Resume { region, next: 0, mark });
                    }
                }
                WalkTask::Resume { region, next, mark } => self.resume(region, next, mark, &mut tasks),
                WalkTask::Close { region, inst } => {
                    let popped = self.open.pop();
                    debug_assert_eq!(popped, Some(inst), "regions close in the order they open");
                    self.is_open[inst.index()] = false;
                    self.results(region, inst);
                }
            }
        }
    }

    /// Checks a region as a whole and returns whether its instructions are to be checked.
    fn enter(&mut self, region: Region) -> bool {
        if region.index() >= self.func.region_count() {
            self.report(Problem::NoRegion(region));
            return false;
        }
        if std::mem::replace(&mut self.owned[region.index()], true) {
            self.report(Problem::RegionTwice(region));
            return false;
        }
        self.site = Site::Region(region);
        let data = self.func.region(region);
        for (n, &param) in data.params.iter().enumerate() {
            self.definition(param, ValueDef::Param(region, n as u32));
        }
        let owner = self.open.last().map(|&inst| &self.func.inst(inst).kind);
        if !data.params.is_empty() && !matches!(owner, Some(InstKind::Loop { .. })) {
            self.report(Problem::Params(region));
        }
        let known = |&inst: &Inst| inst.index() < self.func.inst_count();
        match data.insts.last() {
            None => self.report(Problem::Empty),
            Some(last) if known(last) && !self.func.inst(*last).kind.is_terminator() => {
                self.report(Problem::NotTerminated);
            }
            Some(_) => {}
        }
        true
    }

    /// Checks instructions up to the first that owns regions.
    fn resume(&mut self, region: Region, mut next: usize, mark: usize, tasks: &mut Vec<WalkTask>) {
        let func = self.func;
        let insts = &func.region(region).insts;
        while let Some(&inst) = insts.get(next) {
            next += 1;
            self.site = Site::Inst { region, inst, origin: Origin::default() };
            if inst.index() >= func.inst_count() {
                self.report(Problem::NoInst(inst));
                continue;
            }
            let data = func.inst(inst);
            self.site = Site::Inst { region, inst, origin: data.origin };
            if std::mem::replace(&mut self.placed[inst.index()], true) {
                self.report(Problem::InstTwice);
                continue;
            }
            if data.kind.is_terminator() && next < insts.len() {
                self.report(Problem::TerminatorInside);
            }
            self.instruction(data);
            let regions = data.kind.regions();
            if regions.is_empty() {
                self.results(region, inst);
                continue;
            }
            self.open.push(inst);
            self.is_open[inst.index()] = true;
            tasks.push(WalkTask::Resume { region, next, mark });
            tasks.push(WalkTask::Close { region, inst });
            tasks.extend(regions.iter().rev().map(|&inner| WalkTask::Enter(inner)));
            return;
        }
        for value in self.defined.drain(mark..) {
            self.visible[value.index()] = false;
        }
    }

    /// Makes an instruction's results usable.
    fn results(&mut self, region: Region, inst: Inst) {
        let data = self.func.inst(inst);
        self.site = Site::Inst { region, inst, origin: data.origin };
        for (n, &result) in data.results.iter().enumerate() {
            self.definition(result, ValueDef::Result(inst, n as u32));
            self.define(result);
        }
    }

    fn definition(&mut self, value: Value, expected: ValueDef) {
        if value.index() >= self.func.value_count() {
            self.report(Problem::NoValue(value));
        } else if self.func.value(value).def != expected {
            self.report(Problem::Definition(value));
        }
    }

    fn define(&mut self, value: Value) {
        if value.index() < self.func.value_count() && !std::mem::replace(&mut self.visible[value.index()], true) {
            self.defined.push(value);
        }
    }

    fn ty(&self, value: Value) -> Option<Type> {
        (value.index() < self.func.value_count()).then(|| self.func.ty(value))
    }

    /// Dangling values are left out: they are reported already.
    fn types(&self, values: &[Value]) -> Types {
        Types(values.iter().filter_map(|&value| self.ty(value)).collect())
    }

    fn expect(&mut self, what: &'static str, value: Value, expected: Type) {
        if let Some(found) = self.ty(value)
            && found != expected
        {
            self.report(Problem::Type { what, value, found, expected });
        }
    }

    fn expect_list(&mut self, what: &'static str, values: &[Value], expected: Types) {
        let found = self.types(values);
        if found != expected {
            self.report(Problem::TypeList { what, found, expected });
        }
    }

    fn expect_all(&mut self, what: &'static str, values: &[Value], expected: Type) {
        for &value in values {
            self.expect(what, value, expected);
        }
    }

    fn expect_results(&mut self, data: &InstData, expected: &[Type]) {
        self.expect_list("results", &data.results, Types(expected.to_vec()));
    }

    /// Checks everything about one instruction except its position and its regions' insides.
    fn instruction(&mut self, data: &InstData) {
        for value in data.kind.args() {
            if value.index() >= self.func.value_count() {
                self.report(Problem::NoValue(value));
            } else if !self.visible[value.index()] {
                self.report(Problem::NotDominated(value));
            }
        }
        match &data.kind {
            InstKind::Const(constant) => self.constant(data, *constant),
            InstKind::Input(input) => {
                match *input {
                    Input::ThreadId(n) | Input::GroupId(n) | Input::ThreadIdInGroup(n) | Input::GroupCount(n) => {
                        if n > 2 {
                            self.report(Problem::InputComponent(n));
                        }
                    }
                    Input::ThreadIndex => {}
                }
                self.expect_results(data, &[Type::I32]);
            }
            InstKind::Op { op, args } => {
                if args.len() != op.args().len() {
                    let (found, expected) = (args.len(), op.args().len());
                    self.report(Problem::Count { what: "operands", found, expected });
                }
                for (&value, &ty) in args.iter().zip(op.args()) {
                    self.expect("operand", value, ty);
                }
                self.expect_results(data, &[op.result()]);
            }
            InstKind::SlotGet(slot) => {
                if let Some(ty) = self.slot(*slot) {
                    self.expect_results(data, &[ty]);
                }
            }
            InstKind::SlotSet(slot, value) | InstKind::Note(slot, value) => {
                let ty = match data.kind {
                    InstKind::Note(..) => self.any_slot(*slot),
                    _ => self.slot(*slot),
                };
                if let Some(ty) = ty {
                    self.expect("slot value", *value, ty);
                }
                self.expect_results(data, &[]);
            }
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Counter { .. }
            | InstKind::TexelLoad { .. }
            | InstKind::TexelStore { .. }
            | InstKind::TexelAtomic { .. }
            | InstKind::Query { .. }
            | InstKind::Sample { .. }
            | InstKind::Message { .. } => self.access(data),
            InstKind::PacketAll(value) => {
                self.expect("operand", *value, Type::Bool);
                self.expect_results(data, &[Type::Bool]);
            }
            InstKind::QuadRead { from, value } => {
                if from.iter().any(|&lane| lane > 3) {
                    self.report(Problem::QuadLane(*from));
                }
                self.expect("operand", *value, Type::F32);
                self.expect_results(data, &[Type::F32]);
            }
            InstKind::Barrier(sync) => {
                if sync.threads && self.func.interface.stage.signature().is_some() {
                    self.report(Problem::NoGroup("a barrier that waits"));
                }
                self.expect_results(data, &[]);
            }
            InstKind::If { cond, .. } => self.expect("condition", *cond, Type::Bool),
            InstKind::Loop { inits, body } => {
                let expected = self.types(&data.results);
                self.expect_list("initial values", inits, expected.clone());
                if body.index() < self.func.region_count() {
                    self.expect_list("body parameters", &self.func.region(*body).params, expected);
                }
            }
            InstKind::Switch { selector, cases, .. } => {
                self.expect("selector", *selector, Type::I32);
                self.labels(cases);
            }
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return => {
                self.terminator(data);
            }
        }
    }

    fn constant(&mut self, data: &InstData, Const { ty, bits }: Const) {
        let most = match ty {
            Type::Bool => 1,
            Type::I32 | Type::F32 => u64::from(u32::MAX),
            Type::I64 | Type::F64 => u64::MAX,
        };
        if bits > most {
            self.report(Problem::ConstBits { ty, bits });
        }
        self.expect_results(data, &[ty]);
    }

    fn slot(&mut self, slot: Slot) -> Option<Type> {
        if self.stage == Stage::Final {
            self.report(Problem::SlotLeft(slot));
        }
        self.any_slot(slot)
    }

    /// The type of a slot, which may exist at any stage.
    fn any_slot(&mut self, slot: Slot) -> Option<Type> {
        if slot.index() >= self.func.slot_count() {
            self.report(Problem::NoSlot(slot));
            return None;
        }
        Some(self.func.slot_type(slot))
    }

    fn labels(&mut self, cases: &[Case]) {
        let mut labels: Vec<u32> = cases.iter().flat_map(|case| case.labels.iter().copied()).collect();
        labels.sort_unstable();
        for pair in labels.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.report(Problem::LabelTwice(pair[0]));
        }
        for _ in cases.iter().filter(|case| case.labels.is_empty()) {
            self.report(Problem::NoLabel);
        }
    }

    fn terminator(&mut self, data: &InstData) {
        self.expect_results(data, &[]);
        match &data.kind {
            InstKind::Yield(args) => match self.open.last() {
                // A yield in a loop's body is a continue, whose operands have the types of the results too.
                Some(&owner) => {
                    let expected = self.types(&self.func.inst(owner).results);
                    self.expect_list("yielded values", args, expected);
                }
                None => self.report(Problem::YieldInBody),
            },
            InstKind::Break { target, args } => match self.enclosing(*target) {
                Some(InstData { kind: InstKind::Loop { .. } | InstKind::Switch { .. }, results, .. }) => {
                    let expected = self.types(results);
                    self.expect_list("values of the break", args, expected);
                }
                _ => self.report(Problem::BreakTarget(*target)),
            },
            InstKind::Continue { target, args } => match self.enclosing(*target) {
                Some(InstData { kind: InstKind::Loop { .. }, results, .. }) => {
                    let expected = self.types(results);
                    self.expect_list("values of the continue", args, expected);
                }
                _ => self.report(Problem::ContinueTarget(*target)),
            },
            _ => {}
        }
    }

    fn enclosing(&self, target: Inst) -> Option<&InstData> {
        self.is_open.get(target.index()).is_some_and(|&open| open).then(|| self.func.inst(target))
    }
}
