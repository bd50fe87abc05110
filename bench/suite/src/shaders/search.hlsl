// Where a text has a word: a thread looks at each place up to the first character that differs, a bit says whether there is none
cbuffer C : register(b0) { uint length; };
ByteAddressBuffer text : register(t0);
StructuredBuffer<uint> word : register(t1);     // a character each
RWStructuredBuffer<uint> found : register(u0);
groupshared uint bits[8];

[numthreads(256, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint3 g : SV_GroupID, uint gi : SV_GroupIndex) {
  if (gi < 8) bits[gi] = 0;
  GroupMemoryBarrierWithGroupSync();
  uint k = 0;
  [loop] for (; k < length; ++k) {
    uint at = id.x + k;
    if ((text.Load(at & ~3) >> (at & 3) * 8 & 255) != word[k]) break;
  }
  if (k == length) InterlockedOr(bits[gi / 32], 1u << gi % 32);
  GroupMemoryBarrierWithGroupSync();
  if (gi < 8) found[g.x * 8 + gi] = bits[gi];
}
