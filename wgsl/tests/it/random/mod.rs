//! Random programs on both engines, with passes and without, beside a plain model.
//!
//! ```text
//! BROLGA_SEEDS=0..100000 cargo test --profile profiling -p brolga-wgsl --test it random:: -- --nocapture
//! BROLGA_SEED=12345 BROLGA_SHOW=1 cargo test -p brolga-wgsl --test it random:: -- --nocapture      # prints its text
//! ```
//!
//! | file | content |
//! |---|---|
//! | `tree.rs` | programs as trees; how types lie in memory |
//! | `text.rs` | their text |
//! | `make.rs` | makes declarations, functions and phases between barriers |
//! | `statement.rs` | makes statements |
//! | `expression.rs` | makes expressions |
//! | `model.rs` | runs a tree, one thread at a time |
//! | `ops.rs` | what operators and functions mean there |
//!
//! Half of the programs have functions whose results the rules bound only: these have no model, and only the engines are
//! compared.

mod expression;
mod make;
mod model;
mod ops;
mod statement;
mod text;
mod tree;

use std::path::Path;

use brolga_runtime::insight::FindingKind;
use brolga_runtime::{Buffer, Engine, Format, Level, Register, TextureShape, View};
use brolga_testing_base::random::{Random, seeds};
use brolga_wgsl::{Options, Shader};

use crate::peer;
use crate::run::{Run, device};
use model::{Memory, gathered, is_same, row_stride};
use tree::{Kind, Program, Type};

/// Texels in a row of the texture that is written.
const TEXELS: u32 = 64;

/// Words for elements of a type, gaps included.
fn contents(r: &mut Random, ty: &Type, count: usize) -> Vec<u32> {
    let (kinds, offsets) = (ty.kinds(), ty.offsets());
    let mut words = vec![0x5555_5555; row_stride(ty) * count];
    for element in words.chunks_mut(row_stride(ty)) {
        for (kind, &at) in kinds.iter().zip(&offsets) {
            element[at] = match kind {
                Kind::F32 if r.one_in(3) => (r.below(33) as f32 - 16.0).to_bits(),
                Kind::F32 => (r.below(1 << 20) as f32 / 512.0 - 1024.0).to_bits(),
                _ if r.one_in(2) => r.below(12) as u32,
                _ => r.word(),
            };
        }
    }
    words
}

/// What a program runs on: words of buffers and of the texture that is read.
struct Case {
    buffers: [Vec<u32>; 5],
    image: Vec<u32>,
}

impl Case {
    fn new(seed: u64, program: &Program) -> Self {
        let mut r = Random(seed ^ 0x5eed);
        let threads = (program.group[0] * program.group[1] * program.groups) as usize;
        let slots = contents(&mut r, &program.slots.ty, threads);
        let input = contents(&mut r, &program.input.ty, program.inputs);
        let mut uniform = contents(&mut r, &program.uniform.ty, 1);
        uniform.resize(uniform.len().next_multiple_of(4), 0);
        let mut small = |count: usize| (0..count).map(|_| r.below(100) as u32).collect();
        Self { buffers: [slots, input, uniform, small(8), small(2 * threads)], image: small(32) }
    }

    fn memory(&self, program: &Program) -> Memory {
        let [slots, input, uniform, sums, own] = &self.buffers;
        Memory {
            slots: gathered(&program.slots.ty, slots),
            input: gathered(&program.input.ty, input),
            uniform: gathered(&program.uniform.ty, &uniform[..row_stride(&program.uniform.ty)]),
            sums: sums.clone(),
            own: own.clone(),
            texels: vec![0; (program.group[0] * program.group[1] * program.groups) as usize],
            image: self.image.clone(),
        }
    }
}

fn options(program: &Program) -> Options {
    let mut options = Options::default();
    for (var, _, value) in &program.overrides {
        let Some(word) = *value else { continue };
        let value = match var.ty.kinds()[0] {
            Kind::F32 => f64::from(f32::from_bits(word)),
            Kind::I32 => f64::from(word as i32),
            _ => f64::from(word),
        };
        options.overrides.insert(text::override_name(var), value);
    }
    options
}

/// Its textures: one that is written, whose texels are returned, and one that is read.
fn with_textures<'a>(run: &Run<'a>, image: &[u32]) -> (Run<'a>, Buffer) {
    let device = device();
    let texels = device.texture_from(TextureShape::texture_2d(Format::R32_UINT, TEXELS, 2), &[0; 2 * TEXELS as usize]);
    let texels = texels.unwrap();
    let image = device.texture_from(TextureShape::texture_2d(Format::R32_UINT, 8, 4), image).unwrap();
    let written = texels.buffer().clone();
    let views = vec![(Register::u(5), View::texture(texels)), (Register::t(6), View::texture(image))];
    (Run { options: run.options.clone(), buffers: run.buffers.clone(), views, ..*run }, written)
}

/// Buffers and texels after a run.
fn on(run: &Run<'_>, image: &[u32], engine: Engine, level: Level) -> Result<Vec<Vec<u32>>, String> {
    let (run, texels) = with_textures(run, image);
    let mut found = run.on(engine, level).map_err(|error| error.to_string())?;
    found.push(texels.to_vec::<u32>().unwrap());
    Ok(found)
}

/// A run of a program on its buffers.
fn run_of<'a>(text: &'a str, program: &Program, case: &Case) -> Run<'a> {
    let mut run = Run::new(text).groups([program.groups, 1, 1]);
    run.options = options(program);
    run.buffers = case.buffers.iter().enumerate().map(|(n, words)| (n as u32, words.clone())).collect();
    run
}

/// What differs, in a line.
fn difference(seed: u64, program: &Program, case: &Case, text: &str) -> Option<String> {
    let run = run_of(text, program, case);
    let mut first: Option<Vec<Vec<u32>>> = None;
    // Compilation takes ten times as long as all else.
    let jit = [(Engine::Jit, if seed % 16 < 2 { Level::None } else { Level::Full })];
    let interpreted = [(Engine::Interpreter, Level::None), (Engine::Interpreter, Level::Full)];
    for (engine, level) in interpreted.into_iter().chain(jit.into_iter().filter(|_| seed % 8 < 2)) {
        let found = match on(&run, &case.image, engine, level) {
            Ok(found) => found,
            Err(error) => return Some(error),
        };
        match &first {
            None => first = Some(found),
            Some(first) if *first != found => {
                return Some(format!("{engine:?} {level:?} differs from the interpreter"));
            }
            Some(_) => {}
        }
    }
    if !program.is_modelled {
        return None;
    }
    let found = first.unwrap();
    let mut expected = case.memory(program);
    model::run(program, &mut expected);
    let kinds = program.slots.ty.kinds();
    let slots = gathered(&program.slots.ty, &found[0]);
    let wrong = slots.iter().enumerate().find(|&(n, &word)| !is_same(kinds[n % kinds.len()], expected.slots[n], word));
    if let Some((n, &word)) = wrong {
        let (element, scalar) = (n / kinds.len(), n % kinds.len());
        return Some(format!("scalar {scalar} of slot {element} is {word:#x}, not {:#x}", expected.slots[n]));
    }
    let others = [("sums", &found[3], &expected.sums), ("own", &found[4], &expected.own)];
    for (name, found, expected) in others {
        if found != expected {
            return Some(format!("{name} are {found:x?}, not {expected:x?}"));
        }
    }
    let threads = expected.texels.len();
    if (0..threads).any(|number| found[5][number] != case.image[number & 7]) {
        return Some("texels are not copied".to_owned());
    }
    let texels = &found[5][TEXELS as usize..][..threads];
    (texels != expected.texels).then(|| format!("texels are {texels:x?}, not {:x?}", expected.texels))
}

/// Writes the program of a seed with its results, for another implementation.
pub fn write_case(folder: &Path, seed: u64) {
    let program = make::program(seed, false, true);
    let (text, case) = (text::program(&program), Case::new(seed, &program));
    let mut written = peer::Case::new("main", [program.groups, 1, 1]);
    for (name, value) in &options(&program).overrides {
        written.set(name, *value);
    }
    let run = run_of(&text, &program, &case);
    let found = on(&run, &case.image, Engine::Interpreter, Level::Full).unwrap();
    let shader = Shader::read(&text, &run.options).unwrap();
    let is_used = |n: usize| shader.bindings().iter().any(|of| of.binding == n as u32);
    for (n, (before, after)) in case.buffers.iter().zip(&found).enumerate().filter(|&(n, _)| is_used(n)) {
        written.resource(if n == 2 { "uniform" } else { "buffer" }, Register::u(n as u32), before, after, None);
    }
    let shape = |width, height| TextureShape::texture_2d(Format::R32_UINT, width, height);
    let texels = [0; 2 * TEXELS as usize];
    written.resource("storage", Register::u(5), &texels, &found[5], Some(&shape(TEXELS, 2)));
    written.resource("texture", Register::t(6), &case.image, &case.image, Some(&shape(8, 4)));
    written.write(folder, &format!("random-{seed}"), &text);
}

#[test]
fn engines_and_the_model_agree() {
    let show = std::env::var_os("BROLGA_SHOW").is_some();
    let seeds = seeds(0..300);
    let mut failures = Vec::new();
    for seed in seeds.clone() {
        let program = make::program(seed, seed % 2 == 1, false);
        let text = text::program(&program);
        if show {
            println!("{text}");
        }
        let case = Case::new(seed, &program);
        if let Some(difference) = difference(seed, &program, &case, &text) {
            failures.push(format!("seed {seed}: {difference}"));
            if failures.len() == 40 {
                break;
            }
        }
    }
    println!("{} programs", seeds.end - seeds.start);
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// Accesses outside of arrays are others to be checked, with the same results; programs without any have none.
#[test]
fn checks_change_nothing() {
    for seed in seeds(0..60) {
        let is_in_range = seed % 2 == 0;
        let program = make::program(seed, false, is_in_range);
        let (text, case) = (text::program(&program), Case::new(seed, &program));
        let run = run_of(&text, &program, &case);
        for engine in [Engine::Interpreter, Engine::Jit] {
            let (run, texels) = with_textures(&run, &case.image);
            let (found, mut after) = run.check(engine).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            after.push(texels.to_vec().unwrap());
            assert_eq!(after, on(&run, &case.image, engine, Level::Full).unwrap(), "seed {seed} {engine:?}");
            let mut outside = found.iter().filter(|found| found.kind == FindingKind::Bounds);
            assert!(!is_in_range || outside.next().is_none(), "seed {seed} {engine:?}: {found:#?}");
        }
    }
}
