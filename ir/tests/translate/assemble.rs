//! Shaders for tests from the lines of a listing.

use brolga_bytecode::assembler::{self, AssembleError};
use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::{Limits, LoadOptions, Shader};

/// A checked program of shader model 5.0 with doubles, the extensions of 11.1 and a group of one thread.
pub(crate) fn assemble(text: &str) -> ValidProgram {
    let text = format!(
        "cs_5_0
         dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps | enable11_1DoubleExtensions | \
         enable11_1ShaderExtensions
         dcl_thread_group 1, 1, 1
         {text}"
    );
    let wrong = |error: AssembleError| -> ! { panic!("{error}: {:?}", text.get(error.span.clone())) };
    let assembly = assembler::assemble(&text, &Limits::default()).unwrap_or_else(|error| wrong(error));
    assembly.check(&text, &LoadOptions::default()).unwrap_or_else(|error| wrong(error));
    Shader::load(&assembly.bytes, &LoadOptions::default()).expect("it was just checked").program
}
