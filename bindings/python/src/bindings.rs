//! Registers and what Python binds to them: each value becomes the view that the shader declares.

use std::collections::HashMap;

use brolga::{BindingRules, Bindings, Buffer, Device, Register, ResourceClass, ResourceKind, Shader, View};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Array, to_json};
use crate::error::Failure;
use crate::{texels, view};

/// A shader, and what else making views for it takes.
pub struct Binder<'a> {
    device: &'a Device,
    shader: &'a Shader,
    /// The shader's file, which has the names of constants.
    container: &'a [u8],
    /// Arrays that are bound already, by address and size. An array bound twice is one buffer, so that reading and writing it
    /// in one dispatch is found out.
    buffers: HashMap<(usize, usize), Buffer>,
}

impl<'a> Binder<'a> {
    pub fn new(device: &'a Device, shader: &'a Shader, container: &'a [u8]) -> Self {
        Self { device, shader, container, buffers: HashMap::new() }
    }

    /// Binds each value to the register that its key names: as in the shader's source, or as in listings.
    pub fn bindings(mut self, values: &Bound<'_, PyDict>, rules: BindingRules) -> PyResult<Bindings> {
        let mut bindings = Bindings::with_rules(rules);
        for (name, value) in values {
            let register = self.register(name.extract()?)?;
            bindings.set(register, self.view(register, &value)?);
        }
        Ok(bindings)
    }

    /// The register of a name.
    pub fn register(&self, name: &str) -> Result<Register, Failure> {
        match self.shader.register(name) {
            Ok(register) => Ok(register),
            // What is no register either is more likely a name.
            Err(error) => name.parse().map_err(|_| error.into()),
        }
    }

    /// A value as the shader declares the register.
    pub fn view(&mut self, register: Register, value: &Bound<'_, PyAny>) -> PyResult<View> {
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
        let array = Array::new(&value)?;
        let declared = self.shader.bindings().iter().find(|declared| declared.contains(register));
        let view = match (declared.map(|declared| declared.kind), register.class) {
            (Some(ResourceKind::Structured { stride_bytes }), _) => {
                let view = View::structured(self.buffer(array)?, stride_bytes).map_err(Failure::from)?;
                match counter {
                    Some(counter) => view.with_counter(counter),
                    None => Ok(view),
                }
            }
            (Some(ResourceKind::Typed { dimension, component }), _) => {
                return Ok(texels::view(array, dimension, component, format)?);
            }
            (_, ResourceClass::Constant) => View::constant(self.buffer(array)?),
            // What does not fit is said by the runtime, in which all that is bound is checked.
            _ => View::raw(self.buffer(array)?),
        };
        Ok(view.map_err(Failure::from)?)
    }

    fn buffer(&mut self, array: Array) -> Result<Buffer, Failure> {
        let key = (array.address(), array.size_bytes());
        if let Some(buffer) = self.buffers.get(&key) {
            return Ok(buffer.clone());
        }
        let buffer = array.into_buffer()?;
        self.buffers.insert(key, buffer.clone());
        Ok(buffer)
    }

    /// A constant buffer with values of variables, by name.
    fn constants(&self, register: Register, values: &Bound<'_, PyDict>) -> PyResult<Buffer> {
        let json = to_json(values)?;
        let bytes = brolga::job::constants(self.container, register, &json, self.device.limits());
        let buffer = self.device.buffer_from(&bytes.map_err(Failure::from)?);
        Ok(buffer.map_err(Failure::from)?)
    }
}
