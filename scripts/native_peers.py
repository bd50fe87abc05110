#!/usr/bin/env python3
"""Measures five kernels of the suite beside C for the processor (native_kernels.c), in rounds in which both take turns, and prints a table.

    scripts/native_peers.py [--rounds 5] [--clang clang] [--brolga PROGRAM] [--work FOLDER] [--cpu 0]

What is needed: clang, as Debian's package. Figures are the least milliseconds of one thread's processor time over all rounds, all results
held against the suite's models. C is compiled for 256-bit vectors (-march=haswell -O3), under three rules for floats: `strict` rounds each
operation as Brolga does, `fused` may fuse products and sums, as clang does by itself, and `fast` is -ffast-math.
"""
import argparse
from pathlib import Path

from peers import ROOT, build_brolga, cell, mean, measure, run, say, stop, versions

KERNELS = "chacha kmeans rays sobel bisect".split()
RULES = {"strict": ["-ffp-contract=off"], "fused": [], "fast": ["-ffast-math"]}
# What results may differ by, relative to what is expected.
MOST = 1e-4


def main():
    options = arguments()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    brolga = options.brolga.resolve() if options.brolga else build_brolga()
    run([brolga, "bench", "--export", work, "--only", ",".join(KERNELS)])
    for rules, flags in RULES.items():
        run([options.clang, "-O3", "-march=haswell", *flags, ROOT / "scripts" / "native_kernels.c", "-o", work / rules, "-lm"])
    least = {}
    for round in range(1, options.rounds + 1):
        for kernel in KERNELS:
            say(f"round {round} of {options.rounds}: {kernel}")
            command = [brolga, "bench", "--only", kernel, "--threads", 1, "--seconds", 0.25, "--format", "peers"]
            (line,) = measure(command, options.cpu, {})
            if not line.get("ok"):
                stop(f"{kernel} is wrong")
            times = {"brolga": line["cpu"]}
            for rules in RULES:
                command = ["taskset", "-c", options.cpu, work / rules, kernel, work / kernel, 250]
                time, worst = map(float, run(command).split())
                if worst > MOST:
                    stop(f"{kernel} in C ({rules}) is wrong by {worst}")
                times[rules] = time
            for name, time in times.items():
                least[kernel, name] = min(time, least.get((kernel, name), time))
    print(f"| kernel | Brolga | {' | '.join(RULES)} | {' | '.join(f'Brolga / {rules}' for rules in RULES)} |")
    print("|---" + "|--:" * (1 + 2 * len(RULES)) + "|")
    ratios = {rules: [least[kernel, "brolga"] / least[kernel, rules] for kernel in KERNELS] for rules in RULES}
    for at, kernel in enumerate(KERNELS):
        cells = [least[kernel, name] for name in ["brolga", *RULES]] + [ratios[rules][at] for rules in RULES]
        print(f"| {kernel} | {' | '.join(map(cell, cells))} |")
    empty = " |" * (1 + len(RULES))
    print(f"| geometric mean |{empty} {' | '.join(cell(mean(ratios[rules])) for rules in RULES)} |")
    version = run([options.clang, "--version"]).splitlines()[0]
    print(f"\nMilliseconds of processor time, one thread: the least of {options.rounds} interleaved rounds. {versions([version])}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each takes its turn (default 5)")
    parser.add_argument("--clang", default="clang", help="the C compiler (default clang)")
    parser.add_argument("--brolga", type=Path, help="the program to measure (default: built here)")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "native", help="where things are built (default target/native)")
    parser.add_argument("--cpu", default="0", help="the processor that runs everything (default 0)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
