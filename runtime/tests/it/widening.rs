//! Tests that the code of every shader of the corpus is widened: none is refused, in packets of any width that may be
//! chosen.
//!
//! `BROLGA_WIDTHS=all` compiles each in packets of every width; without it, in those that the engine chooses.

use std::path::Path;
use std::time::Duration;

use brolga_runtime::{CompileOptions, CompileStage, CpuFeatures, Device, Emit, Engine, VectorBytes, Width};
use brolga_testing::corpus::all_shaders;

/// Outcomes of the corpus.
#[derive(Default)]
struct Tally {
    compiled: usize,
    /// Shaders that no engine runs: other stages, damaged files, classes without instances.
    left_out: Vec<String>,
    refused: Vec<String>,
    codegen: Duration,
    widen: Duration,
}

impl Tally {
    fn add(&mut self, device: &Device, path: &Path, bytes: &[u8], width: Option<Width>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let options = CompileOptions::new(Engine::Jit);
        let options = width.map_or(options.clone(), |width| options.width(width));
        let shader = match device.compile(bytes, &options) {
            Ok(shader) => shader,
            Err(error) => return self.left_out.push(format!("{name}: {error}")),
        };
        self.compiled += 1;
        let times = shader.compile_times();
        self.codegen += times.of(CompileStage::Codegen);
        self.widen += times.of(CompileStage::Widen);
        if shader.code_figures().unwrap().is_some_and(|figures| figures.is_refused) {
            let listing = shader.emit(Emit::Asm).unwrap().to_string();
            let reason = listing.lines().find(|line| line.starts_with("; not widened")).unwrap_or("no reason");
            self.refused.push(format!("{name}, {width:?}: {reason}"));
        }
    }
}

/// Compiles the corpus for vectors of a size.
fn check(size: VectorBytes) {
    if CpuFeatures::detect().is_none_or(|features| VectorBytes::most(features) < size) {
        return println!("skipped: the processor has no vectors of {} bytes", size.count());
    }
    let device = Device::builder().threads(1).vector_bytes(size).build().unwrap();
    let widths: &[Option<Width>] = match std::env::var("BROLGA_WIDTHS") {
        Ok(_) => &Width::ALL.map(Some),
        Err(_) => &[None],
    };
    let mut tally = Tally::default();
    for path in all_shaders() {
        let bytes = std::fs::read(&path).unwrap();
        for &width in widths {
            tally.add(&device, &path, &bytes, width);
        }
    }
    let Tally { compiled, left_out, refused, codegen, widen } = tally;
    let part = 100.0 * widen.as_secs_f64() / codegen.as_secs_f64();
    println!(
        "{compiled} compiled, {} left out; Cranelift {codegen:?}, widening {widen:?}: {part:.1} %",
        left_out.len()
    );
    println!("left out:\n{}", left_out.join("\n"));
    assert!(refused.is_empty(), "{} of {compiled} are refused\n{}", refused.len(), refused.join("\n"));
    assert!(compiled >= 400 * widths.len(), "{compiled} compiled");
}

#[test]
fn no_shader_of_the_corpus_is_refused_with_32_bytes() {
    check(VectorBytes::ThirtyTwo);
}

#[test]
fn no_shader_of_the_corpus_is_refused_with_64_bytes() {
    check(VectorBytes::SixtyFour);
}
