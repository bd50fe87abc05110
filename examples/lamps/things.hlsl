// A hall with lamps: the surfaces, for light.hlsl to light.

#include "../camera.hlsli"

cbuffer Thing : register(b1)
{
    float3 place;
    float tilt;             // turns about x, in radians
    float3 size;
    float turn;             // turns about y
    float3 color;
    float columns;          // copies: so many in two rows along z
    float3 apart;           // from one to the next
    float roughness;
    float joints;           // 1 for tiles, 0 for none
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

float3 turned(float3 v)
{
    float2 s, c;
    sincos(float2(tilt, turn), s, c);
    v.yz = float2(c.x * v.y - s.x * v.z, s.x * v.y + c.x * v.z);
    v.xz = float2(c.y * v.x + s.y * v.z, c.y * v.z - s.y * v.x);
    return v;
}

Pixel thing_vs(Vertex v, uint instance : SV_InstanceID)
{
    float2 copy = float2(instance / uint(columns), instance % uint(columns));
    Pixel o;
    o.world = place + apart * copy.xxy + turned(v.position * size);
    o.position = project(o.world);
    o.normal = turned(v.normal / size);
    o.texcoord = v.texcoord;
    return o;
}

// The surface of a pixel, for lighting.
struct Surface
{
    float4 color : SV_Target0;      // and roughness
    float4 normal : SV_Target1;     // 0 to 1
    float4 glow : SV_Target2;
};

Surface thing_ps(Pixel i)
{
    Surface o;
    // Joints between tiles, as wide on the screen as they are far.
    float2 tile = i.texcoord * 2, wide = fwidth(tile), edge = abs(frac(tile - 0.5) - 0.5);
    float2 joint = smoothstep(0.03 + wide, 0.01, edge) * saturate(0.1 / wide) * joints;
    o.color = float4(color * (1 - 0.6 * max(joint.x, joint.y)), roughness);
    o.normal = float4(normalize(i.normal) * 0.5 + 0.5, 0);
    o.glow = 0;
    return o;
}

struct Ball
{
    float4 position : SV_Position;
    float3 glow : GLOW;
};

Ball lamp_vs(float3 position : POSITION, float4 at : LAMP0, float4 shown : LAMP1)
{
    Ball o;
    o.position = project(at.xyz + shown.w * position);
    o.glow = 2.5 * shown.xyz;
    return o;
}

Surface lamp_ps(Ball i)
{
    Surface o;
    o.color = float4(0, 0, 0, 1);
    o.normal = 0.5;
    o.glow = float4(i.glow, 0);
    return o;
}
