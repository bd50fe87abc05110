"""Boxes of groups and tiles of a draw on a cluster of two processes: the bits of one process, though a worker dies."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from conftest import EXAMPLES
from dask.distributed import Client, LocalCluster

sys.path.insert(0, str(EXAMPLES))
import dask_mandelbrot as example

# Workers do not have the module: it travels with the tasks, as that of a script does.
cloudpickle.register_pickle_by_value(example)
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = str(tmp_path_factory.mktemp("dask"))
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=folder
    ) as cluster, Client(cluster) as client:  # fmt: skip
        yield client


SIZE, SIDE = 192, 56
WHOLE = example.Box(0, 0, SIZE, SIZE)


def test_boxes_make_the_whole() -> None:
    count = np.zeros((SIZE, SIZE, 1), np.uint8)
    for box in example.boxes(SIZE, SIDE):
        box.of(count)[:] += 1
    assert (count == 1).all()


@pytest.mark.parametrize("make", [example.mandelbrot(SIZE, 300), example.wheel(SIZE)])
def test_the_bits_are_those_of_one_process(client: Client, make) -> None:
    picture = example.gathered(client, SIZE, SIDE, make)
    assert picture.any() and (picture == make(WHOLE)).all()


def test_a_worker_that_is_killed_is_replaced_and_nothing_is_lost(client: Client, tmp_path: Path) -> None:
    """Every task waits until the worker is dead, so that it dies with one half done."""
    make, dead = example.mandelbrot(SIZE, 300), tmp_path / "dead"

    def waiting(box: example.Box) -> example.Pixels:
        pixels = make(box)
        (tmp_path / f"begun-{os.getpid()}").touch()
        while not dead.exists():
            time.sleep(0.01)
        return pixels

    before = client.run(os.getpid)
    killed = min(before.values())

    def kill() -> None:
        while not (tmp_path / f"begun-{killed}").exists():
            time.sleep(0.01)
        os.kill(killed, signal.SIGKILL)
        dead.touch()

    killer = threading.Thread(target=kill)
    killer.start()
    picture = example.gathered(client, SIZE, SIDE, waiting)
    killer.join()
    assert (picture == make(WHOLE)).all()
    client.wait_for_workers(2, timeout=60)
    after = client.run(os.getpid)
    assert len(after) == 2 and killed not in after.values()
