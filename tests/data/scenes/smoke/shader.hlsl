struct Sprite
{
    float4 place;       // w: the size
    float4 tint;        // w: the cosine of the angle
};

StructuredBuffer<Sprite> sprites : register(t1);
Texture2D picture : register(t0);
SamplerState smooth : register(s0);

cbuffer Kind : register(b0)
{
    float4 channels;    // x: alpha is in green, colour in red; y: alpha is all there is
};

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
    float3 tint : TINT;
};

Point vs(uint corner : SV_VertexID, uint number : SV_InstanceID)
{
    Sprite sprite = sprites[number];
    float2 at = float2(corner & 1, corner >> 1);
    float2 side = float2(sprite.tint.w, sqrt(saturate(1 - sprite.tint.w * sprite.tint.w)));
    float2 away = (at.x * 2 - 1) * side + (1 - at.y * 2) * float2(-side.y, side.x);
    Point found;
    found.position = float4(sprite.place.xy + away * sprite.place.w * float2(0.75, 1), sprite.place.z, 1);
    found.at = at;
    found.tint = sprite.tint.rgb;
    return found;
}

float4 texel_of(Point pixel)
{
    float4 texel = picture.Sample(smooth, pixel.at);
    texel = channels.x > 0 ? texel.rrrg : texel;
#ifdef VK
    texel.a = channels.y > 0 ? texel.r : texel.a;   // Vulkan has R8 in place of A8
#endif
    return channels.y > 0 ? float4(1, 1, 1, texel.a) : texel;
}

float4 ps(Point pixel) : SV_Target
{
    float4 texel = texel_of(pixel);
    return float4(texel.rgb * pixel.tint, texel.a);
}

Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
