//! Interpolates the inputs of pixels: evaluates a primitive's planes and attributes at pixel centers, centroids and
//! samples (functional specification, 15.16.2 and 16.4).
//!
//! An attribute is `a0 + i * (a1 - a0) + j * (a2 - a0)`, with the barycentric weights `i` and `j` of the second and
//! third vertex. For perspective, the planes of both are over w, and one division per pixel recovers the weights.

use crate::builder::Builder;
use crate::entity::Value;
use crate::function::Input;
use crate::ops::Op;
use crate::stage::{Interpolation, Parameter, Signature, SystemValue};
use crate::types::Type;

use super::multisample::{self, CoveredSamples, PixelInQuad, Sample};
use super::record::{
    BatchAttribute, BatchPrimitive, BatchQuad, BatchState, PixelArray, SAMPLE_MASK, floats, word, words,
};
use super::rows::RowWords;
use super::state::{LinkedFrom, PixelState};

/// A pixel, and its values before its shader runs.
pub(super) struct ShadedPixel {
    /// Its texel in targets: column and row, and the layer if they have layers.
    pub texel: Vec<Value>,
    /// Its depth, at the center; that to which a shader's own depth is clamped, at the centroid, or at the sample if it
    /// runs for each (functional specification, 16.9.3).
    pub z: Value,
    /// Its w.
    pub w: Value,
    /// An extra word of the vertices, interpolated, if it was asked for.
    pub more: Option<Value>,
    /// The inputs of its shader. Unused ones are left to the passes.
    pub inputs: RowWords,
    /// The sample that it is shaded for, if it is for one of several.
    pub sample: Option<Value>,
    in_quad: PixelInQuad,
}

impl ShadedPixel {
    /// The pixel of an invocation: four consecutive ones are a quad. `more` is a word of the vertices that is needed
    /// beside the inputs.
    pub fn new(b: &mut Builder<'_>, signature: &Signature, pixel_state: &PixelState, more: Option<u32>) -> Self {
        let wanted = Wanted::all(signature, pixel_state, more);
        let number = b.input(Input::ThreadId(0));
        let [zero, one, two, three] = [0, 1, 2, 3].map(|n| b.i32(n));
        let quad = b.op(Op::UShr, &[number, two]);
        let number_in_quad = b.op(Op::And, &[number, three]);
        let across = b.op(Op::And, &[number_in_quad, one]);
        let down = b.op(Op::UShr, &[number_in_quad, one]);
        let mut corner: [Value; 2] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.corner));
        let &PixelState { pattern, is_per_sample, is_conservative, .. } = pixel_state;
        let in_quad = PixelInQuad { quad, number: number_in_quad, is_per_sample, pattern, is_conservative };
        if pattern.count() > 1 {
            let lower = b.i32(0xffff);
            corner = corner.map(|coordinate| b.op(Op::And, &[coordinate, lower]));
        }
        let [left, top] = corner;
        let position = [b.op(Op::IAdd, &[left, across]), b.op(Op::IAdd, &[top, down])];
        let sample = is_per_sample.then(|| multisample::of_quad(b, quad));
        let at = Locations::new(b, &wanted, in_quad, sample, pixel_state, signature);

        // Where all quads are of one primitive, its data is read once for the whole packet.
        let [number] = words(b, PixelArray::State.id(), zero, word!(BatchState.primitive));
        let is_one = b.op(Op::INe, &[number, zero]);
        let types: Vec<Type> = [Type::F32; 2].into_iter().chain(wanted.iter().map(Wanted::type_of)).collect();
        let (merged, one_primitive, several) = b.if_else(is_one, &types);
        let outer = b.switch_to(one_primitive);
        let number = b.op(Op::ISub, &[number, one]);
        yield_inputs(b, &wanted, number, position, &at);
        b.switch_to(several);
        let primitive = in_quad.primitive(b);
        yield_inputs(b, &wanted, primitive, position, &at);
        b.switch_to(outer);

        let values = b.func.inst(merged).results.clone();
        let mut inputs = vec![[None; 4]; signature.input_rows() as usize];
        for (wanted, &value) in wanted.iter().zip(&values[2..]) {
            let Some((row, component)) = wanted.register else { continue };
            let word = if wanted.type_of() == Type::F32 { b.op(Op::BitsF32, &[value]) } else { value };
            inputs[row as usize][component] = Some(word);
        }
        let mut texel = position.to_vec();
        if pixel_state.has_layers || pixel_state.target_samples > 1 {
            texel.extend(words::<1>(b, PixelArray::State.id(), zero, word!(BatchState.layer)));
        }
        let more = more.and_then(|_| values.last().copied());
        Self { texel, z: values[0], w: values[1], more, inputs, sample, in_quad }
    }

    /// Its samples that passed all tests so far.
    pub fn samples(&self, b: &mut Builder<'_>) -> CoveredSamples {
        self.in_quad.samples_left(b)
    }

    /// The depth of the primitive at one of its samples.
    pub fn depth_at(&self, b: &mut Builder<'_>, sample: Sample) -> Value {
        let primitive = self.in_quad.primitive(b);
        let offset = multisample::position(b, self.in_quad.pattern, sample);
        let way = way(b, primitive, [self.texel[0], self.texel[1]]);
        let way = [0, 1].map(|axis| b.op(Op::FAdd, &[way[axis], offset[axis]]));
        plane(b, primitive, 0, way)
    }

    /// `true` if the primitive covers its center. Computed where it is asked for: it is not needed before the shader's
    /// end, and would occupy registers until then.
    pub fn is_covered(&self, b: &mut Builder<'_>) -> Value {
        self.in_quad.is_covered(b)
    }

    /// 1 if its primitive is front-facing, else 0; likewise.
    pub fn is_front(&self, b: &mut Builder<'_>) -> Value {
        let primitive = self.in_quad.primitive(b);
        let [is_front] = words(b, PixelArray::Primitives.id(), primitive, word!(BatchPrimitive.is_front));
        is_front
    }
}

/// A component of an input that a shader reads, or the fog.
struct Wanted {
    /// The register of the input, and the component.
    register: Option<(u32, usize)>,
    system_value: Option<SystemValue>,
    interpolation: Interpolation,
    from: LinkedFrom,
}

impl Wanted {
    fn all(signature: &Signature, state: &PixelState, more: Option<u32>) -> Vec<Self> {
        let of_input = |(n, input): (usize, &Parameter)| {
            let Parameter { row, system_value, interpolation, .. } = *input;
            let link = state.links.get(n).copied();
            let of_component = move |component| {
                let is_flat = link.is_some_and(|link| link.is_flat);
                Self {
                    register: Some((row, component)),
                    system_value,
                    interpolation: if is_flat { Interpolation::Constant } else { interpolation },
                    from: match link {
                        Some(link) => link.components[component],
                        None => LinkedFrom::Vertex(4 * row + component as u32),
                    },
                }
            };
            input.components().map(of_component)
        };
        let of_vertices = |word| Self {
            register: None,
            system_value: None,
            interpolation: Interpolation::Linear,
            from: LinkedFrom::Vertex(word),
        };
        // Inputs once more, at the center.
        let at_center = |&(row, number): &(u32, usize)| {
            let input = signature.inputs.get(number)?;
            let its = move |wanted: Self| Self {
                register: wanted.register.map(|(_, component)| (row, component)),
                interpolation: wanted.interpolation.at_center(),
                ..wanted
            };
            Some(of_input((number, input)).map(its))
        };
        let again = signature.at_center.iter().filter_map(at_center).flatten();
        signature.inputs.iter().enumerate().flat_map(of_input).chain(again).chain(more.map(of_vertices)).collect()
    }

    /// The point of the pixel at which it is evaluated.
    fn location(&self) -> Location {
        match self.interpolation {
            Interpolation::LinearCentroid | Interpolation::NoPerspectiveCentroid => Location::Centroid,
            Interpolation::LinearSample | Interpolation::NoPerspectiveSample => Location::Sample,
            _ => Location::Center,
        }
    }

    /// Its component of the register.
    fn component(&self) -> usize {
        self.register.map_or(0, |(_, component)| component)
    }

    /// The type before it becomes a word of a register: a float if it is interpolated.
    fn type_of(&self) -> Type {
        match self.system_value {
            Some(SystemValue::Position | SystemValue::CentroidOffset) => Type::F32,
            Some(
                SystemValue::IsFrontFace
                | SystemValue::PrimitiveId
                | SystemValue::Coverage
                | SystemValue::Active
                | SystemValue::SampleIndex
                | SystemValue::SampleCount
                | SystemValue::SamplePositions
                | SystemValue::InnerCoverage,
            ) => Type::I32,
            _ if self.interpolation == Interpolation::Constant => Type::I32,
            _ => Type::F32,
        }
    }
}

/// Ends a region with the depth and the w of a pixel of a primitive, and the inputs of its shader.
fn yield_inputs(b: &mut Builder<'_>, wanted: &[Wanted], primitive: Value, position: [Value; 2], at: &Locations) {
    let mut interpolator = Interpolator::new(b, primitive, position, at);
    let z = interpolator.at(b, at.depth).z;
    let mut values = vec![z, interpolator.at(b, Location::Center).w];
    for wanted in wanted {
        values.push(interpolator.value(b, wanted));
    }
    b.yield_(&values);
}

/// A point of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Location {
    Center,
    Centroid,
    Sample,
}

/// The points of a pixel at which inputs are evaluated.
struct Locations {
    in_quad: PixelInQuad,
    sample: Option<Value>,
    /// The sample mask, if it counts for coverage and that is asked for.
    sample_mask: Option<Value>,
    /// The point of the [depth](ShadedPixel::z).
    depth: Location,
    /// The offsets of centroid and sample from the center, if they may be others.
    centroid: Option<[Value; 2]>,
    at_sample: Option<[Value; 2]>,
}

impl Locations {
    fn new(
        b: &mut Builder<'_>,
        wanted: &[Wanted],
        in_quad: PixelInQuad,
        sample: Option<Value>,
        state: &PixelState,
        signature: &Signature,
    ) -> Self {
        use SystemValue::{CentroidOffset, DepthGreaterEqual, DepthLessEqual};
        let pattern = in_quad.pattern;
        let depth = match pattern.count() > 1 && signature.writes(&[DepthGreaterEqual, DepthLessEqual]) {
            true if sample.is_some() => Location::Sample,
            true => Location::Centroid,
            false => Location::Center,
        };
        let is_centroid =
            |wanted: &Wanted| wanted.location() == Location::Centroid || wanted.system_value == Some(CentroidOffset);
        let needs_centroid = depth == Location::Centroid || wanted.iter().any(is_centroid);
        let needs_sample =
            depth == Location::Sample || wanted.iter().any(|wanted| wanted.location() == Location::Sample);
        // Where all samples are covered it is the center, in conservative rasterization in helpers too.
        let may_move = pattern.count() > 1 && !pattern.is_centered() && !in_quad.is_conservative;
        let centroid = (may_move && needs_centroid).then(|| {
            let mask = sample_mask(b, state);
            in_quad.samples(b).centroid(b, mask)
        });
        let is_coverage = |wanted: &Wanted| wanted.system_value == Some(SystemValue::Coverage);
        let is_masked = pattern.count() > 1 && pattern.count() == state.target_samples.max(1);
        let sample_mask = (is_masked && wanted.iter().any(is_coverage)).then(|| target_mask(b));
        let at_sample = sample.filter(|_| needs_sample && !pattern.is_centered());
        let at_sample = at_sample.map(|sample| multisample::position(b, pattern, Sample::Computed(sample)));
        Self { in_quad, sample, sample_mask, depth, centroid, at_sample }
    }

    /// The offset of a point from the center, if there is any.
    fn offset(&self, location: Location) -> Option<[Value; 2]> {
        match location {
            Location::Center => None,
            Location::Centroid => self.centroid,
            Location::Sample => self.at_sample,
        }
    }
}

/// The sample mask that counts for coverage: all samples where the rasterizer's number of samples is forced.
fn sample_mask(b: &mut Builder<'_>, state: &PixelState) -> Value {
    if state.pattern.count() == state.target_samples.max(1) { target_mask(b) } else { b.i32(u32::MAX) }
}

/// The sample mask of the draw.
pub(super) fn target_mask(b: &mut Builder<'_>) -> Value {
    let (first, bits) = (b.i32(0), b.i32(SAMPLE_MASK));
    let [word] = words(b, PixelArray::State.id(), first, word!(BatchState.read_only));
    b.op(Op::UShr, &[word, bits])
}

/// The way from the origin of a primitive's planes to the center of a pixel.
fn way(b: &mut Builder<'_>, primitive: Value, position: [Value; 2]) -> [Value; 2] {
    let origin: [Value; 2] = words(b, PixelArray::Primitives.id(), primitive, word!(BatchPrimitive.origin));
    [0, 1].map(|axis| {
        let way = b.op(Op::ISub, &[position[axis], origin[axis]]);
        b.op(Op::SToF, &[way])
    })
}

/// One of a primitive's planes, that far from its origin.
fn plane(b: &mut Builder<'_>, primitive: Value, n: u32, way: [Value; 2]) -> Value {
    // Word by word, where they are needed: all at once they would not fit into registers.
    let [value, along_x, along_y] =
        [word!(BatchPrimitive.values), word!(BatchPrimitive.along_x), word!(BatchPrimitive.along_y)]
            .map(|first| floats::<1>(b, PixelArray::Primitives.id(), primitive, first + n)[0]);
    let x = b.op(Op::FMul, &[along_x, way[0]]);
    let y = b.op(Op::FMul, &[along_y, way[1]]);
    let sum = b.op(Op::FAdd, &[value, x]);
    b.op(Op::FAdd, &[sum, y])
}

/// Evaluates the planes and attributes of a primitive in a pixel.
struct Interpolator<'a> {
    primitive: Value,
    position: [Value; 2],
    locations: &'a Locations,
    /// The way from the planes' origin to the center.
    way: [Value; 2],
    /// What is known of each point, made on first use.
    points: [Option<Point>; 3],
}

/// The planes of a primitive at a point.
#[derive(Clone, Copy)]
struct Point {
    z: Value,
    w: Value,
    /// The barycentric weights of the second and third vertex, over their w.
    over_w: [Value; 2],
    /// Perspective-correct weights.
    perspective: [Value; 2],
    /// Weights that are linear in screen space, made on first use.
    on_screen: Option<[Value; 2]>,
}

impl<'a> Interpolator<'a> {
    fn new(b: &mut Builder<'_>, primitive: Value, position: [Value; 2], locations: &'a Locations) -> Self {
        let way = way(b, primitive, position);
        let mut new = Self { primitive, position, locations, way, points: [None; 3] };
        new.at(b, Location::Center);
        new
    }

    /// The planes at a point.
    fn at(&mut self, b: &mut Builder<'_>, location: Location) -> Point {
        let offset = self.locations.offset(location);
        // Without an offset it is the center.
        let slot = if offset.is_some() { location as usize } else { Location::Center as usize };
        if let Some(point) = self.points[slot] {
            return point;
        }
        let way = match offset {
            None => self.way,
            Some(offset) => [0, 1].map(|axis| b.op(Op::FAdd, &[self.way[axis], offset[axis]])),
        };
        let [z, rcp_w, i, j] = [0, 1, 2, 3].map(|n| plane(b, self.primitive, n, way));
        let one = b.f32(1.0);
        let w = b.op(Op::FDiv, &[one, rcp_w]);
        let perspective = [i, j].map(|weight| b.op(Op::FMul, &[weight, w]));
        *self.points[slot].insert(Point { z, w, over_w: [i, j], perspective, on_screen: None })
    }

    /// A component of an input.
    fn value(&mut self, b: &mut Builder<'_>, wanted: &Wanted) -> Value {
        match wanted.system_value {
            Some(SystemValue::Position) => match wanted.component() {
                component @ (0 | 1) => {
                    let (corner, half) = (b.op(Op::SToF, &[self.position[component]]), b.f32(0.5));
                    let center = b.op(Op::FAdd, &[corner, half]);
                    match self.locations.offset(wanted.location()) {
                        Some(offset) => b.op(Op::FAdd, &[center, offset[component]]),
                        None => center,
                    }
                }
                2 => self.at(b, wanted.location()).z,
                _ => self.at(b, wanted.location()).w,
            },
            Some(SystemValue::IsFrontFace) => {
                let [is_front] = words(b, PixelArray::Primitives.id(), self.primitive, word!(BatchPrimitive.is_front));
                let zero = b.i32(0);
                b.op(Op::ISub, &[zero, is_front])
            }
            Some(SystemValue::PrimitiveId) => {
                let [id] = words(b, PixelArray::Primitives.id(), self.primitive, word!(BatchPrimitive.id));
                id
            }
            Some(SystemValue::Coverage) => {
                let in_quad = self.locations.in_quad;
                if in_quad.pattern.count() > 1 {
                    let covered = in_quad.samples(b).mask(b);
                    return match self.locations.sample_mask {
                        Some(mask) => b.op(Op::And, &[covered, mask]),
                        None => covered,
                    };
                }
                let (one, zero) = (b.i32(1), b.i32(0));
                let is_covered = in_quad.is_covered(b);
                b.select(is_covered, one, zero)
            }
            Some(SystemValue::Active) => {
                let Locations { in_quad, sample, .. } = *self.locations;
                let is_active = match sample {
                    _ if in_quad.pattern.count() == 1 => in_quad.is_covered(b),
                    None => in_quad.samples_left(b).any(b),
                    Some(sample) => in_quad.samples_left(b).has(b, Sample::Computed(sample)),
                };
                let (one, zero) = (b.i32(1), b.i32(0));
                b.select(is_active, one, zero)
            }
            Some(SystemValue::SampleIndex) => self.locations.sample.unwrap_or_else(|| b.i32(0)),
            Some(SystemValue::InnerCoverage) if self.locations.in_quad.is_conservative => {
                multisample::is_inside(b, self.locations.in_quad)
            }
            Some(SystemValue::InnerCoverage) => b.i32(0),
            Some(SystemValue::SampleCount) => b.i32(self.locations.in_quad.pattern.count()),
            Some(SystemValue::SamplePositions) => {
                let pattern = self.locations.in_quad.pattern;
                let words = [pattern.packed(0), pattern.packed(1)];
                b.i32(words.as_flattened()[wanted.component()])
            }
            Some(SystemValue::CentroidOffset) => match self.locations.centroid {
                Some(offset) => offset[wanted.component() & 1],
                None => b.f32(0.0),
            },
            _ => self.attribute(b, wanted),
        }
    }

    /// The attribute of an input: a word of the leading vertex, or a float interpolated between all three.
    fn attribute(&mut self, b: &mut Builder<'_>, wanted: &Wanted) -> Value {
        let known = |b: &mut Builder<'_>, number| match wanted.type_of() {
            Type::F32 => number,
            _ => b.op(Op::BitsF32, &[number]),
        };
        let word = match wanted.from {
            LinkedFrom::Vertex(word) => word,
            // A sprite's second vertex is to the right of the first, the third is below it.
            LinkedFrom::Sprite { axis } => {
                let weights = self.at(b, wanted.location()).perspective;
                return known(b, weights[usize::from(axis & 1)]);
            }
            LinkedFrom::Zero => {
                let zero = b.f32(0.0);
                return known(b, zero);
            }
            LinkedFrom::One => {
                let one = b.f32(1.0);
                return known(b, one);
            }
        };
        let attribute = BatchPrimitive::WORDS + BatchAttribute::WORDS * (word as usize / 4);
        let first = attribute as u32 + word % 4;
        let [i, j] = match wanted.interpolation {
            Interpolation::Constant => return words::<1>(b, PixelArray::Primitives.id(), self.primitive, first)[0],
            Interpolation::Linear | Interpolation::LinearCentroid | Interpolation::LinearSample => {
                self.at(b, wanted.location()).perspective
            }
            Interpolation::NoPerspective
            | Interpolation::NoPerspectiveCentroid
            | Interpolation::NoPerspectiveSample => self.on_screen(b, wanted.location()),
        };
        let [leading, second, third] =
            [word!(BatchAttribute.leading), word!(BatchAttribute.second), word!(BatchAttribute.third)]
                .map(|word| floats::<1>(b, PixelArray::Primitives.id(), self.primitive, first + word)[0]);
        let second = b.op(Op::FMul, &[i, second]);
        let third = b.op(Op::FMul, &[j, third]);
        let sum = b.op(Op::FAdd, &[leading, second]);
        b.op(Op::FAdd, &[sum, third])
    }

    /// Weights that are linear in screen space: those of the planes, times the vertices' w.
    fn on_screen(&mut self, b: &mut Builder<'_>, location: Location) -> [Value; 2] {
        let point = self.at(b, location);
        if let Some(known) = point.on_screen {
            return known;
        }
        let w: [Value; 2] = floats(b, PixelArray::Primitives.id(), self.primitive, word!(BatchPrimitive.w));
        let weights = [0, 1].map(|n| b.op(Op::FMul, &[point.over_w[n], w[n]]));
        let slot = if self.locations.offset(location).is_some() { location as usize } else { 0 };
        self.points[slot] = Some(Point { on_screen: Some(weights), ..point });
        weights
    }
}
