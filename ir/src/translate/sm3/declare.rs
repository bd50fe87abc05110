//! Declares constants, textures and samplers as resources.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{TextureType, ValidProgram};

use super::TranslateOptions;
use super::constant::Definitions;
use super::stage::StageLayout;
use super::survey::Survey;
use crate::entity::ResourceId;
use crate::interface::{Component, Dimension, Interface, Resource, ResourceClass, ResourceKind};

/// The resources of a program's constants and textures.
#[derive(Default)]
pub(super) struct Resources {
    pub floats: Option<ResourceId>,
    pub integers: Option<ResourceId>,
    pub booleans: Option<ResourceId>,
    pub bumps: Option<ResourceId>,
    /// Textures and their samplers by number.
    pub sampled: BTreeMap<u16, Sampled>,
}

/// A texture with its sampler.
#[derive(Clone, Copy)]
pub(super) struct Sampled {
    pub texture: ResourceId,
    pub sampler: ResourceId,
    pub dimension: Dimension,
    /// Set if a third coordinate is compared with texels.
    pub compares: bool,
}

/// The declarations of a program.
pub(super) struct Declared {
    pub interface: Interface,
    pub resources: Resources,
    pub survey: Survey,
    pub layout: StageLayout,
    pub definitions: Definitions,
}

/// Words of a vector.
const VECTOR_WORDS: u32 = 4;
/// Vectors of a texture stage in `b3`.
const VECTORS_OF_STAGE: u32 = 2;

pub(super) fn declare(program: &ValidProgram, options: &TranslateOptions) -> Declared {
    let survey = Survey::new(program, options);
    let layout = StageLayout::new(program, &survey);
    let definitions = Definitions::new(program);
    let mut list = Vec::new();
    let mut add = |class, kind, number| {
        list.push(Resource::new(class, kind, number));
        ResourceId::new(list.len() - 1)
    };
    let mut constants = |number, vectors| {
        (vectors > 0).then(|| add(ResourceClass::Constant, ResourceKind::Constant { vectors }, number))
    };
    let mut resources = Resources {
        floats: constants(0, survey.floats),
        integers: constants(1, survey.integers),
        booleans: constants(2, survey.booleans.div_ceil(VECTOR_WORDS)),
        bumps: constants(3, survey.bumps * VECTORS_OF_STAGE),
        sampled: BTreeMap::new(),
    };
    for (&number, &texture) in &survey.textures {
        let dimension = dimension(texture);
        let kind = ResourceKind::Typed { dimension, component: Component::Float };
        let compares =
            dimension == Dimension::Texture2d && options.compared.checked_shr(number.into()).unwrap_or(0) & 1 == 1;
        let sampled = Sampled {
            texture: add(ResourceClass::ShaderResource, kind, number.into()),
            sampler: add(ResourceClass::Sampler, ResourceKind::Sampler { compares }, number.into()),
            dimension,
            compares,
        };
        resources.sampled.insert(number, sampled);
    }
    let (stage, arrays) = layout.stage(program);
    let immediate = if survey.addresses_floats { definitions.vectors() } else { Vec::new() };
    let interface = Interface { stage, resources: list, arrays, immediate, ..Interface::default() };
    Declared { interface, resources, survey, layout, definitions }
}

fn dimension(texture: TextureType) -> Dimension {
    match texture {
        TextureType::Texture2D => Dimension::Texture2d,
        TextureType::TextureCube => Dimension::TextureCube,
        TextureType::Volume => Dimension::Texture3d,
    }
}
