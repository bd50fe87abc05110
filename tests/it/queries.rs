//! Tests queries and predication, in passes and in documents: functional specification, 20.
//!
//! Both draw the quads of the scene `queries_predication` to a target of 128 x 128 pixels: quad 0 has the 64 x 64
//! pixels in the middle, at a depth of 0.3, and quad 1, at 0.6, the 32 x 32 pixels in their middle, behind it.

use std::fs;
use std::path::{Path, PathBuf};

use brolga::document::{CheckResult, Outcome, RunOptions};
use brolga::raster::{
    Bounds, Draw, InputElement, Pass, Pipeline, PipelineDesc, Predicate, QueryData, QueryKind, Statistics, TargetState,
    Targets,
};
use brolga::{Buffer, Device, Engine, Format, Module, Texture, TextureShape, View};
use brolga_testing::run::assemble;
use serde_json::{Value, json};

use super::documents::{begin_with, load, said};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenes/queries_predication").join(name)
}

/// What a pass of the quads needs.
struct Quads {
    device: Device,
    target: Texture,
    pipeline: Pipeline,
    vertices: Buffer,
}

impl Quads {
    fn new() -> Self {
        let device = Device::builder().threads(2).build().unwrap();
        let shader = |name| Module::load(&fs::read(data(name)).unwrap(), device.limits()).unwrap();
        let desc = PipelineDesc::new(&shader("vs.cso"), Some(&shader("ps.cso")))
            .input(InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0))
            .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 12))
            .target(TargetState::new(Format::R8G8B8A8_UNORM));
        let pipeline = Pipeline::new(&device, &desc).unwrap();
        let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 128, 128)).unwrap();
        let vertices = device.buffer_from(&fs::read(data("quads.bin")).unwrap()).unwrap();
        Self { device, target, pipeline, vertices }
    }

    fn pass(&self) -> Pass<'_> {
        let colors = vec![View::texture(self.target.clone())];
        Pass::new(&self.device, Targets { colors, depth: None }).unwrap()
    }

    fn quad(&self, n: u32) -> Draw<'_> {
        let draw = Draw::new(&self.pipeline, 6).vertex_buffer(self.vertices.clone(), 28);
        Draw { first: 6 * n, ..draw }
    }

    /// The same where nothing is to be seen.
    fn hidden(&self, n: u32) -> Draw<'_> {
        Draw { scissor: Some(Bounds { left: 0, top: 0, right: 0, bottom: 0 }), ..self.quad(n) }
    }

    /// The red of the pixel in the middle.
    fn red(&self) -> u8 {
        let mut texels = vec![0_u8; 4 * 128 * 128];
        self.target.buffer().read(0, &mut texels).unwrap();
        texels[4 * (64 * 128 + 64)]
    }
}

#[test]
fn queries_nest_and_overlap() {
    let quads = Quads::new();
    let mut pass = quads.pass();
    let first = pass.begin_query(QueryKind::Occlusion).unwrap();
    pass.draw(&quads.quad(0)).unwrap();
    let second = pass.begin_query(QueryKind::Occlusion).unwrap();
    let statistics = pass.begin_query(QueryKind::PipelineStatistics).unwrap();
    pass.draw(&quads.quad(1)).unwrap();
    let nothing = pass.begin_query(QueryKind::OcclusionPredicate).unwrap();
    pass.draw(&quads.hidden(0)).unwrap();
    pass.end_query(nothing).unwrap();
    pass.end_query(first).unwrap();
    let empty = pass.begin_query(QueryKind::Occlusion).unwrap();
    pass.end_query(empty).unwrap();
    pass.draw(&quads.quad(1)).unwrap();
    for query in [second, statistics] {
        pass.end_query(query).unwrap();
    }
    // Results come in any order, and stay.
    for _ in 0..2 {
        assert_eq!(pass.query(second).unwrap(), QueryData::Occlusion(2 * 1024));
        assert_eq!(pass.query(first).unwrap(), QueryData::Occlusion(4096 + 1024));
        assert_eq!(pass.query(empty).unwrap(), QueryData::Occlusion(0));
        assert_eq!(pass.query(nothing).unwrap(), QueryData::OcclusionPredicate(false));
    }
    let QueryData::PipelineStatistics(sum) = pass.query(statistics).unwrap() else { panic!("statistics") };
    // Three draws of two triangles. Nothing runs that is not there.
    assert_eq!((sum.vertices, sum.primitives, sum.clipper_invocations), (18, 6, 6));
    assert_eq!((sum.pixel_invocations, sum.samples), (2048, 2048));
    let absent = [sum.hull_invocations, sum.domain_invocations, sum.geometry_invocations, sum.geometry_primitives];
    assert_eq!(absent, [0; 4]);
    assert_eq!(pass.finish().unwrap().len(), 4);
}

#[test]
fn timestamps_are_monotonic() {
    let quads = Quads::new();
    let mut times = Vec::new();
    for _ in 0..2 {
        let mut pass = quads.pass();
        for _ in 0..2 {
            let time = pass.begin_query(QueryKind::Timestamp).unwrap();
            pass.draw(&quads.quad(0)).unwrap();
            pass.end_query(time).unwrap();
            // All before it is done.
            assert_eq!(pass.statistics().last().unwrap().samples, 4096);
            let QueryData::Timestamp(time) = pass.query(time).unwrap() else { panic!("a time") };
            times.push(time);
        }
    }
    assert!(times.is_sorted(), "{times:?}");
}

/// What a predicate skips leaves no trace; its draw still has an index.
#[test]
fn predicates_skip_where_the_result_equals_the_value() {
    let quads = Quads::new();
    for (seen, value) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut pass = quads.pass();
        pass.clear_color(0, [0.0; 4]).unwrap();
        let query = pass.begin_query(QueryKind::OcclusionPredicate).unwrap();
        pass.draw(&if seen { quads.quad(3) } else { quads.hidden(3) }).unwrap();
        pass.end_query(query).unwrap();
        let result = pass.query(query).unwrap().as_predicate().unwrap();
        assert_eq!(result, seen);
        let predicate = Predicate { result, value };
        assert_eq!(predicate.skips(), seen == value);
        pass.set_predicate(Some(predicate));
        let count = pass.begin_query(QueryKind::Occlusion).unwrap();
        assert_eq!(pass.draw(&quads.quad(1)).unwrap(), 1);
        pass.end_query(count).unwrap();
        let counts = quads.device.buffer_from(&[6_u32, 1, 6, 0]).unwrap();
        assert_eq!(pass.draw_indirect(&quads.quad(1), &counts, 0).unwrap(), 2);
        let was = if seen == value { 0 } else { 1024 };
        assert_eq!(pass.query(count).unwrap(), QueryData::Occlusion(was));
        assert_eq!(quads.red(), if seen == value { 0 } else { 255 });
        // Clears and updates depend on it too.
        pass.clear_color(0, [0.5; 4]).unwrap();
        let word = quads.device.buffer(4).unwrap();
        pass.update_buffer(&word, 0, &[7_u32]).unwrap();
        let mut found = [0_u32];
        word.read(0, &mut found).unwrap();
        assert_eq!((quads.red(), found[0]), if seen == value { (0, 0) } else { (128, 7) });
        // Without it everything is drawn again.
        pass.set_predicate(None);
        assert_eq!(pass.draw(&quads.quad(1)).unwrap(), 3);
        let statistics = pass.finish().unwrap();
        assert_eq!((statistics.len(), statistics[3].samples), (4, 1024));
        if seen == value {
            assert_eq!(statistics[1..3], [Statistics::default(); 2]);
        }
        assert_eq!(quads.red(), 255);
    }
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let quads = Quads::new();
    let mut pass = quads.pass();
    let query = pass.begin_query(QueryKind::Occlusion).unwrap();
    assert_eq!(pass.query(query).unwrap_err().to_string(), "the query has not ended, so there is no result yet");
    pass.end_query(query).unwrap();
    assert_eq!(pass.end_query(query).unwrap_err().to_string(), "the query has ended already");
    assert_eq!(pass.query(query).unwrap().as_predicate(), None);
    let mut other = quads.pass();
    assert_eq!(other.query(query).unwrap_err().to_string(), "the query is of another pass");
    for kind in [QueryKind::StreamOutputStatistics { stream: 4 }, QueryKind::StreamOutputOverflow { stream: Some(4) }] {
        let said = pass.begin_query(kind).unwrap_err().to_string();
        assert_eq!(said, "the query is of a stream that does not exist: there are 0 to 3");
    }
}

/// A document of draws of quads and dispatches of 60 threads that add 1 to a word, with expectations of queries.
fn document(steps: Value, expect: Value) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["vs.cso", "ps.cso", "quads.bin"] {
        fs::copy(data(name), folder.path().join(name)).unwrap();
    }
    let count = "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_thread_group 3, 4, 5\natomic_iadd u0, l(0), l(1)\nret";
    fs::write(folder.path().join("cs.cso"), assemble(count)).unwrap();
    let texture = |size: u32, mips: u32| json!({"kind": "texture2d", "format": "R8G8B8A8_UNORM", "width": size, "height": size, "mips": mips});
    let mut many = texture(2, 1);
    many["samples"] = json!(4);
    let layout = json!([
        {"semantic": "POSITION", "format": "R32G32B32_FLOAT"},
        {"semantic": "COLOR", "format": "R32G32B32A32_FLOAT", "offset": 12}
    ]);
    let scene = json!({
        "name": "queries",
        "shaders": {"vs": {"file": "vs.cso"}, "ps": {"file": "ps.cso"}, "cs": {"file": "cs.cso"}},
        "resources": {
            "quads": {"kind": "vertex", "size": 1512, "file": "quads.bin"},
            "target": texture(128, 1), "one": texture(2, 2), "two": texture(2, 2), "many": many,
            "word": {"kind": "raw", "u32": [0]}
        },
        "pipelines": {
            "quads": {"vs": "vs", "ps": "ps", "topology": "TRIANGLELIST", "input_layout": layout},
            "count": {"cs": "cs"}
        },
        "steps": steps,
        "expect": expect
    });
    let path = folder.path().join("scene.json");
    fs::write(&path, scene.to_string()).unwrap();
    (folder, path)
}

fn quad(n: u32, more: Value) -> Value {
    let mut step = json!({
        "op": "draw", "pipeline": "quads", "vertices": 6, "first_vertex": 6 * n, "targets": ["target"],
        "vertex_buffers": [{"buffer": "quads", "stride": 28}]
    });
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

/// Runs a document on both engines.
fn outcomes(steps: Value, expect: Value) -> Vec<Outcome> {
    let (_folder, path) = document(steps, expect);
    let prepared = load(&path).unwrap();
    let run = |engine| {
        let device = Device::builder().threads(2).build().unwrap();
        prepared.run(&device, 0, &RunOptions::new(engine)).unwrap()
    };
    let outcomes = [Engine::Jit, Engine::Interpreter].map(run);
    assert_eq!(outcomes[0].disagreement(&outcomes[1]), None);
    outcomes.into()
}

fn holds(steps: Value, expect: Value) {
    for outcome in outcomes(steps, expect) {
        assert!(outcome.passed(), "{:?}", outcome.checks);
    }
}

/// An occlusion predicate `seen` that is true, and one `hidden` that is false.
fn predicates() -> Vec<Value> {
    let scissor = json!([0, 0, 0, 0]);
    vec![
        quad(0, json!({"query": {"kind": "occlusion_predicate", "name": "seen"}})),
        quad(0, json!({"scissor": scissor, "query": [{"kind": "occlusion_predicate", "name": "hidden"}]})),
    ]
}

#[test]
fn documents_count_a_step_for_several_queries() {
    let count = |kind: &str, name: &str| json!({"kind": kind, "name": name});
    let dispatch = json!({
        "op": "dispatch", "pipeline": "count", "groups": [2, 1, 1], "bind": {"u0": "word"}, "query": count("statistics", "all")
    });
    holds(
        json!([
            quad(0, json!({"query": [count("occlusion", "first"), count("statistics", "all")]})),
            quad(
                1,
                json!({"query": [count("occlusion", "first"), count("occlusion", "second"), count("statistics", "all")]})
            ),
            quad(1, json!({"query": [count("occlusion", "second"), count("occlusion_predicate", "any")]})),
            dispatch,
        ]),
        json!([
            {"query": "first", "values": {"samples": 5120}},
            {"query": "second", "values": {"samples": 2048}},
            {"query": "any", "values": {"value": 1}},
            {"query": "all", "values": {
                "ia_vertices": 12, "ia_primitives": 4, "hs_invocations": 0, "ds_invocations": 0, "gs_invocations": 0,
                "gs_primitives": 0, "c_invocations": 4, "c_primitives": 4, "ps_invocations": 5120, "cs_invocations": 120
            }},
        ]),
    );
}

#[test]
fn documents_have_timestamps() {
    let steps = json!([
        quad(
            0,
            json!({"query": [{"kind": "timestamp", "name": "a"}, {"kind": "timestamp_disjoint", "name": "clock"}]})
        ),
        quad(1, json!({"query": {"kind": "timestamp", "name": "b"}})),
    ]);
    let expect = json!([
        {"query": "a", "values": {"nanoseconds": 0}, "tolerance": {"abs": 1e18}},
        {"query": "b", "values": {"nanoseconds": 0}, "tolerance": {"abs": 1e18}},
        {"query": "clock", "values": {"frequency": 1_000_000_000, "disjoint": 0}},
    ]);
    for outcome in outcomes(steps, expect) {
        assert!(outcome.passed());
        let times = outcome.checks[..2].iter().map(|check| match &check.result {
            CheckResult::Query(values) => values[0].found.unwrap(),
            other => panic!("{other:?}"),
        });
        let times: Vec<u64> = times.collect();
        assert!(0 < times[0] && times[0] <= times[1], "{times:?}");
    }
}

/// Each step that can depend on a predicate, done with one value and skipped with the other.
#[test]
fn all_steps_of_a_document_can_be_skipped() {
    let ones = json!([255, 255, 255, 255]);
    for (name, of_seen) in [("seen", true), ("hidden", false)] {
        for value in [true, false] {
            let predicate = json!({"query": name, "value": value});
            let skips = of_seen == value;
            let with = |mut step: Value| {
                step["predicate"] = predicate.clone();
                step
            };
            let mut steps = predicates();
            steps.extend([
                json!({"op": "clear", "resource": "one", "color": [0, 0, 0, 0]}),
                json!({"op": "clear", "resource": "two", "color": [0, 0, 0, 0]}),
                json!({"op": "clear", "resource": "many", "color": [1, 1, 1, 1]}),
                with(quad(1, json!({"query": {"kind": "occlusion", "name": "drawn"}}))),
                with(json!({
                    "op": "dispatch", "pipeline": "count", "groups": [1, 1, 1], "bind": {"u0": "word"},
                    "query": {"kind": "statistics", "name": "ran"}
                })),
                with(json!({"op": "resolve", "from": "many", "to": {"resource": "one", "mip": 0}})),
                with(json!({"op": "generate_mips", "resource": "one"})),
                with(json!({"op": "copy", "from": "one", "to": "two"})),
                with(json!({"op": "clear", "resource": "one", "color": [1, 0, 0, 0]})),
            ]);
            let (white, red) =
                if skips { (json!([0, 0, 0, 0]), json!([0, 0, 0, 0])) } else { (ones.clone(), json!([255, 0, 0, 0])) };
            holds(
                json!(steps),
                json!([
                    {"query": "drawn", "values": {"samples": if skips { 0 } else { 1024 }}},
                    {"query": "ran", "values": {"cs_invocations": if skips { 0 } else { 60 }}},
                    {"resource": "word", "u32": [if skips { 0 } else { 60 }]},
                    {"resource": "one", "u8": red},
                    {"id": "first level", "resource": "two", "u8": white},
                    // The second level follows the four texels of the first.
                    {"id": "second level", "resource": "two", "at": [{"byte": 16, "u8": white}]},
                ]),
            );
        }
    }
}

#[test]
fn wrong_queries_and_predicates_are_told() {
    let complaint = |steps: Value, expect: Value| {
        let (_folder, path) = document(steps, expect);
        load(&path).map_or_else(|error| said(&error), |_| "nothing is said".to_owned())
    };
    let occlusion = |name: &str| json!({"kind": "occlusion", "name": name});
    let with = |more: Value| {
        let mut steps = predicates();
        steps.push(quad(1, more));
        complaint(json!(steps), json!([]))
    };
    let about = |values: Value| {
        let steps = json!([quad(0, json!({"query": occlusion("front")}))]);
        complaint(steps, json!([{"query": "front", "values": values}]))
    };
    begin_with(
        [
            (
                with(json!({"predicate": {"query": "sen", "value": true}})),
                "steps[2].predicate.query: there is no query `sen` [did you mean `seen`?]",
            ),
            (
                with(json!({"predicate": {"query": "seen"}})),
                "steps[2].predicate: a predicate needs the key `value` [`value`: the step is skipped if the query's result is this]",
            ),
            (
                with(json!({
                    "predicate": {"query": "seen", "value": true}, "query": {"kind": "occlusion_predicate", "name": "seen"}
                })),
                "steps[2].predicate.query: the step depends on `seen`, and cannot be counted for it",
            ),
            (
                with(json!({"query": occlusion("seen")})),
                "steps[2].query.name: `seen` is a query of kind occlusion_predicate in a step before: one of kind occlusion \
                 needs another name",
            ),
            (
                with(json!({"query": [occlusion("a"), occlusion("a")]})),
                "steps[2].query[1].name: the step is counted for `a` twice [choose another name]",
            ),
            (
                with(json!({"query": {"kind": "stream_out", "name": "written", "stream": 4}})),
                "steps[2].query.stream: `stream` takes integers from 0 to 3, not 4",
            ),
            (
                with(json!({"query": {"kind": "occlusion", "name": "full", "stream": 1}})),
                "steps[2].query.stream: a query of kind occlusion is not of a stream",
            ),
            (
                with(json!({"query": {"kind": "oclusion", "name": "a"}})),
                "steps[2].query.kind: there is no kind of query `oclusion` [did you mean `occlusion`?]",
            ),
            (
                complaint(
                    json!([
                        quad(0, json!({"predicate": {"query": "a", "value": true}})),
                        quad(0, json!({"query": {"kind": "occlusion_predicate", "name": "a"}})),
                    ]),
                    json!([]),
                ),
                "steps[0].predicate.query: the query `a` has no result yet: no step before this one is counted",
            ),
            (
                complaint(
                    json!([
                        quad(0, json!({"query": occlusion("a")})),
                        quad(0, json!({"predicate": {"query": "a", "value": true}})),
                    ]),
                    json!([]),
                ),
                "steps[1].predicate.query: `a` is a query of kind occlusion: steps depend on an occlusion_predicate or an so_overflow",
            ),
            (about(json!({"smples": 1})), "expect[0].query: there is no value of the query `smples` [did you mean `samples`?]"),
            (
                complaint(json!([{"op": "predicate"}]), json!([])),
                "steps[0].op: predication of the steps after it, and not by a step's own `predicate`, is not supported yet",
            ),
        ]
        .into_iter()
        .map(|(said, expected)| (String::new(), said, expected)),
    );
}
