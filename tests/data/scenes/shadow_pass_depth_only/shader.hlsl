cbuffer Light : register(b0)
{
    row_major float4x4 from_light;
};

Texture2D<float> holes : register(t0);
SamplerState smooth : register(s0);

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
};

Point vs_cut(float3 position : POSITION, float2 at : TEXCOORD)
{
    Point found;
    found.position = mul(float4(position, 1), from_light);
    found.at = at * 12;
    return found;
}

float4 vs(float3 position : POSITION) : SV_Position
{
    return mul(float4(position, 1), from_light);
}

void ps(Point pixel)
{
    clip(holes.Sample(smooth, pixel.at) - 0.4);
}

Texture2D<float> drawn : register(t0);
RWTexture2D<float> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
