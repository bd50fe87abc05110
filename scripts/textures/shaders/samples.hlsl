// One access of a texture for each thread: what texture_sweep.py measures. A macro chooses the kind of access.
cbuffer Constants : register(b0)
{
    uint width;     // threads along x
    float level;    // of detail
    float step;     // texture coordinates from one thread to the next
    float spread;   // texels that a gradient covers, across its shorter axis
};

#if defined(LOAD_U) || defined(UAV_U) || defined(TYPED_U) || defined(STORE_U)
#define NUMBER uint
#elif defined(LOAD_S) || defined(UAV_S) || defined(TYPED_S) || defined(STORE_S)
#define NUMBER int
#else
#define NUMBER float
#endif
#define TEXEL vector<NUMBER, 4>

SamplerState s0 : register(s0);
SamplerComparisonState s1 : register(s0);

#if defined(SAMPLE_1D) || defined(LOAD_1D)
Texture1D<TEXEL> t0 : register(t0);
#elif defined(SAMPLE_3D) || defined(LOAD_3D)
Texture3D<TEXEL> t0 : register(t0);
#elif defined(SAMPLE_CUBE) || defined(GRAD_CUBE) || defined(GATHER_CUBE) || defined(COMPARE_CUBE)
TextureCube<TEXEL> t0 : register(t0);
#elif defined(SAMPLE_CUBES)
TextureCubeArray<TEXEL> t0 : register(t0);
#elif defined(SAMPLE_ARRAY) || defined(GATHER_ARRAY) || defined(COMPARE_ARRAY) || defined(LOAD_ARRAY)
Texture2DArray<TEXEL> t0 : register(t0);
#elif defined(TYPED_F) || defined(TYPED_U) || defined(TYPED_S)
Buffer<TEXEL> t0 : register(t0);
#else
Texture2D<TEXEL> t0 : register(t0);
#endif

#if defined(STORE_F) || defined(STORE_U) || defined(STORE_S)
RWTexture2D<TEXEL> u0 : register(u0);
#elif defined(UAV_F) || defined(UAV_U) || defined(UAV_S)
RWTexture2D<NUMBER> u1 : register(u1);
RWStructuredBuffer<float> u0 : register(u0);
#else
RWStructuredBuffer<float> u0 : register(u0);
#endif

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    // Turned a little, so that rows of threads do not follow rows of texels.
    float2 at = (float2(id.xy) + 0.5) * step + float2(id.y, -float(id.x)) * step * 0.11;
    float3 place = float3(at, at.x * 0.61 + at.y * 0.33);
    float3 direction = float3(at * 2 - 1, 0.9 - at.x);
    uint layer = (id.x >> 4) + (id.y >> 4) & 3;
    float4 found = 0;
#if defined(SAMPLE_1D)
    found = t0.SampleLevel(s0, at.x, level);
#elif defined(SAMPLE_2D)
    found = t0.SampleLevel(s0, at, level);
#elif defined(SAMPLE_3D)
    found = t0.SampleLevel(s0, place, level);
#elif defined(SAMPLE_CUBE)
    found = t0.SampleLevel(s0, direction, level);
#elif defined(SAMPLE_CUBES)
    found = t0.SampleLevel(s0, float4(direction, layer & 1), level);
#elif defined(SAMPLE_ARRAY)
    found = t0.SampleLevel(s0, float3(at, layer), level);
#elif defined(OFFSET_2D)
    found = t0.SampleLevel(s0, at, level, int2(-3, 5));
#elif defined(GRAD_2D)
    found = t0.SampleGrad(s0, at, float2(spread * 4, spread) / 256, float2(-spread / 4, spread) / 256);
#elif defined(GRAD_CUBE)
    found = t0.SampleGrad(s0, direction, float3(spread * 4, spread, 0) / 128, float3(0, spread, -spread) / 128);
#elif defined(GATHER_2D)
    found = t0.Gather(s0, at);
#elif defined(GATHER_OFFSET)
    found = t0.Gather(s0, at, int2(2, -7));
#elif defined(GATHER_ARRAY)
    found = t0.Gather(s0, float3(at, layer));
#elif defined(GATHER_CUBE)
    found = t0.Gather(s0, direction);
#elif defined(COMPARE_2D)
    found = t0.SampleCmpLevelZero(s1, at, 0.5);
#elif defined(COMPARE_ARRAY)
    found = t0.SampleCmpLevelZero(s1, float3(at, layer), 0.5);
#elif defined(COMPARE_CUBE)
    found = t0.SampleCmpLevelZero(s1, direction, 0.5);
#elif defined(GATHER_COMPARE)
    found = t0.GatherCmp(s1, at, 0.5);
#elif defined(LOAD_1D)
    found = t0.Load(int2(id.x + id.y, 0));
#elif defined(LOAD_3D)
    found = t0.Load(int4(id.x & 31, id.y & 31, layer, 0));
#elif defined(LOAD_ARRAY)
    found = t0.Load(int4(id.xy, layer, 0));
#elif defined(LOAD_F) || defined(LOAD_U) || defined(LOAD_S)
    found = float4(t0.Load(int3(id.x, id.y ^ 1, 0)));
#elif defined(TYPED_F) || defined(TYPED_U) || defined(TYPED_S)
    found = float4(t0.Load(int(id.y * width + (id.x ^ 3))));
#elif defined(UAV_F) || defined(UAV_U) || defined(UAV_S)
    found = float(u1[uint2(id.x, id.y ^ 1)]);
#endif
#if defined(STORE_F)
    u0[id.xy] = float4(at, frac(at * 7));
#elif defined(STORE_U) || defined(STORE_S)
    u0[id.xy] = TEXEL(id.x, id.y, id.x ^ id.y, id.x + width);
#else
    u0[id.y * width + id.x] = found.x + found.y * 2 + found.z * 4 + found.w * 8;
#endif
}
