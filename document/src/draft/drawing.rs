//! A first scene for a vertex or pixel shader: it draws a rectangle with it, and runs as it is.
//!
//! A scene has both shaders, so one of the other stage is made. Constants are 1 and matrices the identity, unless the shader's source gives
//! them values.
//!
//! | file | what |
//! |---|---|
//! | `companion.rs` | the shader of the other stage |
//! | `resources.rs` | what registers are bound to |
//! | `constants.rs` | first values of constant buffers |

mod companion;
mod constants;
mod resources;

use brolga_bytecode::container::signature::ComponentType;
use brolga_bytecode::info::Info;
use brolga_bytecode::sm5::Stage;
use brolga_bytecode::{LoadOptions, sm3};
use brolga_runtime::{Codegen, CompileOptions, Device, Engine, Error, Limits};
use serde_json::{Map, Value, json};

use companion::{Companion, Input};
use resources::Bound;

/// What a scene is drafted for.
#[derive(Clone, Copy, Debug)]
pub struct SceneDraft<'a> {
    /// The compiled shader.
    pub shader: &'a [u8],
    /// The name of the scene, and of the picture that it saves.
    pub name: &'a str,
}

/// A scene's files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DraftedScene {
    /// `scene.json`.
    pub scene: String,
    /// `vs.cso`.
    pub vertex_shader: Vec<u8>,
    /// `ps.cso`.
    pub pixel_shader: Vec<u8>,
}

/// Why there is no scene for a shader.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// The shader cannot run.
    #[error(transparent)]
    Shader(#[from] Error),
    /// It is no shader of draws.
    #[error("a {0} shader is not drawn, only vertex and pixel shaders are")]
    Stage(&'static str),
    /// A vertex shader that other stages than pixel shaders come after.
    #[error("the vertex shader writes no position, so nothing can be drawn with it and a pixel shader alone")]
    NoPosition,
    /// The shader of the other stage cannot be made.
    #[error("a shader of the other stage cannot be made for it: {0}")]
    Companion(String),
}

impl From<brolga_bytecode::Error> for DraftError {
    fn from(error: brolga_bytecode::Error) -> Self {
        Self::Shader(error.into())
    }
}

/// Pixels along a side of the picture.
const SIDE: u32 = 256;
/// The corners of the rectangle, as a strip: x, y, and the texture coordinates there.
const CORNERS: [[f64; 4]; 4] =
    [[-0.8, 0.8, 0.0, 0.0], [0.8, 0.8, 1.0, 0.0], [-0.8, -0.8, 0.0, 1.0], [0.8, -0.8, 1.0, 1.0]];

impl SceneDraft<'_> {
    /// Writes the scene and both shaders.
    ///
    /// # Errors
    /// If the shader cannot run, is of another stage, or reads what no shader gives it.
    pub fn write(&self, limits: &Limits) -> Result<DraftedScene, DraftError> {
        let Info { program: info, .. } = Info::read(self.shader, &limits.file)?;
        if !matches!(info.stage, Stage::Vertex | Stage::Pixel) {
            return Err(DraftError::Stage(info.stage.name()));
        }
        let is_direct3d9 = sm3::is_program(self.shader);
        let Companion { bytes, inputs, targets } = match is_direct3d9 {
            true => companion::of_direct3d9(
                &sm3::decode(self.shader, 0, &limits.file).map_err(brolga_bytecode::Error::from)?,
                &limits.file,
            )?,
            false => companion::of_direct3d11(self.shader, info.stage, &limits.file)?,
        };
        let device = Device::builder().limits(limits.clone()).threads(1).build()?;
        // Only the declarations are asked for: nothing runs.
        let options = CompileOptions::new(Engine::Interpreter).codegen(Codegen::Deferred);
        let shader = device.compile(self.shader, &options)?;
        let mut options = LoadOptions::default();
        options.limits = limits.file.clone();
        let code = if is_direct3d9 { None } else { Some(brolga_bytecode::Shader::load(self.shader, &options)?) };
        let bound = Bound::of(&shader, &info, code.as_ref().map(|code| code.program.program()));
        let (vertex_shader, pixel_shader) = match info.stage {
            Stage::Vertex => (self.shader.to_vec(), bytes),
            _ => (bytes, self.shader.to_vec()),
        };
        let scene = self.document(&inputs, &targets, bound, is_direct3d9);
        Ok(DraftedScene { scene: written(&scene), vertex_shader, pixel_shader })
    }

    fn document(&self, inputs: &[Input], targets: &[ComponentType], bound: Bound, is_direct3d9: bool) -> Value {
        let numbers = CORNERS.iter().flat_map(|corner| inputs.iter().flat_map(|input| attribute(input, *corner)));
        let mut resources = Map::new();
        if !inputs.is_empty() {
            resources.insert("corners".into(), json!({"kind": "vertex", "f32": numbers.collect::<Vec<_>>()}));
        }
        resources.extend(bound.resources);
        let names: Vec<_> =
            (0..targets.len()).map(|n| if n == 0 { "picture".to_owned() } else { format!("picture{n}") }).collect();
        for (name, kind) in names.iter().zip(targets) {
            let format = match kind {
                _ if is_direct3d9 => "A8R8G8B8",
                ComponentType::Uint32 => "R32G32B32A32_UINT",
                ComponentType::Sint32 => "R32G32B32A32_SINT",
                _ => "R8G8B8A8_UNORM",
            };
            resources
                .insert(name.clone(), json!({"kind": "texture2d", "format": format, "width": SIDE, "height": SIDE}));
        }
        let layout: Vec<_> = inputs.iter().enumerate().map(|(n, input)| element(n, input, is_direct3d9)).collect();
        let mut pipeline = json!({"vs": "vs", "ps": "ps", "topology": "TRIANGLESTRIP", "input_layout": layout});
        let mut draw = json!({"op": "draw", "pipeline": "main"});
        if !inputs.is_empty() {
            draw["vertex_buffers"] = json!([{"buffer": "corners", "stride": 16 * inputs.len()}]);
        }
        draw["bind"] = Value::Object(bound.bind);
        if is_direct3d9 {
            pipeline["render_states"] = json!({"CULLMODE": "NONE"});
            draw["target"] = "picture".into();
            draw["primitives"] = 2.into();
            draw.as_object_mut().into_iter().for_each(|draw| draw.extend(bound.constants.clone()));
        } else {
            pipeline["rasterizer"] = json!({"cull_mode": "NONE"});
            draw["targets"] = names.clone().into();
            draw["vertices"] = 4.into();
        }
        let key = if is_direct3d9 { "target" } else { "resource" };
        let is_float =
            |(_, kind): &(&String, &ComponentType)| !matches!(kind, ComponentType::Uint32 | ComponentType::Sint32);
        let pictures: Vec<_> = names.iter().zip(targets).filter(is_float).map(|(name, _)| name).collect();
        let clears = pictures.iter().map(|name| json!({"op": "clear", key: name, "color": [0.1, 0.1, 0.2, 1]}));
        let file = |n: usize| if n == 0 { format!("{}.png", self.name) } else { format!("{}{n}.png", self.name) };
        let saves = pictures.iter().enumerate().map(|(n, name)| json!({"resource": name, "file": file(n)}));
        json!({
            "name": self.name,
            "api": if is_direct3d9 { "d3d9" } else { "d3d11" },
            "shaders": {"vs": {"file": "vs.cso"}, "ps": {"file": "ps.cso"}},
            "resources": resources,
            "samplers": bound.samplers,
            "pipelines": {"main": pipeline},
            "steps": clears.chain([draw]).collect::<Vec<_>>(),
            "save": saves.collect::<Vec<_>>(),
        })
    }
}

/// An element of the input layout: all have four components.
fn element(n: usize, input: &Input, is_direct3d9: bool) -> Value {
    let Input { name, index, kind } = input;
    if is_direct3d9 {
        return json!({"usage": name, "index": index, "type": "FLOAT4", "offset": 16 * n});
    }
    let format = match kind {
        ComponentType::Uint32 => "R32G32B32A32_UINT",
        ComponentType::Sint32 => "R32G32B32A32_SINT",
        _ => "R32G32B32A32_FLOAT",
    };
    json!({"semantic": name, "index": index, "format": format, "offset": 16 * n})
}

/// What an input is at a corner, by its name; integers are 0.
fn attribute(input: &Input, [x, y, u, v]: [f64; 4]) -> [f64; 4] {
    if matches!(input.kind, ComponentType::Uint32 | ComponentType::Sint32) {
        return [0.0; 4];
    }
    let name = input.name.to_uppercase();
    match name.as_str() {
        _ if name.starts_with("POSITION") && input.index == 0 => [x, y, 0.5, 1.0],
        "NORMAL" => [0.0, 0.0, -1.0, 0.0],
        "TANGENT" => [1.0, 0.0, 0.0, 0.0],
        "BINORMAL" => [0.0, 1.0, 0.0, 0.0],
        "BLENDWEIGHT" => [1.0, 0.0, 0.0, 0.0],
        "BLENDINDICES" => [0.0; 4],
        "COLOR" => [1.0 - u, 1.0 - v, u, 1.0],
        _ => [u, v, 0.0, 1.0],
    }
}

/// The text of a scene: an item on each line.
fn written(scene: &Value) -> String {
    let empty = Map::new();
    let sections = scene.as_object().unwrap_or(&empty).iter();
    let sections =
        sections.filter(|(_, section)| *section != &json!({}) && *section != &json!([])).map(|(name, section)| {
            let lines = match section {
                Value::Object(items) => {
                    items.iter().map(|(key, item)| format!("  {}: {item}", json!(key))).collect::<Vec<_>>()
                }
                Value::Array(items) => items.iter().map(|item| format!("  {item}")).collect(),
                value => return format!(" {}: {value}", json!(name)),
            };
            let [open, close] = if section.is_object() { ['{', '}'] } else { ['[', ']'] };
            format!(" {}: {open}\n{}\n {close}", json!(name), lines.join(",\n"))
        });
    format!("{{\n{}\n}}\n", sections.collect::<Vec<_>>().join(",\n"))
}
