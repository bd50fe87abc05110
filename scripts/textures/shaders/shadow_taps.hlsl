// Sixteen comparisons around each place in three shadow maps, which have depths of 16, 24 and 32 bits.
Texture2D<float> near_map : register(t0);
Texture2D<float> middle_map : register(t1);
Texture2D<float> far_map : register(t2);
SamplerComparisonState closer : register(s0);
RWStructuredBuffer<float> lit : register(u0);

cbuffer Constants : register(b0)
{
    uint width;
    float radius;       // in texture coordinates
};

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (id.xy + 0.5) / width;
    float depth = 0.35 + 0.3 * at.x, turn = frac(52.9829189 * frac(dot(float2(id.xy), float2(0.06711056, 0.00583715)))) * 6.2831853;
    float sum = 0;
    for (int n = 0; n < 16; n++)
    {
        float2 place = at + radius * sqrt((n + 0.5) / 16) * float2(cos(turn + n * 2.3999632), sin(turn + n * 2.3999632));
        sum += near_map.SampleCmpLevelZero(closer, place, depth) + middle_map.SampleCmpLevelZero(closer, place, depth) + far_map.SampleCmpLevelZero(closer, place, depth);
    }
    lit[id.y * width + id.x] = sum / 48;
}
