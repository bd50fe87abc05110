//! Translates texture instructions from ps_1_4 on, and the parts that all of them share.

use brolga_bytecode::sm3::{Instruction, Modifier, Operand, Source, Swizzle};
use smallvec::SmallVec;

use super::super::vector::{Vector, lanes};
use super::declare::Sampled;
use super::{Result, Translator};
use crate::builder::only;
use crate::entity::Value;
use crate::ops::Op;
use crate::sampling::{LevelSource, MOST_SAMPLE_ARGS, Offsets, SampleKind, Sampling};

/// The source of a sample's level of detail.
pub(super) enum Level {
    /// The coordinates' own derivatives.
    Implicit,
    /// The same, plus a bias.
    Biased(Value),
    /// An explicit level.
    Given(Value),
    /// Derivatives along x and y.
    Gradients([Vector; 2]),
}

/// A texture lookup.
pub(super) struct Sample<'s> {
    /// The number of the texture and its sampler.
    pub number: u16,
    pub coordinates: Vector,
    /// The source that coordinates were read from.
    pub source: Option<&'s Source>,
    /// Set if they were divided by their w.
    pub is_projected: bool,
    pub level: Level,
}

/// The use of coordinates by a texture instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Plain,
    /// Divided by their w.
    Projected,
    /// Their w is added to the level of detail.
    Biased,
    /// Their w is the level of detail.
    Level,
    /// Derivatives are further operands.
    Gradients,
}

impl Translator<'_, '_> {
    /// Samples a texture: its texel by component.
    pub(super) fn sample(&mut self, sample: &Sample<'_>) -> Result<Vector> {
        let Some(&sampled) = self.resources.sampled.get(&sample.number) else {
            return Err(self.bad_operand(format!("s{}", sample.number)));
        };
        let axes = sampled.dimension.sample_axes();
        let mut args: SmallVec<[Value; MOST_SAMPLE_ARGS]> = (0..axes).map(|axis| sample.coordinates.at(axis)).collect();
        if sampled.compares {
            // As fixed-point depths are.
            args.push(self.b.op(Op::FSat, &[sample.coordinates.at(axes)]));
        }
        let sampling = Sampling {
            kind: if sampled.compares { SampleKind::Compare } else { SampleKind::Filter },
            level: match sample.level {
                Level::Implicit | Level::Biased(_) | Level::Gradients(_) => LevelSource::Derivatives,
                Level::Given(_) => LevelSource::Given,
            },
            has_bias: matches!(sample.level, Level::Biased(_)),
            has_clamp: false,
            offsets: Offsets::Fixed([0; 3]),
        };
        match &sample.level {
            Level::Given(level) => args.push(*level),
            Level::Gradients(along) => {
                args.extend(along.iter().flat_map(|along| (0..axes).map(|axis| along.at(axis))));
            }
            Level::Implicit | Level::Biased(_) => {
                let along: SmallVec<[[Value; 2]; 3]> = (0..axes)
                    .map(|axis| {
                        let value = sample.coordinates.at(axis);
                        self.derivatives_of(sample.source, sample.is_projected, axis, value)
                    })
                    .collect();
                args.extend([0, 1].into_iter().flat_map(|n| along.iter().map(move |along| along[n])));
            }
        }
        if let Level::Biased(bias) = sample.level {
            args.push(bias);
        }
        let texel = self.b.sample(sampling, only(sampled.texture), only(sampled.sampler), &args);
        Ok(if sampled.compares { Vector::splat(texel[0]) } else { texel.into() })
    }

    /// The coordinates that a texture takes, with the reference after them, as a mask.
    pub(super) fn axes(&self, number: u16) -> u8 {
        let coordinates = |sampled: &Sampled| sampled.dimension.sample_axes() + usize::from(sampled.compares);
        self.resources.sampled.get(&number).map_or(0, |sampled| (1 << coordinates(sampled)) - 1)
    }

    /// `texld` of shader models 2 and 3 and the like: destination, coordinates, sampler, optional derivatives.
    pub(super) fn texld(&mut self, instruction: &Instruction, lookup: Lookup) -> Result {
        let [destination, source, sampler, gradients @ ..] = instruction.operands.as_slice() else {
            return Err(self.wrong_count());
        };
        let destination = self.destination(destination)?;
        let (source, sampler) = (self.source(source)?, self.source(sampler)?);
        let number = sampler.register.number;
        let axes = self.axes(number);
        let has_w = matches!(lookup, Lookup::Projected | Lookup::Biased | Lookup::Level);
        let mut coordinates = self.read(source, if has_w { axes | 8 } else { axes })?;
        if lookup == Lookup::Projected {
            let w = coordinates.at(3);
            for axis in lanes(axes) {
                let quotient = self.b.op(Op::FDiv, &[coordinates.at(axis), w]);
                coordinates.set(axis, quotient);
            }
        }
        let level = match lookup {
            Lookup::Plain | Lookup::Projected => Level::Implicit,
            Lookup::Biased => Level::Biased(coordinates.at(3)),
            Lookup::Level => Level::Given(coordinates.at(3)),
            Lookup::Gradients => {
                let [x, y] = gradients else { return Err(self.wrong_count()) };
                let (x, y) = (self.source(x)?, self.source(y)?);
                Level::Gradients([self.read(x, axes)?, self.read(y, axes)?])
            }
        };
        let is_projected = lookup == Lookup::Projected;
        let texel = self.sample(&Sample { number, coordinates, source: Some(source), is_projected, level })?;
        let mut result = Vector::default();
        for lane in lanes(destination.mask) {
            result.set(lane, texel.at(sampler.swizzle.component(lane as u32).into()));
        }
        self.write(destination, &result)
    }

    /// `texld` of ps_1_4: the destination's number is that of the texture.
    pub(super) fn texld_stage(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let (destination, source) = (self.destination(destination)?, self.source(source)?);
        let number = destination.register.number;
        let coordinates = self.read(source, self.axes(number))?;
        let texel =
            self.sample(&Sample { number, coordinates, source: None, is_projected: false, level: Level::Implicit })?;
        self.write(destination, &texel)
    }

    /// `texcrd`: texture coordinates, unsampled.
    pub(super) fn texcrd(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let destination = self.destination(destination)?;
        let values = self.read(self.source(source)?, destination.mask)?;
        self.write(destination, &values)
    }

    /// `bem`: adds the second source, transformed by the matrix of the destination's stage, to coordinates.
    pub(super) fn bem(&mut self, instruction: &Instruction) -> Result {
        let [destination, base, shift] = self.operands(instruction)?;
        let destination = self.destination(destination)?;
        let (base, shift) = (self.read(self.source(base)?, 0b11)?, self.read(self.source(shift)?, 0b11)?);
        let moved = self.bumped(destination.register.number, &base, &shift);
        self.write(destination, &moved)
    }

    /// Two coordinates, displaced by two values through the bump mapping matrix of a texture stage.
    pub(super) fn bumped(&mut self, stage: u16, base: &Vector, shift: &Vector) -> Vector {
        let matrix = self.bump_matrix(stage);
        // Other components are unspecified.
        let mut result = Vector::splat(self.b.f32(0.0));
        for axis in 0..2 {
            // 00 and 10 for u, 01 and 11 for v.
            let first = self.product(matrix.at(axis), shift.at(0));
            let second = self.product(matrix.at(axis + 2), shift.at(1));
            let sum = self.b.op(Op::FAdd, &[base.at(axis), first]);
            result.set(axis, self.b.op(Op::FAdd, &[sum, second]));
        }
        result
    }

    /// `texdepth`: the depth is r5.x / r5.y, where devices take a divisor above 1 as 1.
    pub(super) fn texdepth(&mut self, instruction: &Instruction) -> Result {
        let Some(register) = instruction.operands.first().map(Operand::register) else {
            return Err(self.wrong_count());
        };
        let source = Source { register, relative: None, swizzle: Swizzle::IDENTITY, modifier: Modifier::None };
        let values = self.read(&source, 0b11)?;
        let one = self.b.f32(1.0);
        let divisor = self.b.op(Op::FMin, &[values.at(1), one]);
        self.write_depth(values.at(0), divisor)
    }

    /// The depth as a quotient, clamped to 0 to 1: 1 where the divisor is 0.
    pub(super) fn write_depth(&mut self, z: Value, w: Value) -> Result {
        let quotient = self.divided(z, w);
        let depth = self.b.op(Op::FSat, &[quotient]);
        let word = self.word(depth);
        self.assign(super::stage::DEPTH, 0, word)
    }
}
