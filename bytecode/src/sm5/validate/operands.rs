//! Checks the operands of every instruction: the slot allows the file, the register is declared, the indices are within
//! it, and masks and swizzles suit the instruction. The declarations of memory are checked in `memory.rs`.

use super::{Mask, RegisterName, Rule, VALUE, ValidateError};
use crate::faults::Faults;
use crate::sm5::instruction::Instruction;
use crate::sm5::operand::{Components, Index, Operand, RegisterFile as File};
use crate::sm5::ops::{Op, Slot, Type, Width};
use crate::sm5::valid::{Declarations, Flow, IndexableTemp, Resource, Sampler, SharedMemoryKind, Uav};
use crate::sm5::{CustomContent, ItemKind, Model, Program, RegisterRange, Stage};
use std::collections::{HashMap, HashSet};

/// Checks every operand of a program.
pub(super) fn check(program: &Program, flow: &Flow, declared: &Declarations, faults: &mut Faults<ValidateError>) {
    let mut known = DeclarationLookup::new(program, declared);
    let mut phases = flow.phases.iter().peekable();
    for (position, item) in program.items.iter().enumerate() {
        if faults.is_cut() {
            return;
        }
        if let Some(phase) = phases.next_if(|phase| phase.items.start <= position) {
            known.temps = phase.temps;
        }
        if flow.functions.first().is_some_and(|function| function.label == position) {
            known.temps = declared.temps;
        }
        match &item.kind {
            ItemKind::Instruction(instruction) => known.instruction(instruction, faults),
            ItemKind::CustomData(data) => {
                if let CustomContent::Message(message) = &data.content {
                    for operand in &message.operands {
                        faults.note(known.value(operand).map_err(|rule| rule.broken(item.at, Op::CustomData)));
                    }
                }
            }
            ItemKind::Declaration(_) => {}
        }
    }
}

/// The declarations, ready for lookup.
pub(super) struct DeclarationLookup<'p> {
    pub(super) stage: Stage,
    model: Model,
    temps: u32,
    indexable_temps: HashMap<u32, IndexableTemp>,
    constant_buffers: HashMap<u32, (RegisterRange, u32)>,
    pub(super) resources: HashMap<u32, &'p Resource>,
    pub(super) uavs: HashMap<u32, &'p Uav>,
    pub(super) samplers: HashMap<u32, &'p Sampler>,
    pub(super) shared: HashMap<u32, SharedMemoryKind>,
    /// The components of inputs and outputs that are declared, in all phases together.
    attributes: HashMap<(File, u32), u8>,
    function_bodies: HashSet<u32>,
    /// The structured u# whose hidden counters are used, each with an instruction that uses it.
    counted: HashMap<u32, Op>,
    declared: &'p Declarations,
}

impl<'p> DeclarationLookup<'p> {
    fn new(program: &Program, declared: &'p Declarations) -> Self {
        Self {
            stage: program.stage,
            model: program.model,
            temps: declared.temps,
            indexable_temps: declared.indexable_temps.iter().map(|array| (array.register, *array)).collect(),
            constant_buffers: declared
                .constant_buffers
                .iter()
                .map(|buffer| (buffer.range.id, (buffer.range, buffer.vectors)))
                .collect(),
            resources: declared.resources.iter().map(|resource| (resource.range.id, resource)).collect(),
            uavs: declared.uavs.iter().map(|uav| (uav.range.id, uav)).collect(),
            samplers: declared.samplers.iter().map(|sampler| (sampler.range.id, sampler)).collect(),
            shared: declared.shared_memory.iter().map(|shared| (shared.register, shared.kind)).collect(),
            attributes: attributes(declared),
            function_bodies: declared.function_bodies.iter().copied().collect(),
            counted: HashMap::new(),
            declared,
        }
    }

    fn instruction(&mut self, instruction: &Instruction, faults: &mut Faults<ValidateError>) {
        let Instruction { at, op, .. } = *instruction;
        for (slot, operand) in instruction.slots() {
            faults.note(self.operand(instruction, *slot, operand).map_err(|rule| rule.broken(at, op)));
        }
        let whole = match op {
            Op::SwapC => swap(instruction),
            Op::ImmAtomicAlloc | Op::ImmAtomicConsume => self.counter(instruction),
            _ => Ok(()),
        };
        faults.note(whole.map_err(|rule| rule.broken(at, op)));
    }

    /// Checks that a hidden counter goes up or down in a shader, not both.
    fn counter(&mut self, instruction: &Instruction) -> Result<(), Rule> {
        let number = instruction.operands.get(1).and_then(|operand| operand.index_u32(0));
        let Some(number) = number else { return Ok(()) };
        let other = *self.counted.entry(number).or_insert(instruction.op);
        if other == instruction.op {
            return Ok(());
        }
        Err(Rule::CountedBothWays { register: RegisterName { file: File::Uav, number }, other })
    }

    pub(super) fn not_declared(&self, register: RegisterName) -> Rule {
        Rule::NotDeclared { register, stage: self.stage, model: self.model }
    }

    fn operand(&self, instruction: &Instruction, slot: Slot, operand: &Operand) -> Result<(), Rule> {
        match slot {
            Slot::Write { ty, width, null } => self.written(operand, ty, width, null)?,
            Slot::Read { null: true, .. } if operand.is_null() => {}
            Slot::Read { ty, width, .. } => {
                self.value(operand)?;
                self.components(operand, components_read(instruction, width, operand))?;
                if ty == Type::Double {
                    // The written components decide which parts of the swizzle count.
                    let written = instruction.operands.first().map_or(0xf, Operand::mask);
                    double_source(operand, written, instruction.op)?;
                } else if operand.file == File::Immediate64 && !(ty == Type::Any && width == Width::Each) {
                    return Err(Rule::wrong_file(operand, "a 32-bit value"));
                }
            }
            Slot::Store(storage) => self.stored(instruction, operand, storage)?,
            Slot::Load(storage) => self.memory(instruction, operand, storage, false)?,
            Slot::Sampler { select, mode } => self.sampler(operand, select, mode)?,
            Slot::Label => {
                if !matches!(operand.file, File::Label | File::FunctionBody) {
                    return Err(Rule::wrong_file(operand, "a label"));
                }
                let register = self.number(operand, 0, "1")?;
                if operand.file == File::FunctionBody && !self.function_bodies.contains(&register.number) {
                    return Err(self.not_declared(register));
                }
            }
            Slot::Stream => {
                let register = self.number_of(operand, File::Stream)?;
                if !self.declared.streams.contains(&register.number) {
                    return Err(self.not_declared(register));
                }
            }
            Slot::Interface => self.interface(operand, instruction.call_site)?,
            Slot::Case => {
                if operand.file != File::Immediate32 || operand.components != Components::One {
                    return Err(Rule::wrong_file(operand, "a 32-bit immediate of one component"));
                }
            }
            Slot::Attribute => {
                if operand.file != File::Input {
                    return Err(Rule::wrong_file(operand, "v#"));
                }
                self.value(operand)?;
                self.components(operand, components_read(instruction, Width::Each, operand))?;
            }
        }
        Ok(())
    }

    /// Checks a register that is written.
    fn written(&self, operand: &Operand, ty: Type, width: Width, null: bool) -> Result<(), Rule> {
        match operand.file {
            File::Null if null => return Ok(()),
            File::Temp | File::IndexableTemp => {}
            file if file.is_output_of(self.stage) => {}
            file if Stage::ALL.iter().any(|&stage| file.is_output_of(stage)) => {
                return Err(Rule::NoOutput { file, stage: self.stage, model: self.model });
            }
            _ => return Err(Rule::wrong_file(operand, "r#, x# or an output of the stage")),
        }
        self.register(operand)?;
        let mask = operand.mask();
        match operand.components {
            Components::Mask(_) | Components::One => {}
            _ => return Err(Rule::wrong_components(operand, "a mask")),
        }
        let count = mask.count_ones();
        let expected = match (ty, width) {
            _ if mask == 0 => "not empty",
            (Type::Double, _) if !matches!(mask, 0b0011 | 0b1100 | 0b1111) => ".xy, .zw or .xyzw",
            (_, Width::One) if count > 1 => "one component",
            (_, Width::PerDouble) if count > 2 => "at most two components",
            _ => return self.components(operand, mask),
        };
        Err(Rule::wrong_mask(operand, expected))
    }

    /// Checks a value that is read.
    fn value(&self, operand: &Operand) -> Result<(), Rule> {
        match operand.file {
            File::Immediate32 | File::Immediate64 => return Ok(()),
            File::Temp | File::IndexableTemp | File::ConstantBuffer | File::ImmediateConstantBuffer => {}
            File::This if !self.declared.interfaces.is_empty() => {}
            file if file.is_input_of(self.stage) => {}
            file if Stage::ALL.iter().any(|&stage| file.is_input_of(stage)) => {
                return Err(Rule::NoInput { file, stage: self.stage, model: self.model });
            }
            _ => return Err(Rule::wrong_file(operand, VALUE)),
        }
        match operand.components {
            Components::One | Components::Swizzle(_) | Components::Select(_) => {}
            // Inputs that are scalars may be written without components.
            Components::None if !operand.file.is_numbered() => {}
            _ => return Err(Rule::wrong_components(operand, "a swizzle or one component")),
        }
        self.register(operand)
    }

    fn interface(&self, operand: &Operand, call_site: u32) -> Result<(), Rule> {
        if operand.file != File::Interface {
            return Err(Rule::wrong_file(operand, "fp#"));
        }
        let register = self.number(operand, 1, "2")?;
        let interface = self.declared.interface(register.number).ok_or(self.not_declared(register))?;
        let slots = interface.interface + interface.array_length - register.number;
        let index = operand.indices.get(1);
        if !interface.dynamic && index.is_some_and(|index| index.relative.is_some()) {
            return Err(Rule::NotDynamic { register });
        }
        self.index(register, index, 0, u64::from(slots))?;
        let sites = u64::from(interface.call_sites);
        if u64::from(call_site) < sites {
            return Ok(());
        }
        let (index, last) = (u64::from(call_site), sites.saturating_sub(1));
        Err(Rule::Index { register, index, first: 0, last })
    }

    /// Checks that a register that holds values is declared, and its indices.
    fn register(&self, operand: &Operand) -> Result<(), Rule> {
        let file = operand.file;
        match file {
            File::Temp => {
                let register = self.number_of(operand, file)?;
                if register.number < self.temps {
                    return Ok(());
                }
                Err(Rule::NoTemp { number: register.number, declared: self.temps })
            }
            File::IndexableTemp => {
                let register = self.number(operand, 1, "2")?;
                let array = self.indexable_temps.get(&register.number).ok_or(self.not_declared(register))?;
                self.index(register, operand.indices.get(1), 0, u64::from(array.count))
            }
            File::ConstantBuffer => self.constant_buffer(operand),
            File::ImmediateConstantBuffer => {
                let register = RegisterName { file, number: 0 };
                let vectors = self.declared.immediate_constants.len();
                if vectors == 0 {
                    return Err(self.not_declared(register));
                }
                self.counted(operand, 1, "1")?;
                self.index(register, operand.indices.first(), 0, vectors as u64)
            }
            File::This => {
                self.counted(operand, 1, "1")?;
                self.index(RegisterName { file, number: 0 }, operand.indices.first(), 0, u64::from(u32::MAX))
            }
            File::Input if matches!(self.stage, Stage::Geometry | Stage::Hull) => self.attribute(operand, 2),
            File::InputControlPoint | File::OutputControlPoint => self.attribute(operand, 2),
            File::Input | File::Output | File::PatchConstant => self.attribute(operand, 1),
            _ => {
                self.counted(operand, 0, "0")?;
                let declared = self.attributes.contains_key(&(file, 0));
                if declared { Ok(()) } else { Err(self.not_declared(RegisterName { file, number: 0 })) }
            }
        }
    }

    /// Checks an input or output register; with two indices, the first selects the vertex.
    fn attribute(&self, operand: &Operand, dimensions: usize) -> Result<(), Rule> {
        let file = operand.file;
        // Geometry and hull shaders also have inputs of the whole primitive, which have no vertex index.
        let dimensions = if file == File::Input { operand.indices.len().clamp(1, dimensions) } else { dimensions };
        self.counted(operand, dimensions, if dimensions == 1 { "1" } else { "2" })?;
        if dimensions == 2 {
            let register = RegisterName { file, number: 0 };
            self.index(register, operand.indices.first(), 0, 32)?;
        }
        let Some(index) = operand.indices.last() else { return Ok(()) };
        match index.as_u32() {
            Some(number) => {
                let declared = self.attributes.contains_key(&(file, number));
                if declared { Ok(()) } else { Err(self.not_declared(RegisterName { file, number })) }
            }
            None => self.index(RegisterName { file, number: 0 }, Some(index), 0, 32),
        }
    }

    fn constant_buffer(&self, operand: &Operand) -> Result<(), Rule> {
        let file = operand.file;
        let dimensions = if self.model == Model::Sm5_1 { 3 } else { 2 };
        self.counted(operand, dimensions, if dimensions == 3 { "3" } else { "2" })?;
        let vector = operand.indices.last();
        let number = match operand.indices.first().map(|index| (index, index.as_u32())) {
            Some((_, Some(number))) => number,
            Some((index, None)) => {
                // Only class instances have buffers with computed numbers.
                self.computed_number(operand, index)?;
                return self.index(RegisterName { file, number: 0 }, vector, 0, 4096);
            }
            None => return Ok(()),
        };
        let register = RegisterName { file, number };
        let (range, vectors) = *self.constant_buffers.get(&number).ok_or(self.not_declared(register))?;
        self.in_range(operand, register, range)?;
        self.index(register, vector, 0, if vectors == 0 { 4096 } else { u64::from(vectors) })
    }

    /// Checks the number of indices.
    fn counted(&self, operand: &Operand, count: usize, expected: &'static str) -> Result<(), Rule> {
        let found = operand.indices.len();
        if found == count {
            return Ok(());
        }
        let file = operand.file.description();
        Err(Rule::IndexCount { operand: Box::new(operand.clone()), file, found, expected })
    }

    /// The register of an operand with a number and `more` further indices.
    fn number(&self, operand: &Operand, more: usize, expected: &'static str) -> Result<RegisterName, Rule> {
        self.counted(operand, 1 + more, expected)?;
        let number = operand.index_u32(0).ok_or_else(|| Rule::computed(operand))?;
        Ok(RegisterName { file: operand.file, number })
    }

    /// The register of an operand that must be of `file` and has a number only.
    pub(super) fn number_of(&self, operand: &Operand, file: File) -> Result<RegisterName, Rule> {
        if operand.file != file {
            return Err(Rule::wrong_file(operand, file.description()));
        }
        self.number(operand, 0, "1")
    }

    /// The range id of t#, u# or s#; `None` if it is computed.
    pub(super) fn ranged_number(&self, operand: &Operand) -> Result<Option<RegisterName>, Rule> {
        let dimensions = if self.model == Model::Sm5_1 { 2 } else { 1 };
        self.counted(operand, dimensions, if dimensions == 2 { "2" } else { "1" })?;
        match operand.indices.first() {
            Some(index) if index.relative.is_some() => {
                self.computed_number(operand, index)?;
                Ok(None)
            }
            _ => self.number(operand, dimensions - 1, "1").map(Some),
        }
    }

    /// Checks a computed number: only shaders with interfaces have them, of what classes may have as members.
    fn computed_number(&self, operand: &Operand, index: &Index) -> Result<(), Rule> {
        let file = operand.file;
        if self.declared.interfaces.is_empty() || self.model == Model::Sm5_1 || file == File::Uav {
            return Err(Rule::computed(operand));
        }
        self.index(RegisterName { file, number: 0 }, Some(index), 0, u64::from(u32::MAX))
    }

    /// Checks, in 5.1, that the register is within its range.
    pub(super) fn in_range(&self, operand: &Operand, register: RegisterName, range: RegisterRange) -> Result<(), Rule> {
        if self.model < Model::Sm5_1 {
            return Ok(());
        }
        let end = range.upper.map_or(1 << 32, |upper| u64::from(upper) + 1);
        self.index(register, operand.indices.get(1), u64::from(range.lower), end)
    }

    /// Checks that an index is at least `first` and below `end` if it is a number. If it is computed, checks the
    /// operand that it is computed from.
    fn index(&self, register: RegisterName, index: Option<&Index>, first: u64, end: u64) -> Result<(), Rule> {
        let Some(index) = index else { return Ok(()) };
        match &index.relative {
            Some(relative) => {
                self.value(relative)?;
                self.components(relative, 1 << relative.component(0))
            }
            None if (first..end).contains(&index.immediate) => Ok(()),
            None => {
                let last = end.saturating_sub(1);
                Err(Rule::Index { register, index: index.immediate, first, last })
            }
        }
    }

    /// Checks that these components of an input, output or array are declared. A computed number may select any.
    fn components(&self, operand: &Operand, used: u8) -> Result<(), Rule> {
        let file = operand.file;
        let number = match file {
            File::IndexableTemp => operand.index_u32(0),
            file if file.is_numbered() => operand.indices.last().and_then(Index::as_u32),
            _ => Some(0),
        };
        let declared = number.and_then(|number| match file {
            File::IndexableTemp => self.indexable_temps.get(&number).map(|array| (number, array.mask())),
            _ => self.attributes.get(&(file, number)).map(|declared| (number, *declared)),
        });
        let Some((number, declared)) = declared else { return Ok(()) };
        let missing = used & !declared;
        if missing == 0 {
            return Ok(());
        }
        let register = RegisterName { file, number };
        Err(Rule::ComponentsNotDeclared { register, missing: Mask(missing), declared: Mask(declared) })
    }
}

/// Checks that a swap has two destination registers.
fn swap(instruction: &Instruction) -> Result<(), Rule> {
    match instruction.operands.as_slice() {
        [first, second, ..] if !first.is_null() && (first.file, &first.indices) == (second.file, &second.indices) => {
            Err(Rule::SwappedWithItself { operand: Box::new(first.clone()) })
        }
        _ => Ok(()),
    }
}

/// The declared components of every input and output.
fn attributes(declared: &Declarations) -> HashMap<(File, u32), u8> {
    let inputs = declared.inputs.iter().map(|input| (input.file, input.register, input.mask));
    let outputs = declared.outputs.iter().map(|output| (output.file, output.register, output.mask));
    let mut attributes = HashMap::new();
    for (file, register, mask) in inputs.chain(outputs) {
        // A declaration without components declares all of them.
        *attributes.entry((file, register)).or_insert(0) |= if mask == 0 { 0xf } else { mask };
    }
    attributes
}

/// The components of a source that count, as far as the table says: of addresses at least the first does. Doubles are
/// read in pairs, whose declaration is not checked.
fn components_read(instruction: &Instruction, width: Width, operand: &Operand) -> u8 {
    let slots = instruction.op.info().slots;
    let is_double =
        |slot: &Slot| matches!(slot, Slot::Write { ty: Type::Double, .. } | Slot::Read { ty: Type::Double, .. });
    if slots.iter().any(is_double) {
        return 0;
    }
    let lanes = match (width, instruction.op) {
        (Width::Each, _) => instruction.destinations().fold(0, |lanes, operand| lanes | operand.mask()),
        (Width::Vector, Op::Dp2) => 0b11,
        (Width::Vector, Op::Dp3) => 0b111,
        (Width::Vector, Op::Dp4) => 0b1111,
        (Width::One | Width::Vector, _) => 1,
        (Width::PerDouble, _) => 0,
    };
    (0..4).filter(|lane| lanes & (1 << lane) != 0).fold(0, |used, lane| used | 1 << operand.component(lane))
}

/// Checks the swizzle of a double source: the pairs that are used must be whole doubles.
fn double_source(operand: &Operand, written: u8, op: Op) -> Result<(), Rule> {
    let swizzle = match operand.components {
        Components::Swizzle(swizzle) => swizzle,
        // Four words are two doubles; fewer serve as one double for both.
        _ if operand.file == File::Immediate64 || operand.file == File::Immediate32 => return Ok(()),
        _ => return Err(Rule::wrong_components(operand, "a swizzle")),
    };
    let is_narrow = op.info().slots.iter().any(|slot| matches!(slot, Slot::Write { width: Width::PerDouble, .. }));
    // A 32-bit result takes its doubles in order; a double takes its own pair.
    let used = if is_narrow {
        [written != 0, written.count_ones() > 1]
    } else {
        [written & 0b0011 != 0, written & 0b1100 != 0]
    };
    let whole = |low: u8, high: u8| matches!((low, high), (0, 1) | (2, 3));
    let [x, y, z, w] = swizzle;
    if (used[0] && !whole(x, y)) || (used[1] && !whole(z, w)) {
        return Err(Rule::DoubleSwizzle { operand: Box::new(operand.clone()) });
    }
    Ok(())
}
