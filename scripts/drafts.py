#!/usr/bin/env python3
"""Drafts a document for every shader of folders, and runs each as it is, on both engines.

    scripts/drafts.py [--brolga PROGRAM] [--keep FOLDER] [--only TEXT] FOLDER...

A document must end in under ten seconds with both engines agreeing; of stages that no document draws or dispatches, `brolga new` must
say so by name. What is no shader, or a broken one, is left out. Prints a line for each that fails, and a summary; ends with 1 if any
does. --keep leaves the documents in a folder, each in one of its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIMIT_S = 10
DRAFTED = {"compute", "vertex", "pixel"}


def call(program, arguments, folder):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def shaders(folders, only):
    files = sorted(file for folder in folders for file in folder.resolve().rglob("*") if file.suffix in (".cso", ".dxbc"))
    return [file for file in files if only in str(file)]


def stage(program, file):
    """The stage of a shader; None of what cannot be read or is not valid."""
    if call(program, ["validate", str(file)], file.parent).returncode != 0:
        return None
    found = call(program, ["info", "--format", "json", str(file)], file.parent)
    document = json.loads(found.stdout)
    for key in ("shaders", "files"):
        document = document.get(key, document) if isinstance(document, dict) else document
    first = document[0] if isinstance(document, list) else document
    profile = str(first.get("profile") or first.get("program", {}).get("profile"))
    names = {"cs": "compute", "vs": "vertex", "ps": "pixel", "gs": "geometry", "hs": "hull", "ds": "domain"}
    return names.get(profile[:2])


def attempt(program, file, folder):
    """What is wrong with the draft of a shader, and how long it ran; nothing if all is well."""
    kind = stage(program, file)
    if kind is None:
        return "left out", "", 0
    folder.mkdir(parents=True)
    drafted = call(program, ["new", str(file)], folder)
    if kind not in DRAFTED:
        is_refused = drafted.returncode == 2 and f"{kind} shader" in drafted.stderr
        return "refused" if is_refused else "failed", drafted.stderr, 0
    if drafted.returncode != 0:
        # A vertex shader for stages after it that are not drawn, or one with more constants than a device has.
        is_refused = "no position" in drafted.stderr or "the device's limit" in drafted.stderr
        return "refused" if is_refused else "failed", drafted.stderr, 0
    document = drafted.stdout.split("wrote ")[-1].strip()
    began = time.monotonic()
    run = call(program, ["run", document, "--engine", "both", "--timeout", str(LIMIT_S)], folder)
    return "ran" if run.returncode == 0 else "failed", run.stderr + run.stdout, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--brolga", default="target/debug/brolga", help="the program")
    parser.add_argument("--keep", type=Path, help="a new folder for the documents")
    parser.add_argument("--only", default="", help="shaders whose paths contain this")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    program = str(Path(options.brolga).resolve())
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(options.threads) as pool:
        work = (options.keep or Path(temporary)).resolve()
        files = shaders(options.folders, options.only)
        tries = pool.map(lambda one: attempt(program, one[1], work / str(one[0])), enumerate(files))
        counts, slowest = {}, (0.0, None)
        for n, (file, (ending, said, seconds)) in enumerate(zip(files, tries)):
            counts[ending] = counts.get(ending, 0) + 1
            slowest = max(slowest, (seconds, str(file)), key=lambda pair: pair[0])
            if ending == "failed":
                print(f"{n} {file}\n  " + "\n  ".join(said.strip().splitlines()), flush=True)
        print(", ".join(f"{count} {ending}" for ending, count in sorted(counts.items())))
        print(f"slowest: {slowest[0]:.1f} s, {slowest[1]}")
    return 1 if counts.get("failed") or not counts.get("ran") else 0


if __name__ == "__main__":
    sys.exit(main())
