"""Textures for measurements and tests: pictures from fixed seeds, in every format, with their mip levels.

Pictures are smooth and have edges, as photographs and paintings have, and repeat at their borders. A picture is an array of height x width x 4
floats; what a format cannot say of it is clamped.
"""

import re

import numpy as np

import blocks

BLOCKS = {
    "BC1": blocks.bc1,
    "BC2": blocks.bc2,
    "BC3": blocks.bc3,
    "BC4": blocks.bc4,
    "BC5": blocks.bc5,
    "BC6H": blocks.bc6h,
    "BC7": blocks.bc7,
}


def noise(size, seed, octaves=4, base=4):
    """Numbers from 0 to 1, in waves of size / base texels and shorter ones."""
    rng, total = np.random.default_rng(seed), np.zeros((size, size))
    for octave in range(octaves):
        cells = min(base << octave, size)
        corners = rng.random((cells, cells))
        place = (np.arange(size) + 0.5) * cells / size
        cell = place.astype(int)
        share = place - cell
        share = share * share * (3 - 2 * share)
        rows = corners[cell] * (1 - share)[:, None] + corners[(cell + 1) % cells] * share[:, None]
        total += (rows[:, cell] * (1 - share) + rows[:, (cell + 1) % cells] * share) / 2**octave
    return total / (2 - 0.5 ** (octaves - 1))


def picture(size, seed, alpha=1.0):
    """Two colours that run into each other, with bricks or spots over them."""
    rng = np.random.default_rng(seed)
    first, second = rng.random(3) * 0.8 + 0.1, rng.random(3) * 0.8 + 0.1
    share = np.clip(noise(size, seed) * 2 - 0.5, 0, 1)[..., None]
    colour = first * (1 - share) + second * share
    y, x = np.mgrid[0:size, 0:size] * 8 // size
    colour = colour * np.where((x + y) % 2 == 0, 1.0, 0.7)[..., None] * (0.8 + 0.4 * noise(size, seed + 100, 3, 16)[..., None])
    channel = np.broadcast_to(alpha, (size, size))
    return np.dstack([np.clip(colour, 0, 1), channel])


def light(size, seed, most=8.0):
    """A picture with light sources that are brighter than 1."""
    found = picture(size, seed)
    found[..., :3] *= 0.2 + most * np.clip(noise(size, seed + 7, 2) * 4 - 2.4, 0, 1)[..., None] ** 2
    return found


def leaf(size, seed):
    """An alpha channel that is 0 outside of a shape with lobes, and 1 in it, with a narrow edge between them."""
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size * 2 - 1
    angle, radius = np.arctan2(y, x), np.hypot(x, y)
    return np.clip((0.72 + 0.18 * np.cos((5 + seed % 3) * angle) - radius) * size / 8 + 0.5, 0, 1)


def bumps(size, seed):
    """Normals of a height field, in x and y from 0 to 1."""
    height = noise(size, seed, 4, 8) * size / 24
    dx, dy = (np.roll(height, -1, axis) - np.roll(height, 1, axis) for axis in (1, 0))
    length = np.sqrt(dx * dx + dy * dy + 4)
    return np.dstack([0.5 - 0.5 * dx / length, 0.5 - 0.5 * dy / length, 0.5 + 1 / length, np.ones((size, size))])


def levels(texels, count=None):
    """The picture and its smaller levels, each of means."""
    found = [texels]
    while max(texels.shape[:2]) > 1 and len(found) != count:
        for axis in (0, 1):
            if texels.shape[axis] > 1:
                even = [slice(None)] * axis + [slice(0, None, 2)]
                odd = [slice(None)] * axis + [slice(1, None, 2)]
                texels = (texels[tuple(even)] + texels[tuple(odd)]) / 2
        found.append(texels)
    return found


def chain(format, texels, count=None, seed=1):
    """The bytes of all levels of a layer."""
    return b"".join(encode(format, level, seed) for level in levels(texels, count))


def volume(format, slices, count=None):
    """The bytes of a texture with depth, from an array of depth x height x width x 4."""
    parts = []
    for number in range(count or 1):
        if number:
            slices = (slices[0::2] + slices[1::2]) / 2
            slices = (slices[:, 0::2] + slices[:, 1::2]) / 2
            slices = (slices[:, :, 0::2] + slices[:, :, 1::2]) / 2
        parts += [encode(format, one) for one in slices]
    return b"".join(parts)


def srgb(x):
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * np.maximum(x, 1e-9) ** (1 / 2.4) - 0.055)


def encode(format, texels, seed=1):
    """The bytes of a level of a texture."""
    family, kind = format.replace("R24_UNORM_X8_TYPELESS", "R24X8_UNORM").split("_", 1)
    if kind.endswith("SRGB"):
        texels = np.dstack([srgb(texels[..., :3]), texels[..., 3:]])
    if family in BLOCKS:
        return in_blocks(format, texels, seed)
    if format == "R11G11B10_FLOAT":
        halves = np.maximum(texels, 0).astype(np.float16).view(np.uint16).astype(np.uint32)
        return (halves[..., 0] >> 4 | halves[..., 1] >> 4 << 11 | halves[..., 2] >> 5 << 22).tobytes()
    if format == "R9G9B9E5_SHAREDEXP":
        colour = np.clip(texels[..., :3], 0, 65408)
        exponent = np.clip(np.floor(np.log2(np.maximum(colour.max(2), 2.0**-16))) + 16, 0, 31)
        codes = np.clip(np.rint(colour / 2.0 ** (exponent[..., None] - 24)), 0, 511).astype(np.uint32)
        return (codes[..., 0] | codes[..., 1] << 9 | codes[..., 2] << 18 | exponent.astype(np.uint32) << 27).tobytes()
    channels = [("RGBAXD".index(name) % 5, int(bits)) for name, bits in re.findall(r"([RGBAXD])(\d+)", family)]
    if kind == "FLOAT":
        form = {16: "<f2", 32: "<f4"}[channels[0][1]]
        return texels[..., [n for n, _ in channels]].astype(form).tobytes()
    codes = np.stack([code(texels[..., min(n, 3)], bits, kind) for n, bits in channels], -1)
    size = sum(bits for _, bits in channels) // 8
    if channels[0][1] % 8 == 0 and channels[0][1] < 24:
        return codes.astype({8: "<u1", 16: "<u2"}[channels[0][1]]).tobytes()
    if channels[0][1] == 32:
        return codes.astype("<u4").tobytes()
    word, at = np.zeros(codes.shape[:-1], np.uint64), 0
    for n, (_, bits) in enumerate(channels):
        word |= codes[..., n] << np.uint64(at)
        at += bits
    return word.astype({2: "<u2", 4: "<u4"}[size]).tobytes()


def code(values, bits, kind):
    """Codes of numbers from 0 to 1; those with a sign have half of them below 0."""
    is_signed = kind.startswith("S")
    highest = (1 << bits - is_signed) - 1
    if kind in ("UINT", "SINT"):
        highest = min(highest, (1 << 20) - 1)
    values = values * 2 - 1 if is_signed else values
    return np.rint(np.clip(values, -1, 1) * highest).astype(np.int64).astype(np.uint64) & np.uint64((1 << bits) - 1)


def in_blocks(format, texels, seed):
    family, kind = format.split("_", 1)
    height, width, _ = texels.shape
    # Levels smaller than a block repeat their edge.
    texels = np.pad(texels, ((0, -height % 4), (0, -width % 4), (0, 0)), mode="edge")
    rows, columns = texels.shape[0] // 4, texels.shape[1] // 4
    cut = texels.reshape(rows, 4, columns, 4, 4).swapaxes(1, 2).reshape(rows * columns, 16, 4)
    rng = np.random.default_rng([seed, rows])
    if family == "BC6H":
        halves = cut[..., :3].astype(np.float16).view(np.uint16)
        return blocks.bc6h(halves, rng, kind == "SF16").tobytes()
    codes = np.rint(np.clip(cut, 0, 1) * 255).astype(int)
    more = [kind == "SNORM"] if family in ("BC4", "BC5") else []
    return BLOCKS[family](codes, rng, *more).tobytes()


def repeated(format, tile, times, seed=1):
    """The bytes of all levels of a texture that repeats a tile along both axes. Blocks repeat too, so that the file can be packed."""
    count = int(np.log2(tile.shape[0] * times)) + 1
    found, smallest = [], 4 if format.startswith("BC") else 1
    for level in range(count):
        size = tile.shape[0] * times >> level
        if tile.shape[0] >> level >= smallest:
            blocks = (tile.shape[0] >> level) // smallest if smallest == 4 else tile.shape[0] >> level
            one = np.frombuffer(encode(format, levels(tile)[level], seed), np.uint8).reshape(blocks, blocks, -1)
            found.append(np.tile(one, (times, times, 1)).tobytes())
        else:
            small = levels(tile)[min(level, len(levels(tile)) - 1)]
            repeats = -(-size // small.shape[0])
            found.append(encode(format, np.tile(small, (repeats, repeats, 1))[:size, :size], seed))
    return b"".join(found)
