//! From coordinates to bytes, for eight lanes: what `coordinate.rs` does for one.
//!
//! A coordinate that is denormal needs no care here: so near to 0 all come to the same texels and weights.

use super::{Fast, LANES, Lanes, Place, lanes};
use crate::resource::AddressMode;

/// The texels of a linear filter on one level. Each place is one of a texel inside the level, whatever the coordinates are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// Upper left, upper right, lower left, lower right.
    pub texels: [Lanes<Place>; 4],
    /// Weights of the right and of the lower ones, in 256ths.
    pub fractions: [Lanes<u32>; 2],
}

/// A level for each lane.
struct Levels {
    width: Lanes<i32>,
    height: Lanes<i32>,
    offset_bytes: Lanes<u32>,
    row_bytes: Lanes<u32>,
}

/// One texel of each lane along an axis, inside, and whether it stands for the border.
struct Along {
    texel: Lanes<u32>,
    is_border: Lanes<bool>,
}

impl Places {
    #[inline(always)]
    pub fn linear(fast: &Fast<'_>, [u, v]: &[Lanes<f32>; 2], level: &Lanes<usize>, layer_offset: &Lanes<u32>) -> Self {
        let levels = Levels::of(fast, level, layer_offset);
        let [mode_u, mode_v] = [fast.sampler.address[0], fast.sampler.address[1]];
        let fixed_u = fixed(u, &levels.width, mode_u, 0.5);
        let fixed_v = fixed(v, &levels.height, mode_v, 0.5);
        let left = address(&fixed_u, 0, &levels.width, mode_u);
        let right = address(&fixed_u, 1, &levels.width, mode_u);
        let upper = address(&fixed_v, 0, &levels.height, mode_v);
        let lower = address(&fixed_v, 1, &levels.height, mode_v);
        let fraction = |fixed: &Lanes<i32>| lanes(|lane| fixed[lane] as u32 & 255);
        Self {
            texels: [
                levels.places(fast, &left, &upper),
                levels.places(fast, &right, &upper),
                levels.places(fast, &left, &lower),
                levels.places(fast, &right, &lower),
            ],
            fractions: [fraction(&fixed_u), fraction(&fixed_v)],
        }
    }

    #[inline(always)]
    pub fn nearest(
        fast: &Fast<'_>,
        [u, v]: &[Lanes<f32>; 2],
        level: &Lanes<usize>,
        layer_offset: &Lanes<u32>,
    ) -> Lanes<Place> {
        let levels = Levels::of(fast, level, layer_offset);
        let [mode_u, mode_v] = [fast.sampler.address[0], fast.sampler.address[1]];
        let x = address(&fixed(u, &levels.width, mode_u, 0.0), 0, &levels.width, mode_u);
        let y = address(&fixed(v, &levels.height, mode_v, 0.0), 0, &levels.height, mode_v);
        levels.places(fast, &x, &y)
    }
}

impl Levels {
    #[inline(always)]
    fn of(fast: &Fast<'_>, level: &Lanes<usize>, layer_offset: &Lanes<u32>) -> Self {
        let first = fast.levels[level[0]];
        let mut levels = Self {
            width: [first.width; LANES],
            height: [first.height; LANES],
            offset_bytes: [first.offset_bytes; LANES],
            row_bytes: [first.row_bytes; LANES],
        };
        if *level != [level[0]; LANES] {
            for lane in 1..LANES {
                let own = fast.levels[level[lane]];
                levels.width[lane] = own.width;
                levels.height[lane] = own.height;
                levels.offset_bytes[lane] = own.offset_bytes;
                levels.row_bytes[lane] = own.row_bytes;
            }
        }
        levels.offset_bytes = lanes(|lane| levels.offset_bytes[lane] + layer_offset[lane]);
        levels
    }

    #[inline(always)]
    fn places(&self, fast: &Fast<'_>, x: &Along, y: &Along) -> Lanes<Place> {
        let offset: Lanes<u32> = lanes(|lane| {
            self.offset_bytes[lane] + y.texel[lane] * self.row_bytes[lane] + x.texel[lane] * fast.texel_bytes
        });
        lanes(|lane| Place { offset_bytes: offset[lane], is_border: x.is_border[lane] | y.is_border[lane] })
    }
}

/// Coordinates in 256ths of a texel, `before` texels earlier.
#[inline(always)]
fn fixed(at: &Lanes<f32>, extent: &Lanes<i32>, mode: AddressMode, before: f32) -> Lanes<i32> {
    let reduced = match mode {
        AddressMode::Wrap => lanes(|lane| at[lane] - at[lane].floor()),
        AddressMode::Mirror => lanes(|lane| {
            let half = at[lane] / 2.0;
            (half - half.trunc()) * 2.0
        }),
        AddressMode::Clamp | AddressMode::Border | AddressMode::MirrorOnce => {
            lanes(|lane| at[lane].clamp(-super::super::coordinate::FAR, super::super::coordinate::FAR))
        }
    };
    let scaled = lanes(|lane| reduced[lane] * extent[lane] as f32 - before);
    lanes(|lane| super::super::coordinate::to_fixed(scaled[lane]))
}

/// The texels that hold coordinates, or those `beside` them. Reduced coordinates are at most one texture beside it.
#[inline(always)]
fn address(fixed: &Lanes<i32>, beside: i32, extent: &Lanes<i32>, mode: AddressMode) -> Along {
    let place: Lanes<i32> = lanes(|lane| (fixed[lane] >> 8) + beside);
    let mirrored = |lane: usize| if place[lane] < 0 { -1 - place[lane] } else { place[lane] };
    let inside = match mode {
        AddressMode::Wrap => lanes(|lane| {
            let up = if place[lane] < 0 { place[lane] + extent[lane] } else { place[lane] };
            if up >= extent[lane] { up - extent[lane] } else { up }
        }),
        AddressMode::Mirror => lanes(|lane| {
            let twice = 2 * extent[lane];
            let tile = if mirrored(lane) >= twice { mirrored(lane) - twice } else { mirrored(lane) };
            tile.min(twice - 1 - tile)
        }),
        AddressMode::Clamp | AddressMode::Border => place,
        AddressMode::MirrorOnce => lanes(mirrored),
    };
    // Inside whatever came before: memory is reached by this.
    let texel = lanes(|lane| inside[lane].max(0).min(extent[lane] - 1) as u32);
    let is_border = match mode {
        AddressMode::Border => lanes(|lane| texel[lane] as i32 != place[lane]),
        _ => [false; LANES],
    };
    Along { texel, is_border }
}
