"""Writes documents (docs/document.md) and what they are made of: matrices, meshes, files."""

import json
import struct
import zlib

import numpy as np
import zstandard

import texels

WIDTH, HEIGHT = 640, 480
# Every so many pixels along both axes one is held against the expectation.
STRIDE = 4

# A pixel of each 4 x 4, at another place in each: what is compared of a picture.
PICK = """
Texture2D<float4> drawn : register(t0);
RWTexture2D<unorm float4> picked : register(u0);

[numthreads(8, 8, 1)]
void pick(uint3 id : SV_DispatchThreadID)
{
    picked[id.xy] = drawn[id.xy * 4 + uint2(id.y & 3, id.x & 3)];
}
"""
# A triangle over all of the target.
COVER = """
Covered cover(uint id : SV_VertexID)
{
    float2 at = float2(id << 1 & 2, id & 2);
    Covered found;
    found.position = float4(at.x * 2 - 1, 1 - at.y * 2, 0, 1);
    found.at = at;
    return found;
}
"""
MESH_LAYOUT = [
    {"semantic": "POSITION", "format": "R32G32B32_FLOAT", "offset": 0},
    {"semantic": "NORMAL", "format": "R32G32B32_FLOAT", "offset": 12},
    {"semantic": "TEXCOORD", "format": "R32G32_FLOAT", "offset": 24},
]
BLENDED = {
    "targets": [
        {
            "blend_enable": True,
            "src_blend": "SRC_ALPHA",
            "dest_blend": "INV_SRC_ALPHA",
            "src_blend_alpha": "ONE",
            "dest_blend_alpha": "INV_SRC_ALPHA",
        }
    ]
}


class Scene:
    """A scene in a folder of its own. Its last step leaves in `picked` what is compared of its `target`, or of what else `pick` reads."""

    def __init__(self, root, name, exercises, hlsl, *shaders, pick=PICK):
        self.folder = root / name
        self.folder.mkdir(parents=True, exist_ok=True)
        with_cover = COVER if any(shader == "cover" for shader in shaders) else ""
        (self.folder / "shader.hlsl").write_text((hlsl.strip("\n") + "\n" + with_cover + pick).lstrip("\n"))
        self.json = {
            "name": name,
            "api": "d3d11",
            "exercises": exercises,
            "shaders": {},
            "resources": {},
            "samplers": {},
            "pipelines": {},
            "steps": [],
            "expect": [],
        }
        for shader in [*shaders, "pick"]:
            model = {"vs": "vs_5_0", "co": "vs_5_0", "ps": "ps_5_0", "pi": "cs_5_0"}[shader[:2]]
            self.json["shaders"][shader] = {"file": f"{shader}.cso", "source": "shader.hlsl", "entry": shader, "model": model}
        if pick is PICK:
            self.texture("target", "R8G8B8A8_UNORM", WIDTH, HEIGHT)
            self.texture("picked", "R8G8B8A8_UNORM", WIDTH // STRIDE, HEIGHT // STRIDE)

    def file(self, name, content):
        packed = zstandard.ZstdCompressor(level=19).compress(content)
        name, content = (f"{name}.zst", packed) if len(packed) < 0.95 * len(content) else (name, content)
        (self.folder / name).write_bytes(content)
        return name

    def texture(self, name, format, width, height=None, content=None, kind="texture2d", **more):
        view = {"kind": kind, "format": format, "width": width, "height": height or width, **more}
        if content is not None:
            view["file"] = self.file(f"{name}.bin", content)
        self.json["resources"][name] = view
        return name

    def tiled(self, name, format, tile, times, seed=1):
        """A texture of a picture that repeats, with all levels."""
        size = tile.shape[0] * times
        return self.texture(name, format, size, size, texels.repeated(format, tile, times, seed), mips=int(np.log2(size)) + 1)

    def constants(self, name, *values):
        flat = np.concatenate([np.ravel(value) for value in values]).astype(np.float32)
        flat = np.concatenate([flat, np.zeros(-len(flat) % 4, np.float32)])
        self.json["resources"][name] = {"kind": "constant", "size": flat.nbytes, "f32": [float(str(number)) for number in flat]}
        return name

    def mesh(self, name, vertices, indices):
        is_long = len(vertices) > 1 << 16
        vertices, indices = vertices.astype(np.float32), indices.astype(np.uint32 if is_long else np.uint16)
        for kind, part, content in [("vertex", "vertices", vertices), ("index", "indices", indices)]:
            self.json["resources"][f"{name}_{part}"] = {
                "kind": kind,
                "size": content.nbytes,
                "file": self.file(f"{name}_{part}.bin", content.tobytes()),
            }
        return {
            "op": "draw_indexed",
            "indices": indices.size,
            "vertex_buffers": [{"buffer": f"{name}_vertices", "stride": vertices.shape[1] * 4}],
            "index_buffer": {"buffer": f"{name}_indices", "format": "R32_UINT" if is_long else "R16_UINT"},
        }

    def buffer(self, name, rows):
        rows = rows.astype(np.float32)
        self.json["resources"][name] = {
            "kind": "structured",
            "stride": rows.shape[1] * 4,
            "size": rows.nbytes,
            "file": self.file(f"{name}.bin", rows.tobytes()),
        }
        return name

    def sampler(self, name, filter="MIN_MAG_MIP_LINEAR", address="WRAP", **more):
        self.json["samplers"][name] = {"filter": filter, "address": [address] * 3, **more}
        return name

    def pipeline(self, name, vs, ps=None, **state):
        shaders = {"vs": vs} | ({"ps": ps} if ps else {})
        self.json["pipelines"][name] = {**shaders, "topology": "TRIANGLELIST", **state}

    def clear(self, name, **value):
        self.json["steps"].append({"op": "clear", "resource": name, **value})

    def step(self, pipeline, draw, targets=("target",), **more):
        self.json["steps"].append({**draw, "pipeline": pipeline, **({"targets": list(targets)} if targets else {}), **more})

    def cover(self, pipeline, targets, **more):
        self.step(pipeline, {"op": "draw", "vertices": 3}, targets, **more)

    def write(self, file="picked.png", picked_of=("target",), size=(WIDTH, HEIGHT), **tolerance):
        self.json["pipelines"]["pick"] = {"cs": "pick"}
        groups = [size[0] // STRIDE // 8, size[1] // STRIDE // 8, 1]
        bind = {**{f"t{n}": name for n, name in enumerate(picked_of)}, "u0": "picked"}
        self.json["steps"].append({"op": "dispatch", "pipeline": "pick", "groups": groups, "bind": bind})
        self.json["expect"] = [{"id": "picked", "resource": "picked", "tolerance": tolerance, "file": file}]
        if not self.json["samplers"]:
            del self.json["samplers"]
        (self.folder / "scene.json").write_text(text(self.json) + "\n")


def text(value, indent=0):
    """JSON with what is short on one line."""
    one = json.dumps(value)
    if len(one) + indent < 140 or not isinstance(value, (dict, list)):
        return one
    space = " " * (indent + 1)
    if isinstance(value, dict):
        return (
            "{\n"
            + ",\n".join(f"{space}{json.dumps(key)}: {text(part, indent + 1)}" for key, part in value.items())
            + "\n"
            + " " * indent
            + "}"
        )
    if isinstance(value[0], (int, float)):
        return one
    return "[\n" + ",\n".join(space + text(part, indent + 1) for part in value) + "\n" + " " * indent + "]"


def png(codes):
    """The bytes of a picture of height x width x 4 codes; each row is the difference to the one above."""
    height, width, _ = codes.shape
    above = np.vstack([np.zeros_like(codes[:1]), codes[:-1]])
    rows = np.hstack([np.full((height, 1), 2, np.uint8), (codes - above).reshape(height, -1)])
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


# Matrices for row vectors, in a left-handed space with depths from 0 to 1.


def moved(x, y, z):
    found = np.eye(4)
    found[3, :3] = x, y, z
    return found


def looking(eye, at):
    eye, at = np.array(eye, float), np.array(at, float)
    ahead = (at - eye) / np.linalg.norm(at - eye)
    right = np.cross([0, 1, 0], ahead)
    right /= np.linalg.norm(right)
    found = np.eye(4)
    found[:3, 0], found[:3, 1], found[:3, 2] = right, np.cross(ahead, right), ahead
    found[3, :3] = -eye @ found[:3, :3]
    return found


def perspective(angle, aspect=WIDTH / HEIGHT, near=0.1, far=50.0):
    scale = 1 / np.tan(angle / 2)
    found = np.zeros((4, 4))
    found[0, 0], found[1, 1], found[2, 2], found[2, 3], found[3, 2] = (
        scale / aspect,
        scale,
        far / (far - near),
        1,
        -near * far / (far - near),
    )
    return found


def parallel(width, height, near, far):
    found = np.diag([2 / width, 2 / height, 1 / (far - near), 1.0])
    found[3, 2] = -near / (far - near)
    return found


def surface(across, along, point):
    """A mesh of a surface: `point` gives positions and normals for arrays of u and v; fronts are where normals point."""
    u, v = (grid.ravel() for grid in np.meshgrid(np.linspace(0, 1, across + 1), np.linspace(0, 1, along + 1)))
    positions, normals = point(u, v)
    vertices = np.column_stack([positions, normals, u, v])
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(across), np.arange(along)))
    first = y * (across + 1) + x
    triangles = np.concatenate(
        [np.column_stack([first, first + 1, first + across + 1]), np.column_stack([first + 1, first + across + 2, first + across + 1])]
    )
    corners = positions[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = (faces * normals[triangles].sum(1)).sum(1) < 0
    triangles[away] = triangles[away][:, [0, 2, 1]]
    return vertices, triangles[np.abs(faces).max(1) > 1e-9]


def ball(u, v):
    around, down = 2 * np.pi * u, np.pi * v
    normals = np.column_stack([np.sin(down) * np.cos(around), np.cos(down), np.sin(down) * np.sin(around)])
    return normals, normals


def ring(u, v):
    around, across = 2 * np.pi * u, 2 * np.pi * v
    out = np.column_stack([np.cos(around), 0 * u, np.sin(around)])
    normals = out * np.cos(across)[:, None] + np.column_stack([0 * u, np.sin(across), 0 * u])
    return out + 0.42 * normals, normals


def floor(u, v):
    return np.column_stack([u * 2 - 1, 0 * u, v * 2 - 1]), np.column_stack([0 * u, 0 * u + 1, 0 * u])


# Parts that several scenes have.


def camera(scene, eye, at, angle=0.8):
    return scene.constants("camera", looking(eye, at) @ perspective(angle), [*eye, 1])


def start(scene, color=(0.1, 0.12, 0.16, 1)):
    scene.texture("depth", "D32_FLOAT", WIDTH, HEIGHT)
    scene.clear("target", color=list(color))
    scene.clear("depth", depth=1.0)


def cube(format, size, seed, made, count):
    """The bytes of a cube: each face its own picture."""
    return b"".join(texels.chain(format, made(size, seed + face), count, face) for face in range(6))
