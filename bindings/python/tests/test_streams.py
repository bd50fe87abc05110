"""Geometry shaders, stream output, draws of what was streamed out, queries and predicates."""

import numpy as np
import pytest
from conftest import KEEP, NUMBERED, ROWS

import brolga

# What is in an array before.
OLD = 0xAAAAAAAA
PLACE = ("PLACE", "f4", 2)
# What is streamed out, with a gap of four bytes.
POINT = np.dtype({"names": ["PLACE", "NUMBER3"], "formats": [("f4", 2), "u4"], "offsets": [0, 12], "itemsize": 16})

# Two points of each: the same, and one that constants say how far away. Both have the number of the point.
TWICE = f"""
// Input signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
// SV_PrimitiveID           0    N/A   primID   PRIMID    uint    YES
//
// Output signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
// NUMBER                   3   x           1     NONE    uint   x
//
gs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer cb0[1], immediateIndexed
dcl_input v[1][0].xy
dcl_input vPrim
dcl_inputprimitive point
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xy
dcl_output o1.x
dcl_maxout 2
mov o0.xy, v[0][0].xyxx
mov o1.x, vPrim
emit_stream m0
add o0.xy, v[0][0].xyxx, cb0[0].xyxx
mov o1.x, vPrim
emit_stream m0
ret
"""

SHOW = f"""
// Input signature:
//{ROWS}
// PLACE                    0   xy          0     NONE   float   xy
// NUMBER                   3   x           1     NONE    uint   x
//
// Output signature:
//{ROWS}
// SV_Position              0   xyzw        0      POS   float   xyzw
// NUMBER                   3   x           1     NONE    uint   x
//
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xy
dcl_input v1.x
dcl_output_siv o0.xyzw, position
dcl_output o1.x
mov o0.xy, v0.xyxx
mov o0.zw, l(0, 0, 0.5, 1.0)
mov o1.x, v1.x
ret
"""


def places(*pixels: tuple[int, int]) -> np.ndarray:
    """The centers of pixels, each a column and a row of four."""
    points = np.zeros(len(pixels), [PLACE])
    points["PLACE"] = [(column / 2 - 0.75, 0.75 - row / 2) for column, row in pixels]
    return points


# On the diagonal. From each the second point is one pixel to the right.
POINTS = places((0, 0), (1, 1), (2, 2))
STEP = {"b0": np.array([0.5, 0, 0, 0], np.float32)}
OPTIONS = {"topology": "POINTLIST", "targets": ["R32_UINT"]}


@pytest.fixture(scope="module")
def double(device: brolga.Device) -> brolga.Pipeline:
    return device.pipeline(KEEP, gs=TWICE, inputs=POINTS.dtype, stream_output=POINT, **OPTIONS)


@pytest.fixture(scope="module")
def show(device: brolga.Device) -> brolga.Pipeline:
    return device.pipeline(SHOW, NUMBERED, inputs=POINT, **OPTIONS)


def written(*points: tuple[int, int, int]) -> list[tuple[float, float, int]]:
    """Columns, rows and numbers as vertices have them."""
    return [(column / 2 - 0.75, 0.75 - row / 2, number) for column, row, number in points]


def found(points: np.ndarray) -> list[tuple[float, float, int]]:
    return [(*map(float, point["PLACE"]), int(point["NUMBER3"])) for point in points]


def test_points_are_streamed_out_and_drawn(device: brolga.Device, double, show) -> None:
    """Two points become four. A third one becomes two, of which one has room."""
    words = np.full(20, OLD, np.uint32)
    kept, target = brolga.Buffer(words.view(POINT)), np.zeros((4, 4), np.uint32)
    assert (kept.filled_bytes, repr(kept)) == (0, "<brolga.Buffer of 80 bytes, 0 filled>")
    with brolga.Pass(device, [target]) as scene:
        with scene.query("statistics") as sums, scene.query("stream_out") as primitives:
            with scene.query("so_overflow") as fits:
                assert scene.draw(double.draw(2, vertices=[POINTS], bindings=STEP, stream_targets=[kept])) == 0
            with scene.query("so_overflow", 0) as is_full:
                more = double.draw(1, vertices=[POINTS], first=2, bindings=STEP, stream_targets=[(kept, -1)])
                assert scene.draw(more) == 1
        assert kept.filled_bytes == 0
        shown = show.draw_auto([kept])
        with scene.predicate(fits, False), scene.query("occlusion") as hidden:
            scene.draw(shown)
        with scene.predicate(fits, False):
            counted, any_seen = scene.query("occlusion"), scene.query("occlusion_predicate")
            with scene.predicate(is_full, False), counted as seen, any_seen:
                scene.draw(shown)
            scene.draw(shown)
    assert kept.filled_bytes == 80 and kept.array is not None
    assert found(words.view(POINT)) == written((0, 0, 0), (1, 0, 0), (1, 1, 1), (2, 1, 1), (2, 2, 0))
    # What no entry has stays.
    assert (words.reshape(5, 4)[:, 2] == OLD).all()
    assert target.tolist() == [[1, 1, 0, 0], [0, 2, 2, 0], [0, 0, 1, 0], [0] * 4]
    assert (fits.result, is_full.result, any_seen.result) == (False, True, True)
    assert (hidden.result, seen.result) == (0, 5)
    assert primitives.result == {"written": 5, "needed": 6}
    assert (sums.result["vertices"], sums.result["geometry_invocations"], sums.result["samples"]) == (3, 3, 0)
    first, second, skipped, drawn, last = scene.statistics
    assert (first["geometry_invocations"], first["geometry_primitives"]) == (2, 4)
    assert [of["streams"][0] for of in (first, second)] == [{"written": 4, "needed": 4}, {"written": 1, "needed": 2}]
    assert skipped == last == {**dict.fromkeys(skipped, 0), "streams": [{"written": 0, "needed": 0}] * 4}
    assert (drawn["vertices"], drawn["samples"], drawn["hull_invocations"]) == (5, 5, 0)


def test_arrays_and_offsets_are_streamed_out_to(device: brolga.Device, double, show) -> None:
    """An array is written from its begin on, another from its third vertex on."""
    whole, part = np.zeros(6, POINT), np.zeros(6, POINT)
    target = np.zeros((4, 4), np.uint32)
    draws = [
        double.draw(vertices=[POINTS], bindings=STEP, stream_targets=[to])
        for to in (whole, (part, 32), None, (part, 96))
    ]
    statistics = device.draw(draws, [target])
    assert [did["streams"][0]["written"] for did in statistics] == [6, 4, 0, 0]
    points = written((0, 0, 0), (1, 0, 0), (1, 1, 1), (2, 1, 1), (2, 2, 2), (3, 2, 2))
    assert found(whole) == points
    assert found(part) == [(0, 0, 0)] * 2 + points[:4]
    # The same by the words of documents; without a geometry shader, and in two buffers.
    entry = {"semantic": "PLACE", "count": 1}
    declared = {"entries": [entry, {**entry, "start": 1, "slot": 1}], "rasterized_stream": -1}
    pipeline = device.pipeline(KEEP, inputs=POINTS.dtype, stream_output=declared, **OPTIONS)
    x, y = np.zeros((2, 3), np.float32)
    device.draw([pipeline.draw(vertices=[POINTS], stream_targets=[x, y])], [target])
    assert (x.tolist(), y.tolist()) == ([-0.75, -0.25, 0.25], [0.75, 0.25, -0.25])
    # What was streamed out is vertices, and can be bound.
    kept = brolga.Buffer(whole)
    device.draw([show.draw(vertices=[kept])], [target])
    assert target.tolist() == [[1, 1, 0, 0], [0, 2, 2, 0], [0, 0, 3, 3], [0] * 4]
    shader = device.compile("""
        cs_5_0
        dcl_resource_structured t0, 16
        dcl_uav_raw u0
        dcl_input vThreadID.x
        dcl_temps 1
        dcl_thread_group 6, 1, 1
        ld_structured r0.x, vThreadID.x, l(12), t0.xxxx
        ishl r0.y, vThreadID.x, l(2)
        store_raw u0.x, r0.y, r0.x
        ret
    """)
    numbers = np.zeros(6, np.uint32)
    shader.dispatch(1, {"t0": kept, "u0": numbers})
    assert numbers.tolist() == [0, 0, 1, 1, 2, 2]


def test_queries_go_from_one_pass_to_the_next(device: brolga.Device, show) -> None:
    points = np.zeros(1, POINT)
    points["PLACE"] = POINTS["PLACE"][0]
    target, draw = np.zeros((4, 4), np.uint32), show.draw(vertices=[points])
    with brolga.Pass(device, [target]) as first:
        with first.query("occlusion_predicate") as seen, first.query("timestamp") as begin:
            first.draw(draw)
        with first.query("timestamp") as end:
            pass
    assert 0 < begin.result <= end.result
    with brolga.Pass(device, [target]) as second:
        for value in (True, False):
            with second.predicate(seen, value):
                second.draw(draw)
    assert [did["samples"] for did in second.statistics] == [0, 1]
    # Without draws there is nothing to see.
    with brolga.Pass(device, []) as empty, empty.query("occlusion") as nothing:
        pass
    assert (empty.statistics, nothing.result) == ([], 0)


def test_blocks_are_told_what_is_wrong(device: brolga.Device, double, show) -> None:
    target, points = np.zeros((4, 4), np.uint32), np.zeros(1, POINT)
    draw = show.draw(vertices=[points])
    scene = brolga.Pass(device, [target])
    for call in (lambda: scene.draw(draw), lambda: scene.query("occlusion")):
        with pytest.raises(brolga.CallError, match="within its block"):
            call()
    with pytest.raises(brolga.CallError, match="when its block has ended"):
        scene.statistics  # noqa: B018
    with scene:
        for kind, stream, words in [
            ("samples", None, 'they are "occlusion", '),
            ("occlusion", 0, "is not of a stream"),
            ("stream_out", 4, "no stream 4"),
        ]:
            with pytest.raises(brolga.CallError, match=words):
                scene.query(kind, stream)
        query = scene.query("occlusion_predicate")
        with query, pytest.raises(brolga.CallError, match="its block must have ended"):
            scene.predicate(query, False)
        with pytest.raises(brolga.CallError, match="a query is one block"):
            query.__enter__()
        with pytest.raises(brolga.CallError, match="when the block of its pass has ended"):
            query.result  # noqa: B018
        with scene.query("occlusion") as count:
            pass
        with pytest.raises(brolga.CallError, match="so_overflow"):
            scene.predicate(count, False)
        with brolga.Pass(device, [target]) as other, pytest.raises(brolga.CallError, match="must have ended"):
            other.predicate(query, False)
    with pytest.raises(brolga.CallError, match="one block"):
        scene.__enter__()
    # Nothing is drawn where the block fails.
    failed = brolga.Pass(device, [target])
    with pytest.raises(ZeroDivisionError), failed, failed.query("occlusion") as lost:
        failed.draw(draw)
        _ = 1 / 0
    assert not target.any() and failed.statistics == []
    with pytest.raises(brolga.CallError, match="a query has a result"):
        lost.result  # noqa: B018
    unbound = brolga.Pass(device, [target])
    with pytest.raises(brolga.BindingError, match="the geometry shader: b0"), unbound:
        unbound.draw(double.draw(vertices=[POINTS]))


def test_streams_that_do_not_fit_are_refused(device: brolga.Device, double, show) -> None:
    target, points = np.zeros((4, 4), np.uint32), np.zeros(6, POINT)
    read_only = points.copy()
    read_only.flags.writeable = False
    same = brolga.Buffer(points)
    for targets, words in [
        ([(points, 2)], "from byte 2 on, not from a multiple of 4"),
        ([read_only], "can only be read"),
        ([points] * 5, "5 buffers"),
    ]:
        draw = double.draw(vertices=[POINTS], bindings=STEP, stream_targets=targets)
        with pytest.raises(brolga.CallError, match=words):
            device.draw([draw], [target])
    with pytest.raises(brolga.CallError, match="streams nothing out"):
        device.draw([show.draw(vertices=[points], stream_targets=[points])], [target])
    for wrong in ((points,), (points, -2), (points, 0, 0), (points, "0"), (points, 0.5)):
        with pytest.raises(brolga.CallError, match="a tuple of one and the byte"):
            double.draw(vertices=[POINTS], bindings=STEP, stream_targets=[wrong])
    with pytest.raises(brolga.ResourceError, match="ascontiguousarray"):
        brolga.Buffer(points[::2])
    for vertices in ([points], []):
        with pytest.raises(brolga.CallError, match="it must be a Buffer"):
            show.draw_auto(vertices)
    with pytest.raises(brolga.ResourceError, match="PLACE.* is float64"):
        show.draw_auto([brolga.Buffer(np.zeros(1, [("PLACE", "f8", 2), ("NUMBER3", "u4")]))])
    # The same buffer cannot be read and written in one draw; arrays that overlap are two buffers.
    for vertices, is_refused in ((same, True), (points, False)):
        draw = device.pipeline(KEEP, inputs=POINT, stream_output=np.dtype([PLACE]), **OPTIONS)
        draw = draw.draw(vertices=[vertices], stream_targets=[same])
        if is_refused:
            with pytest.raises(brolga.CallError, match="uses buffer 0 as"):
                device.draw([draw], [target])
        else:
            device.draw([draw], [target])

    def pipeline(**options) -> brolga.Pipeline:
        return device.pipeline(KEEP, **{"gs": TWICE, "inputs": POINTS.dtype, **OPTIONS, **options})

    for fields in ([("PLACE", "f8", 2)], [("PLACE", ">f4", 2)], [("A", "u1"), ("PLACE", "f4", 2)], [("PLACE", "S4")]):
        with pytest.raises(brolga.ResourceError, match='the field "PLACE" is no output|the field "A"'):
            pipeline(stream_output=np.dtype(fields))
    both = np.dtype({"names": ["PLACE", "NUMBER3"], "formats": [("f4", 2), "u4"], "offsets": [0, 4]})
    with pytest.raises(brolga.ResourceError, match='the field "NUMBER3" is no output'):
        pipeline(stream_output=both)
    with pytest.raises(brolga.CallError, match="without fields"):
        pipeline(stream_output=np.dtype("f4"))
    with pytest.raises(brolga.CallError, match="did you mean `PLACE0`"):
        pipeline(stream_output=np.dtype([("PLACES", "f4", 2)]))
    with pytest.raises(brolga.CallError, match="entries"):
        pipeline(stream_output={"strides": [16]})
    with pytest.raises(brolga.CallError, match="takes primitives `point`"):
        pipeline(topology="TRIANGLELIST_ADJ")
    with pytest.raises(brolga.CallError, match="geometry shader is a vertex shader"):
        pipeline(gs=KEEP)
    with pytest.raises(brolga.BindingError, match="none of the shaders has a register"):
        double.draw(vertices=[POINTS], bindings={"step": [0.5]})
