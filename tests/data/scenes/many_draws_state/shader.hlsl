cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

cbuffer Thing : register(b1)
{
    row_major float4x4 place;
    float4 tint;
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 at : TEXCOORD;
};

struct Point
{
    float4 position : SV_Position;
    float3 normal : NORMAL;
    float2 at : AT;
    float3 world : WORLD;
};

Point vs(Vertex vertex)
{
    Point found;
    float4 world = mul(float4(vertex.position, 1), place);
    found.position = mul(world, view);
    found.normal = mul(vertex.normal, (float3x3)place);
    found.at = vertex.at;
    found.world = world.xyz;
    return found;
}

Texture2D skin : register(t0);
SamplerState chosen : register(s0);

float4 ps(Point pixel) : SV_Target
{
    return skin.Sample(chosen, pixel.at) * tint;
}

float4 ps_lit(Point pixel) : SV_Target
{
    float light = 0.4 + 0.6 * saturate(dot(normalize(pixel.normal), float3(0.36, 0.48, -0.8)));
    return float4(skin.Sample(chosen, pixel.at).rgb * light * tint.rgb, tint.a);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
