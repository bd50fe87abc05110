//! Explains each instruction in one line, for people who write or read listings.
//!
//! `d` is the destination; `a`, `b`, `c` are the sources in their order. A statement about one component holds for each
//! in the destination's mask.

use super::Op;

impl Op {
    /// Its effect.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Nop => "nothing",
            Self::Mov => "d = a; in vs_1_0 and vs_1_1 also a0.x = a, converted to an integer",
            Self::Add => "d = a + b",
            Self::Sub => "d = a - b",
            Self::Mad => "d = a * b + c",
            Self::Mul => "d = a * b",
            Self::Rcp => "d = 1 / a",
            Self::Rsq => "d = 1 / square root of the absolute value of a",
            Self::Dp3 => "d = dot product of three components",
            Self::Dp4 => "d = dot product of four components",
            Self::Min => "d = the smaller one",
            Self::Max => "d = the larger one",
            Self::Slt => "d = 1 if a < b, else 0",
            Self::Sge => "d = 1 if a >= b, else 0",
            Self::Exp => "d = 2 to the power of a",
            Self::Log => "d = logarithm of the absolute value of a to the base 2",
            Self::Lit => "d = (1, diffuse, specular, 1) of a.x and a.y, the cosines, and a.w, the power",
            Self::Dst => "d = (1, a.y * b.y, a.z, b.w)",
            Self::Lrp => "d = a * (b - c) + c",
            Self::Frc => "d = a - floor(a)",
            Self::M4x4 => "d = dot products of four components of a with b and the three registers after it",
            Self::M4x3 => "d = dot products of four components of a with b and the two registers after it",
            Self::M3x4 => "d = dot products of three components of a with b and the three registers after it",
            Self::M3x3 => "d = dot products of three components of a with b and the two registers after it",
            Self::M3x2 => "d = dot products of three components of a with b and the register after it",
            Self::Call => "calls a subroutine",
            Self::CallNz => "calls a subroutine if the condition holds",
            Self::Loop => "begins a loop of i.x iterations, with aL from i.y in steps of i.z",
            Self::Ret => "returns from a subroutine, or ends the program",
            Self::EndLoop => "ends a loop: goes back to its beginning",
            Self::Label => "begins a subroutine",
            Self::Dcl => "declares an input, an output or a sampler",
            Self::Pow => "d = the absolute value of a to the power of b",
            Self::Crs => "d = cross product",
            Self::Sgn => "d = -1, 0 or 1, the sign of a; b and c are registers that it may use",
            Self::Abs => "d = a without its sign",
            Self::Nrm => "d = a / length of its first three components",
            Self::SinCosTaylor => "d.x = cosine, d.y = sine of a from -pi to pi; b and c are constants of the series",
            Self::SinCos => "d.x = cosine, d.y = sine of a from -pi to pi",
            Self::Rep => "begins a loop of i.x iterations",
            Self::EndRep => "ends a loop that rep began: goes back to its beginning",
            Self::If => "runs what follows if the condition holds",
            Self::IfC => "runs what follows if the comparison of a and b holds",
            Self::Else => "begins what runs if the condition of the if does not hold",
            Self::EndIf => "ends an if",
            Self::Break => "leaves the loop",
            Self::BreakC => "leaves the loop if the comparison of a and b holds",
            Self::MovA => "a0 = a, rounded to the nearest integer",
            Self::DefB => "gives a boolean constant its value",
            Self::DefI => "gives an integer constant its value",
            Self::TexCoord => "d = the texture coordinates of its stage, clamped to 0..1",
            Self::TexCrd => "d = the texture coordinates a",
            Self::TexKill => "discards the pixel if a component is below 0, in ps_1_x one of the first three",
            Self::Tex => "d = the texture of its stage at its coordinates",
            Self::TexLdStage => "d = the texture of its stage at coordinates a",
            Self::TexLd => "d = the texture of sampler b at coordinates a",
            Self::TexLdP => "d = the texture of sampler b at coordinates a / a.w",
            Self::TexLdB => "d = the texture of sampler b at coordinates a, its level biased by a.w",
            Self::TexBem => {
                "d = the texture of its stage at its coordinates, moved by a.xy times the stage's bump matrix"
            }
            Self::TexBemL => "as texbem, and multiplied by a.z as the stage's luminance says",
            Self::TexReg2Ar => "d = the texture of its stage at coordinates (a.w, a.x)",
            Self::TexReg2Gb => "d = the texture of its stage at coordinates (a.y, a.z)",
            Self::TexM3x2Pad => "the first row of a matrix of two: the dot product of a with the stage's coordinates",
            Self::TexM3x2Tex => "the second row; d = the texture of its stage at the two products",
            Self::TexM3x3Pad => {
                "the first or second row of a matrix of three: a dot product of a with the stage's coordinates"
            }
            Self::TexM3x3Tex => "the third row; d = the texture of its stage at the three products",
            Self::TexM3x3Spec => "the third row; d = the texture in the direction in which ray b is reflected there",
            Self::TexM3x3VSpec => "as texm3x3spec, with the ray in the fourth components of the three coordinates",
            Self::ExpP => "d = 2 to the power of a, less precise; in vs_1_0 and vs_1_1 with its parts in x and y",
            Self::LogP => "d = logarithm of the absolute value of a to the base 2, less precise",
            Self::Cnd => "d = b if r0.w > 0.5, else c",
            Self::CndEach => "d = b where a > 0.5, else c",
            Self::Def => "gives a float constant its value",
            Self::TexReg2Rgb => "d = the texture of its stage at coordinates a",
            Self::TexDp3Tex => "d = the texture of its stage at the dot product of a with the stage's coordinates",
            Self::TexM3x2Depth => "the second row; the pixel's depth = the first product / the second, or 1",
            Self::TexDp3 => "d = dot product of a with the coordinates of its stage",
            Self::TexM3x3 => "the third row; d = the three products",
            Self::TexDepth => "the pixel's depth = r5.x / r5.y, or 1",
            Self::Cmp => "d = b where a >= 0, else c",
            Self::Bem => "d.xy = a.xy + b.xy times the stage's bump matrix",
            Self::Dp2Add => "d = dot product of two components of a and b, + c",
            Self::DsX => "d = the derivative of a along x",
            Self::DsY => "d = the derivative of a along y",
            Self::TexLdD => "d = the texture of sampler b at coordinates a, with the gradients c and d",
            Self::SetP => "p0 = whether the comparison of a and b holds",
            Self::TexLdL => "d = the texture of sampler b at coordinates a, level a.w",
            Self::BreakP => "leaves the loop if the predicate holds",
            Self::Phase => "ends the first phase of ps_1_4",
        }
    }

    /// The name as it is written, with what must follow it.
    pub(super) fn mnemonic(self) -> String {
        format!("{}{}", self.text(), if self.has_comparison() { "_gt" } else { "" })
    }

    /// An example of it, with registers that exist in every version that has the instruction.
    pub fn example(self) -> String {
        let mut text = self.mnemonic();
        match self {
            Self::Dcl => text.push_str("_texcoord1 v0"),
            Self::Def => text.push_str(" c0, 0, 1, 0.5, 2"),
            Self::DefI => text.push_str(" i0, 3, 0, 1, 0"),
            Self::DefB => text.push_str(" b0, true"),
            _ => {}
        }
        for (n, slot) in self.info().slots.iter().enumerate() {
            text.push_str(if n == 0 { " " } else { ", " });
            text.push_str(&slot.example(n));
        }
        text
    }
}
