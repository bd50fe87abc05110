//! Textures, storage textures and samplers.

use brolga_runtime::{
    Comparison, Dimension, Engine, Filter, Format, Level, Reduction, Register, Sampler, Texture, TextureShape, View,
};

use crate::run::{Run, device};

fn texture(shape: TextureShape, texels: &[f32]) -> Texture {
    device().texture_from(shape, texels).unwrap()
}

#[test]
fn texels_are_loaded_sampled_and_gathered() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
        @group(0) @binding(1) var image: texture_2d<f32>;
        @group(0) @binding(2) var linear: sampler;
        @group(1) @binding(1) var layers: texture_2d_array<f32>;
        @group(0) @binding(3) var shadow: texture_depth_2d;
        @group(0) @binding(4) var compare: sampler_comparison;
        @compute @workgroup_size(1) fn main() {
            out[0] = textureLoad(image, vec2(1, 1), 0);
            out[1] = textureLoad(image, vec2(-1, 0), 0);
            out[2] = textureSampleLevel(image, linear, vec2f(0.5, 0.25), 0.0);
            out[3] = textureGather(0, image, linear, vec2f(0.5, 0.5));
            out[4] = vec4f(vec2f(textureDimensions(image)), f32(textureNumLevels(image)), f32(textureNumLayers(layers)));
            out[5] = textureSampleLevel(layers, linear, vec2f(0.5), 1, 0.0);
            out[6] = textureSampleLevel(image, linear, vec2f(0.25, 0.25), 0.0, vec2(1, 0));
            out[7].x = textureLoad(shadow, vec2(1, 0), 0);
            out[7].y = textureSampleCompareLevel(shadow, compare, vec2f(0.25, 0.25), 0.5);
            out[7].z = textureSampleLevel(shadow, linear, vec2f(0.75, 0.75), 0);
            out[8] = textureGatherCompare(shadow, compare, vec2f(0.5), 2.5);
            out[9] = textureSampleGrad(image, linear, vec2f(0.25, 0.75), vec2f(0.1, 0), vec2f(0, 0.1));
            out[10] = textureSampleBaseClampToEdge(image, linear, vec2f(0, 1));
        }";
    let red = |values: &[f32]| -> Vec<f32> { values.iter().flat_map(|&value| [value, 0.0, 0.0, 1.0]).collect() };
    let shape = TextureShape::texture_2d(Format::R32G32B32A32_FLOAT, 2, 2);
    let image = texture(shape, &red(&[1.0, 2.0, 3.0, 4.0]));
    let layers = texture(shape.array(2), &red(&[0.0, 0.0, 0.0, 0.0, 5.0, 6.0, 7.0, 8.0]));
    let depth = texture(TextureShape::texture_2d(Format::R32_FLOAT, 2, 2), &[1.0, 2.0, 3.0, 4.0]);
    let linear = Sampler::default();
    let filter = Filter { reduction: Reduction::Comparison, ..Filter::default() };
    let compare = Sampler { filter, comparison: Comparison::Less, ..Sampler::default() };
    let run = Run::new(text)
        .buffer(0, &[0; 44])
        .view(Register::t(1), View::texture(image))
        .view(Register::s(2), View::sampler(linear).unwrap())
        .view(Register::t(1).in_space(1), View::texture(layers))
        .view(Register::t(3), View::texture(depth))
        .view(Register::s(4), View::sampler(compare).unwrap());
    let found: Vec<f32> = run.words().into_iter().map(f32::from_bits).collect();
    let firsts: Vec<f32> = found.chunks(4).map(|texel| texel[0]).collect();
    assert_eq!(firsts[..3], [4.0, 0.0, 1.5]);
    // Lower left, lower right, upper right, upper left.
    assert_eq!(found[12..16], [3.0, 4.0, 2.0, 1.0]);
    assert_eq!(found[16..20], [2.0, 2.0, 1.0, 2.0]);
    assert_eq!(firsts[5..7], [6.5, 2.0]);
    assert_eq!(found[28..31], [2.0, 1.0, 4.0]);
    assert_eq!(found[32..36], [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(firsts[9..11], [3.0, 3.0]);
}

#[test]
fn texels_are_stored_and_changed_atomically() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var image: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(2) var numbers: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(3) var counts: texture_storage_1d<r32uint, atomic>;
        @compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3u) {
            textureStore(image, id.xy, vec4f(f32(id.x), f32(id.y), 0.5, 1));
            textureStore(image, id.xy + 2u, vec4f(1));
            let before = textureLoad(numbers, id.xy).x;
            textureStore(numbers, id.xy, vec4u(before + id.x + id.y * 10u));
            textureAtomicAdd(counts, 1, id.x + 1u);
            textureAtomicMax(counts, 0, id.y + 7u);
            out[id.x + id.y * 2u] = before + textureDimensions(image).x * 100u;
        }";
    let device = device();
    // Each engine starts from the same texels.
    let all = [Engine::Interpreter, Engine::Jit].map(|engine| {
        let image = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 2, 2)).unwrap();
        let numbers = TextureShape::texture_2d(Format::R32_UINT, 2, 2);
        let numbers = device.texture_from(numbers, &[1u32, 2, 3, 4]).unwrap();
        let counts = TextureShape::new(Dimension::Texture1d, Format::R32_UINT, 2);
        let counts = device.texture_from(counts, &[0u32, 5]).unwrap();
        let run = [&image, &numbers, &counts]
            .into_iter()
            .zip(1..)
            .fold(Run::new(text).buffer(0, &[0; 4]), |run, (texture, register)| {
                run.view(Register::u(register), View::texture(texture.clone()))
            });
        let out = run.on(engine, Level::Full).unwrap().swap_remove(0);
        [out].into_iter().chain([numbers, counts, image].map(|texture| texture.buffer().to_vec().unwrap())).collect()
    });
    assert_eq!(all[0], all[1]);
    let expected: [&[u32]; 4] =
        [&[201, 202, 203, 204], &[1, 3, 13, 15], &[8, 11], &[0xff80_0000, 0xff80_00ff, 0xff80_ff00, 0xff80_ffff]];
    let found: &Vec<Vec<u32>> = &all[0];
    assert_eq!(found[..], expected);
}
