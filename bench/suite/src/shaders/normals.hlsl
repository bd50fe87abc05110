// Normals of the triangles of an indexed mesh; 0 where there is no area
struct Triangle { uint a, b, c; };
struct Place { float x, y, z; };
StructuredBuffer<Triangle> triangles : register(t0);
StructuredBuffer<Place> vertices : register(t1);
RWStructuredBuffer<Place> normals : register(u0);

float3 at(uint vertex) {
  Place p = vertices[vertex];
  return float3(p.x, p.y, p.z);
}

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  Triangle t = triangles[id.x];
  float3 a = at(t.a), n = cross(at(t.b) - a, at(t.c) - a);
  float square = dot(n, n);
  n *= square > 0 ? rsqrt(square) : 0;
  Place normal = { n.x, n.y, n.z };
  normals[id.x] = normal;
}
