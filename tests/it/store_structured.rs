//! Tests `store_structured` to views and to shared memory: every mask, and bounds at, before and after each edge.
//!
//! An index out of range writes nothing. A byte offset out of the element's range drops that component (Direct3D says
//! undefined; this is our choice, see docs/architecture.md). Nothing else ever changes: guard bytes around every buffer
//! are checked by `brolga_testing::run`, neighbouring elements and neighbouring shared memory here.

use brolga_testing::run::{Devices, Structured, assemble};
const COUNT: u32 = 8;
const STRIDES: [u32; 6] = [4, 8, 12, 16, 20, 48];
const MASKS: [&str; 4] = ["x", "xy", "xyz", "xyzw"];

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

/// The effect, by the rule, of one store of `mask` to memory of `COUNT` elements.
fn store(memory: &mut [u32], stride: u32, [index, offset]: [u32; 2], mask: &str, values: [u32; 4]) {
    if index >= COUNT {
        return;
    }
    for (component, value) in (0..).zip(&values[..mask.len()]) {
        let byte = u64::from(offset & !3) + 4 * component;
        if byte + 4 <= u64::from(stride) {
            let at = (u64::from(index) * u64::from(stride) + byte) / 4;
            memory[at as usize] = *value;
        }
    }
}

fn values(thread: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|component| 0x1000_0000 * (component + 1) + thread)
}

/// A shader that reads the thread's request into r0, makes r1.xyzw = values(r0.z), and runs `body`.
fn shader(threads: u32, declarations: &str, body: &str) -> Vec<u8> {
    assemble(&format!(
        "cs_5_0
        dcl_resource_structured t0, 16
        dcl_input vThreadID.x
        {declarations}
        dcl_temps 4
        dcl_thread_group {threads}, 1, 1
        ld_structured r0.xyzw, vThreadID.x, l(0), t0.xyzw
        iadd r1.xyzw, r0.zzzz, l(0x10000000, 0x20000000, 0x30000000, 0x40000000)
        {body}
        ret"
    ))
}

/// One thread with one request a run, addresses from memory.
#[test]
fn views_scattered() {
    let devices = Devices::new();
    for stride in STRIDES {
        for mask in MASKS {
            let body = format!("store_structured u0.{mask}, r0.x, r0.y, r1.xyzw");
            let container = shader(1, &format!("dcl_uav_structured u0, {stride}"), &body);
            let shaders = devices.compile(&container, "store_structured");
            for (n, target) in targets(stride).into_iter().enumerate() {
                let what = format!("u0 of stride {stride}, mask {mask}, target {target:x?}");
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
                    let what = format!("u0 of stride {stride}, mask {mask}, offset {offset}, from {first:#x}");
                    let body = format!(
                        "iadd r0.x, vThreadID.x, l({first:#x})
                        store_structured u0.{mask}, r0.x, l({offset}), r1.xyzw"
                    );
                    let container = shader(16, &format!("dcl_uav_structured u0, {stride}"), &body);
                    let before: Vec<u32> = (0..COUNT * stride / 4).map(|n| 0xc0de_0000 + n).collect();
                    let requests: Vec<u32> = (0..16).flat_map(|n| [0, 0, n, 0]).collect();
                    let views = [
                        Structured { register: "t0", stride_bytes: 16, words: &requests },
                        Structured { register: "u0", stride_bytes: stride, words: &before },
                    ];
                    let shaders = devices.compile(&container, &what);
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
            let declarations = format!(
                "dcl_uav_structured u0, 4
                dcl_tgsm_structured g0, 4, {total}
                dcl_tgsm_structured g1, {stride}, {COUNT}
                dcl_tgsm_structured g2, 4, {total}"
            );
            let fill = for_each_word(
                total,
                &format!(
                    "iadd r2.x, r3.x, l({FILL})
                    store_structured g0.x, r3.x, l(0), r2.x
                    store_structured g2.x, r3.x, l(0), r2.x"
                ),
            );
            // Word n of g1 is word n % (stride / 4) of element n / (stride / 4).
            let copy_out = for_each_word(
                total,
                &format!(
                    "ld_structured r2.x, r3.x, l(0), g0.xxxx
                    store_structured u0.x, r3.x, l(0), r2.x
                    udiv r2.z, r2.w, r3.x, l({})
                    ishl r2.w, r2.w, l(2)
                    ld_structured r2.x, r2.z, r2.w, g1.xxxx
                    iadd r2.y, r3.x, l({total})
                    store_structured u0.x, r2.y, l(0), r2.x
                    ld_structured r2.x, r3.x, l(0), g2.xxxx
                    iadd r2.y, r2.y, l({total})
                    store_structured u0.x, r2.y, l(0), r2.x",
                    stride / 4
                ),
            );
            // Thread 0 of the group follows the request.
            let body = format!(
                "{fill}
                sync_g_t
                if_z vThreadID.x
                store_structured g1.{mask}, r0.x, r0.y, r1.xyzw
                endif
                sync_g_t
                {copy_out}"
            );
            let shaders = devices.compile(&shader(64, &declarations, &body), "store_structured");
            let zeros = vec![0; 3 * total as usize];
            let requests = requests(stride);
            for (request, target) in requests.chunks_exact(4).zip(targets(stride)) {
                let what = format!("g1 of stride {stride}, mask {mask}, target {target:x?}");
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

/// A loop over r3.x = thread, thread + 64, ... below `total`, for memories of more words than the group has threads.
fn for_each_word(total: u32, body: &str) -> String {
    format!(
        "mov r3.x, vThreadID.x
        loop
        uge r3.y, r3.x, l({total})
        breakc_nz r3.y
        {body}
        iadd r3.x, r3.x, l(64)
        endloop"
    )
}
