//! Runs the passes, in one visible list.
//!
//! Cranelift runs without its optimiser (it undoes the lockstep order of packets), so all simplification is done here,
//! on the shader. Every pass preserves results bit for bit: none reassociates floats, `precise` or not, because
//! bit-exactness is promised for all. Passes never call passes; the list below gives the order and, where it matters,
//! the reason.

mod bits;
mod compact;
mod cse;
mod dead;
mod demote;
mod if_conversion;
mod licm;
mod merges;
mod packets;
mod pairs;
mod rejoin;
mod rematerialise;
mod simplify;
mod ssa;
mod texels;
mod types;
mod versioning;

use crate::function::Function;
use crate::texel::TexelFormat;
pub(crate) use bits::may_be_ones;
pub(crate) use simplify::undone;

/// The set of passes to run; for debugging, and for testing that passes preserve results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Level {
    /// Only those that the engines need: reconvergence at barriers, and SSA construction.
    None,
    /// Everything.
    #[default]
    Full,
    /// As none, with a [note](crate::function::InstKind::Note) wherever a register of the shader gets a value, for
    /// [observers](crate::interp::Observer).
    Observed,
}

/// The most rounds of simplification; shaders seen so far settle after three.
const ROUNDS: usize = 6;

/// Turns freshly translated code into the form the engines take, and makes it small and fast.
pub fn optimise(func: &mut Function, level: Level) {
    optimise_for(func, level, &[]);
}

/// The same where the formats of texels are known: by resource, in declaration order, the format bound to its only
/// register. The function then accesses those texels directly and may only run with such views.
pub fn optimise_for(func: &mut Function, level: Level, formats: &[Option<TexelFormat>]) {
    clean_up(func, level);
    finish(func, level, formats);
}

/// The same for a function that gets probes on the way, when its accesses are known and none has been moved: `probe` writes
/// them, or says that it cannot.
pub fn optimise_probed<T>(
    func: &mut Function,
    level: Level,
    formats: &[Option<TexelFormat>],
    probe: impl FnOnce(&mut Function) -> Option<T>,
) -> Option<T> {
    clean_up(func, level);
    let probed = probe(func)?;
    ssa::construct(func, false);
    if level == Level::Full {
        settle(func);
    }
    let mut formats = formats.to_vec();
    formats.resize(func.interface.resources.len(), None);
    finish(func, level, &formats);
    Some(probed)
}

/// The passes after which a function has only what it needs.
fn clean_up(func: &mut Function, level: Level) {
    // Part of what a barrier means, whatever the level.
    rejoin::run(func);
    // From here on the values that constructs carry are in proportion to the shader.
    demote::run(func);
    ssa::construct(func, level == Level::Observed);
    if level != Level::Full {
        return;
    }
    // SSA construction carries every register that a loop or branch writes: drop those that are never read before any
    // other pass.
    dead::remove(func);
    // Most entities are dead. The passes below walk the rest many times.
    compact::run(func);
    // Before the passes that ask for uniform conditions. Those of `finish` make no redundant merges.
    settle_with(func, merges::run);
}

fn settle(func: &mut Function) {
    settle_with(func, |_| false);
}

/// Simplifies until nothing changes.
fn settle_with(func: &mut Function, merges: fn(&mut Function) -> bool) {
    for round in 0..ROUNDS {
        let changed = simplify::run(func) | cse::run(func) | merges(func);
        // The first round handles what earlier passes left.
        if round > 0 && !changed {
            break;
        }
        dead::remove(func);
    }
}

/// The other passes.
fn finish(func: &mut Function, level: Level, formats: &[Option<TexelFormat>]) {
    if level != Level::Full {
        texels::run(func, formats);
        return;
    }
    // Mip levels are known by now, and the common parts of addresses are found below.
    if texels::run(func, formats) {
        settle(func);
        // After equal comparisons have become one.
        if versioning::run(func) {
            settle(func);
        }
    }
    // Each round may find the pairs of the next outer construct.
    for _ in 0..ROUNDS {
        if !pairs::join(func) {
            break;
        }
        settle(func);
    }
    // After doubles are whole, so that each is one select.
    if if_conversion::run(func) {
        settle(func);
    }
    // Needs the pairs of conversions that simplification leaves at region borders, and makes new ones inside.
    if types::infer(func) {
        settle(func);
    }
    // Last, because it moves code away from the patterns above.
    licm::run(func);
    // After all passes that would merge its copies.
    rematerialise::run(func);
    // After those that merge loads.
    packets::shared_atomics::run(func);
    dead::remove(func);
    compact::run(func);
    // Examines the final code.
    packets::width::run(func);
}
