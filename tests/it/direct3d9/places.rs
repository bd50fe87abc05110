//! Tests pixel coverage, and the positions of samples in pixels: "Rasterization Rules", "Directly Mapping Texels to
//! Pixels", "Point Sprites", "Triangle Fans", `SetClipPlane`.

use brolga::Format;
use brolga::raster::{Distance, Draw, FogMode, InputElement, Topology, Viewport};

use super::probe::{NOTHING, PASS, Probe, SHOW, SIZE, assert_near, columns, rectangle, rows};

#[test]
fn pixels_have_their_centers_at_integers() {
    for (left, right, expected) in
        [(2.0, 5.0, 2..5), (2.5, 5.5, 3..6), (2.25, 5.25, 3..6), (0.0, 8.0, 0..8), (-0.5, 7.5, 0..8), (0.5, 8.5, 1..8)]
    {
        let picture = Probe::new(&rectangle([left, left, right, right], 0.5)).draw();
        let expected: Vec<usize> = expected.collect();
        for &place in &expected {
            assert_eq!((columns(&picture, place), rows(&picture, place)), (expected.clone(), expected.clone()));
            let share = (place as f64 - f64::from(left)) / f64::from(right - left);
            assert_near(picture[place][place], [share, share, 0.25, 0.5], 1e-5);
        }
    }
}

/// Vertices on the screen: x, y, z, 1/w and a value.
fn transformed<'a>(vertices: &[[[f32; 4]; 2]]) -> Probe<'a> {
    let mut probe = Probe::new(vertices);
    probe.layout[0] = InputElement::new("POSITIONT", Format::R32G32B32A32_FLOAT, 0);
    probe
}

#[test]
fn transformed_vertices_bypass_the_vertex_shader() {
    let corner = |x, y, rhw, u| [[x, y, 0.5, rhw], [u, 0.0, 0.0, 1.0]];
    let vertices = [corner(2.0, 1.0, 1.0, 0.0), corner(6.0, 1.0, 0.25, 1.0), corner(2.0, 5.0, 1.0, 0.0)];
    let picture = transformed(&vertices).draw();
    assert_eq!(
        (columns(&picture, 1), columns(&picture, 3), columns(&picture, 5)),
        (vec![2, 3, 4, 5], vec![2, 3], vec![])
    );
    // In perspective: u = (share / w of its end) / (1/w between).
    for (n, column) in (2..6).enumerate() {
        let share = n as f64 / 4.0;
        let u = share * 0.25 / ((1.0 - share) + share * 0.25);
        assert_near(picture[1][column], [u, 0.0, 0.0, 1.0], 1e-5);
    }
    // Vertices with an invalid position draw nothing, and affect no other primitive.
    let strange = [corner(f32::NAN, 1.0, 1.0, 0.0), corner(6.0, 1e9, 1.0, 0.0), corner(2.0, 5.0, -1.0, 0.0)];
    let both: Vec<_> = strange.into_iter().chain(vertices).collect();
    assert_eq!(columns(&transformed(&both).draw(), 1), [2, 3, 4, 5]);
}

/// Devices take a 1/w of 0 for 1, of either sign.
#[test]
fn transformed_vertices_without_a_w_are_drawn() {
    for rhw in [0.0, -0.0, 1e-40] {
        let corner = |x, y, u| [[x, y, 0.5, rhw], [u, 0.0, 0.0, 1.0]];
        let picture = transformed(&[corner(0.0, 0.0, 0.0), corner(16.0, 0.0, 2.0), corner(0.0, 16.0, 0.0)]).draw();
        for (x, pixel) in picture[3].iter().enumerate() {
            assert_near(*pixel, [x as f64 / 8.0, 0.0, 0.0, 1.0], 1e-5);
        }
    }
    // A vertex shader's w of 0 is not a position.
    let vertices = [[[0.0, 0.0, 0.0, 0.0], [1.0; 4]]; 3];
    assert!(Probe::new(&vertices).draw().iter().flatten().all(|pixel| *pixel == NOTHING));
}

/// Whatever finite positions vertices have, the visible part of a primitive is drawn, transformed or not.
#[test]
fn vertices_may_be_as_far_away_as_floats_reach() {
    for far in [1e5, 1e10, 1e20, 1e30, 3e38] {
        for topology in [Topology::TriangleList, Topology::LineList] {
            // All below the diagonal from the upper left, or the diagonal.
            let places = match topology {
                Topology::LineList => vec![[-far, -far], [far, far]],
                _ => vec![[-far, -far], [far, far], [-far, far]],
            };
            let on_screen: Vec<_> = places.iter().map(|&[x, y]| [[x, y, 0.5, 1.0], [0.5; 4]]).collect();
            // In clip space pixel (4, 4) is the middle, up is positive.
            let in_clip_space: Vec<_> = places.iter().map(|&[x, y]| [[x, -y, 0.5, 1.0], [0.5; 4]]).collect();
            for probe in [transformed(&on_screen), Probe::new(&in_clip_space)] {
                let picture = probe.topology(topology).draw();
                for (y, row) in picture.iter().enumerate() {
                    for (x, pixel) in row.iter().enumerate() {
                        // The diagonal is the triangle's right edge, which is not covered.
                        let is_drawn = if topology == Topology::LineList { y == x } else { y > x };
                        assert_eq!(*pixel == [0.5; 4], is_drawn, "{far:e} {topology:?} ({x}, {y})");
                    }
                }
            }
        }
    }
}

/// A clipped primitive has the same pixels as before, in perspective.
#[test]
fn far_transformed_vertices_keep_their_perspective() {
    let corner = |x, y, rhw, u| [[x, y, 0.5, rhw], [u, 0.0, 0.0, 1.0]];
    let (near, far) = (0.5, 80_000.0);
    let picture =
        transformed(&[corner(0.0, 0.0, 1.0, 0.0), corner(far, 0.0, near, 1.0), corner(0.0, far, 1.0, 0.0)]).draw();
    for (x, pixel) in picture[0].iter().enumerate() {
        let share = x as f64 / f64::from(far);
        let u = share * f64::from(near) / (1.0 - share + share * f64::from(near));
        assert_near(*pixel, [u, 0.0, 0.0, 1.0], 1e-8);
    }
}

/// `D3DVIEWPORT9`: the runtime takes a greatest depth that is not above the least one for 0.001 above it.
#[test]
fn viewports_have_a_range_of_depths() {
    let depths = |min_depth, max_depth| {
        [0.0, 0.5, 1.0].map(|z| {
            let set = |desc: &mut brolga::raster::PipelineDesc| {
                desc.direct3d9.fog = Some(FogMode::Linear(Distance::Depth));
            };
            let with = |draw: &mut Draw<'_>| {
                draw.viewport = Some(Viewport { left: 0.0, top: 0.0, width: 8.0, height: 8.0, min_depth, max_depth });
                draw.direct3d9.fog_start = 1.0;
                draw.direct3d9.fog_end = 0.0;
            };
            // The fog is black and grows from 0 to 1 towards the eye, so that white becomes the depth.
            let white = "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0";
            Probe::new(&rectangle([-1.0, -1.0, 9.0, 9.0], z)).shaders(PASS, white).set(&set).with(&with).draw()[3][3][0]
        })
    };
    for (min, max, expected) in [
        (0.25, 0.75, [0.25, 0.5, 0.75]),
        (0.25, 0.25, [0.25, 0.2505, 0.251]),
        (0.75, 0.25, [0.75, 0.7505, 0.751]),
        (1.0, 0.0, [1.0, 1.0, 1.0]),
        (0.0, 0.0, [0.0, 0.0005, 0.001]),
    ] {
        for (depth, expected) in depths(min, max).into_iter().zip(expected) {
            assert!((depth - expected).abs() < 1e-6_f32, "{min} to {max}: {depth}, expected {expected}");
        }
    }
}

#[test]
fn clip_planes_cut_in_clip_space() {
    let all = rectangle([-1.0, -1.0, 9.0, 9.0], 0.5);
    let cut = |planes: &[[f32; 4]]| {
        let planes = planes.to_vec();
        let picture = Probe::new(&all).with(&|draw| draw.direct3d9.clip_planes = planes.clone()).draw();
        (columns(&picture, 5), rows(&picture, 3))
    };
    let [every, none]: [Vec<usize>; 2] = [(0..SIZE).collect(), vec![]];
    assert_eq!(cut(&[]), (every.clone(), every.clone()));
    // x >= 0 is the right half; the center of column 4 lies on the plane.
    assert_eq!(cut(&[[1.0, 0.0, 0.0, 0.0]]), ((4..8).collect(), none.clone()));
    assert_eq!(cut(&[[-1.0, 0.0, 0.0, -0.01]]), ((0..4).collect(), every.clone()));
    // y >= -0.25 w, upwards.
    assert_eq!(cut(&[[0.0, 1.0, 0.0, 0.2]]), (none.clone(), (0..5).collect()));
    // Two, and one that leaves nothing.
    assert_eq!(cut(&[[1.0, 0.0, 0.0, 0.5], [-1.0, 0.0, 0.0, 0.4]]).0, (2..6).collect::<Vec<_>>());
    assert_eq!(cut(&[[0.0, 0.0, 0.0, -1.0]]), (none.clone(), none.clone()));
    let seven = vec![[0.0, 0.0, 0.0, 1.0]; 7];
    let error = Probe::new(&all).with(&|draw| draw.direct3d9.clip_planes = seven.clone()).error();
    assert_eq!(error, "7 clip planes, but at most 6 are possible");
}

/// A point at a position on the screen, in pixels.
fn point([x, y]: [f32; 2], value: [f32; 4]) -> [[f32; 4]; 2] {
    [[x / 4.0 - 1.0, 1.0 - y / 4.0, 0.5, 1.0], value]
}

#[test]
fn points_are_squares_around_their_vertex() {
    let drawn = |place, size: f32, range| {
        let picture = Probe::new(&[point(place, [0.5; 4])])
            .topology(Topology::PointList)
            .with(&|draw| {
                draw.direct3d9.point_size = size;
                draw.direct3d9.point_size_range = range;
            })
            .draw();
        let columns: Vec<_> = (0..SIZE).filter(|&x| picture.iter().any(|row| row[x] != NOTHING)).collect();
        let rows: Vec<_> = (0..SIZE).filter(|&y| picture[y].iter().any(|pixel| *pixel != NOTHING)).collect();
        for &row in &rows {
            assert!(columns.iter().all(|&column| picture[row][column] == [0.5; 4]));
        }
        (columns, rows)
    };
    let usual = [1.0, 64.0];
    assert_eq!(drawn([3.0, 5.0], 1.0, usual), (vec![3], vec![5]));
    // 1 to 5 across: the left edge is covered.
    assert_eq!(drawn([3.0, 5.0], 4.0, usual), (vec![1, 2, 3, 4], vec![3, 4, 5, 6]));
    assert_eq!(drawn([3.5, 5.5], 3.0, usual), (vec![2, 3, 4], vec![4, 5, 6]));
    assert_eq!(drawn([0.0, 7.0], 4.0, usual), (vec![0, 1], vec![5, 6, 7]));
    assert_eq!(drawn([3.0, 5.0], 8.0, [1.0, 2.0]), (vec![2, 3], vec![4, 5]));
    assert_eq!(drawn([3.0, 5.0], 0.0, [3.0, 8.0]), (vec![2, 3, 4], vec![4, 5, 6]));
    assert_eq!(drawn([3.0, 5.0], f32::NAN, usual), (vec![3], vec![5]));
}

#[test]
fn a_vertex_shader_sizes_points_and_sprites_have_coordinates() {
    // The value's w is the size.
    let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oPts.x, v1.w";
    let vertices = [point([3.0, 3.0], [0.5, 0.5, 0.5, 4.0]), point([6.0, 6.0], [0.5, 0.5, 0.5, 2.0])];
    let drawn = |has_sprites| {
        let set = move |desc: &mut brolga::raster::PipelineDesc| desc.direct3d9.has_point_sprites = has_sprites;
        Probe::new(&vertices).shaders(vertex, SHOW).topology(Topology::PointList).set(&set).draw()
    };
    let plain = drawn(false);
    assert_eq!((columns(&plain, 2), columns(&plain, 5)), (vec![1, 2, 3, 4], vec![5, 6]));
    assert_eq!((plain[2][2], plain[5][5]), ([0.5, 0.5, 0.5, 4.0], [0.5, 0.5, 0.5, 2.0]));
    let sprites = drawn(true);
    for (first, size, y) in [(1, 4, 1), (5, 2, 5)] {
        for n in 0..size {
            let [u, v] = [n, size - 1].map(|place| f64::from(place) / f64::from(size));
            assert_near(sprites[y + size as usize - 1][first + n as usize], [u, v, 0.0, 1.0], 1e-6);
        }
    }
}

#[test]
fn fans_share_their_first_vertex() {
    let corner = |[x, y]: [f32; 2], value: f32| [[x / 4.0 - 1.0, 1.0 - y / 4.0, 0.5, 1.0], [value; 4]];
    let fan = [corner([0.0, 0.0], 1.0), corner([8.0, 0.0], 2.0), corner([8.0, 8.0], 3.0), corner([0.0, 8.0], 4.0)];
    let picture = Probe::new(&fan).topology(Topology::TriangleFan).draw();
    assert!(picture.iter().flatten().all(|pixel| *pixel != NOTHING));
    // With flat colours the triangle's first vertex counts, which is not the shared one.
    let vertex = "vs_2_0\ndef c0, 0.25, 0, 0, 0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmul oD0, v1, c0.x";
    let pixel = "ps_2_0\ndcl v0\nmov r0, v0\nmov oC0, r0";
    let probe = Probe::new(&fan).shaders(vertex, pixel).topology(Topology::TriangleFan);
    let picture = probe.set(&|desc| desc.direct3d9.is_flat = true).draw();
    assert_eq!((picture[1][6], picture[6][1]), ([0.5; 4], [0.75; 4]));
}

#[test]
fn lines_have_their_last_pixel_unless_a_state_omits_it() {
    let ends = |from, to| [point(from, [0.5; 4]), point(to, [0.5; 4])];
    // From, to, and the columns and rows from the first pixel to the last one.
    type Row<'p> = ([f32; 2], [f32; 2], &'p [[usize; 2]]);
    let rows: [Row<'_>; 5] = [
        ([1.0, 2.0], [4.0, 2.0], &[[1, 2], [2, 2], [3, 2], [4, 2]]),
        ([4.0, 2.0], [1.0, 2.0], &[[4, 2], [3, 2], [2, 2], [1, 2]]),
        ([3.0, 1.0], [3.0, 4.0], &[[3, 1], [3, 2], [3, 3], [3, 4]]),
        ([1.0, 1.0], [4.0, 4.0], &[[1, 1], [2, 2], [3, 3], [4, 4]]),
        // It ends before the center of its last pixel, but in its diamond.
        ([1.0, 2.0], [3.75, 2.0], &[[1, 2], [2, 2], [3, 2], [4, 2]]),
    ];
    for (from, to, pixels) in rows {
        for omits in [false, true] {
            let picture = Probe::new(&ends(from, to))
                .topology(Topology::LineList)
                .set(&move |desc| desc.direct3d9.omits_last_pixels = omits)
                .draw();
            let mut expected = pixels[..pixels.len() - usize::from(omits)].to_vec();
            expected.sort_by_key(|&[x, y]| [y, x]);
            let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| [x, y]));
            let found: Vec<_> = all.filter(|&[x, y]| picture[y][x] != NOTHING).collect();
            assert_eq!(found, expected, "{from:?} to {to:?}");
        }
    }
    // A line that ends between diamonds has no last pixel to omit.
    for omits in [false, true] {
        let picture = Probe::new(&ends([1.0, 2.0], [3.5, 2.0]))
            .topology(Topology::LineList)
            .set(&move |desc| desc.direct3d9.omits_last_pixels = omits)
            .draw();
        assert_eq!(columns(&picture, 2), [1, 2, 3]);
    }
}
