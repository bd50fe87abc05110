// A pass of a radix sort, by four bits: every group counts the digits of its 1024 keys, scans the counts, and scatters the keys in order
#define THREADS 256
#define KEYS 4
#define DIGITS 16

cbuffer C : register(b0) { uint shift; };
StructuredBuffer<uint> keys : register(t0);
StructuredBuffer<uint> starts : register(t1);   // for each group and digit: where its keys go
RWStructuredBuffer<uint> sorted : register(u0);
groupshared uint counts[DIGITS * THREADS];      // digit by digit, thread by thread
groupshared uint sums[THREADS];
groupshared uint firsts[DIGITS];

[numthreads(THREADS, 1, 1)] void main(uint3 g : SV_GroupID, uint gi : SV_GroupIndex) {
  uint mine[KEYS], i;
  [unroll] for (i = 0; i < DIGITS; ++i) counts[i * THREADS + gi] = 0;
  [unroll] for (i = 0; i < KEYS; ++i) {
    mine[i] = keys[(g.x * THREADS + gi) * KEYS + i];
    counts[(mine[i] >> shift & DIGITS - 1) * THREADS + gi]++;
  }
  GroupMemoryBarrierWithGroupSync();

  // Each thread scans as many counts as there are digits, which are all of one digit.
  uint sum = 0;
  [unroll] for (i = 0; i < DIGITS; ++i) sum += counts[gi * DIGITS + i];
  sums[gi] = sum;
  GroupMemoryBarrierWithGroupSync();
  [unroll] for (uint step = 1; step < THREADS; step *= 2) {
    uint before = gi >= step ? sums[gi - step] : 0;
    GroupMemoryBarrierWithGroupSync();
    sums[gi] += before;
    GroupMemoryBarrierWithGroupSync();
  }
  uint at = sums[gi] - sum;
  if (gi % DIGITS == 0) firsts[gi / DIGITS] = at;
  [unroll] for (i = 0; i < DIGITS; ++i) {
    uint count = counts[gi * DIGITS + i];
    counts[gi * DIGITS + i] = at;
    at += count;
  }
  GroupMemoryBarrierWithGroupSync();

  [unroll] for (i = 0; i < KEYS; ++i) {
    uint digit = mine[i] >> shift & DIGITS - 1, place = counts[digit * THREADS + gi]++;
    sorted[starts[g.x * DIGITS + digit] + place - firsts[digit]] = mine[i];
  }
}
