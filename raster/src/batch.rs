//! From vertices to primitives that can be drawn: shading, clipping, culling.

use std::ops::Range;

use brolga_ir::pipeline::record;
use brolga_runtime::{ArrayWords, Error, Session};

use crate::assembly::{Batch, Topology};
use crate::clip::{self, Mode, Polygon};
use crate::edge::{self, Bounds, Triangle};
use crate::fixed::Point;
use crate::plane::Corner;
use crate::small::Mask;
use crate::statistics::Statistics;
use crate::tile;
use crate::viewport::{Plane, Viewport};

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
}

/// What becomes of triangles on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Raster {
    /// The part of the target that is drawn to.
    pub viewport: Viewport,
    /// Pixels that may be drawn to: those of the target, the viewport and the scissor rectangle.
    pub scissor: Bounds,
    /// Triangles that are not drawn.
    pub cull: Cull,
    /// Whether triangles whose corners go counter-clockwise show their front.
    pub is_front_counter_clockwise: bool,
    /// Whether depth is clipped.
    pub clips_depth: bool,
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

/// How the vertices of a draw become triangles on the screen.
#[derive(Clone, Copy, Debug)]
pub struct FrontEnd<'a> {
    /// How vertices make triangles.
    pub topology: Topology,
    /// Bytes from a vertex to the next in each buffer.
    pub strides: &'a [u32],
    /// What the vertex shader gives.
    pub outputs: &'a Outputs,
    /// What becomes of triangles; none if nobody wants to see them.
    pub raster: Option<&'a Raster>,
}

/// Vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The index buffer, as 32-bit numbers, if there is one.
    pub indices: Option<&'a [u32]>,
    /// What is added to an index, or the first vertex.
    pub base_vertex: u32,
    /// The instance, from 0 on, and the first one of the draw.
    pub number: u32,
    /// The first instance of the draw.
    pub first: u32,
    /// The index that begins a strip anew.
    pub restart: Option<u32>,
}

/// A triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Primitive {
    /// Its vertices, by their place in the batch; the leading one first.
    pub vertices: [u32; 3],
    /// Its number within the instance.
    pub id: u32,
    /// Whether it shows its front.
    pub is_front: bool,
    /// Pixels that it may cover.
    pub bounds: Bounds,
    /// Those that it covers, if it is small.
    pub mask: Option<Mask>,
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
    /// Which primitives may cover something in which tile: in the order of tiles, then of the draw.
    bins: Vec<InTile>,
    /// Primitives that may cover something in many tiles, by their place: listed once, since memory is to be bounded.
    wide: Vec<u32>,
    /// What was done until now.
    pub statistics: Statistics,
}

impl Primitive {
    /// The columns and rows of tiles in which it may cover something.
    fn tiles(&self) -> [Range<u32>; 2] {
        let Bounds { left, top, right, bottom } = self.bounds;
        let tiles = |first: i32, end: i32| (first / tile::SIZE) as u32..((end - 1) / tile::SIZE + 1) as u32;
        [tiles(left, right), tiles(top, bottom)]
    }
}

/// The most tiles of a primitive that are noted one by one.
const MOST_TILES: usize = 64;

/// A primitive that may cover something in a tile.
#[derive(Clone, Copy, Debug)]
struct InTile {
    /// The tile, counted row by row.
    tile: u32,
    /// The primitive, by its place.
    primitive: u32,
}

/// Remembers where vertices of a batch are. Of those whose indices meet in one place the last is known: the others are shaded again.
struct Reuse(Box<[(u32, u32); Self::PLACES]>);

impl Default for Reuse {
    fn default() -> Self {
        Self(Box::new([(0, u32::MAX); Self::PLACES]))
    }
}

impl Reuse {
    const PLACES: usize = 1024;

    fn forget(&mut self) {
        self.0.fill((0, u32::MAX));
    }

    fn place(&mut self, index: u32, make: impl FnOnce() -> u32) -> u32 {
        let known = &mut self.0[index as usize % Self::PLACES];
        if *known != (index, known.1) || known.1 == u32::MAX {
            *known = (index, make());
        }
        known.1
    }
}

impl Instance<'_> {
    fn index(&self, position: u32) -> u32 {
        self.indices.map_or(position, |indices| indices.get(position as usize).copied().unwrap_or(0))
    }

    /// Which positions begin a strip anew.
    pub fn is_restart(&self) -> Option<impl Fn(u32) -> bool> {
        let instance = *self;
        instance.restart.map(move |restart| move |position| instance.index(position) == restart)
    }
}

/// What only lives while a batch is prepared.
#[derive(Default)]
pub struct Assembly {
    reuse: Reuse,
    /// What each vertex is, in words.
    ids: Vec<u32>,
    /// Primitives, by the places of their vertices.
    triangles: Vec<[u32; 3]>,
    /// Which vertices have a place on the screen.
    places: Vec<bool>,
}

impl Assembly {
    /// Makes primitives of a batch's vertices, each of which is there once.
    fn assemble(&mut self, topology: Topology, batch: Batch, instance: &Instance<'_>) {
        let Self { reuse, ids, triangles, .. } = self;
        reuse.forget();
        ids.clear();
        triangles.clear();
        topology.triangles(batch, instance.is_restart(), |positions| {
            let mut place = |position: u32| {
                let index = instance.index(position);
                reuse.place(index, || {
                    let words: [u32; record::vertex::WORDS as usize] =
                        [index.wrapping_add(instance.base_vertex), index, instance.number, instance.first];
                    ids.extend_from_slice(&words);
                    (ids.len() / words.len() - 1) as u32
                })
            };
            let [first, second, third] = positions;
            triangles.push([place(first), place(second), place(third)]);
        });
    }
}

impl Prepared {
    /// Shades the vertices of a batch, each once, and sets up what is left of its triangles. What was here before is gone.
    pub fn prepare(
        &mut self,
        front_end: FrontEnd<'_>,
        (batch, instance): (Batch, &Instance<'_>),
        assembly: &mut Assembly,
        session: &mut Session<'_>,
    ) -> Result<(), Error> {
        let FrontEnd { topology, strides, outputs, raster } = front_end;
        assembly.assemble(topology, batch, instance);
        let Assembly { ids, triangles, places, .. } = assembly;
        let count = ids.len() / record::vertex::WORDS as usize;
        let Self { rows, corners, primitives, bins, wide, statistics } = self;
        corners.clear();
        primitives.clear();
        bins.clear();
        wide.clear();
        rows.clear();
        rows.resize(count * outputs.rows * ROW_WORDS, 0);
        let mut arrays = [ArrayWords::Read(ids), ArrayWords::Read(strides), ArrayWords::Write(rows)];
        session.batch(count as u32, &mut arrays)?;

        *statistics = Statistics {
            vertices: batch.vertices(topology, instance.is_restart()),
            primitives: triangles.len() as u64,
            vertex_invocations: count as u64,
            ..Statistics::default()
        };
        let Some(raster) = raster else { return Ok(()) };
        statistics.clipper_invocations = statistics.primitives;
        let planes: Vec<Plane> = raster.viewport.planes(raster.clips_depth).collect();
        let is_within_reach = raster.viewport.is_within_reach();
        places.clear();
        for vertex in 0..count {
            let position = self.position(vertex, outputs);
            let is_inside = (is_within_reach && clip::is_seen(position)) || clip::is_inside(position, &planes);
            let corner = is_inside.then(|| raster.viewport.transform(position)).flatten();
            self.corners.push(corner.unwrap_or_default());
            places.push(corner.is_some());
        }
        let has_distances = !(outputs.clip.is_empty() && outputs.cull.is_empty());
        for (id, &vertices) in (batch.primitive..).zip(&*triangles) {
            if has_distances && self.is_beyond(vertices, outputs) {
                continue;
            }
            if vertices.iter().all(|&vertex| places[vertex as usize]) {
                self.statistics.clipper_primitives += 1;
                self.add(vertices, id, raster);
            } else {
                self.clip(vertices, id, &planes, outputs, raster);
            }
        }
        Ok(())
    }

    /// Notes which primitives are in which tile, of which a row has so many.
    pub fn sort_into_tiles(&mut self, columns: u32) {
        for (primitive, drawn) in (0..).zip(&self.primitives) {
            let [across, down] = drawn.tiles();
            if across.len() * down.len() > MOST_TILES {
                self.wide.push(primitive);
                continue;
            }
            for row in down {
                self.bins.extend(across.clone().map(|column| InTile { tile: row * columns + column, primitive }));
            }
        }
        // A stable sort keeps the order of primitives.
        self.bins.sort_by_key(|bin| bin.tile);
    }

    /// Marks the tiles that have primitives of this batch, where a row has so many.
    pub fn mark_tiles(&self, columns: u32, marks: &mut [bool]) {
        for bin in self.bins.chunk_by(|one, other| one.tile == other.tile) {
            marks[bin[0].tile as usize] = true;
        }
        for &primitive in &self.wide {
            let [across, down] = self.primitives[primitive as usize].tiles();
            for row in down {
                let tiles = row * columns + across.start..row * columns + across.end;
                marks[tiles.start as usize..tiles.end as usize].fill(true);
            }
        }
    }

    /// What a tile has, in order, where a row has so many: primitives by their places.
    pub fn of_tile(&self, tile: u32, columns: u32) -> impl Iterator<Item = u32> {
        let (column, row) = (tile % columns, tile / columns);
        let mut bins = self.bins_of(tile).iter().map(|bin| bin.primitive).peekable();
        let mut wide = self.wide.iter().copied().filter(move |&n| self.is_wide_in(n, [column, row])).peekable();
        std::iter::from_fn(move || match (bins.peek(), wide.peek()) {
            (Some(one), Some(other)) if other < one => wide.next(),
            (None, _) => wide.next(),
            _ => bins.next(),
        })
    }

    /// Whether it has anything in a tile.
    pub fn is_in_tile(&self, tile: u32, columns: u32) -> bool {
        let place = [tile % columns, tile / columns];
        !self.bins_of(tile).is_empty() || self.wide.iter().any(|&primitive| self.is_wide_in(primitive, place))
    }

    fn bins_of(&self, tile: u32) -> &[InTile] {
        // Most batches have little to do with most tiles.
        let (Some(least), Some(most)) = (self.bins.first(), self.bins.last()) else { return &[] };
        if !(least.tile..=most.tile).contains(&tile) {
            return &[];
        }
        let first = self.bins.partition_point(|bin| bin.tile < tile);
        let count = self.bins[first..].partition_point(|bin| bin.tile == tile);
        &self.bins[first..first + count]
    }

    fn is_wide_in(&self, primitive: u32, [column, row]: [u32; 2]) -> bool {
        let [across, down] = self.primitives[primitive as usize].tiles();
        across.contains(&column) && down.contains(&row)
    }

    /// The words of a vertex.
    pub fn row(&self, vertex: usize, outputs: &Outputs) -> &[u32] {
        let words = outputs.rows * ROW_WORDS;
        &self.rows[vertex * words..(vertex + 1) * words]
    }

    fn position(&self, vertex: usize, outputs: &Outputs) -> [f32; 4] {
        let words = &self.row(vertex, outputs)[outputs.position * ROW_WORDS..][..ROW_WORDS];
        std::array::from_fn(|n| f32::from_bits(words[n]))
    }

    /// The float that a word of a vertex is.
    pub fn float(&self, vertex: u32, word: usize, outputs: &Outputs) -> f32 {
        f32::from_bits(self.row(vertex as usize, outputs)[word])
    }

    /// Whether the distances of a triangle's corners leave nothing of it (functional specification, 15.4.1 and 15.4.2). What is no
    /// number counts as beyond a cull distance, and leaves nothing as a clip distance.
    fn is_beyond(&self, vertices: [u32; 3], outputs: &Outputs) -> bool {
        let distances = |word: usize| vertices.map(|vertex| self.float(vertex, word, outputs));
        let is_beyond = |distance: f32| distance < 0.0 || distance.is_nan();
        outputs.cull.iter().any(|&word| distances(word).into_iter().all(is_beyond))
            || outputs.clip.iter().any(|&word| {
                let distances = distances(word);
                distances.iter().any(|distance| distance.is_nan()) || distances.iter().all(|&distance| distance < 0.0)
            })
    }

    /// Adds a triangle all of whose corners are on the screen.
    fn add(&mut self, vertices: [u32; 3], id: u32, raster: &Raster) {
        let points = vertices.map(|vertex| self.corners[vertex as usize].point);
        // What has no inside covers nothing.
        let Some(triangle) = Triangle::new(points) else { return };
        let is_clockwise = triangle.corners == points;
        let is_front = is_clockwise != raster.is_front_counter_clockwise;
        let is_culled = match raster.cull {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        };
        let whole = triangle.bounds();
        let bounds = whole.intersect(raster.scissor);
        if is_culled || bounds.is_empty() {
            return;
        }
        let mask = Mask::new(&triangle, whole, bounds);
        if mask.is_some_and(|mask| mask.quads == 0) {
            return;
        }
        self.primitives.push(Primitive { vertices, id, is_front, bounds, mask });
    }

    /// Adds what is left of a triangle after cutting.
    fn clip(&mut self, vertices: [u32; 3], id: u32, planes: &[Plane], outputs: &Outputs, raster: &Raster) {
        let corners = vertices.map(|vertex| self.position(vertex as usize, outputs));
        if clip::is_outside(&corners, planes) {
            return;
        }
        let polygon = Polygon::new(&corners, planes);
        let w = corners.map(|corner| corner[3]);
        let first = self.corners.len() as u32;
        for vertex in polygon.vertices() {
            let Some(corner) = raster.viewport.place(vertex.projected()) else {
                self.corners.truncate(first as usize);
                self.rows.truncate(first as usize * outputs.rows * ROW_WORDS);
                return;
            };
            self.corners.push(corner);
            for word in 0..outputs.rows * ROW_WORDS {
                let bits = vertices.map(|vertex| self.row(vertex as usize, outputs)[word]);
                self.rows.push(vertex.attribute(bits, w, outputs.modes[word]));
            }
        }
        // Constant attributes are the leading vertex's in every vertex, so any triangles will do.
        let count = polygon.vertices().len();
        let mut points = [Point::default(); Polygon::MOST_VERTICES];
        for (point, corner) in points.iter_mut().zip(&self.corners[first as usize..]) {
            *point = corner.point;
        }
        edge::triangulate(&points[..count], |places| {
            self.statistics.clipper_primitives += 1;
            self.add(places.map(|place| first + place as u32), id, raster);
        });
    }
}
