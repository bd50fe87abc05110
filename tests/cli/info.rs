//! Tests `brolga info` and `brolga validate`: their output for shaders of every kind. The compiler's listings next to
//! the shaders say the same.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Folder, Run, repository};

/// The output of `brolga info` for a shader of the repository, as text and as JSON.
fn info(path: &str) -> (String, Value) {
    let (folder, path) = (Folder::new(), repository(path));
    let path = path.to_str().unwrap();
    let text = folder.brolga(&["info", path]);
    assert_eq!((text.code, text.err.as_str()), (Some(0), ""));
    let run = folder.brolga(&["info", path, "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    (text.out, serde_json::from_str(&run.out).unwrap())
}

/// The values of one key in a list of objects.
fn all<'v>(list: &'v Value, key: &str) -> Vec<&'v Value> {
    list.as_array().unwrap().iter().map(|item| &item[key]).collect()
}

#[test]
fn a_compute_shader_tells_its_group_and_bindings() {
    let (text, json) = info("tests/data/exec/vec_add_raw/shader.main.cs_5_0.cso");
    assert!(text.starts_with("cs_5_0, 716 bytes, checksum right\n"), "{text}");
    assert!(text.contains("\ngroup             64 x 1 x 1 threads\n"), "{text}");
    assert!(text.contains("\n  u0        1      raw           o\n"), "{text}");
    let program = &json["program"];
    assert_eq!((&program["stage"], &program["model"]), (&json!("compute"), &json!("5.0")));
    assert_eq!(program["group_size"], json!([64, 1, 1]));
    assert_eq!(program["flags"], json!(["refactoringAllowed"]));
    assert_eq!(all(&program["bindings"], "register"), ["t0", "t1", "u0"]);
    assert_eq!(all(&program["bindings"], "kind"), ["raw", "raw", "raw"]);
    assert_eq!((&program["counts"]["slots"], &program["counts"]["instructions"]), (&json!(6), &json!(6)));
    assert_eq!(program["counts"]["by_name"]["ld_raw"], 2);
    assert_eq!((&json["checksum_matches"], &json["level9"]), (&json!(true), &Value::Null));
    assert_eq!(all(&json["chunks"], "name"), ["RDEF", "ISGN", "OSGN", "SHEX", "STAT"]);
}

#[test]
fn debug_information_tells_its_files_and_variables() {
    let (text, json) = info("tests/data/debug/shading.cs_5_0.cso");
    assert!(text.contains("\ndebug             files: 3, variables: 24\n"), "{text}");
    assert!(text.contains("\nsources:\n  lines  file\n  45     Z:\\shaders\\shading.hlsl\n"), "{text}");
    let debug = &json["debug"];
    assert_eq!((&debug["variables"], &debug["error"]), (&json!(24), &Value::Null));
    assert_eq!(all(&debug["files"], "file"), [r"Z:\shaders\shading.hlsl", "inc/noise.hlsli", "generated.hlsl"]);
    assert_eq!(all(&debug["files"], "lines"), [&json!(45), &json!(14), &Value::Null]);
    let (text, json) = info("tests/data/exec/vec_add_raw/shader.main.cs_5_0.cso");
    assert!(!text.contains("debug") && json["debug"].is_null(), "{text}");
}

#[test]
fn a_shader_for_feature_levels_tells_of_both_programs() {
    let (text, json) = info("tests/data/direct3d9/level9.samplers.ps_4_0_level_9_1.cso");
    assert!(text.contains("\nps_2_0, the second program, for feature levels 9.x\n"), "{text}");
    let program = &json["program"];
    assert_eq!(program["profile"], "ps_4_0");
    assert_eq!(all(&program["inputs"], "semantic"), ["SV_Position", "COLOR", "TEXCOORD"]);
    assert_eq!(all(&program["inputs"], "used"), ["", "xyzw", "xy"]);
    assert_eq!(program["outputs"][0]["system_value"], "TARGET");
    let buffer = &program["constants"][0];
    assert_eq!((&buffer["name"], &buffer["bytes"]), (&json!("A"), &json!(208)));
    let array = &buffer["variables"][0];
    assert_eq!((&array["type"], &array["elements"], &array["used"]), (&json!("float4"), &json!(4), &json!(false)));
    assert_eq!(buffer["variables"][3]["offset"], 96);
    let level9 = &json["level9"];
    assert_eq!(all(&level9["mappings"], "register")[..4], ["c0", "c1", "c2", "s0"]);
    assert_eq!(all(&level9["mappings"], "source")[..4], ["cb0[6]", "cb3[0]", "cb3[6]", "t2 with s1"]);
}

#[test]
fn a_shader_of_direct3d_9_tells_its_constants() {
    let (text, json) = info("tests/data/d3d9/pixel.light.ps_3_0.cso");
    assert!(text.starts_with("ps_3_0, 836 bytes\n"), "{text}");
    assert!(text.contains("\n  c4     4     float4  lights[8]\n"), "{text}");
    let program = &json["program"];
    assert_eq!((&program["model"], &json["checksum_matches"]), (&json!("3.0"), &Value::Null));
    assert_eq!(all(&program["inputs"], "semantic"), ["texcoord", "texcoord"]);
    assert_eq!(all(&program["inputs"], "mask"), ["xyz", "xyz"]);
    let variables = &program["constants"][0]["variables"];
    assert_eq!(all(variables, "register"), ["c12", "c4"]);
    assert_eq!(all(variables, "count"), [4, 4]);
    assert_eq!(json["chunks"], json!([]));
}

#[test]
fn stages_tell_what_they_set_up() {
    let (text, json) = info("tests/data/graphics/tess.hsTri.hs_5_0.cso");
    let line = "tri domain, integer partitioning, triangle_cw output, 3 control points in, 3 control points out, \
                factors up to 32";
    assert!(text.contains(&format!("\ntessellator       {line}\n")), "{text}");
    let expected = json!({
        "domain": "tri",
        "partitioning": "integer",
        "output": "triangle_cw",
        "control_points_in": 3,
        "control_points_out": 3,
        "max_factor": 32.0,
    });
    assert_eq!(json["program"]["tessellation"], expected);

    let (text, json) = info("tests/data/graphics/geometry.inst.gs_5_0.cso");
    let line = "triangle in, trianglestrip out, 3 vertices at most, 4 instances";
    assert!(text.contains(&format!("\ngeometry          {line}\n")), "{text}");
    let streams = json!([{ "number": 0, "topology": "trianglestrip" }]);
    let expected = json!({ "input": "triangle", "streams": streams, "max_vertices": 3, "instances": 4 });
    assert_eq!(json["program"]["geometry"], expected);
}

#[test]
fn a_shader_with_interfaces_tells_its_classes() {
    let (text, json) = info("tests/data/compute/interfaces.cs.cs_5_0.cso");
    for line in [
        "  slot  count  calls  index     interface  name  classes",
        "  fp1   2      2      computed  IOp        ops   0 by ft2, 1 by ft3",
        "  class  vectors  textures  samplers  name",
        "  1      1        0         0         OpAdd",
        "  class  data   texture  sampler  name",
        "  1      b0[6]                    oadd",
        "  ft2    fb2, fb4",
    ] {
        assert!(text.lines().any(|found| found == line), "`{line}` is missing in:\n{text}");
    }
    let linkage = &json["program"]["linkage"];
    let expected = json!({
        "name": "ops",
        "interface": "IOp",
        "slot": 1,
        "count": 2,
        "dynamic": true,
        "call_sites": 2,
        "choices": [{ "class": 0, "table": 2 }, { "class": 1, "table": 3 }],
    });
    assert_eq!(linkage["interfaces"][1], expected);
    assert_eq!(all(&linkage["classes"], "name"), ["OpMul", "OpAdd"]);
    assert_eq!(all(&linkage["instances"], "vector"), [6, 7]);
    assert_eq!(linkage["function_tables"][3], json!({ "table": 3, "bodies": [3, 5] }));
}

#[test]
fn a_shader_without_names_tells_what_it_declares() {
    let folder = Folder::new();
    folder.write("bare.asm", "cs_5_0\ndcl_uav_raw u3\ndcl_tgsm_raw g0, 256\ndcl_thread_group 8, 4, 1\nret\n");
    assert_eq!(folder.brolga(&["asm", "bare.asm", "-o", "bare.cso"]).code, Some(0));
    let run = folder.brolga(&["info", "bare.cso", "--format", "json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    let program = &json["program"];
    assert_eq!((&program["group_size"], &program["shared_memory_bytes"]), (&json!([8, 4, 1]), &json!(256)));
    assert_eq!((&program["bindings"][0]["register"], &program["bindings"][0]["name"]), (&json!("u3"), &Value::Null));
}

#[test]
fn a_shader_comes_through_a_pipe_and_a_broken_one_is_an_error() {
    let folder = Folder::new();
    let whole = fs::read(folder.path("add.cso")).unwrap();
    let mut child = folder.command(&["info", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&whole).unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0));
    assert_eq!(run.out, folder.brolga(&["info", "add.cso"]).out);

    folder.write("cut.cso", &whole[..whole.len() / 2]);
    folder.brolga(&["info", "cut.cso"]).fails(2, &["cut.cso: container size", "the file is damaged or truncated"]);
    folder.brolga(&["info", "missing.cso"]).fails(2, &["cannot read missing.cso"]);
}

#[test]
fn shaders_without_a_fault_are_passed_over_in_silence() {
    let d3d9 = repository("tests/data/d3d9/pixel.light.ps_3_0.cso");
    let run = Folder::new().brolga(&["validate", "add.cso", "image.cso", d3d9.to_str().unwrap()]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
}

#[test]
fn every_fault_is_a_line() {
    let folder = Folder::new();
    let broken = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r3.x, l(1)\nret\n";
    folder.write("bad.asm", broken).brolga(&["asm", "bad.asm", "-o", "bad.cso", "--unchecked"]);
    let mut bytes = fs::read(folder.path("bad.cso")).unwrap();
    bytes[4] ^= 1;
    folder.write("bad.cso", &bytes).write("noise.cso", "noise");
    let run = folder.brolga(&["validate", "bad.cso", "add.cso", "noise.cso"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    let lines: Vec<&str> = run.out.lines().collect();
    let [checksum, register, noise] = lines[..] else { panic!("{}", run.out) };
    assert!(checksum.starts_with("bad.cso: checksum at byte 4 is "), "{checksum}");
    assert!(
        register.starts_with("bad.cso: mov at byte ") && register.contains(": r3 is not declared; help: "),
        "{register}"
    );
    assert!(noise.starts_with("noise.cso: no shader container at byte 0"), "{noise}");

    let run = folder.brolga(&["validate", "bad.cso", "--format", "json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(all(&json["findings"], "file"), ["bad.cso", "bad.cso"]);
    assert_eq!(json["cut"], json!([]));
    assert_eq!(json["findings"][0]["at"], 4);
    folder.brolga(&["validate", "missing.cso", "bad.cso"]).fails(2, &["cannot read missing.cso"]);
}

#[test]
fn a_shader_with_many_faults_has_the_first_hundred_listed() {
    let folder = Folder::new();
    let faults = "mov r3.x, r4.x\n".repeat(60);
    let broken = format!("cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n{faults}ret\n");
    folder.write("bad.asm", broken).brolga(&["asm", "bad.asm", "-o", "bad.cso", "--unchecked"]);
    let run = folder.brolga(&["validate", "bad.cso"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert_eq!(run.out.lines().count(), 101);
    assert_eq!(run.out.lines().last(), Some("bad.cso: more than 100 findings"));
    let run = folder.brolga(&["validate", "--format", "json", "bad.cso"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((json["findings"].as_array().unwrap().len(), &json["cut"]), (100, &json!(["bad.cso"])));
}
