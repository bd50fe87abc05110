"""The scenes with textures on something else than things: sprites, hills, passes over pictures. See scenes.py."""

import numpy as np

import texels
from document import BLENDED, HEIGHT, WIDTH, Scene, camera, start

SPRITES = """
struct Sprite
{
    float4 place;       // w: the size
    float4 tint;        // w: the cosine of the angle
};

StructuredBuffer<Sprite> sprites : register(t1);
Texture2D picture : register(t0);
SamplerState smooth : register(s0);

cbuffer Kind : register(b0)
{
    float4 channels;    // x: alpha is in green, colour in red; y: alpha is all there is
};

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
    float3 tint : TINT;
};

Point vs(uint corner : SV_VertexID, uint number : SV_InstanceID)
{
    Sprite sprite = sprites[number];
    float2 at = float2(corner & 1, corner >> 1);
    float2 side = float2(sprite.tint.w, sqrt(saturate(1 - sprite.tint.w * sprite.tint.w)));
    float2 away = (at.x * 2 - 1) * side + (1 - at.y * 2) * float2(-side.y, side.x);
    Point found;
    found.position = float4(sprite.place.xy + away * sprite.place.w * float2(0.75, 1), sprite.place.z, 1);
    found.at = at;
    found.tint = sprite.tint.rgb;
    return found;
}

float4 texel_of(Point pixel)
{
    float4 texel = picture.Sample(smooth, pixel.at);
    texel = channels.x > 0 ? texel.rrrg : texel;
#ifdef VK
    texel.a = channels.y > 0 ? texel.r : texel.a;   // Vulkan has R8 in place of A8
#endif
    return channels.y > 0 ? float4(1, 1, 1, texel.a) : texel;
}
"""


def sprites(scene, formats, count, least, most, seed, shaped):
    """Draws of each format, with sprites at random places."""
    rng = np.random.default_rng(seed)
    scene.sampler("smooth", address="CLAMP")
    for n, format in enumerate(formats):
        alpha = shaped(n)
        tile = texels.picture(alpha.shape[0], seed + n, alpha)
        if format == "R8G8_UNORM":
            tile[..., 1] = alpha
        name = format.lower()
        size = tile.shape[0]
        scene.texture(name, format, size, size, texels.chain(format, tile, seed=n), mips=int(np.log2(size)) + 1)
        rows = np.column_stack(
            [
                rng.uniform(-0.9, 0.9, (count, 2)),
                rng.uniform(0.05, 0.95, count),
                rng.uniform(least, most, count),
                rng.uniform(0.5, 1, (count, 3)),
                rng.uniform(-1, 1, count),
            ]
        )
        # From the furthest to the nearest.
        rows = rows[np.argsort(-rows[:, 2])]
        scene.buffer(f"{name}_sprites", rows)
        scene.constants(f"{name}_kind", [format == "R8G8_UNORM", format == "A8_UNORM", 0, 0])
        bind = {"b0": f"{name}_kind", "t0": name, "t1": f"{name}_sprites", "s0": "smooth"}
        scene.step("sprites", {"op": "draw", "vertices": 4, "instances": count}, depth="depth", bind=bind)


def leaves(root):
    scene = Scene(
        root,
        "leaves",
        "sprites whose alpha channel cuts a shape: BC1 with holes, BC2, BC3, BC7, B5G5R5A1, R8G8B8A8, A8",
        SPRITES + """
float4 ps(Point pixel) : SV_Target
{
    float4 texel = texel_of(pixel);
    clip(texel.a - 0.5);
    return float4(texel.rgb * pixel.tint, 1);
}
""",
        "vs",
        "ps",
    )
    start(scene)
    scene.pipeline("sprites", "vs", "ps", topology="TRIANGLESTRIP", rasterizer={"cull_mode": "NONE"})
    formats = "BC1_UNORM BC2_UNORM BC3_UNORM BC7_UNORM B5G5R5A1_UNORM R8G8B8A8_UNORM A8_UNORM".split()
    sprites(scene, formats, 40, 0.08, 0.2, 41, lambda n: texels.leaf(128, n))
    scene.write(codes=4, edge_share=0.02, wrong_share=0.002)


def smoke(root):
    scene = Scene(
        root,
        "smoke",
        "blended sprites: BC3, BC7, B4G4R4A4, R8G8, R8G8B8A8, R16G16B16A16, R10G10B10A2",
        SPRITES + """
float4 ps(Point pixel) : SV_Target
{
    float4 texel = texel_of(pixel);
    return float4(texel.rgb * pixel.tint, texel.a);
}
""",
        "vs",
        "ps",
    )
    start(scene)
    scene.pipeline(
        "sprites",
        "vs",
        "ps",
        topology="TRIANGLESTRIP",
        rasterizer={"cull_mode": "NONE"},
        blend=BLENDED,
        depth_stencil={"depth_write_mask": "ZERO"},
    )
    formats = "BC3_UNORM_SRGB BC7_UNORM B4G4R4A4_UNORM R8G8_UNORM R8G8B8A8_UNORM_SRGB R16G16B16A16_FLOAT R10G10B10A2_UNORM".split()

    def cloud(n):
        y, x = (np.mgrid[0:64, 0:64] + 0.5) / 32 - 1
        return np.clip(1 - np.hypot(x, y), 0, 1) * texels.noise(64, 60 + n)

    sprites(scene, formats, 14, 0.15, 0.35, 51, cloud)
    scene.write(codes=5, edge_share=0.01, wrong_share=0.002)


def terrain_layers(root):
    scene = Scene(
        root,
        "terrain_layers",
        "hills of a height map in R16, layers of BC1, BC3 and B5G6R5 mixed by R8G8, anisotropic",
        """
cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

Texture2D<float> heights : register(t0);
Texture2D grass : register(t1);
Texture2D rock : register(t2);
Texture2D sand : register(t3);
Texture2D<float2> shares : register(t4);
Texture2D<float2> slopes : register(t5);
SamplerState smooth : register(s0);
SamplerState oblique : register(s1);

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
};

Point vs(float2 at : PLACE)
{
    Point found;
    float height = heights.SampleLevel(smooth, at, 0);
    found.position = mul(float4(at.x * 8 - 4, height * 1.5, at.y * 8 - 4, 1), view);
    found.at = at;
    return found;
}

float4 ps(Point pixel) : SV_Target
{
    float2 share = shares.Sample(smooth, pixel.at);
    float3 colour = lerp(sand.Sample(oblique, pixel.at * 6).rgb, grass.Sample(oblique, pixel.at * 8).rgb, share.x);
    colour = lerp(colour, rock.Sample(oblique, pixel.at * 5).rgb, share.y);
    float2 slope = slopes.Sample(oblique, pixel.at * 2) * 2 - 1;
    float light = saturate(dot(float3(slope, sqrt(saturate(1 - dot(slope, slope)))), normalize(float3(0.5, 0.3, 0.8))));
    return float4(colour * (0.3 + 0.8 * light), 1);
}
""",
        "vs",
        "ps",
    )
    start(scene, (0.6, 0.7, 0.85, 1))
    camera(scene, (0, 2.1, -4.2), (0, 0.3, 0.5))
    u, v = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, 65), np.linspace(0, 1, 65)))
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(64), np.arange(64)))
    first = y * 65 + x
    draw = scene.mesh("grid", np.column_stack([u, v]), np.column_stack([first, first + 65, first + 1, first + 1, first + 65, first + 66]))
    scene.pipeline("hills", "vs", "ps", input_layout=[{"semantic": "PLACE", "format": "R32G32_FLOAT", "offset": 0}])
    scene.sampler("smooth", "MIN_MAG_MIP_LINEAR", "CLAMP")
    scene.sampler("oblique", "ANISOTROPIC", "WRAP", max_anisotropy=8)
    height = np.dstack([texels.noise(128, 61, 3)] * 4)
    scene.texture("heights", "R16_UNORM", 128, 128, texels.encode("R16_UNORM", height))
    mixed = np.dstack(
        [np.clip(texels.noise(128, 62) * 3 - 1, 0, 1), np.clip(height[..., 0] * 4 - 2.2, 0, 1), height[..., 0], height[..., 0]]
    )
    scene.texture("shares", "R8G8_UNORM", 128, 128, texels.chain("R8G8_UNORM", mixed), mips=8)
    scene.tiled("grass", "BC1_UNORM_SRGB", texels.picture(128, 63), 4)
    scene.tiled("rock", "BC3_UNORM_SRGB", texels.picture(128, 64), 4)
    scene.tiled("sand", "B5G6R5_UNORM", texels.picture(64, 65), 4)
    scene.tiled("slopes", "BC5_UNORM", texels.bumps(128, 66), 4)
    names = ["heights", "grass", "rock", "sand", "shares", "slopes"]
    bind = {"b0": "camera", **{f"t{n}": name for n, name in enumerate(names)}, "s0": "smooth", "s1": "oblique"}
    scene.step("hills", draw, depth="depth", bind=bind)
    scene.write(codes=6, edge_share=0.05, wrong_share=0.05)


def bloom(root):
    scene = Scene(
        root,
        "bloom",
        "light in BC6H to R11G11B10 targets, reduced, blurred and enlarged in halves and R11G11B10, tone-mapped",
        """
Texture2D source : register(t0);
Texture2D second : register(t1);
SamplerState smooth : register(s0);

cbuffer Parameters : register(b0)
{
    float2 step;        // of texture coordinates
    float scale, least;
};

struct Covered
{
    float4 position : SV_Position;
    float2 at : AT;
};

float4 ps_light(Covered pixel) : SV_Target
{
    return source.Sample(smooth, pixel.at * float2(1.3, 1) + 0.1) * scale;
}

float4 ps_bright(Covered pixel) : SV_Target
{
    float4 sum = 0;
    [unroll] for (int n = 0; n < 4; n++)
        sum += max(source.Sample(smooth, pixel.at + (float2(n & 1, n >> 1) - 0.5) * step * 2) - least, 0);
    return sum / 4;
}

float4 ps_blur(Covered pixel) : SV_Target
{
    float4 sum = source.Sample(smooth, pixel.at) * 0.204164;
    sum += (source.Sample(smooth, pixel.at + step * 1.407333) + source.Sample(smooth, pixel.at - step * 1.407333)) * 0.304005;
    sum += (source.Sample(smooth, pixel.at + step * 3.294215) + source.Sample(smooth, pixel.at - step * 3.294215)) * 0.093913;
    return sum;
}

float4 ps_finish(Covered pixel) : SV_Target
{
    float3 light = source.Sample(smooth, pixel.at).rgb + second.Sample(smooth, pixel.at).rgb * scale;
    light = light * (light * 2.51 + 0.03) / (light * (light * 2.43 + 0.59) + 0.14);
    return float4(sqrt(saturate(light)), 1);
}
""",
        "cover",
        "ps_light",
        "ps_bright",
        "ps_blur",
        "ps_finish",
    )
    scene.tiled("sky", "BC6H_UF16", texels.light(128, 71), 4)
    scene.sampler("smooth")
    for name, format, divisor in [
        ("lit", "R11G11B10_FLOAT", 1),
        ("half", "R16G16B16A16_FLOAT", 2),
        ("small", "R11G11B10_FLOAT", 4),
        ("across", "R16G16B16A16_FLOAT", 4),
    ]:
        scene.texture(name, format, WIDTH // divisor, HEIGHT // divisor)
    for name in ("light", "bright", "blur", "finish"):
        scene.pipeline(name, "cover", f"ps_{name}", depth_stencil={"depth_enable": False})
    step = lambda name, x, y, divisor, scale=1.0, least=0.0: scene.constants(
        name, [x * divisor / WIDTH, y * divisor / HEIGHT], [scale, least]
    )
    step("whole", 1, 1, 1, 1.0, 1.0)
    step("halves", 1, 1, 2)
    step("sideways", 1, 0, 4)
    step("upwards", 0, 1, 4, 0.8)
    passes = [
        ("light", "lit", "sky", "whole"),
        ("bright", "half", "lit", "whole"),
        ("bright", "small", "half", "halves"),
        ("blur", "across", "small", "sideways"),
        ("blur", "small", "across", "upwards"),
        ("blur", "across", "small", "sideways"),
        ("blur", "small", "across", "upwards"),
    ]
    for pipeline, target, source, constants in passes:
        scene.cover(pipeline, [target], bind={"b0": constants, "t0": source, "s0": "smooth"})
    scene.cover("finish", ["target"], bind={"b0": "upwards", "t0": "lit", "t1": "small", "s0": "smooth"})
    scene.write(codes=4, edge_share=0.005, wrong_share=0.001)


def grading(root):
    scene = Scene(
        root,
        "grading",
        "a photograph in B8G8R8A8 through tables in volumes of R10G10B10A2 and R16G16B16A16, with grain in R8 and R16",
        """
Texture2D photograph : register(t0);
Texture3D warm : register(t1);
Texture3D cold : register(t2);
Texture2D<float> grain : register(t3);
Texture2D<float> dust : register(t4);
Texture1D<float4> curve : register(t5);
SamplerState smooth : register(s0);
SamplerState repeated : register(s1);

struct Covered
{
    float4 position : SV_Position;
    float2 at : AT;
};

float4 ps(Covered pixel) : SV_Target
{
    float3 colour = photograph.Sample(smooth, pixel.at).rgb;
    float3 place = sqrt(saturate(colour)) * (15.0 / 16) + 0.5 / 16;
    float3 graded = lerp(warm.Sample(smooth, place).rgb, cold.Sample(smooth, place).rgb, smoothstep(0.3, 0.7, pixel.at.x));
    graded += grain.Sample(repeated, pixel.at * 5) * 0.06;
    graded *= 1 - 0.4 * dust.Sample(repeated, pixel.at * 2);
    graded.r = curve.Sample(smooth, graded.r).r;
    graded.g = curve.Sample(smooth, graded.g).g;
    return float4(graded, 1);
}
""",
        "cover",
        "ps",
    )
    scene.sampler("smooth", address="CLAMP")
    scene.sampler("repeated")
    scene.tiled("photograph", "B8G8R8A8_UNORM_SRGB", texels.picture(128, 81), 4)
    z, y, x = np.mgrid[0:16, 0:16, 0:16] / 15.0
    ones = np.ones_like(x)
    scene.texture(
        "warm",
        "R10G10B10A2_UNORM",
        16,
        16,
        texels.volume("R10G10B10A2_UNORM", np.stack([x**0.8, y * 0.9 + 0.05 * x, z**1.3, ones], -1)),
        "texture3d",
        depth=16,
    )
    scene.texture(
        "cold",
        "R16G16B16A16_FLOAT",
        16,
        16,
        texels.volume("R16G16B16A16_FLOAT", np.stack([x**1.4, y**1.1, z * 0.8 + 0.2 * y, ones], -1)),
        "texture3d",
        depth=16,
    )
    scene.tiled("grain", "R8_SNORM", texels.picture(128, 82), 2)
    scene.tiled("dust", "R16_UNORM", texels.picture(64, 83) ** 3, 4)
    ramp = np.linspace(0, 1, 256)[None]
    scene.json["resources"]["curve"] = {
        "kind": "texture1d",
        "format": "R8G8B8A8_UNORM",
        "width": 256,
        "file": scene.file("curve.bin", texels.encode("R8G8B8A8_UNORM", np.dstack([ramp**0.9, ramp * ramp * (3 - 2 * ramp), ramp, ramp]))),
    }
    scene.pipeline("grade", "cover", "ps", depth_stencil={"depth_enable": False})
    names = ["photograph", "warm", "cold", "grain", "dust", "curve"]
    scene.cover("grade", ["target"], bind={**{f"t{n}": name for n, name in enumerate(names)}, "s0": "smooth", "s1": "repeated"})
    scene.write(codes=4, edge_share=0.005, wrong_share=0.001)
