//! A hull shader for a domain shader that has none, or the other way round.

use std::fmt::Write;

use brolga_bytecode::container::SignatureElement;
use brolga_bytecode::container::signature::ComponentType;
use brolga_bytecode::info::letters;
use brolga_runtime::{Domain, SystemValue};

use super::listing::{listing_of, row};

/// The tessellation factors of the companion's patches.
const FACTOR: f32 = 8.0;

/// What the hull or domain shader that is there says of patches.
pub(super) struct Patch<'a> {
    pub domain: Domain,
    /// Control points behind the hull shader.
    pub points: u32,
    /// The signatures of a control point between both, and of the patch.
    pub between: &'a [SignatureElement],
    pub constants: &'a [SignatureElement],
}

/// `true` if a value is a position, by its name.
pub(super) fn is_place(element: &SignatureElement) -> bool {
    element.name.to_uppercase().contains("POSITION")
}

/// The row of a tessellation factor or another value of a patch.
fn constant_row(element: &SignatureElement) -> String {
    // As signatures number system values.
    let name = match element.system_value {
        11 => "QUADEDGE",
        12 => "QUADINT",
        13 => "TRIEDGE",
        14 => "TRIINT",
        15 => "LINEDET",
        16 => "LINEDEN",
        _ => "NONE",
    };
    row(element, element.mask).replace(" NONE ", &format!(" {name} "))
}

/// The names of the tessellation factors in declarations, edges first.
fn factor_names(domain: Domain) -> &'static [&'static str] {
    match domain {
        Domain::Isoline => &["finalLineDensityTessFactor", "finalLineDetailTessFactor"],
        Domain::Triangle => &[
            "finalTriUeq0EdgeTessFactor",
            "finalTriVeq0EdgeTessFactor",
            "finalTriWeq0EdgeTessFactor",
            "finalTriInsideTessFactor",
        ],
        Domain::Quad => &[
            "finalQuadUeq0EdgeTessFactor",
            "finalQuadVeq0EdgeTessFactor",
            "finalQuadUeq1EdgeTessFactor",
            "finalQuadVeq1EdgeTessFactor",
            "finalQuadUInsideTessFactor",
            "finalQuadVInsideTessFactor",
        ],
    }
}

/// The number of a value's tessellation factor, if it is one.
fn factor_of(element: &SignatureElement, domain: Domain) -> Option<usize> {
    let edges = domain.factors().iter().take_while(|&&factor| !is_inside(factor)).count();
    match element.name.to_uppercase().as_str() {
        "SV_TESSFACTOR" => Some(element.semantic_index as usize),
        "SV_INSIDETESSFACTOR" => Some(edges + element.semantic_index as usize),
        _ => None,
    }
}

fn is_inside(factor: SystemValue) -> bool {
    matches!(factor, SystemValue::InsideFactor0 | SystemValue::InsideFactor1)
}

impl Patch<'_> {
    /// A hull shader that hands its control points on, and divides all edges equally.
    pub fn hull_shader(&self) -> String {
        let &Patch { domain, points, between, constants } = self;
        let output = if domain == Domain::Isoline { "line" } else { "triangle_cw" };
        let mut body = format!(
            "hs_decls\ndcl_input_control_point_count {}\ndcl_output_control_point_count {points}\n\
             dcl_tessellator_domain domain_{}\ndcl_tessellator_partitioning partitioning_integer\n\
             dcl_tessellator_output_primitive output_{output}\nhs_fork_phase\n",
            points.max(1),
            domain.name()
        );
        let (mut declarations, mut moves) = (String::new(), String::new());
        let names = factor_names(domain);
        for constant in constants {
            let (register, mask) = (constant.register.unwrap_or(0), letters(constant.mask));
            let _ = match factor_of(constant, domain).and_then(|factor| names.get(factor)) {
                Some(name) => writeln!(declarations, "dcl_output_siv o{register}.{mask}, {name}"),
                None => writeln!(declarations, "dcl_output o{register}.{mask}"),
            };
            let value = if factor_of(constant, domain).is_some() { FACTOR } else { 0.0 };
            let _ = writeln!(moves, "mov o{register}.{mask}, l({value:?}, {value:?}, {value:?}, {value:?})");
        }
        body += &(declarations + &moves);
        let rows: String = between.iter().map(|element| row(element, element.mask)).collect();
        let patch: String = constants.iter().map(constant_row).collect();
        listing_of("hs_5_0", &[("Patch Constant", &patch), ("Input", &rows), ("Output", &rows)], &body)
    }

    /// A domain shader that puts a vertex between the control points at the corners of the domain, where they say.
    pub fn domain_shader(&self) -> String {
        let &Patch { domain, points, between, constants } = self;
        let is_float = |element: &&SignatureElement| {
            element.component_type == ComponentType::Float32 && element.register.is_some()
        };
        let floats = || between.iter().filter(is_float);
        let place = floats().find(|element| is_place(element)).or_else(|| floats().next());
        let shown = floats().find(|element| place.is_none_or(|place| place.register != element.register));
        let coordinates = if domain == Domain::Triangle { "xyz" } else { "xy" };
        let mut body = format!(
            "dcl_input_control_point_count {points}\ndcl_tessellator_domain domain_{}\ndcl_input vDomain.{coordinates}\n",
            domain.name()
        );
        let mut outputs = "// SV_Position 0 xyzw 0 POS float xyzw\n".to_owned();
        let mut code = String::new();
        let mut write = |element: &SignatureElement, output: u32, body: &mut String| {
            let (register, mask) = (element.register.unwrap_or(0), letters(element.mask));
            let _ = writeln!(body, "dcl_input vicp[{points}][{register}].{mask}");
            let point = |n: u32| format!("vicp[{n}][{register}].xyzw");
            code += &self.between_corners(point, &mask);
            let _ = writeln!(code, "mov o{output}.{mask}, r0.xyzw");
        };
        if let Some(place) = place.filter(|_| points > 0) {
            write(place, 0, &mut body);
        }
        if let Some(shown) = shown.filter(|_| points > 0) {
            let moved = SignatureElement { register: Some(1), ..shown.clone() };
            outputs += &row(&moved, shown.mask);
            write(shown, 1, &mut body);
            let _ = writeln!(body, "dcl_output o1.{}", letters(shown.mask));
        }
        // What the control points do not say: depth and w, or all of it.
        let own = place.filter(|_| points > 0).map_or(0, |place| place.mask);
        let mut rest = String::new();
        for (n, value) in ["vDomain.x", "vDomain.y", "l(0.5)", "l(1.0)"].into_iter().enumerate() {
            if own >> n & 1 == 0 {
                let _ = writeln!(rest, "mov o0.{}, {value}", letters(1 << n));
            }
        }
        body += "dcl_output_siv o0.xyzw, position\ndcl_temps 3\n";
        body += &(code + &rest);
        let rows: String = between.iter().map(|element| row(element, element.mask)).collect();
        let patch: String = constants.iter().map(constant_row).collect();
        listing_of("ds_5_0", &[("Patch Constant", &patch), ("Input", &rows), ("Output", &outputs)], &body)
    }

    /// Puts what lies between an attribute of the corners' control points into `r0`.
    fn between_corners(&self, point: impl Fn(u32) -> String, mask: &str) -> String {
        let last = self.points.saturating_sub(1);
        let at = |n: u32| point(n.min(last));
        match self.domain {
            Domain::Isoline => format!(
                "mov r1.xyzw, {}\nadd r0.xyzw, r1.xyzw, -{}\nmad r0.xyzw, vDomain.xxxx, r0.xyzw, {}\n",
                at(last),
                at(0),
                at(0)
            ),
            Domain::Triangle => format!(
                "mul r0.xyzw, vDomain.xxxx, {}\nmad r0.xyzw, vDomain.yyyy, {}, r0.xyzw\nmad r0.xyzw, vDomain.zzzz, {}, r0.xyzw\n",
                at(0),
                at(1),
                at(2)
            ),
            Domain::Quad => {
                // The corners of a grid of as many control points, row by row.
                let side = (1..=self.points).find(|side| side * side >= self.points).unwrap_or(1);
                let corners = [0, side - 1, side * (side - 1), side * side - 1].map(at);
                let across = |to: &str, a: &str, b: &str| {
                    format!("mov r2.xyzw, {b}\nadd {to}, r2.xyzw, -{a}\nmad {to}, vDomain.xxxx, {to}, {a}\n")
                };
                across("r0.xyzw", &corners[0], &corners[1])
                    + &across("r1.xyzw", &corners[2], &corners[3])
                    + "add r1.xyzw, r1.xyzw, -r0.xyzw\nmad r0.xyzw, vDomain.yyyy, r1.xyzw, r0.xyzw\n"
            }
        }
        .replace("].xyzw", &format!("].{}", swizzle(mask)))
    }
}

/// A swizzle that reads only components of a mask: its letters at their places, and the first at all others.
fn swizzle(mask: &str) -> String {
    let first = mask.chars().next().unwrap_or('x');
    "xyzw".chars().map(|letter| if mask.contains(letter) { letter } else { first }).collect()
}
