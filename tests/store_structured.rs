//! `store_structured` to views and to shared memory: every mask, and bounds at, before and after each edge.
//!
//! An index out of range writes nothing. A byte offset out of the element's range drops that component (Direct3D says
//! undefined; this is our choice, see docs/architecture.md). Nothing else ever changes: guard bytes around every buffer
//! are checked by `brolga_testing::run`, neighbouring elements and neighbouring shared memory here.

use brolga_testing::run::{Devices, Structured};
use brolga_testing::tokens::{
    NON_ZERO, RESOURCE, SHARED, SYNC_G_T, TEMP, THREAD_ID, Tokens, UAV, dst, literal, one, op, own, src,
};

const COUNT: u32 = 8;
const STRIDES: [u32; 6] = [4, 8, 12, 16, 20, 48];
const MASKS: [u32; 4] = [0b0001, 0b0011, 0b0111, 0b1111];

/// Indices and offsets at, before and after each edge, and where address arithmetic would wrap in 32 bits.
fn targets(stride: u32) -> Vec<[u32; 2]> {
    let wraps = ((1u64 << 32) / u64::from(stride)) as u32;
    let indices = [0, 1, COUNT - 1, COUNT, COUNT + 1, wraps, wraps + 1, 0x8000_0000, 0xffff_ffff];
    let offsets = [0, 4, stride - 4, stride, stride + 4, 2, stride - 2, 0x8000_0000, 0xffff_fffc, 0xffff_ffff];
    indices.iter().flat_map(|&index| offsets.map(|offset| [index, offset])).collect()
}

/// Element index, byte offset, number of a thread, a spare word.
fn requests(stride: u32) -> Vec<u32> {
    let targets = targets(stride);
    targets.iter().enumerate().flat_map(|(n, &[index, offset])| [index, offset, n as u32, 0]).collect()
}

/// What the rule says about one store of `mask` to memory of `COUNT` elements.
fn store(memory: &mut [u32], stride: u32, [index, offset]: [u32; 2], mask: u32, values: [u32; 4]) {
    if index >= COUNT {
        return;
    }
    for component in 0..mask.count_ones() {
        let byte = u64::from(offset & !3) + 4 * u64::from(component);
        if byte + 4 <= u64::from(stride) {
            let at = (u64::from(index) * u64::from(stride) + byte) / 4;
            memory[at as usize] = values[component as usize];
        }
    }
}

fn values(thread: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|component| 0x1000_0000 * (component + 1) + thread)
}

/// Reads the thread's request into r0 and makes r1.xyzw = values(thread).
fn request(tokens: &mut Tokens) {
    tokens.emit(
        op::LD_STRUCTURED,
        0,
        &[dst(TEMP, 0, 15), own(THREAD_ID, 0), literal(0), src(RESOURCE, 0, [0, 1, 2, 3])],
    );
    for component in 0..4 {
        let base = literal(0x1000_0000 * (component + 1));
        tokens.emit(op::IADD, 0, &[dst(TEMP, 1, 1 << component), one(TEMP, 0, 2), base]);
    }
}

/// One thread with one request a run, addresses from memory.
#[test]
fn views_scattered() {
    let devices = Devices::new();
    for stride in STRIDES {
        for mask in MASKS {
            let mut tokens =
                Tokens::compute([1, 1, 1], 2).input(THREAD_ID).structured(RESOURCE, 0, 16).structured(UAV, 0, stride);
            request(&mut tokens);
            let operands = [dst(UAV, 0, mask), one(TEMP, 0, 0), one(TEMP, 0, 1), src(TEMP, 1, [0, 1, 2, 3])];
            tokens.emit(op::STORE_STRUCTURED, 0, &operands).emit(op::RET, 0, &[]);
            let shaders = devices.compile(&tokens.container(), "store_structured");
            for (n, target) in targets(stride).into_iter().enumerate() {
                let what = format!("u0 of stride {stride}, mask {mask:#06b}, target {target:x?}");
                let before: Vec<u32> = (0..COUNT * stride / 4).map(|n| 0xc0de_0000 + n).collect();
                let request = [target[0], target[1], n as u32, 0];
                let views = [
                    Structured { register: "t0", stride_bytes: 16, words: &request },
                    Structured { register: "u0", stride_bytes: stride, words: &before },
                ];
                let words = devices.run(&shaders, &views, &what);
                let mut expected = before.clone();
                store(&mut expected, stride, target, mask, values(n as u32));
                assert_eq!(words[1], expected, "{what}");
            }
        }
    }
}

/// Whole packets: thread n stores to element n + first, so that packets lie inside, across and beyond the end.
#[test]
fn views_in_a_row() {
    let devices = Devices::new();
    for stride in STRIDES {
        for mask in MASKS {
            for offset in [0, 4, stride - 4, stride] {
                for first in [0u32, 1, 3, COUNT - 1, COUNT, 0xffff_fffc] {
                    let what = format!("u0 of stride {stride}, mask {mask:#06b}, offset {offset}, from {first:#x}");
                    let mut tokens = Tokens::compute([16, 1, 1], 2)
                        .input(THREAD_ID)
                        .structured(RESOURCE, 0, 16)
                        .structured(UAV, 0, stride);
                    request(&mut tokens);
                    tokens.emit(op::IADD, 0, &[dst(TEMP, 0, 1), own(THREAD_ID, 0), literal(first)]);
                    let operands = [dst(UAV, 0, mask), one(TEMP, 0, 0), literal(offset), src(TEMP, 1, [0, 1, 2, 3])];
                    tokens.emit(op::STORE_STRUCTURED, 0, &operands).emit(op::RET, 0, &[]);
                    let before: Vec<u32> = (0..COUNT * stride / 4).map(|n| 0xc0de_0000 + n).collect();
                    let requests: Vec<u32> = (0..16).flat_map(|n| [0, 0, n, 0]).collect();
                    let views = [
                        Structured { register: "t0", stride_bytes: 16, words: &requests },
                        Structured { register: "u0", stride_bytes: stride, words: &before },
                    ];
                    let shaders = devices.compile(&tokens.container(), &what);
                    let words = devices.run(&shaders, &views, &what);
                    let mut expected = before.clone();
                    for thread in 0..16u32 {
                        let target = [thread.wrapping_add(first), offset];
                        store(&mut expected, stride, target, mask, values(thread));
                    }
                    assert_eq!(words[1], expected, "{what}");
                }
            }
        }
    }
}

/// `g1` lies between `g0` and `g2`; all three are filled, one thread stores, and all three are written out.
#[test]
fn shared_memory() {
    const FILL: u32 = 0x5eed_0000;
    let devices = Devices::new();
    for stride in STRIDES {
        let total = COUNT * stride / 4;
        for mask in MASKS {
            let mut tokens = Tokens::compute([64, 1, 1], 4)
                .input(THREAD_ID)
                .structured(RESOURCE, 0, 16)
                .structured(UAV, 0, 4)
                .shared(2, 4, total)
                .shared(1, stride, COUNT)
                .shared(0, 4, total);
            // The loop over r3.x = 0, 64, ... covers memories of more words than the group has threads.
            for_each_word(&mut tokens, total, |tokens| {
                tokens.emit(op::IADD, 0, &[dst(TEMP, 2, 1), one(TEMP, 3, 0), literal(FILL)]);
                let value = || src(TEMP, 2, [0, 0, 0, 0]);
                for neighbour in [0, 2] {
                    let operands = [dst(SHARED, neighbour, 1), one(TEMP, 3, 0), literal(0), value()];
                    tokens.emit(op::STORE_STRUCTURED, 0, &operands);
                }
            });
            tokens.emit(op::SYNC, SYNC_G_T, &[]);
            // Thread 0 of the group does what the request says.
            tokens.emit(op::IF, 0, &[own(THREAD_ID, 0)]);
            request(&mut tokens);
            let operands = [dst(SHARED, 1, mask), one(TEMP, 0, 0), one(TEMP, 0, 1), src(TEMP, 1, [0, 1, 2, 3])];
            tokens.emit(op::STORE_STRUCTURED, 0, &operands).emit(op::ENDIF, 0, &[]);
            tokens.emit(op::SYNC, SYNC_G_T, &[]);
            copy_out(&mut tokens, total, stride);
            tokens.emit(op::RET, 0, &[]);
            let shaders = devices.compile(&tokens.container(), "store_structured");
            let zeros = vec![0; 3 * total as usize];
            let requests = requests(stride);
            for (request, target) in requests.chunks_exact(4).zip(targets(stride)) {
                let what = format!("g1 of stride {stride}, mask {mask:#06b}, target {target:x?}");
                let views = [
                    Structured { register: "t0", stride_bytes: 16, words: request },
                    Structured { register: "u0", stride_bytes: 4, words: &zeros },
                ];
                let words = devices.run(&shaders, &views, &what);
                let neighbours: Vec<u32> = (0..total).map(|n| FILL + n).collect();
                let mut expected = vec![0; total as usize];
                store(&mut expected, stride, target, mask, values(request[2]));
                let (g0, rest) = words[1].split_at(total as usize);
                let (g1, g2) = rest.split_at(total as usize);
                assert_eq!(g1, expected, "{what}");
                assert_eq!(g0, neighbours, "{what}: g0");
                assert_eq!(g2, neighbours, "{what}: g2");
            }
        }
    }
}

/// A loop over r3.x = thread, thread + 64, ... below `total`.
fn for_each_word(tokens: &mut Tokens, total: u32, body: impl Fn(&mut Tokens)) {
    const UGE: u32 = 80;
    tokens.emit(op::MOV, 0, &[dst(TEMP, 3, 1), own(THREAD_ID, 0)]);
    tokens.emit(op::LOOP, 0, &[]);
    tokens.emit(UGE, 0, &[dst(TEMP, 3, 2), one(TEMP, 3, 0), literal(total)]);
    tokens.emit(op::BREAKC, NON_ZERO, &[one(TEMP, 3, 1)]);
    body(tokens);
    tokens.emit(op::IADD, 0, &[dst(TEMP, 3, 1), one(TEMP, 3, 0), literal(64)]);
    tokens.emit(op::ENDLOOP, 0, &[]);
}

/// g0, g1 and g2 one after the other to u0.
fn copy_out(tokens: &mut Tokens, total: u32, stride: u32) {
    const UDIV: u32 = 78;
    const IMUL_WORDS: u32 = 4;
    for_each_word(tokens, total, |tokens| {
        for (place, register) in [(0, 0), (2, 2)] {
            let load = [dst(TEMP, 2, 1), one(TEMP, 3, 0), literal(0), src(SHARED, register, [0, 1, 2, 3])];
            tokens.emit(op::LD_STRUCTURED, 0, &load);
            store_word(tokens, place * total);
        }
        // Word n of g1 is element n / (stride / 4), byte 4 * (n % (stride / 4)).
        let divide = [dst(TEMP, 2, 4), dst(TEMP, 2, 8), one(TEMP, 3, 0), literal(stride / IMUL_WORDS)];
        tokens.emit(UDIV, 0, &divide);
        for _ in 0..2 {
            tokens.emit(op::IADD, 0, &[dst(TEMP, 2, 8), one(TEMP, 2, 3), one(TEMP, 2, 3)]);
        }
        let load = [dst(TEMP, 2, 1), one(TEMP, 2, 2), one(TEMP, 2, 3), src(SHARED, 1, [0, 1, 2, 3])];
        tokens.emit(op::LD_STRUCTURED, 0, &load);
        store_word(tokens, total);
    });
}

/// u0[r3.x + base] = r2.x
fn store_word(tokens: &mut Tokens, base: u32) {
    tokens.emit(op::IADD, 0, &[dst(TEMP, 2, 2), one(TEMP, 3, 0), literal(base)]);
    let operands = [dst(UAV, 0, 1), one(TEMP, 2, 1), literal(0), src(TEMP, 2, [0, 0, 0, 0])];
    tokens.emit(op::STORE_STRUCTURED, 0, &operands);
}
