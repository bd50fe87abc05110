// A meadow in the wind: the vertex shader makes places of numbers, and the geometry shader a blade of grass of each.

#include "../camera.hlsli"

cbuffer Weather : register(b1)
{
    float3 to_sun;      // unit length
    float time;         // in seconds
    float2 wind;        // along x and z: how far tips are blown
};

static const float SIDE = 18;       // of the meadow
static const uint ACROSS = 220;     // places along a side

struct Place
{
    float3 root : ROOT;
    float4 shape : SHAPE;       // height, half the width, and where it looks: a unit vector along x and z
    float3 color : COLOR;
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float3 color : COLOR;
};

// Numbers from 0 to 1 that have nothing to do with each other.
float4 chance(uint n)
{
    uint4 x = n * 747796405u + uint4(2891336453u, 1171136777u, 3739467263u, 420101011u);
    x = (x >> ((x >> 28) + 4) ^ x) * 277803737u;
    return float4((x >> 22 ^ x) & 0xffff) / 65535;
}

Place place_vs(uint number : SV_VertexID)
{
    float4 one = chance(2 * number), other = chance(2 * number + 1);
    float2 at = (float2(number % ACROSS, number / ACROSS) + one.xy) / ACROSS - 0.5;
    // Waves of higher grass.
    float wave = 0.5 + 0.5 * sin(9 * at.x + 3 * sin(7 * at.y));
    float angle = 6.2831853 * other.x;
    Place o;
    o.root = float3(SIDE * at.x, 0.25 * wave, SIDE * at.y);
    o.shape = float4(0.35 + 0.45 * one.z * one.z + 0.35 * wave, 0.012 + 0.014 * one.w, cos(angle), sin(angle));
    o.color = lerp(float3(0.10, 0.22, 0.03), float3(0.34, 0.40, 0.07), other.y * (0.4 + 0.6 * wave));
    if (other.z > 0.985)
        o.color = other.w < 0.5 ? float3(0.75, 0.10, 0.06) : float3(0.80, 0.70, 0.75);
    return o;
}

// A blade: four pairs of vertices, then the tip. It bends with the wind, the higher the more.
[maxvertexcount(9)]
void blade_gs(point Place places[1], inout TriangleStream<Pixel> blades)
{
    Place p = places[0];
    float height = p.shape.x;
    float2 across = p.shape.zw;
    float gust = 0.6 + 0.4 * sin(1.7 * time + 0.8 * p.root.x + 0.5 * p.root.z);
    float2 bend = gust * wind * height + 0.22 * height * float2(-across.y, across.x);
    Pixel o;
    for (uint n = 0; n < 9; n++)
    {
        float along = (n / 2) / 4.0;
        float side = n == 8 ? 0 : n % 2 == 0 ? -1 : 1;
        float2 over = bend * along * along;
        float up = height * along - 0.5 * dot(over, over) / height;
        o.world = p.root + float3(over.x, up, over.y);
        o.world.xz += side * p.shape.y * (1 - 0.6 * along) * across;
        // Looks out of its face, and a little to the side that it is on.
        float3 rise = normalize(float3(2 * bend.x * along, height, 2 * bend.y * along));
        o.normal = normalize(cross(rise, float3(across.x, 0, across.y))) + 0.35 * side * float3(across.x, 0, across.y);
        o.color = p.color * (0.25 + 0.75 * along);
        o.position = project(o.world);
        blades.Append(o);
    }
}

float3 air(float3 direction)
{
    float toward = saturate(dot(direction, to_sun));
    float3 light = lerp(float3(0.52, 0.50, 0.46), float3(0.09, 0.22, 0.48), saturate(2.6 * direction.y));
    return light + float3(1.0, 0.75, 0.4) * (0.18 * pow(toward, 8) + 0.7 * pow(toward, 80));
}

float4 blade_ps(Pixel i, bool is_front : SV_IsFrontFace) : SV_Target
{
    float3 normal = normalize(i.normal), from_eye = i.world - eye;
    normal = dot(normal, from_eye) > 0 ? -normal : normal;
    // Light goes through a blade, too.
    float facing = dot(normal, to_sun);
    float3 light = i.color * ((saturate(facing) + 0.55 * saturate(-facing)) * float3(2.3, 1.9, 1.2) + 0.4 * air(normal));
    float away = length(from_eye);
    light = lerp(air(from_eye / away), light, exp(-0.022 * away));
    return float4(film(light), 1);
}

struct Air
{
    float4 position : SV_Position;
    float2 place : PLACE;
};

Air air_vs(uint vertex : SV_VertexID)
{
    Air o;
    o.position = cover(vertex);
    o.place = o.position.xy;
    return o;
}

// The sky, and the ground between the blades.
float4 air_ps(Air i) : SV_Target
{
    float3 direction = ray(i.place);
    float3 light = air(direction);
    if (direction.y < 0)
    {
        float away = eye.y / -direction.y;
        light = lerp(light, float3(0.05, 0.07, 0.02), exp(-0.022 * away));
    }
    return float4(film(light), 1);
}
