//! Lists the instructions that may be rewritten for wider registers, and the form that each takes there.
//!
//! One row for each instruction of Cranelift's that works on whole registers, with its opcode at 128, 256 and 512 bits.
//! All three must perform the same operation on each 128 bits: the rewriting relies on that, so check it in the
//! processor's manual before adding a row. At 512 bits, comparisons, blends and tests go through a mask register; a
//! second list describes these. Scalar instructions stay as they are. Anything else is refused.

use iced_x86::Code::{self, INVALID};
use iced_x86::Mnemonic;

/// The way an instruction is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WideForm {
    /// Each 128 bits independently, from the operands after the first.
    Each(Code),
    /// The same, but the first operand is also a source.
    Fused(Code),
    /// The same, but the last operand is one count for all lanes.
    Counted(Code),
    /// Each lane shifted by its own count; borrowed, see [`borrowed`](super::borrowed).
    Shift(Code),
    /// Stores a whole register.
    Store(Code),
    /// Broadcasts a scalar to every lane.
    Broadcast(Code),
    /// Loads 32 bits into every lane; borrowed.
    LoadSplat(Code),
    /// Moves quadwords within each 128 bits; of a register that holds a scalar, to both halves.
    Paired(Code),
    /// Examines all lanes, and sets flags or a general-purpose register.
    Look(Code),
    /// Converts the lower two floats of each 128 bits to doubles.
    Promote,
    /// Converts the two doubles of each 128 bits to floats.
    Demote,
    /// Works on a scalar, or on 128 bits that are not a whole register.
    Narrow,
    /// The same, but the first operand is only a source.
    NarrowCompare,
    /// Other borrowed instructions.
    Borrowed(Borrowed),
}

/// Instructions that stand for other operations: shaders never need them for their own effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Borrowed {
    /// Extracts 128 bits of a register.
    Take(u8),
    /// Replaces 128 bits of a register.
    Insert(u8),
    /// Loads 128 bits.
    LoadPart,
    /// Stores 128 bits.
    StorePart,
    /// Gathers words.
    Gather,
}

macro_rules! forms {
    ($($form:ident { $($narrow:ident => $wide:ident | $widest:ident,)* })* ; $($single:expr => { $($code:ident)* })*) => {
        /// Returns how an instruction with vector registers is rewritten for this many parts, or `None` if it may not
        /// be.
        pub(super) fn form(code: Code, parts: u8) -> Option<WideForm> {
            let wider = |[wide, widest]: [Code; 2]| {
                let code = if parts == 2 { wide } else { widest };
                (code != INVALID).then_some(code)
            };
            Some(match code {
                $($(Code::$narrow => WideForm::$form(wider([Code::$wide, Code::$widest])?),)*)*
                $($(Code::$code => $single,)*)*
                _ => return None,
            })
        }
    };
}

forms! {
    Each {
        VEX_Vmovdqa_xmm_xmmm128 => VEX_Vmovdqa_ymm_ymmm256 | EVEX_Vmovdqa32_zmm_k1z_zmmm512,
        VEX_Vmovdqu_xmm_xmmm128 => VEX_Vmovdqu_ymm_ymmm256 | EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        VEX_Vmovaps_xmm_xmmm128 => VEX_Vmovaps_ymm_ymmm256 | EVEX_Vmovaps_zmm_k1z_zmmm512,
        VEX_Vmovapd_xmm_xmmm128 => VEX_Vmovapd_ymm_ymmm256 | EVEX_Vmovapd_zmm_k1z_zmmm512,
        VEX_Vmovups_xmm_xmmm128 => VEX_Vmovups_ymm_ymmm256 | EVEX_Vmovups_zmm_k1z_zmmm512,
        VEX_Vmovupd_xmm_xmmm128 => VEX_Vmovupd_ymm_ymmm256 | EVEX_Vmovupd_zmm_k1z_zmmm512,
        // Moves and spills by the register allocator, on any processor.
        Movdqa_xmm_xmmm128 => VEX_Vmovdqa_ymm_ymmm256 | EVEX_Vmovdqa32_zmm_k1z_zmmm512,
        Movdqu_xmm_xmmm128 => VEX_Vmovdqu_ymm_ymmm256 | EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        Movaps_xmm_xmmm128 => VEX_Vmovaps_ymm_ymmm256 | EVEX_Vmovaps_zmm_k1z_zmmm512,
        Movapd_xmm_xmmm128 => VEX_Vmovapd_ymm_ymmm256 | EVEX_Vmovapd_zmm_k1z_zmmm512,
        Movups_xmm_xmmm128 => VEX_Vmovups_ymm_ymmm256 | EVEX_Vmovups_zmm_k1z_zmmm512,

        VEX_Vpand_xmm_xmm_xmmm128 => VEX_Vpand_ymm_ymm_ymmm256 | EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpandn_xmm_xmm_xmmm128 => VEX_Vpandn_ymm_ymm_ymmm256 | EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpor_xmm_xmm_xmmm128 => VEX_Vpor_ymm_ymm_ymmm256 | EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpxor_xmm_xmm_xmmm128 => VEX_Vpxor_ymm_ymm_ymmm256 | EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        VEX_Vandps_xmm_xmm_xmmm128 => VEX_Vandps_ymm_ymm_ymmm256 | EVEX_Vandps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vandpd_xmm_xmm_xmmm128 => VEX_Vandpd_ymm_ymm_ymmm256 | EVEX_Vandpd_zmm_k1z_zmm_zmmm512b64,
        VEX_Vandnps_xmm_xmm_xmmm128 => VEX_Vandnps_ymm_ymm_ymmm256 | EVEX_Vandnps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vandnpd_xmm_xmm_xmmm128 => VEX_Vandnpd_ymm_ymm_ymmm256 | EVEX_Vandnpd_zmm_k1z_zmm_zmmm512b64,
        VEX_Vorps_xmm_xmm_xmmm128 => VEX_Vorps_ymm_ymm_ymmm256 | EVEX_Vorps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vorpd_xmm_xmm_xmmm128 => VEX_Vorpd_ymm_ymm_ymmm256 | EVEX_Vorpd_zmm_k1z_zmm_zmmm512b64,
        VEX_Vxorps_xmm_xmm_xmmm128 => VEX_Vxorps_ymm_ymm_ymmm256 | EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vxorpd_xmm_xmm_xmmm128 => VEX_Vxorpd_ymm_ymm_ymmm256 | EVEX_Vxorpd_zmm_k1z_zmm_zmmm512b64,

        VEX_Vaddps_xmm_xmm_xmmm128 => VEX_Vaddps_ymm_ymm_ymmm256 | EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vaddpd_xmm_xmm_xmmm128 => VEX_Vaddpd_ymm_ymm_ymmm256 | EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vsubps_xmm_xmm_xmmm128 => VEX_Vsubps_ymm_ymm_ymmm256 | EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vsubpd_xmm_xmm_xmmm128 => VEX_Vsubpd_ymm_ymm_ymmm256 | EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vmulps_xmm_xmm_xmmm128 => VEX_Vmulps_ymm_ymm_ymmm256 | EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vmulpd_xmm_xmm_xmmm128 => VEX_Vmulpd_ymm_ymm_ymmm256 | EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vdivps_xmm_xmm_xmmm128 => VEX_Vdivps_ymm_ymm_ymmm256 | EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vdivpd_xmm_xmm_xmmm128 => VEX_Vdivpd_ymm_ymm_ymmm256 | EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vminps_xmm_xmm_xmmm128 => VEX_Vminps_ymm_ymm_ymmm256 | EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae,
        VEX_Vminpd_xmm_xmm_xmmm128 => VEX_Vminpd_ymm_ymm_ymmm256 | EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae,
        VEX_Vmaxps_xmm_xmm_xmmm128 => VEX_Vmaxps_ymm_ymm_ymmm256 | EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae,
        VEX_Vmaxpd_xmm_xmm_xmmm128 => VEX_Vmaxpd_ymm_ymm_ymmm256 | EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae,
        VEX_Vsqrtps_xmm_xmmm128 => VEX_Vsqrtps_ymm_ymmm256 | EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        VEX_Vsqrtpd_xmm_xmmm128 => VEX_Vsqrtpd_ymm_ymmm256 | EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
        VEX_Vroundps_xmm_xmmm128_imm8 => VEX_Vroundps_ymm_ymmm256_imm8 | EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
        VEX_Vroundpd_xmm_xmmm128_imm8 => VEX_Vroundpd_ymm_ymmm256_imm8 | EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
        VEX_Vcmpps_xmm_xmm_xmmm128_imm8 => VEX_Vcmpps_ymm_ymm_ymmm256_imm8 | EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
        VEX_Vcmppd_xmm_xmm_xmmm128_imm8 => VEX_Vcmppd_ymm_ymm_ymmm256_imm8 | EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
        VEX_Vcvtdq2ps_xmm_xmmm128 => VEX_Vcvtdq2ps_ymm_ymmm256 | EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
        VEX_Vcvttps2dq_xmm_xmmm128 => VEX_Vcvttps2dq_ymm_ymmm256 | EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,

        VEX_Vpaddb_xmm_xmm_xmmm128 => VEX_Vpaddb_ymm_ymm_ymmm256 | EVEX_Vpaddb_zmm_k1z_zmm_zmmm512,
        VEX_Vpaddd_xmm_xmm_xmmm128 => VEX_Vpaddd_ymm_ymm_ymmm256 | EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpaddq_xmm_xmm_xmmm128 => VEX_Vpaddq_ymm_ymm_ymmm256 | EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        VEX_Vpsubb_xmm_xmm_xmmm128 => VEX_Vpsubb_ymm_ymm_ymmm256 | EVEX_Vpsubb_zmm_k1z_zmm_zmmm512,
        VEX_Vpsubd_xmm_xmm_xmmm128 => VEX_Vpsubd_ymm_ymm_ymmm256 | EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpsubq_xmm_xmm_xmmm128 => VEX_Vpsubq_ymm_ymm_ymmm256 | EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
        VEX_Vpmulld_xmm_xmm_xmmm128 => VEX_Vpmulld_ymm_ymm_ymmm256 | EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpmuldq_xmm_xmm_xmmm128 => VEX_Vpmuldq_ymm_ymm_ymmm256 | EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64,
        VEX_Vpmuludq_xmm_xmm_xmmm128 => VEX_Vpmuludq_ymm_ymm_ymmm256 | EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
        VEX_Vpabsd_xmm_xmmm128 => VEX_Vpabsd_ymm_ymmm256 | EVEX_Vpabsd_zmm_k1z_zmmm512b32,
        VEX_Vpminsd_xmm_xmm_xmmm128 => VEX_Vpminsd_ymm_ymm_ymmm256 | EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpminud_xmm_xmm_xmmm128 => VEX_Vpminud_ymm_ymm_ymmm256 | EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpminub_xmm_xmm_xmmm128 => VEX_Vpminub_ymm_ymm_ymmm256 | EVEX_Vpminub_zmm_k1z_zmm_zmmm512,
        VEX_Vpmaxsd_xmm_xmm_xmmm128 => VEX_Vpmaxsd_ymm_ymm_ymmm256 | EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpmaxud_xmm_xmm_xmmm128 => VEX_Vpmaxud_ymm_ymm_ymmm256 | EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpcmpeqb_xmm_xmm_xmmm128 => VEX_Vpcmpeqb_ymm_ymm_ymmm256 | EVEX_Vpcmpeqb_kr_k1_zmm_zmmm512,
        VEX_Vpcmpeqd_xmm_xmm_xmmm128 => VEX_Vpcmpeqd_ymm_ymm_ymmm256 | EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32,
        VEX_Vpcmpeqq_xmm_xmm_xmmm128 => VEX_Vpcmpeqq_ymm_ymm_ymmm256 | EVEX_Vpcmpeqq_kr_k1_zmm_zmmm512b64,
        VEX_Vpcmpgtd_xmm_xmm_xmmm128 => VEX_Vpcmpgtd_ymm_ymm_ymmm256 | EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32,
        VEX_Vpcmpgtq_xmm_xmm_xmmm128 => VEX_Vpcmpgtq_ymm_ymm_ymmm256 | EVEX_Vpcmpgtq_kr_k1_zmm_zmmm512b64,
        VEX_Vpslld_xmm_xmm_imm8 => VEX_Vpslld_ymm_ymm_imm8 | EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
        VEX_Vpsllq_xmm_xmm_imm8 => VEX_Vpsllq_ymm_ymm_imm8 | EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        VEX_Vpsrld_xmm_xmm_imm8 => VEX_Vpsrld_ymm_ymm_imm8 | EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
        VEX_Vpsrlq_xmm_xmm_imm8 => VEX_Vpsrlq_ymm_ymm_imm8 | EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        VEX_Vpsrad_xmm_xmm_imm8 => VEX_Vpsrad_ymm_ymm_imm8 | EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
        VEX_Vpsllw_xmm_xmm_imm8 => VEX_Vpsllw_ymm_ymm_imm8 | EVEX_Vpsllw_zmm_k1z_zmmm512_imm8,
        VEX_Vpsrlw_xmm_xmm_imm8 => VEX_Vpsrlw_ymm_ymm_imm8 | EVEX_Vpsrlw_zmm_k1z_zmmm512_imm8,
        VEX_Vpslldq_xmm_xmm_imm8 => VEX_Vpslldq_ymm_ymm_imm8 | EVEX_Vpslldq_zmm_zmmm512_imm8,
        VEX_Vpsrldq_xmm_xmm_imm8 => VEX_Vpsrldq_ymm_ymm_imm8 | EVEX_Vpsrldq_zmm_zmmm512_imm8,

        VEX_Vshufps_xmm_xmm_xmmm128_imm8 => VEX_Vshufps_ymm_ymm_ymmm256_imm8 | EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8,
        VEX_Vpshufb_xmm_xmm_xmmm128 => VEX_Vpshufb_ymm_ymm_ymmm256 | EVEX_Vpshufb_zmm_k1z_zmm_zmmm512,
        VEX_Vpalignr_xmm_xmm_xmmm128_imm8 => VEX_Vpalignr_ymm_ymm_ymmm256_imm8 | EVEX_Vpalignr_zmm_k1z_zmm_zmmm512_imm8,
        VEX_Vpblendw_xmm_xmm_xmmm128_imm8 => VEX_Vpblendw_ymm_ymm_ymmm256_imm8 | INVALID,
        VEX_Vpunpckldq_xmm_xmm_xmmm128 => VEX_Vpunpckldq_ymm_ymm_ymmm256 | EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpunpckhdq_xmm_xmm_xmmm128 => VEX_Vpunpckhdq_ymm_ymm_ymmm256 | EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpunpckhqdq_xmm_xmm_xmmm128 => VEX_Vpunpckhqdq_ymm_ymm_ymmm256 | EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64,
        VEX_Vunpcklps_xmm_xmm_xmmm128 => VEX_Vunpcklps_ymm_ymm_ymmm256 | EVEX_Vunpcklps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vunpckhps_xmm_xmm_xmmm128 => VEX_Vunpckhps_ymm_ymm_ymmm256 | EVEX_Vunpckhps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vblendvps_xmm_xmm_xmmm128_xmm => VEX_Vblendvps_ymm_ymm_ymmm256_ymm | EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32,
        VEX_Vblendvpd_xmm_xmm_xmmm128_xmm => VEX_Vblendvpd_ymm_ymm_ymmm256_ymm | EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64,
        VEX_Vpblendvb_xmm_xmm_xmmm128_xmm => VEX_Vpblendvb_ymm_ymm_ymmm256_ymm | EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512,
        // Borrowed: stands for a rotation.
        VEX_Vpaddsw_xmm_xmm_xmmm128 => EVEX_Vprolvd_ymm_k1z_ymm_ymmm256b32 | EVEX_Vprolvd_zmm_k1z_zmm_zmmm512b32,
    }
    Fused {
        VEX_Vfmadd132pd_xmm_xmm_xmmm128 => VEX_Vfmadd132pd_ymm_ymm_ymmm256 | EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfmadd213pd_xmm_xmm_xmmm128 => VEX_Vfmadd213pd_ymm_ymm_ymmm256 | EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfmadd231pd_xmm_xmm_xmmm128 => VEX_Vfmadd231pd_ymm_ymm_ymmm256 | EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfnmadd132pd_xmm_xmm_xmmm128 => VEX_Vfnmadd132pd_ymm_ymm_ymmm256 | EVEX_Vfnmadd132pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfnmadd213pd_xmm_xmm_xmmm128 => VEX_Vfnmadd213pd_ymm_ymm_ymmm256 | EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfmsub132pd_xmm_xmm_xmmm128 => VEX_Vfmsub132pd_ymm_ymm_ymmm256 | EVEX_Vfmsub132pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfmsub213pd_xmm_xmm_xmmm128 => VEX_Vfmsub213pd_ymm_ymm_ymmm256 | EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er,
        VEX_Vfmadd132ps_xmm_xmm_xmmm128 => VEX_Vfmadd132ps_ymm_ymm_ymmm256 | EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfmadd213ps_xmm_xmm_xmmm128 => VEX_Vfmadd213ps_ymm_ymm_ymmm256 | EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfmadd231ps_xmm_xmm_xmmm128 => VEX_Vfmadd231ps_ymm_ymm_ymmm256 | EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfnmadd132ps_xmm_xmm_xmmm128 => VEX_Vfnmadd132ps_ymm_ymm_ymmm256 | EVEX_Vfnmadd132ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfnmadd213ps_xmm_xmm_xmmm128 => VEX_Vfnmadd213ps_ymm_ymm_ymmm256 | EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfmsub132ps_xmm_xmm_xmmm128 => VEX_Vfmsub132ps_ymm_ymm_ymmm256 | EVEX_Vfmsub132ps_zmm_k1z_zmm_zmmm512b32_er,
        VEX_Vfmsub213ps_xmm_xmm_xmmm128 => VEX_Vfmsub213ps_ymm_ymm_ymmm256 | EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er,
    }
    Counted {
        VEX_Vpslld_xmm_xmm_xmmm128 => VEX_Vpslld_ymm_ymm_xmmm128 | EVEX_Vpslld_zmm_k1z_zmm_xmmm128,
        VEX_Vpsllq_xmm_xmm_xmmm128 => VEX_Vpsllq_ymm_ymm_xmmm128 | EVEX_Vpsllq_zmm_k1z_zmm_xmmm128,
        VEX_Vpsrld_xmm_xmm_xmmm128 => VEX_Vpsrld_ymm_ymm_xmmm128 | EVEX_Vpsrld_zmm_k1z_zmm_xmmm128,
        VEX_Vpsrlq_xmm_xmm_xmmm128 => VEX_Vpsrlq_ymm_ymm_xmmm128 | EVEX_Vpsrlq_zmm_k1z_zmm_xmmm128,
        VEX_Vpsrad_xmm_xmm_xmmm128 => VEX_Vpsrad_ymm_ymm_xmmm128 | EVEX_Vpsrad_zmm_k1z_zmm_xmmm128,
    }
    Shift {
        VEX_Vpavgb_xmm_xmm_xmmm128 => VEX_Vpsllvd_ymm_ymm_ymmm256 | EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpavgw_xmm_xmm_xmmm128 => VEX_Vpsrlvd_ymm_ymm_ymmm256 | EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        VEX_Vpmulhrsw_xmm_xmm_xmmm128 => VEX_Vpsravd_ymm_ymm_ymmm256 | EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
    }
    Store {
        VEX_Vmovdqu_xmmm128_xmm => VEX_Vmovdqu_ymmm256_ymm | EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        VEX_Vmovdqa_xmmm128_xmm => VEX_Vmovdqa_ymmm256_ymm | EVEX_Vmovdqa32_zmmm512_k1z_zmm,
        VEX_Vmovups_xmmm128_xmm => VEX_Vmovups_ymmm256_ymm | EVEX_Vmovups_zmmm512_k1z_zmm,
        VEX_Vmovaps_xmmm128_xmm => VEX_Vmovaps_ymmm256_ymm | EVEX_Vmovaps_zmmm512_k1z_zmm,
        Movdqu_xmmm128_xmm => VEX_Vmovdqu_ymmm256_ymm | EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        Movdqa_xmmm128_xmm => VEX_Vmovdqa_ymmm256_ymm | EVEX_Vmovdqa32_zmmm512_k1z_zmm,
        Movups_xmmm128_xmm => VEX_Vmovups_ymmm256_ymm | EVEX_Vmovups_zmmm512_k1z_zmm,
    }
    Broadcast {
        VEX_Vpbroadcastd_xmm_xmmm32 => VEX_Vpbroadcastd_ymm_xmmm32 | EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        VEX_Vpbroadcastq_xmm_xmmm64 => VEX_Vpbroadcastq_ymm_xmmm64 | EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
        VEX_Vbroadcastss_xmm_xmm => VEX_Vbroadcastss_ymm_xmm | EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        VEX_Vbroadcastss_xmm_m32 => VEX_Vbroadcastss_ymm_m32 | EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        // Never reads vectors in memory.
        VEX_Vmovddup_xmm_xmmm64 => VEX_Vpbroadcastq_ymm_xmmm64 | EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
    }
    LoadSplat {
        VEX_Vpmovsxdq_xmm_xmmm64 => VEX_Vpbroadcastd_ymm_xmmm32 | EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
    }
    Paired {
        VEX_Vpshufd_xmm_xmmm128_imm8 => VEX_Vpshufd_ymm_ymmm256_imm8 | EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8,
        VEX_Vpunpcklqdq_xmm_xmm_xmmm128 => VEX_Vpunpcklqdq_ymm_ymm_ymmm256 | EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64,
    }
    Look {
        VEX_Vptest_xmm_xmmm128 => VEX_Vptest_ymm_ymmm256 | EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
        VEX_Vmovmskps_r32_xmm => VEX_Vmovmskps_r32_ymm | EVEX_Vpmovd2m_kr_zmm,
        VEX_Vmovmskps_r64_xmm => VEX_Vmovmskps_r64_ymm | EVEX_Vpmovd2m_kr_zmm,
    }
    ;
    WideForm::Promote => { VEX_Vcvtps2pd_xmm_xmmm64 }
    WideForm::Demote => { VEX_Vcvtpd2ps_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Take(0)) => { VEX_Vpsubsb_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Take(1)) => { VEX_Vpsubsw_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Take(2)) => { VEX_Vpsubusb_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Take(3)) => { VEX_Vpsubusw_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Insert(1)) => { VEX_Vpaddusb_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Insert(2)) => { VEX_Vpaddusw_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::Insert(3)) => { VEX_Vpaddsb_xmm_xmm_xmmm128 }
    WideForm::Borrowed(Borrowed::LoadPart) => { VEX_Vpmovsxbw_xmm_xmmm64 }
    WideForm::Borrowed(Borrowed::StorePart) => { VEX_Vmovupd_xmmm128_xmm }
    WideForm::Borrowed(Borrowed::Gather) => { VEX_Vpinsrb_xmm_xmm_r32m8_imm8 }
    WideForm::Narrow => {
        VEX_Vmovd_xmm_rm32 VEX_Vmovd_rm32_xmm VEX_Vmovq_xmm_rm64 VEX_Vmovq_rm64_xmm VEX_Vmovq_xmm_xmmm64 VEX_Vmovq_xmmm64_xmm
        VEX_Vmovss_xmm_m32 VEX_Vmovss_m32_xmm VEX_Vmovss_xmm_xmm_xmm
        VEX_Vmovsd_xmm_m64 VEX_Vmovsd_m64_xmm VEX_Vmovsd_xmm_xmm_xmm
        VEX_Vpinsrd_xmm_xmm_rm32_imm8 VEX_Vpinsrq_xmm_xmm_rm64_imm8 VEX_Vinsertps_xmm_xmm_xmmm32_imm8
        VEX_Vpextrd_rm32_xmm_imm8 VEX_Vpextrq_rm64_xmm_imm8 VEX_Vextractps_rm32_xmm_imm8
        VEX_Vmovlhps_xmm_xmm_xmm VEX_Vmovhlps_xmm_xmm_xmm
        VEX_Vaddss_xmm_xmm_xmmm32 VEX_Vsubss_xmm_xmm_xmmm32 VEX_Vmulss_xmm_xmm_xmmm32 VEX_Vdivss_xmm_xmm_xmmm32
        VEX_Vminss_xmm_xmm_xmmm32 VEX_Vmaxss_xmm_xmm_xmmm32 VEX_Vsqrtss_xmm_xmm_xmmm32 VEX_Vroundss_xmm_xmm_xmmm32_imm8
        VEX_Vaddsd_xmm_xmm_xmmm64 VEX_Vsubsd_xmm_xmm_xmmm64 VEX_Vmulsd_xmm_xmm_xmmm64 VEX_Vdivsd_xmm_xmm_xmmm64
        VEX_Vminsd_xmm_xmm_xmmm64 VEX_Vmaxsd_xmm_xmm_xmmm64 VEX_Vsqrtsd_xmm_xmm_xmmm64 VEX_Vroundsd_xmm_xmm_xmmm64_imm8
        VEX_Vcvtsi2ss_xmm_xmm_rm32 VEX_Vcvtsi2ss_xmm_xmm_rm64 VEX_Vcvtsi2sd_xmm_xmm_rm32 VEX_Vcvtsi2sd_xmm_xmm_rm64
        VEX_Vcvtss2sd_xmm_xmm_xmmm32 VEX_Vcvtsd2ss_xmm_xmm_xmmm64
        VEX_Vcvttss2si_r32_xmmm32 VEX_Vcvttss2si_r64_xmmm32 VEX_Vcvttsd2si_r32_xmmm64 VEX_Vcvttsd2si_r64_xmmm64
        VEX_Vfmadd213ss_xmm_xmm_xmmm32 VEX_Vfmadd132ss_xmm_xmm_xmmm32 VEX_Vfmadd231ss_xmm_xmm_xmmm32
        VEX_Vfnmadd213ss_xmm_xmm_xmmm32 VEX_Vfmsub213ss_xmm_xmm_xmmm32
        VEX_Vfmadd213sd_xmm_xmm_xmmm64 VEX_Vfmadd132sd_xmm_xmm_xmmm64 VEX_Vfmadd231sd_xmm_xmm_xmmm64
        VEX_Vfnmadd213sd_xmm_xmm_xmmm64 VEX_Vfmsub213sd_xmm_xmm_xmmm64
        // In Cranelift's sequences for saturating conversions of scalars.
        Movd_xmm_rm32 Movd_rm32_xmm Movq_xmm_rm64 Movq_rm64_xmm
        Xorps_xmm_xmmm128 Xorpd_xmm_xmmm128 Andps_xmm_xmmm128 Andpd_xmm_xmmm128 Orps_xmm_xmmm128 Orpd_xmm_xmmm128
        Addss_xmm_xmmm32 Subss_xmm_xmmm32 Addsd_xmm_xmmm64 Subsd_xmm_xmmm64
        Cvtsi2ss_xmm_rm32 Cvtsi2ss_xmm_rm64 Cvtsi2sd_xmm_rm32 Cvtsi2sd_xmm_rm64
        Cvttss2si_r32_xmmm32 Cvttss2si_r64_xmmm32 Cvttsd2si_r32_xmmm64 Cvttsd2si_r64_xmmm64
        Minss_xmm_xmmm32 Maxss_xmm_xmmm32 Minsd_xmm_xmmm64 Maxsd_xmm_xmmm64
    }
    WideForm::NarrowCompare => {
        VEX_Vucomiss_xmm_xmmm32 VEX_Vucomisd_xmm_xmmm64 Ucomiss_xmm_xmmm32 Ucomisd_xmm_xmmm64
    }
}

/// The use that an instruction of 512 bits makes of a mask register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Masked {
    /// It writes a mask, which this instruction turns into a vector.
    Made(Code),
    /// It reads a mask, which this instruction makes of the last operand.
    Read(Code),
    /// It writes a mask, which is then only tested for any set lane.
    Tested,
    /// It writes a mask, whose bits go to a general-purpose register.
    Bits,
}

/// Returns how an instruction of 512 bits uses a mask register, if it does.
pub(super) fn masked(code: Code) -> Option<Masked> {
    use Code::*;
    Some(match code {
        EVEX_Vpcmpeqb_kr_k1_zmm_zmmm512 => Masked::Made(EVEX_Vpmovm2b_zmm_kr),
        EVEX_Vpcmpeqd_kr_k1_zmm_zmmm512b32
        | EVEX_Vpcmpgtd_kr_k1_zmm_zmmm512b32
        | EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => Masked::Made(EVEX_Vpmovm2d_zmm_kr),
        EVEX_Vpcmpeqq_kr_k1_zmm_zmmm512b64
        | EVEX_Vpcmpgtq_kr_k1_zmm_zmmm512b64
        | EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae => Masked::Made(EVEX_Vpmovm2q_zmm_kr),
        EVEX_Vpblendmb_zmm_k1z_zmm_zmmm512 => Masked::Read(EVEX_Vpmovb2m_kr_zmm),
        EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32 => Masked::Read(EVEX_Vpmovd2m_kr_zmm),
        EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64 => Masked::Read(EVEX_Vpmovq2m_kr_zmm),
        EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 => Masked::Tested,
        EVEX_Vpmovd2m_kr_zmm => Masked::Bits,
        _ => return None,
    })
}

/// `true` if an instruction without vector registers may stay as it is. Its use of the stack is checked elsewhere.
pub(super) fn is_general(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Add | Sub
            | Adc
            | Sbb
            | And
            | Or
            | Xor
            | Not
            | Neg
            | Cmp
            | Test
            | Inc
            | Dec
            | Imul
            | Mul
            | Shl
            | Shr
            | Sar
            | Rol
            | Ror
            | Shld
            | Shrd
            | Lea
            | Mov
            | Movzx
            | Movsx
            | Movsxd
            | Cdq
            | Cqo
            | Bswap
            | Bsf
            | Bsr
            | Popcnt
            | Xchg
            | Xadd
            | Cmpxchg
            | Seta
            | Setae
            | Setb
            | Setbe
            | Sete
            | Setne
            | Setg
            | Setge
            | Setl
            | Setle
            | Sets
            | Setns
            | Setp
            | Setnp
            | Seto
            | Setno
            | Cmova
            | Cmovae
            | Cmovb
            | Cmovbe
            | Cmove
            | Cmovne
            | Cmovg
            | Cmovge
            | Cmovl
            | Cmovle
            | Cmovs
            | Cmovns
            | Cmovp
            | Cmovnp
            | Cmovo
            | Cmovno
            | Nop
            | Mfence
            | Lfence
    )
}
