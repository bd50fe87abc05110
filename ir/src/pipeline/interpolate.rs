//! Interpolates the inputs of pixels: evaluates a primitive's planes and attributes at pixel centers (functional
//! specification, 15.16.2 and 16.4).
//!
//! An attribute is `a0 + i * (a1 - a0) + j * (a2 - a0)`, with the barycentric weights `i` and `j` of the second and
//! third vertex. For perspective, the planes of both are over w, and one division per pixel recovers the weights.

use crate::builder::Builder;
use crate::entity::Value;
use crate::function::Input;
use crate::ops::Op;
use crate::stage::{Interpolation, Parameter, Signature, SystemValue};
use crate::types::Type;

use super::record::{BatchAttribute, BatchPrimitive, BatchQuad, BatchState, PixelArray, floats, word, words};
use super::rows::RowWords;
use super::state::{LinkedFrom, PixelState};

/// A pixel, and its values before its shader runs.
pub(super) struct ShadedPixel {
    /// Its texel in targets: column and row, and the layer if they have layers.
    pub texel: Vec<Value>,
    /// Its depth.
    pub z: Value,
    /// Its w.
    pub w: Value,
    /// An extra word of the vertices, interpolated, if it was asked for.
    pub more: Option<Value>,
    /// The inputs of its shader. Unused ones are left to the passes.
    pub inputs: RowWords,
    in_quad: PixelInQuad,
}

/// A quad, and the number of a pixel in it.
#[derive(Clone, Copy)]
struct PixelInQuad {
    quad: Value,
    /// 0 to 3.
    number: Value,
}

impl PixelInQuad {
    /// `true` if the primitive covers the pixel's center.
    fn is_covered(self, b: &mut Builder<'_>) -> Value {
        let [coverage] = words(b, PixelArray::Quads.id(), self.quad, word!(BatchQuad.coverage));
        let one = b.i32(1);
        let bit = b.op(Op::Shl, &[one, self.number]);
        let own = b.op(Op::And, &[coverage, bit]);
        b.op(Op::IEq, &[own, bit])
    }
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
        let [left, top] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.corner));
        let in_quad = PixelInQuad { quad, number: number_in_quad };
        let position = [b.op(Op::IAdd, &[left, across]), b.op(Op::IAdd, &[top, down])];

        // Where all quads are of one primitive, its data is read once for the whole packet.
        let [number] = words(b, PixelArray::State.id(), zero, word!(BatchState.primitive));
        let is_one = b.op(Op::INe, &[number, zero]);
        let types: Vec<Type> = [Type::F32; 2].into_iter().chain(wanted.iter().map(Wanted::type_of)).collect();
        let (merged, one_primitive, several) = b.if_else(is_one, &types);
        let outer = b.switch_to(one_primitive);
        let number = b.op(Op::ISub, &[number, one]);
        yield_inputs(b, &wanted, number, position, in_quad);
        b.switch_to(several);
        let [primitive] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.primitive));
        yield_inputs(b, &wanted, primitive, position, in_quad);
        b.switch_to(outer);

        let values = b.func.inst(merged).results.clone();
        let mut inputs = vec![[None; 4]; signature.input_rows() as usize];
        for (wanted, &value) in wanted.iter().zip(&values[2..]) {
            let Some((row, component)) = wanted.register else { continue };
            let word = if wanted.type_of() == Type::F32 { b.op(Op::BitsF32, &[value]) } else { value };
            inputs[row as usize][component] = Some(word);
        }
        let mut texel = position.to_vec();
        if pixel_state.has_layers {
            texel.extend(words::<1>(b, PixelArray::State.id(), zero, word!(BatchState.layer)));
        }
        let more = more.and_then(|_| values.last().copied());
        Self { texel, z: values[0], w: values[1], more, inputs, in_quad }
    }

    /// `true` if the primitive covers its center. Computed where it is asked for: it is not needed before the shader's
    /// end, and would occupy registers until then.
    pub fn is_covered(&self, b: &mut Builder<'_>) -> Value {
        self.in_quad.is_covered(b)
    }

    /// 1 if its primitive is front-facing, else 0; likewise.
    pub fn is_front(&self, b: &mut Builder<'_>) -> Value {
        let [primitive] = words(b, PixelArray::Quads.id(), self.in_quad.quad, word!(BatchQuad.primitive));
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
        signature.inputs.iter().enumerate().flat_map(of_input).chain(more.map(of_vertices)).collect()
    }

    /// The type before it becomes a word of a register: a float if it is interpolated.
    fn type_of(&self) -> Type {
        match self.system_value {
            Some(SystemValue::Position) => Type::F32,
            Some(
                SystemValue::IsFrontFace
                | SystemValue::PrimitiveId
                | SystemValue::Coverage
                | SystemValue::SampleIndex
                | SystemValue::InnerCoverage,
            ) => Type::I32,
            _ if self.interpolation == Interpolation::Constant => Type::I32,
            _ => Type::F32,
        }
    }
}

/// Ends a region with the depth and the w of a pixel of a primitive, and the inputs of its shader.
fn yield_inputs(b: &mut Builder<'_>, wanted: &[Wanted], primitive: Value, position: [Value; 2], in_quad: PixelInQuad) {
    let mut interpolator = Interpolator::new(b, primitive, position, in_quad);
    let mut values = vec![interpolator.z, interpolator.w];
    for wanted in wanted {
        values.push(interpolator.value(b, wanted));
    }
    b.yield_(&values);
}

/// Evaluates the planes and attributes of a primitive at a pixel.
struct Interpolator {
    primitive: Value,
    position: [Value; 2],
    in_quad: PixelInQuad,
    z: Value,
    w: Value,
    /// The barycentric weights of the second and third vertex, over their w.
    over_w: [Value; 2],
    /// Perspective-correct weights.
    perspective: [Value; 2],
    /// Weights that are linear in screen space, made on first use.
    on_screen: Option<[Value; 2]>,
}

impl Interpolator {
    fn new(b: &mut Builder<'_>, primitive: Value, position: [Value; 2], in_quad: PixelInQuad) -> Self {
        let origin: [Value; 2] = words(b, PixelArray::Primitives.id(), primitive, word!(BatchPrimitive.origin));
        let way = [0, 1].map(|axis| {
            let way = b.op(Op::ISub, &[position[axis], origin[axis]]);
            b.op(Op::SToF, &[way])
        });
        let [z, rcp_w, i, j] = [0, 1, 2, 3].map(|n| {
            // Word by word, where they are needed: all at once they would not fit into registers.
            let [value, along_x, along_y] =
                [word!(BatchPrimitive.values), word!(BatchPrimitive.along_x), word!(BatchPrimitive.along_y)]
                    .map(|first| floats::<1>(b, PixelArray::Primitives.id(), primitive, first + n)[0]);
            let x = b.op(Op::FMul, &[along_x, way[0]]);
            let y = b.op(Op::FMul, &[along_y, way[1]]);
            let sum = b.op(Op::FAdd, &[value, x]);
            b.op(Op::FAdd, &[sum, y])
        });
        let one = b.f32(1.0);
        let w = b.op(Op::FDiv, &[one, rcp_w]);
        let perspective = [i, j].map(|weight| b.op(Op::FMul, &[weight, w]));
        Self { primitive, position, in_quad, z, w, over_w: [i, j], perspective, on_screen: None }
    }

    /// A component of an input.
    fn value(&mut self, b: &mut Builder<'_>, wanted: &Wanted) -> Value {
        match wanted.system_value {
            Some(SystemValue::Position) => match wanted.register.map_or(0, |(_, component)| component) {
                component @ (0 | 1) => {
                    let (corner, half) = (b.op(Op::SToF, &[self.position[component]]), b.f32(0.5));
                    b.op(Op::FAdd, &[corner, half])
                }
                2 => self.z,
                _ => self.w,
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
                let (one, zero) = (b.i32(1), b.i32(0));
                let is_covered = self.in_quad.is_covered(b);
                b.select(is_covered, one, zero)
            }
            // One sample, at the center.
            Some(SystemValue::SampleIndex | SystemValue::InnerCoverage) => b.i32(0),
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
            LinkedFrom::Sprite { axis } => return known(b, self.perspective[usize::from(axis & 1)]),
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
            Interpolation::Linear | Interpolation::LinearCentroid | Interpolation::LinearSample => self.perspective,
            Interpolation::NoPerspective
            | Interpolation::NoPerspectiveCentroid
            | Interpolation::NoPerspectiveSample => self.on_screen(b),
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
    fn on_screen(&mut self, b: &mut Builder<'_>) -> [Value; 2] {
        let (primitive, over_w) = (self.primitive, self.over_w);
        *self.on_screen.get_or_insert_with(|| {
            let w: [Value; 2] = floats(b, PixelArray::Primitives.id(), primitive, word!(BatchPrimitive.w));
            [0, 1].map(|n| b.op(Op::FMul, &[over_w[n], w[n]]))
        })
    }
}
