//! Tests instances by the frequency of streams: `D3DSTREAMSOURCE_INDEXEDDATA` of the first, `D3DSTREAMSOURCE_INSTANCEDATA`
//! of those after it.

use serde_json::{Value, json};

use super::sketch::Sketch;
use crate::documents::begin_with;

/// Moves positions by an offset in a second stream, and passes that stream's value on.
const MOVE: &str = "vs_3_0\ndef c0, 1, 1, 0, 0\ndcl_position v0\ndcl_texcoord1 v1\ndcl_position o0\ndcl_texcoord o1\nmad o0, v1, c0, v0\nmov o1, v1.z";
const SHOW: &str = "ps_3_0\ndcl_texcoord v0\nmov oC0, v0";

/// Quads of one pixel in a row of 4 x 4: pixel centers lie at whole coordinates, so a pixel is 1/2 wide in clip space and
/// the first is around (-1, 1). Instance *n* is moved by x and y and has a value.
fn sketch(places: &Value, streams: [Value; 2]) -> Sketch {
    let mut sketch = Sketch::new(MOVE, SHOW);
    // Two triangles of four corners, those of the pixel at the upper left.
    let corners = json!([-1.2, 1.2, 0.5, 1, -0.8, 1.2, 0.5, 1, -0.8, 0.8, 0.5, 1, -1.2, 0.8, 0.5, 1]);
    sketch.set("/resources/corners/f32", corners);
    sketch.set("/resources/places", json!({"kind": "vertex", "f32": places}));
    sketch.set("/resources/order", json!({"kind": "index", "u16": [0, 1, 2, 0, 2, 3]}));
    sketch.set(
        "/pipelines/main/input_layout",
        json!([
            {"usage": "POSITION", "type": "FLOAT4"},
            {"usage": "TEXCOORD", "index": 1, "type": "FLOAT3", "stream": 1}
        ]),
    );
    let [mut first, mut second] =
        [json!({"buffer": "corners", "stride": 16}), json!({"buffer": "places", "stride": 12})];
    for (stream, frequency) in [&mut first, &mut second].into_iter().zip(streams) {
        if !frequency.is_null() {
            stream["frequency"] = frequency;
        }
    }
    sketch
        .draw("op", json!("draw_indexed"))
        .draw("primitives", json!(2))
        .draw("index_buffer", json!({"buffer": "order", "format": "INDEX16"}))
        .draw("vertex_buffers", json!([first, second]));
    sketch
}

/// Three instances: at pixels (0, 0), (1, 0) and (2, 1), with the values 1, 2 and 3.
fn three() -> Value {
    json!([0, 0, 1, 0.5, 0, 2, 1, -0.5, 3])
}

/// The red of each pixel.
fn picture(sketch: &Sketch) -> [[f32; 4]; 4] {
    let bytes = sketch.bytes();
    let red = |pixel: usize| f32::from_le_bytes(bytes[16 * pixel..][..4].try_into().unwrap());
    [0, 1, 2, 3].map(|row| [0, 1, 2, 3].map(|column| red(4 * row + column)))
}

const NONE: [f32; 4] = [0.0; 4];

#[test]
fn each_instance_has_an_element_of_its_own() {
    let found = picture(&sketch(&three(), [json!({"indexed_data": 3}), json!({"instance_data": 1})]));
    assert_eq!(found, [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], NONE, NONE]);
    // Fewer than there are elements.
    let found = picture(&sketch(&three(), [json!({"indexed_data": 2}), json!({"instance_data": 1})]));
    assert_eq!(found, [[1.0, 2.0, 0.0, 0.0], NONE, NONE, NONE]);
}

/// Elements last for two instances: with five of them the third one's fills the last.
#[test]
fn an_element_may_last_for_several_instances() {
    let mut sketch = sketch(&three(), [json!({"indexed_data": 5}), json!({"instance_data": 2})]);
    sketch.draw("render_states", json!({"ALPHABLENDENABLE": true, "SRCBLEND": "ONE", "DESTBLEND": "ONE"}));
    // They add up: two of the first, two of the second, one of the third.
    assert_eq!(picture(&sketch), [[2.0, 4.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], NONE, NONE]);
}

/// Without instances, and with a frequency of 1, all streams advance by vertices.
#[test]
fn by_default_streams_advance_by_vertices() {
    // All corners are moved by (1, -1/2), and have 7.
    let places = json!([1, -0.5, 7, 1, -0.5, 7, 1, -0.5, 7, 1, -0.5, 7]);
    for streams in [[json!(null), json!(null)], [json!(1), json!(1)], [json!({"indexed_data": 1}), json!(null)]] {
        assert_eq!(picture(&sketch(&places, streams)), [NONE, [0.0, 0.0, 7.0, 0.0], NONE, NONE]);
    }
}

/// Instances that nothing tells apart are drawn on top of each other, and streams may all say how many there are.
#[test]
fn instances_need_no_stream_of_their_own() {
    let places = json!([1, -0.5, 7, 1, -0.5, 7, 1, -0.5, 7, 1, -0.5, 7]);
    for second in [json!(null), json!({"indexed_data": 3})] {
        let mut sketch = sketch(&places, [json!({"indexed_data": 3}), second]);
        sketch.draw("render_states", json!({"ALPHABLENDENABLE": true, "SRCBLEND": "ONE", "DESTBLEND": "ONE"}));
        assert_eq!(picture(&sketch), [NONE, [0.0, 0.0, 21.0, 0.0], NONE, NONE]);
    }
}

/// The base vertex and the first index are of the geometry; what advances by instances has the offset of its stream.
#[test]
fn the_base_vertex_moves_the_geometry_alone() {
    let mut sketch = sketch(&three(), [json!({"indexed_data": 2}), json!({"instance_data": 1})]);
    // A vertex before those of the quad, and an index before its own.
    let corners = json!([9, 9, 9, 9, -1.2, 1.2, 0.5, 1, -0.8, 1.2, 0.5, 1, -0.8, 0.8, 0.5, 1, -1.2, 0.8, 0.5, 1]);
    sketch.set("/resources/corners/f32", corners);
    sketch.set("/resources/order/u16", json!([9, 0, 1, 2, 0, 2, 3]));
    sketch.draw("base_vertex", json!(1)).draw("first_index", json!(1));
    assert_eq!(picture(&sketch), [[1.0, 2.0, 0.0, 0.0], NONE, NONE, NONE]);
    sketch.set("/steps/0/vertex_buffers/1/offset", json!(12));
    assert_eq!(picture(&sketch), [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], NONE, NONE]);
}

/// Two draws with the same pipeline, of which one has instances.
#[test]
fn frequencies_are_those_of_the_draw() {
    let mut sketch = sketch(&three(), [json!({"indexed_data": 2}), json!({"instance_data": 1})]);
    let mut plain = sketch.scene["steps"][0].clone();
    plain["vertex_buffers"] = json!([{"buffer": "corners", "stride": 16}, {"buffer": "same", "stride": 12}]);
    sketch.set("/resources/same", json!({"kind": "vertex", "f32": [0, -1, 5, 0, -1, 5, 0, -1, 5, 0, -1, 5]}));
    sketch.scene["steps"].as_array_mut().unwrap().push(plain);
    assert_eq!(picture(&sketch), [[1.0, 2.0, 0.0, 0.0], NONE, [5.0, 0.0, 0.0, 0.0], NONE]);
}

/// Parts of a mesh are streams like others.
#[test]
fn meshes_are_instanced_by_their_parts() {
    let mut sketch = sketch(&three(), [json!({"indexed_data": 3}), json!({"instance_data": 1})]);
    sketch.write("square.obj", "v -1.2 1.2 0.5\nv -0.8 1.2 0.5\nv -0.8 0.8 0.5\nv -1.2 0.8 0.5\nf 1 2 3 4\n");
    sketch.set("/resources/square", json!({"kind": "mesh", "file": "square.obj"}));
    sketch.set("/pipelines/main/input_layout/0/type", json!("FLOAT3"));
    sketch.set("/steps/0/vertex_buffers/0/buffer", json!("square.vertices"));
    sketch.set("/steps/0/vertex_buffers/0/stride", json!(32));
    sketch.draw("index_buffer", json!({"buffer": "square.indices", "format": "INDEX32"}));
    assert_eq!(picture(&sketch), [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0], NONE, NONE]);
}

#[test]
fn wrong_frequencies_are_refused() {
    let said = |streams: [Value; 2], changes: &[(&str, Value)]| {
        let mut sketch = sketch(&three(), streams);
        changes.iter().for_each(|(path, value)| sketch.set(path, value.clone()));
        sketch.complaint()
    };
    let (indexed, instance) = (|n: u32| json!({"indexed_data": n}), |n: u32| json!({"instance_data": n}));
    let not_indexed = [("/steps/0/op", json!("draw")), ("/steps/0/primitives", json!(1))];
    let without_indices = |streams: [Value; 2]| {
        let mut sketch = sketch(&three(), streams);
        sketch.scene["steps"][0].as_object_mut().unwrap().remove("index_buffer");
        not_indexed.iter().for_each(|(path, value)| sketch.set(path, value.clone()));
        sketch.complaint()
    };
    let mesh = || {
        let mut sketch = sketch(&three(), [indexed(2), instance(1)]);
        sketch.scene["steps"][0].as_object_mut().unwrap().remove("index_buffer");
        sketch.draw("mesh", json!("square"));
        sketch.complaint()
    };
    let transformed = [("/pipelines/main/input_layout/0/usage", json!("POSITIONT"))];
    begin_with(
        [
            (
                said([instance(1), json!(null)], &[]),
                "steps[0].vertex_buffers[0].frequency: stream 0 has what is drawn, and `indexed_data` says how often: \
                 `instance_data` is for the streams after it",
            ),
            (
                said([json!(null), instance(1)], &[]),
                "steps[0].vertex_buffers[1].frequency: stream 1 advances by instances, but stream 0 does not say how many are \
                 drawn: give it a `frequency` with `indexed_data`",
            ),
            (
                said([indexed(3), indexed(2)], &[]),
                "steps[0].vertex_buffers[1].frequency: stream 1 has 2 instances and stream 0 3: `indexed_data` is the same in \
                 all streams",
            ),
            (
                said([indexed(0), instance(1)], &[]),
                "steps[0].vertex_buffers[0].frequency.indexed_data: `indexed_data` takes integers from 1 to 1073741823, not 0",
            ),
            (said([json!(0), json!(null)], &[]), "steps[0].vertex_buffers[0].frequency: a frequency is at least 1"),
            (
                said([json!(1), json!(3)], &[]),
                "steps[0].vertex_buffers[1].frequency: a draw with indices has `indexed_data` or `instance_data` as a \
                 frequency, not the divider 3",
            ),
            (
                said([json!({}), json!(null)], &[]),
                "steps[0].vertex_buffers[0].frequency: a frequency needs the key `indexed_data` or `instance_data`",
            ),
            (
                said([json!({"indexed_data": 1, "instance_data": 1}), json!(null)], &[]),
                "steps[0].vertex_buffers[0].frequency.instance_data: `indexed_data` and `instance_data` are mutually exclusive",
            ),
            (
                said([indexed(4), instance(1)], &[]),
                "steps[0].vertex_buffers: 4 instances read the elements 0 to 3 of stream 1, one for 1 of them, but `places` has 3",
            ),
            (
                said([indexed(7), instance(2)], &[]),
                "steps[0].vertex_buffers: 7 instances read the elements 0 to 3 of stream 1, one for 2 of them, but `places` has 3",
            ),
            (
                without_indices([indexed(3), instance(1)]),
                "steps[0].vertex_buffers[0].frequency: only a draw with indices, `draw_indexed`, has instances",
            ),
            (
                without_indices([json!(1), json!(3)]),
                "steps[0].vertex_buffers[1].frequency: dividers of draws without indices, which only software vertex processing \
                 has, are not supported yet",
            ),
            (
                said([indexed(3), instance(1)], &transformed),
                "steps[0].vertex_buffers[0].frequency: instances need a vertex shader, and vertices with POSITIONT have none",
            ),
            (
                mesh(),
                "steps[0].vertex_buffers[0].frequency: stream 0, which has the number of instances, is the mesh `square` [name \
                 its parts: `square.vertices` as the first of `vertex_buffers`",
            ),
        ]
        .into_iter()
        .map(|(said, expected)| (String::new(), said, expected)),
    );
}
