//! Loads shaders of draws with their signatures: those of the corpus, and others made from text.

use brolga::bytecode::Limits;
use brolga::bytecode::container::signature::ComponentType;
use brolga::bytecode::container::{Container, SignatureElement};
use brolga_testing::corpus::{self, DrawStage};
use brolga_testing::run::assemble;

/// Numbers of system values in signatures.
pub mod system_value {
    pub const POSITION: u32 = 1;
    pub const CLIP_DISTANCE: u32 = 2;
    pub const CULL_DISTANCE: u32 = 3;
    pub const RENDER_TARGET_ARRAY_INDEX: u32 = 4;
    pub const VIEWPORT_ARRAY_INDEX: u32 = 5;
    /// The system values of pixel shaders: position, primitive, facing, sample.
    pub const OF_PIXELS: [u32; 4] = [POSITION, 7, 9, 10];
}

/// A vertex or pixel shader.
pub struct Shader {
    /// The file's name, or the shader that it was made for.
    pub name: String,
    pub stage: DrawStage,
    pub bytes: Vec<u8>,
    pub inputs: Vec<SignatureElement>,
    pub outputs: Vec<SignatureElement>,
}

impl Shader {
    pub fn new(name: &str, stage: DrawStage, bytes: Vec<u8>) -> Self {
        let limits = Limits::default();
        let container = Container::parse(&bytes, &limits).expect("a container");
        let inputs = container.inputs(&limits).expect("a signature").unwrap_or_default().elements;
        let outputs = container.outputs(&limits).expect("a signature").unwrap_or_default().elements;
        Self { name: name.to_owned(), stage, bytes, inputs, outputs }
    }

    pub fn assembled(name: &str, stage: DrawStage, text: &str) -> Self {
        Self::new(name, stage, assemble(text))
    }

    /// Its inputs that the vertex shader has to write, if it is a pixel shader.
    pub fn linked(&self) -> impl Iterator<Item = &SignatureElement> {
        let is_linked = |input: &&SignatureElement| !system_value::OF_PIXELS.contains(&input.system_value);
        self.inputs.iter().filter(is_linked).filter(|input| input.register.is_some())
    }

    /// `true` if it writes all inputs of a pixel shader, in the same registers.
    pub fn links_to(&self, pixel: &Shader) -> bool {
        pixel.linked().all(|input| {
            self.outputs.iter().any(|output| {
                output.name.eq_ignore_ascii_case(&input.name)
                    && output.semantic_index == input.semantic_index
                    && output.register == input.register
                    && output.mask & input.mask == input.mask
            })
        })
    }
}

/// The vertex and pixel shaders of the corpus.
pub fn corpus() -> Vec<Shader> {
    let shader = |(path, stage): (std::path::PathBuf, DrawStage)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Shader::new(&name, stage, std::fs::read(&path).expect("a file of the corpus"))
    };
    corpus::draw_shaders().into_iter().map(shader).collect()
}

/// The type of an element's components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Float,
    Uint,
    Sint,
}

impl Kind {
    pub fn of(element: &SignatureElement) -> Self {
        match element.component_type {
            ComponentType::Uint32 => Kind::Uint,
            ComponentType::Sint32 => Kind::Sint,
            ComponentType::Float32 | ComponentType::Other(_) => Kind::Float,
        }
    }

    /// Its name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Float => "float",
            Kind::Uint => "uint",
            Kind::Sint => "int",
        }
    }
}

/// The letters of a mask's components.
pub fn letters(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter).collect()
}
