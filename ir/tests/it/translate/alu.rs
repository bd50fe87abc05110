//! Tests arithmetic, moves and conversions, each against a model of a few lines from its page of the specification.

use brolga_ir::function::{Function, InstKind};
use brolga_ir::ops::Op;
use brolga_testing_base::assemble::translated;
use brolga_testing_base::scalar;

/// Words that are edge cases: integers, floats, denormals, infinities, NaN.
const EDGES: [u32; 24] = [
    0,
    1,
    2,
    31,
    32,
    33,
    0xff,
    0x0001_0203,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
    0xaaaa_aaaa,
    0x3f80_0000, // 1
    0xbf80_0000, // -1
    0x3f7f_ffff, // below 1
    0x4020_0000, // 2.5
    0xc0e0_0001, // below -7
    0x4f00_0000, // 2^31
    0x0080_0000, // smallest normal
    0x0040_0000, // denormal
    0x7f7f_ffff, // largest
    0x7f80_0000, // infinity
    0x7fc0_1234, // NaN with a payload
];

const NAN: u32 = 0x7fc0_0000;

/// Runs one instruction on four registers; returns r0 and r5.
fn run(func: &Function, sources: [[u32; 4]; 4]) -> [[u32; 4]; 2] {
    let [a, b, c, d] = sources;
    let registers = scalar::run_thread(func, &[[0xdead; 4], a, b, c, d, [0xdead; 4]].concat());
    [0, 5].map(|register| registers[4 * register..][..4].try_into().expect("four words"))
}

/// Source words for every lane: all pairs of edges in r1 and r2, others mixed in r3 and r4.
fn all_sources() -> Vec<[[u32; 4]; 4]> {
    let mut sources = Vec::new();
    for (i, a) in EDGES.into_iter().enumerate() {
        for j in 0..EDGES.len() / 4 {
            let at = |n: usize| EDGES[n % EDGES.len()];
            let b: [u32; 4] = std::array::from_fn(|lane| EDGES[4 * j + lane]);
            let c = std::array::from_fn(|lane| at(i * 7 + j * 5 + lane * 3));
            let d = std::array::from_fn(|lane| at(i * 11 + j + lane));
            sources.push([[a; 4], b, c, d]);
        }
    }
    sources
}

/// Checks an instruction that writes all of r0 from sources r1 to r4, lane by lane.
fn each(line: &str, model: impl Fn([u32; 4]) -> u32) {
    let func = translated(&format!("dcl_temps 6\n{line}\nret"));
    for sources in all_sources() {
        let [got, _] = run(&func, sources);
        for lane in 0..4 {
            let args = std::array::from_fn(|n| sources[n][lane]);
            assert_eq!(got[lane], model(args), "{line}: {:#x?} gives {:#x}", args, got[lane]);
        }
    }
}

/// Checks an instruction that writes all of r0 and r5 from sources r1 to r4.
fn each_two(line: &str, model: impl Fn([u32; 4]) -> [u32; 2]) {
    let func = translated(&format!("dcl_temps 6\n{line}\nret"));
    for sources in all_sources() {
        let [first, second] = run(&func, sources);
        for lane in 0..4 {
            let args = std::array::from_fn(|n| sources[n][lane]);
            assert_eq!([first[lane], second[lane]], model(args), "{line}: {args:#x?}");
        }
    }
}

/// A denormal as the zero of its sign.
fn flush(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

fn float(bits: u32) -> f32 {
    f32::from_bits(flush(bits))
}

/// A float result as a register holds it.
fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { flush(value.to_bits()) }
}

/// An exact or nearly exact result rounded to 24 bits; one that is tiny then becomes a zero.
fn narrow(exact: f64) -> u32 {
    let scale = 2f64.powi(64);
    let is_tiny = ((exact * scale) as f32).abs() < (f64::from(f32::MIN_POSITIVE) * scale) as f32;
    if is_tiny { bits(0f32.copysign(exact as f32)) } else { bits(exact as f32) }
}

/// A float as a double.
fn wide(bits: u32) -> f64 {
    f64::from(float(bits))
}

fn truth(value: bool) -> u32 {
    if value { 0xffff_ffff } else { 0 }
}

#[test]
fn float_arithmetic() {
    each("add r0, r1, r2", |[a, b, ..]| bits(float(a) + float(b)));
    each("add r0, r1, -r2", |[a, b, ..]| bits(float(a) - float(b)));
    each("add r0, -|r1|, r2", |[a, b, ..]| bits(-float(a).abs() + float(b)));
    each("mul r0, r1, |r2|", |[a, b, ..]| narrow(wide(a) * wide(b).abs()));
    each("div r0, r1, r2", |[a, b, ..]| narrow(wide(a) / wide(b)));
    each("mad r0, r1, r2, r3", |[a, b, c, _]| bits(float(narrow(wide(a) * wide(b))) + float(c)));
    each("sqrt r0, r1", |[a, ..]| bits(float(a).sqrt()));
    each("rcp r0, r1", |[a, ..]| narrow(1.0 / wide(a)));
    each("rsq r0, r1", |[a, ..]| bits(1.0 / float(a).sqrt()));
    each("round_ni r0, r1", |[a, ..]| bits(float(a).floor()));
    each("round_pi r0, r1", |[a, ..]| bits(float(a).ceil()));
    each("round_z r0, r1", |[a, ..]| bits(float(a).trunc()));
    each("round_ne r0, r1", |[a, ..]| bits(float(a).round_ties_even()));
    each("frc r0, r1", |[a, ..]| {
        let fraction = float(a) - float(a).floor();
        bits(if fraction >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { fraction })
    });
    each("add_sat r0, r1, r2", |[a, b, ..]| {
        let sum = float(a) + float(b);
        // min(1, max(0, x)), where a NaN loses.
        bits(if sum > 0.0 { sum.min(1.0) } else { 0.0 })
    });
}

#[test]
fn min_and_max_prefer_numbers_to_nan() {
    let zero = |a: u32, b: u32| float(a) == 0.0 && float(b) == 0.0;
    for (line, pick) in
        [("min r0, r1, r2", f32::min as fn(f32, f32) -> f32), ("max r0, r1, r2", f32::max as fn(f32, f32) -> f32)]
    {
        let func = translated(&format!("dcl_temps 6\n{line}\nret"));
        for sources in all_sources() {
            for lane in 0..4 {
                let (a, b) = (sources[0][lane], sources[1][lane]);
                let got = run(&func, sources)[0][lane];
                // Zeros of both signs are equal: either may come.
                if zero(a, b) {
                    assert_eq!(float(got), 0.0);
                } else {
                    assert_eq!(got, bits(pick(float(a), float(b))), "{line}: {a:#x} {b:#x}");
                }
            }
        }
    }
}

#[test]
fn dot_products_sum_in_order_and_go_to_every_component() {
    let func = translated("dcl_temps 6\ndp3 r0.xw, r1.xyzw, r2.zyxw\nret");
    let words = |v: [f32; 4]| v.map(f32::to_bits);
    let [got, _] = run(&func, [words([1e20, 1.0, -1e20, 9.0]), words([1.0, 3.0, 1.0, 9.0]), [0; 4], [0; 4]]);
    // (1e20 * 1 + 1 * 3) + -1e20 * 1, the 3 lost on the way.
    assert_eq!(got, [0, 0xdead, 0xdead, 0]);
    let func = translated("dcl_temps 6\ndp2 r0.y, r1.xyzw, r2.xyzw\ndp4 r0.z, r1.xyzw, r2.xyzw\nret");
    let [got, _] = run(&func, [words([1.0, 2.0, 3.0, 4.0]), words([5.0, 6.0, 7.0, 8.0]), [0; 4], [0; 4]]);
    assert_eq!(got, [0xdead, 17f32.to_bits(), 70f32.to_bits(), 0xdead]);
}

#[test]
fn comparisons() {
    each("eq r0, r1, r2", |[a, b, ..]| truth(float(a) == float(b)));
    each("ne r0, r1, r2", |[a, b, ..]| truth(float(a) != float(b)));
    each("lt r0, r1, r2", |[a, b, ..]| truth(float(a) < float(b)));
    each("ge r0, r1, r2", |[a, b, ..]| truth(float(a) >= float(b)));
    each("ieq r0, r1, r2", |[a, b, ..]| truth(a == b));
    each("ine r0, r1, r2", |[a, b, ..]| truth(a != b));
    each("ilt r0, r1, r2", |[a, b, ..]| truth((a as i32) < b as i32));
    each("ige r0, r1, r2", |[a, b, ..]| truth(a as i32 >= b as i32));
    each("ult r0, r1, r2", |[a, b, ..]| truth(a < b));
    each("uge r0, r1, r2", |[a, b, ..]| truth(a >= b));
}

#[test]
fn conversions() {
    each("ftoi r0, r1", |[a, ..]| f32::from_bits(a) as i32 as u32);
    each("ftou r0, -r1", |[a, ..]| -f32::from_bits(a) as u32);
    each("itof r0, r1", |[a, ..]| bits(a as i32 as f32));
    each("itof r0, -r1", |[a, ..]| bits((a as i32).wrapping_neg() as f32));
    each("utof r0, r1", |[a, ..]| bits(a as f32));
    each("f16tof32 r0, r1", |[a, ..]| {
        let (sign, exponent, fraction) = (a >> 15 & 1, (a >> 10 & 31) as i32, (a & 0x3ff) as f32);
        let magnitude = match exponent {
            0 => fraction * 2f32.powi(-24),
            31 if fraction != 0.0 => return NAN,
            31 => f32::INFINITY,
            _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
        };
        (if sign == 1 { -magnitude } else { magnitude }).to_bits()
    });
    // 1, the largest half below the overflow, infinity, a half denormal.
    let func = translated("dcl_temps 6\nf32tof16 r0, r1\nret");
    let source = [0x3f80_0000, 0x4f00_0000, 0x7f80_0000, 2f32.powi(-24).to_bits()];
    assert_eq!(run(&func, [source, [0; 4], [0; 4], [0; 4]])[0], [0x3c00, 0x7bff, 0x7c00, 1]);
}

#[test]
fn integer_arithmetic() {
    each("iadd r0, r1, r2", |[a, b, ..]| a.wrapping_add(b));
    each("iadd r0, r1, -r2", |[a, b, ..]| a.wrapping_sub(b));
    each("ineg r0, r1", |[a, ..]| a.wrapping_neg());
    each("imad r0, r1, r2, r3", |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c));
    each("umad r0, r1, r2, r3", |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c));
    each("imax r0, r1, r2", |[a, b, ..]| (a as i32).max(b as i32) as u32);
    each("imin r0, r1, r2", |[a, b, ..]| (a as i32).min(b as i32) as u32);
    each("umax r0, r1, r2", |[a, b, ..]| a.max(b));
    each("umin r0, r1, r2", |[a, b, ..]| a.min(b));
    each("and r0, r1, r2", |[a, b, ..]| a & b);
    each("or r0, r1, r2", |[a, b, ..]| a | b);
    each("xor r0, r1, r2", |[a, b, ..]| a ^ b);
    each("not r0, r1", |[a, ..]| !a);
    each("ishl r0, r1, r2", |[a, b, ..]| a << (b & 31));
    each("ishr r0, r1, r2", |[a, b, ..]| ((a as i32) >> (b & 31)) as u32);
    each("ushr r0, r1, r2", |[a, b, ..]| a >> (b & 31));
}

#[test]
fn integers_with_two_results() {
    each_two("imul r0, r5, r1, r2", |[a, b, ..]| {
        let product = i64::from(a as i32) * i64::from(b as i32);
        [(product >> 32) as u32, product as u32]
    });
    each_two("umul r0, r5, r1, r2", |[a, b, ..]| {
        let product = u64::from(a) * u64::from(b);
        [(product >> 32) as u32, product as u32]
    });
    each_two("udiv r0, r5, r1, r2", |[a, b, ..]| {
        [a.checked_div(b).unwrap_or(u32::MAX), a.checked_rem(b).unwrap_or(u32::MAX)]
    });
    each_two("uaddc r0, r5, r1, r2", |[a, b, ..]| {
        let sum = u64::from(a) + u64::from(b);
        [sum as u32, (sum >> 32) as u32]
    });
    each_two("usubb r0, r5, r1, r2", |[a, b, ..]| [a.wrapping_sub(b), u32::from(a < b)]);
}

#[test]
fn a_null_destination_takes_nothing() {
    each("imul null, r0, r1, r2", |[a, b, ..]| a.wrapping_mul(b));
    each("udiv null, r0, r1, r2", |[a, b, ..]| a.checked_rem(b).unwrap_or(u32::MAX));
    each("udiv r0, null, r1, r2", |[a, b, ..]| a.checked_div(b).unwrap_or(u32::MAX));
}

#[test]
fn bits_are_found_and_moved() {
    each("countbits r0, r1", |[a, ..]| (0..32).map(|n| a >> n & 1).sum());
    let position = |found: Option<u32>| found.unwrap_or(u32::MAX);
    each("firstbit_lo r0, r1", |[a, ..]| position((0..32).find(|n| a >> n & 1 == 1)));
    each("firstbit_hi r0, r1", |[a, ..]| position((0..32).find(|n| a << n >> 31 == 1)));
    each("firstbit_shi r0, r1", |[a, ..]| position((0..32).find(|n| a << n >> 31 != a >> 31)));
    each("bfrev r0, r1", |[a, ..]| (0..32).fold(0, |all, n| all | (a >> n & 1) << (31 - n)));
    each("ubfe r0, r2, r3, r1", |[value, width, offset, _]| {
        let (width, offset) = (width & 31, offset & 31);
        match width {
            0 => 0,
            _ if width + offset < 32 => value << (32 - (width + offset)) >> (32 - width),
            _ => value >> offset,
        }
    });
    each("ibfe r0, r2, r3, r1", |[value, width, offset, _]| {
        let (width, offset) = (width & 31, offset & 31);
        match width {
            0 => 0,
            _ if width + offset < 32 => ((value << (32 - (width + offset))) as i32 >> (32 - width)) as u32,
            _ => (value as i32 >> offset) as u32,
        }
    });
    each("bfi r0, r2, r3, r1, r4", |[value, width, offset, base]| {
        let (width, offset) = (width & 31, offset & 31);
        let mask = ((1u32 << width) - 1) << offset;
        ((value << offset) & mask) | (base & !mask)
    });
    each("msad r0, r1, r2, r3", |[reference, source, mut accumulator, _]| {
        for byte in 0..4 {
            let (a, b) = (reference >> (8 * byte) & 0xff, source >> (8 * byte) & 0xff);
            if a != 0 {
                accumulator = accumulator.saturating_add(a.abs_diff(b));
            }
        }
        accumulator
    });
}

#[test]
fn fields_of_every_width_and_offset() {
    let signed = translated("dcl_temps 6\nibfe r0, r1, r2, r3\nret");
    let unsigned = translated("dcl_temps 6\nubfe r0, r1, r2, r3\nret");
    for width in 0..32u32 {
        for offset in 0..32u32 {
            for value in [0x8765_4321u32, 0x7fff_fffe, 0xffff_ffff] {
                let bit = |n: u32| if n < 32 { u64::from(value >> n & 1) } else { 0 };
                let field = (0..width).fold(0, |all, n| all | bit(offset + n) << n) as u32;
                let sources = [[width; 4], [offset; 4], [value; 4], [0; 4]];
                assert_eq!(run(&unsigned, sources)[0][0], field);
                // The sign is the field's top bit, or bit 31 where the field goes beyond it.
                let top = (offset + width).min(32).saturating_sub(1);
                let used = (32 - offset).min(width);
                let extended =
                    if width > 0 && value >> top & 1 == 1 && used < 32 { field | u32::MAX << used } else { field };
                assert_eq!(run(&signed, sources)[0][0], extended, "{width} {offset} {value:#x}");
            }
        }
    }
}

#[test]
fn moves_touch_no_bits_unless_asked() {
    each("mov r0, r1", |[a, ..]| a);
    each("mov r0, -r1", |[a, ..]| bits(-float(a)));
    each("mov r0, |r1|", |[a, ..]| bits(float(a).abs()));
    each("mov_sat r0, r1", |[a, ..]| bits(if float(a) > 0.0 { float(a).min(1.0) } else { 0.0 }));
    each("movc r0, r1, r2, r3", |[c, a, b, _]| if c != 0 { a } else { b });
    each("movc r0, r1, -r2, r3", |[c, a, b, _]| if c != 0 { bits(-float(a)) } else { b });
    each_two("swapc r0, r5, r1, r2, r3", |[c, a, b, _]| if c != 0 { [b, a] } else { [a, b] });
}

#[test]
fn sources_are_read_before_destinations_are_written() {
    let func = translated("dcl_temps 6\nmov r1.xyzw, r1.wzyx\nmov r0, r1\nret");
    assert_eq!(run(&func, [[1, 2, 3, 4], [0; 4], [0; 4], [0; 4]])[0], [4, 3, 2, 1]);
    let func = translated("dcl_temps 6\nudiv r1, r2, r1, r2\nmov r0, r1\nmov r5, r2\nret");
    assert_eq!(run(&func, [[17; 4], [5; 4], [0; 4], [0; 4]]), [[3; 4], [2; 4]]);
    let func = translated("dcl_temps 6\nswapc r1, r2, r3, r1, r2\nmov r0, r1\nmov r5, r2\nret");
    assert_eq!(run(&func, [[1; 4], [2; 4], [0, 1, 0, 9], [0; 4]]), [[1, 2, 1, 2], [2, 1, 2, 1]]);
}

#[test]
fn masks_keep_the_other_components() {
    let func = translated("dcl_temps 6\niadd r0.yw, r1.xyzw, r2.wwww\nret");
    assert_eq!(run(&func, [[1, 2, 3, 4], [10, 20, 30, 40], [0; 4], [0; 4]])[0], [0xdead, 42, 0xdead, 44]);
}

#[test]
fn precise_marks_the_components_it_names() {
    let func = translated(
        "dcl_temps 6\nmad [precise(y)] r0.xy, r1, r2, r3\ndp2 [precise(z)] r0.z, r1, r2\nadd r0.w, r1.x, r1.y\nret",
    );
    let precise = |op: Op| -> Vec<bool> {
        let insts = func.region(func.body()).insts.iter().map(|&inst| func.inst(inst));
        insts
            .filter(|data| matches!(data.kind, InstKind::Op { op: found, .. } if found == op))
            .map(|data| data.precise)
            .collect()
    };
    assert_eq!(precise(Op::FMul), [false, true, true, true]);
    assert_eq!(precise(Op::FAdd), [false, true, true, false]);
}

#[test]
fn indexed_arrays_hold_what_was_stored() {
    let func = translated(
        "dcl_temps 6
         dcl_indexableTemp x0[4], 4
         mov x0[1].yz, r1.xyzw
         mov x0[r2.x + 1].x, r1.w
         mov x0[r2.y], r2
         mov r0, x0[1].xyzw
         mov r5, x0[r2.x + 1].xxxx
         ret",
    );
    let got = run(&func, [[1, 2, 3, 4], [2, 9, 0, 0], [0; 4], [0; 4]]);
    assert_eq!(got, [[0, 2, 3, 0], [4; 4]], "an index out of range stores nothing");
}

#[test]
fn elementary_functions_reach_their_registers() {
    let func = translated(
        "dcl_temps 6
         exp r0.x, r1.x
         log r0.y, r1.y
         sincos r0.z, r5.z, r1.z
         sincos null, r0.w, r1.w
         ret",
    );
    let words = [3.0, 32.0, 0.0, 0.0].map(f32::to_bits);
    let [first, second] = run(&func, [words, [0; 4], [0; 4], [0; 4]]);
    assert_eq!(first.map(f32::from_bits), [8.0, 5.0, 0.0, 1.0]);
    assert_eq!(f32::from_bits(second[2]), 1.0);
}

/// Doubles by pair.
fn doubles(values: [f64; 2]) -> [u32; 4] {
    words(values.map(f64::to_bits))
}

fn words(pairs: [u64; 2]) -> [u32; 4] {
    [pairs[0] as u32, (pairs[0] >> 32) as u32, pairs[1] as u32, (pairs[1] >> 32) as u32]
}

/// Runs one line with doubles in r1 to r3 and words in r4.
fn double(line: &str, sources: [[f64; 2]; 3], integers: [u32; 4]) -> [u32; 4] {
    let func = translated(&format!("dcl_temps 6\n{line}\nret"));
    let [a, b, c] = sources.map(doubles);
    run(&func, [a, b, c, integers])[0]
}

#[test]
fn double_arithmetic() {
    let s = [[1.5, -2.0], [0.1, 3.0], [1e300, 0.25]];
    assert_eq!(double("dadd r0, r1, r2", s, [0; 4]), doubles([1.5 + 0.1, 1.0]));
    assert_eq!(double("dadd r0, r1, -r2.zwxy", s, [0; 4]), doubles([-1.5, -2.1]));
    assert_eq!(double("dmul r0.zw, r1.xyxy, r2", s, [0; 4])[2..], doubles([0.0, 4.5])[2..]);
    assert_eq!(double("dmul r0.zw, r1.xyxy, r2", s, [0; 4])[..2], [0xdead; 2]);
    assert_eq!(double("ddiv r0, r1, r2", s, [0; 4]), doubles([1.5 / 0.1, -2.0 / 3.0]));
    assert_eq!(double("dfma r0, r1, r2, r3", s, [0; 4]), doubles([1e300, -5.75]));
    assert_eq!(double("dfma r0.xy, r2.xyxy, r2.xyxy, -d(0.01, 0.01)", s, [0; 4])[..2], {
        // Rounded once, the product's error shows.
        doubles([0.1f64.mul_add(0.1, -0.01), 0.0])[..2].to_vec()
    });
    assert_eq!(double("drcp r0, r1", s, [0; 4]), doubles([1.0 / 1.5, -0.5]));
    assert_eq!(double("dmin r0, r1, r2", s, [0; 4]), doubles([0.1, -2.0]));
    assert_eq!(double("dmax r0, r1, |r1.zwxy|", s, [0; 4]), doubles([2.0, 1.5]));
    assert_eq!(double("dmul_sat r0, r1, r2", s, [0; 4]), doubles([1.5 * 0.1, 0.0]));
    let tiny = f64::from_bits(1);
    assert_eq!(double("dadd r0, r1, r1", [[tiny, -tiny]; 3], [0; 4]), words([2, 1 << 63 | 2]), "denormals count");
}

#[test]
fn words_of_doubles_go_to_the_first_and_second_masked_component() {
    let s = [[1.5, -2.0], [1.5, 3.0], [0.0, 0.0]];
    assert_eq!(double("dlt r0.xz, r1, r2", s, [0; 4]), [0, 0xdead, u32::MAX, 0xdead]);
    assert_eq!(double("deq r0.yw, r1, r2", s, [0; 4]), [0xdead, u32::MAX, 0xdead, 0]);
    assert_eq!(double("dge r0.w, r1.zwzw, r2.zwzw", s, [0; 4]), [0xdead, 0xdead, 0xdead, 0]);
    assert_eq!(double("dne r0.xy, r1, r2.xyxy", s, [0; 4]), [0, u32::MAX, 0xdead, 0xdead]);
    assert_eq!(double("dtof r0.zw, r1.zwxy", s, [0; 4])[2..], [(-2f32).to_bits(), 1.5f32.to_bits()]);
    assert_eq!(double("dtoi r0.yz, r1", s, [0; 4])[1..3], [1, -2i32 as u32]);
    assert_eq!(double("dtou r0.yz, r1", s, [0; 4])[1..3], [1, 0]);
}

#[test]
fn doubles_of_words_take_the_first_two_swizzled_components() {
    let s = [[0.0; 2]; 3];
    let words = [7, -3i32 as u32, 0x3fc0_0000, 5];
    assert_eq!(double("itod r0, r4.yxww", s, words), doubles([-3.0, 7.0]));
    assert_eq!(double("utod r0.zw, r4.xyzw", s, words)[2..], doubles([0.0, 4_294_967_293.0])[2..]);
    assert_eq!(double("ftod r0.xy, r4.z", s, words)[..2], doubles([1.5, 0.0])[..2]);
    assert_eq!(double("ftod r0, -r4.zzzz", s, words), doubles([-1.5, -1.5]));
}

#[test]
fn dmovc_selects_whole_doubles_by_two_conditions() {
    // A signalling NaN and a denormal must survive.
    let (signalling, denormal) = (f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(3));
    let s = [[signalling, 2.0], [denormal, -4.0], [0.0; 2]];
    let a = words(s[0].map(f64::to_bits));
    let b = words(s[1].map(f64::to_bits));
    for conditions in [[0, 0], [0, 1], [0x8000_0000, 0], [1, 2]] {
        let [first, second] = conditions.map(|c| c != 0);
        let condition = [conditions[0], conditions[1], 0, 0];
        let xy = if first { &a[..2] } else { &b[..2] };
        let zw = if second { &a[2..] } else { &b[2..] };
        assert_eq!(double("dmovc r0, r4.xyzw, r1, r2", s, condition), [xy, zw].concat()[..]);
        assert_eq!(double("dmovc r0.xy, r4.xyzw, r1, r2", s, condition)[..2], *xy);
        let got = double("dmovc r0.zw, r4.xyzw, r1, r2", s, condition);
        assert_eq!((&got[..2], &got[2..]), (&[0xdead; 2][..], zw), "the second component decides about .zw");
        // Conditions swizzled, sources too.
        let swapped = double("dmovc r0, r4.yxxx, r1.zwxy, r2.zwzw", s, condition);
        assert_eq!(swapped[..2], if second { a[2..].to_vec() } else { b[2..].to_vec() });
        assert_eq!(swapped[2..], if first { a[..2].to_vec() } else { b[2..].to_vec() });
    }
    let s = [[0.5, -3.0], [7.0, f64::NAN], [0.0; 2]];
    assert_eq!(double("dmovc_sat r0, r4.xyzw, -r1, |r2|", s, [1, 1, 0, 0]), doubles([0.0, 1.0]));
    assert_eq!(double("dmovc_sat r0, r4.xyzw, -r1, |r2|", s, [0, 0, 0, 0]), doubles([1.0, 0.0]));
}

#[test]
fn dmov_touches_no_bits_unless_asked() {
    let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
    assert_eq!(
        double("dmov r0, r1.zwxy", [[signalling, 1.0]; 3], [0; 4]),
        words([1f64.to_bits(), signalling.to_bits()])
    );
    assert_eq!(double("dmov r0, -r1", [[signalling, 1.0]; 3], [0; 4]), words([0x7ff8 << 48, (-1f64).to_bits()]));
}
