float g0 = 1.5;
float3 g1 = {1,2,3};
int gi[3] = {1,-2,3};
bool gb = true;
static const float zz = 3;
row_major float2x3 gm = {1,2,3,4,5,6};
struct In { float a; int2 b; };
struct Out1 { In i; float c; In j[2]; float4x4 m; };
struct Single { float q; };
Out1 gs;
cbuffer CC : register(b3) { float before; Out1 x; Single sgl; Single sgl2 = {4.0}; In arr[3]; uint tail; dword dw; unsigned int ui; uint2 u2; float1 f1; vector<float,2> v2; bool3 b3; snorm float sf; float1x1 m11; column_major float3x2 m32; int3x3 im; uint2x2 um; bool2x2 bm; float averyveryverylongvariablenamethatgoespastthecolumn; min16float mf; min16int4 mi; min16uint mu; min10float m10; min12int m12; In averyveryverylongvariablenamethatgoespastthecolumn2[7];};
cbuffer verylongconstantbuffernamethatgoespastthecolumn { float4 vv; }
cbuffer Arr { float4 AA[2]; Single AS[2]; struct { float anon; } an; Single nested; }
tbuffer TB { float4 tb0; int tb1; }
Texture1D<float> t1; Texture1DArray<int2> t1a; Texture2D t2; Texture2DArray<uint3> t2a; Texture3D<unorm float> t3; TextureCube<snorm float4> tc;
Texture2DMS<float4,4> tms; Texture2DMS<float2> tms0; Texture2DMSArray<float4,8> tmsa; Buffer<uint4> bf;  Texture2D tarr[4];
SamplerState s; SamplerComparisonState sc; sampler sarr[2];
float4 main(float4 p : SV_Position, uint sid : TEXCOORD0, nointerpolation float2 q : MYVERYLONGSEMANTICNAMEWITHNUMBER12) : SV_Target {
 float4 r = g0 + g1.xyzx + gi[sid] + gb + gm[1].xyzx + gs.c + gs.j[1].b.xyxy + gs.i.a + gs.m[2];
 r += before + x.m[1] + sgl.q + sgl2.q + arr[sid].a + tail + dw + u2.xyxy + f1 + v2.xyxy + b3.xyzx + sf + m11 + m32[1].xyxy + im[1].xyzx + um[1].xyxy + bm[0].xyxy + averyveryverylongvariablenamethatgoespastthecolumn + mf + mi + mu + m10 + m12 + averyveryverylongvariablenamethatgoespastthecolumn2[sid].a;
 r += vv + AA[1] + AS[1].q + tb0 + tb1 + an.anon + nested.q;
 r += t1.Sample(s, p.x) + t1a.Load(sid.xxx).xyxy + t2.Sample(s,p.xy) + t2a.Load(sid.xxxx).xyzx + t3.Sample(s,p.xyz) + tc.Sample(s,p.xyz) + tms.Load(sid.xx,0) + tms0.Load(sid.xx,1).xyxy+ tmsa.Load(sid.xxx,1) + bf.Load(sid) + tarr[2].Sample(s,p.xy);
 r += t2.SampleCmp(sc, p.xy, p.z) + t2.Sample(sarr[1], p.xy);
 return r + q.xyxy; }
