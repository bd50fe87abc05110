//! Draws with a rasterizer of its own, which decides the pixels that a triangle covers, while Brolga runs the shaders.
//! `cargo run --example own_rasterizer` starts it and writes `own.png` to the folder for temporary files.
//! `docs/embedding.md` explains it.

use brolga::format::{Format, Use};
use brolga::pipeline::record::{BatchAttribute, BatchPrimitive, BatchQuad, BatchState, BatchVertex, SLOTS};
use brolga::pipeline::state::{Advance, PixelState, Range, Target, VertexElement, VertexState};
use brolga::pipeline::{SPACE, StageState};
use brolga::{
    ArrayWords, Bindings, BoundShader, CompileOptions, Device, Dispatch, Register, ResourceClass, Texture,
    TextureShape, View,
};

/// Compiled from `triangle.hlsl`.
const VERTEX_SHADER: &[u8] = include_bytes!("triangle_vs.cso");
const PIXEL_SHADER: &[u8] = include_bytes!("triangle_ps.cso");

/// A position on the screen and a colour for each vertex.
const VERTICES: [[f32; 6]; 3] =
    [[0.0, 0.85, 1.0, 0.1, 0.1, 1.0], [0.9, -0.75, 0.1, 1.0, 0.1, 1.0], [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0]];

const SIZE: u32 = 256;

/// Number of registers of a vertex: position and colour.
const ROWS: usize = 2;
const FORMAT: Format = Format::R8G8B8A8_UNORM;

type Failure = Box<dyn std::error::Error>;

/// Compiles the vertex shader with its input layout, and binds the vertex buffer.
fn vertex_shader(device: &Device) -> Result<BoundShader, Failure> {
    let element = |row, offset, format: Format| VertexElement {
        row,
        slot: 0,
        offset,
        format: format.vertex_format().expect("a format for vertices"),
        is_scaled: false,
        size_bytes: format.size_bytes(),
        advance: Advance::Vertex,
    };
    let elements = vec![element(0, 0, Format::R32G32_FLOAT), element(1, 8, Format::R32G32B32A32_FLOAT)];
    let options = CompileOptions::default().state(StageState::Vertex(VertexState { elements }));
    let shader = device.compile(VERTEX_SHADER, &options)?;
    let mut bindings = Bindings::new();
    let buffer = View::raw(device.buffer_from(&VERTICES)?)?;
    bindings.set(Register::new(ResourceClass::ShaderResource, 0).in_space(SPACE), buffer);
    Ok(device.bind(&shader, &bindings)?)
}

/// Compiles the pixel shader with the state of its target, and binds the target.
fn pixel_shader(device: &Device, target: &Texture) -> Result<BoundShader, Failure> {
    assert!(FORMAT.allows(Use::Target));
    let target_state = Target { output: 0, range: Range::Unorm, blend: None, logic: None, write_mask: 15 };
    let state = PixelState { vertex_rows: ROWS as u32, targets: vec![target_state], ..PixelState::default() };
    let shader = device.compile(PIXEL_SHADER, &CompileOptions::default().state(StageState::Pixel(state)))?;
    let mut bindings = Bindings::new();
    let register = Register::new(ResourceClass::UnorderedAccess, 0).in_space(SPACE);
    bindings.set(register, View::texture(target.clone()));
    Ok(device.bind(&shader, &bindings)?)
}

/// Runs the vertex shader: the outputs of each vertex, register by register.
fn shade_vertices(shader: &BoundShader) -> Result<Vec<[[f32; 4]; ROWS]>, Failure> {
    let count = VERTICES.len() as u32;
    let (mut vertices, mut strides) = (Vec::new(), vec![0; SLOTS as usize]);
    for index in 0..count {
        vertices.extend(BatchVertex { index, id: index, ..BatchVertex::default() }.words());
    }
    strides[0] = size_of_val(&VERTICES[0]) as u32;
    let mut outputs = vec![0; count as usize * ROWS * 4];
    let mut arrays = [ArrayWords::Read(&vertices), ArrayWords::Read(&strides), ArrayWords::Write(&mut outputs)];
    shader.worker()?.begin(&Dispatch::new([0; 3]))?.batch(count, &mut arrays)?;
    let rows = outputs.chunks_exact(4).map(|row| std::array::from_fn(|n| f32::from_bits(row[n])));
    let rows: Vec<[f32; 4]> = rows.collect();
    Ok(rows.chunks_exact(ROWS).map(|rows| std::array::from_fn(|n| rows[n])).collect())
}

/// A quantity that is linear on the screen: its value at pixel (0, 0), and its steps to the pixel on the right and to
/// the one below.
#[derive(Clone, Copy)]
struct Plane([f32; 3]);

impl Plane {
    /// The plane with these values at the vertices of a triangle.
    fn new([a, b, c]: [[f32; 2]; 3], [at_a, at_b, at_c]: [f32; 3]) -> Self {
        let (bx, by, cx, cy) = (b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]);
        let area = bx * cy - by * cx;
        let x = ((at_b - at_a) * cy - (at_c - at_a) * by) / area;
        let y = ((at_c - at_a) * bx - (at_b - at_a) * cx) / area;
        // The center of a pixel is half a pixel from its corner.
        Self([at_a + x * (0.5 - a[0]) + y * (0.5 - a[1]), x, y])
    }

    fn at(self, x: u32, y: u32) -> f32 {
        self.0[0] + self.0[1] * x as f32 + self.0[2] * y as f32
    }
}

fn main() -> Result<(), Failure> {
    let device = Device::builder().threads(1).build()?;
    let target = device.texture(TextureShape::texture_2d(FORMAT, SIZE, SIZE))?;
    let vertices = shade_vertices(&vertex_shader(&device)?)?;

    // Onto the screen: one triangle, which is not clipped.
    let [a, b, c] = [0, 1, 2].map(|n| vertices[n][0]);
    let points = [a, b, c].map(|[x, y, _, w]| [(x / w + 1.0) * 0.5, (1.0 - y / w) * 0.5].map(|at| at * SIZE as f32));
    let rcp_w = [a, b, c].map(|position| 1.0 / position[3]);
    let planes = [
        Plane::new(points, [a, b, c].map(|position| position[2] / position[3])),
        Plane::new(points, rcp_w),
        Plane::new(points, [0.0, rcp_w[1], 0.0]),
        Plane::new(points, [0.0, 0.0, rcp_w[2]]),
    ];
    let weights = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|values| Plane::new(points, values));

    // The quantities that the pixel shader interpolates.
    let [values, along_x, along_y] = [0, 1, 2].map(|n| planes.map(|Plane(plane)| plane[n]));
    let head = BatchPrimitive { is_front: 1, values, along_x, along_y, w: [b[3], c[3]], ..BatchPrimitive::default() };
    let mut record = head.words().to_vec();
    let [first, second, third] = [0, 1, 2].map(|vertex: usize| vertices[vertex]);
    for ((leading, second), third) in first.into_iter().zip(second).zip(third) {
        let more = |of: [f32; 4]| std::array::from_fn(|n| of[n] - leading[n]);
        let attribute = BatchAttribute { leading: leading.map(f32::to_bits), second: more(second), third: more(third) };
        record.extend(attribute.words());
    }

    // Quads of 2 x 2 pixels, and masks of the pixels inside.
    let mut quads = Vec::new();
    for (y, x) in (0..SIZE).step_by(2).flat_map(|y| (0..SIZE).step_by(2).map(move |x| (y, x))) {
        let is_inside = |x, y| weights.iter().all(|weight| weight.at(x, y) >= 0.0);
        let coverage = (0..4).filter(|n| is_inside(x + n % 2, y + n / 2)).fold(0, |mask, n| mask | 1 << n);
        if coverage != 0 {
            quads.extend(BatchQuad { corner: [x, y], primitive: 0, coverage }.words());
        }
    }

    let pixel = pixel_shader(&device, &target)?;
    let pixels = (quads.len() / BatchQuad::WORDS * 4) as u32;
    // All quads are of the primitive with number 0.
    let state = BatchState { primitive: 1, ..BatchState::default() }.words();
    let mut arrays = [quads.as_slice(), record.as_slice(), &state].map(ArrayWords::Read);
    pixel.worker()?.begin(&Dispatch::new([0; 3]))?.batch(pixels, &mut arrays)?;

    let texels: Vec<[u8; 4]> = target.buffer().to_vec()?;
    let drawn = texels.iter().filter(|texel| texel[3] == 255).count();
    println!("{drawn} of {} pixels are inside", SIZE * SIZE);
    assert!((21_000..21_400).contains(&drawn));
    #[cfg(feature = "files")]
    brolga::files::save_texture(&target, std::env::temp_dir().join("own.png"))?;
    Ok(())
}
