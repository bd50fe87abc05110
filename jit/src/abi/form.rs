//! Packs all compile-time properties of a sample call into its immediate operand.

use brolga_ir::sampling::Sampling;

use super::number_of;

/// The compile-time properties of a sample, passed in one number, so that rows are written only where lanes differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SampleForm {
    pub sampling: Sampling,
    /// Number of operands.
    pub args: usize,
    pub lanes: SampleLanes,
    /// Set if the texture's position in its range is the same for all lanes: that of lane 0.
    pub same_texture: bool,
    /// Set if the sampler's position is.
    pub same_sampler: bool,
}

/// The active lanes of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleLanes {
    /// All lanes of the packet.
    All,
    /// Lane 0.
    First,
    /// The lanes of [`CallRow::Mask`](super::CallRow::Mask).
    Masked,
    /// The lanes that a [`SampleFn`](brolga_ir::sampling::SampleFn) left.
    Left,
}

const LANES: [SampleLanes; 4] = [SampleLanes::All, SampleLanes::First, SampleLanes::Masked, SampleLanes::Left];

impl SampleForm {
    /// Above all bits of [`Sampling::encode`].
    const FLAGS: u32 = 22;
    const ARGS: u32 = 28;

    pub fn encode(self) -> u32 {
        let flags =
            number_of(&LANES, &self.lanes) | u32::from(self.same_texture) << 2 | u32::from(self.same_sampler) << 3;
        self.sampling.encode() | flags << Self::FLAGS | (self.args as u32) << Self::ARGS
    }

    #[inline]
    pub fn decode(code: u32) -> Self {
        let flags = code >> Self::FLAGS;
        Self {
            sampling: Sampling::decode(code),
            args: (code >> Self::ARGS) as usize,
            lanes: LANES[(flags & 3) as usize],
            same_texture: flags >> 2 & 1 == 1,
            same_sampler: flags >> 3 & 1 == 1,
        }
    }
}
