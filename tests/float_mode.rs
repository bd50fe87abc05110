//! Denormals: 32-bit ones flush, 64-bit ones do not, in one shader as in the other.
//!
//! The processor has one switch for both widths, so a shader without doubles runs under it and one with doubles without
//! it. Both must give the same 32-bit results.

use brolga_testing::run::{Devices, Structured};
use brolga_testing::tokens::{
    Modifier, Operand, RESOURCE, SATURATE, TEMP, THREAD_ID, Tokens, UAV, dst, literal, literal4, modified, one, op,
    own, src,
};

const FLT_MIN: u32 = 0x0080_0000;
const JUST_BELOW_ONE: u32 = 0x3f7f_ffff;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const MINUS: u32 = 0x8000_0000;
const DENORMAL: u32 = 0x0040_0000;
const NAN: u32 = 0x7fc0_0000;

/// Operation, operands, result. Results by hand from the rules of section 3.1 of the functional specification: operands
/// are flushed, results that are tiny after rounding to 24 bits are flushed, min and max give the other operand of a NaN.
const CASES: [(u32, u32, u32, u32); 22] = [
    (op::MUL, JUST_BELOW_ONE, FLT_MIN, 0),
    (op::MUL, JUST_BELOW_ONE | MINUS, FLT_MIN, MINUS),
    (op::MUL, ONE, FLT_MIN, FLT_MIN),
    // The operand is normal, the quotient has 24 bits and is tiny: 0x00ffffff is (2 - 2^-23) * 2^-126.
    (op::DIV, 0x00ff_ffff, TWO, 0),
    (op::DIV, 0x0100_0000, TWO, FLT_MIN),
    (op::MUL, 0x00ff_ffff, 0x3f00_0000, 0),
    (op::ADD, DENORMAL, 0, 0),
    (op::ADD, DENORMAL, FLT_MIN, FLT_MIN),
    (op::ADD, 0x0080_0001, FLT_MIN | MINUS, 0),
    (op::ADD, FLT_MIN, 0x0080_0001 | MINUS, MINUS),
    (op::MUL, DENORMAL, 0x7f00_0000, 0),
    (op::DIV, ONE, DENORMAL, 0x7f80_0000),
    (op::DIV, ONE, DENORMAL | MINUS, 0xff80_0000),
    (op::DIV, ONE, 0x7f00_0000, 0),
    (op::MIN, DENORMAL, ONE, 0),
    (op::MAX, DENORMAL, ONE | MINUS, 0),
    (op::MIN, DENORMAL | MINUS, ONE, MINUS),
    (op::MAX, DENORMAL | MINUS, ONE | MINUS, MINUS),
    (op::MIN, 0x7fc1_2345, DENORMAL, 0),
    (op::MAX, ONE, 0xffc0_0001, ONE),
    (op::MIN, 0x7fc1_2345, 0xffc0_0001, NAN),
    (op::ADD, 0x7f80_0000, 0xff80_0000, NAN),
];

/// Doubles and what `dtof` gives: tiny after rounding to 24 bits is zero, half a unit below FLT_MIN rounds up to it.
const NARROWED: [(u64, u32); 7] = [
    // 0.99999994 * FLT_MIN
    (0x380f_ffff_e000_0000, 0),
    (0xb80f_ffff_e000_0000, MINUS),
    // The tie between that and FLT_MIN goes to even, and what lies under the tie does not.
    (0x380f_ffff_f000_0000, FLT_MIN),
    (0x380f_ffff_efff_ffff, 0),
    (0x3810_0000_0000_0000, FLT_MIN),
    (0x0000_0000_0000_0001, 0),
    (0x3ff0_0000_0000_0000, ONE),
];

/// `op r1.x, r0.x, r0.y` for each case, on values that come from memory so that nothing can be folded, and on literals
/// so that everything is.
fn float_shader(doubles: bool) -> Vec<u8> {
    let mut tokens =
        Tokens::compute([8, 1, 1], 4).input(THREAD_ID).structured(RESOURCE, 0, 8).structured(UAV, 0, 8 * 4);
    for (n, &(opcode, a, b, _)) in CASES.iter().enumerate() {
        let load = [dst(TEMP, 0, 3), literal(n as u32), literal(0), src(RESOURCE, 0, [0, 1, 2, 3])];
        tokens.emit(op::LD_STRUCTURED, 0, &load);
        tokens.emit(opcode, 0, &[dst(TEMP, 1, 1), one(TEMP, 0, 0), one(TEMP, 0, 1)]);
        tokens.emit(opcode, 0, &[dst(TEMP, 1, 2), literal(a), literal(b)]);
        // The same per lane: the index differs between threads, though the element does not.
        let spread = [dst(TEMP, 2, 1), own(THREAD_ID, 0), literal(0)];
        tokens.emit(1 /* and */, 0, &spread);
        tokens.emit(op::IADD, 0, &[dst(TEMP, 2, 1), one(TEMP, 2, 0), literal(n as u32)]);
        let load = [dst(TEMP, 0, 3), one(TEMP, 2, 0), literal(0), src(RESOURCE, 0, [0, 1, 2, 3])];
        tokens.emit(op::LD_STRUCTURED, 0, &load);
        tokens.emit(opcode, 0, &[dst(TEMP, 1, 4), one(TEMP, 0, 0), one(TEMP, 0, 1)]);
        tokens.emit(op::MOV, 0, &[dst(TEMP, 1, 8), literal(n as u32)]);
        let store = [dst(UAV, 0, 15), literal(n as u32), literal(0), src(TEMP, 1, [0, 1, 2, 3])];
        tokens.emit(op::STORE_STRUCTURED, 0, &store);
    }
    if doubles {
        // Double arithmetic whose result is stored, so that the shader runs in the other mode: a denormal plus zero,
        // and half the smallest normal double.
        let count = CASES.len() as u32;
        let load = [dst(TEMP, 0, 15), literal(count), literal(0), src(RESOURCE, 0, [0, 1, 0, 1])];
        tokens.emit(op::LD_STRUCTURED, 0, &load);
        let zero = vec![0x0000_5002, 0, 0, 0, 0];
        tokens.emit(op::DADD, 0, &[dst(TEMP, 1, 3), src(TEMP, 0, [0, 1, 0, 1]), zero]);
        let load = [dst(TEMP, 0, 15), literal(count + 1), literal(0), src(RESOURCE, 0, [0, 1, 0, 1])];
        tokens.emit(op::LD_STRUCTURED, 0, &load);
        let half = vec![0x0000_5002, 0, 0x3fe0_0000, 0, 0x3fe0_0000];
        tokens.emit(op::DMUL, 0, &[dst(TEMP, 1, 12), src(TEMP, 0, [0, 1, 0, 1]), half]);
        let store = [dst(UAV, 0, 15), literal(count), literal(0), src(TEMP, 1, [0, 1, 2, 3])];
        tokens.emit(op::STORE_STRUCTURED, 0, &store);
        for (n, _) in NARROWED.iter().enumerate() {
            let n = n as u32;
            let load = [dst(TEMP, 0, 15), literal(count + 2 + n), literal(0), src(RESOURCE, 0, [0, 1, 0, 1])];
            tokens.emit(op::LD_STRUCTURED, 0, &load);
            tokens.emit(op::DTOF, 0, &[dst(TEMP, 1, 1), src(TEMP, 0, [0, 1, 0, 1])]);
            tokens.emit(op::FTOD, 0, &[dst(TEMP, 1, 12), literal4_of(DENORMAL)]);
            let store = [dst(UAV, 0, 15), literal(count + 1 + n), literal(0), src(TEMP, 1, [0, 0, 2, 3])];
            tokens.emit(op::STORE_STRUCTURED, 0, &store);
        }
    }
    tokens.emit(op::RET, 0, &[]);
    tokens.container()
}

fn literal4_of(word: u32) -> Operand {
    literal4([word; 4])
}

#[test]
fn both_modes_give_the_same() {
    let mut input: Vec<u32> = CASES.iter().flat_map(|&(_, a, b, _)| [a, b]).collect();
    let doubles = [0x0000_0000_0000_0003u64, 0x8010_0000_0000_0000].into_iter().chain(NARROWED.map(|(bits, _)| bits));
    input.extend(doubles.flat_map(|bits| [bits as u32, (bits >> 32) as u32]));
    let zeros = vec![0; (CASES.len() + 1 + NARROWED.len()) * 8];
    for with_doubles in [false, true] {
        let what = format!("with doubles: {with_doubles}");
        let views = [
            Structured { register: "t0", stride_bytes: 8, words: &input },
            Structured { register: "u0", stride_bytes: 32, words: &zeros },
        ];
        let devices = Devices::new();
        let words = devices.run(&devices.compile(&float_shader(with_doubles), &what), &views, &what);
        let element = |n: usize| &words[1][n * 8..n * 8 + 4];
        for (n, &(opcode, a, b, expected)) in CASES.iter().enumerate() {
            let got = &element(n)[..3];
            assert_eq!(got, [expected; 3], "{what}: opcode {opcode} of {a:#010x} and {b:#010x}: got {got:x?}");
        }
        if with_doubles {
            let count = CASES.len();
            assert_eq!(element(count), [3, 0, 0, 0x8008_0000], "{what}: denormal doubles stay");
            for (n, &(bits, expected)) in NARROWED.iter().enumerate() {
                let got = element(count + 1 + n);
                assert_eq!(got, [expected, expected, 0, 0], "{what}: dtof of {bits:#018x}, ftod of a denormal");
            }
        }
    }
}

/// `mov` alone moves bits, denormals and signalling NaNs included; with a modifier or `_sat` it is arithmetic.
#[test]
fn moves_keep_bits() {
    let inputs = [DENORMAL, DENORMAL | MINUS, 0x7f80_0001, 0xffc1_2345, ONE, 0xbf80_0000];
    let mut tokens = Tokens::compute([8, 1, 1], 2).input(THREAD_ID).structured(RESOURCE, 0, 4).structured(UAV, 0, 16);
    let load = [dst(TEMP, 0, 1), own(THREAD_ID, 0), literal(0), src(RESOURCE, 0, [0, 1, 2, 3])];
    tokens.emit(op::LD_STRUCTURED, 0, &load);
    tokens.emit(op::MOV, 0, &[dst(TEMP, 1, 1), one(TEMP, 0, 0)]);
    for (mask, modifier) in [(2, Modifier::Negate), (4, Modifier::Absolute)] {
        tokens.emit(op::MOV, 0, &[dst(TEMP, 1, mask), modified(TEMP, 0, [0; 4], modifier)]);
    }
    tokens.emit(op::MOV, SATURATE, &[dst(TEMP, 1, 8), src(TEMP, 0, [0; 4])]);
    let store = [dst(UAV, 0, 15), own(THREAD_ID, 0), literal(0), src(TEMP, 1, [0, 1, 2, 3])];
    tokens.emit(op::STORE_STRUCTURED, 0, &store).emit(op::RET, 0, &[]);
    let views = [
        Structured { register: "t0", stride_bytes: 4, words: &inputs },
        Structured { register: "u0", stride_bytes: 16, words: &[0; 6 * 4] },
    ];
    let devices = Devices::new();
    let words = devices.run(&devices.compile(&tokens.container(), "mov"), &views, "mov");
    let expected = [
        [DENORMAL, MINUS, 0, 0],
        [DENORMAL | MINUS, 0, 0, 0],
        [0x7f80_0001, NAN, NAN, 0],
        [0xffc1_2345, NAN, NAN, 0],
        [ONE, ONE | MINUS, ONE, ONE],
        [0xbf80_0000, ONE, ONE, 0],
    ];
    for (n, expected) in expected.iter().enumerate() {
        assert_eq!(words[1][n * 4..n * 4 + 4], *expected, "mov of {:#010x}", inputs[n]);
    }
}
