//! Describes the operands and variants of all sample instructions.
//!
//! Functional specification 7.18 and 22.4. `sample`, `sample_b`, `sample_c` and `lod` take derivatives from their quad:
//! the translation computes them, so that sampling is given a level, derivatives, or nothing.

use crate::entity::ResourceId;
use crate::interface::Dimension;

/// A 32-bit value of every lane of a packet.
pub type Row<'a> = &'a [u32];

/// Consecutive rows of equal length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows<'a> {
    words: &'a [u32],
    lanes: usize,
}

impl<'a> Rows<'a> {
    /// Rows of this many lanes.
    #[inline]
    pub fn new(words: &'a [u32], lanes: usize) -> Self {
        Self { words, lanes }
    }

    /// `true` if there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The words of all.
    #[inline]
    pub fn words(self) -> &'a [u32] {
        self.words
    }

    /// All of them in order.
    #[inline]
    pub fn iter(self) -> std::slice::ChunksExact<'a, u32> {
        self.words.chunks_exact(self.lanes.max(1))
    }

    /// A row, if there is one with this number.
    #[inline]
    pub fn get(self, row: usize) -> Option<Row<'a>> {
        self.words.get(row * self.lanes..(row + 1) * self.lanes).filter(|row| !row.is_empty())
    }

    /// The first rows, at most this many, and those after them.
    #[inline]
    pub fn split_at(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.words.split_at(self.words.len().min(count * self.lanes));
        (Self { words: first, ..self }, Self { words: rest, ..self })
    }
}

/// The result of a sample instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// The filtered texels.
    Filter,
    /// Texels compared with a reference, the outcomes (0 or 1) filtered; the same in all four results.
    Compare,
    /// One component (0 to 3) of the four texels that a linear filter would take from the most detailed level, in the
    /// order lower left, lower right, upper right, upper left.
    Gather {
        /// The component.
        component: u8,
    },
    /// The same of the first component, compared with a reference.
    GatherCompare,
    /// The level of detail that would be used, clamped and unclamped, then two zeros.
    Level,
}

impl SampleKind {
    /// `true` if texels are compared with a reference.
    pub fn compares(self) -> bool {
        matches!(self, SampleKind::Compare | SampleKind::GatherCompare)
    }
}

/// The source of the level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LevelSource {
    /// It is 0 (`sample_c_lz`), or none is needed (gathers).
    Zero,
    /// An operand.
    Given,
    /// Derivatives of the coordinates along the two axes of the screen.
    Derivatives,
}

/// Texel offsets added to the position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Offsets {
    /// Known from the bytecode, -8 to 7 each.
    Fixed([i8; 3]),
    /// Two operands, whose low six bits are signed offsets.
    Computed,
}

/// Everything about a sample instruction except its operands and what it samples.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sampling {
    /// The result.
    pub kind: SampleKind,
    /// The source of the level of detail.
    pub level: LevelSource,
    /// Set if an operand is added to the level.
    pub has_bias: bool,
    /// Set if an operand bounds the level from below, after everything else.
    pub has_clamp: bool,
    /// Texel offsets added to the position.
    pub offsets: Offsets,
}

/// A group of operands of a sample instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleArg {
    /// Coordinates as floats, the layer of an array last.
    Coordinates,
    /// Two offsets as integers.
    Offsets,
    /// The reference of a comparison.
    Reference,
    /// The level of detail.
    Level,
    /// Derivatives of the coordinates, the layer left out, along the screen's x axis.
    AlongX,
    /// The same along its y axis.
    AlongY,
    /// The bias of the level.
    Bias,
    /// The lower bound of the level.
    Clamp,
}

/// The most operands that any combination can have, on an array of cubes.
pub const MOST_SAMPLE_ARGS: usize = 15;

impl Sampling {
    /// The operands in order, each with its number of values on a texture of this dimension.
    pub fn args(self, dimension: Dimension) -> impl Iterator<Item = (SampleArg, usize)> {
        let compares = self.kind.compares();
        let (given, derived) = (self.level == LevelSource::Given, self.level == LevelSource::Derivatives);
        let axes = dimension.sample_axes();
        let all = [
            (SampleArg::Coordinates, true, axes + usize::from(dimension.is_array())),
            (SampleArg::Offsets, self.offsets == Offsets::Computed, 2),
            (SampleArg::Reference, compares, 1),
            (SampleArg::Level, given, 1),
            (SampleArg::AlongX, derived, axes),
            (SampleArg::AlongY, derived, axes),
            (SampleArg::Bias, self.has_bias, 1),
            (SampleArg::Clamp, self.has_clamp, 1),
        ];
        all.into_iter().filter(|(_, is_there, _)| *is_there).map(|(arg, _, count)| (arg, count))
    }

    /// Number of operands on a texture of this dimension.
    #[inline]
    pub fn arg_count(self, dimension: Dimension) -> usize {
        let axes = dimension.sample_axes();
        let level = match self.level {
            LevelSource::Zero => 0,
            LevelSource::Given => 1,
            LevelSource::Derivatives => 2 * axes,
        };
        let single = [dimension.is_array(), self.kind.compares(), self.has_bias, self.has_clamp];
        let offsets = 2 * usize::from(self.offsets == Offsets::Computed);
        axes + offsets + level + single.into_iter().map(usize::from).sum::<usize>()
    }

    /// Encodes it as a number of 22 bits, for compiled code.
    pub fn encode(self) -> u32 {
        let (kind, component) = match self.kind {
            SampleKind::Filter => (0, 0),
            SampleKind::Compare => (1, 0),
            SampleKind::Gather { component } => (2, component & 3),
            SampleKind::GatherCompare => (3, 0),
            SampleKind::Level => (4, 0),
        };
        let level = match self.level {
            LevelSource::Zero => 0,
            LevelSource::Given => 1,
            LevelSource::Derivatives => 2,
        };
        let (computed, fixed) = match self.offsets {
            Offsets::Fixed(fixed) => (false, fixed.map(|offset| u32::from(offset as u8 & 15))),
            Offsets::Computed => (true, [0; 3]),
        };
        kind | u32::from(component) << 3
            | level << 5
            | u32::from(self.has_bias) << 7
            | u32::from(self.has_clamp) << 8
            | u32::from(computed) << 9
            | fixed[0] << 10
            | fixed[1] << 14
            | fixed[2] << 18
    }

    /// Decodes a number.
    #[inline]
    pub fn decode(code: u32) -> Self {
        let kind = match code & 7 {
            0 => SampleKind::Filter,
            1 => SampleKind::Compare,
            2 => SampleKind::Gather { component: (code >> 3 & 3) as u8 },
            3 => SampleKind::GatherCompare,
            _ => SampleKind::Level,
        };
        let level = match code >> 5 & 3 {
            0 => LevelSource::Zero,
            1 => LevelSource::Given,
            _ => LevelSource::Derivatives,
        };
        // Four bits, signed.
        let fixed = [10, 14, 18].map(|shift| (code >> shift << 4) as i8 >> 4);
        let offsets = if code >> 9 & 1 == 1 { Offsets::Computed } else { Offsets::Fixed(fixed) };
        Self { kind, level, has_bias: code >> 7 & 1 == 1, has_clamp: code >> 8 & 1 == 1, offsets }
    }
}

/// Positions in a range of registers, by lane.
#[derive(Clone, Copy, Debug)]
pub enum Elements<'a> {
    /// The same for all lanes.
    Same(u32),
    /// Each lane's own.
    Own(Row<'a>),
}

impl Elements<'_> {
    /// The position for a lane.
    #[inline]
    pub fn of(self, lane: usize) -> u32 {
        match self {
            Elements::Same(element) => element,
            Elements::Own(row) => row[lane],
        }
    }
}

/// One sample instruction of one packet.
#[derive(Debug)]
pub struct SampleCall<'a> {
    /// The kind of sampling.
    pub sampling: Sampling,
    /// The range of the texture, and the position in it.
    pub texture: (ResourceId, Elements<'a>),
    /// The range of the sampler, and the position in it.
    pub sampler: (ResourceId, Elements<'a>),
    /// Mask of the active lanes.
    pub lanes: u64,
    /// Operands in the order of [`Sampling::args`].
    pub args: Rows<'a>,
    /// Four rows, one after another, for the results of the active lanes. A computed NaN is 0x7fc00000.
    pub results: &'a mut [u32],
}

/// Samples for the lanes of a packet, for machine code: the first of [`MOST_SAMPLE_ARGS`] rows for operands, which four
/// rows for results follow; the words per row; the prepared state of a texture and a sampler; a mask of the active
/// lanes. Returns those that are left for the [host](crate::host::Host), whose results are not written yet.
///
/// # Safety
///
/// The rows are all there, initialised, and nobody else's during the call; a row has a word for each lane of the
/// packet, a multiple of 8; no bit of the mask is beyond them. The prepared state is that of the same [`SampleEntry`],
/// and has not moved.
pub type SampleFn = unsafe extern "C" fn(*mut u32, usize, *const (), u64) -> u64;

/// The code that takes a kind of sample of the texture in the first register of its range, with the sampler in the
/// first of its own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SampleEntry {
    /// The code.
    pub run: SampleFn,
    /// Its prepared state.
    pub prepared: *const (),
}

impl SampleEntry {
    /// Leaves all lanes to the host.
    pub const NONE: Self = Self { run: leave_all, prepared: std::ptr::null() };
}

extern "C" fn leave_all(_: *mut u32, _: usize, _: *const (), lanes: u64) -> u64 {
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_what_they_were_made_of() {
        let kinds = [SampleKind::Filter, SampleKind::Compare, SampleKind::GatherCompare, SampleKind::Level];
        let gathers = [0, 1, 2, 3].map(|component| SampleKind::Gather { component });
        for kind in kinds.into_iter().chain(gathers) {
            for level in [LevelSource::Zero, LevelSource::Given, LevelSource::Derivatives] {
                for offsets in [Offsets::Computed, Offsets::Fixed([0; 3]), Offsets::Fixed([-8, 7, -1])] {
                    for (has_bias, has_clamp) in [(false, false), (true, false), (false, true), (true, true)] {
                        let sampling = Sampling { kind, level, has_bias, has_clamp, offsets };
                        assert_eq!(Sampling::decode(sampling.encode()), sampling);
                        assert!(sampling.encode() < 1 << 22);
                        assert!(sampling.arg_count(Dimension::TextureCubeArray) <= MOST_SAMPLE_ARGS);
                        let args = sampling.args(Dimension::TextureCubeArray).map(|(_, count)| count).sum();
                        assert_eq!(sampling.arg_count(Dimension::TextureCubeArray), args);
                    }
                }
            }
        }
    }
}
