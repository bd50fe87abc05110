cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

Texture2D<float> heights : register(t0);
Texture2D grass : register(t1);
Texture2D rock : register(t2);
Texture2D sand : register(t3);
Texture2D<float2> shares : register(t4);
Texture2D<float2> slopes : register(t5);
SamplerState smooth : register(s0);
SamplerState oblique : register(s1);

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
};

Point vs(float2 at : PLACE)
{
    Point found;
    float height = heights.SampleLevel(smooth, at, 0);
    found.position = mul(float4(at.x * 8 - 4, height * 1.5, at.y * 8 - 4, 1), view);
    found.at = at;
    return found;
}

float4 ps(Point pixel) : SV_Target
{
    float2 share = shares.Sample(smooth, pixel.at);
    float3 colour = lerp(sand.Sample(oblique, pixel.at * 6).rgb, grass.Sample(oblique, pixel.at * 8).rgb, share.x);
    colour = lerp(colour, rock.Sample(oblique, pixel.at * 5).rgb, share.y);
    float2 slope = slopes.Sample(oblique, pixel.at * 2) * 2 - 1;
    float light = saturate(dot(float3(slope, sqrt(saturate(1 - dot(slope, slope)))), normalize(float3(0.5, 0.3, 0.8))));
    return float4(colour * (0.3 + 0.8 * light), 1);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
