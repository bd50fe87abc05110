// A bridge in the mist: bars thinner than a pixel, which samples show as thin as they are.

#include "../camera.hlsli"

cbuffer Weather : register(b1)
{
    float3 to_sun;      // unit length
    float mist;         // the share of light that gets lost in it, for each unit of distance
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    // Of a bar: its ends, half its width and height, and its colour.
    float4 start : BAR0;
    float4 end : BAR1;
    float3 color : BAR2;
};

struct Pixel
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    nointerpolation float3 color : COLOR;
};

Pixel bars_vs(Vertex v)
{
    float3 along = v.end.xyz - v.start.xyz;
    float3 ahead = normalize(along);
    float3 across = normalize(cross(abs(ahead.y) > 0.9 ? float3(1, 0, 0) : float3(0, 1, 0), ahead));
    float3 up = cross(ahead, across);
    Pixel o;
    o.world = v.start.xyz + v.position.z * along + v.position.x * v.start.w * across + v.position.y * v.end.w * up;
    o.position = project(o.world);
    o.normal = v.normal.x * across + v.normal.y * up + v.normal.z * ahead;
    o.color = v.color;
    return o;
}

// The air behind: light around the sun, and mist below.
float3 air(float3 direction)
{
    float toward = saturate(dot(direction, to_sun));
    float3 light = lerp(float3(0.44, 0.38, 0.38), float3(0.07, 0.17, 0.38), saturate(1.8 * direction.y + 0.1));
    light = lerp(light, float3(0.10, 0.15, 0.21), saturate(-2.5 * direction.y));
    return light + float3(1.0, 0.55, 0.25) * (0.3 * pow(toward, 5) + 0.9 * pow(toward, 30));
}

float4 bars_ps(Pixel i) : SV_Target
{
    float3 normal = normalize(i.normal), from_eye = i.world - eye;
    float3 light = i.color * (saturate(dot(normal, to_sun)) * float3(2.6, 1.9, 1.2) + 0.35 * air(normal));
    float away = length(from_eye);
    light = lerp(air(from_eye / away), light, exp(-mist * away));
    // Samples are averaged as a screen shows them: a brighter one would take the edges of others with it.
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

float4 air_ps(Air i) : SV_Target
{
    return float4(film(air(ray(i.place))), 1);
}
