// Structures without members, and buffers without variables. From model 5.0 on with ELEMENTS=1.
struct Nothing {};
struct First { Nothing first; float z; Nothing last; };
struct Holder { Nothing n; Nothing ns[2]; First f; First fs[2]; };
struct Element { float4 p; First f; };
#if ELEMENTS
StructuredBuffer<Element> elements;
#else
static Element elements[2];
#endif
cbuffer Empty {};
cbuffer C { float before; Nothing top; First one; First two[2]; Holder holder; struct { float2 y; } unnamed[3]; float after; First end; };
cbuffer D { float next; };
tbuffer T { First in_t; float last; };
float4 main() : SV_Target {
  return before + one.z + two[1].z + holder.fs[1].z + unnamed[2].y.x + after + end.z + next + in_t.z + last + elements[1].f.z;
}
