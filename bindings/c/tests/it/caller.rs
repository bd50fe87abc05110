//! Calls C functions for tests: successful calls must succeed, or their text is shown.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr::null;

use brolga_c::device::{Device, DeviceOptions, brolga_device_create};
use brolga_c::draw::{Pass, PassOptions, brolga_pass_create};
use brolga_c::error::Error;
use brolga_c::merger::TargetState;
use brolga_c::pipeline::{InputElement, PipelineOptions};
use brolga_c::shader::{Shader, brolga_shader_create};
use brolga_c::text::{Blob, brolga_assemble, brolga_blob_bytes, brolga_blob_destroy};
use brolga_c::texture::{Texture, TextureOptions, brolga_texture_create};
use brolga_c::view::{View, brolga_view_of_texture};

/// The error of a call.
pub struct Told(pub Error);

impl Told {
    pub fn new() -> Self {
        // SAFETY: a code of 0 and an empty text.
        Self(unsafe { MaybeUninit::zeroed().assume_init() })
    }

    pub fn text(&self) -> &str {
        // SAFETY: every text ends with a zero.
        unsafe { CStr::from_ptr(self.0.text.as_ptr()) }.to_str().expect("UTF-8")
    }
}

/// Calls a function, which must succeed; its last argument, for the error, is added.
macro_rules! works {
    ($($function:ident($($argument:expr),* $(,)?));* $(;)?) => {$({
        let mut told = $crate::caller::Told::new();
        // SAFETY: the arguments have the types of the function.
        let code = unsafe { $function($($argument,)* &mut told.0) };
        assert_eq!(code, brolga_c::error::Code::Ok, "{}: {}", stringify!($function), told.text());
    })*};
}

/// Calls a function that makes an object.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut object = std::ptr::null_mut();
        works!($function($($argument,)* &mut object));
        assert!(!object.is_null());
        object
    }};
}

/// Calls a function that returns a value.
macro_rules! given {
    ($ty:ty: $function:ident($($argument:expr),* $(,)?)) => {{
        let mut given = std::mem::MaybeUninit::<$ty>::uninit();
        works!($function($($argument,)* given.as_mut_ptr()));
        // SAFETY: the function wrote it.
        unsafe { given.assume_init() }
    }};
}

/// Destroys objects.
macro_rules! destroy {
    ($($function:ident($object:expr));* $(;)?) => {$(
        // SAFETY: nobody uses it any more.
        assert_eq!(unsafe { $function($object) }, brolga_c::error::Code::Ok);
    )*};
}

/// A device of one thread.
pub fn device() -> *mut Device {
    made!(brolga_device_create(&DeviceOptions { threads: 1, ..DeviceOptions::default() }))
}

/// The bytes of a blob, as long as it is there.
pub fn bytes<'a>(blob: *const Blob) -> &'a [u8] {
    let (mut data, mut size) = (null(), 0);
    works!(brolga_blob_bytes(blob, &mut data, &mut size));
    // SAFETY: so many bytes are there.
    unsafe { std::slice::from_raw_parts(data.cast(), size) }
}

/// A shader of a listing.
pub fn assembled(device: *const Device, listing: &CStr) -> *mut Shader {
    let container = made!(brolga_assemble(listing.as_ptr()));
    let shader = made!(brolga_shader_create(device, bytes(container).as_ptr().cast(), bytes(container).len(), null()));
    destroy!(brolga_blob_destroy(container));
    shader
}

/// A pass to a new texture of zeros: the texture, a view of it, and the pass.
pub fn pass_to(device: *const Device, shape: &TextureOptions) -> (*mut Texture, *mut View, *mut Pass) {
    let texture = made!(brolga_texture_create(device, shape, null(), 0));
    let view = made!(brolga_view_of_texture(texture, null()));
    let targets = [view.cast_const()];
    let options = PassOptions { targets: targets.as_ptr(), target_count: 1, ..PassOptions::default() };
    (texture, view, made!(brolga_pass_create(device, &options)))
}

/// Reads a file of the examples.
pub fn read(name: &str) -> Vec<u8> {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes the number of each group to the element of that number.
pub const NUMBERS: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_input vThreadGroupID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
ishl r0.x, vThreadGroupID.x, l(2)
store_raw u0.x, r0.x, vThreadGroupID.x
ret
";

/// What the options of a pipeline with the triangle's shaders point to.
pub struct TriangleParts {
    vertex: Vec<u8>,
    pixel: Vec<u8>,
    inputs: [InputElement; 2],
    target: TargetState,
}

impl TriangleParts {
    /// Position and colour have these formats, and offsets in bytes.
    pub fn new([position, color]: [(u32, u32); 2], target: TargetState) -> Self {
        let input = |semantic: &'static CStr, (format, offset_bytes)| InputElement {
            semantic: semantic.as_ptr(),
            format,
            offset_bytes,
            ..InputElement::default()
        };
        let inputs = [input(c"POSITION", position), input(c"COLOR", color)];
        Self { vertex: read("triangle_vs.cso"), pixel: read("triangle_ps.cso"), inputs, target }
    }

    /// The options, which may be used while the parts live.
    pub fn options(&self) -> PipelineOptions {
        PipelineOptions {
            vertex_shader: self.vertex.as_ptr().cast(),
            vertex_shader_bytes: self.vertex.len(),
            pixel_shader: self.pixel.as_ptr().cast(),
            pixel_shader_bytes: self.pixel.len(),
            inputs: self.inputs.as_ptr(),
            input_count: 2,
            targets: &self.target,
            target_count: 1,
            ..PipelineOptions::default()
        }
    }
}
