//! Options of compiling a shader, and the forms in which it can be shown.

use brolga_bytecode::sm3::TextureType;
use brolga_ir::Width;
use brolga_ir::passes::Level;
use brolga_ir::pipeline::state::StageState;
use brolga_ir::translate::sm3::FloatRules;

use super::instance::{ClassInstance, Instances};
use crate::engine::{Engine, Oversize};

/// Time at which the code of a shader is made.
///
/// Code depends on the bindings: a dispatch whose texels have other formats, or whose groups form short rows, runs
/// different code from most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codegen {
    /// The code of most dispatches is made at once, so that a shader that compiles can run. Other code is made for the
    /// first dispatch that needs it.
    #[default]
    Eager,
    /// All code is made once the bindings are known: by [`Shader::compile_for`](crate::Shader::compile_for),
    /// [`BoundShader::prepare`](crate::BoundShader::prepare), or the first dispatch. Only then does it turn out whether
    /// code is too large, or needs more private memory than [`Limits::arena_bytes`](crate::Limits::arena_bytes); all
    /// other errors in a shader are reported at once.
    Deferred,
}

/// Options of compiling a shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The engine to run it; by default the best for this processor.
    pub engine: Engine,
    /// Policy for a shader that is too large for machine code.
    pub oversize: Oversize,
    /// Level of optimisation of the IR. Results are the same.
    pub level: Level,
    /// Threads of a packet; by default as suits the shader. Only shaders with data races can tell.
    pub width: Option<Width>,
    /// Time at which code is made.
    pub codegen: Codegen,
    /// State of the fixed-function work compiled into a vertex or pixel shader, such as vertex fetch and blending.
    pub state: StageState,
    /// Arithmetic rules of Direct3D 9 shaders for zeros, infinities and NaN.
    pub float_rules: FloatRules,
    /// `true` if `mad` of models 4 to 5.1 is fused, as on most hardware, rather than rounding its product first: the
    /// functional specification allows either. Shaders that compute the rounding error of a product, such as `mad(a, b,
    /// -(a * b))`, need that.
    pub fused_mad: bool,
    /// The kinds of textures that the stages of a ps_1_x shader sample; later versions declare theirs.
    pub stage_textures: [TextureType; 6],
    pub(super) compared: u16,
    pub(super) divisors: [Option<u8>; 4],
    pub(super) instances: Instances,
    pub(super) name: Option<String>,
}

impl CompileOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            oversize: Oversize::default(),
            level: Level::default(),
            width: None,
            codegen: Codegen::default(),
            state: StageState::None,
            float_rules: FloatRules::default(),
            fused_mad: false,
            stage_textures: [TextureType::Texture2D; 6],
            compared: 0,
            divisors: [None; 4],
            instances: Instances::default(),
            name: None,
        }
    }

    /// Sets the policy for a shader that is too large for machine code.
    pub fn oversize(mut self, oversize: Oversize) -> Self {
        self.oversize = oversize;
        self
    }

    /// Sets the level of optimisation of the IR.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Sets the number of threads in a packet.
    pub fn width(mut self, width: Width) -> Self {
        self.width = Some(width);
        self
    }

    /// Sets when code is made.
    pub fn codegen(mut self, codegen: Codegen) -> Self {
        self.codegen = codegen;
        self
    }

    /// Puts vertex fetch before a vertex shader, or interpolation before a pixel shader and the output merger after it.
    pub fn state(mut self, state: StageState) -> Self {
        self.state = state;
        self
    }

    /// Sets the arithmetic rules of Direct3D 9 shaders for zeros, infinities and NaN.
    pub fn float_rules(mut self, rules: FloatRules) -> Self {
        self.float_rules = rules;
        self
    }

    /// Sets whether `mad` of models 4 to 5.1 is fused, that is, rounds once.
    pub fn fused_mad(mut self, is_fused: bool) -> Self {
        self.fused_mad = is_fused;
        self
    }

    /// Sets the kind of texture that a stage of a ps_1_x shader samples; there are 6.
    pub fn stage_texture(mut self, stage: usize, kind: TextureType) -> Self {
        if let Some(texture) = self.stage_textures.get_mut(stage) {
            *texture = kind;
        }
        self
    }

    /// Makes one of a Direct3D 9 shader's 16 samplers a comparison sampler: its 2D texture holds depths, the third
    /// coordinate is the reference, and all components return the filtered share of texels that pass. It must be bound
    /// to a comparison sampler.
    pub fn compares(mut self, sampler: usize) -> Self {
        self.compared |= 1_u16.checked_shl(sampler as u32).unwrap_or(0);
        self
    }

    /// Makes one of the 4 stages of a ps_1_1 to ps_1_3 shader project its texture coordinates: of `count`, 2 to 4, it
    /// divides the first by the last before it samples its texture (`D3DTTFF_PROJECTED`).
    pub fn projected(mut self, stage: usize, count: u8) -> Self {
        if let (Some(divisor), 2..=4) = (self.divisors.get_mut(stage), count) {
            *divisor = Some(count - 1);
        }
        self
    }

    /// Chooses the class instance that an interface variable of the shader is bound to. Each must be bound; calls
    /// through it are devirtualised, so that another choice is another shader.
    ///
    /// `variable` is its name in the source, or the listing's `fp#`. The name of an array means all of its elements,
    /// except those that are named individually, as in `lights[2]`.
    pub fn instance(mut self, variable: impl Into<String>, instance: impl Into<ClassInstance>) -> Self {
        self.instances.add(variable.into(), instance.into());
        self
    }

    /// Names the shader for profilers, for example after its file; without a name they show its checksum.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self::new(Engine::best())
    }
}

/// A form in which a shader can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Emit {
    /// The optimised intermediate representation.
    Ir,
    /// The same in packets, with the code generator's decisions about each operation.
    Packet,
    /// Cranelift's input.
    Clif,
    /// Machine code, interleaved with the shader's instructions.
    Asm,
}
