//! What a draw did to one pixel: each primitive that covers it, in order, and what became of it. The draw itself is the same.

use brolga::raster::{Draw, Fate, Fragment, Pass, PipelineDesc, PixelHistory, StencilFace, StencilOp, StencilTest};
use brolga::{Bindings, Comparison, Device, Engine, Format, View};

use crate::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, triangle};
use crate::shaders::{self, pixel};

const COLOR: &[Format] = &[Format::R32G32B32A32_FLOAT];
const WATCHED: [u32; 2] = [3, 5];

/// Draws an item with and without watching a pixel, which leaves the same bits; gives the history.
fn history(canvas: impl Fn(&Device, Engine) -> Canvas<'_>, item: impl Fn() -> Item<'static>) -> PixelHistory {
    on_both(|device, engine| {
        let draw = |watched: bool| {
            let (canvas, item) = (canvas(device, engine), item());
            let (pipeline, counter) = (canvas.pipeline(&item), device.buffer_from(&[0_u32; 4]).unwrap());
            let mut bindings = Bindings::new();
            bindings.set("u1".parse().unwrap(), View::raw(counter.clone()).unwrap());
            let mut pass = Pass::new(device, canvas.targets.clone()).unwrap();
            if watched {
                pass.watch(WATCHED).unwrap();
            }
            let vertices = device.buffer_from(item.vertices).unwrap();
            let count = item.vertices.len() as u32;
            let mut draw = Draw::new(&pipeline, count).vertex_buffer(vertices, size_of::<Vertex>() as u32);
            if item.bindings.is_some() {
                draw.pixel_bindings = Some(&bindings);
            }
            (item.with)(device, &mut draw);
            pass.draw(&draw).unwrap();
            let histories = pass.histories().to_vec();
            let statistics = pass.finish().unwrap();
            let depths = canvas.targets.depth.as_ref().map(|_| canvas.depths());
            ((canvas.texels(0), depths, statistics, counter.to_vec::<u32>().unwrap()), histories)
        };
        let (plain, none) = draw(false);
        let (same, mut histories) = draw(true);
        assert!(plain == same && none.is_empty(), "watching changes the picture");
        histories.remove(0)
    })
}

/// The first component of a texel of four floats.
fn red(code: u128) -> f32 {
    f32::from_bits(code as u32)
}

/// What can be told in short: primitive, depth, stored depth, fate, colours before and after.
fn told(fragment: &Fragment) -> (u32, f32, Option<f32>, Fate, Vec<[f32; 2]>) {
    let Fragment { primitive, depth, stored_depth, fate, colors, .. } = fragment;
    (*primitive, *depth, *stored_depth, *fate, colors.iter().map(|pair| pair.map(red)).collect())
}

/// Primitives over everything but the third, which is elsewhere. The fourth has a negative attribute.
fn vertices() -> Vec<Vertex> {
    let elsewhere = triangle([[8.0, 8.0], [12.0, 8.0], [8.0, 12.0]], 0.125, [9.0; 4]);
    [
        everywhere(0.25, [1.0; 4]),
        everywhere(0.375, [2.0; 4]),
        elsewhere,
        everywhere(0.125, [-3.0; 4]),
        everywhere(0.125, [4.0; 4]),
    ]
    .concat()
}

fn with_depth(device: &Device, engine: Engine) -> Canvas<'_> {
    Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D32_FLOAT, [SIZE; 2], 0.5f32.to_bits())
}

fn without_depth(device: &Device, engine: Engine) -> Canvas<'_> {
    Canvas::new(device, engine, [SIZE; 2], COLOR)
}

/// Depths of half the greatest code, stencils of 7.
fn with_stencil(device: &Device, engine: Engine) -> Canvas<'_> {
    let texel = 7 << 24 | 0x80_0000;
    Canvas::new(device, engine, [SIZE; 2], COLOR).with_depth(Format::D24_UNORM_S8_UINT, [SIZE; 2], texel)
}

/// An item that lives as long as the test program.
fn item(code: &str, vertices: Vec<Vertex>) -> impl Fn() -> Item<'static> {
    let [vertex, pixel]: [&'static [u8]; 2] = [shaders::vertex(), pixel(code)].map(|bytes| &*bytes.leak());
    let vertices: &'static [Vertex] = vertices.leak();
    move || Item::new(vertex, pixel, vertices)
}

#[test]
fn primitives_are_told_in_their_order() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let found = history(with_depth, item(plain, vertices()));
    let expected = [
        (0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]]),
        (1, 0.375, Some(0.25), Fate::FailedDepth, vec![[1.0, 1.0]]),
        (3, 0.125, Some(0.25), Fate::Passed, vec![[1.0, -3.0]]),
        (4, 0.125, Some(0.125), Fate::FailedDepth, vec![[-3.0, -3.0]]),
    ];
    assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!((found.more, found.fragments[0].stored_stencil), (0, None));

    // Of a shader that discards depths are tested after it.
    let discards = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nlt r0.x, v1.x, l(0.0)\ndiscard_nz r0.x\n\
                    mov o0.xyzw, v1.xyzw";
    let found = history(with_depth, item(discards, vertices()));
    let expected = [
        (0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]]),
        (1, 0.375, Some(0.25), Fate::FailedDepth, vec![[1.0, 1.0]]),
        (3, 0.125, Some(0.25), Fate::Discarded, vec![[1.0, 1.0]]),
        (4, 0.125, Some(0.25), Fate::Passed, vec![[1.0, 4.0]]),
    ];
    assert_eq!(found.fragments.iter().map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn shaders_with_depths_of_their_own_keep_the_reason() {
    let deep =
        "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, v1.xyzw\nmov oDepth, l(0.75)";
    let found = history(with_depth, item(deep, everywhere(0.25, [1.0; 4]).to_vec()));
    assert_eq!(found.fragments.iter().map(|fragment| fragment.fate).collect::<Vec<_>>(), [Fate::DiscardedOrFailed]);
}

#[test]
fn without_a_depth_buffer_all_pass_and_instances_have_numbers() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let of_one = item(plain, [everywhere(0.25, [1.0; 4]), everywhere(0.5, [2.0; 4])].concat());
    let found = history(without_depth, move || of_one().with(&|_, draw| draw.instances = 2));
    let numbers: Vec<_> = found.fragments.iter().map(|fragment| (fragment.instance, fragment.primitive)).collect();
    assert_eq!(numbers, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert!(found.fragments.iter().all(|fragment| fragment.fate == Fate::Passed && fragment.stored_depth.is_none()));
    assert_eq!(found.fragments[3].depth, 0.5);
}

#[test]
fn stencils_decide_first() {
    let plain = "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";
    let two = item(plain, [everywhere(0.75, [1.0; 4]), everywhere(0.25, [2.0; 4])].concat());
    let set = |reference: u8| {
        let two = &two;
        let set: &'static dyn Fn(&mut PipelineDesc<'_>) = &|desc| {
            let face = StencilFace {
                test: Comparison::Equal,
                fail: StencilOp::Keep,
                depth_fail: StencilOp::Zero,
                pass: StencilOp::Keep,
            };
            desc.stencil = Some(StencilTest { read_mask: 0xff, write_mask: 0xff, front: face, back: face });
        };
        let with: &'static dyn Fn(&Device, &mut Draw<'_>) = match reference {
            7 => &|_, draw| draw.stencil_reference = 7,
            _ => &|_, draw| draw.stencil_reference = 8,
        };
        history(with_stencil, move || two().set(set).with(with))
    };
    let fates = |history: &PixelHistory| history.fragments.iter().map(|one| (one.fate, one.stored_stencil)).collect();
    let found: Vec<_> = fates(&set(8));
    assert_eq!(found, [(Fate::FailedStencil, Some(7)); 2]);
    // The first one fails the depth test and so clears the stencil.
    let found: Vec<_> = fates(&set(7));
    assert_eq!(found, [(Fate::FailedDepth, Some(7)), (Fate::FailedStencil, Some(0))]);
}

#[test]
fn what_shaders_write_to_memory_is_written_once() {
    let counts = "dcl_input_ps linear v1.xyzw\ndcl_uav_raw u1\ndcl_output o0.xyzw\natomic_iadd u1, l(0), l(1)\n\
                  mov o0.xyzw, v1.xyzw";
    static NONE: std::sync::LazyLock<Bindings> = std::sync::LazyLock::new(Bindings::new);
    let counted = item(counts, everywhere(0.25, [1.0; 4]).to_vec());
    let found = history(with_depth, move || Item { bindings: Some(&NONE), ..counted() });
    assert_eq!(
        found.fragments.iter().map(told).collect::<Vec<_>>(),
        [(0, 0.25, Some(0.5), Fate::Passed, vec![[0.0, 1.0]])]
    );
}

#[test]
fn a_pixel_outside_of_the_targets_is_refused() {
    let device = Device::builder().threads(1).build().unwrap();
    let canvas = Canvas::new(&device, Engine::best(), [SIZE; 2], COLOR);
    let mut pass = Pass::new(&device, canvas.targets).unwrap();
    let said = pass.watch([SIZE, 0]).unwrap_err().to_string();
    assert_eq!(said, "there is no pixel (16, 0): the targets have 16 x 16");
}
