//! Translates sampling and gathers.

use brolga_bytecode::sm5::{Instruction, Operand, RegisterFile};
use smallvec::SmallVec;

use super::super::derivative::Derivative;
use super::super::vector::lanes;
use super::operand::{SourceType, swizzle};
use super::{Result, Translator};
use crate::entity::Value;
use crate::sampling::{LevelSource, MOST_SAMPLE_ARGS, Offsets, SampleArg, SampleKind, Sampling};

impl Translator<'_, '_> {
    /// Translates an instruction that samples: destination, optional feedback word, coordinates, computed offsets,
    /// texture, sampler, then the other `operands` in their order.
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
        // Offsets precede the texture.
        let (front, rest) = sources.split_at_checked(3 + usize::from(computes_offsets)).ok_or_else(|| self.count())?;
        let (address, texture, sampler) = (front[0], front[front.len() - 2], front[front.len() - 1]);
        let behind = operands.iter().copied().filter(|arg| *arg != SampleArg::Offsets);
        // `null` as a clamp means that there is none.
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
                None if arg == SampleArg::AlongX => {
                    self.derive_coordinates(&mut args, count, Derivative::AlongX, address);
                }
                None if arg == SampleArg::AlongY => {
                    self.derive_coordinates(&mut args, count, Derivative::AlongY, address);
                }
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
    fn derive_coordinates(
        &mut self,
        args: &mut SmallVec<[Value; MOST_SAMPLE_ARGS]>,
        count: usize,
        derivative: Derivative,
        address: &Operand,
    ) {
        for axis in 0..count {
            let derivative = self.derivative(derivative, address, axis, args[axis]);
            args.push(derivative);
        }
    }
}
