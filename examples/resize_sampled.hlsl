// Resizes a picture as resize.hlsl does, with nine samples instead of sixteen loads: between the two middle texels of a
// spline, both of which have a weight, a bilinear sample at the right position gives their sum.
//
//     fxc -T cs_5_0 -E main resize_sampled.hlsl -Fo resize_sampled.cso

Texture2D<float4> source : register(t0);
SamplerState bilinear : register(s0);
RWTexture2D<unorm float4> resized : register(u0);

cbuffer Settings : register(b0) {
    uint2 extents;  // of the result
};

float3 srgb(float3 x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(abs(x), 1 / 2.4) - 0.055;
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float2 from;
    source.GetDimensions(from.x, from.y);
    float2 place = (id.xy + 0.5) * from / extents - 0.5;
    float2 second = floor(place);
    float2 t = place - second;

    float2 first_weight = ((2 - t) * t - 1) * t / 2;
    float2 third_weight = ((4 - 3 * t) * t + 1) * t / 2;
    float2 last_weight = (t - 1) * t * t / 2;
    float2 middle_weight = 1 - first_weight - last_weight;

    float2 places[3] = { second - 1, second + third_weight / middle_weight, second + 2 };
    float2 weights[3] = { first_weight, middle_weight, last_weight };
    float3 sum = 0;
    [unroll] for (int y = 0; y < 3; y++) {
        [unroll] for (int x = 0; x < 3; x++) {
            float2 at = (float2(places[x].x, places[y].y) + 0.5) / from;
            sum += weights[x].x * weights[y].y * source.SampleLevel(bilinear, at, 0).rgb;
        }
    }
    // Splines overshoot.
    resized[id.xy] = float4(srgb(saturate(sum)), 1);
}
