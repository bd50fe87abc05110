//! Bins the primitives of a batch into the tiles of targets.

use std::ops::Range;

use brolga_runtime::{ResourceError, room};

use crate::setup::shape::Bounds;

/// Width and height of a tile in pixels.
pub const TILE_SIZE: i32 = 64;

/// The tiles of targets, numbered row by row and layer by layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grid {
    /// Tiles per row.
    pub columns: u32,
    /// Rows per layer.
    pub rows: u32,
    /// Number of layers.
    pub layers: u32,
}

impl Grid {
    /// The grid of targets of this width, height and layer count.
    pub fn new([width, height, layers]: [u32; 3]) -> Self {
        let [columns, rows] = [width, height].map(|pixels| pixels.div_ceil(TILE_SIZE as u32));
        Self { columns, rows, layers }
    }

    /// Number of tiles.
    pub fn count(&self) -> usize {
        self.columns as usize * self.rows as usize * self.layers as usize
    }

    /// The first pixel of a tile, and its layer.
    pub fn origin(&self, tile: u32) -> ([i32; 2], u32) {
        let row = tile / self.columns;
        ([tile % self.columns, row % self.rows].map(|tile| tile as i32 * TILE_SIZE), row / self.rows)
    }

    /// The first row of a layer; of the first layer if the index is out of range (functional specification, 15.15).
    pub fn first_row(&self, layer: u32) -> u32 {
        if layer < self.layers { layer * self.rows } else { 0 }
    }
}

/// The most tiles of a primitive that are listed one by one.
const MOST_TILES: usize = 64;

/// The longest span of tiles to count one by one. With many layers it may be millions.
const MOST_COUNTED: usize = 1 << 16;

/// Primitives binned by tile.
#[derive(Debug, Default)]
pub struct Bins {
    /// Tiles per row.
    columns: u32,
    /// Number of primitives added.
    count: u32,
    /// Primitives in few tiles with each of these, in the order they were added.
    entries: Vec<Entry>,
    /// Primitives in many tiles, with ranges of tile columns and rows: listed once, to bound memory.
    wide: Vec<(u32, [Range<u32>; 2])>,
    /// The first tile with an entry.
    first_tile: u32,
    /// The tiles with entries, in order, if they are too far apart to count all tiles in between; else empty.
    scattered: Vec<u32>,
    /// The end of each tile's entries in `primitives`, by scattered tile or from the first tile on; the next tile's
    /// begin there.
    ends: Vec<u32>,
    /// Indices of primitives: tile by tile, and in draw order in each.
    primitives: Vec<u32>,
}

/// An entry: a primitive that may cover pixels of a tile.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tile: u32,
    primitive: u32,
}

impl Bins {
    /// Removes all primitives, and sets the number of tiles per row.
    pub fn clear(&mut self, columns: u32) {
        (self.columns, self.count) = (columns, 0);
        self.entries.clear();
        self.wide.clear();
        self.scattered.clear();
        self.ends.clear();
        self.primitives.clear();
    }

    /// Reserves memory for primitives of one tile each.
    pub fn reserve(&mut self, primitives: usize) {
        self.entries.reserve(primitives);
    }

    /// Adds the next primitive to the tiles of its bounds, which are not empty and begin in the target. `first_row` is
    /// that of its layer.
    #[inline(always)]
    pub fn add(&mut self, bounds: &Bounds, first_row: u32) {
        let primitive = self.count;
        self.count += 1;
        let tile = |pixel: i32| pixel as u32 / TILE_SIZE as u32;
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

    /// Sorts all entries by tile.
    pub fn sort(&mut self) {
        let tiles = || self.entries.iter().map(|entry| entry.tile);
        let (Some(first), Some(last)) = (tiles().min(), tiles().max()) else { return };
        self.first_tile = first;
        let mut count = (last - first) as usize + 1;
        if count > MOST_COUNTED {
            self.scattered.extend(self.entries.iter().map(|entry| entry.tile));
            self.scattered.sort_unstable();
            self.scattered.dedup();
            count = self.scattered.len();
        }
        let Self { scattered, ends, entries, primitives, .. } = self;
        let slot = |tile| slot(first, scattered, tile).expect("a tile that has an entry");
        // Count each tile's entries, then sum to where they begin; filling moves that to where they end.
        ends.resize(count, 0);
        for entry in entries.iter() {
            ends[slot(entry.tile)] += 1;
        }
        let mut count = 0;
        for end in ends.iter_mut() {
            count += std::mem::replace(end, count);
        }
        primitives.resize(entries.len(), 0);
        for entry in entries.iter() {
            let end = &mut ends[slot(entry.tile)];
            primitives[*end as usize] = entry.primitive;
            *end += 1;
        }
    }

    /// Marks the tiles that have primitives.
    pub fn mark(&self, marks: &mut Marks) {
        self.entries.iter().for_each(|entry| marks.mark(entry.tile..entry.tile + 1));
        for (_, [across, down]) in &self.wide {
            for row in down.clone() {
                marks.mark(row * self.columns + across.start..row * self.columns + across.end);
            }
        }
    }

    /// The primitives of a tile, in order.
    #[inline(always)]
    pub fn primitives(&self, tile: u32) -> impl Iterator<Item = u32> {
        let mut few = self.of_tile(tile);
        let mut wide = self.wide_in(tile);
        // No primitive has the greatest index.
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

    /// The first tile that may have a primitive, and the number of tiles from there to the last.
    pub fn span(&self) -> [u32; 2] {
        if !self.wide.is_empty() {
            return [0, u32::MAX];
        }
        let last = self.scattered.last().map(|last| last - self.first_tile + 1);
        [self.first_tile, last.unwrap_or(self.ends.len() as u32)]
    }

    /// `true` if a tile has a primitive.
    pub fn has(&self, tile: u32) -> bool {
        !self.of_tile(tile).is_empty() || self.wide_in(tile).next().is_some()
    }

    /// The entries of a tile.
    fn of_tile(&self, tile: u32) -> &[u32] {
        let Some(n) = slot(self.first_tile, &self.scattered, tile) else { return &[] };
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

/// The slot of a tile: its distance from the first, or its index among scattered ones.
#[inline(always)]
fn slot(first: u32, scattered: &[u32], tile: u32) -> Option<usize> {
    match scattered {
        [] => Some(tile.wrapping_sub(first) as usize),
        scattered => scattered.binary_search(&tile).ok(),
    }
}

/// A bit set of tiles.
pub struct Marks(Vec<u64>);

impl Marks {
    /// A set for this many tiles, empty.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(tiles: usize) -> Result<Self, ResourceError> {
        Ok(Self(room::zeros(tiles.div_ceil(64) as u64)?))
    }

    /// Marks consecutive tiles.
    fn mark(&mut self, tiles: Range<u32>) {
        let mut at = tiles.start;
        while at < tiles.end {
            let (word, bit) = (at as usize / 64, at % 64);
            let count = (64 - bit).min(tiles.end - at);
            self.0[word] |= u64::MAX >> (64 - count) << bit;
            at += count;
        }
    }

    /// The marked tiles, in order.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn tiles(&self) -> Result<Vec<u32>, ResourceError> {
        let mut tiles = room::room(self.0.iter().map(|word| u64::from(word.count_ones())).sum())?;
        for (first, &word) in (0..).step_by(64).zip(&self.0) {
            let mut left = word;
            while left != 0 {
                tiles.push(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
        Ok(tiles)
    }
}

#[cfg(test)]
mod tests {
    use brolga_testing_base::random::Random;

    use super::{Bins, Marks, TILE_SIZE};
    use crate::setup::shape::Bounds;

    #[test]
    fn each_tile_has_what_meets_it_in_order() {
        let mut random = Random(3);
        let (columns, rows, layers) = (20, 15, 3);
        let mut bins = Bins::default();
        for round in 0..200 {
            let most = [8, 200, 1200][round % 3];
            let mut extent = |tiles: u32| {
                let all = tiles as i32 * TILE_SIZE;
                let first = random.below(all as usize) as i32;
                (first, (first + 1 + random.below(most) as i32).min(all))
            };
            let bounds: Vec<Bounds> = (0..round)
                .map(|_| {
                    let ((left, right), (top, bottom)) = (extent(columns), extent(rows));
                    Bounds { left, top, right, bottom }
                })
                .collect();
            bins.clear(columns);
            let in_layers: Vec<u32> = bounds.iter().map(|_| random.below(layers as usize) as u32).collect();
            bounds.iter().zip(&in_layers).for_each(|(bounds, layer)| bins.add(bounds, layer * rows));
            bins.sort();
            let mut marks = Marks::new((columns * rows * layers) as usize).unwrap();
            bins.mark(&mut marks);
            let marked = marks.tiles().unwrap();
            assert!(marked.is_sorted());
            for tile in 0..columns * rows * layers {
                let (layer, in_layer) = (tile / (columns * rows), tile % (columns * rows));
                let [x, y] = [in_layer % columns, in_layer / columns].map(|tile| tile as i32 * TILE_SIZE);
                let here = Bounds { left: x, top: y, right: x + TILE_SIZE, bottom: y + TILE_SIZE };
                let meets = |n: usize| in_layers[n] == layer && !bounds[n].intersect(here).is_empty();
                let expected: Vec<u32> = (0..bounds.len()).filter(|&n| meets(n)).map(|n| n as u32).collect();
                let found: Vec<u32> = bins.primitives(tile).collect();
                assert!(found == expected, "round {round}, tile {tile}");
                assert_eq!(
                    (bins.has(tile), marked.binary_search(&tile).is_ok()),
                    (!found.is_empty(), !found.is_empty())
                );
            }
        }
    }

    /// Few primitives in layers that are far apart take memory for themselves, not for the tiles in between.
    #[test]
    fn scattered_tiles_are_found_one_by_one() {
        let (columns, rows, layers) = (256, 256, 2048);
        let pixel = |position: i32| Bounds { left: position, top: position, right: position + 1, bottom: position + 1 };
        let mut bins = Bins::default();
        bins.clear(columns);
        // Repeated, so that there are several in a tile.
        let placed: Vec<(i32, u32)> = (0..90).map(|n| (n % 30 * 500, (n % 30) as u32 * 70)).collect();
        placed.iter().for_each(|&(position, layer)| bins.add(&pixel(position), layer * rows));
        bins.sort();
        assert_eq!((bins.scattered.len(), bins.ends.len()), (30, 30));
        let mut marks = Marks::new((columns * rows * layers) as usize).unwrap();
        bins.mark(&mut marks);
        let tile =
            |(position, layer): (i32, u32)| (layer * rows + position as u32 / 64) * columns + position as u32 / 64;
        assert_eq!(marks.tiles().unwrap(), placed[..30].iter().map(|&at| tile(at)).collect::<Vec<_>>());
        for n in 0..30 {
            assert_eq!(bins.primitives(tile(placed[n as usize])).collect::<Vec<_>>(), [n, n + 30, n + 60]);
            assert!(!bins.has(tile(placed[n as usize]) + 1));
        }
    }
}
