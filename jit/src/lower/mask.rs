//! The active lanes, and variables that hold masks and values across branches.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir;
use cranelift_frontend::Variable;
use smallvec::SmallVec;

use super::{Lowering, own_flags};
use crate::packet::{Operand, Packet, Vectors, is_wide, scalar_type, vector_type};

/// The most vectors and scalars of variables in registers. Wherever control flow merges, such a variable becomes block
/// parameters, and for most values that are live at the start of a block the register allocator looks at all parameters
/// before them.
const MOST_VARIABLES: usize = 4096;

/// A set of lanes.
#[derive(Clone, Debug)]
pub(super) enum Mask {
    /// All lanes, known when the code is written.
    Full,
    /// Those where the condition holds.
    Lanes(Packet),
}

impl Mask {
    /// The condition, if it is not known to hold everywhere.
    pub fn lanes(&self) -> Option<&Packet> {
        match self {
            Mask::Full => None,
            Mask::Lanes(lanes) => Some(lanes),
        }
    }
}

/// A variable that lives across branches.
#[derive(Clone, Debug)]
pub(super) struct Home {
    pub ty: Type,
    pub uniform: bool,
    place: HomePlace,
}

#[derive(Clone, Debug)]
enum HomePlace {
    /// The CLIF variables of its vectors, or of its scalar.
    Variables(SmallVec<[Variable; 4]>),
    /// A place in scratch memory.
    Scratch(i32),
}

impl Lowering<'_, '_> {
    /// The mask as a condition.
    pub fn mask_packet(&mut self, mask: &Mask) -> Packet {
        match mask {
            Mask::Full => self.emit().mask_constant(true),
            Mask::Lanes(lanes) => lanes.clone(),
        }
    }

    /// Lanes of the mask where the condition holds.
    pub fn mask_and(&mut self, mask: &Mask, condition: &Packet) -> Packet {
        match mask {
            Mask::Full => condition.clone(),
            Mask::Lanes(lanes) => self.emit().mask_and(lanes, condition),
        }
    }

    /// Lanes of the mask where the condition does not hold.
    pub fn mask_and_not(&mut self, mask: &Mask, condition: &Packet) -> Packet {
        match mask {
            Mask::Full => self.emit().mask_not(condition),
            Mask::Lanes(lanes) => self.emit().mask_and_not(lanes, condition),
        }
    }

    /// A new variable with this value in it, in scratch memory if it is remote or there are too many others.
    pub fn new_home(&mut self, ty: Type, uniform: bool, initial: &Operand, remote: bool) -> Home {
        let (ty_of_one, count) = match uniform {
            true => (scalar_type(ty), 1),
            false => (vector_type(ty), self.shape.vectors_of(ty)),
        };
        let remote = remote || self.variable_vectors + count > MOST_VARIABLES;
        if !remote {
            self.variable_vectors += count;
        }
        let place = match remote {
            true => HomePlace::Scratch(self.take_scratch(is_wide(ty))),
            false => HomePlace::Variables((0..count).map(|_| self.new_variable(ty_of_one)).collect()),
        };
        let home = Home { ty, uniform, place };
        self.set_home(&home, initial, None);
        home
    }

    /// A CLIF variable, a released one if there is any: each costs time in every block.
    fn new_variable(&mut self, ty: ir::Type) -> Variable {
        let free = self.free_variables.get_mut(&ty).and_then(Vec::pop);
        free.unwrap_or_else(|| self.builder.declare_var(ty))
    }

    /// Frees a variable.
    pub fn release(&mut self, home: Home) {
        match home.place {
            HomePlace::Scratch(at) => self.give_scratch(at, is_wide(home.ty)),
            HomePlace::Variables(variables) => {
                let ty = if home.uniform { scalar_type(home.ty) } else { vector_type(home.ty) };
                self.free_variables.entry(ty).or_default().extend(variables);
            }
        }
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

    /// Writes a variable, in the lanes of the mask only if there is one. A uniform variable has one value for all lanes.
    pub fn set_home(&mut self, home: &Home, value: &Operand, mask: Option<&Packet>) {
        let value: Operand = if home.uniform {
            assert!(value.is_uniform(), "uniform variables hold what uniformity analysis calls uniform");
            value.clone()
        } else {
            let value = self.emit().packet(value);
            match mask {
                None => value.into(),
                Some(mask) => {
                    let Operand::Packet(old) = self.home(home) else { unreachable!("not a uniform variable") };
                    self.emit().select(mask, &value, &old).into()
                }
            }
        };
        match &home.place {
            HomePlace::Variables(variables) => {
                for (&variable, &value) in variables.iter().zip(value.values()) {
                    self.builder.def_var(variable, value);
                }
            }
            &HomePlace::Scratch(at) => {
                let base = self.scratch_base();
                self.emit().store_operand(&value, home.uniform, base, at, own_flags());
            }
        }
    }

    /// Reads a variable.
    pub fn home(&mut self, home: &Home) -> Operand {
        match &home.place {
            HomePlace::Variables(variables) => {
                let values: Vectors = variables.iter().map(|&variable| self.builder.use_var(variable)).collect();
                match home.uniform {
                    true => Operand::scalar(home.ty, values[0]),
                    false => Packet { ty: home.ty, vectors: values }.into(),
                }
            }
            &HomePlace::Scratch(at) => {
                let base = self.scratch_base();
                self.emit().load_operand(home.ty, home.uniform, base, at, own_flags())
            }
        }
    }

    /// A new variable for a set of lanes, empty at first.
    pub fn empty_lanes(&mut self) -> Home {
        let remote = self.is_deep();
        self.zero_home(Type::Bool, false, remote)
    }

    /// The set of lanes in a variable.
    pub fn home_lanes(&mut self, home: &Home) -> Packet {
        match self.home(home) {
            Operand::Packet(lanes) => lanes,
            Operand::Uniform(_) => unreachable!("sets of lanes are packets"),
        }
    }

    /// Adds lanes to a set, or replaces it.
    pub fn add_lanes(&mut self, home: &Home, lanes: &Mask, replace: bool) {
        let mut lanes = self.mask_packet(lanes);
        if !replace {
            let old = self.home_lanes(home);
            lanes = self.emit().mask_or(&old, &lanes);
        }
        self.set_home(home, &lanes.into(), None);
    }
}
