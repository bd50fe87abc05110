//! What becomes of a pixel shader's outputs: the state of targets and of the depth buffer, for pipelines and for pixel shaders that run in
//! batches.

use std::mem::MaybeUninit;

use brolga::raster;

use crate::arguments::{choice, flag, format, growing, init};
use crate::error::{Code, Failure};
use crate::state::{BlendOp, Comparison, Factor, LogicOp, StencilOp};

/// One equation of a blend.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BlendEquation {
    /// What the source is multiplied by.
    pub source: MaybeUninit<Factor>,
    /// What the destination is multiplied by.
    pub destination: MaybeUninit<Factor>,
    /// What becomes of both products.
    pub op: MaybeUninit<BlendOp>,
}

/// What becomes of the colours in a target. By default they replace what is there.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TargetState {
    /// Bytes of this struct, set by its init function.
    pub size: usize,
    /// The target's format: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// Components that are written, red in the lowest bit; 15, all, by default.
    pub write_mask: u32,
    /// Whether colours are blended with what is there.
    pub blends: MaybeUninit<bool>,
    /// Whether bits of unsigned integers are combined with what is there.
    pub has_logic: MaybeUninit<bool>,
    /// How, if they are.
    pub logic: MaybeUninit<LogicOp>,
    /// How red, green and blue are blended, if they are; by default their sum in the share that the source's alpha says.
    pub color: BlendEquation,
    /// How alpha is blended.
    pub alpha: BlendEquation,
}

impl Default for TargetState {
    fn default() -> Self {
        let equation = |source, destination| BlendEquation {
            source: MaybeUninit::new(source),
            destination: MaybeUninit::new(destination),
            op: MaybeUninit::new(BlendOp::Add),
        };
        Self {
            size: size_of::<Self>(),
            format: 0,
            write_mask: 15,
            blends: MaybeUninit::new(false),
            has_logic: MaybeUninit::new(false),
            logic: MaybeUninit::new(LogicOp::Copy),
            color: equation(Factor::SourceAlpha, Factor::InverseSourceAlpha),
            alpha: equation(Factor::One, Factor::InverseSourceAlpha),
        }
    }
}

/// What happens to stencils on one side of primitives.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StencilFace {
    /// Which pixels pass: the reference is compared with what is there.
    pub test: MaybeUninit<Comparison>,
    /// What becomes of the stencils of those that do not.
    pub fail: MaybeUninit<StencilOp>,
    /// Of those that pass, but fail the depth test.
    pub depth_fail: MaybeUninit<StencilOp>,
    /// Of those that pass both.
    pub pass: MaybeUninit<StencilOp>,
}

/// How pixels are held against the depth buffer, where there is one; by default as in Direct3D 11: those with less depth are written.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DepthState {
    /// Bytes of this struct, set by its init function.
    pub size: usize,
    /// Whether depths are compared.
    pub enable: MaybeUninit<bool>,
    /// Whether those that pass are written.
    pub write: MaybeUninit<bool>,
    /// Whether stencils are tested; not by default.
    pub stencil_enable: MaybeUninit<bool>,
    /// The bits of stencils that are compared.
    pub stencil_read_mask: u8,
    /// The bits of stencils that are written.
    pub stencil_write_mask: u8,
    /// Which pixels pass: their depth is compared with the buffer's.
    pub function: MaybeUninit<Comparison>,
    /// Stencils, for primitives that show their front.
    pub front: StencilFace,
    /// Stencils, for primitives that show their back.
    pub back: StencilFace,
}

impl Default for DepthState {
    fn default() -> Self {
        let keep = MaybeUninit::new(StencilOp::Keep);
        let face = StencilFace { test: MaybeUninit::new(Comparison::Always), fail: keep, depth_fail: keep, pass: keep };
        Self {
            size: size_of::<Self>(),
            enable: MaybeUninit::new(true),
            write: MaybeUninit::new(true),
            stencil_enable: MaybeUninit::new(false),
            stencil_read_mask: 255,
            stencil_write_mask: 255,
            function: MaybeUninit::new(Comparison::Less),
            front: face,
            back: face,
        }
    }
}

growing! {
    TargetState as "BrolgaTargetState";
    DepthState as "BrolgaDepthState";
}

impl BlendEquation {
    fn native(&self, what: &str) -> Result<raster::Equation, Failure> {
        Ok(raster::Equation {
            source: choice(self.source, &format!("{what}.source"))?,
            destination: choice(self.destination, &format!("{what}.destination"))?,
            op: choice(self.op, &format!("{what}.op"))?,
        })
    }
}

impl TargetState {
    pub(crate) fn native(&self) -> Result<raster::TargetState, Failure> {
        if self.write_mask > 15 {
            let text = format!("BrolgaTargetState.write_mask is {:#x}, but there are four components", self.write_mask);
            return Err(Failure::argument(text));
        }
        let mut native = raster::TargetState::new(format(self.format, "BrolgaTargetState.format")?);
        native.write_mask = self.write_mask as u8;
        if flag(self.blends) {
            let (color, alpha) =
                (self.color.native("BrolgaTargetState.color")?, self.alpha.native("BrolgaTargetState.alpha")?);
            native.blend = Some(raster::Blend { color, alpha });
        }
        if flag(self.has_logic) {
            native.logic = Some(choice(self.logic, "BrolgaTargetState.logic")?);
        }
        Ok(native)
    }
}

impl StencilFace {
    fn native(&self, what: &str) -> Result<raster::StencilFace, Failure> {
        Ok(raster::StencilFace {
            test: choice(self.test, &format!("{what}.test"))?,
            fail: choice(self.fail, &format!("{what}.fail"))?,
            depth_fail: choice(self.depth_fail, &format!("{what}.depth_fail"))?,
            pass: choice(self.pass, &format!("{what}.pass"))?,
        })
    }
}

impl DepthState {
    pub(crate) fn native(&self) -> Result<raster::DepthState, Failure> {
        let function = choice(self.function, "BrolgaDepthState.function")?;
        Ok(raster::DepthState { enable: flag(self.enable), write: flag(self.write), function })
    }

    pub(crate) fn stencil(&self) -> Result<Option<raster::StencilTest>, Failure> {
        if !flag(self.stencil_enable) {
            return Ok(None);
        }
        Ok(Some(raster::StencilTest {
            read_mask: self.stencil_read_mask,
            write_mask: self.stencil_write_mask,
            front: self.front.native("BrolgaDepthState.front")?,
            back: self.back.native("BrolgaDepthState.back")?,
        }))
    }
}

/// Fills a state with the defaults. `size` is sizeof(BrolgaTargetState).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_target_state_init(target_state: *mut TargetState, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(target_state, size) }
}

/// Fills a state with the defaults. `size` is sizeof(BrolgaDepthState).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_depth_state_init(depth_state: *mut DepthState, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(depth_state, size) }
}
