// 11: dispatch overhead, one 64-thread group
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { o[id.x] += 1u; }
