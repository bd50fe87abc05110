//! Masks: sets of lanes, as they are known, in variables, and saved for later.

use brolga_ir::Type;
use brolga_ir::entity::Value;

use super::Lowering;
use super::variable::Home;
use crate::packet::{Operand, Packet};

/// The most nested constructs whose masks are held in registers.
const SHALLOW: usize = 4;

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

/// A mask that is needed again after other code.
#[derive(Clone, Debug)]
pub(super) enum Parked {
    Here(Mask),
    Away(Home),
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

    /// Lanes that perform an effect: the active ones where the condition holds. `None` if there are certainly none.
    pub fn effect_mask(&mut self, effect: Value) -> Option<Mask> {
        let active = self.control.active();
        if let Some(constant) = self.func.as_const(effect) {
            return (constant.bits != 0).then_some(active);
        }
        let effect = self.packet_operand(effect);
        Some(Mask::Lanes(self.mask_and(&active, &effect)))
    }

    /// Whether masks of open constructs are stored in memory: there are many, or they would be live for long.
    pub fn is_deep(&self) -> bool {
        self.control.frames.len() > SHALLOW || self.is_large()
    }

    /// Saves a mask.
    pub fn park(&mut self, mask: Mask) -> Parked {
        match mask {
            Mask::Lanes(lanes) if self.is_deep() => Parked::Away(self.new_home(Type::Bool, false, &lanes.into(), true)),
            mask => Parked::Here(mask),
        }
    }

    /// Reads a saved mask.
    pub fn parked(&mut self, parked: &Parked) -> Mask {
        match parked {
            Parked::Here(mask) => mask.clone(),
            Parked::Away(home) => Mask::Lanes(self.home_lanes(home)),
        }
    }

    /// Frees the place of a saved mask.
    pub fn drop_parked(&mut self, parked: Parked) {
        if let Parked::Away(home) = parked {
            self.variables.release(home);
        }
    }
}
