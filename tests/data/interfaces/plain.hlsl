// Classes without data: the one form of class linkage that model 5.1 has too. Compilers keep no instances of them.
interface IOp { uint Apply(uint a); };
class Add : IOp { uint Apply(uint a) { return a + 3; } };
class Mul : IOp { uint Apply(uint a) { return a * 7; } };
Add add; Mul mul; uint pick;
IOp op; IOp ops[4];
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  result[id.x] = op.Apply(id.x) + 100 * ops[pick].Apply(id.x);
}
