#!/usr/bin/env python3
"""Measures Brolga beside lavapipe, in rounds in which both take turns, and prints what came out as tables.

    scripts/peers.py [--rounds 3] [--only CASE,...] [--two-threads] [--work FOLDER] [--cpus 0,1] [--swiftshader MANIFEST]

What is needed, as Debian's packages: g++ libvulkan-dev mesa-vulkan-drivers glslang-tools vkd3d-compiler python3-numpy.

The kernels are the cases of the suite and the corpus's executions, with more groups (executions.py). All are jobs, which one harness runs
on a Vulkan driver (vulkan_jobs.cpp). Lavapipe runs each shader in two translations, of the HLSL by glslang (gls) and of the compiled form
by vkd3d-compiler (vkd), and the better one counts. All figures are of one thread on one processor: the least processor time of a dispatch
over all rounds, by the threads of the shader. Results of both are held against the same models in every round.

Jobs, SPIR-V and what the harness writes are in the folder WORK; the lines of all rounds stay in WORK/rounds.jsonl, and
`brolga bench --compare WORK/rounds.jsonl` has them beside its own.
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
# Where the HLSL of the suite is.
SOURCES = [ROOT / "bench" / "suite" / "src" / "shaders", ROOT / "examples"]
# What the shaders are translated from and by.
VARIANTS = ["gls", "vkd"]
# With which Brolga began. `tiny` is none of them: it measures how long starting takes.
FIRST = "saxpy saxpy_l2 mandel nbody matmul reduce hist gather transc dmandel tex bitonic scan conv3 xxh pcg".split()
NO_SHADER = "tiny"
# Written before anything was tuned for them: kinds of accesses, then trades.
UNTUNED = "join labels normals skin jacobi sobel mtf knn chacha csv sph rays huffman bisect bilateral kmeans".split()
# Compile times that are none: lavapipe finds the code of the pipelines that the harness made before.
NOT_COMPILED = {("matmul", "lvp_gls")}
# The share of lavapipe's results that may be wrong: numbers of rounds differ where products and sums are fused, codes of colours where its
# powers are less precise.
MOST_WRONG = {"mandel": 0.02, "dmandel": 0.02, "resize": 0.001}


def main():
    options = arguments()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    runtimes = {"lvp": manifest(options.lavapipe, "lvp_icd", "mesa-vulkan-drivers")}
    if options.swiftshader:
        runtimes["sws"] = options.swiftshader.resolve()
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    harness = build_harness(work)
    suite, corpus = make_jobs(brolga, work, options.only)
    jobs = {**suite, **corpus}
    plans, threads = make_plans(jobs, work / "vulkan")
    figures = Figures(threads)
    with (work / "rounds.jsonl").open("w") as out:
        for round in range(1, options.rounds + 1):
            for count in [1, 2] if options.two_threads else [1]:
                cpus = options.cpus.split(",")[0] if count == 1 else options.cpus
                for runtime, icd in runtimes.items():
                    for variant, of_variant in plans.items():
                        say(f"round {round} of {options.rounds}: {runtime}_{variant}, threads: {count}")
                        label = f"{runtime}_{variant}" + ("" if count == 1 else f"_{count}")
                        environment = {"VK_ICD_FILENAMES": str(icd), "LP_NUM_THREADS": str(count), "MESA_SHADER_CACHE_DISABLE": "true"}
                        device, *lines = measure([harness, label, options.budget_ms, *of_variant.values()], cpus, environment)
                        figures.devices.add(device["device"])
                        for line in lines:
                            figures.add(judged(line, jobs[line["k"]], variant, work / "vulkan"), out)
                say(f"round {round} of {options.rounds}: brolga, threads: {count}")
                command = [brolga, "bench", *(job.folder for job in corpus.values()), *(["--only", ",".join(suite)] if suite else []),
                           "--threads", count, "--seconds", options.budget_ms / 1000, "--format", "peers"]
                for line in measure(command, cpus, {}):
                    figures.add(line, out)
    print_tables(figures, suite, corpus, runtimes, options)


def make_jobs(brolga, work, only):
    """The cases of the suite and the corpus's executions as jobs, by their names, in the order of the tables."""
    # Not before: other scripts take from this one what needs no numpy.
    import executions
    from vulkan_plans import Job

    say("writing the jobs")
    shutil.rmtree(work / "suite", ignore_errors=True)
    run([brolga, "bench", "--export", work / "suite"])
    suite = {path.parent.name: Job(path.parent, source(path.parent)) for path in (work / "suite").glob("*/case.json")}
    order = [*FIRST, NO_SHADER, *sorted(suite.keys() - {*FIRST, NO_SHADER, *UNTUNED}), *UNTUNED]
    groups = [{name: suite[name] for name in order}, {job.name: job for job in executions.scaled(ROOT / "tests" / "data", work / "corpus")}]
    if only is None:
        return groups
    only, known = set(only.split(",")), [name for group in groups for name in group]
    if not only <= set(known):
        stop(f"no such kernel: {', '.join(sorted(only - set(known)))}; there are {', '.join(known)}")
    return [{name: job for name, job in group.items() if name in only} for group in groups]


def make_plans(jobs, folder):
    """What the harness reads, for each translation and job, and the shaders' numbers of threads. What cannot be translated is told."""
    import vulkan_plans

    say("translating the shaders")
    folder.mkdir(exist_ok=True)
    plans, threads = {}, {}
    for name, job in jobs.items():
        for variant in VARIANTS:
            try:
                module = vulkan_plans.translate(job, variant, folder)
                plans.setdefault(variant, {})[name] = vulkan_plans.write_plan(job, module, variant, folder)
                threads[name] = math.prod(module.group) * math.prod(job.document["dispatch"])
            except vulkan_plans.Unsupported as reason:
                say(f"{name} is not run from {variant}: {reason}")
    return plans, threads


def judged(line, job, variant, folder):
    """A line of the harness with what is to be said of the results."""
    import vulkan_plans

    share = vulkan_plans.wrong_share(job, variant, folder)
    return {**line, "ok": int(share <= MOST_WRONG.get(job.name, 0)), "wrong": float(share)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each takes its turn (default 3)")
    parser.add_argument("--budget-ms", type=int, default=250, help="about how long a kernel is measured in a round (default 250)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "peers", help="where things are built (default target/peers)")
    parser.add_argument("--only", help="these kernels alone")
    parser.add_argument("--two-threads", action="store_true", help="measure with two threads too, and print what the second one gains")
    parser.add_argument("--cpus", default="0,1", help="the processors: the first for one thread, all for two (default 0,1)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--lavapipe", type=Path, help="lavapipe's Vulkan manifest (default: the installed one)")
    parser.add_argument("--swiftshader", type=Path, help="SwiftShader's Vulkan manifest, to measure it too")
    options = parser.parse_args()
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


def build_harness(work):
    source, harness = ROOT / "scripts" / "vulkan_jobs.cpp", work / "vulkan_jobs"
    if not harness.exists() or harness.stat().st_mtime < source.stat().st_mtime:
        say("building the harness")
        # Under its final name only when it is whole.
        part = work / "vulkan_jobs.part"
        run(["g++", "-std=c++17", "-O2", source, "-o", part, "-lvulkan"])
        part.rename(harness)
    return harness


def build_brolga():
    say("building brolga")
    command = ["cargo", "build", "--profile", "dist", "--locked", "--bin", "brolga", "--message-format", "json-render-diagnostics"]
    messages = [json.loads(line) for line in run(command, cwd=ROOT).splitlines()]
    return next(message["executable"] for message in messages if message.get("executable"))


def source(folder):
    """The HLSL of a case of the suite."""
    shader = json.loads((folder / "case.json").read_text())["shaders"][0]
    return next(path for path in (folder / Path(shader).with_suffix(".hlsl").name for folder in SOURCES) if path.exists())


def measure(command, cpus, environment):
    """The lines that a command prints. Kernels that it cannot run are missing; why, it says itself."""
    command = [str(part) for part in command]
    if shutil.which("taskset"):
        command = ["taskset", "-c", cpus, *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    if done.returncode or not done.stdout:
        say(done.stderr.strip())
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines if lines else stop(f"`{' '.join(command)}` ended with {done.returncode}")


class Figures:
    """The least of all rounds, by kernel and runtime."""

    def __init__(self, threads):
        self.threads = threads
        self.devices = set()
        self.cpu, self.wall, self.compile, self.wrong, self.vector_bits = {}, {}, {}, {}, {}

    def add(self, line, out):
        print(json.dumps(line), file=out, flush=True)
        key = (line["k"], line["impl"])
        if not line.get("ok", 1):
            self.wrong[key] = max(self.wrong.get(key, 0), line.get("wrong", 1))
            return
        for values, name in [(self.cpu, "cpu"), (self.wall, "wall"), (self.compile, "compile_min")]:
            if name in line and not (name == "compile_min" and key in NOT_COMPILED):
                values[key] = min(values.get(key, math.inf), line[name])
        if "vector_bytes" in line:
            self.vector_bits[line["k"]] = 8 * line["vector_bytes"]

    def best(self, values, kernel, runtime, suffix=""):
        """The figure of the better translation, and which it is."""
        found = [(values[key], key[1]) for key in ((kernel, f"{runtime}_{variant}{suffix}") for variant in VARIANTS) if key in values]
        return min(found, default=(None, None))


def ratio(theirs, ours):
    return theirs / ours if theirs and ours else None


def cell(value, form=".3g"):
    """Three digits, or more where there are more before the point."""
    if value is None:
        return "-"
    return format(value, ".0f" if form == ".3g" and value >= 1000 else form)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def print_tables(figures, suite, corpus, runtimes, options):
    """A table for each group of kernels, ready for a page in Markdown."""
    groups = [
        (f"The suite's first cases ({NO_SHADER} counts for nothing)", [name for name in suite if name in {*FIRST, NO_SHADER}]),
        ("The suite's other cases", [name for name in suite if name not in {*FIRST, NO_SHADER, *UNTUNED}]),
        ("The suite's kernels of many kinds", [name for name in suite if name in UNTUNED]),
        ("The corpus's executions", list(corpus)),
    ]
    for title, kernels in groups:
        if kernels:
            print(f"\n{title}\n")
            print_table(figures, kernels, runtimes, options.two_threads)
    print(
        f"\nNanoseconds of processor time for each thread of the shader, and milliseconds of compiling, one thread: the least of "
        f"{options.rounds} interleaved rounds. Of lavapipe the better translation. Ratios above 1: Brolga is faster. "
        + ("What two threads gain is by the clock. " if options.two_threads else "") + versions(sorted(figures.devices))
    )
    if figures.wrong:
        told = (f"{kernel} by {runtime} ({100 * share:.3g} %)" for (kernel, runtime), share in sorted(figures.wrong.items()))
        stop("wrong results: " + ", ".join(told))


def print_table(figures, kernels, runtimes, with_two):
    others = {"lvp": "lavapipe", "sws": "SwiftShader"}
    heads = ["kernel", *(others[runtime] for runtime in runtimes), "from", "Brolga", "bits", "ratio", "compile: lavapipe", "Brolga", "ratio"]
    if with_two:
        heads += ["two threads: lavapipe", "Brolga"]
    print(f"| {' | '.join(heads)} |")
    print("|---" + "|--:" * (len(heads) - 1) + "|")
    means = {"cpu": [], "compile": []}
    for kernel in kernels:
        each = 1e6 / figures.threads.get(kernel, math.nan)
        cells = [kernel, *(cell(nanoseconds(figures.best(figures.cpu, kernel, runtime)[0], each)) for runtime in runtimes)]
        theirs, of = figures.best(figures.cpu, kernel, "lvp")
        ours = figures.cpu.get((kernel, "brolga_1"))
        compiles = [figures.best(figures.compile, kernel, "lvp")[0], figures.compile.get((kernel, "brolga_1"))]
        ratios = {"cpu": ratio(theirs, ours), "compile": ratio(*compiles)}
        for name, value in ratios.items():
            if value and kernel != NO_SHADER:
                means[name].append(value)
        cells += [of.split("_")[1] if of else "-", cell(nanoseconds(ours, each)), str(figures.vector_bits.get(kernel, "-"))]
        cells += [cell(ratios["cpu"]), *map(cell, compiles), cell(ratios["compile"])]
        if with_two:
            wall, name = figures.best(figures.wall, kernel, "lvp")
            cells.append(cell(ratio(wall, figures.wall.get((kernel, f"{name}_2"))), ".2f"))
            cells.append(cell(ratio(figures.wall.get((kernel, "brolga_1")), figures.wall.get((kernel, "brolga_2"))), ".2f"))
        print(f"| {' | '.join(cells)} |")
    empty = " |" * (len(runtimes) + 3)
    told = [cell(mean(means[name])) for name in ["cpu", "compile"]]
    print(f"| geometric mean |{empty} **{told[0]}** | | | **{told[1]}** |" + " | |" * with_two)


def nanoseconds(ms, each):
    return None if ms is None or math.isnan(each) else ms * each


def versions(devices):
    """The machine, and what was measured on it, with what drivers say of themselves."""
    found = []
    cpuinfo = Path("/proc/cpuinfo")
    facts = cpuinfo.read_text() if cpuinfo.exists() else ""
    model = re.search(r"model name\s*: (.*)", facts)
    sets = [name for name in ["avx2", "avx512f", "avx512vl"] if re.search(rf"^flags\s*:.*\b{name}\b", facts, re.MULTILINE)]
    found.append(f"{model.group(1) if model else platform.processor()} ({', '.join(sets) or 'no AVX2'}), {platform.system()} {platform.machine()}")
    package = lambda name: subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True).stdout
    if shutil.which("dpkg-query"):
        packages = [("Mesa", "mesa-vulkan-drivers"), ("glslang", "glslang-tools"), ("vkd3d-compiler", "vkd3d-compiler")]
        found += [f"{name} {package(of)}" for name, of in packages if package(of)]
    found += devices
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    found.append(f"Brolga {commit}" if commit else "Brolga")
    return "; ".join(found) + "."


if __name__ == "__main__":
    main()
