//! A shader of another stage for one that shall be drawn: it gives a shader what it reads, or shows what one writes.
//!
//! | file | what |
//! |---|---|
//! | `patches.rs` | a hull shader for a domain shader, or the other way round |
//! | `listing.rs` | the listings from which shaders are assembled |

mod listing;
mod patches;

use std::fmt::Write;

use brolga_bytecode::container::signature::ComponentType;
use brolga_bytecode::container::{Container, SignatureElement};
use brolga_bytecode::info::letters;
use brolga_bytecode::sm3::{self, ItemKind, Operand, RegisterFile, Usage};
use brolga_bytecode::sm5::Stage;
use brolga_bytecode::{Limits, assembler};
use brolga_runtime::{Module, Stage as ShaderStage};

use self::listing::{listing, row};
use self::patches::{Patch, is_place};
use super::DraftError;

/// The semantic of the companion's own positions, which those of a pixel shader's inputs hardly have.
const PLACE: &str = "POSITION";
/// System values that the pipeline gives a pixel shader: the primitive, the face, the sample.
const OF_PIXELS: [u32; 3] = [7, 9, 10];
const POSITION: u32 = 1;
/// The last register of a vertex shader's inputs: what a pixel shader reads beyond as many is given the same.
const LAST_INPUT: u32 = 31;

/// Makes a shader of a stage for one of another: a pixel or vertex shader, or what is missing of hull and domain shader.
pub(super) fn of((beside, bytes): (Stage, &[u8]), made: Stage, limits: &Limits) -> Result<Vec<u8>, DraftError> {
    match sm3::is_program(bytes) {
        true => of_direct3d9(&sm3::decode(bytes, 0, limits).map_err(failed)?, limits),
        false => of_direct3d11(bytes, beside, made, limits),
    }
}

fn failed(error: impl std::fmt::Display) -> DraftError {
    DraftError::Companion(error.to_string())
}

fn of_direct3d11(bytes: &[u8], beside: Stage, made: Stage, limits: &Limits) -> Result<Vec<u8>, DraftError> {
    let container = Container::parse(bytes, limits).map_err(failed)?;
    let text = match made {
        Stage::Hull | Stage::Domain => patch_shader(&container, made, bytes, limits)?,
        Stage::Pixel => pixel_shader(&container.outputs(limits).map_err(failed)?.unwrap_or_default().elements),
        _ => vertex_shader(
            &container.inputs(limits).map_err(failed)?.unwrap_or_default().elements,
            beside == Stage::Hull,
        ),
    };
    Ok(assembler::assemble(&text, limits).map_err(failed)?.bytes)
}

/// The hull shader of a domain shader, or the other way round.
fn patch_shader(container: &Container<'_>, made: Stage, bytes: &[u8], limits: &Limits) -> Result<String, DraftError> {
    let mut of_device = brolga_runtime::Limits::default();
    of_device.file = limits.clone();
    let module = Module::load(bytes, &of_device).map_err(failed)?;
    let constants = container.patch_constants(limits).map_err(failed)?.unwrap_or_default().elements;
    let (signature, domain, points) = match module.stage() {
        ShaderStage::Hull(hull) => (container.outputs(limits), hull.domain, hull.output_points),
        ShaderStage::Domain(domain) => (container.inputs(limits), domain.domain, domain.points),
        stage => return Err(DraftError::Companion(format!("a {} shader has no patches", stage.name()))),
    };
    let between = signature.map_err(failed)?.unwrap_or_default().elements;
    let patch = Patch { domain, points, between: &between, constants: &constants };
    Ok(if made == Stage::Hull { patch.hull_shader() } else { patch.domain_shader() })
}

/// Shows the first output of a vertex shader that is no position, or white.
fn pixel_shader(outputs: &[SignatureElement]) -> String {
    let is_shown = |output: &&SignatureElement| {
        output.system_value == 0
            && output.stream == 0
            && output.register.is_some()
            && output.component_type == ComponentType::Float32
    };
    let shown = outputs.iter().find(is_shown);
    let (mut inputs, mut body) = (String::new(), String::new());
    if let Some(output) = shown {
        inputs = row(output, output.mask);
        let _ = writeln!(body, "dcl_input_ps linear v{}.{}", output.register.unwrap_or(0), letters(output.mask));
    }
    body += "dcl_output o0.xyzw\nmov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)\n";
    if let Some(output) = shown {
        let _ = writeln!(body, "mov o0.{}, v{}.xyzw", letters(output.mask), output.register.unwrap_or(0));
    }
    listing("ps_4_0", &inputs, "// SV_Target 0 xyzw 0 TARGET float xyzw\n", &body)
}

/// Passes on what a shader reads, all of it from vertices. A hull shader's positions are theirs.
fn vertex_shader(reads: &[SignatureElement], is_for_hull: bool) -> String {
    let place = reads.iter().find(|read| read.system_value == POSITION).and_then(|read| read.register);
    let is_free = |register: &u32| reads.iter().all(|read| read.register != Some(*register));
    let place = place.or_else(|| (0..32).find(is_free)).unwrap_or(0);
    let mut inputs = format!("// {PLACE} 0 xyzw 0 NONE float xyzw\n");
    let mut outputs = format!("// SV_Position 0 xyzw {place} POS float xyzw\n");
    let mut declarations = format!("dcl_input v0.xyzw\ndcl_output_siv o{place}.xyzw, position\n");
    let mut instructions = format!("mov o{place}.xyzw, v0.xyzw\n");
    let passed = reads.iter().filter(|read| read.system_value != POSITION && !OF_PIXELS.contains(&read.system_value));
    // Control points without a position by name have it in what comes first, as in a domain shader that is made for them.
    let is_float = |read: &&SignatureElement| read.component_type == ComponentType::Float32 && read.register.is_some();
    let places = || passed.clone().filter(is_float);
    let own_place = places().find(|read| is_place(read)).or_else(|| places().next()).filter(|_| is_for_hull);
    let own_place = own_place.and_then(|read| read.register);
    for (n, read) in (1..).zip(passed.clone().filter(|read| read.register.is_some())) {
        let (register, mask) = (read.register.unwrap_or(0), letters(read.mask));
        // The semantic of the companion's own position is taken.
        let index = read.semantic_index + u32::from(read.name.eq_ignore_ascii_case(PLACE));
        let is_own = own_place.is_some() && read.register == own_place;
        let input = if is_own { 0 } else { n.min(LAST_INPUT) };
        if n <= LAST_INPUT && !is_own {
            inputs += &row(&SignatureElement { register: Some(n), semantic_index: index, ..read.clone() }, 0xf);
            let _ = writeln!(declarations, "dcl_input v{n}.xyzw");
        }
        outputs += &row(read, read.mask);
        let _ = writeln!(declarations, "dcl_output o{register}.{mask}");
        let _ = writeln!(instructions, "mov o{register}.{mask}, v{input}.xyzw");
    }
    listing("vs_4_0", &inputs, &outputs, &(declarations + &instructions))
}

fn of_direct3d9(program: &sm3::Program, limits: &Limits) -> Result<Vec<u8>, DraftError> {
    let declarations = program.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Declaration(declaration) => Some(declaration),
        _ => None,
    });
    // Declarations of a file of registers with a usage: its text, index and components.
    let of_file = |file: RegisterFile| {
        let found = declarations.clone().filter(move |declaration| declaration.register.register.file == file);
        found.filter_map(|declaration| {
            Some((declaration.usage()?, declaration.usage_index(), declaration.register.mask))
        })
    };
    let is_3 = program.version.major() >= 3;
    let text = match program.version.stage() {
        Stage::Vertex => {
            let shown = of_file(RegisterFile::Output)
                .find(|(usage, ..)| !matches!(usage, Usage::Position | Usage::PointSize | Usage::Fog));
            match (is_3, shown, fixed_output(program)) {
                (true, Some((usage, index, mask)), _) => {
                    format!("ps_3_0\ndcl_{usage}{index} v0.{}\nmov oC0, v0", letters(mask))
                }
                (true, None, _) => "ps_3_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0".to_owned(),
                (false, _, Some(input)) => format!("ps_2_0\ndcl {input}\nmov r0, {input}\nmov oC0, r0"),
                (false, ..) => "ps_2_0\ndef c0, 1, 1, 1, 1\nmov oC0, c0".to_owned(),
            }
        }
        _ if is_3 => {
            let mut text = "vs_3_0\ndcl_position v0\ndcl_position o0\n".to_owned();
            let mut moves = "mov o0, v0".to_owned();
            for (n, (usage, index, mask)) in (1..).zip(of_file(RegisterFile::Input)) {
                let _ = writeln!(text, "dcl_{usage}{index} v{n}\ndcl_{usage}{index} o{n}.{}", letters(mask));
                let _ = write!(moves, "\nmov o{n}.{}, v{n}", letters(mask));
            }
            text + &moves
        }
        _ => {
            let text = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_color v2\nmov oPos, v0\nmov oD0, v2\nmov oD1, v2"
                .to_owned();
            let moves = (0..8).map(|n| format!("\nmov oT{n}, v1")).collect::<String>();
            text + &moves
        }
    };
    Ok(sm3::encode(&sm3::assemble(&text, limits).map_err(failed)?))
}

/// The register in which a pixel shader finds what a vertex shader before 3.0 writes: its first colour or texture
/// coordinates.
fn fixed_output(program: &sm3::Program) -> Option<String> {
    let written = program.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => match instruction.operands.first()? {
            Operand::Destination(destination) => Some(destination.register),
            Operand::Source(_) => None,
        },
        _ => None,
    });
    let shown =
        written.filter(|register| matches!(register.file, RegisterFile::Color | RegisterFile::TexCoord)).min()?;
    let letter = if shown.file == RegisterFile::Color { 'v' } else { 't' };
    Some(format!("{letter}{}", shown.number))
}
