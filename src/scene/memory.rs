//! A scene's resources on a device, and how registers see them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use brolga_bytecode::sm5::Stage;
use brolga_runtime::format::Use;
use brolga_runtime::{
    BindingRules, Bindings, Buffer, CancelToken, Device, Dimension, Format, Register, ResourceClass, Texture, View,
};

use super::content::{Content, Form, texel_format};
use super::direct3d9;
use super::document;
use super::error::{Problem, SceneError, find};
use super::names::{Kind, Named, Reference};
use super::sections::Document;
use crate::files::{FileProblem, Stored};
use crate::raster::TextureFormat;

/// What a resource is on a device.
#[derive(Clone, Debug)]
pub(super) enum Memory {
    Buffer(Buffer),
    Texture(Texture),
}

impl Memory {
    /// All of its bytes.
    pub fn bytes(&self) -> &Buffer {
        match self {
            Memory::Buffer(buffer) => buffer,
            Memory::Texture(texture) => texture.buffer(),
        }
    }
}

/// What is drawn to a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Color,
    Depth,
}

/// A scene's resources.
pub(super) struct World<'a> {
    document: &'a Document,
    memory: BTreeMap<&'a str, Memory>,
}

impl<'a> World<'a> {
    /// Makes them, with what they hold at first, unless the token is cancelled.
    pub fn new(
        device: &Device,
        document: &'a Document,
        contents: &'a BTreeMap<String, Content>,
        cancel: &CancelToken,
    ) -> Result<Self, SceneError> {
        let mut memory = BTreeMap::new();
        for (name, content) in contents {
            let failed = |error| SceneError::new(format!("resources.{name}"), Problem::Run(error));
            let made = match content.form {
                Form::Buffer { size_bytes } => Memory::Buffer(device.buffer(size_bytes).map_err(failed)?),
                Form::Texture(shape) => Memory::Texture(device.texture(shape).map_err(failed)?),
            };
            if let Some(bytes) = &content.bytes {
                bytes.copy_to(made.bytes(), cancel).map_err(|problem| match (problem, bytes) {
                    (FileProblem::Runtime(error), _) => failed(error),
                    (problem, bytes) => {
                        let file = if let Stored::File(part) = bytes { part.path.clone() } else { PathBuf::new() };
                        SceneError::new(format!("resources.{name}"), Problem::of_file(file, problem, cancel))
                    }
                })?;
            }
            memory.insert(name.as_str(), made);
        }
        Ok(Self { document, memory })
    }

    /// A resource by its name, which stands at a place.
    pub fn find(&self, name: &str, place: impl Fn() -> String) -> Result<&Memory, SceneError> {
        find(&self.memory, "resource", name, place)
    }

    /// A buffer by its name.
    pub fn buffer(&self, name: &str, place: impl Fn() -> String) -> Result<Buffer, SceneError> {
        match self.find(name, &place)? {
            Memory::Buffer(buffer) => Ok(buffer.clone()),
            Memory::Texture(_) => Err(SceneError::value(place(), format!("`{name}` is a texture, not a buffer"))),
        }
    }

    /// What a draw, or a clear, changes: a level of a texture, and a layer of it or all.
    pub fn target(&self, reference: &Reference, place: impl Fn() -> String) -> Result<View, SceneError> {
        if reference.mips.is_some_and(|mips| mips != 1) {
            let message = "a target is one level: `mip` says which, and `mips` can only be 1";
            return Err(SceneError::value(format!("{}.mips", place()), message));
        }
        self.levels(&Reference { mips: Some(1), ..reference.clone() }, place)
    }

    /// What a draw, or a clear, changes as colours or as depths, if its format is one for that.
    pub fn target_of(&self, role: Role, reference: &Reference, place: impl Fn() -> String) -> Result<View, SceneError> {
        self.check_role(role, &reference.resource, &place)?;
        self.target(reference, place)
    }

    /// Checks that colours, or depths, can be drawn to a resource. What Direct3D 11 has besides depths is left to its pipelines.
    pub fn check_role(&self, role: Role, name: &str, place: impl Fn() -> String) -> Result<(), SceneError> {
        let format = self.texture(name, &place)?.shape().format;
        let is_direct3d9 = self.document.is_direct3d9;
        let is_right = |format: Format| match role {
            Role::Depth => format.allows(Use::DepthStencil),
            Role::Color => format.allows(Use::Target) && !format.encoding().is_integer(),
        };
        let is_checked = is_direct3d9 || role == Role::Color && format.allows(Use::DepthStencil);
        if is_right(format) || !is_checked {
            return Ok(());
        }
        let message = match is_direct3d9 {
            false => format!("`{name}` has format {format}, which is one of depth buffers: a draw names it as `depth`"),
            true => {
                let all = TextureFormat::all().filter(|(_, format)| is_right(format.stored));
                let known = all.map(|(name, _)| name).collect::<Vec<_>>().join(", ");
                let what = if role == Role::Color { "a render target" } else { "a depth buffer" };
                format!(
                    "`{name}` has format {}, which {what} cannot have: it has one of {known}",
                    self.format_name(name)
                )
            }
        };
        Err(SceneError::value(place(), message))
    }

    /// The name of a texture's format in the scene's API.
    fn format_name(&self, name: &str) -> &'static str {
        let said = self.document.resources.get(name).and_then(|resource| resource.format);
        let stored = self.memory.get(name).and_then(|memory| match memory {
            Memory::Texture(texture) => Some(texture.shape().format),
            Memory::Buffer(_) => None,
        });
        said.map_or(stored.map_or("", Format::name), |Named(format)| format.name)
    }

    /// Levels of a texture, and a layer of it or all.
    pub fn levels(&self, reference: &Reference, place: impl Fn() -> String) -> Result<View, SceneError> {
        let texture = self.texture(&reference.resource, &place)?;
        let kind = match reference.view.unwrap_or(self.document.resources[&reference.resource].kind) {
            // Faces are layers.
            Kind::Texturecube => Kind::Texture2darray,
            kind => kind,
        };
        let view = texture_view(&texture, kind, reference);
        view.and_then(|view| along_curve(view, reference)).map_err(|error| SceneError::new(place(), error))
    }

    /// A texture by its name.
    pub fn texture(&self, name: &str, place: impl Fn() -> String) -> Result<Texture, SceneError> {
        match self.find(name, &place)? {
            Memory::Texture(texture) => Ok(texture.clone()),
            Memory::Buffer(_) => Err(SceneError::value(place(), format!("`{name}` is a buffer, not a texture"))),
        }
    }

    /// All textures, by name.
    pub fn textures(&self) -> impl Iterator<Item = (&'a str, &Texture)> {
        self.memory.iter().filter_map(|(name, memory)| match memory {
            Memory::Texture(texture) => Some((*name, texture)),
            Memory::Buffer(_) => None,
        })
    }

    /// What a step binds, under the rules of Direct3D.
    pub fn bindings(
        &self,
        place: &str,
        stage: Stage,
        bind: &BTreeMap<String, Reference>,
    ) -> Result<Bindings, SceneError> {
        let mut bindings = Bindings::with_rules(BindingRules::DIRECT3D);
        for (slot, reference) in bind {
            let place = || format!("{place}.bind.{}", self.written(stage, slot));
            let register: Register =
                slot.parse().map_err(|error| SceneError::value(place(), format!("`{slot}`: {error}")))?;
            bindings.set(register, self.view(register.class, reference, place)?);
        }
        Ok(bindings)
    }

    /// Whether the scene is one of Direct3D 9.
    pub fn is_direct3d9(&self) -> bool {
        self.document.is_direct3d9
    }

    /// How the scene calls a register of a shader.
    pub fn written(&self, stage: Stage, register: &str) -> String {
        direct3d9::written(self.document.is_direct3d9, stage, register)
    }

    fn view(
        &self,
        class: ResourceClass,
        reference: &Reference,
        place: impl Fn() -> String,
    ) -> Result<View, SceneError> {
        let name = &reference.resource;
        if class == ResourceClass::Sampler {
            let sampler = find(&self.document.samplers, "sampler", name, &place)?;
            return View::sampler(sampler.state()).map_err(|error| SceneError::new(place(), error));
        }
        let memory = self.find(name, &place)?;
        let resource = &self.document.resources[name];
        let kind = reference.view.unwrap_or(resource.kind);
        let view = match memory {
            Memory::Texture(texture) => texture_view(texture, kind, reference)
                .and_then(|view| match resource.format {
                    Some(Named(format)) if format.sampled != format.stored => view.with_format(format.sampled),
                    _ => Ok(view),
                })
                .and_then(|view| along_curve(view, reference)),
            Memory::Buffer(_) if !(Reference { view: None, ..reference.clone() }).is_whole() => {
                return Err(SceneError::value(
                    place(),
                    format!("`{name}` is a buffer, which has no levels and layers"),
                ));
            }
            Memory::Buffer(buffer) => match kind {
                _ if class == ResourceClass::Constant => View::constant(buffer.clone()),
                Kind::Structured => {
                    let stride = super::content::needed(&format!("resources.{name}"), "stride", resource.stride)?;
                    View::structured(buffer.clone(), stride)
                }
                Kind::Typed => View::typed(buffer.clone(), texel_format(&format!("resources.{name}"), resource)?),
                _ => View::raw(buffer.clone()),
            },
        };
        view.map_err(|error| SceneError::new(place(), error))
    }
}

/// A texture, or a part of it, as a kind.
fn texture_view(texture: &Texture, kind: Kind, reference: &Reference) -> Result<View, brolga_runtime::ResourceError> {
    let mut view = View::texture(texture.clone());
    // Depths are read as numbers.
    match texture.shape().format {
        Format::D32_FLOAT => view = view.with_format(Format::R32_FLOAT)?,
        Format::D16_UNORM => view = view.with_format(Format::R16_UNORM)?,
        _ => {}
    }
    let dimension = match kind {
        Kind::Texture1d => Dimension::Texture1d,
        Kind::Texture2darray => Dimension::Texture2dArray,
        Kind::Texture3d => Dimension::Texture3d,
        Kind::Texturecube => Dimension::TextureCube,
        _ => Dimension::Texture2d,
    };
    view = view.with_dimension(dimension)?;
    if let Some(layer) = reference.layer {
        view = view.with_layers(layer, 1)?;
    }
    if reference.mip.is_some() || reference.mips.is_some() {
        let first = reference.mip.unwrap_or(0);
        view = view.with_mips(first, reference.mips.unwrap_or(texture.shape().mips.saturating_sub(first)))?;
    }
    Ok(view)
}

/// The same with colours along the sRGB curve, if the reference says so and there is a format for that.
fn along_curve(view: View, reference: &Reference) -> Result<View, brolga_runtime::ResourceError> {
    match view.format().filter(|_| reference.is_srgb).and_then(Format::srgb) {
        Some(format) => view.with_format(format),
        None => Ok(view),
    }
}

impl document::Sampler {
    pub fn state(&self) -> brolga_runtime::Sampler {
        let plain = brolga_runtime::Sampler::default();
        brolga_runtime::Sampler {
            filter: self.filter,
            address: self.address.unwrap_or(plain.address),
            level_bias: self.mip_lod_bias.unwrap_or(plain.level_bias),
            min_level: self.min_lod.unwrap_or(plain.min_level),
            max_level: self.max_lod.unwrap_or(plain.max_level),
            max_anisotropy: self.max_anisotropy.unwrap_or(plain.max_anisotropy),
            comparison: self.comparison.unwrap_or(plain.comparison),
            border: self.border.unwrap_or(plain.border),
        }
    }
}
