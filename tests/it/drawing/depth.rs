//! Tests depths in buffers: functional specification, 15.6, 16.3.1, 16.9 and 17.9 to 17.11.

use brolga::raster::{Bounds, Draw, PipelineDesc, Viewport};
use brolga::{Comparison, Device, Format};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, position, triangle, vertex};
use super::shaders::{self, pixel};

const FORMATS: [Format; 3] = [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_FLOAT];
const COLOR: &[Format] = &[Format::R32G32B32A32_FLOAT];

/// Shaders whose pixels are tested before them, and after them. The second discards nothing.
fn early_and_late() -> [Vec<u8>; 2] {
    [
        pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
        pixel("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndiscard_z v1.w\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
    ]
}

/// Draws triangles one after the other with a comparison; returns the pixels that passed in each, and the codes at the
/// end.
fn draw(
    format: Format,
    cleared: u32,
    shader: Option<&[u8]>,
    triangles: &[[Vertex; 3]],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> (Vec<u64>, Vec<u32>) {
    let vertex = shaders::vertex();
    on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(format, [SIZE; 2], cleared);
        let item = |vertices| Item { vertex: &vertex, pixel: shader, vertices, set: &set, with: &with, bindings: None };
        let items: Vec<Item<'_>> = triangles.iter().map(|vertices| item(vertices)).collect();
        (canvas.pass(&items), canvas.depths())
    })
}

const ALL: u64 = (SIZE * SIZE) as u64;

/// A depth is rounded to a code, nearest first, and codes are compared: depths with the same one are equal.
#[test]
fn codes_are_compared() {
    // The code of a quarter, a slightly smaller depth with the same code, and one with another code.
    let quarter = |format| match format {
        // 0.25 * 65535 + 0.5 is 16384.25. 2^-19 less takes an eighth off, 2^-15 takes 2.
        Format::D16_UNORM => (16_384, 0.25 - 2f32.powi(-19), 0.25 - 2f32.powi(-15)),
        // 0.25 * (2^24 - 1) + 0.5 is 2^22 and a quarter, which 2^-26 less takes off, but for 2^-26.
        Format::D24_UNORM_S8_UINT => (1 << 22, 0.25 - 2f32.powi(-26), 0.25 - 2f32.powi(-24)),
        // Only identical values are equal.
        _ => (0.25f32.to_bits(), 0.25, 0.25f32.next_down()),
    };
    for format in FORMATS {
        let (code, same, less) = quarter(format);
        // In pixels (0, 0), (2, 0) and (4, 0).
        let vertices: Vec<Vertex> = [(0.0, 0.25), (2.0, same), (4.0, less)]
            .into_iter()
            .flat_map(|(x, z)| triangle([[x, 0.0], [x + 1.0, 0.0], [x + 0.5, 1.0]], z, [1.0; 4]))
            .collect();
        let vertex = shaders::vertex();
        for shader in early_and_late() {
            let passed = |function| {
                let set = |desc: &mut PipelineDesc| (desc.depth.function, desc.depth.write) = (function, false);
                let texels = on_both(|device, engine| {
                    let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(format, [SIZE; 2], code);
                    canvas.draw(Item::new(&vertex, &shader, &vertices).set(&set));
                    canvas.texels(0)
                });
                [0, 2, 4].map(|x| texels[x][0] != 0)
            };
            use Comparison::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
            for (function, expected) in [
                (Never, [false, false, false]),
                (Less, [false, false, true]),
                (Equal, [true, true, false]),
                (LessEqual, [true, true, true]),
                (Greater, [false, false, false]),
                (NotEqual, [false, false, true]),
                (GreaterEqual, [true, true, false]),
                (Always, [true, true, true]),
            ] {
                assert_eq!(passed(function), expected, "{format} {function:?}");
            }
        }
    }
}

/// Codes are `depth * (2^n - 1) + 0.5`, cut off.
#[test]
fn depths_are_rounded_to_the_nearest_code() {
    for (format, most) in [(Format::D16_UNORM, 65_535.0), (Format::D24_UNORM_S8_UINT, 16_777_215.0)] {
        // Floats near 1 are no finer than a code of 24 bits.
        let near = [0.0, 1.0, 2.0, 12_345.0].map(|code| [(code, code), (code, code + 0.25), (code + 1.0, code + 0.75)]);
        let cases: Vec<(f64, f64)> = near.into_iter().flatten().chain([(most, most)]).collect();
        // A pixel of the first row for each.
        let vertices: Vec<Vertex> = (0..)
            .map(|x| x as f32)
            .zip(&cases)
            .flat_map(|(x, (_, depth))| {
                triangle([[x, 0.0], [x + 1.0, 0.0], [x + 0.5, 1.0]], (depth / most) as f32, [1.0; 4])
            })
            .collect();
        let vertex = shaders::vertex();
        for shader in early_and_late() {
            let codes = on_both(|device, engine| {
                let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(format, [SIZE; 2], 7);
                canvas
                    .draw(Item::new(&vertex, &shader, &vertices).set(&|desc| desc.depth.function = Comparison::Always));
                canvas.depths()
            });
            for ((code, depth), found) in cases.iter().zip(codes) {
                assert_eq!(found, *code as u32, "{format} {depth}");
            }
        }
    }
}

fn within(least: f32, most: f32) -> impl Fn(&Device, &mut Draw<'_>) {
    move |_, draw| {
        let size = SIZE as f32;
        let viewport = Viewport { left: 0.0, top: 0.0, width: size, height: size, min_depth: least, max_depth: most };
        draw.viewport = Some(viewport);
    }
}

/// The depth written to the buffer is clamped to the viewport's depths, with and without clipping, and the shader's
/// depth does not change for it.
#[test]
fn depths_are_clamped_to_the_viewport_and_not_for_the_shader() {
    let shader =
        pixel("dcl_input_ps_siv linear noperspective v0.z, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.zzzz");
    let vertex = shaders::vertex();
    for (z, seen, kept) in [(1.5, 1.0, 0.75), (-1.0, -0.25, 0.25), (0.5, 0.5, 0.5)] {
        let vertices = everywhere(z, [0.0; 4]);
        let (colors, depths) = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], 0);
            let set = |desc: &mut PipelineDesc| {
                (desc.rasterizer.depth_clip, desc.depth.function) = (false, Comparison::Always);
            };
            canvas.draw(Item::new(&vertex, &shader, &vertices).set(&set).with(&within(0.25, 0.75)));
            (canvas.texels(0), canvas.depths())
        });
        assert_eq!((f32::from_bits(colors[0][0]), f32::from_bits(depths[0])), (seen, kept));
    }
}

/// Depths that a shader writes are clamped likewise; NaN becomes the minimum.
#[test]
fn depths_of_shaders_are_clamped() {
    let shader = pixel(
        "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, v1.xyzw\nmov oDepth, v1.x",
    );
    let less = f32::NEG_INFINITY;
    for (given, kept) in [(2.0, 0.75), (less, 0.25), (f32::NAN, 0.25), (0.5, 0.5), (f32::INFINITY, 0.75)] {
        for clips in [false, true] {
            let set = |desc: &mut PipelineDesc| {
                (desc.rasterizer.depth_clip, desc.depth.function) = (clips, Comparison::Always);
            };
            let triangle = everywhere(0.5, [given; 4]);
            let (_, codes) = draw(Format::D32_FLOAT, 0, Some(&shader), &[triangle], set, within(0.25, 0.75));
            assert_eq!(f32::from_bits(codes[0]), kept, "{given}");
        }
    }
}

/// Triangles with perspective and slope, large and small.
fn sloped() -> Vec<[Vertex; 3]> {
    let mut random = brolga_testing::random::Random(1);
    let mut number = |least: f32, most: f32| least + (most - least) * random.below(1 << 20) as f32 / (1 << 20) as f32;
    (0..40)
        .map(|n| {
            let [x, y] = [number(-4.0, 20.0), number(-4.0, 20.0)];
            let reach = if n % 2 == 0 { 3.0 } else { 20.0 };
            [0; 3].map(|_| {
                let place = [x + number(-reach, reach), y + number(-reach, reach)];
                vertex(position(place, number(0.0, 1.0), number(0.5, 8.0)), [1.0; 4])
            })
        })
        .collect()
}

/// `SV_Position.z` is the depth that is tested, to the bit.
#[test]
fn shaders_see_the_depth_that_is_tested() {
    let own = pixel("dcl_input_ps_siv linear noperspective v0.z, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.zzzz");
    let same = pixel(
        "dcl_input_ps_siv linear noperspective v0.z, position\ndcl_output o0.xyzw\ndcl_output oDepth\n\
         mov o0.xyzw, v0.zzzz\nmov oDepth, v0.z",
    );
    let vertex = shaders::vertex();
    let far = 1f32.to_bits();
    let [tested, given] = [&own, &same].map(|shader| {
        on_both(|device, engine| {
            let canvas = || Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], far);
            let pipelines = [canvas().pipeline(&Item::new(&vertex, shader, &[]))];
            let draw = |vertices: [Vertex; 3]| {
                let canvas = canvas();
                canvas.pass_with(&[Item::new(&vertex, shader, &vertices)], &pipelines);
                (canvas.texels(0), canvas.depths())
            };
            sloped().into_iter().map(draw).collect::<Vec<_>>()
        })
    });
    assert!(tested == given);
    let mut seen = 0;
    for (colors, depths) in tested {
        for (color, depth) in colors.iter().zip(depths).filter(|(color, _)| color[0] != 0) {
            assert_eq!(color[0], depth);
            seen += 1;
        }
    }
    assert!(seen > 800, "{seen}");
}

/// A triangle has the same depths in another pipeline: without and with a shader, tested before and after it, wherever
/// the scissor cuts it, and at another position in the list.
#[test]
fn depths_are_the_same_in_every_pipeline() {
    let vertex = shaders::vertex();
    let equal = |desc: &mut PipelineDesc| desc.depth.function = Comparison::Equal;
    let in_columns = |columns: std::ops::Range<i32>| {
        move |_: &Device, draw: &mut Draw<'_>| {
            draw.scissor = Some(Bounds { left: columns.start, top: 0, right: columns.end, bottom: 16 });
        }
    };
    for format in FORMATS {
        let far = if format == Format::D32_FLOAT { 1f32.to_bits() } else { u32::MAX >> 8 };
        for shader in early_and_late() {
            let passed = on_both(|device, engine| {
                let canvas = || Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(format, [SIZE; 2], far);
                let alone = Item { pixel: None, ..Item::new(&vertex, &[], &[]) };
                let alone = canvas().pipeline(&alone.set(&|desc| desc.depth.function = Comparison::LessEqual));
                let shaded = canvas().pipeline(&Item::new(&vertex, &shader, &[]).set(&equal));
                let pipelines = [alone, shaded.clone(), shaded.clone(), shaded];
                let draw = |vertices: [Vertex; 3]| {
                    let twice = [[vertices[0]; 3], vertices].concat();
                    let [left, right] = [in_columns(0..3), in_columns(3..16)];
                    let items = [
                        Item::new(&vertex, &[], &vertices),
                        Item::new(&vertex, &[], &vertices),
                        Item::new(&vertex, &[], &twice).with(&right),
                        Item::new(&vertex, &[], &vertices).with(&left),
                    ];
                    canvas().pass_with(&items, &pipelines)
                };
                sloped().into_iter().map(draw).collect::<Vec<_>>()
            });
            for passed in passed {
                assert_eq!((passed[1], passed[2] + passed[3]), (passed[0], passed[0]), "{format}");
            }
        }
    }
}

/// Without a pixel shader depths are drawn, and pixels that pass are counted.
#[test]
fn depths_are_drawn_without_a_pixel_shader() {
    let corner = triangle([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 0.25, [0.0; 4]);
    let triangles = [corner, everywhere(0.5, [0.0; 4]), everywhere(0.5, [0.0; 4])];
    let (passed, codes) = draw(Format::D32_FLOAT, 1f32.to_bits(), None, &triangles, |_| {}, |_, _| {});
    // 8 + 7 + ... but for the diagonal, whose centers are on a right edge.
    assert_eq!(passed, [28, ALL - 28, 0]);
    for (n, code) in (0..).zip(codes) {
        let depth = if n % SIZE + n / SIZE < 7 { 0.25 } else { 0.5 };
        assert_eq!(f32::from_bits(code), depth);
    }
}

/// Without depth test and pixel shader nothing is rasterized, and nothing counted (16.9.1).
#[test]
fn without_shader_and_depth_test_nothing_is_counted() {
    let set = |desc: &mut PipelineDesc| desc.depth.enable = false;
    let triangles = [everywhere(0.5, [0.0; 4])];
    let (passed, codes) = draw(Format::D32_FLOAT, 9, None, &triangles, set, |_, _| {});
    assert_eq!((passed[0], codes[0]), (0, 9));
}

/// With the test, but without a depth buffer, every pixel passes (17.11, 20.4.6).
#[test]
fn without_a_depth_buffer_every_pixel_passes() {
    let (vertex, vertices) = (shaders::vertex(), everywhere(0.5, [0.0; 4]));
    let never = |desc: &mut PipelineDesc| desc.depth.function = Comparison::Never;
    for shader in early_and_late() {
        let vertices = vertices.map(|[position, ..]| [position, [1; 4], [1; 4], [1; 4]]);
        let passed = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
            canvas.draw(Item::new(&vertex, &shader, &vertices).set(&never))
        });
        assert_eq!(passed, ALL);
    }
}

/// Depth bias moves triangles of any size by a number of units of the depth buffer, before interpolation (15.10).
#[test]
fn depth_bias_counts_in_units_of_the_buffer() {
    let small = triangle([[4.0, 4.0], [7.0, 4.0], [4.0, 7.0]], 0.25, [1.0; 4]);
    for (format, expected) in [
        // 0.25 * 65535 + 0.5 is 16384.25, and so on.
        (Format::D16_UNORM, 16_384 + 3),
        (Format::D24_UNORM_S8_UINT, (1 << 22) + 3),
        // A unit is one in the last place of the triangle's depth.
        (Format::D32_FLOAT, 0.25f32.to_bits() + 3),
    ] {
        let set = |desc: &mut PipelineDesc| desc.rasterizer.depth_bias = 3;
        for shader in early_and_late() {
            let far = if format == Format::D32_FLOAT { 1f32.to_bits() } else { u32::MAX >> 8 };
            for (vertices, pixel) in [(everywhere(0.25, [1.0; 4]), 0), (small, 4 * SIZE as usize + 4)] {
                let (_, codes) = draw(format, far & mask(format), Some(&shader), &[vertices], set, |_, _| {});
                assert_eq!(codes[pixel], expected, "{format}");
            }
        }
    }
    // Half of a depth over the whole target, to the right.
    let slope = 0.5 / SIZE as f32;
    let across = |x: f32, y: f32| vertex(position([x, y], 0.25 + slope * x, 1.0), [1.0; 4]);
    let slanted = [across(-40.0, -40.0), across(90.0, -40.0), across(-40.0, 90.0)];
    let depths = |scaled: f32, clamp: f32| {
        let set = |desc: &mut PipelineDesc| {
            (desc.rasterizer.slope_scaled_depth_bias, desc.rasterizer.depth_bias_clamp) = (scaled, clamp);
        };
        let far = 1f32.to_bits();
        draw(Format::D32_FLOAT, far, None, &[slanted], set, |_, _| {})
            .1
            .into_iter()
            .map(f32::from_bits)
            .collect::<Vec<_>>()
    };
    let plain = depths(0.0, 0.0);
    for (scaled, clamp, expected) in [(3.0, 0.0, 3.0 * slope), (3.0, 0.01, 0.01), (-1.0, 0.01, -slope)] {
        for (plain, biased) in plain.iter().zip(depths(scaled, clamp)) {
            assert!((biased - plain - expected).abs() < 1e-6, "{plain} {biased} {expected}");
        }
    }
}

/// The bits of a code.
fn mask(format: Format) -> u32 {
    if format == Format::D16_UNORM { 0xffff } else { u32::MAX }
}
