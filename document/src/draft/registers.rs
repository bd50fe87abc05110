//! Writes the tables of resources and samplers that the registers of shaders are bound to in a drafted document.

use brolga_bytecode::info::{self, CounterUse};
use brolga_files::{Extent, FileForm, sides};
use brolga_runtime::{Component, Declared, Dimension, Format, Register, ResourceKind, TextureShape};

use super::constants;
use super::first_values::{Seen, Words};
use super::page::{Page, with_comment};
use super::part::Part;
use crate::language::TextResource;
use crate::model::registers::written;
use crate::schema::is_free;
use crate::text::{key, quoted};

/// Elements of a buffer, and about as many threads where nothing else tells how many.
pub(super) const ELEMENTS: u32 = 1024;
/// Texels along a side of textures that draws read: squares of two colours.
const SQUARES: u32 = 4;
/// Samples of a texel, where the shader does not say how many.
pub(super) const SAMPLES: u32 = 4;
/// The most that a texture can have.
const MOST_SAMPLES: u32 = 16;

/// The form of the document.
pub(super) enum Form<'a> {
    /// A dispatch.
    Short {
        /// Texels along a side of a picture; a volume has fewer.
        side: u32,
        /// The value of constants that the source gives none.
        ones: Option<Seen<'a>>,
    },
    /// A draw, from which something shall be seen.
    Draw(Seen<'a>),
}

/// Texels along a side of a picture, unless the shader takes long for so many.
pub(super) const MOST_SIDE: u32 = 256;

/// A register that is bound.
pub(super) struct Slot<'a> {
    pub register: Register,
    declared: &'a Declared,
    part: &'a Part,
    /// The other shader of a draw, if it has the register too, and what it says of it.
    other: Option<(&'a Part, &'a Declared)>,
}

/// The registers of a range, as many at most.
pub(super) fn slots<'a>(part: &'a Part, declared: &'a Declared, most: u32) -> Vec<Slot<'a>> {
    let register = |n| Register { index: declared.register.index.saturating_add(n), ..declared.register };
    let count = declared.count.unwrap_or(1).min(most);
    (0..count).map(|n| Slot { register: register(n), declared, part, other: None }).collect()
}

impl<'a> Slot<'a> {
    /// The name in the document, of the register and of what is bound there. A resource in WGSL has its own, unless that
    /// would mean something else.
    pub fn name(&self) -> String {
        if let (Some(_), Some(name)) = (&self.part.text, self.known().name)
            && is_free(&name)
        {
            return name;
        }
        written(self.part.is_direct3d9(), self.part.info.stage, &self.register.to_string())
    }

    /// Makes one of it and the same register of another shader; `None` if they cannot be one.
    pub fn join(&mut self, other: &Slot<'a>) -> Option<()> {
        let kinds = [self.declared.kind, other.declared.kind];
        let is_constant = kinds.iter().all(|kind| matches!(kind, ResourceKind::Constant { .. }));
        self.other = Some((other.part, other.declared));
        (is_constant || kinds[0] == kinds[1]).then_some(())
    }

    /// Its description, for messages.
    pub fn kind(&self) -> String {
        self.declared.kind.to_string()
    }

    /// The samples of a texel of a multisampled texture: as many as a shader says, if a texture can have them.
    fn samples(&self) -> u32 {
        let parts = [Some(self.part), self.other.map(|(part, _)| part)];
        let said = parts.into_iter().flatten().find_map(|part| part.binding(self.register)?.0.samples);
        said.filter(|samples| *samples <= MOST_SAMPLES && samples.is_power_of_two()).unwrap_or(SAMPLES)
    }

    /// What a text says of it.
    fn text(&self) -> Option<&'a TextResource> {
        self.part.text.as_ref()?.resource(self.register)
    }

    fn known(&self) -> Known<'a> {
        let Some((binding, element)) = self.part.binding(self.register) else { return Known::default() };
        let name = binding.name.as_deref();
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
            elements: self.part.described(self.register, "elements"),
        }
    }
}

/// A length to begin with.
pub(super) fn length(form: &Form<'_>, dimension: Dimension, extent: Extent) -> u32 {
    match extent {
        Extent::Mips => 1,
        Extent::Layers if dimension.is_cube() => 6,
        Extent::Layers => 4,
        Extent::Samples => SAMPLES,
        Extent::Width | Extent::Height | Extent::Depth => match form {
            Form::Short { side, .. } if dimension == Dimension::Texture3d => side.div_ceil(4),
            Form::Short { side, .. } => *side,
            Form::Draw(_) => SQUARES,
        },
    }
}

impl Page<'_> {
    /// The table of a register.
    pub fn slot(&mut self, slot: &Slot<'_>, form: &Form<'_>) {
        let Slot { register, declared, .. } = *slot;
        let (known, name) = (slot.known(), slot.name());
        let title = match slot.part.text {
            Some(_) => format!("@group({}) @binding({}): ", register.space, register.index),
            None => known.name.as_ref().map_or(String::new(), |name| format!("{name}: ")),
        };
        self.table(&format!("# {title}{}", declared.kind));
        self.lines(known.elements.map_or(Vec::new(), constants::described));
        let table = match (form, declared.kind) {
            (Form::Short { .. }, _) => "",
            (_, ResourceKind::Sampler { .. }) => "samplers.",
            _ => "resources.",
        };
        self.line(&format!("[{table}{}]", key(&name)));
        match declared.kind {
            ResourceKind::Constant { vectors } => return self.constants(slot, vectors, form),
            ResourceKind::Sampler { compares } => return self.sampler(slot.part.is_direct3d9(), compares, form),
            ResourceKind::Raw => {
                self.kind("raw", form);
                let [before, stride] = slot.text().map_or([0, 4], |said| said.bytes);
                let bytes = stride.saturating_mul(ELEMENTS).saturating_add(before).max(4);
                let comment = match stride {
                    0 => "bytes".to_owned(),
                    4 if slot.text().is_none() => "bytes".to_owned(),
                    _ => format!("bytes: {ELEMENTS} elements of {stride}"),
                };
                self.line(&with_comment(&format!("size = {bytes}"), &comment));
            }
            ResourceKind::Structured { stride_bytes } => {
                self.kind("structured", form);
                self.line(&with_comment(&format!("count = {ELEMENTS}"), &format!("elements of {stride_bytes} bytes")));
            }
            ResourceKind::Typed { dimension, .. } => self.texels(slot, &known, dimension, form),
        }
        if declared.uses_counter {
            let first = if known.is_consumed { ELEMENTS } else { 0 };
            self.line(&with_comment(&format!("counter = {first}"), "the first value of the hidden counter"));
        }
        if !declared.is_writable() {
            let file = if takes_picture(declared.kind) { "photo.png" } else { "numbers.npy" };
            match (form, texels(slot, &known)) {
                // A checked pattern, or white; other formats begin with zeros.
                (Form::Draw(_), Format::R8G8B8A8_UNORM) => {
                    let ResourceKind::Typed { dimension, .. } = declared.kind else { return };
                    self.squares(slot, dimension, form);
                }
                (Form::Draw(_), Format::R32_FLOAT | Format::R32G32_FLOAT | Format::R32G32B32A32_FLOAT) => {
                    self.line("fill = { f32 = 1.0 }");
                }
                _ => self.line(&with_comment("fill = \"zero\"", &format!("or file = \"{file}\""))),
            }
            return;
        }
        let ending = match declared.kind {
            ResourceKind::Typed { dimension: Dimension::Texture2d, .. }
                if FileForm::Png.check(&TextureShape::texture_2d(texels(slot, &known), 1, 1)).is_ok() =>
            {
                "png"
            }
            ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer => "dds",
            _ => "npy",
        };
        let file = quoted(&self.output(known.name.as_deref(), &register.to_string(), ending));
        self.line(&match known.is_appended {
            true => with_comment(&format!("save = {{ file = {file}, counted = true }}"), "what was appended"),
            false => format!("save = {file}"),
        });
    }

    /// Texels that are squares of two colours. The samples of one are alike: so the squares are seen by whichever a shader
    /// reads.
    fn squares(&mut self, slot: &Slot<'_>, dimension: Dimension, form: &Form<'_>) {
        let sides = sides(dimension).iter().map(|side| length(form, dimension, *side));
        let count = if dimension == Dimension::Buffer { SQUARES } else { sides.product() };
        let samples = if dimension.is_multisampled() { slot.samples() as usize } else { 1 };
        let texel = |n: u32| if (n + n / SQUARES).is_multiple_of(2) { "0xffffffff" } else { "0xff808080" };
        let words: Vec<_> = (0..count).flat_map(|n| std::iter::repeat_n(texel(n), samples)).collect();
        match samples {
            1 => self.line(&format!("u32 = [{}]", words.join(", "))),
            _ => {
                self.line("u32 = [");
                self.lines(words.chunks(SQUARES as usize * samples).map(|row| format!("    {},", row.join(", "))));
                self.line("]");
            }
        }
    }

    /// Its kind, if the shader does not say it.
    fn kind(&mut self, name: &str, form: &Form<'_>) {
        if matches!(form, Form::Draw(_)) {
            self.line(&format!("kind = \"{name}\""));
        }
    }

    fn constants(&mut self, slot: &Slot<'_>, vectors: u32, form: &Form<'_>) {
        self.kind("constant", form);
        let described = slot.part.described(slot.register, "cbuffer");
        let (mut words, mut all) = (Words::defaults(vectors, described), vectors);
        if let Form::Draw(seen) | Form::Short { ones: Some(seen), .. } = form {
            words = Words::shown(vectors, slot.register.index, slot.part, described, seen);
            if let Some((part, Declared { kind: ResourceKind::Constant { vectors }, .. })) = slot.other {
                let described = part.described(slot.register, "cbuffer");
                words.followed_by(&Words::shown(*vectors, slot.register.index, part, described, seen));
                all = all.max(*vectors);
            }
        }
        self.lines(constants::content(all, described, &words));
    }

    fn sampler(&mut self, is_direct3d9: bool, compares: bool, form: &Form<'_>) {
        if is_direct3d9 {
            return self.lines(["mag = \"LINEAR\"", "min = \"LINEAR\""]);
        }
        self.line(&format!("filter = \"{}linear\"", if compares { "comparison_" } else { "" }));
        let wraps = matches!(form, Form::Draw(_)) && !compares;
        self.line(if wraps { "address = \"wrap\"" } else { "address = \"clamp\"" });
        if compares {
            self.line("comparison = \"less_equal\"");
        }
    }

    /// A texture, or a buffer of texels.
    fn texels(&mut self, slot: &Slot<'_>, known: &Known<'_>, dimension: Dimension, form: &Form<'_>) {
        self.kind(if dimension == Dimension::Buffer { "typed" } else { dimension.name() }, form);
        let is_sampled9 = slot.part.is_direct3d9();
        let format = texels(slot, known);
        self.line(&format!("format = \"{}\"", if is_sampled9 { "A8R8G8B8" } else { format.name() }));
        let sides = sides(dimension).iter().rev().chain([&Extent::Samples]);
        let said = sides.filter(|side| match side {
            _ if dimension == Dimension::Buffer => false,
            Extent::Samples => dimension.is_multisampled(),
            Extent::Height => !dimension.is_cube(),
            Extent::Layers => dimension != Dimension::TextureCube,
            _ => true,
        });
        let length = |side| if side == Extent::Samples { slot.samples() } else { length(form, dimension, side) };
        said.for_each(|side| self.line(&format!("{} = {}", side.key(), length(*side))));
        if dimension == Dimension::Buffer {
            self.line(&format!("count = {ELEMENTS}"));
        }
    }
}

/// The resource definitions of a register; nothing if the file has none.
#[derive(Default)]
struct Known<'a> {
    name: Option<String>,
    /// Components of its texels.
    components: Option<u32>,
    /// Elements are put into it.
    is_appended: bool,
    /// Elements are taken out of it.
    is_consumed: bool,
    /// The elements of a structured buffer.
    elements: Option<&'a info::Constants>,
}

/// `true` if the texels of a picture become what the shader reads.
fn takes_picture(kind: ResourceKind) -> bool {
    let ResourceKind::Typed { dimension: Dimension::Texture2d, component } = kind else { return false };
    matches!(component, Component::Float | Component::Unorm | Component::Snorm)
}

/// A format that the shader can use. Where it has a choice, buffers have the numbers of the source, and textures what a
/// picture has.
fn texels(slot: &Slot<'_>, known: &Known<'_>) -> Format {
    if let Some(format) = slot.text().and_then(|said| said.format) {
        return format;
    }
    let declared = slot.declared;
    let ResourceKind::Typed { dimension, component } = declared.kind else { return Format::R32_UINT };
    let is_scalar = [Some(declared), slot.other.map(|(_, other)| other)]
        .iter()
        .flatten()
        .any(|one| one.uses_texel_atomics || one.uses_texel_exchange);
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
