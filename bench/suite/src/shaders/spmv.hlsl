// A sparse matrix times a vector: rows of any length in compressed form (CSR), a thread for each
StructuredBuffer<uint> starts : register(t0);   // of each row, and the end of the last
StructuredBuffer<uint> columns : register(t1);
StructuredBuffer<float> values : register(t2);
StructuredBuffer<float> x : register(t3);
RWStructuredBuffer<float> y : register(u0);

[numthreads(256, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint end = starts[id.x + 1];
  float sum = 0;
  [loop] for (uint k = starts[id.x]; k < end; ++k)
    sum += values[k] * x[columns[k]];
  y[id.x] = sum;
}
