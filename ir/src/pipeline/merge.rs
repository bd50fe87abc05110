//! Builds the output merger: blends the outputs of a pixel shader into targets (functional specification, 17).

use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::Function;
use crate::interface::Component;
use crate::ops::Op;

use super::record::{BatchState, PixelArray, floats, word};
use super::state::{BlendOp, Equation, Factor, LogicOp, PixelState, Range, Target};

/// Declares the targets as resources, after those of the shader.
pub(super) fn declare(func: &mut Function, state: &PixelState) -> Vec<ResourceId> {
    let mut declare = |target: &Target| {
        let component = match target.range {
            Range::Float | Range::Unorm | Range::Snorm => Component::Float,
            Range::Uint => Component::Uint,
            Range::Sint => Component::Sint,
        };
        super::declare_target(func, state, component, target.output)
    };
    state.targets.iter().map(&mut declare).collect()
}

/// Writes a pixel to a target where it is live, after the logic operation or blend that the state asks for.
pub(super) fn target(
    b: &mut Builder<'_>,
    target: &Target,
    resource: ResourceId,
    texel: &[Value],
    [source, second]: [[Value; 4]; 2],
    live: Value,
) {
    if target.write_mask & 15 == 0 {
        return;
    }
    let resource = only(resource);
    let blend = target.blend.filter(|_| !matches!(target.range, Range::Uint | Range::Sint));
    let mut words = source;
    if blend.is_some() || target.logic.is_some() || target.write_mask & 15 != 15 {
        let before = b.texel_load(resource, texel, None);
        if let Some(logic) = target.logic {
            words = std::array::from_fn(|n| {
                let (word, bits) = (combine(b, logic.op, source[n], before[n]), u32::from(logic.bits[n]));
                let own = b.i32(u32::MAX.checked_shr(32u32.saturating_sub(bits)).unwrap_or(0));
                b.op(Op::And, &[word, own])
            });
        }
        if let Some(blend) = blend {
            let mut terms = Terms::new(b, target.range, [source, second, before]);
            words = std::array::from_fn(|n| {
                let equation = if n == 3 { &blend.alpha } else { &blend.color };
                let value = terms.blend(b, equation, n);
                b.op(Op::BitsF32, &[value])
            });
        }
        for (n, word) in words.iter_mut().enumerate() {
            if target.write_mask >> n & 1 == 0 {
                *word = before[n];
            }
        }
    }
    b.texel_store(resource, texel, words, live);
}

/// The operands of a blend, as floats: clamped to the range of the target.
struct Terms {
    range: Range,
    source: [Value; 4],
    second: [Value; 4],
    destination: [Value; 4],
    /// Made on first use.
    factor: Option<[Value; 4]>,
}

impl Terms {
    fn new(b: &mut Builder<'_>, range: Range, words: [[Value; 4]; 3]) -> Self {
        let [source, second, destination] = words.map(|words| words.map(|word| b.op(Op::AsF32, &[word])));
        let [source, second] = [source, second].map(|values| values.map(|value| clamp(b, range, value)));
        Self { range, source, second, destination, factor: None }
    }

    /// One component of the result.
    fn blend(&mut self, b: &mut Builder<'_>, equation: &Equation, n: usize) -> Value {
        let (source, destination) = (self.source[n], self.destination[n]);
        match equation.op {
            BlendOp::Min => return b.op(Op::FMin, &[source, destination]),
            BlendOp::Max => return b.op(Op::FMax, &[source, destination]),
            BlendOp::Add | BlendOp::Subtract | BlendOp::ReverseSubtract => {}
        }
        let [by_source, by_destination] =
            [equation.source, equation.destination].map(|factor| self.factor(b, factor, n));
        let source = b.op(Op::FMul, &[source, by_source]);
        let destination = b.op(Op::FMul, &[destination, by_destination]);
        match equation.op {
            BlendOp::Subtract => b.op(Op::FSub, &[source, destination]),
            BlendOp::ReverseSubtract => b.op(Op::FSub, &[destination, source]),
            _ => b.op(Op::FAdd, &[source, destination]),
        }
    }

    fn factor(&mut self, b: &mut Builder<'_>, factor: Factor, n: usize) -> Value {
        let inverse = |b: &mut Builder<'_>, value| {
            let one = b.f32(1.0);
            b.op(Op::FSub, &[one, value])
        };
        match factor {
            Factor::Zero => b.f32(0.0),
            Factor::One => b.f32(1.0),
            Factor::SourceColor => self.source[n],
            Factor::InverseSourceColor => inverse(b, self.source[n]),
            Factor::SourceAlpha => self.source[3],
            Factor::InverseSourceAlpha => inverse(b, self.source[3]),
            Factor::DestinationAlpha => self.destination[3],
            Factor::InverseDestinationAlpha => inverse(b, self.destination[3]),
            Factor::DestinationColor => self.destination[n],
            Factor::InverseDestinationColor => inverse(b, self.destination[n]),
            Factor::SourceAlphaSaturated if n == 3 => b.f32(1.0),
            Factor::SourceAlphaSaturated => {
                let rest = inverse(b, self.destination[3]);
                b.op(Op::FMin, &[self.source[3], rest])
            }
            Factor::SecondColor => self.second[n],
            Factor::InverseSecondColor => inverse(b, self.second[n]),
            Factor::SecondAlpha => self.second[3],
            Factor::InverseSecondAlpha => inverse(b, self.second[3]),
            Factor::BlendFactor => self.constant(b)[n],
            Factor::InverseBlendFactor => {
                let value = self.constant(b)[n];
                inverse(b, value)
            }
        }
    }

    /// The blend factor of the draw.
    fn constant(&mut self, b: &mut Builder<'_>) -> [Value; 4] {
        let range = self.range;
        *self.factor.get_or_insert_with(|| {
            let first = b.i32(0);
            floats(b, PixelArray::State.id(), first, word!(BatchState.blend_factor)).map(|value| clamp(b, range, value))
        })
    }
}

/// Combines bits of the source and the destination.
fn combine(b: &mut Builder<'_>, op: LogicOp, source: Value, destination: Value) -> Value {
    let not = |b: &mut Builder<'_>, value| {
        let all = b.i32(u32::MAX);
        b.op(Op::Xor, &[value, all])
    };
    let (s, d) = (source, destination);
    match op {
        LogicOp::Clear => b.i32(0),
        LogicOp::Set => b.i32(u32::MAX),
        LogicOp::Copy => s,
        LogicOp::CopyInverted => not(b, s),
        LogicOp::Noop => d,
        LogicOp::Invert => not(b, d),
        LogicOp::And => b.op(Op::And, &[s, d]),
        LogicOp::Or => b.op(Op::Or, &[s, d]),
        LogicOp::Xor => b.op(Op::Xor, &[s, d]),
        LogicOp::Nand | LogicOp::Nor | LogicOp::Equivalent => {
            let opposite = match op {
                LogicOp::Nand => Op::And,
                LogicOp::Nor => Op::Or,
                _ => Op::Xor,
            };
            let value = b.op(opposite, &[s, d]);
            not(b, value)
        }
        LogicOp::AndReverse | LogicOp::OrReverse => {
            let d = not(b, d);
            b.op(if op == LogicOp::AndReverse { Op::And } else { Op::Or }, &[s, d])
        }
        LogicOp::AndInverted | LogicOp::OrInverted => {
            let s = not(b, s);
            b.op(if op == LogicOp::AndInverted { Op::And } else { Op::Or }, &[s, d])
        }
    }
}

/// Clamps to the range of a target; NaN becomes 0, as it does in fixed-point texels.
fn clamp(b: &mut Builder<'_>, range: Range, value: Value) -> Value {
    match range {
        Range::Unorm => b.op(Op::FSat, &[value]),
        Range::Snorm => {
            let (least, most, zero) = (b.f32(-1.0), b.f32(1.0), b.f32(0.0));
            let is_number = b.op(Op::FEq, &[value, value]);
            let value = b.op(Op::FMax, &[value, least]);
            let value = b.op(Op::FMin, &[value, most]);
            b.select(is_number, value, zero)
        }
        Range::Float | Range::Uint | Range::Sint => value,
    }
}
