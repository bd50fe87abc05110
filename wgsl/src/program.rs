//! The front end for the runtime.

use std::borrow::Cow;

use brolga_bytecode::debug::DebugInfo;
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::Interface;
use brolga_runtime::{CompileOptions, Error, Module, Program, Register, SourceLine};

use crate::options::Options;
use crate::shader::Shader;

impl Shader {
    /// Reads an entry point of a text as a module, which a device compiles.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub fn module(text: &str, options: &Options) -> Result<Module, Error> {
        let shader = Self::read(text, options).map_err(|error| Error::FrontEnd(Box::new(error)))?;
        Module::new(shader)
    }

    /// The bytes that instructions come from, each once and in order.
    fn origins(&self) -> Vec<Origin> {
        let function = self.function();
        let mut origins: Vec<Origin> = function.each_inst().map(|inst| function.inst(inst).origin).collect();
        origins.sort_unstable();
        origins.dedup();
        origins
    }
}

impl Program for Shader {
    fn interface(&self) -> Result<Interface, Error> {
        Ok(self.function().interface.clone())
    }

    fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
        Ok(self.function().clone())
    }

    fn translate_to_check(&self, _: &CompileOptions) -> Result<Function, Error> {
        self.function_to_check().cloned().map_err(|error| Error::FrontEnd(Box::new(error)))
    }

    fn name(&self) -> String {
        self.entry().to_owned()
    }

    fn registers(&self) -> Vec<(String, Register, Option<u32>)> {
        let register = |of: &crate::Binding| Register::new(of.class, of.binding).in_space(of.group);
        self.bindings().iter().map(|of| (of.name.clone(), register(of), Some(1))).collect()
    }

    fn shared_names(&self) -> Vec<(u32, String)> {
        (0..).zip(self.workgroup_variables().iter().cloned()).collect()
    }

    /// The lines of the text, each where an instruction begins.
    fn lines(&self) -> Vec<SourceLine> {
        let line = |origin| SourceLine { origin, text: self.line(origin).to_owned() };
        self.origins().into_iter().map(line).collect()
    }

    /// A name and the lines of the text, if it has a name.
    fn debug_info(&self) -> Option<DebugInfo> {
        self.file().map(|name| DebugInfo::of_text(name, self.text()))
    }

    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(Shader::identity(self)))
    }
}
