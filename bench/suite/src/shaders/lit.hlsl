// Lit and textured: what the benches of the rasterizer draw with.

cbuffer Constants : register(b0) { float4x4 transform; };
Texture2D<float4> color : register(t0);
SamplerState bilinear : register(s0);

struct Vertex
{
    float4 position : SV_Position;
    float2 uv : TEXCOORD;
    float3 normal : NORMAL;
};

Vertex vs(float3 position : POSITION, float2 uv : TEXCOORD, float3 normal : NORMAL)
{
    Vertex vertex;
    vertex.position = mul(transform, float4(position, 1));
    vertex.uv = uv;
    vertex.normal = normal;
    return vertex;
}

float4 shade(float4 texel, float3 normal)
{
    float3 n = normal * rsqrt(dot(normal, normal));
    float light = 0.2 + 0.7 * max(dot(n, float3(0.36, 0.48, 0.8)), 0);
    float gloss = max(dot(n, float3(0.19, 0.25, 0.95)), 0);
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    return float4(texel.rgb * light + 0.3 * gloss, texel.a * 0.5);
}

float4 textured(Vertex vertex) : SV_Target { return shade(color.Sample(bilinear, vertex.uv), vertex.normal); }

float4 three(Vertex vertex) : SV_Target
{
    float4 texel = 0.5 * color.Sample(bilinear, vertex.uv);
    texel += 0.25 * color.Sample(bilinear, vertex.uv.yx);
    texel += 0.25 * color.Sample(bilinear, vertex.uv + 0.25);
    return shade(texel, vertex.normal);
}

float4 plain(Vertex vertex) : SV_Target { return shade(float4(vertex.uv, 0.5, 1), vertex.normal); }
