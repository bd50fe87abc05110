//! Makes programs that are large in one way each: long, wide, deep, or with many values carried, kept or indexed.
//!
//! Every thread ends by folding its values into one word and storing it to its element of `u0`.

use crate::script::{
    Body, Script, alu, branch, break_if, choose, constant, continue_if, literal, load, read_array, repeat, scalar,
    store, temp, vector, whole, write_array,
};

/// Components of r0, the same in all programs: the thread's number, its word of `t0`, the fold, and a scratch.
const ID: u32 = 0;
const WORD: u32 = 1;
const FOLD: u32 = 2;
const SCRATCH: u32 = 3;
/// First component that a program may use as it likes.
const FREE: u32 = 4;
/// Registers of 4 components that Direct3D allows.
pub const MAX_TEMPS: u32 = 4096;
/// Constructs within each other that Direct3D allows.
pub const MAX_NESTING: u32 = 64;

/// A program and the sizes it is made in: for each, about as many instructions.
pub struct Shape {
    /// The way in which it is large.
    pub name: &'static str,
    /// Makes it with about this many instructions.
    pub make: fn(usize) -> Script,
}

/// All that can be made in any size.
pub const SHAPES: [Shape; 18] = [
    Shape { name: "one long chain", make: chain },
    Shape { name: "many live values", make: wide },
    Shape { name: "vectors of floats", make: floats },
    Shape { name: "doubles", make: doubles },
    Shape { name: "memory accesses", make: memory },
    Shape { name: "private arrays", make: arrays },
    Shape { name: "accesses to a private array", make: array_accesses },
    Shape { name: "branches in a row", make: branches },
    Shape { name: "branches of whole registers", make: vector_branches },
    Shape { name: "branches over live values", make: branches_over_live_values },
    Shape { name: "loops in a row", make: loops },
    Shape { name: "switch with many arms", make: switch },
    Shape { name: "switch with short arms", make: cases },
    Shape { name: "64 nested blocks", make: nest },
    Shape { name: "carried through a loop", make: carried_by_a_loop },
    Shape { name: "carried through branches", make: carried_by_branches },
    Shape { name: "carried through 64 nested blocks", make: carried_by_nested_blocks },
    Shape { name: "carried by jumps", make: carried_by_jumps },
];

/// `to = a * factor + c`
fn mad(to: u32, a: u32, factor: u32, c: u32) -> String {
    alu("imad", to, [scalar(a), constant(factor), scalar(c)])
}

/// An odd number for each n, none like another.
fn odd(n: u32) -> u32 {
    n.wrapping_mul(0x9e37_79b2).wrapping_add(0x85eb_ca6b) | 1
}

fn fold(component: u32) -> String {
    mad(FOLD, FOLD, 31, component)
}

/// A program of one group with prologue and end around `body`; `top` is the first component it does not use.
fn script(name: &'static str, threads: u32, top: u32, body: Body) -> Script {
    let mut all = vec![alu("mov", ID, ["vThreadID.x".to_owned()]), load("t0", WORD, ID)];
    all.extend(body);
    all.push(store("u0", FOLD, ID));
    Script { name, threads, temps: top.div_ceil(4), array: 0, shared: 0, output: threads, body: all }
}

/// Threads of programs without a group of their own: whole packets and one that is not.
const THREADS: u32 = 44;

/// `n` instructions on one component, each needing the one before it.
fn steps(body: &mut Body, component: u32, n: usize) {
    for n in 0..n {
        body.push(match n % 4 {
            0 => mad(component, component, odd(n as u32), WORD),
            1 => alu("xor", component, [scalar(component), scalar(ID)]),
            2 => alu("ushr", SCRATCH, [scalar(component), constant(3 + n as u32 % 5)]),
            _ => alu("iadd", component, [scalar(component), scalar(SCRATCH)]),
        });
    }
}

/// One long chain.
pub fn chain(n: usize) -> Script {
    let mut body = Vec::new();
    steps(&mut body, FREE, n);
    body.push(fold(FREE));
    script("chain", THREADS, FREE + 1, body)
}

/// Values of the components from `FREE` to `top`, each of the thread's own.
fn define(body: &mut Body, top: u32) {
    body.extend((FREE..top).map(|component| mad(component, ID, odd(component), WORD)));
}

/// Uses of the components from `FREE` to `top`, far from the order they were made in.
fn fold_scattered(body: &mut Body, top: u32) {
    let count = u64::from(top - FREE);
    let step = (1..).map(|n| count * 5 / 8 + n).find(|&step| gcd(step, count) == 1).unwrap_or(1);
    body.extend((0..count).map(|n| fold(FREE + (n * step % count) as u32)));
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Half of the instructions make values, the other half uses them: up to 16,380 live at once.
pub fn wide(n: usize) -> Script {
    let top = FREE + (n as u32 / 2).min(4 * MAX_TEMPS - FREE);
    let mut body = Vec::new();
    define(&mut body, top);
    fold_scattered(&mut body, top);
    script("wide", THREADS, top, body)
}

/// Float arithmetic on whole registers.
pub fn floats(n: usize) -> Script {
    const REGISTERS: u32 = 12;
    let mut body: Body = Vec::new();
    let float = |value: f32| constant(value.to_bits());
    for register in 1..=REGISTERS {
        // Between 1 and 2: halves and sums below stay there, so that no rounding meets a denormal.
        let low = |body: &mut Body, op, b| body.push(whole(op, register, [vector(register), b]));
        body.push(whole("imad", register, [temp(0, "xxxx"), constant(odd(register)), vector(0)]));
        low(&mut body, "ushr", constant(10));
        low(&mut body, "iadd", constant(0x3f80_0000));
    }
    for n in 0..n as u32 {
        let (to, from) = (1 + n % REGISTERS, 1 + n * 5 % REGISTERS);
        body.push(match n % 3 {
            0 => whole("add", to, [vector(to), temp(from, "yzwx")]),
            1 => whole("mul", to, [vector(to), float(0.375)]),
            _ => whole("add", to, [vector(to), float(0.75 + n as f32 / 64.0)]),
        });
    }
    body.extend((4..4 + 4 * REGISTERS).map(fold));
    script("floats", THREADS, 4 + 4 * REGISTERS, body)
}

/// Double arithmetic, two a register.
pub fn doubles(n: usize) -> Script {
    const REGISTERS: u32 = 10;
    let mut body = Vec::new();
    for register in 1..=REGISTERS {
        // Some bits of the thread's own under an exponent that gives numbers from 1 to 2.
        let own = [temp(0, "xyyx"), constant(odd(register)), temp(0, "yxxy")];
        body.push(whole("imad", register, own));
        let [bits, one] = [[!0, 0x000f_ffff, !0, 0x000f_ffff], [0, 0x3ff0_0000, 0, 0x3ff0_0000]].map(literal);
        body.push(whole("and", register, [vector(register), bits]));
        body.push(whole("iadd", register, [vector(register), one]));
    }
    // r11 holds halves: sums are brought down again, so that nothing overflows.
    let half = literal([0, 0x3fd8_0000, 0, 0x3fd8_0000]);
    body.push(whole("mov", REGISTERS + 1, [half]));
    for n in 0..n as u32 {
        let (to, from) = (1 + n % REGISTERS, 1 + n * 7 % REGISTERS);
        body.push(match n % 2 {
            0 => whole("dmul", to, [to, REGISTERS + 1].map(vector)),
            _ => whole("dadd", to, [to, from].map(vector)),
        });
    }
    body.extend((4..4 + 4 * REGISTERS).map(fold));
    script("doubles", THREADS, 4 * (REGISTERS + 2), body)
}

/// Loads and stores of all memories, at addresses in rows and scattered, in range and out of it.
pub fn memory(n: usize) -> Script {
    let mut body = vec![fold(ID)];
    let (index, value) = (FREE, FREE + 1);
    for n in 0..n as u32 / 5 {
        // Elements of the thread's own column, so that no thread meets another; some rows do not exist.
        let row = [1 + n % 7, 0, 1000, 5][n as usize % 4];
        body.push(alu("iadd", index, [scalar(ID), constant(THREADS * row)]));
        body.push(match n % 3 {
            0 => load("t0", value, FOLD),
            1 => load("u0", value, index),
            _ => load("g0", value, index),
        });
        body.push(fold(value));
        body.push(store(if n % 2 == 0 { "g0" } else { "u0" }, FOLD, index));
        body.push(alu("and", FOLD, [scalar(FOLD), constant(THREADS.next_power_of_two() - 1)]));
    }
    let mut script = script("memory", THREADS, FREE + 2, body);
    script.shared = 8 * THREADS;
    script.output = 8 * THREADS;
    script
}

/// Reads and writes of a private array at computed indices, some beyond its end.
pub fn arrays(n: usize) -> Script {
    const ELEMENTS: u32 = 100;
    let mut body = vec![fold(WORD)];
    let index = FREE;
    for n in 0..n as u32 / 5 {
        body.push(mad(index, ID, n % 11, FOLD));
        // Of 128 indices some are out of range; every third index is the same in all threads.
        body.push(match n % 3 {
            0 => alu("mov", index, [constant(n % (ELEMENTS + 8))]),
            _ => alu("and", index, [scalar(index), constant(127)]),
        });
        body.push(whole("xor", 2, [vector(0), constant(odd(n))]));
        body.push(if n % 2 == 0 { write_array(2, index) } else { read_array(3, index) });
        body.push(fold(12 + n % 4));
    }
    let mut script = script("arrays", THREADS, 16, body);
    script.array = ELEMENTS;
    script
}

/// Reads and writes of a private array at computed indices, and nothing else.
pub fn array_accesses(n: usize) -> Script {
    const ELEMENTS: u32 = 4;
    let (register, other) = (FREE / 4, FREE / 4 + 1);
    let mut body = vec![whole("and", register, ["vThreadID.x".to_owned(), constant(7)])];
    for _ in 0..n / 2 {
        body.push(write_array(register, 4 * register));
        body.push(read_array(other, 4 * register + 1));
    }
    body.extend((0..4).map(|n| fold(4 * other + n)));
    let mut script = script("array accesses", THREADS, FREE + 8, body);
    script.array = ELEMENTS;
    script
}

/// The condition of a branch: a bit of the thread's own.
fn condition(body: &mut Body, to: u32, n: u32) {
    body.push(alu("ushr", to, [scalar(WORD), constant(n % 31)]));
    body.push(alu("and", to, [scalar(to), constant(1)]));
}

/// Small branches, one after the other.
pub fn branches(n: usize) -> Script {
    let value = FREE;
    let mut body = Vec::new();
    for n in 0..n as u32 / 10 {
        condition(&mut body, FREE + 1, n);
        let mut sides = [vec![mad(value, value, odd(n), ID)], vec![alu("xor", value, [scalar(value), scalar(WORD)])]];
        steps(&mut sides[0], value, 2);
        steps(&mut sides[1], value, 1);
        let [then, otherwise] = sides;
        body.push(branch(FREE + 1, &then, &otherwise));
    }
    body.push(fold(value));
    script("branches", THREADS, FREE + 2, body)
}

/// Branches that change whole registers, each with a condition that the one before has made.
pub fn vector_branches(n: usize) -> Script {
    const REGISTERS: u32 = 4;
    let first = FREE / 4;
    let top = FREE + 4 * REGISTERS;
    let mut body = Vec::new();
    define(&mut body, top);
    for n in 0..n as u32 / 5 {
        let register = |k: u32| first + (n + k) % REGISTERS;
        let step = literal([n, 2, 3, 4]);
        let then = whole("iadd", register(1), [temp(register(0), "yzwx"), step]);
        let other = alu("xor", FREE, [scalar(FREE), scalar(FREE + 4)]);
        body.push(branch(4 * register(0), &[then], &[other]));
    }
    fold_scattered(&mut body, top);
    script("branches of whole registers", THREADS, top, body)
}

/// Small branches while a fifth as many values are live.
pub fn branches_over_live_values(n: usize) -> Script {
    let top = FREE + 2 + n as u32 / 5;
    let value = FREE;
    let mut body = Vec::new();
    define(&mut body, top);
    for n in 0..n as u32 * 3 / 5 / 7 {
        condition(&mut body, FREE + 1, n);
        let mut then = vec![mad(value, value, odd(n), ID)];
        steps(&mut then, value, 2);
        body.push(branch(FREE + 1, &then, &[]));
    }
    fold_scattered(&mut body, top);
    script("branches over live values", THREADS, top, body)
}

/// Small loops, one after the other; threads leave them in different iterations.
pub fn loops(n: usize) -> Script {
    let (value, round, done) = (FREE, FREE + 1, FREE + 2);
    let mut body = Vec::new();
    for n in 0..n as u32 / 9 {
        body.push(alu("and", round, [scalar(ID), constant(1 + n % 2)]));
        let mut inner = Vec::new();
        steps(&mut inner, value, 3);
        inner.push(alu("iadd", round, [scalar(round), constant(1)]));
        inner.push(alu("uge", done, [scalar(round), constant(2)]));
        inner.push(break_if(done));
        body.push(repeat(&inner));
    }
    body.push(fold(value));
    script("loops", THREADS, FREE + 3, body)
}

/// One switch with an arm for every eight instructions.
pub fn switch(n: usize) -> Script {
    let arms = (n as u32 / 8).max(2);
    let (value, selector) = (FREE, FREE + 1);
    let mut body = vec![alu("iadd", value, [scalar(WORD), constant(1)])];
    // A number below twice the arms: about half of the threads take the last one.
    body.push(alu("and", selector, [scalar(WORD), constant((2 * arms).next_power_of_two() - 1)]));
    let arm = |n: u32| {
        let mut arm = vec![mad(value, value, odd(n), ID)];
        steps(&mut arm, value, 5);
        arm
    };
    body.push(choose(selector, &(0..arms).map(arm).collect::<Vec<_>>()));
    body.push(fold(value));
    script("switch", THREADS, FREE + 2, body)
}

/// One switch with an arm for every three instructions.
pub fn cases(n: usize) -> Script {
    let arms = (n as u32 / 3).max(2);
    let arm = |n: u32| vec![alu("mov", FREE, [constant(7 * n)])];
    let body = vec![choose(ID, &(0..arms).map(arm).collect::<Vec<_>>()), fold(FREE)];
    script("cases", THREADS, FREE + 1, body)
}

/// A block with `inner` in it; constructs take turns. Most threads take the path to the inside, few iterate twice.
fn around(level: u32, own: [u32; 2], mut inner: Body, other: Body) -> Body {
    let [condition, round] = own;
    let mut body = Vec::new();
    body.push(alu("iadd", condition, [scalar(ID), constant(level * 3)]));
    match level % 3 {
        0 => {
            body.push(alu("and", condition, [scalar(condition), constant(31)]));
            body.push(branch(condition, &inner, &other));
        }
        1 => {
            // Every sixteenth thread stays for a second iteration.
            body.push(alu("and", condition, [scalar(condition), constant(15)]));
            body.push(alu("ieq", round, [scalar(condition), constant(0)]));
            inner.extend(other);
            inner.push(alu("iadd", round, [scalar(round), constant(1)]));
            inner.push(alu("ushr", condition, [scalar(round), constant(31)]));
            inner.push(alu("ieq", condition, [scalar(condition), constant(0)]));
            inner.push(break_if(condition));
            // From 0 one iteration, from -2 two.
            body.push(alu("iadd", round, [scalar(round), scalar(round)]));
            body.push(repeat(&inner));
        }
        _ => {
            body.push(alu("and", condition, [scalar(condition), constant(31)]));
            body.push(choose(condition, &[other.clone(), other, inner]));
        }
    }
    body
}

/// The most nested blocks that Direct3D allows, with the instructions spread over them.
pub fn nest(n: usize) -> Script {
    nested(n, MAX_NESTING)
}

/// So many nested blocks of all kinds.
pub fn nested(n: usize, depth: u32) -> Script {
    let value = FREE;
    let each = (n / depth as usize).saturating_sub(7) / 2;
    let mut inner = vec![mad(value, value, 77, WORD)];
    for level in (0..depth).rev() {
        let own = [FREE + 1 + 2 * level, FREE + 2 + 2 * level];
        let mut other = vec![alu("xor", value, [scalar(value), constant(odd(level))])];
        steps(&mut inner, value, each);
        if level % 3 == 0 {
            steps(&mut other, value, each);
        }
        let mut body = around(level, own, inner, other);
        if level % 3 != 0 {
            steps(&mut body, value, each);
        }
        inner = body;
    }
    inner.push(fold(value));
    script("nest", THREADS, FREE + 3 + 2 * depth, inner)
}

/// Values that a loop changes in every iteration: a quarter as many as instructions. Threads leave in different
/// iterations.
pub fn carried_by_a_loop(n: usize) -> Script {
    let (round, done) = (FREE, FREE + 1);
    let (first, count) = (FREE + 2, n as u32 / 4);
    let top = first + count;
    let mut body = Vec::new();
    define(&mut body, top);
    body.push(alu("and", round, [scalar(ID), constant(3)]));
    let mut inner: Body = (0..count)
        .map(|n| alu(["iadd", "xor"][n as usize % 2], first + n, [scalar(first + n), scalar(first + (n + 1) % count)]))
        .collect();
    inner.push(alu("iadd", round, [scalar(round), constant(1)]));
    inner.push(alu("uge", done, [scalar(round), constant(4)]));
    inner.push(break_if(done));
    // After the break a second time, so that the values it passes are not those of the next iteration.
    inner.extend((0..count).map(|n| alu("iadd", first + n, [scalar(first + n), scalar(ID)])));
    body.push(repeat(&inner));
    fold_scattered(&mut body, top);
    script("carried by a loop", THREADS, top, body)
}

/// Values that both arms of a branch change, then the arms of a switch.
pub fn carried_by_branches(n: usize) -> Script {
    let choice = FREE;
    let (first, count) = (FREE + 1, n as u32 / 6);
    let top = first + count;
    let mut body = Vec::new();
    define(&mut body, top);
    let change = |op, by: u32| -> Body {
        (first..top).map(|component| alu(op, component, [scalar(component), scalar(by)])).collect()
    };
    condition(&mut body, choice, 5);
    body.push(branch(choice, &change("iadd", ID), &change("xor", WORD)));
    body.push(alu("and", choice, [scalar(WORD), constant(3)]));
    body.push(choose(choice, &[Vec::new(), change("iadd", WORD), change("xor", ID)]));
    fold_scattered(&mut body, top);
    script("carried by branches", THREADS, top, body)
}

/// Values that are changed in the innermost of 64 blocks, so that each block carries all of them.
pub fn carried_by_nested_blocks(n: usize) -> Script {
    let first = FREE + 2 * MAX_NESTING;
    let count = n as u32 / 4;
    let top = first + count;
    let mut body = Vec::new();
    define(&mut body, top);
    let change = |op, by: u32| -> Body {
        (first..top).map(|component| alu(op, component, [scalar(component), scalar(by)])).collect()
    };
    let mut inner = change("iadd", WORD);
    for level in (0..MAX_NESTING).rev() {
        let own = [FREE + 2 * level, FREE + 1 + 2 * level];
        let one = first + level % count;
        let other = vec![alu("xor", one, [scalar(one), scalar(WORD)])];
        inner = around(level, own, inner, other);
    }
    body.extend(inner);
    fold_scattered(&mut body, top);
    script("carried by nested blocks", THREADS, top, body)
}

/// A loop that carries a quarter as many values as instructions, with 32 points where threads leave or start over.
pub fn carried_by_jumps(n: usize) -> Script {
    const PLACES: u32 = 32;
    let (round, done) = (FREE, FREE + 1);
    let (first, count) = (FREE + 2, n as u32 / 4);
    let top = first + count;
    let mut body = Vec::new();
    define(&mut body, top);
    let mut inner = vec![alu("iadd", round, [scalar(round), constant(1)])];
    inner.push(alu("uge", done, [scalar(round), constant(6)]));
    inner.push(break_if(done));
    for n in 0..count {
        inner.push(alu(["iadd", "xor"][n as usize % 2], first + n, [scalar(first + n), scalar(WORD)]));
        if n % (count / PLACES).max(1) == 0 {
            inner.push(mad(SCRATCH, ID, odd(n), round));
            inner.push(alu("ushr", SCRATCH, [scalar(SCRATCH), constant(27)]));
            inner.push(alu("ieq", SCRATCH, [scalar(SCRATCH), constant(n % 32)]));
            inner.push(if n % 2 == 0 { continue_if(SCRATCH) } else { break_if(SCRATCH) });
        }
    }
    body.push(alu("and", round, [scalar(ID), constant(3)]));
    body.push(repeat(&inner));
    fold_scattered(&mut body, top);
    script("carried by jumps", THREADS, top, body)
}

/// Threads of a group that write to the last of everything: registers r#, elements of x0, words of g0.
pub fn last_of_all(threads: u32, registers: u32, elements: u32, words: u32) -> Script {
    let index = FREE;
    let last = 4 * (registers - 1);
    let mut body = vec![alu("xor", last, [scalar(ID), scalar(WORD)]), fold(last)];
    if elements > 0 {
        body.push(alu("mov", index, [constant(elements - 1)]));
        body.extend([write_array(0, index), read_array(2, index)]);
        body.push(fold(8));
    }
    if words > 0 {
        // Each thread has a word of its own, the last thread the last one.
        body.push(alu("iadd", index, [scalar(ID), constant(words.saturating_sub(threads))]));
        body.extend([store("g0", FOLD, index), load("g0", FREE + 1, index)]);
        body.push(fold(FREE + 1));
    }
    let script = script("last of all", threads, 4 * registers, body);
    Script { array: elements, shared: words, ..script }
}

/// So many branches within each other, with something to do in each.
pub fn nested_branches(depth: u32) -> Script {
    let (value, condition) = (FREE, FREE + 1);
    let mut inner = vec![mad(value, value, 77, WORD)];
    for level in 0..depth {
        let mut body = vec![alu("iadd", condition, [scalar(ID), constant(level)])];
        body.push(alu("and", condition, [scalar(condition), constant(127)]));
        body.push(branch(condition, &inner, &[alu("xor", value, [scalar(value), constant(odd(level))])]));
        inner = body;
    }
    inner.push(fold(value));
    script("nested branches", THREADS, FREE + 2, inner)
}

/// A whole group: `registers` of r# and `elements` of x0 live across barriers, 32 KiB of shared memory, indices that
/// are computed.
pub fn group(threads: u32, registers: u32, elements: u32) -> Script {
    const SHARED_WORDS: u32 = 8192;
    let (index, value, round, done) = (4, 5, 6, 7);
    let mut body = Vec::new();
    let own = |register: u32| {
        let factors = [0, 1, 2, 3].map(|n| odd(4 * register + n));
        whole("imad", register, [temp(0, "xxxx"), literal(factors), temp(0, "yyyy")])
    };
    body.extend((4..registers).map(own));
    // for (round = 0; round < end; round++)
    let for_each = |body: &mut Body, end: u32, mut inner: Body| {
        body.push(alu("mov", round, [constant(0)]));
        let mut whole = vec![alu("uge", done, [scalar(round), constant(end)]), break_if(done)];
        whole.append(&mut inner);
        whole.push(alu("iadd", round, [scalar(round), constant(1)]));
        body.push(repeat(&whole));
    };
    if elements > 0 {
        let write = vec![
            whole("imad", 2, [vector(0), temp(1, "zzzz"), temp(0, "yxyx")]),
            mad(index, ID, 3, round),
            alu("and", index, [scalar(index), constant(elements.next_power_of_two() - 1)]),
            write_array(2, index),
        ];
        for_each(&mut body, elements, write);
    }
    let write = vec![
        mad(value, ID, 0x0101_0101, WORD),
        alu("xor", value, [scalar(value), scalar(round)]),
        mad(index, round, threads, ID),
        store("g0", value, index),
    ];
    for_each(&mut body, SHARED_WORDS / threads, write);
    body.push("sync_g_t".to_owned());
    let read = vec![
        mad(index, ID, 5, round),
        mad(index, round, threads, index),
        alu("and", index, [scalar(index), constant(SHARED_WORDS - 1)]),
        load("g0", value, index),
        fold(value),
    ];
    for_each(&mut body, SHARED_WORDS / threads, read);
    body.push("sync_g_t".to_owned());
    if elements > 0 {
        let read = vec![mad(index, round, 7, ID), read_array(3, index), fold(12), fold(13), fold(14), fold(15)];
        for_each(&mut body, elements, read);
    }
    body.extend((16..4 * registers).map(fold));
    let mut script = script("group", threads, 4 * registers, body);
    script.array = elements;
    script.shared = SHARED_WORDS;
    script
}
