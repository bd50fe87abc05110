// Every instance is a square in a layer of its own; the pixel shader sees the number of the layer.
struct V { float4 position : SV_Position; uint layer : SV_RenderTargetArrayIndex; };

V vs(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    float2 corner = float2(vertex & 1, vertex >> 1) * 2 - 1;
    V v;
    v.position = float4(corner.x * 0.5, -corner.y, 0.5 - 0.125 * instance, 1);
    v.layer = instance;
    return v;
}

float4 ps(V v) : SV_Target
{
    return float4(v.layer * 0.25, 1, 0, 1);
}

// Twice what is in the level above, at the texel of the same place.
Texture2D<float4> above : register(t0);

float4 ps_half(float4 position : SV_Position) : SV_Target
{
    return above.Load(int3(position.xy * 2, 0)) * 2;
}
