//! What a draw does to one pixel: each primitive that covers it is drawn once more by itself, with and without the tests, and what
//! the pixel holds is read in between. The pixel is put back afterwards: other draws, and other pixels, know nothing of it.
//!
//! Pixels that are drawn alone come out as they do with others, since nothing of a pixel depends on what is in its packet.

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{
    Bindings, BoundShader, Dispatch, ResourceClass, ResourceError, SystemValue, TexelBox, Texture, View,
};

use crate::batch::{Assembly, FrontEnd, Prepared, Primitive, Raster};
use crate::draw::{Shading, Target, TileWorker};
use crate::edge::Bounds;
use crate::error::DrawError;
use crate::scene::{BATCH_PRIMITIVES, Limits, SceneDraw};
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
    pub colors: &'a [Texture],
    pub target: &'a Target,
    /// Column and row.
    pub pixel: [u32; 2],
}

impl Watched<'_> {
    /// Draws what covers the pixel, one primitive after the other.
    pub fn history(&self, limits: &Limits<'_>) -> Result<PixelHistory, DrawError> {
        let mut history = PixelHistory::default();
        let [x, y] = self.pixel.map(|place| place as i32);
        let bounds = Bounds { left: x, top: y, right: x + 1, bottom: y + 1 };
        let Some(raster) = &self.draw.raster else { return Ok(history) };
        let raster = Raster { scissor: raster.scissor.intersect(bounds), ..*raster };
        if raster.scissor.is_empty() {
            return Ok(history);
        }
        let front_end = FrontEnd { raster: Some(&raster), ..self.draw.front_end() };
        let run = limits.run();
        let mut vertex = self.draw.vertex.worker()?;
        let mut session = vertex.begin(&run)?;
        let (mut prepared, mut assembly) = (Prepared::default(), Assembly::default());
        for number in 0..self.draw.instances {
            let (instance, mut is_empty, mut result) = (self.draw.instance(number), true, Ok(()));
            self.draw.topology.batches(self.draw.count, BATCH_PRIMITIVES, instance.is_restart(), |batch| {
                is_empty = false;
                let (part, columns) = ((batch, &instance), self.target.columns());
                let made = prepared.prepare(front_end, part, columns, &mut assembly, &mut session);
                result = made.map_err(DrawError::from).and_then(|()| {
                    limits.check(0)?;
                    self.batch(&mut prepared, &raster.scissor, number, &run, &mut history)
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
        for primitive in std::mem::take(&mut prepared.primitives) {
            prepared.primitives.clear();
            prepared.primitives.push(primitive);
            prepared.bins.clear(self.target.columns());
            prepared.bins.add(pixel);
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
        if let Some((texture, format)) = &self.target.depth {
            let worker = || {
                let mut worker = self.worker();
                worker.depth.load(texture, *format, worker.corner).map(|()| worker)
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
        Ok(worker.draw(parts, self.tile(), &self.draw.outputs, &shading, None)?.samples > 0)
    }

    /// Draws the primitive as the draw does; whether the pixel is left at the end.
    fn shade(&self, prepared: &Prepared, run: &Dispatch) -> Result<bool, DrawError> {
        let mut worker = self.worker();
        worker.prepare(self.target, &self.draw.shading)?;
        let mut bound = self.draw.pixel.as_ref().map(BoundShader::worker).transpose()?;
        let mut session = bound.as_mut().map(|bound| bound.begin(run)).transpose()?;
        let (parts, draw) = (std::iter::once(prepared), self.draw);
        let did = worker.draw(parts, self.tile(), &draw.outputs, &draw.shading, session.as_mut())?;
        worker.end(self.target)?;
        Ok(did.samples > 0)
    }

    fn worker(&self) -> TileWorker {
        let mut worker = TileWorker::default();
        worker.begin(self.target, self.tile());
        worker
    }

    fn tile(&self) -> u32 {
        let [column, row] = self.pixel.map(|place| place / tile::SIZE as u32);
        row * self.target.columns() + column
    }

    fn in_tile(&self) -> [usize; 2] {
        self.pixel.map(|place| place as usize % tile::SIZE as usize)
    }

    fn depth_format(&self) -> DepthFormat {
        self.target.depth.as_ref().map_or(DepthFormat::D32, |(_, format)| *format)
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
        self.colors.iter().map(|texture| texel(texture, self.pixel)).collect()
    }
}

/// A pixel.
fn pixel_box([x, y]: [u32; 2]) -> TexelBox {
    TexelBox { origin: [x, y, 0], extents: [1; 3], ..TexelBox::default() }
}

/// The code of a texture's texel: of its most detailed level, its first layer.
///
/// # Errors
/// If the texture does not have it.
pub fn texel(texture: &Texture, pixel: [u32; 2]) -> Result<u128, ResourceError> {
    let mut code = [0; 16];
    texture.read(&pixel_box(pixel), &mut code[..texture.shape().format.size_bytes() as usize], None)?;
    Ok(u128::from_le_bytes(code))
}

/// What a draw may change when its pixel is drawn ahead, as it was before.
pub(crate) struct Kept {
    texels: Vec<(Texture, u128)>,
    /// What shaders write to, with its bytes and the count of its hidden counter.
    memory: Vec<(View, Vec<u8>, Option<u32>)>,
    pixel: [u32; 2],
}

impl Kept {
    /// Notes a pixel of textures, and all that bindings let shaders write.
    pub fn new<'a>(
        textures: impl Iterator<Item = &'a Texture>,
        bindings: impl Iterator<Item = &'a Bindings>,
        pixel: [u32; 2],
    ) -> Result<Self, ResourceError> {
        let texels = textures.map(|texture| Ok((texture.clone(), texel(texture, pixel)?))).collect::<Result<_, _>>()?;
        let views = bindings.flat_map(Bindings::iter);
        let written = views.filter(|(register, _)| register.class == ResourceClass::UnorderedAccess);
        let memory =
            written.map(|(_, view)| Ok((view.clone(), view.to_vec()?, view.counter().map(|count| count.get()))));
        let memory = memory.collect::<Result<_, ResourceError>>()?;
        Ok(Self { texels, memory, pixel })
    }

    /// Puts it back.
    pub fn restore(self) -> Result<(), ResourceError> {
        for (texture, code) in &self.texels {
            let size_bytes = texture.shape().format.size_bytes() as usize;
            texture.write(&pixel_box(self.pixel), &code.to_le_bytes()[..size_bytes], None)?;
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
