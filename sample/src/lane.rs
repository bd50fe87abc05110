//! Samples for one lane, from its operands to its result. Every feature is here; the fast paths give the same bits.

use brolga_ir::float;
use brolga_ir::sampling::{Offsets, Row, Rows, SampleKind, Sampling};
use brolga_resource::{Reduction, Sampler, Tap, Texel};
use smallvec::{SmallVec, smallvec};

use crate::anisotropic::{self, SampleLine};
use crate::coordinate::{self, ONE, Taps, address, around, taps};
use crate::cube::{self, FaceTexel};
use crate::filter::Taken;
use crate::level::{Footprint, Levels, select};
use crate::texel::SurfaceTexels;
use crate::{Prepared, SampleOperands};

/// One lane's sampling operation.
#[derive(Debug)]
pub(crate) struct Lane<'a> {
    pub(crate) texels: &'a SurfaceTexels,
    sampler: &'a Sampler,
    kind: SampleKind,
    /// The direction into a cube, or the coordinates of the sample.
    coordinates: [f32; 3],
    /// The face of the cube that the coordinates hit.
    face: u32,
    /// The coordinates of the sample; on a cube, those on its face.
    pub(crate) at: [f32; 3],
    layer: u32,
    offsets: [i32; 3],
    reference: f32,
    level: Option<f32>,
    derivatives: [[f32; 3]; 2],
    bias: f32,
    clamp: f32,
}

impl<'a> Lane<'a> {
    pub fn new(prepared: &'a Prepared, sampling: Sampling, operands: &SampleOperands<'_>, lane: usize) -> Self {
        let texels = &prepared.texels;
        let surface = texels.surface();
        let dimension = surface.dimension;
        let float = |row: Row<'_>| float::flush(f32::from_bits(row[lane]));
        let axes = |rows: Rows<'_>| {
            let mut vector = [0.0; 3];
            vector
                .iter_mut()
                .zip(rows.iter())
                .take(dimension.sample_axes())
                .for_each(|(value, row)| *value = float(row));
            vector
        };
        let one = |rows: Rows<'_>| rows.get(0).map(float);
        let coordinates = axes(operands.coordinates);
        let layer = match operands.coordinates.iter().next_back() {
            Some(row) if dimension.is_array() => {
                let faces = if dimension.is_cube() { 6 } else { 1 };
                coordinate::layer(float(row), surface.layers / faces) * faces
            }
            _ => 0,
        };
        let (face, at) = match dimension.is_cube() {
            true => {
                let (face, [u, v]) = cube::project(coordinates);
                (face, [u, v, 0.0])
            }
            false => (0, coordinates),
        };
        let offsets = match (sampling.offsets, operands.offsets.get(0).zip(operands.offsets.get(1))) {
            // Offsets are not defined on cubes.
            _ if dimension.is_cube() => [0; 3],
            (Offsets::Fixed(fixed), _) => fixed.map(i32::from),
            // Six bits, signed.
            (Offsets::Computed, Some((u, v))) => [(u[lane] << 26) as i32 >> 26, (v[lane] << 26) as i32 >> 26, 0],
            (Offsets::Computed, None) => [0; 3],
        };
        let level = match operands.along_x.is_empty() {
            true => Some(one(operands.level).unwrap_or(0.0)),
            false => None,
        };
        Self {
            texels,
            sampler: &prepared.sampler,
            kind: sampling.kind,
            coordinates,
            face,
            at,
            layer,
            offsets,
            reference: one(operands.reference).map_or(0.0, |reference| texels.reference(reference)),
            level,
            derivatives: [operands.along_x, operands.along_y].map(axes),
            bias: one(operands.bias).unwrap_or(0.0),
            clamp: one(operands.clamp).unwrap_or(0.0),
        }
    }

    pub fn result(&self) -> [u32; 4] {
        match self.kind {
            SampleKind::Gather { component } => {
                self.gather(|texels| texels.map(|texel| self.gathered(texel, component.into())))
            }
            SampleKind::GatherCompare => self.gather(|texels| texels.map(|texel| self.gathered(texel, 0))),
            SampleKind::Level => {
                let (level, _) = self.level_and_line();
                let clamped = self.levels(level).map_or(0.0, |levels| levels.clamped);
                [clamped.to_bits(), crate::texel::number_bits(level.into()), 0, 0]
            }
            SampleKind::Filter | SampleKind::Compare => self.filtered(),
        }
    }

    /// The level of detail before clamping, and the line if anisotropic filtering takes several samples.
    pub fn level_and_line(&self) -> (f32, Option<SampleLine>) {
        let (level, line) = match self.level {
            Some(level) => (level, None),
            None => {
                let (footprint, dimension) = (self.footprint(), self.texels.surface().dimension);
                let is_flat = dimension.sample_axes() == 2;
                match self.sampler.filter.anisotropic && is_flat {
                    true => anisotropic::footprint(&footprint, self.sampler.max_anisotropy),
                    false => (footprint.level(), None),
                }
            }
        };
        (level + self.sampler.level_bias + self.bias, line)
    }

    fn footprint(&self) -> Footprint {
        let surface = self.texels.surface();
        let mut extents = surface.levels[0].extents.map(|extent| extent as f32);
        let vectors = match surface.dimension.is_cube() {
            true => {
                extents[2] = 0.0;
                self.derivatives.map(|vector| {
                    let [u, v] = cube::derivatives(self.coordinates, self.face, vector);
                    [u, v, 0.0]
                })
            }
            false => self.derivatives,
        };
        Footprint { x: vectors[0], y: vectors[1], extents }
    }

    fn levels(&self, level: f32) -> Option<Levels> {
        let surface = self.texels.surface();
        let least = float::max(surface.min_level, self.clamp);
        select(level, self.sampler, self.sampler.filter.mip, least, surface.levels.len())
    }

    fn nothing_taken(&self) -> Taken {
        match self.kind {
            SampleKind::Compare | SampleKind::GatherCompare => {
                Taken::none_compared(self.sampler.comparison, self.reference)
            }
            SampleKind::Gather { .. } => Taken::none(Default::default()),
            SampleKind::Filter | SampleKind::Level => Taken::none(self.sampler.filter.reduction),
        }
    }

    fn filtered(&self) -> [u32; 4] {
        let (level, line) = self.level_and_line();
        let Some(levels) = self.levels(level) else { return self.out_of_bounds() };
        let filter = self.sampler.filter;
        let tap = if levels.magnifies { filter.magnify } else { filter.minify };
        if tap == Tap::Point && levels.fraction == 0 && !self.kind.compares() {
            let [u, v, w] = self.taps(self.at, levels.first, Tap::Point).map(|taps| taps.texels[0]);
            return self.texels.words(self.texels_at(levels.first, [u, v, w])[0]);
        }
        match line {
            None => self.filtered_at(self.at, levels, tap),
            Some(line) => {
                let reduction = if self.kind.compares() { Reduction::Comparison } else { filter.reduction };
                line.reduce(self.at, reduction, |at| self.filtered_at(at, levels, tap))
            }
        }
    }

    /// The result of a filter around a position.
    fn filtered_at(&self, at: [f32; 3], levels: Levels, tap: Tap) -> [u32; 4] {
        let mut taken = self.nothing_taken();
        let mut values = None;
        if matches!(taken, Taken::Weighted { .. }) {
            let interpolated = self.interpolated(at, levels, tap);
            if interpolated.iter().all(|value| value.is_finite()) {
                return self.texels.words_of(interpolated.map(f32::to_bits));
            }
            values = Some(interpolated);
        }
        for (level, weight) in [(levels.first, ONE - levels.fraction), (levels.second, levels.fraction)] {
            if weight > 0 {
                self.take(&mut taken, level, self.taps(at, level, tap), weight.into());
            }
        }
        // The weights of a level sum to ONE along each of three axes, and those of the levels to ONE.
        let total = u64::from(ONE.pow(3)) * u64::from(ONE * self.parts());
        let mut words = taken.finish(self.texels, total as f64);
        if let Some(values) = values {
            let finite = self.texels.words_of(values.map(f32::to_bits));
            for n in (0..4).filter(|&n| values[n].is_finite()) {
                words[n] = finite[n];
            }
        }
        words
    }

    /// The result where a clamp excludes all levels.
    fn out_of_bounds(&self) -> [u32; 4] {
        let outside = Texel { level: u32::MAX, ..Texel::default() };
        match self.kind.compares() {
            true => {
                let mut taken = self.nothing_taken();
                taken.take(self.texels, Some(outside), 1.0);
                taken.finish(self.texels, 1.0)
            }
            false => self.texels.words(Some(outside)),
        }
    }

    /// The texels along each axis of a level.
    #[inline(always)]
    pub(crate) fn taps(&self, at: [f32; 3], level: usize, tap: Tap) -> [Taps; 3] {
        let along = |axis: usize| self.taps_along(axis, at[axis], level, tap);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn taps_along(&self, axis: usize, at: f32, level: usize, tap: Tap) -> Taps {
        let dimension = self.texels.surface().dimension;
        let extent = self.extent(level, axis);
        if axis >= self.axes() {
            return Taps::NONE;
        }
        if !dimension.is_cube() {
            return taps(at, self.sampler.address[axis], extent, self.offsets[axis], tap);
        }
        let mut taps = around(at, extent, 0, tap);
        if tap == Tap::Point {
            // The far edge of a face belongs to its last texel.
            taps.texels[0] = taps.texels[0].min(extent as i32 - 1);
        }
        taps
    }

    /// Takes the texels of a level whose weight is not zero.
    fn take(&self, taken: &mut Taken, level: usize, [u, v, w]: [Taps; 3], weight: f64) {
        for (z, weight_z) in w.texels.into_iter().zip(w.weights) {
            for (y, weight_y) in v.texels.into_iter().zip(v.weights) {
                for (x, weight_x) in u.texels.into_iter().zip(u.weights) {
                    let product = u64::from(weight_z) * u64::from(weight_y) * u64::from(weight_x);
                    if product > 0 {
                        self.take_texel(taken, level, [x, y, z], product as f64 * weight);
                    }
                }
            }
        }
    }

    /// Takes one texel, or beyond a cube's corner the three that represent it.
    fn take_texel(&self, taken: &mut Taken, level: usize, texel: [i32; 3], weight: f64) {
        if !self.texels.surface().dimension.is_cube() {
            taken.take(self.texels, self.texel_at(level, texel), weight);
            return;
        }
        let texels = self.texels_at(level, texel);
        let weight = weight * f64::from(self.parts() / texels.len() as u32);
        for texel in texels {
            taken.take(self.texels, texel, weight);
        }
    }

    /// The number of parts into which the weight of a texel is split: three on cubes.
    fn parts(&self) -> u32 {
        if self.texels.surface().dimension.is_cube() { 3 } else { 1 }
    }

    /// The axes along which texels are filtered.
    pub(crate) fn axes(&self) -> usize {
        let dimension = self.texels.surface().dimension;
        if dimension.is_cube() { 2 } else { dimension.sample_axes() }
    }

    fn extent(&self, level: usize, axis: usize) -> u32 {
        self.texels.surface().levels[level].extents[axis]
    }

    /// The texel at a position that may be out of range; `None` is the border.
    fn texel_at(&self, level: usize, [x, y, z]: [i32; 3]) -> Option<Texel> {
        let [mode_x, mode_y, mode_z] = self.sampler.address;
        // Along an axis that the texture lacks, everything is in range.
        let x = address(x, mode_x, self.extent(level, 0))?;
        let y = address(y, mode_y, self.extent(level, 1))?;
        let z = address(z, mode_z, self.extent(level, 2))?;
        Some(Texel { level: level as u32, at: [x, y, z], layer: self.layer, sample: 0 })
    }

    /// The texels that represent a position that may be out of range; `None` is the border.
    pub(crate) fn texels_at(&self, level: usize, texel: [i32; 3]) -> SmallVec<[Option<Texel>; 3]> {
        if !self.texels.surface().dimension.is_cube() {
            return smallvec![self.texel_at(level, texel)];
        }
        let texels = cube::resolve(self.face, [texel[0], texel[1]], self.extent(level, 0));
        let on_face = |(face, [x, y]): FaceTexel| {
            Some(Texel { level: level as u32, at: [x, y, 0], layer: self.layer + face, sample: 0 })
        };
        texels.into_iter().map(on_face).collect()
    }

    /// Gathers the four texels that a linear filter takes from the most detailed level, counter-clockwise from the
    /// lower left.
    fn gather(&self, result: impl FnOnce([[i32; 3]; 4]) -> [u32; 4]) -> [u32; 4] {
        if !self.texels.surface().reaches(0) {
            return match (self.kind, self.out_of_bounds()) {
                (SampleKind::Gather { component }, words) => [words[usize::from(component & 3)]; 4],
                (_, words) => words,
            };
        }
        let [u, v, w] = self.taps(self.at, 0, Tap::Linear);
        let ([left, right], [upper, lower]) = (u.texels, v.texels);
        let corners = [[left, lower], [right, lower], [right, upper], [left, upper]];
        result(corners.map(|[x, y]| [x, y, w.texels[0]]))
    }

    fn gathered(&self, texel: [i32; 3], component: usize) -> u32 {
        let is_integer = self.texels.surface().format.encoding().is_integer();
        let texels = self.texels_at(0, texel);
        match texels[..] {
            [a, b, c] if !self.kind.compares() && !is_integer => {
                self.texels.words_of(self.mean([a, b, c]).map(f32::to_bits))[component & 3]
            }
            // Integers have no mean: beyond a cube's corner, the texel on the face itself represents the missing one.
            [texel, ..] if !self.kind.compares() => self.texels.words(texel)[component & 3],
            _ => {
                let mut taken = self.nothing_taken();
                self.take_texel(&mut taken, 0, texel, 1.0);
                taken.finish(self.texels, self.parts().into())[component & 3]
            }
        }
    }
}
