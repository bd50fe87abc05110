//! Which primitives of a batch may cover something in which tile.

use std::ops::Range;

use crate::edge::Bounds;
use crate::tile;

/// The most tiles of a primitive that are noted one by one.
const MOST_TILES: usize = 64;

/// Primitives by tiles, which are counted row by row.
#[derive(Debug, Default)]
pub struct Bins {
    /// Tiles of a row.
    columns: u32,
    /// The first tile that has any.
    first_tile: u32,
    /// Where in `primitives` those of each tile from there on end; those of the next one begin there.
    ends: Vec<u32>,
    /// By their places: tile by tile, and in the order of the draw in each.
    primitives: Vec<u32>,
    /// Those of many tiles, with the tiles: listed once, since memory is to be bounded.
    wide: Vec<(u32, [Range<u32>; 2])>,
}

/// The columns and rows of tiles in which a primitive may cover something.
fn tiles(bounds: &Bounds) -> [Range<u32>; 2] {
    let &Bounds { left, top, right, bottom } = bounds;
    let tiles = |first: i32, end: i32| (first / tile::SIZE) as u32..((end - 1) / tile::SIZE + 1) as u32;
    [tiles(left, right), tiles(top, bottom)]
}

fn is_wide([across, down]: &[Range<u32>; 2]) -> bool {
    across.len() * down.len() > MOST_TILES
}

impl Bins {
    /// Sorts primitives into the tiles of their bounds, which are not empty. What was here before is gone.
    pub fn fill<'b>(&mut self, columns: u32, bounds: impl Iterator<Item = &'b Bounds> + Clone) {
        self.columns = columns;
        self.ends.clear();
        self.primitives.clear();
        self.wide.clear();
        let (mut first, mut last) = (u32::MAX, 0);
        for (primitive, bounds) in (0..).zip(bounds.clone()) {
            let places = tiles(bounds);
            let [across, down] = &places;
            if is_wide(&places) {
                self.wide.push((primitive, places));
                continue;
            }
            first = first.min(down.start * columns + across.start);
            last = last.max((down.end - 1) * columns + across.end - 1);
        }
        if first > last {
            return;
        }
        self.first_tile = first;
        // How many each tile has, then where they begin; filling moves that to where they end.
        self.ends.resize((last - first + 1) as usize, 0);
        let each = |visit: &mut dyn FnMut(usize, u32)| {
            for (primitive, bounds) in (0..).zip(bounds.clone()) {
                let places = tiles(bounds);
                if is_wide(&places) {
                    continue;
                }
                let [across, down] = places;
                for row in down {
                    across.clone().for_each(|column| visit((row * columns + column - first) as usize, primitive));
                }
            }
        };
        each(&mut |tile, _| self.ends[tile] += 1);
        let mut count = 0;
        for end in &mut self.ends {
            count += std::mem::replace(end, count);
        }
        self.primitives.resize(count as usize, 0);
        each(&mut |tile, primitive| {
            self.primitives[self.ends[tile] as usize] = primitive;
            self.ends[tile] += 1;
        });
    }

    /// Marks the tiles that have primitives.
    pub fn mark(&self, marks: &mut [bool]) {
        for tile in (self.first_tile..).take(self.ends.len()) {
            marks[tile as usize] |= !self.of_tile(tile).is_empty();
        }
        for (_, [across, down]) in &self.wide {
            for row in down.clone() {
                let tiles = row * self.columns + across.start..row * self.columns + across.end;
                marks[tiles.start as usize..tiles.end as usize].fill(true);
            }
        }
    }

    /// What a tile has, in order.
    pub fn primitives(&self, tile: u32) -> impl Iterator<Item = u32> {
        let mut few = self.of_tile(tile).iter().copied().peekable();
        let mut wide = self.wide_in(tile).peekable();
        std::iter::from_fn(move || match (few.peek(), wide.peek()) {
            (Some(one), Some(other)) if other < one => wide.next(),
            (None, _) => wide.next(),
            _ => few.next(),
        })
    }

    /// Whether a tile has anything.
    pub fn has(&self, tile: u32) -> bool {
        !self.of_tile(tile).is_empty() || self.wide_in(tile).next().is_some()
    }

    /// Those that are noted for a tile itself.
    fn of_tile(&self, tile: u32) -> &[u32] {
        let n = tile.wrapping_sub(self.first_tile) as usize;
        let Some(&end) = self.ends.get(n) else { return &[] };
        let start = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.primitives[start as usize..end as usize]
    }

    fn wide_in(&self, tile: u32) -> impl Iterator<Item = u32> {
        let is_in = move |[across, down]: &[Range<u32>; 2]| {
            across.contains(&(tile % self.columns)) && down.contains(&(tile / self.columns))
        };
        self.wide.iter().filter(move |(_, tiles)| is_in(tiles)).map(|&(primitive, _)| primitive)
    }
}

#[cfg(test)]
mod tests {
    use brolga_testing_base::random::Random;

    use super::Bins;
    use crate::edge::Bounds;
    use crate::tile::SIZE;

    #[test]
    fn each_tile_has_what_meets_it_in_order() {
        let mut random = Random(3);
        let (columns, rows) = (20, 15);
        let mut bins = Bins::default();
        for round in 0..200 {
            let most = [8, 200, 1200][round % 3];
            let mut side = |tiles: u32| {
                let all = tiles as i32 * SIZE;
                let first = random.below(all as usize) as i32;
                (first, (first + 1 + random.below(most) as i32).min(all))
            };
            let bounds: Vec<Bounds> = (0..round)
                .map(|_| {
                    let ((left, right), (top, bottom)) = (side(columns), side(rows));
                    Bounds { left, top, right, bottom }
                })
                .collect();
            bins.fill(columns, bounds.iter());
            let mut marks = vec![false; (columns * rows) as usize];
            bins.mark(&mut marks);
            for tile in 0..columns * rows {
                let [x, y] = [tile % columns, tile / columns].map(|place| place as i32 * SIZE);
                let here = Bounds { left: x, top: y, right: x + SIZE, bottom: y + SIZE };
                let meets = |bounds: &Bounds| !bounds.intersect(here).is_empty();
                let expected: Vec<u32> =
                    (0..).zip(&bounds).filter(|(_, bounds)| meets(bounds)).map(|(n, _)| n).collect();
                let found: Vec<u32> = bins.primitives(tile).collect();
                assert!(found == expected, "round {round}, tile {tile}");
                assert_eq!((bins.has(tile), marks[tile as usize]), (!found.is_empty(), !found.is_empty()));
            }
        }
    }
}
