Texture2D source : register(t0);
Texture2D second : register(t1);
SamplerState smooth : register(s0);

cbuffer Parameters : register(b0)
{
    float2 step;        // of texture coordinates
    float scale, least;
};

struct Covered
{
    float4 position : SV_Position;
    float2 at : AT;
};

float4 ps_light(Covered pixel) : SV_Target
{
    return source.Sample(smooth, pixel.at * float2(1.3, 1) + 0.1) * scale;
}

float4 ps_bright(Covered pixel) : SV_Target
{
    float4 sum = 0;
    [unroll] for (int n = 0; n < 4; n++)
        sum += max(source.Sample(smooth, pixel.at + (float2(n & 1, n >> 1) - 0.5) * step * 2) - least, 0);
    return sum / 4;
}

float4 ps_blur(Covered pixel) : SV_Target
{
    float4 sum = source.Sample(smooth, pixel.at) * 0.204164;
    sum += (source.Sample(smooth, pixel.at + step * 1.407333) + source.Sample(smooth, pixel.at - step * 1.407333)) * 0.304005;
    sum += (source.Sample(smooth, pixel.at + step * 3.294215) + source.Sample(smooth, pixel.at - step * 3.294215)) * 0.093913;
    return sum;
}

float4 ps_finish(Covered pixel) : SV_Target
{
    float3 light = source.Sample(smooth, pixel.at).rgb + second.Sample(smooth, pixel.at).rgb * scale;
    light = light * (light * 2.51 + 0.03) / (light * (light * 2.43 + 0.59) + 0.14);
    return float4(sqrt(saturate(light)), 1);
}

Covered cover(uint id : SV_VertexID)
{
    float2 at = float2(id << 1 & 2, id & 2);
    Covered found;
    found.position = float4(at.x * 2 - 1, 1 - at.y * 2, 0, 1);
    found.at = at;
    return found;
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
