//! Primitives become pixels, tile by tile.

use brolga_ir::pipeline::record::{self, primitive};
use brolga_ir::pipeline::state::{DepthFormat, DepthTest};
use brolga_runtime::{ArrayWords, Error, ResourceError, Session, Texture};

use crate::batch::{Outputs, Prepared, Primitive};
use crate::depth::Tile;
use crate::edge::{Bounds, Edge, Triangle};
use crate::packets::{Packets, QUADS, Quad, quads};
use crate::plane::{self, Corner, Local, Planes};
use crate::small;
use crate::statistics::Statistics;
use crate::tile::{self, Block};

/// What is drawn to.
#[derive(Clone, Debug)]
pub struct Target {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// The depth buffer.
    pub depth: Option<(Texture, DepthFormat)>,
}

impl Target {
    /// Tiles of a row.
    pub fn columns(&self) -> u32 {
        self.size[0].div_ceil(tile::SIZE as u32)
    }

    /// Rows of tiles.
    pub fn rows(&self) -> u32 {
        self.size[1].div_ceil(tile::SIZE as u32)
    }
}

/// How the pixels of a draw are tested and shaded.
#[derive(Clone, Copy, Debug)]
pub struct Shading {
    /// How they are held against the depth buffer before shading, if they are.
    pub depth: Option<DepthTest>,
    /// Whether the pixel shader reads or changes the depth buffer.
    pub is_late: bool,
    /// Whether it reports which pixels are live at its end.
    pub reports_live: bool,
    /// Registers that the pixel shader may read.
    pub rows: u32,
    /// Words that change from draw to draw.
    pub state: [u32; record::state::WORDS as usize],
}

impl Shading {
    /// The depths of the viewport.
    fn depths(&self) -> [f32; 2] {
        [0, 1].map(|n| f32::from_bits(self.state[record::state::DEPTHS as usize + n]))
    }
}

/// Words of primitives beyond which open packets are closed after a batch.
const RECORD_WORDS: usize = 1 << 16;

/// Quads that wait to be shaded; what is written for them stays in the first-level cache.
const MOST_QUADS: usize = 1024;

/// Quads from which on it pays to shade those of one primitive apart from others.
const APART: usize = 64;

/// Quads that wait to be shaded: whole packets, in order.
#[derive(Default)]
struct Waiting {
    quads: Vec<[u32; record::quad::WORDS as usize]>,
    /// The number of the primitive that all are of, plus 1; 0 if they may be of several.
    primitive: u32,
}

/// Draws tiles, one after the other.
#[derive(Default)]
pub struct TileWorker {
    corner: [i32; 2],
    depth: Option<Tile>,
    packets: Packets,
    /// The records of the primitives that have quads in open packets.
    primitives: Vec<u32>,
    /// The planes of the clip distances that cut the primitive.
    distances: Vec<Local>,
    /// The quads of whole squares that are shaded next.
    squares: Waiting,
    /// Those of closed packets, which are shaded after them.
    closed: Waiting,
    /// Which pixels of theirs are live after it.
    live: Vec<u32>,
}

impl TileWorker {
    /// Begins a tile.
    pub fn begin(&mut self, target: &Target, tile: u32) {
        let columns = target.columns();
        self.corner = [tile % columns, tile / columns].map(|place| place as i32 * tile::SIZE);
    }

    /// Prepares for the depth tests of a draw: its tile lies here if it is tested before shading, in the depth buffer if after.
    pub fn prepare(&mut self, target: &Target, shading: &Shading) -> Result<(), ResourceError> {
        if shading.is_late {
            return self.end(target);
        }
        if let (None, Some((texture, format)), Some(_)) = (&self.depth, &target.depth, shading.depth) {
            self.depth = Some(Tile::load(texture, *format, self.corner)?);
        }
        Ok(())
    }

    /// Ends it: writes its depths back if they lie here.
    pub fn end(&mut self, target: &Target) -> Result<(), ResourceError> {
        match (self.depth.take(), &target.depth) {
            (Some(tile), Some((texture, _))) => tile.store(texture, self.corner),
            _ => Ok(()),
        }
    }

    /// Draws what some batches of a draw have in the tile; returns what it did to pixels.
    pub fn draw<'p>(
        &mut self,
        batches: impl Iterator<Item = &'p Prepared>,
        (tile, columns): (u32, u32),
        outputs: &Outputs,
        shading: &Shading,
        pixel: Option<&mut Session<'_>>,
    ) -> Result<Statistics, Error> {
        let statistics = Statistics::default();
        let mut draw = TileDraw { worker: self, outputs, shading, pixel, failure: None, statistics };
        for prepared in batches {
            for primitive in prepared.of_tile(tile, columns) {
                draw.primitive(prepared, &prepared.primitives[primitive as usize]);
            }
            if draw.worker.primitives.len() > RECORD_WORDS {
                draw.finish();
            }
        }
        draw.finish();
        draw.failure.map_or(Ok(draw.statistics), Err)
    }
}

/// What a draw has in a tile, while it is drawn.
struct TileDraw<'t, 's, 'w> {
    worker: &'t mut TileWorker,
    outputs: &'t Outputs,
    shading: &'t Shading,
    pixel: Option<&'s mut Session<'w>>,
    failure: Option<Error>,
    statistics: Statistics,
}

/// A primitive, while it is drawn in a tile.
struct Shape<'p> {
    prepared: &'p Prepared,
    primitive: &'p Primitive,
    corners: [Corner; 3],
    /// Its planes around a pixel.
    local: Local,
    origin: [i32; 2],
    /// The number of its record, if it has one.
    number: Option<u32>,
}

impl TileDraw<'_, '_, '_> {
    fn primitive(&mut self, prepared: &Prepared, drawn: &Primitive) {
        let corners = drawn.vertices.map(|vertex| prepared.corners[vertex as usize]);
        let Some(planes) = Planes::new(&corners) else { return };
        let origin = drawn.mask.map_or(self.worker.corner, |mask| mask.corner);
        let local = planes.around(origin);
        let mut shape = Shape { prepared, primitive: drawn, corners, local, origin, number: None };
        self.worker.distances.clear();
        for words in self.outputs.clip.chunks(plane::COUNT) {
            // What no distance is left for is always covered.
            let mut values = [[1.0; 3]; plane::COUNT];
            for (value, &word) in values.iter_mut().zip(words) {
                *value = drawn.vertices.map(|vertex| prepared.float(vertex, word, self.outputs));
            }
            if values.as_flattened().iter().any(|&distance| distance < 0.0) {
                self.worker.distances.extend(Planes::over_w(&corners, values).map(|planes| planes.around(origin)));
            }
        }

        if let Some(mask) = drawn.mask {
            for (corner, coverage) in quads(mask.corner, mask.quads, small::SIZE / 2) {
                let is_here =
                    [0, 1].into_iter().all(|axis| (0..tile::SIZE).contains(&(corner[axis] - self.worker.corner[axis])));
                if is_here {
                    self.quad(&mut shape, corner, coverage);
                }
            }
            return;
        }
        let Some(triangle) = Triangle::new(corners.map(|corner| corner.point)) else { return };
        let [a, b, c] = triangle.edges();
        let Bounds { left, top, right, bottom } = drawn.bounds;
        let edges = [a, b, c, Edge::right_of(left), Edge::left_of(right), Edge::below(top), Edge::above(bottom)];
        tile::walk(&edges, self.worker.corner, |block| match block {
            Block::Whole { corner, size } => self.whole(&mut shape, corner, size),
            Block::Part { corner, quads: u16::MAX } => self.whole(&mut shape, corner, tile::PART),
            Block::Part { corner, quads: mask } => {
                for (corner, coverage) in quads(corner, mask.into(), 2) {
                    self.quad(&mut shape, corner, coverage);
                }
            }
        });
    }

    /// A square of pixels that are all covered. Where nothing is tested before shading its packets need not be filled one by one:
    /// they come after all open ones that have a quad of it.
    fn whole(&mut self, shape: &mut Shape<'_>, corner: [i32; 2], size: i32) {
        let is_tested = self.worker.depth.is_some() && self.shading.depth.is_some();
        if is_tested || self.pixel.is_none() || !self.worker.distances.is_empty() {
            for y in (0..size).step_by(2) {
                for x in (0..size).step_by(2) {
                    self.quad(shape, [corner[0] + x, corner[1] + y], 15);
                }
            }
            return;
        }
        if !self.shading.reports_live {
            self.statistics.samples += (size * size) as u64;
        }
        self.statistics.pixel_invocations += (size * size) as u64;
        let primitive = self.record(shape);
        if self.worker.packets.meets(corner, size) {
            self.close_packets();
        }
        if !self.worker.closed.quads.is_empty() {
            self.shade_all();
        }
        let Waiting { quads, primitive: of } = &self.worker.squares;
        if *of != primitive + 1 && quads.len() >= APART {
            self.shade_squares();
        }
        let Waiting { quads, primitive: of } = &mut self.worker.squares;
        *of = if quads.is_empty() || *of == primitive + 1 { primitive + 1 } else { 0 };
        for y in (corner[1]..corner[1] + size).step_by(4) {
            for x in (corner[0]..corner[0] + size).step_by(4) {
                let place = |across: i32, down: i32| [(x + across) as u32, (y + down) as u32, primitive, 15];
                quads.extend_from_slice(&[place(0, 0), place(2, 0), place(0, 2), place(2, 2)]);
            }
        }
        if quads.len() >= MOST_QUADS {
            self.shade_squares();
        }
    }

    /// The number of a primitive's record, which is written when its first quad is left.
    fn record(&mut self, shape: &mut Shape<'_>) -> u32 {
        if let Some(number) = shape.number {
            return number;
        }
        let words = primitive::words(self.shading.rows) as usize;
        let records = &mut self.worker.primitives;
        let first = records.len();
        let number = (first / words) as u32;
        shape.number = Some(number);
        records.resize(first + words, 0);
        let (planes, attributes) = records[first..].split_at_mut(primitive::ATTRIBUTES as usize);
        let mut put = |word: u32, values: &[u32]| planes[word as usize..][..values.len()].copy_from_slice(values);
        let &mut Shape { prepared, primitive: drawn, ref corners, ref local, origin, .. } = shape;
        put(primitive::ORIGIN, &origin.map(|place| place as u32));
        put(primitive::IS_FRONT, &[u32::from(drawn.is_front), drawn.id]);
        put(primitive::VALUES, &local.value.map(f32::to_bits));
        put(primitive::ALONG_X, &local.x.map(f32::to_bits));
        put(primitive::ALONG_Y, &local.y.map(f32::to_bits));
        put(primitive::W, &[corners[1].rcp_w, corners[2].rcp_w].map(|rcp_w| (1.0 / rcp_w).to_bits()));
        let rows = drawn.vertices.map(|vertex| prepared.row(vertex as usize, self.outputs).as_chunks::<4>().0);
        let registers = attributes.chunks_exact_mut(primitive::ATTRIBUTE_WORDS as usize).enumerate();
        for (n, register) in registers.filter(|&(n, _)| self.outputs.is_read[n]) {
            let [leading, second, third] = rows.map(|row| row.get(n).copied().unwrap_or_default());
            // As a shader would subtract them.
            for n in 0..4 {
                let float = |words: [u32; 4]| plane::normal(f32::from_bits(words[n]));
                register[4 + n] = plane::normal(float(second) - float(leading)).to_bits();
                register[8 + n] = plane::normal(float(third) - float(leading)).to_bits();
            }
            register[..4].copy_from_slice(&leading);
        }
        number
    }

    /// Tests the depth of a quad, in the order of primitives, and sends what is left to the shader.
    fn quad(&mut self, shape: &mut Shape<'_>, corner: [i32; 2], mut coverage: u32) {
        let [x, y] = [0, 1].map(|axis| (corner[axis] - shape.origin[axis]) as f32);
        let ways = [[x, y], [x + 1.0, y], [x, y + 1.0], [x + 1.0, y + 1.0]];
        for distances in &self.worker.distances {
            for (n, &way) in ways.iter().enumerate() {
                let is_inside = (0..plane::COUNT).all(|plane| distances.at(plane, way) >= 0.0);
                coverage &= !(u32::from(!is_inside) << n);
            }
        }
        if coverage == 0 {
            return;
        }
        let worker = &mut *self.worker;
        if let (Some(tile), Some(how)) = (&mut worker.depth, self.shading.depth) {
            let z = ways.map(|way| shape.local.at(0, way));
            let place = [0, 1].map(|axis| (corner[axis] - worker.corner[axis]) as usize);
            coverage = tile.test(how, place, z, self.shading.depths(), coverage);
            if coverage == 0 {
                return;
            }
        }
        if !self.shading.reports_live {
            self.statistics.samples += u64::from(coverage.count_ones());
        }
        if self.pixel.is_none() {
            return;
        }
        self.statistics.pixel_invocations += u64::from(coverage.count_ones());
        let primitive = self.record(shape);
        let quad = Quad { corner: corner.map(|place| place as u32), primitive, coverage };
        let TileWorker { packets, closed, .. } = &mut *self.worker;
        packets.push(quad, |packets| closed.append(packets));
        if closed.quads.len() >= MOST_QUADS {
            self.shade_all();
        }
    }

    /// Closes all open packets.
    fn close_packets(&mut self) {
        let TileWorker { packets, closed, .. } = &mut *self.worker;
        packets.finish(|packets| closed.append(packets));
    }

    /// Shades all quads that wait, and those in open packets.
    fn finish(&mut self) {
        self.close_packets();
        self.shade_all();
        self.worker.primitives.clear();
    }

    /// Shades all quads that wait.
    fn shade_all(&mut self) {
        self.shade_squares();
        let mut closed = std::mem::take(&mut self.worker.closed);
        self.shade(&mut closed);
        self.worker.closed = closed;
    }

    /// Shades the quads of squares that wait.
    fn shade_squares(&mut self) {
        let mut squares = std::mem::take(&mut self.worker.squares);
        self.shade(&mut squares);
        self.worker.squares = squares;
    }

    /// Runs the pixel shader over quads, and counts the pixels that it reports.
    fn shade(&mut self, waiting: &mut Waiting) {
        let TileWorker { primitives, live, .. } = &mut *self.worker;
        let quads = &mut waiting.quads;
        if let Some(session) = self.pixel.as_deref_mut().filter(|_| !quads.is_empty() && self.failure.is_none()) {
            let pixels = 4 * quads.len() as u32;
            let mut state = self.shading.state;
            state[record::state::PRIMITIVE as usize] = waiting.primitive;
            let [quads, primitives, state] = [quads.as_flattened(), primitives, &state].map(ArrayWords::Read);
            let result = if self.shading.reports_live {
                live.clear();
                live.resize(pixels as usize, 0);
                let result = session.batch(pixels, &mut [quads, primitives, state, ArrayWords::Write(live)]);
                self.statistics.samples += live.iter().map(|&word| u64::from(word)).sum::<u64>();
                result
            } else {
                session.batch(pixels, &mut [quads, primitives, state])
            };
            self.failure = result.err();
        }
        quads.clear();
    }
}

impl Waiting {
    /// Adds packets.
    fn append(&mut self, packets: &[[Quad; QUADS]]) {
        let words = |quad: &Quad| [quad.corner[0], quad.corner[1], quad.primitive, quad.coverage];
        self.quads.extend(packets.as_flattened().iter().map(words));
    }
}
