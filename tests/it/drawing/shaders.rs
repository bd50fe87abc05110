//! Assembles the shaders of the tests from text.
//!
//! Rows of signatures are those of a listing, without the last column: `TEXCOORD 1 xyzw 2 NONE float`. All shaders have
//! the vertex shader [`vertex`] or one like it, which copies inputs to outputs, register by register.

use brolga_testing::run::assemble;

/// Inputs of the vertex shaders: a position and three attributes.
pub const INPUTS: [&str; 4] = [
    "POSITION 0 xyzw 0 NONE float",
    "TEXCOORD 0 xyzw 1 NONE float",
    "TEXCOORD 1 xyzw 2 NONE float",
    "TEXCOORD 2 xyzw 3 NONE float",
];

/// Their outputs, which pixel shaders may read.
pub const OUTPUTS: [&str; 4] = [
    "SV_Position 0 xyzw 0 POS float",
    "TEXCOORD 0 xyzw 1 NONE float",
    "TEXCOORD 1 xyzw 2 NONE float",
    "TEXCOORD 2 xyzw 3 NONE float",
];

/// A container with signatures.
pub fn shader(model: &str, inputs: &[&str], outputs: &[&str], code: &str) -> Vec<u8> {
    shader_with_patch(model, inputs, outputs, &[], code)
}

/// The same with that of a patch's values.
pub fn shader_with_patch(model: &str, inputs: &[&str], outputs: &[&str], patch: &[&str], code: &str) -> Vec<u8> {
    let table = |title: &str, rows: &[&str]| {
        // Every component is used.
        let mask = |row: &str| row.split(' ').nth(2).unwrap_or_default().to_owned();
        let rows: String = rows.iter().map(|row| format!("// {row} {}\n", mask(row))).collect();
        format!(
            "// {title} signature:\n//\n// Name Index Mask Register SysValue Format Used\n\
             // ---- ----- ---- -------- -------- ------ ----\n{rows}//\n//\n"
        )
    };
    let mut signatures = vec![table("Input", inputs), table("Output", outputs)];
    if !patch.is_empty() {
        signatures.insert(0, table("Patch Constant", patch));
    }
    let signatures = signatures.concat();
    assemble(&format!("//\n{signatures}{model}\n{code}\nret\n"))
}

/// A vertex shader that copies the position and the attributes.
pub fn vertex() -> Vec<u8> {
    vertex_with(&INPUTS, &OUTPUTS, "dcl_output o1.xyzw\ndcl_output o2.xyzw\ndcl_output o3.xyzw", "")
}

/// The same with other declarations of its outputs, and with code after it.
pub fn vertex_with(inputs: &[&str], outputs: &[&str], declarations: &str, code: &str) -> Vec<u8> {
    let code = format!(
        "dcl_globalFlags refactoringAllowed\n\
         dcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_input v2.xyzw\ndcl_input v3.xyzw\n\
         dcl_output_siv o0.xyzw, position\n{declarations}\ndcl_temps 2\n\
         mov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xyzw\nmov o2.xyzw, v2.xyzw\nmov o3.xyzw, v3.xyzw\n{code}"
    );
    shader("vs_5_0", inputs, outputs, &code)
}

/// A pixel shader that may read all that [`vertex`] writes, and two registers after it: `SV_IsFrontFace` from `v4.x`,
/// `SV_PrimitiveID` from `v5.x`, `SV_Coverage` from the register of that name.
pub fn pixel(code: &str) -> Vec<u8> {
    pixel_with("dcl_globalFlags refactoringAllowed", code)
}

/// The same with other flags.
pub fn pixel_with(flags: &str, code: &str) -> Vec<u8> {
    let own = ["SV_IsFrontFace 0 x 4 FFACE uint", "SV_PrimitiveID 0 x 5 PRIMID uint"];
    let inputs: Vec<&str> = OUTPUTS.into_iter().chain(own).collect();
    shader("ps_5_0", &inputs, &[], &format!("{flags}\n{code}"))
}

/// A pixel shader that outputs an attribute of `v1`, interpolated in a mode.
pub fn attribute(mode: &str) -> Vec<u8> {
    pixel(&format!("dcl_input_ps {mode} v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw"))
}
