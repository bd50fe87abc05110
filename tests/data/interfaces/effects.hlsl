// Methods with effects, called by the number of the group. With another index the same shader calls other methods in
// each thread: the compiler refuses to write that.
interface IEffect { uint Do(uint at); };
RWStructuredBuffer<uint> log : register(u1);
class Count : IEffect { uint counter; uint step; uint Do(uint at) { uint before; InterlockedAdd(log[counter], step, before); return step; } };
class Store : IEffect { uint base; uint Do(uint at) { if (at & 1) return 7; log[base + at] = at * 3; return base; } };
class Twice : IEffect {
  uint2 factors; uint Do(uint at) { uint s = 0; [loop] for (uint i = 0; i < at; i++) { s += factors.x; if (s > 40) return s; } return s * factors.y; }
};
cbuffer Effects : register(b0) { Count counts[2]; Store store; Twice twice; };
IEffect effects[COUNT];
RWStructuredBuffer<uint> result : register(u0);
[numthreads(16, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID) {
  uint r = effects[group.x].Do(id.x);
  result[id.x] = r;
}
