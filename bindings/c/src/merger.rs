//! Defines the state of the output merger: targets and the depth buffer, for pipelines and for pixel shaders that run
//! in batches.

use std::mem::MaybeUninit;

use brolga::raster;

use crate::arguments::{choice, flag, format, growing, init};
use crate::error::{Code, Failure};
use crate::state::{BlendOp, Comparison, Factor, LogicOp, StencilOp};

/// One equation of a blend.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BlendEquation {
    /// The factor of the source.
    pub source: MaybeUninit<Factor>,
    /// The factor of the destination.
    pub destination: MaybeUninit<Factor>,
    /// The operation on both products.
    pub op: MaybeUninit<BlendOp>,
}

/// The state of a target: blending and writes. By default colours replace those in the target.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TargetState {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The target's format: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// Mask of the components that are written, red in the lowest bit; 15, all, by default.
    pub write_mask: u32,
    /// `true` if colours are blended with those in the target.
    pub blends: MaybeUninit<bool>,
    /// `true` if bits of unsigned integers are combined with those in the target.
    pub has_logic: MaybeUninit<bool>,
    /// The operation on bits, if they are.
    pub logic: MaybeUninit<LogicOp>,
    /// The blending of red, green and blue, if enabled; by default by the alpha of the source.
    pub color: BlendEquation,
    /// The blending of alpha.
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

/// The stencil operations for primitives of one facing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StencilFace {
    /// The stencil test: the reference is compared with the stencil in the buffer.
    pub test: MaybeUninit<Comparison>,
    /// The operation where the stencil test fails.
    pub fail: MaybeUninit<StencilOp>,
    /// The operation where the stencil test passes, but the depth test fails.
    pub depth_fail: MaybeUninit<StencilOp>,
    /// The operation where both tests pass.
    pub pass: MaybeUninit<StencilOp>,
}

/// The depth and stencil tests, if there is a depth buffer; by default as in Direct3D 11: pixels with less depth are
/// written.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DepthState {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// `true` if depths are tested.
    pub enable: MaybeUninit<bool>,
    /// `true` if depths that pass are written.
    pub write: MaybeUninit<bool>,
    /// `true` if stencils are tested; not by default.
    pub stencil_enable: MaybeUninit<bool>,
    /// Mask of the bits of stencils that are compared.
    pub stencil_read_mask: u8,
    /// Mask of the bits of stencils that are written.
    pub stencil_write_mask: u8,
    /// The depth test: the depth of a pixel is compared with the one in the buffer.
    pub function: MaybeUninit<Comparison>,
    /// The stencil operations for front-facing primitives.
    pub front: StencilFace,
    /// The stencil operations for back-facing primitives.
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
