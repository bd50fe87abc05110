//! Compares random draws with a plain model in doubles, sample by sample.
//!
//! | file | contents |
//! |---|---|
//! | `state.rs` | random draws |
//! | `geometry.rs` | a triangle on the screen, and the bound of errors |
//! | `pixels.rs` | the model's targets, and the comparison |
//!
//! `cargo test --release -p brolga --test it drawing::model -- --nocapture` draws 30,000 states and prints figures;
//! `BROLGA_SEED=7` draws one of them, `BROLGA_SEEDS=1000..9000` a range.

mod geometry;
mod pixels;
mod state;

use brolga::raster::{Draw, Pipeline, PipelineDesc};
use brolga::{ClearValue, Device, Engine, Format};
use brolga_testing::random::{Random, seeds};

use crate::drawing::canvas::{Canvas, Item};
use crate::drawing::shaders;
use pixels::{Drawn, Figures, Model};
use state::{DrawState, Pipelines, Samples, State};

const STATES: u64 = if cfg!(debug_assertions) { 500 } else { 30_000 };

/// States that share pipelines.
const SHARING: u64 = 10;

const COLORS: [Format; 3] = [Format::R32G32B32A32_FLOAT; 3];

/// Draws on one engine, with pipelines that some states share.
struct Drawing<'d> {
    device: &'d Device,
    engine: Engine,
    vertex: Vec<u8>,
    /// The number of those pipelines, and the pipelines.
    pipelines: (u64, Vec<Pipeline>),
}

impl<'d> Drawing<'d> {
    fn new(device: &'d Device, engine: Engine) -> Self {
        Self { device, engine, vertex: shaders::vertex(), pipelines: (u64::MAX, Vec::new()) }
    }

    fn canvas(&self, state: &State) -> Canvas<'d> {
        let Samples { count, center_pattern } = state.samples;
        let mut canvas = Canvas::of_samples(self.device, self.engine, state.size, count, &COLORS);
        if let Some(format) = state.depth_format {
            canvas = canvas.with_depth(format, state.size, state.cleared);
            let value = ClearValue::DepthStencil { depth: None, stencil: Some(state.cleared_stencil) };
            canvas.depth_buffer().clear(value).unwrap();
        }
        if center_pattern { canvas.centered() } else { canvas }
    }

    fn draw(&mut self, number: u64, state: &State) -> Drawn {
        let canvas = self.canvas(state);
        if self.pipelines.0 != number {
            let pipeline = |draw: &DrawState| {
                let set = |desc: &mut PipelineDesc| {
                    (desc.rasterizer, desc.depth) = (draw.pipeline.rasterizer, draw.pipeline.test);
                    desc.stencil = draw.pipeline.stencil;
                    let Samples { count, center_pattern } = state.samples;
                    (desc.samples, desc.center_pattern) = (count, center_pattern);
                };
                canvas.pipeline(&Item::new(&self.vertex, &draw.pipeline.pixel(), &[]).set(&set))
            };
            self.pipelines = (number, state.draws.iter().map(pipeline).collect());
        }
        type With<'s> = Box<dyn Fn(&Device, &mut Draw<'_>) + 's>;
        let with: Vec<With<'_>> = state
            .draws
            .iter()
            .map(|draw| -> With<'_> {
                Box::new(|_, call| {
                    (call.viewport, call.scissor) = (Some(draw.viewport), draw.scissor);
                    (call.stencil_reference, call.sample_mask) = (draw.reference, draw.sample_mask);
                })
            })
            .collect();
        let items = state.draws.iter().zip(&with);
        let items: Vec<Item<'_>> =
            items.map(|(draw, with)| Item::new(&self.vertex, &[], &draw.vertices).with(with)).collect();
        let passed = canvas.pass_with(&items, &self.pipelines.1);
        Drawn {
            colors: [0, 1, 2].map(|target| canvas.texels(target)),
            depths: state.depth_format.map(|_| canvas.depths()),
            stencils: state.depth_format.map_or(Vec::new(), |_| canvas.stencils()),
            passed,
        }
    }
}

#[test]
fn random_draws_are_what_the_model_says() {
    let device = Device::builder().threads(1).build().unwrap();
    let [mut compiled, mut interpreted] =
        [Engine::Jit, Engine::Interpreter].map(|engine| Drawing::new(&device, engine));
    let mut figures = Figures::default();
    let seeds = seeds(0..STATES);
    for seed in seeds.clone() {
        let number = seed / SHARING;
        let state = State::new(&Pipelines::new(&mut Random(number << 32)), &mut Random(seed));
        let drawn = compiled.draw(number, &state);
        if let Err(why) = Model::new(&state).compare(&drawn, &mut figures) {
            panic!("seed {seed}: {why}\n{state:#?}");
        }
        if number.is_multiple_of(8) {
            let other = interpreted.draw(number, &state);
            let is_same = other == drawn;
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
