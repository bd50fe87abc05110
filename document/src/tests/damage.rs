//! Checks that damaged documents are errors at a position inside the text, whatever the damage; and so are right ones
//! with damaged shaders.

use std::fs;
use std::path::Path;

use brolga_files::Array;
use brolga_runtime::Limits;

use super::Folder;
use super::keys::SHORT;
use crate::model::number::NumberType;
use crate::{Document, DocumentError, Syntax};

const JSON: &str = r#"{"shaders": ["a", "b"], "dispatch": [1, 1, 1], "bindings": [{"slot": "u0", "kind": "raw", "size": 8}],
    "expect": [{"slot": "u0", "file": "x", "type": "u32", "tolerance": {"abs": 0.5, "ulp": 1}}]}"#;

const LONG: &str = r#"{"shaders": {"vs": {"file": "v"}}, "resources": {"r": {"kind": "texture2d", "format": "R8_UINT", "width": 4,
    "height": 4}}, "samplers": {"s": {"filter": "LINEAR"}}, "pipelines": {"p": {"vs": "vs", "input_layout": [{"semantic": "P",
    "format": "R32_FLOAT"}], "blend": {"targets": [{"src_blend": "ONE"}]}}}, "steps": [{"op": "clear", "resource": "r", "color":
    [0, 0, 0, 1]}, {"op": "draw", "pipeline": "p", "vertices": 3, "targets": ["r"], "bind": {"t0": {"resource": "r", "mips":
    [0, 1]}}}, {"op": "repeat", "count": 2, "steps": []}], "save": [{"resource": "r", "file": "r.png"}]}"#;

const DIRECT3D9: &str = r#"{"api": "d3d9", "shaders": {"ps": {"file": "p"}}, "resources": {"r": {"kind": "texture2d", "format":
    "A8R8G8B8", "width": 4, "height": 4}}, "samplers": {"s": {"min": "LINEAR"}}, "pipelines": {"p": {"ps": "ps", "topology":
    "TRIANGLELIST", "render_states": {"CULLMODE": "NONE"}}}, "steps": [{"op": "clear", "target": "r", "color": [0, 0, 0, 1]}, {"op":
    "draw", "pipeline": "p", "primitives": 1, "target": "r", "ps_constants": {"a": [1, 2]}, "render_states": {"FOGEND": 40}}]}"#;

#[test]
fn damaged_documents_are_errors_and_never_panics() {
    for (text, syntax) in [(SHORT, Syntax::Toml), (JSON, Syntax::Json), (LONG, Syntax::Json), (DIRECT3D9, Syntax::Json)]
    {
        let whole = Document::parse("d".into(), text, syntax);
        whole.unwrap_or_else(|error| panic!("{error}"));
        for at in 0..text.len() {
            for with in ["", "\"", "[", "{", "}", "-", "9999999999999999999999", "\u{e9}", "nan", "\n", "=", ","] {
                let damaged = format!("{}{with}{}", &text[..at], &text[at + 1..]);
                check_error(Document::parse("d".into(), &damaged, syntax));
            }
            check_error(Document::parse("d".into(), &text[..at], syntax));
        }
    }
}

fn check_error(result: Result<Document, DocumentError>) {
    if let Err(error) = result {
        assert!(error.text().get(error.span()).is_some(), "{error}");
        assert!(error.to_string().starts_with("d:") || error.text().is_empty());
        let _ = (error.place(), error.help());
    }
}

/// Whatever a shader's definitions contain, a document that relies on them is accepted or rejected, without a panic.
#[test]
fn damaged_definitions_are_errors_and_never_panics() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/jobs");
    let shader = fs::read(data.join("variables.cso")).unwrap();
    let start = shader.windows(4).position(|name| name == b"RDEF").unwrap();
    let size = u32::from_le_bytes(shader[start + 4..start + 8].try_into().unwrap());
    let end = start + 8 + size as usize;
    let folder = Folder::new();
    folder.write("x.npy", &Array { element: NumberType::F32.element(), sides: vec![0, 4] }.header());
    let text = "shader = \"s.cso\"\ndispatch = [1, 1, 1]\n[b0]\nlimit = 1\npairs = [[1, 2], [3, 4]]\n\
                by_rows = [[1, 2, 3], [4, 5, 6]]\nby_columns = [[1, 2, 3], [4, 5, 6]]\nlamps = [{}, { tile = [1, 2] }]\n\
                [t0]\nfile = \"x.npy\"\n[t2]\nwidth = 1\nheight = 1\nfill = \"zero\"\n[u0]\ncount = 4\n\
                save = \"y.npy\"\n[u1]\ncount = 1\n[u2]\nwidth = 1\nheight = 1\n";
    let mut limits = Limits::default();
    limits.buffer_bytes = 1 << 20;
    let prepare = |shader: &[u8]| {
        folder.write("s.cso", shader);
        let document = Document::parse(folder.path().join("document.toml"), text, Syntax::Toml);
        document.unwrap().prepare(&limits)
    };
    prepare(&shader).unwrap_or_else(|error| panic!("{error}"));
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
