#!/usr/bin/env python3
"""Makes the kernels that sample textures: six compute shaders of the kind that people bring, as documents (docs/document.md).

    scripts/textures/kernels.py [--adopt RESULTS]

Writes them to tests/data/kernels, as small as tests want them; texture_sweep.py --kernels measures them larger. Needs numpy. What they must give
is what lavapipe computed, which RESULTS has (NAME.gls.u0.bin, as `texture_sweep.py --kernels --small` leaves it in WORK/textures). Their shaders
are in shaders/, compiled with fxc.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

import numpy as np

import texels

HERE = Path(__file__).resolve().parent
SMALL = HERE.parent.parent / "tests" / "data" / "kernels"
NAMES = "irradiance volume_march pyramid bicubic shadow_taps brightness".split()


def texture(slot, kind, format, size, content, **more):
    return {
        "slot": slot,
        "kind": kind,
        "format": format,
        "width": size,
        **({"height": size} if kind != "texture1d" else {}),
        **more,
    }, content


def sampler(filter, address="clamp", **more):
    return {"slot": "s0", "kind": "sampler", "filter": filter, "address": address, **more}, None


def constants(form, *values):
    content = struct.pack(form, *values)
    return {"slot": "b0", "kind": "constant"}, content + bytes(-len(content) % 16)


def written(count, stride):
    return {"slot": "u0", "kind": "structured", "stride": stride, "size": count * stride, "fill": "zero", "save": None}, None


def density(size, seed):
    slices = np.stack([texels.noise(size, seed + n // 4, 3) for n in range(size)])
    smooth = (np.roll(slices, 1, 0) + slices * 2 + np.roll(slices, -1, 0)) / 4
    return np.repeat(smooth[..., None], 4, 3)


def grey(size, seed):
    return np.repeat(texels.noise(size, seed)[..., None], 4, 2)


def kernel(name, small):
    """Numbers of groups, the views with their content, and the type and tolerance of what comes out."""
    near = ("f32", {"abs": 0.004, "rel": 0.004})
    if name == "irradiance":
        size, sky, count = (8, 16, 16) if small else (32, 128, 64)
        levels = int(np.log2(sky)) + 1
        content = b"".join(texels.chain("BC7_UNORM_SRGB", texels.picture(sky, 200 + face), levels, face) for face in range(6))
        sky = texture("t0", "texturecube", "BC7_UNORM_SRGB", sky, content, mips=levels)
        return (size // 8, size // 8, 6), [constants("<IIf", size, count, 1.6), sky, sampler("linear"), written(6 * size**2, 16)], near
    if name == "volume_march":
        size, volume, steps = (16, 16, 12) if small else (160, 64, 24)
        first = texture("t0", "texture3d", "R8_UNORM", volume, texels.volume("R8_UNORM", density(volume, 210)), depth=volume)
        second = texture(
            "t1", "texture3d", "R16_FLOAT", volume // 2, texels.volume("R16_FLOAT", 3 * density(volume // 2, 230)), depth=volume // 2
        )
        views = [constants("<II", size, steps), first, second, sampler("min_mag_linear_mip_point"), written(size**2, 8)]
        # Where a ray ends depends on the last bits.
        return (size // 8, size // 8, 1), views, ("f32", {"abs": 0.03})
    if name == "pyramid":
        size = 32 if small else 512
        depth = texture("t0", "texture2d", "R16_UNORM", 2 * size, texels.encode("R16_UNORM", grey(2 * size, 240)))
        mask = texture("t1", "texture2d", "R8G8_UNORM", 2 * size, texels.encode("R8G8_UNORM", texels.picture(2 * size, 241)))
        return (size // 8, size // 8, 1), [constants("<I", size), depth, mask, sampler("point"), written(size**2, 16)], near
    if name == "bicubic":
        size, source = (32, 16) if small else (512, 256)
        formats = ["R8_UNORM", "R8G8_UNORM", "R16G16B16A16_UNORM"]
        sources = [
            texture(f"t{n}", "texture2d", format, source, texels.encode(format, texels.picture(source, 250 + n)))
            for n, format in enumerate(formats)
        ]
        views = [constants("<If", size, source), *sources, sampler("min_mag_linear_mip_point"), written(size**2, 16)]
        return (size // 8, size // 8, 1), views, near
    if name == "shadow_taps":
        size, map_size = (16, 32) if small else (256, 256)
        formats = ["R16_UNORM", "R24_UNORM_X8_TYPELESS", "R32_FLOAT"]
        maps = [
            texture(f"t{n}", "texture2d", format, map_size, texels.encode(format, grey(map_size, 260 + n)))
            for n, format in enumerate(formats)
        ]
        compared = sampler("comparison_min_mag_linear_mip_point", comparison="less_equal")
        return (size // 8, size // 8, 1), [constants("<If", size, 0.03), *maps, compared, written(size**2, 4)], ("f32", {"abs": 0.02})
    if name == "brightness":
        size = 64 if small else 1024
        formats = ["R10G10B10A2_UNORM", "B5G6R5_UNORM"]
        pictures = [
            texture(f"t{n}", "texture2d", format, size, texels.encode(format, texels.picture(size, 270 + n)))
            for n, format in enumerate(formats)
        ]
        groups = size // 16
        return (groups, groups, 1), [constants("<I", groups), *pictures, written(64 * groups**2, 4)], ("u32", "exact")
    raise ValueError(name)


def write(folder, name, small):
    """Writes the job of a kernel; of a small one without what it saves."""
    groups, views, (type, tolerance) = kernel(name, small)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.cso").write_bytes((HERE / "shaders" / f"{name}.cso").read_bytes())
    bindings = []
    for view, content in views:
        if content is not None:
            view.update(file=f"{view['slot']}.bin", size=len(content))
            (folder / view["file"]).write_bytes(content)
        if "save" in view:
            view["save"] = f"{name}.u0.bin"
        bindings.append(view)
    expect = [{"slot": "u0", "file": "u0.out.bin", "type": type, "tolerance": tolerance}] if small else []
    document = {"name": name, "shaders": ["main.cso"], "entry": "main", "dispatch": list(groups), "bindings": bindings, "expect": expect}
    if small:
        bindings[-1].pop("save")
    (folder / "case.json").write_text(json.dumps(document, indent=1) + "\n")


def write_all(folder):
    """Writes the kernels as they are measured, and gives their jobs."""
    for name in NAMES:
        write(folder / name, name, False)
    return jobs(folder)


def small():
    """The jobs of the kernels as the tests have them."""
    return jobs(SMALL)


def jobs(folder):
    sys.path.insert(0, str(HERE.parent))
    from vulkan_plans import Job

    return [Job(folder / name, HERE / "shaders" / f"{name}.hlsl") for name in NAMES]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adopt", type=Path, metavar="RESULTS", help="what lavapipe computed")
    options = parser.parse_args()
    for name in NAMES:
        folder = SMALL / name
        if options.adopt:
            (folder / "u0.out.bin").write_bytes((options.adopt / f"{name}.gls.u0.bin").read_bytes())
        else:
            write(folder, name, True)


if __name__ == "__main__":
    main()
