"""Makes kernels to measure of the corpus's executions, which are too small for that: the same work many times over.

Where each group has its own part of the views, these are repeated and there are more groups along x. Where not, there are more groups along
z, which the shaders do not look at: they write the same once more. What must come out is what the corpus expects, repeated. Left out are
executions that test single rules of Direct3D, that change what they read, or that count.
"""
import json
import shutil

import numpy

from vulkan_plans import Job

# How many times as many groups, and the views that are repeated; none if it is along z.
EXECUTIONS = {
    "bit_ops": (256, "t0 u0"),
    "bitonic_sort": (128, "t0 u0"),
    "blur_separable": (64, ""),
    "bvh_trace": (64, ""),
    "collatz_switch": (64, "t0 u0"),
    "crc32_table": (1024, ""),
    "double_mandelbrot": (32, ""),
    "f16_convert": (16, "t0 u0 u1"),
    "fft256": (512, "t0 u0"),
    "int_alu": (128, "t0 u0"),
    "mandelbrot_precise": (16, ""),
    "matmul_tiled": (256, ""),
    "nbody_step": (256, ""),
    "prefix_scan": (512, "t0 u0 u1"),
    "sample_bilinear": (256, "t1 u0"),
    "sha256_block": (256, "t0 u0"),
    "stack_machine": (128, "t1 u0"),
    "tonemap_unorm": (128, ""),
    "vec_add_raw": (1024, "t0 t1 u0"),
}


def scaled(data, folder):
    """The jobs of all executions, from the folder of the corpus's copy, in folders below `folder`."""
    jobs = [execution(data / "exec" / name, folder / name, *scale) for name, scale in EXECUTIONS.items()]
    return [*jobs, unrolled_sha(data / "compute", folder / "big_sha")]


def execution(source, folder, times, repeated):
    document = json.loads((source / "case.json").read_text())
    repeated = repeated.split()
    folder.mkdir(parents=True, exist_ok=True)
    for view in [*document["bindings"], *document["expect"]]:
        if "file" not in view:
            continue
        content = (source / view["file"]).read_bytes() * (times if view["slot"] in repeated else 1)
        (folder / view["file"]).write_bytes(content)
    for view in document["bindings"]:
        if view["slot"] in repeated:
            view["size"] *= times
    document["dispatch"][0 if repeated else 2] *= times
    shader = next(name for name in document["shaders"] if name.endswith("main.cs_5_0.cso"))
    document["shaders"] = [shader]
    shutil.copy(source / shader, folder)
    write(folder, document)
    return Job(folder, source / "shader.hlsl")


def unrolled_sha(source, folder, groups=256):
    """A shader of thousands of instructions without a loop, for which the corpus has no execution."""
    folder.mkdir(parents=True, exist_ok=True)
    shader = "big.sha.cs_5_0.cso"
    shutil.copy(source / shader, folder)
    blocks = numpy.random.default_rng(1).integers(0, 1 << 32, (64 * groups, 16), "u4")
    (folder / "t0.bin").write_bytes(blocks.tobytes())
    (folder / "u0.out.bin").write_bytes(sha_like(blocks).tobytes())
    view = lambda slot, words: {"slot": slot, "kind": "structured", "stride": 16, "size": 4 * 64 * groups * words}
    write(folder, {
        "name": "big_sha",
        "shaders": [shader],
        "entry": "sha",
        "dispatch": [groups, 1, 1],
        "bindings": [{**view("t0", 16), "file": "t0.bin"}, {**view("u0", 8), "fill": "zero"}],
        "expect": [{"slot": "u0", "type": "u32", "file": "u0.out.bin"}],
    })
    return Job(folder, source / "big.hlsl")


def sha_like(blocks):
    """SHA-256's schedule and rounds of each block, with the shader's constants and without the last addition."""
    u = numpy.uint32
    turned = lambda x, n: x >> u(n) | x << u(32 - n)

    def constant(n):
        x = (n * 0x9E3779B9 + 0x7F4A7C15) & 0xFFFFFFFF
        x ^= x >> 15
        x = x * 0x85EBCA6B & 0xFFFFFFFF
        return u(x ^ x >> 13)

    words = list(blocks.T.copy())
    for n in range(16, 64):
        low, high = words[n - 15], words[n - 2]
        words.append(words[n - 16] + (turned(low, 7) ^ turned(low, 18) ^ low >> u(3))
                     + words[n - 7] + (turned(high, 17) ^ turned(high, 19) ^ high >> u(10)))
    a, b, c, d, e, f, g, h = (numpy.full(len(blocks), constant(n)) for n in range(8))
    for n in range(64):
        first = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + constant(n + 8) + words[n]
        second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = first + second, a, b, c, d + first, e, f, g
    return numpy.stack([a, b, c, d, e, f, g, h], axis=1)


def write(folder, document):
    (folder / "case.json").write_text(json.dumps(document, indent=1) + "\n")
