//! Lists the keys of documents in both forms, of resources, samplers and expectations.

use super::direct3d9::{PIPELINE_9, SAMPLER_9, STEPS_NOTE};
use super::drawing::PIPELINE;
use super::parts::{INSTANCES, VIEW};
use super::words::*;
use super::{ANY, BOUND, COUNT, FLOAT, KeyRow, LONG, Others, Table, Type, WORD, comment, key};
use crate::model::number::NumberType::{self, F32, F64, I32, U8, U16, U32};
use crate::text::Node;
use Type::*;

/// A document that is one dispatch: its resources are tables by their registers.
pub(super) static SHORT: Table = Table {
    name: "The short form",
    what: "the document",
    keys: &[
        key("name", Text, "the name in reports; the file's by default"),
        key("check", Flag, CHECK_NOTE),
        key(
            "shader",
            Text,
            "the shader: a compiled one, or WGSL (`.wgsl`), or HLSL (`.hlsl`, `.hlsli`, `.fx`, `.fxh`), which the compiler that the command names compiles first",
        ),
        key(
            "shaders",
            List(&Text, 1, ANY),
            "instead of `shader` several compiled forms: each runs on fresh resources and must meet the expectations; outputs are those of the first",
        ),
        key("profile", Text, "the profile that HLSL is compiled for; `cs_5_0` by default"),
        key("entry", Text, "the entry point of HLSL, `main` by default, or of WGSL, the only one by default"),
        key("defines", Map(&DEFINE), "names that HLSL finds defined, with what they stand for"),
        key(
            "overrides",
            Map(&OVERRIDE),
            "values of the overrides of WGSL, by name, or by number where they have an `@id`",
        ),
        key("dispatch", GROUPS, "groups along x, y and z").needed(),
        key("first_group", GROUPS, "the first group's index; `[0, 0, 0]` by default"),
        key(
            "repeat",
            Integer(1, 1 << 20),
            "how often the dispatch is done, each time on what the time before left; once by default",
        ),
        key("instances", INSTANCES, "what the shader's interface variables stand for"),
        key(
            "fused_mad",
            Flag,
            "whether `mad` rounds once, as on most hardware, and not its product first; both are Direct3D",
        ),
        key(
            "bindings",
            List(&Binding, 0, ANY),
            "resources and samplers as a list, each with its register in `slot`, instead of tables by registers or besides",
        ),
        key(
            "expect",
            List(&Table(&EXPECTATION), 0, ANY),
            "what must come out, each with its register in `slot`; or `expect` in a register's table",
        ),
        comment("note"),
        comment("meta"),
        comment("exercises"),
    ],
    others: Others::Registers,
};

/// A document with steps.
pub(super) static LONG_FORM: Table = Table {
    name: "The long form",
    what: "the document",
    keys: &[
        key("name", Text, "the name in reports; the folder's by default"),
        key("api", Word(&APIS), "whose rules and names hold; `d3d11` by default"),
        key("check", Flag, CHECK_NOTE),
        key("shaders", Map(&Table(&SHADER)), "shaders by name"),
        key("resources", Map(&Table(&RESOURCE)), "buffers, textures and meshes by name"),
        key("samplers", Map(&Api(&Table(&SAMPLER), &Table(&SAMPLER_9))), "samplers by name"),
        key(
            "pipelines",
            Map(&Api(&Table(&PIPELINE), &Table(&PIPELINE_9))),
            "shaders with the state around them, by name",
        ),
        key("steps", List(&Step, 0, ANY), STEPS_NOTE).needed(),
        key("save", List(&Table(&SAVE), 0, ANY), "what is written to files after the last step"),
        key("expect", List(&Table(&EXPECTATION), 0, ANY), "what must come out"),
        comment("note"),
        comment("meta"),
        comment("exercises"),
        comment("disagreements"),
        comment("references"),
    ],
    others: Others::Unknown,
};

const CHECK_NOTE: &str = "whether a run fails where a shader does what `brolga check` reports";

const GROUPS: Type = List(&WORD, 3, 3);
static DEFINE: Type = Either(&[Text, WORD, Flag]);
static OVERRIDE: Type = Either(&[Number(-f64::MAX, f64::MAX), Flag]);
static SHADER: Table = Table {
    name: "A shader",
    what: "a shader",
    keys: &[
        key(
            "file",
            Either(&[Text, List(&Text, 1, ANY)]),
            "the compiled shader, or WGSL, or HLSL; or several forms of it, as `shaders` of the short form",
        )
        .needed(),
        key("entry", Text, "the entry point of HLSL, `main` by default, or of WGSL, the only one by default"),
        key("profile", Text, "the profile that HLSL is compiled for; `cs_5_0` by default"),
        key("defines", Map(&DEFINE), "names that HLSL finds defined, with what they stand for"),
        key(
            "overrides",
            Map(&OVERRIDE),
            "values of the overrides of WGSL, by name, or by number where they have an `@id`",
        ),
        comment("note"),
        comment("source"),
        comment("model"),
    ],
    others: Others::Unknown,
};

/// A resource, and in the short form a register's table.
pub(super) static RESOURCE: Table = Table {
    name: "A resource",
    what: "a resource",
    keys: &[
        key("kind", Word(&KINDS), "what it is; without it the shader's declaration or the file says"),
        key("size", LONG, "bytes; not needed where the dimensions, the file or the values say it"),
        key("stride", Integer(4, u32::MAX as i64), "bytes of an element, of structured buffers"),
        key("count", LONG, "elements, of structured and typed buffers"),
        key(
            "format",
            Word(&FORMATS),
            "of its texels, as DXGI names it without the prefix; in Direct3D 9 also as D3DFORMAT does",
        ),
        key("width", COUNT, "texels of the first level"),
        key("height", COUNT, "texels of the first level"),
        key("depth", COUNT, "texels of the first level"),
        key("layers", COUNT, "layers; every face of a cube is one"),
        key(
            "mips",
            Either(&[COUNT, Word(&GENERATE)]),
            "mip levels; `generate` makes all of them from a file's first, in linear light; 1 by default",
        ),
        key("samples", COUNT, "samples of a texel; 1 by default"),
        key("center_pattern", Flag, "whether all of its samples lie at the center; false by default"),
        key("raw", Either(&[LONG, Table(&BYTES)]), "the kind, with its bytes"),
        key("constant", Either(&[LONG, Table(&BYTES)]), "the kind, with its bytes"),
        key("structured", Table(&STRUCTURED), "the kind, with its dimensions"),
        key("typed", Table(&TYPED), "the kind, with its dimensions"),
        key("texture1d", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture1darray", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture2d", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture2darray", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture3d", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texturecube", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texturecubearray", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture2dms", Table(&TEXTURE), "the kind, with its dimensions"),
        key("texture2dmsarray", Table(&TEXTURE), "the kind, with its dimensions"),
        key("file", File, "its first content: a file of exactly its size, or one that says its size"),
        key("fill", Either(&[Word(&ZERO), Table(&FILL)]), "its first content: `zero`, or one number for every element"),
        key("u32", Numbers(U32), "values from the first byte on; the rest is zero"),
        key("i32", Numbers(I32), "values from the first byte on; the rest is zero"),
        key(
            "f32",
            Numbers(F32),
            "values from the first byte on; the rest is zero. Floats may be `nan`, `inf`, `-inf`, as texts",
        ),
        key("f64", Numbers(F64), "values from the first byte on; the rest is zero"),
        key("u8", Numbers(U8), "values from the first byte on; the rest is zero"),
        key("u16", Numbers(U16), "values from the first byte on; the rest is zero"),
        key("at", List(&Table(&RUN), 0, ANY), "values from other bytes on"),
        key(
            "values",
            Map(&Constant),
            "variables of a constant buffer by the names in the shader; in its own table too, where no key has the name",
        ),
        key("counter", WORD, "the hidden counter's first value, of structured buffers"),
        key(
            "map",
            Flag,
            "whether files of raw bytes, and arrays that shaders only read, are mapped instead of copied; by default those of 64 MiB and more",
        ),
        key("view", Table(&VIEW), "in the short form: the part of a texture that the shader sees"),
        key(
            "save",
            Either(&[File, Table(&SAVE_OF)]),
            "the file that it is written to after the last step; `-` is standard output",
        ),
        key("expect", Table(&EXPECTATION), "what it must hold after the last step"),
        comment("note"),
    ],
    others: Others::Variables,
};

const fn numbers(name: &'static str, number_type: NumberType) -> KeyRow {
    key(name, Numbers(number_type), "values")
}

#[allow(non_snake_case, reason = "it stands for a type")]
const fn Numbers(number_type: NumberType) -> Type {
    match number_type {
        U8 => List(&Of(U8), 0, ANY),
        U16 => List(&Of(U16), 0, ANY),
        U32 => List(&Of(U32), 0, ANY),
        I32 => List(&Of(I32), 0, ANY),
        F32 => List(&Of(F32), 0, ANY),
        F64 => List(&Of(F64), 0, ANY),
    }
}

static BYTES: Table =
    Table { name: "", what: "a view without format", keys: &[key("size", LONG, "bytes")], others: Others::Unknown };
static STRUCTURED: Table = Table {
    name: "",
    what: "a structured view",
    keys: &[key("stride", Integer(4, u32::MAX as i64), "bytes of an element"), key("count", LONG, "elements")],
    others: Others::Unknown,
};
static TYPED: Table = Table {
    name: "",
    what: "a typed view",
    keys: &[key("format", Word(&FORMATS), "of its texels"), key("count", LONG, "texels")],
    others: Others::Unknown,
};
static TEXTURE: Table = Table {
    name: "",
    what: "a texture",
    keys: &[
        key("format", Word(&FORMATS), "of its texels"),
        key("width", COUNT, "texels"),
        key("height", COUNT, "texels"),
        key("depth", COUNT, "texels"),
        key("layers", COUNT, "layers"),
        key("mips", Either(&[COUNT, Word(&GENERATE)]), "mip levels"),
        key("samples", COUNT, "samples of a texel"),
        key("center_pattern", Flag, "whether all of its samples lie at the center"),
    ],
    others: Others::Unknown,
};

static RUN: Table = Table {
    name: "Values at a byte",
    what: "a run of values",
    keys: &[
        key("byte", LONG, "where the first value is").needed(),
        numbers("u32", U32),
        numbers("i32", I32),
        numbers("f32", F32),
        numbers("f64", F64),
        numbers("u8", U8),
        numbers("u16", U16),
    ],
    others: Others::Unknown,
};
static FILL: Table = Table {
    name: "",
    what: "a fill",
    keys: &[
        key("u32", Of(U32), "the number"),
        key("i32", Of(I32), "the number"),
        key("f32", Of(F32), "the number"),
        key("f64", Of(F64), "the number"),
        key("u8", Of(U8), "the number"),
        key("u16", Of(U16), "the number"),
    ],
    others: Others::Unknown,
};

/// A sampler.
pub(crate) static SAMPLER: Table = Table {
    name: "A sampler",
    what: "a sampler",
    keys: &[
        key(
            "filter",
            Word(&FILTERS),
            "`MIN_MAG_MIP_POINT` to `MIN_MAG_MIP_LINEAR`, `ANISOTROPIC`; `POINT` and `LINEAR` are short for the first two; each may begin with `COMPARISON_`, `MINIMUM_`, `MAXIMUM_`. By default all is linear, as in an empty slot of Direct3D",
        ),
        key(
            "address",
            Either(&[Word(&ADDRESSES), List(&Word(&ADDRESSES), 1, 3)]),
            "for all axes, or for each, and `CLAMP` for the rest",
        ),
        key("border", List(&FLOAT, 4, 4), "the border colour"),
        key("mip_lod_bias", Number(-16.0, 15.99), "added to the level of detail").also(&["bias"]),
        key("min_lod", Number(f32::MIN as f64, f32::MAX as f64), "the least level of detail").also(&["min_level"]),
        key("max_lod", Number(f32::MIN as f64, f32::MAX as f64), "the largest level of detail").also(&["max_level"]),
        key("max_anisotropy", Integer(1, 16), "16 by default where the filter is anisotropic"),
        key("comparison", Word(&COMPARISONS), "needed for comparison filters, and not allowed for others"),
        key("kind", Word(&SAMPLER_KIND), "need not be said"),
        key("sampler", Table(&SAMPLER), "the same keys in a table of their own"),
        comment("note"),
    ],
    others: Others::Unknown,
};
static SAMPLER_KIND: NameList = NameList { what: "kind of view", names: || vec!["sampler"], prefix: "" };

static SAVE: Table = Table {
    name: "An output",
    what: "an output",
    keys: &[
        key("resource", Text, "what is saved").needed(),
        key("file", File, "its file: `.png`, `.dds`, `.exr` for textures, `.npy`, or `.bin` and `.raw` for raw bytes; `-` is standard output").needed(),
        key("type", Word(&NUMBER_TYPES), "the type of the numbers in an .npy file"),
        key("counted", Flag, "whether only the elements before the hidden counter's last value are written"),
        key("raw", Flag, "whether it is raw bytes, whatever its name is"),
        comment("note"),
    ],
    others: Others::Unknown,
};
static SAVE_OF: Table = Table {
    name: "",
    what: "an output",
    keys: &[
        key("file", File, "its file").needed(),
        key("type", Word(&NUMBER_TYPES), "the type of the numbers in an .npy file"),
        key("counted", Flag, "whether only the elements before the hidden counter's last value are written"),
        key("raw", Flag, "whether it is raw bytes, whatever its name is"),
    ],
    others: Others::Unknown,
};

static EXPECTATION: Table = Table {
    name: "An expectation",
    what: "an expectation",
    keys: &[
        key("id", Text, "its name in reports; the resource's by default"),
        key("resource", Text, "what it is about").also(&["slot"]),
        key("query", Text, "what it is about, if that is a query"),
        key("file", File, "what must be there"),
        key("u32", Numbers(U32), "values that must be there from the first byte on"),
        key("i32", Numbers(I32), "values that must be there from the first byte on"),
        key("f32", Numbers(F32), "values that must be there from the first byte on"),
        key("f64", Numbers(F64), "values that must be there from the first byte on"),
        key("u8", Numbers(U8), "values that must be there from the first byte on"),
        key("u16", Numbers(U16), "values that must be there from the first byte on"),
        key("at", List(&Table(&RUN), 0, ANY), "values that must be there from other bytes on"),
        key("values", Map(&Number(f64::MIN, f64::MAX)), "what a query must count"),
        key("counter", WORD, "the hidden counter's last value"),
        key("tolerance", Either(&[Word(&EXACT), Table(&TOLERANCE)]), "how far it may be off; not at all by default"),
        key(
            "type",
            Word(&NUMBER_TYPES),
            "the type of the numbers; by default the shader's, the format's or the file's",
        ),
        key(
            "words",
            List(&Word(&NUMBER_TYPES), 1, ANY),
            "the types of the words of an element, where they differ: integers are exact then",
        ),
        key("order", Word(&ORDERS), "whether the order of the elements counts; `fixed` by default"),
        key("element", Integer(1, i64::MAX), "bytes of an element"),
        key("elements", LONG, "how many elements are compared"),
        key("skip_elements", List(&LONG, 0, ANY), "elements that are not compared"),
        key("mip", WORD, "the level of a texture that is compared"),
        key("layer", WORD, "the layer of a texture that is compared"),
        key("plane", Word(&PLANES), "`depth` or `stencil` of a depth buffer"),
        comment("note"),
        comment("fixed"),
    ],
    others: Others::Unknown,
};

static TOLERANCE: Table = Table {
    name: "A tolerance",
    what: "a tolerance",
    keys: &[
        key("abs", BOUND, "the difference of a number"),
        key("rel", BOUND, "the difference as a part of what is expected"),
        key("ulp", LONG, "the difference in units of the last place"),
        key(
            "codes",
            BOUND,
            "the difference of channels that are integers or normalised numbers, in units of their last place; without it the bounds above hold for these codes",
        ),
        key(
            "edge_share",
            Number(0.0, 1.0),
            "the part of the pixels that may be beyond the slack where each channel lies between those of the 3 x 3 expected pixels around it",
        ),
        key("wrong_share", Number(0.0, 1.0), "the part of the pixels that may be anything"),
    ],
    others: Others::Unknown,
};

/// Keys that no variable of a constant buffer can have for its name, other than in `values`.
pub(crate) const CONSTANT_KEYS: &[&str] = &[
    "slot", "kind", "constant", "size", "file", "fill", "u32", "i32", "f32", "f64", "u8", "u16", "at", "values", "map",
    "note",
];

/// `true` if a name is a key of resources: a variable of this name is in `values`.
pub(crate) fn is_key(name: &str) -> bool {
    name == "slot" || RESOURCE.keys.iter().any(|key| key.name == name || key.also.contains(&name))
}

/// The keys of resources.
pub(crate) fn resource_keys() -> Vec<&'static str> {
    RESOURCE.keys.iter().map(|key| key.name).collect()
}

/// `true` if a table may describe a constant buffer.
pub(super) fn may_be_constant(table: &Node) -> bool {
    let of_others = KIND_NAMES.iter().filter(|name| **name != "constant");
    match table.text_at("kind") {
        Some(kind) => kind.eq_ignore_ascii_case("constant"),
        None => of_others.clone().all(|name| table.get(name).is_none()),
    }
}
