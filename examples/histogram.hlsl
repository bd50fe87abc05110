// Counts the shades of red, green and blue in a picture, and draws the counts.
//
//     fxc -T cs_5_0 -E main histogram.hlsl -Fo histogram.cso
//
// Each group counts 32 x 32 texels in shared memory, where atomics are cheap, and adds what it found to the totals. The
// group that is last to do so sees them whole, and draws. A group cannot wait for others: it may be the one that has to
// end before they begin. But the last one need not wait.

#define SHADES 256
#define END 16
#define SIDE 32

Texture2D<float4> picture : register(t0);
globallycoherent RWStructuredBuffer<uint> totals : register(u0);    // of red, then green, then blue
globallycoherent RWByteAddressBuffer groups_done : register(u1);
RWTexture2D<unorm float4> chart : register(u2);

cbuffer Settings : register(b0) {
    uint groups;            // in the dispatch
};

groupshared uint counts[3 * SHADES];
groupshared uint peak;
groupshared bool last;

[numthreads(SIDE, SIDE, 1)]
void main(uint3 id : SV_DispatchThreadID, uint thread : SV_GroupIndex) {
    uint width, height;
    picture.GetDimensions(width, height);

    // Shared memory is not initialised.
    if (thread < 3 * SHADES)
        counts[thread] = 0;
    if (thread == 0)
        peak = 1;
    GroupMemoryBarrierWithGroupSync();

    if (id.x < width && id.y < height) {
        uint3 shade = uint3(picture[id.xy].rgb * (SHADES - 1) + 0.5);
        InterlockedAdd(counts[shade.r], 1);
        InterlockedAdd(counts[SHADES + shade.g], 1);
        InterlockedAdd(counts[2 * SHADES + shade.b], 1);
    }
    GroupMemoryBarrierWithGroupSync();

    if (thread < 3 * SHADES && counts[thread] > 0)
        InterlockedAdd(totals[thread], counts[thread]);

    // The counts of this group must be visible before it reports that it is done.
    AllMemoryBarrierWithGroupSync();
    if (thread == 0) {
        uint before;
        groups_done.InterlockedAdd(0, 1, before);
        last = before == groups - 1;
    }
    GroupMemoryBarrierWithGroupSync();

    // The same for all threads of the group, so that there may be barriers inside.
    if (last) {
        // The ends of the scale, black and white, are often by far the most: they do not set the height.
        uint shade = thread % SHADES;
        if (thread < 3 * SHADES && shade >= END && shade < SHADES - END)
            InterlockedMax(peak, totals[thread]);
        GroupMemoryBarrierWithGroupSync();

        chart.GetDimensions(width, height);
        for (uint texel = thread; texel < width * height; texel += SIDE * SIDE) {
            uint2 at = uint2(texel % width, texel / width);
            uint column = at.x * SHADES / width;
            float level = (height - at.y) / float(height);
            float3 bars;
            [unroll]
            for (uint colour = 0; colour < 3; colour++)
                bars[colour] = level <= sqrt(totals[colour * SHADES + column] / float(peak));
            chart[at] = float4(0.08 + 0.84 * bars, 1);
        }
    }
}
