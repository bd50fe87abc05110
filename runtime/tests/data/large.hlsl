// Writes elements around `first` of a buffer that may be larger than 4 GiB.

cbuffer Place : register(b0)
{
    uint first;
    uint stride;
};

StructuredBuffer<uint4> source : register(t0);
RWStructuredBuffer<uint4> target : register(u0);
RWBuffer<uint2> texels : register(u1);

[numthreads(32, 1, 1)]
void write(uint3 id : SV_DispatchThreadID)
{
    uint at = first + id.x * stride;
    target[at] = uint4(id.x, at, 7, source[id.x].w);
    texels[at] = uint2(at, id.x);
}
