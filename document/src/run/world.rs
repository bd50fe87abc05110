//! Creates a document's resources on a device, and views of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use brolga_files::{self as files, Bytes, FileProblem};
use brolga_runtime::format::{TextureFormat, Use};
use brolga_runtime::{
    BindingRules, Bindings, Buffer, CancelToken, Counter, Device, Dimension, Error, Format, Register, ResourceClass,
    ResourceError, Texture, View,
};

use crate::error::{Fault, Problem};
use crate::model::resource::{Kind, Reference, ViewKeys};
use crate::model::step::Bind;
use crate::model::{Model, find};
use crate::prepare::Prepared;
use crate::prepare::load::LoadedContent;
use crate::text::Span;

use super::samples;

/// The memory of a resource on a device.
#[derive(Clone, Debug)]
pub(crate) enum ResourceMemory {
    Buffer(Buffer),
    Texture(Texture),
}

impl ResourceMemory {
    /// Its content, as documents have it.
    pub fn content(&self, stop: &dyn Fn() -> bool) -> Result<Bytes, ResourceError> {
        match self {
            ResourceMemory::Texture(texture) if texture.shape().samples > 1 => {
                samples::to_texels(texture.buffer(), texture.shape(), stop).map(Bytes::Owned)
            }
            _ => Ok(Bytes::Buffer(self.bytes().clone())),
        }
    }

    /// All of its bytes.
    pub fn bytes(&self) -> &Buffer {
        match self {
            ResourceMemory::Buffer(buffer) => buffer,
            ResourceMemory::Texture(texture) => texture.buffer(),
        }
    }
}

/// The role of a texture as a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Color,
    Depth,
}

/// The resources of a document.
#[derive(Debug)]
pub(crate) struct World<'a> {
    prepared: &'a Prepared,
    memory: BTreeMap<&'a str, ResourceMemory>,
    counters: BTreeMap<&'a str, Counter>,
}

impl<'a> World<'a> {
    /// Creates the resources with their initial content, unless the token is cancelled. `own` returns existing memory
    /// for a resource, all zeros, if it has any.
    pub fn new(
        device: &Device,
        prepared: &'a Prepared,
        cancel: &CancelToken,
        own: &dyn Fn(&str) -> Result<Option<Buffer>, Fault>,
    ) -> Result<Self, Fault> {
        let mut world = Self { prepared, memory: BTreeMap::new(), counters: BTreeMap::new() };
        for (name, loaded) in &prepared.loaded {
            let resource = &prepared.document.model.resources[name];
            let failed = |error| world.refused(name, error);
            let buffer = match (&loaded.content, own(name)?) {
                (LoadedContent::Mapped(part), _) => part.map().map_err(|error| failed(error.into()))?,
                (_, Some(buffer)) => buffer,
                (content, None) => device.buffer(content.size_bytes()).map_err(failed)?,
            };
            let memory = match loaded.kind {
                Kind::Texture(shape) => {
                    ResourceMemory::Texture(Texture::new(buffer, shape).map_err(|error| failed(error.into()))?)
                }
                _ => ResourceMemory::Buffer(buffer),
            };
            if let (ResourceMemory::Texture(texture), LoadedContent::Mapped(_)) = (&memory, &loaded.content)
                && texture.shape().samples > 1
            {
                return Err((Problem::unsupported("mapped textures of several samples are"), world.span(name)));
            }
            world.fill(name, &memory, &loaded.content, cancel)?;
            world.memory.insert(name, memory);
            if let Some(first) = resource.counter {
                world.counters.insert(name, Counter::new(first));
            }
        }
        Ok(world)
    }

    /// Restores the initial content of everything that steps may write.
    pub fn reset(&self) -> Result<(), Fault> {
        let never = CancelToken::new();
        for name in &self.prepared.written {
            let (Some(memory), Some(loaded)) = (self.memory.get(name.as_str()), self.prepared.loaded.get(name)) else {
                continue;
            };
            let buffer = memory.bytes();
            if !matches!(loaded.content, LoadedContent::Bytes(_) | LoadedContent::File(_) | LoadedContent::Fill(..)) {
                let cleared = buffer.fill_until(0..buffer.size_bytes(), &[0], &|| false);
                cleared.map_err(|error| self.refused(name, error.into()))?;
            }
            self.fill(name, memory, &loaded.content, &never)?;
            if let (Some(counter), Some(first)) =
                (self.counters.get(name.as_str()), self.model().resources[name].counter)
            {
                counter.set(first);
            }
        }
        Ok(())
    }

    /// Writes content to a resource of zeros.
    fn fill(
        &self,
        name: &str,
        memory: &ResourceMemory,
        content: &LoadedContent,
        cancel: &CancelToken,
    ) -> Result<(), Fault> {
        let buffer = memory.bytes();
        let written = match content {
            LoadedContent::Zeros(_) | LoadedContent::Mapped(_) => return Ok(()),
            LoadedContent::Bytes(bytes) => files::write(buffer, 0, bytes, cancel),
            LoadedContent::Fill(bytes, _) => {
                buffer.fill_until(0..buffer.size_bytes(), bytes, &|| cancel.is_cancelled()).map_err(FileProblem::from)
            }
            LoadedContent::Values(runs, _) => {
                runs.iter().try_for_each(|run| files::write(buffer, run.byte, &run.bytes, cancel))
            }
            LoadedContent::File(part) => part.copy_to(buffer, 0, cancel),
        };
        let written = match memory {
            ResourceMemory::Texture(texture) if texture.shape().samples > 1 => written.and_then(|()| {
                let planes = samples::to_planes(buffer, texture.shape(), &|| cancel.is_cancelled())?;
                files::write(buffer, 0, &planes, cancel)
            }),
            _ => written,
        };
        written.map_err(|problem| match (problem, content) {
            (FileProblem::Runtime(error), _) => self.refused(name, error),
            (problem, content) => {
                let path = if let LoadedContent::File(part) = content { part.path.clone() } else { PathBuf::new() };
                (Problem::of_file(path, problem, cancel), self.span(name))
            }
        })
    }

    fn span(&self, name: &str) -> Span {
        self.model().resources.get(name).map_or(0..0, |resource| resource.span.clone())
    }

    /// Reports an error about the memory of a resource at that resource.
    fn refused(&self, name: &str, error: Error) -> Fault {
        let label = self.model().label(name);
        let problem = match error {
            Error::Resource(error) => Problem::Resource { label, error },
            error => error.into(),
        };
        (problem, self.span(name))
    }

    pub fn model(&self) -> &'a Model {
        &self.prepared.document.model
    }

    /// A resource by its name, which is at `span`.
    pub fn find(&self, name: &str, span: &Span) -> Result<&ResourceMemory, Fault> {
        find(&self.model().resources, "resource", name, span)?;
        self.memory.get(name).ok_or_else(|| (Problem::value(format!("`{name}` has no memory")), span.clone()))
    }

    /// A resource by its name, and its hidden counter.
    pub fn memory(&self, name: &str) -> Option<(&ResourceMemory, Option<&Counter>)> {
        Some((self.memory.get(name)?, self.counters.get(name)))
    }

    /// A buffer by its name.
    pub fn buffer(&self, name: &str, span: &Span) -> Result<Buffer, Fault> {
        match self.find(name, span)? {
            ResourceMemory::Buffer(buffer) => Ok(buffer.clone()),
            ResourceMemory::Texture(_) => {
                Err((Problem::value(format!("`{name}` is a texture, not a buffer")), span.clone()))
            }
        }
    }

    /// A texture by its name.
    pub fn texture(&self, name: &str, span: &Span) -> Result<Texture, Fault> {
        match self.find(name, span)? {
            ResourceMemory::Texture(texture) => Ok(texture.clone()),
            ResourceMemory::Buffer(_) => {
                Err((Problem::value(format!("`{name}` is a buffer, not a texture")), span.clone()))
            }
        }
    }

    /// All textures, by name.
    pub fn textures(&self) -> impl Iterator<Item = (&'a str, &Texture)> {
        self.memory.iter().filter_map(|(name, memory)| match memory {
            ResourceMemory::Texture(texture) => Some((*name, texture)),
            ResourceMemory::Buffer(_) => None,
        })
    }

    /// The target of a draw or a clear: a level of a texture, and a layer of it or all.
    pub fn target(&self, reference: &Reference) -> Result<View, Fault> {
        if reference.view.mips.is_some_and(|mips| mips != 1) {
            let message = "a target is one level: `mip` says which, and `mips` can only be 1";
            return Err((Problem::value(message), reference.span.clone()));
        }
        self.levels(&Reference { view: ViewKeys { mips: Some(1), ..reference.view }, ..reference.clone() })
    }

    /// The target of a draw or a clear for colours or for depths, if its format is one for that.
    pub fn target_of(&self, role: Role, reference: &Reference) -> Result<View, Fault> {
        self.check_role(role, reference)?;
        self.target(reference)
    }

    /// Checks that colours, or depths, can be drawn to a resource. Direct3D 11's formats for colours are checked by its
    /// pipelines.
    pub fn check_role(&self, role: Role, Reference { resource: name, span, .. }: &Reference) -> Result<(), Fault> {
        let format = self.texture(name, span)?.shape().format;
        let is_direct3d9 = self.model().is_direct3d9;
        let is_right = |format: Format| match role {
            Role::Depth => format.allows(Use::DepthStencil),
            Role::Color if is_direct3d9 => format.allows(Use::Target) && !format.encoding().is_integer(),
            Role::Color => !format.allows(Use::DepthStencil),
        };
        if is_right(format) {
            return Ok(());
        }
        let message = match (is_direct3d9, role) {
            (false, Role::Color) => {
                format!("`{name}` has format {format}, which is one of depth buffers: a draw names it as `depth`")
            }
            _ => {
                let of_direct3d9 = TextureFormat::all().map(|(name, format)| (name, format.stored));
                let all = Format::ALL.iter().map(|format| (format.name(), *format));
                let all: Vec<_> = if is_direct3d9 { of_direct3d9.collect() } else { all.collect() };
                let known = all.into_iter().filter(|(_, format)| is_right(*format)).map(|(name, _)| name);
                let known = known.collect::<Vec<_>>().join(", ");
                let what = if role == Role::Color { "a render target" } else { "a depth buffer" };
                let said = self.model().resources[name].kind.format;
                let format = said.map_or(format.name(), |said| said.name);
                format!("`{name}` has format {format}, which {what} cannot have: it has one of {known}")
            }
        };
        Err((Problem::value(message), span.clone()))
    }

    /// Levels of a texture, and a layer of it or all. Faces are layers.
    pub fn levels(&self, reference: &Reference) -> Result<View, Fault> {
        let texture = self.texture(&reference.resource, &reference.span)?;
        let is_cube = texture.shape().dimension.is_cube();
        let kind = reference.view.kind.or(is_cube.then_some("texture2darray"));
        let view = texture_view(&texture, ViewKeys { kind, ..reference.view });
        view.and_then(|view| along_curve(view, reference)).map_err(|error| self.bad_view(reference, error))
    }

    fn bad_view(&self, reference: &Reference, error: ResourceError) -> Fault {
        let label = self.model().label(&reference.resource);
        (Problem::Resource { label, error }, reference.span.clone())
    }

    /// The bindings of a step: under the rules of Direct3D, or in the short form so that nothing may be missing.
    pub fn bindings(&self, bind: &[Bind]) -> Result<Bindings, Fault> {
        let mut bindings = match self.model().is_short {
            true => Bindings::new(),
            false => Bindings::with_rules(BindingRules::DIRECT3D),
        };
        for Bind { slot, register, reference, span } in bind {
            let Some(register) = *register else {
                return Err((Problem::BadRegister { text: slot.clone() }, span.clone()));
            };
            bindings.set(register, self.view(register, reference)?);
        }
        Ok(bindings)
    }

    fn view(&self, register: Register, reference: &Reference) -> Result<View, Fault> {
        let Reference { resource: name, view: keys, span, .. } = reference;
        let bad = |error| self.bad_view(reference, error);
        if register.class == ResourceClass::Sampler {
            let sampler = find(&self.model().samplers, "sampler", name, span)?;
            return View::sampler(sampler.state).map_err(bad);
        }
        let memory = self.find(name, span)?;
        let (resource, loaded) = (&self.model().resources[name], &self.prepared.loaded[name]);
        let view = match memory {
            ResourceMemory::Texture(texture) => {
                let view = texture_view(texture, *keys).and_then(|view| match resource.kind.format {
                    Some(format) if format.sampled != format.stored => view.with_format(format.sampled),
                    _ => Ok(view),
                });
                return view.and_then(|view| along_curve(view, reference)).map_err(bad);
            }
            ResourceMemory::Buffer(_) if *keys != (ViewKeys { kind: keys.kind, ..ViewKeys::default() }) => {
                let message = format!("{} is a buffer, which has no levels and layers", resource.label);
                return Err((Problem::value(message), span.clone()));
            }
            ResourceMemory::Buffer(buffer) => match (loaded.kind, keys.kind) {
                _ if register.class == ResourceClass::Constant => View::constant(buffer.clone()),
                (Kind::Structured { stride, .. }, None | Some("structured")) => {
                    View::structured(buffer.clone(), stride)
                }
                (Kind::Typed { format, .. }, None | Some("typed")) => View::typed(buffer.clone(), format),
                (_, Some("structured")) if let Some(stride) = resource.kind.stride => {
                    View::structured(buffer.clone(), stride)
                }
                (_, Some("typed")) if let Some(format) = resource.kind.texture.format => {
                    View::typed(buffer.clone(), format)
                }
                _ => View::raw(buffer.clone()),
            },
        };
        let counter = self.counters.get(name.as_str()).filter(|_| register.class == ResourceClass::UnorderedAccess);
        let view = view.and_then(|view| match counter {
            Some(counter) => view.with_counter(counter.clone()),
            None => Ok(view),
        });
        view.map_err(bad)
    }
}

/// A view of a texture, or of a part of it, as a kind.
fn texture_view(texture: &Texture, keys: ViewKeys) -> Result<View, ResourceError> {
    let mut view = View::texture(texture.clone());
    let ViewKeys { kind, format, mip, mips, layer, layers, min_level } = keys;
    if let Some(dimension) = kind.and_then(Dimension::texture_named) {
        view = view.with_dimension(dimension)?;
    }
    match (format, texture.shape().format) {
        (Some(format), _) => view = view.with_format(format)?,
        // Depths are read as numbers.
        (None, Format::D32_FLOAT) => view = view.with_format(Format::R32_FLOAT)?,
        (None, Format::D16_UNORM) => view = view.with_format(Format::R16_UNORM)?,
        _ => {}
    }
    if mip.is_some() || mips.is_some() {
        let first = mip.unwrap_or(0);
        view = view.with_mips(first, mips.unwrap_or(texture.shape().mips.saturating_sub(first)))?;
    }
    if let Some(first) = layer {
        view = view.with_layers(first, layers.unwrap_or(1))?;
    }
    match min_level {
        Some(level) => view.with_min_level(level),
        None => Ok(view),
    }
}

/// The view with an sRGB format, if the reference asks for it and there is one.
fn along_curve(view: View, reference: &Reference) -> Result<View, ResourceError> {
    match view.format().filter(|_| reference.is_srgb).and_then(Format::srgb) {
        Some(format) => view.with_format(format),
        None => Ok(view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::step::What;
    use crate::tests::prepared;

    #[test]
    fn a_view_shows_a_part_of_a_texture() {
        let device = Device::builder().threads(1).build().unwrap();
        let of = |view: &str| {
            let texture =
                "texture2darray = { format = \"R8G8B8A8_UNORM\", width = 4, height = 4, layers = 7, mips = 3 }";
            let ready = prepared(&format!("[u0]\n{texture}\nview = {view}\n[s0]\n")).unwrap();
            let world = World::new(&device, &ready, &CancelToken::new(), &|_| Ok(None)).unwrap();
            let What::Dispatch(dispatch) = &ready.document.model.steps[0].what else { panic!() };
            let bindings = world.bindings(&dispatch.bind).map_err(|(problem, _)| problem.to_string())?;
            assert!(bindings.get("s0".parse().unwrap()).is_some());
            let view = bindings.get("u0".parse().unwrap()).unwrap();
            Ok::<_, String>((view.dimension().unwrap().name(), view.format().unwrap().name(), view.size_bytes()))
        };
        let whole = 7 * 4 * (16 + 4 + 1);
        assert_eq!(of("{}"), Ok(("texture2darray", "R8G8B8A8_UNORM", whole)));
        let cube = "{ dimension = \"texturecube\", format = \"R8G8B8A8_UNORM_SRGB\", layers = [1, 6], mips = [1, 2], min_level = 1.5 }";
        assert_eq!(of(cube), Ok(("texturecube", "R8G8B8A8_UNORM_SRGB", whole)));
        assert!(
            of("{ mips = [1, 3] }")
                .unwrap_err()
                .starts_with("u0: a view of mip levels 1 to 3, and the texture has 0 to ")
        );
        assert!(
            of("{ format = \"R32G32_UINT\" }").unwrap_err().starts_with("u0: texels of format R8G8B8A8_UNORM cannot")
        );
    }
}
