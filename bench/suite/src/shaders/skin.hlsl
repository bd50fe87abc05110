// Skinning: each vertex is moved by four of the bones' matrices, blended
StructuredBuffer<float4> vertices : register(t0);
StructuredBuffer<uint> joints : register(t1);       // four bytes: which bones
StructuredBuffer<float4> weights : register(t2);
StructuredBuffer<float4> bones : register(t3);      // three rows each
RWStructuredBuffer<float4> moved : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float4 place = float4(vertices[id.x].xyz, 1), weight = weights[id.x];
  uint joint = joints[id.x];
  float3 sum = 0;
  [unroll] for (uint n = 0; n < 4; ++n) {
    uint row = (joint >> 8 * n & 255) * 3;
    sum += weight[n] * float3(dot(bones[row], place), dot(bones[row + 1], place), dot(bones[row + 2], place));
  }
  moved[id.x] = float4(sum, 1);
}
