// 14b: PCG hash rounds (per-lane variable shift)
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var h = x[id.x];
    for (var k = 0u; k < 32u; k++) {
        let st = h * 747796405u + 2891336453u;
        let w = ((st >> ((st >> 28u) + 4u)) ^ st) * 277803737u;
        h = (w >> 22u) ^ w;
    }
    o[id.x] = h;
}
