//! Reads render states of Direct3D 9: a row for each that is known, with its values, its default and its effect.
//!
//! Names are those of `D3DRENDERSTATETYPE`, values of enumerations those of their types without the prefix. The page of
//! keys has the rows as a table.

use StateKind::{BlendOperation, Byte, Color, Compare, Flag, Multiplier, Name, Number, Planes, StencilOperation, Word};
use brolga_raster::direct3d9::{Direct3D9State, Direct3D9Values, Distance, FogMode};
use brolga_raster::state::{Cull, DepthState, Fill};
use brolga_runtime::Comparison;
use brolga_runtime::pipeline::state::{BlendOp, Equation, Factor, Named, StencilFace, StencilOp, StencilTest};

use crate::error::{Fault, Problem};
use crate::text::{Entry, Node, Value};

/// The number of clip planes.
const PLANES: usize = 6;

/// The effect of render states.
#[derive(Debug)]
pub(super) struct States {
    pub direct3d9: Direct3D9State,
    pub values: Direct3D9Values,
    pub fog: bool,
    /// The fog mode for a distance, which the pipeline chooses.
    pub table_fog: Option<fn(Distance) -> FogMode>,
    pub tests_alpha: bool,
    pub alpha_function: Comparison,
    pub fill: Fill,
    pub cull: Cull,
    pub slope_bias: f32,
    pub depth: DepthState,
    pub tests_stencil: bool,
    pub stencil: StencilTest,
    pub two_sided: bool,
    pub stencil_reference: u8,
    pub sample_mask: u32,
    pub tests_scissor: bool,
    /// A bit for each clip plane.
    pub clip_planes: u8,
    pub blends: bool,
    pub color: Equation,
    pub alpha: Equation,
    /// One for each target.
    pub write_masks: [u8; 4],
    pub separate_alpha: bool,
    pub blend_factor: [f32; 4],
    pub writes_srgb: bool,
}

impl Default for States {
    fn default() -> Self {
        let keep = StencilOp::Keep;
        let face = StencilFace { test: Comparison::Always, fail: keep, depth_fail: keep, pass: keep };
        let replace = Equation { source: Factor::One, destination: Factor::Zero, op: BlendOp::Add };
        Self {
            direct3d9: Direct3D9State::default(),
            values: Direct3D9Values::default(),
            fog: false,
            table_fog: None,
            tests_alpha: false,
            alpha_function: Comparison::Always,
            fill: Fill::Solid,
            cull: Cull::Back,
            slope_bias: 0.0,
            depth: DepthState { function: Comparison::LessEqual, ..DepthState::default() },
            tests_stencil: false,
            stencil: StencilTest { read_mask: u8::MAX, write_mask: u8::MAX, front: face, back: face },
            two_sided: false,
            stencil_reference: 0,
            sample_mask: u32::MAX,
            tests_scissor: true,
            clip_planes: 0,
            blends: false,
            color: replace,
            alpha: replace,
            write_masks: [15; 4],
            separate_alpha: false,
            blend_factor: [1.0; 4],
            writes_srgb: false,
        }
    }
}

/// A state: its name, its default, and the kind and effect of its values.
struct StateRow(&'static str, &'static str, StateKind);

/// Sets the state that the name of a value stands for.
type Set = fn(&mut States);

/// The kind of a state's values, and its setter.
enum StateKind {
    Flag(fn(&mut States, bool)),
    Number(fn(&mut States, f32)),
    Word(fn(&mut States, u32)),
    /// A number of which only the lowest 8 bits are used.
    Byte(fn(&mut States, u8)),
    /// A bit for each clip plane.
    Planes(fn(&mut States, u8)),
    /// A `D3DCOLOR`.
    Color(fn(&mut States, [f32; 4])),
    Compare(fn(&mut States, Comparison)),
    StencilOperation(fn(&mut States, StencilOp)),
    Multiplier(fn(&mut States, Factor)),
    BlendOperation(fn(&mut States, BlendOp)),
    Name(&'static [(&'static str, Set)]),
}

/// The known states.
const ROWS: &[StateRow] = &[
    StateRow("ZENABLE", "true", Flag(|states, on| states.depth.enable = on)),
    StateRow("ZWRITEENABLE", "true", Flag(|states, on| states.depth.write = on)),
    StateRow("ZFUNC", "LESSEQUAL", Compare(|states, function| states.depth.function = function)),
    StateRow(
        "FILLMODE",
        "SOLID",
        Name(&[("SOLID", |states| states.fill = Fill::Solid), ("WIREFRAME", |states| states.fill = Fill::Wireframe)]),
    ),
    StateRow(
        "CULLMODE",
        "CCW",
        Name(&[
            ("NONE", |states| states.cull = Cull::None),
            ("CW", |states| states.cull = Cull::Front),
            ("CCW", |states| states.cull = Cull::Back),
        ]),
    ),
    StateRow(
        "SHADEMODE",
        "GOURAUD",
        Name(&[
            ("FLAT", |states| states.direct3d9.is_flat = true),
            ("GOURAUD", |states| states.direct3d9.is_flat = false),
        ]),
    ),
    StateRow("LASTPIXEL", "true", Flag(|states, on| states.direct3d9.omits_last_pixels = !on)),
    StateRow("DEPTHBIAS", "0", Number(|states, bias| states.direct3d9.depth_bias = bias)),
    StateRow("SLOPESCALEDEPTHBIAS", "0", Number(|states, bias| states.slope_bias = bias)),
    // Clipping is always on.
    StateRow("CLIPPING", "true", Flag(|_, _| {})),
    StateRow("CLIPPLANEENABLE", "0", Planes(|states, planes| states.clip_planes = planes)),
    StateRow("SCISSORTESTENABLE", "true", Flag(|states, on| states.tests_scissor = on)),
    StateRow("ALPHATESTENABLE", "false", Flag(|states, on| states.tests_alpha = on)),
    StateRow("ALPHAFUNC", "ALWAYS", Compare(|states, function| states.alpha_function = function)),
    StateRow("ALPHAREF", "0", Byte(|states, reference| states.values.alpha_reference = reference)),
    StateRow("FOGENABLE", "false", Flag(|states, on| states.fog = on)),
    StateRow(
        "FOGTABLEMODE",
        "NONE",
        Name(&[
            ("NONE", |states| states.table_fog = None),
            ("EXP", |states| states.table_fog = Some(FogMode::Exponential)),
            ("EXP2", |states| states.table_fog = Some(FogMode::ExponentialSquared)),
            ("LINEAR", |states| states.table_fog = Some(FogMode::Linear)),
        ]),
    ),
    // The vertex shader computes the factor.
    StateRow("FOGVERTEXMODE", "NONE", Name(&[("NONE", |_| {}), ("EXP", |_| {}), ("EXP2", |_| {}), ("LINEAR", |_| {})])),
    StateRow("FOGCOLOR", "0", Color(|states, [red, green, blue, _]| states.values.fog_color = [red, green, blue])),
    StateRow("FOGSTART", "0", Number(|states, start| states.values.fog_start = start)),
    StateRow("FOGEND", "1", Number(|states, end| states.values.fog_end = end)),
    StateRow("FOGDENSITY", "1", Number(|states, density| states.values.fog_density = density)),
    StateRow("POINTSIZE", "1", Number(|states, size| states.values.point_size = size)),
    StateRow("POINTSIZE_MIN", "1", Number(|states, size| states.values.point_size_range[0] = size)),
    StateRow("POINTSIZE_MAX", "64", Number(|states, size| states.values.point_size_range[1] = size)),
    StateRow("POINTSPRITEENABLE", "false", Flag(|states, on| states.direct3d9.has_point_sprites = on)),
    StateRow("MULTISAMPLEANTIALIAS", "true", Flag(|states, on| states.direct3d9.centers_samples = !on)),
    StateRow("MULTISAMPLEMASK", "4294967295", Word(|states, mask| states.sample_mask = mask)),
    StateRow("STENCILENABLE", "false", Flag(|states, on| states.tests_stencil = on)),
    StateRow("STENCILFUNC", "ALWAYS", Compare(|states, function| states.stencil.front.test = function)),
    StateRow("STENCILFAIL", "KEEP", StencilOperation(|states, op| states.stencil.front.fail = op)),
    StateRow("STENCILZFAIL", "KEEP", StencilOperation(|states, op| states.stencil.front.depth_fail = op)),
    StateRow("STENCILPASS", "KEEP", StencilOperation(|states, op| states.stencil.front.pass = op)),
    StateRow("STENCILREF", "0", Byte(|states, reference| states.stencil_reference = reference)),
    StateRow("STENCILMASK", "255", Byte(|states, mask| states.stencil.read_mask = mask)),
    StateRow("STENCILWRITEMASK", "255", Byte(|states, mask| states.stencil.write_mask = mask)),
    StateRow("TWOSIDEDSTENCILMODE", "false", Flag(|states, on| states.two_sided = on)),
    StateRow("CCW_STENCILFUNC", "ALWAYS", Compare(|states, function| states.stencil.back.test = function)),
    StateRow("CCW_STENCILFAIL", "KEEP", StencilOperation(|states, op| states.stencil.back.fail = op)),
    StateRow("CCW_STENCILZFAIL", "KEEP", StencilOperation(|states, op| states.stencil.back.depth_fail = op)),
    StateRow("CCW_STENCILPASS", "KEEP", StencilOperation(|states, op| states.stencil.back.pass = op)),
    StateRow("COLORWRITEENABLE", "15", Byte(|states, mask| states.write_masks[0] = mask & 15)),
    StateRow("COLORWRITEENABLE1", "15", Byte(|states, mask| states.write_masks[1] = mask & 15)),
    StateRow("COLORWRITEENABLE2", "15", Byte(|states, mask| states.write_masks[2] = mask & 15)),
    StateRow("COLORWRITEENABLE3", "15", Byte(|states, mask| states.write_masks[3] = mask & 15)),
    StateRow("SRGBWRITEENABLE", "false", Flag(|states, on| states.writes_srgb = on)),
    StateRow("ALPHABLENDENABLE", "false", Flag(|states, on| states.blends = on)),
    StateRow("SRCBLEND", "ONE", Multiplier(|states, factor| states.color.source = factor)),
    StateRow("DESTBLEND", "ZERO", Multiplier(|states, factor| states.color.destination = factor)),
    StateRow("BLENDOP", "ADD", BlendOperation(|states, op| states.color.op = op)),
    StateRow("SEPARATEALPHABLENDENABLE", "false", Flag(|states, on| states.separate_alpha = on)),
    StateRow("SRCBLENDALPHA", "ONE", Multiplier(|states, factor| states.alpha.source = factor)),
    StateRow("DESTBLENDALPHA", "ZERO", Multiplier(|states, factor| states.alpha.destination = factor)),
    StateRow("BLENDOPALPHA", "ADD", BlendOperation(|states, op| states.alpha.op = op)),
    StateRow("BLENDFACTOR", "4294967295", Color(|states, factor| states.blend_factor = factor)),
];

/// States of Direct3D 9 that are not supported yet, or belong to the fixed-function pipeline.
const OTHERS: &str = "\
    ADAPTIVETESS_W ADAPTIVETESS_X ADAPTIVETESS_Y ADAPTIVETESS_Z AMBIENT AMBIENTMATERIALSOURCE ANTIALIASEDLINEENABLE \
    COLORVERTEX DEBUGMONITORTOKEN DIFFUSEMATERIALSOURCE \
    DITHERENABLE EMISSIVEMATERIALSOURCE ENABLEADAPTIVETESSELLATION INDEXEDVERTEXBLENDENABLE LIGHTING LOCALVIEWER \
    MAXTESSELLATIONLEVEL MINTESSELLATIONLEVEL NORMALDEGREE NORMALIZENORMALS \
    PATCHEDGESTYLE POINTSCALEENABLE POINTSCALE_A POINTSCALE_B POINTSCALE_C POSITIONDEGREE RANGEFOGENABLE \
    SPECULARENABLE SPECULARMATERIALSOURCE TEXTUREFACTOR TWEENFACTOR VERTEXBLEND WRAP0 WRAP1 WRAP10 WRAP11 WRAP12 \
    WRAP13 WRAP14 WRAP15 WRAP2 WRAP3 WRAP4 WRAP5 WRAP6 WRAP7 WRAP8 WRAP9";

/// The values of an enumeration with their names, without underscores. Dual-source blending does not exist here.
fn values<T: Named>() -> Vec<(String, T)> {
    let all = T::VALUES.iter().map(|&value| (value.named().replace('_', ""), value));
    all.filter(|(name, _)| !name.contains("SRC1")).collect()
}

impl States {
    /// Reads render states on top of those read before.
    pub fn read(&mut self, states: &[Entry]) -> Result<(), Fault> {
        for Entry { key, key_span, node } in states {
            let name = key.strip_prefix("D3DRS_").unwrap_or(key);
            let problem = match ROWS.iter().find(|StateRow(known, ..)| *known == name) {
                Some(StateRow(_, default, kind)) => match kind.set(self, node) {
                    Ok(()) => continue,
                    Err(message) => Problem::value(format!("{message}; by default it is {default}")),
                },
                None if OTHERS.split(' ').any(|other| other == name) => Problem::unsupported("this render state is"),
                None => {
                    let known: Vec<_> = ROWS.iter().map(|StateRow(known, ..)| *known).collect();
                    Problem::unknown_name("render state", name, &known)
                }
            };
            return Err((problem, key_span.clone()));
        }
        Ok(())
    }
}

impl StateKind {
    fn set(&self, states: &mut States, node: &Node) -> Result<(), String> {
        match self {
            Flag(set) => set(states, flag(node)?),
            Number(set) => set(states, number(node)?),
            Word(set) => set(states, whole(node)?),
            Byte(set) => set(states, byte(node)?),
            Planes(set) => set(states, planes(node)?),
            Color(set) => set(states, color(node)?),
            Compare(set) => set(states, named(node, &values())?),
            StencilOperation(set) => set(states, named(node, &values())?),
            Multiplier(set) => set(states, named(node, &values())?),
            BlendOperation(set) => set(states, named(node, &values())?),
            Name(names) => named(node, names)?(states),
        }
        Ok(())
    }
}

/// A value in a message.
fn shown(node: &Node) -> String {
    match &node.value {
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => format!("{text:?}"),
        Value::Bool(flag) => flag.to_string(),
        other => other.type_name().to_owned(),
    }
}

/// True or false, or 1 or 0.
fn flag(node: &Node) -> Result<bool, String> {
    match (node.flag(), node.integer::<u32>()) {
        (Some(flag), _) => Ok(flag),
        (_, Some(number @ (0 | 1))) => Ok(number == 1),
        _ => Err(format!("the state is true or false, or 1 or 0, not {}", shown(node))),
    }
}

fn whole(node: &Node) -> Result<u32, String> {
    node.integer().ok_or_else(|| format!("the state is a whole number of 32 bits, not {}", shown(node)))
}

/// The part of a state that devices with 8-bit stencils and references see.
fn byte(node: &Node) -> Result<u8, String> {
    Ok(whole(node)?.to_le_bytes()[0])
}

fn planes(node: &Node) -> Result<u8, String> {
    let planes = whole(node).ok().filter(|planes| planes >> PLANES == 0);
    planes.map(|planes| planes as u8).ok_or_else(|| {
        format!("the state has a bit for each of the {PLANES} clip planes, so it is at most 63, not {}", shown(node))
    })
}

fn number(node: &Node) -> Result<f32, String> {
    let number = node.float().filter(|_| node.text().is_none());
    number.ok_or_else(|| format!("the state is a number, not {}", shown(node)))
}

/// A `D3DCOLOR`: blue in the lowest byte, alpha in the uppermost.
fn color(node: &Node) -> Result<[f32; 4], String> {
    let [blue, green, red, alpha] = whole(node)?.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
    Ok([red, green, blue, alpha])
}

/// The value of a name, which may have its type's prefix: `D3DCULL_NONE`.
fn named<T: Copy>(node: &Node, names: &[(impl AsRef<str>, T)]) -> Result<T, String> {
    let written = node.text().unwrap_or("");
    let name = written.strip_prefix("D3D").and_then(|name| name.split_once('_')).map_or(written, |(_, name)| name);
    let found = names.iter().find(|(known, _)| known.as_ref() == name);
    found.map(|&(_, of_name)| of_name).ok_or_else(|| format!("{} is not one of {}", shown(node), joined(names)))
}

/// The names of a list.
fn joined<T>(names: &[(impl AsRef<str>, T)]) -> String {
    names.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>().join(", ")
}

/// The names of the known states.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|StateRow(name, ..)| *name)
}

/// Each state with its values and its default.
pub(crate) fn rows() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    ROWS.iter().map(|StateRow(name, default, kind)| (*name, kind.values(), *default))
}

/// The names of values that several states share, by kind.
pub(crate) fn value_names() -> [(&'static str, String); 4] {
    [
        ("comparisons", joined(&values::<Comparison>())),
        ("stencil operations", joined(&values::<StencilOp>())),
        ("factors", joined(&values::<Factor>())),
        ("blend operations", joined(&values::<BlendOp>())),
    ]
}

impl StateKind {
    /// The values, for the page.
    fn values(&self) -> String {
        match self {
            Flag(_) => "`true`, `false`".to_owned(),
            Number(_) => "a number".to_owned(),
            Word(_) => "a whole number of 32 bits".to_owned(),
            Byte(_) => "a whole number, of which the lowest 8 bits count".to_owned(),
            Planes(_) => "a bit for each plane".to_owned(),
            Color(_) => "a colour".to_owned(),
            Compare(_) => "a comparison".to_owned(),
            StencilOperation(_) => "a stencil operation".to_owned(),
            Multiplier(_) => "a factor".to_owned(),
            BlendOperation(_) => "a blend operation".to_owned(),
            Name(names) => format!("`{}`", joined(names).replace(", ", "`, `")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_what_absent_states_have() {
        let mut states = States::default();
        for StateRow(name, default, kind) in ROWS {
            let value = match (default.parse::<i64>(), default.parse::<bool>()) {
                (Ok(number), _) => Value::Integer(number),
                (_, Ok(flag)) => Value::Bool(flag),
                _ => Value::Text((*default).to_owned()),
            };
            kind.set(&mut states, &Node { value, span: 0..0 }).unwrap_or_else(|message| panic!("{name}: {message}"));
        }
        assert_eq!(format!("{states:?}"), format!("{:?}", States::default()));
    }
}
