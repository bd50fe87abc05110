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

Texture2D colours : register(t0);
Texture2D<float2> normals : register(t1);
Texture2D<float> gloss : register(t2);
SamplerState smooth : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float3 along = ddx(pixel.world), across = ddy(pixel.world);
    float2 du = ddx(pixel.at), dv = ddy(pixel.at);
    float3 normal = normalize(pixel.normal);
    float3 tangent = normalize(along * dv.y - across * du.y + 1e-6);
    tangent = normalize(tangent - normal * dot(normal, tangent));
    float2 slope = normals.Sample(smooth, pixel.at);
    slope = is_grey == 0 ? slope * 2 - 1 : slope;
    float3 bumped = tangent * slope.x + cross(normal, tangent) * slope.y + normal * sqrt(saturate(1 - dot(slope, slope)));
    float3 toward = normalize(eye.xyz - pixel.world), light = normalize(float3(0.5, 0.8, -0.6));
    float shine = pow(saturate(dot(normalize(bumped), normalize(toward + light))), 24) * gloss.Sample(smooth, pixel.at);
    return float4(sqrt(saturate(colours.Sample(smooth, pixel.at).rgb * lit(bumped) + shine * 0.5)), 1);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
