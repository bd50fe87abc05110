// Gravity between 1,024 bodies, and the picture of their ways: one thread for each body, all in one group.
//
//     fxc -T cs_5_0 -E main nbody.hlsl -Fo nbody.cso
//
// The group keeps every position in shared memory, where each thread reads all of them in each step. Two barriers make the
// step one step: nobody moves before all have looked, and nobody looks before all have moved. The loop's count is the same
// for all threads; a barrier must be reached by all or by none.

#define BODIES 1024

struct Body {
    float3 position;
    float mass;
    float3 velocity;
    uint colour;            // which of two
};

struct Light {
    uint amount[2];         // of each colour
};

StructuredBuffer<Body> start : register(t0);
RWStructuredBuffer<Body> end : register(u0);
RWStructuredBuffer<Light> lights : register(u1);    // one for each texel
RWTexture2D<unorm float4> picture : register(u2);

cbuffer Settings : register(b0) {
    uint steps;
    float step_time;
    float softening;        // squared; no pull is stronger than that of a body this far away
    float view_height;      // of the picture, in the bodies' units
    float brightness;
    uint2 extents;          // of the picture, in texels
};

groupshared float4 bodies[BODIES];      // position and mass

float3 pull(float3 position) {
    float3 sum = 0;
    [loop]
    for (uint n = 0; n < BODIES; n++) {
        float3 way = bodies[n].xyz - position;
        float inverse = rsqrt(dot(way, way) + softening);
        sum += bodies[n].w * (inverse * inverse * inverse) * way;
    }
    return sum;
}

// A body leaves light where it passes: 256 parts, shared among the four texels around it by how near they are. Bodies that
// meet add theirs one after the other, in any order: of integers the sum is the same.
void shine(float3 position, uint colour, int2 size) {
    float2 at = position.xy * (size.y / view_height) + 0.5 * float2(size) - 0.5;
    float2 corner = floor(at);
    float2 part = at - corner;
    [unroll]
    for (int n = 0; n < 4; n++) {
        int2 texel = int2(corner) + int2(n & 1, n >> 1);
        float2 share = int2(n & 1, n >> 1) ? part : 1 - part;
        if (all(texel >= 0) && all(texel < size))
            InterlockedAdd(lights[texel.y * size.x + texel.x].amount[colour], uint(256 * share.x * share.y));
    }
}

float3 exposed(Light light) {
    float2 amount = log2(1 + brightness * float2(light.amount[0], light.amount[1]));
    float3 sum = amount.x * float3(1.00, 0.55, 0.22) + amount.y * float3(0.25, 0.60, 1.00);
    return 1 - exp2(-sum);
}

[numthreads(BODIES, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    uint width = extents.x, height = extents.y;

    Body me = start[thread];
    bodies[thread] = float4(me.position, me.mass);
    GroupMemoryBarrierWithGroupSync();

    [loop]
    for (uint n = 0; n < steps; n++) {
        me.velocity += step_time * pull(me.position);
        me.position += step_time * me.velocity;
        GroupMemoryBarrierWithGroupSync();
        bodies[thread].xyz = me.position;
        shine(me.position, me.colour, int2(width, height));
        GroupMemoryBarrierWithGroupSync();
    }
    end[thread] = me;

    // Now the threads share the texels.
    DeviceMemoryBarrierWithGroupSync();
    for (uint texel = thread; texel < width * height; texel += BODIES)
        picture[uint2(texel % width, texel / width)] = float4(exposed(lights[texel]), 1);
}
