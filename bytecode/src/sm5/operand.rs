//! Defines operands: a register file, components, modifiers and indices.
//!
//! An [`Operand`] holds what the tokens say and no more; the validator checks that its register is declared.

use super::Stage;
use super::codes::MinPrecision;
use smallvec::SmallVec;

macro_rules! register_files {
    ($( $code:literal $name:ident $text:literal $description:literal $doc:literal; )*) => {
        /// Register file of an operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RegisterFile {
            $( #[doc = $doc] $name, )*
        }

        impl RegisterFile {
            /// Every file, in the order of the numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The file with this operand type number.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$name), )*
                    _ => None,
                }
            }

            /// The operand type number.
            pub const fn code(self) -> u32 {
                match self {
                    $( Self::$name => $code, )*
                }
            }

            /// The name for messages: `r#`, `vThreadID`.
            pub const fn description(self) -> &'static str {
                match self {
                    $( Self::$name => $description, )*
                }
            }

            /// The prefix in fxc's listing.
            pub const fn text(self) -> &'static str {
                match self {
                    $( Self::$name => $text, )*
                }
            }
        }
    };
}

register_files! {
    0 Temp "r" "r#" "r#: a temporary register of four components";
    1 Input "v" "v#" "v#: an input of the stage";
    2 Output "o" "o#" "o#: an output of the stage";
    3 IndexableTemp "x" "x#" "x#\\[n\\]: an array of temporary registers";
    4 Immediate32 "l" "l(...)" "l(...): 32-bit values in the token stream";
    5 Immediate64 "d" "d(...)" "d(...): 64-bit values in the token stream";
    6 Sampler "s" "s#" "s#: a sampler";
    7 Resource "t" "t#" "t#: a resource that is read";
    8 ConstantBuffer "cb" "cb#" "cb#\\[n\\]: a vector of a constant buffer";
    9 ImmediateConstantBuffer "icb" "icb" "icb\\[n\\]: a vector of the constants in the token stream";
    10 Label "l" "l#" "l#: a subroutine";
    11 InputPrimitiveId "vPrim" "vPrim" "vPrim: the primitive's number";
    12 OutputDepth "oDepth" "oDepth" "oDepth";
    13 Null "null" "null" "null: the result is not wanted";
    14 Rasterizer "rasterizer" "rasterizer" "rasterizer: the render target's sample layout";
    15 OutputCoverageMask "oMask" "oMask" "oMask";
    16 Stream "m" "m#" "m#: a stream of a geometry shader";
    17 FunctionBody "fb" "fb#" "fb#: the body of an interface method";
    18 FunctionTable "ft" "ft#" "ft#: a table of function bodies";
    19 Interface "fp" "fp#" "fp#\\[n\\]\\[m\\]: an interface slot";
    20 FunctionInput "fi" "fi#" "an input of a function";
    21 FunctionOutput "fo" "fo#" "an output of a function";
    22 OutputControlPointId "vOutputControlPointID" "vOutputControlPointID" "vOutputControlPointID";
    23 ForkInstanceId "vForkInstanceID" "vForkInstanceID" "vForkInstanceID";
    24 JoinInstanceId "vJoinInstanceID" "vJoinInstanceID" "vJoinInstanceID";
    25 InputControlPoint "vicp" "vicp#" "vicp\\[p\\]\\[n\\]: an input control point";
    26 OutputControlPoint "vocp" "vocp#" "vocp\\[p\\]\\[n\\]: an output control point";
    27 PatchConstant "vpc" "vpc#" "vpc#: a patch constant";
    28 DomainPoint "vDomain" "vDomain" "vDomain: the position in the domain";
    29 This "this" "this" "this\\[n\\]: where a class instance keeps its data";
    30 Uav "u" "u#" "u#: a resource that is read and written";
    31 SharedMemory "g" "g#" "g#: thread-group shared memory";
    32 ThreadId "vThreadID" "vThreadID" "vThreadID: position in the dispatch";
    33 GroupId "vThreadGroupID" "vThreadGroupID" "vThreadGroupID: the group's position in the dispatch";
    34 ThreadIdInGroup "vThreadIDInGroup" "vThreadIDInGroup" "vThreadIDInGroup: position in the group";
    35 InputCoverage "vCoverage" "vCoverage" "vCoverage: the covered samples";
    36 ThreadIndexInGroup "vThreadIDInGroupFlattened" "vThreadIDInGroupFlattened" "vThreadIDInGroupFlattened: linear position in the group";
    37 GsInstanceId "vGSInstanceID" "vGSInstanceID" "vGSInstanceID";
    38 OutputDepthGreaterEqual "oDepthGE" "oDepthGE" "oDepthGE";
    39 OutputDepthLessEqual "oDepthLE" "oDepthLE" "oDepthLE";
    40 CycleCounter "vCycleCounter" "vCycleCounter" "vCycleCounter: a clock, for debugging";
    41 OutputStencilRef "oStencilRef" "oStencilRef" "oStencilRef";
    42 InnerCoverage "vInnerCoverage" "vInnerCoverage" "vInnerCoverage";
}

impl RegisterFile {
    /// `true` if the file has numbered registers.
    pub const fn is_numbered(self) -> bool {
        match self {
            Self::Temp
            | Self::Input
            | Self::Output
            | Self::IndexableTemp
            | Self::Sampler
            | Self::Resource
            | Self::ConstantBuffer
            | Self::Label
            | Self::Stream
            | Self::FunctionBody
            | Self::FunctionTable
            | Self::Interface
            | Self::FunctionInput
            | Self::FunctionOutput
            | Self::InputControlPoint
            | Self::OutputControlPoint
            | Self::PatchConstant
            | Self::Uav
            | Self::SharedMemory => true,
            Self::Immediate32
            | Self::Immediate64
            | Self::ImmediateConstantBuffer
            | Self::InputPrimitiveId
            | Self::OutputDepth
            | Self::Null
            | Self::Rasterizer
            | Self::OutputCoverageMask
            | Self::OutputControlPointId
            | Self::ForkInstanceId
            | Self::JoinInstanceId
            | Self::DomainPoint
            | Self::This
            | Self::ThreadId
            | Self::GroupId
            | Self::ThreadIdInGroup
            | Self::InputCoverage
            | Self::ThreadIndexInGroup
            | Self::GsInstanceId
            | Self::OutputDepthGreaterEqual
            | Self::OutputDepthLessEqual
            | Self::CycleCounter
            | Self::OutputStencilRef
            | Self::InnerCoverage => false,
        }
    }

    /// `true` if a stage has this input.
    pub(super) fn is_input_of(self, stage: Stage) -> bool {
        match self {
            Self::Input => stage != Stage::Compute,
            Self::InputPrimitiveId => matches!(stage, Stage::Geometry | Stage::Hull | Stage::Domain | Stage::Pixel),
            Self::OutputControlPointId | Self::ForkInstanceId | Self::JoinInstanceId | Self::OutputControlPoint => {
                stage == Stage::Hull
            }
            Self::InputControlPoint | Self::PatchConstant => matches!(stage, Stage::Hull | Stage::Domain),
            Self::DomainPoint => stage == Stage::Domain,
            Self::ThreadId | Self::GroupId | Self::ThreadIdInGroup | Self::ThreadIndexInGroup => {
                stage == Stage::Compute
            }
            Self::InputCoverage | Self::InnerCoverage => stage == Stage::Pixel,
            Self::GsInstanceId => stage == Stage::Geometry,
            Self::CycleCounter => true,
            _ => false,
        }
    }

    /// `true` if a stage has this output.
    pub(super) fn is_output_of(self, stage: Stage) -> bool {
        match self {
            Self::Output => stage != Stage::Compute,
            Self::OutputDepth
            | Self::OutputDepthGreaterEqual
            | Self::OutputDepthLessEqual
            | Self::OutputCoverageMask
            | Self::OutputStencilRef => stage == Stage::Pixel,
            _ => false,
        }
    }
}

/// Components of a register that an operand uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Components {
    /// The operand has no components.
    None,
    /// The operand has one component.
    One,
    /// The components that are written: bit 0 is x.
    Mask(u8),
    /// For each component of the destination, the component that is read.
    Swizzle([u8; 4]),
    /// One component out of four.
    Select(u8),
}

/// Encoding of an index in the token stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexForm {
    /// A 32-bit number.
    Immediate32,
    /// A 64-bit number.
    Immediate64,
    /// An operand.
    Relative,
    /// A 32-bit number plus an operand.
    Relative32,
    /// A 64-bit number plus an operand.
    Relative64,
}

/// An index of a register: a number, an operand, or their sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// Encoding in the tokens.
    pub form: IndexForm,
    /// The number; 0 if the tokens have none.
    pub immediate: u64,
    /// The operand that is added; it has one component.
    pub relative: Option<Box<Operand>>,
}

impl Index {
    /// An index that is a number.
    pub fn number(number: u32) -> Self {
        Self { form: IndexForm::Immediate32, immediate: u64::from(number), relative: None }
    }

    /// The number, if the index is nothing else.
    pub fn as_immediate(&self) -> Option<u64> {
        self.relative.is_none().then_some(self.immediate)
    }

    /// The number as 32 bits, if the index is nothing else and fits.
    pub fn as_u32(&self) -> Option<u32> {
        self.as_immediate().and_then(|number| u32::try_from(number).ok())
    }
}

/// An operand of an instruction or declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The register file.
    pub file: RegisterFile,
    /// The components.
    pub components: Components,
    /// Set if the value is negated, after `absolute`.
    pub negate: bool,
    /// Set if the absolute value is taken.
    pub absolute: bool,
    /// The minimum precision that the compiler noted.
    pub min_precision: MinPrecision,
    /// Set if the index may differ between the threads that run together (5.1).
    pub non_uniform: bool,
    /// The indices, none to three.
    pub indices: SmallVec<[Index; 1]>,
    /// The words of an immediate: one or four of 32 bits, two or four of 64-bit values (low word first).
    pub immediate: SmallVec<[u32; 4]>,
}

impl Operand {
    /// An operand without indices, immediates and modifiers.
    pub fn new(file: RegisterFile, components: Components) -> Self {
        Self {
            file,
            components,
            negate: false,
            absolute: false,
            min_precision: MinPrecision::Full,
            non_uniform: false,
            indices: SmallVec::new(),
            immediate: SmallVec::new(),
        }
    }

    /// The component that is read for component `lane` of the destination.
    ///
    /// An operand of one component serves all lanes.
    pub fn component(&self, lane: usize) -> u8 {
        match self.components {
            Components::None | Components::One => 0,
            Components::Mask(_) => (lane & 3) as u8,
            Components::Swizzle(swizzle) => swizzle[lane & 3],
            Components::Select(component) => component,
        }
    }

    /// The components that are written, bit 0 for x; 0 for `null` and for operands without components.
    pub fn mask(&self) -> u8 {
        match self.components {
            Components::None => 0,
            Components::One => 1,
            Components::Mask(mask) => mask,
            Components::Swizzle(_) => 0xf,
            Components::Select(component) => 1 << (component & 3),
        }
    }

    /// The word of a 32-bit immediate that is read for component `lane` of the destination; `None` if this is none.
    pub fn immediate_word(&self, lane: usize) -> Option<u32> {
        if self.file != RegisterFile::Immediate32 {
            return None;
        }
        match self.immediate.as_slice() {
            [word] => Some(*word),
            words => words.get(self.component(lane) as usize).copied(),
        }
    }

    /// Index `n` as a number, if it is one.
    pub fn index_u32(&self, n: usize) -> Option<u32> {
        self.indices.get(n).and_then(Index::as_u32)
    }

    /// `true` if this is the null register.
    pub fn is_null(&self) -> bool {
        self.file == RegisterFile::Null
    }
}
