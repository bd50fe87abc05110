// B-splines from four bilinear samples, of three textures of one, two and four channels.
Texture2D<float> one : register(t0);
Texture2D<float2> two : register(t1);
Texture2D<float4> four : register(t2);
SamplerState smooth : register(s0);
RWStructuredBuffer<float4> enlarged : register(u0);

cbuffer Constants : register(b0)
{
    uint width;         // of what is made
    float size;         // of the textures
};

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 at = (id.xy + 0.5) * size / width - 0.5;
    float2 f = frac(at), whole = at - f;
    float2 w0 = (1 - f) * (1 - f) * (1 - f) / 6, w3 = f * f * f / 6;
    float2 w1 = 2.0 / 3 - f * f * (1 - f / 2), w2 = 1 - w0 - w1 - w3;
    float2 left = w0 + w1, right = w2 + w3;
    float2 first = (whole - 0.5 + w1 / left) / size, second = (whole + 1.5 + w3 / right) / size;
    float4 sum = 0;
    [unroll] for (int n = 0; n < 4; n++)
    {
        float2 place = float2(n & 1 ? second.x : first.x, n & 2 ? second.y : first.y);
        float share = (n & 1 ? right.x : left.x) * (n & 2 ? right.y : left.y);
        sum += share * (four.SampleLevel(smooth, place, 0) + float4(one.SampleLevel(smooth, place, 0), two.SampleLevel(smooth, place, 0), 0));
    }
    enlarged[id.y * width + id.x] = sum;
}
