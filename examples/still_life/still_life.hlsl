// Things on a table under one light: depths as the light sees them, then the picture, then half its size.

#include "../camera.hlsli"

cbuffer Light : register(b1)
{
    float3 to_light;        // unit length
    float reach;            // half the extent of the square that the shadow map shows
    float3 light_color;
    float softness;         // of shadows, in texels
};

cbuffer Thing : register(b2)
{
    float3 place;
    float size;
    float3 tilt;            // turns about x, y and z, in radians
    float roughness;
    float metal;            // 0 or 1
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

float3 turned(float3 v)
{
    float3 s, c;
    sincos(tilt, s, c);
    v.yz = float2(c.x * v.y - s.x * v.z, s.x * v.y + c.x * v.z);
    v.xz = float2(c.y * v.x + s.y * v.z, c.y * v.z - s.y * v.x);
    v.xy = float2(c.z * v.x - s.z * v.y, s.z * v.x + c.z * v.y);
    return v;
}

// A position as the light sees it: x and y of the shadow map from -1 to 1, and the depth.
float3 lit_from(float3 world)
{
    float3 across = normalize(cross(float3(0, 1, 0), to_light));
    float3 up = cross(to_light, across);
    return float3(dot(across, world), dot(up, world), 0) / reach + float3(0, 0, 0.5 - dot(to_light, world) / (4 * reach));
}

float4 shadow_vs(Vertex v) : SV_Position
{
    return float4(lit_from(place + size * turned(v.position)), 1);
}

Pixel main_vs(Vertex v)
{
    Pixel o;
    o.world = place + size * turned(v.position);
    o.position = project(o.world);
    o.normal = turned(v.normal);
    o.texcoord = v.texcoord;
    return o;
}

Texture2D<float3> skin : register(t0);
Texture2D<float> shadow_map : register(t1);
SamplerState around : register(s0);
SamplerComparisonState nearer : register(s1);

// The share of light that reaches a position: the mean of 16 comparisons on a spiral.
float unshadowed(float3 world, float3 normal, float2 pixel)
{
    float3 seen = lit_from(world + 0.02 * normal);
    float2 middle = seen.xy * float2(0.5, -0.5) + 0.5;
    float width, height, sum = 0;
    shadow_map.GetDimensions(width, height);
    // Another turn for each pixel makes steps to grain.
    float turn = 6.2832 * frac(52.9829189 * frac(dot(pixel, float2(0.06711056, 0.00583715))));
    for (uint n = 0; n < 16; n++)
    {
        float2 way;
        sincos(turn + 2.4 * n, way.y, way.x);
        float2 at = middle + way * sqrt((n + 0.5) / 16) * softness / float2(width, height);
        sum += shadow_map.SampleCmpLevelZero(nearer, at, seen.z - 0.002);
    }
    return sum / 16;
}

// The surroundings: a warm window low on the left, a cool room, a dark table.
float3 room(float3 direction)
{
    float3 light = lerp(float3(0.10, 0.11, 0.14), float3(0.42, 0.47, 0.55), saturate(0.5 + 0.5 * direction.y));
    light = lerp(light, float3(0.16, 0.09, 0.05), saturate(-1.5 * direction.y));
    float2 window = abs(float2(dot(direction, normalize(float3(0.4, 0, 0.9))), direction.y - 0.45));
    float panes = smoothstep(0.36, 0.30, window.x) * smoothstep(0.34, 0.28, window.y) * step(0, -direction.x);
    return light + panes * float3(2.4, 2.0, 1.5);
}

float4 main_ps(Pixel i) : SV_Target
{
    float3 color = skin.Sample(around, i.texcoord);
    float3 normal = normalize(i.normal), to_eye = normalize(eye - i.world);
    float3 halfway = normalize(to_light + to_eye), back = reflect(-to_eye, normal);
    float toward = saturate(dot(normal, to_light)), facing = saturate(dot(normal, to_eye));
    float lit = toward * unshadowed(i.world, normal, i.position.xy);

    float3 mirror = lerp(0.04, color, metal);
    float3 fresnel = mirror + (max(1 - roughness, mirror) - mirror) * pow(1 - facing, 5);
    float a = roughness * roughness, spread = dot(normal, halfway) * dot(normal, halfway) * (a * a - 1) + 1;
    float3 gloss = fresnel * a * a / (4 * spread * spread * max(toward + facing, 0.2));

    // Things on the table keep some light from it, and from their surroundings.
    float open = 0.55 + 0.45 * saturate(2 * i.world.y + saturate(length(i.world.xz - float2(0, -0.3)) - 2.2));
    float3 matte = color * (1 - metal) * (lit * light_color + open * room(normal) * 0.55);
    float3 shiny = gloss * lit * light_color + open * fresnel * room(back) * (1 - 0.8 * roughness);
    float far = smoothstep(7, 15, length(i.world - float3(0, 0, 3)));
    return float4(lerp(matte + shiny, float3(0.035, 0.032, 0.04), far), 1);
}

float4 cover_vs(uint vertex : SV_VertexID) : SV_Position
{
    return cover(vertex);
}

Texture2D<float3> picture : register(t0);

// Four pixels become one, for smooth edges; light is clamped to the range of a screen before, also for highlights.
float4 halve_ps(float4 position : SV_Position) : SV_Target
{
    int2 corner = 2 * int2(position.xy);
    float3 sum = 0;
    [unroll] for (int n = 0; n < 4; n++)
        sum += film(picture[corner + int2(n & 1, n >> 1)]);
    float2 extents;
    picture.GetDimensions(extents.x, extents.y);
    float2 side = 2 * position.xy / extents - 0.5;
    return float4(sum / 4 * (1 - 0.5 * dot(side, side)), 1);
}
