// A moon with craters: a cube of patches, which the tessellator divides the finer the nearer they are. The domain shader
// moves the points to the ground.

#include "../camera.hlsli"

cbuffer Light : register(b1)
{
    float3 to_sun;      // unit length
    float fineness;     // segments of an edge as long as its distance
};

cbuffer Half : register(b2)
{
    float side;         // that is drawn: -1 for the left half of the picture, 1 for the right one
};

static const uint ACROSS = 6;       // patches along a side of the cube
static const uint CRATERS = 140;

struct Corner
{
    float3 direction : DIRECTION;       // from the middle of the moon, unit length
};

struct Edges
{
    float edge[4] : SV_TessFactor;
    float inside[2] : SV_InsideTessFactor;
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float side : SV_ClipDistance;
};

// Numbers from 0 to 1 that have nothing to do with each other.
float4 chance(uint n)
{
    uint4 x = n * 747796405u + uint4(2891336453u, 1171136777u, 3739467263u, 420101011u);
    x = (x >> ((x >> 28) + 4) ^ x) * 277803737u;
    return float4((x >> 22 ^ x) & 0xffff) / 65535;
}

// The corner of a patch: four in a row are one patch, row by row over each face of the cube.
Corner corner_vs(uint number : SV_VertexID)
{
    uint patch = number / 4, face = patch / (ACROSS * ACROSS), place = patch % (ACROSS * ACROSS);
    float2 at = float2(place % ACROSS + number % 2, place / ACROSS + number / 2 % 2) / ACROSS * 2 - 1;
    // Angles of equal size.
    at = tan(at * 0.78539816);
    float3 p = face / 2 == 0 ? float3(1, at.y, at.x) : face / 2 == 1 ? float3(at.x, 1, at.y) : float3(at.y, at.x, 1);
    Corner o;
    o.direction = normalize(face % 2 == 0 ? p : -p);
    return o;
}

// Segments of an edge: of both its ends alone, so that patches beside each other agree.
float segments(float3 a, float3 b)
{
    return clamp(fineness * distance(a, b) / distance(eye, (a + b) / 2), 1, 64);
}

Edges edges(InputPatch<Corner, 4> p)
{
    Edges o;
    o.edge[0] = segments(p[0].direction, p[2].direction);
    o.edge[1] = segments(p[0].direction, p[1].direction);
    o.edge[2] = segments(p[1].direction, p[3].direction);
    o.edge[3] = segments(p[2].direction, p[3].direction);
    o.inside[0] = max(o.edge[1], o.edge[3]);
    o.inside[1] = max(o.edge[0], o.edge[2]);
    // Patches on the far side have no edges at all.
    bool is_seen = false;
    for (uint n = 0; n < 4; n++)
        is_seen = is_seen || dot(p[n].direction, eye) > 0.2;
    if (!is_seen)
        o.edge[0] = 0;
    return o;
}

[domain("quad")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(4)]
[patchconstantfunc("edges")]
Corner corner_hs(InputPatch<Corner, 4> p, uint n : SV_OutputControlPointID)
{
    return p[n];
}

// The height of the ground over the ball.
float height(float3 direction)
{
    float over = 0;
    [loop]
    for (uint n = 0; n < CRATERS; n++)
    {
        float4 one = chance(n);
        float z = 2 * one.x - 1, angle = 6.2831853 * one.y;
        float3 middle = float3(sqrt(1 - z * z) * float2(cos(angle), sin(angle)), z);
        float size = 0.05 + 0.22 * one.z * one.z * one.z;
        float way = distance(direction, middle) / size;
        // A bowl with a rim around it, which fades away.
        float bowl = way < 1 ? way * way - 1 : 0;
        float rim = 0.45 * exp(-7 * (way - 1) * (way - 1));
        over += size * 0.28 * (bowl + rim);
    }
    float3 p = 5 * direction;
    return over + 0.006 * (sin(p.x + 2 * sin(p.y)) + sin(2 * p.y + 3 * sin(p.z)) + sin(3 * p.z + sin(2 * p.x)));
}

float3 ground(float3 direction)
{
    return direction * (1 + height(direction));
}

[domain("quad")]
Pixel ground_ds(Edges edges, float2 at : SV_DomainLocation, const OutputPatch<Corner, 4> p)
{
    float3 rows[2] = { lerp(p[0].direction, p[1].direction, at.x), lerp(p[2].direction, p[3].direction, at.x) };
    float3 direction = normalize(lerp(rows[0], rows[1], at.y));
    float3 across = normalize(cross(direction, direction.yzx + float3(0.3, 0.7, 0.2))), along = cross(direction, across);
    const float STEP = 0.004;
    Pixel o;
    o.world = ground(direction);
    float3 right = ground(normalize(direction + STEP * across)), up = ground(normalize(direction + STEP * along));
    float3 normal = normalize(cross(right - o.world, up - o.world));
    o.normal = dot(normal, direction) < 0 ? -normal : normal;
    o.position = project(o.world);
    o.side = side * o.position.x;
    return o;
}

float4 ground_ps(Pixel i) : SV_Target
{
    float light = saturate(dot(normalize(i.normal), to_sun));
    return float4(film(float3(0.62, 0.59, 0.55) * (1.1 * light + 0.015)), 1);
}

float4 edges_ps(Pixel i) : SV_Target
{
    float light = saturate(dot(normalize(i.normal), to_sun));
    return float4(lerp(float3(0.16, 0.3, 0.5), float3(1.0, 0.85, 0.6), light), 1);
}
