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

float4 ps(Point pixel) : SV_Target
{
    float3 normal = normalize(pixel.normal), away = normalize(eye.xyz - pixel.world), light = normalize(float3(1, 2, -3) - pixel.world);
    float shine = pow(saturate(dot(normal, normalize(light + away))), 24);
    return float4(tint.rgb * (0.1 + 0.9 * saturate(dot(normal, light))) + shine * 0.4, 1);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
