struct In { float a; int2 b; };
struct Out1 { In i; float c; In j[2]; float3x3 m; };
StructuredBuffer<Out1> so; RWStructuredBuffer<In> ru; AppendStructuredBuffer<uint2> ap; ConsumeStructuredBuffer<float4x4> co; RWStructuredBuffer<uint> cnt; ByteAddressBuffer ba; RWByteAddressBuffer rba; RWBuffer<float2> rb; RWTexture1D<int> r1; RWTexture2D<unorm float4> r2; RWTexture3D<uint> r3; RWTexture1DArray<float> r1a; RWTexture2DArray<float4> r2a; globallycoherent RWTexture2D<uint> gc; RWTexture2D<snorm float2> sn;
TextureCubeArray<float> tca; StructuredBuffer<bool> sbool; StructuredBuffer<In> sarr[3]; RWTexture2D<float> rarr[2];
cbuffer C { double d = 2.5; double2 d2; uint4 ua[2] = {1,2,3,4,5,6,7,8}; float fa[3] = {1,2,3}; bool bb = true; float2 fx = {1e30, -0.0}; };
[numthreads(4,1,1)] void main(uint3 id : SV_DispatchThreadID) {
 Out1 o = so[id.x]; ru[id.x] = o.j[1]; ap.Append(id.xy); float4x4 m = co.Consume(); cnt.IncrementCounter();
 cnt[id.x] = ba.Load(id.x) + (sbool[id.y] ? 1 : 0) + sarr[1][id.x].a; rba.Store(id.x, m[0][0]); rb[id.x] = d * d2.x; r1[id.x] = ua[id.y].x; r2[id.xy]= fa[id.x]; r3[id] = bb; r1a[id.xy]=fx.x; r2a[id] = fx.y; gc[id.xy] = 1; sn[id.xy] = o.m[1].x ; rarr[1][id.xy] = 2; }
