//! Runs cases that `wgsl/tests/it/peer.rs` wrote on a Vulkan device, and compares what is left in memory.
//!
//! ```text
//! VK_ICD_FILENAMES=… cargo run --release --manifest-path wgsl/peer/Cargo.toml -- FOLDER/*.case
//! ```
//!
//! A line for each case: `equal`, `close` (all words that differ are floats within a ten thousandth), `differs` with the
//! first word, or `skipped` with what the device refuses.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use wgpu::{BindGroupEntry, BindingResource, BufferUsages, ErrorFilter, TextureUsages};

type Failure = Box<dyn std::error::Error>;

/// A resource of a case.
struct Bound {
    class: String,
    group: u32,
    binding: u32,
    /// Dimension, format and size of a texture.
    shape: Vec<String>,
    before: Vec<u32>,
    after: Vec<u32>,
}

struct Case {
    text: String,
    entry: String,
    groups: [u32; 3],
    overrides: Vec<(String, f64)>,
    bound: Vec<Bound>,
}

fn read(path: &str) -> Result<Case, Failure> {
    let bytes = fs::read(path.replace(".case", ".bin"))?;
    let mut words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let mut case = Case {
        text: fs::read_to_string(path.replace(".case", ".wgsl"))?,
        entry: String::new(),
        groups: [1; 3],
        overrides: Vec::new(),
        bound: Vec::new(),
    };
    for line in fs::read_to_string(path)?.lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        match parts[0] {
            "entry" => case.entry = parts[1].to_owned(),
            "groups" => case.groups = [parts[1].parse()?, parts[2].parse()?, parts[3].parse()?],
            "override" => case.overrides.push((parts[1].to_owned(), parts[2].parse()?)),
            class => {
                let count: usize = parts[3].parse()?;
                let before = words.by_ref().take(count).collect();
                let after = words.by_ref().take(count).collect();
                let shape = parts[4..].iter().map(|part| (*part).to_owned()).collect();
                let (group, binding) = (parts[1].parse()?, parts[2].parse()?);
                case.bound.push(Bound { class: class.to_owned(), group, binding, shape, before, after });
            }
        }
    }
    Ok(case)
}

/// What a resource is on the device.
enum Made {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture, wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

struct Runner {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Runner {
    fn new() -> Result<Self, Failure> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(descriptor);
        let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
        let wanted = wgpu::Features::FLOAT32_FILTERABLE | wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..Default::default()
        }))?;
        Ok(Self { device, queue })
    }

    fn make(&self, bound: &Bound) -> Result<Made, Failure> {
        let device = &self.device;
        let content = bytes(&bound.before);
        let common = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        Ok(match bound.class.as_str() {
            "sampler" | "comparison" => Made::Sampler(device.create_sampler(&wgpu::SamplerDescriptor {
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                compare: (bound.class == "comparison").then_some(wgpu::CompareFunction::Less),
                ..Default::default()
            })),
            "texture" | "storage" => {
                let (size, format, dimension) = shape(&bound.shape)?;
                let usage = match bound.class.as_str() {
                    "storage" => TextureUsages::STORAGE_BINDING,
                    _ => TextureUsages::TEXTURE_BINDING,
                };
                let texture = device.create_texture(&wgpu::TextureDescriptor {
                    label: None,
                    size,
                    mip_level_count: 1,
                    sample_count: 1,
                    dimension: match dimension {
                        wgpu::TextureViewDimension::D1 => wgpu::TextureDimension::D1,
                        wgpu::TextureViewDimension::D3 => wgpu::TextureDimension::D3,
                        _ => wgpu::TextureDimension::D2,
                    },
                    format,
                    usage: usage | TextureUsages::COPY_SRC | TextureUsages::COPY_DST,
                    view_formats: &[],
                });
                let row = size.width * format.block_copy_size(None).unwrap();
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: Some(size.height),
                };
                self.queue.write_texture(texture.as_image_copy(), &content, layout, size);
                let dimension = Some(dimension);
                let view = texture.create_view(&wgpu::TextureViewDescriptor { dimension, ..Default::default() });
                Made::Texture(texture, view)
            }
            class => {
                let usage = if class == "uniform" { BufferUsages::UNIFORM } else { BufferUsages::STORAGE };
                let descriptor = wgpu::BufferDescriptor {
                    label: None,
                    size: content.len() as u64,
                    usage: usage | common,
                    mapped_at_creation: false,
                };
                let buffer = device.create_buffer(&descriptor);
                self.queue.write_buffer(&buffer, 0, &content);
                Made::Buffer(buffer)
            }
        })
    }

    /// The words of all resources afterwards.
    fn run(&self, case: &Case) -> Result<Vec<Vec<u32>>, Failure> {
        let device = &self.device;
        let constants: Vec<(&str, f64)> = case.overrides.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(case.text.as_str().into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(&case.entry),
            compilation_options: wgpu::PipelineCompilationOptions { constants: &constants, ..Default::default() },
            cache: None,
        });
        let made = case.bound.iter().map(|bound| self.make(bound)).collect::<Result<Vec<_>, _>>()?;
        let mut groups: BTreeMap<u32, Vec<BindGroupEntry>> = BTreeMap::new();
        for (bound, made) in case.bound.iter().zip(&made) {
            let resource = match made {
                Made::Buffer(buffer) => buffer.as_entire_binding(),
                Made::Texture(_, view) => BindingResource::TextureView(view),
                Made::Sampler(sampler) => BindingResource::Sampler(sampler),
            };
            groups.entry(bound.group).or_default().push(BindGroupEntry { binding: bound.binding, resource });
        }
        let groups: Vec<_> = groups
            .iter()
            .map(|(&group, entries)| {
                let layout = &pipeline.get_bind_group_layout(group);
                (group, device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries }))
            })
            .collect();
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            groups.iter().for_each(|(number, group)| pass.set_bind_group(*number, group, &[]));
            let [x, y, z] = case.groups;
            pass.dispatch_workgroups(x, y, z);
        }
        let copies: Vec<_> = made.iter().map(|made| self.copy(made, &mut encoder)).collect();
        self.queue.submit([encoder.finish()]);
        copies.into_iter().map(|copy| copy.map_or(Ok(Vec::new()), |(copy, row)| self.words(&copy, row))).collect()
    }

    /// A copy that can be read, and the bytes of its rows, with those that are there for alignment, and in all.
    fn copy(&self, made: &Made, encoder: &mut wgpu::CommandEncoder) -> Option<(wgpu::Buffer, [u32; 2])> {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let target = |size| {
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        match made {
            Made::Sampler(_) => None,
            Made::Buffer(buffer) => {
                let target = target(buffer.size());
                encoder.copy_buffer_to_buffer(buffer, 0, &target, 0, buffer.size());
                Some((target, [buffer.size() as u32; 2]))
            }
            Made::Texture(texture, _) => {
                let size = texture.size();
                let used = size.width * texture.format().block_copy_size(None).unwrap();
                let row = used.next_multiple_of(256);
                let target = target(u64::from(row * size.height * size.depth_or_array_layers));
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: Some(size.height),
                };
                let to = wgpu::TexelCopyBufferInfo { buffer: &target, layout };
                encoder.copy_texture_to_buffer(texture.as_image_copy(), to, size);
                Some((target, [used, row]))
            }
        }
    }

    fn words(&self, copy: &wgpu::Buffer, [used, row]: [u32; 2]) -> Result<Vec<u32>, Failure> {
        copy.map_async(wgpu::MapMode::Read, .., |_| {});
        let timeout = Some(Duration::from_secs(60));
        self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout })?;
        let bytes = copy.get_mapped_range(..)?.to_vec();
        let rows = bytes.chunks(row as usize).flat_map(|bytes| bytes[..used as usize].chunks_exact(4));
        Ok(rows.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
    }
}

fn shape(parts: &[String]) -> Result<(wgpu::Extent3d, wgpu::TextureFormat, wgpu::TextureViewDimension), Failure> {
    use wgpu::{TextureFormat as F, TextureViewDimension as D};
    let dimension = match parts[0].as_str() {
        "Texture1d" => D::D1,
        "Texture2d" => D::D2,
        "Texture2dArray" => D::D2Array,
        "Texture3d" => D::D3,
        "TextureCube" => D::Cube,
        "TextureCubeArray" => D::CubeArray,
        other => return Err(format!("no {other}").into()),
    };
    let format = match parts[1].as_str() {
        "R32_UINT" => F::R32Uint,
        "R32_SINT" => F::R32Sint,
        "R32_FLOAT" => F::R32Float,
        "R32G32B32A32_FLOAT" => F::Rgba32Float,
        "R8G8B8A8_UNORM" => F::Rgba8Unorm,
        "R8G8B8A8_SNORM" => F::Rgba8Snorm,
        other => return Err(format!("no format {other}").into()),
    };
    let numbers: Vec<u32> = parts[2..].iter().map(|part| part.parse()).collect::<Result<_, _>>()?;
    let (depth, layers) = (numbers[2], numbers[3]);
    let size = wgpu::Extent3d { width: numbers[0], height: numbers[1], depth_or_array_layers: depth.max(layers) };
    Ok((size, format, dimension))
}

/// `true` for floats that are about the same, zeros of both signs and NaNs of all kinds. Denormals may be integers.
fn is_close(a: u32, b: u32) -> bool {
    let [x, y] = [a, b].map(f32::from_bits);
    let is_near = (x - y).abs() <= 1e-4 * x.abs().max(y.abs()).max(1e-3);
    x.is_nan() && y.is_nan() || is_near && !x.is_subnormal() && !y.is_subnormal()
}

fn outcome(path: &str) -> Result<String, Failure> {
    let case = read(path)?;
    let runner = Runner::new()?;
    let filters = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation];
    let scopes = filters.map(|filter| runner.device.push_error_scope(filter));
    // Where naga cannot write SPIR-V, it panics.
    let found = catch_unwind(AssertUnwindSafe(|| runner.run(&case)));
    let errors: Vec<_> = scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect();
    if let Some(error) = errors.last() {
        let text = error.to_string();
        return Ok(format!("skipped: {}", text.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    let found = found.map_err(|_| "a panic")?;
    let mut close = 0;
    let mut different = Vec::new();
    for (bound, found) in case.bound.iter().zip(&found?) {
        for (n, (&expected, &found)) in bound.after.iter().zip(found).enumerate() {
            if expected == found {
            } else if is_close(expected, found) {
                close += 1;
            } else {
                let floats = [expected, found].map(f32::from_bits);
                let place = (bound.group, bound.binding);
                different.push(format!("{place:?} word {n}: {expected:#x}, there {found:#x} {floats:?}"));
            }
        }
    }
    Ok(match (close, different.as_slice()) {
        (0, []) => "equal".to_owned(),
        (close, []) => format!("close: {close} words"),
        (close, [first, ..]) => format!("differs: {} words ({close} close), {first}", different.len()),
    })
}

fn main() {
    for path in std::env::args().skip(1) {
        let outcome = outcome(&path).unwrap_or_else(|error| format!("skipped: {error}"));
        println!("{path}: {outcome}");
    }
}
