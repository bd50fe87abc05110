// 1: streaming, memory bound. y = a*x + y
struct C { a: f32, n: u32 }
@group(2) @binding(0) var<uniform> C_: C;
@group(1) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    y[id.x] = C_.a * x[id.x] + y[id.x];
}
