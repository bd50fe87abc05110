"""Threads of Python: runs without its lock, and no deadlocks. BROLGA_ROUNDS says how long the last test is."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from conftest import DOUBLE

import brolga


def test_other_threads_run_meanwhile(endless: brolga.Shader) -> None:
    counted = 0
    token = brolga.CancelToken()

    def run() -> None:
        try:
            endless.dispatch(4096, {"u0": np.zeros(4096, np.uint32)}, cancel=token)
        except brolga.StoppedError:
            pass

    thread = threading.Thread(target=run)
    thread.start()
    while counted < 100_000:
        counted += 1
    assert thread.is_alive()
    token.cancel()
    thread.join()


def test_four_threads_share_devices_and_bound_shaders() -> None:
    rounds = int(os.environ.get("BROLGA_ROUNDS", "100"))
    devices = [brolga.Device(threads=threads) for threads in (1, 2, 4)]
    shared = [device.compile(DOUBLE) for device in devices]
    bound = shared[1].bind({"u0": np.ones(1 << 14, np.float32)})

    def work(number: int) -> None:
        random = np.random.default_rng(number)
        for _ in range(rounds):
            numbers = np.ones(64 * int(random.integers(1, 300)), np.float32)
            shared[random.integers(len(shared))].dispatch(numbers.size // 64, {"u0": numbers})
            assert (numbers == 2).all()
            bound.dispatch(256)
            bound.set("u0", np.ones(1 << 14, np.float32))
            if random.integers(50) == 0:
                devices[random.integers(len(devices))].compile(DOUBLE)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
