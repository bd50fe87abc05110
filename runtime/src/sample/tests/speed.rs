//! How long a sample takes. Run by hand, on one processor:
//! `taskset -c 0 cargo test --release -p brolga-runtime --lib sample::tests::speed -- --ignored --nocapture`

use std::hint::black_box;
use std::time::Instant;

use super::*;

#[test]
#[ignore = "a measurement"]
fn nanoseconds_per_sample() {
    // Few, so that operands stay near the processor.
    const PACKETS: usize = 64;
    let mut numbers = Numbers::new(8);
    let cases = [
        (Format::R8G8B8A8_UNORM, Tap::Point, Tap::Point, AddressMode::Wrap),
        (Format::R8G8B8A8_UNORM, Tap::Linear, Tap::Point, AddressMode::Wrap),
        (Format::R8G8B8A8_UNORM, Tap::Linear, Tap::Point, AddressMode::Clamp),
        (Format::R8G8B8A8_UNORM, Tap::Linear, Tap::Point, AddressMode::Border),
        (Format::R8G8B8A8_UNORM, Tap::Linear, Tap::Linear, AddressMode::Wrap),
        (Format::R8G8B8A8_UNORM_SRGB, Tap::Linear, Tap::Point, AddressMode::Wrap),
        (Format::R16G16B16A16_FLOAT, Tap::Linear, Tap::Point, AddressMode::Wrap),
        (Format::R32_FLOAT, Tap::Linear, Tap::Point, AddressMode::Wrap),
        (Format::R32G32B32A32_FLOAT, Tap::Linear, Tap::Point, AddressMode::Wrap),
        (Format::R32G32B32A32_FLOAT, Tap::Linear, Tap::Linear, AddressMode::Wrap),
        (Format::R16G16_UNORM, Tap::Linear, Tap::Point, AddressMode::Wrap),
    ];
    for ((format, tap, mip, mode), levels) in cases.into_iter().flat_map(|case| [(case, 1), (case, 7)]) {
        let image = Image::random(Dimension::Texture2d, format, [64, 64, 1], 1, levels, &mut numbers);
        let surface = image.surface();
        let state = Sampler { border: [0.0; 4], ..sampler(tap, mip, mode) };
        let prepared = Prepared::new(&surface, &state);
        // Neighbours as in a magnified picture, and levels that differ a little.
        let packets: Vec<[Row; 3]> = (0..PACKETS)
            .map(|_| {
                let (u, v, level) = (numbers.between(0.0, 1.0), numbers.between(0.0, 1.0), numbers.between(0.3, 0.6));
                let row = |start: f32, step: f32| std::array::from_fn(|lane| (start + lane as f32 * step).to_bits());
                let level = if mip == Tap::Linear { level } else { 0.0 };
                [row(u, 0.003), row(v, 0.0005), row(level, 0.0)]
            })
            .collect();
        // The same levels, more or less, by derivatives.
        let slope = row_of(0.02);
        let derived: Vec<[Row; 6]> =
            packets.iter().map(|&[u, v, _]| [u, v, slope, row_of(0.0), row_of(0.0), slope]).collect();
        let mut results = [[0; LANES]; 4];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..1000 {
            let start = Instant::now();
            for packet in &packets {
                sample(&prepared, &GIVEN, 0xff, black_box(packet), &mut results);
                black_box(&mut results);
            }
            let middle = Instant::now();
            for packet in &derived {
                sample(&prepared, &DERIVED, 0xff, black_box(packet), &mut results);
                black_box(&mut results);
            }
            for (best, time) in best.iter_mut().zip([middle - start, middle.elapsed()]) {
                *best = best.min(time.as_secs_f64() * 1e9 / (PACKETS * 8) as f64);
            }
        }
        let [given, derived] = best;
        println!(
            "{format:20} {tap:?} mip {mip:?} {mode:?} {levels} levels: {given:.2} ns, by derivatives {derived:.2} ns"
        );
    }
}

fn row_of(value: f32) -> Row {
    [value.to_bits(); LANES]
}
