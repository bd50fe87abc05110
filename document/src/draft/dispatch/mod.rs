//! A first document for a compute shader, in the short form: every register that it declares, with sizes to start from.
//!
//! What is bound follows from what the runtime finds declared, so that the document runs as it is. The names are from the
//! shader's resource definitions and stand in comments, free of whatever would end a comment.
//!
//! | file | what |
//! |---|---|
//! | `constants.rs` | the variables of a constant buffer |

mod constants;

use std::collections::BTreeSet;
use std::path::Path;

use brolga_bytecode::container::classes::ClassType;
use brolga_bytecode::info::{self, CounterUse, Info};
use brolga_runtime::{
    ClassInstance, Codegen, CompileOptions, Component, Declared, Device, Dimension, Engine, Error, Format,
    InstanceError, Limits, Register, ResourceKind, Shader, TextureShape, Unset,
};

use brolga_files::{Extent, FileForm, sides};

use crate::language::Source;

/// Texels along a side of a picture, and of a volume.
const SIDES: [u32; 2] = [256, 64];
/// Elements of a buffer, and about as many threads where nothing else tells how many.
const ELEMENTS: u32 = 1024;
/// Registers of a range that are bound; the rest of a longer one are left to the writer.
const REGISTERS: u32 = 64;
/// Letters of a name from the source that get into the name of a file.
const LONGEST: usize = 40;

/// What a document is drafted for.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The shader's file as the document shall name it.
    pub shader: &'a Path,
    /// What it is compiled from and for, where that file is HLSL.
    pub source: Option<&'a Source>,
    /// The compiled shader.
    pub container: &'a [u8],
    /// What the names of output files begin with.
    pub outputs: &'a str,
}

impl Draft<'_> {
    /// The document as TOML. Fails where the shader cannot run at all.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use brolga_bytecode::assembler::assemble;
    /// use brolga_document::{Document, Draft, Syntax};
    ///
    /// let text = "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 64, 1, 1\nret\n";
    /// let container = assemble(text, &Default::default()).unwrap().bytes;
    /// let draft = Draft { shader: Path::new("x.cso"), source: None, container: &container, outputs: "x" };
    /// let document = Document::parse("x.toml".into(), &draft.write(&Default::default()).unwrap(), Syntax::Toml).unwrap();
    /// assert_eq!(document.groups(), Some([16, 1, 1]));
    /// ```
    pub fn write(&self, limits: &Limits) -> Result<String, Error> {
        let device = Device::builder().limits(limits.clone()).threads(1).build()?;
        let (choices, shader) = self.compile(&device)?;
        shader.check_groups()?;
        let info = Info::read(self.container, &limits.file)?;
        let mut page = Page { info: &info.program, outputs: self.outputs, taken: BTreeSet::new(), out: String::new() };
        let group = shader.group_size();
        let grid = grid(shader.bindings()).unwrap_or_else(|| {
            let threads = group.map(u64::from).iter().product::<u64>().max(1);
            [u64::from(ELEMENTS).div_ceil(threads) as u32 * group[0], 1, 1]
        });
        let [x, y, z] = [0, 1, 2].map(|axis| grid[axis].div_ceil(group[axis].max(1)));
        let threads = [x * group[0], y * group[1], z * group[2]];
        page.line(&format!(
            "# A first document for a {} shader: say what it reads, and how much.",
            info.program.profile
        ));
        page.line(&format!("shader = {}", quoted(&self.shader.to_string_lossy())));
        if let Some(Source { profile, entry, .. }) = self.source {
            page.line(&format!("profile = {}", quoted(profile)));
            page.line(&format!("entry = {}", quoted(entry)));
        }
        let comment = format!("groups of {} threads: {} in all", by(group), by(threads));
        page.line(&with_comment(&format!("dispatch = [{x}, {y}, {z}]"), &comment));
        page.instances(&choices);
        for range in shader.bindings() {
            page.range(range);
        }
        Ok(page.out)
    }

    /// The shader, and what was chosen for its interface variables: the first that fits.
    fn compile(&self, device: &Device) -> Result<(Vec<Choice>, Shader), Error> {
        // Only the declarations are asked for: nothing runs.
        let mut options = CompileOptions::new(Engine::Interpreter).codegen(Codegen::Deferred);
        let unset = match device.compile(self.container, &options) {
            Err(Error::Instance(error)) => match *error {
                InstanceError::Unset { unset } => unset,
                error => return Err(Error::Instance(error.into())),
            },
            shader => return Ok((Vec::new(), shader?)),
        };
        let classes = Info::read(self.container, &device.limits().file)?.program.classes;
        let choices: Vec<Choice> = unset.into_iter().map(|unset| Choice::of(unset, &classes)).collect();
        for choice in &choices {
            options = options.instance(&choice.unset.variable, choice.instance.clone());
        }
        let shader = device.compile(self.container, &options)?;
        Ok((choices, shader))
    }
}

/// An interface variable and what it stands for.
struct Choice {
    unset: Unset,
    instance: ClassInstance,
    /// The instance as a document says it.
    text: String,
}

impl Choice {
    fn of(unset: Unset, classes: &[ClassType]) -> Self {
        if let Some(name) = unset.fits.first() {
            let (instance, text) = (name.as_str().into(), quoted(name));
            return Self { instance, text, unset };
        }
        let name = unset.classes.first().cloned().unwrap_or_default();
        let mut placed = ClassInstance::of_class(&name);
        let mut text = format!("{{ class = {}", quoted(&name));
        if let Some(class) = classes.iter().find(|class| class.name == name) {
            if class.vectors > 0 {
                placed = placed.constants(0, 0);
                text += ", constants = \"b0\", vector = 0";
            }
            if class.textures > 0 {
                placed = placed.texture(0);
                text += ", texture = \"t0\"";
            }
            if class.samplers > 0 {
                placed = placed.sampler(0);
                text += ", sampler = \"s0\"";
            }
        }
        Self { instance: placed.into(), text: text + " }", unset }
    }
}

/// A line and what there is to say of it, below what is said of others.
fn with_comment(line: &str, comment: &str) -> String {
    format!("{line:<35} # {comment}")
}

/// Threads along each axis that reach every texel of the first texture that is written.
fn grid(ranges: &[Declared]) -> Option<[u32; 3]> {
    ranges.iter().filter(|range| range.is_writable()).find_map(|range| match range.kind {
        ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer => {
            let mut sides: Vec<u32> = sides(dimension).iter().map(|side| length(dimension, *side)).collect();
            sides.reverse();
            sides.resize(3, 1);
            Some([sides[0], sides[1], sides[2]])
        }
        _ => None,
    })
}

/// A length to begin with.
fn length(dimension: Dimension, extent: Extent) -> u32 {
    match extent {
        Extent::Width | Extent::Height | Extent::Depth => SIDES[usize::from(dimension == Dimension::Texture3d)],
        Extent::Layers if dimension.is_cube() => 6,
        Extent::Layers | Extent::Samples => 4,
        Extent::Mips => 1,
    }
}

/// The job as it grows.
struct Page<'a> {
    info: &'a info::Program,
    outputs: &'a str,
    /// The names of output files so far.
    taken: BTreeSet<String>,
    out: String,
}

impl<'a> Page<'a> {
    fn line(&mut self, text: &str) {
        self.out
            .extend(text.chars().map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter }));
        self.out.push('\n');
    }

    fn instances(&mut self, choices: &[Choice]) {
        if choices.is_empty() {
            return;
        }
        self.out.push('\n');
        self.line("[instances]");
        for Choice { unset, text, .. } in choices {
            let others: Vec<&str> = unset.fits.iter().skip(1).map(String::as_str).collect();
            let others = match others.is_empty() {
                true => String::new(),
                false => format!(", or {}", others.join(", ")),
            };
            let interface = unset.interface.as_deref().unwrap_or("an interface");
            self.line(&with_comment(&format!("{} = {text}", key(&unset.variable)), &format!("{interface}{others}")));
        }
    }

    /// The registers of a range.
    fn range(&mut self, range: &Declared) {
        let count = range.count.unwrap_or(1);
        for n in 0..count.min(REGISTERS) {
            self.out.push('\n');
            self.register(range, range.register.index.saturating_add(n));
        }
        if range.count.is_none() {
            self.line(&format!("# {range} has no end: bind as many as the shader shall see"));
        } else if count > REGISTERS {
            self.line(&format!("# The same for the rest of {range}"));
        }
    }

    fn register(&mut self, range: &Declared, number: u32) {
        let register = Register { index: number, ..range.register };
        let known = self.known(register);
        let title = known.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        self.line(&format!("# {title}{}", range.kind));
        for line in known.elements.map_or(Vec::new(), constants::described) {
            self.line(&line);
        }
        match register.space {
            0 => self.line(&format!("[{register}]")),
            _ => self.line(&format!("[\"{register}\"]")),
        }
        match range.kind {
            ResourceKind::Constant { vectors } => {
                let lines = constants::content(vectors, known.constants);
                return lines.iter().for_each(|line| self.line(line));
            }
            ResourceKind::Sampler { compares } => {
                self.line(&format!("filter = \"{}linear\"", if compares { "comparison_" } else { "" }));
                self.line("address = \"clamp\"");
                return if compares {
                    self.line("comparison = \"less_equal\"")
                };
            }
            ResourceKind::Raw => self.line(&with_comment(&format!("size = {}", ELEMENTS * 4), "bytes")),
            ResourceKind::Structured { stride_bytes } => {
                self.line(&with_comment(&format!("count = {ELEMENTS}"), &format!("elements of {stride_bytes} bytes")));
            }
            ResourceKind::Typed { dimension, .. } => {
                self.line(&format!("format = \"{}\"", texels(range, &known)));
                let sides = sides(dimension).iter().rev().chain([&Extent::Samples]);
                let said = sides.filter(|side| match side {
                    _ if dimension == Dimension::Buffer => false,
                    Extent::Samples => dimension.is_multisampled(),
                    Extent::Height => !dimension.is_cube(),
                    Extent::Layers => dimension != Dimension::TextureCube,
                    _ => true,
                });
                said.for_each(|side| self.line(&format!("{} = {}", side.key(), length(dimension, *side))));
                if dimension == Dimension::Buffer {
                    self.line(&format!("count = {ELEMENTS}"));
                }
            }
        }
        if range.uses_counter {
            let first = if known.is_consumed { ELEMENTS } else { 0 };
            self.line(&with_comment(&format!("counter = {first}"), "the first value of the hidden counter"));
        }
        if !range.is_writable() {
            let file = if takes_picture(range.kind) { "photo.png" } else { "numbers.npy" };
            return self.line(&with_comment("fill = \"zero\"", &format!("or file = \"{file}\"")));
        }
        let ending = match range.kind {
            ResourceKind::Typed { dimension: Dimension::Texture2d, .. }
                if FileForm::Png.check(&TextureShape::texture_2d(texels(range, &known), 1, 1)).is_ok() =>
            {
                "png"
            }
            ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer => "dds",
            _ => "npy",
        };
        let file = quoted(&self.output(known.name.as_deref(), register, ending));
        self.line(&match known.is_appended {
            true => with_comment(&format!("save = {{ file = {file}, counted = true }}"), "what was appended"),
            false => format!("save = {file}"),
        });
    }

    /// What the file says of a register.
    fn known(&self, register: Register) -> Known<'a> {
        let info = self.info;
        let Some((binding, element)) = binding_of(info, register) else { return Known::default() };
        let name = binding.name.as_deref();
        let described = |kinds: &[&str]| {
            let mut all = info.constants.iter();
            all.find(|found| kinds.contains(&found.kind) && Some(found.name.as_str()) == name)
        };
        let digit = binding.format.chars().last().and_then(|last| last.to_digit(10));
        Known {
            name: name.map(|name| match binding.count {
                Some(1) => name.to_owned(),
                _ => format!("{name}[{element}]"),
            }),
            // Formats of one component have no digit; those of declarations are the same without their number.
            components: (name.is_some() && !binding.format.is_empty()).then(|| digit.unwrap_or(1)),
            is_appended: binding.counter == Some(CounterUse::Append),
            is_consumed: binding.counter == Some(CounterUse::Consume),
            constants: described(&["cbuffer"]),
            elements: described(&["elements"]),
        }
    }

    /// A name for the output of a register that no other has.
    fn output(&mut self, name: Option<&str>, register: Register, ending: &str) -> String {
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
        let name: String = name.unwrap_or("").chars().take(LONGEST).map(plain).collect();
        let register = register.to_string().replace(',', "_");
        let name = match name.trim_matches('_') {
            "" => format!("{}-{register}", self.outputs),
            name => format!("{}-{name}", self.outputs),
        };
        let name = if self.taken.contains(&name) { format!("{name}-{register}") } else { name };
        self.taken.insert(name.clone());
        format!("{name}.{ending}")
    }
}

/// What a file says of a register; nothing if it has no resource definitions.
#[derive(Default)]
struct Known<'a> {
    name: Option<String>,
    /// Components of its texels.
    components: Option<u32>,
    /// Elements are put into it.
    is_appended: bool,
    /// Elements are taken out of it.
    is_consumed: bool,
    /// The variables of a constant buffer.
    constants: Option<&'a info::Constants>,
    /// The elements of a structured buffer.
    elements: Option<&'a info::Constants>,
}

/// What resource definitions say of a register, and which element of it the register is.
pub(super) fn binding_of(info: &info::Program, register: Register) -> Option<(&info::Binding, u32)> {
    let letter = register.class.letter();
    info.bindings.iter().filter(|binding| binding.space == register.space).find_map(|binding| {
        let first: u32 = binding.register.strip_prefix(letter)?.parse().ok()?;
        let element = register.index.checked_sub(first)?;
        binding.count.is_none_or(|count| element < count).then_some((binding, element))
    })
}

/// Whether the texels of a picture become what the shader reads.
fn takes_picture(kind: ResourceKind) -> bool {
    let ResourceKind::Typed { dimension: Dimension::Texture2d, component } = kind else { return false };
    matches!(component, Component::Float | Component::Unorm | Component::Snorm)
}

/// A format that the shader can use. Where it has a choice, buffers have the numbers of the source, and textures what a
/// picture has.
fn texels(range: &Declared, known: &Known<'_>) -> Format {
    let ResourceKind::Typed { dimension, component } = range.kind else { return Format::R32_UINT };
    let is_scalar = range.uses_texel_atomics || range.uses_texel_exchange;
    let components = if is_scalar { Some(1) } else { known.components };
    match (component, components) {
        // A double is two words.
        (Component::Double, _) => Format::R32G32_UINT,
        (Component::Uint | Component::Mixed, Some(1) | None) => Format::R32_UINT,
        (Component::Uint | Component::Mixed, Some(2)) => Format::R32G32_UINT,
        (Component::Uint | Component::Mixed, _) => Format::R32G32B32A32_UINT,
        (Component::Sint, Some(1) | None) => Format::R32_SINT,
        (Component::Sint, Some(2)) => Format::R32G32_SINT,
        (Component::Sint, _) => Format::R32G32B32A32_SINT,
        (Component::Unorm, _) => Format::R8G8B8A8_UNORM,
        (Component::Snorm, _) => Format::R8G8B8A8_SNORM,
        (Component::Float, Some(1)) => Format::R32_FLOAT,
        (Component::Float, Some(2)) => Format::R32G32_FLOAT,
        (Component::Float, _) if dimension == Dimension::Buffer => Format::R32G32B32A32_FLOAT,
        (Component::Float, _) => Format::R8G8B8A8_UNORM,
    }
}

fn by(counts: [u32; 3]) -> String {
    counts.map(|count| count.to_string()).join(" x ")
}

/// A text as TOML has it: on one line, as keys have to be, and without letters that would only be seen by what they do.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            _ if letter.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(letter))),
            _ => out.push(letter),
        }
    }
    out + "\""
}

/// A key as TOML has it: without quotes where it can be.
fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}
