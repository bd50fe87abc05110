//! Makes companions: for a shader of one stage, one of the other that matches its signature.
//!
//! A pixel shader's companion writes all its inputs, in the same registers, from vertex data and from the numbers of
//! vertices. A vertex shader's companion reads all its outputs and passes them on to targets.

use std::fmt::Write;

use brolga::bytecode::container::SignatureElement;
use brolga::bytecode::container::signature::SYSTEM_VALUES;
use brolga_testing::corpus::DrawStage;
use brolga_testing::random::Random;

use super::shaders::{Kind, Shader, letters, system_value};

/// The inputs of vertex companions that position a vertex: its position, and the offset of an instance.
pub const PLACE: &str = "POSITION";
pub const OFFSET: &str = "OFFSET";

/// Input registers of a shader, and output registers of a vertex shader.
const REGISTERS: u32 = 32;

/// A row of a signature's table in a listing.
fn row(name: &str, index: u32, mask: u8, register: u32, value: u32, kind: Kind) -> String {
    let value = SYSTEM_VALUES.iter().find(|(number, _)| *number == value).map_or("NONE", |(_, name)| name);
    let (mask, kind) = (letters(mask), kind.name());
    format!("// {name} {index} {mask} {register} {value} {kind} {mask}\n")
}

/// A whole text: both tables, the model, declarations and instructions.
fn text(model: &str, inputs: &str, outputs: &str, body: &str) -> String {
    let head = "// Name Index Mask Register SysValue Format Used\n";
    format!("// Input signature:\n{head}{inputs}//\n// Output signature:\n{head}{outputs}//\n{model}\n{body}ret\n")
}

/// The declaration's name of a system value that a vertex shader writes.
fn written(value: u32) -> Option<&'static str> {
    match value {
        system_value::POSITION => Some("position"),
        system_value::CLIP_DISTANCE => Some("clip_distance"),
        system_value::CULL_DISTANCE => Some("cull_distance"),
        system_value::RENDER_TARGET_ARRAY_INDEX => Some("rendertarget_array_index"),
        system_value::VIEWPORT_ARRAY_INDEX => Some("viewport_array_index"),
        _ => None,
    }
}

/// A vertex shader for a pixel shader.
pub fn vertex_shader(pixel: &Shader, random: &mut Random) -> Shader {
    let linked: Vec<&SignatureElement> = pixel.linked().collect();
    // The register of the position, or else one that the pixel shader does not read.
    let reads_position = pixel.inputs.iter().find(|input| input.system_value == system_value::POSITION);
    let is_free = |register: &u32| linked.iter().all(|input| input.register != Some(*register));
    let position = reads_position
        .and_then(|input| input.register)
        .or_else(|| (0..REGISTERS).find(is_free))
        .expect("a pixel shader that leaves room for a position");

    let mut inputs = row(PLACE, 0, 15, 0, 0, Kind::Float) + &row(OFFSET, 0, 15, 1, 0, Kind::Float);
    inputs += &row("SV_VertexID", 0, 1, 2, 6, Kind::Uint);
    let mut outputs = row("SV_Position", 0, 15, position, system_value::POSITION, Kind::Float);
    let mut declarations = String::from("dcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_input_sgv v2.x, vertex_id\n");
    let _ = writeln!(declarations, "dcl_output_siv o{position}.xyzw, position");
    let mut instructions = format!("utof r0.x, v2.x\nadd o{position}.xyzw, v0.xyzw, v1.xyzw\n");
    for (n, input) in (3..).zip(&linked) {
        let (register, mask, kind) = (input.register.unwrap_or_default(), letters(input.mask), Kind::of(input));
        outputs += &row(&input.name, input.semantic_index, input.mask, register, input.system_value, kind);
        let n = if n < REGISTERS {
            inputs += &row("ATTRIBUTE", n, 15, n, 0, kind);
            let _ = writeln!(declarations, "dcl_input v{n}.xyzw");
            n
        } else {
            // There are no more registers: the first attribute serves again, as the bits that it has.
            3
        };
        let _ = match written(input.system_value) {
            Some(value) => writeln!(declarations, "dcl_output_siv o{register}.{mask}, {value}"),
            None => writeln!(declarations, "dcl_output o{register}.{mask}"),
        };
        // Distances are data alone, most of which is inside.
        let way = if written(input.system_value).is_some() { 3 } else { random.below(4) };
        let _ = match (way, kind) {
            (0, Kind::Float) => {
                writeln!(instructions, "mad o{register}.{mask}, r0.xxxx, l(0.125, 0.25, -0.5, 0.0625), v{n}.xyzw")
            }
            (0, Kind::Uint | Kind::Sint) => writeln!(instructions, "and o{register}.{mask}, v2.xxxx, l(1, 3, 7, 15)"),
            (1, Kind::Float) => writeln!(instructions, "mul o{register}.{mask}, v{n}.wxyz, v{n}.yzwx"),
            _ => writeln!(instructions, "mov o{register}.{mask}, v{n}.xyzw"),
        };
    }
    let text = text("vs_5_0", &inputs, &outputs, &format!("{declarations}dcl_temps 1\n{instructions}"));
    Shader::assembled(&format!("vertices for {}", pixel.name), DrawStage::Vertex, &text)
}

/// Targets that a draw can have.
const TARGETS: usize = 8;
/// Interpolation modes of floats in pixel shaders.
const MODES: [&str; 8] = [
    "linear",
    "linear",
    "linear centroid",
    "linear noperspective",
    "linear noperspective centroid",
    "constant",
    "linear sample",
    "linear noperspective sample",
];

/// A pixel shader for a vertex shader.
pub fn pixel_shader(vertex: &Shader, random: &mut Random) -> Shader {
    let read: Vec<&SignatureElement> = vertex.outputs.iter().filter(|output| output.register.is_some()).collect();
    // If there are more outputs than targets, the last targets, one for each kind, take the rest.
    let kinds = [Kind::Float, Kind::Uint, Kind::Sint];
    let own = if read.len() > TARGETS { TARGETS - kinds.len() } else { read.len() };
    // All that one register holds is interpolated alike.
    let modes: Vec<&str> = (0..REGISTERS).map(|_| random.pick(&MODES)).collect();

    let (mut inputs, mut outputs) = (String::new(), String::new());
    let (mut declarations, mut instructions) = (String::new(), String::new());
    for (n, output) in read.iter().enumerate() {
        let (register, mask, kind) = (output.register.unwrap_or_default(), letters(output.mask), Kind::of(output));
        inputs += &row(&output.name, output.semantic_index, output.mask, register, output.system_value, kind);
        let mode = if kind == Kind::Float { modes[register as usize] } else { "constant" };
        let _ = match (output.system_value, written(output.system_value)) {
            (system_value::POSITION, _) => {
                writeln!(declarations, "dcl_input_ps_siv linear noperspective v{register}.{mask}, position")
            }
            (_, Some(value)) => writeln!(declarations, "dcl_input_ps_siv {mode} v{register}.{mask}, {value}"),
            (_, None) => writeln!(declarations, "dcl_input_ps {mode} v{register}.{mask}"),
        };
        if n < own {
            outputs += &row("SV_Target", n as u32, 15, n as u32, 64, kind);
            let _ = writeln!(declarations, "dcl_output o{n}.xyzw");
            let _ = writeln!(instructions, "mov o{n}.xyzw, l(0, 0, 0, 0)\nmov o{n}.{mask}, v{register}.xyzw");
        } else {
            let sum = kinds.iter().position(|&of| of == kind).unwrap_or_default();
            let add = if kind == Kind::Float { "add" } else { "iadd" };
            let _ = writeln!(instructions, "{add} r{sum}.{mask}, r{sum}.xyzw, v{register}.xyzw");
        }
    }
    if own < read.len() {
        for (sum, kind) in kinds.into_iter().enumerate() {
            let n = own + sum;
            outputs += &row("SV_Target", n as u32, 15, n as u32, 64, kind);
            let _ = writeln!(declarations, "dcl_output o{n}.xyzw");
            let _ = writeln!(instructions, "mov o{n}.xyzw, r{sum}.xyzw");
        }
        instructions =
            format!("mov r0.xyzw, l(0, 0, 0, 0)\nmov r1.xyzw, r0.xyzw\nmov r2.xyzw, r0.xyzw\n{instructions}");
    }
    let text = text("ps_5_0", &inputs, &outputs, &format!("{declarations}dcl_temps 3\n{instructions}"));
    Shader::assembled(&format!("pixels for {}", vertex.name), DrawStage::Pixel, &text)
}
