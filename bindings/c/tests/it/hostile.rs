//! Checks wrong calls: null pointers, objects of other kinds, sizes and numbers that do not exist, calls out of order.
//! Each is an error with its code and a text that says what is wrong, and no object is made.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::check::*;
use brolga_c::device::*;
use brolga_c::dispatch::*;
use brolga_c::draw::*;
use brolga_c::error::{Code, brolga_code_name};
use brolga_c::messages::*;
use brolga_c::pipeline::*;
use brolga_c::query::*;
use brolga_c::reflect::*;
use brolga_c::shader::*;
use brolga_c::stage::*;
use brolga_c::statistics::*;
use brolga_c::stop::*;
use brolga_c::stream::*;
use brolga_c::text::*;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{NUMBERS, Told, TriangleParts, assembled, device, read};
use crate::insight::{RACES, Run};
use crate::patches;
use crate::streams::{Scene, entries, with_options};

/// Calls a function, which must fail with a code and a text with these words.
macro_rules! fails {
    ($code:ident, $words:literal, $function:ident($($argument:expr),* $(,)?)) => {{
        let mut told = Told::new();
        // SAFETY: the errors in the arguments are among those that the library checks.
        let code = unsafe { $function($($argument,)* &mut told.0) };
        assert_eq!((code, told.0.code), (Code::$code, Code::$code), "{}: {}", stringify!($function), told.text());
        assert!(told.text().contains($words), "{}: {}", stringify!($function), told.text());
        // SAFETY: the same without a text.
        assert_eq!(unsafe { $function($($argument,)* null_mut()) }, Code::$code);
    }};
}

#[test]
fn null_and_other_objects_are_errors() {
    let device = device();
    let buffer = made!(brolga_buffer_create(device, 64, null()));
    let other = buffer.cast::<c_void>();
    let mut place = null_mut();
    fails!(NullHandle, "a device is needed", brolga_buffer_create(null(), 64, null(), &mut place));
    assert!(place.is_null());
    fails!(WrongHandle, "a device is needed", brolga_buffer_create(other.cast(), 64, null(), &mut place));
    fails!(BadArgument, "the place for a buffer", brolga_buffer_create(device, 64, null(), null_mut()));
    let (mut texture, mut view) = (null_mut(), null_mut());
    fails!(WrongHandle, "a device", brolga_texture_create(other.cast(), null(), null(), 0, &mut texture));
    fails!(WrongHandle, "a texture", brolga_view_of_texture(other.cast(), null(), &mut view));
    fails!(NullHandle, "a buffer", brolga_view_of_buffer(null(), null(), &mut view));
    fails!(WrongHandle, "a view", brolga_view_counter(other.cast(), &mut 0));
    fails!(WrongHandle, "a blob", brolga_blob_bytes(other.cast(), &mut null(), null_mut()));
    fails!(WrongHandle, "a cancel token", brolga_cancel_token_cancel(other.cast()));
    fails!(WrongHandle, "a progress", brolga_progress_done(other.cast(), &mut 0));
    fails!(WrongHandle, "a worker", brolga_worker_run(other.cast(), 0, 1));
    fails!(WrongHandle, "a pass", brolga_pass_flush(other.cast()));
    fails!(WrongHandle, "bindings", brolga_bindings_set(other.cast(), null(), c"u0".as_ptr(), null()));
    fails!(WrongHandle, "a shader", brolga_shader_engine(other.cast(), &mut 0));
    fails!(WrongHandle, "a bound shader", brolga_bound_dispatch(other.cast(), null(), null_mut()));
    fails!(WrongHandle, "a pipeline", brolga_pipeline_vertex_shader(other.cast(), &mut null_mut()));
    fails!(WrongHandle, "a pipeline", brolga_pipeline_hull_shader(other.cast(), &mut null_mut()));
    fails!(WrongHandle, "a pipeline", brolga_pipeline_domain_shader(other.cast(), &mut null_mut()));
    fails!(WrongHandle, "a pipeline", brolga_pipeline_geometry_shader(other.cast(), &mut null_mut()));
    fails!(WrongHandle, "a pass", brolga_pass_draw_auto(other.cast(), &DrawOptions::default(), null_mut()));
    fails!(WrongHandle, "a pass", brolga_pass_begin_query(other.cast(), number(1), &mut null_mut()));
    fails!(WrongHandle, "a pass", brolga_pass_set_predication(other.cast(), true, true));
    fails!(NullHandle, "a pass", brolga_pass_clear_predication(null()));
    fails!(NullHandle, "a buffer", brolga_buffer_filled_bytes(null(), &mut 0));
    fails!(WrongHandle, "a reflection", brolga_reflection_input(other.cast(), 0, null_mut()));
    fails!(WrongHandle, "messages", brolga_messages_take(other.cast(), &mut 0));
    fails!(WrongHandle, "messages", brolga_messages_get(other.cast(), 0, null_mut()));
    fails!(NullHandle, "messages", brolga_messages_lost(null(), &mut 0));
    fails!(WrongHandle, "a bound shader", brolga_bound_check(other.cast(), null(), null(), &mut null_mut()));
    fails!(WrongHandle, "findings", brolga_findings_count(other.cast(), &mut 0));
    fails!(WrongHandle, "findings", brolga_findings_get(other.cast(), 0, null_mut()));
    fails!(NullHandle, "findings", brolga_findings_summary(null(), null_mut()));
    // SAFETY: it is an object, though of another kind, and stays one.
    assert_eq!(unsafe { brolga_device_destroy(other.cast()) }, Code::WrongHandle);
    works!(brolga_buffer_size(buffer, &mut 0));
    destroy! {
        brolga_buffer_destroy(buffer); brolga_device_destroy(device); brolga_device_destroy(null_mut());
        brolga_buffer_destroy(null_mut()); brolga_texture_destroy(null_mut()); brolga_view_destroy(null_mut());
        brolga_shader_destroy(null_mut()); brolga_bindings_destroy(null_mut()); brolga_bound_destroy(null_mut());
        brolga_worker_destroy(null_mut()); brolga_pipeline_destroy(null_mut()); brolga_pass_destroy(null_mut());
        brolga_cancel_token_destroy(null_mut()); brolga_progress_destroy(null_mut()); brolga_blob_destroy(null_mut());
        brolga_reflection_destroy(null_mut()); brolga_query_destroy(null_mut());
        brolga_messages_destroy(null_mut()); brolga_findings_destroy(null_mut());
    }
}

#[test]
fn wrong_sizes_and_pointers_are_errors() {
    let device = device();
    let mut options = DeviceOptions::default();
    for size in [0, 1, size_of::<DeviceOptions>() - 8, size_of::<DeviceOptions>() + 1, usize::MAX] {
        options.size = size;
        fails!(BadArgument, "BrolgaDeviceOptions.size", brolga_device_create(&options, &mut null_mut()));
    }
    // SAFETY: there is nothing to fill.
    assert_eq!(unsafe { brolga_device_options_init(null_mut(), size_of::<DeviceOptions>()) }, Code::BadArgument);
    // SAFETY: there are more bytes than that.
    assert_eq!(unsafe { brolga_device_options_init(&mut options, 8) }, Code::BadArgument);
    let of = |vector_bytes| DeviceOptions { vector_bytes, ..DeviceOptions::default() };
    fails!(BadArgument, "not 0, 16, 32 or 64", brolga_device_create(&of(7), &mut null_mut()));
    let threads = DeviceOptions { threads: 1_000_000, ..DeviceOptions::default() };
    fails!(Limit, "threads", brolga_device_create(&threads, &mut null_mut()));

    let buffer = made!(brolga_buffer_create(device, 64, null()));
    let mut bytes = [0_u8; 65];
    let to = bytes.as_mut_ptr().cast::<c_void>();
    fails!(Resource, "64", brolga_buffer_read(buffer, 0, to, 65));
    fails!(Resource, "64", brolga_buffer_read(buffer, u64::MAX, to, 1));
    fails!(BadArgument, "NULL", brolga_buffer_read(buffer, 0, null_mut(), 1));
    fails!(BadArgument, "more than there can be", brolga_buffer_write(buffer, 0, to, usize::MAX));
    works!(brolga_buffer_read(buffer, 64, null_mut(), 0));
    fails!(Limit, "bytes", brolga_buffer_create(device, u64::MAX, null(), &mut null_mut()));
    fails!(BadArgument, "NULL", brolga_buffer_size(buffer, null_mut()));
    // SAFETY: an odd address is only used as a number.
    let odd = unsafe { to.cast::<u8>().add(1 - to.addr() % 2) };
    let wrap = (None, null_mut());
    fails!(Resource, "multiple of 4", brolga_buffer_wrap(odd.cast(), 4, true, wrap.0, wrap.1, &mut null_mut()));
    fails!(BadArgument, "NULL", brolga_buffer_wrap(null_mut(), 4, true, wrap.0, wrap.1, &mut null_mut()));
    fails!(System, "no/such/file", brolga_buffer_map(device, c"no/such/file".as_ptr(), false, &mut null_mut()));
    fails!(BadArgument, "UTF-8", brolga_buffer_map(device, c"\xff".as_ptr(), false, &mut null_mut()));
    fails!(System, "not a regular file", brolga_buffer_map(device, c".".as_ptr(), true, &mut null_mut()));

    let container = [0_u8; 16];
    let mut shader = null_mut();
    fails!(File, "", brolga_shader_create(device, container.as_ptr().cast(), 16, null(), &mut shader));
    fails!(BadArgument, "NULL", brolga_shader_create(device, null(), 16, null(), &mut shader));
    fails!(File, "", brolga_shader_create(device, null(), 0, null(), &mut shader));
    fails!(File, "", brolga_reflection_create(container.as_ptr().cast(), 16, &mut null_mut()));
    fails!(File, "", brolga_assemble(c"cs_5_0 nothing".as_ptr(), &mut null_mut()));
    fails!(File, "", brolga_disassemble(container.as_ptr().cast(), 16, false, &mut null_mut()));
    destroy! { brolga_buffer_destroy(buffer); brolga_device_destroy(device) }
}

/// A number as the value of an enumeration.
fn number<E>(number: u32) -> MaybeUninit<E> {
    assert_eq!(size_of::<E>(), 4);
    let mut raw = MaybeUninit::<E>::uninit();
    // SAFETY: it has as many bytes.
    unsafe { raw.as_mut_ptr().cast::<u32>().write(number) };
    raw
}

#[test]
fn numbers_that_no_enumeration_has_are_errors() {
    let device = device();
    let (mut texture, mut view) = (null_mut(), null_mut());
    let shape = TextureOptions { format: 28, width: 4, height: 4, ..TextureOptions::default() };
    let of_dimension = TextureOptions { dimension: number(11), ..shape };
    fails!(BadArgument, "dimension is 11", brolga_texture_create(device, &of_dimension, null(), 0, &mut texture));
    for format in [0, 1, 1000, u32::MAX] {
        let of_format = TextureOptions { format, ..shape };
        fails!(BadArgument, "format is", brolga_texture_create(device, &of_format, null(), 0, &mut texture));
    }
    fails!(
        Resource,
        "width",
        brolga_texture_create(device, &TextureOptions { width: 0, ..shape }, null(), 0, &mut texture)
    );
    fails!(Resource, "", brolga_texture_create(device, &shape, [0_u8; 65].as_ptr().cast(), 65, &mut texture));
    let texture = made!(brolga_texture_create(device, &shape, null(), 0));
    let outside = TexelBox { mip: 0, layer: 0, origin: [1, 0, 0], extents: [4, 4, 1] };
    let mut texels = [0_u32; 16];
    let to = texels.as_mut_ptr().cast::<c_void>();
    fails!(Resource, "", brolga_texture_read(texture, &outside, to, 64, 0));
    fails!(Resource, "", brolga_texture_read(texture, null(), to, 63, 0));
    fails!(Resource, "pitch", brolga_texture_read(texture, null(), to, 64, 15));
    fails!(Resource, "", brolga_texture_level(texture, 1, 0, &mut TexelBox::default()));
    fails!(
        BadArgument,
        "dimension",
        brolga_view_of_texture(
            texture,
            &TextureViewOptions { dimension: 99, ..TextureViewOptions::default() },
            &mut view
        )
    );
    fails!(
        Resource,
        "",
        brolga_view_of_texture(
            texture,
            &TextureViewOptions { first_mip: 1, ..TextureViewOptions::default() },
            &mut view
        )
    );
    let buffer = made!(brolga_texture_buffer(texture));
    let views = BufferViewOptions::default();
    for (wrong, code, words) in [
        (BufferViewOptions { kind: number(4), ..views }, Code::BadArgument, "kind is 4"),
        (BufferViewOptions { kind: number(1), stride_bytes: 3, ..views }, Code::Resource, "3"),
        (BufferViewOptions { kind: number(2), format: 0, ..views }, Code::BadArgument, "format is 0"),
        (BufferViewOptions { offset_bytes: 65, ..views }, Code::Resource, "65"),
        (BufferViewOptions { has_counter: MaybeUninit::new(true), ..views }, Code::Resource, "counter"),
    ] {
        let mut told = Told::new();
        // SAFETY: the buffer is one.
        assert_eq!(unsafe { brolga_view_of_buffer(buffer, &wrong, &mut view, &mut told.0) }, code, "{}", told.text());
        assert!(told.text().contains(words), "{}", told.text());
    }
    let samplers = SamplerOptions::default();
    let wrong = SamplerOptions { filter: 2, ..samplers };
    fails!(BadArgument, "D3D11_FILTER", brolga_view_of_sampler(&wrong, &mut view));
    let wrong = SamplerOptions { address: [number(0); 3], ..samplers };
    fails!(BadArgument, "address is 0", brolga_view_of_sampler(&wrong, &mut view));
    fails!(Resource, "", brolga_view_of_sampler(&SamplerOptions { max_anisotropy: 17, ..samplers }, &mut view));
    fails!(BadArgument, "allow", brolga_bindings_create(8, &mut null_mut()));
    // SAFETY: any number is.
    assert_eq!(unsafe { CStr::from_ptr(brolga_code_name(12345)) }, c"unknown");
    destroy! { brolga_buffer_destroy(buffer); brolga_texture_destroy(texture); brolga_device_destroy(device) }
}

#[test]
fn calls_out_of_order_are_errors() {
    let device = device();
    let shader = assembled(device, NUMBERS);
    let buffer = made!(brolga_buffer_create(device, 1024, null()));
    let view = made!(brolga_view_of_buffer(buffer, null()));
    let bindings = made!(brolga_bindings_create(0));
    fails!(Binding, "u0", brolga_dispatch(device, shader, bindings, null(), null_mut()));
    fails!(Binding, "x0", brolga_bindings_set(bindings, null(), c"x0".as_ptr(), view));
    fails!(Binding, "numbers", brolga_bindings_set(bindings, shader, c"numbers".as_ptr(), view));
    works!(brolga_bindings_set(bindings, shader, c"u0".as_ptr(), view));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let worker = made!(brolga_worker_create(bound));
    fails!(OutOfOrder, "begin", brolga_worker_run(worker, 0, 1));
    fails!(OutOfOrder, "begin", brolga_worker_batch(worker, 4, null(), 0));
    fails!(OutOfOrder, "workers", brolga_bound_set(bound, c"u0".as_ptr(), view));
    let groups = DispatchOptions { groups: [4, 1, 1], ..DispatchOptions::default() };
    works!(brolga_worker_begin(worker, &groups));
    fails!(Call, "", brolga_worker_run(worker, 0, 5));
    fails!(Call, "", brolga_worker_run(worker, 2, 1));
    fails!(Call, "groups", brolga_worker_batch(worker, 4, null(), 0));
    works!(brolga_worker_run(worker, 0, 4));
    // All objects may be destroyed before those that keep them alive.
    destroy! {
        brolga_device_destroy(device); brolga_shader_destroy(shader); brolga_bindings_destroy(bindings);
        brolga_view_destroy(view);
    }
    works!(brolga_worker_begin(worker, &groups));
    works!(brolga_worker_run(worker, 0, 4));
    destroy!(brolga_bound_destroy(bound));
    works!(brolga_worker_run(worker, 0, 4));
    destroy! { brolga_worker_destroy(worker); brolga_buffer_destroy(buffer) }
}

#[test]
fn arrays_of_a_batch_are_checked() {
    let device = device();
    let container = read("triangle_vs.cso");
    let shader = made!(brolga_shader_create(device, container.as_ptr().cast(), container.len(), null()));
    let bindings = made!(brolga_bindings_create(0));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    fails!(Call, "compute", brolga_dispatch(device, shader, bindings, null(), null_mut()));
    let worker = made!(brolga_worker_create(bound));
    works!(brolga_worker_begin(worker, null()));
    // Without a state: two rows in, two rows out, for three vertices.
    let (mut inputs, mut outputs) = ([1.0_f32.to_bits(); 24], [0_u32; 24]);
    let (input, output) = (inputs.as_mut_ptr(), outputs.as_mut_ptr());
    let array = |words, count, is_written| Array { words, count, is_written: MaybeUninit::new(is_written) };
    let good = [array(input, 24, false), array(output, 24, true)];
    works!(brolga_worker_batch(worker, 3, good.as_ptr(), 2));
    fails!(Call, "arrays", brolga_worker_batch(worker, 3, good.as_ptr(), 1));
    fails!(Call, "words", brolga_worker_batch(worker, 4, good.as_ptr(), 2));
    fails!(Call, "words", brolga_worker_batch(worker, u32::MAX, good.as_ptr(), 2));
    fails!(BadArgument, "NULL", brolga_worker_batch(worker, 3, null(), 2));
    fails!(BadArgument, "at most 4", brolga_worker_batch(worker, 3, good.as_ptr(), 1 << 40));
    for (wrong, words) in [
        ([array(null_mut(), 24, false), good[1]], "NULL"),
        ([good[0], array(input, 24, true)], "overlap"),
        ([array(input.wrapping_byte_add(1), 23, false), good[1]], "multiple of 4"),
        ([array(input, usize::MAX, false), good[1]], ""),
        ([good[0], array(output, 24, false)], "read-only"),
    ] {
        let mut told = Told::new();
        // SAFETY: what is wrong is checked.
        let code = unsafe { brolga_worker_batch(worker, 3, wrong.as_ptr(), 2, &mut told.0) };
        assert!(matches!(code, Code::BadArgument | Code::Call), "{code:?}: {}", told.text());
        assert!(told.text().contains(words), "{}", told.text());
    }
    destroy! {
        brolga_worker_destroy(worker); brolga_bound_destroy(bound); brolga_bindings_destroy(bindings);
        brolga_shader_destroy(shader); brolga_device_destroy(device);
    }
}

#[test]
fn pipelines_and_passes_check_what_they_are_given() {
    let device = device();
    let target = brolga_c::merger::TargetState { format: 28, ..Default::default() };
    let parts = TriangleParts::new([(2, 0), (2, 16)], target);
    let good = parts.options();
    let mut none = null_mut();
    fails!(File, "", brolga_pipeline_create(device, null(), &mut none));
    fails!(
        BadArgument,
        "topology is 0",
        brolga_pipeline_create(device, &PipelineOptions { topology: number(0), ..good }, &mut none)
    );
    fails!(
        BadArgument,
        "cull is 9",
        brolga_pipeline_create(device, &PipelineOptions { cull: number(9), ..good }, &mut none)
    );
    fails!(Call, "COLOR", brolga_pipeline_create(device, &PipelineOptions { input_count: 1, ..good }, &mut none));
    fails!(
        BadArgument,
        "NULL",
        brolga_pipeline_create(device, &PipelineOptions { targets: null(), ..good }, &mut none)
    );
    fails!(
        BadArgument,
        "so many",
        brolga_pipeline_create(device, &PipelineOptions { input_count: usize::MAX, ..good }, &mut none)
    );
    fails!(
        BadArgument,
        "at most 8",
        brolga_pipeline_create(device, &PipelineOptions { target_count: 1 << 40, ..good }, &mut none)
    );
    let pipeline = made!(brolga_pipeline_create(device, &good));

    let shape = TextureOptions { format: 28, width: 8, height: 8, ..TextureOptions::default() };
    let texture = made!(brolga_texture_create(device, &shape, null(), 0));
    let view = made!(brolga_view_of_texture(texture, null()));
    let targets = [view.cast_const()];
    let to = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    fails!(Resource, "", brolga_pass_create(device, &PassOptions { depth: view, ..to }, &mut null_mut()));
    let null_target = [null()];
    fails!(
        NullHandle,
        "a view",
        brolga_pass_create(device, &PassOptions { targets: null_target.as_ptr(), ..to }, &mut null_mut())
    );
    let wrong = PassOptions { target_count: 1 << 40, ..to };
    fails!(BadArgument, "at most 8", brolga_pass_create(device, &wrong, &mut null_mut()));
    let pass = made!(brolga_pass_create(device, &to));
    let draw = DrawOptions { pipeline, count: 3, ..DrawOptions::default() };
    fails!(NullHandle, "a pipeline", brolga_pass_draw(pass, null(), null_mut()));
    // Inputs that no buffer fills are 0.
    works!(brolga_pass_draw(pass, &draw, null_mut()));
    let buffer = made!(brolga_buffer_create(device, 96, null()));
    let stream = VertexBuffer { buffer, stride_bytes: 32, ..VertexBuffer::default() };
    let draw = DrawOptions { vertex_buffers: &stream, vertex_buffer_count: 1, ..draw };
    let area = Rectangle { left: 0, top: 0, right: 8, bottom: 8 };
    let scissors = [area; 2];
    let wrong = DrawOptions { scissors: scissors.as_ptr(), scissor_count: 2, ..draw };
    fails!(BadArgument, "2 scissor rectangles", brolga_pass_draw(pass, &wrong, null_mut()));
    let viewport = Viewport { left: 0.0, top: 0.0, width: f32::NAN, height: 8.0, min_depth: 0.0, max_depth: 1.0 };
    let wrong = DrawOptions { viewports: &viewport, viewport_count: 1, ..draw };
    fails!(Call, "viewport", brolga_pass_draw(pass, &wrong, null_mut()));
    for wrong in [
        DrawOptions { viewport_count: 1 << 40, ..wrong },
        DrawOptions { scissors: scissors.as_ptr(), scissor_count: 1 << 40, ..draw },
        DrawOptions { vertex_buffer_count: 1 << 40, ..draw },
    ] {
        fails!(BadArgument, "at most", brolga_pass_draw(pass, &wrong, null_mut()));
    }
    fails!(Call, "no target 1", brolga_pass_clear_color(pass, 1, [0.0_f32; 4].as_ptr()));
    fails!(Call, "depth", brolga_pass_clear_depth(pass, 1.0));
    let mut number = u64::MAX;
    works!(brolga_pass_draw(pass, &draw, &mut number));
    assert_eq!(number, 1);
    let mut statistics = Statistics::default();
    fails!(OutOfOrder, "brolga_pass_flush", brolga_pass_statistics(pass, 1, &mut statistics));
    works!(brolga_pass_flush(pass));
    works!(brolga_pass_statistics(pass, 1, &mut statistics));
    assert_eq!((statistics.vertices, statistics.primitives), (3, 1));
    fails!(OutOfOrder, "draw 2", brolga_pass_statistics(pass, 2, &mut statistics));
    destroy! {
        brolga_pass_destroy(pass); brolga_buffer_destroy(buffer); brolga_view_destroy(view); brolga_texture_destroy(texture);
        brolga_pipeline_destroy(pipeline); brolga_device_destroy(device);
    }
}

#[test]
fn samples_and_resolves_are_checked() {
    let device = device();
    let mut none = null_mut();
    let plain = TextureOptions { format: 28, width: 4, height: 4, ..TextureOptions::default() };
    let ms = MaybeUninit::new(brolga_c::state::Dimension::Texture2dMs);
    let four = TextureOptions { dimension: ms, samples: 4, ..plain };
    for (wrong, words) in [
        (TextureOptions { samples: 4, ..plain }, "texture2d has 1 sample"),
        (TextureOptions { samples: 3, ..four }, "not 3"),
        (TextureOptions { samples: 0, ..four }, "not 0"),
        (TextureOptions { mips: 2, ..four }, "mip levels"),
    ] {
        let mut told = Told::new();
        // SAFETY: there are no texels.
        let code = unsafe { brolga_texture_create(device, &wrong, null(), 0, &mut none, &mut told.0) };
        assert_eq!(code, Code::Resource, "{}", told.text());
        assert!(told.text().contains(words), "{}", told.text());
    }
    let of = |shape| made!(brolga_texture_create(device, &shape, null(), 0));
    // R8G8B8A8_UNORM, then R8G8B8A8_UINT.
    let (from, to) = (of(four), of(plain));
    let integers = [of(TextureOptions { format: 30, ..four }), of(TextureOptions { format: 30, ..plain })];
    let larger = of(TextureOptions { width: 5, ..plain });
    fails!(NullHandle, "a texture", brolga_texture_resolve(null(), 0, to, null(), 0));
    fails!(WrongHandle, "a texture", brolga_texture_resolve(from, 0, device.cast(), null(), 0));
    fails!(Resource, "several samples", brolga_texture_resolve(to, 0, to, null(), 0));
    fails!(Resource, "several samples", brolga_texture_resolve(from, 0, from, null(), 0));
    fails!(Resource, "4 x 4 texels to 5 x 4", brolga_texture_resolve(from, 0, larger, null(), 0));
    fails!(Resource, "", brolga_texture_resolve(from, 1, to, null(), 0));
    fails!(Resource, "", brolga_texture_resolve(from, u32::MAX, to, null(), 0));
    fails!(Resource, "no mean", brolga_texture_resolve(integers[0], 0, integers[1], null(), 0));
    fails!(Resource, "R32_FLOAT", brolga_texture_resolve(from, 0, to, null(), 41));
    fails!(BadArgument, "a resolve is 1000", brolga_texture_resolve(from, 0, to, null(), 1000));
    let level = TexelBox { mip: 0, layer: 0, origin: [0; 3], extents: [4, 4, 1] };
    fails!(Resource, "", brolga_texture_resolve(from, 0, to, &TexelBox { mip: 1, ..level }, 0));
    fails!(Resource, "", brolga_texture_resolve(from, 0, to, &TexelBox { layer: 1, ..level }, 0));
    for part in [TexelBox { extents: [4, 3, 1], ..level }, TexelBox { origin: [0, 1, 0], ..level }, TexelBox::default()]
    {
        fails!(Resource, "fills a whole mip level", brolga_texture_resolve(from, 0, to, &part, 0));
    }
    works!(brolga_texture_resolve(from, 0, to, &level, 0));
    destroy! {
        brolga_texture_destroy(integers[0]); brolga_texture_destroy(integers[1]); brolga_texture_destroy(larger);
        brolga_texture_destroy(to);
    }

    let target = brolga_c::merger::TargetState { format: 28, ..Default::default() };
    let parts = TriangleParts::new([(2, 0), (2, 16)], target);
    let good = PipelineOptions { samples: 4, ..parts.options() };
    for (wrong, words) in [
        (PipelineOptions { samples: 0, ..good }, "0 samples"),
        (PipelineOptions { samples: 16, ..good }, "16 samples"),
        (PipelineOptions { forced_samples: 4, ..good }, "several samples"),
        (PipelineOptions { forced_samples: 2, samples: 1, ..good }, "forces 2 samples"),
    ] {
        let (mut told, mut none) = (Told::new(), null_mut());
        // SAFETY: all pointers are valid.
        let code = unsafe { brolga_pipeline_create(device, &wrong, &mut none, &mut told.0) };
        assert_eq!(code, Code::Call, "{}", told.text());
        assert!(told.text().contains(words), "{}", told.text());
    }
    let view = made!(brolga_view_of_texture(from, null()));
    let targets = [view.cast_const()];
    let to = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    let pass = made!(brolga_pass_create(device, &to));
    for wrong in [
        PipelineOptions { samples: 1, ..good },
        PipelineOptions { samples: 2, ..good },
        PipelineOptions { center_pattern: MaybeUninit::new(true), ..good },
    ] {
        let pipeline = made!(brolga_pipeline_create(device, &wrong));
        let draw = DrawOptions { pipeline, count: 3, ..DrawOptions::default() };
        fails!(Call, "the pipeline is for targets with", brolga_pass_draw(pass, &draw, null_mut()));
        destroy!(brolga_pipeline_destroy(pipeline));
    }
    destroy! {
        brolga_pass_destroy(pass); brolga_view_destroy(view); brolga_texture_destroy(from); brolga_device_destroy(device);
    }
}

/// Makes a pipeline that must not be possible.
fn refused(device: *const Device, options: &PipelineOptions, code: Code, words: &str) {
    let (mut told, mut none) = (Told::new(), null_mut());
    // SAFETY: the errors in the options are among those that the library checks.
    let found = unsafe { brolga_pipeline_create(device, options, &mut none, &mut told.0) };
    assert_eq!((found, none.is_null()), (code, true), "{}", told.text());
    assert!(told.text().contains(words), "{}", told.text());
}

#[test]
fn declarations_of_stream_output_are_checked() {
    let device = device();
    let [place, gap, number] = entries();
    let many = [gap; 600];
    with_options(|good| {
        // SAFETY: the options are complete.
        let output = unsafe { *good.stream_output };
        let of = |output: &StreamOutput, code, words| {
            refused(device, &PipelineOptions { stream_output: output, ..good }, code, words);
        };
        for size in [0, 1, size_of::<StreamOutput>() - 8, usize::MAX] {
            of(&StreamOutput { size, ..output }, Code::BadArgument, "BrolgaStreamOutput.size");
        }
        of(&StreamOutput { entries: null(), ..output }, Code::BadArgument, "NULL");
        of(&StreamOutput { strides: null(), ..output }, Code::BadArgument, "strides: the pointer is NULL");
        for entry_count in [513, usize::MAX] {
            of(&StreamOutput { entries: many.as_ptr(), entry_count, ..output }, Code::BadArgument, "at most 512");
        }
        of(&StreamOutput { entries: many.as_ptr(), entry_count: 512, ..output }, Code::Call, "");
        for stride_count in [5, usize::MAX] {
            of(&StreamOutput { stride_count, ..output }, Code::BadArgument, "at most 4");
        }
        for stride in [0, 12, 17, 2052, u32::MAX] {
            of(&StreamOutput { strides: &stride, ..output }, Code::Call, "the stride of buffer 0");
        }
        for stream in [1, 4, u32::MAX - 1] {
            of(&StreamOutput { rasterized_stream: stream, ..output }, Code::Call, "to be rasterized");
        }
        let of_entry = |entry, code, words| {
            of(&StreamOutput { entries: &entry, entry_count: 1, ..output }, code, words);
        };
        of_entry(StreamOutputEntry { size: 8, ..place }, Code::BadArgument, "BrolgaStreamOutputEntry.size");
        of_entry(StreamOutputEntry { semantic: c"\xff".as_ptr(), ..place }, Code::BadArgument, "UTF-8");
        of_entry(StreamOutputEntry { semantic: c"NUMBER2".as_ptr(), ..number }, Code::Call, "did you mean `NUMBER3`");
        for (entry, words) in [
            (StreamOutputEntry { component_count: 3, ..place }, "components 0 to 3 of place0"),
            (StreamOutputEntry { component_count: 0, ..place }, "components 0 to 0"),
            (StreamOutputEntry { component_count: u32::MAX, ..place }, "the most"),
            (StreamOutputEntry { start_component: u32::MAX, ..place }, "components 4294967295"),
            (StreamOutputEntry { slot: 4, ..place }, "for buffer 4"),
            (StreamOutputEntry { slot: u32::MAX, ..gap }, "for buffer 4294967295"),
            (StreamOutputEntry { stream: 4, ..place }, "stream 4"),
            (StreamOutputEntry { stream: 1, ..place }, "does not write to stream 1"),
        ] {
            of_entry(entry, Code::Call, words);
        }
        refused(device, &PipelineOptions { geometry_shader_bytes: 100, ..good }, Code::File, "");
        let shader = PipelineOptions { geometry_shader: null(), ..good };
        refused(device, &shader, Code::BadArgument, "geometry_shader: the pointer is NULL");
        let swapped = PipelineOptions { geometry_shader: good.vertex_shader, ..good };
        let swapped = PipelineOptions { geometry_shader_bytes: good.vertex_shader_bytes, ..swapped };
        refused(device, &swapped, Code::Call, "the pipeline's geometry shader is a vertex shader");
        let lanes = CompileOptions { lanes: 7, ..CompileOptions::default() };
        refused(device, &PipelineOptions { geometry_compile: &lanes, ..good }, Code::BadArgument, "lanes is 7");
        let lines = PipelineOptions { topology: self::number(2), ..good };
        refused(device, &lines, Code::Call, "takes primitives `point`");
        for topology in [7, 9, 14, 32, 65] {
            let none = PipelineOptions { topology: self::number(topology), ..good };
            refused(device, &none, Code::BadArgument, &format!("topology is {topology}"));
        }
    });
    destroy!(brolga_device_destroy(device));
}

#[test]
fn targets_of_streams_and_draws_of_them_are_checked() {
    let scene = Scene::new();
    let Scene { pass, points, kept, .. } = scene;
    let from = VertexBuffer { buffer: points, stride_bytes: 8, ..VertexBuffer::default() };
    let target = StreamTarget { buffer: kept, ..StreamTarget::default() };
    let draw = DrawOptions {
        pipeline: scene.doubles,
        geometry_bindings: scene.bindings,
        vertex_buffers: &from,
        vertex_buffer_count: 1,
        stream_targets: &target,
        stream_target_count: 1,
        count: 3,
        ..DrawOptions::default()
    };
    fails!(
        Binding,
        "the geometry shader: b0",
        brolga_pass_draw(pass, &DrawOptions { geometry_bindings: null(), ..draw }, null_mut())
    );
    let wrong = DrawOptions { geometry_bindings: points.cast(), ..draw };
    fails!(WrongHandle, "bindings", brolga_pass_draw(pass, &wrong, null_mut()));
    fails!(BadArgument, "NULL", brolga_pass_draw(pass, &DrawOptions { stream_targets: null(), ..draw }, null_mut()));
    for stream_target_count in [5, usize::MAX] {
        let wrong = DrawOptions { stream_target_count, ..draw };
        fails!(BadArgument, "at most 4", brolga_pass_draw(pass, &wrong, null_mut()));
    }
    let other = StreamTarget { buffer: pass.cast_const().cast(), ..target };
    fails!(
        WrongHandle,
        "a buffer",
        brolga_pass_draw(pass, &DrawOptions { stream_targets: &other, ..draw }, null_mut())
    );
    let odd = StreamTarget { offset_bytes: 2, ..target };
    fails!(
        Call,
        "not from a multiple of 4",
        brolga_pass_draw(pass, &DrawOptions { stream_targets: &odd, ..draw }, null_mut())
    );
    let sized = StreamTarget { size: 16, ..target };
    fails!(
        BadArgument,
        "BrolgaStreamTarget.size",
        brolga_pass_draw(pass, &DrawOptions { stream_targets: &sized, ..draw }, null_mut())
    );
    let mut memory = [0_u32; 4];
    let read_only = made!(brolga_buffer_wrap(memory.as_mut_ptr().cast(), 16, false, None, null_mut()));
    let wrong = StreamTarget { buffer: read_only, ..target };
    fails!(
        Call,
        "can only be read",
        brolga_pass_draw(pass, &DrawOptions { stream_targets: &wrong, ..draw }, null_mut())
    );
    let wrong = StreamTarget { buffer: points, ..target };
    fails!(Call, "uses buffer 0", brolga_pass_draw(pass, &DrawOptions { stream_targets: &wrong, ..draw }, null_mut()));
    let wrong = DrawOptions { pipeline: scene.shows, ..draw };
    fails!(Call, "streams nothing out", brolga_pass_draw(pass, &wrong, null_mut()));
    // Nothing is written behind the end of a buffer, wherever that is.
    for offset_bytes in [96, 1 << 40, u64::MAX - 3] {
        let target = StreamTarget { offset_bytes, ..target };
        works!(brolga_pass_draw(pass, &DrawOptions { stream_targets: &target, ..draw }, null_mut()));
        works!(brolga_pass_draw_auto(
            pass,
            &DrawOptions { pipeline: scene.shows, stream_target_count: 0, ..draw },
            null_mut()
        ));
    }
    let auto = DrawOptions { pipeline: scene.shows, stream_target_count: 0, ..draw };
    fails!(NullHandle, "a pipeline", brolga_pass_draw_auto(pass, null(), null_mut()));
    let wrong = DrawOptions { index_buffer: points, ..auto };
    fails!(Call, "with an index buffer", brolga_pass_draw_auto(pass, &wrong, null_mut()));
    let wrong = DrawOptions { vertex_buffer_count: 0, ..auto };
    fails!(Call, "has no vertex buffer", brolga_pass_draw_auto(pass, &wrong, null_mut()));
    let flat = VertexBuffer { stride_bytes: 0, ..from };
    let wrong = DrawOptions { vertex_buffers: &flat, ..auto };
    fails!(Call, "without a stride", brolga_pass_draw_auto(pass, &wrong, null_mut()));
    fails!(BadArgument, "NULL", brolga_buffer_filled_bytes(kept, null_mut()));
    fails!(Call, "no hull shader", brolga_pipeline_hull_shader(scene.shows, &mut null_mut()));
    fails!(Call, "no domain shader", brolga_pipeline_domain_shader(scene.shows, &mut null_mut()));
    fails!(Call, "no geometry shader", brolga_pipeline_geometry_shader(scene.shows, &mut null_mut()));
    destroy!(brolga_buffer_destroy(read_only));
    scene.destroy();
}

#[test]
fn hull_and_domain_shaders_are_checked() {
    let scene = patches::Scene::new();
    let pass = scene.pass;
    patches::with_options(|good| {
        let hull = |hull_shader, hull_shader_bytes| PipelineOptions { hull_shader, hull_shader_bytes, ..good };
        let domain =
            |domain_shader, domain_shader_bytes| PipelineOptions { domain_shader, domain_shader_bytes, ..good };
        let lanes = CompileOptions { lanes: 7, ..CompileOptions::default() };
        for (wrong, code, words) in [
            (hull(null(), 0), Code::Call, "tessellation: the pipeline has a domain shader, but no hull shader"),
            (domain(null(), 0), Code::Call, "tessellation: the pipeline has a hull shader, but no domain shader"),
            (hull(null(), 100), Code::BadArgument, "hull_shader: the pointer is NULL"),
            (domain(null(), 100), Code::BadArgument, "domain_shader: the pointer is NULL"),
            (hull(good.hull_shader, 100), Code::File, ""),
            (domain(good.domain_shader, 100), Code::File, ""),
            (
                hull(good.domain_shader, good.domain_shader_bytes),
                Code::Call,
                "the pipeline's hull shader is a domain shader",
            ),
            (
                domain(good.hull_shader, good.hull_shader_bytes),
                Code::Call,
                "the pipeline's domain shader is a hull shader",
            ),
            (PipelineOptions { hull_compile: &lanes, ..good }, Code::BadArgument, "lanes is 7"),
            (PipelineOptions { domain_compile: &lanes, ..good }, Code::BadArgument, "lanes is 7"),
            (
                PipelineOptions { topology: number(34), ..good },
                Code::Call,
                "but the topology is 2_CONTROL_POINT_PATCHLIST",
            ),
        ] {
            refused(scene.device, &wrong, code, words);
        }
    });
    let (draw, pipeline) = (scene.draw(), scene.squares.cast_const().cast());
    for (wrong, stage) in [
        (DrawOptions { hull_bindings: null(), ..draw }, "the hull shader: b0"),
        (DrawOptions { domain_bindings: null(), ..draw }, "the domain shader: b1"),
    ] {
        let mut told = Told::new();
        // SAFETY: that bindings lack something is checked.
        assert_eq!(unsafe { brolga_pass_draw(pass, &wrong, null_mut(), &mut told.0) }, Code::Binding);
        assert!(told.text().contains(stage), "{}", told.text());
    }
    for wrong in [DrawOptions { hull_bindings: pipeline, ..draw }, DrawOptions { domain_bindings: pipeline, ..draw }] {
        fails!(WrongHandle, "bindings", brolga_pass_draw(pass, &wrong, null_mut()));
    }
    scene.destroy();
}

#[test]
fn queries_are_checked() {
    let (scene, mut other) = (Scene::new(), Scene::new());
    let pass = scene.pass;
    let mut none = null_mut();
    for kind in [0, 3, 16, u32::MAX] {
        fails!(
            BadArgument,
            "BrolgaQueryKind has 1, 2, 4 to 15",
            brolga_pass_begin_query(pass, number(kind), &mut none)
        );
    }
    assert!(none.is_null());
    fails!(BadArgument, "the place for a query", brolga_pass_begin_query(pass, number(1), null_mut()));
    let (samples, sums) = (scene.begin(QueryKind::Occlusion), scene.begin(QueryKind::PipelineStatistics));
    // The first of the other pass, as this is of its own.
    let foreign = other.begin(QueryKind::Occlusion);
    let (mut data, mut statistics) = (QueryData::default(), PipelineStatistics::default());
    fails!(Call, "has not ended", brolga_pass_query_data(pass, samples, &mut data));
    fails!(Call, "has not ended", brolga_pass_query_statistics(pass, sums, &mut statistics));
    for query in [samples, sums] {
        works!(brolga_pass_end_query(pass, query));
        fails!(Call, "has ended already", brolga_pass_end_query(pass, query));
    }
    fails!(Call, "of another pass", brolga_pass_end_query(pass, foreign));
    fails!(Call, "of another pass", brolga_pass_query_data(pass, foreign, &mut data));
    fails!(Call, "of another pass", brolga_pass_query_statistics(other.pass, sums, &mut statistics));
    fails!(Call, "brolga_pass_query_statistics", brolga_pass_query_data(pass, sums, &mut data));
    fails!(Call, "brolga_pass_query_data", brolga_pass_query_statistics(pass, samples, &mut statistics));
    fails!(NullHandle, "a query", brolga_pass_query_data(pass, null(), &mut data));
    fails!(WrongHandle, "a query", brolga_pass_query_data(pass, pass.cast(), &mut data));
    fails!(WrongHandle, "a query", brolga_pass_end_query(pass, scene.kept.cast()));
    fails!(WrongHandle, "a pass", brolga_pass_end_query(samples.cast(), samples));
    fails!(BadArgument, "BrolgaQueryData: the pointer is NULL", brolga_pass_query_data(pass, samples, null_mut()));
    fails!(BadArgument, "the pointer is NULL", brolga_pass_query_statistics(pass, sums, null_mut()));
    for size in [0, 1, size_of::<QueryData>() - 8, size_of::<QueryData>() + 1, usize::MAX] {
        data.size = size;
        fails!(BadArgument, "BrolgaQueryData.size", brolga_pass_query_data(pass, samples, &mut data));
        assert_eq!(data.size, size);
    }
    statistics.size = 8;
    fails!(BadArgument, "BrolgaPipelineStatistics.size", brolga_pass_query_statistics(pass, sums, &mut statistics));
    fails!(OutOfOrder, "draw 0", brolga_pass_pipeline_statistics(pass, 0, &mut statistics));
    // SAFETY: there is nothing to fill, or too little.
    let codes = unsafe { [brolga_query_data_init(null_mut(), 64), brolga_query_data_init(&mut data, 8)] };
    assert_eq!(codes, [Code::BadArgument; 2]);
    // A query of a pass that is gone.
    destroy!(brolga_pass_destroy(other.pass));
    other.pass = null_mut();
    fails!(Call, "of another pass", brolga_pass_query_data(pass, foreign, &mut data));
    destroy! { brolga_query_destroy(samples); brolga_query_destroy(sums); brolga_query_destroy(foreign) }
    other.destroy();
    scene.destroy();
}

#[test]
fn messages_and_checks_are_checked() {
    let (run, messages) = (Run::new(RACES, [0; 4]), made!(brolga_messages_create(0)));
    let wrong = DispatchOptions { messages: run.buffer.cast(), ..DispatchOptions::default() };
    fails!(WrongHandle, "messages", brolga_bound_dispatch(run.bound, &wrong, null_mut()));
    fails!(WrongHandle, "messages", brolga_bound_check(run.bound, &wrong, null(), &mut null_mut()));
    fails!(BadArgument, "the number of messages", brolga_messages_take(messages, null_mut()));
    fails!(BadArgument, "no message 0: 0 were taken", brolga_messages_get(messages, 0, &mut Message::default()));

    let mut findings = null_mut();
    let unknown = CheckOptions { kinds: 64, ..CheckOptions::default() };
    fails!(BadArgument, "only 0x3f is known", brolga_bound_check(run.bound, null(), &unknown, &mut findings));
    let short = CheckOptions { size: 8, ..CheckOptions::default() };
    fails!(BadArgument, "BrolgaCheckOptions.size", brolga_bound_check(run.bound, null(), &short, &mut findings));
    assert!(findings.is_null());
    fails!(BadArgument, "the place for findings", brolga_bound_check(run.bound, null(), null(), null_mut()));
    works!(brolga_bound_check(run.bound, null(), null(), &mut findings));
    let (mut finding, mut summary) = (Finding::default(), CheckSummary::default());
    fails!(BadArgument, "no finding 2: there are 2", brolga_findings_get(findings, 2, &mut finding));
    (finding.size, summary.size) = (8, 8);
    fails!(BadArgument, "BrolgaFinding.size", brolga_findings_get(findings, 0, &mut finding));
    fails!(BadArgument, "BrolgaCheckSummary.size", brolga_findings_summary(findings, &mut summary));
    // SAFETY: there is nothing to fill, or too little.
    let codes = unsafe {
        [
            brolga_message_init(null_mut(), 64),
            brolga_check_options_init(null_mut(), 64),
            brolga_finding_init(&mut finding, 8),
            brolga_check_summary_init(&mut summary, 8),
        ]
    };
    assert_eq!(codes, [Code::BadArgument; 4]);
    destroy! { brolga_findings_destroy(findings); brolga_messages_destroy(messages) }
    run.destroy();
}

#[test]
fn states_of_stages_are_checked() {
    let device = device();
    let (vertex, pixel) = (read("triangle_vs.cso"), read("triangle_ps.cso"));
    let code = |container: &[u8], options: &CompileOptions| {
        let (mut told, mut shader) = (Told::new(), null_mut());
        let (data, size) = (container.as_ptr().cast(), container.len());
        // SAFETY: all pointers are valid.
        let code = unsafe { brolga_shader_create(device, data, size, options, &mut shader, &mut told.0) };
        destroy!(brolga_shader_destroy(shader));
        assert!(code == Code::Ok || !told.text().is_empty());
        code
    };
    let none = CompileOptions::default();
    assert_eq!(code(&vertex, &CompileOptions { engine: number(3), ..none }), Code::BadArgument);
    assert_eq!(code(&vertex, &CompileOptions { lanes: 7, ..none }), Code::BadArgument);
    let pixels = PixelState::default();
    let elements = VertexState::default();
    assert_eq!(code(&vertex, &CompileOptions { pixel_state: &pixels, ..none }), Code::Call);
    assert_eq!(code(&pixel, &CompileOptions { vertex_state: &elements, ..none }), Code::Call);
    let both = CompileOptions { vertex_state: &elements, pixel_state: &pixels, ..none };
    assert_eq!(code(&pixel, &both), Code::BadArgument);

    let element = VertexElement { format: 2, ..VertexElement::default() };
    for wrong in [
        VertexElement { slot: 32, ..element },
        VertexElement { offset_bytes: 2, ..element },
        VertexElement { format: 71, ..element },
        VertexElement { format: 0, ..element },
    ] {
        let state = VertexState { elements: &wrong, element_count: 1, ..elements };
        assert_eq!(code(&vertex, &CompileOptions { vertex_state: &state, ..none }), Code::BadArgument);
    }
    // Elements for inputs that the shader lacks are ignored; reads far outside of a buffer return zeros.
    for odd in [VertexElement { row: u32::MAX, ..element }, VertexElement { offset_bytes: u32::MAX - 3, ..element }] {
        let state = VertexState { elements: &odd, element_count: 1, ..elements };
        assert_eq!(code(&vertex, &CompileOptions { vertex_state: &state, ..none }), Code::Ok);
    }
    let target = brolga_c::merger::TargetState { format: 28, ..Default::default() };
    let masked = brolga_c::merger::TargetState { write_mask: 16, ..target };
    let drawn = PixelState { targets: &target, target_count: 1, vertex_rows: 2, ..pixels };
    for (wrong, expected) in [
        (PixelState { vertex_rows: 33, ..drawn }, Code::BadArgument),
        (PixelState { vertex_rows: u32::MAX, ..drawn }, Code::BadArgument),
        (PixelState { targets: null(), ..drawn }, Code::BadArgument),
        (PixelState { target_count: 1 << 40, ..drawn }, Code::BadArgument),
        (PixelState { targets: &masked, ..drawn }, Code::BadArgument),
        (PixelState { depth_format: 28, ..drawn }, Code::Unsupported),
        (PixelState { depth_format: 1000, ..drawn }, Code::BadArgument),
    ] {
        assert_eq!(code(&pixel, &CompileOptions { pixel_state: &wrong, ..none }), expected);
    }
    assert_eq!(code(&pixel, &CompileOptions { pixel_state: &drawn, ..none }), Code::Ok);
    destroy!(brolga_device_destroy(device));
}

/// Group 0 ends when its word of `u0` is no longer 0, and nobody changes it.
const ENDLESS: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 1, 1, 1
store_raw u0.x, l(4), l(1)
loop
  ld_raw r0.x, l(0), u0.xxxx
  breakc_nz r0.x
endloop
ret
";

/// A handle that another thread uses too.
struct Shared<T>(*mut T);

// SAFETY: the library's objects may be used by any thread.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

#[test]
fn a_worker_that_runs_is_busy_until_it_is_cancelled() {
    let device = device();
    let shader = assembled(device, ENDLESS);
    let buffer = made!(brolga_buffer_create(device, 8, null()));
    let view = made!(brolga_view_of_buffer(buffer, null()));
    let bindings = made!(brolga_bindings_create(0));
    works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view));
    let bound = made!(brolga_bound_create(device, shader, bindings));
    let worker = Shared(made!(brolga_worker_create(bound)));
    let token = made!(brolga_cancel_token_create());
    works!(brolga_worker_begin(worker.0, &DispatchOptions { cancel: token, ..DispatchOptions::default() }));
    std::thread::scope(|scope| {
        let worker = &worker;
        let running = scope.spawn(move || {
            fails!(Stopped, "cancelled", brolga_worker_run(worker.0, 0, 1));
        });
        let mut has_begun = 0_u32;
        while has_begun == 0 {
            std::thread::yield_now();
            works!(brolga_buffer_read(buffer, 4, (&raw mut has_begun).cast(), 4));
        }
        fails!(OutOfOrder, "another thread", brolga_worker_run(worker.0, 0, 1));
        fails!(OutOfOrder, "another thread", brolga_worker_begin(worker.0, null()));
        works!(brolga_cancel_token_cancel(token));
        running.join().expect("it ends");
    });
    let limits = DispatchOptions { time_limit_ns: 1_000_000, ..DispatchOptions::default() };
    fails!(Stopped, "time limit", brolga_bound_dispatch(bound, &limits, null_mut()));
    let limits = DispatchOptions { fuel: 1000, ..DispatchOptions::default() };
    fails!(Stopped, "1000 loop iterations", brolga_dispatch(device, shader, bindings, &limits, null_mut()));
    destroy! {
        brolga_cancel_token_destroy(token); brolga_worker_destroy(worker.0); brolga_bound_destroy(bound);
        brolga_bindings_destroy(bindings); brolga_view_destroy(view); brolga_buffer_destroy(buffer);
        brolga_shader_destroy(shader); brolga_device_destroy(device);
    }
}
