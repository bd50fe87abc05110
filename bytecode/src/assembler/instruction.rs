//! Assembles instructions: a mnemonic with its modifiers, and the operands of its row in the table.

use super::cursor::{Cursor, Read};
use super::error::{AssembleError, Problem};
use super::literal::check;
use super::operand::{Role, operand};
use super::warning::Warnings;
use crate::sm5::codes::{ResinfoReturn, ResourceDimension, ReturnType};
use crate::sm5::instruction::{Instruction, ResourceHint, SyncFlags, Test};
use crate::sm5::literal::Number;
use crate::sm5::ops::{Carries, Form, Slot};
use crate::sm5::{Op, RegisterFile};

/// Reads an instruction up to the end of its line.
pub(super) fn instruction(cursor: &mut Cursor<'_>, warnings: &mut Warnings) -> Read<Instruction> {
    let start = cursor.at();
    let mnemonic = cursor.word();
    let mut head = match Head::of(mnemonic) {
        Some(Ok(head)) => head,
        Some(Err(problem)) => return Err(cursor.error(start, problem)),
        None => return Err(unknown(cursor, start, mnemonic)),
    };
    cursor.spaces();
    let op = head.instruction.op;
    operands(cursor, start, &mut head, warnings).map_err(|error| error.with_example(|| op.info().example()))?;
    Ok(head.instruction)
}

/// Reads the operands after the mnemonic.
fn operands(cursor: &mut Cursor<'_>, start: usize, head: &mut Head, warnings: &mut Warnings) -> Read<()> {
    head.rest(cursor)?;
    let op = head.instruction.op;
    let slots = op.info().slots;
    let mut count = 0;
    while !at_end(cursor) {
        if count > 0 {
            cursor.expect(",")?;
        }
        // More operands than the row has are counted for the message.
        let slot = slots.get(count).copied().unwrap_or(Slot::Label);
        let operand_start = cursor.at();
        let mut operand = operand(cursor, Role::of(&slot))?;
        if matches!(operand.file, RegisterFile::Immediate32 | RegisterFile::Immediate64) {
            check(cursor, operand_start, Number::of(op), Some(&slot), warnings)?;
        }
        if slot == Slot::Interface && operand.file == RegisterFile::Interface {
            // The last index is the call site, which has a word of its own.
            let site = operand.indices.pop().and_then(|index| index.as_u32());
            head.instruction.call_site =
                site.ok_or_else(|| cursor.expected("the number of a call site in brackets"))?;
        }
        head.instruction.operands.push(operand);
        count += 1;
    }
    if cursor.eat("{") {
        cursor.expect("trailing")?;
        head.instruction.trailing = Some(cursor.number()?);
        cursor.expect("}")?;
    }
    if count != slots.len() {
        let problem = Problem::OperandCount { op: op.text(), need: slots.len(), have: count };
        return Err(cursor.error(start, problem));
    }
    cursor.end_of_line()
}

/// Names of instructions in other languages and versions, with their names here.
const OTHER_NAMES: [(&str, &str); 8] = [
    ("fadd", "add"),
    ("fmul", "mul"),
    ("fdiv", "div"),
    ("sub", "add r0.x, r1.x, -r2.x"),
    ("isub", "iadd r0.x, r1.x, -r2.x"),
    ("cmp", "movc"),
    ("barrier", "sync_g_t"),
    ("texld", "sample"),
];

/// The suffixes that the name of an instruction may have, in this order.
const MODIFIERS: [&str; 7] = ["_sat", "_z", "_nz", "_aoffimmi", "_indexable", "_uint", "_rcpfloat"];

/// Suffixes of `sync` for the accesses and threads it waits for, in this order: UAVs of the device or of the group,
/// shared memory, threads.
const SYNC: [&str; 4] = ["_uglobal", "_ugroup", "_g", "_t"];

/// An error about an unknown mnemonic.
fn unknown(cursor: &Cursor<'_>, start: usize, mnemonic: &str) -> AssembleError {
    const LONGEST: usize = 40;
    // A conditional instruction needs `_z` or `_nz`, so that its bare name is invalid.
    let bare = op_named(mnemonic).map(|op| op.info().mnemonic());
    let other = OTHER_NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(mnemonic)).map(|(_, here)| *here);
    if let Some(here) = bare.as_deref().or(other) {
        let problem = Problem::Unknown { kind: "instruction", name: mnemonic.into(), nearest: Some(here.into()) };
        return cursor.error(start, problem);
    }
    let instructions = Op::ALL.iter().filter(|op| op.info().form == Form::Instruction);
    let written: Vec<String> = instructions.map(|op| op.info().mnemonic()).collect();
    let error = cursor.unknown(start, "instruction", written.iter().map(String::as_str));
    // Split after the longest instruction name that it begins with.
    let splits = mnemonic.match_indices('_').map(|(at, _)| at).take_while(|at| *at < LONGEST);
    let stem = splits.filter(|at| op_named(&mnemonic[..*at]).is_some()).last();
    let (Some(stem), false) = (stem, error.has_nearest()) else { return error };
    let known = match &mnemonic[..stem] {
        "sync" => &SYNC[..],
        _ => &MODIFIERS,
    };
    let mut given = Vec::new();
    let mut reader = cursor.clone();
    reader.seek(start + stem);
    for part in mnemonic[stem + 1..].split('_') {
        let modifier_at = reader.at();
        reader.seek(modifier_at + 1 + part.len());
        given.push(reader.since(modifier_at));
        if !known.contains(&reader.since(modifier_at)) {
            return reader.unknown(modifier_at, "modifier", known.iter().copied());
        }
    }
    // All of them are known, so that only their order can be wrong.
    let in_order = known.iter().filter(|modifier| given.contains(modifier)).copied();
    let nearest = Some([&mnemonic[..stem]].into_iter().chain(in_order).collect());
    cursor.error(start, Problem::Unknown { kind: "instruction", name: mnemonic.into(), nearest })
}

fn at_end(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    matches!(cursor.peek(), None | Some('\n')) || rest.starts_with("//") || rest.starts_with("{")
}

/// The parts of an instruction before its operands.
struct Head {
    instruction: Instruction,
    has_offsets: bool,
    has_resource: bool,
}

impl Head {
    /// Takes a mnemonic apart: a name of the table, and its suffixes. `None` if it has no such name.
    fn of(mnemonic: &str) -> Option<Result<Self, Problem>> {
        let mut name = mnemonic;
        let mut take = |suffix: &str| match name.strip_suffix(suffix) {
            // `_s` and `_c` are parts of names, and some names end in a suffix of others.
            Some(shorter) if op_named(name).is_none() => {
                name = shorter;
                true
            }
            _ => false,
        };
        let sync_flags = mnemonic.starts_with("sync").then(|| {
            let mut flags = SYNC;
            flags.reverse();
            let [threads, shared_memory, uav_group, uav_global] = flags.map(&mut take);
            SyncFlags { threads, shared_memory, uav_group, uav_global }
        });
        let resinfo = if take("_uint") {
            ResinfoReturn::Uint
        } else if take("_rcpfloat") {
            ResinfoReturn::RcpFloat
        } else {
            ResinfoReturn::Float
        };
        let has_resource = take("_indexable");
        let has_offsets = take("_aoffimmi");
        let test = if take("_z") { Some(Test::Zero) } else { take("_nz").then_some(Test::NonZero) };
        let saturate = take("_sat");
        // fxc prints `_sat` for the bit that `_ugroup` has, and nothing else where `_uglobal` is set too.
        let sync_flags = sync_flags.map(|flags| SyncFlags { uav_group: flags.uav_group || saturate, ..flags });
        let op = op_named(name)?;
        let info = op.info();
        let has = |what: Carries| info.carries.has(what);
        if has(Carries::TEST) && test.is_none() {
            // It needs `_z` or `_nz`, so that the bare name is invalid.
            return None;
        }
        let misplaced = [
            (test.is_some() && !has(Carries::TEST), if test == Some(Test::Zero) { "_z" } else { "_nz" }),
            (saturate && !(has(Carries::SAT) || has(Carries::SYNC)), "_sat"),
            (resinfo == ResinfoReturn::RcpFloat && !has(Carries::RESINFO), "_rcpfloat"),
            (resinfo == ResinfoReturn::Uint && !(has(Carries::RESINFO) || has(Carries::SAMPLEINFO)), "_uint"),
        ];
        if let Some((_, modifier)) = misplaced.into_iter().find(|(is_misplaced, _)| *is_misplaced) {
            return Some(Err(Problem::Modifier { op: op.text(), modifier }));
        }
        let mut instruction = Instruction::new(0, op);
        instruction.saturate = saturate && has(Carries::SAT);
        instruction.test = test.unwrap_or(Test::NonZero);
        instruction.sync = sync_flags.unwrap_or_default();
        instruction.resinfo = resinfo;
        Some(Ok(Self { instruction, has_offsets, has_resource }))
    }

    /// Reads the parts between mnemonic and operands: `[precise]`, offsets, the resource and its return types.
    fn rest(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        if cursor.eat("[precise") {
            self.instruction.precise = 0xf;
            if cursor.eat("(") {
                let start = cursor.at();
                let letters = cursor.word();
                let mask = letters.chars().try_fold(0, |mask, letter| Some(mask | 1 << "xyzw".find(letter)?));
                self.instruction.precise = mask.filter(|mask| *mask != 0).ok_or_else(|| cursor.no_components(start))?;
                cursor.expect(")")?;
            }
            cursor.expect("]")?;
        }
        if self.has_offsets {
            let mut offsets = [0; 3];
            cursor.expect("(")?;
            for (n, offset) in offsets.iter_mut().enumerate() {
                if n > 0 {
                    cursor.expect(",")?;
                }
                *offset = texel_offset(cursor)?;
            }
            cursor.expect(")")?;
            self.instruction.offsets = Some(offsets);
        }
        if self.has_resource {
            self.instruction.resource = Some(resource_hint(cursor)?);
        }
        if cursor.rest().starts_with('(') {
            self.instruction.returns = Some(return_types(cursor)?);
        }
        // `resinfo_indexable(texture2d)(float,float,float,float)_uint`
        for returned in [ResinfoReturn::Uint, ResinfoReturn::RcpFloat] {
            if cursor.rest().strip_prefix('_').is_some_and(|rest| rest.starts_with(returned.text())) {
                cursor.word();
                cursor.spaces();
                self.instruction.resinfo = returned;
            }
        }
        Ok(())
    }
}

/// The instruction with this name.
fn op_named(name: &str) -> Option<Op> {
    Op::ALL.iter().copied().find(|op| op.text() == name && op.info().form == Form::Instruction)
}

fn texel_offset(cursor: &mut Cursor<'_>) -> Read<i8> {
    let start = cursor.at();
    let offset = cursor.until(&[',', ')']).parse().ok().filter(|offset| (-8..=7).contains(offset));
    let offset = offset.ok_or_else(|| cursor.no_number(start, "texel offset, which is -8 to 7"))?;
    cursor.spaces();
    Ok(offset)
}

/// `(structured_buffer, stride=16)`, `(texture2d)`.
fn resource_hint(cursor: &mut Cursor<'_>) -> Read<ResourceHint> {
    cursor.expect("(")?;
    let dimension = cursor.named("resource dimension", dimensions())?;
    let mut stride_bytes = 0;
    if cursor.eat(",") {
        cursor.expect("stride=")?;
        let start = cursor.at();
        let stride = u16::try_from(cursor.number()?).ok().filter(|stride| *stride < 1 << 12);
        stride_bytes = stride.ok_or_else(|| cursor.no_number(start, "stride, which is at most 4095"))?;
    }
    cursor.expect(")")?;
    Ok(ResourceHint { dimension, stride_bytes })
}

/// The dimensions and their names.
pub(super) fn dimensions() -> impl Iterator<Item = (ResourceDimension, &'static str)> + Clone {
    ResourceDimension::ALL.iter().map(|dimension| (*dimension, dimension.text()))
}

/// `(float,float,float,float)`
pub(super) fn return_types(cursor: &mut Cursor<'_>) -> Read<[ReturnType; 4]> {
    let mut types = [ReturnType::Unused; 4];
    cursor.expect("(")?;
    for (n, returned) in types.iter_mut().enumerate() {
        if n > 0 {
            cursor.expect(",")?;
        }
        let known = || ReturnType::ALL.iter().map(|returned| (*returned, returned.text()));
        let start = cursor.at();
        let name = cursor.until(&[',', ')']);
        let found = known().find(|(_, text)| *text == name);
        let unknown = || cursor.unknown(start, "return type", known().map(|(_, text)| text));
        *returned = found.ok_or_else(unknown)?.0;
        cursor.spaces();
    }
    cursor.expect(")")?;
    Ok(types)
}
