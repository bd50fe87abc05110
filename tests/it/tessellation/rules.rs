//! Tests rules of hull and domain shaders one by one, with values worked out by hand: functional specification, 10 to
//! 12.

use brolga::raster::{
    Cull, Draw, InputElement, Pass, Pipeline, PipelineDesc, Statistics, StreamOutput, StreamOutputEntry, StreamTarget,
    TargetState, Targets, Topology,
};
use brolga::{
    Bindings, CompileOptions, Device, Domain, Format, InputPrimitive, OutputPrimitive, Semantic, StageKind, Stages,
    TextureShape, View,
};
use brolga_testing::run::module;

use super::super::drawing::canvas::{SIZE, Vertex, on_both, position, vertex};
use super::super::drawing::shaders::{self, OUTPUTS, shader};
use super::shaders::{Hull, constant_factors, domain};

/// A draw of patches, and what it needs.
struct Setup<'a> {
    hull: Hull<'a>,
    domain: &'a [u8],
    geometry: Option<&'a [u8]>,
    pixel: Option<&'a [u8]>,
    vertices: &'a [Vertex],
    instances: u32,
    /// Set if position and attribute are streamed out.
    streams: bool,
}

impl<'a> Setup<'a> {
    fn new(hull: Hull<'a>, domain: &'a [u8], vertices: &'a [Vertex]) -> Self {
        Self { hull, domain, geometry: None, pixel: None, vertices, instances: 1, streams: false }
    }
}

/// What a draw left: the first words of the target's texels, those of `u1`, what was streamed out.
#[derive(PartialEq, Debug)]
struct Left {
    reds: Vec<u32>,
    counters: Vec<u32>,
    streamed: Vec<u32>,
    statistics: Statistics,
}

impl Left {
    /// The streamed attributes.
    fn attributes(&self) -> Vec<[u32; 4]> {
        let count = self.statistics.streams[0].written as usize;
        self.streamed.chunks(8).take(count).map(|words| [words[4], words[5], words[6], words[7]]).collect()
    }
}

fn draw(setup: &Setup<'_>) -> Left {
    on_both(|device: &Device, engine| {
        let mut desc = PipelineDesc::new(&module(&shaders::vertex()), setup.pixel.map(module).as_ref());
        desc.modules[StageKind::Hull] = Some(module(&setup.hull.container()));
        desc.modules[StageKind::Domain] = Some(module(setup.domain));
        desc.modules[StageKind::Geometry] = setup.geometry.map(module);
        for (n, semantic) in ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"].into_iter().enumerate() {
            desc = desc.input(InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 16 * n as u32));
        }
        let patch = InputPrimitive::Patch(setup.hull.input_points);
        let is_its = |topology: &Topology| topology.primitive() == patch;
        desc.topology = Topology::ALL.into_iter().find(is_its).unwrap();
        desc.targets = setup.pixel.map(|_| TargetState::new(Format::R32G32B32A32_FLOAT)).into_iter().collect();
        desc.rasterizer.cull = Cull::None;
        desc.options = Stages::from(CompileOptions::new(engine));
        let entry = |name: &str| {
            let semantic = Some(Semantic::new(name, 0));
            StreamOutputEntry { stream: 0, semantic, first_component: 0, components: 4, buffer: 0 }
        };
        desc.stream_output = setup.streams.then(|| StreamOutput {
            entries: vec![entry("SV_Position"), entry("TEXCOORD")],
            strides: Vec::new(),
            rasterized_stream: None,
        });
        let pipeline = Pipeline::new(device, &desc).unwrap();
        let texture = device.texture(TextureShape::texture_2d(Format::R32G32B32A32_FLOAT, SIZE, SIZE)).unwrap();
        let colors = setup.pixel.map(|_| View::texture(texture.clone())).into_iter().collect();
        let counters = device.buffer_from(&[0_u32; 64]).unwrap();
        let streamed = device.buffer_from(&[0_u32; 4096]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("u1".parse().unwrap(), View::raw(counters.clone()).unwrap());
        let mut pass = Pass::new(device, Targets { colors, depth: None }).unwrap();
        let vertices = device.buffer_from(setup.vertices).unwrap();
        let mut draw = Draw::new(&pipeline, setup.vertices.len() as u32);
        draw = draw.vertex_buffer(vertices, size_of::<Vertex>() as u32);
        draw.instances = setup.instances;
        (draw.bindings[StageKind::Hull], draw.bindings[StageKind::Domain]) = (Some(&bindings), Some(&bindings));
        if setup.streams {
            draw.stream_targets = vec![Some(StreamTarget { buffer: streamed.clone(), offset_bytes: Some(0) })];
        }
        pass.draw(&draw).unwrap();
        let statistics = pass.finish().unwrap()[0];
        let texels: Vec<[u32; 4]> = texture.buffer().to_vec().unwrap();
        Left {
            reds: texels.iter().map(|texel| texel[0]).collect(),
            counters: counters.to_vec().unwrap(),
            streamed: streamed.to_vec().unwrap(),
            statistics,
        }
    })
}

/// Control points whose attributes count up.
fn points(count: u32) -> Vec<Vertex> {
    (0..count).map(|n| vertex([0.0, 0.0, 0.0, 1.0], [n as f32; 4])).collect()
}

/// A position that does not matter.
const PLACE: &str = "mov o0.xyzw, l(0,0,0,1.0)\n";

/// A domain shader runs once for each point, however many triangles share it, and never for what fills a packet; a hull
/// shader once for each patch: 10, 12, 11.7.14.
#[test]
fn effects_happen_once() {
    // 19 points: more than a group of lanes, and no multiple of one.
    let phases = constant_factors(Domain::Triangle, &[4.0; 4]);
    let counts = "dcl_uav_raw u1\n";
    let phases = format!("{phases}hs_join_phase\natomic_iadd u1, l(4), l(1)\nret\n");
    let mut hull = Hull::new(Domain::Triangle, OutputPrimitive::TriangleClockwise, 1, &phases);
    hull.resources = counts;
    let code = format!("{PLACE}mov o1.xyzw, l(0,0,0,0)\natomic_iadd u1, l(0), l(1)");
    let domain = domain(Domain::Triangle, 1, counts, &code);
    let vertices = points(70);
    let left = draw(&Setup { streams: true, ..Setup::new(hull, &domain, &vertices) });
    assert_eq!(left.counters[..2], [70 * 19, 70]);
    let statistics = left.statistics;
    assert_eq!((statistics.hull_invocations, statistics.domain_invocations), (70, 70 * 19));
    // A hexagon of 4 rings: 24 triangles for each.
    assert_eq!(statistics.streams[0].needed, 70 * 24);
}

/// The phases in order: the patch function reads control points that go in and those that come out, a join what forks
/// have written. `ret` ends one instance of one phase: 10.5, 10.12.
#[test]
fn phases_follow_one_another() {
    let factors = constant_factors(Domain::Quad, &[1.0; 6])
        .replace("dcl_output o6.xyzw\n", "")
        .replace("mov o6.xyzw, l(0,0,0,0)\n", "");
    let phases = format!(
        "{factors}hs_fork_phase\ndcl_hs_fork_phase_instance_count 3\ndcl_input vForkInstanceID\n\
         dcl_input vocp[2][1].xyzw\ndcl_input vicp[3][1].xyzw\ndcl_output o6.xyz\ndcl_temps 2\n\
         mov r0.x, vForkInstanceID.x\n\
         if_z r0.x\nmov o6.x, vicp[2][1].x\nret\nendif\n\
         ieq r0.y, r0.x, l(1)\nif_nz r0.y\nmov o6.y, vocp[1][1].x\nret\nendif\nmov o6.z, vocp[0][1].y\nret\n\
         hs_join_phase\ndcl_input vpc6.xyz\ndcl_output o6.w\ndcl_temps 1\n\
         add r0.x, vpc6.x, vpc6.y\nadd o6.w, r0.x, vpc6.z\nret\n"
    );
    // Each control point adds 100 and its number to that of the same number, and the patch's number.
    let own = "dcl_temps 2\nmov r0.x, vOutputControlPointID\nutof r0.y, r0.x\nutof r0.z, vPrim\nadd r0.y, r0.y, r0.z\n\
               add r0.y, r0.y, l(100.0)\nadd o1.xyzw, v[r0.x + 0][1].xyzw, r0.yyyy\nmov o0.xyzw, l(0,0,0,0)";
    let mut hull = Hull::new(Domain::Quad, OutputPrimitive::Point, 3, &phases);
    (hull.points, hull.output_points) = (Some(own), 2);
    let code = format!("{PLACE}mov o1.xyzw, vpc6.xyzw");
    let domain = domain(Domain::Quad, 2, "dcl_input vpc6.xyzw", &code);
    let vertices = points(6);
    let left = draw(&Setup { streams: true, ..Setup::new(hull, &domain, &vertices) });
    // First patch: 2, 1 + 101, 0 + 100; the second: 5, 4 + 102, 3 + 101.
    let of = |values: [f32; 4]| [values.map(f32::to_bits); 4];
    let expected = [of([2.0, 102.0, 100.0, 204.0]), of([5.0, 106.0, 104.0, 215.0])].concat();
    assert_eq!(left.attributes(), expected);
}

/// Control points that the shader passes on, one it makes of none, and none at all: 10.6.
#[test]
fn control_points_pass_through() {
    let phases = constant_factors(Domain::Isoline, &[1.0, 1.0]);
    let hull = Hull::new(Domain::Isoline, OutputPrimitive::Line, 2, &phases);
    let code = format!(
        "{PLACE}mov r0.x, l(1)\nmov o1.xyzw, vicp[0][1].xyzw\nmov o1.y, vicp[r0.x + 0][1].x\nmov o1.z, vDomain.x"
    );
    let passed = domain(Domain::Isoline, 2, "dcl_input vDomain.xy\ndcl_input vicp[2][1].xyzw\ndcl_temps 1", &code);
    let vertices = points(4);
    let left = draw(&Setup { streams: true, ..Setup::new(hull, &passed, &vertices) });
    let line = |a: f32| [[a, a + 1.0, 0.0, a], [a, a + 1.0, 1.0, a]].map(|values| values.map(f32::to_bits));
    assert_eq!(left.statistics.streams[0].written, 2);
    let found: Vec<[u32; 4]> =
        left.streamed.chunks(8).take(4).map(|words| [words[4], words[5], words[6], words[7]]).collect();
    assert_eq!(found, [line(0.0), line(2.0)].concat());

    let mut none = Hull::new(Domain::Isoline, OutputPrimitive::Point, 2, &phases);
    none.output_points = 0;
    let code = format!("{PLACE}mov o1.xyzw, vDomain.xyyy");
    let of_none = domain(Domain::Isoline, 0, "dcl_input vDomain.xy", &code);
    let left = draw(&Setup { streams: true, ..Setup::new(none, &of_none, &vertices) });
    assert_eq!(left.attributes().len(), 4);
}

/// Every stage sees the number of the patch in its instance, a geometry shader behind it too; and it sees triangles
/// without area: 11.7.9.1, 11.7.14.
#[test]
fn primitives_have_the_number_of_their_patch() {
    let phases = constant_factors(Domain::Quad, &[2.0; 6]);
    let hull = || Hull::new(Domain::Quad, OutputPrimitive::TriangleClockwise, 1, &phases);
    let code = format!("{PLACE}utof o1.x, vPrim\nmov o1.y, vpc6.x\nmov o1.zw, vDomain.xxxy");
    let domain = domain(Domain::Quad, 1, "dcl_input vPrim\ndcl_input vDomain.xy\ndcl_input vpc6.xyzw", &code);
    let geometry = shader(
        "gs_5_0",
        &OUTPUTS[..2],
        &OUTPUTS[..2],
        "dcl_globalFlags refactoringAllowed\ndcl_input v[3][1].xyzw\ndcl_input vPrim\ndcl_inputprimitive triangle\n\
         dcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n\
         dcl_maxout 1\nmov o0.xyzw, l(0,0,0,1.0)\nutof o1.x, vPrim\nmov o1.y, v[0][1].x\nmov o1.z, v[1][1].x\n\
         mov o1.w, v[2][1].x\nemit_stream m0",
    );
    let vertices = points(3);
    let setup =
        Setup { geometry: Some(&geometry), instances: 2, streams: true, ..Setup::new(hull(), &domain, &vertices) };
    let left = draw(&setup);
    // 8 triangles of each patch, two instances.
    let all = left.attributes();
    assert_eq!(all.len(), 2 * 3 * 8);
    for (n, words) in all.iter().enumerate() {
        assert_eq!(*words, [(n / 8 % 3) as f32; 4].map(f32::to_bits), "triangle {n}");
    }
    assert_eq!(left.statistics.geometry_invocations, 48);

    // In the pixel shader, which draws quads side by side.
    let corner = |n: u32| vertex(position([4.0 * n as f32, 0.0], 0.5, 1.0), [n as f32; 4]);
    let vertices: Vec<Vertex> = (0..4).map(corner).collect();
    let square = domain_square();
    let code = "dcl_globalFlags refactoringAllowed\ndcl_input_ps_sgv constant v2.x, primitive_id\ndcl_output o0.xyzw\n\
                iadd o0.xyzw, v2.xxxx, l(1,1,1,1)";
    let pixel = shader("ps_5_0", &["SV_PrimitiveID 0 x 2 PRIMID uint"], &[], code);
    let left = draw(&Setup { pixel: Some(&pixel), ..Setup::new(hull(), &square, &vertices) });
    let expected: Vec<u32> = (0..SIZE * SIZE).map(|n| if n / SIZE < 4 { n % SIZE / 4 + 1 } else { 0 }).collect();
    assert_eq!(left.reds, expected);
}

/// Squares of 4 pixels to the right of and below a control point.
fn domain_square() -> Vec<u8> {
    domain(
        Domain::Quad,
        1,
        "dcl_input vDomain.xy\ndcl_input vicp[1][0].xyzw\ndcl_temps 1",
        "mad r0.xy, vDomain.xyxx, l(0.5,-0.5,0,0), vicp[0][0].xyxx\nmov o0.xy, r0.xyxx\nmov o0.zw, l(0,0,0.5,1.0)\n\
         mov o1.xyzw, l(0,0,0,0)",
    )
}

/// Patches without an edge are dropped, inside factors drop nothing, incomplete patches are none: 11.7.12, 11.8.
#[test]
fn factors_drop_patches() {
    for (factors, count) in [
        ([1.0, 1.0, 1.0, 0.0], 1),
        ([1.0, 1.0, 1.0, -7.0], 1),
        ([0.0, 1.0, 1.0, 1.0], 0),
        ([1.0, -0.5, 1.0, 1.0], 0),
        ([2.0, 2.0, 2.0, 1.0], 6),
        ([100.0, 100.0, 100.0, 100.0], 6144),
    ] {
        let phases = constant_factors(Domain::Triangle, &factors);
        let hull = Hull::new(Domain::Triangle, OutputPrimitive::TriangleCounterClockwise, 2, &phases);
        let code = format!("{PLACE}mov o1.xyzw, vDomain.xyzx");
        let domain = domain(Domain::Triangle, 2, "dcl_input vDomain.xyz", &code);
        let left = draw(&Setup { streams: true, ..Setup::new(hull, &domain, &points(3)) });
        assert_eq!(left.statistics.streams[0].needed, count, "{factors:?}");
        assert_eq!((left.statistics.primitives, left.statistics.hull_invocations), (1, 1));
    }
}
