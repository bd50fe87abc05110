// Loops that end after `rounds` / 2 rounds if `rounds` is even, and never if it is odd.

cbuffer Rounds : register(b0)
{
    uint rounds;
};

RWByteAddressBuffer result : register(u0);

groupshared uint total;

[numthreads(20, 1, 1)]
void plain(uint3 id : SV_DispatchThreadID)
{
    uint n = 0;
    while (n != rounds)
        n += 2;
    result.Store(4 * id.x, n + id.x);
}

// Only the last thread of the second group may loop for ever.
[numthreads(20, 1, 1)]
void one_thread(uint3 id : SV_DispatchThreadID)
{
    uint n = 0;
    uint last = id.x == 39 ? rounds : 10;
    while (n != last)
        n += 2;
    result.Store(4 * id.x, n + id.x);
}

[numthreads(20, 1, 1)]
void barriers(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    uint n = 0;
    while (n != rounds)
    {
        if (index == 0)
            total = n;
        GroupMemoryBarrierWithGroupSync();
        n = total + 2;
        GroupMemoryBarrierWithGroupSync();
    }
    result.Store(4 * id.x, n + id.x);
}

// Adds up the group's indices: shows that a worker is in order after a run was stopped.
[numthreads(20, 1, 1)]
void sum(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    if (index == 0)
        total = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(total, id.x);
    GroupMemoryBarrierWithGroupSync();
    result.Store(4 * id.x, total + rounds);
}
