#!/usr/bin/env python3
"""Makes the scenes with textures of tests/data/scenes: their textures, meshes and documents, and the list of shaders to compile.

    scripts/textures/scenes.py [--shaders LIST] [--adopt RESULTS]

Needs numpy and zstandard. Shaders are compiled with fxc; LIST has a line for each: source, model, entry, compiled form. RESULTS is a folder with
what lavapipe drew, SCENE/picked.bin, as `scene_peers.py --draw` leaves it in WORK/scenes/out/lavapipe; it becomes what the scenes expect.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

import texels
from document import BLENDED, HEIGHT, MESH_LAYOUT, STRIDE, WIDTH, Scene, ball, floor, looking, moved, parallel, perspective, png, ring, surface

ROOT = Path(__file__).resolve().parent.parent.parent / "tests" / "data" / "scenes"

# What meshes begin with: b0 is the camera, b1 the thing.
MESH = """
cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

cbuffer Thing : register(b1)
{
    row_major float4x4 place;
    float2 repeats;     // of the texture
    float is_grey;      // what the texture has: 0 colours, 1 one channel, 2 two
    float level;        // of detail, where the shader says one
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 at : TEXCOORD;
};

struct Point
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 at : AT;
};

Point vs(Vertex vertex)
{
    Point found;
    float4 world = mul(float4(vertex.position, 1), place);
    found.position = mul(world, view);
    found.world = world.xyz;
    found.normal = mul(vertex.normal, (float3x3)place);
    found.at = vertex.at * repeats;
    return found;
}

float lit(float3 normal)
{
    return 0.35 + 0.65 * saturate(dot(normalize(normal), normalize(float3(0.5, 0.8, -0.6))));
}
"""


def camera(scene, eye, at, angle=0.8):
    return scene.constants("camera", looking(eye, at) @ perspective(angle), [*eye, 1])


def thing(scene, name, place, repeats=(1, 1), is_grey=0, level=0):
    return scene.constants(name, place, repeats, [is_grey, level])


def start(scene, color=(0.1, 0.12, 0.16, 1)):
    scene.texture("depth", "D32_FLOAT", WIDTH, HEIGHT)
    scene.clear("target", color=list(color))
    scene.clear("depth", depth=1.0)


def block_balls(root):
    scene = Scene(root, "block_balls", "balls in every block-compressed format, with levels of detail", MESH + """
Texture2D skin : register(t0);
SamplerState smooth : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float4 texel = skin.Sample(smooth, pixel.at);
    float3 colour = abs(is_grey == 0 ? texel.rgb : is_grey == 1 ? texel.rrr : float3(texel.rg, 0.5));
    return float4(colour / (1 + max(max(colour.r, max(colour.g, colour.b)) - 1, 0)) * lit(pixel.normal), texel.a);
}
""", "vs", "ps")
    start(scene)
    camera(scene, (0, 0, -9), (0, 0, 0), 0.62)
    draw = scene.mesh("ball", *surface(32, 16, ball))
    scene.sampler("smooth")
    scene.pipeline("balls", "vs", "ps", input_layout=MESH_LAYOUT)
    formats = ("BC1_UNORM BC1_UNORM_SRGB BC2_UNORM BC3_UNORM BC3_UNORM_SRGB BC4_UNORM BC4_SNORM BC5_UNORM BC5_SNORM BC6H_UF16 BC7_UNORM BC7_UNORM_SRGB").split()
    for n, format in enumerate(formats):
        tile = texels.light(64, n) if format == "BC6H_UF16" else texels.picture(64, n, 0.25 + 0.75 * texels.noise(64, n + 50))
        name = format.lower()
        scene.tiled(name, format, tile, 8, n)
        grey = {"BC4": 1, "BC5": 2}.get(format[:3], 0)
        place = np.diag([0.85, 0.85, 0.85, 1]) @ moved((n % 4 - 1.5) * 1.75, (1 - n // 4) * 1.75, 0)
        thing(scene, f"at_{name}", place, (0.6, 0.3), grey)
        scene.step("balls", draw, depth="depth", bind={"b0": "camera", "b1": f"at_{name}", "t0": name, "s0": "smooth"})
    scene.write(codes=4, edge_share=0.01, wrong_share=0.001)


def block_filters(root):
    scene = Scene(root, "block_filters", "floors that recede, with BC1, BC3 and BC7 under every filter of textures", MESH + """
Texture2D skin : register(t0);
SamplerState chosen : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float4 texel = skin.Sample(chosen, pixel.at);
    return float4(lerp(float3(0.5, 0.6, 0.7), texel.rgb, saturate(1.6 - pixel.position.w * 0.12)), 1);
}
""", "vs", "ps")
    start(scene, (0.5, 0.6, 0.7, 1))
    scene.constants("camera", looking((0, 0.9, -1), (0, 0.35, 3)) @ perspective(0.9, (WIDTH / 3) / (HEIGHT / 2)), [0, 0.9, -1, 1])
    draw = scene.mesh("floor", *surface(8, 8, floor))
    scene.pipeline("floors", "vs", "ps", input_layout=MESH_LAYOUT)
    thing(scene, "below", np.diag([4, 1, 8, 1]) @ moved(0, 0, 7), (3, 6))
    for name, format, seed in [("stone", "BC1_UNORM", 21), ("wood", "BC7_UNORM_SRGB", 22), ("cloth", "BC3_UNORM", 23)]:
        scene.tiled(name, format, texels.picture(128, seed), 4, seed)
    filters = [
        ("point", "MIN_MAG_MIP_POINT", {}), ("bilinear", "MIN_MAG_LINEAR_MIP_POINT", {}), ("trilinear", "MIN_MAG_MIP_LINEAR", {}),
        ("crisp", "MIN_MAG_POINT_MIP_LINEAR", {}), ("aniso4", "ANISOTROPIC", {"max_anisotropy": 4}), ("aniso16", "ANISOTROPIC", {"max_anisotropy": 16}),
    ]
    for n, (name, filter, more) in enumerate(filters):
        scene.sampler(name, filter, **more)
        width, height = WIDTH // 3, HEIGHT // 2
        viewport = [n % 3 * width, n // 3 * height, width, height, 0, 1]
        skin = ["stone", "wood", "cloth"][(n + n // 3) % 3]
        scene.step("floors", draw, depth="depth", viewport=viewport, bind={"b0": "camera", "b1": "below", "t0": skin, "s0": name})
    scene.write(codes=26, edge_share=0.04, wrong_share=0.02)


def normal_mapped(root):
    scene = Scene(root, "normal_mapped", "a ring and a floor with colours in BC7, normals in BC5, gloss in BC4 and R8", MESH + """
Texture2D colours : register(t0);
Texture2D<float2> normals : register(t1);
Texture2D<float> gloss : register(t2);
SamplerState smooth : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float3 along = ddx(pixel.world), across = ddy(pixel.world);
    float2 du = ddx(pixel.at), dv = ddy(pixel.at);
    float3 normal = normalize(pixel.normal);
    float3 tangent = normalize(along * dv.y - across * du.y + 1e-6);
    tangent = normalize(tangent - normal * dot(normal, tangent));
    float2 slope = normals.Sample(smooth, pixel.at);
    slope = is_grey == 0 ? slope * 2 - 1 : slope;
    float3 bumped = tangent * slope.x + cross(normal, tangent) * slope.y + normal * sqrt(saturate(1 - dot(slope, slope)));
    float3 toward = normalize(eye.xyz - pixel.world), light = normalize(float3(0.5, 0.8, -0.6));
    float shine = pow(saturate(dot(normalize(bumped), normalize(toward + light))), 24) * gloss.Sample(smooth, pixel.at);
    return float4(sqrt(saturate(colours.Sample(smooth, pixel.at).rgb * lit(bumped) + shine * 0.5)), 1);
}
""", "vs", "ps")
    start(scene)
    camera(scene, (0, 2.2, -3.4), (0, 0, 0))
    scene.pipeline("things", "vs", "ps", input_layout=MESH_LAYOUT)
    scene.sampler("smooth")
    shapes = {"ring": scene.mesh("ring", *surface(48, 20, ring)), "floor": scene.mesh("floor", *surface(4, 4, floor))}
    thing(scene, "ring_place", moved(0, 0.1, 0), (4, 2), 0)
    thing(scene, "floor_place", np.diag([5, 1, 5, 1]) @ moved(0, -0.5, 1), (4, 4), 1)
    scene.tiled("bronze", "BC7_UNORM_SRGB", texels.picture(128, 31), 4)
    scene.tiled("dents", "BC5_UNORM", texels.bumps(128, 32), 4)
    scene.tiled("worn", "BC4_UNORM", texels.picture(64, 33), 8)
    scene.tiled("tiles", "BC1_UNORM_SRGB", texels.picture(128, 34), 4)
    scene.tiled("joints", "BC5_SNORM", texels.bumps(128, 35), 4)
    scene.tiled("wet", "R8_UNORM", texels.picture(64, 36), 8)
    for shape, skins in [("ring", ("bronze", "dents", "worn")), ("floor", ("tiles", "joints", "wet"))]:
        bind = {"b0": "camera", "b1": f"{shape}_place", **{f"t{n}": skin for n, skin in enumerate(skins)}, "s0": "smooth"}
        scene.step("things", shapes[shape], depth="depth", bind=bind)
    scene.write(codes=6, edge_share=0.02, wrong_share=0.005)


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
        rows = np.column_stack([
            rng.uniform(-0.9, 0.9, (count, 2)), rng.uniform(0.05, 0.95, count), rng.uniform(least, most, count), rng.uniform(0.5, 1, (count, 3)), rng.uniform(-1, 1, count),
        ])
        # From the furthest to the nearest.
        rows = rows[np.argsort(-rows[:, 2])]
        scene.buffer(f"{name}_sprites", rows)
        scene.constants(f"{name}_kind", [format == "R8G8_UNORM", format == "A8_UNORM", 0, 0])
        bind = {"b0": f"{name}_kind", "t0": name, "t1": f"{name}_sprites", "s0": "smooth"}
        scene.step("sprites", {"op": "draw", "vertices": 4, "instances": count}, depth="depth", bind=bind)


def leaves(root):
    scene = Scene(root, "leaves", "sprites whose alpha channel cuts a shape: BC1 with holes, BC2, BC3, BC7, B5G5R5A1, R8G8B8A8, A8", SPRITES + """
float4 ps(Point pixel) : SV_Target
{
    float4 texel = texel_of(pixel);
    clip(texel.a - 0.5);
    return float4(texel.rgb * pixel.tint, 1);
}
""", "vs", "ps")
    start(scene)
    scene.pipeline("sprites", "vs", "ps", topology="TRIANGLESTRIP", rasterizer={"cull_mode": "NONE"})
    formats = "BC1_UNORM BC2_UNORM BC3_UNORM BC7_UNORM B5G5R5A1_UNORM R8G8B8A8_UNORM A8_UNORM".split()
    sprites(scene, formats, 40, 0.08, 0.2, 41, lambda n: texels.leaf(128, n))
    scene.write(codes=4, edge_share=0.02, wrong_share=0.002)


def smoke(root):
    scene = Scene(root, "smoke", "blended sprites: BC3, BC7, B4G4R4A4, R8G8, R8G8B8A8, R16G16B16A16, R10G10B10A2", SPRITES + """
float4 ps(Point pixel) : SV_Target
{
    float4 texel = texel_of(pixel);
    return float4(texel.rgb * pixel.tint, texel.a);
}
""", "vs", "ps")
    start(scene)
    scene.pipeline("sprites", "vs", "ps", topology="TRIANGLESTRIP", rasterizer={"cull_mode": "NONE"}, blend=BLENDED, depth_stencil={"depth_write_mask": "ZERO"})
    formats = "BC3_UNORM_SRGB BC7_UNORM B4G4R4A4_UNORM R8G8_UNORM R8G8B8A8_UNORM_SRGB R16G16B16A16_FLOAT R10G10B10A2_UNORM".split()

    def cloud(n):
        y, x = (np.mgrid[0:64, 0:64] + 0.5) / 32 - 1
        return np.clip(1 - np.hypot(x, y), 0, 1) * texels.noise(64, 60 + n)

    sprites(scene, formats, 14, 0.15, 0.35, 51, cloud)
    scene.write(codes=5, edge_share=0.01, wrong_share=0.002)


def terrain_layers(root):
    scene = Scene(root, "terrain_layers", "hills of a height map in R16, layers of BC1, BC3 and B5G6R5 mixed by R8G8, anisotropic", """
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
""", "vs", "ps")
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
    mixed = np.dstack([np.clip(texels.noise(128, 62) * 3 - 1, 0, 1), np.clip(height[..., 0] * 4 - 2.2, 0, 1), height[..., 0], height[..., 0]])
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
    scene = Scene(root, "bloom", "light in BC6H to R11G11B10 targets, reduced, blurred and enlarged in halves and R11G11B10, tone-mapped", """
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
""", "cover", "ps_light", "ps_bright", "ps_blur", "ps_finish")
    scene.tiled("sky", "BC6H_UF16", texels.light(128, 71), 4)
    scene.sampler("smooth")
    for name, format, divisor in [("lit", "R11G11B10_FLOAT", 1), ("half", "R16G16B16A16_FLOAT", 2), ("small", "R11G11B10_FLOAT", 4), ("across", "R16G16B16A16_FLOAT", 4)]:
        scene.texture(name, format, WIDTH // divisor, HEIGHT // divisor)
    for name in ("light", "bright", "blur", "finish"):
        scene.pipeline(name, "cover", f"ps_{name}", depth_stencil={"depth_enable": False})
    step = lambda name, x, y, divisor, scale=1.0, least=0.0: scene.constants(name, [x * divisor / WIDTH, y * divisor / HEIGHT], [scale, least])
    step("whole", 1, 1, 1, 1.0, 1.0)
    step("halves", 1, 1, 2)
    step("sideways", 1, 0, 4)
    step("upwards", 0, 1, 4, 0.8)
    passes = [
        ("light", "lit", "sky", "whole"), ("bright", "half", "lit", "whole"), ("bright", "small", "half", "halves"),
        ("blur", "across", "small", "sideways"), ("blur", "small", "across", "upwards"), ("blur", "across", "small", "sideways"), ("blur", "small", "across", "upwards"),
    ]
    for pipeline, target, source, constants in passes:
        scene.cover(pipeline, [target], bind={"b0": constants, "t0": source, "s0": "smooth"})
    scene.cover("finish", ["target"], bind={"b0": "upwards", "t0": "lit", "t1": "small", "s0": "smooth"})
    scene.write(codes=4, edge_share=0.005, wrong_share=0.001)


def grading(root):
    scene = Scene(root, "grading", "a photograph in B8G8R8A8 through tables in volumes of R10G10B10A2 and R16G16B16A16, with grain in R8 and R16", """
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
""", "cover", "ps")
    scene.sampler("smooth", address="CLAMP")
    scene.sampler("repeated")
    scene.tiled("photograph", "B8G8R8A8_UNORM_SRGB", texels.picture(128, 81), 4)
    z, y, x = np.mgrid[0:16, 0:16, 0:16] / 15.0
    ones = np.ones_like(x)
    scene.texture("warm", "R10G10B10A2_UNORM", 16, 16, texels.volume("R10G10B10A2_UNORM", np.stack([x**0.8, y * 0.9 + 0.05 * x, z**1.3, ones], -1)), "texture3d", depth=16)
    scene.texture("cold", "R16G16B16A16_FLOAT", 16, 16, texels.volume("R16G16B16A16_FLOAT", np.stack([x**1.4, y**1.1, z * 0.8 + 0.2 * y, ones], -1)), "texture3d", depth=16)
    scene.tiled("grain", "R8_SNORM", texels.picture(128, 82), 2)
    scene.tiled("dust", "R16_UNORM", texels.picture(64, 83) ** 3, 4)
    ramp = np.linspace(0, 1, 256)[None]
    scene.json["resources"]["curve"] = {
        "kind": "texture1d", "format": "R8G8B8A8_UNORM", "width": 256,
        "file": scene.file("curve.bin", texels.encode("R8G8B8A8_UNORM", np.dstack([ramp**0.9, ramp * ramp * (3 - 2 * ramp), ramp, ramp]))),
    }
    scene.pipeline("grade", "cover", "ps", depth_stencil={"depth_enable": False})
    names = ["photograph", "warm", "cold", "grain", "dust", "curve"]
    scene.cover("grade", ["target"], bind={**{f"t{n}": name for n, name in enumerate(names)}, "s0": "smooth", "s1": "repeated"})
    scene.write(codes=4, edge_share=0.005, wrong_share=0.001)


def cube(format, size, seed, made, count):
    """The bytes of a cube: each face its own picture."""
    return b"".join(texels.chain(format, made(size, seed + face), count, face) for face in range(6))


def mirrors(root):
    scene = Scene(root, "mirrors", "balls and a ring that mirror cubes of BC6H, BC7, BC1, R11G11B10 and R9G9B9E5, sharp and blurred", MESH + """
TextureCube sky : register(t0);
TextureCube ambient : register(t1);
Texture2D skin : register(t2);
SamplerState smooth : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float3 normal = normalize(pixel.normal);
    float3 mirrored = reflect(normalize(pixel.world - eye.xyz), normal);
    float3 light = is_grey == 0 ? sky.Sample(smooth, mirrored).rgb : sky.SampleLevel(smooth, mirrored, level).rgb;
    light = light * 0.7 + ambient.Sample(smooth, normal).rgb * skin.Sample(smooth, pixel.at).rgb;
    return float4(sqrt(saturate(light / (1 + light))), 1);
}
""", "vs", "ps")
    start(scene)
    camera(scene, (0, 1.4, -6), (0, 0, 0), 0.75)
    shapes = {"ball": scene.mesh("ball", *surface(32, 16, ball)), "ring": scene.mesh("ring", *surface(48, 20, ring))}
    scene.pipeline("things", "vs", "ps", input_layout=MESH_LAYOUT)
    scene.sampler("smooth")
    skies = {"evening": ("BC6H_UF16", 64, texels.light), "hall": ("BC7_UNORM_SRGB", 64, texels.picture), "street": ("BC1_UNORM", 64, texels.picture)}
    for name, (format, size, made) in skies.items():
        scene.texture(name, format, size, size, cube(format, size, 90, made, 7), "texturecube", mips=7)
    for name, format in [("soft", "R11G11B10_FLOAT"), ("softer", "R9G9B9E5_SHAREDEXP")]:
        scene.texture(name, format, 16, 16, cube(format, 16, 96, texels.picture, 1), "texturecube")
    scene.tiled("metal", "BC3_UNORM_SRGB", texels.picture(64, 97), 4)
    rows = [
        ("left", "ball", (-2.3, 0.9, 0), "evening", "soft", 0, 0), ("middle", "ball", (0, 0.9, 0), "hall", "softer", 0, 0),
        ("right", "ball", (2.3, 0.9, 0), "street", "soft", 0, 0), ("low_left", "ball", (-2.3, -1.2, 0), "evening", "softer", 1, 2.4),
        ("low_middle", "ring", (0, -1.2, 0), "evening", "soft", 0, 0), ("low_right", "ball", (2.3, -1.2, 0), "hall", "softer", 1, 1.7),
    ]
    for name, shape, place, sky, ambient, is_blurred, level in rows:
        thing(scene, name, moved(*place), (3, 2), is_blurred, level)
        scene.step("things", shapes[shape], depth="depth", bind={"b0": "camera", "b1": name, "t0": sky, "t1": ambient, "t2": "metal", "s0": "smooth"})
    scene.write(codes=5, edge_share=0.02, wrong_share=0.005)


def soft_shadows(root):
    scene = Scene(root, "soft_shadows", "shadow maps in D16 and D32 compared nine times a pixel, moments in R16G16, light maps in R16 and R8", MESH + """
cbuffer Light : register(b2)
{
    row_major float4x4 from_light;
};

Texture2D<float> near_map : register(t0);
Texture2D<float> far_map : register(t1);
Texture2D<float2> moments : register(t2);
Texture2D skin : register(t3);
Texture2D<float> bounced : register(t4);
Texture2D<float> crevices : register(t5);
SamplerState smooth : register(s0);
SamplerComparisonState closer : register(s1);

float4 ps_moments(Point pixel) : SV_Target
{
    return float4(pixel.position.z, pixel.position.z * pixel.position.z, 0, 0);
}

float4 ps(Point pixel) : SV_Target
{
    float4 seen = mul(float4(pixel.world, 1), from_light);
    float2 at = seen.xy * float2(0.5, -0.5) + 0.5;
    float depth = seen.z - 0.006, shadow = 0;
    [unroll] for (int y = -1; y <= 1; y++)
        [unroll] for (int x = -1; x <= 1; x++)
            shadow += near_map.SampleCmpLevelZero(closer, at, depth, int2(x, y)) + far_map.SampleCmpLevelZero(closer, at + float2(x, y) / 300, depth);
    float2 moment = moments.SampleLevel(smooth, at, 0);
    float spread = max(moment.y - moment.x * moment.x, 0.00002), gap = depth - moment.x;
    shadow = shadow / 27 + (gap <= 0 ? 1 : spread / (spread + gap * gap)) / 3;
    float light = bounced.Sample(smooth, pixel.at * 0.5) * 0.5 + shadow * lit(pixel.normal);
    return float4(skin.Sample(smooth, pixel.at).rgb * light * (0.5 + 0.5 * crevices.Sample(smooth, pixel.at)), 1);
}
""", "vs", "ps", "ps_moments")
    start(scene)
    camera(scene, (0, 3, -4.2), (0, 0, 0.2))
    light = looking((3, 5, -3), (0, 0, 0)) @ parallel(7, 7, 1, 12)
    scene.constants("light", light)
    scene.constants("light_camera", light, [3, 5, -3, 1])
    shapes = {"ball": scene.mesh("ball", *surface(32, 16, ball)), "ring": scene.mesh("ring", *surface(48, 20, ring)), "floor": scene.mesh("floor", *surface(4, 4, floor))}
    scene.texture("near_map", "D16_UNORM", 512)
    scene.texture("far_map", "D32_FLOAT", 512)
    scene.texture("moments", "R16G16_FLOAT", 512)
    scene.sampler("smooth")
    scene.sampler("closer", "COMPARISON_MIN_MAG_LINEAR_MIP_POINT", "BORDER", comparison="LESS_EQUAL", border=[1, 1, 1, 1])
    scene.pipeline("depths", "vs", input_layout=MESH_LAYOUT)
    scene.pipeline("moments", "vs", "ps_moments", input_layout=MESH_LAYOUT)
    scene.pipeline("things", "vs", "ps", input_layout=MESH_LAYOUT)
    scene.tiled("tiles", "BC1_UNORM", texels.picture(128, 101), 4)
    scene.tiled("bounced", "R16_FLOAT", texels.picture(64, 102), 4)
    scene.tiled("crevices", "R8_UNORM", texels.picture(64, 103), 4)
    places = {"ball": moved(1.3, 0.6, 0.9), "ring": np.diag([0.8, 0.8, 0.8, 1]) @ moved(-0.8, 0.3, 0), "floor": np.diag([3.4, 1, 3.4, 1]) @ moved(0, -0.4, 0)}
    for shape, place in places.items():
        thing(scene, f"{shape}_place", place, (3, 2))
    scene.clear("near_map", depth=1.0)
    scene.clear("far_map", depth=1.0)
    scene.clear("moments", color=[1, 1, 0, 0])
    for shape, draw in shapes.items():
        bind = {"b0": "light_camera", "b1": f"{shape}_place"}
        scene.step("depths", draw, None, depth="near_map", bind=bind)
        scene.step("moments", draw, ["moments"], depth="far_map", bind=bind)
    names = ["near_map", "far_map", "moments", "tiles", "bounced", "crevices"]
    for shape, draw in shapes.items():
        bind = {"b0": "camera", "b1": f"{shape}_place", "b2": "light", **{f"t{n}": name for n, name in enumerate(names)}, "s0": "smooth", "s1": "closer"}
        scene.step("things", draw, depth="depth", bind=bind)
    scene.write(codes=5, edge_share=0.02, wrong_share=0.01)


SCENES = [block_balls, block_filters, normal_mapped, leaves, smoke, terrain_layers, bloom, grading, mirrors, soft_shadows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shaders", type=Path, help="where the list of shaders is written")
    parser.add_argument("--adopt", type=Path, metavar="RESULTS", help="what lavapipe drew")
    options = parser.parse_args()
    if options.adopt:
        for scene in SCENES:
            raw = (options.adopt / scene.__name__ / "picked.bin").read_bytes()
            codes = np.frombuffer(raw, np.uint8).reshape(HEIGHT // STRIDE, WIDTH // STRIDE, 4)
            (ROOT / scene.__name__ / "picked.png").write_bytes(png(codes))
        return
    for scene in SCENES:
        print(scene.__name__, file=sys.stderr)
        scene(ROOT)
    if options.shaders:
        import json

        with options.shaders.open("w") as out:
            for scene in SCENES:
                folder = ROOT / scene.__name__
                for shader in json.loads((folder / "scene.json").read_text())["shaders"].values():
                    print(folder / shader["source"], shader["model"], shader["entry"], folder / shader["file"], file=out)


if __name__ == "__main__":
    main()
