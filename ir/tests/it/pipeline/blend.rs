//! Tests blending and logic operations of targets: functional specification, 17.1 to 17.5 and 17.15.

use brolga_ir::pipeline::record::BatchState;
use brolga_ir::pipeline::state::{Blend, BlendOp, Equation, Factor, Logic, LogicOp, PixelState, Range, Target};
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_testing_base::random::Random;

use super::{QUADS, Quad, ROWS, SIZE, draw, texel};

const SHADER: &str = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";

/// The same with a second source.
const OF_TWO: &str = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\n\
                      mov o0.xyzw, v1.xyzw\nmov o1.xyzw, v1.wxzy";

/// Number of states in the tests of each range.
const STATES: u64 = 400;

/// The result for a bit of the source and one of the destination: for neither, the destination, the source, both.
const LOGIC_TABLE: [(LogicOp, [u32; 4]); 16] = [
    (LogicOp::Clear, [0, 0, 0, 0]),
    (LogicOp::Set, [1, 1, 1, 1]),
    (LogicOp::Copy, [0, 0, 1, 1]),
    (LogicOp::CopyInverted, [1, 1, 0, 0]),
    (LogicOp::Noop, [0, 1, 0, 1]),
    (LogicOp::Invert, [1, 0, 1, 0]),
    (LogicOp::And, [0, 0, 0, 1]),
    (LogicOp::Nand, [1, 1, 1, 0]),
    (LogicOp::Or, [0, 1, 1, 1]),
    (LogicOp::Nor, [1, 0, 0, 0]),
    (LogicOp::Xor, [0, 1, 1, 0]),
    (LogicOp::Equivalent, [1, 0, 0, 1]),
    (LogicOp::AndReverse, [0, 0, 1, 0]),
    (LogicOp::AndInverted, [0, 1, 0, 0]),
    (LogicOp::OrReverse, [1, 0, 1, 1]),
    (LogicOp::OrInverted, [1, 1, 0, 1]),
];

/// Bit by bit.
fn combined(op: LogicOp, source: u32, destination: u32) -> u32 {
    let (_, table) = LOGIC_TABLE.iter().find(|(listed, _)| *listed == op).expect("all are listed");
    (0..32).map(|n| table[(source >> n & 1) as usize * 2 + (destination >> n & 1) as usize] << n).sum()
}

/// Factors of every equation.
const FACTORS: [Factor; 11] = [
    Factor::Zero,
    Factor::One,
    Factor::SourceAlpha,
    Factor::InverseSourceAlpha,
    Factor::DestinationAlpha,
    Factor::InverseDestinationAlpha,
    Factor::SourceAlphaSaturated,
    Factor::BlendFactor,
    Factor::InverseBlendFactor,
    Factor::SecondAlpha,
    Factor::InverseSecondAlpha,
];

/// Factors of colour equations alone.
const OF_COLORS: [Factor; 6] = [
    Factor::SourceColor,
    Factor::InverseSourceColor,
    Factor::DestinationColor,
    Factor::InverseDestinationColor,
    Factor::SecondColor,
    Factor::InverseSecondColor,
];

/// Consecutive channels.
fn format(range: Range, widths: &[u32]) -> TexelFormat {
    let kind = match range {
        Range::Float => ChannelKind::Float,
        Range::Unorm => ChannelKind::Unorm,
        Range::Snorm => ChannelKind::Snorm,
        Range::Uint => ChannelKind::Uint,
        Range::Sint => ChannelKind::Sint,
    };
    let (mut channels, mut shift) = ([None; 4], 0);
    for (channel, &bits) in channels.iter_mut().zip(widths) {
        *channel = Some(Channel { shift, bits, kind });
        shift += bits;
    }
    let missing_alpha = if matches!(range, Range::Uint | Range::Sint) { 1 } else { 1f32.to_bits() };
    TexelFormat { words: shift / 32, word_shift: 0, channels, missing_alpha }
}

fn most(channel: Channel) -> u32 {
    u32::MAX >> (32 - channel.bits)
}

fn code(texel: &[u32], channel: Channel) -> u32 {
    texel[channel.shift as usize / 32] >> (channel.shift % 32) & most(channel)
}

fn signed(code: u32, channel: Channel) -> f64 {
    let shift = 32 - channel.bits;
    f64::from((code << shift) as i32 >> shift)
}

/// Bits of the fraction of a float: all except its exponent, of 5 bits, and its sign.
fn fraction_bits(channel: Channel) -> u32 {
    if channel.bits == 16 { 10 } else { channel.bits - 5 }
}

/// The number of a code.
fn number(code: u32, channel: Channel) -> f64 {
    match channel.kind {
        ChannelKind::Unorm => f64::from(code) / f64::from(most(channel)),
        ChannelKind::Snorm => (signed(code, channel) / f64::from(most(channel) / 2)).max(-1.0),
        ChannelKind::Float if channel.bits == 32 => flushed(code),
        _ => {
            let bits = fraction_bits(channel);
            let sign = if code >> bits > 31 { -1.0 } else { 1.0 };
            let fraction = f64::from(code % (1 << bits)) / f64::from(1 << bits);
            sign * match (code >> bits & 31) as i32 {
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                0 => fraction * 2f64.powi(-14),
                exponent => (1.0 + fraction) * 2f64.powi(exponent - 15),
            }
        }
    }
}

/// The number of a word; denormals are zeros.
fn flushed(word: u32) -> f64 {
    let number = f32::from_bits(word);
    if number.is_subnormal() { 0f64.copysign(number.into()) } else { number.into() }
}

fn clamp(range: Range, number: f64) -> f64 {
    match range {
        Range::Unorm if number > 0.0 => number.min(1.0),
        Range::Snorm if !number.is_nan() => number.clamp(-1.0, 1.0),
        Range::Unorm | Range::Snorm => 0.0,
        _ => number,
    }
}

/// The model's operands of a blend, clamped.
struct Operands {
    source: [f64; 4],
    second: [f64; 4],
    destination: [f64; 4],
    factor: [f64; 4],
}

impl Operands {
    fn factor(&self, factor: Factor, n: usize) -> f64 {
        let Self { source, second, destination, .. } = self;
        match factor {
            Factor::Zero => 0.0,
            Factor::One => 1.0,
            Factor::SourceColor => source[n],
            Factor::InverseSourceColor => 1.0 - source[n],
            Factor::SourceAlpha => source[3],
            Factor::InverseSourceAlpha => 1.0 - source[3],
            Factor::DestinationAlpha => destination[3],
            Factor::InverseDestinationAlpha => 1.0 - destination[3],
            Factor::DestinationColor => destination[n],
            Factor::InverseDestinationColor => 1.0 - destination[n],
            Factor::SourceAlphaSaturated if n == 3 => 1.0,
            Factor::SourceAlphaSaturated => least(source[3], 1.0 - destination[3]),
            Factor::BlendFactor => self.factor[n],
            Factor::InverseBlendFactor => 1.0 - self.factor[n],
            Factor::SecondColor => second[n],
            Factor::InverseSecondColor => 1.0 - second[n],
            Factor::SecondAlpha => second[3],
            Factor::InverseSecondAlpha => 1.0 - second[3],
        }
    }

    /// The result of an equation, and the size of its terms.
    fn blend(&self, equation: Equation, n: usize) -> (f64, f64) {
        let (source, destination) = (self.source[n], self.destination[n]);
        let a = source * self.factor(equation.source, n);
        let b = destination * self.factor(equation.destination, n);
        let result = match equation.op {
            BlendOp::Add => a + b,
            BlendOp::Subtract => a - b,
            BlendOp::ReverseSubtract => b - a,
            BlendOp::Min => least(source, destination),
            BlendOp::Max => -least(-source, -destination),
        };
        (result, a.abs() + b.abs())
    }
}

/// The lesser; if one is a NaN, the other.
fn least(a: f64, b: f64) -> f64 {
    if a < b || b.is_nan() { a } else { b }
}

/// `true` if a code holds a number, computed from terms of a size.
fn holds(code: u32, channel: Channel, exact: f64, size: f64) -> bool {
    // The rounding errors of 24-bit floats on the way.
    let lost = size.max(exact.abs()) * 2f64.powi(-22);
    let scale = match channel.kind {
        ChannelKind::Unorm => f64::from(most(channel)),
        ChannelKind::Snorm => f64::from(most(channel) / 2),
        _ => {
            let (found, bits) = (number(code, channel), fraction_bits(channel));
            if channel.bits < 16 && exact <= 0.0 {
                return code == 0;
            }
            if channel.bits == 32 && !exact.is_nan() && found == exact {
                return exact != 0.0 || found.is_sign_negative() == exact.is_sign_negative();
            }
            let largest = if channel.bits == 32 { f64::MAX } else { (2.0 - 0.5f64.powi(bits as i32)) * 32768.0 };
            // Rounded towards zero; to multiples of the least denormal.
            let step = if channel.bits == 32 {
                0.0
            } else {
                exact.abs() * 0.5f64.powi(bits as i32) + 0.5f64.powi(14 + bits as i32)
            };
            return match exact {
                exact if exact.is_nan() => found.is_nan(),
                exact if exact.is_infinite() => found == exact,
                exact if exact.abs() > largest => found == largest.copysign(exact),
                exact => (found - exact).abs() <= step + lost,
            };
        }
    };
    let found = if channel.kind == ChannelKind::Snorm { signed(code, channel) } else { code.into() };
    let exact = clamp(if channel.kind == ChannelKind::Snorm { Range::Snorm } else { Range::Unorm }, exact);
    // Numbers of texels are rounded, and 1 minus them may be small.
    (found - exact * scale).abs() <= 0.5 + lost.max(2f64.powi(-22)) * scale
}

/// A number that a shader outputs: often 0 or 1, or outside a target's range.
fn source(random: &mut Random) -> u32 {
    let edges = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-40, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    match random.below(4) {
        0 => random.pick(&edges).to_bits(),
        _ => ((random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * 1.5).to_bits(),
    }
}

/// The initial texels of a target.
fn texels(range: Range, format: &TexelFormat, random: &mut Random) -> Vec<u32> {
    let is_float = range == Range::Float && format.channels[0].is_some_and(|channel| channel.bits == 32);
    let mut word = || if is_float { source(random) } else { random.bits() as u32 };
    (0..SIZE * SIZE * format.words).map(|_| word()).collect()
}

fn equation(random: &mut Random, is_alpha: bool) -> Equation {
    let mut factor = || match is_alpha || random.one_in(2) {
        true => random.pick(&FACTORS),
        false => random.pick(&OF_COLORS),
    };
    let (source, destination) = (factor(), factor());
    Equation { source, destination, op: random.pick(&BlendOp::ALL) }
}

/// Draws with a random state and checks every component.
fn check(range: Range, widths: &[u32], seed: u64) {
    let mut random = Random(seed);
    let is_integer = matches!(range, Range::Uint | Range::Sint);
    let format = format(range, widths);
    let blend = Blend { color: equation(&mut random, false), alpha: equation(&mut random, true) };
    // Integers are never blended.
    let blend = (!random.one_in(5)).then_some(blend);
    let write_mask = if random.one_in(2) { 15 } else { random.below(16) as u8 };
    let bits = [0, 1, 2, 3].map(|n| format.channels[n].map_or(0, |channel| channel.bits as u8));
    let combines = range == Range::Uint && random.one_in(2);
    let logic = combines.then(|| Logic { op: random.pick(&LOGIC_TABLE).0, bits });
    let target = Target { output: 0, range, blend, logic, write_mask };
    let word = |random: &mut Random| if is_integer { random.word() } else { source(random) };
    let quads: Vec<Quad> =
        (0..QUADS).map(|_| Quad::constant(random.below(16) as u32, [0; 4].map(|_| word(&mut random)))).collect();
    let of_draw =
        BatchState { blend_factor: [(); 4].map(|()| f32::from_bits(source(&mut random))), ..BatchState::default() };
    let before = texels(range, &format, &mut random);
    let state = PixelState { vertex_rows: ROWS, targets: vec![target], ..PixelState::default() };
    let takes_second = blend.is_some_and(|blend| blend.takes_second());
    let shader = if takes_second { OF_TWO } else { SHADER };
    let (_, after) = draw(shader, &state, &[Some(format)], &quads, of_draw, std::slice::from_ref(&before));

    let words = format.words as usize;
    for n in 0..4 * QUADS {
        let quad = &quads[n / 4];
        let [old, new] = [&before, &after[0]].map(|texels| &texels[words * texel(n)..][..words]);
        if quad.coverage >> (n % 4) & 1 == 0 || write_mask == 0 {
            assert_eq!(old, new, "seed {seed}");
            continue;
        }
        let missing = [0.0, 0.0, 0.0, 1.0];
        let operands = Operands {
            source: quad.first.map(|word| clamp(range, flushed(word))),
            second: [3, 0, 2, 1].map(|n| clamp(range, flushed(quad.first[n]))),
            destination: std::array::from_fn(|n| {
                format.channels[n].map_or(missing[n], |channel| number(code(old, channel), channel))
            }),
            factor: std::array::from_fn(|n| clamp(range, flushed(of_draw.blend_factor[n].to_bits()))),
        };
        for (m, channel) in format.channels.into_iter().enumerate() {
            let Some(channel) = channel else { continue };
            let [old, found] = [old, new].map(|texel| code(texel, channel));
            let word = quad.first[m];
            let is_right = if write_mask >> m & 1 == 0 {
                // The second code of -1 becomes the first, and NaNs another NaN.
                let again = number(old, channel);
                found == old || (!is_integer && (number(found, channel) == again || again.is_nan()))
            } else if is_integer {
                let half = f64::from(most(channel) / 2);
                match range {
                    Range::Uint if combines => {
                        found == logic.map_or(0, |logic| combined(logic.op, word, old)) & most(channel)
                    }
                    Range::Uint => found == word.min(most(channel)),
                    _ => signed(found, channel) == f64::from(word as i32).clamp(-half - 1.0, half),
                }
            } else if let Some(blend) = blend {
                let (exact, size) = operands.blend(if m == 3 { blend.alpha } else { blend.color }, m);
                holds(found, channel, exact, size)
            } else if channel.bits == 32 {
                found == word
            } else {
                holds(found, channel, flushed(word), 0.0)
            };
            assert!(
                is_right,
                "seed {seed}: {found:#x} in channel {m} after {old:#x}\n{target:?}\nsource {:?}, destination {:?}, factor {:?}",
                operands.source, operands.destination, operands.factor
            );
        }
    }
}

fn check_range(range: Range, formats: &[&[u32]], states: u64) {
    for seed in 0..states {
        check(range, formats[seed as usize % formats.len()], seed);
    }
}

const FLOAT: &[&[u32]] = &[&[32; 4], &[16; 4], &[11, 11, 10], &[32], &[16, 16]];
const UNORM: &[&[u32]] = &[&[8; 4], &[10, 10, 10, 2], &[16; 4], &[16, 16]];
const SNORM: &[&[u32]] = &[&[8; 4], &[16; 4], &[16, 16]];
const INTEGERS: &[&[u32]] = &[&[8; 4], &[16; 4], &[16, 16], &[32; 4], &[32]];

#[test]
fn float_targets_keep_what_comes() {
    check_range(Range::Float, FLOAT, STATES);
}

#[test]
fn unorm_targets_clamp_from_0_to_1() {
    check_range(Range::Unorm, UNORM, STATES);
}

#[test]
fn snorm_targets_clamp_from_minus_1_to_1() {
    check_range(Range::Snorm, SNORM, STATES);
}

#[test]
fn unsigned_targets_are_not_blended() {
    check_range(Range::Uint, INTEGERS, STATES);
}

#[test]
fn signed_targets_are_not_blended() {
    check_range(Range::Sint, INTEGERS, STATES);
}

#[test]
#[ignore = "takes minutes"]
fn many_states() {
    for (range, formats) in [(Range::Float, FLOAT), (Range::Unorm, UNORM), (Range::Snorm, SNORM)] {
        check_range(range, formats, 100 * STATES);
    }
}

/// Each target takes the register of its number; one that is not declared leaves it as it is, and so does a depth in
/// the row after.
#[test]
fn outputs_go_to_their_targets() {
    let lines = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output o2.xyzw\ndcl_output oDepth\n\
                 mov o0.xyzw, v1.xyzw\nmov o2.xyzw, v1.wzyx\nmov oDepth, v1.x";
    let target = |output| Target { output, range: Range::Uint, blend: None, logic: None, write_mask: 15 };
    let state = PixelState { vertex_rows: ROWS, targets: (0..4).map(target).collect(), ..PixelState::default() };
    let format = Some(format(Range::Uint, &[32; 4]));
    let before = vec![vec![9; 4 * (SIZE * SIZE) as usize]; 4];
    let (_, after) =
        draw(lines, &state, &[format; 4], &[Quad::constant(1, [1, 2, 3, 4])], BatchState::default(), &before);
    let found: Vec<_> = after.iter().map(|words| &words[..8]).collect();
    let kept = [9; 8];
    assert_eq!(found, [&[1, 2, 3, 4, 9, 9, 9, 9], &kept, &[4, 3, 2, 1, 9, 9, 9, 9], &kept]);
}
