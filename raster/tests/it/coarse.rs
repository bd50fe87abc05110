//! Checks hierarchical depth against the tests of single pixels: none that it rejects may pass, or change anything.

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest, StencilFace, StencilOp, StencilTest};
use brolga_raster::setup::bins::TILE_SIZE as SIZE;
use brolga_raster::setup::shape::edge::Bounds;
use brolga_raster::setup::shape::plane::{DEPTH, Local};
use brolga_raster::tiles::depth::{QuadTest, Tile};
use brolga_raster::tiles::quad::Coverage;
use brolga_testing_base::random::Random;

/// A test as draws have: mostly without stencil.
fn random_test(random: &mut Random, format: DepthFormat) -> DepthTest {
    let mut face = || {
        let ops = [StencilOp::Keep, StencilOp::Keep, StencilOp::Keep, StencilOp::Increment];
        let [fail, depth_fail, pass] = [(); 3].map(|()| random.pick(&ops));
        StencilFace { test: random.pick(&Comparison::ALL), fail, depth_fail, pass }
    };
    let [front, back] = [face(), face()];
    let stencil = StencilTest { read_mask: 0xff, write_mask: random.pick(&[0xff, 0xff, 0]), front, back };
    DepthTest {
        format,
        test: random.pick(&Comparison::ALL),
        writes: !random.one_in(3),
        stencil: (format.has_stencil() && random.one_in(2)).then_some(stencil),
    }
}

/// Planes of few depths and slopes, so that some are equal, or of any floats at all.
fn random_plane(random: &mut Random) -> Local {
    let mut local = Local::default();
    let slopes = [0.0, 0.0, 1.0 / 64.0, -1.0 / 64.0, 1.0 / 1024.0, -1.0 / 1024.0];
    if random.one_in(8) {
        let any = [f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, f32::MIN, 1e29, -1e29, f32::MIN_POSITIVE, 0.5];
        [local.value[DEPTH], local.x[DEPTH], local.y[DEPTH]] = [(); 3].map(|()| random.pick(&any));
    } else {
        local.value[DEPTH] = random.below(9) as f32 / 8.0;
        [local.x[DEPTH], local.y[DEPTH]] = [(); 2].map(|()| random.pick(&slopes));
    }
    local
}

/// A rectangle of quads in a tile.
fn random_area(random: &mut Random, [left, top]: [i32; 2]) -> Bounds {
    let most = random.pick(&[4, 8, 32, 32]);
    let mut extent = || {
        let first = random.below(32);
        (2 * first as i32, 2 * (first + 1 + random.below(most)).min(32) as i32)
    };
    let ((from, to), (upper, lower)) = (extent(), extent());
    Bounds { left: left + from, top: top + upper, right: left + to, bottom: top + lower }
}

/// The first pixels of its quads, row by row.
fn quads(area: &Bounds) -> impl Iterator<Item = (i32, i32)> {
    let columns = (area.left..area.right).step_by(2);
    (area.top..area.bottom).step_by(2).flat_map(move |y| columns.clone().map(move |x| (y, x)))
}

/// Depth and stencil of all pixels.
fn content(tile: &Tile) -> Vec<(u32, u8)> {
    let all = 0..(SIZE * SIZE) as usize;
    let pixels = all.map(|n| [n % SIZE as usize, n / SIZE as usize]);
    pixels.map(|pixel| (tile.code(pixel), tile.stencil(pixel))).collect()
}

#[test]
fn what_is_hidden_fails_pixel_by_pixel_and_changes_nothing() {
    let mut random = Random(17);
    let (mut failed, mut hidden) = (0, 0);
    for round in 0..2000 {
        let format = [DepthFormat::D16, DepthFormat::D24, DepthFormat::D32, DepthFormat::D32S8][round % 4];
        let corner = [0; 2].map(|_| SIZE * random.below(3) as i32);
        let mut tile = Tile::default();
        tile.blank(format, 1);
        for _ in 0..1 + random.below(6) {
            let how = random_test(&mut random, format);
            let range = random.pick(&[[0.0, 1.0], [0.25, 0.75], [0.5, 0.5]]);
            let reference = random.below(3) as u32;
            tile.begin(&how);
            for _ in 0..random.below(20) {
                let (local, area) = (random_plane(&mut random), random_area(&mut random, corner));
                let is_front = random.one_in(2);
                let is_hidden = tile.is_hidden(&local, corner, &area, range);
                let before = is_hidden.then(|| content(&tile));
                let mut fails = true;
                for (y, x) in quads(&area) {
                    let position = [x - corner[0], y - corner[1]];
                    let depths = local.of_quad(DEPTH, position.map(|offset| offset as f32));
                    let (position, coverage) = (position.map(|offset| offset as usize), Coverage::FULL);
                    let tested = QuadTest { position, depths, coverage, is_front, range, reference };
                    fails &= tile.test(&how, &tested).is_empty();
                }
                let is_right = before.is_none_or(|before| fails && before == content(&tile));
                assert!(is_right, "{how:?} {local:?} {area:?} {range:?}");
                failed += u32::from(fails);
                hidden += u32::from(is_hidden);
            }
        }
    }
    // If nothing were hidden this would prove nothing.
    assert!(hidden * 4 > failed, "{hidden} of {failed} that failed were hidden");
}
