// A bilateral filter over 5 x 5 texels: a mean by weights that fall with the distance and with the difference in brightness
cbuffer C : register(b0) { float by_distance, by_difference; };
Texture2D<float> picture : register(t0);
RWStructuredBuffer<float> smooth : register(u0);
#define SIDE 512

[numthreads(16, 8, 1)] void main(int3 id : SV_DispatchThreadID) {
  float here = picture.Load(int3(id.xy, 0)), sum = 0, weights = 0;
  [loop] for (int y = -2; y <= 2; ++y)
    [unroll] for (int x = -2; x <= 2; ++x) {
      float other = picture.Load(int3(clamp(id.xy + int2(x, y), 0, SIDE - 1), 0)), difference = other - here;
      float weight = exp(-by_distance * (x * x + y * y) - by_difference * difference * difference);
      sum += weight * other;
      weights += weight;
    }
  smooth[id.y * SIDE + id.x] = sum / weights;
}
