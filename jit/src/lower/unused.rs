//! Removes unused loads.
//!
//! Lowering emits more than is needed in the end, above all vectors of addresses that turn out to be a single scalar.
//! Cranelift drops unused pure instructions by itself, but keeps loads, and everything that they depend on.

use cranelift_codegen::ir::{Function, Inst, InstructionData, Opcode};

/// Removes unused loads, and instructions that only they used.
pub(super) fn remove_loads(func: &mut Function) {
    let mut uses = vec![0u32; func.dfg.num_values()];
    let blocks: Vec<_> = func.layout.blocks().collect();
    let insts: Vec<Inst> = blocks.iter().flat_map(|&block| func.layout.block_insts(block)).collect();
    for &inst in &insts {
        for value in func.dfg.inst_values(inst) {
            uses[func.dfg.resolve_aliases(value).as_u32() as usize] += 1;
        }
    }
    // From the end, so that the operands of an unused instruction are seen after it.
    for &inst in insts.iter().rev() {
        let opcode = func.dfg.insts[inst].opcode();
        let pure = !opcode.is_terminator()
            && !opcode.is_branch()
            && !opcode.is_call()
            && !opcode.can_store()
            && !opcode.other_side_effects()
            && !opcode.can_trap();
        let load = opcode == Opcode::Load && matches!(&func.dfg.insts[inst], InstructionData::Load { .. });
        let unused = func.dfg.inst_results(inst).iter().all(|value| uses[value.as_u32() as usize] == 0);
        if (load || pure) && unused {
            for value in func.dfg.inst_values(inst).collect::<Vec<_>>() {
                uses[func.dfg.resolve_aliases(value).as_u32() as usize] -= 1;
            }
            func.layout.remove_inst(inst);
        }
    }
}
