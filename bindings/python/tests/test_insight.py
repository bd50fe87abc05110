"""What is told about runs: messages of shaders, and findings of checks."""

from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, TINY

import brolga

FAULTY = ROOT / "tests/data/faulty"
MESSAGES = ROOT / "tests/data/messages"

# Each thread prints its number, odd ones as errors. The one whose number is in the array aborts.
PRINTS = """
cs_5_0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 2, 1, 1
and r0.x, vThreadID.x, l(1)
if_nz r0.x
  errorf "%u is odd", vThreadID.x
else
  printf "%u is even", vThreadID.x
endif
ld_raw r0.x, l(0), u0.xxxx
ieq r0.x, r0.x, vThreadID.x
if_nz r0.x
  abort
endif
ret
"""

# Each thread reads what its neighbour wrote to shared memory, without a barrier.
RACES = """
cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_structured g0, 4, 4
dcl_thread_group 4, 1, 1
store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
iadd r0.x, vThreadIDInGroupFlattened.x, l(1)
and r0.x, r0.x, l(3)
ld_structured r0.x, r0.x, l(0), g0.xxxx
ishl r0.y, vThreadIDInGroupFlattened.x, l(3)
store_raw u0.x, r0.y, r0.x
ret
"""


def bound(device: brolga.Device, listing: str, words: list[int]) -> brolga.BoundShader:
    return device.compile(listing).bind({"u0": np.array(words, np.uint32)})


def test_threads_print_in_order(device: brolga.Device) -> None:
    numbers = np.full(4, 99, np.uint32)
    shader = device.compile(PRINTS)
    often = shader.bind({"u0": numbers})
    for run in (lambda: shader.dispatch(2, {"u0": numbers}), lambda: often.dispatch(2), lambda: often.dispatch(2)):
        report = run()
        assert [str(message) for message in report.messages] == ["0 is even", "1 is odd", "2 is even", "3 is odd"]
        assert [message.is_error for message in report.messages] == [False, True, False, True]
        assert report.lost_messages == 0
    last = report.messages[3]
    assert last.sender == {"group": [1, 0, 0], "thread": [1, 0, 0]}
    assert (last.instruction.index, last.instruction.text) == (2, 'errorf "%u is odd", vThreadID.x')
    assert str(last.instruction) == f"instruction 2 `{last.instruction.text}` (byte {last.instruction.byte})"
    assert bound(device, TINY, [0]).dispatch(1).messages == []


def test_the_first_messages_are_kept(device: brolga.Device) -> None:
    report = bound(device, PRINTS, [1 << 31]).dispatch(33_000)
    assert (len(report.messages), report.lost_messages) == (65_536, 464)
    assert report.messages[-1].text == "65535 is odd"


def test_an_abort_is_an_exception_with_what_came_before(device: brolga.Device) -> None:
    with pytest.raises(brolga.AbortedError, match=r"thread \(0, 0, 0\) of group \(1, 0, 0\)") as raised:
        bound(device, PRINTS, [2]).dispatch(2)
    assert (raised.value.kind, raised.value.number) == ("Aborted", 12)
    assert [message.text for message in raised.value.messages][:3] == ["0 is even", "1 is odd", "2 is even"]
    with pytest.raises(brolga.FileError) as refused:
        device.compile(b"")
    assert len(refused.value.messages) == 0


def test_stages_of_a_draw_print_in_order(device: brolga.Device) -> None:
    vs, hs, ds, gs, ps = (MESSAGES / f"{stage}.cso" for stage in ("vs", "hs", "ds", "gs", "ps"))
    pipeline = device.pipeline(
        vs, ps, hs=hs, ds=ds, gs=gs, targets=["R8G8B8A8_UNORM"], topology="3_CONTROL_POINT_PATCHLIST"
    )
    scene = brolga.Pass(device, [np.zeros((3, 4, 4), np.uint8)])
    with pytest.raises(brolga.CallError, match="when its block has ended"):
        len(scene.messages)
    with scene:
        scene.draw(pipeline.draw(3))
    assert [message.sender for message in scene.messages] == [
        *({"vertex": n, "instance": 0} for n in range(3)),
        {"patch": 0, "location": [0, 0, 1]},
        {"patch": 0, "location": [0, 1, 0]},
        {"patch": 0, "location": pytest.approx([1 / 3] * 3, abs=1e-4)},
        {"patch": 0, "location": [1, 0, 0]},
        *[{"primitive": 0, "instance": 0}] * 3,
        *({"pixel": pixel} for pixel in ([1, 0], [2, 0], [1, 1])),
    ]
    assert scene.messages[-1].text == "pixel 1.5 1.5"
    assert scene.lost_messages == 0


def test_documents_have_messages(device: brolga.Device, tmp_path: Path) -> None:
    job = f"shader = {str(MESSAGES / 'cs.cso')!r}\ndispatch = [1, 1, 1]\n[t0]\nf32 = [0, 0, 3, 0]\n[u1]\ncount = 4\n"
    (tmp_path / "job.toml").write_text(job)
    outcome = brolga.Document(tmp_path / "job.toml").run(device)
    texts = ["2, 0:  3.00|20    |3.000000e+00", "three", "2, 1:  3.00|20    |3.000000e+00", "three"]
    assert [message.text for message in outcome.messages] == texts
    assert outcome.report is not None
    assert [message.text for message in outcome.report.messages] == texts
    assert outcome.lost_messages == 0


def test_a_race_is_found_with_its_parties(device: brolga.Device) -> None:
    racing = bound(device, RACES, [9] * 8)
    [finding] = racing.check(1)
    assert (finding.kind, finding.subject, finding.between_groups, finding.count) == ("race", "g0", False, 4)
    write, read = finding.parties
    assert (write.access, write.instruction.index, read.access, read.instruction.index) == ("write", 0, "read", 3)
    # A word is written by the thread of its number, and read by the one before.
    assert finding.unit == "byte"
    assert finding.place == [4 * write.index]
    assert read.index == (write.index + 3) % 4
    assert (write.group, write.thread) == ([0, 0, 0], [write.index, 0, 0])
    assert str(finding).startswith("race on g0: byte ")
    assert "\n  help: " in str(finding)
    with pytest.raises(AssertionError) as raised:
        brolga.assert_clean(racing, 1)
    assert str(raised.value) == str(finding)
    brolga.assert_clean(racing, 1, kinds=["bounds", "barrier"])


def test_places_are_elements_bytes_and_texels(device: brolga.Device) -> None:
    def check(name: str, groups: int, **arrays: np.ndarray) -> brolga.Finding:
        finding = device.compile(FAULTY / name / "shader.cso").bind(arrays).check(groups)[0]
        assert len(finding.parties) == {"race": 2, "barrier": 4}.get(finding.kind, 1)
        return finding

    past = check("bounds_structured", 1, t0=np.zeros(64, np.uint32), u0=np.zeros(64, np.uint32))
    assert (past.kind, past.unit, past.place, past.extent, past.words) == ("bounds", "element", [64], 64, [0, 1])
    texel = check("texture_two_writers", 1, u0=np.zeros((8, 8), np.uint32))
    assert (texel.kind, texel.subject, texel.unit, texel.place[2]) == ("race", "u0", "texel", 0)
    barrier = check("barrier_divergent", 1, b0=np.zeros(4, np.uint32), u0=np.zeros(64, np.uint32))
    assert (barrier.kind, barrier.subject, barrier.unit, barrier.place) == ("barrier", None, None, [])
    assert barrier.other is not None
    assert barrier.other.text.startswith("sync")


def test_checks_are_chosen(device: brolga.Device) -> None:
    racing = bound(device, RACES, [9] * 8)
    assert racing.check(1, kinds=[]) == []
    assert racing.check(1, group=(1, 0, 0)) == []
    with pytest.raises(brolga.CallError, match='"races" is no kind of finding: they are "race", "bounds"'):
        racing.check(1, kinds=["races"])
    # Groups of one thread all write the same.
    same = bound(device, TINY, [0])
    assert same.check(2) == []
    assert [finding.between_groups for finding in same.check(2, strict=True)] == [True]
    with pytest.warns(RuntimeWarning, match="2 accesses to views were beyond the limit"):
        assert same.check(2, strict=True, shadow_words=0) == []
