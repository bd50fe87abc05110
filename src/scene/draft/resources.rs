//! What the registers of a shader are bound to in a drafted scene.

use brolga_bytecode::info::{Location, Program, Variable};
use brolga_runtime::{Component, Declared, Dimension, Register, ResourceClass, ResourceKind, Shader};
use serde_json::{Map, Value, json};

use super::super::direct3d9;

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
    /// What is bound to a shader.
    pub fn of(shader: &Shader, info: &Program, is_direct3d9: bool) -> Self {
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
                let name = direct3d9::written(is_direct3d9, info.stage, &register.to_string());
                if let ResourceKind::Sampler { compares } = declared.kind {
                    let (kind, state) = sampler(compares, is_direct3d9);
                    bound.samplers.insert(kind.to_owned(), state);
                    bound.bind.insert(name, kind.into());
                    continue;
                }
                let is_constant = matches!(declared.kind, ResourceKind::Constant { .. });
                if let Some(resource) =
                    resource(declared, register, info, is_direct3d9).filter(|_| !(has_names && is_constant))
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
fn resource(declared: &Declared, register: Register, info: &Program, is_direct3d9: bool) -> Option<Value> {
    let (dimension, component) = match declared.kind {
        ResourceKind::Constant { vectors } => {
            return Some(json!({"kind": "constant", "f32": constants(vectors.max(1), register, info)}));
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
        Component::Float | Component::Unorm if is_direct3d9 => "A8R8G8B8",
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

/// The numbers of a constant buffer. Where the file does not say what they are, four vectors each are the identity.
fn constants(vectors: u32, register: Register, info: &Program) -> Vec<f32> {
    let name =
        |binding: &&brolga_bytecode::info::Binding| binding.space == 0 && binding.register == format!("c{register}");
    let name = info.bindings.iter().find(name).and_then(|binding| binding.name.as_ref());
    let described =
        info.constants.iter().find(|constants| constants.kind == "cbuffer" && Some(&constants.name) == name);
    let count = 4 * vectors as usize;
    let Some(described) = described else {
        return (0..count).map(|n| if n / 4 % 4 == n % 4 { 1.0 } else { 0.0 }).collect();
    };
    let mut numbers = vec![0.0; count];
    for variable in &described.variables {
        let Some(Location::Bytes { offset, .. }) = variable.location else { continue };
        let Some([rows, columns]) = shape(&variable.type_name, "float") else { continue };
        let first = offset as usize / 4;
        // Vectors of a matrix begin at multiples of four numbers; an identity is the same either way.
        let own: Vec<_> = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
        for (row, column) in own {
            let place = first + 4 * row + column;
            let value = match &variable.default {
                Some(words) => words.get(4 * row + column).map_or(0.0, |word| f32::from_bits(*word)),
                None if rows == 1 || row == column => 1.0,
                None => 0.0,
            };
            if let Some(number) = numbers.get_mut(place).filter(|_| value.is_finite()) {
                *number = value;
            }
        }
    }
    numbers
}

/// Rows and columns of a type of such numbers: `float3` has one row.
fn shape(type_name: &str, number: &str) -> Option<[usize; 2]> {
    let sides = type_name.split(number).nth(1)?;
    let mut digits = sides
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || *letter == 'x')
        .filter_map(|letter| letter.to_digit(10));
    Some(match (digits.next(), digits.next()) {
        (Some(rows), Some(columns)) => [rows as usize, columns as usize],
        (Some(columns), None) => [1, columns as usize],
        _ => [1, 1],
    })
}

/// A constant of Direct3D 9 by its name: matrices are the identity, other numbers 1, and what is true or false is true.
fn named_value(variable: &Variable) -> Option<Value> {
    let [rows, columns] = ["float", "int", "bool"].iter().find_map(|number| shape(&variable.type_name, number))?;
    let elements = variable.elements.unwrap_or(1);
    let number = |row: usize, column: usize| if rows == 1 || row == column { 1.0 } else { 0.0 };
    let rows: Vec<Vec<f32>> = (0..rows).map(|row| (0..columns).map(|column| number(row, column)).collect()).collect();
    Some(if elements > 1 { json!(vec![rows; elements as usize]) } else { json!(rows) })
}
