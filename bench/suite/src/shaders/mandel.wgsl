// 2: divergent ALU loop
struct C { x0: f32, y0: f32, dx: f32, maxit: u32 }
@group(2) @binding(0) var<uniform> c: C;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let cx = c.dx * f32(id.x) + c.x0;
    let cy = c.dx * f32(id.y) + c.y0;
    var zx = 0.0;
    var zy = 0.0;
    var it = 0u;
    while (it < c.maxit) {
        let xx = zx * zx;
        let yy = zy * zy;
        if (4.0 < yy + xx) { break; }
        let t = cx + (zx * zx - yy);
        zy = cy + (zy * zx + zy * zx);
        zx = t;
        it++;
    }
    o[id.y * 1024u + id.x] = it;
}
