#!/usr/bin/env python3
"""Measures frames of whole scenes beside lavapipe, in rounds in which both take turns, and prints what came out as a table.

    scripts/scene_peers.py SCENES [--harness FOLDER] [--rounds 3] [--work FOLDER] [--only SCENE,...] [--cpu CPUS]

SCENES is a folder of scenes; lavapipe's harness (`vk_scene.cpp`, `run.py`) is in FOLDER, by default SCENES/peers. Its list of formats
becomes that of vulkan_plans.py, which has all, and it gets room for scenes of 10,000 draws. `--only textures` are the scenes of
textures/scenes.py, `--only draws` those of draw_scenes.py, which are in tests/data/scenes.
What is needed beside it, as Debian's packages: g++ libvulkan-dev libzstd-dev nlohmann-json3-dev mesa-vulkan-drivers glslang-tools, and
numpy and zstandard for Python.

Scenes that Brolga cannot draw are left out. Every figure is the least processor time of a frame over all rounds, in one thread; what
two threads gain is by the clock on the wall. Brolga holds what it draws against what the scene expects, each time; a scene that is
wrong is not in the table.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

from peers import ROOT, build_brolga, manifest, run, say, stop, versions

STAGES = {"vs", "hs", "ds", "gs", "ps", "cs"}
# Shorter frames of lavapipe's are in the table, but not in the mean.
LEAST_MS = 1.0


def main():
    options = arguments()
    scenes, work = options.scenes.resolve(), options.work.resolve() / "scenes"
    work.mkdir(parents=True, exist_ok=True)
    harness = build_harness(options.harness, work)
    icd = manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")
    wanted = options.only.split(",") if options.only else drawable(scenes)
    if wanted in (["textures"], ["draws"]):
        wanted = made_scenes(wanted[0])
    run(["python3", options.harness / "run.py", work, "spv", *wanted], env={**os.environ, "SCENES": str(scenes)})
    if options.draw:
        for scene in wanted:
            run([harness, *folders(scenes, work, scene)], env={**os.environ, "VK_ICD_FILENAMES": str(icd)})
        return
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    best = {}
    for round in range(1, options.rounds + 1):
        for scene in wanted:
            say(f"round {round} of {options.rounds}: {scene}")
            for threads in ["0", "2"]:
                environment = {"VK_ICD_FILENAMES": str(icd), "LP_NUM_THREADS": threads, "MESA_SHADER_CACHE_DISABLE": "true"}
                command = [harness, *folders(scenes, work, scene), "--time", f"lavapipe_{threads}"]
                measure(best, scene, command, environment, options.cpu)
            command = [brolga, "bench", "--threads", "1,2", "--seconds", "0.5", "--format", "peers", scenes / scene]
            measure(best, scene, command, {}, options.cpu)
    print_table(best, wanted, options.rounds)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path, metavar="SCENES", help="the folder of scenes")
    parser.add_argument("--harness", type=Path, metavar="FOLDER", help="where lavapipe's harness is (default SCENES/peers)")
    parser.add_argument("--draw", action="store_true", help="only let lavapipe draw, to WORK/scenes/out/lavapipe, for textures/scenes.py --adopt")
    parser.add_argument("--rounds", type=int, default=3, help="how often each takes its turn (default 3)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="these scenes alone")
    parser.add_argument("--cpu", default="0,1", help="the processors that all run on (default 0,1)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    options = parser.parse_args()
    options.harness = (options.harness or options.scenes / "peers").resolve()
    if not (options.harness / "vk_scene.cpp").exists():
        parser.error(f"{options.harness} has no harness: vk_scene.cpp is missing; --harness says where it is")
    return options


def build_harness(folder, work):
    harness = work / "vk_scene"
    if not harness.exists():
        say("building the harness")
        source, part = work / "vk_scene.cpp", work / "vk_scene.part"
        source.write_text(with_room(with_formats((folder / "vk_scene.cpp").read_text())))
        run(["g++", "-std=c++17", "-O1", source, "-o", part, "-lvulkan", "-lzstd"])
        part.rename(harness)
    return harness


def folders(scenes, work, scene):
    """What the harness reads and where it writes: the scene, its shaders, its results."""
    out = work / "out" / "lavapipe" / scene
    out.mkdir(parents=True, exist_ok=True)
    return scenes / scene, work / "spv" / scene, out


def with_formats(text):
    """The harness with the formats of vulkan_plans.py in front of its own: the number in Vulkan, the bytes (of blocks: negative), what it is."""
    from vulkan_plans import FORMATS

    kind = lambda name: "d" if name[0] == "D" else "u" if name.endswith("UINT") else "i" if name.endswith("SINT") else "f"
    size = lambda name, bytes: -bytes if name.startswith("BC") else bytes
    rows = [f'{{"{name}", {{VkFormat({number}), {size(name, bytes)}, \'{kind(name)}\'}}}},' for name, (number, bytes) in FORMATS.items()]
    changed, places = re.subn(r"(FORMATS = \{\n)", lambda found: found[1] + "\n".join(rows) + "\n", text, count=1)
    return changed if places else stop("the harness has no list of formats")


def with_room(text):
    """The harness with descriptors for 10,000 draws and more."""
    return re.sub(r"\b4096\b", "65536", text)


def made_scenes(kind):
    """Those that a script makes."""
    sys.path.insert(0, str(ROOT / "scripts" / "textures"))
    import draw_scenes
    import scenes

    return [scene.__name__ for scene in (scenes if kind == "textures" else draw_scenes).SCENES]


def drawable(scenes):
    """The scenes that both can draw."""
    found = []
    for path in sorted(scenes.glob("*/scene.json")):
        scene = json.loads(path.read_text())
        stages = {shader["model"][:2] for shader in scene["shaders"].values()}
        if scene.get("api", "d3d11") == "d3d11" and stages <= STAGES:
            found.append(path.parent.name)
    return found


def measure(best, scene, command, environment, cpu):
    """Notes the least times that the lines of a command say of each runtime: of the processor, and on the wall."""
    command = [str(part) for part in ["taskset", "-c", cpu, *command]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    lines = done.stdout.splitlines()
    if not lines:
        stop(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr}")
    for line in map(json.loads, lines):
        if "skip" in line:
            say(f"{scene}: {line['impl']} is not measured: {line['skip']}")
            continue
        key = (scene, line["impl"])
        before = best.get(key, [math.inf] * 2)
        best[key] = [min(before[0], line["cpu"]), min(before[1], line["wall"])]


def print_table(best, wanted, rounds):
    print("| scene | lavapipe | Brolga | ratio | two threads: lavapipe | Brolga |")
    print("|---" + "|--:" * 5 + "|")
    ratios = {}
    for scene in (scene for scene in wanted if (scene, "brolga_1") in best):
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
