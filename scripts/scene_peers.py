#!/usr/bin/env python3
"""Measures frames of whole scenes beside lavapipe, in rounds in which both take turns, and prints what came out as a table.

    scripts/scene_peers.py SCENES [--rounds 3] [--work FOLDER] [--only SCENE,...] [--cpu CPUS]

SCENES is a folder of scenes, with lavapipe's harness (`peers/vk_scene.cpp`, `peers/run.py`). What is needed beside it, as Debian's
packages: g++ libvulkan-dev libzstd-dev nlohmann-json3-dev mesa-vulkan-drivers glslang-tools, and numpy and zstandard for Python.

Scenes that Brolga cannot draw are left out. Every figure is the least processor time of a frame over all rounds, in one thread; what
two threads gain is by the clock on the wall. Brolga holds what it draws against what the scene expects, each time.
"""
import argparse
import json
import math
import os
from pathlib import Path

from peers import ROOT, build_brolga, manifest, run, say, stop, versions

STAGES = {"vs", "ps", "cs"}
# Shorter frames of lavapipe's are in the table, but not in the mean.
LEAST_MS = 1.0


def main():
    options = arguments()
    scenes, work = options.scenes.resolve(), options.work.resolve() / "scenes"
    work.mkdir(parents=True, exist_ok=True)
    harness = build_harness(scenes / "peers", work)
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    icd = manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")
    wanted = options.only.split(",") if options.only else drawable(scenes)
    run(["python3", scenes / "peers" / "run.py", work, "spv", *wanted])
    best = {}
    for round in range(1, options.rounds + 1):
        for scene in wanted:
            say(f"round {round} of {options.rounds}: {scene}")
            for threads in ["0", "2"]:
                environment = {"VK_ICD_FILENAMES": str(icd), "LP_NUM_THREADS": threads, "MESA_SHADER_CACHE_DISABLE": "true"}
                command = [harness, scenes / scene, work / "spv" / scene, work, "--time", f"lavapipe_{threads}"]
                measure(best, scene, command, environment, options.cpu)
            command = [brolga, "bench", "--threads", "1,2", "--seconds", "0.5", "--format", "peers", scenes / scene]
            measure(best, scene, command, {}, options.cpu)
    print_table(best, wanted, options.rounds)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path, metavar="SCENES", help="the folder of scenes")
    parser.add_argument("--rounds", type=int, default=3, help="how often each takes its turn (default 3)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="these scenes alone")
    parser.add_argument("--cpu", default="0,1", help="the processors that all run on (default 0,1)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    options = parser.parse_args()
    if not (options.scenes / "peers" / "vk_scene.cpp").exists():
        parser.error(f"{options.scenes} is not a folder of scenes: peers/vk_scene.cpp is missing")
    return options


def build_harness(source, work):
    harness = work / "vk_scene"
    if not harness.exists():
        say("building the harness")
        part = work / "vk_scene.part"
        run(["g++", "-std=c++17", "-O1", source / "vk_scene.cpp", "-o", part, "-lvulkan", "-lzstd"])
        part.rename(harness)
    return harness


def drawable(scenes):
    """The scenes that both can draw."""
    found = []
    for path in sorted(scenes.glob("*/scene.json")):
        scene = json.loads(path.read_text())
        stages = {shader["model"][:2] for shader in scene["shaders"].values()}
        samples = max(resource.get("samples", 1) for resource in scene["resources"].values())
        if scene["api"] == "d3d11" and stages <= STAGES and samples == 1:
            found.append(path.parent.name)
    return found


def measure(best, scene, command, environment, cpu):
    """Notes the least times that the lines of a command say of each runtime: of the processor, and on the wall."""
    lines = run(["taskset", "-c", cpu, *command], env={**os.environ, **environment}).splitlines()
    for line in map(json.loads, lines):
        if "cpu" not in line:
            stop(f"{scene} was not measured: {line}")
        key = (scene, line["impl"])
        before = best.get(key, [math.inf] * 2)
        best[key] = [min(before[0], line["cpu"]), min(before[1], line["wall"])]


def print_table(best, wanted, rounds):
    print("| scene | lavapipe | Brolga | ratio | two threads: lavapipe | Brolga |")
    print("|---" + "|--:" * 5 + "|")
    ratios = {}
    for scene in wanted:
        of = lambda runtime: best[scene, runtime]
        (theirs, their_wall), (ours, wall) = of("lavapipe_0"), of("brolga_1")
        ratio = theirs / ours
        if theirs >= LEAST_MS:
            ratios[scene] = ratio
        gains = [their_wall / of("lavapipe_2")[1], wall / of("brolga_2")[1]]
        cells = [f"{theirs:.3g}", f"{ours:.3g}", f"{ratio:.2f}", *(f"{gain:.2f}" for gain in gains)]
        print(f"| {scene} | {' | '.join(cells)} |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        least = min(ratios, key=ratios.get)
        print(f"| geometric mean of those over {LEAST_MS:.0f} ms | | | **{mean:.2f}** | | |")
        print(f"| the least of them: {least} | | | {ratios[least]:.2f} | | |")
    print()
    print(
        f"Milliseconds of processor time of a frame, one thread, the least of {rounds} interleaved rounds. A ratio is lavapipe's time by "
        f"Brolga's; what two threads gain is by the clock. {versions([])}"
    )


if __name__ == "__main__":
    main()
