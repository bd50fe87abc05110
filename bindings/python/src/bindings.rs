//! Binds Python's values to registers: each value becomes the view that the shader declares.

use std::collections::HashMap;
use std::sync::OnceLock;

use brolga::document::{BufferTypes, NumberType};
use brolga::{
    BindingRules, Bindings, Buffer, Device, ErrorKind, Leniency, Register, ResourceClass, ResourceKind, Shader, View,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Array, to_json};
use crate::error::Failure;
use crate::source::Source;
use crate::stream::array_of;
use crate::{stream, texels, view};

/// A shader, and the information needed to make views for it.
pub struct Program {
    pub device: Device,
    pub shader: Shader,
    /// The shader's file, which has the names of constants.
    pub source: Source,
    /// The types of numbers in the source's buffers, read when an array is bound to one.
    types: OnceLock<BufferTypes>,
}

impl Program {
    pub fn new(device: Device, shader: Shader, source: Source) -> Self {
        Self { device, shader, source, types: OnceLock::new() }
    }

    /// The types of the numbers that the source has in a buffer.
    fn types(&self, register: Register) -> Vec<NumberType> {
        self.types.get_or_init(|| BufferTypes::of(&self.source.bytes, self.device.limits())).at(register)
    }

    /// The register of a name, as in the shader's source or as in listings.
    pub fn register(&self, name: &str) -> Result<Register, Failure> {
        match self.shader.register(name) {
            Ok(register) => Ok(register),
            // If it is not a register either, it is more likely a name.
            Err(error) => name.parse().map_err(|_| error.into()),
        }
    }

    fn declared(&self, register: Register) -> Option<ResourceKind> {
        let declared = self.shader.bindings().iter().find(|declared| declared.contains(register));
        declared.map(|declared| declared.kind)
    }

    /// Binds each value to the register that its key names. Registers that the shader does not have are skipped if the
    /// rules allow it.
    pub fn bindings(&self, values: &Bound<'_, PyDict>, rules: BindingRules) -> PyResult<Bindings> {
        let mut bindings = Bindings::with_rules(rules);
        let mut binder = Binder { program: self, buffers: HashMap::new() };
        // Copied to a list, since making views may change the dictionary.
        for item in values.items() {
            let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
            let register = self.register(&name);
            let has = register.as_ref().is_ok_and(|&register| self.declared(register).is_some());
            if has || !rules.allows(Leniency::Undeclared) {
                let register = register?;
                bindings.set(register, binder.view(register, &value)?);
            }
        }
        Ok(bindings)
    }

    /// A view of a value, as the shader declares a register.
    pub fn view(&self, register: Register, value: &Bound<'_, PyAny>) -> PyResult<View> {
        Binder { program: self, buffers: HashMap::new() }.view(register, value)
    }
}

/// Makes the views of one set of bindings.
struct Binder<'a> {
    program: &'a Program,
    /// Arrays that are bound already, by address, size and writability. An array bound twice is one buffer, so that
    /// reading and writing it in one dispatch is detected.
    buffers: HashMap<(usize, usize, bool), Buffer>,
}

impl Binder<'_> {
    /// A view of a value, as the shader declares the register.
    fn view(&mut self, register: Register, value: &Bound<'_, PyAny>) -> PyResult<View> {
        if let Ok(texture) = value.cast::<view::Texture>() {
            return Ok(texture.get().view.clone());
        }
        if let Ok(sampler) = value.cast::<view::Sampler>() {
            return Ok(View::sampler(sampler.get().state).map_err(Failure::from)?);
        }
        if let Ok(constants) = value.cast::<PyDict>() {
            return Ok(View::constant(self.constants(register, constants)?).map_err(Failure::from)?);
        }
        let (value, format, counter) = match value.cast::<view::View>() {
            Ok(view) => {
                let view::View { array, format, counter } = view.get();
                (array.bind(value.py()).clone(), *format, counter.clone())
            }
            Err(_) => (value.clone(), None, None),
        };
        let (array, own) = (Array::new(&array_of(&value))?, value.cast::<stream::Buffer>().ok());
        let own = own.map(|own| &own.get().buffer);
        let declared = self.program.declared(register);
        let takes = match declared {
            Some(ResourceKind::Structured { .. }) => "counter",
            Some(ResourceKind::Typed { .. }) => "format",
            _ => "",
        };
        for (what, is_given) in [("format", format.is_some()), ("counter", counter.is_some())] {
            if let (true, false, Some(kind)) = (is_given, takes == what, declared) {
                let message = format!("{register} is a {kind}, which takes no {what}: leave it out of the View");
                return Err(Failure::new(ErrorKind::Binding, message).into());
            }
        }
        if matches!(declared, Some(ResourceKind::Structured { .. } | ResourceKind::Constant { .. })) {
            array.check_types(&register.to_string(), &self.program.types(register))?;
        }
        let view = match (declared, register.class) {
            (Some(ResourceKind::Structured { stride_bytes }), _) => {
                let view = View::structured(self.buffer(array, own)?, stride_bytes).map_err(Failure::from)?;
                match counter {
                    Some(counter) => view.with_counter(counter),
                    None => Ok(view),
                }
            }
            (Some(ResourceKind::Typed { dimension, component }), _) => {
                return Ok(texels::view(array, dimension, component, format)?);
            }
            (_, ResourceClass::Constant) => View::constant(self.buffer(array, own)?),
            // The runtime, which checks all bindings, reports those that do not fit.
            _ => View::raw(self.buffer(array, own)?),
        };
        Ok(view.map_err(Failure::from)?)
    }

    /// The memory of an array; `own` if it has some already.
    fn buffer(&mut self, array: Array, own: Option<&Buffer>) -> Result<Buffer, Failure> {
        if let Some(own) = own {
            return Ok(own.clone());
        }
        let key = (array.address(), array.size_bytes(), array.is_read_only());
        if let Some(buffer) = self.buffers.get(&key) {
            return Ok(buffer.clone());
        }
        let buffer = array.into_buffer()?;
        self.buffers.insert(key, buffer.clone());
        Ok(buffer)
    }

    /// A constant buffer with values of variables, by name.
    fn constants(&self, register: Register, values: &Bound<'_, PyDict>) -> PyResult<Buffer> {
        let Program { device, source, .. } = self.program;
        let bytes = brolga::document::constants(&source.bytes, register, &to_json(values)?, device.limits());
        let buffer = device.buffer_from(&bytes.map_err(Failure::of_constants)?);
        Ok(buffer.map_err(Failure::from)?)
    }
}
