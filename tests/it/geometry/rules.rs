//! Tests rules of geometry shaders and of stream output one by one, with values worked out by hand: functional
//! specification, 8.15 to 8.17, 13, 14 and 15.8 to 15.15.

use brolga::raster::{
    Cull, Draw, InputElement, Pass, Pipeline, PipelineDesc, Statistics, StreamOutput, StreamOutputEntry,
    StreamStatistics, StreamTarget, TargetState, Targets, Topology, Viewport,
};
use brolga::{
    Bindings, Buffer, CompileOptions, Device, Engine, Format, Semantic, StageKind, Stages, Texture, TextureShape, View,
};
use brolga_testing::run::module;

use super::super::drawing::canvas::{SIZE, Vertex, on_both, position, triangle, vertex};
use super::super::drawing::shaders::{OUTPUTS, pixel, shader};

/// Outputs of geometry shaders that pass vertices on: position and attribute, and two numbers.
const PASSED: [&str; 4] = [
    "SV_Position 0 xyzw 0 POS float",
    "TEXCOORD 0 xyzw 1 NONE float",
    "SV_PrimitiveID 0 x 2 PRIMID uint",
    "SV_RenderTargetArrayIndex 0 x 3 RTINDEX uint",
];

/// A geometry shader that takes what the vertex shader of drawing tests writes.
fn geometry(outputs: &[&str], code: &str) -> Vec<u8> {
    shader("gs_5_0", &OUTPUTS, outputs, &format!("dcl_globalFlags refactoringAllowed\n{code}"))
}

/// One draw, and what it needs.
struct Setup<'a> {
    geometry: Option<&'a [u8]>,
    pixel: Option<&'a [u8]>,
    topology: Topology,
    vertices: &'a [Vertex],
    /// Layers and samples of the target, of four floats a texel.
    layers: u32,
    samples: u32,
    output: Option<StreamOutput>,
    set: &'a dyn Fn(&mut PipelineDesc),
    with: &'a dyn Fn(&mut Draw<'_>),
}

impl<'a> Setup<'a> {
    fn new(topology: Topology, vertices: &'a [Vertex]) -> Self {
        let (geometry, pixel, output) = (None, None, None);
        Self { geometry, pixel, topology, vertices, layers: 1, samples: 1, output, set: &|_| {}, with: &|_| {} }
    }
}

/// What a draw left: the target's texels, the words of `u1`, which the geometry shader has, and what was streamed out.
#[derive(PartialEq, Debug)]
struct Left {
    texels: Vec<[u32; 4]>,
    counters: [u32; 4],
    streamed: Vec<u32>,
    statistics: Statistics,
}

impl Left {
    /// The first components of the texels of a layer.
    fn reds(&self, layer: u32) -> Vec<u32> {
        let count = (SIZE * SIZE) as usize;
        self.texels[layer as usize * count..][..count].iter().map(|texel| texel[0]).collect()
    }
}

fn pipeline(device: &Device, engine: Engine, setup: &Setup<'_>) -> Pipeline {
    let mut desc =
        PipelineDesc::new(&module(&super::super::drawing::shaders::vertex()), setup.pixel.map(module).as_ref());
    desc.modules[StageKind::Geometry] = setup.geometry.map(module);
    for (n, semantic) in ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"].into_iter().enumerate() {
        desc = desc.input(InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 16 * n as u32));
    }
    desc.targets = setup.pixel.map(|_| TargetState::new(Format::R32G32B32A32_FLOAT)).into_iter().collect();
    (desc.topology, desc.samples) = (setup.topology, setup.samples);
    desc.rasterizer.cull = Cull::None;
    desc.stream_output = setup.output.clone();
    desc.options = Stages::from(CompileOptions::new(engine));
    (setup.set)(&mut desc);
    Pipeline::new(device, &desc).unwrap()
}

fn draw(setup: &Setup<'_>) -> Left {
    on_both(|device, engine| {
        let pipeline = pipeline(device, engine, setup);
        let mut shape = TextureShape::texture_2d(Format::R32G32B32A32_FLOAT, SIZE, SIZE);
        if setup.layers > 1 {
            shape = shape.array(setup.layers);
        }
        if setup.samples > 1 {
            shape = shape.samples(setup.samples);
        }
        let texture: Texture = device.texture(shape).unwrap();
        let colors = setup.pixel.map(|_| View::texture(texture.clone())).into_iter().collect();
        let counters = device.buffer_from(&[0_u32; 4]).unwrap();
        let streamed = device.buffer_from(&[7_u32; 64]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("u1".parse().unwrap(), View::raw(counters.clone()).unwrap());
        let mut pass = Pass::new(device, Targets { colors, depth: None }).unwrap();
        let vertices = device.buffer_from(setup.vertices).unwrap();
        let mut draw = Draw::new(&pipeline, setup.vertices.len() as u32);
        draw = draw.vertex_buffer(vertices, size_of::<Vertex>() as u32);
        draw.bindings[StageKind::Geometry] = Some(&bindings);
        if setup.output.is_some() {
            draw.stream_targets = vec![Some(StreamTarget { buffer: streamed.clone(), offset_bytes: Some(0) })];
        }
        (setup.with)(&mut draw);
        pass.draw(&draw).unwrap();
        let statistics = pass.finish().unwrap()[0];
        let words = |buffer: &Buffer| buffer.to_vec::<u32>().unwrap();
        let mut counted = [0; 4];
        counters.read(0, &mut counted).unwrap();
        Left { texels: texture.buffer().to_vec().unwrap(), counters: counted, streamed: words(&streamed), statistics }
    })
}

/// An entry of the only stream for the only buffer.
fn entry(name: &str, index: u32, first_component: u32, components: u32) -> StreamOutputEntry {
    let semantic = Some(Semantic::new(name, index));
    StreamOutputEntry { stream: 0, semantic, first_component, components, buffer: 0 }
}

fn streamed(entries: Vec<StreamOutputEntry>) -> Option<StreamOutput> {
    Some(StreamOutput { entries, strides: Vec::new(), rasterized_stream: None })
}

/// Points whose attribute counts up.
fn points(count: u32) -> Vec<Vertex> {
    (0..count).map(|n| vertex(position([n as f32 + 0.5, 0.5], 0.5, 1.0), [n as f32; 4])).collect()
}

/// Effects happen once for each invocation, and what comes after the last vertex that is declared does not happen, in
/// calls and loops neither: 13.3, 22.3.5.
#[test]
fn an_invocation_ends_with_its_last_vertex() {
    let code = |most: u32, body: &str| {
        format!(
            "dcl_input v[1][1].xyzw\ndcl_uav_raw u1\ndcl_temps 1\ndcl_gsinstances 2\ndcl_inputprimitive point\n\
             dcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o1.xyzw\ndcl_maxout {most}\n\
             atomic_iadd u1, l(0), l(1)\nmov o1.xyzw, v[0][1].xyzw\n{body}\natomic_iadd u1, l(4), l(1)"
        )
    };
    let straight = "emit_stream m0\nemit_stream m0";
    let looped = "mov r0.x, l(0)\nloop\n ieq r0.y, r0.x, l(2)\n breakc_nz r0.y\n emit_stream m0\n iadd r0.x, r0.x, l(1)\nendloop";
    let called = "call label0\natomic_iadd u1, l(8), l(1)\nret\nlabel label0\nemit_stream m0\nemit_stream m0";
    for (most, body, counters) in [
        (3, straight, [6, 6, 0, 0]),
        (2, straight, [6, 0, 0, 0]),
        (1, straight, [6, 0, 0, 0]),
        (3, looped, [6, 6, 0, 0]),
        (2, looped, [6, 0, 0, 0]),
        (3, called, [6, 6, 6, 0]),
        (2, called, [6, 0, 0, 0]),
    ] {
        let vertices = points(3);
        let geometry = geometry(&["TEXCOORD 0 xyzw 1 NONE float"], &code(most, body));
        let setup = Setup { geometry: Some(&geometry), ..Setup::new(Topology::PointList, &vertices) };
        let left = draw(&setup);
        assert_eq!(left.counters, counters, "{most}\n{body}");
        let found = [left.statistics.geometry_invocations, left.statistics.geometry_primitives];
        assert_eq!(found, [6, 6 * u64::from(most.min(2))], "{most}\n{body}");
    }
}

/// The pixel shader sees the number of the primitive only if the geometry shader hands it on, from the leading vertex,
/// as the layer, of which one that does not exist is the first: 8.17, 15.15.
#[test]
fn numbers_and_layers_are_those_of_the_leading_vertex() {
    // A strip of two triangles; vertex n has the number 10 + n and the layer n.
    let emit = |n: u32, register: u32| {
        format!("mov o0.xyzw, v[{register}][0].xyzw\nmov o2.x, l({})\nmov o3.x, l({n})\nemit_stream m0\n", 10 + n)
    };
    let body: String = [(0, 0), (1, 1), (2, 2), (3, 3)].map(|(n, register)| emit(n, register)).concat();
    let code = format!(
        "dcl_input_siv v[4][0].xyzw, position\ndcl_inputprimitive lineadj\ndcl_stream m0\n\
         dcl_outputtopology trianglestrip\ndcl_output_siv o0.xyzw, position\ndcl_output_sgv o2.x, primitive_id\n\
         dcl_output_siv o3.x, rendertarget_array_index\ndcl_maxout 4\n{body}"
    );
    let geometry = geometry(&[PASSED[0], PASSED[2], PASSED[3]], &code);
    let inputs = ["SV_PrimitiveID 0 x 2 PRIMID uint", "SV_RenderTargetArrayIndex 0 x 3 RTINDEX uint"];
    let code = "dcl_globalFlags refactoringAllowed\ndcl_input_ps_sgv constant v2.x, primitive_id\n\
                dcl_input_ps_siv constant v3.x, rendertarget_array_index\ndcl_output o0.xyzw\n\
                mov o0.x, v2.x\nmov o0.y, v3.x\nmov o0.zw, l(0,0,0,0)";
    let pixel = shader("ps_5_0", &inputs, &[], code);
    let corners = [[0.0, 0.0], [16.0, 0.0], [0.0, 16.0], [16.0, 16.0]];
    let vertices = corners.map(|corner| vertex(position(corner, 0.5, 1.0), [0.0; 4]));
    for layers in [1, 2] {
        let setup = Setup {
            geometry: Some(&geometry),
            pixel: Some(&pixel),
            layers,
            ..Setup::new(Topology::LineListAdjacent, &vertices)
        };
        let left = draw(&setup);
        let upper = |n: usize| n as u32 % SIZE + n as u32 / SIZE < SIZE - 1;
        // Denormals are floats that targets keep.
        for (n, texel) in left.texels.iter().enumerate().take((SIZE * SIZE) as usize) {
            if upper(n) {
                assert_eq!(texel[..2], [10, 0], "{layers}, {n}");
            } else if layers == 1 && n as u32 % SIZE + n as u32 / SIZE > SIZE {
                // There is no layer 1: its triangle is in the first one, and the shader sees the number.
                assert_eq!(texel[..2], [11, 1], "{n}");
            }
        }
        assert_eq!(left.statistics.clipper_invocations, 2);
        if layers == 2 {
            assert_eq!(left.reds(1).iter().filter(|&&red| red == 11).count() as u32, SIZE * (SIZE + 1) / 2);
        }
    }
}

/// Triangles without area, and those that would be culled, reach the shader: 8.15.
#[test]
fn nothing_is_culled_before_the_shader() {
    let code = "dcl_input v[3][1].xyzw\ndcl_inputprimitive triangle\ndcl_stream m0\ndcl_outputtopology pointlist\n\
                dcl_output o1.xyzw\ndcl_maxout 1\nmov o1.xyzw, v[2][1].xyzw\nemit_stream m0";
    let geometry = geometry(&["TEXCOORD 0 xyzw 1 NONE float"], code);
    let mut vertices = triangle([[1.0, 1.0]; 3], 0.5, [1.0; 4]).to_vec();
    vertices.extend(triangle([[0.0, 8.0], [8.0, 0.0], [0.0, 0.0]], 0.5, [2.0; 4]));
    vertices.extend(triangle([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 7.0, [3.0; 4]));
    let culls_all = |desc: &mut PipelineDesc| desc.rasterizer.cull = Cull::Front;
    let setup = Setup {
        geometry: Some(&geometry),
        output: streamed(vec![entry("TEXCOORD", 0, 3, 1)]),
        set: &culls_all,
        ..Setup::new(Topology::TriangleList, &vertices)
    };
    let left = draw(&setup);
    assert_eq!(left.streamed[..4], [1.0f32.to_bits(), 2.0f32.to_bits(), 3.0f32.to_bits(), 7]);
    assert_eq!(left.statistics.clipper_invocations, 0);
}

/// Without a geometry shader, strips are streamed out as lists, adjacent vertices are left out, and patches are their
/// control points; what does not fit whole is not written: 14.2, 14.5.
#[test]
fn vertex_shaders_stream_lists_out() {
    let numbers = |topology, vertices: u32, room: u64| {
        let vertices = points(vertices);
        let with = |draw: &mut Draw<'_>| {
            let target = draw.stream_targets[0].as_mut().unwrap();
            // The rest of the buffer is out of bounds.
            target.offset_bytes = Some(256 - 4 * room);
        };
        let setup = Setup {
            output: streamed(vec![entry("TEXCOORD", 2, 1, 1)]),
            with: &with,
            ..Setup::new(topology, &vertices)
        };
        let left = draw(&setup);
        let words = left.streamed[64 - room as usize..].iter().filter(|&&word| word != 7);
        let numbers: Vec<u32> = words.map(|&word| f32::from_bits(word) as u32).collect();
        (numbers, left.statistics.streams[0])
    };
    let counts = |written, needed| StreamStatistics { written, needed };
    assert_eq!(numbers(Topology::LineStrip, 4, 64), (vec![0, 1, 1, 2, 2, 3], counts(3, 3)));
    assert_eq!(numbers(Topology::TriangleStrip, 5, 64), (vec![0, 1, 2, 1, 3, 2, 2, 3, 4], counts(3, 3)));
    assert_eq!(numbers(Topology::TriangleStrip, 5, 8), (vec![0, 1, 2, 1, 3, 2], counts(2, 3)));
    assert_eq!(numbers(Topology::LineListAdjacent, 9, 64), (vec![1, 2, 5, 6], counts(2, 2)));
    assert_eq!(numbers(Topology::LineStripAdjacent, 6, 64), (vec![1, 2, 2, 3, 3, 4], counts(3, 3)));
    assert_eq!(numbers(Topology::TriangleListAdjacent, 7, 64), (vec![0, 2, 4], counts(1, 1)));
    assert_eq!(numbers(Topology::TriangleStripAdjacent, 8, 64), (vec![0, 2, 4, 2, 6, 4], counts(2, 2)));
    assert_eq!(numbers(Topology::Patch4, 9, 64), ((0..8).collect(), counts(8, 8)));
    assert_eq!(numbers(Topology::PointList, 3, 0), (vec![], counts(0, 3)));
}

/// A vertex that is streamed out is drawn, too, if its stream is rasterized, before clipping and with every bit of its
/// words: 14.2.1, 14.7.
#[test]
fn streams_are_drawn_too_and_keep_every_bit() {
    let words = [0x7fc0_1234, 1, 0xff80_0001, 0x8000_0000];
    let mut vertices = triangle([[-20.0, -20.0], [60.0, -20.0], [-20.0, 60.0]], 0.5, [1.0; 4]);
    vertices.iter_mut().for_each(|vertex| vertex[3] = words);
    let pixel = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let mut output = streamed(vec![entry("TEXCOORD", 2, 0, 4)]);
    output.as_mut().unwrap().rasterized_stream = Some(0);
    let setup = Setup { pixel: Some(&pixel), output, ..Setup::new(Topology::TriangleList, &vertices) };
    let left = draw(&setup);
    assert_eq!(left.streamed[..13], [words, words, words, [7; 4]].concat()[..13]);
    assert_eq!(left.statistics.samples, u64::from(SIZE * SIZE));
}

/// Samples of a pixel are covered as without a geometry shader, and every sample runs the pixel shader for itself where it
/// asks for that.
#[test]
fn samples_are_those_of_emitted_primitives() {
    let body: String =
        (0..3).map(|n| format!("mov o0.xyzw, v[{n}][0].xyzw\nmov o1.xyzw, v[{n}][1].xyzw\nemit_stream m0\n")).collect();
    let code = format!(
        "dcl_input_siv v[3][0].xyzw, position\ndcl_input v[3][1].xyzw\ndcl_inputprimitive triangle\ndcl_stream m0\n\
         dcl_outputtopology trianglestrip\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 3\n{body}"
    );
    let geometry = geometry(&PASSED[..2], &code);
    for mode in ["linear", "linear sample"] {
        let code = format!(
            "dcl_globalFlags refactoringAllowed\ndcl_input_ps {mode} v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw"
        );
        let pixel = shader("ps_5_0", &PASSED[1..2], &[], &code);
        let vertices: Vec<Vertex> = [[1.3, 2.7], [14.1, 3.3], [5.2, 15.8]]
            .iter()
            .map(|&[x, y]| vertex(position([x, y], 0.5, 1.0 + x / 8.0), [x, y, 1.0, 0.0]))
            .collect();
        let plain = Setup { pixel: Some(&pixel), samples: 4, ..Setup::new(Topology::TriangleList, &vertices) };
        let expected = draw(&plain);
        let found = draw(&Setup { geometry: Some(&geometry), ..plain });
        assert!(found.texels == expected.texels, "{mode}");
        assert_eq!(found.statistics.samples, expected.statistics.samples);
        assert_eq!(found.statistics.pixel_invocations, expected.statistics.pixel_invocations);
        assert!(expected.statistics.samples > 200, "{mode}");
    }
}

/// The number of a viewport that does not exist is the first: 15.8.1. Each has its own scissor rectangle and depths.
#[test]
fn viewports_are_chosen_by_each_primitive() {
    let code = "dcl_input_siv v[1][0].xyzw, position\ndcl_input vPrim\ndcl_inputprimitive point\ndcl_stream m0\n\
                dcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\n\
                dcl_output_siv o1.x, viewport_array_index\ndcl_maxout 1\nmov o0.xyzw, v[0][0].xyzw\nmov o1.x, vPrim\n\
                emit_stream m0";
    let geometry = geometry(&[PASSED[0], "SV_ViewportArrayIndex 0 x 1 VPINDEX uint"], code);
    let inputs = ["SV_Position 0 xyzw 0 POS float", "SV_ViewportArrayIndex 0 x 1 VPINDEX uint"];
    let code = "dcl_globalFlags refactoringAllowed\ndcl_input_ps_siv constant v1.x, viewport_array_index\n\
                dcl_output o0.xyzw\nmov o0.xyzw, v1.xxxx";
    let pixel = shader("ps_5_0", &inputs, &[], code);
    // 18 points in the middle of their viewports.
    let vertices = vec![vertex([0.0, 0.0, 0.5, 1.0], [0.0; 4]); 18];
    let viewport =
        |n: u32| Viewport { left: n as f32, top: 0.0, width: 1.0, height: 1.0, min_depth: 0.0, max_depth: 1.0 };
    let with = |draw: &mut Draw<'_>| {
        draw.viewport = Some(viewport(0));
        draw.more_viewports = (1..5).map(|n| (viewport(n), None)).collect();
    };
    let setup = Setup {
        geometry: Some(&geometry),
        pixel: Some(&pixel),
        with: &with,
        ..Setup::new(Topology::PointList, &vertices)
    };
    let left = draw(&setup);
    // Those of 16 and 17 are in the first, of which the last draws over the others; 5 to 15 are empty.
    assert_eq!(left.reds(0)[..6], [17, 1, 2, 3, 4, 0]);
    assert_eq!(left.statistics.samples, 7);
}
