#!/usr/bin/env python3
"""Makes the scenes with textures of tests/data/scenes: their textures, meshes and documents, and the list of shaders to compile.

    scripts/textures/scenes.py [--shaders LIST] [--adopt RESULTS]

Needs numpy and zstandard. Shaders are compiled with fxc; LIST has a line for each: source, model, entry, compiled form. RESULTS is a folder with
what lavapipe drew, SCENE/picked.bin, as `scene_peers.py --draw` leaves it in WORK/scenes/out/lavapipe; it becomes what the scenes expect.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from document import HEIGHT, STRIDE, WIDTH, png
from flat_scenes import bloom, grading, leaves, smoke, terrain_layers
from mesh_scenes import block_balls, block_filters, mirrors, normal_mapped, soft_shadows

ROOT = Path(__file__).resolve().parent.parent.parent / "tests" / "data" / "scenes"

SCENES = [block_balls, block_filters, normal_mapped, leaves, smoke, terrain_layers, bloom, grading, mirrors, soft_shadows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shaders", type=Path, help="where the list of shaders is written")
    parser.add_argument("--adopt", type=Path, metavar="RESULTS", help="what lavapipe drew")
    options = parser.parse_args()
    if options.adopt:
        for scene in SCENES:
            raw = (options.adopt / scene.__name__ / "picked.bin").read_bytes()
            codes = np.frombuffer(raw, np.uint8).reshape(HEIGHT // STRIDE, WIDTH // STRIDE, 4)
            (ROOT / scene.__name__ / "picked.png").write_bytes(png(codes))
        return
    for scene in SCENES:
        print(scene.__name__, file=sys.stderr)
        scene(ROOT)
    if options.shaders:
        with options.shaders.open("w") as out:
            for scene in SCENES:
                folder = ROOT / scene.__name__
                for shader in json.loads((folder / "scene.json").read_text())["shaders"].values():
                    print(folder / shader["source"], shader["model"], shader["entry"], folder / shader["file"], file=out)


if __name__ == "__main__":
    main()
