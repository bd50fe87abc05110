// Barriers under conditions that the compiler takes for the same in all threads of a group: they come from shared memory
// and from a buffer at the group's number. A test patches that to be the thread's number.
//
//     fxc compile computed.hlsl -T cs_5_0 -E main -o computed.cso

struct Plan
{
    uint rounds;
    uint way;
};

StructuredBuffer<Plan> plans : register(t0);
RWStructuredBuffer<uint> results : register(u0);

groupshared uint values[20];
groupshared uint steps;

[numthreads(20, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex, uint3 id : SV_DispatchThreadID)
{
    Plan plan = plans[group.x];
    uint value = 3 * id.x + 1;
    if (index == 7)
        steps = plan.rounds;
    GroupMemoryBarrierWithGroupSync();

    // A loop on a number in shared memory, with a way out after the barriers.
    [loop] for (uint n = 0; n < steps; n++)
    {
        values[index] = value;
        GroupMemoryBarrierWithGroupSync();
        value += values[index == 19 ? 0 : index + 1];
        GroupMemoryBarrierWithGroupSync();
        [branch] if (plan.way == 3 && n == 1)
            break;
    }

    // A switch on a number from a buffer.
    [branch] switch (plan.way)
    {
    case 0:
        values[index] = value;
        GroupMemoryBarrierWithGroupSync();
        value += values[19 - index];
        break;
    case 1:
        [loop] for (uint m = 0; m < plan.rounds; m++)
        {
            values[index] = value;
            GroupMemoryBarrierWithGroupSync();
            value ^= values[index ^ 1];
            GroupMemoryBarrierWithGroupSync();
        }
        break;
    default:
        value += 1000;
        break;
    }
    results[id.x] = value;
}
