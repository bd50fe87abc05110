//! Maps each opcode to the function that translates it, one row per opcode.

use brolga_bytecode::sm3::{Instruction, Op as Opcode};

use super::componentwise::op;
use super::texture::Lookup;
use super::texture_stage::Transformed;
use super::{Result, Translator};
use crate::ops::Op;

const XYZ: u8 = 0b0111;
const XYZW: u8 = 0b1111;
const ALPHA: u8 = 0b1000;

impl Translator<'_, '_> {
    /// Translates the instruction `i` at a position of the program.
    pub(super) fn instruction(&mut self, position: usize, i: &Instruction) -> Result {
        match i.op {
            // Moves.
            Opcode::Mov => self.mov(i),
            Opcode::MovA => self.mova(i),
            // Component by component.
            Opcode::Add => self.each(i, op(Op::FAdd)),
            Opcode::Sub => self.each(i, op(Op::FSub)),
            Opcode::Mul => self.each(i, Self::mul),
            Opcode::Mad => self.each(i, Self::mad),
            Opcode::Min => self.each(i, op(Op::FMin)),
            Opcode::Max => self.each(i, op(Op::FMax)),
            Opcode::Slt => self.each(i, |t, s| t.one_where(Op::FLt, s)),
            Opcode::Sge => self.each(i, |t, s| t.one_where(Op::FGe, s)),
            Opcode::Abs => self.each(i, op(Op::FAbs)),
            Opcode::Sgn => self.each(i, Self::sgn),
            Opcode::Frc => self.each(i, Self::frc),
            Opcode::Lrp => self.each(i, Self::lrp),
            Opcode::Cmp => self.each(i, Self::cmp),
            // Co-issued with an instruction for alpha, devices take the second source, whatever the first one is.
            Opcode::Cnd if i.coissue && i.written() != Some(ALPHA) => self.each(i, |_, s| s[1]),
            Opcode::Cnd | Opcode::CndEach => self.each(i, Self::cnd),
            // One value for all components.
            Opcode::Rcp => self.scalar(i, Self::rcp),
            Opcode::Rsq => self.scalar(i, Self::rsq),
            Opcode::Exp => self.scalar(i, Self::exp),
            Opcode::Log | Opcode::LogP => self.scalar(i, Self::log),
            Opcode::Pow => self.scalar(i, Self::pow),
            // Vectors.
            Opcode::Dp3 => self.dot(i, XYZ),
            Opcode::Dp4 => self.dot(i, XYZW),
            Opcode::Dp2Add => self.dp2add(i),
            Opcode::M4x4 | Opcode::M4x3 => self.matrix(i, XYZW),
            Opcode::M3x4 | Opcode::M3x3 | Opcode::M3x2 => self.matrix(i, XYZ),
            Opcode::Crs => self.crs(i),
            Opcode::Nrm => self.nrm(i),
            Opcode::Dst => self.dst(i),
            Opcode::Lit => self.lit(i),
            Opcode::ExpP => self.expp(i),
            Opcode::SinCos | Opcode::SinCosTaylor => self.sincos(i),
            // Flow.
            Opcode::If | Opcode::IfC => self.if_(position, i),
            Opcode::Loop | Opcode::Rep => self.loop_(position, i),
            Opcode::Break => self.break_(),
            Opcode::BreakC | Opcode::BreakP => self.break_where(i),
            Opcode::Call => self.call(i),
            Opcode::CallNz => self.call_where(i),
            Opcode::SetP => self.setp(i),
            // Textures.
            Opcode::TexLd => self.texld(i, Lookup::Plain),
            Opcode::TexLdP => self.texld(i, Lookup::Projected),
            Opcode::TexLdB => self.texld(i, Lookup::Biased),
            Opcode::TexLdL => self.texld(i, Lookup::Level),
            Opcode::TexLdD => self.texld(i, Lookup::Gradients),
            Opcode::DsX => self.derive(i, 0),
            Opcode::DsY => self.derive(i, 1),
            Opcode::TexKill => self.texkill(i),
            Opcode::TexLdStage => self.texld_stage(i),
            Opcode::TexCrd => self.texcrd(i),
            Opcode::TexDepth => self.texdepth(i),
            Opcode::Bem => self.bem(i),
            Opcode::Tex => self.tex(i),
            Opcode::TexCoord => self.texcoord(i),
            Opcode::TexBem => self.texbem(i, false),
            Opcode::TexBemL => self.texbem(i, true),
            Opcode::TexReg2Ar => self.texreg(i, [3, 0, 0]),
            Opcode::TexReg2Gb => self.texreg(i, [1, 2, 2]),
            Opcode::TexReg2Rgb => self.texreg(i, [0, 1, 2]),
            Opcode::TexDp3 => self.texdp3(i),
            Opcode::TexDp3Tex => self.texdp3tex(i),
            Opcode::TexM3x2Pad | Opcode::TexM3x3Pad => self.row(i),
            Opcode::TexM3x2Tex => self.last_row(i, 2, Transformed::Sampled),
            Opcode::TexM3x2Depth => self.last_row(i, 2, Transformed::Depth),
            Opcode::TexM3x3 => self.last_row(i, 3, Transformed::Stored),
            Opcode::TexM3x3Tex => self.last_row(i, 3, Transformed::Sampled),
            Opcode::TexM3x3Spec => self.last_row(i, 3, Transformed::Reflected),
            Opcode::TexM3x3VSpec => self.last_row(i, 3, Transformed::ReflectedVarying),
            // Handled before: ends and labels by the walk, declarations and definitions by the survey. Temporary
            // registers keep their alpha across a phase.
            Opcode::Nop
            | Opcode::Else
            | Opcode::EndIf
            | Opcode::EndLoop
            | Opcode::EndRep
            | Opcode::Ret
            | Opcode::Label
            | Opcode::Phase
            | Opcode::Dcl
            | Opcode::Def
            | Opcode::DefI
            | Opcode::DefB => Ok(()),
        }
    }
}
