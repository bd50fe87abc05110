//! Gives an example of each instruction and declaration, for messages and the documentation.

use crate::sm5::Model;
use crate::sm5::ops::{Form, Op, OpInfo, Slot, Storage};

/// An example of a declaration in a program of this model. Registers are ranges in 5.1.
pub(crate) fn declaration(op: Op, model: Model) -> &'static str {
    let by_model = |before: &'static str, in_5_1: &'static str| match model {
        Model::Sm4_0 | Model::Sm4_1 | Model::Sm5_0 => before,
        Model::Sm5_1 => in_5_1,
    };
    match op {
        Op::DclResource => by_model(
            "dcl_resource_texture2d (float,float,float,float) t0",
            "dcl_resource_texture2d (float,float,float,float) T0[0:0], space=0",
        ),
        Op::DclResourceRaw => by_model("dcl_resource_raw t0", "dcl_resource_raw T0[0:0], space=0"),
        Op::DclResourceStructured => {
            by_model("dcl_resource_structured t0, 16", "dcl_resource_structured T0[0:0], 16, space=0")
        }
        Op::DclUavTyped => by_model(
            "dcl_uav_typed_texture2d (float,float,float,float) u0",
            "dcl_uav_typed_texture2d (float,float,float,float) U0[0:0], space=0",
        ),
        Op::DclUavRaw => by_model("dcl_uav_raw u0", "dcl_uav_raw U0[0:0], space=0"),
        Op::DclUavStructured => by_model("dcl_uav_structured u0, 16", "dcl_uav_structured U0[0:0], 16, space=0"),
        Op::DclSampler => by_model("dcl_sampler s0, mode_default", "dcl_sampler S0[0:0], mode_default, space=0"),
        Op::DclConstantBuffer => by_model(
            "dcl_constantbuffer CB0[4], immediateIndexed",
            "dcl_constantbuffer CB0[0:0][4], immediateIndexed, space=0",
        ),
        Op::DclGlobalFlags => "dcl_globalFlags refactoringAllowed",
        Op::DclIndexRange => "dcl_indexrange v0.xyzw 4",
        Op::DclOutputTopology => "dcl_outputtopology trianglestrip",
        Op::DclInputPrimitive => "dcl_inputprimitive triangle",
        Op::DclMaxOutputVertexCount => "dcl_maxout 3",
        Op::DclInput => "dcl_input v0.xyzw",
        Op::DclInputSgv => "dcl_input_sgv v0.x, vertex_id",
        Op::DclInputSiv => "dcl_input_siv v0.xyzw, position",
        Op::DclInputPs => "dcl_input_ps linear v0.xyzw",
        Op::DclInputPsSgv => "dcl_input_ps_sgv constant v0.x, is_front_face",
        Op::DclInputPsSiv => "dcl_input_ps_siv linear noperspective v0.xy, position",
        Op::DclOutput => "dcl_output o0.xyzw",
        Op::DclOutputSgv => "dcl_output_sgv o0.x, primitive_id",
        Op::DclOutputSiv => "dcl_output_siv o0.xyzw, position",
        Op::DclTemps => "dcl_temps 4",
        Op::DclIndexableTemp => "dcl_indexableTemp x0[8], 4",
        Op::DclStream => "dcl_stream m0",
        Op::DclFunctionBody => "dcl_function_body fb0",
        Op::DclFunctionTable => "dcl_function_table ft0 = {fb0, fb1}",
        Op::DclInterface => "dcl_interface fp0[1][1] = {ft0, ft1}",
        Op::DclInputControlPointCount => "dcl_input_control_point_count 3",
        Op::DclOutputControlPointCount => "dcl_output_control_point_count 3",
        Op::DclTessellatorDomain => "dcl_tessellator_domain domain_tri",
        Op::DclTessellatorPartitioning => "dcl_tessellator_partitioning partitioning_integer",
        Op::DclTessellatorOutputPrimitive => "dcl_tessellator_output_primitive output_triangle_cw",
        Op::DclHsMaxTessFactor => "dcl_hs_max_tessfactor l(64.000000)",
        Op::DclHsForkPhaseInstanceCount => "dcl_hs_fork_phase_instance_count 3",
        Op::DclHsJoinPhaseInstanceCount => "dcl_hs_join_phase_instance_count 3",
        Op::DclThreadGroup => "dcl_thread_group 64, 1, 1",
        Op::DclTgsmRaw => "dcl_tgsm_raw g0, 256",
        Op::DclTgsmStructured => "dcl_tgsm_structured g0, 16, 64",
        Op::DclGsInstances => "dcl_gsinstances 4",
        op => unreachable!("{op} has the form of a declaration in the table and no example"),
    }
}

impl OpInfo {
    /// An example of the instruction with all operands; or of the declaration, before 5.1.
    pub fn example(&self) -> String {
        if self.form == Form::Declaration {
            return declaration(self.op, Model::Sm5_0).to_owned();
        }
        let mut registers = 0;
        let mut operands = Vec::new();
        for slot in self.slots {
            let text = match slot {
                Slot::Write { .. } | Slot::Read { .. } => {
                    registers += 1;
                    format!("r{}.x", registers - 1)
                }
                Slot::Store(Storage::TypedUav) | Slot::Load(Storage::TypedUav) => "u0.xyzw".into(),
                Slot::Store(Storage::Atomic | Storage::Counter) => "u0".into(),
                Slot::Store(_) => "u0.x".into(),
                Slot::Load(_) => "t0.xyzw".into(),
                Slot::Sampler { select: false, .. } => "s0".into(),
                Slot::Sampler { select: true, .. } => "s0.x".into(),
                Slot::Label => "label0".into(),
                Slot::Stream => "m0".into(),
                Slot::Interface => "fp0[0][0]".into(),
                Slot::Case => "l(0)".into(),
                Slot::Attribute => "v0.xyzw".into(),
            };
            operands.push(text);
        }
        format!("{} {}", self.mnemonic(), operands.join(", ")).trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::assembler::assemble;

    #[test]
    fn every_example_is_a_declaration() {
        for op in Op::ALL.iter().filter(|op| op.info().form == Form::Declaration) {
            for model in [Model::Sm5_0, Model::Sm5_1] {
                let example = declaration(*op, model);
                assert!(example.starts_with(op.text()), "{op}: {example}");
                let text = format!("cs_{model}\n{example}\n");
                let assembly = assemble(&text, &Limits::default()).unwrap_or_else(|error| panic!("{example}: {error}"));
                assert_eq!(assembly.spans.len(), 1, "{example}");
            }
        }
    }
}
