//! Generates random numbers, reproducible by seed.

use std::ops::Range;

/// The seeds of a test: one alone if `BROLGA_SEED` names it, a range if `BROLGA_SEEDS` does (`1000..9000`), else these.
///
/// # Panics
/// If a variable says something else.
pub fn seeds(default: Range<u64>) -> Range<u64> {
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    if let Ok(seed) = std::env::var("BROLGA_SEED") {
        return number(&seed)..number(&seed) + 1;
    }
    match std::env::var("BROLGA_SEEDS") {
        Ok(range) => {
            let (start, end) = range.split_once("..").expect("a range of seeds is two numbers");
            number(start)..number(end)
        }
        Err(_) => default,
    }
}

/// Random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Holds once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// The bits of a float: a moderate one, now and then a tiny one.
    pub fn float(&mut self) -> u32 {
        if self.one_in(4) { self.tiny() } else { (self.below(4000) as f32 / 16.0 - 100.0).to_bits() }
    }

    /// The bits of a float whose sums, products or quotients with its like are about the smallest normal number. Many
    /// significands have all ones or hardly any: then a result is near enough to it that rounding decides.
    pub fn tiny(&mut self) -> u32 {
        let exponent = self.pick(&[0, 1, 1, 1, 2, 2, 62, 63, 64, 65, 126, 127]);
        let significand = if self.one_in(2) { self.bits() as u32 } else { self.pick(&[0, 1, 0x40_0000, 0x7f_ffff]) };
        significand & 0x7f_ffff | exponent << 23 | self.pick(&[0, 0x8000_0000])
    }

    /// A word, often one near a limit of integers or floats.
    pub fn word(&mut self) -> u32 {
        const EDGES: [u32; 32] = [
            0,
            1,
            2,
            3,
            4,
            31,
            32,
            0xffff_ffff,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xaaaa_aaaa,
            0x3f80_0000,
            0xbf80_0000,
            0x4000_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_1234,
            0xffa0_0001,
            0x0080_0000,
            0x007f_ffff,
            0x8000_0003,
            0x7f7f_ffff,
            0x4b00_0001,
            // The limits of integers and halves, as floats.
            0x4eff_ffff,
            0x4f00_0000,
            0xcf00_0000,
            0x4f80_0000,
            0x477f_e000,
            0x4780_0000,
            0x3880_0000,
            0x3380_0000,
        ];
        if self.one_in(2) { self.pick(&EDGES) } else { self.bits() as u32 }
    }
}
