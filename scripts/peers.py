#!/usr/bin/env python3
"""Measures Brolga beside other runtimes, in rounds in which all take turns, and prints what came out as a table.

    scripts/peers.py PEERS [--rounds 3] [--work FOLDER] [--only CASE,...] [--swiftshader MANIFEST] [--cpu 0]

PEERS is a folder with the harness of the other runtimes (`src/vkrun.cpp`, `src/cases.c`, `src/build_spv.sh`, `hlsl/`, `cso/`).
What is needed beside it, as Debian's packages: clang g++ libvulkan-dev mesa-vulkan-drivers glslang-tools vkd3d-compiler.

Harness and SPIR-V are built into the folder WORK, once; delete it to build them anew. Every figure is of one thread on one
processor: the least processor time of a dispatch over all rounds. Lavapipe runs the shaders in two translations, of the HLSL
by glslang (gls) and of the compiled form by vkd3d (vkd), and the better one counts. Results of all are checked in every round.

The lines of all rounds stay in WORK/rounds.jsonl; `brolga bench --compare WORK/rounds.jsonl` has them beside its own.
"""
import argparse
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Not part of the mean: it measures how long starting takes.
NO_SHADER = "tiny"
VARIANTS = ["gls", "vkd"]
# Compile times that are none: lavapipe finds the code of the pipelines that the harness made before.
NOT_COMPILED = {("matmul", "lvp_gls")}


def main():
    options = arguments()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    icd = manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")
    runtimes = [("lvp", icd)]
    if options.swiftshader:
        runtimes.append(("sws", options.swiftshader.resolve()))
    vkrun = build_harness(options.peers, work)
    spirv = build_shaders(options.peers, work)
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    cases = options.only.split(",") if options.only else suite(brolga, options.peers)
    lines = work / "rounds.jsonl"
    with lines.open("w") as out:
        for round in range(1, options.rounds + 1):
            for runtime, path in runtimes:
                for variant in VARIANTS:
                    say(f"round {round} of {options.rounds}: {runtime}_{variant}")
                    environment = {
                        "VK_ICD_FILENAMES": str(path),
                        "LP_NUM_THREADS": "1",
                        "MESA_SHADER_CACHE_DISABLE": "true",
                        "BUDGET_MS": str(options.budget_ms),
                    }
                    command = [vkrun, f"{runtime}_{variant}", spirv, variant, *cases]
                    measure(command, options.cpu, out, environment)
            say(f"round {round} of {options.rounds}: brolga")
            seconds = str(options.budget_ms / 1000)
            command = [brolga, "bench", "--only", ",".join(cases), "--threads", "1", "--seconds", seconds, "--format", "peers"]
            measure(command, options.cpu, out, {})
    print_table(lines, cases, runtimes, options)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peers", type=Path, metavar="PEERS", help="the folder of the other runtimes' harness")
    parser.add_argument("--rounds", type=int, default=3, help="how often each takes its turn (default 3)")
    parser.add_argument("--budget-ms", type=int, default=250, help="about how long a case is measured in a round (default 250)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="these cases alone")
    parser.add_argument("--cpu", default="0", help="the processor that all run on (default 0)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    parser.add_argument("--swiftshader", type=Path, help="SwiftShader's Vulkan manifest, to measure it too")
    options = parser.parse_args()
    for name in ["src/vkrun.cpp", "src/cases.c", "src/kernels.c", "src/build_spv.sh", "hlsl", "cso"]:
        if not (options.peers / name).exists():
            parser.error(f"{options.peers} is not a folder of the harness: {name} is missing")
    if options.rounds < 1 or options.budget_ms < 1:
        parser.error("there is at least one round, and it takes at least a millisecond")
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


def stop(text):
    sys.exit(f"error: {text}")


def run(command, **more):
    """Runs a command that must succeed, and gives what it prints."""
    try:
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True, **more)
    except FileNotFoundError as error:
        stop(f"{error.filename} is not installed")
    except subprocess.CalledProcessError as error:
        stop(f"`{' '.join(error.cmd)}` ended with {error.returncode}")
    return done.stdout


def manifest(given, name, package):
    """The Vulkan manifest of a driver."""
    if given:
        return given.resolve()
    folders = [Path("/usr/share/vulkan/icd.d"), Path("/usr/local/share/vulkan/icd.d"), Path("/etc/vulkan/icd.d")]
    found = [path for folder in folders if folder.is_dir() for path in sorted(folder.glob(f"{name}*.json"))]
    return found[0] if found else stop(f"no {name}*.json in {', '.join(map(str, folders))}; install {package}")


def build_harness(peers, work):
    vkrun = work / "vkrun"
    if not vkrun.exists():
        say("building the harness")
        source = peers.resolve() / "src"
        compiler = clang()
        flags = ["-O2", "-march=native", "-ffp-contract=off", "-DVW=4", "-DSCALAR", "-Dref_run=ref_precise", "-Wno-psabi"]
        run([compiler, *flags, "-c", source / "kernels.c", "-o", work / "precise.o"])
        run([compiler, "-O2", "-c", source / "cases.c", "-o", work / "cases.o"])
        objects = [work / "cases.o", work / "precise.o"]
        # Under its final name only when it is whole.
        run(["g++", "-O2", source / "vkrun.cpp", *objects, "-o", work / "vkrun.part", "-lvulkan", "-lm"])
        (work / "vkrun.part").rename(vkrun)
    return vkrun


def clang():
    """The models of the harness are written in its dialect of C."""
    names = ["clang", *(f"clang-{version}" for version in range(40, 10, -1))]
    found = [path for path in map(shutil.which, [os.environ.get("CC", "clang"), *names]) if path and "clang" in path]
    return found[0] if found else stop("clang is not installed")


def build_shaders(peers, work):
    spirv = work / "spv"
    if not spirv.exists():
        say("translating the shaders")
        part = work / "spv.part"
        shutil.rmtree(part, ignore_errors=True)
        run(["bash", peers.resolve() / "src" / "build_spv.sh", part])
        part.rename(spirv)
    return spirv


def build_brolga():
    say("building brolga")
    command = ["cargo", "build", "--release", "--locked", "--bin", "brolga", "--message-format", "json-render-diagnostics"]
    messages = [json.loads(line) for line in run(command, cwd=ROOT).splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


def suite(brolga, peers):
    """The cases that the program has, by what it says of a wrong one, and that the harness has too."""
    done = subprocess.run([str(brolga), "bench", "--only", "?"], stderr=subprocess.PIPE, text=True)
    names = re.search(r"possible values: ([^\]]*)", done.stderr)
    if not names:
        stop(f"{brolga} does not tell its cases:\n{done.stderr}")
    known = re.search(r"case_names\[\]\s*=\s*\{([^}]*)\}", (peers / "src" / "cases.c").read_text())
    return [name for name in names.group(1).split(", ") if known and f'"{name}"' in known.group(1)]


def measure(command, cpu, out, environment):
    command = [str(part) for part in command]
    if shutil.which("taskset"):
        command = ["taskset", "-c", cpu, *command]
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    out.flush()
    if done.returncode:
        stop(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr}")


def print_table(lines, cases, runtimes, options):
    """The table, ready for a page in Markdown."""
    run_ms, compile_ms, wrong = {}, {}, set()
    for line in map(json.loads, lines.read_text().splitlines()):
        key = (line["k"], line["impl"])
        if not line.get("ok", 1):
            wrong.add(key)
        if "cpu" in line:
            run_ms[key] = min(run_ms.get(key, math.inf), line["cpu"])
        if "compile_min" in line and key not in NOT_COMPILED:
            compile_ms[key] = min(compile_ms.get(key, math.inf), line["compile_min"])
    ours = "brolga_1"
    others = [f"{runtime}_{variant}" for runtime, _ in runtimes for variant in VARIANTS]
    names = {"lvp": "lavapipe", "sws": "SwiftShader"}

    def figure(values, case, runtime):
        value = values.get((case, runtime))
        return "-" if value is None else f"{value:.3g}" + (" WRONG" if (case, runtime) in wrong else "")

    def best(values, case):
        found = [values[case, f"lvp_{v}"] for v in VARIANTS if (case, f"lvp_{v}") in values and (case, f"lvp_{v}") not in wrong]
        return min(found) / values[case, ours] if found and (case, ours) in values else None

    heads = [f"{names[runtime]} {variant}" for runtime, _ in runtimes for variant in VARIANTS]
    print(f"| case | {' | '.join(heads)} | Brolga | ratio | compile: {' | '.join(heads)} | Brolga | ratio |")
    print("|---" + "|--:" * (2 * len(others) + 4) + "|")
    means = {"run": [], "compile": []}
    for case in cases:
        cells = []
        for name, values in [("run", run_ms), ("compile", compile_ms)]:
            ratio = best(values, case)
            if ratio and case != NO_SHADER:
                means[name].append(ratio)
            cells += [figure(values, case, runtime) for runtime in [*others, ours]]
            cells.append(f"{ratio:.3g}" if ratio else "-")
        print(f"| {case} | {' | '.join(cells)} |")
    mean = {name: math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None for name, ratios in means.items()}
    empty = " |" * (len(others) + 1)
    text = {name: "-" if value is None else f"**{value:.3g}**" for name, value in mean.items()}
    print(f"| geometric mean without {NO_SHADER} |{empty} {text['run']} |{empty} {text['compile']} |")
    print()
    print(
        f"Milliseconds of a dispatch and of compiling, one thread: the least processor time over {options.rounds} interleaved rounds. "
        f"A ratio is the better of lavapipe's two by Brolga's. {versions(runtimes)}"
    )
    if wrong:
        stop("wrong results: " + ", ".join(f"{case} by {runtime}" for case, runtime in sorted(wrong)))


def versions(runtimes):
    """The machine, and what was measured on it."""
    found = []
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", cpuinfo.read_text()) if cpuinfo.exists() else None
    found.append(f"{model.group(1) if model else platform.processor()}, {platform.system()} {platform.machine()}")
    package = lambda name: subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True).stdout
    if shutil.which("dpkg-query"):
        packages = [("Mesa", "mesa-vulkan-drivers"), ("glslang", "glslang-tools"), ("vkd3d-compiler", "vkd3d-compiler")]
        found += [f"{name} {package(of)}" for name, of in packages if package(of)]
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    found.append(f"Brolga {commit}" if commit else "Brolga")
    return "; ".join(found) + "."


if __name__ == "__main__":
    main()
