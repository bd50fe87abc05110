"""Several samples of a pixel: draws, masks, resolves; held against a plain model of which samples a triangle covers."""

import numpy as np
import pytest
from conftest import EXAMPLES

import brolga

# Where the four samples of Direct3D's standard pattern are: sixteenths of a pixel from its center.
STANDARD = np.array([(-2, -6), (6, -2), (-6, 2), (2, 6)]) / 16
WIDTH, HEIGHT = 24, 16
# In pixels, clockwise. No sample and no center lies on an edge, which a test makes sure of.
TRIANGLE = np.array([(3.25, 1.5), (22.125, 6.25), (7.375, 14.75)])
VERTEX = np.dtype([("POSITION", "f4", 2), ("COLOR", "f4", 4)])
OPTIONS = {
    "vs": EXAMPLES / "triangle_vs.cso",
    "ps": EXAMPLES / "triangle_ps.cso",
    "inputs": VERTEX,
    "targets": ["R8G8B8A8_UNORM"],
}


def white(corners: np.ndarray) -> np.ndarray:
    """The vertices of white triangles with corners in pixels."""
    vertices = np.zeros(len(corners), VERTEX)
    vertices["POSITION"] = corners / (WIDTH / 2, -HEIGHT / 2) + (-1, 1)
    vertices["COLOR"] = 1
    return vertices


def covered(offsets: np.ndarray) -> np.ndarray:
    """By sample, row and column: whether a sample is inside of the triangle."""
    columns, rows = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    at = np.stack([columns, rows], axis=-1) + offsets[:, None, None, :]
    along = np.roll(TRIANGLE, -1, axis=0) - TRIANGLE
    sides = [side[0] * (at - corner)[..., 1] - side[1] * (at - corner)[..., 0] for side, corner in zip(along, TRIANGLE)]
    assert (np.abs(sides) > 1 / 64).all()
    return (np.array(sides) > 0).all(axis=0)


def drawn(device: brolga.Device, *, sample_mask: int = 0xFFFFFFFF, **samples) -> tuple[brolga.Texture, int]:
    """A target with the triangle, and how many samples passed."""
    target = device.texture("R8G8B8A8_UNORM", WIDTH, HEIGHT, **samples)
    draw = device.pipeline(**OPTIONS, **samples).draw(vertices=[white(TRIANGLE)], sample_mask=sample_mask)
    [did] = device.draw([draw], [target])
    return target, did["samples"]


def test_edges_are_smooth_after_a_resolve(device: brolga.Device) -> None:
    inside = covered(STANDARD)
    target, passed = drawn(device, samples=4)
    assert (target.samples, target.dimension, passed) == (4, "texture2dms", inside.sum())
    assert repr(target) == "<brolga.Texture texture2dms R8G8B8A8_UNORM 24 x 16 x 1, 1 layers, 1 mip levels, 4 samples>"
    assert target.array().shape == (4, HEIGHT, WIDTH, 4)
    assert (target.array() == 255 * inside[..., None]).all()
    for sample in range(4):
        assert (target.array(layer=sample) == target.array()[sample]).all()

    # The mean of four codes of 0 or 255, halves rounded up.
    picture, mean = np.zeros((HEIGHT, WIDTH, 4), np.uint8), (255 * inside.sum(axis=0) + 2) // 4
    assert set(np.unique(mean)) == {0, 64, 128, 191, 255}
    assert isinstance(target.resolve(picture), brolga.Texture)
    assert (picture == mean[..., None]).all()
    # A new texture, and one of the caller's.
    new = target.resolve()
    assert (new.samples, new.dimension, new.format) == (1, "texture2d", "R8G8B8A8_UNORM")
    assert (new.array() == picture).all()
    new.array()[:] = 0
    assert target.resolve(new) is new and (new.array() == picture).all()


def test_a_part_of_a_picture_is_resolved_to(device: brolga.Device) -> None:
    target, _ = drawn(device, samples=4)
    picture = np.full((HEIGHT + 2, WIDTH + 2, 4), 7, np.uint8)
    expected = picture.copy()
    expected[1:-1, 1:-1] = target.resolve().array()
    target.resolve(picture[1:-1, 1:-1])
    assert (picture == expected).all()


def test_the_sample_mask_says_which_are_drawn(device: brolga.Device) -> None:
    inside = covered(STANDARD)
    inside[[1, 3]] = False
    target, passed = drawn(device, samples=4, sample_mask=0b0101)
    assert passed == inside.sum()
    assert (target.array() == 255 * inside[..., None]).all()
    # Of one sample it is the lowest bit.
    assert [drawn(device, sample_mask=mask)[1] > 0 for mask in (1, 2, 0xFFFFFFFE)] == [True, False, False]


def test_samples_at_the_center_give_whole_pixels(device: brolga.Device) -> None:
    [inside] = covered(np.zeros((1, 2)))
    target, passed = drawn(device, samples=4, center_pattern=True)
    assert passed == 4 * inside.sum()
    assert (target.resolve().array() == 255 * inside[..., None]).all()
    assert (drawn(device)[0].array() == 255 * inside[..., None]).all()


def test_samples_are_forced_over_arrays(device: brolga.Device) -> None:
    """A pixel is drawn where any of its samples is covered."""
    inside, picture = covered(STANDARD), np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    pipeline = device.pipeline(**OPTIONS, rasterizer={"forced_sample_count": 4})
    [did] = device.draw([pipeline.draw(vertices=[white(TRIANGLE)])], [picture])
    assert did["samples"] == inside.sum()
    assert (picture == 255 * inside.any(axis=0)[..., None]).all()


def test_each_sample_has_its_depth(device: brolga.Device) -> None:
    """The triangle lies at a depth of 0.5."""
    inside = covered(STANDARD)
    target = device.texture("R8G8B8A8_UNORM", WIDTH, HEIGHT, samples=4)
    depth = device.texture("D32_FLOAT", WIDTH, HEIGHT, samples=4)
    depth.array()[:] = 1
    depth.array()[2] = 0.25
    pipeline = device.pipeline(**OPTIONS, depth="D32_FLOAT", samples=4)
    device.draw([pipeline.draw(vertices=[white(TRIANGLE)])], [target], depth=depth)
    inside[2] = False
    assert (target.array() == 255 * inside[..., None]).all()
    expected = np.where(inside, 0.5, 1)
    expected[2] = 0.25
    assert (depth.array() == expected).all()


def test_shaders_read_samples(device: brolga.Device) -> None:
    """Samples are planes: each has all its texels together."""
    shader = device.compile("""
        cs_5_0
        dcl_resource_texture2dms(4) (float,float,float,float) t0
        dcl_uav_raw u0
        dcl_input vThreadID.x
        dcl_temps 1
        dcl_thread_group 4, 1, 1
        ldms r0.x, l(1, 0, 0, 0), t0.x, vThreadID.x
        ishl r0.y, vThreadID.x, l(2)
        store_raw u0.x, r0.y, r0.x
        ret
    """)
    texels, found = np.arange(8, dtype=np.float32), np.zeros(4, np.float32)
    texture = device.texture("R32_FLOAT", 2, 1, samples=4, data=texels)
    shader.dispatch(1, {"t0": texture, "u0": found})
    assert (found == texels.reshape(4, 2)[:, 1]).all()


def test_layers_are_resolved_to_levels(device: brolga.Device) -> None:
    planes = np.array([1, 2, 3, 6, 0.5, -4, 1, -8], np.float32)
    many = device.texture("R32_FLOAT", 2, 1, layers=2, samples=2, data=planes)
    assert many.dimension == "texture2dmsarray" and (many.array() == planes.reshape(4, 1, 2)).all()
    to = device.texture("R32_FLOAT", 4, 2, layers=2, mips=2)
    assert many.resolve(to, layer=1, mip=1, to_layer=1) is to
    assert (to.array(1, 1) == [0.75, -6]).all()
    assert not to.array(0, 0).any() and not to.array(1, 0).any() and not to.array(0, 1).any()
    assert (many.resolve().array() == [2, 4]).all()
    assert (many.resolve(np.zeros((1, 2), np.float32), layer=1).array() == [0.75, -6]).all()


def test_the_format_says_what_is_averaged(device: brolga.Device) -> None:
    """Codes, or the light that they stand for: that of half the light of 255 is 188 (IEC 61966-2-1)."""
    codes, light = [[[128] * 4]], [[[188, 188, 188, 128]]]
    many = device.texture("R8G8B8A8_UNORM", 1, 1, samples=2, data=np.array([0] * 4 + [255] * 4, np.uint8))
    seen = many.view(format="R8G8B8A8_UNORM_SRGB")
    array = np.zeros((1, 1, 4), np.uint8)
    for one, to, format, expected in [
        (many, None, None, codes),
        (many, None, "R8G8B8A8_UNORM_SRGB", light),
        (seen, None, None, light),
        (seen, array, None, light),
        (seen, brolga.View(array, "R8G8B8A8_UNORM"), None, codes),
        (many, brolga.View(array, "R8G8B8A8_UNORM_SRGB"), None, light),
        (many, device.texture("R8G8B8A8_UNORM", 1, 1), "R8G8B8A8_UNORM_SRGB", light),
    ]:
        assert one.resolve(to, format=format).array().tolist() == expected


def test_mistakes_with_samples_are_told(device: brolga.Device) -> None:
    for wrong, words in [
        ({"samples": 3}, "a texture2dms has .*, not 3"),
        ({"samples": 0}, "not 0"),
        ({"samples": 4, "depth": 2}, "a texture3d has 1 sample, not 4"),
        ({"samples": 4, "mips": 2}, "mip levels"),
    ]:
        with pytest.raises(brolga.ResourceError, match=words):
            device.texture("R8G8B8A8_UNORM", 4, 4, **wrong)
    four = device.texture("R8G8B8A8_UNORM", 4, 4, samples=4)
    for wrong, words in [
        (np.zeros((4, 5, 4), np.uint8), "a resolve from 4 x 4 texels to 5 x 4: they must be the same"),
        (np.zeros((4, 4, 4), np.float32), "is an array of uint8, not of float32"),
        (four, "from a texture of several samples to one of one sample, not from 4 to 4"),
        (device.texture("R32_FLOAT", 4, 4), "R32_FLOAT"),
    ]:
        with pytest.raises(brolga.ResourceError, match=words):
            four.resolve(wrong)
    for wrong in ({"layer": 1}, {"layer": 0xFFFFFFFF}, {"mip": 1}, {"to_layer": 1}):
        with pytest.raises(brolga.ResourceError, match="mip level .* layer"):
            four.resolve(**wrong)
    with pytest.raises(brolga.ResourceError, match="not from 1 to 1"):
        four.resolve().resolve()
    for name in ("R8G8B8A8_UINT", "R32_SINT"):
        with pytest.raises(brolga.ResourceError, match=f"texels of format {name} .* integers and depths have no mean"):
            device.texture(name, 4, 4, samples=4).resolve()
    with pytest.raises(brolga.ResourceError, match="integers and depths have no mean"):
        device.texture("D32_FLOAT", 4, 4, samples=4).resolve()
    with pytest.raises(brolga.ResourceError, match="not a known format"):
        four.resolve(format="RGBA8")

    def draw(**samples) -> brolga.Draw:
        return device.pipeline(**OPTIONS, **samples).draw(vertices=[white(TRIANGLE)])

    picture = np.zeros((4, 4, 4), np.uint8)
    for one, target in [
        (draw(), four),
        (draw(samples=2), four),
        (draw(samples=4), picture),
        (draw(samples=4, center_pattern=True), four),
    ]:
        with pytest.raises(brolga.CallError, match="the pipeline is for targets with .* but those of the pass have"):
            device.draw([one], [target])
    for samples in (0, 3, 16):
        with pytest.raises(brolga.CallError, match=f"the pipeline has {samples} samples: 1, 2, 4 or 8 are possible"):
            draw(samples=samples)
    with pytest.raises(brolga.CallError, match="forces 4 samples cannot have targets of several samples"):
        draw(samples=4, rasterizer={"forced_sample_count": 4})
    with pytest.raises(OverflowError):
        device.pipeline(**OPTIONS).draw(3, sample_mask=-1)
