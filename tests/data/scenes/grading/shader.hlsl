Texture2D photograph : register(t0);
Texture3D warm : register(t1);
Texture3D cold : register(t2);
Texture2D<float> grain : register(t3);
Texture2D<float> dust : register(t4);
Texture1D<float4> curve : register(t5);
SamplerState smooth : register(s0);
SamplerState repeated : register(s1);

struct Covered
{
    float4 position : SV_Position;
    float2 at : AT;
};

float4 ps(Covered pixel) : SV_Target
{
    float3 colour = photograph.Sample(smooth, pixel.at).rgb;
    float3 place = sqrt(saturate(colour)) * (15.0 / 16) + 0.5 / 16;
    float3 graded = lerp(warm.Sample(smooth, place).rgb, cold.Sample(smooth, place).rgb, smoothstep(0.3, 0.7, pixel.at.x));
    graded += grain.Sample(repeated, pixel.at * 5) * 0.06;
    graded *= 1 - 0.4 * dust.Sample(repeated, pixel.at * 2);
    graded.r = curve.Sample(smooth, graded.r).r;
    graded.g = curve.Sample(smooth, graded.g).g;
    return float4(graded, 1);
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
