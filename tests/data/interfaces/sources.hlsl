// Classes with textures and buffers of their own.
interface ISource { uint At(uint x); };
class Image : ISource { uint scale; Texture2D<uint> image; uint At(uint x) { return image.Load(int3(x & 3, x >> 2, 0)) * scale; } };
class List : ISource { Buffer<uint> list; StructuredBuffer<uint2> pairs; uint At(uint x) { return list[x] + pairs[x & 1].y; } };
cbuffer Sources : register(b2) { Image a; uint pad; Image b; List list; };
ISource source; ISource both[2];
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID) {
  result[id.x] = source.At(id.x) + 1000 * both[group.x].At(id.x);
}
