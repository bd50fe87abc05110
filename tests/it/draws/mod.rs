//! Draws with every vertex and pixel shader of the corpus: the same bits on both engines, on any number of threads and
//! in any order of work.
//!
//! Each gets a companion for the other stage, random resources, vertices and state; those that fit each other are drawn
//! together, too. Two pictures of each shader are made, or as many as `BROLGA_DRAWS` says.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use brolga::raster::DrawError;
use brolga::{Device, Engine, Level};
use brolga_testing::corpus::DrawStage;
use brolga_testing::modes::as_host;
use brolga_testing::random::Random;

mod case;
mod companion;
mod geometry;
mod shaders;
mod state;

use case::{Case, Constants, Order, Picture};
use shaders::Shader;

/// Shaders that no draw can have, and a part of the reason.
const REFUSED: &[(&str, &str)] = &[
    // They are for the stages between vertices and triangles.
    ("bad_ftoi.dxbc", "writes no SV_Position"),
    ("streamout.vs.vs_5_0.cso", "writes no SV_Position"),
    ("tess.vs.vs_5_0.cso", "writes no SV_Position"),
    // No class fits its interface.
    ("interface1.dxbc", "there is no such class instance"),
];

/// Shaders that run, but leave nothing on targets.
const UNSEEN: &[(&str, &str)] = &[
    // All of its vertices coincide.
    ("constoperand1.dxbc", "nothing is to be seen"),
    // All of them are on one line.
    ("indexableoutput1.dxbc", "nothing is to be seen"),
];

/// Random pictures until one shows something, at most.
const ATTEMPTS: u64 = 12;

/// Devices with these numbers of threads.
const THREADS: [usize; 3] = [1, 2, 8];

/// Pictures of each shader.
fn pictures() -> u64 {
    std::env::var("BROLGA_DRAWS").map_or(2, |text| text.parse().expect("a number"))
}

/// The outcome of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It was drawn.
    Seen,
    /// It ran, and all targets are unchanged.
    Unseen,
    /// It was stopped by the limit on iterations of loops, on both engines.
    Stopped,
}

/// The reason why a case fails.
enum Fault {
    Refused(String),
    Different(String),
}

impl<E: Into<DrawError>> From<E> for Fault {
    fn from(error: E) -> Self {
        Fault::Refused(error.into().to_string())
    }
}

struct Laboratory([Device; 3]);

impl Laboratory {
    fn new() -> Self {
        Self(THREADS.map(|threads| Device::builder().threads(threads).build().unwrap()))
    }

    fn case<'a>(&self, pair: [&'a Shader; 2], n: u64, random: &mut Random) -> Result<Case<'a>, Fault> {
        let kinds = [Constants::Matrices, Constants::Small, Constants::Wild];
        let constants = if n == 0 { Constants::Matrices } else { random.pick(&kinds) };
        Ok(Case::new(&self.0[0], pair, n == 0, constants, random.bits())?)
    }

    /// Draws a case in every way there is.
    fn check(&self, case: &Case, orders: &[Order]) -> Result<Fate, Fault> {
        let [one, ..] = &self.0;
        let writes_memory = case.writes_memory();
        // Without passes, so that they are checked too. But the packets' width decides the order of their writes.
        let level = if writes_memory { Level::Full } else { Level::None };
        let reference = case.pipeline(one, Engine::Interpreter, level)?;
        let expected = case.draw(one, &reference, Order::Together)?;
        let pipeline = as_host(|| case.pipeline(one, Engine::Jit, Level::Full))?;
        let compare = |device: &Device, order: Order, what: &str| {
            let found = as_host(|| case.draw(device, &pipeline, order))?;
            let difference = match (&expected, &found) {
                (None, None) => None,
                (Some(expected), Some(found)) => expected.difference(found),
                // The limit is for pixels that are shaded together. Those depend on the order, on the thread's earlier
                // draws, and on the packet width that the passes choose.
                _ if order != Order::Together || device.pool().threads() > 1 || level != Level::Full => None,
                _ => Some("one is stopped by the limit on rounds of loops, the other is not".to_owned()),
            };
            difference.map_or(Ok(()), |difference| Err(Fault::Different(format!("{what}: {difference}"))))
        };
        compare(one, Order::Together, "machine code")?;
        // The order in which pixels write to memory is undefined.
        if !writes_memory {
            for (device, threads) in self.0.iter().zip(THREADS).skip(1) {
                compare(device, Order::Together, &format!("{threads} threads"))?;
            }
            for &order in orders {
                compare(one, order, &format!("{order:?}"))?;
            }
        }
        let seen = |picture: &Picture| if case.is_drawn(picture) { Fate::Seen } else { Fate::Unseen };
        Ok(expected.as_ref().map_or(Fate::Stopped, seen))
    }

    /// The fates of the pictures of a shader with its companions.
    fn alone(&self, shader: &Shader, orders: &[Order]) -> Result<Vec<Fate>, (u64, Fault)> {
        let mut fates = Vec::new();
        for n in 0.. {
            let is_enough = n >= pictures() && (fates.contains(&Fate::Seen) || n >= pictures().max(ATTEMPTS));
            if is_enough {
                break;
            }
            let mut random = Random(seed(&[&shader.name], n));
            let fate = match shader.stage {
                DrawStage::Vertex => {
                    let pixel = companion::pixel_shader(shader, &mut random);
                    self.case([shader, &pixel], n, &mut random).and_then(|case| self.check(&case, orders))
                }
                DrawStage::Pixel => {
                    let vertex = companion::vertex_shader(shader, &mut random);
                    self.case([&vertex, shader], n, &mut random).and_then(|case| self.check(&case, orders))
                }
            };
            fates.push(fate.map_err(|fault| (n, fault))?);
        }
        Ok(fates)
    }
}

/// A seed for a picture of these shaders.
fn seed(names: &[&str], n: u64) -> u64 {
    let bytes = names.iter().flat_map(|name| name.bytes());
    bytes.fold(n, |seed, byte| Random(seed ^ u64::from(byte)).bits())
}

/// Runs a closure for each of several things, in two threads; returns the results, in their order.
fn each<T: Sync, R: Send>(things: &[T], what: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let n = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(thing) = things.get(n)
                {
                    let result = what(thing);
                    results.lock().unwrap().push((n, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(n, _)| *n);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Compares the findings with a list. Names that are no shaders here, because a part of the corpus is missing, are
/// ignored.
fn check_list(found: &[(&str, String)], expected: &[(&str, &str)], shaders: &[Shader], faults: &mut Vec<String>) {
    for (name, why) in found {
        if !expected.iter().any(|(other, part)| name == other && why.contains(part)) {
            faults.push(format!("{name}: {why}"));
        }
    }
    for (name, part) in expected {
        let is_there = shaders.iter().any(|shader| shader.name == *name);
        if is_there && !found.iter().any(|(other, _)| name == other) {
            faults.push(format!("{name} is listed as one that cannot ({part}), but it can"));
        }
    }
}

#[test]
fn every_shader_draws_the_same_on_both_engines() {
    let (laboratory, shaders) = (Laboratory::new(), shaders::corpus());
    assert!(shaders.len() >= 74, "{}", shaders.len());
    let fates = each(&shaders, |shader| laboratory.alone(shader, &[Order::Apart]));
    let (mut faults, mut refused, mut unseen) = (Vec::new(), Vec::new(), Vec::new());
    let mut counts = [0; 3];
    for (shader, fates) in shaders.iter().zip(fates) {
        match fates {
            Ok(fates) => {
                [Fate::Seen, Fate::Unseen, Fate::Stopped]
                    .iter()
                    .zip(&mut counts)
                    .for_each(|(fate, count)| *count += fates.iter().filter(|other| *other == fate).count());
                if !fates.contains(&Fate::Seen) {
                    unseen.push((shader.name.as_str(), "nothing is to be seen".to_owned()));
                }
            }
            Err((_, Fault::Refused(why))) => refused.push((shader.name.as_str(), why)),
            Err((n, Fault::Different(what))) => faults.push(format!("{}, picture {n}: {what}", shader.name)),
        }
    }
    check_list(&refused, REFUSED, &shaders, &mut faults);
    check_list(&unseen, UNSEEN, &shaders, &mut faults);
    let [seen, unseen, stopped] = counts;
    println!("{} shaders: {seen} pictures, {unseen} of nothing, {stopped} stopped", shaders.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The part of a triangle within it is as in the whole picture.
#[test]
fn a_scissor_rectangle_changes_no_pixel_within_it() {
    let (laboratory, shaders) = (Laboratory::new(), shaders::corpus());
    let few: Vec<&Shader> = shaders.iter().filter(|shader| shader.name.starts_with("semantics.interp.")).collect();
    assert!(!few.is_empty());
    let faults = each(&few, |shader| match laboratory.alone(shader, &[Order::InSquares]) {
        Ok(_) => None,
        Err((n, Fault::Refused(what) | Fault::Different(what))) => {
            Some(format!("{}, picture {n}: {what}", shader.name))
        }
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The shaders that fit each other. Of a shader with many partners the first is drawn, unless there is time for all.
#[test]
fn shaders_that_fit_each_other_draw_the_same_on_both_engines() {
    let (laboratory, shaders) = (Laboratory::new(), shaders::corpus());
    let runs = |shader: &&Shader| !REFUSED.iter().any(|(name, _)| *name == shader.name);
    let of_stage = |stage| shaders.iter().filter(runs).filter(move |shader| shader.stage == stage);
    let mut pairs: Vec<[&Shader; 2]> = Vec::new();
    for pixel in of_stage(DrawStage::Pixel).filter(|pixel| pixel.linked().next().is_some()) {
        let fitting = of_stage(DrawStage::Vertex).filter(|vertex| vertex.links_to(pixel));
        pairs.extend(fitting.take(if pictures() > 2 { usize::MAX } else { 1 }).map(|vertex| [vertex, pixel]));
    }
    let faults = each(&pairs, |[vertex, pixel]| {
        for n in 0..pictures() / 2 {
            let mut random = Random(seed(&[&vertex.name, &pixel.name], n));
            let case = laboratory.case([vertex, pixel], n, &mut random);
            let what = match case.and_then(|case| laboratory.check(&case, &[Order::Apart])) {
                Ok(_) => continue,
                Err(Fault::Refused(what) | Fault::Different(what)) => what,
            };
            return Some(format!("{} and {}, picture {n}: {what}", vertex.name, pixel.name));
        }
        None
    });
    println!("{} pairs", pairs.len());
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(pairs.len() >= 10, "{}", pairs.len());
}
