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

cbuffer Light : register(b2)
{
    row_major float4x4 from_light;
};

Texture2D<float> near_map : register(t0);
Texture2D<float> far_map : register(t1);
Texture2D<float2> moments : register(t2);
Texture2D skin : register(t3);
Texture2D<float> bounced : register(t4);
Texture2D<float> crevices : register(t5);
SamplerState smooth : register(s0);
SamplerComparisonState closer : register(s1);

float4 ps_moments(Point pixel) : SV_Target
{
    return float4(pixel.position.z, pixel.position.z * pixel.position.z, 0, 0);
}

float4 ps(Point pixel) : SV_Target
{
    float4 seen = mul(float4(pixel.world, 1), from_light);
    float2 at = seen.xy * float2(0.5, -0.5) + 0.5;
    float depth = seen.z - 0.006, shadow = 0;
    [unroll] for (int y = -1; y <= 1; y++)
        [unroll] for (int x = -1; x <= 1; x++)
            shadow += near_map.SampleCmpLevelZero(closer, at, depth, int2(x, y)) + far_map.SampleCmpLevelZero(closer, at + float2(x, y) / 300, depth);
    float2 moment = moments.SampleLevel(smooth, at, 0);
    float spread = max(moment.y - moment.x * moment.x, 0.00002), gap = depth - moment.x;
    shadow = shadow / 27 + (gap <= 0 ? 1 : spread / (spread + gap * gap)) / 3;
    float light = bounced.Sample(smooth, pixel.at * 0.5) * 0.5 + shadow * lit(pixel.normal);
    return float4(skin.Sample(smooth, pixel.at).rgb * light * (0.5 + 0.5 * crevices.Sample(smooth, pixel.at)), 1);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
