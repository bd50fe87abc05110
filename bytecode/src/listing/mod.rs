//! Writes fxc's own listing of a shader: of models 4.0 to 5.1, with the second program for feature levels 9.x, or of
//! Direct3D 9, whose listing is [`sm3::list`].
//!
//! | file | what |
//! |---|---|
//! | `header.rs` | the comment before the program: notes, tessellation, sample frequency |
//! | `buffers.rs` | the layout of constant buffers and of structures |
//! | `bindings.rs` | bindings to registers |
//! | `signatures.rs` | inputs, outputs, patch constants |
//! | `classes.rs` | classes, their instances, interface slots |
//! | `program.rs` | declarations and instructions |
//! | `source.rs` | comments of debug information |
//! | `exact.rs` | the lossless listing |
//!
//! The text is the one that fxc's disassembler writes, byte for byte, with `\n` as line end. Comments and `#line` lines
//! that come from debug information are missing; [`with_source`] writes comments of its own.

pub(crate) mod bindings;
pub(crate) mod buffers;
mod classes;
mod exact;
pub(crate) mod header;
pub(crate) mod program;
pub(crate) mod signatures;
mod source;

pub use exact::exact;
pub use program::line;

use crate::container::{ClassLinkage, Container, FeatureFlags, Level9, ResourceDefinitions, Signature, Statistics};
use crate::debug::DebugInfo;
use crate::limits::Limits;
use crate::shader::Error;
use crate::sm3;
use crate::sm5::{self, Program};
use brolga_fenv::in_default_mode;
use std::fmt::Write;

/// The parts of a container that a listing shows, decoded and not validated.
pub(crate) struct DecodedParts {
    pub program: Program,
    pub inputs: Option<Signature>,
    pub outputs: Option<Signature>,
    pub patch_constants: Option<Signature>,
    pub resources: Option<ResourceDefinitions>,
    pub classes: Option<ClassLinkage>,
    pub statistics: Option<Statistics>,
    pub features: FeatureFlags,
    pub checksum_matches: bool,
    pub level9: Option<(Level9, sm3::Program)>,
}

impl DecodedParts {
    pub fn read(container: &Container<'_>, limits: &Limits) -> Result<Self, Error> {
        let chunk = container.program()?;
        let level9 = container.level9()?.map(|level9| {
            let program = sm3::decode(&level9.program, level9.program_at, limits)?;
            Ok::<_, Error>((level9, program))
        });
        Ok(Self {
            program: sm5::decode(chunk.data, chunk.at, limits)?,
            inputs: container.inputs(limits)?,
            outputs: container.outputs(limits)?,
            patch_constants: container.patch_constants(limits)?,
            resources: container.resources(limits)?,
            classes: container.classes(limits)?,
            statistics: container.statistics(),
            features: container.features()?,
            checksum_matches: container.checksum_matches(),
            level9: level9.transpose()?,
        })
    }
}

/// Lists a container, or a program of Direct3D 9.
///
/// ```
/// use brolga_bytecode::{Limits, listing};
///
/// let error = listing::listing(b"no shader", &Limits::default()).unwrap_err();
/// assert_eq!(error.at(), 0);
/// ```
pub fn listing(bytes: &[u8], limits: &Limits) -> Result<String, Error> {
    in_default_mode(|| {
        if sm3::is_program(bytes) {
            return Ok(sm3::list(&sm3::decode(bytes, 0, limits)?, sm3::Style::Listing, limits));
        }
        let container = Container::parse(bytes, limits)?;
        let parts = DecodedParts::read(&container, limits)?;
        let mut out = String::new();
        write_listing(&mut out, &parts, None, limits).expect("a string takes any text");
        Ok(out)
    })
}

/// Lists a container with comments of its debug information: before instructions the source that they come from, and
/// behind them the variables that registers hold from there on. It assembles to the program that the listing without
/// comments assembles to.
///
/// # Errors
/// Those of [`listing()`].
pub fn with_source(bytes: &[u8], debug: &DebugInfo, limits: &Limits) -> Result<String, Error> {
    in_default_mode(|| {
        let parts = DecodedParts::read(&Container::parse(bytes, limits)?, limits)?;
        let mut out = String::new();
        write_listing(&mut out, &parts, Some(debug), limits).expect("a string takes any text");
        Ok(out)
    })
}

fn write_listing(
    out: &mut String,
    parts: &DecodedParts,
    debug: Option<&DebugInfo>,
    limits: &Limits,
) -> std::fmt::Result {
    header::write(out, parts)?;
    if let Some((level9, program)) = &parts.level9 {
        let program = sm3::list(program, sm3::Style::Listing, limits);
        write!(out, "{level9}//\n// Level9 shader bytecode:\n//\n{program}")?;
    }
    program::write(out, &parts.program, debug)?;
    program::write_count(out, parts.statistics.as_ref())
}
