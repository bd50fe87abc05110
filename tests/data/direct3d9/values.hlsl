// Constants of all shapes, for what sets them by name.

struct Light
{
    float3 color;
    float2 range;
    float4x3 place;
    float weights[2];
};

float4x4 world;
row_major float3x4 view = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
float3 tints[3] = {{0.25, 0.5, 0.75}, {1, 2, 3}, {4, 5, 6}};
Light lights[2];
float scale = 1.5;
int rounds = 3;
bool flags[2] = {false, true};
int2 whole = {-7, 9};

float4 main(float4 place : POSITION, out float4 color : COLOR) : POSITION
{
    float4 at = mul(place, world);
    at.xyz = mul(view, at) * scale;
    color = 0;
    for (int n = 0; n < rounds; n++)
        color.xyz += tints[n % 3] * color.x + place.xyz;
    [branch] if (flags[0])
        color.xyz += mul(place, lights[0].place);
    [branch] if (flags[1])
        color.xyz += mul(place, lights[1].place) * lights[1].weights[1] + lights[0].color * lights[1].range.y;
    color.xy += whole;
    return at;
}
