//! Draws things on a table under one light: three pipelines, a shadow map, meshes and textures from files. `cargo run
//! --release --example still_life` starts it and writes `still_life.png` to the folder for temporary files.
//!
//! `still_life/scene.json` draws the same without a program: `brolga run examples/still_life`.

use std::path::{Path, PathBuf};

use brolga::files::{self, FileForm, Mesh, Texels};
use brolga::raster::{
    Cull, DepthState, Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets,
};
use brolga::{
    AddressMode, BindingRules, Bindings, Buffer, Comparison, Device, Filter, Format, Module, Reduction, Register,
    Sampler, Tap, Texture, TextureShape, View,
};

type Error = Box<dyn std::error::Error>;

/// Pixels of the picture; it is drawn at twice the width and height, and averaged down.
const SIZE: [u32; 2] = [320, 180];
const COLOR: Format = Format::R8G8B8A8_UNORM_SRGB;
const LIGHT: Format = Format::R16G16B16A16_FLOAT;
const DEPTH: Format = Format::D32_FLOAT;

/// Eye, zoom, target, width by height.
const CAMERA: [f32; 8] = [0.6, 3.1, 6.2, 3.0, 0.12, 0.8, -0.2, 16.0 / 9.0];
/// The direction to the light, half the extent of the shadow map in the scene, colour, softness.
const SUN: [f32; 8] = [-0.6, 0.64, 0.48, 4.5, 3.9, 3.3, 2.6, 5.0];

/// Mesh and texture; position, size, rotation, roughness, metal.
const THINGS: [(&str, &str, [f32; 12]); 4] = [
    ("vase.obj", "glaze.png", [-1.35, 0.0, -0.5, 1.1, 0.0, 0.3, 0.0, 0.12, 0.0, 0.0, 0.0, 0.0]),
    ("ball.obj", "marble.png", [1.75, 0.8, -0.75, 0.8, 0.6, 0.9, 0.4, 0.06, 0.0, 0.0, 0.0, 0.0]),
    ("knot.obj", "copper.png", [0.42, 0.36, 1.05, 0.72, 1.62, 0.5, 0.0, 0.28, 1.0, 0.0, 0.0, 0.0]),
    ("table.obj", "wood.png", [0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.45, 0.0, 0.0, 0.0, 0.0]),
];

/// A mesh on the device, and its bindings.
struct Thing {
    vertices: Buffer,
    indices: Buffer,
    count: u32,
    bindings: Bindings,
}

impl Thing {
    fn draw<'a>(&'a self, pipeline: &'a Pipeline) -> Draw<'a> {
        let indices = IndexBuffer { buffer: self.indices.clone(), offset_bytes: 0, is_short: false };
        let draw = Draw::new(pipeline, self.count).bindings(&self.bindings);
        draw.vertex_buffer(self.vertices.clone(), Mesh::STRIDE_BYTES).index_buffer(indices)
    }
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/still_life").join(file)
}

/// A texture with all its levels.
fn texture(device: &Device, file: &str) -> Result<Texture, Error> {
    let most = device.limits().buffer_bytes;
    let texels = Texels::decode(FileForm::of(file.as_ref()), std::fs::read(path(file))?, Some(COLOR), most)?;
    let texels = texels.convert(COLOR, most)?.with_mips(most)?;
    Ok(device.texture_from(texels.shape, &texels.bytes)?)
}

fn thing(
    device: &Device,
    (mesh, skin, of_thing): (&str, &str, [f32; 12]),
    shadow_map: &Texture,
) -> Result<Thing, Error> {
    let mesh = Mesh::load(path(mesh), device.limits().buffer_bytes)?;
    let linear = Filter { minify: Tap::Linear, magnify: Tap::Linear, mip: Tap::Linear, ..Filter::default() };
    let around = Sampler { filter: linear, address: [AddressMode::Wrap; 3], ..Sampler::default() };
    let compared = Filter { reduction: Reduction::Comparison, mip: Tap::Point, ..linear };
    let nearer = Sampler { filter: compared, comparison: Comparison::LessEqual, ..Sampler::default() };
    // As in Direct3D, registers that a shader does not declare may be bound.
    let mut bindings = Bindings::with_rules(BindingRules::DIRECT3D);
    bindings.set(Register::b(0), View::constant(device.buffer_from(&CAMERA)?)?);
    bindings.set(Register::b(1), View::constant(device.buffer_from(&SUN)?)?);
    bindings.set(Register::b(2), View::constant(device.buffer_from(&of_thing)?)?);
    bindings.set(Register::t(0), View::texture(texture(device, skin)?));
    bindings.set(Register::t(1), View::texture(shadow_map.clone()).with_format(Format::R32_FLOAT)?);
    bindings.set(Register::s(0), View::sampler(around)?);
    bindings.set(Register::s(1), View::sampler(nearer)?);
    Ok(Thing {
        vertices: device.buffer_from(mesh.vertices.as_flattened())?,
        count: mesh.indices.len() as u32,
        indices: device.buffer_from(&mesh.indices)?,
        bindings,
    })
}

/// The pipeline of a vertex and a pixel shader for meshes.
fn pipeline(
    device: &Device,
    [vertex, pixel]: [&str; 2],
    change: impl FnOnce(&mut PipelineDesc),
) -> Result<Pipeline, Error> {
    let module = |file: &str| -> Result<_, Error> { Ok(Module::load(&std::fs::read(path(file))?, device.limits())?) };
    let pixel = if pixel.is_empty() { None } else { Some(module(pixel)?) };
    let mut desc = PipelineDesc::new(&module(vertex)?, pixel.as_ref())
        .input(InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0))
        .input(InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 12))
        .input(InputElement::new("TEXCOORD", Format::R32G32_FLOAT, 24));
    change(&mut desc);
    Ok(Pipeline::new(device, &desc)?)
}

fn main() -> Result<(), Error> {
    let device = Device::builder().build()?;
    let target = |format, [width, height]: [u32; 2]| device.texture(TextureShape::texture_2d(format, width, height));
    let large = SIZE.map(|side| 2 * side);
    let shadow_map = target(DEPTH, [1024; 2])?;
    let things = THINGS.into_iter().map(|of_thing| thing(&device, of_thing, &shadow_map));
    let things = things.collect::<Result<Vec<_>, _>>()?;

    // Depths as the light sees them, with a bias: a surface must not shadow itself. The table casts no shadow.
    let shadow = pipeline(&device, ["shadow_vs.cso", ""], |desc| {
        desc.depth_format = Some(DEPTH);
        desc.rasterizer.cull = Cull::None;
        (desc.rasterizer.depth_bias, desc.rasterizer.slope_scaled_depth_bias) = (100, 2.0);
    })?;
    let mut pass = Pass::new(&device, Targets { colors: Vec::new(), depth: Some(shadow_map.into()) })?;
    pass.clear_depth(1.0)?;
    for thing in &things[..3] {
        pass.draw(&thing.draw(&shadow))?;
    }
    pass.finish()?;

    // The things, in HDR light.
    let main = pipeline(&device, ["main_vs.cso", "main_ps.cso"], |desc| {
        desc.targets = vec![TargetState::new(LIGHT)];
        desc.depth_format = Some(DEPTH);
        desc.rasterizer.front_counter_clockwise = true;
    })?;
    let light = target(LIGHT, large)?;
    let colors = vec![View::texture(light.clone())];
    let mut pass = Pass::new(&device, Targets { colors, depth: Some(target(DEPTH, large)?.into()) })?;
    pass.clear_color(0, [0.035, 0.032, 0.04, 1.0])?;
    pass.clear_depth(1.0)?;
    for thing in &things {
        pass.draw(&thing.draw(&main))?;
    }
    let drawn: u64 = pass.finish()?.iter().map(|draw| draw.samples).sum();

    // The picture: four pixels become one, clamped to the range of a screen.
    let halve = pipeline(&device, ["cover_vs.cso", "halve_ps.cso"], |desc| {
        desc.targets = vec![TargetState::new(COLOR)];
        desc.rasterizer.cull = Cull::None;
        desc.depth = DepthState { enable: false, ..DepthState::default() };
    })?;
    let picture = target(COLOR, SIZE)?;
    let mut bindings = Bindings::new();
    bindings.set(Register::t(0), View::texture(light));
    let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(picture.clone())], depth: None })?;
    pass.draw(&Draw::new(&halve, 3).bindings(&bindings))?;
    pass.finish()?;

    let file = std::env::temp_dir().join("still_life.png");
    files::save_texture(&picture, &file)?;
    println!("{drawn} pixels of four things are in {}", file.display());
    // The vase stands in the light and casts its shadow on the table to the right of it.
    let texels: Vec<[u8; 4]> = picture.buffer().to_vec()?;
    let brightness =
        |[x, y]: [u32; 2]| texels[(y * SIZE[0] + x) as usize][..3].iter().map(|&code| u32::from(code)).sum::<u32>();
    assert!(brightness([90, 100]) > 500 && brightness([155, 97]) < 150 && brightness([60, 130]) > 200);
    Ok(())
}
