// Variables of every layout, and how much of a job follows from the declarations.
//
// fxc compile variables.hlsl -T cs_5_0 -E main -o variables.cso
// fxc strip variables.cso -o stripped.cso
struct Light {
    float3 colour;
    float strength;
    int2 tile;
};
cbuffer Settings : register(b0) {
    uint limit;
    float2 center;
    float scale;
    bool on;
    bool2 off;
    float levels[3];
    float2 pairs[2];
    row_major float2x3 by_rows;
    column_major float2x3 by_columns;
    double precise;
    Light sun;
    Light lamps[2];
    int file;
    min16float small;
};

StructuredBuffer<float4> points : register(t0);
Buffer<uint2> ids : register(t1);
Texture2D<float> heights : register(t2);
RWStructuredBuffer<float> results : register(u0);
AppendStructuredBuffer<uint2> found : register(u1);
RWTexture2D<unorm float4> picture : register(u2);

[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float all[48] = {
        limit, center.x, center.y, scale, on ? 1 : 0, off.x ? 1 : 0, off.y ? 1 : 0,
        levels[0], levels[1], levels[2], pairs[0].x, pairs[0].y, pairs[1].x, pairs[1].y,
        by_rows[0].x, by_rows[0].y, by_rows[0].z, by_rows[1].x, by_rows[1].y, by_rows[1].z,
        by_columns[0].x, by_columns[0].y, by_columns[0].z, by_columns[1].x, by_columns[1].y, by_columns[1].z,
        (float)precise, sun.colour.x, sun.colour.y, sun.colour.z, sun.strength, sun.tile.x, sun.tile.y,
        lamps[0].colour.x, lamps[0].strength, lamps[0].tile.y,
        lamps[1].colour.x, lamps[1].colour.y, lamps[1].colour.z, lamps[1].strength, lamps[1].tile.x, lamps[1].tile.y,
        file, small, 0, 0, 0, 0
    };
    if (id.x == 0) {
        [unroll] for (uint n = 0; n < 44; n++) results[n] = all[n];
    }
    if (points[id.x].w > 0) found.Append(ids[id.x]);
    picture[id.xy] = heights.Load(int3(id.xy, 0)) * points[id.x];
}
