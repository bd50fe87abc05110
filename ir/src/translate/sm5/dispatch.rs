//! Maps each opcode to the functions that translate it, one row per opcode.

use brolga_bytecode::sm5::{Instruction, Op as Opcode};

use super::super::derivative::Derivative;
use super::componentwise::op;
use super::operand::SourceType::{Float, Int};
use super::{Result, Translator, double, float, integer};
use crate::function::{AtomicOp, CounterOp};
use crate::ops::Op;
use crate::sampling::LevelSource::{Derivatives, Given, Zero};
use crate::sampling::SampleArg::{AlongX, AlongY, Bias, Clamp, Level, Offsets, Reference};
use crate::sampling::SampleKind::{self, Compare, Filter, GatherCompare};

/// A gather of the component that the sampler's operand selects.
const GATHER: SampleKind = SampleKind::Gather { component: 0 };

impl Translator<'_, '_> {
    /// Translates the instruction `i` at a position of the program.
    pub(super) fn instruction(&mut self, position: usize, i: &Instruction) -> Result {
        if let Some(operand) = self.computed_resource(i) {
            return self.with_each_resource(position, i, operand);
        }
        match i.op {
            // Floats.
            Opcode::Add => self.each(i, Float, op(Op::FAdd)),
            Opcode::Mul => self.each(i, Float, op(Op::FMul)),
            Opcode::Div => self.each(i, Float, op(Op::FDiv)),
            Opcode::Min => self.each(i, Float, op(Op::FMin)),
            Opcode::Max => self.each(i, Float, op(Op::FMax)),
            Opcode::Sqrt => self.each(i, Float, op(Op::FSqrt)),
            Opcode::RoundNe => self.each(i, Float, op(Op::FNearest)),
            Opcode::RoundNi => self.each(i, Float, op(Op::FFloor)),
            Opcode::RoundPi => self.each(i, Float, op(Op::FCeil)),
            Opcode::RoundZ => self.each(i, Float, op(Op::FTrunc)),
            Opcode::Eq => self.each(i, Float, op(Op::FEq)),
            Opcode::Ne => self.each(i, Float, op(Op::FNe)),
            Opcode::Lt => self.each(i, Float, op(Op::FLt)),
            Opcode::Ge => self.each(i, Float, op(Op::FGe)),
            Opcode::Mad if self.options.fused_mad => self.each(i, Float, op(Op::FFma)),
            Opcode::Mad => self.each(i, Float, float::mad),
            Opcode::Rcp => self.each(i, Float, float::rcp),
            Opcode::Rsq => self.each(i, Float, float::rsq),
            Opcode::Frc => self.each(i, Float, float::frc),
            Opcode::Exp => self.each(i, Float, float::exp),
            Opcode::Log => self.each(i, Float, float::log),
            Opcode::SinCos => self.each_two(i, Float, float::sincos),
            Opcode::Dp2 => self.dot(i, 2),
            Opcode::Dp3 => self.dot(i, 3),
            Opcode::Dp4 => self.dot(i, 4),
            // Conversions.
            Opcode::FtoI => self.each(i, Float, op(Op::FToS)),
            Opcode::FtoU => self.each(i, Float, op(Op::FToU)),
            Opcode::ItoF => self.each(i, Int, op(Op::SToF)),
            Opcode::UtoF => self.each(i, Int, op(Op::UToF)),
            Opcode::F32toF16 => self.each(i, Float, op(Op::F32ToF16)),
            Opcode::F16toF32 => self.each(i, Int, op(Op::F16ToF32)),
            // Integers and bits.
            Opcode::IAdd => self.each(i, Int, op(Op::IAdd)),
            Opcode::And => self.each(i, Int, op(Op::And)),
            Opcode::Or => self.each(i, Int, op(Op::Or)),
            Opcode::Xor => self.each(i, Int, op(Op::Xor)),
            Opcode::IShl => self.each(i, Int, op(Op::Shl)),
            Opcode::IShr => self.each(i, Int, op(Op::SShr)),
            Opcode::UShr => self.each(i, Int, op(Op::UShr)),
            Opcode::IMin => self.each(i, Int, op(Op::SMin)),
            Opcode::IMax => self.each(i, Int, op(Op::SMax)),
            Opcode::UMin => self.each(i, Int, op(Op::UMin)),
            Opcode::UMax => self.each(i, Int, op(Op::UMax)),
            Opcode::IEq => self.each(i, Int, op(Op::IEq)),
            Opcode::INe => self.each(i, Int, op(Op::INe)),
            Opcode::ILt => self.each(i, Int, op(Op::SLt)),
            Opcode::IGe => self.each(i, Int, op(Op::SGe)),
            Opcode::ULt => self.each(i, Int, op(Op::ULt)),
            Opcode::UGe => self.each(i, Int, op(Op::UGe)),
            Opcode::CountBits => self.each(i, Int, op(Op::CountBits)),
            Opcode::FirstBitHi => self.each(i, Int, op(Op::FirstBitHi)),
            Opcode::FirstBitLo => self.each(i, Int, op(Op::FirstBitLo)),
            Opcode::BfRev => self.each(i, Int, op(Op::BitReverse)),
            Opcode::INeg => self.each(i, Int, integer::neg),
            Opcode::Not => self.each(i, Int, integer::not),
            Opcode::IMad | Opcode::UMad => self.each(i, Int, integer::mad),
            Opcode::FirstBitShi => self.each(i, Int, integer::firstbit_shi),
            Opcode::Ubfe => self.each(i, Int, integer::ubfe),
            Opcode::Ibfe => self.each(i, Int, integer::ibfe),
            Opcode::Bfi => self.each(i, Int, integer::bfi),
            Opcode::Msad => self.each(i, Int, integer::msad),
            Opcode::IMul => self.each_two(i, Int, integer::imul),
            Opcode::UMul => self.each_two(i, Int, integer::umul),
            Opcode::UDiv => self.each_two(i, Int, integer::udiv),
            Opcode::UAddC => self.each_two(i, Int, integer::uaddc),
            Opcode::USubB => self.each_two(i, Int, integer::usubb),
            // Moves.
            Opcode::Mov => self.mov(i),
            Opcode::MovC => self.movc(i),
            Opcode::SwapC => self.swapc(i),
            Opcode::DMov => self.dmov(i),
            Opcode::DMovC => self.dmovc(i),
            // Doubles.
            Opcode::DAdd => self.each_double(i, op(Op::DAdd)),
            Opcode::DMul => self.each_double(i, op(Op::DMul)),
            Opcode::DMin => self.each_double(i, op(Op::DMin)),
            Opcode::DMax => self.each_double(i, op(Op::DMax)),
            Opcode::DDiv => self.each_double(i, op(Op::DDiv)),
            Opcode::DFma => self.each_double(i, op(Op::DFma)),
            Opcode::DRcp => self.each_double(i, double::rcp),
            Opcode::DEq => self.words_of_doubles(i, op(Op::DEq)),
            Opcode::DNe => self.words_of_doubles(i, op(Op::DNe)),
            Opcode::DLt => self.words_of_doubles(i, op(Op::DLt)),
            Opcode::DGe => self.words_of_doubles(i, op(Op::DGe)),
            Opcode::DtoF => self.words_of_doubles(i, op(Op::DToF)),
            Opcode::DtoI => self.words_of_doubles(i, op(Op::DToS)),
            Opcode::DtoU => self.words_of_doubles(i, op(Op::DToU)),
            Opcode::FtoD => self.doubles_of_words(i, Float, op(Op::FToD)),
            Opcode::ItoD => self.doubles_of_words(i, Int, op(Op::SToD)),
            Opcode::UtoD => self.doubles_of_words(i, Int, op(Op::UToD)),
            // Buffers and shared memory.
            Opcode::LdRaw | Opcode::LdRawS => self.ld_raw(i),
            Opcode::LdStructured | Opcode::LdStructuredS => self.ld_structured(i),
            Opcode::StoreRaw => self.store_raw(i),
            Opcode::StoreStructured => self.store_structured(i),
            Opcode::AtomicAnd => self.atomic(i, AtomicOp::And),
            Opcode::AtomicOr => self.atomic(i, AtomicOp::Or),
            Opcode::AtomicXor => self.atomic(i, AtomicOp::Xor),
            Opcode::AtomicIAdd => self.atomic(i, AtomicOp::Add),
            Opcode::AtomicIMax => self.atomic(i, AtomicOp::SMax),
            Opcode::AtomicIMin => self.atomic(i, AtomicOp::SMin),
            Opcode::AtomicUMax => self.atomic(i, AtomicOp::UMax),
            Opcode::AtomicUMin => self.atomic(i, AtomicOp::UMin),
            Opcode::AtomicCmpStore => self.atomic_compare(i),
            Opcode::ImmAtomicAnd => self.imm_atomic(i, AtomicOp::And),
            Opcode::ImmAtomicOr => self.imm_atomic(i, AtomicOp::Or),
            Opcode::ImmAtomicXor => self.imm_atomic(i, AtomicOp::Xor),
            Opcode::ImmAtomicIAdd => self.imm_atomic(i, AtomicOp::Add),
            Opcode::ImmAtomicIMax => self.imm_atomic(i, AtomicOp::SMax),
            Opcode::ImmAtomicIMin => self.imm_atomic(i, AtomicOp::SMin),
            Opcode::ImmAtomicUMax => self.imm_atomic(i, AtomicOp::UMax),
            Opcode::ImmAtomicUMin => self.imm_atomic(i, AtomicOp::UMin),
            Opcode::ImmAtomicExch => self.imm_atomic(i, AtomicOp::Exchange),
            Opcode::ImmAtomicCmpExch => self.imm_atomic_compare(i),
            Opcode::ImmAtomicAlloc => self.counter(i, CounterOp::Alloc),
            Opcode::ImmAtomicConsume => self.counter(i, CounterOp::Consume),
            Opcode::Sync => self.sync(i),
            // Texels and queries.
            Opcode::Ld | Opcode::LdS => self.ld(i),
            Opcode::LdMs | Opcode::LdMsS => self.ldms(i),
            Opcode::LdUavTyped | Opcode::LdUavTypedS => self.ld_uav_typed(i),
            Opcode::StoreUavTyped => self.store_uav_typed(i),
            Opcode::BufInfo => self.bufinfo(i),
            Opcode::ResInfo => self.resinfo(i),
            Opcode::SampleInfo => self.sampleinfo(i),
            Opcode::SamplePos => self.samplepos(i),
            Opcode::CheckAccessFullyMapped => self.check_access(i),
            // Flow.
            Opcode::If => self.if_(position, i),
            Opcode::Loop => self.loop_(position),
            Opcode::Switch => self.switch(position, i),
            Opcode::Break => self.break_(),
            Opcode::BreakC => self.breakc(i),
            Opcode::Continue => self.continue_(),
            Opcode::ContinueC => self.continuec(i),
            Opcode::Call => self.call(i),
            Opcode::CallC => self.callc(i),
            Opcode::FCall => self.fcall(i),
            Opcode::Ret => self.ret(),
            Opcode::RetC => self.retc(i),
            // Markers whose positions the constructs know.
            Opcode::Else
            | Opcode::EndIf
            | Opcode::EndLoop
            | Opcode::EndSwitch
            | Opcode::Case
            | Opcode::Default
            | Opcode::Label => Ok(()),
            // There is no debugger.
            Opcode::Nop | Opcode::DebugBreak => Ok(()),
            Opcode::Abort => self.abort(),
            // Sampling.
            Opcode::Sample => self.sample(i, Filter, Derivatives, &[]),
            Opcode::SampleC => self.sample(i, Compare, Derivatives, &[Reference]),
            Opcode::SampleCLz | Opcode::SampleCLzS => self.sample(i, Compare, Zero, &[Reference]),
            Opcode::SampleL | Opcode::SampleLS => self.sample(i, Filter, Given, &[Level]),
            Opcode::SampleD => self.sample(i, Filter, Derivatives, &[AlongX, AlongY]),
            Opcode::SampleB => self.sample(i, Filter, Derivatives, &[Bias]),
            Opcode::SampleClS => self.sample(i, Filter, Derivatives, &[Clamp]),
            Opcode::SampleBClS => self.sample(i, Filter, Derivatives, &[Bias, Clamp]),
            Opcode::SampleDClS => self.sample(i, Filter, Derivatives, &[AlongX, AlongY, Clamp]),
            Opcode::SampleCClS => self.sample(i, Compare, Derivatives, &[Reference, Clamp]),
            Opcode::Lod => self.sample(i, SampleKind::Level, Derivatives, &[]),
            Opcode::Gather4 | Opcode::Gather4S => self.sample(i, GATHER, Zero, &[]),
            Opcode::Gather4C | Opcode::Gather4CS => self.sample(i, GatherCompare, Zero, &[Reference]),
            Opcode::Gather4Po | Opcode::Gather4PoS => self.sample(i, GATHER, Zero, &[Offsets]),
            Opcode::Gather4PoC | Opcode::Gather4PoCS => self.sample(i, GatherCompare, Zero, &[Offsets, Reference]),
            Opcode::DerivRtx | Opcode::DerivRtxCoarse => self.derive(i, Derivative::AlongX),
            Opcode::DerivRty | Opcode::DerivRtyCoarse => self.derive(i, Derivative::AlongY),
            Opcode::DerivRtxFine => self.derive(i, Derivative::AlongXFine),
            Opcode::DerivRtyFine => self.derive(i, Derivative::AlongYFine),
            // Vertices of a geometry shader.
            Opcode::Emit | Opcode::EmitStream => self.emit(i, false),
            Opcode::EmitThenCut | Opcode::EmitThenCutStream => self.emit(i, true),
            Opcode::Cut | Opcode::CutStream => self.cut(i),
            // Phases of a hull shader begin with these: they are translated one by one.
            Opcode::HsDecls | Opcode::HsControlPointPhase | Opcode::HsForkPhase | Opcode::HsJoinPhase => Ok(()),
            // Pixels.
            Opcode::Discard => self.discard(i),
            Opcode::EvalSnapped => self.eval_snapped(i),
            Opcode::EvalSampleIndex => self.eval_sample_index(i),
            Opcode::EvalCentroid => self.eval_centroid(i),
            // Not instructions: declarations have been handled before, and what data blocks do in `control.rs`.
            Opcode::CustomData
            | Opcode::DclResource
            | Opcode::DclConstantBuffer
            | Opcode::DclSampler
            | Opcode::DclIndexRange
            | Opcode::DclOutputTopology
            | Opcode::DclInputPrimitive
            | Opcode::DclMaxOutputVertexCount
            | Opcode::DclInput
            | Opcode::DclInputSgv
            | Opcode::DclInputSiv
            | Opcode::DclInputPs
            | Opcode::DclInputPsSgv
            | Opcode::DclInputPsSiv
            | Opcode::DclOutput
            | Opcode::DclOutputSgv
            | Opcode::DclOutputSiv
            | Opcode::DclTemps
            | Opcode::DclIndexableTemp
            | Opcode::DclGlobalFlags
            | Opcode::DclStream
            | Opcode::DclFunctionBody
            | Opcode::DclFunctionTable
            | Opcode::DclInterface
            | Opcode::DclInputControlPointCount
            | Opcode::DclOutputControlPointCount
            | Opcode::DclTessellatorDomain
            | Opcode::DclTessellatorPartitioning
            | Opcode::DclTessellatorOutputPrimitive
            | Opcode::DclHsMaxTessFactor
            | Opcode::DclHsForkPhaseInstanceCount
            | Opcode::DclHsJoinPhaseInstanceCount
            | Opcode::DclThreadGroup
            | Opcode::DclUavTyped
            | Opcode::DclUavRaw
            | Opcode::DclUavStructured
            | Opcode::DclTgsmRaw
            | Opcode::DclTgsmStructured
            | Opcode::DclResourceRaw
            | Opcode::DclResourceStructured
            | Opcode::DclGsInstances => Ok(()),
        }
    }
}
