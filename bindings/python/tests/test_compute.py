"""Compute shaders over arrays: buffers, constants, reflection, errors."""

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
