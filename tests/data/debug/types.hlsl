struct Item
{
    float3x2 tall;
    row_major float2x3 wide;
    bool flag;
    min16float small;
    double precise;
    int2 pairs[3];
};

cbuffer Constants : register(b2)
{
    float3x2 unused;
    row_major float2x3 offset;
    int chosen;
};

StructuredBuffer<Item> items;
AppendStructuredBuffer<float> sums;
SamplerState linear_sampler;
TextureCubeArray<float4> cubes : register(t3);
RWTexture3D<float2> volume;

float2x2 product(float3x2 a, row_major float2x3 b)
{
    float3x2 twice = a * 2;
    row_major float2x3 moved = b + offset;
    return mul(moved, twice);
}

[numthreads(4, 1, 1)]
void main(uint thread : SV_GroupIndex, uint3 group : SV_GroupID)
{
    Item item = items[thread];
    float2x2 whole = product(item.tall, item.wide);
    whole += whole[0][1];
    bool is_small = item.flag && thread > 2;
    if (is_small)
        whole *= item.small * 3;
    double exact = item.precise * 2;
    float sample = cubes.SampleLevel(linear_sampler, float4(1, 2, 3, 4), whole[0][0]).x;
    volume[uint3(group.xy, thread)] = sample;
    sums.Append(whole[0][1] * whole[1][0] + whole[1][1] + (float)exact + item.pairs[chosen & 1].y);
}
