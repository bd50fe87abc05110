// Edges of a grey picture of 1024 x 1024 by Sobel's operator; beyond its sides the picture goes on as it ends
#define SIDE 1024
StructuredBuffer<float> grey : register(t0);
RWStructuredBuffer<float> edges : register(u0);

float at(int x, int y) { return grey[clamp(y, 0, SIDE - 1) * SIDE + clamp(x, 0, SIDE - 1)]; }

[numthreads(16, 16, 1)] void main(int3 id : SV_DispatchThreadID) {
  int x = id.x, y = id.y;
  float across = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
  float down = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
  edges[y * SIDE + x] = sqrt(across * across + down * down);
}
