//! Defines the compile options: everything besides the shader that selects code.

mod suitable;

use brolga_ir::span::Packing;

pub use suitable::has_fast_64_bytes;

/// Instruction sets that the code may use. The floor is SSE4.2 with POPCNT (x86-64-v2). Results never depend on them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CpuFeatures {
    /// AVX: three-operand forms.
    pub avx: bool,
    /// AVX2.
    pub avx2: bool,
    /// Fused multiply-add, used where the shader requests fusion.
    pub fma: bool,
    /// AVX-512 with its parts F, BW, DQ and VL: vectors of 64 bytes.
    pub avx512: bool,
    /// Gathers of AVX-512 take less time than reads lane by lane: on Intel's processors.
    pub gathers: bool,
}

impl CpuFeatures {
    /// The features of this processor, or `None` if it is below the floor or not x86-64.
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx = has!("avx");
            let floor = has!("sse4.2") && has!("popcnt") && has!("ssse3");
            let avx512 = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
            let (avx2, fma) = (avx && has!("avx2"), avx && has!("fma"));
            let avx512 = avx2 && fma && avx512;
            let gathers = avx512 && Maker::detect() == Maker::Intel;
            floor.then_some(Self { avx, avx2, fma, avx512, gathers })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// Every possible subset of these, itself first. AVX2 and FMA need AVX, AVX-512 needs all, and gathers need
    /// AVX-512.
    pub fn subsets(self) -> Vec<Self> {
        let all =
            [(true, true, true), (true, true, false), (true, false, true), (true, false, false), (false, false, false)];
        let sets = all.map(|(avx, avx2, fma)| Self { avx, avx2, fma, avx512: false, gathers: false });
        let wide = [true, false].map(|gathers| Self { avx512: true, gathers, ..sets[0] });
        wide.into_iter().chain(sets).filter(|&set| set.is_subset(self)).collect()
    }

    /// `true` if a processor with the others has all of these.
    pub fn is_subset(self, others: Self) -> bool {
        self.avx <= others.avx
            && self.avx2 <= others.avx2
            && self.fma <= others.fma
            && self.avx512 <= others.avx512
            && self.gathers <= others.gathers
    }

    /// The names of those that are on, the floor first.
    pub fn names(self) -> Vec<&'static str> {
        let above = [
            ("AVX", self.avx),
            ("AVX2", self.avx2),
            ("FMA", self.fma),
            ("AVX-512", self.avx512),
            ("gathers", self.gathers),
        ];
        let on = above.into_iter().filter(|(_, on)| *on).map(|(name, _)| name);
        ["SSE4.2"].into_iter().chain(on).collect()
    }
}

/// The maker of the processor.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    Intel,
    Amd,
    Other,
}

#[cfg(target_arch = "x86_64")]
impl Maker {
    fn detect() -> Self {
        let found = std::arch::x86_64::__cpuid(0);
        match [found.ebx, found.edx, found.ecx].map(u32::to_le_bytes).as_flattened() {
            b"GenuineIntel" => Self::Intel,
            b"AuthenticAMD" => Self::Amd,
            _ => Self::Other,
        }
    }
}

/// The most bytes of the vectors that hold a packet's lanes, as many vectors as it takes. Code uses as many as the
/// processor has. Results never depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum VectorBytes {
    /// 16: the size that every x86-64 processor has, and the only one that Cranelift knows.
    Sixteen,
    /// 32: for processors with AVX2 and FMA. Code is widened after Cranelift.
    #[default]
    ThirtyTwo,
    /// 64: for processors with AVX-512. Not all functions gain from it ([`suitable`](Self::suitable)), and not all such
    /// processors ([`has_fast_64_bytes`](crate::has_fast_64_bytes)).
    SixtyFour,
}

impl VectorBytes {
    /// All sizes, ascending.
    pub const ALL: [Self; 3] = [VectorBytes::Sixteen, VectorBytes::ThirtyTwo, VectorBytes::SixtyFour];

    /// The number.
    pub const fn count(self) -> u32 {
        match self {
            VectorBytes::Sixteen => 16,
            VectorBytes::ThirtyTwo => 32,
            VectorBytes::SixtyFour => 64,
        }
    }

    /// The largest vectors that a processor with these features has.
    pub fn most(features: CpuFeatures) -> Self {
        let CpuFeatures { avx2, fma, avx512, .. } = features;
        match avx2 && fma {
            true if avx512 => VectorBytes::SixtyFour,
            true => VectorBytes::ThirtyTwo,
            false => VectorBytes::Sixteen,
        }
    }

    /// All sizes that a processor with these features has, ascending.
    pub fn of(features: CpuFeatures) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |&size| size <= Self::most(features))
    }
}

/// Everything that selects code for a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Instruction sets that the code may use; the processor that runs it must have them.
    pub features: CpuFeatures,
    /// The size of the code's vectors, if the processor has them; smaller ones where a packet does not fill one.
    pub vector_bytes: VectorBytes,
    /// The packing of threads into packets. Anything but [`Packing::Group`] must be allowed by [`Packing::may_span`].
    pub packing: Packing,
    /// The most instructions that the code generator is given. Each takes it 1 to 2 us and about 450 bytes while it
    /// runs, and nothing can stop it.
    pub most_instructions: u32,
}

impl Options {
    /// The options for this processor, or `None` if code cannot run on it.
    pub fn host() -> Option<Self> {
        let features = CpuFeatures::detect()?;
        let (vector_bytes, packing) = (VectorBytes::default(), Packing::Group);
        Some(Self { features, vector_bytes, packing, most_instructions: u32::MAX })
    }
}
