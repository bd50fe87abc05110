//! Links the stages: elements of the input layout to inputs of the vertex shader, outputs of each shader to inputs of
//! the next.
//!
//! Shaders of Direct3D 11 have signatures, and stages exchange registers with the same numbers. Those of Direct3D 9
//! declare a usage and an index for what they exchange, in any register.

use brolga_ir::pipeline::record;
use brolga_ir::pipeline::state::{Link, LinkedFrom, VertexElement};
use brolga_ir::stage::OutputTopology;
use brolga_runtime::{Module, Parameter, Semantic, Signature, StageKind, SystemValue, nearest};

use super::PipelineDesc;
use super::pass_through::PassThrough;
use crate::error::DrawError;
use crate::geometry::shader::GeometryLayout;
use crate::geometry::stream::StreamLayout;
use crate::layout::InputElement;
use crate::state::{Kind, Topology};
use crate::tessellation::layout::TessellationLayout;

/// The shaders of a pipeline, and how they are linked.
pub(crate) struct Linkage<'d> {
    /// The vertex shader, or the one that passes transformed vertices through.
    pub vertex: Module,
    /// Hull and domain shaders.
    pub tessellation: Option<[&'d Module; 2]>,
    /// The geometry shader.
    pub geometry: Option<&'d Module>,
    /// The pixel shader.
    pub pixel: Option<&'d Module>,
    /// The stream of the last shader before the rasterizer that is rasterized, if any.
    pub rasterized: Option<u32>,
    /// `true` if the rules are those of Direct3D 9.
    pub is_direct3d9: bool,
    /// `true` if vertices are transformed already.
    pub is_transformed: bool,
}

/// The sources of a pixel shader's inputs, if not the registers with their numbers: one for each component.
#[derive(Default)]
pub(crate) struct Links<'d>(Vec<(&'d Parameter, [LinkedFrom; 4])>);

/// Inputs of a pixel shader that the pipeline itself provides; the last one not behind a geometry shader.
const PROVIDED: [SystemValue; 4] =
    [SystemValue::Position, SystemValue::IsFrontFace, SystemValue::SampleIndex, SystemValue::PrimitiveId];

/// Sources of components that a vertex shader lacks.
const UNWRITTEN: [LinkedFrom; 4] = [LinkedFrom::Zero, LinkedFrom::Zero, LinkedFrom::Zero, LinkedFrom::One];

impl<'d> Linkage<'d> {
    pub fn new(desc: &'d PipelineDesc) -> Result<Self, DrawError> {
        // Only Direct3D 9 draws without a vertex shader. In Direct3D 11 the semantic of transformed vertices is one
        // like any other.
        let is_direct3d9 = desc.modules[StageKind::Vertex].as_ref().is_none_or(Module::is_direct3d9);
        let has_transformed = |element: &InputElement| element.semantic.eq_ignore_ascii_case("POSITIONT");
        let is_transformed = is_direct3d9 && desc.input_layout.iter().any(has_transformed);
        for (expected, module) in desc.modules.present() {
            let is_replaced = is_transformed && expected == StageKind::Vertex;
            if !is_replaced && module.kind() != expected {
                return Err(DrawError::Stage { expected: expected.name(), found: module.kind().name() });
            }
            if expected == StageKind::Compute {
                return Err(DrawError::Unsupported { what: "a compute shader in a pipeline".to_owned() });
            }
        }
        let vertex = match &desc.modules[StageKind::Vertex] {
            _ if is_transformed => Module::new(PassThrough::new(&desc.input_layout)?)?,
            Some(module) => module.clone(),
            None => return Err(DrawError::NoShader { stage: StageKind::Vertex.name() }),
        };
        let pixel = desc.modules[StageKind::Pixel].as_ref();
        if pixel.is_some_and(|pixel| pixel.is_direct3d9() != is_direct3d9) {
            let stage = if is_direct3d9 { StageKind::Vertex } else { StageKind::Pixel };
            return Err(DrawError::Models { direct3d9: stage.name() });
        }
        let of_stage = |stage| desc.modules[stage].as_ref();
        let tessellation = match (of_stage(StageKind::Hull), of_stage(StageKind::Domain)) {
            (Some(hull), Some(domain)) => Some([hull, domain]),
            (None, None) => None,
            (Some(_), None) => return Err(unpaired(StageKind::Hull, StageKind::Domain)),
            (None, Some(_)) => return Err(unpaired(StageKind::Domain, StageKind::Hull)),
        };
        let geometry = of_stage(StageKind::Geometry);
        if is_direct3d9 && (tessellation.is_some() || geometry.is_some() || desc.stream_output.is_some()) {
            let what = "tessellation, a geometry shader or stream output, which Direct3D 9 does not have,".to_owned();
            return Err(DrawError::Unsupported { what });
        }
        let rasterized = desc.stream_output.as_ref().map_or(Some(0), |output| output.rasterized_stream);
        Ok(Self { vertex, tessellation, geometry, pixel, rasterized, is_direct3d9, is_transformed })
    }

    /// The last shader before the rasterizer.
    pub fn last(&self) -> &Module {
        self.geometry.unwrap_or_else(|| self.before_geometry())
    }

    /// The last shader before the geometry shader.
    fn before_geometry(&self) -> &Module {
        self.tessellation.map_or(&self.vertex, |[_, domain]| domain)
    }

    /// What hull and domain shaders declare, if there are any. They fit each other and what comes before them.
    pub fn tessellation_layout(&self, topology: Topology) -> Result<Option<TessellationLayout>, DrawError> {
        let Some([hull, domain]) = self.tessellation else { return Ok(None) };
        let Some((hull_stage, domain_stage)) = hull.stage().hull().zip(domain.stage().domain()) else {
            return Ok(None);
        };
        let vertex_rows = self.vertex.stage().signature().map_or(0, Signature::output_rows);
        let layout = TessellationLayout::new(hull_stage, domain_stage, topology, vertex_rows)?;
        check_registers([StageKind::Vertex, StageKind::Hull], self.vertex.outputs().iter(), hull.inputs(), &[])?;
        let stages = [StageKind::Hull, StageKind::Domain];
        check_file("vicp", stages, hull.outputs().iter(), domain.inputs(), &[])?;
        check_file("vpc", stages, hull.patch_constants().iter(), domain.patch_constants(), &[])?;
        Ok(Some(layout))
    }

    /// What the geometry shader emits, if there is one.
    pub fn geometry_layout(&self) -> Result<Option<GeometryLayout>, DrawError> {
        let Some(stage) = self.geometry.and_then(|module| module.stage().geometry()) else {
            return match self.rasterized {
                None | Some(0) => Ok(None),
                Some(stream) => Err(no_stream(stream, self.last().kind().name())),
            };
        };
        let rasterized = self.rasterized.map(|stream| match stage.streams.get(stream as usize) {
            Some(Some(_)) => Ok(stream as usize),
            // What declares no stream emits nothing.
            _ if stream == 0 => Ok(0),
            _ => Err(no_stream(stream, "geometry")),
        });
        Ok(Some(GeometryLayout { stage: stage.clone(), rasterized: rasterized.transpose()? }))
    }

    /// What is streamed out, if anything.
    pub fn stream_layout(
        &self,
        desc: &PipelineDesc,
        assembled: Kind,
        geometry: Option<&GeometryLayout>,
    ) -> Result<Option<StreamLayout>, DrawError> {
        let Some(output) = &desc.stream_output else { return Ok(None) };
        let vertices = match geometry {
            Some(layout) => layout.stage.streams.map(|stream| stream.map_or(1, OutputTopology::vertices)),
            None => [assembled.vertices(), 1, 1, 1],
        };
        output.layout(self.last(), vertices).map(Some)
    }

    /// Checks that the geometry shader gets what it takes.
    pub fn check_geometry(
        &self,
        topology: Topology,
        tessellation: Option<&TessellationLayout>,
    ) -> Result<(), DrawError> {
        let Some((module, stage)) = self.geometry.and_then(|module| Some((module, module.stage().geometry()?))) else {
            return Ok(());
        };
        match tessellation {
            Some(layout) if stage.input != layout.primitive() => {
                let (expected, made) = (stage.input, layout.hull.output.name());
                let what = format!(
                    "the geometry shader takes primitives `{expected}`, but the hull shader's output is `{made}`"
                );
                return Err(DrawError::Tessellation { what });
            }
            None if stage.input != topology.primitive() => {
                return Err(DrawError::Primitive { expected: stage.input, topology: topology.name() });
            }
            _ => {}
        }
        let before = self.before_geometry();
        check_registers([before.kind(), StageKind::Geometry], before.outputs().iter(), module.inputs(), &[])
    }

    /// `true` if the pipeline adds no fog: the pixel shader is of a model that has to do so itself.
    pub fn fogs_itself(&self) -> bool {
        self.pixel.is_some_and(|pixel| pixel.major() >= 3)
    }

    /// The word of a vertex with the fog factor, which its shader writes to `written`, if at all. Transformed vertices
    /// have it as the alpha of their second colour.
    pub fn fog_word(&self, written: Option<usize>) -> Option<usize> {
        if !self.is_transformed || written.is_some() {
            return written;
        }
        let second = self.vertex.outputs().iter().find(|output| is_it(output, "COLOR", 1))?;
        Some(second.row as usize * 4 + 3)
    }

    /// Elements that fill the vertex shader's inputs, and the slots of the vertex buffers that they read.
    pub fn elements(&self, layout: &[InputElement]) -> Result<(Vec<VertexElement>, Vec<u32>), DrawError> {
        let (mut elements, mut slots) = (Vec::new(), Vec::new());
        for (input, semantic) in self.filled() {
            let Some(found) = layout.iter().find(|element| is_it(input, &element.semantic, element.index)) else {
                // In Direct3D 9 it reads as 0.
                if self.is_direct3d9 || !self.is_used(input) {
                    continue;
                }
                return Err(DrawError::NoElement {
                    nearest: self.nearest(semantic, layout),
                    input: described(input, "v"),
                });
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
            // Direct3D 9 has no integer inputs.
            let is_scaled = self.is_direct3d9 && format.is_integer();
            let row = input.row;
            elements.push(VertexElement { row, slot, offset, format: texel, is_scaled, size_bytes, advance });
            slots.push(slot);
        }
        slots.sort_unstable();
        slots.dedup();
        Ok((elements, slots))
    }

    /// The vertex shader's inputs that elements fill: all but system values.
    fn filled(&self) -> impl Iterator<Item = (&Parameter, &Semantic)> {
        let inputs = self.vertex.inputs().iter().filter(|input| input.system_value.is_none());
        inputs.filter_map(|input| Some((input, input.semantic.as_ref()?)))
    }

    /// `true` if an instruction of the vertex shader uses an input.
    fn is_used(&self, input: &Parameter) -> bool {
        let declared = self.vertex.stage().signature().map_or(&[][..], |signature| &signature.inputs);
        declared.iter().any(|used| used.row == input.row && used.mask & input.mask != 0)
    }

    /// The unused element whose name is nearest to an input's.
    fn nearest(&self, input: &Semantic, layout: &[InputElement]) -> Option<String> {
        let text = |semantic: &Semantic| numbered(&semantic.name, semantic.index);
        let filled: Vec<_> = self.filled().map(|(_, semantic)| text(semantic)).collect();
        let free = layout.iter().map(|element| numbered(&element.semantic, element.index));
        let free: Vec<_> = free.filter(|name| !filled.contains(name)).collect();
        nearest(&text(input), free.iter().map(String::as_str))
    }

    /// Checks that the vertex shader writes what the pixel shader reads, as it must except in Direct3D 9, and finds the
    /// sources; `has_sprites` if texture coordinates are generated for points.
    pub fn links(&self, has_sprites: bool) -> Result<Links<'d>, DrawError> {
        let (outputs, reads) = (self.last().outputs(), self.pixel.map_or(&[][..], Module::inputs));
        if !self.is_direct3d9 {
            let Some(stream) = self.rasterized else { return Ok(Links::default()) };
            let provided = if self.geometry.is_some() { &PROVIDED[..3] } else { &PROVIDED };
            let outputs = outputs.iter().filter(|output| output.stream == stream);
            let stages = [self.last().kind(), StageKind::Pixel];
            return check_registers(stages, outputs, reads, provided).map(|()| Links::default());
        }
        let is_white = self.is_transformed || !self.fogs_itself();
        Ok(Links(reads.iter().map(|read| (read, from(read, outputs, has_sprites, is_white))).collect()))
    }
}

impl Links<'_> {
    /// The links of a pixel shader's inputs; `is_flat` for colours that are constant over a primitive. Empty if all
    /// come from the registers with their numbers.
    pub fn of(&self, signature: Option<&Signature>, is_flat: bool) -> Vec<Link> {
        let Some(signature) = signature.filter(|_| !self.0.is_empty()) else { return Vec::new() };
        let link = |input: &Parameter| {
            let is_its = |(read, _): &&(&Parameter, _)| read.row == input.row && read.mask & input.mask != 0;
            match self.0.iter().find(is_its).filter(|_| input.system_value.is_none()) {
                Some(&(read, components)) => Link { components, is_flat: is_flat && is_named(read, "COLOR") },
                None => Link { components: UNWRITTEN, is_flat: false },
            }
        };
        signature.inputs.iter().map(link).collect()
    }
}

/// The error for a hull shader without a domain shader, or the other way round.
fn unpaired(there: StageKind, missing: StageKind) -> DrawError {
    let [there, missing] = [there, missing].map(StageKind::name);
    DrawError::Tessellation { what: format!("the pipeline has a {there} shader, but no {missing} shader") }
}

/// The error for a stream that a shader does not have.
fn no_stream(stream: u32, stage: &str) -> DrawError {
    DrawError::StreamOutput {
        what: format!("stream {stream} is to be rasterized, which the {stage} shader does not have"),
    }
}

/// `true` if a parameter has this semantic, with any index.
fn is_named(parameter: &Parameter, name: &str) -> bool {
    parameter.semantic.as_ref().is_some_and(|semantic| semantic.is_named(name))
}

/// `true` if a parameter has this semantic.
fn is_it(parameter: &Parameter, name: &str, index: u32) -> bool {
    parameter.semantic.as_ref().is_some_and(|semantic| semantic.index == index && semantic.is_named(name))
}

/// The parameter with the same semantic.
fn same<'p>(parameter: &Parameter, mut among: impl Iterator<Item = &'p Parameter>) -> Option<&'p Parameter> {
    let semantic = parameter.semantic.as_ref()?;
    among.find(|other| other.semantic.as_ref().is_some_and(|other| other.matches(semantic)))
}

/// The sources of an input's components. An unwritten one is 0, except a first colour that is white, as in the
/// fixed-function pipeline.
fn from(read: &Parameter, outputs: &[Parameter], has_sprites: bool, is_white: bool) -> [LinkedFrom; 4] {
    if has_sprites && is_named(read, "TEXCOORD") {
        let [across, down] = [0, 1].map(|axis| LinkedFrom::Sprite { axis });
        return [across, down, UNWRITTEN[2], UNWRITTEN[3]];
    }
    let Some(output) = same(read, outputs.iter()) else {
        return [if is_white && is_it(read, "COLOR", 0) { LinkedFrom::One } else { LinkedFrom::Zero }; 4];
    };
    // Both have the same components, in whatever registers.
    [0, 1, 2, 3].map(|component| match output.mask >> component & 1 {
        0 => UNWRITTEN[component as usize],
        _ => LinkedFrom::Vertex(4 * output.row + component),
    })
}

/// Checks that a shader writes what the next one reads, in the same registers.
fn check_registers<'p>(
    stages: [StageKind; 2],
    outputs: impl Iterator<Item = &'p Parameter> + Clone,
    reads: &[Parameter],
    provided: &[SystemValue],
) -> Result<(), DrawError> {
    check_file("v", stages, outputs, reads, provided)
}

/// The same of inputs whose registers have another name.
fn check_file<'p>(
    file: &str,
    [writer, reader]: [StageKind; 2],
    outputs: impl Iterator<Item = &'p Parameter> + Clone,
    reads: &[Parameter],
    provided: &[SystemValue],
) -> Result<(), DrawError> {
    for input in reads {
        if input.system_value.is_some_and(|value| provided.contains(&value)) {
            continue;
        }
        let named = same(input, outputs.clone());
        if named.is_some_and(|output| output.row == input.row && output.mask & input.mask == input.mask) {
            continue;
        }
        let at_register = || outputs.clone().find(|output| output.row == input.row);
        let output = match named.or_else(at_register) {
            Some(output) => format!("writes {}", described(output, "o")),
            None => format!("writes nothing to o{}", input.row),
        };
        let [writer, reader] = [writer, reader].map(StageKind::name);
        return Err(DrawError::Linkage { reader, writer, input: described(input, file), output });
    }
    Ok(())
}

/// `TEXCOORD1`.
fn numbered(semantic: &str, index: u32) -> String {
    format!("{}{index}", semantic.to_uppercase())
}

/// `TEXCOORD1 from v2.xy`.
fn described(Parameter { semantic, row, mask, .. }: &Parameter, file: &str) -> String {
    let direction = if file == "o" { "to" } else { "from" };
    // A control point's, whichever it is.
    let register = if file == "vicp" { format!("vicp[][{row}]") } else { format!("{file}{row}") };
    let semantic = semantic.as_ref().map_or(String::new(), |semantic| semantic.to_string());
    let letters = "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter);
    format!("{semantic} {direction} {register}.{}", letters.collect::<String>())
}
