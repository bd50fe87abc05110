// A median filter: the middle one of 3 x 3 texels, for each channel
Texture2D<float4> source : register(t0);
RWTexture2D<unorm float4> result : register(u0);

void sort(inout float4 a, inout float4 b) {
  float4 low = min(a, b);
  b = max(a, b);
  a = low;
}

void sort(inout float4 a, inout float4 b, inout float4 c) {
  sort(a, b);
  sort(b, c);
  sort(a, b);
}

float4 middle(float4 a, float4 b, float4 c) {
  return max(min(a, b), min(max(a, b), c));
}

[numthreads(16, 16, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint width, height;
  source.GetDimensions(width, height);
  float4 low[3], mid[3], high[3];
  [unroll] for (int row = 0; row < 3; ++row) {
    int y = clamp((int)id.y + row - 1, 0, (int)height - 1);
    low[row] = source.Load(int3(max((int)id.x - 1, 0), y, 0));
    mid[row] = source.Load(int3(id.x, y, 0));
    high[row] = source.Load(int3(min(id.x + 1, width - 1), y, 0));
    sort(low[row], mid[row], high[row]);
  }
  // The largest of the least, the middle one of the middle ones, the least of the largest: the middle one of these is that of all.
  result[id.xy] = middle(max(max(low[0], low[1]), low[2]), middle(mid[0], mid[1], mid[2]), min(min(high[0], high[1]), high[2]));
}
