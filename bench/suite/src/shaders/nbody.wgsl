// 3: n-body with a workgroup tile and barriers
struct C { n: u32, eps2: f32 }
@group(2) @binding(0) var<uniform> c: C;
@group(1) @binding(0) var<storage, read> p: array<vec4<f32>>;
@group(0) @binding(0) var<storage, read_write> acc: array<vec4<f32>>;
var<workgroup> tile: array<vec4<f32>, 256>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) gi: u32) {
    let me = p[id.x].xyz;
    var a = vec3<f32>(0.0);
    for (var t = 0u; t < c.n; t += 256u) {
        tile[gi] = p[t + gi];
        workgroupBarrier();
        for (var j = 0u; j < 256u; j++) {
            let q = tile[j];
            let d = q.xyz - me;
            let r2 = dot(d, d) + c.eps2;
            let ir = inverseSqrt(r2);
            let f = ir * (q.w * (ir * ir));
            a = d * vec3<f32>(f) + a;
        }
        workgroupBarrier();
    }
    acc[id.x] = vec4<f32>(a, 0.0);
}
