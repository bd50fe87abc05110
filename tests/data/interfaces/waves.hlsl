// Interfaces in interfaces: methods that return early and loop, classes without data, arrays of instances, an interface
// whose methods call another's.
interface IWave { float At(float x); };
class Square : IWave {
  float level;
  float At(float x) { if (x < 4) return -level; return level; }
};
class Ramp : IWave {
  float slope; float start;
  float At(float x) { float y = start; [loop] for (uint i = 0; i < (uint)x; i++) { if (y > 100) break; y += slope; } return y; }
};
class Zero : IWave { float At(float x) { return 0; } };

interface IMix { float Mix(float x); };
cbuffer Waves : register(b1) { Square square; Ramp ramps[3]; Zero zero; };
IWave wave; IWave waves[3];
class Sum : IMix {
  float4 more; float bias;
  float Mix(float x) { float s = bias; [loop] for (uint i = 0; i < 3; i++) s += waves[i].At(x); return s + more.z; }
};
class Pick : IMix { uint index; float Mix(float x) { return waves[index].At(x) * wave.At(x); } };
cbuffer Mixes : register(b3) { float4 pad; Sum sum; Pick pick; };
IMix mix;

RWStructuredBuffer<float> result : register(u0);
[numthreads(12, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  float x = id.x;
  result[id.x] = mix.Mix(x) + 1000 * wave.At(x);
}
