// 12: bitonic sort of 512 keys a group in workgroup memory (45 barriered steps)
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> s: array<u32, 512>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) gi: u32) {
    let b = g.x * 512u;
    s[gi] = x[b + gi];
    s[gi + 256u] = x[b + gi + 256u];
    workgroupBarrier();
    for (var k = 2u; k <= 512u; k <<= 1u) {
        for (var j = k >> 1u; j > 0u; j >>= 1u) {
            let lo = ((gi & ~(j - 1u)) << 1u) | (gi & (j - 1u));
            let hi = lo + j;
            let a = s[lo];
            let c = s[hi];
            let up = (lo & k) == 0u;
            if ((a > c) == up) {
                s[lo] = c;
                s[hi] = a;
            }
            workgroupBarrier();
        }
    }
    o[b + gi] = s[gi];
    o[b + gi + 256u] = s[gi + 256u];
}
