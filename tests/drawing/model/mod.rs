//! Random draws against a plain model in doubles, pixel by pixel.
//!
//! | file | what |
//! |---|---|
//! | `state.rs` | random draws |
//! | `geometry.rs` | a triangle on the screen, and the bound of errors |
//! | `pixels.rs` | the model's targets, and the comparison |
//!
//! `cargo test --release --test drawing -- --nocapture model` draws 30,000 states and prints figures; `BROLGA_SEED=7` draws one of them,
//! `BROLGA_SEEDS=1000..9000` a range.

mod geometry;
mod pixels;
mod state;

use std::ops::Range;

use brolga::{Device, Engine, Format};
use brolga_testing::random::Random;

use crate::canvas::{Canvas, Item};
use crate::shaders;
use pixels::{Drawn, Figures, Model};
use state::{DrawState, State};

const STATES: u64 = if cfg!(debug_assertions) { 150 } else { 30_000 };

fn seeds() -> Range<u64> {
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    if let Ok(seed) = std::env::var("BROLGA_SEED") {
        return number(&seed)..number(&seed) + 1;
    }
    match std::env::var("BROLGA_SEEDS") {
        Ok(range) => {
            let (start, end) = range.split_once("..").expect("a range of seeds is two numbers");
            number(start)..number(end)
        }
        Err(_) => 0..STATES,
    }
}

fn draw(device: &Device, engine: Engine, state: &State) -> Drawn {
    let formats = [Format::R32G32B32A32_FLOAT; 3];
    let mut canvas = Canvas::new(device, engine, state.size, &formats);
    if let Some(format) = state.depth_format {
        canvas = canvas.with_depth(format, state.size, state.cleared);
    }
    let vertex = shaders::vertex();
    let pixels: Vec<Vec<u8>> = state.draws.iter().map(DrawState::pixel).collect();
    type Set<'s> = Box<dyn Fn(&mut brolga::raster::PipelineDesc<'_>) + 's>;
    type With<'s> = Box<dyn Fn(&Device, &mut brolga::raster::Draw<'_>) + 's>;
    let changes: Vec<(Set<'_>, With<'_>)> = state
        .draws
        .iter()
        .map(|draw| {
            let set: Set<'_> = Box::new(|desc| (desc.rasterizer, desc.depth) = (draw.rasterizer, draw.test));
            let with: With<'_> =
                Box::new(|_, call| (call.viewport, call.scissor) = (Some(draw.viewport), draw.scissor));
            (set, with)
        })
        .collect();
    let items: Vec<Item<'_>> = state
        .draws
        .iter()
        .zip(&pixels)
        .zip(&changes)
        .map(|((draw, pixel), (set, with))| Item::new(&vertex, pixel, &draw.vertices).set(set).with(with))
        .collect();
    let passed = canvas.pass(&items);
    Drawn {
        colors: [0, 1, 2].map(|target| canvas.texels(target)),
        depths: state.depth_format.map(|_| canvas.depths()),
        passed,
    }
}

#[test]
fn random_draws_are_what_the_model_says() {
    let device = Device::builder().threads(1).build().unwrap();
    let mut figures = Figures::default();
    let seeds = seeds();
    for seed in seeds.clone() {
        let state = State::new(&mut Random(seed));
        let drawn = draw(&device, Engine::Jit, &state);
        if let Err(why) = Model::new(&state).compare(&drawn, &mut figures) {
            panic!("seed {seed}: {why}\n{state:#?}");
        }
        // The interpreter takes longer.
        if seed % 8 == 0 {
            let other = draw(&device, Engine::Interpreter, &state);
            let is_same = other.colors == drawn.colors && other.depths == drawn.depths && other.passed == drawn.passed;
            assert!(is_same, "seed {seed}: the interpreter draws something else\n{state:#?}");
        }
    }
    println!("{} states: {figures:#?}", seeds.end - seeds.start);
    // Bounds that decide nothing would prove nothing.
    let Figures { compared, shown, open, numbers, unbounded, .. } = figures;
    if seeds.end - seeds.start == STATES {
        assert!(open * 100 < compared && unbounded * 20 < numbers && shown * 20 > compared, "{figures:#?}");
    }
}
