//! Tests random shaders, and shaders of the corpus with broken words: valid ones translate to a function that follows
//! every rule, or to an error with a reason.

use brolga_bytecode::Limits;
use brolga_bytecode::sm3;
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm3::{TranslateOptions, translate};
use brolga_ir::verify::{self, check};
use brolga_testing_base::direct3d9;
use brolga_testing_base::random::{Random, seeds};

use super::corpus::programs;
use super::run::assembled;

#[test]
fn random_shaders_translate() {
    for seed in seeds(0..2_000) {
        let text = direct3d9::generate(seed, 1 + (seed % 8) as usize);
        let program = assembled(&text);
        let mut func = translate(&program, &TranslateOptions::default())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        check(&func, verify::Stage::BeforeSsa).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
        optimise(&mut func, if seed % 2 == 0 { Level::Full } else { Level::None });
        check(&func, verify::Stage::Final).unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
    }
}

#[test]
fn changed_programs_never_panic() {
    let mut random = Random(1);
    let mut translated = 0;
    for (path, program) in programs() {
        let bytes = std::fs::read(&path).expect("a readable file");
        let words = bytes.len() / 4;
        // Most of a compiled file is the table of constants.
        let first = program.program().items.iter().find(|item| !matches!(item.kind, sm3::ItemKind::Comment(_)));
        let first = first.map_or(1, |item| item.at as usize / 4);
        for _ in 0..100 {
            let seed = random.0;
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                let [to, from] = [(); 2].map(|()| 4 * (first + random.below(words - first)));
                let bit = random.below(32);
                match random.below(3) {
                    0 => changed[to + bit / 8] ^= 1 << (bit % 8),
                    1 => changed[to] = random.below(32) as u8,
                    _ => changed.copy_within(from..from + 4, to),
                }
            }
            let Ok(program) = sm3::decode(&changed, 0, &Limits::default()) else { continue };
            let Ok(program) = sm3::validate(program, &Limits::default()) else { continue };
            match translate(&program, &TranslateOptions::default()) {
                Ok(func) => {
                    translated += 1;
                    check(&func, verify::Stage::BeforeSsa)
                        .unwrap_or_else(|problems| panic!("{} from {seed:#x}: {problems}", path.display()));
                }
                Err(error) => assert!(matches!(error, TranslateError::Flow { .. }), "{error}"),
            }
        }
    }
    assert!(translated > 1_000, "{translated}");
}
