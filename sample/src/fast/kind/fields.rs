//! Texels of any channels, each of which is a field of a word. What is done with it is looked up, once for a whole filter.

#![allow(unsafe_code)]

use brolga_resource::format::Coding;

use super::numbers::{Reader, linear, nearest, on_curve};
use super::{Filtered, Kind};
use crate::fast::address::{LinearAddresses, TexelAddress};
use crate::fast::source::Source;
use crate::fast::texture::Lane;
use crate::fast::vector::Vector;

/// The kind of texels of any format.
#[derive(Debug)]
pub(in crate::fast) struct Fields;

impl Reader<4> for Fields {
    #[inline(always)]
    fn has(source: Source<'_>, channel: usize) -> bool {
        source.channels[channel].is_some()
    }

    #[inline(always)]
    fn values<V: Vector>(source: Source<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        let zero = V::splat(0);
        // SAFETY: texels of so many bytes are there (`Source::locate`).
        let words = unsafe {
            match source.texel_bytes {
                1 => [V::bytes_at(base, offsets), zero, zero, zero],
                2 => [V::shorts_at(base, offsets), zero, zero, zero],
                4 => [V::words_at(base, offsets), zero, zero, zero],
                8 => {
                    let [a, b] = V::pairs_at(base, offsets);
                    [a, b, zero, zero]
                }
                12 => {
                    let [a, b] = V::pairs_at(base, offsets);
                    [a, b, V::words_at(base, &offsets.add(V::splat(8))), zero]
                }
                _ => V::fours_at(base, offsets),
            }
        };
        let mut values = [zero; 4];
        for (value, lane) in values.iter_mut().zip(&source.channels) {
            if let Some(lane) = lane {
                *value = lane.value(words[lane.word & 3], words[0]);
            }
        }
        values
    }

    #[inline(always)]
    fn word<V: Vector>(source: Source<'_>, channel: usize, value: V) -> V {
        match &source.channels[channel] {
            Some(lane) if lane.has_unit => value.over(&lane.unit),
            _ => value,
        }
    }
}

impl Lane {
    /// What `Channel::value` is for one texel: of the word that it is in, and of the first one.
    #[inline(always)]
    fn value<V: Vector>(&self, word: V, first: V) -> V {
        let top = word.shift_left_by(self.up);
        let code = top.shift_right_by(self.down);
        let signed = top.shift_signed_by(self.down);
        match self.coding {
            Coding::Unorm { .. } => code.to_float(),
            Coding::Snorm { .. } => signed.max(V::splat(self.least)).to_float(),
            Coding::WidenedSnorm => {
                let below = signed.shift_right::<1>().and(V::splat(7));
                signed.shift_left::<3>().or(below).max(V::splat(self.least)).to_float()
            }
            Coding::Srgb => on_curve(code),
            Coding::Half => number(code.shift_left_by(self.lost)),
            Coding::SharedExponent => {
                // 2 ^ (exponent - 24), a normal float.
                let scale = first.shift_right::<27>().add(V::splat(127 - 24)).shift_left::<23>();
                code.to_float().mul_floats(scale)
            }
            Coding::Sint => signed,
            _ => code,
        }
    }
}

/// The number of a half; of NaNs the one that computations give.
#[inline(always)]
fn number<V: Vector>(half: V) -> V {
    let number = half.from_halves();
    number.where_set(number.ordered(number), V::splat(brolga_ir::float::NAN_F32))
}

impl Kind for Fields {
    #[inline(always)]
    fn nearest<V: Vector>(source: Source<'_>, address: &TexelAddress<V>, _: V) -> [V; 4] {
        nearest::<Self, 4, V>(source, address)
    }

    #[inline(always)]
    fn linear<V: Vector>(
        source: Source<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        _: V,
    ) -> Filtered<V> {
        linear::<Self, 4, V>(source, first, second)
    }
}
