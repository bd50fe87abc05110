// The Mandelbrot set as a picture: one thread for each texel.
//
//     fxc -T cs_5_0 -E main mandelbrot.hlsl -Fo mandelbrot.cso
//
// A point that escapes is coloured by how soon, smoothed by how far it got.

RWTexture2D<unorm float4> picture : register(u0);

cbuffer View : register(b0) {
    float2 centre;  // of the picture, in the complex plane
    float span;     // from the left edge to the right
    uint limit;     // steps before a point counts as inside
};

float3 palette(float t) {
    float3 phase = float3(0.50, 0.58, 0.68);
    return 0.5 + 0.5 * cos(6.2831853 * (t + phase));
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint width, height;
    picture.GetDimensions(width, height);
    if (id.x >= width || id.y >= height)
        return;

    float2 from_centre = (float2(id.xy) + 0.5) / width - float2(0.5, 0.5 * height / width);
    float2 c = centre + float2(from_centre.x, -from_centre.y) * span;

    float2 z = 0;
    float size = 0;
    uint n = 0;
    [loop]
    for (; n < limit; n++) {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        size = dot(z, z);
        if (size > 256)
            break;
    }

    float3 colour = 0;
    if (n < limit) {
        float smooth = n + 1 - log2(0.125 * log2(size));
        colour = palette(0.35 * log2(smooth + 1)) * saturate(0.25 * smooth);
    }
    picture[id.xy] = float4(colour, 1);
}
