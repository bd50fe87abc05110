//! Defines declarations: one variant per `dcl_` opcode, with its payload.

use super::codes::{
    Interpolation, ResourceDimension, ReturnType, SamplerMode, SystemValue, TessellatorDomain, TessellatorOutput,
    TessellatorPartitioning, Topology,
};
use super::operand::Operand;
use super::ops::Op;

/// A declared range of resource registers.
///
/// Before 5.1 a declaration names one register: `id`, `lower` and `upper` are its number and `space` is 0, so that
/// later stages treat all models alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterRange {
    /// The number by which operands name the range.
    pub id: u32,
    /// The first register.
    pub lower: u32,
    /// The last register; `None` if the range is unbounded.
    pub upper: Option<u32>,
    /// The register space.
    pub space: u32,
}

impl RegisterRange {
    /// `true` if the range holds this register.
    pub fn contains(&self, register: u32) -> bool {
        register >= self.lower && self.upper.is_none_or(|upper| register <= upper)
    }

    /// Number of registers; `None` if it is unbounded.
    pub fn len(&self) -> Option<u32> {
        self.upper.map(|upper| (upper - self.lower).saturating_add(1))
    }

    /// `false`: a range holds at least one register.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Kind of a resource or UAV, with facts about its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// Texels or elements with a format.
    Typed {
        /// The dimension.
        dimension: ResourceDimension,
        /// Samples of a multisampled texture; 0 if not known.
        samples: u8,
        /// Return types of the components.
        returns: [ReturnType; 4],
    },
    /// Bytes.
    Raw,
    /// Structures.
    Structured {
        /// Bytes of a structure.
        stride_bytes: u32,
    },
}

/// Properties of a UAV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UavFlags {
    /// `_glc`: writes are seen by all groups.
    pub globally_coherent: bool,
    /// Accesses of overlapping pixels happen in order.
    pub rasterizer_ordered: bool,
    /// `_opc`: the hidden counter is used for append, consume or counting.
    pub counter: bool,
}

/// The flags of `dcl_globalFlags`, as in the opcode token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GlobalFlags(pub u32);

impl GlobalFlags {
    /// Arithmetic may be reordered unless it is `precise`.
    pub const REFACTORING_ALLOWED: Self = Self(1 << 11);
    /// Doubles are used.
    pub const DOUBLES: Self = Self(1 << 12);
    /// Depth and stencil tests come before the pixel shader.
    pub const EARLY_DEPTH_STENCIL: Self = Self(1 << 13);
    /// Raw and structured buffers are used in model 4.x.
    pub const RAW_AND_STRUCTURED_BUFFERS: Self = Self(1 << 14);
    /// The driver must not optimise.
    pub const SKIP_OPTIMIZATION: Self = Self(1 << 15);
    /// Minimum precisions are used.
    pub const MINIMUM_PRECISION: Self = Self(1 << 16);
    /// The double instructions of 11.1 are used.
    pub const DOUBLE_EXTENSIONS: Self = Self(1 << 17);
    /// The other instructions of 11.1 are used.
    pub const SHADER_EXTENSIONS: Self = Self(1 << 18);
    /// All resources are bound.
    pub const ALL_RESOURCES_BOUND: Self = Self(1 << 19);

    /// The flags with their names in fxc's listing, in the order in which it prints them.
    pub const NAMES: &'static [(Self, &'static str)] = &[
        (Self::REFACTORING_ALLOWED, "refactoringAllowed"),
        (Self::DOUBLES, "enableDoublePrecisionFloatOps"),
        (Self::RAW_AND_STRUCTURED_BUFFERS, "enableRawAndStructuredBuffers"),
        (Self::EARLY_DEPTH_STENCIL, "forceEarlyDepthStencil"),
        (Self::SKIP_OPTIMIZATION, "skipOptimization"),
        (Self::MINIMUM_PRECISION, "enableMinimumPrecision"),
        (Self::DOUBLE_EXTENSIONS, "enable11_1DoubleExtensions"),
        (Self::SHADER_EXTENSIONS, "enable11_1ShaderExtensions"),
        (Self::ALL_RESOURCES_BOUND, "allResourcesBound"),
    ];

    /// `true` if all flags of `other` are set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A declaration and its offset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declaration {
    /// The byte in the file where it begins.
    pub at: u32,
    /// The opcode.
    pub op: Op,
    /// The payload.
    pub kind: DeclarationKind,
}

/// Payload of a declaration. Declarations with the same payload are distinguished by their opcode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// `dcl_globalFlags`
    GlobalFlags(GlobalFlags),
    /// `dcl_resource`, `dcl_resource_raw`, `dcl_resource_structured`
    Resource {
        /// The registers.
        range: RegisterRange,
        /// Kind of resource.
        kind: ResourceKind,
    },
    /// `dcl_uav_typed`, `dcl_uav_raw`, `dcl_uav_structured`
    Uav {
        /// The registers.
        range: RegisterRange,
        /// Kind of resource.
        kind: ResourceKind,
        /// Properties.
        flags: UavFlags,
    },
    /// `dcl_sampler`
    Sampler {
        /// The registers.
        range: RegisterRange,
        /// Sampler mode.
        mode: SamplerMode,
    },
    /// `dcl_constantbuffer`
    ConstantBuffer {
        /// The registers.
        range: RegisterRange,
        /// Size in vectors of 16 bytes; 0 if not known.
        vectors: u32,
        /// `true` if it is read with computed indices.
        dynamic: bool,
    },
    /// `dcl_input`, `dcl_input_siv`, `dcl_input_sgv` and their `_ps` forms
    Input {
        /// The register and its components.
        operand: Operand,
        /// System value, for the `_siv` and `_sgv` forms.
        system_value: Option<SystemValue>,
        /// Interpolation, for the `_ps` forms.
        interpolation: Option<Interpolation>,
    },
    /// `dcl_output`, `dcl_output_siv`, `dcl_output_sgv`
    Output {
        /// The register and its components.
        operand: Operand,
        /// System value, for the `_siv` and `_sgv` forms.
        system_value: Option<SystemValue>,
    },
    /// `dcl_indexrange`
    IndexRange {
        /// The first register.
        operand: Operand,
        /// Number of registers.
        count: u32,
    },
    /// `dcl_temps`
    Temps {
        /// Their number.
        count: u32,
    },
    /// `dcl_indexableTemp`
    IndexableTemp {
        /// The number of x#.
        register: u32,
        /// Number of registers.
        count: u32,
        /// Components of each, 1 to 4.
        components: u32,
    },
    /// `dcl_inputprimitive`
    InputPrimitive {
        /// 1 point, 2 line, 3 triangle, 6 line with adjacency, 7 triangle with adjacency, 8 to 39 patches.
        primitive: u32,
    },
    /// `dcl_outputtopology`
    OutputTopology(Topology),
    /// `dcl_maxout`
    MaxOutputVertexCount(u32),
    /// `dcl_gsinstances`
    GsInstances(u32),
    /// `dcl_stream`
    Stream {
        /// The number of m#.
        register: u32,
    },
    /// `dcl_input_control_point_count`
    InputControlPointCount(u32),
    /// `dcl_output_control_point_count`
    OutputControlPointCount(u32),
    /// `dcl_tessellator_domain`
    TessellatorDomain(TessellatorDomain),
    /// `dcl_tessellator_partitioning`
    TessellatorPartitioning(TessellatorPartitioning),
    /// `dcl_tessellator_output_primitive`
    TessellatorOutput(TessellatorOutput),
    /// `dcl_hs_max_tessfactor`: the bits of a float
    HsMaxTessFactor(u32),
    /// `dcl_hs_fork_phase_instance_count`
    ForkInstanceCount(u32),
    /// `dcl_hs_join_phase_instance_count`
    JoinInstanceCount(u32),
    /// `dcl_thread_group`
    ThreadGroup {
        /// Threads in x, y and z.
        size: [u32; 3],
    },
    /// `dcl_tgsm_raw`
    TgsmRaw {
        /// The number of g#.
        register: u32,
        /// Its size.
        bytes: u32,
    },
    /// `dcl_tgsm_structured`
    TgsmStructured {
        /// The number of g#.
        register: u32,
        /// Bytes of a structure.
        stride_bytes: u32,
        /// Number of structures.
        count: u32,
    },
    /// `dcl_function_body`
    FunctionBody {
        /// The number of fb#.
        body: u32,
    },
    /// `dcl_function_table`
    FunctionTable {
        /// The number of ft#.
        table: u32,
        /// The bodies, one for each call site.
        bodies: Vec<u32>,
    },
    /// `dcl_interface`
    Interface {
        /// The number of fp#.
        interface: u32,
        /// `true` if it is called with a computed array index.
        dynamic: bool,
        /// Number of call sites.
        call_sites: u32,
        /// Number of slots, from this one on.
        array_length: u32,
        /// The tables that may be bound.
        tables: Vec<u32>,
    },
}
