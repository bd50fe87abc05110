"""Writes bitonic_sort_input.npy, two blocks of 2,048 numbers, and bitonic_sort_sorted.npy, each block as Python sorts it.

Run it as `python3 bitonic_sort.py`. The second block has the cases that a sort may get wrong: many equal numbers, the
least and the greatest, runs that are sorted already.
"""

import random
import struct

BLOCK = 2048


def write(name: str, numbers: list[int]) -> None:
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({len(numbers)},)}}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}I", *numbers))


rng = random.Random(1)
blocks = [[rng.getrandbits(32) for _ in range(BLOCK)]]
blocks.append([0, 2**32 - 1, 2**31, 2**31 - 1] * 128 + [rng.randrange(16) for _ in range(512)])
blocks[1] += [*range(1000, 1512), *range(512, 0, -1)]
write("bitonic_sort_input.npy", [number for block in blocks for number in block])
write("bitonic_sort_sorted.npy", [number for block in blocks for number in sorted(block)])
