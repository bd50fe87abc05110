// Thousands of boxes in one draw: the seeds of a flower, over which a wave runs.

#include "../camera.hlsli"

cbuffer Field : register(b1)
{
    float3 to_sun;      // unit length
    float time;         // moves the wave
    float radius;       // of the flower
    float width;        // of a box
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float4 seed : SEED;         // x and z within the unit circle, distance from its middle, random
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float3 color : COLOR;
    float above : ABOVE;        // the tops of the boxes around, -1 to 1
};

// The height of the boxes at a distance from the middle.
float wave(float away)
{
    return 0.75 + 0.5 * cos(11 * away - time) * (1 - 0.5 * away) + 0.8 * exp(-14 * away * away);
}

float3 tint(float share)
{
    float3 steps[5] = {float3(0.98, 0.80, 0.36), float3(0.95, 0.42, 0.18), float3(0.72, 0.12, 0.28), float3(0.22, 0.10, 0.42), float3(0.04, 0.22, 0.42)};
    float at = saturate(share) * 3.999;
    return lerp(steps[uint(at)], steps[uint(at) + 1], frac(at));
}

Pixel seeds_vs(Vertex v)
{
    float away = v.seed.z, around = wave(away);
    float height = around * (0.8 + 0.35 * v.seed.w), wide = width * (0.55 + 0.45 * sqrt(away));
    // Each looks at the middle.
    float2 outward = normalize(v.seed.xy);
    float3x3 turn = {outward.x, 0, outward.y, 0, 1, 0, -outward.y, 0, outward.x};
    Pixel o;
    o.world = mul(v.position * float3(wide, 0.5 * height, wide), turn) + float3(v.seed.x, 0, v.seed.y) * radius;
    o.position = project(o.world);
    o.normal = mul(v.normal, turn);
    o.color = tint(away * 0.95 + 0.12 * (v.seed.w - 0.5) + 0.05) * (0.75 + 0.5 * v.seed.w);
    o.above = (o.world.y - around) / 0.7;
    return o;
}

// The sky behind, and its light.
float3 sky(float3 direction)
{
    float toward = saturate(dot(direction, to_sun));
    float3 light = lerp(float3(0.75, 0.36, 0.24), float3(0.05, 0.10, 0.26), saturate(1.8 * direction.y + 0.85));
    return light + float3(1.0, 0.55, 0.25) * (0.35 * pow(toward, 6) + 1.2 * pow(toward, 60));
}

float4 seeds_ps(Pixel i) : SV_Target
{
    float3 normal = normalize(i.normal), to_eye = normalize(eye - i.world), halfway = normalize(to_sun + to_eye);
    // Low between others it is dark, and the sun comes in flat.
    float open = smoothstep(-1.1, 0.35, i.above);
    float sun = saturate(dot(normal, to_sun)) * smoothstep(-0.35, 0.3, i.above);
    float gloss = pow(saturate(dot(normal, halfway)), 40) * smoothstep(-0.1, 0.3, i.above);
    float3 light = i.color * (sun * float3(4.2, 3.0, 1.9) + open * 0.5 * sky(normal)) + gloss * float3(0.9, 0.7, 0.5);
    // Light shines through boxes in front of it.
    light += i.color * open * pow(saturate(dot(-to_eye, to_sun)), 4) * float3(0.9, 0.5, 0.2);
    return float4(lerp(light, sky(-to_eye), 1 - exp(-0.00035 * dot(eye - i.world, eye - i.world))), 1);
}

// The same in the range of a screen, for drawing to the screen directly.
float4 shown_seeds_ps(Pixel i) : SV_Target
{
    return float4(film(seeds_ps(i).rgb), 1);
}

struct Sky
{
    float4 position : SV_Position;
    float2 place : PLACE;
};

Sky sky_vs(uint vertex : SV_VertexID)
{
    Sky o;
    o.position = cover(vertex);
    o.place = o.position.xy;
    return o;
}

float4 sky_ps(Sky i) : SV_Target
{
    return float4(sky(ray(i.place)), 1);
}

float4 shown_sky_ps(Sky i) : SV_Target
{
    return float4(film(sky_ps(i).rgb), 1);
}

float4 cover_vs(uint vertex : SV_VertexID) : SV_Position
{
    return cover(vertex);
}

Texture2D<float3> picture : register(t0);

// Four pixels become one, each as a screen shows it.
float4 halve_ps(float4 position : SV_Position) : SV_Target
{
    int2 corner = 2 * int2(position.xy);
    float3 sum = 0;
    [unroll] for (int n = 0; n < 4; n++)
        sum += film(picture[corner + int2(n & 1, n >> 1)]);
    return float4(sum / 4, 1);
}
