// Constants of every type, for the header of a listing.
struct Light { float3 position; float4 colour; int count; };
struct Model { Light lights[2]; float3x4 columns; row_major float4x3 rows; bool on; };
struct Nested { float x; struct { float2 q; } one; struct { int z; } two[2]; };
struct Single { float4 w; };

float4 types(float4 t : TEXCOORD0,
    uniform float2 f2, uniform float f1, uniform int i1, uniform int2 i2, uniform bool b1, uniform float3 array[5],
    uniform float4x4 matrices[2], uniform row_major float3x3 rows, uniform float1x3 f13, uniform float2x1 f21, uniform uint u1,
    uniform float a_very_long_name_for_a_constant_that_is_longer_than_its_column, uniform bool bools[3], uniform int ints[2],
    uniform sampler2D s2, uniform samplerCUBE cubes[2], uniform sampler3D s3, uniform sampler1D s1, uniform sampler plain) : COLOR
{
    float4 r = mul(t, matrices[1]) + f1 + f2.xyxy * i1 + i2.xyyx + (b1 ? t.wzyx : t) + array[3].xyzz + f13._m00 + f21._m10 + u1;
    r += mul(r.xyz, rows).xyzz + a_very_long_name_for_a_constant_that_is_longer_than_its_column;
    r += tex2D(s2, t.xy) + texCUBE(cubes[1], t.xyz) + tex3D(s3, t.xyz) + tex1D(s1, t.x) + tex2D(plain, t.zw);
    if (bools[1]) r *= 2;
    for (int j = 0; j < ints[1]; j++) r += t;
    return r;
}

float4 structures(float4 t : TEXCOORD0, uniform Model model : register(c10), uniform Light lights[3], uniform Nested nested,
    uniform Single first, uniform Single second[2], uniform float last) : COLOR
{
    float4 r = model.lights[1].position.xyzz * model.columns._m01 * model.rows._m10 * model.on * lights[2].colour;
    return r + nested.x + nested.one.q.xyxy + nested.two[1].z + first.w + second[1].w + last;
}

float4 defaulted = { 1, 2, 3, 4 };
int count = 3;
bool flag = true;
float3 table[2] = { { 1, 2, 3 }, { 4, 5, 6 } };

float4 defaults(float4 t : TEXCOORD0) : COLOR
{
    float4 r = t * defaulted + table[1].xyzz;
    for (int j = 0; j < count; j++) r += t;
    if (flag) r = r.wzyx;
    return r;
}

float4 alone(uniform Single single) : COLOR { return single.w; }

// The count lies in i0 for the loop, and in a float register for the sum.
float4 twice(float4 t : TEXCOORD0, uniform float4 after, uniform int number) : COLOR
{
    float4 r = t + number + after;
    for (int j = 0; j < number; j++) r *= t;
    return r;
}
