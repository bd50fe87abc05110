//! Checks hull and domain shaders. Expectations are worked out by hand.

use std::ffi::CStr;
use std::mem::MaybeUninit;
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
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{bytes, device, pass_to};
use crate::streams::{KEEP, NUMBERED, R32_UINT, R32G32_FLOAT, SIDE, input};

/// Patches of one control point, which is passed on. Constants say how often they are divided; each has its number.
const DIVIDE: &CStr = c"
// Patch Constant signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_TessFactor            0   x           0 QUADEDGE   float   x
// SV_TessFactor            1   x           1 QUADEDGE   float   x
// SV_TessFactor            2   x           2 QUADEDGE   float   x
// SV_TessFactor            3   x           3 QUADEDGE   float   x
// SV_InsideTessFactor      0   x           4  QUADINT   float   x
// SV_InsideTessFactor      1   x           5  QUADINT   float   x
// NUMBER                   0   x           6     NONE    uint   x
//
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
hs_5_0
hs_decls
dcl_input_control_point_count 1
dcl_output_control_point_count 1
dcl_tessellator_domain domain_quad
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb0[1], immediateIndexed
hs_fork_phase
dcl_input vPrim
dcl_output_siv o0.x, finalQuadUeq0EdgeTessFactor
dcl_output_siv o1.x, finalQuadVeq0EdgeTessFactor
dcl_output_siv o2.x, finalQuadUeq1EdgeTessFactor
dcl_output_siv o3.x, finalQuadVeq1EdgeTessFactor
dcl_output_siv o4.x, finalQuadUInsideTessFactor
dcl_output_siv o5.x, finalQuadVInsideTessFactor
dcl_output o6.x
mov o0.x, cb0[0].x
mov o1.x, cb0[0].x
mov o2.x, cb0[0].x
mov o3.x, cb0[0].x
mov o4.x, cb0[0].x
mov o5.x, cb0[0].x
mov o6.x, vPrim
ret
";

/// A rectangle from the control point on, as large as constants say, with the number of its patch.
const SPREAD: &CStr = c"
// Patch Constant signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_TessFactor            0   x           0 QUADEDGE   float
// SV_TessFactor            1   x           1 QUADEDGE   float
// SV_TessFactor            2   x           2 QUADEDGE   float
// SV_TessFactor            3   x           3 QUADEDGE   float
// SV_InsideTessFactor      0   x           4  QUADINT   float
// SV_InsideTessFactor      1   x           5  QUADINT   float
// NUMBER                   0   x           6     NONE    uint   x
//
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
// SV_Position              0   xyzw        0      POS   float   xyzw
// NUMBER                   3   x           1     NONE    uint   x
//
ds_5_0
dcl_input_control_point_count 1
dcl_tessellator_domain domain_quad
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb1[1], immediateIndexed
dcl_input vpc6.x
dcl_input vDomain.xy
dcl_input vicp[1][0].xy
dcl_output_siv o0.xyzw, position
dcl_output o1.x
mad o0.xy, vDomain.xyxx, cb1[0].xyxx, vicp[0][0].xyxx
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.x, vpc6.x
ret
";

/// The upper left corner of a pixel.
fn corner(column: u32, row: u32) -> [f32; 2] {
    [column as f32 / 2.0 - 1.0, 1.0 - row as f32 / 2.0]
}

/// A pass over a target of numbers, with a pipeline that draws squares of four pixels.
pub struct Scene {
    pub device: *mut Device,
    texture: *mut Texture,
    pub pass: *mut Pass,
    pub squares: *mut Pipeline,
    /// Those of the hull shader, then those of the domain shader.
    bindings: [*mut Bindings; 2],
    corners: VertexBuffer,
}

/// Calls a function with the options of the pipeline that draws squares.
pub fn with_options<T>(work: impl FnOnce(PipelineOptions) -> T) -> T {
    let shaders = [KEEP, DIVIDE, SPREAD, NUMBERED].map(|listing| made!(brolga_assemble(listing.as_ptr())));
    let [vertex, hull, domain, pixel] = shaders.map(|shader| bytes(shader));
    let place = input(c"PLACE", R32G32_FLOAT, 0);
    let target = TargetState { format: R32_UINT, ..TargetState::default() };
    let interpreted = CompileOptions { engine: MaybeUninit::new(Engine::Interpreter), ..CompileOptions::default() };
    let done = work(PipelineOptions {
        vertex_shader: vertex.as_ptr().cast(),
        vertex_shader_bytes: vertex.len(),
        hull_shader: hull.as_ptr().cast(),
        hull_shader_bytes: hull.len(),
        hull_compile: &interpreted,
        domain_shader: domain.as_ptr().cast(),
        domain_shader_bytes: domain.len(),
        pixel_shader: pixel.as_ptr().cast(),
        pixel_shader_bytes: pixel.len(),
        inputs: &place,
        input_count: 1,
        targets: &target,
        target_count: 1,
        topology: MaybeUninit::new(Topology::Patch1),
        ..PipelineOptions::default()
    });
    for shader in shaders {
        destroy!(brolga_blob_destroy(shader));
    }
    done
}

/// Bindings with constants in one register.
fn constants(device: *const Device, register: &CStr, values: [f32; 4]) -> *mut Bindings {
    let buffer = made!(brolga_buffer_create(device, 16, values.as_ptr().cast()));
    let kind = MaybeUninit::new(BufferKind::Constant);
    let view = made!(brolga_view_of_buffer(buffer, &BufferViewOptions { kind, ..BufferViewOptions::default() }));
    let bindings = made!(brolga_bindings_create(0));
    works!(brolga_bindings_set(bindings, null(), register.as_ptr(), view));
    destroy! { brolga_view_destroy(view); brolga_buffer_destroy(buffer) }
    bindings
}

impl Scene {
    pub fn new() -> Self {
        let device = device();
        let shape = TextureOptions { format: R32_UINT, width: SIDE, height: SIDE, ..TextureOptions::default() };
        let (texture, view, pass) = pass_to(device, &shape);
        destroy!(brolga_view_destroy(view));
        let corners = [corner(0, 0), corner(2, 1)];
        let buffer = made!(brolga_buffer_create(device, 16, corners.as_ptr().cast()));
        Self {
            device,
            texture,
            pass,
            squares: with_options(|options| made!(brolga_pipeline_create(device, &options))),
            bindings: [constants(device, c"b0", [2.0, 0.0, 0.0, 0.0]), constants(device, c"b1", [1.0, -1.0, 0.0, 0.0])],
            corners: VertexBuffer { buffer, stride_bytes: 8, ..VertexBuffer::default() },
        }
    }

    /// A draw of two squares.
    pub fn draw(&self) -> DrawOptions {
        DrawOptions {
            pipeline: self.squares,
            hull_bindings: self.bindings[0],
            domain_bindings: self.bindings[1],
            vertex_buffers: &self.corners,
            vertex_buffer_count: 1,
            count: 2,
            ..DrawOptions::default()
        }
    }

    pub fn destroy(self) {
        destroy! {
            brolga_pass_destroy(self.pass); brolga_texture_destroy(self.texture);
            brolga_pipeline_destroy(self.squares); brolga_bindings_destroy(self.bindings[0]);
            brolga_bindings_destroy(self.bindings[1]); brolga_buffer_destroy(self.corners.buffer.cast_mut());
            brolga_device_destroy(self.device);
        }
    }
}

/// Each patch is divided into four parts, which are two triangles each, with nine points.
#[test]
pub fn patches_become_squares() {
    let scene = Scene::new();
    let Scene { pass, squares, .. } = scene;
    let [vertex, hull, domain] = [
        made!(brolga_pipeline_vertex_shader(squares)),
        made!(brolga_pipeline_hull_shader(squares)),
        made!(brolga_pipeline_domain_shader(squares)),
    ];
    let engine = |shader| given!(u32: brolga_shader_engine(shader));
    assert_eq!((engine(hull), engine(domain)), (Engine::Interpreter as u32, engine(vertex)));

    let query = made!(brolga_pass_begin_query(pass, MaybeUninit::new(QueryKind::PipelineStatistics)));
    let number = given!(u64: brolga_pass_draw(pass, &scene.draw()));
    let [mut drawn, mut sum] = [PipelineStatistics::default(); 2];
    works! {
        brolga_pass_end_query(pass, query); brolga_pass_query_statistics(pass, query, &mut sum);
        brolga_pass_pipeline_statistics(pass, number, &mut drawn);
    }
    for counts in [drawn, sum] {
        assert_eq!((counts.vertices, counts.primitives, counts.vertex_invocations), (2, 2, 2));
        assert_eq!((counts.hull_invocations, counts.domain_invocations), (2, 18));
        assert_eq!((counts.geometry_invocations, counts.clipper_invocations, counts.samples), (0, 16, 8));
    }
    let mut texels = [[0_u32; SIDE as usize]; SIDE as usize];
    works!(brolga_texture_read(scene.texture, null(), texels.as_mut_ptr().cast(), 64, 0));
    assert_eq!(texels, [[1, 1, 0, 0], [1, 1, 2, 2], [0, 0, 2, 2], [0; 4]]);
    for shader in [vertex, hull, domain] {
        destroy!(brolga_shader_destroy(shader));
    }
    destroy!(brolga_query_destroy(query));
    scene.destroy();
}
