"""Draws into arrays, and documents."""

import shutil

import numpy as np
import pytest
from conftest import EXAMPLES, ROOT
from matplotlib import image

import brolga

CORNERS = np.array(
    [((0, 0.85), (1, 0.1, 0.1, 1)), ((0.9, -0.75), (0.1, 1, 0.1, 1)), ((-0.8, -0.6), (0.15, 0.2, 1, 1))],
    [("POSITION", "f4", 2), ("COLOR", "f4", 4)],
)
SHADERS = {"vs": EXAMPLES / "triangle_vs.cso", "ps": EXAMPLES / "triangle_ps.cso"}


def barycentric(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """The plain model: weights of the corners at the centres of pixels, and the colour that they make."""
    x, y = (CORNERS["POSITION"].astype(float) * (0.5, -0.5) + 0.5).T * [[width], [height]]
    at_x, at_y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    edges = [(x[(n + 2) % 3] - x[(n + 1) % 3]) * (at_y - y[(n + 1) % 3]) -
             (y[(n + 2) % 3] - y[(n + 1) % 3]) * (at_x - x[(n + 1) % 3]) for n in range(3)]  # fmt: skip
    weights = np.stack(edges) / sum(edges)
    return weights, np.einsum("nyx,nc->yxc", weights, CORNERS["COLOR"].astype(float))


def test_a_triangle_is_drawn_into_an_array(device: brolga.Device) -> None:
    pipeline = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    picture = np.zeros((120, 160, 4), np.uint8)
    [did] = device.draw([pipeline.draw(vertices=[CORNERS])], [picture])
    weights, colour = barycentric(160, 120)
    inside, outside = (weights > 0.01).all(axis=0), (weights < -0.01).any(axis=0)
    assert (did["vertices"], did["primitives"]) == (3, 1)
    assert inside.sum() <= did["samples"] == np.count_nonzero(picture[..., 3]) <= (~outside).sum()
    assert np.abs(picture[inside] - 255 * colour[inside]).max() <= 1.0
    assert not picture[outside].any()


def test_inputs_are_named_with_formats_too(device: brolga.Device) -> None:
    pictures = []
    for inputs in (CORNERS.dtype, [("POSITION", "R32G32_FLOAT"), ("COLOR", "R32G32B32A32_FLOAT", 8)]):
        pipeline = device.pipeline(**SHADERS, inputs=inputs, targets=["R32G32B32A32_FLOAT"])
        picture = np.zeros((30, 40, 4), np.float32)
        device.draw([pipeline.draw(vertices=[CORNERS], indices=np.array([0, 1, 2], np.uint16))], [picture])
        pictures.append(picture.tobytes())
    assert pictures[0] == pictures[1]


def test_tiles_make_the_whole(device: brolga.Device) -> None:
    """A scissor rectangle leaves the rest alone, and what is inside is the same."""
    pipeline = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    whole, tiles = np.zeros((2, 60, 80, 4), np.uint8)
    device.draw([pipeline.draw(vertices=[CORNERS])], [whole])
    for top in range(0, 60, 20):
        device.draw([pipeline.draw(vertices=[CORNERS], scissor=(0, top, 80, top + 20))], [tiles])
    assert (tiles == whole).all()


def test_depth_decides(device: brolga.Device) -> None:
    """The triangle lies at a depth of 0.5."""
    pipeline = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"], depth="D32_FLOAT")
    picture, depth = np.zeros((60, 80, 4), np.uint8), np.ones((60, 80), np.float32)
    depth[:, :40] = 0.25
    device.draw([pipeline.draw(vertices=[CORNERS])], [picture], depth=depth)
    assert not picture[:, :40].any() and picture[:, 40:].any()
    assert set(np.unique(depth[:, 40:])) == {np.float32(0.5), np.float32(1)}


def test_state_has_the_names_of_documents(device: brolga.Device) -> None:
    turned = CORNERS[::-1].copy()
    options = {"inputs": CORNERS.dtype, "targets": ["R8G8B8A8_UNORM"]}
    for state, is_seen in [({}, False), ({"rasterizer": {"cull_mode": "NONE"}}, True)]:
        picture = np.zeros((30, 40, 4), np.uint8)
        device.draw([device.pipeline(**SHADERS, **options, **state).draw(vertices=[turned])], [picture])
        assert picture.any() == is_seen
    with pytest.raises(brolga.CallError, match="rasterizer.cull_mode"):
        device.pipeline(**SHADERS, **options, rasterizer={"cull_mode": "SIDEWAYS"})
    with pytest.raises(brolga.CallError, match="topolgy"):
        device.pipeline(**SHADERS, **options, topolgy="LINELIST")


def test_draws_that_do_not_fit_are_refused(device: brolga.Device) -> None:
    pipeline = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    with pytest.raises(brolga.CallError, match="how many vertices"):
        pipeline.draw()
    with pytest.raises(brolga.BindingError, match="colour"):
        pipeline.draw(3, bindings={"colour": {"a": 1}})
    with pytest.raises(brolga.ResourceError, match="has 4 bytes"):
        device.draw([pipeline.draw(vertices=[CORNERS])], [np.zeros((60, 80, 3), np.uint8)])
    with pytest.raises(brolga.CallError, match="2 targets"):
        device.draw([pipeline.draw(vertices=[CORNERS])], [np.zeros((60, 80, 4), np.uint8)] * 2)
    for indices in (np.arange(3), np.arange(3, dtype=np.float32)):
        with pytest.raises(brolga.ResourceError, match="numpy.uint32"):
            pipeline.draw(vertices=[CORNERS], indices=indices)
    with pytest.raises(brolga.CallError, match="not a ndarray"):
        pipeline.draw(vertices=CORNERS)
    with pytest.raises(brolga.CallError, match="a viewport is"):
        pipeline.draw(vertices=[CORNERS], viewport=[0, 0, 1])
    assert device.draw([], []) == []


def test_vertices_that_do_not_fit_are_refused_with_the_cast(device: brolga.Device) -> None:
    formats = [("POSITION", "R32G32_FLOAT"), ("COLOR", "R32G32B32A32_FLOAT", 8)]
    pipeline = device.pipeline(**SHADERS, inputs=formats, targets=["R8G8B8A8_UNORM"])
    for kind in (np.float64, np.int64, np.int32, np.float16):
        words = rf"vertices\[0\] is an array of {np.dtype(kind)}, but POSITION0 is read from it as R32G32_FLOAT: " \
            r"array.astype\(numpy.float32\)"  # fmt: skip
        with pytest.raises(brolga.ResourceError, match=words):
            pipeline.draw(vertices=[np.ones((3, 6), kind)])
    for fits in (np.ones((3, 6), np.float32), np.ones((3, 24), np.uint8), CORNERS, bytearray(72)):
        pipeline.draw(3, vertices=[fits])
    of_fields = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    for fields in ([("POSITION", "f8", 2), ("COLOR", "f4", 4)], [("position", "i4", 2), ("COLOR", "f4", 4)],
                   [("COLOR", "f4", 4), ("POSITION", "f4", 2)]):  # fmt: skip
        for drawn in (pipeline, of_fields):
            with pytest.raises(
                brolga.ResourceError, match=r"the field .* of vertices\[0\] is .*: array.astype\(dtype\)"
            ):
                drawn.draw(vertices=[np.zeros(3, fields)])
    # More than the pipeline reads is fine.
    of_fields.draw(vertices=[np.zeros(3, [("POSITION", "f4", 2), ("COLOR", "f4", 4), ("WEIGHT", "f8")])])


def test_targets_of_another_type_are_refused(device: brolga.Device) -> None:
    pipeline = device.pipeline(**SHADERS, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"], depth="D32_FLOAT")
    draw = pipeline.draw(vertices=[CORNERS])
    colour, depth = np.zeros((8, 8, 4), np.uint8), np.ones((8, 8), np.float32)
    for wrong in (np.zeros((8, 8, 4)), np.zeros((8, 8), np.float32), np.zeros((8, 8, 2), np.int16)):
        with pytest.raises(brolga.ResourceError, match=r"R8G8B8A8_UNORM is an array of uint8, not of .*numpy.uint8"):
            device.draw([draw], [wrong], depth=depth)
    for wrong in (np.ones((8, 8)), np.ones((8, 8), np.int32)):
        with pytest.raises(brolga.ResourceError, match=r"D32_FLOAT is an array of float32, not of .*numpy.float32"):
            device.draw([draw], [colour], depth=wrong)
    # A texel may be one integer.
    for fits in (colour, np.zeros((8, 8), np.uint32)):
        device.draw([draw], [fits], depth=depth)


def test_what_a_draw_does_not_bind_is_refused_as_in_a_dispatch(device: brolga.Device) -> None:
    pixel = """
        ps_5_0
        dcl_constantbuffer cb0[1], immediateIndexed
        dcl_output o0.xyzw
        mov o0.xyzw, cb0[0].xyzw
        ret
    """
    pipeline = device.pipeline(SHADERS["vs"], pixel, inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    target = np.zeros((8, 8, 4), np.uint8)
    words = "the pixel shader: b0 is declared as constant buffer of 1 vector but nothing is bound to it"
    with pytest.raises(brolga.BindingError, match=words):
        device.draw([pipeline.draw(vertices=[CORNERS])], [target])
    device.draw([pipeline.draw(vertices=[CORNERS], bindings={"b0": np.ones(4, np.float32)})], [target])
    assert (target[4, 4] == 255).all()


def test_shaders_in_each_others_places_are_told(device: brolga.Device) -> None:
    with pytest.raises(brolga.CallError, match="the pipeline's vertex shader is a pixel shader"):
        device.pipeline(SHADERS["ps"], SHADERS["vs"], inputs=CORNERS.dtype, targets=["R8G8B8A8_UNORM"])
    with pytest.raises(brolga.CallError, match="POSITION0 .* did you mean it where it has `POSITON0`"):
        device.pipeline(
            **SHADERS, inputs=np.dtype([("POSITON", "f4", 2), ("COLOR", "f4", 4)]), targets=["R8G8B8A8_UNORM"]
        )


def test_inputs_that_do_not_fit_are_refused(device: brolga.Device) -> None:
    for corner in (("f8", 2), (">f4", 2), ("f4", 5), ("S4", 2), ("O", 2)):
        with pytest.raises(brolga.ResourceError, match='the field "POSITION"'):
            device.pipeline(**SHADERS, inputs=np.dtype([("POSITION", *corner), ("COLOR", "f4", 4)]), targets=[])
    for inputs in ("POSITION", [("POSITION",)], [("POSITION", 2)], [("POSITION", "R32G32_FLOAT", -1)]):
        with pytest.raises(brolga.CallError, match="an input is a tuple"):
            device.pipeline(**SHADERS, inputs=inputs, targets=[])


def test_a_document_gives_its_picture(device: brolga.Device) -> None:
    outcome = brolga.Document(EXAMPLES / "pool").run(device)
    expected = (image.imread(ROOT / "docs/images/pool.png") * 255 + 0.5).astype(np.uint8)
    picture = outcome.arrays["picture"]
    assert outcome.passed and picture.shape[:2] == expected.shape[:2]
    assert np.abs(picture[..., :3].astype(int) - expected[..., :3]).mean() < 1


def test_documents_say_what_is_not_as_expected(device: brolga.Device, tmp_path) -> None:
    document = brolga.Document(EXAMPLES / "cube_roots.toml")
    assert (document.shaders, document.name) == (1, "cube_roots")
    outcome = document.run(device)
    assert outcome.passed and outcome.report.groups > 0
    for name in ("cube_roots.toml", "cube_roots.cso"):
        shutil.copy(EXAMPLES / name, tmp_path)
    text = (tmp_path / "cube_roots.toml").read_text()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace("0.0, 1.0, -1.0, 2.0,", "0.0, 1.5, -1.0, 2.0,"))
    outcome = brolga.Document(wrong).run(device, engine="interpreter")
    assert not outcome.passed and outcome.failures[0].startswith("u0: 1 of ")
    wrong.write_text(text.replace("shader", "shadr"))
    with pytest.raises(brolga.FileError, match="wrong.toml:.*did you mean"):
        brolga.Document(wrong)
    with pytest.raises(brolga.CallError, match="none with number 3"):
        document.run(device, 3)


def test_documents_read_files_elsewhere_and_write_none(device: brolga.Device, tmp_path) -> None:
    text = (EXAMPLES / "cube_roots.toml").read_text()
    away = tmp_path / "away.toml"
    text = text.replace('shader = "', f'shader = "{EXAMPLES}/')
    away.write_text(text.replace("[u0]", '[u0]\nsave = "roots.npy"'))
    assert brolga.Document(away).run(device).passed
    assert [path.name for path in tmp_path.iterdir()] == ["away.toml"]


def test_jobs_and_scenes_are_documents(device: brolga.Device) -> None:
    with pytest.warns(DeprecationWarning, match=r"brolga\.Job is brolga\.Document now"):
        outcome = brolga.Job(EXAMPLES / "cube_roots.toml").run(device, 0)
    assert outcome.passed and list(outcome.arrays) == ["u0"] and outcome.report is not None
    with pytest.warns(DeprecationWarning, match=r"brolga\.Scene is"):
        scene = brolga.Scene(EXAMPLES / "pool")
    assert (scene.name, type(scene)) == ("pool", brolga.Document)
    with pytest.raises(AttributeError, match="no attribute 'Jobs'"):
        brolga.Jobs  # noqa: B018
