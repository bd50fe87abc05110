//! Jobs as people write them, right and wrong: what is read, and what the complaints say and point at.

use std::fs;

use brolga_runtime::{ClassInstance, TextureShape};

use super::load::LoadedContent;
use super::*;
use crate::files::{Array, Bytes, FileForm, FilePart};

const SHORT: &str = r#"
shader = "mandelbrot.cso"
dispatch = [128, 128, 1]

[b0]
f32 = [-0.5, 0.0, 2.5]
at = [{ byte = 12, u32 = [512] }]

[u0]
texture2d = { format = "R8G8B8A8_UNORM", width = 1024, height = 1024 }
save = "mandelbrot.png"

["u1,space2"]
structured = { stride = 16, count = 3 }
counter = 7
expect = { u32 = [1, 2], counter = 8 }
"#;

fn parse(text: &str) -> Result<Job, JobError> {
    Job::parse("folder/job.toml".into(), text, Syntax::Toml)
}

/// The message, and the text that it points at.
fn complaint(text: &str) -> (String, String) {
    let error = parse(text).unwrap_err();
    (error.problem().to_string(), error.text()[error.span()].to_owned())
}

fn prepared(text: &str) -> Result<Prepared, JobError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.cso"), b"bytes").unwrap();
    fs::write(folder.path().join("six.bin"), [0; 6]).unwrap();
    let text = format!("shader = \"s.cso\"\ndispatch = [1, 1, 1]\n{text}");
    let job = Job::parse(folder.path().join("job.toml"), &text, Syntax::Toml)?;
    job.prepare(&brolga_runtime::Limits::default())
}

/// A texture in the file of a name.
fn file(name: &str, shape: &TextureShape, texels: &[u8]) -> Vec<u8> {
    let (mut file, bytes) = (std::io::Cursor::new(Vec::new()), Bytes::Owned(texels.to_vec()));
    FileForm::of(Path::new(name)).write(&mut file, shape, &bytes, &brolga_runtime::CancelToken::new()).unwrap();
    file.into_inner()
}

fn unprepared(text: &str) -> String {
    prepared(text).unwrap_err().problem().to_string()
}

#[test]
fn the_short_form_says_all_that_the_long_one_does() {
    let job = parse(SHORT).unwrap();
    assert_eq!(job.name, "job");
    assert_eq!(job.dispatch.value, [128, 128, 1]);
    assert_eq!(job.resolve(&job.shaders[0].value), Path::new("folder/mandelbrot.cso"));
    assert_eq!(job.bindings.len(), 3);
    assert_eq!(job.bindings[0].kind.name, Some("constant"));
    let Content::Values(runs) = &job.bindings[0].content else { panic!() };
    assert_eq!((runs[0].byte, runs[0].bytes.len(), runs[1].byte), (0, 12, 12));
    assert_eq!(runs[1].bytes, [0, 2, 0, 0]);
    assert_eq!(job.bindings[2].register, Register::u(1).in_space(2));
    assert_eq!(job.bindings[2].counter, Some(7));
    assert_eq!(job.expectations[0].counter, Some(8));
    assert!(matches!(&job.expectations[0].content, Some(Expected::Values(runs)) if runs[0].bytes.len() == 8));
}

#[test]
fn a_kind_and_its_dimensions_may_stand_beside_each_other_too() {
    let text = "shader = \"s\"\ndispatch = [1, 1, 1]\n[u0]\nkind = \"structured\"\nstride = 8\nsize = 64\n";
    let kind = parse(text).unwrap().bindings.remove(0).kind;
    assert_eq!((kind.name, kind.stride, kind.count), (Some("structured"), Some(8), None));
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest_one() {
    let error = parse("shader = \"s\"\ndisptach = [1, 1, 1]\n").unwrap_err();
    assert_eq!(error.to_string(), "folder/job.toml:2:1: unknown key `disptach` in the job");
    assert_eq!(error.problem().help().unwrap(), "did you mean `dispatch`?");
    let error =
        parse("shader = \"s\"\ndispatch = [1, 1, 1]\n[u0]\ntexture2d = { formt = \"R32_UINT\" }\n").unwrap_err();
    assert_eq!(error.to_string(), "folder/job.toml:4:15: unknown key `formt` in a texture");
    assert_eq!(error.problem().help().unwrap(), "did you mean `format`?");
}

#[test]
fn complaints_point_at_what_is_wrong() {
    let head = "shader = \"s\"\ndispatch = [1, 1, 1]\n";
    let with = |text: &str| complaint(&format!("{head}{text}"));
    for (text, message, place) in [
        ("[u0]\nraw = \"x\"\n", "`raw` takes a table, this is a string", "\"x\""),
        ("[u0]\nraw = -4\n", "`raw` takes integers from 0 to 9223372036854775807, this is -4", "-4"),
        ("[u0]\nflie = \"x\"\n", "unknown key `flie` in a binding", "flie"),
        ("[u0]\nkind = \"texture2\"\n", "there is no kind of view `texture2`", "\"texture2\""),
        ("[u0]\ntyped = { format = \"R8\" }\n", "there is no format `R8`", "\"R8\""),
        ("[u0]\nconstant = 16\n", "u0 cannot be a constant", "u0"),
        ("[b0]\nu8 = [256]\n", "`u8` takes integers from 0 to 255, this is 256", "256"),
        ("[b0]\nu32 = [1]\nf32 = [1]\n", "`u32` and `f32` are mutually exclusive", "f32"),
        ("[b0]\nfile = \"x\"\nfill = \"zero\"\n", "`file` and `fill` are mutually exclusive", "fill"),
        ("[t0]\nraw = 4\ncounter = 1\n", "t0 is a raw view: only structured ones have a hidden counter", "counter"),
        ("[u0]\nkind = \"raw\"\nsize = 4\nstride = 4\n", "unknown key `stride` in a binding", "stride"),
        (
            "[t0]\ntexture2d = { format = \"R32_UINT\", width = 1, height = 1, layers = 9 }\n",
            "unknown key `layers` in a texture",
            "layers",
        ),
        ("[s0]\nsampler = { filter = \"best\" }\n", "there is no filter `best`", "\"best\""),
        ("[s0]\nadress = \"wrap\"\n", "unknown key `adress` in a binding", "adress"),
        ("[s0]\nsampler = {}\nfilter = \"point\"\n", "unknown key `filter` in a binding", "filter"),
        ("[s0]\nfilter = \"pont\"\n", "there is no filter `pont`", "\"pont\""),
        ("[s0]\nsampler = { adress = \"wrap\" }\n", "unknown key `adress` in a sampler", "adress"),
        ("[t0]\ntexture2d = { mips = \"all\" }\n", "there is no value of mips `all`", "\"all\""),
        ("[t0]\ntexturecube = { layers = 6 }\n", "unknown key `layers` in a texture", "layers"),
        ("[t0]\ntexture2dms = { mips = 2 }\n", "unknown key `mips` in a texture", "mips"),
        ("[t0]\ntexture2d = {}\nview = { mip = 1 }\n", "unknown key `mip` in a view", "mip"),
        (
            "[t0]\ntexture2d = {}\nview = { layers = [1] }\n",
            "`layers` takes an array of the first and the count, this is an array of 1",
            "[1]",
        ),
        ("[t0]\ntexture2d = {}\nview = { dimension = \"2d\" }\n", "there is no kind of texture `2d`", "\"2d\""),
        ("[t0]\nraw = 4\nview = {}\n", "t0 is a raw view: `view` shows a part of a texture", "view"),
        ("[s0]\nsampler = { border = [1] }\n", "`border` takes an array of 4 numbers, this is an array of 1", "[1]"),
        ("[s0]\nsampler = {}\nfile = \"x\"\n", "unknown key `file` in a binding", "file"),
        ("[t0]\nraw = 4\nsave = \"x\"\n", "t0 has no result for `save`: shaders write u# only", "\"x\""),
        (
            "[[bindings]]\nslot = \"q0\"\n",
            "`q0` is not a register: a register is b, t, u or s and a number, as in `u0` or `u0,space1`",
            "\"q0\"",
        ),
        ("[[bindings]]\nslot = \"u0\"\nraw = 4\n[u0]\nraw = 4\n", "u0 is bound twice", "\"u0\""),
        ("[[expect]]\nslot = \"u3\"\ncounter = 1\n", "u3 is expected but not bound", "\"u3\""),
        (
            "[u0]\nraw = 4\nexpect = { u32 = [1], order = \"any\", tolerance = { abs = 1 } }\n",
            "elements in any order can only be compared exactly: remove `tolerance` or `order`",
            "{ abs = 1 }",
        ),
        (
            "[u0]\nraw = 4\nexpect = { u32 = [1], words = [\"f64\"] }\n",
            "`words` names 32-bit types, f64 is not one",
            "\"f64\"",
        ),
    ] {
        assert_eq!(with(text), (message.to_owned(), place.to_owned()), "{text}");
    }
    assert_eq!(complaint("dispatch = [1, 1, 1]\n").0, "the job needs the key `shader`");
    assert_eq!(
        complaint("shader = \"s\"\ndispatch = [1, 1]\n").0,
        "`dispatch` takes an array of 3 integers, this is an array of 2"
    );
    assert_eq!(complaint("shader = \n").1.len(), 0);
}

#[test]
fn sizes_are_checked_before_anything_runs() {
    assert_eq!(unprepared("[u0]\nraw = {}\n"), "nothing says how many bytes u0 has");
    assert_eq!(unprepared("[u0]\nraw = 6\n"), "u0 has 6 bytes, which is not a multiple of 4");
    assert_eq!(
        unprepared("[u0]\nstructured = { stride = 8, count = 2 }\nsize = 24\n"),
        "u0 has 24 bytes by `size`, but its structured says 16"
    );
    assert_eq!(unprepared("[u0]\nraw = 4\nu32 = [1, 2]\n"), "u0 has 4 bytes, the values end at byte 8");
    assert_eq!(
        unprepared("[u0]\nraw = 1000000000000\n"),
        "u0 would have 1000000000000 bytes, the limit is 34359738368"
    );
    assert_eq!(unprepared("[u0]\nraw = 9000000000000000000\n").split(' ').next(), Some("u0"));
    assert_eq!(
        unprepared("[t0]\nraw = 4\n"),
        "a register that is only read needs the key `file`, `fill` or values such as `u32`"
    );
    assert!(unprepared("[t0]\nraw = 8\nfile = \"six.bin\"\n").ends_with("six.bin has 6 bytes, t0 needs 8"));
    assert!(unprepared("[t0]\nraw = {}\nfile = \"none.bin\"\n").contains("none.bin"));
    assert!(unprepared("[t0]\nraw = {}\nfile = \"six.bin\"\n").ends_with("not a multiple of 4"));
    assert!(unprepared("[u0]\ntexture2d = { format = \"R32_UINT\", width = 99999, height = 1 }\n").starts_with("u0: "));
}

#[test]
fn outputs_and_expectations_must_fit_their_view() {
    assert_eq!(
        unprepared("[u0]\nraw = 4\nsave = \"x.png\"\n"),
        "x.png cannot hold u0: a picture is made from a texture, not from a raw view"
    );
    assert_eq!(unprepared("[u0]\nraw = 4\nexpect = { u32 = [1, 2] }\n"), "u0 has 4 bytes, the values end at byte 8");
    assert!(unprepared("[u0]\nraw = 8\nexpect = { file = \"six.bin\", type = \"u8\" }\n").ends_with("u0 needs 8"));
    assert!(unprepared("[u0]\nraw = 8\nexpect = { u32 = [1], elements = 3, element = 4 }\n").contains("do not fit"));
    assert!(unprepared("[u0]\nraw = 8\nexpect = { counter = 1 }\n").contains("no hidden counter"));
    assert!(
        unprepared("[u0]\nraw = 8\nexpect = { at = [{ byte = 2, u32 = [1] }] }\n")
            .contains("not a whole number of u32")
    );
    for nothing in ["u32 = []", "u32 = [1], elements = 0", "u32 = [1, 2], element = 4, skip_elements = [0, 1]"] {
        assert!(unprepared(&format!("[u0]\nraw = 8\nexpect = {{ {nothing} }}\n")).contains("compares nothing of u0"));
    }
    assert!(unprepared("[u0]\nraw = 8\nsave = { file = \"x.bin\", type = \"f64\" }\n").ends_with("leave `type` out"));
    let twice = prepared("[u0]\nraw = 4\nsave = \"x\"\n[u1]\nraw = 4\nsave = \"x\"\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refused = twice.claim_outputs(folder.path(), &mut Default::default()).unwrap_err().problem().to_string();
    assert!(refused.ends_with("is written by two registers"), "{refused}");
}

#[test]
fn files_of_raw_bytes_are_mapped_and_arrays_that_are_read() {
    let head = "[u0]\nraw = 4\nmap = true\n";
    assert_eq!(unprepared(head), "`map` maps a file of raw bytes, and u0 is not saved to one");
    assert!(unprepared(&format!("{head}save = \"x.npy\"\n")).ends_with("u0 is not saved to one"));
    assert!(unprepared("[t0]\nraw = 4\nfill = \"zero\"\nmap = true\n").ends_with("t0 has no file"));
    assert_eq!(complaint("map = 1"), ("unknown key `map` in the job".into(), "map".into()));
    let place = |text: &str| complaint(&format!("shader = \"s\"\ndispatch = [1, 1, 1]\n[u0]\nraw = 4\n{text}\n"));
    assert_eq!(place("map = 1"), ("`map` takes true or false, this is an integer".into(), "1".into()));
    // Whatever its size, if the job says so.
    let content = |map: &str| {
        let ready = prepared(&format!("[b0]\nfile = \"six.bin\"\n{map}\n[u0]\nraw = 4\nsave = \"x\"\n{map}\n"));
        let [first, second] = ready.unwrap().views.try_into().unwrap();
        (matches!(first.content, LoadedContent::Mapped(FilePart { size_bytes: 6, .. })), second.in_place)
    };
    assert_eq!(
        [content(""), content("map = false"), content("map = true")],
        [(false, false), (false, false), (true, true)]
    );
    // An array's header may have any length; where words begin in the middle of others, its elements are copied.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.cso"), b"bytes").unwrap();
    let header = |padding: &str| {
        let dict = format!("{{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }}{padding}\n");
        [&b"\x93NUMPY\x01\x00"[..], &(dict.len() as u16).to_le_bytes(), dict.as_bytes(), &[1, 0, 2, 0, 3, 0]].concat()
    };
    let content = |padding: &str, map: &str| {
        fs::write(folder.path().join("three.npy"), header(padding)).unwrap();
        let text = "shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[t0]\ntyped = { format = \"R16_UINT\" }\n";
        let text = format!("{text}file = \"three.npy\"\n{map}\n");
        let job = Job::parse(folder.path().join("job.toml"), &text, Syntax::Toml).unwrap();
        job.prepare(&brolga_runtime::Limits::default()).map(|mut ready| ready.views.remove(0).content)
    };
    for (padding, map) in [("", "map = true"), ("    ", "map = true")] {
        let offset = header(padding).len() as u64 - 6;
        let content = content(padding, map).unwrap();
        let LoadedContent::Mapped(FilePart { offset_bytes, size_bytes: 6, .. }) = content else {
            panic!("{content:?}")
        };
        assert_eq!((offset_bytes, offset_bytes % 4), (offset, 0));
    }
    assert!(matches!(content(" ", "").unwrap(), LoadedContent::Bytes(bytes) if bytes == [1, 0, 2, 0, 3, 0]));
    assert!(matches!(content("  ", "").unwrap(), LoadedContent::Bytes(bytes) if bytes == [1, 0, 2, 0, 3, 0]));
    let refused = content("  ", "map = true").unwrap_err().problem().to_string();
    assert!(refused.starts_with("`map` maps a file of raw bytes or an array, and t0 has an array that"), "{refused}");
}

/// A copy of a large file goes from the file to the view, without one in between.
#[test]
fn large_files_are_not_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.cso"), b"").unwrap();
    fs::File::create(folder.path().join("large.bin")).unwrap().set_len(64 << 20).unwrap();
    // The same with a header.
    let array = Array { element: "<f4".parse().unwrap(), sides: vec![16 << 20] };
    let header = array.header();
    fs::write(folder.path().join("large.npy"), &header).unwrap();
    let npy = fs::OpenOptions::new().write(true).open(folder.path().join("large.npy")).unwrap();
    npy.set_len(header.len() as u64 + (64 << 20)).unwrap();
    let files = ["large.bin", "large.npy"];
    let bindings = [("t0", "map = false"), ("u0", ""), ("b0", "map = false")];
    for (file, (register, map)) in files.into_iter().flat_map(|file| bindings.map(|binding| (file, binding))) {
        let kind = if register == "b0" { "constant" } else { "raw" };
        let binding = format!("[{register}]\n{kind} = {{}}\nfile = \"{file}\"\n{map}\n");
        let text = format!("shader = \"s.cso\"\ndispatch = [1, 1, 1]\n{binding}");
        let job = Job::parse(folder.path().join("job.toml"), &text, Syntax::Toml).unwrap();
        let ready = job.prepare(&brolga_runtime::Limits::default()).unwrap();
        let LoadedContent::File(part) = &ready.views[0].content else { panic!("{binding}") };
        assert_eq!(part.size_bytes, 64 << 20, "{binding}");
    }
}

/// Types of the corpus's structures, as its cases say them for every word.
#[test]
fn expected_files_have_the_types_of_the_shader_or_their_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exec/particles");
    let rules = |expect: &str| {
        let text = format!(
            "shader = \"shader.main.cs_5_1.cso\"\ndispatch = [4, 1, 1]\n[u0]\nsize = 11264\nexpect = {expect}\n[b0]\nsize = 48\nfill = \"zero\"\n"
        );
        let job = Job::parse(folder.join("job.toml"), &text, Syntax::Toml).unwrap();
        let ready = job.prepare(&brolga_runtime::Limits::default()).unwrap();
        (ready.checks[0].segments[0].pattern.clone(), ready.job.expectations[0].rules.mixed)
    };
    let case = fs::read_to_string(folder.join("case.json")).unwrap();
    let said = Job::parse(folder.join("case.json"), &case, Syntax::Json).unwrap().expectations.remove(0).rules;
    assert_eq!(rules("{ file = \"u0.out.bin\" }"), (said.pattern, said.mixed));
    assert_eq!(rules("{ file = \"u0.out.bin\", type = \"u8\" }"), (vec![NumberType::U8], false));
    // Of raw bytes the shader knows no types.
    let own = tempfile::tempdir().unwrap();
    fs::write(own.path().join("s.cso"), b"").unwrap();
    let array = Array { element: NumberType::I32.element(), sides: vec![2] };
    fs::write(own.path().join("x.npy"), [array.header(), vec![7; 8]].concat()).unwrap();
    fs::write(own.path().join("x.bin"), [7; 8]).unwrap();
    let prepare = |file: &str| {
        let text =
            format!("shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[u0]\nraw = 8\nexpect = {{ file = \"{file}\" }}\n");
        let job = Job::parse(own.path().join("job.toml"), &text, Syntax::Toml).unwrap();
        job.prepare(&brolga_runtime::Limits::default()).map_err(|error| error.problem().to_string())
    };
    assert_eq!(prepare("x.npy").unwrap().checks[0].segments[0].pattern, [NumberType::I32]);
    assert_eq!(prepare("x.bin").unwrap_err(), "an expectation needs the key `type` or `words`");
}

#[test]
fn a_file_is_seen_as_the_shader_declares_it_where_that_can_be() {
    use brolga_runtime::{Dimension, Format};
    let rectangle = TextureShape::texture_2d(Format::R8_UINT, 4, 4);
    let seen = |file: TextureShape, as_: Dimension| {
        let mut keys = TextureKeys::default();
        keys.seen_as = Some(as_);
        keys.fit(file).unwrap().dimension
    };
    assert_eq!(seen(rectangle, Dimension::Texture2dArray), Dimension::Texture2dArray);
    let cube = TextureShape::new(Dimension::TextureCube, Format::R8_UINT, 4).height(4);
    assert_eq!(seen(cube, Dimension::Texture2dArray), Dimension::Texture2dArray);
    for other in [Dimension::Texture2d, Dimension::Texture3d, Dimension::Texture1d] {
        assert_eq!(seen(cube, other), Dimension::TextureCube);
    }
}

/// Whatever a shader's definitions say, a job that relies on them is right or wrong, and nothing else.
#[test]
fn damaged_definitions_are_errors_and_never_panics() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jobs");
    let shader = fs::read(data.join("variables.cso")).unwrap();
    let start = shader.windows(4).position(|name| name == b"RDEF").unwrap();
    let size = u32::from_le_bytes(shader[start + 4..start + 8].try_into().unwrap());
    let end = start + 8 + size as usize;
    let folder = tempfile::tempdir().unwrap();
    let array = Array { element: NumberType::F32.element(), sides: vec![0, 4] };
    fs::write(folder.path().join("x.npy"), array.header()).unwrap();
    let text = "shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[b0]\nlimit = 1\npairs = [[1, 2], [3, 4]]\n\
                by_rows = [[1, 2, 3], [4, 5, 6]]\nby_columns = [[1, 2, 3], [4, 5, 6]]\nlamps = [{}, { tile = [1, 2] }]\n\
                [t0]\nfile = \"x.npy\"\n[t2]\nwidth = 1\nheight = 1\nfill = \"zero\"\n[u0]\ncount = 4\n\
                save = \"y.npy\"\n[u1]\ncount = 1\n[u2]\nwidth = 1\nheight = 1\n";
    let mut limits = brolga_runtime::Limits::default();
    limits.buffer_bytes = 1 << 20;
    let prepare = |shader: &[u8]| {
        fs::write(folder.path().join("s.cso"), shader).unwrap();
        Job::parse(folder.path().join("job.toml"), text, Syntax::Toml).unwrap().prepare(&limits)
    };
    prepare(&shader).unwrap();
    let mut wrong = 0;
    for at in start..end {
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = shader.clone();
            damaged[at] = value;
            wrong += usize::from(prepare(&damaged).is_err());
        }
    }
    assert!(wrong > 100, "{wrong}");
}

#[test]
fn fills_and_values_become_bytes() {
    let ready =
        prepared("[u0]\nraw = 8\nfill = { f32 = 1.0 }\n[u1]\nraw = 12\nat = [{ byte = 4, i32 = [-1] }]\n").unwrap();
    let bytes = |at: usize| match &ready.views[at].content {
        load::LoadedContent::Fill(bytes, size) => bytes.repeat(*size as usize / bytes.len()),
        load::LoadedContent::Values(runs, size) => {
            let mut bytes = vec![0; *size as usize];
            for run in runs {
                bytes[run.byte as usize..][..run.bytes.len()].copy_from_slice(&run.bytes);
            }
            bytes
        }
        _ => panic!(),
    };
    assert_eq!(bytes(0), [0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f]);
    assert_eq!(bytes(1), [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]);
}

#[test]
fn an_image_takes_its_sides_from_a_picture_or_an_array() {
    use brolga_runtime::Format;
    let folder = tempfile::tempdir().unwrap();
    let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 3, 2);
    fs::write(folder.path().join("s.cso"), b"").unwrap();
    for name in ["p.png", "p.npy"] {
        fs::write(folder.path().join(name), file(name, &shape, &[7; 24])).unwrap();
    }
    let prepare = |texture: &str, file: &str| {
        let text =
            format!("shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[t0]\ntexture2d = {texture}\nfile = \"{file}\"\n");
        let job = Job::parse(folder.path().join("job.toml"), &text, Syntax::Toml).unwrap();
        job.prepare(&brolga_runtime::Limits::default())
    };
    for file in ["p.png", "p.npy"] {
        let ready = prepare("{ format = \"R8G8B8A8_UNORM\" }", file).unwrap();
        assert_eq!(ready.views[0].kind, Kind::Texture(shape));
        assert_eq!(ready.views[0].content.size_bytes(), 24);
    }
    let wrong = |texture: &str, file: &str| prepare(texture, file).unwrap_err().problem().to_string();
    let sides = wrong("{ format = \"R8G8B8A8_UNORM\", width = 2, height = 2 }", "p.png");
    assert!(sides.ends_with("p.png: its width is 3, not the 2 that is asked for"));
    assert!(wrong("{ format = \"R32_UINT\" }", "p.png").contains("R8G8B8A8_UNORM, which do not become R32_UINT"));
    assert!(wrong("{ format = \"R32_FLOAT\" }", "p.npy").ends_with("elements of |u1, the view's format needs <f4"));
    assert!(
        wrong("{ format = \"R8G8B8A8_UNORM\", width = 2, height = 3 }", "p.npy")
            .ends_with("shape is [2, 3, 4], the texture's [3, 2]")
    );
    assert!(wrong("{ format = \"R8G8B8A8_UNORM\" }", "s.cso").contains("needs the key `width`"));
}

#[test]
fn a_texture_is_what_its_file_says() {
    use brolga_runtime::{Dimension, Format};
    let folder = tempfile::tempdir().unwrap();
    let cube = TextureShape::new(Dimension::TextureCube, Format::R8G8B8A8_UNORM, 4).height(4).mips(3);
    let texels: Vec<u8> = (0..cube.size_bytes().unwrap()).map(|n| n as u8).collect();
    let light = TextureShape::texture_2d(Format::R16G16B16A16_FLOAT, 2, 3);
    fs::write(folder.path().join("s.cso"), b"").unwrap();
    fs::write(folder.path().join("cube.dds"), file("cube.dds", &cube, &texels)).unwrap();
    fs::write(folder.path().join("light.EXR"), file("light.EXR", &light, &[0x3c; 48])).unwrap();
    let prepare = |binding: &str| {
        let text = format!("shader = \"s.cso\"\ndispatch = [1, 1, 1]\n{binding}\n");
        let job = Job::parse(folder.path().join("job.toml"), &text, Syntax::Toml).unwrap();
        let ready = job.prepare(&brolga_runtime::Limits::default()).map_err(|error| error.problem().to_string())?;
        let Kind::Texture(shape) = ready.views[0].kind else { panic!("{binding}") };
        let LoadedContent::Bytes(bytes) = &ready.views[0].content else { panic!("{binding}") };
        Ok::<_, String>((shape, bytes.clone()))
    };
    assert_eq!(prepare("[t0]\nfile = \"cube.dds\""), Ok((cube, texels.clone())));
    let (shape, _) = prepare("[t0]\nfile = \"light.EXR\"").unwrap();
    assert_eq!(shape, light);
    let (shape, bytes) = prepare("[t0]\ntexture2d = { format = \"R32_FLOAT\" }\nfile = \"light.EXR\"").unwrap();
    assert_eq!((shape.format, bytes.len()), (Format::R32_FLOAT, 24));
    // The same texels as other kinds that they can be, and as other meanings of their codes.
    let six = "[t0]\ntexture2darray = { layers = 6, format = \"R8G8B8A8_UNORM_SRGB\" }\nfile = \"cube.dds\"";
    let (shape, bytes) = prepare(six).unwrap();
    assert_eq!(
        (shape.dimension, shape.layers, shape.format),
        (Dimension::Texture2dArray, 6, Format::R8G8B8A8_UNORM_SRGB)
    );
    assert_eq!(bytes, texels);
    let generated = "[t0]\ntexture2d = { mips = \"generate\" }\nfile = \"light.EXR\"";
    let (shape, bytes) = prepare(generated).unwrap();
    assert_eq!((shape.mips, bytes), (2, vec![0x3c; 48 + 8]));
    let wrong = |texture: &str| prepare(&format!("[t0]\n{texture}\nfile = \"cube.dds\"")).unwrap_err();
    assert!(wrong("texture3d = {}").ends_with("cube.dds: it is a texturecube, not the texture3d that is asked for"));
    assert!(wrong("texturecube = { mips = 1 }").ends_with("cube.dds: its mips is 3, not the 1 that is asked for"));
    assert!(wrong("texture2d = {}").contains("layers"));
    assert!(
        wrong("texturecube = { mips = \"generate\" }").ends_with("3 mip levels already: leave `mips` out to take them")
    );
    assert_eq!(
        prepare("[t0]\ntexture2d = { mips = \"generate\" }\nfill = \"zero\"").unwrap_err(),
        "a texture with generated mips needs the key `file` that ends in `.png`, `.dds` or `.exr`"
    );
    assert!(wrong("texturecube = { format = \"R32_UINT\" }").contains("R8G8B8A8_UNORM, which do not become R32_UINT"));
    assert!(prepare("[t0]\ntexture2d = {}\nfile = \"s.cso\"").unwrap_err().contains("needs the key `format`"));
    for kind in ["raw = {}", "typed = { format = \"R32_UINT\" }", "structured = { stride = 4 }"] {
        assert!(wrong(kind).contains("cube.dds: by its name this is a texture, but the view is "), "{kind}");
    }
}

/// Every kind of texture with its keys alone, and the bytes that the runtime counts.
#[test]
fn every_kind_of_texture_has_its_keys() {
    let size = |texture: &str| {
        let ready = prepared(&format!("[u0]\n{texture}\n")).map_err(|error| error.problem().to_string());
        ready.map(|ready| ready.views[0].content.size_bytes())
    };
    for (texture, texels) in [
        ("texture1d = { format = \"R8_UINT\", width = 5 }", 5),
        ("texture1darray = { format = \"R8_UINT\", width = 5, layers = 3 }", 15),
        ("texture2d = { format = \"R8_UINT\", width = 4, height = 2, mips = 3 }", 8 + 2 + 1),
        ("texture2darray = { format = \"R8_UINT\", width = 5, height = 2, layers = 3 }", 30),
        ("texture3d = { format = \"R8_UINT\", width = 5, height = 2, depth = 3 }", 30),
        ("texturecube = { format = \"R8_UINT\", width = 4 }", 6 * 16),
        ("texturecubearray = { format = \"R8_UINT\", width = 4, layers = 12 }", 12 * 16),
        ("texture2dms = { format = \"R8_UINT\", width = 5, height = 2, samples = 4 }", 40),
        ("texture2dmsarray = { format = \"R8_UINT\", width = 5, height = 2, layers = 3, samples = 4 }", 120),
    ] {
        assert_eq!(size(texture), Ok(texels), "{texture}");
        let kind = texture.split(' ').next().unwrap();
        assert_eq!(size(&format!("{kind} = {{}}")), Err("a texture needs the key `format`".into()));
    }
}

#[test]
fn a_view_shows_a_part_of_a_texture() {
    let device = brolga_runtime::Device::builder().threads(1).build().unwrap();
    let of = |view: &str| {
        let texture = "texture2darray = { format = \"R8G8B8A8_UNORM\", width = 4, height = 4, layers = 7, mips = 3 }";
        let ready = prepared(&format!("[u0]\n{texture}\nview = {view}\n[s0]\n")).unwrap();
        let bindings = ready.bind(&device).map_err(|error| error.problem().to_string())?;
        assert!(bindings.get("s0".parse().unwrap()).is_some());
        let view = bindings.get("u0".parse().unwrap()).unwrap();
        Ok::<_, String>((view.dimension().unwrap().name(), view.format().unwrap().name(), view.size_bytes()))
    };
    let whole = 7 * 4 * (16 + 4 + 1);
    assert_eq!(of("{}"), Ok(("texture2darray", "R8G8B8A8_UNORM", whole)));
    let cube = "{ dimension = \"texturecube\", format = \"R8G8B8A8_UNORM_SRGB\", layers = [1, 6], mips = [1, 2], min_level = 1.5 }";
    assert_eq!(of(cube), Ok(("texturecube", "R8G8B8A8_UNORM_SRGB", whole)));
    assert!(
        of("{ mips = [1, 3] }").unwrap_err().starts_with("u0: a view of mip levels 1 to 3, and the texture has 0 to ")
    );
    assert!(of("{ format = \"R32G32_UINT\" }").unwrap_err().starts_with("u0: texels of format R8G8B8A8_UNORM cannot"));
}

/// Damaged jobs are errors with a place inside the text, whatever the damage.
#[test]
fn damaged_jobs_are_errors_and_never_panics() {
    let json = r#"{"shaders": ["a", "b"], "dispatch": [1, 1, 1], "bindings": [{"slot": "u0", "kind": "raw", "size": 8}],
        "expect": [{"slot": "u0", "file": "x", "type": "u32", "tolerance": {"abs": 0.5, "ulp": 1}}]}"#;
    assert!(Job::parse("j.json".into(), json, Syntax::Json).is_ok());
    for (text, syntax) in [(SHORT, Syntax::Toml), (json, Syntax::Json)] {
        for at in 0..text.len() {
            for with in ["", "\"", "[", "{", "}", "-", "9999999999999999999999", "\u{e9}", "nan", "\n", "=", ","] {
                let damaged = format!("{}{with}{}", &text[..at], &text[at + 1..]);
                check_error(Job::parse("j".into(), &damaged, syntax));
            }
            check_error(Job::parse("j".into(), &text[..at], syntax));
        }
    }
}

fn check_error(result: Result<Job, JobError>) {
    if let Err(error) = result {
        assert!(error.text().get(error.span()).is_some(), "{error}");
        assert!(error.to_string().starts_with("j:") || error.text().is_empty());
    }
}

#[test]
fn views_together_have_a_limit_too() {
    let view = |slot: &str| format!("[{slot}]\nstructured = {{ stride = 16, count = 1342177280 }}\n");
    let gib = 1u64 << 30;
    assert!(prepared(&view("u0")).is_ok());
    let error = prepared(&format!("{}{}", view("u0"), view("u1"))).unwrap_err();
    let limits = format!("the job would take {} bytes, the limit is {}", 40 * gib, 32 * gib);
    assert_eq!(error.problem().to_string(), format!("with u1 {limits}"));
    assert_eq!(&error.text()[error.span()], "u1");
    // What is left counts for files and pictures too.
    let full = view("u0").replace("1342177280", "2147483648");
    assert!(prepared(&full).is_ok());
    assert!(unprepared(&format!("{full}[t0]\nraw = {{}}\nfile = \"six.bin\"\n")).starts_with("t0 has 6 bytes"));
    assert!(unprepared(&format!("{full}[b0]\nfile = \"six.bin\"\n")).starts_with("with b0 the job would take"));
}

#[test]
fn class_instances_are_named_or_placed() {
    let head = "shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[instances]\n";
    let job = parse(&format!(
        "{head}light = \"sun\"\n\"lights[2]\" = \"suns[1]\"\nops = [\"add\", {{ class = \"Mul\", constants = \"b1\", \
         texture = \"t4\" }}]\n"
    ));
    let choices = job.unwrap().instances;
    let placed = ClassInstance::of_class("Mul").constants(1, 0).texture(4);
    let expected: [(&str, ClassInstance); 4] =
        [("light", "sun".into()), ("lights[2]", "suns[1]".into()), ("ops[0]", "add".into()), ("ops[1]", placed.into())];
    assert_eq!(choices.len(), expected.len());
    for (choice, (variable, instance)) in choices.iter().zip(expected) {
        assert_eq!((choice.variable.as_str(), &choice.instance), (variable, &instance));
    }
    for (entry, message, place) in [
        ("a = 3", "`a` takes a name, a table, or an array of them, this is an integer", "3"),
        ("a = { clas = \"A\" }", "unknown key `clas` in an instance", "clas"),
        ("a = { constants = \"b0\" }", "an instance needs the key `class`", "{ constants = \"b0\" }"),
        ("a = { class = \"A\", vector = 1 }", "an instance needs the key `constants`", "{ class = \"A\", vector = 1 }"),
        (
            "a = { class = \"A\", constants = \"t0\" }",
            "`constants` takes a constant buffer such as b0, this is t0",
            "\"t0\"",
        ),
    ] {
        assert_eq!(complaint(&format!("{head}{entry}\n")), (message.to_owned(), place.to_owned()));
    }
}
