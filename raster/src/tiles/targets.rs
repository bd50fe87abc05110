//! Checks targets: mip levels and array layers of textures.
//!
//! All targets of a pass are arrays of layers, with the least extents and layer count of any of them; a depth buffer
//! that is smaller than a colour target is refused. A primitive is in one layer: the one that its provoking vertex
//! selects (functional specification, 15.15), or the first.

use brolga_ir::pipeline::record::{DEPTHS_STAY, STENCILS_STAY};
use brolga_ir::pipeline::state::{DepthFormat, DepthTest, SamplePattern};
use brolga_runtime::format::Use;
use brolga_runtime::{
    Bindings, Format, Layers, Register, ResourceClass, ResourceError, Shader, Subresources, TexelBox, Texture, View,
};

use crate::error::DrawError;
use crate::pipeline::{Parts, Samples};
use crate::setup::bins::Grid;
use crate::state::{MOST_SAMPLES, depth_format};

/// The targets of a pass: textures, or the parts of them that views select, with the first mip level, the view's
/// format, and all layers. Faces of cubes and slices of 3D textures are layers too.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Colour targets.
    pub colors: Vec<View>,
    /// The depth buffer.
    pub depth: Option<DepthView>,
}

/// A view of a depth buffer.
#[derive(Clone, Debug)]
pub struct DepthView {
    /// The view, of a texture in a depth format.
    pub view: View,
    /// `true` if depth is read-only, whatever the state of draws says, so that shaders may read it at the same time
    /// (functional specification, 17.13).
    pub has_read_only_depth: bool,
    /// `true` if the stencil is.
    pub has_read_only_stencil: bool,
}

impl DepthView {
    /// A writable view.
    pub fn new(view: View) -> Self {
        Self { view, has_read_only_depth: false, has_read_only_stencil: false }
    }

    /// The same view, read-only.
    pub fn read_only(self) -> Self {
        Self { has_read_only_depth: true, has_read_only_stencil: true, ..self }
    }

    /// The read-only flags as the pixel function gets them.
    pub(crate) fn read_only_bits(&self) -> u32 {
        let bit = |is_read_only, bit| if is_read_only { bit } else { 0 };
        bit(self.has_read_only_depth, DEPTHS_STAY) | bit(self.has_read_only_stencil, STENCILS_STAY)
    }

    /// Removes writes to read-only parts from a test.
    pub(crate) fn restrict(&self, mut test: DepthTest) -> DepthTest {
        test.writes &= !self.has_read_only_depth;
        if let Some(stencil) = test.stencil.as_mut().filter(|_| self.has_read_only_stencil) {
            stencil.write_mask = 0;
        }
        test
    }

    /// `true` if a shader's view reads a part of this buffer that changes: depth, stencil, as the flags say.
    fn meets(&self, read: &View, [depths, stencils]: [bool; 2]) -> bool {
        // A format that leaves depth out has no red. Raw views have no format, and see everything.
        let sees_stencils_alone = read.format().is_some_and(|format| format.fields()[0].is_none());
        let sees = [!sees_stencils_alone, sees_stencils_alone || read.format().is_none()];
        ((sees[0] && depths) || (sees[1] && stencils)) && self.view.overlaps(read)
    }
}

impl From<Texture> for DepthView {
    fn from(texture: Texture) -> Self {
        Self::new(View::texture(texture))
    }
}

/// Checked targets.
#[derive(Clone, Debug)]
pub struct Target {
    /// Width, height and layers.
    pub extents: [u32; 3],
    /// The samples of a texel; one without targets.
    pub pattern: SamplePattern,
    /// The depth buffer.
    pub depth: Option<DepthTarget>,
}

/// A checked depth buffer.
#[derive(Clone, Debug)]
pub struct DepthTarget {
    /// Its texture.
    pub texture: Texture,
    mip: u32,
    first_layer: u32,
    /// Its format.
    pub format: DepthFormat,
    /// Number of samples of a texel.
    pub samples: u32,
}

impl Target {
    /// The grid of its tiles.
    pub fn grid(&self) -> Grid {
        Grid::new(self.extents)
    }
}

impl DepthTarget {
    fn new(subresources: &Subresources<'_>) -> Result<Self, DrawError> {
        let Subresources { texture, mips, layers, .. } = subresources;
        let format = depth_format(texture.shape().format)?;
        let samples = texture.shape().samples;
        Ok(Self { texture: (*texture).clone(), mip: mips.start, first_layer: layers.start, format, samples })
    }

    /// A sample of the texels of a tile in a layer, `size` wide and high.
    pub fn part(&self, corner: [i32; 2], layer: u32, sample: u32, size: u32) -> Result<TexelBox, ResourceError> {
        let whole = self.texture.level(self.mip, (self.first_layer + layer) * self.samples + sample)?;
        let [x, y] = corner.map(|coordinate| coordinate as u32);
        let left = |axis: usize, from: u32| whole.extents[axis].saturating_sub(from).min(size);
        Ok(TexelBox { origin: [x, y, 0], extents: [left(0, x), left(1, y), 1], ..whole })
    }
}

impl Targets {
    /// Checks that they can be drawn to.
    pub(crate) fn check(&self) -> Result<Target, DrawError> {
        let mut extents = None;
        for (n, view) in self.colors.iter().enumerate() {
            let (what, format) = (format!("target {n}"), view.format());
            let part = check_target(&what, view, format, "a format for targets", Use::Target)?;
            extents = least(extents, &part)?;
        }
        for (n, view) in self.colors.iter().enumerate() {
            let level = view.as_target_array()?;
            if let Some(first) = self.colors[..n].iter().position(|other| other.overlaps(&level)) {
                return Err(DrawError::SharedTarget { first, second: n });
            }
        }
        let depth = match &self.depth {
            None => None,
            Some(DepthView { view, .. }) => {
                let format = view.subresources().map(|part| part.texture.shape().format);
                let part = check_target("the depth buffer", view, format, "a depth format", Use::DepthStencil)?;
                self.check_depth(&part)?;
                extents = least(extents, &part)?;
                Some(DepthTarget::new(&part)?)
            }
        };
        let pattern = self.check_samples()?;
        Ok(Target { extents: extents.unwrap_or([MOST_PIXELS, MOST_PIXELS, 1]), pattern, depth })
    }

    /// Checks that all have the same samples, and returns those (functional specification, 19.2.5).
    fn check_samples(&self) -> Result<SamplePattern, DrawError> {
        let named = self.colors.iter().enumerate().map(|(n, view)| (format!("target {n}"), view));
        let depth = self.depth.iter().map(|depth| ("the depth buffer".to_owned(), &depth.view));
        let mut first: Option<(String, SamplePattern)> = None;
        for (what, view) in named.chain(depth) {
            let Some(samples) = view.subresources().map(|part| part.texture.shape().sample_pattern()) else { continue };
            if samples.count() > MOST_SAMPLES {
                return Err(DrawError::TargetSamples { what, samples: samples.count(), most: MOST_SAMPLES });
            }
            match &first {
                None => first = Some((what, samples)),
                Some((other, others)) if *others != samples => {
                    return Err(DrawError::MixedSamples {
                        first: other.clone(),
                        others: *others,
                        second: what,
                        samples,
                    });
                }
                Some(_) => (),
            }
        }
        Ok(first.map_or(SamplePattern::ONE, |(_, samples)| samples))
    }

    /// `true` if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.colors.is_empty() && self.depth.is_none()
    }

    /// Checks that the depth buffer covers each of the targets.
    fn check_depth(&self, depth: &Subresources<'_>) -> Result<(), DrawError> {
        let pixels = |part: &Subresources<'_>| {
            let [width, height, _] = part.texture.level(part.mips.start, 0)?.extents;
            Ok::<_, DrawError>([width, height])
        };
        let depth = pixels(depth)?;
        for (target, part) in self.colors.iter().enumerate().filter_map(|(n, view)| Some((n, view.subresources()?))) {
            let size = pixels(&part)?;
            if depth[0] < size[0] || depth[1] < size[1] {
                return Err(DrawError::SmallDepth { depth, target, size });
            }
        }
        Ok(())
    }

    /// The format of the depth buffer.
    fn depth_format(&self) -> Option<Format> {
        let part = self.depth.as_ref().and_then(|depth| depth.view.subresources());
        part.map(|part| part.texture.shape().format)
    }

    /// Checks that the formats are those of a pipeline.
    pub(crate) fn check_formats(&self, pipeline: &Parts, pattern: SamplePattern) -> Result<(), DrawError> {
        let Samples { targets: expected, covered, are_forced, .. } = pipeline.samples;
        if pattern != expected {
            let found = (!self.is_empty()).then_some(pattern);
            return Err(DrawError::PipelineSamples { expected, found });
        }
        if are_forced && self.depth.is_some() {
            return Err(DrawError::ForcedSamples { samples: covered.count(), what: "a depth buffer" });
        }
        let formats = || self.colors.iter().filter_map(View::format);
        let depth = self.depth_format();
        if formats().eq(pipeline.targets.iter().copied())
            && (depth == pipeline.depth_format || pipeline.depth_format.is_none())
        {
            return Ok(());
        }
        let described = |formats: &[Format], depth: Option<Format>| {
            let names = formats.iter().chain(&depth).map(ToString::to_string).collect::<Vec<_>>();
            if names.is_empty() { "no targets".to_owned() } else { names.join(", ") }
        };
        Err(DrawError::Targets {
            expected: described(&pipeline.targets, pipeline.depth_format),
            found: described(&formats().collect::<Vec<_>>(), depth),
        })
    }

    /// Checks that a shader neither reads nor writes memory that the draw changes, byte by byte: another level or layer
    /// of a target's texture is allowed.
    pub(crate) fn check_hazards(
        &self,
        stage: &'static str,
        shader: &Shader,
        bindings: Layers<'_>,
        pipeline: &Parts,
    ) -> Result<(), DrawError> {
        const WRITTEN: &[ResourceClass] = &[ResourceClass::UnorderedAccess];
        let check = |target: &dyn Fn() -> String, meets: &dyn Fn(&View) -> bool, written: &View| {
            if let Some(register) = register_of(READ, shader, bindings, meets) {
                return Err(DrawError::ReadsTarget { stage, register, target: target() });
            }
            match register_of(WRITTEN, shader, bindings, |view| written.overlaps(view)) {
                Some(register) => Err(DrawError::WritesTarget { stage, register, target: target() }),
                None => Ok(()),
            }
        };
        for (n, color) in self.colors.iter().enumerate() {
            check(&|| format!("target {n}"), &|view| color.overlaps(view), color)?;
        }
        let (Some(depth), Some(test)) = (&self.depth, pipeline.depth) else { return Ok(()) };
        let test = depth.restrict(test);
        let changes = [test.writes, test.stencil.is_some_and(|stencil| stencil.writes())];
        check(&|| "the depth buffer".to_owned(), &|view| depth.meets(view, changes), &depth.view)
    }

    /// `true` if a shader reads a part of the depth buffer that other draws of the pass may change.
    pub(crate) fn reads_depth(&self, shader: &Shader, bindings: &Bindings) -> bool {
        let Some(depth) = &self.depth else { return false };
        let may_change = [!depth.has_read_only_depth, !depth.has_read_only_stencil];
        register_of(READ, shader, bindings.into(), |view| depth.meets(view, may_change)).is_some()
    }
}

/// Width and height without targets (functional specification, 16.11).
const MOST_PIXELS: u32 = 16384;

/// Classes of registers that shaders read.
const READ: &[ResourceClass] = &[ResourceClass::ShaderResource, ResourceClass::Constant];

/// The register as which a shader uses the memory of a view, if it does.
pub(crate) fn used_at(shader: &Shader, bindings: Layers<'_>, memory: &View) -> Option<Register> {
    let all = [ResourceClass::ShaderResource, ResourceClass::Constant, ResourceClass::UnorderedAccess];
    register_of(&all, shader, bindings, |view| memory.overlaps(view))
}

/// The first register of these classes that a shader declares and that is bound to such a view.
fn register_of(
    classes: &[ResourceClass],
    shader: &Shader,
    bindings: Layers<'_>,
    is_such: impl Fn(&View) -> bool,
) -> Option<Register> {
    let is_one = |register: &Register| {
        classes.contains(&register.class) && shader.bindings().iter().any(|declared| declared.contains(*register))
    };
    let mut found = bindings.iter().filter(|(register, _)| is_one(register));
    found.find(|(_, view)| is_such(view)).map(|(register, _)| register)
}

/// The subresources of a view, if it can be a target in a format.
fn check_target<'a>(
    what: &str,
    view: &'a View,
    format: Option<Format>,
    expected: &str,
    needed: Use,
) -> Result<Subresources<'a>, DrawError> {
    match view.subresources().filter(|_| format.is_some_and(|format| format.allows(needed))) {
        Some(part) => Ok(part),
        None => {
            let found = match view.subresources() {
                Some(part) => {
                    let format = format.unwrap_or(part.texture.shape().format);
                    format!("a {} of format {format}", part.texture.shape().dimension)
                }
                None => format!("a {view}"),
            };
            Err(DrawError::Target { what: what.to_owned(), found, expected: expected.to_owned() })
        }
    }
}

/// The minimum of each extent.
fn least(extents: Option<[u32; 3]>, part: &Subresources<'_>) -> Result<Option<[u32; 3]>, DrawError> {
    let Subresources { texture, mips, layers, .. } = part;
    let [width, height, _] = texture.level(mips.start, 0)?.extents;
    let own = [width, height, layers.len() as u32];
    Ok(Some(extents.map_or(own, |extents| [0, 1, 2].map(|axis| extents[axis].min(own[axis])))))
}
