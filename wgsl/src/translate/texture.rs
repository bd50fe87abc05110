//! Textures, storage textures and samplers.
//!
//! Texels that do not exist are zeros, and writes of them do nothing. Without derivatives a compute shader samples at
//! levels that it gives.

use brolga_ir::Op;
use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{Element, Query, ResourceRef};
use brolga_ir::interface::{Component, Dimension, ResourceClass, ResourceKind};
use brolga_ir::sampling::{LevelSource, Offsets, SampleArg, SampleKind, Sampling};
use naga::{
    AtomicFunction, Expression, Handle, ImageClass, ImageDimension, ImageQuery, SampleLevel, Scalar, ScalarKind,
    StorageFormat, TypeInner,
};
use smallvec::smallvec;

use super::memory::atomic_op;
use super::{Result, Translator, Val, Words};

/// What a type of texture is in Direct3D's terms; `None` if there is no such thing.
fn dimension(dim: ImageDimension, is_arrayed: bool, is_multisampled: bool) -> Option<Dimension> {
    Some(match (dim, is_arrayed, is_multisampled) {
        (ImageDimension::D1, false, false) => Dimension::Texture1d,
        (ImageDimension::D1, true, false) => Dimension::Texture1dArray,
        (ImageDimension::D2, false, false) => Dimension::Texture2d,
        (ImageDimension::D2, true, false) => Dimension::Texture2dArray,
        (ImageDimension::D2, false, true) => Dimension::Texture2dMs,
        (ImageDimension::D2, true, true) => Dimension::Texture2dMsArray,
        (ImageDimension::D3, false, false) => Dimension::Texture3d,
        (ImageDimension::Cube, false, false) => Dimension::TextureCube,
        (ImageDimension::Cube, true, false) => Dimension::TextureCubeArray,
        _ => return None,
    })
}

/// What the texels of a storage format are; the bound view decides how many bits they have.
fn component(format: StorageFormat) -> Component {
    use StorageFormat as F;
    match format {
        F::R8Unorm | F::Rg8Unorm | F::Rgba8Unorm | F::Bgra8Unorm | F::Rgb10a2Unorm => Component::Unorm,
        F::R16Unorm | F::Rg16Unorm | F::Rgba16Unorm => Component::Unorm,
        F::R8Snorm | F::Rg8Snorm | F::Rgba8Snorm => Component::Snorm,
        F::R16Snorm | F::Rg16Snorm | F::Rgba16Snorm => Component::Snorm,
        F::R16Float | F::Rg16Float | F::Rgba16Float | F::Rg11b10Ufloat => Component::Float,
        F::R32Float | F::Rg32Float | F::Rgba32Float => Component::Float,
        F::R8Uint | F::Rg8Uint | F::Rgba8Uint | F::R16Uint | F::Rg16Uint | F::Rgba16Uint => Component::Uint,
        F::R32Uint | F::Rg32Uint | F::Rgba32Uint | F::Rgb10a2Uint | F::R64Uint => Component::Uint,
        F::R8Sint | F::Rg8Sint | F::Rgba8Sint | F::R16Sint | F::Rg16Sint | F::Rgba16Sint => Component::Sint,
        F::R32Sint | F::Rg32Sint | F::Rgba32Sint => Component::Sint,
    }
}

/// Operands of a sample.
#[derive(Clone, Copy)]
struct Sample {
    coordinate: Handle<Expression>,
    array_index: Option<Handle<Expression>>,
    depth_ref: Option<Handle<Expression>>,
    level: SampleLevel,
    clamp_to_edge: bool,
}

impl Translator<'_, '_> {
    /// The register class of a texture or sampler, and what it holds.
    pub(super) fn handle_kind(&self, ty: &TypeInner) -> Result<(ResourceClass, ResourceKind)> {
        let (class, dim, arrayed, multi, component) = match *ty {
            TypeInner::Sampler { comparison } => {
                return Ok((ResourceClass::Sampler, ResourceKind::Sampler { compares: comparison }));
            }
            TypeInner::Image { dim, arrayed, class } => match class {
                ImageClass::Sampled { kind, multi } => {
                    let component = match kind {
                        ScalarKind::Sint => Component::Sint,
                        ScalarKind::Uint => Component::Uint,
                        _ => Component::Float,
                    };
                    (ResourceClass::ShaderResource, dim, arrayed, multi, component)
                }
                ImageClass::Depth { multi } => (ResourceClass::ShaderResource, dim, arrayed, multi, Component::Float),
                ImageClass::External => return self.unsupported("texture_external"),
                ImageClass::Storage { format: StorageFormat::R64Uint, .. } => {
                    return self.unsupported("a texture of u64");
                }
                ImageClass::Storage { format, .. } => {
                    (ResourceClass::UnorderedAccess, dim, arrayed, false, component(format))
                }
            },
            TypeInner::BindingArray { .. } => return self.unsupported("an array of bindings"),
            TypeInner::AccelerationStructure { .. } => return self.unsupported("an acceleration structure"),
            _ => return self.unsupported("a variable of this type"),
        };
        match dimension(dim, arrayed, multi) {
            Some(dimension) => Ok((class, ResourceKind::Typed { dimension, component })),
            None => self.unsupported("a texture of this kind"),
        }
    }

    /// The resource that an expression names.
    fn resource_of(&mut self, expression: Handle<Expression>) -> Result<(ResourceId, ResourceRef)> {
        match self.value(expression)? {
            Val::Resource(id) => Ok((id, ResourceRef { id, element: Element::Fixed(0) })),
            _ => Err(self.internal("a value is used as a texture")),
        }
    }

    /// The texture that an expression names, with its kind.
    fn texture(&mut self, image: Handle<Expression>) -> Result<(ResourceRef, Dimension, Component)> {
        let (id, resource) = self.resource_of(image)?;
        match self.b.func.interface.resource(id).kind {
            ResourceKind::Typed { dimension, component } => Ok((resource, dimension, component)),
            _ => Err(self.internal("a sampler is used as a texture")),
        }
    }

    /// `true` if texels of a texture are one number.
    fn is_depth(&self, image: Handle<Expression>) -> bool {
        let ty = self.frame.ty(image).inner_with(&self.module.types);
        matches!(ty, TypeInner::Image { class: ImageClass::Depth { .. }, .. })
    }

    /// Integer coordinates, with the layer.
    fn texel(&mut self, coordinate: Handle<Expression>, layer: Option<Handle<Expression>>) -> Result<Words> {
        let mut coords = self.words(coordinate)?;
        if let Some(layer) = layer {
            coords.push(self.word(layer)?);
        }
        Ok(coords)
    }

    /// Four words as what a texture holds.
    fn of_texel(&mut self, words: [Value; 4], component: Component, is_depth: bool) -> Words {
        let count = if is_depth { 1 } else { 4 };
        let is_float = !matches!(component, Component::Sint | Component::Uint);
        let words = words.into_iter().take(count);
        words.map(|word| if is_float { self.b.op(Op::AsF32, &[word]) } else { word }).collect()
    }

    pub(super) fn image_load(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        level: Option<Handle<Expression>>,
    ) -> Result<Words> {
        let (resource, _, component) = self.texture(image)?;
        let coords = self.texel(coordinate, layer)?;
        let level = level.map(|level| self.word(level)).transpose()?;
        let words = self.b.texel_load(resource, &coords, level);
        let is_depth = self.is_depth(image);
        Ok(self.of_texel(words, component, is_depth))
    }

    pub(super) fn image_store(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        value: Handle<Expression>,
    ) -> Result {
        let (resource, ..) = self.texture(image)?;
        let coords = self.texel(coordinate, layer)?;
        let words = self.words(value)?;
        let words: Words = words.into_iter().map(|word| self.word_of(word)).collect();
        let Ok(words) = words[..].try_into() else { return Err(self.internal("a texel has four components")) };
        let effect = self.b.bool(true);
        self.b.texel_store(resource, &coords, words, effect);
        Ok(())
    }

    pub(super) fn image_atomic(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
    ) -> Result {
        let (resource, _, component) = self.texture(image)?;
        let coords = self.texel(coordinate, layer)?;
        let (operand, compare) = self.atomic_operands(fun, value)?;
        let kind = if component == Component::Sint { ScalarKind::Sint } else { ScalarKind::Uint };
        let effect = self.b.bool(true);
        let op = atomic_op(fun, Scalar { kind, width: 4 });
        self.b.texel_atomic(op, resource, &coords, operand, compare, effect);
        Ok(())
    }

    pub(super) fn image_query(&mut self, image: Handle<Expression>, query: ImageQuery) -> Result<Words> {
        let (resource, dimension, _) = self.texture(image)?;
        let level = match query {
            ImageQuery::Size { level: Some(level) } => self.word(level)?,
            _ => self.b.i32(0),
        };
        let axes = match dimension {
            Dimension::Texture1d | Dimension::Texture1dArray => 1,
            Dimension::Texture3d => 3,
            _ => 2,
        };
        Ok(match query {
            ImageQuery::NumSamples => smallvec![self.b.query(Query::SampleCount, resource, None)[0]],
            ImageQuery::Size { .. } => {
                Words::from_slice(&self.b.query(Query::TextureSize, resource, Some(level))[..axes])
            }
            ImageQuery::NumLayers => smallvec![self.b.query(Query::TextureSize, resource, Some(level))[axes.min(2)]],
            ImageQuery::NumLevels => smallvec![self.b.query(Query::TextureSize, resource, Some(level))[3]],
        })
    }

    pub(super) fn image_sample(&mut self, expression: Handle<Expression>) -> Result<Words> {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = self.frame.expressions()[expression]
        else {
            return Err(self.internal("a sample is something else"));
        };
        let (texture, dimension, component) = self.texture(image)?;
        let (_, sampler) = self.resource_of(sampler)?;
        let kind = match (gather, depth_ref) {
            (None, None) => SampleKind::Filter,
            (None, Some(_)) => SampleKind::Compare,
            (Some(component), None) => SampleKind::Gather { component: component as u8 },
            (Some(_), Some(_)) => SampleKind::GatherCompare,
        };
        let level_source = match level {
            SampleLevel::Zero if kind == SampleKind::Filter => LevelSource::Given,
            SampleLevel::Zero => LevelSource::Zero,
            SampleLevel::Exact(_) => LevelSource::Given,
            SampleLevel::Gradient { .. } => LevelSource::Derivatives,
            SampleLevel::Auto | SampleLevel::Bias(_) => {
                return self.unsupported("sampling with derivatives of a compute shader");
            }
        };
        let offsets = Offsets::Fixed(self.offsets(offset)?);
        let sampling = Sampling { kind, level: level_source, has_bias: false, has_clamp: false, offsets };
        let operands = Sample { coordinate, array_index, depth_ref, level, clamp_to_edge };
        let mut args = Words::new();
        for (arg, count) in sampling.args(dimension) {
            let values = self.sample_arg(arg, texture, operands)?;
            if values.len() != count {
                return Err(self.internal("operands of a sample do not fit"));
            }
            args.extend(values);
        }
        let words = self.b.sample(sampling, texture, sampler, &args);
        let is_single = gather.is_none() && self.is_depth(image);
        Ok(self.of_texel(words, component, is_single))
    }

    fn sample_arg(&mut self, arg: SampleArg, texture: ResourceRef, operands: Sample) -> Result<Words> {
        Ok(match (arg, operands.level) {
            (SampleArg::Coordinates, _) => {
                let mut values = self.words(operands.coordinate)?;
                if operands.clamp_to_edge {
                    values = self.clamped_to_edge(&values, texture);
                }
                if let Some(layer) = operands.array_index {
                    values.push(self.as_float(layer)?);
                }
                values
            }
            (SampleArg::Reference, _) => match operands.depth_ref {
                Some(reference) => smallvec![self.word(reference)?],
                None => Words::new(),
            },
            // The levels of depth textures are integers.
            (SampleArg::Level, SampleLevel::Exact(level)) => smallvec![self.as_float(level)?],
            (SampleArg::Level, _) => smallvec![self.b.f32(0.0)],
            (SampleArg::AlongX, SampleLevel::Gradient { x, .. }) => self.words(x)?,
            (SampleArg::AlongY, SampleLevel::Gradient { y, .. }) => self.words(y)?,
            _ => Words::new(),
        })
    }

    fn as_float(&mut self, number: Handle<Expression>) -> Result<Value> {
        let (kind, word) = (self.scalar(number)?.kind, self.word(number)?);
        Ok(match kind {
            ScalarKind::Sint => self.b.op(Op::SToF, &[word]),
            ScalarKind::Uint => self.b.op(Op::UToF, &[word]),
            _ => word,
        })
    }

    /// Coordinates at least half a texel from the edges.
    fn clamped_to_edge(&mut self, coordinates: &[Value], texture: ResourceRef) -> Words {
        let level = self.b.i32(0);
        let size = self.b.query(Query::TextureSize, texture, Some(level));
        let (half, one) = (self.b.f32(0.5), self.b.f32(1.0));
        let clamped = coordinates.iter().zip(size).map(|(&coordinate, size)| {
            let size = self.b.op(Op::UToF, &[size]);
            let least = self.b.op(Op::FDiv, &[half, size]);
            let most = self.b.op(Op::FSub, &[one, least]);
            let bounded = self.b.op(Op::FMax, &[coordinate, least]);
            self.b.op(Op::FMin, &[bounded, most])
        });
        clamped.collect()
    }

    /// Texel offsets, which are constants.
    fn offsets(&mut self, offset: Option<Handle<Expression>>) -> Result<[i8; 3]> {
        let mut fixed = [0; 3];
        if let Some(offset) = offset {
            for (fixed, word) in fixed.iter_mut().zip(self.words(offset)?) {
                let known = self.b.func.as_const(word).map(|value| value.bits as u32 as i32);
                match known.filter(|offset| (-8..=7).contains(offset)) {
                    Some(known) => *fixed = known as i8,
                    None => return self.unsupported("a texel offset outside of -8 to 7"),
                }
            }
        }
        Ok(fixed)
    }
}
