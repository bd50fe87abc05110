//! Makes and runs mutants: shaders of the corpus and of the generator with one to three changes.
//!
//! | file | contents |
//! |---|---|
//! | `change.rs` | the changes |
//!
//! A mutant breaks a rule, and the check of the bytecode says which; or it runs, and both engines leave the same bits.
//! A mutant that passes that check may be refused later for a limit or for a class instance that is not named, and for
//! nothing else.

mod change;

use std::fmt;

use brolga_bytecode::container::{Container, FourCc, write_container};
use brolga_bytecode::sm5::{self, decode, encode};
use brolga_bytecode::{Error as FileError, Limits, listing};
use brolga_ir::translate::TranslateError;
use brolga_runtime::insight::{CheckOptions, FindingKind};
use brolga_runtime::{BindingRules, Bindings, Device, Dispatch, Error, Shader, Width};

use crate::bound::backing::{Difference, Left};
use crate::bound::random::{Random as Content, bind};
use crate::bound::{ENGINES, compile};
use crate::corpus::compute_shaders;
use crate::generate::generate;
use crate::random::Random;

/// Iterations of loops for a group: changes make some loops endless.
const FUEL: u64 = 2_000;
/// Threads of one mutant, all groups together.
const GROUPS: [u32; 3] = [2, 1, 1];

/// The outcome for a mutant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fate {
    /// It cannot be written as words.
    NotWritten,
    /// Its words are not a program.
    NotDecoded,
    /// It breaks a rule of the bytecode.
    NotValid,
    /// It is beyond a limit, or an interface has no instance.
    NotCompiled,
    /// Nothing fits its declarations.
    NotBound,
    /// It was stopped: by a bound on iterations of loops, or at a barrier where threads diverge.
    Stopped,
    /// It ran to its end.
    Ran,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fate::NotWritten => "cannot be written as words",
            Fate::NotDecoded => "refused by the decoder",
            Fate::NotValid => "refused by validate",
            Fate::NotCompiled => "refused later, for a limit or an interface",
            Fate::NotBound => "nothing could be bound",
            Fate::Stopped => "stopped, on both engines at the same place",
            Fate::Ran => "ran, with the same bits on both engines",
        })
    }
}

/// A mutant that misbehaves.
#[derive(Debug)]
pub struct Fault {
    /// The seed that makes it again.
    pub seed: u64,
    /// The shader it was made of.
    pub origin: String,
    /// The misbehaviour.
    pub what: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listing = listing::listing(&self.bytes, &Limits::default()).unwrap_or_else(|error| error.to_string());
        let program = listing.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
        write!(f, "seed {}, made of {}: {}\n{program}", self.seed, self.origin, self.what)
    }
}

/// The sources of mutants, and the device that runs them.
#[derive(Debug)]
pub struct Laboratory {
    device: Device,
    originals: Vec<(String, Vec<u8>)>,
}

impl Default for Laboratory {
    fn default() -> Self {
        Self::new()
    }
}

impl Laboratory {
    /// Reads the corpus.
    pub fn new() -> Self {
        let read = |path: std::path::PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("a file of the corpus"))
        };
        // One thread: then racing threads leave the same on both engines.
        let device = Device::builder().threads(1).build().expect("a pool of one thread");
        Self { device, originals: compute_shaders().into_iter().map(read).collect() }
    }

    /// Makes the mutant of a seed and tries it.
    pub fn check(&self, seed: u64) -> Result<Fate, Box<Fault>> {
        let mut random = Random(seed ^ 0x006d_7574_616e_7473);
        let (origin, original) = match random.one_in(4) {
            true => {
                let of = random.bits() >> 16;
                (format!("generator seed {of}"), generate(of).container())
            }
            false => self.originals[random.below(self.originals.len())].clone(),
        };
        let Some(bytes) = mutant(&original, &mut random) else { return Ok(Fate::NotWritten) };
        let mut outcomes = ENGINES.iter().map(|&engine| (engine, self.outcome(&bytes, engine, seed)));
        let fault = |what: String| Box::new(Fault { seed, origin: origin.clone(), what, bytes: bytes.clone() });
        let Some((_, first)) = outcomes.next() else { return Ok(Fate::NotWritten) };
        let first = first.map_err(&fault)?;
        for (engine, outcome) in outcomes {
            let outcome = outcome.map_err(|what| fault(format!("{engine}: {what}")))?;
            if outcome != first {
                return Err(fault(format!("{engine} differs: {}", difference(&first, &outcome))));
            }
        }
        Ok(first.fate)
    }

    fn outcome(&self, bytes: &[u8], engine: brolga_runtime::Engine, seed: u64) -> Result<Outcome, String> {
        let refused = |fate: Fate, error: Error| Outcome { fate, end: error.to_string(), left: Vec::new() };
        let shader = match compile(&self.device, bytes, engine) {
            Ok(shader) => shader,
            Err(error) => {
                let fate = match &error {
                    Error::File(FileError::Validate(_)) => Fate::NotValid,
                    Error::File(_) => Fate::NotDecoded,
                    Error::Instance(_) | Error::OverLimit { .. } => Fate::NotCompiled,
                    Error::Translate(
                        TranslateError::TooLarge { .. }
                        | TranslateError::TooDeep { .. }
                        | TranslateError::Unbound { .. }
                        | TranslateError::Table { .. },
                    ) => Fate::NotCompiled,
                    error => return Err(error.to_string()),
                };
                return Ok(refused(fate, error));
            }
        };
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        bind(&self.device, &shader, &mut Content::tame(seed), &mut bindings);
        let dispatch = Dispatch::new(GROUPS).fuel(FUEL);
        let (fate, end) = match self.device.dispatch(&shader, &bindings, &dispatch) {
            Ok(_) => (Fate::Ran, String::new()),
            // Machine code ends a packet's iteration later than the interpreter, so that the memory left differs.
            // So does an abort, if other threads of its packet wrote before it.
            Err(error @ (Error::Stopped { .. } | Error::Aborted { .. })) => {
                return Ok(refused(Fate::Stopped, error).without_place());
            }
            Err(error @ Error::DivergentBarrier { .. }) => (Fate::Stopped, error.to_string()),
            Err(error @ (Error::Binding(_) | Error::OverLimit { .. })) => (Fate::NotBound, error.to_string()),
            Err(error) => return Err(error.to_string()),
        };
        let left = left_in(&bindings);
        if fate == Fate::Ran {
            self.run_checked(&shader, bytes, seed, &left)?;
        }
        Ok(Outcome { fate, end, left })
    }

    /// Checks what a mutant does, whatever that finds: it leaves the same.
    fn run_checked(&self, shader: &Shader, bytes: &[u8], seed: u64, expected: &[Left]) -> Result<(), String> {
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        bind(&self.device, shader, &mut Content::tame(seed), &mut bindings);
        let bound = self.device.bind(shader, &bindings).map_err(|error| error.to_string())?;
        let checked = match bound.check(&Dispatch::new(GROUPS).fuel(FUEL), &CheckOptions::default()) {
            // Without optimisation it may take more iterations, and registers more memory.
            Err(Error::Stopped { .. } | Error::OverLimit { .. }) => return Ok(()),
            result => result.map_err(|error| format!("checked: {error}"))?,
        };
        // Small groups share packets otherwise, and then races end differently, and so do atomics of different kinds.
        let races = checked.findings.iter().any(|finding| finding.kind == FindingKind::Race);
        let has_atomics = || listing::listing(bytes, &Limits::default()).is_ok_and(|text| text.contains("atomic"));
        let is_small = !shader.group_size().iter().product::<u32>().is_multiple_of(Width::ThirtyTwo.lanes());
        if races || (is_small && has_atomics()) {
            return Ok(());
        }
        let left = left_in(&bindings);
        match Difference::first(expected, &left) {
            Some(difference) => Err(format!("checked, it differs: {difference}")),
            None => Ok(()),
        }
    }
}

/// What bindings hold.
fn left_in(bindings: &Bindings) -> Vec<Left> {
    let left = bindings.iter().map(|(register, view)| Left {
        register,
        bytes: view.to_vec().expect("a small view"),
        counter: view.counter().map(|counter| counter.get()),
    });
    left.collect()
}

/// The end of a run, and the memory it left.
#[derive(PartialEq, Eq)]
struct Outcome {
    fate: Fate,
    end: String,
    left: Vec<Left>,
}

impl Outcome {
    fn without_place(self) -> Self {
        Self { end: String::new(), ..self }
    }
}

fn difference(first: &Outcome, second: &Outcome) -> String {
    if (first.fate, &first.end) != (second.fate, &second.end) {
        return format!("it {} {}, the first {} {}", second.fate, second.end, first.fate, first.end);
    }
    Difference::first(&first.left, &second.left).map_or("no view".to_owned(), |difference| difference.to_string())
}

/// A shader with changes; `None` if they cannot be encoded.
fn mutant(original: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let limits = Limits::default();
    let container = Container::parse(original, &limits).ok()?;
    let chunk = container.program().ok()?;
    let words = match random.one_in(8) {
        true => scrambled(chunk.data, random),
        false => {
            let mut program: sm5::Program = decode(chunk.data, chunk.at, &limits).ok()?;
            change::change(&mut program, random);
            encode(&program).ok()?.iter().flat_map(|word| word.to_le_bytes()).collect()
        }
    };
    let chunks: Vec<(FourCc, &[u8])> = container
        .chunks()
        .iter()
        .map(|other| (other.name, if other.at == chunk.at { words.as_slice() } else { other.data }))
        .collect();
    Some(write_container(&chunks, None))
}

/// A program with a few words changed, whatever they mean; its version and length stay.
fn scrambled(program: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = program.to_vec();
    let words = bytes.len() / 4;
    for _ in 0..1 + random.below(3) {
        let (at, other) = (4 * (2 + random.below(words - 2)), 4 * (2 + random.below(words - 2)));
        let read = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let old = read(at);
        let new = match random.below(4) {
            // Another register, component or offset.
            0 => old ^ (1 << random.below(8)),
            1 => old ^ (1 << random.below(32)),
            2 => read(other),
            _ => random.word(),
        };
        bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    }
    bytes
}
