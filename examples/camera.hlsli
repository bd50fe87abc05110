// The camera of the example scenes, in a right-handed space with y up.

cbuffer Camera : register(b0)
{
    float3 eye;
    float zoom;     // 1 / tan(half the vertical angle)
    float3 target;
    float aspect;   // width / height
};

static const float NEAR = 0.1, FAR = 100;

// The axes of the camera: to the right, up, and away from its target.
float3x3 camera_axes()
{
    float3 back = normalize(eye - target);
    float3 right = normalize(cross(float3(0, 1, 0), back));
    return float3x3(right, cross(back, right), back);
}

// From the world to clip space.
float4 project(float3 place)
{
    float3 seen = mul(camera_axes(), place - eye);
    float depth = FAR / (NEAR - FAR) * (seen.z + NEAR);
    return float4(seen.x * zoom / aspect, seen.y * zoom, depth, -seen.z);
}

// The direction from the eye through a point on the screen, -1 to 1 with y up.
float3 ray(float2 place)
{
    return normalize(mul(float3(place.x * aspect / zoom, place.y / zoom, -1), camera_axes()));
}

// A triangle that covers the screen, from vertex indices.
float4 cover(uint vertex)
{
    return float4(vertex == 1 ? 3 : -1, vertex == 2 ? 3 : -1, 0, 1);
}

// Tone mapping from HDR light to the range of a screen, like film.
float3 film(float3 light)
{
    return saturate(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14));
}
