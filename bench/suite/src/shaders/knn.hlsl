// The eight nearest of 512 points to each of many, nearest first: a list for each thread into which better ones are inserted
#define POINTS 512
#define NEAREST 8
StructuredBuffer<float2> places : register(t0);
StructuredBuffer<float2> points : register(t1);
RWStructuredBuffer<uint> nearest : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float2 here = places[id.x];
  float squares[NEAREST];
  uint numbers[NEAREST], n;
  [unroll] for (n = 0; n < NEAREST; ++n) {
    squares[n] = 1e30;
    numbers[n] = 0;
  }
  [loop] for (n = 0; n < POINTS; ++n) {
    float2 way = points[n] - here;
    float square = dot(way, way);
    if (square < squares[NEAREST - 1]) {
      int at = NEAREST - 1;
      [loop] while (at > 0 && squares[max(at - 1, 0)] > square) {
        squares[at] = squares[at - 1];
        numbers[at] = numbers[at - 1];
        --at;
      }
      squares[at] = square;
      numbers[at] = n;
    }
  }
  [unroll] for (n = 0; n < NEAREST; ++n) nearest[id.x * NEAREST + n] = numbers[n];
}
