// 4: 512x512 matrix multiply, 16x16 workgroup tiles
struct C { n: u32 }
@group(2) @binding(0) var<uniform> c: C;
@group(1) @binding(0) var<storage, read> A: array<f32>;
@group(1) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(0) var<storage, read_write> O: array<f32>;
var<workgroup> ta: array<f32, 256>;
var<workgroup> tb: array<f32, 256>;

@compute @workgroup_size(16, 16, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>) {
    var s = 0.0;
    for (var t = 0u; t < c.n; t += 16u) {
        ta[l.y * 16u + l.x] = A[id.y * c.n + t + l.x];
        tb[l.y * 16u + l.x] = B[(t + l.y) * c.n + id.x];
        workgroupBarrier();
        s = ta[l.y * 16u + 0u] * tb[0u * 16u + l.x] + s;
        s = ta[l.y * 16u + 1u] * tb[1u * 16u + l.x] + s;
        s = ta[l.y * 16u + 2u] * tb[2u * 16u + l.x] + s;
        s = ta[l.y * 16u + 3u] * tb[3u * 16u + l.x] + s;
        s = ta[l.y * 16u + 4u] * tb[4u * 16u + l.x] + s;
        s = ta[l.y * 16u + 5u] * tb[5u * 16u + l.x] + s;
        s = ta[l.y * 16u + 6u] * tb[6u * 16u + l.x] + s;
        s = ta[l.y * 16u + 7u] * tb[7u * 16u + l.x] + s;
        s = ta[l.y * 16u + 8u] * tb[8u * 16u + l.x] + s;
        s = ta[l.y * 16u + 9u] * tb[9u * 16u + l.x] + s;
        s = ta[l.y * 16u + 10u] * tb[10u * 16u + l.x] + s;
        s = ta[l.y * 16u + 11u] * tb[11u * 16u + l.x] + s;
        s = ta[l.y * 16u + 12u] * tb[12u * 16u + l.x] + s;
        s = ta[l.y * 16u + 13u] * tb[13u * 16u + l.x] + s;
        s = ta[l.y * 16u + 14u] * tb[14u * 16u + l.x] + s;
        s = ta[l.y * 16u + 15u] * tb[15u * 16u + l.x] + s;
        workgroupBarrier();
    }
    O[id.y * c.n + id.x] = s;
}
