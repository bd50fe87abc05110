//! Texels of four 8-bit codes. Sums of codes times weights are whole numbers, and exact.

use super::{Fast, Kind, Lanes, Place, Places, Words, lanes};

/// The kind of [`R8G8B8A8_UNORM`](crate::Format::R8G8B8A8_UNORM).
#[derive(Debug)]
pub(super) struct Codes;

impl Kind for Codes {
    #[inline(always)]
    fn nearest(fast: &Fast<'_>, places: &Lanes<Place>) -> Words {
        let texels: Lanes<u32> = lanes(|lane| fast.read(places[lane]));
        let channel =
            |channel: u32| lanes(|lane| ((texels[lane] >> (8 * channel) & 255) as i32 as f32 / 255.0).to_bits());
        in_order(fast, [channel(0), channel(1), channel(2), channel(3)])
    }

    #[inline(always)]
    fn linear(fast: &Fast<'_>, first: &Places, second: Option<(&Places, &Lanes<u32>)>) -> Words {
        let one = sums(fast, first);
        let words = match second {
            None => one.map(|sums| lanes(|lane| (sums[lane] / (255 * 256 * 256) as f32).to_bits())),
            Some((second, fractions)) => {
                let other = sums(fast, second);
                // More than 24 bits: exact as doubles, and one division, which leaves a single rounding.
                let mixed = |channel: usize| {
                    lanes(|lane| {
                        let weight = f64::from(fractions[lane] as i32);
                        let sum =
                            f64::from(one[channel][lane]) * (256.0 - weight) + f64::from(other[channel][lane]) * weight;
                        ((sum / f64::from(255u32 << 24)) as f32).to_bits()
                    })
                };
                [mixed(0), mixed(1), mixed(2), mixed(3)]
            }
        };
        in_order(fast, words)
    }
}

/// Red before blue.
#[inline(always)]
fn in_order(fast: &Fast<'_>, [r, g, b, a]: Words) -> Words {
    if fast.swaps_red_and_blue { [b, g, r, a] } else { [r, g, b, a] }
}

/// The sums of codes times weights on one level, by channel: whole numbers up to 255 * 256 * 256, exact as floats.
#[inline(always)]
fn sums(fast: &Fast<'_>, places: &Places) -> [Lanes<f32>; 4] {
    let [upper_left, upper_right, lower_left, lower_right] = places.texels;
    let read = |places: &Lanes<Place>| -> Lanes<u32> { lanes(|lane| fast.read(places[lane])) };
    let texels = [read(&upper_left), read(&upper_right), read(&lower_left), read(&lower_right)];
    let [right, lower] = places.fractions;
    // Two channels in a word, 16 bits each: a row's sum is at most 255 * 256.
    let row = |left: &Lanes<u32>, other: &Lanes<u32>, shift: u32| -> Lanes<u32> {
        lanes(|lane| {
            let pair = |texel: u32| texel >> shift & 0x00ff_00ff;
            pair(left[lane]) * (256 - right[lane]) + pair(other[lane]) * right[lane]
        })
    };
    let rows = |shift: u32| [row(&texels[0], &texels[1], shift), row(&texels[2], &texels[3], shift)];
    let (even, odd) = (rows(0), rows(8));
    let column = |rows: &[Lanes<u32>; 2], shift: u32| -> Lanes<f32> {
        lanes(|lane| {
            let sum = |row: usize| (rows[row][lane] >> shift & 0xffff) as i32 as f32;
            let weight = lower[lane] as i32 as f32;
            sum(0) * (256.0 - weight) + sum(1) * weight
        })
    };
    [column(&even, 0), column(&odd, 0), column(&even, 16), column(&odd, 16)]
}
