// Methods with barriers: the whole group shifts, or sums, what it shares, in the order that the constants say.
interface IStep { void Do(uint i); };
groupshared uint shared_values[64];
class Shift : IStep {
  uint by;
  void Do(uint i) { uint v = shared_values[(i + by) & 63]; GroupMemoryBarrierWithGroupSync(); shared_values[i] = v; GroupMemoryBarrierWithGroupSync(); }
};
class Sum : IStep {
  uint factor;
  void Do(uint i) {
    [loop] for (uint s = 1; s < 64; s *= 2) {
      uint v = shared_values[i] + (i >= s ? factor * shared_values[i - s] : 0);
      GroupMemoryBarrierWithGroupSync();
      shared_values[i] = v;
      GroupMemoryBarrierWithGroupSync();
    }
  }
};
cbuffer Steps : register(b0) { Shift shift; Sum sum; uint4 order[4]; };
IStep steps[3];
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex, uint3 group : SV_GroupID) {
  shared_values[i] = input[64 * group.x + i];
  GroupMemoryBarrierWithGroupSync();
  [loop] for (uint n = 0; n < 4; n++) steps[order[n].x].Do(i);
  result[64 * group.x + i] = shared_values[i];
}
