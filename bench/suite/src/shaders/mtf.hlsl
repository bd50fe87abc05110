// Move to front, decoded: each thread has 64 codes of four bits, eight in a word, which are places in its list of symbols
#define WORDS 8
StructuredBuffer<uint> codes : register(t0);        // the first word of every thread, then the second
RWStructuredBuffer<uint> symbols : register(u0);    // in the same order
cbuffer C : register(b0) { uint threads; };

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint list[16], n;
  [unroll] for (n = 0; n < 16; ++n) list[n] = n;
  [loop] for (uint word = 0; word < WORDS; ++word) {
    uint from = codes[word * threads + id.x], to = 0;
    [loop] for (uint shift = 0; shift < 32; shift += 4) {
      uint place = from >> shift & 15, symbol = list[place];
      [loop] for (; place > 0; --place) list[place] = list[place - 1];
      list[0] = symbol;
      to |= symbol << shift;
    }
    symbols[word * threads + id.x] = to;
  }
}
