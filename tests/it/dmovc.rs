//! Tests `dmovc`: every mask, every legal swizzle of both sources, every modifier, saturation, on every engine.
//!
//! The functional specification, section 22.16.2: the first two swizzled components of src0 are the conditions of .xy
//! and .zw; without modifiers bits are moved untouched; modifiers take the data as doubles.

use brolga_testing::program::Modifier;
use brolga_testing::run::{Devices, Structured, assemble};

/// Special doubles: signs, zeros, denormals, quiet and signalling NaNs with payloads, infinities, values just below and
/// above 1.
const DOUBLES: [u64; 16] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x7ff0_0000_0000_0001,
    0xfff0_dead_beef_0001,
    0x7ff8_1234_5678_9abc,
    0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3fe5_5555_5555_5555,
    0x4005_bf0a_8b14_5769,
    0x0010_0000_0000_0000,
    0xc1e0_0000_0000_0000,
];
const CONDITIONS: [u32; 6] = [0, 1, 0x8000_0000, 0, 0xffff_ffff, 0];
const SWIZZLES: [[u32; 4]; 4] = [[0, 1, 2, 3], [0, 1, 0, 1], [2, 3, 0, 1], [2, 3, 2, 3]];
const CONDITION_SWIZZLES: [[u32; 4]; 5] = [[0, 1, 0, 0], [1, 0, 3, 2], [3, 3, 0, 1], [2, 0, 1, 1], [0, 0, 0, 0]];
const MASKS: [u32; 3] = [0b0011, 0b1100, 0b1111];
const THREADS: usize = 48;
const RECORD: usize = 16;

/// Words of a thread's record: src1, src2, conditions, the initial content of the destination.
fn records() -> Vec<u32> {
    let mut words = Vec::new();
    for thread in 0..THREADS {
        let mut double = |n: usize| {
            let bits = DOUBLES[(thread * 5 + n * 7 + thread / 16) % DOUBLES.len()];
            words.extend([bits as u32, (bits >> 32) as u32]);
        };
        (0..4).for_each(&mut double);
        words.extend((0..4).map(|n| CONDITIONS[(thread + n * 2 + thread / 6) % CONDITIONS.len()]));
        words.extend((0..4).map(|n| 0x1111_0000 * (n + 1) + thread as u32));
    }
    words
}

fn letters(components: impl IntoIterator<Item = u32>) -> String {
    components.into_iter().map(|component| ["x", "y", "z", "w"][component as usize]).collect()
}

/// All sixteen pairs of modifiers, one `dmovc` each, results to consecutive elements.
fn shader(mask: u32, swizzles: [[u32; 4]; 3], saturate: bool) -> Vec<u8> {
    let mut text = format!(
        "cs_5_0
        dcl_globalFlags enableDoublePrecisionFloatOps | enable11_1DoubleExtensions
        dcl_resource_structured t0, {}
        dcl_uav_structured u0, 16
        dcl_input vThreadID.x
        dcl_temps 6
        dcl_thread_group {THREADS}, 1, 1
        ld_structured r1.xyzw, vThreadID.x, l(0), t0.xyzw
        ld_structured r2.xyzw, vThreadID.x, l(16), t0.xyzw
        ld_structured r0.xyzw, vThreadID.x, l(32), t0.xyzw
        ishl r5.x, vThreadID.x, l(4)\n",
        4 * RECORD
    );
    let mask = letters((0..4).filter(|component| mask >> component & 1 != 0));
    let [condition, first, second] = swizzles.map(letters);
    let saturate = if saturate { "_sat" } else { "" };
    for before in Modifier::ALL.map(|modifier| modifier.around(&format!("r1.{first}"))) {
        for after in Modifier::ALL.map(|modifier| modifier.around(&format!("r2.{second}"))) {
            text += &format!(
                "ld_structured r3.xyzw, vThreadID.x, l(48), t0.xyzw
                dmovc{saturate} r3.{mask}, r0.{condition}, {before}, {after}
                store_structured u0.xyzw, r5.x, l(0), r3.xyzw
                iadd r5.x, r5.x, l(1)\n"
            );
        }
    }
    assemble(&(text + "ret"))
}

/// A source after its modifiers; a NaN that passed arithmetic is the canonical one.
fn modify(bits: u64, modifier: Modifier, saturate: bool) -> u64 {
    if modifier == Modifier::None && !saturate {
        return bits;
    }
    let mut value = f64::from_bits(bits);
    if matches!(modifier, Modifier::Absolute | Modifier::NegateAbsolute) {
        value = value.abs();
    }
    if matches!(modifier, Modifier::Negate | Modifier::NegateAbsolute) {
        value = -value;
    }
    if saturate {
        value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    }
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

fn expected(record: &[u32], mask: u32, swizzles: [[u32; 4]; 3], modifiers: [Modifier; 2], saturate: bool) -> [u32; 4] {
    let mut result: [u32; 4] = record[12..16].try_into().expect("four words");
    for half in (0..2).filter(|half| mask >> (2 * half) & 1 != 0) {
        let condition = record[8 + swizzles[0][half] as usize] != 0;
        let (base, side) = if condition { (0, 0) } else { (4, 1) };
        let low = record[base + swizzles[1 + side][2 * half] as usize];
        let high = record[base + swizzles[1 + side][2 * half + 1] as usize];
        let double = modify(u64::from(low) | u64::from(high) << 32, modifiers[side], saturate);
        result[2 * half] = double as u32;
        result[2 * half + 1] = (double >> 32) as u32;
    }
    result
}

/// An operand without a modifier is moved unchanged even if the other has one; a saturating `dmovc` is arithmetic on
/// both.
#[test]
fn every_mask_swizzle_and_modifier() {
    let devices = Devices::new();
    let records = records();
    let zeros = vec![0; THREADS * 16 * 4];
    let mut number = 0;
    for mask in MASKS {
        for first in SWIZZLES {
            for second in SWIZZLES {
                for saturate in [false, true] {
                    let swizzles = [CONDITION_SWIZZLES[number % CONDITION_SWIZZLES.len()], first, second];
                    number += 1;
                    let what = format!("dmovc mask {mask:#06b}, swizzles {swizzles:?}, saturate {saturate}");
                    let views = [
                        Structured { register: "t0", stride_bytes: RECORD as u32 * 4, words: &records },
                        Structured { register: "u0", stride_bytes: 16, words: &zeros },
                    ];
                    let shaders = devices.compile(&shader(mask, swizzles, saturate), &what);
                    let words = devices.run(&shaders, &views, &what);
                    assert_eq!(words[0], records, "{what}: the input changed");
                    for (thread, record) in records.chunks_exact(RECORD).enumerate() {
                        for pair in 0..16 {
                            let modifiers = [Modifier::ALL[pair / 4], Modifier::ALL[pair % 4]];
                            let at = (thread * 16 + pair) * 4;
                            assert_eq!(
                                words[1][at..at + 4],
                                expected(record, mask, swizzles, modifiers, saturate),
                                "{what}, modifiers {modifiers:?}, thread {thread}"
                            );
                        }
                    }
                }
            }
        }
    }
}
