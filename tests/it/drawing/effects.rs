//! Tests pixels that are discarded, hidden, or helpers: functional specification, 16.2, 16.3.2, 16.8, 16.9.4, 16.12,
//! 16.13 and 20.4.6.

use brolga::raster::{PipelineDesc, TargetState};
use brolga::{Bindings, Comparison, Format, Register, Sampler, TextureShape, View};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, picture, position, triangle, vertex};
use super::shaders::{self, pixel, pixel_with};

const COLOR: &[Format] = &[Format::R32G32B32A32_FLOAT];
const ALL: u64 = (SIZE * SIZE) as u64;

/// Pixels (0, 0), (2, 2) and (5, 7), each a triangle of its own: three pixels of their quads are helpers.
fn single_pixels() -> Vec<Vertex> {
    let pixels = [[0.0, 0.0], [2.0, 2.0], [5.0, 7.0]];
    let corners = |[x, y]: [f32; 2]| [[x + 0.25, y + 0.25], [x + 0.75, y + 0.25], [x + 0.5, y + 0.75]];
    pixels.into_iter().flat_map(|place| triangle(corners(place), 0.5, [1.0; 4])).collect()
}

/// Draws with a buffer of counters in `u1`, to which pixels add as they like; returns the counters, the colours, the
/// codes of a depth buffer that holds 0.5 before, and the number of pixels that passed.
fn counted(
    shader: &[u8],
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
) -> ([u32; 4], Vec<[u32; 4]>, Vec<u32>, u64) {
    let vertex = shaders::vertex();
    on_both(|device, engine| {
        let buffer = device.buffer_from(&[0_u32; 4]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("u1".parse().unwrap(), View::raw(buffer.clone()).unwrap());
        let code = 0.5f32.to_bits();
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], code);
        let item = Item { bindings: Some(&bindings), ..Item::new(&vertex, shader, vertices) };
        let passed = canvas.draw(item.set(&set));
        let mut counters = [0; 4];
        buffer.read(0, &mut counters).unwrap();
        (counters, canvas.texels(0), canvas.depths(), passed)
    })
}

/// Counts in the first word before, and in the second after pixels of even columns are discarded.
const DISCARDS: &str = "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_uav_raw u1\ndcl_output o0.xyzw\ndcl_temps 1\n\
    atomic_iadd u1, l(0), l(1)\nftou r0.x, v0.x\nand r0.x, r0.x, l(1)\ndiscard_z r0.x\natomic_iadd u1, l(4), l(1)\n\
    mov o0.xyzw, l(1.0,1.0,1.0,1.0)";

/// The effects of a pixel before its discard stay; it does nothing after that, and is neither drawn, nor tested, nor
/// counted.
#[test]
fn discarded_pixels_end_there() {
    let always = |desc: &mut PipelineDesc| desc.depth.function = Comparison::Always;
    let (counters, colors, depths, passed) = counted(&pixel(DISCARDS), &everywhere(0.25, [1.0; 4]), always);
    assert_eq!((counters, passed), ([ALL as u32, ALL as u32 / 2, 0, 0], ALL / 2));
    for (n, (color, depth)) in (0..SIZE).cycle().zip(colors.iter().zip(depths)) {
        let expected = if n % 2 == 1 { (1.0, 0.25) } else { (0.0, 0.5) };
        assert_eq!((f32::from_bits(color[0]), f32::from_bits(depth)), expected);
    }
}

/// Helper pixels change no memory.
#[test]
fn helpers_change_nothing() {
    let shader =
        pixel("dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let always = |desc: &mut PipelineDesc| desc.depth.function = Comparison::Always;
    let (counters, colors, _, passed) = counted(&shader, &single_pixels(), always);
    assert_eq!((counters, passed), ([3, 0, 0, 0], 3));
    assert_eq!(colors.iter().filter(|color| color[0] != 0).count(), 3);
}

/// But they load: otherwise derivatives of loaded values would be wrong.
#[test]
fn helpers_load() {
    let shader = pixel(
        "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_resource_raw t0\ndcl_output o0.xyzw\ndcl_temps 1\n\
         ftou r0.xy, v0.xyxx\nishl r0.xy, r0.xyxx, l(2,2,0,0)\nld_raw r0.x, r0.x, t0.xxxx\nld_raw r0.y, r0.y, t0.xxxx\n\
         deriv_rtx_fine o0.x, r0.x\nderiv_rty_fine o0.y, r0.y\nmov o0.zw, l(0,0,1.0,1.0)",
    );
    let (vertex, vertices) = (shaders::vertex(), single_pixels());
    let squares: Vec<f32> = (0..SIZE).map(|n| (n * n) as f32).collect();
    let texels = on_both(|device, engine| {
        let mut bindings = Bindings::new();
        bindings.set("t0".parse().unwrap(), View::raw(device.buffer_from(&squares).unwrap()).unwrap());
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
        canvas.draw(Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, &vertices) });
        canvas.texels(0)
    });
    // (x + 1)^2 - x^2 from the even one of a pair on.
    for ([x, y], expected) in [([0, 0], [1.0, 1.0]), ([2, 2], [5.0, 5.0]), ([5, 7], [9.0, 13.0])] {
        let [dx, dy, ..] = texels[y * SIZE as usize + x].map(f32::from_bits);
        assert_eq!([dx, dy], expected);
    }
}

/// The result of a helper's atomic operation is 0, which is our choice: it does nothing, and its neighbours may see the
/// result.
#[test]
fn atomics_of_helpers_give_zeros() {
    let shader = pixel(
        "dcl_uav_raw u1\ndcl_output o0.xyzw\ndcl_temps 1\nimm_atomic_iadd r0.x, u1, l(4), l(3)\nimm_atomic_exch r0.y, u1, l(8), l(9)\n\
         iadd r0.xy, r0.xyxx, l(5,5,0,0)\nutof r0.xy, r0.xyxx\nderiv_rtx_fine o0.x, r0.x\nderiv_rty_fine o0.y, r0.x\n\
         deriv_rtx_fine o0.z, r0.y\nmov o0.w, r0.x",
    );
    let (vertex, vertices) = (shaders::vertex(), single_pixels());
    for (n, [x, y]) in [[0, 0], [2, 2], [5, 7]].into_iter().enumerate() {
        let (words, texels) = on_both(|device, engine| {
            let buffer = device.buffer_from(&[0_u32, 40, 60, 0]).unwrap();
            let mut bindings = Bindings::new();
            bindings.set(Register::u(1), View::raw(buffer.clone()).unwrap());
            let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
            let one = &vertices[3 * n..][..3];
            canvas.draw(Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, one) });
            (buffer.to_vec::<u32>().unwrap(), canvas.texels(0))
        });
        assert_eq!(words, [0, 43, 9, 0]);
        // The pixel itself gets 40 and 60; a difference is that of the right or lower pixel less the left or upper one.
        let sign = if x % 2 == 0 { -1.0 } else { 1.0 };
        let expected = [sign * 40.0, sign * 40.0, sign * 60.0, 45.0];
        assert_eq!(texels[y * SIZE as usize + x].map(f32::from_bits), expected, "({x}, {y})");
    }
}

/// A helper stores nothing, whatever the address.
#[test]
fn stores_of_helpers_are_dropped() {
    let shader = pixel(
        "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_uav_raw u1\ndcl_output o0.xyzw\ndcl_temps 1\n\
         ftou r0.xy, v0.xyxx\nimad r0.x, r0.y, l(16), r0.x\nishl r0.x, r0.x, l(2)\nstore_raw u1.x, r0.x, l(1)\n\
         mov o0.xyzw, l(1.0,1.0,1.0,1.0)",
    );
    let (vertex, vertices) = (shaders::vertex(), single_pixels());
    let words = on_both(|device, engine| {
        let buffer = device.buffer_from(&[0_u32; (SIZE * SIZE) as usize]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set(Register::u(1), View::raw(buffer.clone()).unwrap());
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
        canvas.draw(Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, &vertices) });
        buffer.to_vec::<u32>().unwrap()
    });
    let written: Vec<_> = (0..SIZE)
        .zip(words.chunks(SIZE as usize))
        .flat_map(|(y, row)| (0..SIZE).zip(row).filter(|(_, word)| **word != 0).map(move |(x, _)| [x, y]))
        .collect();
    assert_eq!(written, [[0, 0], [2, 2], [5, 7]]);
}

/// But it samples, with derivatives of its own and without.
#[test]
fn helpers_sample() {
    let code = |sample: &str| {
        pixel(&format!(
            "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_sampler s0, mode_default\n\
             dcl_resource_texture2d (float,float,float,float) t0\ndcl_output o0.xyzw\ndcl_temps 1\n\
             mul r0.xy, v0.xyxx, l(0.0625,0.0625,0,0)\n{sample}\n\
             deriv_rtx_fine o0.x, r0.x\nderiv_rty_fine o0.y, r0.y\nmov o0.zw, l(0,0,1.0,1.0)"
        ))
    };
    let at_level = "sample_l_indexable(texture2d)(float,float,float,float) r0.xy, r0.xyxx, t0.xyzw, s0, l(0)";
    let alone = "sample_indexable(texture2d)(float,float,float,float) r0.xy, r0.xyxx, t0.xyzw, s0";
    let (vertex, vertices) = (shaders::vertex(), single_pixels());
    // The squares of column and row, which linear filters find at centers of texels.
    let texels: Vec<[f32; 2]> =
        (0..SIZE * SIZE).map(|n| [n % SIZE, n / SIZE].map(|place| (place * place) as f32)).collect();
    for sample in [at_level, alone] {
        let shader = code(sample);
        let found = on_both(|device, engine| {
            let texture = TextureShape::texture_2d(Format::R32G32_FLOAT, SIZE, SIZE);
            let mut bindings = Bindings::new();
            bindings.set(Register::t(0), View::texture(device.texture_from(texture, &texels).unwrap()));
            bindings.set(Register::s(0), View::sampler(Sampler::default()).unwrap());
            let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
            canvas.draw(Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, &vertices) });
            canvas.texels(0)
        });
        // (x + 1)^2 - x^2 from the even one of a pair on.
        for ([x, y], expected) in [([0, 0], [1.0, 1.0]), ([2, 2], [5.0, 5.0]), ([5, 7], [9.0, 13.0])] {
            let [dx, dy, ..] = found[y * SIZE as usize + x].map(f32::from_bits);
            assert_eq!([dx, dy], expected, "{sample}");
        }
    }
}

/// A discarded pixel leaves no depth, nor does it hide later pixels.
#[test]
fn discarded_pixels_leave_no_depth() {
    let odd = pixel(
        "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_output o0.xyzw\ndcl_temps 1\n\
         ftou r0.x, v0.x\nand r0.x, r0.x, l(1)\ndiscard_z r0.x\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)",
    );
    let (vertex, all) = (shaders::vertex(), shaders::attribute("constant"));
    let (front, behind) = (everywhere(0.25, [0.0; 4]), everywhere(0.5, [2.0; 4]));
    let (colors, depths, passed) = on_both(|device, engine| {
        let far = 1f32.to_bits();
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], far);
        let passed = canvas.pass(&[Item::new(&vertex, &odd, &front), Item::new(&vertex, &all, &behind)]);
        (canvas.texels(0), canvas.depths(), passed)
    });
    assert_eq!(passed, [ALL / 2; 2]);
    for (n, (color, depth)) in (0..SIZE).cycle().zip(colors.iter().zip(depths)) {
        let expected = if n % 2 == 1 { (1.0, 0.25) } else { (2.0, 0.5) };
        assert_eq!((f32::from_bits(color[0]), f32::from_bits(depth)), expected);
    }
}

/// A discarded pixel continues as a helper for the derivatives of its quad.
#[test]
fn discarded_pixels_have_derivatives() {
    let shader = pixel(
        "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_output o0.xyzw\ndcl_temps 2\n\
         ftou r0.x, v0.x\nand r0.x, r0.x, l(1)\ndiscard_z r0.x\nmul r1.x, v0.x, v0.x\n\
         deriv_rtx_fine o0.x, r1.x\nmov o0.yzw, l(0,0,0,1.0)",
    );
    let (texels, passed) = picture(&shader, &everywhere(0.5, [1.0; 4]), |_| {}, |_, _| {});
    assert_eq!(passed, ALL / 2);
    // (x + 1.5)^2 - (x + 0.5)^2 of the pair's even column, which is gone.
    for (n, texel) in (0..SIZE).cycle().zip(texels) {
        let expected = if n % 2 == 1 { 2.0 * n as f32 } else { 0.0 };
        assert_eq!(f32::from_bits(texel[0]), expected);
    }
}

/// A shader that changes memory runs for all covered pixels, also for those that are hidden.
#[test]
fn hidden_pixels_have_effects() {
    let shader =
        pixel("dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let (counters, colors, depths, passed) = counted(&shader, &everywhere(0.75, [1.0; 4]), |_| {});
    assert_eq!((counters, passed), ([ALL as u32, 0, 0, 0], 0));
    assert!(colors.iter().all(|color| *color == [0; 4]) && depths.iter().all(|&code| code == 0.5f32.to_bits()));
}

const EARLY: &str = "dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil";

/// With early tests forced it runs for those that passed.
#[test]
fn forced_early_tests_hide_effects() {
    let code = "dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)";
    let shader = pixel_with(EARLY, code);
    let (counters, _, _, passed) = counted(&shader, &everywhere(0.75, [1.0; 4]), |_| {});
    assert_eq!((counters, passed), ([0; 4], 0));
}

/// Forced early tests write depths and count pixels whatever the shader does later, and ignore its depth output.
#[test]
fn forced_early_tests_come_before_the_shader() {
    let shader = pixel_with(EARLY, DISCARDS);
    let (counters, _, depths, passed) = counted(&shader, &everywhere(0.25, [1.0; 4]), |_| {});
    assert_eq!((counters, passed), ([ALL as u32, ALL as u32 / 2, 0, 0], ALL));
    assert!(depths.iter().all(|&code| code == 0.25f32.to_bits()));
    let code = "dcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov oDepth, l(0.75)";
    let (_, colors, depths, passed) = counted(&pixel_with(EARLY, code), &everywhere(0.25, [1.0; 4]), |_| {});
    assert_eq!(passed, ALL);
    assert!(colors.iter().all(|color| color[0] != 0) && depths.iter().all(|&code| code == 0.25f32.to_bits()));
}

/// A shader of the input coverage, and of its differences within a quad.
fn coverage() -> Vec<u8> {
    pixel(
        "dcl_input vCoverage.x\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, vCoverage.x\nmov o0.x, r0.x\n\
         deriv_rtx_fine o0.y, r0.x\nderiv_rty_fine o0.z, r0.x\nmov o0.w, l(1.0)",
    )
}

/// The input coverage is that of the one sample: 0 in helpers.
#[test]
fn helpers_have_no_coverage() {
    let (texels, _) = picture(&coverage(), &single_pixels(), |_| {}, |_, _| {});
    // A difference is that of the right or lower pixel less the left or upper one.
    for ([x, y], expected) in [([0, 0], [1.0, -1.0, -1.0]), ([2, 2], [1.0, -1.0, -1.0]), ([5, 7], [1.0, 1.0, 1.0])] {
        let [own, dx, dy, _] = texels[y * SIZE as usize + x].map(f32::from_bits);
        assert_eq!([own, dx, dy], expected);
    }
}

/// It has nothing to do with the depth test: a covered pixel that is hidden has it, for its neighbours to see (16.3.2).
#[test]
fn hidden_pixels_have_coverage() {
    let vertex = shaders::vertex();
    let black = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)");
    // In front of the left column.
    let front = triangle([[-1.0, -40.0], [1.0, 8.0], [-1.0, 56.0]], 0.25, [1.0; 4]);
    let texels = on_both(|device, engine| {
        let far = 1f32.to_bits();
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], far);
        let behind = everywhere(0.5, [1.0; 4]);
        canvas.pass(&[Item::new(&vertex, &black, &front), Item::new(&vertex, &coverage(), &behind)]);
        canvas.texels(0)
    });
    for row in texels.chunks(SIZE as usize) {
        let found = [0, 1].map(|n| row[n].map(f32::from_bits));
        assert_eq!(found, [[0.0; 4], [1.0, 0.0, 0.0, 1.0]]);
    }
}

/// The output mask's first bit is that of the one sample.
#[test]
fn masks_take_pixels_out() {
    let shader = pixel(
        "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndcl_output oMask\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov oMask, v1.x",
    );
    for (mask, expected) in [(0, 0), (1, ALL), (2, 0), (3, ALL), (0xffff_fffe, 0), (u32::MAX, ALL)] {
        let vertices = everywhere(0.5, [0.0; 4]).map(|[position, ..]| [position, [mask; 4], [0; 4], [0; 4]]);
        let (texels, passed) = picture(&shader, &vertices, |_| {}, |_, _| {});
        assert_eq!((passed, texels[0][0] != 0), (expected, expected == ALL), "{mask:#x}");
    }
}

/// A pixel that writes to no target still has effects and is counted.
#[test]
fn pixels_without_targets_have_effects() {
    let shader =
        pixel("dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let nothing = |desc: &mut PipelineDesc| {
        desc.depth.enable = false;
        desc.targets = vec![TargetState { write_mask: 0, ..TargetState::new(COLOR[0]) }];
    };
    let (counters, colors, _, passed) = counted(&shader, &everywhere(0.75, [1.0; 4]), nothing);
    assert_eq!((counters, passed), ([ALL as u32, 0, 0, 0], ALL));
    assert!(colors.iter().all(|color| *color == [0; 4]));
    // A shader without outputs is not a missing shader.
    let vertex = shaders::vertex();
    let (empty, vertices) = (pixel(""), everywhere(0.75, [1.0; 4]));
    let passed = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], COLOR);
        canvas.draw(Item::new(&vertex, &empty, &vertices).set(&|desc| desc.depth.enable = false))
    });
    assert_eq!(passed, ALL);
}

/// Overlapping triangles draw in their order, in every pixel.
#[test]
fn triangles_draw_in_their_order() {
    let mut random = brolga_testing::random::Random(3);
    let mut number = || random.below(20 * 256) as f32 / 256.0 - 2.0;
    // The last one over each pixel shows.
    let triangles: Vec<[Vertex; 3]> = (0..20)
        .map(|n| {
            let place = [0; 3].map(|_| [number(), number()]);
            place.map(|place| vertex(position(place, 0.5, 1.0), [n as f32; 4]))
        })
        .collect();
    let shader = shaders::attribute("constant");
    let (together, passed) = picture(&shader, triangles.as_flattened(), |_| {}, |_, _| {});
    let mut expected = vec![[0; 4]; ALL as usize];
    let mut sum = 0;
    for triangle in &triangles {
        let (alone, passed) = picture(&shader, triangle, |_| {}, |_, _| {});
        sum += passed;
        for (texel, own) in expected.iter_mut().zip(alone) {
            if own != [0; 4] {
                *texel = own;
            }
        }
    }
    assert!(together == expected && passed == sum);
}

/// A draw reads everything that the draws before it wrote, and nothing of those after it: depths, and memory.
#[test]
fn draws_see_what_was_written_before_them() {
    const ACROSS: u32 = 128;
    let vertex = shaders::vertex();
    let counts = pixel("dcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\nmov o0.xyzw, l(0,0,0,0)");
    // The depth in the last tile, and how many pixels have been counted.
    let looks = pixel(
        "dcl_resource_texture2d (float,float,float,float) t3\ndcl_resource_raw t4\ndcl_output o0.xyzw\ndcl_temps 1\n\
         ld_indexable(texture2d)(float,float,float,float) r0.x, l(127,127,0,0), t3.xyzw\nmov o0.x, r0.x\n\
         ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.y, l(0), t4.xxxx\nutof o0.y, r0.y\nmov o0.zw, l(0,0,0,0)",
    );
    let black = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,0)");
    let texels = on_both(|device, engine| {
        let far = 1f32.to_bits();
        let canvas = Canvas::new(device, engine, [ACROSS; 2], COLOR).with_depth(Format::D32_FLOAT, [ACROSS; 2], far);
        let counter = device.buffer(16).unwrap();
        let depth = View::texture(canvas.depth_buffer().clone()).with_format(Format::R32_FLOAT).unwrap();
        let mut written = Bindings::new();
        written.set(Register::u(1), View::raw(counter.clone()).unwrap());
        let mut read = Bindings::new();
        read.set(Register::t(3), depth);
        read.set(Register::t(4), View::raw(counter).unwrap());

        let always = |desc: &mut PipelineDesc| desc.depth.function = Comparison::Always;
        let keeps_depth =
            |desc: &mut PipelineDesc| (desc.depth.function, desc.depth.write) = (Comparison::Always, false);
        let keeps_color = |desc: &mut PipelineDesc| {
            desc.depth.function = Comparison::Always;
            desc.targets[0].write_mask = 0;
        };
        let [near, later] = [0.25, 0.75].map(|z| everywhere(z, [1.0; 4]));
        let first = Item { bindings: Some(&written), ..Item::new(&vertex, &counts, &near).set(&always) };
        let second = Item { bindings: Some(&read), ..Item::new(&vertex, &looks, &near).set(&keeps_depth) };
        let third = Item::new(&vertex, &black, &later).set(&keeps_color);
        let fourth = Item { bindings: Some(&written), ..Item::new(&vertex, &counts, &later).set(&keeps_color) };
        canvas.pass(&[first, second, third, fourth]);
        canvas.texels(0)
    });
    let expected = [0.25, (ACROSS * ACROSS) as f32, 0.0, 0.0].map(f32::to_bits);
    assert!(texels.iter().all(|texel| *texel == expected), "{:?}", texels[0].map(f32::from_bits));
}
