//! The keys of what several tables have: class instances, and parts of resources.

use super::words::*;
use super::{ANY, COUNT, KeyRow, Others, Table, Type, WORD, comment, key};
use Type::*;

pub(super) const INSTANCES: Type = Map(&INSTANCE);
static INSTANCE: Type = Either(&[Text, Table(&PLACED), List(&Either(&[Text, Table(&PLACED)]), 0, ANY)]);

/// An instance of a class that the shader does not place itself.
static PLACED: Table = Table {
    name: "An instance of a class",
    what: "an instance",
    keys: &[
        key("class", Text, "a class that the variable can stand for").needed(),
        key("constants", Text, "the constant buffer that holds its data"),
        key("vector", WORD, "the first vector of 16 bytes there; 0 by default"),
        key("texture", Text, "the first of its textures or buffers, as `t4`"),
        key("sampler", Text, "the first of its samplers"),
        comment("note"),
    ],
    others: Others::Unknown,
};

/// The keys of a view: the part of a resource that it shows, and its kind.
pub(super) static VIEW: Table = Table { name: "A view", what: "a view", keys: &VIEW_KEYS, others: Others::Unknown };
const VIEW_KEYS: [KeyRow; 7] = [
    key(
        "dimension",
        Word(&VIEWS),
        "the kind of view that the shader sees: cubes, arrays and single layers are views of the same texels",
    )
    .also(&["view"]),
    key("format", Word(&FORMATS), "another format of the same layout"),
    key("mip", WORD, "the first mip level"),
    key("mips", Either(&[COUNT, List(&WORD, 2, 2)]), "how many levels; or the first and how many"),
    key("layer", WORD, "the only layer"),
    key("layers", List(&WORD, 2, 2), "the first layer and how many; of volumes slices"),
    key("min_level", Number(0.0, f32::MAX as f64), "the least level of detail that is sampled"),
];
/// A resource where it is used: its name, or a part of it.
pub(super) const REFERENCE: Type = Either(&[Text, Table(&REFERENCE_TABLE)]);
static REFERENCE_TABLE: Table = Table {
    name: "A part of a resource",
    what: "a reference",
    keys: &{
        let [dimension, format, mip, mips, layer, layers, min_level] = VIEW_KEYS;
        [key("resource", Text, "its name").needed(), dimension, format, mip, mips, layer, layers, min_level]
    },
    others: Others::Unknown,
};
