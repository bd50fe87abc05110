//! What fits what: elements of vertices and the inputs of the vertex shader, its outputs and the inputs of the pixel shader.
//!
//! Shaders of Direct3D 11 have signatures, and stages exchange registers with the same numbers. Those of Direct3D 9 declare a usage and
//! an index for what they exchange, wherever it is.

use std::borrow::Cow;
use std::fmt::Write;

use brolga_bytecode::assembler::nearest;
use brolga_bytecode::container::{Container, SignatureElement};
use brolga_bytecode::sm3::{self, Usage};
use brolga_bytecode::sm5::Stage;
use brolga_bytecode::{Error as FileError, Limits, stage};
use brolga_ir::pipeline::record;
use brolga_ir::pipeline::state::{Link, LinkedFrom, VertexElement};
use brolga_ir::translate::sm3::{Linked, linkage};
use brolga_runtime::Signature;

use crate::error::DrawError;
use crate::layout::InputElement;
use crate::pipeline::PipelineDesc;

/// What the shaders of a pipeline read and write.
pub(crate) enum Linkage<'a> {
    /// By signatures.
    Signatures { inputs: Vec<SignatureElement>, outputs: Vec<SignatureElement>, reads: Vec<SignatureElement> },
    /// By usages.
    Usages {
        inputs: Vec<Linked>,
        outputs: Vec<Linked>,
        reads: Vec<Linked>,
        /// The vertex shader, or what takes its place where vertices are transformed.
        vertex_shader: Cow<'a, [u8]>,
        is_transformed: bool,
        /// Whether the pixel shader is of a model whose shaders have to add fog by themselves.
        fogs_itself: bool,
    },
}

/// Where the inputs of a pixel shader are from, if not from the registers with their numbers: its declarations, each with its
/// components' places.
#[derive(Default)]
pub(crate) struct Links(Vec<(Linked, [LinkedFrom; 4])>);

/// Numbers of system values in signatures that the pipeline fills by itself in a pixel shader: the position, the primitive's
/// number, the face, the sample.
const OF_PIXELS: [u32; 4] = [1, 7, 9, 10];

/// What components have that are missing where there are others.
const NOTHING: [LinkedFrom; 4] = [LinkedFrom::Zero, LinkedFrom::Zero, LinkedFrom::Zero, LinkedFrom::One];

/// An input of a vertex shader that an element fills.
struct Filled<'n> {
    name: Cow<'n, str>,
    index: u32,
    row: u32,
    is_used: bool,
    text: String,
}

impl<'a> Linkage<'a> {
    pub fn new(desc: &PipelineDesc<'a>) -> Result<Self, DrawError> {
        let is_transformed = desc.input_layout.iter().any(|element| is_usage(&element.semantic, Usage::PositionT));
        let pixel_is_9 = desc.pixel_shader.map(sm3::is_program);
        let vertex_is_9 = is_transformed || sm3::is_program(desc.vertex_shader);
        let vertex = (!is_transformed).then_some((desc.vertex_shader, Stage::Vertex));
        for (shader, expected) in vertex.into_iter().chain(desc.pixel_shader.map(|shader| (shader, Stage::Pixel))) {
            // What is no shader at all is said where it is read.
            if let Some(found) = stage(shader, &Limits::default()).filter(|found| *found != expected) {
                return Err(DrawError::Stage { expected: expected.name(), found: found.name() });
            }
        }
        match (vertex_is_9, pixel_is_9.unwrap_or(vertex_is_9)) {
            (false, false) => Self::of_signatures(desc),
            (true, true) => Self::of_usages(desc, is_transformed),
            (_, pixel_is_9) => Err(DrawError::Models { direct3d9: if pixel_is_9 { "pixel" } else { "vertex" } }),
        }
    }

    fn of_signatures(desc: &PipelineDesc<'a>) -> Result<Self, DrawError> {
        let (vertex, limits) = ("vertex", Limits::default());
        let fault = |stage| move |source| DrawError::Signature { stage, source };
        let container = Container::parse(desc.vertex_shader, &limits).map_err(fault(vertex))?;
        let inputs = container.inputs(&limits).map_err(fault(vertex))?.unwrap_or_default().elements;
        let outputs = container.outputs(&limits).map_err(fault(vertex))?.unwrap_or_default().elements;
        let reads = match desc.pixel_shader {
            None => Vec::new(),
            Some(bytes) => {
                let container = Container::parse(bytes, &limits).map_err(fault("pixel"))?;
                container.inputs(&limits).map_err(fault("pixel"))?.unwrap_or_default().elements
            }
        };
        Ok(Self::Signatures { inputs, outputs, reads })
    }

    fn of_usages(desc: &PipelineDesc<'a>, is_transformed: bool) -> Result<Self, DrawError> {
        let vertex_shader = match is_transformed {
            true => Cow::Owned(pass_through(&desc.input_layout)?),
            false => Cow::Borrowed(desc.vertex_shader),
        };
        let vertex = program(&vertex_shader)?;
        let of_vertex = linkage(&vertex);
        let pixel = desc.pixel_shader.map(program).transpose()?;
        let reads = pixel.as_ref().map_or(Vec::new(), |pixel| linkage(pixel).inputs);
        let fogs_itself = pixel.is_some_and(|pixel| pixel.program().version.major() >= 3);
        let (inputs, outputs) = (of_vertex.inputs, of_vertex.outputs);
        Ok(Self::Usages { inputs, outputs, reads, vertex_shader, is_transformed, fogs_itself })
    }

    /// Whether the rules are those of Direct3D 9.
    pub fn is_direct3d9(&self) -> bool {
        matches!(self, Self::Usages { .. })
    }

    /// Whether vertices come to the screen as they are.
    pub fn is_transformed(&self) -> bool {
        matches!(self, Self::Usages { is_transformed: true, .. })
    }

    /// Whether no fog is added after the pixel shader.
    pub fn fogs_itself(&self) -> bool {
        matches!(self, Self::Usages { fogs_itself: true, .. })
    }

    /// The vertex shader, or what takes its place.
    pub fn vertex_shader<'s>(&'s self, desc: &PipelineDesc<'s>) -> &'s [u8] {
        match self {
            Self::Signatures { .. } => desc.vertex_shader,
            Self::Usages { vertex_shader, .. } => vertex_shader,
        }
    }

    /// The word of a vertex that has the factor of fog, where its shader writes it to `written`. Transformed vertices have it as
    /// the alpha of their second colour.
    pub fn fog_word(&self, written: Option<usize>) -> Option<usize> {
        match self {
            Self::Usages { outputs, is_transformed: true, .. } if written.is_none() => {
                let second = outputs.iter().find(|output| (output.usage, output.usage_index) == (Usage::Color, 1))?;
                Some(second.row as usize * 4 + 3)
            }
            _ => written,
        }
    }

    /// The vertex shader's inputs, but for numbers, which come by themselves.
    fn filled(&self) -> Vec<Filled<'_>> {
        match self {
            Self::Signatures { inputs, .. } => {
                let filled = |input| {
                    let &SignatureElement { ref name, semantic_index, register, system_value, usage_mask, .. } = input;
                    Some(Filled {
                        name: Cow::Borrowed(name),
                        index: semantic_index,
                        row: register.filter(|_| system_value == 0)?,
                        is_used: usage_mask != 0,
                        text: described(input, 'v'),
                    })
                };
                inputs.iter().filter_map(filled).collect()
            }
            Self::Usages { inputs, .. } => {
                let filled = |input: &Linked| Filled {
                    name: Cow::Borrowed(input.usage.text()),
                    index: input.usage_index,
                    row: input.row,
                    is_used: true,
                    text: declared(input),
                };
                inputs.iter().map(filled).collect()
            }
        }
    }

    /// What fills each input, and the vertex buffers that are read.
    pub fn elements(&self, layout: &[InputElement]) -> Result<(Vec<VertexElement>, Vec<u32>), DrawError> {
        let (mut elements, mut slots) = (Vec::new(), Vec::new());
        for input in self.filled() {
            let found = layout
                .iter()
                .find(|element| element.semantic.eq_ignore_ascii_case(&input.name) && element.index == input.index);
            let Some(found) = found else {
                // In Direct3D 9 it is 0.
                if !input.is_used || self.is_direct3d9() {
                    continue;
                }
                return Err(DrawError::NoElement { nearest: self.nearest(&input, layout), input: input.text });
            };
            let &InputElement { format, slot, offset_bytes: offset, advance, .. } = found;
            let element = || numbered(&found.semantic, found.index);
            let Some(texel) = format.texel() else {
                return Err(DrawError::ElementFormat { element: element(), format });
            };
            if slot >= record::SLOTS {
                return Err(DrawError::ElementSlot { element: element(), slot, last: record::SLOTS - 1 });
            }
            let size_bytes = format.size_bytes();
            let unit_bytes = size_bytes.min(4);
            if !offset.is_multiple_of(unit_bytes) {
                return Err(DrawError::ElementOffset { element: element(), offset_bytes: offset, unit_bytes });
            }
            // Direct3D 9 has no integers in its shaders' registers.
            let is_scaled = self.is_direct3d9() && format.is_integer();
            elements.push(VertexElement {
                row: input.row,
                slot,
                offset,
                format: texel,
                is_scaled,
                size_bytes,
                advance,
            });
            slots.push(slot);
        }
        slots.sort_unstable();
        slots.dedup();
        Ok((elements, slots))
    }

    /// The element that nothing reads whose name is nearest to an input's.
    fn nearest(&self, input: &Filled<'_>, layout: &[InputElement]) -> Option<String> {
        let filled: Vec<_> = self.filled().iter().map(|input| numbered(&input.name, input.index)).collect();
        let free = layout.iter().map(|element| numbered(&element.semantic, element.index));
        let free: Vec<_> = free.filter(|name| !filled.contains(name)).collect();
        nearest(&numbered(&input.name, input.index), free.iter().map(String::as_str))
    }

    /// Checks that the vertex shader writes what the pixel shader reads, as it must but in Direct3D 9, and finds where; `has_sprites` says
    /// that texture coordinates are made for each point.
    pub fn links(&self, has_sprites: bool) -> Result<Links, DrawError> {
        match self {
            Self::Signatures { outputs, reads, .. } => check_registers(outputs, reads).map(|()| Links::default()),
            Self::Usages { outputs, reads, is_transformed, fogs_itself, .. } => {
                let is_white = *is_transformed || !fogs_itself;
                let link = |read: &Linked| (*read, from(read, outputs, has_sprites, is_white));
                Ok(Links(reads.iter().map(link).collect()))
            }
        }
    }
}

impl Links {
    /// The links of a pixel shader's inputs, where `is_flat` says that colours are the same all over a primitive. None if all are
    /// from the registers with their numbers.
    pub fn of(&self, signature: Option<&Signature>, is_flat: bool) -> Vec<Link> {
        let Some(signature) = signature.filter(|_| !self.0.is_empty()) else { return Vec::new() };
        let link = |input: &brolga_runtime::Parameter| {
            let is_its = |(read, _): &&(Linked, _)| read.row == input.row && read.mask & input.mask != 0;
            match self.0.iter().find(is_its).filter(|_| input.system_value.is_none()) {
                Some(&(read, components)) => Link { components, is_flat: is_flat && read.usage == Usage::Color },
                None => Link { components: NOTHING, is_flat: false },
            }
        };
        signature.inputs.iter().map(link).collect()
    }
}

/// A program of Direct3D 9, checked.
fn program(bytes: &[u8]) -> Result<sm3::ValidProgram, DrawError> {
    let limits = Limits::default();
    let file = |error: FileError| DrawError::Runtime(error.into());
    let program = sm3::decode(bytes, 0, &limits).map_err(|error| file(error.into()))?;
    sm3::validate(program, &limits).map_err(|error| file(error.into()))
}

fn is_usage(semantic: &str, usage: Usage) -> bool {
    semantic.eq_ignore_ascii_case(usage.text())
}

/// A vertex shader that gives what elements have, for transformed vertices: Direct3D 9 runs none for them.
fn pass_through(layout: &[InputElement]) -> Result<Vec<u8>, DrawError> {
    let (mut text, mut moves) = (String::from("vs_3_0\n"), String::new());
    for (n, InputElement { semantic, index, .. }) in layout.iter().enumerate() {
        let semantic = semantic.to_ascii_lowercase();
        let output = if is_usage(&semantic, Usage::PositionT) { Usage::Position.text() } else { &semantic };
        let _ = writeln!(text, "dcl_{semantic}{index} v{n}\ndcl_{output}{index} o{n}");
        let _ = writeln!(moves, "mov o{n}, v{n}");
    }
    text.push_str(&moves);
    match sm3::assemble(&text, &Limits::default()) {
        Ok(program) => Ok(sm3::encode(&program)),
        Err(error) => {
            Err(DrawError::Unsupported { what: format!("an input layout of transformed vertices ({error})") })
        }
    }
}

/// Where the components of an input are from. What nobody writes is 0, but for the first colour where that is white, as fixed functions
/// have it.
fn from(read: &Linked, outputs: &[Linked], has_sprites: bool, is_white: bool) -> [LinkedFrom; 4] {
    if has_sprites && read.usage == Usage::TexCoord {
        let [across, down] = [0, 1].map(|axis| LinkedFrom::Sprite { axis });
        return [across, down, NOTHING[2], NOTHING[3]];
    }
    let is_its = |output: &&Linked| (output.usage, output.usage_index) == (read.usage, read.usage_index);
    let Some(output) = outputs.iter().find(is_its) else {
        let is_white = is_white && (read.usage, read.usage_index) == (Usage::Color, 0);
        return [if is_white { LinkedFrom::One } else { LinkedFrom::Zero }; 4];
    };
    // Both have the same components, wherever their registers are.
    [0, 1, 2, 3].map(|component| match output.mask >> component & 1 {
        0 => NOTHING[component as usize],
        _ => LinkedFrom::Vertex(4 * output.row + component),
    })
}

/// Checks that a vertex shader writes what a pixel shader reads, in the same registers.
fn check_registers(outputs: &[SignatureElement], reads: &[SignatureElement]) -> Result<(), DrawError> {
    for input in reads {
        if OF_PIXELS.contains(&input.system_value) || input.register.is_none() {
            continue;
        }
        let is_same = |output: &&SignatureElement| {
            output.name.eq_ignore_ascii_case(&input.name) && output.semantic_index == input.semantic_index
        };
        let named = outputs.iter().find(is_same);
        let is_there =
            named.is_some_and(|output| output.register == input.register && output.mask & input.mask == input.mask);
        if is_there {
            continue;
        }
        let at_register = || outputs.iter().find(|output| output.register == input.register);
        let output = match named.or_else(at_register) {
            Some(output) => format!("writes {}", described(output, 'o')),
            None => format!("writes nothing to o{}", input.register.unwrap_or(0)),
        };
        return Err(DrawError::Linkage { input: described(input, 'v'), output });
    }
    Ok(())
}

/// `TEXCOORD1`.
fn numbered(semantic: &str, index: u32) -> String {
    format!("{}{index}", semantic.to_uppercase())
}

/// `TEXCOORD1 from v2.xy`.
fn described(element: &SignatureElement, file: char) -> String {
    let SignatureElement { name, semantic_index, mask, .. } = element;
    let register = element.register.map_or(String::new(), |register| register.to_string());
    let way = if file == 'v' { "from" } else { "to" };
    format!("{name}{semantic_index} {way} {file}{register}.{}", letters(*mask))
}

/// `texcoord1 (v2.xy)`.
fn declared(linked: &Linked) -> String {
    let Linked { usage, usage_index, register, mask, .. } = linked;
    format!("{}{usage_index} ({register}.{})", usage.text(), letters(*mask))
}

fn letters(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter).collect()
}
