//! What a check finds in shaders that leave arrays.

use std::collections::BTreeSet;

use brolga_runtime::insight::FindingKind;
use brolga_runtime::{Dimension, Engine, Format, Register, TextureShape, View};

use crate::run::{Run, device};

/// Declarations for the statements below.
const DECLARED: &str = "
    struct Item { weights: array<f32, 4>, tag: u32 }
    struct Params { rows: array<vec4f, 4>, turn: mat2x2f, count: u32 }
    struct Tile { head: u32, cells: array<array<u32, 4>, 4> }
    struct Results { first: array<f32, 16>, second: array<vec3u, 8>, hits: array<atomic<u32>, 4> }
    @group(0) @binding(0) var<storage, read_write> results: Results;
    @group(0) @binding(1) var<storage, read> items: array<Item, 4>;
    @group(0) @binding(2) var<uniform> params: Params;
    const steps = array<f32, 5>(1.0, 2.0, 3.0, 4.0, 5.0);
    var<workgroup> tile: Tile;
    var<private> own: array<array<f32, 2>, 4>;";

/// The kinds of what is found in statements, each with its line, on both engines.
fn found(statements: &str) -> Vec<(FindingKind, String)> {
    let text = format!(
        "{DECLARED}
         @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{
             {statements}
         }}"
    );
    let run = Run::new(&text).groups([2, 1, 1]).buffer(0, &[0; 52]).buffer(1, &[7; 20]).buffer(2, &[3; 24]);
    let all = [Engine::Interpreter, Engine::Jit].map(|engine| {
        let (findings, after) = run.check(engine).unwrap_or_else(|error| panic!("{statements}: {error}"));
        let found: Vec<_> = findings
            .iter()
            .map(|found| (found.kind, found.parties[0].location.text.clone(), found.to_string()))
            .collect();
        (found, after)
    });
    assert_eq!(all[0], all[1], "{statements}");
    assert_eq!(all[0].1, run.results(), "{statements}");
    let [(found, _), _] = all;
    found.into_iter().filter(|(kind, ..)| *kind != FindingKind::Race).map(|(kind, line, _)| (kind, line)).collect()
}

#[test]
fn elements_that_arrays_do_not_have_are_found() {
    // Each in a line of its own, which must be the only one that is found.
    for line in [
        "results.first[i + 9] = 1.0;",
        "results.first[i - 1] = 1.0;",
        "results.second[i + 1] = vec3u(i);",
        "results.second[i][i] = i;",
        "atomicAdd(&results.hits[i], 1u);",
        "results.first[i] = items[i].weights[0];",
        "results.first[i] = items[i & 3].weights[i];",
        "results.first[i] = params.rows[i].x;",
        "results.first[i] = params.rows[i & 3][i];",
        "results.first[i] = params.turn[i].x;",
        "results.first[i] = steps[i];",
        "tile.cells[i & 3][i >> 1] = i; tile.cells[i][0] = 1u;",
        "own[i & 3][i & 1] = 2.0; own[i & 3][i] = 1.0; results.first[i] = own[i & 3][i & 1];",
        "let v = vec4f(f32(i)); results.first[i] = v[i];",
        "let a = array<u32, 3>(i, 1u, 2u); results.first[i] = f32(a[i]);",
        "if items[i].tag == 3u { results.first[i] = 1.0; }",
        "results.first[items[i].tag & 7] = 1.0;",
    ] {
        let found = found(line);
        assert!(!found.is_empty(), "{line}");
        for (kind, at) in found {
            assert_eq!((kind, at.as_str()), (FindingKind::Bounds, line));
        }
    }
}

#[test]
fn elements_that_they_have_are_not() {
    for line in [
        "results.first[i + 8] = 1.0;",
        "results.second[i] = vec3u(i); results.second[i][i % 3] = i;",
        "atomicAdd(&results.hits[i & 3], 1u);",
        "results.first[i] = items[i & 3].weights[i >> 1];",
        "results.first[i] = params.rows[i & 3][i & 3] + params.turn[i & 1][i & 1];",
        "results.first[i] = steps[i % 5];",
        "own[i & 3][i & 1] = 2.0; results.first[i] = own[i & 3][i & 1];",
        "let a = array<u32, 3>(i, 1u, 2u); results.first[i] = f32(a[i % 3]);",
        // What is read outside is thrown away.
        "results.first[i] = select(0.0, steps[i], i < 5);",
        "let v = vec4f(f32(i)); results.first[i] = select(0.0, v[i], i < 4);",
        "results.first[i] = select(1.0, items[i].weights[i], i < 4);",
    ] {
        assert_eq!(found(line), [], "{line}");
    }
}

#[test]
fn of_reads_that_go_into_one_result_all_are_found() {
    let found = found("let a = items[i].weights[0];\nlet b = steps[i] * a;\nresults.first[i] = b + params.rows[i].x;");
    let lines: BTreeSet<&str> = found.iter().map(|(_, line)| line.as_str()).collect();
    let expected =
        ["let a = items[i].weights[0];", "let b = steps[i] * a;", "results.first[i] = b + params.rows[i].x;"];
    assert_eq!(lines, BTreeSet::from(expected));
}

#[test]
fn findings_name_variables_and_tell_updates_from_missing_barriers() {
    let text = "
        @group(0) @binding(3) var<storage, read_write> sums: array<u32>;
        var<workgroup> unused: u32;
        var<workgroup> tile: array<u32, 8>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            tile[i] = i;
            sums[i & 3] = sums[i & 3] + tile[i ^ 1];
        }";
    let run = Run::new(text).buffer(3, &[0; 4]);
    let (findings, _) = run.check(Engine::Jit).unwrap();
    let found: Vec<_> = findings.iter().map(|found| (found.headline(), found.at_one_address)).collect();
    // Reads with writes, and writes with writes.
    let expected = [("g0 `tile`: byte 4", false), ("u3 `sums`: byte 0", true), ("u3 `sums`: byte 0", true)];
    assert_eq!(found, expected.map(|(at, is_update)| (format!("race on {at}"), is_update)));
}

#[test]
fn elements_whose_bytes_wrap_do_not_exist() {
    // Times 4, 16, 12 or 256 bytes, each number is that of an element in the buffer, modulo 2^32.
    for (ty, words, index) in [
        ("u32", 1, "0x40000001u"),
        ("vec4u", 4, "0x10000001u"),
        ("Three", 3, "0x55555556u"),
        ("array<vec4u, 16>", 64, "0x01000000u"),
    ] {
        let text = format!(
            "struct Three {{ a: u32, b: u32, c: u32 }}
             @group(0) @binding(0) var<storage, read_write> all: array<{ty}>;
             @group(0) @binding(1) var<storage, read_write> copy: array<{ty}>;
             @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) gone: u32) {{
                 copy[0] = all[{index}];
                 all[{index}] = copy[1];
                 let computed = {index} + (gone >> 31u);
                 copy[2] = all[computed];
                 all[computed] = copy[1];
             }}"
        );
        let run = Run::new(&text).buffer(0, &[7; 256]).buffer(1, &[9; 256]);
        let [all, copy] = run.results().try_into().unwrap();
        assert_eq!((all, copy[0], copy[2 * words]), (vec![7; 256], 0, 0), "{ty}");
        for engine in [Engine::Interpreter, Engine::Jit] {
            let (findings, _) = run.check(engine).unwrap();
            let kinds: Vec<_> = findings.iter().map(|found| found.kind).collect();
            assert_eq!(kinds, [FindingKind::Bounds; 4], "{ty}");
        }
    }
}

/// Groups that are looked at again find the texels of before, and leave those of one run.
#[test]
fn textures_are_changed_once() {
    let text = "
        @group(0) @binding(0) var image: texture_storage_2d<r32uint, read_write>;
        var<workgroup> tile: array<u32, 8>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
            let before = textureLoad(image, id.xy).x;
            textureStore(image, id.xy, vec4u(3u * before + 1u + tile[id.x & 7u]));
        }";
    for engine in [Engine::Interpreter, Engine::Jit] {
        let shape = TextureShape::texture_2d(Format::R32_UINT, 16, 2);
        let texels: Vec<u32> = (0..32).collect();
        let texture = device().texture_from(shape, &texels).unwrap();
        let written = texture.buffer().clone();
        let run = Run::new(text).groups([4, 2, 1]).view(Register::u(0), View::texture(texture));
        let (findings, _) = run.check(engine).unwrap();
        assert!(findings.iter().all(|found| found.kind == FindingKind::Uninitialised) && !findings.is_empty());
        let expected: Vec<u32> = texels.iter().map(|texel| 3 * texel + 1).collect();
        assert_eq!(written.to_vec::<u32>().unwrap(), expected, "{engine:?}");
    }
}

#[test]
fn races_for_texels_at_computed_coordinates_are_found() {
    let text = |place: &str| {
        format!(
            "@group(0) @binding(0) var image: texture_storage_3d<r32uint, read_write>;
             @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {{
                 let at = {place};
                 textureStore(image, at, textureLoad(image, at) + id.x);
             }}"
        )
    };
    for (place, is_racy) in [
        ("vec3u(id.x % 3u, 1u, 0u)", true),
        ("vec3u(id.x % 5u, id.x % 4u, id.x & 1u)", false),
        ("vec3u(9u, id.x, 0u)", false),
    ] {
        let text = text(place);
        let found = [Engine::Interpreter, Engine::Jit].map(|engine| {
            let shape = TextureShape::new(Dimension::Texture3d, Format::R32_UINT, 5).height(4).depth(2);
            let texture = device().texture_from(shape, &[0; 40]).unwrap();
            let (found, _) =
                Run::new(&text).groups([4, 1, 1]).view(Register::u(0), View::texture(texture)).check(engine).unwrap();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        });
        assert_eq!(found[0], found[1], "{place}");
        assert_eq!(found[0].iter().any(|found| found.starts_with("race on u0 `image`")), is_racy, "{place}: {found:?}");
    }
}
