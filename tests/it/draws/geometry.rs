//! Makes random vertices, instances and indices for the inputs of a vertex shader.

use brolga::Format;
use brolga::bytecode::container::SignatureElement;
use brolga::raster::InputElement;
use brolga_testing::random::Random;

use super::companion::{OFFSET, PLACE};
use super::shaders::{Kind, Shader};

/// Triangles' worth of vertices that the vertex buffers hold.
const TRIANGLES: usize = 40;
/// Vertices that they hold.
pub const VERTICES: usize = 3 * TRIANGLES;
/// Instances that they hold; draws may have more, which read zeros.
const INSTANCES: usize = 3;
/// The vertex buffer of instances; those before it are of vertices.
const OF_INSTANCES: u32 = 2;

/// A vertex buffer's bytes, and how many a vertex has.
pub struct VertexBytes {
    pub bytes: Vec<u8>,
    pub stride_bytes: u32,
}

/// The input layout, and the content of the buffers.
pub struct Geometry {
    pub layout: Vec<InputElement>,
    pub buffers: Vec<VertexBytes>,
}

/// The source of an element's values.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Place,
    Offset,
    Distance,
    Attribute,
}

impl Geometry {
    /// Vertices for a shader, on a target of this size. Wild ones have numbers of all kinds, also NaN.
    pub fn new(vertex: &Shader, size: [u32; 2], is_wild: bool, random: &mut Random) -> Self {
        let inputs: Vec<&SignatureElement> =
            vertex.inputs.iter().filter(|input| input.system_value == 0 && input.register.is_some()).collect();
        let named = inputs.iter().position(|input| input.name.eq_ignore_ascii_case(PLACE));
        let place = named.or_else(|| inputs.iter().position(|input| Kind::of(input) == Kind::Float));
        let places: Vec<[f32; 4]> = (0..TRIANGLES).flat_map(|n| triangle(n, size, is_wild, random)).collect();

        let (mut layout, mut columns) = (Vec::new(), vec![Vec::new(); OF_INSTANCES as usize + 1]);
        let mut strides = vec![0; columns.len()];
        for (n, input) in inputs.iter().enumerate() {
            let role = match input.name.as_str() {
                _ if Some(n) == place => Role::Place,
                OFFSET => Role::Offset,
                // A companion's inputs have the numbers of their registers.
                "ATTRIBUTE" if is_distance(vertex, input.semantic_index) => Role::Distance,
                _ => Role::Attribute,
            };
            let format = match role {
                Role::Place | Role::Offset if input.mask & 8 != 0 => Format::R32G32B32A32_FLOAT,
                Role::Place | Role::Offset => random.pick(&[Format::R32G32B32_FLOAT, Format::R32G32B32A32_FLOAT]),
                Role::Distance | Role::Attribute => random.pick(formats(Kind::of(input))),
            };
            let is_instanced = role == Role::Offset || (role == Role::Attribute && random.one_in(8));
            let slot = if is_instanced { OF_INSTANCES } else { random.below(OF_INSTANCES as usize) as u32 };
            let stride = &mut strides[slot as usize];
            // Sometimes there is a gap before an element.
            let unit_bytes = format.size_bytes().min(4);
            let offset_bytes: u32 = u32::next_multiple_of(*stride, unit_bytes) + 4 * u32::from(random.one_in(5));
            *stride = offset_bytes + format.size_bytes();
            let mut element = InputElement::new(&input.name, format, offset_bytes).slot(slot);
            (element.semantic, element.index) = (input.name.clone(), input.semantic_index);
            if is_instanced {
                element = element.per_instance(random.below(3) as u32);
            }
            layout.push(element);
            let rows = if is_instanced { INSTANCES } else { VERTICES };
            let has_w = input.mask & 8 != 0;
            let texels = (0..rows).map(|row| {
                let words = match role {
                    Role::Place => place_words(places[row], has_w),
                    Role::Offset => [signed(random) * 0.3, signed(random) * 0.3, 0.0, 0.0].map(f32::to_bits),
                    Role::Distance => [0; 4].map(|_| ((random.below(100) as f32 - 10.0) / 32.0).to_bits()),
                    Role::Attribute => [0; 4].map(|_| attribute(Kind::of(input), is_wild, random)),
                };
                format.encode(words)
            });
            let texels: Vec<u128> = texels.collect();
            columns[slot as usize].push((offset_bytes, format.size_bytes(), texels));
        }
        let buffers = columns.iter().zip(strides).enumerate().map(|(slot, (columns, stride))| {
            let stride_bytes = u32::next_multiple_of(stride, 4);
            let rows = if slot == OF_INSTANCES as usize { INSTANCES } else { VERTICES };
            let mut bytes = vec![0; (rows * stride_bytes as usize).max(4)];
            for (offset, size, texels) in columns {
                for (row, texel) in texels.iter().enumerate() {
                    let at = row * stride_bytes as usize + *offset as usize;
                    bytes[at..at + *size as usize].copy_from_slice(&texel.to_le_bytes()[..*size as usize]);
                }
            }
            VertexBytes { bytes, stride_bytes }
        });
        Self { buffers: buffers.collect(), layout }
    }
}

/// `true` if a companion's output that reads this attribute is a clip or cull distance.
fn is_distance(vertex: &Shader, attribute: u32) -> bool {
    // Outputs follow the position as attributes follow the first three inputs.
    let output = vertex.outputs.get(attribute as usize - 2);
    output.is_some_and(|output| output.system_value == 2 || output.system_value == 3)
}

/// Formats of vertices.
fn formats(kind: Kind) -> &'static [Format] {
    use Format::*;
    match kind {
        Kind::Float => &[
            R32G32B32A32_FLOAT,
            R32G32B32A32_FLOAT,
            R32G32B32_FLOAT,
            R32G32_FLOAT,
            R32_FLOAT,
            R16G16B16A16_FLOAT,
            R16G16_FLOAT,
            R16G16B16A16_SNORM,
            R16G16B16A16_UNORM,
            R16_SNORM,
            R8G8B8A8_UNORM,
            R8G8B8A8_SNORM,
            R8G8_UNORM,
            R8_UNORM,
            B8G8R8A8_UNORM,
            R10G10B10A2_UNORM,
            R11G11B10_FLOAT,
        ],
        Kind::Uint => &[R32G32B32A32_UINT, R32G32_UINT, R16G16B16A16_UINT, R8G8B8A8_UINT, R8_UINT, R10G10B10A2_UINT],
        Kind::Sint => &[R32G32B32A32_SINT, R32G32B32_SINT, R16G16_SINT, R8G8B8A8_SINT, R8G8_SINT, R16_SINT],
    }
}

/// A number from -1 to 1.
fn signed(random: &mut Random) -> f32 {
    random.below(2001) as f32 / 1000.0 - 1.0
}

/// A word that a shader reads as an attribute: of ordinary size, or, among wild ones, anything.
fn attribute(kind: Kind, is_wild: bool, random: &mut Random) -> u32 {
    if is_wild && random.one_in(8) {
        return random.word();
    }
    match kind {
        Kind::Float => (signed(random) * random.pick(&[0.5, 1.0, 1.0, 4.0])).to_bits(),
        Kind::Uint => random.below(12) as u32,
        Kind::Sint => (random.below(16) as i32 - 4) as u32,
    }
}

/// The position of a vertex. Shaders that do not read w have 1 there.
fn place_words([x, y, z, w]: [f32; 4], has_w: bool) -> [u32; 4] {
    let place = if has_w { [x * w, y * w, z * w, w] } else { [x, y, z, 1.0] };
    place.map(f32::to_bits)
}

/// The vertices of a triangle: x, y and z after the division by w, and w.
fn triangle(n: usize, size: [u32; 2], is_wild: bool, random: &mut Random) -> [[f32; 4]; 3] {
    // The first one covers all of the picture.
    if n == 0 {
        return [[-1.0, -1.0, 0.2, 1.0], [-1.0, 3.0, 0.4, 1.0], [3.0, -1.0, 0.9, 1.0]];
    }
    let center = [signed(random) * 1.1, signed(random) * 1.1];
    let reach = match random.below(16) {
        0 => random.pick(&[3.0, 60.0, 3000.0]),
        _ => random.pick(&[0.01, 0.03, 0.05, 0.1, 0.1, 0.2, 0.4, 1.0]),
    };
    let depth = random.below(140) as f32 / 100.0 - 0.2;
    let slope = random.pick(&[0.0, 0.1, 0.5]);
    let is_flat = random.one_in(2);
    let is_on_grid = random.one_in(4);
    let mut corners = [[0.0; 4]; 3].map(|_| {
        let place = [0, 1].map(|axis| {
            let place: f32 = center[axis] + signed(random) * reach;
            // Pixel centers and corners, where edges and vertices decide coverage.
            let halves = size[axis] as f32;
            if is_on_grid { ((place + 1.0) * halves).round() / halves - 1.0 } else { place }
        });
        let w = if is_flat { 1.0 } else { random.pick(&[0.3, 0.7, 1.0, 2.0, 5.0]) };
        [place[0], place[1], depth + signed(random) * slope, w]
    });
    match random.below(24) {
        // Behind the eye, and on its plane.
        0 => corners[random.below(3)][3] *= -1.0,
        1 => corners[random.below(3)][3] = 0.0,
        2 => corners[1] = corners[0],
        3 if is_wild => corners[random.below(3)][random.below(4)] = f32::from_bits(random.word()),
        _ => {}
    }
    corners
}

/// Indices of a draw: mostly of whole triangles, some of them past the end, and now and then the index that restarts a
/// strip.
pub fn indices(count: usize, is_short: bool, random: &mut Random) -> Vec<u32> {
    let restart = if is_short { 0xffff } else { u32::MAX };
    let mut indices = Vec::with_capacity(count);
    while indices.len() < count {
        match random.below(12) {
            0 => indices.push(restart),
            1 => indices.push((VERTICES + random.below(4)) as u32),
            2 => indices.extend([0; 3].map(|_| random.below(VERTICES) as u32)),
            // Triangles that share an edge.
            3 => {
                let first = random.below(VERTICES - 4) as u32;
                indices.extend([first, first + 1, first + 2, first + 2, first + 1, first + 3]);
            }
            _ => {
                let first = 3 * random.below(TRIANGLES) as u32;
                indices.extend([first, first + 1, first + 2]);
            }
        }
    }
    indices
}
