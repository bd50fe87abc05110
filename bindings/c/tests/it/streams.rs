//! Checks geometry shaders, stream output, queries and predication. Expectations are worked out by hand.

use std::ffi::CStr;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::null;

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::device::*;
use brolga_c::draw::*;
use brolga_c::merger::TargetState;
use brolga_c::pipeline::*;
use brolga_c::query::*;
use brolga_c::shader::*;
use brolga_c::state::{Engine, Topology};
use brolga_c::statistics::*;
use brolga_c::stream::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{bytes, device, pass_to};

/// Passes the place of a vertex on.
pub const KEEP: &CStr = c"
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// PLACE                    0   xy          0     NONE   float   xy
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// PLACE                    0   xy          0     NONE   float   xy
//
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xy
dcl_output o0.xy
mov o0.xy, v0.xyxx
ret
";

/// Makes two points of each: the same, and one that constants say how far away. Both have the number of the point.
const TWICE: &CStr = c"
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// PLACE                    0   xy          0     NONE   float   xy
// SV_PrimitiveID           0    N/A   primID   PRIMID    uint    YES
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// PLACE                    0   xy          0     NONE   float   xy
// NUMBER                   3   x           1     NONE    uint   x
//
gs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb0[1], immediateIndexed
dcl_input v[1][0].xy
dcl_input vPrim
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xy
dcl_output o1.x
dcl_maxout 2
mov o0.xy, v[0][0].xyxx
mov o1.x, vPrim
emit_stream m0
add o0.xy, v[0][0].xyxx, cb0[0].xyxx
mov o1.x, vPrim
emit_stream m0
ret
";

/// Takes what the other writes.
const SHOW: &CStr = c"
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// PLACE                    0   xy          0     NONE   float   xy
// NUMBER                   3   x           1     NONE    uint   x
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float   xyzw
// NUMBER                   3   x           1     NONE    uint   x
//
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xy
dcl_input v1.x
dcl_output_siv o0.xyzw, position
dcl_output o1.x
mov o0.xy, v0.xyxx
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.x, v1.x
ret
";

/// One more than the number.
pub const NUMBERED: &CStr = c"
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float
// NUMBER                   3   x           1     NONE    uint   x
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Target                0   x           0   TARGET    uint   x
//
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_input_ps constant v1.x
dcl_output o0.x
iadd o0.x, v1.x, l(1)
ret
";

/// Pixels of a row of the target, and rows.
pub const SIDE: u32 = 4;

// Formats by their numbers in DXGI.
pub const R32G32_FLOAT: u32 = 16;
pub const R32_UINT: u32 = 42;

/// The word that is in the buffer for stream output at first.
const OLD: u32 = 0xaaaa_aaaa;

/// The place of a pixel's center.
fn place(column: u32, row: u32) -> [f32; 2] {
    [column as f32 / 2.0 - 0.75, 0.75 - row as f32 / 2.0]
}

/// A pass over a target of numbers, with a pipeline that doubles points, and one that draws them.
pub struct Scene {
    device: *mut Device,
    texture: *mut Texture,
    view: *mut View,
    pub pass: *mut Pass,
    pub doubles: *mut Pipeline,
    pub shows: *mut Pipeline,
    constants: *mut Buffer,
    constant_view: *mut View,
    pub bindings: *mut Bindings,
    pub points: *mut Buffer,
    pub kept: *mut Buffer,
}

pub fn input(semantic: &CStr, format: u32, offset_bytes: u32) -> InputElement {
    InputElement { semantic: semantic.as_ptr(), format, offset_bytes, ..InputElement::default() }
}

/// Words of 4 bytes, of which the third is left as it is.
pub fn entries() -> [StreamOutputEntry; 3] {
    let entry = |component_count| StreamOutputEntry { component_count, ..StreamOutputEntry::default() };
    [
        StreamOutputEntry { semantic: c"place".as_ptr(), ..entry(2) },
        entry(1),
        StreamOutputEntry { semantic: c"NUMBER3".as_ptr(), ..entry(1) },
    ]
}

/// Calls a function with the options of the pipeline that doubles points.
pub fn with_options<T>(work: impl FnOnce(PipelineOptions) -> T) -> T {
    let shaders = [KEEP, TWICE].map(|listing| made!(brolga_assemble(listing.as_ptr())));
    let [vertex, geometry] = shaders.map(|shader| bytes(shader));
    let (place, entries, strides) = (input(c"PLACE", R32G32_FLOAT, 0), entries(), [16]);
    let stream_output = StreamOutput {
        entries: entries.as_ptr(),
        entry_count: entries.len(),
        strides: strides.as_ptr(),
        stride_count: 1,
        rasterized_stream: u32::MAX,
        ..StreamOutput::default()
    };
    let target = TargetState { format: R32_UINT, ..TargetState::default() };
    let interpreted = CompileOptions { engine: MaybeUninit::new(Engine::Interpreter), ..CompileOptions::default() };
    let done = work(PipelineOptions {
        vertex_shader: vertex.as_ptr().cast(),
        vertex_shader_bytes: vertex.len(),
        geometry_shader: geometry.as_ptr().cast(),
        geometry_shader_bytes: geometry.len(),
        geometry_compile: &interpreted,
        inputs: &place,
        input_count: 1,
        targets: &target,
        target_count: 1,
        topology: MaybeUninit::new(Topology::PointList),
        stream_output: &stream_output,
        ..PipelineOptions::default()
    });
    destroy! { brolga_blob_destroy(shaders[0]); brolga_blob_destroy(shaders[1]) }
    done
}

/// The pipeline that draws points. Its options have the size that they had before there were geometry shaders.
fn shows(device: *const Device) -> *mut Pipeline {
    let shaders = [SHOW, NUMBERED].map(|listing| made!(brolga_assemble(listing.as_ptr())));
    let [vertex, pixel] = shaders.map(|shader| bytes(shader));
    let inputs = [input(c"PLACE", R32G32_FLOAT, 0), input(c"NUMBER3", R32_UINT, 12)];
    let target = TargetState { format: R32_UINT, ..TargetState::default() };
    let options = PipelineOptions {
        size: offset_of!(PipelineOptions, geometry_shader),
        vertex_shader: vertex.as_ptr().cast(),
        vertex_shader_bytes: vertex.len(),
        pixel_shader: pixel.as_ptr().cast(),
        pixel_shader_bytes: pixel.len(),
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        targets: &target,
        target_count: 1,
        topology: MaybeUninit::new(Topology::PointList),
        // Not to be read.
        geometry_shader_bytes: 1,
        ..PipelineOptions::default()
    };
    let pipeline = made!(brolga_pipeline_create(device, &options));
    destroy! { brolga_blob_destroy(shaders[0]); brolga_blob_destroy(shaders[1]) }
    pipeline
}

impl Scene {
    pub fn new() -> Self {
        let device = device();
        let shape = TextureOptions { format: R32_UINT, width: SIDE, height: SIDE, ..TextureOptions::default() };
        let (texture, view, pass) = pass_to(device, &shape);
        let constants = made!(brolga_buffer_create(device, 16, [0.5_f32, 0.0, 0.0, 0.0].as_ptr().cast()));
        let kind = MaybeUninit::new(BufferKind::Constant);
        let constant_view =
            made!(brolga_view_of_buffer(constants, &BufferViewOptions { kind, ..BufferViewOptions::default() }));
        let bindings = made!(brolga_bindings_create(0));
        works!(brolga_bindings_set(bindings, null(), c"b0".as_ptr(), constant_view));
        let places = [place(0, 0), place(1, 1), place(2, 2)];
        let doubles = with_options(|options| made!(brolga_pipeline_create(device, &options)));
        Self {
            device,
            texture,
            view,
            pass,
            doubles,
            shows: shows(device),
            constants,
            constant_view,
            bindings,
            points: made!(brolga_buffer_create(device, 24, places.as_ptr().cast())),
            kept: made!(brolga_buffer_create(device, 96, [OLD; 24].as_ptr().cast())),
        }
    }

    /// Doubles points, and writes them to a target.
    pub fn double(&self, first: u32, count: u32, to: StreamTarget) -> u64 {
        let from = VertexBuffer { buffer: self.points, stride_bytes: 8, ..VertexBuffer::default() };
        let draw = DrawOptions {
            pipeline: self.doubles,
            geometry_bindings: self.bindings,
            vertex_buffers: &from,
            vertex_buffer_count: 1,
            stream_targets: &to,
            stream_target_count: 1,
            first,
            count,
            ..DrawOptions::default()
        };
        given!(u64: brolga_pass_draw(self.pass, &draw))
    }

    /// Draws all points that were written from byte 16 on. The options have the size of before.
    fn show(&self) -> u64 {
        let (buffer, offset_bytes, stride_bytes) = (self.kept.cast_const(), 16, 16);
        let from = VertexBuffer { buffer, offset_bytes, stride_bytes, ..VertexBuffer::default() };
        let draw = DrawOptions {
            size: offset_of!(DrawOptions, geometry_bindings),
            pipeline: self.shows,
            vertex_buffers: &from,
            vertex_buffer_count: 1,
            count: 77,
            stream_target_count: 9,
            ..DrawOptions::default()
        };
        given!(u64: brolga_pass_draw_auto(self.pass, &draw))
    }

    pub fn begin(&self, kind: QueryKind) -> *mut Query {
        made!(brolga_pass_begin_query(self.pass, MaybeUninit::new(kind)))
    }

    /// The result of a query, which is destroyed.
    fn end(&self, query: *mut Query) -> QueryData {
        let mut data = QueryData::default();
        works! { brolga_pass_end_query(self.pass, query); brolga_pass_query_data(self.pass, query, &mut data) };
        destroy!(brolga_query_destroy(query));
        data
    }

    fn statistics(&self, number: u64) -> PipelineStatistics {
        let mut statistics = PipelineStatistics::default();
        works!(brolga_pass_pipeline_statistics(self.pass, number, &mut statistics));
        statistics
    }

    pub fn destroy(self) {
        destroy! {
            brolga_pass_destroy(self.pass); brolga_view_destroy(self.view); brolga_texture_destroy(self.texture);
            brolga_pipeline_destroy(self.doubles); brolga_pipeline_destroy(self.shows);
            brolga_bindings_destroy(self.bindings); brolga_view_destroy(self.constant_view);
            brolga_buffer_destroy(self.constants); brolga_buffer_destroy(self.points); brolga_buffer_destroy(self.kept);
            brolga_device_destroy(self.device);
        }
    }
}

/// The result of a predicate.
fn is_true(data: &QueryData) -> bool {
    // SAFETY: the library writes it.
    unsafe { data.result.assume_init() }
}

/// Two points become four from byte 16 on. A third one becomes two, of which one has room.
#[test]
pub fn points_are_streamed_out_and_drawn_if_a_predicate_says_so() {
    let scene = Scene::new();
    let Scene { pass, kept, .. } = scene;
    let shader = made!(brolga_pipeline_geometry_shader(scene.doubles));
    assert_eq!(given!(u32: brolga_shader_engine(shader)), Engine::Interpreter as u32);
    assert_eq!(given!(u64: brolga_buffer_filled_bytes(kept)), 0);

    let [all, sums] = [QueryKind::SoStatistics, QueryKind::PipelineStatistics].map(|kind| scene.begin(kind));
    let target = |offset_bytes| StreamTarget { buffer: kept, offset_bytes, ..StreamTarget::default() };
    let fits = scene.begin(QueryKind::SoOverflowPredicate);
    assert_eq!(scene.double(0, 2, target(16)), 0);
    let fits = scene.end(fits);
    assert_eq!((is_true(&fits), given!(u64: brolga_buffer_filled_bytes(kept))), (false, 80));
    let [is_full, other] =
        [QueryKind::SoOverflowPredicateStream0, QueryKind::SoStatisticsStream1].map(|kind| scene.begin(kind));
    assert_eq!(scene.double(2, 1, target(u64::MAX)), 1);
    let (is_full, other) = (scene.end(is_full), scene.end(other));
    assert_eq!((is_true(&is_full), given!(u64: brolga_buffer_filled_bytes(kept))), (true, 96));
    assert_eq!(other.stream, StreamStatistics::default());
    assert_eq!(scene.end(all).stream, StreamStatistics { written: 5, needed: 6 });
    let mut words = [0_u32; 24];
    works!(brolga_buffer_read(kept, 0, words.as_mut_ptr().cast(), 96));
    let vertex = |(column, row, number)| {
        let [x, y] = place(column, row).map(f32::to_bits);
        [x, y, OLD, number]
    };
    let written = [(0, 0, 0), (1, 0, 0), (1, 1, 1), (2, 1, 1), (2, 2, 0)];
    assert_eq!((&words[..4], &words[4..]), (&[OLD; 4][..], written.map(vertex).as_flattened()));

    // Nothing is drawn if nothing overflowed.
    works!(brolga_pass_set_predication(pass, is_true(&fits), false));
    let seen = scene.begin(QueryKind::Occlusion);
    assert_eq!((scene.show(), scene.end(seen).samples), (2, 0));
    works!(brolga_pass_set_predication(pass, is_true(&is_full), false));
    let [seen, any] = [QueryKind::Occlusion, QueryKind::OcclusionPredicate].map(|kind| scene.begin(kind));
    assert_eq!((scene.show(), scene.end(seen).samples, is_true(&scene.end(any))), (3, 5, true));
    works!(brolga_pass_set_predication(pass, true, true));
    assert_eq!(scene.show(), 4);
    works!(brolga_pass_clear_predication(pass));
    let mut texels = [[0_u32; SIDE as usize]; SIDE as usize];
    works!(brolga_texture_read(scene.texture, null(), texels.as_mut_ptr().cast(), 64, 0));
    assert_eq!(texels, [[1, 1, 0, 0], [0, 2, 2, 0], [0, 0, 1, 0], [0; 4]]);

    let [first, skipped, shown] = [0, 2, 3].map(|number| scene.statistics(number));
    assert_eq!((first.vertices, first.primitives, first.vertex_invocations), (2, 2, 2));
    assert_eq!((first.geometry_invocations, first.geometry_primitives, first.clipper_invocations), (2, 4, 0));
    assert_eq!(
        first.streams,
        [[4, 4], [0; 2], [0; 2], [0; 2]].map(|[written, needed]| StreamStatistics { written, needed })
    );
    assert_eq!((skipped.vertices, skipped.samples), (0, 0));
    assert_eq!((shown.vertices, shown.clipper_invocations, shown.pixel_invocations, shown.samples), (5, 5, 5, 5));
    let mut sum = PipelineStatistics::default();
    works! { brolga_pass_end_query(pass, sums); brolga_pass_query_statistics(pass, sums, &mut sum) };
    assert_eq!((sum.vertices, sum.geometry_invocations, sum.geometry_primitives, sum.samples), (8, 3, 6, 5));
    assert_eq!((sum.hull_invocations, sum.domain_invocations, sum.streams[0].needed), (0, 0, 6));
    // What there was before has the same numbers.
    let old = given!(Statistics: brolga_pass_statistics(pass, 3));
    assert_eq!((old.vertices, old.samples, old.reserved), (5, 5, 0));
    destroy! { brolga_query_destroy(sums); brolga_shader_destroy(shader) }
    scene.destroy();
}

#[test]
pub fn timestamps_follow_one_another() {
    let scene = Scene::new();
    let mut times = Vec::new();
    for _ in 0..3 {
        let query = scene.begin(QueryKind::Timestamp);
        let number = scene.double(0, 3, StreamTarget::default());
        let data = scene.end(query);
        // It is drawn by then, if to no buffer.
        assert_eq!(scene.statistics(number).streams[0], StreamStatistics { written: 0, needed: 6 });
        times.push(data.time_ns);
    }
    assert!(times.is_sorted() && times[0] > 0, "{times:?}");
    scene.destroy();
}

/// Structs of results may be shorter or longer than those of this version.
#[test]
fn results_of_other_sizes_are_written() {
    let scene = Scene::new();
    let number = scene.double(0, 3, StreamTarget::default());
    works!(brolga_pass_flush(scene.pass));
    let mut room = [u64::MAX; size_of::<PipelineStatistics>() / 8 + 2];
    let to = room.as_mut_ptr().cast::<PipelineStatistics>();
    let size = size_of_val(&room) - 8;
    // SAFETY: there is room for more.
    assert_eq!(unsafe { brolga_pipeline_statistics_init(to, size) }, brolga_c::error::Code::Ok);
    works!(brolga_pass_pipeline_statistics(scene.pass, number, to));
    let end = size_of::<PipelineStatistics>() / 8;
    assert_eq!((room[0], room[1], room[end], room[end + 1]), (size as u64, 3, 0, u64::MAX));
    scene.destroy();
}
