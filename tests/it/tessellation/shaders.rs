//! Hull and domain shaders that are made of a few words.

use brolga::{Domain, OutputPrimitive, Partitioning};

use super::super::drawing::shaders::{OUTPUTS, shader_with_patch};

/// The tessellation factors of a domain: their rows in the signature, and their names in declarations.
fn factors(domain: Domain) -> (Vec<&'static str>, Vec<&'static str>) {
    let (rows, names) = match domain {
        Domain::Isoline => (
            &["SV_TessFactor 0 x 0 LINEDEN float", "SV_TessFactor 1 x 1 LINEDET float"][..],
            &["finalLineDensityTessFactor", "finalLineDetailTessFactor"][..],
        ),
        Domain::Triangle => (
            &[
                "SV_TessFactor 0 x 0 TRIEDGE float",
                "SV_TessFactor 1 x 1 TRIEDGE float",
                "SV_TessFactor 2 x 2 TRIEDGE float",
                "SV_InsideTessFactor 0 x 3 TRIINT float",
            ][..],
            &[
                "finalTriUeq0EdgeTessFactor",
                "finalTriVeq0EdgeTessFactor",
                "finalTriWeq0EdgeTessFactor",
                "finalTriInsideTessFactor",
            ][..],
        ),
        Domain::Quad => (
            &[
                "SV_TessFactor 0 x 0 QUADEDGE float",
                "SV_TessFactor 1 x 1 QUADEDGE float",
                "SV_TessFactor 2 x 2 QUADEDGE float",
                "SV_TessFactor 3 x 3 QUADEDGE float",
                "SV_InsideTessFactor 0 x 4 QUADINT float",
                "SV_InsideTessFactor 1 x 5 QUADINT float",
            ][..],
            &[
                "finalQuadUeq0EdgeTessFactor",
                "finalQuadVeq0EdgeTessFactor",
                "finalQuadUeq1EdgeTessFactor",
                "finalQuadVeq1EdgeTessFactor",
                "finalQuadUInsideTessFactor",
                "finalQuadVInsideTessFactor",
            ][..],
        ),
    };
    (rows.to_vec(), names.to_vec())
}

/// The row of the value of a patch behind its factors: `PATCH`, of four components.
pub const OWN: u32 = 6;

/// A hull shader of patches with so many control points, which are positions and attributes.
pub struct Hull<'a> {
    pub domain: Domain,
    pub partitioning: Partitioning,
    pub output: OutputPrimitive,
    pub input_points: u32,
    pub output_points: u32,
    /// Declarations of resources.
    pub resources: &'a str,
    /// The phase that makes control points, without the marker; without it those are passed on.
    pub points: Option<&'a str>,
    /// Phases of the patch, with their markers and declarations.
    pub phases: &'a str,
}

impl<'a> Hull<'a> {
    /// Patches that pass their control points on.
    pub fn new(domain: Domain, output: OutputPrimitive, points: u32, phases: &'a str) -> Self {
        let partitioning = Partitioning::Integer;
        let (input_points, output_points, resources) = (points, points, "");
        Self { domain, partitioning, output, input_points, output_points, resources, points: None, phases }
    }

    pub fn container(&self) -> Vec<u8> {
        let Self { domain, partitioning, output, input_points, output_points, resources, phases, .. } = self;
        let [domain_name, partitioning, output] = [domain.name(), partitioning.name(), output.name()];
        let points = self.points.map_or(String::new(), |code| {
            format!(
                "hs_control_point_phase\ndcl_input vOutputControlPointID\ndcl_input vPrim\n\
                 dcl_input v[{input_points}][0].xyzw\ndcl_input v[{input_points}][1].xyzw\n\
                 dcl_output o0.xyzw\ndcl_output o1.xyzw\n{code}\nret\n"
            )
        });
        let code = format!(
            "hs_decls\ndcl_input_control_point_count {input_points}\ndcl_output_control_point_count {output_points}\n\
             dcl_tessellator_domain domain_{domain_name}\n\
             dcl_tessellator_partitioning partitioning_{partitioning}\n\
             dcl_tessellator_output_primitive output_{output}\ndcl_globalFlags refactoringAllowed\n\
             {resources}{points}{phases}"
        );
        shader_with_patch("hs_5_0", &OUTPUTS[..2], &OUTPUTS[..2], &patch_rows(*domain), &code)
    }
}

/// The signature of a patch's values.
fn patch_rows(domain: Domain) -> Vec<&'static str> {
    let (mut rows, _) = factors(domain);
    rows.push("PATCH 0 xyzw 6 NONE float");
    rows
}

/// A phase that takes the tessellation factors from the attribute of the first control points, and the patch's own value
/// from the last one's.
pub fn factors_from_attributes(domain: Domain, points: u32) -> String {
    let (_, names) = factors(domain);
    let declared: String = (0..).zip(&names).map(|(n, name)| format!("dcl_output_siv o{n}.x, {name}\n")).collect();
    let moved: String =
        (0..names.len()).map(|n| format!("mov o{n}.x, vicp[{}][1].{}\n", n / 4, ["x", "y", "z", "w"][n % 4])).collect();
    format!(
        "hs_fork_phase\ndcl_input vicp[{points}][1].xyzw\n{declared}dcl_output o{OWN}.xyzw\n{moved}\
         mov o{OWN}.xyzw, vicp[{}][1].xyzw\nret\n",
        points - 1
    )
}

/// A phase that writes constant factors.
pub fn constant_factors(domain: Domain, all: &[f32]) -> String {
    let (_, names) = factors(domain);
    let declared: String = (0..).zip(&names).map(|(n, name)| format!("dcl_output_siv o{n}.x, {name}\n")).collect();
    let moved: String = (0..).zip(all).map(|(n, factor)| format!("mov o{n}.x, l({factor:?})\n")).collect();
    format!("hs_fork_phase\n{declared}dcl_output o{OWN}.xyzw\n{moved}mov o{OWN}.xyzw, l(0,0,0,0)\nret\n")
}

/// A domain shader with these declarations and code; it writes a position and an attribute.
pub fn domain(domain: Domain, points: u32, declarations: &str, code: &str) -> Vec<u8> {
    let name = domain.name();
    let code = format!(
        "dcl_input_control_point_count {points}\ndcl_tessellator_domain domain_{name}\n\
         dcl_globalFlags refactoringAllowed\n{declarations}\n\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n{code}"
    );
    shader_with_patch("ds_5_0", &OUTPUTS[..2], &OUTPUTS[..2], &patch_rows(domain), &code)
}
