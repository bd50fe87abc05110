// Records of a CSV file: how many fields each has, and the sum of those that are whole numbers
ByteAddressBuffer text : register(t0);
StructuredBuffer<uint> starts : register(t1);       // where each record begins
RWStructuredBuffer<int2> sums : register(u0);

[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  uint at = starts[id.x];
  int fields = 1, sum = 0, number = 0;
  bool is_negative = false, is_number = true;
  [loop] for (;;) {
    uint character = text.Load(at & ~3) >> (at & 3) * 8 & 255;
    if (character >= '0' && character <= '9') {
      number = number * 10 + (int)(character - '0');
    } else if (character == '-') {
      is_negative = true;
    } else if (character == ',' || character == '\n') {
      if (is_number) sum += is_negative ? -number : number;
      number = 0;
      is_negative = false;
      is_number = true;
      if (character == '\n') break;
      ++fields;
    } else {
      is_number = false;
    }
    ++at;
  }
  sums[id.x] = int2(fields, sum);
}
