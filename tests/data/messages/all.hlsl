// Messages of every stage: a patch of three points, divided into three triangles, whose pixels are few.
struct Point { float4 at : SV_Position; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };

RWStructuredBuffer<uint> written : register(u1);
StructuredBuffer<float> numbers : register(t0);

Point vs(uint id : SV_VertexID, uint instance : SV_InstanceID)
{
    printf("vertex %u of instance %u", id, instance);
    Point result;
    result.at = float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
    return result;
}

Factors divide(InputPatch<Point, 3> points, uint patch : SV_PrimitiveID)
{
    Factors result;
    result.edges[0] = result.edges[1] = result.edges[2] = 1;
    result.inside = 2;
    return result;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("divide")]
Point hs(InputPatch<Point, 3> points, uint n : SV_OutputControlPointID)
{
    Point result = points[n];
    result.at.z = 0.5;
    return result;
}

[domain("tri")]
Point ds(Factors factors, float3 place : SV_DomainLocation, const OutputPatch<Point, 3> points)
{
    printf("%.3f %.3f %.3f", place.x, place.y, place.z);
    Point result;
    result.at = points[0].at * place.x + points[1].at * place.y + points[2].at * place.z;
    return result;
}

[maxvertexcount(3)]
void gs(triangle Point corners[3], uint n : SV_PrimitiveID, inout TriangleStream<Point> stream)
{
    printf("triangle %u", n);
    for (uint i = 0; i < 3; i++)
        stream.Append(corners[i]);
}

float4 ps(Point input) : SV_Target
{
    if (input.at.x < 1)
        discard;
    if (input.at.y < 2)
        printf("pixel %g %g", input.at.x, input.at.y);
    return 1;
}

[numthreads(4, 2, 1)]
void cs(uint3 id : SV_DispatchThreadID)
{
    float number = numbers[id.x];
    if (number > 2)
        printf("%u, %u: %5.2f|%-6x|%e", id.x, id.y, number, id.x * 16, number);
    if (number == 3)
        errorf("three");
    if (number > 7 && id.y == 3)
        abort();
    written[id.x] = id.y;
}
