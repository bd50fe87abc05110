#!/usr/bin/env python3
"""Measures accesses of textures beside lavapipe, by format, filter and shape, in rounds in which both take turns, and prints tables.

    scripts/texture_sweep.py [--rounds 3] [--only PART,...] [--kernels] [--work FOLDER] [--cpu 0] [--brolga PROGRAM]

What is needed is what peers.py needs. A case is a shader that accesses a texture once in each of 256 x 256 threads
(textures/shaders/samples.hlsl), in a texture of 256 x 256 texels with all levels, a cube or four layers of such, or a volume of 32 x 32 x 32.
Levels of detail are 0.4, so that a trilinear filter takes two; an anisotropic one covers 8 texels along a line. With --kernels the kernels
of textures/kernels.py are measured instead, at the size that they have there.

Figures are nanoseconds of processor time for each thread, one thread on one processor: the least of all rounds, of lavapipe's two translations
the better one. What both computed is compared: cases that differ in more than three of a thousand numbers are named below the tables, with
the share; but for anisotropic filters, whose samples each implementation places as it likes, and for stores to A8, which Vulkan has not. Cases
that lavapipe has no images or shaders for have no ratio.
"""

import argparse
import json
import math
import struct
import sys
from pathlib import Path

from peers import ROOT, VARIANTS, build_brolga, build_harness, cell, manifest, mean, measure, ratio, run, say, stop, versions

SHADERS = ROOT / "scripts" / "textures" / "shaders"
THREADS, SIZE, DEPTH, LAYERS = 256, 256, 32, 4
# As many cases take a turn together.
TOGETHER = 16
# A number is as expected within a share of itself, or of the largest number of its texture.
NEAR, WRONG_SHARE = 0.01, 0.003

NARROW = "R8_UNORM R8_SNORM A8_UNORM R8G8_UNORM R8G8_SNORM R16_UNORM R16_SNORM R16_FLOAT R16G16_UNORM R16G16_SNORM R16G16_FLOAT"
COLOURS = "R8G8B8A8_UNORM R8G8B8A8_UNORM_SRGB R8G8B8A8_SNORM B8G8R8A8_UNORM B8G8R8A8_UNORM_SRGB B8G8R8X8_UNORM"
WIDE = "R16G16B16A16_UNORM R16G16B16A16_SNORM R16G16B16A16_FLOAT R32_FLOAT R32G32_FLOAT R32G32B32_FLOAT R32G32B32A32_FLOAT"
PACKED = "R10G10B10A2_UNORM R11G11B10_FLOAT R9G9B9E5_SHAREDEXP B5G6R5_UNORM B5G5R5A1_UNORM B4G4R4A4_UNORM"
BLOCKS = (
    "BC1_UNORM BC1_UNORM_SRGB BC2_UNORM BC2_UNORM_SRGB BC3_UNORM BC3_UNORM_SRGB BC4_UNORM BC4_SNORM BC5_UNORM BC5_SNORM "
    "BC6H_UF16 BC6H_SF16 BC7_UNORM BC7_UNORM_SRGB"
)
FILTERED = f"{NARROW} {COLOURS} {WIDE} {PACKED} {BLOCKS}".split()
SOME = (
    "R8G8B8A8_UNORM R8_UNORM R8G8_UNORM R16_FLOAT R16_UNORM R16G16B16A16_FLOAT R10G10B10A2_UNORM R11G11B10_FLOAT B5G6R5_UNORM "
    "BC1_UNORM BC3_UNORM BC5_UNORM BC7_UNORM BC7_UNORM_SRGB"
).split()
SHAPED = "R8G8B8A8_UNORM R8_UNORM R16G16B16A16_FLOAT R10G10B10A2_UNORM BC1_UNORM BC3_UNORM BC4_UNORM BC6H_UF16 BC7_UNORM".split()
FEW = "R8G8B8A8_UNORM R8_UNORM R16_FLOAT BC1_UNORM BC7_UNORM".split()
UINTS = (
    "R8_UINT R8G8_UINT R8G8B8A8_UINT R16_UINT R16G16_UINT R16G16B16A16_UINT R32_UINT R32G32_UINT R32G32B32_UINT R32G32B32A32_UINT "
    "R10G10B10A2_UINT"
).split()
SINTS = (
    "R8_SINT R8G8_SINT R8G8B8A8_SINT R16_SINT R16G16_SINT R16G16B16A16_SINT R32_SINT R32G32_SINT R32G32B32_SINT R32G32B32A32_SINT".split()
)
NOT_STORED = "SRGB X8 R9G9B9E5 R32G32B32_ BC".split()
COMPARED = "R16_UNORM R32_FLOAT R24_UNORM_X8_TYPELESS".split()

BILINEAR = {"filter": "min_mag_linear_mip_point"}
TRILINEAR = {"filter": "linear"}
COMPARING = {"filter": "comparison_linear", "comparison": "less_equal"}


def cases():
    """Every case by name: the shader, the format and the sampler; in groups that have a table each."""
    stored = lambda formats: [format for format in formats if not any(part in format for part in NOT_STORED)]
    typed = [format for format in FILTERED if not any(part in format for part in "SRGB X8 R9G9B9E5 BC A8_UNORM B5 B4".split())]
    typed.append("R8G8B8A8_UNORM")
    groups = {
        "bilinear": [("sample_2d", format, BILINEAR) for format in FILTERED],
        "point": [("sample_2d", format, {"filter": "point"}) for format in SOME],
        "trilinear": [("sample_2d", format, TRILINEAR) for format in SOME],
        "aniso8": [("grad_2d", format, {"filter": "anisotropic", "max_anisotropy": 8}) for format in SOME],
        "grad": [("grad_2d", format, TRILINEAR) for format in FEW],
        "offset": [("offset_2d", format, BILINEAR) for format in FEW],
        "border": [("sample_2d", format, {**BILINEAR, "address": "border", "border": [1, 1, 1, 1]}) for format in FEW],
        "minimum": [("sample_2d", format, {"filter": "minimum_min_mag_linear_mip_point"}) for format in FEW],
        "maximum": [("sample_2d", format, {"filter": "maximum_linear"}) for format in FEW],
        "line": [("sample_1d", format, BILINEAR) for format in SHAPED if not format.startswith("BC")],
        "volume": [("sample_3d", format, BILINEAR) for format in SHAPED],
        "volume_trilinear": [("sample_3d", format, TRILINEAR) for format in FEW],
        "cube": [("sample_cube", format, BILINEAR) for format in SHAPED],
        "cube_trilinear": [("sample_cube", format, TRILINEAR) for format in FEW],
        "cube_grad": [("grad_cube", format, TRILINEAR) for format in FEW],
        "cubes": [("sample_cubes", format, BILINEAR) for format in FEW],
        "array": [("sample_array", format, BILINEAR) for format in SHAPED],
        "gather": [("gather_2d", format, BILINEAR) for format in SOME],
        "gather_offset": [("gather_offset", format, BILINEAR) for format in FEW],
        "gather_array": [("gather_array", format, BILINEAR) for format in FEW],
        "gather_cube": [("gather_cube", format, BILINEAR) for format in FEW],
        "compare": [("compare_2d", format, COMPARING) for format in COMPARED],
        "compare_point": [("compare_2d", format, {**COMPARING, "filter": "comparison_point"}) for format in COMPARED],
        "compare_array": [("compare_array", format, COMPARING) for format in COMPARED],
        "compare_cube": [("compare_cube", format, COMPARING) for format in COMPARED],
        "gather_compare": [("gather_compare", format, COMPARING) for format in COMPARED],
        "load": [("load_f", format, None) for format in [*FILTERED, "R24_UNORM_X8_TYPELESS"]]
        + [("load_u", format, None) for format in UINTS]
        + [("load_s", format, None) for format in SINTS],
        "load_line": [("load_1d", format, None) for format in FEW if not format.startswith("BC")],
        "load_volume": [("load_3d", format, None) for format in FEW],
        "load_array": [("load_array", format, None) for format in FEW],
        "load_buffer": [("typed_f", format, None) for format in dict.fromkeys(typed)]
        + [("typed_u", format, None) for format in UINTS]
        + [("typed_s", format, None) for format in SINTS],
        "uav_load": [("uav_f", "R32_FLOAT", None), ("uav_u", "R32_UINT", None), ("uav_s", "R32_SINT", None)],
        "store": [("store_f", format, None) for format in stored(FILTERED)]
        + [("store_u", format, None) for format in stored(UINTS)]
        + [("store_s", format, None) for format in stored(SINTS)],
    }
    return {group: {f"{format}.{group}": (shader, format, sampler) for shader, format, sampler in rows} for group, rows in groups.items()}


def main():
    options = arguments()
    work = options.work.resolve() / "textures"
    work.mkdir(parents=True, exist_ok=True)
    icd = manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")
    harness = build_harness(work)
    groups = kernels(work, options.small) if options.kernels else jobs(work, options.only)
    everything = {name: job for group in groups.values() for name, job in group.items()}
    if not everything:
        stop("no such case; parts of names are FORMAT.KIND, as BC7_UNORM.bilinear")
    plans = {name: plans_of(job, work) for name, job in everything.items()}
    names = list(everything)
    environment = {"VK_ICD_FILENAMES": str(icd), "LP_NUM_THREADS": "1", "MESA_SHADER_CACHE_DISABLE": "true"}
    if options.small:
        measure([harness, "lvp_gls", 1, *(of_job["gls"] for of_job in plans.values())], options.cpu, environment)
        return
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    best, devices = {}, set()

    def note(line):
        if "cpu" in line and line["k"] in everything:
            key = line["k"], line["impl"].split("_")[0]
            best[key] = min(best.get(key, math.inf), line["cpu"] * 1e6 / threads(everything[line["k"]]))

    rounds = work / ("kernel_rounds.jsonl" if options.kernels else "rounds.jsonl")
    for line in rounds.read_text().splitlines() if options.add else []:
        note(json.loads(line))
    with rounds.open("a" if options.add else "w") as out:
        for round in range(1, options.rounds + 1):
            for first in range(0, len(names), TOGETHER):
                turn = names[first : first + TOGETHER]
                say(f"round {round} of {options.rounds}: {turn[0]} to {turn[-1]}")
                lines = []
                for variant in VARIANTS:
                    mine = [plans[name][variant] for name in turn if variant in plans[name]]
                    if mine:
                        device, *found = measure([harness, f"lvp_{variant}", options.budget_ms, *mine], options.cpu, environment)
                        devices.add(device["device"])
                        lines += found
                command = [
                    brolga,
                    "bench",
                    *(everything[name].folder for name in turn),
                    "--threads",
                    1,
                    "--seconds",
                    options.budget_ms / 1000,
                ]
                lines += measure([*command, "--format", "peers"], options.cpu, {})
                for line in lines:
                    print(json.dumps(line), file=out, flush=True)
                    note(line)
    print_tables(groups, best)
    told = "all" if options.add else options.rounds
    print(f"\nNanoseconds of processor time for each thread, the least of {told} interleaved rounds. {versions(sorted(devices))}\n")
    print_differences(brolga, work, everything)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each takes its turn (default 3)")
    parser.add_argument(
        "--add", action="store_true", help="add to the rounds of the last time; with --rounds 0 only print and compare what there is"
    )
    parser.add_argument("--budget-ms", type=int, default=60, help="about how long a case is measured in a round (default 60)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="cases whose names have one of these parts: BC7, R8_UNORM.bilinear, .cube")
    parser.add_argument("--kernels", action="store_true", help="measure kernels, not single accesses")
    parser.add_argument(
        "--small", action="store_true", help="with --kernels: only let lavapipe compute those of the tests, for textures/kernels.py --adopt"
    )
    parser.add_argument("--cpu", default="0", help="the processor that all run on (default 0)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    options = parser.parse_args()
    if options.rounds < (not options.add) or options.budget_ms < 1:
        parser.error("there is at least one round, and it takes at least a millisecond")
    return options


def jobs(work, only):
    """The jobs of the cases that are wanted, by group and name."""
    parts = only.split(",") if only else [""]
    wanted = lambda name: any(part in f"{name}." or part == name for part in parts)
    say("writing the jobs")
    found = {group: {name: job(work, name, *case) for name, case in rows.items() if wanted(name)} for group, rows in cases().items()}
    return {group: rows for group, rows in found.items() if rows}


def kernels(work, is_small):
    sys.path.insert(0, str(ROOT / "scripts" / "textures"))
    import kernels as made

    say("writing the kernels")
    found = made.small() if is_small else made.write_all(work / "kernels")
    return {"kernels": {job.name: job for job in found}}


def job(work, name, shader, format, sampler):
    """Writes the job of a case. What it writes is kept too, to be compared."""
    from vulkan_plans import Job

    folder = work / "jobs" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shader.cso").write_bytes((SHADERS / f"{shader}.cso").read_bytes())
    bindings = [{"slot": "b0", "kind": "constant", "size": 16, "file": "b0.bin"}]
    level = 0.4 if sampler and "point" not in sampler["filter"].replace("mip_point", "") else 0.0
    (folder / "b0.bin").write_bytes(struct.pack("<Ifff", THREADS, level, 1.37 / THREADS, 2.0))
    texture, content = made_texture(shader, format)
    if texture["slot"] == "u0":
        texture.update(fill="zero", save=f"{name}.u0.bin")
    else:
        texture["file"] = f"{texture['slot']}.bin"
        (folder / texture["file"]).write_bytes(content)
    bindings.append({**texture, "size": len(content)})
    if sampler:
        bindings.append({"slot": "s0", "kind": "sampler", "address": "wrap", **sampler})
    if texture["slot"] != "u0":
        words = {"slot": "u0", "kind": "structured", "stride": 4, "size": 4 * THREADS**2, "fill": "zero", "save": f"{name}.u0.bin"}
        bindings.append(words)
    groups = [THREADS // 8, THREADS // 8, 1]
    document = {"name": name, "shaders": ["shader.cso"], "dispatch": groups, "bindings": bindings, "expect": []}
    (folder / "case.json").write_text(json.dumps(document, indent=1) + "\n")
    return Job(folder, SHADERS / "samples.hlsl", (shader.upper(),))


def made_texture(shader, format, made={}):
    """The binding of the texture that a shader accesses, and its bytes."""
    sys.path.insert(0, str(ROOT / "scripts" / "textures"))
    import texels

    shape = shader.split("_", 1)[1]
    shape = {"u": "2d", "s": "2d", "f": "2d", "offset": "2d", "compare": "2d"}.get(shape, shape)
    kind = {
        "1d": "texture1d",
        "2d": "texture2d",
        "3d": "texture3d",
        "cube": "texturecube",
        "cubes": "texturecubearray",
        "array": "texture2darray",
    }[shape]
    if shader.startswith("typed"):
        kind = "typed"
    slot = "u0" if shader.startswith("store") else "u1" if shader.startswith("uav") else "t0"
    layers = {"cube": 6, "cubes": 12, "array": LAYERS}.get(shape, 1)
    has_levels = slot == "t0" and kind not in ("typed", "texture1d")
    levels = (6 if shape == "3d" else 9) if has_levels else 1
    view = {"slot": slot, "kind": kind, "format": format}
    key = shape, format, levels
    if key not in made:
        if shape == "3d":
            import numpy

            slices = numpy.stack([texels.picture(DEPTH, 1 + z // 4, 0.5 + z / 64) for z in range(DEPTH)])
            made[key] = texels.volume(format, slices, levels)
        else:
            rows = 1 if shape == "1d" else SIZE
            alpha = texels.noise(SIZE, 9)[:rows]
            layer = lambda n: texels.chain(
                format, texels.picture(SIZE, 1 + n % 6)[:rows] * [1, 1, 1, 0] + alpha[..., None] * [0, 0, 0, 1], levels
            )
            parts = [layer(n) for n in range(min(layers, 6))]
            made[key] = b"".join(parts[n % 6] for n in range(layers))
    if kind == "typed":
        return view, made[key]
    view["width"] = DEPTH if shape == "3d" else SIZE
    if shape != "1d":
        view["height"] = view["width"]
    if shape == "3d":
        view["depth"] = DEPTH
    if kind in ("texture2darray", "texturecubearray"):
        view["layers"] = layers
    if levels > 1:
        view["mips"] = levels
    return view, made[key]


def plans_of(job, work, modules={}):
    """Plans of a job, by translation; shaders are translated once."""
    import vulkan_plans

    found = {}
    for variant in VARIANTS:
        key = job.source, job.defines, variant
        try:
            if key not in modules:
                modules[key] = None
                modules[key] = vulkan_plans.translate(job, variant, work)
            if modules[key]:
                found[variant] = vulkan_plans.write_plan(job, modules[key], variant, work)
        except vulkan_plans.Unsupported as reason:
            say(f"{job.name} is not run from {variant}: {reason}")
    return found


def threads(job):
    return 64 * math.prod(job.document["dispatch"])


def print_tables(groups, best):
    ratios = {}
    for group, rows in groups.items():
        print(f"\n| {group} | lavapipe | Brolga | ratio |\n|---|--:|--:|--:|")
        for name in rows:
            theirs, ours = best.get((name, "lvp")), best.get((name, "brolga"))
            found = ratio(theirs, ours)
            if found:
                ratios[name] = found
            print(f"| {name.rsplit('.', 1)[0]} | {cell(theirs)} | {cell(ours)} | {cell(found)} |")
        print(f"| geometric mean | | | **{cell(mean([ratios[name] for name in rows if name in ratios]))}** |")
    print("\n| geometric mean of | cases | ratio | least |\n|---|--:|--:|--:|")
    slow = ("BC6H", "BC7")
    of_groups = [(group, [name for name in rows if name in ratios]) for group, rows in groups.items()] if len(groups) > 1 else []
    for what, chosen in [
        *of_groups,
        ("all", list(ratios)),
        ("all but BC6H and BC7", [name for name in ratios if not name.startswith(slow)]),
        ("BC6H and BC7", [name for name in ratios if name.startswith(slow)]),
    ]:
        if chosen:
            least = min(chosen, key=ratios.get)
            print(
                f"| {what} | {len(chosen)} | **{cell(mean([ratios[name] for name in chosen]))}** | {cell(ratios[least])}: {least.rsplit('.', 1)[0]} |"
            )


def print_differences(brolga, work, everything):
    """Runs everything once more and compares what it wrote with what lavapipe did."""
    import vulkan_plans

    run([brolga, "run", "--no-cache", "--threads", "1", "--output", work, *(job.folder for job in everything.values())])
    told = []
    for name, job in everything.items():
        is_free = job.bindings["u0"].get("format") == "A8_UNORM" or any(
            view.get("filter") == "anisotropic" for view in job.bindings.values()
        )
        for variant in VARIANTS if not is_free else []:
            theirs = vulkan_plans.output(job, "u0", variant, work)
            if theirs.exists():
                share = differing(job, theirs.read_bytes(), (work / f"{name}.u0.bin").read_bytes())
                told += [f"{name} from {variant}: {100 * share:.3g} %"] if share > WRONG_SHARE else []
    print("What both computed agrees." if not told else "What both computed differs:\n\n* " + "\n* ".join(told))


def differing(job, theirs, ours):
    """The share of numbers that are not near each other; of textures, whose codes may be off by one, the share of bytes."""
    import numpy

    format = job.bindings["u0"].get("format", "R32_FLOAT")
    if format.startswith("R32") and format.endswith("FLOAT"):
        a, b = (numpy.frombuffer(data, "<f4").astype(float) for data in (theirs, ours))
        most = NEAR * numpy.maximum(numpy.abs(b), numpy.abs(b[numpy.isfinite(b)]).max(initial=0))
        wrong = ~((a == b) | (numpy.abs(a - b) <= most) | numpy.isnan(a) & numpy.isnan(b))
    else:
        a, b = (numpy.frombuffer(data, "u1").astype(int) for data in (theirs, ours))
        off = numpy.abs(a - b)
        wrong = numpy.minimum(off, 256 - off) > 1
    return wrong.mean()


if __name__ == "__main__":
    main()
