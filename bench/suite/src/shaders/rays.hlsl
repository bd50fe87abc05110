// How far each ray goes to the nearest of 256 triangles whose fronts it meets (Möller and Trumbore); 0 if it meets none
#define TRIANGLES 256
struct Ray { float3 start; float far; float3 way; uint unused; };
StructuredBuffer<Ray> rays : register(t0);
StructuredBuffer<float4> triangles : register(t1);  // a corner, and the sides from there to the other two
RWStructuredBuffer<float> hits : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float3 start = rays[id.x].start, way = rays[id.x].way;
  float nearest = rays[id.x].far;
  bool is_hit = false;
  [loop] for (uint n = 0; n < TRIANGLES; ++n) {
    float3 corner = triangles[n * 3].xyz, first = triangles[n * 3 + 1].xyz, second = triangles[n * 3 + 2].xyz;
    float3 p = cross(way, second);
    float area = dot(first, p);
    if (area <= 0) continue;
    float3 from = start - corner;
    float u = dot(from, p);
    if (u < 0 || u > area) continue;
    float3 q = cross(from, first);
    float v = dot(way, q);
    if (v < 0 || u + v > area) continue;
    float t = dot(second, q) / area;
    if (t > 0 && t < nearest) {
      nearest = t;
      is_hit = true;
    }
  }
  hits[id.x] = is_hit ? nearest : 0;
}
