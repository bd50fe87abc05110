//! Tests that the JSON of every shader has the lines of the compiler's listing, and fields that match each line.

use super::data;
use brolga_bytecode::Limits;
use serde_json::{Value, json};

fn document(name: &str, bytes: &[u8]) -> Value {
    let text = brolga_json::listing(bytes, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn items(program: &Value) -> &[Value] {
    program["items"].as_array().unwrap()
}

fn is_code(line: &&str) -> bool {
    !(line.is_empty() || line.starts_with("//") || line.starts_with("#line"))
}

/// The lines of a program in a listing, from after its profile to the next count of slots.
fn listed(listing: &str, profile: &str) -> Vec<String> {
    let lines = listing.lines().map(str::trim).skip_while(|line| *line != profile).skip(1);
    let lines = lines.take_while(|line| !line.to_lowercase().starts_with("// approximately")).filter(is_code);
    // Debug information puts the source's names after an instruction.
    lines.map(|line| line.split("  //").next().unwrap_or(line).to_owned()).collect()
}

/// The lines of a program in a document.
fn lines(program: &Value) -> Vec<String> {
    let texts = items(program).iter().filter_map(|item| item["text"].as_str());
    texts.flat_map(str::lines).map(str::trim).filter(is_code).map(str::to_owned).collect()
}

/// `true` if the first word of a line is that of an item of this kind.
fn is_of_kind(text: &str, kind: &str) -> bool {
    let word = text.split([' ', '(']).next().unwrap_or_default();
    let found = match word {
        "dcl_immediateConstantBuffer" | "printf" | "errorf" | "//" | "undecipherable" => "data",
        "def" | "defi" | "defb" => "definition",
        _ if word.starts_with("dcl") => "declaration",
        _ => "instruction",
    };
    found == kind
}

fn check_offsets(name: &str, program: &Value, first_word: u64) {
    let (begin, mut next) = (program["at"].as_u64().unwrap(), first_word);
    for item in items(program) {
        assert_eq!(item["first_word"], next, "{name}");
        assert_eq!(item["at"], begin + 4 * next, "{name}");
        next += item["word_count"].as_u64().unwrap();
        if let Some(text) = item["text"].as_str() {
            assert!(is_of_kind(text, item["kind"].as_str().unwrap()), "{name}: {item}");
        }
    }
}

#[test]
fn the_lines_of_every_program_are_those_of_the_listing() {
    let mut second_programs = 0;
    for shader in data::containers() {
        let (name, document) = (&shader.name, document(&shader.name, &shader.bytes));
        let (program, level9) = (&document["program"], &document["level9"]);
        let listing = shader.listing.replace('\r', "");
        assert_eq!(program["profile"], shader.profile[..6], "{name}");
        assert_eq!(lines(program), listed(&listing, &shader.profile[..6]), "{name}");
        check_offsets(name, program, 2);
        let end = items(program)
            .last()
            .map_or(2, |item| item["first_word"].as_u64().unwrap() + item["word_count"].as_u64().unwrap());
        assert_eq!(program["word_count"], end, "{name}");
        if let Some(profile) = level9["profile"].as_str() {
            assert_eq!(lines(level9), listed(&listing, profile), "{name}");
            check_offsets(name, level9, 1);
            second_programs += 1;
        }
    }
    assert!(second_programs > 3, "only {second_programs} second programs were seen");
    for shader in data::direct3d9() {
        let (name, document) = (&shader.name, document(&shader.name, &shader.bytes));
        let program = &document["program"];
        let listing = shader.listing.replace('\r', "");
        assert_eq!(lines(program), listed(&listing, program["profile"].as_str().unwrap()), "{name}");
        check_offsets(name, program, 1);
        // The end token is the last word.
        assert_eq!(program["word_count"], shader.bytes.len() / 4, "{name}");
        assert_eq!(document["level9"], Value::Null, "{name}");
    }
}

/// The item with this line, without what every item has.
fn item(document: &Value, text: &str) -> Value {
    let found = items(document).iter().find(|item| item["text"] == text);
    let mut found = found.unwrap_or_else(|| panic!("there is no line `{text}`")).as_object().unwrap().clone();
    for key in ["kind", "at", "first_word", "word_count", "name", "text"] {
        assert!(found.shift_remove(key).is_some(), "{key}");
    }
    Value::Object(found)
}

/// Checks lines of a shader's listing against their meaning, read by eye.
fn check(file: &str, expected: &[(&str, Value)]) {
    let path = data::data().join(file);
    let listing = String::from_utf8(data::read(&path.with_added_extension("asm"))).unwrap();
    let document = document(file, &data::read(&path.with_added_extension("cso")));
    for (text, fields) in expected {
        assert!(listing.lines().any(|line| line.trim() == *text), "{file} has no line `{text}`");
        assert_eq!(item(&document["program"], text), *fields, "{file}: {text}");
    }
}

fn register(file: &str, number: u32, key: &str, components: &str) -> Value {
    json!({ "file": file, "indices": [{ "number": number }], key: components })
}

fn written(file: &str, number: u32, mask: &str) -> Value {
    json!({ "file": file, "indices": [{ "number": number }], "mask": mask, "written": true })
}

#[test]
fn fields_are_those_of_the_line_in_models_4_0_to_5_1() {
    let address = |swizzle: &str| register("r", 2, "select", swizzle);
    check(
        "graphics/geometry.tri.gs_4_0",
        &[
            ("dcl_inputprimitive triangle", json!({ "value": "triangle" })),
            ("dcl_outputtopology trianglestrip", json!({ "value": "trianglestrip" })),
            ("dcl_maxout 6", json!({ "count": 6 })),
            (
                "dcl_output_siv o0.xyzw, position",
                json!({ "operand": register("o", 0, "mask", "xyzw"), "system_value": "position" }),
            ),
            ("emit", json!({ "operands": [] })),
        ],
    );
    check(
        "graphics/geometry.tri.gs_4_1",
        &[
            (
                "mov o0.w, v[r2.x + 2][0].w",
                json!({ "operands": [written("o", 0, "w"), {
            "file": "v", "indices": [{ "number": 2, "relative": address("x") }, { "number": 0 }], "select": "w",
        }] }),
            ),
            (
                "mov o1.xyz, -r1.xyzx",
                json!({ "operands": [written("o", 1, "xyz"), {
            "file": "r", "indices": [{ "number": 1 }], "swizzle": "xyzx", "negate": true,
        }] }),
            ),
            (
                "iadd r1.w, r1.w, l(1)",
                json!({ "operands": [written("r", 1, "w"), register("r", 1, "select", "w"), {
            "file": "l", "values": ["0x00000001"],
        }] }),
            ),
        ],
    );
    check(
        "compute/interfaces.cs.cs_5_0",
        &[
            ("dcl_thread_group 32, 1, 1", json!({ "size": [32, 1, 1] })),
            ("dcl_function_table ft2 = {fb2, fb4}", json!({ "table": 2, "bodies": [2, 4] })),
            (
                "dcl_interface_dynamicindexed fp1[2][2] = {ft2, ft3}",
                json!({
                    "interface": 1, "count": 2, "call_sites": 2, "dynamic": true, "tables": [2, 3],
                }),
            ),
            (
                "fcall fp1[r0.y + 0][1]",
                json!({ "call_site": 1, "operands": [{
            "file": "fp",
            "indices": [{ "number": 1 }, { "number": 0, "relative": register("r", 0, "select", "y") }],
            "components": 0,
        }] }),
            ),
            ("breakc_nz r0.w", json!({ "test": "nz", "operands": [register("r", 0, "select", "w")] })),
            ("label fb0", json!({ "operands": [{ "file": "fb", "indices": [{ "number": 0 }], "components": 0 }] })),
            (
                "ld_structured_indexable(structured_buffer, stride=8)(mixed,mixed,mixed,mixed) r0.xy, vThreadID.x, l(0), t1.xyxx",
                json!({
                    "dimension": "structured_buffer",
                    "stride": 8,
                    "returns": ["mixed", "mixed", "mixed", "mixed"],
                    "operands": [
                        written("r", 0, "xy"),
                        { "file": "vThreadID", "select": "x" },
                        { "file": "l", "values": ["0x00000000"] },
                        register("t", 1, "swizzle", "xyxx"),
                    ],
                }),
            ),
        ],
    );
    check(
        "compute/doubles.arith.cs_5_0.gis",
        &[(
            "dadd [precise(zw)] r0.zw, -r1.xyxy, r2.xyxy",
            json!({ "precise": "zw", "operands": [
            written("r", 0, "zw"),
            { "file": "r", "indices": [{ "number": 1 }], "swizzle": "xyxy", "negate": true },
            register("r", 2, "swizzle", "xyxy"),
        ] }),
        )],
    );
    // The double 3.25 is 0x400a000000000000.
    check(
        "compute/doubles.arith.cs_5_0",
        &[(
            "dmul r3.xy, -|r2.zwzw|, d(3.250000l, 0.000000l)",
            json!({ "operands": [
            written("r", 3, "xy"),
            { "file": "r", "indices": [{ "number": 2 }], "swizzle": "zwzw", "negate": true, "absolute": true },
            { "file": "d", "values": ["0x00000000", "0x400a0000", "0x00000000", "0x00000000"] },
        ] }),
        )],
    );
    check(
        "compute/doubles.arith.cs_5_1",
        &[
            (
                "dcl_constantbuffer CB0[0:0][2], immediateIndexed, space=0",
                json!({
                    "id": 0, "first": 0, "last": 0, "space": 0, "vectors": 2, "dynamic": false,
                }),
            ),
            (
                "dadd r3.xyzw, r3.xyzw, CB0[0][0].zwzw",
                json!({ "operands": [
            written("r", 3, "xyzw"),
            register("r", 3, "swizzle", "xyzw"),
            { "file": "cb", "indices": [{ "number": 0 }, { "number": 0 }, { "number": 0 }], "swizzle": "zwzw" },
        ] }),
            ),
        ],
    );
}

#[test]
fn fields_are_those_of_the_line_in_direct3d_9() {
    check(
        "d3d9/vs11_all",
        &[(
            "add r4, c20[a0.x], -v3",
            json!({ "operands": [
        written("r", 4, "xyzw"),
        {
            "file": "c",
            "indices": [{ "number": 20, "relative": register("a", 0, "swizzle", "xxxx") }],
            "swizzle": "xyzw",
        },
        { "file": "v", "indices": [{ "number": 3 }], "swizzle": "xyzw", "modifier": "-" },
    ] }),
        )],
    );
    check(
        "d3d9/ps11",
        &[
            // 0.5, 0.25, 0.1 and 1 as bits.
            (
                "def c0, 0.5, 0.25, 0.100000001, 1",
                json!({
                    "operand": written("c", 0, "xyzw"),
                    "values": ["0x3f000000", "0x3e800000", "0x3dcccccd", "0x3f800000"],
                }),
            ),
            (
                "mad_sat r0, t2_bx2, c0, r0",
                json!({ "operands": [
            { "file": "r", "indices": [{ "number": 0 }], "mask": "xyzw", "saturate": true, "written": true },
            { "file": "t", "indices": [{ "number": 2 }], "swizzle": "xyzw", "modifier": "_bx2" },
            register("c", 0, "swizzle", "xyzw"),
            register("r", 0, "swizzle", "xyzw"),
        ] }),
            ),
        ],
    );
    check(
        "d3d9/vs2x_pred",
        &[
            (
                "setp_gt p0, v0, c0",
                json!({ "comparison": "gt", "operands": [
            written("p", 0, "xyzw"),
            register("v", 0, "swizzle", "xyzw"),
            register("c", 0, "swizzle", "xyzw"),
        ] }),
            ),
            (
                "(!p0) mov r0, c2",
                json!({
                    "predicate": { "file": "p", "indices": [{ "number": 0 }], "swizzle": "xyzw", "modifier": "!" },
                    "operands": [written("r", 0, "xyzw"), register("c", 2, "swizzle", "xyzw")],
                }),
            ),
        ],
    );
    check(
        "d3d9/vs20_flow",
        &[
            (
                "defi i1, 4, 2, 1, 0",
                json!({
                    "operand": written("i", 1, "xyzw"),
                    "values": ["0x00000004", "0x00000002", "0x00000001", "0x00000000"],
                }),
            ),
            (
                "loop aL, i1",
                json!({ "operands": [
            { "file": "aL", "swizzle": "xyzw" },
            register("i", 1, "swizzle", "xyzw"),
        ] }),
            ),
        ],
    );
    check(
        "d3d9/ps30_all",
        &[
            ("dcl_texcoord1 v1.zw", json!({ "usage": "texcoord", "usage_index": 1, "operand": written("v", 1, "zw") })),
            (
                "dcl_color_centroid v2",
                json!({ "usage": "color", "usage_index": 0, "operand": {
            "file": "v", "indices": [{ "number": 2 }], "mask": "xyzw", "centroid": true, "written": true,
        } }),
            ),
        ],
    );
}

#[test]
fn broken_files_are_errors() {
    let limits = Limits::default();
    assert_eq!(brolga_json::listing(b"no shader", &limits).unwrap_err().at(), 0);
    let whole = data::read(&data::data().join("d3d9/ps11.cso"));
    assert!(brolga_json::listing(&whole[..whole.len() - 4], &limits).is_err());
}
