//! Tests barriers in code that threads leave at any point: where that is allowed, each thread does the same as without
//! barriers, and where it is not, the run ends with the error about it.
//!
//! The shaders share nothing between threads, so that waiting changes nothing. Each is run with its barriers, in every
//! mode, and once without, where nothing holds threads together.

use std::sync::atomic::{AtomicU64, Ordering};

use brolga::bytecode::{Limits, assembler};
use brolga::{Bindings, CompileOptions, Device, Dispatch, Engine, Error, Level, View};
use brolga_testing::random::Random;
use rayon::prelude::*;

/// Threads of a group: a packet and a half.
const THREADS: u32 = 12;
const SHADERS: u64 = 4000;

/// A random shader of blocks, branches, switches and loops, with jumps and barriers anywhere.
struct Writer {
    random: Random,
    text: String,
    /// Statements left.
    left: usize,
}

/// The constructs that jumps can target.
#[derive(Clone, Copy)]
struct Around {
    depth: usize,
    loops: usize,
    can_break: bool,
    in_function: bool,
    /// Set if all threads may be here together.
    together: bool,
}

impl Writer {
    fn shader(seed: u64) -> String {
        let mut writer = Self { random: Random(seed), text: String::new(), left: 24 };
        let main = Around { depth: 4, loops: 0, can_break: false, in_function: false, together: true };
        writer.line(&format!(
            "cs_5_0\ndcl_constantbuffer CB0[1], immediateIndexed\ndcl_uav_structured u0, 4\n\
             dcl_input vThreadIDInGroupFlattened\ndcl_temps 8\ndcl_thread_group {THREADS}, 1, 1\n\
             mov r0.x, vThreadIDInGroupFlattened.x"
        ));
        writer.block(main, 6);
        writer.line("store_structured u0.x, vThreadIDInGroupFlattened.x, l(0), r0.x\nret\nlabel label0");
        writer.left = 10;
        writer.block(Around { depth: 3, in_function: true, ..main }, 4);
        writer.line("ret");
        writer.text
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn block(&mut self, around: Around, most: usize) {
        for _ in 0..=self.random.below(most) {
            self.statement(around);
        }
        let jumps = Self::jumps(around);
        if !jumps.is_empty() && self.random.one_in(8) {
            let jump = self.random.pick(&jumps);
            self.line(jump);
        }
    }

    /// The jumps there may be.
    fn jumps(around: Around) -> Vec<&'static str> {
        let may = [("break", around.can_break), ("continue", around.loops > 0), ("ret", around.in_function)];
        may.iter().filter(|(_, may)| *may).map(|(jump, _)| *jump).collect()
    }

    /// Makes `r1.x` a condition, the same for all threads or not.
    fn condition(&mut self, is_shared: bool) {
        let mask = self.random.pick(&[1, 2, 3, 4]);
        let from = if is_shared { "cb0[0].x" } else { "r0.x" };
        self.line(&format!("and r1.x, {from}, l({mask})"));
    }

    /// The condition of a construct. Returns the surroundings of the code in it.
    fn enter(&mut self, around: Around) -> Around {
        let together = around.together && !self.random.one_in(3);
        self.condition(together);
        Around { depth: around.depth - 1, together, ..around }
    }

    fn statement(&mut self, around: Around) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        match self.random.below(20) {
            0..=2 if around.together => self.line("sync_g_t"),
            3..=7 if around.depth > 0 => {
                let inner = self.enter(around);
                self.line("if_nz r1.x");
                self.block(inner, 4);
                if self.random.one_in(2) {
                    self.line("else");
                    self.block(inner, 4);
                }
                self.line("endif");
            }
            8..=10 if around.depth > 0 => {
                let inner = self.enter(around);
                self.line("switch r1.x\ncase l(0)");
                self.block(Around { can_break: true, ..inner }, 5);
                self.line("break\ncase l(1)\ncase l(2)");
                self.block(Around { can_break: true, ..inner }, 5);
                self.line("break\ndefault");
                self.block(Around { can_break: true, ..inner }, 2);
                self.line("break\nendswitch");
            }
            11 | 12 if around.depth > 0 && around.loops < 2 => {
                let counter = format!("r{}.x", 2 + around.loops + 2 * usize::from(around.in_function));
                let rounds = 1 + self.random.below(3);
                self.line(&format!("mov {counter}, l(0)\nloop\nieq r1.x, {counter}, l({rounds})"));
                self.line(&format!("breakc_nz r1.x\niadd {counter}, {counter}, l(1)"));
                let inner = Around { depth: around.depth - 1, loops: around.loops + 1, can_break: true, ..around };
                self.block(inner, 5);
                self.line("endloop");
            }
            13 if !around.in_function && around.together && around.loops < 2 => self.line("call label0"),
            14..=16 => {
                let jumps = Self::jumps(around);
                if !jumps.is_empty() {
                    let is_shared = self.random.one_in(4);
                    self.condition(is_shared);
                    let jump = self.random.pick(&jumps);
                    self.line(&format!("{jump}c_nz r1.x"));
                }
            }
            _ => {
                let factor = 2 * self.random.below(1000) + 1;
                self.line(&format!("imad r0.x, r0.x, l({factor}), l({})", self.left + 1));
                self.line("ushr r1.y, r0.x, l(7)\nxor r0.x, r0.x, r1.y");
            }
        }
    }
}

/// The words that the threads store, or the error.
fn run(device: &Device, text: &str, options: &CompileOptions) -> Result<Vec<u8>, Error> {
    let container = assembler::assemble(text, &Limits::default()).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let shader = device.compile(&container.bytes, options)?;
    let output = device.buffer(u64::from(THREADS) * 4)?;
    let constants = device.buffer_from(&[5u32, 0, 0, 0])?;
    let mut bindings = Bindings::new();
    bindings.set("b0".parse().expect("a register"), View::constant(constants)?);
    bindings.set("u0".parse().expect("a register"), View::structured(output.clone(), 4)?);
    device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1]).fuel(10_000))?;
    Ok(output.to_vec()?)
}

#[test]
fn barriers_change_nothing_where_threads_share_nothing() {
    let device = Device::builder().threads(1).build().unwrap();
    let [same, refused] = [const { AtomicU64::new(0) }; 2];
    (0..SHADERS).into_par_iter().for_each(|seed| {
        let text = Writer::shader(seed);
        let free: String = text.split_inclusive('\n').filter(|line| !line.starts_with("sync")).collect();
        if free == text {
            return;
        }
        let expected = run(&device, &free, &CompileOptions::new(Engine::Interpreter)).unwrap();
        let ways = [(Engine::Interpreter, Level::None), (Engine::Interpreter, Level::Full), (Engine::Jit, Level::Full)];
        let results = ways.map(|(engine, level)| run(&device, &text, &CompileOptions::new(engine).level(level)));
        for (result, way) in results.iter().zip(ways) {
            match result {
                Ok(stored) => assert_eq!(*stored, expected, "seed {seed}, {way:?}:\n{text}"),
                Err(Error::DivergentBarrier { .. }) => {}
                Err(error) => panic!("seed {seed}, {way:?}: {error}\n{text}"),
            }
            assert_eq!(result.is_ok(), results[0].is_ok(), "seed {seed}, {way:?}:\n{text}");
        }
        if results[0].is_ok() { &same } else { &refused }.fetch_add(1, Ordering::Relaxed);
    });
    let [same, refused] = [same, refused].map(AtomicU64::into_inner);
    eprintln!("{same} ran to their ends, {refused} were stopped");
    assert!(same > SHADERS / 4 && refused > SHADERS / 20, "{same} ran to their ends, {refused} were stopped");
}

/// As deep as constructs may be nested, with a barrier at the bottom and threads that leave every level.
#[test]
fn deep_nesting_needs_little_stack() {
    const DEPTH: usize = 60;
    let mut text = format!(
        "cs_5_0\ndcl_constantbuffer CB0[1], immediateIndexed\ndcl_uav_structured u0, 4\n\
         dcl_input vThreadIDInGroupFlattened\ndcl_temps 2\ndcl_thread_group {THREADS}, 1, 1\n\
         mov r0.x, vThreadIDInGroupFlattened.x\n"
    );
    for _ in 0..DEPTH {
        text += "switch cb0[0].y\ncase l(0)\nif_z cb0[0].y\n";
    }
    text += "sync_g_t\n";
    // Each level adds one, but for the threads that leave it before.
    for level in 0..DEPTH {
        text += &format!(
            "endif\nand r1.x, r0.x, l({})\nbreakc_nz r1.x\niadd r0.x, r0.x, l(16)\nbreak\nendswitch\n",
            level % 4
        );
    }
    text += "store_structured u0.x, vThreadIDInGroupFlattened.x, l(0), r0.x\nret\n";
    let expected: Vec<u8> = (0..THREADS)
        .map(|thread| (0..DEPTH as u32).fold(thread, |r0, level| if r0 & (level % 4) == 0 { r0 + 16 } else { r0 }))
        .flat_map(u32::to_le_bytes)
        .collect();
    let check = move || {
        let device = Device::builder().threads(1).build().unwrap();
        for engine in [Engine::Interpreter, Engine::Jit] {
            for level in [Level::None, Level::Full] {
                let options = CompileOptions::new(engine).level(level);
                assert_eq!(run(&device, &text, &options).unwrap(), expected, "{engine:?}, {level:?}");
            }
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(check).unwrap().join().unwrap();
}
