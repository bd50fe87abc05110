// 14: integer hash, 32 xxhash32-like rounds (mul, rotate by constants, xor)
@group(1) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;

@compute @workgroup_size(256, 1, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var h = x[id.x];
    for (var k = 0u; k < 32u; k++) {
        h += k * 2246822519u;
        h = (h << 13u) | (h >> 19u);
        h *= 2654435761u;
        h ^= h >> 15u;
        h *= 2246822519u;
        h ^= h >> 13u;
    }
    o[id.x] = h;
}
