// Light that falls on surfaces of every direction from a sky in a cube: a mean over the hemisphere, of levels of detail that fit its samples.
TextureCube<float4> sky : register(t0);
SamplerState smooth : register(s0);
RWStructuredBuffer<float4> light : register(u0);

cbuffer Constants : register(b0)
{
    uint size;          // of a face of what is made
    uint samples;
    float level;
};

float3 direction(uint face, float2 at)
{
    float2 p = at * 2 - 1;
    float3 axes[6] = { float3(1, -p.y, -p.x), float3(-1, -p.y, p.x), float3(p.x, 1, p.y), float3(p.x, -1, -p.y), float3(p.x, -p.y, 1), float3(-p.x, -p.y, -1) };
    return normalize(axes[face]);
}

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float3 normal = direction(id.z, (id.xy + 0.5) / size);
    float3 side = normalize(cross(normal, abs(normal.y) < 0.7 ? float3(0, 1, 0) : float3(1, 0, 0)));
    float3 up = cross(side, normal);
    float4 sum = 0;
    for (uint n = 0; n < samples; n++)
    {
        // A golden spiral over the hemisphere, denser where light falls straight.
        float away = sqrt((n + 0.5) / samples), turn = n * 2.3999632;
        float3 ray = (side * cos(turn) + up * sin(turn)) * away + normal * sqrt(1 - away * away);
        sum += sky.SampleLevel(smooth, ray, level);
    }
    light[(id.z * size + id.y) * size + id.x] = sum / samples;
}
