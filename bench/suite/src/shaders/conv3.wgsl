// 13: 3x3 convolution, RGBA32F texel loads and typed store
@group(1) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(0) var o: texture_storage_2d<rgba32float, write>;

fn at(p: vec2<i32>, d: vec2<i32>) -> vec4<f32> { return textureLoad(t, clamp(p + d, vec2<i32>(0), vec2<i32>(1023)), 0); }

@compute @workgroup_size(8, 8, 1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    var s = at(p, vec2<i32>(-1, -1)) * vec4<f32>(0.0625) + at(p, vec2<i32>(0, -1)) * vec4<f32>(0.125);
    s = at(p, vec2<i32>(1, -1)) * vec4<f32>(0.0625) + s;
    s = at(p, vec2<i32>(-1, 0)) * vec4<f32>(0.125) + s;
    s = at(p, vec2<i32>(0, 0)) * vec4<f32>(0.25) + s;
    s = at(p, vec2<i32>(1, 0)) * vec4<f32>(0.125) + s;
    s = at(p, vec2<i32>(-1, 1)) * vec4<f32>(0.0625) + s;
    s = at(p, vec2<i32>(0, 1)) * vec4<f32>(0.125) + s;
    s = at(p, vec2<i32>(1, 1)) * vec4<f32>(0.0625) + s;
    textureStore(o, id.xy, s);
}
