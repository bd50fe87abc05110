// A constant buffer that is one structure, as model 5.1 has them.
//
// fxc compile block.hlsl -T cs_5_1 -E main -o block.cso
struct Block { float2 center; uint limit; };
ConstantBuffer<Block> block : register(b3, space1);
RWStructuredBuffer<uint> results : register(u0);
[numthreads(1, 1, 1)] void main() {
    results[0] = (uint)block.center.x;
    results[1] = (uint)block.center.y;
    results[2] = block.limit;
}
