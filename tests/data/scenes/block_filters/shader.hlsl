cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

cbuffer Thing : register(b1)
{
    row_major float4x4 place;
    float2 repeats;     // of the texture
    float is_grey;      // what the texture has: 0 colours, 1 one channel, 2 two
    float level;        // of detail, where the shader says one
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
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 at : AT;
};

Point vs(Vertex vertex)
{
    Point found;
    float4 world = mul(float4(vertex.position, 1), place);
    found.position = mul(world, view);
    found.world = world.xyz;
    found.normal = mul(vertex.normal, (float3x3)place);
    found.at = vertex.at * repeats;
    return found;
}

float lit(float3 normal)
{
    return 0.35 + 0.65 * saturate(dot(normalize(normal), normalize(float3(0.5, 0.8, -0.6))));
}

Texture2D skin : register(t0);
SamplerState chosen : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float4 texel = skin.Sample(chosen, pixel.at);
    return float4(lerp(float3(0.5, 0.6, 0.7), texel.rgb, saturate(1.6 - pixel.position.w * 0.12)), 1);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
