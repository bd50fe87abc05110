// The probing side of a hash join: the row of each key, from a table of 2^17 slots that is probed one slot after the other
#define SLOTS 131072
StructuredBuffer<uint> keys : register(t0);
StructuredBuffer<uint> table : register(t1);    // the key of each slot; 0 is none
StructuredBuffer<uint> rows : register(t2);     // of each slot
RWStructuredBuffer<uint> found : register(u0);

[numthreads(256, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint key = keys[id.x], slot = key * 2654435761u >> 15, row = ~0u;
  [loop] for (;;) {
    uint there = table[slot];
    if (there == 0) break;
    if (there == key) {
      row = rows[slot];
      break;
    }
    slot = slot + 1 & SLOTS - 1;
  }
  found[id.x] = row;
}
