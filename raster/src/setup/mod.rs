//! From vertices to primitives that can be drawn: shading, clipping, culling.
//!
//! | file | what |
//! |---|---|
//! | `viewport.rs` | from clip space to the screen |
//! | `clip.rs` | cutting triangles and lines at planes |
//! | `cut.rs` | what is left of a batch's primitives where they are cut |
//! | `bias.rs` | depth bias |
//! | `shape/` | which pixels triangles, lines and points cover, and what changes evenly over them |
//! | `bins.rs` | which primitives may cover something in which tile |

pub mod bias;
pub mod bins;
pub mod clip;
mod cut;
pub mod shape;
pub mod viewport;

use brolga_ir::pipeline::record;
use brolga_ir::width::MAX_LANES;
use brolga_runtime::{ArrayWords, Error, Session};

use crate::direct3d9::PointSizes;
use crate::setup::bias::DepthBias;
use crate::setup::bins::Bins;
use crate::setup::clip::{Mode, Polygon};
use crate::setup::shape::edge::{self, Bounds};
use crate::setup::shape::plane::{Corner, Local};
use crate::setup::shape::small::{self, Group, Small};
use crate::setup::shape::sprite::Sprite;
use crate::setup::shape::thin::{self, Line};
use crate::setup::shape::wide::WideLine;
use crate::setup::viewport::{Plane, Viewport};
use crate::statistics::Statistics;
use crate::tiles::blocks::Grid;
use crate::vectors::{Work, vectorize};
use crate::vertices::assembly::{Batch, Instances, Kind, Reuse, Topology};

/// Words of a row.
const ROW_WORDS: usize = 4;

/// What a vertex shader gives.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Registers.
    pub rows: usize,
    /// The register of the position.
    pub position: usize,
    /// The words of clip distances: pixels where one is below 0 are not covered.
    pub clip: Vec<usize>,
    /// The words of cull distances: triangles of which all corners have one below 0 are not drawn.
    pub cull: Vec<usize>,
    /// How each word of the registers is interpolated by the stage after; what it does not read counts for nothing.
    pub modes: Vec<Mode>,
    /// Which registers the stage after reads.
    pub is_read: Vec<bool>,
    /// The word of the layer that a primitive is drawn to: its leading vertex has it. Without it that is the first one.
    pub layer: Option<usize>,
    /// The word of its viewport, likewise.
    pub viewport: Option<usize>,
}

/// What becomes of primitives on the screen.
#[derive(Clone, Debug)]
pub struct Raster {
    /// The parts of the target that are drawn to: the first one, or all that the vertex shader can choose.
    pub areas: Vec<Area>,
    /// What is drawn of triangles.
    pub fill: Fill,
    /// Triangles that are not drawn.
    pub cull: Cull,
    /// Whether triangles whose corners go counter-clockwise show their front.
    pub is_front_counter_clockwise: bool,
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

/// A part of the target that is drawn to.
#[derive(Clone, Debug)]
pub struct Area {
    /// Where it is.
    pub viewport: Viewport,
    /// Pixels that may be drawn to: those of the target, the viewport and the scissor rectangle.
    pub scissor: Bounds,
    /// What primitives are cut at.
    planes: Vec<Plane>,
    /// Whether depth is one of that, and what the viewport does not say.
    clips_depth: bool,
    more: Vec<Plane>,
    /// Whether nothing that is seen is cut.
    keeps_seen: bool,
}

impl Area {
    /// A viewport, with pixels that may be drawn to, where depth is clipped or not, and more planes at which primitives are cut.
    pub fn new(viewport: Viewport, scissor: Bounds, clips_depth: bool, more: Vec<Plane>) -> Self {
        let keeps_seen = more.is_empty() && viewport.is_within_reach();
        let planes = viewport.planes(clips_depth).chain(more.iter().copied()).collect();
        Self { viewport, scissor, planes, clips_depth, more, keeps_seen }
    }

    /// The same with other pixels that may be drawn to, where depth need not be clipped, nor anything at more planes.
    pub fn changed(&self, scissor: Bounds, clips_depth: bool, clips_more: bool) -> Self {
        let more = if clips_more { self.more.clone() } else { Vec::new() };
        Self::new(self.viewport, scissor, self.clips_depth && clips_depth, more)
    }
}

impl Raster {
    /// The area with a number; the first one, if there is no such number (functional specification, 15.8.1).
    #[inline(always)]
    pub fn area(&self, number: u32) -> &Area {
        self.areas.get(number as usize).unwrap_or(&self.areas[0])
    }
}

/// What is drawn of triangles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fill {
    /// All that they cover.
    Solid,
    /// Their edges, as lines; not those where they are cut.
    Wireframe,
}

/// Triangles that are not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cull {
    /// All are drawn.
    None,
    /// Those that show their front.
    Front,
    /// Those that show their back.
    Back,
}

impl Cull {
    /// Whether it takes triangles away that show their front, or their back.
    #[inline(always)]
    fn takes(self, is_front: bool) -> bool {
        match self {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        }
    }
}

/// How the vertices of a draw become primitives on the screen.
#[derive(Clone, Copy, Debug)]
pub struct FrontEnd<'a> {
    /// How vertices make primitives.
    pub topology: Topology,
    /// Bytes from a vertex to the next in each buffer.
    pub strides: &'a [u32],
    /// What the vertex shader gives.
    pub outputs: &'a Outputs,
    /// What becomes of primitives; none if nobody wants to see them.
    pub raster: Option<&'a Raster>,
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

/// Primitives that can be drawn, and their vertices.
#[derive(Debug, Default)]
pub struct Prepared {
    /// What the vertices gave, and what cuts made.
    pub rows: Vec<u32>,
    /// Where they are.
    pub corners: Vec<Corner>,
    /// In the order of the draw.
    pub primitives: Vec<Primitive>,
    /// Which of them may cover something in which tile.
    pub bins: Bins,
    /// What was done until now.
    pub statistics: Statistics,
    grid: Grid,
    /// Words from a vertex to the next one in `rows`.
    stride: usize,
    /// The words of a vertex that have its layer and its viewport.
    layer: Option<usize>,
    viewport: Option<usize>,
}

/// What only lives while a batch is prepared.
#[derive(Default)]
pub struct Assembly {
    reuse: Reuse,
    /// What each vertex is, in words.
    ids: Vec<u32>,
    /// How many vertices there are. After them the last one follows again: packets are full, and what lies past the end of a batch
    /// must not take longer than what is in it.
    count: usize,
    /// Primitives, by the places of their vertices, and how many of them each instance has.
    primitives: Vec<[u32; 3]>,
    of_instance: u32,
    /// Which vertices have a place on the screen.
    places: Vec<bool>,
    /// Primitives that are left after cutting.
    left: Vec<Candidate>,
    group: Group,
}

/// A primitive all of whose vertices have a place on the screen.
#[derive(Clone, Copy)]
struct Candidate {
    vertices: [u32; 3],
    id: u32,
}

impl Assembly {
    /// Makes primitives of a batch's vertices, each of which is there once for each instance.
    fn assemble(&mut self, topology: Topology, batch: Batch, instances: &Instances<'_>) {
        const WORDS: usize = record::vertex::WORDS as usize;
        let Self { reuse, ids, primitives, .. } = self;
        let kind = topology.kind();
        reuse.forget();
        ids.clear();
        primitives.clear();
        for number in instances.numbers.clone() {
            let from = (ids.len() / WORDS) as u32;
            topology.primitives(batch, instances.is_restart(), |positions| {
                let mut place = |position: u32| {
                    let index = instances.index(position);
                    reuse.place(index, from, || {
                        let words: [u32; WORDS] =
                            [index.wrapping_add(instances.base_vertex), index, number, instances.first];
                        ids.extend_from_slice(&words);
                        (ids.len() / WORDS - 1) as u32
                    })
                };
                let [first, second, third] = positions;
                let first = place(first);
                // What a line or a point has again is one vertex, not another that is the same.
                let second = if kind == Kind::Point { first } else { place(second) };
                let third = if kind == Kind::Triangle { place(third) } else { first };
                primitives.push([first, second, third]);
            });
        }
        self.count = self.ids.len() / WORDS;
        self.of_instance = (primitives.len() / instances.numbers.len()) as u32;
        if let Some(last) = self.ids.last_chunk::<WORDS>().copied() {
            let copies = self.count.next_multiple_of(MAX_LANES) - self.count;
            self.ids.extend_from_slice([last; MAX_LANES][..copies].as_flattened());
        }
    }

    /// The numbers of its primitives, of which each instance begins with the same.
    fn numbers(&self, first: u32) -> impl Iterator<Item = u32> + use<> {
        (first..first + self.of_instance).cycle()
    }
}

/// What is done to the primitives of a batch after their vertices were shaded.
struct SetUp<'a> {
    kind: Kind,
    prepared: &'a mut Prepared,
    assembly: &'a mut Assembly,
    outputs: &'a Outputs,
    raster: &'a Raster,
    /// The number of the first one.
    first: u32,
}

impl Work for SetUp<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.prepared.unshare(self.assembly);
        self.prepared.place(self.assembly, self.outputs, self.raster);
        if self.kind == Kind::Triangle && self.raster.fill == Fill::Wireframe {
            return self.prepared.outline(self.assembly, self.first, self.outputs, self.raster);
        }
        self.prepared.cut(self.kind, self.assembly, self.first, self.outputs, self.raster);
        match self.kind {
            Kind::Point => self.prepared.set_up_points(self.assembly, self.raster),
            Kind::Line => self.prepared.set_up_lines(self.assembly, self.raster),
            Kind::Triangle => self.prepared.set_up(self.assembly, self.raster),
        }
    }
}

impl Prepared {
    /// Shades the vertices of a batch, each once. What was here before is gone.
    pub fn shade(
        &mut self,
        front_end: FrontEnd<'_>,
        (batch, instances): (Batch, &Instances<'_>),
        grid: Grid,
        assembly: &mut Assembly,
        session: &mut Session<'_>,
    ) -> Result<(), Error> {
        let FrontEnd { topology, strides, outputs, .. } = front_end;
        assembly.assemble(topology, batch, instances);
        let Assembly { ids, primitives: assembled, count, .. } = assembly;
        let count = *count;
        let Self { rows, statistics, .. } = self;
        self.grid = grid;
        self.stride = outputs.rows * ROW_WORDS;
        (self.layer, self.viewport) = (outputs.layer, outputs.viewport);
        rows.clear();
        rows.resize(count * outputs.rows * ROW_WORDS, 0);
        let mut arrays = [ArrayWords::Read(ids), ArrayWords::Read(strides), ArrayWords::Write(rows)];
        // What has restarts alone has no vertices.
        if count > 0 {
            session.batch(count as u32, &mut arrays)?;
        }

        *statistics = Statistics {
            vertices: batch.vertices(instances.is_restart()) * instances.numbers.len() as u64,
            primitives: assembled.len() as u64,
            vertex_invocations: count as u64,
            ..Statistics::default()
        };
        Ok(())
    }

    /// Sets up what is left of a shaded batch's primitives, of which the first has a number, and sorts it into tiles. It may be repeated
    /// with another front end.
    pub fn set_up_all(&mut self, front_end: FrontEnd<'_>, first: u32, assembly: &mut Assembly) {
        let FrontEnd { topology, outputs, raster, .. } = front_end;
        self.bins.clear(self.grid.columns);
        self.corners.clear();
        self.primitives.clear();
        // What cuts added before is gone.
        self.rows.truncate(assembly.count * self.stride);
        self.statistics.clipper_primitives = 0;
        if let Some(raster) = raster {
            self.statistics.clipper_invocations = self.statistics.primitives;
            vectorize(SetUp { kind: topology.kind(), prepared: self, assembly, outputs, raster, first });
            if raster.is_masked {
                self.bins.clear(self.grid.columns);
                self.primitives.clear();
            }
        }
        self.bins.sort();
    }

    /// Assembled primitives with a corner that is no number, and others that are behind the eye as a whole.
    pub fn count_lost(&self, assembly: &Assembly, outputs: &Outputs, raster: &Raster) -> [u64; 2] {
        let mut lost = [0; 2];
        let is_behind = |corner: &[f32; 4]| match raster.is_transformed {
            true => Viewport::reciprocal(corner[3]).is_none(),
            false => corner[3] <= 0.0,
        };
        for vertices in &assembly.primitives {
            let corners = vertices.map(|vertex| self.position(vertex as usize, outputs));
            if corners.as_flattened().iter().any(|place| place.is_nan()) {
                lost[0] += 1;
            } else if corners.iter().all(is_behind) {
                lost[1] += 1;
            }
        }
        lost
    }

    /// Gives primitives vertices of their own where the leading one names another viewport than they do.
    fn unshare(&mut self, assembly: &mut Assembly) {
        let Some(word) = self.viewport else { return };
        for vertices in &mut assembly.primitives {
            let own = |prepared: &Self, vertex: u32| prepared.rows[vertex as usize * prepared.stride + word];
            let leading = own(self, vertices[0]);
            for vertex in vertices {
                if own(self, *vertex) != leading {
                    let first = *vertex as usize * self.stride;
                    self.rows.extend_from_within(first..first + self.stride);
                    *vertex = assembly.count as u32;
                    assembly.count += 1;
                    // The stage after sees the leading vertex's.
                    self.rows[*vertex as usize * self.stride + word] = leading;
                }
            }
        }
    }

    /// Brings vertices to the screen.
    #[inline(always)]
    fn place(&mut self, assembly: &mut Assembly, outputs: &Outputs, raster: &Raster) {
        let Assembly { count, places, .. } = assembly;
        let mut area = raster.area(0);
        places.clear();
        for vertex in 0..*count {
            if self.viewport.is_some() {
                area = self.area(vertex as u32, raster);
            }
            let position = self.position(vertex, outputs);
            let is_inside = || (area.keeps_seen && clip::is_seen(position)) || clip::is_inside(position, &area.planes);
            let corner = match raster.is_transformed {
                true => Viewport::take(position),
                false => is_inside().then(|| area.viewport.transform(position)).flatten(),
            };
            self.corners.push(corner.unwrap_or_default());
            places.push(corner.is_some());
        }
    }

    /// Notes which primitives are left: those that are cut are replaced by what is left of them.
    #[inline(always)]
    fn cut(&mut self, kind: Kind, assembly: &mut Assembly, first: u32, outputs: &Outputs, raster: &Raster) {
        let ids = assembly.numbers(first);
        let Assembly { primitives, places, left, .. } = assembly;
        left.clear();
        let has_distances = !(outputs.clip.is_empty() && outputs.cull.is_empty());
        for (id, &vertices) in ids.zip(&*primitives) {
            if has_distances && self.is_beyond(vertices, outputs) {
                continue;
            }
            if vertices.iter().all(|&vertex| places[vertex as usize]) {
                left.push(Candidate { vertices, id });
            } else {
                self.clip(kind, Candidate { vertices, id }, outputs, raster, left);
            }
        }
        self.statistics.clipper_primitives = left.len() as u64;
    }

    /// Sets up the triangles that are left.
    #[inline(always)]
    fn set_up(&mut self, assembly: &mut Assembly, raster: &Raster) {
        let Assembly { left, group, .. } = assembly;
        for candidates in left.chunks(Group::SIZE) {
            for (n, candidate) in candidates.iter().enumerate() {
                let corners = candidate.vertices.map(|vertex| &self.corners[vertex as usize]);
                match &raster.bias {
                    None => group.put(n, corners),
                    Some(bias) => group.put(n, bias.add(corners.map(|&corner| corner)).each_ref()),
                }
            }
            group.set_up();
            for (n, &candidate) in candidates.iter().enumerate() {
                self.add(candidate, group, n, raster);
            }
        }
    }

    /// Sets up the edges of triangles that are not cut away or culled.
    fn outline(&mut self, assembly: &Assembly, first: u32, outputs: &Outputs, raster: &Raster) {
        for (id, &vertices) in assembly.numbers(first).zip(&assembly.primitives) {
            if self.is_beyond(vertices, outputs) {
                continue;
            }
            if vertices.iter().all(|&vertex| assembly.places[vertex as usize]) {
                self.statistics.clipper_primitives += 1;
                if let Some((is_front, bias)) = self.side(&vertices, raster) {
                    for ends in [[0, 1], [1, 2], [2, 0]] {
                        self.add_line(vertices, id, is_front, ends, bias, raster);
                    }
                }
                continue;
            }
            let (corners, planes) = self.in_clip_space(vertices, outputs, raster);
            if clip::is_outside(&corners, planes) {
                continue;
            }
            let polygon = Polygon::new(&corners, planes);
            let count = polygon.vertices().len();
            let Some(first) = self.add_cut(polygon.vertices(), vertices, outputs, raster).filter(|_| count >= 3) else {
                continue;
            };
            self.statistics.clipper_primitives += count as u64 - 2;
            let places: [u32; Polygon::MOST_VERTICES] = std::array::from_fn(|n| first + n as u32);
            let Some((is_front, bias)) = self.side(&places[..count], raster) else { continue };
            for (n, _) in polygon.vertices().iter().enumerate().filter(|(_, vertex)| vertex.is_on_edge()) {
                // Every vertex has the leading one's constant attributes.
                let [from, to] = [places[n], places[(n + 1) % count]];
                self.add_line([from, to, from], id, is_front, [0, 1], bias, raster);
            }
        }
    }

    /// Whether a polygon on the screen shows its front, as it does not without an inside, and what is added to its depths. None if it
    /// is culled.
    fn side(&self, places: &[u32], raster: &Raster) -> Option<(bool, f32)> {
        let corner = |n: usize| self.corners[places[n] as usize];
        let triangles = (2..places.len()).map(|n| [corner(0), corner(n - 1), corner(n)]);
        let area = |corners: &[Corner; 3]| edge::area(corners.map(|corner| corner.point));
        let whole: i64 = triangles.clone().map(|corners| area(&corners)).sum();
        let is_front = whole != 0 && (whole > 0) != raster.is_front_counter_clockwise;
        if raster.cull.takes(is_front) {
            return None;
        }
        // All are of one plane, which the greatest shows best.
        let greatest = triangles.max_by_key(|corners| area(corners).abs());
        let bias = greatest.zip(raster.bias).map_or(0.0, |(corners, bias)| bias.of(&corners));
        Some((is_front, bias))
    }

    /// Adds the line between two vertices of a primitive, unless nothing of it can be seen.
    fn add_line(&mut self, vertices: [u32; 3], id: u32, is_front: bool, ends: [u8; 2], bias: f32, raster: &Raster) {
        let [from, to] = ends.map(|end| self.corners[vertices[usize::from(end)] as usize].point);
        let bounds = if raster.has_wide_lines {
            WideLine::new(from, to).map(|line| line.bounds())
        } else if raster.has_last_pixels {
            Line::with_last_pixel(from, to).map(|line| line.bounds())
        } else {
            Line::new(from, to).map(|line| line.bounds())
        };
        let Some(bounds) = bounds else { return };
        let bounds = bounds.intersect(self.area(vertices[0], raster).scissor);
        if !bounds.is_empty() {
            self.bins.add(&bounds, self.first_row(vertices));
            self.primitives.push(Primitive { vertices, id, is_front, shape: Shape::Line { bounds, ends, bias } });
        }
    }

    /// Sets up the lines that are left, none of which is culled.
    fn set_up_lines(&mut self, assembly: &Assembly, raster: &Raster) {
        for &Candidate { vertices, id } in &assembly.left {
            self.add_line(vertices, id, true, [0, 1], 0.0, raster);
        }
    }

    /// The same for points.
    fn set_up_points(&mut self, assembly: &Assembly, raster: &Raster) {
        for &Candidate { vertices, id } in &assembly.left {
            let corner = &self.corners[vertices[0] as usize];
            if let Some(sizes) = &raster.points {
                let first = vertices[0] as usize * self.stride;
                let sprite = Sprite::new(corner.point, sizes.of(&self.rows[first..first + self.stride]));
                let bounds = sprite.bounds().intersect(self.area(vertices[0], raster).scissor);
                if !bounds.is_empty() {
                    self.bins.add(&bounds, self.first_row(vertices));
                    let shape = Shape::Sprite { bounds, sprite };
                    self.primitives.push(Primitive { vertices, id, is_front: true, shape });
                }
                continue;
            }
            let pixel = thin::pixel(corner.point);
            let bounds = Bounds { left: pixel[0], top: pixel[1], right: pixel[0] + 1, bottom: pixel[1] + 1 };
            if !bounds.intersect(self.area(vertices[0], raster).scissor).is_empty() {
                let shape = Shape::Small(Small::of_pixel(pixel, Local::of_point(corner)));
                self.bins.add(&bounds, self.first_row(vertices));
                self.primitives.push(Primitive { vertices, id, is_front: true, shape });
            }
        }
    }

    /// The words of a vertex.
    pub fn row(&self, vertex: usize, outputs: &Outputs) -> &[u32] {
        let words = outputs.rows * ROW_WORDS;
        &self.rows[vertex * words..(vertex + 1) * words]
    }

    /// The first row of tiles of the layer that a primitive is in: its leading vertex says which.
    #[inline(always)]
    fn first_row(&self, vertices: [u32; 3]) -> u32 {
        let Some(word) = self.layer else { return 0 };
        self.grid.first_row(self.rows[vertices[0] as usize * self.stride + word])
    }

    /// The part of the target that a primitive is drawn to: its leading vertex says which.
    #[inline(always)]
    pub fn area<'a>(&self, leading: u32, raster: &'a Raster) -> &'a Area {
        raster.area(self.viewport.map_or(0, |word| self.rows[leading as usize * self.stride + word]))
    }

    /// Where the vertices of a primitive are.
    #[inline(always)]
    pub fn corners_of(&self, vertices: [u32; 3]) -> [Corner; 3] {
        vertices.map(|vertex| self.corners[vertex as usize])
    }

    fn position(&self, vertex: usize, outputs: &Outputs) -> [f32; 4] {
        let words = &self.row(vertex, outputs)[outputs.position * ROW_WORDS..][..ROW_WORDS];
        std::array::from_fn(|n| f32::from_bits(words[n]))
    }

    /// The float that a word of a vertex is.
    pub fn float(&self, vertex: u32, word: usize, outputs: &Outputs) -> f32 {
        f32::from_bits(self.row(vertex as usize, outputs)[word])
    }

    /// Adds a triangle that was set up in a group, unless nothing of it can be seen.
    #[inline(always)]
    fn add(&mut self, Candidate { vertices, id }: Candidate, group: &Group, n: usize, raster: &Raster) {
        let whole = group.bounds(n);
        let bounds = whole.intersect(self.area(vertices[0], raster).scissor);
        if bounds.is_empty() {
            return;
        }
        let (shape, is_clockwise) = match group.small(n) {
            Some((mut small, is_clockwise)) => {
                if bounds != whole {
                    small.quads &= small::within(small.corner, &bounds);
                }
                if small.quads == 0 {
                    return;
                }
                (Shape::Small(small), is_clockwise)
            }
            None => {
                let corners = self.corners_of(vertices);
                let area = edge::area(corners.map(|corner| corner.point));
                // What has no inside covers nothing.
                if area == 0 {
                    return;
                }
                let bias = raster.bias.map_or(0.0, |bias| bias.of(&corners));
                (Shape::Large { bounds, bias }, area > 0)
            }
        };
        let is_front = is_clockwise != raster.is_front_counter_clockwise;
        if !raster.cull.takes(is_front) {
            self.bins.add(&bounds, self.first_row(vertices));
            self.primitives.push(Primitive { vertices, id, is_front, shape });
        }
    }
}
