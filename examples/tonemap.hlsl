// Brings the light of a scene into the range of a screen: Krzysztof Narkowicz's fit of the ACES film curve, then sRGB.
//
//     fxc -T cs_5_0 -E main tonemap.hlsl -Fo tonemap.cso

Texture2D<float4> scene : register(t0);
RWTexture2D<unorm float4> picture : register(u0);

cbuffer Camera : register(b0) {
    float exposure;
};

float3 film(float3 x) {
    return saturate(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14));
}

float3 srgb(float3 x) {
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(abs(x), 1 / 2.4) - 0.055;
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float3 light = scene.Load(int3(id.xy, 0)).rgb;
    picture[id.xy] = float4(srgb(film(exposure * light)), 1);
}
