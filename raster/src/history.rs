//! What a draw does to one pixel: each primitive that covers it is drawn once more by itself, with and without the tests, and what
//! the pixel holds is read in between. The pixel is put back afterwards: other draws, and other pixels, know nothing of it.
//!
//! Pixels that are drawn alone come out as they do with others, since nothing of a pixel depends on what is in its packet.

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{
    Bindings, BoundShader, Dispatch, ResourceClass, ResourceError, SystemValue, TexelBox, Texture, View,
};

use crate::batch::{Assembly, FrontEnd, Outputs, Prepared, Primitive, Raster};
use crate::draw::{Shading, TileWorker};
use crate::edge::Bounds;
use crate::error::DrawError;
use crate::scene::{BATCH_PRIMITIVES, Limits, SceneDraw};
use crate::targets::Target;
use crate::tile;

/// Fragments of a draw that are kept, at most: it bounds memory.
const MOST_FRAGMENTS: usize = 1000;

/// What a draw did to a pixel.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PixelHistory {
    /// The primitives that cover it, in the order of the draw; the first thousand of them.
    pub fragments: Vec<Fragment>,
    /// How many more there are.
    pub more: u64,
}

/// What a primitive did to a pixel that it covers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fragment {
    /// The instance, counted from 0.
    pub instance: u32,
    /// The primitive's number within the instance: `SV_PrimitiveID`.
    pub primitive: u32,
    /// Whether it shows its front.
    pub is_front: bool,
    /// Its depth there, as the depth buffer would hold it; as a float without one. A shader may give another.
    pub depth: f32,
    /// What the depth buffer held, if there is one.
    pub stored_depth: Option<f32>,
    /// The stencil that it held, if it has any.
    pub stored_stencil: Option<u8>,
    /// What became of it.
    pub fate: Fate,
    /// The texel of each target before and after, as codes of the target's format.
    pub colors: Vec<[u128; 2]>,
}

/// What becomes of a primitive's part in a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// It failed the stencil test.
    FailedStencil,
    /// It failed the depth test.
    FailedDepth,
    /// The pixel shader discarded it, or covers no sample.
    Discarded,
    /// The pixel shader discarded it, or gave a depth or a stencil reference that failed a test.
    DiscardedOrFailed,
    /// It passed all tests: what blending and write masks leave is in the targets.
    Passed,
}

/// The pixel of a draw's targets that is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Watched<'a> {
    pub draw: &'a SceneDraw,
    /// The test that the draw makes, before or after the shader.
    pub test: Option<DepthTest>,
    pub colors: &'a [View],
    pub target: &'a Target,
    /// Column and row, in the first layer.
    pub pixel: [u32; 2],
}

impl Watched<'_> {
    /// Draws what covers the pixel, one primitive after the other.
    pub fn history(&self, limits: &Limits<'_>) -> Result<PixelHistory, DrawError> {
        let mut history = PixelHistory::default();
        let [x, y] = self.pixel.map(|place| place as i32);
        let bounds = Bounds { left: x, top: y, right: x + 1, bottom: y + 1 };
        let Some(raster) = &self.draw.raster else { return Ok(history) };
        let areas = raster.areas.iter().map(|area| area.within(bounds)).collect::<Vec<_>>();
        if areas.iter().all(|area| area.scissor.is_empty()) {
            return Ok(history);
        }
        let raster = Raster { areas, ..raster.clone() };
        let front_end = FrontEnd { raster: Some(&raster), ..self.draw.front_end() };
        let run = limits.run();
        let mut vertex = self.draw.vertex.worker()?;
        let mut session = vertex.begin(&run)?;
        let (mut prepared, mut assembly) = (Prepared::default(), Assembly::default());
        for number in 0..self.draw.instances {
            let (instance, mut is_empty, mut result) = (self.draw.instance(number), true, Ok(()));
            self.draw.topology.batches(self.draw.count, BATCH_PRIMITIVES, instance.is_restart(), |batch| {
                is_empty = false;
                let (part, grid) = ((batch, &instance), self.target.grid());
                let made = prepared.prepare(front_end, part, grid, &mut assembly, &mut session);
                result = made.map_err(DrawError::from).and_then(|()| {
                    limits.check(0)?;
                    self.batch(&mut prepared, &bounds, number, &run, &mut history)
                });
                result.is_ok()
            });
            result?;
            if is_empty {
                // So are all other instances.
                break;
            }
        }
        Ok(history)
    }

    /// Draws the primitives of a batch.
    fn batch(
        &self,
        prepared: &mut Prepared,
        pixel: &Bounds,
        instance: u32,
        run: &Dispatch,
        history: &mut PixelHistory,
    ) -> Result<(), DrawError> {
        let numbers: Vec<u32> = prepared.bins.primitives(self.tile()).collect();
        let primitives = std::mem::take(&mut prepared.primitives);
        for primitive in numbers.into_iter().map(|number| primitives[number as usize]) {
            prepared.primitives.clear();
            prepared.primitives.push(primitive);
            prepared.bins.clear(self.target.grid().columns);
            prepared.bins.add(pixel, 0);
            prepared.bins.sort();
            let Some(depth) = self.cover(prepared)? else { continue };
            if history.fragments.len() < MOST_FRAGMENTS {
                history.fragments.push(self.fragment(prepared, &primitive, instance, depth, run)?);
            } else {
                history.more += 1;
                self.shade(prepared, run)?;
            }
        }
        Ok(())
    }

    /// The depth of the primitive in the pixel, if it covers it.
    fn cover(&self, prepared: &Prepared) -> Result<Option<f32>, DrawError> {
        let format = self.depth_format();
        let all = DepthTest { format, test: Comparison::Always, writes: true, stencil: None };
        let mut worker = self.worker();
        worker.depth.blank(format);
        let covers = self.passes(&mut worker, prepared, all)?;
        Ok(covers.then(|| self.depth(&worker)))
    }

    fn fragment(
        &self,
        prepared: &Prepared,
        primitive: &Primitive,
        instance: u32,
        depth: f32,
        run: &Dispatch,
    ) -> Result<Fragment, DrawError> {
        let (mut stored_depth, mut stored_stencil, mut fails) = (None, None, None);
        if let Some(buffer) = &self.target.depth {
            let format = buffer.format;
            let worker = || {
                let mut worker = self.worker();
                worker.depth.load(buffer, worker.corner, worker.layer).map(|()| worker)
            };
            let loaded = worker()?;
            stored_depth = Some(self.depth(&loaded));
            stored_stencil = format.has_stencil().then(|| loaded.depth.stencil(self.in_tile()));
            if let Some(test) = self.test {
                // The stencil decides first (functional specification, 17.12).
                let of_stencil = DepthTest { test: Comparison::Always, ..test };
                if !self.passes(&mut worker()?, prepared, of_stencil)? {
                    fails = Some(Fate::FailedStencil);
                } else if !self.passes(&mut worker()?, prepared, test)? {
                    fails = Some(Fate::FailedDepth);
                }
            }
        }
        let before = self.texels()?;
        let is_left = self.shade(prepared, run)?;
        let colors = before.into_iter().zip(self.texels()?).map(|(before, after)| [before, after]).collect();
        let fate = match fails {
            _ if is_left => Fate::Passed,
            _ if self.gives(&[SystemValue::Depth, SystemValue::DepthGreaterEqual, SystemValue::DepthLessEqual])
                || self.gives(&[SystemValue::StencilRef]) =>
            {
                Fate::DiscardedOrFailed
            }
            Some(fails) => fails,
            None => Fate::Discarded,
        };
        let &Primitive { id: primitive, is_front, .. } = primitive;
        Ok(Fragment { instance, primitive, is_front, depth, stored_depth, stored_stencil, fate, colors })
    }

    /// Whether the pixel shader gives one of these.
    fn gives(&self, values: &[SystemValue]) -> bool {
        let signature = self.draw.pixel.as_ref().and_then(|pixel| pixel.shader().stage().signature());
        let mut outputs = signature.into_iter().flat_map(|signature| &signature.outputs);
        outputs.any(|output| output.system_value.is_some_and(|value| values.contains(&value)))
    }

    /// Whether the pixel passes a test before shading.
    fn passes(&self, worker: &mut TileWorker, prepared: &Prepared, test: DepthTest) -> Result<bool, DrawError> {
        let shading = Shading { depth: Some(test), is_late: false, reports_live: false, ..self.draw.shading };
        let parts = std::iter::once(prepared);
        Ok(worker.draw(parts, self.tile(), self.setup(), &shading, None)?.samples > 0)
    }

    /// Draws the primitive as the draw does; whether the pixel is left at the end.
    fn shade(&self, prepared: &Prepared, run: &Dispatch) -> Result<bool, DrawError> {
        let mut worker = self.worker();
        worker.prepare(self.target, &self.draw.shading)?;
        let mut bound = self.draw.pixel.as_ref().map(BoundShader::worker).transpose()?;
        let mut session = bound.as_mut().map(|bound| bound.begin(run)).transpose()?;
        let (parts, draw) = (std::iter::once(prepared), self.draw);
        let did = worker.draw(parts, self.tile(), self.setup(), &draw.shading, session.as_mut())?;
        worker.end(self.target)?;
        Ok(did.samples > 0)
    }

    fn setup(&self) -> (&Outputs, Option<&Raster>) {
        (&self.draw.outputs, self.draw.raster.as_ref())
    }

    fn worker(&self) -> TileWorker {
        let mut worker = TileWorker::default();
        worker.begin(self.target, self.tile());
        worker
    }

    fn tile(&self) -> u32 {
        let [column, row] = self.pixel.map(|place| place / tile::SIZE as u32);
        row * self.target.grid().columns + column
    }

    fn in_tile(&self) -> [usize; 2] {
        self.pixel.map(|place| place as usize % tile::SIZE as usize)
    }

    fn depth_format(&self) -> DepthFormat {
        self.target.depth.as_ref().map_or(DepthFormat::D32, |buffer| buffer.format)
    }

    /// The depth that lies in a worker's tile.
    fn depth(&self, worker: &TileWorker) -> f32 {
        let code = worker.depth.code(self.in_tile());
        match self.depth_format() {
            DepthFormat::D16 => code as f32 / 65535.0,
            DepthFormat::D24 => (f64::from(code) / 16_777_215.0) as f32,
            DepthFormat::D32 | DepthFormat::D32S8 => f32::from_bits(code),
        }
    }

    /// The texels of all targets.
    fn texels(&self) -> Result<Vec<u128>, ResourceError> {
        let texel = |view| Pixel::of(view, self.pixel)?.map_or(Ok(0), |pixel| pixel.read());
        self.colors.iter().map(texel).collect()
    }
}

/// A pixel of what a view sees of a texture: of its first mip level, its first layer.
#[derive(Clone, Debug)]
struct Pixel {
    texture: Texture,
    place: TexelBox,
}

impl Pixel {
    /// Nothing where the view sees no texture.
    fn of(view: &View, [x, y]: [u32; 2]) -> Result<Option<Self>, ResourceError> {
        let Some(part) = view.subresources() else { return Ok(None) };
        let level = part.texture.level(part.mips.start, part.layers.start)?;
        let place = TexelBox { origin: [x, y, level.origin[2]], extents: [1; 3], ..level };
        Ok(Some(Self { texture: part.texture.clone(), place }))
    }

    fn size_bytes(&self) -> usize {
        self.texture.shape().format.size_bytes() as usize
    }

    fn read(&self) -> Result<u128, ResourceError> {
        let mut code = [0; 16];
        self.texture.read(&self.place, &mut code[..self.size_bytes()], None)?;
        Ok(u128::from_le_bytes(code))
    }

    fn write(&self, code: u128) -> Result<(), ResourceError> {
        self.texture.write(&self.place, &code.to_le_bytes()[..self.size_bytes()], None)
    }
}

/// The code of a texture's texel: of its most detailed level, its first layer.
///
/// # Errors
/// If the texture does not have it.
pub fn texel(texture: &Texture, pixel: [u32; 2]) -> Result<u128, ResourceError> {
    Pixel::of(&View::texture(texture.clone()), pixel)?.map_or(Ok(0), |pixel| pixel.read())
}

/// What a draw may change when its pixel is drawn ahead, as it was before.
pub(crate) struct Kept {
    texels: Vec<(Pixel, u128)>,
    /// What shaders write to, with its bytes and the count of its hidden counter.
    memory: Vec<(View, Vec<u8>, Option<u32>)>,
}

impl Kept {
    /// Notes a pixel of what views see of textures, and all that bindings let shaders write.
    pub fn new<'a>(
        targets: impl Iterator<Item = &'a View>,
        bindings: impl Iterator<Item = &'a Bindings>,
        pixel: [u32; 2],
    ) -> Result<Self, ResourceError> {
        let pixels = targets.filter_map(|view| Pixel::of(view, pixel).transpose());
        let texels = pixels.map(|pixel| pixel.and_then(|pixel| Ok((pixel.clone(), pixel.read()?))));
        let texels = texels.collect::<Result<_, _>>()?;
        let views = bindings.flat_map(Bindings::iter);
        let written = views.filter(|(register, _)| register.class == ResourceClass::UnorderedAccess);
        let memory =
            written.map(|(_, view)| Ok((view.clone(), view.to_vec()?, view.counter().map(|count| count.get()))));
        let memory = memory.collect::<Result<_, ResourceError>>()?;
        Ok(Self { texels, memory })
    }

    /// Puts it back.
    pub fn restore(self) -> Result<(), ResourceError> {
        for (pixel, code) in &self.texels {
            pixel.write(*code)?;
        }
        for (view, bytes, count) in &self.memory {
            view.write(0, bytes)?;
            if let (Some(counter), Some(count)) = (view.counter(), count) {
                counter.set(*count);
            }
        }
        Ok(())
    }
}
