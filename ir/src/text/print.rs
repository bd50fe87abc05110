//! Prints a function as text.
//!
//! Anything is printed, even functions that no verifier would let pass: a finding is of no use without a picture. Where
//! something does not exist, the text has a `?` and does not parse.

use std::fmt::{self, Write as _};

use super::stage;
use super::words::{component, input_word, quoted, sampling_words, sync_words};
use crate::entity::{Inst, Region, Slot, Value};
use crate::function::{Element, Function, InstData, InstKind, MemoryRef, Object, ResourceRef};
use crate::interface::{Interface, Resource, ResourceKind};
use crate::stage::Stage;
use crate::types::{Const, Type};
use crate::width::Width;

/// The naming of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// In the order of the text: the same program gives the same text.
    Dense,
    /// By their numbers in the function, as the verifier's findings name them.
    Arena,
}

/// The text of a function.
pub fn print(func: &Function, names: Names) -> String {
    printed(func, names).out
}

/// A line of the text of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The instruction that begins on it.
    pub inst: Option<Inst>,
    /// The line without its end.
    pub text: String,
}

/// The text of a function line by line, for listings that add to each instruction.
pub fn lines(func: &Function, names: Names) -> Vec<Line> {
    let printed = printed(func, names);
    let mut starts = printed.starts.into_iter().peekable();
    let mut at = 0;
    let line = |text: &str| {
        at += text.len();
        let inst = starts.next_if(|&(start, _)| start < at).map(|(_, inst)| inst);
        Line { inst, text: text.trim_end_matches('\n').to_owned() }
    };
    printed.out.split_inclusive('\n').map(line).collect()
}

fn printed(func: &Function, names: Names) -> Printer<'_> {
    let mut printer = Printer {
        func,
        names,
        out: String::new(),
        starts: Vec::new(),
        dense: vec![None; func.value_count()],
        next_value: 0,
        labels: vec![None; func.inst_count()],
        next_label: 0,
        seen: vec![false; func.region_count()],
    };
    printer.function().expect("a string takes everything that is written to it");
    printer
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self, Names::Dense))
    }
}

struct Printer<'a> {
    func: &'a Function,
    names: Names,
    out: String,
    /// The offset at which each printed instruction begins. No two begin on one line.
    starts: Vec<(usize, Inst)>,
    /// Numbers of the values defined so far.
    dense: Vec<Option<usize>>,
    next_value: usize,
    /// Labels of the loops and switches opened so far.
    labels: Vec<Option<usize>>,
    next_label: usize,
    /// Regions printed, so that printing a broken function ends.
    seen: Vec<bool>,
}

/// A pending task of the printer. Its own stack, so that no nesting is too deep.
enum Task {
    /// A region from its brace on.
    Enter { region: Region, depth: usize },
    /// The rest of a region.
    Resume { region: Region, next: usize, depth: usize },
    /// A line or the beginning of one.
    Text { text: String, depth: usize },
}

impl Printer<'_> {
    fn function(&mut self) -> fmt::Result {
        writeln!(self.out, "function {} {{", quoted(&self.func.name))?;
        self.interface(&self.func.interface, self.func.width)?;
        let slots: Vec<_> = (0..self.func.slot_count()).map(Slot::new).collect();
        for run in slots.chunk_by(|&a, &b| self.func.slot_type(a) == self.func.slot_type(b)) {
            write!(self.out, "  slots {} {}", run.len(), self.func.slot_type(run[0]))?;
            let mut names: Vec<_> = run.iter().filter_map(|&slot| Some(self.func.slot_register(slot)?.name)).collect();
            names.dedup();
            for (n, name) in names.iter().enumerate() {
                write!(self.out, "{} {name}", if n == 0 { "  #" } else { "" })?;
            }
            self.out.push('\n');
        }
        self.out.push_str("  body ");
        let end = Task::Text { text: "}\n".into(), depth: 0 };
        let mut tasks = vec![end, Task::Enter { region: self.func.body(), depth: 1 }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter { region, depth } => self.enter(region, depth, &mut tasks),
                Task::Resume { region, next, depth } => self.resume(region, next, depth, &mut tasks)?,
                Task::Text { text, depth } => {
                    self.indent(depth);
                    self.out.push_str(&text);
                }
            }
        }
        Ok(())
    }

    /// Indents a line. Deep nesting does not move the text out of sight, nor make it grow with the square of the depth.
    fn indent(&mut self, depth: usize) {
        for _ in 0..depth.min(40) {
            self.out.push_str("  ");
        }
    }

    fn interface(&mut self, interface: &Interface, width: Width) -> fmt::Result {
        let out = &mut self.out;
        match &interface.stage {
            Stage::Compute { group_size: [x, y, z] } => writeln!(out, "  group {x} {y} {z}")?,
            stage => writeln!(out, "  stage {}", stage.name())?,
        }
        stage::write_declarations(out, &interface.stage)?;
        if width != Width::default() {
            writeln!(out, "  packet {}", width.lanes())?;
        }
        if interface.fills_packets {
            writeln!(out, "  fills_packets")?;
        }
        for (n, resource) in interface.resources.iter().enumerate() {
            write!(out, "  res{n} = ")?;
            write_resource(out, resource)?;
        }
        for (n, shared) in interface.shared.iter().enumerate() {
            let kind = if shared.raw { "raw" } else { "structured" };
            let (register, stride, count) = (shared.register, shared.stride_bytes, shared.count);
            writeln!(out, "  g{n} = g{register} {kind} stride {stride} count {count}")?;
        }
        for (n, local) in interface.locals.iter().enumerate() {
            let (register, registers, components) = (local.register, local.registers, local.components);
            writeln!(out, "  x{n} = x{register} registers {registers} components {components}")?;
        }
        for (n, array) in interface.arrays.iter().enumerate() {
            let access = if array.is_written { "written" } else { "read" };
            writeln!(out, "  array{n} = {access} stride {}", array.stride_bytes)?;
        }
        for (n, message) in interface.messages.iter().enumerate() {
            let (kind, form) = (message.kind.name(), if message.is_format { "format" } else { "plain" });
            writeln!(out, "  message{n} = {kind} {form} {}", quoted(&message.text))?;
        }
        if let Some(signature) = interface.stage.signature() {
            if signature.forces_early_tests {
                writeln!(out, "  forces_early_tests")?;
            }
            let sides = [
                ("inputs", "input", signature.input_array, &signature.inputs),
                ("outputs", "output", signature.output_array, &signature.outputs),
            ];
            for (side, word, array, parameters) in sides {
                if let Some(array) = array {
                    writeln!(out, "  {side} {array}")?;
                }
                parameters.iter().try_for_each(|parameter| stage::write_parameter(out, word, parameter))?;
            }
            for parameter in interface.stage.patch_constants() {
                stage::write_parameter(out, "constant", parameter)?;
            }
            for (row, input) in &signature.at_center {
                writeln!(out, "  at_center {row} {input}")?;
            }
        }
        if !interface.immediate.is_empty() {
            writeln!(out, "  icb {{")?;
            for [x, y, z, w] in &interface.immediate {
                writeln!(out, "    {x:#010x} {y:#010x} {z:#010x} {w:#010x}")?;
            }
            writeln!(out, "  }}")?;
        }
        Ok(())
    }

    fn enter(&mut self, region: Region, depth: usize, tasks: &mut Vec<Task>) {
        match self.seen.get_mut(region.index()).map(|seen| std::mem::replace(seen, true)) {
            None => self.out.push_str("{ ? no such region }\n"),
            Some(true) => self.out.push_str("{ ? a region printed above }\n"),
            Some(false) => {
                self.out.push_str("{\n");
                tasks.push(Task::Resume { region, next: 0, depth: depth + 1 });
            }
        }
    }

    /// Prints instructions up to the first that owns regions.
    fn resume(&mut self, region: Region, mut next: usize, depth: usize, tasks: &mut Vec<Task>) -> fmt::Result {
        let func = self.func;
        while let Some(&inst) = func.region(region).insts.get(next) {
            next += 1;
            self.indent(depth);
            if inst.index() >= func.inst_count() {
                writeln!(self.out, "? {inst}")?;
                continue;
            }
            let data = func.inst(inst);
            self.starts.push((self.out.len(), inst));
            if data.kind.regions().is_empty() {
                self.plain(inst, data)?;
                continue;
            }
            tasks.push(Task::Resume { region, next, depth });
            return self.control(inst, data, depth, tasks);
        }
        self.indent(depth - 1);
        self.out.push_str("}\n");
        Ok(())
    }

    /// The head of an `if`, `loop` or `switch`; its regions become tasks.
    fn control(&mut self, inst: Inst, data: &InstData, depth: usize, tasks: &mut Vec<Task>) -> fmt::Result {
        self.precise(data);
        match &data.kind {
            InstKind::If { cond, then_region, else_region } => {
                write!(self.out, "if {}", self.name(*cond))?;
                self.head_end(data)?;
                tasks.push(Task::Enter { region: *else_region, depth });
                tasks.push(Task::Text { text: "else ".into(), depth });
                tasks.push(Task::Enter { region: *then_region, depth });
            }
            InstKind::Loop { inits, body } => {
                let label = self.new_label(inst);
                write!(self.out, "loop {label} (")?;
                let params = match self.func.region_count() > body.index() {
                    true => &self.func.region(*body).params[..],
                    false => &[],
                };
                for n in 0..params.len().max(inits.len()) {
                    let separator = if n == 0 { "" } else { ", " };
                    let init = inits.get(n).map_or("?".into(), |&init| self.name(init));
                    match params.get(n) {
                        Some(&param) => {
                            let (name, ty) = (self.define(param), self.ty(param));
                            write!(self.out, "{separator}{name}: {ty} = {init}")?;
                        }
                        None => write!(self.out, "{separator}? = {init}")?,
                    }
                }
                self.out.push(')');
                self.head_end(data)?;
                tasks.push(Task::Enter { region: *body, depth });
            }
            InstKind::Switch { selector, cases, default } => {
                let label = self.new_label(inst);
                write!(self.out, "switch {label} {}", self.name(*selector))?;
                self.head_end(data)?;
                self.out.push_str("{\n");
                tasks.push(Task::Text { text: "}\n".into(), depth });
                tasks.push(Task::Enter { region: *default, depth: depth + 1 });
                tasks.push(Task::Text { text: "default ".into(), depth: depth + 1 });
                for case in cases.iter().rev() {
                    let labels: Vec<String> = case.labels.iter().map(u32::to_string).collect();
                    tasks.push(Task::Enter { region: case.region, depth: depth + 1 });
                    tasks.push(Task::Text { text: format!("case {} ", labels.join(", ")), depth: depth + 1 });
                }
            }
            _ => unreachable!("only control flow owns regions"),
        }
        Ok(())
    }

    /// The text between the operands of control flow and its first brace.
    fn head_end(&mut self, data: &InstData) -> fmt::Result {
        if !data.results.is_empty() {
            self.out.push_str(" -> ");
            self.results(data)?;
        }
        self.origin(data, " ")?;
        self.out.push(' ');
        Ok(())
    }

    fn precise(&mut self, data: &InstData) {
        if data.precise {
            self.out.push_str("precise ");
        }
    }

    fn origin(&mut self, data: &InstData, space: &str) -> fmt::Result {
        if data.origin.0 != 0 {
            write!(self.out, "{space}@{:#x}", data.origin.0)?;
        }
        Ok(())
    }

    /// Prints a type once for consecutive values of it.
    fn results(&mut self, data: &InstData) -> fmt::Result {
        let types: Vec<_> = data.results.iter().map(|&result| self.ty(result)).collect();
        for (n, &result) in data.results.iter().enumerate() {
            let separator = if n == 0 { "" } else { ", " };
            let name = self.define(result);
            write!(self.out, "{separator}{name}")?;
            if types.get(n + 1) != Some(&types[n]) {
                write!(self.out, ": {}", types[n])?;
            }
        }
        Ok(())
    }

    /// An instruction without regions, with its line's end.
    fn plain(&mut self, inst: Inst, data: &InstData) -> fmt::Result {
        // Operands first: they are named as they were before this instruction.
        let text = self.kind(&data.kind)?;
        if !data.results.is_empty() {
            self.results(data)?;
            self.out.push_str(" = ");
        }
        self.precise(data);
        self.out.push_str(&text);
        self.origin(data, "  ")?;
        if let InstKind::Const(constant) = data.kind
            && let Some(note) = note(constant)
        {
            write!(self.out, "  # {note}")?;
        }
        debug_assert!(self.labels[inst.index()].is_none(), "only control flow has labels");
        self.out.push('\n');
        Ok(())
    }

    fn kind(&self, kind: &InstKind) -> Result<String, fmt::Error> {
        let mut out = String::new();
        match kind {
            InstKind::Const(Const { ty, bits }) => match (ty, bits) {
                (Type::Bool, 0) => out.push_str("const false"),
                (Type::Bool, 1) => out.push_str("const true"),
                (Type::I32 | Type::I64, 0..=0xffff) => write!(out, "const {bits}")?,
                (Type::I32 | Type::F32, 0..=0xffff_ffff) => write!(out, "const {bits:#010x}")?,
                (Type::I64 | Type::F64, _) => write!(out, "const {bits:#018x}")?,
                (Type::Bool | Type::I32 | Type::F32, _) => write!(out, "const {bits:#x}")?,
            },
            InstKind::Input(input) => match input_word(*input) {
                (word, None) => write!(out, "input {word}")?,
                (word, Some(n)) => write!(out, "input {word}.{}", component(n))?,
            },
            InstKind::Op { op, args } => write!(out, "{} {}", op.name(), self.list(args))?,
            InstKind::SlotGet(slot) => write!(out, "get {slot}")?,
            InstKind::SlotSet(slot, value) => write!(out, "set {slot}, {}", self.name(*value))?,
            InstKind::Note(slot, value) => write!(out, "note {slot}, {}", self.name(*value))?,
            InstKind::Load { place } => write!(out, "load {}", self.memory_ref(place))?,
            InstKind::Store { place, values, effect } => {
                write!(out, "store {}, {} where {}", self.memory_ref(place), self.list(values), self.name(*effect))?;
            }
            InstKind::Atomic { op, place, value, compare, effect } => {
                write!(out, "atomic {} {}", op.name(), self.memory_ref(place))?;
                out.push_str(&self.update(*value, *compare, *effect));
            }
            InstKind::Counter { op, resource, effect } => {
                write!(out, "counter {} {} where {}", op.name(), self.view(resource), self.name(*effect))?;
            }
            InstKind::TexelLoad { resource, coords, level } => {
                write!(out, "texel_load {}{}", self.texel(resource, coords), self.level(*level))?;
            }
            InstKind::TexelStore { resource, coords, values, effect } => {
                let (values, effect) = (self.list(values), self.name(*effect));
                write!(out, "texel_store {}, {values} where {effect}", self.texel(resource, coords))?;
            }
            InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => {
                write!(out, "texel_atomic {} {}", op.name(), self.texel(resource, coords))?;
                out.push_str(&self.update(*value, *compare, *effect));
            }
            InstKind::Query { query, resource, level } => {
                write!(out, "query {} {}{}", query.name(), self.view(resource), self.level(*level))?;
            }
            InstKind::Sample { sampling, texture, sampler, args } => {
                let (texture, sampler) = (self.view(texture), self.view(sampler));
                write!(out, "sample {} {texture} {sampler} [{}]", sampling_words(*sampling), self.list(args))?;
            }
            InstKind::Message { message, values, effect } => {
                write!(out, "send {message}, {} where {}", self.list(values), self.name(*effect))?;
            }
            InstKind::PacketAll(value) => write!(out, "packet_all {}", self.name(*value))?,
            InstKind::QuadRead { from: [a, b, c, d], value } => {
                write!(out, "quad_read {a} {b} {c} {d}, {}", self.name(*value))?;
            }
            InstKind::Barrier(sync) => {
                out.push_str("barrier");
                for (word, _) in sync_words(&mut sync.clone()).into_iter().filter(|(_, on)| **on) {
                    write!(out, " {word}")?;
                }
            }
            InstKind::Yield(args) => self.jump(&mut out, "yield".into(), args)?,
            InstKind::Break { target, args } => self.jump(&mut out, format!("break {}", self.label(*target)), args)?,
            InstKind::Continue { target, args } => {
                self.jump(&mut out, format!("continue {}", self.label(*target)), args)?;
            }
            InstKind::Return => out.push_str("return"),
            InstKind::If { .. } | InstKind::Loop { .. } | InstKind::Switch { .. } => {
                unreachable!("control flow is printed with its regions")
            }
        }
        Ok(out)
    }

    fn jump(&self, out: &mut String, word: String, args: &[Value]) -> fmt::Result {
        match args {
            [] => out.write_str(&word),
            args => write!(out, "{word} {}", self.list(args)),
        }
    }

    fn memory_ref(&self, place: &MemoryRef) -> String {
        let object = match place.object {
            Object::Resource(ref resource) => self.view(resource),
            Object::Shared(id) => id.to_string(),
            Object::Local(id) => id.to_string(),
            Object::Array(id) => id.to_string(),
            Object::Immediate => "icb".into(),
            Object::Curve => "srgb".into(),
        };
        match place.index {
            Some(index) => format!("{object}[{} + {}]", self.name(index), self.name(place.offset)),
            None => format!("{object}[{}]", self.name(place.offset)),
        }
    }

    fn view(&self, resource: &ResourceRef) -> String {
        match resource.element {
            Element::Fixed(0) => resource.id.to_string(),
            Element::Fixed(n) => format!("{}.{n}", resource.id),
            Element::Computed(value) => format!("{}.{}", resource.id, self.name(value)),
        }
    }

    fn texel(&self, resource: &ResourceRef, coords: &[Value]) -> String {
        format!("{}[{}]", self.view(resource), self.list(coords))
    }

    fn level(&self, level: Option<Value>) -> String {
        level.map_or(String::new(), |level| format!(" level {}", self.name(level)))
    }

    fn update(&self, value: Value, compare: Option<Value>, effect: Value) -> String {
        let compare = compare.map_or(String::new(), |value| format!(" compare {}", self.name(value)));
        format!(", {}{compare} where {}", self.name(value), self.name(effect))
    }

    fn list(&self, values: &[Value]) -> String {
        let names: Vec<String> = values.iter().map(|&value| self.name(value)).collect();
        names.join(", ")
    }

    fn ty(&self, value: Value) -> &'static str {
        if value.index() < self.func.value_count() { self.func.ty(value).name() } else { "?" }
    }

    /// The name of a value that is defined here.
    fn define(&mut self, value: Value) -> String {
        if let Some(number @ None) = self.dense.get_mut(value.index()) {
            *number = Some(self.next_value);
            self.next_value += 1;
        }
        self.name(value)
    }

    /// The name of a value that is used here.
    fn name(&self, value: Value) -> String {
        match (self.names, self.dense.get(value.index()).copied().flatten()) {
            (Names::Dense, Some(number)) => format!("v{number}"),
            (Names::Dense, None) => format!("?{value}"),
            (Names::Arena, _) => value.to_string(),
        }
    }

    fn new_label(&mut self, inst: Inst) -> String {
        self.labels[inst.index()] = Some(self.next_label);
        self.next_label += 1;
        self.label(inst)
    }

    fn label(&self, target: Inst) -> String {
        match self.labels.get(target.index()).copied().flatten() {
            Some(number) => format!("l{number}"),
            None => format!("?{target}"),
        }
    }
}

fn write_resource(out: &mut String, resource: &Resource) -> fmt::Result {
    write!(out, "{}{}", resource.class.name(), resource.lower)?;
    match resource.count {
        Some(1) => {}
        Some(count) => write!(out, "[{count}]")?,
        None => out.push_str("[]"),
    }
    match resource.kind {
        ResourceKind::Constant { vectors } => write!(out, " constant {vectors}")?,
        ResourceKind::Raw => out.push_str(" raw"),
        ResourceKind::Structured { stride_bytes } => write!(out, " structured stride {stride_bytes}")?,
        ResourceKind::Typed { dimension, component } => {
            write!(out, " typed {} {}", dimension.name(), component.name())?;
        }
        ResourceKind::Sampler { compares: false } => out.push_str(" sampler"),
        ResourceKind::Sampler { compares: true } => out.push_str(" comparison_sampler"),
    }
    if resource.space != 0 {
        write!(out, " space {}", resource.space)?;
    }
    if resource.uses_counter {
        out.push_str(" counter");
    }
    if resource.is_ordered {
        out.push_str(" ordered");
    }
    if let Some(bytes) = resource.element_bytes {
        write!(out, " elements {bytes}")?;
    }
    out.push('\n');
    Ok(())
}

/// The meaning of a constant's bits, where they do not show it.
fn note(Const { ty, bits }: Const) -> Option<String> {
    match ty {
        Type::F32 => u32::try_from(bits).ok().map(|bits| format!("{:?}", f32::from_bits(bits))),
        Type::F64 => Some(format!("{:?}", f64::from_bits(bits))),
        Type::I32 if bits > 0xffff => u32::try_from(bits).ok().map(|bits| format!("{}", bits as i32)),
        Type::I64 if bits > 0xffff => Some(format!("{}", bits as i64)),
        Type::Bool | Type::I32 | Type::I64 => None,
    }
}
