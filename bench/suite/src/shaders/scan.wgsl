// 12b: inclusive Hillis-Steele scan of 256 in workgroup memory
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> s: array<u32, 256>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) gi: u32) {
    var v = x[id.x];
    s[gi] = v;
    workgroupBarrier();
    for (var k = 1u; k < 256u; k <<= 1u) {
        let t = select(0u, s[gi - k], gi >= k);
        workgroupBarrier();
        v += t;
        s[gi] = v;
        workgroupBarrier();
    }
    o[id.x] = v;
}
