struct Point
{
    float4 position : SV_Position;
    float2 uv : UV;
};

float4 size;

[maxvertexcount(4)]
void grow(line Point ends[2], uint primitive : SV_PrimitiveID, inout TriangleStream<Point> stream)
{
    for (uint corner = 0; corner < 4; corner++)
    {
        Point made = ends[corner / 2];
        made.position.y += corner & 1 ? size.y : 0;
        made.uv *= primitive;
        stream.Append(made);
    }
}
