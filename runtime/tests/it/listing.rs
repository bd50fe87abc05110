//! Tests listings of compiled shaders: machine code beside the shader's own instructions, for every compute shader of
//! the corpus.

use brolga_bytecode::sm5::{CustomContent, ItemKind};
use brolga_bytecode::{LoadOptions, Shader as Loaded};
use brolga_runtime::{Bindings, CompileOptions, Device, Emit, Engine, LineKind, Listing};

use crate::support::case::{compute_shaders, data};

/// The shader's instructions as the bytecode's own printer writes them.
fn instructions(container: &[u8]) -> Vec<String> {
    let program = Loaded::load(container, &LoadOptions::default()).unwrap().program;
    let text = |kind: &ItemKind| match kind {
        ItemKind::Instruction(instruction) => Some(instruction.to_string()),
        ItemKind::CustomData(data) => match &data.content {
            CustomContent::Message(message) => Some(message.to_string()),
            _ => None,
        },
        _ => None,
    };
    program.items().iter().filter_map(|item| text(&item.kind)).collect()
}

/// Checks a listing of machine code against the shader's instructions and the size of its code, where known.
fn check_asm(listing: &Listing, instructions: &[String], code_bytes: Option<usize>) -> Result<(), String> {
    let mut next = 0;
    let mut listed = Vec::new();
    for line in &listing.lines {
        match line.kind {
            LineKind::Machine => {
                let mut words = line.text.split_whitespace();
                let offset = words.next().and_then(|word| usize::from_str_radix(word, 16).ok());
                let bytes = words.next().filter(|word| word.bytes().all(|digit| digit.is_ascii_hexdigit()));
                let Some((offset, bytes)) = offset.zip(bytes) else { return Err(format!("no row: `{}`", line.text)) };
                if offset != next {
                    return Err(format!("`{}` should be at {next:#x}", line.text));
                }
                next += bytes.len() / 2;
            }
            // An instruction out of its order has its number in parentheses.
            LineKind::Shader if !line.text.starts_with("; ") || !line.text.contains('|') => {
                return Err(format!("no instruction: `{}`", line.text));
            }
            LineKind::Shader => {
                let (number, text) = line.text[2..].split_once('|').expect("has one");
                if let Ok(number) = number.trim().parse::<usize>() {
                    listed.push((number, text.trim().to_owned()));
                }
            }
            _ => {}
        }
    }
    if code_bytes.is_some_and(|code_bytes| next != code_bytes) {
        return Err(format!("{next} bytes are listed of {code_bytes:?}"));
    }
    if listed.len() != instructions.len() {
        return Err(format!("{} instructions are listed of {}", listed.len(), instructions.len()));
    }
    for (n, (instruction, (number, text))) in instructions.iter().zip(&listed).enumerate() {
        let text = text.split("  ;").next().expect("a first part");
        if n != *number || instruction != text {
            return Err(format!("instruction {n} is `{instruction}` and is listed as {number} `{text}`"));
        }
    }
    Ok(())
}

/// Every byte of code is listed once, in order, and so is every instruction of the shader.
#[test]
fn every_form_of_every_compute_shader() {
    let device = Device::builder().threads(1).build().unwrap();
    let (mut count, mut failures) = (0, Vec::new());
    for path in compute_shaders() {
        let container = std::fs::read(&path).unwrap();
        // A shader that does not compile here fails elsewhere. Code is made for the listing anyway; its size is
        // compared with that of running code for some.
        let engine = if count % 8 == 0 { Engine::Jit } else { Engine::Interpreter };
        let Ok(shader) = device.compile(&container, &CompileOptions::new(engine)) else { continue };
        count += 1;
        let asm = shader.emit(Emit::Asm).unwrap();
        if let Err(what) = check_asm(&asm, &instructions(&container), shader.code_bytes()) {
            failures.push(format!("{}: {what}", path.strip_prefix(data()).unwrap_or(&path).display()));
        }
        // The additions to the operations are comments.
        let packets = shader.emit(Emit::Packet).unwrap().to_string();
        let bare = brolga_ir::text::parse(&packets).map(|function| function.to_string());
        if bare != Ok(shader.emit(Emit::Ir).unwrap().to_string()) {
            failures.push(format!("{}: the packet form is another function", path.display()));
        }
        // Cranelift's own text: a few will do.
        if count % 16 == 0 {
            assert!(!shader.emit(Emit::Clif).unwrap().lines.is_empty());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 100, "only {count} shaders");
}

/// Without bindings a listing names only what the instructions tell: the registers.
#[test]
fn samples_of_what_nobody_bound_name_their_registers() {
    let device = Device::builder().threads(1).build().unwrap();
    let container = std::fs::read(data().join("exec/sample_bilinear/shader.main.cs_5_0.cso")).unwrap();
    let shader = device.compile(&container, &CompileOptions::new(Engine::Interpreter)).unwrap();
    let said = |listing: Listing| -> Vec<String> {
        let samples = listing.lines.into_iter().filter(|line| line.text.contains(" = sample "));
        samples.map(|line| line.text.rsplit_once("; ").expect("several comments").1.to_owned()).collect()
    };
    // In the order of the shader's own listing.
    let of = |way: &str| ["s0", "s1", "s2", "s3", "s1"].map(|sampler| format!("t0 with {sampler}: {way}")).to_vec();
    assert_eq!(said(shader.emit(Emit::Packet).unwrap()), of("by packets, if what is bound allows it"));
    let none = shader.emit_for(Emit::Packet, &Bindings::new()).unwrap();
    assert_eq!(said(none), of("zeros, since no texture is bound"));
}

/// The address range of the line of a perf map with this name.
#[cfg(target_os = "linux")]
fn mapped(map: &str, name: &str) -> Vec<(usize, usize)> {
    let range = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut number = || usize::from_str_radix(words.next().unwrap(), 16).unwrap();
        let (start, size) = (number(), number());
        (words.next() == Some(name)).then_some((start, size))
    };
    map.lines().filter_map(range).collect()
}

/// A perf map names the pages that are mapped as code, for as long as the shader lives, and keeps its line.
#[test]
#[cfg(target_os = "linux")]
fn a_perf_map_names_the_pages_of_code() {
    let folder = tempfile::tempdir().unwrap();
    let map = brolga_runtime::PerfMap::at(folder.path().join("perf.map")).unwrap();
    let device = Device::builder().threads(1).perf_map(map.clone()).build().unwrap();
    let container = std::fs::read(data().join("exec/vec_add_raw/shader.main.cs_5_0.cso")).unwrap();
    let options = CompileOptions::new(Engine::Jit);
    let shaders = [
        device.compile(&container, &options.clone().named("two\nlines")).unwrap(),
        device.compile(&container, &options).unwrap(),
    ];
    let checksum: String = container[4..12].iter().map(|byte| format!("{byte:02x}")).collect();
    let names = ["brolga:two\u{fffd}lines:main".to_owned(), format!("brolga:{checksum}:main")];
    let pages = std::fs::read_to_string("/proc/self/maps").unwrap();
    let is_code = |start: usize, end: usize| {
        pages.lines().any(|line| {
            let (range, rest) = line.split_once(' ').unwrap();
            let (from, to) = range.split_once('-').unwrap();
            let [from, to] = [from, to].map(|at| usize::from_str_radix(at, 16).unwrap());
            rest.starts_with("r-xp") && from <= start && end <= to
        })
    };
    let text = std::fs::read_to_string(map.path()).unwrap();
    assert_eq!(text.lines().count(), 2);
    for (shader, name) in shaders.iter().zip(&names) {
        let found = mapped(&text, name);
        let [(start, size)] = found[..] else { panic!("{name} is not once in\n{text}") };
        assert_eq!(Some(size), shader.code_bytes());
        assert!(
            start.is_multiple_of(4096) && is_code(start, start + size),
            "{start:x} is no start of code in\n{pages}"
        );
    }
    drop(shaders);
    device.compile(&container, &CompileOptions::new(Engine::Interpreter)).unwrap();
    assert_eq!(std::fs::read_to_string(map.path()).unwrap(), text, "the interpreter has no code to name");
}
