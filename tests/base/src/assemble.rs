//! Assembles shaders for tests from the lines of a listing.

use brolga_bytecode::assembler::{self, AssembleError};
use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::{Limits, LoadOptions, Shader};
use brolga_ir::Function;
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::sm5::{TranslateOptions, translate};

/// A checked compute shader of model 5.0 with doubles and the extensions of 11.1. Without another group it has one
/// thread.
pub fn assemble(text: &str) -> ValidProgram {
    let group = if text.contains("dcl_thread_group") { "" } else { "dcl_thread_group 1, 1, 1" };
    let text = format!(
        "cs_5_0
         dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps | enable11_1DoubleExtensions | \
         enable11_1ShaderExtensions
         {group}
         {text}"
    );
    let wrong = |error: AssembleError| -> ! { panic!("{error}: {:?}", text.get(error.span.clone())) };
    let assembly = assembler::assemble(&text, &Limits::default()).unwrap_or_else(|error| wrong(error));
    assembly.check(&text, &LoadOptions::default()).unwrap_or_else(|error| wrong(error));
    Shader::load(&assembly.bytes, &LoadOptions::default()).expect("it was just checked").program
}

/// Such a shader as it is translated, with registers in slots.
pub fn translated(text: &str) -> Function {
    translate(&assemble(text), &TranslateOptions::default()).expect("a plain compute shader")
}

/// The same as engines take it, without further passes.
pub fn in_ssa(text: &str) -> Function {
    let mut func = translated(text);
    optimise(&mut func, Level::None);
    func
}
