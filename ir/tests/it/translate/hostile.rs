//! Tests broken programs that still pass validation: translation returns a sound function or an error, never a panic.

use brolga_bytecode::Shader;
use brolga_bytecode::sm5::Stage;

use super::corpus::{containers, options};
use brolga_ir::translate::sm5::translate;
use brolga_ir::verify::{self, check};
use brolga_testing_base::random::Random;

#[test]
fn changed_programs_never_panic() {
    let rounds = 20;
    let mut random = Random(1);
    let mut valid = 0;
    for path in containers() {
        let bytes = std::fs::read(&path).expect("a readable file");
        let shader = Shader::load(&bytes, &Default::default()).expect("the corpus is valid");
        if shader.program.stage() != Stage::Compute || bytes.len() > 20_000 {
            continue;
        }
        let program = shader.program.program();
        let (first, words) = (program.at as usize, program.words.len());
        for _ in 0..rounds {
            let seed = random.0;
            let mut changed = bytes.clone();
            for _ in 0..=random.below(3) {
                // Past the version and length tokens.
                let word = first + 4 * (2 + random.below(words - 2));
                let bit = random.below(32);
                match random.below(3) {
                    0 => changed[word + bit / 8] ^= 1 << (bit % 8),
                    1 => changed[word..word + 4].copy_from_slice(&(random.below(32) as u32).to_le_bytes()),
                    _ => {
                        let other = first + 4 * (2 + random.below(words - 2));
                        changed.copy_within(other..other + 4, word);
                    }
                }
            }
            let Ok(shader) = Shader::load(&changed, &Default::default()) else { continue };
            if let Ok(func) = translate(&shader.program, &options(&shader)) {
                valid += 1;
                check(&func, verify::Stage::BeforeSsa)
                    .unwrap_or_else(|problems| panic!("{} from {seed:#x}: {problems}", path.display()));
            }
        }
    }
    assert!(valid > 300, "{valid}");
}
