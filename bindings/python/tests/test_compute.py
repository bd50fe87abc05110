"""Compute shaders over arrays: buffers, constants, reflection, errors."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from conftest import DOUBLE, EXAMPLES, TINY

import brolga


def test_an_array_is_used_in_place(device: brolga.Device, double: brolga.Shader) -> None:
    numbers = np.arange(256, dtype=np.float32)
    report = double.dispatch(4, {"u0": numbers})
    assert (numbers == 2 * np.arange(256)).all()
    assert (report.groups, report.threads) == (4, 256)
    assert report.elapsed > 0


@pytest.mark.parametrize(
    "form", [lambda path: path, str, Path.read_bytes, lambda path: brolga.listing(path, exact=True)]
)
def test_a_shader_is_bytes_a_path_or_a_listing(device: brolga.Device, form) -> None:
    shader = device.compile(form(EXAMPLES / "saxpy.cso"))
    assert (shader.profile, shader.group_size) == ("cs_5_0", [256, 1, 1])


def test_both_engines_give_the_same_bits(device: brolga.Device) -> None:
    start = np.random.default_rng(7).standard_normal((2, 1024, 4), dtype=np.float32)
    results = []
    for engine in ("jit", "interpreter"):
        shader = device.compile(EXAMPLES / "saxpy.cso", engine=engine)
        assert shader.engine == engine
        x, y = start.copy()
        shader.dispatch(4, {"x": x, "y": y, "Settings": {"a": 2.5}})
        results.append(y)
    x, y = start
    assert results[0].tobytes() == results[1].tobytes() == (np.float32(2.5) * x + y).tobytes()


def test_constants_are_given_by_name_or_as_an_array(device: brolga.Device) -> None:
    shader = device.compile(EXAMPLES / "saxpy.cso")
    x = np.ones((256, 4), np.float32)
    for constants in ({"a": 3}, {"a": np.float32(3)}, np.array([3, 0, 0, 0], np.float32)):
        y = np.zeros_like(x)
        shader.dispatch((1,), {"t0": x, "u0": y, "b0": constants})
        assert (y == 3).all()
    for odd in (float("nan"), float("inf"), -np.inf):
        shader.dispatch(1, {"x": x, "y": y, "Settings": {"a": odd}})
        assert not np.isfinite(y).any()
    for wrong in (object(), 1j):
        with pytest.raises(brolga.CallError, match="values are numbers"):
            shader.dispatch(1, {"x": x, "y": y, "Settings": {"a": wrong}})
    with pytest.raises(brolga.BindingError, match="no variable `alpha`"):
        shader.dispatch(1, {"x": x, "y": y, "Settings": {"alpha": 1}})


def test_vectors_and_matrices_of_constants() -> None:
    """Held against what the listing of the file says about places."""
    device = brolga.Device(threads=1)
    shader = device.compile(EXAMPLES / "mandelbrot.cso")
    variables = shader.info["program"]["constants"][0]["variables"]
    assert [variable["name"] for variable in variables] == ["centre", "span", "limit"]
    picture = np.zeros((64, 64, 4), np.uint8)
    view = np.zeros((), np.dtype([("centre", "<f4", 2), ("span", "<f4"), ("limit", "<u4")]))
    view["centre"], view["span"], view["limit"] = (-0.65, 0.0), 3.0, 512
    shader.dispatch((8, 8), {"picture": picture, "View": view.reshape(1)})
    by_name = np.zeros_like(picture)
    shader.dispatch((8, 8), {"picture": by_name, "View": {"centre": (-0.65, 0.0), "span": 3.0, "limit": 512}})
    assert picture.any() and (picture == by_name).all()


def test_the_first_group_is_where_it_is_said_to_be(double: brolga.Shader) -> None:
    numbers = np.ones(256, np.float32)
    double.dispatch(1, {"u0": numbers}, first_group=2)
    assert [int(part.sum()) for part in numbers.reshape(4, 64)] == [64, 64, 128, 64]


def test_bound_shaders_run_often_and_take_other_arrays(double: brolga.Shader) -> None:
    first, second = np.ones((2, 64), np.float32)
    bound = double.bind({"u0": first})
    for _ in range(10):
        bound.dispatch(1)
    bound.set("u0", second)
    bound.dispatch((1, 1, 1))
    assert (first == 1024).all() and (second == 2).all()


def test_an_error_leaves_the_device_usable(device: brolga.Device, double: brolga.Shader) -> None:
    read_only = np.ones(64, np.float32)
    read_only.flags.writeable = False
    with pytest.raises(brolga.BindingError, match="may only be read"):
        double.dispatch(1, {"u0": read_only})
    with pytest.raises(brolga.BindingError) as caught:
        double.dispatch(1, {})
    assert (caught.value.kind, caught.value.number) == ("Binding", 4)
    with pytest.raises(brolga.LimitError):
        double.dispatch(1 << 20, {"u0": np.ones(64, np.float32)})
    with pytest.raises(brolga.FileError):
        device.compile(b"no shader")
    with pytest.raises(brolga.FileError, match="did you mean `store_raw`"):
        device.compile(TINY.replace("store_raw", "store_row"))
    with pytest.raises(brolga.FileError, match="nowhere.cso"):
        device.compile("nowhere.cso")
    with pytest.raises(brolga.CallError, match="groups"):
        double.dispatch((1, 1, 1, 1), {"u0": np.ones(64, np.float32)})
    numbers = np.ones(64, np.float32)
    double.dispatch(1, {"u0": numbers})
    assert (numbers == 2).all()


def test_errors_of_files_name_the_file(device: brolga.Device, tmp_path: Path) -> None:
    def fails(name: str, content: bytes, words: str) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        for call in (device.compile, brolga.info, brolga.listing, lambda path: device.pipeline(path, path, targets=[])):
            with pytest.raises(brolga.FileError) as caught:
                call(path)
            text = str(caught.value)
            assert text.startswith(f"{path}: ") and words in text, text

    fails("damaged.cso", (EXAMPLES / "saxpy.cso").read_bytes()[:200], "container size")
    fails("wrong.asm", TINY.replace("store_raw", "store_row").encode(), "line 5, column 1: ")
    hlsl = (EXAMPLES / "mandelbrot.hlsl").read_bytes()
    for name in ("mesh.hlsl", "mesh.txt"):
        fails(name, hlsl, "no shader container at byte 0: it begins with 2f 2f 20 54")
        fails(name, hlsl, "not with DXBC; help: this is HLSL: compile it first, for example with `fxc")
    for name, text, words in [
        ("a.comp", "#version 450\nvoid main() {}\n", "this is GLSL: "),
        ("a.txt", "@compute @workgroup_size(1)\nfn main() {}\n", "this is WGSL: "),
        ("b.txt", "#include <metal_stdlib>\nusing namespace metal;\n", "the Metal shading language"),
    ]:
        fails(name, text.encode(), words)
    fails("a.spv", b"\x03\x02\x23\x07\0\0\1\0", "this is SPIR-V: `spirv-cross --hlsl --shader-model 50`")
    # Without a file there is no name.
    with pytest.raises(brolga.FileError, match="^no shader container .* this is HLSL"):
        device.compile(hlsl.decode())


def test_arrays_that_do_not_fit_are_refused_with_what_would_be_right(double: brolga.Shader) -> None:
    with pytest.raises(brolga.ResourceError, match="ascontiguousarray"):
        double.dispatch(1, {"u0": np.ones((64, 2), np.float32)[:, 0]})
    with pytest.raises(brolga.ResourceError, match="buffer protocol"):
        double.dispatch(1, {"u0": [1.0, 2.0]})
    with pytest.raises(brolga.ResourceError, match="multiple of 4"):
        double.dispatch(1, {"u0": np.zeros(257, np.uint8)[1:]})
    for array, words in [
        (np.array([object()] * 64), "Python's objects"),
        (np.zeros(64, [("b>O", "f4"), ("c", "O")]), "Python's objects"),
        (np.zeros(64, [("a", "O"), ("b", "f4"), ("c", "f4")])[["b"]], "Python's objects"),
        (memoryview(np.zeros(64, [("a", "O"), ("b", "f4"), ("c", "f4")])[["b"]]), "Python's objects"),
        (np.ones(64, ">f4"), "newbyteorder"),
        (np.zeros(64, [("a", "f4"), ("b", ">i2"), ("c", "i2")]), "newbyteorder"),
        (np.array(1, np.float32), "reshape"),
        (np.array(["2020-02-02"], "M8[D]"), "cannot include dtype 'M' in a buffer"),
    ]:
        with pytest.raises(brolga.ResourceError, match=words):
            double.dispatch(1, {"u0": array})
    named = np.ones(64, [(">O", "f4")])
    double.dispatch(1, {"u0": named})
    assert (named[">O"] == 2).all()


def test_numbers_of_another_type_are_refused_with_the_cast(device: brolga.Device) -> None:
    """The types are those of the shader's source: `float4` of saxpy, `uint` of histogram."""
    saxpy, y = device.compile(EXAMPLES / "saxpy.cso"), np.zeros((256, 4), np.float32)
    for kind in (np.float64, np.int64, np.uint64, np.float16, np.int32, np.uint32, np.bool_, np.int16):
        x = np.ones((256, 4 * 4 // min(4, np.dtype(kind).itemsize)), kind)
        words = (
            rf"t0 has float32 in the shader's source, and the array has {np.dtype(kind)}: array.astype\(numpy.float32\)"
        )
        with pytest.raises(brolga.ResourceError, match=words) as caught:
            saxpy.dispatch(1, {"x": x, "y": y, "Settings": {"a": 1}})
        # The bits can only be meant where there are as many.
        assert ("array.view(numpy.float32) means its bits" in str(caught.value)) == (np.dtype(kind).itemsize == 4)
        with pytest.raises(brolga.ResourceError, match="u0 has float32"):
            saxpy.dispatch(1, {"x": y, "y": np.ones(x.shape, kind), "Settings": {"a": 1}})
        saxpy.dispatch(1, {"x": np.ones((256, 4), kind).astype(np.float32), "y": y, "Settings": {"a": 1}})
    # Constants as an array.
    with pytest.raises(brolga.ResourceError, match="b0 has float32"):
        saxpy.dispatch(1, {"x": y, "y": y.copy(), "Settings": np.ones(4)})
    # Bytes can be anything, and so can fields and what only has bytes.
    for same in (
        np.ones((256, 4), np.float32).view(np.uint8),
        bytearray(256 * 16),
        np.ones(256, [("a", "f4", 4)]),
        np.ones((256, 2), np.complex64),
    ):
        saxpy.dispatch(1, {"x": same, "y": y, "Settings": {"a": 1}})
    # Doubles are doubles.
    roots = device.compile(EXAMPLES / "cube_roots.cso")
    numbers, found = np.array([8.0] * 16), np.zeros(16)
    roots.dispatch(1, {"numbers": numbers, "roots": found})
    assert (found == 2).all()
    with pytest.raises(brolga.ResourceError, match=r"t0 has float64 .* float32: array.astype\(numpy.float64\)"):
        roots.dispatch(1, {"numbers": np.ones(32, np.float32), "roots": found})
    # Integers may have either sign.
    sort = device.compile(EXAMPLES / "bitonic_sort.cso")
    unsorted = np.load(EXAMPLES / "bitonic_sort_input.npy")
    for kind in (np.uint32, np.int32):
        sort.dispatch(1, {"numbers": unsorted.astype(kind), "sorted": np.zeros(unsorted.size, kind)})
    for numbers in (np.arange(unsorted.size), np.zeros(unsorted.size, np.float32)):
        with pytest.raises(brolga.ResourceError, match=r"t0 has u?int32 .*: array.astype\(numpy.u?int32\)"):
            sort.dispatch(1, {"numbers": numbers, "sorted": np.zeros(unsorted.size, np.uint32)})


@pytest.mark.parametrize("make", [
    lambda: (ctypes.c_float * 64)(*[1] * 64),
    lambda: (ctypes.c_float * 4 * 16)(*[(1, 1, 1, 1)] * 16),
    lambda: (Pair * 32)(*[(1, 1)] * 32),
    lambda: ctypes.cast((ctypes.c_float * 64)(*[1] * 64), ctypes.POINTER(ctypes.c_float * 64)).contents,
])  # fmt: skip
def test_arrays_of_ctypes_are_bound(device: brolga.Device, double: brolga.Shader, make) -> None:
    """What a float is when its bits are doubled is not asked: 64 words are changed in place."""
    numbers = make()
    before = np.frombuffer(numbers, np.uint32).copy()
    double.dispatch(1, {"u0": numbers})
    assert (np.frombuffer(numbers, np.float32) == 2 * before.view(np.float32)).all()
    saxpy, y = device.compile(EXAMPLES / "saxpy.cso"), (ctypes.c_float * 4 * 256)()
    saxpy.dispatch(1, {"x": (ctypes.c_float * 4 * 256)(*[(1, 2, 3, 4)] * 256), "y": y, "Settings": {"a": 2}})
    assert [tuple(row) for row in y] == [(2, 4, 6, 8)] * 256
    with pytest.raises(brolga.ResourceError, match="t0 has float32 .* float64"):
        saxpy.dispatch(1, {"x": (ctypes.c_double * 512)(), "y": y, "Settings": {"a": 2}})


class Pair(ctypes.Structure):
    _fields_ = (("a", ctypes.c_float), ("b", ctypes.c_float))


def test_one_array_is_not_read_and_written_at_once(device: brolga.Device) -> None:
    shader = device.compile(EXAMPLES / "saxpy.cso")
    both = np.ones((256, 4), np.float32)
    with pytest.raises(brolga.BindingError):
        shader.dispatch(1, {"x": both, "y": both, "Settings": {"a": 1}})


def test_hidden_counters_count(device: brolga.Device) -> None:
    shader = device.compile("""
        cs_5_0
        dcl_uav_structured_opc u0, 4
        dcl_input vThreadID.x
        dcl_temps 1
        dcl_thread_group 8, 1, 1
        imm_atomic_alloc r0.x, u0
        store_structured u0.x, r0.x, l(0), vThreadID.x
        ret
    """)
    found = np.zeros(64, np.uint32)
    view = brolga.View(found, counter=3)
    shader.dispatch(2, {"u0": view})
    assert view.counter == 19
    assert sorted(found[3:19]) == list(range(16))
    view.counter = 0
    assert view.counter == 0


def test_what_a_view_says_in_vain_is_refused(double: brolga.Shader) -> None:
    numbers = np.ones(64, np.float32)
    for view, words in [
        (brolga.View(numbers, "R32_FLOAT"), "takes no format"),
        (brolga.View(numbers, counter=0), "takes no counter"),
    ]:
        with pytest.raises(brolga.BindingError, match=words):
            double.dispatch(1, {"u0": view})
    double.dispatch(1, {"u0": brolga.View(numbers)})
    assert (numbers == 2).all()


def test_what_ends_or_is_read_in_a_call_may_call_again(device: brolga.Device, double: brolga.Shader) -> None:
    class Last(np.ndarray):
        def __del__(self) -> None:
            if self.base is None:
                ended.append(bound.dispatch(1).groups)

    ended: list[int] = []
    bound = double.bind({"u0": np.ones(64, np.float32)})
    bound.set("u0", np.ndarray.__new__(Last, 64, np.float32))
    bound.set("u0", np.ones(64, np.float32))
    assert ended == [1]

    class Growing:
        """Adds to the dictionary that it is in when it is looked at."""

        def __dlpack__(self, **options: object) -> object:
            bindings["t7"] = np.zeros(4, np.float32)
            return np.ones(64, np.float32).__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    bindings: dict[str, object] = {"u0": Growing()}
    double.dispatch(1, bindings)
    assert "t7" in bindings


def test_what_is_known_of_a_shader() -> None:
    info = brolga.info(EXAMPLES / "mandelbrot.cso")
    assert info["program"]["profile"] == "cs_5_0"
    code = brolga.assemble(DOUBLE)
    assert code.startswith(b"DXBC")
    assert "store_raw u0.x" in brolga.listing(code)
    shader = brolga.Device(threads=1).compile(EXAMPLES / "saxpy.cso")
    assert shader.register("x") == "t0"
    assert shader.registers == {
        "b0": "constant buffer of 1 vector",
        "t0": "structured buffer of stride 16",
        "u0": "structured buffer of stride 16",
    }


def test_machine_code_is_cached(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    for _ in range(2):
        brolga.Device(threads=1, cache=folder).compile(DOUBLE)
    assert any(folder.iterdir())
