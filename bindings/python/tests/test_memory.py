"""Whose memory it is: nothing is copied, and nothing goes away under a run."""

import array
import gc
import mmap
import threading
import weakref

import numpy as np
import pytest

import brolga


def test_a_large_array_is_bound_without_a_copy(device: brolga.Device) -> None:
    """A copy would write to other pages, and would be seen in what the process takes."""
    shader = device.compile("""
        cs_5_0
        dcl_uav_raw u0
        dcl_thread_group 1, 1, 1
        store_raw u0.x, l(104857596), l(7)
        ret
    """)
    large = np.zeros(100 << 20, np.uint8)
    address = large.ctypes.data
    before = resident_bytes()
    bound = shader.bind({"u0": large})
    bound.dispatch(1)
    assert resident_bytes() - before < 20 << 20
    assert large.ctypes.data == address and large[-4:].view(np.uint32) == 7


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


def test_a_bound_array_is_neither_resized_nor_freed(double: brolga.Shader) -> None:
    numbers = np.ones(64, np.float32)
    bound = double.bind({"u0": numbers})
    whole = np.ones(128, np.float32)
    part = double.bind({"u0": whole[64:]})
    for bound_array in (numbers, whole):
        for check in (True, False):
            with pytest.raises(ValueError, match="cannot resize"):
                bound_array.resize(1 << 20, refcheck=check)
    part.dispatch(1)
    assert (whole == np.repeat([1, 2], 64)).all()
    alive = weakref.ref(numbers)
    del numbers
    gc.collect()
    bound.dispatch(1)
    kept = alive()
    assert kept is not None and (kept == 2).all()
    del kept, bound
    gc.collect()
    assert alive() is None


def test_an_array_is_free_again_after_a_dispatch(double: brolga.Shader) -> None:
    numbers = np.ones(64, np.float32)
    double.dispatch(1, {"u0": numbers})
    numbers.resize(128, refcheck=False)
    assert numbers.size == 128


def test_a_bytearray_is_not_resized_under_a_run(endless: brolga.Shader) -> None:
    numbers = bytearray(4 * 4096)
    token = brolga.CancelToken()
    stopped = []

    def run() -> None:
        with pytest.raises(brolga.StoppedError):
            endless.dispatch(4096, {"u0": numbers}, cancel=token)
        stopped.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    while numbers[4 * 4000] == 0:
        pass
    with pytest.raises(BufferError):
        numbers.clear()
    token.cancel()
    thread.join()
    assert stopped
    numbers.clear()


@pytest.mark.parametrize("make", [
    lambda: array.array("f", [1.0] * 64),
    lambda: memoryview(bytearray(np.ones(64, np.float32).tobytes())),
    lambda: np.ones((8, 8), np.float32),
])  # fmt: skip
def test_all_that_has_the_buffer_protocol_is_bound(double: brolga.Shader, make) -> None:
    numbers = make()
    double.dispatch(1, {"u0": numbers})
    assert (np.frombuffer(numbers, np.float32) == 2).all()


def test_a_mapped_file_is_written(double: brolga.Shader, tmp_path) -> None:
    path = tmp_path / "numbers.bin"
    np.ones(64, np.float32).tofile(path)
    mapped = np.memmap(path, np.float32, "r+")
    double.dispatch(1, {"u0": mapped})
    mapped.flush()
    assert (np.fromfile(path, np.float32) == 2).all()


class Foreign:
    """An array of another library, which has DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self.inner = array

    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()


def test_arrays_with_dlpack_come_in_and_go_out(device: brolga.Device, double: brolga.Shader) -> None:
    numbers = np.ones(64, np.float32)
    double.dispatch(1, {"u0": Foreign(numbers)})
    assert (numbers == 2).all()
    texture = device.texture("R32_FLOAT", 4, 2)
    out = np.from_dlpack(texture)
    texture.array()[1, 2] = 5
    assert out.shape == (2, 4) and out[1, 2] == 5


def test_results_keep_their_memory(device: brolga.Device) -> None:
    texels = device.texture("R32_UINT", 8, 8).array()
    gc.collect()
    texels[:] = 3
    assert texels.sum() == 192
