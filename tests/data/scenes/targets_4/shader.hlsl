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

struct Colors
{
    float4 color0 : SV_Target0;
    float4 color1 : SV_Target1;
    float4 color2 : SV_Target2;
    float4 color3 : SV_Target3;
};

Colors ps(Point pixel)
{
    Colors found;
    found.color0 = float4(tint.rgb * (0.5 + 0.5 * frac(pixel.at.x * 8)), 1);
    found.color1 = float4(normalize(pixel.normal) * 0.5 + 0.5, pixel.at.x);
    found.color2 = float4(saturate(pixel.world * 0.25 + 0.5), 1);
    found.color3 = float4(tint.rgb * saturate(pixel.normal.y), 0);
    return found;
}

Texture2D<float4> drawn0 : register(t0);
Texture2D<float4> drawn1 : register(t1);
Texture2D<float4> drawn2 : register(t2);
Texture2D<float4> drawn3 : register(t3);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    uint2 at = id.xy * 4 + uint2(id.y & 3, id.x & 3);
    picked[id.xy + uint2(0, 0)] = drawn0[at];
    picked[id.xy + uint2(0, 120)] = drawn1[at];
    picked[id.xy + uint2(0, 240)] = drawn2[at];
    picked[id.xy + uint2(0, 360)] = drawn3[at];
}
