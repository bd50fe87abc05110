"""Makes blocks of BC1 to BC7 of pictures, with every mode that a format has: what textures to measure and to test are made of.

Texels come as codes from 0 to 255, an array of blocks x 16 x 4; for BC6H as the bits of halves, blocks x 16 x 3. Endpoints are a block's
darkest and brightest texel, or those of each subset; modes and partitions are drawn from a generator with a fixed seed. That is plausible and
fast, not good: a compressor would look for the best ones. Tables are those of the functional specification, 19.5.13 and 19.5.14.
"""

import re

import numpy as np

# The subset of each texel, and the texels after the first whose index is a bit shorter.
TWO = """
0011001100110011:15 0001000100010001:15 0111011101110111:15 0001001100110111:15 0000000100010011:15 0011011101111111:15
0001001101111111:15 0000000100110111:15 0000000000010011:15 0011011111111111:15 0000000101111111:15 0000000000010111:15
0001011111111111:15 0000000011111111:15 0000111111111111:15 0000000000001111:15 0000100011101111:15 0111000100000000:2
0000000010001110:8 0111001100010000:2 0011000100000000:2 0000100011001110:8 0000000010001100:8 0111001100110001:15
0011000100010000:2 0000100010001100:8 0110011001100110:2 0011011001101100:2 0001011111101000:8 0000111111110000:8
0111000110001110:2 0011100110011100:2 0101010101010101:15 0000111100001111:15 0101101001011010:6 0011001111001100:8
0011110000111100:2 0101010110101010:8 0110100101101001:15 0101101010100101:15 0111001111001110:2 0001001111001000:8
0011001001001100:2 0011101111011100:2 0110100110010110:2 0011110011000011:15 0110011010011001:15 0000011001100000:6
0100111001000000:6 0010011100100000:2 0000001001110010:6 0000010011100100:8 0110110010010011:15 0011011011001001:15
0110001110011100:2 0011100111000110:2 0110110011001001:15 0110001100111001:15 0111111010000001:15 0001100011100111:15
0000111100110011:15 0011001111110000:2 0010001011101110:2 0100010001110111:15
"""
THREE = """
0011001102212222:3.15 0001001122112221:3.8 0000200122112211:15.8 0222002200110111:15.3 0000000011221122:8.15 0011001100220022:3.15
0022002211111111:15.3 0011001122112211:15.8 0000000011112222:8.15 0000111111112222:8.15 0000111122222222:6.15 0012001200120012:6.15
0112011201120112:6.15 0122012201220122:5.15 0011011211221222:3.15 0011200122002220:3.8 0001001101121122:3.15 0111001120012200:3.8
0000112211221122:8.15 0022002200221111:15.3 0111011102220222:3.15 0001000122212221:3.8 0000001101220122:6.15 0000110022102210:10.8
0122012200110000:5.3 0012001211222222:8.15 0110122112210110:8.6 0000011012211221:6.10 0022110211020022:8.15 0110011020022222:5.15
0011012201220011:15.10 0000200022112221:15.8 0000000211221222:8.15 0222002200120011:15.3 0011001200220222:3.15 0120012001200120:5.10
0000111122220000:6.10 0120120120120120:10.8 0120201212010120:8.9 0011220011220011:15.10 0011112222000011:15.6 0101010122222222:3.15
0000000021212121:15.8 0022112200221122:5.15 0022001100220011:15.3 0220122102201221:15.6 0101222222220101:15.6 0000212121212121:15.8
0101010101012222:3.15 0222011102220111:15.3 0002111200021112:5.15 0000211221122112:5.15 0222011101110222:5.15 0002111211120002:8.15
0110011001102222:5.15 0000000021122112:10.15 0110011022222222:5.15 0022001100110022:10.15 0022112211220022:8.15 0000000000002112:13.15
0002000100020001:15.3 0222122202221222:12.15 0101222222222222:3.15 0111201122012220:3.8
"""


def parse(table):
    rows = [row.split(":") for row in table.split()]
    subsets = np.array([[int(digit) for digit in row[0]] for row in rows])
    return subsets, np.array([[0, *map(int, row[1].split("."))] for row in rows])


PARTITIONS = {1: (np.zeros((1, 16), int), np.zeros((1, 1), int)), 2: parse(TWO), 3: parse(THREE)}
# Weights of the second endpoint in 64ths, by the bits of an index.
WEIGHTS = {
    2: np.array([0, 21, 43, 64]),
    3: np.array([0, 9, 18, 27, 37, 46, 55, 64]),
    4: np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64]),
}


class Bits:
    """Blocks that are written from the lowest bit up."""

    def __init__(self, count, bits=128):
        self.bits, self.at = np.zeros((count, bits), np.uint8), 0

    def put(self, value, width):
        value = np.broadcast_to(np.asarray(value), len(self.bits))
        for n in range(width):
            self.bits[:, self.at + n] = value >> n & 1
        self.at += width

    def put_indices(self, indices, width, anchors):
        """Sixteen indices; those of anchors are a bit shorter, so that where the bits of others go differs from block to block."""
        is_anchor = np.zeros(indices.shape, bool)
        np.put_along_axis(is_anchor, anchors, True, axis=1)
        sizes = width - is_anchor.astype(int)
        places = self.at + np.cumsum(sizes, axis=1) - sizes
        rows = np.arange(len(indices))
        for texel in range(16):
            for n in range(width):
                has = n < sizes[:, texel]
                self.bits[rows[has], places[has, texel] + n] = indices[has, texel] >> n & 1
        self.at += 16 * width - anchors.shape[1]

    def bytes(self):
        return np.packbits(self.bits, axis=1, bitorder="little")


def ends(texels, subsets, count):
    """The darkest and the brightest texel of each subset: blocks x count x 2 x channels."""
    light = texels.astype(float).sum(2)
    found = []
    for subset in range(count):
        mine = subsets == subset
        for extreme in (np.where(mine, light, np.inf).argmin(1), np.where(mine, light, -np.inf).argmax(1)):
            found.append(np.take_along_axis(texels, extreme[:, None, None], axis=1)[:, 0])
    return np.stack(found, 1).reshape(len(texels), count, 2, texels.shape[2])


def nearest(texels, first, second, weights):
    """Of each texel the index whose weight is nearest to its place on the line between two endpoints, given for each texel."""
    line = (second - first).astype(float)
    share = ((texels - first) * line).sum(2) / np.maximum((line * line).sum(2), 1e-9)
    return np.abs(share[..., None] * weights[-1] - weights).argmin(2)


def of_texels(endpoints, subsets):
    """Both endpoints of each texel."""
    chosen = np.take_along_axis(endpoints, subsets[:, :, None, None], axis=1)
    return chosen[:, :, 0], chosen[:, :, 1]


def turned(indices, subsets, anchors, highest):
    """Which subsets must exchange their endpoints because their anchor's index is too large, and the indices afterwards."""
    turn = np.take_along_axis(indices, anchors, axis=1) > highest // 2
    return turn, np.where(np.take_along_axis(turn, subsets, axis=1), highest - indices, indices)


def colours565(texels, opaque):
    """The eight bytes of colour of BC1 to BC3. Blocks of BC1 with a texel that is not opaque have three colours and a hole."""
    levels = np.array([31, 63, 31])
    rgb = texels[..., :3].astype(float)
    pair = ends(rgb, np.zeros(rgb.shape[:2], int), 1)[:, 0]
    codes = np.rint(pair * levels / 255).astype(int)
    words = codes[..., 0] << 11 | codes[..., 1] << 5 | codes[..., 2]
    holes = texels[..., 3] < 128 if not opaque else np.zeros(rgb.shape[:2], bool)
    has_holes = holes.any(1)
    low, high = words.min(1), words.max(1)
    first, second = np.where(has_holes, low, high), np.where(has_holes, high, low)
    decode = lambda word: np.stack([word >> 11, word >> 5 & 63, word & 31], 1) * 255.0 / levels
    a, b = decode(first)[:, None], decode(second)[:, None]
    four = np.array([0, 2, 3, 1])[nearest(rgb, a, b, np.arange(4))]
    three = np.array([0, 2, 1])[nearest(rgb, a, b, np.arange(3))]
    indices = np.where(has_holes[:, None], np.where(holes, 3, three), four)
    bits = Bits(len(texels), 64)
    bits.put(first, 16)
    bits.put(second, 16)
    for texel in range(16):
        bits.put(indices[:, texel], 2)
    return bits.bytes()


def bc1(texels, rng):
    return colours565(texels, False)


def bc2(texels, rng):
    bits = Bits(len(texels), 64)
    for texel in range(16):
        bits.put(np.rint(texels[:, texel, 3] * 15 / 255).astype(int), 4)
    return np.hstack([bits.bytes(), colours565(texels, True)])


def channel(values, signed, rng):
    """A block of BC4: eight values between two, or in one block of five six and the two extremes."""
    values = values.astype(float) - (128 if signed else 0)
    lowest, highest = (-127, 127) if signed else (0, 255)
    values = np.clip(values, lowest, highest)
    inner = np.where((values > lowest) & (values < highest), values, np.nan)
    has_six = (rng.random(len(values)) < 0.2) & ~np.isnan(inner).all(1)
    low, high = values.min(1), values.max(1)
    low[has_six], high[has_six] = np.nanmin(inner[has_six], 1), np.nanmax(inner[has_six], 1)
    first, second = np.where(has_six, low, high), np.where(has_six, high, low)
    span = np.where(first == second, 1, second - first)[:, None]
    share = np.clip((values - first[:, None]) / span, 0, 1)
    eight, six = np.rint(share * 7).astype(int), np.rint(share * 5).astype(int)
    eight = np.array([0, 2, 3, 4, 5, 6, 7, 1])[eight]
    six = np.where(values == lowest, 6, np.where(values == highest, 7, np.array([0, 2, 3, 4, 5, 1])[six]))
    bits = Bits(len(values), 64)
    bits.put(first.astype(int) & 255, 8)
    bits.put(second.astype(int) & 255, 8)
    for texel in range(16):
        bits.put(np.where(has_six, six[:, texel], eight[:, texel]), 3)
    return bits.bytes()


def bc3(texels, rng):
    return np.hstack([channel(texels[..., 3], False, rng), colours565(texels, True)])


def bc4(texels, rng, signed=False):
    return channel(texels[..., 0], signed, rng)


def bc5(texels, rng, signed=False):
    return np.hstack([channel(texels[..., n], signed, rng) for n in (0, 1)])


# Subsets; bits of partition, rotation, selector, colour, alpha; bits that components share (per endpoint 2, per subset 1); bits of indices.
BC7_MODES = [
    (3, 4, 0, 0, 4, 0, 2, 3, 0),
    (2, 6, 0, 0, 6, 0, 1, 3, 0),
    (3, 6, 0, 0, 5, 0, 0, 2, 0),
    (2, 6, 0, 0, 7, 0, 2, 2, 0),
    (1, 0, 2, 1, 5, 6, 0, 2, 3),
    (1, 0, 2, 0, 7, 8, 0, 2, 2),
    (1, 0, 0, 0, 7, 7, 2, 4, 0),
    (2, 6, 0, 0, 5, 5, 2, 2, 0),
]
# What compressors choose, roughly, of blocks that are opaque.
BC7_SHARES = np.array([3, 24, 2, 12, 8, 11, 30, 10]) / 100


def bc7(texels, rng):
    modes = rng.choice(8, len(texels), p=BC7_SHARES)
    # Modes without alpha are for opaque blocks alone.
    modes = np.where((modes < 4) & (texels[..., 3] < 255).any(1), 6, modes)
    blocks = np.zeros((len(texels), 16), np.uint8)
    for mode in range(8):
        mine = modes == mode
        if mine.any():
            blocks[mine] = bc7_blocks(texels[mine], mode, rng)
    return blocks


def bc7_blocks(texels, mode, rng):
    count, partition_bits, rotation_bits, selector_bits, colour, alpha, shared, first_bits, second_bits = BC7_MODES[mode]
    blocks = len(texels)
    partition = rng.integers(0, 1 << partition_bits, blocks)
    rotation = rng.integers(0, 1 << rotation_bits, blocks)
    selector = rng.integers(0, 1 << selector_bits, blocks)
    texels = texels.astype(float).copy()
    for n in (1, 2, 3):
        mine = rotation == n
        texels[mine] = texels[mine][..., {1: [3, 1, 2, 0], 2: [0, 3, 2, 1], 3: [0, 1, 3, 2]}[n]]
    subsets, anchors = (table[partition] for table in PARTITIONS[count])
    if not alpha:
        texels = texels[..., :3]
    endpoints = ends(texels, subsets, count)
    if second_bits:
        endpoints[..., 3] = np.stack([texels[..., 3].min(1), texels[..., 3].max(1)], 1)[:, None]
    widths = np.array([colour] * 3 + [alpha] * (alpha > 0))
    codes, low_bits = quantised(endpoints, widths, shared)
    a, b = of_texels(promoted(codes, low_bits, widths, shared), subsets)
    groups = [(range(texels.shape[2]), None)] if not second_bits else [(range(3), selector), ([3], 1 - selector)]
    written = [None, None]
    for channels, other in groups:
        channels = list(channels)
        for number in (0, 1) if second_bits else (0,):
            width = [first_bits, second_bits][number]
            chosen = nearest(texels[..., channels], a[..., channels], b[..., channels], WEIGHTS[width])
            turn, chosen = turned(chosen, subsets, anchors, (1 << width) - 1)
            mine = np.full(blocks, True) if other is None else other == number
            swap = turn & mine[:, None]
            for n in channels:
                codes[..., n] = np.where(swap[..., None], codes[..., ::-1, n], codes[..., n])
            if other is None and shared == 2:
                low_bits = np.where(swap[..., None], low_bits[..., ::-1], low_bits)
            kept = np.zeros_like(chosen) if written[number] is None else written[number]
            written[number] = np.where(mine[:, None], chosen, kept)
    bits = Bits(blocks)
    bits.put(1 << mode, mode + 1)
    for value, width in [(partition, partition_bits), (rotation, rotation_bits), (selector, selector_bits)]:
        bits.put(value, width)
    for n, width in enumerate(widths):
        for endpoint in range(2 * count):
            bits.put(codes[:, endpoint // 2, endpoint % 2, n], width)
    for endpoint in range(2 * count):
        if shared == 2 or shared == 1 and endpoint % 2 == 0:
            bits.put(low_bits[:, endpoint // 2, endpoint % 2], 1)
    bits.put_indices(written[0], first_bits, anchors)
    if second_bits:
        bits.put_indices(written[1], second_bits, anchors)
    assert bits.at == 128
    return bits.bytes()


def quantised(endpoints, widths, shared):
    """Codes of endpoints, and their lowest bit where components share it: that of green, as it is the brightest."""
    if not shared:
        return np.rint(endpoints * ((1 << widths) - 1) / 255).astype(int), np.zeros(endpoints.shape[:3], int)
    full = endpoints * ((2 << widths) - 1) / 255
    low = np.rint(full[..., 1]).astype(int) & 1
    if shared == 1:
        low[..., 1] = low[..., 0]
    return np.clip(np.rint((full - low[..., None]) / 2).astype(int), 0, (1 << widths) - 1), low


def promoted(codes, low, widths, shared):
    """The components of 8 bits that codes stand for."""
    if shared:
        codes, widths = codes << 1 | low[..., None], widths + 1
    shifted = codes << (8 - widths)
    return (shifted | shifted >> widths).astype(float)


# Code, whether endpoints are differences from the first, its bits, those of the others' red, green and blue, and where fields are.
BC6H_MODES = """
00 transformed 10 5 5 5: gy4 by4 bz4 rw9-0 gw9-0 bw9-0 rx4-0 gz4 gy3-0 gx4-0 bz0 gz3-0 bx4-0 bz1 by3-0 ry4-0 bz2 rz4-0 bz3 d4-0
01 transformed 7 6 6 6: gy5 gz4 gz5 rw6-0 bz0 bz1 by4 gw6-0 by5 bz2 gy4 bw6-0 bz3 bz5 bz4 rx5-0 gy3-0 gx5-0 gz3-0 bx5-0 by3-0 ry5-0 rz5-0 d4-0
00010 transformed 11 5 4 4: rw9-0 gw9-0 bw9-0 rx4-0 rw10 gy3-0 gx3-0 gw10 bz0 gz3-0 bx3-0 bw10 bz1 by3-0 ry4-0 bz2 rz4-0 bz3 d4-0
00110 transformed 11 4 5 4: rw9-0 gw9-0 bw9-0 rx3-0 rw10 gz4 gy3-0 gx4-0 gw10 gz3-0 bx3-0 bw10 bz1 by3-0 ry3-0 bz0 bz2 rz3-0 gy4 bz3 d4-0
01010 transformed 11 4 4 5: rw9-0 gw9-0 bw9-0 rx3-0 rw10 by4 gy3-0 gx3-0 gw10 bz0 gz3-0 bx4-0 bw10 by3-0 ry3-0 bz1 bz2 rz3-0 bz4 bz3 d4-0
01110 transformed 9 5 5 5: rw8-0 by4 gw8-0 gy4 bw8-0 bz4 rx4-0 gz4 gy3-0 gx4-0 bz0 gz3-0 bx4-0 bz1 by3-0 ry4-0 bz2 rz4-0 bz3 d4-0
10010 transformed 8 6 5 5: rw7-0 gz4 by4 gw7-0 bz2 gy4 bw7-0 bz3 bz4 rx5-0 gy3-0 gx4-0 bz0 gz3-0 bx4-0 bz1 by3-0 ry5-0 rz5-0 d4-0
10110 transformed 8 5 6 5: rw7-0 bz0 by4 gw7-0 gy5 gy4 bw7-0 gz5 bz4 rx4-0 gz4 gy3-0 gx5-0 gz3-0 bx4-0 bz1 by3-0 ry4-0 bz2 rz4-0 bz3 d4-0
11010 transformed 8 5 5 6: rw7-0 bz1 by4 gw7-0 by5 gy4 bw7-0 bz5 bz4 rx4-0 gz4 gy3-0 gx4-0 bz0 gz3-0 bx5-0 by3-0 ry4-0 bz2 rz4-0 bz3 d4-0
11110 direct 6 6 6 6: rw5-0 gz4 bz0 bz1 by4 gw5-0 gy5 by5 bz2 gy4 bw5-0 gz5 bz3 bz5 bz4 rx5-0 gy3-0 gx5-0 gz3-0 bx5-0 by3-0 ry5-0 rz5-0 d4-0
00011 direct 10 10 10 10: rw9-0 gw9-0 bw9-0 rx9-0 gx9-0 bx9-0
00111 transformed 11 9 9 9: rw9-0 gw9-0 bw9-0 rx8-0 rw10 gx8-0 gw10 bx8-0 bw10
01011 transformed 12 8 8 8: rw9-0 gw9-0 bw9-0 rx7-0 rw10-11 gx7-0 gw10-11 bx7-0 bw10-11
01111 transformed 16 4 4 4: rw9-0 gw9-0 bw9-0 rx3-0 rw10-15 gx3-0 gw10-15 bx3-0 bw10-15
""".strip().splitlines()
# The mode that any block fits.
BC6H_WIDEST = 10


def bc6h(halves, rng, signed=False):
    """Blocks whose differences are too large for the mode that was drawn have the widest one."""
    halves = halves.astype(int)
    magnitude = halves & 0x7FFF
    values = np.where(halves & 0x8000, -1, 1) * magnitude * 32 // 31 if signed else magnitude * 64 // 31
    modes, blocks = rng.integers(0, len(BC6H_MODES), len(halves)), np.zeros((len(halves), 16), np.uint8)
    for mode in range(len(BC6H_MODES)):
        mine = np.flatnonzero(modes == mode)
        blocks[mine], fits = bc6h_blocks(values[mine], mode, signed, rng)
        blocks[mine[~fits]] = bc6h_blocks(values[mine[~fits]], BC6H_WIDEST, signed, rng)[0]
    return blocks


def bc6h_blocks(values, mode, signed, rng):
    head, fields = BC6H_MODES[mode].split(":")
    code, kind, precision, *deltas = head.split()
    precision, deltas = int(precision), np.array(deltas, int)
    count, width = (2, 3) if "d4" in fields else (1, 4)
    partition = rng.integers(0, 32 if count == 2 else 1, len(values))
    subsets, anchors = (table[partition] for table in PARTITIONS[count])
    endpoints = ends(values, subsets, count)
    indices = nearest(values, *of_texels(endpoints, subsets), WEIGHTS[width])
    turn, indices = turned(indices, subsets, anchors, (1 << width) - 1)
    endpoints = np.where(turn[..., None, None], endpoints[:, :, ::-1], endpoints).reshape(len(values), 2 * count, 3)
    codes = np.sign(endpoints) * (np.abs(endpoints) >> (16 - precision))
    fits = np.full(len(values), True)
    if kind == "transformed":
        codes[:, 1:] -= codes[:, :1]
        limit = 1 << (deltas - 1)
        fits = ((codes[:, 1:] >= -limit) & (codes[:, 1:] < limit)).all((1, 2))
    found = {name: codes[:, "wxyz".index(name[1]), "rgb".index(name[0])] for name in re.findall(r"[rgb][wxyz]", fields)}
    found["d"] = partition
    bits = Bits(len(values))
    bits.put(int(code, 2), len(code))
    for name, high, low in re.findall(r"([rgb][wxyz]|d)(\d+)(?:-(\d+))?", fields):
        high, low = int(high), int(low or high)
        # Downwards as written; upwards where the specification has the bits in reverse.
        order = range(low, high + 1) if high >= low else range(low, high - 1, -1)
        for n in order:
            bits.put(found[name] >> n & 1, 1)
    bits.put_indices(indices, width, anchors)
    assert bits.at == 128
    return bits.bytes(), fits
