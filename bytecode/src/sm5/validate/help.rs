//! Suggests remedies for programs that break a rule.

use super::{Mask, RegisterName, Rule, ValidateError};
use crate::sm5::operand::RegisterFile as File;
use crate::sm5::ops::{Op, Slot, Storage};
use crate::sm5::{Model, Stage};

impl ValidateError {
    /// Suggested remedy, if one is likely.
    pub fn help(&self) -> Option<String> {
        match self.rule {
            Rule::NoTemp { number, declared } => {
                let count = number.checked_add(1)?;
                Some(match declared {
                    0 => format!("add `dcl_temps {count}`"),
                    _ => format!("`dcl_temps` says {declared}; make it {count}"),
                })
            }
            Rule::NotDeclared { register, stage, model } => {
                Some(format!("add `{}`", declaration(register, stage, model, self.op)?))
            }
            Rule::ComponentsNotDeclared {
                register: RegisterName { file: File::IndexableTemp, number },
                missing,
                ..
            } => Some(format!("declare it as `dcl_indexableTemp x{number}[n], {}`", 8 - missing.0.leading_zeros())),
            Rule::ComponentsNotDeclared { register, missing, declared } => {
                Some(format!("declare `{register}{}`", Mask(missing.0 | declared.0)))
            }
            Rule::Missing { .. } => match self.op {
                Op::DclThreadGroup => Some("add `dcl_thread_group x, y, z`".into()),
                Op::DclInputPrimitive => Some("add `dcl_inputprimitive triangle`, or another".into()),
                Op::DclMaxOutputVertexCount => Some("add `dcl_maxout n`".into()),
                _ => None,
            },
            Rule::Unclosed => match self.op {
                Op::If => Some("add `endif`".into()),
                Op::Loop => Some("add `endloop`".into()),
                Op::Switch => Some("add `endswitch`".into()),
                _ => None,
            },
            Rule::NoReturn => Some("end the program with `ret`".into()),
            Rule::LateDeclaration => Some("move it up, before the first instruction".into()),
            Rule::DeclaredTwice { .. } | Rule::Repeated => Some("leave one of them out".into()),
            Rule::Stride { declared, .. } => Some(format!("make it `stride={declared}`, or the declaration the same")),
            Rule::Kind { register: register @ RegisterName { file: File::Sampler, .. }, expected, .. } => {
                Some(format!("declare it as `dcl_sampler {register}, {expected}`, or take another"))
            }
            Rule::NoOutput { stage: Stage::Compute, .. } => {
                Some("what a compute shader gives goes to u#, such as by `store_raw` and `store_uav_typed`".into())
            }
            Rule::File { ref operand, expected: super::VALUE, .. } => {
                let is_memory = matches!(operand.file, File::Resource | File::Uav | File::SharedMemory);
                is_memory.then(|| "memory is read by instructions such as `ld`, `ld_raw` and `ld_structured`".into())
            }
            _ => None,
        }
    }
}

/// The line that declares a register for an opcode that uses it.
fn declaration(register: RegisterName, stage: Stage, model: Model, op: Op) -> Option<String> {
    let RegisterName { file, number } = register;
    // In 5.1 a declaration gives a number to a range of registers.
    let has_ranges = model >= Model::Sm5_1;
    let name = |letters: &str| match has_ranges {
        true => format!("{}{number}[first:last]", letters.to_uppercase()),
        false => format!("{letters}{number}"),
    };
    let space = if has_ranges { ", space=0" } else { "" };
    let slots = op.info().slots;
    let storage = slots.iter().find_map(|slot| match slot {
        Slot::Load(storage) | Slot::Store(storage) => Some(*storage),
        _ => None,
    });
    let mode = slots.iter().find_map(|slot| match slot {
        Slot::Sampler { mode, .. } => Some(mode.text()),
        _ => None,
    });
    Some(match file {
        File::ConstantBuffer => format!("dcl_constantbuffer {}[n], immediateIndexed{space}", name("CB")),
        File::ImmediateConstantBuffer => "dcl_immediateConstantBuffer { { x, y, z, w} }".into(),
        File::Sampler => format!("dcl_sampler {}, {}{space}", name("s"), mode.unwrap_or("mode_default")),
        File::Resource => match storage {
            Some(Storage::Raw) => format!("dcl_resource_raw {}{space}", name("t")),
            Some(Storage::Structured) => format!("dcl_resource_structured {}, stride{space}", name("t")),
            Some(Storage::Samples | Storage::SamplesOrRasterizer) => {
                format!("dcl_resource_texture2dms(0) (float,float,float,float) {}{space}", name("t"))
            }
            Some(Storage::Buffer) => format!("dcl_resource_buffer (float,float,float,float) {}{space}", name("t")),
            _ => format!("dcl_resource_texture2d (float,float,float,float) {}{space}", name("t")),
        },
        File::Uav => match storage {
            Some(Storage::Raw | Storage::Atomic) => format!("dcl_uav_raw {}{space}", name("u")),
            Some(Storage::Structured) => format!("dcl_uav_structured {}, stride{space}", name("u")),
            Some(Storage::Counter) => format!("dcl_uav_structured_opc {}, stride{space}", name("u")),
            _ => format!("dcl_uav_typed_texture2d (float,float,float,float) {}{space}", name("u")),
        },
        File::SharedMemory => match storage {
            Some(Storage::Structured) => format!("dcl_tgsm_structured g{number}, stride, count"),
            _ => format!("dcl_tgsm_raw g{number}, bytes"),
        },
        File::IndexableTemp => format!("dcl_indexableTemp x{number}[n], 4"),
        File::Input if stage == Stage::Pixel => format!("dcl_input_ps linear v{number}.xyzw"),
        File::Input if matches!(stage, Stage::Vertex | Stage::Domain) => format!("dcl_input v{number}.xyzw"),
        File::Input => format!("dcl_input v[n][{number}].xyzw"),
        File::Output => format!("dcl_output o{number}.xyzw"),
        File::InputControlPoint => format!("dcl_input vicp[n][{number}].xyzw"),
        File::OutputControlPoint => format!("dcl_input vocp[n][{number}].xyzw"),
        File::PatchConstant => format!("dcl_input vpc{number}.xyzw"),
        File::ThreadId | File::GroupId | File::ThreadIdInGroup | File::DomainPoint => {
            format!("dcl_input {register}.xyz")
        }
        File::InputPrimitiveId
        | File::ThreadIndexInGroup
        | File::GsInstanceId
        | File::InputCoverage
        | File::InnerCoverage
        | File::OutputControlPointId
        | File::ForkInstanceId
        | File::JoinInstanceId
        | File::CycleCounter => format!("dcl_input {register}"),
        File::OutputDepth
        | File::OutputDepthGreaterEqual
        | File::OutputDepthLessEqual
        | File::OutputCoverageMask
        | File::OutputStencilRef => format!("dcl_output {register}"),
        File::Stream => format!("dcl_stream m{number}"),
        File::FunctionBody => format!("dcl_function_body fb{number}"),
        // They need more than a line, or none.
        File::FunctionTable
        | File::Interface
        | File::Temp
        | File::Immediate32
        | File::Immediate64
        | File::Label
        | File::Null
        | File::Rasterizer
        | File::FunctionInput
        | File::FunctionOutput
        | File::This => return None,
    })
}
