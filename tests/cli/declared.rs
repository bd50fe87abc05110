//! Tests what a job leaves to the shader: kinds, strides, types, and the offsets of a constant buffer's variables.
//!
//! `tests/data/jobs/variables.hlsl` returns its variables one by one, so that the offsets are fxc's own.

use std::fs;

use super::{Folder, repository};

/// Variables of every layout, by their names.
const VARIABLES: &str = r#"
limit = 512
center = [0.25, 0.5]
scale = 3
on = true
off = [false, true]
levels = [1.5, 2.5, 3.5]
pairs = [[4, 5], [6, 7]]
by_rows = [[11, 12, 13], [21, 22, 23]]
by_columns = [[31, 32, 33], [41, 42, 43]]
precise = 0.125
sun = { colour = [0.1, 0.2, 0.3], strength = 9, tile = [-1, -2] }
small = 0.5
values = { file = 77 }
[[b0.lamps]]
colour = [1, 2, 3]
strength = 4
tile = [5, 6]
[[b0.lamps]]
colour = [7, 8, 9]
strength = 10
tile = [11, 12]
"#;

/// The shader's results for them.
const RESULTS: &str = "512, 0.25, 0.5, 3, 1, 0, 1, 1.5, 2.5, 3.5, 4, 5, 6, 7, 11, 12, 13, 21, 22, 23, 31, 32, 33, 41, 42, 43, \
                       0.125, 0.1, 0.2, 0.3, 9, -1, -2, 1, 4, 6, 7, 8, 9, 10, 11, 12, 77, 0.5";

/// The registers other than b0, with the minimum that the job must give.
const REGISTERS: &str = r#"
[t0]
file = "points.npy"
[t1]
u32 = [1, 2, 3, 4, 5, 6, 7, 8]
[t2]
width = 4
height = 1
f32 = [1, 0.5, 0.25, 1]
[u1]
count = 4
save = { file = "found.npy", counted = true }
[u2]
width = 4
height = 1
save = "picture.png"
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    for name in ["variables.cso", "stripped.cso", "block.cso"] {
        fs::copy(repository("tests/data/jobs").join(name), folder.path(name)).unwrap();
    }
    // As NumPy writes four rows of four floats of 32 bits.
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }";
    let mut file = b"\x93NUMPY\x01\x00v\x00".to_vec();
    file.extend(format!("{header:<117}\n").as_bytes());
    for point in [[1.0f32, 1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]] {
        file.extend(point.iter().flat_map(|number| number.to_le_bytes()));
    }
    folder.write("points.npy", file);
    folder
}

fn job(b0: &str, u0: &str, registers: &str) -> String {
    format!("shader = \"variables.cso\"\ndispatch = [1, 1, 1]\n[u0]\n{u0}\n{registers}\n[b0]\n{b0}\n")
}

#[test]
fn variables_lie_where_the_compiler_puts_them() {
    let folder = folder();
    let u0 = format!("count = 44\nexpect = {{ f32 = [{RESULTS}] }}");
    let text = job(VARIABLES, &u0, REGISTERS);
    let run = folder.write("job.toml", &text).brolga(&["run", "job.toml", "--engine", "both"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    // Elements that are left out of an array are zero, and so is a variable that is not named.
    let fewer = text.replace("levels = [1.5, 2.5, 3.5]", "levels = [1.5]").replace("scale = 3\n", "");
    let fewer = fewer.replace("0.5, 3, 1, 0, 1, 1.5, 2.5, 3.5,", "0.5, 0, 1, 0, 1, 1.5, 0, 0,");
    assert_ne!(fewer, text);
    folder.job(&fewer).fails(0, &[]);
    // Bytes that no name covers may be set as well.
    let beside = text.replace("scale = 3\n", "at = [{ byte = 12, f32 = [3] }]\n");
    folder.job(&beside).fails(0, &[]);
}

#[test]
fn a_buffer_of_one_structure_is_named_by_its_members_too() {
    let folder = folder();
    for members in [
        "center = [5, 6]\nlimit = 7",
        "block = { center = [5, 6], limit = 7 }",
        "block.center = [5, 6]\nblock.limit = 7",
    ] {
        folder
            .job(&format!(
                "shader = \"block.cso\"\ndispatch = [1, 1, 1]\n[\"b3,space1\"]\n{members}\n\
                 [u0]\ncount = 3\nexpect = {{ u32 = [5, 6, 7] }}\n"
            ))
            .fails(0, &[]);
    }
}

#[test]
fn what_the_shader_declares_need_not_be_said() {
    let folder = folder();
    let run = folder.job(&job(VARIABLES, "count = 44\nsave = \"results.npy\"", REGISTERS));
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    // Two of the points have a fourth component, so that two pairs are appended, in some order.
    assert!(run.out.contains("      u1: the hidden counter is 2\n"), "{}", run.out);
    let found = fs::read(folder.path("found.npy")).unwrap();
    assert!(String::from_utf8_lossy(&found).contains("'descr': '<u4', 'fortran_order': False, 'shape': (2, 2)"));
    let mut pairs: Vec<&[u8]> = found[128..].chunks(8).collect();
    pairs.sort();
    assert_eq!(pairs, [&[1, 0, 0, 0, 2, 0, 0, 0], &[5, 0, 0, 0, 6, 0, 0, 0]]);
    let results = fs::read(folder.path("results.npy")).unwrap();
    assert!(String::from_utf8_lossy(&results).contains("'descr': '<f4', 'fortran_order': False, 'shape': (44, 1)"));
    let file = fs::File::open(folder.path("picture.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut texels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut texels).unwrap();
    assert_eq!(texels, [[255; 4], [0, 128, 0, 0], [64, 0, 0, 64], [0; 4]].concat());
    // The results are as expected, with the types of the shader.
    let expecting =
        REGISTERS.replace("save = \"picture.png\"", "expect = { file = \"picture.png\", tolerance = { abs = 1 } }");
    let u0 = "count = 44\nexpect = { file = \"results.npy\", tolerance = { rel = 1e-6 } }";
    folder.job(&job(VARIABLES, u0, &expecting)).fails(0, &[]);
}

/// The counts are those that the corpus's case expects.
#[test]
fn counters_are_zero_where_nothing_is_consumed() {
    let folder = Folder::new();
    let case = repository("tests/data/exec/append_consume");
    let [shader, input] = ["shader.main.cs_5_1.cso", "u0.in.bin"].map(|name| case.join(name));
    let job = format!(
        "shader = {shader:?}\ndispatch = [4, 1, 1]\n[u0]\nfile = {input:?}\ncounter = 256\n[u1]\ncount = 256\n\
         save = {{ file = \"u1.bin\", counted = true }}\n[u2]\ncount = 256\n[u3]\ncount = 256\n"
    );
    let run = folder.job(&job);
    run.fails(0, &[]);
    let counters = ["u0: the hidden counter is 56", "u1: the hidden counter is 93", "u2: the hidden counter is 107"];
    assert!(counters.iter().all(|counter| run.out.contains(counter)), "{}", run.out);
    assert_eq!(fs::metadata(folder.path("u1.bin")).unwrap().len(), 93 * 8);
    folder
        .job(&job.replace("counter = 256\n", ""))
        .fails(2, &["u0 is declared with a hidden counter", "`counter = 0`"]);
    // An output that the shader writes to itself has no end to cut.
    let mapped = job.replace("counted = true }", "counted = true }\nmap = true");
    folder.job(&mapped).fails(2, &["`map` maps a file of raw bytes, and u1 is saved in part"]);
}

#[test]
fn what_the_job_says_must_agree_with_the_shader() {
    let folder = folder();
    let with = |from: &str, to: &str| folder.job(&job(VARIABLES, "count = 44", &REGISTERS.replacen(from, to, 1)));
    with("[u1]\ncount = 4", "[u1]\nstride = 16\ncount = 4").fails(2, &["u1", "stride of 8 bytes", "one of 16", "[u1]"]);
    with("[u1]\ncount = 4", "[u1]\nstructured = { count = 4 }").fails(0, &[]);
    with("[u1]\ncount = 4", "[u1]\nwidth = 4").fails(2, &["unknown key `width` in a structured view", "stride, count"]);
    with("[t2]\nwidth = 4", "[t2]\ncount = 4\nwidth = 4").fails(2, &["unknown key `count` in a texture"]);
    with("[u2]\n", "[u2]\ncounter = 1\n").fails(2, &["u2 is a texture2d view: only structured ones"]);
    with("[t1]\n", "[t1]\nformat = \"R32G32_FLOAT\"\n")
        .fails(2, &["t1 is declared with components uint", "R32G32_FLOAT"]);
    with("[t1]\n", "[t9]\nsize = 4\nfill = \"zero\"\n[t1]\n")
        .fails(2, &["t9 is bound to a view, the shader declares only", "[t9]"]);
    with("[t1]\n", "[t1]\nstructured = {}\n")
        .fails(2, &["t1 is declared as typed buffer of uint but bound to a structured view"]);
    with("counted = true", "counted = 1").fails(2, &["`counted` takes true or false"]);
    with("count = 4\nsave", "count = 1\nsave").fails(0, &[]);
    assert!(
        with("count = 4\nsave", "count = 1\nsave").out.contains("the hidden counter is 2, and there are 1 elements")
    );
    with("[t2]\nwidth = 4\n", "[t2]\nwidth = 4\nview = { min_level = 0 }\n").fails(0, &[]);
    with("[t2]\nwidth = 4\n", "[t2]\n").fails(2, &["a texture needs the key `width`"]);
    with("[u1]\ncount = 4\n", "[u1]\n").fails(2, &["nothing says how many bytes u1 has", "give `count` (elements)"]);
    let counted = REGISTERS.replace("save = \"picture.png\"", "save = { file = \"p.bin\", counted = true }");
    folder
        .job(&job(VARIABLES, "count = 44", &counted))
        .fails(2, &["`counted` cuts an output", "u2 is not a structured view"]);
    let u0 = "count = 44\nsave = { file = \"r.bin\", counted = true }";
    folder
        .job(&job(VARIABLES, u0, REGISTERS))
        .fails(2, &["`counted` cuts an output", "u0 has none: give it `counter = 0`"]);
}

#[test]
fn a_variable_that_is_wrong_is_told_what_would_be_right() {
    let folder = folder();
    let with = |b0: &str, parts: &[&str]| folder.job(&job(b0, "count = 44", REGISTERS)).fails(2, parts);
    with("limit = 1\n[b7]\nlimit = 1", &["b7 is bound to a constant view, the shader declares only", "[b7]"]);
    with("limits = 1", &["b0 has no variable `limits`", "did you mean `limit`?"]);
    with("flie = \"x\"", &["b0 has no variable `flie`", "did you mean `file`?"]);
    with("whatever = 1", &["b0 has no variable `whatever`", "the names here are limit, center, scale, on"]);
    with("values = { at = 1 }", &["b0 has no variable `at`"]);
    with("limit = 1.5", &["`limit` takes integers from 0 to 4294967295, not a float"]);
    with("limit = -1", &["`limit` takes integers from 0 to 4294967295, not -1"]);
    with("center = [1, 2, 3]", &["`center` takes an array of 2 numbers (float2), not an array of 3"]);
    with("center = 1", &["`center` takes an array of 2 numbers (float2), not an integer"]);
    with("scale = [1]", &["`scale` takes numbers", "not an array of 1"]);
    with("scale = 1e39", &["`scale` takes numbers from -3.4028235e38", "not 1e39"]);
    with("on = 1", &["`on` takes true or false, not an integer"]);
    with("levels = [1, 2, 3, 4]", &["`levels` takes an array of at most 3 elements, not an array of 4"]);
    with("pairs = [[1, 2], [3]]", &["`pairs[1]` takes an array of 2 numbers (float2), not an array of 1"]);
    with("by_rows = [[1, 2], [3, 4], [5, 6]]", &["`by_rows` takes an array of 2 rows (row_major float2x3)"]);
    with("by_columns = [[1, 2], [3, 4]]", &["`by_columns[0]` takes an array of 3 numbers (float2x3)"]);
    with("sun = [1]", &["`sun` takes a table of its members, not an array of 1"]);
    with("sun.color = [1, 2, 3]", &["`sun` has no member `color`", "did you mean `colour`?"]);
    with("lamps = [{ tile = [1] }]", &["`lamps[0].tile` takes an array of 2 numbers (int2)"]);
    with("limit = 1\nu32 = [2]", &["byte 0 of b0 is set twice", "limit = 1"]);
    with("scale = 1\nat = [{ byte = 8, f32 = [1, 2] }]", &["byte 12 of b0 is set twice"]);
    with("limit = 1\nvalues = { limit = 1 }", &["byte 0 of b0 is set twice"]);
    with("limit = 1\nfill = \"zero\"", &["`fill` and `limit` are mutually exclusive"]);
    with("limit = 1\nsize = 2", &["b0 has 2 bytes, the values end at byte 4"]);
}

#[test]
fn a_stripped_shader_has_no_names() {
    let folder = folder();
    // The declarations of its program are still known.
    let registers =
        REGISTERS.replace("[t1]", "[t1]\nformat = \"R32G32_UINT\"").replace("[t2]", "[t2]\nformat = \"R32_FLOAT\"");
    let registers = registers.replace("[u2]", "[u2]\nformat = \"R8G8B8A8_UNORM\"").replace("[u1]", "[u1]\ncounter = 0");
    let job = |b0: &str| job(b0, "count = 44", &registers).replace("variables.cso", "stripped.cso");
    for b0 in ["size = 304\nfill = \"zero\"", "fill = \"zero\"", "fill = { f32 = 1 }"] {
        let run = folder.job(&job(b0));
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{b0}");
    }
    folder
        .job(&job(VARIABLES))
        .fails(2, &["`limit`, because the shader has no names (RDEF)", "set bytes, as in `at = "]);
    let text = job("").replace("format = \"R32G32_UINT\"\n", "");
    folder.job(&text).fails(2, &["a typed view needs the key `format`", "[t1]"]);
}

#[test]
fn a_short_constant_buffer_is_told_and_runs() {
    let folder = folder();
    let text = job("f32 = [1, 2, 3]", "count = 44", REGISTERS);
    let run = folder.job(&text);
    run.fails(
        0,
        &["b0 has 12 bytes, and the shader's variable `scale` ends at byte 16: the missing bytes read as 0", "[b0]"],
    );
    let run = folder.brolga(&["run", "job.toml", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(document["documents"][0]["warnings"][0]["message"].as_str().unwrap().starts_with("b0 has 12 bytes"));
    assert_eq!(document["documents"][0]["runs"][0]["counters"][0]["resource"], "u1");
    assert_eq!(document["documents"][0]["runs"][0]["counters"][0]["value"], 2);
    assert_eq!(document["documents"][0]["runs"][0]["counters"][0]["elements"], 4);
}

#[test]
fn json_takes_variables_too() {
    let folder = folder();
    let text = r#"{"shader": "block.cso", "dispatch": [1, 1, 1], "bindings": [
        {"slot": "b3,space1", "center": [5, 6], "values": {"limit": 7}}, {"slot": "u0", "count": 3}],
        "expect": [{"slot": "u0", "u32": [5, 6, 7]}]}"#;
    let run = folder.write("job.json", format!("\u{feff}{text}")).brolga(&["run", "job.json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
}
