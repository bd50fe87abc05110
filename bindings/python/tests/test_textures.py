"""Arrays as textures, samplers, formats; results held against NumPy."""

import numpy as np
import pytest
from conftest import EXAMPLES, ROOT
from matplotlib import image

import brolga


def pixels(path) -> np.ndarray:
    return (image.imread(path) * 255 + 0.5).astype(np.uint8)


def test_a_picture_is_tone_mapped_as_the_example_is(device: brolga.Device) -> None:
    """The expected picture is one that another program computed; a code may be one off."""
    outcome = brolga.Job(EXAMPLES / "tonemap.toml").run(device)
    assert outcome.passed and outcome.failures == []
    expected = pixels(ROOT / "docs/images/tonemap.png")
    picture = outcome.arrays["u0"]
    assert picture.shape == (192, 320, 4) and (picture[..., 3] == 255).all()
    assert np.abs(picture[..., :3].astype(int) - expected[..., :3]).max() <= 1


COPY = """
cs_5_0
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_typed_texture2d (float,float,float,float) u0
dcl_input vThreadID.xy
dcl_temps 2
dcl_thread_group 1, 1, 1
mov r0.xy, vThreadID.xyxx
mov r0.zw, l(0,0,0,0)
ld_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyzw, t0.xyzw
store_uav_typed u0.xyzw, vThreadID.xyyy, r1.xyzw
ret
"""


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.uint8, np.uint16, np.int8, np.int16])
@pytest.mark.parametrize("components", [(), (1,), (2,), (4,)])
def test_elements_become_formats(device: brolga.Device, kind, components) -> None:
    source = np.random.default_rng(1).integers(0, 100, (6, 9, *components)).astype(kind)
    copy = np.zeros_like(source)
    device.compile(COPY).dispatch((9, 6), {"t0": source, "u0": copy})
    assert (copy == source).all()


def test_fixed_point_is_what_the_format_says(device: brolga.Device) -> None:
    codes = np.arange(256, dtype=np.uint8).reshape(16, 16)
    numbers = np.zeros((16, 16), np.float32)
    device.compile(COPY).dispatch((16, 16), {"t0": codes, "u0": numbers})
    assert (numbers == codes.astype(np.float32) / np.float32(255)).all()


def test_a_part_of_a_picture_is_bound_without_a_copy(device: brolga.Device) -> None:
    picture = np.random.default_rng(2).integers(0, 256, (32, 64, 4), np.uint8)
    target = np.zeros((32, 64, 4), np.uint8)
    device.compile(COPY).dispatch((20, 10), {"t0": picture[3:13, 7:27], "u0": target[5:15, 30:50]})
    expected = np.zeros_like(target)
    expected[5:15, 30:50] = picture[3:13, 7:27]
    assert (target == expected).all()


def test_arrays_that_are_no_textures_are_refused(device: brolga.Device) -> None:
    shader, good = device.compile(COPY), np.zeros((4, 4, 4), np.uint8)
    for bad, message in [
        (np.zeros((4, 4, 3), np.uint8), "R8G8B8_UNORM"),
        (np.zeros((4, 4, 5), np.uint8), "up to four components"),
        (np.zeros(4, np.uint8), "texture2d"),
        (
            np.zeros((4, 4, 4), np.float64),
            r"R64G64B64A64_FLOAT .*: array.astype\(numpy.float32\) makes a copy that fits",
        ),
        (np.zeros((4, 4), np.int64), r"R64_SNORM .*: array.astype\(numpy.float32\)"),
        (np.zeros((4, 4, 2), np.int32), r"R32G32_SNORM .*: array.astype\(numpy.float32\)"),
        (np.zeros((4, 4, 4), np.uint8).transpose(1, 0, 2), "rows of a texture"),
        (np.zeros((4, 8, 4), np.uint8)[:, ::2], "rows of a texture"),
        (np.zeros((4, 4, 4), np.uint8)[::-1], "rows of a texture"),
        (brolga.View(np.zeros((4, 4), np.uint16), "R8G8B8A8_UNORM"), "has 4 bytes"),
        (np.zeros((0, 4, 4), np.uint8), "height"),
    ]:
        with pytest.raises(brolga.Error, match=message):
            shader.dispatch(1, {"t0": bad, "u0": good})
    with pytest.raises(brolga.ResourceError, match="not a known format"):
        brolga.View(good, "RGBA8")


def test_a_view_names_the_format(device: brolga.Device) -> None:
    """IEC 61966-2-1, against the codes of an eight-bit picture."""
    codes = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(4, axis=2)
    light = np.zeros((16, 16, 4), np.float32)
    device.compile(COPY).dispatch((16, 16), {"t0": brolga.View(codes, "R8G8B8A8_UNORM_SRGB"), "u0": light})
    x = np.arange(256) / 255
    expected = np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    assert np.abs(light[..., 0].ravel() - expected).max() < 1e-6
    assert light[1, 0, 3] == np.float32(16 / 255)


SAMPLE = """
cs_5_0
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 1, 1, 1
utof r0.x, vThreadID.x
mad r0.x, r0.x, l(0.125000), l(0.062500)
mov r0.y, l(0.500000)
sample_l_indexable(texture2d)(float,float,float,float) r1.x, r0.xyxx, t0.xyzw, s0, l(0.000000)
store_structured u0.x, vThreadID.x, l(0), r1.x
ret
"""


def test_samplers_filter_and_clamp(device: brolga.Device) -> None:
    """Between centres of texels a linear filter blends; beyond the outer ones it is clamped, or goes on."""
    row = np.array([[0, 1, 2, 3]], np.float32)
    shader, found = device.compile(SAMPLE), np.zeros(8, np.float32)
    at = (np.arange(8) + 0.5) / 8 * 4 - 0.5
    shader.dispatch(8, {"t0": row, "u0": found, "s0": brolga.Sampler("MIN_MAG_MIP_LINEAR")})
    assert np.abs(found - np.clip(at, 0, 3)).max() < 1 / 128
    shader.dispatch(8, {"t0": row, "u0": found, "s0": brolga.Sampler("MIN_MAG_MIP_POINT", address=["WRAP"] * 3)})
    assert (found == np.arange(8) // 2).all()
    with pytest.raises(brolga.CallError, match="filter"):
        brolga.Sampler("LINEAR")


def test_textures_have_mip_levels_and_layers(device: brolga.Device) -> None:
    texture = device.texture("R32_FLOAT", 4, 4, layers=2, mips=3)
    texture.array(0, 1)[:] = np.arange(16).reshape(4, 4)
    texture.generate_mips()
    blocks = np.arange(16).reshape(2, 2, 2, 2).swapaxes(1, 2).mean(axis=(2, 3))
    assert (texture.array(1, 1) == blocks).all() and texture.array(2, 1) == 7.5
    assert not texture.array(0, 0).any()
    part = texture.view(mips=(1, 1), layers=(1, 1), dimension="texture2d")
    found = np.zeros((2, 2), np.float32)
    device.compile(COPY).dispatch((2, 2), {"t0": part, "u0": found})
    assert (found == blocks).all()
    with pytest.raises(brolga.ResourceError):
        texture.array(3)


def test_a_texture_lies_over_an_array(device: brolga.Device) -> None:
    flat = np.arange(4 * 4 + 2 * 2 + 1, dtype=np.float32)
    texture = device.texture("R32_FLOAT", 4, 4, mips=3, data=flat)
    assert (texture.array(1) == [[16, 17], [18, 19]]).all()
    texture.array(1)[0, 0] = 99
    assert flat[16] == 99
