// Discs and boxes, drawn by the distance of each point from them. The shapes and the way to join them are not fixed
// here: the interface variables stand for the instances that the job's table `instances` selects.

interface IShape { float Distance(float2 at); };
interface IJoin { float Join(float one, float other); };

class Disc : IShape {
    float2 centre;
    float radius;
    float Distance(float2 at) { return length(at - centre) - radius; }
};

class Box : IShape {
    float2 centre;
    float2 sides;
    float Distance(float2 at) {
        float2 beyond = abs(at - centre) - sides;
        return length(max(beyond, 0)) + min(max(beyond.x, beyond.y), 0);
    }
};

// The shapes as they are. A class without data needs no instance.
class Sharp : IJoin {
    float Join(float one, float other) { return min(one, other); }
};

// The shapes, grown together where they are nearer than a width.
class Soft : IJoin {
    float width;
    float Join(float one, float other) {
        float part = saturate(0.5 + 0.5 * (other - one) / width);
        return lerp(other, one, part) - width * part * (1 - part);
    }
};

cbuffer Shapes {
    Disc discs[3];
    Box box;
    Soft soft;
};

IShape shapes[4];
IJoin joined;

RWTexture2D<unorm float4> picture;
RWStructuredBuffer<float> distances; // of every sixteenth texel along x and y

[numthreads(8, 8, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint2 size;
    picture.GetDimensions(size.x, size.y);
    float2 at = (2 * thread.xy + 1.0) / size - 1;

    float distance = shapes[0].Distance(at);
    for (uint n = 1; n < 4; n++) {
        distance = joined.Join(distance, shapes[n].Distance(at));
    }

    float3 colour = distance > 0 ? float3(0.9, 0.6, 0.3) : float3(0.35, 0.65, 0.85);
    colour *= 1 - exp(-6 * abs(distance));
    colour *= 0.8 + 0.2 * cos(120 * distance);
    colour = lerp(1, colour, smoothstep(0, 0.015, abs(distance)));
    picture[thread.xy] = float4(colour, 1);
    if (all(thread.xy % 16 == 0)) {
        distances[thread.y / 16 * (size.x / 16) + thread.x / 16] = distance;
    }
}
