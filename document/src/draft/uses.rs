//! Follows a shader's instructions, where names do not tell: which constants are integers, which are held against whole
//! vectors, as the rows of matrices are, and which have part in a vertex's position; how long it runs, whether threads
//! wait for none, and whether inputs are evaluated at samples.

use std::collections::BTreeSet;

use brolga_bytecode::sm3::{self, Usage};
use brolga_bytecode::sm5::ops::{Op, Slot, Type};
use brolga_bytecode::sm5::{self, RegisterFile};

/// A vector of constants: its buffer, and its number there.
pub(super) type Vector = (u32, u32);

/// The facts about the constants.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Buffers, and the words in them that are read as integers.
    pub integers: BTreeSet<(u32, usize)>,
    /// Vectors that a dot product has, and not factors of their own.
    pub dotted: BTreeSet<Vector>,
    /// Vectors that the position of a vertex depends on.
    pub placing: BTreeSet<Vector>,
    /// About how many instructions a thread does, if a loop goes round eight times.
    pub cost: u64,
    /// Set if it loops.
    pub has_loops: bool,
    /// Set if results depend on which thread comes first: they are told what an atomic found, or read what others may
    /// write.
    pub is_racing: bool,
    /// Set if it evaluates inputs elsewhere in a pixel than they are interpolated.
    pub evaluates: bool,
}

/// How often a loop goes round.
const ROUNDS: u64 = 8;

/// The values that are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Temp(u32),
    Constant(Vector),
    Position,
    Other,
}

/// An instruction, as far as it is followed here.
struct Step {
    /// 1 where a block ends, -1 where it begins.
    nesting: i32,
    /// With the components.
    writes: Vec<(Place, u8)>,
    /// With the component for each lane.
    reads: Vec<(Place, [u8; 4])>,
    /// `true` if lanes have nothing to do with each other.
    is_by_lane: bool,
    is_dot: bool,
}

impl Uses {
    /// Those of a shader of Direct3D 11, whose output `position` is where a vertex is.
    pub fn of_direct3d11(program: &sm5::Program, position: Option<u32>) -> Self {
        let mut uses = Self::default();
        let place = |operand: &sm5::Operand| match operand.file {
            RegisterFile::Temp => operand.index_u32(0).map_or(Place::Other, Place::Temp),
            RegisterFile::Output if position.is_some() && operand.index_u32(0) == position => Place::Position,
            // Before the vector is the register, and before that from 5.1 on the range.
            RegisterFile::ConstantBuffer => match operand.indices.len() {
                count @ 2.. => match (operand.index_u32(count - 2), operand.index_u32(count - 1)) {
                    (Some(buffer), Some(vector)) => Place::Constant((buffer, vector)),
                    _ => Place::Other,
                },
                _ => Place::Other,
            },
            _ => Place::Other,
        };
        let mut steps = Vec::new();
        let (mut depth, mut written, mut read) = (0, Vec::new(), Vec::new());
        for item in &program.items {
            let sm5::ItemKind::Instruction(instruction) = &item.kind else { continue };
            let lanes = |operand: &sm5::Operand| [0, 1, 2, 3].map(|lane| operand.component(lane));
            for (slot, operand) in instruction.slots() {
                if let (Slot::Read { ty: Type::Int | Type::Uint, .. }, Place::Constant((buffer, vector))) =
                    (slot, place(operand))
                {
                    let words = lanes(operand).map(|lane| (buffer, vector as usize * 4 + usize::from(lane)));
                    uses.integers.extend(words);
                }
            }
            match instruction.op {
                Op::Loop => depth += 1,
                Op::EndLoop => depth -= 1,
                _ => {}
            }
            uses.has_loops |= depth > 0;
            uses.evaluates |= matches!(instruction.op, Op::EvalSnapped | Op::EvalSampleIndex | Op::EvalCentroid);
            uses.cost = uses.cost.saturating_add(ROUNDS.saturating_pow(depth.clamp(0, 16) as u32));
            let view = |(slot, operand): (&Slot, &sm5::Operand)| {
                let view = (operand.file == RegisterFile::Uav).then(|| operand.index_u32(0));
                view.map(|view| (view, matches!(slot, Slot::Store(_))))
            };
            let address = instruction.slots().find(|(slot, _)| matches!(slot, Slot::Read { .. }));
            let address = address.map(|(_, operand)| (operand.file, operand.indices.clone(), operand.component(0)));
            // Extents are nobody's.
            let is_access = !matches!(instruction.op, Op::ResInfo | Op::BufInfo);
            for (view, is_written) in instruction.slots().filter_map(view).filter(|_| is_access) {
                let is_told = instruction.op.text().starts_with("imm_atomic") || instruction.op == Op::AtomicCmpStore;
                uses.is_racing |= is_told;
                if is_written { &mut written } else { &mut read }.push((view, address.clone()));
            }
            steps.push(Step {
                nesting: match instruction.op {
                    Op::If | Op::Loop | Op::Switch => -1,
                    Op::EndIf | Op::EndLoop | Op::EndSwitch => 1,
                    _ => 0,
                },
                writes: instruction.destinations().map(|operand| (place(operand), operand.mask())).collect(),
                reads: instruction.sources().map(|operand| (place(operand), lanes(operand))).collect(),
                is_by_lane: matches!(instruction.op, Op::Mov | Op::MovC | Op::Add | Op::Mul | Op::Mad),
                is_dot: matches!(instruction.op, Op::Dp2 | Op::Dp3 | Op::Dp4),
            });
        }
        // What it writes in the same place is its own.
        let is_foreign =
            |one: &(Option<u32>, _)| written.iter().any(|(view, _)| *view == one.0) && !written.contains(one);
        uses.is_racing |= read.iter().any(is_foreign);
        // Where threads write places of their own, another place is another's.
        let is_own = |address: &Option<(RegisterFile, _, _)>| {
            address.as_ref().is_some_and(|(file, ..)| *file == RegisterFile::ThreadId)
        };
        let is_taken = |one: &(Option<u32>, _)| written.iter().any(|other| other.0 == one.0 && other.1 != one.1);
        uses.is_racing |= written.iter().any(|one| is_own(&one.1) && is_taken(one));
        uses.follow(&steps);
        uses
    }

    /// Those of a shader of Direct3D 9, whose floats are buffer 0.
    pub fn of_direct3d9(program: &sm3::Program) -> Self {
        use sm3::ops::Slot;
        use sm3::{ItemKind, Op, Operand, RegisterFile};
        let position = program.items.iter().find_map(|item| match &item.kind {
            ItemKind::Declaration(declaration) => {
                let register = declaration.register.register;
                let is_it = declaration.usage() == Some(Usage::Position) && declaration.usage_index() == 0;
                (is_it && register.file == RegisterFile::Output).then_some(register)
            }
            _ => None,
        });
        let place = |register: sm3::Register| match register.file {
            RegisterFile::Temp => Place::Temp(register.number.into()),
            RegisterFile::Const => Place::Constant((0, register.number.into())),
            RegisterFile::Rasterizer if register.number == 0 => Place::Position,
            _ if Some(register) == position => Place::Position,
            _ => Place::Other,
        };
        let mut steps = Vec::new();
        for item in &program.items {
            let ItemKind::Instruction(instruction) = &item.kind else { continue };
            let (mut writes, mut reads, mut is_dot) =
                (Vec::new(), Vec::new(), matches!(instruction.op, Op::Dp3 | Op::Dp4));
            for (slot, operand) in instruction.slots().filter(|(_, operand)| operand.relative().is_none()) {
                match operand {
                    Operand::Destination(destination) => writes.push((place(destination.register), destination.mask)),
                    Operand::Source(source) => {
                        let rows = if let Slot::Matrix(rows) = slot { rows } else { 1 };
                        is_dot |= rows > 1;
                        let row =
                            |n| sm3::Register { number: source.register.number.saturating_add(n), ..source.register };
                        let all = (0..u16::from(rows)).map(|n| (place(row(n)), source.swizzle.components()));
                        reads.extend(all);
                    }
                }
            }
            steps.push(Step {
                nesting: match instruction.op {
                    Op::If | Op::IfC | Op::Loop | Op::Rep => -1,
                    Op::EndIf | Op::EndLoop | Op::EndRep => 1,
                    _ => 0,
                },
                writes,
                reads,
                is_by_lane: matches!(instruction.op, Op::Mov | Op::Add | Op::Sub | Op::Mul | Op::Mad),
                is_dot,
            });
        }
        let mut uses = Self::default();
        uses.follow(&steps);
        uses
    }

    /// Finds what dot products read, and from the last instruction back what the position is made of.
    fn follow(&mut self, steps: &[Step]) {
        let mut needed = BTreeSet::new();
        let mut nesting = 0;
        for step in steps.iter().rev() {
            nesting += step.nesting;
            let mut lanes = 0;
            for &(place, mask) in &step.writes {
                for lane in (0..4).filter(|lane| mask >> lane & 1 != 0) {
                    match place {
                        Place::Position => lanes |= 1 << lane,
                        Place::Temp(number) if needed.contains(&(number, lane)) => {
                            lanes |= 1 << lane;
                            // What a branch may leave as it was is still needed before it.
                            if nesting == 0 {
                                needed.remove(&(number, lane));
                            }
                        }
                        _ => {}
                    }
                }
            }
            for &(place, components) in &step.reads {
                if let (Place::Constant(vector), true) = (place, step.is_dot) {
                    self.dotted.insert(vector);
                }
                for lane in (0..4).filter(|lane| lanes != 0 && (!step.is_by_lane || lanes >> lane & 1 != 0)) {
                    match place {
                        Place::Constant(vector) => drop(self.placing.insert(vector)),
                        Place::Temp(number) => drop(needed.insert((number, components[lane]))),
                        _ => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(text: &str, position: Option<u32>) -> Uses {
        let limits = Default::default();
        let bytes = brolga_bytecode::assembler::assemble(text, &limits).unwrap().bytes;
        let container = brolga_bytecode::container::Container::parse(&bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        Uses::of_direct3d11(&sm5::decode(chunk.data, chunk.at, &limits).unwrap(), position)
    }

    #[test]
    fn words_of_integers_are_found_where_nothing_is_named() {
        let text = "ps_5_0\ndcl_constantbuffer cb2[3], immediateIndexed\ndcl_output o0.xyzw\ndcl_temps 1\n\
                    ult r0.x, r0.y, cb2[1].z\nmul o0.xyzw, r0.xxxx, cb2[2].xyzw\nret\n";
        assert_eq!(uses(text, None).integers, BTreeSet::from([(2, 6)]));
    }

    /// r0 has a normal first, and the position after that: only what is in the latter counts.
    #[test]
    fn the_position_depends_on_what_its_registers_had_last() {
        let text = "vs_5_0\ndcl_constantbuffer cb0[9], immediateIndexed\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\n\
                    dcl_output o1.xyzw\ndcl_temps 2\nmul r0.xyzw, v0.yyyy, cb0[8].xyzw\nmov o1.xyzw, r0.xyzw\n\
                    dp4 r0.x, v0.xyzw, cb0[0].xyzw\ndp4 r0.y, v0.xyzw, cb0[1].xyzw\nmov r0.zw, cb0[2].xxxw\n\
                    mul r1.xyzw, r0.yyyy, cb0[5].xyzw\nmad o0.xyzw, r0.xxxx, cb0[4].xyzw, r1.xyzw\nret\n";
        let found = uses(text, Some(0));
        assert_eq!(found.placing, BTreeSet::from([(0, 0), (0, 1), (0, 4), (0, 5)]));
        assert_eq!(found.dotted, BTreeSet::from([(0, 0), (0, 1)]));
        let text = "vs_2_0\ndcl_position v0\nm4x4 r0, v0, c4\nmov oPos, r0\nmov oD0, c9\n";
        let program = sm3::assemble(text, &Default::default()).unwrap();
        let rows: BTreeSet<_> = (4..8).map(|n| (0, n)).collect();
        let found = Uses::of_direct3d9(&program);
        assert_eq!([&found.placing, &found.dotted], [&rows, &rows]);
    }

    #[test]
    fn threads_race_where_they_read_what_others_write() {
        let head =
            "cs_5_0\ndcl_uav_raw u0\ndcl_uav_raw u1\ndcl_input vThreadID.xy\ndcl_temps 1\ndcl_thread_group 64, 1, 1\n";
        for (body, expected) in [
            ("ld_raw r0.x, vThreadID.x, u0.xxxx\nstore_raw u0.x, vThreadID.x, r0.x\n", false),
            ("ld_raw r0.x, vThreadID.x, u0.xxxx\nstore_raw u1.x, vThreadID.y, r0.x\n", false),
            ("ld_raw r0.x, vThreadID.y, u0.xxxx\nstore_raw u0.x, vThreadID.x, r0.x\n", true),
            ("store_raw u0.x, vThreadID.x, r0.x\nstore_raw u1.x, r0.x, r0.x\n", false),
            ("store_raw u0.x, vThreadID.x, r0.x\nstore_raw u0.x, r0.x, r0.x\n", true),
            ("bufinfo r0.x, u0\nstore_raw u0.x, vThreadID.x, r0.x\n", false),
            ("atomic_iadd u0, l(0), l(1)\n", false),
            ("imm_atomic_iadd r0.x, u0, l(0), l(1)\n", true),
        ] {
            assert_eq!(uses(&format!("{head}{body}ret\n"), None).is_racing, expected, "{body}");
        }
        let found = uses(&format!("{head}mov r0.x, l(1)\nloop\nbreakc_nz r0.x\nendloop\nret\n"), None);
        assert_eq!((found.has_loops, found.cost), (true, 1 + 8 + 8 + 1 + 1));
    }
}
