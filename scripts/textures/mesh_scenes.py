"""The scenes with textures on meshes: blocks under every filter, normals, cubes that are mirrored, shadow maps. See scenes.py."""

import numpy as np

import texels
from document import (
    HEIGHT,
    MESH_LAYOUT,
    WIDTH,
    Scene,
    ball,
    camera,
    cube,
    floor,
    looking,
    moved,
    parallel,
    perspective,
    ring,
    start,
    surface,
)

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


def thing(scene, name, place, repeats=(1, 1), is_grey=0, level=0):
    return scene.constants(name, place, repeats, [is_grey, level])


def block_balls(root):
    scene = Scene(
        root,
        "block_balls",
        "balls in every block-compressed format, with levels of detail",
        MESH + """
Texture2D skin : register(t0);
SamplerState smooth : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float4 texel = skin.Sample(smooth, pixel.at);
    float3 colour = abs(is_grey == 0 ? texel.rgb : is_grey == 1 ? texel.rrr : float3(texel.rg, 0.5));
    return float4(colour / (1 + max(max(colour.r, max(colour.g, colour.b)) - 1, 0)) * lit(pixel.normal), texel.a);
}
""",
        "vs",
        "ps",
    )
    start(scene)
    camera(scene, (0, 0, -9), (0, 0, 0), 0.62)
    draw = scene.mesh("ball", *surface(32, 16, ball))
    scene.sampler("smooth")
    scene.pipeline("balls", "vs", "ps", input_layout=MESH_LAYOUT)
    formats = (
        "BC1_UNORM BC1_UNORM_SRGB BC2_UNORM BC3_UNORM BC3_UNORM_SRGB BC4_UNORM BC4_SNORM BC5_UNORM BC5_SNORM BC6H_UF16 BC7_UNORM BC7_UNORM_SRGB"
    ).split()
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
    scene = Scene(
        root,
        "block_filters",
        "floors that recede, with BC1, BC3 and BC7 under every filter of textures",
        MESH + """
Texture2D skin : register(t0);
SamplerState chosen : register(s0);

float4 ps(Point pixel) : SV_Target
{
    float4 texel = skin.Sample(chosen, pixel.at);
    return float4(lerp(float3(0.5, 0.6, 0.7), texel.rgb, saturate(1.6 - pixel.position.w * 0.12)), 1);
}
""",
        "vs",
        "ps",
    )
    start(scene, (0.5, 0.6, 0.7, 1))
    scene.constants("camera", looking((0, 0.9, -1), (0, 0.35, 3)) @ perspective(0.9, (WIDTH / 3) / (HEIGHT / 2)), [0, 0.9, -1, 1])
    draw = scene.mesh("floor", *surface(8, 8, floor))
    scene.pipeline("floors", "vs", "ps", input_layout=MESH_LAYOUT)
    thing(scene, "below", np.diag([4, 1, 8, 1]) @ moved(0, 0, 7), (3, 6))
    for name, format, seed in [("stone", "BC1_UNORM", 21), ("wood", "BC7_UNORM_SRGB", 22), ("cloth", "BC3_UNORM", 23)]:
        scene.tiled(name, format, texels.picture(128, seed), 4, seed)
    filters = [
        ("point", "MIN_MAG_MIP_POINT", {}),
        ("bilinear", "MIN_MAG_LINEAR_MIP_POINT", {}),
        ("trilinear", "MIN_MAG_MIP_LINEAR", {}),
        ("crisp", "MIN_MAG_POINT_MIP_LINEAR", {}),
        ("aniso4", "ANISOTROPIC", {"max_anisotropy": 4}),
        ("aniso16", "ANISOTROPIC", {"max_anisotropy": 16}),
    ]
    for n, (name, filter, more) in enumerate(filters):
        scene.sampler(name, filter, **more)
        width, height = WIDTH // 3, HEIGHT // 2
        viewport = [n % 3 * width, n // 3 * height, width, height, 0, 1]
        skin = ["stone", "wood", "cloth"][(n + n // 3) % 3]
        scene.step("floors", draw, depth="depth", viewport=viewport, bind={"b0": "camera", "b1": "below", "t0": skin, "s0": name})
    scene.write(codes=26, edge_share=0.04, wrong_share=0.02)


def normal_mapped(root):
    scene = Scene(
        root,
        "normal_mapped",
        "a ring and a floor with colours in BC7, normals in BC5, gloss in BC4 and R8",
        MESH + """
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
""",
        "vs",
        "ps",
    )
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


def mirrors(root):
    scene = Scene(
        root,
        "mirrors",
        "balls and a ring that mirror cubes of BC6H, BC7, BC1, R11G11B10 and R9G9B9E5, sharp and blurred",
        MESH + """
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
""",
        "vs",
        "ps",
    )
    start(scene)
    camera(scene, (0, 1.4, -6), (0, 0, 0), 0.75)
    shapes = {"ball": scene.mesh("ball", *surface(32, 16, ball)), "ring": scene.mesh("ring", *surface(48, 20, ring))}
    scene.pipeline("things", "vs", "ps", input_layout=MESH_LAYOUT)
    scene.sampler("smooth")
    skies = {
        "evening": ("BC6H_UF16", 64, texels.light),
        "hall": ("BC7_UNORM_SRGB", 64, texels.picture),
        "street": ("BC1_UNORM", 64, texels.picture),
    }
    for name, (format, size, made) in skies.items():
        scene.texture(name, format, size, size, cube(format, size, 90, made, 7), "texturecube", mips=7)
    for name, format in [("soft", "R11G11B10_FLOAT"), ("softer", "R9G9B9E5_SHAREDEXP")]:
        scene.texture(name, format, 16, 16, cube(format, 16, 96, texels.picture, 1), "texturecube")
    scene.tiled("metal", "BC3_UNORM_SRGB", texels.picture(64, 97), 4)
    rows = [
        ("left", "ball", (-2.3, 0.9, 0), "evening", "soft", 0, 0),
        ("middle", "ball", (0, 0.9, 0), "hall", "softer", 0, 0),
        ("right", "ball", (2.3, 0.9, 0), "street", "soft", 0, 0),
        ("low_left", "ball", (-2.3, -1.2, 0), "evening", "softer", 1, 2.4),
        ("low_middle", "ring", (0, -1.2, 0), "evening", "soft", 0, 0),
        ("low_right", "ball", (2.3, -1.2, 0), "hall", "softer", 1, 1.7),
    ]
    for name, shape, place, sky, ambient, is_blurred, level in rows:
        thing(scene, name, moved(*place), (3, 2), is_blurred, level)
        scene.step(
            "things",
            shapes[shape],
            depth="depth",
            bind={"b0": "camera", "b1": name, "t0": sky, "t1": ambient, "t2": "metal", "s0": "smooth"},
        )
    scene.write(codes=5, edge_share=0.02, wrong_share=0.005)


def soft_shadows(root):
    scene = Scene(
        root,
        "soft_shadows",
        "shadow maps in D16 and D32 compared nine times a pixel, moments in R16G16, light maps in R16 and R8",
        MESH + """
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
""",
        "vs",
        "ps",
        "ps_moments",
    )
    start(scene)
    camera(scene, (0, 3, -4.2), (0, 0, 0.2))
    light = looking((3, 5, -3), (0, 0, 0)) @ parallel(7, 7, 1, 12)
    scene.constants("light", light)
    scene.constants("light_camera", light, [3, 5, -3, 1])
    shapes = {
        "ball": scene.mesh("ball", *surface(32, 16, ball)),
        "ring": scene.mesh("ring", *surface(48, 20, ring)),
        "floor": scene.mesh("floor", *surface(4, 4, floor)),
    }
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
    places = {
        "ball": moved(1.3, 0.6, 0.9),
        "ring": np.diag([0.8, 0.8, 0.8, 1]) @ moved(-0.8, 0.3, 0),
        "floor": np.diag([3.4, 1, 3.4, 1]) @ moved(0, -0.4, 0),
    }
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
        bind = {
            "b0": "camera",
            "b1": f"{shape}_place",
            "b2": "light",
            **{f"t{n}": name for n, name in enumerate(names)},
            "s0": "smooth",
            "s1": "closer",
        }
        scene.step("things", draw, depth="depth", bind=bind)
    scene.write(codes=5, edge_share=0.02, wrong_share=0.01)
