//! What the calls of C do with what is right: the caller's memory, boxes of textures, counters, counts in buffers, state of draws, reflection.
//! Expectations are counted by hand, or by the plain code beside them.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::device::*;
use brolga_c::dispatch::*;
use brolga_c::draw::*;
use brolga_c::error::Code;
use brolga_c::merger::TargetState;
use brolga_c::pipeline::*;
use brolga_c::reflect::*;
use brolga_c::shader::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

/// Calls that must work.
macro_rules! calls {
    ($($function:ident($($argument:expr),* $(,)?);)*) => {$(
        // SAFETY: the arguments are what the function takes.
        assert_eq!(unsafe { $function($($argument),*) }, Code::Ok, stringify!($function));
    )*};
}

/// Calls a function that makes an object.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut object = null_mut();
        calls! { $function($($argument,)* &mut object, null_mut()); }
        object
    }};
}

/// Calls a function that gives something.
macro_rules! given {
    ($ty:ty: $function:ident($($argument:expr),* $(,)?)) => {{
        let mut given = MaybeUninit::<$ty>::uninit();
        calls! { $function($($argument,)* given.as_mut_ptr(), null_mut()); }
        // SAFETY: the function wrote it.
        unsafe { given.assume_init() }
    }};
}

fn text(from: *const c_char) -> &'static str {
    // SAFETY: what is tested lives until the end of the test.
    if from.is_null() { "" } else { unsafe { CStr::from_ptr(from) }.to_str().expect("UTF-8") }
}

fn bytes(blob: *const Blob) -> &'static [u8] {
    let (mut data, mut size) = (null(), 0);
    calls! { brolga_blob_bytes(blob, &mut data, &mut size, null_mut()); }
    // SAFETY: what is tested lives until the end of the test.
    unsafe { std::slice::from_raw_parts(data.cast(), size) }
}

fn read(name: &str) -> Vec<u8> {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn assembled(device: *const Device, listing: &CStr) -> *mut Shader {
    let container = made!(brolga_assemble(listing.as_ptr()));
    let shader = made!(brolga_shader_create(device, bytes(container).as_ptr().cast(), bytes(container).len(), null()));
    calls! { brolga_blob_destroy(container); }
    shader
}

/// Writes the number of each group to the place of that number.
const NUMBERS: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_input vThreadGroupID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
ishl r0.x, vThreadGroupID.x, l(2)
store_raw u0.x, r0.x, vThreadGroupID.x
ret
";

/// How often the caller was told that nothing uses the memory any more.
unsafe extern "C" fn count(context: *mut c_void) {
    // SAFETY: the tests give a counter that outlives the buffer.
    unsafe { &*context.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn memory_of_the_caller_is_used_in_place_and_released_once() {
    let device = made!(brolga_device_create(null()));
    let (mut memory, released) = ([9_u32; 8], AtomicU32::new(0));
    let context = (&raw const released).cast_mut().cast();
    let mut failed = null_mut();
    // SAFETY: the memory does not begin at a multiple of 4, which is an error.
    let code = unsafe {
        let odd = memory.as_mut_ptr().byte_add(1).cast();
        brolga_buffer_wrap(odd, 16, true, Some(count), context, &mut failed, null_mut())
    };
    assert_eq!((code, failed.is_null(), released.load(Ordering::SeqCst)), (Code::Resource, true, 0));

    let at = memory.as_mut_ptr();
    let buffer = made!(brolga_buffer_wrap(at.cast(), 32, true, Some(count), context));
    let view = made!(brolga_view_of_buffer(buffer, null()));
    let (shader, bindings) = (assembled(device, NUMBERS), made!(brolga_bindings_create(0)));
    calls! { brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view, null_mut()); }
    // The groups 2, 3 and 4, by counts in a buffer.
    let counts = made!(brolga_buffer_create(device, 16, [0_u32, 3, 1, 1].as_ptr().cast()));
    let dispatch = DispatchOptions {
        indirect: counts,
        indirect_offset_bytes: 4,
        first_group: [2, 0, 0],
        ..DispatchOptions::default()
    };
    let mut report = Report::default();
    calls! { brolga_dispatch(device, shader, bindings, &dispatch, &mut report, null_mut()); }
    assert_eq!((report.groups, report.threads), (3, 3));
    // SAFETY: nothing writes it now.
    assert_eq!(unsafe { at.cast::<[u32; 8]>().read() }, [9, 9, 2, 3, 4, 9, 9, 9]);

    calls! { brolga_buffer_destroy(buffer); brolga_view_destroy(view); }
    assert_eq!(released.load(Ordering::SeqCst), 0, "bindings keep it");
    calls! { brolga_bindings_destroy(bindings); }
    assert_eq!(released.load(Ordering::SeqCst), 1);
    calls! { brolga_shader_destroy(shader); brolga_buffer_destroy(counts); brolga_device_destroy(device); }
}

#[test]
fn boxes_of_levels_and_layers_are_copied_with_row_pitches() {
    let device = made!(brolga_device_create(null()));
    let shape = TextureOptions {
        dimension: MaybeUninit::new(brolga_c::state::Dimension::Texture2dArray),
        format: 62, // R8_UINT
        width: 8,
        height: 8,
        layers: 2,
        mips: 2,
        ..TextureOptions::default()
    };
    let texture = made!(brolga_texture_create(device, &shape, null(), 0));
    let level = given!(TexelBox: brolga_texture_level(texture, 1, 1));
    assert_eq!((level.mip, level.layer, level.origin, level.extents), (1, 1, [0; 3], [4, 4, 1]));
    // Two rows of three texels from five bytes each, at column 1 and row 2 of the second level of the second layer.
    let rows = [1_u8, 2, 3, 99, 99, 4, 5, 6];
    let part = TexelBox { origin: [1, 2, 0], extents: [3, 2, 1], ..level };
    calls! { brolga_texture_write(texture, &part, rows.as_ptr().cast(), rows.len(), 5, null_mut()); }
    let buffer = made!(brolga_texture_buffer(texture));
    // A layer has 64 + 16 bytes.
    let mut expected = [0_u8; 160];
    expected[80 + 64 + 2 * 4 + 1..][..3].copy_from_slice(&[1, 2, 3]);
    expected[80 + 64 + 3 * 4 + 1..][..3].copy_from_slice(&[4, 5, 6]);
    let mut all = [7_u8; 160];
    calls! { brolga_buffer_read(buffer, 0, all.as_mut_ptr().cast(), 160, null_mut()); }
    assert_eq!(all, expected);
    let mut back = [50_u8; 8];
    calls! { brolga_texture_read(texture, &part, back.as_mut_ptr().cast(), 8, 5, null_mut()); }
    assert_eq!(back, [1, 2, 3, 50, 50, 4, 5, 6]);
    calls! { brolga_buffer_destroy(buffer); brolga_texture_destroy(texture); brolga_device_destroy(device); }
}

#[test]
fn counters_count_and_views_see_parts() {
    let device = made!(brolga_device_create(null()));
    let append = c"
cs_5_0
dcl_uav_structured_opc u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 8, 1, 1
imm_atomic_alloc r0.x, u0
store_structured u0.x, r0.x, l(0), vThreadID.x
ret
";
    let shader = assembled(device, append);
    let buffer = made!(brolga_buffer_create(device, 64, null()));
    let options = BufferViewOptions {
        kind: MaybeUninit::new(BufferKind::Structured),
        stride_bytes: 4,
        has_counter: MaybeUninit::new(true),
        counter: 2,
        offset_bytes: 16,
        ..BufferViewOptions::default()
    };
    let view = made!(brolga_view_of_buffer(buffer, &options));
    let bindings = made!(brolga_bindings_create(0));
    calls! {
        brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view, null_mut());
        brolga_dispatch(device, shader, bindings, null(), null_mut(), null_mut());
    }
    assert_eq!(given!(u32: brolga_view_counter(view)), 10);
    let mut words = [0_u32; 16];
    calls! { brolga_buffer_read(buffer, 0, words.as_mut_ptr().cast(), 64, null_mut()); }
    // Four words before the view, two before the counter's first value.
    assert_eq!(words[..6], [0; 6]);
    assert_eq!(words[6..14].iter().copied().collect::<BTreeSet<u32>>(), (0..8).collect());
    calls! {
        brolga_view_set_counter(view, 0, null_mut());
        brolga_bindings_destroy(bindings); brolga_view_destroy(view); brolga_buffer_destroy(buffer);
        brolga_shader_destroy(shader); brolga_device_destroy(device);
    }
}

#[test]
fn a_bound_shader_takes_other_views_between_dispatches() {
    let device = made!(brolga_device_create(null()));
    let (shader, bindings) = (assembled(device, NUMBERS), made!(brolga_bindings_create(0)));
    let buffers = [0, 1].map(|_| made!(brolga_buffer_create(device, 16, null())));
    let views = buffers.map(|buffer| made!(brolga_view_of_buffer(buffer, null())));
    calls! { brolga_bindings_set(bindings, null(), c"u0".as_ptr(), views[0], null_mut()); }
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let of = |groups| DispatchOptions { groups: [groups, 1, 1], ..DispatchOptions::default() };
    calls! {
        brolga_bound_prepare(bound, [3_u32, 1, 1].as_ptr(), null_mut());
        brolga_bound_dispatch(bound, &of(3), null_mut(), null_mut());
        brolga_bound_set(bound, c"u0".as_ptr(), views[1], null_mut());
        brolga_bound_dispatch(bound, &of(4), null_mut(), null_mut());
    }
    let words = buffers.map(|buffer| given!([u32; 4]: read_words(buffer)));
    assert_eq!(words, [[0, 1, 2, 0], [0, 1, 2, 3]]);
    calls! {
        brolga_bound_destroy(bound); brolga_bindings_destroy(bindings); brolga_shader_destroy(shader);
        brolga_view_destroy(views[0]); brolga_view_destroy(views[1]);
        brolga_buffer_destroy(buffers[0]); brolga_buffer_destroy(buffers[1]); brolga_device_destroy(device);
    }
}

/// The first words of a buffer.
unsafe fn read_words(buffer: *const Buffer, words: *mut [u32; 4], error: *mut brolga_c::error::Error) -> Code {
    // SAFETY: four words may be written.
    unsafe { brolga_buffer_read(buffer, 0, words.cast(), 16, error) }
}

#[test]
fn counts_of_draws_scissors_and_masks_count() {
    let device = made!(brolga_device_create(null()));
    let (vertex, pixel) = (read("triangle_vs.cso"), read("triangle_ps.cso"));
    let input = |semantic: &'static CStr, format, offset_bytes| InputElement {
        semantic: semantic.as_ptr(),
        format,
        offset_bytes,
        ..InputElement::default()
    };
    // R32G32_FLOAT and R32G32B32A32_FLOAT; R8G8B8A8_UNORM, of which red and alpha are written.
    let inputs = [input(c"POSITION", 16, 0), input(c"COLOR", 2, 8)];
    let target = TargetState { format: 28, write_mask: 0b1001, ..TargetState::default() };
    let pipeline = made!(brolga_pipeline_create(
        device,
        &PipelineOptions {
            vertex_shader: vertex.as_ptr().cast(),
            vertex_shader_bytes: vertex.len(),
            pixel_shader: pixel.as_ptr().cast(),
            pixel_shader_bytes: pixel.len(),
            inputs: inputs.as_ptr(),
            input_count: 2,
            targets: &target,
            target_count: 1,
            ..PipelineOptions::default()
        }
    ));
    let shape = TextureOptions { format: 28, width: 16, height: 16, ..TextureOptions::default() };
    let texture = made!(brolga_texture_create(device, &shape, null(), 0));
    let targets = [made!(brolga_view_of_texture(texture, null())).cast_const()];
    let options = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    let pass = made!(brolga_pass_create(device, &options));
    calls! { brolga_pass_clear_color(pass, 0, [0.0_f32, 1.0, 0.0, 0.0].as_ptr(), null_mut()); }
    // One triangle over the whole target, in white: three vertices after one that is not drawn.
    let corner = |x: f32, y: f32| [x, y, 1.0, 1.0, 1.0, 1.0];
    let vertices = [corner(0.0, 0.0), corner(-1.0, 3.0), corner(3.0, -1.0), corner(-1.0, -1.0)];
    let buffer = made!(brolga_buffer_create(device, 96, vertices.as_ptr().cast()));
    let stream = VertexBuffer { buffer, stride_bytes: 24, ..VertexBuffer::default() };
    let scissor = Rectangle { left: 2, top: 3, right: 5, bottom: 7 };
    let draw = DrawOptions {
        pipeline,
        vertex_buffers: &stream,
        vertex_buffer_count: 1,
        scissors: &scissor,
        scissor_count: 1,
        ..DrawOptions::default()
    };
    // Vertices, instances, the first vertex, the first instance.
    let arguments = made!(brolga_buffer_create(device, 20, [0_u32, 3, 1, 1, 0].as_ptr().cast()));
    let number = given!(u64: brolga_pass_draw_indirect(pass, &draw, arguments, 4));
    calls! { brolga_pass_flush(pass, null_mut()); }
    let statistics = given!(Statistics: brolga_pass_statistics(pass, number));
    assert_eq!((statistics.vertices, statistics.primitives, statistics.samples), (3, 1, 3 * 4));
    let mut texels = [[[0_u8; 4]; 16]; 16];
    calls! { brolga_texture_read(texture, null(), texels.as_mut_ptr().cast(), 1024, 0, null_mut()); }
    for (y, row) in texels.iter().enumerate() {
        for (x, &texel) in row.iter().enumerate() {
            let is_drawn = (2..5).contains(&x) && (3..7).contains(&y);
            assert_eq!(texel, if is_drawn { [255, 255, 0, 255] } else { [0, 255, 0, 0] }, "column {x}, row {y}");
        }
    }
    let shader = made!(brolga_pipeline_pixel_shader(pipeline));
    calls! {
        brolga_shader_destroy(shader); brolga_buffer_destroy(arguments); brolga_buffer_destroy(buffer);
        brolga_pass_destroy(pass); brolga_view_destroy(targets[0].cast_mut()); brolga_texture_destroy(texture);
        brolga_pipeline_destroy(pipeline); brolga_device_destroy(device);
    }
}

/// What `examples/mandelbrot.hlsl` and `examples/triangle.hlsl` declare.
#[test]
fn reflection_says_what_sources_declare() {
    let container = read("mandelbrot.cso");
    let reflection = made!(brolga_reflection_create(container.as_ptr().cast(), container.len()));
    let shader = given!(ReflectedShader: brolga_reflection_shader(reflection));
    assert_eq!((text(shader.profile), shader.group_size), ("cs_5_0", [8, 8, 1]));
    assert_eq!([shader.binding_count, shader.input_count, shader.output_count, shader.variable_count], [2, 0, 0, 3]);
    let bindings = [0, 1].map(|n| given!(ReflectedBinding: brolga_reflection_binding(reflection, n)));
    let bindings = bindings.map(|binding| (text(binding.name), text(binding.place), text(binding.kind), binding.count));
    assert_eq!(bindings, [("picture", "u0", "texture2d", 1), ("View", "b0", "constant", 1)]);
    let variables = [0, 1, 2].map(|n| given!(ReflectedVariable: brolga_reflection_variable(reflection, n)));
    let variables =
        variables.map(|of| (text(of.buffer), text(of.name), text(of.type_name), of.offset_bytes, of.size_bytes));
    let expected =
        [("View", "centre", "float2", 0, 8), ("View", "span", "float", 8, 4), ("View", "limit", "uint", 12, 4)];
    assert_eq!(variables, expected);

    let container = read("triangle_vs.cso");
    let vertex = made!(brolga_reflection_create(container.as_ptr().cast(), container.len()));
    let inputs = [0, 1].map(|n| given!(ReflectedElement: brolga_reflection_input(vertex, n)));
    let inputs = inputs.map(|input| (text(input.name), input.index, text(input.place), input.mask));
    assert_eq!(inputs, [("POSITION", 0, "v0", 3), ("COLOR", 0, "v1", 15)]);
    let output = given!(ReflectedElement: brolga_reflection_output(vertex, 0));
    assert_eq!((text(output.name), output.mask), ("SV_Position", 15));
    calls! { brolga_reflection_destroy(vertex); brolga_reflection_destroy(reflection); }
}

#[test]
fn exact_listings_become_the_same_bytes() {
    for name in ["mandelbrot.cso", "triangle_ps.cso"] {
        let container = read(name);
        let listing = made!(brolga_disassemble(container.as_ptr().cast(), container.len(), true));
        let again = made!(brolga_assemble(bytes(listing).as_ptr().cast()));
        assert_eq!(bytes(again), container, "{name}");
        let description = made!(brolga_describe(container.as_ptr().cast(), container.len()));
        assert!(bytes(description).ends_with(b"\n"));
        calls! { brolga_blob_destroy(description); brolga_blob_destroy(again); brolga_blob_destroy(listing); }
    }
}
