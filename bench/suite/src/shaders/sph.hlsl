// Smoothed particles: the density at each, from all within the radius; particles are sorted by cells of a grid of 16 x 16 x 16
#define SIDE 16
StructuredBuffer<float4> particles : register(t0);  // place in cells, and mass
StructuredBuffer<uint> starts : register(t1);       // of each cell, and the end of the last
RWStructuredBuffer<float> densities : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float3 here = particles[id.x].xyz;
  int3 cell = int3(here), low = max(cell - 1, 0), high = min(cell + 1, SIDE - 1);
  float density = 0;
  [loop] for (int z = low.z; z <= high.z; ++z)
    [loop] for (int y = low.y; y <= high.y; ++y) {
      int row = (z * SIDE + y) * SIDE;
      uint end = starts[row + high.x + 1];
      [loop] for (uint n = starts[row + low.x]; n < end; ++n) {
        float4 other = particles[n];
        float3 way = other.xyz - here;
        float left = 1 - dot(way, way);
        if (left > 0) density += other.w * left * left * left;
      }
    }
  densities[id.x] = density * (315 / (64 * 3.14159265));
}
