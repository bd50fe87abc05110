//! The inputs of pixels: what a primitive's planes and vertices say at a pixel's center (functional specification, 15.16.2 and 16.4).
//!
//! An attribute is `a0 + i * (a1 - a0) + j * (a2 - a0)`, with the weights `i` and `j` of the second and third vertex. In perspective
//! the planes of both are over w, and one division a pixel makes weights of them.

use crate::builder::Builder;
use crate::entity::Value;
use crate::function::Input;
use crate::ops::Op;
use crate::stage::{Interpolation, Parameter, Signature, SystemValue};

use super::record::{PixelArray, floats, primitive, quad, words};
use super::rows::Words;

/// A pixel, and what is known of it before its shader runs.
pub(super) struct Pixel {
    /// Its column and row in the target.
    pub position: [Value; 2],
    /// Whether the primitive covers its center.
    pub is_covered: Value,
    /// Its depth.
    pub z: Value,
    primitive: Value,
    rcp_w: Value,
    /// The weights of the second and third vertex, over their w.
    over_w: [Value; 2],
}

impl Pixel {
    /// The pixel of an invocation: four in a row are a quad.
    pub fn new(b: &mut Builder<'_>) -> Self {
        let number = b.input(Input::ThreadId(0));
        let [one, two, three] = [1, 2, 3].map(|n| b.i32(n));
        let quad = b.op(Op::UShr, &[number, two]);
        let in_quad = b.op(Op::And, &[number, three]);
        let across = b.op(Op::And, &[in_quad, one]);
        let down = b.op(Op::UShr, &[in_quad, one]);
        let [left, top] = words(b, PixelArray::Quads.id(), quad, quad::CORNER);
        let [primitive, coverage] = words(b, PixelArray::Quads.id(), quad, quad::PRIMITIVE);
        let position = [b.op(Op::IAdd, &[left, across]), b.op(Op::IAdd, &[top, down])];
        let bit = b.op(Op::UShr, &[coverage, in_quad]);
        let bit = b.op(Op::And, &[bit, one]);
        let zero = b.i32(0);
        let is_covered = b.op(Op::INe, &[bit, zero]);

        let origin: [Value; 2] = words(b, PixelArray::Primitives.id(), primitive, primitive::ORIGIN);
        let way = [0, 1].map(|axis| {
            let way = b.op(Op::ISub, &[position[axis], origin[axis]]);
            b.op(Op::SToF, &[way])
        });
        let values: [Value; 4] = floats(b, PixelArray::Primitives.id(), primitive, primitive::VALUES);
        let along_x: [Value; 4] = floats(b, PixelArray::Primitives.id(), primitive, primitive::ALONG_X);
        let along_y: [Value; 4] = floats(b, PixelArray::Primitives.id(), primitive, primitive::ALONG_Y);
        let [z, rcp_w, i, j] = std::array::from_fn(|n| {
            let x = b.op(Op::FMul, &[along_x[n], way[0]]);
            let y = b.op(Op::FMul, &[along_y[n], way[1]]);
            let sum = b.op(Op::FAdd, &[values[n], x]);
            b.op(Op::FAdd, &[sum, y])
        });
        Self { position, is_covered, z, primitive, rcp_w, over_w: [i, j] }
    }
}

/// The weights of the second and third vertex, made when first asked for.
struct Weights<'p> {
    pixel: &'p Pixel,
    w: Value,
    perspective: [Value; 2],
    on_screen: Option<[Value; 2]>,
}

/// The inputs of a pixel's shader. What nobody reads is left to the passes.
pub(super) fn inputs(b: &mut Builder<'_>, pixel: &Pixel, signature: &Signature) -> Words {
    let one = b.f32(1.0);
    let w = b.op(Op::FDiv, &[one, pixel.rcp_w]);
    let perspective = pixel.over_w.map(|weight| b.op(Op::FMul, &[weight, w]));
    let mut weights = Weights { pixel, w, perspective, on_screen: None };
    let mut rows = vec![[None; 4]; signature.input_rows() as usize];
    for input in &signature.inputs {
        let attribute = weights.attribute(b, input);
        for component in input.components() {
            let word = weights.system_value(b, input, component).unwrap_or_else(|| attribute.word(b, component));
            rows[input.row as usize][component] = Some(word);
        }
    }
    rows
}

impl Weights<'_> {
    /// A word of an input that the vertices do not have.
    fn system_value(&mut self, b: &mut Builder<'_>, input: &Parameter, component: usize) -> Option<Value> {
        let pixel = self.pixel;
        Some(match input.system_value {
            Some(SystemValue::Position) => {
                let value = match component {
                    0 | 1 => {
                        let (corner, half) = (b.op(Op::SToF, &[pixel.position[component]]), b.f32(0.5));
                        b.op(Op::FAdd, &[corner, half])
                    }
                    2 => pixel.z,
                    _ => self.w,
                };
                b.op(Op::BitsF32, &[value])
            }
            Some(SystemValue::IsFrontFace) => {
                let [is_front] = words(b, PixelArray::Primitives.id(), pixel.primitive, primitive::IS_FRONT);
                let zero = b.i32(0);
                b.op(Op::ISub, &[zero, is_front])
            }
            Some(SystemValue::PrimitiveId) => {
                let [id] = words(b, PixelArray::Primitives.id(), pixel.primitive, primitive::ID);
                id
            }
            Some(SystemValue::Coverage) => {
                let (one, zero) = (b.i32(1), b.i32(0));
                b.select(pixel.is_covered, one, zero)
            }
            // One sample, at the center.
            Some(SystemValue::SampleIndex | SystemValue::InnerCoverage) => b.i32(0),
            _ => return None,
        })
    }

    /// What the vertices have for an input: whole registers, since one check of the primitive's number then does for four words.
    fn attribute(&mut self, b: &mut Builder<'_>, input: &Parameter) -> Attribute {
        let weights = match input.interpolation {
            Interpolation::Constant => None,
            Interpolation::Linear | Interpolation::LinearCentroid | Interpolation::LinearSample => {
                Some(self.perspective)
            }
            Interpolation::NoPerspective
            | Interpolation::NoPerspectiveCentroid
            | Interpolation::NoPerspectiveSample => Some(self.on_screen(b)),
        };
        let first = primitive::ATTRIBUTES + primitive::ATTRIBUTE_WORDS * input.row;
        let words = [0, 4, 8].map(|word| words(b, PixelArray::Primitives.id(), self.pixel.primitive, first + word));
        Attribute { words, weights }
    }

    /// Weights that are linear on the screen: those of the planes, times the vertices' w.
    fn on_screen(&mut self, b: &mut Builder<'_>) -> [Value; 2] {
        let pixel = self.pixel;
        *self.on_screen.get_or_insert_with(|| {
            let w: [Value; 2] = floats(b, PixelArray::Primitives.id(), pixel.primitive, primitive::W);
            [0, 1].map(|n| b.op(Op::FMul, &[pixel.over_w[n], w[n]]))
        })
    }
}

/// An input that the vertices have: words of the leading vertex, and as floats what the second and the third have more.
struct Attribute {
    words: [[Value; 4]; 3],
    /// The weights of the second and the third; none if the leading vertex has the value.
    weights: Option<[Value; 2]>,
}

impl Attribute {
    fn word(&self, b: &mut Builder<'_>, component: usize) -> Value {
        let Some([i, j]) = self.weights else { return self.words[0][component] };
        let [leading, second, third] = self.words.map(|words| b.op(Op::AsF32, &[words[component]]));
        let second = b.op(Op::FMul, &[i, second]);
        let third = b.op(Op::FMul, &[j, third]);
        let sum = b.op(Op::FAdd, &[leading, second]);
        let sum = b.op(Op::FAdd, &[sum, third]);
        b.op(Op::BitsF32, &[sum])
    }
}
