//! Lowering of the IR's pure operations, one arm per row of the table in `ir/src/ops.rs`.

use brolga_ir::Op;

use crate::FloatMode;
use crate::packet::{Emit, Operand};

/// Emits an operation. Uniform operands give scalar code and a uniform result; otherwise uniform ones are splatted and
/// the result is a packet.
pub fn lower_op(emit: &mut Emit<'_, '_>, op: Op, args: &[Operand], mode: FloatMode) -> Operand {
    let _ = (emit, op, args, mode);
    todo!()
}
