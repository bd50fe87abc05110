//! Packs quads of several primitives into packets, keeping the order at each pixel.
//!
//! Packets run in order, so a quad may go to any packet after the last one that holds its position: the first of those
//! with room. 64 packets are open at once, which fills nearly all of them.

pub use brolga_ir::pipeline::record::BatchQuad as Quad;

use crate::tiles::quad::TILE_QUADS;

/// Quads per packet.
pub const QUADS: usize = 4;

/// Number of open packets.
const OPEN: usize = 64;

/// The open packets of a tile.
pub struct Packets {
    /// The quads of all packets, indexed by packet number modulo [`OPEN`].
    quads: Box<[[Quad; QUADS]; OPEN]>,
    /// Number of quads in each packet.
    filled: [u8; OPEN],
    /// Packets with room, the oldest one in the lowest bit.
    with_room: u64,
    /// The number of the oldest packet, and the one after the last that holds a quad.
    head: u32,
    end: u32,
    /// The packet after the last one that holds a position. Numbers only grow, so nothing is cleared between tiles.
    next: Box<[u32; TILE_QUADS * TILE_QUADS]>,
}

impl Default for Packets {
    fn default() -> Self {
        Self {
            quads: Box::new([[Quad::default(); QUADS]; OPEN]),
            filled: [0; OPEN],
            with_room: u64::MAX,
            head: 0,
            end: 0,
            next: Box::new([0; TILE_QUADS * TILE_QUADS]),
        }
    }
}

impl Packets {
    /// Adds a quad. If there is no room the older half of the packets goes to `run`, which takes whole packets in
    /// order.
    #[inline(always)]
    pub fn push(&mut self, quad: Quad, run: impl FnMut(&[[Quad; QUADS]])) {
        let [column, row] = [quad.corner[0] as usize / 2 % TILE_QUADS, quad.corner[1] as usize / 2 % TILE_QUADS];
        let position = row * TILE_QUADS + column;
        if self.room_after(self.next[position]).is_none() {
            self.run(OPEN as u32 / 2, run);
        }
        // Half of the packets are empty now, and no position is in them.
        let Some(after) = self.room_after(self.next[position]) else { return };
        let number = self.head.wrapping_add(after);
        let slot = number as usize % OPEN;
        let filled = usize::from(self.filled[slot]);
        self.quads[slot][filled] = quad;
        self.filled[slot] += 1;
        if filled + 1 == QUADS {
            self.with_room &= !(1 << after);
        }
        self.next[position] = number + 1;
        self.end = self.end.max(number + 1);
    }

    /// `true` if an open packet holds a quad of a square of `size` pixels. Whatever else is drawn there comes after it.
    pub fn meets(&self, corner: [i32; 2], size: i32) -> bool {
        let [column, row] = corner.map(|coordinate| coordinate as usize / 2 % TILE_QUADS);
        let size = size as usize / 2;
        let mut rows = self.next.chunks_exact(TILE_QUADS).skip(row).take(size);
        self.end > self.head && rows.any(|row| row[column..column + size].iter().any(|&next| next > self.head))
    }

    /// Runs all packets. The next quads may belong to another tile.
    pub fn finish(&mut self, run: impl FnMut(&[[Quad; QUADS]])) {
        self.run(self.end - self.head, run);
        // Long before numbers overflow.
        if self.head > u32::MAX / 2 {
            (self.head, self.end) = (0, 0);
            self.next.fill(0);
        }
    }

    /// The distance from the oldest packet to the first one with room whose number is at least this.
    #[inline(always)]
    fn room_after(&self, number: u32) -> Option<u32> {
        let first = number.saturating_sub(self.head);
        let with_room = self.with_room.checked_shr(first).unwrap_or(0);
        (with_room != 0).then(|| first + with_room.trailing_zeros())
    }

    /// Runs the oldest packets.
    fn run(&mut self, count: u32, mut run: impl FnMut(&[[Quad; QUADS]])) {
        let count = count.min(self.end - self.head) as usize;
        let first = self.head as usize % OPEN;
        let until_end = count.min(OPEN - first);
        for range in [first..first + until_end, 0..count - until_end] {
            for slot in range.clone() {
                // Empty slots cover nothing.
                self.quads[slot][usize::from(self.filled[slot])..].fill(Quad::default());
                self.filled[slot] = 0;
            }
            if !range.is_empty() {
                run(&self.quads[range]);
            }
        }
        self.head += count as u32;
        let kept = self.with_room.checked_shr(count as u32).unwrap_or(0);
        self.with_room = kept | !u64::MAX.checked_shr(count as u32).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use brolga_testing_base::random::Random;

    use super::{Packets, QUADS, Quad};

    #[test]
    fn every_position_keeps_its_order_and_no_packet_has_one_twice() {
        let mut random = Random(1);
        let mut packets = Packets::default();
        let mut primitive = 0;
        for tile in 0..200_u32 {
            let count = random.below(3000);
            // Few positions collide often, many seldom.
            let spread = 1 + random.below(32);
            let (mut sent, mut ran) = (Vec::new(), Vec::new());
            let mut run = |those: &[[Quad; QUADS]]| {
                for packet in those {
                    let quads: Vec<_> = packet.iter().filter(|quad| quad.coverage != 0).collect();
                    for (n, quad) in quads.iter().enumerate() {
                        assert!(quads[..n].iter().all(|other| other.corner != quad.corner));
                        ran.push(**quad);
                    }
                }
            };
            for _ in 0..count {
                primitive += 1;
                let corner = [0; 2].map(|_| tile * 64 + 2 * random.below(spread) as u32);
                let quad = Quad { corner, primitive, coverage: 1 + random.below(15) as u32 };
                sent.push(quad);
                packets.push(quad, &mut run);
            }
            packets.finish(&mut run);
            assert_eq!(ran.len(), sent.len());
            // Primitive numbers only grow, so a stable sort by position has the order in which quads were sent.
            for quads in [&mut sent, &mut ran] {
                quads.sort_by_key(|quad| quad.corner);
            }
            assert!(sent == ran);
        }
    }

    #[test]
    fn packets_of_many_positions_are_full() {
        let mut random = Random(2);
        let (mut packets, mut count) = (Packets::default(), 0);
        for primitive in 0..10_000 {
            // As in a mesh: neighbours meet in each quad, one soon after the other.
            let corner = [primitive / 3 % 32 * 2, random.below(32) as u32 * 2];
            packets.push(Quad { corner, primitive, coverage: 15 }, |those| count += those.len());
        }
        packets.finish(|those| count += those.len());
        assert!(count < 10_000 / QUADS * 105 / 100, "{count}");
    }
}
