//! Primitives become pixels, tile by tile.

use brolga_ir::pipeline::record::{self, primitive};
use brolga_ir::pipeline::state::{DepthFormat, DepthTest};
use brolga_runtime::{ArrayWords, Error, ResourceError, Session, Texture};

use crate::batch::{Outputs, Prepared, Primitive};
use crate::depth::Tile;
use crate::edge::{Bounds, Edge};
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
    /// The records of the quads that are shaded together.
    quads: Vec<u32>,
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
        let mut draw = TileDraw { worker: self, outputs, shading, pixel, unrecorded: None, failure: None, statistics };
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
struct TileDraw<'t, 's, 'w, 'p> {
    worker: &'t mut TileWorker,
    outputs: &'t Outputs,
    shading: &'t Shading,
    pixel: Option<&'s mut Session<'w>>,
    /// The primitive that is drawn, while it has no record.
    unrecorded: Option<Unrecorded<'p>>,
    failure: Option<Error>,
    statistics: Statistics,
}

/// What the record of a primitive says.
struct Unrecorded<'p> {
    prepared: &'p Prepared,
    drawn: &'p Primitive,
    corners: [Corner; 3],
    /// The pixel that its planes are relative to.
    origin: [i32; 2],
    local: Local,
}

impl<'p> TileDraw<'_, '_, '_, 'p> {
    fn primitive(&mut self, prepared: &'p Prepared, drawn: &'p Primitive) {
        let corners = drawn.vertices.map(|vertex| prepared.corners[vertex as usize]);
        let Some(planes) = Planes::new(&corners) else { return };
        let origin = drawn.mask.map_or(self.worker.corner, |mask| mask.corner);
        let local = planes.around(origin);
        let number = (self.worker.primitives.len() / primitive::words(self.shading.rows) as usize) as u32;
        self.unrecorded = self.pixel.is_some().then_some(Unrecorded { prepared, drawn, corners, origin, local });
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
                    self.quad(&local, origin, number, corner, coverage);
                }
            }
            return;
        }
        let [a, b, c] = drawn.triangle.edges();
        let Bounds { left, top, right, bottom } = drawn.bounds;
        let edges = [a, b, c, Edge::right_of(left), Edge::left_of(right), Edge::below(top), Edge::above(bottom)];
        tile::walk(&edges, self.worker.corner, |block| match block {
            Block::Whole { corner, size } => {
                for y in (0..size).step_by(2) {
                    for x in (0..size).step_by(2) {
                        self.quad(&local, origin, number, [corner[0] + x, corner[1] + y], 15);
                    }
                }
            }
            Block::Part { corner, quads: mask } => {
                for (corner, coverage) in quads(corner, mask.into(), 2) {
                    self.quad(&local, origin, number, corner, coverage);
                }
            }
        });
    }

    /// Writes the record of the primitive, unless it is there: before its first quad comes to the shader, since many come to none.
    fn record(&mut self) {
        let Some(Unrecorded { prepared, drawn, corners, origin, local }) = self.unrecorded.take() else { return };
        let records = &mut self.worker.primitives;
        let first = records.len();
        records.resize(first + primitive::words(self.shading.rows) as usize, 0);
        let (whole, attributes) = records[first..].split_at_mut(primitive::ATTRIBUTES as usize);
        let [x, y] = origin.map(|place| place as u32);
        whole[..4].copy_from_slice(&[x, y, u32::from(drawn.is_front), drawn.id]);
        let planes = [local.value, local.x, local.y];
        for (word, value) in whole[primitive::VALUES as usize..].iter_mut().zip(planes.as_flattened()) {
            *word = value.to_bits();
        }
        for (word, corner) in whole[primitive::W as usize..].iter_mut().zip(&corners[1..]) {
            *word = (1.0 / corner.rcp_w).to_bits();
        }
        let [leading, second, third] = drawn.vertices.map(|vertex| prepared.row(vertex as usize, self.outputs));
        let rows = leading.as_chunks::<4>().0.iter().zip(second.as_chunks::<4>().0).zip(third.as_chunks::<4>().0);
        for (row, (attribute, ((leading, second), third))) in
            attributes.as_chunks_mut::<{ primitive::ATTRIBUTE_WORDS as usize }>().0.iter_mut().zip(rows).enumerate()
        {
            if !self.outputs.is_read[row] {
                continue;
            }
            for n in 0..4 {
                // As a shader would subtract them.
                let from = plane::normal(f32::from_bits(leading[n]));
                let more = |to: u32| plane::normal(plane::normal(f32::from_bits(to)) - from).to_bits();
                attribute[n] = leading[n];
                attribute[4 + n] = more(second[n]);
                attribute[8 + n] = more(third[n]);
            }
        }
    }

    /// Tests the depth of a quad, in the order of primitives, and sends what is left to the shader.
    fn quad(&mut self, local: &Local, origin: [i32; 2], primitive: u32, corner: [i32; 2], mut coverage: u32) {
        let way = [0, 1].map(|axis| corner[axis] - origin[axis]);
        let ways = [0, 1, 2, 3].map(|n| [(way[0] + (n & 1)) as f32, (way[1] + (n >> 1)) as f32]);
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
            let z = ways.map(|way| local.at(0, way));
            let place = [0, 1].map(|axis| (corner[axis] - worker.corner[axis]) as usize);
            coverage = tile.test(how, place, z, self.shading.depths(), coverage);
            if coverage == 0 {
                return;
            }
        }
        if !self.shading.reports_live {
            self.statistics.samples += u64::from(coverage.count_ones());
        }
        self.record();
        let worker = &mut *self.worker;
        let Some(pixel) = self.pixel.as_deref_mut() else { return };
        self.statistics.pixel_invocations += u64::from(coverage.count_ones());
        let quad = Quad { corner: corner.map(|place| place as u32), primitive, coverage };
        let TileWorker { packets, primitives, quads, live, .. } = worker;
        let mut shader = PixelShader { session: pixel, primitives, quads, live, shading: self.shading };
        packets.push(quad, |packets| shader.run(packets, &mut self.statistics.samples, &mut self.failure));
    }

    /// Shades all quads that wait.
    fn finish(&mut self) {
        let TileWorker { packets, primitives, quads, live, .. } = &mut *self.worker;
        if let Some(session) = self.pixel.as_deref_mut() {
            let mut shader = PixelShader { session, primitives, quads, live, shading: self.shading };
            packets.finish(|packets| shader.run(packets, &mut self.statistics.samples, &mut self.failure));
        }
        primitives.clear();
    }
}

/// What the pixel shader of a draw runs with in a tile.
struct PixelShader<'t, 'w> {
    session: &'t mut Session<'w>,
    primitives: &'t [u32],
    quads: &'t mut Vec<u32>,
    live: &'t mut Vec<u32>,
    shading: &'t Shading,
}

impl PixelShader<'_, '_> {
    /// Runs it over packets, and counts the pixels that it reports.
    fn run(&mut self, packets: &[[Quad; QUADS]], samples: &mut u64, failure: &mut Option<Error>) {
        if failure.is_some() {
            return;
        }
        let Self { session, primitives, quads, live, shading } = self;
        quads.clear();
        for quad in packets.as_flattened() {
            quads.extend([quad.corner[0], quad.corner[1], quad.primitive, quad.coverage]);
        }
        let pixels = quads.len() as u32;
        let [quads, primitives, state] = [quads.as_slice(), primitives, &shading.state].map(ArrayWords::Read);
        let result = if shading.reports_live {
            live.clear();
            live.resize(pixels as usize, 0);
            let result = session.batch(pixels, &mut [quads, primitives, state, ArrayWords::Write(live)]);
            *samples += live.iter().map(|&word| u64::from(word)).sum::<u64>();
            result
        } else {
            session.batch(pixels, &mut [quads, primitives, state])
        };
        *failure = result.err();
    }
}
