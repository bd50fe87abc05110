// An island in the evening, as a Direct3D 9 title draws it: the vertex shader samples heights from a texture.
//
//     fxc -T vs_3_0 -E land_vs    fxc -T ps_3_0 -E land_ps
//     fxc -T vs_2_0 -E cover_vs   fxc -T ps_2_0 -E sky_ps   fxc -T ps_2_0 -E halve_ps

// Of the camera: the way to clip space, where it is, and what it looks at.
float4x4 camera;
float3 eye;
float3 right, up, ahead;
// Half of a pixel, by which Direct3D 9 has pixels further to the left and up than texels.
float2 half_texel;

static const float3 SUN = normalize(float3(-0.55, 0.17, 0.9));
static const float3 SUNLIGHT = float3(1.9, 1.25, 0.75);
static const float SEA = 0.3;

sampler2D heights : register(s0);
sampler2D picture : register(s0);

// The colour of the sky in a direction.
float3 sky(float3 way)
{
    float height = saturate(way.y);
    float3 color = lerp(float3(0.98, 0.62, 0.38), float3(0.16, 0.28, 0.55), saturate(sqrt(height) * 1.35));
    float toward = saturate(dot(way, SUN));
    return color + SUNLIGHT * (0.35 * pow(toward, 6) * (1 - height) + 0.5 * pow(toward, 90) + 3 * smoothstep(0.9994, 0.9997, toward));
}

struct Land
{
    float4 place : POSITION;
    float3 world : TEXCOORD0;
    float3 normal : TEXCOORD1;
    // The ground, counted from the sea.
    float ground : TEXCOORD2;
};

float height(float2 at)
{
    return tex2Dlod(heights, float4(at, 0, 0)).x * 2.4;
}

// A vertex of the grid, from 0 to 96 across and along. At its edge it reaches to the horizon.
Land land_vs(float4 corner : POSITION)
{
    float2 at = corner.xy / 96;
    float2 from = at * 2 - 1;
    float2 plain = from * (1 + 60 * pow(max(abs(from.x), abs(from.y)), 20));
    float ground = height(at);
    float step = 1.0 / 96;
    float slope_x = height(at + float2(step, 0)) - height(at - float2(step, 0));
    float slope_z = height(at + float2(0, step)) - height(at - float2(0, step));
    Land land;
    land.world = float3(plain.x * 5, max(ground, SEA), plain.y * 5);
    land.normal = normalize(float3(-slope_x, 20.0 / 96, -slope_z));
    land.ground = ground - SEA;
    land.place = mul(float4(land.world, 1), camera);
    return land;
}

float4 land_ps(Land land) : COLOR
{
    float3 way = land.world - eye;
    float distance = length(way);
    way /= distance;
    float3 color;
    if (land.ground < 0)
    {
        // Waves that get lost in the distance.
        float2 at = land.world.xz;
        float2 wave = cos(at.yx * 7 + at.xy * 3 + sin(at * 2.3)) * 0.6 + cos(at * 17 - at.yx * 9) * 0.4;
        float3 normal = normalize(float3(wave.x * 0.07, 1, wave.y * 0.07) * float3(1 / (1 + 0.04 * distance), 1, 1 / (1 + 0.04 * distance)));
        float mirrors = 0.03 + 0.97 * pow(1 - saturate(dot(-way, normal)), 5);
        float3 back = reflect(way, normal);
        back.y = abs(back.y);
        float shallow = exp(land.ground * 14);
        float3 water = lerp(float3(0.02, 0.09, 0.14), float3(0.1, 0.42, 0.4), shallow);
        color = lerp(water, sky(back), saturate(mirrors));
        float foam = smoothstep(-0.035, 0, land.ground + 0.01 * wave.x);
        color = lerp(color, float3(1, 0.9, 0.8), foam * 0.75);
    }
    else
    {
        float3 normal = normalize(land.normal);
        float flat = smoothstep(0.62, 0.86, normal.y);
        float grain = frac(sin(dot(floor(land.world.xz * 60), float2(12.9898, 78.233))) * 43.5);
        float3 rock = float3(0.34, 0.28, 0.25) * (0.85 + 0.3 * grain);
        float3 grass = lerp(float3(0.2, 0.3, 0.1), float3(0.3, 0.32, 0.14), grain);
        float3 ground = lerp(rock, grass, flat);
        ground = lerp(float3(0.78, 0.66, 0.46), ground, smoothstep(0.03, 0.1, land.ground));
        ground = lerp(ground, float3(0.9, 0.9, 0.95), smoothstep(1.0, 1.25, land.ground + 0.1 * grain) * smoothstep(0.4, 0.7, normal.y));
        float3 light = SUNLIGHT * saturate(dot(normal, SUN)) + float3(0.3, 0.36, 0.5) * (0.6 + 0.4 * normal.y);
        color = ground * light;
    }
    float haze = 1 - exp(-distance * 0.018);
    float3 behind = sky(normalize(float3(way.x, 0.02, way.z)));
    return float4(lerp(color, behind, haze), 1);
}

struct Cover
{
    float4 place : POSITION;
    float2 at : TEXCOORD0;
    float3 way : TEXCOORD1;
};

// A triangle over everything.
Cover cover_vs(float4 corner : POSITION)
{
    Cover cover;
    cover.place = float4(corner.xy, 1, 1);
    cover.at = corner.xy * float2(0.5, -0.5) + 0.5 + half_texel;
    cover.way = ahead + corner.x * right + corner.y * up;
    return cover;
}

float4 sky_ps(Cover cover) : COLOR
{
    return float4(sky(normalize(cover.way)), 1);
}

// Four pixels become one; bright ones keep their colour.
float4 halve_ps(Cover cover) : COLOR
{
    float3 color = tex2D(picture, cover.at).xyz;
    return float4(1 - exp(-1.15 * color), 1);
}
