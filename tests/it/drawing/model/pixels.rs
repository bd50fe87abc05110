//! Models the content of the targets after some draws: functional specification, 3.5.4, 3.5.5, 16.9, 16.12, 16.13, 17.9 to
//! 17.12, 17.17 and 20.4.6.
//!
//! A depth is known up to its bound, so the model has the least and the greatest code that it may have. Where these do
//! not decide a comparison, or the bound does not decide coverage or a discard, the sample is *open* from then on: it is
//! counted, and not compared.

use brolga::raster::StencilOp;
use brolga::{Comparison, Format};

use super::geometry::{Covered, Near, Shape};
use super::state::{Depth, DrawState, Location, Mode, State};
use crate::drawing::canvas::Vertex;

/// Codes that a depth may have, the least and the greatest.
type Codes = [u32; 2];

/// A sample of a pixel of the targets.
#[derive(Clone, Debug)]
struct Sample {
    is_open: bool,
    codes: Codes,
    stencil: u8,
    /// The draw whose colours it has, the triangle there, and where that was shaded.
    shown: Option<([usize; 2], Places)>,
}

/// The points of a pixel at which a shader is run for a sample.
#[derive(Clone, Copy, Debug)]
struct Places {
    center: [f64; 2],
    centroid: [f64; 2],
    sample: [f64; 2],
}

impl Places {
    fn at(self, location: Location) -> [f64; 2] {
        match location {
            Location::Center => self.center,
            Location::Centroid => self.centroid,
            Location::Sample => self.sample,
        }
    }
}

/// The results of all draws.
#[derive(PartialEq)]
pub struct Drawn {
    pub colors: [Vec<[u32; 4]>; 3],
    pub depths: Option<Vec<u32>>,
    /// Empty if there are none.
    pub stencils: Vec<u8>,
    /// Samples that passed in each draw.
    pub passed: Vec<u64>,
}

/// The results of a comparison.
#[derive(Clone, Copy, Default, Debug)]
pub struct Figures {
    /// Samples that were compared, those of them in which a triangle is visible, those in which a clipped one is, and
    /// those that are open.
    pub compared: u64,
    pub shown: u64,
    pub cut: u64,
    pub open: u64,
    /// Covered samples that passed all tests, and that did not.
    pub passed: u64,
    pub failed: u64,
    /// Numbers that were compared, and those for which there was no bound.
    pub numbers: u64,
    pub unbounded: u64,
    /// The greatest errors, as parts of their bounds: of depths, w, perspective attributes, noperspective ones; of
    /// triangles that are not clipped, and of others.
    pub worst: [[f64; 4]; 2],
}

/// The model's targets.
pub struct Model<'s> {
    state: &'s State,
    shapes: Vec<Vec<Option<Shape>>>,
    /// Those of all pixels, one picture after the other.
    samples: Vec<Sample>,
    positions: Vec<[f64; 2]>,
    /// Samples that passed in each draw: at least this many, and perhaps this many more.
    passed: Vec<[u64; 2]>,
    /// Covered samples that did not pass.
    failed: u64,
}

impl<'s> Model<'s> {
    /// Performs the draws.
    pub fn new(state: &'s State) -> Self {
        let blank = Sample { is_open: false, codes: [state.cleared; 2], stencil: state.cleared_stencil, shown: None };
        let positions = state.samples.positions();
        let samples = vec![blank; pixels(state) * positions.len()];
        let mut model = Self { state, shapes: Vec::new(), samples, positions, passed: Vec::new(), failed: 0 };
        for (n, draw) in state.draws.iter().enumerate() {
            model.passed.push([0; 2]);
            let shape = |corners| {
                let biased = |shape: Shape| shape.biased(&draw.pipeline.rasterizer, state.depth_format);
                Shape::new(draw, corners).map(biased)
            };
            let shapes: Vec<_> = draw.vertices.chunks(3).map(shape).collect();
            for (triangle, shape) in shapes.iter().enumerate() {
                if let Some(shape) = shape {
                    model.draw([n, triangle], shape);
                }
            }
            model.shapes.push(shapes);
        }
        model
    }

    fn draw(&mut self, [n, triangle]: [usize; 2], shape: &Shape) {
        let draw = &self.state.draws[n];
        let within = |axis| scissor(self.state, draw, axis);
        for y in shape.bounds(1, within(1)) {
            for x in shape.bounds(0, within(0)) {
                self.pixel([n, triangle], shape, [x, y]);
            }
        }
    }

    /// Draws the samples of a pixel.
    fn pixel(&mut self, [n, triangle]: [usize; 2], shape: &Shape, [x, y]: [i32; 2]) {
        let draw = &self.state.draws[n];
        let center = [x, y].map(|place| f64::from(place) + 0.5);
        let places = self.positions.iter().map(|offset| [0, 1].map(|axis| center[axis] + offset[axis]));
        let places: Vec<_> = places.collect();
        let covered: Vec<Covered> = places.iter().map(|&place| shape.covers(place)).collect();
        let drawn = |sample: &usize| draw.sample_mask >> sample & 1 == 1 && covered[*sample] != Covered::No;
        // The centroid is the first sample that is covered and in the mask, unless all are covered.
        let centroid = if covered.iter().all(|&one| one == Covered::Yes) {
            Some(center)
        } else {
            (0..covered.len()).find(drawn).map(|sample| places[sample])
        };
        let Some(centroid) = centroid else { return };
        let has_several = places.len() > 1 && !self.state.samples.center_pattern;
        let is_open = covered.contains(&Covered::Perhaps) || (has_several && shape.may_divide(center));
        for (sample, &place) in places.iter().enumerate().filter(|(sample, _)| drawn(sample)) {
            let at = self.samples.len() / places.len() * sample + y as usize * self.state.size[0] as usize + x as usize;
            let of_pixel = Places { center, centroid, sample: place };
            let before = &mut self.samples[at];
            let stays = match is_open || before.is_open {
                true => None,
                false => tested(self.state, draw, shape, triangle, of_pixel, before),
            };
            match stays {
                None => {
                    before.is_open = true;
                    self.passed[n][1] += 1;
                }
                Some(Tested { passes, codes, stencil }) => {
                    (before.codes, before.stencil) = (codes, stencil);
                    if passes {
                        self.passed[n][0] += 1;
                        before.shown = Some(([n, triangle], of_pixel));
                    } else {
                        self.failed += 1;
                    }
                }
            }
        }
    }

    /// Compares the model with the results.
    pub fn compare(&self, drawn: &Drawn, figures: &mut Figures) -> Result<(), String> {
        for (n, (&passed, &[least, more])) in drawn.passed.iter().zip(&self.passed).enumerate() {
            if !(least..=least + more).contains(&passed) {
                return Err(format!("{passed} samples passed in draw {n}, not {least} to {}", least + more));
            }
        }
        figures.failed += self.failed;
        figures.passed += self.passed.iter().map(|[least, _]| least).sum::<u64>();
        for (place, sample) in self.samples.iter().enumerate() {
            if sample.is_open {
                figures.open += 1;
                continue;
            }
            figures.compared += 1;
            let width = self.state.size[0] as usize;
            let (number, in_picture) = (place / pixels(self.state), place % pixels(self.state));
            let at = format!("sample {number} at {:?}", [in_picture % width, in_picture / width]);
            if let Some(&depth) = drawn.depths.as_ref().map(|depths| &depths[place])
                && !(sample.codes[0]..=sample.codes[1]).contains(&depth)
            {
                return Err(format!("depth {depth:#x} of {at} is not {:x?}", sample.codes));
            }
            if let Some(&stencil) = drawn.stencils.get(place)
                && stencil != sample.stencil
            {
                return Err(format!("stencil {stencil:#x} of {at} is not {:#x}", sample.stencil));
            }
            let texels = [0, 1, 2].map(|target| drawn.colors[target][place]);
            self.colors(sample, texels, figures).map_err(|why| format!("{why}: {at}, of {:?}", sample.shown))?;
        }
        Ok(())
    }

    fn colors(
        &self,
        sample: &Sample,
        [first, second, third]: [[u32; 4]; 3],
        figures: &mut Figures,
    ) -> Result<(), String> {
        let Some(([n, triangle], places)) = sample.shown else {
            let is_blank = [first, second, third] == [[0; 4]; 3];
            return if is_blank { Ok(()) } else { Err("something is drawn where nothing is".to_owned()) };
        };
        figures.shown += 1;
        let draw = &self.state.draws[n];
        let Some(shape) = &self.shapes[n][triangle] else { unreachable!("it was drawn") };
        figures.cut += u64::from(shape.is_cut());
        let corners = &draw.vertices[3 * triangle..][..3];
        for (register, texel) in [(1, first), (2, second)] {
            for component in 0..4 {
                let bits = [0, 1, 2].map(|n| corners[n][register][component]);
                let mode = draw.pipeline.modes[register - 1];
                attribute(shape, mode, bits, places.at(mode.location()), texel[component], figures)
                    .map_err(|why| format!("v{register}.{}: {why}", ["x", "y", "z", "w"][component]))?;
            }
        }
        let [z, w, place, face] = third.map(f32::from_bits);
        check(shape, shape.z(places.centroid), z, 0, figures).map_err(|why| format!("z: {why}"))?;
        match shape.w(places.centroid) {
            Some(near) => check(shape, near, w, 1, figures).map_err(|why| format!("w: {why}"))?,
            None => figures.unbounded += 1,
        }
        let [x, y] = places.centroid.map(|place| place as f32);
        let expected = [x * 128.0 + y, (2 * triangle + usize::from(shape.is_front())) as f32];
        if [place, face] != expected {
            return Err(format!("place and face are {place} and {face}, not {expected:?}"));
        }
        Ok(())
    }
}

/// The number of pixels.
fn pixels(state: &State) -> usize {
    state.size[0] as usize * state.size[1] as usize
}

/// The pixels of an axis that a draw may change.
fn scissor(state: &State, draw: &DrawState, axis: usize) -> [i32; 2] {
    let viewport = &draw.viewport;
    let [first, size] = [[viewport.left, viewport.width], [viewport.top, viewport.height]][axis];
    let (mut least, mut end) = (first.floor() as i32, (first + size).floor() as i32);
    if let Some(scissor) = draw.scissor {
        let [first, after] = [[scissor.left, scissor.right], [scissor.top, scissor.bottom]][axis];
        (least, end) = (least.max(first), end.min(after));
    }
    [least.max(0), end.min(state.size[axis] as i32)]
}

/// The fate of a covered sample.
struct Tested {
    /// Set if it is drawn.
    passes: bool,
    /// The depth buffer's codes after it.
    codes: Codes,
    stencil: u8,
}

/// Tests a covered sample; none if the bounds do not decide its fate.
fn tested(
    state: &State,
    draw: &DrawState,
    shape: &Shape,
    triangle: usize,
    places: Places,
    before: &Sample,
) -> Option<Tested> {
    let kept = Tested { passes: false, codes: before.codes, stencil: before.stencil };
    let corners = &draw.vertices[3 * triangle..][..3];
    let given = |component: usize| near(shape, draw.pipeline.modes[2], corners, component, places);
    let is_kept = match draw.pipeline.discards {
        false => true,
        true => {
            let Near { value, error } = given(1)?;
            if (value - 0.5).abs() <= error && error > 0.0 {
                return None;
            }
            value >= 0.5
        }
    };
    let Some(format) = state.depth_format else { return Some(Tested { passes: is_kept, ..kept }) };
    // A discarded pixel changes nothing.
    if !is_kept {
        return Some(kept);
    }
    let has_stencil = matches!(format, Format::D24_UNORM_S8_UINT | Format::D32_FLOAT_S8X24_UINT);
    let face = draw.pipeline.stencil.filter(|_| has_stencil).map(|test| {
        let face = if shape.is_front() { test.front } else { test.back };
        let [reference, old] = [draw.reference, before.stencil].map(|stencil| stencil & test.read_mask);
        (test.write_mask, face, face.test.holds(reference, old))
    });
    let stencil_after = |depth_passes: bool| {
        face.map_or(before.stencil, |(mask, face, passes)| {
            let op = match (passes, depth_passes) {
                (false, _) => face.fail,
                (true, false) => face.depth_fail,
                (true, true) => face.pass,
            };
            before.stencil & !mask | updated(op, before.stencil, draw.reference) & mask
        })
    };
    if face.is_some_and(|(.., passes)| !passes) {
        return Some(Tested { stencil: stencil_after(false), ..kept });
    }
    if !draw.pipeline.test.enable {
        return Some(Tested { passes: true, stencil: stencil_after(true), ..kept });
    }
    let [own, seen] = [places.sample, places.centroid].map(|place| shape.z(place));
    // What a shader outputs is clamped by the depth of the centroid, or of the sample that it runs for (16.9.3).
    let bound = if draw.pipeline.is_per_sample() { own } else { seen };
    let of_all = |pick: fn(f64, f64) -> f64| {
        let given = given(0)?;
        let value = pick(pick(seen.value, given.value), bound.value);
        Some(Near { value, error: seen.error.max(given.error).max(bound.error) })
    };
    let depth = match draw.pipeline.depth {
        Depth::Own => own,
        Depth::Same => seen,
        Depth::Given => given(0)?,
        Depth::GreaterEqual => of_all(f64::max)?,
        Depth::LessEqual => of_all(f64::min)?,
    };
    let codes = codes(format, draw, depth);
    let passes = holds(draw.pipeline.test.function, codes, before.codes)?;
    let codes = if passes && draw.pipeline.test.write { codes } else { before.codes };
    Some(Tested { passes, codes, stencil: stencil_after(passes) })
}

/// The result of an operation on a stencil (functional specification, 17.12).
fn updated(op: StencilOp, old: u8, reference: u8) -> u8 {
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturated => old.saturating_add(1),
        StencilOp::DecrementSaturated => old.saturating_sub(1),
        StencilOp::Invert => !old,
        StencilOp::Increment => old.wrapping_add(1),
        StencilOp::Decrement => old.wrapping_sub(1),
    }
}

/// A component of the third attribute.
fn near(shape: &Shape, mode: Mode, corners: &[Vertex], component: usize, places: Places) -> Option<Near> {
    let place = places.at(mode.location());
    let values = [0, 1, 2].map(|n| f64::from(f32::from_bits(corners[n][3][component])));
    match mode {
        Mode::Constant => Some(Near { value: values[0], error: 0.0 }),
        Mode::Perspective(_) => shape.perspective(values, place),
        Mode::OnScreen(_) => Some(shape.on_screen(values, place)),
    }
}

/// The codes of a depth: clamped to the viewport's range, and rounded to nearest where there are steps.
fn codes(format: Format, draw: &DrawState, Near { value, error }: Near) -> Codes {
    let [least, most] = [draw.viewport.min_depth, draw.viewport.max_depth].map(f64::from);
    [-1.0, 1.0].map(|sign| {
        let at = |error: f64| (value + sign * error).max(least).min(most);
        match format {
            // The product and the sum may be floats, which have 2^-8 at the last codes.
            Format::D16_UNORM => (at(error) * 65535.0 + 0.5 + sign / 128.0) as u32,
            Format::D24_UNORM_S8_UINT => (at(error) * 16_777_215.0 + 0.5) as u32,
            _ => ((at(error) + 0.0) as f32).to_bits(),
        }
    })
}

/// The result of a comparison, if it is certain.
fn holds(function: Comparison, new: Codes, old: Codes) -> Option<bool> {
    let ends = new.map(|new| old.map(|old| function.holds(new, old)));
    let is_same = ends.as_flattened().iter().all(|&one| one == ends[0][0]);
    let meet = new[0] <= old[1] && old[0] <= new[1];
    let is_single = new[0] == new[1] && old[0] == old[1];
    let needs_single = matches!(function, Comparison::Equal | Comparison::NotEqual);
    (is_same && (!needs_single || !meet || is_single)).then_some(ends[0][0])
}

/// Compares a word of an attribute.
fn attribute(
    shape: &Shape,
    mode: Mode,
    bits: [u32; 3],
    place: [f64; 2],
    found: u32,
    figures: &mut Figures,
) -> Result<(), String> {
    let values = bits.map(|bits| f64::from(f32::from_bits(bits)));
    let (near, kind) = match mode {
        Mode::Constant => {
            figures.numbers += 1;
            let is_same = found == bits[0];
            return if is_same { Ok(()) } else { Err(format!("{found:#x}, not {:#x} as the leading vertex", bits[0])) };
        }
        // Beyond these, sums and products leave the range of floats.
        _ if values
            .iter()
            .any(|value| value.is_nan() || value.abs() > 1e25 || (*value != 0.0 && value.abs() < 1e-25)) =>
        {
            (None, 0)
        }
        Mode::Perspective(_) => (shape.perspective(values, place), 2),
        Mode::OnScreen(_) => (Some(shape.on_screen(values, place)), 3),
    };
    match near {
        Some(near) => check(shape, near, f32::from_bits(found), kind, figures),
        None => {
            figures.unbounded += 1;
            Ok(())
        }
    }
}

fn check(shape: &Shape, near: Near, found: f32, kind: usize, figures: &mut Figures) -> Result<(), String> {
    figures.numbers += 1;
    let error = (f64::from(found) - near.value).abs();
    // An exact value has no part of a bound.
    let part = if error == 0.0 { 0.0 } else { error / near.error };
    let worst = &mut figures.worst[usize::from(shape.is_cut())][kind];
    *worst = worst.max(part);
    if part <= 1.0 { Ok(()) } else { Err(format!("{found:e} is {part} bounds from {:e}", near.value)) }
}
