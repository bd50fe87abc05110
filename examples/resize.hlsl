// Resizes a picture with Catmull-Rom splines: each texel of the result is made of four by four of the source.
//
//     fxc -T cs_5_0 -E main resize.hlsl -Fo resize.cso
//
// The source is bound as _SRGB, so that what is loaded is light; the result is encoded here, since no UAV is _SRGB.

Texture2D<float4> source : register(t0);
RWTexture2D<unorm float4> resized : register(u0);

float3 srgb(float3 x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(abs(x), 1 / 2.4) - 0.055;
}

// The weights of the four texels around a position at this distance behind the second one.
float4 spline(float t) {
    return float4(
        ((2 - t) * t - 1) * t,
        (3 * t - 5) * t * t + 2,
        ((4 - 3 * t) * t + 1) * t,
        (t - 1) * t * t) / 2;
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    int2 from, to;
    source.GetDimensions(from.x, from.y);
    resized.GetDimensions(to.x, to.y);
    float2 place = (id.xy + 0.5) * from / to - 0.5;
    int2 corner = (int2)floor(place) - 1;
    float4 across = spline(frac(place.x));
    float4 down = spline(frac(place.y));
    float3 sum = 0;
    [unroll] for (int y = 0; y < 4; y++) {
        [unroll] for (int x = 0; x < 4; x++) {
            int2 at = clamp(corner + int2(x, y), 0, from - 1);
            sum += down[y] * across[x] * source.Load(int3(at, 0)).rgb;
        }
    }
    // Splines overshoot.
    resized[id.xy] = float4(srgb(saturate(sum)), 1);
}
