#!/usr/bin/env python3
"""Makes the scenes of draws as programs make them: many small ones, shadow maps, several targets, a screen of few triangles.

    scripts/draw_scenes.py [--large FOLDER] [--shaders LIST] [--adopt RESULTS]

Without --large they are those of tests/data/scenes, small enough for tests. FOLDER gets large ones, to be measured with
`scene_peers.py FOLDER`, whose shaders are those of the small ones and which expect nothing. LIST and RESULTS are as in textures/scenes.py.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import numpy as np

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS / "textures"))

import texels  # noqa: E402
from document import BLENDED, HEIGHT, MESH_LAYOUT, STRIDE, WIDTH, Scene, ball, looking, moved, parallel, perspective, png, surface  # noqa: E402

ROOT = SCRIPTS.parent / "tests" / "data" / "scenes"
MAP = 512

THING = """
cbuffer Camera : register(b0)
{
    row_major float4x4 view;
    float4 eye;
};

cbuffer Thing : register(b1)
{
    row_major float4x4 place;
    float4 tint;
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
    float3 normal : NORMAL;
    float2 at : AT;
    float3 world : WORLD;
};

Point vs(Vertex vertex)
{
    Point found;
    float4 world = mul(float4(vertex.position, 1), place);
    found.position = mul(world, view);
    found.normal = mul(vertex.normal, (float3x3)place);
    found.at = vertex.at;
    found.world = world.xyz;
    return found;
}
"""

GEMS = """
Texture2D skin : register(t0);
SamplerState chosen : register(s0);

float4 ps(Point pixel) : SV_Target
{
    return skin.Sample(chosen, pixel.at) * tint;
}

float4 ps_lit(Point pixel) : SV_Target
{
    float light = 0.4 + 0.6 * saturate(dot(normalize(pixel.normal), float3(0.36, 0.48, -0.8)));
    return float4(skin.Sample(chosen, pixel.at).rgb * light * tint.rgb, tint.a);
}
"""


def octahedron():
    """Eight triangles with flat normals."""
    rows = []
    for n in range(8):
        x, y, z = ((-1 if n >> axis & 1 else 1) for axis in range(3))
        corners = [(x, 0, 0), (0, y, 0), (0, 0, z)]
        # Fronts are clockwise in a left-handed space.
        if np.linalg.det(np.array(corners, float)) < 0:
            corners.reverse()
        normal = np.array([x, y, z]) / np.sqrt(3)
        rows += [[*corner, *normal, *at] for corner, at in zip(corners, [(0, 1), (1, 1), (0.5, 0)])]
    return np.array(rows, float), np.arange(24)


def gems(scene, count, shapes):
    """Constants of many things in rows over the screen, each its own buffer, and what draws them."""
    rng = np.random.default_rng(count)
    scene.texture("depth", "D32_FLOAT", WIDTH, HEIGHT)
    scene.clear("target", color=[0.1, 0.12, 0.16, 1])
    scene.clear("depth", depth=1.0)
    scene.constants("camera", parallel(16, 12, 0, 20), [0, 0, -1, 0])
    across = int(np.ceil(np.sqrt(count * 4 / 3)))
    size = 8 / across * 1.3
    for n in range(count):
        angle, tilt = rng.uniform(0, 2 * np.pi, 2)
        turn = np.eye(4)
        turn[:3, :3] = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]) @ np.array(
            [[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), np.cos(tilt)]]
        )
        x, y = (n % across + 0.5) * 16 / across - 8, 6 - (n // across + 0.5) * 16 / across
        place = np.diag([size, size, size, 1]) @ turn @ moved(x, y, rng.uniform(4, 16))
        scene.constants(f"thing{n}", np.round(place, 4), np.round([*rng.uniform(0.4, 1, 3), rng.uniform(0.4, 0.9)], 3))
        yield n, {"b0": "camera", "b1": f"thing{n}", **shapes(n)}


def skins(scene, count):
    for n in range(count):
        scene.texture(f"skin{n}", "R8G8B8A8_UNORM", 32, 32, texels.chain("R8G8B8A8_UNORM", texels.picture(32, 200 + n), 6, n), mips=6)


def many_draws_same(root, name="many_draws_same", count=200):
    scene = Scene(root, name, f"{count} draws of eight triangles with the same state, each with constants of its own", THING + GEMS, "vs", "ps", "ps_lit")
    draw = scene.mesh("gem", *octahedron())
    skins(scene, 1)
    scene.sampler("smooth")
    scene.pipeline("gems", "vs", "ps_lit", input_layout=MESH_LAYOUT)
    for _, bind in gems(scene, count, lambda n: {"t0": "skin0", "s0": "smooth"}):
        scene.step("gems", draw, depth="depth", bind=bind)
    scene.write(codes=3, edge_share=0.002, wrong_share=0.0002)


def many_draws_state(root, name="many_draws_state", count=200):
    scene = Scene(
        root,
        name,
        f"{count} draws of eight triangles, each with constants, a texture and state other than the one before",
        THING + GEMS,
        "vs",
        "ps",
        "ps_lit",
    )
    draw = scene.mesh("gem", *octahedron())
    skins(scene, 8)
    scene.sampler("smooth")
    scene.sampler("sharp", "MIN_MAG_MIP_POINT")
    added = {"targets": [{"blend_enable": True, "src_blend": "ONE", "dest_blend": "ONE", "dest_blend_alpha": "ONE"}]}
    states = [
        ("ps_lit", {}),
        ("ps", {"blend": BLENDED, "depth_stencil": {"depth_write_mask": "ZERO"}}),
        ("ps", {"rasterizer": {"cull_mode": "FRONT"}}),
        ("ps_lit", {"depth_stencil": {"depth_func": "LESS_EQUAL"}, "rasterizer": {"cull_mode": "NONE"}}),
        ("ps", {"blend": added, "depth_stencil": {"depth_enable": False}}),
        ("ps_lit", {"blend": BLENDED}),
    ]
    for n, (shader, state) in enumerate(states):
        scene.pipeline(f"gems{n}", "vs", shader, input_layout=MESH_LAYOUT, **state)
    for n, bind in gems(scene, count, lambda n: {"t0": f"skin{n % 8}", "s0": "sharp" if n % 5 == 0 else "smooth"}):
        more = {"scissor": [0, 40, WIDTH - 60, HEIGHT]} if n % 7 == 3 else {}
        scene.step(f"gems{n % len(states)}", draw, depth="depth", bind=bind, **more)
    scene.write(codes=3, edge_share=0.002, wrong_share=0.0002)


SHADOW = """
cbuffer Light : register(b0)
{
    row_major float4x4 from_light;
};

Texture2D<float> holes : register(t0);
SamplerState smooth : register(s0);

struct Point
{
    float4 position : SV_Position;
    float2 at : AT;
};

Point vs_cut(float3 position : POSITION, float2 at : TEXCOORD)
{
    Point found;
    found.position = mul(float4(position, 1), from_light);
    found.at = at * 12;
    return found;
}

float4 vs(float3 position : POSITION) : SV_Position
{
    return mul(float4(position, 1), from_light);
}

void ps(Point pixel)
{
    clip(holes.Sample(smooth, pixel.at) - 0.4);
}
"""

PICK_DEPTH = """
Texture2D<float> drawn : register(t0);
RWTexture2D<float> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
"""


def hills(u, v):
    height = 0.35 * np.sin(9 * u) * np.cos(7 * v) + 0.1 * np.sin(31 * u + 17 * v)
    return np.column_stack([u * 4 - 2, height, v * 4 - 2]), np.column_stack([0 * u, 0 * u + 1, 0 * u])


def shadow_pass(root, name, triangles, is_cut, size):
    exercises = f"{triangles} triangles into a shadow map{', cut by a texture' if is_cut else ', without a pixel shader'}"
    scene = Scene(root, name, exercises, SHADOW, *(("vs_cut", "ps") if is_cut else ("vs",)), pick=PICK_DEPTH)
    scene.texture("depth", "D32_FLOAT", size)
    scene.texture("picked", "R32_FLOAT", size // STRIDE)
    scene.clear("depth", depth=1.0)
    scene.constants("light", looking((2.5, 4, -2), (0, 0, 0)) @ parallel(5.4, 5.4, 1, 9))
    ground = max(4, round(np.sqrt(triangles / 4)))
    round_ball = max(4, round(np.sqrt(triangles / 24)))
    parts = [surface(ground, ground, hills)]
    rng = np.random.default_rng(7)
    for x, z in rng.uniform(-1.6, 1.6, (6, 2)):
        vertices, found = surface(round_ball, max(2, round_ball), ball)
        vertices[:, :3] = vertices[:, :3] * 0.35 + [x, 0.75, z]
        parts.append((vertices, found))
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    vertices = np.vstack([vertices for vertices, _ in parts])[:, [0, 1, 2, 6, 7]]
    indices = np.vstack([found + start for (_, found), start in zip(parts, starts)])
    draw = scene.mesh("things", np.round(vertices, 5), indices)
    layout = [MESH_LAYOUT[0], {"semantic": "TEXCOORD", "format": "R32G32_FLOAT", "offset": 12}]
    state = {"rasterizer": {"cull_mode": "NONE", "depth_bias": 16, "slope_scaled_depth_bias": 1.5}}
    bind = {"b0": "light"}
    if is_cut:
        scene.tiled("holes", "R8_UNORM", texels.picture(64, 221), 1)
        scene.sampler("smooth", "MIN_MAG_LINEAR_MIP_POINT")
        scene.pipeline("cut", "vs_cut", "ps", input_layout=layout, **state)
        scene.step("cut", draw, None, depth="depth", bind={**bind, "t0": "holes", "s0": "smooth"})
    else:
        scene.pipeline("depths", "vs", input_layout=layout[:1], **state)
        scene.step("depths", draw, None, depth="depth", bind=bind)
    scene.write("picked.bin.zst", ("depth",), (size, size), abs=0.0001, edge_share=0.01, wrong_share=0.002)


def shadow_pass_depth_only(root, name="shadow_pass_depth_only", triangles=4000, size=MAP):
    shadow_pass(root, name, triangles, False, size)


def shadow_pass_with_ps(root, name="shadow_pass_with_ps", triangles=4000, size=MAP):
    shadow_pass(root, name, triangles, True, size)


TARGETS = [
    ("R8G8B8A8_UNORM", "float4(tint.rgb * (0.5 + 0.5 * frac(pixel.at.x * 8)), 1)"),
    ("R16G16B16A16_FLOAT", "float4(normalize(pixel.normal) * 0.5 + 0.5, pixel.at.x)"),
    ("R10G10B10A2_UNORM", "float4(saturate(pixel.world * 0.25 + 0.5), 1)"),
    ("R11G11B10_FLOAT", "float4(tint.rgb * saturate(pixel.normal.y), 0)"),
    ("R32_FLOAT", "float4(pixel.position.z, 0, 0, 0)"),
    ("R16G16_FLOAT", "float4(pixel.at * 0.9, 0, 0)"),
    ("R8G8_UNORM", "float4(pixel.at.yx, 0, 0)"),
    ("R8G8B8A8_UNORM", "float4(pixel.at.xyx * tint.a, tint.a)"),
]


def targets(root, name, count, things):
    members = "".join(f"    float4 color{n} : SV_Target{n};\n" for n in range(count))
    written = "".join(f"    found.color{n} = {TARGETS[n][1]};\n" for n in range(count))
    shader = f"\nstruct Colors\n{{\n{members}}};\n\nColors ps(Point pixel)\n{{\n    Colors found;\n{written}    return found;\n}}\n"
    read = "".join(f"Texture2D<float4> drawn{n} : register(t{n});\n" for n in range(count))
    rows = "".join(f"    picked[id.xy + uint2(0, {n * HEIGHT // STRIDE})] = drawn{n}[at];\n" for n in range(count))
    pick = (
        f"\n{read}RWTexture2D<unorm float4> picked : register(u0);\n\n[numthreads(8, 8, 1)]\nvoid pick(uint3 id : SV_DispatchThreadID)\n"
        f"{{\n    uint2 at = id.xy * 4 + uint2(id.y & 3, id.x & 3);\n{rows}}}\n"
    )
    scene = Scene(root, name, f"{things} balls drawn to {count} targets, one of them blended", THING + shader, "vs", "ps", pick=pick)
    scene.texture("picked", "R8G8B8A8_UNORM", WIDTH // STRIDE, HEIGHT // STRIDE * count)
    scene.texture("depth", "D32_FLOAT", WIDTH, HEIGHT)
    names = [f"target{n}" for n in range(count)]
    for n, (format, _) in enumerate(TARGETS[:count]):
        scene.texture(names[n], format, WIDTH, HEIGHT)
        scene.clear(names[n], color=[0.1, 0.2, 0.3, 1])
    scene.clear("depth", depth=1.0)
    eye = (0, 2, -7)
    scene.constants("camera", looking(eye, (0, 0, 0)) @ perspective(0.9), [*eye, 1])
    draw = scene.mesh("ball", *surface(24, 16, ball))
    added = {"blend_enable": True, "src_blend": "ONE", "dest_blend": "ONE", "dest_blend_alpha": "ONE"}
    blends = [added if n == min(count - 1, 3) else {} for n in range(count)]
    scene.pipeline("balls", "vs", "ps", input_layout=MESH_LAYOUT, blend={"independent_blend_enable": True, "targets": blends})
    rng = np.random.default_rng(31)
    for n in range(things):
        size = rng.uniform(0.3, 0.8)
        place = np.diag([size, size, size, 1]) @ moved(*rng.uniform([-3, -1.5, -2], [3, 1.5, 3]))
        scene.constants(f"thing{n}", np.round(place, 4), np.round(rng.uniform(0.2, 1, 4), 3))
        scene.step("balls", draw, names, depth="depth", bind={"b0": "camera", "b1": f"thing{n}"})
    scene.write("picked.png", names, codes=3, edge_share=0.002, wrong_share=0.0002)


def targets_2(root, name="targets_2", things=24):
    targets(root, name, 2, things)


def targets_4(root, name="targets_4", things=24):
    targets(root, name, 4, things)


def targets_8(root, name="targets_8", things=24):
    targets(root, name, 8, things)


LIT = """
float4 ps(Point pixel) : SV_Target
{
    float3 normal = normalize(pixel.normal), away = normalize(eye.xyz - pixel.world), light = normalize(float3(1, 2, -3) - pixel.world);
    float shine = pow(saturate(dot(normal, normalize(light + away))), 24);
    return float4(tint.rgb * (0.1 + 0.9 * saturate(dot(normal, light))) + shine * 0.4, 1);
}
"""


def few_large_lit(root, name="few_large_lit", triangles=100):
    scene = Scene(root, name, f"a screen of {triangles} triangles, lit in each pixel", THING + LIT, "vs", "ps")
    scene.texture("depth", "D32_FLOAT", WIDTH, HEIGHT)
    scene.clear("target", color=[0, 0, 0, 1])
    scene.clear("depth", depth=1.0)
    eye = (0, 0, -4)
    scene.constants("camera", looking(eye, (0, 0, 0)) @ perspective(0.9), [*eye, 1])
    scene.constants("thing", np.eye(4), [0.8, 0.5, 0.3, 1])
    across = max(2, round(np.sqrt(triangles / 2)))

    def bent(u, v):
        x, y = (u * 2 - 1) * 2.75, (v * 2 - 1) * 2.05
        return np.column_stack([x, y, 0.2 * np.sin(x) * np.cos(y)]), np.column_stack([0.4 * np.sin(3 * x), 0.4 * np.cos(2 * y), 0 * x - 1])

    draw = scene.mesh("screen", *surface(across, across, bent))
    scene.pipeline("screen", "vs", "ps", input_layout=MESH_LAYOUT)
    scene.step("screen", draw, depth="depth", bind={"b0": "camera", "b1": "thing"})
    scene.write(codes=3, edge_share=0.002, wrong_share=0.0002)


SCENES = [
    many_draws_same,
    many_draws_state,
    shadow_pass_depth_only,
    shadow_pass_with_ps,
    targets_2,
    targets_4,
    targets_8,
    few_large_lit,
]


def large(root):
    """What is measured: each scene in several sizes."""
    sizes = {
        many_draws_same: [200, 2000, 10000],
        many_draws_state: [200, 2000, 10000],
        shadow_pass_depth_only: [20000, 200000, 1000000],
        shadow_pass_with_ps: [20000, 200000, 1000000],
        targets_2: [24],
        targets_4: [24],
        targets_8: [24],
        few_large_lit: [100, 1000],
    }
    for scene, numbers in sizes.items():
        for number in numbers:
            name = scene.__name__ if len(numbers) == 1 else f"{scene.__name__}_{number}"
            print(name, file=sys.stderr)
            scene(root, name, number, *([1024] if "shadow" in name else []))
            path = root / name / "scene.json"
            document = json.loads(path.read_text())
            document["expect"] = []
            path.write_text(json.dumps(document))
            for shader in document["shaders"].values():
                shutil.copy(ROOT / scene.__name__ / shader["file"], root / name / shader["file"])


def adopt(results):
    for scene in SCENES:
        folder = ROOT / scene.__name__
        document = json.loads((folder / "scene.json").read_text())
        picked, file = document["resources"]["picked"], document["expect"][0]["file"]
        raw = (results / scene.__name__ / "picked.bin").read_bytes()
        if file.endswith(".png"):
            raw = png(np.frombuffer(raw, np.uint8).reshape(picked["height"], picked["width"], 4))
        else:
            import zstandard

            raw = zstandard.ZstdCompressor(level=19).compress(raw)
        (folder / file).write_bytes(raw)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", type=Path, metavar="FOLDER", help="where large scenes are written")
    parser.add_argument("--shaders", type=Path, help="where the list of shaders is written")
    parser.add_argument("--adopt", type=Path, metavar="RESULTS", help="what lavapipe drew")
    options = parser.parse_args()
    if options.adopt:
        return adopt(options.adopt)
    if options.large:
        return large(options.large)
    for scene in SCENES:
        scene(ROOT)
    if options.shaders:
        with options.shaders.open("w") as out:
            for scene in SCENES:
                folder = ROOT / scene.__name__
                for shader in json.loads((folder / "scene.json").read_text())["shaders"].values():
                    print(folder / shader["source"], shader["model"], shader["entry"], folder / shader["file"], file=out)


if __name__ == "__main__":
    main()
