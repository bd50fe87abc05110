// Sorts blocks of 2,048 numbers, each in one group: a bitonic sort in shared memory.
//
//     fxc -T cs_5_0 -E main bitonic_sort.hlsl -Fo bitonic_sort.cso
//
// A sequence is bitonic if it rises and then falls. Comparing each number with the one half a sequence away, and swapping
// where needed, leaves two bitonic halves, and none of the first is above any of the second. So runs of 2, 4, 8 … numbers
// are sorted, rising and falling by turns, until there is one. Which numbers meet does not depend on the numbers: each
// thread compares one pair in each step, and a barrier divides the steps.

#define NUMBERS 2048
#define THREADS 1024

StructuredBuffer<uint> numbers : register(t0);
RWStructuredBuffer<uint> sorted : register(u0);

groupshared uint block[NUMBERS];

[numthreads(THREADS, 1, 1)]
void main(uint thread : SV_GroupIndex, uint3 group : SV_GroupID) {
    uint first = NUMBERS * group.x;
    block[thread] = numbers[first + thread];
    block[thread + THREADS] = numbers[first + thread + THREADS];

    for (uint run = 2; run <= NUMBERS; run *= 2) {
        for (uint reach = run / 2; reach > 0; reach /= 2) {
            GroupMemoryBarrierWithGroupSync();
            // The thread's number with a 0 inserted at the bit of the reach: the lower index of its pair.
            uint low = 2 * thread - (thread & (reach - 1));
            uint high = low + reach;
            uint a = block[low], b = block[high];
            bool rising = (low & run) == 0;
            if ((a > b) == rising) {
                block[low] = b;
                block[high] = a;
            }
        }
    }

    GroupMemoryBarrierWithGroupSync();
    sorted[first + thread] = block[thread];
    sorted[first + thread + THREADS] = block[thread + THREADS];
}
