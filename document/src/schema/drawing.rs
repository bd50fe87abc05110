//! Lists the keys of pipelines and steps with the names of Direct3D 11.

use super::parts::{INSTANCES, REFERENCE};
use super::words::*;
use super::{ANY, FLOAT, LONG, Others, Table, Type, WORD, comment, key};
use Type::*;

/// A pipeline.
pub(crate) static PIPELINE: Table = Table {
    name: "A pipeline",
    what: "a pipeline",
    keys: &[
        key("vs", Text, "the vertex shader"),
        key("hs", Text, "the hull shader, which takes patches of vertices and says how they are divided"),
        key("ds", Text, "the domain shader, which makes a vertex of each point of a patch; needed with a hull shader"),
        key("gs", Text, "the geometry shader, behind all of these"),
        key("ps", Text, "the pixel shader; without it only depth is drawn"),
        key("cs", Text, "the compute shader; such a pipeline has no other"),
        key("topology", Word(&TOPOLOGIES), "how vertices make primitives; that of meshes is `TRIANGLELIST`"),
        key("input_layout", List(&Table(&ELEMENT), 0, ANY), "what fills the vertex shader's inputs"),
        key("rasterizer", Table(&RASTERIZER), "what becomes of triangles"),
        key("depth_stencil", Table(&DEPTH_STENCIL), "how pixels are held against the depth buffer"),
        key("blend", Table(&BLEND), "what becomes of colours"),
        key(
            "stream_out",
            Table(&STREAM_OUT),
            "what is streamed out: outputs of the last shader before the pixel shader",
        ),
        key("instances", INSTANCES, "what the compute shader's interface variables stand for"),
        key("vs_instances", INSTANCES, "what the vertex shader's interface variables stand for"),
        key("hs_instances", INSTANCES, "what the hull shader's interface variables stand for"),
        key("ds_instances", INSTANCES, "what the domain shader's interface variables stand for"),
        key("gs_instances", INSTANCES, "what the geometry shader's interface variables stand for"),
        key("ps_instances", INSTANCES, "what the pixel shader's interface variables stand for"),
        key("fused_mad", Flag, "whether `mad` rounds once, and not its product first; both are Direct3D"),
        comment("note"),
    ],
    others: Others::Unknown,
};

static ELEMENT: Table = Table {
    name: "An element of the input layout",
    what: "an element",
    keys: &[
        key("semantic", Text, "the input's name, as `TEXCOORD`").needed(),
        key("index", WORD, "the number after it; 0 by default"),
        key("format", Word(&FORMATS), "how its bytes are read").needed(),
        key("slot", WORD, "which of the draw's vertex buffers; 0 by default"),
        key("offset", WORD, "bytes from the start of a vertex; 0 by default"),
        key("class", Word(&CLASSES), "whether it is read for each vertex, as by default, or for each instance"),
        key("step_rate", WORD, "instances that read the same; 1 by default"),
    ],
    others: Others::Unknown,
};

static STREAM_OUT: Table = Table {
    name: "Stream output",
    what: "stream output",
    keys: &[
        key(
            "entries",
            List(&Table(&STREAM_ENTRY), 0, ANY),
            "what is written for each vertex, in the order of its place",
        )
        .needed(),
        key(
            "strides",
            List(&WORD, 0, 4),
            "bytes from one vertex to the next in each buffer; by default what its entries take",
        ),
        key("rasterized_stream", Integer(-1, 3), "the stream that is drawn, too; -1 for none, 0 by default"),
    ],
    others: Others::Unknown,
};

static STREAM_ENTRY: Table = Table {
    name: "An entry of stream output",
    what: "an entry",
    keys: &[
        key("semantic", Either(&[Text, Nothing]), "the output's name; `null`, or none, for a gap that stays as it is"),
        key("index", WORD, "the number after it; 0 by default"),
        key("stream", Integer(0, 3), "its stream; 0 by default"),
        key("start", Integer(0, 3), "the first of the output's components; 0 by default"),
        key("count", Integer(1, 512), "how many components, of 4 bytes each").needed(),
        key("slot", Integer(0, 3), "which of the draw's `so_targets`; 0 by default"),
    ],
    others: Others::Unknown,
};

static RASTERIZER: Table = Table {
    name: "The rasterizer",
    what: "the rasterizer's state",
    keys: &[
        key("fill_mode", Word(&FILLS), "`SOLID` by default"),
        key("cull_mode", Word(&CULLS), "`BACK` by default"),
        key("front_counter_clockwise", Flag, "false by default"),
        key("depth_bias", Integer(i32::MIN as i64, i32::MAX as i64), "0 by default"),
        key("depth_bias_clamp", FLOAT, "0 by default"),
        key("slope_scaled_depth_bias", FLOAT, "0 by default"),
        key("depth_clip_enable", Flag, "true by default"),
        key("multisample_enable", Flag, "whether lines are rectangles with a width of 1.4 pixels; false by default"),
        key("conservative_raster", Flag, "whether triangles cover every pixel that they touch; false by default"),
        key(
            "forced_sample_count",
            Integer(0, 16),
            "samples that primitives cover, whatever the targets have: 1, 4, 8 or 16; 0, as by default, for theirs",
        ),
    ],
    others: Others::Unknown,
};

static DEPTH_STENCIL: Table = Table {
    name: "Depth and stencil",
    what: "the depth-stencil state",
    keys: &[
        key("depth_enable", Flag, "true by default"),
        key("depth_write_mask", Word(&WRITE_MASKS), "`ALL` by default"),
        key("depth_func", Word(&COMPARISONS), "`LESS` by default"),
        key("stencil_enable", Flag, "false by default"),
        key("stencil_read_mask", Integer(0, 255), "255 by default"),
        key("stencil_write_mask", Integer(0, 255), "255 by default"),
        key("front_face", Table(&FACE), "what happens to stencils under fronts"),
        key("back_face", Table(&FACE), "what happens to stencils under backs"),
    ],
    others: Others::Unknown,
};

static FACE: Table = Table {
    name: "Stencils under a face",
    what: "a face's state",
    keys: &[
        key("func", Word(&COMPARISONS), "`ALWAYS` by default"),
        key("fail_op", Word(&STENCIL_OPS), "`KEEP` by default"),
        key("depth_fail_op", Word(&STENCIL_OPS), "`KEEP` by default"),
        key("pass_op", Word(&STENCIL_OPS), "`KEEP` by default"),
    ],
    others: Others::Unknown,
};

static BLEND: Table = Table {
    name: "Blending",
    what: "the blend state",
    keys: &[
        key("alpha_to_coverage_enable", Flag, "false by default"),
        key("independent_blend_enable", Flag, "whether each target has a state of its own; false by default"),
        key(
            "targets",
            List(&Table(&TARGET), 0, 8),
            "the states of the targets; the first one counts for all unless they are independent",
        ),
    ],
    others: Others::Unknown,
};

static TARGET: Table = Table {
    name: "A target's blending",
    what: "a target's state",
    keys: &[
        key("blend_enable", Flag, "false by default"),
        key("src_blend", Word(&FACTORS), "`ONE` by default"),
        key("dest_blend", Word(&FACTORS), "`ZERO` by default"),
        key("blend_op", Word(&BLEND_OPS), "`ADD` by default"),
        key("src_blend_alpha", Word(&FACTORS), "`ONE` by default"),
        key("dest_blend_alpha", Word(&FACTORS), "`ZERO` by default"),
        key("blend_op_alpha", Word(&BLEND_OPS), "`ADD` by default"),
        key("logic_op_enable", Flag, "false by default"),
        key("logic_op", Word(&LOGIC_OPS), "`NOOP` by default"),
        key("write_mask", Integer(0, 255), "red in the lowest bit; 15 by default"),
    ],
    others: Others::Unknown,
};

/// The bindings of steps: registers, or names of the shader's declarations, to resources and samplers.
pub(super) const BIND: Type = Map(&REFERENCE);
pub(super) const VERTEX_BUFFERS: Type = List(&Table(&VERTEX_BUFFER), 0, 32);
pub(super) const VIEWPORT: Type = List(&FLOAT, 6, 6);
pub(super) const SCISSOR: Type = List(&Integer(i32::MIN as i64, i32::MAX as i64), 4, 4);
pub(super) const COLOR: Type = List(&FLOAT, 4, 4);
pub(super) const BASE_VERTEX: Type = Integer(i32::MIN as i64, i32::MAX as i64);
const GROUPS: Type = List(&WORD, 3, 3);
pub(super) static TARGET_OR_NULL: Type = Either(&[REFERENCE, Nothing]);
static TEXT_OR_NULL: Type = Either(&[Text, Nothing]);

static VERTEX_BUFFER: Table = Table {
    name: "A vertex buffer of a draw",
    what: "a vertex buffer",
    keys: &[BUFFER, STRIDE, FIRST_BYTE],
    others: Others::Unknown,
};
pub(super) const BUFFER: super::KeyRow = key("buffer", Text, "the resource").needed();
pub(super) const STRIDE: super::KeyRow = key("stride", WORD, "bytes from one vertex to the next").needed();
pub(super) const FIRST_BYTE: super::KeyRow = key("offset", LONG, "the first vertex's byte; 0 by default");
pub(super) static INDEX_BUFFER: Table = Table {
    name: "The index buffer of a draw",
    what: "an index buffer",
    keys: &[
        BUFFER,
        key("format", Word(&INDEX_FORMATS), "of an index").needed(),
        key("offset", LONG, "the first index's byte; 0 by default"),
    ],
    others: Others::Unknown,
};
static QUERY: Table = Table {
    name: "A query of a step",
    what: "a query",
    keys: &[
        key("kind", Word(&QUERIES), "what it counts").needed(),
        key("name", Text, "steps with the same name are counted together").needed(),
        key(
            "stream",
            Integer(0, 3),
            "the stream that `stream_out` counts, 0 by default, or `so_overflow`: by default any",
        ),
    ],
    others: Others::Unknown,
};

static PREDICATE: Table = Table {
    name: "What a step depends on",
    what: "a predicate",
    keys: &[
        key(
            "query",
            Text,
            "a query of kind `occlusion_predicate` or `so_overflow`, for which steps before are counted",
        )
        .needed(),
        key("value", Flag, "the step is skipped if the query's result is this").needed(),
    ],
    others: Others::Unknown,
};
static ONE_QUERY: Type = Table(&QUERY);
static ONE_OR_MORE: [Type; 2] = [Table(&QUERY), List(&ONE_QUERY, 0, ANY)];
const QUERY_KEY: super::KeyRow = key("query", Either(&ONE_OR_MORE), "what the step is counted for");
const PREDICATE_KEY: super::KeyRow = key("predicate", Table(&PREDICATE), "skips the step, by the result of a query");

/// The steps by their `op`.
pub(super) static STEPS: &[(&str, &Table)] = &[
    ("clear", &CLEAR),
    ("draw", &DRAW),
    ("draw_indexed", &DRAW_INDEXED),
    ("draw_indirect", &DRAW_INDIRECT),
    ("draw_indexed_indirect", &DRAW_INDEXED_INDIRECT),
    ("draw_auto", &DRAW_AUTO),
    ("dispatch", &DISPATCH),
    ("dispatch_indirect", &DISPATCH_INDIRECT),
    ("copy", &COPY),
    ("resolve", &RESOLVE),
    ("generate_mips", &GENERATE_MIPS),
    ("repeat", &REPEAT),
];
/// Those that are rejected by name until they are supported.
pub(super) const ABSENT_STEPS: &[(&str, &str)] = &[
    ("begin_query", "queries of several steps are"),
    ("end_query", "queries of several steps are"),
    ("predicate", "predication of the steps after it, and not by a step's own `predicate`, is"),
];

macro_rules! step {
    ($table:ident $heading:literal $what:literal: $($key:expr,)*) => {
        pub(super) static $table: Table = Table {
            name: $heading,
            what: $what,
            keys: &[key("op", Text, "what the step does").needed(), $($key,)* comment("note")],
            others: Others::Unknown,
        };
    };
}

step! { CLEAR "`clear`" "a step `clear`":
    key("resource", REFERENCE, "what is cleared: all of it, or a level, and a layer of it or all").needed(),
    key("color", COLOR, "to a colour"),
    key("depth", FLOAT, "to a depth"),
    key("stencil", Integer(0, 255), "to a stencil"),
    key("uint", List(&WORD, 4, 4), "to words; of buffers to the first of them"),
    PREDICATE_KEY,
}
step! { COPY "`copy`" "a step `copy`":
    key("from", REFERENCE, "what is copied: a resource, or levels and layers of a texture").needed(),
    key("to", REFERENCE, "to where: a resource of the same shape, or levels with the same extents").needed(),
    PREDICATE_KEY,
}
step! { RESOLVE "`resolve`" "a step `resolve`":
    key("from", REFERENCE, "the texture of several samples, or a layer of it").needed(),
    key("to", REFERENCE, "the texture of one sample that gets their means, or a level and layer of it; `format` says how both are seen").needed(),
    PREDICATE_KEY,
}
step! { GENERATE_MIPS "`generate_mips`" "a step `generate_mips`":
    key("resource", REFERENCE, "the texture: the levels from `mip` on are made of that one, by means of 2 x 2 texels").needed(),
    PREDICATE_KEY,
}
step! { DISPATCH "`dispatch`" "a step `dispatch`":
    key("pipeline", Text, "the pipeline with the compute shader").needed(),
    key("bind", BIND, "what is bound, by registers"),
    key("groups", GROUPS, "groups along x, y and z").needed(),
    key("first_group", GROUPS, "the first group's index; `[0, 0, 0]` by default"),
    QUERY_KEY,
    PREDICATE_KEY,
}
step! { DISPATCH_INDIRECT "`dispatch_indirect`" "a step `dispatch_indirect`":
    key("pipeline", Text, "the pipeline with the compute shader").needed(),
    key("bind", BIND, "what is bound, by registers"),
    key("arguments", Text, "the buffer with the groups along x, y and z").needed(),
    key("arguments_offset", LONG, "where they begin; 0 by default"),
    QUERY_KEY,
    PREDICATE_KEY,
}
step! { REPEAT "`repeat`" "a step `repeat`":
    key("count", Integer(1, 1 << 20), "how often").needed(),
    key("steps", List(&Step, 0, ANY), "what is done again and again, each time on what the time before left").needed(),
}

macro_rules! draw {
    ($table:ident $op:literal $what:literal: $($key:expr,)*) => {
        step! { $table $op $what:
            $($key,)*
            key("pipeline", Text, "the pipeline with the shaders").needed(),
            key("targets", List(&TARGET_OR_NULL, 0, 8), "what colours are drawn to: one level each, and all layers or one"),
            key("depth", REFERENCE, "the depth buffer, at least as large as the targets"),
            key("read_only_depth", Flag, "whether shaders may read its depths meanwhile"),
            key("read_only_stencil", Flag, "whether shaders may read its stencils meanwhile"),
            key("bind", BIND, "what is bound for all stages, by registers, or by the names that shaders have for them"),
            key("vertex_buffers", VERTEX_BUFFERS, "vertex buffers, behind a mesh's"),
            key("viewport", VIEWPORT, "x, y, width, height, least and greatest depth; all of the targets by default"),
            key("scissor", SCISSOR, "left, top, right, bottom"),
            key("viewports", List(&VIEWPORT, 1, 16), "instead of `viewport` several, among which a shader chooses"),
            key("scissors", List(&SCISSOR, 0, 16), "the scissor rectangles of these, in place of `scissor`"),
            key("so_targets", List(&TEXT_OR_NULL, 0, 4), "the buffers that vertices are streamed out to"),
            key(
                "so_offsets",
                List(&Integer(-1, i64::MAX), 0, 4),
                "the byte of each where writing begins, 0 by default; -1 to go on behind what was streamed out before",
            ),
            key("blend_factor", COLOR, "for the factors that need it; ones by default"),
            key("sample_mask", WORD, "samples that are drawn, the first in the lowest bit; all by default"),
            key("stencil_ref", Integer(0, 255), "what stencils are compared with; 0 by default"),
            QUERY_KEY,
            PREDICATE_KEY,
        }
    };
}

const INSTANCE_COUNT: super::KeyRow = key("instances", WORD, "how many instances; 1 by default");
const FIRST_INSTANCE: super::KeyRow = key("first_instance", WORD, "0 by default");
const ARGUMENTS: super::KeyRow =
    key("arguments", Text, "the buffer with the counts, as Direct3D lays them out").needed();
const ARGUMENTS_OFFSET: super::KeyRow = key("arguments_offset", LONG, "where they begin; 0 by default");
const INDICES: super::KeyRow = key("index_buffer", Table(&INDEX_BUFFER), "the indices");
const MESH: super::KeyRow = key(
    "mesh",
    Text,
    "instead of an index buffer a mesh, whose vertices come before `vertex_buffers` and whose elements are POSITION, NORMAL and TEXCOORD",
);

draw! { DRAW "`draw`" "a step `draw`":
    key("vertices", WORD, "how many vertices").needed(),
    key("first_vertex", WORD, "0 by default"),
    INSTANCE_COUNT,
    FIRST_INSTANCE,
}
draw! { DRAW_AUTO "`draw_auto`" "a step `draw_auto`, of all vertices that were streamed out to its first vertex buffer":
}
draw! { DRAW_INDEXED "`draw_indexed`" "a step `draw_indexed`":
    key("indices", WORD, "how many indices; all of a mesh by default"),
    key("first_index", WORD, "0 by default"),
    key("base_vertex", BASE_VERTEX, "added to every index; 0 by default"),
    INDICES,
    MESH,
    INSTANCE_COUNT,
    FIRST_INSTANCE,
}
draw! { DRAW_INDIRECT "`draw_indirect`" "a step `draw_indirect`":
    ARGUMENTS,
    ARGUMENTS_OFFSET,
}
draw! { DRAW_INDEXED_INDIRECT "`draw_indexed_indirect`" "a step `draw_indexed_indirect`":
    ARGUMENTS,
    ARGUMENTS_OFFSET,
    INDICES,
    MESH,
}
