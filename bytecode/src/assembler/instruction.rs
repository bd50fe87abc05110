//! Instructions: a mnemonic with what its token carries, and the operands of its row in the table.

use super::cursor::{Cursor, Read};
use super::error::{Problem, nearest};
use super::operand::{Role, operand};
use crate::sm5::codes::{ResinfoReturn, ResourceDimension, ReturnType};
use crate::sm5::instruction::{Instruction, ResourceHint, SyncFlags, Test};
use crate::sm5::ops::{Carries, Form, Slot};
use crate::sm5::{Op, RegisterFile};

/// Reads an instruction up to the end of its line.
pub(super) fn instruction(cursor: &mut Cursor<'_>) -> Read<Instruction> {
    let start = cursor.at();
    let mnemonic = cursor.word();
    let unknown = || {
        // A condition must say which of its values acts.
        let bare = op_named(mnemonic).map(|op| format!("{op}_nz"));
        let nearest = bare.or_else(|| nearest(mnemonic, Op::ALL.iter().map(|op| op.text())));
        Problem::Unknown { kind: "instruction", name: mnemonic.into(), nearest }
    };
    let mut head = Head::of(mnemonic).ok_or_else(|| cursor.error(start, unknown()))?;
    cursor.spaces();
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
        let mut operand = operand(cursor, Role::of(&slot))?;
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
        return Err(cursor.error(start, Problem::OperandCount { op, need: slots.len(), have: count }));
    }
    cursor.end_of_line()?;
    Ok(head.instruction)
}

fn at_end(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    matches!(cursor.peek(), None | Some('\n')) || rest.starts_with("//") || rest.starts_with("{")
}

/// What stands before the operands.
struct Head {
    instruction: Instruction,
    has_offsets: bool,
    has_resource: bool,
}

impl Head {
    /// Takes a mnemonic apart: the table's name, and what stands behind it.
    fn of(mnemonic: &str) -> Option<Self> {
        let mut name = mnemonic;
        let mut take = |suffix: &str| match name.strip_suffix(suffix) {
            // `_s` and `_c` are parts of names, and some names end in what is a suffix of others.
            Some(shorter) if op_named(name).is_none() => {
                name = shorter;
                true
            }
            _ => false,
        };
        let sync_flags = mnemonic.starts_with("sync").then(|| {
            let [threads, shared_memory, uav_group, uav_global] = ["_t", "_g", "_ugroup", "_uglobal"].map(&mut take);
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
        let fits = has(Carries::TEST) == test.is_some()
            && (!saturate || has(Carries::SAT) || has(Carries::SYNC))
            && (sync_flags.is_none() || has(Carries::SYNC))
            && match resinfo {
                ResinfoReturn::Float => true,
                ResinfoReturn::RcpFloat => has(Carries::RESINFO),
                ResinfoReturn::Uint => has(Carries::RESINFO) || has(Carries::SAMPLEINFO),
            };
        let instruction = Instruction {
            at: 0,
            op,
            saturate: saturate && has(Carries::SAT),
            precise: 0,
            test: test.unwrap_or(Test::NonZero),
            sync: sync_flags.unwrap_or_default(),
            resinfo,
            offsets: None,
            resource: None,
            returns: None,
            call_site: 0,
            operands: Vec::with_capacity(info.slots.len()),
            trailing: None,
        };
        fits.then_some(Self { instruction, has_offsets, has_resource })
    }

    /// What stands between mnemonic and operands: `[precise]`, offsets, the resource and its return types.
    fn rest(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        if cursor.eat("[precise") {
            self.instruction.precise = 0xf;
            if cursor.eat("(") {
                let start = cursor.at();
                let letters = cursor.word();
                let mask = letters.chars().try_fold(0, |mask, letter| Some(mask | 1 << "xyzw".find(letter)?));
                let problem = || Problem::Components { letters: letters.into() };
                self.instruction.precise = mask.ok_or_else(|| cursor.error(start, problem()))?;
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
    let text = cursor.until(&[',', ')']);
    let offset = text.parse().ok().filter(|offset| (-8..=7).contains(offset));
    let problem = || Problem::Number { text: text.into(), expected: "texel offset, which is -8 to 7" };
    let offset = offset.ok_or_else(|| cursor.error(start, problem()))?;
    cursor.spaces();
    Ok(offset)
}

/// `(structured_buffer, stride=16)`, `(texture2d)`.
fn resource_hint(cursor: &mut Cursor<'_>) -> Read<ResourceHint> {
    cursor.expect("(")?;
    let start = cursor.at();
    let name = cursor.word();
    let dimension = dimension(cursor, start, name)?;
    cursor.spaces();
    let mut stride_bytes = 0;
    if cursor.eat(",") {
        cursor.expect("stride=")?;
        let start = cursor.at();
        let stride = cursor.number()?;
        let problem = || Problem::Number { text: stride.to_string(), expected: "stride, which is at most 4095" };
        stride_bytes = u16::try_from(stride)
            .ok()
            .filter(|stride| *stride < 1 << 12)
            .ok_or_else(|| cursor.error(start, problem()))?;
    }
    cursor.expect(")")?;
    Ok(ResourceHint { dimension, stride_bytes })
}

/// The dimension with this name, which stood at `start`.
pub(super) fn dimension(cursor: &Cursor<'_>, start: usize, name: &str) -> Read<ResourceDimension> {
    let all = ResourceDimension::ALL;
    let problem = || {
        let nearest = nearest(name, all.iter().map(|dimension| dimension.text()));
        Problem::Unknown { kind: "resource dimension", name: name.into(), nearest }
    };
    all.iter().copied().find(|dimension| dimension.text() == name).ok_or_else(|| cursor.error(start, problem()))
}

/// `(float,float,float,float)`
pub(super) fn return_types(cursor: &mut Cursor<'_>) -> Read<[ReturnType; 4]> {
    let mut types = [ReturnType::Unused; 4];
    cursor.expect("(")?;
    for (n, returned) in types.iter_mut().enumerate() {
        if n > 0 {
            cursor.expect(",")?;
        }
        let start = cursor.at();
        let name = cursor.until(&[',', ')']);
        let all = ReturnType::ALL;
        let problem = || {
            let nearest = nearest(name, all.iter().map(|returned| returned.text()));
            Problem::Unknown { kind: "return type", name: name.into(), nearest }
        };
        let found = all.iter().copied().find(|returned| returned.text() == name);
        *returned = found.ok_or_else(|| cursor.error(start, problem()))?;
        cursor.spaces();
    }
    cursor.expect(")")?;
    Ok(types)
}
