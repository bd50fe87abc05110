// How often each brightness occurs in two pictures of packed texels; four texels of each for every thread.
Texture2D<float4> wide : register(t0);
Texture2D<float4> narrow : register(t1);
RWStructuredBuffer<uint> counts : register(u0);

cbuffer Constants : register(b0)
{
    uint groups;        // along x
};

groupshared uint bins[64];

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    bins[index] = 0;
    GroupMemoryBarrierWithGroupSync();
    for (uint n = 0; n < 4; n++)
    {
        int3 at = int3(id.x * 2 + (n & 1), id.y * 2 + (n >> 1), 0);
        float4 a = wide.Load(at), b = narrow.Load(at);
        InterlockedAdd(bins[uint(dot(a.rgb, float3(0.25, 0.5, 0.25)) * 30.99 + 0.005)], 1);
        InterlockedAdd(bins[32 + uint(dot(b.rgb, float3(0.25, 0.5, 0.25)) * 30.99 + 0.005)], 1);
    }
    GroupMemoryBarrierWithGroupSync();
    counts[(group.y * groups + group.x) * 64 + index] = bins[index];
}
