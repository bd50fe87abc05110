// 5: workgroup tree reduction, then one global atomic a workgroup
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;
var<workgroup> s: array<u32, 256>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) gi: u32) {
    s[gi] = x[id.x];
    workgroupBarrier();
    for (var k = 128u; k > 0u; k >>= 1u) {
        if (gi < k) { s[gi] += s[gi + k]; }
        workgroupBarrier();
    }
    if (gi == 0u) { atomicAdd(&o[0], s[0]); }
}
