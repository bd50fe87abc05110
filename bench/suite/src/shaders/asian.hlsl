// What an Asian option pays, by Monte Carlo: a path of prices a thread, in double precision
cbuffer C : register(b0) { uint steps; float share; float drift; float spread; };   // share: 1 / steps
StructuredBuffer<uint> seeds : register(t0);
RWStructuredBuffer<float> payoffs : register(u0);

uint next(inout uint state) {
  state = state * 747796405 + 2891336453;
  uint mixed = (state >> (state >> 28) + 4 ^ state) * 277803737;
  return mixed >> 22 ^ mixed;
}

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint state = seeds[id.x];
  double price = 100, sum = 0;
  [loop] for (uint k = 0; k < steps; ++k) {
    // Four numbers below 2^16, whose sum is nearly normal: as a float it is exact.
    uint a = next(state), b = next(state);
    double z = (double)(float)((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16)) * (1.0 / 65536) - 2.0;
    price += price * (drift + spread * z);
    sum += price;
  }
  payoffs[id.x] = (float)max(sum * share - 100.0, 0.0);
}
