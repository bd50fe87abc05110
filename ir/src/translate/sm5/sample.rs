//! Sampling, gathers, and derivatives across a quad.

use brolga_bytecode::sm5::{Instruction, Operand, RegisterFile};
use smallvec::SmallVec;

use super::super::vector::lanes;
use super::operand::{SourceType, swizzle};
use super::{Result, Translator};
use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;
use crate::sampling::{LevelSource, MOST_SAMPLE_ARGS, Offsets, SampleArg, SampleKind, Sampling};

/// Of each thread of a quad, the one whose value is taken: its own row's or column's, or the upper left one's.
const LEFT_OF_ROW: [u8; 4] = [0, 0, 2, 2];
const RIGHT_OF_ROW: [u8; 4] = [1, 1, 3, 3];
const TOP_OF_COLUMN: [u8; 4] = [0, 1, 0, 1];
const BOTTOM_OF_COLUMN: [u8; 4] = [2, 3, 2, 3];
const UPPER_LEFT: [u8; 4] = [0; 4];
const UPPER_RIGHT: [u8; 4] = [1; 4];
const LOWER_LEFT: [u8; 4] = [2; 4];

fn difference(b: &mut Builder<'_>, value: Value, to: [u8; 4], from: [u8; 4]) -> Value {
    let (to, from) = (b.quad_read(to, value), b.quad_read(from, value));
    b.op(Op::FSub, &[to, from])
}

/// `deriv_rtx_coarse`: one value for the quad; what `deriv_rtx` and level of detail are made of too.
pub(super) fn along_x(b: &mut Builder<'_>, s: &[Value]) -> Value {
    difference(b, s[0], UPPER_RIGHT, UPPER_LEFT)
}

/// `deriv_rty_coarse`
pub(super) fn along_y(b: &mut Builder<'_>, s: &[Value]) -> Value {
    difference(b, s[0], LOWER_LEFT, UPPER_LEFT)
}

/// `deriv_rtx_fine`: one value for each row.
pub(super) fn along_x_fine(b: &mut Builder<'_>, s: &[Value]) -> Value {
    difference(b, s[0], RIGHT_OF_ROW, LEFT_OF_ROW)
}

/// `deriv_rty_fine`: one value for each column.
pub(super) fn along_y_fine(b: &mut Builder<'_>, s: &[Value]) -> Value {
    difference(b, s[0], BOTTOM_OF_COLUMN, TOP_OF_COLUMN)
}

impl Translator<'_, '_> {
    /// An instruction that samples: destination, perhaps a feedback word, coordinates, computed offsets, texture, sampler,
    /// then the other `operands` in their order.
    pub(super) fn sample(
        &mut self,
        instruction: &Instruction,
        kind: SampleKind,
        level: LevelSource,
        operands: &[SampleArg],
    ) -> Result {
        let sources: SmallVec<[&Operand; 8]> = instruction.sources().collect();
        let mut destinations = instruction.destinations();
        let (destination, status) = (destinations.next().ok_or_else(|| self.count())?, destinations.next());
        let computes_offsets = operands.contains(&SampleArg::Offsets);
        // Offsets stand before the texture.
        let (front, rest) = sources.split_at_checked(3 + usize::from(computes_offsets)).ok_or_else(|| self.count())?;
        let (address, texture, sampler) = (front[0], front[front.len() - 2], front[front.len() - 1]);
        let behind = operands.iter().copied().filter(|arg| *arg != SampleArg::Offsets);
        // `null` in place of a clamp means that there is none.
        let given: SmallVec<[(SampleArg, &Operand); 4]> =
            behind.zip(rest.iter().copied()).filter(|(_, operand)| operand.file != RegisterFile::Null).collect();
        let operand = |arg: SampleArg| match arg {
            SampleArg::Coordinates => Some(address),
            SampleArg::Offsets => Some(front[1]),
            arg => given.iter().find(|(given, _)| *given == arg).map(|(_, operand)| *operand),
        };

        let (texture_ref, dimension) = self.typed(texture)?;
        let sampler_ref = self.resource(sampler)?;
        let sampling = Sampling {
            kind: match kind {
                SampleKind::Gather { .. } => SampleKind::Gather { component: sampler.component(0) & 3 },
                kind => kind,
            },
            level,
            has_bias: operand(SampleArg::Bias).is_some(),
            has_clamp: operand(SampleArg::Clamp).is_some(),
            offsets: match computes_offsets {
                true => Offsets::Computed,
                false => Offsets::Fixed(instruction.offsets.unwrap_or_default()),
            },
        };
        let mut args: SmallVec<[Value; MOST_SAMPLE_ARGS]> = SmallVec::new();
        for (arg, count) in sampling.args(dimension) {
            let mask = (1 << count) - 1;
            match operand(arg) {
                Some(operand) => {
                    let kind = if arg == SampleArg::Offsets { SourceType::Int } else { SourceType::Float };
                    let values = self.read(operand, mask, kind)?;
                    args.extend(lanes(mask).map(|lane| values.at(lane)));
                }
                None if arg == SampleArg::AlongX => self.derive(&mut args, count, along_x),
                None if arg == SampleArg::AlongY => self.derive(&mut args, count, along_y),
                None => return Err(self.count()),
            }
        }
        let result = self.b.sample(sampling, texture_ref, sampler_ref, &args).into();
        let words = swizzle(texture, destination.mask(), &result);
        self.write_with_status(destination, &words, status)
    }

    fn count(&self) -> super::TranslateError {
        self.bad_operand("count")
    }

    /// Appends the derivatives of the coordinates, which are the first operands.
    fn derive(
        &mut self,
        args: &mut SmallVec<[Value; MOST_SAMPLE_ARGS]>,
        count: usize,
        along: fn(&mut Builder<'_>, &[Value]) -> Value,
    ) {
        for axis in 0..count {
            let derivative = along(&mut self.b, &[args[axis]]);
            args.push(derivative);
        }
    }
}
