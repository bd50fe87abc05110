// Base64 (RFC 4648) to bytes: sixteen characters a thread. Four characters with one outside of the alphabet give three bytes 0xff
ByteAddressBuffer text : register(t0);
RWByteAddressBuffer bytes : register(u0);

uint value(uint c) {
  if (c - 'A' < 26) return c - 'A';
  if (c - 'a' < 26) return c - 'a' + 26;
  if (c - '0' < 10) return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

// Three bytes, the first in the lowest bits.
uint decode(uint word) {
  uint a = value(word & 255), b = value(word >> 8 & 255), c = value(word >> 16 & 255), d = value(word >> 24);
  uint bits = a << 18 | b << 12 | c << 6 | d;
  return (a | b | c | d) > 63 ? 0xffffff : bits >> 16 | bits & 0xff00 | (bits & 255) << 16;
}

[numthreads(256, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint4 words = text.Load4(id.x * 16);
  uint a = decode(words.x), b = decode(words.y), c = decode(words.z), d = decode(words.w);
  bytes.Store3(id.x * 12, uint3(a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8));
}
