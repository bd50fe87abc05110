//! Shader versions: the first token of a program.

use crate::codes::codes;
use crate::sm5::Stage;

codes! {
    /// A version of a Direct3D 9 shader; its number is the first token of a program.
    Version {
        0xfffe_0100 Vs1_0 "vs_1_0";
        0xfffe_0101 Vs1_1 "vs_1_1";
        0xfffe_0200 Vs2_0 "vs_2_0";
        0xfffe_0201 Vs2X "vs_2_x";
        0xfffe_02ff Vs2Sw "vs_2_sw";
        0xfffe_0300 Vs3_0 "vs_3_0";
        0xfffe_03ff Vs3Sw "vs_3_sw";
        0xffff_0101 Ps1_1 "ps_1_1";
        0xffff_0102 Ps1_2 "ps_1_2";
        0xffff_0103 Ps1_3 "ps_1_3";
        0xffff_0104 Ps1_4 "ps_1_4";
        0xffff_0200 Ps2_0 "ps_2_0";
        0xffff_0201 Ps2X "ps_2_x";
        0xffff_02ff Ps2Sw "ps_2_sw";
        0xffff_0300 Ps3_0 "ps_3_0";
        0xffff_03ff Ps3Sw "ps_3_sw";
    }
}

impl Version {
    /// The version with this name. `vs_2_a`, `ps_2_a` and `ps_2_b` are the compiler's names for 2_x.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "vs_2_a" => Some(Self::Vs2X),
            "ps_2_a" | "ps_2_b" => Some(Self::Ps2X),
            _ => Self::ALL.iter().copied().find(|version| version.text() == text),
        }
    }

    /// The stage.
    pub const fn stage(self) -> Stage {
        if self.code() >> 16 == 0xfffe { Stage::Vertex } else { Stage::Pixel }
    }

    /// The shader model: 1, 2 or 3.
    pub const fn major(self) -> u32 {
        self.code() >> 8 & 0xff
    }

    /// `true` if instruction tokens state their length; those of 1.x do not.
    pub const fn has_lengths(self) -> bool {
        self.major() >= 2
    }
}

/// A set of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Versions(u32);

impl Versions {
    /// No version.
    pub const NONE: Self = Self(0);

    /// The versions from `first` to `last`, inclusive.
    pub const fn range(first: Version, last: Version) -> Self {
        Self(((1 << (last as u16 + 1)) - 1) & !((1 << first as u16) - 1))
    }

    /// The versions of both sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `true` if `version` is in the set.
    pub const fn contains(self, version: Version) -> bool {
        self.0 & (1 << version as u16) != 0
    }
}
