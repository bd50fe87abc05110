// Rays through a volume: density in R8, light that reaches it in halves.
Texture3D<float> density : register(t0);
Texture3D<float> glow : register(t1);
SamplerState smooth : register(s0);
RWStructuredBuffer<float2> seen : register(u0);

cbuffer Constants : register(b0)
{
    uint width;
    uint steps;
};

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float3 at = float3((id.xy + 0.5) / width, 0);
    float3 stride = float3((at.xy - 0.5) * 0.3, 1) / steps;
    float through = 1, light = 0;
    for (uint n = 0; n < steps && through > 0.02; n++)
    {
        at += stride;
        float taken = saturate(density.SampleLevel(smooth, at, 0) - 0.35) * 12 / steps;
        light += through * taken * glow.SampleLevel(smooth, at, 0);
        through *= 1 - taken;
    }
    seen[id.y * width + id.x] = float2(light, through);
}
