// ps_5_0: what runs for each sample of a pixel, and what reads the samples of texels.
struct Both { float4 color : SV_Target0; uint number : SV_Target1; };

Both index(float4 p : SV_Position, uint n : SV_SampleIndex)
{
    Both both;
    both.color = n / 3.0;
    both.number = n + 1;
    return both;
}

Texture2DMS<float4, 8> eight : register(t0);
Texture2DMSArray<float4> layers : register(t1);

// The last samples: of 8, and of as many as there are. Each texel is 64 pixels wide.
float4 texels(float4 p : SV_Position) : SV_Target
{
    uint width, height, count, samples;
    layers.GetDimensions(width, height, count, samples);
    int2 at = int2(p.xy) >> 6;
    return p.y < 128 ? eight.Load(at, 7) : layers.Load(int3(at, count - 1), samples - 1);
}
