// 10: 4 bilinear RGBA8 samples a thread, RGBA8 write
@group(1) @binding(0) var t: texture_2d<f32>;
@group(3) @binding(0) var s: sampler;
@group(0) @binding(0) var o: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<f32>(id.xy);
    let q = vec2<f32>(p.x * 0.9 + p.y * 0.2, p.y * 0.9 - (p.x * 0.2)) + vec2<f32>(0.3, 0.7);
    let k = 1.0 / 1024.0;
    let uv = q * k;
    let d10 = q * vec2<f32>(k) + vec2<f32>(0.0013, 0.0);
    let d01 = q * vec2<f32>(k) + vec2<f32>(0.0, 0.0017);
    let d11 = q * vec2<f32>(k) + vec2<f32>(0.0013, 0.0017);
    let c = textureSampleLevel(t, s, d11, 0.0)
        + (textureSampleLevel(t, s, d01, 0.0)
        + (textureSampleLevel(t, s, uv, 0.0) + textureSampleLevel(t, s, d10, 0.0)));
    textureStore(o, id.xy, c * 0.25);
}
