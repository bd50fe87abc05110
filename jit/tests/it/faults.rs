//! Plants faults of widening in its output: a comparison of bits finds each kind.
//!
//! Tests that compare engines are the proof that widened code is right, so they must be able to see each possible
//! fault. Here a shader that uses all that widening touches is compiled, one instruction or one datum of its code is
//! made wrong, and it runs beside the interpreter. Only results depend on the content of a lane: wrong lanes stay in
//! bounds.

use std::fmt::Write;

use brolga_ir::Width;
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_jit::{Compiled, CpuFeatures, Options, VectorBytes, compile};
use brolga_testing_base::assemble::in_ssa;
use brolga_testing_base::random::Random;
use iced_x86::{Code, Decoder, DecoderOptions, Encoder, Instruction, Mnemonic, OpKind, Register};

use crate::bound::{Bound, interpret, run, with_code};

const THREADS: u32 = 64;
/// Values that are live at once, more than registers.
const LIVE: u32 = 20;

/// A shader of gathers, shifts by lane, doubles, constants, spilled values and a switch.
fn function() -> VerifiedFunction {
    let mut text = format!(
        "dcl_resource_raw t0
        dcl_uav_raw u0
        dcl_constantbuffer CB0[1], immediateIndexed
        dcl_input vThreadID.x
        dcl_temps {}
        dcl_thread_group {THREADS}, 1, 1
        ishl r0.x, vThreadID.x, l(2)
        ld_raw r0.y, r0.x, t0.xxxx
        and r0.z, r0.y, l(252)
        ld_raw r0.w, r0.z, t0.xxxx
        ishl r1.x, r0.w, r0.y
        ushr r1.y, r0.w, r0.y
        ishr r1.z, r0.w, r0.y
        ishl r1.w, r0.w, cb0[0].y
        utof r2.x, r0.y
        ftod r2.xy, r2.x
        dmul r2.xy, r2.xyxy, d(1.5l, 1.5l)
        dtof r2.x, r2.xyxy
        iadd r2.y, r0.y, cb0[0].y\n",
        LIVE + 3
    );
    for n in 3..LIVE + 3 {
        let _ = writeln!(text, "imad r{n}.x, r0.w, l({}), r{}.x", 2 * n + 1, n - 1);
    }
    text.push_str("mov r0.w, l(0)\nswitch cb0[0].x\n");
    for n in 0..6 {
        let _ = writeln!(text, "case l({n})\nimad r0.w, r0.y, l({}), r1.x\nbreak", 3 + 2 * n);
    }
    text.push_str("endswitch\n");
    for n in (3..LIVE + 3).rev() {
        let _ = writeln!(text, "imad r0.w, r0.w, l(31), r{n}.x");
    }
    for register in ["r1.x", "r1.y", "r1.z", "r1.w", "r2.x", "r2.y"] {
        let _ = writeln!(text, "imad r0.w, r0.w, l(31), {register}");
    }
    text.push_str("store_raw u0.x, r0.x, r0.w\nret");
    let mut func = in_ssa(&text);
    func.width = Width::Sixteen;
    verify(func).expect("the test's function is valid")
}

/// A kind of fault: its name, and a function that makes it of an instruction, if it can be.
type Fault = (&'static str, fn(&Instruction, &mut [u8]) -> bool);

const FAULTS: [Fault; 8] = [
    ("another part is taken", |inst, code| {
        let is_its = inst.mnemonic() == Mnemonic::Vextracti128;
        is_its && replace(code, inst, |made| made.set_immediate8(inst.immediate8() ^ 1))
    }),
    ("a part is inserted elsewhere", |inst, code| {
        let is_its = inst.mnemonic() == Mnemonic::Vinserti128;
        is_its && replace(code, inst, |made| made.set_immediate8(inst.immediate8() ^ 1))
    }),
    ("a constant is not repeated", |inst, code| {
        let at = inst.ip_rel_memory_address() as usize;
        let is_its = inst.is_ip_rel_memory_operand() && inst.memory_size().size() == 32;
        is_its && {
            code[at + 16..at + 32].fill(0);
            true
        }
    }),
    ("a spill slot stays where it was", |inst, code| {
        let place = inst.memory_displacement64();
        let is_its = inst.memory_base() == Register::RSP
            && inst.op0_kind() == OpKind::Register
            && inst.op0_register().is_ymm()
            && place > 0;
        is_its && replace(code, inst, |made| made.set_memory_displacement64(place / 2))
    }),
    ("a splat stays narrow", |inst, code| {
        let narrow = match inst.code() {
            Code::VEX_Vpbroadcastd_ymm_xmmm32 => Code::VEX_Vpbroadcastd_xmm_xmmm32,
            Code::VEX_Vbroadcastss_ymm_xmm => Code::VEX_Vbroadcastss_xmm_xmm,
            Code::VEX_Vbroadcastss_ymm_m32 => Code::VEX_Vbroadcastss_xmm_m32,
            _ => return false,
        };
        replace(code, inst, |made| {
            made.set_code(narrow);
            made.set_op0_register(narrowed(inst.op0_register()));
        })
    }),
    ("arithmetic stays narrow", |inst, code| {
        let narrow = match inst.code() {
            Code::VEX_Vpaddd_ymm_ymm_ymmm256 => Code::VEX_Vpaddd_xmm_xmm_xmmm128,
            Code::VEX_Vpmulld_ymm_ymm_ymmm256 => Code::VEX_Vpmulld_xmm_xmm_xmmm128,
            _ => return false,
        };
        replace(code, inst, |made| {
            made.set_code(narrow);
            for n in (0..3).filter(|&n| inst.op_kind(n) == OpKind::Register) {
                made.set_op_register(n, narrowed(inst.op_register(n)));
            }
        })
    }),
    ("a shift goes the other way", |inst, code| {
        let other = match inst.code() {
            Code::VEX_Vpsllvd_ymm_ymm_ymmm256 => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
            Code::VEX_Vpsrlvd_ymm_ymm_ymmm256 => Code::VEX_Vpsravd_ymm_ymm_ymmm256,
            Code::VEX_Vpsravd_ymm_ymm_ymmm256 => Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
            _ => return false,
        };
        replace(code, inst, |made| made.set_code(other))
    }),
    ("an entry of a jump table is that of its neighbour", |inst, code| {
        let at = inst.ip_rel_memory_address() as usize;
        let is_its = inst.is_ip_rel_memory_operand() && inst.mnemonic() == Mnemonic::Lea;
        is_its && {
            // All of them by one.
            code.copy_within(at + 4..at + 24, at);
            true
        }
    }),
];

/// For code with gathers alone.
const GATHER_FAULT: Fault = ("a gather stays narrow", |inst, code| {
    inst.code() == Code::EVEX_Vpgatherdd_ymm_k1_vm32y
        && replace(code, inst, |made| {
            made.set_code(Code::EVEX_Vpgatherdd_xmm_k1_vm32x);
            made.set_op0_register(narrowed(inst.op0_register()));
            made.set_memory_index(narrowed(inst.memory_index()));
        })
});

fn narrowed(register: Register) -> Register {
    Register::XMM0 + (register as u32 - Register::YMM0 as u32)
}

/// Replaces an instruction by a changed one, if it fits.
fn replace(code: &mut [u8], inst: &Instruction, change: impl FnOnce(&mut Instruction)) -> bool {
    let mut made = *inst;
    change(&mut made);
    let mut encoder = Encoder::new(64);
    let fits = encoder.encode(&made, inst.ip()).is_ok_and(|len| len == inst.len());
    if fits {
        code[inst.ip() as usize..][..inst.len()].copy_from_slice(&encoder.take_buffer());
    }
    fits
}

/// The instructions, up to the data.
fn instructions(code: &[u8]) -> Vec<Instruction> {
    let decoder = Decoder::new(64, code, DecoderOptions::NONE);
    decoder.into_iter().take_while(|inst| inst.code() != Code::Int3).collect()
}

fn content() -> Vec<Vec<Vec<u32>>> {
    let mut random = Random(1);
    let words: Vec<u32> = (0..THREADS).map(|_| random.bits() as u32).collect();
    // In the order of the declarations.
    vec![vec![words], vec![vec![0; THREADS as usize]], vec![vec![3, 5, 0, 0]]]
}

#[test]
fn each_kind_of_fault_changes_bits() {
    let func = function();
    let Some(options) = Options::host().filter(|options| options.vector_bytes >= VectorBytes::ThirtyTwo) else {
        return println!("skipped: the processor has no AVX2");
    };
    let options = Options { vector_bytes: VectorBytes::ThirtyTwo, ..options };
    // Without gathers, lanes go one by one.
    let without = CpuFeatures { gathers: false, ..options.features };
    let compiled =
        [options.features, without].map(|features| compile(&func, &Options { features, ..options }).unwrap());
    let content = content();
    let outcome = |compiled: &Compiled| run(&func, compiled, &Bound::new(&func, &content), &[[0, 0, 0]], u64::MAX);
    let expected = interpret(&func, &Bound::new(&func, &content), &[[0, 0, 0]], u64::MAX);
    for compiled in &compiled {
        assert_eq!(outcome(compiled), expected);
    }
    for (what, plant) in FAULTS.into_iter().chain(options.features.gathers.then_some(GATHER_FAULT)) {
        let (mut planted, mut found) = (0, 0);
        for (compiled, inst) in
            compiled.iter().flat_map(|one| instructions(one.code()).into_iter().map(move |inst| (one, inst)))
        {
            let mut code = compiled.code().to_vec();
            if plant(&inst, &mut code) {
                planted += 1;
                // SAFETY: the faults move values between lanes, all of which hold results that the shader computes of
                // its input, and it keeps every address in bounds whatever the input; slots of the frame are read
                // elsewhere in the frame.
                let wrong = unsafe { with_code(compiled, &code, &options) };
                found += u32::from(outcome(&wrong) != expected);
            }
        }
        println!("{what}: found {found} of {planted}");
        assert!(found > 0, "{what}: found {found} of {planted}");
    }
}
