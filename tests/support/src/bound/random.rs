//! Makes random content for all declarations of a shader.

use brolga_runtime::{
    AddressMode, Bindings, Comparison, Component, Declared, Device, Dimension, Filter, Format, Reduction, Register,
    ResourceKind, Sampler, Shader, Tap, TextureShape,
};

use super::content::{Content, Contents, Form};
use crate::picture::Picture;

/// A small generator (xorshift64*), the same everywhere.
pub struct Random {
    state: u64,
    tame: bool,
}

impl Random {
    /// Words of all kinds. The same numbers for the same seed.
    pub fn wild(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, tame: false }
    }

    /// Small integers, so that loops are short.
    pub fn tame(seed: u64) -> Self {
        Self { tame: true, ..Self::wild(seed) }
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A word for any use by a shader: small integers, plain floats, halves of doubles, special values.
    pub fn word(&mut self) -> u32 {
        const SPECIAL: [u32; 10] = [
            0,
            0x8000_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0x0000_0001,
            0x807f_ffff,
            0x0080_0000,
            u32::MAX,
            0x3ff0_0000,
        ];
        let bits = self.bits();
        match bits >> 28 {
            _ if self.tame => bits & 7,
            0..=5 => bits & 31,
            6..=11 => ((bits as f32 / 1e8) - 10.0).to_bits(),
            12 => SPECIAL[(bits & 0xffff) as usize % SPECIAL.len()],
            13 => 0x3ff0_0000 | bits & 0xf_ffff,
            _ => bits,
        }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.bits() as usize % end
    }

    fn bytes(&mut self, size: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..size.div_ceil(4)).flat_map(|_| self.word().to_le_bytes()).collect();
        bytes.truncate(size as usize);
        bytes
    }
}

/// Binds something to every register that the shader declares, up to a few of each range.
pub fn bind(device: &Device, shader: &Shader, random: &mut Random, bindings: &mut Bindings) {
    for (register, content) in contents(shader, random) {
        bindings.set(register, content.view(device));
    }
}

/// Something for every register that the shader declares, up to a few of each range.
pub fn contents(shader: &Shader, random: &mut Random) -> Contents {
    let mut contents = Contents::new();
    for declared in shader.bindings() {
        for position in 0..declared.count.unwrap_or(4).min(8) {
            let register = Register { index: declared.register.index + position, ..declared.register };
            contents.push((register, content(declared, random)));
        }
    }
    contents
}

fn content(declared: &Declared, random: &mut Random) -> Content {
    let (form, size) = match declared.kind {
        ResourceKind::Constant { vectors } => (Form::Constant, u64::from(vectors) * 16),
        ResourceKind::Raw => (Form::Raw, 4096),
        ResourceKind::Structured { stride_bytes } => (Form::Structured { stride_bytes }, u64::from(stride_bytes) * 100),
        ResourceKind::Typed { dimension, component } => {
            let format = format(declared, component, random);
            typed(dimension, format)
        }
        ResourceKind::Sampler { compares } => (Form::Sampler(sampler(compares, random)), 0),
    };
    let counter = declared.uses_counter.then_some(40);
    Content { counter, ..Content::new(form, random.bytes(size)) }
}

fn format(declared: &Declared, component: Component, random: &mut Random) -> Format {
    use Format::*;
    let choices: &[Format] = match component {
        Component::Float if declared.uses_texel_exchange => &[R32_FLOAT],
        Component::Float => &[R32G32B32A32_FLOAT, R16G16_FLOAT, R8G8B8A8_UNORM, R16G16_SNORM, R11G11B10_FLOAT],
        Component::Unorm => &[R8G8B8A8_UNORM, R10G10B10A2_UNORM],
        Component::Snorm => &[R8G8B8A8_SNORM],
        Component::Uint if declared.uses_texel_atomics || declared.uses_texel_exchange => &[R32_UINT],
        Component::Sint if declared.uses_texel_atomics || declared.uses_texel_exchange => &[R32_SINT],
        Component::Uint => &[R32G32B32A32_UINT, R8G8B8A8_UINT, R10G10B10A2_UINT, R16_UINT],
        Component::Sint => &[R32G32B32A32_SINT, R16G16_SINT, R8_SINT],
        Component::Double | Component::Mixed => &[R32G32B32A32_UINT],
    };
    choices[random.bits() as usize % choices.len()]
}

/// Any sampler that compares or does not.
fn sampler(compares: bool, random: &mut Random) -> Sampler {
    let mut one_of = |count: usize| random.below(count);
    let taps = [Tap::Point, Tap::Linear];
    let filter = Filter {
        minify: taps[one_of(2)],
        magnify: taps[one_of(2)],
        mip: taps[one_of(2)],
        anisotropic: one_of(4) == 0,
        reduction: match compares {
            true => Reduction::Comparison,
            false => [Reduction::Weighted, Reduction::Weighted, Reduction::Minimum, Reduction::Maximum][one_of(4)],
        },
    };
    let comparisons = [Comparison::Less, Comparison::LessEqual, Comparison::Greater, Comparison::NotEqual];
    Sampler {
        filter,
        address: [0; 3].map(|_| AddressMode::ALL[one_of(5)]),
        level_bias: one_of(5) as f32 - 2.5,
        min_level: one_of(3) as f32 * 0.5,
        max_level: one_of(12) as f32 * 0.5,
        max_anisotropy: 1 + one_of(16) as u32,
        comparison: comparisons[one_of(4)],
        border: [0.25, 1.5, -0.75, 1.0],
    }
}

/// Form and size.
fn typed(dimension: Dimension, format: Format) -> (Form, u64) {
    let shape = TextureShape::new(dimension, format, 16);
    let shape = match dimension {
        Dimension::Buffer => return (Form::Typed(format), u64::from(format.size_bytes()) * 100),
        Dimension::Texture1d => shape.mips(3),
        Dimension::Texture1dArray => shape.mips(3).layers(4),
        Dimension::Texture2d => shape.height(12).mips(3),
        Dimension::Texture2dArray => shape.height(12).mips(3).layers(4),
        Dimension::Texture3d => shape.height(12).depth(5).mips(3),
        Dimension::TextureCube => shape.height(16).mips(3),
        Dimension::TextureCubeArray => shape.height(16).mips(3).layers(12),
        Dimension::Texture2dMs => shape.height(12).samples(4),
        Dimension::Texture2dMsArray => shape.height(12).samples(4).layers(3),
    };
    (Form::Texture(Picture::whole(shape)), shape.size_bytes().expect("a small texture"))
}
