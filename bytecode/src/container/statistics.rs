//! Reads the compiler's counts (STAT) and the features that a shader needs (SFI0).

use super::{Chunk, ContainerError};

/// The compiler's counts. They are for people to read; nothing depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The words of the chunk.
    pub words: Vec<u32>,
}

impl Statistics {
    /// The words of the chunk; more than any known compiler writes are ignored.
    pub(super) fn parse(chunk: &Chunk<'_>) -> Self {
        const MOST: usize = 64;
        let (words, _) = chunk.data.as_chunks::<4>();
        Self { words: words.iter().take(MOST).map(|bytes| u32::from_le_bytes(*bytes)).collect() }
    }

    /// Instructions.
    pub fn instructions(&self) -> Option<u32> {
        self.words.first().copied()
    }

    /// `true` if a pixel shader runs once for each sample.
    pub fn runs_at_sample_frequency(&self) -> bool {
        self.words.get(28).is_some_and(|&word| word != 0)
    }

    /// Tessellator state of a hull or domain shader; only model 5 has it.
    pub fn tessellation(&self) -> Option<Tessellation> {
        let [control_points, output, partitioning, domain] = *self.words.get(30..34)? else { return None };
        Some(Tessellation { control_points, output, partitioning, domain })
    }
}

/// Tessellator state, as the compiler recorded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tessellation {
    /// Control points that a hull shader writes or a domain shader reads.
    pub control_points: u32,
    /// The number of the output primitive; see [`crate::sm5::codes::TessellatorOutput`].
    pub output: u32,
    /// The number of the partitioning; see [`crate::sm5::codes::TessellatorPartitioning`].
    pub partitioning: u32,
    /// The number of the domain; see [`crate::sm5::codes::TessellatorDomain`].
    pub domain: u32,
}

/// The features a shader needs, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FeatureFlags(pub u64);

impl FeatureFlags {
    /// Doubles.
    pub const DOUBLES: Self = Self(1);
    /// Compute shaders with raw and structured buffers in model 4.x.
    pub const COMPUTE_4_X: Self = Self(1 << 1);
    /// UAVs in every stage.
    pub const UAVS_AT_EVERY_STAGE: Self = Self(1 << 2);
    /// 64 UAVs.
    pub const UAVS_64: Self = Self(1 << 3);
    /// Minimum precisions.
    pub const MINIMUM_PRECISION: Self = Self(1 << 4);
    /// The double instructions of 11.1.
    pub const DOUBLE_EXTENSIONS: Self = Self(1 << 5);
    /// The other instructions of 11.1.
    pub const SHADER_EXTENSIONS: Self = Self(1 << 6);
    /// Comparison samplers of feature level 9.
    pub const LEVEL_9_COMPARISON: Self = Self(1 << 7);
    /// Tiled resources.
    pub const TILED_RESOURCES: Self = Self(1 << 8);
    /// A pixel shader writes the stencil reference.
    pub const STENCIL_REFERENCE: Self = Self(1 << 9);
    /// A pixel shader reads the inner coverage.
    pub const INNER_COVERAGE: Self = Self(1 << 10);
    /// Loads from typed UAVs of more formats than R32.
    pub const TYPED_UAV_LOADS: Self = Self(1 << 11);
    /// Rasterizer ordered views.
    pub const RASTERIZER_ORDERED: Self = Self(1 << 12);
    /// Stages before the rasterizer other than the geometry shader select the render target array element or viewport.
    pub const ARRAY_INDEX_FROM_ANY_STAGE: Self = Self(1 << 13);

    /// `true` if all flags of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) fn parse(chunk: &Chunk<'_>) -> Result<Self, ContainerError> {
        let mut reader = chunk.reader();
        let [low, high] = [reader.u32()?, reader.u32()?].map(u64::from);
        Ok(Self(low | high << 32))
    }
}
