//! The interface of a front end: a shader that is read and checked, whatever its language.

use std::borrow::Cow;
use std::fmt::Debug;

use brolga_bytecode::debug::DebugInfo;
use brolga_ir::function::Function;
use brolga_ir::interface::Interface;
use brolga_ir::stage::{Parameter, Signature};
use brolga_ir::verify::VerifiedFunction;
use brolga_jit::listing::SourceLine;

use crate::bindings::Register;
use crate::error::Error;
use crate::shader::options::CompileOptions;

/// A shader that is read and checked. Its function is made for each set of options anew. Faults in its own terms are an
/// [`Error::FrontEnd`].
pub trait Program: Debug + Send + Sync {
    /// Its declarations: its stage with inputs and outputs, its resources.
    ///
    /// # Errors
    /// If it uses a feature that cannot be run.
    fn interface(&self) -> Result<Interface, Error>;

    /// Its function, which obeys the rules of [`verify`](brolga_ir::verify::verify). They are checked after the passes:
    /// a function that breaks one is an internal error.
    ///
    /// # Errors
    /// If it uses a feature that cannot be run, or the options do not fit it.
    fn translate(&self, options: &CompileOptions) -> Result<Function, Error>;

    /// The same function for a check. Where the source's rules leave out an access and the function does too, this one has an
    /// access outside of memory ([`insight::OUTSIDE`](brolga_ir::insight::OUTSIDE)), which does the same and is found.
    ///
    /// # Errors
    /// As [`Self::translate`].
    fn translate_to_check(&self, options: &CompileOptions) -> Result<Function, Error> {
        self.translate(options)
    }

    /// The inputs and outputs that other stages and vertex data are linked with, if they are more than
    /// [`Self::interface`] declares: a file's signatures also have those that no instruction uses.
    fn signature(&self) -> Option<Signature> {
        None
    }

    /// The values of a patch that a hull shader writes or a domain shader reads, likewise.
    fn patch_constants(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// The major number of its shader model. Up to 3 the rules of drawing are those of Direct3D 9.
    fn major(&self) -> u32 {
        5
    }

    /// Stage and model, as in `cs_5_0`, if it comes from a file.
    fn profile(&self) -> Option<String> {
        None
    }

    /// Name of its code if the options give none: by default its profile.
    fn name(&self) -> String {
        self.profile().unwrap_or_else(|| "function".to_owned())
    }

    /// The names of its registers: each with the first one and their number, or `None` if unbounded.
    fn registers(&self) -> Vec<(String, Register, Option<u32>)> {
        Vec::new()
    }

    /// The names of its shared memory: each with its number. By default those of its debug information.
    fn shared_names(&self) -> Vec<(u32, String)> {
        Vec::new()
    }

    /// The instructions, declarations left out.
    fn lines(&self) -> Vec<SourceLine> {
        Vec::new()
    }

    /// Its debug information, if it has any that can be read. It is asked for once, by the first message that names a line.
    fn debug_info(&self) -> Option<DebugInfo> {
        None
    }

    /// Bytes that determine its functions together with the options, by which machine code is kept on disk; by default
    /// none is kept. Those of different programs must differ, and begin with a mark of this front end.
    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// A function, which a caller built or parsed, is a program whose options change nothing.
impl Program for VerifiedFunction {
    fn interface(&self) -> Result<Interface, Error> {
        Ok(self.interface.clone())
    }

    fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
        Ok(Function::clone(self))
    }

    fn name(&self) -> String {
        if self.name.is_empty() { "function".to_owned() } else { self.name.clone() }
    }

    /// Its text, which determines it completely.
    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Owned(self.to_string().into_bytes()))
    }
}
