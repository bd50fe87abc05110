//! Modules: shaders that are read and checked, once for however many states they are compiled for.
//!
//! | file | what |
//! |---|---|
//! | `program.rs` | the interface of a front end |
//! | `sm3.rs` | the front end for shader models 1.1 to 3.0 |
//! | `sm5/` | the front end for shader models 4 and 5 |

mod program;
mod sm3;
mod sm5;

use std::sync::{Arc, OnceLock};

use brolga_bytecode::debug::{DebugInfo, Place};
use brolga_bytecode::sm3::is_program;
use brolga_bytecode::sm5::RegisterFile;
use brolga_ir::stage::{Parameter, Signature, Stage};
use brolga_ir::stages::StageKind;
use brolga_jit::listing::SourceLine;

pub use program::Program;

use super::apart::with_stack;
use super::figures::{StageClock, StageTimes};
use crate::bindings::{BindingError, Declared, Names, Register};
use crate::error::Error;
use crate::limits::Limits;
use crate::stop::StopWord;

/// A shader that is read and checked, and can be compiled as often as needed. Cheap to clone and usable from any
/// thread.
#[derive(Clone, Debug)]
pub struct Module {
    inner: Arc<ModuleData>,
}

#[derive(Debug)]
struct ModuleData {
    program: Box<dyn Program>,
    stage: Stage,
    /// Inputs and outputs with a semantic, used or not.
    linked: Signature,
    /// Values of a patch, likewise.
    patch_constants: Vec<Parameter>,
    declared: Vec<Declared>,
    names: Names,
    times: StageTimes,
    /// Read when it is first asked for.
    debug: OnceLock<Option<DebugInfo>>,
}

impl Module {
    /// Reads and checks a container, or a program of Direct3D 9.
    ///
    /// # Errors
    /// If it breaks a rule, has more than the limits allow, or uses a feature that cannot be run.
    pub fn load(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        with_stack(|| Self::read(bytes, limits, Arc::default()))
    }

    /// A module of another front end, or of a function that was built or parsed from text.
    ///
    /// # Errors
    /// If it uses a feature that cannot be run.
    pub fn new(program: impl Program + 'static) -> Result<Self, Error> {
        Self::of(Box::new(program), &StageClock::start())
    }

    /// [`Self::load`] in this thread, until the word is set.
    pub(crate) fn read(bytes: &[u8], limits: &Limits, stop: Arc<StopWord>) -> Result<Self, Error> {
        let mut clock = StageClock::until(stop);
        let program: Box<dyn Program> = match is_program(bytes) {
            true => Box::new(sm3::Sm3Program::load(bytes, limits, &mut clock)?),
            false => Box::new(sm5::Sm5Program::load(bytes, limits, &mut clock)?),
        };
        Self::of(program, &clock)
    }

    fn of(program: Box<dyn Program>, clock: &StageClock) -> Result<Self, Error> {
        let interface = program.interface()?;
        let declared = Declared::of_interface(&interface);
        let signature = program.signature().or_else(|| interface.stage.signature().cloned());
        let mut linked = signature.unwrap_or_default();
        for parameters in [&mut linked.inputs, &mut linked.outputs] {
            parameters.retain(|parameter| parameter.semantic.is_some());
        }
        let mut patch_constants = program.patch_constants();
        if patch_constants.is_empty() {
            patch_constants = interface.stage.patch_constants().to_vec();
        }
        patch_constants.retain(|parameter| parameter.semantic.is_some());
        let (stage, names, times) = (interface.stage, Names::new(program.registers()), clock.times());
        let debug = OnceLock::new();
        let data = ModuleData { program, stage, linked, patch_constants, declared, names, times, debug };
        Ok(Self { inner: Arc::new(data) })
    }

    /// The stage that it is for.
    pub fn kind(&self) -> StageKind {
        self.stage().kind()
    }

    /// The stage, with the inputs and outputs that its instructions use.
    pub fn stage(&self) -> &Stage {
        &self.inner.stage
    }

    /// The inputs that it has by name, used or not.
    pub fn inputs(&self) -> &[Parameter] {
        &self.inner.linked.inputs
    }

    /// The outputs that it has by name, likewise.
    pub fn outputs(&self) -> &[Parameter] {
        &self.inner.linked.outputs
    }

    /// The values of a patch that a hull shader writes or a domain shader reads by name, likewise.
    pub fn patch_constants(&self) -> &[Parameter] {
        &self.inner.patch_constants
    }

    /// The declared registers in declaration order. Uses that only instructions reveal are not known.
    pub fn bindings(&self) -> &[Declared] {
        &self.inner.declared
    }

    /// The major number of its shader model.
    pub fn major(&self) -> u32 {
        self.inner.program.major()
    }

    /// `true` if the rules of drawing are those of Direct3D 9.
    pub fn is_direct3d9(&self) -> bool {
        self.major() <= 3
    }

    /// Stage and model, as in `cs_5_0`, if it comes from a file.
    pub fn profile(&self) -> Option<String> {
        self.inner.program.profile()
    }

    /// The register that the shader's source calls `name`: see [`Shader::register`](crate::Shader::register).
    ///
    /// # Errors
    /// If the file has no such name, or several registers have it.
    pub fn register(&self, name: &str) -> Result<Register, BindingError> {
        self.inner.names.find(name)
    }

    /// What the shader's source calls a register, if its file says so: the opposite of [`Self::register`].
    pub fn name_of(&self, register: Register) -> Option<String> {
        self.inner.names.of(register)
    }

    /// What the source calls the shared memory with this number.
    pub(crate) fn name_of_shared(&self, number: u32) -> Option<String> {
        let names = self.inner.program.shared_names();
        let of_debug_info = || {
            let of_it = |place: &Place| place.file == RegisterFile::SharedMemory && place.register == Some(number);
            let variables = self.debug_info()?.variables();
            variables.iter().find(|variable| variable.places.iter().any(of_it)).map(|variable| variable.name.clone())
        };
        names.into_iter().find(|(known, _)| *known == number).map(|(_, name)| name).or_else(of_debug_info)
    }

    /// The instructions, declarations left out.
    pub fn lines(&self) -> Vec<SourceLine> {
        self.inner.program.lines()
    }

    /// The source lines and variables of a file that was compiled with debug information; `None` if it has none, or none
    /// that can be read. The first call reads it.
    pub fn debug_info(&self) -> Option<&DebugInfo> {
        self.inner.debug.get_or_init(|| self.inner.program.debug_info()).as_ref()
    }

    /// The front end's program, which makes its function.
    pub(super) fn program(&self) -> &dyn Program {
        &*self.inner.program
    }

    /// The time that reading it took.
    pub(super) fn times(&self) -> StageTimes {
        self.inner.times
    }
}
