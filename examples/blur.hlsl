// Gaussian blur: first along rows, into shared memory, then along columns. A group makes 16 x 16 texels, and blurs the rows
// above and below that its columns reach.
//
//     fxc -T cs_5_0 -E main blur.hlsl -Fo blur.cso
//
// The picture is bound as _SRGB, so that what is loaded is light; the result is encoded here, since no UAV is _SRGB.

#define SIDE 16
#define RADIUS 8
#define ROWS (SIDE + 2 * RADIUS)

Texture2D<float4> picture : register(t0);
RWTexture2D<unorm float4> blurred : register(u0);

cbuffer Settings : register(b0) {
    float sigma;
};

groupshared float3 rows[ROWS * SIDE];
groupshared float weights[2 * RADIUS + 1];

float3 srgb(float3 x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(abs(x), 1 / 2.4) - 0.055;
}

[numthreads(SIDE, SIDE, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint index : SV_GroupIndex) {
    int2 size;
    picture.GetDimensions(size.x, size.y);
    if (index <= 2 * RADIUS) {
        float way = (float)index - RADIUS;
        weights[index] = exp(-way * way / (2 * sigma * sigma));
    }
    GroupMemoryBarrierWithGroupSync();

    float whole = 0;
    [unroll] for (uint n = 0; n <= 2 * RADIUS; n++) {
        whole += weights[n];
    }
    [unroll] for (uint part = 0; part < ROWS; part += SIDE) {
        int y = clamp((int)(id.y + part) - RADIUS, 0, size.y - 1);
        float3 sum = 0;
        [unroll] for (int n = 0; n <= 2 * RADIUS; n++) {
            int x = clamp((int)id.x + n - RADIUS, 0, size.x - 1);
            sum += weights[n] * picture.Load(int3(x, y, 0)).rgb;
        }
        rows[(local.y + part) * SIDE + local.x] = sum / whole;
    }
    GroupMemoryBarrierWithGroupSync();

    float3 sum = 0;
    [unroll] for (uint m = 0; m <= 2 * RADIUS; m++) {
        sum += weights[m] * rows[(local.y + m) * SIDE + local.x];
    }
    blurred[id.xy] = float4(srgb(sum / whole), 1);
}
