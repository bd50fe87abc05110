//! Changes a decoded program in ways that a hand or a broken compiler could have: most results can be encoded again,
//! and reach the rules between declarations and uses.

use brolga_bytecode::sm5::codes::{ResinfoReturn, ResourceDimension, ReturnType, SamplerMode};
use brolga_bytecode::sm5::instruction::{ResourceHint, SyncFlags, Test};
use brolga_bytecode::sm5::ops::{Form, Slot};
use brolga_bytecode::sm5::{
    Components, CustomContent, Declaration, DeclarationKind, Index, IndexForm, Instruction, ItemKind, Op, Operand,
    Program, RegisterFile, RegisterRange, ResourceKind,
};

use crate::random::Random;

/// Numbers near a limit somewhere.
const NUMBERS: [u32; 22] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 31, 64, 128, 768, 1024, 1025, 2048, 4096, 32 << 10, u32::MAX];

/// Makes one to three changes.
pub fn change(program: &mut Program, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        match random.below(10) {
            0..=3 => declaration(program, random),
            4..=8 => instruction(program, random),
            _ => order(program, random),
        }
    }
}

/// The position of a random item that `is_meant`.
fn pick(program: &Program, random: &mut Random, is_meant: impl Fn(&ItemKind) -> bool) -> Option<usize> {
    let meant: Vec<usize> = (0..program.items.len()).filter(|&n| is_meant(&program.items[n].kind)).collect();
    (!meant.is_empty()).then(|| random.pick(&meant))
}

/// Leaves an item out, has it twice, or has it elsewhere.
fn order(program: &mut Program, random: &mut Random) {
    let Some(position) = pick(program, random, |_| true) else { return };
    let other = random.below(program.items.len());
    match random.below(4) {
        0 => drop(program.items.remove(position)),
        1 => program.items.insert(position, program.items[position].clone()),
        2 => program.items.insert(other, program.items[position].clone()),
        _ => program.items.swap(position, other),
    }
}

fn number(old: u32, random: &mut Random) -> u32 {
    match random.below(6) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => old / 2,
        3 => old.wrapping_mul(2),
        _ => random.pick(&NUMBERS),
    }
}

fn kind(random: &mut Random) -> ResourceKind {
    match random.below(4) {
        0 => ResourceKind::Raw,
        1 => ResourceKind::Structured { stride_bytes: stride(random) },
        _ => ResourceKind::Typed {
            dimension: random.pick(ResourceDimension::ALL),
            samples: random.pick(&[0, 0, 1, 4]),
            returns: returns(random),
        },
    }
}

fn stride(random: &mut Random) -> u32 {
    if random.one_in(4) { random.pick(&NUMBERS) } else { 4 * (1 + random.below(20) as u32) }
}

fn returns(random: &mut Random) -> [ReturnType; 4] {
    let same = [random.pick(ReturnType::ALL); 4];
    if random.one_in(4) { same.map(|_| random.pick(ReturnType::ALL)) } else { same }
}

fn range(range: &mut RegisterRange, random: &mut Random) {
    match random.below(4) {
        0 => range.lower = number(range.lower, random),
        1 => range.upper = range.upper.map(|upper| number(upper, random)),
        2 => range.space = number(range.space, random),
        _ => range.id = number(range.id, random),
    }
    if range.upper.is_some_and(|upper| upper < range.lower) {
        range.upper = Some(range.lower);
    }
}

fn declaration(program: &mut Program, random: &mut Random) {
    let is_declared = |kind: &ItemKind| match kind {
        ItemKind::Declaration(_) => true,
        ItemKind::CustomData(data) => matches!(data.content, CustomContent::ImmediateConstantBuffer(_)),
        ItemKind::Instruction(_) => false,
    };
    let Some(position) = pick(program, random, is_declared) else { return };
    match &mut program.items[position].kind {
        ItemKind::Declaration(declaration) => declared(declaration, random),
        ItemKind::CustomData(data) => {
            if let CustomContent::ImmediateConstantBuffer(vectors) = &mut data.content {
                vectors.truncate(random.below(vectors.len() + 1));
            }
        }
        ItemKind::Instruction(_) => {}
    }
}

fn declared(declaration: &mut Declaration, random: &mut Random) {
    let coin = random.one_in(2);
    match &mut declaration.kind {
        DeclarationKind::GlobalFlags(flags) => flags.0 ^= 1 << (11 + random.below(9)),
        DeclarationKind::Resource { range: of, kind: old } => match random.below(5) {
            0 => range(of, random),
            1 if matches!(old, ResourceKind::Typed { .. }) => alter(old, random),
            _ => {
                *old = kind(random);
                declaration.op = match old {
                    ResourceKind::Raw => Op::DclResourceRaw,
                    ResourceKind::Structured { .. } => Op::DclResourceStructured,
                    ResourceKind::Typed { .. } => Op::DclResource,
                };
            }
        },
        DeclarationKind::Uav { range: of, kind: old, flags } => match random.below(6) {
            0 => range(of, random),
            1 => flags.counter ^= true,
            2 => flags.globally_coherent ^= true,
            3 if matches!(old, ResourceKind::Typed { .. }) => alter(old, random),
            _ => {
                *old = kind(random);
                declaration.op = match old {
                    ResourceKind::Raw => Op::DclUavRaw,
                    ResourceKind::Structured { .. } => Op::DclUavStructured,
                    ResourceKind::Typed { .. } => Op::DclUavTyped,
                };
            }
        },
        DeclarationKind::Sampler { range: of, mode } => match coin {
            true => *mode = random.pick(SamplerMode::ALL),
            false => range(of, random),
        },
        DeclarationKind::ConstantBuffer { range: of, vectors, dynamic } => match random.below(3) {
            0 => range(of, random),
            1 => *dynamic ^= true,
            _ => *vectors = number(*vectors, random),
        },
        DeclarationKind::Input { operand: of, .. } | DeclarationKind::Output { operand: of, .. } => operand(of, random),
        DeclarationKind::IndexRange { count, .. } | DeclarationKind::Temps { count } => *count = number(*count, random),
        DeclarationKind::IndexableTemp { register, count, components } => match random.below(4) {
            0 => *register = number(*register, random),
            1 => *components = random.below(6) as u32,
            _ => *count = number(*count, random),
        },
        DeclarationKind::ThreadGroup { size } => {
            let axis = random.below(3);
            size[axis] = number(size[axis], random);
        }
        DeclarationKind::TgsmRaw { register, bytes } => {
            let (register, bytes) = (*register, number(*bytes, random));
            if coin {
                declaration.kind = DeclarationKind::TgsmRaw { register, bytes };
            } else {
                declaration.op = Op::DclTgsmStructured;
                let stride_bytes = stride(random);
                let count = bytes / stride_bytes.max(1);
                declaration.kind = DeclarationKind::TgsmStructured { register, stride_bytes, count };
            }
        }
        DeclarationKind::TgsmStructured { register, stride_bytes, count } => match random.below(4) {
            0 => *count = number(*count, random),
            1 => *register = number(*register, random),
            2 => *stride_bytes = stride(random),
            _ => {
                let (register, bytes) = (*register, stride_bytes.wrapping_mul(*count));
                declaration.op = Op::DclTgsmRaw;
                declaration.kind = DeclarationKind::TgsmRaw { register, bytes };
            }
        },
        DeclarationKind::FunctionBody { body } => *body = number(*body, random),
        DeclarationKind::FunctionTable { table, bodies } => match (coin, bodies.as_mut_slice()) {
            (true, []) | (false, _) => *table = number(*table, random),
            (true, bodies) => {
                let n = random.below(bodies.len());
                bodies[n] = number(bodies[n], random);
            }
        },
        DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables } => match random.below(5) {
            0 => *interface = number(*interface, random),
            1 => *dynamic ^= true,
            2 => *call_sites = number(*call_sites, random),
            3 => *array_length = number(*array_length, random) & 0xffff,
            _ => tables.truncate(random.below(tables.len() + 1)),
        },
        // Declarations of other stages.
        DeclarationKind::InputPrimitive { .. }
        | DeclarationKind::OutputTopology(_)
        | DeclarationKind::MaxOutputVertexCount(_)
        | DeclarationKind::GsInstances(_)
        | DeclarationKind::Stream { .. }
        | DeclarationKind::InputControlPointCount(_)
        | DeclarationKind::OutputControlPointCount(_)
        | DeclarationKind::TessellatorDomain(_)
        | DeclarationKind::TessellatorPartitioning(_)
        | DeclarationKind::TessellatorOutput(_)
        | DeclarationKind::HsMaxTessFactor(_)
        | DeclarationKind::ForkInstanceCount(_)
        | DeclarationKind::JoinInstanceCount(_) => {}
    }
}

/// Another dimension or another return type of something typed.
fn alter(kind: &mut ResourceKind, random: &mut Random) {
    if let ResourceKind::Typed { dimension, returns: old, .. } = kind {
        match random.one_in(2) {
            true => *dimension = random.pick(ResourceDimension::ALL),
            false => *old = returns(random),
        }
    }
}

fn instruction(program: &mut Program, random: &mut Random) {
    let Some(position) = pick(program, random, |kind| matches!(kind, ItemKind::Instruction(_))) else { return };
    let donors: Vec<Operand> = program.items.iter().flat_map(|item| operands(&item.kind)).cloned().collect();
    let ItemKind::Instruction(changed) = &mut program.items[position].kind else { return };
    let count = changed.operands.len();
    match random.below(12) {
        0 | 1 => relative(changed, random),
        2 => carried(changed, random),
        _ if count == 0 => carried(changed, random),
        3 => {
            let (a, b) = (random.below(count), random.below(count));
            changed.operands.swap(a, b);
        }
        4 | 5 => {
            let n = random.below(count);
            changed.operands[n] = donors[random.below(donors.len())].clone();
        }
        6 => index(&mut changed.operands[random.below(count)], &donors, random),
        _ => operand(&mut changed.operands[random.below(count)], random),
    }
}

fn operands(kind: &ItemKind) -> &[Operand] {
    match kind {
        ItemKind::Instruction(instruction) => &instruction.operands,
        ItemKind::Declaration(_) | ItemKind::CustomData(_) => &[],
    }
}

/// Another opcode whose operands are of the same forms.
fn relative(instruction: &mut Instruction, random: &mut Random) {
    let form = |slot: &Slot| std::mem::discriminant(slot);
    let own = instruction.op.info();
    let is_relative = |op: &&Op| {
        let other = op.info();
        other.form == Form::Instruction && other.slots.iter().map(form).eq(own.slots.iter().map(form))
    };
    let relatives: Vec<Op> = Op::ALL.iter().filter(is_relative).copied().collect();
    instruction.op = random.pick(&relatives);
}

/// The data that an instruction has besides its operands.
fn carried(instruction: &mut Instruction, random: &mut Random) {
    let bits = random.bits();
    let bit = |n: u32| bits >> n & 1 != 0;
    match random.below(9) {
        0 => instruction.saturate ^= true,
        1 => instruction.precise = bits as u8 & 0xf,
        2 => instruction.test = if bit(0) { Test::Zero } else { Test::NonZero },
        3 => {
            instruction.sync =
                SyncFlags { threads: bit(0), shared_memory: bit(1), uav_group: bit(2), uav_global: bit(3) }
        }
        4 => instruction.resinfo = random.pick(ResinfoReturn::ALL),
        5 => instruction.offsets = Some([0, 1, 2].map(|_| random.below(16) as i8 - 8)),
        6 => {
            let dimension = random.pick(ResourceDimension::ALL);
            instruction.resource = Some(ResourceHint { dimension, stride_bytes: stride(random) as u16 & 0xfff });
        }
        7 => instruction.returns = Some(returns(random)),
        _ => instruction.call_site = number(instruction.call_site, random),
    }
}

/// Another file, register, choice of components, modifier or number.
fn operand(operand: &mut Operand, random: &mut Random) {
    match random.below(8) {
        0 => operand.file = random.pick(RegisterFile::ALL),
        1 | 2 if !operand.indices.is_empty() => {
            let n = random.below(operand.indices.len());
            let index = &mut operand.indices[n];
            index.immediate = u64::from(number(index.immediate as u32, random));
            // An index without a number of its own gets one.
            if index.form == IndexForm::Relative {
                index.form = IndexForm::Relative32;
            }
        }
        3 => operand.negate ^= true,
        4 => operand.absolute ^= true,
        5 if !operand.immediate.is_empty() => {
            let n = random.below(operand.immediate.len());
            operand.immediate[n] = random.word();
        }
        _ => {
            let bits = random.bits();
            let component = |n: usize| (bits >> (2 * n) & 3) as u8;
            operand.components = match random.below(6) {
                0 => Components::None,
                1 => Components::Select(component(0)),
                2 | 3 => Components::Mask(bits as u8 & 0xf),
                _ => Components::Swizzle([component(0), component(1), component(2), component(3)]),
            };
            // The words of a literal are as many as its components.
            if matches!(operand.file, RegisterFile::Immediate32 | RegisterFile::Immediate64) {
                let words = if operand.file == RegisterFile::Immediate64 { 2 } else { 1 };
                let is_scalar = bits >> 32 & 1 != 0;
                operand.components = if is_scalar { Components::One } else { Components::Swizzle([0, 1, 2, 3]) };
                operand.immediate.resize(if is_scalar { words } else { 4 }, bits as u32);
            }
        }
    }
}

/// One index more or less, or one that is computed.
fn index(operand: &mut Operand, donors: &[Operand], random: &mut Random) {
    match random.below(4) {
        0 => drop(operand.indices.pop()),
        1 if operand.indices.len() < 3 => operand.indices.push(Index::number(random.below(4) as u32)),
        _ if operand.indices.is_empty() => {}
        _ => {
            let n = random.below(operand.indices.len());
            let mut from = donors[random.below(donors.len())].clone();
            from.components = Components::Select(random.below(4) as u8);
            // An index within an index is as deep as it goes.
            if from.indices.iter().any(|index| index.relative.is_some()) || !from.immediate.is_empty() {
                return;
            }
            let immediate = u64::from(random.pick(&[0, 1, 2, 4095, u32::MAX]));
            operand.indices[n] = Index { form: IndexForm::Relative32, immediate, relative: Some(Box::new(from)) };
        }
    }
}
