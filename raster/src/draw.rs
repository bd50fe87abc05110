//! Primitives become pixels, tile by tile.

use brolga_ir::pipeline::record::{self, primitive};
use brolga_runtime::{ArrayWords, Error, Session, Texture};

use crate::batch::{Outputs, Prepared, Primitive};
use crate::depth::{Depth, Tile};
use crate::edge::{Bounds, Edge};
use crate::packets::{Packets, QUADS, Quad, quads};
use crate::plane::{self, Local, Planes};
use crate::small;
use crate::tile::{self, Block};

/// What tiles are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// The depth buffer, and how pixels are held against it.
    pub depth: Option<(&'a Texture, Depth)>,
    /// Registers that the pixel shader may read.
    pub rows: u32,
    /// Words that change from draw to draw.
    pub state: [u32; record::state::WORDS as usize],
    /// The depths of the viewport.
    pub depths: [f32; 2],
}

/// Draws what was prepared; gives the number of pixels that passed.
pub fn draw(
    prepared: &Prepared,
    outputs: &Outputs,
    target: &Target<'_>,
    mut pixel: Option<&mut Session<'_>>,
) -> Result<u64, Error> {
    let [columns, rows] = target.size.map(|size| size.div_ceil(tile::SIZE as u32));
    let mut bins = vec![Vec::new(); (columns * rows) as usize];
    for (n, primitive) in prepared.primitives.iter().enumerate() {
        let Bounds { left, top, right, bottom } = primitive.bounds;
        for row in top / tile::SIZE..=(bottom - 1) / tile::SIZE {
            for column in left / tile::SIZE..=(right - 1) / tile::SIZE {
                bins[(row as u32 * columns + column as u32) as usize].push(n as u32);
            }
        }
    }
    let mut packets = Packets::default();
    let mut samples = 0;
    for (n, bin) in (0..).zip(&bins).filter(|(_, bin)| !bin.is_empty()) {
        let corner = [n % columns, n / columns].map(|place| place as i32 * tile::SIZE);
        let mut worker = TileWorker {
            prepared,
            outputs,
            target,
            corner,
            distances: Vec::new(),
            depth: target.depth.map(|(texture, depth)| Tile::load(texture, depth, corner)).transpose()?,
            primitives: Vec::new(),
            packets: &mut packets,
            pixel: pixel.as_deref_mut(),
            failure: None,
            samples: 0,
        };
        for &number in bin {
            worker.primitive(&prepared.primitives[number as usize]);
        }
        samples += worker.finish()?;
    }
    Ok(samples)
}

/// One tile, while it is drawn.
struct TileWorker<'t, 's, 'w> {
    prepared: &'t Prepared,
    outputs: &'t Outputs,
    target: &'t Target<'t>,
    /// The planes of the clip distances that cut the primitive.
    distances: Vec<Local>,
    corner: [i32; 2],
    depth: Option<Tile>,
    /// The records of the primitives that have quads in open packets.
    primitives: Vec<u32>,
    packets: &'t mut Packets,
    pixel: Option<&'s mut Session<'w>>,
    failure: Option<Error>,
    samples: u64,
}

impl TileWorker<'_, '_, '_> {
    fn primitive(&mut self, drawn: &Primitive) {
        let prepared = self.prepared;
        let corners = drawn.vertices.map(|vertex| prepared.corners[vertex as usize]);
        let Some(planes) = Planes::new(&corners) else { return };
        let origin = drawn.mask.map_or(self.corner, |mask| mask.corner);
        let local = planes.around(origin);
        let words = primitive::words(self.target.rows) as usize;
        let number = (self.primitives.len() / words) as u32;
        self.primitives.extend(origin.map(|place| place as u32));
        self.primitives.extend([u32::from(drawn.is_front), drawn.id]);
        self.primitives.extend([local.value, local.x, local.y].as_flattened().iter().map(|value| value.to_bits()));
        self.primitives.extend([corners[1].rcp_w, corners[2].rcp_w].map(|rcp_w| (1.0 / rcp_w).to_bits()));
        self.primitives.extend([0; 2]);
        let rows = drawn.vertices.map(|vertex| prepared.row(vertex as usize, self.outputs));
        for word in (0..self.target.rows as usize * 4).step_by(4) {
            let [leading, second, third] = rows.map(|row| row.get(word..word + 4).unwrap_or(&[0; 4]));
            self.primitives.extend(leading);
            for other in [second, third] {
                // As a shader would subtract them.
                let more = |n: usize| {
                    plane::normal(plane::normal(f32::from_bits(other[n])) - plane::normal(f32::from_bits(leading[n])))
                };
                self.primitives.extend([0, 1, 2, 3].map(|n| more(n).to_bits()));
            }
        }

        self.distances.clear();
        for words in self.outputs.clip.chunks(plane::COUNT) {
            // What no distance is left for is always covered.
            let mut values = [[1.0; 3]; plane::COUNT];
            for (value, &word) in values.iter_mut().zip(words) {
                *value = drawn.vertices.map(|vertex| prepared.float(vertex, word, self.outputs));
            }
            if values.as_flattened().iter().any(|&distance| distance < 0.0) {
                self.distances.extend(Planes::over_w(&corners, values).map(|planes| planes.around(origin)));
            }
        }

        if let Some(mask) = drawn.mask {
            for (corner, coverage) in quads(mask.corner, mask.quads, small::SIZE / 2) {
                let is_here =
                    [0, 1].into_iter().all(|axis| (0..tile::SIZE).contains(&(corner[axis] - self.corner[axis])));
                if is_here {
                    self.quad(&local, origin, number, corner, coverage);
                }
            }
            return;
        }
        let [a, b, c] = drawn.triangle.edges();
        let Bounds { left, top, right, bottom } = drawn.bounds;
        let edges = [a, b, c, Edge::right_of(left), Edge::left_of(right), Edge::below(top), Edge::above(bottom)];
        tile::walk(&edges, self.corner, |block| match block {
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

    /// Tests the depth of a quad, in the order of primitives, and sends what is left to the shader.
    fn quad(&mut self, local: &Local, origin: [i32; 2], primitive: u32, corner: [i32; 2], mut coverage: u32) {
        let way = [0, 1].map(|axis| corner[axis] - origin[axis]);
        let ways = [0, 1, 2, 3].map(|n| [(way[0] + (n & 1)) as f32, (way[1] + (n >> 1)) as f32]);
        for distances in &self.distances {
            for (n, &way) in ways.iter().enumerate() {
                let is_inside = (0..plane::COUNT).all(|plane| distances.at(plane, way) >= 0.0);
                coverage &= !(u32::from(!is_inside) << n);
            }
        }
        if coverage == 0 {
            return;
        }
        if let Some(depth) = &mut self.depth {
            let z = ways.map(|way| local.at(0, way));
            let place = [0, 1].map(|axis| (corner[axis] - self.corner[axis]) as usize);
            coverage = depth.test(place, z, self.target.depths, coverage);
            if coverage == 0 {
                return;
            }
        }
        self.samples += u64::from(coverage.count_ones());
        let Self { target, primitives, packets, pixel, failure, .. } = self;
        let Some(pixel) = pixel.as_deref_mut() else { return };
        let quad = Quad { corner: corner.map(|place| place as u32), primitive, coverage };
        packets.push(quad, |packets| shade(pixel, packets, primitives, target, failure));
    }

    fn finish(self) -> Result<u64, Error> {
        let Self { target, corner, depth, primitives, packets, pixel, mut failure, samples, .. } = self;
        if let Some(pixel) = pixel {
            packets.finish(|packets| shade(pixel, packets, &primitives, target, &mut failure));
        }
        if let (Some(tile), Some((texture, _))) = (depth, target.depth) {
            tile.store(texture, corner)?;
        }
        failure.map_or(Ok(samples), Err)
    }
}

/// Runs the pixel shader over packets.
fn shade(
    session: &mut Session<'_>,
    packets: &[[Quad; QUADS]],
    primitives: &[u32],
    target: &Target<'_>,
    failure: &mut Option<Error>,
) {
    if failure.is_some() {
        return;
    }
    let quads: Vec<u32> = packets
        .as_flattened()
        .iter()
        .flat_map(|quad| [quad.corner[0], quad.corner[1], quad.primitive, quad.coverage])
        .collect();
    let mut arrays = [quads.as_slice(), primitives, &target.state].map(ArrayWords::Read);
    *failure = session.batch(quads.len() as u32, &mut arrays).err();
}
