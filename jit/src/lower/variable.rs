//! Keeps variables that live across branches, in registers or in scratch memory of the running packet; and remote
//! values (see `pressure.rs`), which are in scratch memory too.
//!
//! A remote value is stored where it is computed and reloaded where it is used, unless it was computed or loaded a few
//! instructions earlier in the same block.

use std::collections::HashMap;

use brolga_ir::entity::Value;
use brolga_ir::{Const, Type};
use cranelift_codegen::ir;
use cranelift_frontend::{FunctionBuilder, Variable};
use smallvec::SmallVec;

use super::layout::ALIGN;
use super::{Lowering, own_flags};
use crate::packet::{Packet, PacketOperand, PacketShape, Vectors, is_wide, scalar_type, vector_type};

/// The most vectors and scalars of variables in registers. Wherever control flow merges, such a variable becomes block
/// parameters, and for most values that are live at the start of a block the register allocator looks at all parameters
/// before them.
const MOST_VARIABLES: usize = 4096;

/// A variable that lives across branches.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub ty: Type,
    pub uniform: bool,
    storage: HomeStorage,
}

#[derive(Clone, Debug)]
enum HomeStorage {
    /// The CLIF variables of its vectors, or of its scalar.
    Variables(SmallVec<[Variable; 4]>),
    /// An offset in scratch memory.
    Scratch(i32),
}

/// Variables and their free slots: a released slot is reused before a new one is made.
pub(super) struct Variables {
    /// Vectors and scalars of all variables in registers so far.
    in_registers: usize,
    /// CLIF variables that can be reused.
    free: HashMap<ir::Type, Vec<Variable>>,
    /// Bytes of scratch memory in use.
    pub scratch_bytes: u64,
    /// Free offsets in it, of one row and of two.
    free_scratch: [Vec<i32>; 2],
    shape: PacketShape,
    /// Variables of the group's values that are kept between segments.
    pub of_group: HashMap<Value, Home>,
}

impl Variables {
    /// No variables yet. Remote values occupy this many bytes at the start of scratch memory.
    pub fn new(remote_bytes: u64, shape: PacketShape) -> Self {
        Self {
            in_registers: 0,
            free: HashMap::new(),
            scratch_bytes: remote_bytes.next_multiple_of(ALIGN),
            free_scratch: Default::default(),
            shape,
            of_group: HashMap::new(),
        }
    }

    /// A new variable, in scratch memory if it is remote or there are too many others.
    fn make(&mut self, ty: Type, uniform: bool, remote: bool, builder: &mut FunctionBuilder<'_>) -> Home {
        let (ty_of_one, count) = match uniform {
            true => (scalar_type(ty), 1),
            false => (vector_type(ty), self.shape.vectors_of(ty)),
        };
        let storage = if remote || self.in_registers + count > MOST_VARIABLES {
            HomeStorage::Scratch(self.free_scratch[usize::from(is_wide(ty))].pop().unwrap_or_else(|| {
                let at = self.scratch_bytes;
                self.scratch_bytes += u64::from(self.shape.row_bytes()) * if is_wide(ty) { 2 } else { 1 };
                i32::try_from(at).expect("scratch memory is small")
            }))
        } else {
            self.in_registers += count;
            // Each costs time in every block.
            let free = self.free.entry(ty_of_one).or_default();
            let new = |_| free.pop().unwrap_or_else(|| builder.declare_var(ty_of_one));
            HomeStorage::Variables((0..count).map(new).collect())
        };
        Home { ty, uniform, storage }
    }

    /// Frees a variable.
    pub fn release(&mut self, home: Home) {
        match home.storage {
            HomeStorage::Scratch(at) => self.free_scratch[usize::from(is_wide(home.ty))].push(at),
            HomeStorage::Variables(variables) => {
                let ty = if home.uniform { scalar_type(home.ty) } else { vector_type(home.ty) };
                self.free.entry(ty).or_default().extend(variables);
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// A new variable with this value in it, in scratch memory if it is remote or there are too many others.
    pub fn new_home(&mut self, ty: Type, uniform: bool, initial: &PacketOperand, remote: bool) -> Home {
        let home = self.variables.make(ty, uniform, remote, &mut self.builder);
        self.set_home(&home, initial, None);
        home
    }

    /// A new variable that holds zero.
    pub fn zero_home(&mut self, ty: Type, uniform: bool, remote: bool) -> Home {
        let zero = Const::zero(ty);
        let initial = match uniform {
            true => self.emit().constant(zero).into(),
            false => self.emit().constant_packet(zero).into(),
        };
        self.new_home(ty, uniform, &initial, remote)
    }

    /// Writes a variable, in the lanes of the mask only if there is one. A uniform variable has one value for all
    /// lanes.
    pub fn set_home(&mut self, home: &Home, value: &PacketOperand, mask: Option<&Packet>) {
        let value: PacketOperand = if home.uniform {
            assert!(value.is_uniform(), "uniform variables hold what uniformity analysis calls uniform");
            value.clone()
        } else {
            let value = self.emit().packet(value);
            match mask {
                None => value.into(),
                Some(mask) => {
                    let PacketOperand::Packet(old) = self.home(home) else { unreachable!("not a uniform variable") };
                    self.emit().select(mask, &value, &old).into()
                }
            }
        };
        match &home.storage {
            HomeStorage::Variables(variables) => {
                for (&variable, &value) in variables.iter().zip(value.values()) {
                    self.builder.def_var(variable, value);
                }
            }
            &HomeStorage::Scratch(at) => {
                let base = self.anchors.scratch;
                self.emit().store_operand(&value, home.uniform, base, at, own_flags());
            }
        }
    }

    /// Reads a variable.
    pub fn home(&mut self, home: &Home) -> PacketOperand {
        match &home.storage {
            HomeStorage::Variables(variables) => {
                let values: Vectors = variables.iter().map(|&variable| self.builder.use_var(variable)).collect();
                match home.uniform {
                    true => PacketOperand::scalar(home.ty, values[0]),
                    false => Packet { ty: home.ty, vectors: values }.into(),
                }
            }
            &HomeStorage::Scratch(at) => {
                let base = self.anchors.scratch;
                self.emit().load_operand(home.ty, home.uniform, base, at, own_flags())
            }
        }
    }

    /// Stores a remote value that is not kept between segments.
    pub fn store_remote(&mut self, value: Value, operand: &PacketOperand) {
        let at = self.pressure.slot(value);
        let (base, uniform) = (self.anchors.scratch, self.facts.is_uniform(value));
        self.emit().store_operand(operand, uniform, base, at, own_flags());
    }

    /// Reads a remote value that is not kept between segments.
    pub fn load_remote(&mut self, value: Value) -> PacketOperand {
        let at = self.pressure.slot(value);
        let (base, ty, uniform) = (self.anchors.scratch, self.func.ty(value), self.facts.is_uniform(value));
        self.emit().load_operand(ty, uniform, base, at, own_flags())
    }
}
