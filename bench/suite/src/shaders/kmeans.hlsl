// A step of k-means: which of 32 centres is the nearest to each point of four dimensions
#define CENTRES 32
StructuredBuffer<float4> points : register(t0);
StructuredBuffer<float4> centres : register(t1);
RWStructuredBuffer<uint> clusters : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float4 place = points[id.x];
  float least = 1e30;
  uint cluster = 0;
  [loop] for (uint n = 0; n < CENTRES; ++n) {
    float4 way = place - centres[n];
    float distance = dot(way, way);
    if (distance < least) {
      least = distance;
      cluster = n;
    }
  }
  clusters[id.x] = cluster;
}
