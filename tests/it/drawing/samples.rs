//! Tests pixels of several samples: functional specification, 3.5, 16.3 to 16.5, 17.17, 17.18, 19.2, 22.4.21 and 22.4.22.

use brolga::raster::{
    Blend, BlendOp, Draw, Equation, Factor, Fill, Pass, PipelineDesc, RasterizerState, Targets, Topology,
};
use brolga::{Bindings, ClearValue, Device, Engine, Format, Texture, TextureShape, View};
use brolga_testing::samples::STANDARD_PATTERNS;

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, position, texture, triangle, vertex};
use super::shaders::{self, pixel};

const COLOR: Format = Format::R32G32B32A32_FLOAT;

/// The patterns that targets may have.
fn patterns() -> impl Iterator<Item = &'static [[i8; 2]]> {
    STANDARD_PATTERNS.into_iter().filter(|positions| positions.len() <= 8)
}

fn several(device: &Device, format: Format, samples: u32) -> Texture {
    let shape = TextureShape::texture_2d(format, SIZE, SIZE);
    device.texture(if samples > 1 { shape.samples(samples) } else { shape }).unwrap()
}

/// The samples of each pixel after a draw, one picture after the other, and how many passed.
pub fn drawn(
    samples: u32,
    code: &[u8],
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&mut Draw<'_>),
) -> (Vec<Vec<[f32; 4]>>, u64) {
    let shader = shaders::vertex();
    let (words, passed) = on_both(|device, engine| {
        let canvas = Canvas::of_samples(device, engine, [SIZE; 2], samples, &[COLOR]);
        let set = |desc: &mut PipelineDesc| {
            desc.samples = samples;
            set(desc);
        };
        let passed = canvas.draw(Item::new(&shader, code, vertices).set(&set).with(&|_, draw| with(draw)));
        (canvas.texels(0), passed)
    });
    let texels: Vec<[f32; 4]> = words.into_iter().map(|texel| texel.map(f32::from_bits)).collect();
    (texels.chunks((SIZE * SIZE) as usize).map(<[_]>::to_vec).collect(), passed)
}

/// The same of a shader that writes ones: the samples of each pixel, a bit each.
fn covered(
    samples: u32,
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&mut Draw<'_>),
) -> Vec<u32> {
    let ones = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let (pictures, passed) = drawn(samples, &ones, vertices, set, with);
    let bit = |n: usize| (0..).zip(&pictures).map(|(sample, all)| u32::from(all[n][0] != 0.0) << sample).sum();
    let masks: Vec<u32> = (0..(SIZE * SIZE) as usize).map(bit).collect();
    assert_eq!(masks.iter().map(|mask: &u32| u64::from(mask.count_ones())).sum::<u64>(), passed);
    masks
}

/// The samples whose positions, in pixels, a rule holds for.
fn by_rule(positions: &[[i8; 2]], holds: impl Fn([f64; 2]) -> bool) -> Vec<u32> {
    let at = |n: u32, position: [i8; 2]| {
        [n % SIZE, n / SIZE]
            .map(f64::from)
            .iter()
            .zip(position)
            .map(|(pixel, at)| pixel + 0.5 + f64::from(at) / 16.0)
            .collect::<Vec<_>>()
    };
    let bit = |n: u32, (sample, position): (u32, &[i8; 2])| {
        let at = at(n, *position);
        u32::from(holds([at[0], at[1]])) << sample
    };
    (0..SIZE * SIZE).map(|n| (0..).zip(positions).map(|one| bit(n, one)).sum()).collect()
}

/// What lies to the left of a line through the target is covered sample by sample.
#[test]
fn triangles_cover_samples() {
    let corners = [[-40.0, -3.0], [5.5625, 8.0], [-40.0, 19.0]];
    for positions in patterns() {
        // x < 5.5625 - |y - 8| * 45.5625 / 11
        let expected = by_rule(positions, |[x, y]| (5.5625 - x) * 11.0 > (y - 8.0).abs() * 45.5625);
        let found = covered(positions.len() as u32, &triangle(corners, 0.5, [1.0; 4]), |_| {}, |_| {});
        assert_eq!(found, expected, "{}", positions.len());
    }
}

/// A point is a square of one pixel around its vertex, over each sample (3.4.6); a line with a width is a rectangle, 1.4
/// pixels wide; one without covers all samples of its pixels (15.14).
#[test]
fn points_and_lines_cover_samples() {
    let at = |x: f32, y: f32| vertex(position([x, y], 0.5, 1.0), [1.0; 4]);
    let topology = |topology| move |desc: &mut PipelineDesc| desc.topology = topology;
    for positions in patterns().skip(1) {
        let samples = positions.len() as u32;
        let found = covered(samples, &[at(6.75, 9.375)], topology(Topology::PointList), |_| {});
        let expected = by_rule(positions, |[x, y]| (6.25..7.25).contains(&x) && (8.875..9.875).contains(&y));
        assert_eq!(found, expected, "{samples}");
        let line = [at(2.5, 4.5), at(11.5, 4.5)];
        let found = covered(samples, &line, topology(Topology::LineList), |_| {});
        let all = (1 << samples) - 1;
        let expected: Vec<u32> =
            (0..SIZE * SIZE).map(|n| if n / SIZE == 4 && (2..11).contains(&(n % SIZE)) { all } else { 0 }).collect();
        assert_eq!(found, expected, "{samples}");
        let wide = |desc: &mut PipelineDesc| {
            desc.topology = Topology::LineList;
            desc.rasterizer = RasterizerState { multisample: true, ..desc.rasterizer };
        };
        // 0.7 is 179 of 256, snapped.
        let half = 179.0 / 256.0;
        let expected = by_rule(positions, |[x, y]| (2.5..11.5).contains(&x) && (4.5 - half..4.5 + half).contains(&y));
        assert_eq!(covered(samples, &line, wide, |_| {}), expected, "{samples}");
    }
}

/// The sample mask takes samples out, also the one of a target that has no more (17.17).
#[test]
fn masks_take_samples_out() {
    for positions in patterns() {
        let samples = positions.len() as u32;
        for mask in [0, 1, 2, 5, 0x86, u32::MAX] {
            let found = covered(samples, &everywhere(0.5, [1.0; 4]), |_| {}, |draw| draw.sample_mask = mask);
            assert_eq!(found, vec![mask & ((1 << samples) - 1); found.len()], "{samples} {mask:#x}");
        }
    }
}

/// Of n samples the k-th is covered where alpha is above (k - 1/2) / n: none by 0, less and NaN, all by 1 (17.18).
#[test]
fn alphas_cover_samples() {
    let code = shaders::attribute("constant");
    for positions in patterns() {
        let samples = positions.len() as u32;
        for (alpha, share) in
            [(0.0, 0.0), (-1.0, 0.0), (f32::NAN, 0.0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1.0, 1.0), (7.0, 1.0)]
        {
            let to_coverage = |desc: &mut PipelineDesc| desc.alpha_to_coverage = true;
            let vertices = everywhere(0.5, [1.0, 1.0, 1.0, alpha]);
            let (_, passed) = drawn(samples, &code, &vertices, to_coverage, |_| {});
            let per_pixel = passed as f64 / f64::from(SIZE * SIZE);
            assert!((per_pixel - share * f64::from(samples)).abs() <= 0.5, "{samples} {alpha}: {per_pixel}");
            assert!(share > 0.0 || passed == 0);
            assert!(share < 1.0 || passed == u64::from(SIZE * SIZE * samples));
        }
    }
}

/// `sampleinfo` and `samplepos` of the rasterizer; there is no sample after the last one.
#[test]
fn the_rasterizer_tells_its_samples() {
    for positions in patterns() {
        let count = positions.len();
        for sample in 0..count + 2 {
            let code = pixel(&format!(
                "dcl_output o0.xyzw\ndcl_temps 1\nsampleinfo r0.x, rasterizer.x\nsamplepos r0.yz, rasterizer.xxyz, l({sample})\n\
                 mov r0.w, l(1.0)\nmov o0.xyzw, r0.xyzw"
            ));
            let (pictures, _) = drawn(count as u32, &code, &everywhere(0.5, [1.0; 4]), |_| {}, |_| {});
            let [x, y] = positions.get(sample).copied().unwrap_or_default().map(|at| f32::from(at) / 16.0);
            for texel in pictures.iter().flatten() {
                assert_eq!(*texel, [count as f32, x, y, 1.0], "{count} {sample}");
            }
        }
    }
}

/// Inputs evaluated at samples, at the centroid and at offsets, whatever location they are declared with; read directly
/// they are where they are declared. The attributes are the position in pixels, so that values are points.
#[test]
fn inputs_are_evaluated_where_they_are_asked_for() {
    let corners = [[-31.0, -40.0], [33.0, -40.0], [-31.0, 88.0]];
    let vertices = corners.map(|at| vertex(position(at, 0.5, 1.0), [at[0], at[1], at[0], at[1]]));
    let near = |found: f32, expected: f64| (f64::from(found) - expected).abs() < 1e-4;
    for (positions, location) in patterns().flat_map(|all| ["", " centroid", " sample"].map(|at| (all, at))) {
        let samples = positions.len();
        let declared = format!("dcl_input_ps linear{location} v1.xyzw\ndcl_output o0.xyzw\n");
        let of = |code: &str| drawn(samples as u32, &pixel(&format!("{declared}{code}")), &vertices, |_| {}, |_| {}).0;
        let masks = covered(samples as u32, &vertices, |_| {}, |_| {});
        let all = (1 << samples) - 1;
        let centroid = |mask: u32| if mask == all { [0; 2] } else { positions[mask.trailing_zeros() as usize] };
        let check = |pictures: &[Vec<[f32; 4]>], what: &str, at: &dyn Fn(usize, u32) -> [i8; 2]| {
            for (sample, n) in (0..samples).flat_map(|sample| (0..masks.len()).map(move |n| (sample, n))) {
                if masks[n] >> sample & 1 == 0 {
                    continue;
                }
                let [x, y] = at(sample, masks[n]);
                let pixel = [n as u32 % SIZE, n as u32 / SIZE].map(f64::from);
                let expected = [pixel[0] + 0.5 + f64::from(x) / 16.0, pixel[1] + 0.5 + f64::from(y) / 16.0];
                let found = pictures[sample][n];
                let is_near = near(found[0], expected[0]) && near(found[1], expected[1]);
                assert!(is_near, "{what}{location}, {samples} samples, {sample} of {n}: {found:?}, not {expected:?}");
            }
        };
        check(&of("mov o0.xyzw, v1.xyzw"), "read", &|sample, mask| match location {
            "" => [0; 2],
            " centroid" => centroid(mask),
            _ => positions[sample],
        });
        check(&of("eval_centroid o0.xyzw, v1.xyzw"), "centroid", &|_, mask| centroid(mask));
        check(&of("eval_snapped o0.xyzw, v1.xyzw, l(-8, 7, 0, 0)"), "snapped", &|_, _| [-8, 7]);
        for (n, position) in positions.iter().enumerate() {
            let code = format!("eval_sample_index o0.xyzw, v1.xyzw, l({n})");
            check(&of(&code), "sample", &|_, _| *position);
        }
    }
}

/// Blends see each sample's own texel, whether those of a pixel are the same or not, with one target or several.
#[test]
fn samples_are_blended_one_by_one() {
    let shader = shaders::vertex();
    let code = pixel(
        "dcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, l(0.0392156877,0.0784313753,0,0.0392156877)\n\
         mov o1.xyzw, l(0.0392156877,0.0784313753,0,0.0392156877)",
    );
    let sum = Equation { source: Factor::One, destination: Factor::One, op: BlendOp::Add };
    let corners = [[-31.0, -40.0], [33.0, -40.0], [-31.0, 88.0]];
    // Words are compared where they are 32 bits of one of the formats for that.
    let (bytes, floats) = (Format::R8G8B8A8_UNORM, Format::R16G16B16A16_UNORM);
    for (samples, formats) in [2, 4, 8].into_iter().flat_map(|samples| {
        [vec![bytes], vec![bytes, Format::R8G8B8A8_UNORM_SRGB], vec![bytes, floats]].map(|formats| (samples, formats))
    }) {
        for (write_mask, sample_mask) in [(15, u32::MAX), (15, 0b101), (9, u32::MAX)] {
            let covered =
                covered(samples, &triangle(corners, 0.5, [1.0; 4]), |_| {}, |draw| draw.sample_mask = sample_mask);
            // Every third pixel has one code in all samples.
            let before = |pixel: usize, sample: u32| {
                20 + (pixel % 100) as u8 + if pixel.is_multiple_of(3) { 0 } else { sample as u8 }
            };
            let pixels = (SIZE * SIZE) as usize;
            let found = on_both(|device, engine| {
                let canvas = Canvas::of_samples(device, engine, [SIZE; 2], samples, &formats);
                let texels: Vec<[u8; 4]> =
                    (0..samples).flat_map(|sample| (0..pixels).map(move |pixel| [before(pixel, sample); 4])).collect();
                texture(&canvas.targets.colors[0]).buffer().write(0, &texels).unwrap();
                let set = |desc: &mut PipelineDesc| {
                    desc.samples = samples;
                    for target in &mut desc.targets {
                        (target.blend, target.write_mask) = (Some(Blend { color: sum, alpha: sum }), write_mask);
                    }
                };
                let with = |_: &Device, draw: &mut Draw<'_>| draw.sample_mask = sample_mask;
                let vertices = triangle(corners, 0.5, [1.0; 4]);
                canvas.draw(Item::new(&shader, &code, &vertices).set(&set).with(&with));
                canvas.bytes(0)
            });
            for (n, texel) in found.as_chunks::<4>().0.iter().enumerate() {
                let (sample, pixel) = (n / pixels, n % pixels);
                let code = before(pixel, sample as u32);
                let add = |component: usize, by: u8| {
                    let is_drawn = covered[pixel] >> sample & 1 != 0 && write_mask >> component & 1 != 0;
                    if is_drawn { code + by } else { code }
                };
                let expected = [add(0, 10), add(1, 20), add(2, 0), add(3, 10)];
                assert_eq!(*texel, expected, "{samples} {formats:?} {write_mask} {sample_mask:#x}: {pixel}, {sample}");
            }
        }
    }
}

/// Clears reach all samples; a resolve has their mean; samples are layers to reads and copies.
#[test]
fn samples_are_cleared_resolved_and_copied() {
    let device = Device::builder().threads(1).build().unwrap();
    let from = several(&device, Format::R8G8B8A8_UNORM, 4);
    let to = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, SIZE, SIZE)).unwrap();
    View::texture(from.clone()).clear(ClearValue::Color([1.0, 0.5, 0.0, 1.0])).unwrap();
    assert!(from.buffer().to_vec::<[u8; 4]>().unwrap().iter().all(|texel| *texel == [255, 128, 0, 255]));
    // Codes 10, 11, 11 and 11 have the mean 10.75; 10, 10, 11, 11 have 10.5, which goes up.
    for (sample, codes) in (0..).zip([[10, 10], [11, 10], [11, 11], [11, 11]]) {
        let row: Vec<[u8; 4]> = codes.into_iter().map(|code| [code; 4]).collect();
        let part = brolga::TexelBox { extents: [2, 1, 1], ..from.level(0, sample).unwrap() };
        from.write(&part, &row, None).unwrap();
    }
    let whole = to.level(0, 0).unwrap();
    from.resolve(0, &to, &whole, Format::R8G8B8A8_UNORM).unwrap();
    let texels = to.buffer().to_vec::<[u8; 4]>().unwrap();
    assert_eq!([texels[0], texels[1], texels[2]], [[11; 4], [11; 4], [255, 128, 0, 255]]);
    let stopped = from.resolve_until(0, &to, &whole, Format::R8G8B8A8_UNORM, &|| true).unwrap_err();
    assert!(matches!(stopped, brolga::ResourceError::Stopped));
}

/// A shader that outputs its coverage and the place of its centroid.
const COVERAGE: &str = "dcl_input_ps linear centroid v1.xyzw\ndcl_input vCoverage\ndcl_output o0.xyzw\ndcl_temps 1\n\
    utof r0.x, vCoverage\nmov r0.yzw, v1.xxyz\nmov o0.xyzw, r0.xyzw";

/// The edge of a large triangle across the target; its attributes are the position in pixels.
fn edge() -> [Vertex; 3] {
    [[-31.0, -40.0], [33.0, -40.0], [-31.0, 88.0]].map(|at| vertex(position(at, 0.5, 1.0), [at[0], at[1], 0.0, 0.0]))
}

/// Samples are those that are forced, over targets of one sample: shaders see their coverage, the centroid does not ask
/// for the sample mask, and they are what occlusion counts (3.5.6.2 and 20.4.6).
#[test]
fn samples_are_forced_over_targets_of_one() {
    let code = pixel(COVERAGE);
    for positions in STANDARD_PATTERNS.into_iter().filter(|positions| positions.len() != 2) {
        let count = positions.len();
        let force = |desc: &mut PipelineDesc| desc.rasterizer.forced_samples = count as u32;
        let expected = by_rule(positions, |[x, y]| (1.0 - x) * 2.0 > y - 24.0);
        let all = (1 << count) - 1;
        assert!(expected.contains(&0) && expected.contains(&all));
        for mask in [u32::MAX, 1, 3] {
            let (pictures, passed) = drawn(1, &code, &edge(), force, |draw| draw.sample_mask = mask);
            assert_eq!(passed, expected.iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>(), "{count}");
            for (n, (texel, &mask)) in pictures[0].iter().zip(&expected).enumerate() {
                let at = if mask == all || mask == 0 { [0; 2] } else { positions[mask.trailing_zeros() as usize] };
                let at = [n as u32 % SIZE, n as u32 / SIZE].map(|pixel| pixel as f32 + 0.5).into_iter().zip(at);
                let at: Vec<f32> = at.map(|(center, offset)| center + f32::from(offset) / 16.0).collect();
                let is_near = |axis: usize| (texel[1 + axis] - at[axis]).abs() < 1e-4;
                assert_eq!(texel[0], mask as f32, "{count} samples, {n}");
                assert!(mask == 0 || (is_near(0) && is_near(1)), "{count} samples, {n}: {texel:?}, not {at:?}");
            }
        }
        // Without the output's sample no shader runs, and nothing is counted.
        let (pictures, passed) = drawn(1, &code, &edge(), force, |draw| draw.sample_mask = 2);
        assert!(passed == 0 && pictures[0].iter().all(|texel| *texel == [0.0; 4]));
        // What is left of a pixel counts with all samples that it had, what a shader takes away with none.
        let odd = pixel(&COVERAGE.replace("mov r0.yzw", "and r0.y, vCoverage, l(1)\ndiscard_z r0.y\nmov r0.yzw"));
        let (pictures, passed) = drawn(1, &odd, &edge(), force, |_| {});
        let left = expected.iter().map(|&mask| if mask & 1 != 0 { mask } else { 0 });
        assert_eq!(passed, left.clone().map(|mask| u64::from(mask.count_ones())).sum::<u64>(), "{count}");
        assert!(pictures[0].iter().zip(left).all(|(texel, mask)| texel[0] == mask as f32));
    }
}

/// One sample is forced over targets of several: all of a pixel have what is at its center (3.5.6.3).
#[test]
fn one_sample_is_forced_over_targets_of_several() {
    let code = pixel(COVERAGE);
    let force = |desc: &mut PipelineDesc| desc.rasterizer.forced_samples = 1;
    let expected = by_rule(STANDARD_PATTERNS[0], |[x, y]| (1.0 - x) * 2.0 > y - 24.0);
    for (samples, mask) in [(2, u32::MAX), (4, u32::MAX), (4, 0b1010), (8, 0x81), (8, 0x100)] {
        let (pictures, passed) = drawn(samples, &code, &edge(), force, |draw| draw.sample_mask = mask);
        let is_drawn = mask & ((1 << samples) - 1) != 0;
        let count = expected.iter().filter(|&&mask| mask != 0).count() as u64;
        assert_eq!(passed, if is_drawn { count } else { 0 }, "{samples} {mask:#x}");
        for (sample, picture) in pictures.iter().enumerate() {
            let is_in = mask >> sample & 1 != 0;
            for (texel, &covered) in picture.iter().zip(&expected) {
                assert_eq!(texel[0], if is_in { covered as f32 } else { 0.0 }, "{samples} {mask:#x} {sample}");
            }
        }
    }
}

/// All samples at the center are covered together, whatever the standard pattern says (19.2.4.1); a shader finds them
/// there.
#[test]
fn samples_may_all_lie_at_the_center() {
    let device = Device::builder().threads(1).build().unwrap();
    let (vertices, shader) = (edge(), shaders::vertex());
    let code = pixel(
        "dcl_resource_texture2dms(0) (float,float,float,float) t0\ndcl_input vCoverage\ndcl_output o0.xyzw\n\
         dcl_temps 1\nsamplepos r0.xy, t0.xyxx, l(1)\nsamplepos r0.zw, rasterizer.xxxy, l(1)\nadd r0.xy, r0.xyxx, r0.zwzz\n\
         utof r0.z, vCoverage\nsampleinfo r0.w, rasterizer.x\nmov o0.xyzw, r0.xyzw",
    );
    let covered = by_rule(STANDARD_PATTERNS[0], |[x, y]| (1.0 - x) * 2.0 > y - 24.0);
    for engine in [Engine::Jit, Engine::Interpreter] {
        for samples in [2, 4, 8] {
            let centered = TextureShape::texture_2d(COLOR, SIZE, SIZE).samples(samples).center_pattern(true);
            let [target, seen] = [(); 2].map(|()| device.texture(centered).unwrap());
            let mut bindings = Bindings::new();
            bindings.set("t0".parse().unwrap(), View::texture(seen));
            let canvas = Canvas::of(&device, engine, Targets { colors: vec![View::texture(target)], depth: None });
            let set = |desc: &mut PipelineDesc| (desc.samples, desc.center_pattern) = (samples, true);
            let item = Item { bindings: Some(&bindings), ..Item::new(&shader, &code, &vertices) };
            let passed = canvas.draw(item.set(&set));
            let all = (1 << samples) - 1;
            assert_eq!(passed, covered.iter().filter(|&&one| one != 0).count() as u64 * u64::from(samples));
            for (n, texel) in canvas.texels(0).iter().enumerate() {
                let is_covered = covered[n % covered.len()] != 0;
                let expected = if is_covered { [0.0, 0.0, all as f32, samples as f32] } else { [0.0; 4] };
                assert_eq!(texel.map(f32::from_bits), expected, "{samples}, {n}");
            }
        }
    }
}

/// What does not go with forced samples or the center pattern is refused by its name.
#[test]
fn mistakes_with_patterns_are_told() {
    let device = Device::builder().threads(1).build().unwrap();
    let plain = shaders::attribute("linear");
    let (vertices, shader) = (everywhere(0.5, [1.0; 4]), shaders::vertex());
    let canvas = Canvas::new(&device, Engine::Jit, [SIZE; 2], &[COLOR]);
    let made = |code: &[u8], set: &dyn Fn(&mut PipelineDesc)| {
        canvas.try_pipeline(&Item::new(&shader, code, &vertices).set(set)).map_err(|error| error.to_string())
    };
    let said = |code: &[u8], set: &dyn Fn(&mut PipelineDesc)| made(code, set).unwrap_err();
    for samples in [2, 3, 5, 17, 32] {
        assert_eq!(
            said(&plain, &|desc| desc.rasterizer.forced_samples = samples),
            format!("the pipeline forces {samples} samples: 1, 4, 8 or 16 are possible, or 0 for those of the targets")
        );
    }
    let force = |desc: &mut PipelineDesc, samples| desc.rasterizer.forced_samples = samples;
    assert_eq!(
        said(&plain, &|desc| (force(desc, 4), desc.samples = 4).1),
        "a pipeline that forces 4 samples cannot have targets of several samples"
    );
    assert_eq!(
        said(&plain, &|desc| (force(desc, 1), desc.depth_format = Some(Format::D32_FLOAT)).1),
        "a pipeline that forces 1 sample cannot have a depth buffer"
    );
    let deep = pixel("dcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov oDepth, l(0.5)");
    assert_eq!(
        said(&deep, &|desc| force(desc, 8)),
        "a pipeline that forces 8 samples cannot have a pixel shader that outputs depth"
    );
    let each = shaders::attribute("linear sample");
    assert_eq!(
        said(&each, &|desc| force(desc, 16)),
        "a pipeline that forces 16 samples cannot have a pixel shader that runs for each sample"
    );
    let center = |desc: &mut PipelineDesc| (desc.samples, desc.center_pattern) = (4, true);
    assert_eq!(
        said(&each, &center),
        "the pixel shader runs for each sample of a pixel, all of which are at the center: it must run for each pixel"
    );
    let lines = |desc: &mut PipelineDesc| (desc.samples, desc.topology) = (4, Topology::LineList);
    let wires = |desc: &mut PipelineDesc| (desc.samples, desc.rasterizer.fill) = (4, Fill::Wireframe);
    for set in [&lines as &dyn Fn(&mut PipelineDesc), &wires] {
        assert_eq!(
            said(&each, set),
            "the pixel shader runs for each sample of a pixel, all of which a line without `multisample` covers: it must \
             run for each pixel"
        );
        let wide = |desc: &mut PipelineDesc| (set(desc), desc.rasterizer.multisample = true).1;
        made(&each, &wide).unwrap();
        assert_eq!(
            said(&plain, &|desc| (wide(desc), desc.center_pattern = true).1),
            "lines cannot be rectangles (`multisample`) where all samples of a pixel lie at its center"
        );
        made(&plain, &|desc| (set(desc), desc.center_pattern = true).1).unwrap();
    }
    // With one sample there is nothing to run for, and nothing to center.
    made(&each, &|desc| desc.topology = Topology::LineList).unwrap();

    let of_pass = |targets: Targets, set: &dyn Fn(&mut PipelineDesc)| {
        let canvas = Canvas::of(&device, Engine::Jit, targets);
        let item = Item::new(&shader, &plain, &vertices).set(set);
        let pipeline = canvas.pipeline(&item);
        canvas.try_pass(&[item], &[pipeline]).unwrap_err().to_string()
    };
    let colors = |shape: TextureShape| vec![View::texture(device.texture(shape).unwrap())];
    let square = TextureShape::texture_2d(COLOR, SIZE, SIZE);
    assert_eq!(
        of_pass(Targets { colors: colors(square.samples(4)), depth: None }, &center),
        "the pipeline is for targets with 4 samples at the center, but those of the pass have 4"
    );
    assert_eq!(
        of_pass(Targets::default(), &|desc| (desc.samples, desc.targets) = (4, Vec::new())),
        "the pipeline is for targets with 4 samples, but the pass has no targets"
    );
    let depth = Some(several(&device, Format::D32_FLOAT, 1).into());
    assert_eq!(
        of_pass(Targets { colors: colors(square), depth }, &|desc| (force(desc, 4), desc.depth_format = None).1),
        "a pipeline that forces 4 samples cannot have a depth buffer"
    );
    let mixed = [colors(square.samples(4)), colors(square.samples(4).center_pattern(true))].concat();
    assert_eq!(
        Pass::new(&device, Targets { colors: mixed, depth: None }).unwrap_err().to_string(),
        "target 0 has 4 samples but target 1 has 4 at the center: all targets of a pass have the same"
    );
}

/// Each mistake is told by its name.
#[test]
fn mistakes_with_samples_are_told() {
    let device = Device::builder().threads(1).build().unwrap();
    let said = |targets: Targets| Pass::new(&device, targets).map(|_| ()).unwrap_err().to_string();
    let view = |format, samples| View::texture(several(&device, format, samples));
    let colors = |colors: Vec<View>| Targets { colors, depth: None };
    assert_eq!(
        said(colors(vec![view(COLOR, 4), view(COLOR, 2)])),
        "target 0 has 4 samples but target 1 has 2: all targets of a pass have the same"
    );
    let depth = Some(several(&device, Format::D32_FLOAT, 1).into());
    assert_eq!(
        said(Targets { colors: vec![view(COLOR, 4)], depth }),
        "target 0 has 4 samples but the depth buffer has 1: all targets of a pass have the same"
    );
    assert_eq!(said(colors(vec![view(COLOR, 16)])), "target 0 has 16 samples, but targets have at most 8");
    let (vertices, shader, code) = (everywhere(0.5, [1.0; 4]), shaders::vertex(), shaders::attribute("linear"));
    let canvas = Canvas::of_samples(&device, Engine::Jit, [SIZE; 2], 4, &[COLOR]);
    let item = Item::new(&shader, &code, &vertices);
    let pipeline = canvas.pipeline(&item);
    let error = canvas.try_pass(&[item], &[pipeline]).unwrap_err();
    assert_eq!(error.to_string(), "the pipeline is for targets with 1 sample, but those of the pass have 4");
    let depths = Item { pixel: None, ..Item::new(&shader, &[], &vertices) };
    let error = canvas.try_pipeline(&depths.set(&|desc| desc.samples = 3)).unwrap_err();
    assert_eq!(error.to_string(), "the pipeline has 3 samples: 1, 2, 4 or 8 are possible");

    let resolve = |format: Format, from: u32, to: Texture| {
        let from = several(&device, format, from);
        let whole = to.level(0, 0).unwrap();
        from.resolve(0, &to, &whole, format).unwrap_err().to_string()
    };
    assert_eq!(
        resolve(Format::R8_UINT, 4, several(&device, Format::R8_UINT, 1)),
        "texels of format R8_UINT cannot be resolved: integers and depths have no mean"
    );
    assert_eq!(
        resolve(Format::D32_FLOAT, 4, several(&device, Format::D32_FLOAT, 1)),
        "texels of format D32_FLOAT cannot be resolved: integers and depths have no mean"
    );
    assert_eq!(
        resolve(COLOR, 4, several(&device, COLOR, 2)),
        "a resolve goes from a texture of several samples to one of one sample, not from 4 to 2"
    );
    let small = device.texture(TextureShape::texture_2d(COLOR, 8, 16)).unwrap();
    assert_eq!(resolve(COLOR, 4, small), "a resolve from 16 x 16 texels to 8 x 16: they must be the same");
}
