//! Compiles shaders.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use brolga::pipeline::StageState;
use brolga::{ClassInstance, Codegen, CompileOptions as Native, Oversize, Width};

use crate::arguments::{array, bytes, flag, growing, init, options, put, text, text_if_any, time_limit};
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::stage::{PixelState, VertexState};
use crate::state::Engine;
use crate::stop::{CancelToken, token};

/// A compiled shader. Any thread may use it at any time.
pub struct Shader(());

impl HandleKind for Shader {
    type Value = brolga::Shader;
    const NAME: &'static str = "a shader";
}

/// The binding of an interface variable: a named instance, or an instance of a class whose data the caller locates.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ClassInstanceOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The variable's name in the source, or the listing's fp#. The name of an array means all of its elements that are
    /// not named separately.
    pub variable: *const c_char,
    /// An instance that the shader declares, as in "suns[2]", or a class without data; NULL if `class_name` is given.
    pub instance: *const c_char,
    /// The class of an instance with data of its own.
    pub class_name: *const c_char,
    /// The constant buffer with its data, b#; UINT32_MAX, the default, if its class has no constants.
    pub constant_buffer: u32,
    /// Index of its first vector of 16 bytes.
    pub constant_vector: u32,
    /// Its first texture or buffer, t#; UINT32_MAX, the default, for none.
    pub texture: u32,
    /// Its first sampler, s#; UINT32_MAX, the default, for none.
    pub sampler: u32,
}

impl Default for ClassInstanceOptions {
    fn default() -> Self {
        let none = std::ptr::null();
        let (constant_buffer, constant_vector, texture, sampler) = (u32::MAX, 0, u32::MAX, u32::MAX);
        let (size, variable, instance, class_name) = (size_of::<Self>(), none, none, none);
        Self { size, variable, instance, class_name, constant_buffer, constant_vector, texture, sampler }
    }
}

/// The options of compilation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CompileOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The engine, a BrolgaEngine; BROLGA_ENGINE_BEST by default.
    pub engine: MaybeUninit<Engine>,
    /// Number of threads of a packet: 8, 16, 32 or 64; 0, the default, for the best for the shader. Only shaders with
    /// data races can tell.
    pub lanes: u32,
    /// `true` if a shader that is too large for machine code is an error. By default the interpreter runs it.
    pub refuses_oversize: MaybeUninit<bool>,
    /// `true` if no code is made before the bindings are known. By default the code that most dispatches run is made at
    /// once.
    pub defers_code: MaybeUninit<bool>,
    /// A name for profilers; NULL, the default, for its checksum.
    pub name: *const c_char,
    /// The bindings of its interface variables. Each variable needs one.
    pub instances: *const ClassInstanceOptions,
    /// Number of those bindings.
    pub instance_count: usize,
    /// For vertex shaders that run in batches: the source of their inputs. NULL, the default, if the caller supplies
    /// them.
    pub vertex_state: *const VertexState,
    /// For pixel shaders that run in batches: the destination of their outputs. NULL, the default, if the caller takes
    /// them.
    pub pixel_state: *const PixelState,
    /// Stops compilation when cancelled; may be NULL. The shader is then compiled in a thread of its own.
    pub cancel: *const CancelToken,
    /// Stops compilation after this many nanoseconds; 0, the default, for no limit. Likewise.
    pub time_limit_ns: u64,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            engine: MaybeUninit::new(Engine::Best),
            lanes: 0,
            refuses_oversize: MaybeUninit::new(false),
            defers_code: MaybeUninit::new(false),
            name: std::ptr::null(),
            instances: std::ptr::null(),
            instance_count: 0,
            vertex_state: std::ptr::null(),
            pixel_state: std::ptr::null(),
            cancel: std::ptr::null(),
            time_limit_ns: 0,
        }
    }
}

growing! {
    ClassInstanceOptions as "BrolgaClassInstanceOptions";
    CompileOptions as "BrolgaCompileOptions";
}

impl ClassInstanceOptions {
    /// # Safety
    /// Its pointers are null or point to texts.
    unsafe fn add_to(&self, to: Native) -> Result<Native, Failure> {
        // SAFETY: promised to this function.
        let (variable, instance, class) = unsafe {
            let name = "BrolgaClassInstanceOptions";
            (
                text(self.variable, &format!("{name}.variable"))?,
                text_if_any(self.instance, &format!("{name}.instance"))?,
                text_if_any(self.class_name, &format!("{name}.class_name"))?,
            )
        };
        let class = match (instance, class) {
            (Some(instance), None) => return Ok(to.instance(variable, instance)),
            (None, Some(class)) => class,
            _ => {
                let text = format!("the interface variable `{variable}` needs either an instance or a class");
                return Err(Failure::argument(text));
            }
        };
        let mut placed = ClassInstance::of_class(class);
        if self.constant_buffer != u32::MAX {
            placed = placed.constants(self.constant_buffer, self.constant_vector);
        }
        if self.texture != u32::MAX {
            placed = placed.texture(self.texture);
        }
        if self.sampler != u32::MAX {
            placed = placed.sampler(self.sampler);
        }
        Ok(to.instance(variable, placed))
    }
}

impl CompileOptions {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    pub(crate) unsafe fn native(&self) -> Result<Native, Failure> {
        // SAFETY: `repr(u32)`, and C has written some number.
        let number = unsafe { self.engine.as_ptr().cast::<u32>().read() };
        let engine = Engine::of_number(number).ok_or_else(|| {
            Failure::argument(format!("BrolgaCompileOptions.engine is {number}, but BrolgaEngine has 0, 1, 2"))
        })?;
        let mut native = Native::new(engine);
        if self.lanes != 0 {
            let width = Width::ALL.into_iter().find(|width| width.lanes() == self.lanes).ok_or_else(|| {
                let text = format!("BrolgaCompileOptions.lanes is {}, not 0, 8, 16, 32 or 64", self.lanes);
                Failure::argument(text)
            })?;
            native = native.width(width);
        }
        if flag(self.refuses_oversize) {
            native = native.oversize(Oversize::Refuse);
        }
        if flag(self.defers_code) {
            native = native.codegen(Codegen::Deferred);
        }
        // SAFETY: promised to this function.
        unsafe {
            if let Some(name) = text_if_any(self.name, "BrolgaCompileOptions.name")? {
                native = native.named(name);
            }
            for instance in array(self.instances, self.instance_count)? {
                native = instance.add_to(native)?;
            }
            native.state = match (self.vertex_state.is_null(), self.pixel_state.is_null()) {
                (true, true) => StageState::None,
                (false, true) => StageState::Vertex(options(self.vertex_state)?.native()?),
                (true, false) => StageState::Pixel(options(self.pixel_state)?.native()?),
                (false, false) => {
                    let text = "BrolgaCompileOptions has a vertex_state and a pixel_state: a shader is of one stage";
                    return Err(Failure::argument(text));
                }
            };
        }
        Ok(native)
    }

    /// True if compilation may be stopped.
    pub(crate) fn may_stop(&self) -> bool {
        !self.cancel.is_null() || self.time_limit_ns != 0
    }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaClassInstanceOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_class_instance_options_init(
    class_instance_options: *mut ClassInstanceOptions,
    size: usize,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(class_instance_options, size) }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaCompileOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_compile_options_init(compile_options: *mut CompileOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(compile_options, size) }
}

/// Compiles the shader in the `size_bytes` bytes at `container`: a DXBC container of shader models 4.0 to 5.1 with a
/// compute, vertex or pixel shader. They are not used after the call. `compile_options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_shader_create(
    device: *const Device,
    container: *const c_void,
    size_bytes: usize,
    compile_options: *const CompileOptions,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(shader)?, get(device)?);
            let container = bytes(container, size_bytes, "the shader's container")?;
            let how = options(compile_options)?;
            let native = how.native()?;
            handle.put(match how.may_stop() {
                false => device.compile(container, &native)?,
                true => device.compile_until(container, &native, &token(how.cancel)?, time_limit(how.time_limit_ns))?,
            });
            Ok(())
        })
    }
}

/// Destroys a shader. Objects in which it is bound keep it alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_shader_destroy(shader: *mut Shader) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(shader) }
}

/// Returns the number of threads of a group along x, y and z: three numbers. All are 1 for shaders other than compute
/// shaders.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_shader_group_size(
    shader: *const Shader,
    group_size: *mut u32,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(group_size.cast::<[u32; 3]>(), get(shader)?.group_size(), "the group's size")) }
}

/// Returns the engine that runs a shader: BROLGA_ENGINE_JIT or BROLGA_ENGINE_INTERPRETER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_shader_engine(shader: *const Shader, engine: *mut u32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let number = match get(shader)?.engine() {
                brolga::Engine::Interpreter => Engine::Interpreter,
                _ => Engine::Jit,
            };
            put(engine, number as u32, "the engine")
        })
    }
}

/// Returns true if all code of a shader so far comes from the device's cache.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_shader_is_cached(
    shader: *const Shader,
    is_cached: *mut bool,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(is_cached, get(shader)?.is_cached(), "the answer")) }
}
