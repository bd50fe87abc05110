//! Checks the results of correct calls: the caller's memory, boxes of textures, counters, counts in buffers, state of
//! draws, reflection. Expectations are counted by hand, or by the plain code beside them.

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
use brolga_c::statistics::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{NUMBERS, TriangleParts, assembled, bytes, device, pass_to, read};

fn text(from: *const c_char) -> &'static str {
    // SAFETY: the object under test lives until the end of the test.
    if from.is_null() { "" } else { unsafe { CStr::from_ptr(from) }.to_str().expect("UTF-8") }
}

/// Counts the calls that release the caller's memory.
unsafe extern "C" fn count(context: *mut c_void) {
    // SAFETY: the tests give a counter that outlives the buffer.
    unsafe { &*context.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
pub fn memory_of_the_caller_is_used_in_place_and_released_once() {
    let device = device();
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
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view));
    // The groups 2, 3 and 4, by counts in a buffer.
    let counts = made!(brolga_buffer_create(device, 16, [0_u32, 3, 1, 1].as_ptr().cast()));
    let dispatch = DispatchOptions {
        indirect: counts,
        indirect_offset_bytes: 4,
        first_group: [2, 0, 0],
        ..DispatchOptions::default()
    };
    let mut report = Report::default();
    works!(brolga_dispatch(device, shader, bindings, &dispatch, &mut report));
    assert_eq!((report.groups, report.threads), (3, 3));
    // SAFETY: nothing writes it now.
    assert_eq!(unsafe { at.cast::<[u32; 8]>().read() }, [9, 9, 2, 3, 4, 9, 9, 9]);

    destroy! { brolga_buffer_destroy(buffer); brolga_view_destroy(view) }
    assert_eq!(released.load(Ordering::SeqCst), 0, "bindings keep it");
    destroy!(brolga_bindings_destroy(bindings));
    assert_eq!(released.load(Ordering::SeqCst), 1);
    destroy! { brolga_shader_destroy(shader); brolga_buffer_destroy(counts); brolga_device_destroy(device) }
}

/// The data that a release callback may use.
struct Caller {
    bindings: *mut Bindings,
    bound: *mut Bound,
    calls: AtomicU32,
}

/// Calls the object that is releasing its memory.
unsafe extern "C" fn call_again(context: *mut c_void) {
    // SAFETY: the test gives a caller that outlives the buffer.
    let caller = unsafe { &*context.cast::<Caller>() };
    caller.calls.fetch_add(1, Ordering::SeqCst);
    if caller.bound.is_null() {
        works!(brolga_bindings_remove(caller.bindings, null(), c"t9".as_ptr()));
    } else {
        works!(brolga_bound_prepare(caller.bound, [1, 1, 1].as_ptr()));
    }
}

#[test]
fn releasing_memory_may_call_what_let_it_go() {
    let device = device();
    let mut memory = [0_u32; 8];
    let at = memory.as_mut_ptr().cast::<c_void>();
    let own = made!(brolga_buffer_create(device, 32, null()));
    let other = made!(brolga_view_of_buffer(own, null()));
    let bindings = made!(brolga_bindings_create(0));
    let mut caller = Caller { bindings, bound: null_mut(), calls: AtomicU32::new(0) };
    let bind = |caller: &Caller| {
        let context = std::ptr::from_ref(caller).cast_mut().cast();
        let buffer = made!(brolga_buffer_wrap(at, 32, true, Some(call_again), context));
        let view = made!(brolga_view_of_buffer(buffer, null()));
        works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view));
        destroy! { brolga_view_destroy(view); brolga_buffer_destroy(buffer) }
    };
    bind(&caller);
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), other));
    assert_eq!(caller.calls.load(Ordering::SeqCst), 1);
    bind(&caller);
    works!(brolga_bindings_remove(bindings, null(), c"u0".as_ptr()));
    assert_eq!(caller.calls.load(Ordering::SeqCst), 2);

    let shader = assembled(device, NUMBERS);
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), other));
    caller.bound = made!(brolga_bound_create(device, shader, bindings));
    bind(&caller);
    let bound = made!(brolga_bound_create(device, shader, bindings));
    // The bound shader alone keeps the memory then, and calls the other.
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), other));
    works!(brolga_bound_set(bound, c"u0".as_ptr(), other));
    assert_eq!(caller.calls.load(Ordering::SeqCst), 3);
    destroy!(brolga_bound_destroy(caller.bound));
    destroy! { brolga_bound_destroy(bound); brolga_bindings_destroy(bindings); brolga_shader_destroy(shader) }
    destroy! { brolga_view_destroy(other); brolga_buffer_destroy(own); brolga_device_destroy(device) }
}

#[test]
fn threads_may_change_a_bound_shader_at_once() {
    let device = device();
    let buffer = made!(brolga_buffer_create(device, 32, null()));
    let view = made!(brolga_view_of_buffer(buffer, null()));
    let (shader, bindings) = (assembled(device, NUMBERS), made!(brolga_bindings_create(0)));
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let (at, of) = (bound.expose_provenance(), view.expose_provenance());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                for _ in 0..1000 {
                    let (bound, view) = (std::ptr::with_exposed_provenance(at), std::ptr::with_exposed_provenance(of));
                    works!(brolga_bound_set(bound, c"u0".as_ptr(), view));
                }
            });
        }
    });
    destroy! { brolga_bound_destroy(bound); brolga_bindings_destroy(bindings); brolga_shader_destroy(shader) }
    destroy! { brolga_view_destroy(view); brolga_buffer_destroy(buffer); brolga_device_destroy(device) }
}

#[test]
pub fn boxes_of_levels_and_layers_are_copied_with_row_pitches() {
    let device = device();
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
    works!(brolga_texture_write(texture, &part, rows.as_ptr().cast(), rows.len(), 5));
    let buffer = made!(brolga_texture_buffer(texture));
    // A layer has 64 + 16 bytes.
    let mut expected = [0_u8; 160];
    expected[80 + 64 + 2 * 4 + 1..][..3].copy_from_slice(&[1, 2, 3]);
    expected[80 + 64 + 3 * 4 + 1..][..3].copy_from_slice(&[4, 5, 6]);
    let mut all = [7_u8; 160];
    works!(brolga_buffer_read(buffer, 0, all.as_mut_ptr().cast(), 160));
    assert_eq!(all, expected);
    let mut back = [50_u8; 8];
    works!(brolga_texture_read(texture, &part, back.as_mut_ptr().cast(), 8, 5));
    assert_eq!(back, [1, 2, 3, 50, 50, 4, 5, 6]);
    destroy! { brolga_buffer_destroy(buffer); brolga_texture_destroy(texture); brolga_device_destroy(device) }
}

#[test]
pub fn counters_count_and_views_see_parts() {
    let device = device();
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
    works! {
        brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view);
        brolga_dispatch(device, shader, bindings, null(), null_mut());
    }
    assert_eq!(given!(u32: brolga_view_counter(view)), 10);
    let mut words = [0_u32; 16];
    works!(brolga_buffer_read(buffer, 0, words.as_mut_ptr().cast(), 64));
    // Four words before the view, two before the counter's first value.
    assert_eq!(words[..6], [0; 6]);
    assert_eq!(words[6..14].iter().copied().collect::<BTreeSet<u32>>(), (0..8).collect());
    works!(brolga_view_set_counter(view, 0));
    destroy! {
        brolga_bindings_destroy(bindings); brolga_view_destroy(view); brolga_buffer_destroy(buffer);
        brolga_shader_destroy(shader); brolga_device_destroy(device);
    }
}

#[test]
pub fn a_bound_shader_takes_other_views_between_dispatches() {
    let device = device();
    let (shader, bindings) = (assembled(device, NUMBERS), made!(brolga_bindings_create(0)));
    let buffers = [0, 1].map(|_| made!(brolga_buffer_create(device, 16, null())));
    let views = buffers.map(|buffer| made!(brolga_view_of_buffer(buffer, null())));
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), views[0]));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let of = |groups| DispatchOptions { groups: [groups, 1, 1], ..DispatchOptions::default() };
    works! {
        brolga_bound_prepare(bound, [3_u32, 1, 1].as_ptr()); brolga_bound_dispatch(bound, &of(3), null_mut());
        brolga_bound_set(bound, c"u0".as_ptr(), views[1]); brolga_bound_dispatch(bound, &of(4), null_mut());
    }
    let words = buffers.map(|buffer| given!([u32; 4]: read_words(buffer)));
    assert_eq!(words, [[0, 1, 2, 0], [0, 1, 2, 3]]);
    destroy! {
        brolga_bound_destroy(bound); brolga_bindings_destroy(bindings); brolga_shader_destroy(shader);
        brolga_view_destroy(views[0]); brolga_view_destroy(views[1]); brolga_buffer_destroy(buffers[0]);
        brolga_buffer_destroy(buffers[1]); brolga_device_destroy(device);
    }
}

/// The first words of a buffer.
unsafe fn read_words(buffer: *const Buffer, words: *mut [u32; 4], error: *mut brolga_c::error::Error) -> Code {
    // SAFETY: four words may be written.
    unsafe { brolga_buffer_read(buffer, 0, words.cast(), 16, error) }
}

#[test]
pub fn counts_of_draws_scissors_and_masks_count() {
    let device = device();
    // R32G32_FLOAT and R32G32B32A32_FLOAT; R8G8B8A8_UNORM, of which red and alpha are written.
    let target = TargetState { format: 28, write_mask: 0b1001, ..TargetState::default() };
    let parts = TriangleParts::new([(16, 0), (2, 8)], target);
    let pipeline = made!(brolga_pipeline_create(device, &parts.options()));
    let shape = TextureOptions { format: 28, width: 16, height: 16, ..TextureOptions::default() };
    let (texture, view, pass) = pass_to(device, &shape);
    works!(brolga_pass_clear_color(pass, 0, [0.0_f32, 1.0, 0.0, 0.0].as_ptr()));
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
    works!(brolga_pass_flush(pass));
    let statistics = given!(Statistics: brolga_pass_statistics(pass, number));
    assert_eq!((statistics.vertices, statistics.primitives, statistics.samples), (3, 1, 3 * 4));
    let mut texels = [[[0_u8; 4]; 16]; 16];
    works!(brolga_texture_read(texture, null(), texels.as_mut_ptr().cast(), 1024, 0));
    for (y, row) in texels.iter().enumerate() {
        for (x, &texel) in row.iter().enumerate() {
            let is_drawn = (2..5).contains(&x) && (3..7).contains(&y);
            assert_eq!(texel, if is_drawn { [255, 255, 0, 255] } else { [0, 255, 0, 0] }, "column {x}, row {y}");
        }
    }
    let shader = made!(brolga_pipeline_pixel_shader(pipeline));
    destroy! {
        brolga_shader_destroy(shader); brolga_buffer_destroy(arguments); brolga_buffer_destroy(buffer);
        brolga_pass_destroy(pass); brolga_view_destroy(view); brolga_texture_destroy(texture);
        brolga_pipeline_destroy(pipeline); brolga_device_destroy(device);
    }
}

/// The declarations of `examples/mandelbrot.hlsl` and `examples/triangle.hlsl`.
#[test]
pub fn reflection_says_what_sources_declare() {
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
    destroy! { brolga_reflection_destroy(vertex); brolga_reflection_destroy(reflection) }
}

#[test]
pub fn exact_listings_become_the_same_bytes() {
    for name in ["mandelbrot.cso", "triangle_ps.cso"] {
        let container = read(name);
        let listing = made!(brolga_disassemble(container.as_ptr().cast(), container.len(), true));
        let again = made!(brolga_assemble(bytes(listing).as_ptr().cast()));
        assert_eq!(bytes(again), container, "{name}");
        let description = made!(brolga_describe(container.as_ptr().cast(), container.len()));
        assert!(bytes(description).ends_with(b"\n"));
        destroy! { brolga_blob_destroy(description); brolga_blob_destroy(again); brolga_blob_destroy(listing) }
    }
}
