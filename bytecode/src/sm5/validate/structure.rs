//! Finds the sections of a program, and checks nesting and calls.
//!
//! A program is cut into sections: the main program or the phases of a hull shader, then the functions. Each section is
//! properly nested in itself and ends with `ret` (implied at the end of a graphics program). Nothing here recurses:
//! nesting is a vector.

use super::instructions;
use super::{Rule, ValidateError};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::sm5::instruction::Instruction;
use crate::sm5::operand::RegisterFile;
use crate::sm5::ops::{Form, Op};
use crate::sm5::valid::{Case, Construct, Declarations, Flow, Function, FunctionName, Phase, PhaseKind};
use crate::sm5::{ItemKind, Program, Stage};
use std::collections::{HashMap, HashSet};

/// Targets of all interface calls: one for a literal index, the array's length for a computed one.
const CALL_TARGETS: u32 = 4096;
/// Calls that are followed when looking for recursion: an interface call counts once for each body it may reach.
const CALL_EDGES: usize = 1 << 18;

/// Finds the sections and constructs of a program; `None` if it is not clear where a section begins, or at a limit.
pub(super) fn flow(program: &Program, limits: &Limits, faults: &mut Faults<ValidateError>) -> Option<Flow> {
    let mut walk = Walk {
        program,
        limits,
        faults,
        flow: Flow::default(),
        open: Vec::new(),
        at: program.at,
        op: Op::Nop,
        names: HashSet::new(),
        section: Section { kind: SectionKind::Main, start: 0, code_begun: false, last: None },
    };
    for (position, item) in program.items.iter().enumerate() {
        if walk.faults.is_cut() {
            return None;
        }
        match &item.kind {
            ItemKind::Instruction(instruction) => {
                (walk.at, walk.op) = (instruction.at, instruction.op);
                if let Err(rule) = walk.instruction(position, instruction) {
                    walk.push(rule);
                    return None;
                }
            }
            ItemKind::Declaration(declaration) => {
                (walk.at, walk.op) = (declaration.at, declaration.op);
                walk.declaration();
            }
            ItemKind::CustomData(_) => {}
        }
    }
    let end = program.at + 4 * program.words.len() as u32;
    walk.end_section(program.items.len(), end);
    walk.flow.constructs.sort_by_key(|(position, _)| *position);
    Some(walk.flow)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SectionKind {
    Main,
    Phase(PhaseKind),
    Function(FunctionName, usize),
}

struct Section {
    kind: SectionKind,
    start: usize,
    /// Set once an instruction other than `nop` was seen, after which no declaration may follow.
    code_begun: bool,
    last: Option<Op>,
}

/// A construct that is not closed yet.
struct Open {
    position: usize,
    at: u32,
    op: Op,
    otherwise: Option<usize>,
    cases: Vec<Case>,
    values: HashSet<Option<u32>>,
    /// Set if an instruction before the first label of a `switch` was reported.
    is_headless: bool,
}

/// A walk over the items. Methods report a fault and go on; a fault that they return ends the walk.
struct Walk<'p, 'f> {
    program: &'p Program,
    limits: &'p Limits,
    faults: &'f mut Faults<ValidateError>,
    flow: Flow,
    open: Vec<Open>,
    /// The current item: its offset and its opcode.
    at: u32,
    op: Op,
    names: HashSet<FunctionName>,
    section: Section,
}

impl Walk<'_, '_> {
    /// Reports a fault of the current item.
    fn push(&mut self, rule: Rule) {
        self.faults.push(rule.broken(self.at, self.op));
    }

    fn misplaced(&mut self, expected: &'static str) {
        self.push(Rule::Misplaced { expected });
    }

    fn declaration(&mut self) {
        if let Err(rule) = self.exists() {
            self.push(rule);
        }
        if self.section.code_begun {
            self.push(Rule::LateDeclaration);
        }
    }

    /// Checks that model and stage have the opcode. The flags are known only later, so that in model 4.x the
    /// declarations decide about buffer instructions: without a buffer there is nothing that they could access.
    fn exists(&self) -> Result<(), Rule> {
        let Program { model, stage, .. } = *self.program;
        if self.op.info().exists_in(model, stage, true) {
            return Ok(());
        }
        Err(Rule::NotInStage { stage, model })
    }

    fn instruction(&mut self, position: usize, instruction: &Instruction) -> Result<(), Rule> {
        let op = instruction.op;
        debug_assert_eq!(op.info().form, Form::Instruction);
        if let Err(rule) = self.exists() {
            self.push(rule);
            return Ok(());
        }
        if let Some(kind) = phase_kind(op) {
            return self.phase(position, kind);
        }
        if self.program.stage == Stage::Hull && self.section.kind == SectionKind::Main && op != Op::Nop {
            return Err(Rule::Misplaced { expected: "a hull shader begins with hs_decls" });
        }
        if op == Op::Label {
            return self.label(position, instruction);
        }
        self.section.code_begun |= op != Op::Nop;
        self.section.last = Some(op);

        // A switch has no instructions before its first label.
        let unlabelled = self.open.last_mut().filter(|open| open.op == Op::Switch && open.cases.is_empty());
        if let Some(open) = unlabelled
            && !matches!(op, Op::Case | Op::Default | Op::EndSwitch | Op::Nop)
            && !std::mem::replace(&mut open.is_headless, true)
        {
            self.misplaced("a switch begins with case or default");
        }
        match op {
            Op::If | Op::Loop | Op::Switch => return self.open(position),
            Op::Else => match self.open.last_mut() {
                Some(open) if open.op == Op::If && open.otherwise.is_none() => open.otherwise = Some(position),
                _ => self.misplaced("it must be in an if that has no else yet"),
            },
            Op::Case | Op::Default => self.case(position, instruction),
            Op::EndIf => self.close(position, Op::If, "it must close an if"),
            Op::EndLoop => self.close(position, Op::Loop, "it must close a loop"),
            Op::EndSwitch => self.close(position, Op::Switch, "it must close a switch"),
            Op::Break | Op::BreakC if !self.open.iter().any(|open| matches!(open.op, Op::Loop | Op::Switch)) => {
                self.misplaced("it must be in a loop or switch");
            }
            Op::Continue | Op::ContinueC if !self.open.iter().any(|open| open.op == Op::Loop) => {
                self.misplaced("it must be in a loop");
            }
            Op::Sync if self.program.stage != Stage::Compute => {
                let sync = instruction.sync;
                if sync.threads || sync.shared_memory || sync.uav_group {
                    self.misplaced("outside of compute shaders there is no group to wait for, only sync_uglobal");
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, position: usize) -> Result<(), Rule> {
        let limit = self.limits.flow_depth;
        if self.open.len() >= limit as usize {
            return Err(Rule::Nesting { limit });
        }
        let (cases, values) = (Vec::new(), HashSet::new());
        let (at, op) = (self.at, self.op);
        self.open.push(Open { position, at, op, otherwise: None, cases, values, is_headless: false });
        Ok(())
    }

    fn case(&mut self, position: usize, instruction: &Instruction) {
        let value = instruction.operands.first().and_then(|operand| operand.immediate_word(0));
        match self.open.last_mut() {
            Some(open) if open.op == Op::Switch => {
                open.cases.push(Case { position, value });
                if !open.values.insert(value) {
                    self.push(match value {
                        Some(value) => Rule::CaseTwice { value },
                        None => Rule::Misplaced { expected: "the switch already has a default" },
                    });
                }
            }
            _ => self.misplaced("it must be in a switch"),
        }
    }

    fn close(&mut self, end: usize, opener: Op, expected: &'static str) {
        if self.open.last().is_none_or(|open| open.op != opener) {
            self.misplaced(expected);
            // It may close a construct further out; then the ends of the inner constructs are missing.
            let meant = self.open.iter().rposition(|open| open.op == opener);
            self.open.truncate(meant.map_or(self.open.len(), |meant| meant + 1));
        }
        let Some(open) = self.open.pop_if(|open| open.op == opener) else { return };
        let construct = match opener {
            Op::If => Construct::If { otherwise: open.otherwise, end },
            Op::Switch => Construct::Switch { cases: open.cases, end },
            _ => Construct::Loop { end },
        };
        self.flow.constructs.push((open.position, construct));
    }

    fn phase(&mut self, position: usize, kind: PhaseKind) -> Result<(), Rule> {
        match (self.section.kind, kind) {
            (SectionKind::Main, PhaseKind::Declarations) if self.section.last.is_none() => {}
            (SectionKind::Main, _) => return Err(Rule::Misplaced { expected: "a hull shader begins with hs_decls" }),
            (SectionKind::Phase(_), PhaseKind::Declarations) => return Err(Rule::Repeated),
            (SectionKind::Phase(_), _) => {}
            (SectionKind::Function(..), _) => return Err(Rule::Misplaced { expected: "phases come before functions" }),
        }
        self.end_section(position, self.at);
        self.begin_section(SectionKind::Phase(kind), position + 1);
        Ok(())
    }

    fn label(&mut self, position: usize, instruction: &Instruction) -> Result<(), Rule> {
        let name = function_name(instruction).ok_or(Rule::Misplaced { expected: "it must name l# or fb#" })?;
        if !self.open.is_empty() || self.section.last != Some(Op::Ret) {
            return Err(Rule::Misplaced { expected: "it must follow a ret that is not nested" });
        }
        if !self.names.insert(name) {
            // Its instructions then belong to the previous function.
            self.push(Rule::LabelTwice { name });
            return Ok(());
        }
        let limit = self.limits.functions;
        if self.names.len() > limit as usize {
            let count = self.names.len() as u32;
            return Err(Rule::Limit { what: "functions", count, limit });
        }
        self.end_section(position, self.at);
        self.begin_section(SectionKind::Function(name, position), position + 1);
        self.section.code_begun = true;
        Ok(())
    }

    fn begin_section(&mut self, kind: SectionKind, start: usize) {
        self.section = Section { kind, start, code_begun: false, last: None };
    }

    /// Ends the section before `end`, which is at byte `at`.
    fn end_section(&mut self, end: usize, at: u32) {
        for open in self.open.drain(..).rev() {
            self.faults.push(Rule::Unclosed.broken(open.at, open.op));
        }
        let items = self.section.start..end;
        // The specification wants a ret. Hand-written graphics programs leave it out, and their end counts as one. A
        // function is called, so that it must return; a label in turn must follow a ret.
        let needs_return = match self.section.kind {
            SectionKind::Main => self.program.stage == Stage::Compute,
            SectionKind::Phase(_) => false,
            SectionKind::Function(..) => true,
        };
        if needs_return && self.section.last != Some(Op::Ret) {
            self.faults.push(Rule::NoReturn.broken(at, Op::Ret));
        }
        match self.section.kind {
            SectionKind::Main => self.flow.main = items,
            SectionKind::Phase(kind) => {
                self.flow.phases.push(Phase { kind, items, temps: 0, instances: 1 });
            }
            SectionKind::Function(name, label) => self.flow.functions.push(Function { name, label, items }),
        }
    }
}

fn misplaced(at: u32, op: Op, expected: &'static str) -> ValidateError {
    Rule::Misplaced { expected }.broken(at, op)
}

fn phase_kind(op: Op) -> Option<PhaseKind> {
    match op {
        Op::HsDecls => Some(PhaseKind::Declarations),
        Op::HsControlPointPhase => Some(PhaseKind::ControlPoint),
        Op::HsForkPhase => Some(PhaseKind::Fork),
        Op::HsJoinPhase => Some(PhaseKind::Join),
        _ => None,
    }
}

/// The function a `label`, `call` or `callc` names.
fn function_name(instruction: &Instruction) -> Option<FunctionName> {
    let operand = instruction.operands.last()?;
    let number = operand.index_u32(0)?;
    match operand.file {
        RegisterFile::Label => Some(FunctionName::Label(number)),
        RegisterFile::FunctionBody => Some(FunctionName::Body(number)),
        _ => None,
    }
}

/// Checks that called functions exist and that none calls itself.
pub(super) fn calls(program: &Program, flow: &Flow, declared: &Declarations, faults: &mut Faults<ValidateError>) {
    let functions: HashMap<FunctionName, usize> =
        flow.functions.iter().enumerate().map(|(n, function)| (function.name, n)).collect();
    let tables: HashMap<u32, &[u32]> =
        declared.function_tables.iter().map(|table| (table.table, table.bodies.as_slice())).collect();

    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); flow.functions.len()];
    let mut edge_count = 0;
    let mut targets: u32 = 0;
    let mut caller = None;
    let mut next = 0;
    for (position, instruction) in instructions(program) {
        if faults.is_cut() {
            return;
        }
        if flow.functions.get(next).is_some_and(|function| function.label == position) {
            caller = Some(next);
            next += 1;
        }
        let Instruction { at, op, .. } = *instruction;
        let called: Vec<FunctionName> = match op {
            Op::Call | Op::CallC => {
                let name = function_name(instruction).filter(|name| matches!(name, FunctionName::Label(_)));
                if name.is_none() {
                    faults.push(misplaced(at, op, "it must name l#"));
                }
                name.into_iter().collect()
            }
            Op::FCall => {
                let number = instruction.operands.first().and_then(|operand| operand.index_u32(0));
                let interface = number.and_then(|number| declared.interface(number));
                let is_computed = instruction.operands.iter().any(|operand| operand.index_u32(1).is_none());
                targets += if is_computed { interface.map_or(1, |interface| interface.array_length) } else { 1 };
                if targets > CALL_TARGETS {
                    let (count, limit) = (targets, CALL_TARGETS);
                    return faults
                        .push(Rule::Limit { what: "targets of interface calls", count, limit }.broken(at, op));
                }
                let bound = interface.map_or(&[][..], |interface| &interface.tables);
                let bodies = bound.iter().filter_map(|table| tables.get(table)?.get(instruction.call_site as usize));
                bodies.map(|&body| FunctionName::Body(body)).collect()
            }
            _ => continue,
        };
        edge_count += called.len();
        if edge_count > CALL_EDGES {
            let (count, limit) = (edge_count as u32, CALL_EDGES as u32);
            return faults.push(Rule::Limit { what: "possible calls", count, limit }.broken(at, op));
        }
        for name in called {
            let Some(&callee) = functions.get(&name) else {
                faults.push(Rule::NoLabel { name }.broken(at, op));
                continue;
            };
            if let Some(edges) = caller.and_then(|caller| edges.get_mut(caller)) {
                edges.push(callee);
            }
        }
    }
    if let Some(function) = cycle(&edges).and_then(|function| flow.functions.get(function)) {
        let at = program.items.get(function.label).map_or(0, |item| item.at);
        faults.push(Rule::Recursion { name: function.name }.broken(at, Op::Label));
    }
}

/// A node that can reach itself.
fn cycle(edges: &[Vec<usize>]) -> Option<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        OnPath,
        Done,
    }
    let mut seen = vec![Seen::Not; edges.len()];
    for start in 0..edges.len() {
        if seen[start] != Seen::Not {
            continue;
        }
        // Each entry: a node on the path and how many of its edges were followed.
        let mut path = vec![(start, 0)];
        seen[start] = Seen::OnPath;
        while let Some((node, followed)) = path.last_mut() {
            let Some(&callee) = edges[*node].get(*followed) else {
                seen[*node] = Seen::Done;
                path.pop();
                continue;
            };
            *followed += 1;
            match seen[callee] {
                Seen::OnPath => return Some(callee),
                Seen::Done => {}
                Seen::Not => {
                    seen[callee] = Seen::OnPath;
                    path.push((callee, 0));
                }
            }
        }
    }
    None
}
