// Class instances that are listed in different ways: arrays of several elements and of one, with data and without,
// in a constant buffer and outside, with textures and samplers alone.

interface IShape { float Distance(float2 at); };

class Disc : IShape {
    float2 centre;
    float Distance(float2 at) { return length(at - centre); }
};

class Field : IShape {
    float scale;
    Texture2D<float> texels;
    SamplerState filtering;
    float Distance(float2 at) { return scale * texels.SampleLevel(filtering, at, 0); }
};

class Map : IShape {
    Texture2D<float> texels;
    SamplerState filtering;
    float Distance(float2 at) { return texels.SampleLevel(filtering, at, 0); }
};

class Nothing : IShape {
    float Distance(float2 at) { return 1; }
};

Disc lone;
Disc one[1];
Disc three[3];
Disc of_a_name_that_is_longer_than_its_column[12];
Disc inside_out[2][3];
Map map;
Map only_map[1];
Map maps[2];
Nothing nothing;
Nothing nothings[2];
cbuffer Inner {
    Disc inner[2];
    Field field;
    Field fields[2];
    Field only_field[1];
};

IShape shape;
IShape shapes[2];
RWStructuredBuffer<float> distances;

[numthreads(1, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    float2 at = thread.xy;
    distances[thread.x] = shape.Distance(at) + shapes[0].Distance(at) + shapes[1].Distance(at);
}
