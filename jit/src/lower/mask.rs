//! Handles lane masks: sets of lanes that are known, held in variables, or saved for later.

use brolga_ir::Type;
use brolga_ir::entity::Value;

use super::Lowering;
use super::variable::Home;
use crate::packet::{Packet, PacketOperand};

/// The deepest nesting of constructs at which masks are held in registers.
const SHALLOW: usize = 4;

/// A set of lanes.
#[derive(Clone, Debug)]
pub(super) enum LaneMask {
    /// All lanes, known when the code is written.
    Full,
    /// The lanes where the condition holds.
    Lanes(Packet),
}

impl LaneMask {
    /// The condition, if it is not known to hold everywhere.
    pub fn lanes(&self) -> Option<&Packet> {
        match self {
            LaneMask::Full => None,
            LaneMask::Lanes(lanes) => Some(lanes),
        }
    }
}

/// A saved mask.
#[derive(Clone, Debug)]
pub(super) enum Parked {
    Here(LaneMask),
    Away(Home),
}

impl Lowering<'_, '_> {
    /// The mask as a condition.
    pub fn mask_packet(&mut self, mask: &LaneMask) -> Packet {
        match mask {
            LaneMask::Full => self.emit().mask_constant(true),
            LaneMask::Lanes(lanes) => lanes.clone(),
        }
    }

    /// The lanes of the mask where the condition holds.
    pub fn mask_and(&mut self, mask: &LaneMask, condition: &Packet) -> Packet {
        match mask {
            LaneMask::Full => condition.clone(),
            LaneMask::Lanes(lanes) => self.emit().mask_and(lanes, condition),
        }
    }

    /// The lanes of the mask where the condition does not hold.
    pub fn mask_and_not(&mut self, mask: &LaneMask, condition: &Packet) -> Packet {
        match mask {
            LaneMask::Full => self.emit().mask_not(condition),
            LaneMask::Lanes(lanes) => self.emit().mask_and_not(lanes, condition),
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
            PacketOperand::Packet(lanes) => lanes,
            PacketOperand::Uniform(_) => unreachable!("sets of lanes are packets"),
        }
    }

    /// Adds lanes to a set, or replaces it.
    pub fn add_lanes(&mut self, home: &Home, lanes: &LaneMask, replace: bool) {
        let mut lanes = self.mask_packet(lanes);
        if !replace {
            let old = self.home_lanes(home);
            lanes = self.emit().mask_or(&old, &lanes);
        }
        self.set_home(home, &lanes.into(), None);
    }

    /// The lanes that perform an effect: the active ones where the condition holds. `None` if there are certainly none.
    pub fn effect_mask(&mut self, effect: Value) -> Option<LaneMask> {
        let active = self.control.active();
        if let Some(constant) = self.func.as_const(effect) {
            return (constant.bits != 0).then_some(active);
        }
        let effect = self.packet_operand(effect);
        Some(LaneMask::Lanes(self.mask_and(&active, &effect)))
    }

    /// `true` if masks of open constructs are stored in memory: there are many, or they would be live for long.
    pub fn is_deep(&self) -> bool {
        self.control.frames.len() > SHALLOW || self.is_large()
    }

    /// Saves a mask.
    pub fn park(&mut self, mask: LaneMask) -> Parked {
        match mask {
            LaneMask::Lanes(lanes) if self.is_deep() => {
                Parked::Away(self.new_home(Type::Bool, false, &lanes.into(), true))
            }
            mask => Parked::Here(mask),
        }
    }

    /// Reads a saved mask.
    pub fn parked(&mut self, parked: &Parked) -> LaneMask {
        match parked {
            Parked::Here(mask) => mask.clone(),
            Parked::Away(home) => LaneMask::Lanes(self.home_lanes(home)),
        }
    }

    /// Frees the slot of a saved mask.
    pub fn drop_parked(&mut self, parked: Parked) {
        if let Parked::Away(home) = parked {
            self.variables.release(home);
        }
    }
}
