//! Declares the state that selects the code around a shader. All else, such as strides and the blend factor, is data.

use serde::{Deserialize, Serialize};

use super::record;
pub use super::samples::SamplePattern;
use crate::named::numbered;
pub use crate::named::{Named, Numbered};
use crate::texel::TexelFormat;

/// The state that a shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StageState {
    /// None: the caller fills the arrays that the shader declares.
    #[default]
    None,
    /// The state of a vertex shader.
    Vertex(VertexState),
    /// The state of a hull shader.
    Hull(HullState),
    /// The state of a domain shader.
    Domain(DomainState),
    /// The state of a geometry shader.
    Geometry(GeometryState),
    /// The state of a pixel shader.
    Pixel(PixelState),
}

impl StageState {
    /// The only stage that can have it, if there is just one.
    pub fn stage(&self) -> Option<&'static str> {
        match self {
            StageState::None => None,
            StageState::Vertex(_) => Some("vertex"),
            StageState::Hull(_) => Some("hull"),
            StageState::Domain(_) => Some("domain"),
            StageState::Geometry(_) => Some("geometry"),
            StageState::Pixel(_) => Some("pixel"),
        }
    }

    /// Rejects whatever would lead outside of the [records](super::record). All other values are valid.
    pub fn check(&self) -> Result<(), StateError> {
        match self {
            StageState::None => Ok(()),
            StageState::Vertex(state) => state.elements.iter().try_for_each(|element| match *element {
                VertexElement { row, slot, .. } if slot >= record::SLOTS => Err(StateError::Slot { row, slot }),
                VertexElement { row, format, .. } if !format.is_valid() => Err(StateError::Format { row }),
                _ => Ok(()),
            }),
            StageState::Hull(HullState { vertex_rows, point_rows, constant_rows }) => {
                [*vertex_rows, *point_rows, *constant_rows].into_iter().try_for_each(check_registers)
            }
            StageState::Domain(DomainState { point_rows, constant_rows }) => {
                [*point_rows, *constant_rows].into_iter().try_for_each(check_registers)
            }
            StageState::Geometry(state) => check_registers(state.vertex_rows),
            StageState::Pixel(state) => {
                check_registers(state.vertex_rows)?;
                if !matches!(state.target_samples, 0 | 1 | 2 | 4 | 8 | 16) {
                    return Err(StateError::Samples { samples: state.target_samples });
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

/// Checks the number of a vertex's registers.
fn check_registers(registers: u32) -> Result<(), StateError> {
    match registers > record::REGISTERS {
        true => Err(StateError::Registers { registers }),
        false => Ok(()),
    }
}

/// The reason why no shader can have a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// More registers than a vertex can have.
    #[error("the state has vertices of {registers} registers, but they have at most {}", record::REGISTERS)]
    Registers {
        /// Number of registers.
        registers: u32,
    },
    /// A number of samples that no target has.
    #[error("the state has targets of {samples} samples, but they have 1, 2, 4, 8 or 16")]
    Samples {
        /// Number of samples.
        samples: u32,
    },
    /// A word that no vertex has.
    #[error("the state reads word {word} of a vertex, but the last one is {}", 4 * record::REGISTERS - 1)]
    Word {
        /// The index of the word.
        word: u32,
    },
    /// A format that no vertex element can have.
    #[error("the state fills v{row} from a format that does not exist: channels lie in one of its 1 to 4 words")]
    Format {
        /// The input register.
        row: u32,
    },
    /// A vertex buffer slot that does not exist.
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
    /// The elements that fill its inputs.
    pub elements: Vec<VertexElement>,
}

/// The state that a hull shader is compiled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HullState {
    /// Registers of a vertex, as the vertex shader writes them: at most [`REGISTERS`](super::record::REGISTERS).
    pub vertex_rows: u32,
    /// Registers of a control point that the domain shader reads, if they are more than it writes.
    pub point_rows: u32,
    /// Registers of a patch's values, likewise.
    pub constant_rows: u32,
}

/// The state that a domain shader is compiled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DomainState {
    /// Registers of a control point, as the stage before writes them: at most
    /// [`REGISTERS`](super::record::REGISTERS).
    pub point_rows: u32,
    /// Registers of a patch's values, likewise.
    pub constant_rows: u32,
}

/// The state that a geometry shader is compiled with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GeometryState {
    /// Registers of a vertex, as the stage before writes them: at most [`REGISTERS`](super::record::REGISTERS).
    pub vertex_rows: u32,
}

/// A vertex element, which fills an input register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VertexElement {
    /// The input register.
    pub row: u32,
    /// The vertex buffer: less than [`SLOTS`](super::record::SLOTS).
    pub slot: u32,
    /// Byte offset from the start of a vertex.
    pub offset: u32,
    /// Its format. One narrower than a word is a part of one.
    pub format: TexelFormat,
    /// Set if its integers are converted to floats, as all are in Direct3D 9.
    pub is_scaled: bool,
    /// Its size. An element of less than 4 bytes does not cross the end of a word.
    pub size_bytes: u32,
    /// The rate at which it advances.
    pub advance: Advance,
}

/// The rate at which a vertex buffer advances to its next element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Advance {
    /// Per vertex.
    Vertex,
    /// Once every `step` instances; never if that is 0.
    Instance {
        /// Number of instances.
        step: u32,
    },
}

/// The state that a pixel shader is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PixelState {
    /// Registers of a vertex, as the previous stage writes them: at most [`REGISTERS`](super::record::REGISTERS).
    pub vertex_rows: u32,
    /// The targets that are written.
    pub targets: Vec<Target>,
    /// The depth test after the shader, if any; the caller may test before it instead.
    pub depth: Option<DepthTest>,
    /// Set if the function reports which pixels are live at its end.
    pub reports_live: bool,
    /// Set if the targets and the depth buffer are arrays; [`layer`](super::record::BatchState::layer) selects the
    /// layer.
    pub has_layers: bool,
    /// The source of each input, in order; if empty, input registers take the vertex registers of the same numbers.
    pub links: Vec<Link>,
    /// The alpha test. The first output's alpha, as an 8-bit code that is clamped only if the first target is, is
    /// compared with the [reference](super::record::BatchDirect3D9::alpha_reference).
    pub alpha_test: Option<Comparison>,
    /// Set if pixels are live only where the first output's alpha is above 0.5: alpha-to-coverage of one sample
    /// (functional specification, 17.18).
    pub alpha_to_coverage: bool,
    /// The fog, if any.
    pub fog: Option<Fog>,
    /// The samples of a pixel that primitives cover.
    pub pattern: SamplePattern,
    /// Number of samples of a texel of the targets and the depth buffer: as many as the pattern has, or others where
    /// the rasterizer's are forced (functional specification, 3.5.6). Sample `k` of layer `l` of several is layer `l *
    /// target_samples + k` of the resource. 0 counts as 1.
    pub target_samples: u32,
    /// Set if primitives cover all samples of every pixel that they touch: conservative rasterization. The quads say which
    /// pixels lie inside entirely.
    pub is_conservative: bool,
    /// Set if the function runs for each covered sample, which the quad names, not for each pixel.
    pub is_per_sample: bool,
}

impl PixelState {
    /// `true` if there is more than one sample somewhere.
    pub fn is_multisampled(&self) -> bool {
        self.pattern.count() > 1 || self.target_samples > 1
    }
}

/// The source of an input of a pixel shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The source of each component.
    pub components: [LinkedFrom; 4],
    /// Set if all pixels get the leading vertex's value, whatever interpolation the shader declares.
    pub is_flat: bool,
}

/// The source of a component of a pixel shader's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LinkedFrom {
    /// A word of a vertex, at four words per register.
    Vertex(u32),
    /// The position across or down a point sprite, from 0 to 1.
    Sprite {
        /// 0 for across, 1 for down.
        axis: u8,
    },
    /// The constant 0.
    Zero,
    /// The constant 1.
    One,
}

/// The fog factor of Direct3D 9, by which a pixel's colour stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fog {
    /// A word of the vertices, interpolated.
    Vertex(u32),
    /// 0: the vertices should provide it, but do not.
    Complete,
    /// A ramp from 1 at one distance to 0 at another.
    Linear(Distance),
    /// e to the power of minus the distance times a density.
    Exponential(Distance),
    /// e to the power of minus the square of that product.
    ExponentialSquared(Distance),
}

/// The measure of a pixel's distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Distance {
    /// Its depth.
    Depth,
    /// Its w.
    W,
}

/// The depth test, and the stencil test before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DepthTest {
    /// The format of the depth buffer.
    pub format: DepthFormat,
    /// Compares a new depth with the one in the buffer.
    pub test: Comparison,
    /// Set if depths that pass are written.
    pub writes: bool,
    /// The stencil test, if any; it comes before the depth test.
    pub stencil: Option<StencilTest>,
}

/// The stencil test (functional specification, 17.12). Masks and operations are 8 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StencilTest {
    /// The bits that are compared.
    pub read_mask: u8,
    /// The bits that are written.
    pub write_mask: u8,
    /// For front-facing primitives.
    pub front: StencilFace,
    /// For back-facing primitives.
    pub back: StencilFace,
}

/// The stencil test for one facing of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StencilFace {
    /// Compares the reference with the stencil in the buffer.
    pub test: Comparison,
    /// The operation where the stencil test fails.
    pub fail: StencilOp,
    /// The operation where the stencil test passes, but the depth test fails.
    pub depth_fail: StencilOp,
    /// The operation where both tests pass.
    pub pass: StencilOp,
}

numbered! {
    /// Stencil operations, as D3D11_STENCIL_OP.
    pub enum StencilOp {
        /// Keeps the stencil.
        Keep = 1 => "KEEP",
        /// Sets it to 0.
        Zero = 2 => "ZERO",
        /// Sets it to the reference.
        Replace = 3 => "REPLACE",
        /// Adds 1, up to 255.
        IncrementSaturated = 4 => "INCR_SAT",
        /// Subtracts 1, down to 0.
        DecrementSaturated = 5 => "DECR_SAT",
        /// Inverts all bits.
        Invert = 6 => "INVERT",
        /// Adds 1; 255 wraps to 0.
        Increment = 7 => "INCR",
        /// Subtracts 1; 0 wraps to 255.
        Decrement = 8 => "DECR",
    }
}

impl StencilTest {
    /// `true` if it may change stencils.
    pub fn writes(&self) -> bool {
        let changes = |face: &StencilFace| [face.fail, face.depth_fail, face.pass] != [StencilOp::Keep; 3];
        self.write_mask != 0 && (changes(&self.front) || changes(&self.back))
    }
}

impl DepthTest {
    /// `true` if it may change depths or stencils.
    pub fn changes_buffer(&self) -> bool {
        self.writes || self.stencil.is_some_and(|stencil| stencil.writes())
    }
}

/// The format of a depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DepthFormat {
    /// 16-bit fixed point.
    D16,
    /// 24-bit fixed point; the upper 8 bits of the word are the stencil.
    D24,
    /// Floats.
    D32,
    /// Floats; the lower 8 bits of the next word are the stencil.
    D32S8,
}

impl DepthFormat {
    /// `true` if it holds stencils beside depths.
    pub fn has_stencil(self) -> bool {
        matches!(self, DepthFormat::D24 | DepthFormat::D32S8)
    }
}

numbered! {
    /// Comparisons, as D3D11_COMPARISON_FUNC: of a new depth with the one in the buffer, or of a reference with a
    /// texel: `new < old` and so on.
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
    /// `true` if a reference passes; NaN is unequal to everything.
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

/// A render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// The output register that is written to it.
    pub output: u32,
    /// The range of its values.
    pub range: Range,
    /// Its blend equations, if it is blended.
    pub blend: Option<Blend>,
    /// Its logic operation on unsigned integers, if any.
    pub logic: Option<Logic>,
    /// Components that are written, red in the lowest bit.
    pub write_mask: u8,
}

/// The range of a target's values, to which the operands of a blend are clamped (functional specification, 17.5).
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
    /// Signed integers, likewise.
    Sint,
}

/// The blend of source and destination (functional specification, 17.3 and following).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Blend {
    /// Red, green and blue.
    pub color: Equation,
    /// Alpha.
    pub alpha: Equation,
}

/// A blend equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Equation {
    /// The source's factor.
    pub source: Factor,
    /// The destination's factor.
    pub destination: Factor,
    /// The operation on both products.
    pub op: BlendOp,
}

numbered! {
    /// The factor of a term of a blend, as D3D11_BLEND. In the equation of alpha, colours stand for their alpha.
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
        /// The second source's colour: the shader's second output, which no other target can take.
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
    /// `true` if it is of the second source.
    pub fn is_of_second(self) -> bool {
        use Factor::{InverseSecondAlpha, InverseSecondColor, SecondAlpha, SecondColor};
        matches!(self, SecondColor | InverseSecondColor | SecondAlpha | InverseSecondAlpha)
    }
}

impl Blend {
    /// `true` if it takes a second source.
    pub fn takes_second(&self) -> bool {
        [self.color, self.alpha]
            .iter()
            .any(|equation| equation.source.is_of_second() || equation.destination.is_of_second())
    }
}

numbered! {
    /// The operation on the two terms of a blend, as D3D11_BLEND_OP.
    pub enum BlendOp {
        /// Their sum.
        Add = 1 => "ADD",
        /// The source's term less the destination's.
        Subtract = 2 => "SUBTRACT",
        /// The destination's term less the source's.
        ReverseSubtract = 3 => "REV_SUBTRACT",
        /// The minimum of source and destination; factors are ignored.
        Min = 4 => "MIN",
        /// The maximum of source and destination; likewise.
        Max = 5 => "MAX",
    }
}

/// A bitwise combination of source and destination (functional specification, 17.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Logic {
    /// The operation.
    pub op: LogicOp,
    /// Number of bits in each component of the target; the source's bits above them are ignored.
    pub bits: [u8; 4],
}

numbered! {
    /// Bitwise operations on source and destination, as D3D11_LOGIC_OP.
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
