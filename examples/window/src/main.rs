//! Shows the flower of `examples/field`, turning in a window: `cargo run --release` in this folder. The arrow keys
//! raise and lower the camera.
//!
//! `BROLGA_FRAMES=100` ends it after so many frames and prints their times.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use brolga::files::Mesh;
use brolga::raster::{
    Advance, Cull, DepthState, Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets,
};
use brolga::{BindingRules, Bindings, Buffer, Device, Format, Module, Register, Texture, TextureShape, View};
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::{Window, WindowId};

type Error = Box<dyn std::error::Error>;

/// The order of a window's bytes.
const COLOR: Format = Format::B8G8R8A8_UNORM_SRGB;
const DEPTH: Format = Format::D32_FLOAT;

/// All objects that do not depend on the window.
struct Flower {
    device: Device,
    sky: Pipeline,
    seeds: Pipeline,
    bindings: Bindings,
    camera: Buffer,
    field: Buffer,
    vertices: Buffer,
    indices: Buffer,
    index_count: u32,
    instances: Buffer,
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../field").join(file)
}

impl Flower {
    fn new() -> Result<Self, Error> {
        let device = Device::builder().build()?;
        let shader = |file: &str| -> Result<_, Error> { Ok(Module::load(&std::fs::read(path(file))?, device.limits())?) };
        let (sky_vs, sky_ps) = (shader("sky_vs.cso")?, shader("shown_sky_ps.cso")?);
        let mut desc = PipelineDesc::new(&sky_vs, Some(&sky_ps)).target(TargetState::new(COLOR));
        desc.depth = DepthState { enable: false, ..DepthState::default() };
        desc.depth_format = Some(DEPTH);
        desc.rasterizer.cull = Cull::None;
        let sky = Pipeline::new(&device, &desc)?;

        let (seeds_vs, seeds_ps) = (shader("seeds_vs.cso")?, shader("shown_seeds_ps.cso")?);
        let seed = InputElement::new("SEED", Format::R16G16B16A16_FLOAT, 0);
        let mut desc = PipelineDesc::new(&seeds_vs, Some(&seeds_ps))
            .input(InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0))
            .input(InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 12))
            .input(InputElement { slot: 1, advance: Advance::Instance { step: 1 }, ..seed })
            .target(TargetState::new(COLOR));
        desc.depth_format = Some(DEPTH);
        desc.rasterizer.front_counter_clockwise = true;
        let seeds = Pipeline::new(&device, &desc)?;

        let mesh = Mesh::load(path("seed.obj"), device.limits().buffer_bytes)?;
        let (camera, field) = (device.buffer_from(&[0.0_f32; 8])?, device.buffer_from(&[0.0_f32; 8])?);
        let mut bindings = Bindings::with_rules(BindingRules::DIRECT3D);
        bindings.set(Register::b(0), View::constant(camera.clone())?);
        bindings.set(Register::b(1), View::constant(field.clone())?);
        Ok(Self {
            vertices: device.buffer_from(mesh.vertices.as_flattened())?,
            indices: device.buffer_from(&mesh.indices)?,
            index_count: mesh.indices.len() as u32,
            instances: device.buffer_from(&std::fs::read(path("seeds.bin"))?)?,
            device,
            sky,
            seeds,
            bindings,
            camera,
            field,
        })
    }

    /// Draws a frame.
    fn draw(&self, targets: &Targets, seconds: f32, height: f32, aspect: f32) -> Result<(), Error> {
        let (sin, cos) = (0.2 * seconds).sin_cos();
        self.camera.write(0, &[10.2 * sin, height, 10.2 * cos, 2.15, 0.0, 0.2, 0.0, aspect])?;
        self.field.write(0, &[0.7071_f32, 0.3, -0.6403, 2.0 * seconds, 9.0, 0.13, 0.0, 0.0])?;
        let mut pass = Pass::new(&self.device, targets.clone())?;
        pass.clear_depth(1.0)?;
        pass.draw(&Draw::new(&self.sky, 3).bindings(&self.bindings))?;
        let indices = IndexBuffer { buffer: self.indices.clone(), offset_bytes: 0, is_short: false };
        let mut draw = Draw::new(&self.seeds, self.index_count)
            .bindings(&self.bindings)
            .vertex_buffer(self.vertices.clone(), Mesh::STRIDE_BYTES)
            .vertex_buffer(self.instances.clone(), 8)
            .index_buffer(indices);
        draw.instances = (self.instances.size_bytes() / 8) as u32;
        pass.draw(&draw)?;
        pass.finish()?;
        Ok(())
    }
}

/// The objects that belong to the window.
struct Shown {
    window: Arc<Window>,
    surface: softbuffer::Surface<Arc<Window>, Arc<Window>>,
    /// The picture, as large as the window and the targets.
    picture: Option<Texture>,
    targets: Targets,
}

impl Shown {
    fn new(events: &ActiveEventLoop) -> Result<Self, Error> {
        let attributes = Window::default_attributes().with_title("Brolga").with_inner_size(LogicalSize::new(640, 360));
        let window = Arc::new(events.create_window(attributes)?);
        let context = softbuffer::Context::new(window.clone())?;
        let surface = softbuffer::Surface::new(&context, window.clone())?;
        Ok(Self { window, surface, picture: None, targets: Targets::default() })
    }

    /// Draws a frame and shows it.
    fn frame(&mut self, flower: &Flower, seconds: f32, height: f32) -> Result<(), Error> {
        let size = self.window.inner_size();
        let (Some(width), Some(rows)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
            return Ok(());
        };
        let fits = |texture: &Texture| [texture.shape().width, texture.shape().height] == [size.width, size.height];
        if !self.picture.as_ref().is_some_and(fits) {
            let texture = |format| flower.device.texture(TextureShape::texture_2d(format, size.width, size.height));
            let picture = texture(COLOR)?;
            let colors = vec![View::texture(picture.clone())];
            self.targets = Targets { colors, depth: Some(texture(DEPTH)?.into()) };
            self.picture = Some(picture);
            self.surface.resize(width, rows)?;
        }
        let aspect = size.width as f32 / size.height as f32;
        flower.draw(&self.targets, seconds, height, aspect)?;
        let mut pixels = self.surface.buffer_mut()?;
        if let Some(picture) = &self.picture {
            picture.buffer().read(0, &mut pixels[..])?;
        }
        self.window.pre_present_notify();
        Ok(pixels.present()?)
    }
}

struct App {
    flower: Flower,
    shown: Option<Shown>,
    began: Instant,
    height: f32,
    frames: u32,
    /// Number of frames after which it ends.
    most_frames: Option<u32>,
    failure: Option<Error>,
}

impl App {
    /// Ends the program with an error.
    fn check(&mut self, events: &ActiveEventLoop, result: Result<(), Error>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
            events.exit();
        }
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let shown = Shown::new(events).map(|shown| self.shown = Some(shown));
        self.check(events, shown);
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => events.exit(),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => match event.logical_key
            {
                Key::Named(NamedKey::ArrowUp) => self.height = (self.height + 0.5).min(20.0),
                Key::Named(NamedKey::ArrowDown) => self.height = (self.height - 0.5).max(2.5),
                Key::Named(NamedKey::Escape) => events.exit(),
                _ => {}
            },
            WindowEvent::RedrawRequested => {
                let Some(shown) = &mut self.shown else { return };
                let drawn = shown.frame(&self.flower, self.began.elapsed().as_secs_f32(), self.height);
                shown.window.request_redraw();
                self.check(events, drawn);
                self.frames += 1;
                if self.most_frames.is_some_and(|most| self.frames >= most) {
                    events.exit();
                }
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Error> {
    let most_frames = std::env::var("BROLGA_FRAMES").ok().map(|count| count.parse()).transpose()?;
    let (flower, began) = (Flower::new()?, Instant::now());
    let mut app = App { flower, shown: None, began, height: 6.4, frames: 0, most_frames, failure: None };
    EventLoop::new()?.run_app(&mut app)?;
    let seconds = app.began.elapsed().as_secs_f64();
    println!("{} frames in {seconds:.1} s: {:.1} each second", app.frames, f64::from(app.frames) / seconds);
    app.failure.map_or(Ok(()), Err)
}
