// ChaCha20 (RFC 8439): each thread enciphers a block of 64 bytes
cbuffer C : register(b0) { uint4 key[2]; uint4 nonce; };    // the first word of `nonce` counts the first block
ByteAddressBuffer plain : register(t0);
RWByteAddressBuffer cipher : register(u0);

uint4 turned(uint4 word, uint by) { return word << by | word >> 32 - by; }

// Quarter rounds of four columns at once.
void quarters(inout uint4 a, inout uint4 b, inout uint4 c, inout uint4 d) {
  a += b; d = turned(d ^ a, 16);
  c += d; b = turned(b ^ c, 12);
  a += b; d = turned(d ^ a, 8);
  c += d; b = turned(b ^ c, 7);
}

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint4 constants = uint4(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
  uint4 last = uint4(nonce.x + id.x, nonce.yzw);
  uint4 a = constants, b = key[0], c = key[1], d = last;
  [loop] for (uint round = 0; round < 10; ++round) {
    quarters(a, b, c, d);
    b = b.yzwx; c = c.zwxy; d = d.wxyz;
    quarters(a, b, c, d);
    b = b.wxyz; c = c.zwxy; d = d.yzwx;
  }
  uint at = id.x * 64;
  cipher.Store4(at, plain.Load4(at) ^ a + constants);
  cipher.Store4(at + 16, plain.Load4(at + 16) ^ b + key[0]);
  cipher.Store4(at + 32, plain.Load4(at + 32) ^ c + key[1]);
  cipher.Store4(at + 48, plain.Load4(at + 48) ^ d + last);
}
