//! Widens damaged code: each result is a refusal or code of known instructions, never a panic.

mod borrowed;

use brolga_ir::Width;
use brolga_ir::passes::{Level, optimise};
use brolga_testing_base::programs;
use brolga_testing_base::random::{Random, seeds};
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::forms::{form, is_general};
use super::{Wide, widen};
use crate::codegen::{self, TargetSettings};
use crate::options::{CpuFeatures, Options, VectorBytes};

/// Stock code that can be widened.
#[derive(Clone)]
struct Stock {
    bytes: Vec<u8>,
    /// Offsets of its basic blocks.
    blocks: Vec<u32>,
    parts: u8,
}

/// The code of a generated program, for vectors of 32 and 64 bytes in turn: the latter on any processor, since it never
/// runs.
fn stock(seed: u64) -> Option<Stock> {
    let host = Options::host().filter(|options| VectorBytes::most(options.features) > VectorBytes::Sixteen)?;
    let features = CpuFeatures { avx512: true, ..host.features };
    let vector_bytes = if seed.is_multiple_of(2) { VectorBytes::ThirtyTwo } else { VectorBytes::SixtyFour };
    let options = Options { features, vector_bytes, ..host };
    let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
    optimise(&mut func, Level::Full);
    func.width = Width::Sixteen;
    let isa =
        codegen::host(&options, TargetSettings { blocks: true, widened: true, ..TargetSettings::default() }).ok()?;
    let stock = codegen::stock(&func, &options, &*isa, None).expect("programs are small");
    let parts = (vector_bytes.count() / 16) as u8;
    Some(Stock { bytes: stock.bytes, blocks: stock.block_starts, parts })
}

#[test]
fn programs_are_widened() {
    for seed in seeds(0..200) {
        let Some(Stock { bytes, blocks, parts }) = stock(seed) else {
            return println!("skipped: the processor has no AVX2");
        };
        let wide = widen(&bytes, &blocks, parts).unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
        assert_known(&wide, parts);
        // Every decoded instruction is found again, in order.
        let offsets: Vec<u32> = wide.offsets.iter().map(|&(_, to)| to).collect();
        assert!(offsets.is_sorted() && offsets.last().is_some_and(|&end| end as usize <= wide.bytes.len()));
    }
}

/// A million seeds: `BROLGA_SEEDS=0..1000000`.
#[test]
fn damaged_code_is_refused_or_stays_known() {
    let mut sources = Vec::new();
    for seed in 0..40 {
        let Some(source) = stock(seed) else { return println!("skipped: the processor has no AVX2") };
        sources.push(source);
    }
    let (mut widened, mut refused) = (0, 0);
    for seed in seeds(0..20_000) {
        let mut random = Random(seed);
        let Stock { mut bytes, mut blocks, parts } = sources[random.below(sources.len())].clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            match random.below(16) {
                0 => bytes.truncate(at.max(1)),
                1 => {
                    let block = random.below(blocks.len());
                    blocks[block] = at as u32;
                }
                2..8 => bytes[at] ^= 1 << random.below(8),
                _ => bytes[at] = random.bits() as u8,
            }
        }
        match widen(&bytes, &blocks, parts) {
            Ok(wide) => {
                assert_known(&wide, parts);
                widened += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{widened} widened, {refused} refused");
    assert!(widened + refused > 0);
}

/// Asserts that all reachable code consists of instructions in the list.
fn assert_known(wide: &Wide, parts: u8) {
    let end = wide.code_bytes() as usize;
    let mut decoder = Decoder::new(64, &wide.bytes[..end], DecoderOptions::NONE);
    let mut found = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut found);
        assert!(!found.is_invalid(), "at {:#x}", found.ip());
        assert!(is_known(&found, parts), "at {:#x}: {:?}", found.ip(), found.code());
        if matches!(found.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch) {
            assert!((found.near_branch64() as usize) < end, "a jump to {:#x}", found.near_branch64());
        }
        if found.is_ip_rel_memory_operand() {
            let at = found.ip_rel_memory_address() as usize;
            assert!(at >= end && at + found.memory_size().size() <= wide.bytes.len(), "data at {at:#x}");
        }
    }
}

fn is_known(found: &Instruction, parts: u8) -> bool {
    let made = matches!(
        found.code(),
        Code::VEX_Vzeroupper
            | Code::VEX_Kortestw_kr_kr
            | Code::VEX_Kmovw_r32_kr
            | Code::VEX_Kxnorw_kr_kr_kr
            | Code::EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32
            | Code::EVEX_Vpgatherdd_ymm_k1_vm32y
            | Code::EVEX_Vpgatherdd_zmm_k1_vm32z
            | Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32
            | Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8
            | Code::VEX_Vextracti128_xmmm128_ymm_imm8
            | Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8
            | Code::VEX_Vpermq_ymm_ymmm256_imm8
            | Code::VEX_Vcvtps2pd_ymm_xmmm128
            | Code::VEX_Vcvtpd2ps_xmm_ymmm256
            | Code::Mov_rm32_imm32
            | Code::And_rm64_imm8
    );
    let is_control =
        matches!(found.mnemonic(), Mnemonic::Push | Mnemonic::Pop | Mnemonic::Ret | Mnemonic::Call | Mnemonic::Jmp)
            || found.is_jcc_short_or_near();
    let registers = if parts == 2 { Register::YMM0..=Register::YMM15 } else { Register::ZMM0..=Register::ZMM15 };
    let is_wide = (0..found.op_count())
        .any(|n| found.op_kind(n) == OpKind::Register && registers.contains(&found.op_register(n)));
    // An instruction with wide registers came from a row; one without is itself in the list.
    made || is_control || is_wide || is_general(found.mnemonic()) || form(found.code(), parts).is_some()
}
