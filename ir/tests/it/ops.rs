//! Tests every operation's `eval` against a statement of its rule that is written another way: integers without wrap,
//! bits one by one, exact float arithmetic, and the tables of the Direct3D 11 functional specification.
//!
//! [`expected`] matches on every operation: a new row of the table does not compile here until its rule is stated.
//! `cargo test -p brolga-ir --test it ops:: -- --nocapture` lists the operations with the number of operands tried.

use std::cmp::Ordering;

use brolga_ir::function::AtomicOp;
use brolga_ir::{Op, Type};
use brolga_testing_base::random::Random;

use crate::exact::{Float, Format, Number, Rounding};

/// The required result of an operation.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    /// These bits.
    Bits(u64),
    /// Any NaN.
    NaN,
}

/// Number of random operands for each operation.
const RANDOM_OPERANDS: usize = 4000;

const F16: Format = Format::F16;
const F32: Format = Format::F32;
const F64: Format = Format::F64;

/// The meaning of an operation, from its description.
fn expected(op: Op, args: &[u64]) -> Expected {
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(0));
    let word = |value: i128| Expected::Bits(value.rem_euclid(1 << 32) as u64);
    let truth = |value: bool| Expected::Bits(u64::from(value));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (signed(a), signed(b));
    match op {
        Op::BAnd => truth(a + b == 2),
        Op::BOr => truth(a + b > 0),
        Op::BNot => truth(a == 0),
        Op::BToI => word(-ua),
        Op::SelectBool | Op::SelectI32 | Op::SelectF32 | Op::SelectI64 | Op::SelectF64 => {
            Expected::Bits(if a == 1 { b } else { args[2] })
        }

        Op::IAdd => word(ua + ub),
        Op::ISub => word(ua - ub),
        Op::IMul => word(ua * ub),
        Op::UMulHi => word((ua * ub).div_euclid(1 << 32)),
        Op::SMulHi => word((sa * sb).div_euclid(1 << 32)),
        Op::UDiv => word(if b == 0 { -1 } else { long_division(a, b).0.into() }),
        Op::UMod => word(if b == 0 { -1 } else { long_division(a, b).1.into() }),
        Op::And => from_bits(|n| bit(a, n) && bit(b, n)),
        Op::Or => from_bits(|n| bit(a, n) || bit(b, n)),
        Op::Xor => from_bits(|n| bit(a, n) != bit(b, n)),
        Op::Shl => word(ua * (1 << (b % 32))),
        Op::UShr => word(ua.div_euclid(1 << (b % 32))),
        Op::RotL => from_bits(|n| bit(a, (n + 32 - b as u32 % 32) % 32)),
        Op::SShr => word(sa.div_euclid(1 << (b % 32))),
        Op::SMin => word(if sa < sb { sa } else { sb }),
        Op::SMax => word(if sa > sb { sa } else { sb }),
        Op::UMin => word(if ua < ub { ua } else { ub }),
        Op::UMax => word(if ua > ub { ua } else { ub }),
        Op::IEq => truth(ua - ub == 0),
        Op::INe => truth(ua - ub != 0),
        Op::SLt => truth(sa - sb < 0),
        Op::SGe => truth(sa - sb >= 0),
        Op::ULt => truth(ua - ub < 0),
        Op::UGe => truth(ua - ub >= 0),
        Op::CountBits => word((0..32).filter(|&n| bit(a, n)).count() as i128),
        Op::FirstBitHi => word((0..32).find(|&n| bit(a, 31 - n)).map_or(-1, i128::from)),
        Op::FirstBitLo => word((0..32).find(|&n| bit(a, n)).map_or(-1, i128::from)),
        Op::BitReverse => from_bits(|n| bit(a, 31 - n)),

        Op::FAdd => add(F32, a, b),
        Op::FSub => add(F32, a, negated(F32, b)),
        Op::FMul => multiply(F32, a, b),
        Op::FFma => fused(F32, a, b, args[2]),
        Op::FDiv => divide(F32, a, b),
        Op::FSqrt => root(a),
        Op::FMin => extreme(F32, a, b, Ordering::Less),
        Op::FMax => extreme(F32, a, b, Ordering::Greater),
        Op::FSat => saturate(F32, a),
        Op::FNeg => Expected::Bits(negated(F32, a)),
        Op::FAbs => Expected::Bits(a % (1 << 31)),
        Op::FFlush => match F32.decode(a) {
            // Not arithmetic: a value that is not a denormal stays as it is.
            Float::NaN => Expected::Bits(a),
            value => write(F32, &value),
        },
        Op::FFloor => whole(a, |negative| if negative { Rounding::Away } else { Rounding::Zero }),
        Op::FCeil => whole(a, |negative| if negative { Rounding::Zero } else { Rounding::Away }),
        Op::FTrunc => whole(a, |_| Rounding::Zero),
        Op::FNearest => whole(a, |_| Rounding::Nearest),
        Op::FEq => truth(order(F32, a, b) == Some(Ordering::Equal)),
        Op::FNe => truth(order(F32, a, b) != Some(Ordering::Equal)),
        Op::FLt => truth(order(F32, a, b) == Some(Ordering::Less)),
        Op::FGe => truth(matches!(order(F32, a, b), Some(Ordering::Equal | Ordering::Greater))),
        Op::FToS => word(to_integer(F32, a, -(1 << 31), (1 << 31) - 1)),
        Op::FToU => word(to_integer(F32, a, 0, (1 << 32) - 1)),
        Op::SToF => write(F32, &Float::Finite(Number::integer(sa))),
        Op::UToF => write(F32, &Float::Finite(Number::integer(ua))),
        Op::F32ToF16 => match F32.decode(a) {
            Float::NaN => Expected::Bits(F16.nan()),
            value => Expected::Bits(F16.encode(&value, Rounding::Zero).expect("is a number")),
        },
        Op::F16ToF32 => write(F32, &F16.decode(a % (1 << 16))),
        Op::AsF32 => Expected::Bits(a),
        Op::BitsF32 => Expected::Bits(if matches!(F32.decode(a), Float::NaN) { F32.nan() } else { a }),

        Op::Pack64 => Expected::Bits((ua + ub * (1 << 32)) as u64),
        Op::Low64 => word(ua),
        Op::High64 => word(ua.div_euclid(1 << 32)),
        Op::AsF64 => Expected::Bits(a),
        Op::BitsF64 => Expected::Bits(if matches!(F64.decode(a), Float::NaN) { F64.nan() } else { a }),

        Op::DAdd => add(F64, a, b),
        Op::DSub => add(F64, a, negated(F64, b)),
        Op::DMul => multiply(F64, a, b),
        Op::DDiv => divide(F64, a, b),
        Op::DFma => fused(F64, a, b, args[2]),
        Op::DMin => extreme(F64, a, b, Ordering::Less),
        Op::DMax => extreme(F64, a, b, Ordering::Greater),
        Op::DSat => saturate(F64, a),
        Op::DNeg => Expected::Bits(negated(F64, a)),
        Op::DAbs => Expected::Bits(a % (1 << 63)),
        Op::DEq => truth(order(F64, a, b) == Some(Ordering::Equal)),
        Op::DNe => truth(order(F64, a, b) != Some(Ordering::Equal)),
        Op::DLt => truth(order(F64, a, b) == Some(Ordering::Less)),
        Op::DGe => truth(matches!(order(F64, a, b), Some(Ordering::Equal | Ordering::Greater))),
        Op::DToF => write(F32, &F64.decode(a)),
        Op::FToD => write(F64, &F32.decode(a)),
        Op::DToS => word(to_integer(F64, a, -(1 << 31), (1 << 31) - 1)),
        Op::DToU => word(to_integer(F64, a, 0, (1 << 32) - 1)),
        Op::SToD => write(F64, &Float::Finite(Number::integer(sa))),
        Op::UToD => write(F64, &Float::Finite(Number::integer(ua))),
    }
}

/// Two's complement.
fn signed(word: u64) -> i128 {
    i128::from(word) - if word >= 1 << 31 { 1 << 32 } else { 0 }
}

fn bit(word: u64, n: u32) -> bool {
    (word / (1 << n)) % 2 == 1
}

fn from_bits(value: impl Fn(u32) -> bool) -> Expected {
    Expected::Bits((0..32).filter(|&n| value(n)).map(|n| 1 << n).sum())
}

/// Quotient and remainder, digit by digit.
fn long_division(a: u64, b: u64) -> (u64, u64) {
    let (mut quotient, mut rest) = (0, 0);
    for n in (0..32).rev() {
        rest = rest * 2 + u64::from(bit(a, n));
        quotient *= 2;
        if rest >= b {
            rest -= b;
            quotient += 1;
        }
    }
    (quotient, rest)
}

fn negated(format: Format, bits: u64) -> u64 {
    bits ^ 1 << (format.significand + format.exponent - 1)
}

fn write(format: Format, value: &Float) -> Expected {
    format.encode(value, Rounding::Nearest).map_or(Expected::NaN, Expected::Bits)
}

fn finite(format: Format, number: Number) -> Expected {
    write(format, &Float::Finite(number))
}

fn infinite(format: Format, negative: bool) -> Expected {
    write(format, &Float::Infinite { negative })
}

fn add(format: Format, a: u64, b: u64) -> Expected {
    match (format.decode(a), format.decode(b)) {
        (Float::NaN, _) | (_, Float::NaN) => Expected::NaN,
        (Float::Infinite { negative: a }, Float::Infinite { negative: b }) if a != b => Expected::NaN,
        (Float::Infinite { negative }, _) | (_, Float::Infinite { negative }) => infinite(format, negative),
        (Float::Finite(a), Float::Finite(b)) => finite(format, a.add(&b)),
    }
}

fn multiply(format: Format, a: u64, b: u64) -> Expected {
    let (a, b) = (format.decode(a), format.decode(b));
    let negative = a.is_negative() != b.is_negative();
    match (&a, &b) {
        (Float::NaN, _) | (_, Float::NaN) => Expected::NaN,
        (Float::Infinite { .. }, other) | (other, Float::Infinite { .. }) if other.is_zero() => Expected::NaN,
        (Float::Infinite { .. }, _) | (_, Float::Infinite { .. }) => infinite(format, negative),
        (Float::Finite(a), Float::Finite(b)) => finite(format, a.multiply(b)),
    }
}

fn divide(format: Format, a: u64, b: u64) -> Expected {
    let (a, b) = (format.decode(a), format.decode(b));
    let negative = a.is_negative() != b.is_negative();
    match (&a, &b) {
        (Float::NaN, _) | (_, Float::NaN) | (Float::Infinite { .. }, Float::Infinite { .. }) => Expected::NaN,
        (Float::Infinite { .. }, _) => infinite(format, negative),
        (_, Float::Infinite { .. }) => finite(format, Number::zero(negative)),
        (Float::Finite(a), Float::Finite(b)) => match (a.is_zero(), b.is_zero()) {
            (true, true) => Expected::NaN,
            (false, true) => infinite(format, negative),
            (_, false) => finite(format, a.divide(b)),
        },
    }
}

fn root(a: u64) -> Expected {
    match F32.decode(a) {
        Float::NaN | Float::Infinite { negative: true } => Expected::NaN,
        Float::Infinite { negative: false } => infinite(F32, false),
        Float::Finite(number) if number.is_zero() => finite(F32, number),
        Float::Finite(number) if number.negative => Expected::NaN,
        Float::Finite(number) => finite(F32, number.root()),
    }
}

/// `a * b + c`, rounded once.
fn fused(format: Format, a: u64, b: u64, c: u64) -> Expected {
    let (a, b, c) = (format.decode(a), format.decode(b), format.decode(c));
    let negative = a.is_negative() != b.is_negative();
    match (&a, &b, &c) {
        (Float::NaN, ..) | (_, Float::NaN, _) | (_, _, Float::NaN) => Expected::NaN,
        (Float::Infinite { .. }, other, _) | (other, Float::Infinite { .. }, _) if other.is_zero() => Expected::NaN,
        (Float::Infinite { .. }, ..) | (_, Float::Infinite { .. }, _) => match c {
            Float::Infinite { negative: other } if other != negative => Expected::NaN,
            _ => infinite(format, negative),
        },
        (_, _, Float::Infinite { negative }) => infinite(format, *negative),
        (Float::Finite(a), Float::Finite(b), Float::Finite(c)) => finite(format, a.multiply(b).add(c)),
    }
}

fn order(format: Format, a: u64, b: u64) -> Option<Ordering> {
    format.decode(a).compare(&format.decode(b))
}

/// The operand that is in this order to the other; the second of two equal ones; if one is a NaN, the other.
fn extreme(format: Format, a: u64, b: u64, wanted: Ordering) -> Expected {
    let (a, b) = (format.decode(a), format.decode(b));
    let first = match a.compare(&b) {
        Some(order) => order == wanted,
        None => matches!(b, Float::NaN),
    };
    write(format, if first { &a } else { &b })
}

/// min(1, max(0, value)), where NaN and -0 give +0.
fn saturate(format: Format, a: u64) -> Expected {
    let (zero, one) = (Float::Finite(Number::integer(0)), Float::Finite(Number::integer(1)));
    let value = format.decode(a);
    match (value.compare(&zero), value.compare(&one)) {
        (Some(Ordering::Greater), Some(Ordering::Less)) => write(format, &value),
        (Some(Ordering::Greater), _) => write(format, &one),
        _ => write(format, &zero),
    }
}

/// The next integer; `rounding` chooses it for a negative and for a positive operand. The sign stays.
fn whole(a: u64, rounding: impl Fn(bool) -> Rounding) -> Expected {
    match F32.decode(a) {
        Float::Finite(number) => {
            let rounding = rounding(number.negative);
            finite(F32, number.round(rounding))
        }
        value => write(F32, &value),
    }
}

fn to_integer(format: Format, a: u64, least: i128, most: i128) -> i128 {
    match format.decode(a) {
        Float::NaN => 0,
        Float::Infinite { negative: true } => least,
        Float::Infinite { negative: false } => most,
        Float::Finite(number) => number.clamp_to(least, most),
    }
}

/// Values at which rules change, with their negatives.
fn edges(ty: Type) -> Vec<u64> {
    let with_signs = |bits: Vec<u64>, sign: u64| bits.iter().flat_map(|&bits| [bits, bits | 1 << sign]).collect();
    match ty {
        Type::Bool => vec![0, 1],
        Type::I32 => {
            let mut words: Vec<u32> = vec![0x5555_5555, 0xaaaa_aaaa, 0x0001_0001, 0x7f7f_ff80, 0xdead_beef];
            // Around the powers of two: shift counts, halves, bounds of exact floats, signs.
            for n in [0, 1, 4, 5, 10, 14, 15, 16, 23, 24, 25, 28, 31] {
                words.extend([(1 << n) - 1, 1 << n, (1 << n) + 1, u32::MAX << n]);
            }
            words.sort_unstable();
            words.dedup();
            words.into_iter().map(u64::from).collect()
        }
        Type::F32 => {
            let numbers = [
                1.0f32,
                0.5,
                0.25,
                0.75,
                1.5,
                2.0,
                2.5,
                3.0,
                0.1,
                1e-10,
                1e10,
                0.999_999_94,
                1.000_000_1,
                0.499_999_97,
                8_388_607.5,
                8_388_608.0,
                16_777_215.0,
                16_777_216.0,
                2_147_483_520.0,
                2_147_483_648.0,
                4_294_967_040.0,
                4_294_967_296.0,
                65504.0,
                65519.996,
                65520.0,
                65536.0,
                6.103_515_6e-5,
                5.960_464_5e-8,
                5.96e-8,
                2.98e-8,
                1.844_674_3e19,
                1e-19,
                1e19,
                f32::MAX,
                f32::INFINITY,
            ];
            let mut bits: Vec<u64> = numbers.iter().map(|number| number.to_bits().into()).collect();
            // Zero, denormals, the smallest normals, cases of rounding in 0x00ffffff / 2, NaNs.
            bits.extend([0, 1, 0x40_0000, 0x55_5555, 0x7f_ffff, 0x80_0000, 0x80_0001, 0xff_ffff, 0x100_0000]);
            bits.extend([
                0x7f7f_fffe,
                0x7f80_0001,
                0x7fbf_ffff,
                0x7fc0_0000,
                0x7fc1_2345,
                0x7fff_ffff,
                0x2aaa_aaaa,
                0x5555_5555,
            ]);
            with_signs(bits, 31)
        }
        Type::I64 => {
            vec![0, 1, u64::MAX, 1 << 63, 1 << 32, u64::from(u32::MAX), 0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef]
        }
        Type::F64 => {
            let least = f64::from(f32::MIN_POSITIVE);
            let numbers = [
                1.0f64,
                0.5,
                1.5,
                2.0,
                3.0,
                0.1,
                0.999_999_999_999_999_9,
                1e-300,
                1e300,
                1e-160,
                1e160,
                4_503_599_627_370_495.5,
                9_007_199_254_740_993.0,
                2_147_483_647.0,
                2_147_483_647.999,
                2_147_483_648.0,
                2_147_483_648.999,
                2_147_483_649.0,
                4_294_967_295.0,
                4_294_967_295.999,
                4_294_967_296.0,
                f64::MAX,
                f64::INFINITY,
                f64::MIN_POSITIVE,
                // Where 32 bits begin to be tiny, denormal, or too large: the borders and their neighbours.
                least,
                least * (1.0 - 1.0 / 33_554_432.0),
                least * 0.999_999_94,
                least * 0.5,
                1e-45,
                7e-46,
                f32::MAX.into(),
                3.402_823_567_797_336_6e38,
                16_777_217.0,
                16_777_219.0,
            ];
            let mut bits: Vec<u64> = numbers.iter().map(|number: &f64| number.to_bits()).collect();
            for number in [least * (1.0 - 1.0 / 33_554_432.0), 3.402_823_567_797_336_6e38] {
                bits.extend([number.to_bits() - 1, number.to_bits() + 1]);
            }
            bits.extend([0, 1, 0x0008_0000_0000_0000, 0x000f_ffff_ffff_ffff, 0x0010_0000_0000_0001]);
            bits.extend([0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0000, 0x7fff_ffff_ffff_ffff, 0x5555_5555_5555_5555]);
            with_signs(bits, 63)
        }
    }
}

/// Random bits; for floats also such whose exponents lie near one another, or near the ends.
fn random_value(random: &mut Random, ty: Type) -> u64 {
    let bits = random.bits();
    match (ty, random.below(4)) {
        (Type::Bool, _) => bits & 1,
        (Type::I32, 0) => bits >> 59,
        (Type::I32, 1) => bits >> (32 + random.below(32)),
        (Type::F32, 0 | 1) => (bits & 0x807f_ffff) | (120 + random.below(16) as u64) << 23,
        (Type::F32, 2) => {
            (bits & 0x8000_ffff) | (random.pick(&[0, 1, 2, 24, 60, 63, 64, 126, 191, 253, 254, 255])) << 23
        }
        (Type::I32 | Type::F32, _) => bits >> 32,
        (Type::F64, 0 | 1) => (bits & 0x800f_ffff_ffff_ffff) | (1000 + random.below(60) as u64) << 52,
        // Where 32-bit floats begin and end, and the ends of its own range.
        (Type::F64, 2) => {
            (bits & 0x800f_ffff_0000_0000) | random.pick(&[0, 1, 53, 872, 873, 896, 897, 1150, 1151, 2046]) << 52
        }
        (Type::I64 | Type::F64, _) => bits,
    }
}

fn check(op: Op, args: &[u64]) {
    let found = op.eval(args);
    let right = match expected(op, args) {
        Expected::Bits(bits) => found == bits,
        Expected::NaN => {
            let format = if op.result() == Type::F64 { F64 } else { F32 };
            matches!(format.decode(found), Float::NaN)
        }
    };
    assert!(right, "{op:?} of {args:x?} gives {found:#x}, expected {:x?}", expected(op, args));
}

/// Calls `f` with every choice of one value for each operand.
fn for_all(choices: &[Vec<u64>], args: &mut Vec<u64>, f: &mut impl FnMut(&[u64])) {
    let Some((first, rest)) = choices.split_first() else { return f(args) };
    for &value in first {
        args.push(value);
        for_all(rest, args, f);
        args.pop();
    }
}

/// Tries an operation on every choice of edge values; returns their number.
fn check_edges(op: Op) -> usize {
    let choices: Vec<_> = op.args().iter().map(|&ty| edges(ty)).collect();
    // Every third value is enough where three operands have many.
    let step = if choices.iter().filter(|values| values.len() > 60).count() == 3 { 3 } else { 1 };
    let choices: Vec<_> = choices.into_iter().map(|values| values.into_iter().step_by(step).collect()).collect();
    let mut tried = 0;
    for_all(&choices, &mut Vec::new(), &mut |args| {
        check(op, args);
        tried += 1;
    });
    tried
}

/// Tries an operation on random bits; returns the number of tries.
fn check_random(op: Op) -> usize {
    let mut random = Random(op as u64);
    for _ in 0..RANDOM_OPERANDS {
        let args: Vec<u64> = op.args().iter().map(|&ty| random_value(&mut random, ty)).collect();
        check(op, &args);
    }
    RANDOM_OPERANDS
}

#[test]
fn every_operation_keeps_its_rule() {
    println!("{:<14}{:>10}{:>10}", "eval of", "edges", "random");
    for &op in Op::ALL {
        let (edges, random) = (check_edges(op), check_random(op));
        println!("{:<14}{edges:>10}{random:>10}", op.name());
        assert!(edges > 0 && random > 0, "{} is not tried", op.name());
    }
}

/// The required word in memory after an atomic, from its description.
fn expected_word(op: AtomicOp, old: u32, value: u32, compare: u32) -> u32 {
    let [a, b] = [old, value].map(u64::from);
    let [signed_a, signed_b] = [a, b].map(signed);
    let bits = |value: &dyn Fn(u32) -> bool| match from_bits(value) {
        Expected::Bits(bits) => bits as u32,
        Expected::NaN => unreachable!("bits are no floats"),
    };
    let old_stays = match op {
        AtomicOp::Add => return ((a + b) % (1 << 32)) as u32,
        AtomicOp::And => return bits(&|n| bit(a, n) && bit(b, n)),
        AtomicOp::Or => return bits(&|n| bit(a, n) || bit(b, n)),
        AtomicOp::Xor => return bits(&|n| bit(a, n) != bit(b, n)),
        AtomicOp::SMax => signed_a > signed_b,
        AtomicOp::SMin => signed_a < signed_b,
        AtomicOp::UMax => a > b,
        AtomicOp::UMin => a < b,
        AtomicOp::Exchange => false,
        AtomicOp::CompareExchange => a != u64::from(compare),
    };
    if old_stays { old } else { value }
}

#[test]
fn every_atomic_keeps_its_rule() {
    println!("{:<18}{:>10}", "atomic", "edges");
    let words: Vec<u32> = edges(Type::I32).into_iter().map(|word| word as u32).collect();
    for op in AtomicOp::ALL {
        let mut tried = 0;
        for &old in &words {
            for &value in &words {
                for compare in [old, value, old.wrapping_add(1)] {
                    let found = op.apply(old, value, compare);
                    assert_eq!(
                        found,
                        expected_word(op, old, value, compare),
                        "{op:?} of {old:#x}, {value:#x}, {compare:#x}"
                    );
                    tried += 1;
                }
            }
        }
        println!("{:<18}{tried:>10}", op.name());
    }
}

#[test]
fn conversions_of_halves_are_right_for_every_half() {
    for bits in 0..1u64 << 16 {
        check(Op::F16ToF32, &[bits]);
        check(Op::F32ToF16, &[bits << 16]);
        check(Op::F32ToF16, &[bits << 16 | 0x1fff]);
        check(Op::F32ToF16, &[bits << 16 | 0x2000]);
    }
}

fn f32_of(op: Op, args: &[f32]) -> u32 {
    let args: Vec<u64> = args.iter().map(|arg| arg.to_bits().into()).collect();
    op.eval(&args) as u32
}

/// Design, section 3: cases that tell flushing after rounding from flushing before, and from none.
#[test]
fn the_float_mode_is_that_of_the_design() {
    let least = f32::MIN_POSITIVE;
    // A denormal result would round up to the smallest normal; with 24 bits it stays below and is flushed.
    assert_eq!(f32_of(Op::FMul, &[0.999_999_94, least]), 0);
    assert_eq!(f32_of(Op::FMul, &[-0.999_999_94, least]), 0x8000_0000);
    let almost_twice = f32::from_bits(0x00ff_ffff);
    assert_eq!(f32_of(Op::FDiv, &[almost_twice, 2.0]), 0);
    assert_eq!(f32_of(Op::FMul, &[almost_twice, -0.5]), 0x8000_0000);
    // The same numbers through a double.
    let to_f32 = |value: f64| Op::DToF.eval(&[value.to_bits()]) as u32;
    assert_eq!(to_f32(f64::from(0.999_999_94f32) * f64::from(least)), 0);
    assert_eq!(to_f32(f64::from(almost_twice) / 2.0), 0);
    assert_eq!(to_f32(-f64::from(almost_twice) / 2.0), 0x8000_0000);
    // Half a unit of 24 bits below the smallest normal rounds to it; anything less does not.
    let border = f64::from(least) * (1.0 - 1.0 / 33_554_432.0);
    assert_eq!(to_f32(border), least.to_bits());
    assert_eq!(to_f32(border.next_down()), 0);
    // Minimum and maximum flush their results.
    let (small, smaller) = (f32::from_bits(0x7f_ffff), f32::from_bits(1));
    assert_eq!(f32_of(Op::FMin, &[small, smaller]), 0);
    assert_eq!(f32_of(Op::FMax, &[-small, -smaller]), 0x8000_0000);
    assert_eq!(f32_of(Op::FMax, &[small, f32::NAN]), 0);
    assert_eq!(f32_of(Op::FMin, &[f32::NAN, -small]), 0x8000_0000);
    // Denormals of 64 bits count beside flushed ones of 32 bits.
    let tiny = f64::from_bits(1);
    let double = |op: Op, a: f64, b: f64| f64::from_bits(op.eval(&[a.to_bits(), b.to_bits()]));
    assert_eq!(double(Op::DAdd, tiny, tiny).to_bits(), 2);
    assert_eq!(double(Op::DMul, f64::MIN_POSITIVE, 0.5).to_bits(), 1 << 51);
    assert_eq!(double(Op::DMax, tiny, 0.0), tiny);
    assert_eq!(Op::FToD.eval(&[u64::from(small.to_bits())]), 0);
    assert_eq!(f32_of(Op::FAdd, &[small, small]), 0);
    // Moves do not inspect the bits they move.
    assert_eq!(Op::SelectF32.eval(&[1, 1, 0]), 1);
    assert_eq!(Op::AsF32.eval(&[0x7f80_0001]), 0x7f80_0001);
    assert_eq!(f32_of(Op::FNeg, &[smaller]), 0x8000_0001);
}

/// A table of the functional specification: classes of operands and of results.
struct Table {
    op: Op,
    columns: &'static str,
    rows: &'static str,
}

/// Sections 22.10.1, 22.10.2, 22.10.12 and 22.10.11, 22.10.10.
const TABLES: [Table; 5] = [
    Table {
        op: Op::FAdd,
        columns: "-inf -F -denorm -0 +0 +denorm +F +inf NaN",
        rows: "-inf: -inf -inf -inf -inf -inf -inf -inf NaN NaN
               -F: -inf -F src0 src0 src0 src0 any +inf NaN
               -denorm: -inf src1 -0 -0 +0 +0 src1 +inf NaN
               -0: -inf src1 -0 -0 +0 +0 src1 +inf NaN
               +0: -inf src1 +0 +0 +0 +0 src1 +inf NaN
               +denorm: -inf src1 +0 +0 +0 +0 src1 +inf NaN
               +F: -inf any src0 src0 src0 src0 +F +inf NaN
               +inf: NaN +inf +inf +inf +inf +inf +inf +inf NaN
               NaN: NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    },
    Table {
        op: Op::FMul,
        columns: "-inf -F -1.0 -denorm -0 +0 +denorm +1.0 +F +inf NaN",
        rows: "-inf: +inf +inf +inf NaN NaN NaN NaN -inf -inf -inf NaN
               -F: +inf +F -src0 +0 +0 -0 -0 src0 -F -inf NaN
               -1.0: +inf -src1 +1.0 +0 +0 -0 -0 -1.0 -src1 -inf NaN
               -denorm: NaN +0 +0 +0 +0 -0 -0 -0 -0 NaN NaN
               -0: NaN +0 +0 +0 +0 -0 -0 -0 -0 NaN NaN
               +0: NaN -0 -0 -0 -0 +0 +0 +0 +0 NaN NaN
               +denorm: NaN -0 -0 -0 -0 +0 +0 +0 +0 NaN NaN
               +1.0: -inf src1 -1.0 -0 -0 +0 +0 +1.0 src1 +inf NaN
               +F: -inf -F -src0 -0 -0 +0 +0 src0 +F +inf NaN
               +inf: -inf -inf -inf NaN NaN NaN NaN +inf +inf +inf NaN
               NaN: NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    },
    Table {
        op: Op::FDiv,
        columns: "-inf -F -1.0 -denorm -0 +0 +denorm +1.0 +F +inf NaN",
        rows: "-inf: NaN +inf +inf +inf +inf -inf -inf -inf -inf NaN NaN
               -F: +0 +F -src0 +inf +inf -inf -inf src0 -F -0 NaN
               -denorm: +0 +0 +0 NaN NaN NaN NaN -0 -0 -0 NaN
               -0: +0 +0 +0 NaN NaN NaN NaN -0 -0 -0 NaN
               +0: -0 -0 -0 NaN NaN NaN NaN +0 +0 +0 NaN
               +denorm: -0 -0 -0 NaN NaN NaN NaN +0 +0 +0 NaN
               +F: -0 -F -src0 -inf -inf +inf +inf src0 +F +0 NaN
               +inf: NaN -inf -inf -inf -inf +inf +inf +inf +inf NaN NaN
               NaN: NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN",
    },
    Table {
        op: Op::FMin,
        columns: "-inf +F +inf NaN",
        rows: "-inf: -inf -inf -inf -inf
               +F: -inf any src0 src0
               +inf: -inf src1 +inf +inf
               NaN: -inf src1 +inf NaN",
    },
    Table {
        op: Op::FMax,
        columns: "-inf +F +inf NaN",
        rows: "-inf: -inf src1 +inf -inf
               +F: src0 any +inf src0
               +inf: +inf +inf +inf +inf
               NaN: -inf src1 +inf NaN",
    },
];

/// Members of a class: plain numbers whose products and quotients stay plain.
fn members(class: &str) -> Vec<f32> {
    let positive = match class.trim_start_matches(['-', '+']) {
        "inf" => vec![f32::INFINITY],
        "F" => vec![0.3, 1.25, 7e5, 3e-6],
        "1.0" => vec![1.0],
        "denorm" => vec![f32::from_bits(1), f32::from_bits(0x7f_ffff)],
        "0" => vec![0.0],
        "NaN" => vec![f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffc1_2345)],
        other => panic!("{other} is no class"),
    };
    positive.into_iter().map(|number| if class.starts_with('-') { -number } else { number }).collect()
}

#[test]
fn operations_follow_the_specifications_tables() {
    for Table { op, columns, rows } in TABLES {
        for row in rows.lines() {
            let (class_a, cells) = row.trim().split_once(": ").expect("a row has a head");
            assert_eq!(columns.split(' ').count(), cells.split(' ').count());
            for (class_b, cell) in columns.split(' ').zip(cells.split(' ')) {
                for a in members(class_a) {
                    for b in members(class_b) {
                        let found = f32::from_bits(f32_of(op, &[a, b]));
                        let same = |number: f32| found.to_bits() == number.to_bits();
                        let right = match cell {
                            "any" => found.is_finite(),
                            "src0" => same(a),
                            "src1" => same(b),
                            "-src0" => same(-a),
                            "-src1" => same(-b),
                            "NaN" => found.is_nan(),
                            "+F" => found.is_normal() && found > 0.0,
                            "-F" => found.is_normal() && found < 0.0,
                            exact => same(members(exact)[0]),
                        };
                        assert!(right, "{op:?}({a:?}, {b:?}) is {found:?}, the table says {cell}");
                    }
                }
            }
        }
    }
}

/// The model itself, where hardware floats are known to be right: doubles under the default rounding.
#[test]
fn the_model_agrees_with_ieee_doubles() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let (a, b) = (random_value(&mut random, Type::F64), random_value(&mut random, Type::F64));
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        for (result, modelled) in [(x + y, add(F64, a, b)), (x * y, multiply(F64, a, b)), (x / y, divide(F64, a, b))] {
            let expected = if result.is_nan() { Expected::NaN } else { Expected::Bits(result.to_bits()) };
            assert_eq!(modelled, expected, "{x:e} and {y:e}");
        }
    }
}
