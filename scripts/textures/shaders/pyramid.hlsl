// A level of a pyramid: least and greatest depth, and the mean of a mask, of 2 x 2 texels that are gathered at once.
Texture2D<float> depth : register(t0);
Texture2D<float4> mask : register(t1);
SamplerState near : register(s0);
RWStructuredBuffer<float4> level : register(u0);

cbuffer Constants : register(b0)
{
    uint width;
};

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (id.xy + 0.5) / width;
    float4 depths = depth.Gather(near, at), reds = mask.GatherRed(near, at), greens = mask.GatherGreen(near, at);
    float least = min(min(depths.x, depths.y), min(depths.z, depths.w)), most = max(max(depths.x, depths.y), max(depths.z, depths.w));
    level[id.y * width + id.x] = float4(least, most, dot(reds, 0.25), dot(greens, 0.25));
}
