//! Pipelines: two shaders, compiled with the state between and around them.

use std::time::Duration;

use brolga_bytecode::Limits;
use brolga_bytecode::container::{Container, SignatureElement};
use brolga_ir::pipeline::state::{
    Comparison, DepthFormat, DepthTest, Logic, PixelState, Range, StageState, StencilTest, Target, VertexElement,
    VertexState,
};
use brolga_ir::pipeline::{DEPTH, SPACE, record};
use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::{
    CancelToken, Codegen, CompileOptions, Device, Error, Format, Interpolation, Level, Parameter, Register,
    ResourceClass, Shader, Signature, SystemValue,
};

use crate::assembly::Topology;
use crate::batch::Outputs;
use crate::clip::Mode;
use crate::error::DrawError;
use crate::state::{DepthState, InputElement, RasterizerState, TargetState};

/// What a pipeline is made of.
#[derive(Clone, Debug)]
pub struct PipelineDesc<'a> {
    /// The container of the vertex shader.
    pub vertex_shader: &'a [u8],
    /// That of the pixel shader; without one only depth is drawn.
    pub pixel_shader: Option<&'a [u8]>,
    /// What fills the vertex shader's inputs.
    pub input_layout: Vec<InputElement>,
    /// How vertices make primitives.
    pub topology: Topology,
    /// What becomes of triangles.
    pub rasterizer: RasterizerState,
    /// How pixels are held against the depth buffer.
    pub depth: DepthState,
    /// How they are held against its stencils, if they are.
    pub stencil: Option<StencilTest>,
    /// The targets: the pixel shader's output `o0` goes to the first one, and so on.
    pub targets: Vec<TargetState>,
    /// The format of the depth buffer, if there is one.
    pub depth_format: Option<Format>,
    /// How shaders are compiled.
    pub options: CompileOptions,
    /// How the pixel shader is compiled if not as the vertex shader is: class instances are those of one shader.
    pub pixel_options: Option<CompileOptions>,
}

impl<'a> PipelineDesc<'a> {
    /// Lists of triangles, without inputs and targets, in Direct3D's default state.
    pub fn new(vertex_shader: &'a [u8], pixel_shader: Option<&'a [u8]>) -> Self {
        Self {
            vertex_shader,
            pixel_shader,
            input_layout: Vec::new(),
            topology: Topology::TriangleList,
            rasterizer: RasterizerState::default(),
            depth: DepthState::default(),
            stencil: None,
            targets: Vec::new(),
            depth_format: None,
            options: CompileOptions::default(),
            pixel_options: None,
        }
    }

    /// Adds an element to the input layout.
    pub fn input(mut self, element: InputElement) -> Self {
        self.input_layout.push(element);
        self
    }

    /// Adds a target.
    pub fn target(mut self, target: TargetState) -> Self {
        self.targets.push(target);
        self
    }

    /// Sets the format of the depth buffer.
    pub fn depth_format(mut self, format: Format) -> Self {
        self.depth_format = Some(format);
        self
    }
}

/// Two shaders, compiled with the state around them. Cheap to clone and usable from any thread.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub(crate) vertex: Shader,
    pub(crate) pixel: Option<Shader>,
    pub(crate) topology: Topology,
    pub(crate) rasterizer: RasterizerState,
    /// The depth test, if there is one.
    pub(crate) depth: Option<DepthTest>,
    /// Whether the pixel shader has it.
    pub(crate) is_late: bool,
    /// Whether the pixel shader decides which pixels are live.
    pub(crate) reports_live: bool,
    /// Whether triangles come to pixels at all (functional specification, 16.9).
    pub(crate) rasterizes: bool,
    pub(crate) outputs: Outputs,
    /// Registers of a vertex.
    pub(crate) rows: u32,
    /// The vertex buffers that are read.
    pub(crate) slots: Vec<u32>,
    pub(crate) targets: Vec<Format>,
    pub(crate) depth_format: Option<Format>,
}

impl Pipeline {
    /// Compiles both shaders.
    ///
    /// # Errors
    /// If a shader does not compile, the shaders do not fit each other, or the state does not fit them.
    pub fn new(device: &Device, desc: &PipelineDesc<'_>) -> Result<Self, DrawError> {
        let pipeline = Self::compile(desc, |shader, options| device.compile(shader, options))?;
        let options = desc.pixel_options.as_ref().unwrap_or(&desc.options);
        if let Some(shader) = pipeline.pixel.as_ref().filter(|_| options.codegen == Codegen::Eager) {
            shader.compile_for(&pipeline.pixel_formats(), &[])?;
        }
        Ok(pipeline)
    }

    /// The same, until a token is cancelled or the time is over, as [`Device::compile_until`] does it. The code of the pixel shader
    /// is left to the first draw.
    ///
    /// # Errors
    /// As [`Self::new`], and [`Error::CompileStopped`](brolga_runtime::Error::CompileStopped).
    pub fn new_until(
        device: &Device,
        desc: &PipelineDesc<'_>,
        cancel: &CancelToken,
        time_limit: Option<Duration>,
    ) -> Result<Self, DrawError> {
        let deadline = device.deadline(cancel, time_limit)?;
        Self::compile(desc, |shader, options| device.compile_until(shader, options, deadline.token(), None))
    }

    fn compile(
        desc: &PipelineDesc<'_>,
        compile: impl Fn(&[u8], &CompileOptions) -> Result<Shader, Error>,
    ) -> Result<Self, DrawError> {
        let files = Files::new(desc)?;
        let (elements, slots) = files.elements(&desc.input_layout)?;
        files.check_linkage()?;
        if desc.targets.len() > 8 {
            return Err(DrawError::TargetCount { count: desc.targets.len() });
        }
        let takes_second = |target: &TargetState| target.blend.is_some_and(|blend| blend.takes_second());
        if let (Some(target), count @ 2..) = (desc.targets.iter().position(takes_second), desc.targets.len()) {
            return Err(DrawError::SecondSource { target, count });
        }
        let depth_format = desc.depth_format.map(depth_format).transpose()?;
        let options = desc.options.clone().state(StageState::Vertex(VertexState { elements }));
        let vertex = compile(desc.vertex_shader, &options)?;
        let signature = vertex.stage().signature().cloned().unwrap_or_default();

        let rows = signature.output_rows();
        let targets = desc.targets.iter().enumerate().map(|(n, target)| target_state(n, target));
        let targets = targets.collect::<Result<_, _>>()?;
        let DepthState { enable, write: writes, function: test } = desc.depth;
        // A buffer without stencils passes the test of them.
        let stencil_test = |format: DepthFormat| desc.stencil.filter(|_| format.has_stencil());
        let depth = depth_format.filter(|_| enable || desc.stencil.is_some()).map(|format| DepthTest {
            format,
            test: if enable { test } else { Comparison::Always },
            writes: enable && writes,
            stencil: stencil_test(format),
        });
        // Without its state a shader says what it decides, for which it is neither optimised nor compiled.
        let own = desc.pixel_options.as_ref().unwrap_or(&desc.options);
        let alone = own.clone().codegen(Codegen::Deferred).level(Level::None);
        let alone = desc.pixel_shader.map(|shader| compile(shader, &alone)).transpose()?;
        let (is_late, reports_live) = alone.as_ref().map_or((false, false), |shader| decides(shader, depth));
        let is_layer = |output: &Parameter| output.system_value == Some(SystemValue::RenderTargetArrayIndex);
        let has_layers = signature.outputs.iter().any(is_layer);
        let state =
            PixelState { vertex_rows: rows, targets, depth: depth.filter(|_| is_late), reports_live, has_layers };
        // Its code is for the formats of its targets.
        let options = own.clone().codegen(Codegen::Deferred).state(StageState::Pixel(state));
        let pixel = desc.pixel_shader.map(|shader| compile(shader, &options)).transpose()?;
        let read = pixel.as_ref().and_then(|shader| shader.stage().signature());
        Ok(Self {
            outputs: outputs(&signature, read)?,
            rows,
            vertex,
            pixel,
            topology: desc.topology,
            rasterizer: desc.rasterizer,
            depth,
            is_late,
            reports_live,
            rasterizes: desc.pixel_shader.is_some() || enable || desc.stencil.is_some(),
            slots,
            targets: desc.targets.iter().map(|target| target.format).collect(),
            depth_format: desc.depth_format,
        })
    }

    /// The formats in which the pixel shader sees its targets and the depth buffer.
    fn pixel_formats(&self) -> Vec<(Register, Format)> {
        let register = |n| Register::new(ResourceClass::UnorderedAccess, n).in_space(SPACE);
        let depth = self.depth.filter(|_| self.is_late).map(|depth| (register(DEPTH), codes(depth.format)));
        (0..).map(register).zip(self.targets.iter().copied()).chain(depth).collect()
    }

    /// The vertex shader, with vertex fetch before it.
    pub fn vertex_shader(&self) -> &Shader {
        &self.vertex
    }

    /// The pixel shader, with interpolation before it and the output merger after it.
    pub fn pixel_shader(&self) -> Option<&Shader> {
        self.pixel.as_ref()
    }
}

/// How a depth buffer's texels lie in memory.
pub(crate) fn depth_format(format: Format) -> Result<DepthFormat, DrawError> {
    match format {
        Format::D16_UNORM => Ok(DepthFormat::D16),
        Format::D24_UNORM_S8_UINT => Ok(DepthFormat::D24),
        Format::D32_FLOAT => Ok(DepthFormat::D32),
        Format::D32_FLOAT_S8X24_UINT => Ok(DepthFormat::D32S8),
        other => Err(DrawError::Unsupported { what: format!("a depth buffer of format {other}") }),
    }
}

/// The format of a depth buffer's codes.
pub(crate) fn codes(format: DepthFormat) -> Format {
    match format {
        DepthFormat::D16 => Format::R16_UINT,
        DepthFormat::D24 | DepthFormat::D32 => Format::R32_UINT,
        DepthFormat::D32S8 => Format::R32G32_UINT,
    }
}

/// The signatures as the files have them, with names.
struct Files {
    inputs: Vec<SignatureElement>,
    outputs: Vec<SignatureElement>,
    /// Those of the pixel shader.
    reads: Vec<SignatureElement>,
}

/// Numbers of system values in signatures that the pipeline fills by itself in a pixel shader: the position, the primitive's
/// number, the face, the sample.
const OF_PIXELS: [u32; 4] = [1, 7, 9, 10];

impl Files {
    fn new(desc: &PipelineDesc<'_>) -> Result<Self, DrawError> {
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
        Ok(Self { inputs, outputs, reads })
    }

    /// What fills each input, and the vertex buffers that are read.
    fn elements(&self, layout: &[InputElement]) -> Result<(Vec<VertexElement>, Vec<u32>), DrawError> {
        let (mut elements, mut slots) = (Vec::new(), Vec::new());
        for input in &self.inputs {
            // Vertex and instance numbers come by themselves.
            let Some(row) = input.register.filter(|_| input.system_value == 0) else { continue };
            let found = layout.iter().find(|element| {
                element.semantic.eq_ignore_ascii_case(&input.name) && element.index == input.semantic_index
            });
            let Some(found) = found else {
                if input.usage_mask == 0 {
                    continue;
                }
                return Err(DrawError::NoElement { input: described(input, 'v') });
            };
            let &InputElement { format, slot, offset_bytes: offset, advance, .. } = found;
            let element = || format!("{}{}", found.semantic.to_uppercase(), found.index);
            let Some(texel) = format.vertex_format() else {
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
            elements.push(VertexElement { row, slot, offset, format: texel, size_bytes, advance });
            slots.push(slot);
        }
        slots.sort_unstable();
        slots.dedup();
        Ok((elements, slots))
    }

    /// Checks that the vertex shader writes what the pixel shader reads, in the same registers.
    fn check_linkage(&self) -> Result<(), DrawError> {
        for input in &self.reads {
            if OF_PIXELS.contains(&input.system_value) || input.register.is_none() {
                continue;
            }
            let is_same = |output: &&SignatureElement| {
                output.name.eq_ignore_ascii_case(&input.name) && output.semantic_index == input.semantic_index
            };
            let named = self.outputs.iter().find(is_same);
            let is_there =
                named.is_some_and(|output| output.register == input.register && output.mask & input.mask == input.mask);
            if is_there {
                continue;
            }
            let at_register = || self.outputs.iter().find(|output| output.register == input.register);
            let output = match named.or_else(at_register) {
                Some(output) => format!("writes {}", described(output, 'o')),
                None => format!("writes nothing to o{}", input.register.unwrap_or(0)),
            };
            return Err(DrawError::Linkage { input: described(input, 'v'), output });
        }
        Ok(())
    }
}

/// `TEXCOORD1 from v2.xy`.
fn described(element: &SignatureElement, file: char) -> String {
    let SignatureElement { name, semantic_index, mask, .. } = element;
    let components: String =
        "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter).collect();
    let register = element.register.map_or(String::new(), |register| register.to_string());
    let way = if file == 'v' { "from" } else { "to" };
    format!("{name}{semantic_index} {way} {file}{register}.{components}")
}

/// Whether a shader writes to more than its targets.
pub(crate) fn writes_memory(shader: &Shader) -> bool {
    let is_written = |register: Register| register.class == ResourceClass::UnorderedAccess && register.space != SPACE;
    shader.bindings().iter().any(|range| is_written(range.register))
}

/// Whether depths can only be tested after a pixel shader, and whether it decides which pixels are live.
fn decides(shader: &Shader, depth: Option<DepthTest>) -> (bool, bool) {
    use SystemValue::{Coverage, Depth, DepthGreaterEqual, DepthLessEqual, Discarded, StencilRef};
    if shader.stage().signature().is_some_and(|signature| signature.forces_early_tests) {
        return (false, false);
    }
    let outputs = shader.stage().signature().map_or(&[][..], |signature| &signature.outputs);
    let has = |values: &[SystemValue]| {
        outputs.iter().any(|output| output.system_value.is_some_and(|value| values.contains(&value)))
    };
    let drops = has(&[Discarded, Coverage]);
    // Coverage as an input has nothing to do with depth (functional specification, 16.3.2).
    let inputs = shader.stage().signature().map_or(&[][..], |signature| &signature.inputs);
    let reads_coverage = inputs.iter().any(|input| input.system_value == Some(Coverage));
    // What fails the test is shaded too where that can be seen.
    let writes_memory = writes_memory(shader);
    let is_late = depth.is_some_and(|depth| {
        let gives_reference = depth.stencil.is_some() && has(&[StencilRef]);
        has(&[Depth, DepthGreaterEqual, DepthLessEqual])
            || gives_reference
            || (drops && depth.changes_buffer())
            || writes_memory
            || reads_coverage
    });
    (is_late, drops || is_late)
}

/// What the stage after makes of the vertex shader's outputs.
fn outputs(written: &Signature, read: Option<&Signature>) -> Result<Outputs, DrawError> {
    let words = |value: SystemValue| -> Vec<usize> {
        let parameters = written.outputs.iter().filter(move |output| output.system_value == Some(value));
        parameters.flat_map(|output| output.components().map(|n| output.row as usize * 4 + n)).collect()
    };
    let position = written.outputs.iter().find(|output| output.system_value == Some(SystemValue::Position));
    let position = position.ok_or(DrawError::NoPosition)?.row as usize;
    let rows = written.output_rows() as usize;
    let mut modes = vec![Mode::Perspective; 4 * rows];
    let mut is_read = vec![false; rows];
    for input in read.into_iter().flat_map(|signature| &signature.inputs) {
        let mode = match input.interpolation {
            Interpolation::Constant => Mode::Constant,
            Interpolation::Linear | Interpolation::LinearCentroid | Interpolation::LinearSample => Mode::Perspective,
            Interpolation::NoPerspective
            | Interpolation::NoPerspectiveCentroid
            | Interpolation::NoPerspectiveSample => Mode::NoPerspective,
        };
        if let Some(is_read) = is_read.get_mut(input.row as usize) {
            *is_read = true;
        }
        for component in input.components() {
            if let Some(word) = modes.get_mut(input.row as usize * 4 + component) {
                *word = mode;
            }
        }
    }
    let (clip, cull) = (words(SystemValue::ClipDistance), words(SystemValue::CullDistance));
    let [layer, viewport] = [SystemValue::RenderTargetArrayIndex, SystemValue::ViewportArrayIndex]
        .map(|value| words(value).first().copied());
    for word in [layer, viewport].into_iter().flatten() {
        // Cuts keep the leading vertex's, whether or not a pixel shader reads it.
        modes[word] = Mode::Constant;
    }
    Ok(Outputs { rows, position, clip, cull, modes, is_read, layer, viewport })
}

/// A target for the output merger.
fn target_state(n: usize, state: &TargetState) -> Result<Target, DrawError> {
    let &TargetState { format, blend, logic, write_mask } = state;
    let refused = |what| Err(DrawError::TargetFormat { target: n, format, what });
    if !format.allows(Use::Target) {
        return refused("drawn to");
    }
    if blend.is_some() && !format.allows(Use::Blend) {
        return refused("blended");
    }
    let range = match format.encoding() {
        Encoding::Float => Range::Float,
        Encoding::Unorm | Encoding::Srgb => Range::Unorm,
        Encoding::Snorm => Range::Snorm,
        Encoding::Uint => Range::Uint,
        Encoding::Sint => Range::Sint,
        _ => return refused("drawn to"),
    };
    if logic.is_some() && range != Range::Uint {
        return refused("combined by a logic operation, as unsigned integers are");
    }
    let bits = format.fields().map(|field| field.map_or(0, |field| field.bits as u8));
    // What the format does not have is written for nothing, but need not be read.
    let lacks = (0..4).filter(|&n| format.fields()[n].is_none()).fold(0, |mask, n| mask | 1 << n);
    Ok(Target {
        output: n as u32,
        range,
        blend,
        logic: logic.map(|op| Logic { op, bits }),
        write_mask: if write_mask & 15 == 0 { 0 } else { (write_mask | lacks) & 15 },
    })
}
