// 7: gather heavy, 8 dependent indirect structured loads a thread
struct N { v: f32, next: u32 }
@group(1) @binding(0) var<storage, read> idx: array<u32>;
@group(1) @binding(1) var<storage, read> tab: array<N>;
@group(0) @binding(0) var<storage, read_write> o: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var j = idx[id.x];
    var s = 0.0;
    for (var k = 0u; k < 8u; k++) {
        let e = tab[j];
        s = e.v + s;
        j = e.next;
    }
    o[id.x] = s;
}
