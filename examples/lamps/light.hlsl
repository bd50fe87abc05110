// Lights what things.hlsl drew, each pixel once, and makes a picture of it.

#include "../camera.hlsli"

struct Lamp
{
    float3 place;
    float reach;        // beyond it there is no light
    float3 color;
    float size;         // of the ball that shows it
};

#define SIDE 16
#define MOST_LAMPS 256

Texture2D<float4> colors : register(t0);
Texture2D<float3> normals : register(t1);
Texture2D<float3> glows : register(t2);
Texture2D<float> depths : register(t3);
StructuredBuffer<Lamp> lamps : register(t4);
RWTexture2D<float4> light : register(u0);

groupshared uint nearest, farthest;
groupshared uint near_lamps[MOST_LAMPS / 32];    // a bit for each

// The distance along the view of a depth.
float distance_of(float depth)
{
    return NEAR * FAR / (FAR - depth * (FAR - NEAR));
}

// A group is a square of the screen: it finds the lamps that reach it, then each thread lights its own pixel.
[numthreads(SIDE, SIDE, 1)]
void light_cs(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint own : SV_GroupIndex)
{
    float2 extents;
    colors.GetDimensions(extents.x, extents.y);
    if (own == 0)
    {
        nearest = asuint(FAR);
        farthest = 0;
    }
    if (own < MOST_LAMPS / 32)
        near_lamps[own] = 0;
    GroupMemoryBarrierWithGroupSync();

    float depth = depths[id.xy], seen = distance_of(depth);
    if (depth < 1)
    {
        InterlockedMin(nearest, asuint(seen));
        InterlockedMax(farthest, asuint(seen));
    }
    GroupMemoryBarrierWithGroupSync();

    // The bounding sphere of the square's surfaces.
    float3x3 axes = camera_axes();
    float2 slope = float2(aspect, 1) / zoom, middle = (2 * (group.xy + 0.5) * SIDE / extents - 1) * float2(1, -1) * slope;
    float2 half_side = SIDE / extents * slope;
    float front = asfloat(nearest), back = max(asfloat(farthest), front), between = 0.5 * (front + back);
    float3 center = eye + mul(float3(middle * between, -between), axes);
    float around = length(float3((abs(middle) + half_side) * back - abs(middle) * between, back - between));
    uint count, stride;
    lamps.GetDimensions(count, stride);
    for (uint n = own; n < min(count, MOST_LAMPS); n += SIDE * SIDE)
        if (distance(lamps[n].place, center) < lamps[n].reach + around)
            InterlockedOr(near_lamps[n / 32], 1u << n % 32);
    GroupMemoryBarrierWithGroupSync();

    float2 screen = (2 * (id.xy + 0.5) / extents - 1) * float2(1, -1);
    float3 world = eye + mul(float3(screen * slope * seen, -seen), axes);
    float4 color = colors[id.xy];
    float3 normal = normalize(normals[id.xy] * 2 - 1), to_eye = normalize(eye - world);
    float a = color.w * color.w, facing = saturate(dot(normal, to_eye));
    float3 sum = color.rgb * lerp(float3(0.012, 0.012, 0.02), float3(0.02, 0.025, 0.05), normal.y * 0.5 + 0.5);
    // In the order of the lamps, whatever the order in which threads found them: sums of floats depend on it.
    for (uint word = 0; word < MOST_LAMPS / 32; word++)
    for (uint bits = near_lamps[word]; bits != 0; bits &= bits - 1)
    {
        Lamp from = lamps[32 * word + firstbitlow(bits)];
        float3 way = from.place - world;
        float far = length(way), share = saturate(1 - pow(far / from.reach, 4));
        float3 to_lamp = way / far, halfway = normalize(to_lamp + to_eye);
        float toward = saturate(dot(normal, to_lamp)), spread = pow(dot(normal, halfway), 2) * (a * a - 1) + 1;
        float fresnel = 0.04 + 0.96 * pow(1 - saturate(dot(halfway, to_eye)), 5);
        float gloss = fresnel * a * a / (4 * spread * spread * max(toward + facing, 0.1));
        sum += (color.rgb + gloss) * toward * from.color * share * share / (far * far + 0.05);
    }
    float haze = depth < 1 ? exp(-0.035 * seen) : 0;
    light[id.xy] = float4(lerp(float3(0.004, 0.005, 0.010), sum, haze) + glows[id.xy], 1);
}

// The picture -----------------------------------------------------------------------------------------------------------

Texture2D<float3> lit : register(t0);
RWTexture2D<unorm float4> picture : register(u0);

// Four pixels become one, each as a screen shows it: bright ones shine a little over those around.
[numthreads(8, 8, 1)]
void finish_cs(uint3 id : SV_DispatchThreadID)
{
    int2 extents;
    lit.GetDimensions(extents.x, extents.y);
    float3 shine = 0;
    for (int ring = 1; ring <= 4; ring++)
    {
        for (int n = 0; n < 8; n++)
        {
            float2 way;
            sincos(0.7854 * n + 0.4 * ring, way.y, way.x);
            int2 at = clamp(int2(2 * id.xy + ring * ring * 1.6 * way), 0, extents - 1);
            shine += max(lit[at] - 0.8, 0) / (ring * ring);
        }
    }
    float3 sum = 0;
    [unroll] for (int corner = 0; corner < 4; corner++)
        sum += film(lit[2 * id.xy + int2(corner & 1, corner >> 1)] + 0.035 * shine);
    sum /= 4;
    // The curve of sRGB.
    picture[id.xy] = float4(sum <= 0.0031308 ? 12.92 * sum : 1.055 * pow(sum, 1 / 2.4) - 0.055, 1);
}
