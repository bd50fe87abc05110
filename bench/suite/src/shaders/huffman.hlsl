// Huffman decoding: each thread has a stream of bits of its own, with 64 symbols, whose codes have at most nine bits
#define SYMBOLS 64
StructuredBuffer<uint> bits : register(t0);         // the first bit is the lowest of the first word
StructuredBuffer<uint> starts : register(t1);       // the bit at which each stream begins
StructuredBuffer<uint> table : register(t2);        // by the next nine bits: the symbol, and above it the length of its code
RWStructuredBuffer<uint> symbols : register(u0);    // four in a word

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint at = starts[id.x];
  [loop] for (uint word = 0; word < SYMBOLS / 4; ++word) {
    uint four = 0;
    [loop] for (uint shift = 0; shift < 32; shift += 8) {
      uint in_word = at & 31, next = bits[at / 32] >> in_word;
      if (in_word > 23) next |= bits[at / 32 + 1] << 32 - in_word;
      uint entry = table[next & 511];
      four |= (entry & 255) << shift;
      at += entry >> 8;
    }
    symbols[id.x * (SYMBOLS / 4) + word] = four;
  }
}
