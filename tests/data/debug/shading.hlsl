#include "inc/noise.hlsli"

cbuffer View : register(b0)
{
    float4x4 world;
    float2 scale;
    uint steps;
};

struct Lamp
{
    float3 colour;
    float power;
};

static const float weights[4] = { 0.1, 0.2, 0.3, 0.4 };
StructuredBuffer<Lamp> lamps : register(t0);
Texture2D<float4> picture : register(t1);
RWStructuredBuffer<float4> result : register(u0);
groupshared float4 tile[8][8];

float3 shade(Lamp lamp, float3 normal)
{
    float3 lit = lamp.colour * lamp.power;
    return lit * saturate(dot(normal, float3(0, 0, 1)));
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint flat : SV_GroupIndex)
{
    float table[4];
    [unroll] for (uint n = 0; n < 4; n++)
        table[n] = weights[n] * id.x;
    float4 moved = mul(world, float4(id, 1));
    tile[local.y][local.x] = moved;
    GroupMemoryBarrierWithGroupSync();
    Lamp lamp = lamps[id.x];
    lamp.power *= noise(moved.xy * scale);
    float3 sum = 0;
    for (uint k = 0; k < steps; k++)
        sum += shade(lamp, moved.xyz * table[(k + id.y) % 4]);
#line 100 "generated.hlsl"
    float4 other = tile[7 - local.y][local.x];
    result[flat] = float4(sum, other.w) + picture[id.xy];
}
