"""Writes histogram_counts.npy: how often each shade of red, green and blue stands in ../docs/images/mandelbrot.png.

Run it as `python3 histogram.py`. It reads the picture by itself, so that the example does not rest on one decoder alone.
"""

import struct
import zlib


def chunks(data: bytes):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def predicted(method: int, left: int, above: int, corner: int) -> int:
    """The prediction of a PNG filter for a byte."""
    if method == 4:
        first = left + above - corner
        return min((left, above, corner), key=lambda value: abs(first - value))
    return (0, left, above, (left + above) // 2)[method]


def rows(data: bytes, pixel: int):
    width, height = struct.unpack(">II", next(body for kind, body in chunks(data) if kind == b"IHDR")[:8])
    packed = zlib.decompress(b"".join(body for kind, body in chunks(data) if kind == b"IDAT"))
    length = width * pixel
    last = bytes(length)
    for y in range(height):
        line = packed[y * (length + 1):(y + 1) * (length + 1)]
        row = bytearray(pixel)      # nothing is left of the first pixel
        for x in range(length):
            corner = last[x - pixel] if x >= pixel else 0
            row.append((line[1 + x] + predicted(line[0], row[x], last[x], corner)) & 255)
        last = bytes(row[pixel:])
        yield last


with open("../docs/images/mandelbrot.png", "rb") as file:
    picture = file.read()
header = next(body for kind, body in chunks(picture) if kind == b"IHDR")
assert header[8:] == bytes([8, 6, 0, 0, 0]), "eight bits each of red, green, blue and alpha"

counts = [0] * 768
for row in rows(picture, 4):
    for colour in range(3):
        for shade in row[colour::4]:
            counts[256 * colour + shade] += 1

header = "{'descr': '<u4', 'fortran_order': False, 'shape': (768,)}"
header += " " * (-(10 + len(header) + 1) % 64) + "\n"
with open("histogram_counts.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<768I", *counts))
