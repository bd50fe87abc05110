// 6: 256-bin histogram of bytes, workgroup atomics then a global flush
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;
var<workgroup> h: array<atomic<u32>, 256>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) gi: u32) {
    atomicStore(&h[gi], 0u);
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
        let v = x[g.x * 4096u + k * 256u + gi];
        atomicAdd(&h[v & 255u], 1u);
        atomicAdd(&h[(v >> 8u) & 255u], 1u);
        atomicAdd(&h[(v >> 16u) & 255u], 1u);
        atomicAdd(&h[v >> 24u], 1u);
    }
    workgroupBarrier();
    atomicAdd(&o[gi], atomicLoad(&h[gi]));
}
