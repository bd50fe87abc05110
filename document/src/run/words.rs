//! Translates errors of draws to the words of Direct3D 9 where the engines use others.

use brolga_bytecode::sm5::Stage::{Pixel, Vertex};
use brolga_raster::error::DrawError;
use brolga_runtime::Error;

use crate::error::Problem;
use crate::model::registers::written;

/// The problem for an error of a draw or a pipeline.
pub(super) fn problem(error: DrawError) -> Problem {
    let message = match &error {
        DrawError::NoPosition { .. } => {
            "the vertex shader writes no position, which is oPos, or in vs_3_0 an o# that is declared with dcl_position"
                .to_owned()
        }
        DrawError::ReadsTarget { stage, register, target } => {
            let of = if *stage == Vertex.name() { Vertex } else { Pixel };
            let register = written(true, of, &register.to_string());
            let target = if target.starts_with("target") { "the render target" } else { target };
            format!("the {stage} shader reads `{register}`, which is {target} of the same draw: let it read a copy")
        }
        DrawError::Shader { stage, source: Error::Binding(binding) } => {
            let of = if *stage == Vertex.name() { Vertex } else { Pixel };
            let Some(register) = binding.register().map(|register| register.to_string()) else { return error.into() };
            // Its name there includes the stage.
            binding.to_string().replacen(&register, &written(true, of, &register), 1)
        }
        _ => return error.into(),
    };
    Problem::value(message)
}
