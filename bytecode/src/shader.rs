//! A whole shader: the container's chunks read, the program decoded and checked.

use crate::container::{
    ClassLinkage, Container, ContainerError, FeatureFlags, ResourceDefinitions, Signature, Statistics,
};
use crate::limits::Limits;
use crate::sm5::{self, DecodeError, ValidProgram, ValidateError};

/// Why bytes are no shader that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The container is broken.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The words are no program.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The program breaks a rule.
    #[error(transparent)]
    Validate(#[from] ValidateError),
}

impl Error {
    /// The byte in the file that the error is about.
    pub fn at(&self) -> u32 {
        match self {
            Self::Container(error) => error.at(),
            Self::Decode(error) => error.at(),
            Self::Validate(error) => error.at(),
        }
    }
}

/// What to do about a checksum that does not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChecksumPolicy {
    /// Nothing: [`Shader::checksum_matches`] tells. Real shaders with another hash exist.
    #[default]
    Report,
    /// It is an error.
    Require,
}

/// How to load a shader.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Bounds on what the file may ask for.
    pub limits: Limits,
    /// What to do about a wrong checksum.
    pub checksum: ChecksumPolicy,
}

/// A shader that can be used.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The program.
    pub program: ValidProgram,
    /// The signature of its inputs.
    pub inputs: Option<Signature>,
    /// The signature of its outputs.
    pub outputs: Option<Signature>,
    /// The signature of its patch constants.
    pub patch_constants: Option<Signature>,
    /// The names of what it binds.
    pub resources: Option<ResourceDefinitions>,
    /// Its classes and interface slots; `None` if it has no interfaces.
    pub classes: Option<ClassLinkage>,
    /// The compiler's counts.
    pub statistics: Option<Statistics>,
    /// The features it needs.
    pub features: FeatureFlags,
    /// Whether the checksum is that of the content.
    pub checksum_matches: bool,
}

impl Shader {
    /// Reads a container, decodes its program and checks it.
    pub fn load(bytes: &[u8], options: &LoadOptions) -> Result<Self, Error> {
        let limits = &options.limits;
        let container = Container::parse(bytes, limits)?;
        if options.checksum == ChecksumPolicy::Require {
            container.require_checksum()?;
        }
        let chunk = container.program()?;
        let program = sm5::decode(chunk.data, chunk.at, limits)?;
        Ok(Self {
            program: sm5::validate(program, limits)?,
            inputs: container.inputs(limits)?,
            outputs: container.outputs(limits)?,
            patch_constants: container.patch_constants(limits)?,
            resources: container.resources(limits)?,
            classes: container.classes(limits)?,
            statistics: container.statistics(),
            features: container.features()?,
            checksum_matches: container.checksum_matches(),
        })
    }
}
