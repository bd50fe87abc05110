//! Set-up: shaded vertices and their primitives become primitives on the screen, sorted into tiles.
//!
//! | file | what |
//! |---|---|
//! | `viewport.rs` | from clip space to the screen, and the part of it that is drawn to: viewport and scissor rectangle |
//! | `clip.rs` | cutting triangles and lines at planes |
//! | `cut.rs` | what is left of a batch's primitives where they are cut |
//! | `triangle.rs`, `line.rs` | which are culled, and what the others cover at most, within the scissor rectangle |
//! | `bias.rs` | depth bias |
//! | `shape/` | which pixels triangles, lines and points cover, and what changes evenly over them |
//! | `bins.rs` | the tiles of targets, and which primitives may cover something in which |
//! | `vectors.rs` | the processor's widest vectors, for loops that can use them; tiles do so, too |

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

use crate::setup::bias::DepthBias;
use crate::setup::bins::{Bins, Grid};
use crate::setup::shape::{Bounds, Corner, Group, Planes, PointSizes, Small, Sprite};
use crate::setup::vectors::{Work, vectorize};
use crate::setup::viewport::{Area, Viewport};
use crate::state::{Fill, Kind, RasterizerState};
use crate::statistics::Statistics;
use crate::vertices::primitives::{IndexedPrimitive, Outputs, PrimitiveBatch, Vertices};

/// What becomes of primitives on the screen.
#[derive(Clone, Debug)]
pub struct Raster {
    /// The parts of the target that are drawn to: the first one, or all that the vertex shader can choose.
    pub areas: Arc<[Area]>,
    /// The pipeline's state.
    pub state: RasterizerState,
    /// Whether the sample mask takes all pixels away.
    pub is_masked: bool,
    /// What is added to depths.
    pub bias: Option<DepthBias>,
    /// How large points are if they are squares, not pixels.
    pub points: Option<PointSizes>,
    /// Whether lines are rectangles.
    pub has_wide_lines: bool,
    /// Whether lines have the pixel that they end in.
    pub has_last_pixels: bool,
    /// Whether vertices are on the screen already.
    pub is_transformed: bool,
}

/// A primitive on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// Its vertices, by their place in the batch; the leading one first. A line's third is its first again, and all of a point's are
    /// one.
    pub vertices: [u32; 3],
    /// Its number within the instance.
    pub id: u32,
    /// Whether it shows its front, as points and lines do that are not edges of triangles.
    pub is_front: bool,
    /// The pixels that it covers.
    pub shape: Shape,
}

/// The pixels that a primitive covers.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Known one by one.
    Small(Small),
    /// Those of the triangle in a rectangle.
    Large {
        /// The rectangle.
        bounds: Bounds,
        /// What is added to the depths of its corners.
        bias: f32,
    },
    /// Those of a line in a rectangle.
    Line {
        /// The rectangle.
        bounds: Bounds,
        /// The vertices at its ends.
        ends: [u8; 2],
        /// What is added to their depths.
        bias: f32,
    },
    /// Those of a square point in a rectangle.
    Sprite {
        /// The rectangle.
        bounds: Bounds,
        /// The square.
        sprite: Sprite,
    },
}

impl Shape {
    /// The planes of a primitive with these corners, which of a line change along it alone. None if it has no inside, or no length.
    #[inline(always)]
    pub fn planes(&self, corners: &[Corner; 3]) -> Option<Planes> {
        match *self {
            Shape::Line { ends, .. } => Planes::of_line(corners, ends.map(usize::from)),
            Shape::Small(_) | Shape::Large { .. } | Shape::Sprite { .. } => Planes::new(corners),
        }
    }
}

/// Primitives that can be drawn, and their vertices.
#[derive(Debug, Default)]
pub struct Prepared {
    /// Those of the batch, and what cuts made.
    pub vertices: Vertices,
    /// Where they are.
    pub corners: Vec<Corner>,
    /// In the order of the draw.
    pub primitives: Vec<Primitive>,
    /// Which of them may cover something in which tile.
    pub bins: Bins,
    /// What was done until now.
    pub statistics: Statistics,
    grid: Grid,
    /// The words of a vertex that have its layer and its viewport.
    layer: Option<usize>,
    viewport: Option<usize>,
}

/// What only lives while a batch is set up.
#[derive(Default)]
pub struct Scratch {
    /// Which vertices have a place on the screen.
    places: Vec<bool>,
    /// Primitives that are left after cutting: all of their vertices have one.
    left: Vec<IndexedPrimitive>,
    group: Group,
}

/// What is done to the primitives of a batch.
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
        prepared.place(scratch, outputs, raster);
        if *kind == Kind::Triangle && raster.state.fill == Fill::Wireframe {
            return prepared.outline(primitives, scratch, outputs, raster);
        }
        prepared.cut(*kind, primitives, scratch, outputs, raster);
        match kind {
            Kind::Point => prepared.set_up_points(scratch, raster),
            Kind::Line => prepared.set_up_lines(scratch, raster),
            Kind::Triangle => prepared.set_up_triangles(scratch, raster),
        }
    }
}

impl Prepared {
    /// Sets up the primitives of a batch, whose vertices it takes, and sorts them into the tiles of a grid; none if nobody wants to see
    /// them. What was here before is gone.
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
        self.corners.clear();
        self.primitives.clear();
        if let Some(raster) = raster {
            // Most primitives are in one tile, and few are cut.
            self.bins.reserve(batch.primitives.len());
            self.corners.reserve(self.vertices.count());
            self.primitives.reserve(batch.primitives.len());
            self.statistics.clipper_invocations = self.statistics.primitives;
            vectorize(SetUp { batch, prepared: self, scratch, outputs, raster });
            if raster.is_masked {
                self.bins.clear(grid.columns);
                self.primitives.clear();
            }
        }
        self.bins.sort();
    }

    /// Gives primitives vertices of their own where the leading one names another viewport than they do.
    fn unshare(&mut self, primitives: &mut [IndexedPrimitive]) {
        let Some(word) = self.viewport else { return };
        for IndexedPrimitive { vertices, .. } in primitives {
            let leading = self.vertices.word(vertices[0], word);
            for vertex in vertices {
                if self.vertices.word(*vertex, word) != leading {
                    // The stage after sees the leading vertex's.
                    let own = |all: &Vertices, n| if n == word { leading } else { all.word(*vertex, n) };
                    *vertex = self.vertices.push(own);
                }
            }
        }
    }

    /// Brings vertices to the screen.
    #[inline(always)]
    fn place(&mut self, scratch: &mut Scratch, outputs: &Outputs, raster: &Raster) {
        let places = &mut scratch.places;
        let mut area = &raster.areas[0];
        places.clear();
        for vertex in 0..self.vertices.count() as u32 {
            if self.viewport.is_some() {
                area = self.area(vertex, raster);
            }
            let position = self.vertices.floats(vertex, outputs.position);
            let is_inside = || (area.keeps_seen && clip::is_seen(position)) || clip::is_inside(position, &area.planes);
            let corner = match raster.is_transformed {
                true => Viewport::take(position),
                false => is_inside().then(|| area.viewport.transform(position)).flatten(),
            };
            self.corners.push(corner.unwrap_or_default());
            places.push(corner.is_some());
        }
    }

    /// Adds a primitive to the tiles of its bounds, which are not empty.
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds, primitive: Primitive) {
        let first_row = self.first_row(primitive.vertices);
        self.primitives.push(primitive);
        self.bins.add(bounds, first_row);
    }

    /// The first row of tiles of the layer that a primitive is in: its leading vertex says which.
    #[inline(always)]
    fn first_row(&self, vertices: [u32; 3]) -> u32 {
        let Some(word) = self.layer else { return 0 };
        self.grid.first_row(self.vertices.word(vertices[0], word))
    }

    /// The part of the target that a primitive is drawn to: its leading vertex says which. The first one, if there is no such part
    /// (functional specification, 15.8.1).
    #[inline(always)]
    pub fn area<'a>(&self, leading: u32, raster: &'a Raster) -> &'a Area {
        let number = self.viewport.map_or(0, |word| self.vertices.word(leading, word));
        raster.areas.get(number as usize).unwrap_or(&raster.areas[0])
    }

    /// Where the vertices of a primitive are.
    #[inline(always)]
    pub fn corners_of(&self, vertices: [u32; 3]) -> [Corner; 3] {
        vertices.map(|vertex| self.corners[vertex as usize])
    }
}
