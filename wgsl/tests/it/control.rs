//! Control flow, calls, variables.

use crate::run::Run;

const OUT: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n";

fn run(body: &str, room: usize) -> Vec<u32> {
    let text = format!("{OUT}{body}");
    Run::new(&text).buffer(0, &vec![0; room]).words()
}

#[test]
fn groups_know_how_many_they_are() {
    // Groups that fill packets, that share them in rows, and in boxes.
    for (size, groups) in
        [([64, 1, 1], [3, 2, 1]), ([1, 1, 1], [37, 2, 3]), ([4, 1, 1], [9, 1, 1]), ([2, 1, 1], [2, 9, 2])]
    {
        let [x, y, z] = size;
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<vec3u>;
             @compute @workgroup_size({x}, {y}, {z})
             fn main(@builtin(num_workgroups) count: vec3u, @builtin(workgroup_id) id: vec3u,
                     @builtin(local_invocation_index) n: u32) {{
                 let group = id.x + count.x * (id.y + count.y * id.z);
                 out[group * {}u + n] = count + id * 100u;
             }}",
            x * y * z
        );
        let [gx, gy, gz] = groups;
        let ids = (0..gz).flat_map(|z| (0..gy).flat_map(move |y| (0..gx).map(move |x| [x, y, z])));
        let of_thread = |id: [u32; 3]| [gx + id[0] * 100, gy + id[1] * 100, gz + id[2] * 100, 0];
        let expected: Vec<u32> =
            ids.flat_map(|id| std::iter::repeat_n(of_thread(id), (x * y * z) as usize)).flatten().collect();
        assert_eq!(Run::new(&text).buffer(0, &vec![0; expected.len()]).groups(groups).words(), expected, "{size:?}");
    }
}

/// A function may return in a loop alone that nothing breaks.
#[test]
fn loops_without_end_return() {
    let text = "
        fn root(n: u32) -> u32 {
            var i = 0u;
            loop {
                if (i + 1) * (i + 1) > n { return i; }
                i++;
            }
        }
        fn first(n: u32) -> u32 {
            if n < 4 { return 9u; } else {
                switch n {
                    case 5u: { return 8u; }
                    default: {
                        for (var i = n; ; i--) {
                            switch i % 3 { case 0u: { return i; } default: { break; } }
                        }
                    }
                }
            }
        }
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            out[i] = root(7 * i) * 10 + first(i);
        }";
    let expected = (0..8_u32).map(|i| {
        let first = match i {
            5 => 8,
            _ if i < 4 => 9,
            _ => i - i % 3,
        };
        (7 * i).isqrt() * 10 + first
    });
    assert_eq!(run(text, 8), Vec::from_iter(expected));
}

#[test]
fn loops_run_their_continuing_block_after_a_continue() {
    let text = "
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            var sum = 0u;
            for (var n = 0u; n < 10u; n++) {
                if (n % 3u) == i % 3u { continue; }
                if n > 7u { break; }
                sum += n;
            }
            var k = 0u;
            loop {
                let odd = k & 1u;
                if odd == 1u { continue; }
                sum += 100u;
                continuing {
                    k += 1u + odd;
                    break if k >= 6u + i;
                }
            }
            var w = i;
            while w > 0u {
                w >>= 1u;
                if w == 2u { continue; }
                sum += 1000u;
            }
            out[i] = sum;
        }";
    let expected = |i: u32| {
        let mut sum = 0;
        for n in 0..10 {
            if n % 3 == i % 3 {
                continue;
            }
            if n > 7 {
                break;
            }
            sum += n;
        }
        let mut k = 0;
        loop {
            let odd = k & 1;
            if odd == 0 {
                sum += 100;
            }
            k += 1 + odd;
            if k >= 6 + i {
                break;
            }
        }
        let mut w = i;
        while w > 0 {
            w >>= 1;
            if w != 2 {
                sum += 1000;
            }
        }
        sum
    };
    assert_eq!(run(text, 8), (0..8).map(expected).collect::<Vec<_>>());
}

#[test]
fn functions_return_early_and_through_pointers() {
    let text = "
        struct Pair { a: u32, b: vec3u }
        fn early(x: u32) -> u32 {
            for (var n = 0u; n < 9u; n++) {
                switch n {
                    case 3u, 4u: { if x == n { return 30u + n; } }
                    case 7u: { return 70u; }
                    default: { if x == 100u { return 5u; } }
                }
            }
            return 0u;
        }
        fn change(p: ptr<function, Pair>, at: ptr<function, array<u32, 6>>, i: u32) {
            if i == 2u { return; }
            (*p).a += 10u;
            (*p).b[i % 3u] = i;
            (*at)[i] = 7u + (*at)[i ^ 1u];
        }
        @compute @workgroup_size(6) fn main(@builtin(local_invocation_index) i: u32) {
            var pair = Pair(i, vec3u(1, 2, 3));
            var list = array(0u, 1u, 2u, 3u, 4u, 5u);
            change(&pair, &list, i);
            out[i * 4u] = pair.a + early(i) * 1000u + early(100u) * 1000000u;
            out[i * 4u + 1u] = pair.b.x + pair.b.y * 10u + pair.b.z * 100u;
            out[i * 4u + 2u] = list[i];
            out[i * 4u + 3u] = pair.b[i];
        }";
    let expected = |i: u32| {
        let early = [70, 70, 70, 33, 34, 70][i as usize];
        let mut b = [1, 2, 3];
        let (mut a, mut item) = (i, i);
        if i != 2 {
            a += 10;
            b[i as usize % 3] = i;
            item = 7 + (i ^ 1);
        }
        let component = b.get(i as usize).copied().unwrap_or(0);
        [a + early * 1000 + 5_000_000, b[0] + b[1] * 10 + b[2] * 100, item, component]
    };
    assert_eq!(run(text, 24), (0..6).flat_map(expected).collect::<Vec<_>>());
}

#[test]
fn variables_are_zero_in_each_round_and_each_call() {
    let text = "
        fn sum(n: u32) -> u32 {
            var seen: array<u32, 12>;
            var total: u32;
            for (var k = 0u; k < n; k++) { seen[(k * 5u) % 12u] += k; }
            for (var k = 0u; k < 12u; k++) { total += seen[k]; }
            return total;
        }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            var all = 0u;
            for (var round = 0u; round < 3u; round++) {
                var fresh: u32;
                var list: array<vec2u, 10>;
                fresh += round;
                list[i].y += fresh;
                all = all * 100u + list[i].y + list[9].x + fresh;
                all += sum(i + round);
            }
            out[i] = all + sum(3u) * 1000000u;
        }";
    let sum = |n: u32| (0..n).sum::<u32>();
    let expected = |i: u32| (0..3).fold(0, |all, round| all * 100 + 2 * round + sum(i + round)) + sum(3) * 1_000_000;
    assert_eq!(run(text, 4), (0..4).map(expected).collect::<Vec<_>>());
}

#[test]
fn workgroup_memory_atomics_and_barriers() {
    let text = "
        struct Shared { total: atomic<u32>, flags: array<bool, 3>, grid: array<array<vec3f, 4>, 2> }
        var<workgroup> shared_: Shared;
        var<workgroup> limit: u32;
        @compute @workgroup_size(4, 2) fn main(@builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
            if i == 5u { limit = 6u; shared_.flags[2] = true; }
            shared_.grid[id.y][id.x] = vec3f(f32(id.x), f32(id.y), 0.5);
            let before = atomicAdd(&shared_.total, i);
            workgroupBarrier();
            let n = workgroupUniformLoad(&limit);
            var sum = 0.0;
            for (var k = 0u; k < n; k++) {
                let v = shared_.grid[k & 1u][3u - id.x];
                sum += v.x + v.y + v.z;
                workgroupBarrier();
            }
            let old = atomicCompareExchangeWeak(&out[9], 0u, i + 1u);
            if old.exchanged { atomicStore(&out[10], i); }
            atomicMax(&out[11], i * 3u);
            atomicSub(&out[12], 1u);
            atomicStore(&out[i], u32(sum * 4.0) + atomicLoad(&shared_.total) * 1000u + u32(shared_.flags[2]) * 100000u + before * 0u);
            if i == 0u { atomicStore(&out[8], u32(shared_.flags[id.x]) + 2u); }
        }";
    let text = format!("@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;{text}");
    let words = Run::new(&text).buffer(0, &[0; 13]).words();
    let expected = |i: u32| {
        let x = 3 - i % 4;
        let sum: u32 = (0..6).map(|k| 4 * x + 4 * (k & 1) + 2).sum();
        sum + 28_000 + 100_000
    };
    let mut all: Vec<u32> = (0..8).map(expected).collect();
    all.extend([2, 1, 0, 21, 8u32.wrapping_neg()]);
    assert_eq!(words, all);
}

#[test]
fn composites_are_indexed_by_value() {
    let text = "
        const TABLE = array<vec3u, 5>(vec3u(1, 2, 3), vec3u(4, 5, 6), vec3u(7, 8, 9), vec3u(10, 11, 12), vec3u(13, 14, 15));
        const NESTED = array(array(1u, 2u), array(3u, 4u), array(5u, 6u));
        fn pick(list: array<u32, 7>, i: u32) -> u32 { return list[i]; }
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
            let m = mat3x2f(1, 2, 3, 4, 5, 6);
            let column = m[i];
            let scaled = array(i, i * 2u, i * 3u);
            out[i * 4u] = TABLE[i].x * 100u + TABLE[i][i % 3u];
            out[i * 4u + 1u] = NESTED[i][i & 1u] + NESTED[1][i] * 10u;
            out[i * 4u + 2u] = u32(column.x) + u32(column[i]) * 10u + scaled[i] * 100u;
            out[i * 4u + 3u] = pick(array(9u, 8u, 7u, 6u, 5u, 4u, i), i);
        }";
    let expected = |i: u32| {
        let at = |list: &[u32], n: u32| list.get(n as usize).copied().unwrap_or(0);
        let table = |n: u32, c: u32| if n < 5 { n * 3 + c + 1 } else { 0 };
        let nested = |n: u32, c: u32| if n < 3 && c < 2 { n * 2 + c + 1 } else { 0 };
        let m = |n: u32, c: u32| if n < 3 && c < 2 { n * 2 + c + 1 } else { 0 };
        [
            table(i, 0) * 100 + table(i, i % 3),
            nested(i, i & 1) + nested(1, i) * 10,
            m(i, 0) + m(i, i) * 10 + at(&[i, i * 2, i * 3], i) * 100,
            at(&[9, 8, 7, 6, 5, 4, i], i),
        ]
    };
    assert_eq!(run(text, 32), (0..8).flat_map(expected).collect::<Vec<_>>());
}

#[test]
fn buffers_have_the_layout_of_wgsl() {
    let text = "
        struct Inner { a: f32, m: mat3x3f, h: mat4x2f, list: array<vec4u, 3> }
        struct Data { count: u32, inner: array<Inner, 2>, tail: array<vec2u> }
        @group(0) @binding(1) var<uniform> constants: Inner;
        @group(0) @binding(2) var<storage> data: Data;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
            let d = data.inner[i & 1u];
            out[i * 8u] = arrayLength(&data.tail);
            out[i * 8u + 1u] = data.count;
            out[i * 8u + 2u] = bitcast<u32>(d.m[i & 1u][2]);
            out[i * 8u + 3u] = bitcast<u32>(data.inner[1].h[i][i & 1u]);
            out[i * 8u + 4u] = data.tail[i].y;
            out[i * 8u + 5u] = bitcast<u32>(constants.h[i][1]);
            out[i * 8u + 6u] = constants.list[i][i];
            out[i * 8u + 7u] = data.tail[i + 0x1fffff00u].x;
        }";
    // Of Inner: a at 0, m at 16 (columns of 16 bytes), h at 64 (of 8), list at 96, 144 bytes.
    let text = format!("{OUT}{text}");
    let words: Vec<u32> = (0..81).collect();
    let run = Run::new(&text).buffer(0, &[0; 32]).buffer(1, &words[..36]).buffer(2, &words).words();
    let expected = |i: u32| {
        // Of Data: count at 0, inner at 16 bytes, tail at 304.
        let inner = 4 + 36 * (i & 1);
        let tail = |n: u32, c: u32| if 76 + 2 * n + c < 81 { 76 + 2 * n + c } else { 0 };
        let list = if i < 3 { 24 + 4 * i + i } else { 0 };
        [2, 0, inner + 4 + 4 * (i & 1) + 2, 4 + 36 + 16 + 2 * i + (i & 1), tail(i, 1), 16 + 2 * i + 1, list, 0]
    };
    assert_eq!(run, (0..4).flat_map(expected).collect::<Vec<_>>());
}
