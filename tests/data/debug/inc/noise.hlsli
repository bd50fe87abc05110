// A hash, and noise made of it.
float hash(float2 p)
{
    return frac(sin(dot(p, float2(12.9898, 78.233))) * 43758.5453);
}

float noise(float2 p)
{
    float2 cell = floor(p);
    float2 f = p - cell;
    float a = hash(cell);
    float b = hash(cell + float2(1, 0));
    return lerp(a, b, f.x);
}
