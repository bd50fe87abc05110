//! Register files: one row per file, with the number of registers in each version.

use super::version::Version;
use crate::sm5::Stage;

/// Access of a program to a file's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterAccess {
    /// Arithmetic instructions read it.
    Read,
    /// Instructions write it.
    Write,
    /// Both.
    ReadWrite,
    /// Only special instructions name it.
    Named,
}

/// A row of the table of files.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// The number in the token, five bits.
    pub code: u32,
    /// The stage in which the number has this meaning; `None` for both.
    pub stage: Option<Stage>,
    /// The name before the register's number.
    pub text: &'static str,
    /// Permitted access.
    pub access: RegisterAccess,
    /// Number of registers in each version, in the order of [`Version::ALL`].
    pub counts: [u16; 16],
}

macro_rules! files {
    ($( $code:literal, $name:ident, $text:literal, $stage:expr, $access:ident, [$($count:literal)*]; )*) => {
        /// A register file. The constants beyond c2047 have file numbers of their own, but are the same file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RegisterFile {
            $( #[doc = concat!("`", $text, "#`")] $name, )*
        }

        impl RegisterFile {
            /// Every file.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The file's row.
            pub const fn info(self) -> &'static FileInfo {
                match self {
                    $( Self::$name => &FileInfo {
                        code: $code,
                        stage: $stage,
                        text: $text,
                        access: RegisterAccess::$access,
                        counts: [$($count),*],
                    }, )*
                }
            }
        }
    };
}

const ANY: Option<Stage> = None;
const VS: Option<Stage> = Some(Stage::Vertex);
const PS: Option<Stage> = Some(Stage::Pixel);

// The columns: vs 1_0 1_1 2_0 2_x 2_sw 3_0 3_sw, ps 1_1 1_2 1_3 1_4 2_0 2_x 2_sw 3_0 3_sw. Vertex shaders may have as
// many float constants as the device has; tokens can name 8192.
files! {
    0, Temp, "r", ANY, ReadWrite, [12 12 12 32 32 32 32 2 2 2 6 12 32 32 32 32];
    1, Input, "v", ANY, Read, [16 16 16 16 16 16 16 2 2 2 2 2 2 2 10 14];
    2, Const, "c", ANY, Read, [8192 8192 8192 8192 8192 8192 8192 8 8 8 8 32 32 8192 224 8192];
    3, Address, "a", VS, Named, [1 1 1 1 1 1 1 0 0 0 0 0 0 0 0 0];
    3, Texture, "t", PS, ReadWrite, [0 0 0 0 0 0 0 4 4 4 6 8 8 8 0 0];
    4, Rasterizer, "o", VS, Write, [3 3 3 3 3 0 0 0 0 0 0 0 0 0 0 0];
    5, Color, "oD", VS, Write, [2 2 2 2 2 0 0 0 0 0 0 0 0 0 0 0];
    6, TexCoord, "oT", VS, Write, [8 8 8 8 8 0 0 0 0 0 0 0 0 0 0 0];
    6, Output, "o", VS, Write, [0 0 0 0 0 12 16 0 0 0 0 0 0 0 0 0];
    7, ConstInt, "i", ANY, Named, [0 0 16 16 2048 16 2048 0 0 0 0 0 16 2048 16 2048];
    8, ColorOut, "oC", PS, Write, [0 0 0 0 0 0 0 0 0 0 0 4 4 4 4 4];
    9, DepthOut, "oDepth", PS, Write, [0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1];
    10, Sampler, "s", ANY, Named, [0 0 0 0 0 4 4 0 0 0 0 16 16 16 16 16];
    14, ConstBool, "b", ANY, Named, [0 0 16 16 2048 16 2048 0 0 0 0 16 16 2048 16 2048];
    15, Loop, "aL", ANY, Named, [0 0 1 1 1 1 1 0 0 0 0 0 0 0 1 1];
    17, Misc, "v", PS, Read, [0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 2];
    18, Label, "l", ANY, Named, [0 0 2048 2048 2048 2048 2048 0 0 0 0 0 2048 2048 2048 2048];
    19, Predicate, "p", ANY, Named, [0 0 0 1 1 1 1 0 0 0 0 0 1 1 1 1];
}

/// Registers of one file number of a token.
const PER_CODE: u16 = 2048;

impl RegisterFile {
    /// Number of registers in `version`.
    pub fn count(self, version: Version) -> u16 {
        self.info().counts[version as usize]
    }
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// Its file.
    pub file: RegisterFile,
    /// Its number.
    pub number: u16,
}

impl Register {
    /// a0.
    pub const A0: Self = Self { file: RegisterFile::Address, number: 0 };
    /// vPos.
    pub const POSITION: Self = Self { file: RegisterFile::Misc, number: 0 };
    /// vFace.
    pub const FACE: Self = Self { file: RegisterFile::Misc, number: 1 };

    /// The register that a token names; the error is the unknown file number.
    pub fn from_token(token: u32, version: Version) -> Result<Self, u32> {
        let code = token >> 28 & 7 | token >> 8 & 0x18;
        let number = (token & 0x7ff) as u16;
        // The constants from c2048 on.
        if let 11..=13 = code {
            return Ok(Self { file: RegisterFile::Const, number: number + PER_CODE * (code as u16 - 10) });
        }
        let file = match code {
            // Pixel shaders have no such registers, but the listing has these names.
            6 if version.major() >= 3 => RegisterFile::Output,
            6 => RegisterFile::TexCoord,
            3 if version.stage() == Stage::Vertex => RegisterFile::Address,
            3 => RegisterFile::Texture,
            _ => RegisterFile::ALL.iter().copied().find(|file| file.info().code == code).ok_or(code)?,
        };
        Ok(Self { file, number })
    }

    /// The bits of a token that name the register, and bit 31.
    pub fn token(self) -> u32 {
        let code = match (self.file, self.number / PER_CODE) {
            (RegisterFile::Const, block @ 1..) => 10 + u32::from(block),
            (file, _) => file.info().code,
        };
        1 << 31 | (code & 7) << 28 | (code >> 3) << 11 | u32::from(self.number % PER_CODE)
    }

    /// `true` if `version` has it.
    pub fn exists_in(self, version: Version) -> bool {
        self.number < self.file.count(version)
    }
}

impl std::fmt::Display for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file, self.number) {
            (RegisterFile::Rasterizer, 0) => f.write_str("oPos"),
            (RegisterFile::Rasterizer, 1) => f.write_str("oFog"),
            (RegisterFile::Rasterizer, 2) => f.write_str("oPts"),
            (RegisterFile::Rasterizer, number) => write!(f, "oX{number}"),
            (RegisterFile::Misc, 0) => f.write_str("vPos"),
            (RegisterFile::Misc, 1) => f.write_str("vFace"),
            (RegisterFile::Misc, number) => write!(f, "m{number}"),
            (file @ (RegisterFile::Loop | RegisterFile::DepthOut), _) => f.write_str(file.info().text),
            (file, number) => write!(f, "{}{number}", file.info().text),
        }
    }
}
