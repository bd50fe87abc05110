// Where each key would stand in a sorted list: how many of its numbers are less
cbuffer C : register(b0) { uint count; };
StructuredBuffer<uint> keys : register(t0);
StructuredBuffer<uint> sorted : register(t1);
RWStructuredBuffer<uint> places : register(u0);

[numthreads(256, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint key = keys[id.x], low = 0, high = count;
  [loop] while (low < high) {
    uint middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1;
    else high = middle;
  }
  places[id.x] = low;
}
