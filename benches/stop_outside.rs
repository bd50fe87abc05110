//! Measures how late work outside of shaders ends when a token is cancelled: draws with more indices or instances than
//! anybody wants, clears, copies, mip levels, files, comparisons. Each kind runs again and again until it is stopped,
//! after several delays; the result is the longest time from the call of `cancel` to the end.
//!
//! `cargo bench --bench stop_outside` prints a line for each kind, and ends with 1 where one took longer than 100 ms.
//! `-- png` selects those of that name. Files of a gigabyte go to the folder for temporary files.

use std::error::Error;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use brolga::document::{Document, Prepared, RunOptions, Syntax};
use brolga::files::{self, Array, FileForm, Mesh, Texels};
use brolga::raster::{Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets, Topology};
use brolga::{
    CancelToken, ClearValue, CompileOptions, Device, Dimension, Dispatch, Engine, Format, Texture, TextureShape, View,
};
use brolga_testing::run::{assemble, module};

/// Objects that all kinds share.
struct Setup {
    device: Device,
    folder: tempfile::TempDir,
}

type Outcome = Result<(), Box<dyn Error>>;

/// Work that a token stops; its outcome does not matter.
type Work<'a> = Box<dyn Fn(&CancelToken) -> Outcome + 'a>;

/// Delays after which the token is cancelled.
const AFTER: [u64; 3] = [30, 150, 600];

/// The longest time that a stop may take.
const MOST: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let setup = Setup {
        device: Device::builder().threads(2).build().expect("two threads"),
        folder: tempfile::tempdir().expect("a folder"),
    };
    let mut is_late = false;
    for (name, make) in KINDS {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let work = make(&setup).unwrap_or_else(|error| panic!("{name}: {error}"));
        let late = AFTER.map(|time| lateness(&work, Duration::from_millis(time)));
        let most = late.into_iter().max().unwrap_or_default();
        is_late |= most > MOST;
        println!("{:7.1} ms  {name}{}", most.as_secs_f64() * 1e3, if most > MOST { "  LATE" } else { "" });
    }
    ExitCode::from(u8::from(is_late))
}

/// Time that work went on after its token was cancelled.
fn lateness(work: &Work<'_>, after: Duration) -> Duration {
    let token = CancelToken::new();
    thread::scope(|scope| {
        let cancelled = scope.spawn(|| {
            thread::sleep(after);
            let now = Instant::now();
            token.cancel();
            now
        });
        // Work that ends by itself begins anew.
        while !token.is_cancelled() {
            let _ = work(&token);
        }
        let end = Instant::now();
        end - cancelled.join().expect("it sleeps and cancels")
    })
}

/// A kind of work: its name, and the function that prepares it.
type Kind = (&'static str, fn(&Setup) -> Result<Work<'_>, Box<dyn Error>>);

const KINDS: &[Kind] = &[
    ("draw: 2^30 indices, all 0", |setup| indexed(setup, Topology::TriangleList, 0)),
    ("draw: 2^30 indices, all restarts", |setup| indexed(setup, Topology::TriangleStrip, u32::MAX)),
    ("draw: 2^31 vertices", |setup| draw(setup, Topology::TriangleList, |draw| draw.count = 1 << 31)),
    ("draw: 2^31 points", |setup| draw(setup, Topology::PointList, |draw| draw.count = 1 << 31)),
    ("draw: 2^32 - 1 instances", |setup| draw(setup, Topology::TriangleList, |draw| draw.instances = u32::MAX)),
    ("clear: 1 GiB of colours", |setup| {
        let view = View::texture(large(setup, Format::R8G8B8A8_UNORM)?);
        Ok(Box::new(move |token| Ok(view.clear_until(ClearValue::Color([0.5; 4]), &|| token.is_cancelled())?)))
    }),
    ("clear: depths beside stencils", |setup| {
        let view = View::texture(large(setup, Format::D24_UNORM_S8_UINT)?);
        let value = ClearValue::DepthStencil { depth: Some(0.5), stencil: None };
        Ok(Box::new(move |token| Ok(view.clear_until(value, &|| token.is_cancelled())?)))
    }),
    ("clear: a target of a pass", |setup| {
        let target = large(setup, Format::R8G8B8A8_UNORM)?;
        Ok(Box::new(move |token| {
            let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
            let limits = Dispatch::new([0; 3]).cancel(token.clone());
            Ok(Pass::new(&setup.device, targets)?.with_limits(&limits).clear_color(0, [0.5; 4])?)
        }))
    }),
    ("fill: 1 GiB", |setup| {
        let buffer = setup.device.buffer(1 << 30)?;
        Ok(Box::new(move |token| Ok(buffer.fill_until(0..1 << 30, &[1, 2, 3, 4], &|| token.is_cancelled())?)))
    }),
    ("copy: 1 GiB between buffers", |setup| {
        let [from, to] = [setup.device.buffer(1 << 30)?, setup.device.buffer(1 << 30)?];
        Ok(Box::new(move |token| Ok(from.copy_until(0..1 << 30, &to, 0, &|| token.is_cancelled())?)))
    }),
    ("copy: 1 GiB between textures", |setup| {
        let [from, to] = [large(setup, Format::R8G8B8A8_UNORM)?, large(setup, Format::R8G8B8A8_UNORM)?];
        let level = from.level(0, 0)?;
        Ok(Box::new(move |token| Ok(from.copy_box_until(&level, &to, &level, &|| token.is_cancelled())?)))
    }),
    ("mip levels: 16384 x 16384, sRGB", |setup| {
        let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM_SRGB, 16384, 16384).mips(15);
        let texture = setup.device.texture(shape)?;
        Ok(Box::new(move |token| Ok(texture.generate_mips_until(&|| token.is_cancelled())?)))
    }),
    ("mip levels: 512 x 512 x 512 floats", |setup| {
        let shape = TextureShape::new(Dimension::Texture3d, Format::R32_FLOAT, 512).height(512).depth(512).mips(10);
        let texture = setup.device.texture(shape)?;
        Ok(Box::new(move |token| Ok(texture.generate_mips_until(&|| token.is_cancelled())?)))
    }),
    ("mip levels: of a file's texels", |_| {
        let texels = texels(Format::R8G8B8A8_UNORM, 2048)?;
        Ok(Box::new(move |token| Ok(texels.clone().with_mips_until(u64::MAX, token).map(drop)?)))
    }),
    ("convert: a file's texels", |_| {
        let texels = texels(Format::R8G8B8A8_UNORM, 2048)?;
        Ok(Box::new(move |token| {
            Ok(texels.clone().convert_until(Format::R32G32B32A32_FLOAT, u64::MAX, token).map(drop)?)
        }))
    }),
    ("save: .png of zeros", |setup| save(setup, "zeros.png", Format::R8G8B8A8_UNORM, 8192, false)),
    ("save: .png of noise", |setup| save(setup, "noise.png", Format::R16G16B16A16_UNORM, 8192, true)),
    ("save: .exr of noise", |setup| save(setup, "noise.exr", Format::R16G16B16A16_FLOAT, 8192, true)),
    ("save: .exr of one channel, wide", |setup| save(setup, "wide.exr", Format::R32_FLOAT, 16384, true)),
    ("save: .dds", |setup| save(setup, "x.dds", Format::R8G8B8A8_UNORM, 16384, false)),
    ("save: .npy", |setup| save(setup, "x.npy", Format::R8G8B8A8_UNORM, 16384, false)),
    ("load: .png of zeros", |setup| load(setup, "zeros.png", Format::R8G8B8A8_UNORM, 8192, false)),
    ("load: .png of noise", |setup| load(setup, "noise.png", Format::R16G16B16A16_UNORM, 4096, true)),
    ("load: .exr of noise", |setup| load(setup, "noise.exr", Format::R16G16B16A16_FLOAT, 4096, true)),
    ("load: .dds", |setup| load(setup, "x.dds", Format::R8G8B8A8_UNORM, 8192, false)),
    ("load: .npy of 4 GiB", |setup| {
        let path = sparse(setup, "long.npy", &numpy(1 << 30), 4 << 30)?;
        Ok(Box::new(move |token| Ok(files::load_array_until(&setup.device, &path, token).map(drop)?)))
    }),
    ("load: a mesh", |_| {
        let text = [b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec(), b"f 1 2 3\n".repeat(4 << 20)].concat();
        Ok(Box::new(move |token| Ok(Mesh::parse_until(&text, u64::MAX, token).map(drop)?)))
    }),
    ("load: a mesh of large faces", |_| {
        let face = [b"f".to_vec(), b" 1 2 3".repeat(160_000), b"\n".to_vec()].concat();
        let text = [b"v 0 0 0\nv 1 0 0\nv 0 1 0\ns 1\n".to_vec(), face.repeat(20)].concat();
        Ok(Box::new(move |token| Ok(Mesh::parse_until(&text, u64::MAX, token).map(drop)?)))
    }),
    ("document: a file of 4 GiB that is copied", |setup| {
        sparse(setup, "x.bin", &[], 4 << 30)?;
        let bindings = "[t0]\nraw = {}\nfile = \"x.bin\"\nmap = false\n";
        begin(setup, bindings)
    }),
    ("document: a fill of 4 GiB", |setup| begin(setup, "[t0]\nraw = 4294967296\nfill = { u32 = 7 }\n")),
    ("document: comparing 256 MiB", |setup| compare(setup, "type = \"f32\", tolerance = { abs = 0.1 }")),
    ("document: comparing 256 MiB in any order", |setup| {
        compare(setup, "type = \"f32\", order = \"any\", element = 8")
    }),
    ("document: comparing a picture", |setup| {
        sparse(setup, "want.bin", &[7; 8], (16384 << 14) - 8)?;
        let texture = r#"{ "kind": "texture2d", "format": "R8_UNORM", "width": 16384, "height": 16384 }"#;
        steps(setup, texture)
    }),
    ("document: comparing numbers", |setup| {
        sparse(setup, "want.bin", &[7; 8], (256 << 20) - 8)?;
        steps(setup, r#"{ "kind": "raw", "size": 268435456 }"#)
    }),
];

/// A texture of 16384 x 16384 texels.
fn large(setup: &Setup, format: Format) -> Result<Texture, Box<dyn Error>> {
    Ok(setup.device.texture(TextureShape::texture_2d(format, 16384, 16384))?)
}

/// Draws one triangle or point again and again.
fn draw(
    setup: &Setup,
    topology: Topology,
    change: impl Fn(&mut Draw<'_>) + 'static,
) -> Result<Work<'_>, Box<dyn Error>> {
    let [vertex, pixel] = [VERTEX, PIXEL].map(|text| module(&assemble(text)));
    let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .target(TargetState::new(Format::R8_UNORM));
    desc.topology = topology;
    desc.options = CompileOptions::new(Engine::best()).into();
    let pipeline = Pipeline::new(&setup.device, &desc)?;
    let target = setup.device.texture(TextureShape::texture_2d(Format::R8_UNORM, 64, 64))?;
    let vertices = setup.device.buffer_from(&[[-0.1_f32, 0.0], [0.1, 0.0], [0.0, -0.1]])?;
    Ok(Box::new(move |token| {
        let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
        let limits = Dispatch::new([0; 3]).cancel(token.clone());
        let mut pass = Pass::new(&setup.device, targets)?.with_limits(&limits);
        let mut draw = Draw::new(&pipeline, 3).vertex_buffer(vertices.clone(), 8);
        change(&mut draw);
        pass.draw(&draw)?;
        Ok(pass.finish().map(drop)?)
    }))
}

/// A draw of 2^30 indices.
fn indexed(setup: &Setup, topology: Topology, index: u32) -> Result<Work<'_>, Box<dyn Error>> {
    let buffer = setup.device.buffer(4 << 30)?;
    if index != 0 {
        buffer.fill_until(0..4 << 30, &index.to_le_bytes(), &|| false)?;
    }
    draw(setup, topology, move |draw| {
        draw.count = 1 << 30;
        draw.index_buffer = Some(IndexBuffer { buffer: buffer.clone(), offset_bytes: 0, is_short: false });
    })
}

/// A square texture of zeros, or of finite numbers that compress badly.
fn square(setup: &Setup, format: Format, side: u32, noise: bool) -> Result<Texture, Box<dyn Error>> {
    let texture = setup.device.texture(TextureShape::texture_2d(format, side, side))?;
    if noise {
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 4).to_le_bytes()
        };
        let row: Vec<u8> = (0..1 << 20).flat_map(|_| next().map(|byte| byte & 0x3f)).collect();
        texture.buffer().fill_until(0..texture.buffer().size_bytes(), &row, &|| false)?;
    }
    Ok(texture)
}

/// Saves a square texture.
fn save<'a>(
    setup: &'a Setup,
    name: &'static str,
    format: Format,
    side: u32,
    noise: bool,
) -> Result<Work<'a>, Box<dyn Error>> {
    let (texture, path) = (square(setup, format, side, noise)?, setup.folder.path().join(name));
    Ok(Box::new(move |token| Ok(files::save_texture_until(&texture, &path, token)?)))
}

/// Loads a saved texture.
fn load<'a>(
    setup: &'a Setup,
    name: &'static str,
    format: Format,
    side: u32,
    noise: bool,
) -> Result<Work<'a>, Box<dyn Error>> {
    let path = setup.folder.path().join(name);
    files::save_texture(&square(setup, format, side, noise)?, &path)?;
    Ok(Box::new(move |token| Ok(files::load_texture_until(&setup.device, &path, Some(format), token).map(drop)?)))
}

/// A square texture in memory.
fn texels(format: Format, side: u32) -> Result<Texels, Box<dyn Error>> {
    let setup = Setup { device: Device::builder().threads(1).build()?, folder: tempfile::tempdir()? };
    let path = setup.folder.path().join("x.dds");
    files::save_texture(&square(&setup, format, side, true)?, &path)?;
    Ok(Texels::decode(FileForm::Dds, std::fs::read(path)?, None, u64::MAX)?)
}

/// A file of these bytes and so many zeros, which take no space on disk.
fn sparse(setup: &Setup, name: &str, head: &[u8], zeros: u64) -> Result<std::path::PathBuf, Box<dyn Error>> {
    let path = setup.folder.path().join(name);
    std::fs::write(&path, head)?;
    std::fs::OpenOptions::new().write(true).open(&path)?.set_len(head.len() as u64 + zeros)?;
    Ok(path)
}

/// The header of an `.npy` file of so many floats.
fn numpy(count: u64) -> Vec<u8> {
    let array = Array { element: "<f4".parse().expect("floats"), sides: vec![count] };
    let mut header = b"\x93NUMPY\x01\x00v\x00".to_vec();
    let (element, side) = (array.element, array.sides[0]);
    header.extend(format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({side},), }}").bytes());
    header.resize(127, b' ');
    header.push(b'\n');
    header
}

/// A document whose shader does nothing.
fn document(setup: &Setup, bindings: &str) -> Result<Prepared, Box<dyn Error>> {
    let declared = if bindings.contains("[u0]") { "dcl_uav_raw u0\n" } else { "" };
    let shader = assemble(&format!("cs_5_0\n{declared}dcl_thread_group 1, 1, 1\nret\n"));
    std::fs::write(setup.folder.path().join("nothing.cso"), shader)?;
    let text = format!("shader = \"nothing.cso\"\ndispatch = [1, 1, 1]\n{bindings}");
    parse(setup, &text, Syntax::Toml)
}

fn parse(setup: &Setup, text: &str, syntax: Syntax) -> Result<Prepared, Box<dyn Error>> {
    let document = Document::parse(setup.folder.path().join("document"), text, syntax)?;
    Ok(document.prepare(setup.device.limits())?)
}

/// Options for runs that a token stops.
fn until(token: &CancelToken) -> RunOptions {
    let mut options = RunOptions::default();
    options.cancel = token.clone();
    options
}

/// Fills the resources of a document.
fn begin<'a>(setup: &'a Setup, bindings: &str) -> Result<Work<'a>, Box<dyn Error>> {
    let prepared = document(setup, bindings)?;
    Ok(Box::new(move |token| Ok(prepared.ready(&setup.device, 0, &until(token)).map(drop)?)))
}

/// Runs a document that compares 256 MiB, which differ from the expectation at the beginning: equal bits would end the
/// comparison at once.
fn compare<'a>(setup: &'a Setup, rules: &str) -> Result<Work<'a>, Box<dyn Error>> {
    sparse(setup, "want.bin", &[7; 8], (256 << 20) - 8)?;
    let bindings = format!("[u0]\nraw = 268435456\nexpect = {{ file = \"want.bin\", {rules} }}\n");
    run(setup, document(setup, &bindings)?)
}

/// Runs a document without steps, which only compares a resource with a file.
fn steps<'a>(setup: &'a Setup, resource: &str) -> Result<Work<'a>, Box<dyn Error>> {
    let expect = r#"[{ "id": "a", "resource": "a", "file": "want.bin" }]"#;
    let text = format!(r#"{{ "resources": {{ "a": {resource} }}, "steps": [], "expect": {expect} }}"#);
    run(setup, parse(setup, &text, Syntax::Json)?)
}

fn run(setup: &Setup, prepared: Prepared) -> Result<Work<'_>, Box<dyn Error>> {
    Ok(Box::new(move |token| Ok(prepared.run(&setup.device, 0, &until(token)).map(drop)?)))
}

/// Passes on positions on the screen.
const VERTEX: &str = "
    // Input signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // POSITION                 0   xy          0     NONE   float   xy
    //
    // Output signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // SV_Position              0   xyzw        0      POS   float   xyzw
    //
    vs_5_0
    dcl_globalFlags refactoringAllowed
    dcl_input v0.xy
    dcl_output_siv o0.xyzw, position
    mov o0.xy, v0.xyxx
    mov o0.zw, l(0, 0, 0.5, 1.0)
    ret";

/// White.
const PIXEL: &str = "
    // Output signature:
    //
    // Name                 Index   Mask Register SysValue  Format   Used
    // -------------------- ----- ------ -------- -------- ------- ------
    // SV_Target                0   xyzw        0   TARGET   float   xyzw
    //
    ps_5_0
    dcl_globalFlags refactoringAllowed
    dcl_output o0.xyzw
    mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)
    ret";
