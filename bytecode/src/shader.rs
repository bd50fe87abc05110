//! Loads a whole shader: reads the container's chunks, decodes and checks the program.

use crate::container::{
    ClassLinkage, Container, ContainerError, FeatureFlags, ResourceDefinitions, Signature, Statistics,
};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::sm3;
use crate::sm5::{self, DecodeError, ValidProgram, ValidateError};

/// Error in bytes that are not a usable shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The container is broken.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The words are not a program.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The program breaks a rule.
    #[error(transparent)]
    Validate(#[from] ValidateError),
    /// The words are not a program of Direct3D 9.
    #[error(transparent)]
    Decode9(#[from] sm3::DecodeError),
    /// The program of Direct3D 9 breaks a rule.
    #[error(transparent)]
    Validate9(#[from] sm3::ValidateError),
    /// The constant table of Direct3D 9 is broken.
    #[error(transparent)]
    Constants(#[from] sm3::constants::ConstantsError),
}

impl Error {
    /// The byte in the file that the error is about.
    pub fn at(&self) -> u32 {
        match self {
            Self::Container(error) => error.at(),
            Self::Decode(error) => error.at(),
            Self::Validate(error) => error.at,
            Self::Decode9(error) => error.at(),
            Self::Validate9(error) => error.at,
            Self::Constants(error) => error.at(),
        }
    }

    /// `true` if the file needs more than [`Limits`] allow.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Container(ContainerError::Limit { .. })
                | Self::Decode(DecodeError::Limit { .. })
                | Self::Decode9(sm3::DecodeError::Limit { .. })
                | Self::Constants(sm3::constants::ConstantsError::Limit { .. })
        )
    }

    /// Suggested remedy, if one is likely.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Validate(error) => error.help(),
            _ => None,
        }
    }
}

/// Policy for a checksum that does not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChecksumPolicy {
    /// It is reported in [`Shader::checksum_matches`]. Real shaders with another hash exist.
    #[default]
    Report,
    /// It is an error.
    Require,
}

/// Options of loading a shader.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    /// Bounds on the counts and sizes in the file.
    pub limits: Limits,
    /// Policy for a wrong checksum.
    pub checksum: ChecksumPolicy,
}

/// A usable shader.
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
    /// The names of its resources.
    pub resources: Option<ResourceDefinitions>,
    /// Its classes and interface slots; `None` if it has no interfaces.
    pub classes: Option<ClassLinkage>,
    /// The compiler's counts.
    pub statistics: Option<Statistics>,
    /// The features it needs.
    pub features: FeatureFlags,
    /// `true` if the checksum is that of the content.
    pub checksum_matches: bool,
}

/// A container whose program is decoded and not checked yet: the first half of [`Shader::load`].
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    container: Container<'a>,
    program: sm5::Program,
    limits: &'a Limits,
}

impl<'a> Decoded<'a> {
    /// Reads a container and decodes its program.
    pub fn new(bytes: &'a [u8], options: &'a LoadOptions) -> Result<Self, Error> {
        let limits = &options.limits;
        let container = Container::parse(bytes, limits)?;
        if options.checksum == ChecksumPolicy::Require {
            container.require_checksum()?;
        }
        let chunk = container.program()?;
        let program = sm5::decode(chunk.data, chunk.at, limits)?;
        Ok(Self { container, program, limits })
    }

    /// Checks the program and reads the container's other chunks.
    pub fn check(self) -> Result<Shader, Error> {
        let Self { container, program, limits } = self;
        Ok(Shader {
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

impl Shader {
    /// Reads a container, decodes its program and checks it.
    pub fn load(bytes: &[u8], options: &LoadOptions) -> Result<Self, Error> {
        Decoded::new(bytes, options)?.check()
    }
}

/// Checks a shader of any model: a container, with everything that [`Shader::load`] reads and its second program, or a
/// program of Direct3D 9.
pub fn check(bytes: &[u8], options: &LoadOptions) -> Result<(), Error> {
    let limits = &options.limits;
    let check_direct3d9 = |bytes: &[u8], at| -> Result<(), Error> {
        sm3::validate(sm3::decode(bytes, at, limits)?, limits)?;
        Ok(())
    };
    if sm3::is_program(bytes) {
        return check_direct3d9(bytes, 0);
    }
    Shader::load(bytes, options)?;
    match Container::parse(bytes, limits)?.level9()? {
        Some(level9) => check_direct3d9(&level9.program, level9.program_at),
        None => Ok(()),
    }
}

/// Faults of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The faults in the order of the bytes that they are about.
    pub found: Vec<Error>,
    /// `true` if there are more of them than [`Limits::findings`].
    pub is_cut: bool,
}

/// Finds all faults of a shader of any model. A container, its other chunks and the words of a program are read up to
/// the first fault, since the start of the next part is then unknown; a program that can be read is checked to its end.
/// Faults that depend on a faulty part are not reported. A checksum that does not match is a fault, unless the program
/// prints messages: the compiler gives such programs another hash.
pub fn findings(bytes: &[u8], limits: &Limits) -> Findings {
    let mut search = Search { limits, faults: Faults::new(limits.findings) };
    if sm3::is_program(bytes) {
        search.direct3d9(bytes, 0);
    } else if let Some(container) = search.faults.note(Container::parse(bytes, limits)) {
        search.container(&container);
    }
    let (mut found, is_cut) = search.faults.into_parts();
    found.sort_by_key(Error::at);
    Findings { found, is_cut }
}

/// The search, with the faults found so far.
struct Search<'l> {
    limits: &'l Limits,
    faults: Faults<Error>,
}

impl Search<'_> {
    fn container(&mut self, container: &Container<'_>) {
        let (limits, faults) = (self.limits, &mut self.faults);
        let chunk = faults.note(container.program());
        let program = chunk.and_then(|chunk| faults.note(sm5::decode(chunk.data, chunk.at, limits)));
        let is_message = |item: &sm5::Item| match &item.kind {
            sm5::ItemKind::CustomData(data) => matches!(data.content, sm5::CustomContent::Message(_)),
            sm5::ItemKind::Instruction(_) | sm5::ItemKind::Declaration(_) => false,
        };
        if !program.as_ref().is_some_and(|program| program.items.iter().any(is_message)) {
            faults.note(container.require_checksum());
        }
        faults.note(container.inputs(limits));
        faults.note(container.outputs(limits));
        faults.note(container.patch_constants(limits));
        faults.note(container.resources(limits));
        faults.note(container.classes(limits));
        faults.note(container.features());
        if let Some(program) = program {
            faults.extend(sm5::validate::faults(&program, limits, limits.findings));
        }
        if let Some(level9) = faults.note(container.level9()).flatten() {
            self.direct3d9(&level9.program, level9.program_at);
        }
    }

    fn direct3d9(&mut self, bytes: &[u8], at: u32) {
        let limits = self.limits;
        if let Some(program) = self.faults.note(sm3::decode(bytes, at, limits)) {
            self.faults.note(program.constants(limits));
            self.faults.extend(sm3::validate::faults(&program, limits, limits.findings));
        }
    }
}
