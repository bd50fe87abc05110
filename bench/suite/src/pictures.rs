//! Computes the expected results of the cases with textures, texel by texel in double precision.

use super::cases::{Data, SIZE};

/// Red, green, blue and alpha of a texel.
type Colour = [f64; 4];

/// A square picture.
struct Square {
    size: i32,
    colours: Vec<Colour>,
}

impl Square {
    fn new(colours: Vec<Colour>) -> Self {
        Self { size: colours.len().isqrt() as i32, colours }
    }

    /// A picture of codes from 0 to 255.
    fn of_codes(data: &Data) -> Self {
        Self::new(data.words.iter().map(|word| word.to_le_bytes().map(|code| f64::from(code) / 255.0)).collect())
    }

    /// The same, decoded from sRGB.
    fn of_srgb(data: &Data) -> Self {
        let mut square = Self::of_codes(data);
        square.colours.iter_mut().for_each(|colour| *colour = colour.map(linear));
        square
    }

    fn at(&self, x: i32, y: i32) -> &Colour {
        &self.colours[(y * self.size + x) as usize]
    }

    /// The texel at a position, clamped to the edges.
    fn clamped(&self, x: i32, y: i32) -> &Colour {
        self.at(x.clamp(0, self.size - 1), y.clamp(0, self.size - 1))
    }

    /// A bilinear sample, with wrapped coordinates. The first texel's centre is at half a texel.
    fn bilinear(&self, [u, v]: [f64; 2]) -> Colour {
        let [x, y] = [u, v].map(|position| position * f64::from(self.size) - 0.5);
        let texel = |dx: i32, dy: i32| {
            let [x, y] = [x.floor() as i32 + dx, y.floor() as i32 + dy].map(|n| n.rem_euclid(self.size));
            *self.at(x, y)
        };
        let (across, down) = (x - x.floor(), y - y.floor());
        let row = |dy| sum([(1.0 - across, texel(0, dy)), (across, texel(1, dy))]);
        sum([(1.0 - down, row(0)), (down, row(1))])
    }
}

fn sum(parts: impl IntoIterator<Item = (f64, Colour)>) -> Colour {
    let mut total = [0.0; 4];
    for (weight, colour) in parts {
        for (total, channel) in total.iter_mut().zip(colour) {
            *total += weight * channel;
        }
    }
    total
}

fn linear(code: f64) -> f64 {
    if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
}

fn encoded(light: f64) -> f64 {
    let light = light.clamp(0.0, 1.0);
    if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// Numbers from 0 to 1 as the codes of a texel.
fn codes(colour: Colour) -> u32 {
    u32::from_le_bytes(colour.map(|number| (number.clamp(0.0, 1.0) * 255.0 + 0.5) as u8))
}

/// Light as the codes of an opaque texel.
fn shown(light: Colour) -> u32 {
    let [r, g, b, _] = light.map(encoded);
    codes([r, g, b, 1.0])
}

/// Every texel of the result.
fn texels<T>(mut texel: impl FnMut(i32, i32) -> T) -> Vec<T> {
    let size = SIZE as i32;
    (0..size * size).map(|at| texel(at % size, at / size)).collect()
}

/// The mean of four samples.
pub(super) fn tex(source: &Data) -> Vec<u32> {
    let source = Square::of_codes(source);
    texels(|x, y| {
        let (x, y) = (f64::from(x), f64::from(y));
        let [u, v] = [x * 0.9 + y * 0.2 + 0.3, y * 0.9 - x * 0.2 + 0.7].map(|position| position / 1024.0);
        let positions = [[u, v], [u + 0.0013, v], [u, v + 0.0017], [u + 0.0013, v + 0.0017]];
        codes(sum(positions.map(|position| (0.25, source.bilinear(position)))))
    })
}

/// Nine neighbours, weighted 1 2 1 along both axes.
pub(super) fn conv3(source: &Data) -> Vec<u32> {
    let colour = |words: &[u32; 4]| words.map(|word| f64::from(f32::from_bits(word)));
    let source = Square::new(source.words.as_chunks().0.iter().map(colour).collect());
    let weight = |way: i32| if way == 0 { 0.5 } else { 0.25 };
    let ways = || (-1..=1).flat_map(|v| (-1..=1).map(move |u| (u, v)));
    let texel = |x, y| sum(ways().map(|(u, v)| (weight(u) * weight(v), *source.clamped(x + u, y + v))));
    texels(texel).into_iter().flatten().map(|number| (number as f32).to_bits()).collect()
}

/// The film curve.
pub(super) fn tonemap(source: &Data, exposure: f32) -> Vec<u32> {
    let half = |code: u32| {
        let (exponent, digits) = ((code >> 10) as i32, f64::from(code & 0x3ff) / 1024.0);
        if exponent == 0 { digits * 2f64.powi(-14) } else { (1.0 + digits) * 2f64.powi(exponent - 15) }
    };
    let film = |light: f64| {
        let x = light * f64::from(exposure);
        x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)
    };
    let colour = |&[low, high]: &[u32; 2]| [low & 0xffff, low >> 16, high & 0xffff, high >> 16].map(half).map(film);
    source.words.as_chunks().0.iter().map(|words| shown(colour(words))).collect()
}

/// Down columns, then along rows.
pub(super) fn blur(source: &Data, sigma: f32) -> Vec<u32> {
    const RADIUS: i32 = 8;
    let sigma = f64::from(sigma);
    let ways = || (-RADIUS..=RADIUS).map(|way| (way, (-f64::from(way * way) / (2.0 * sigma * sigma)).exp()));
    let whole: f64 = ways().map(|(_, weight)| weight).sum();
    let source = Square::of_srgb(source);
    let columns = texels(|x, y| sum(ways().map(|(way, weight)| (weight / whole, *source.clamped(x, y + way)))));
    let columns = Square::new(columns);
    texels(|x, y| shown(sum(ways().map(|(way, weight)| (weight / whole, *columns.clamped(x + way, y))))))
}

/// Splines by the distance of a texel, as Keys gives them for a = -1/2.
pub(super) fn resize(source: &Data) -> Vec<u32> {
    let source = Square::of_srgb(source);
    let kernel = |distance: f64| match distance.abs() {
        d if d < 1.0 => (1.5 * d - 2.5) * d * d + 1.0,
        d if d < 2.0 => ((-0.5 * d + 2.5) * d - 4.0) * d + 2.0,
        _ => 0.0,
    };
    let scale = f64::from(source.size) / f64::from(SIZE);
    texels(|x, y| {
        let [u, v] = [x, y].map(|at| (f64::from(at) + 0.5) * scale - 0.5);
        let around = |position: f64| (-1..=2).map(move |way| position.floor() as i32 + way);
        let pairs = around(v).flat_map(|j| around(u).map(move |i| (i, j)));
        let weight = |i: i32, j: i32| kernel(u - f64::from(i)) * kernel(v - f64::from(j));
        shown(sum(pairs.map(|(i, j)| (weight(i, j), *source.clamped(i, j)))))
    })
}

/// The middle one of nine neighbours, for each channel.
pub(super) fn median(source: &Data) -> Vec<u32> {
    let code = |x: i32, y: i32| {
        let [x, y] = [x, y].map(|position| position.clamp(0, SIZE as i32 - 1) as u32);
        source.words[(y * SIZE + x) as usize].to_le_bytes()
    };
    texels(|x, y| {
        let near: [[u8; 4]; 9] = std::array::from_fn(|n| code(x + n as i32 % 3 - 1, y + n as i32 / 3 - 1));
        u32::from_le_bytes(std::array::from_fn(|channel| {
            let mut codes = near.map(|codes| codes[channel]);
            codes.sort_unstable();
            codes[4]
        }))
    })
}
