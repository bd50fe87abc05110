//! Tests targets that are a level or some layers of a texture, layers that primitives choose, and depth buffers that
//! are read meanwhile: functional specification, 5.3, 15.15 and 17.13.

use brolga::raster::{
    Bounds, DepthView, Draw, PipelineDesc, StencilFace, StencilOp, StencilTest, Targets, Topology, Viewport,
};
use brolga::{
    Bindings, Comparison, Device, Dimension, Engine, Format, Register, TexelBox, Texture, TextureShape, View,
};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, position, rectangle, triangle};
use super::shaders::{self, INPUTS, OUTPUTS, pixel};

const WHITE: &str = "dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)";

/// The texels of a level of a layer, as bytes.
fn level(texture: &Texture, mip: u32, layer: u32) -> Vec<u8> {
    let part = texture.level(mip, layer).unwrap();
    let [width, height, depth] = part.extents;
    let mut bytes = vec![0; (width * height * depth * texture.shape().format.size_bytes()) as usize];
    texture.read(&part, &mut bytes, None).unwrap();
    bytes
}

/// A view of one level and one layer.
fn part(texture: &Texture, mip: u32, layer: u32) -> View {
    let view = View::texture(texture.clone()).with_dimension(Dimension::Texture2d).unwrap();
    view.with_layers(layer, 1).unwrap().with_mips(mip, 1).unwrap()
}

/// A draw into one level of one layer changes nothing else, in formats of whole words and of less, with its depth
/// whether it is tested before the shader or after it.
#[test]
fn a_level_of_a_layer_is_a_target() {
    let late = "dcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov oDepth, l(0.5)";
    let (vertex, vertices) = (shaders::vertex(), everywhere(0.5, [0.0; 4]));
    let formats = [(Format::R8G8B8A8_UNORM, Format::D32_FLOAT), (Format::R8_UNORM, Format::D16_UNORM)];
    for ((color, depth), pixel) in
        formats.into_iter().flat_map(|formats| [(formats, pixel(WHITE)), (formats, pixel(late))])
    {
        for (mip, layer) in (0..2).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
            let [colors, depths] = on_both(|device, engine| {
                // More than a tile in the first level.
                let textures = [color, depth].map(|format| {
                    let shape = TextureShape::texture_2d(format, 70, 38).mips(2).array(3);
                    device.texture(shape).unwrap()
                });
                let [colors, depths] = &textures;
                let targets = Targets {
                    colors: vec![part(colors, mip, layer)],
                    depth: Some(DepthView::new(part(depths, mip, layer))),
                };
                let set = |desc: &mut PipelineDesc| desc.depth.function = Comparison::GreaterEqual;
                let canvas = Canvas::of(device, engine, targets);
                let passed = canvas.draw(Item::new(&vertex, &pixel, &vertices).set(&set));
                assert_eq!(passed, [70 * 38, 35 * 19][mip as usize]);
                textures.map(|texture| {
                    let levels = (0..2).flat_map(|mip| (0..3).map(move |layer| (mip, layer)));
                    levels.map(|(mip, layer)| level(&texture, mip, layer)).collect::<Vec<_>>()
                })
            });
            for (n, (colors, depths)) in colors.iter().zip(depths).enumerate() {
                let is_target = n as u32 == 3 * mip + layer;
                assert!(
                    colors.iter().all(|&byte| byte == if is_target { 255 } else { 0 }),
                    "{color}, {mip}, {layer}: {n}"
                );
                assert_eq!(depths.iter().any(|&byte| byte != 0), is_target, "{depth}, {mip}, {layer}: {n}");
            }
        }
    }
}

/// Faces of cubes and slices are layers; 1D textures have one row.
#[test]
fn faces_and_slices_are_layers() {
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(WHITE), everywhere(0.5, [0.0; 4]));
    let new = |dimension| TextureShape::new(dimension, Format::R8G8B8A8_UNORM, 8);
    let cases = [
        (new(Dimension::TextureCube).height(8).mips(2), 8 * 8, 4 * 4),
        (new(Dimension::Texture3d).height(4).depth(6).mips(2), 8 * 4, 4 * 2),
        (new(Dimension::Texture1dArray).layers(6).mips(2), 8, 4),
    ];
    for (shape, first, second) in cases {
        let found = on_both(|device, engine| {
            let texture = device.texture(shape).unwrap();
            let view = View::texture(texture.clone());
            let view =
                if shape.dimension.is_cube() { view.with_dimension(Dimension::Texture2dArray).unwrap() } else { view };
            // The second level of the third face, slice or row, then all of the first level, whose first layer is drawn
            // to.
            let third = view.clone().with_mips(1, 1).unwrap().with_layers(2, 1).unwrap();
            for view in [third, view] {
                let targets = Targets { colors: vec![view], depth: None };
                Canvas::of(device, engine, targets).draw(Item::new(&vertex, &shader, &vertices));
            }
            texture.buffer().to_vec::<u32>().unwrap()
        });
        let texels = |mip: u32, layer: u32| {
            let texture = Device::builder().build().unwrap().texture_from(shape, &found).unwrap();
            let has_slices = shape.dimension == Dimension::Texture3d;
            let mut part = texture.level(mip, if has_slices { 0 } else { layer }).unwrap();
            if has_slices {
                (part.origin[2], part.extents[2]) = (layer, 1);
            }
            let mut texels = vec![0_u32; part.extents.iter().product::<u32>() as usize];
            texture.read(&part, &mut texels, None).unwrap();
            texels
        };
        assert_eq!((texels(0, 0), texels(1, 2)), (vec![u32::MAX; first], vec![u32::MAX; second]), "{shape:?}");
        assert_eq!(found.iter().filter(|texel| **texel != 0).count(), first + second, "{shape:?}");
    }
}

/// A selection by a vertex shader's output: the name of its semantic, in signatures, and in declarations.
type Choice = [&'static str; 3];
const LAYER: Choice = ["SV_RenderTargetArrayIndex", "RTINDEX", "rendertarget_array_index"];
const VIEWPORT: Choice = ["SV_ViewportArrayIndex", "VPINDEX", "viewport_array_index"];

/// A vertex shader that hands on attributes, and the first word of the first one as the number.
fn choosing([semantic, short, name]: Choice) -> Vec<u8> {
    let row = format!("{semantic} 0 x 4 {short} uint");
    let outputs: Vec<&str> = OUTPUTS.into_iter().chain([row.as_str()]).collect();
    let declarations =
        format!("dcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw\ndcl_output_siv o4.x, {name}");
    shaders::vertex_with(&INPUTS, &outputs, &declarations, "mov o4.x, v1.x")
}

/// A pixel shader that writes its number, in all components, after some code.
fn sees_choice([semantic, short, name]: Choice, code: &str) -> Vec<u8> {
    let row = format!("{semantic} 0 x 4 {short} uint");
    let inputs: Vec<&str> = OUTPUTS.into_iter().chain([row.as_str()]).collect();
    let code = format!(
        "dcl_globalFlags refactoringAllowed\ndcl_input_ps_siv constant v4.x, {name}\n\
         dcl_input_ps linear v2.xyzw\ndcl_output o0.xyzw\ndcl_temps 1\n{code}\nmov o0.xyzw, v4.xxxx"
    );
    shaders::shader("ps_5_0", &inputs, &[], &code)
}

/// Vertices with layers, or viewports.
fn in_layers<const N: usize>(places: [[f32; 2]; N], z: f32, layers: [u32; N]) -> [Vertex; N] {
    std::array::from_fn(|n| [position(places[n], z, 1.0).map(f32::to_bits), [layers[n]; 4], [0; 4], [0; 4]])
}

const LAYERS: u32 = 3;

/// The layers of a target of one word a texel, filled with 77 before.
fn drawn_layers(vertices: &[Vertex], topology: Topology, code: &str) -> Vec<Vec<u32>> {
    let (vertex, pixel) = (choosing(LAYER), sees_choice(LAYER, code));
    on_both(|device, engine| {
        let shape = TextureShape::texture_2d(Format::R32_UINT, SIZE, SIZE).array(LAYERS);
        let texels = vec![77_u32; (SIZE * SIZE * LAYERS) as usize];
        let texture = device.texture_from(shape, &texels).unwrap();
        let targets = Targets { colors: vec![View::texture(texture.clone())], depth: None };
        let set = |desc: &mut PipelineDesc| desc.topology = topology;
        Canvas::of(device, engine, targets).draw(Item::new(&vertex, &pixel, vertices).set(&set));
        texture.buffer().to_vec::<u32>().unwrap().chunks((SIZE * SIZE) as usize).map(<[u32]>::to_vec).collect()
    })
}

/// The distinct words in the part of a layer that was drawn to.
fn drawn_words(layer: &[u32]) -> Vec<u32> {
    let mut words: Vec<u32> = layer.iter().copied().filter(|&word| word != 77).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The leading vertex selects the layer of a primitive; one that does not exist is the first. Shaders see the number as
/// it was. That holds for small and large triangles, for those that are clipped, for lines and for points.
#[test]
fn the_leading_vertex_chooses_the_layer() {
    const OUT: [u32; 2] = [LAYERS, u32::MAX];
    let large = [[-32.0, -32.0], [64.0, -32.0], [0.0, 64.0]];
    let small = [[2.0, 2.0], [9.0, 2.0], [2.0, 9.0]];
    for places in [large, small] {
        for (first, place) in [(0, 0), (1, 1), (2, 2), (OUT[0], 0), (OUT[1], 0)] {
            for topology in [Topology::TriangleList, Topology::LineStrip, Topology::PointList] {
                // Other vertices name other layers.
                let vertices = match topology {
                    Topology::TriangleList => in_layers(places, 0.5, [first, 1, 2]).to_vec(),
                    Topology::LineStrip => in_layers([[1.0, 3.5], [12.0, 3.5]], 0.5, [first, 1]).to_vec(),
                    _ => in_layers([[3.5, 3.5]], 0.5, [first]).to_vec(),
                };
                let layers = drawn_layers(&vertices, topology, "");
                for (n, layer) in (0..).zip(&layers) {
                    let expected = if n == place { vec![first] } else { vec![] };
                    assert_eq!(drawn_words(layer), expected, "{topology:?}, {first}, layer {n}");
                }
            }
        }
    }
}

/// Clipping at the near plane keeps the number, which is not a float; each triangle of a strip has its leading vertex.
#[test]
fn cuts_and_strips_keep_their_layers() {
    let mut cut = in_layers([[0.0, 0.0], [16.0, 0.0], [0.0, 16.0]], 0.5, [2, 0x7fc0_0001, 1]);
    cut[0][0] = position([0.0, 0.0], -0.5, 1.0).map(f32::to_bits);
    let layers = drawn_layers(&cut, Topology::TriangleList, "");
    assert_eq!([0, 1, 2].map(|n: usize| drawn_words(&layers[n])), [vec![], vec![], vec![2]]);
    let strip = in_layers([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0]], 0.5, [1, 2, 0, 0]);
    let layers = drawn_layers(&strip, Topology::TriangleStrip, "");
    assert_eq!([0, 1, 2].map(|n: usize| drawn_words(&layers[n])), [vec![], vec![1], vec![2]]);
    // Both halves of a square.
    let count = |layer: &[u32]| layer.iter().filter(|&&word| word != 77).count();
    assert_eq!(count(&layers[1]) + count(&layers[2]), 64);
}

/// Every layer has its own depths, tested before the shader or, where it discards, after it.
#[test]
fn layers_have_their_own_depths() {
    let discards = "lt r0.x, v2.x, l(0)\ndiscard_nz r0.x";
    let square = [[-32.0, -32.0], [64.0, -32.0], [0.0, 64.0]];
    // Near in the first layer, then far in all: it passes where nothing was.
    let near = in_layers(square, 0.25, [0; 3]);
    let far: Vec<Vertex> = (0..LAYERS).flat_map(|layer| in_layers(square, 0.5, [layer; 3])).collect();
    for code in ["", discards] {
        let (vertex, pixel) = (choosing(LAYER), sees_choice(LAYER, code));
        let (passed, depths) = on_both(|device, engine| {
            let shape = |format| TextureShape::texture_2d(format, SIZE, SIZE).mips(2).array(LAYERS + 1);
            let (color, depth) = (device.texture(shape(Format::R32_UINT)), device.texture(shape(Format::D32_FLOAT)));
            let (color, depth) = (color.unwrap(), depth.unwrap());
            // All but the first layer, which is not touched.
            let view = |texture: &Texture| View::texture(texture.clone()).with_layers(1, LAYERS).unwrap();
            view(&depth).clear(brolga::ClearValue::DepthStencil { depth: Some(1.0), stencil: None }).unwrap();
            let targets = Targets { colors: vec![view(&color)], depth: Some(DepthView::new(view(&depth))) };
            let canvas = Canvas::of(device, engine, targets);
            let passed = canvas.pass(&[Item::new(&vertex, &pixel, &near), Item::new(&vertex, &pixel, &far)]);
            let depths = (0..=LAYERS).map(|layer| level(&depth, 0, layer)).collect::<Vec<_>>();
            (passed, depths)
        });
        let all = u64::from(SIZE * SIZE);
        assert_eq!(passed, [all, all * u64::from(LAYERS - 1)], "{code}");
        for (depths, expected) in depths.iter().zip([0.0_f32, 0.25, 0.5, 0.5]) {
            assert!(
                depths.as_chunks().0.iter().all(|&bytes| f32::from_le_bytes(bytes) == expected),
                "{code}: {expected}"
            );
        }
    }
}

fn register(name: &str) -> Register {
    name.parse().unwrap()
}

/// Another level or layer of a texture that is drawn to may be read, byte for byte; the same one may not.
#[test]
fn another_part_of_a_target_may_be_read() {
    let code = "dcl_resource_texture2d (float,float,float,float) t0\n\
                dcl_input_ps_siv linear noperspective v0.xy, position\n\
                dcl_output o0.xyzw\ndcl_temps 1\nftou r0.xy, v0.xyxx\n\
                ishl r0.xy, r0.xyxx, l(1)\nmov r0.zw, l(0,0,0,0)\nld o0.xyzw, r0.xyzw, t0.xyzw";
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(code), everywhere(0.5, [0.0; 4]));
    let half = on_both(|device, engine| {
        let shape = TextureShape::texture_2d(Format::R32_FLOAT, 8, 4).mips(2).array(2);
        let texels: Vec<f32> = (0..80).map(|n| n as f32).collect();
        let texture = device.texture_from(shape, &texels).unwrap();
        let draw = |from: View, to: View| {
            let mut bindings = Bindings::new();
            bindings.set(register("t0"), from);
            let canvas = Canvas::of(device, engine, Targets { colors: vec![to], depth: None });
            let item = Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, &vertices) };
            let pipeline = canvas.pipeline(&item);
            canvas.try_pass(&[item], &[pipeline]).map(drop).map_err(|error| error.to_string())
        };
        // The first level of the second layer becomes the second one, and that of the first layer's.
        for layer in [1, 0] {
            draw(part(&texture, 0, 1), part(&texture, 1, layer)).unwrap();
        }
        for from in [part(&texture, 1, 0), View::texture(texture.clone()).with_dimension(Dimension::Texture2d).unwrap()]
        {
            let error = draw(from, part(&texture, 1, 0)).unwrap_err();
            assert_eq!(error, "the pixel shader reads t0, which is target 0 of the same draw: let it read a copy");
        }
        [0, 1].map(|layer| level(&texture, 1, layer))
    });
    // Layers are 40 texels apart.
    let expected: Vec<u8> =
        [40.0, 42.0, 44.0, 46.0, 56.0, 58.0, 60.0, 62.0_f32].into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(half, [expected.clone(), expected]);
}

/// Two layers of a texture are two targets; the same one cannot be.
#[test]
fn targets_may_be_parts_of_one_texture() {
    let code = "dcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, l(0,0,0,0)\nmov o1.xyzw, l(1.0,1.0,1.0,1.0)";
    let (vertex, shader, vertices) = (shaders::vertex(), pixel(code), everywhere(0.5, [0.0; 4]));
    let (drawn, refused) = on_both(|device, engine| {
        let shape = TextureShape::texture_2d(Format::R8_UNORM, SIZE, SIZE).mips(2).array(2);
        let texture = device.texture_from(shape, &vec![7_u8; shape.size_bytes().unwrap() as usize]).unwrap();
        let targets = |layers: [u32; 2]| Targets { colors: layers.map(|n| part(&texture, 0, n)).into(), depth: None };
        Canvas::of(device, engine, targets([1, 0])).draw(Item::new(&vertex, &shader, &vertices));
        let refused = brolga::raster::Pass::new(device, targets([1, 1])).unwrap_err().to_string();
        ([1, 0].map(|layer| level(&texture, 0, layer)), refused)
    });
    assert_eq!(drawn, [0, 255].map(|byte| vec![byte; (SIZE * SIZE) as usize]));
    assert_eq!(refused, "targets 0 and 1 share texels: let them be other levels or layers");
}

/// Depth and stencil that are increased wherever the tests pass.
fn writes_both(desc: &mut PipelineDesc) {
    let face = StencilFace {
        test: Comparison::Always,
        fail: StencilOp::Keep,
        depth_fail: StencilOp::Keep,
        pass: StencilOp::Increment,
    };
    desc.stencil = Some(StencilTest { read_mask: 0xff, write_mask: 0xff, front: face, back: face });
}

/// Read-only planes of a view are not written, whatever the state says, before the shader or after it; the tests still
/// count.
#[test]
fn read_only_depths_and_stencils_stay() {
    let late = "dcl_output o0.xyzw\ndcl_output oDepth\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nmov oDepth, l(0.25)";
    let vertex = shaders::vertex();
    let [near, far] = [0.25, 0.75].map(|z| everywhere(z, [0.0; 4]));
    for shader in [pixel(WHITE), pixel(late)] {
        for (format, depth) in
            [(Format::D24_UNORM_S8_UINT, 0x80_0000_u32), (Format::D32_FLOAT_S8X24_UINT, 0.5_f32.to_bits())]
        {
            for (keeps_depth, keeps_stencil) in [(false, false), (true, false), (false, true), (true, true)] {
                let (passed, words) = on_both(|device, engine| {
                    let texture = device.texture(TextureShape::texture_2d(format, SIZE, SIZE)).unwrap();
                    let value = brolga::ClearValue::DepthStencil { depth: Some(0.5), stencil: Some(7) };
                    texture.clear(value).unwrap();
                    let view = DepthView {
                        view: View::texture(texture.clone()),
                        has_read_only_depth: keeps_depth,
                        has_read_only_stencil: keeps_stencil,
                    };
                    let targets = Targets { colors: vec![], depth: Some(view) };
                    let canvas = Canvas::of(device, engine, targets);
                    let items = [&near, &far].map(|vertices| Item::new(&vertex, &shader, vertices).set(&writes_both));
                    (canvas.pass(&items), texture.buffer().to_vec::<u32>().unwrap())
                });
                let near_code = if format == Format::D24_UNORM_S8_UINT { 0x40_0000 } else { 0.25_f32.to_bits() };
                let expected_depth = if keeps_depth { depth } else { near_code };
                // Both draws have the depth 0.25 if the shader writes it.
                let again = shader == pixel(late) && keeps_depth;
                let all = u64::from(SIZE * SIZE);
                assert_eq!(passed, [all, if again { all } else { 0 }]);
                let expected_stencil = if keeps_stencil {
                    7
                } else if again {
                    9
                } else {
                    8
                };
                let expected = match format {
                    Format::D24_UNORM_S8_UINT => vec![expected_depth | expected_stencil << 24],
                    _ => vec![expected_depth, expected_stencil],
                };
                assert!(
                    words.chunks(expected.len()).all(|texel| texel == expected),
                    "{format} {keeps_depth} {keeps_stencil}"
                );
            }
        }
    }
}

/// Shaders may read depths that a view makes read-only, in the same pass as draws that test them.
#[test]
fn read_only_depths_may_be_read() {
    let read = "dcl_resource_texture2d (float,float,float,float) t0\n\
                dcl_input_ps_siv linear noperspective v0.xy, position\n\
                dcl_output o0.xyzw\ndcl_temps 1\nftou r0.xy, v0.xyxx\n\
                mov r0.zw, l(0,0,0,0)\nld o0.xyzw, r0.xyzw, t0.xyzw";
    let late = format!("{read}\nlt r0.x, v0.x, l(0)\ndiscard_nz r0.x");
    let (vertex, vertices) = (shaders::vertex(), everywhere(0.25, [0.0; 4]));
    for shader in [pixel(read), pixel(&late)] {
        let seen = |is_read_only: bool| {
            on_both(|device: &Device, engine: Engine| {
                let texture = device.texture(TextureShape::texture_2d(Format::D32_FLOAT, SIZE, SIZE)).unwrap();
                let first = TexelBox { origin: [0, 0, 0], extents: [SIZE, 8, 1], ..TexelBox::default() };
                let value = |depth| brolga::ClearValue::DepthStencil { depth: Some(depth), stencil: None };
                texture.clear(value(0.125)).unwrap();
                texture.clear_box(&first, value(0.5)).unwrap();
                let mut bindings = Bindings::new();
                bindings.set(register("t0"), View::texture(texture.clone()));
                let depth = DepthView::from(texture.clone());
                let depth = if is_read_only { depth.read_only() } else { depth };
                let mut canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32_FLOAT]);
                canvas.targets.depth = Some(depth);
                let items =
                    [(); 2].map(|()| Item { bindings: Some(&bindings), ..Item::new(&vertex, &shader, &vertices) });
                let pipelines = items.each_ref().map(|item| canvas.pipeline(item));
                let passed = canvas.try_pass(&items, &pipelines).map_err(|error| error.to_string())?;
                Ok((passed, canvas.bytes(0)))
            })
        };
        let half = u64::from(SIZE * 8);
        let expected: Vec<u8> =
            [0.5_f32, 0.0].into_iter().flat_map(|depth| depth.to_le_bytes().repeat(SIZE as usize * 8)).collect();
        assert_eq!(seen(true), Ok((vec![half; 2], expected)));
        let refused = "the pixel shader reads t0, which is the depth buffer of the same draw: let it read a copy";
        assert_eq!(seen(false), Err(refused.to_owned()));
    }
}

/// Clears reach all layers of a view and nothing else; read-only planes are not cleared.
#[test]
fn views_are_cleared() {
    let device = Device::builder().threads(1).build().unwrap();
    let shape = |format| TextureShape::texture_2d(format, 8, 8).mips(2).array(3);
    let [color, depth] = [Format::R8_UNORM, Format::D16_UNORM].map(|format| device.texture(shape(format)).unwrap());
    let view = |texture: &Texture| View::texture(texture.clone()).with_mips(1, 1).unwrap().with_layers(1, 2).unwrap();
    let targets = Targets { colors: vec![view(&color)], depth: Some(DepthView::new(view(&depth))) };
    let mut pass = brolga::raster::Pass::new(&device, targets.clone()).unwrap();
    pass.clear_color(0, [1.0; 4]).unwrap();
    pass.clear_depth(1.0).unwrap();
    for texture in [color, depth] {
        for (mip, layer) in (0..2).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
            let expected = if mip == 1 && layer > 0 { 255 } else { 0 };
            assert!(level(&texture, mip, layer).iter().all(|&byte| byte == expected), "{mip}, {layer}");
        }
    }
    let depth = targets.depth.map(DepthView::read_only);
    let mut pass = brolga::raster::Pass::new(&device, Targets { depth, ..targets }).unwrap();
    let error = pass.clear_depth(0.0).unwrap_err().to_string();
    assert_eq!(error, "the depths of the depth buffer cannot be cleared through a view that makes them read-only");
}

/// A triangle that names no layer is in the first one of the view.
#[test]
fn without_a_layer_the_first_is_drawn_to() {
    let (vertex, shader) = (shaders::vertex(), pixel(WHITE));
    let vertices = triangle([[0.0, 0.0], [16.0, 0.0], [0.0, 16.0]], 0.5, [2.0; 4]);
    let found = on_both(|device, engine| {
        let texture = device.texture(TextureShape::texture_2d(Format::R8_UNORM, SIZE, SIZE).array(3)).unwrap();
        let view = View::texture(texture.clone()).with_layers(1, 2).unwrap();
        let canvas = Canvas::of(device, engine, Targets { colors: vec![view], depth: None });
        canvas.draw(Item::new(&vertex, &shader, &vertices));
        [0, 1, 2].map(|layer| level(&texture, 0, layer).iter().any(|&byte| byte != 0))
    });
    assert_eq!(found, [false, true, false]);
}

/// The results with two viewports: the left half, and the right one with other depths and a scissor rectangle of four
/// rows. Words of a target, filled with 77 before, and the depths, filled with 1.
fn in_viewports(vertices: &[Vertex], topology: Topology, code: &str) -> (Vec<u32>, Vec<f32>) {
    let (vertex, pixel) = (choosing(VIEWPORT), sees_choice(VIEWPORT, code));
    let half = |left, min_depth| Viewport { left, top: 0.0, width: 8.0, height: 16.0, min_depth, max_depth: 1.0 };
    let rows = Bounds { left: 0, top: 0, right: SIZE as i32, bottom: 4 };
    on_both(|device, engine| {
        let shape = |format| TextureShape::texture_2d(format, SIZE, SIZE);
        let color = device.texture_from(shape(Format::R32_UINT), &[77_u32; (SIZE * SIZE) as usize]).unwrap();
        let depth = device.texture_from(shape(Format::D32_FLOAT), &[1.0_f32; (SIZE * SIZE) as usize]).unwrap();
        let targets = Targets { colors: vec![View::texture(color.clone())], depth: Some(depth.clone().into()) };
        let set = |desc: &mut PipelineDesc| desc.topology = topology;
        let with = |_: &Device, draw: &mut Draw<'_>| {
            draw.viewport = Some(half(0.0, 0.0));
            draw.more_viewports = vec![(half(8.0, 0.5), Some(rows))];
        };
        Canvas::of(device, engine, targets).draw(Item::new(&vertex, &pixel, vertices).set(&set).with(&with));
        (color.buffer().to_vec().unwrap(), depth.buffer().to_vec().unwrap())
    })
}

/// The leading vertex selects the viewport and scissor rectangle of a primitive; a number that no viewport can have is
/// the first, one that none is given for shows nothing. Shaders see the number as it was.
#[test]
fn the_leading_vertex_chooses_the_viewport() {
    let everywhere = [[-32.0, -32.0], [64.0, -32.0], [0.0, 64.0]];
    let (left, right) = (rectangle(0..8, 0..16), rectangle(8..16, 0..4));
    for (number, places) in [(0, &left), (1, &right), (2, &vec![]), (15, &vec![]), (16, &left), (u32::MAX, &left)] {
        let (words, _) = in_viewports(&in_layers(everywhere, 0.5, [number, 1, 0]), Topology::TriangleList, "");
        let drawn =
            words.iter().zip(0..).filter(|(word, _)| **word != 77).map(|(word, n)| (*word, [n % SIZE, n / SIZE]));
        let expected: Vec<_> = places.iter().map(|&place| (number, place)).collect();
        assert_eq!(drawn.collect::<Vec<_>>(), expected, "{number}");
    }
    // A strip: each of two triangles has its own, though they share vertices; and so have lines of a strip.
    let square = in_layers([[0.0, 0.0], [16.0, 0.0], [0.0, 16.0], [16.0, 16.0]], 0.5, [1, 0, 0, 1]);
    let (words, _) = in_viewports(&square, Topology::TriangleStrip, "");
    let count = |number: u32, columns: std::ops::Range<u32>| {
        let is_there = |n: &u32| columns.contains(&(n % SIZE)) && words[*n as usize] == number;
        (0..SIZE * SIZE).filter(is_there).count()
    };
    // The upper left triangle has the centers up to 8 - (row + 0.5) / 2 columns from the left.
    assert_eq!([count(1, 8..16), count(0, 8..16), count(1, 0..8)], [8 + 7 + 7 + 6, 0, 0]);
    assert_eq!(count(0, 0..8), 64);
}

/// Depths are those of the viewport: computed for it, clamped to it before the shader and after it.
#[test]
fn viewports_have_their_depths() {
    let everywhere = [[-32.0, -32.0], [64.0, -32.0], [0.0, 64.0]];
    let vertices: Vec<Vertex> = [0, 1, 0].into_iter().flat_map(|n| in_layers(everywhere, 0.25, [n; 3])).collect();
    let late = "lt r0.x, v2.x, l(0)\ndiscard_nz r0.x";
    for (code, left, right) in
        [("", 0.25, 0.625), (late, 0.25, 0.625), ("dcl_output oDepth\nmov oDepth, l(0.125)", 0.125, 0.5)]
    {
        let (_, depths) = in_viewports(&vertices, Topology::TriangleList, code);
        for (n, &depth) in (0..).zip(&depths) {
            let expected = match [n % SIZE < 8, n / SIZE < 4] {
                [true, _] => left,
                [false, true] => right,
                _ => 1.0,
            };
            assert_eq!(depth, expected, "{code}, {n}");
        }
    }
}
