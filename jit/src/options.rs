//! What selects code besides the shader: the processor's features and the packet's shape.

use brolga_ir::span::Packing;

/// Instruction sets that the code may use. The floor is SSE4.2 with POPCNT (x86-64-v2). Results never depend on them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CpuFeatures {
    /// AVX: three-operand forms.
    pub avx: bool,
    /// AVX2.
    pub avx2: bool,
    /// Fused multiply and add, used where the shader asks for fusion.
    pub fma: bool,
}

impl CpuFeatures {
    /// Those of this processor, or `None` if it is below the floor or no x86-64.
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx = has!("avx");
            let floor = has!("sse4.2") && has!("popcnt") && has!("ssse3");
            floor.then_some(Self { avx, avx2: avx && has!("avx2"), fma: avx && has!("fma") })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The names of those that are on, the floor first.
    pub fn names(self) -> Vec<&'static str> {
        let above = [("AVX", self.avx), ("AVX2", self.avx2), ("FMA", self.fma)];
        let on = above.into_iter().filter(|(_, on)| *on).map(|(name, _)| name);
        ["SSE4.2"].into_iter().chain(on).collect()
    }
}

/// Everything that selects code for a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Instruction sets that the code may use; the processor that runs it must have them.
    pub features: CpuFeatures,
    /// Vectors of four lanes in a packet.
    pub vectors: u8,
    /// Which threads share packets. Anything but [`Packing::Group`] must be allowed by [`Packing::may_span`].
    pub packing: Packing,
}

impl Options {
    /// The options for this processor, or `None` if code cannot run on it.
    pub fn host() -> Option<Self> {
        CpuFeatures::detect().map(|features| Self { features, vectors: 2, packing: Packing::Group })
    }

    /// The same with packets put together in another way.
    pub fn with_packing(self, packing: Packing) -> Self {
        Self { packing, ..self }
    }
}
