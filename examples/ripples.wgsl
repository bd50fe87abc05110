// Ripples of three stones in a pond, lit from the upper left: one thread per texel.

struct Stone {
    place: vec2f,
    // Ripples along the pond, and where they are now.
    count: f32,
    phase: f32,
}

struct Pond {
    stones: array<Stone, 3>,
    deep: vec3f,
    swell: f32,
    shallow: vec3f,
    shine: f32,
}

@group(0) @binding(0) var<uniform> pond: Pond;
@group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;

override fade: f32 = 3.0;

const TAU = 6.2831853;

// The slope of the water along x and y, and its height.
fn water(place: vec2f) -> vec3f {
    var sum = vec3f(0.0);
    for (var i = 0u; i < 3u; i++) {
        let stone = pond.stones[i];
        let way = place - stone.place;
        let distance = max(length(way), 0.001);
        let strength = pond.swell * exp(-fade * distance);
        let angle = TAU * (stone.count * distance - stone.phase);
        let slope = strength * TAU * stone.count * cos(angle);
        sum += vec3f(way / distance * slope, strength * sin(angle));
    }
    return sum;
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let size = textureDimensions(picture);
    if any(id.xy >= size) {
        return;
    }
    let place = (vec2f(id.xy) + 0.5) / f32(size.x);
    let found = water(place);
    let normal = normalize(vec3f(-found.xy, 1.0));
    let light = normalize(vec3f(-0.6, -0.7, 0.8));
    let facing = max(dot(normal, light), 0.0);
    let mirrored = pow(max(dot(normal, normalize(light + vec3f(0.0, 0.0, 1.0))), 0.0), 80.0);
    let depth = clamp(0.5 + found.z / (2.0 * pond.swell), 0.0, 1.0);
    let colour = mix(pond.deep, pond.shallow, depth) * (0.35 + 0.85 * facing) + pond.shine * mirrored;
    textureStore(picture, id.xy, vec4f(colour, 1.0));
}
