//! Draws a triangle into a picture. `cargo run --example triangle` starts it and writes `triangle.png` to the folder
//! for temporary files.

use brolga::raster::{Draw, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets};
use brolga::{Device, Format, Module, TextureShape, View};

/// Compiled from `triangle.hlsl`.
const VERTEX_SHADER: &[u8] = include_bytes!("triangle_vs.cso");
const PIXEL_SHADER: &[u8] = include_bytes!("triangle_ps.cso");

/// A position on the screen and a colour for each vertex.
const VERTICES: [[f32; 6]; 3] =
    [[0.0, 0.85, 1.0, 0.1, 0.1, 1.0], [0.9, -0.75, 0.1, 1.0, 0.1, 1.0], [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0]];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::builder().build()?;
    let vertex = Module::load(VERTEX_SHADER, device.limits())?;
    let pixel = Module::load(PIXEL_SHADER, device.limits())?;
    let desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .target(TargetState::new(Format::R8G8B8A8_UNORM));
    let pipeline = Pipeline::new(&device, &desc)?;

    let vertices = device.buffer_from(&VERTICES)?;
    let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 640, 480))?;
    let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target.clone())], depth: None })?;
    pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices, size_of_val(&VERTICES[0]) as u32))?;
    let statistics = pass.finish()?;

    let inside = statistics[0].samples;
    println!("{inside} of {} pixels are inside", 640 * 480);
    assert!((90_000..110_000).contains(&inside));
    #[cfg(feature = "files")]
    brolga::files::save_texture(&target, std::env::temp_dir().join("triangle.png"))?;
    Ok(())
}
