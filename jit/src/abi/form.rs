//! What compiled code passes of a sample in one number.

use brolga_ir::sampling::Sampling;

/// What compiled code knows of a sample: passed in one number with what is sampled, so that rows are written only where
/// lanes differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SampleForm {
    pub sampling: Sampling,
    /// Operands.
    pub args: usize,
    pub lanes: SampleLanes,
    /// The position of the texture in its range is the same for all lanes: that of lane 0.
    pub same_texture: bool,
    /// The same of the sampler.
    pub same_sampler: bool,
}

/// Who takes part in a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SampleLanes {
    /// All lanes of the packet.
    All,
    /// Lane 0.
    First,
    /// Those of [`Call::mask`].
    Masked,
}

impl SampleForm {
    /// Above all bits of [`Sampling::encode`].
    const FLAGS: u32 = 22;
    const ARGS: u32 = 28;

    pub fn encode(self) -> u32 {
        let lanes = match self.lanes {
            SampleLanes::All => 0,
            SampleLanes::First => 1,
            SampleLanes::Masked => 2,
        };
        let flags = lanes | u32::from(self.same_texture) << 2 | u32::from(self.same_sampler) << 3;
        self.sampling.encode() | flags << Self::FLAGS | (self.args as u32) << Self::ARGS
    }

    #[inline]
    pub fn decode(code: u32) -> Self {
        let flags = code >> Self::FLAGS;
        let lanes = match flags & 3 {
            0 => SampleLanes::All,
            1 => SampleLanes::First,
            _ => SampleLanes::Masked,
        };
        Self {
            sampling: Sampling::decode(code),
            args: (code >> Self::ARGS) as usize,
            lanes,
            same_texture: flags >> 2 & 1 == 1,
            same_sampler: flags >> 3 & 1 == 1,
        }
    }
}
