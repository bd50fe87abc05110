// What a second program, for feature levels 9.x, gets its registers from.
cbuffer A : register(b0) { float4 a[4]; int n; int4 i; bool b; bool4 b4; float4x4 m; uint u; };
cbuffer B : register(b3) { float4 f; int4 j; bool other; float4 g[10]; };
Texture2D t0 : register(t2); Texture2D t1 : register(t5); TextureCube cube : register(t1); Texture3D volume : register(t7);
SamplerState s0 : register(s1); SamplerState s1 : register(s3);

struct Vertex { float4 p : SV_Position; float4 c : COLOR0; float2 t : TEXCOORD0; };

Vertex conversions(float4 p : POSITION, float4 c : COLOR)
{
    Vertex o = { mul(p, m), c, p.xy };
    for (int k = 0; k < n; k++) o.c += a[1] * f;
    if (b) o.c *= 2;
    o.c += i.y;
    o.c.x += u;
    return o;
}

Vertex branches(float4 p : POSITION, float4 c : COLOR)
{
    Vertex o = { mul(p, m), c, p.xy };
    [loop] for (int k = 0; k < i.z; k++) o.c += a[1];
    [loop] for (int l = 0; l < j.w; l++) o.c *= a[2];
    [branch] if (b4.y) o.c *= p;
    [branch] if (other) o.c += p.x;
    return o;
}

float4 samplers(Vertex v) : SV_Target
{
    float4 r = t0.Sample(s0, v.t) + t1.Sample(s0, v.t) * t0.Sample(s1, v.t.yx) + cube.Sample(s1, v.c.xyz);
    r += volume.Sample(s0, v.c.xyz);
    if (b) r *= f;
    return r * g[3] + v.c;
}

float4 nothing(float4 p : POSITION) : SV_Position { return p; }
