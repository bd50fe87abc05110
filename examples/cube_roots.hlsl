// Cube roots in double precision, by bisection: one thread for each number.
//
//     fxc -T cs_5_0 -E main cube_roots.hlsl -Fo cube_roots.cso
//
// The loop has no branch: each half of the interval is kept or dropped by a select of two doubles, which the compiler
// writes as dmovc.

StructuredBuffer<double> numbers : register(t0);
RWStructuredBuffer<double> roots : register(u0);

[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    double x = numbers[id.x];
    double size = x < 0 ? -x : x;

    precise double low = 0;
    precise double high = size > 1 ? size : 1;
    [loop]
    for (uint step = 0; step < 90; step++) {
        precise double middle = (low + high) * 0.5L;
        precise double cube = middle * middle * middle;
        bool below = cube <= size;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    roots[id.x] = x < 0 ? -low : low;
}
