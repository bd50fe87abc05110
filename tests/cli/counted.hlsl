// ps_5_0: an integer says how often the loop runs.
cbuffer W : register(b0) { uint count; float4 tint; int steps; bool on; };
float4 main(float4 p : SV_Position) : SV_Target
{
    float s = 0;
    [loop] for (uint i = 0; i < count; i++) s = s * 0.5 + sin(s + i);
    return on ? tint * s : steps;
}
