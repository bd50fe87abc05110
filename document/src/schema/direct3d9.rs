//! Lists the keys of samplers, pipelines and steps with the names of Direct3D 9.

use super::drawing::{
    BASE_VERTEX, BIND, BUFFER, COLOR, COPY, DISPATCH, DISPATCH_INDIRECT, GENERATE_MIPS, INDEX_BUFFER, REPEAT, RESOLVE,
};
use super::drawing::{FIRST_BYTE, SCISSOR, STRIDE, TARGET_OR_NULL, VIEWPORT};
use super::parts::REFERENCE;
use super::words::*;
use super::{ANY, FLOAT, Others, Table, Type, WORD, comment, key};
use Type::*;

pub(super) const STEPS_NOTE: &str = "what is done, one after the other; `op` says which it is";

/// The defaults are the states of a fresh device.
pub(super) static SAMPLER_9: Table = Table {
    name: "A sampler of Direct3D 9",
    what: "a sampler",
    keys: &[
        key("mag", Word(&TAPS), "`POINT` by default"),
        key("min", Word(&TAPS), "`POINT` by default"),
        key("mip", Word(&TAPS), "`NONE` by default: no levels"),
        key(
            "address",
            Either(&[Word(&ADDRESSES_9), List(&Word(&ADDRESSES_9), 3, 3)]),
            "along u, v and w; `WRAP` by default",
        ),
        key("border", List(&FLOAT, 4, 4), "the border colour"),
        key("mip_lod_bias", FLOAT, "added to the level of detail"),
        key("max_mip_level", WORD, "the finest level that is sampled; 0 by default"),
        key("max_anisotropy", Integer(1, 16), "1 by default"),
        key("srgb_texture", Either(&[Flag, Integer(0, 1)]), "whether colours are along the sRGB curve"),
        comment("note"),
    ],
    others: Others::Unknown,
};

pub(super) static PIPELINE_9: Table = Table {
    name: "A pipeline of Direct3D 9",
    what: "a pipeline",
    keys: &[
        key("vs", Text, "the vertex shader; none where vertices are transformed (`POSITIONT`)"),
        key("ps", Text, "the pixel shader"),
        key("topology", Word(&TOPOLOGIES_9), "how vertices make primitives; that of meshes is `TRIANGLELIST`"),
        key("input_layout", List(&Table(&ELEMENT_9), 0, ANY), "what fills the vertex shader's inputs"),
        key("render_states", RenderStates, "states by their names"),
        key("float_rules", Word(&FLOAT_RULES), "`DIRECT3D9` by default: products of zero are zero"),
        key(
            "fog_distance",
            Word(&FOG_DISTANCES),
            "what fog by FOGTABLEMODE takes as a distance: `DEPTH`, or `W`, the default of transformed vertices",
        ),
        key(
            "projected",
            Map(&Integer(0, 255)),
            "the texture stages of a ps_1_1 to ps_1_3 that divide their coordinates, with how many of them there are",
        ),
        comment("note"),
    ],
    others: Others::Unknown,
};

static ELEMENT_9: Table = Table {
    name: "An element of Direct3D 9's input layout",
    what: "an element",
    keys: &[
        key("usage", Word(&USAGES), "D3DDECLUSAGE").needed(),
        key("index", WORD, "the number after it; 0 by default"),
        key("type", Word(&DECLARED_TYPES), "D3DDECLTYPE").needed(),
        key("stream", WORD, "which of the draw's vertex buffers; 0 by default"),
        key("offset", WORD, "bytes from the start of a vertex; 0 by default"),
    ],
    others: Others::Unknown,
};

/// The steps by their `op`.
pub(super) static STEPS_9: &[(&str, &Table)] = &[
    ("clear", &CLEAR_9),
    ("draw", &DRAW_9),
    ("draw_indexed", &DRAW_INDEXED_9),
    ("dispatch", &DISPATCH),
    ("dispatch_indirect", &DISPATCH_INDIRECT),
    ("copy", &COPY),
    ("resolve", &RESOLVE),
    ("generate_mips", &GENERATE_MIPS),
    ("repeat", &REPEAT),
];

static CLEAR_9: Table = Table {
    name: "`clear` of Direct3D 9",
    what: "a step `clear`",
    keys: &[
        key("op", Text, "what the step does").needed(),
        key("target", REFERENCE, "what is cleared to `color`"),
        key("depth_target", REFERENCE, "what is cleared to `depth` and `stencil`"),
        key("color", COLOR, "a colour"),
        key("depth", FLOAT, "a depth"),
        key("stencil", Integer(0, 255), "a stencil"),
        comment("note"),
    ],
    others: Others::Unknown,
};

/// One target, or up to four.
const TARGETS: Type = Either(&[REFERENCE, List(&TARGET_OR_NULL, 1, 4)]);
const STREAMS: Type = List(&Table(&STREAM), 0, 32);

static STREAM: Table = Table {
    name: "A stream of Direct3D 9",
    what: "a stream",
    keys: &[
        BUFFER,
        STRIDE,
        FIRST_BYTE,
        key(
            "frequency",
            Either(&[Table(&FREQUENCY), WORD]),
            "how a draw with indices goes through the stream, as `SetStreamSourceFreq` says it; 1 by default",
        ),
    ],
    others: Others::Unknown,
};

/// The flags are the uppermost two of 32 bits.
const FREQUENCY_COUNT: Type = Integer(1, 0x3fff_ffff);
static FREQUENCY: Table = Table {
    name: "A stream's frequency",
    what: "a frequency",
    keys: &[
        key("indexed_data", FREQUENCY_COUNT, "D3DSTREAMSOURCE_INDEXEDDATA, for stream 0: how many instances are drawn"),
        key(
            "instance_data",
            FREQUENCY_COUNT,
            "D3DSTREAMSOURCE_INSTANCEDATA, for other streams: how many instances in a row read the same element",
        ),
    ],
    others: Others::Unknown,
};

macro_rules! draw {
    ($table:ident $op:literal $what:literal: $($key:expr,)*) => {
        static $table: Table = Table {
            name: $op,
            what: $what,
            keys: &[
                key("op", Text, "what the step does").needed(),
                $($key,)*
                key("pipeline", Text, "the pipeline with the shaders").needed(),
                key("target", TARGETS, "what colours are drawn to; of a list oC0 to the first, oC1 to the second and so on, `null` leaves one out").needed(),
                key("depth_target", REFERENCE, "the depth buffer, at least as large as the target"),
                key("bind", BIND, "what is bound: `vc0`, `vi0`, `vb0`, `pc0`, `pi0`, `pb0` are constants, `bump0` what texture stages have for bump mapping, `t#` and `s#` textures and samplers, `vt#` and `vs#` those of the vertex shader"),
                key("vs_constants", Map(&Constant), "the vertex shader's constants by their names"),
                key("ps_constants", Map(&Constant), "the pixel shader's constants by their names"),
                key("vertex_buffers", STREAMS, "the streams"),
                key("viewport", VIEWPORT, "x, y, width, height, least and greatest depth; all of the target by default"),
                key("scissor", SCISSOR, "left, top, right, bottom"),
                key("clip_planes", List(&COLOR, 0, 6), "planes, of which those count that CLIPPLANEENABLE has a bit for"),
                key("render_states", RenderStates, "states that count for this draw alone"),
                comment("note"),
            ],
            others: Others::Unknown,
        };
    };
}

draw! { DRAW_9 "`draw` of Direct3D 9" "a step `draw`":
    key("primitives", WORD, "how many primitives").needed(),
    key("first_vertex", WORD, "0 by default"),
}
draw! { DRAW_INDEXED_9 "`draw_indexed` of Direct3D 9" "a step `draw_indexed`":
    key("primitives", WORD, "how many primitives; all of a mesh by default"),
    key("first_index", WORD, "0 by default"),
    key("base_vertex", BASE_VERTEX, "added to every index; 0 by default"),
    key("index_buffer", Table(&INDEX_BUFFER), "the indices"),
    key("mesh", Text, "instead of an index buffer a mesh, with the elements POSITION0, NORMAL0 and TEXCOORD0"),
}
