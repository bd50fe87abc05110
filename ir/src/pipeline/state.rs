//! What selects the code around a shader. All else, such as strides and the blend factor, is data.

use serde::{Deserialize, Serialize};

use super::record;
use crate::named::numbered;
pub use crate::named::{Named, Numbered};
use crate::texel::TexelFormat;

/// The state that a shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StageState {
    /// None: the caller fills the arrays that the shader declares.
    #[default]
    None,
    /// Of a vertex shader.
    Vertex(VertexState),
    /// Of a pixel shader.
    Pixel(PixelState),
}

impl StageState {
    /// The stage that it is for, if only one can have it.
    pub fn stage(&self) -> Option<&'static str> {
        match self {
            StageState::None => None,
            StageState::Vertex(_) => Some("vertex"),
            StageState::Pixel(_) => Some("pixel"),
        }
    }

    /// Checks what would lead out of the [records](super::record). All other numbers mean something.
    pub fn check(&self) -> Result<(), StateError> {
        match self {
            StageState::None => Ok(()),
            StageState::Vertex(state) => state.elements.iter().try_for_each(|element| match *element {
                VertexElement { row, slot, .. } if slot >= record::SLOTS => Err(StateError::Slot { row, slot }),
                VertexElement { row, format, .. } if !format.is_valid() => Err(StateError::Format { row }),
                _ => Ok(()),
            }),
            StageState::Pixel(state) => {
                let registers = state.vertex_rows;
                if registers > record::REGISTERS {
                    return Err(StateError::Registers { registers });
                }
                let linked = state.links.iter().flat_map(|link| link.components);
                let of_inputs = linked.filter_map(|from| match from {
                    LinkedFrom::Vertex(word) => Some(word),
                    _ => None,
                });
                let of_fog = match state.fog {
                    Some(Fog::Vertex(word)) => Some(word),
                    _ => None,
                };
                match of_inputs.chain(of_fog).find(|word| word / 4 >= record::REGISTERS) {
                    Some(word) => Err(StateError::Word { word }),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Why no shader can have a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// More than vertices have.
    #[error("the state has vertices of {registers} registers, but they have at most {}", record::REGISTERS)]
    Registers {
        /// How many.
        registers: u32,
    },
    /// A word that no vertex has.
    #[error("the state reads word {word} of a vertex, but the last one is {}", 4 * record::REGISTERS - 1)]
    Word {
        /// Its number.
        word: u32,
    },
    /// A format that no vertex has.
    #[error("the state fills v{row} from a format that does not exist: channels lie in one of its 1 to 4 words")]
    Format {
        /// The input register.
        row: u32,
    },
    /// A vertex buffer that there cannot be.
    #[error("the state fills v{row} from vertex buffer {slot}, but the last one is {}", record::SLOTS - 1)]
    Slot {
        /// The input register.
        row: u32,
        /// The vertex buffer.
        slot: u32,
    },
}

/// The state that a vertex shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VertexState {
    /// What fills its inputs.
    pub elements: Vec<VertexElement>,
}

/// An element of a vertex: what fills an input register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VertexElement {
    /// The input register.
    pub row: u32,
    /// The vertex buffer: less than [`SLOTS`](super::record::SLOTS).
    pub slot: u32,
    /// Bytes from the start of a vertex.
    pub offset: u32,
    /// Its format. One of less than a word is a part of one.
    pub format: TexelFormat,
    /// Whether its integers become floats, as all do in Direct3D 9.
    pub is_scaled: bool,
    /// Its bytes. An element of less than 4 does not cross the end of a word.
    pub size_bytes: u32,
    /// What the next one is for.
    pub advance: Advance,
}

/// When the next element of a vertex buffer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Advance {
    /// For every vertex.
    Vertex,
    /// After some instances; never if that is 0.
    Instance {
        /// How many.
        step: u32,
    },
}

/// The state that a pixel shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PixelState {
    /// Registers of a vertex, as the stage before writes them: at most [`REGISTERS`](super::record::REGISTERS).
    pub vertex_rows: u32,
    /// The targets that are written.
    pub targets: Vec<Target>,
    /// How depths are tested after the shader, if they are; whoever draws may test them before it instead.
    pub depth: Option<DepthTest>,
    /// Whether the function reports which pixels are live at its end.
    pub reports_live: bool,
    /// Whether the targets and the depth buffer are arrays, of which the [state](super::record::BatchState::layer) says the
    /// layer.
    pub has_layers: bool,
    /// What fills each of its inputs, in their order; without any they are from the registers of a vertex with their numbers.
    pub links: Vec<Link>,
    /// Which pixels are live, by the alpha of the first output: as a code of 8 bits, which goes on below 0 and above 255 where the first
    /// target does, it is compared with the [reference](super::record::BatchDirect3D9::alpha_reference).
    pub alpha_test: Option<Comparison>,
    /// Whether pixels are only live where the first output's alpha is above a half: what an alpha makes of one sample's coverage
    /// (functional specification, 17.18).
    pub alpha_to_coverage: bool,
    /// Whether a distant pixel's colours turn into that of the fog.
    pub fog: Option<Fog>,
}

/// What fills an input of a pixel shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// For each component where it is from.
    pub components: [LinkedFrom; 4],
    /// Whether all pixels get the leading vertex's, however the shader would have it interpolated.
    pub is_flat: bool,
}

/// Where a component of an input of a pixel shader is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LinkedFrom {
    /// A word of a vertex, whose registers have four each.
    Vertex(u32),
    /// How far across a point sprite, or down, the pixel is: from 0 to 1.
    Sprite {
        /// 0 for across, 1 for down.
        axis: u8,
    },
    /// Nowhere: it is 0.
    Zero,
    /// Nowhere: it is 1.
    One,
}

/// How far away a pixel is, as fog of Direct3D 9 has it: the factor by which colours stay what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fog {
    /// The vertices have it, in this word.
    Vertex(u32),
    /// It is 0: the vertices should have it, but do not.
    Complete,
    /// It falls from 1 at one distance to 0 at another.
    Linear(Distance),
    /// It is e to the power of minus the distance, times a density.
    Exponential(Distance),
    /// Likewise, of the square of both.
    ExponentialSquared(Distance),
}

/// What counts as a pixel's distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Distance {
    /// Its depth.
    Depth,
    /// Its w.
    W,
}

/// How depths are tested and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DepthTest {
    /// How depths lie in memory.
    pub format: DepthFormat,
    /// Which pixels pass: a new depth is compared with the one in the buffer.
    pub test: Comparison,
    /// Whether those that pass are written.
    pub writes: bool,
    /// How stencils are tested before depths, if they are.
    pub stencil: Option<StencilTest>,
}

/// How stencils are tested and written (functional specification, 17.12). Masks and operations are of 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StencilTest {
    /// The bits that are compared.
    pub read_mask: u8,
    /// The bits that are written.
    pub write_mask: u8,
    /// For primitives that show their front.
    pub front: StencilFace,
    /// For those that show their back.
    pub back: StencilFace,
}

/// What happens to stencils on one side of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StencilFace {
    /// Which pixels pass: the reference is compared with what is there.
    pub test: Comparison,
    /// What becomes of the stencils of those that do not.
    pub fail: StencilOp,
    /// Of those that pass, but fail the depth test.
    pub depth_fail: StencilOp,
    /// Of those that pass both.
    pub pass: StencilOp,
}

numbered! {
    /// What becomes of a stencil, as D3D11_STENCIL_OP.
    pub enum StencilOp {
        /// It stays.
        Keep = 1 => "KEEP",
        /// 0.
        Zero = 2 => "ZERO",
        /// The reference.
        Replace = 3 => "REPLACE",
        /// One more, at most 255.
        IncrementSaturated = 4 => "INCR_SAT",
        /// One less, at least 0.
        DecrementSaturated = 5 => "DECR_SAT",
        /// All bits change.
        Invert = 6 => "INVERT",
        /// One more; 0 after 255.
        Increment = 7 => "INCR",
        /// One less; 255 after 0.
        Decrement = 8 => "DECR",
    }
}

impl StencilTest {
    /// Whether it may change anything.
    pub fn writes(&self) -> bool {
        let changes = |face: &StencilFace| [face.fail, face.depth_fail, face.pass] != [StencilOp::Keep; 3];
        self.write_mask != 0 && (changes(&self.front) || changes(&self.back))
    }
}

impl DepthTest {
    /// Whether it may change depths or stencils.
    pub fn changes_buffer(&self) -> bool {
        self.writes || self.stencil.is_some_and(|stencil| stencil.writes())
    }
}

/// How depths lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DepthFormat {
    /// 16 bits of fixed point.
    D16,
    /// 24 bits of fixed point; the upper 8 bits of the word are the stencil.
    D24,
    /// Floats.
    D32,
    /// Floats; the lower 8 bits of the next word are the stencil.
    D32S8,
}

impl DepthFormat {
    /// Whether there are stencils beside depths.
    pub fn has_stencil(self) -> bool {
        matches!(self, DepthFormat::D24 | DepthFormat::D32S8)
    }
}

numbered! {
    /// Comparisons, as D3D11_COMPARISON_FUNC: a new depth is compared with the one in the buffer, a reference with a texel:
    /// `new < old` and so on.
    #[derive(Default)]
    pub enum Comparison {
        /// Never true.
        #[default]
        Never = 1 => "NEVER",
        /// Less.
        Less = 2 => "LESS",
        /// Equal.
        Equal = 3 => "EQUAL",
        /// Less or equal.
        LessEqual = 4 => "LESS_EQUAL",
        /// Greater.
        Greater = 5 => "GREATER",
        /// Not equal.
        NotEqual = 6 => "NOT_EQUAL",
        /// Greater or equal.
        GreaterEqual = 7 => "GREATER_EQUAL",
        /// Always true.
        Always = 8 => "ALWAYS",
    }
}

impl Comparison {
    /// Whether a reference passes; NaN is unequal to everything.
    pub fn holds<T: PartialOrd>(self, reference: T, texel: T) -> bool {
        match self {
            Comparison::Never => false,
            Comparison::Less => reference < texel,
            Comparison::Equal => reference == texel,
            Comparison::LessEqual => reference <= texel,
            Comparison::Greater => reference > texel,
            Comparison::NotEqual => reference != texel,
            Comparison::GreaterEqual => reference >= texel,
            Comparison::Always => true,
        }
    }
}

/// A target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The output register that goes there.
    pub output: u32,
    /// What its numbers are.
    pub range: Range,
    /// How it is blended, if it is.
    pub blend: Option<Blend>,
    /// How bits of unsigned integers are combined with what is there, if they are.
    pub logic: Option<Logic>,
    /// Components that are written, red in the lowest bit.
    pub write_mask: u8,
}

/// The numbers that a target holds: what comes to a blend is clamped to them (functional specification, 17.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Range {
    /// Floats.
    Float,
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// Unsigned integers, which are never blended.
    Uint,
    /// Integers with a sign, likewise.
    Sint,
}

/// How source and destination become one (functional specification, 17.3 and following).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Blend {
    /// Red, green and blue.
    pub color: Equation,
    /// Alpha.
    pub alpha: Equation,
}

/// One equation of a blend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Equation {
    /// What the source is multiplied by.
    pub source: Factor,
    /// What the destination is multiplied by.
    pub destination: Factor,
    /// What becomes of both products.
    pub op: BlendOp,
}

numbered! {
    /// What a term of a blend is multiplied by, as D3D11_BLEND. In the equation of alpha, colours are their alpha.
    pub enum Factor {
        /// 0.
        Zero = 1 => "ZERO",
        /// 1.
        One = 2 => "ONE",
        /// The source's colour.
        SourceColor = 3 => "SRC_COLOR",
        /// 1 less that.
        InverseSourceColor = 4 => "INV_SRC_COLOR",
        /// The source's alpha.
        SourceAlpha = 5 => "SRC_ALPHA",
        /// 1 less that.
        InverseSourceAlpha = 6 => "INV_SRC_ALPHA",
        /// The destination's alpha.
        DestinationAlpha = 7 => "DEST_ALPHA",
        /// 1 less that.
        InverseDestinationAlpha = 8 => "INV_DEST_ALPHA",
        /// The destination's colour.
        DestinationColor = 9 => "DEST_COLOR",
        /// 1 less that.
        InverseDestinationColor = 10 => "INV_DEST_COLOR",
        /// The lesser of the source's alpha and 1 less the destination's; 1 for alpha.
        SourceAlphaSaturated = 11 => "SRC_ALPHA_SAT",
        /// The blend factor.
        BlendFactor = 14 => "BLEND_FACTOR",
        /// 1 less that.
        InverseBlendFactor = 15 => "INV_BLEND_FACTOR",
        /// The second source's colour: what the shader gives in its second output, of which no other target is made.
        SecondColor = 16 => "SRC1_COLOR",
        /// 1 less that.
        InverseSecondColor = 17 => "INV_SRC1_COLOR",
        /// The second source's alpha.
        SecondAlpha = 18 => "SRC1_ALPHA",
        /// 1 less that.
        InverseSecondAlpha = 19 => "INV_SRC1_ALPHA",
    }
}

impl Factor {
    /// Whether it is of the second source.
    pub fn is_of_second(self) -> bool {
        use Factor::{InverseSecondAlpha, InverseSecondColor, SecondAlpha, SecondColor};
        matches!(self, SecondColor | InverseSecondColor | SecondAlpha | InverseSecondAlpha)
    }
}

impl Blend {
    /// Whether it takes a second source.
    pub fn takes_second(&self) -> bool {
        [self.color, self.alpha]
            .iter()
            .any(|equation| equation.source.is_of_second() || equation.destination.is_of_second())
    }
}

numbered! {
    /// What becomes of the two terms of a blend, as D3D11_BLEND_OP.
    pub enum BlendOp {
        /// Their sum.
        Add = 1 => "ADD",
        /// The source's term less the destination's.
        Subtract = 2 => "SUBTRACT",
        /// The destination's term less the source's.
        ReverseSubtract = 3 => "REV_SUBTRACT",
        /// The lesser of source and destination; factors count for nothing.
        Min = 4 => "MIN",
        /// The greater of source and destination; likewise.
        Max = 5 => "MAX",
    }
}

/// How bits of source and destination become one (functional specification, 17.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Logic {
    /// The operation.
    pub op: LogicOp,
    /// The bits of each component of the target; the source's bits above them count for nothing.
    pub bits: [u8; 4],
}

numbered! {
    /// How bits of source and destination become one, as D3D11_LOGIC_OP.
    pub enum LogicOp {
        /// 0.
        Clear = 0 => "CLEAR",
        /// 1.
        Set = 1 => "SET",
        /// The source.
        Copy = 2 => "COPY",
        /// Not the source.
        CopyInverted = 3 => "COPY_INVERTED",
        /// The destination.
        Noop = 4 => "NOOP",
        /// Not the destination.
        Invert = 5 => "INVERT",
        /// Both.
        And = 6 => "AND",
        /// Not both.
        Nand = 7 => "NAND",
        /// Either.
        Or = 8 => "OR",
        /// Neither.
        Nor = 9 => "NOR",
        /// One of them.
        Xor = 10 => "XOR",
        /// Both or neither.
        Equivalent = 11 => "EQUIV",
        /// The source, but not the destination.
        AndReverse = 12 => "AND_REVERSE",
        /// The destination, but not the source.
        AndInverted = 13 => "AND_INVERTED",
        /// The source, or not the destination.
        OrReverse = 14 => "OR_REVERSE",
        /// The destination, or not the source.
        OrInverted = 15 => "OR_INVERTED",
    }
}
