//! Tests keys and their values, before any file is opened.

use std::path::Path;

use brolga_runtime::{ClassInstance, Register, StageKind};

use super::{complaint, parse};
use crate::model::expectation::Expected;
use crate::model::resource::Content;
use crate::model::step::What;
use crate::{Document, Syntax};

const HEAD: &str = "shader = \"s\"\ndispatch = [1, 1, 1]\n";

/// Everything that the short form has.
pub(super) const SHORT: &str = r#"
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

#[test]
fn the_short_form_is_a_document_with_one_step() {
    let document = parse(SHORT).unwrap();
    assert_eq!((document.name(), document.groups(), document.expectations()), ("folder", Some([128, 128, 1]), 1));
    assert_eq!(document.shaders().collect::<Vec<_>>(), [Path::new("mandelbrot.cso")]);
    let model = &document.model;
    assert_eq!(model.resources.keys().collect::<Vec<_>>(), ["b0", "u0", "u1,space2"]);
    let [constant, _, structured] = [0, 1, 2].map(|n| &model.resources[n]);
    assert_eq!(constant.kind.name, Some("constant"));
    let Content::Values(runs) = &constant.content else { panic!() };
    assert_eq!((runs[0].byte, runs[0].bytes.len(), runs[1].byte), (0, 12, 12));
    assert_eq!(runs[1].bytes, [0, 2, 0, 0]);
    assert_eq!(structured.counter, Some(7));
    let What::Dispatch(dispatch) = &model.steps[0].what else { panic!() };
    assert_eq!(dispatch.bind[2].register, Some(Register::u(1).in_space(2)));
    assert_eq!(model.expectations[0].counter, Some(8));
    assert!(matches!(&model.expectations[0].content, Some(Expected::Values(runs)) if runs[0].bytes.len() == 8));
    assert_eq!((model.saves.len(), model.saves[0].resource.value.as_str()), (1, "u0"));
}

#[test]
fn a_kind_and_its_dimensions_may_stand_beside_each_other_too() {
    let document = parse(&format!("{HEAD}[u0]\nkind = \"structured\"\nstride = 8\nsize = 64\n")).unwrap();
    let resource = &document.model.resources["u0"];
    let kind = &resource.kind;
    assert_eq!((kind.name, kind.stride, kind.count, resource.size), (Some("structured"), Some(8), None, Some(64)));
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest_one() {
    let error = parse("shader = \"s\"\ndisptach = [1, 1, 1]\n").unwrap_err();
    assert_eq!(error.to_string(), "folder/document.toml:2:1: unknown key `disptach` in the document");
    assert_eq!(error.help().unwrap(), "did you mean `dispatch`?");
    let error = parse(&format!("{HEAD}[u0]\ntexture2d = {{ formt = \"R32_UINT\" }}\n")).unwrap_err();
    assert_eq!(error.to_string(), "folder/document.toml:4:15: unknown key `formt` in a texture");
    assert_eq!(error.help().unwrap(), "did you mean `format`?");
    let error = parse(&format!("{HEAD}[u0]\nraw = 4\ncheck = true\n")).unwrap_err();
    assert_eq!(error.to_string(), "folder/document.toml:5:1: unknown key `check` in a binding");
    let help = "`check` is a key of the whole document: in TOML those stand above the first `[table]`";
    assert_eq!(error.help().unwrap(), help);
}

/// The keys that lead to a position, in either syntax for tables.
#[test]
fn places_are_said_by_keys_in_both_syntaxes() {
    let said = |text: &str, syntax: Syntax| Document::parse("d".into(), text, syntax).unwrap_err().place();
    for (toml, place) in [
        ("[u0]\ntexture2d = { formt = 1 }", "u0.texture2d.formt"),
        ("[u0]\nraw = -1", "u0.raw"),
        ("[u0.texture2d]\nformat = \"R32_UINT\"\nwidth = 0", "u0.texture2d.width"),
        ("u0.raw = -1", "u0.raw"),
        ("[u0]\nconstant = 1", "u0"),
        ("[u0]\nraw = 4\n[[u0.at]]\nbyte = 0\nu32 = [1, -1]", "u0.at[0].u32[1]"),
        ("[[bindings]]\nslot = \"u0\"\nraw = 4\n[[bindings]]\nslot = \"q1\"", "bindings[1].slot"),
        ("[[expect]]\nslot = \"u0\"\ncounter = 1\n[[expect]]\nslot = \"u1\"\n", "expect[1]"),
        ("dispath = 1", "dispath"),
    ] {
        assert_eq!(said(&format!("{HEAD}{toml}\n"), Syntax::Toml), place, "{toml}");
    }
    // A missing key is missing from the whole document.
    assert_eq!(said("shader = \"s\"\n", Syntax::Toml), "");
    assert_eq!(said("{\"shader\": \"s\"}", Syntax::Json), "");
    assert_eq!(said("{\"shader\": \"s\", \"dispatch\": [1, 1, 1], \"u0\": {\"raw\": -1}}", Syntax::Json), "u0.raw");
}

#[test]
fn complaints_point_at_what_is_wrong() {
    let with = |text: &str| complaint(&format!("{HEAD}{text}"));
    for (text, message, place) in [
        ("[u0]\nraw = \"x\"\n", "`raw` takes an integer, or a table, not a string", "\"x\""),
        ("[u0]\nraw = -4\n", "`raw` takes integers from 0 to 9223372036854775807, not -4", "-4"),
        ("[u0]\nflie = \"x\"\n", "unknown key `flie` in a binding", "flie"),
        ("[u0]\nkind = \"texture2\"\n", "there is no kind of resource `texture2`", "\"texture2\""),
        ("[u0]\ntyped = { format = \"R8\" }\n", "there is no format `R8`", "\"R8\""),
        ("[u0]\nconstant = 16\n", "u0 cannot be a constant", "u0"),
        ("[u0]\nkind = \"vertex\"\nsize = 16\n", "u0 cannot be a vertex", "u0"),
        ("[b0]\nu8 = [256]\n", "`u8` takes integers from 0 to 255, not 256", "256"),
        ("[b0]\nu32 = [1]\nf32 = [1]\n", "`u32` and `f32` are mutually exclusive", "f32"),
        ("[b0]\nfile = \"x\"\nfill = \"zero\"\n", "`file` and `fill` are mutually exclusive", "fill"),
        ("[t0]\nraw = 4\ncounter = 1\n", "t0 is a raw view: only structured ones have a hidden counter", "counter"),
        (
            "[t0]\ntexture2d = { format = \"R32_UINT\", width = 1, height = 1, layers = 9 }\n",
            "unknown key `layers` in a texture",
            "layers",
        ),
        ("[s0]\nsampler = { filter = \"best\" }\n", "there is no filter `best`", "\"best\""),
        ("[s0]\nadress = \"wrap\"\n", "unknown key `adress` in a sampler", "adress"),
        ("[s0]\nsampler = {}\nfilter = \"point\"\n", "`sampler` and `filter` are mutually exclusive", "filter"),
        ("[s0]\nfilter = \"pont\"\n", "there is no filter `pont`", "\"pont\""),
        ("[s0]\nsampler = { adress = \"wrap\" }\n", "unknown key `adress` in a sampler", "adress"),
        ("[t0]\ntexture2d = { mips = \"all\" }\n", "`mips` takes an integer, or \"generate\", not \"all\"", "\"all\""),
        ("[t0]\ntexture2dms = { mips = 2 }\n", "unknown key `mips` in a texture", "mips"),
        (
            "[t0]\ntexture2d = {}\nview = { layers = [1] }\n",
            "`layers` takes an array of 2 integers, not an array of 1",
            "[1]",
        ),
        ("[t0]\ntexture2d = {}\nview = { dimension = \"2d\" }\n", "there is no kind of view `2d`", "\"2d\""),
        ("[t0]\nraw = 4\nview = {}\n", "t0 is a raw view: `view` shows a part of a texture", "view"),
        ("[s0]\nsampler = { border = [1] }\n", "`border` takes an array of 4 numbers, not an array of 1", "[1]"),
        ("[s0]\nsampler = {}\nfile = \"x\"\n", "unknown key `file` in a sampler", "file"),
        ("[t0]\nraw = 4\nsave = \"x\"\n", "t0 has no result for `save`: shaders write u# only", "\"x\""),
        (
            "[[bindings]]\nslot = \"q0\"\n",
            "`q0` is not a register: a register is b, t, u or s and a number, as in `u0` or `u0,space1`",
            "\"q0\"",
        ),
        ("[[bindings]]\nslot = \"u0\"\nraw = 4\n[u0]\nraw = 4\n", "u0 is bound twice", "\"u0\""),
        ("[[expect]]\nslot = \"u3\"\ncounter = 1\n", "u3 is expected but not bound", "\"u3\""),
        (
            "[u0]\nraw = 4\nexpect = { u32 = [1], words = [\"f64\"] }\n",
            "`words` names 32-bit types, f64 is not one",
            "\"f64\"",
        ),
        (
            "[u0]\nraw = 4\nexpect = { counter = 1, resource = \"u0\" }\n",
            "an expectation in a resource's table is about that: leave `resource` out",
            "resource",
        ),
        ("repeat = 0\n", "`repeat` takes integers from 1 to 1048576, not 0", "0"),
        ("defines = { A = 1.5 }\n", "`A` takes a string, an integer, or true or false, not a float", "1.5"),
        ("map = 1\n", "unknown key `map` in the document", "map"),
        ("[u0]\nraw = 4\nmap = 1\n", "`map` takes true or false, not an integer", "1"),
    ] {
        assert_eq!(with(text), (message.to_owned(), place.to_owned()), "{text}");
    }
    assert_eq!(complaint("dispatch = [1, 1, 1]\n").0, "the document needs the key `shader`");
    assert_eq!(
        complaint("shader = \"s\"\ndispatch = [1, 1]\n").0,
        "`dispatch` takes an array of 3 integers, not an array of 2"
    );
    assert_eq!(complaint("shader = \n").1.len(), 0);
}

#[test]
fn formats_of_other_interfaces_are_understood_in_messages() {
    for (name, expected) in [
        ("RGBA8_UNORM", "R8G8B8A8_UNORM"),
        ("rgba8", "R8G8B8A8_UNORM"),
        ("RGBA32F", "R32G32B32A32_FLOAT"),
        ("RG16I", "R16G16_SINT"),
        ("R32UI", "R32_UINT"),
        ("BGRA8_UNORM_SRGB", "B8G8R8A8_UNORM_SRGB"),
        ("DXGI_FORMAT_R32_FLOAT", "R32_FLOAT"),
        ("R8G8B8A8_UNROM", "R8G8B8A8_UNORM"),
        ("R32_FLAOT", "R32_FLOAT"),
    ] {
        let error = parse(&format!("{HEAD}[u0]\ntyped = {{ format = \"{name}\" }}\n")).unwrap_err();
        assert_eq!(error.help(), Some(format!("did you mean `{expected}`?")), "{name}");
    }
}

#[test]
fn class_instances_are_named_or_placed() {
    let document = parse(&format!(
        "{HEAD}[instances]\nlight = \"sun\"\n\"lights[2]\" = \"suns[1]\"\nops = [\"add\", {{ class = \"Mul\", constants = \"b1\", \
         texture = \"t4\" }}]\n"
    ));
    let document = document.unwrap();
    let choices = &document.model.pipelines[0].instances[StageKind::Compute];
    let placed = ClassInstance::of_class("Mul").constants(1, 0).texture(4);
    let expected: [(&str, ClassInstance); 4] =
        [("light", "sun".into()), ("lights[2]", "suns[1]".into()), ("ops[0]", "add".into()), ("ops[1]", placed.into())];
    assert_eq!(choices.len(), expected.len());
    for (choice, (variable, instance)) in choices.iter().zip(expected) {
        assert_eq!((choice.variable.as_str(), &choice.instance), (variable, &instance));
    }
    for (entry, message, place) in [
        ("a = 3", "`a` takes a string, a table, or an array, not an integer", "3"),
        ("a = { clas = \"A\" }", "unknown key `clas` in an instance", "clas"),
        ("a = { constants = \"b0\" }", "an instance needs the key `class`", "a"),
        ("a = { class = \"A\", vector = 1 }", "an instance needs the key `constants`", "class = \"A\""),
        (
            "a = { class = \"A\", constants = \"t0\" }",
            "`constants` takes a constant buffer such as b0, not t0",
            "\"t0\"",
        ),
    ] {
        assert_eq!(complaint(&format!("{HEAD}[instances]\n{entry}\n")), (message.to_owned(), place.to_owned()));
    }
}

#[test]
fn steps_and_their_keys_are_named_in_complaints() {
    let said = |steps: &str| {
        let text = format!("{{\"steps\": [{steps}]}}");
        let error = Document::parse("d.json".into(), &text, Syntax::Json).unwrap_err();
        let help = error.help().unwrap_or_default();
        (error.place(), error.problem().to_string(), help)
    };
    let told = |place: &str, message: &str, help: &str| (place.to_owned(), message.to_owned(), help.to_owned());
    assert_eq!(said("{\"op\": \"drow\"}"), told("steps[0].op", "there is no step `drow`", "did you mean `draw`?"));
    assert_eq!(
        said("{\"op\": \"begin_query\"}"),
        told(
            "steps[0].op",
            "queries of several steps are not supported yet",
            "docs/document.md lists what documents can do"
        )
    );
    assert_eq!(said("{\"pipeline\": \"a\"}").1, "a step needs the key `op`");
    assert_eq!(
        said(
            "{\"op\": \"repeat\", \"count\": 2, \"steps\": [{\"op\": \"dispatch\", \"pipeline\": 1, \"groups\": [1, 1, 1]}]}"
        ),
        told("steps[0].steps[0].pipeline", "`pipeline` takes a string, not an integer", "")
    );
}
