//! What the registers of a shader are bound to in a drafted document.

use std::collections::BTreeSet;

use brolga_bytecode::info::{Program, Variable};
use brolga_bytecode::sm5;
use brolga_runtime::{Component, Declared, Dimension, Register, ResourceClass, ResourceKind, Shader};
use serde_json::{Map, Value, json};

use super::super::dispatch::binding_of;
use super::super::type_name::TypeName;
use super::constants::{self, Words};
use crate::model::registers::written;

/// Registers of a range that are bound.
const REGISTERS: u32 = 16;
/// Bytes of buffers that do not say how many they need.
const BYTES: u32 = 4096;
/// Texels along a side of textures.
const SIDE: u32 = 4;

/// What a draw binds.
#[derive(Default)]
pub(super) struct Bound {
    pub resources: Map<String, Value>,
    pub samplers: Map<String, Value>,
    /// By registers.
    pub bind: Map<String, Value>,
    /// Constants of Direct3D 9 by their names, as the draw's key for them.
    pub constants: Map<String, Value>,
}

impl Bound {
    /// What is bound to a shader. Those of Direct3D 11 are read for what its constants are where it does not say so.
    pub fn of(shader: &Shader, info: &Program, code: Option<&sm5::Program>) -> Self {
        let is_direct3d9 = code.is_none();
        let mut bound = Self::default();
        let has_names = is_direct3d9 && info.constants.iter().any(|constants| !constants.variables.is_empty());
        if has_names {
            let variables = info.constants.iter().flat_map(|constants| &constants.variables);
            let named = variables.filter(|variable| variable.default.is_none() && variable.members.is_empty());
            let named: Map<_, _> =
                named.filter_map(|variable| Some((variable.name.clone(), named_value(variable)?))).collect();
            bound.constants.insert(format!("{}_constants", info.stage.text()), named.into());
        }
        for declared in shader.bindings().iter().filter(|declared| declared.register.space == 0) {
            for n in 0..declared.count.unwrap_or(1).min(REGISTERS) {
                let register = Register { index: declared.register.index.saturating_add(n), ..declared.register };
                let name = written(is_direct3d9, info.stage, &register.to_string());
                if let ResourceKind::Sampler { compares } = declared.kind {
                    let (kind, state) = sampler(compares, is_direct3d9);
                    bound.samplers.insert(kind.to_owned(), state);
                    bound.bind.insert(name, kind.into());
                    continue;
                }
                let is_constant = matches!(declared.kind, ResourceKind::Constant { .. });
                if let Some(resource) = resource(declared, register, info, code).filter(|_| !(has_names && is_constant))
                {
                    bound.bind.insert(name.clone(), name.clone().into());
                    bound.resources.insert(name, resource);
                }
            }
        }
        bound
    }
}

fn sampler(compares: bool, is_direct3d9: bool) -> (&'static str, Value) {
    match (is_direct3d9, compares) {
        (true, _) => ("smooth", json!({"mag": "LINEAR", "min": "LINEAR"})),
        (false, false) => ("smooth", json!({"filter": "MIN_MAG_MIP_LINEAR", "address": ["WRAP", "WRAP", "WRAP"]})),
        (false, true) => (
            "compared",
            json!({"filter": "COMPARISON_MIN_MAG_MIP_LINEAR", "address": ["CLAMP", "CLAMP", "CLAMP"], "comparison": "LESS_EQUAL"}),
        ),
    }
}

/// A resource of a kind, unless scenes have none of it.
fn resource(declared: &Declared, register: Register, info: &Program, code: Option<&sm5::Program>) -> Option<Value> {
    let (dimension, component) = match declared.kind {
        ResourceKind::Constant { vectors } => {
            let (key, words) = constants(vectors.max(1), register, info, code).content();
            return Some(json!({"kind": "constant", key: words}));
        }
        ResourceKind::Sampler { .. } => return None,
        ResourceKind::Raw => return Some(json!({"kind": "raw", "size": BYTES})),
        // Scenes have no hidden counters.
        ResourceKind::Structured { .. } if declared.uses_counter => return None,
        ResourceKind::Structured { stride_bytes } => {
            let size = BYTES.next_multiple_of(stride_bytes.max(1));
            return Some(json!({"kind": "structured", "stride": stride_bytes, "size": size}));
        }
        ResourceKind::Typed { dimension, component } => (dimension, component),
    };
    let is_word = declared.uses_texel_atomics || declared.uses_texel_exchange;
    let format = match component {
        Component::Uint | Component::Mixed if is_word => "R32_UINT",
        Component::Sint if is_word => "R32_SINT",
        Component::Uint | Component::Mixed => "R32G32B32A32_UINT",
        Component::Sint => "R32G32B32A32_SINT",
        Component::Double => "R32G32_UINT",
        Component::Snorm => "R8G8B8A8_SNORM",
        Component::Float | Component::Unorm if code.is_none() => "A8R8G8B8",
        Component::Float | Component::Unorm => "R8G8B8A8_UNORM",
    };
    let (name, mut sides) = match dimension {
        Dimension::Buffer => return Some(json!({"kind": "typed", "format": format, "size": BYTES})),
        Dimension::Texture1d => ("texture1d", json!({"width": SIDE})),
        Dimension::Texture2d => ("texture2d", json!({"width": SIDE, "height": SIDE})),
        Dimension::Texture2dArray => ("texture2darray", json!({"width": SIDE, "height": SIDE, "layers": SIDE})),
        Dimension::Texture3d => ("texture3d", json!({"width": SIDE, "height": SIDE, "depth": SIDE})),
        Dimension::TextureCube => ("texturecube", json!({"width": SIDE, "height": SIDE})),
        _ => return None,
    };
    // A checked pattern; what is written, and other formats, begin with zeros.
    if register.class == ResourceClass::ShaderResource && matches!(component, Component::Float | Component::Unorm) {
        let texels = match dimension {
            Dimension::Texture1d => SIDE,
            Dimension::Texture2d => SIDE * SIDE,
            Dimension::TextureCube => 6 * SIDE * SIDE,
            _ => SIDE * SIDE * SIDE,
        };
        let texel = |n: u32| if (n + n / SIDE).is_multiple_of(2) { 0xffff_ffffu32 } else { 0xff80_8080 };
        sides["u32"] = (0..texels).map(texel).collect::<Vec<_>>().into();
    }
    let mut table = json!({"kind": name, "format": format});
    if let (Some(table), Value::Object(sides)) = (table.as_object_mut(), sides) {
        table.extend(sides);
    }
    Some(table)
}

/// The first words of a constant buffer.
fn constants(vectors: u32, register: Register, info: &Program, code: Option<&sm5::Program>) -> Words {
    let Some(code) = code else {
        // The registers of Direct3D 9 are floats, integers and truth values.
        return if register.index == 0 { Words::unknown(vectors, &BTreeSet::new()) } else { Words::ones(vectors) };
    };
    let name = binding_of(info, register).and_then(|(binding, _)| binding.name.as_ref());
    let mut described = info.constants.iter().filter(|constants| constants.kind == "cbuffer");
    match described.find(|constants| Some(&constants.name) == name) {
        Some(described) => Words::of_variables(vectors, described),
        None => Words::unknown(vectors, &constants::integers(code, register.index)),
    }
}

/// A constant of Direct3D 9 by its name: matrices are the identity, other numbers 1, and what is true or false is true.
fn named_value(variable: &Variable) -> Option<Value> {
    let name = TypeName::parse(&variable.type_name)?;
    let [rows, columns] = name.sides();
    let elements = variable.elements.unwrap_or(1);
    let number = |row: usize, column: usize| if rows == 1 || row == column { 1.0 } else { 0.0 };
    let rows: Vec<Vec<f32>> = (0..rows).map(|row| (0..columns).map(|column| number(row, column)).collect()).collect();
    Some(if elements > 1 { json!(vec![rows; elements as usize]) } else { json!(rows) })
}
