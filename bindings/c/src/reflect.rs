//! Lists the declarations of a shader, read from its file without compiling it.

use std::ffi::{c_char, c_void};

use brolga::bytecode::Limits;
use brolga::bytecode::info::{Binding, Element, Info, Location, SignatureKind, Variable};

use crate::arguments::{bytes, put};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::kept::Texts;

/// The declarations of a shader of any stage and model. Its texts stay until it is destroyed.
pub struct Reflection(());

impl HandleKind for Reflection {
    type Value = ReflectedDeclarations;
    const NAME: &'static str = "a reflection";
}

/// The declarations in the form of C.
pub(crate) struct ReflectedDeclarations {
    shader: ReflectedShader,
    bindings: Vec<ReflectedBinding>,
    inputs: Vec<ReflectedElement>,
    outputs: Vec<ReflectedElement>,
    variables: Vec<ReflectedVariable>,
    /// The texts to which the others point.
    _texts: Texts,
}

// SAFETY: the pointers point to texts that it owns and never changes.
unsafe impl Send for ReflectedDeclarations {}
// SAFETY: as above.
unsafe impl Sync for ReflectedDeclarations {}

/// A shader as a whole.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReflectedShader {
    /// Stage and model: "cs_5_0".
    pub profile: *const c_char,
    /// The compiler's name; NULL if the file has none.
    pub creator: *const c_char,
    /// Number of threads of a group along x, y and z; zeros unless it is a compute shader.
    pub group_size: [u32; 3],
    /// Number of ranges of registers that are bound: brolga_reflection_binding.
    pub binding_count: u32,
    /// Number of elements of its inputs: brolga_reflection_input.
    pub input_count: u32,
    /// Number of elements of its outputs: brolga_reflection_output.
    pub output_count: u32,
    /// Number of variables of its constant buffers, and members of the elements of structured buffers:
    /// brolga_reflection_variable.
    pub variable_count: u32,
    /// Zero.
    pub reserved: u32,
    /// Size of the shared memory of a group in bytes.
    pub shared_bytes: u64,
}

/// A range of registers that is bound.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReflectedBinding {
    /// The name in the source; NULL if the file has none.
    pub name: *const c_char,
    /// The first register: "b0", "t3". brolga_bindings_set takes it, with ",space" and its space if that is not 0.
    pub place: *const c_char,
    /// The kind of resource: "constant", "raw", "structured", "typed", "texture2d" and the like, "sampler".
    pub kind: *const c_char,
    /// The type of its elements: "float4", "unorm4"; empty if it has none.
    pub format: *const c_char,
    /// The register space.
    pub space: u32,
    /// Number of registers; 0 for an unbounded array.
    pub count: u32,
    /// Size of a structure in bytes; 0 if it has none.
    pub stride_bytes: u32,
    /// 1 for a sampler that compares, else 0.
    pub is_comparison: u32,
}

/// An element of a shader's inputs or outputs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReflectedElement {
    /// The semantic name, without its number.
    pub name: *const c_char,
    /// The register: "v0", "o1", "oDepth".
    pub place: *const c_char,
    /// The system value, as a listing names it; NULL for none.
    pub system_value: *const c_char,
    /// The type of its components: "float"; NULL if the file does not say.
    pub format: *const c_char,
    /// The number after the name.
    pub index: u32,
    /// Mask of its components, x in the lowest bit.
    pub mask: u32,
}

/// A variable of a constant buffer, or a member of the elements of a structured buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReflectedVariable {
    /// The buffer's name; empty for constants of Direct3D 9.
    pub buffer: *const c_char,
    /// The name in the source; of a member with those of the structures that contain it: "lamp.colour".
    pub name: *const c_char,
    /// Its type, without the length of an array: "float4x4".
    pub type_name: *const c_char,
    /// The first register of constants of Direct3D 9: "c4"; NULL in buffers.
    pub place: *const c_char,
    /// Its offset in the buffer in bytes.
    pub offset_bytes: u32,
    /// Its size in bytes; 0 for members of a structure.
    pub size_bytes: u32,
    /// Number of elements of an array; 0 if it is none.
    pub element_count: u32,
    /// 1 if the program reads it, else 0.
    pub is_used: u32,
}

impl Texts {
    fn binding(&mut self, binding: &Binding) -> ReflectedBinding {
        ReflectedBinding {
            name: self.keep_if_any(binding.name.as_deref()),
            place: self.keep(&binding.register),
            kind: self.keep(binding.kind),
            format: self.keep(&binding.format),
            space: binding.space,
            count: binding.count.unwrap_or(0),
            stride_bytes: binding.stride_bytes.unwrap_or(0),
            is_comparison: binding.is_comparison.into(),
        }
    }

    fn element(&mut self, element: &Element) -> ReflectedElement {
        ReflectedElement {
            name: self.keep(&element.name),
            place: self.keep(&element.register),
            system_value: self.keep_if_any(element.system_value),
            format: self.keep_if_any(element.format),
            index: element.index,
            mask: element.mask.into(),
        }
    }

    /// Adds a variable and its members.
    fn variable(&mut self, buffer: *const c_char, within: &str, variable: &Variable, to: &mut Vec<ReflectedVariable>) {
        let name = format!("{within}{}", variable.name);
        let (place, offset_bytes, size_bytes) = match &variable.location {
            Some(Location::Bytes { offset, size }) => (None, *offset, size.unwrap_or(0)),
            Some(Location::Registers { first, .. }) => (Some(first.as_str()), 0, 0),
            None => (None, 0, 0),
        };
        to.push(ReflectedVariable {
            buffer,
            name: self.keep(&name),
            type_name: self.keep(&variable.type_name),
            place: self.keep_if_any(place),
            offset_bytes,
            size_bytes,
            element_count: variable.elements.unwrap_or(0),
            is_used: variable.is_used.into(),
        });
        for member in &variable.members {
            self.variable(buffer, &format!("{name}."), member, to);
        }
    }
}

impl ReflectedDeclarations {
    fn new(info: &Info) -> Self {
        let (mut texts, mut variables) = (Texts::default(), Vec::new());
        let mut elements = |kind| {
            let of_kind = info.program.signatures.iter().filter(|signature| signature.kind == kind);
            let elements = of_kind.flat_map(|signature| &signature.elements);
            elements.map(|element| texts.element(element)).collect::<Vec<_>>()
        };
        let (inputs, outputs) = (elements(SignatureKind::Inputs), elements(SignatureKind::Outputs));
        let bindings: Vec<_> = info.program.bindings.iter().map(|binding| texts.binding(binding)).collect();
        for constants in &info.program.constants {
            let buffer = texts.keep(&constants.name);
            constants.variables.iter().for_each(|variable| texts.variable(buffer, "", variable, &mut variables));
        }
        let shader = ReflectedShader {
            profile: texts.keep(&info.program.profile),
            creator: texts.keep_if_any(info.program.creator.as_deref()),
            group_size: info.program.group_size.unwrap_or_default(),
            binding_count: bindings.len() as u32,
            input_count: inputs.len() as u32,
            output_count: outputs.len() as u32,
            variable_count: variables.len() as u32,
            reserved: 0,
            shared_bytes: info.program.shared_memory_bytes,
        };
        Self { shader, bindings, inputs, outputs, variables, _texts: texts }
    }
}

/// Reads the declarations of the shader in a container, or of a program of Direct3D 9.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_create(
    container: *const c_void,
    size_bytes: usize,
    reflection: *mut *mut Reflection,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, container) =
                (NewHandle::new(reflection)?, bytes(container, size_bytes, "the shader's container")?);
            handle.put(ReflectedDeclarations::new(&Info::read(container, &Limits::default())?));
            Ok(())
        })
    }
}

/// Destroys a reflection, with its texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_destroy(reflection: *mut Reflection) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(reflection) }
}

/// Returns the description of the shader as a whole.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_shader(
    reflection: *const Reflection,
    shader: *mut ReflectedShader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(shader, get(reflection)?.shader, "what is known of the shader")) }
}

/// Writes one of several elements.
///
/// # Safety
/// `to` is null or may be written.
unsafe fn put_one<T: Copy>(to: *mut T, all: &[T], number: u32, what: &str) -> Result<(), Failure> {
    let missing = || Failure::argument(format!("the shader has no {what} {number}: there are {}", all.len()));
    let one = *all.get(number as usize).ok_or_else(missing)?;
    // SAFETY: promised to this function.
    unsafe { put(to, one, what) }
}

/// Returns a range of registers, by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_binding(
    reflection: *const Reflection,
    number: u32,
    binding: *mut ReflectedBinding,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_one(binding, &get(reflection)?.bindings, number, "binding")) }
}

/// Returns an input, by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_input(
    reflection: *const Reflection,
    number: u32,
    element: *mut ReflectedElement,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_one(element, &get(reflection)?.inputs, number, "input")) }
}

/// Returns an output, by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_output(
    reflection: *const Reflection,
    number: u32,
    element: *mut ReflectedElement,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_one(element, &get(reflection)?.outputs, number, "output")) }
}

/// Returns a variable, by its number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_reflection_variable(
    reflection: *const Reflection,
    number: u32,
    variable: *mut ReflectedVariable,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_one(variable, &get(reflection)?.variables, number, "variable")) }
}
