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
    /// Primitives that were added.
    count: u32,
    /// The tiles that primitives of few tiles are in, in the order in which they came.
    entries: Vec<Entry>,
    /// Those of many tiles, with the columns and rows of tiles: listed once, since memory is to be bounded.
    wide: Vec<(u32, [Range<u32>; 2])>,
    /// The first tile that has any of few tiles.
    first_tile: u32,
    /// Where in `primitives` those of each tile from there on end; those of the next one begin there.
    ends: Vec<u32>,
    /// Primitives by their places: tile by tile, and in the order of the draw in each.
    primitives: Vec<u32>,
}

/// A primitive that may cover something in a tile.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tile: u32,
    primitive: u32,
}

impl Bins {
    /// Forgets all primitives. Tiles have so many columns from now on.
    pub fn clear(&mut self, columns: u32) {
        (self.columns, self.count) = (columns, 0);
        self.entries.clear();
        self.wide.clear();
        self.ends.clear();
        self.primitives.clear();
    }

    /// Adds the next primitive to the tiles of its bounds, which are not empty and begin in the target. Rows are
    /// counted from the first one of its layer.
    #[inline(always)]
    pub fn add(&mut self, bounds: &Bounds, first_row: u32) {
        let primitive = self.count;
        self.count += 1;
        let tile = |pixel: i32| pixel as u32 / tile::SIZE as u32;
        let [left, top, right, bottom] =
            [tile(bounds.left), tile(bounds.top), tile(bounds.right - 1), tile(bounds.bottom - 1)];
        let [top, bottom] = [top, bottom].map(|row| first_row + row);
        if left == right && top == bottom {
            return self.entries.push(Entry { tile: top * self.columns + left, primitive });
        }
        self.add_several(primitive, [left..right + 1, top..bottom + 1]);
    }

    fn add_several(&mut self, primitive: u32, [across, down]: [Range<u32>; 2]) {
        if across.len() * down.len() > MOST_TILES {
            return self.wide.push((primitive, [across, down]));
        }
        for row in down {
            self.entries.extend(across.clone().map(|column| Entry { tile: row * self.columns + column, primitive }));
        }
    }

    /// Sorts what was added.
    pub fn sort(&mut self) {
        let tiles = || self.entries.iter().map(|entry| entry.tile);
        let (Some(first), Some(last)) = (tiles().min(), tiles().max()) else { return };
        self.first_tile = first;
        // How many each tile has, then where they begin; filling moves that to where they end.
        self.ends.resize((last - first + 1) as usize, 0);
        for entry in &self.entries {
            self.ends[(entry.tile - first) as usize] += 1;
        }
        let mut count = 0;
        for end in &mut self.ends {
            count += std::mem::replace(end, count);
        }
        self.primitives.resize(self.entries.len(), 0);
        for entry in &self.entries {
            let end = &mut self.ends[(entry.tile - first) as usize];
            self.primitives[*end as usize] = entry.primitive;
            *end += 1;
        }
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
    #[inline(always)]
    pub fn primitives(&self, tile: u32) -> impl Iterator<Item = u32> {
        let mut few = self.of_tile(tile);
        let mut wide = self.wide_in(tile);
        // Primitives never have the greatest number.
        let mut next_wide = wide.next().unwrap_or(u32::MAX);
        std::iter::from_fn(move || match few {
            [next, rest @ ..] if *next < next_wide => {
                few = rest;
                Some(*next)
            }
            _ if next_wide != u32::MAX => Some(std::mem::replace(&mut next_wide, wide.next().unwrap_or(u32::MAX))),
            _ => None,
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
        let (columns, rows, layers) = (20, 15, 3);
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
            bins.clear(columns);
            let in_layers: Vec<u32> = bounds.iter().map(|_| random.below(layers as usize) as u32).collect();
            bounds.iter().zip(&in_layers).for_each(|(bounds, layer)| bins.add(bounds, layer * rows));
            bins.sort();
            let mut marks = vec![false; (columns * rows * layers) as usize];
            bins.mark(&mut marks);
            for tile in 0..columns * rows * layers {
                let (layer, in_layer) = (tile / (columns * rows), tile % (columns * rows));
                let [x, y] = [in_layer % columns, in_layer / columns].map(|place| place as i32 * SIZE);
                let here = Bounds { left: x, top: y, right: x + SIZE, bottom: y + SIZE };
                let meets = |n: usize| in_layers[n] == layer && !bounds[n].intersect(here).is_empty();
                let expected: Vec<u32> = (0..bounds.len()).filter(|&n| meets(n)).map(|n| n as u32).collect();
                let found: Vec<u32> = bins.primitives(tile).collect();
                assert!(found == expected, "round {round}, tile {tile}");
                assert_eq!((bins.has(tile), marks[tile as usize]), (!found.is_empty(), !found.is_empty()));
            }
        }
    }
}
