//! The instruction table: one row per instruction of shader models 1.0 to 3.0, and no other list of them.
//!
//! A row holds its number, its control number, its name, the versions that have it, its operands in the order of the
//! token stream and its slots in the listing's count. One number may have several rows: the same opcode samples a
//! texture in three ways by version (`tex`, and two forms of `texld`), and in three ways by control number (`texld`,
//! `texldp`, `texldb`). The versions and control numbers of such rows are disjoint.
//!
//! The versions are those in which the assembler of Direct3D 9 accepts the instruction.

use super::version::{Version, Versions};

/// One operand of an instruction, in the order of the token stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A register that is written.
    Write,
    /// The address register, which is written.
    WriteAddress,
    /// The predicate register, which is written.
    WritePredicate,
    /// A register that is read although it is encoded as a destination (`texkill`).
    Test,
    /// A value.
    Read,
    /// A value of one component: the swizzle must repeat one.
    ReadScalar,
    /// The first of this many consecutive registers: the rows of a matrix.
    Matrix(u8),
    /// A sampler.
    Sampler,
    /// A label.
    Label,
    /// The loop counter.
    Loop,
    /// An integer constant.
    Integer,
    /// A boolean constant, or a component of the predicate register.
    Condition,
    /// A component of the predicate register.
    Predicate,
}

impl Slot {
    /// `true` if the operand's token has the layout of a destination.
    pub const fn is_destination(self) -> bool {
        matches!(self, Self::Write | Self::WriteAddress | Self::WritePredicate | Self::Test)
    }

    /// An example of the operand at this position.
    pub(super) fn example(self, position: usize) -> String {
        match self {
            Self::Write | Self::Test => "r0".into(),
            Self::WriteAddress => "a0".into(),
            Self::WritePredicate => "p0".into(),
            Self::Read if position < 2 => format!("r{position}"),
            Self::ReadScalar if position < 2 => format!("r{position}.x"),
            Self::Read | Self::Matrix(_) => format!("c{position}"),
            Self::ReadScalar => format!("c{position}.x"),
            Self::Sampler => "s0".into(),
            Self::Label => "l0".into(),
            Self::Loop => "aL".into(),
            Self::Integer => "i0".into(),
            Self::Condition => "b0".into(),
            Self::Predicate => "p0.x".into(),
        }
    }
}

/// Class of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Arithmetic: may be predicated.
    Arithmetic,
    /// Texture addressing: may be predicated.
    Texture,
    /// Flow control.
    Flow,
    /// Setup: declarations and definitions.
    Setup,
}

/// Slots that the listing counts for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cost {
    texture: u8,
    arithmetic: u8,
    arithmetic_vs_1_1: u8,
}

impl Cost {
    const fn arithmetic(slots: u8) -> Self {
        Self { texture: 0, arithmetic: slots, arithmetic_vs_1_1: slots }
    }

    /// Slots of texture and of arithmetic instructions. Pixel shaders 1.x count every arithmetic instruction as one.
    pub fn slots(self, version: Version) -> (u32, u32) {
        let arithmetic = match version {
            Version::Vs1_1 => self.arithmetic_vs_1_1,
            Version::Ps1_1 | Version::Ps1_2 | Version::Ps1_3 | Version::Ps1_4 => self.arithmetic.min(1),
            _ => self.arithmetic,
        };
        (self.texture.into(), arithmetic.into())
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The instruction.
    pub op: Op,
    /// Its number in the token stream.
    pub code: u16,
    /// The number in the control bits, 0 for instructions with a comparison in these bits.
    pub control: u8,
    /// Its name, without the comparison.
    pub text: &'static str,
    /// The class.
    pub class: Class,
    /// The versions that have it.
    pub versions: Versions,
    /// Its operands.
    pub slots: &'static [Slot],
    /// Slots that the listing counts for it.
    pub cost: Cost,
}

// Short names for the table's columns.
const VS: Versions = Versions::range(Version::Vs1_0, Version::Vs3Sw);
const VS2: Versions = Versions::range(Version::Vs2_0, Version::Vs3Sw);
const VS2X: Versions = Versions::range(Version::Vs2X, Version::Vs3Sw);
const VS3: Versions = Versions::range(Version::Vs3_0, Version::Vs3Sw);
const PS: Versions = Versions::range(Version::Ps1_1, Version::Ps3Sw);
const PS11_13: Versions = Versions::range(Version::Ps1_1, Version::Ps1_3);
const PS12_13: Versions = Versions::range(Version::Ps1_2, Version::Ps1_3);
const PS12: Versions = Versions::range(Version::Ps1_2, Version::Ps3Sw);
const PS13: Versions = Versions::range(Version::Ps1_3, Version::Ps1_3);
const PS14: Versions = Versions::range(Version::Ps1_4, Version::Ps1_4);
const PS2: Versions = Versions::range(Version::Ps2_0, Version::Ps3Sw);
const PS2X: Versions = Versions::range(Version::Ps2X, Version::Ps3Sw);
const PS3: Versions = Versions::range(Version::Ps3_0, Version::Ps3Sw);
const ALL: Versions = VS.or(PS);

/// This many slots of arithmetic.
const fn a(slots: u8) -> Cost {
    Cost::arithmetic(slots)
}

/// Slots of texture and of arithmetic instructions.
const fn t(texture: u8, arithmetic: u8) -> Cost {
    Cost { texture, arithmetic, arithmetic_vs_1_1: arithmetic }
}

/// One slot, but this many in vs_1_1, where it is a macro.
const fn macro_1_1(slots: u8) -> Cost {
    Cost { texture: 0, arithmetic: 1, arithmetic_vs_1_1: slots }
}

/// The operand column's vocabulary.
#[allow(non_upper_case_globals)]
mod slots {
    use super::Slot;

    pub const d: Slot = Slot::Write;
    pub const da: Slot = Slot::WriteAddress;
    pub const dp: Slot = Slot::WritePredicate;
    pub const test: Slot = Slot::Test;
    pub const s: Slot = Slot::Read;
    pub const s1: Slot = Slot::ReadScalar;
    pub const m2: Slot = Slot::Matrix(2);
    pub const m3: Slot = Slot::Matrix(3);
    pub const m4: Slot = Slot::Matrix(4);
    pub const smp: Slot = Slot::Sampler;
    pub const label: Slot = Slot::Label;
    pub const al: Slot = Slot::Loop;
    pub const int: Slot = Slot::Integer;
    pub const cond: Slot = Slot::Condition;
    pub const pred: Slot = Slot::Predicate;
}

macro_rules! sm3_ops {
    ($( $code:literal $(/ $control:literal)?, $name:ident, $text:literal, $versions:expr, $class:ident, [$($slot:ident)*], $cost:expr; )*) => {
        /// An instruction of shader models 1.1 to 3.0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $( #[doc = concat!("`", $text, "`")] $name, )*
        }

        impl Op {
            /// Every instruction, in the order of the numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The instruction's row.
            pub const fn info(self) -> &'static OpInfo {
                match self {
                    $( Self::$name => const { &OpInfo {
                        op: Op::$name,
                        code: $code,
                        control: 0 $(+ $control)?,
                        text: $text,
                        class: Class::$class,
                        versions: $versions,
                        slots: &[$(slots::$slot),*],
                        cost: $cost,
                    } }, )*
                }
            }
        }
    };
}

impl Op {
    /// `true` if some version has an instruction with this number.
    pub fn is_code(code: u16) -> bool {
        Self::ALL.iter().any(|op| op.info().code == code)
    }

    /// The instruction with this number and control number in `version`; `control` is ignored if the row has a
    /// comparison.
    pub fn find(code: u16, control: u8, version: Version) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| {
            let info = op.info();
            info.code == code && info.versions.contains(version) && (info.control == control || op.has_comparison())
        })
    }

    /// The instruction's name, without the comparison.
    pub const fn text(self) -> &'static str {
        self.info().text
    }

    /// `true` if the control bits hold a comparison.
    pub const fn has_comparison(self) -> bool {
        matches!(self, Self::IfC | Self::BreakC | Self::SetP)
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

sm3_ops! {
    0x00, Nop, "nop", ALL, Arithmetic, [], a(0);
    0x01, Mov, "mov", ALL, Arithmetic, [d s], a(1);
    0x02, Add, "add", ALL, Arithmetic, [d s s], a(1);
    0x03, Sub, "sub", ALL, Arithmetic, [d s s], a(1);
    0x04, Mad, "mad", ALL, Arithmetic, [d s s s], a(1);
    0x05, Mul, "mul", ALL, Arithmetic, [d s s], a(1);
    0x06, Rcp, "rcp", VS.or(PS2), Arithmetic, [d s1], a(1);
    0x07, Rsq, "rsq", VS.or(PS2), Arithmetic, [d s1], a(1);
    0x08, Dp3, "dp3", ALL, Arithmetic, [d s s], a(1);
    0x09, Dp4, "dp4", VS.or(PS12), Arithmetic, [d s s], a(1);
    0x0a, Min, "min", VS.or(PS2), Arithmetic, [d s s], a(1);
    0x0b, Max, "max", VS.or(PS2), Arithmetic, [d s s], a(1);
    0x0c, Slt, "slt", VS, Arithmetic, [d s s], a(1);
    0x0d, Sge, "sge", VS, Arithmetic, [d s s], a(1);
    0x0e, Exp, "exp", VS.or(PS2), Arithmetic, [d s1], macro_1_1(10);
    0x0f, Log, "log", VS.or(PS2), Arithmetic, [d s1], macro_1_1(10);
    0x10, Lit, "lit", VS, Arithmetic, [d s], a(1);
    0x11, Dst, "dst", VS, Arithmetic, [d s s], a(1);
    0x12, Lrp, "lrp", VS2.or(PS), Arithmetic, [d s s s], a(1);
    0x13, Frc, "frc", VS.or(PS2), Arithmetic, [d s], macro_1_1(3);
    0x14, M4x4, "m4x4", VS.or(PS2), Arithmetic, [d s m4], a(4);
    0x15, M4x3, "m4x3", VS.or(PS2), Arithmetic, [d s m3], a(3);
    0x16, M3x4, "m3x4", VS.or(PS2), Arithmetic, [d s m4], a(4);
    0x17, M3x3, "m3x3", VS.or(PS2), Arithmetic, [d s m3], a(3);
    0x18, M3x2, "m3x2", VS.or(PS2), Arithmetic, [d s m2], a(2);
    0x19, Call, "call", VS2.or(PS2X), Flow, [label], a(2);
    0x1a, CallNz, "callnz", VS2.or(PS2X), Flow, [label cond], a(3);
    0x1b, Loop, "loop", VS2.or(PS3), Flow, [al int], a(3);
    0x1c, Ret, "ret", VS2.or(PS2X), Flow, [], a(1);
    0x1d, EndLoop, "endloop", VS2.or(PS3), Flow, [], a(2);
    0x1e, Label, "label", VS2.or(PS2X), Flow, [label], a(0);
    0x1f, Dcl, "dcl", VS.or(PS2), Setup, [], a(0);
    0x20, Pow, "pow", VS2.or(PS2), Arithmetic, [d s1 s1], a(3);
    0x21, Crs, "crs", VS2.or(PS2), Arithmetic, [d s s], a(2);
    0x22, Sgn, "sgn", VS2, Arithmetic, [d s s s], a(3);
    0x23, Abs, "abs", VS2.or(PS2), Arithmetic, [d s], a(1);
    0x24, Nrm, "nrm", VS2.or(PS2), Arithmetic, [d s], a(3);
    0x25, SinCosTaylor, "sincos", Versions::range(Version::Vs2_0, Version::Vs2Sw).or(Versions::range(Version::Ps2_0, Version::Ps2Sw)), Arithmetic, [d s1 s s], a(8);
    0x25, SinCos, "sincos", VS3.or(PS3), Arithmetic, [d s1], a(8);
    0x26, Rep, "rep", VS2.or(PS2X), Flow, [int], a(3);
    0x27, EndRep, "endrep", VS2.or(PS2X), Flow, [], a(2);
    0x28, If, "if", VS2.or(PS2), Flow, [cond], a(3);
    0x29, IfC, "if", VS2.or(PS2), Flow, [s1 s1], a(3);
    0x2a, Else, "else", VS2.or(PS2), Flow, [], a(1);
    0x2b, EndIf, "endif", VS2.or(PS2), Flow, [], a(1);
    0x2c, Break, "break", VS2.or(PS2X), Flow, [], a(1);
    0x2d, BreakC, "break", VS2.or(PS2X), Flow, [s1 s1], a(3);
    0x2e, MovA, "mova", VS2, Arithmetic, [da s], a(1);
    0x2f, DefB, "defb", VS2.or(PS2), Setup, [], a(0);
    0x30, DefI, "defi", VS2.or(PS2X), Setup, [], a(0);
    0x40, TexCoord, "texcoord", PS11_13, Texture, [d], t(1, 0);
    0x40, TexCrd, "texcrd", PS14, Texture, [d s], t(1, 0);
    0x41, TexKill, "texkill", PS, Texture, [test], a(1);
    0x42, Tex, "tex", PS11_13, Texture, [d], t(1, 0);
    0x42, TexLdStage, "texld", PS14, Texture, [d s], t(1, 0);
    0x42, TexLd, "texld", PS2, Texture, [d s smp], t(1, 0);
    0x42 / 1, TexLdP, "texldp", PS2, Texture, [d s smp], t(1, 0);
    0x42 / 2, TexLdB, "texldb", PS2, Texture, [d s smp], t(1, 0);
    0x43, TexBem, "texbem", PS11_13, Texture, [d s], t(1, 0);
    0x44, TexBemL, "texbeml", PS11_13, Texture, [d s], t(1, 0);
    0x45, TexReg2Ar, "texreg2ar", PS11_13, Texture, [d s], t(1, 0);
    0x46, TexReg2Gb, "texreg2gb", PS11_13, Texture, [d s], t(1, 0);
    0x47, TexM3x2Pad, "texm3x2pad", PS11_13, Texture, [d s], t(1, 0);
    0x48, TexM3x2Tex, "texm3x2tex", PS11_13, Texture, [d s], t(1, 0);
    0x49, TexM3x3Pad, "texm3x3pad", PS11_13, Texture, [d s], t(1, 0);
    0x4a, TexM3x3Tex, "texm3x3tex", PS11_13, Texture, [d s], t(1, 0);
    0x4c, TexM3x3Spec, "texm3x3spec", PS11_13, Texture, [d s s], t(1, 0);
    0x4d, TexM3x3VSpec, "texm3x3vspec", PS11_13, Texture, [d s], t(1, 0);
    0x4e, ExpP, "expp", VS, Arithmetic, [d s1], a(1);
    0x4f, LogP, "logp", VS, Arithmetic, [d s1], a(1);
    0x50, Cnd, "cnd", PS11_13, Arithmetic, [d s1 s s], a(1);
    0x50, CndEach, "cnd", PS14, Arithmetic, [d s s s], a(1);
    0x51, Def, "def", ALL, Setup, [], a(0);
    0x52, TexReg2Rgb, "texreg2rgb", PS12_13, Texture, [d s], t(1, 0);
    0x53, TexDp3Tex, "texdp3tex", PS12_13, Texture, [d s], t(1, 0);
    0x54, TexM3x2Depth, "texm3x2depth", PS13, Texture, [d s], t(1, 0);
    0x55, TexDp3, "texdp3", PS12_13, Texture, [d s], t(1, 0);
    0x56, TexM3x3, "texm3x3", PS12_13, Texture, [d s], t(1, 0);
    0x57, TexDepth, "texdepth", PS14, Texture, [d], a(1);
    0x58, Cmp, "cmp", PS12, Arithmetic, [d s s s], a(1);
    0x59, Bem, "bem", PS14, Arithmetic, [d s s], a(2);
    0x5a, Dp2Add, "dp2add", PS2, Arithmetic, [d s s s1], a(2);
    0x5b, DsX, "dsx", PS2X, Arithmetic, [d s], a(2);
    0x5c, DsY, "dsy", PS2X, Arithmetic, [d s], a(2);
    0x5d, TexLdD, "texldd", PS2X, Texture, [d s smp s s], t(1, 2);
    0x5e, SetP, "setp", VS2X.or(PS2X), Arithmetic, [dp s s], a(1);
    0x5f, TexLdL, "texldl", VS3.or(PS3), Texture, [d s smp], t(2, 0);
    0x60, BreakP, "breakp", VS2X.or(PS2X), Flow, [pred], a(3);
    0xfffd, Phase, "phase", PS14, Flow, [], a(0);
}
