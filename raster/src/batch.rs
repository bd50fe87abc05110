//! From vertices to primitives that can be drawn: shading, clipping, culling.

use brolga_ir::pipeline::record;
use brolga_runtime::{ArrayWords, Error, Session};

use crate::assembly::{Batch, Topology};
use crate::clip::{self, Mode, Polygon};
use crate::edge::{Bounds, Triangle};
use crate::plane::Corner;
use crate::small::Mask;
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
    /// Each tile that has primitives, and where they begin in `bins`.
    tiles: Vec<(u32, u32)>,
}

/// A primitive that may cover something in a tile.
#[derive(Clone, Copy, Debug)]
pub struct InTile {
    /// The tile, counted row by row.
    pub tile: u32,
    /// The primitive, by its place.
    pub primitive: u32,
}

/// Remembers where vertices of a batch are. Of those whose indices meet in one place the last is known: the others are shaded again.
struct Reuse(Box<[(u32, u32); Self::PLACES]>);

impl Reuse {
    const PLACES: usize = 1024;

    fn new() -> Self {
        Self(Box::new([(0, u32::MAX); Self::PLACES]))
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

impl Prepared {
    /// Shades the vertices of a batch, each once, and sets up what is left of its triangles.
    pub fn new(
        topology: Topology,
        batch: Batch,
        instance: &Instance<'_>,
        session: &mut Session<'_>,
        strides: &[u32],
        outputs: &Outputs,
        raster: &Raster,
    ) -> Result<Self, Error> {
        let mut reuse = Reuse::new();
        // About as many vertices as triangles.
        let expected = batch.count as usize / 3;
        let (mut ids, mut triangles) = (Vec::with_capacity(4 * expected), Vec::with_capacity(expected));
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
        let count = ids.len() / record::vertex::WORDS as usize;
        let mut rows = vec![0; count * outputs.rows * ROW_WORDS];
        let mut arrays = [ArrayWords::Read(&ids), ArrayWords::Read(strides), ArrayWords::Write(&mut rows)];
        session.batch(count as u32, &mut arrays)?;

        let planes: Vec<Plane> = raster.viewport.planes(raster.clips_depth).collect();
        let mut prepared = Self {
            rows,
            corners: Vec::with_capacity(count),
            primitives: Vec::with_capacity(triangles.len()),
            bins: Vec::with_capacity(triangles.len() * 5 / 4),
            ..Self::default()
        };
        let mut places = Vec::with_capacity(count);
        for vertex in 0..count {
            let position = prepared.position(vertex, outputs);
            let corner = clip::is_inside(position, &planes).then(|| raster.viewport.transform(position)).flatten();
            prepared.corners.push(corner.unwrap_or_default());
            places.push(corner.is_some());
        }
        for (n, vertices) in triangles.into_iter().enumerate() {
            let id = batch.primitive + n as u32;
            if prepared.is_beyond(vertices, outputs) {
                continue;
            }
            if vertices.iter().all(|&vertex| places[vertex as usize]) {
                prepared.add(vertices, id, raster);
            } else {
                prepared.clip(vertices, id, &planes, outputs, raster);
            }
        }
        Ok(prepared)
    }

    /// Notes which primitives are in which tile, of which a row has so many.
    pub fn sort_into_tiles(&mut self, columns: u32) {
        for (primitive, Primitive { bounds, .. }) in (0..).zip(&self.primitives) {
            let Bounds { left, top, right, bottom } = *bounds;
            for row in top / tile::SIZE..=(bottom - 1) / tile::SIZE {
                let tiles = left / tile::SIZE..=(right - 1) / tile::SIZE;
                self.bins.extend(tiles.map(|column| InTile { tile: row as u32 * columns + column as u32, primitive }));
            }
        }
        // A stable sort keeps the order of primitives.
        self.bins.sort_by_key(|bin| bin.tile);
        for (n, bin) in (0..).zip(&self.bins) {
            if self.tiles.last().is_none_or(|&(tile, _)| tile != bin.tile) {
                self.tiles.push((bin.tile, n));
            }
        }
    }

    /// The tiles that have primitives.
    pub fn tiles(&self) -> impl Iterator<Item = u32> {
        self.tiles.iter().map(|&(tile, _)| tile)
    }

    /// What a tile has, in order.
    pub fn of_tile(&self, tile: u32) -> &[InTile] {
        let Ok(n) = self.tiles.binary_search_by_key(&tile, |&(tile, _)| tile) else { return &[] };
        let end = self.tiles.get(n + 1).map_or(self.bins.len(), |&(_, first)| first as usize);
        &self.bins[self.tiles[n].1 as usize..end]
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
        let bounds = triangle.bounds().intersect(raster.scissor);
        if is_culled || bounds.is_empty() {
            return;
        }
        let mask = Mask::new(&triangle, bounds);
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
            let Some(corner) = raster.viewport.transform(vertex.position()) else {
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
        // Constant attributes are the leading vertex's in every vertex, so any fan will do.
        for n in 2..polygon.vertices().len() as u32 {
            self.add([first, first + n - 1, first + n], id, raster);
        }
    }
}
