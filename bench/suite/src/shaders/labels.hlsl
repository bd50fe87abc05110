// A round of connected components: each vertex takes the least label of its neighbours, and the label of the vertex that this names
StructuredBuffer<uint> starts : register(t0);       // of each vertex, and the end of the last
StructuredBuffer<uint> neighbours : register(t1);
StructuredBuffer<uint> labels : register(t2);
RWStructuredBuffer<uint> next : register(u0);

[numthreads(128, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint end = starts[id.x + 1], least = labels[id.x];
  [loop] for (uint k = starts[id.x]; k < end; ++k)
    least = min(least, labels[neighbours[k]]);
  next[id.x] = min(least, labels[least]);
}
