//! Chooses the float mode for a shader: Direct3D flushes 32-bit denormals and keeps 64-bit ones, which no mode does.

use brolga_fenv::FloatMode;
use brolga_ir::Function;
use brolga_ir::entity::Region;
use brolga_ir::function::InstKind;

/// Flushing without double arithmetic. With it, code flushes operands and results of 32 bits by itself.
pub(crate) fn float_mode(func: &Function) -> FloatMode {
    fn any(func: &Function, region: Region) -> bool {
        func.region(region).insts.iter().any(|&inst| match &func.inst(inst).kind {
            InstKind::Op { op, .. } => op.is_f64_arithmetic(),
            kind => kind.regions().into_iter().any(|inner| any(func, inner)),
        })
    }
    if any(func, func.body()) { FloatMode::Default } else { FloatMode::Flush }
}
