//! Filters texels of any channels, each of which is a field of a word. Its decoding is looked up once for a whole
//! filter.

#![allow(unsafe_code)]

use brolga_resource::format::Coding;

use super::numbers::{TexelReader, linear, nearest, on_curve};
use super::{Filtered, TexelKind};
use crate::fast::address::{LinearAddresses, TexelAddress};
use crate::fast::source::TexelSource;
use crate::fast::texture::ChannelField;
use crate::fast::vector::Vector;

/// Texels of any format: a variant of one word, which is faster, and one of up to four.
#[derive(Debug)]
pub(in crate::fast) struct FieldTexels<const WORDS: usize>;

impl<const WORDS: usize> TexelReader<4> for FieldTexels<WORDS> {
    type Texel<V: Vector> = [V; WORDS];

    #[inline(always)]
    fn channels(source: TexelSource<'_>) -> usize {
        source.channel_count
    }

    #[inline(always)]
    fn has(source: TexelSource<'_>, channel: usize) -> bool {
        source.channels[channel].is_some()
    }

    #[inline(always)]
    fn texel<V: Vector>(source: TexelSource<'_>, base: *const u8, offsets: &V) -> [V; WORDS] {
        let mut words = [V::splat(0); WORDS];
        // SAFETY: texels of so many bytes are there (`TexelSource::locate`).
        unsafe {
            if WORDS == 1 {
                words[0] = match source.texel_bytes {
                    4 => V::words_at(base, offsets),
                    _ if source.has_whole_words => V::around_at(base, offsets),
                    2 => V::shorts_at(base, offsets),
                    _ => V::bytes_at(base, offsets),
                };
            } else if source.texel_bytes == 16 {
                words.copy_from_slice(&V::fours_at(base, offsets)[..WORDS]);
            } else {
                words[..2].copy_from_slice(&V::pairs_at(base, offsets));
                if source.texel_bytes == 12 {
                    words[2] = V::words_at(base, &offsets.add(V::splat(8)));
                }
            }
        }
        words
    }

    #[inline(always)]
    fn has_pairs(source: TexelSource<'_>) -> bool {
        WORDS == 1 && source.texel_bytes == 4
    }

    #[inline(always)]
    fn pair<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> [[V; WORDS]; 2] {
        // SAFETY: texels of 4 bytes are there (`TexelSource::locate`), two of them, as the caller promises.
        let [one, two] = unsafe { V::pairs_at(base, offsets) };
        [[one; WORDS], [two; WORDS]]
    }

    #[inline(always)]
    fn values<V: Vector, const COUNT: usize>(
        source: TexelSource<'_>,
        channel: usize,
        texels: &[[V; WORDS]; COUNT],
    ) -> [V; COUNT] {
        let mut values = [V::splat(0); COUNT];
        let Some(field) = &source.channels[channel] else { return values };
        for n in 0..COUNT {
            let texel = &texels[n];
            values[n] = match field.word {
                1 if WORDS > 1 => texel[1 % WORDS],
                2 if WORDS > 1 => texel[2 % WORDS],
                3 if WORDS > 1 => texel[3 % WORDS],
                _ => texel[0],
            };
        }
        field.decode(&mut values, texels);
        values
    }

    #[inline(always)]
    fn word<V: Vector>(source: TexelSource<'_>, channel: usize, value: V) -> V {
        match &source.channels[channel] {
            Some(field) if field.has_unit => value.over(&field.unit),
            _ => value,
        }
    }
}

impl ChannelField {
    /// Decodes the values of a channel from words, as `Channel::value` does for one texel.
    #[inline(always)]
    fn decode<V: Vector, const WORDS: usize, const COUNT: usize>(
        &self,
        words: &mut [V; COUNT],
        texels: &[[V; WORDS]; COUNT],
    ) {
        match self.coding {
            Coding::Unorm { .. } => {
                for word in words {
                    *word = self.code(*word).to_float();
                }
            }
            Coding::Snorm { .. } => {
                for word in words {
                    *word = self.signed(*word).max(V::splat(self.least)).to_float();
                }
            }
            Coding::WidenedSnorm => {
                for word in words {
                    let signed = self.signed(*word);
                    let below = signed.shift_right::<1>().and(V::splat(7));
                    *word = signed.shift_left::<3>().or(below).max(V::splat(self.least)).to_float();
                }
            }
            Coding::Srgb => {
                for word in words {
                    *word = on_curve(self.code(*word));
                }
            }
            Coding::Half => {
                for word in words {
                    *word = number(self.code(*word).shift_left_by(self.lost));
                }
            }
            Coding::SharedExponent => {
                for n in 0..COUNT {
                    // 2 ^ (exponent - 24), a normal float.
                    let scale = texels[n][0].shift_right::<27>().add(V::splat(127 - 24)).shift_left::<23>();
                    words[n] = self.code(words[n]).to_float().mul_floats(scale);
                }
            }
            Coding::Sint => {
                for word in words {
                    *word = self.signed(*word);
                }
            }
            Coding::Float | Coding::Uint if self.down == 0 => {}
            _ => {
                for word in words {
                    *word = self.code(*word);
                }
            }
        }
    }

    #[inline(always)]
    fn code<V: Vector>(&self, word: V) -> V {
        word.shift_left_by(self.up).shift_right_by(self.down)
    }

    #[inline(always)]
    fn signed<V: Vector>(&self, word: V) -> V {
        word.shift_left_by(self.up).shift_signed_by(self.down)
    }
}

/// The value of a half; NaNs become the canonical one.
#[inline(always)]
fn number<V: Vector>(half: V) -> V {
    let number = half.to_floats_of_halves();
    number.where_set(number.ordered(number), V::splat(brolga_ir::float::NAN_F32))
}

impl<const WORDS: usize> TexelKind for FieldTexels<WORDS> {
    #[inline(always)]
    fn nearest<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, _: V) -> [V; 4] {
        nearest::<Self, 4, V>(source, address)
    }

    #[inline(always)]
    fn linear<V: Vector>(
        source: TexelSource<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        _: V,
    ) -> Filtered<V> {
        linear::<Self, 4, V>(source, first, second)
    }
}
