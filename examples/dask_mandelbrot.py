"""One picture on many machines: Dask spreads boxes of thread groups, or tiles of a draw, over workers and gathers them.

    python dask_mandelbrot.py [--size 4096] [--workers 2] [--scheduler tcp://...] [--output mandelbrot.png]

Without a scheduler it starts workers on this machine, each a process. docs/scale.md says what may be spread, and what may not.
Needs the Python package, `dask[distributed]` and matplotlib.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
from dask.distributed import Client, LocalCluster, as_completed

import brolga

EXAMPLES = Path(__file__).parent
GROUP = 8
"""Threads of a group of mandelbrot.hlsl along x and y; a thread makes a pixel."""

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]


@dataclass(frozen=True)
class Box:
    """Pixels of a picture that one task makes. Boxes begin and end at whole groups."""

    left: int
    top: int
    right: int
    bottom: int

    def of(self, picture: Pixels) -> Pixels:
        """The part of a picture that it is, without a copy."""
        return picture[self.top : self.bottom, self.left : self.right]


def boxes(size: int, side: int) -> Iterator[Box]:
    """Boxes that make a square picture, each up to `side` pixels wide and high."""
    for top in range(0, size, side):
        for left in range(0, size, side):
            yield Box(left, top, min(left + side, size), min(top + side, size))


def computed(shader: bytes, size: int, view: dict[str, Any], box: Box) -> Pixels:
    """The pixels of a box, by the groups that make them.

    The shader sees the whole picture, and the positions of the whole dispatch. Memory that nothing touches takes no room: the
    system gives pages of zeros when they are written. Compiling takes some tens of milliseconds, so that a task needs nothing
    from others.
    """
    picture = np.zeros((size, size, 4), np.uint8)
    first = (box.left // GROUP, box.top // GROUP)
    groups = (-(-(box.right - box.left) // GROUP), -(-(box.bottom - box.top) // GROUP))
    compiled = brolga.Device(threads=1).compile(shader)
    compiled.dispatch(groups, {"picture": picture, "View": view}, first_group=first)
    return box.of(picture).copy()


def drawn(shaders: tuple[bytes, bytes], vertices: np.ndarray, size: int, box: Box) -> Pixels:
    """The pixels of a box of a draw: the scissor rectangle leaves out all others."""
    picture = np.zeros((size, size, 4), np.uint8)
    device = brolga.Device(threads=1)
    pipeline = device.pipeline(*shaders, inputs=vertices.dtype, targets=["R8G8B8A8_UNORM"])
    scissor = (box.left, box.top, box.right, box.bottom)
    device.draw([pipeline.draw(vertices=[vertices], scissor=scissor)], [picture])
    return box.of(picture).copy()


def gathered(client: Client, size: int, side: int, make: Callable[[Box], Pixels]) -> Pixels:
    """A picture whose boxes the cluster makes. A task whose worker dies is done again by another one."""
    futures = {client.submit(make, box, pure=False): box for box in boxes(size, side)}
    picture = np.zeros((size, size, 4), np.uint8)
    for future, pixels in as_completed(list(futures), with_results=True):
        futures[future].of(picture)[:] = pixels
    return picture


def mandelbrot(size: int, limit: int) -> Callable[[Box], Pixels]:
    """Makes the function for boxes of the Mandelbrot set. The shader's bytes travel with it: workers need no files."""
    shader = (EXAMPLES / "mandelbrot.cso").read_bytes()
    view = {"centre": (-0.65, 0.0), "span": 3.0, "limit": limit}
    return lambda box: computed(shader, size, view, box)


def wheel(size: int, triangles: int = 60) -> Callable[[Box], Pixels]:
    """Makes the function for boxes of a draw of so many triangles around the centre."""
    shaders = ((EXAMPLES / "triangle_vs.cso").read_bytes(), (EXAMPLES / "triangle_ps.cso").read_bytes())
    turns = np.linspace(0, 2 * np.pi, triangles + 1)
    rim = 0.9 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    vertices = np.zeros((triangles, 3), [("POSITION", "f4", 2), ("COLOR", "f4", 4)])
    vertices["POSITION"][:, 1], vertices["POSITION"][:, 2] = rim[1:], rim[:-1]
    vertices["COLOR"] = np.random.default_rng(0).random((triangles, 3, 4))
    return lambda box: drawn(shaders, vertices.reshape(-1), size, box)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096, help="pixels along each side, a multiple of 8")
    parser.add_argument("--limit", type=int, default=4096, help="steps before a point counts as inside")
    parser.add_argument("--side", type=int, default=512, help="pixels along each side of a task, a multiple of 8")
    parser.add_argument("--workers", type=int, default=2, help="processes on this machine")
    parser.add_argument("--scheduler", help="the address of a cluster that is there already")
    parser.add_argument("--draw", action="store_true", help="draw a wheel of triangles instead, tile by tile")
    parser.add_argument("--output", default="mandelbrot.png")
    options = parser.parse_args()
    make = wheel(options.size, 2000) if options.draw else mandelbrot(options.size, options.limit)
    cluster = options.scheduler or LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        client.wait_for_workers(1 if options.scheduler else options.workers)
        client.submit(make, Box(0, 0, GROUP, GROUP)).result()
        began = time.perf_counter()
        picture = gathered(client, options.size, options.side, make)
        seconds = time.perf_counter() - began
        print(f"{options.size} x {options.size} pixels in {seconds:.2f} s on {len(client.nthreads())} workers")
    matplotlib.image.imsave(options.output, picture)


if __name__ == "__main__":
    main()
