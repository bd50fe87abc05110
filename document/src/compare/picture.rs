//! Compares a picture with an expected one, by the rule for independent implementations: a pixel within the tolerance
//! holds; one whose channels lie between those of its expected neighbours is an edge pixel, of which a share is
//! allowed; all others are wrong.

use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::{Format, ResourceError};

use super::numbers::passes;
use super::sort::go_on;
use crate::model::expectation::Tolerance;
use crate::model::number::{Number, NumberType};

impl Tolerance {
    /// The slack of a number that is not an integer code.
    pub(crate) fn slack(&self, expected: f64) -> f64 {
        // A share of infinity would be NaN.
        let rel = self.rel.unwrap_or(0.0);
        let share = if rel == 0.0 { 0.0 } else { rel * expected.abs() };
        self.abs.unwrap_or(0.0).max(share)
    }
}

/// The result of comparing a picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PictureCheck {
    /// Pixels of the picture.
    pub pixels: u64,
    /// Pixels that differ at all.
    pub different: u64,
    /// Pixels beyond the slack that lie between their expected neighbours.
    pub edge: u64,
    /// The greatest number of edge pixels allowed.
    pub most_edge: u64,
    /// All others beyond the slack.
    pub wrong: u64,
    /// The greatest number of wrong pixels allowed.
    pub most_wrong: u64,
    /// The first wrong pixel, or else the first edge pixel.
    pub first: Option<Pixel>,
}

/// A pixel that is not as expected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pixel {
    /// Column and row.
    pub at: [u32; 2],
    /// Its channels: floats, or codes.
    pub found: Vec<f64>,
    /// The channels it should have.
    pub expected: Vec<f64>,
}

impl PictureCheck {
    /// `true` if the picture is as expected.
    pub fn holds(&self) -> bool {
        self.edge <= self.most_edge && self.wrong <= self.most_wrong
    }
}

/// The class of a pixel that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is within the slack.
    Near,
    /// It lies between its expected neighbours.
    Edge,
    Wrong,
}

/// Texels of a level, decoded one by one so that large pictures take no additional memory.
pub(crate) struct Picture<'a> {
    format: Format,
    /// Columns and rows.
    extents: [u32; 2],
    texels: &'a [u8],
}

impl<'a> Picture<'a> {
    /// A picture with as many texels as its extents say.
    pub fn new(format: Format, extents: [u32; 2], texels: &'a [u8]) -> Self {
        Self { format, extents, texels }
    }

    fn texel(&self, [x, y]: [u32; 2]) -> &'a [u8] {
        let size = self.format.size_bytes() as usize;
        let at = y as usize * self.extents[0] as usize + x as usize;
        &self.texels[at * size..][..size]
    }

    /// The channels of a texel; depth alone where there is stencil too.
    fn channels(&self, at: [u32; 2]) -> Channels {
        let mut bytes = [0; 16];
        let texel = self.texel(at);
        bytes[..texel.len()].copy_from_slice(texel);
        let texel = u128::from_le_bytes(bytes);
        let words = self.format.decode(texel);
        let mut channels = Channels { values: [0.0; 4], has: [false; 4], are_codes: [false; 4] };
        for (n, (encoding, field)) in self.format.channels().into_iter().zip(self.format.fields()).enumerate() {
            let Some(encoding) = encoding.filter(|_| n == 0 || !is_depth(self.format)) else { continue };
            channels.has[n] = true;
            let code = field.map(|field| (texel >> field.shift) as u32 & (u32::MAX >> (32 - field.bits)));
            channels.values[n] = match (encoding, field, code) {
                (Encoding::Float, ..) | (_, None, _) | (_, _, None) => f32::from_bits(words[n]).into(),
                (Encoding::Snorm | Encoding::Sint, Some(field), Some(code)) => {
                    let unused = 32 - field.bits;
                    f64::from((code << unused).cast_signed() >> unused)
                }
                (_, _, Some(code)) => code.into(),
            };
            channels.are_codes[n] = encoding != Encoding::Float;
        }
        channels
    }

    /// The brightness of a pixel as a byte: its first channel, or the upper bits of an integer code.
    pub fn brightness(&self, at: [u32; 2]) -> u8 {
        let Channels { values, are_codes, .. } = self.channels(at);
        let bits = self.format.fields()[0].map_or(32, |field| field.bits);
        match are_codes[0] {
            true => (values[0].max(0.0) * 255.0 / (2f64.powi(bits as i32) - 1.0)).clamp(0.0, 255.0) as u8,
            false => (values[0].clamp(0.0, 1.0) * 255.0) as u8,
        }
    }

    /// The least and the greatest value of a channel around a pixel; a NaN counts as both.
    fn range_around(&self, [x, y]: [u32; 2], channel: usize) -> [f64; 2] {
        let near = |at: u32, most: u32| at.saturating_sub(1)..=(at + 1).min(most - 1);
        let around = near(y, self.extents[1]).flat_map(|y| near(x, self.extents[0]).map(move |x| [x, y]));
        around.map(|at| self.channels(at).values[channel]).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], value| {
            if value.is_nan() || a.is_nan() { [f64::NAN; 2] } else { [a.min(value), b.max(value)] }
        })
    }

    /// Compares a picture of the same extents and format with this one, until `stop` returns `true`.
    pub fn check(
        &self,
        found: &Picture<'_>,
        tolerance: &Tolerance,
        stop: &dyn Fn() -> bool,
    ) -> Result<PictureCheck, ResourceError> {
        self.check_marking(found, tolerance, stop, &mut |_, _| {})
    }

    /// As `check`, and calls `mark` for each pixel that differs.
    pub fn check_marking(
        &self,
        found: &Picture<'_>,
        tolerance: &Tolerance,
        stop: &dyn Fn() -> bool,
        mark: &mut dyn FnMut([u32; 2], Mark),
    ) -> Result<PictureCheck, ResourceError> {
        let [width, height] = self.extents;
        let pixels = u64::from(width) * u64::from(height);
        let most = |share: f64| (share * pixels as f64).floor() as u64;
        let (most_edge, most_wrong) = (most(tolerance.edge_share), most(tolerance.wrong_share));
        let mut check = PictureCheck { pixels, different: 0, edge: 0, most_edge, wrong: 0, most_wrong, first: None };
        for at in (0..height).flat_map(|y| (0..width).map(move |x| [x, y])) {
            if at[0] == 0 {
                go_on(stop)?;
            }
            if self.texel(at) == found.texel(at) {
                continue;
            }
            let (expected, got) = (self.channels(at), found.channels(at));
            let slack = |n: usize| match (expected.are_codes[n], tolerance.codes) {
                (true, Some(codes)) => codes,
                _ => tolerance.slack(expected.values[n]),
            };
            let is_near = |n: usize| {
                let (found, wanted) = (got.values[n], expected.values[n]);
                match (expected.are_codes[n], tolerance.codes) {
                    (true, Some(codes)) => (found - wanted).abs() <= codes,
                    (true, None) => {
                        let is_within = |ulp| (found - wanted).abs() <= ulp as f64;
                        let others = Tolerance { ulp: None, ..*tolerance };
                        tolerance.ulp.is_some_and(is_within) || passes(code(found), code(wanted), &others)
                    }
                    (false, _) => passes(float(found), float(wanted), tolerance),
                }
            };
            let same = |n: usize| {
                let (a, b) = (got.values[n], expected.values[n]);
                a == b || (a.is_nan() && b.is_nan())
            };
            let channels = || (0..4).filter(|&n| expected.has[n]);
            if channels().all(same) {
                continue;
            }
            check.different += 1;
            if channels().all(|n| same(n) || is_near(n)) {
                mark(at, Mark::Near);
                continue;
            }
            let is_edge = channels().all(|n| {
                let [least, greatest] = self.range_around(at, n);
                same(n) || (least - slack(n)..=greatest + slack(n)).contains(&got.values[n])
            });
            let is_first = check.first.is_none() || (!is_edge && check.wrong == 0);
            *(if is_edge { &mut check.edge } else { &mut check.wrong }) += 1;
            mark(at, if is_edge { Mark::Edge } else { Mark::Wrong });
            if is_first {
                let list = |all: &Channels| channels().map(|n| all.values[n]).collect();
                check.first = Some(Pixel { at, found: list(&got), expected: list(&expected) });
            }
        }
        Ok(check)
    }
}

/// A channel's code as a number.
fn code(value: f64) -> Number {
    Number { number_type: NumberType::F64, bits: value.to_bits() }
}

/// A channel's float as a number.
fn float(value: f64) -> Number {
    Number { number_type: NumberType::F32, bits: (value as f32).to_bits().into() }
}

struct Channels {
    values: [f64; 4],
    has: [bool; 4],
    /// Set for channels that are integer codes, not floats.
    are_codes: [bool; 4],
}

fn is_depth(format: Format) -> bool {
    format.allows(Use::DepthStencil)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of three by three: black, but white in the right column.
    const EXPECTED: [u8; 9] = [0, 0, 255, 0, 0, 255, 0, 0, 255];

    fn check(format: Format, expected: &[u8], found: &[u8], tolerance: Tolerance) -> PictureCheck {
        let of = |texels| Picture::new(format, [3, 3], texels);
        of(expected).check(&of(found), &tolerance, &|| false).unwrap()
    }

    fn counts(found: [u8; 9], tolerance: Tolerance) -> ([u64; 3], bool) {
        let check = check(Format::R8_UNORM, &EXPECTED, &found, tolerance);
        ([check.different, check.edge, check.wrong], check.holds())
    }

    #[test]
    fn pixels_hold_are_edges_or_wrong() {
        let tolerance = Tolerance { codes: Some(2.0), edge_share: 0.2, ..Tolerance::default() };
        assert_eq!(counts(EXPECTED, tolerance), ([0, 0, 0], true));
        assert_eq!(counts([2, 0, 253, 0, 0, 255, 0, 0, 255], tolerance), ([2, 0, 0], true));
        // Beside the white column any grey may be an edge; a ninth of all pixels is less than a fifth.
        assert_eq!(counts([0, 90, 255, 0, 0, 255, 0, 0, 255], tolerance), ([1, 1, 0], true));
        assert_eq!(counts([0, 90, 255, 0, 90, 255, 0, 0, 255], tolerance), ([2, 2, 0], false));
        // The left column has only black neighbours.
        assert_eq!(counts([3, 0, 255, 0, 0, 255, 0, 0, 255], tolerance), ([1, 0, 1], false));
        let some_wrong = Tolerance { wrong_share: 1.0 / 9.0, ..tolerance };
        assert_eq!(counts([3, 0, 255, 0, 0, 255, 0, 0, 255], some_wrong), ([1, 0, 1], true));
    }

    #[test]
    fn the_first_wrong_pixel_is_told_before_edges() {
        let found = [0, 90, 255, 0, 0, 255, 7, 0, 255];
        let check = check(Format::R8_UNORM, &EXPECTED, &found, Tolerance::default());
        assert_eq!(check.first, Some(Pixel { at: [0, 2], found: vec![7.0], expected: vec![0.0] }));
        assert_eq!((check.edge, check.wrong), (1, 1));
    }

    #[test]
    fn floats_have_slack_by_either_bound() {
        let bytes = |floats: [f32; 9]| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>();
        let expected = [1.0, 1.0, 1.0, 100.0, 100.0, 100.0, f32::NAN, f32::INFINITY, 0.0];
        let counts = |found: [f32; 9], tolerance| {
            let check = check(Format::R32_FLOAT, &bytes(expected), &bytes(found), tolerance);
            [check.different, check.edge, check.wrong]
        };
        let tolerance = Tolerance { abs: Some(0.1), rel: Some(0.01), ..Tolerance::default() };
        assert_eq!(counts(expected, tolerance), [0, 0, 0]);
        let near = [1.09, 1.0, 1.0, 100.9, 100.0, 100.0, f32::NAN, f32::INFINITY, -0.09];
        assert_eq!(counts(near, tolerance), [3, 0, 0]);
        // All NaNs are equal whatever their bits, and zeros have no sign.
        let same = [1.0, 1.0, 1.0, 100.0, 100.0, 100.0, -f32::NAN, f32::INFINITY, -0.0];
        assert_eq!(counts(same, Tolerance::default()), [0, 0, 0]);
        let far = [f32::NAN, 1.0, 1.0, 100.0, 100.0, 100.0, 0.0, f32::INFINITY, 0.0];
        assert_eq!(counts(far, tolerance), [2, 0, 2]);
    }

    #[test]
    fn codes_have_their_sign_and_their_field() {
        let words = |word: u32| [word.to_le_bytes(); 9].concat();
        let one = Tolerance { codes: Some(1.0), ..Tolerance::default() };
        let wrong = |format, expected, found| check(format, &words(expected), &words(found), one).wrong;
        // -1 and 0 are neighbours, 0xff and 0 are not.
        assert_eq!(wrong(Format::R8G8B8A8_SNORM, 0xff, 0), 0);
        assert_eq!(wrong(Format::R8G8B8A8_UNORM, 0xff, 0), 9);
        // The next code of green is 1024 further.
        assert_eq!(wrong(Format::R10G10B10A2_UNORM, 0, 1 << 10), 0);
        assert_eq!(wrong(Format::R10G10B10A2_UNORM, 0, 2 << 10), 9);
        assert_eq!(wrong(Format::R32_UINT, u32::MAX, 0), 9);
        // Stencil is not compared.
        assert_eq!(wrong(Format::D24_UNORM_S8_UINT, 0, 0x7f00_0000), 0);
        assert_eq!(wrong(Format::D24_UNORM_S8_UINT, 0, 2), 9);
    }
}
