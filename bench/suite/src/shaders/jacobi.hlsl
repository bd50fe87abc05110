// A step of Jacobi's method for the pressure in a box of 128 x 64 x 64 cells: the mean of six neighbours; walls have the cell beside them
#define SIZE int3(128, 64, 64)
StructuredBuffer<float> pressure : register(t0);
StructuredBuffer<float> divergence : register(t1);
RWStructuredBuffer<float> next : register(u0);

int cell(int x, int y, int z) { return (z * SIZE.y + y) * SIZE.x + x; }

[numthreads(32, 4, 1)] void main(int3 id : SV_DispatchThreadID) {
  int3 low = max(id - 1, 0), high = min(id + 1, SIZE - 1);
  float sum = pressure[cell(low.x, id.y, id.z)] + pressure[cell(high.x, id.y, id.z)]
            + pressure[cell(id.x, low.y, id.z)] + pressure[cell(id.x, high.y, id.z)]
            + pressure[cell(id.x, id.y, low.z)] + pressure[cell(id.x, id.y, high.z)];
  int here = cell(id.x, id.y, id.z);
  next[here] = (sum - divergence[here]) / 6;
}
