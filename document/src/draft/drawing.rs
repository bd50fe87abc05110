//! A first document for one shader of a draw or several of them: it draws a rectangle or a mesh with them, and runs as it
//! is.

use std::borrow::Cow;

use brolga_bytecode::info::{Element, SignatureKind};
use brolga_bytecode::sm5::Stage;
use brolga_files::Mesh;
use brolga_raster::layout::InputElement;
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::Topology;
use brolga_runtime::pipeline::state::Numbered;
use brolga_runtime::{Device, Format, InputPrimitive, Signature, Stage as ShaderStage, SystemValue};

use super::camera::Camera;
use super::first_values::{Seen, Words};
use super::page::{Page, with_comment};
use super::part::{Part, place};
use super::registers::{Form, SAMPLES, Slot, slots};
use super::{Draft, DraftError, DraftShader, companion, constants};
use crate::text::quoted;

/// Registers of a range that are bound.
const REGISTERS: u32 = 16;
/// Pixels along a side of the picture; and where it depends on their order, so few that one thread does them.
const SIDES: [u32; 2] = [256, 16];
/// The corners of the rectangle, as a strip: x, y, and the texture coordinates there.
const CORNERS: [[f64; 4]; 4] =
    [[-0.8, 0.8, 0.0, 0.0], [0.8, 0.8, 1.0, 0.0], [-0.8, -0.8, 0.0, 1.0], [0.8, -0.8, 1.0, 1.0]];

/// Files by their names.
type Files = Vec<(String, Vec<u8>)>;

/// The document's text, and the shader that is made for one without another.
pub(super) fn write(device: &Device, parts: Vec<Part>, draft: &Draft<'_>) -> Result<(Files, String), DraftError> {
    let limits = device.limits();
    let has_position = |part: &Part| {
        let mut outputs = part.shader.module().outputs().iter();
        part.is_direct3d9() || outputs.any(|output| output.system_value == Some(SystemValue::Position))
    };
    // The last shader before the pixel shader.
    let last = parts.iter().filter(|part| part.info.stage != Stage::Pixel).max_by_key(|part| part.place());
    // A domain shader that is made for a hull shader writes one.
    if last.is_some_and(|part| part.info.stage != Stage::Hull && !has_position(part)) {
        return Err(DraftError::NoPosition);
    }
    let (mut files, mut parts) = (Vec::new(), parts);
    let given = parts.len();
    let mut containers: Vec<(Stage, Cow<'_, [u8]>)> =
        parts.iter().zip(draft.shaders).map(|(part, shader)| (part.info.stage, shader.container.into())).collect();
    let has = |stage| parts.iter().any(|part| part.info.stage == stage);
    // Hull and domain shader first, by which the others are made.
    let pair = if has(Stage::Hull) || has(Stage::Domain) { &[Stage::Hull, Stage::Domain][..] } else { &[] };
    let missing: Vec<Stage> =
        pair.iter().chain(&[Stage::Vertex, Stage::Pixel]).copied().filter(|&stage| !has(stage)).collect();
    for stage in missing {
        // What it stands beside: the first shader after it, or the last before it.
        let beside = containers.iter().min_by_key(|(other, _)| place(*other).abs_diff(place(stage)));
        let Some((beside, container)) = beside else { break };
        let bytes = companion::of((*beside, container), stage, &limits.file)?;
        // Not a name that a shader of someone's own has.
        let mut file = format!("{}_plain_{}.cso", draft.name, stage.text());
        if parts.iter().any(|part| part.file == file) {
            file = format!("{}_{file}", draft.name);
        }
        let shader = DraftShader { file: file.as_ref(), container: &bytes, source: None, wgsl: None };
        parts.push(Part::new(device, &shader).map_err(|error| DraftError::Companion(error.to_string()))?);
        containers.push((stage, bytes.clone().into()));
        files.push((file, bytes));
    }
    parts.sort_by_key(Part::place);
    let mesh =
        draft.mesh.map(|mesh| Mesh::parse(mesh.text, limits.buffer_bytes).map_err(DraftError::Mesh)).transpose()?;
    let [vertex, .., pixel] = &parts[..] else { return Err(DraftError::NoPosition) };
    // The first shader that takes whole primitives.
    let taken = parts.iter().find_map(|part| {
        let primitive = match part.shader.stage() {
            ShaderStage::Hull(hull) => InputPrimitive::Patch(hull.input_points),
            ShaderStage::Geometry(geometry) => geometry.input,
            _ => return None,
        };
        Some((part.info.stage, primitive))
    });
    let topology = match taken {
        // A triangle is a patch of three points.
        Some((_, InputPrimitive::Patch(3))) => Topology::Patch3,
        Some((stage, primitive)) if mesh.is_some() && primitive != InputPrimitive::Triangle => {
            return Err(DraftError::Primitive { stage: stage.name(), primitive });
        }
        _ if mesh.is_some() => Topology::TriangleList,
        Some((_, primitive)) => topology_of(primitive),
        None => Topology::TriangleStrip,
    };
    if given > 1 || taken.is_some() {
        check_fit(device, &parts, topology)?;
    }
    let (is_direct3d9, has_samples) = (vertex.is_direct3d9(), asks_for_samples(pixel));
    let mesh = mesh.as_ref();
    let drawing = Drawing { draft, parts: &parts, vertex, pixel, mesh, topology, is_direct3d9, has_samples };
    drawing.text().map(|text| (files, text))
}

/// How the vertices of the rectangle make such primitives.
fn topology_of(primitive: InputPrimitive) -> Topology {
    match primitive {
        InputPrimitive::Point => Topology::PointList,
        InputPrimitive::Line => Topology::LineStrip,
        InputPrimitive::Triangle => Topology::TriangleStrip,
        InputPrimitive::LineAdjacent => Topology::LineListAdjacent,
        InputPrimitive::TriangleAdjacent => Topology::TriangleListAdjacent,
        InputPrimitive::Patch(count) => Topology::from_number(32 + count).unwrap_or(Topology::Patch1),
    }
}

/// The points of the rectangle that such primitives have as vertices.
fn corners_of(topology: Topology) -> Vec<[f64; 4]> {
    match topology.primitive() {
        // The corners of a triangle, each with one opposite to the edge after it.
        InputPrimitive::TriangleAdjacent => [0, 1, 1, 3, 2, 2].map(|n| CORNERS[n]).to_vec(),
        // A grid, row by row, if they are enough for one; else corners.
        InputPrimitive::Patch(count) => match (2..=5).find(|side| side * side == count) {
            Some(side) => (0..count).map(|n| of_grid(side, n)).collect(),
            None => CORNERS.into_iter().cycle().take(count as usize).collect(),
        },
        _ => CORNERS.to_vec(),
    }
}

/// A point of a grid over the rectangle with so many to a side.
fn of_grid(side: u32, n: u32) -> [f64; 4] {
    let [[left, top, ..], .., [right, bottom, ..]] = CORNERS;
    let [across, down] = [n % side, n / side].map(|place| f64::from(place) / f64::from(side - 1));
    [left + across * (right - left), top + down * (bottom - top), across, down]
}

/// Checks that each shader writes what the next one reads.
fn check_fit(device: &Device, parts: &[Part], topology: Topology) -> Result<(), DraftError> {
    let mut desc = PipelineDesc { topology, ..PipelineDesc::default() };
    for part in parts {
        let stage = part.info.stage;
        desc.modules[stage] = Some(part.shader.module().clone());
        desc.options[stage] = part.options.clone();
        for input in filled(part) {
            let element = InputElement::new(&input.name, Format::R32G32B32A32_FLOAT, 0);
            desc.input_layout.push(InputElement { index: input.index, ..element });
        }
    }
    Pipeline::new(device, &desc).map(drop).map_err(DraftError::Fit)
}

/// `true` if a pixel shader shows what it does only on targets of several samples: it runs for each of them, reads which
/// are covered, or evaluates inputs where they lie.
fn asks_for_samples(pixel: &Part) -> bool {
    // Not the inputs that it is linked by, among which coverage is not.
    let signature = pixel.shader.module().stage().signature();
    let reads_samples = |signature: &Signature| signature.is_per_sample() || signature.reads(&[SystemValue::Coverage]);
    pixel.uses.evaluates || signature.is_some_and(reads_samples)
}

/// The inputs of a vertex shader that buffers fill.
fn filled(part: &Part) -> impl Iterator<Item = &Element> {
    let is_filled = |input: &&Element| input.system_value.is_none() && !input.name.is_empty();
    part.elements(SignatureKind::Inputs).filter(move |_| part.info.stage == Stage::Vertex).filter(is_filled)
}

/// The draw.
struct Drawing<'a> {
    draft: &'a Draft<'a>,
    /// The shaders in the order of the pipeline, of which these are the first and the last.
    parts: &'a [Part],
    vertex: &'a Part,
    pixel: &'a Part,
    topology: Topology,
    mesh: Option<&'a Mesh>,
    is_direct3d9: bool,
    /// Set if it is drawn to textures of several samples.
    has_samples: bool,
}

/// What an output of the pixel shader is drawn to.
struct Picture {
    target: String,
    /// The texture of one sample that it becomes, if it has several. Integers have no mean.
    resolved: Option<String>,
    is_color: bool,
}

/// An element of the input layout.
struct Filled<'a> {
    input: &'a Element,
    /// In the words of Direct3D 11: a type for each number.
    components: usize,
    slot: u32,
    offset: u32,
}

impl Drawing<'_> {
    fn text(&self) -> Result<String, DraftError> {
        let camera = self.mesh.map_or(Camera::FLAT, Camera::of);
        let form = Form::Draw(Seen::new(&camera, self.vertex));
        let Form::Draw(seen) = &form else { return Ok(String::new()) };
        let (layout, slots) = (self.layout(), self.slots()?);
        let profiles: Vec<&str> = self.parts().map(|(_, part)| &part.info.profile[..]).collect();
        let mut page = Page::new(self.draft.name, &profiles);
        for lost in self.lost() {
            page.line(&format!("# The pixel shader reads {lost}, which the vertex shader does not write: it is 0."));
        }
        page.line(if self.is_direct3d9 { "api = \"d3d9\"" } else { "api = \"d3d11\"" });
        for (name, part) in self.parts() {
            page.table(&format!("[shaders.{name}]"));
            page.shader("file", part);
        }
        self.pipeline(&mut page, &layout);
        self.vertices(&mut page, &layout);
        let is_named = |slot: &&Slot<'_>| !(self.is_direct3d9 && self.is_constant(slot) && self.has_names(slot));
        for slot in slots.iter().filter(is_named) {
            page.slot(slot, &form);
        }
        let pictures = self.pictures(&mut page);
        self.steps(&mut page, &layout, &pictures, slots.iter().filter(is_named).map(Slot::name).collect());
        if self.is_direct3d9 {
            for (name, part) in self.parts() {
                self.constants(&mut page, name, part, seen);
            }
        }
        for (n, Picture { target, resolved, is_color }) in pictures.iter().enumerate() {
            let number = if n == 0 { String::new() } else { n.to_string() };
            let ending = match () {
                () if *is_color => "png",
                () if self.has_samples => "npy",
                () => "dds",
            };
            page.table("[[save]]");
            page.line(&format!("resource = \"{}\"", resolved.as_ref().unwrap_or(target)));
            page.line(&format!("file = {}", quoted(&format!("{}{number}.{ending}", self.draft.name))));
        }
        Ok(page.out)
    }

    /// The shaders in the order of the pipeline, with their keys.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &Part)> {
        self.parts.iter().map(|part| (part.info.stage.text(), part))
    }

    /// The registers of all shaders: those of Direct3D 11 are one for all.
    fn slots(&self) -> Result<Vec<Slot<'_>>, DraftError> {
        let of = |part| {
            let part: &Part = part;
            part.shader.bindings().iter().flat_map(|range| slots(part, range, REGISTERS))
        };
        let mut all: Vec<(&str, Slot<'_>)> = Vec::new();
        for (_, part) in self.parts() {
            for slot in of(part) {
                let is_same = |one: &&mut (&str, Slot<'_>)| !self.is_direct3d9 && one.1.register == slot.register;
                match all.iter_mut().find(is_same) {
                    None => all.push((part.info.stage.name(), slot)),
                    Some((first, one)) => one.join(&slot).ok_or_else(|| DraftError::Register {
                        register: slot.register,
                        stages: [first, part.info.stage.name()],
                        kinds: [one.kind(), slot.kind()],
                    })?,
                }
            }
        }
        Ok(all.into_iter().map(|(_, slot)| slot).collect())
    }

    /// The inputs that a pixel shader of Direct3D 9 reads and its vertex shader does not write.
    fn lost(&self) -> Vec<String> {
        let [outputs, inputs] = [self.vertex.shader.module().outputs(), self.pixel.shader.module().inputs()];
        let reads = inputs.iter().filter(|input| self.is_direct3d9 && input.system_value.is_none());
        let semantics = reads.filter_map(|input| input.semantic.as_ref());
        let is_written = |wanted: &&brolga_runtime::Semantic| {
            outputs.iter().any(|output| output.semantic.as_ref().is_some_and(|semantic| semantic.matches(wanted)))
        };
        semantics.filter(|semantic| !is_written(semantic)).map(ToString::to_string).collect()
    }

    fn is_constant(&self, slot: &Slot<'_>) -> bool {
        slot.register.class == brolga_runtime::ResourceClass::Constant
    }

    /// `true` if the constants of a slot's shader have names.
    fn has_names(&self, slot: &Slot<'_>) -> bool {
        let part = if slot.name().starts_with('v') { self.vertex } else { self.pixel };
        slot.name() != "bump0" && part.info.constants.iter().any(|found| !found.variables.is_empty())
    }

    fn layout(&self) -> Vec<Filled<'_>> {
        let mut places = (0..).step_by(16);
        let mut next = || places.next().unwrap_or(0);
        let element = |input| {
            let input: &Element = input;
            let name = input.name.to_uppercase();
            let of_mesh = match name.trim_start_matches("SV_") {
                _ if self.mesh.is_none() => None,
                name if name.starts_with("POSITION") && input.index == 0 => Some((3, 0)),
                name if name.starts_with("NORMAL") => Some((3, 12)),
                name if name.starts_with("TEXCOORD") || name == "UV" => Some((2, 24)),
                _ => None,
            };
            match of_mesh {
                Some((components, offset)) => Filled { input, components, slot: 0, offset },
                None if self.mesh.is_none() => Filled { input, components: 4, slot: 0, offset: next() },
                // Everything there is 1: of weights and directions the first alone, and of integers the first byte,
                // which is 0.
                None => {
                    let is_one = ["BLEND", "TANGENT"].iter().any(|part| name.starts_with(part));
                    Filled { input, components: if is_one { 1 } else { 4 }, slot: 1, offset: 0 }
                }
            }
        };
        filled(self.vertex).map(element).collect()
    }

    fn pipeline(&self, page: &mut Page<'_>, layout: &[Filled<'_>]) {
        page.table("[pipelines.main]");
        page.lines(self.parts().map(|(name, _)| format!("{name} = \"{name}\"")));
        page.line(&format!("topology = \"{}\"", self.topology.name()));
        page.line(match self.is_direct3d9 {
            true => "render_states = { CULLMODE = \"NONE\" }",
            false => "rasterizer = { cull_mode = \"NONE\" }",
        });
        if !layout.is_empty() {
            page.line("input_layout = [");
            page.lines(layout.iter().map(|element| format!("    {{ {} }},", self.element(element))));
            page.line("]");
        }
        for (name, part) in self.parts() {
            page.instances(&format!("[pipelines.main.{name}_instances]"), &part.choices);
        }
    }

    fn element(&self, element: &Filled<'_>) -> String {
        let Filled { input, components, slot, offset } = element;
        let Element { name, index, .. } = input;
        if self.is_direct3d9 {
            let usage = name.to_uppercase();
            return format!(
                "usage = \"{usage}\", index = {index}, type = \"FLOAT{components}\", stream = {slot}, offset = {offset}"
            );
        }
        let format = match (input.format, slot) {
            (Some("uint"), 1) => "R8_UINT",
            (Some("int"), 1) => "R8_SINT",
            (Some("uint"), _) => "R32G32B32A32_UINT",
            (Some("int"), _) => "R32G32B32A32_SINT",
            _ => ["R32_FLOAT", "R32G32_FLOAT", "R32G32B32_FLOAT", "R32G32B32A32_FLOAT"][(components - 1) % 4],
        };
        format!("semantic = {}, index = {index}, format = \"{format}\", slot = {slot}, offset = {offset}", quoted(name))
    }

    /// The rectangle, or the mesh and what it lacks.
    fn vertices(&self, page: &mut Page<'_>, layout: &[Filled<'_>]) {
        if let (Some(mesh), Some(given)) = (self.mesh, &self.draft.mesh) {
            page.table("[resources.mesh]");
            page.line("kind = \"mesh\"");
            page.line(&format!("file = {}", quoted(&given.file.to_string_lossy())));
            if layout.iter().any(|element| element.slot == 1) {
                page.table("# What the shader reads of vertices and the mesh does not have");
                page.lines(["[resources.others]", "kind = \"vertex\"", "fill = { f32 = 1.0 }"]);
                page.line(&format!("size = {}", 16 * mesh.vertices.len()));
            }
        } else if !layout.is_empty() {
            page.table("[resources.corners]");
            page.lines(["kind = \"vertex\"", "f32 = ["]);
            for corner in corners_of(self.topology) {
                let numbers = layout.iter().flat_map(|element| attribute(element.input, corner));
                let numbers: Vec<_> = numbers.map(|number| format!("{number:?}")).collect();
                page.line(&format!("    {},", numbers.join(", ")));
            }
            page.line("]");
        }
    }

    /// The tables of what is drawn to.
    fn pictures(&self, page: &mut Page<'_>) -> Vec<Picture> {
        let targets: Vec<&Element> = match self.is_direct3d9 {
            true => Vec::new(),
            false => {
                self.pixel.elements(SignatureKind::Outputs).filter(|output| output.register.starts_with("o")).collect()
            }
        };
        let number =
            |output: &Element| output.register.strip_prefix('o').and_then(|number| number.parse::<usize>().ok());
        let count = targets.iter().filter_map(|output| number(output)).map(|n| n + 1).max().unwrap_or(0).min(8);
        let mut pictures = Vec::new();
        let side = SIDES[usize::from(self.parts().any(|(_, part)| part.uses.is_racing))];
        for n in 0..if self.is_direct3d9 { self.colors() } else { count } {
            let output = targets.iter().find(|output| number(output) == Some(n));
            let (format, is_color) = match output.and_then(|output| output.format) {
                _ if self.is_direct3d9 => ("A8R8G8B8", true),
                Some("uint") => ("R32G32B32A32_UINT", false),
                Some("int") => ("R32G32B32A32_SINT", false),
                _ => ("R8G8B8A8_UNORM", true),
            };
            let named = |name: &str| if n == 0 { name.to_owned() } else { format!("{name}{n}") };
            let picture = match self.has_samples {
                true => Picture { target: named("many"), resolved: is_color.then(|| named("picture")), is_color },
                false => Picture { target: named("picture"), resolved: None, is_color },
            };
            texture(page, &picture.target, format, side, self.has_samples);
            if let Some(resolved) = &picture.resolved {
                texture(page, resolved, format, side, false);
            }
            pictures.push(picture);
        }
        if self.mesh.is_some() {
            let format = if self.is_direct3d9 { "D24X8" } else { "D32_FLOAT" };
            texture(page, "depth", format, side, self.has_samples);
        }
        pictures
    }

    /// The render targets that a pixel shader of Direct3D 9 has colours for: up to the last oC# that it writes.
    fn colors(&self) -> usize {
        let signature = self.pixel.shader.stage().signature();
        let outputs = signature.into_iter().flat_map(|signature| &signature.outputs);
        let colors = outputs.filter(|output| output.system_value.is_none());
        colors.map(|output| output.row as usize + 1).max().unwrap_or(1).clamp(1, 4)
    }

    fn steps(&self, page: &mut Page<'_>, layout: &[Filled<'_>], pictures: &[Picture], bound: Vec<String>) {
        let (target, depth) = match self.is_direct3d9 {
            true => ("target", "depth_target"),
            false => ("resource", "resource"),
        };
        for picture in pictures.iter().filter(|picture| picture.is_color) {
            page.table("[[steps]]");
            let cleared = format!("{target} = \"{}\"", picture.target);
            page.lines(["op = \"clear\"", &cleared, "color = [0.1, 0.1, 0.2, 1.0]"]);
        }
        if self.mesh.is_some() {
            page.table("[[steps]]");
            page.lines(["op = \"clear\"", &format!("{depth} = \"depth\""), "depth = 1.0"]);
        }
        page.table("[[steps]]");
        page.line(if self.mesh.is_some() { "op = \"draw_indexed\"" } else { "op = \"draw\"" });
        page.line("pipeline = \"main\"");
        let names: Vec<_> = pictures.iter().map(|picture| format!("\"{}\"", picture.target)).collect();
        match self.is_direct3d9 {
            true if names.len() == 1 => page.line("target = \"picture\""),
            true => page.line(&format!("target = [{}]", names.join(", "))),
            false => page.line(&format!("targets = [{}]", names.join(", "))),
        }
        match self.mesh {
            Some(_) => {
                let key = if self.is_direct3d9 { "depth_target" } else { "depth" };
                page.lines(["mesh = \"mesh\"", &format!("{key} = \"depth\"")]);
                if layout.iter().any(|element| element.slot == 1) {
                    page.line("vertex_buffers = [{ buffer = \"others\", stride = 16 }]");
                }
            }
            None => {
                page.line(&match self.is_direct3d9 {
                    true => "primitives = 2".to_owned(),
                    false => format!("vertices = {}", corners_of(self.topology).len()),
                });
                if !layout.is_empty() {
                    let stride = 16 * layout.len();
                    page.line(&format!("vertex_buffers = [{{ buffer = \"corners\", stride = {stride} }}]"));
                }
            }
        }
        page.lines(bound.iter().map(|name| {
            let key = crate::text::key(name);
            format!("bind.{key} = {}", quoted(name))
        }));
        for picture in pictures {
            let Some(resolved) = &picture.resolved else { continue };
            page.table("[[steps]]");
            let from = format!("from = \"{}\"", picture.target);
            page.lines(["op = \"resolve\"", &from, &format!("to = \"{resolved}\"")]);
        }
    }

    /// The constants of a shader of Direct3D 9 that have names.
    fn constants(&self, page: &mut Page<'_>, name: &str, part: &Part, seen: &Seen<'_>) {
        for constants in part.info.constants.iter().filter(|found| !found.variables.is_empty()) {
            let vectors = constants::vectors(constants);
            let lines = constants::of_direct3d9(constants, &Words::shown(vectors, 0, part, Some(constants), seen));
            if !lines.is_empty() {
                page.table(&format!("[steps.{name}_constants]"));
                page.lines(lines);
            }
        }
    }
}

/// The table of a square texture.
fn texture(page: &mut Page<'_>, name: &str, format: &str, side: u32, has_samples: bool) {
    page.table(&format!("[resources.{name}]"));
    page.line("kind = \"texture2d\"");
    page.lines([format!("format = \"{format}\""), format!("width = {side}"), format!("height = {side}")]);
    if has_samples {
        page.line(&with_comment(&format!("samples = {SAMPLES}"), "of a pixel: 2, 4 or 8"));
    }
}

/// The value of an input at a vertex of the rectangle, by its name; integers are 0.
fn attribute(input: &Element, [x, y, u, v]: [f64; 4]) -> [f64; 4] {
    if matches!(input.format, Some("uint" | "int")) {
        return [0.0; 4];
    }
    match input.name.to_uppercase().as_str() {
        name if name.trim_start_matches("SV_").starts_with("POSITION") && input.index == 0 => [x, y, 0.5, 1.0],
        "NORMAL" => [0.0, 0.0, -1.0, 0.0],
        "TANGENT" => [1.0, 0.0, 0.0, 0.0],
        "BINORMAL" => [0.0, 1.0, 0.0, 0.0],
        "BLENDWEIGHT" => [1.0, 0.0, 0.0, 0.0],
        "BLENDINDICES" => [0.0; 4],
        "COLOR" => [1.0 - u, 1.0 - v, u, 1.0],
        _ => [u, v, 0.0, 1.0],
    }
}
