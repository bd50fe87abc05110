// Textures and samplers as members of structures in constant buffers, which models before 5.0 do not have.
struct Tex { float4 a; Texture2D t; SamplerState s; };
struct OnlyTex { Texture2D t; };
struct Several { Texture2D t[3]; Texture3D v; SamplerState s; SamplerComparisonState c; float x; };
struct Sampler { float f; SamplerState s; };
struct Samplers { float f; SamplerState s[2]; };
struct Texture { float f; Texture2D t; };
struct Textures { float f; Texture2D t[2]; };
struct Deep { struct { struct { Texture2D t; float f; } b; } a; };
struct Nested { float y; Tex inner; OnlyTex only; };
Tex globals;
Tex unused;
struct { float q; Texture2D t; } unnamed;
Texture fixed : register(t20);
cbuffer C {
  float before;
  Tex one;
  Tex many[2];
  OnlyTex only;
  Several several;
  Nested nested;
  Sampler sampled;
  Samplers samplers;
  Textures textures;
  Deep deep;
  float4 after = {1, 2, 3, 4};
};
float4 main() : SV_Target {
  float4 sum = globals.t.Sample(globals.s, 0.5) + unnamed.t.Sample(globals.s, unnamed.q) + fixed.t.Sample(one.s, fixed.f);
  sum += one.a + one.t.Sample(one.s, 0.5) + many[1].t.Sample(many[1].s, 0.5) + only.t.Sample(sampled.s, 0.5);
  sum += several.t[2].Sample(several.s, 0.5) + several.v.Sample(several.s, 0.5) + several.t[0].SampleCmp(several.c, 0.5, 0.5);
  sum += nested.inner.t.Sample(nested.inner.s, 0.5) + nested.only.t.Sample(samplers.s[1], samplers.f);
  sum += textures.t[1].Sample(samplers.s[0], 0.5) + deep.a.b.t.Sample(sampled.s, deep.a.b.f);
  return sum + after;
}
