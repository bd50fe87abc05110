//! Tests draws with invalid input: positions that are NaN, invalid indices, targets of all sizes, endless shaders.
//! Nothing is drawn where nothing is covered, everything that can be drawn is, and errors are reported.

use std::time::Duration;

use brolga::raster::{
    Cull, Draw, DrawError, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, Statistics, TargetState, Targets,
    Topology,
};
use brolga::{
    Bindings, Buffer, CancelToken, CompileOptions, Device, Dispatch, Engine, ErrorKind, Format, Progress, Register,
    StageKind, StopReason, Texture, TextureShape, View,
};
use brolga_testing::run::{assemble, module};

const COLOR: Format = Format::R8_UNORM;

/// Hands on positions in clip space.
const VERTEX: &str = "
    // Input signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // POSITION                 0   xyzw        0     NONE   float   xyzw
    //
    // Output signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // SV_Position              0   xyzw        0      POS   float   xyzw
    //
    vs_5_0
    dcl_globalFlags refactoringAllowed
    dcl_input v0.xyzw
    dcl_output_siv o0.xyzw, position
    mov o0.xyzw, v0.xyzw
    ret";

/// A pixel shader of one colour, with these instructions before it.
fn pixel(declarations: &str, body: &str) -> String {
    format!(
        "
        // Output signature:
        //
        // Name                 Index   Mask Register SysValue  Format   Used
        // -------------------- ----- ------ -------- -------- ------- ------
        // SV_Target                0   xyzw        0   TARGET   float   xyzw
        //
        ps_5_0
        dcl_globalFlags refactoringAllowed
        {declarations}
        dcl_output o0.xyzw
        {body}
        mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)
        ret"
    )
}

/// A device and a pipeline of white triangles.
struct Setup {
    device: Device,
    pipeline: Pipeline,
}

impl Setup {
    fn new(engine: Engine, pixel: &str, change: impl Fn(&mut PipelineDesc)) -> Self {
        let device = Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().unwrap();
        let [vertex, pixel] = [VERTEX, pixel].map(|text| module(&assemble(text)));
        let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
            .input(InputElement::new("POSITION", Format::R32G32B32A32_FLOAT, 0))
            .target(TargetState::new(COLOR));
        desc.options = CompileOptions::new(engine).into();
        desc.rasterizer.cull = Cull::None;
        change(&mut desc);
        let pipeline = Pipeline::new(&device, &desc).unwrap();
        Self { device, pipeline }
    }

    fn plain(engine: Engine) -> Self {
        Self::new(engine, &pixel("", ""), |_| {})
    }

    fn target(&self, width: u32, height: u32) -> Texture {
        self.device.texture(TextureShape::texture_2d(COLOR, width, height)).unwrap()
    }

    fn vertices(&self, positions: &[[f32; 4]]) -> Buffer {
        self.device.buffer_from(positions.as_flattened()).unwrap()
    }

    fn pass(&self, target: &Texture) -> Pass<'_> {
        Pass::new(&self.device, Targets { colors: vec![View::texture(target.clone())], depth: None }).unwrap()
    }

    /// Draws a list of triangles into 16 x 16 pixels; how many were covered.
    fn covered(&self, positions: &[[f32; 4]]) -> u64 {
        let target = self.target(16, 16);
        let mut pass = self.pass(&target);
        let draw = Draw::new(&self.pipeline, positions.len() as u32).vertex_buffer(self.vertices(positions), 16);
        pass.draw(&draw).unwrap();
        let samples = pass.finish().unwrap()[0].samples;
        let white = target.buffer().to_vec::<u8>().unwrap().into_iter().filter(|&code| code == 255).count();
        assert_eq!(white as u64, samples);
        samples
    }
}

const ENGINES: [Engine; 2] = [Engine::Interpreter, Engine::Jit];

/// Covers all pixels.
const EVERYWHERE: [[f32; 4]; 3] = [[-1.0, -1.0, 0.5, 1.0], [-1.0, 3.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0]];

#[test]
fn positions_that_are_no_places_draw_nothing() {
    for engine in ENGINES {
        let setup = Setup::plain(engine);
        assert_eq!(setup.covered(&EVERYWHERE), 256);
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for component in 0..4 {
                let mut all = EVERYWHERE;
                all.iter_mut().for_each(|position| position[component] = value);
                // An infinite w leaves three vertices at one position.
                assert_eq!(setup.covered(&all), 0, "{engine}: {value} in component {component}");
                // One such vertex may leave a part of a triangle, but never more than there are pixels.
                for corner in 0..3 {
                    let mut one = EVERYWHERE;
                    one[corner][component] = value;
                    let covered = setup.covered(&one);
                    assert!(covered <= 256 && (!value.is_nan() || covered == 0), "{engine}: {one:?}: {covered}");
                }
            }
        }
    }
}

#[test]
fn triangles_without_an_inside_draw_nothing() {
    let place = [0.25, 0.25, 0.5, 1.0];
    let degenerate = [
        [[0.0; 4]; 3],
        EVERYWHERE.map(|[x, y, z, _]| [x, y, z, 0.0]),
        EVERYWHERE.map(|[x, y, z, _]| [x, y, z, -0.0]),
        EVERYWHERE.map(|[x, y, z, _]| [x, y, z, -1.0]),
        EVERYWHERE.map(|position| position.map(|number| number * f32::from_bits(1))),
        [place; 3],
        [[-1.0, -1.0, 0.5, 1.0], place, place],
        // On one line.
        [[-1.0, -1.0, 0.5, 1.0], [0.0, 0.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0]],
        // Beyond the far plane, and before the near one.
        EVERYWHERE.map(|[x, y, _, w]| [x, y, 1.5, w]),
        EVERYWHERE.map(|[x, y, _, w]| [x, y, -0.5, w]),
    ];
    for engine in ENGINES {
        let setup = Setup::plain(engine);
        for triangle in degenerate {
            assert_eq!(setup.covered(&triangle), 0, "{engine}: {triangle:?}");
        }
        // A vertex with w <= 0, and numbers near the end of floats, leave triangles as they should be.
        let behind = [[0.0, 1.0, 0.5, 1.0], [1.0, -1.0, 0.5, 1.0], [0.0, 0.0, -1.0, -1.0]];
        assert!((1..256).contains(&setup.covered(&behind)));
        let large = EVERYWHERE.map(|position| position.map(|number| number * 1e37));
        assert_eq!(setup.covered(&large), 256);
    }
}

#[test]
fn draws_of_nothing_and_of_what_is_not_there() {
    for engine in ENGINES {
        for topology in [Topology::TriangleList, Topology::TriangleStrip] {
            let setup = Setup::new(engine, &pixel("", ""), |desc| desc.topology = topology);
            let (target, vertices) = (setup.target(16, 16), setup.vertices(&EVERYWHERE));
            let indices = setup.device.buffer_from(&[0_u32, 1, 2, u32::MAX, u32::MAX, 7, 1 << 30]).unwrap();
            let samples = |change: &dyn Fn(&mut Draw<'_>), is_indexed: bool| {
                let mut draw = Draw::new(&setup.pipeline, 3).vertex_buffer(vertices.clone(), 16);
                if is_indexed {
                    draw = draw.index_buffer(IndexBuffer { buffer: indices.clone(), offset_bytes: 0, is_short: false });
                }
                change(&mut draw);
                let mut pass = setup.pass(&target);
                pass.draw(&draw).unwrap();
                pass.finish().unwrap()[0].samples
            };
            for is_indexed in [false, true] {
                assert_eq!(samples(&|_| {}, is_indexed), 256);
                for count in 0..3 {
                    assert_eq!(samples(&|draw| draw.count = count, is_indexed), 0);
                }
                assert_eq!(samples(&|draw| draw.instances = 0, is_indexed), 0);
                assert_eq!(samples(&|draw| (draw.count, draw.instances) = (2, u32::MAX), is_indexed), 0);
                assert_eq!(samples(&|draw| draw.first = 1000, is_indexed), 0);
                // Addresses have 32 bits and wrap (functional specification, 8.19.1).
                assert_eq!(samples(&|draw| draw.first = 1 << 28, is_indexed), if is_indexed { 0 } else { 256 });
                // Vertices past the end of their buffer are zeros.
                assert_eq!(samples(&|draw| draw.vertex_buffers[0].offset_bytes = 48, is_indexed), 0);
                assert_eq!(samples(&|draw| draw.scissor = Some(bounds([9, 9, 3, 3])), is_indexed), 0);
            }
            // Past the end of the index buffer every index is 0.
            assert_eq!(samples(&|draw| draw.count = u32::MAX, true), 256);
            assert_eq!(samples(&|draw| draw.first = 4, true), 0);
            assert_eq!(samples(&|draw| draw.base_vertex = -1000, true), 0);
        }
    }
}

fn bounds([left, top, right, bottom]: [i32; 4]) -> brolga::raster::Bounds {
    brolga::raster::Bounds { left, top, right, bottom }
}

#[test]
fn targets_of_one_pixel_and_of_the_most() {
    for engine in ENGINES {
        let setup = Setup::plain(engine);
        let draw = Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16);
        let smallest = setup.target(1, 1);
        let mut pass = setup.pass(&smallest);
        pass.draw(&draw).unwrap();
        assert_eq!(pass.finish().unwrap()[0].samples, 1);
        assert_eq!(smallest.buffer().to_vec::<u8>().unwrap(), [255]);

        // A strip along the right and lower edge, and a small triangle in the far corner.
        const MOST: u32 = 16_384;
        let largest = setup.target(MOST, MOST);
        let mut pass = setup.pass(&largest);
        let end = MOST as i32;
        for scissor in [[0, end - 1, end, end], [end - 1, 0, end, end]] {
            pass.draw(&Draw { scissor: Some(bounds(scissor)), ..draw.clone() }).unwrap();
        }
        let side = 4.0 / MOST as f32;
        let corner = [[1.0, -1.0, 0.5, 1.0], [1.0 - side, -1.0, 0.5, 1.0], [1.0, -1.0 + side, 0.5, 1.0]];
        pass.draw(&Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&corner), 16)).unwrap();
        let samples: Vec<u64> = pass.finish().unwrap().iter().map(|statistics| statistics.samples).collect();
        // Two pixels along each axis: one whose center is inside, and two with theirs on the long edge, which is a left
        // one.
        assert_eq!(samples, [MOST.into(), MOST.into(), 3]);
        let last = largest.buffer().size_bytes() - 1;
        let mut code = [0_u8];
        largest.buffer().read(last, &mut code).unwrap();
        assert_eq!(code, [255]);
    }
}

/// Each vertex is shaded, but no triangle is visible.
#[test]
fn a_billion_vertices_are_cancelled() {
    let setup = Setup::plain(Engine::Jit);
    let target = setup.target(256, 256);
    let (token, progress) = (CancelToken::new(), Progress::new());
    let limits = Dispatch::new([0; 3]).cancel(token.clone()).progress(progress.clone());
    let mut pass = setup.pass(&target).with_limits(&limits);
    pass.draw(&Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16)).unwrap();
    // With a stride of 0 all vertices are the same: all triangles are degenerate, but all vertices are shaded.
    let mut draw = Draw::new(&setup.pipeline, 1 << 30).vertex_buffer(setup.vertices(&EVERYWHERE), 0);
    draw.instances = 1 << 30;
    pass.draw(&draw).unwrap();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            while progress.groups_done() < 100_000 {
                std::thread::sleep(Duration::from_millis(1));
            }
            token.cancel();
        });
        pass.finish().unwrap_err()
    });
    assert_eq!(error.draw(), Some(1));
    assert_eq!(error.kind(), ErrorKind::Stopped);
    assert!(progress.groups_done() < 100_000_000);
}

/// Indices are read in place, and only until the time limit.
#[test]
fn a_billion_indices_are_stopped_and_take_no_memory() {
    let setup = Setup::plain(Engine::Jit);
    let target = setup.target(64, 64);
    let limit = Duration::from_millis(20);
    let limits = Dispatch::new([0; 3]).time_limit(limit);
    let indices = IndexBuffer { buffer: setup.device.buffer(4 << 30).unwrap(), offset_bytes: 0, is_short: false };
    let draw = Draw::new(&setup.pipeline, 1 << 30).vertex_buffer(setup.vertices(&EVERYWHERE), 16).index_buffer(indices);
    let mut pass = setup.pass(&target).with_limits(&limits);
    let error = pass.draw(&draw).unwrap_err();
    assert!(matches!(error, DrawError::Stopped { why: StopReason::TimeLimit(of), draw: 0 } if of == limit), "{error}");
}

/// Nothing becomes whole between restarts, however many there are.
#[test]
fn a_billion_restarts_are_stopped() {
    let setup = Setup::new(Engine::Jit, &pixel("", ""), |desc| desc.topology = Topology::TriangleStrip);
    let target = setup.target(64, 64);
    let count = 64 << 20;
    let indices = IndexBuffer { buffer: setup.device.buffer(4 * count).unwrap(), offset_bytes: 0, is_short: false };
    indices.buffer.fill_until(0..4 * count, &[0xff], &|| false).unwrap();
    let mut draw = Draw::new(&setup.pipeline, count as u32).vertex_buffer(setup.vertices(&EVERYWHERE), 16);
    draw.index_buffer = Some(indices.clone());
    draw.instances = u32::MAX;
    let limit = Duration::from_millis(20);
    let mut pass = setup.pass(&target).with_limits(&Dispatch::new([0; 3]).time_limit(limit));
    let stopped = pass.draw(&draw).and_then(|_| pass.finish().map(drop));
    assert!(matches!(stopped, Err(DrawError::Stopped { draw: 0, .. })), "{stopped:?}");
    // The finite ones are drawn: one triangle after many restarts.
    indices.buffer.write(4 * 100_000, &[0, 1, 2]).unwrap();
    (draw.count, draw.instances) = (100_003, 1);
    let mut pass = setup.pass(&target);
    pass.draw(&draw).unwrap();
    let statistics = pass.finish().unwrap()[0];
    assert_eq!((statistics.vertices, statistics.primitives, statistics.samples), (3, 1, 64 * 64));
}

#[test]
fn the_clear_of_a_large_target_is_stopped() {
    let device = Device::builder().threads(1).build().unwrap();
    let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 16384, 16384);
    let targets = Targets { colors: vec![View::texture(device.texture(shape).unwrap())], depth: None };
    let limits = Dispatch::new([0; 3]).time_limit(Duration::from_millis(10));
    let mut pass = Pass::new(&device, targets).unwrap().with_limits(&limits);
    let error = pass.clear_color(0, [1.0; 4]).unwrap_err();
    assert_eq!((error.kind(), error.draw()), (ErrorKind::Stopped, Some(0)), "{error}");
}

#[test]
fn a_depth_buffer_smaller_than_a_target_is_refused() {
    let device = Device::builder().threads(1).build().unwrap();
    let texture =
        |format, [width, height]: [u32; 2]| device.texture(TextureShape::texture_2d(format, width, height)).unwrap();
    let targets = |colors: &[[u32; 2]], depth| Targets {
        colors: colors.iter().map(|&size| View::texture(texture(Format::R8_UNORM, size))).collect(),
        depth: Some(texture(Format::D32_FLOAT, depth).into()),
    };
    for (depth, target) in [([63, 64], 0), ([64, 31], 0), ([64, 63], 1)] {
        let error = Pass::new(&device, targets(&[[64, 32], [32, 64]], depth)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Resource);
        let [width, height] = [[64, 32], [32, 64]][target];
        let expected = format!(
            "the depth buffer has {} x {} pixels, and target {target} {width} x {height}: a depth buffer must be as \
             large as the target",
            depth[0], depth[1]
        );
        assert_eq!(error.to_string(), expected);
    }
    for depth in [[64, 64], [65, 100]] {
        Pass::new(&device, targets(&[[64, 32], [32, 64]], depth)).unwrap();
    }
    Pass::new(&device, targets(&[], [1, 1])).unwrap();
    // A mip level is as large as it is.
    let depth = device.texture(TextureShape::texture_2d(Format::D32_FLOAT, 64, 64).mips(2)).unwrap();
    let half = View::texture(depth).with_mips(1, 1).unwrap();
    let level = Targets { depth: Some(brolga::raster::DepthView::new(half)), ..targets(&[[64, 64]], [64, 64]) };
    assert!(matches!(Pass::new(&device, level), Err(DrawError::SmallDepth { depth: [32, 32], target: 0, .. })));
}

#[test]
fn a_pixel_shader_that_never_ends_is_stopped() {
    let endless = pixel("dcl_temps 1", "loop\n mov r0.x, l(1)\n breakc_z r0.x\n endloop");
    for engine in ENGINES {
        let setup = Setup::new(engine, &endless, |_| {});
        let target = setup.target(64, 64);
        let limit = Duration::from_millis(30);
        for limits in [Dispatch::new([0; 3]).time_limit(limit), Dispatch::new([0; 3]).fuel(1000)] {
            let mut pass = setup.pass(&target).with_limits(&limits);
            for _ in 0..2 {
                pass.draw(&Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16)).unwrap();
            }
            let error = pass.finish().unwrap_err();
            assert_eq!((error.kind(), error.draw()), (ErrorKind::Stopped, Some(0)), "{error}");
            let reason = match limits.fuel {
                Some(rounds) => StopReason::Fuel(rounds),
                None => StopReason::TimeLimit(limit),
            };
            assert!(error.to_string().contains(&reason.to_string()), "{error}");
        }
        // A pass that was cancelled before draws nothing.
        let token = CancelToken::new();
        token.cancel();
        let mut pass = setup.pass(&target).with_limits(&Dispatch::new([0; 3]).cancel(token));
        pass.draw(&Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16)).unwrap();
        assert!(matches!(pass.finish(), Err(DrawError::Stopped { why: StopReason::Cancelled, draw: 0 })));
    }
}

#[test]
fn a_draw_does_not_read_what_it_draws_to() {
    let reads =
        pixel("dcl_resource_texture2d (float,float,float,float) t3\ndcl_temps 1", "ld r0.xyzw, l(0,0,0,0), t3.xyzw");
    let setup = Setup::new(Engine::Jit, &reads, |desc| {
        desc.depth_format = Some(Format::D32_FLOAT);
    });
    let shape = |format| TextureShape::texture_2d(format, 8, 8);
    let [target, other] = [(); 2].map(|()| setup.device.texture(shape(COLOR)).unwrap());
    let depth = setup.device.texture(shape(Format::D32_FLOAT)).unwrap();
    let targets = Targets { colors: vec![View::texture(target.clone())], depth: Some(depth.clone().into()) };
    let draws = |read: View| {
        let mut bindings = Bindings::new();
        bindings.set(Register::t(3), read);
        let mut pass = Pass::new(&setup.device, targets.clone()).unwrap();
        let draw = Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16);
        let added = pass.draw(&draw.bindings(&bindings));
        added.map(|_| pass.finish().unwrap())
    };
    assert!(draws(View::texture(other)).is_ok());
    let error = draws(View::texture(target)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Binding);
    let expected = "the pixel shader reads t3, which is target 0 of the same draw: let it read a copy";
    assert_eq!(error.to_string(), expected);
    let read = View::texture(depth).with_format(Format::R32_FLOAT).unwrap();
    let expected = "the pixel shader reads t3, which is the depth buffer of the same draw: let it read a copy";
    assert_eq!(draws(read).unwrap_err().to_string(), expected);
}

/// A target that the shader also writes as a UAV is rejected.
#[test]
fn a_target_that_the_shader_writes_is_refused() {
    let writes = pixel(
        "dcl_uav_typed_texture2d (float,float,float,float) u3",
        "store_uav_typed u3.xyzw, l(0,0,0,0), l(1.0,1.0,1.0,1.0)",
    );
    let setup = Setup::new(Engine::Jit, &writes, |_| {});
    let [target, other] = [(); 2].map(|()| setup.device.texture(TextureShape::texture_2d(COLOR, 8, 8)).unwrap());
    let draws = |written: &Texture| {
        let mut bindings = Bindings::new();
        bindings.set(Register::u(3), View::texture(written.clone()));
        let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
        let mut pass = Pass::new(&setup.device, targets).unwrap();
        let draw = Draw::new(&setup.pipeline, 3).vertex_buffer(setup.vertices(&EVERYWHERE), 16);
        let added = pass.draw(&draw.bindings(&bindings));
        added.map(|_| pass.finish().unwrap())
    };
    assert!(draws(&other).is_ok());
    let error = draws(&target).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Binding);
    let expected = "the pixel shader writes u3, which is target 0 of the same draw: let it write something else";
    assert_eq!(error.to_string(), expected);
}

/// The examples of the functional specification, 20.4.7: strips and lists of four primitives.
#[test]
fn statistics_count_what_the_specification_says() {
    let statistics = |topology: Topology, count: u32, indices: Option<&[u32]>, change: &dyn Fn(&mut PipelineDesc)| {
        let setup = Setup::new(Engine::Jit, &pixel("", ""), |desc| {
            desc.topology = topology;
            change(desc);
        });
        let target = setup.target(16, 16);
        let mut positions = EVERYWHERE.to_vec();
        positions.extend([[0.5, 0.5, 0.5, 1.0]; 9]);
        let mut draw = Draw::new(&setup.pipeline, count).vertex_buffer(setup.vertices(&positions), 16);
        if let Some(indices) = indices {
            let buffer = setup.device.buffer_from(indices).unwrap();
            draw = draw.index_buffer(IndexBuffer { buffer, offset_bytes: 0, is_short: false });
        }
        let mut pass = setup.pass(&target);
        pass.draw(&draw).unwrap();
        pass.finish().unwrap()[0]
    };
    let counts = |s: Statistics| (s.vertices, s.primitives, s.vertex_invocations);
    let (list, strip) = (Topology::TriangleList, Topology::TriangleStrip);
    assert_eq!(counts(statistics(strip, 6, Some(&[1; 6]), &|_| {})), (6, 4, 1));
    assert_eq!(counts(statistics(list, 12, Some(&[1; 12]), &|_| {})), (12, 4, 1));
    assert_eq!(counts(statistics(strip, 6, None, &|_| {})), (6, 4, 6));
    let all = statistics(list, 12, None, &|_| {});
    assert_eq!(counts(all), (12, 4, 12));
    assert_eq!((all.clipper_invocations, all.clipper_primitives), (4, 4));
    assert_eq!((all.pixel_invocations, all.samples), (256, 256));

    // Strips of 3 and 2 after restarts count their vertices.
    let cut = u32::MAX;
    let restarts = statistics(strip, 9, Some(&[0, 1, 2, cut, cut, 3, 4, cut, 5]), &|_| {});
    assert_eq!((restarts.vertices, restarts.primitives), (6, 1));

    // Without a pixel shader and a depth test nothing is rasterized (16.9); with the test pixels count, but no shader
    // runs.
    let null = |enable: bool| {
        statistics(list, 3, None, &move |desc| {
            (desc.modules[StageKind::Pixel], desc.depth.enable) = (None, enable);
        })
    };
    let off = null(false);
    assert_eq!((off.primitives, off.clipper_invocations, off.clipper_primitives, off.samples), (1, 0, 0, 0));
    let on = null(true);
    assert_eq!((on.clipper_invocations, on.clipper_primitives, on.pixel_invocations, on.samples), (1, 1, 0, 256));
}
