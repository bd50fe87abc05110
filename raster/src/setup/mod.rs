//! Sets up primitives: clips, culls and projects shaded ones to the screen, and sorts them into tiles.
//!
//! | file | contents |
//! |---|---|
//! | `viewport.rs` | projection from clip space to the screen; viewport and scissor rectangle |
//! | `clip.rs` | clipping of triangles and lines against planes |
//! | `cut.rs` | clipping and culling of a batch's primitives by planes and distances |
//! | `triangle.rs`, `line.rs` | culling, and bounds within the scissor rectangle |
//! | `bias.rs` | depth bias |
//! | `shape/` | coverage of triangles, lines and points, and their depth and barycentric planes |
//! | `bins.rs` | the tiles of targets, and binning of primitives into them |
//! | `vectors.rs` | dispatch to the processor's widest vectors, for setup and tiles |

pub mod bias;
pub mod bins;
pub mod clip;
mod cut;
mod line;
pub mod shape;
mod triangle;
pub mod vectors;
pub mod viewport;

use std::sync::Arc;

use brolga_ir::pipeline::state::SamplePattern;

use crate::setup::bias::DepthBias;
use crate::setup::bins::{Bins, Grid};
use crate::setup::shape::{Bounds, Group, Planes, PointSizes, ScreenVertex, Small, Sprite};
use crate::setup::vectors::{Work, vectorize};
use crate::setup::viewport::{Area, Viewport};
use crate::state::{Fill, Kind, RasterizerState};
use crate::statistics::Statistics;
use crate::vertices::primitives::{IndexedPrimitive, Outputs, PrimitiveBatch, Vertices};

/// The rasterizer's state for a draw.
#[derive(Clone, Debug)]
pub struct Raster {
    /// The viewport areas: the first, or all that the vertex shader can select.
    pub areas: Arc<[Area]>,
    /// The pipeline's state.
    pub state: RasterizerState,
    /// The samples of a pixel.
    pub pattern: SamplePattern,
    /// Those of them that are drawn, the first in the lowest bit.
    pub sample_mask: u32,
    /// The depth bias, if it is not zero.
    pub bias: Option<DepthBias>,
    /// The sizes of points if they are squares, not pixels.
    pub points: Option<PointSizes>,
    /// `true` if lines are rectangles.
    pub has_wide_lines: bool,
    /// `true` if lines have their last pixel.
    pub has_last_pixels: bool,
    /// `true` if vertices are transformed already.
    pub is_transformed: bool,
    /// `true` if triangles far outside of the viewport are dropped before they come to the screen: geometry shaders emit
    /// many of them.
    pub drops_far: bool,
}

/// A primitive on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// Its vertices, by index in the batch; the provoking vertex first. A line repeats its first as the third, and a
    /// point has three times the same.
    pub vertices: [u32; 3],
    /// Its number within the instance.
    pub id: u32,
    /// `true` if it is front-facing, as are points and lines that are not edges of triangles.
    pub is_front: bool,
    /// Its shape.
    pub shape: Shape,
}

/// The coverage of a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A mask of single pixels.
    Small(Small),
    /// The part of a triangle in a rectangle.
    Large {
        /// The rectangle.
        bounds: Bounds,
        /// The depth bias of its vertices.
        bias: f32,
    },
    /// The part of a line in a rectangle.
    Line {
        /// The rectangle.
        bounds: Bounds,
        /// The vertices at its ends.
        ends: [u8; 2],
        /// The depth bias of its vertices.
        bias: f32,
    },
    /// The part of a square point in a rectangle.
    Sprite {
        /// The rectangle.
        bounds: Bounds,
        /// The square.
        sprite: Sprite,
    },
}

impl Shape {
    /// The planes of a primitive with these vertices; those of a line change only along it. `None` if it has no area,
    /// or no length.
    #[inline(always)]
    pub fn planes(&self, vertices: &[ScreenVertex; 3]) -> Option<Planes> {
        match *self {
            Shape::Line { ends, .. } => Planes::of_line(vertices, ends.map(usize::from)),
            // Only conservative rasterization keeps triangles without area.
            Shape::Large { .. } => Some(Planes::new(vertices).unwrap_or_else(|| Planes::flat(&vertices[0]))),
            Shape::Small(_) | Shape::Sprite { .. } => Planes::new(vertices),
        }
    }
}

/// Primitives that are ready for rasterization, and their vertices.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The vertices of the batch, and those that clipping added.
    pub vertices: Vertices,
    /// Their positions on the screen.
    pub screen_vertices: Vec<ScreenVertex>,
    /// The primitives, in draw order.
    pub primitives: Vec<Primitive>,
    /// The primitives of each tile, conservatively.
    pub bins: Bins,
    /// Masks of small ones over pixels of several samples: as many for each primitive.
    masks: Vec<u64>,
    /// Statistics so far.
    pub statistics: Statistics,
    grid: Grid,
    /// The words of a vertex with its layer and its viewport.
    layer: Option<usize>,
    viewport: Option<usize>,
}

/// Buffers that only live while a batch is set up.
#[derive(Default)]
pub struct Scratch {
    /// `true` for vertices that are on the screen and need no clipping.
    is_on_screen: Vec<bool>,
    /// Primitives after clipping: all of their vertices are on the screen.
    left: Vec<IndexedPrimitive>,
    group: Group,
}

/// The setup of a batch's primitives.
struct SetUp<'a> {
    batch: &'a mut PrimitiveBatch,
    prepared: &'a mut Prepared,
    scratch: &'a mut Scratch,
    outputs: &'a Outputs,
    raster: &'a Raster,
}

impl Work for SetUp<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { batch: PrimitiveBatch { kind, primitives, .. }, prepared, scratch, outputs, raster } = self;
        prepared.unshare(primitives);
        prepared.project(scratch, outputs, raster);
        if *kind == Kind::Triangle && raster.state.fill == Fill::Wireframe {
            return prepared.outline(primitives, scratch, outputs, raster);
        }
        prepared.cut(*kind, primitives, scratch, outputs, raster);
        match kind {
            Kind::Point => prepared.set_up_points(scratch, raster),
            Kind::Line => prepared.set_up_lines(scratch, raster),
            Kind::Triangle if raster.state.conservative => prepared.touch_triangles(scratch, outputs, raster),
            Kind::Triangle if raster.pattern.count() > 1 => prepared.set_up_triangles::<true>(scratch, raster),
            Kind::Triangle => prepared.set_up_triangles::<false>(scratch, raster),
        }
    }
}

impl Prepared {
    /// Sets up the primitives of a batch, whose vertices it takes, and bins them into the tiles of a grid; `raster` is
    /// `None` if nothing is rasterized. Replaces the previous contents.
    pub fn set_up(
        &mut self,
        batch: &mut PrimitiveBatch,
        outputs: &Outputs,
        raster: Option<&Raster>,
        grid: Grid,
        scratch: &mut Scratch,
    ) {
        std::mem::swap(&mut self.vertices, &mut batch.vertices);
        self.statistics = batch.statistics;
        self.grid = grid;
        (self.layer, self.viewport) = (outputs.layer, outputs.viewport);
        self.bins.clear(grid.columns);
        self.screen_vertices.clear();
        self.primitives.clear();
        self.masks.clear();
        if let Some(raster) = raster {
            // Most primitives are in one tile, and few are clipped.
            self.bins.reserve(batch.primitives.len());
            self.screen_vertices.reserve(self.vertices.count());
            self.primitives.reserve(batch.primitives.len());
            self.statistics.clipper_invocations = batch.primitives.len() as u64;
            vectorize(SetUp { batch, prepared: self, scratch, outputs, raster });
            if raster.sample_mask == 0 {
                self.bins.clear(grid.columns);
                self.primitives.clear();
            }
        }
        self.bins.sort();
    }

    /// Duplicates the vertices of a primitive where the provoking vertex selects another viewport than they do.
    fn unshare(&mut self, primitives: &mut [IndexedPrimitive]) {
        let Some(word) = self.viewport else { return };
        for IndexedPrimitive { vertices, .. } in primitives {
            let leading = self.vertices.word(vertices[0], word);
            for vertex in vertices {
                if self.vertices.word(*vertex, word) != leading {
                    // The next stage sees the provoking vertex's.
                    let own = |all: &Vertices, n| if n == word { leading } else { all.word(*vertex, n) };
                    *vertex = self.vertices.push(own);
                }
            }
        }
    }

    /// Projects vertices to the screen.
    #[inline(always)]
    fn project(&mut self, scratch: &mut Scratch, outputs: &Outputs, raster: &Raster) {
        let is_on_screen = &mut scratch.is_on_screen;
        let mut area = &raster.areas[0];
        is_on_screen.clear();
        for index in 0..self.vertices.count() as u32 {
            if self.viewport.is_some() {
                area = self.area(index, raster);
            }
            let position = self.vertices.floats(index, outputs.position);
            let is_inside = || {
                (area.keeps_view_volume && clip::is_in_view_volume(position)) || clip::is_inside(position, &area.planes)
            };
            let vertex = match raster.is_transformed {
                true => Viewport::take_transformed(position),
                false => is_inside().then(|| area.viewport.project(position)).flatten(),
            };
            self.screen_vertices.push(vertex.unwrap_or_default());
            is_on_screen.push(vertex.is_some());
        }
    }

    /// Adds a primitive to the tiles of its bounds, which are not empty.
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds, primitive: Primitive) {
        let first_row = self.first_row(primitive.vertices);
        self.primitives.push(primitive);
        self.bins.add(bounds, first_row);
    }

    /// The masks of a small primitive's samples.
    pub fn masks_of(&self, number: u32) -> &[u64] {
        let count = self.masks.len().checked_div(self.primitives.len()).unwrap_or(0);
        &self.masks[number as usize * count..][..count]
    }

    /// Leaves a single primitive, with the masks of its samples.
    pub fn leave_only(&mut self, primitive: &Primitive, masks: &[u64]) {
        self.primitives.clear();
        self.primitives.push(*primitive);
        self.masks.clear();
        self.masks.extend_from_slice(masks);
    }

    /// The first row of tiles of a primitive's layer, which its provoking vertex selects.
    #[inline(always)]
    fn first_row(&self, vertices: [u32; 3]) -> u32 {
        let Some(word) = self.layer else { return 0 };
        self.grid.first_row(self.vertices.word(vertices[0], word))
    }

    /// The area that a primitive is drawn to, by its provoking vertex. The first one if the index is out of range
    /// (functional specification, 15.8.1).
    #[inline(always)]
    pub fn area<'a>(&self, leading: u32, raster: &'a Raster) -> &'a Area {
        let number = self.viewport.map_or(0, |word| self.vertices.word(leading, word));
        raster.areas.get(number as usize).unwrap_or(&raster.areas[0])
    }

    /// The positions of a primitive's vertices on the screen.
    #[inline(always)]
    pub fn screen_vertices_of(&self, vertices: [u32; 3]) -> [ScreenVertex; 3] {
        vertices.map(|vertex| self.screen_vertices[vertex as usize])
    }
}
