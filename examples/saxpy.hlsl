// y = a * x + y, four numbers a thread.
//
//     fxc -T cs_5_0 -E main saxpy.hlsl -Fo saxpy.cso
//
// A dispatch has at most 65,535 groups along an axis, so many threads go in rows of 2^18.

StructuredBuffer<float4> x : register(t0);
RWStructuredBuffer<float4> y : register(u0);

cbuffer Settings : register(b0) {
    float a;
};

[numthreads(256, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint i = (id.y << 18) + id.x;
    y[i] = a * x[i] + y[i];
}
