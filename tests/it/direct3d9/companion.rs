//! Draws any one shader of Direct3D 9, with a shader of the other stage that is made for it, and with random vertices,
//! constants and textures.

use brolga::bytecode::Limits;
use brolga::bytecode::sm3::{self, ItemKind, TextureType, ValidProgram};
use brolga::raster::{Cull, Draw, DrawError, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets};
use brolga::{
    BindingRules, Bindings, CompileOptions, Device, Dimension, Dispatch, Engine, Format, Module, Parameter, Register,
    Sampler, Semantic, StageKind, TextureShape, View,
};
use brolga_testing::run::module;

/// Width and height of the picture in pixels.
const SIZE: u32 = 24;

const VERTICES: u32 = 12;

/// Rounds of loops for a batch of invocations.
const FUEL: u64 = 200;

/// The maximum number of outputs of a vs_3_0 in addition to its position.
const MOST_OUTPUTS: usize = 11;

/// A shader with everything needed to draw it.
pub struct Drawing {
    vertex: Vec<u8>,
    pixel: Vec<u8>,
    layout: Vec<InputElement>,
    textures: Vec<(u32, Dimension)>,
    /// The seed of vertices, constants and texels.
    seed: u32,
}

impl Drawing {
    /// A drawing of a program; `None` if it breaks a rule.
    pub fn of(bytes: &[u8], seed: u32) -> Option<Self> {
        let limits = Limits::default();
        let program = sm3::validate(sm3::decode(bytes, 0, &limits).ok()?, &limits).ok()?;
        let shader = Module::load(bytes, &brolga::Limits::default()).ok()?;
        let is_vertex = shader.kind() == StageKind::Vertex;
        let major = shader.major();
        let companion =
            if is_vertex { pixel_shader(major, shader.outputs()) } else { vertex_shader(major, shader.inputs()) };
        let companion = sm3::encode(&sm3::assemble(&companion, &limits).ok()?);
        let (vertex, pixel) = if is_vertex { (bytes.to_vec(), companion) } else { (companion, bytes.to_vec()) };
        let of_companion = ["POSITION".to_owned(), "TEXCOORD".to_owned()];
        let inputs = match is_vertex {
            true => shader.inputs().iter().map(|input| semantic(input).to_string()).collect(),
            false => of_companion.to_vec(),
        };
        let element = |(n, semantic): (usize, &String)| {
            InputElement::new(&semantic.to_uppercase(), Format::R32G32B32A32_FLOAT, 16 * n as u32)
        };
        let layout = inputs.iter().enumerate().map(element).collect();
        Some(Self { vertex, pixel, layout, textures: textures(&program), seed })
    }

    /// The picture that an engine makes, as bytes.
    ///
    /// # Errors
    /// If the shaders or the bindings do not match, or a loop is too long.
    pub fn draw(&self, device: &Device, engine: Engine) -> Result<Vec<u8>, DrawError> {
        let mut numbers = Numbers(self.seed);
        let format = Format::R32G32B32A32_FLOAT;
        let mut desc =
            PipelineDesc::new(&module(&self.vertex), Some(&module(&self.pixel))).target(TargetState::new(format));
        desc.input_layout = self.layout.clone();
        desc.rasterizer.cull = Cull::None;
        desc.options = CompileOptions::new(engine).into();
        let pipeline = Pipeline::new(device, &desc)?;

        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        let floats = numbers.floats(4 * 256);
        let small: Vec<u32> = (0..4 * 16).map(|_| numbers.next() % 5).collect();
        for (number, buffer) in [
            (0, device.buffer_from(&floats)?),
            (1, device.buffer_from(&small)?),
            (2, device.buffer_from(&small)?),
            (3, device.buffer_from(&floats[..4 * 16])?),
        ] {
            bindings.set(Register::b(number), View::constant(buffer)?);
        }
        for &(number, dimension) in &self.textures {
            let shape = TextureShape::new(dimension, Format::R8G8B8A8_UNORM, 4).height(4);
            let shape = if dimension == Dimension::Texture3d { shape.depth(4) } else { shape };
            let texels: Vec<u32> = (0..shape.size_bytes()? / 4).map(|_| numbers.next()).collect();
            bindings.set(Register::t(number), View::texture(device.texture_from(shape, &texels)?));
            bindings.set(Register::s(number), View::sampler(Sampler::default())?);
        }
        let target = device.texture(TextureShape::texture_2d(format, SIZE, SIZE))?;
        let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
        let mut pass = Pass::new(device, targets)?.with_limits(&Dispatch::new([0; 3]).fuel(FUEL));
        let stride = 16 * self.layout.len().max(1) as u32;
        let vertices = device.buffer_from(&numbers.floats((VERTICES * stride / 4) as usize))?;
        pass.draw(&Draw::new(&pipeline, VERTICES).bindings(&bindings).vertex_buffer(vertices, stride))?;
        pass.finish()?;
        Ok(target.buffer().to_vec::<u8>()?)
    }
}

/// Random numbers.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// Mostly such as positions have, now and then any bits.
    fn floats(&mut self, count: usize) -> Vec<f32> {
        let mut float = || match self.next() % 64 {
            0 => f32::from_bits(self.next() << 8 | self.next() & 0xff),
            _ => self.next() as f32 / (1 << 22) as f32 - 1.0,
        };
        (0..count).map(|_| float()).collect()
    }
}

/// The textures that a program samples, or all possible ones if it does not declare them.
fn textures(program: &ValidProgram) -> Vec<(u32, Dimension)> {
    let program = program.program();
    if program.version.major() == 1 {
        return (0..6).map(|number| (number, Dimension::Texture2d)).collect();
    }
    let texture = |item: &sm3::Item| match &item.kind {
        ItemKind::Declaration(declaration) => {
            let dimension = match declaration.texture()? {
                TextureType::Texture2D => Dimension::Texture2d,
                TextureType::TextureCube => Dimension::TextureCube,
                TextureType::Volume => Dimension::Texture3d,
            };
            Some((u32::from(declaration.register.register.number), dimension))
        }
        _ => None,
    };
    program.items.iter().filter_map(texture).filter(|&(number, _)| number < 16).collect()
}

fn semantic(parameter: &Parameter) -> &Semantic {
    parameter.semantic.as_ref().expect("what is linked has one")
}

/// A pixel shader that adds up the outputs of a vertex shader.
fn pixel_shader(major: u32, outputs: &[Parameter]) -> String {
    let mut text = String::new();
    let mut sum = "mov r0, c0\n".to_owned();
    if major >= 3 {
        text += "ps_3_0\n";
        let is_special =
            |output: &&Parameter| ["position", "psize"].map(|name| semantic(output).is_named(name)).contains(&true);
        for (n, output) in outputs.iter().filter(|output| !is_special(output)).enumerate().take(10) {
            let (mask, first) = letters(output.mask);
            text += &format!("dcl_{} v{n}.{mask}\n", semantic(output));
            sum += &format!("add r0, r0, v{n}.{first}\n");
        }
    } else {
        text += "ps_2_0\n";
        for output in outputs {
            let Semantic { name, index: n } = semantic(output);
            let file = match &name[..] {
                "texcoord" => 't',
                "color" => 'v',
                _ => continue,
            };
            let (mask, first) = letters(output.mask);
            text += &format!("dcl {file}{n}.{mask}\n");
            sum += &format!("add r0, r0, {file}{n}.{first}\n");
        }
    }
    text + &sum + "mov oC0, r0\n"
}

/// A vertex shader that writes the inputs of a pixel shader.
fn vertex_shader(major: u32, inputs: &[Parameter]) -> String {
    let mut text = "dcl_position v0\ndcl_texcoord v1\n".to_owned();
    if major < 3 {
        let mut body = "mov oPos, v0\n".to_owned();
        for input in inputs {
            let n = semantic(input).index;
            let file = if semantic(input).is_named("color") { "oD" } else { "oT" };
            body += &format!("mad {file}{n}, v1, c{n}, c{}\n", n + 9);
        }
        return format!("vs_2_0\n{text}{body}");
    }
    let mut body = "mov o0, v0\n".to_owned();
    text += "dcl_position o0\n";
    let is_other = |input: &&Parameter| *semantic(input) != Semantic::new("position", 0);
    for (n, input) in inputs.iter().filter(is_other).enumerate().take(MOST_OUTPUTS) {
        let (mask, _) = letters(input.mask);
        text += &format!("dcl_{} o{}.{mask}\n", semantic(input), n + 1);
        body += &format!("mul o{}.{mask}, v1, c{n}\n", n + 1);
    }
    format!("vs_3_0\n{text}{body}")
}

/// A mask in letters, and the first of them.
fn letters(mask: u8) -> (String, char) {
    let set = "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 == 1);
    let letters: String = set.map(|(_, letter)| letter).collect();
    let first = letters.chars().next().unwrap_or('x');
    (letters, first)
}
