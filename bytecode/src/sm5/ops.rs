//! The instruction table: one row per opcode of shader models 4.0 to 5.1, and no other list of them.
//!
//! A row holds its number, its name in fxc's listing, the first model and the stages that have it, the operands in the
//! order of the token stream, and the modifiers of the opcode token besides the `precise` mask, which any instruction
//! may have. Decoder, validator, listing and documentation derive from it.

use super::codes::{ResourceDimension, SamplerMode};
use super::{Model, Stage};

/// Type of an operand's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 32-bit float.
    Float,
    /// 32-bit signed integer.
    Int,
    /// 32-bit unsigned integer.
    Uint,
    /// 32 bits, all ones or all zeros when written; any nonzero bit is true when read.
    Bool,
    /// 64-bit float in two components, low word first.
    Double,
    /// 32 bits of any type; float modifiers apply as to a float.
    Any,
}

/// Number of components of an operand that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Those in the destination mask, component by component.
    Each,
    /// One: a single written component, or the first (or selected) one of a source.
    One,
    /// One 32-bit value per double: at most two components.
    PerDouble,
    /// As many as the address, the dot product or the query needs, whatever the mask is.
    Vector,
}

/// Kind of memory or query object that an operand names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// A texture t# that is filtered (`sample`): no integers, no samples.
    Sampled,
    /// The same, compared with a reference (`sample_c`).
    Compared,
    /// A texture t# that could be filtered, of any type (`lod`).
    Measured,
    /// A 2D texture t# or a cube (`gather4`).
    Gathered,
    /// A 2D texture t# (`gather4_po`).
    GatheredAround,
    /// A typed buffer t#, or a texture with integer texel addresses (`ld`).
    Texels,
    /// A multisampled t# (`ldms`).
    Samples,
    /// A texture t# or u# (`resinfo`).
    Texture,
    /// A multisampled t#, or `rasterizer`.
    SamplesOrRasterizer,
    /// A typed u#.
    TypedUav,
    /// A raw u# or g#; a raw t# too where it is only read.
    Raw,
    /// A structured u# or g#; a structured t# too where it is only read.
    Structured,
    /// A buffer t# or u# of any kind (`bufinfo`).
    Buffer,
    /// Any u#, or g#.
    Atomic,
    /// A structured u# with a hidden counter.
    Counter,
}

impl Storage {
    /// `true` if a typed resource of this dimension is accepted.
    pub const fn takes(self, dimension: ResourceDimension) -> bool {
        use ResourceDimension as D;
        match self {
            Self::Sampled | Self::Measured => matches!(
                dimension,
                D::Texture1D
                    | D::Texture1DArray
                    | D::Texture2D
                    | D::Texture2DArray
                    | D::Texture3D
                    | D::TextureCube
                    | D::TextureCubeArray
            ),
            Self::Compared => Self::Sampled.takes(dimension) && !matches!(dimension, D::Texture3D),
            Self::Gathered => {
                matches!(dimension, D::Texture2D | D::Texture2DArray | D::TextureCube | D::TextureCubeArray)
            }
            Self::GatheredAround => matches!(dimension, D::Texture2D | D::Texture2DArray),
            Self::Texels => {
                matches!(dimension, D::Buffer)
                    || Self::Sampled.takes(dimension) && !matches!(dimension, D::TextureCube | D::TextureCubeArray)
            }
            Self::Samples | Self::SamplesOrRasterizer => {
                matches!(dimension, D::Texture2DMs | D::Texture2DMsArray)
            }
            Self::Texture => Self::Sampled.takes(dimension) || Self::Samples.takes(dimension),
            Self::TypedUav | Self::Atomic => true,
            Self::Buffer => matches!(dimension, D::Buffer),
            Self::Raw | Self::Structured | Self::Counter => false,
        }
    }
}

/// One operand of an instruction, in the order of the token stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// A register that the instruction writes.
    Write {
        /// Type of the result.
        ty: Type,
        /// Components that are written.
        width: Width,
        /// `true` if the null register is allowed.
        null: bool,
    },
    /// A value that the instruction reads.
    Read {
        /// Type of the value.
        ty: Type,
        /// Components that are read.
        width: Width,
        /// `true` if the null register is allowed.
        null: bool,
    },
    /// Memory that the instruction writes or updates.
    Store(Storage),
    /// Memory that the instruction reads, or an object that it queries.
    Load(Storage),
    /// A sampler.
    Sampler {
        /// `true` if the operand selects the component to gather.
        select: bool,
        /// The mode that it must be declared with.
        mode: SamplerMode,
    },
    /// A label or function body.
    Label,
    /// A stream of a geometry shader.
    Stream,
    /// An interface slot.
    Interface,
    /// An immediate scalar: the value of a `case`.
    Case,
    /// An input of a pixel shader that is evaluated at another position.
    Attribute,
}

impl Slot {
    /// `true` if the operand is a destination: a written register or written memory.
    pub const fn is_destination(self) -> bool {
        matches!(self, Self::Write { .. } | Self::Store(_))
    }

    /// `true` if the null register is allowed.
    pub const fn may_be_null(self) -> bool {
        matches!(self, Self::Write { null: true, .. } | Self::Read { null: true, .. })
    }
}

/// Kind of token sequence that an opcode begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// An instruction with the row's operands.
    Instruction,
    /// A declaration; its layout is in `declaration.rs`.
    Declaration,
    /// The custom data block.
    CustomData,
}

/// The first shader model with an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Since {
    /// 4.0
    Sm4_0,
    /// 4.1
    Sm4_1,
    /// 5.0, and 4.x in compute shaders or with `enableRawAndStructuredBuffers`.
    Sm4Buffers,
    /// 5.0
    Sm5_0,
}

/// A set of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stages(u8);

impl Stages {
    /// `true` if `stage` is in the set.
    pub const fn contains(self, stage: Stage) -> bool {
        self.0 & (1 << stage as u8) != 0
    }
}

/// Modifiers that an opcode token may have besides the `precise` mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Carries(u8);

impl Carries {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// `_sat`.
    pub const SAT: Self = Self(1);
    /// `_z` or `_nz`.
    pub const TEST: Self = Self(2);
    /// Texel offsets, in an extended token.
    pub const OFFSETS: Self = Self(4);
    /// The flags of `sync`.
    pub const SYNC: Self = Self(8);
    /// The return type of `resinfo`.
    pub const RESINFO: Self = Self(16);
    /// The return type of `sampleinfo`.
    pub const SAMPLEINFO: Self = Self(32);

    /// `true` if all of `other` is in `self`.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The opcode.
    pub op: Op,
    /// Its number in the token stream.
    pub code: u16,
    /// Its name in fxc's listing.
    pub text: &'static str,
    /// Kind of token sequence that it begins.
    pub form: Form,
    /// The first model that has it.
    pub since: Since,
    /// The stages that have it.
    pub stages: Stages,
    /// Its operands.
    pub slots: &'static [Slot],
    /// Modifiers that its opcode token may have.
    pub carries: Carries,
}

impl OpInfo {
    /// The name as it is written, with its mandatory suffix.
    pub fn mnemonic(&self) -> String {
        let suffix = match self.carries {
            carries if carries.has(Carries::TEST) => "_nz",
            carries if carries.has(Carries::SYNC) => "_g_t",
            _ => "",
        };
        format!("{}{suffix}", self.text)
    }

    /// `true` if the opcode exists in `model` for `stage`; `buffers` is the flag `enableRawAndStructuredBuffers`.
    pub const fn exists_in(&self, model: Model, stage: Stage, buffers: bool) -> bool {
        let model_has = match self.since {
            Since::Sm4_0 => true,
            Since::Sm4_1 => !matches!(model, Model::Sm4_0),
            Since::Sm5_0 => matches!(model, Model::Sm5_0 | Model::Sm5_1),
            Since::Sm4Buffers => {
                matches!(model, Model::Sm5_0 | Model::Sm5_1) || buffers || matches!(stage, Stage::Compute)
            }
        };
        model_has && self.stages.contains(stage)
    }
}

// Short names for the table's columns. They are constants, so that a row reads like the specification's line.
const VS: u8 = 1 << Stage::Vertex as u8;
const HS: u8 = 1 << Stage::Hull as u8;
const DS: u8 = 1 << Stage::Domain as u8;
const GS: u8 = 1 << Stage::Geometry as u8;
const PS: u8 = 1 << Stage::Pixel as u8;
const CS: u8 = 1 << Stage::Compute as u8;
const ALL: u8 = VS | HS | DS | GS | PS | CS;

const NONE: u8 = Carries::NONE.0;
const SAT: u8 = Carries::SAT.0;
const TEST: u8 = Carries::TEST.0;
const OFF: u8 = Carries::OFFSETS.0;
const SYNC: u8 = Carries::SYNC.0;
const RESINFO: u8 = Carries::RESINFO.0;
const SAMPLEINFO: u8 = Carries::SAMPLEINFO.0;

const fn write(ty: Type, width: Width, null: bool) -> Slot {
    Slot::Write { ty, width, null }
}

const fn read(ty: Type, width: Width) -> Slot {
    Slot::Read { ty, width, null: false }
}

/// The operand column's vocabulary: `d` destinations, `s` sources, then the type (f i u b d, x for any), then the width
/// (nothing: each component, 1: one, 2: one per double, v: as many as needed) and `n` if `null` is allowed.
#[allow(non_upper_case_globals)]
mod slots {
    use super::*;
    use Type::*;
    use Width::*;

    pub const df: Slot = write(Float, Each, false);
    pub const dfn: Slot = write(Float, Each, true);
    pub const df2: Slot = write(Float, PerDouble, false);
    pub const di: Slot = write(Int, Each, false);
    pub const din: Slot = write(Int, Each, true);
    pub const di2: Slot = write(Int, PerDouble, false);
    pub const du: Slot = write(Uint, Each, false);
    pub const dun: Slot = write(Uint, Each, true);
    pub const du1: Slot = write(Uint, One, false);
    pub const du1n: Slot = write(Uint, One, true);
    pub const du2: Slot = write(Uint, PerDouble, false);
    pub const db: Slot = write(Bool, Each, false);
    pub const db2: Slot = write(Bool, PerDouble, false);
    pub const dd: Slot = write(Double, Each, false);
    pub const dx: Slot = write(Any, Each, false);
    pub const dxn: Slot = write(Any, Each, true);

    pub const sf: Slot = read(Float, Each);
    pub const sf1: Slot = read(Float, One);
    pub const sf1n: Slot = Slot::Read { ty: Float, width: One, null: true };
    pub const sf2: Slot = read(Float, PerDouble);
    pub const sfv: Slot = read(Float, Vector);
    pub const si: Slot = read(Int, Each);
    pub const si1: Slot = read(Int, One);
    pub const si2: Slot = read(Int, PerDouble);
    pub const siv: Slot = read(Int, Vector);
    pub const su: Slot = read(Uint, Each);
    pub const su1: Slot = read(Uint, One);
    pub const su2: Slot = read(Uint, PerDouble);
    pub const suv: Slot = read(Uint, Vector);
    pub const sb: Slot = read(Bool, Each);
    pub const sb1: Slot = read(Bool, One);
    pub const sb2: Slot = read(Bool, PerDouble);
    pub const sd: Slot = read(Double, Each);
    pub const sx: Slot = read(Any, Each);
    pub const sxv: Slot = read(Any, Vector);

    pub const tex: Slot = Slot::Load(Storage::Sampled);
    pub const texc: Slot = Slot::Load(Storage::Compared);
    pub const texlod: Slot = Slot::Load(Storage::Measured);
    pub const tex4: Slot = Slot::Load(Storage::Gathered);
    pub const tex4po: Slot = Slot::Load(Storage::GatheredAround);
    pub const texld: Slot = Slot::Load(Storage::Texels);
    pub const texms: Slot = Slot::Load(Storage::Samples);
    pub const texuav: Slot = Slot::Load(Storage::Texture);
    pub const texras: Slot = Slot::Load(Storage::SamplesOrRasterizer);
    pub const ltyped: Slot = Slot::Load(Storage::TypedUav);
    pub const lraw: Slot = Slot::Load(Storage::Raw);
    pub const lstruct: Slot = Slot::Load(Storage::Structured);
    pub const lbuf: Slot = Slot::Load(Storage::Buffer);
    pub const mtyped: Slot = Slot::Store(Storage::TypedUav);
    pub const mraw: Slot = Slot::Store(Storage::Raw);
    pub const mstruct: Slot = Slot::Store(Storage::Structured);
    pub const matomic: Slot = Slot::Store(Storage::Atomic);
    pub const mcount: Slot = Slot::Store(Storage::Counter);
    pub const smp: Slot = Slot::Sampler { select: false, mode: SamplerMode::Default };
    pub const smpc: Slot = Slot::Sampler { select: false, mode: SamplerMode::Comparison };
    pub const smp4: Slot = Slot::Sampler { select: true, mode: SamplerMode::Default };
    pub const smp4c: Slot = Slot::Sampler { select: true, mode: SamplerMode::Comparison };
    pub const label: Slot = Slot::Label;
    pub const stream: Slot = Slot::Stream;
    pub const iface: Slot = Slot::Interface;
    pub const case: Slot = Slot::Case;
    pub const attr: Slot = Slot::Attribute;
}

macro_rules! form {
    (dcl) => {
        Form::Declaration
    };
    (custom) => {
        Form::CustomData
    };
    () => {
        Form::Instruction
    };
}

macro_rules! sm5_ops {
    ($( $code:literal, $name:ident, $text:literal, $since:ident, $stages:expr, $($form:ident)? [$($slot:ident)*], $carries:expr; )*) => {
        /// An opcode of shader models 4.0 to 5.1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $( #[doc = concat!("`", $text, "`")] $name, )*
        }

        impl Op {
            /// Every opcode, in the order of the numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The opcode with this number; `None` for numbers that are reserved or do not exist.
            pub const fn from_code(code: u16) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$name), )*
                    _ => None,
                }
            }

            /// The opcode's row.
            pub const fn info(self) -> &'static OpInfo {
                match self {
                    $( Self::$name => &OpInfo {
                        op: Op::$name,
                        code: $code,
                        text: $text,
                        form: form!($($form)?),
                        since: Since::$since,
                        stages: Stages($stages),
                        slots: &[$(slots::$slot),*],
                        carries: Carries($carries),
                    }, )*
                }
            }
        }
    };
}

impl Op {
    /// The name in fxc's listing.
    pub const fn text(self) -> &'static str {
        self.info().text
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

#[rustfmt::skip]
sm5_ops! {
    // code, name, text, since, stages, operands, may carry
    0x00, Add, "add", Sm4_0, ALL, [df sf sf], SAT;
    0x01, And, "and", Sm4_0, ALL, [du su su], NONE;
    0x02, Break, "break", Sm4_0, ALL, [], NONE;
    0x03, BreakC, "breakc", Sm4_0, ALL, [sb1], TEST;
    0x04, Call, "call", Sm4_0, ALL, [label], NONE;
    0x05, CallC, "callc", Sm4_0, ALL, [sb1 label], TEST;
    0x06, Case, "case", Sm4_0, ALL, [case], NONE;
    0x07, Continue, "continue", Sm4_0, ALL, [], NONE;
    0x08, ContinueC, "continuec", Sm4_0, ALL, [sb1], TEST;
    0x09, Cut, "cut", Sm4_0, GS, [], NONE;
    0x0a, Default, "default", Sm4_0, ALL, [], NONE;
    0x0b, DerivRtx, "deriv_rtx", Sm4_0, PS, [df sf], SAT;
    0x0c, DerivRty, "deriv_rty", Sm4_0, PS, [df sf], SAT;
    0x0d, Discard, "discard", Sm4_0, PS, [sb1], TEST;
    0x0e, Div, "div", Sm4_0, ALL, [df sf sf], SAT;
    0x0f, Dp2, "dp2", Sm4_0, ALL, [df sfv sfv], SAT;
    0x10, Dp3, "dp3", Sm4_0, ALL, [df sfv sfv], SAT;
    0x11, Dp4, "dp4", Sm4_0, ALL, [df sfv sfv], SAT;
    0x12, Else, "else", Sm4_0, ALL, [], NONE;
    0x13, Emit, "emit", Sm4_0, GS, [], NONE;
    0x14, EmitThenCut, "emit_then_cut", Sm4_0, GS, [], NONE;
    0x15, EndIf, "endif", Sm4_0, ALL, [], NONE;
    0x16, EndLoop, "endloop", Sm4_0, ALL, [], NONE;
    0x17, EndSwitch, "endswitch", Sm4_0, ALL, [], NONE;
    0x18, Eq, "eq", Sm4_0, ALL, [db sf sf], NONE;
    0x19, Exp, "exp", Sm4_0, ALL, [df sf], SAT;
    0x1a, Frc, "frc", Sm4_0, ALL, [df sf], SAT;
    0x1b, FtoI, "ftoi", Sm4_0, ALL, [di sf], NONE;
    0x1c, FtoU, "ftou", Sm4_0, ALL, [du sf], NONE;
    0x1d, Ge, "ge", Sm4_0, ALL, [db sf sf], NONE;
    0x1e, IAdd, "iadd", Sm4_0, ALL, [di si si], NONE;
    0x1f, If, "if", Sm4_0, ALL, [sb1], TEST;
    0x20, IEq, "ieq", Sm4_0, ALL, [db si si], NONE;
    0x21, IGe, "ige", Sm4_0, ALL, [db si si], NONE;
    0x22, ILt, "ilt", Sm4_0, ALL, [db si si], NONE;
    0x23, IMad, "imad", Sm4_0, ALL, [di si si si], NONE;
    0x24, IMax, "imax", Sm4_0, ALL, [di si si], NONE;
    0x25, IMin, "imin", Sm4_0, ALL, [di si si], NONE;
    0x26, IMul, "imul", Sm4_0, ALL, [din din si si], NONE;
    0x27, INe, "ine", Sm4_0, ALL, [db si si], NONE;
    0x28, INeg, "ineg", Sm4_0, ALL, [di si], NONE;
    0x29, IShl, "ishl", Sm4_0, ALL, [du su su], NONE;
    0x2a, IShr, "ishr", Sm4_0, ALL, [di si su], NONE;
    0x2b, ItoF, "itof", Sm4_0, ALL, [df si], NONE;
    0x2c, Label, "label", Sm4_0, ALL, [label], NONE;
    0x2d, Ld, "ld", Sm4_0, ALL, [dx siv texld], OFF;
    0x2e, LdMs, "ldms", Sm4_0, ALL, [dx siv texms si1], OFF;
    0x2f, Log, "log", Sm4_0, ALL, [df sf], SAT;
    0x30, Loop, "loop", Sm4_0, ALL, [], NONE;
    0x31, Lt, "lt", Sm4_0, ALL, [db sf sf], NONE;
    0x32, Mad, "mad", Sm4_0, ALL, [df sf sf sf], SAT;
    0x33, Min, "min", Sm4_0, ALL, [df sf sf], SAT;
    0x34, Max, "max", Sm4_0, ALL, [df sf sf], SAT;
    0x35, CustomData, "customdata", Sm4_0, ALL, custom [], NONE;
    0x36, Mov, "mov", Sm4_0, ALL, [dx sx], SAT;
    0x37, MovC, "movc", Sm4_0, ALL, [dx sb sx sx], SAT;
    0x38, Mul, "mul", Sm4_0, ALL, [df sf sf], SAT;
    0x39, Ne, "ne", Sm4_0, ALL, [db sf sf], NONE;
    0x3a, Nop, "nop", Sm4_0, ALL, [], NONE;
    0x3b, Not, "not", Sm4_0, ALL, [du su], NONE;
    0x3c, Or, "or", Sm4_0, ALL, [du su su], NONE;
    0x3d, ResInfo, "resinfo", Sm4_0, ALL, [dx su1 texuav], RESINFO;
    0x3e, Ret, "ret", Sm4_0, ALL, [], NONE;
    0x3f, RetC, "retc", Sm4_0, ALL, [sb1], TEST;
    0x40, RoundNe, "round_ne", Sm4_0, ALL, [df sf], SAT;
    0x41, RoundNi, "round_ni", Sm4_0, ALL, [df sf], SAT;
    0x42, RoundPi, "round_pi", Sm4_0, ALL, [df sf], SAT;
    0x43, RoundZ, "round_z", Sm4_0, ALL, [df sf], SAT;
    0x44, Rsq, "rsq", Sm4_0, ALL, [df sf], SAT;
    0x45, Sample, "sample", Sm4_0, PS, [dx sfv tex smp], OFF;
    0x46, SampleC, "sample_c", Sm4_0, PS, [df sfv texc smpc sf1], OFF;
    0x47, SampleCLz, "sample_c_lz", Sm4_0, ALL, [df sfv texc smpc sf1], OFF;
    0x48, SampleL, "sample_l", Sm4_0, ALL, [dx sfv tex smp sf1], OFF;
    0x49, SampleD, "sample_d", Sm4_0, ALL, [dx sfv tex smp sfv sfv], OFF;
    0x4a, SampleB, "sample_b", Sm4_0, PS, [dx sfv tex smp sf1], OFF;
    0x4b, Sqrt, "sqrt", Sm4_0, ALL, [df sf], SAT;
    0x4c, Switch, "switch", Sm4_0, ALL, [su1], NONE;
    0x4d, SinCos, "sincos", Sm4_0, ALL, [dfn dfn sf], SAT;
    0x4e, UDiv, "udiv", Sm4_0, ALL, [dun dun su su], NONE;
    0x4f, ULt, "ult", Sm4_0, ALL, [db su su], NONE;
    0x50, UGe, "uge", Sm4_0, ALL, [db su su], NONE;
    0x51, UMul, "umul", Sm4_0, ALL, [dun dun su su], NONE;
    0x52, UMad, "umad", Sm4_0, ALL, [du su su su], NONE;
    0x53, UMax, "umax", Sm4_0, ALL, [du su su], NONE;
    0x54, UMin, "umin", Sm4_0, ALL, [du su su], NONE;
    0x55, UShr, "ushr", Sm4_0, ALL, [du su su], NONE;
    0x56, UtoF, "utof", Sm4_0, ALL, [df su], NONE;
    0x57, Xor, "xor", Sm4_0, ALL, [du su su], NONE;
    0x58, DclResource, "dcl_resource", Sm4_0, ALL, dcl [], NONE;
    0x59, DclConstantBuffer, "dcl_constantbuffer", Sm4_0, ALL, dcl [], NONE;
    0x5a, DclSampler, "dcl_sampler", Sm4_0, ALL, dcl [], NONE;
    0x5b, DclIndexRange, "dcl_indexrange", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x5c, DclOutputTopology, "dcl_outputtopology", Sm4_0, GS, dcl [], NONE;
    0x5d, DclInputPrimitive, "dcl_inputprimitive", Sm4_0, GS, dcl [], NONE;
    0x5e, DclMaxOutputVertexCount, "dcl_maxout", Sm4_0, GS, dcl [], NONE;
    0x5f, DclInput, "dcl_input", Sm4_0, ALL, dcl [], NONE;
    0x60, DclInputSgv, "dcl_input_sgv", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x61, DclInputSiv, "dcl_input_siv", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x62, DclInputPs, "dcl_input_ps", Sm4_0, PS, dcl [], NONE;
    0x63, DclInputPsSgv, "dcl_input_ps_sgv", Sm4_0, PS, dcl [], NONE;
    0x64, DclInputPsSiv, "dcl_input_ps_siv", Sm4_0, PS, dcl [], NONE;
    0x65, DclOutput, "dcl_output", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x66, DclOutputSgv, "dcl_output_sgv", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x67, DclOutputSiv, "dcl_output_siv", Sm4_0, VS | HS | DS | GS | PS, dcl [], NONE;
    0x68, DclTemps, "dcl_temps", Sm4_0, ALL, dcl [], NONE;
    0x69, DclIndexableTemp, "dcl_indexableTemp", Sm4_0, ALL, dcl [], NONE;
    0x6a, DclGlobalFlags, "dcl_globalFlags", Sm4_0, ALL, dcl [], NONE;
    0x6c, Lod, "lod", Sm4_1, PS, [df sfv texlod smp], NONE;
    0x6d, Gather4, "gather4", Sm4_1, ALL, [dx sfv tex4 smp4], OFF;
    0x6e, SamplePos, "samplepos", Sm4_1, ALL, [df texras su1], NONE;
    0x6f, SampleInfo, "sampleinfo", Sm4_1, ALL, [dx texras], SAMPLEINFO;
    0x71, HsDecls, "hs_decls", Sm5_0, HS, [], NONE;
    0x72, HsControlPointPhase, "hs_control_point_phase", Sm5_0, HS, [], NONE;
    0x73, HsForkPhase, "hs_fork_phase", Sm5_0, HS, [], NONE;
    0x74, HsJoinPhase, "hs_join_phase", Sm5_0, HS, [], NONE;
    0x75, EmitStream, "emit_stream", Sm5_0, GS, [stream], NONE;
    0x76, CutStream, "cut_stream", Sm5_0, GS, [stream], NONE;
    0x77, EmitThenCutStream, "emit_then_cut_stream", Sm5_0, GS, [stream], NONE;
    0x78, FCall, "fcall", Sm5_0, ALL, [iface], NONE;
    0x79, BufInfo, "bufinfo", Sm4Buffers, ALL, [du lbuf], NONE;
    0x7a, DerivRtxCoarse, "deriv_rtx_coarse", Sm5_0, PS, [df sf], SAT;
    0x7b, DerivRtxFine, "deriv_rtx_fine", Sm5_0, PS, [df sf], SAT;
    0x7c, DerivRtyCoarse, "deriv_rty_coarse", Sm5_0, PS, [df sf], SAT;
    0x7d, DerivRtyFine, "deriv_rty_fine", Sm5_0, PS, [df sf], SAT;
    0x7e, Gather4C, "gather4_c", Sm5_0, ALL, [df sfv tex4 smp4c sf1], OFF;
    0x7f, Gather4Po, "gather4_po", Sm5_0, ALL, [dx sfv siv tex4po smp4], NONE;
    0x80, Gather4PoC, "gather4_po_c", Sm5_0, ALL, [df sfv siv tex4po smp4c sf1], NONE;
    0x81, Rcp, "rcp", Sm5_0, ALL, [df sf], SAT;
    0x82, F32toF16, "f32tof16", Sm5_0, ALL, [du sf], NONE;
    0x83, F16toF32, "f16tof32", Sm5_0, ALL, [df su], NONE;
    0x84, UAddC, "uaddc", Sm5_0, ALL, [dun dun su su], NONE;
    0x85, USubB, "usubb", Sm5_0, ALL, [dun dun su su], NONE;
    0x86, CountBits, "countbits", Sm5_0, ALL, [du su], NONE;
    0x87, FirstBitHi, "firstbit_hi", Sm5_0, ALL, [du su], NONE;
    0x88, FirstBitLo, "firstbit_lo", Sm5_0, ALL, [du su], NONE;
    0x89, FirstBitShi, "firstbit_shi", Sm5_0, ALL, [du si], NONE;
    0x8a, Ubfe, "ubfe", Sm5_0, ALL, [du su su su], NONE;
    0x8b, Ibfe, "ibfe", Sm5_0, ALL, [di su su si], NONE;
    0x8c, Bfi, "bfi", Sm5_0, ALL, [du su su su su], NONE;
    0x8d, BfRev, "bfrev", Sm5_0, ALL, [du su], NONE;
    0x8e, SwapC, "swapc", Sm5_0, ALL, [dxn dxn sb sx sx], NONE;
    0x8f, DclStream, "dcl_stream", Sm5_0, GS, dcl [], NONE;
    0x90, DclFunctionBody, "dcl_function_body", Sm5_0, ALL, dcl [], NONE;
    0x91, DclFunctionTable, "dcl_function_table", Sm5_0, ALL, dcl [], NONE;
    0x92, DclInterface, "dcl_interface", Sm5_0, ALL, dcl [], NONE;
    0x93, DclInputControlPointCount, "dcl_input_control_point_count", Sm5_0, HS | DS, dcl [], NONE;
    0x94, DclOutputControlPointCount, "dcl_output_control_point_count", Sm5_0, HS, dcl [], NONE;
    0x95, DclTessellatorDomain, "dcl_tessellator_domain", Sm5_0, HS | DS, dcl [], NONE;
    0x96, DclTessellatorPartitioning, "dcl_tessellator_partitioning", Sm5_0, HS, dcl [], NONE;
    0x97, DclTessellatorOutputPrimitive, "dcl_tessellator_output_primitive", Sm5_0, HS, dcl [], NONE;
    0x98, DclHsMaxTessFactor, "dcl_hs_max_tessfactor", Sm5_0, HS, dcl [], NONE;
    0x99, DclHsForkPhaseInstanceCount, "dcl_hs_fork_phase_instance_count", Sm5_0, HS, dcl [], NONE;
    0x9a, DclHsJoinPhaseInstanceCount, "dcl_hs_join_phase_instance_count", Sm5_0, HS, dcl [], NONE;
    0x9b, DclThreadGroup, "dcl_thread_group", Sm4Buffers, CS, dcl [], NONE;
    0x9c, DclUavTyped, "dcl_uav_typed", Sm5_0, ALL, dcl [], NONE;
    0x9d, DclUavRaw, "dcl_uav_raw", Sm4Buffers, ALL, dcl [], NONE;
    0x9e, DclUavStructured, "dcl_uav_structured", Sm4Buffers, ALL, dcl [], NONE;
    0x9f, DclTgsmRaw, "dcl_tgsm_raw", Sm5_0, CS, dcl [], NONE;
    0xa0, DclTgsmStructured, "dcl_tgsm_structured", Sm4Buffers, CS, dcl [], NONE;
    0xa1, DclResourceRaw, "dcl_resource_raw", Sm4Buffers, ALL, dcl [], NONE;
    0xa2, DclResourceStructured, "dcl_resource_structured", Sm4Buffers, ALL, dcl [], NONE;
    0xa3, LdUavTyped, "ld_uav_typed", Sm5_0, ALL, [dx siv ltyped], NONE;
    0xa4, StoreUavTyped, "store_uav_typed", Sm5_0, ALL, [mtyped siv sxv], NONE;
    0xa5, LdRaw, "ld_raw", Sm4Buffers, ALL, [dx su1 lraw], NONE;
    0xa6, StoreRaw, "store_raw", Sm4Buffers, ALL, [mraw su1 sx], NONE;
    0xa7, LdStructured, "ld_structured", Sm4Buffers, ALL, [dx su1 su1 lstruct], NONE;
    0xa8, StoreStructured, "store_structured", Sm4Buffers, ALL, [mstruct su1 su1 sx], NONE;
    0xa9, AtomicAnd, "atomic_and", Sm5_0, ALL, [matomic suv su1], NONE;
    0xaa, AtomicOr, "atomic_or", Sm5_0, ALL, [matomic suv su1], NONE;
    0xab, AtomicXor, "atomic_xor", Sm5_0, ALL, [matomic suv su1], NONE;
    0xac, AtomicCmpStore, "atomic_cmp_store", Sm5_0, ALL, [matomic suv su1 su1], NONE;
    0xad, AtomicIAdd, "atomic_iadd", Sm5_0, ALL, [matomic suv si1], NONE;
    0xae, AtomicIMax, "atomic_imax", Sm5_0, ALL, [matomic suv si1], NONE;
    0xaf, AtomicIMin, "atomic_imin", Sm5_0, ALL, [matomic suv si1], NONE;
    0xb0, AtomicUMax, "atomic_umax", Sm5_0, ALL, [matomic suv su1], NONE;
    0xb1, AtomicUMin, "atomic_umin", Sm5_0, ALL, [matomic suv su1], NONE;
    0xb2, ImmAtomicAlloc, "imm_atomic_alloc", Sm5_0, ALL, [du1 mcount], NONE;
    0xb3, ImmAtomicConsume, "imm_atomic_consume", Sm5_0, ALL, [du1 mcount], NONE;
    0xb4, ImmAtomicIAdd, "imm_atomic_iadd", Sm5_0, ALL, [du1 matomic suv si1], NONE;
    0xb5, ImmAtomicAnd, "imm_atomic_and", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xb6, ImmAtomicOr, "imm_atomic_or", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xb7, ImmAtomicXor, "imm_atomic_xor", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xb8, ImmAtomicExch, "imm_atomic_exch", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xb9, ImmAtomicCmpExch, "imm_atomic_cmp_exch", Sm5_0, ALL, [du1 matomic suv su1 su1], NONE;
    0xba, ImmAtomicIMax, "imm_atomic_imax", Sm5_0, ALL, [du1 matomic suv si1], NONE;
    0xbb, ImmAtomicIMin, "imm_atomic_imin", Sm5_0, ALL, [du1 matomic suv si1], NONE;
    0xbc, ImmAtomicUMax, "imm_atomic_umax", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xbd, ImmAtomicUMin, "imm_atomic_umin", Sm5_0, ALL, [du1 matomic suv su1], NONE;
    0xbe, Sync, "sync", Sm4Buffers, ALL, [], SYNC;
    0xbf, DAdd, "dadd", Sm5_0, ALL, [dd sd sd], SAT;
    0xc0, DMax, "dmax", Sm5_0, ALL, [dd sd sd], SAT;
    0xc1, DMin, "dmin", Sm5_0, ALL, [dd sd sd], SAT;
    0xc2, DMul, "dmul", Sm5_0, ALL, [dd sd sd], SAT;
    0xc3, DEq, "deq", Sm5_0, ALL, [db2 sd sd], NONE;
    0xc4, DGe, "dge", Sm5_0, ALL, [db2 sd sd], NONE;
    0xc5, DLt, "dlt", Sm5_0, ALL, [db2 sd sd], NONE;
    0xc6, DNe, "dne", Sm5_0, ALL, [db2 sd sd], NONE;
    0xc7, DMov, "dmov", Sm5_0, ALL, [dd sd], SAT;
    0xc8, DMovC, "dmovc", Sm5_0, ALL, [dd sb2 sd sd], SAT;
    0xc9, DtoF, "dtof", Sm5_0, ALL, [df2 sd], NONE;
    0xca, FtoD, "ftod", Sm5_0, ALL, [dd sf2], NONE;
    0xcb, EvalSnapped, "eval_snapped", Sm5_0, PS, [df attr siv], NONE;
    0xcc, EvalSampleIndex, "eval_sample_index", Sm5_0, PS, [df attr si1], NONE;
    0xcd, EvalCentroid, "eval_centroid", Sm5_0, PS, [df attr], NONE;
    0xce, DclGsInstances, "dcl_gsinstances", Sm5_0, GS, dcl [], NONE;
    0xcf, Abort, "abort", Sm4_0, ALL, [], NONE;
    0xd0, DebugBreak, "debug_break", Sm4_0, ALL, [], NONE;
    0xd2, DDiv, "ddiv", Sm5_0, ALL, [dd sd sd], SAT;
    0xd3, DFma, "dfma", Sm5_0, ALL, [dd sd sd sd], SAT;
    0xd4, DRcp, "drcp", Sm5_0, ALL, [dd sd], SAT;
    0xd5, Msad, "msad", Sm5_0, ALL, [du su su su], NONE;
    0xd6, DtoI, "dtoi", Sm5_0, ALL, [di2 sd], NONE;
    0xd7, DtoU, "dtou", Sm5_0, ALL, [du2 sd], NONE;
    0xd8, ItoD, "itod", Sm5_0, ALL, [dd si2], NONE;
    0xd9, UtoD, "utod", Sm5_0, ALL, [dd su2], NONE;
    0xdb, Gather4S, "gather4_s", Sm5_0, ALL, [dxn du1n sfv tex4 smp4], OFF;
    0xdc, Gather4CS, "gather4_c_s", Sm5_0, ALL, [dfn du1n sfv tex4 smp4c sf1], OFF;
    0xdd, Gather4PoS, "gather4_po_s", Sm5_0, ALL, [dxn du1n sfv siv tex4po smp4], NONE;
    0xde, Gather4PoCS, "gather4_po_c_s", Sm5_0, ALL, [dfn du1n sfv siv tex4po smp4c sf1], NONE;
    0xdf, LdS, "ld_s", Sm5_0, ALL, [dxn du1n siv texld], OFF;
    0xe0, LdMsS, "ldms_s", Sm5_0, ALL, [dxn du1n siv texms si1], OFF;
    0xe1, LdUavTypedS, "ld_uav_typed_s", Sm5_0, ALL, [dxn du1n siv ltyped], NONE;
    0xe2, LdRawS, "ld_raw_s", Sm5_0, ALL, [dxn du1n su1 lraw], NONE;
    0xe3, LdStructuredS, "ld_structured_s", Sm5_0, ALL, [dxn du1n su1 su1 lstruct], NONE;
    0xe4, SampleLS, "sample_l_s", Sm5_0, ALL, [dxn du1n sfv tex smp sf1], OFF;
    0xe5, SampleCLzS, "sample_c_lz_s", Sm5_0, ALL, [dfn du1n sfv texc smpc sf1], OFF;
    0xe6, SampleClS, "sample_cl_s", Sm5_0, PS, [dxn du1n sfv tex smp sf1n], OFF;
    0xe7, SampleBClS, "sample_b_cl_s", Sm5_0, PS, [dxn du1n sfv tex smp sf1 sf1n], OFF;
    0xe8, SampleDClS, "sample_d_cl_s", Sm5_0, ALL, [dxn du1n sfv tex smp sfv sfv sf1n], OFF;
    0xe9, SampleCClS, "sample_c_cl_s", Sm5_0, PS, [dfn du1n sfv texc smpc sf1 sf1n], OFF;
    0xea, CheckAccessFullyMapped, "check_access_fully_mapped", Sm5_0, ALL, [db su1], NONE;
}
