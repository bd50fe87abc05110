#!/usr/bin/env python3
"""Measures drawing beside lavapipe, in rounds in which both take turns, and prints what came out as a table.

    scripts/raster_peers.py PEERS [--rounds 5] [--work FOLDER] [--only "SCENE;..."] [--cpu CPUS]

PEERS is a folder with the harness (`raster-model/vkscene.cpp`, its scenes and shaders). What is needed beside it, as Debian's
packages: g++ libvulkan-dev mesa-vulkan-drivers glslang-tools.

Both draw the same scenes with the same clears (`bench/suite/src/draws.rs` has ours). Every figure is the least processor time of a frame
over all rounds, for lavapipe with and without a thread of its rasterizer's own, of which the better one counts. What two threads
gain is by the clock on the wall. The first frame comes with all that is compiled for it, without any cache.
"""
import argparse
import math
import os
import re
import subprocess
from pathlib import Path

from peers import ROOT, manifest, run, say, stop, versions

# Our name of a scene, the harness's, and its pixel shader.
SCENES = [
    ("small", "small", "textured"),
    ("small_back_to_front", "smallb", "textured"),
    ("layers", "over", "plain"),
    ("layers_textured", "over", "textured"),
    ("opaque", "opaque", "textured"),
    ("quad", "quad", "plain"),
    ("quad_textured", "quad", "textured"),
    ("quad_three", "quad", "three"),
]
# What the pixel shaders of the harness have in the place of its single sample.
SAMPLE = "texture(t, uv)"
PIXEL_SHADERS = {
    "textured": SAMPLE,
    "plain": "vec4(uv, 0.5, 1.0)",
    "three": "(0.5 * texture(t, uv) + 0.25 * texture(t, uv.yx) + 0.25 * texture(t, uv + 0.25))",
}
# What a scene of opaque layers, each behind the one before, changes in the scenes of the harness.
OPAQUE = [
    ('int sheets = !strcmp(name, "over")', 'int opaque = !strcmp(name, "opaque"), sheets = opaque || !strcmp(name, "over")'),
    ("s.blend = sheets > 1;", "s.blend = sheets > 1 && !opaque; s.ztest = opaque;"),
    ("float z = .5f, c = sheets > 1", "float z = opaque ? .35f + .006f * k : .5f, c = s.blend"),
    ("sn = sheets > 1", "sn = s.blend"),
]
LINE = re.compile(r"([0-9.]+) ms cpu +([0-9.]+) ms wall +first ([0-9.]+) ms")


def main():
    options = arguments()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    harness = build_harness(options.peers.resolve() / "raster-model", work)
    ours = options.brolga.resolve() if options.brolga else build_ours()
    icd = manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")
    wanted = options.only.split(";") if options.only else [name for name, _, _ in SCENES]
    best = {}
    for round in range(1, options.rounds + 1):
        for scene in (scene for scene in SCENES if scene[0] in wanted):
            name, theirs, pixel = scene
            say(f"round {round} of {options.rounds}: {name}")
            shaders = work / pixel
            for threads in ["0", "1"]:
                environment = {"VK_ICD_FILENAMES": str(icd), "LP_NUM_THREADS": threads, "MESA_SHADER_CACHE_DISABLE": "true"}
                measure(best, (name, "lavapipe"), [harness, f"lvp_{threads}", theirs, shaders], environment, options.cpu)
            for threads in ["1", "2"]:
                measure(best, (name, threads), [ours, "--frames", name, threads], {}, options.cpu)
    print_table(best, wanted, options.rounds)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", type=Path, metavar="PEERS", help="the folder of the harness")
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (default 5)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="these scenes alone, with semicolons between them")
    parser.add_argument("--cpu", default="0,1", help="the processors that all run on (default 0,1)")
    parser.add_argument("--brolga", type=Path, help="the bench to measure, as built by cargo (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    options = parser.parse_args()
    if not (options.peers / "raster-model" / "vkscene.cpp").exists():
        parser.error(f"{options.peers} is not a folder of the harness: raster-model/vkscene.cpp is missing")
    return options


def build_harness(source, work):
    """The harness with all scenes, and their shaders."""
    harness = work / "vkscene"
    if not harness.exists():
        say("building the harness")
        for name, sample in PIXEL_SHADERS.items():
            folder = work / name
            folder.mkdir(exist_ok=True)
            changed(source / "scene.frag", folder / "scene.frag", [(SAMPLE, sample)])
            for stage, path in [("vert", source / "scene.vert"), ("frag", folder / "scene.frag")]:
                run(["glslangValidator", "-V", path, "-o", folder / f"scene.{stage}.spv"])
        changed(source / "scene.h", work / "scene.h", OPAQUE)
        changed(source / "vkscene.cpp", work / "vkscene.cpp", [])
        part = work / "vkscene.part"
        run(["g++", "-O2", "-std=c++17", "-w", work / "vkscene.cpp", "-o", part, "-lvulkan"])
        part.rename(harness)
    return harness


def changed(source, path, replacements):
    """Writes a copy of a source in which texts that are there once are replaced."""
    text = source.read_text()
    for old, new in replacements:
        if text.count(old) != 1:
            stop(f"{source.name} is not as expected: {old!r} should be there once")
        text = text.replace(old, new)
    path.write_text(text)


def build_ours():
    say("building brolga")
    lines = run(["cargo", "bench", "--locked", "--bench", "raster", "--no-run", "--message-format", "short"], cwd=ROOT, stderr=subprocess.STDOUT)
    found = re.search(r"\(([^()]*raster-[0-9a-f]+)\)", lines)
    return ROOT / found.group(1) if found else stop(f"cargo does not say where the bench is:\n{lines}")


def measure(best, key, command, environment, cpu):
    """Notes the least of what a command says of each."""
    text = run(["taskset", "-c", cpu, *command], env={**os.environ, **environment})
    found = LINE.search(text)
    if not found:
        stop(f"{command[0]} says {text!r}")
    before = best.get(key, [math.inf] * 3)
    best[key] = [min(old, float(new)) for old, new in zip(before, found.groups())]


def print_table(best, wanted, rounds):
    print("| scene | lavapipe | Brolga | ratio | two threads | first frame: lavapipe | Brolga | ratio |")
    print("|---" + "|--:" * 7 + "|")
    for name in wanted:
        (theirs, _, their_first), (ours, wall, first), (_, wall_of_two, _) = (best[name, who] for who in ["lavapipe", "1", "2"])
        cells = [f"{theirs:.3g}", f"{ours:.3g}", f"{theirs / ours:.2f}", f"{wall / wall_of_two:.2f}"]
        cells += [f"{their_first:.3g}", f"{first:.3g}", f"{their_first / first:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |")
    print()
    print(
        f"Milliseconds of processor time of a frame, one thread, the least of {rounds} interleaved rounds. A ratio is lavapipe's time by "
        f"Brolga's; that of two threads is by the clock. {versions([])}"
    )


if __name__ == "__main__":
    main()
